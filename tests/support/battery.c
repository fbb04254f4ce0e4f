#include "support/battery_set.h"
#include "support/support.h"

#include "force/force.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One float operation is wrong by at most 2^-24 = 6e-8. A pair takes some 20 of them in line, sqrt and division
 * by up to 2.5 units each on a GPU: 20 * 6e-8. A sum of up to 1000 terms that mostly agree in sign grows by
 * sqrt(1000) of those at random, and rounding positions to float moves close pairs: 4e-6 covers both. */
const struct battery_tolerance battery_single = {
    .force = 4e-6, .pair = 1.2e-6, .split = 4e-6, .place = 0x1p-24};
/* The same from places of two floats, the second of which ends 2^-24 below its own size, that is at 2^-24 of the first. */
const struct battery_tolerance battery_ds = {.force = 4e-6, .pair = 1.2e-6, .split = 4e-6, .place = 0x1p-48};
/* The same with 2^-53. */
const struct battery_tolerance battery_double = {
    .force = 1e-14, .pair = 3e-15, .split = 1e-14, .place = 0x1p-53};

/* ---- the cases ---- */

/* Two bodies at distance 5 on a 3-4-5 triangle: a = m / 25 along the line, phi = -m / 5, by hand. */
static void two_bodies(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(battery_what, "two bodies by hand");
  battery_set =
      (struct battery_set){.n = 2, .eps = 0, .m = {2, 3}, .x = {0, 0, 0, 3, 4, 0}, .v = {0, 0, 0, 0, 0, 1}};
  const double right_a[6] = {3 * 3 / 125., 3 * 4 / 125., 0, -2 * 3 / 125., -2 * 4 / 125., 0};
  const double right_j[6] = {0, 0, 3 / 125., 0, 0, -2 / 125.}; /* r . v = 0: m v / r^3 */
  const double right_phi[2] = {-3 / 5., -2 / 5.};
  memcpy(battery_set.a, right_a, sizeof right_a);
  memcpy(battery_set.j, right_j, sizeof right_j);
  memcpy(battery_set.phi, right_phi, sizeof right_phi);
  battery_check_all(force, t->pair);
}

/* One particle feels nothing, at any softening. */
static void alone(struct hb_force *force, double eps)
{
  strcpy(battery_what, "one particle alone");
  battery_random_set(1, eps, 0);
  battery_send_set(force);
  battery_evaluate(force, 1, battery_all);
  for (int l = 0; l < 3; l++) {
    expect_equal(battery_result.a[l], 0);
    expect_equal(battery_result.j[l], 0);
  }
  expect_equal(battery_result.phi[0], 0);
}

/* The softenings are 0 and this. */
static const double SOFT = 1. / 256;

/* Sizes around powers of two: full, nearly empty and nearly full last rows of a texture. They ascend, so that each has
 * textures of its own size. */
static void sizes(struct hb_force *force, const struct battery_tolerance *t, double eps)
{
  static const size_t n[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 255, 257};
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
    snprintf(battery_what, sizeof battery_what, "N = %zu, eps = %g", n[k], eps);
    battery_random_set(n[k], eps, 0);
    battery_check_all(force, t->force);
  }
}

/* Newton's third law: what all feel together is nothing, against the sum of |m a|. */
static void momentum(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(battery_what, "sum of forces");
  battery_random_set(500, SOFT, 0);
  battery_send_set(force);
  battery_evaluate(force, battery_set.n, battery_all);
  double sum[3] = {0}, size = 0;
  for (size_t i = 0; i < battery_set.n; i++) {
    for (int l = 0; l < 3; l++) sum[l] += battery_set.m[i] * battery_result.a[3 * i + l];
    size += battery_set.m[i] *
            hypot(hypot(battery_result.a[3 * i], battery_result.a[3 * i + 1]), battery_result.a[3 * i + 2]);
  }
  battery_require(hypot(hypot(sum[0], sum[1]), sum[2]) / size, t->force, "the sum of all forces");
}

/* A block is ni of N in any place and order: the same forces as when all are asked for. */
static void blocks(struct hb_force *force, const struct battery_tolerance *t)
{
  static const size_t ni[] = {1, 2, 3, 5, 16, 31, 32, 33, 64, 100, 299, 300};
  battery_random_set(300, SOFT, 0);
  battery_send_set(force);
  for (size_t b = 0; b < sizeof ni / sizeof *ni; b++) {
    snprintf(battery_what, sizeof battery_what, "block of %zu of 300", ni[b]);
    uint32_t index[300];
    for (size_t k = 0; k < ni[b]; k++)
      index[k] = (uint32_t)((7 * k + 299) % 300); /* 7 and 300: no common factor */
    battery_evaluate(force, ni[b], index);
    battery_compare(ni[b], index, t->split);
  }
}

/* The order of the sources does not matter beyond rounding. */
static void permutation(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(battery_what, "sources in another order");
  battery_random_set(333, SOFT, 0);
  static struct battery_set turned;
  turned = battery_set;
  for (size_t i = 0; i < battery_set.n; i++) {
    size_t to = (i * 10 + 5) % battery_set.n; /* 10 and 333: no common factor */
    turned.m[to] = battery_set.m[i];
    turned.phi[to] = battery_set.phi[i];
    for (int l = 0; l < 3; l++) {
      turned.x[3 * to + l] = battery_set.x[3 * i + l];
      turned.v[3 * to + l] = battery_set.v[3 * i + l];
      turned.a[3 * to + l] = battery_set.a[3 * i + l];
      turned.j[3 * to + l] = battery_set.j[3 * i + l];
    }
  }
  battery_set = turned;
  battery_check_all(force, t->split);
}

static void masses(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(battery_what, "masses from 1e-6 to 1e6");
  battery_random_set(200, SOFT, 12);
  battery_check_all(force, t->force);
}

/* The same source takes sets of different size one after the other. */
static void changing(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(battery_what, "N that changes from call to call");
  battery_random_set(10, SOFT, 0);
  battery_send_set(force);
  static const size_t n[] = {300, 3, 77, 500, 1};
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
    battery_random_set(n[k], SOFT, 0);
    battery_send_set(force);
    battery_evaluate(force, battery_set.n, battery_all);
    battery_compare(battery_set.n, battery_all, t->force);
  }
}

/* The tolerances mean something: one wrong mass in a hundred particles, by a hundred tolerances, is seen. */
static void negative_control(struct hb_force *force, const struct battery_tolerance *t)
{
  strcpy(battery_what, "negative control");
  battery_random_set(100, SOFT, 0);
  battery_notices(force, t->force);
}

/* The same call twice gives the same bytes. */
static void repeatable(struct hb_force *force)
{
  strcpy(battery_what, "the same call twice");
  battery_random_set(333, SOFT, 0);
  static struct battery_result first;
  battery_send_set(force);
  battery_evaluate(force, battery_set.n, battery_all);
  first = battery_result;
  battery_evaluate(force, battery_set.n, battery_all);
  size_t n = battery_set.n;
  assert_memory_equal(first.a, battery_result.a, 3 * n * sizeof(double));
  assert_memory_equal(first.j, battery_result.j, 3 * n * sizeof(double));
  assert_memory_equal(first.phi, battery_result.phi, n * sizeof(double));
}

/* A call in two halves, between which no other is taken. */
static void halves(struct hb_force *force, const struct battery_tolerance *t)
{
  struct battery_result *r = &battery_result;
  strcpy(battery_what, "begun and finished");
  battery_random_set(100, SOFT, 0);
  battery_send_set(force);
  assert_int_equal(hb_force_finish(force), HB_OK);
  memset(r, 0, sizeof *r);
  assert_int_equal(hb_force_begin(force, 100, battery_all, r->a, r->j, r->phi), HB_OK);
  assert_int_equal(hb_force_begin(force, 100, battery_all, r->a, r->j, r->phi), HB_ERR_USAGE);
  assert_int_equal(hb_force_set_j(force, 100, battery_set.m, battery_set.x, battery_set.v), HB_ERR_USAGE);
  assert_int_equal(hb_force_finish(force), HB_OK);
  battery_compare(100, battery_all, t->force);
}

/* Points at the places of sources which they leave out: the bytes of those sources' own forces. */
static void points_at_sources(struct hb_force *force)
{
  static struct battery_result own;
  strcpy(battery_what, "points at sources");
  battery_random_set(300, SOFT, 0);
  battery_send_set(force);
  battery_evaluate(force, 300, battery_all);
  own = battery_result;
  struct battery_result *r = &battery_result;
  ASSERT_OK(hb_force_at(force, 300, battery_set.x, battery_set.v, battery_all, r->a, r->j, r->phi));
  assert_memory_equal(own.a, r->a, 900 * sizeof(double));
  assert_memory_equal(own.j, r->j, 900 * sizeof(double));
  assert_memory_equal(own.phi, r->phi, 300 * sizeof(double));
}

/* Points elsewhere, where 100 particles without mass feel 200 with: all of them, and at rest; from all sources but one. */
static void points_elsewhere(struct hb_force *force, const struct battery_tolerance *t)
{
  enum { SOURCES = 200, POINTS = 100 };
  struct battery_set *s = &battery_set;
  struct battery_result *r = &battery_result;
  const double *x = s->x + 3 * SOURCES, *v = s->v + 3 * SOURCES;
  uint32_t own[POINTS];
  for (size_t left_out = 0; left_out < 2; left_out++) {
    snprintf(battery_what, sizeof battery_what, "points elsewhere, %zu sources left out", left_out);
    battery_random_set(SOURCES + POINTS, SOFT, 0);
    memset(s->m + SOURCES, 0, POINTS * sizeof *s->m);
    memset(s->v + 3 * SOURCES, 0, left_out ? 0 : 3 * POINTS * sizeof *s->v);
    ASSERT_OK(hb_force_set_j(force, SOURCES, s->m, s->x, s->v));
    for (uint32_t k = 0; k < POINTS; k++) own[k] = 17;
    s->m[17] *= left_out ? 0 : 1;
    battery_reference(s, s->n);
    ASSERT_OK(hb_force_at(force, POINTS, x, left_out ? v : NULL, left_out ? own : NULL, r->a, r->j, r->phi));
    battery_compare(POINTS, battery_all + SOURCES, t->force);
  }
}

static void points(struct hb_force *force, const struct battery_tolerance *t)
{
  const char *scheme = hb_force_scheme(force)->name;
  if (strstr(scheme, "2007") || strcmp(scheme, "grape6") == 0) {
    battery_send_set(force);
    assert_int_equal(hb_force_at(force, 0, NULL, NULL, NULL, NULL, NULL, NULL), HB_ERR_USAGE);
    return;
  }
  points_at_sources(force);
  points_elsewhere(force, t);
}

/* One source for all cases, or one for each softening where it keeps that: opening contexts takes longest. */
void battery_run(const struct hb_force_params *params, const struct battery_tolerance *tolerance)
{
  for (uint32_t i = 0; i < BATTERY_MOST; i++) battery_all[i] = i;
  struct hb_force *force = battery_open_force(params, 0);
  alone(force, 0);
  two_bodies(force, tolerance);
  sizes(force, tolerance, 0);
  battery_physics(force, tolerance);
  if (hb_force_set_eps(force, SOFT) != HB_OK) {
    hb_force_close(force);
    force = battery_open_force(params, SOFT);
  }
  alone(force, SOFT);
  sizes(force, tolerance, SOFT);
  momentum(force, tolerance);
  blocks(force, tolerance);
  permutation(force, tolerance);
  masses(force, tolerance);
  changing(force, tolerance);
  negative_control(force, tolerance);
  repeatable(force);
  halves(force, tolerance);
  points(force, tolerance);
  hb_force_close(force);
}

void battery_smoke(const struct hb_force_params *params, const struct battery_tolerance *tolerance)
{
  for (uint32_t i = 0; i < BATTERY_MOST; i++) battery_all[i] = i;
  struct hb_force *force = battery_open_force(params, SOFT);
  alone(force, SOFT);
  blocks(force, tolerance);
  changing(force, tolerance);
  negative_control(force, tolerance);
  points(force, tolerance);
  hb_force_close(force);
}
