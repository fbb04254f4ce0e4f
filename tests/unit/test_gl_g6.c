/* GRAPE-6's calls on OpenGL. */
#include "support/g6_case.h"
#include "support/pairs_case.h"
#include "support/sixth_case.h"

#include <holmberg/g6.h>

#include <stdlib.h>
#include <string.h>

static const double DS = 1e-6; /* float pairs of double-single positions */

static void test_bag(void **state)
{
  (void)state;
  g6_case_run(&(struct g6_case){"bag", "ds", DS});
}

static void test_tile(void **state)
{
  (void)state;
  if (!pairs_context()->caps.has_compute) skip();
  g6_case_run(&(struct g6_case){"tile", "ds", DS});
}

static struct g6_particles p;
static struct g6_sinks s;

/* Forces, nearest neighbors and lists of a block that is new to the device. */
static int whole_call(double t, int nearest[30], int *neighbors)
{
  int list[100], count;
  g6_set_ti(0, t);
  g6_send_one(0, 5, &p, 5);
  g6_sinks_make(&p, 30, t, &s);
  for (int i = 0; i < 30; i++) s.h2[i] = 0.1;
  g6calc_firsthalf(0, 100, 30, s.index, s.x, s.v, s.acc, s.jerk, s.pot, 0.01, s.h2);
  int code = g6calc_lasthalf2(0, 100, 30, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot, nearest);
  if (code == 0) code = g6_read_neighbour_list(0);
  *neighbors = 0;
  for (int i = 0; i < 30 && code == 0; i++) {
    code = g6_get_neighbour_list(0, i, 100, &count, list);
    *neighbors += count;
  }
  return code;
}

/* One draw of a call is lost, the first, the second, ...: it is asked again, and right. */
static void test_lost_draws(void **state)
{
  (void)state;
  int expected[30], nearest[30], neighbors, expected_neighbors;
  setenv("HB_G6_SCHEME", "bag", 1);
  setenv("HB_G6_PRECISION", "ds", 1);
  g6_particles_make(100, &p);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  assert_int_equal(whole_call(0.0625, expected, &expected_neighbors), 0);
  int draws = 0;
  for (int lost = 0; lost <= draws; lost++) { /* 0: to count them */
    int none;
    assert_int_equal(whole_call(0, nearest, &none), 0); /* the next one has to predict */
    pairs_draws_begin(lost);
    int code = whole_call(0.0625, nearest, &neighbors), made = pairs_draws_end();
    if (lost == 0) draws = made;
    if (code != 0) fail_msg("draw %d was lost: %s", lost, g6_error());
    double error = g6_error_of(&p, 100, 0.0625, 0.01, &s);
    if (!(error < DS)) fail_msg("draw %d was lost, error %g", lost, error);
    assert_memory_equal(nearest, expected, sizeof expected);
    assert_int_equal(neighbors, expected_neighbors);
  }
  assert_true(draws >= 5); /* sends, predicts, walks, finds the nearest and the lists */
  g6_close(0);
}

static void test_sixth(void **state)
{
  (void)state;
  setenv("HB_G6_PRECISION", "ds", 1);
  sixth_case_run("bag", DS);
  unsetenv("HB_G6_PRECISION");
  if (pairs_context()->caps.has_double) sixth_case_run("bag", 1e-8); /* it is double then */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bag),
      cmocka_unit_test(test_tile),
      cmocka_unit_test(test_lost_draws),
      cmocka_unit_test(test_sixth),
  };
  setenv("HB_G6_QUIET", "1", 1);
  return RUN_TESTS(tests, 1, NULL, NULL);
}
