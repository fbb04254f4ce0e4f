/* A chain as points that disturb another chain, and the pairs of neighbors that are marked for it. */
#include "support/hierarchy_case.h"
#include "support/support.h"

#include "chain/chain_tide.h"
#include "chain/quadrupole.h"

#include <math.h>
#include <string.h>

enum { POINTS_MOST = HB_CHAIN_TIDE_POINTS_MOST, CHAINS = 2000 };

/* 2 to 8 bodies in a ball, close enough to each other and slow enough that many neighbors are bound. One in six has no mass, but the first. */
static struct hb_chain draw(struct hb_rng *rng)
{
  static const uint32_t number[] = {0, 1, 2, 3, 4, 5, 6, 7};
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], speed = 2 * hb_rng_uniform(rng);
  size_t n = 2 + (size_t)(7 * hb_rng_uniform(rng));
  struct hb_chain c;
  for (size_t k = 0; k < n; k++) {
    m[k] = k > 0 && hb_rng_uniform(rng) < 1. / 6 ? 0 : 0.1 + hb_rng_uniform(rng);
    hb_rng_ball(rng, x + 3 * k), hb_rng_ball(rng, v + 3 * k);
    for (int i = 0; i < 3; i++) v[3 * k + i] *= speed;
  }
  hb_chain_make(n, number, m, x, v, &c);
  return c;
}

/* ---- marked pairs --------------------------------------------------------------------------------------------- */

/* Returns 2 a of members k and k + 1; INFINITY if there is no such bound pair with mass. */
static double span_of(const struct hb_chain *c, size_t k)
{
  struct hb_chain pair;
  if (k + 1 >= c->n || c->m[k] == 0 || c->m[k + 1] == 0) return INFINITY;
  hb_chain_extract(c, k, 2, &pair);
  return hb_chain_span(&pair);
}

/* Pairs are bound and share no member; and whatever is bound and not marked shares a member with a closer pair. No other marks are so. */
static void closest_pairs_are_marked(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(1);
  int marked = 0, refused = 0;
  for (int k = 0; k < CHAINS; k++) {
    const struct hb_chain c = draw(&rng);
    uint8_t is_first[HB_CHAIN_MOST] = {0};
    hb_chain_mark_pairs(&c, is_first);
    assert_false(is_first[c.n - 1]);
    for (size_t l = 0; l + 1 < c.n; l++) {
      double before = l > 0 && is_first[l - 1] ? span_of(&c, l - 1) : INFINITY,
             after = is_first[l + 1] ? span_of(&c, l + 1) : INFINITY, span = span_of(&c, l);
      if (is_first[l]) {
        assert_true(span < INFINITY && !is_first[l + 1]);
        marked++;
      } else if (span < INFINITY) {
        expect_at_most(fmin(before, after), span);
        refused++;
      }
    }
  }
  print_message("marked %d pairs, and %d bound ones not\n", marked, refused);
  expect_above(marked, CHAINS / 2);
  expect_above(refused, CHAINS / 10);
}

/* What was marked before stays so, and its members are in no other pair. */
static void marks_stay(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(2);
  for (int k = 0; k < CHAINS; k++) {
    const struct hb_chain c = draw(&rng);
    uint8_t is_first[HB_CHAIN_MOST] = {0};
    size_t own = (size_t)((double)(c.n - 1) * hb_rng_uniform(&rng));
    is_first[own] = 1;
    hb_chain_mark_pairs(&c, is_first);
    assert_true(is_first[own] && !is_first[own + 1] && (own == 0 || !is_first[own - 1]));
  }
}

/* ---- points --------------------------------------------------------------------------------------------------- */

/* Sets sum[] to the sums of m x, m v, m a and m j over the points, and size[] to those of their lengths. Returns the mass. */
static double add_up(size_t points, const struct hb_chain_point *point, double sum[4][3], double size[4])
{
  double M = 0;
  memset(sum, 0, 12 * sizeof(double)), memset(size, 0, 4 * sizeof *size);
  for (size_t k = 0; k < points; k++) {
    const double *q[] = {point[k].x, point[k].v, point[k].a, point[k].j};
    for (int l = 0; l < 4; l++) {
      for (int i = 0; i < 3; i++) sum[l][i] += point[k].m * q[l][i];
      size[l] += point[k].m * hb_norm(q[l]);
    }
    M += point[k].m;
  }
  return M;
}

/* Whatever the points are, their mass is that of the chain, and their center rests at the chain's. Rounding is relative to the members as
 * single points, which they are with neither a least distance nor time. */
static void centers_are_kept(void **state)
{
  (void)state;
  static const double rounding = 1e-13;
  struct hb_rng rng = hb_rng_seeded(3);
  int more = 0, fewer = 0, as_many = 0;
  for (int k = 0; k < CHAINS; k++) {
    const struct hb_chain c = draw(&rng);
    struct hb_chain_point point[POINTS_MOST];
    double least = pow(hb_rng_uniform(&rng), 2), time = 64 * pow(hb_rng_uniform(&rng), 3), sum[4][3], size[4],
           unused[4];
    size_t massive = 0, singles = hb_chain_tide_points_of(&c, 0, 0, point);
    for (size_t l = 0; l < c.n; l++) massive += c.m[l] > 0;
    assert_int_equal(singles, massive);
    add_up(singles, point, sum, size);
    size_t points = hb_chain_tide_points_of(&c, least, time, point);
    expect_near(add_up(points, point, sum, unused), hb_chain_mass(&c), rounding);
    for (int l = 0; l < 4; l++) expect_at_most(hb_norm(sum[l]), rounding * size[l]);
    more += points > massive, fewer += points < massive, as_many += points == massive;
  }
  print_message("more points than members %d, fewer %d, as many %d\n", more, fewer, as_many);
  expect_above(more, CHAINS / 10);
  expect_above(fewer, CHAINS / 10);
  expect_above(as_many, CHAINS / 10);
}

/* In no time no pair is an orbit: links between members with mass that are shorter than `least` make one point of both ends, and no others
 * do. */
static void short_links_join(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(6);
  for (int k = 0; k < CHAINS; k++) {
    const struct hb_chain c = draw(&rng);
    struct hb_chain_point point[POINTS_MOST];
    double least = hb_rng_uniform(&rng);
    size_t expected = 0, last = c.n;
    for (size_t l = 0; l < c.n; l++) {
      double r[3] = {INFINITY};
      if (c.m[l] == 0) continue;
      if (last < c.n) hb_chain_between(c.X, last, l, r);
      expected += !(hb_norm(r) < least);
      last = l;
    }
    assert_int_equal(hb_chain_tide_points_of(&c, least, 0, point), expected);
  }
}

/* A pair at its pericenter, and a body on either side of it. They are nearer each other than `least`, but no neighbors: each is a point of
 * its own, before and after those of the orbit. */
static void orbits_keep_neighbors_apart(void **state)
{
  (void)state;
  static const uint32_t number[] = {0, 1, 2, 3};
  static const double m[] = {1, 1, 1, 1}, x[] = {-0.55, 0, 0, -0.05, 0, 0, 0.05, 0, 0, 0.55, 0, 0},
                      v[] = {0, 0, 20, 0, -3.08, 0, 0, 3.08, 0, 0, 0, -20}, least = 1.2, time = 10;
  struct hb_chain c;
  struct hb_chain_point point[POINTS_MOST];
  hb_chain_make(4, number, m, x, v, &c);
  assert_int_equal(hb_chain_tide_points_of(&c, least, time, point), 10);
  expect_near(fabs(point[0].x[0]), 0.55, 1e-15);
  expect_near(fabs(point[9].x[0]), 0.55, 1e-15);
  expect_equal(point[0].m, 1);
  expect_equal(point[9].m, 1);
}

/* Two pairs with a = 0.01 and 1 around each other, at a distance of about 20. The members of each are neighbors in the chain. */
static struct hb_chain quadruple(struct hb_rng *rng)
{
  double m[4];
  struct hierarchy_orbit inner[2], outer;
  struct hb_chain c;
  for (int k = 0; k < 4; k++) m[k] = 0.3 + hb_rng_uniform(rng);
  hierarchy_draw(rng, 0.01, 0.8 * hb_rng_uniform(rng), inner);
  hierarchy_draw(rng, 1, 0.8 * hb_rng_uniform(rng), inner + 1);
  hierarchy_draw(rng, 20, 0.2, &outer);
  hierarchy_make(4, m, inner, &outer, &c);
  return c;
}

/* Returns the place in the chain of the first member of pair 0 or 1 of a quadruple. */
static size_t place_of(const struct hb_chain *c, uint32_t pair) { return c->member[0] / 2 == pair ? 0 : 2; }

/* Sets X[3] to the place of the center of members k and k + 1. */
static void center_of(const struct hb_chain *c, size_t k, double X[3])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], share = c->m[k + 1] / (c->m[k] + c->m[k + 1]);
  hb_chain_places(c, x, v);
  for (size_t i = 0; i < 3; i++) X[i] = (1 - share) * x[3 * k + i] + share * x[3 * k + 3 + i];
}

static double difference(const double p[3], const double q[3])
{
  const double d[] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
  return hb_norm(d);
}

/* A link below `least` makes one point of the close pair, at its center; the members of the slow pair stay where they are. In a longer time the
 * slow one is eight points at rest, too. Negative control: with a smaller `least` the close pair is not one point. */
static void close_pairs_are_one_point(void **state)
{
  (void)state;
  static const double least = 0.03, short_time = 0.1, long_time = 10;
  struct hb_rng rng = hb_rng_seeded(4);
  for (int k = 0; k < 100; k++) {
    const struct hb_chain c = quadruple(&rng);
    struct hb_chain_point point[POINTS_MOST];
    double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], X[3];
    size_t close = place_of(&c, 0), slow = place_of(&c, 1), first = close == 0 ? 0 : 2;
    hb_chain_places(&c, x, v);
    center_of(&c, close, X);
    assert_int_equal(hb_chain_tide_points_of(&c, least, short_time, point), 3);
    expect_near(point[first].m, c.m[close] + c.m[close + 1], 1e-15);
    expect_at_most(difference(point[first].x, X), 1e-14);
    for (size_t l = 0; l < 2; l++) {
      const struct hb_chain_point *p = point + (close == 0 ? 1 : 0) + l;
      expect_equal(p->m, c.m[slow + l]);
      assert_memory_equal(p->x, x + 3 * (slow + l), sizeof p->x);
      assert_memory_equal(p->v, v + 3 * (slow + l), sizeof p->v);
    }
    assert_int_equal(hb_chain_tide_points_of(&c, least, long_time, point), 9);
    assert_int_equal(hb_chain_tide_points_of(&c, least / 1e4, short_time, point), 10);
  }
}

/* A pair that is faster than the time is eight points, whose center moves as the pair does and whose quadrupole is that of the mean orbit. The
 * time is that in which the mean anomaly grows by 1: in a little less the members are two points that move. */
static void fast_pairs_are_orbits(void **state)
{
  (void)state;
  static const unsigned char row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  struct hb_rng rng = hb_rng_seeded(5);
  for (int k = 0; k < 100; k++) {
    const struct hb_chain c = quadruple(&rng);
    struct hb_chain pair;
    struct hb_chain_point point[POINTS_MOST], *p = point;
    double X[3], Q[6], M, time, center[3] = {0};
    size_t slow = place_of(&c, 1);
    hb_chain_extract(&c, slow, 2, &pair);
    hb_quadrupole_of_orbit(&pair, Q);
    center_of(&c, slow, X);
    M = hb_chain_mass(&pair), time = pow(hb_chain_span(&pair) / 2, 1.5) / sqrt(M);
    assert_int_equal(hb_chain_tide_points_of(&c, 0.03, 0.999 * time, point), 3);
    assert_int_equal(hb_chain_tide_points_of(&c, 0.03, 1.001 * time, point), 9);
    if (slow > 0) p++;
    for (int l = 0; l < 8; l++)
      for (int i = 0; i < 3; i++) center[i] += p[l].m / M * p[l].x[i];
    expect_at_most(difference(center, X), 1e-13);
    for (int q = 0; q < 6; q++) {
      double sum = 0;
      for (int l = 0; l < 8; l++)
        sum += p[l].m * (p[l].x[row[q]] - X[row[q]]) * (p[l].x[column[q]] - X[column[q]]);
      expect_at_most(fabs(sum - Q[q]), 1e-13);
    }
    for (int l = 1; l < 8; l++) assert_memory_equal(p[l].v, p[0].v, 9 * sizeof(double));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closest_pairs_are_marked), cmocka_unit_test(marks_stay),
      cmocka_unit_test(centers_are_kept),         cmocka_unit_test(close_pairs_are_one_point),
      cmocka_unit_test(short_links_join),         cmocka_unit_test(orbits_keep_neighbors_apart),
      cmocka_unit_test(fast_pairs_are_orbits),
  };
  return cmocka_run_group_tests_name("chain_points", tests, NULL, NULL);
}
