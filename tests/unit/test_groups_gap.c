/* Distances between groups and points outside them: to the nearest member of a large loose group, and to the center of others. */
#include "support/support.h"

#include "base/rng.h"
#include "groups/groups_internal.h"

#include <math.h>

enum { GROUPS = 400 };

/* A loose group of 2 to 8 bodies in a ball of this radius. R is its length, as hb_groups_measure has it. */
static struct hb_group draw(struct hb_rng *rng, double size)
{
  static const uint32_t number[] = {0, 1, 2, 3, 4, 5, 6, 7};
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST] = {0};
  size_t n = 2 + (size_t)(7 * hb_rng_uniform(rng));
  struct hb_group g = {.is_hard = 0};
  for (size_t k = 0; k < n; k++) {
    m[k] = 0.1 + hb_rng_uniform(rng);
    hb_rng_ball(rng, x + 3 * k);
    for (int i = 0; i < 3; i++) x[3 * k + i] *= size;
  }
  hb_chain_make(n, number, m, x, v, &g.chain);
  for (size_t k = 0; k + 1 < n; k++) g.R += hb_norm(g.chain.X[k]);
  return g;
}

/* The distance of the nearest member. */
static double nearest(const struct hb_group *g, const double r[3])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], least = INFINITY;
  hb_chain_places(&g->chain, x, v);
  for (size_t k = 0; k < g->chain.n; k++) {
    const double d[] = {r[0] - x[3 * k], r[1] - x[3 * k + 1], r[2] - x[3 * k + 2]};
    least = fmin(least, hb_norm(d));
  }
  return least;
}

/* No member of a loose group is nearer than the gap but for a quarter, wherever the point is and however large the group; the gap is never
 * more than the distance of the center; and where the group is large, it is that of the nearest member or of the center. Negative
 * control: many members are far nearer than the center. Every other point is near a member. */
static void loose_groups_have_nearest_members(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(1);
  int nearer = 0, exact = 0;
  for (int k = 0; k < GROUPS; k++) {
    const struct hb_group g = draw(&rng, 2 * pow(hb_rng_uniform(&rng), 3));
    double r[3], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
    hb_chain_places(&g.chain, x, v);
    hb_rng_ball(&rng, r);
    for (int i = 0; i < 3 && k % 2 > 0; i++) r[i] = x[i] + 0.2 * g.R * r[i];
    double center = hb_norm(r), member = nearest(&g, r), gap = sqrt(hb_groups_gap2(&g, r));
    expect_at_most(gap, center);
    expect_at_least(member, 0.75 * gap);
    if (g.R < 0.24 * center) expect_equal(gap, sqrt(hb_dot(r, r)));
    if (g.R > 0.26 * center) expect_near(gap, fmin(center, member), 1e-14), exact++;
    nearer += member < 0.5 * center;
  }
  print_message("members at less than half of the distance in %d of %d groups, %d of them large\n", nearer,
                GROUPS, exact);
  expect_above(nearer, GROUPS / 10);
  expect_above(exact, GROUPS / 4);
  expect_below(exact, 9 * GROUPS / 10);
}

/* A point beside a member that is far from the center, whose gap is that to the member; of a hard group, the distance of the center. */
static void hard_groups_are_their_centers(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(2);
  for (int k = 0; k < GROUPS; k++) {
    struct hb_group g = draw(&rng, 1);
    double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
    hb_chain_places(&g.chain, x, v);
    for (int i = 0; i < 3; i++) x[i] *= 1.01;
    expect_near(sqrt(hb_groups_gap2(&g, x)), fmin(nearest(&g, x), hb_norm(x)), 1e-12);
    expect_at_most(nearest(&g, x), 0.01 * hb_norm(x));
    g.is_hard = 1;
    expect_equal(hb_groups_gap2(&g, x), hb_dot(x, x));
  }
}

/* Of a node, at its place and not relative to the group's. */
static void nodes_are_points(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(3);
  for (int k = 0; k < GROUPS; k++) {
    struct hb_group g = draw(&rng, 1);
    double xp[9] = {0}, r[3];
    const struct hb_groups groups = {.nodes.xp = xp};
    g.node = 1;
    hb_rng_ball(&rng, xp + 3), hb_rng_ball(&rng, xp + 6);
    for (int i = 0; i < 3; i++) r[i] = xp[6 + i] - xp[3 + i];
    expect_equal(hb_groups_gap2_to(&groups, &g, 2), hb_groups_gap2(&g, r));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loose_groups_have_nearest_members),
      cmocka_unit_test(hard_groups_are_their_centers),
      cmocka_unit_test(nodes_are_points),
  };
  return cmocka_run_group_tests_name("groups_gap", tests, NULL, NULL);
}
