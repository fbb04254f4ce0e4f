// A thread is a particle.
#define STATE_ACCESS readonly
#include "hermite/timed_near.glsl"

layout(std430, binding = 4) writeonly buffer source_storage {
  uvec4 sources[];
};

void main() {
  for (int i = int(gl_GlobalInvocationID.x); i < source_count; i += stride()) sources[i] = place(body_at(i));
  count_workgroup();
}
