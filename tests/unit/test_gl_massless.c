/* Test particles, and bodies that merge, with forces of a GPU. */
#include "support/massless_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>

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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bag), cmocka_unit_test(test_mergers),
                                     cmocka_unit_test(test_reproducible), cmocka_unit_test(test_tile)};
  return RUN_TESTS(tests, 3, NULL, NULL); /* tile needs OpenGL 4.3 */
}
