/* How stars age: life times, radii and remnants that are published, and that nothing jumps back, for every mass. */
#include "support/support.h"

#include "sim/sim.c"

#include <math.h>

/* Hurley, Pols & Tout 2000, by SSE at Z = 0.02: 1 Msun lives 12.4 Gyr, 5: 0.118 Gyr, 10: 27 Myr, 100: 3.7 Myr. */
static void lifetimes(void **state)
{
  (void)state;
  const double known[][2] = {{1, 12400}, {5, 118}, {10, 27}, {100, 3.7}};
  for (int k = 0; k < 4; k++) expect_below(fabs(lifetime_of(known[k][0]) / known[k][1] - 1), 0.03);
}

/* Tout et al. 1996: 0.888 solar radii. A giant ends beyond 100. */
static void radii(void **state)
{
  (void)state;
  expect_below(fabs(star_at(1, 0).radius - 0.8882), 1e-3);
  expect_above(star_at(1, 0.9999 * lifetime_of(1)).radius, 100);
}

static void remnants(void **state)
{
  (void)state;
  struct star sun = star_at(1, 1e5), five = star_at(5, 1e5), twelve = star_at(12, 1e5),
              heavy = star_at(100, 1e5);
  expect_equal((int)sun.type, HB_STAR_WHITE_DWARF);
  expect_below(fabs(sun.m - 0.52), 0.02);
  expect_below(fabs(five.m - 1), 0.05);
  expect_equal((int)twelve.type, HB_STAR_NEUTRON);
  expect_below(fabs(twelve.m - 1.4), 0.1);
  expect_equal((int)heavy.type, HB_STAR_BLACK_HOLE);
  expect_above(heavy.m, 3);
}

/* Masses from the least to the most, ages from before birth to after death. */
static void nothing_jumps_back(void **state)
{
  (void)state;
  double last = INFINITY;
  for (double zams = star_least; zams <= star_most; zams *= 1.01) {
    double end = lifetime_of(zams), m = zams;
    expect_below(end, last);
    last = end;
    for (int k = -1; k <= 110; k++) {
      struct star star = star_at(zams, end * k / 100);
      expect_at_most(star.m, m * (1 + 1e-14));
      expect_above(star.m, 0);
      expect_above(star.radius, 0);
      expect_below(star.radius, 1600);
      m = star.m;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lifetimes), cmocka_unit_test(radii),
                                     cmocka_unit_test(remnants), cmocka_unit_test(nothing_jumps_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
