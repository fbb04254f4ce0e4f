/* Chains of more than eight members: sums over pairs in lanes, and integrations of random systems up to the largest number. */
#include "support/support.h"

#include "base/rng.h"
#include "chain/bulirsch_stoer.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The bodies of a system. */
struct bodies {
  size_t n;
  uint32_t number[HB_CHAIN_MOST];
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
};

static struct hb_chain chain_of(const struct bodies *b)
{
  struct hb_chain c;
  hb_chain_make(b->n, b->number, b->m, b->x, b->v, &c);
  return c;
}

/* Returns n bodies in a ball, of masses between 1e-6 and 1, at `speed` times random velocities. Every `massless`-th has no mass; 0: none. */
static struct bodies ball(size_t n, double speed, size_t massless, struct hb_rng *rng)
{
  struct bodies b = {.n = n};
  for (size_t i = 0; i < n; i++) {
    double direction[3];
    b.number[i] = (uint32_t)i;
    b.m[i] = massless && i % massless == 1 ? 0 : pow(10, -6 * hb_rng_uniform(rng));
    hb_rng_ball(rng, b.x + 3 * i);
    hb_rng_direction(rng, direction);
    for (size_t d = 0; d < 3; d++) b.v[3 * i + d] = speed * direction[d];
  }
  return b;
}

/* Returns n bodies of one mass on a cubic lattice of spacing 1, where sums of links are often 0 or 1. */
static struct bodies lattice(size_t n)
{
  struct bodies b = {.n = n};
  for (size_t i = 0; i < n; i++) {
    b.number[i] = (uint32_t)i, b.m[i] = 1;
    b.x[3 * i] = (double)(i % 4), b.x[3 * i + 1] = (double)(i / 4 % 4), b.x[3 * i + 2] = (double)(i / 16);
  }
  return b;
}

/* Returns a star and n - 1 planets of up to 1e-4 of its mass, each 1.3 times as far out as the one before. */
static struct bodies planets(size_t n, struct hb_rng *rng)
{
  struct bodies b = {.n = n, .m = {1}};
  double a = 1;
  for (size_t i = 1; i < n; i++, a *= 1.3) {
    double angle = 2 * pi * hb_rng_uniform(rng), v = sqrt(1 / a) * (1 + 0.03 * hb_rng_uniform(rng));
    b.number[i] = (uint32_t)i;
    b.m[i] = pow(10, -4 - 3 * hb_rng_uniform(rng));
    b.x[3 * i] = a * cos(angle), b.x[3 * i + 1] = a * sin(angle);
    b.v[3 * i] = -v * sin(angle), b.v[3 * i + 1] = v * cos(angle), b.v[3 * i + 2] = 0.02 * v;
  }
  return b;
}

/* ---- sums over pairs ----------------------------------------------------------------------------------- */

/* Compares U, T and accelerations of a chain with sums in long double over the same links. */
static void compare_sums(const struct hb_chain *c)
{
  static const double bar = 1e-14;
  struct hb_chain_pulls pulls;
  long double U = 0, M = 0, T = 0, a[HB_CHAIN_MOST][3] = {{0}}, sum[HB_CHAIN_MOST] = {0};
  long double v[HB_CHAIN_MOST][3] = {{0}}, mean[3] = {0};
  for (size_t i = 0; i < c->n; i++) {
    long double r[3] = {0};
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += c->X[k - 1][d];
      long double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], r1 = sqrtl(r2);
      U += hb_chain_product(c, i, k) / r1;
      for (size_t d = 0; d < 3; d++) a[i][d] += c->m[k] * r[d] / r2 / r1, a[k][d] -= c->m[i] * r[d] / r2 / r1;
      sum[i] += c->m[k] / r2, sum[k] += c->m[i] / r2;
    }
    M += c->m[i];
    for (size_t d = 0; d < 3; d++) {
      if (i > 0) v[i][d] = v[i - 1][d] + c->V[i - 1][d];
      mean[d] += c->m[i] * v[i][d];
    }
  }
  for (size_t i = 0; i < c->n; i++)
    for (size_t d = 0; d < 3; d++)
      T += (c->m[i] > 0 ? c->m[i] : c->w) * (v[i][d] - mean[d] / M) * (v[i][d] - mean[d] / M) / 2;
  hb_chain_pull_members(c, c->X, &pulls);
  expect_at_most(fabs((double)(pulls.U / U - 1)), bar);
  if (T > 0) expect_at_most(fabs((double)(hb_chain_kinetic(c, c->V) / T - 1)), bar);
  for (size_t i = 0; i < c->n; i++)
    for (size_t d = 0; d < 3; d++)
      expect_at_most(fabs((double)((pulls.a[i][d] - a[i][d]) / (sum[i] > 0 ? sum[i] : 1))), bar);
}

static void sums_in_lanes(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(11);
  for (size_t n = 2; n <= HB_CHAIN_MOST; n++) {
    struct bodies some[] = {lattice(n), ball(n, 1, 0, &rng), ball(n, 1, 3, &rng), planets(n, &rng)};
    for (size_t k = 0; k < COUNT_OF(some); k++) {
      struct hb_chain c = chain_of(some + k);
      compare_sums(&c);
      if (k == 0) continue;
      for (size_t d = 0; d < 3; d++)
        c.X[(n - 1) / 2][d] *= 1e-9; /* a close pair, whose link has all digits */
      compare_sums(&c);
    }
  }
}

/* A copy is the same chain; beyond its members nothing is written. */
static void copies(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(12);
  for (size_t n = 1; n <= HB_CHAIN_MOST; n += 7) {
    struct bodies b = ball(n, 1, 0, &rng);
    struct hb_chain c = chain_of(&b), copy, untouched;
    memset(&copy, 0x5a, sizeof copy);
    memset(&untouched, 0x5a, sizeof untouched);
    hb_chain_copy(&c, &copy);
    assert_memory_equal(&c, &copy, offsetof(struct hb_chain, member));
    assert_memory_equal(c.member, copy.member, n * sizeof *c.member);
    assert_memory_equal(c.m, copy.m, n * sizeof *c.m);
    assert_memory_equal(c.X, copy.X, (n - 1) * sizeof *c.X);
    assert_memory_equal(c.V, copy.V, (n - 1) * sizeof *c.V);
    if (n < HB_CHAIN_MOST)
      assert_memory_equal(copy.m + n, untouched.m + n, (HB_CHAIN_MOST - n) * sizeof *c.m);
  }
}

/* ---- in time ------------------------------------------------------------------------------------------- */

/* Returns the largest distance of members with mass from the same members of another chain, each relative to its center of mass. */
static double distance(const struct hb_chain *c, const struct hb_chain *other)
{
  double x[3 * HB_CHAIN_MOST], y[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], most = 0;
  hb_chain_places(c, x, v);
  hb_chain_places(other, y, v);
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < other->n; k++) {
      double d2 = 0;
      if (c->member[i] != other->member[k] || c->m[i] == 0) continue;
      for (size_t d = 0; d < 3; d++) d2 += pow(x[3 * i + d] - y[3 * k + d], 2);
      most = fmax(most, sqrt(d2));
    }
  return most;
}

/* Returns the relative error of the energy after the time t. */
static double energy_lost(const struct bodies *b, double t)
{
  struct hb_chain c = chain_of(b);
  double E = hb_chain_energy(&c);
  ASSERT_OK(hb_chain_advance(&c, t, NULL, NULL));
  return fabs(hb_chain_energy(&c) / E - 1);
}

/* Bodies that fall together from rest, and planets over 50 periods of the innermost. */
static void energies(void **state)
{
  (void)state;
  static const double cold_bar = 1e-10, bar = 1e-12;
  struct hb_rng rng = hb_rng_seeded(13);
  for (size_t n = 9; n <= 33; n += 4) {
    struct bodies b = ball(n, 0, 0, &rng), p = planets(n < 22 ? n : 21, &rng);
    double M = 0;
    for (size_t i = 0; i < n; i++) M += b.m[i];
    double cold = energy_lost(&b, 2 / sqrt(M)), quiet = energy_lost(&p, 100 * pi);
    print_message("%zu bodies: dE/E %.1e in a collapse, at most %.0e; planets %.1e, at most %.0e\n", n, cold,
                  cold_bar, quiet, bar);
    expect_at_most(cold, cold_bar);
    expect_at_most(quiet, bar);
  }
}

/* Planets do not feel what has no mass, whether there are few or many members. */
static void massless_members(void **state)
{
  (void)state;
  static const double bar = 1e-10;
  struct hb_rng rng = hb_rng_seeded(14);
  for (size_t more = 1; more <= 41; more += 20) {
    struct bodies b = planets(5, &rng), all = b;
    for (size_t k = 0; k < more; k++, all.n++) {
      double a = 0.6 + 2 * hb_rng_uniform(&rng), angle = 2 * pi * hb_rng_uniform(&rng);
      all.number[all.n] = (uint32_t)all.n;
      all.x[3 * all.n] = a * cos(angle), all.x[3 * all.n + 1] = a * sin(angle), all.x[3 * all.n + 2] = 0.3;
      all.v[3 * all.n] = -sin(angle) / sqrt(a), all.v[3 * all.n + 1] = cos(angle) / sqrt(a);
    }
    struct hb_chain without = chain_of(&b), with = chain_of(&all);
    double E = hb_chain_energy(&with);
    ASSERT_OK(hb_chain_advance(&without, 20 * pi, NULL, NULL));
    ASSERT_OK(hb_chain_advance(&with, 20 * pi, NULL, NULL));
    print_message("%zu bodies without mass: distance %.1e, at most %.0e\n", more, distance(&with, &without),
                  bar);
    expect_at_most(distance(&with, &without), bar);
    expect_at_most(fabs(hb_chain_energy(&with) / E - 1), 1e-12);
    expect_at_most(fabs(with.B / hb_chain_binding(&with) - 1), 1e-10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_in_lanes),
      cmocka_unit_test(copies),
      cmocka_unit_test(energies),
      cmocka_unit_test(massless_members),
  };
  return cmocka_run_group_tests_name("chain_many", tests, NULL, NULL);
}
