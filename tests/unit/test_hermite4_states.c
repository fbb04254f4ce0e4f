/* States of the Hermite scheme between and at its steps, and what it refuses. */
#include "support/step_case.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* [PZ07] eqs 3 and 4, one operation after the other. */
static void taylor(const struct hb_hermite4 *h, size_t c, volatile double dt, double xv[2])
{
  volatile double half = dt / 2, third = dt / 3, a = h->a[c], k = h->j[c], v = h->particles->v[c];
  volatile double speed = third * k;
  speed = half * (a + speed);
  xv[0] = h->particles->x[c] + dt * (v + speed);
  speed = half * k;
  xv[1] = v + dt * (a + speed);
}

/* The predictions of four pieces and a particle, shared by three threads, to the bit. */
static void test_all_are_predicted(void **state)
{
  (void)state;
  enum { N = 4097 };
  static double m[N], x[3 * N], v[3 * N];
  struct hb_rng rng = hb_rng_seeded(3);
  for (size_t i = 0; i < N; i++) m[i] = 1. / N;
  for (size_t c = 0; c < 3 * N; c++) x[c] = 2 * hb_rng_uniform(&rng) - 1, v[c] = 2 * hb_rng_uniform(&rng) - 1;
  hb_parallel_set_threads(3);
  struct hb_hermite4 *h = step_start(step_particles(N, m, x, v), 0.01, 0.125, ldexp(1, -26));
  size_t checked = 0;
  for (int step = 0; step < 4; step++) {
    assert_int_equal(step_hermite4_step(h), HB_OK);
    for (size_t c = 0; c < 3 * N; c++) {
      double xv[2],
          dt = hb_hermite4_span(h, h->blocks->now - hb_blocks_level_time(h->blocks, h->blocks->level[c / 3]));
      if (dt == 0) continue; /* of the block, and corrected since */
      taylor(h, c, dt, xv);
      assert_memory_equal(&h->xp[c], &xv[0], sizeof xv[0]);
      assert_memory_equal(&h->vp[c], &xv[1], sizeof xv[1]);
      checked++;
    }
  }
  expect_above(checked, 3 * N);
  hb_parallel_set_threads(0);
  step_finish(h);
}

/* A state between blocks is eqs 3 and 4 from each particle's own time. */
static void test_state_between_blocks(void **state)
{
  (void)state;
  struct hb_particles *initial = step_binary(0.5), *p;
  initial->t = 3; /* time counts from that of the particles */
  struct hb_hermite4 *h = step_start(initial, 0.01, 0.125, ldexp(1, -26));
  for (int s = 0; s < 100; s++) assert_int_equal(step_hermite4_step(h), HB_OK);
  double T = step_hermite4_time(h), next = step_hermite4_next_time(h), dt = (next - T) / 2;
  expect_above(T, 3);
  assert_int_equal(step_hermite4_state(h, T + dt, &p), HB_OK);
  expect_equal(p->t, T + dt);
  for (int k = 0; k < 6; k++) {
    double x = h->particles->x[k], v = h->particles->v[k];
    double xp = x + v * dt + h->a[k] * dt * dt / 2 + h->j[k] * dt * dt * dt / 6;
    expect_below(fabs(p->x[k] - xp), 1e-15);
    if (k % 3 != 2) expect_other(p->x[k], x);
  }
  hb_particles_destroy(p);
  assert_int_equal(step_hermite4_state(h, T, &p), HB_OK);
  assert_memory_equal(p->x, h->particles->x, 6 * sizeof(double));
  hb_particles_destroy(p);
  const double outside[] = {T - dt, next + dt, NAN, 0};
  for (int k = 0; k < 4; k++) {
    assert_int_equal(step_hermite4_state(h, outside[k], &p), HB_ERR_USAGE);
    assert_null(p);
  }
  step_finish(h);
}

static void test_params_are_checked(void **state)
{
  (void)state;
  const struct {
    struct hb_sim_params params;
    const char *sentence;
  } bad[] = {
      {{.eta = -1}, "eta is -1, expected finite and > 0"},
      {{.eta = NAN}, "eta is nan"},
      {{.eta = INFINITY}, "eta is inf"},
      {{.dt_max = 0.1}, "dt_max is 0.1, expected a power of two like 0.125"},
      {{.dt_max = -0.5}, "dt_max is -0.5"},
      {{.dt_max = INFINITY}, "dt_max is inf"},
      {{.dt_min = 0.001}, "dt_min is 0.001, expected a power of two"},
      {{.dt_min = 0.25}, "dt_min is 0.25, expected at most dt_max = 0.125"},
      {{.dt_min = 0x1p-66}, "dt_max / dt_min is 9.22337e+18, expected at most 2^62"},
      {{.force.eps = -1}, "eps is -1, expected finite and >= 0"},
      {{.rounding = (enum hb_rounding)3}, "rounding is 3, expected 0 to 2 (down, nearest, up)"},
      {{.steps = (enum hb_steps)2}, "steps is 2, expected 0 to 1 (block, shared)"},
      {{.first_step = (enum hb_first_step)3}, "first_step is 3, expected 0 to 2 (auto, eq9, eq2)"},
      {{.collisions = (enum hb_collisions)3}, "collisions is 3, expected 0 to 2 (none, stop, merge)"},
      {{.encounters = (enum hb_encounters) - 1}, "encounters is -1, expected 0 to 2 (auto, none, groups)"},
      {{.escape_radius = -1}, "escape_radius is -1, expected finite and > 0"},
  };
  struct hb_particles *p = step_binary(0);
  struct hb_force *force = step_host(0);
  struct hb_hermite4 *h;
  struct hb_sim *sim;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    struct hb_sim_params params = bad[k].params;
    params.force.scheme = "host";
    ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, bad[k].sentence);
    assert_null(sim);
  }
  const struct hb_sim_params widest = {
      .eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-65, .rounding = HB_ROUND_DOWN};
  assert_int_equal(step_hermite4(p, &widest, force, &h), HB_OK);
  assert_int_equal(step_hermite4_step(h), HB_OK);
  step_finish(h);
  hb_particles_destroy(p);
}

static void test_no_number_stops_the_first_forces(void **state)
{
  (void)state;
  const double m[] = {1, 1, 1}, x[] = {5, 0, 0, 1, 1, 1, 1, 1, 1}, v[9] = {0};
  struct hb_particles *p = step_particles(3, m, x, v);
  struct hb_force *force = step_host(0);
  struct hb_sim_params params = {.eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-26, .rounding = HB_ROUND_DOWN};
  struct hb_hermite4 *h;
  assert_int_equal(step_hermite4(p, &params, force, &h), HB_ERR_NUMERIC);
  assert_non_null(strstr(hb_error(), "particle 1 at t = 0 "));
  hb_force_close(force);
  hb_particles_destroy(p);
}

/* A force that is NaN ends the block step in which it occurs, before anything has moved. */
static void test_no_number_stops_the_step(void **state)
{
  (void)state;
  struct hb_hermite4 *h = step_start(step_binary(0.5), 0.01, 0.125, 0x1p-26);
  for (int s = 0; s < 10; s++) assert_int_equal(step_hermite4_step(h), HB_OK);
  h->particles->x[0] = NAN;
  struct hb_particles *before;
  assert_int_equal(hb_particles_copy(h->particles, &before), HB_OK);
  double a[6], T = step_hermite4_time(h), next = step_hermite4_next_time(h);
  uint8_t level[2] = {h->blocks->level[0], h->blocks->level[1]};
  memcpy(a, h->a, sizeof a);
  char where[64];
  snprintf(where, sizeof where, "particle 0 at t = %.17g ", next);
  assert_int_equal(step_hermite4_step(h), HB_ERR_NUMERIC);
  assert_non_null(strstr(hb_error(), where));
  assert_memory_equal(before->x, h->particles->x, 6 * sizeof(double));
  assert_memory_equal(before->v, h->particles->v, 6 * sizeof(double));
  assert_memory_equal(a, h->a, sizeof a);
  assert_memory_equal(level, h->blocks->level, sizeof level);
  expect_equal(step_hermite4_time(h), T);
  expect_equal(step_hermite4_next_time(h), next);
  expect_equal(h->counts.block_steps, 10);
  assert_int_equal(step_blocks_check(h->blocks, NULL), HB_OK);
  hb_particles_destroy(before);
  step_finish(h);
}

static void test_no_memory(void **state)
{
  (void)state;
  struct hb_particles *p = step_binary(0.5);
  struct hb_sim_params params = {.eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-26, .rounding = HB_ROUND_DOWN};
  enum hb_status status = HB_ERR_INTERNAL;
  int failures = 0;
  while (status != HB_OK) {
    struct hb_force *force = step_host(0);
    struct hb_hermite4 *h;
    hb_mem_watch.fail_at = (unsigned long)failures + 1;
    status = step_hermite4(p, &params, force, &h);
    hb_mem_watch.fail_at = 0;
    assert_true(status == HB_OK || (status == HB_ERR_INTERNAL && h == NULL));
    failures += status != HB_OK;
    step_hermite4_destroy(h);
    hb_force_close(force);
  }
  expect_above(failures, 20);
  step_hermite4_destroy(NULL);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_are_predicted),
      cmocka_unit_test(test_state_between_blocks),
      cmocka_unit_test(test_params_are_checked),
      cmocka_unit_test(test_no_number_stops_the_first_forces),
      cmocka_unit_test(test_no_number_stops_the_step),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
