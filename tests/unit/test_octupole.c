/* The octupole of a pair: beside moments and forces of both members, in the mean over places of their orbit. */
#include "support/hierarchy_case.h"
#include "support/support.h"

#include "chain/kepler_orbit.h"
#include "chain/octupole.h"
#include "chain/quadrupole.h"

#include <math.h>

enum { PARTS = HB_OCTUPOLE_PARTS, PLACES = 16, PAIRS = 40 };

/* A pair with a = 1, these masses and this eccentricity, in a random direction. */
static struct hb_chain pair_of(struct hb_rng *rng, double m0, double m1, double e)
{
  const double m[] = {m0, m1};
  struct hierarchy_orbit orbit;
  struct hb_chain c;
  hierarchy_draw(rng, 1, e, &orbit);
  hierarchy_make(2, m, &orbit, &orbit, &c);
  return c;
}

/* One with random masses. */
static struct hb_chain pair(struct hb_rng *rng, double e)
{
  double m0 = 0.2 + hb_rng_uniform(rng), m1 = 0.2 + hb_rng_uniform(rng);
  return pair_of(rng, m0, m1, e);
}

static double difference(const double p[3], const double q[3])
{
  const double d[] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  return hb_norm(d);
}

/* ---- moments -------------------------------------------------------------------------------------------------- */

/* All ten parts, in the mean over the members at 16 places of the orbit. */
static void as_third_moments(void **state)
{
  (void)state;
  static const int index[PARTS][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                      {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};
  struct hb_rng rng = hb_rng_seeded(1);
  for (int k = 0; k < PAIRS; k++) {
    const struct hb_chain c = pair(&rng, hb_rng_uniform(&rng));
    double X[PLACES][3], part[PLACES], T[PARTS], M = c.m[0] + c.m[1], shares[] = {-c.m[1] / M, c.m[0] / M};
    hb_octupole_of_orbit(&c, T);
    hb_kepler_orbit_places(&c, PLACES, X, part);
    for (int q = 0; q < PARTS; q++) {
      double sum = 0;
      for (int p = 0; p < PLACES; p++)
        for (int s = 0; s < 2; s++)
          sum += part[p] * c.m[s] * pow(shares[s], 3) * X[p][index[q][0]] * X[p][index[q][1]] *
                 X[p][index[q][2]];
      expect_at_most(fabs(T[q] - sum), 1e-13);
    }
  }
}

/* Equal masses and circles have none. Negative control: other pairs do. */
static void none_by_symmetry(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(2);
  for (int k = 0; k < PAIRS; k++) {
    const struct hb_chain kinds[] = {pair_of(&rng, 0.5, 0.7, 0.6), pair_of(&rng, 0.6, 0.6, 0.6),
                                     pair(&rng, 0)};
    double T[3][PARTS], most = 0;
    for (int l = 0; l < 3; l++) hb_octupole_of_orbit(kinds + l, T[l]);
    for (int q = 0; q < PARTS; q++) {
      most = fmax(most, fabs(T[0][q]));
      expect_equal(T[1][q], 0);
      expect_at_most(fabs(T[2][q]), 1e-14);
    }
    expect_above(most, 1e-3);
  }
}

/* ---- forces --------------------------------------------------------------------------------------------------- */

/* The acceleration is the gradient of the number that is returned, by central differences. */
static void forces_are_gradients(void **state)
{
  (void)state;
  static const double d = 3, h = 1e-4;
  struct hb_rng rng = hb_rng_seeded(3);
  for (int k = 0; k < PAIRS; k++) {
    const struct hb_chain c = pair(&rng, hb_rng_uniform(&rng));
    double T[PARTS], r[3], a[3] = {0}, slope[3], unused[3] = {0};
    hb_octupole_of_orbit(&c, T);
    hb_rng_direction(&rng, r);
    for (int i = 0; i < 3; i++) r[i] *= d;
    double scale = fabs(hb_octupole_pull(T, r, a)) / d;
    for (int i = 0; i < 3; i++) {
      double there[] = {r[0], r[1], r[2]}, back[] = {r[0], r[1], r[2]};
      there[i] += h, back[i] -= h;
      slope[i] = (hb_octupole_pull(T, there, unused) - hb_octupole_pull(T, back, unused)) / (2 * h);
    }
    expect_at_most(difference(a, slope), 1e-7 * (hb_norm(a) + scale));
  }
}

/* Sets a[3] to the acceleration by both members at r, in the mean over their orbit, less that of a point of their mass. */
static void mean_force(const struct hb_chain *c, const double r[3], double a[3])
{
  double X[PLACES][3], part[PLACES], M = c->m[0] + c->m[1], shares[] = {-c->m[1] / M, c->m[0] / M};
  double d = hb_norm(r);
  hb_kepler_orbit_places(c, PLACES, X, part);
  for (int i = 0; i < 3; i++) a[i] = M / (d * d * d) * r[i];
  for (int p = 0; p < PLACES; p++)
    for (int s = 0; s < 2; s++) {
      double to[3];
      for (int i = 0; i < 3; i++) to[i] = shares[s] * X[p][i] - r[i];
      double by = part[p] * c->m[s] / pow(hb_norm(to), 3);
      for (int i = 0; i < 3; i++) a[i] += by * to[i];
    }
}

/* What quadrupole and octupole leave out of the mean force is the hexadecapole's, whose force falls as d^-6. Negative control: the
 * quadrupole alone leaves out more, which falls as d^-5. */
static void errors_are_hexadecapoles(void **state)
{
  (void)state;
  static const double near = 60;
  struct hb_rng rng = hb_rng_seeded(4);
  for (int k = 0; k < PAIRS; k++) {
    double m = 0.2 + hb_rng_uniform(&rng), ratio = 0.1 + 0.5 * hb_rng_uniform(&rng),
           e = 0.3 + 0.69 * hb_rng_uniform(&rng);
    const struct hb_chain c = pair_of(&rng, m, ratio * m, e);
    double T[PARTS], Q[6], to[3], left_out[2], without[2];
    hb_octupole_of_orbit(&c, T);
    hb_quadrupole_of_orbit(&c, Q);
    hb_rng_direction(&rng, to);
    for (int far = 0; far < 2; far++) {
      double d = near * (far ? 2 : 1), r[3], a[3], by[3] = {0}, j[3] = {0}, v[3] = {0};
      for (int i = 0; i < 3; i++) r[i] = d * to[i];
      mean_force(&c, r, a);
      hb_quadrupole_add_pull(Q, 1, r, v, by, j);
      without[far] = difference(a, by);
      hb_octupole_pull(T, r, by);
      left_out[far] = difference(a, by);
    }
    expect_near(left_out[0] / left_out[1], 64, 0.1);
    expect_near(without[0] / without[1], 32, 0.2);
    expect_at_most(left_out[0], 0.25 * without[0]);
  }
}

/* The acceleration is `times` that of hb_octupole_pull, and the jerk its rate along the motion, by central differences. */
static void jerks_are_rates(void **state)
{
  (void)state;
  static const double d = 3, h = 1e-4, times = 0.7;
  struct hb_rng rng = hb_rng_seeded(5);
  for (int k = 0; k < PAIRS; k++) {
    const struct hb_chain c = pair(&rng, hb_rng_uniform(&rng));
    double T[PARTS], r[3], v[3], a[3] = {0}, j[3] = {0}, by[3] = {0}, rate[3], at[2][3], pull[2][3] = {{0}};
    hb_octupole_of_orbit(&c, T);
    hb_rng_direction(&rng, r), hb_rng_direction(&rng, v);
    for (int i = 0; i < 3; i++) r[i] *= d, at[0][i] = r[i] - h * v[i], at[1][i] = r[i] + h * v[i];
    hb_octupole_add_pull(T, times, r, v, a, j);
    hb_octupole_pull(T, r, by);
    for (int e = 0; e < 2; e++) hb_octupole_pull(T, at[e], pull[e]);
    for (int i = 0; i < 3; i++) by[i] *= times, rate[i] = times * (pull[1][i] - pull[0][i]) / (2 * h);
    expect_at_most(difference(a, by), 1e-14 * hb_norm(a));
    expect_at_most(difference(j, rate), 1e-7 * (hb_norm(j) + hb_norm(a) / d));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_third_moments),     cmocka_unit_test(none_by_symmetry),
      cmocka_unit_test(forces_are_gradients), cmocka_unit_test(errors_are_hexadecapoles),
      cmocka_unit_test(jerks_are_rates),
  };
  return cmocka_run_group_tests_name("octupole", tests, NULL, NULL);
}
