// What a driver's compiler does to exact arithmetic: 64 cases, one per fragment, whose results go back as plain words
// for the host to compare bit by bit. Double-single sums depend on it: where a compiler simplifies (a + b) - a to b, the
// rounding error comes out as zero, and nothing reports it.
//
//   in: one texel per case, (a, b, c, special)     special: denormals, NaN, infinities and zeros in turn
//
// There is a program for each of three precisions, because a single `precise` can make a compiler careful with a whole
// program: single is plain GLSL, compensated has the sums that the engine uses, double has doubles.

#ifndef PRECISION
#define PRECISION 1
#endif
#define RECORDS 1
#define F_RECORDS 1
#include "common/real.glsl"

uniform samplerBuffer cases;
layout(location = 0) out uvec4 result[4];

const float TINY = 1.0 / 16777216.0; // 2^-24

#if PRECISION == SINGLE

// a * b as the sum of two floats, from factors split into 12 bits each, whose products are exact (Dekker 1971).
void plain_halves(float x, out float high, out float low) {
  float t = 4097.0 * x;
  high = t - (t - x);
  low = x - high;
}

float plain_product_error(float a, float b, float p) {
  float ah, al, bh, bl;
  plain_halves(a, ah, al);
  plain_halves(b, bh, bl);
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

void main() {
  vec4 given = bufferFetch(cases, int(gl_FragCoord.x));
  float a = given.x, b = given.y, c = given.z, special = given.w;

  float s = a + b;
  float rounded = s - a;
  float error = (a - (s - rounded)) + (b - rounded);
  float p = a * b;
  result[0] = floatBitsToUint(vec4(s, error, p, plain_product_error(a, b, p)));

#ifdef HB_HAS_PRECISE
  float fused = fma(a, b, c);
#else
  float fused = 0.0;
#endif
  result[1] = floatBitsToUint(vec4(a * b + c, fused, dot(vec3(a, b, c), vec3(b, c, a)), 0.5 * special));
  result[2] = floatBitsToUint(vec4(sqrt(c), inversesqrt(c), 1.0 / sqrt(c), 1.0 / c));

  uint wrapped = (floatBitsToUint(a) + 0xffff0000u) * 2654435761u;
  uint flags = (isnan(special) ? 1u : 0u) | (special != special ? 2u : 0u) | (isinf(special) ? 4u : 0u);
  result[3] = uvec4(floatBitsToUint(special), floatBitsToUint(1.0 / special), flags, wrapped);
}

#elif PRECISION == COMPENSATED

void main() {
  vec4 given = bufferFetch(cases, int(gl_FragCoord.x));
  float a = given.x, b = given.y, c = given.z;
  precise vec4 more = as_written(vec4(b, c, -a, b * c));

  vec4 sum = vec4(a, a, c, a), lost = vec4(0.0);
  add(sum, lost, more);
  result[0] = floatBitsToUint(sum);
  result[1] = floatBitsToUint(lost);

  sum = vec4(a, a, c, a);
  lost = TINY * vec4(c, b, b, c);
  precise vec4 both = as_written(more + lost);
  carry(sum, lost, both);
  result[2] = floatBitsToUint(sum);
  result[3] = floatBitsToUint(lost);
}

#else

void main() {
  vec4 given = bufferFetch(cases, int(gl_FragCoord.x));
  double x = double(given.x) + double(given.y) * double(TINY); // all 53 bits in use
  double y = double(given.z) + double(given.x) * double(TINY);

  precise double s = x + y;
  precise double rounded = s - x;
  precise double error = (x - (s - rounded)) + (y - rounded);
  dvec4 exact = dvec4(s, error, x * y, 0.0);
  dvec4 near = dvec4(sqrt(y), inversesqrt(y), ONE / y, 0.0);
  result[0] = high_words(exact);
  result[1] = low_words(exact);
  result[2] = high_words(near);
  result[3] = low_words(near);
}

#endif
