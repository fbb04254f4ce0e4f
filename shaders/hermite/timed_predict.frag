// A fragment is one texel of the array that a force kernel reads.
#include "hermite/timed_predict.glsl"

layout(location = 0) out uvec4 record;

const int ROW = 1024;

void main() {
  int fragment = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  int i = fragment / TEXELS;
  record = i < source_count ? texel(body_at(i), fragment - TEXELS * i) : uvec4(0u);
}
