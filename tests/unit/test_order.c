/* Lists of near particles against loops over all of them. */
#include "support/support.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "core/columns.h"
#include "step/hermite4_near.c"

#include <math.h>
#include <string.h>

enum { MOST = 4096 };

struct set {
  size_t n;
  double m[MOST], x[3 * MOST], m_mean;
  struct hb_near_order *order;
};
static struct set s; /* too large for the stack of some machines */

static void mean(void)
{
  s.m_mean = 0;
  for (size_t i = 0; i < s.n; i++) s.m_mean += s.m[i] / (double)s.n;
}

/* Clumps of all sizes around the middle, masses of a power law, every seventh particle without; all that, times `scale`. */
static void fill(size_t n, double scale)
{
  struct hb_rng rng = hb_rng_seeded(n);
  s.n = n;
  for (size_t i = 0; i < n; i++) {
    double v[3], size = pow(2, -(double)(i % 12));
    hb_elementary_three_normals(&rng, v);
    for (int c = 0; c < 3; c++) s.x[3 * i + c] = scale * (size * v[c] + (double)(i / 12 % 5) * 0.3);
    s.m[i] = i % 7 == 3 ? 0 : pow(0.001 + hb_rng_uniform(&rng), -0.9);
  }
  mean();
}

static void open_order(void)
{
  ASSERT_OK(order_create(s.n, &s.order));
  order_weigh(s.order, s.n, s.m, s.m_mean);
  ASSERT_OK(order_sort(s.order, s.x));
}

static double weight(size_t j)
{
  if (s.m[j] == 0) return 0;
  return s.m[j] <= s.m_mean ? 1 : hb_elementary_power(s.m[j] / s.m_mean, 2.0 / 3);
}

static double r2_of(const double *a, const double *b)
{
  double dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2];
  return dx * dx + dy * dy + dz * dz;
}

static size_t brute(const double x[3], double h2, uint32_t own, uint32_t *list)
{
  size_t found = 0;
  for (size_t j = 0; j < s.n; j++)
    if (j != own && r2_of(x, s.x + 3 * j) < h2 * weight(j)) list[found++] = (uint32_t)j;
  return found;
}

static void compare_list(const double x[3], double h2, uint32_t own)
{
  static uint32_t list[MOST], expected[MOST];
  size_t count = brute(x, h2, own, expected);
  expect_equal(order_within(s.order, x, h2, own, MOST, list), count);
  for (size_t k = 0; k < count; k++) expect_equal(list[k], expected[k]);
}

static int ascending(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

static void compare_kth(uint32_t own, size_t k)
{
  static double ratio[MOST];
  size_t count = 0;
  for (size_t j = 0; j < s.n; j++)
    if (j != own && s.m[j] > 0) ratio[count++] = r2_of(s.x + 3 * own, s.x + 3 * j) / weight(j);
  qsort(ratio, count, sizeof *ratio, ascending);
  double expected = count == 0 ? 0 : ratio[k < count ? k - 1 : count - 1];
  expect_equal(order_kth(s.order, s.x + 3 * own, own, k), expected);
}

/* Lists from none to all, of some particles and of places that are nobody's. */
static void compare(void)
{
  size_t step = s.n / 40 + 1;
  for (uint32_t i = 0; i < s.n; i += (uint32_t)step) {
    compare_kth(i, 1);
    compare_kth(i, 64);
    double h2 = order_kth(s.order, s.x + 3 * i, i, 65);
    const double times[] = {0, 1e-4, 0.3, 1, 4, 1e4};
    for (size_t k = 0; k < COUNT_OF(times); k++) compare_list(s.x + 3 * i, times[k] * h2, i);
    double away[3] = {s.x[3 * i] + 0.5 * sqrt(h2), s.x[3 * i + 1], s.x[3 * i + 2] - sqrt(h2)};
    compare_list(away, h2, UINT32_MAX);
  }
}

static void check_places(void)
{
  static char is_taken[MOST];
  memset(is_taken, 0, sizeof is_taken);
  for (size_t i = 0; i < s.n; i++) {
    const uint32_t place = s.order->place[i];
    expect_below(place, s.n);
    expect_equal(is_taken[place]++, 0);
  }
}

/* Every k-th particle vanishes. */
static void drop(size_t k)
{
  static uint32_t number[MOST];
  size_t left = 0;
  for (size_t i = 0; i < s.n; i++) {
    number[i] = i % k == 0 ? HB_COLUMNS_GONE : (uint32_t)left++;
    if (i % k == 0) continue;
    s.m[number[i]] = s.m[i];
    memmove(s.x + 3 * number[i], s.x + 3 * i, 3 * sizeof *s.x);
  }
  order_drop(s.order, number, left);
  s.n = left;
  order_refit(s.order, s.x);
}

/* They move by as much as their distances, so that boxes overlap; some vanish; masses change; a new order. */
static void move_and_compare(void)
{
  struct hb_rng rng = hb_rng_seeded(5);
  open_order();
  check_places();
  compare();
  for (size_t k = 0; k < 3 * s.n; k++) s.x[k] *= 0.9 + 0.2 * hb_rng_uniform(&rng);
  order_refit(s.order, s.x);
  compare();
  drop(3);
  check_places();
  compare();
  for (uint32_t i = 0; i < s.n; i += 5) s.m[i] = i % 2 ? 0 : 100 * s.m_mean;
  order_weigh(s.order, s.n, s.m, s.m_mean);
  compare();
  mean();
  order_weigh(s.order, s.n, s.m, s.m_mean);
  compare();
  ASSERT_OK(order_sort(s.order, s.x));
  check_places();
  compare();
  order_destroy(s.order);
}

static void clustered(void **state)
{
  (void)state;
  const size_t sizes[] = {1, 2, 31, 32, 33, 64, 255, 257, 1000, 2049, 4096};
  for (size_t k = 0; k < COUNT_OF(sizes); k++) {
    fill(sizes[k], 1);
    move_and_compare();
  }
}

static void far_away(void **state)
{
  (void)state;
  const double scales[] = {1e15, 1e-15};
  for (size_t k = 0; k < COUNT_OF(scales); k++) {
    fill(1500, scales[k]);
    move_and_compare();
  }
  fill(700, 1);
  s.x[3 * 17] = 1e15, s.x[3 * 400 + 2] = -1e15;
  move_and_compare();
}

static void same_masses(void **state)
{
  (void)state;
  fill(2000, 1);
  for (size_t i = 0; i < s.n; i++) s.m[i] = 1.0 / 3;
  s.m_mean = 1.0 / 3;
  move_and_compare();
}

static void one_with_mass(void **state)
{
  (void)state;
  fill(900, 1);
  for (size_t i = 0; i < s.n; i++) s.m[i] = i == 123;
  mean();
  move_and_compare();
}

static void same_place(void **state)
{
  (void)state;
  fill(600, 1);
  for (size_t i = 0; i < 300; i++) memcpy(s.x + 3 * i, s.x + 3 * 599, 3 * sizeof *s.x);
  move_and_compare();
}

/* A list that is too short has some of those that are near, and how many there are. */
static void too_many(void **state)
{
  (void)state;
  fill(3000, 1);
  open_order();
  static uint32_t list[101], expected[MOST];
  list[100] = 12345;
  double h2 = order_kth(s.order, s.x, 0, 500);
  size_t count = brute(s.x, h2, 0, expected);
  expect_above(count, 100);
  expect_equal(order_within(s.order, s.x, h2, 0, 100, list), count);
  expect_equal(list[100], 12345);
  for (size_t k = 0, e = 0; k < 100; k++) {
    while (e < count && expected[e] < list[k]) e++;
    expect_equal(list[k], expected[e]);
  }
  order_destroy(s.order);
}

/* Of an order that is some time old. */
static uint64_t hash_of_lists(size_t n, const double *m, const double *x, const double *later)
{
  static uint32_t list[MOST];
  struct hb_near_order *order;
  ASSERT_OK(order_create(n, &order));
  order_weigh(order, n, m, 1);
  ASSERT_OK(order_sort(order, x));
  order_refit(order, later);
  uint64_t hash = support_fnv(SUPPORT_FNV, order->place, n * sizeof(uint32_t));
  for (uint32_t i = 0; i < 200; i++) {
    size_t count = order_within(order, later + 3 * i, 1e-3, i, MOST, list);
    hash = support_fnv(hash, list, (count < MOST ? count : MOST) * sizeof *list);
  }
  order_destroy(order);
  return hash;
}

/* The same order and the same lists on any number of threads. */
static void threads(void **state)
{
  (void)state;
  enum { N = 100000 };
  uint64_t hash[2];
  double *x, *later, *m;
  ASSERT_OK(HB_ALLOC(3 * N, &x));
  ASSERT_OK(HB_ALLOC(3 * N, &later));
  ASSERT_OK(HB_ALLOC(N, &m));
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t k = 0; k < 3 * N; k++) {
    x[k] = hb_rng_uniform(&rng) * hb_rng_uniform(&rng);
    later[k] = x[k] + 0.01 * hb_rng_uniform(&rng);
  }
  for (size_t k = 0; k < N; k++) m[k] = k % 100 ? 1 : 20;
  for (int k = 0; k < 2; k++) {
    hb_parallel_set_threads(k ? 7 : 1);
    hash[k] = hash_of_lists(N, m, x, later);
  }
  hb_parallel_set_threads(0);
  hb_mem_free(x);
  hb_mem_free(later);
  hb_mem_free(m);
  print_message("[ NUMBERS  ] hash %016llx with 1 thread, %016llx with 7\n", (unsigned long long)hash[0],
                (unsigned long long)hash[1]);
  expect_equal(hash[0], hash[1]);
}

static enum hb_status make(void *data)
{
  (void)data;
  struct hb_near_order *order;
  HB_TRY(order_create(s.n, &order));
  order_weigh(order, s.n, s.m, s.m_mean);
  enum hb_status status = order_sort(order, s.x);
  order_destroy(order);
  return status;
}

static void without_memory(void **state)
{
  (void)state;
  fill(100, 1);
  support_survives_lack_of_memory(make, NULL, 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clustered),     cmocka_unit_test(far_away),       cmocka_unit_test(same_masses),
      cmocka_unit_test(one_with_mass), cmocka_unit_test(same_place),     cmocka_unit_test(too_many),
      cmocka_unit_test(threads),       cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
