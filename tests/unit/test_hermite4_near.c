/* Near and far parts: what changes lists changes no sum of them. Sums of the reference are in long double. */
#include "base/parallel.h"
#include "force/force.h"
#include "support/step_case.h"
#include "support/support.h"

#include <holmberg/holmberg.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 512, NEIGHBORS = 32 };
static const double eps = 1e-3;

/* Relative to the pulls themselves, near and far. Rounding to double is 1e-16 of each. */
static const double jump = 1e-13;

/* A cluster with masses and lists, some block steps after its start; of pairs, too, which are groups. */
static struct hb_hermite4 *cluster_of(unsigned seed, int steps, double binaries)
{
  const struct hb_sim_params params = {.eta = 0.01,
                                       .eta_far = 0.0075,
                                       .dt_max = 0.125,
                                       .dt_min = ldexp(1, -30),
                                       .first_step = HB_FIRST_STEP_EQ9,
                                       .encounters = binaries > 0 ? HB_ENCOUNTERS_GROUPS : HB_ENCOUNTERS_NONE,
                                       .neighbors = NEIGHBORS};
  struct hb_ic_params ic = {
      .n = N, .seed = seed, .cluster = {.masses = "kroupa", .mass_max = 50, .binaries = binaries}};
  struct hb_particles *p;
  struct hb_hermite4 *h;
  assert_int_equal(hb_ic_make("plummer", &ic, &p), HB_OK);
  assert_int_equal(step_hermite4(p, &params, step_host(binaries > 0 ? 0 : eps), &h), HB_OK);
  hb_particles_destroy(p);
  for (int s = 0; s < steps; s++) assert_int_equal(step_hermite4_step(h), HB_OK);
  return h;
}

static struct hb_hermite4 *cluster(unsigned seed, int steps) { return cluster_of(seed, steps, 0); }

struct sum {
  long double a[3], j[3], scale[2]; /* and of the parts' a and j */
};

static long double norm(const long double v[3]) { return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* Places of i at tick T. */
static void place(const struct hb_hermite4 *h, uint64_t T, uint32_t i, double x[3], double v[3])
{
  const struct hb_span dt =
      hb_span_of(hb_hermite4_span(h, T - hb_blocks_level_time(h->blocks, h->blocks->level[i])));
  hb_hermite4_predict(h, i, &dt, x, v);
}

static void add_pull(const struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t s, int sign,
                     struct sum *sum)
{
  double x[2][3], v[2][3];
  long double r[3], w[3], r2 = (long double)eps * eps, rw = 0, a[3], j[3];
  place(h, T, i, x[0], v[0]);
  place(h, T, s, x[1], v[1]);
  for (int c = 0; c < 3; c++) {
    r[c] = (long double)x[1][c] - x[0][c], w[c] = (long double)v[1][c] - v[0][c];
    r2 += r[c] * r[c], rw += r[c] * w[c];
  }
  long double q = h->particles->m[s] / (r2 * sqrtl(r2));
  for (int c = 0; c < 3; c++) {
    a[c] = q * r[c], j[c] = q * (w[c] - 3 * rw / r2 * r[c]);
    sum->a[c] += sign * a[c], sum->j[c] += sign * j[c];
  }
  sum->scale[0] += norm(a), sum->scale[1] += norm(j);
}

/* What i feels at tick T, at which no step ends: by its list, and the far part. */
static struct sum felt(struct hb_hermite4 *h, uint64_t T, uint32_t i)
{
  struct sum sum = {.scale = {0}};
  struct hb_pull far;
  size_t count = h->near->count[i];
  const uint32_t *list = hb_near_list(h->near, i);
  h->block[0] = i;
  assert_int_equal(hb_hermite4_near.begin_block(h, T, 1), 0);
  hb_hermite4_near.far(h, 0, T, &far);
  for (int c = 0; c < 3; c++) sum.a[c] = far.a[c], sum.j[c] = far.k[c];
  sum.scale[0] = norm(sum.a), sum.scale[1] = norm(sum.j);
  for (size_t k = 0; k < count; k++) add_pull(h, T, i, list[k], 1, &sum);
  return sum;
}

/* The larger difference of a and j, relative to what they are sums of. */
static double difference(const struct sum *p, const struct sum *q)
{
  long double a[3], j[3];
  for (int c = 0; c < 3; c++) a[c] = p->a[c] - q->a[c], j[c] = p->j[c] - q->j[c];
  return (double)fmaxl(norm(a) / p->scale[0], norm(j) / p->scale[1]);
}

static int is_listed(const struct hb_hermite4 *h, uint32_t i, uint32_t s)
{
  size_t count = h->near->count[i], k = 0;
  const uint32_t *list = hb_near_list(h->near, i);
  while (k < count && list[k] != s) k++;
  return k < count;
}

static void expect_ascending(const struct hb_hermite4 *h, uint32_t i)
{
  size_t count = h->near->count[i];
  const uint32_t *list = hb_near_list(h->near, i);
  for (size_t k = 1; k < count; k++) expect_above(list[k], list[k - 1]);
}

static uint32_t nearest_to(const struct hb_hermite4 *h, uint64_t T, uint32_t i)
{
  double x[3], v[3], y[3], least = INFINITY;
  uint32_t nearest = i;
  place(h, T, i, x, v);
  for (uint32_t k = 0; k < N; k++) {
    place(h, T, k, y, v);
    double r2 = pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2);
    if (k != i && r2 < least) least = r2, nearest = k;
  }
  return nearest;
}

/* A tick at which no step ends, and xp vp of those two. */
static uint64_t between_steps(struct hb_hermite4 *h, uint32_t i, uint32_t k)
{
  uint64_t T = h->blocks->now + 1;
  hb_hermite4_near.begin_block(h, T, 0);
  hb_hermite4_near_need(h, i);
  hb_hermite4_near_need(h, k);
  return T;
}

/* ---- nodes that join and split ---- */

static void test_who_will_be_one_node_is_in_the_same_lists(void **state)
{
  (void)state;
  static struct sum before[N];
  for (unsigned seed = 1; seed <= 3; seed++) {
    struct hb_hermite4 *h = cluster(seed, 40);
    size_t moved = 0;
    double most = 0, unmoved = 0;
    for (uint32_t i = 0; i < N; i += 31) {
      uint32_t k = nearest_to(h, h->blocks->now + 1, i);
      uint64_t T = between_steps(h, i, k);
      size_t alone = 0;
      for (uint32_t o = 0; o < N; o++) {
        before[o] = felt(h, T, o);
        if (o == i || o == k || is_listed(h, o, i) == is_listed(h, o, k)) continue;
        struct sum wrong = before[o]; /* negative control: a list that changes alone */
        add_pull(h, T, o, is_listed(h, o, i) ? k : i, 1, &wrong);
        unmoved = fmax(unmoved, difference(&before[o], &wrong));
        alone++;
      }
      hb_hermite4_near_unite(h, T, i, k);
      for (uint32_t o = 0; o < N; o++) {
        if (o == i || o == k) continue;
        const struct sum after = felt(h, T, o);
        most = fmax(most, difference(&before[o], &after));
        expect_equal(is_listed(h, o, i), is_listed(h, o, k));
        expect_ascending(h, o);
      }
      moved += alone;
    }
    expect_above(moved, 100);
    expect_above(unmoved, 1e-6);
    expect_below(most, jump);
    step_finish(h);
  }
}

/* ---- those who have gone ---- */

static void test_who_has_gone_pulls_nobody(void **state)
{
  (void)state;
  static struct sum before[N];
  struct hb_hermite4 *h = cluster(4, 40);
  double most = 0;
  for (uint32_t i = 3; i < N; i += 61) {
    uint64_t T = between_steps(h, i, i);
    for (uint32_t o = 0; o < N; o++) {
      before[o] = felt(h, T, o);
      if (o != i) add_pull(h, T, o, i, -1, &before[o]);
    }
    hb_hermite4_predict_others(h, T, 0);
    assert_int_equal(hb_hermite4_forget(h, T, 1, &i), HB_OK);
    h->particles->m[i] = 0; /* in lists */
    for (uint32_t o = 0; o < N; o++) {
      if (o == i) continue;
      const struct sum after = felt(h, T, o);
      most = fmax(most, difference(&before[o], &after));
    }
  }
  expect_below(most, jump);
  step_finish(h);
}

/* ---- far steps ---- */

/* The pulls of all on i where all were predicted for the last block. */
static struct sum sum_of_all(const struct hb_hermite4 *h, uint32_t i)
{
  struct sum sum = {.scale = {0}};
  for (uint32_t s = 0; s < N; s++) {
    long double r[3], w[3], r2 = (long double)eps * eps, rw = 0, a[3], j[3];
    for (size_t c = 0; c < 3; c++) {
      r[c] = (long double)h->xp[3 * s + c] - h->xp[3 * i + c];
      w[c] = (long double)h->vp[3 * s + c] - h->vp[3 * i + c];
      r2 += r[c] * r[c], rw += r[c] * w[c];
    }
    long double q = s == i ? 0 : h->particles->m[s] / (r2 * sqrtl(r2));
    for (int c = 0; c < 3; c++) {
      sum.a[c] += a[c] = q * r[c];
      sum.j[c] += j[c] = q * (w[c] - 3 * rw / r2 * r[c]);
    }
    sum.scale[0] += norm(a), sum.scale[1] += norm(j);
  }
  return sum;
}

/* Those of the next block whose far steps end with it. */
static size_t next_fars(struct hb_hermite4 *h, uint32_t fars[N])
{
  static uint32_t block[N];
  uint64_t T;
  size_t ni, count = 0;
  assert_int_equal(hb_blocks_next_time(h->blocks, &T), HB_OK);
  hb_blocks_select(h->blocks, T, block, &ni);
  for (size_t b = 0; b < ni; b++) {
    h->block[0] = block[b];
    if (hb_hermite4_near.begin_block(h, T, 1)) fars[count++] = block[b];
  }
  return count;
}

/* What those feel whose far steps have ended, and whose lists are new, is the sum over all. */
static void test_parts_are_all_that_pull(void **state)
{
  (void)state;
  static uint32_t fars[N];
  struct hb_hermite4 *h = cluster(5, 0);
  size_t checked = 0, count;
  double most = 0;
  for (; checked < 2000; checked += count) {
    count = next_fars(h, fars);
    assert_int_equal(step_hermite4_step(h), HB_OK);
    for (size_t k = 0; k < count; k++) {
      const struct sum all = sum_of_all(h, fars[k]);
      struct sum got = {.scale = {0}};
      for (size_t c = 0, i = 3 * (size_t)fars[k]; c < 3; c++) got.a[c] = h->a[i + c], got.j[c] = h->j[i + c];
      most = fmax(most, difference(&all, &got));
    }
  }
  expect_above(h->counts.near.changes, 1000);
  expect_below(most, jump);
  step_finish(h);
}

/* ---- what a block looks at ---- */

static void forget_places(struct hb_hermite4 *h)
{
  for (size_t k = 0; k < 3 * h->n; k++) h->xp[k] = h->vp[k] = NAN;
}

static size_t places_set(const struct hb_hermite4 *h)
{
  size_t set = 0;
  for (size_t i = 0; i < h->n; i++) set += !isnan(h->xp[3 * i]);
  return set;
}

/* Where no far step ends, one thread asks for the places of others one by one, and of few: of who is near a pair. A team predicts all. */
static void test_blocks_look_at_few(void **state)
{
  (void)state;
  hb_parallel_set_threads(1);
  struct hb_hermite4 *h = cluster_of(4, 0, 0.2);
  uint64_t blocks = 0, due = 0, set = 0;
  while (blocks < 1000) {
    const struct hb_sim_counts before = h->counts;
    uint64_t nodes = h->groups->formed + h->groups->dissolved;
    forget_places(h);
    assert_int_equal(step_hermite4_step(h), HB_OK);
    if (h->counts.near.full_blocks > before.near.full_blocks ||
        nodes != h->groups->formed + h->groups->dissolved)
      continue;
    blocks++;
    due += h->counts.particle_steps - before.particle_steps;
    set += places_set(h);
  }
  expect_above(h->groups->count, 20);
  expect_at_least(set, due);
  expect_at_most(set, due + blocks * N / 16);
  step_finish(h);
  hb_parallel_set_threads(0);
}

/* Several threads ask at once how long a group's step may be: asking sets nothing. */
static void test_limits_set_nothing(void **state)
{
  (void)state;
  struct hb_hermite4 *h = cluster_of(4, 64, 0.2);
  expect_above(h->groups->count, 0);
  h->groups->nodes.dt_min = -1;
  for (size_t k = 0; k < h->groups->count; k++)
    expect_above(hb_hermite4_limited(h, h->groups->at[k].node, 1), 0);
  expect_equal(h->groups->nodes.dt_min, -1);
  struct hb_force *force = h->force;
  step_hermite4_destroy(h);
  hb_force_close(force);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits_set_nothing),
      cmocka_unit_test(test_who_will_be_one_node_is_in_the_same_lists),
      cmocka_unit_test(test_who_has_gone_pulls_nobody),
      cmocka_unit_test(test_parts_are_all_that_pull),
      cmocka_unit_test(test_blocks_look_at_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
