// Predicts particles that have times of their own, one a thread: the records that a force kernel reads, in texels as in predict.glsl.
// Place and velocity are given from the origin of the particles' frame.
#include "hermite/timed.glsl"

#if PRECISION == DOUBLE
#define TEXELS 4
#else
#define TEXELS ALL_RECORDS
#endif

wide3 place(body b) { return minus(predicted_x(b), wide3_of(origin[0], origin[1])); }
wide3 velocity(body b) { return minus(predicted_v(b), wide3_of(origin[2], origin[3])); }

uvec4 texel(body b, int part) {
#if PRECISION == DOUBLE
  wide3 q = part < 2 ? place(b) : velocity(b);
  uint m = part == 0 ? b.m_high : part == 1 ? b.m_low : 0u;
  return uvec4(part % 2 == 0 ? high_bits(q) : low_bits(q), m);
#else
  if (part == 1) return uvec4(high_bits(velocity(b)), 0u);
  wide3 x = place(b);
  return part == 0 ? uvec4(high_bits(x), b.m_high) : uvec4(low_bits(x), 0u);
#endif
}

layout(std430, binding = 3) writeonly buffer record_storage {
  uvec4 record[];
};

void main() {
  for (int i = int(gl_GlobalInvocationID.x); i < source_count; i += stride()) {
    body b = body_at(i);
    for (int part = 0; part < TEXELS; part++) record[TEXELS * i + part] = texel(b, part);
  }
  count_workgroup();
}
