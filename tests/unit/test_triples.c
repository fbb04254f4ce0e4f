/* Random triples and quadruples, advanced as chains with inner binaries, beside an integrator that shares nothing with them
 * (support/radau.h). LONG=1 takes more systems and hundreds of outer orbits. */
#include "support/hierarchy_case.h"
#include "support/radau.h"
#include "support/support.h"

#include "chain/bulirsch_stoer.h"
#include "chain/turning.h"
#include "core/field.h"

#include <stdio.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;
static const uint32_t number[] = {0, 1, 2, 3};

/* A chain beside its judge. */
struct trial {
  size_t n;
  double m[4], period; /* masses, and the period of the outer orbit */
  struct hb_chain chain;
  struct radau judge;
  uint64_t forces;
};

/* The largest differences between the two, of inner and outer orbits: eccentricity vectors, unit normals, axes. */
struct differences {
  double ecc[2], normal[2], a[2];
  double moved; /* how far the eccentricity vector of the first pair has come from its first value */
};

static void start(size_t n, const double *m, const struct hierarchy_orbit *inner,
                  const struct hierarchy_orbit *outer, struct trial *t)
{
  double x[12], v[12], masses[4], M = 0;
  memset(t, 0, sizeof *t);
  t->n = n;
  for (size_t k = 0; k < n; k++) t->m[k] = m[k], M += m[k];
  t->period = two_pi * sqrt(outer->a * outer->a * outer->a / M);
  hierarchy_make(n, m, inner, outer, &t->chain);
  hierarchy_bodies(&t->chain, masses, x, v);
  radau_start(n, m, x, v, &t->judge);
}

static double difference(const double p[3], const double q[3])
{
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

/* Raises the differences to those of the orbit of `second` around `first`. */
static void compare(const struct trial *t, const struct hb_chain *judge, unsigned first, unsigned second,
                    int is_outer, struct differences *d)
{
  struct hierarchy_elements p, q;
  hierarchy_find(&t->chain, first, second, &p), hierarchy_find(judge, first, second, &q);
  d->ecc[is_outer] = fmax(d->ecc[is_outer], difference(p.ecc, q.ecc));
  d->normal[is_outer] = fmax(d->normal[is_outer], difference(p.normal, q.normal));
  d->a[is_outer] = fmax(d->a[is_outer], fabs(p.a / q.a - 1));
}

/* Advances both by so many outer orbits, and compares them twice in each. */
static void advance(struct trial *t, int orbits, struct differences *d)
{

  struct hierarchy_elements before, now;
  memset(d, 0, sizeof *d);
  hierarchy_find(&t->chain, 1, 2, &before);
  for (int k = 0; k < 2 * orbits; k++) {
    struct hb_chain judge;
    double x[12], v[12];
    ASSERT_OK(hb_chain_advance(&t->chain, t->period / 2, NULL, &t->forces));
    radau_advance(&t->judge, t->period / 2);
    radau_bodies(&t->judge, x, v);
    hb_chain_make(t->n, number, t->m, x, v, &judge);
    compare(t, &judge, 1, 2, 0, d);
    if (t->n == 4) compare(t, &judge, 4, 8, 0, d);
    compare(t, &judge, 3, t->n == 4 ? 12 : 4, 1, d);
    hierarchy_find(&judge, 1, 2, &now);
    d->moved = fmax(d->moved, difference(before.ecc, now.ecc));
  }
}

/* A system by its number: unequal masses, any direction of the orbits, and ratios of their axes of 5, 10, 20, 40 and 60 in turn. Of four
 * triples one has an outer body without mass. */
static void draw(size_t n, unsigned k, struct trial *t)
{
  static const double ratios[] = {10, 20, 40, 60, 5};
  struct hb_rng rng = hb_rng_seeded(7000 + k);
  struct hierarchy_orbit inner[2], outer;
  double ratio = ratios[k % COUNT_OF(ratios)], share = 0.05 + 0.45 * hb_rng_uniform(&rng);
  double other = pow(10, -1 + 1.3 * hb_rng_uniform(&rng)), part = 0.1 + 0.4 * hb_rng_uniform(&rng);
  double m[4] = {1 - share, share, other, 0};
  if (n == 3 && k % 4 == 1) m[2] = 0;
  if (n == 4) m[2] = other * part, m[3] = other * (1 - part);
  hierarchy_draw(&rng, 1, 0.7 * hb_rng_uniform(&rng), inner);
  hierarchy_draw(&rng, 0.3 + 0.5 * hb_rng_uniform(&rng), 0.7 * hb_rng_uniform(&rng), inner + 1);
  hierarchy_draw(&rng, ratio, fmin(0.5, 0.02 * ratio) * hb_rng_uniform(&rng), &outer);
  start(n, m, inner, &outer, t);
}

/* Eccentricity vectors and normals may differ by `each` for each outer orbit. */
static void random_systems(size_t n, unsigned systems, int orbits, double each)
{
  for (unsigned k = 0; k < systems; k++) {
    struct trial t;
    struct differences d;
    draw(n, k, &t);
    advance(&t, orbits, &d);
    print_message("%u of %zu bodies: inner ecc %.2g normal %.2g a %.2g; outer ecc %.2g normal %.2g a %.2g; "
                  "moved %.2g\n",
                  k, n, d.ecc[0], d.normal[0], d.a[0], d.ecc[1], d.normal[1], d.a[1], d.moved);
    for (int is_outer = 0; is_outer < 2; is_outer++) {
      expect_at_most(d.ecc[is_outer], each * orbits);
      expect_at_most(d.normal[is_outer], each * orbits);
      expect_at_most(d.a[is_outer], 1e-3);
    }
  }
}

static void random_triples(void **state)
{
  (void)state;
  random_systems(3, support_is_long() ? 10 : 5, support_is_long() ? 200 : 3, 5e-6);
}

static void random_quadruples(void **state)
{
  (void)state;
  random_systems(4, support_is_long() ? 5 : 3, support_is_long() ? 50 : 2, support_is_long() ? 4e-5 : 5e-6);
}

/* A body without mass on a circle around an eccentric pair of unequal masses: the mean octupole of the pair gives it an eccentricity, of
 * 0.0024 after 30 orbits. */
static void forced_eccentricity(void **state)
{
  (void)state;
  const double m[] = {0.9, 0.1, 0};
  struct hb_rng rng = hb_rng_seeded(1);
  struct hierarchy_orbit inner, outer;
  struct hierarchy_elements e;
  struct differences d;
  struct trial t;
  hierarchy_draw(&rng, 1, 0.6, &inner);
  outer = inner;
  outer.a = 16, outer.e = 0;
  start(3, m, &inner, &outer, &t);
  advance(&t, support_is_long() ? 300 : 30, &d);
  hierarchy_find(&t.chain, 3, 4, &e);
  print_message("e %.3g, differs by %.2g; evaluations %.0f\n", e.e, d.ecc[1], (double)t.forces);
  expect_above(e.e, 1e-3);
  expect_at_most(d.ecc[1], 0.02 * e.e);
}

static void turn(double angle, struct hb_chain *c)
{
  hb_turning_rotate(c->n - 1, angle, c->X);
  hb_turning_rotate(c->n - 1, angle, c->V);
}

/* A triple on a circle around a heavy body, which is a field in axes that turn with the triple, beside the judge's four bodies in axes
 * at rest, and beside the chain that is followed through each revolution. The field changes the inner eccentricity vector by 0.0055; without
 * it on the pair that would differ by 0.0012. The judge's triple leaves the circle a little, the chain's does not. */
static void in_turning_axes(void **state)
{
  (void)state;
  enum { STEPS = 100 };
  const double m[] = {0.6, 0.4, 1, 1250}, R = 1000, time = 4000, w = sqrt((m[3] + 2) / (R * R * R)),
               dt = time / STEPS;
  struct hb_rng rng = hb_rng_seeded(3);
  struct hierarchy_orbit inner, outer;
  struct hierarchy_elements e[4];
  struct hb_field *field;
  struct trial t;
  char words[80];
  hierarchy_draw(&rng, 1, 0.4, &inner);
  hierarchy_draw(&rng, 35, 0.2, &outer);
  start(3, m, &inner, &outer, &t);
  struct hb_chain alone = t.chain, every = t.chain, judge;
  double x[12] = {0}, v[12] = {0};
  hierarchy_bodies(&t.chain, t.m, x, v); /* relative to the center of mass */
  for (int k = 0; k < 3; k++) x[3 * k] += R, v[3 * k + 1] += w * R;
  radau_start(4, m, x, v, &t.judge);
  snprintf(words, sizeof words, "point:m=1250 frame:w=%.17g", w);
  ASSERT_OK(hb_field_create(words, &field));
  const struct hb_chain_tide tide = {.field = field, .center = {.x = {R}}, .turn = w};
  struct hb_chain_tide followed = tide;
  followed.follows_all = 1;
  for (int k = 0; k < STEPS; k++) {
    ASSERT_OK(hb_chain_advance(&t.chain, dt, &tide, &t.forces));
    ASSERT_OK(hb_chain_advance(&every, dt, &followed, NULL));
    ASSERT_OK(hb_chain_advance(&alone, dt, NULL, NULL));
    radau_advance(&t.judge, dt);
    turn(-w * dt, &t.chain); /* to the axes as they are now */
    turn(-w * dt, &every);
  }
  turn(w * time, &t.chain);
  turn(w * time, &every);
  radau_bodies(&t.judge, x, v);
  hb_chain_make(3, number, m, x, v, &judge);
  for (unsigned is_outer = 0; is_outer < 2; is_outer++) {
    hierarchy_find(&t.chain, is_outer ? 3 : 1, is_outer ? 4 : 2, e);
    hierarchy_find(&judge, is_outer ? 3 : 1, is_outer ? 4 : 2, e + 1);
    hierarchy_find(&alone, is_outer ? 3 : 1, is_outer ? 4 : 2, e + 2);
    hierarchy_find(&every, is_outer ? 3 : 1, is_outer ? 4 : 2, e + 3);
    double differs = difference(e[0].ecc, e[1].ecc), moved = difference(e[2].ecc, e[1].ecc);
    print_message("in turning axes: ecc differs by %.2g of %.2g, evaluations %.0f\n", differs, moved,
                  (double)t.forces);
    expect_above(moved, 1e-4);
    expect_at_most(differs, 3e-2 * moved);
    expect_at_most(difference(e[0].ecc, e[3].ecc), 1e-3 * moved);
  }
  hb_field_destroy(field);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_triples),
      cmocka_unit_test(random_quadruples),
      cmocka_unit_test(forced_eccentricity),
      cmocka_unit_test(in_turning_axes),
  };
  return cmocka_run_group_tests_name("triples", tests, NULL, NULL);
}
