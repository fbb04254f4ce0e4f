/* Groups that are hierarchies: a star on a bound orbit around a hard pair joins it, and is treated as a member of a pair is. */
#include "support/groups_case.h"
#include "support/support.h"

#include "groups/groups_internal.h"

#include <math.h>
#include <string.h>

/* A pair of a = 0.002 and a star on an orbit of this a and e around it, at its apocenter, all of mass 1; and other stars at distances of 4,
 * 5, 6 and so on. What is close is 0.1: a pair of stars of mean mass is hard up to 2 a = 0.256. */
enum { N = 64 };
static const double inner = 0.002, close = 0.1;

struct system {
  struct hb_particles *p;
  struct hb_groups *groups;
  struct hb_groups_node made;
};

/* Speeds of the star are `fast` times those of its orbit. The pair has joined. */
static struct system start(double a, double e, double fast, const struct hb_groups_rules *rules)
{
  struct system s;
  double r = a * (1 + e), v = fast * sqrt(3 / a * (1 - e) / (1 + e)), u = sqrt(2 / inner);
  ASSERT_OK(hb_particles_create(N, &s.p));
  for (size_t i = 0; i < N; i++) {
    double angle = (double)i, far = (double)i + 1;
    s.p->m[i] = 1;
    s.p->x[3 * i] = i > 2 ? far * cos(angle) : 0, s.p->x[3 * i + 1] = i > 2 ? far * sin(angle) : 0;
  }
  s.p->x[0] = -inner / 2, s.p->x[3] = inner / 2, s.p->v[2] = -u / 2, s.p->v[5] = u / 2;
  s.p->x[6] = r, s.p->v[7] = v;
  ASSERT_OK(hb_groups_create(s.p, 0, &s.groups));
  hb_groups_use(s.groups, rules);
  s.groups->r_close = close;
  groups_case_nodes(s.p->x, s.p->v, s.groups);
  ASSERT_OK(hb_groups_join(s.groups, 0, 0, 1, &s.made));
  groups_case_put(&s.made, s.p->x, s.p->v);
  return s;
}

static void finish(struct system *s)
{
  hb_groups_destroy(s->groups);
  hb_particles_destroy(s->p);
}

/* Makes the pair and the star one group, with its list. */
static struct hb_group *join(struct system *s)
{
  ASSERT_OK(hb_groups_join(s->groups, 0, s->made.node, 2, &s->made));
  groups_case_put(&s->made, s->p->x, s->p->v);
  ASSERT_OK(hb_groups_look_around(s->groups, 0, 1, &s->groups->at->node));
  assert_int_equal(s->groups->count, 1);
  assert_int_equal(s->groups->at->chain.n, 3);
  return s->groups->at;
}

/* At its apocenter the star is farther than what is close: it joins if the orbit is bound, narrow enough, and far outside the pair, and if
 * groups are by perturbation. */
static void stars_join_on_bound_orbits(void **state)
{
  (void)state;
  static const struct {
    double a, e, fast;
    const struct hb_groups_rules *rules;
    int joins;
  } cases[] = {{0.125, 0.7, 1, &hb_groups_by_perturbation, 1},
               {0.13, 0.7, 1, &hb_groups_by_perturbation, 0},     /* too wide */
               {0.125, 0.95, 0.9, &hb_groups_by_perturbation, 0}, /* its pericenter is near the pair */
               {0.125, 0.7, 3, &hb_groups_by_perturbation, 0},    /* unbound */
               {0.125, 0.7, 1, &hb_groups_by_size, 0}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct system s = start(cases[k].a, cases[k].e, cases[k].fast, cases[k].rules);
    assert_int_equal(hb_groups_should_join(s.groups, s.made.node, 2), cases[k].joins);
    finish(&s);
  }
}

/* R and span are 2 a of the outer orbit. The list has the nodes whose tide matters over many orbits: fewer than that of an unbound chain
 * of the same size, whose passage is single. */
static void hierarchies_are_hard(void **state)
{
  (void)state;
  struct system s = start(0.125, 0.7, 1, &hb_groups_by_perturbation),
                loose = start(0.125, 0.7, 3, &hb_groups_by_perturbation);
  const struct hb_group *g = join(&s), *other = join(&loose);
  assert_true(g->is_hard);
  expect_near(g->span, 0.25, 1e-9);
  expect_near(g->R, 0.25, 1e-9);
  expect_equal(g->floor, 3);
  assert_false(other->is_hard);
  assert_true(other->span == INFINITY);
  expect_below(other->R, g->R);
  print_message("nodes in the list: %zu, of a loose chain %zu\n", g->count, other->count);
  expect_above(other->count, 2 * g->count);
  expect_above(g->Q[0] + g->Q[1] + g->Q[2], 0);
  finish(&s);
  finish(&loose);
}

/* It splits where a fourth node comes near, at the link between star and pair, and not before. */
static void disturbed_hierarchies_split(void **state)
{
  (void)state;
  static const double near[] = {1, 0.6, 0.3};
  for (size_t k = 0; k < COUNT_OF(near); k++) {
    struct system s = start(0.125, 0.7, 1, &hb_groups_by_perturbation);
    struct hb_groups_node made[2];
    size_t link;
    s.p->x[9] = 0, s.p->x[10] = -near[k];
    int splits = hb_groups_should_split(s.groups, join(&s), &link);
    assert_int_equal(splits, near[k] < 0.5);
    if (splits) {
      ASSERT_OK(hb_groups_split(s.groups, 0, s.made.node, link, made));
      assert_int_equal(s.groups->count, 1);
      assert_int_equal(s.groups->at->chain.n, 2);
      expect_near(s.groups->at->span, 2 * inner, 1e-9);
      assert_true(s.groups->of[2] == HB_GROUPS_STAR);
    }
    finish(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stars_join_on_bound_orbits),
      cmocka_unit_test(hierarchies_are_hard),
      cmocka_unit_test(disturbed_hierarchies_split),
  };
  return cmocka_run_group_tests_name("groups_hierarchy", tests, NULL, NULL);
}
