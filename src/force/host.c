/* The host as source of forces: exact double precision, the reference; or the bits that every device has. */
#include "force/source.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/gravity.h"
#include "pairs/pairs.h"

#include <string.h>

/* ---- precision reproducible: the pairs of shaders/interactions/gravity_jerk.glsl in C, operation by operation ---- */

/* As a device has it: its records, and the low parts of its position. */
struct particle {
  float x[3], m, v[3], unused, low[3], unused_too;
};

/* A lane is a sink: each adds its sources in their order. The widest vector there is; the compiler takes what the machine has. */
enum { LANES = 16, SUMS = HB_FIXED_SUMS, GROUPS = 3, PIECES = 4 /* of work per thread */ };
typedef float VECTOR __attribute__((vector_size(4 * LANES)));
typedef int32_t MASK __attribute__((vector_size(4 * LANES)));
typedef uint32_t WORDS __attribute__((vector_size(4 * LANES)));
typedef double DOUBLES __attribute__((vector_size(8 * LANES)));
/* They wrap where a scale was too fine, and the sum is made again. */
typedef uint64_t LONGS __attribute__((vector_size(8 * LANES)));

struct sinks {
  VECTOR x[3], low[3], v[3];
  WORDS own;            /* the source that each leaves out */
  VECTOR scale[GROUPS]; /* of record 0 and its w, of record 1 */
};

struct sums {
  LONGS sum[SUMS];
  WORDS most[GROUPS]; /* bits of the largest sum of a block, without its sign */
};

static const int group_of[SUMS] = {0, 0, 0, 1, 2, 2, 2};

struct fixed_host {
  struct hb_fixed_column how[HB_REPRODUCIBLE_COLUMNS];
  float eps2;
  size_t nj, room, points_room;
  struct particle *source, *points;

  /* the call under way */
  size_t ni, others_room, parts; /* pieces of the sources */
  const uint32_t *own, *scale;
  int at;                                 /* of points */
  struct hb_fixed_total *totals, *others; /* [ni] of the first piece, the caller's; [parts - 1][ni] */
};

static void destroy_fixed(struct fixed_host *h)
{
  if (!h) return;
  HB_FREE(h->source, h->points, h->others, h);
}

/* ---- particles ---- */

static void pack(const struct fixed_host *h, size_t n, const double *m, const double *x, const double *v,
                 struct particle *p)
{
  static const double zero = 0;
  const struct hb_column position[4] = {{x, 3}, {x + 1, 3}, {x + 2, 3}, {m ? m : &zero, m ? 1 : 0}};
  const struct hb_column velocity[4] = {{v, 3}, {v + 1, 3}, {v + 2, 3}, {&zero, 0}};
  const struct hb_pairs_stretch all = {0, n, sizeof *p};
  hb_pairs_pack(position, h->how, &all, offsetof(struct particle, low), (char *)p);
  hb_pairs_pack(velocity, h->how + 4, &all, 0, (char *)p->v);
}

static enum hb_status send_fixed(struct fixed_host *h, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  hb_reproducible_rounding(job->words.units, h->how);
  h->eps2 = hb_reproducible_eps2(job->words.units);
  HB_TRY(HB_RENEW(s->n, &h->room, HB_ARRAY(1, &h->source)));
  h->nj = s->n;
  pack(h, s->n, s->m, s->x, s->v, h->source);
  hb_force_sent(job, job->since);
  return HB_OK;
}

/* ---- pairs ---- */

#define INLINE static inline __attribute__((always_inline))

/* 1 / sqrt(x), as root() of common/real.glsl. */
INLINE void root(const VECTOR *x, VECTOR *result)
{
  const WORDS half = 0x5f1ffff9u - ((WORDS)*x >> 1);
  const VECTOR y = (VECTOR)half, y1 = y * (1.681914091f - (0.703952253f * *x) * (y * y));
  const VECTOR e = 1.0f - *x * (y1 * y1);
  *result = y1 + y1 * (e * (0.5f + 0.375f * e));
}

/* As interact() of gravity_jerk.glsl. In a lane of `self` the sink meets itself: at distance 1 and without mass it adds zeros. */
INLINE void interact(const struct sinks *i, const struct particle *j, float eps2, const MASK *self,
                     VECTOR f[SUMS])
{
  VECTOR r[3], v[3], m = j->m - (VECTOR){0};
  for (int k = 0; k < 3; k++) r[k] = (j->x[k] - i->x[k]) + (j->low[k] - i->low[k]);
  for (int k = 0; k < 3; k++) v[k] = j->v[k] - i->v[k];
  VECTOR r2 = r[2] * r[2] + (r[1] * r[1] + (r[0] * r[0] + eps2));
  if (self) {
    const VECTOR one = 1.0f - (VECTOR){0};
    r2 = (VECTOR)(((MASK)r2 & ~*self) | ((MASK)one & *self));
    m = (VECTOR)((MASK)m & ~*self);
  }
  VECTOR rinv;
  root(&r2, &rinv);
  const VECTOR rinv2 = rinv * rinv, mrinv = m * rinv, mrinv3 = mrinv * rinv2;
  const VECTOR rv = r[2] * v[2] + (r[1] * v[1] + r[0] * v[0]), alpha = (3.0f * rinv2) * rv;
  for (int k = 0; k < 3; k++) {
    f[k] += mrinv3 * r[k];
    f[4 + k] += mrinv3 * (v[k] - alpha * r[k]);
  }
  f[3] -= mrinv;
}

/* Adds a block's sums to the totals, each rounded to a whole number of its scale: multiples of 2^30, and the rest. */
INLINE void accumulate(const struct sinks *i, const VECTOR f[SUMS], struct sums *total)
{
  const DOUBLES round = 0x1.8p52 - (DOUBLES){0};
  for (int k = 0; k < SUMS; k++) {
    const VECTOR scaled = f[k] * i->scale[group_of[k]];
    const DOUBLES units = __builtin_convertvector(scaled, DOUBLES), coarse = units * 0x1p-30 + round;
    const DOUBLES fine = (units - (coarse - round) * 0x1p30) + round;
    total->sum[k] += (((LONGS)coarse - (LONGS)round) << 30) + ((LONGS)fine - (LONGS)round);
    const WORDS size = (WORDS)f[k] & 0x7fffffffu, most = total->most[group_of[k]];
    const WORDS larger = (WORDS)(size > most);
    total->most[group_of[k]] = (size & larger) | (most & ~larger);
  }
}

/* Blocks of sources, from .. to, on LANES sinks. */
HB_CLONES static void sum_blocks(const struct fixed_host *h, const struct sinks *i, size_t from, size_t to,
                                 struct sums *total)
{
  for (size_t begin = from; begin < to; begin += HB_FIXED_BLOCK) {
    const size_t end = begin + HB_FIXED_BLOCK < to ? begin + HB_FIXED_BLOCK : to;
    VECTOR f[SUMS];
    int careful = 0;
    for (int k = 0; k < SUMS; k++) f[k] = (VECTOR){0};
    for (int l = 0; l < LANES; l++) careful |= i->own[l] >= begin && i->own[l] < end;
    for (size_t j = begin; j < end; j++) {
      const MASK self = (MASK)(i->own == (uint32_t)j);
      if (careful)
        interact(i, &h->source[j], h->eps2, &self, f);
      else
        interact(i, &h->source[j], h->eps2, NULL, f);
    }
    accumulate(i, f, total);
  }
}

/* ---- the call ---- */

static void take_sinks(const struct fixed_host *h, size_t first, size_t count, struct sinks *i)
{
  for (size_t l = 0; l < LANES; l++) {
    size_t at = first + (l < count ? l : count - 1);
    const struct particle *p = h->at ? &h->points[at] : &h->source[h->own[at]];
    for (int k = 0; k < 3; k++) {
      i->x[k][l] = p->x[k];
      i->low[k][l] = p->low[k];
      i->v[k][l] = p->v[k];
    }
    i->own[l] = h->own[at];
    for (int g = 0; g < GROUPS; g++) i->scale[g][l] = hb_bits_to_float(hb_fixed_byte(h->scale[at], g) << 23);
  }
}

static void give_sums(const struct sums *s, size_t count, struct hb_fixed_total *total)
{
  for (size_t l = 0; l < count; l++) {
    for (int k = 0; k < SUMS; k++) total[l].sum[k] = s->sum[k][l];
    total[l].most = 0;
    for (int g = 0; g < GROUPS; g++) total[l].most |= s->most[g][l] >> 23 << 8 * g;
  }
}

static size_t part_length(const struct fixed_host *h)
{
  return hb_div_ceil(hb_div_ceil(h->nj, HB_FIXED_BLOCK), h->parts) * HB_FIXED_BLOCK;
}

static void sum_piece(void *context, size_t piece)
{
  const struct fixed_host *h = context;
  size_t groups = hb_div_ceil(h->ni, LANES), part = piece / groups, first = piece % groups * LANES;
  size_t count = hb_min(LANES, h->ni - first), length = part_length(h), from = hb_min(part * length, h->nj);
  struct sinks i;
  struct sums s = {0};
  take_sinks(h, first, count, &i);
  sum_blocks(h, &i, from, hb_min(from + length, h->nj), &s);
  give_sums(&s, count, (part ? h->others + (part - 1) * h->ni : h->totals) + first);
}

/* Less work than this is done before a second thread has woken up. */
static const double pairs_worth_threads = 16384;

/* Where there are too few sinks for all threads, they share the sources, too. */
static enum hb_status eval_fixed(struct fixed_host *h, struct hb_fixed_total *totals)
{
  size_t groups = hb_div_ceil(h->ni, LANES), blocks = hb_div_ceil(h->nj, HB_FIXED_BLOCK);
  int threads = (double)groups * LANES * (double)h->nj < pairs_worth_threads ? 1 : hb_parallel_threads();
  size_t wanted = threads > 1 ? hb_div_ceil(PIECES * (size_t)threads, groups) : 1;
  h->parts = hb_min(wanted, blocks);
  size_t others = h->ni * (h->parts - 1);
  HB_TRY(HB_RENEW(others, &h->others_room, HB_ARRAY(1, &h->others)));
  h->totals = totals;
  hb_parallel_for(threads, groups * h->parts, sum_piece, h);
  for (size_t k = 0; k < others; k++) hb_fixed_add(&totals[k % h->ni], &h->others[k]);
  return HB_OK;
}

/* As in struct hb_force_ops, of this handle; the totals are there when it returns. */
static enum hb_status begin_fixed(struct fixed_host *h, const struct hb_force_job *job)
{
  const struct hb_force_sinks *i = &job->sinks;
  if (job->sources.m) HB_TRY(send_fixed(h, job));
  if (i->n == 0) return HB_OK;
  if (i->x) HB_TRY(HB_RENEW(i->n, &h->points_room, HB_ARRAY(1, &h->points)));
  if (i->x) pack(h, i->n, NULL, i->x, i->v, h->points);
  h->ni = i->n;
  h->at = i->x != NULL;
  h->own = i->index;
  h->scale = job->words.scale;
  return eval_fixed(h, job->words.totals);
}

/* ---- the source ---- */

struct host {
  double eps2;
  size_t room;
  struct hb_gravity *gravity;
  struct fixed_host *reproducible; /* in that precision */
  char device[160];
};

static enum hb_status host_open(const struct hb_force_params *params, struct hb_gl_context *gl, void **state)
{
  (void)gl;
  struct host *h;
  HB_TRY(HB_ALLOC(1, &h));
  *state = h;
  h->eps2 = hb_force_eps2(params);
  if (hb_precision_find(params->precision) == HB_PRECISION_REPRODUCIBLE)
    HB_TRY(HB_ALLOC(1, &h->reproducible));
  hb_force_name_processor("", "", sizeof h->device, h->device);
  return HB_OK;
}

static void host_close(void *state)
{
  struct host *h = state;
  if (!h) return;
  hb_gravity_destroy(h->gravity);
  destroy_fixed(h->reproducible);
  hb_mem_free(h);
}

static void host_set_eps(void *state, double eps) { ((struct host *)state)->eps2 = eps * eps; }

static enum hb_status host_send(struct host *h, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  if (s->n > h->room) {
    hb_gravity_destroy(h->gravity);
    h->gravity = NULL;
    h->room = 0;
    HB_TRY(hb_gravity_create(s->n, &h->gravity));
    h->room = s->n;
  }
  hb_gravity_set_j(h->gravity, s->n, s->m, s->x, s->v);
  hb_force_sent(job, job->since);
  return HB_OK;
}

static enum hb_status host_begin(void *state, const struct hb_force_job *job)
{
  struct host *h = state;
  const struct hb_force_sinks *i = &job->sinks;
  const struct hb_force_results *to = &job->to;
  if (h->reproducible) return begin_fixed(h->reproducible, job);
  if (job->sources.m) HB_TRY(host_send(h, job));
  if (i->x)
    hb_gravity_at(h->gravity, h->eps2, i->n, i->x, i->v, i->index, to->a, to->j, to->phi);
  else if (i->n)
    hb_gravity_eval(h->gravity, h->eps2, i->n, i->index, to->a, to->j, to->phi);
  return HB_OK;
}

/* The columns of struct hb_gravity, or floats. */
static void host_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  int reproducible = hb_precision_find(params->precision) == HB_PRECISION_REPRODUCIBLE;
  need->host_particle += reproducible ? 12 * sizeof(float) : 7 * sizeof(double);
}

static const char *host_device(const void *state) { return ((const struct host *)state)->device; }

const struct hb_force_ops hb_force_host = {
    .info = {.name = "host",
             .summary = "double precision on the processor, the reference",
             .source = "[PZ07] eq. 1",
             .precisions = "double reproducible",
             .flops_per_pair = 43,
             .on_host = 1,
             .is_exact = 1},
    .open = host_open,
    .close = host_close,
    .memory = host_memory,
    .set_eps = host_set_eps,
    .begin = host_begin,
    .has_points = 1,
    .device = host_device,
};
