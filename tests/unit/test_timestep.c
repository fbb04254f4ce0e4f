/* Lengths of steps and the powers of two they become. */
#include "step/timestep.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Square roots and quotients of small numbers: a few ulps. Negative control: the other guard's value. */
static const double tolerance = 8 * DBL_EPSILON;

static const double zero[3] = {0}, three[3] = {1, 2, 2}, six[3] = {0, -6, 0};

static void test_first_step(void **state)
{
  (void)state;
  expect_near(hb_timestep_first(0.01, 0, three, six, zero), 0.005, tolerance); /* eq. 2 */
  double cold = hb_timestep_first(0.01, 0, three, zero, six);
  expect_near(cold, sqrt(0.005), tolerance);
  expect_above(fabs(cold - 0.005), tolerance); /* at rest */
  const double slow[3] = {1e-9, 0, 0};
  expect_near(hb_timestep_first(0.01, 0, three, slow, six), sqrt(0.005), tolerance); /* all but at rest */
  expect_equal(hb_timestep_first(0.01, 0, zero, six, zero), 0);
  expect_near(hb_timestep_first(0.01, 0.6, zero, six, zero), 0.001, tolerance); /* pulls that cancel */
  assert_true(isinf(hb_timestep_first(0.01, 0, zero, zero, zero)));
  expect_equal(hb_timestep_a_least(hb_timestep_pulls(-3, 9, 0)), 1.0 / 1024);
  expect_equal(hb_timestep_pulls(-3, 9, 4), 1); /* M is for M - m */
  expect_equal(hb_timestep_pulls(-3, 9, 6), 3); /* a heavy body has no pull on itself */
  expect_equal(hb_timestep_pulls(0, 9, 9), 0);  /* alone */
  expect_equal(hb_timestep_pulls(0, 0, 0), 0);
  expect_near(hb_timestep_anew(0.01, 0.6, zero, six), 0.001, tolerance);
}

/* Eq. 9 alone, and whether the step shows noise. */
static double after(double nu, double dt, const double k[3], const double ap[3], const double kp[3],
                    const double dt2a2[3], const double dt3k2[3], int *noisy)
{
  double a2[3], k2[3];
  memcpy(a2, dt2a2, sizeof a2);
  memcpy(k2, dt3k2, sizeof k2);
  double next = hb_timestep_after(&(struct hb_timestep_rule){.nu = nu}, 0, dt, k, ap, kp, a2, k2, noisy);
  assert_memory_equal(a2, dt2a2, sizeof a2);
  assert_memory_equal(k2, dt3k2, sizeof k2);
  return next;
}

/* What a step with such a floor of its accelerations makes of the derivatives. */
static void rely_on_jerks(double floor, double dt, const double k[3], const double kp[3], double a2[3],
                          double k2[3])
{
  int noisy;
  hb_timestep_after(&(struct hb_timestep_rule){.noise = 1, .pulls = floor}, 0, dt, k, zero, kp, a2, k2,
                    &noisy);
}

static void test_next_step(void **state)
{
  (void)state;
  /* a = 3, k = 6, dt^2 a'' = 2, dt^3 k'' = 1 along one line, so a''_p dt^2 = 3 */
  const double dt = 0.25, k[3] = {6, 0, 0}, a2[3] = {2, 0, 0}, k2[3] = {1, 0, 0};
  int noisy;
  double A = 3 / (dt * dt), K = 1 / (dt * dt * dt);
  expect_near(after(0.01, dt, k, three, k, a2, k2, &noisy), sqrt(0.01 * (3 * A + 36) / (6 * K + A * A)),
              tolerance); /* eq. 9 */
  assert_true(isinf(after(0.01, dt, zero, zero, zero, zero, zero, &noisy)));
  assert_true(isinf(after(0.01, dt, k, three, k, zero, zero, &noisy)));
}

/* A circle of radius 1 turned through dt, seen at its end: a and k turn, and D is dt^3 / 12 of its k''. */
static void test_rounding_of_forces(void **state)
{
  (void)state;
  const double dt = 1.0 / 64;
  const double k0[3] = {0, -1, 0}, k[3] = {-sin(dt), -cos(dt), 0};
  double dtdk[3], a2[3], k2[3];
  for (int c = 0; c < 3; c++) dtdk[c] = dt * (k[c] - k0[c]);
  for (int noisy = 0; noisy < 2; noisy++) {
    /* eqs 5 and 6 with D = 0 or 1e-4 beside the true 3e-7: 12 D goes to k'' dt^3, -6 D to a'' dt^2 */
    double D[3] = {0, dt * dt * dt / 12, noisy ? 1e-4 : 0};
    for (int c = 0; c < 3; c++) k2[c] = 12 * D[c], a2[c] = dtdk[c] - 6 * D[c];
    int found;
    after(0.01, dt, k0, three, k, a2, k2, &found);
    assert_int_equal(found, noisy);
    double a2_before[3], k2_before[3];
    memcpy(a2_before, a2, sizeof a2);
    memcpy(k2_before, k2, sizeof k2);
    rely_on_jerks(0, dt, k0, k, a2, k2);
    rely_on_jerks(noisy ? 9e-5 : 3e-7, dt, k0, k, a2, k2); /* D is above */
    assert_memory_equal(a2, a2_before, sizeof a2);
    assert_memory_equal(k2, k2_before, sizeof k2);
    rely_on_jerks(2e-4, dt, k0, k, a2, k2);
    double size = 0;
    for (int c = 0; c < 3; c++) {
      expect_below(fabs(a2[c] + k2[c] - dtdk[c]), 1e-17); /* a'' at the end by the jerks alone */
      size += k2[c] * k2[c];
    }
    expect_below(fabs(sqrt(size) / (dt * dt * dt) - 1), 1e-4); /* the circle's k'' is 1 */
  }
  /* a step so long that the jerk turned round is no noise */
  const double turned[3] = {k[0], k[1] - 2, k[2]}, large[3] = {1, 0, 0};
  int noisy;
  after(0.01, dt, turned, three, k, a2, large, &noisy);
  assert_int_equal(noisy, 0);
}

/* hb_timestep_after against its parts, to the bit: without noise, with the floor by |a| = 3, and by a scale of the pulls of 4. */
static void test_all_in_one(void **state)
{
  (void)state;
  static const struct hb_timestep_rule rules[] = {
      {0.01, 0, 1, 0, 0}, {0.02, 1e-5, 1, 0, 0}, {0.02, 1e-5, 1, 0, 0}};
  static const double pulls[] = {4, 1, 4}, floors[] = {0, 3e-5, 4e-5};
  const double dt = 1.0 / 64, k[3] = {0.1, -0.3, 1}, k0[3] = {0.036, -0.428, 1.0064};
  for (int r = 0; r < 3; r++)
    for (int d = 0; d < 2; d++) { /* |dt^3 k''| below and above 12 floor by |a|, and below it by the pulls */
      double a2[3] = {1e-3, 0, 2e-3}, k2[3] = {0, d ? 4.2e-4 : 3e-4, 0}, all_a2[3], all_k2[3];
      memcpy(all_a2, a2, sizeof a2);
      memcpy(all_k2, k2, sizeof k2);
      rely_on_jerks(floors[r], dt, k0, k, a2, k2);
      assert_int_equal(k2[1] != all_k2[1], r == 2 || (r == 1 && d == 0)); /* what the cases are for */
      int noisy, all_noisy;
      double next = after(rules[r].nu, dt, k0, three, k, a2, k2, &noisy);
      double all = hb_timestep_after(&rules[r], pulls[r], dt, k0, three, k, all_a2, all_k2, &all_noisy);
      assert_memory_equal(&all, &next, sizeof next);
      assert_memory_equal(all_a2, a2, sizeof a2);
      assert_memory_equal(all_k2, k2, sizeof k2);
      assert_int_equal(all_noisy, noisy);
    }
}

/* Pulls of size 1 cancel, and all that is left, at any step, are rounding errors of size 1e-16: the step grows until it is above 1, and
 * collapses by eq. 9 alone. */
static void test_pulls_that_cancel(void **state)
{
  (void)state;
  const double noise = 1e-16;
  struct rng {
    uint64_t s;
  } r = {1};
  for (int floored = 0; floored < 2; floored++) {
    double dt = ldexp(1, -10);
    for (int step = 0; step < 200; step++) {
      double a[2][3], k[2][3], a2[3], k2[3];
      for (int q = 0; q < 12; q++) {
        r.s = r.s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        (q < 6 ? a : k)[q / 3 % 2][q % 3] = noise * ((double)(r.s >> 40) / (1 << 23) - 1);
      }
      hb_timestep_higher(dt, a[0], k[0], a[1], k[1], a2, k2);
      int noisy;
      double wanted = hb_timestep_after(&(struct hb_timestep_rule){.nu = 0.01}, floored, dt, k[0], a[1], k[1],
                                        a2, k2, &noisy);
      dt = fmin(fmin(wanted, 2 * dt), 64);
    }
    if (floored)
      expect_above(dt, 1);
    else
      expect_below(dt, 1e-12);
  }
}

static unsigned level(double ratio, enum hb_rounding rounding)
{
  return hb_timestep_level(ratio * ldexp(1, -20), ldexp(1, -20), 10, rounding);
}

static void test_levels(void **state)
{
  (void)state;
  const double ratios[] = {1, 1.4, 1.42, 2, 2.01, 4, 5.6, 5.7, 1000};
  const unsigned down[] = {0, 0, 0, 1, 1, 2, 2, 2, 9}, nearest[] = {0, 0, 1, 1, 1, 2, 2, 3, 10};
  const unsigned up[] = {0, 1, 1, 1, 2, 2, 3, 3, 10};
  for (int r = 0; r < 9; r++) {
    assert_int_equal(level(ratios[r], HB_ROUND_DOWN), down[r]);
    assert_int_equal(level(ratios[r], HB_ROUND_NEAREST), nearest[r]);
    assert_int_equal(level(ratios[r], HB_ROUND_UP), up[r]);
  }
  assert_int_equal(level(sqrt(2) * (1 - DBL_EPSILON), HB_ROUND_NEAREST), 0);
  assert_int_equal(level(sqrt(2) * (1 + DBL_EPSILON), HB_ROUND_NEAREST), 1);
  for (int rounding = HB_ROUND_DOWN; rounding <= HB_ROUND_UP; rounding++) {
    assert_int_equal(level(0, (enum hb_rounding)rounding), 0);
    assert_int_equal(level(0.3, (enum hb_rounding)rounding), 0);
    assert_int_equal(level(NAN, (enum hb_rounding)rounding), 0);
    assert_true(hb_timestep_is_cut(0, 1, (enum hb_rounding)rounding));
    assert_true(hb_timestep_is_cut(NAN, 1, (enum hb_rounding)rounding));
    assert_true(hb_timestep_is_cut(0.5, 1, (enum hb_rounding)rounding));
    assert_false(hb_timestep_is_cut(1, 1, (enum hb_rounding)rounding));
    assert_int_equal(hb_timestep_is_cut(0.75, 1, (enum hb_rounding)rounding), rounding == HB_ROUND_DOWN);
    assert_int_equal(hb_timestep_is_cut(0.625, 1, (enum hb_rounding)rounding), rounding != HB_ROUND_UP);
    assert_int_equal(level(1024, (enum hb_rounding)rounding), 10);
    assert_int_equal(level(1e9, (enum hb_rounding)rounding), 10);
    assert_int_equal(level(INFINITY, (enum hb_rounding)rounding), 10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_step),         cmocka_unit_test(test_next_step),
      cmocka_unit_test(test_rounding_of_forces), cmocka_unit_test(test_all_in_one),
      cmocka_unit_test(test_pulls_that_cancel),  cmocka_unit_test(test_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
