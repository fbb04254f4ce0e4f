/* host-simd: the battery, accuracy, and the same bits from any block and any number of threads, for every
 * precision and every instruction set of this machine. */
#include "support/battery.h"
#include "base/parallel.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *label;
} versions[] = {{"avx512", "AVX-512"}, {"avx2", "AVX2"}, {"baseline", "baseline"}};
static const char *const precisions[] = {"single", "ds"};

static struct hb_force *open_force(const char *scheme, const char *precision, double eps)
{
  const struct hb_force_params params = {.scheme = scheme, .precision = precision, .eps = eps};
  struct hb_force *force;
  ASSERT_OK(hb_force_open(&params, &force));
  return force;
}

/* Asks for a version; 0: this machine lacks it and would take the next one. */
static int choose(size_t version)
{
  setenv("HB_SIMD", versions[version].name, 1);
  struct hb_force *force = open_force("host-simd", NULL, 0);
  int has = strstr(hb_force_device(force), versions[version].label) != NULL;
  hb_force_close(force);
  return has;
}

/* Runs the case for each version this machine has and each precision. */
static void for_all(void (*run)(const char *precision))
{
  for (size_t k = 0; k < COUNT_OF(versions); k++)
    if (choose(k))
      for (size_t p = 0; p < COUNT_OF(precisions); p++) run(precisions[p]);
  unsetenv("HB_SIMD");
}

/* ---- particles and forces ---- */

enum { MOST = 65536 };
static double m[MOST], x[3 * MOST], v[3 * MOST];
static uint32_t all[MOST];

struct result {
  double a[3 * MOST], j[3 * MOST], phi[MOST];
};
static struct result right, got;

/* n particles at random in a cube. */
static void fill(size_t n)
{
  uint32_t state = 1;
  for (size_t i = 0; i < n; i++) {
    m[i] = 1. / (double)n;
    all[i] = (uint32_t)i;
    for (size_t k = 0; k < 6; k++) {
      state = state * 1664525u + 1013904223u;
      (k < 3 ? x + 3 * i : v + 3 * i - 3)[k] = state / 2147483648. - 1;
    }
  }
}

static void fill_plummer(size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 1}, &p));
  fill(n);
  memcpy(m, hb_particles_m(p), n * sizeof *m);
  memcpy(x, hb_particles_x(p), 3 * n * sizeof *x);
  memcpy(v, hb_particles_v(p), 3 * n * sizeof *v);
  hb_particles_destroy(p);
}

static void evaluate(struct hb_force *force, size_t ni, const uint32_t *index, struct result *result)
{
  ASSERT_OK(hb_force_eval(force, ni, index, result->a, result->j, result->phi));
}

static void evaluate_once(const char *scheme, const char *precision, double eps, size_t n, size_t ni,
                          struct result *result)
{
  struct hb_force *force = open_force(scheme, precision, eps);
  ASSERT_OK(hb_force_set_j(force, n, m, x, v));
  evaluate(force, ni, all, result);
  hb_force_close(force);
}

/* ---- the cases ---- */

static void run_battery(const char *precision)
{
  const struct hb_force_params params = {.scheme = "host-simd", .precision = precision};
  battery_run(&params, strcmp(precision, "ds") == 0 ? &battery_ds : &battery_single);
}

static void test_battery(void **state)
{
  (void)state;
  for_all(run_battery);
}

/* A pair's 1 / r is wrong by some 3e-8 rms, its cube by 1e-7; no pair is the whole force, and a float sum of
 * at most 64 terms in line adds less. The control: positions rounded to float move close pairs by more. */
static const double ds_acc_tolerance = 1e-7;

/* Rounding a position of order 1 moves it by 3e-8; the closest neighbours, at some 0.03, turn that into 1e-6
 * of their pull. The control: masses wrong by twice that. */
static const double single_acc_tolerance = 1e-6;

static void run_accuracy(const char *precision)
{
  enum { N = 4096 };
  evaluate_once("host-simd", precision, 1. / 256, N, N, &got);
  double error = support_rms(N, 3, got.a, right.a);
  if (strcmp(precision, "ds") == 0) {
    expect_at_most(error, ds_acc_tolerance);
  } else {
    expect_above(error, ds_acc_tolerance);
    expect_at_most(error, single_acc_tolerance);
    for (size_t k = 0; k < 3 * N; k++) got.a[k] *= 1 + 2 * single_acc_tolerance;
    expect_above(support_rms(N, 3, got.a, right.a), single_acc_tolerance);
  }
}

static void test_accuracy(void **state)
{
  (void)state;
  fill_plummer(4096);
  evaluate_once("host", NULL, 1. / 256, 4096, 4096, &right);
  for_all(run_accuracy);
}

/* Float sums stop at 256 sources, so that potentials at N = 65536 are as good as at 256: 64 terms in line,
 * each addition wrong by 3e-8 rms of a sum half as large: 3e-8 sqrt(64) / 4. The control: one float sum. */
static const double phi_tolerance = 6e-8;

enum { SAMPLE = 64 };

static void run_growth(const char *precision)
{
  evaluate_once("host-simd", precision, 1. / 256, MOST, SAMPLE, &got);
  expect_at_most(support_rms(SAMPLE, 1, got.phi, right.phi), phi_tolerance);
}

static void test_error_does_not_grow(void **state)
{
  (void)state;
  fill(MOST);
  evaluate_once("host", NULL, 1. / 256, MOST, SAMPLE, &right);
  for_all(run_growth);
  for (size_t i = 0; i < SAMPLE; i++) {
    float sum = 0;
    for (size_t k = 0; k < MOST; k++) {
      double r[3] = {x[3 * k] - x[3 * i], x[3 * k + 1] - x[3 * i + 1], x[3 * k + 2] - x[3 * i + 2]};
      if (k != i) sum -= (float)(m[k] / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + 1. / 65536));
    }
    got.phi[i] = sum;
  }
  expect_above(support_rms(SAMPLE, 1, got.phi, right.phi), phi_tolerance);
}

/* Sizes around vectors, parts and segments, without softening: the sink is excluded wherever it is. */
static size_t size;

static void run_size(const char *precision)
{
  evaluate_once("host-simd", precision, 0, size, size, &got);
  expect_below(support_rms(size, 3, got.a, right.a), battery_single.force);
  expect_below(support_rms(size, 3, got.j, right.j), battery_single.force);
  expect_below(support_rms(size, 1, got.phi, right.phi), battery_single.force);
}

static void test_sizes(void **state)
{
  (void)state;
  static const size_t n[] = {2, 15, 16, 17, 255, 256, 257, 511, 513, 2047, 2048, 2049, 2065, 4097};
  for (size_t k = 0; k < COUNT_OF(n); k++) {
    size = n[k];
    fill(size);
    evaluate_once("host", NULL, 0, size, size, &right);
    for_all(run_size);
  }
}

/* Sources without mass are summed last, that is, not at all: as sinks they feel what they did. */
static void test_without_mass(void **state)
{
  (void)state;
  static const size_t n[] = {17, 513, 2065};
  for (size_t k = 0; k < COUNT_OF(n); k++) {
    size = n[k];
    fill(size);
    for (size_t i = 0; i < size; i++)
      if (i % 3 != 1) m[i] = 0;
    evaluate_once("host", NULL, 0, size, size, &right);
    for_all(run_size);
  }
}

/* A block of 700 in one thread against its first 1, 2, ... sinks and other numbers of threads: 17001 sources
 * make nine segments, the last of them short, and are worth threads for a single sink. */
static void run_same_bits(const char *precision)
{
  enum { N = 17001, NI = 700 };
  static const size_t ni[] = {1, 2, 3, 15, 16, 17, 100, NI};
  uint32_t index[NI];
  for (size_t b = 0; b < NI; b++) index[b] = (uint32_t)((b * 7919 + N - 1) % N); /* no common factor */
  struct hb_force *force = open_force("host-simd", precision, 1. / 256);
  ASSERT_OK(hb_force_set_j(force, N, m, x, v));
  hb_parallel_set_threads(1);
  evaluate(force, NI, index, &right);
  for (int threads = 1; threads <= 5; threads++) {
    hb_parallel_set_threads(threads);
    for (size_t k = 0; k < COUNT_OF(ni); k++) {
      evaluate(force, ni[k], index, &got);
      assert_memory_equal(got.a, right.a, 3 * ni[k] * sizeof *got.a);
      assert_memory_equal(got.j, right.j, 3 * ni[k] * sizeof *got.j);
      assert_memory_equal(got.phi, right.phi, ni[k] * sizeof *got.phi);
    }
  }
  hb_parallel_set_threads(0);
  hb_force_close(force);
}

static void test_same_bits(void **state)
{
  (void)state;
  fill(17001);
  for_all(run_same_bits);
}

static void test_version_is_refused(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "host-simd"};
  struct hb_force *force;
  setenv("HB_SIMD", "mmx", 1);
  ASSERT_FAILS(hb_force_open(&params, &force), HB_ERR_USAGE,
               "HB_SIMD is 'mmx', expected avx512, avx2 or baseline");
  assert_null(force);
  unsetenv("HB_SIMD");
}

enum { SHARED = 17001 }; /* sources: enough to share a single sink's out between threads */

static enum hb_status force_of_one(void *data)
{
  (void)data;
  const struct hb_force_params params = {.scheme = "host-simd"};
  struct hb_force *force;
  enum hb_status status = hb_force_open(&params, &force);
  if (status == HB_OK) status = hb_force_set_j(force, SHARED, m, x, v);
  if (status == HB_OK) status = hb_force_eval(force, 1, all, got.a, got.j, got.phi);
  hb_force_close(force);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  fill(SHARED);
  hb_parallel_set_threads(2);
  support_survives_lack_of_memory(force_of_one, NULL, 4);
  hb_parallel_set_threads(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_battery),
      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_error_does_not_grow),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_without_mass),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_version_is_refused),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
