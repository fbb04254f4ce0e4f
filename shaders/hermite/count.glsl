// A driver may drop a dispatch without an error. So the workgroups are counted that have come to their end, since there are
// particles on the device; the one that completes the number tells the host, which looks when it has the next results.
#define WORKGROUP 64
layout(local_size_x = WORKGROUP) in;

layout(std430, binding = 2) buffer count_storage {
  uint ended;
};
layout(std430, binding = 3) writeonly buffer answer_storage {
  uint complete;
  uint unused_words[3];
  float steps[]; // of the sinks, see correct.comp
};
uniform uint expected; // workgroups that have ended when this dispatch has

void count_workgroup() {
  if (gl_LocalInvocationIndex == 0u && atomicAdd(ended, 1u) + 1u == expected) complete = expected;
}
