/* Test particles: they feel the stars, and the stars do not feel them. */
#include "support/massless_case.h"
#include "support/support.h"

#include "measure/analyze.c"

#include <holmberg/device.h>
#include <holmberg/diagnostics.h>

#include <math.h>

static const struct hb_sim_params by_host = {.force = {.scheme = "host", .eps = 1.0 / 64}};
static const struct hb_sim_params by_simd = {.force = {.scheme = "host-simd", .eps = 1.0 / 64}};

/* To the last bit, since the same sources are summed in the same order. Negative control: a mass of 1e-9 each. */
static void test_stars_do_not_feel_them(void **state)
{
  (void)state;
  const struct hb_sim_params *params[] = {&by_host, &by_simd};
  for (size_t k = 0; k < 2; k++) {
    struct hb_particles *alone = massless_run(massless_alone(), params[k], NULL),
                        *among = massless_run(massless_among(0), params[k], NULL),
                        *heavy = massless_run(massless_among(1e-9), params[k], NULL);
    assert_true(massless_same_stars(alone, among));
    assert_false(massless_same_stars(alone, heavy));
    hb_particles_destroy(alone);
    hb_particles_destroy(among);
    hb_particles_destroy(heavy);
  }
}

/* As particles that pull, but hardly. Negative control: they do not stay where they were. */
static void test_they_feel_the_stars(void **state)
{
  (void)state;
  static const double hardly = 1e-9;
  struct hb_sim_counts counts;
  struct hb_particles *begin = massless_among(0),
                      *massless = massless_run(massless_among(0), &by_host, &counts),
                      *simd = massless_run(massless_among(0), &by_simd, NULL),
                      *light = massless_run(massless_among(1e-12), &by_host, NULL);
  expect_below(massless_distance(massless, light), hardly);
  expect_below(massless_distance(massless, simd), 1e-5);
  expect_above(massless_distance(massless, begin), 0.01);
  expect_equal(counts.pairs, counts.particle_steps * MASSLESS_STARS);
  hb_particles_destroy(begin);
  hb_particles_destroy(massless);
  hb_particles_destroy(simd);
  hb_particles_destroy(light);
}

/* In precision reproducible, whose units are for test particles, too: some are farther out and faster than all stars. */
static void test_reproducible(void **state)
{
  (void)state;
  struct hb_sim_params params = by_host;
  params.force.precision = "reproducible";
  struct hb_sim_counts counts;
  struct hb_particles *p[] = {massless_among(0), massless_among(0)};
  for (size_t k = 0; k < 2; k++) hb_particles_x(p[k])[3] = 100, hb_particles_v(p[k])[4] = 100;
  struct hb_particles *exact = massless_run(p[0], &by_host, NULL),
                      *found = massless_run(p[1], &params, &counts);
  expect_below(massless_distance(exact, found), 1e-5);
  expect_equal(counts.pairs, counts.particle_steps * MASSLESS_STARS);
  hb_particles_destroy(exact);
  hb_particles_destroy(found);
}

/* Energies, radii and densities are those of the stars. */
static void test_diagnostics(void **state)
{
  (void)state;
  struct hb_particles *initial[] = {massless_alone(), massless_among(0)};
  struct hb_diagnostics d[2];
  struct hb_structure s[2];
  for (size_t k = 0; k < 2; k++) {
    struct hb_sim *sim;
    ASSERT_OK(hb_sim_take(initial[k], &by_simd, &sim));
    ASSERT_OK(hb_sim_diagnose(sim, 0, &d[k]));
    ASSERT_OK(hb_sim_structure(sim, 0, &s[k]));
    hb_sim_destroy(sim);
  }
  expect_equal(d[0].e_total, d[1].e_total);
  expect_equal(d[0].e_gpu, d[1].e_gpu);
  expect_equal(d[0].r_half, d[1].r_half);
  expect_equal(s[0].r_core, s[1].r_core);
  expect_equal(s[0].r_lagrange[0], s[1].r_lagrange[0]);
  expect_equal(s[0].binaries.count, s[1].binaries.count);
}

/* So is all of an analysis. */
static void test_analysis(void **state)
{
  (void)state;
  struct hb_particles *p[] = {massless_alone(), massless_among(0)};
  struct analysis a[2];
  for (size_t k = 0; k < 2; k++) {
    struct hb_contents contents;
    ASSERT_OK(hb_contents_of(p[k], 0, NULL, HB_EXACT_ENERGY_AUTO, &contents));
    ASSERT_OK(analysis_of(p[k], &contents, 0, NULL, 20, &a[k]));
  }
  expect_equal(a[0].rho_core, a[1].rho_core);
  expect_equal(a[0].n_core, a[1].n_core);
  expect_equal(a[0].classes, a[1].classes);
  expect_equal(a[0].shells, a[1].shells);
  expect_equal(a[0].shell[0].rho, a[1].shell[0].rho);
  expect_equal(a[0].bound.count, a[1].bound.count);
  for (size_t k = 0; k < 2; k++) {
    hb_hierarchy_clear(&a[k].bound);
    hb_particles_destroy(p[k]);
  }
}

/* A hard binary and a star, and beside each member of the binary a swift body that is nearer than the other. */
static struct hb_particles *in_company(double mass)
{
  struct hb_particles *p;
  const double m[] = {0.25, 0.25, 0.5, mass, mass}, x[] = {-0.01, 0.01, 10, -0.011, 0.011},
               v[] = {-2.5, 2.5, 1, 100, 100};
  ASSERT_OK(hb_particles_create(5, &p));
  for (size_t i = 0; i < 5; i++) {
    hb_particles_m(p)[i] = m[i];
    hb_particles_x(p)[3 * i] = x[i];
    hb_particles_v(p)[3 * i + 1] = v[i];
  }
  return p;
}

/* Test particles hide no binary. Negative control: with the least mass they are its members' nearest neighbors. */
static void test_binaries(void **state)
{
  (void)state;
  for (size_t orbits = 0; orbits < 2; orbits++) {
    struct hb_particles *p = in_company(orbits ? 0 : 1e-12);
    const struct hb_sim_params params = {.force = {.scheme = "host"}, .encounters = HB_ENCOUNTERS_NONE};
    struct hb_hierarchy bound;
    struct hb_sim *sim;
    double stars[5];
    size_t count;
    ASSERT_OK(hb_hierarchy_find(p, 0, &bound));
    assert_int_equal(bound.count, orbits);
    hb_hierarchy_clear(&bound);
    ASSERT_OK(hb_sim_take(p, &params, &sim));
    ASSERT_OK(hb_sim_watch(sim, 1U << HB_EVENT_FORMED)); /* those that are there are not asked for */
    hb_sim_events(sim, &count);
    assert_int_equal(count, 0);
    ASSERT_OK(hb_sim_watch(sim, 1U << HB_EVENT_INITIAL));
    hb_sim_events(sim, &count);
    assert_int_equal(count, orbits);
    ASSERT_OK(hb_sim_quantity(sim, HB_QUANTITY_BOUND, stars));
    expect_equal(stars[0], (orbits ? 2 : 1));
    expect_equal(stars[2], 1);
    expect_equal(stars[3], 1);
    hb_sim_destroy(sim);
  }
}

/* One on a circle around a mass of 1, alone and by the leapfrog, comes back; and a hard binary is felt as two stars. */
static void test_orbits(void **state)
{
  (void)state;
  static const double two_pi = 6.28318530717958648, back = 1e-4;
  const struct hb_sim_params params[] = {
      {.force = {.scheme = "host", .eps = 0x1p-30}, .eta = 1e-3},
      {.force = {.scheme = "host"}, .integrator = "leapfrog", .dt = 0x1p-10}};
  for (size_t k = 0; k < 2; k++) {
    struct hb_particles *p;
    struct hb_sim *sim;
    ASSERT_OK(hb_particles_create(2, &p));
    hb_particles_m(p)[1] = 1;
    hb_particles_x(p)[0] = hb_particles_v(p)[1] = 1;
    ASSERT_OK(hb_sim_take(p, &params[k], &sim));
    ASSERT_OK(hb_sim_integrate(sim, two_pi));
    ASSERT_OK(hb_sim_state(sim, two_pi, &p));
    const double *x = hb_particles_x(p);
    expect_below(hypot(x[0] - 1, x[1]), back);
    expect_equal(x[3], 0);
    expect_equal(x[4], 0);
    hb_particles_destroy(p);
    hb_sim_destroy(sim);
  }
}

/* Near a hard binary, which is a group: as without groups. Negative control: the pull of its center of mass alone. */
static struct hb_particles *around_binary(enum hb_encounters encounters, double separation)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  const struct hb_sim_params params = {
      .force = {.scheme = "host"}, .encounters = encounters, .eta = 1e-3, .dt_max = 0x1p-6};
  ASSERT_OK(hb_particles_create(4, &p));
  double *m = hb_particles_m(p), *x = hb_particles_x(p), *v = hb_particles_v(p);
  for (size_t i = 0; i < 2; i++) {
    m[i] = 0.5;
    x[3 * i] = (i ? 0.5 : -0.5) * separation;
    v[3 * i + 1] = (i ? 0.5 : -0.5) / sqrt(separation);
  }
  x[6] = v[7] = 0.1, v[7] = sqrt(10), x[9] = 50, m[3] = 1e-6;
  ASSERT_OK(hb_sim_take(p, &params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, 0.25));
  ASSERT_OK(hb_sim_state(sim, 0.25, &p));
  hb_sim_destroy(sim);
  return p;
}

static double moved(struct hb_particles *p, struct hb_particles *q)
{
  const double *x = hb_particles_x(p) + 6, *y = hb_particles_x(q) + 6;
  return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

static void test_near_a_group(void **state)
{
  (void)state;
  static const double same = 1e-5, point = 1e-3;
  struct hb_particles *groups = around_binary(HB_ENCOUNTERS_GROUPS, 0.02),
                      *steps = around_binary(HB_ENCOUNTERS_NONE, 0.02),
                      *tight = around_binary(HB_ENCOUNTERS_GROUPS, 1e-3);
  expect_below(moved(groups, steps), same);
  expect_above(moved(tight, steps), point);
  hb_particles_destroy(groups);
  hb_particles_destroy(steps);
  hb_particles_destroy(tight);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stars_do_not_feel_them),
      cmocka_unit_test(test_they_feel_the_stars),
      cmocka_unit_test(test_reproducible),
      cmocka_unit_test(test_diagnostics),
      cmocka_unit_test(test_analysis),
      cmocka_unit_test(test_binaries),
      cmocka_unit_test(test_orbits),
      cmocka_unit_test(test_near_a_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
