// The predictor on the device ([PZ07] eqs 3 and 4): turns the particles that stay there into the records that a force
// kernel reads. A fragment is one texel of that array, particle after particle:
//
//   single, compensated   (x, m) (v, 0)
//   ds                    (x, m) (v, 0) (what float could not hold of x, 0)
//   double                (x, m) (v, 0), each as a texel of high words and one of low words
//
// The pass writes what the host would otherwise have sent.
#define RECORDS 2
#define F_RECORDS 2
#include "hermite/particle.glsl"

uniform int source_count;
layout(location = 0) out uvec4 record;

#if PRECISION == DOUBLE
#define TEXELS 4
#else
#define TEXELS ALL_RECORDS
#endif

#if PRECISION == SINGLE || PRECISION == COMPENSATED
// Where the kernel reads floats, only the sum of position and displacement needs more digits than that.
vec3 high_of(int i, int l) { return uintBitsToFloat(layer_of(i, l).xyz); }
float dt_at(int i) { return uintBitsToFloat(since[layer_of(i, 2).w].x); }

vec3 near_x(int i) {
  float dt = dt_at(i);
  vec3 way = dt * (high_of(i, 2) + dt / 2.0 * (high_of(i, 4) + dt / 3.0 * high_of(i, 6)));
  return plus(wide3_of(layer_of(i, 0), layer_of(i, 1)), wide3(way, vec3(0.0))).high;
}

vec3 near_v(int i) {
  float dt = dt_at(i);
  return high_of(i, 2) + dt * (high_of(i, 4) + dt / 2.0 * high_of(i, 6));
}
#endif

void main() {
  int fragment = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  int i = fragment / TEXELS, part = fragment - TEXELS * i;
  record = uvec4(0u);
  if (i >= source_count) return;
#if PRECISION == SINGLE || PRECISION == COMPENSATED
  record = part == 0 ? uvec4(floatBitsToUint(near_x(i)), layer_of(i, 0).w) : uvec4(floatBitsToUint(near_v(i)), 0u);
  return;
#endif
  body b = body_at(i);
#if PRECISION == DOUBLE
  wide3 q = part < 2 ? predicted_x(b) : predicted_v(b);
  record.xyz = part % 2 == 0 ? high_bits(q) : low_bits(q);
  if (part < 2) record.w = part == 0 ? b.m_high : b.m_low;
#else
  if (part == 1)
    record.xyz = high_bits(predicted_v(b));
  else {
    wide3 x = predicted_x(b);
    record = part == 0 ? uvec4(high_bits(x), b.m_high) : uvec4(low_bits(x), 0u);
  }
#endif
}
