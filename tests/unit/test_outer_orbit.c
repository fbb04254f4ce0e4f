/* Hierarchies of chains: found and not found, moved along their orbits, and listed. */
#include "support/support.h"

#include "chain/outer_orbit.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;
static const uint32_t number[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Bodies on nested orbits, which pair_of makes from smaller systems. */
struct system {
  size_t n;
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
};

static double mass(const struct system *s)
{
  double M = 0;
  for (size_t k = 0; k < s->n; k++) M += s->m[k];
  return M;
}

static struct system body(double m)
{
  const struct system s = {.n = 1, .m = {m}};
  return s;
}

/* Returns two systems on an orbit around each other, at its apocenter, in a plane with this inclination. Speeds are `fast` times those. */
static struct system pair_of(struct system p, struct system q, double a, double e, double tilt, double fast)
{
  double M = mass(&p) + mass(&q), share = mass(&q) / M, r = a * (1 + e),
         v = fast * sqrt(M / a * (1 - e) / (1 + e));
  struct system all = {.n = p.n + q.n};
  for (size_t k = 0; k < all.n; k++) {
    const struct system *from = k < p.n ? &p : &q;
    size_t l = k < p.n ? k : k - p.n;
    double times = k < p.n ? -share : 1 - share;
    all.m[k] = from->m[l];
    for (int i = 0; i < 3; i++) all.x[3 * k + i] = from->x[3 * l + i], all.v[3 * k + i] = from->v[3 * l + i];
    all.x[3 * k] += times * r;
    all.v[3 * k + 1] += times * v * cos(tilt), all.v[3 * k + 2] += times * v * sin(tilt);
  }
  return all;
}

static struct hb_chain chain_of(struct system s)
{
  struct hb_chain c;
  hb_chain_make(s.n, number, s.m, s.x, s.v, &c);
  return c;
}

static struct system close_pair(double a) { return pair_of(body(0.6), body(0.4), a, 0.3, 0.7, 1); }

/* A triple: a close pair with a = 1 and a third body of mass m, on an orbit with this a and e. */
static struct system triple(double m, double a, double e, double fast)
{
  return pair_of(close_pair(1), body(m), a, e, 0, fast);
}

/* Which chains are hierarchies, and 2 a and the pericenter of the outer orbit. A tide of 0.1 is at a pericenter of 5.43 a for a third body
 * as heavy as the pair: 2 (2 a / q)^3 = 0.1. */
static void hierarchies_are_found(void **state)
{
  (void)state;
  const struct {
    struct system system;
    double a, q; /* 0: none */
    size_t orbits;
  } cases[] = {
      {triple(1, 30, 0.2, 1), 30, 24, 2},
      {triple(1, 30, 0.81, 1), 30, 30 * 0.19, 2},
      {triple(1, 30, 0.83, 1), 0, 0, 0}, /* comes too near */
      {triple(1, 5.5, 0, 1), 5.5, 5.5, 2},
      {triple(1, 5.4, 0, 1), 0, 0, 0},  /* is too near */
      {triple(1, 30, 0.2, 2), 0, 0, 0}, /* unbound */
      {pair_of(pair_of(body(0.6), body(0), 1, 0.3, 0.7, 1), body(1), 30, 0.2, 0, 1), 0, 0, 0},
      {triple(0, 30, 0.2, 1), 0, 0, 0}, /* without mass */
      {close_pair(1), 0, 0, 1},         /* no more than two */
      {pair_of(close_pair(1), close_pair(1.5), 30, 0.2, 1, 1), 30, 24, 3},
      {pair_of(close_pair(1), close_pair(5), 30, 0.2, 1, 1), 0, 0, 0}, /* one pair is too wide */
      {pair_of(triple(1, 20, 0.1, 1), body(1), 400, 0.3, 1, 1), 400, 280, 3},
      {pair_of(triple(1, 20, 0.1, 1), body(1), 100, 0.3, 1, 1), 0, 0, 0}, /* the triple is too wide */
      {pair_of(triple(1, 4, 0.1, 1), body(1), 400, 0.3, 1, 1), 0, 0, 0},  /* the triple is none */
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    const struct hb_chain c = chain_of(cases[k].system);
    struct hb_outer_orbit o;
    struct hb_chain orbits[HB_CHAIN_MOST - 1];
    assert_int_equal(hb_outer_orbit_find(&c, &o), cases[k].a > 0);
    assert_int_equal(hb_outer_orbit_list(&c, orbits), cases[k].orbits);
    if (cases[k].a == 0) continue;
    expect_near(o.span, 2 * cases[k].a, 1e-12);
    expect_near(o.pericenter, cases[k].q, 1e-10);
    assert_int_equal(o.part[0].n + o.part[1].n, c.n);
    assert_int_equal(o.link + 1, o.part[0].n);
  }
}

/* Orbits are listed from the outermost on, with the masses of their parts. */
static void orbits_are_listed(void **state)
{
  (void)state;
  const struct hb_chain c = chain_of(pair_of(triple(1.5, 20, 0.1, 1), body(3), 400, 0.3, 1, 1));
  struct hb_chain orbits[HB_CHAIN_MOST - 1];
  const double a[] = {400, 20, 1}, M[] = {5.5, 2.5, 1};
  assert_int_equal(hb_outer_orbit_list(&c, orbits), 3);
  for (size_t k = 0; k < 3; k++) {
    assert_int_equal(orbits[k].n, 2);
    expect_near(hb_chain_span(orbits + k), 2 * a[k], 1e-12);
    expect_near(hb_chain_mass(orbits + k), M[k], 1e-14);
  }
}

static double moved(const struct hb_chain *c, const struct hb_chain *from)
{
  double most = 0;
  for (size_t k = 0; k + 1 < c->n; k++)
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(c->X[k][i] - from->X[k][i]));
  return most;
}

/* The semi-major axis of an orbit whose period is so many times that of close_pair(1). */
static double axis_of(double M, double periods) { return cbrt(M * periods * periods); }

/* Periods of the orbits divide each other: after the longest of them all bodies are where they were. Negative control: after half of it
 * they are elsewhere, and after a quarter of the closest orbit all of their distances are others. */
static void a_period_returns(void **state)
{
  (void)state;
  static const double bar = 1e-9;
  const struct system systems[] = {
      triple(1, axis_of(2, 64), 0.2, 1),
      pair_of(close_pair(1), close_pair(1), axis_of(2, 64), 0.4, 1, 1),
      pair_of(triple(1, axis_of(2, 64), 0.2, 1), body(1), axis_of(3, 16384), 0.3, 1, 1),
  };
  for (size_t k = 0; k < COUNT_OF(systems); k++) {
    const struct hb_chain start = chain_of(systems[k]);
    struct hb_chain c = start, orbits[HB_CHAIN_MOST - 1];
    assert_true(hb_outer_orbit_list(&start, orbits) > 1);
    double a = hb_chain_span(orbits) / 2, period = two_pi * sqrt(a * a * a / hb_chain_mass(orbits));
    hb_outer_orbit_drift(&c, two_pi / 4);
    for (size_t l = 0; l + 1 < c.n; l++) expect_above(fabs(hb_norm(c.X[l]) - hb_norm(start.X[l])), 1e-5);
    hb_outer_orbit_drift(&c, period / 2 - two_pi / 4);
    expect_above(moved(&c, &start), 1);
    hb_outer_orbit_drift(&c, period / 2);
    expect_at_most(moved(&c, &start), bar * period / two_pi);
    expect_near(hb_chain_binding(&c), start.B, 1e-9);
  }
}

/* A pair drifts along its orbit, and a chain that is no hierarchy stays. */
static void others_drift_as_pairs_or_stay(void **state)
{
  (void)state;
  const struct hb_chain pair = chain_of(close_pair(1)), loose = chain_of(triple(1, 4, 0, 1));
  struct hb_chain c = pair;
  hb_outer_orbit_drift(&c, two_pi / 2);
  expect_above(moved(&c, &pair), 1);
  hb_outer_orbit_drift(&c, two_pi / 2);
  expect_at_most(moved(&c, &pair), 1e-12);
  c = loose;
  hb_outer_orbit_drift(&c, 1);
  assert_memory_equal(&c, &loose, sizeof c);
}

/* q of an ellipse, a hyperbola, and a straight fall. */
static void pericenters(void **state)
{
  (void)state;
  const double x[] = {1.5, 0, 0}, slow[] = {0, sqrt(1. / 3), 0}, fast[] = {0, sqrt(3.), 0}, none[3] = {0};
  expect_near(hb_outer_orbit_pericenter(1, x, slow), 0.5, 1e-14); /* a = 1, e = 0.5, at the apocenter */
  expect_near(hb_outer_orbit_pericenter(1, x, fast), 1.5, 1e-14); /* at the pericenter */
  expect_equal(hb_outer_orbit_pericenter(1, x, none), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hierarchies_are_found), cmocka_unit_test(orbits_are_listed),
      cmocka_unit_test(a_period_returns),      cmocka_unit_test(others_drift_as_pairs_or_stay),
      cmocka_unit_test(pericenters),
  };
  return cmocka_run_group_tests_name("outer_orbit", tests, NULL, NULL);
}
