/* ic/ic.c: the orbits of binaries, found again from positions and velocities, against the formulas of their
 * distributions. */
#include "support/cluster_case.h"

#include "core/diagnostics.h"
#include "core/particles.h"
#include "core/units.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "ic/ic.c"

enum { COUPLES = IC_SAMPLE, STARS = 2 * COUPLES };

/* What a pair's relative orbit is. */
static struct orbit {
  double a, e, phase, cos_i, log_p, mass_ratio; /* phase: mean anomaly / 2 pi */
  double contact;                               /* the sum of the radii over the distance at pericenter */
} orbits[COUPLES];

static void find_orbit(const struct hb_particles *p, size_t i, struct orbit *o)
{
  double x[3], v[3], l[3], m = p->m[i] + p->m[i + 1], r2 = 0, v2 = 0, rv = 0;
  for (size_t k = 0; k < 3; k++) {
    x[k] = p->x[3 * i + 3 + k] - p->x[3 * i + k];
    v[k] = p->v[3 * i + 3 + k] - p->v[3 * i + k];
    r2 += x[k] * x[k], v2 += v[k] * v[k], rv += x[k] * v[k];
  }
  for (int k = 0; k < 3; k++) l[k] = x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3];
  double r = sqrt(r2), l2 = l[0] * l[0] + l[1] * l[1] + l[2] * l[2];
  o->a = 1 / (2 / r - v2 / m);
  double c = 1 - r / o->a, s = rv / sqrt(m * o->a); /* e cos E, e sin E */
  o->e = sqrt(c * c + s * s);
  o->phase = (atan2(s, c) - s) / (2 * PI) + 0.5;
  o->cos_i = l[2] / sqrt(l2);
  o->mass_ratio = p->m[i + 1] / p->m[i];
}

static struct hb_particles *binaries(struct hb_ic_cluster c)
{
  c.binaries = 1;
  struct hb_units units;
  int are_known;
  struct hb_particles *p = ic_make(
      "plummer", (struct hb_ic_params){.n = STARS, .seed = 2, .scaling = HB_IC_SCALING_MODEL, .cluster = c});
  ASSERT_OK(hb_units_get(p, &units, &are_known));
  for (size_t k = 0; k < COUPLES; k++) {
    struct orbit *o = &orbits[k];
    find_orbit(p, 2 * k, o);
    double m = p->m[2 * k] + p->m[2 * k + 1], P = 2 * PI * sqrt(o->a * o->a * o->a / m);
    o->log_p = are_known ? log10(P * units.time * 365.25e6) : 0;
  }
  return p;
}

static double kolmogorov_of(size_t member, double (*distribution)(double))
{
  static double values[COUPLES];
  for (size_t k = 0; k < COUPLES; k++) values[k] = *(const double *)((const char *)&orbits[k] + member);
  return ic_kolmogorov(values, distribution);
}

#define FOLLOWS(member, distribution)                                                                        \
  (kolmogorov_of(offsetof(struct orbit, member), distribution) < IC_KOLMOGOROV)

static double thermal(double e) { return e < 1 ? e * e : 1; }
static double even_cosine(double c) { return (1 + c) / 2; }
static double opik(double a) { return log(a / 1e-6) / log(1e-4 / 1e-6); }
static double even_axis(double a) { return (a - 1e-6) / (1e-4 - 1e-6); }

static void opik_and_thermal(void **state)
{
  (void)state;
  struct hb_particles *p = binaries((struct hb_ic_cluster){.a_min = 1e-6, .a_max = 1e-4});
  assert_true(FOLLOWS(a, opik));
  assert_true(FOLLOWS(e, thermal));
  assert_true(FOLLOWS(phase, cluster_uniform));
  assert_true(FOLLOWS(cos_i, even_cosine));
  assert_false(FOLLOWS(a, even_axis)); /* the negative controls */
  assert_false(FOLLOWS(e, cluster_uniform));
  assert_false(FOLLOWS(phase, thermal));
  hb_particles_destroy(p);
}

static void other_eccentricities(void **state)
{
  (void)state;
  struct hb_particles *p = binaries((struct hb_ic_cluster){.eccentricities = HB_IC_UNIFORM});
  assert_true(FOLLOWS(e, cluster_uniform));
  assert_true(FOLLOWS(phase, cluster_uniform));
  assert_false(FOLLOWS(e, thermal));
  for (size_t k = 0; k < COUPLES;
       k++) { /* the default: hundredths of one over the number of systems, to that */
    expect_above(orbits[k].a * COUPLES, 0.00999);
    expect_below(orbits[k].a * COUPLES, 1.001);
  }
  hb_particles_destroy(p);
  p = binaries((struct hb_ic_cluster){.eccentricities = HB_IC_CIRCULAR});
  for (size_t k = 0; k < COUPLES; k++) expect_below(orbits[k].e, 1e-8);
  hb_particles_destroy(p);
}

/* Kroupa 1995: the integral of 2.5 (lP - 1) / (45 + (lP - 1)^2). */
static double kroupa(double lp) { return lp > 1 ? fmin(1.25 * log1p((lp - 1) * (lp - 1) / 45), 1) : 0; }
static double duquennoy(double lp) { return 0.5 * (1 + erf((lp - 4.8) / 2.3 / sqrt(2))); }

static struct hb_particles *with_periods(enum hb_ic_orbits kind, double a_max)
{
  struct hb_particles *p = binaries(
      (struct hb_ic_cluster){.masses = "kroupa", .orbits = kind, .a_max = a_max, .units = {.length = 1}});
  struct hb_units units;
  int are_known;
  ASSERT_OK(hb_units_get(p, &units, &are_known));
  for (size_t k = 0; k < COUPLES; k++) {
    double R = 0, r_sun = 6.957e8 / 3.0857e16 / units.length;
    for (size_t i = 2 * k; i < 2 * k + 2; i++) R += r_sun * pow(p->m[i] * units.mass, 0.8);
    orbits[k].contact = R / (orbits[k].a * (1 - orbits[k].e));
  }
  return p;
}

/* The largest distance of the periods longer than 10^least days from those of a distribution cut off there. */
static double tail_distance(double least, double (*distribution)(double))
{
  double most = 0;
  size_t count = 0;
  for (size_t k = 0; k < COUPLES; k++) count += orbits[k].log_p > least;
  for (double lp = least; lp < 8.43; lp += 0.1) {
    size_t below = 0;
    for (size_t k = 0; k < COUPLES; k++) below += orbits[k].log_p > least && orbits[k].log_p < lp;
    double expected = (distribution(lp) - distribution(least)) / (1 - distribution(least));
    most = fmax(most, fabs((double)below / (double)count - expected));
  }
  print_message("# %zu periods from 10^%g days on: distance %g\n", count, least, most * sqrt((double)count));
  return most * sqrt((double)count);
}

static double most_contact(void)
{
  double most = 0;
  for (size_t k = 0; k < COUPLES; k++) most = fmax(most, orbits[k].contact);
  return most;
}

/* Young stars change close orbits, not wide ones: periods above a thousand years are as drawn. */
static void kroupa_1995(void **state)
{
  (void)state;
  struct hb_particles *p = with_periods(HB_IC_ORBITS_KROUPA1995, 0);
  double short_e = 0, short_q = 0, long_q = 0, of_short = 0, of_long = 0;
  for (size_t k = 0; k < COUPLES; k++) {
    const struct orbit *o = &orbits[k];
    if (o->log_p < 1) of_short++, short_e += o->e, short_q += o->mass_ratio;
    if (o->log_p > 5) of_long++, long_q += o->mass_ratio;
  }
  print_message("# %g pairs below 10 days: e %g (0.15) and q %g (0.9) in the mean, q of wide ones %g (0.6)\n",
                of_short, short_e / of_short, short_q / of_short, long_q / of_long);
  ic_assert_near(kroupa(8.43), 1, 1e-3);
  expect_below(tail_distance(5.5, kroupa), IC_KOLMOGOROV);
  expect_above(tail_distance(5.5, duquennoy), IC_KOLMOGOROV); /* the negative control */
  expect_above(of_short, 20);
  expect_below(short_e / of_short, 0.15);
  expect_above(short_q / of_short, 0.9);
  expect_below(long_q / of_long, 0.6);
  print_message("# radii over pericenter at most %g (1)\n", most_contact());
  expect_below(most_contact(), 1);
  expect_above(most_contact(), 0.3);
  ic_assert_near(hb_sum(p->n, p->m), 1, 1e-12);
  hb_particles_destroy(p);
}

/* By hand: what becomes of a thermal draw, its pericenter kept. */
static void pericenters_stay(void **state)
{
  (void)state;
  struct hb_ic_cluster c = {.masses = "kroupa",
                            .orbits = HB_IC_ORBITS_KROUPA1995,
                            .a_max = INFINITY,
                            .units = {.mass = 1000, .length = 1}};
  ASSERT_OK(hb_units_complete(&c.units));
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct hb_rng rng = hb_rng_seeded(seed), same = rng;
    double m[2] = {1e-3, 2e-4}, a, e;
    size_t redrawn = 0;
    ASSERT_OK(cluster_orbit(&rng, &c, m, &a, &e, &redrawn));
    if (redrawn > 0) continue;
    double lp = 1 + sqrt(45 * (exp(hb_rng_uniform(&same) / 1.25) - 1)), e_birth = sqrt(hb_rng_uniform(&same));
    double years = pow(10, lp) / 365.25, au = cbrt(1.2 * years * years) * (1 - e_birth); /* at pericenter */
    double rho = pow(28 * 0.00465047 / au, 0.75);
    ic_assert_near(e, e_birth * exp(-rho), 1e-4);
    ic_assert_near(a * (1 - e) * 206264.806 / au, 1, 1e-4);
    ic_assert_near(m[1] / m[0], 0.2 + 0.8 * fmin(rho, 1), 1e-4);
  }
}

static void duquennoy_1991(void **state)
{
  (void)state;
  struct hb_particles *p = with_periods(HB_IC_ORBITS_DUQUENNOY1991, 1e9);
  double first = most_contact();
  expect_below(tail_distance(2, duquennoy), IC_KOLMOGOROV);
  expect_above(tail_distance(2, kroupa), IC_KOLMOGOROV); /* the negative control */
  hb_particles_destroy(p);
  p = with_periods(HB_IC_ORBITS_DUQUENNOY1991, 0);
  double widest = 0, bound = 0.4 / cbrt(COUPLES), touching = most_contact();
  for (size_t k = 0; k < COUPLES; k++) widest = fmax(widest, orbits[k].a);
  print_message("# a at most %g (%g), radii over pericenter %g and %g (1), redrawn %s of %d\n", widest, bound,
                first, touching, hb_particles_note(p, "orbits_redrawn"), COUPLES);
  expect_below(widest, bound * (1 + 1e-9));
  expect_above(widest, bound / 2);
  expect_below(first, 1);
  expect_below(touching, 1);
  expect_above(atoi(hb_particles_note(p, "orbits_redrawn")), COUPLES / 50);
  hb_particles_destroy(p);
  p = with_periods(HB_IC_ORBITS_DUQUENNOY1991, 1e-3);
  for (size_t k = 0; k < COUPLES; k++) expect_below(orbits[k].a, 1e-3 * (1 + 1e-9));
  hb_particles_destroy(p);
}

/* The Sun and the Earth: a year, an astronomical unit. */
static void a_year_is_an_astronomical_unit(void **state)
{
  (void)state;
  struct hb_units u = {.mass = 1, .length = 1 / (hb_units_pc / hb_units_au)};
  ASSERT_OK(hb_units_complete(&u));
  ic_assert_near(2 * PI * u.time * 1e6, 1, 1e-4); /* a Gaussian year is 365.2569 days */
}

static double uniform_ratio(double q) { return (q - 0.1) / 0.9; }

static void pairings(void **state)
{
  (void)state;
  struct hb_ic_cluster c = {.masses = "kroupa", .pairing = HB_IC_PAIRING_UNIFORM};
  struct hb_particles *p = binaries(c);
  assert_true(FOLLOWS(mass_ratio, uniform_ratio));
  ic_assert_near(hb_sum(p->n, p->m), 1, 1e-13);
  hb_particles_destroy(p);
  c.pairing = HB_IC_PAIRING_RANDOM;
  p = binaries(c);
  assert_false(FOLLOWS(mass_ratio, uniform_ratio)); /* the negative control */
  for (size_t k = 0; k < COUPLES; k++) expect_at_most(orbits[k].mass_ratio, 1);
  hb_particles_destroy(p);
  c.pairing = HB_IC_PAIRING_ORDERED;
  p = binaries(c);
  for (size_t i = 1; i < STARS; i++) expect_at_most(p->m[i], p->m[i - 1]);
  hb_particles_destroy(p);
}

static void share_of_the_systems(void **state)
{
  (void)state;
  assert_int_equal(cluster_pairs(0, 1000), 0);
  assert_int_equal(cluster_pairs(1, 1000), 500);
  assert_int_equal(cluster_pairs(0.1, 1100), 100);
  struct hb_particles *p = cluster_make("king", 1100, (struct hb_ic_cluster){.binaries = 0.1, .a_max = 1e-6});
  struct hb_particles *systems = cluster_systems(p, 100);
  assert_int_equal(systems->n, 1000);
  ic_assert_near(cluster_virial_ratio(systems), 0.5, 1e-9); /* a system is in equilibrium with the others */
  ic_assert_near(hb_kinetic_energy(systems), 0.25, 1e-9);
  size_t close = 0;
  for (size_t i = 0; i + 1 < p->n; i++) {
    double d[3];
    for (size_t k = 0; k < 3; k++) d[k] = p->x[3 * i + 3 + k] - p->x[3 * i + k];
    close += ic_length(d) < 2e-6;
  }
  assert_int_equal(close, 100);
  expect_above(cluster_virial_ratio(p),
               0.5 + 1e-6); /* the negative control: as stars they are something else */
  hb_particles_destroy(systems);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opik_and_thermal), cmocka_unit_test(other_eccentricities),
      cmocka_unit_test(kroupa_1995),      cmocka_unit_test(pericenters_stay),
      cmocka_unit_test(duquennoy_1991),   cmocka_unit_test(a_year_is_an_astronomical_unit),
      cmocka_unit_test(pairings),         cmocka_unit_test(share_of_the_systems),
  };
  return cmocka_run_group_tests_name("ic_binaries", tests, NULL, NULL);
}
