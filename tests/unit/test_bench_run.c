/* bench_run: the paper's Table 2 job against the same steps through hb_sim. */
#include "support/support.h"

#include "measure/runs.c"

#include <math.h>
#include <string.h>

enum { STARS = 64, SEED_OF_ALL = 9 };

static const double eps = 1.0 / 256;

static struct run_params job(const char *scheme)
{
  return (struct run_params){
      .sim = {.force = {.scheme = scheme, .eps = eps}}, .n = STARS, .seed = SEED_OF_ALL, .repeat = 2};
}

static struct hb_sim *simulation(const struct hb_sim_params *params)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = STARS, .seed = SEED_OF_ALL}, &p));
  ASSERT_OK(hb_sim_create(p, params, &sim));
  hb_particles_destroy(p);
  return sim;
}

static void test_counts_and_energies(void **state)
{
  (void)state;
  const struct run_params params = job("host");
  struct run_result r;
  ASSERT_OK(bench_run(&params, &r));
  struct hb_sim *sim = simulation(&params.sim);
  struct hb_sim_counts c[2];
  struct hb_diagnostics d[2];
  for (int k = 0; k < 2; k++) {
    double t = k ? 0.5 : 0.25; /* what 0, 0 stand for */
    while (hb_sim_next_time(sim) <= t) ASSERT_OK(hb_sim_step(sim));
    hb_sim_counts(sim, &c[k]);
    ASSERT_OK(hb_sim_diagnose(sim, t, &d[k]));
  }
  expect_equal(r.counts.block_steps, c[1].block_steps - c[0].block_steps);
  expect_above(r.counts.block_steps, 100);
  expect_equal(r.counts.particle_steps, c[1].particle_steps - c[0].particle_steps);
  expect_equal(r.counts.pairs, r.counts.particle_steps * (STARS - 1));
  expect_equal(r.e_begin, d[0].e_total);
  expect_equal(r.e_end, d[1].e_total);
  assert_true(r.exact_energy);
  assert_int_equal(r.scaling, HB_IC_SCALING_MEASURED);
  assert_string_equal(r.scheme, "host");
  assert_string_equal(r.precision, "double");
  assert_string_equal(r.context, "none");
  hb_sim_destroy(sim);
}

static void test_times(void **state)
{
  (void)state;
  const struct run_params params = job("host");
  struct run_result r;
  ASSERT_OK(bench_run(&params, &r));
  const struct hb_phases *p = &r.phases;
  double sum = p->predict_s + p->send_s + p->force_s + p->receive_s + p->correct_s;
  expect_above(p->predict_s, 0);
  expect_above(p->force_s, 0);
  expect_above(p->correct_s, 0);
  expect_equal(p->receive_s, 0);
  expect_above(sum, 0);
  expect_at_most(sum, r.wall_s);
  expect_equal(r.wall_min_s, r.wall_s); /* of two the lower */
  expect_at_most(r.wall_s, r.wall_max_s);
}

/* Which energies are taken is what the simulation says, and they differ in single precision. */
static void test_energy_kinds(void **state)
{
  (void)state;
  double e[2];
  for (int k = 0; k < 2; k++) {
    struct run_result r;
    struct run_params params = {.sim = {.force = {.scheme = "host-simd", .eps = eps},
                                        .exact_energy = k ? HB_EXACT_ENERGY_NO : HB_EXACT_ENERGY_YES},
                                .n = 64,
                                .seed = 1,
                                .t_begin = 0.125,
                                .t_end = 0.25};
    ASSERT_OK(bench_run(&params, &r));
    assert_int_equal(r.exact_energy, !k);
    e[k] = r.e_begin;
  }
  expect_other(e[0], e[1]);
  expect_below(fabs(e[0] - e[1]), 1e-6);
}

static void test_errors(void **state)
{
  (void)state;
  struct run_result r;
  struct run_params params = job(NULL);
  ASSERT_FAILS(bench_run(&params, &r), HB_ERR_USAGE, "no scheme");
  params = job("host");
  params.t_begin = 0.5, params.t_end = 0.25;
  ASSERT_FAILS(bench_run(&params, &r), HB_ERR_USAGE, "0.5 to 0.25");
  params = job("host");
  params.repeat = -1;
  ASSERT_FAILS(bench_run(&params, &r), HB_ERR_USAGE, "-1");
  params = job("host");
  params.sim.transfer = HB_TRANSFER_BLOCK, params.sim.predict = HB_PLACE_GPU;
  ASSERT_FAILS(bench_run(&params, &r), HB_ERR_USAGE, "keeps no particles");
  params = job("host");
  params.n = 0;
  ASSERT_FAILS(bench_run(&params, &r), HB_ERR_USAGE, "particles is 0");
  params = job("host");
  params.sim.force.scheme = "hots";
  ASSERT_FAILS(bench_run(&params, &r), HB_ERR_USAGE, "hots");
}

/* The modes that a scheme is said to offer are those it can do. */
static void test_modes_of_schemes(void **state)
{
  (void)state;
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++) {
    assert_int_equal(strncmp(schemes[k].modes, "all/host/host", 13), 0);
    if (!schemes[k].needs_gl) assert_string_equal(schemes[k].modes, "all/host/host");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts_and_energies), cmocka_unit_test(test_times),
      cmocka_unit_test(test_energy_kinds),        cmocka_unit_test(test_errors),
      cmocka_unit_test(test_modes_of_schemes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
