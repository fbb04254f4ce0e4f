/* The host side of the tile scheme. See shaders/pairs/tile.comp. */
#include "pairs/pairs_program.h"
#include "pairs/pairs_trace.h"

#include "base/arith.h"
#include "base/mem.h"

#include <stdio.h>

enum {
  SEGMENT_TILES = 4,     /* a segment has at least this many tiles, as long as more threads a body can help */
  LEVELS = 6,            /* 1, 2, ... 32 threads a body */
  MAX_ITERATIONS = 32768 /* llvmpipe ends an invocation after 65535 iterations of all its loops */
};

struct tile {
  /* by 0: one segment, 1: more */
  struct hb_gl_pass few[LEVELS][2]; /* one sink a thread, by log2 of the threads a body */
  struct hb_gl_pass many[2];        /* one thread a body, several sinks a thread */
  struct hb_gl_buffer finished;     /* counters: workgroups of the same sinks that are done */

  /* the current walk */
  struct hb_gl_pass *program;
  int workgroups, segments, segment_length;
  int lanes;       /* threads a body */
  int each;        /* sinks a thread */
  size_t from, to; /* sources of each segment that the pass sums */
};

/* The tile and what merge.glsl exchanges share a memory of which 32 KB are certain (OpenGL 4.3, table 23.67). */
static int largest_workgroup(const struct hb_pairs *p)
{
  enum { USUAL = 256, SHARED = 32768 };
  int workgroup = USUAL;
  while (workgroup * 16 * (2 * p->texels + p->words) / 2 > SHARED) workgroup /= 2;
  return workgroup;
}

static enum hb_status tile_create(struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  struct hb_pairs_tuning *t = &p->params.tuning;
  if (!caps->has_compute)
    return hb_fail(HB_ERR_GL, "scheme tile needs the compute shaders of OpenGL 4.3, %s has %s",
                   caps->renderer, caps->api);
  t->workgroup = hb_default(t->workgroup, largest_workgroup(p));
  t->body_threads = hb_default(t->body_threads, caps->software ? 4 : 8);
  int heavy = p->params.precision == HB_PRECISION_SINGLE && p->params.interaction->f_records > 1;
  t->i_each = hb_default(t->i_each, caps->software ? 4
                                    : heavy        ? 1
                                                   : 2); /* more sinks leave room for fewer threads */
  t->unroll = hb_default(t->unroll, 8);
  t->partial = hb_default(t->partial, hb_precisions[p->params.precision].partial);
  t->threads = hb_default(t->threads, caps->software ? 1024 : 262144);
  t->j_source_plus_1 = hb_default(t->j_source_plus_1, HB_J_STORAGE + 1);
  if (t->partial > t->workgroup) t->partial = t->workgroup;
  if (t->partial % t->unroll)
    return hb_fail(HB_ERR_USAGE, "a float sum is over %d sources, expected a multiple of %d", t->partial,
                   t->unroll);
  struct tile *s;
  HB_TRY(HB_ALLOC(1, &s));
  p->state = s;
  return HB_OK;
}

static void tile_destroy(struct hb_pairs *p)
{
  struct tile *s = p->state;
  for (int k = 0; k < 2; k++) {
    for (int level = 0; level < LEVELS; level++) hb_gl_pass_destroy(&s->few[level][k]);
    hb_gl_pass_destroy(&s->many[k]);
  }
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
  for (size_t k = 0; k < (size_t)s->segments; k++) {
    size_t first = k * (size_t)s->segment_length, begin = hb_min(first + from, p->nj);
    size_t end = hb_min(first + hb_min(to, (size_t)s->segment_length), p->nj);
    tiles += hb_div_ceil(end - begin, workgroup);
    sources += end - begin;
  }
  uint64_t threads = (uint64_t)s->workgroups * (uint64_t)s->segments * workgroup;
  uint64_t sinks = threads * (uint64_t)s->each, lanes = (uint64_t)s->lanes * (uint64_t)s->segments;
  uint64_t fetched = (uint64_t)s->workgroups * tiles * workgroup,
           totals = (uint64_t)p->ni * (uint64_t)p->words;
  int last = to == (size_t)s->segment_length;
  hb_pairs_trace_pass(p, (uint64_t)p->texels * (fetched + sinks), sinks, t);
  t->fragments = threads;
  t->pairs = (uint64_t)p->ni * sources;
  t->write_count = 1;
  unsigned results = last && !p->stays ? p->readback.buffer.id : p->storage.id;
  struct hb_gl_trace_array array = hb_pairs_trace_totals(p, HB_GL_BUFFER, results);
  array.name = "totals";
  array.columns = hb_gl_trace_columns(p->ni);
  array.rows = (int)hb_div_ceil(p->ni, (size_t)array.columns);
  array.each = array.wraps = 1;
  array.traffic = last ? totals * (uint64_t)(s->segments > 1 ? s->segments + 1 : 1) : totals * lanes;
  t->write[0] = array;
  if (from > 0 || s->segments > 1) {
    struct hb_gl_trace_array *before = &t->read[t->read_count++];
    *before = array;
    before->object = p->storage.id;
    before->quantities = NULL; /* overwritten by now */
    before->traffic =
        totals * ((from > 0 ? lanes : 0) + (uint64_t)(last && s->segments > 1 ? s->segments : 0));
  }
  snprintf(t->what, sizeof t->what, "sources %zu to %zu of %d segments", from, to - 1, s->segments);
}

static enum hb_status build(struct hb_pairs *p, int each, int body_threads, int segments,
                            struct hb_gl_pass *program)
{
  const struct hb_pairs_tuning *t = &p->params.tuning;
  int share = t->workgroup / body_threads, partial = t->partial < share ? t->partial : share;
  char defines[160];
  snprintf(defines, sizeof defines,
           "#define J_SOURCE %d\n#define WORKGROUP %d\n#define THREADS_PER_BODY %d\n%s",
           t->j_source_plus_1 - 1, t->workgroup, body_threads, segments > 1 ? "#define SEGMENTS\n" : "");
  const struct hb_pairs_program_source source = {.compute = "pairs/tile.comp",
                                                 .version = 430,
                                                 .precision = p->params.precision,
                                                 .i_each = each,
                                                 .unroll = t->unroll < partial ? t->unroll : partial,
                                                 .partial = partial,
                                                 .defines = defines,
                                                 .describe = describe};
  return hb_pairs_program_build(p, &source, program);
}

/* Enough threads to fill the device. First the sources are divided among workgroups, a few tiles for each; then among
 * several threads a body, whose totals are added in shared memory; then down to one tile a workgroup. */
static enum hb_status choose_shape(struct hb_pairs *p)
{
  struct tile *s = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  size_t workgroup = (size_t)t->workgroup, tiles = hb_div_ceil(p->nj, workgroup);
  size_t wanted = hb_div_ceil((size_t)t->threads, p->sinks); /* threads a sink, of all portions alike */
  size_t coarse = hb_div_ceil(tiles, SEGMENT_TILES);
  size_t each =
      wanted == 1 ? (size_t)t->i_each : 1; /* adding segments takes the registers that sinks would */
  size_t segments = hb_min(wanted, coarse);
  int level = 0;
  int most = t->body_threads < t->workgroup ? t->body_threads : t->workgroup;
  while (level < LEVELS - 1 && 1 << level < most && segments << level < wanted) level++;
  segments = hb_min(hb_div_ceil(wanted, (size_t)1 << level), tiles);
  size_t tiles_each = hb_div_ceil(tiles, segments);
  s->segments = (int)hb_div_ceil(tiles, tiles_each);
  s->segment_length = (int)(tiles_each * workgroup);
  s->workgroups = (int)hb_div_ceil(p->ni, each * workgroup >> level);
  s->lanes = 1 << level;
  s->each = (int)each;
  s->program = each > 1 ? &s->many[s->segments > 1] : &s->few[level][s->segments > 1];
  return build(p, (int)each, 1 << level, s->segments, s->program);
}

/* Counters start at zero, and each walk resets them. */
static enum hb_status reserve(struct hb_pairs *p)
{
  struct tile *s = p->state;
  HB_TRY(hb_pairs_reserve_totals(p, (size_t)s->segments * (size_t)s->lanes));
  HB_TRY(hb_pairs_results(p, s->program));
  if (s->segments == 1) return HB_OK;
  size_t bytes = (size_t)s->workgroups * sizeof(uint32_t);
  if (bytes <= s->finished.bytes) return HB_OK;
  void *zeros;
  HB_TRY(hb_mem_alloc(1, 2 * bytes, &zeros));
  hb_gl_buffer_fill(&s->finished, HB_GL_BY_DEVICE, 2 * bytes, zeros);
  hb_mem_free(zeros);
  return HB_OK;
}

static enum hb_status pass(struct hb_pairs *p, size_t from, size_t to)
{
  struct tile *s = p->state;
  s->from = from;
  s->to = to;
  hb_gl_pass_int2(s->program, "bag", (int)from, (int)to);
  hb_gl_pass_int(s->program, "go_on", from > 0);
  hb_gl_pass_int(s->program, "last_pass", to == (size_t)s->segment_length);
  hb_gl_pass_dispatch(s->program, (size_t)s->workgroups, (size_t)s->segments);
  return HB_OK;
}

static enum hb_status tile_walk(struct hb_pairs *p)
{
  struct tile *s = p->state;
  HB_TRY(choose_shape(p));
  HB_TRY(reserve(p));
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(hb_pairs_texture_2d(p));
  p->count_start = p->token * (uint32_t)s->segments * (uint32_t)s->lanes;
  hb_pairs_program_inputs(p, s->program);
  hb_gl_pass_int(s->program, "source_count", (int)p->nj);
  hb_gl_pass_int(s->program, "sink_count", (int)p->ni);
  hb_gl_pass_int(s->program, "segment_length", s->segment_length);
  hb_gl_pass_int(s->program, "segments", s->segments);
  hb_gl_pass_storage(s->program, 0, &p->j);
  hb_gl_pass_storage(s->program, 1, &p->storage);
  if (s->segments > 1) hb_gl_pass_storage(s->program, 2, &s->finished);
  size_t most = p->params.context->caps.software ? MAX_ITERATIONS : (size_t)s->segment_length;
  return hb_pairs_passes(p, (size_t)s->segments, (size_t)s->segment_length,
                         (size_t)p->params.tuning.workgroup, most, pass);
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
    .walk = tile_walk,
    .read = hb_pairs_read_results,
    .totals = tile_totals,
    .memory = tile_memory,
};
