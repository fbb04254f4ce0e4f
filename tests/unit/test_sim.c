/* hb_sim: a whole simulation through the public header. */
#include "support/support.h"
#include <holmberg/device.h>
#include "support/support.h"
#include <holmberg/diagnostics.h>
#include "support/support.h"

#include "support/support.h"
#include <math.h>
#include "support/support.h"
#include <string.h>
#include "support/support.h"

#include "support/support.h"
#include <setjmp.h>
#include "support/support.h"
#include <stdarg.h>
#include "support/support.h"
#include <stddef.h>
#include "support/support.h"
#include <stdint.h>
#include "support/support.h"

#include "support/support.h"
#include <cmocka.h>
#include "support/support.h"

#include "support/support.h"
enum { N = 256 };
#include "support/support.h"

#include "support/support.h"
static const double eps = 1.0 / 256;
#include "support/support.h"

#include "support/support.h"
static struct hb_sim *plummer(const char *scheme)
#include "support/support.h"
{
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  struct hb_sim *sim;
#include "support/support.h"
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_particles_set_note(p, "note", "travels"), HB_OK);
#include "support/support.h"
  hb_particles_id(p)[3] = 77;
#include "support/support.h"
  struct hb_sim_params params = {.force = {.scheme = scheme, .eps = eps}};
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  return sim;
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static struct hb_particles *state_at(struct hb_sim *sim, double t)
#include "support/support.h"
{
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  while (hb_sim_next_time(sim) <= t) assert_int_equal(hb_sim_step(sim), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_state(sim, t, &p), HB_OK);
#include "support/support.h"
  return p;
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void expect_same(struct hb_particles *p, struct hb_particles *q)
#include "support/support.h"
{
#include "support/support.h"
  assert_memory_equal(hb_particles_x(p), hb_particles_x(q), 3 * N * sizeof(double));
#include "support/support.h"
  assert_memory_equal(hb_particles_v(p), hb_particles_v(q), 3 * N * sizeof(double));
#include "support/support.h"
  assert_memory_equal(hb_particles_m(p), hb_particles_m(q), N * sizeof(double));
#include "support/support.h"
  assert_memory_equal(hb_particles_id(p), hb_particles_id(q), N * sizeof(uint64_t));
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void test_two_runs_same_bytes(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  struct hb_sim *s1 = plummer("host"), *s2 = plummer("host");
#include "support/support.h"
  struct hb_particles *p1 = state_at(s1, 0.25), *p2 = state_at(s2, 0.25);
#include "support/support.h"
  expect_same(p1, p2);
#include "support/support.h"
  assert_string_equal(hb_particles_note(p1, "note"), "travels");
#include "support/support.h"
  expect_equal(hb_particles_id(p1)[3], 77);
#include "support/support.h"
  expect_equal(hb_particles_time(p1), 0.25);
#include "support/support.h"
  hb_particles_destroy(p1);
#include "support/support.h"
  hb_particles_destroy(p2);
#include "support/support.h"
  hb_sim_destroy(s1);
#include "support/support.h"
  hb_sim_destroy(s2);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
/* Looking at a run after every block step, and between, leaves its bytes alone. */
#include "support/support.h"
static void test_diagnostics_change_nothing(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  struct hb_sim *watched = plummer("host"), *alone = plummer("host");
#include "support/support.h"
  double t = 0;
#include "support/support.h"
  while (hb_sim_next_time(watched) <= 0.125) {
#include "support/support.h"
    struct hb_diagnostics d;
#include "support/support.h"
    double next = hb_sim_next_time(watched);
#include "support/support.h"
    struct hb_structure shape;
#include "support/support.h"
    assert_int_equal(hb_sim_diagnose(watched, (t + next) / 2, &d), HB_OK);
#include "support/support.h"
    assert_int_equal(hb_sim_structure(watched, (t + next) / 2, &shape), HB_OK);
#include "support/support.h"
    hb_particles_destroy(state_at(watched, (t + next) / 2));
#include "support/support.h"
    assert_int_equal(hb_sim_step(watched), HB_OK);
#include "support/support.h"
    t = next;
#include "support/support.h"
  }
#include "support/support.h"
  struct hb_particles *p1 = state_at(watched, 0.125), *p2 = state_at(alone, 0.125);
#include "support/support.h"
  expect_same(p1, p2);
#include "support/support.h"
  struct hb_sim_counts c1, c2;
#include "support/support.h"
  hb_sim_counts(watched, &c1);
#include "support/support.h"
  hb_sim_counts(alone, &c2);
#include "support/support.h"
  assert_memory_equal(&c1, &c2, sizeof c1);
#include "support/support.h"
  expect_above(c1.block_steps, 100);
#include "support/support.h"
  expect_equal(c1.pairs, c1.particle_steps * (N - 1));
#include "support/support.h"
  hb_particles_destroy(p1);
#include "support/support.h"
  hb_particles_destroy(p2);
#include "support/support.h"
  hb_sim_destroy(watched);
#include "support/support.h"
  hb_sim_destroy(alone);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
/* Sizes from their definition: what a step adds to particle_steps. */
#include "support/support.h"
static void test_block_sizes(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  struct hb_sim *sim = plummer("host");
#include "support/support.h"
  uint64_t expected[HB_BLOCK_SIZES] = {0}, blocks[HB_BLOCK_SIZES];
#include "support/support.h"
  for (int step = 0; step < 300; step++) {
#include "support/support.h"
    struct hb_sim_counts before, after;
#include "support/support.h"
    hb_sim_counts(sim, &before);
#include "support/support.h"
    assert_int_equal(hb_sim_step(sim), HB_OK);
#include "support/support.h"
    hb_sim_counts(sim, &after);
#include "support/support.h"
    double size = (double)(after.particle_steps - before.particle_steps);
#include "support/support.h"
    expected[(int)floor(log2(size))]++;
#include "support/support.h"
  }
#include "support/support.h"
  hb_sim_block_sizes(sim, blocks);
#include "support/support.h"
  assert_memory_equal(blocks, expected, sizeof blocks);
#include "support/support.h"
  expect_above(blocks[0], 0);
#include "support/support.h"
  expect_below(blocks[0], 300);
#include "support/support.h"
  hb_sim_destroy(sim);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
/* One row of a short run whose forces are single precision, with and without energies in double, and what double
#include "support/support.h"
 * arithmetic makes of the same particles. */
#include "support/support.h"
static struct hb_diagnostics row_of(const char *scheme, enum hb_exact_energy wanted, double *exact)
#include "support/support.h"
{
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  struct hb_sim *sim, *judge;
#include "support/support.h"
  struct hb_diagnostics d, by_host;
#include "support/support.h"
  struct hb_sim_params params = {.force = {.scheme = scheme, .eps = eps}, .exact_energy = wanted};
#include "support/support.h"
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  p = state_at(sim, 0.125);
#include "support/support.h"
  assert_int_equal(hb_sim_diagnose(sim, 0.125, &d), HB_OK);
#include "support/support.h"
  params.force.scheme = "host";
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &judge), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_diagnose(judge, 0.125, &by_host), HB_OK);
#include "support/support.h"
  *exact = by_host.e_total;
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  hb_sim_destroy(sim);
#include "support/support.h"
  hb_sim_destroy(judge);
#include "support/support.h"
  expect_equal(d.e_total, d.e_kin + d.e_pot);
#include "support/support.h"
  expect_equal(d.virial_ratio, d.e_kin / -d.e_pot);
#include "support/support.h"
  return d;
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void test_exact_energy_is_a_choice(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  double exact;
#include "support/support.h"
  struct hb_diagnostics d = row_of("host-simd", HB_EXACT_ENERGY_YES, &exact);
#include "support/support.h"
  assert_true(d.exact_energy && d.e_total == exact && d.e_gpu != exact);
#include "support/support.h"
  double e_gpu = d.e_gpu;
#include "support/support.h"
  d = row_of("host-simd", HB_EXACT_ENERGY_AUTO, &exact); /* N is small */
#include "support/support.h"
  assert_true(d.exact_energy && d.e_total == exact);
#include "support/support.h"
  d = row_of("host-simd", HB_EXACT_ENERGY_NO, &exact);
#include "support/support.h"
  assert_true(!d.exact_energy && d.e_total == e_gpu && d.e_gpu == e_gpu);
#include "support/support.h"
  d = row_of("host", HB_EXACT_ENERGY_NO, &exact); /* its own potentials are the exact ones */
#include "support/support.h"
  assert_true(d.exact_energy && d.e_total == exact && d.e_gpu == exact);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
/* The bar of the project for the median over seeds at nu = 0.01, for this seed over the last quarter of a
#include "support/support.h"
 * time unit. Negative control: nu = 1. */
#include "support/support.h"
static const double energy_tolerance = 2e-8;
#include "support/support.h"

#include "support/support.h"
static double energy_error(double eta)
#include "support/support.h"
{
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  struct hb_sim *sim;
#include "support/support.h"
  struct hb_diagnostics d0, d1;
#include "support/support.h"
  struct hb_sim_params params = {.force = {.scheme = "host", .eps = eps}, .eta = eta};
#include "support/support.h"
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  hb_particles_destroy(state_at(sim, 0.25));
#include "support/support.h"
  assert_int_equal(hb_sim_diagnose(sim, 0.25, &d0), HB_OK);
#include "support/support.h"
  hb_particles_destroy(state_at(sim, 0.5));
#include "support/support.h"
  assert_int_equal(hb_sim_diagnose(sim, 0.5, &d1), HB_OK);
#include "support/support.h"
  hb_sim_destroy(sim);
#include "support/support.h"
  assert_true(fabs(d1.e_total + 0.25) < 0.01 &&
#include "support/support.h"
              fabs(d1.virial_ratio - 0.5) < 0.05); /* Heggie-Mathieu units */
#include "support/support.h"
  expect_equal(d1.t, 0.5);
#include "support/support.h"
  expect_above(d1.r_half, 0.6);
#include "support/support.h"
  expect_below(d1.r_half, 1);
#include "support/support.h"
  expect_equal(d1.e_total, d1.e_kin + d1.e_pot);
#include "support/support.h"
  expect_equal(d1.e_gpu, d1.e_total); /* the host's potentials are the exact ones */
#include "support/support.h"
  return fabs((d1.e_total - d0.e_total) / d0.e_total);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void test_energy_is_kept(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  expect_at_most(energy_error(0), energy_tolerance); /* 0: the default 0.01 */
#include "support/support.h"
  expect_above(energy_error(1), energy_tolerance);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
/* What particles are colored by, against the state and the forces themselves, in the middle of a run. */
#include "support/support.h"
static void test_quantities(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  static double value[HB_QUANTITY_BOUND + 1][N], a[3 * N], j[3 * N], phi[N];
#include "support/support.h"
  static uint32_t index[N];
#include "support/support.h"
  struct hb_sim *sim = plummer("host"), *undisturbed = plummer("host");
#include "support/support.h"
  for (int k = 0; k < 100; k++) assert_int_equal(hb_sim_step(sim), HB_OK);
#include "support/support.h"
  for (int q = 0; q <= HB_QUANTITY_BOUND; q++)
#include "support/support.h"
    assert_int_equal(hb_sim_quantity(sim, (enum hb_quantity)q, value[q]), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_quantity(sim, (enum hb_quantity)(HB_QUANTITY_BOUND + 1), value[0]), HB_ERR_USAGE);
#include "support/support.h"

#include "support/support.h"
  struct hb_device_particles nowhere;
#include "support/support.h"
  hb_sim_on_device(sim, &nowhere);
#include "support/support.h"
  assert_int_equal(nowhere.layout, HB_DEVICE_NONE);
#include "support/support.h"
  for (int k = 0; k < 100; k++) assert_int_equal(hb_sim_step(undisturbed), HB_OK);
#include "support/support.h"
  double t = INFINITY, next = hb_sim_next_time(sim);
#include "support/support.h"
  for (size_t i = 0; i < N; i++) { /* a block step later somebody's age is its whole step */
#include "support/support.h"
    expect_at_least(value[HB_QUANTITY_AGE][i], 0);
#include "support/support.h"
    expect_below(value[HB_QUANTITY_AGE][i], value[HB_QUANTITY_STEP][i]);
#include "support/support.h"
    t = fmin(t, value[HB_QUANTITY_STEP][i] - value[HB_QUANTITY_AGE][i]);
#include "support/support.h"
  }
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  assert_int_equal(hb_sim_state(undisturbed, next - t, &p), HB_OK);
#include "support/support.h"
  struct hb_force *force;
#include "support/support.h"
  assert_int_equal(hb_force_open(&(struct hb_force_params){.scheme = "host", .eps = eps}, &force), HB_OK);
#include "support/support.h"
  for (uint32_t i = 0; i < N; i++) index[i] = i;
#include "support/support.h"
  assert_int_equal(hb_force_set_j(force, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_force_eval(force, N, index, a, j, phi), HB_OK);
#include "support/support.h"
  double mean_difference = 0;
#include "support/support.h"
  for (size_t i = 0; i < N; i++) {
#include "support/support.h"
    const double *v = hb_particles_v(p) + 3 * i, *ai = a + 3 * i;
#include "support/support.h"
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
#include "support/support.h"
    double a1 = sqrt(ai[0] * ai[0] + ai[1] * ai[1] + ai[2] * ai[2]);
#include "support/support.h"
    expect_below(fabs(value[HB_QUANTITY_SPEED][i] - sqrt(v2)), 1e-12);
#include "support/support.h"
    expect_below(fabs(value[HB_QUANTITY_ENERGY][i] - (v2 / 2 + phi[i])), 1e-12);
#include "support/support.h"
    expect_equal(value[HB_QUANTITY_MASS][i], hb_particles_m(p)[i]);
#include "support/support.h"
    expect_equal(value[HB_QUANTITY_BOUND][i], 1);
#include "support/support.h"
    mean_difference += fabs(value[HB_QUANTITY_ACC][i] / a1 - 1) / N;
#include "support/support.h"
  }
#include "support/support.h"
  expect_below(mean_difference, 0.1); /* that of its own time, up to a step ago */
#include "support/support.h"
  hb_force_close(force);
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  struct hb_particles *p1 = state_at(sim, 0.25), *p2 = state_at(undisturbed, 0.25);
#include "support/support.h"
  expect_same(p1, p2);
#include "support/support.h"
  hb_particles_destroy(p1);
#include "support/support.h"
  hb_particles_destroy(p2);
#include "support/support.h"
  hb_sim_destroy(sim);
#include "support/support.h"
  hb_sim_destroy(undisturbed);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void test_leapfrog_quantities(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  double step[2], age[2], acc[2], energy[2];
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  struct hb_sim *sim;
#include "support/support.h"
  assert_int_equal(hb_ic_make("twobody", NULL, &p), HB_OK);
#include "support/support.h"
  struct hb_sim_params params = {.force = {.scheme = "host"}, .integrator = "leapfrog", .dt = 0.01};
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_STEP, step), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_AGE, age), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_ACC, acc), HB_OK);
#include "support/support.h"
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_ENERGY, energy), HB_OK);
#include "support/support.h"
  expect_equal(step[0], 0.01);
#include "support/support.h"
  expect_equal(age[1], 0);
#include "support/support.h"
  expect_below(fabs(acc[0] - 0.5), 1e-12); /* m = 1/2, 1 apart */
#include "support/support.h"
  expect_below(fabs(energy[1] - (0.125 - 0.5)), 1e-12);
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  hb_sim_destroy(sim);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void test_errors(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  struct hb_particles *p;
#include "support/support.h"
  struct hb_sim *sim;
#include "support/support.h"
  assert_int_equal(hb_particles_create(2, &p), HB_OK);
#include "support/support.h"
  hb_particles_x(p)[0] = 1;
#include "support/support.h"
  hb_particles_m(p)[0] = hb_particles_m(p)[1] = 1;
#include "support/support.h"
  struct hb_sim_params params = {.force = {.scheme = "host"}, .dt_max = 0.3};
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_USAGE);
#include "support/support.h"
  params = (struct hb_sim_params){.force = {.scheme = "hots"}};
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_USAGE);
#include "support/support.h"
  params = (struct hb_sim_params){.force = {.scheme = "host", .eps = -1}};
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_USAGE);
#include "support/support.h"
  params = (struct hb_sim_params){.force = {.scheme = "host"}};
#include "support/support.h"
  hb_particles_x(p)[0] = 0;
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_NUMERIC);
#include "support/support.h"
  hb_particles_x(p)[0] = NAN;
#include "support/support.h"
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_INPUT);
#include "support/support.h"
  assert_null(sim);
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  hb_sim_destroy(NULL);
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
/* What a caller may get wrong: one sentence each, by its name. */
#include "support/support.h"
static void expect_refused(enum hb_status status, enum hb_status expected, const char *sentence)
#include "support/support.h"
{
#include "support/support.h"
  print_message("# %d: %s\n", (int)status, status == HB_OK ? "accepted" : hb_error());
#include "support/support.h"
  assert_int_equal(status, expected);
#include "support/support.h"
  assert_non_null(strstr(hb_error(), sentence));
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
static void test_nonsense(void **state)
#include "support/support.h"
{
#include "support/support.h"
  (void)state;
#include "support/support.h"
  struct hb_particles *p = NULL;
#include "support/support.h"
  struct hb_sim *sim = NULL;
#include "support/support.h"
  struct hb_force *force;
#include "support/support.h"
  struct hb_diagnostics now;
#include "support/support.h"
  struct hb_structure shape;
#include "support/support.h"
  double m[3] = {1, 1, 1}, x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, v[9] = {0}, a[9], j[9], phi[3];
#include "support/support.h"
  const uint32_t own[3] = {HB_NO_SOURCE, 2, 3};
#include "support/support.h"
  expect_refused(hb_sim_create(NULL, &(struct hb_sim_params){0}, &sim), HB_ERR_USAGE, "no particles (NULL)");
#include "support/support.h"
  assert_null(sim);
#include "support/support.h"
  sim = plummer("host");
#include "support/support.h"
  assert_int_equal(hb_sim_state(sim, 0, &p), HB_OK);
#include "support/support.h"
  struct hb_sim *none;
#include "support/support.h"
  expect_refused(hb_sim_create(p, NULL, &none), HB_ERR_USAGE, "no parameters (NULL)");
#include "support/support.h"
  expect_refused(hb_force_open(NULL, &force), HB_ERR_USAGE, "no parameters (NULL)");
#include "support/support.h"
  expect_refused(hb_sim_integrate(sim, NAN), HB_ERR_USAGE, "the time is nan");
#include "support/support.h"
  expect_refused(hb_sim_integrate(sim, INFINITY), HB_ERR_USAGE, "the time is inf");
#include "support/support.h"
  expect_refused(hb_sim_diagnose(sim, NAN, &now), HB_ERR_USAGE, "the time is nan");
#include "support/support.h"
  expect_refused(hb_sim_structure(sim, NAN, &shape), HB_ERR_USAGE, "the time is nan");
#include "support/support.h"
  hb_particles_destroy(p);
#include "support/support.h"
  expect_refused(hb_sim_state(sim, NAN, &p), HB_ERR_USAGE, "the time is nan");
#include "support/support.h"
  hb_sim_destroy(sim);
#include "support/support.h"
  const char *const schemes[] = {"host", "host-simd", "grape6"};
#include "support/support.h"
  for (size_t k = 0; k < 3; k++) {
#include "support/support.h"
    assert_int_equal(hb_force_open(&(struct hb_force_params){.scheme = schemes[k]}, &force), HB_OK);
#include "support/support.h"
    x[4] = NAN;
#include "support/support.h"
    expect_refused(hb_force_set_j(force, 3, m, x, v), HB_ERR_INPUT, "particle 1 has y = nan");
#include "support/support.h"
    x[4] = 0, m[2] = INFINITY;
#include "support/support.h"
    expect_refused(hb_force_set_j(force, 3, m, x, v), HB_ERR_INPUT, "particle 2 has mass inf");
#include "support/support.h"
    m[2] = 1;
#include "support/support.h"
    assert_int_equal(hb_force_set_j(force, 3, m, x, v), HB_OK);
#include "support/support.h"
    if (k < 2) {
#include "support/support.h"
      expect_refused(hb_force_at(force, 3, x, v, own, a, j, phi), HB_ERR_USAGE,
#include "support/support.h"
                     "point 2 leaves out source 3, expected below 3");
#include "support/support.h"
      x[7] = NAN;
#include "support/support.h"
      expect_refused(hb_force_at(force, 3, x, v, NULL, a, j, phi), HB_ERR_INPUT, "point 2 has y = nan");
#include "support/support.h"
      x[7] = 0;
#include "support/support.h"
    }
#include "support/support.h"
    hb_force_close(force);
#include "support/support.h"
  }
#include "support/support.h"
}
#include "support/support.h"

#include "support/support.h"
int main(void)
#include "support/support.h"
{
#include "support/support.h"
  const struct CMUnitTest tests[] = {
#include "support/support.h"
      cmocka_unit_test(test_two_runs_same_bytes),
#include "support/support.h"
      cmocka_unit_test(test_diagnostics_change_nothing),
#include "support/support.h"
      cmocka_unit_test(test_block_sizes),
#include "support/support.h"
      cmocka_unit_test(test_exact_energy_is_a_choice),
#include "support/support.h"
      cmocka_unit_test(test_energy_is_kept),
#include "support/support.h"
      cmocka_unit_test(test_quantities),
#include "support/support.h"
      cmocka_unit_test(test_leapfrog_quantities),
#include "support/support.h"
      cmocka_unit_test(test_errors),
#include "support/support.h"
      cmocka_unit_test(test_nonsense),
#include "support/support.h"
  };
#include "support/support.h"
  return cmocka_run_group_tests(tests, NULL, NULL);
#include "support/support.h"
}
#include "support/support.h"
