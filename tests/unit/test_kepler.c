/* Pairs on Kepler's orbit: alone for as long as one likes, and slightly disturbed as the chain's own integration has them. */
#include "support/support.h"

#include "chain/bulirsch_stoer.h"
#include "chain/kepler.h"
#include "chain/kepler_orbit.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Masses 1/2, a = 1, at apocenter; their period is 2 pi. */
static struct hb_chain binary(double e)
{
  static const uint32_t number[] = {0, 1};
  const double m[] = {0.5, 0.5}, x[] = {0, 0, 0, 1 + e, 0, 0}, v[] = {0, 0, 0, 0, sqrt((1 - e) / (1 + e)), 0};
  struct hb_chain c;
  hb_chain_make(2, number, m, x, v, &c);
  return c;
}

static double distance(const struct hb_chain *c, const struct hb_chain *other)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += (c->X[0][k] - other->X[0][k]) * (c->X[0][k] - other->X[0][k]);
  return sqrt(sum);
}

/* In one step, and in 1600 where no stop is at a close pericenter, to rounding. Negative control: a thousandth of a period more is elsewhere. */
static void an_orbit_closes(void **state)
{
  (void)state;
  static const double bar = 1e-7, energy_bar = 1e-11;
  const double es[] = {0, 0.5, 0.9, 0.99, 0.999};
  for (size_t k = 0; k < COUNT_OF(es); k++) {
    const struct hb_chain start = binary(es[k]);
    struct hb_chain c = start, other = start;
    assert_true(hb_kepler_suits(&c, NULL));
    hb_kepler_advance(&c, 2 * pi * 1000, NULL, NULL);
    expect_at_most(distance(&c, &start), bar);
    for (int s = 0; s < 1600 && es[k] <= 0.9; s++) hb_kepler_advance(&other, 2 * pi / 16, NULL, NULL);
    expect_at_most(distance(&other, &start), bar);
    expect_at_most(fabs(hb_chain_energy(&other) / hb_chain_energy(&start) - 1), energy_bar);
    hb_kepler_advance(&c, 2 * pi / 1000, NULL, NULL);
    expect_above(distance(&c, &start), bar);
  }
}

/* Two that pass at some distance; tides of 3e-4. */
static const struct hb_chain_point passing[] = {{.m = 1, .x = {40, 9, 3}, .v = {-0.2, 0.1, 0}},
                                                {.m = 0.5, .x = {-3, 35, -8}, .v = {0.1, -0.2, 0.1}}};

/* Where the chain's integration, good to 1e-13, ends. Negative control: without the tides the end is elsewhere. */
static void as_in_a_chain(enum hb_chain_rules rules, uint64_t cost)
{
  static const double bar = 1e-6, dt = 2.5;
  struct hb_chain_points points;
  const struct hb_chain_tide tide = {.rules = rules, .count = COUNT_OF(passing), .points = &points};
  for (size_t k = 0; k < COUNT_OF(passing); k++) hb_chain_tide_set_point(&points, k, passing + k);
  hb_chain_tide_pad_points(&points, COUNT_OF(passing));
  const double es[] = {0.1, 0.7, 0.95};
  for (size_t k = 0; k < COUNT_OF(es); k++) {
    struct hb_chain c = binary(es[k]), expected = c, alone = c;
    uint64_t forces = 0, theirs = 0;
    assert_true(hb_kepler_suits(&c, &tide));
    for (int s = 0; s < 8; s++) {
      hb_kepler_advance(&c, dt, &tide, &forces);
      ASSERT_OK(hb_chain_advance(&expected, dt, &tide, &theirs));
      hb_kepler_advance(&alone, dt, NULL, NULL);
    }
    expect_at_most(distance(&c, &expected), bar);
    expect_at_most(fabs(c.B / expected.B - 1), bar);
    expect_above(distance(&alone, &expected), bar);
    expect_below(cost * forces, theirs);
  }
}

static void tides_as_in_a_chain(void **state)
{
  (void)state;
  as_in_a_chain(HB_CHAIN_BY_SIZE, 3);
  as_in_a_chain(HB_CHAIN_BY_PERTURBATION, 6);
}

/* 1000 orbits in a tide that nobody feels, and in one of 2e-7, which has moved the phase: a is what it was. */
static void an_axis_stays(void **state)
{
  (void)state;
  const double T[12] = {2e-8, -1e-8, -1e-8}, none[12] = {2e-11, -1e-11, -1e-11};
  for (int is_felt = 0; is_felt < 2; is_felt++) {
    const struct hb_chain_tide tide = {.rules = HB_CHAIN_BY_PERTURBATION, .tensor = is_felt ? T : none};
    struct hb_chain c = binary(0.5);
    uint64_t forces = 0;
    for (int s = 0; s < 1000; s++) hb_kepler_advance(&c, 2 * pi, &tide, &forces);
    expect_at_most(fabs(hb_chain_span(&c) / 2 - 1), is_felt ? 1e-9 : 1e-11);
    assert_int_equal(forces > 0, is_felt);
  }
}

/* By dt in `steps` of the tide T and its rate. */
static struct hb_chain in_steps(double e, double dt, size_t steps, const double *T, uint64_t *forces)
{
  struct hb_chain c = binary(e);
  for (size_t s = 0; s < steps; s++) {
    const struct hb_chain_tide tide = {
        .rules = HB_CHAIN_BY_PERTURBATION, .tensor = T, .since = dt / (double)steps * (double)s};
    ASSERT_OK(hb_kepler_advance(&c, dt / (double)steps, &tide, forces));
  }
  return c;
}

/* 40 revolutions in a tide that grows meanwhile by a half, by a few of them and by all. Negative control: without the tide the pair
 * is elsewhere, by more than fifty times that. */
static void revolutions_are_one(void **state)
{
  (void)state;
  static const double bars[] = {3e-8, 7e-8, 7e-8, 7e-8}, es[] = {0, 0.5, 0.9, 0.97},
                      dt = 40.3 * 2 * 3.14159265358979323846;
  const double T[12] = {2e-8, -1e-8, -1e-8, 5e-9, 3e-9, 0, 4e-11, -2e-11, -2e-11, 1e-11, 6e-12, 0};
  for (size_t k = 0; k < COUNT_OF(es); k++) {
    uint64_t forces = 0, theirs = 0;
    const struct hb_chain c = in_steps(es[k], dt, 1, T, &forces), all = in_steps(es[k], dt, 30, T, &theirs);
    struct hb_chain alone = binary(es[k]);
    hb_kepler_advance(&alone, dt, NULL, NULL);
    expect_at_most(distance(&c, &all), bars[k]);
    expect_at_most(fabs(c.B / all.B - 1), 3e-8);
    expect_above(distance(&alone, &all), 50 * bars[k]);
    expect_below(100 * forces, theirs);
  }
}

/* Who is near, unbound or one of three is left to the chain. */
static void others_do_not_suit(void **state)
{
  (void)state;
  const struct hb_chain_point near = {.m = 1, .x = {5, 0, 0}};
  struct hb_chain_points points;
  const struct hb_chain_tide tide = {.count = 1, .points = &points};
  hb_chain_tide_set_point(&points, 0, &near);
  hb_chain_tide_pad_points(&points, 1);
  struct hb_chain c = binary(0.5);
  assert_false(hb_kepler_suits(&c, &tide));
  c.B = -c.B;
  assert_false(hb_kepler_suits(&c, NULL));
  c.B = -c.B, c.n = 3;
  assert_false(hb_kepler_suits(&c, NULL));
}

/* Means of X, along the orbit's axis, and of squares across and along it: -3/2 a e, a^2 (1 + 4 e^2) / 2 and a^2 (1 - e^2) / 2.
 * Negative control: three places know the first only. */
static void places_are_the_orbit_in_the_mean(void **state)
{
  (void)state;
  static const double bar = 1e-13, e = 0.6;
  struct hb_chain c = binary(e);
  hb_kepler_advance(&c, 1, NULL, NULL);
  for (size_t count = 4; count > 2; count--) {
    double X[4][3], part[4], sum = 0, mean = 0, across = 0, along = 0;
    hb_kepler_orbit_places(&c, count, X, part);
    for (size_t k = 0; k < count; k++) {
      sum += part[k], mean += part[k] * X[k][0];
      along += part[k] * X[k][0] * X[k][0], across += part[k] * X[k][1] * X[k][1];
    }
    expect_at_most(fabs(sum - 1), bar);
    expect_at_most(fabs(mean - 1.5 * e), bar);
    assert_int_equal(fabs(along - (1 + 4 * e * e) / 2) <= bar, count == 4);
    assert_int_equal(fabs(across - (1 - e * e) / 2) <= bar, count == 4);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_orbit_closes),    cmocka_unit_test(tides_as_in_a_chain),
      cmocka_unit_test(an_axis_stays),      cmocka_unit_test(revolutions_are_one),
      cmocka_unit_test(others_do_not_suit), cmocka_unit_test(places_are_the_orbit_in_the_mean)};
  return cmocka_run_group_tests_name("kepler", tests, NULL, NULL);
}
