/* [PZ07] eqs 10-17 against what the paper prints: Table 3, Table 2, and what its text says of a million particles. */
#include "perf/paper.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "perf/machine_model.c"

static const struct hb_machine *machine(const char *name)
{
  const struct hb_machine *m = hb_machines;
  while (strcmp(m->name, name) != 0) m++;
  return m;
}

/* Eq. 14, the same for all four. */
static double n_block(double n) { return hb_power_law_at(&hb_machines[0].n_block, n); }

/* The second row of Table 3 is Table 1 and section 5.3, to its three digits. */
static void test_time_of_a_pair(void **state)
{
  (void)state;
  for (int k = 0; k < HB_MACHINES; k++) {
    const struct hb_machine *m = &hb_machines[k];
    expect_near(m->t_pair, m->eta_fe / (m->f_cycle * m->n_pipe), 2e-3);
  }
}

/* Its first row, 3.82e-7 s a particle, is eqs 11 and 12 at N = 64k, within 1 %; at N = 256 they give half as much again. */
static void test_time_of_the_host(void **state)
{
  (void)state;
  static const double t_host = 3.82e-7;
  expect_near(machine_t_host(&hb_machines[0], 65536, n_block(65536)) / 65536, t_host, 0.01);
  expect_above(machine_t_host(&hb_machines[0], 256, n_block(256)) / 256, 1.5 * t_host);
}

/* A block step of so many of n particles. */
static struct hb_model_time step_of(const struct hb_machine *m, double n, double n_block)
{
  struct hb_machine with = *m;
  struct hb_model_time time;
  with.n_block = (struct hb_power_law){n_block, 0};
  hb_model_predict(&with, NULL, 1, n, &time);
  return time;
}

static void test_terms_of_a_step(void **state)
{
  (void)state;
  const struct hb_machine *grape = machine("GRAPE-6Af"), *gpu = machine("8800GTX"), *xeon = machine("Xeon");
  expect_near(n_block(1024), 54.9, 1e-3); /* 0.2 * 1024^0.81, by hand */
  expect_near(hb_model_n_steps(1024, 0.01), 2795, 1e-3);
  expect_near(machine_t_host(xeon, 1000, 0), 2.647e-4, 1e-3); /* 900 000 cycles of 3.4 GHz */
  expect_near(machine_t_host(xeon, 0, 1000), 4.706e-3, 1e-3);
  expect_near(step_of(grape, 1000, 10).t_comm, 10 * 1.6e-6, 1e-12);   /* sends the block */
  expect_near(step_of(gpu, 1000, 10).t_comm, 1000 * 2.357e-5, 1e-12); /* sends all */
  expect_equal(step_of(xeon, 1000, 10).t_comm, 0);
  expect_near(step_of(gpu, 1000, 10).t_force, 8.15e-6, 1e-12);
  expect_near(step_of(gpu, 1000, 10).t_step, 2.647e-4 + 4.706e-5 + 8.15e-6 + 2.357e-2, 1e-4);
}

/* Table 2: seconds of a quarter of a time unit; 0: not measured. */
static const struct {
  double n, t[HB_MACHINES];
} measured[] = {
    {256, {0.07098, 2.708, 3.423, 0.1325}},
    {512, {0.1410, 8.777, 10.59, 0.5941}},
    {1024, {0.3327, 17.46, 20.20, 2.584}},
    {2048, {0.7652, 45.27, 54.16, 10.59}},
    {4096, {1.991, 128.3, 157.8, 50.40}},
    {8192, {5.552, 342.7, 617.3, 224.7}},
    {16384, {16.32, 924.4, 3398, 994.0}},
    {32768, {51.68, 1907, 13180, 4328}},
    {65536, {178.2, 3973, 40560, 19290}},
    {131072, {0, 8844, 0, 0}},
    {262144, {0, 22330, 0, 0}},
    {524288, {0, 63960, 0, 0}},
};

/* Modelled / measured: the model is right within a factor of 1.45 for GRAPE, 1.6 for the 8800GTX (which from 64k on is faster
 * than its model), 1.3 for the Xeon, and 1.8 for the FX1400 up to 8192; beyond, that card took four times as long, as
 * section 5.4 says. Tight enough that a correction left out, GPUs that send the block only, or a tenth more for
 * a pair fall outside. */
static const struct {
  double n_most, least[HB_MACHINES], most[HB_MACHINES];
} agreement[] = {
    {8192, {1.10, 0.77, 0.56, 0.84}, {1.45, 0.99, 0.93, 1.28}},
    {32768, {1.27, 0.79, 0.22, 0.84}, {1.31, 1.00, 0.30, 0.87}},
    {524288, {1.27, 1.24, 0.23, 0.86}, {1.28, 1.60, 0.24, 0.87}},
};

static void test_table2(void **state)
{
  (void)state;
  size_t range = 0;
  for (size_t row = 0; row < COUNT_OF(measured); row++) {
    if (measured[row].n > agreement[range].n_most) range++;
    for (int k = 0; k < HB_MACHINES; k++) {
      if (measured[row].t[k] == 0) continue;
      double ratio = hb_machine_time(&hb_machines[k], measured[row].n) / (4 * measured[row].t[k]);
      if (!(ratio >= agreement[range].least[k] && ratio <= agreement[range].most[k]))
        fail_msg("%s, N = %g: modelled / measured is %.3f", hb_machines[k].name, measured[row].n, ratio);
    }
  }
}

/* Where Table 2 has a number, that is the ghost's pace in a race; else the equations'. */
static void test_seconds_of_ghosts(void **state)
{
  (void)state;
  int is_printed;
  expect_equal(hb_paper_seconds(1, 256, &is_printed), 4 * 2.708);
  expect_equal(is_printed, 1);
  expect_equal(hb_paper_seconds(3, 65536, &is_printed), 4 * 19290);
  expect_equal(hb_paper_seconds(0, 300, &is_printed), hb_machine_time(machine("GRAPE-6Af"), 300));
  expect_equal(is_printed, 0);
}

/* Section 6 and the abstract on the 8800GTX: some 50 times the host at 9 million particles, 20 at a million; about two
 * years for a time unit of 9 million; slower than the host below 10^4. */
static void test_what_the_text_says(void **state)
{
  (void)state;
  static const double year = 3.156e7;
  const struct hb_machine *gpu = machine("8800GTX"), *xeon = machine("Xeon");
  expect_near(hb_machine_time(xeon, 9e6) / hb_machine_time(gpu, 9e6), 50, 0.1);
  expect_near(hb_machine_time(xeon, 1e6) / hb_machine_time(gpu, 1e6), 20, 0.1);
  expect_near(hb_machine_time(gpu, 9e6), 2 * year, 0.15);
  expect_above(hb_machine_time(gpu, 8192), hb_machine_time(xeon, 8192));
  expect_below(hb_machine_time(gpu, 16384), hb_machine_time(xeon, 16384));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_time_of_a_pair),     cmocka_unit_test(test_time_of_the_host),
      cmocka_unit_test(test_terms_of_a_step),    cmocka_unit_test(test_table2),
      cmocka_unit_test(test_what_the_text_says), cmocka_unit_test(test_seconds_of_ghosts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
