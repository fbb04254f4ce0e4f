/* GRAPE-6 on the processor: an emulation of its arithmetic, not of its speed, after [PZ07] section 4.2.
 *
 *   positions     64-bit fixed point; a difference is exact, then rounded to 24 bits
 *   force         24 bits after every operation; acceleration and potential are summed in 64-bit fixed point
 *   jerk          20 bits after every operation, from the same 1 / r^2 and m / r^3; summed in 32-bit fixed point
 *   sums          block floating point: each sink has one exponent for a, one for j, one for phi; a sum that overflows
 *                 is taken again in units 2^5 as large
 *
 * Fixed point sums do not depend on the order of the sources, nor on which thread adds them: the same bits from any number of
 * threads and any permutation. Assumed, where the sources leave it open:
 *   - a mantissa counts its leading bit; every operation rounds its exact result to nearest; exponents never overflow;
 *   - masses, velocities and eps^2 reach the pipeline with 24 bits, 1 / r comes out of it correctly rounded to 24;
 *   - the unit of positions is 2^-62 of the power of two above the largest coordinate, where a client of GRAPE chose one
 *     for the whole run (g6_set_xunit);
 *   - exponents start at the largest pair term of the sink, the smallest possible. A client of GRAPE guessed them
 *     from the force of the last step; then the bits would depend on the past, and a restart would change them;
 *   - a sum overflows when its end does not fit, not on the way: in two's complement the way does not matter;
 *   - particles are predicted on the host, in double. */
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "force/source.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* ---- numbers ---- */

/* Held in doubles and 64-bit integers, so that a vector unit can work on them. */
enum {
  GRAPE6_FORCE_BITS = 64, /* accumulators of acceleration and potential   */
  GRAPE6_JERK_BITS = 32,  /* of the jerk                                  */
  GRAPE6_RETRY = 5        /* an overflowing sum is taken again in units 2^5 as large */
};

/* x to 24 and to 20 bits: the head of Dekker's split, the tail of which has 29 and 33. */
static inline double grape6_round24(double x)
{
  double c = x * (0x1p29 + 1);
  return c - (c - x);
}

static inline double grape6_round20(double x)
{
  double c = x * (0x1p33 + 1);
  return c - (c - x);
}

/* To a whole number, for |x| <= 2^51: beyond it a double has no halves. */
static inline double grape6_whole(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* A 64-bit fixed point number as two whole ones, hi 2^32 + lo, |hi| and |lo| <= 2^31. */
struct grape6_fixed {
  double hi, lo;
};

/* x, of |x| < 2^63, to a whole number. */
static inline struct grape6_fixed grape6_fix(double x)
{
  double hi = grape6_whole(x * 0x1p-32);
  return (struct grape6_fixed){hi, grape6_whole(x - hi * 0x1p32)};
}

/* The difference of two fixed numbers to 24 bits. hi 2^32 and lo are exact; their sum passes through 53 bits, which moves
 * one rounding to 24 bits in some 2^29. */
static inline double grape6_difference(double hi, double lo, double hi0, double lo0)
{
  return grape6_round24((hi - hi0) * 0x1p32 + (lo - lo0));
}

/* A sum of fixed numbers, hi 2^32 + lo, wider than the machine's: it holds 2^31 terms of 63 bits without overflow, so that
 * whether the sum fits is decided at the end, independent of the order of the terms. */
struct grape6_sum {
  int64_t hi, lo;
};

/* Adds term[count] / unit, each to a whole number; count <= 2^21, |term| < 2^63 unit, scale = 1 / unit. Whole numbers below
 * 2^53 add exactly: lanes and threads may take them in any order. */
HB_CLONES static void grape6_sum_add(struct grape6_sum *sum, const double *term, int64_t count, double scale)
{
  double hi = 0, lo = 0;
#pragma omp simd reduction(+ : hi, lo)
  for (int64_t k = 0; k < count; k++) {
    struct grape6_fixed f = grape6_fix(term[k] * scale);
    hi += f.hi;
    lo += f.lo;
  }
  sum->hi += (int64_t)hi;
  sum->lo += (int64_t)lo;
}

/* Its value in two's complement with that many bits; 0: it does not fit. */
static int grape6_sum_value(const struct grape6_sum *sum, int bits, int64_t *value)
{
  static const int64_t word = INT64_C(1) << 32;
  int64_t lo = sum->lo % word, hi = sum->hi + sum->lo / word;
  if (lo < 0) lo += word, hi--;
  if (hi < -(word / 2) || hi >= word / 2) return 0;
  *value = hi * word + lo;
  int64_t most = INT64_MAX >> (64 - bits);
  return *value <= most && *value >= -most - 1;
}

/* The smallest exponent e with |term| < 2^e; -900 ... 1024. */
static int grape6_exponent(double largest)
{
  int e;
  frexp(largest, &e);
  return e < -900 ? -900 : e;
}

/* The largest |term|; NaN or infinite if one is. Without their sign doubles sort like the integers of the same bits, NaN after
 * infinity after all numbers. */
HB_CLONES static double grape6_largest(const double *term, int64_t count)
{
  int64_t most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t k = 0; k < count; k++) {
    int64_t bits;
    memcpy(&bits, &term[k], sizeof bits);
    bits &= INT64_MAX;
    most = bits > most ? bits : most;
  }
  double largest;
  memcpy(&largest, &most, sizeof largest);
  return largest;
}

/* ---- sources ---- */

enum {
  TERMS = 7,   /* ax ay az jx jy jz phi of a pair */
  TILE = 8192, /* sources whose terms a thread holds at a time */
  COLUMNS = 7  /* of a source: lo of x, v, m */
};

/* Components that share an exponent. */
static const struct quantity {
  int first, count, bits;
} quantities[] = {{0, 3, GRAPE6_FORCE_BITS}, {3, 3, GRAPE6_JERK_BITS}, {6, 1, GRAPE6_FORCE_BITS}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* One column per coordinate; |hi| <= 2^30, since positions have 63 bits. */
struct sources {
  int32_t *hi[3];
  double *lo[3], *v[3], *m;
};

struct grape6 {
  double eps2;
  double unit; /* of positions, a power of two */
  size_t nj, room;
  double *columns; /* [COLUMNS][room] */
  int32_t *hi;     /* [3][room] */
  struct sources j;
  double (*terms)[TERMS][TILE]; /* [threads] */
  size_t threads;
  const struct hb_force_job *job; /* the one at work, */
  atomic_size_t next;             /* and the sink of it that is next */
  atomic_ullong
      retries; /* sums that overflowed and were taken again since it was opened; only tests read it */
  char device[160];
};

static enum hb_status grape6_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                  void **state)
{
  (void)gl;
  struct grape6 *g;
  HB_TRY(HB_ALLOC(1, &g));
  *state = g;
  g->eps2 = grape6_round24(hb_force_eps2(params));
  hb_force_name_processor("GRAPE-6 emulated, ", "", sizeof g->device, g->device);
  return HB_OK;
}

static void grape6_close(void *state)
{
  struct grape6 *g = state;
  if (!g) return;
  HB_FREE(g->columns, g->hi, g->terms, g);
}

/* ---- sources ---- */

static enum hb_status reserve_sources(struct grape6 *g, size_t nj)
{
  if (nj <= g->room) return HB_OK;
  HB_TRY(HB_RENEW(nj, &g->room, HB_ARRAY(COLUMNS, &g->columns), HB_ARRAY(3, &g->hi)));
  double **column[COLUMNS] = {&g->j.lo[0], &g->j.lo[1], &g->j.lo[2], &g->j.v[0],
                              &g->j.v[1],  &g->j.v[2],  &g->j.m};
  for (size_t c = 0; c < COLUMNS; c++) *column[c] = g->columns + c * nj;
  for (size_t k = 0; k < 3; k++) g->j.hi[k] = g->hi + k * nj;
  return HB_OK;
}

/* Fixed point has no exponent: one distant particle costs all others bits of their positions. At least half of them must
 * keep so many, which is enough for differences of 24 bits. */
enum { PLACE_BITS = 26 };

static enum hb_status check_places(size_t nj, const double *x, double largest, double unit)
{
  size_t poor = 0;
  for (size_t i = 0; i < nj; i++) {
    const double *q = x + 3 * i, least = ldexp(unit, PLACE_BITS);
    poor += fabs(q[0]) < least && fabs(q[1]) < least && fabs(q[2]) < least;
  }
  if (2 * poor <= nj) return HB_OK;
  return hb_fail(
      HB_ERR_NUMERIC,
      "the farthest particle is at %g from the center: in 64-bit fixed point %zu of %zu positions keep fewer "
      "than %d bits, expected half of them at most (scheme host computes in double)",
      largest, poor, nj, PLACE_BITS);
}

static enum hb_status grape6_send(struct grape6 *g, const struct hb_force_job *job)
{
  const double *m = job->sources.m, *x = job->sources.x, *v = job->sources.v;
  size_t nj = job->sources.n;
  HB_TRY(reserve_sources(g, nj));
  g->nj = nj;
  double largest = grape6_largest(x, (int64_t)(3 * nj));
  int e = isfinite(largest) ? grape6_exponent(largest) : 0; /* what is not finite makes every force NaN */
  g->unit = ldexp(1, e - 62);
  if (largest > 0 && isfinite(largest)) HB_TRY(check_places(nj, x, largest, g->unit));
  double scale = ldexp(1, 62 - e);
  for (size_t i = 0; i < nj; i++) {
    g->j.m[i] = grape6_round24(m[i]);
    for (size_t k = 0; k < 3; k++) {
      struct grape6_fixed f = grape6_fix(x[3 * i + k] * scale);
      g->j.hi[k][i] = fabs(f.hi) <= 0x1p30 ? (int32_t)f.hi : 0; /* else some lo is NaN */
      g->j.lo[k][i] = f.lo;
      g->j.v[k][i] = grape6_round24(v[3 * i + k]);
    }
  }
  hb_force_sent(job, job->since);
  return HB_OK;
}

/* ---- the pipeline ---- */

#define R24 grape6_round24
#define R20 grape6_round20

/* term[][k] of sink i and source from + k: [PZ07] eq. 1, with rij = xj - xi, and its time derivative. */
HB_CLONES static void pair_terms(const struct grape6 *g, size_t i, size_t from, size_t count,
                                 double (*restrict term)[TILE])
{
  const struct sources j = g->j;
  const double hi[3] = {j.hi[0][i], j.hi[1][i], j.hi[2][i]}, lo[3] = {j.lo[0][i], j.lo[1][i], j.lo[2][i]};
  const double vi[3] = {j.v[0][i], j.v[1][i], j.v[2][i]}, unit = g->unit, eps2 = g->eps2;
#pragma omp simd
  for (size_t k = 0; k < count; k++) {
    size_t s = from + k;
    double x = unit * grape6_difference(j.hi[0][s], j.lo[0][s], hi[0], lo[0]);
    double y = unit * grape6_difference(j.hi[1][s], j.lo[1][s], hi[1], lo[1]);
    double z = unit * grape6_difference(j.hi[2][s], j.lo[2][s], hi[2], lo[2]);
    double r2 = R24(R24(R24(R24(x * x) + R24(y * y)) + R24(z * z)) + eps2);
    double rinv = R24(1 / sqrt(r2)), rinv2 = R24(rinv * rinv);
    double mrinv = R24(j.m[s] * rinv), mrinv3 = R24(mrinv * rinv2);
    term[0][k] = R24(mrinv3 * x);
    term[1][k] = R24(mrinv3 * y);
    term[2][k] = R24(mrinv3 * z);
    term[6][k] = -mrinv;

    double vx = R20(j.v[0][s] - vi[0]), vy = R20(j.v[1][s] - vi[1]), vz = R20(j.v[2][s] - vi[2]);
    x = R20(x), y = R20(y), z = R20(z), mrinv3 = R20(mrinv3);
    double rv = R20(R20(R20(x * vx) + R20(y * vy)) + R20(z * vz));
    double w = R20(3 * R20(rv * R20(rinv2)));
    term[3][k] = R20(mrinv3 * R20(vx - R20(w * x)));
    term[4][k] = R20(mrinv3 * R20(vy - R20(w * y)));
    term[5][k] = R20(mrinv3 * R20(vz - R20(w * z)));
  }
}

/* The same without the sink itself: excluded by identity, right at eps = 0 too. */
static size_t other_terms(const struct grape6 *g, size_t i, size_t from, double (*term)[TILE])
{
  size_t count = g->nj - from < TILE ? g->nj - from : TILE;
  pair_terms(g, i, from, count, term);
  for (int t = 0; t < TERMS && i >= from && i - from < count; t++) term[t][i - from] = 0;
  return count;
}

/* Where the exponents of a sink start; NaN in result for a quantity that has a term that is not finite. */
static unsigned guess_exponents(const struct grape6 *g, size_t i, double (*term)[TILE], int e[QUANTITIES],
                                double result[TERMS])
{
  double largest[QUANTITIES] = {0};
  for (size_t from = 0; from < g->nj; from += TILE) {
    size_t count = other_terms(g, i, from, term);
    for (int q = 0; q < QUANTITIES; q++)
      for (int t = quantities[q].first; t < quantities[q].first + quantities[q].count; t++) {
        double here = grape6_largest(term[t], (int64_t)count);
        if (!(here <= largest[q]) && !isnan(largest[q])) largest[q] = here;
      }
  }
  unsigned open = 0;
  for (int q = 0; q < QUANTITIES; q++) {
    if (isfinite(largest[q])) open |= 1u << q;
    e[q] = isfinite(largest[q]) ? grape6_exponent(largest[q]) : 0;
    for (int t = 0; t < quantities[q].count; t++) result[quantities[q].first + t] = NAN;
  }
  return open;
}

/* A quantity's results out of its sums; 0: one of them overflowed. */
static int read_sums(const struct quantity *q, int e, const struct grape6_sum *sum, double *result)
{
  int64_t value[3];
  for (int t = 0; t < q->count; t++)
    if (!grape6_sum_value(&sum[q->first + t], q->bits, &value[t])) return 0;
  for (int t = 0; t < q->count; t++) result[q->first + t] = ldexp((double)value[t], e - (q->bits - 1));
  return 1;
}

/* The force on sink i. One tile of terms stays where it is; more are computed again for each sum, as the machine does. */
static unsigned eval_sink(const struct grape6 *g, size_t i, double (*term)[TILE], double result[TERMS])
{
  int e[QUANTITIES];
  unsigned retries = 0;
  for (unsigned open = guess_exponents(g, i, term, e, result); open;) {
    struct grape6_sum sum[TERMS] = {0};
    for (size_t from = 0; from < g->nj; from += TILE) {
      size_t count = g->nj > TILE ? other_terms(g, i, from, term) : g->nj;
      for (int q = 0; q < QUANTITIES; q++)
        for (int t = 0; t < quantities[q].count && open >> q & 1; t++)
          grape6_sum_add(&sum[quantities[q].first + t], term[quantities[q].first + t], (int64_t)count,
                         ldexp(1, quantities[q].bits - 1 - e[q]));
    }
    for (int q = 0; q < QUANTITIES; q++) {
      if (!(open >> q & 1)) continue;
      if (read_sums(&quantities[q], e[q], sum, result))
        open &= ~(1u << q);
      else
        e[q] += GRAPE6_RETRY, retries++;
    }
  }
  return retries;
}

/* One sink after the other. */
static void eval_sinks(void *machine, size_t thread)
{
  struct grape6 *g = machine;
  const struct hb_force_job *job = g->job;
  double result[TERMS];
  for (size_t b; (b = atomic_fetch_add(&g->next, 1)) < job->sinks.n;) {
    unsigned retries = eval_sink(g, job->sinks.index[b], g->terms[thread], result);
    if (retries) atomic_fetch_add(&g->retries, retries);
    memcpy(job->to.a + 3 * b, result, 3 * sizeof *result);
    memcpy(job->to.j + 3 * b, result + 3, 3 * sizeof *result);
    job->to.phi[b] = result[6];
  }
}

static enum hb_status grape6_begin(void *state, const struct hb_force_job *job)
{
  struct grape6 *g = state;
  if (job->sources.m) HB_TRY(grape6_send(g, job));
  if (job->sinks.n == 0) return HB_OK;
  size_t threads = job->sinks.n * g->nj > HB_FORCE_PAIRS_ALONE ? (size_t)hb_parallel_threads() : 1;
  HB_TRY(HB_RENEW(threads, &g->threads, HB_ARRAY(1, &g->terms)));
  g->job = job;
  g->next = 0;
  hb_parallel_for((int)threads, threads, eval_sinks, g);
  return HB_OK;
}

/* COLUMNS doubles, and hi. */
static void grape6_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  (void)params;
  need->host_particle += COLUMNS * sizeof(double) + 3 * sizeof(int32_t);
}

static const char *grape6_device(const void *state) { return ((const struct grape6 *)state)->device; }

const struct hb_force_ops hb_force_grape6 = {
    .info = {.name = "grape6",
             .summary = "emulation of GRAPE-6's arithmetic on the processor; its speed is not GRAPE-6's",
             .source = "[PZ07] section 4.2",
             .precisions = "grape6",
             .flops_per_pair = 43,
             .on_host = 1,
             .is_historic = 1},
    .open = grape6_open,
    .close = grape6_close,
    .memory = grape6_memory,
    .begin = grape6_begin,
    .device = grape6_device,
};
