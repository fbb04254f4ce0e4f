/* The mean orbit of a pair: beside the pair followed through every revolution, there and back, and its post-Newtonian terms. */
#include "support/support.h"

#include "chain/bulirsch_stoer.h"
#include "chain/kepler.h"
#include "chain/mean_orbit.h"
#include "chain/quadrupole.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;

/* ---- a pair and a point ------------------------------------------------------------------------------------ */

/* Masses 0.7 and 0.3, a = 1, with this eccentricity and eccentric anomaly. The period is 2 pi. */
static struct hb_chain pair_at(double e, double E)
{
  static const uint32_t number[] = {0, 1};
  double b = sqrt(1 - e * e), speed = 1 / (1 - e * cos(E));
  const double m[] = {0.7, 0.3}, x[] = {0, 0, 0, cos(E) - e, b * sin(E), 0},
               v[] = {0, 0, 0, -speed * sin(E), speed * b * cos(E), 0};
  struct hb_chain c;
  hb_chain_make(2, number, m, x, v, &c);
  return c;
}

/* A mass of 1 that moves on a straight line, and is d away at t = 0. */
static struct hb_chain_point passing(double d)
{
  const struct hb_chain_point p = {.m = 1, .x = {0.48 * d, 0.64 * d, 0.6 * d}, .v = {-0.06, 0.05, 0.02}};
  return p;
}

/* Sets *tide to this point as it is at the time t. */
static void set_tide(struct hb_chain_point p, double t, struct hb_chain_points *points,
                     struct hb_chain_tide *tide)
{
  for (int i = 0; i < 3; i++) p.x[i] += t * p.v[i];
  hb_chain_tide_set_point(points, 0, &p);
  hb_chain_tide_pad_points(points, 1);
  *tide = (struct hb_chain_tide){.rules = HB_CHAIN_BY_PERTURBATION, .count = 1, .points = points};
}

static double difference(const double p[3], const double q[3])
{
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

/* The eccentricity vector. */
static void find_ecc(const struct hb_chain *c, double ecc[3])
{
  const double *X = c->X[0], *V = c->V[0];
  double M = c->m[0] + c->m[1], r = hb_norm(X), v2 = hb_dot(V, V), rv = hb_dot(X, V);
  for (int i = 0; i < 3; i++) ecc[i] = (v2 / M - 1 / r) * X[i] - rv / M * V[i];
}

static double axis(const struct hb_chain *c)
{
  double M = c->m[0] + c->m[1];
  return 1 / (2 / hb_norm(c->X[0]) - hb_dot(c->V[0], c->V[0]) / M);
}

/* By the mean orbit, in one call. Returns the number of evaluations. */
static uint64_t by_mean(struct hb_chain *c, double dt, const struct hb_chain_tide *tide)
{
  struct hb_mean_orbit o;
  uint64_t forces = 0;
  assert_true(hb_mean_orbit_of_pair(c, tide, 0, &o));
  assert_true(hb_mean_orbit_advance(c, tide, 0, dt, 1e-2, &o, &forces));
  assert_true(hb_mean_orbit_to_pair(tide, dt, &o, c));
  return forces;
}

/* Through every revolution, in calls that are too short for the mean orbit. */
static uint64_t by_revolutions(struct hb_chain *c, double dt, struct hb_chain_point p)
{
  double step = 1.3 * two_pi;
  size_t calls = (size_t)ceil(dt / step);
  uint64_t forces = 0;
  for (size_t k = 0; k < calls; k++) {
    struct hb_chain_points points;
    struct hb_chain_tide tide;
    set_tide(p, dt / (double)calls * (double)k, &points, &tide);
    ASSERT_OK(hb_kepler_advance(c, dt / (double)calls, &tide, &forces));
  }
  return forces;
}

/* ---- beside every revolution -------------------------------------------------------------------------------- */

/* 60 revolutions, by the mean orbit and by calls of less than two revolutions. What the mean leaves out is the product of the tide, which is
 * 16 / d^3 here, and the change of the tide in a revolution, about the root of that. Negative control: the pair alone is elsewhere by 20
 * times more than the mean orbit is. */
static void as_every_revolution(void **state)
{
  (void)state;
  static const double dt = 60.3 * 6.28318530717958647693, eccentricities[] = {0, 0.5, 0.97},
                      distances[] = {60, 100, 200};
  for (size_t k = 0; k < COUNT_OF(eccentricities); k++)
    for (size_t l = 0; l < COUNT_OF(distances); l++) {
      double e = eccentricities[k], d = distances[l], tide_of = 16 / (d * d * d),
             left_out = 4 * tide_of * sqrt(tide_of), ecc[3][3];
      const struct hb_chain start = pair_at(e, 2);
      struct hb_chain mean = start, every = start, alone = start;
      struct hb_chain_points points;
      struct hb_chain_tide tide;
      set_tide(passing(d), 0, &points, &tide);
      uint64_t forces = by_mean(&mean, dt, &tide), theirs = by_revolutions(&every, dt, passing(d));
      hb_kepler_advance(&alone, dt, NULL, NULL);
      find_ecc(&start, ecc[0]), find_ecc(&mean, ecc[1]), find_ecc(&every, ecc[2]);
      double change = difference(ecc[0], ecc[2]);
      print_message("e %.2f d %3.0f: ecc %.2g of %.2g, a %.2g, x %.2g of %.2g, forces %.0f of %.0f\n", e, d,
                    difference(ecc[1], ecc[2]), change, axis(&mean) / axis(&every) - 1,
                    difference(mean.X[0], every.X[0]), difference(alone.X[0], every.X[0]), (double)forces,
                    (double)theirs);
      expect_at_most(difference(ecc[1], ecc[2]), left_out);
      if (e > 0) expect_at_most(difference(ecc[1], ecc[2]), 1e-3 * change);
      expect_at_most(fabs(axis(&mean) / axis(&every) - 1), fmin(left_out, 2e-8));
      expect_at_most(difference(mean.X[0], every.X[0]), 1e-5);
      expect_above(difference(alone.X[0], every.X[0]), 20 * difference(mean.X[0], every.X[0]));
      expect_above(theirs, 50 * forces);
    }
}

/* hb_kepler_advance takes the mean orbit where the tide is below 1e-5 and the time that of more than two revolutions, and nowhere else. */
static void kepler_takes_it_where_tides_are_weak(void **state)
{
  (void)state;
  static const struct {
    double d, revolutions;
    int is_mean;
  } cases[] = {{200, 30.2, 1}, {200, 2.1, 1}, {200, 1.9, 0}, {120, 30.2, 1}, {115, 30.2, 0}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    double dt = cases[k].revolutions * two_pi;
    struct hb_chain c = pair_at(0.5, 1), mean = c;
    struct hb_chain_points points;
    struct hb_chain_tide tide;
    set_tide(passing(cases[k].d), 0, &points, &tide);
    ASSERT_OK(hb_kepler_advance(&c, dt, &tide, NULL));
    by_mean(&mean, dt, &tide);
    assert_int_equal(memcmp(c.X, mean.X, sizeof *c.X) == 0 && memcmp(c.V, mean.V, sizeof *c.V) == 0,
                     cases[k].is_mean);
  }
}

/* A star that comes from afar, passes at this distance, and leaves. The tide is weak at the start and at the end. */
static struct hb_chain_point comes_and_goes(double d)
{
  const struct hb_chain_point p = {.m = 1, .x = {-400, 0.8 * d, 0.6 * d}, .v = {1, 0, 0}};
  return p;
}

/* In one call: steps of the mean orbit are as short as the star's passage asks for. Where that is too close, the pair is followed through
 * every revolution. Negative control: alone, the pair has another eccentricity. */
static void a_passage_within_one_call(void **state)
{
  (void)state;
  static const double dt = 800, distances[] = {30, 60, 90};
  for (size_t k = 0; k < COUNT_OF(distances); k++) {
    const struct hb_chain start = pair_at(0.5, 2);
    struct hb_chain c = start, every = start;
    struct hb_chain_points points;
    struct hb_chain_tide tide;
    double ecc[3][3];
    set_tide(comes_and_goes(distances[k]), 0, &points, &tide);
    uint64_t forces = 0, theirs = by_revolutions(&every, dt, comes_and_goes(distances[k]));
    ASSERT_OK(hb_kepler_advance(&c, dt, &tide, &forces));
    find_ecc(&start, ecc[0]), find_ecc(&c, ecc[1]), find_ecc(&every, ecc[2]);
    double change = difference(ecc[0], ecc[2]);
    print_message("passage at %.0f: ecc %.2g of %.2g, x %.2g, forces %.0f of %.0f\n", distances[k],
                  difference(ecc[1], ecc[2]), change, difference(c.X[0], every.X[0]), (double)forces,
                  (double)theirs);
    expect_at_most(difference(ecc[1], ecc[2]), 0.01 * change);
    expect_at_most(difference(c.X[0], every.X[0]), 1e-4);
  }
}

/* ---- there and back ----------------------------------------------------------------------------------------- */

/* To the mean orbit and back at once: the third power of the tide, and 1e-13. Negative control: without
 * its wave the mean orbit is elsewhere by more than a hundredth of the first power. */
static void there_and_back(void **state)
{
  (void)state;
  static const double eccentricities[] = {0, 0.3, 0.9};
  for (size_t k = 0; k < COUNT_OF(eccentricities); k++)
    for (double d = 10; d < 1000; d *= 2)
      for (double E = 0.3; E < two_pi; E += 1.5) {
        const struct hb_chain start = pair_at(eccentricities[k], E);
        struct hb_chain c = start, unwaved = start;
        struct hb_chain_points points;
        struct hb_chain_tide tide, none = {0};
        struct hb_mean_orbit o;
        double tide_of = 16 / (d * d * d), bound = tide_of * tide_of * tide_of + 1e-13;
        set_tide(passing(d), 0, &points, &tide);
        assert_true(hb_mean_orbit_of_pair(&c, &tide, 0, &o));
        assert_true(hb_mean_orbit_to_pair(&tide, 0, &o, &c));
        assert_true(hb_mean_orbit_to_pair(&none, 0, &o, &unwaved));
        expect_at_most(difference(c.X[0], start.X[0]), bound);
        expect_at_most(difference(c.V[0], start.V[0]), bound * hb_norm(start.V[0]));
        expect_above(difference(unwaved.X[0], start.X[0]), 1e-2 * tide_of);
      }
}

/* A star that passes slowly, in 40 calls of more than 100 revolutions each. The energy returns, although the tide was up to 3e-5: errors
 * do not add up. Negative control: the waves that come and go in between are a thousand times as large. */
static void energy_returns(void **state)
{
  (void)state;
  enum { CALLS = 40 };
  static const double dt = 800, v = 0.2;
  for (double e = 0; e < 1; e += 0.3) {
    struct hb_chain c = pair_at(e, 2);
    double first = axis(&c), most = 0;
    for (int k = 0; k < CALLS; k++) {
      const struct hb_chain_point star = {.m = 1, .x = {v * dt * (k - CALLS / 2), 60, 54}, .v = {v, 0, 0}};
      struct hb_chain_points points;
      struct hb_chain_tide tide;
      set_tide(star, 0, &points, &tide);
      if (k == CALLS / 2) expect_near(hb_chain_tide_strength(&c, &tide), 3e-5, 0.1);
      by_mean(&c, dt, &tide);
      most = fmax(most, fabs(axis(&c) / first - 1));
    }
    print_message("e %.1f: a %.2g, meanwhile %.2g\n", e, axis(&c) / first - 1, most);
    expect_at_most(fabs(axis(&c) / first - 1), 1e-9);
    expect_above(most, 1e-7);
  }
}

/* ---- post-Newtonian terms ----------------------------------------------------------------------------------- */

/* The pericenter advances by 6 pi M / (a c^2 (1 - e^2)) a revolution, in the direction of the motion, and nothing else changes but by
 * radiation, which is far weaker. */
static void pericenters_advance(void **state)
{
  (void)state;
  static const double revolutions = 200;
  const struct hb_chain_tide tide = {.light = 3000};
  for (double e = 0.2; e < 1; e += 0.35) {
    struct hb_chain c = pair_at(e, 2);
    double ecc[3], expected = revolutions * 3 * two_pi / (tide.light * tide.light * (1 - e * e));
    by_mean(&c, revolutions * two_pi, &tide);
    find_ecc(&c, ecc);
    expect_near(atan2(ecc[1], ecc[0]), expected, 1e-6);
    expect_near(hb_norm(ecc), e, 1e-8);
    expect_near(axis(&c), 1, 1e-8);
  }
}

/* Peters 1964, eqs 5.6 and 5.7, over a time in which a changes by 2e-4 to 6e-3, and the pericenter revolves once or twice: this does not
 * change a small e. Negative control: a has changed by a thousand times the error that is allowed. */
static void orbits_decay(void **state)
{
  (void)state;
  static const double dt = 2000, eccentricities[] = {0.01, 0.1, 0.4, 0.7};
  const struct hb_chain_tide tide = {.light = 30};
  double light5 = tide.light * tide.light * tide.light * tide.light * tide.light;
  for (size_t l = 0; l < COUNT_OF(eccentricities); l++) {
    enum { STEPS = 1000 };
    double e = eccentricities[l];
    struct hb_chain c = pair_at(e, 2);
    double a = 1, ecc[3], at = e;
    by_mean(&c, dt, &tide);
    find_ecc(&c, ecc);
    for (int k = 0; k < STEPS; k++) { /* the midpoint rule */
      double half_a = a, half_e = at;
      for (int half = 0; half < 2; half++) {
        double b2 = 1 - half_e * half_e, mm = 0.7 * 0.3 / light5, e2 = half_e * half_e;
        double of_a = -64. / 5 * mm / (half_a * half_a * half_a * pow(b2, 3.5)) *
                      (1 + 73. / 24 * e2 + 37. / 96 * e2 * e2);
        double of_e = -304. / 15 * half_e * mm / (half_a * half_a * half_a * half_a * pow(b2, 2.5)) *
                      (1 + 121. / 304 * e2);
        double h = dt / STEPS / (half == 0 ? 2 : 1);
        half_a = a + h * of_a, half_e = at + h * of_e;
      }
      a = half_a, at = half_e;
    }
    print_message("e %.1f: a %.10f, by Peters %.10f, e %.10f %.10f\n", e, axis(&c), a, hb_norm(ecc), at);
    expect_at_most(fabs(axis(&c) - a), 1e-3 * (1 - a));
    expect_at_most(fabs(hb_norm(ecc) - at), 1e-3 * (e - at));
    expect_above(1 - a, 1e-4);
  }
}

/* ---- limits, quadrupoles ------------------------------------------------------------------------------------- */

/* A star too near has no mean orbit; nor has an unbound pair. */
static void strong_tides_are_refused(void **state)
{
  (void)state;
  for (double d = 5; d < 500; d *= 10) {
    struct hb_chain c = pair_at(0.5, 1);
    struct hb_chain_points points;
    struct hb_chain_tide tide;
    struct hb_mean_orbit o;
    uint64_t forces = 0;
    set_tide(passing(d), 0, &points, &tide);
    assert_true(hb_mean_orbit_of_pair(&c, &tide, 0, &o));
    assert_int_equal(hb_mean_orbit_advance(&c, &tide, 0, two_pi, 1e-3, &o, &forces), d > 5);
    for (int i = 0; i < 3; i++) c.V[0][i] *= 3;
    assert_false(hb_mean_orbit_of_pair(&c, &tide, 0, &o));
  }
}

/* mu X X as xx yy zz xy xz yz. */
static void square_of(const struct hb_chain *c, double Q[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int q = 0; q < 6; q++) Q[q] = 0.7 * 0.3 * c->X[0][row[q]] * c->X[0][column[q]];
}

/* The mean quadrupole is that of the orbit, and the swing is the integral of what the present place has more than the mean, so that it is
 * 0 in the mean. */
static void quadrupoles_swing_around_their_mean(void **state)
{
  (void)state;
  enum { STEPS = 20000 };
  static const double bar = 1e-6;
  const struct hb_chain_tide none = {0};
  struct hb_chain c = pair_at(0.6, 1);
  struct hb_mean_orbit o;
  double Q[6], mean[6], first[6], last[6], here[6], sum[6] = {0}, swings[6] = {0}, h = two_pi / STEPS,
                                                    most = 0;
  assert_true(hb_mean_orbit_of_pair(&c, &none, 0, &o));
  hb_mean_orbit_moments(&c, &o, mean, NULL);
  hb_quadrupole_of_orbit(&c, Q);
  for (int q = 0; q < 6; q++) expect_at_most(fabs(mean[q] - Q[q]), 1e-14);
  hb_mean_orbit_swing(&c, first);
  for (int k = 0; k < STEPS; k++) {
    ASSERT_OK(hb_kepler_advance(&c, h / 2, NULL, NULL));
    square_of(&c, here);
    ASSERT_OK(hb_kepler_advance(&c, h / 2, NULL, NULL));
    hb_mean_orbit_swing(&c, last);
    for (int q = 0; q < 6; q++) {
      sum[q] += h * (here[q] - mean[q]), swings[q] += h * last[q];
      expect_at_most(fabs(last[q] - first[q] - sum[q]), bar);
      most = fmax(most, fabs(sum[q]));
    }
  }
  for (int q = 0; q < 6; q++) expect_at_most(fabs(swings[q]), bar);
  expect_above(most, 1e4 * bar);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_every_revolution),
      cmocka_unit_test(kepler_takes_it_where_tides_are_weak),
      cmocka_unit_test(a_passage_within_one_call),
      cmocka_unit_test(there_and_back),
      cmocka_unit_test(energy_returns),
      cmocka_unit_test(pericenters_advance),
      cmocka_unit_test(orbits_decay),
      cmocka_unit_test(strong_tides_are_refused),
      cmocka_unit_test(quadrupoles_swing_around_their_mean),
  };
  return cmocka_run_group_tests_name("mean_orbit", tests, NULL, NULL);
}
