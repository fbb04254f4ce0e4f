/* Hundreds of revolutions of an outer orbit in one advance, of which few are followed: beside advances of one revolution each. */
#include "support/hierarchy_case.h"
#include "support/support.h"

#include "chain/bulirsch_stoer.h"

#include <math.h>

enum { TRIPLES = 10, REVOLUTIONS = 300 };
static const double two_pi = 6.28318530717958647693;

/* A triple, the period of its outer orbit, and what becomes of it in one advance and in one for each revolution. */
struct case_of {
  struct hb_chain start, once, each;
  double period;
  uint64_t forces[2]; /* in one advance, and in all those of one revolution */
  double lost[2];
};

/* A pair with a = 1 and a third body at 60 to 100, with random masses, shapes and directions. */
static struct case_of draw(struct hb_rng *rng)
{
  const double m[] = {0.3 + hb_rng_uniform(rng), 0.3 + hb_rng_uniform(rng), 0.3 + hb_rng_uniform(rng)},
               a = 60 + 40 * hb_rng_uniform(rng);
  struct hierarchy_orbit inner, outer;
  struct case_of c = {.period = two_pi * sqrt(a * a * a / (m[0] + m[1] + m[2]))};
  hierarchy_draw(rng, 1, 0.1 + 0.5 * hb_rng_uniform(rng), &inner);
  hierarchy_draw(rng, a, 0.3 * hb_rng_uniform(rng), &outer);
  hierarchy_make(3, m, &inner, &outer, &c.start);
  return c;
}

/* Advances both ways. `light` is the speed of light, or 0. */
static void advance(struct case_of *c, double light)
{
  const struct hb_chain_tide tide = {.light = light};
  c->once = c->each = c->start;
  ASSERT_OK(hb_chain_advance(&c->once, REVOLUTIONS * c->period, &tide, c->forces));
  c->lost[0] = c->once.lost;
  for (int k = 0; k < REVOLUTIONS; k++) {
    ASSERT_OK(hb_chain_advance(&c->each, c->period, &tide, c->forces + 1));
    c->lost[1] += c->each.lost;
  }
}

static double difference(const double p[3], const double q[3])
{
  const double d[] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  return hb_norm(d);
}

static void angular_momentum(const struct hb_chain *c, double L[3])
{
  double m[3], x[9], v[9];
  hierarchy_bodies(c, m, x, v);
  for (int i = 0; i < 3; i++) {
    int p = (i + 1) % 3, q = (i + 2) % 3;
    L[i] = 0;
    for (int k = 0; k < 3; k++) L[i] += m[k] * (x[3 * k + p] * v[3 * k + q] - x[3 * k + q] * v[3 * k + p]);
  }
}

/* How much the two ways differ in the inner orbit, and how much that has changed. */
struct differences {
  double ecc, plane, changed;
  double energy;    /* relative error, in one advance */
  double L, L_once; /* angular momentum: between the two ways, and since the start, relative to the latter */
};

static struct differences compare(const struct case_of *c)
{
  struct hierarchy_elements start, once, each;
  double L[3][3], E = hb_chain_energy(&c->start);
  hierarchy_find(&c->start, 1, 2, &start);
  hierarchy_find(&c->once, 1, 2, &once), hierarchy_find(&c->each, 1, 2, &each);
  angular_momentum(&c->start, L[0]), angular_momentum(&c->once, L[1]), angular_momentum(&c->each, L[2]);
  return (struct differences){.ecc = difference(once.ecc, each.ecc),
                              .plane = difference(once.normal, each.normal),
                              .changed = difference(start.ecc, each.ecc),
                              .energy = fabs(hb_chain_energy(&c->once) / E - 1),
                              .L = difference(L[1], L[2]) / hb_norm(L[0]),
                              .L_once = difference(L[1], L[0]) / hb_norm(L[0])};
}

/* Counts force evaluations: a third or fewer in many of the triples, and fewer than half in all of them together. Where Kozai's cycle or the
 * pericenter of the pair takes less than some hundred revolutions, they change too much to be skipped. */
struct cost {
  uint64_t forces[2];
  int third; /* triples that took a third of the evaluations, or less */
};

static void add_cost(const struct case_of *c, struct cost *cost)
{
  for (int w = 0; w < 2; w++) cost->forces[w] += c->forces[w];
  cost->third += 3 * c->forces[0] <= c->forces[1];
}

static void expect_skips(const struct cost *cost)
{
  print_message("forces %.0f of %.0f, a third or less in %d of %d\n", (double)cost->forces[0],
                (double)cost->forces[1], cost->third, TRIPLES);
  expect_below(2 * cost->forces[0], cost->forces[1]);
  expect_at_least(10 * cost->third, 3 * TRIPLES);
}

/* The error estimate of a step over many revolutions is below 3e-4, and its error about that to the power of 5 / 3, 1e-6: some ten steps
 * with such errors, in the same direction at worst, and what grows of them. */
static const double most_of_orbit = 1e-4, rounding = 4e-15;

/* Over these revolutions a chain of nodes keeps its angular momentum to 2e-5, whether revolutions are skipped or not; star by star a chain
 * keeps it to 1e-10. */
static const double most_of_L = 3e-5, most_of_L_apart = 1e-5;

/* Size, shape and plane of the inner orbit, energy to rounding, and angular momentum. Negative control: the orbit has become another one
 * by hundreds of times what is allowed. */
static void as_each_revolution(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(1);
  struct cost cost = {{0}, 0};
  for (int k = 0; k < TRIPLES; k++) {
    struct case_of c = draw(&rng);
    advance(&c, 0);
    const struct differences d = compare(&c);
    print_message("ecc %.2g of %.2g, plane %.2g, E %.2g, L %.2g, apart %.2g, forces %.0f of %.0f\n", d.ecc,
                  d.changed, d.plane, d.energy, d.L_once, d.L, (double)c.forces[0], (double)c.forces[1]);
    expect_at_most(d.ecc, most_of_orbit);
    expect_at_most(d.plane, most_of_orbit);
    expect_at_most(d.energy, rounding);
    expect_at_most(d.L, most_of_L_apart);
    expect_at_most(d.L_once, most_of_L);
    expect_above(d.changed, 300 * most_of_orbit);
    add_cost(&c, &cost);
  }
  expect_skips(&cost);
}

/* With post-Newtonian terms both ways lose the same energy, and the members have what is left of it. That depends on e as
 * (1 - e^2)^(-7 / 2): an error of e shows several times as large, and more where e becomes large; and on the place in the outer orbit, where
 * Newton's energy swings by mu v^4 / c^2. Negative control: rounding would be a thousandth of what is lost. */
static void radiation(void **state)
{
  (void)state;
  static const double light = 2000, apart = 5e-4, swing = 1e-13;
  struct hb_rng rng = hb_rng_seeded(2);
  struct cost cost = {{0}, 0};
  for (int k = 0; k < TRIPLES; k++) {
    struct case_of c = draw(&rng);
    double E = hb_chain_energy(&c.start);
    advance(&c, light);
    const struct differences d = compare(&c);
    double left = hb_chain_energy(&c.once) + c.lost[0];
    print_message("lost %.3g, apart %.2g, E %.2g, ecc %.2g of %.2g, plane %.2g, forces %.0f of %.0f\n",
                  c.lost[0], c.lost[0] / c.lost[1] - 1, left / E - 1, d.ecc, d.changed, d.plane,
                  (double)c.forces[0], (double)c.forces[1]);
    expect_at_most(fabs(c.lost[0] - c.lost[1]), apart * c.lost[1] + swing);
    expect_at_most(fabs(left / E - 1), rounding);
    expect_above(c.lost[1] / fabs(E), 1000 * rounding);
    expect_at_most(d.ecc, most_of_orbit);
    expect_at_most(d.plane, most_of_orbit);
    add_cost(&c, &cost);
  }
  expect_skips(&cost);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_each_revolution),
      cmocka_unit_test(radiation),
  };
  return cmocka_run_group_tests_name("many_revolutions", tests, NULL, NULL);
}
