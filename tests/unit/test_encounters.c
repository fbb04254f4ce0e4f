/* Close encounters, and what a run looks like from elsewhere: steps that dt_min cuts, places that coincide, boosts. */
#include "support/support.h"

#include "core/diagnostics.h"
#include "core/particles.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>

static struct hb_sim *start(struct hb_particles *p, const struct hb_sim_params *params)
{
  struct hb_sim *sim;
  ASSERT_OK(hb_sim_take(p, params, &sim));
  return sim;
}

static struct hb_particles *made(const char *model, struct hb_ic_params ic)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make(model, &ic, &p));
  return p;
}

static void steps_to(struct hb_sim *sim, double t)
{
  while (hb_sim_next_time(sim) <= t) ASSERT_OK(hb_sim_step(sim));
}

/* ---- steps that dt_min cuts ---- */

/* At the pericentre of this orbit, half a period of 2.22e-3 from the start, eq. 9 wants 2^-36. */
static void steps_below_dt_min_are_counted(void **state)
{
  (void)state;
  const double dt_min[] = {0x1p-26, 0x1p-40};
  for (int k = 0; k < 2; k++) {
    struct hb_sim_params params = {
        .force = {.scheme = "host"}, .dt_min = dt_min[k], .encounters = HB_ENCOUNTERS_NONE};
    struct hb_sim *sim = start(made("twobody", (struct hb_ic_params){.a = 0.005, .e = 0.9995}), &params);
    struct hb_sim_counts counts;
    steps_to(sim, 0.002);
    hb_sim_counts(sim, &counts);
    expect_equal(counts.cut.dt_min, dt_min[k]);
    if (k == 0) {
      expect_at_least(counts.cut.count, 2);
      expect_below(counts.cut.count, counts.particle_steps);
      expect_below(counts.cut.particle, 2);
      expect_above(counts.cut.wanted, 0);
      expect_below(counts.cut.wanted, 0x1p-26);
      expect_above(counts.cut.t, 0.0010);
      expect_below(counts.cut.t, 0.0012);
    } else {
      expect_equal(counts.cut.count, 0);
    }
    hb_sim_destroy(sim);
  }
}

/* Also those of the start, eq. 2. */
static void a_first_step_below_dt_min_is_counted(void **state)
{
  (void)state;
  struct hb_sim_params params = {
      .force = {.scheme = "host"}, .dt_min = 0x1p-10, .encounters = HB_ENCOUNTERS_NONE};
  struct hb_sim *sim = start(made("twobody", (struct hb_ic_params){.a = 0.005}), &params);
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  expect_equal(counts.cut.count, 2);
  expect_equal(counts.cut.particle, 0);
  expect_equal(counts.cut.t, 0);
  hb_sim_destroy(sim);
}

static void dt_min_depends_on_eps(void **state)
{
  (void)state;
  expect_equal(hb_sim_default_dt_min(0), 0x1p-40);
  expect_equal(hb_sim_default_dt_min(1.0 / 256), 0x1p-26);
  for (int k = 0; k < 2; k++) {
    struct hb_sim_params params = {.force = {.scheme = "host", .eps = k / 256.0}};
    struct hb_sim *sim = start(made("figure8", (struct hb_ic_params){0}), &params);
    struct hb_sim_counts counts;
    hb_sim_counts(sim, &counts);
    expect_equal(counts.cut.dt_min, (k ? 0x1p-26 : 0x1p-40));
    hb_sim_destroy(sim);
  }
}

/* ---- places that coincide ---- */

static struct hb_particles *three(double x)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(3, &p));
  for (int i = 0; i < 3; i++) p->m[i] = 0.25;
  p->x[0] = -1, p->x[3] = 1, p->x[6] = x;
  return p;
}

static void coincident_particles_are_named(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct hb_sim_params params = {
        .force = {.scheme = "host"}, .integrator = k ? "leapfrog" : "hermite4", .dt = k ? 0.125 : 0};
    struct hb_sim *sim;
    ASSERT_FAILS(hb_sim_take(three(1), &params, &sim), HB_ERR_NUMERIC, "particle 1 at t = 0 ");
    assert_non_null(strstr(hb_error(), "; particle 2 is at the same place: eps above 0 "));
    /* so near that the square of the distance is 0 */
    struct hb_particles *p = three(0);
    p->x[3] = 1e-200;
    ASSERT_FAILS(hb_sim_take(p, &params, &sim), HB_ERR_NUMERIC,
                 "; its nearest neighbor, particle 2, is 1e-200 away");
  }
}

/* ---- another frame ---- */

/* A Plummer sphere of 256 on whole multiples of 2^-40, so that a shift and a boost by whole numbers round nothing off. */
static struct hb_particles *sphere(double shift, double boost)
{
  struct hb_particles *p = made("plummer", (struct hb_ic_params){.n = 256, .seed = 3});
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] = nearbyint(p->x[k] * 0x1p40) * 0x1p-40 + shift;
    p->v[k] = nearbyint(p->v[k] * 0x1p40) * 0x1p-40 + boost;
  }
  return p;
}

static struct hb_diagnostics at_the_end(double shift, double boost, double t, uint64_t *block_steps)
{
  struct hb_sim_params params = {.force = {.scheme = "host", .eps = 1.0 / 256}};
  struct hb_sim *sim = start(sphere(shift, boost), &params);
  struct hb_diagnostics d;
  struct hb_sim_counts counts;
  steps_to(sim, t);
  hb_sim_counts(sim, &counts);
  *block_steps = counts.block_steps;
  ASSERT_OK(hb_sim_diagnose(sim, t, &d));
  hb_sim_destroy(sim);
  return d;
}

/* Places at 1000 have an ulp of 1.1e-13 and velocities at 200 one of 2.8e-14, places that they carry to 50 one of 7e-15. Two
 * hundred steps (a random walk) make 14 ulp, 1.6e-12, and what a sphere of this age makes of a difference is a factor of
 * some e^(t / 0.05) for the closest, e^5 at t = 1/4. Negative control: energies in the frame that velocities are given in. */
static const double same_start = 1e-12, same_end = 3e-10;

static void boosted_and_shifted_runs_look_alike(void **state)
{
  (void)state;
  const double shift[] = {1000, 0, 1000}, boost[] = {0, 200, 200};
  uint64_t steps[2];
  for (int end = 0; end < 2; end++) {
    double t = end / 4.0, tolerance = end ? same_end : same_start;
    struct hb_diagnostics d = at_the_end(0, 0, t, &steps[0]);
    for (int k = 0; k < 3; k++) {
      struct hb_diagnostics moved = at_the_end(shift[k], boost[k], t, &steps[1]);
      double e_boost = 1.5 * boost[k] * boost[k];
      print_message("%g + %g t at %g: E %.2g, E_gpu %.2g, virial %.2g, r_half %.2g, %d block steps more\n",
                    shift[k], boost[k], t, moved.e_total - d.e_total, moved.e_gpu - d.e_gpu,
                    moved.virial_ratio - d.virial_ratio, moved.r_half - d.r_half,
                    (int)steps[1] - (int)steps[0]);
      expect_at_most(fabs(moved.e_total - d.e_total), tolerance);
      expect_at_most(fabs(moved.e_gpu - d.e_gpu), tolerance);
      expect_at_most(fabs(moved.e_kin - d.e_kin), tolerance);
      expect_at_most(fabs(moved.r_half - d.r_half), tolerance);
      expect_at_most(fabs(moved.virial_ratio - d.virial_ratio), tolerance);
      expect_at_most(fabs(moved.e_bulk - e_boost), 1e-9 * e_boost + 1e-12);
      assert_int_equal(steps[0], steps[1]);
    }
  }
}

static void kinetic_energies_of_two_frames(void **state)
{
  (void)state;
  struct hb_particles *p = three(0);
  double e_kin, e_bulk, inertial;
  p->v[0] = 1024 + 1, p->v[3] = 1024 - 1, p->v[6] = 1024;
  hb_kinetic_energy_in(p, (const double[3]){1024, 0, 0}, &e_kin, &e_bulk);
  inertial = hb_kinetic_energy(p);
  expect_equal(e_kin, 0.25);
  expect_equal(e_bulk, 0.375 * 1024 * 1024);
  expect_equal(inertial, e_kin + e_bulk);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_below_dt_min_are_counted),
      cmocka_unit_test(a_first_step_below_dt_min_is_counted),
      cmocka_unit_test(dt_min_depends_on_eps),
      cmocka_unit_test(coincident_particles_are_named),
      cmocka_unit_test(boosted_and_shifted_runs_look_alike),
      cmocka_unit_test(kinetic_energies_of_two_frames),
  };
  return cmocka_run_group_tests_name("encounters", tests, NULL, NULL);
}
