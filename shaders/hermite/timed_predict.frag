// Predicts particles that have times of their own, and writes the records that a force kernel reads: a fragment is one
// texel of that array, as in predict.frag. Place and velocity are given from the origin of the particles' frame.
#include "hermite/timed.glsl"

uniform int source_count;
uniform uvec4 origin[4]; // place and velocity of the frame, high and low parts
layout(location = 0) out uvec4 record;

const int ROW = 1024;
#if PRECISION == DOUBLE
#define TEXELS 4
#else
#define TEXELS ALL_RECORDS
#endif

wide3 place(body b) { return minus(predicted_x(b), wide3_of(origin[0], origin[1])); }
wide3 velocity(body b) { return minus(predicted_v(b), wide3_of(origin[2], origin[3])); }

void main() {
  int fragment = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  int i = fragment / TEXELS, part = fragment - TEXELS * i;
  record = uvec4(0u);
  if (i >= source_count) return;
  body b = body_at(i);
#if PRECISION == DOUBLE
  wide3 q = part < 2 ? place(b) : velocity(b);
  record.xyz = part % 2 == 0 ? high_bits(q) : low_bits(q);
  if (part < 2) record.w = part == 0 ? b.m_high : b.m_low;
#else
  if (part == 1)
    record.xyz = high_bits(velocity(b));
  else {
    wide3 x = place(b);
    record = part == 0 ? uvec4(high_bits(x), b.m_high) : uvec4(low_bits(x), 0u);
  }
#endif
}
