/* Whole runs with the particles on the host and on the device, in all modes. */
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>

struct mode {
  const char *name;
  enum hb_transfer transfer;
  enum hb_place predict, correct;
};
static const struct mode modes[] = {{"all/host/host", HB_TRANSFER_ALL, HB_PLACE_HOST, HB_PLACE_HOST},
                                    {"all/gpu/host", HB_TRANSFER_ALL, HB_PLACE_GPU, HB_PLACE_HOST},
                                    {"block/gpu/host", HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_HOST},
                                    {"block/gpu/gpu", HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_GPU}};

enum { RUN_N = 128 };

/* The state of a small cluster at t = 1/8, and its counts. */
static struct hb_particles *run(const struct mode *mode, const char *scheme, const char *precision,
                                const char *tuning, enum hb_rounding rounding, struct hb_sim_counts *counts)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = RUN_N, .seed = 3}, &p));
  const struct hb_sim_params params = {.force = {.scheme = scheme,
                                                 .precision = precision,
                                                 .tuning = tuning,
                                                 .eps = 1. / 64,
                                                 .flags = HB_FORCE_NO_TUNE},
                                       .rounding = rounding,
                                       .transfer = mode->transfer,
                                       .predict = mode->predict,
                                       .correct = mode->correct};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  while (hb_sim_next_time(sim) <= 0.125) ASSERT_OK(hb_sim_step(sim));
  hb_sim_counts(sim, counts);
  ASSERT_OK(hb_sim_state(sim, 0.125, &p));
  hb_sim_destroy(sim);
  return p;
}

/* Root mean square distance of two states. */
static double distance(struct hb_particles *p, struct hb_particles *q)
{
  double sum = 0;
  for (int c = 0; c < 3 * RUN_N; c++) sum += pow(hb_particles_x(p)[c] - hb_particles_x(q)[c], 2);
  return sqrt(sum / RUN_N);
}

/* In double all modes are one algorithm, apart from the last bits of division and fused operations. In ds the device
 * keeps 48 of 53 bits and float forces differ in their noise; both grow no faster than the cluster's own errors. Nor does a
 * tuning matter more. */
static void test_modes_agree(void **state)
{
  (void)state;
  static const struct {
    const char *scheme, *precision, *tuning;
    double limit, counts;
    enum hb_rounding rounding;
  } cases[] = {{"bag", "double", NULL, 1e-12, 0.01, HB_ROUND_DOWN},
               {"bag", "double", NULL, 1e-12, 0.01, HB_ROUND_NEAREST},
               {"bag", "double", NULL, 1e-12, 0.01, HB_ROUND_UP},
               {"bag", "double", "portion=50 i_each=2", 1e-12, 0.01,
                HB_ROUND_DOWN}, /* blocks of all particles in three portions */
               {"bag", "double", "j_source=texture", 1e-12, 0.01, HB_ROUND_DOWN},
               {"bag", "ds", NULL, 1e-7, 0.05, HB_ROUND_DOWN},
               {"bag", "single", NULL, 1e-5, 0.1, HB_ROUND_DOWN},
               {"tile", "ds", NULL, 1e-7, 0.05, HB_ROUND_DOWN}};
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    if (pairs_lacks_a(cases[c].scheme) || pairs_lacks_a(cases[c].precision)) continue;
    struct hb_sim_counts first, counts;
    struct hb_particles *p =
        run(&modes[0], cases[c].scheme, cases[c].precision, NULL, cases[c].rounding, &first);
    for (size_t other = 1; other < COUNT_OF(modes); other++) {
      struct hb_particles *q = run(&modes[other], cases[c].scheme, cases[c].precision, cases[c].tuning,
                                   cases[c].rounding, &counts);
      double d = distance(p, q), ratio = (double)counts.particle_steps / (double)first.particle_steps;
      if (!(d <= cases[c].limit) || fabs(ratio - 1) > cases[c].counts)
        fail_msg("%s %s %s: %g away from all/host/host, %g times its steps", cases[c].scheme,
                 cases[c].precision, modes[other].name, d, ratio);
      hb_particles_destroy(q);
    }
    hb_particles_destroy(p);
  }
  pairs_skip_if_lacking(); /* the rest was compared */
}

static void test_same_bytes_twice(void **state)
{
  (void)state;
  struct hb_sim_counts counts;
  struct hb_particles *p = run(&modes[3], "bag", "ds", NULL, HB_ROUND_DOWN, &counts),
                      *q = run(&modes[3], "bag", "ds", NULL, HB_ROUND_DOWN, &counts);
  expect_equal(distance(p, q), 0);
  hb_particles_destroy(p);
  hb_particles_destroy(q);
}

static void test_modes_that_make_no_sense(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("twobody", NULL, &p));
  struct hb_sim_params params = {.force = {.scheme = "bag", .flags = HB_FORCE_NO_TUNE},
                                 .transfer = HB_TRANSFER_BLOCK};
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "has to send all (expected predict gpu)");
  params.transfer = HB_TRANSFER_ALL;
  params.correct = HB_PLACE_GPU;
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "correct gpu with transfer all");
  params.correct = HB_PLACE_HOST;
  params.predict = HB_PLACE_GPU;
  params.force.scheme = "host";
  ASSERT_FAILS(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "scheme host keeps no particles on a device");
  hb_particles_destroy(p);
}

/* The walk behind the prediction is lost: predict = gpu starts anew with what the host has. */
static void test_lost_draw_is_tried_again(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("twobody", NULL, &p));
  const char *precision = pairs_context()->caps.has_double ? "double" : "ds";
  struct hb_sim_params params = {
      .force = {.scheme = "bag", .precision = precision, .flags = HB_FORCE_NO_TUNE},
      .transfer = HB_TRANSFER_BLOCK,
      .predict = HB_PLACE_GPU};
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  pairs_draws_begin(2);
  ASSERT_OK(hb_sim_step(sim));
  expect_at_least(pairs_draws_end(), 2); /* the new context has pointers of its own */
  while (hb_sim_next_time(sim) <= 1) ASSERT_OK(hb_sim_step(sim));
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modes_agree),
      cmocka_unit_test(test_same_bytes_twice),
      cmocka_unit_test(test_modes_that_make_no_sense),
      cmocka_unit_test(test_lost_draw_is_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
