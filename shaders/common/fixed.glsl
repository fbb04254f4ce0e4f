// Precision `reproducible`: the same bits from every device, however the sources are divided among threads and devices.
// src/force/host.c is the same in C. Three things make that possible.
//
// Every operation is one that IEEE 754 rounds in one way only: + - * of floats, and integers. `precise` forbids a compiler to
// fuse a product and a sum, or to change their order; division, square root, dot and fma, which drivers round as they please,
// are not used.
//
// Numbers come in units in which no product is denormal: some devices make those zero, others do not. The proof is in
// src/force/reproducible.c.
//
// Sums: floats of 64 sources, always the same ones in the same order; and of those sums in fixed point, which is to say whole
// numbers of a unit, whose sum does not depend on the order.

#if F_RECORDS > 2
#error precision reproducible sums at most 2 records
#endif

// 1 / sqrt(x) from 2^-120 to 2^120, to 1.24 units in the last place. Half the exponent makes a first guess, on which a line of
// integers is as good as any table; one step of Newton's and one of the next order make a float of it.
float root(float x) {
  precise float y = uintBitsToFloat(0x5f1ffff9u - (floatBitsToUint(x) >> 1));
  precise float xyy = as_written(as_written(0.703952253 * x) * as_written(y * y));
  precise float y1 = as_written(y * as_written(1.681914091 - xyy));
  precise float e = as_written(1.0 - as_written(x * as_written(y1 * y1)));
  precise float more = as_written(y1 * as_written(e * as_written(0.5 + as_written(0.375 * e))));
  precise float y2 = as_written(y1 + more);
  return y2;
}

// A sum of a record is high * 2^30 + low units, 0 <= low < 2^30. The unit of a sink is 2^(127 - b) for each b of `scale`, one
// byte for xyz of record 0, one for its w, and so on; `most` has the bits of the largest sums of 64, without their sign.
struct total {
  ivec4 high[F_RECORDS], low[F_RECORDS];
  uvec4 most;
  uint scale;
};

total nothing_yet() {
  total none;
  for (int r = 0; r < F_RECORDS; r++) none.high[r] = none.low[r] = ivec4(0);
  none.most = uvec4(0u);
  none.scale = 0u;
  return none;
}

force begin_sum(in total t) {
  force f;
  for (int r = 0; r < F_RECORDS; r++) f.f[r] = vec4(0.0);
  return f;
}

uint larger(vec3 x) {
  uvec3 size = floatBitsToUint(x) & 0x7fffffffu;
  return max(max(size.x, size.y), size.z);
}

// 2^(b - 127): such a byte is the exponent of a float.
float power(uint scale, int group) { return uintBitsToFloat((scale >> 8 * group & 255u) << 23); }

// A float of up to 2^52 units as a whole number, without a conversion, which drivers may make as they please. 1.5 * 2^53 has no
// room for less than 2^30: added to it, the float leaves a multiple of that, counted by the last bits of the sum; what it lost
// is added to 1.5 * 2^30, which has room for multiples of 2^7; and the rest to 1.5 * 2^23, which rounds it.
const float COARSE = 13510798882111488.0, MIDDLE = 1610612736.0, FINE = 12582912.0;

// Record r of total += partial, the float sum of 64 sources (or of those that are left).
void accumulate(inout total t, in force partial, int r) {
  vec4 f = partial.f[r];
  t.most[2 * r] = max(t.most[2 * r], larger(f.xyz));
  t.most[2 * r + 1] = max(t.most[2 * r + 1], floatBitsToUint(f.w) & 0x7fffffffu);
  precise vec4 units = f * vec4(vec3(power(t.scale, 2 * r)), power(t.scale, 2 * r + 1));
  precise vec4 coarse = as_written(units + COARSE);
  precise vec4 rest = as_written(units - as_written(coarse - COARSE));
  precise vec4 middle = as_written(rest + MIDDLE);
  precise vec4 remnant = as_written(rest - as_written(middle - MIDDLE));
  precise vec4 fine = as_written(remnant + FINE);
  ivec4 low = t.low[r] + (floatBitsToInt(middle) - floatBitsToInt(MIDDLE) << 7) + (floatBitsToInt(fine) - floatBitsToInt(FINE));
  t.high[r] += floatBitsToInt(coarse) - floatBitsToInt(COARSE) + (low >> 30);
  t.low[r] = low & 0x3fffffff;
}

// total += another total, of the same scale.
void merge(inout total t, in total other) {
  for (int r = 0; r < F_RECORDS; r++) {
    ivec4 low = t.low[r] + other.low[r];
    t.high[r] += other.high[r] + (low >> 30);
    t.low[r] = low & 0x3fffffff;
  }
  t.most = max(t.most, other.most);
}

// As 64-bit numbers: all high words, then all low ones. The last high word is the count of sources, as in every precision, and
// the last low word has the exponents of `most`, a byte each.
#define WORDS (2 * F_RECORDS)

void to_words(in total t, int walked, out uvec4 words[WORDS]) {
  for (int r = 0; r < F_RECORDS; r++) words[r] = uvec4(t.high[r] >> 2);
  for (int r = 0; r < F_RECORDS; r++) words[F_RECORDS + r] = uvec4(t.high[r] << 30 | t.low[r]);
  uvec4 e = t.most >> 23;
  words[F_RECORDS - 1].w = uint(walked);
  words[2 * F_RECORDS - 1].w = e.x | e.y << 8 | e.z << 16 | e.w << 24;
}

total from_words(in uvec4 words[WORDS], out int walked) {
  total t = nothing_yet();
  for (int r = 0; r < F_RECORDS; r++) t.high[r] = ivec4(words[r] << 2 | words[F_RECORDS + r] >> 30);
  for (int r = 0; r < F_RECORDS; r++) t.low[r] = ivec4(words[F_RECORDS + r] & 0x3fffffffu);
  walked = int(words[F_RECORDS - 1].w);
  t.high[F_RECORDS - 1].w = t.low[F_RECORDS - 1].w = 0;
  uint e = words[2 * F_RECORDS - 1].w;
  t.most = (uvec4(e, e >> 8, e >> 16, e >> 24) & 255u) << 23;
  return t;
}
