/* The Hermite scheme on orbits that are known, on the exact forces of the host. */
#include "support/step_case.h"
#include "core/diagnostics.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* Position x2 - x1 at time t of a binary with a = 1, total mass 1, from apocentre on the x axis at t = 0. */
static void kepler(double e, double t, double x[3])
{
  double M = pi + t, E = M;
  for (int k = 0; k < 200; k++) E -= (E - e * sin(E) - M) / (1 - e * cos(E)) / (k < 20 ? 2 : 1);
  x[0] = -(cos(E) - e);
  x[1] = -sqrt(1 - e * e) * sin(E);
  x[2] = 0;
}

static double binary_error(const struct hb_particles *p, double e, double t)
{
  double x[3];
  kepler(e, t, x);
  return hypot(p->x[3] - p->x[0] - x[0], p->x[4] - p->x[1] - x[1]);
}

/* Moebius eight of Chenciner & Montgomery 2000, Simo's figures. */
static const double figure8_period = 6.32591398;

static struct hb_particles *figure8(void)
{
  const double x1 = 0.97000436, y1 = -0.24308753, v3x = -0.93240737, v3y = -0.86473146;
  const double m[] = {1, 1, 1}, x[] = {x1, y1, 0, -x1, -y1, 0, 0, 0, 0};
  const double v[] = {-v3x / 2, -v3y / 2, 0, -v3x / 2, -v3y / 2, 0, v3x, v3y, 0};
  return step_particles(3, m, x, v);
}

static struct hb_particles *state_at(struct hb_hermite4 *h, double t)
{
  while (step_hermite4_next_time(h) <= t) assert_int_equal(step_hermite4_step(h), HB_OK);
  struct hb_particles *p;
  assert_int_equal(step_hermite4_state(h, t, &p), HB_OK);
  return p;
}

/* ---- order ------------------------------------------------------------------------------------------- */

/* Order 4 shows as a slope of 4 plus what the next order adds, 0.08 at 2^-6 and falling; 0.2 is room for
 * another phase of the orbit. Negative control: the leapfrog, 2. */
static const double least_slope = 3.8;

static const double e_half = 0.5, t_half = 6.5; /* a little more than a period */
enum { SLOWEST = 6, FASTEST = 10 };             /* steps 2^-6 ... 2^-10, errors 4e-6 ... 6e-11 */

static double hermite_error(double dt)
{
  struct hb_hermite4 *h = step_start(step_binary(e_half), 0.01, dt, dt);
  struct hb_particles *p = state_at(h, t_half);
  double error = binary_error(p, e_half, t_half);
  expect_equal(h->counts.block_steps, (uint64_t)(t_half / dt));
  hb_particles_destroy(p);
  step_finish(h);
  return error;
}

/* Kick, drift, kick of the relative orbit. */
static double leapfrog_error(double dt)
{
  double x[2] = {1 + e_half, 0}, v[2] = {0, sqrt((1 - e_half) / (1 + e_half))}, exact[3];
  for (double t = 0; t < t_half; t += dt) {
    double r3 = pow(hypot(x[0], x[1]), 3);
    for (int c = 0; c < 2; c++) v[c] -= dt / 2 * x[c] / r3;
    for (int c = 0; c < 2; c++) x[c] += dt * v[c];
    r3 = pow(hypot(x[0], x[1]), 3);
    for (int c = 0; c < 2; c++) v[c] -= dt / 2 * x[c] / r3;
  }
  kepler(e_half, t_half, exact);
  return hypot(x[0] - exact[0], x[1] - exact[1]);
}

/* The smallest slope over all halvings of the step. */
static double slope(double (*error)(double dt))
{
  double smallest = 99;
  for (int k = SLOWEST; k < FASTEST; k++)
    smallest = fmin(smallest, log2(error(ldexp(1, -k)) / error(ldexp(1, -k - 1))));
  return smallest;
}

static void test_fourth_order(void **state)
{
  (void)state;
  expect_at_least(slope(hermite_error), least_slope);
  double leapfrog = slope(leapfrog_error);
  expect_above(leapfrog, 1.8);
  expect_below(leapfrog, least_slope);
}

/* a and k of the second body of step_binary(): both masses are 1/2, so a = -r / (2 r^3) with r = x2 - x1. */
static void pull(const double x[6], const double v[6], double a[3], double k[3])
{
  double r[3], u[3], r2 = 0, rv = 0;
  for (int c = 0; c < 3; c++)
    r[c] = x[3 + c] - x[c], u[c] = v[3 + c] - v[c], r2 += r[c] * r[c], rv += r[c] * u[c];
  double r3 = r2 * sqrt(r2);
  for (int c = 0; c < 3; c++) a[c] = -r[c] / r3 / 2, k[c] = -(u[c] - 3 * rv / r2 * r[c]) / r3 / 2;
}

/* Two dozen roundings of numbers below 1. Negative control: k'' / 119 for k'' / 120 in eq. 7, 1e-9. */
static const double step_tolerance = 24 * 0x1p-53;

/* One step of 1/8 against [PZ07] eqs 3 to 8 as they are printed. */
static void test_one_step_is_the_papers(void **state)
{
  (void)state;
  const double dt = 0.125;
  struct hb_particles *p = step_binary(0.5);
  double xp[6], vp[6], a[6], k[6], ap[3], kp[3];
  pull(p->x, p->v, a + 3, k + 3);
  for (int c = 0; c < 3; c++) a[c] = -a[3 + c], k[c] = -k[3 + c];
  for (int c = 0; c < 6; c++) {
    xp[c] = p->x[c] + p->v[c] * dt + a[c] * dt * dt / 2 + k[c] * dt * dt * dt / 6;
    vp[c] = p->v[c] + a[c] * dt + k[c] * dt * dt / 2;
  }
  pull(xp, vp, ap, kp);
  struct hb_hermite4 *h = step_start(p, 0.01, dt, dt);
  assert_int_equal(step_hermite4_step(h), HB_OK);
  double control = 0;
  for (int c = 0; c < 3; c++) {
    double a2 = -6 * (a[3 + c] - ap[c]) / (dt * dt) - (4 * k[3 + c] + 2 * kp[c]) / dt;
    double k2 = 12 * (a[3 + c] - ap[c]) / (dt * dt * dt) + 6 * (k[3 + c] + kp[c]) / (dt * dt);
    double x = xp[3 + c] + a2 / 24 * pow(dt, 4) + k2 / 120 * pow(dt, 5);
    double v = vp[3 + c] + a2 / 6 * pow(dt, 3) + k2 / 24 * pow(dt, 4);
    expect_at_most(fabs(h->particles->x[3 + c] - x), step_tolerance);
    expect_at_most(fabs(h->particles->v[3 + c] - v), step_tolerance);
    control = fmax(control, fabs(k2 * (1.0 / 119 - 1.0 / 120) * pow(dt, 5)));
  }
  expect_above(control, 1000 * step_tolerance);
  step_finish(h);
}

/* ---- orbits ------------------------------------------------------------------------------------------ */

/* 10 periods at e = 0.9. At nu = 0.02 the error is 1.6e-3; it goes as dt^4 ~ nu^2, so 1/16 of that nu leaves
 * 6e-6. Negative control: nu = 0.02. */
static const double kepler_tolerance = 1e-5;

static double kepler_error(double nu)
{
  struct hb_hermite4 *h = step_start(step_binary(0.9), nu, 0.125, ldexp(1, -40));
  struct hb_particles *p = state_at(h, 62.75);
  double error = binary_error(p, 0.9, 62.75);
  hb_particles_destroy(p);
  step_finish(h);
  return error;
}

static void test_kepler(void **state)
{
  (void)state;
  expect_at_most(kepler_error(0.02 / 16), kepler_tolerance);
  expect_above(kepler_error(0.02), kepler_tolerance);
}

/* Period and start are known to 5e-9; speeds of 1 and the orbit's own sensitivity make 3e-8 of it, which no
 * smaller step improves. Negative control: nu = 0.02, 1e-5. */
static const double figure8_tolerance = 1e-7;

static double figure8_error(double nu)
{
  struct hb_particles *q = figure8();
  struct hb_hermite4 *h = step_start(figure8(), nu, 0.125, ldexp(1, -40));
  struct hb_particles *p = state_at(h, figure8_period);
  double error = 0;
  for (int k = 0; k < 9; k++) error = fmax(error, fabs(p->x[k] - q->x[k]));
  expect_below(h->counts.block_steps,
               40000); /* the middle one starts with a = 0 and must not stay at tiny steps */
  hb_particles_destroy(p);
  hb_particles_destroy(q);
  step_finish(h);
  return error;
}

static void test_figure8(void **state)
{
  (void)state;
  expect_at_most(figure8_error(0.02 / 16), figure8_tolerance);
  expect_at_most(figure8_error(0.02 / 1024), figure8_tolerance);
  expect_above(figure8_error(0.02), figure8_tolerance);
}

static void test_one_particle_moves_straight(void **state)
{
  (void)state;
  const double m[] = {1}, x[] = {1, 2, 3}, v[] = {0.5, -0.25, 0};
  struct hb_hermite4 *h = step_start(step_particles(1, m, x, v), 0.01, 0.125, ldexp(1, -26));
  struct hb_particles *p = state_at(h, 10.0625);
  expect_equal(h->counts.block_steps, 80); /* steps of dt_max */
  expect_equal(p->x[0], 1 + 10.0625 / 2);
  expect_equal(p->x[1], 2 - 10.0625 / 4);
  expect_equal(p->x[2], 3);
  assert_memory_equal(p->v, v, sizeof v);
  hb_particles_destroy(p);
  step_finish(h);
}

/* Two ulp of 7.4. Negative control: the same sum as it comes. */
static const double sum_tolerance = 2 * 0x1p-50;

/* 2^16 steps of 2^-10 at a speed that no step is a multiple of; the rounding of one is the rounding of all. */
static void test_sums_lose_nothing(void **state)
{
  (void)state;
  const double m[] = {1}, x[] = {1, -7, 1e-3}, v[] = {0.1, 0.1, -0.3}, dt = 0x1p-10;
  struct hb_hermite4 *h = step_start(step_particles(1, m, x, v), 0.01, dt, dt);
  struct hb_particles *p = state_at(h, 64);
  double control = 0;
  for (int c = 0; c < 3; c++) {
    double sum = x[c];
    for (int k = 0; k < 1 << 16; k++) sum += dt * v[c];
    expect_at_most(fabs(p->x[c] - (x[c] + 64 * v[c])), sum_tolerance);
    control = fmax(control, fabs(sum - (x[c] + 64 * v[c])));
  }
  expect_equal(h->counts.block_steps, 1 << 16);
  expect_above(control, 1000 * sum_tolerance);
  hb_particles_destroy(p);
  step_finish(h);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

/* A Plummer sphere of 1024, one of whose stars has a jerk that cancels to a quarter just before it meets another one. */
static double early_error(enum hb_first_step first_step)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_diagnostics first, last;
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = 1024, .seed = 1}, &p), HB_OK);
  const struct hb_sim_params params = {.force = {.scheme = "host", .eps = 1.0 / 256},
                                       .first_step = first_step,
                                       .neighbors = HB_NEIGHBORS_NONE};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
  hb_particles_destroy(p);
  assert_int_equal(hb_sim_diagnose(sim, 0, &first), HB_OK);
  assert_int_equal(hb_sim_integrate(sim, 0.125), HB_OK);
  assert_int_equal(hb_sim_diagnose(sim, 0.125, &last), HB_OK);
  hb_sim_destroy(sim);
  return fabs(last.e_total / first.e_total - 1);
}

/* 1.7e-9, as in other samples; by eq. 2, the negative control, 4.8e-8. */
static void test_first_step_after_a_trial(void **state)
{
  (void)state;
  expect_below(early_error(HB_FIRST_STEP_EQ9), 5e-9);
  expect_above(early_error(HB_FIRST_STEP_EQ2), 2e-8);
}

static double step_of(const struct hb_hermite4 *h, size_t i)
{
  return ldexp(h->params.dt_min, h->blocks->level[i]);
}

/* The free fall of two bodies of 1/2 from rest at distance 1 is over at pi / (2 sqrt 2) = 1.11. Until 1,
 * distance 0.25, energy -1/4 is kept to dt^4-errors of some 20 steps. Negative control: a first step of 1/2.
 * */
static const double cold_tolerance = 1e-6;

static double cold_error(unsigned first_level)
{
  const double m[] = {0.5, 0.5}, x[] = {0, 0, 0, 1, 0, 0}, v[6] = {0};
  struct hb_hermite4 *h = step_start(step_particles(2, m, x, v), 0.01, 1, ldexp(1, -26));
  /* |a| = 1/2 and |a''| = 1, so (0.01 / 2)^(1/2) = 0.07 becomes 2^-4. */
  expect_equal(step_of(h, 0), 0.0625);
  expect_equal(step_of(h, 1), 0.0625);
  hb_blocks_advance(h->blocks, 0); /* empties all lists */
  for (uint32_t i = 0; i < 2; i++) hb_blocks_put(h->blocks, i, first_level);
  struct hb_particles *p = state_at(h, 1);
  double e = 0.5 * p->v[0] * p->v[0] - 0.25 / (p->x[3] - p->x[0]);
  hb_particles_destroy(p);
  step_finish(h);
  return fabs(e + 0.25);
}

static void test_cold_start(void **state)
{
  (void)state;
  expect_at_most(cold_error(22), cold_tolerance);
  expect_above(cold_error(25), cold_tolerance);
}

static void test_cold_sphere(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_ic_params ic = {.n = 256, .seed = 3};
  assert_int_equal(hb_ic_make("coldsphere", &ic, &p), HB_OK);
  struct hb_hermite4 *h = step_start(p, 0.01, 1, ldexp(1, -26));
  for (size_t i = 0; i < h->n; i++) {
    expect_below(step_of(h, i), 0.25);
    expect_above(step_of(h, i), ldexp(1, -20));
  }
  step_finish(h);
}

/* Invariants after each block step of an eccentric binary, and growth by a factor of two at most, on multiples only,
 * however steps become powers of two. */
static void test_steps_obey_the_scheduler(void **state)
{
  (void)state;
  uint64_t steps[3];
  for (int rounding = HB_ROUND_DOWN; rounding <= HB_ROUND_UP; rounding++) {
    struct hb_particles *p = step_binary(0.9);
    struct hb_hermite4 *h;
    const struct hb_sim_params params = {
        .eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-26, .rounding = (enum hb_rounding)rounding};
    assert_int_equal(step_hermite4(p, &params, step_host(0), &h), HB_OK);
    hb_particles_destroy(p);
    uint64_t t[2] = {0};
    int grown = 0, shrunk = 0;
    while (step_hermite4_next_time(h) <= 8) {
      uint8_t before[2] = {h->blocks->level[0], h->blocks->level[1]};
      assert_int_equal(step_hermite4_step(h), HB_OK);
      for (int i = 0; i < 2; i++) {
        if (h->blocks->now == t[i] + ((uint64_t)1 << before[i])) t[i] = h->blocks->now;
        expect_at_most(h->blocks->level[i], before[i] + 1);
        grown += h->blocks->level[i] > before[i];
        shrunk += h->blocks->level[i] < before[i];
      }
      assert_int_equal(step_blocks_check(h->blocks, t), HB_OK);
    }
    expect_above(grown, 10);
    expect_above(shrunk, 10);
    steps[rounding] = h->counts.block_steps;
    step_finish(h);
  }
  /* up is down with steps twice as long, nearest is in between */
  expect_below(fabs((double)steps[HB_ROUND_UP] / (double)steps[HB_ROUND_DOWN] - 0.5), 0.03);
  expect_below(steps[HB_ROUND_UP], steps[HB_ROUND_NEAREST]);
  expect_below(steps[HB_ROUND_NEAREST], steps[HB_ROUND_DOWN]);
}

/* Shared steps: all particles on the level that the most demanding of them would have, which grows by a factor of two
 * and on multiples only; as many block steps as with steps of their own, to a tenth, and an energy kept no worse. */
static void test_shared_steps(void **state)
{
  (void)state;
  enum { N = 64 };
  double energy[2];
  uint64_t steps[2];
  for (int kind = HB_STEPS_BLOCK; kind <= HB_STEPS_SHARED; kind++) {
    struct hb_particles *p;
    struct hb_hermite4 *h;
    struct hb_sim_params params = {
        .eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-26, .steps = (enum hb_steps)kind};
    assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 9}, &p), HB_OK);
    assert_int_equal(step_hermite4(p, &params, step_host(0.05), &h), HB_OK);
    hb_particles_destroy(p);
    int grown = 0, shrunk = 0, apart = 0;
    while (step_hermite4_next_time(h) <= 1) {
      uint8_t before = h->blocks->level[0];
      assert_int_equal(step_hermite4_step(h), HB_OK);
      assert_int_equal(step_blocks_check(h->blocks, NULL), HB_OK);
      for (int i = 1; i < N; i++) apart += h->blocks->level[i] != h->blocks->level[0];
      grown += h->blocks->level[0] == before + 1;
      shrunk += h->blocks->level[0] < before;
    }
    expect_equal((apart > 0), (kind == HB_STEPS_BLOCK));
    expect_above(grown, 3);
    expect_above(shrunk, 3);
    expect_equal((h->counts.particle_steps == N * h->counts.block_steps), (kind == HB_STEPS_SHARED));
    p = state_at(h, 1);
    energy[kind] = hb_kinetic_energy(p) + step_potential_energy(p, 0.05 * 0.05),
    steps[kind] = h->counts.block_steps;
    hb_particles_destroy(p);
    step_finish(h);
  }
  expect_below(fabs((double)steps[1] - (double)steps[0]), 0.1 * (double)steps[0]);
  expect_below(fabs(energy[1] - energy[0]), 1e-6);
}

static void test_rounding_orders_the_steps(void **state)
{
  (void)state;
  uint64_t steps[3];
  for (int r = HB_ROUND_DOWN; r <= HB_ROUND_UP; r++) {
    struct hb_particles *p = step_binary(0.5);
    struct hb_hermite4 *h;
    struct hb_sim_params params = {
        .eta = 0.01, .dt_max = 0.125, .dt_min = ldexp(1, -26), .rounding = (enum hb_rounding)r};
    assert_int_equal(step_hermite4(p, &params, step_host(0), &h), HB_OK);
    hb_particles_destroy(p);
    hb_particles_destroy(state_at(h, 10));
    steps[r] = h->counts.block_steps;
    step_finish(h);
  }
  expect_above(steps[HB_ROUND_DOWN], steps[HB_ROUND_NEAREST]);
  expect_above(steps[HB_ROUND_NEAREST], steps[HB_ROUND_UP]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fourth_order),
      cmocka_unit_test(test_one_step_is_the_papers),
      cmocka_unit_test(test_kepler),
      cmocka_unit_test(test_figure8),
      cmocka_unit_test(test_one_particle_moves_straight),
      cmocka_unit_test(test_sums_lose_nothing),
      cmocka_unit_test(test_first_step_after_a_trial),
      cmocka_unit_test(test_cold_start),
      cmocka_unit_test(test_cold_sphere),
      cmocka_unit_test(test_steps_obey_the_scheduler),
      cmocka_unit_test(test_shared_steps),
      cmocka_unit_test(test_rounding_orders_the_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
