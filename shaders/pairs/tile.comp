// The tile scheme: a compute shader whose threads share what they fetch (Nyland, Harris & Prins 2007).
//
// A workgroup of WORKGROUP threads stands for I_EACH * WORKGROUP / THREADS_PER_BODY sinks and one segment of the sources.
// Tile by tile, each thread brings one source into shared memory, all wait, and each walks the tile:
//
//   for each tile of WORKGROUP sources
//     one fetch a thread, barrier
//     for each stretch of my share of the tile     sums in registers
//       for each source of the stretch               from shared memory, the same one for all threads
//         interact
//       totals += sums
//
// p^2 interactions for p fetches. At a barrier a thread waits until all of its workgroup have come: nobody reads a tile
// before it is all there, nobody fetches the next one over it while others still read.
//
// Where sinks are few, THREADS_PER_BODY threads divide each tile among them and add their totals at the end; and sources
// are divided into segments that go to different workgroups. The workgroup that is done last with a set of sinks adds
// up the totals of all segments, always in the same order, and writes the sums where the host reads them.

#include "INTERACTION"
#include "common/sources.glsl"

layout(local_size_x = WORKGROUP) in;

uniform isamplerBuffer sinks; // the particle number of each sink
uniform int sink_count;
uniform int source_count;
uniform int segment_length; // sources a segment, a multiple of WORKGROUP
uniform ivec2 bag;          // this dispatch: from, to within each segment, multiples of WORKGROUP
uniform int go_on;          // 1: start from the totals of the last dispatch
uniform vec4 parameter_high;
uniform vec4 parameter_low;

uniform int token;          // of this walk: the count of sources starts from it
uniform int segments;
uniform int last_pass;      // 1: nothing is left to walk after this dispatch

#ifdef SEGMENTS
#define SHARED_OUT coherent
layout(std430, binding = 2) coherent buffer finished_storage {
  uint finished[]; // workgroups that are done, for each set of sinks
};
shared bool is_last;
#else
#define SHARED_OUT
#endif
layout(std430, binding = 1) SHARED_OUT buffer output_storage {
  uvec4 totals[]; // [segment][lane][sink][WORDS], on the device
};
layout(std430, binding = 3) writeonly buffer result_storage {
  uvec4 results[]; // [sink][WORDS], the sums: for the host
};

// Who is who, with 8 threads a workgroup and 2 a body: lane 0 walks the first half of each tile, lane 1 the second.
//
//     thread   0  1  2  3    4  5  6  7
//     body     0  1  2  3    0  1  2  3
//     lane     0  0  0  0    1  1  1  1
const int BODIES = WORKGROUP / THREADS_PER_BODY; // threads of one lane; each holds I_EACH sinks
const int SHARE = WORKGROUP / THREADS_PER_BODY;  // sources of a tile that one lane walks

shared texel4 tile[WORKGROUP * TEXELS];
texel4 tile_texel(int t) { return tile[t]; }

particle in_tile(int first_texel) {
  particle p;
#define TILE_RECORD(k) p.r[k] = RECORD(tile_texel, first_texel, k);
  EACH_RECORD(TILE_RECORD)
  return p;
}

#define LANES THREADS_PER_BODY
#include "pairs/merge.glsl"

// EACH_I(S) and EACH_J(S): see bag.frag.

void main() {
  // Divided as uint: virglrenderer 0.10 makes no valid program of a thread number divided as int, and drops the dispatch.
  uint thread = gl_LocalInvocationID.x;
  int body = int(thread % uint(BODIES)), lane = int(thread / uint(BODIES)); // neighbours walk the same sources
  int first = int(gl_WorkGroupID.x) * BODIES * I_EACH + body;
  int segment = int(gl_WorkGroupID.y);
  int begin = min(segment * segment_length + bag.x, source_count);
  int end = min(min(segment * segment_length + bag.y, (segment + 1) * segment_length), source_count);
  real4 parameter = real4(parameter_high) + real4(parameter_low);

  int me[I_EACH];
  particle my[I_EACH];
  total t[I_EACH];
  int walked[I_EACH];
  int place;
  uvec4 words[WORDS];
#define NUMBER(k) (first + k * BODIES)
#define PLACE(k, l) (((segment * THREADS_PER_BODY + l) * sink_count + NUMBER(k)) * WORDS)
#define WORD_BEFORE(w) words[w] = totals[place + w];
#define MEET(k) me[k] = texelFetch(sinks, min(NUMBER(k), sink_count - 1)).r; my[k] = sink(me[k]); \
  t[k] = nothing_yet(); walked[k] = token; \
  if (go_on == 1 && NUMBER(k) < sink_count) { \
    place = PLACE(k, lane); EACH_WORD(WORD_BEFORE) t[k] = from_words(words, walked[k]); }
  EACH_I(MEET)

  force f[I_EACH];
  particle p;
  for (int start = begin; start < end; start += WORKGROUP) {
    int count = min(WORKGROUP, end - start);
    int mine = TEXELS * min(start + int(thread), source_count - 1);
    barrier();
    for (int k = 0; k < TEXELS; k++) tile[TEXELS * int(thread) + k] = source_texel(mine + k);
    barrier();
    int stop = min((lane + 1) * SHARE, count);
    for (int stretch = lane * SHARE; stretch < stop; stretch += PARTIAL) {
      int stretch_stop = min(stretch + PARTIAL, stop);

      // A particle does not feel itself. Only the stretch that holds one of my sinks has to look for it: it is walked
      // by the second loop below, and so is one whose length is no multiple of UNROLL.
      bool careful = (stretch_stop - stretch) % UNROLL != 0;
#define LOOK(k) careful = careful || (me[k] - start >= stretch && me[k] - start < stretch_stop);
      EACH_I(LOOK)
      int fast_stop = careful ? stretch : stretch_stop;

#define BEGIN(k) f[k] = begin_sum(t[k]);
      EACH_I(BEGIN)
      for (int x = TEXELS * stretch; x < TEXELS * fast_stop; x += TEXELS * UNROLL) {
#define FEEL(k) interact(my[k].r, p.r, parameter, f[k].f);
#define NEXT(q) p = in_tile(x + TEXELS * q); EACH_I(FEEL)
        EACH_J(NEXT)
      }
      for (int j = fast_stop; j < stretch_stop; j++) {
        p = in_tile(TEXELS * j);
#define FEEL_OTHERS(k) { force g = f[k]; interact(my[k].r, p.r, parameter, g.f); if (j + start != me[k]) f[k] = g; }
        EACH_I(FEEL_OTHERS)
      }
#define ADD(k) accumulate(t[k], f[k]); walked[k] += stretch_stop - stretch;
      EACH_I(ADD)
    }
  }

#define WORD_DONE(w) totals[place + w] = words[w];
#define WRITE(k) if (NUMBER(k) < sink_count) { \
    to_words(t[k], walked[k], words); place = PLACE(k, lane); EACH_WORD(WORD_DONE) }
  if (last_pass == 0) { // each lane goes on by itself: cutting the walk changes no bit
    EACH_I(WRITE)
    return;
  }
#define MERGE(k) merge_lanes(body, lane, BODIES, t[k], walked[k]);
#define RESULT_DONE(w) results[place + w] = words[w];
#define FINISH(k) if (lane == 0 && NUMBER(k) < sink_count) { \
    to_words(t[k], walked[k], words); place = NUMBER(k) * WORDS; EACH_WORD(RESULT_DONE) }
  EACH_I(MERGE)
#ifndef SEGMENTS
  EACH_I(FINISH)
#else
#define WRITE_MERGED(k) if (lane == 0) { WRITE(k) }
  EACH_I(WRITE_MERGED)

  // Workgroups cannot wait for each other, but they can count: the last one finds all totals written.
  memoryBarrierBuffer();
  barrier();
  if (thread == 0u) {
    is_last = atomicAdd(finished[gl_WorkGroupID.x], 1u) == uint(segments - 1);
    if (is_last) finished[gl_WorkGroupID.x] = 0u;
  }
  barrier();
  if (!is_last) return;
  memoryBarrierBuffer();
  int more;
#define ADD_SEGMENTS(k) t[k] = nothing_yet(); walked[k] = 0; \
  for (segment = lane; segment < segments && NUMBER(k) < sink_count; segment += THREADS_PER_BODY) { \
    place = PLACE(k, 0); EACH_WORD(WORD_BEFORE) merge(t[k], from_words(words, more)); walked[k] += more; }
  EACH_I(ADD_SEGMENTS)
  EACH_I(MERGE)
  EACH_I(FINISH)
#endif
}
