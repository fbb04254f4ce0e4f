// Moves particles to where they belong. A thread is one layer of one particle.
#include "hermite/count.glsl"

const int LAYERS = 8;
uniform int particle_count;
uniform int count; // of those that arrive
layout(std430, binding = 0) writeonly buffer state_storage {
  uvec4 state[]; // [layer][particle], see particle.glsl
};
layout(std430, binding = 4) readonly buffer arrived_storage {
  uvec4 arrived[]; // [particle][layer]
};
layout(std430, binding = 5) readonly buffer number_storage {
  int number[]; // -1: stays away
};

void main() {
  int stride = int(gl_NumWorkGroups.x) * WORKGROUP;
  for (int k = int(gl_GlobalInvocationID.x); k < LAYERS * count; k += stride) {
    int i = number[k / LAYERS];
    if (i >= 0) state[k % LAYERS * particle_count + i] = arrived[k];
  }
  count_workgroup();
}
