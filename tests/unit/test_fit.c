/* Fits by least squares: known answers come back, with errors that say how sure they are. */
#include "support/support.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "measure/runs.c"

static int near(double got, double right, double relative)
{
  return fabs(got - right) <= relative * fabs(right);
}

/* ---- power laws ---- */

enum { SIZES = 7 };
static const double sizes[SIZES] = {256, 512, 1024, 2048, 4096, 8192, 16384};

static void power_law_comes_back(void **state)
{
  (void)state;
  double y[SIZES];
  struct hb_power_law law = {0}, error = {0};
  for (int k = 0; k < SIZES; k++) y[k] = 247 * pow(sizes[k], 0.35);
  ASSERT_OK(fit_power_law(SIZES, sizes, y, &law, &error));
  expect_near(law.c, 247, 1e-12);
  expect_near(law.p, 0.35, 1e-12);
  expect_below(error.c, 1e-10);
  expect_below(error.p, 1e-13);
  /* three points by hand: log2 of y is 0, 1, 4 at log2 of x = 1, 2, 3, so y = 2^(2 x - 7/3), residuals 1/3 -2/3 1/3 */
  ASSERT_OK(fit_power_law(3, (double[]){2, 4, 8}, (double[]){1, 2, 16}, &law, &error));
  expect_near(law.p, 2, 1e-12);
  expect_near(law.c, exp2(-7. / 3), 1e-12);
  expect_near(error.p, sqrt(2. / 3 / 2), 1e-12);
  expect_near(error.c, law.c * log(2) * sqrt(2. / 3 * (1. / 3 + 2)), 1e-12);
}

static void power_law_of_two_points(void **state)
{
  (void)state;
  struct hb_power_law law, error;
  ASSERT_OK(fit_power_law(2, (double[]){1, 100}, (double[]){5, 50}, &law, &error));
  expect_near(law.c, 5, 1e-12);
  expect_near(law.p, 0.5, 1e-12);
  assert_true(isnan(error.c));
  assert_true(isnan(error.p));
}

static void too_few_points_are_refused(void **state)
{
  (void)state;
  struct hb_power_law law, error;
  const double one[] = {64, 64, 64}, y[] = {1, 2, 3};
  ASSERT_FAILS(fit_power_law(0, one, y, &law, &error), HB_ERR_USAGE, "two different x");
  ASSERT_FAILS(fit_power_law(1, one, y, &law, &error), HB_ERR_USAGE, "two different x");
  ASSERT_FAILS(fit_power_law(3, one, y, &law, &error), HB_ERR_USAGE, "two different x");
  ASSERT_FAILS(fit_power_law(2, (double[]){1, 2}, (double[]){0, 1}, &law, &error), HB_ERR_USAGE, "(1, 0)");
  ASSERT_FAILS(fit_power_law(2, (double[]){1, NAN}, y, &law, &error), HB_ERR_USAGE, "nan");
}

/* ---- terms ---- */

enum { POINTS = 12 };

/* x: 1, s, s^1.8 for sizes s; y: their sum with t. */
static void points(const double t[3], double x[3 * POINTS], double y[POINTS])
{
  for (int k = 0; k < POINTS; k++) {
    double s = 100 * pow(1.5, k);
    x[3 * k] = 1, x[3 * k + 1] = s, x[3 * k + 2] = pow(s, 1.8);
    y[k] = t[0] + t[1] * s + t[2] * x[3 * k + 2];
  }
}

static void terms_come_back(void **state)
{
  (void)state;
  const double cases[][3] = {
      {1e-4, 1e-7, 1e-9}, {0, 1e-7, 1e-9}, {1e-4, 0, 1e-9}, {1e-4, 1e-7, 0}, {0, 0, 1e-9}};
  double x[3 * POINTS], y[POINTS], t[3], error[3];
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    points(cases[c], x, y);
    ASSERT_OK(hb_fit_terms(POINTS, 3, x, y, t, error));
    for (int i = 0; i < 3; i++) {
      double share = cases[c][i] * x[3 * (POINTS - 1) + i] / y[POINTS - 1];
      if (share == 0)
        expect_below(t[i] * x[3 * (POINTS - 1) + i], 1e-9 * y[POINTS - 1]);
      else
        expect_near(t[i], cases[c][i], 1e-6);
      expect_at_least(t[i], 0);
      expect_at_least(error[i], 0);
    }
  }
}

/* A term that the points would have negative is 0, and the others are the best without it. */
static void no_term_is_negative(void **state)
{
  (void)state;
  double x[3 * POINTS], y[POINTS], t[3], error[3], two[2 * POINTS], without[2];
  points((double[]){-5e-5, 1e-6, 1e-9}, x, y);
  ASSERT_OK(hb_fit_terms(POINTS, 3, x, y, t, error));
  expect_equal(t[0], 0);
  expect_above(t[1], 0);
  expect_above(t[2], 0);
  expect_above(error[0], 0);
  for (int k = 0; k < POINTS; k++) two[2 * k] = x[3 * k + 1], two[2 * k + 1] = x[3 * k + 2];
  ASSERT_OK(hb_fit_terms(POINTS, 2, two, y, without, error));
  expect_near(t[1], without[0], 1e-9);
  expect_near(t[2], without[1], 1e-9);
}

/* A point that took ten times as long changes little. Negative control: absolute distances would follow it. */
static void disturbed_point_counts_for_little(void **state)
{
  (void)state;
  double x[3 * POINTS], y[POINTS], t[3], error[3];
  points((double[]){1e-4, 1e-6, 1e-9}, x, y);
  y[POINTS - 1] *= 10;
  ASSERT_OK(hb_fit_terms(POINTS, 3, x, y, t, error));
  for (int k = 0; k < POINTS; k++) {
    double fit = t[0] + t[1] * x[3 * k + 1] + t[2] * x[3 * k + 2], right = k < POINTS - 1 ? y[k] : y[k] / 10;
    expect_below(fabs(fit / right - 1), 0.2);
  }
}

static void terms_that_cannot_be_told_apart(void **state)
{
  (void)state;
  double x[] = {1, 2, 1, 2, 1, 2}, y[] = {4, 4, 4}, t[2], error[2];
  ASSERT_OK(hb_fit_terms(3, 2, x, y, t, error));
  expect_near(t[0] + 2 * t[1], 4, 1e-12);
  assert_true(isnan(error[0]));
  assert_true(isnan(error[1]));
  ASSERT_OK(hb_fit_terms(1, 2, x, y, t, error)); /* one point, so one term */
  expect_near(t[0] + 2 * t[1], 4, 1e-12);
  assert_true(isnan(error[0]));
  double nothing[] = {0, 0, 0};
  ASSERT_OK(hb_fit_terms(3, 2, x, nothing, t, error));
  expect_equal(t[0], 0);
  expect_equal(t[1], 0);
  expect_equal(error[0], 0);
  ASSERT_FAILS(hb_fit_terms(1, 1, nothing, y, t, error), HB_ERR_USAGE, "cannot separate 1 terms");
}

/* ---- machines ---- */

static const struct hb_machine truth = {.t_start = 3e-5,
                                        .t_predict = 7e-9,
                                        .t_correct = 6e-8,
                                        .t_send = 2e-8,
                                        .t_receive = 1e-7,
                                        .t_source = 4e-8,
                                        .t_pair = 1e-9,
                                        .n_block = {0.3, 0.75},
                                        .n_steps = {200, 0.4}};

enum { EACH = 3, RUNS = SIZES * EACH };

/* Nearly normal, variance 1. */
static double deviate(struct hb_rng *rng)
{
  double sum = -6;
  for (int k = 0; k < 12; k++) sum += hb_rng_uniform(rng);
  return sum;
}

/* Runs of the known machine, phases and counts disturbed by a normal deviate times `noise`. */
static void make_runs(int sends_all, double noise, uint64_t seed, struct machine_run runs[RUNS])
{
  struct hb_rng rng = hb_rng_seeded(seed);
  for (int k = 0; k < RUNS; k++) {
    double n = sizes[k / EACH], at[7];
    for (int i = 0; i < 7; i++) at[i] = exp(noise * deviate(&rng));
    double n_block = at[0] * hb_power_law_at(&truth.n_block, n);
    double steps = at[1] * 0.25 * hb_power_law_at(&truth.n_steps, n), share = truth.t_start / 5;
    runs[k] = (struct machine_run){
        .n = n,
        .span = 0.25,
        .block_steps = steps,
        .particle_steps = steps * n_block,
        .phases = {.predict_s = at[2] * steps * (share + truth.t_predict * n),
                   .send_s = at[3] * steps * (share + truth.t_send * (sends_all ? n : n_block)),
                   .force_s = at[4] * steps * (share + truth.t_source * n + truth.t_pair * n * n_block),
                   .receive_s = at[5] * steps * (share + truth.t_receive * n_block),
                   .correct_s = at[6] * steps * (share + truth.t_correct * n_block)}};
  }
}

static const size_t offsets[] = {
    offsetof(struct hb_machine, t_start),   offsetof(struct hb_machine, t_predict),
    offsetof(struct hb_machine, t_correct), offsetof(struct hb_machine, t_send),
    offsetof(struct hb_machine, t_receive), offsetof(struct hb_machine, t_source),
    offsetof(struct hb_machine, t_pair),    offsetof(struct hb_machine, n_block.c),
    offsetof(struct hb_machine, n_block.p), offsetof(struct hb_machine, n_steps.c),
    offsetof(struct hb_machine, n_steps.p)};

static double at(const struct hb_machine *machine, size_t offset)
{
  return *(const double *)((const char *)machine + offset);
}

static void machine_comes_back(void **state)
{
  (void)state;
  struct machine_run runs[RUNS];
  for (int sends_all = 0; sends_all < 2; sends_all++) {
    struct hb_machine machine = {.sends_all = sends_all}, error = {0};
    make_runs(sends_all, 0, 1, runs);
    ASSERT_OK(machine_fit(RUNS, runs, &machine, &error));
    for (size_t k = 0; k < COUNT_OF(offsets); k++)
      if (!near(at(&machine, offsets[k]), at(&truth, offsets[k]), 1e-6))
        fail_msg("constant %zu is %g, not %g", k, at(&machine, offsets[k]), at(&truth, offsets[k]));
    for (int k = 0; k < RUNS; k++) {
      double n = runs[k].n, sum = runs[k].phases.predict_s + runs[k].phases.send_s + runs[k].phases.force_s +
                                  runs[k].phases.receive_s + runs[k].phases.correct_s;
      expect_near(hb_machine_time(&machine, n), 4 * sum, 1e-6); /* eq. 16 */
    }
  }
}

/* With scatter of 5 percent: of 40 fits the constants lie within two standard errors about as often as they should (95 %
 * for a normal deviate, some less with few points), and never far out. Errors half as large would be seen. */
static void errors_say_how_sure(void **state)
{
  (void)state;
  enum { FITS = 40 };
  int within[2] = {0, 0}, all = 0;
  struct hb_machine right = truth;
  right.sends_all = 1;
  for (uint64_t seed = 1; seed <= FITS; seed++) {
    struct machine_run runs[RUNS];
    struct hb_machine machine = {.sends_all = 1}, error = {0};
    make_runs(1, 0.05, seed, runs);
    ASSERT_OK(machine_fit(RUNS, runs, &machine, &error));
    for (size_t k = 0; k < COUNT_OF(offsets); k++) {
      double off = fabs(at(&machine, offsets[k]) - at(&truth, offsets[k])) / at(&error, offsets[k]);
      within[0] += off < 2;
      within[1] += off < 1;
      expect_below(off, 6);
      all++;
    }
    double n = 4096; /* what matters in the end */
    expect_near(hb_machine_time(&machine, n), hb_machine_time(&right, n), 0.08);
  }
  expect_above(within[0], 0.85 * all);
  expect_below(within[0], 0.99 * all);
  expect_above(within[1], 0.55 * all);
  expect_below(within[1], 0.8 * all);
}

static void machine_of_too_few_runs(void **state)
{
  (void)state;
  struct machine_run runs[RUNS];
  struct hb_machine machine = {.sends_all = 1}, error = {0};
  make_runs(1, 0.05, 1, runs);
  ASSERT_FAILS(machine_fit(EACH, runs, &machine, &error), HB_ERR_USAGE, "two different x"); /* one size */
  ASSERT_FAILS(machine_fit(0, runs, &machine, &error), HB_ERR_USAGE, "two different x");
  runs[2].block_steps = 0;
  ASSERT_FAILS(machine_fit(RUNS, runs, &machine, &error), HB_ERR_NUMERIC, "256 particles did 0 block steps");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_law_comes_back),
      cmocka_unit_test(power_law_of_two_points),
      cmocka_unit_test(too_few_points_are_refused),
      cmocka_unit_test(terms_come_back),
      cmocka_unit_test(no_term_is_negative),
      cmocka_unit_test(disturbed_point_counts_for_little),
      cmocka_unit_test(terms_that_cannot_be_told_apart),
      cmocka_unit_test(machine_comes_back),
      cmocka_unit_test(errors_say_how_sure),
      cmocka_unit_test(machine_of_too_few_runs),
  };
  return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
