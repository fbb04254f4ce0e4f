/* Post-Newtonian pairs: how fast a pericenter turns, and how fast an orbit shrinks. */
#include "support/support.h"

#include "core/vector.h"
#include "chain/bulirsch_stoer.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* M = a = 1, from the pericenter. */
static struct hb_chain pair_of(double eta, double e)
{
  double more = sqrt(1 - 4 * eta), m[2] = {(1 + more) / 2, (1 - more) / 2};
  double x[6] = {0, 0, 0, 1 - e}, v[6] = {0, 0, 0, 0, sqrt((1 + e) / (1 - e))};
  struct hb_chain chain;
  hb_chain_make(2, (uint32_t[]){0, 1}, m, x, v, &chain);
  return chain;
}

/* Advances by dt; lost goes on. */
static void advance_by(double dt, double light, struct hb_chain *c)
{
  const struct hb_chain_tide tide = {.light = light, .is_all = 1};
  double lost = c->lost;
  ASSERT_OK(hb_chain_advance(c, dt, &tide, NULL));
  c->lost += lost;
}

/* From its start to the first pericenter after t; returns its time. */
static double to_pericenter(double t, double light, struct hb_chain *c)
{
  static const double step = 0.01;
  struct hb_chain begin, now;
  double dt = step;
  advance_by(t, light, c);
  for (now = *c; !(hb_dot(c->X[0], c->V[0]) < 0 && hb_dot(now.X[0], now.V[0]) >= 0); t += step) {
    *c = now;
    advance_by(step, light, &now);
  }
  t -= step;
  begin = *c;
  for (int k = 0; k < 8; k++) {
    now = begin;
    advance_by(dt, light, &now);
    dt -= hb_dot(now.X[0], now.V[0]) / (hb_dot(now.V[0], now.V[0]) - 1 / hb_norm(now.X[0]));
  }
  *c = now;
  return t + dt;
}

/* Damour & Schafer 1988, eq. 5.18: k = 3 / (c h)^2 (1 + ((5/2 - eta) E + (35/4 - 5/2 eta) / h^2) / c^2), with energy E and angular
 * momentum h of a reduced mass of 1 to first order; at a pericenter. */
static double turn_by(const struct hb_chain *c, double eta, double light)
{
  double u = 1 / hb_norm(c->X[0]), v2 = hb_dot(c->V[0], c->V[0]), c2 = light * light;
  double E = v2 / 2 - u + (0.375 * (1 - 3 * eta) * v2 * v2 + 0.5 * (3 + eta) * v2 * u + 0.5 * u * u) / c2;
  double h = sqrt(v2) / u * (1 + (0.5 * (1 - 3 * eta) * v2 + (3 + eta) * u) / c2), h2 = h * h;
  return 2 * pi * 3 / (c2 * h2) * (1 + ((2.5 - eta) * E + (8.75 - 2.5 * eta) / h2) / c2);
}

static void pericenter_turns(void **state)
{
  (void)state;
  enum { ORBITS = 100 };
  const double light = 300;
  for (int k = 0; k < 2; k++) {
    double eta = k ? 0.25 : 0.1, e = k ? 0.5 : 0.2;
    struct hb_chain c = pair_of(eta, e);
    double expected = ORBITS * turn_by(&c, eta, light);
    to_pericenter(2 * pi * ORBITS - 0.5, light, &c);
    double angle = atan2(c.X[0][1], c.X[0][0]);
    expect_below(fabs(angle / expected - 1), 1e-6);
  }
}

/* Peters 1964, eqs 5.6 and 5.7, together: a and e after t. */
static double shrunk(double eta, double e, double light, double t)
{
  enum { STEPS = 10000 };
  double a = 1, rate = eta / pow(light, 5);
  for (int k = 0; k < STEPS; k++) {
    double half_a = a, half_e = e, x = 0, y = 0;
    for (int part = 0; part < 2; part++) {
      double q = 1 - half_e * half_e, e2 = half_e * half_e;
      x = -12.8 * rate / (pow(half_a, 3) * pow(q, 3.5)) * (1 + 73. / 24 * e2 + 37. / 96 * e2 * e2);
      y = -304. / 15 * rate * half_e / (pow(half_a, 4) * pow(q, 2.5)) * (1 + 121. / 304 * e2);
      half_a = a + x * t / STEPS / 2, half_e = e + y * t / STEPS / 2;
    }
    a += x * t / STEPS, e += y * t / STEPS;
  }
  return a;
}

/* The energy that is lost is that of the orbit, and what Peters' formula takes in that time, so that the time is his. */
static void orbit_shrinks(void **state)
{
  (void)state;
  const struct {
    double eta, e, light;
    int orbits;
  } runs[] = {{0.25, 0.6, 150, 2000}, {0.16, 0.8, 250, 2000}};
  for (int k = 0; k < 2; k++) {
    struct hb_chain c = pair_of(runs[k].eta, runs[k].e);
    double B = c.B, t = to_pericenter(2 * pi * runs[k].orbits, runs[k].light, &c);
    double a = shrunk(runs[k].eta, runs[k].e, runs[k].light, t), expected = B * (1 / a - 1);
    expect_below(fabs(c.lost / expected - 1), 0.01);
    expect_below(fabs(c.B - B - c.lost) / B, 1e-14);
    expect_below(fabs(hb_chain_binding(&c) / c.B - 1), 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pericenter_turns), cmocka_unit_test(orbit_shrinks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
