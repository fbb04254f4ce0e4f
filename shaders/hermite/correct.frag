// The corrector as a draw: a fragment is one particle of the block. scatter.vert moves it to where it belongs; of w of layer 3,
// the step, a copy goes to the host.
#include "hermite/correct.glsl"

uniform isamplerBuffer sinks;
layout(location = 0) out uvec4 layer[8];

void main() {
  int at = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  uvec4 result[8];
  for (int l = 0; l < 8; l++) layer[l] = uvec4(0u);
  if (at < first || at >= sink_count) discard; // belongs to another portion
  float step = corrected(body_at(texelFetch(sinks, at).r), at - first, result);
  result[3].w = floatBitsToUint(step);
  for (int l = 0; l < 8; l++) layer[l] = result[l];
}
