// The predictor on the device ([PZ07] eqs 3 and 4): turns the particles that stay there into the records that a force
// kernel reads, and that the host would otherwise have sent. In texels, particle after particle:
//
//   single, compensated   (x, m) (v, 0)
//   ds                    (x, m) (v, 0) (what float could not hold of x, 0)
//   double                (x, m) (v, 0), each as a texel of high words and one of low words
//
// Particles that have times of their own (TIMED) are predicted with all their digits, whatever the kernel reads.
#ifdef TIMED
#include "hermite/timed.glsl"
#else
#include "hermite/particle.glsl"
#endif

#if PRECISION == DOUBLE
#define TEXELS 4
#else
#define TEXELS ALL_RECORDS
#endif

#if PRECISION == DOUBLE
uvec4 texel(body b, int part) {
  wide3 q = part < 2 ? predicted_x(b) : predicted_v(b);
  uint m = part == 0 ? b.m_high : part == 1 ? b.m_low : 0u;
  return uvec4(part % 2 == 0 ? high_bits(q) : low_bits(q), m);
}
#elif PRECISION == DS || defined(TIMED)
uvec4 texel(body b, int part) {
  if (part == 1) return uvec4(high_bits(predicted_v(b)), 0u);
  wide3 x = predicted_x(b);
  return part == 0 ? uvec4(high_bits(x), b.m_high) : uvec4(low_bits(x), 0u);
}
#else
// Where the kernel reads floats, only the sum of position and displacement needs more digits than that.
vec3 near_x(body b) {
  float dt = b.dt.high;
  precise vec3 way = dt * (b.v.high + dt / 2.0 * (b.a.high + dt / 3.0 * b.k.high));
  return plus(b.x, wide3(way, vec3(0.0))).high;
}

vec3 near_v(body b) {
  float dt = b.dt.high;
  precise vec3 v = b.v.high + dt * (b.a.high + dt / 2.0 * b.k.high);
  return v;
}

uvec4 texel(body b, int part) {
  return part == 0 ? uvec4(floatBitsToUint(near_x(b)), b.m_high) : uvec4(floatBitsToUint(near_v(b)), 0u);
}
#endif
