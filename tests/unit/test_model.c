/* The fits of [PZ07] section 5, against what the paper and this program count. */
#include "support/support.h"

#include "perf/machine_model.h"

#include <math.h>

static void fits_of_the_paper(void **state)
{
  (void)state;
  /* eqs 14 and 17 by hand: 0.20 exp(0.81 log 1024), 247 exp(0.35 log 1024) */
  expect_below(fabs(hb_power_law_at(&hb_machines->n_block, 1024) - 54.8748), 0.001);
  expect_below(fabs(hb_model_n_steps(1024, 0.01) - 2794.5), 0.1);
  expect_equal(hb_power_law_at(&hb_machines->n_block, 1), 0.20);
  expect_equal(hb_model_n_steps(1, 0.01), 247);
  /* a step goes as the root of nu */
  expect_below(fabs(hb_model_n_steps(1024, 0.0025) / hb_model_n_steps(1024, 0.01) - 2), 1e-12);
}

/* Block steps of Plummer spheres over the estimate for their rounding. */
static double counted_over_estimated(size_t n, double nu, enum hb_rounding rounding)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 1}, &p));
  ASSERT_OK(hb_sim_create(
      p,
      &(struct hb_sim_params){.force = {.scheme = "host", .eps = 1.0 / 256}, .eta = nu, .rounding = rounding},
      &sim));
  hb_particles_destroy(p);
  struct hb_sim_counts counts;
  while (hb_sim_next_time(sim) <= 0.25) ASSERT_OK(hb_sim_step(sim));
  hb_sim_counts(sim, &counts);
  hb_sim_destroy(sim);
  return 4 * (double)counts.block_steps / (hb_model_rounded(rounding) * hb_model_n_steps((double)n, nu));
}

static void steps_by_rounding(void **state)
{
  (void)state;
  for (int k = HB_ROUND_DOWN; k <= HB_ROUND_UP; k++) {
    enum hb_rounding rounding = (enum hb_rounding)k;
    expect_below(fabs(counted_over_estimated(256, 0.01, rounding) - 1), 0.25);
    expect_below(fabs(counted_over_estimated(256, 0.001, rounding) - 1), 0.25);
    expect_below(fabs(counted_over_estimated(1024, 0.02, rounding) - 1), 0.25);
  }
  /* negative control: another rounding is another number */
  double nearest = counted_over_estimated(1024, 0.02, HB_ROUND_NEAREST) * hb_model_rounded(HB_ROUND_NEAREST);
  expect_below(nearest / hb_model_rounded(HB_ROUND_DOWN), 0.75);
  expect_above(nearest / hb_model_rounded(HB_ROUND_UP), 1.25);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_of_the_paper),
      cmocka_unit_test(steps_by_rounding),
  };
  return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
