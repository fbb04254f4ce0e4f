// The tile scheme: a compute shader whose threads share what they fetch (Nyland, Harris & Prins 2007).
//
// A workgroup of WORKGROUP threads handles I_EACH * WORKGROUP / THREADS_PER_BODY sinks and one segment of the sources.
// Tile by tile, each thread brings one source into shared memory, all wait, and each walks the tile:
//
//   for each tile of WORKGROUP sources
//     one fetch per thread, barrier
//     for each stretch of my share of the tile     sums in registers
//       for each source of the stretch               from shared memory, the same one for all threads
//         interact
//       totals += sums
//
// p^2 interactions for p fetches. At a barrier a thread waits until all threads of its workgroup have arrived: none reads
// a tile before it is complete, and none overwrites it with the next one while others still read.
//
// Where sinks are few, THREADS_PER_BODY threads divide each tile among them and add their totals at the end, and sources
// are divided into segments that go to different workgroups. The workgroup that finishes a set of sinks last adds up
// the totals of all segments, always in the same order, and writes the sums where the host reads them.

#include "INTERACTION"
#include "common/sources.glsl"

layout(local_size_x = WORKGROUP) in;

uniform isamplerBuffer sinks; // the particle number of each sink
uniform int sink_count;
uniform int source_count;
uniform int segment_length; // sources per segment, a multiple of WORKGROUP
uniform ivec2 bag;          // of this dispatch: from, to within each segment, multiples of WORKGROUP
uniform int go_on;          // 1: start from the totals of the previous dispatch
uniform vec4 parameter_high;
uniform vec4 parameter_low;

uniform int token;          // of this walk: the count of sources starts from it
uniform int segments;
uniform int last_pass;      // 1: no sources are left after this dispatch

#ifdef SEGMENTS
#define SHARED_OUT coherent
layout(std430, binding = 2) coherent buffer finished_storage {
  uint finished[]; // how many workgroups have finished each set of sinks
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

// For example 8 threads per workgroup and 2 per body: lane 0 walks the first half of each tile, lane 1 the second.
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
  for (int k = 0; k < ALL_RECORDS; k++) p.r[k] = RECORD(tile_texel, first_texel, k);
  return p;
}

#define LANES THREADS_PER_BODY
#include "pairs/merge.glsl"

int first = 0, segment = 0; // my first sink, my segment of the sources

// The k-th of my sinks, and where its totals are stored.
int number(int k) { return first + k * BODIES; }
int place(int k, int lane) { return ((segment * THREADS_PER_BODY + lane) * sink_count + number(k)) * WORDS; }

void read_totals(int place, out uvec4 words[WORDS]) {
  for (int w = 0; w < WORDS; w++) words[w] = totals[place + w];
}

void write_totals(int place, in uvec4 words[WORDS]) {
  for (int w = 0; w < WORDS; w++) totals[place + w] = words[w];
}

void write_sum(int place, in uvec4 words[WORDS]) {
  for (int w = 0; w < WORDS; w++) results[place + w] = words[w];
}

void main() {
  // Divided as uint: from an int division virglrenderer 0.10 makes an invalid program, and drops the dispatch.
  uint thread = gl_LocalInvocationID.x;
  int body = int(thread % uint(BODIES)), lane = int(thread / uint(BODIES)); // neighboring threads walk the same sources
  first = int(gl_WorkGroupID.x) * BODIES * I_EACH + body;
  segment = int(gl_WorkGroupID.y);
  int begin = min(segment * segment_length + bag.x, source_count);
  int end = min(min(segment * segment_length + bag.y, (segment + 1) * segment_length), source_count);
  real4 parameter = real4(parameter_high) + real4(parameter_low);

  int me[I_EACH];
  particle my[I_EACH];
  total t[I_EACH];
  int walked[I_EACH];
  uvec4 words[WORDS];
  for (int k = 0; k < I_EACH; k++) {
    int at = min(number(k), sink_count - 1);
    me[k] = bufferFetch(sinks, at).r;
    my[k] = sink(at, me[k]);
    t[k] = nothing_yet();
    walked[k] = token;
    if (go_on == 1 && number(k) < sink_count) {
      read_totals(place(k, lane), words);
      t[k] = from_words(words, walked[k]);
    }
  }

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

      // A particle exerts no force on itself. Only a stretch that contains one of my sinks has to check: the second
      // loop below handles it, and also a stretch whose length is not a multiple of UNROLL.
      bool careful = (stretch_stop - stretch) % UNROLL != 0;
      for (int k = 0; k < I_EACH; k++)
        careful = careful || (me[k] - start >= stretch && me[k] - start < stretch_stop);
      int fast_stop = careful ? stretch : stretch_stop;

      for (int k = 0; k < I_EACH; k++) f[k] = begin_sum(t[k]);
      for (int x = TEXELS * stretch; x < TEXELS * fast_stop; x += TEXELS * UNROLL) {
        for (int q = 0; q < UNROLL; q++) {
          p = in_tile(x + TEXELS * q);
          for (int k = 0; k < I_EACH; k++) interact(my[k].r, p.r, parameter, f[k].f);
        }
      }
      for (int j = fast_stop; j < stretch_stop; j++) {
        p = in_tile(TEXELS * j);
        for (int k = 0; k < I_EACH; k++) {
          force g = f[k];
          interact(my[k].r, p.r, parameter, g.f);
          if (j + start != me[k]) f[k] = g;
        }
      }
      for (int k = 0; k < I_EACH; k++) {
        accumulate(t[k], f[k]);
        walked[k] += stretch_stop - stretch;
      }
    }
  }

  if (last_pass == 0) { // each lane continues its own totals: the number of dispatches changes no bit
    for (int k = 0; k < I_EACH; k++) {
      to_words(t[k], walked[k], words);
      if (number(k) < sink_count) write_totals(place(k, lane), words);
    }
    return;
  }
  for (int k = 0; k < I_EACH; k++) merge_lanes(body, lane, BODIES, t[k], walked[k]);

#ifdef SEGMENTS
  for (int k = 0; k < I_EACH; k++) {
    to_words(t[k], walked[k], words);
    if (lane == 0 && number(k) < sink_count) write_totals(place(k, 0), words);
  }

  // Workgroups cannot wait for each other, but they can count: the last one to finish finds all totals written.
  memoryBarrierBuffer();
  barrier();
  if (thread == 0u) {
    is_last = atomicAdd(finished[gl_WorkGroupID.x], 1u) == uint(segments - 1);
    if (is_last) finished[gl_WorkGroupID.x] = 0u;
  }
  barrier();
  if (!is_last) return;
  memoryBarrierBuffer();
  for (int k = 0; k < I_EACH; k++) {
    t[k] = nothing_yet();
    walked[k] = 0;
    for (segment = lane; segment < segments && number(k) < sink_count; segment += THREADS_PER_BODY) {
      int more;
      read_totals(place(k, 0), words);
      merge(t[k], from_words(words, more));
      walked[k] += more;
    }
    merge_lanes(body, lane, BODIES, t[k], walked[k]);
  }
#endif
  for (int k = 0; k < I_EACH; k++) {
    to_words(t[k], walked[k], words);
    if (lane == 0 && number(k) < sink_count) write_sum(number(k) * WORDS, words);
  }
}
