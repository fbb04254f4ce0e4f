/* The host side of the tile scheme. See shaders/pairs/tile.comp. */
#include "pairs/pairs_scheme.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

/* The default of `threads` is what an H200 can hold, and fits it where each has 256 pairs; it takes an eighth of them at
 * least, and from FULL times as many on half of what the root of the work asks for. */
static const double FULL_PAIRS = 256, FEWEST = 0.125, FULL = 2, MOST = 8;

/* Segments that a lane adds up: as a rule, and where the device is full. */
static const double LEAST_A_LANE = 4, FULL_A_LANE = 16;

enum {
  MOST_WORKGROUPS = 32767, /* OpenGL 4.3 allows twice as many (table 23.67) */
  MAX_ITERATIONS = 32768   /* llvmpipe ends an invocation after 65535 iterations of all its loops */
};

struct tile {
  struct hb_gl_pass few[2], many[2]; /* one sink a thread, or several; by 0: one segment, 1: more */
  struct hb_gl_buffer finished;      /* counters: workgroups of the same sinks that are done */

  /* the current walk */
  struct hb_gl_pass *program;
  int groups;      /* of sinks: each has a workgroup for each segment */
  int lanes;       /* threads a body */
  int each;        /* sinks a thread */
  size_t from, to; /* sources of each segment that the pass sums */
};

/* The tile and what merge.glsl exchanges, or the totals that wait, share a memory of which 32 KB are certain (OpenGL 4.3, table
 * 23.67). */
static int largest_workgroup(const struct hb_pairs *p)
{
  enum { USUAL = 256, SHARED = 32768, FLAGS = 32, UNROLL = 8 };
  int of_doubles = hb_precisions[p->params.precision].is_double && !p->params.context->caps.software;
  int few = hb_pairs_has_few_registers(p), words = few ? 2 * p->words : p->words;
  int workgroup =
      of_doubles || few ? USUAL / 2 : USUAL; /* of threads with many registers more fit in small groups */
  int kept = few ? 8 * workgroup : 0;
  while (kept + 16 * (workgroup * (2 * p->texels + words) / 2 + workgroup / (few ? 1 : UNROLL)) + FLAGS >
         SHARED)
    workgroup /= 2;
  return workgroup;
}

/* Sources ahead, see usual_unroll of pairs_bag.c; in precision reproducible a pair is longer. */
static int usual_unroll(const struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  int is_fixed = hb_precisions[p->params.precision].is_fixed;
  if (caps->software) return 8;
  if (caps->registers > 128) return is_fixed ? 4 : 8;
  if (caps->registers > 64) return is_fixed ? 1 : 4;
  return is_fixed || p->params.precision == HB_PRECISION_DS ? 1 : 2;
}

static enum hb_status tile_create(struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  struct hb_pairs_tuning *t = &p->params.tuning;
  if (!caps->has_compute)
    return hb_fail(HB_ERR_GL, "scheme tile needs the compute shaders of OpenGL 4.3, %s has %s",
                   caps->renderer, caps->api);
  t->workgroup = hb_default(t->workgroup, largest_workgroup(p));
  t->body_threads = hb_default(t->body_threads, caps->software ? 4 : 32);
  int heavy = hb_precisions[p->params.precision].is_double ||
              (p->params.precision == HB_PRECISION_SINGLE && p->params.interaction->f_records > 1);
  t->i_each =
      hb_default(t->i_each, caps->software                    ? 4
                            : heavy || caps->registers <= 128 ? 1
                                                              : 2); /* more leave room for fewer threads */
  t->unroll = hb_default(t->unroll, usual_unroll(p));
  t->partial = hb_default(t->partial, hb_precisions[p->params.precision].partial);
  t->threads = hb_default(t->threads, caps->software ? 1024 : 262144);
  t->j_source_plus_1 = hb_default(t->j_source_plus_1, HB_J_STORAGE + 1);
  if (t->partial > t->workgroup) t->partial = t->workgroup;
  if (t->partial % t->unroll)
    return hb_fail(HB_ERR_USAGE, "a float sum is over %d sources, expected a multiple of %d", t->partial,
                   t->unroll);
  if (t->workgroup % t->unroll)
    return hb_fail(HB_ERR_USAGE, "a tile is of %d sources, expected a multiple of %d", t->workgroup,
                   t->unroll);
  struct tile *s;
  HB_TRY(HB_ALLOC(1, &s));
  p->state = s;
  return HB_OK;
}

static void tile_destroy(struct hb_pairs *p)
{
  struct tile *s = p->state;
  HB_GL_DESTROY(pass, &s->few[0], &s->few[1], &s->many[0], &s->many[1]);
  hb_gl_buffer_destroy(&s->finished);
  hb_mem_free(s);
}

/* The last pass adds up lanes and segments; until then each lane keeps its own. */
static void describe(void *pairs, struct hb_gl_trace_pass *t)
{
  struct hb_pairs *p = pairs;
  const struct tile *s = p->state;
  size_t from = s->from, to = s->to;
  size_t workgroup = (size_t)p->params.tuning.workgroup, tiles = 0, sources = 0;
  for (size_t k = 0; k < p->shape.segments; k++) {
    size_t first = k * p->shape.segment_length, begin = hb_min(first + from, p->nj);
    size_t end = hb_min(first + hb_min(to, p->shape.segment_length), p->nj);
    tiles += hb_div_ceil(end - begin, workgroup);
    sources += end - begin;
  }
  uint64_t threads = (uint64_t)s->groups * p->shape.segments * workgroup;
  uint64_t sinks = threads * (uint64_t)s->each, lanes = (uint64_t)s->lanes * p->shape.segments;
  uint64_t fetched = (uint64_t)s->groups * tiles * workgroup, totals = (uint64_t)p->ni * (uint64_t)p->words;
  int last = to == p->shape.segment_length;
  hb_pairs_trace_pass(p, (uint64_t)p->texels * (fetched + sinks), sinks, t);
  t->by = "bag";
  t->fragments = threads;
  t->pairs = (uint64_t)p->ni * sources;
  t->write_count = 1;
  unsigned results = last && !p->job.take ? p->readback.buffer.id : p->storage.id;
  struct hb_gl_trace_array array = hb_pairs_trace_totals(p, HB_GL_BUFFER, results);
  array.name = "totals";
  array.columns = hb_gl_trace_columns(p->ni);
  array.rows = (int)hb_div_ceil(p->ni, (size_t)array.columns);
  array.each = array.wraps = 1;
  array.traffic =
      last ? totals * (uint64_t)(p->shape.segments > 1 ? p->shape.segments + 1 : 1) : totals * lanes;
  t->write[0] = array;
  if (from > 0 || p->shape.segments > 1) {
    struct hb_gl_trace_array *before = &t->read[t->read_count++];
    *before = array;
    before->object = p->storage.id;
    before->quantities = NULL; /* overwritten by now */
    before->traffic =
        totals * ((from > 0 ? lanes : 0) + (last && p->shape.segments > 1 ? p->shape.segments : 0));
  }
  snprintf(t->what, sizeof t->what, "sources %zu to %zu of %d segment%s", from, to - 1,
           (int)p->shape.segments, hb_text_s(p->shape.segments));
}

static enum hb_status build(struct hb_pairs *p, struct hb_gl_pass *program)
{
  const struct tile *s = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  char defines[160];
  snprintf(defines, sizeof defines, "#define J_SOURCE %d\n#define WORKGROUP %d\n%s", t->j_source_plus_1 - 1,
           t->workgroup, p->shape.segments > 1 ? "#define SEGMENTS\n" : "");
  const struct hb_pairs_program_source source = {.compute = "pairs/tile.comp",
                                                 .version = 430,
                                                 .precision = p->params.precision,
                                                 .i_each = s->each,
                                                 .unroll = t->unroll,
                                                 .partial = t->partial,
                                                 .defines = defines,
                                                 .describe = describe};
  return hb_pairs_program_build(p, &source, program);
}

/* Threads for a walk. A workgroup takes some microseconds whatever it does; the fewer there are, the longer the last one
 * keeps the others waiting. Both together are least where the number of threads is as the root of the work; but the totals
 * of all must have room. */
static size_t wanted_threads(const struct hb_pairs *p, double *share)
{
  double full = p->params.tuning.threads, pairs = (double)p->job.ni * (double)p->nj;
  double room = HB_PAIRS_TOTALS / (16.0 * p->words * p->params.tuning.i_each * full);
  *share = sqrt(pairs / full / FULL_PAIRS);
  if (*share > FULL) *share = fmax(fmin(fmin(*share / 2, room), MOST), FULL);
  *share = p->params.context->caps.software ? 1 : fmax(*share, FEWEST);
  return (size_t)ceil(full * *share);
}

/* A lane sums complete blocks in precision reproducible. */
static size_t most_lanes(const struct hb_pairs *p)
{
  const struct hb_pairs_tuning *t = &p->params.tuning;
  size_t tuned = (size_t)t->body_threads;
  return hb_precisions[p->params.precision].is_fixed ? hb_min(tuned, (size_t)(t->workgroup / t->partial))
                                                     : tuned;
}

/* From the numbers of sinks and sources and the tuning alone, so that the same walk always has the same bits. The threads of
 * a sink are lanes of one workgroup, which share tiles, and segments of the sources, which do not wait for each other. At the
 * end each lane adds up some segments: more of them where it has more pairs to walk. */
static void choose_shape(struct hb_pairs *p)
{
  struct tile *s = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  double share;
  size_t wanted = wanted_threads(p, &share), a_sink = hb_div_ceil(wanted, p->job.ni);
  size_t a_lane = (size_t)fmax(LEAST_A_LANE, FULL_A_LANE * share);
  size_t workgroup = (size_t)t->workgroup, tiles = hb_div_ceil(p->nj, workgroup), lanes = 1;
  size_t rows = workgroup / (size_t)t->unroll; /* of a tile, see tile.comp: a lane walks whole ones */
  size_t most = most_lanes(p);
  while (2 * lanes <= most && rows % (2 * lanes) == 0 &&
         (hb_div_ceil(a_sink, lanes) > hb_min(a_lane * lanes, tiles) || workgroup / lanes > p->job.ni))
    lanes *= 2;
  s->lanes = (int)lanes;
  s->each = lanes == 1 && (share >= FULL || a_sink == 1) ? t->i_each : 1;
  s->groups = (int)hb_div_ceil(p->ni, (size_t)s->each * workgroup / lanes);
  size_t segments = hb_div_ceil(a_sink * (size_t)s->each, lanes);
  segments = hb_min(hb_min(segments, a_lane * lanes), hb_min(tiles, 1 + MOST_WORKGROUPS / (size_t)s->groups));
  size_t tiles_each = hb_div_ceil(tiles, segments);
  struct hb_pairs_shape *shape = &p->shape;
  shape->segments = hb_div_ceil(tiles, tiles_each);
  shape->segment_length = tiles_each * workgroup;
  size_t whole = 1; /* tiles that have whole stretches */
  while (whole * (workgroup / lanes) % (size_t)t->partial) whole++;
  shape->step = whole * workgroup;
  shape->most = p->params.context->caps.software ? MAX_ITERATIONS : shape->segment_length;
  s->program = &(s->each > 1 ? s->many : s->few)[shape->segments > 1];
}

/* Counters start at zero, and each walk resets them. */
static enum hb_status reserve(struct hb_pairs *p)
{
  struct tile *s = p->state;
  HB_TRY(hb_pairs_reserve_totals(p, p->shape.segments * (size_t)s->lanes));
  HB_TRY(hb_pairs_results(p, s->program));
  if (p->shape.segments == 1) return HB_OK;
  size_t bytes = (size_t)s->groups * sizeof(uint32_t);
  if (bytes <= s->finished.bytes) return HB_OK;
  HB_OWN void *zeros = NULL;
  HB_TRY(hb_mem_alloc(1, 2 * bytes, &zeros));
  hb_gl_buffer_fill(&s->finished, HB_GL_BY_DEVICE, 2 * bytes, zeros);
  return HB_OK;
}

static enum hb_status tile_pass(struct hb_pairs *p, size_t from, size_t to)
{
  struct tile *s = p->state;
  s->from = from;
  s->to = to;
  hb_gl_pass_int2(s->program, "bag", (int)from, (int)to);
  hb_gl_pass_int(s->program, "go_on", from > 0);
  hb_gl_pass_int(s->program, "last_pass", to == p->shape.segment_length);
  hb_gl_pass_dispatch(s->program, (size_t)s->groups * p->shape.segments, 1);
  return HB_OK;
}

static enum hb_status tile_begin(struct hb_pairs *p)
{
  struct tile *s = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  choose_shape(p);
  if (!s->program->program) HB_TRY(build(p, s->program));
  HB_TRY(reserve(p));
  if (t->j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(hb_pairs_texture_2d(p));
  p->count_start = p->token * (uint32_t)p->shape.segments * (uint32_t)s->lanes;
  hb_pairs_program_inputs(p, s->program);
  hb_gl_pass_int(s->program, "source_count", (int)p->nj);
  hb_gl_pass_int(s->program, "sink_count", (int)p->ni);
  hb_gl_pass_int(s->program, "segment_length", (int)p->shape.segment_length);
  hb_gl_pass_int(s->program, "segments", (int)p->shape.segments);
  hb_gl_pass_int(s->program, "groups", s->groups);
  hb_gl_pass_int(s->program, "bodies", t->workgroup / s->lanes);
  hb_gl_pass_storage(s->program, 0, &p->j);
  hb_gl_pass_storage(s->program, 1, &p->storage);
  if (p->shape.segments > 1) hb_gl_pass_storage(s->program, 2, &s->finished);
  return HB_OK;
}

static enum hb_status tile_totals(struct hb_pairs *p, struct hb_pairs_totals *totals)
{
  hb_pairs_storage_totals(p, 1, totals);
  return HB_OK;
}

static void tile_memory(double total, struct hb_force_need *need)
{
  (void)total;
  need->device_fixed += HB_PAIRS_TOTALS; /* of a portion of the sinks, in one storage buffer */
}

const struct hb_pairs_scheme hb_pairs_tile = {
    .name = "tile",
    .summary = "a compute shader, tiles of sources in shared memory, several threads a body",
    .source = "[NHP07]",
    .is_compute = 1,
    .has_tuning = 1,
    .create = tile_create,
    .destroy = tile_destroy,
    .portion = hb_pairs_results_portion,
    .begin = tile_begin,
    .pass = tile_pass,
    .read = hb_pairs_read_results,
    .totals = tile_totals,
    .memory = tile_memory,
};
