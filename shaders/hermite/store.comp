// Moves particles to where they belong. A thread is one layer of one particle.
#define STATE_ACCESS writeonly
#include "hermite/kept.glsl"

uniform int layers;
uniform int arrived_count;
layout(std430, binding = 3) readonly buffer arrived_storage {
  uvec4 arrived[]; // [k][layer]
};
layout(std430, binding = 4) readonly buffer number_storage {
  int number[]; // [k], or -1: stays away
};

void main() {
  for (int t = int(gl_GlobalInvocationID.x); t < layers * arrived_count; t += stride()) {
    int k = t / layers, i = number[k];
    if (i >= 0) state[(t - layers * k) * particle_count + i] = arrived[t];
  }
  count_workgroup();
}
