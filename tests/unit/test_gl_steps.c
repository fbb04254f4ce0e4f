/* The time steps with forces of a GPU: those of the host where the precision suffices. As cheap passes, so once, see
 * tests/run.sh. */
#include "support/frame_case.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>

/* As in test_steps.c. */
static const double same_steps = 0.05;

/* Of a quarter time unit at the smallest nu: 5.5e-11 here; random errors of 3e-8 in each acceleration, over some 50 steps
 * of each of 1024 particles. Negative control: nu = 0.1. */
static const double energy_of_ds = 1e-10;

struct result {
  double block_steps, energy_error;
};

static struct result integrate(size_t n, const char *scheme, const char *precision, double nu)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_diagnostics begin, end;
  struct hb_sim_counts counts;
  const struct hb_sim_params params = {
      .force = {.scheme = scheme, .precision = precision, .eps = 1.0 / 256, .flags = HB_FORCE_NO_TUNE},
      .eta = nu};
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 1}, &p));
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  ASSERT_OK(hb_sim_diagnose(sim, 0, &begin));
  while (hb_sim_next_time(sim) <= 0.25) ASSERT_OK(hb_sim_step(sim));
  ASSERT_OK(hb_sim_diagnose(sim, 0.25, &end));
  hb_sim_counts(sim, &counts);
  hb_sim_destroy(sim);
  return (struct result){(double)counts.block_steps, fabs((end.e_total - begin.e_total) / begin.e_total)};
}

static void steps_are_the_hosts(void **state)
{
  (void)state;
  static const char *const precisions[] = {"ds", "double"};
  for (int k = 0; k <= 8; k += support_is_long() ? 1 : 4) {
    double nu = ldexp(0.1, -k), host = integrate(256, "host", "double", nu).block_steps;
    for (size_t p = 0; p < COUNT_OF(precisions); p++) {
      if (pairs_lacks_a(precisions[p])) continue;
      double bag = integrate(256, "bag", precisions[p], nu).block_steps;
      if (fabs(bag - host) > same_steps * host)
        fail_msg("nu = %g: host %g block steps, bag %s %g", nu, host, precisions[p], bag);
    }
  }
  pairs_skip_if_lacking();
}

static void energy_by_ds(void **state)
{
  (void)state;
  double error = integrate(1024, "bag", "ds", ldexp(0.1, -8)).energy_error;
  print_message("|dE/E| by bag ds: %.2g\n", error);
  expect_at_most(error, energy_of_ds);
  expect_above(integrate(1024, "bag", "ds", 0.1).energy_error, energy_of_ds);
}

/* Single and ds of the schemes, and where the device keeps, predicts and corrects. */
static void places_do_not_matter(void **state)
{
  (void)state;
  static const struct hb_sim_params runs[] = {
      {.force = {.scheme = "cg2007"}},
      {.force = {.scheme = "bag", .precision = "single"}},
      {.force = {.scheme = "bag", .precision = "ds"}},
      {.force = {.scheme = "bag", .precision = "single"},
       .transfer = HB_TRANSFER_BLOCK,
       .predict = HB_PLACE_GPU},
      {.force = {.scheme = "bag", .precision = "ds"},
       .transfer = HB_TRANSFER_BLOCK,
       .predict = HB_PLACE_GPU,
       .correct = HB_PLACE_GPU},
  };
  for (size_t k = 0; k < COUNT_OF(runs); k++) {
    struct hb_sim_params params = runs[k];
    params.force.eps = 1.0 / 256;
    params.force.flags = HB_FORCE_NO_TUNE;
    frame_case_run(&params);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_do_not_matter),
      cmocka_unit_test(steps_are_the_hosts),
      cmocka_unit_test(energy_by_ds),
  };
  return RUN_TESTS(tests, 1, NULL, NULL);
}
