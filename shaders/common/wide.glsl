// Vectors with twice the digits of float: positions, velocities and their derivatives need them where they stay on the
// device from step to step. In precision double they are GLSL doubles, in all others double-singles: a float and
// what it could not hold, 48 bits in all.
//
// Everything rests on two exact identities. The rounding error of a sum is itself a float (Knuth 1969),
//
//   s = a + b        error = (a - (s - (s - a))) + (b - (s - a))
//
// and so is that of a product: split both factors into halves, whose products are exact (Dekker 1971), or take a b - p by
// one operation, where the device has one that rounds only at its end. `precise` keeps the compiler from simplifying the
// errors to zero; the self-test refuses drivers that do so anyway.

#if PRECISION == DOUBLE

#define wide double
#define wide3 dvec3

wide wide_of(uint high, uint low) { return packDouble2x32(uvec2(low, high)); }
wide3 wide3_of(uvec4 high, uvec4 low) { return from_words(high, low).xyz; }
uvec3 high_bits(wide3 a) { return high_words(dvec4(a, 0.0)).xyz; }
uvec3 low_bits(wide3 a) { return low_words(dvec4(a, 0.0)).xyz; }

wide3 plus(wide3 a, wide3 b) { precise dvec3 sum = a + b; return sum; }
wide3 minus(wide3 a, wide3 b) { precise dvec3 sum = a - b; return sum; }
wide3 times(wide s, wide3 a) { precise dvec3 product = s * a; return product; }
wide3 times(float s, wide3 a) { precise dvec3 product = double(s) * a; return product; }
wide3 over(wide3 a, float n) { precise dvec3 quotient = a / double(n); return quotient; }
wide3 times(wide3 a, wide3 b) { precise dvec3 product = a * b; return product; }
wide half_of(wide a) { return 0.5 * a; }
wide plus(wide a, wide b) { precise double sum = a + b; return sum; }
wide times(wide a, wide b) { precise double product = a * b; return product; }
wide over(wide a, wide b) { return a / b; }
wide root(wide a) { return sqrt(a); }
wide component(wide3 a, int c) { return a[c]; }
wide3 as_double(wide3 a) { return a; }
real3 rounded(wide3 a) { return a; }
float rounded(wide a) { return float(a); }

#else

struct wide {
  float high, low;
};
struct wide3 {
  vec3 high, low;
};

wide wide_of(uint high, uint low) { return wide(uintBitsToFloat(high), uintBitsToFloat(low)); }
wide3 wide3_of(uvec4 high, uvec4 low) { return wide3(uintBitsToFloat(high.xyz), uintBitsToFloat(low.xyz)); }
uvec3 high_bits(wide3 a) { return floatBitsToUint(a.high); }
uvec3 low_bits(wide3 a) { return floatBitsToUint(a.low); }

// high + low, renormalized to the nearest float and a remainder; needs |low| <= |high|.
wide3 normal(vec3 high, vec3 low) {
  precise vec3 sum = as_written(high + low);
  precise vec3 rest = low - as_written(sum - high);
  return wide3(sum, rest);
}

#ifdef FMA_IS_FUSED
// The same bits (below 2^-78, where products of halves underflow, better ones) in 1 operation instead of 17. The self-test
// has seen fma() round once.
vec3 product_error(vec3 a, vec3 b, vec3 product) {
  precise vec3 error = fma(a, b, -product);
  return error;
}
#else
// a = high + low, of 12 bits each.
void halves(vec3 a, out vec3 high, out vec3 low) {
  precise vec3 t = as_written(4097.0 * a);
  precise vec3 upper = t - as_written(t - a);
  precise vec3 lower = a - as_written(upper);
  high = upper;
  low = lower;
}

vec3 product_error(vec3 a, vec3 b, vec3 product) {
  vec3 ah, al, bh, bl;
  halves(a, ah, al);
  halves(b, bh, bl);
  precise vec3 error = as_written(ah * bh) - product;
  error = as_written(error) + as_written(ah * bl);
  error = as_written(error) + as_written(al * bh);
  error = as_written(error) + al * bl;
  return error;
}
#endif

wide3 plus(wide3 a, wide3 b) {
  precise vec3 sum = as_written(a.high + b.high);
  precise vec3 part = as_written(sum - a.high);
  precise vec3 before = as_written(sum - part);
  precise vec3 error = as_written(a.high - before) + as_written(b.high - part);
  precise vec3 low = error + (a.low + b.low);
  return normal(sum, low);
}

wide3 minus(wide3 a, wide3 b) { return plus(a, wide3(-b.high, -b.low)); }

wide3 times(wide3 a, wide3 b) {
  precise vec3 product = as_written(a.high * b.high);
  precise vec3 low = product_error(a.high, b.high, product) + (a.high * b.low + a.low * b.high);
  return normal(product, low);
}

wide3 spread(wide s) { return wide3(vec3(s.high), vec3(s.low)); }
wide component(wide3 a, int c) { return wide(a.high[c], a.low[c]); }

wide3 times(wide s, wide3 a) { return times(spread(s), a); }

wide3 times(float s, wide3 a) { return times(wide(s, 0.0), a); }

wide3 over(wide3 a, float n) {
  precise vec3 quotient = as_written(a.high / n);
  precise vec3 product = as_written(quotient * n);
  precise vec3 rest = as_written(a.high - product) - product_error(quotient, vec3(n), product) + a.low;
  precise vec3 low = rest / n;
  return normal(quotient, low);
}

wide plus(wide a, wide b) { return component(plus(spread(a), spread(b)), 0); }
wide times(wide a, wide b) { return component(times(spread(a), spread(b)), 0); }

// A float's quotient or root, and one step of Newton's for what it leaves over: 45 bits are right.
wide corrected_by(float q, float rest, float slope) { return component(normal(vec3(q), vec3(rest / slope)), 0); }

wide over(wide a, wide b) {
  precise float q = as_written(a.high / b.high);
  return corrected_by(q, plus(a, times(wide(-q, 0.0), b)).high, b.high);
}

wide root(wide a) {
  if (!(a.high > 0.0)) return wide(0.0, 0.0);
  precise float q = as_written(sqrt(a.high));
  return corrected_by(q, plus(a, times(wide(-q, 0.0), wide(q, 0.0))).high, 2.0 * q);
}

wide half_of(wide a) { return wide(0.5 * a.high, 0.5 * a.low); }

// Rounded to what a double can hold. Where zeros fill a gap between high and low, the pair has more digits than a
// double: bits of low below 2^-52 of high are dropped.
wide3 as_double(wide3 a) {
  a = normal(a.high, a.low);
  uvec3 high = floatBitsToUint(a.high), low = floatBitsToUint(a.low);
  ivec3 many = max(ivec3(high >> 23 & 255u) - ivec3(low >> 23 & 255u) - (52 - 23), 0);
  low = low >> min(many, 23) << min(many, 23);
  return wide3(a.high, uintBitsToFloat(low * uvec3(lessThan(many, ivec3(24)))));
}

real3 rounded(wide3 a) { return a.high; }
float rounded(wide a) { return a.high; }

#endif
