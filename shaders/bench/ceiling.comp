// Twelve chains of multiply-adds a thread.
#include "bench/ceiling.glsl"

layout(local_size_x = 256) in;
layout(std430, binding = 1) writeonly buffer output_storage {
  vec4 results[];
};

void main() { results[gl_GlobalInvocationID.x] = chains(float(gl_GlobalInvocationID.x)); }
