// A fragment is a particle.
#include "hermite/timed_near.glsl"

layout(location = 0) out uvec4 source;

const int ROW = 1024;

void main() {
  int i = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  source = i < source_count ? place(body_at(i)) : uvec4(0u);
}
