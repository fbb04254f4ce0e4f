/* Direct summation on the host against a plain long double loop, and its promise of equal bits. */
#include "base/mem.h"
#include "base/rng.h"
#include "base/parallel.h"
#include "core/gravity.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N_MAX = 700, OUT = 7 }; /* ax ay az jx jy jz phi */

/* A term takes about 16 roundings of half an ulp, a lane sum of N / 8 <= 13 terms and the tree 16 more. The
 * scale is the sum of the terms' absolute values. Negative control: positions rounded to float, 6e-8. */
static const double tolerance = 32 * DBL_EPSILON / 2;

static double m[N_MAX], x[3 * N_MAX], v[3 * N_MAX];
static double a[3 * N_MAX], j[3 * N_MAX], phi[N_MAX];
static uint32_t all[N_MAX];

static int make_particles(void **state)
{
  (void)state;
  struct hb_rng rng = hb_rng_seeded(7);
  for (int i = 0; i < N_MAX; i++) {
    all[i] = (uint32_t)i;
    m[i] = exp(6 * hb_rng_uniform(&rng)) / N_MAX;
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      x[k] = 2 * hb_rng_uniform(&rng) - 1;
      v[k] = 2 * hb_rng_uniform(&rng) - 1;
    }
  }
  return 0;
}

static struct hb_gravity *sources(size_t n, const double *positions)
{
  struct hb_gravity *g;
  assert_int_equal(hb_gravity_create(n, &g), HB_OK);
  hb_gravity_set_j(g, n, m, positions, v);
  return g;
}

/* The seven sums on particle i and, in scale, those of the terms' absolute values. */
static void naive(size_t n, const double *positions, double eps2, size_t i, long double f[OUT],
                  long double scale[OUT])
{
  for (int k = 0; k < OUT; k++) f[k] = scale[k] = 0;
  for (size_t s = 0; s < n; s++) {
    if (s == i) continue;
    long double r[3], u[3], r2 = eps2, rv = 0;
    for (int k = 0; k < 3; k++) {
      r[k] = (long double)positions[3 * s + k] - positions[3 * i + k];
      u[k] = (long double)v[3 * s + k] - v[3 * i + k];
      r2 += r[k] * r[k];
      rv += r[k] * u[k];
    }
    long double r1 = sqrtl(r2), r3 = r1 * r2, steep = 3 * sqrtl(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / r1;
    for (int k = 0; k < 3; k++) {
      f[k] += m[s] * r[k] / r3;
      scale[k] += m[s] * fabsl(r[k]) / r3;
      f[3 + k] += m[s] * (u[k] - 3 * rv / r2 * r[k]) / r3;
      scale[3 + k] += m[s] * (fabsl(u[k]) + steep * fabsl(r[k])) / r3;
    }
    f[6] -= m[s] / r1;
    scale[6] += m[s] / r1;
  }
}

/* Largest error of a j phi, as found for the sinks index, in units of the terms' absolute sum. */
static double largest_error(size_t n, const double *positions, double eps2, size_t ni, const uint32_t *index)
{
  double largest = 0;
  for (size_t b = 0; b < ni; b++) {
    double got[OUT] = {a[3 * b], a[3 * b + 1], a[3 * b + 2], j[3 * b], j[3 * b + 1], j[3 * b + 2], phi[b]};
    long double f[OUT], scale[OUT];
    naive(n, positions, eps2, index[b], f, scale);
    for (int k = 0; k < OUT; k++) {
      double error = n == 1 ? fabs(got[k]) : (double)(fabsl(got[k] - f[k]) / scale[k]);
      largest = fmax(largest, error);
    }
  }
  return largest;
}

static void test_against_long_double(void **state)
{
  (void)state;
  const size_t ns[] = {1, 2, 3, 7, 8, 9, 100};
  const double eps2s[] = {0, 1e-4, 0.25};
  for (size_t c = 0; c < sizeof ns / sizeof *ns; c++)
    for (size_t e = 0; e < sizeof eps2s / sizeof *eps2s; e++) {
      struct hb_gravity *g = sources(ns[c], x);
      hb_gravity_eval(g, eps2s[e], ns[c], all, a, j, phi);
      expect_at_most(largest_error(ns[c], x, eps2s[e], ns[c], all), tolerance);
      hb_gravity_destroy(g);
    }
}

static void test_tolerance_sees_single_precision(void **state)
{
  (void)state;
  double rounded[3 * 100];
  for (int k = 0; k < 3 * 100; k++) rounded[k] = (float)x[k];
  struct hb_gravity *g = sources(100, rounded);
  hb_gravity_eval(g, 0, 100, all, a, j, phi);
  expect_above(largest_error(100, x, 0, 100, all), 100 * tolerance);
  hb_gravity_destroy(g);
}

static void test_subset_in_any_order(void **state)
{
  (void)state;
  const uint32_t some[] = {99, 0, 8, 63, 64, 7};
  struct hb_gravity *g = sources(100, x);
  hb_gravity_eval(g, 0, 6, some, a, j, phi);
  expect_at_most(largest_error(100, x, 0, 6, some), tolerance);
  hb_gravity_destroy(g);
}

/* The same sums lane by lane, one operation after the other: what every vector width has to reproduce. */
static void lane_by_lane(size_t n, double eps2, size_t i, double f[OUT])
{
  volatile double sum[OUT][8] = {{0}};
  for (size_t s = 0; s < n; s++) {
    if (s == i) continue;
    double r[3], u[3];
    for (int k = 0; k < 3; k++) r[k] = x[3 * s + k] - x[3 * i + k], u[k] = v[3 * s + k] - v[3 * i + k];
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + eps2;
    double rinv = 1 / sqrt(r2), rinv2 = rinv * rinv, mrinv = m[s] * rinv, mrinv3 = mrinv * rinv2;
    double rv = 3 * (r[0] * u[0] + r[1] * u[1] + r[2] * u[2]) * rinv2;
    for (int k = 0; k < 3; k++) {
      sum[k][s % 8] += mrinv3 * r[k];
      sum[3 + k][s % 8] += mrinv3 * (u[k] - rv * r[k]);
    }
    sum[6][s % 8] -= mrinv;
  }
  for (int k = 0; k < OUT; k++)
    f[k] = ((sum[k][0] + sum[k][4]) + (sum[k][2] + sum[k][6])) +
           ((sum[k][1] + sum[k][5]) + (sum[k][3] + sum[k][7]));
}

/* Sinks in every lane, one after the other; sources that end within a vector. */
static void test_bits_do_not_depend_on_vector_width(void **state)
{
  (void)state;
  static const char *const sets[] = {"baseline", "avx2", "avx512"}; /* what the machine lacks falls back */
  static const size_t ns[] = {1, 8, 9, 17, 31, N_MAX};
  static double alone[N_MAX];
  for (size_t s = 0; s < 3 * sizeof ns / sizeof *ns; s++) {
    size_t n = ns[s / 3];
    setenv("HB_SIMD", sets[s % 3], 1);
    struct hb_gravity *g = sources(n, x);
    hb_gravity_eval(g, 1e-6, n, all, a, j, phi);
    hb_gravity_potential(n, m, x, 1e-6, 0, n, alone);
    for (size_t i = 0; i < n; i++) {
      double f[OUT];
      lane_by_lane(n, 1e-6, i, f);
      assert_memory_equal(a + 3 * i, f, 3 * sizeof *f);
      assert_memory_equal(j + 3 * i, f + 3, 3 * sizeof *f);
      assert_memory_equal(phi + i, f + 6, sizeof *f);
      assert_memory_equal(alone + i, f + 6, sizeof *f);
    }
    hb_gravity_destroy(g);
  }
  unsetenv("HB_SIMD");
}

static void test_bits_do_not_depend_on_threads(void **state)
{
  (void)state;
  static double a1[3 * N_MAX], j1[3 * N_MAX], phi1[N_MAX];
  struct hb_gravity *g = sources(N_MAX, x);
  hb_parallel_set_threads(1);
  hb_gravity_eval(g, 0, N_MAX, all, a1, j1, phi1);
  for (int t = 2; t <= 5; t++) {
    hb_parallel_set_threads(t);
    hb_gravity_eval(g, 0, N_MAX, all, a, j, phi);
    assert_memory_equal(a, a1, sizeof a);
    assert_memory_equal(j, j1, sizeof j);
    assert_memory_equal(phi, phi1, sizeof phi);
  }
  hb_parallel_set_threads(0);
  hb_gravity_destroy(g);
}

static void test_potential_alone_has_the_same_bits(void **state)
{
  (void)state;
  static double alone[N_MAX], part[N_MAX];
  struct hb_gravity *g = sources(N_MAX, x);
  hb_gravity_eval(g, 1e-4, N_MAX, all, a, j, phi);
  hb_gravity_potential(N_MAX, m, x, 1e-4, 0, N_MAX, alone);
  assert_memory_equal(alone, phi, sizeof phi);
  memcpy(part, alone, sizeof part);
  for (size_t first = 0, end = 100; first < N_MAX; first = end, end = N_MAX - end < 100 ? N_MAX : end + 100) {
    memset(part + first, 0, (end - first) * sizeof *part);
    hb_gravity_potential(N_MAX, m, x, 1e-4, first, end, part);
    assert_memory_equal(part, alone, sizeof part); /* the same bits, and nothing beside */
  }
  hb_gravity_potential(9, m, x, 1e-4, 0, 9, alone);
  hb_gravity_set_j(g, 9, m, x, v);
  hb_gravity_eval(g, 1e-4, 9, all, a, j, phi);
  assert_memory_equal(alone, phi, 9 * sizeof *phi);
  hb_gravity_destroy(g);
}

/* Half of the pairs make the same energy, with any number of threads, and where a tile is not full. */
static void test_energy_of_each_pair_once(void **state)
{
  (void)state;
  enum { N = 1100 };
  static double m1[N], x1[3 * N], all_pairs[N], once[N], again[N];
  uint64_t random = 1;
  for (size_t k = 0; k < 3 * N; k++) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    x1[k] = ldexp((double)(random >> 11), -53), m1[k / 3] = 1 + x1[k];
  }
  for (size_t n = 1; n <= N; n += n < 500 ? 499 : 300) {
    double e = 0, e_once = 0;
    hb_gravity_potential(n, m1, x1, 1e-6, 0, n, all_pairs);
    hb_gravity_potential_once(n, m1, x1, 1e-6, once);
    for (size_t i = 0; i < n; i++) e += m1[i] * all_pairs[i], e_once += m1[i] * once[i];
    expect_at_most(fabs(e_once - e), 1e-14 * fabs(e));
    hb_parallel_set_threads(3);
    hb_gravity_potential_once(n, m1, x1, 1e-6, again);
    hb_parallel_set_threads(0);
    assert_memory_equal(again, once, n * sizeof *once);
  }
}

/* Two particles in one place are two: their force is infinite or undefined at eps = 0, and must not pass for
 * a particle's own. Softened, it is zero with a finite potential. */
static void test_coincident_particles(void **state)
{
  (void)state;
  double twice[3 * 16];
  memcpy(twice, x, sizeof twice);
  memcpy(twice + 3 * 11, twice + 3 * 2, 3 * sizeof *twice);
  struct hb_gravity *g = sources(16, twice);
  hb_gravity_eval(g, 0, 16, all, a, j, phi);
  assert_false(isfinite(a[3 * 2]) || isfinite(a[3 * 11]) || isfinite(phi[2]) || isfinite(phi[11]));
  for (int i = 0; i < 16; i++) assert_true(i == 2 || i == 11 || isfinite(a[3 * i] + j[3 * i] + phi[i]));
  hb_gravity_eval(g, 0.01, 16, all, a, j, phi);
  expect_at_most(largest_error(16, twice, 0.01, 16, all), tolerance);
  hb_gravity_destroy(g);
}

static void test_no_memory(void **state)
{
  (void)state;
  struct hb_gravity *g;
  for (unsigned long nth = 1; nth <= 8; nth++) {
    hb_mem_watch.fail_at = nth;
    assert_int_equal(hb_gravity_create(10, &g), HB_ERR_INTERNAL);
    assert_null(g);
  }
  hb_mem_watch.fail_at = 0;
  hb_gravity_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_long_double),
      cmocka_unit_test(test_tolerance_sees_single_precision),
      cmocka_unit_test(test_subset_in_any_order),
      cmocka_unit_test(test_bits_do_not_depend_on_vector_width),
      cmocka_unit_test(test_bits_do_not_depend_on_threads),
      cmocka_unit_test(test_potential_alone_has_the_same_bits),
      cmocka_unit_test(test_energy_of_each_pair_once),
      cmocka_unit_test(test_coincident_particles),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, make_particles, NULL);
}
