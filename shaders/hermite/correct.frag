// The corrector as a draw: a fragment is one particle of the block, which scatter.vert moves to where it belongs. The host
// reads w of layer 3, the step.
#include "hermite/correct.glsl"

uniform isamplerBuffer sinks;
layout(location = 0) out uvec4 layer[8];

void main() {
  int at = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  uvec4 result[8];
#define EMPTY(l) layer[l] = uvec4(0u);
  EACH_LAYER(EMPTY)
  if (at < first || at >= sink_count) discard; // belongs to another portion
  float step = corrected(body_at(bufferFetch(sinks, at).r), at - first, result);
  result[3].w = floatBitsToUint(step);
#define FILL(l) layer[l] = result[l];
  EACH_LAYER(FILL)
}
