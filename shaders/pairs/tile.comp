// The tile scheme: a compute shader whose threads share what they fetch (Nyland, Harris & Prins 2007).
//
// A workgroup of WORKGROUP threads handles I_EACH * bodies sinks and one segment of the sources. Tile by tile, each thread
// brings one source into shared memory, all wait, and each walks its share:
//
//   for each tile of WORKGROUP sources
//     one fetch per thread, barrier
//     for each stretch of my share                 sums in registers
//       for each source of the stretch               from shared memory, the same one for all threads of a lane
//         interact
//       totals += sums
//
// p^2 interactions for p fetches. At a barrier a thread waits until all threads of its workgroup have arrived: none reads
// a tile before it is complete, and none overwrites it with the next one while others still read.
//
// Where sinks are few, several threads divide each tile among them (lanes) and add their totals at the end, and the sources
// are divided into segments that go to different workgroups. The workgroup that finishes a set of sinks last adds up
// the totals of all segments, always in the same order, and writes the sums where the host reads them.
//
// For example 8 threads per workgroup and 2 lanes: lane 0 walks the first half of each tile, lane 1 the second.
//
//     thread   0  1  2  3    4  5  6  7
//     body     0  1  2  3    0  1  2  3
//     lane     0  0  0  0    1  1  1  1

#include "INTERACTION"
#include "common/sources.glsl"

layout(local_size_x = WORKGROUP) in;

uniform isamplerBuffer sinks; // the particle number of each sink
uniform int sink_count;
uniform int source_count;
uniform int bodies;           // threads of one lane, each with I_EACH sinks
uniform int groups;           // of sinks: there is a workgroup for each of them and each segment
uniform int segments;
uniform int segment_length;   // sources per segment, a multiple of WORKGROUP
uniform ivec2 bag;            // of this dispatch: from, to within each segment; a stretch never goes on in the next dispatch
uniform int go_on;            // 1: start from the totals of the previous dispatch
uniform int last_pass;        // 1: no sources are left after this dispatch
uniform int token;            // of this walk: the count of sources starts from it
uniform vec4 parameter_high;
uniform vec4 parameter_low;

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

// ---- the tile ----

// In pieces of 16 bytes, which is what a thread reads at once: of floats, or of the doubles that two texels hold the words
// of. After every UNROLL sources one piece is left out, so that lanes that read at the same time use different banks.
#if PRECISION == DOUBLE
#define piece dvec2
#else
#define piece vec4
#endif
const int ROW = UNROLL * TEXELS + 1;
shared piece tile[WORKGROUP / UNROLL * ROW];
shared int own_tile; // the last one with a sink of this workgroup among its sources

// Divided as uint: from an int division virglrenderer 0.10 makes an invalid program, and drops the dispatch.
int place_in_tile(int j) { return int(uint(j) / uint(UNROLL)) * ROW + int(uint(j) % uint(UNROLL)) * TEXELS; }

particle in_tile(int place) {
  particle p;
#if PRECISION == DOUBLE
  for (int k = 0; k < ALL_RECORDS; k++) p.r[k] = dvec4(tile[place + 2 * k], tile[place + 2 * k + 1]);
#else
  for (int k = 0; k < ALL_RECORDS; k++) p.r[k] = tile[place + k];
#endif
  return p;
}

void put_in_tile(int place, in particle p) {
#if PRECISION == DOUBLE
  for (int k = 0; k < ALL_RECORDS; k++) {
    tile[place + 2 * k] = p.r[k].xy;
    tile[place + 2 * k + 1] = p.r[k].zw;
  }
#else
  for (int k = 0; k < ALL_RECORDS; k++) tile[place + k] = p.r[k];
#endif
}

// ---- what a thread has ----

#ifdef FEW_REGISTERS // what is the same for the whole workgroup need not be in each thread's
shared uint group;                     // of the sinks
shared int segment;                    // of the sources
#else
uint group = 0u;
int segment = 0;                       // of the sources
#endif
#if defined FEW_REGISTERS && PRECISION == REPRODUCIBLE // nor, in a long loop, what is used after it
shared int end, lanes;
shared ivec2 kept[WORKGROUP];
#define first kept[gl_LocalInvocationID.x].x // my first sink
#define me(k) kept[gl_LocalInvocationID.x].y // my sinks: their numbers,
#else
int end = 0, lanes = 1;
int first = 0;                         // my first sink
int mine[I_EACH];                      // my sinks: their numbers,
#define me(k) mine[k]
#endif
particle my[I_EACH];                   // records,
force f[I_EACH];                       // sums of the stretch,
total t[I_EACH];                       // and totals
int walked = 0;                        // sources in the totals, and in the sums:
int filled = 0;

// Where registers are few, the totals of a thread's only sink wait in shared memory, as words, while it walks a stretch.
#ifdef FEW_REGISTERS
shared uvec4 waiting[WORDS * WORKGROUP];
#define others waiting
#endif
#define LANES WORKGROUP
#include "pairs/merge.glsl"

// The k-th of my sinks, and where its totals are stored.
int number(int k) { return first + k * bodies; }
int place(int segment, int k, int lane) { return ((segment * lanes + lane) * sink_count + number(k)) * WORDS; }

void read_totals(int place, out uvec4 words[WORDS]) {
  for (int w = 0; w < WORDS; w++) words[w] = totals[place + w];
}

void write_totals(int place, in uvec4 words[WORDS]) {
  for (int w = 0; w < WORDS; w++) totals[place + w] = words[w];
}

void write_sum(int place, in uvec4 words[WORDS]) {
  for (int w = 0; w < WORDS; w++) results[place + w] = words[w];
}

#ifdef FEW_REGISTERS
int waits(int w) { return w * WORKGROUP + int(gl_LocalInvocationID.x); }

// Of one record; the last word has something of all.
void put_away(int r) {
  uvec4 words[WORDS];
  to_words(t[0], walked, words);
  for (int w = 0; w < WORDS; w++)
    if (w % F_RECORDS == r) waiting[waits(w)] = words[w];
  waiting[waits(WORDS - 1)].w = words[WORDS - 1].w;
}

// The compiler leaves out what is not used of them.
void take_back() {
  uvec4 words[WORDS];
  for (int w = 0; w < WORDS; w++) words[w] = waiting[waits(w)];
  t[0] = from_words(words, walked);
  set_scale(t[0], min(number(0), sink_count - 1));
}
#else
void put_away(int r) {}
void take_back() {}
#endif

// ---- the walk ----

void fetch_sinks(int lane) {
  uvec4 words[WORDS];
  walked = token;
  for (int k = 0; k < I_EACH; k++) {
    int at = min(number(k), sink_count - 1);
    me(k) = bufferFetch(sinks, at).r;
    my[k] = sink(at, me(k));
    t[k] = nothing_yet();
    if (go_on == 1 && number(k) < sink_count) {
      read_totals(place(segment, k, lane), words);
      t[k] = from_words(words, walked);
    }
    set_scale(t[k], at);
  }
  for (int r = 0; r < F_RECORDS; r++) put_away(r);
}

void begin_stretch() {
  for (int k = 0; k < I_EACH; k++) f[k] = begin_sum(t[k]);
  filled = 0;
}

void end_stretch() {
#ifdef FEW_REGISTERS
  for (int r = 0; r < F_RECORDS; r++) {
    take_back();
    accumulate(t[0], f[0], r);
    if (r == F_RECORDS - 1) walked += filled;
    put_away(r);
  }
#else
  for (int k = 0; k < I_EACH; k++) accumulate(t[k], f[k]);
  walked += filled;
#endif
}

// Sources `from` to `to` - 1 of the tile that starts at source `start`. A particle exerts no force on itself: tiles with
// a sink of the workgroup among them, and the last one, which need not be full, are walked with care. All threads of the
// workgroup do the same: threads that run in lockstep would have to wait for those that do otherwise.
void walk(int start, int from, int to, bool careful, real4 parameter) {
  particle p;
  if (!careful) {
    for (int x = place_in_tile(from); x < place_in_tile(to); x += ROW) {
      for (int q = 0; q < UNROLL; q++) {
        p = in_tile(x + TEXELS * q);
        for (int k = 0; k < I_EACH; k++) interact(my[k].r, p.r, parameter, f[k].f);
      }
    }
  } else {
#ifdef SOFTWARE // a processor does what a condition leaves out, too: it chooses between two sums
    for (int j = from; j < to; j++) {
      p = in_tile(place_in_tile(j));
      for (int k = 0; k < I_EACH; k++) {
        force g = f[k];
        interact(my[k].r, p.r, parameter, g.f);
        if (start + j != me(k)) f[k] = g;
      }
    }
#else
    int own[I_EACH];
    for (int k = 0; k < I_EACH; k++) own[k] = me(k);
    for (int j = from; j < to; j += UNROLL) {
      for (int q = 0; q < UNROLL; q++) {
        p = in_tile(place_in_tile(j) + TEXELS * q);
        for (int k = 0; k < I_EACH; k++)
          if (j + q < to && start + j + q != own[k]) interact(my[k].r, p.r, parameter, f[k].f);
      }
    }
#endif
  }
  filled += to - from;
}

// My lane's share of a tile of `count` sources, stretch by stretch. Where the share is shorter than a stretch, that goes on
// in the next tile.
void walk_share(int lane, int start, int count, real4 parameter) {
  bool careful = own_tile == start || count < WORKGROUP;
  int from = lane * bodies, stop = min(from + bodies, count);
  while (from < stop) {
    int to = min(from + PARTIAL - filled, stop);
    walk(start, from, to, careful, parameter);
    if (filled == PARTIAL) {
      end_stretch();
      begin_stretch();
    }
    from = to;
  }
}

void main() {
  uint thread = gl_LocalInvocationID.x;
  int body = int(thread % uint(bodies)), lane = int(thread / uint(bodies)); // neighboring threads walk the same sources
  lanes = int(uint(WORKGROUP) / uint(bodies));

  // Workgroups start in the order of their numbers: those that are likely to find sinks among their sources come first,
  // so that nobody has to wait for their careful walk at the end.
  group = gl_WorkGroupID.x % uint(groups);
  uint turn = group * uint(segments) / uint(groups);
  segment = int((gl_WorkGroupID.x / uint(groups) + turn) % uint(segments));
  first = int(group) * bodies * I_EACH + body;
  int begin = min(segment * segment_length + bag.x, source_count);
  end = min(min(segment * segment_length + bag.y, (segment + 1) * segment_length), source_count);
  real4 parameter = real4(parameter_high) + real4(parameter_low);

#ifndef FEW_REGISTERS
  particle next = source(min(begin + int(thread), source_count - 1)); // on its way while other things are done
#endif
  fetch_sinks(lane);
  begin_stretch();
  if (thread == 0u) own_tile = -1;

  for (int start = begin; start < end; start += WORKGROUP) {
    int count = min(WORKGROUP, end - start);
    barrier();
#ifdef FEW_REGISTERS
    particle next = source(min(start + int(thread), source_count - 1));
#endif
    put_in_tile(place_in_tile(int(thread)), next);
    for (int k = 0; k < I_EACH; k++)
      if (me(k) >= start && me(k) < start + count) own_tile = start;
    barrier();
#ifndef FEW_REGISTERS
    next = source(min(start + WORKGROUP + int(thread), source_count - 1));
#endif
    walk_share(lane, start, count, parameter);
  }
  if (filled > 0) end_stretch();
  take_back();

  uvec4 words[WORDS];
  if (last_pass == 0) { // each lane continues its own totals: the number of dispatches changes no bit
    for (int k = 0; k < I_EACH; k++) {
      to_words(t[k], walked, words);
      if (number(k) < sink_count) write_totals(place(segment, k, lane), words);
    }
    return;
  }
  int count[I_EACH]; // of sources in each sum
  for (int k = 0; k < I_EACH; k++) {
    count[k] = walked;
    merge_lanes(body, lane, bodies, lanes, t[k], count[k]);
  }

#ifdef SEGMENTS
  for (int k = 0; k < I_EACH; k++) {
    to_words(t[k], count[k], words);
    if (lane == 0 && number(k) < sink_count) write_totals(place(segment, k, 0), words);
  }

  // Workgroups cannot wait for each other, but they can count: the last one to finish finds all totals written.
  memoryBarrierBuffer();
  barrier();
  if (thread == 0u) {
    is_last = atomicAdd(finished[group], 1u) == uint(segments - 1);
    if (is_last) finished[group] = 0u;
  }
  barrier();
  if (!is_last) return;
  memoryBarrierBuffer();
  for (int k = 0; k < I_EACH; k++) {
    t[k] = nothing_yet();
    count[k] = 0;
    for (int s = lane; s < segments && number(k) < sink_count; s += lanes) {
      int more;
      read_totals(place(s, k, 0), words);
      merge(t[k], from_words(words, more));
      count[k] += more;
    }
    merge_lanes(body, lane, bodies, lanes, t[k], count[k]);
  }
#endif
  for (int k = 0; k < I_EACH; k++) {
    to_words(t[k], count[k], words);
    if (lane == 0 && number(k) < sink_count) write_sum(number(k) * WORDS, words);
  }
}
