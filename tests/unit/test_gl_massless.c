/* Test particles, and bodies that merge, with forces of a GPU. */
#include "support/massless_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>
#include <holmberg/g6.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Errors of float forces in ds over a quarter of a time unit; negative control: particles of 1e-4 each. */
static const double same = 1e-6;

static void compare(const char *scheme, const char *device)
{
  const struct hb_sim_params host = {.force = {.scheme = "host", .eps = 1.0 / 64}},
                             gl = {.force = {.scheme = scheme,
                                             .device = device,
                                             .precision = "ds",
                                             .eps = 1.0 / 64,
                                             .flags = HB_FORCE_NO_TUNE}};
  struct hb_sim_counts counts;
  struct hb_particles *exact = massless_run(massless_among(0), &host, NULL),
                      *heavy = massless_run(massless_among(1e-4), &host, NULL),
                      *found = massless_run(massless_among(0), &gl, &counts);
  expect_below(massless_distance(exact, found), same);
  expect_above(massless_distance(exact, heavy), same);
  expect_equal(counts.pairs, counts.particle_steps * MASSLESS_STARS);
  hb_particles_destroy(exact);
  hb_particles_destroy(heavy);
  hb_particles_destroy(found);
}

static void test_bag(void **state)
{
  (void)state;
  compare("bag", NULL);
  compare("bag", "software,software");
  compare("hybrid", NULL);
}

/* The bytes of the host. */
static void test_reproducible(void **state)
{
  (void)state;
  static const char *const schemes[] = {"host", "bag", "hybrid"};
  uint64_t hash[COUNT_OF(schemes)];
  for (size_t k = 0; k < COUNT_OF(schemes); k++) {
    const struct hb_sim_params params = {
        .force = {.scheme = schemes[k], .precision = "reproducible", .flags = HB_FORCE_NO_TUNE}};
    struct hb_particles *end = massless_run(massless_among(0), &params, NULL);
    hash[k] = hb_particles_hash(end);
    hb_particles_destroy(end);
    expect_equal(hash[k], hash[0]);
  }
}

static void test_tile(void **state)
{
  (void)state;
  compare("tile", NULL);
}

/* Two stars of the 48 touch, in a group and out of one; later forces are those of 47 sources. */
static void merge(const char *scheme, double eps)
{
  const struct hb_sim_params params = {.force = {.scheme = scheme,
                                                 .precision = "ds",
                                                 .eps = eps,
                                                 .flags = HB_FORCE_NO_TUNE | HB_FORCE_UNSOFTENED},
                                       .collisions = HB_COLLISIONS_MERGE};
  static const double kept = 1e-5, lost = 1e-3;
  struct hb_particles *p = massless_alone();
  struct hb_diagnostics first, last;
  struct hb_sim_counts counts;
  struct hb_sim *sim;
  double *x = hb_particles_x(p), *v = hb_particles_v(p), *radius = hb_particles_radius(p);
  for (size_t d = 0; d < 3; d++) x[3 + d] = x[d] + 0.004 * (double)(d + 1), v[3 + d] = v[d] + 0.1;
  radius[0] = radius[1] = 0.001;
  ASSERT_OK(hb_sim_take(p, &params, &sim));
  ASSERT_OK(hb_sim_diagnose(sim, 0, &first));
  ASSERT_OK(hb_sim_integrate(sim, 0.25));
  ASSERT_OK(hb_sim_diagnose(sim, 0.25, &last));
  hb_sim_counts(sim, &counts);
  expect_equal(counts.merged, 1);
  expect_equal(counts.n, MASSLESS_STARS - 1);
  expect_below(fabs(last.e_total + last.e_lost - first.e_total), kept);
  expect_above(fabs(last.e_total - first.e_total), lost);
  hb_sim_destroy(sim);
}

static void test_mergers(void **state)
{
  (void)state;
  merge("bag", 1e-4);
  merge("bag", 0);
}

/* ---- sources of others, among which 16 of 16384 have mass: 48 sinks in a tenth of the time ---- */

enum { MANY = 16384, STEP = MANY / 16, SINKS = 48, CALLS = 15 };

struct free_sources {
  double m[MANY], x[3 * MANY], v[3 * MANY];
  double a[3 * SINKS], j[3 * SINKS], phi[SINKS];
  uint32_t index[SINKS];
  struct hb_force *force; /* NULL: by g6's calls */
};

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void send(struct free_sources *f, int step)
{
  static const double zero[3];
  for (int k = 0; k < MANY; k++) {
    f->m[k] = k % step == 0 ? 1.0 / MANY : 0;
    if (!f->force) g6_set_j_particle(0, k, k, 0, 1, f->m[k], zero, zero, zero, f->v + 3 * k, f->x + 3 * k);
  }
  if (f->force) ASSERT_OK(hb_force_set_j(f->force, MANY, f->m, f->x, f->v));
}

static void ask(struct free_sources *f, int call)
{
  double(*x)[3] = (double(*)[3])f->x, (*v)[3] = (double(*)[3])f->v, h2[SINKS] = {0};
  double(*a)[3] = (double(*)[3])f->a, (*j)[3] = (double(*)[3])f->j;
  if (f->force) {
    ASSERT_OK(hb_force_eval(f->force, SINKS, f->index, f->a, f->j, f->phi));
    return;
  }
  g6_set_ti(0, ldexp(call, -60));
  g6calc_firsthalf(0, MANY, SINKS, (int *)f->index, x, v, a, j, f->phi, 1e-4, h2);
  assert_int_equal(g6calc_lasthalf(0, MANY, SINKS, (int *)f->index, x, v, 1e-4, h2, a, j, f->phi), 0);
}

/* The shortest of some calls, in seconds of the processor. */
static double time_of(struct free_sources *f, int step)
{
  double best = INFINITY;
  send(f, step);
  for (int call = 0; call < CALLS; call++) {
    double start = seconds();
    ask(f, call);
    best = fmin(best, seconds() - start);
  }
  return best;
}

static double potential(const struct free_sources *f, size_t i)
{
  double phi = 0;
  for (size_t k = 0; k < MANY; k += STEP) {
    double r2 = 1e-4;
    for (size_t d = 0; d < 3; d++)
      r2 += (f->x[3 * k + d] - f->x[3 * i + d]) * (f->x[3 * k + d] - f->x[3 * i + d]);
    if (k != i) phi -= f->m[k] / sqrt(r2);
  }
  return phi;
}

static void test_free_sources(void **state)
{
  (void)state;
  static struct free_sources f;
  const struct hb_force_params params = {
      .scheme = "bag", .precision = "ds", .eps = 0.01, .flags = HB_FORCE_NO_TUNE};
  for (int k = 0; k < 3 * MANY; k++) f.x[k] = rand() / (RAND_MAX + 1.0), f.v[k] = rand() / (RAND_MAX + 1.0);
  for (uint32_t k = 0; k < SINKS; k++) f.index[k] = k;
  setenv("HB_G6_SCHEME", "bag", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  assert_int_equal(g6_open(0), 0);
  for (int calls = 0; calls < 2; calls++) {
    if (calls == 1) ASSERT_OK(hb_force_open(&params, &f.force));
    double all = time_of(&f, 1), few = time_of(&f, STEP);
    printf("%s: %.0f us of the processor, of 16 sources %.0f: %.3f of it\n", f.force ? "hb_force" : "g6",
           1e6 * all, 1e6 * few, few / all);
    for (size_t i = 0; i < SINKS; i++) expect_below(fabs(f.phi[i] / potential(&f, i) - 1), same);
    expect_below(few / all, 0.1);
  }
  hb_force_close(f.force);
  g6_close(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bag), cmocka_unit_test(test_mergers),
                                     cmocka_unit_test(test_reproducible), cmocka_unit_test(test_free_sources),
                                     cmocka_unit_test(test_tile)};
  return RUN_TESTS(tests, 4, NULL, NULL); /* tile needs OpenGL 4.3 */
}
