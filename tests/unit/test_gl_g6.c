/* GRAPE-6's calls on OpenGL. */
#include "support/g6_case.h"
#include "support/pairs_case.h"

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

/* One draw of a call is lost, the first, second, ...: the call is repeated, and right; also when the draw is one that
 * predicts, or finds neighbors. */
static void test_lost_draws(void **state)
{
  (void)state;
  setenv("HB_G6_SCHEME", "bag", 1);
  g6_particles_make(100, &p);
  g6_sinks_make(&p, 30, 0.0625, &s);
  assert_int_equal(g6_open(0), 0);
  g6_send(0, &p);
  for (int lost = 1, draws = 1; lost <= draws; lost++) {
    g6_set_ti(0, lost % 2 ? 0.0625 : 0);
    g6_send_one(0, 5, &p, 5);
    g6_sinks_make(&p, 30, lost % 2 ? 0.0625 : 0, &s);
    pairs_draws_begin(lost);
    g6calc_firsthalf(0, 100, 30, s.index, s.x, s.v, s.acc, s.jerk, s.pot, 0.01, s.h2);
    int code = g6calc_lasthalf(0, 100, 30, s.index, s.x, s.v, 0.01, s.h2, s.acc, s.jerk, s.pot);
    int made = pairs_draws_end();
    if (lost == 1) draws = made;
    if (code != 0) fail_msg("draw %d was lost: %s", lost, g6_error());
    double error = g6_error_of(&p, 100, lost % 2 ? 0.0625 : 0, 0.01, &s);
    if (!(error < DS)) fail_msg("draw %d was lost, error %g", lost, error);
  }
  g6_close(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bag),
      cmocka_unit_test(test_tile),
      cmocka_unit_test(test_lost_draws),
  };
  setenv("HB_G6_QUIET", "1", 1);
  return RUN_TESTS(tests, 1, NULL, NULL);
}
