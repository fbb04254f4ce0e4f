/* The kernel of 2007 on the processor, in the arithmetic of its two cards: an emulation of their numbers, not of their speed.
 *
 * [PZ07] appendix A, as cg2007 walks it: sinks are placed before the other particles, in pass p each meets the particle p places on,
 * and sums are floats that run from pass to pass. A product that is added is one operation of the cards, a * b + c.
 *
 * Assumed, where the sources leave it open (see also gpu2007_arithmetic.h):
 *   - the compiler of Cg keeps the order of the listing, takes a * b + c wherever a product is added, and makes sqrt(x) of two
 *     reciprocals, 1 / (1 / sqrt(x));
 *   - particles are predicted on the host in double, and sent as floats ([PZ07] section 3.1). */
#include "force/source.h"

#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "force/gpu2007_arithmetic.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  SUMS = 7,  /* ax ay az jx jy jz phi */
  LANES = 16 /* sinks side by side: they meet particles side by side */
};
enum { X, Y, Z, VX, VY, VZ, M, COLUMNS };

struct gpu2007_machine {
  enum gpu2007 kind;
  float eps2;
  size_t nj, room;
  float *sent,
      *placed; /* [COLUMNS][nj]; [COLUMNS][nj + LANES], in the order of places, and on from the first */
  unsigned char *is_sink;         /* [nj] */
  const struct hb_force_job *job; /* the one at work */
  char device[160];
};

static enum hb_status gpu2007_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                   void **state)
{
  (void)gl;
  struct gpu2007_machine *g;
  HB_TRY(HB_ALLOC(1, &g));
  *state = g;
  enum hb_precision precision = hb_precision_find(params->precision);
  g->kind = precision == HB_PRECISION_G80    ? GPU2007_G80
            : precision == HB_PRECISION_NV40 ? GPU2007_NV40
                                             : GPU2007_SINGLE;
  g->eps2 = (float)hb_force_eps2(params);
  static const char *const names[] = {"cg2007 emulated, ", "8800GTX emulated, ", "FX1400 emulated, "};
  hb_force_name_processor(names[g->kind], "", sizeof g->device, g->device);
  return HB_OK;
}

static void gpu2007_close(void *state)
{
  struct gpu2007_machine *g = state;
  if (!g) return;
  HB_FREE(g->sent, g->placed, g->is_sink, g);
}

/* ---- particles ---- */

static size_t places(const struct gpu2007_machine *g) { return g->nj + LANES; }

static float as_sent(const struct gpu2007_machine *g, double x)
{
  float nearest = (float)x;
  return g->kind != GPU2007_SINGLE && fabsf(nearest) < FLT_MIN ? 0 : nearest;
}

static enum hb_status gpu2007_send(struct gpu2007_machine *g, const struct hb_force_job *job)
{
  size_t nj = job->sources.n;
  g->nj = nj;
  HB_TRY(HB_RENEW(places(g), &g->room, HB_ARRAY(COLUMNS, &g->sent), HB_ARRAY(COLUMNS, &g->placed),
                  HB_ARRAY(1, &g->is_sink)));
  for (size_t i = 0; i < nj; i++) {
    for (size_t c = 0; c < 3; c++) {
      g->sent[(X + c) * nj + i] = as_sent(g, job->sources.x[3 * i + c]);
      g->sent[(VX + c) * nj + i] = as_sent(g, job->sources.v[3 * i + c]);
    }
    g->sent[M * nj + i] = as_sent(g, job->sources.m[i]);
  }
  hb_force_sent(job, job->since);
  return HB_OK;
}

static void place(struct gpu2007_machine *g, size_t at, size_t i)
{
  for (size_t c = 0; c < COLUMNS; c++) {
    float *column = g->placed + c * places(g);
    for (size_t k = at; k < places(g); k += g->nj) column[k] = g->sent[c * g->nj + i];
  }
}

static void place_all(struct gpu2007_machine *g, const struct hb_force_sinks *sinks)
{
  memset(g->is_sink, 0, g->nj);
  for (size_t k = 0; k < sinks->n; k++) {
    place(g, k, sinks->index[k]);
    g->is_sink[sinks->index[k]] = 1;
  }
  for (size_t j = 0, next = sinks->n; j < g->nj; j++)
    if (!g->is_sink[j]) place(g, next++, j);
}

/* ---- the kernel ---- */

/* An operation of all lanes; what the compiler knows of `kind` leaves one loop, which it makes of vector instructions. */
#define INLINE static inline __attribute__((always_inline))
#define LANE   _Pragma("omp simd") for (int l = 0; l < LANES; l++)
#define KIND(WHAT, ...)                                                                                      \
  (kind == GPU2007_G80 ? g80_##WHAT(__VA_ARGS__) : kind == GPU2007_NV40 ? nv40_##WHAT(__VA_ARGS__)

INLINE void subtract(enum gpu2007 kind, const float *a, const float *b, float *r)
{
  LANE r[l] = KIND(add, a[l], -b[l]) : a[l] - b[l]);
}

INLINE void multiply(enum gpu2007 kind, const float *a, const float *b, float *r)
{
  LANE r[l] = KIND(multiply, a[l], b[l]) : a[l] * b[l]);
}

INLINE void multiply_add(enum gpu2007 kind, const float *a, const float *b, const float *c, float *r)
{
  LANE r[l] = KIND(multiply_add, a[l], b[l], c[l]) : a[l] * b[l] + c[l]);
}

/* From the last component on, as Mesa compiles it. */
INLINE void dot(enum gpu2007 kind, const float a[3][LANES], const float b[3][LANES], float *r)
{
  multiply(kind, a[2], b[2], r);
  multiply_add(kind, a[1], b[1], r, r);
  multiply_add(kind, a[0], b[0], r, r);
}

INLINE void reciprocal(enum gpu2007 kind, const float *x, float *r)
{
  if (kind == GPU2007_SINGLE)
    LANE r[l] = 1 / x[l];
  else
    LANE r[l] = gpu2007_reciprocal(x[l]);
}

INLINE void root(enum gpu2007 kind, const float *x, float *r)
{
  if (kind == GPU2007_SINGLE)
    LANE r[l] = sqrtf(x[l]);
  else
    LANE r[l] = gpu2007_reciprocal(gpu2007_root(x[l]));
}

/* One pass; the names are those of the listing. */
INLINE void meet(enum gpu2007 kind, const struct gpu2007_machine *g, const float sink[M][LANES],
                 const float *const other[COLUMNS], float sum[SUMS][LANES])
{
  float dx[3][LANES], dv[3][LANES], r2[LANES], xdotv[LANES], r2inv[LANES], rinv[LANES], r3inv[LANES],
      mr3inv[LANES], less[LANES], jerk[LANES];
  for (int c = 0; c < 3; c++) {
    subtract(kind, other[X + c], sink[X + c], dx[c]);
    subtract(kind, other[VX + c], sink[VX + c], dv[c]);
  }
  dot(kind, dx, dx, r2);
  dot(kind, dx, dv, xdotv);
  LANE r2[l] = KIND(add, g->eps2, r2[l]) : g->eps2 + r2[l]);
  reciprocal(kind, r2, r2inv);
  root(kind, r2inv, rinv);
  multiply(kind, r2inv, rinv, r3inv);
  multiply(kind, other[M], r3inv, mr3inv);
  LANE xdotv[l] = KIND(multiply, 3, xdotv[l]) : 3 * xdotv[l]);
  multiply(kind, r2inv, r3inv, r2); /* r5inv */
  multiply(kind, xdotv, r2, xdotv); /* xdotvr5inv */
  for (int c = 0; c < 3; c++) {
    multiply(kind, xdotv, dx[c], less);
    LANE less[l] = -less[l];
    multiply_add(kind, r3inv, dv[c], less, jerk);
    multiply_add(kind, mr3inv, dx[c], sum[c], sum[c]);
    multiply_add(kind, other[M], jerk, sum[3 + c], sum[3 + c]);
  }
  LANE less[l] = -rinv[l];
  multiply_add(kind, other[M], less, sum[6], sum[6]);
}

/* All passes of LANES sinks from one place on. */
INLINE void walk(enum gpu2007 kind, const struct gpu2007_machine *g, size_t from, float sum[SUMS][LANES])
{
  const size_t row = places(g);
  const float *other[COLUMNS];
  float sink[M][LANES];
  for (size_t c = 0; c < M; c++) memcpy(sink[c], g->placed + c * row + from, sizeof sink[c]);
  for (size_t pass = 1; pass < g->nj; pass++) {
    for (size_t c = 0; c < COLUMNS; c++) other[c] = g->placed + c * row + (from + pass) % g->nj;
    meet(kind, g, sink, other, sum);
  }
}

HB_CLONES static void walk_single(const struct gpu2007_machine *g, size_t from, float sum[SUMS][LANES])
{
  walk(GPU2007_SINGLE, g, from, sum);
}
HB_CLONES static void walk_g80(const struct gpu2007_machine *g, size_t from, float sum[SUMS][LANES])
{
  walk(GPU2007_G80, g, from, sum);
}
HB_CLONES static void walk_nv40(const struct gpu2007_machine *g, size_t from, float sum[SUMS][LANES])
{
  walk(GPU2007_NV40, g, from, sum);
}

static void eval_lanes(void *machine, size_t from, size_t end)
{
  const struct gpu2007_machine *g = machine;
  const struct hb_force_results *to = &g->job->to;
  float sum[SUMS][LANES] = {0};
  (g->kind == GPU2007_G80 ? walk_g80 : g->kind == GPU2007_NV40 ? walk_nv40 : walk_single)(g, from, sum);
  for (size_t l = 0; l < end - from; l++) {
    for (size_t c = 0; c < 3; c++) {
      to->a[3 * (from + l) + c] = (double)sum[c][l];
      to->j[3 * (from + l) + c] = (double)sum[3 + c][l];
    }
    to->phi[from + l] = (double)sum[6][l];
  }
}

static enum hb_status gpu2007_begin(void *state, const struct hb_force_job *job)
{
  struct gpu2007_machine *g = state;
  if (job->sources.m) HB_TRY(gpu2007_send(g, job));
  if (job->sinks.n == 0) return HB_OK;
  place_all(g, &job->sinks);
  g->job = job;
  hb_parallel_pieces(job->sinks.n, LANES, HB_FORCE_PAIRS_ALONE / g->nj, eval_lanes, g);
  return HB_OK;
}

/* sent and placed; is_sink. */
static void gpu2007_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  (void)params;
  need->host_particle += 2 * COLUMNS * sizeof(float) + 1;
  need->host_fixed += COLUMNS * LANES * sizeof(float);
}

static const char *gpu2007_device(const void *state)
{
  return ((const struct gpu2007_machine *)state)->device;
}

const struct hb_force_ops hb_force_gpu2007 = {
    .info = {.name = "gpu2007",
             .summary =
                 "cg2007 on the processor, in the arithmetic of its cards, 8800GTX and FX1400, emulated",
             .source = "[PZ07] appendix A",
             .precisions = "g80 nv40 single",
             .flops_per_pair = 47,
             .on_host = 1,
             .is_historic = 1},
    .reach = 0x1p23, /* r^-5 */
    .open = gpu2007_open,
    .close = gpu2007_close,
    .memory = gpu2007_memory,
    .begin = gpu2007_begin,
    .device = gpu2007_device,
};
