/* The host as a fast source of forces: float pairs by vector instructions, what a user without a GPU would
 * run. Sums are float over a part of the sources and double beyond, so their error does not grow with N.
 * Precision "single" rounds positions to float; "ds" keeps them as sums of two floats and rounds only their
 * differences. */
#include "force/source.h"

#include "base/mem.h"
#include "base/arith.h"
#include "base/machine.h"
#include "base/parallel.h"

#include <string.h>

#if HB_SIMD_X86
#define SIMD_LANES      16
#define SIMD_NAME(stem) stem##_avx512
#define SIMD_TARGET     HB_SIMD_AVX512_TARGET
#include "force/simd_kernel.h"
#define SIMD_LANES      8
#define SIMD_NAME(stem) stem##_avx2
#define SIMD_TARGET     HB_SIMD_AVX2_TARGET
#include "force/simd_kernel.h"
#endif
#include "force/simd_kernel.h"

enum {
  PART = 256 / SIMD_CHUNK, /* chunks in a float sum, small enough for the first level cache               */
  SEGMENT = 8 * PART,      /* chunks summed separately, so that threads can share one sink's sources */
  PIECES = 4,              /* pieces of work per thread, so that none waits long for the last one         */
  FILLED = 64              /* chunks that a thread fills at a time                                        */
};

/* Padding has no mass and is far away; its r^2, 3e36, is still a float. */
static const double pad_distance = 1e18;

/* Less work than this is done before a second thread has woken up. */
static const double pairs_worth_threads = 16384;
static const size_t sources_worth_threads = 4096;

typedef void sum_fn(const float *source, size_t from, size_t to, float eps2, size_t ni,
                    const struct simd_sink *sinks, double (*total)[SIMD_SUMS]);

static const struct version {
  const char *label;
  sum_fn *single, *ds;
} versions[] = {{", baseline", sum_single_baseline, sum_ds_baseline},
#if HB_SIMD_X86
                {", AVX2", sum_single_avx2, sum_ds_avx2},
                {", AVX-512", sum_single_avx512, sum_ds_avx512}
#endif
};

struct host_simd {
  float eps2;
  int ds;
  sum_fn *sum;
  size_t chunks, filled, room; /* summed, used, allocated */
  float *source;               /* [filled][rows][16] */
  uint32_t *order,
      *place; /* [order_room] which source is where, and where it is: those without mass are last */
  size_t order_room;
  int is_ordered; /* else they are in their own order */
  size_t parts_room;
  double (*parts)[SIMD_SUMS]; /* [sink][segment] while threads share a sink */
  char device[160];
};

static enum hb_status host_simd_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                     void **state)
{
  (void)gl;
  struct host_simd *h;
  HB_TRY(hb_simd_check());
  HB_TRY(HB_ALLOC(1, &h));
  *state = h;
  const struct version *version = &versions[hb_simd_best()];
  h->eps2 = (float)hb_force_eps2(params);
  h->ds = hb_precision_find(params->precision) == HB_PRECISION_DS;
  h->sum = h->ds ? version->ds : version->single;
  hb_force_name_processor("", version->label, sizeof h->device, h->device);
  return HB_OK;
}

static void host_simd_close(void *state)
{
  struct host_simd *h = state;
  if (!h) return;
  HB_FREE(h->source, h->order, h->place, h->parts, h);
}

static size_t rows(const struct host_simd *h) { return h->ds ? SIMD_ROWS_DS : SIMD_ROWS; }

/* 16 sources to their rows. */
HB_CLONES static void fill_chunk(int ds, const double *m, const double *x, const double *v,
                                 float (*row)[SIMD_CHUNK])
{
  for (size_t i = 0; i < SIMD_CHUNK; i++) {
    row[SIMD_M][i] = (float)m[i];
    for (size_t k = 0; k < 3; k++) {
      row[SIMD_X + k][i] = (float)x[3 * i + k];
      row[SIMD_V + k][i] = (float)v[3 * i + k];
      if (ds) row[SIMD_LO + k][i] = (float)(x[3 * i + k] - row[SIMD_X + k][i]);
    }
  }
}

/* The same for a chunk whose sources are not one after the other, or which nj of them do not fill. */
static void fill_some(const struct host_simd *h, const struct hb_force_sources *j, size_t from, size_t nj,
                      float (*row)[SIMD_CHUNK])
{
  double m[SIMD_CHUNK] = {0}, x[3 * SIMD_CHUNK], v[3 * SIMD_CHUNK] = {0};
  for (size_t k = 0; k < nj; k++) {
    size_t i = h->is_ordered ? h->order[from + k] : from + k;
    m[k] = j->m[i];
    memcpy(x + 3 * k, j->x + 3 * i, 3 * sizeof *x);
    memcpy(v + 3 * k, j->v + 3 * i, 3 * sizeof *v);
  }
  for (size_t k = 3 * nj; k < 3 * SIMD_CHUNK; k++) x[k] = pad_distance;
  fill_chunk(h->ds, m, x, v, row);
}

/* The sources as they were given, for the threads that fill chunks with them. */
struct filling {
  const struct host_simd *h;
  const struct hb_force_sources *j;
};

static void fill_piece(void *context, size_t piece)
{
  const struct filling *f = context;
  const struct hb_force_sources *j = f->j;
  size_t size = rows(f->h) * SIMD_CHUNK, last = f->h->filled - 1, end = (piece + 1) * FILLED;
  for (size_t c = piece * FILLED; c < end && c <= last; c++) {
    size_t i = c * SIMD_CHUNK;
    float(*row)[SIMD_CHUNK] = (float(*)[SIMD_CHUNK])(f->h->source + c * size);
    if (c < last && !f->h->is_ordered)
      fill_chunk(f->h->ds, j->m + i, j->x + 3 * i, j->v + 3 * i, row);
    else
      fill_some(f->h, j, i, c < last ? SIMD_CHUNK : j->n - i, row);
  }
}

static void host_simd_set_eps(void *state, double eps)
{
  ((struct host_simd *)state)->eps2 = (float)(eps * eps);
}

/* Nobody feels those without mass, such as members of groups that a node stands for: where they are many, they go to the end. */
static enum hb_status find_order(struct host_simd *h, const struct hb_force_sources *s)
{
  size_t massive = 0, first = 0;
  for (size_t i = 0; i < s->n; i++) massive += s->m[i] != 0;
  h->is_ordered = hb_massless_are_many(s->n, s->n - massive);
  h->chunks = h->filled;
  if (!h->is_ordered) return HB_OK;
  h->chunks = hb_div_ceil(massive, SIMD_CHUNK);
  HB_TRY(HB_RENEW(s->n, &h->order_room, HB_ARRAY(1, &h->order), HB_ARRAY(1, &h->place)));
  for (size_t i = 0, last = massive; i < s->n; i++) {
    size_t at = s->m[i] != 0 ? first++ : last++;
    h->order[at] = (uint32_t)i;
    h->place[i] = (uint32_t)at;
  }
  return HB_OK;
}

static enum hb_status host_simd_send(struct host_simd *h, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  size_t chunks = hb_div_ceil(s->n, SIMD_CHUNK);
  HB_TRY(HB_RENEW(chunks, &h->room, HB_ARRAY(rows(h) * SIMD_CHUNK, &h->source)));
  h->filled = chunks;
  HB_TRY(find_order(h, s));
  struct filling filling = {h, s};
  int threads = s->n < sources_worth_threads ? 1 : hb_parallel_threads();
  hb_parallel_for(threads, hb_div_ceil(chunks, FILLED), fill_piece, &filling);
  hb_force_sent(job, job->since);
  return HB_OK;
}

/* A block at work. */
struct block {
  const struct host_simd *h;
  size_t group; /* how many sinks make a piece */
  const struct hb_force_sinks *sinks;
  const struct hb_force_results *to;
};

static void take_point(int ds, const double x[3], const double v[3], struct simd_sink *sink)
{
  for (size_t k = 0; k < 3; k++) {
    sink->x[k] = (float)x[k];
    sink->v[k] = (float)v[k];
    sink->lo[k] = ds ? (float)(x[k] - sink->x[k]) : 0;
  }
}

static void take_sinks(const struct block *block, size_t first, size_t ni, struct simd_sink *sinks)
{
  const struct host_simd *h = block->h;
  for (size_t b = 0; b < ni; b++) {
    size_t i = block->sinks->index[first + b];
    if (h->is_ordered && i < h->order_room) i = h->place[i];
    sinks[b].index = (uint32_t)i;
    if (block->sinks->x) {
      take_point(h->ds, block->sinks->x + 3 * (first + b), block->sinks->v + 3 * (first + b), &sinks[b]);
      continue;
    }
    const float *source = h->source + i / SIMD_CHUNK * rows(h) * SIMD_CHUNK + i % SIMD_CHUNK;
    for (size_t k = 0; k < 3; k++) {
      sinks[b].x[k] = source[(SIMD_X + k) * SIMD_CHUNK];
      sinks[b].v[k] = source[(SIMD_V + k) * SIMD_CHUNK];
      sinks[b].lo[k] = h->ds ? source[(SIMD_LO + k) * SIMD_CHUNK] : 0;
    }
  }
}

/* total[ni] of sinks from `first` on: the sum over the segments from .. to, each summed on its own and then added in ascending order:
 * the same bits whether one call takes all segments or many calls one each. */
static void sum_segments(const struct block *block, size_t first, size_t ni, size_t from, size_t to,
                         double (*total)[SIMD_SUMS])
{
  const struct host_simd *h = block->h;
  struct simd_sink sinks[SIMD_SINKS];
  take_sinks(block, first, ni, sinks);
  memset(total, 0, ni * sizeof *total);
  for (size_t s = from; s < to; s++) {
    double sum[SIMD_SINKS][SIMD_SUMS] = {0};
    size_t end = (s + 1) * SEGMENT < h->chunks ? (s + 1) * SEGMENT : h->chunks;
    for (size_t c = s * SEGMENT; c < end; c += PART)
      h->sum(h->source, c, c + PART < end ? c + PART : end, h->eps2, ni, sinks, sum);
    for (size_t b = 0; b < ni; b++)
      for (int k = 0; k < SIMD_SUMS; k++) total[b][k] += sum[b][k];
  }
}

static void give(const double total[SIMD_SUMS], const struct hb_force_results *to, size_t i)
{
  double *a = to->a + 3 * i, *j = to->j + 3 * i;
  for (int k = 0; k < 3; k++) a[k] = simd_scale[k] * total[k];
  for (int k = 0; k < 3; k++) j[k] = simd_scale[3 + k] * total[3 + k];
  to->phi[i] = simd_scale[6] * total[6];
}

static size_t at_most(size_t n, size_t most) { return n < 1 ? 1 : n < most ? n : most; }

static size_t segments(const struct host_simd *h) { return hb_div_ceil(h->chunks, SEGMENT); }

static void eval_sinks(void *context, size_t piece)
{
  const struct block *block = context;
  double total[SIMD_SINKS][SIMD_SUMS];
  size_t b = piece * block->group, end = hb_parallel_end(block->sinks->n, block->group, b);
  sum_segments(block, b, end - b, 0, segments(block->h), total);
  for (size_t k = b; k < end; k++) give(total[k - b], block->to, k);
}

static void eval_segment(void *context, size_t piece)
{
  const struct block *block = context;
  size_t count = segments(block->h), s = piece % count;
  sum_segments(block, piece / count, 1, s, s + 1, &block->h->parts[piece]);
}

/* Too few sinks for all threads: they share the segments of the sources too. */
static enum hb_status eval_by_segments(struct host_simd *h, struct block *block, int threads)
{
  size_t count = segments(h), pieces = block->sinks->n * count;
  HB_TRY(HB_RENEW(pieces, &h->parts_room, HB_ARRAY(1, &h->parts)));
  hb_parallel_for(threads, pieces, eval_segment, block);
  for (size_t b = 0; b < block->sinks->n; b++) {
    double total[SIMD_SUMS] = {0};
    for (size_t s = 0; s < count; s++)
      for (int k = 0; k < SIMD_SUMS; k++) total[k] += h->parts[b * count + s][k];
    give(total, block->to, b);
  }
  return HB_OK;
}

static enum hb_status host_simd_begin(void *state, const struct hb_force_job *job)
{
  struct host_simd *h = state;
  struct block block = {.h = h, .sinks = &job->sinks, .to = &job->to};
  size_t ni = job->sinks.n;
  if (job->sources.m) HB_TRY(host_simd_send(h, job));
  if (ni == 0) return HB_OK;
  double pairs = (double)ni * (double)h->chunks * SIMD_CHUNK;
  int threads = pairs < pairs_worth_threads ? 1 : hb_parallel_threads();
  size_t pieces = PIECES * (size_t)threads;
  if (threads > 1 && ni < pieces) return eval_by_segments(h, &block, threads);
  block.group = threads > 1 ? at_most(ni / pieces, SIMD_SINKS) : SIMD_SINKS;
  hb_parallel_for(threads, hb_div_ceil(ni, block.group), eval_sinks, &block);
  return HB_OK;
}

static void host_simd_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  int ds = hb_precision_find(params->precision) == HB_PRECISION_DS;
  need->host_particle += (ds ? SIMD_ROWS_DS : SIMD_ROWS) * sizeof(float);
}

static const char *host_simd_device(const void *state) { return ((const struct host_simd *)state)->device; }

const struct hb_force_ops hb_force_host_simd = {
    .info = {.name = "host-simd",
             .summary = "single precision pairs on the processor's vector units",
             .source = "[PZ07] eq. 1",
             .precisions = "single ds",
             .flops_per_pair = 46,
             .on_host = 1},
    .reach = HB_FORCE_FLOAT_REACH,
    .open = host_simd_open,
    .close = host_simd_close,
    .memory = host_simd_memory,
    .set_eps = host_simd_set_eps,
    .begin = host_simd_begin,
    .has_points = 1,
    .device = host_simd_device,
};
