/* What a run remembers of itself: bounded, even in time, exact where it has a state and of fourth order between two. */
#include "support/support.h"

#include "render/history.h"

#include <math.h>

enum { N = 3 };

/* Bodies on circles of radius 1, 2, 3. */
static void circle(double t, double *x, double *v)
{
  for (size_t k = 0; k < N; k++) {
    double r = (double)k + 1, w = 1 / r;
    x[3 * k] = r * cos(w * t), x[3 * k + 1] = r * sin(w * t), x[3 * k + 2] = t;
    v[3 * k] = -sin(w * t), v[3 * k + 1] = cos(w * t), v[3 * k + 2] = 1;
  }
}

static void add(struct hb_history *h, double t)
{
  double x[3 * N], v[3 * N];
  circle(t, x, v);
  ASSERT_OK(hb_history_add(h, t, x, v));
}

static double error_at(const struct hb_history *h, double t)
{
  double x[3 * N], v[3 * N], right[3 * N], speed[3 * N], worst = 0;
  hb_history_at(h, t, x, v);
  circle(t, right, speed);
  for (size_t k = 0; k < 3 * N; k++) worst = fmax(worst, fabs(x[k] - right[k]));
  return worst;
}

static double worst_between(double step)
{
  struct hb_history h = {0};
  double worst = 0;
  ASSERT_OK(hb_history_open(N, 1 << 20, 512, &h));
  for (double t = 0; t <= 1; t += step) add(&h, t);
  for (double t = 0; t <= 1; t += step / 7) worst = fmax(worst, error_at(&h, t));
  hb_history_close(&h);
  return worst;
}

static void test_cubic(void **state)
{
  (void)state;
  double coarse = worst_between(0x1p-3), fine = worst_between(0x1p-4);
  expect_below(coarse, 1e-6);
  expect_above(coarse / fine, 14); /* 2^4 */
  expect_below(coarse / fine, 18);
}

static void test_bounded(void **state)
{
  (void)state;
  struct hb_history h = {0};
  ASSERT_OK(hb_history_open(N, 0, 512, &h)); /* as few as there may be */
  size_t most = h.most;
  expect_equal(most, 16);
  for (int k = 0; k <= 10000; k++) {
    add(&h, k / 1024.0);
    expect_at_most(h.count, most);
    expect_equal(h.t[h.count - 1], k / 1024.0); /* the present */
  }
  expect_equal(h.t[0], 0);
  double least = INFINITY, longest = 0;
  for (size_t k = 1; k + 1 < h.count; k++) {
    least = fmin(least, h.t[k] - h.t[k - 1]);
    longest = fmax(longest, h.t[k] - h.t[k - 1]);
    expect_below(error_at(&h, h.t[k]), 1e-15);
  }
  expect_at_least(h.count, most / 2);
  expect_at_most(longest / least, 2.5);
  for (int k = 0; k < 8; k++)
    add(&h, k / 1024.0 - 1); /* another run is not thinned by the last one's spacing */
  expect_equal(h.count, 8);
  hb_history_close(&h);
}

/* A run that goes on from an earlier moment. */
static void test_branch(void **state)
{
  (void)state;
  struct hb_history h = {0};
  ASSERT_OK(hb_history_open(N, 1 << 20, 512, &h));
  for (int k = 0; k < 100; k++) add(&h, k);
  expect_equal(hb_history_before(&h, 41.5), 41);
  expect_equal(hb_history_before(&h, -3), 0);
  expect_equal(hb_history_before(&h, 1e9), 99);
  add(&h, 41.25);
  expect_equal(h.count, 43);
  expect_equal(h.t[42], 41.25);
  expect_equal(h.t[41], 41);
  hb_history_close(&h);
}

static enum hb_status work(void *data)
{
  struct hb_history h = {0};
  double x[3 * N] = {0};
  (void)data;
  enum hb_status status = hb_history_open(N, 0, 512, &h);
  for (int k = 0; k < 40 && status == HB_OK; k++) status = hb_history_add(&h, k, x, x);
  hb_history_close(&h);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  support_survives_lack_of_memory(work, NULL, 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cubic), cmocka_unit_test(test_bounded),
                                     cmocka_unit_test(test_branch), cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
