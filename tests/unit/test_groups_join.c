/* Which nodes join and which groups break; whom they feel; what heavy ones do to each other. */
#include "support/groups_case.h"
#include "support/step_case.h"
#include "support/support.h"

#include "groups/groups_internal.h"

#include "force/force.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two stars of mass m on a circle 0.3 wide, in a ring of 62 stars of mass 1 that is 20 times as wide, one of them d from the
 * center. */
static struct hb_particles *pair_in_a_ring(double m, double d)
{
  enum { N = 64 };
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(N, &p));
  for (size_t i = 0; i < N; i++) {
    p->m[i] = i < 2 ? m : 1;
    p->x[3 * i] = i < 2 ? 0.3 * (double)i - 0.15 : i == 2 ? d : 3 * cos((double)i);
    p->x[3 * i + 1] = i < 3 ? 0 : 3 * sin((double)i);
    p->v[3 * i + 1] = i == 0 ? -sqrt(2 * m / 0.3) / 2 : i == 1 ? sqrt(2 * m / 0.3) / 2 : 0;
  }
  return p;
}

/* Whether they become a group, and whether it would break in the next block, in a field with Hill's tide of frequency w; 0: in
 * none. */
static void pair_changes(double m, double d, double w, int *joins, int *breaks)
{
  struct hb_particles *p = pair_in_a_ring(m, d);
  struct hb_groups *groups;
  struct hb_groups_node made;
  struct hb_field *field = NULL;
  char words[32];
  size_t link;
  snprintf(words, sizeof words, "hill:w=%g", w);
  if (w > 0) ASSERT_OK(hb_field_create(words, &field));
  ASSERT_OK(hb_groups_create(p, 0, &groups));
  groups->field = field;
  groups_case_nodes(p->x, p->v, groups);
  *joins = hb_groups_should_join(groups, 0, 1);
  ASSERT_OK(hb_groups_join(groups, 0, 0, 1, &made));
  groups_case_put(&made, p->x, p->v);
  *breaks = hb_groups_should_split(groups, groups->at, &link);
  hb_groups_destroy(groups);
  hb_field_destroy(field);
  hb_particles_destroy(p);
}

static void heavy_pairs_may_be_wide(void **state)
{
  (void)state;
  static const struct {
    double m, d, w;
    int joins, breaks;
  } cases[] = {{20, 3, 0, 1, 0},   {20, 0.9, 0, 0, 0}, /* not alone */
               {1, 3, 0, 0, 0},                        /* not heavy */
               {20, 3, 0.4, 1, 0},                     /* a field hardly disturbs it */
               {20, 3, 0.7, 0, 0},                     /* too much to form */
               {20, 3, 3, 0, 1}};                      /* and to last */
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    int joins, breaks;
    pair_changes(cases[k].m, cases[k].d, cases[k].w, &joins, &breaks);
    assert_int_equal(joins, cases[k].joins);
    assert_int_equal(breaks, cases[k].breaks);
  }
}

/* Of a hard pair that is a small part of its system tides below 1e-6 do not matter, of one that is most of it those above 1e-8;
 * the former are too weak for where its members are. */
static void tides_by_share(void **state)
{
  (void)state;
  struct hb_particles *p = pair_in_a_ring(20, 3);
  struct hb_groups *groups;
  struct hb_groups_node made;
  ASSERT_OK(hb_groups_create(p, 0, &groups));
  groups_case_nodes(p->x, p->v, groups);
  ASSERT_OK(hb_groups_join(groups, 0, 0, 1, &made));
  struct hb_group *g = groups->at;
  const double strong = 2 * g->R * g->R * g->R / 40 / 1e-6, star = 1, far[] = {22, 23, 102, 104};
  expect_below(fabs(g->strong / (strong * strong) - 1), 1e-12);
  for (size_t k = 0; k < COUNT_OF(far); k++) {
    double d2 = far[k] * far[k];
    assert_int_equal(hb_groups_is_tide(g, star, d2), k < 3);
    assert_int_equal(hb_groups_is_mean(groups, g, 5, d2), k > 0);
  }
  groups->stars = 1e6, hb_groups_measure(groups, g);
  for (size_t k = 0; k < COUNT_OF(far); k++)
    assert_int_equal(hb_groups_is_tide(g, star, far[k] * far[k]), k < 1);
  hb_groups_destroy(groups);
  hb_particles_destroy(p);
}

/* A heavy pair r apart, on an orbit so wide that the star beside it disturbs it: whether it joins on the way in, and whether the
 * group would break. */
static void wide_pair_changes(double r, int *joins, int *breaks)
{
  static const double span = 1.6, m = 20;
  struct hb_particles *p = pair_in_a_ring(m, 1.5);
  struct hb_groups *groups;
  struct hb_groups_node made;
  size_t link;
  ASSERT_OK(hb_groups_create(p, 0, &groups));
  expect_above(span, hb_groups_bound(groups, m, m));
  double v = sqrt(2 * m * (2 / r - 2 / span));
  for (size_t i = 0; i < 2; i++) {
    double side = i == 0 ? -0.5 : 0.5;
    p->x[3 * i] = side * r;
    p->v[3 * i] = -side * 0.1 * v, p->v[3 * i + 1] = side * sqrt(0.99) * v;
  }
  groups_case_nodes(p->x, p->v, groups);
  *joins = hb_groups_should_join(groups, 0, 1);
  ASSERT_OK(hb_groups_join(groups, 0, 0, 1, &made));
  groups_case_put(&made, p->x, p->v);
  assert_true(groups->at->is_hard);
  ASSERT_OK(hb_groups_look_around(groups, 0, 1, &groups->at->node));
  *breaks = hb_groups_should_split(groups, groups->at, &link);
  hb_groups_destroy(groups);
  hb_particles_destroy(p);
}

/* It is a group for the time of its pericenter, and does not break in the block after. */
static void wide_pairs_pass_their_pericenter(void **state)
{
  (void)state;
  static const struct {
    double r;
    int joins, breaks;
  } cases[] = {{0.3, 1, 0}, {0.6, 0, 0}, {0.9, 0, 1}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    int joins, breaks;
    wide_pair_changes(cases[k].r, &joins, &breaks);
    assert_int_equal(joins, cases[k].joins);
    assert_int_equal(breaks, cases[k].breaks);
  }
}

/* a[6] of the first two of p from all others at x, in double. */
static void pulls_on_two(const struct hb_particles *p, const double *x, double *a)
{
  for (size_t i = 0; i < 6; i++) a[i] = 0;
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < p->n; k++) {
      double r[3], r2 = 0;
      for (size_t c = 0; c < 3 && k != i; c++) r[c] = x[3 * k + c] - x[3 * i + c], r2 += r[c] * r[c];
      for (size_t c = 0; c < 3 && k != i; c++) a[3 * i + c] += p->m[k] * r[c] / (r2 * sqrt(r2));
    }
}

/* Two heavy stars that fly apart among 62 others: what they feel in ds, nearly all of it from each other, is as exact as in double
 * from the first step on. Negative control: the forces at the start, which the source of forces sums alone. */
static void heavy_ones_pull_in_double(void **state)
{
  (void)state;
  static const double bar = 1e-10;
  struct hb_particles *p = pair_in_a_ring(1000, 3);
  struct hb_force *force;
  struct hb_hermite4 *h;
  struct hb_sim_params params = {
      .encounters = HB_ENCOUNTERS_GROUPS, .eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-40};
  double a[6];
  for (size_t i = 0; i < 2; i++) p->v[3 * i] = i == 0 ? -1e3 : 1e3, p->x[3 * i + 2] = 0.01 / 3;
  ASSERT_OK(hb_force_open(&(struct hb_force_params){.scheme = "host-simd", .precision = "ds"}, &force));
  ASSERT_OK(step_hermite4(p, &params, force, &h));
  assert_int_equal(h->groups->heavies, 2);
  for (uint32_t i = 0; i < p->n; i++) expect_equal(h->groups->sources[i], (i < 2 ? 0 : 1));
  pulls_on_two(p, p->x, a);
  expect_above(support_rms(2, 3, h->a, a), bar);
  ASSERT_OK(step_hermite4_step(h));
  pulls_on_two(p, h->xp, a);
  expect_at_most(support_rms(2, 3, h->a, a), bar);
  hb_particles_destroy(p);
  step_hermite4_destroy(h);
  hb_force_close(force);
}

/* A star that approaches a group of two, 4 r_close away, where bodies are as large. */
static int large_joins(double radius, double v)
{
  const double m[] = {1, 1, 1}, x[] = {-0.1, 0.1, 0}, y[] = {0, 0, 8};
  double radii[] = {radius, 0, 0};
  struct hb_particles *p;
  struct hb_groups *groups;
  struct hb_groups_node made;
  ASSERT_OK(hb_particles_create(3, &p));
  for (size_t i = 0; i < 3; i++) p->m[i] = m[i], p->x[3 * i] = x[i], p->x[3 * i + 1] = y[i];
  p->v[7] = v;
  ASSERT_OK(hb_groups_create(p, 0, &groups));
  groups->r_close = 2, groups->radius = radii;
  groups_case_nodes(p->x, p->v, groups);
  ASSERT_OK(hb_groups_join(groups, 0, 0, 1, &made));
  groups_case_put(&made, p->x, p->v);
  int joins = hb_groups_should_join(groups, made.node, 2);
  hb_groups_destroy(groups);
  hb_particles_destroy(p);
  return joins;
}

static void large_bodies_join_before_they_touch(void **state)
{
  (void)state;
  assert_true(large_joins(8, -1));
  assert_false(large_joins(7, -1)); /* too small to touch */
  assert_false(large_joins(8, 1));  /* recedes */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heavy_pairs_may_be_wide),
      cmocka_unit_test(tides_by_share),
      cmocka_unit_test(wide_pairs_pass_their_pericenter),
      cmocka_unit_test(heavy_ones_pull_in_double),
      cmocka_unit_test(large_bodies_join_before_they_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
