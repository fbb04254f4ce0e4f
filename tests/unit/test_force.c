/* The front end of the forces, and the host through the battery. */
#include "support/battery.h"
#include "support/support.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_host_battery(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "host"};
  battery_run(&params, &battery_double);
}

static void test_open_refuses(void **state)
{
  (void)state;
  struct hb_force *force;
  const struct hb_force_params unknown = {.scheme = "hots"};
  assert_int_equal(hb_force_open(&unknown, &force), HB_ERR_USAGE);
  assert_null(force);
  assert_non_null(strstr(hb_error(), "unknown scheme 'hots' (expected host, cg2007"));
  const struct hb_force_params half = {.scheme = "host", .precision = "half"};
  assert_int_equal(hb_force_open(&half, &force), HB_ERR_USAGE);
  assert_string_equal(hb_error(),
                      "scheme host has no precision 'half' (expected one of: double reproducible)");
  const struct {
    const char *scheme, *interaction, *sentence;
  } interactions[] = {
      {"host", "yukawa", "unknown interaction 'yukawa' (expected gravity_jerk, "},
      {"host", "no/yukawa.glsl", "cannot read no/yukawa.glsl: No such file or directory"},
      {"host", "gravity", "scheme host computes gravity_jerk only, not gravity"},
      {"bag", "lennard_jones",
       "interaction lennard_jones cannot be integrated: its particle is not (x, y, z, m) (vx, vy, vz, -), or "
       "its "},
  };
  for (size_t k = 0; k < COUNT_OF(interactions); k++) {
    const struct hb_force_params params = {.scheme = interactions[k].scheme,
                                           .interaction = interactions[k].interaction};
    enum hb_status expected = strchr(params.interaction, '/') ? HB_ERR_IO : HB_ERR_USAGE;
    ASSERT_FAILS(hb_force_open(&params, &force), expected, interactions[k].sentence);
  }
  const double bad[] = {-1, NAN, INFINITY};
  for (int k = 0; k < 3; k++) {
    const struct hb_force_params params = {.scheme = "host", .eps = bad[k]};
    assert_int_equal(hb_force_open(&params, &force), HB_ERR_USAGE);
    assert_non_null(strstr(hb_error(), "the softening is"));
  }
}

static void test_eval_refuses(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "host"};
  struct hb_force *force;
  assert_int_equal(hb_force_open(&params, &force), HB_OK);
  const double m[2] = {1, 1}, x[6] = {0, 0, 0, 1, 0, 0}, v[6] = {0};
  double a[6], j[6], phi[2];
  const uint32_t good[2] = {1, 0}, outside[1] = {2}, twice[2] = {1, 1};
  assert_int_equal(hb_force_eval(force, 2, good, a, j, phi), HB_ERR_USAGE);
  assert_string_equal(hb_error(), "forces requested before the sources were set");
  assert_int_equal(hb_force_set_j(force, 0, m, x, v), HB_ERR_USAGE);
  assert_int_equal(hb_force_set_j(force, 2, m, x, v), HB_OK);
  assert_int_equal(hb_force_eval(force, 1, outside, a, j, phi), HB_ERR_USAGE);
  assert_string_equal(hb_error(), "sink 0 is particle 2, expected below 2");
  assert_int_equal(hb_force_eval(force, 2, twice, a, j, phi), HB_ERR_USAGE);
  assert_string_equal(hb_error(), "sink 1 names particle 1 again");
  assert_int_equal(hb_force_eval(force, 2, good, a, j, phi), HB_OK);
  expect_equal(a[0], -1); /* sink 0 is particle 1, at x = 1: pulled back */
  expect_equal(a[3], 1);
  assert_int_equal(hb_force_eval(force, 0, good, a, j, phi), HB_OK);
  hb_force_close(force);
  hb_force_close(NULL);
}

static void test_schemes_are_described(void **state)
{
  (void)state;
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  expect_at_least(count, 2);
  for (size_t k = 0; k < count; k++) {
    assert_non_null(schemes[k].name);
    assert_non_null(schemes[k].summary);
    assert_non_null(schemes[k].source);
    assert_non_null(schemes[k].precisions);
    assert_in_range(schemes[k].flops_per_pair, 20, 100);
    assert_string_equal(hb_force_scheme_find(schemes[k].name)->summary, schemes[k].summary);
    assert_string_equal(hb_force_scheme_find(schemes[k].name)->modes, schemes[k].modes);
  }
  assert_null(hb_force_scheme_find("auto"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_host_battery),
      cmocka_unit_test(test_open_refuses),
      cmocka_unit_test(test_eval_refuses),
      cmocka_unit_test(test_schemes_are_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
