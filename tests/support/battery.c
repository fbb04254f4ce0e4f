#include "support/battery.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* One float operation is wrong by at most 2^-24 = 6e-8. A pair takes some 20 of them in line, sqrt and division
 * by up to 2.5 units each on a GPU: 20 * 6e-8. A sum of up to 1000 terms that mostly agree in sign grows by
 * sqrt(1000) of those at random, and rounding positions to float moves close pairs: 4e-6 covers both. */
const struct battery_tolerance battery_single = {.force = 4e-6, .pair = 1.2e-6, .split = 4e-6};
/* The same with 2^-53. */
const struct battery_tolerance battery_double = {.force = 1e-14, .pair = 3e-15, .split = 1e-14};

enum { MOST = 1100 };

/* One set of particles and the forces on them by long double, summed in the plainest way. */
struct set {
  size_t n;
  double eps;
  double m[MOST], x[3 * MOST], v[3 * MOST];
  double a[3 * MOST], j[3 * MOST], phi[MOST];
};

static struct set set; /* too large for the stack */

static uint32_t state;
static double uniform(void) /* a small generator: tests shall not lean on the library's */
{
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / 16777216.0;
}

static void reference(struct set *s)
{
  for (size_t i = 0; i < s->n; i++) {
    long double a[3] = {0}, j[3] = {0}, phi = 0;
    for (size_t k = 0; k < s->n; k++) {
      if (k == i) continue;
      long double rij[3], vij[3], r2 = (long double)s->eps * s->eps, rv = 0;
      for (int l = 0; l < 3; l++) {
        rij[l] = (long double)s->x[3 * k + l] - s->x[3 * i + l];
        vij[l] = (long double)s->v[3 * k + l] - s->v[3 * i + l];
        r2 += rij[l] * rij[l];
        rv += rij[l] * vij[l];
      }
      long double r = sqrtl(r2), mr3 = s->m[k] / (r2 * r);
      for (int l = 0; l < 3; l++) {
        a[l] += mr3 * rij[l];
        j[l] += mr3 * (vij[l] - 3 * rv / r2 * rij[l]);
      }
      phi -= s->m[k] / r;
    }
    for (int l = 0; l < 3; l++) s->a[3 * i + l] = (double)a[l], s->j[3 * i + l] = (double)j[l];
    s->phi[i] = (double)phi;
  }
}

/* n particles in a cube, rounded to float so that single precision starts from the same positions;
 * `spread` decades of masses. What was made is kept: many sources of forces are asked about the same few sets. */
static void random_set(size_t n, double eps, double spread)
{
  static struct {
    struct set set;
    double spread;
  } kept[64];
  size_t k = 0;
  while (k < 64 && kept[k].set.n > 0 &&
         !(kept[k].set.n == n && kept[k].set.eps == eps && kept[k].spread == spread))
    k++;
  assert_true(k < 64);
  if (kept[k].set.n > 0) {
    set = kept[k].set;
    return;
  }
  set.n = n;
  set.eps = eps;
  state = (uint32_t)n * 7919u + 1u;
  for (size_t i = 0; i < n; i++) {
    set.m[i] = (float)(pow(10, spread * (uniform() - 0.5)) / (double)n);
    for (int l = 0; l < 3; l++) {
      set.x[3 * i + l] = (float)(2 * uniform() - 1);
      set.v[3 * i + l] = (float)(2 * uniform() - 1);
    }
  }
  reference(&set);
  kept[k].set = set;
  kept[k].spread = spread;
}

/* ---- comparing ---- */

static char what[64]; /* the case at work, for the message of a failure */

static void require(double error, double bound, const char *quantity)
{
  if (error <= bound) return; /* NaN falls through */
  char message[256];
  snprintf(message, sizeof message, "%s: %s is wrong by %.3g, allowed %.3g", what, quantity, error, bound);
  fail_msg("%s", message);
}

/* Sqrt of the mean over the sinks of |difference|^2 / |reference|^2; `width` numbers a sink. */
static double rms_error(size_t ni, const uint32_t *index, size_t width, const double *got,
                        const double *right)
{
  double sum = 0;
  for (size_t k = 0; k < ni; k++) {
    double d2 = 0, r2 = 0;
    for (size_t l = 0; l < width; l++) {
      double r = right[width * index[k] + l], d = got[width * k + l] - r;
      d2 += d * d;
      r2 += r * r;
    }
    sum += r2 > 0 ? d2 / r2 : d2;
  }
  return sqrt(sum / (double)ni);
}

struct result {
  double a[3 * MOST], j[3 * MOST], phi[MOST];
};
static struct result result;

static void evaluate(struct hb_force *force, size_t ni, const uint32_t *index)
{
  if (hb_force_eval(force, ni, index, result.a, result.j, result.phi) != HB_OK)
    fail_msg("%s: %s", what, hb_error());
}

static void compare(size_t ni, const uint32_t *index, double bound)
{
  require(rms_error(ni, index, 3, result.a, set.a), bound, "acceleration");
  require(rms_error(ni, index, 3, result.j, set.j), bound, "jerk");
  require(rms_error(ni, index, 1, result.phi, set.phi), bound, "potential");
}

/* A source with this softening, which takes sets one after the other. */
static struct hb_force *open_force(const struct hb_force_params *params, double eps)
{
  struct hb_force_params p = *params;
  p.eps = eps;
  struct hb_force *force;
  if (hb_force_open(&p, &force) != HB_OK) fail_msg("%s: %s", what, hb_error());
  return force;
}

static void send_set(struct hb_force *force)
{
  if (hb_force_set_j(force, set.n, set.m, set.x, set.v) != HB_OK) fail_msg("%s: %s", what, hb_error());
}

static uint32_t all[MOST];

static void check_all(struct hb_force *force, double bound)
{
  send_set(force);
  evaluate(force, set.n, all);
  compare(set.n, all, bound);
}

/* ---- the cases ---- */

/* Two bodies at distance 5 on a 3-4-5 triangle: a = m / 25 along the line, phi = -m / 5, by hand. */
static void two_bodies(const struct hb_force_params *params, const struct battery_tolerance *t)
{
  strcpy(what, "two bodies by hand");
  set = (struct set){.n = 2, .eps = 0, .m = {2, 3}, .x = {0, 0, 0, 3, 4, 0}, .v = {0, 0, 0, 0, 0, 1}};
  const double right_a[6] = {3 * 3 / 125., 3 * 4 / 125., 0, -2 * 3 / 125., -2 * 4 / 125., 0};
  const double right_j[6] = {0, 0, 3 / 125., 0, 0, -2 / 125.}; /* r . v = 0: m v / r^3 */
  const double right_phi[2] = {-3 / 5., -2 / 5.};
  memcpy(set.a, right_a, sizeof right_a);
  memcpy(set.j, right_j, sizeof right_j);
  memcpy(set.phi, right_phi, sizeof right_phi);
  struct hb_force *force = open_force(params, 0);
  check_all(force, t->pair);
  hb_force_close(force);
}

/* One particle feels nothing, at any softening. */
static void alone(const struct hb_force_params *params)
{
  strcpy(what, "one particle alone");
  for (int soft = 0; soft < 2; soft++) {
    random_set(1, soft ? 0.1 : 0, 0);
    struct hb_force *force = open_force(params, set.eps);
    send_set(force);
    evaluate(force, 1, all);
    for (int l = 0; l < 3; l++) assert_true(result.a[l] == 0 && result.j[l] == 0);
    assert_true(result.phi[0] == 0);
    hb_force_close(force);
  }
}

/* The softenings are 0 and this. */
static const double SOFT = 1. / 256;

/* Sizes around powers of two: full, nearly empty and nearly full last rows of a texture. They ascend, so that each has
 * textures of its own size. */
static void sizes(const struct hb_force_params *params, const struct battery_tolerance *t)
{
  static const size_t n[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 255, 257};
  for (int soft = 0; soft < 2; soft++) {
    struct hb_force *force = open_force(params, soft ? SOFT : 0);
    for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
      snprintf(what, sizeof what, "N = %zu, eps = %s", n[k], soft ? "1/256" : "0");
      random_set(n[k], soft ? SOFT : 0, 0);
      check_all(force, t->force);
    }
    hb_force_close(force);
  }
}

/* The cases from here on share a source: to open a context for each would be slow. */

/* Newton's third law: what all feel together is nothing, against the sum of |m a|. */
static void momentum(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(what, "sum of forces");
  random_set(1000, SOFT, 0);
  send_set(force);
  evaluate(force, set.n, all);
  double sum[3] = {0}, size = 0;
  for (size_t i = 0; i < set.n; i++) {
    for (int l = 0; l < 3; l++) sum[l] += set.m[i] * result.a[3 * i + l];
    size += set.m[i] * hypot(hypot(result.a[3 * i], result.a[3 * i + 1]), result.a[3 * i + 2]);
  }
  require(hypot(hypot(sum[0], sum[1]), sum[2]) / size, t->force, "the sum of all forces");
}

/* A block is ni of N in any place and order: the same forces as when all are asked for. */
static void blocks(struct hb_force *force, const struct battery_tolerance *t)
{
  static const size_t ni[] = {1, 2, 3, 5, 16, 31, 32, 33, 64, 100, 299, 300};
  random_set(300, SOFT, 0);
  send_set(force);
  for (size_t b = 0; b < sizeof ni / sizeof *ni; b++) {
    snprintf(what, sizeof what, "block of %zu of 300", ni[b]);
    uint32_t index[300];
    for (size_t k = 0; k < ni[b]; k++)
      index[k] = (uint32_t)((7 * k + 299) % 300); /* 7 and 300: no common factor */
    evaluate(force, ni[b], index);
    compare(ni[b], index, t->split);
  }
}

/* The order of the sources does not matter beyond rounding. */
static void permutation(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(what, "sources in another order");
  random_set(333, SOFT, 0);
  static struct set turned;
  turned = set;
  for (size_t i = 0; i < set.n; i++) {
    size_t to = (i * 10 + 5) % set.n; /* 10 and 333: no common factor */
    turned.m[to] = set.m[i];
    turned.phi[to] = set.phi[i];
    for (int l = 0; l < 3; l++) {
      turned.x[3 * to + l] = set.x[3 * i + l];
      turned.v[3 * to + l] = set.v[3 * i + l];
      turned.a[3 * to + l] = set.a[3 * i + l];
      turned.j[3 * to + l] = set.j[3 * i + l];
    }
  }
  set = turned;
  check_all(force, t->split);
}

static void masses(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(what, "masses from 1e-6 to 1e6");
  random_set(200, SOFT, 12);
  check_all(force, t->force);
}

/* The same source takes sets of different size one after the other. */
static void changing(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(what, "N that changes from call to call");
  random_set(10, SOFT, 0);
  send_set(force);
  static const size_t n[] = {500, 3, 77, 1000, 1};
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
    random_set(n[k], SOFT, 0);
    send_set(force);
    evaluate(force, set.n, all);
    compare(set.n, all, t->force);
  }
}

/* The tolerances mean something: one wrong mass in a hundred particles, by a hundred tolerances, is seen. */
static void negative_control(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(what, "negative control");
  random_set(100, SOFT, 0);
  set.m[17] *= 1 + 1000 * t->force;
  send_set(force);
  evaluate(force, set.n, all);
  assert_true(rms_error(set.n, all, 3, result.a, set.a) > t->force);
  assert_true(rms_error(set.n, all, 3, result.j, set.j) > t->force);
  assert_true(rms_error(set.n, all, 1, result.phi, set.phi) > t->force);
}

/* The same call twice gives the same bytes. */
static void repeatable(struct hb_force *force)
{
  strcpy(what, "the same call twice");
  random_set(777, SOFT, 0);
  static struct result first;
  send_set(force);
  evaluate(force, set.n, all);
  first = result;
  evaluate(force, set.n, all);
  size_t n = set.n;
  assert_memory_equal(first.a, result.a, 3 * n * sizeof(double));
  assert_memory_equal(first.j, result.j, 3 * n * sizeof(double));
  assert_memory_equal(first.phi, result.phi, n * sizeof(double));
}

void battery_run(const struct hb_force_params *params, const struct battery_tolerance *tolerance)
{
  for (uint32_t i = 0; i < MOST; i++) all[i] = i;
  two_bodies(params, tolerance);
  alone(params);
  sizes(params, tolerance);
  struct hb_force *force = open_force(params, SOFT);
  momentum(force, tolerance);
  blocks(force, tolerance);
  permutation(force, tolerance);
  masses(force, tolerance);
  changing(force, tolerance);
  negative_control(force, tolerance);
  repeatable(force);
  hb_force_close(force);
}
