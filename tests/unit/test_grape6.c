/* grape6: the numbers it counts with, the battery, accuracy, the same bits whatever the order, sums that overflow, and the
 * energy that a run keeps with it. */
#include "support/battery.h"
#include "base/parallel.h"
#include "support/support.h"

#include "force/grape6.c"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* frexp and rint do the same by another way; ties are left out, where either neighbour is nearest. */
static double rounded(double x, int bits)
{
  int e;
  double f = frexp(x, &e);
  return ldexp(rint(ldexp(f, bits)), e - bits);
}

static uint64_t word = 1;
static double uniform(void)
{
  word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(word >> 11) * 0x1p-53;
}

static void test_rounding(void **state)
{
  (void)state;
  for (int k = 0; k < 10000; k++) {
    double x = (uniform() - 0.5) * ldexp(1, k % 600 - 300);
    expect_equal(grape6_round24(x), rounded(x, 24));
    expect_equal(grape6_round20(x), rounded(x, 20));
  }
  expect_equal(grape6_round24(0), 0);
  expect_equal(grape6_round20(-0.0), 0);
  expect_equal(grape6_round24(16777215), 16777215);
  expect_equal(grape6_round24(16777217.5), 16777218);
}

static void test_fixed_positions(void **state)
{
  (void)state;
  for (int k = 0; k < 10000; k++) {
    double x = rint((uniform() - 0.5) * ldexp(1, k % 64)), y = rint((uniform() - 0.5) * 0x1p62);
    struct grape6_fixed fx = grape6_fix(x), fy = grape6_fix(y);
    expect_at_most(fabs(fx.hi), 0x1p31);
    expect_at_most(fabs(fx.lo), 0x1p31);
    expect_equal((int64_t)fx.hi * (INT64_C(1) << 32) + (int64_t)fx.lo, (int64_t)x);
    double difference = (double)((int64_t)x - (int64_t)y);
    expect_equal(grape6_difference(fx.hi, fx.lo, fy.hi, fy.lo), rounded(difference, 24));
  }
}

/* What 64 and 32 bits hold and what they do not; on the way a sum may be anything. */
static void test_sums(void **state)
{
  (void)state;
  static const struct {
    double term[4];
    int bits, fits;
    int64_t value;
  } cases[] = {
      {{1, 2, -4, 0.75}, 64, 1, 0},
      {{0x1p62, 0x1p62, -1024}, 64, 1, INT64_MAX - 1023},
      {{0x1p62, 0x1p62}, 64, 0, 0},
      {{-0x1p62, -0x1p62}, 64, 1, INT64_MIN},
      {{-0x1p62, -0x1p62, -1}, 64, 0, 0},
      {{0x1.8p62, 0x1.8p62, -0x1.8p62, -0x1.8p62}, 64, 1, 0},
      {{0x1p30, 0x1p30, -1}, 32, 1, INT32_MAX},
      {{0x1p30, 0x1p30}, 32, 0, 0},
      {{-0x1p30, -0x1p30}, 32, 1, INT32_MIN},
      {{-0x1p30, -0x1p30, -1}, 32, 0, 0},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct grape6_sum sum = {0};
    int64_t value = 0;
    grape6_sum_add(&sum, cases[k].term, 4, 1);
    assert_int_equal(grape6_sum_value(&sum, cases[k].bits, &value), cases[k].fits);
    if (cases[k].fits) expect_equal(value, cases[k].value);
  }
  const double some[3] = {-3, 2, 1}, none[2] = {INFINITY, 1};
  expect_equal(grape6_largest(some, 3), 3);
  expect_equal(grape6_exponent(3), 2);
  expect_equal(grape6_exponent(4), 3);
  assert_false(isfinite(grape6_largest(none, 2)));
}

/* ---- particles and forces ---- */

enum { MOST = 16384 };
static double m[MOST], x[3 * MOST], v[3 * MOST];
static uint32_t all[MOST];

struct result {
  double a[3 * MOST], j[3 * MOST], phi[MOST];
};
static struct result right, got;

/* n particles at random in a cube, masses over so many decades. */
static void fill(size_t n, double decades)
{
  word = n;
  for (size_t i = 0; i < n; i++) {
    m[i] = pow(10, decades * (uniform() - 0.5)) / (double)n;
    all[i] = (uint32_t)i;
    for (size_t k = 0; k < 3; k++) x[3 * i + k] = 2 * uniform() - 1, v[3 * i + k] = 2 * uniform() - 1;
  }
}

static void fill_plummer(size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 1}, &p));
  fill(n, 0);
  memcpy(m, hb_particles_m(p), n * sizeof *m);
  memcpy(x, hb_particles_x(p), 3 * n * sizeof *x);
  memcpy(v, hb_particles_v(p), 3 * n * sizeof *v);
  hb_particles_destroy(p);
}

static void evaluate(const char *scheme, double eps, size_t n, size_t ni, const uint32_t *index,
                     struct result *result)
{
  const struct hb_force_params params = {.scheme = scheme, .eps = eps};
  struct hb_force *force;
  ASSERT_OK(hb_force_open(&params, &force));
  ASSERT_OK(hb_force_set_j(force, n, m, x, v));
  ASSERT_OK(hb_force_eval(force, ni, index, result->a, result->j, result->phi));
  hb_force_close(force);
}

/* The source itself, which counts its retries. */
static uint64_t evaluate_counting(double eps, size_t n, size_t ni)
{
  const struct hb_force_params params = {.scheme = "grape6", .precision = "grape6", .eps = eps};
  void *source = NULL;
  ASSERT_OK(hb_force_grape6.open(&params, NULL, &source));
  ASSERT_OK(hb_force_grape6.begin(source, &(struct hb_force_job){.sources = {n, m, x, v},
                                                                 .sinks = {.n = ni, .index = all},
                                                                 .to = {got.a, got.j, got.phi}}));
  uint64_t retries = atomic_load(&((struct grape6 *)source)->retries);
  hb_force_grape6.close(source);
  return retries;
}

/* ---- accuracy ---- */

/* The jerk decides: the tolerances of single precision, with 20 bits in the place of 24. */
static const struct battery_tolerance battery_grape6 = {
    .force = 16 * 4e-6, .pair = 16 * 1.2e-6, .split = 16 * 4e-6, .place = 0x1p-62};

static void test_battery(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "grape6"};
  battery_run(&params, &battery_grape6);
}

/* A rounding to 24 bits is wrong by 2.5e-8 rms. A pair's acceleration takes r^2 to the power 3/2 (1.3 roundings, 2 after
 * it), the root three times, and six more, m and rij included: sqrt(4 + 9 + 6) of them, 1.1e-7; no pair is the whole force.
 * The potential has two roundings and the half of r^2's, and its pairs average out. The jerk: ten roundings to 20 bits in
 * line, 1.3e-6, of two parts that cancel to a third. */
static const double acc_tolerance = 1.1e-7, pot_tolerance = 1e-8, jerk_tolerance = 4e-6;

/* Below these it would not be GRAPE's short mantissas that are at work. */
static const double acc_least = 1e-8, jerk_least = 5e-7;

static void test_accuracy(void **state)
{
  (void)state;
  static const size_t n[] = {1024, 16384};
  for (size_t k = 0; k < COUNT_OF(n); k++) {
    size_t ni = n[k] < 1024 ? n[k] : 1024;
    fill_plummer(n[k]);
    evaluate("host", 1. / 256, n[k], ni, all, &right);
    evaluate("grape6", 1. / 256, n[k], ni, all, &got);
    double acc = support_rms(ni, 3, got.a, right.a), jerk = support_rms(ni, 3, got.j, right.j),
           pot = support_rms(ni, 1, got.phi, right.phi);
    print_message("# Plummer N = %zu: acc %.2e, jerk %.2e, pot %.2e rms\n", n[k], acc, jerk, pot);
    expect_at_most(acc, acc_tolerance);
    expect_above(acc, acc_least);
    expect_at_most(jerk, jerk_tolerance);
    expect_above(jerk, jerk_least);
    expect_at_most(pot, pot_tolerance);
  }
}

/* ---- the same bits ---- */

/* Source i goes to place (step i + 5) mod n; place[i] says where. */
static void permute(size_t n, size_t step, uint32_t *place)
{
  static double old[7 * MOST];
  memcpy(old, m, n * sizeof *m);
  memcpy(old + n, x, 3 * n * sizeof *x);
  memcpy(old + 4 * n, v, 3 * n * sizeof *v);
  for (size_t i = 0; i < n; i++) {
    size_t to = (i * step + 5) % n;
    place[i] = (uint32_t)to;
    m[to] = old[i];
    memcpy(x + 3 * to, old + n + 3 * i, 3 * sizeof *x);
    memcpy(v + 3 * to, old + 4 * n + 3 * i, 3 * sizeof *v);
  }
}

static int same_bits(size_t ni)
{
  return memcmp(got.a, right.a, 3 * ni * sizeof *got.a) == 0 &&
         memcmp(got.j, right.j, 3 * ni * sizeof *got.j) == 0 &&
         memcmp(got.phi, right.phi, ni * sizeof *got.phi) == 0;
}

/* Sources in another order, more of them than a tile holds; the control is the host, whose double sums notice it. */
static void test_order_of_sources(void **state)
{
  (void)state;
  static const size_t n[] = {7, 300, 2000, 9001}, step[] = {5, 7, 1999, 3001};
  static uint32_t place[MOST];
  for (size_t k = 0; k < COUNT_OF(n); k++)
    for (int grape6 = 0; grape6 < 2; grape6++) {
      size_t ni = n[k] < 300 ? n[k] : 300;
      fill(n[k], 12);
      evaluate(grape6 ? "grape6" : "host", 0, n[k], ni, all, &right);
      permute(n[k], step[k], place);
      evaluate(grape6 ? "grape6" : "host", 0, n[k], ni, place, &got);
      if (grape6 || n[k] >= 300) assert_int_equal(same_bits(ni), grape6);
    }
}

static void test_threads_and_blocks(void **state)
{
  (void)state;
  static const size_t ni[] = {1, 2, 3, 17, 500};
  enum { N = 1500 };
  fill(N, 4);
  hb_parallel_set_threads(1);
  evaluate("grape6", 1. / 256, N, 500, all, &right);
  for (int threads = 1; threads <= 4; threads++) {
    hb_parallel_set_threads(threads);
    for (size_t k = 0; k < COUNT_OF(ni); k++) {
      evaluate("grape6", 1. / 256, N, ni[k], all, &got);
      assert_true(same_bits(ni[k]));
    }
  }
  hb_parallel_set_threads(0);
}

/* ---- overflow ---- */

/* Sink 0 at the origin; so many of unit mass at x = 1 and at x = -1, each pair term is 1 and has the range (-2, 2). */
static uint64_t pull(size_t plus, size_t minus)
{
  size_t n = 1 + plus + minus;
  memset(x, 0, 3 * n * sizeof *x);
  memset(v, 0, 3 * n * sizeof *v);
  for (size_t i = 0; i < n; i++) m[i] = 1, all[i] = (uint32_t)i, x[3 * i] = i == 0 ? 0 : i <= plus ? 1 : -1;
  uint64_t retries = evaluate_counting(0, n, 1);
  expect_equal(got.a[0], (double)plus - (double)minus);
  expect_equal(got.a[1], 0);
  expect_equal(got.a[2], 0);
  expect_equal(got.j[0], 0);
  expect_equal(got.j[1], 0);
  expect_equal(got.j[2], 0);
  expect_equal(got.phi[0], -(double)(plus + minus));
  return retries;
}

static void test_retries_are_counted(void **state)
{
  (void)state;
  assert_int_equal(pull(1, 0), 0);
  assert_int_equal(pull(2, 0), 1);     /* a = 2 does not fit, phi = -2 does */
  assert_int_equal(pull(20, 0), 2);    /* a and phi, once each: (-64, 64) */
  assert_int_equal(pull(64, 0), 3);    /* a = 64 twice, phi = -64 once */
  assert_int_equal(pull(100, 0), 4);   /* both twice: (-2048, 2048) */
  assert_int_equal(pull(100, 100), 2); /* a = 0 fits, whatever it was on the way */
}

/* Masses from 1e-6 to 1e6 without softening: sums are taken again, and come out right. */
static void test_retries_are_right(void **state)
{
  (void)state;
  enum { N = 1000 };
  fill(N, 12);
  evaluate("host", 0, N, N, all, &right);
  uint64_t retries = evaluate_counting(0, N, N);
  print_message("# masses over 12 decades: %d retries for %d sums\n", (int)retries, 3 * N);
  expect_above(retries, N);
  expect_at_most(support_rms(N, 3, got.a, right.a), battery_grape6.force);
  expect_at_most(support_rms(N, 3, got.j, right.j), battery_grape6.force);
  expect_at_most(support_rms(N, 1, got.phi, right.phi), battery_grape6.force);
}

/* Two particles at one place without softening feel no force from each other, and the third is unaffected; a position that is NaN
 * spoils every sum. */
/* Two at one place, and a place that is none: refused by name; what is far from both has its force. */
static void test_not_finite(void **state)
{
  (void)state;
  const struct hb_force_params params = {.scheme = "grape6"};
  struct hb_force *force;
  fill(3, 0);
  memcpy(x, x + 3, 3 * sizeof *x);
  ASSERT_OK(hb_force_open(&params, &force));
  ASSERT_OK(hb_force_set_j(force, 3, m, x, v));
  ASSERT_FAILS(hb_force_eval(force, 3, all, got.a, got.j, got.phi), HB_ERR_NUMERIC,
               "the force on particle 0 is ");
  assert_true(isnan(got.a[0]) && isnan(got.j[3]) && isnan(got.phi[1]));
  assert_true(isfinite(got.a[6]) && isfinite(got.j[6]) && isfinite(got.phi[2]));
  ASSERT_OK(hb_force_eval(force, 1, all + 2, got.a, got.j, got.phi));
  x[0] = NAN;
  ASSERT_FAILS(hb_force_set_j(force, 3, m, x, v), HB_ERR_INPUT, "particle 0 has x = nan");
  hb_force_close(force);
}

static enum hb_status force_of_all(void *data)
{
  (void)data;
  const struct hb_force_params params = {.scheme = "grape6"};
  struct hb_force *force;
  enum hb_status status = hb_force_open(&params, &force);
  if (status == HB_OK) status = hb_force_set_j(force, 100, m, x, v);
  if (status == HB_OK) status = hb_force_eval(force, 100, all, got.a, got.j, got.phi);
  hb_force_close(force);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  fill(100, 0);
  support_survives_lack_of_memory(force_of_all, NULL, 4);
}

/* ---- energy ---- */

/* |E - E(0)| / |E(0)| at t_end in exact double, N = 1024, the paper's parameters but for dt_min: below 2^-14 the rounding
 * errors of the force, divided by dt^2 and dt^3 in eqs 5 and 6, would take over the steps at the smallest nu. */
static double energy_error(const char *scheme, double eta, double t_end)
{
  struct hb_particles *initial;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 1024, .seed = 1}, &initial));
  const struct hb_sim_params params = {
      .force = {.scheme = scheme, .eps = 1. / 256}, .eta = eta, .dt_max = 1. / 8, .dt_min = ldexp(1, -14)};
  ASSERT_OK(hb_sim_create(initial, &params, &sim));
  hb_particles_destroy(initial);
  struct hb_diagnostics begin, end;
  ASSERT_OK(hb_sim_diagnose(sim, 0, &begin));
  while (hb_sim_next_time(sim) <= t_end) ASSERT_OK(hb_sim_step(sim));
  ASSERT_OK(hb_sim_diagnose(sim, t_end, &end));
  hb_sim_destroy(sim);
  double error = fabs((end.e_total - begin.e_total) / begin.e_total);
  print_message("# %s, nu = %g: |dE/E| = %.1e over %g\n", scheme, eta, error, t_end);
  return error;
}

/* [PZ07] sections 4.2 and 6: GRAPE's error is 1.9e-7 at nu = 0.01 and falls with nu to about 1e-11. Ten times that
 * is the bound; the longer steps break it. */
static const double most_at_paper = 1.9e-7, most_at_floor = 1e-10;

static void test_energy(void **state)
{
  (void)state;
  /* emulated it is slow, and slower under the sanitizers */
  double way = support_is_long() ? 1. / 4 : 1. / 64, at_paper = energy_error("grape6", 0.01, way);
  expect_at_most(at_paper, most_at_paper);
  expect_above(at_paper, most_at_floor);
  expect_at_most(energy_error("grape6", 0.1 / 256, support_is_long() ? way : 1. / 256), most_at_floor);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_fixed_positions),
      cmocka_unit_test(test_sums),
      cmocka_unit_test(test_battery),
      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_order_of_sources),
      cmocka_unit_test(test_threads_and_blocks),
      cmocka_unit_test(test_retries_are_counted),
      cmocka_unit_test(test_retries_are_right),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
