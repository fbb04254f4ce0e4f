/* The leapfrog: its order, the sample it comes from, its times, and that it goes on after a stop bit for bit. */
#include "support/step_case.h"
#include "support/support.h"

#include "base/mem.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>

static struct hb_force *host(double eps)
{
  struct hb_force *force;
  ASSERT_OK(hb_force_open(&(struct hb_force_params){.scheme = "host", .eps = eps}, &force));
  return force;
}

static struct hb_particles *model(const char *name, struct hb_ic_params params)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make(name, &params, &p));
  return p;
}

static struct hb_leapfrog *start(struct hb_particles *p, double dt, double damping, double eps)
{
  struct hb_leapfrog *l;
  ASSERT_OK(step_leapfrog(p, &(struct hb_sim_params){.dt = dt, .damping = damping}, host(eps), &l));
  hb_particles_destroy(p);
  return l;
}

static void finish(struct hb_leapfrog *l)
{
  hb_force_close(l->force);
  hb_integrator_leapfrog.destroy(l);
}

static void go(struct hb_leapfrog *l, int steps)
{
  for (int s = 0; s < steps; s++) ASSERT_OK(hb_integrator_leapfrog.step(l, &(struct hb_step_size){0}));
}

static struct hb_particles *state_at(const struct hb_leapfrog *l, double t)
{
  struct hb_particles *p;
  ASSERT_OK(hb_integrator_leapfrog.particles(l, t, &p));
  return p;
}

/* ---- the scheme ---------------------------------------------------------------------------------------- */

/* Order 2 is a slope of 2, to which the next even order adds less than a tenth at these steps. Negative control: the
 * same without the second kick, order 1. */
static const double least_slope = 1.9, most_slope = 2.1;

/* After half a period, pi, the second body of a binary with e = 0.5 is at its pericentre, 0.25 from the origin. */
static double pericentre_error(int steps_each_pi, int second_kick)
{
  const double pi = 3.14159265358979323846;
  struct hb_leapfrog *l = start(model("twobody", (struct hb_ic_params){.e = 0.5}), pi / steps_each_pi, 1, 0);
  for (int s = 0; s < steps_each_pi; s++) {
    go(l, 1);
    for (size_t k = 0; !second_kick && k < 6; k++) l->particles->v[k] -= l->dt / 2 * l->a[k];
  }
  double error = hypot(l->particles->x[3] + 0.25, l->particles->x[4]);
  finish(l);
  return error;
}

static void order_is_two(void **state)
{
  (void)state;
  for (int n = 256; n < 2048; n *= 2) {
    double slope = log2(pericentre_error(n, 1) / pericentre_error(2 * n, 1));
    expect_above(slope, least_slope);
    expect_below(slope, most_slope);
    double control = log2(pericentre_error(n, 0) / pericentre_error(2 * n, 0));
    expect_below(control, least_slope);
  }
}

/* 100 steps of 16 bodies, a few roundings each, amplified by less than 1e3. Negative control: another damping. */
static const double same_places = 1e-11;

/* The update of the CUDA samples, v += a dt, v *= damping, x += v dt, with the v that stands half a kick before. */
static double sample_difference(double damping, double damping_of_sample)
{
  enum { N = 16, STEPS = 100 };
  const double dt = 1.0 / 256;
  struct hb_leapfrog *l = start(model("plummer", (struct hb_ic_params){.n = N, .seed = 2}), dt, damping, 0.1);
  double x[3 * N], v[3 * N], a[3 * N], j[3 * N], phi[N], difference = 0;
  memcpy(x, l->particles->x, sizeof x);
  for (size_t k = 0; k < 3 * N; k++) v[k] = l->particles->v[k] - dt / 2 * l->a[k];
  struct hb_force *force = host(0.1);
  for (int s = 0; s < STEPS; s++) {
    ASSERT_OK(hb_force_set_j(force, N, l->particles->m, x, v));
    ASSERT_OK(hb_force_eval(force, N, l->index, a, j, phi));
    for (size_t k = 0; k < 3 * N; k++) {
      v[k] += a[k] * dt;
      v[k] *= damping_of_sample;
      x[k] += v[k] * dt;
    }
    go(l, 1);
    for (size_t k = 0; k < 3 * N; k++) difference = fmax(difference, fabs(x[k] - l->particles->x[k]));
  }
  hb_force_close(force);
  finish(l);
  return difference;
}

static void places_are_those_of_the_sample(void **state)
{
  (void)state;
  expect_at_most(sample_difference(1, 1), same_places);
  expect_at_most(sample_difference(0.9, 0.9), same_places);
  expect_above(sample_difference(0.9, 0.901), same_places);
}

/* Kick, drift, kick is its own inverse but for rounding: back at -dt after 500 steps. Negative control: damping. */
static const double there_and_back = 1e-12;

static double way_back(double damping)
{
  struct hb_particles *p = model("twobody", (struct hb_ic_params){.e = 0.3});
  double x[6], error = 0;
  memcpy(x, p->x, sizeof x);
  struct hb_leapfrog *l = start(p, 1.0 / 128, damping, 0);
  go(l, 500);
  for (size_t k = 0; k < 6; k++) l->particles->v[k] = -l->particles->v[k];
  go(l, 500);
  for (size_t k = 0; k < 6; k++) error = fmax(error, fabs(l->particles->x[k] - x[k]));
  finish(l);
  return error;
}

static void time_can_be_turned_round(void **state)
{
  (void)state;
  expect_at_most(way_back(1), there_and_back);
  expect_above(way_back(0.9999), there_and_back);
}

/* ---- times and states ---------------------------------------------------------------------------------- */

static void times_are_products(void **state)
{
  (void)state;
  struct hb_particles *p = model("figure8", (struct hb_ic_params){0});
  p->t = 3;
  struct hb_leapfrog *l = start(p, 0.1, 1, 0);
  double sum = 3;
  for (int k = 0; k < 1000; k++) {
    expect_equal(hb_integrator_leapfrog.time(l), 3 + k * 0.1);
    expect_equal(hb_integrator_leapfrog.next_time(l), 3 + (k + 1) * 0.1);
    go(l, 1);
    sum += 0.1;
  }
  expect_other(sum, hb_integrator_leapfrog.time(l)); /* the negative control */
  finish(l);
}

static void states_between_steps(void **state)
{
  (void)state;
  const double dt = 1.0 / 64;
  struct hb_leapfrog *l = start(model("twobody", (struct hb_ic_params){.e = 0.5}), dt, 1, 0);
  go(l, 20);
  double t = hb_integrator_leapfrog.time(l);
  struct hb_particles *p = state_at(l, t), *late = state_at(l, t + dt), *half = state_at(l, t + dt / 2);
  assert_memory_equal(p->x, l->particles->x, 6 * sizeof(double));
  assert_memory_equal(p->v, l->particles->v, 6 * sizeof(double));
  expect_equal(half->t, t + dt / 2);
  go(l, 1);
  for (int k = 0; k < 6; k++) { /* what eqs 3 and 4 leave out: dt^3 j and dt^3 a'', here below 6 and 20 */
    expect_at_most(fabs(late->x[k] - l->particles->x[k]), 6 * dt * dt * dt);
    expect_at_most(fabs(late->v[k] - l->particles->v[k]), 20 * dt * dt * dt);
    expect_at_most(fabs(half->x[k] - (p->x[k] + late->x[k]) / 2), dt * dt);
  }
  hb_particles_destroy(p);
  hb_particles_destroy(late);
  hb_particles_destroy(half);
  /* a hair before the step is at the step, farther is outside */
  p = state_at(l, hb_integrator_leapfrog.time(l) - 1e-11);
  assert_memory_equal(p->x, l->particles->x, 6 * sizeof(double));
  hb_particles_destroy(p);
  const double outside[] = {t, hb_integrator_leapfrog.next_time(l) + 1e-9, NAN};
  for (size_t k = 0; k < COUNT_OF(outside); k++) {
    ASSERT_FAILS(hb_integrator_leapfrog.particles(l, outside[k], &p), HB_ERR_USAGE, "expected");
    assert_null(p);
  }
  finish(l);
}

/* ---- what is refused ----------------------------------------------------------------------------------- */

static void params_are_checked(void **state)
{
  (void)state;
  static const struct {
    double dt, damping;
  } bad[] = {{0, 1}, {-1, 1}, {NAN, 1}, {INFINITY, 1}, {0.1, 0}, {0.1, 1.1}, {0.1, NAN}, {0.1, -0.5}};
  struct hb_particles *p = model("figure8", (struct hb_ic_params){0});
  struct hb_force *force = host(0);
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    struct hb_leapfrog *l;
    const struct hb_sim_params params = {.dt = bad[k].dt, .damping = bad[k].damping};
    ASSERT_FAILS(step_leapfrog(p, &params, force, &l), HB_ERR_USAGE, bad[k].dt == 0 ? "needs" : "expected");
    assert_null(l);
  }
  hb_force_close(force);
  hb_particles_destroy(p);
}

static void a_step_that_fails_leaves_all_as_it_was(void **state)
{
  (void)state;
  struct hb_leapfrog *l = start(model("figure8", (struct hb_ic_params){0}), 0.01, 1, 0);
  go(l, 5);
  l->particles->x[4] = NAN;
  struct hb_particles *before;
  ASSERT_OK(hb_particles_copy(l->particles, &before));
  double a[9];
  memcpy(a, l->a, sizeof a);
  ASSERT_FAILS(hb_integrator_leapfrog.step(l, &(struct hb_step_size){0}), HB_ERR_NUMERIC,
               "particle 0 at t = 0.0599");
  assert_memory_equal(before->x, l->particles->x, 9 * sizeof(double));
  assert_memory_equal(before->v, l->particles->v, 9 * sizeof(double));
  assert_memory_equal(a, l->a, sizeof a);
  expect_equal(l->steps, 5);
  hb_particles_destroy(before);
  finish(l);

  struct hb_particles *p = model("figure8", (struct hb_ic_params){0});
  p->t = 1e6;
  l = start(p, 1e-11, 1, 0);
  ASSERT_FAILS(hb_integrator_leapfrog.step(l, &(struct hb_step_size){0}), HB_ERR_NUMERIC,
               "lost in the digits");
  finish(l);
}

static void lack_of_memory(void **state)
{
  (void)state;
  struct hb_particles *p = model("figure8", (struct hb_ic_params){0});
  enum hb_status status = HB_ERR_INTERNAL;
  unsigned long nth = 0;
  while (status != HB_OK) {
    struct hb_force *force = host(0);
    struct hb_leapfrog *l;
    hb_mem_watch.fail_at = ++nth;
    status = step_leapfrog(p, &(struct hb_sim_params){.dt = 0.01, .damping = 1}, force, &l);
    hb_mem_watch.fail_at = 0;
    assert_true(status == HB_OK || (status == HB_ERR_INTERNAL && !l));
    hb_integrator_leapfrog.destroy(l);
    hb_force_close(force);
  }
  assert_in_range(nth, 10, 100);
  hb_integrator_leapfrog.destroy(NULL);
  hb_particles_destroy(p);
}

/* ---- kept and taken up again --------------------------------------------------------------------------- */

static struct hb_leapfrog *resumed(const struct hb_leapfrog *l)
{
  struct hb_sections sections = {0};
  void *again;
  ASSERT_OK(hb_integrator_leapfrog.save(l, &sections));
  ASSERT_OK(hb_integrator_leapfrog.resume(&sections, NULL, host(0.05), &again));
  hb_sections_clear(&sections);
  return again;
}

static void goes_on_bit_for_bit(void **state)
{
  (void)state;
  enum { N = 32 };
  struct hb_particles *initial = model("plummer", (struct hb_ic_params){.n = N, .seed = 4});
  initial->t = 0.7;
  initial->id[5] = 99;
  struct hb_leapfrog *l = start(initial, 0.003, 0.999, 0.05);
  go(l, 17);
  struct hb_leapfrog *again = resumed(l);
  for (int s = 0; s < 3; s++) {
    expect_equal(hb_integrator_leapfrog.time(l), hb_integrator_leapfrog.time(again));
    expect_equal(l->steps, again->steps);
    double t = (hb_integrator_leapfrog.time(l) + hb_integrator_leapfrog.next_time(l)) / 2;
    struct hb_particles *p = state_at(l, t), *q = state_at(again, t);
    assert_memory_equal(p->x, q->x, 3 * N * sizeof(double));
    assert_memory_equal(p->v, q->v, 3 * N * sizeof(double));
    assert_memory_equal(p->m, q->m, N * sizeof(double));
    assert_memory_equal(p->id, q->id, N * sizeof(uint64_t));
    hb_particles_destroy(p);
    hb_particles_destroy(q);
    go(l, 23);
    go(again, 23);
  }
  finish(l);
  finish(again);
}

/* Each section in turn is left out, shortened, or makes no sense. */
static void sections_are_checked(void **state)
{
  (void)state;
  struct hb_leapfrog *l = start(model("figure8", (struct hb_ic_params){0}), 0.01, 1, 0);
  void *again;
  struct hb_sections sections = {0};
  ASSERT_OK(hb_integrator_leapfrog.save(l, &sections));
  for (size_t k = 0; k < sections.count; k++) {
    struct hb_section whole = sections.at[k];
    if (strcmp(whole.name, "notes") == 0) continue; /* an empty one cannot be shortened */
    sections.at[k].name[0] = '-';
    ASSERT_FAILS(hb_integrator_leapfrog.resume(&sections, NULL, l->force, &again), HB_ERR_INPUT,
                 "is missing");
    assert_null(again);
    sections.at[k] = whole;
    sections.at[k].count--;
    ASSERT_FAILS(hb_integrator_leapfrog.resume(&sections, NULL, l->force, &again), HB_ERR_INPUT, "section '");
    sections.at[k] = whole;
  }
  const double senseless = -0.01;
  struct hb_section *dt = (struct hb_section *)hb_sections_find(&sections, "leapfrog.dt"), whole = *dt;
  dt->data = &senseless;
  ASSERT_FAILS(hb_integrator_leapfrog.resume(&sections, NULL, l->force, &again), HB_ERR_INPUT, "dt = -0.01");
  *dt = whole;
  l->particles->x[2] = INFINITY;
  ASSERT_FAILS(hb_integrator_leapfrog.resume(&sections, NULL, l->force, &again), HB_ERR_INPUT,
               "particle 0 has z = inf");
  hb_sections_clear(&sections);
  finish(l);
}

/* ---- through the public header ------------------------------------------------------------------------- */

static void as_a_simulation(void **state)
{
  (void)state;
  struct hb_particles *p = model("plummer", (struct hb_ic_params){.n = 64, .seed = 1});
  struct hb_sim *sim;
  struct hb_sim_params params = {.force = {.scheme = "host", .eps = 0.1}, .integrator = "leapfrog"};
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "integrator leapfrog needs its time step");
  params.dt = 1.0 / 128;
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  for (int s = 0; s < 64; s++) ASSERT_OK(hb_sim_step(sim));
  struct hb_diagnostics d;
  struct hb_sim_counts counts;
  ASSERT_OK(hb_sim_diagnose(sim, 0.5, &d));
  hb_sim_counts(sim, &counts);
  expect_below(fabs(d.virial_ratio - 0.5), 0.1);
  expect_equal(d.e_gpu, d.e_total);
  expect_equal(counts.block_steps, 64);
  expect_equal(counts.particle_steps, 64 * 64);
  expect_equal(counts.pairs, 64 * 64 * 63);
  hb_sim_destroy(sim);
  params.integrator = "hermite4";
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "hermite4 has no constant step");
  params = (struct hb_sim_params){.force = {.scheme = "host"}, .damping = 0.5};
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "no damping");
  params.integrator = "leapfog";
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "expected hermite4, leapfrog");
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_two),
      cmocka_unit_test(places_are_those_of_the_sample),
      cmocka_unit_test(time_can_be_turned_round),
      cmocka_unit_test(times_are_products),
      cmocka_unit_test(states_between_steps),
      cmocka_unit_test(params_are_checked),
      cmocka_unit_test(a_step_that_fails_leaves_all_as_it_was),
      cmocka_unit_test(lack_of_memory),
      cmocka_unit_test(goes_on_bit_for_bit),
      cmocka_unit_test(sections_are_checked),
      cmocka_unit_test(as_a_simulation),
  };
  return cmocka_run_group_tests_name("leapfrog", tests, NULL, NULL);
}
