// Adds up the totals of the segments: the last step of the bag scheme where the tuning says add=device (it needs
// GL 4.3). It reads segments x sinks totals on the device and leaves one sum per sink for the host.
//
// A sink's totals are divided among THREADS_PER_BODY threads (lanes) as shown, which then add each other's sums
// (pairs/merge.glsl): always in the same order, so the result is always the same.
//
//     segment   0 1 2 3 4 5 6 7 8 9
//     lane 0    x       x       x
//     lane 1      x       x       x
//     lane 2        x       x
//     lane 3          x       x
//
// In single precision totals are single floats (IN_WORDS = F_RECORDS); the host then compiles this file as
// `compensated`, so that they are added with their rounding errors and the sum is rounded once.

#include "INTERACTION"

layout(local_size_x = WORKGROUP) in;

uniform int sink_count;
uniform int segments;
uniform int groups; // of I_EACH sinks per segment
uniform int width;  // of the framebuffer
uniform int rows;   // of a band

#ifdef OUTPUT_STORAGE
layout(std430, binding = 1) readonly buffer output_storage {
  uvec4 totals[]; // [segment][sink][IN_WORDS]
};
uvec4 word_of(int segment, int sink, int w) { return totals[(segment * sink_count + sink) * IN_WORDS + w]; }
#else
#include "common/layout.glsl"
uniform usampler2DArray before; // as pairs/bag.frag leaves them
uvec4 word_of(int segment, int sink, int w) {
  ivec2 texel = texel_of(segment * groups + sink / I_EACH, width, rows);
  return texelFetch(before, ivec3(texel, sink % I_EACH * IN_WORDS + w), 0);
}
#endif
layout(std430, binding = 3) writeonly buffer result_storage {
  // [sink][IN_WORDS]. Sums that stay on the device may overwrite segment 0, which only their own sink reads.
  uvec4 results[];
};

#define LANES THREADS_PER_BODY
#include "pairs/merge.glsl"

void main() {
  const int SINKS = WORKGROUP / LANES; // per workgroup
  uint thread = gl_LocalInvocationID.x; // see tile.comp
  int place = int(thread % uint(SINKS)), lane = int(thread / uint(SINKS));
  int sink = int(gl_WorkGroupID.x) * SINKS + place;
  total t = nothing_yet();
  int walked = 0, more;
  uvec4 words[WORDS];
  for (int segment = lane; segment < segments && sink < sink_count; segment += LANES) {
    for (int w = 0; w < WORDS; w++) words[w] = w < IN_WORDS ? word_of(segment, sink, w) : uvec4(0u);
    merge(t, from_words(words, more));
    walked += more;
  }
  merge_lanes(place, lane, SINKS, LANES, t, walked);
  if (lane > 0 || sink >= sink_count) return;
#if IN_WORDS < WORDS
  for (int r = 0; r < F_RECORDS; r++) t.sum[r] += t.lost[r];
#endif
  to_words(t, walked, words);
  for (int w = 0; w < IN_WORDS; w++) results[sink * IN_WORDS + w] = words[w];
}
