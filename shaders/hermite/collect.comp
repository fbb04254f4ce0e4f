// Particles on their way to another device: the reverse of store.comp. A thread is one layer of one particle. The last word of
// the last layer has no meaning (particle.glsl): the host finds there which particle has come, in which call.
#define STATE_ACCESS readonly
#include "hermite/kept.glsl"

uniform int layers;
uniform int leaving_count;
uniform uint token;
layout(std430, binding = 3) readonly buffer number_storage {
  uint number[]; // [k]
};
layout(std430, binding = 4) writeonly buffer leaving_storage {
  uvec4 leaving[]; // [k][layer]
};

void main() {
  for (int t = int(gl_GlobalInvocationID.x); t < layers * leaving_count; t += stride()) {
    int k = t / layers, l = t - layers * k;
    uvec4 words = state[l * particle_count + int(number[k])];
    if (l == layers - 1) words.w = number[k] + token;
    leaving[t] = words;
  }
}
