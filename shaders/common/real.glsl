// The number types of the all-pairs engine, and how it sums them.
//
//   precision     one pair        sum of a few hundred pairs   sum of those sums
//   single        float           float                        float
//   compensated   float           float                        double-single: value + rounding error
//   ds            float, from positions of twice the digits    double-single
//   double        double          double                       double
//   reproducible  as ds, to the same bits everywhere           fixed point (common/fixed.glsl)
//
// Why two levels of sums: adding 65536 terms to one float loses the last bits of each. Adding 256 terms at a time, and
// then the 256 sums, loses sixteen times less and costs only registers.
//
// A double-single is a number stored as two floats: the nearest float, and the remainder, at least 2^24 times smaller.
// Pi is 3.1415927 - 8.7e-8. That makes about 48 bits, on devices whose doubles are slow or missing.
//
// PRECISION (one of the five below), RECORDS (vec4s that describe a particle, 1 to 3) and F_RECORDS (vec4s that make up a
// force, 1 to 3) are defined before this file is included: for an interaction by the loader, from its declaration
// (interactions/README.md).

#define SINGLE 0
#define COMPENSATED 1
#define DS 2
#define DOUBLE 3
#define REPRODUCIBLE 4

#if RECORDS > 3 || F_RECORDS > 3
#error an interaction has at most 3 records a particle and 3 a force
#endif

#if PRECISION == DOUBLE
#define real double
#define real3 dvec3
#define real4 dvec4
#else
#define real float
#define real3 vec3
#define real4 vec4
#endif

const real ONE = real(1.0), TWO = real(2.0), THREE = real(3.0);

// The vec4 records of a particle. In ds and reproducible one more follows: the low part of the position, which is what remains
// of the host's double after rounding it to float.
#if PRECISION == DS || PRECISION == REPRODUCIBLE
#define ALL_RECORDS (RECORDS + 1)
#else
#define ALL_RECORDS RECORDS
#endif

// Arrays of constant length stay in registers as long as every index is a constant. The loader therefore unrolls the
// loops over them ("Loops of constant length" in README.md), since drivers cannot be relied on to do it.

// as_written(x): x, computed as it is written. Where GLSL lacks `precise` (OpenGL ES before 3.2, WebGL), the bits of x pass
// through a number that the compiler cannot know: a uniform that nobody sets, and that is therefore 0.
#ifdef HB_HAS_PRECISE
#define as_written(x) (x)
#else
uniform uint always_0;
float as_written(float x) { return uintBitsToFloat(floatBitsToUint(x) ^ always_0); }
vec3 as_written(vec3 x) { return uintBitsToFloat(floatBitsToUint(x) ^ always_0); }
vec4 as_written(vec4 x) { return uintBitsToFloat(floatBitsToUint(x) ^ always_0); }
int as_written(int x) { return x ^ int(always_0); }
#endif

// The vector from sink to source. In ds the high parts cancel exactly where particles are close, which is where
// the low parts matter. `precise` keeps the compiler from changing the order of the sum: it might otherwise
// replace (jh - ih) + (jl - il) by (jh + jl) - (ih + il), where jh + jl rounds the low part away.
real3 separation(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS]) {
#if PRECISION == DS
  precise vec3 high = as_written(j[0].xyz - i[0].xyz);
  precise vec3 low = as_written(j[RECORDS].xyz - i[RECORDS].xyz);
  return high + low;
#elif PRECISION == REPRODUCIBLE
  precise vec3 high = as_written(j[0].xyz - i[0].xyz);
  precise vec3 low = as_written(j[RECORDS].xyz - i[RECORDS].xyz);
  precise vec3 rij = as_written(high + low);
  return rij;
#else
  return j[0].xyz - i[0].xyz;
#endif
}

// a * b + c, as one operation where the device has it. We ask for it explicitly, because `precise` in the sums also
// applies to the interaction that feeds them, and there it forbids the compiler to fuse the two on its own.
#ifdef HB_HAS_PRECISE
real mad(real a, real b, real c) { return fma(a, b, c); }
real3 mad(real a, real3 b, real3 c) { return fma(real3(a), b, c); }
#else
real mad(real a, real b, real c) { return a * b + c; }
real3 mad(real a, real3 b, real3 c) { return a * b + c; }
#endif

// 1 / r and 1 / r^2 from r^2. A GPU has an instruction for the reciprocal square root of a float, good to 2 units in the
// last place. In double that is a first guess y, 22 of whose bits are right, and from how wrong it is,
//
//   e = 1 - r^2 y^2        1 / r = y (1 - e)^(-1/2) = y (1 + e / 2 + 3 e^2 / 8 + ...)
//
// three terms have 53: on an H200 682 10^9 accelerations a second, where inversesqrt of doubles does 544. That is left to what
// no float holds, by the exponent. A CPU that emulates a GPU has correctly rounded division and root, and is fastest in this
// order.
#ifdef SOFTWARE
void reciprocals(real r2, out real rinv, out real rinv2) {
  rinv2 = ONE / r2;
  rinv = sqrt(rinv2);
}
#elif PRECISION == DOUBLE
void reciprocals(real r2, out real rinv, out real rinv2) {
  real y = real(inversesqrt(float(r2)));
  real e = mad(-r2, y * y, ONE);
  rinv = mad(y * e, mad(e, real(0.375), real(0.5)), y);
  bool is_float = unpackDouble2x32(r2).y - 0x38100000u < 0x0fd00000u; // 2^-126 <= r2 < 2^127
  if (!is_float) rinv = inversesqrt(r2);
  rinv2 = rinv * rinv;
}
#else
void reciprocals(real r2, out real rinv, out real rinv2) {
  rinv = inversesqrt(r2);
  rinv2 = rinv * rinv;
}
#endif

// x . y + more.
real dot_plus(real3 x, real3 y, real more) { return mad(x.z, y.z, mad(x.y, y.y, mad(x.x, y.x, more))); }

// The force on one sink: from a few hundred sources, and in total. The last component of the last record belongs to
// the engine (see to_words below): an interaction leaves it alone.
struct force {
  real4 f[F_RECORDS];
};

#if PRECISION == REPRODUCIBLE
#include "common/fixed.glsl"
#else
struct total {
  real4 sum[F_RECORDS];
#if PRECISION == COMPENSATED || PRECISION == DS
  vec4 lost[F_RECORDS]; // to rounding so far
#endif
};

#define DOUBLE_SINGLE_SUMS (PRECISION == COMPENSATED || PRECISION == DS)

#if DOUBLE_SINGLE_SUMS
// sum += more, lost += the rounding error of that sum, which is itself a float (Knuth 1969). `rounded` is the part of
// `more` that arrived in s. In exact arithmetic `error` is zero: without `precise` a compiler may drop it.
void add(inout vec4 sum, inout vec4 lost, vec4 more) {
  precise vec4 s = as_written(sum + more);
  precise vec4 rounded = as_written(s - sum);
  precise vec4 before = as_written(s - rounded);
  precise vec4 error = as_written(sum - before) + as_written(more - rounded);
  sum = s;
  lost += error;
}

// The same where `more` is usually the smaller of the two and already contains what was lost before (Kahan 1965).
// Three operations instead of seven; this one runs for every stretch (the PARTIAL sources of one float sum).
void carry(inout vec4 sum, out vec4 lost, vec4 more) {
  precise vec4 s = as_written(sum + more);
  precise vec4 error = more - as_written(s - sum);
  sum = s;
  lost = error;
}
#endif

// A GPU's reciprocal root has a random error of half a unit in the last place, and a small bias: on an H200 it is too
// small by a relative 5e-9. Random errors average out in a long sum, a bias does not. ROOT_ERROR is the relative bias
// measured at the start, ROOTS the power of 1 / r in each component; one operation per stretch removes the bias from
// its sum.
#if DOUBLE_SINGLE_SUMS && defined(ROOT_ERROR) && defined(ROOTS)
void remove_bias(inout vec4 lost, vec4 part, vec4 roots) {
#ifdef HB_HAS_PRECISE
  precise vec4 more = fma(-(ROOT_ERROR) * roots, part, lost);
#else
  vec4 more = lost - ROOT_ERROR * roots * part;
#endif
  lost = more;
}
#endif

// The float sum of a stretch starts not from zero, but from what rounding lost in the sums before it.
force begin_sum(in total t) {
  force f;
#if DOUBLE_SINGLE_SUMS
  for (int r = 0; r < F_RECORDS; r++) f.f[r] = t.lost[r];
#else
  for (int r = 0; r < F_RECORDS; r++) f.f[r] = real4(0.0);
#endif
  return f;
}

// Record r of total += partial, a float sum started by begin_sum.
void accumulate(inout total t, in force partial, int r) {
#if DOUBLE_SINGLE_SUMS
  carry(t.sum[r], t.lost[r], partial.f[r]);
#if defined(ROOT_ERROR) && defined(ROOTS)
  remove_bias(t.lost[r], partial.f[r], ROOTS(r));
#endif
#else
  t.sum[r] += partial.f[r];
#endif
}

// total += another total.
void merge(inout total t, in total other) {
#if DOUBLE_SINGLE_SUMS
  for (int r = 0; r < F_RECORDS; r++) {
    add(t.sum[r], t.lost[r], other.sum[r]);
    t.lost[r] += other.lost[r];
  }
#else
  for (int r = 0; r < F_RECORDS; r++) t.sum[r] += other.sum[r];
#endif
}

total nothing_yet() {
  total none;
  for (int r = 0; r < F_RECORDS; r++) none.sum[r] = real4(0.0);
#if DOUBLE_SINGLE_SUMS
  for (int r = 0; r < F_RECORDS; r++) none.lost[r] = vec4(0.0);
#endif
  return none;
}

// Totals travel as plain 32-bit words, so that every bit survives textures and buffers: one uvec4 per record in
// single, two in the other precisions (high and low part of a double-single or of a double).
//
// The last component of the last record is not a sum but a count: how many sources have been summed. The host
// checks it, because a driver may drop a draw that takes too long without reporting an error.
#if PRECISION == SINGLE
#define WORDS F_RECORDS
#else
#define WORDS (2 * F_RECORDS)
#endif

#if PRECISION == DOUBLE
uvec4 high_words(dvec4 d) {
  return uvec4(unpackDouble2x32(d.x).y, unpackDouble2x32(d.y).y, unpackDouble2x32(d.z).y, unpackDouble2x32(d.w).y);
}
uvec4 low_words(dvec4 d) {
  return uvec4(unpackDouble2x32(d.x).x, unpackDouble2x32(d.y).x, unpackDouble2x32(d.z).x, unpackDouble2x32(d.w).x);
}
dvec4 from_words(uvec4 high, uvec4 low) {
  return dvec4(packDouble2x32(uvec2(low.x, high.x)), packDouble2x32(uvec2(low.y, high.y)),
               packDouble2x32(uvec2(low.z, high.z)), packDouble2x32(uvec2(low.w, high.w)));
}
#endif

void to_words(in total t, int walked, out uvec4 words[WORDS]) {
#if PRECISION == DOUBLE
  for (int r = 0; r < F_RECORDS; r++) words[r] = high_words(t.sum[r]);
  for (int r = 0; r < F_RECORDS; r++) words[F_RECORDS + r] = low_words(t.sum[r]);
#else
  for (int r = 0; r < F_RECORDS; r++) words[r] = floatBitsToUint(t.sum[r]);
#if DOUBLE_SINGLE_SUMS
  for (int r = 0; r < F_RECORDS; r++) words[F_RECORDS + r] = floatBitsToUint(t.lost[r]);
#endif
#endif
  words[F_RECORDS - 1].w = uint(walked);
}

total from_words(in uvec4 words[WORDS], out int walked) {
  total t;
#if PRECISION == DOUBLE
  for (int r = 0; r < F_RECORDS; r++) t.sum[r] = from_words(words[r], words[F_RECORDS + r]);
#else
  for (int r = 0; r < F_RECORDS; r++) t.sum[r] = uintBitsToFloat(words[r]);
#if DOUBLE_SINGLE_SUMS
  for (int r = 0; r < F_RECORDS; r++) t.lost[r] = uintBitsToFloat(words[F_RECORDS + r]);
#endif
#endif
  walked = int(words[F_RECORDS - 1].w);
  t.sum[F_RECORDS - 1].w = real(0.0);
  return t;
}
#endif

void accumulate(inout total t, in force partial) {
  for (int r = 0; r < F_RECORDS; r++) accumulate(t, partial, r);
}
