// The bag scheme: a pass sums a bag of sources in registers (Hamada & Iitaka 2007, "J-bag").
//
// A fragment handles I_EACH sinks and one segment of the sources. It walks its part of the bag,
//
//   for each stretch of PARTIAL sources            sums in registers, few enough that rounding stays small
//     for each source of the stretch               fetched once,
//       for each of my sinks                         used I_EACH times
//         interact
//     totals += sums
//
// and writes the totals. The next pass, with the next bag, starts from them: read one set of textures, write the
// other, and swap. A bag of 1 source is the walk of 2007; a bag of all sources is a single pass. Stretches start at
// fixed sources, so dividing the walk into more passes changes no bit.
//
// Segments: where there are fewer sinks than the device has lanes, each sink's sources are divided among several
// fragments, and their totals are added up after the last pass: by add_segments.comp, or by the host.
//
// Fragments are numbered along the rows of the framebuffer, or up and down in bands of rows (common/layout.glsl).
// llvmpipe runs 4 x 2 fragments in step: with bands of 2 their sinks have neighboring numbers, and all of them are
// careful (see below) at the same time. On a GPU, bands of 4 make fragments that run together fetch the same source.
//
//        segment 0             segment 1             segment 2           sources ->
//   |-----bag 0-----|bag 1|-----bag 0-----|bag 1|-----bag 0-----|bag 1|

#include "INTERACTION"
#include "common/layout.glsl"
#include "common/sources.glsl"

uniform isamplerBuffer sinks; // the particle number of each sink
uniform int sink_count;
uniform int source_count;
uniform int groups;           // of I_EACH sinks
uniform int segment_length;   // sources per segment, a multiple of PARTIAL
uniform ivec2 bag;            // of this pass: from, to within each segment, multiples of PARTIAL
uniform int width;            // of the framebuffer
uniform int rows;             // of a band
uniform int token;            // of this walk: the count of sources starts from it
uniform vec4 parameter_high;  // of the interaction: the value as float, and the remainder
uniform vec4 parameter_low;

#ifdef OUTPUT_STORAGE
layout(std430, binding = 1) buffer output_storage {
  uvec4 totals[]; // [segment][sink][WORDS]
};
#define TOTAL_BEFORE(k, w) totals[(segment * sink_count + min(first + k, sink_count - 1)) * WORDS + w]
#else
#define OUTPUTS (I_EACH * WORDS)
#include "common/outputs.glsl"
#ifdef CONTINUES
uniform usampler2DArray before; // written by the previous pass
// Mali T860: small numbers that a compiler knows stay in registers for all of the walk, and others spill
#define TOTAL_BEFORE(k, w) texelFetch(before, ivec3(texel, as_written((k) * WORDS + w)), 0)
#endif
#endif

void main() {
  // My sinks start at `first`, my sources are `begin` to `end` - 1.
  ivec2 texel = ivec2(gl_FragCoord.xy);
  int fragment = fragment_at(texel, width, rows);
  int segment = fragment / groups;
  int first = (fragment - segment * groups) * I_EACH;
  int begin = min(segment * segment_length + bag.x, source_count);
  int end = min(min(segment * segment_length + bag.y, (segment + 1) * segment_length), source_count);

  // My sinks: numbers, records, totals. A last group that is not full repeats the last sink; its copies are never read.
  int me[I_EACH];
  particle my[I_EACH];
  total t[I_EACH];
  int walked = token;
  for (int k = 0; k < I_EACH; k++) {
    int at = min(first + k, sink_count - 1);
    me[k] = bufferFetch(sinks, at).r;
    my[k] = sink(at, me[k]);
    t[k] = nothing_yet();
  }

#ifdef CONTINUES // every pass but the first resumes from the totals of the previous one
  for (int k = 0; k < I_EACH; k++) {
    uvec4 words[WORDS];
    for (int w = 0; w < WORDS; w++) words[w] = TOTAL_BEFORE(k, w);
    t[k] = from_words(words, walked);
  }
#endif

  for (int k = 0; k < I_EACH; k++) set_scale(t[k], min(first + k, sink_count - 1));
  real4 parameter = real4(parameter_high) + real4(parameter_low);
  force f[I_EACH];    // sums of the stretch
  particle p[UNROLL]; // sources, all requested before the first is used: arithmetic hides the latency of the fetches
  for (int stretch = begin; stretch < end; stretch += PARTIAL) {
    int stop = min(stretch + PARTIAL, end);

    // A particle exerts no force on itself. Only a stretch that contains one of my sinks has to check: the second loop
    // below handles it, and also a stretch whose length is not a multiple of UNROLL.
    bool careful = (stop - stretch) % UNROLL != 0;
    for (int k = 0; k < I_EACH; k++) careful = careful || (me[k] >= stretch && me[k] < stop);
    int fast_stop = careful ? stretch : stop;

    for (int k = 0; k < I_EACH; k++) f[k] = begin_sum(t[k]);
    for (int j = stretch; j < fast_stop; j += UNROLL) {
      for (int q = 0; q < UNROLL; q++) p[q] = source(j + q);
#ifdef SOFTWARE // a processor has registers for the sums of one sink, not of all
      for (int k = 0; k < I_EACH; k++)
        for (int q = 0; q < UNROLL; q++) interact(my[k].r, p[q].r, parameter, f[k].f);
#else
      for (int q = 0; q < UNROLL; q++)
        for (int k = 0; k < I_EACH; k++) interact(my[k].r, p[q].r, parameter, f[k].f);
#endif
    }
    for (int j = fast_stop; j < stop; j++) {
      p[0] = source(j);
#ifdef FEW_REGISTERS // in which two sums find no place
      for (int k = 0; k < I_EACH; k++)
        if (j != me[k]) interact(my[k].r, p[0].r, parameter, f[k].f);
#else
      for (int k = 0; k < I_EACH; k++) {
        force g = f[k];
        interact(my[k].r, p[0].r, parameter, g.f);
        if (j != me[k]) f[k] = g;
      }
#endif
    }
    for (int k = 0; k < I_EACH; k++) accumulate(t[k], f[k]);
    walked += stop - stretch;
  }

#ifdef OUTPUT_STORAGE
  for (int k = 0; k < I_EACH; k++) {
    uvec4 words[WORDS];
    to_words(t[k], walked, words);
    int place = (segment * sink_count + first + k) * WORDS;
    if (first + k < sink_count && segment * segment_length < source_count) {
      for (int w = 0; w < WORDS; w++) totals[place + w] = words[w];
    }
  }
#else
  uvec4 done[OUTPUTS];
  for (int k = 0; k < I_EACH; k++) {
    uvec4 words[WORDS];
    to_words(t[k], walked, words);
    for (int w = 0; w < WORDS; w++) done[k * WORDS + w] = words[w];
  }
  write_outputs(done);
#endif
}
