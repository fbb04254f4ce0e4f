// The corrector as a compute shader: a thread is one particle of the block, which it corrects where it is. What it was
// before is kept, so that the host can undo a block that fails. The host finds the step in its own memory, in place of -3.
#define IN_STORAGE
#define STATE_ACCESS
#include "hermite/correct.glsl"

layout(std430, binding = 5) readonly buffer sink_storage {
  int sinks[]; // of this portion of the block
};
layout(std430, binding = 6) writeonly buffer before_storage {
  uvec4 before[]; // [sink][layer]
};
layout(std430, binding = 7) writeonly buffer step_storage {
  float steps[]; // [sink]
};

void main() {
  int k = int(gl_GlobalInvocationID.x), at = first + k;
  if (at >= sink_count) return;
  int i = sinks[k];
  uvec4 layer[8];
  float step = corrected(body_at(i), k, layer);
#define KEEP(l) before[8 * at + l] = layer_of(i, l);
  EACH_LAYER(KEEP)
#define REPLACE(l) state[l * particle_count + i] = layer[l];
  if (step >= 0.0) { EACH_LAYER(REPLACE) }
  steps[at] = step;
}
