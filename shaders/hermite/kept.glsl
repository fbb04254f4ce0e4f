// Particles kept in a storage buffer, for compute shaders: some layers of four words each, layer after layer.
//
// A driver may drop a dispatch without an error. So the workgroups are counted that have come to their end since there are
// particles; the one that completes the number tells the host, which looks when it has the results of what came after.
layout(local_size_x = 64) in;

uniform int particle_count;
layout(std430, binding = 0) STATE_ACCESS buffer state_storage {
  uvec4 state[]; // [layer][particle]
};
layout(std430, binding = 1) buffer count_storage {
  uint ended;
};
layout(std430, binding = 2) writeonly buffer told_storage {
  uint complete;
};
uniform uint expected; // workgroups that have ended when this dispatch has

// For loops over more particles than a dispatch may have threads.
int stride() { return int(gl_NumWorkGroups.x * gl_WorkGroupSize.x); }

void count_workgroup() {
  barrier(); // the first of its threads speaks for all
  if (gl_LocalInvocationIndex == 0u && atomicAdd(ended, 1u) + 1u == expected) complete = expected;
}
