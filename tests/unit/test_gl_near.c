/* Nearest sources and neighbor lists, proposed by the device and decided by the host, against a loop over all pairs in
 * double: the same numbers, whatever the particles are like. */
#include "base/parallel.h"
#include "force/near.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { MOST = 20000, MOST_POINTS = 5000 };

static struct {
  const char *name;
  size_t nj, ni;
  double x[3 * MOST], xi[3 * MOST_POINTS], h2[MOST_POINTS];
  uint32_t own[MOST_POINTS];
} set;

static double uniform(void) /* in -1 .. 1; tests do not rely on the library's generator */
{
  static uint64_t state = 11;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ldexp((double)(state >> 11), -52) - 1;
}

/* ---- sets ---- */

/* The first `inside` points are sources that leave themselves out, the others lie anywhere. */
static void begin(const char *name, size_t nj, size_t inside, size_t ni)
{
  set.name = name;
  set.nj = nj;
  set.ni = ni;
  for (size_t i = 0; i < ni; i++) set.own[i] = i < inside ? (uint32_t)(i * (nj / inside)) : HB_NO_SOURCE;
}

static double square(size_t i, size_t j)
{
  double sum = 0;
  for (size_t c = 0; c < 3; c++) {
    double d = set.x[3 * j + c] - set.xi[3 * i + c];
    sum += d * d;
  }
  return sum;
}

/* To be called when the sources are made. Some lists are empty, some long; some radii end exactly at a source, or just
 * behind it. */
static void finish(double h)
{
  for (size_t i = 0; i < set.ni; i++) {
    double *xi = set.xi + 3 * i;
    for (size_t c = 0; c < 3; c++)
      xi[c] = set.own[i] == HB_NO_SOURCE ? set.x[3 * (i % set.nj) + c] + h * uniform()
                                         : set.x[3 * set.own[i] + c];
    size_t edge = (set.own[i] == HB_NO_SOURCE ? i : set.own[i] + (size_t)1) % set.nj;
    double radii[] = {0, -1, h * h / 4, h * h, 4 * h * h, square(i, edge)};
    set.h2[i] = i % 7 == 6 ? nextafter(radii[5], INFINITY) : radii[i % 7];
  }
}

static void make_plummer(size_t nj, size_t inside, size_t ni, double shift, double unit)
{
  begin("plummer", nj, inside, ni);
  for (size_t j = 0; j < nj; j++) {
    double d[3], length = 2;
    while (length > 1 || length < 0.01) {
      for (size_t c = 0; c < 3; c++) d[c] = uniform();
      length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    double u = (1 + uniform()) / 2 * 0.999 + 1e-4, r = 1 / sqrt(pow(u, -2. / 3) - 1);
    for (size_t c = 0; c < 3; c++) set.x[3 * j + c] = shift + unit * r * d[c] / length;
  }
  finish(0.1 * unit);
}

/* Pairs 1e-6, 1e-9 and 1e-13 apart among distances of 1, and one source far away: floats cannot tell who is whose. */
static void make_pairs(void)
{
  begin("pairs", 1500, 300, 340);
  for (size_t j = 0; j < set.nj; j += 3) {
    static const double apart[] = {1e-6, 1e-9, 1e-13};
    for (size_t c = 0; c < 3; c++) {
      double center = 3 * uniform(), h = apart[j / 3 % 3];
      for (size_t k = 0; k < 3; k++) set.x[3 * (j + k) + c] = center + h * uniform();
    }
  }
  for (size_t c = 0; c < 3; c++) set.x[c] = 1e9;
  finish(1e-6);
}

/* Whole numbers: most distances come several times, many are 0. */
static void make_lattice(void)
{
  begin("lattice", 1200, 200, 230);
  for (size_t k = 0; k < 3 * set.nj; k++) set.x[k] = floor(4 * uniform());
  finish(1);
  for (size_t i = 0; i < set.ni; i++) {
    for (size_t c = 0; c < 3; c++) set.xi[3 * i + c] = floor(set.xi[3 * i + c]);
    set.h2[i] = (double)(i % 5); /* r^2 == h2 is often the case */
  }
}

/* Whole numbers near the surface of a ball, which float holds, and their distances from its center, which it does not. */
static void make_shell(void)
{
  begin("shell", 12000, 1, 60);
  for (size_t j = 0; j < set.nj; j++) {
    double *x = set.x + 3 * j;
    x[0] = floor(28000 * uniform()), x[1] = floor(28000 * uniform());
    x[2] = floor(sqrt(16e8 - x[0] * x[0] - x[1] * x[1]));
  }
  finish(0);
  for (size_t i = 0; i < set.ni; i++) {
    for (size_t c = 0; c < 3; c++) set.xi[3 * i + c] = floor(2 * uniform());
    set.h2[i] = square(i, 7 * i) + (double)(i % 2);
  }
}

static void make_heap(void)
{
  begin("heap", 400, 100, 120);
  for (size_t k = 0; k < 3 * set.nj; k++) set.x[k] = 0.3;
  finish(0);
  for (size_t i = 0; i < set.ni; i++) set.h2[i] = i % 2 ? 1e-300 : 0;
}

/* What is not finite, or so large or small that squares leave the range of float. */
static void make_wild(void)
{
  static const double numbers[] = {NAN, INFINITY, 1e200, -1e160, 1e38,   1e20, 1e15,
                                   1,   1e-3,     1e-20, 1e-38,  1e-200, 0};
  begin("wild", 900, 90, 120);
  for (size_t k = 0; k < 3 * set.nj; k++)
    set.x[k] = k % 6 ? uniform() : numbers[k / 6 % COUNT_OF(numbers)] * uniform();
  finish(0.5);
  set.h2[1] = INFINITY, set.h2[2] = NAN, set.h2[8] = 1e300, set.h2[9] = 1e-310;
  for (size_t k = 0; k < COUNT_OF(numbers); k++) set.xi[3 * k + 300] = numbers[k];
}

/* ---- the answers ---- */

static uint32_t nearest[MOST_POINTS];
static double r2[MOST_POINTS];
static struct hb_near_lists lists;

static void check_point(size_t i, size_t most)
{
  uint32_t best = HB_NO_SOURCE, count = 0;
  double least = INFINITY;
  for (uint32_t j = 0; j < set.nj; j++) {
    double d2 = square(i, j);
    if (j == set.own[i]) continue;
    if (d2 < least) least = d2, best = j;
    if (!(d2 < set.h2[i])) continue;
    if ((!most || count < most) &&
        (lists.start[i] + count >= lists.start[i + 1] || lists.source[lists.start[i] + count] != j))
      fail_msg("%s: source %u is not in the list of point %zu", set.name, j, i);
    count++;
  }
  if (nearest[i] != best || memcmp(&r2[i], &least, sizeof least) != 0)
    fail_msg("%s: the nearest of point %zu is %u at %.17g, expected %u at %.17g", set.name, i, nearest[i],
             r2[i], best, least);
  if (lists.count[i] != count)
    fail_msg("%s: point %zu has %u neighbors, expected %u", set.name, i, lists.count[i], count);
  assert_int_equal(lists.start[i + 1] - lists.start[i], most && count > most ? most : count);
}

static void ask(struct hb_near *near, size_t most)
{
  const struct hb_near_points points = {set.ni, set.xi, set.own};
  ASSERT_OK(hb_near_nearest(near, &points, nearest, r2));
  ASSERT_OK(hb_near_find(near, &points, set.h2, most, &lists));
  assert_int_equal(lists.ni, set.ni);
  for (size_t i = 0; i < set.ni; i++) check_point(i, most);
}

/* Both by the device and by the host alone. */
static void check(size_t most)
{
  struct hb_gl_context *contexts[] = {pairs_context(), NULL};
  for (size_t k = 0; k < COUNT_OF(contexts); k++) {
    struct hb_near *near;
    ASSERT_OK(hb_near_create(contexts[k], &near));
    ASSERT_OK(hb_near_set_j(near, set.nj, set.x));
    ask(near, most);
    hb_near_destroy(near);
  }
}

static void test_random(void **state)
{
  (void)state;
  make_plummer(1500, 300, 400, 0, 1);
  check(0);
  check(5);
  make_plummer(700, 100, 120, 1e6, 1); /* far from the origin */
  check(0);
  make_plummer(700, 100, 120, 0, 1e25); /* in units in which r^2 is no float */
  check(0);
  make_plummer(700, 100, 120, 0, 1e-40);
  check(0);
}

static void test_many(void **state)
{
  (void)state;
  make_plummer(MOST, 3, 5, 0, 1); /* few points, many segments */
  check(0);
  make_plummer(300, 50, MOST_POINTS, 0, 1); /* two portions */
  check(0);
}

/* The answer of float alone, which must be wrong here if the test is to mean anything. */
static size_t wrong_in_float(void)
{
  size_t wrong = 0;
  for (size_t i = 0; i < set.ni; i++) {
    float least = INFINITY;
    uint32_t best = HB_NO_SOURCE;
    for (uint32_t j = 0; j < set.nj; j++) {
      float d2 = 0;
      for (size_t c = 0; c < 3; c++) {
        float d = (float)set.x[3 * j + c] - (float)set.xi[3 * i + c];
        d2 += d * d;
      }
      if (j != set.own[i] && d2 < least) least = d2, best = j;
    }
    wrong += best != nearest[i];
  }
  return wrong;
}

static void test_close_pairs(void **state)
{
  (void)state;
  make_pairs();
  check(0);
  expect_above(wrong_in_float(), set.ni / 4);
}

static void test_degenerate(void **state)
{
  (void)state;
  make_lattice();
  check(0);
  check(3);
  make_shell();
  check(0);
  make_heap();
  check(0);
  make_wild();
  check(0);
  make_plummer(1, 1, 4, 0, 1); /* one source, which is its own point's only one */
  check(0);
  make_plummer(600, 60, 90, 0, 1);
  for (size_t i = 0; i < set.ni; i++) set.h2[i] = 1e9; /* all are neighbors */
  check(0);
  for (size_t i = 0; i < set.ni; i++) set.h2[i] = 0;
  check(0);
}

static void test_no_sources_no_points(void **state)
{
  (void)state;
  make_plummer(10, 2, 4, 0, 1);
  set.nj = 0;
  check(0); /* none is anyone's neighbor */
  set.nj = 10;
  set.ni = 0;
  check(0);
}

/* ---- what the device is for ---- */

static size_t placed;
static void place(void *owner, size_t from, size_t to, double *x)
{
  (void)owner;
  placed += to - from;
  memcpy(x, set.x + 3 * from, 3 * (to - from) * sizeof *x);
}
static enum hb_status fill(void *owner, struct hb_near_device *device)
{
  (void)owner;
  return hb_near_device_send(device, set.nj, set.x);
}

/* The host looks at hardly more than the answers; and a set of which the device says nothing would take all pairs. */
static void test_host_has_little_to_do(void **state)
{
  (void)state;
  const struct hb_near_sources sources = {.nj = 20000, .place = place, .fill = fill};
  struct hb_near *near;
  make_plummer(sources.nj, 1000, 1000, 0, 1);
  const struct hb_near_points points = {set.ni, set.xi, set.own};
  ASSERT_OK(hb_near_create(pairs_context(), &near));
  hb_near_set_sources(near, &sources);
  hb_parallel_set_threads(1); /* `placed` is counted without a lock */
  placed = 0;
  ASSERT_OK(hb_near_nearest(near, &points, nearest, r2));
  if (placed > 2 * set.ni) fail_msg("the host computed %zu distances for %zu points", placed, set.ni);
  placed = 0;
  ASSERT_OK(hb_near_find(near, &points, set.h2, 0, &lists));
  size_t found = lists.start[set.ni];
  expect_above(found, set.ni); /* twice: counted, then stored */
  if (placed > 2 * 32 * found) fail_msg("the host computed %zu distances for %zu neighbors", placed, found);
  for (size_t i = 0; i < set.ni; i += 50) check_point(i, 0);
  hb_parallel_set_threads(0);
  hb_near_destroy(near);
}

/* ---- when things go wrong ---- */

static void test_lost_draws(void **state)
{
  (void)state;
  struct hb_near *near;
  make_plummer(1000, 100, 100, 0, 1);
  const struct hb_near_points points = {set.ni, set.xi, set.own};
  ASSERT_OK(hb_near_create(pairs_context(), &near));
  ASSERT_OK(hb_near_set_j(near, set.nj, set.x));
  ask(near, 0); /* leaves whole results behind */
  for (int lists_too = 0; lists_too < 2; lists_too++) {
    pairs_draws_begin(1 + (pairs_context()->caps.has_counts ? 0 : lists_too));
    if (!pairs_context()->caps.has_counts) { /* what a lost draw leaves has the host look at every source */
      ask(near, 0);
      assert_in_range(pairs_draws_end(), 2, 100);
      continue;
    }
    enum hb_status status = lists_too ? hb_near_find(near, &points, set.h2, 0, &lists)
                                      : hb_near_nearest(near, &points, nearest, r2);
    assert_int_equal(pairs_draws_end(), 1);
    assert_int_equal(status, HB_ERR_DEVICE);
    assert_non_null(strstr(hb_error(), " dropped a draw: only 0 of "));
    ask(near, 0); /* and the next ones are right */
  }
  hb_near_destroy(near);
}

static enum hb_status whole_life(void *data)
{
  (void)data;
  struct hb_near *near;
  const struct hb_near_points points = {set.ni, set.xi, set.own};
  HB_TRY(hb_near_create(pairs_context(), &near));
  struct hb_near_lists some = {0};
  enum hb_status status = hb_near_set_j(near, set.nj, set.x);
  if (status == HB_OK) status = hb_near_nearest(near, &points, nearest, r2);
  if (status == HB_OK) status = hb_near_find(near, &points, set.h2, 0, &some);
  hb_near_lists_free(&some);
  hb_near_destroy(near);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  make_plummer(50, 10, 12, 0, 1);
  support_survives_lack_of_memory(whole_life, NULL, 6);
}

static void test_limits(void **state)
{
  (void)state;
  struct hb_gl_caps *caps = &pairs_context()->caps, kept = *caps;
  struct hb_near *near;
  make_plummer(1000, 10, 12, 0, 1);
  ASSERT_OK(hb_near_create(pairs_context(), &near));
  ASSERT_OK(hb_near_set_j(near, set.nj, set.x));
  caps->max_texture_buffer_size = 999;
  ASSERT_FAILS(hb_near_nearest(near, &(const struct hb_near_points){set.ni, set.xi, set.own}, nearest, r2),
               HB_ERR_GL,
               "neighbors among 1000 sources need a buffer texture of as many texels, the limit of ");
  *caps = kept;
  caps->max_texture_size = 2; /* two columns, two rows */
  ask(near, 0);
  *caps = kept;
  ASSERT_FAILS(hb_near_set_j(near, (size_t)INT32_MAX + 1, set.x), HB_ERR_USAGE, "expected below 2^31");
  hb_near_destroy(near);
}

static int tear_down(void **state)
{
  (void)state;
  hb_near_lists_free(&lists);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_close_pairs),
      cmocka_unit_test(test_degenerate),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_no_sources_no_points),
      cmocka_unit_test(test_host_has_little_to_do),
      cmocka_unit_test(test_lost_draws),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_limits),
  };
  return RUN_TESTS(tests, 3, NULL, tear_down);
}
