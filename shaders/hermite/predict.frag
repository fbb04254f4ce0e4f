// The predictor as a draw: a fragment is one texel of the array that a force kernel reads.
#include "hermite/predict.glsl"

uniform int source_count;
layout(location = 0) out uvec4 record;

// Where fragments cannot be counted, a particle bears the number of the draw that stored it. All particles of a level were
// stored at the same time, so the host knows that number. What was not stored, and what is not written here, is left NaN:
// that makes every force NaN, and the host looks for the cause.
#ifdef UNCOUNTED
uniform uint stamps[63]; // for each level
bool is_stored(int i) { return layer_of(i, 3).w == stamps[level_of(i)]; }
#else
bool is_stored(int i) { return true; }
#endif

void main() {
  int fragment = int(gl_FragCoord.y) * ROW + int(gl_FragCoord.x);
  int i = fragment / TEXELS;
  record = i < source_count ? texel(body_at(i), fragment - TEXELS * i) : uvec4(0u);
  if (i < source_count && !is_stored(i)) record = uvec4(~0u);
}
