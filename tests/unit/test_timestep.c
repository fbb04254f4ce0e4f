/* Lengths of steps and the powers of two they become. */
#include "step/timestep.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Square roots and quotients of small numbers: a few ulps. Negative control: the other guard's value. */
static const double tolerance = 8 * DBL_EPSILON;

static const double zero[3] = {0}, three[3] = {1, 2, 2}, six[3] = {0, -6, 0};

static int close_to(double got, double expected)
{
  return fabs(got - expected) <= tolerance * fabs(expected);
}

static void test_first_step(void **state)
{
  (void)state;
  assert_true(close_to(hb_timestep_first(0.01, 0, three, six, zero), 0.005)); /* eq. 2 */
  double cold = hb_timestep_first(0.01, 0, three, zero, six);
  assert_true(close_to(cold, sqrt(0.005)) && !close_to(cold, 0.005)); /* at rest */
  const double slow[3] = {1e-9, 0, 0};
  assert_true(close_to(hb_timestep_first(0.01, 0, three, slow, six), sqrt(0.005))); /* all but at rest */
  assert_true(hb_timestep_first(0.01, 0, zero, six, zero) == 0);
  assert_true(close_to(hb_timestep_first(0.01, 0.6, zero, six, zero), 0.001)); /* pulls that cancel */
  assert_true(isinf(hb_timestep_first(0.01, 0, zero, zero, zero)));
  assert_true(hb_timestep_a_least(-3, 9) == 1.0 / 1024 && hb_timestep_a_least(0, 0) == 0);
}

static void test_next_step(void **state)
{
  (void)state;
  /* a = 3, k = 6, dt^2 a'' = 2, dt^3 k'' = 1 along one line, so a''_p dt^2 = 3 */
  const double dt = 0.25, k[3] = {6, 0, 0}, a2[3] = {2, 0, 0}, k2[3] = {1, 0, 0};
  double A = 3 / (dt * dt), K = 1 / (dt * dt * dt);
  assert_true(close_to(hb_timestep_next(0.01, dt, three, k, a2, k2),
                       sqrt(0.01 * (3 * A + 36) / (6 * K + A * A)))); /* eq. 9 */
  assert_true(isinf(hb_timestep_next(0.01, dt, zero, zero, zero, zero)));
  assert_true(isinf(hb_timestep_next(0.01, dt, three, k, zero, zero)));
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
  for (int rounding = HB_ROUND_DOWN; rounding <= HB_ROUND_UP; rounding++) {
    assert_int_equal(level(0, (enum hb_rounding)rounding), 0);
    assert_int_equal(level(0.3, (enum hb_rounding)rounding), 0);
    assert_int_equal(level(NAN, (enum hb_rounding)rounding), 0);
    assert_int_equal(level(1024, (enum hb_rounding)rounding), 10);
    assert_int_equal(level(1e9, (enum hb_rounding)rounding), 10);
    assert_int_equal(level(INFINITY, (enum hb_rounding)rounding), 10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_step),
      cmocka_unit_test(test_next_step),
      cmocka_unit_test(test_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
