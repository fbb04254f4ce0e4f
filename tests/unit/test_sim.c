/* hb_sim: a whole simulation through the public header. */
#include "support/support.h"
#include <holmberg/device.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 256 };

static const double eps = 1.0 / 256;

static struct hb_sim *plummer(const char *scheme)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p), HB_OK);
  assert_int_equal(hb_particles_set_note(p, "note", "travels"), HB_OK);
  hb_particles_id(p)[3] = 77;
  struct hb_sim_params params = {.force = {.scheme = scheme, .eps = eps}};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
  hb_particles_destroy(p);
  return sim;
}

static struct hb_particles *state_at(struct hb_sim *sim, double t)
{
  struct hb_particles *p;
  while (hb_sim_next_time(sim) <= t) assert_int_equal(hb_sim_step(sim), HB_OK);
  assert_int_equal(hb_sim_state(sim, t, &p), HB_OK);
  return p;
}

static void expect_same(struct hb_particles *p, struct hb_particles *q)
{
  assert_memory_equal(hb_particles_x(p), hb_particles_x(q), 3 * N * sizeof(double));
  assert_memory_equal(hb_particles_v(p), hb_particles_v(q), 3 * N * sizeof(double));
  assert_memory_equal(hb_particles_m(p), hb_particles_m(q), N * sizeof(double));
  assert_memory_equal(hb_particles_id(p), hb_particles_id(q), N * sizeof(uint64_t));
}

static void test_two_runs_same_bytes(void **state)
{
  (void)state;
  struct hb_sim *s1 = plummer("host"), *s2 = plummer("host");
  struct hb_particles *p1 = state_at(s1, 0.25), *p2 = state_at(s2, 0.25);
  expect_same(p1, p2);
  assert_string_equal(hb_particles_note(p1, "note"), "travels");
  expect_equal(hb_particles_id(p1)[3], 77);
  expect_equal(hb_particles_time(p1), 0.25);
  hb_particles_destroy(p1);
  hb_particles_destroy(p2);
  hb_sim_destroy(s1);
  hb_sim_destroy(s2);
}

/* Looking at a run after every block step, and between, leaves its bytes alone. */
static void test_diagnostics_change_nothing(void **state)
{
  (void)state;
  struct hb_sim *watched = plummer("host"), *alone = plummer("host");
  double t = 0;
  while (hb_sim_next_time(watched) <= 0.125) {
    struct hb_diagnostics d;
    double next = hb_sim_next_time(watched);
    struct hb_structure shape;
    assert_int_equal(hb_sim_diagnose(watched, (t + next) / 2, &d), HB_OK);
    assert_int_equal(hb_sim_structure(watched, (t + next) / 2, &shape), HB_OK);
    hb_particles_destroy(state_at(watched, (t + next) / 2));
    assert_int_equal(hb_sim_step(watched), HB_OK);
    t = next;
  }
  struct hb_particles *p1 = state_at(watched, 0.125), *p2 = state_at(alone, 0.125);
  expect_same(p1, p2);
  struct hb_sim_counts c1, c2;
  hb_sim_counts(watched, &c1);
  hb_sim_counts(alone, &c2);
  assert_memory_equal(&c1, &c2, sizeof c1);
  expect_above(c1.block_steps, 100);
  expect_equal(c1.pairs, c1.particle_steps * (N - 1));
  hb_particles_destroy(p1);
  hb_particles_destroy(p2);
  hb_sim_destroy(watched);
  hb_sim_destroy(alone);
}

/* Sizes from their definition: what a step adds to particle_steps. */
static void test_block_sizes(void **state)
{
  (void)state;
  struct hb_sim *sim = plummer("host");
  uint64_t expected[HB_BLOCK_SIZES] = {0}, blocks[HB_BLOCK_SIZES];
  for (int step = 0; step < 300; step++) {
    struct hb_sim_counts before, after;
    hb_sim_counts(sim, &before);
    assert_int_equal(hb_sim_step(sim), HB_OK);
    hb_sim_counts(sim, &after);
    double size = (double)(after.particle_steps - before.particle_steps);
    expected[(int)floor(log2(size))]++;
  }
  hb_sim_block_sizes(sim, blocks);
  assert_memory_equal(blocks, expected, sizeof blocks);
  expect_above(blocks[0], 0);
  expect_below(blocks[0], 300);
  hb_sim_destroy(sim);
}

/* One row of a short run whose forces are single precision, with and without energies in double, and what double
 * arithmetic makes of the same particles. */
static struct hb_diagnostics row_of(const char *scheme, enum hb_exact_energy wanted, double *exact)
{
  struct hb_particles *p;
  struct hb_sim *sim, *judge;
  struct hb_diagnostics d, by_host;
  struct hb_sim_params params = {.force = {.scheme = scheme, .eps = eps}, .exact_energy = wanted};
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p), HB_OK);
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
  hb_particles_destroy(p);
  p = state_at(sim, 0.125);
  assert_int_equal(hb_sim_diagnose(sim, 0.125, &d), HB_OK);
  params.force.scheme = "host";
  assert_int_equal(hb_sim_create(p, &params, &judge), HB_OK);
  assert_int_equal(hb_sim_diagnose(judge, 0.125, &by_host), HB_OK);
  *exact = by_host.e_total;
  hb_particles_destroy(p);
  hb_sim_destroy(sim);
  hb_sim_destroy(judge);
  expect_equal(d.e_total, d.e_kin + d.e_pot);
  expect_equal(d.virial_ratio, d.e_kin / -d.e_pot);
  return d;
}

static void test_exact_energy_is_a_choice(void **state)
{
  (void)state;
  double exact;
  struct hb_diagnostics d = row_of("host-simd", HB_EXACT_ENERGY_YES, &exact);
  assert_true(d.exact_energy);
  expect_equal(d.e_total, exact);
  expect_other(d.e_gpu, exact);
  double e_gpu = d.e_gpu;
  d = row_of("host-simd", HB_EXACT_ENERGY_AUTO, &exact); /* N is small */
  assert_true(d.exact_energy);
  expect_equal(d.e_total, exact);
  d = row_of("host-simd", HB_EXACT_ENERGY_NO, &exact);
  assert_false(d.exact_energy);
  expect_equal(d.e_total, e_gpu);
  expect_equal(d.e_gpu, e_gpu);
  d = row_of("host", HB_EXACT_ENERGY_NO, &exact); /* its own potentials are the exact ones */
  assert_true(d.exact_energy);
  expect_equal(d.e_total, exact);
  expect_equal(d.e_gpu, exact);
}

/* The bar of the project for the median over seeds at nu = 0.01, for this seed over the last quarter of a
 * time unit. Negative control: nu = 1. */
static const double energy_tolerance = 2e-8;

static double energy_error(double eta)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_diagnostics d0, d1;
  struct hb_sim_params params = {.force = {.scheme = "host", .eps = eps}, .eta = eta};
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p), HB_OK);
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
  hb_particles_destroy(p);
  hb_particles_destroy(state_at(sim, 0.25));
  assert_int_equal(hb_sim_diagnose(sim, 0.25, &d0), HB_OK);
  hb_particles_destroy(state_at(sim, 0.5));
  assert_int_equal(hb_sim_diagnose(sim, 0.5, &d1), HB_OK);
  hb_sim_destroy(sim);
  expect_below(fabs(d1.e_total + 0.25), 0.01);
  expect_below(fabs(d1.virial_ratio - 0.5), 0.05); /* Heggie-Mathieu units */
  expect_equal(d1.t, 0.5);
  expect_above(d1.r_half, 0.6);
  expect_below(d1.r_half, 1);
  expect_equal(d1.e_total, d1.e_kin + d1.e_pot);
  expect_equal(d1.e_gpu, d1.e_total); /* the host's potentials are the exact ones */
  return fabs((d1.e_total - d0.e_total) / d0.e_total);
}

static void test_energy_is_kept(void **state)
{
  (void)state;
  expect_at_most(energy_error(0), energy_tolerance); /* 0: the default 0.01 */
  expect_above(energy_error(1), energy_tolerance);
}

/* What particles are colored by, against the state and the forces themselves, in the middle of a run. */
static void test_quantities(void **state)
{
  (void)state;
  static double value[HB_QUANTITY_BOUND + 1][N], a[3 * N], j[3 * N], phi[N];
  static uint32_t index[N];
  struct hb_sim *sim = plummer("host"), *undisturbed = plummer("host");
  for (int k = 0; k < 100; k++) assert_int_equal(hb_sim_step(sim), HB_OK);
  for (int q = 0; q <= HB_QUANTITY_BOUND; q++)
    assert_int_equal(hb_sim_quantity(sim, (enum hb_quantity)q, value[q]), HB_OK);
  assert_int_equal(hb_sim_quantity(sim, (enum hb_quantity)(HB_QUANTITY_BOUND + 1), value[0]), HB_ERR_USAGE);

  struct hb_device_particles nowhere;
  hb_sim_on_device(sim, &nowhere);
  assert_int_equal(nowhere.layout, HB_DEVICE_NONE);
  for (int k = 0; k < 100; k++) assert_int_equal(hb_sim_step(undisturbed), HB_OK);
  double t = INFINITY, next = hb_sim_next_time(sim);
  for (size_t i = 0; i < N; i++) { /* a block step later somebody's age is its whole step */
    expect_at_least(value[HB_QUANTITY_AGE][i], 0);
    expect_below(value[HB_QUANTITY_AGE][i], value[HB_QUANTITY_STEP][i]);
    t = fmin(t, value[HB_QUANTITY_STEP][i] - value[HB_QUANTITY_AGE][i]);
  }
  struct hb_particles *p;
  assert_int_equal(hb_sim_state(undisturbed, next - t, &p), HB_OK);
  struct hb_force *force;
  assert_int_equal(hb_force_open(&(struct hb_force_params){.scheme = "host", .eps = eps}, &force), HB_OK);
  for (uint32_t i = 0; i < N; i++) index[i] = i;
  assert_int_equal(hb_force_set_j(force, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)), HB_OK);
  assert_int_equal(hb_force_eval(force, N, index, a, j, phi), HB_OK);
  double mean_difference = 0;
  for (size_t i = 0; i < N; i++) {
    const double *v = hb_particles_v(p) + 3 * i, *ai = a + 3 * i;
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double a1 = sqrt(ai[0] * ai[0] + ai[1] * ai[1] + ai[2] * ai[2]);
    expect_below(fabs(value[HB_QUANTITY_SPEED][i] - sqrt(v2)), 1e-12);
    expect_below(fabs(value[HB_QUANTITY_ENERGY][i] - (v2 / 2 + phi[i])), 1e-12);
    expect_equal(value[HB_QUANTITY_MASS][i], hb_particles_m(p)[i]);
    expect_equal(value[HB_QUANTITY_BOUND][i], 1);
    mean_difference += fabs(value[HB_QUANTITY_ACC][i] / a1 - 1) / N;
  }
  expect_below(mean_difference, 0.1); /* that of its own time, up to a step ago */
  hb_force_close(force);
  hb_particles_destroy(p);
  struct hb_particles *p1 = state_at(sim, 0.25), *p2 = state_at(undisturbed, 0.25);
  expect_same(p1, p2);
  hb_particles_destroy(p1);
  hb_particles_destroy(p2);
  hb_sim_destroy(sim);
  hb_sim_destroy(undisturbed);
}

static void test_leapfrog_quantities(void **state)
{
  (void)state;
  double step[2], age[2], acc[2], energy[2];
  struct hb_particles *p;
  struct hb_sim *sim;
  assert_int_equal(hb_ic_make("twobody", NULL, &p), HB_OK);
  struct hb_sim_params params = {.force = {.scheme = "host"}, .integrator = "leapfrog", .dt = 0.01};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_STEP, step), HB_OK);
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_AGE, age), HB_OK);
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_ACC, acc), HB_OK);
  assert_int_equal(hb_sim_quantity(sim, HB_QUANTITY_ENERGY, energy), HB_OK);
  expect_equal(step[0], 0.01);
  expect_equal(age[1], 0);
  expect_below(fabs(acc[0] - 0.5), 1e-12); /* m = 1/2, 1 apart */
  expect_below(fabs(energy[1] - (0.125 - 0.5)), 1e-12);
  hb_particles_destroy(p);
  hb_sim_destroy(sim);
}

static void test_errors(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_sim *sim;
  assert_int_equal(hb_particles_create(2, &p), HB_OK);
  hb_particles_x(p)[0] = 1;
  hb_particles_m(p)[0] = hb_particles_m(p)[1] = 1;
  struct hb_sim_params params = {.force = {.scheme = "host"}, .dt_max = 0.3};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_USAGE);
  params = (struct hb_sim_params){.force = {.scheme = "hots"}};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_USAGE);
  params = (struct hb_sim_params){.force = {.scheme = "host", .eps = -1}};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_USAGE);
  params = (struct hb_sim_params){.force = {.scheme = "host"}};
  hb_particles_x(p)[0] = 0;
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_NUMERIC);
  hb_particles_x(p)[0] = NAN;
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_ERR_INPUT);
  assert_null(sim);
  hb_particles_destroy(p);
  hb_sim_destroy(NULL);
}

/* What a caller may get wrong: one sentence each, by its name. */
static void expect_refused(enum hb_status status, enum hb_status expected, const char *sentence)
{
  print_message("# %d: %s\n", (int)status, status == HB_OK ? "accepted" : hb_error());
  assert_int_equal(status, expected);
  assert_non_null(strstr(hb_error(), sentence));
}

static void test_nonsense(void **state)
{
  (void)state;
  struct hb_particles *p = NULL;
  struct hb_sim *sim = NULL;
  struct hb_force *force;
  struct hb_diagnostics now;
  struct hb_structure shape;
  double m[3] = {1, 1, 1}, x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, v[9] = {0}, a[9], j[9], phi[3];
  const uint32_t own[3] = {HB_NO_SOURCE, 2, 3};
  expect_refused(hb_sim_create(NULL, &(struct hb_sim_params){0}, &sim), HB_ERR_USAGE, "no particles (NULL)");
  assert_null(sim);
  sim = plummer("host");
  assert_int_equal(hb_sim_state(sim, 0, &p), HB_OK);
  struct hb_sim *none;
  expect_refused(hb_sim_create(p, NULL, &none), HB_ERR_USAGE, "no parameters (NULL)");
  expect_refused(hb_force_open(NULL, &force), HB_ERR_USAGE, "no parameters (NULL)");
  expect_refused(hb_sim_integrate(sim, NAN), HB_ERR_USAGE, "the time is nan");
  expect_refused(hb_sim_integrate(sim, INFINITY), HB_ERR_USAGE, "the time is inf");
  expect_refused(hb_sim_diagnose(sim, NAN, &now), HB_ERR_USAGE, "the time is nan");
  expect_refused(hb_sim_structure(sim, NAN, &shape), HB_ERR_USAGE, "the time is nan");
  hb_particles_destroy(p);
  expect_refused(hb_sim_state(sim, NAN, &p), HB_ERR_USAGE, "the time is nan");
  hb_sim_destroy(sim);
  const char *const schemes[] = {"host", "host-simd", "grape6"};
  for (size_t k = 0; k < 3; k++) {
    assert_int_equal(hb_force_open(&(struct hb_force_params){.scheme = schemes[k]}, &force), HB_OK);
    x[4] = NAN;
    expect_refused(hb_force_set_j(force, 3, m, x, v), HB_ERR_INPUT, "particle 1 has y = nan");
    x[4] = 0, m[2] = INFINITY;
    expect_refused(hb_force_set_j(force, 3, m, x, v), HB_ERR_INPUT, "particle 2 has mass inf");
    m[2] = 1;
    assert_int_equal(hb_force_set_j(force, 3, m, x, v), HB_OK);
    if (k < 2) {
      expect_refused(hb_force_at(force, 3, x, v, own, a, j, phi), HB_ERR_USAGE,
                     "point 2 leaves out source 3, expected below 3");
      x[7] = NAN;
      expect_refused(hb_force_at(force, 3, x, v, NULL, a, j, phi), HB_ERR_INPUT, "point 2 has y = nan");
      x[7] = 0;
    }
    hb_force_close(force);
  }
}

/* Params with neighbors, or what one of them makes impossible; and what becomes of the defaults. */
static void test_neighbors(void **state)
{
  (void)state;
  const struct {
    struct hb_sim_params params;
    const char *sentence;
  } bad[] = {
      {{.neighbors = 7}, "neighbors is 7, expected 0 (auto), -1 (none) or 8 to 1024"},
      {{.neighbors = 1025}, "neighbors is 1025"},
      {{.neighbors = -2}, "neighbors is -2"},
      {{.neighbors = N}, "256 neighbors need more particles"},
      {{.neighbors = 16, .eta_far = NAN}, "eta_far is nan"},
      {{.eta_far = -1}, "eta_far is -1"},
      {{.neighbors = HB_NEIGHBORS_NONE, .eta_far = 0.01}, "an eta_far without neighbors"},
      {{.neighbors = 16, .steps = HB_STEPS_SHARED}, "neighbors need block steps"},
      {{.neighbors = 16, .integrator = "leapfrog", .dt = 0.01}, "neighbors need integrator hermite4"},
  };
  struct hb_particles *p;
  struct hb_sim *sim = plummer("host");
  assert_int_equal(hb_sim_state(sim, 0, &p), HB_OK);
  assert_int_equal(hb_sim_taken(sim)->neighbors, 0); /* auto, of few */
  hb_sim_destroy(sim);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    struct hb_sim_params params = bad[k].params;
    params.force.scheme = "host";
    expect_refused(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, bad[k].sentence);
  }
  struct hb_sim_params params = {.force = {.scheme = "host", .eps = eps}, .eta = 0.02, .neighbors = 16};
  assert_int_equal(hb_sim_create(p, &params, &sim), HB_OK);
  assert_int_equal(hb_sim_taken(sim)->neighbors, 16);
  expect_equal(hb_sim_taken(sim)->eta_far, 0.75 * 0.02);
  hb_sim_destroy(sim);
  assert_int_equal(hb_sim_default_neighbors(&params, p), HB_NEIGHBORS_NONE);
  for (size_t i = 16; i < N; i++) hb_particles_m(p)[i] = 0;
  expect_refused(hb_sim_create(p, &params, &sim), HB_ERR_USAGE, "16 neighbors need more particles");
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_runs_same_bytes),
      cmocka_unit_test(test_diagnostics_change_nothing),
      cmocka_unit_test(test_block_sizes),
      cmocka_unit_test(test_exact_energy_is_a_choice),
      cmocka_unit_test(test_energy_is_kept),
      cmocka_unit_test(test_quantities),
      cmocka_unit_test(test_leapfrog_quantities),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_nonsense),
      cmocka_unit_test(test_neighbors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
