/* hb_interaction_* and hb_all_pairs_*, as a program of its own calls them: by names, on sources and on points of their own. */
#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>
#include <holmberg/interaction.h>

#include "base/mem.h"
#include "pairs/interaction.h"
#include "support/pairs_case.h"
#include "support/pairs_law.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NJ = 150, NI = 70 };

static double sources[NJ][PAIRS_COLUMNS], sinks[NI][PAIRS_COLUMNS], got[NI][PAIRS_COLUMNS];

static void fill(double numbers[][PAIRS_COLUMNS], size_t n, uint32_t seed)
{
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < PAIRS_COLUMNS; c++) {
      seed = seed * 1664525u + 1013904223u;
      numbers[i][c] = (double)(seed >> 8) / 8388608.0 - 1;
    }
}

/* The names of an interaction as columns of such numbers. */
static size_t columns_of(const struct hb_interaction *law, double numbers[][PAIRS_COLUMNS], int is_sink,
                         struct hb_input inputs[PAIRS_COLUMNS])
{
  size_t count = 0;
  const char *name;
  while ((name = is_sink ? hb_interaction_of_sink(law, count) : hb_interaction_of_source(law, count))) {
    int c = 0;
    while (strcmp(law->of_source.at[c], name) != 0) c++;
    inputs[count++] = (struct hb_input){name, &numbers[0][c], PAIRS_COLUMNS};
  }
  return count;
}

static size_t results_of(const struct hb_interaction *law, struct hb_output outputs[PAIRS_COLUMNS])
{
  size_t count = 0;
  const char *name;
  while ((name = hb_interaction_of_force(law, count))) {
    int c = 0;
    while (strcmp(law->of_force.at[c], name) != 0) c++;
    outputs[count++] = (struct hb_output){name, &got[0][c], PAIRS_COLUMNS};
  }
  return count;
}

/* The largest error against plain C, of sinks that leave out these sources. */
static double error_of(const struct pairs_law *law, const double *parameter, double points[][PAIRS_COLUMNS],
                       size_t ni, const uint32_t *own)
{
  double most = 0;
  for (size_t i = 0; i < ni; i++) {
    struct pairs_sum right[PAIRS_SUMS];
    memset(right, 0, sizeof right);
    for (uint32_t j = 0; j < NJ; j++)
      if (!own || own[i] != j) law->pair(parameter, points[i], sources[j], right);
    for (int s = 0; law->result[s].width; s++)
      for (int l = 0; l < law->result[s].width; l++)
        most = fmax(most, fabs(got[i][law->result[s].first + l] - right[s].f[l]) / right[s].size);
  }
  return most;
}

static void check_law(const char *name, const char *scheme, const char *precision, double tolerance)
{
  struct hb_interaction *law;
  struct hb_all_pairs *pairs;
  struct hb_input in[PAIRS_COLUMNS];
  struct hb_output out[PAIRS_COLUMNS];
  const struct pairs_law *right = pairs_law_of(name);
  char words[64];
  if (pairs_lacks_a(scheme) || pairs_lacks_a(precision)) return;
  ASSERT_OK(hb_interaction_create(name, &law));
  double value, parameter[4];
  const char *first = hb_interaction_of_parameter(law, 0, &value);
  memcpy(parameter, right->parameter, sizeof parameter);
  snprintf(words, sizeof words, "%s=%.17g", first, parameter[0]);
  const struct hb_all_pairs_params params = {.scheme = scheme, .precision = precision, .parameters = words};
  ASSERT_OK(hb_all_pairs_open(law, &params, &pairs));
  assert_string_equal(hb_all_pairs_scheme(pairs), scheme);
  const char *second = hb_interaction_of_parameter(law, 1, &value);
  if (second) ASSERT_OK(hb_all_pairs_set_parameter(pairs, second, parameter[1]));
  fill(sources, NJ, 1);
  fill(sinks, NI, 2);
  ASSERT_OK(hb_all_pairs_set_sources(pairs, NJ, columns_of(law, sources, 0, in), in));
  size_t results = results_of(law, out);

  uint32_t index[NI], own[NI];
  for (uint32_t i = 0; i < NI; i++) index[i] = 2 * i, own[i] = i % 3 ? HB_NO_SOURCE : i;
  ASSERT_OK(hb_all_pairs_eval(pairs, NI, index, results, out));
  static double chosen[NI][PAIRS_COLUMNS];
  for (size_t i = 0; i < NI; i++) memcpy(chosen[i], sources[index[i]], sizeof *chosen);
  expect_below(error_of(right, parameter, chosen, NI, index), tolerance);

  size_t columns = columns_of(law, sinks, 1, in);
  ASSERT_OK(hb_all_pairs_eval_at(pairs, NI, columns, in, own, results, out));
  expect_below(error_of(right, parameter, sinks, NI, own), tolerance);
  ASSERT_OK(hb_all_pairs_eval_at(pairs, NI, columns, in, NULL, results, out));
  expect_below(error_of(right, parameter, sinks, NI, NULL), tolerance);
  expect_at_least(error_of(right, parameter, sinks, NI, own), 4 * tolerance); /* the control: own is seen */

  ASSERT_OK(hb_all_pairs_set_parameter(pairs, first, 1.01 * parameter[0]));
  ASSERT_OK(hb_all_pairs_eval_at(pairs, NI, columns, in, NULL, results, out));
  expect_at_least(error_of(right, parameter, sinks, NI, NULL), 4 * tolerance);
  hb_all_pairs_close(pairs);
  hb_interaction_destroy(law);
}

/* Positions of all digits, float arithmetic in ds. */
static void test_by_name(void **state)
{
  (void)state;
  check_law("coulomb", "bag", "double", 1e-14);
  check_law("coulomb", "matrix2004", "ds", 4e-6);
  check_law("gravity_snap", "tile", "double", 1e-14);
  pairs_skip_if_lacking();
}

/* ---- text -------------------------------------------------------------------------------------------- */

#define INTERACT                                                                                             \
  "#include \"common/real.glsl\"\n"                                                                          \
  "void interact(in real4 i[ALL_RECORDS], in real4 j[ALL_RECORDS], real4 parameter, inout real4 "            \
  "f[F_RECORDS]) {\n"

/* Three records in, three out, of which each is told apart. */
static void test_from_a_string(void **state)
{
  (void)state;
  static const char text[] = "// particle: (a, b, c, d) (e, -, -, -) (-, -, -, g)\n"
                             "// sink: (a, -, -, -)\n"
                             "// force: (p, q, -, -) (-, -, r, s) (t, u, -, -)\n"
                             "// parameter: (k, l = 3, -, -)\n"
                             "// flops: 7\n" INTERACT "  f[0].x += j[0].x - i[0].x;\n"
                             "  f[0].y += j[0].w * parameter.x;\n"
                             "  f[1].z += j[1].x * parameter.y;\n"
                             "  f[1].w += j[2].w;\n"
                             "  f[2].xy += vec2(1.0, j[0].y);\n"
                             "  f[2].w = real(17.0);\n" /* of the engine: without effect */
                             "}\n";
  struct hb_interaction *law;
  struct hb_all_pairs *pairs;
  double value;
  ASSERT_OK(hb_interaction_create_text("mine", text, &law));
  assert_string_equal(hb_interaction_name(law), "mine");
  assert_int_equal(hb_interaction_flops(law), 7);
  assert_string_equal(hb_interaction_of_source(law, 5), "g");
  assert_null(hb_interaction_of_source(law, 6));
  assert_null(hb_interaction_of_sink(law, 1));
  assert_string_equal(hb_interaction_of_force(law, 2), "r");
  assert_string_equal(hb_interaction_of_parameter(law, 0, &value), "k");
  assert_true(isnan(value));
  assert_string_equal(hb_interaction_of_parameter(law, 1, &value), "l");
  expect_equal(value, 3);
  ASSERT_FAILS(hb_all_pairs_open(law, NULL, &pairs), HB_ERR_USAGE, "interaction mine needs its parameter k");
  const double a[] = {1, 2, 4}, b[] = {8, 16, 32}, zero = 0;
  double p[3], q[3], r[3], s[3], t[3], u[3];
  const struct hb_input in[] = {{"a", a, 1}, {"b", b, 1}, {"c", &zero, 0},
                                {"d", a, 1}, {"e", b, 1}, {"g", a, 1}};
  const struct hb_output out[] = {{"p", p, 1}, {"q", q, 1}, {"r", r, 1},
                                  {"s", s, 1}, {"t", t, 1}, {"u", u, 1}};
  ASSERT_OK(hb_all_pairs_open(law, &(const struct hb_all_pairs_params){.parameters = "k=2"}, &pairs));
  ASSERT_OK(hb_all_pairs_set_sources(pairs, 3, 6, in));
  ASSERT_OK(hb_all_pairs_eval(pairs, 3, NULL, 6, out));
  expect_equal(p[0], 1 + 3);
  expect_equal(p[2], -3 - 2);
  expect_equal(q[0], 2 * 6);
  expect_equal(r[1], 3 * 40);
  expect_equal(s[2], 3);
  expect_equal(t[0], 2);
  expect_equal(u[2], 24);
  ASSERT_OK(hb_all_pairs_eval_at(pairs, 1, 1, in, NULL, 2, out + 3));
  expect_equal(s[0], 7);
  expect_equal(t[0], 3);
  hb_all_pairs_close(pairs);
  hb_interaction_destroy(law);
}

static void test_messages(void **state)
{
  (void)state;
  struct hb_interaction *law;
  struct hb_all_pairs *pairs;
  static const char head[] = "// particle: (x, y, z, m)\n// force: (fx, fy, fz, -)\n" INTERACT;
  char text[1024];
  ASSERT_FAILS(hb_interaction_create_text("text", "", &law), HB_ERR_INPUT,
               "text: no line like '// particle: ");
  assert_null(law);
  snprintf(text, sizeof text, "%s  f[0].x += oops;\n}\n", head);
  ASSERT_OK(hb_interaction_create_text("a string", text, &law));
  for (int k = 0; k < 2; k++) { /* nothing of the first failure stays */
    ASSERT_FAILS(hb_all_pairs_open(law, NULL, &pairs), HB_ERR_INPUT, "a string:5: ");
    assert_non_null(strstr(hb_error(), "oops"));
    assert_null(pairs);
  }
  hb_interaction_destroy(law);
  snprintf(text, sizeof text, "%s  float r = j[0].x;\n  f[0].x += r;\n}\n", head);
  ASSERT_OK(hb_interaction_create_text("a string", text, &law));
  ASSERT_OK(hb_all_pairs_open(law, NULL, &pairs));
  hb_all_pairs_close(pairs);
  if (!pairs_lacks_a("double"))
    ASSERT_FAILS(hb_all_pairs_open(law, &(const struct hb_all_pairs_params){.precision = "double"}, &pairs),
                 HB_ERR_INPUT, "a string:5: ");
  hb_interaction_destroy(law);
  pairs_skip_if_lacking();
}

static void test_refuses(void **state)
{
  (void)state;
  struct hb_interaction *law;
  struct hb_all_pairs *pairs;
  const double x[] = {0, 1}, m[] = {1, 1};
  double a[2];
  const struct hb_input in[] = {{"x", x, 1}, {"y", x, 1}, {"z", x, 1}, {"m", m, 1}, {"m", m, 1}, {"q", m, 1}};
  const struct hb_output out[] = {{"ax", a, 1}, {"phi", a, 1}};
  const uint32_t beyond[] = {2};
  ASSERT_FAILS(hb_interaction_create("gravit", &law), HB_ERR_USAGE, "unknown interaction 'gravit' (expected");
  ASSERT_FAILS(hb_interaction_create("./gravity", &law), HB_ERR_IO, "cannot read ./gravity");
  ASSERT_OK(hb_interaction_create("gravity", &law));
  ASSERT_FAILS(hb_all_pairs_open(law, &(const struct hb_all_pairs_params){.precision = "grape6"}, &pairs),
               HB_ERR_USAGE, "unknown precision 'grape6' of the all-pairs engine");
  ASSERT_FAILS(hb_all_pairs_open(law, &(const struct hb_all_pairs_params){.scheme = "host"}, &pairs),
               HB_ERR_USAGE, "unknown scheme 'host' of the all-pairs engine");
  ASSERT_OK(hb_all_pairs_open(law, NULL, &pairs));
  ASSERT_FAILS(hb_all_pairs_eval(pairs, 1, NULL, 1, out), HB_ERR_USAGE, "before the sources were set");
  ASSERT_FAILS(hb_all_pairs_set_sources(pairs, 0, 4, in), HB_ERR_USAGE, "no sources");
  ASSERT_FAILS(hb_all_pairs_set_sources(pairs, 2, 3, in), HB_ERR_USAGE, "gravity needs 'm' of a source");
  ASSERT_FAILS(hb_all_pairs_set_sources(pairs, 2, 5, in), HB_ERR_USAGE, "'m' is given twice for a source");
  ASSERT_FAILS(hb_all_pairs_set_sources(pairs, 2, 6, in), HB_ERR_USAGE, "'m' is given twice");
  ASSERT_OK(hb_all_pairs_set_sources(pairs, 2, 4, in));
  ASSERT_FAILS(hb_all_pairs_eval(pairs, 3, NULL, 1, out), HB_ERR_USAGE, "3 sinks of 2 sources");
  ASSERT_FAILS(hb_all_pairs_eval(pairs, 1, beyond, 1, out), HB_ERR_USAGE,
               "sink 0 is source 2, expected below 2");
  ASSERT_FAILS(hb_all_pairs_eval(pairs, 1, NULL, 2, out), HB_ERR_USAGE,
               "'phi' is not a result of interaction gravity");
  ASSERT_FAILS(hb_all_pairs_eval_at(pairs, 1, 4, in, NULL, 1, out), HB_ERR_USAGE,
               "'m' is not a number of a sink");
  ASSERT_FAILS(hb_all_pairs_eval_at(pairs, 1, 3, in, beyond, 1, out), HB_ERR_USAGE, "leaves out source 2");
  ASSERT_FAILS(hb_all_pairs_set_parameter(pairs, "k", 1), HB_ERR_USAGE, "has no parameter 'k'");
  ASSERT_FAILS(hb_all_pairs_set_parameter(pairs, "eps2", NAN), HB_ERR_USAGE, "expected a finite number");
  ASSERT_OK(hb_all_pairs_eval(pairs, 0, NULL, 1, out));
  hb_all_pairs_close(pairs);
  hb_interaction_destroy(law);
  hb_all_pairs_close(NULL);
  hb_interaction_destroy(NULL);
}

/* ---- simulations ------------------------------------------------------------------------------------- */

static void take_steps(struct hb_sim *sim, int steps, double x[6])
{
  struct hb_particles *at;
  for (int k = 0; k < steps; k++) ASSERT_OK(hb_sim_step(sim));
  ASSERT_OK(hb_sim_state(sim, hb_sim_next_time(sim), &at));
  memcpy(x, hb_particles_x(at), 6 * sizeof *x);
  hb_particles_destroy(at);
}

/* Springs without mass between all particles: phi = k r^2 / 2, so that a pair of masses m swings with omega^2 = 2 k m. */
static void test_sim_of_a_handle(void **state)
{
  (void)state;
  static const char text[] = "// particle: (x, y, z, m) (vx, vy, vz, -)\n"
                             "// force: (ax, ay, az, phi) (jx, jy, jz, -)\n"
                             "// parameter: (k, -, -, -)\n" INTERACT "  real3 rij = separation(i, j);\n"
                             "  real km = parameter.x * j[0].w;\n"
                             "  f[0].xyz += km * rij;\n"
                             "  f[0].w += real(0.5) * km * dot(rij, rij);\n"
                             "  f[1].xyz += km * (j[1].xyz - i[1].xyz);\n"
                             "}\n";
  struct hb_interaction *law;
  struct hb_particles *pair;
  struct hb_sim *sim, *again;
  struct hb_diagnostics now;
  struct hb_checkpoint *checkpoint;
  double here[6], there[6];
  if (pairs_lacks_a("double")) pairs_skip_if_lacking();
  ASSERT_OK(hb_interaction_create_text("springs", text, &law));
  ASSERT_OK(hb_particles_create(2, &pair));
  for (int i = 0; i < 2; i++) {
    hb_particles_m(pair)[i] = 0.5;
    hb_particles_x(pair)[3 * i] = i ? 1 : -1;
  }
  struct hb_sim_params params = {.eta = 1e-4,
                                 .dt_max = 1. / 64,
                                 .force = {.scheme = "bag",
                                           .precision = "double",
                                           .custom_interaction = law,
                                           .parameters = "k=4",
                                           .flags = HB_FORCE_NO_TUNE}};
  ASSERT_OK(hb_sim_create(pair, &params, &sim));
  while (hb_sim_next_time(sim) <= 1) ASSERT_OK(hb_sim_step(sim));
  ASSERT_OK(hb_sim_diagnose(sim, 1, &now));
  assert_false(now.exact_energy);
  expect_below(fabs(now.e_total - 2), 1e-8); /* m^2 k r^2 / 2 with r = 2 */
  expect_equal(now.e_total, now.e_gpu);
  take_steps(sim, 0, here);
  double t = hb_sim_next_time(sim);
  expect_below(fabs(here[3] - cos(2 * t)), 1e-5);
  expect_below(fabs(here[3] + here[0]), 1e-14);

  ASSERT_OK(hb_sim_save(sim, support_path("springs"), NULL, 0, 0));
  ASSERT_OK(hb_checkpoint_open(support_path("springs"), &checkpoint));
  ASSERT_FAILS(hb_sim_resume(checkpoint, NULL, &again), HB_ERR_INPUT, "unknown interaction 'springs'");
  const struct hb_force_params place = {.custom_interaction = law};
  ASSERT_OK(hb_sim_resume(checkpoint, &place, &again));
  take_steps(sim, 20, here);
  take_steps(again, 20, there);
  assert_memory_equal(here, there, sizeof here);
  hb_sim_destroy(again);
  hb_checkpoint_close(checkpoint);
  hb_sim_destroy(sim);
  params.exact_energy = HB_EXACT_ENERGY_YES;
  ASSERT_FAILS(hb_sim_create(pair, &params, &sim), HB_ERR_USAGE, "exact energies are those of gravity");
  hb_particles_destroy(pair);
  hb_interaction_destroy(law);
  unlink(support_path("springs"));
}

/* Every interaction of the program can be read, and none is lost. */
static void test_shipped(void **state)
{
  (void)state;
  static const char *const names[] = {"gravity_jerk", "gravity",     "lennard_jones",    "gravity_snap",
                                      "coulomb",      "sph_density", "boundary_element", "hologram"};
  for (size_t k = 0; k < COUNT_OF(names); k++) {
    const struct hb_interaction *law = hb_interaction_find(names[k]);
    assert_non_null(law);
    expect_above(law->flops, 0);
    assert_int_equal(hb_interaction_has_jerk(law), k == 0);
    assert_int_equal(hb_interaction_is_integrable(law), k == 0);
  }
  assert_non_null(hb_interaction_at(COUNT_OF(names) - 1));
  assert_null(hb_interaction_at(COUNT_OF(names)));
}

/* ---- a device that fails ------------------------------------------------------------------------------ */

/* The sources are the library's copy: the caller's are gone by then, and so is his word for the scheme. */
static void check_second_try(const char *scheme, void (*begin)(int), int (*end)(void))
{
  static double right[NI][PAIRS_COLUMNS];
  struct hb_interaction *law;
  struct hb_all_pairs *pairs;
  struct hb_input in[PAIRS_COLUMNS];
  struct hb_output out[PAIRS_COLUMNS];
  double value;
  ASSERT_OK(hb_interaction_create("coulomb", &law));
  for (int nth = 0, calls = 0; nth <= calls; nth++) {
    char name[32];
    snprintf(name, sizeof name, "%s", scheme);
    const struct hb_all_pairs_params params = {.scheme = name, .precision = "ds"};
    ASSERT_OK(hb_all_pairs_open(law, &params, &pairs));
    name[0] = 0;
    ASSERT_OK(hb_all_pairs_set_parameter(pairs, hb_interaction_of_parameter(law, 0, &value), 0.5));
    fill(sources, NJ, 1);
    ASSERT_OK(hb_all_pairs_set_sources(pairs, NJ, columns_of(law, sources, 0, in), in));
    fill(sources, NJ, 7);
    size_t results = results_of(law, out);
    memset(got, 0, sizeof got);
    begin(nth);
    enum hb_status status = hb_all_pairs_eval(pairs, NI, NULL, results, out);
    int count = end();
    ASSERT_OK(status);
    if (nth == 0) {
      calls = count;
      memcpy(right, got, sizeof got);
    }
    expect_above(calls, 0);
    expect_at_least(count, nth); /* the nth was lost, which test_gl_pairs_faults shows not to go unnoticed */
    assert_memory_equal(got, right, sizeof got);
    assert_string_equal(hb_all_pairs_scheme(pairs), scheme);
    hb_all_pairs_close(pairs);
  }
  hb_interaction_destroy(law);
}

static void test_second_try(void **state)
{
  (void)state;
  check_second_try("bag", pairs_draws_begin, pairs_draws_end);
  if (pairs_context()->caps.has_compute) check_second_try("tile", pairs_draws_begin, pairs_draws_end);
  if (pairs_context()->caps.has_reset) check_second_try("bag", pairs_resets_begin, pairs_resets_end);
}

/* Where no second context can be had, the handle keeps its first. */
static void test_no_second_try(void **state)
{
  (void)state;
  struct hb_interaction *law;
  struct hb_all_pairs *pairs;
  struct hb_input in[PAIRS_COLUMNS];
  struct hb_output out[PAIRS_COLUMNS];
  const struct pairs_law *right = pairs_law_of("coulomb");
  const char *place = getenv("HB_CONTEXT");
  uint32_t own[NI];
  double value;
  for (uint32_t i = 0; i < NI; i++) own[i] = i;
  ASSERT_OK(hb_interaction_create("coulomb", &law));
  ASSERT_OK(hb_all_pairs_open(law, &(const struct hb_all_pairs_params){.precision = "ds"}, &pairs));
  for (size_t k = 0; k < 2; k++)
    ASSERT_OK(
        hb_all_pairs_set_parameter(pairs, hb_interaction_of_parameter(law, k, &value), right->parameter[k]));
  fill(sources, NJ, 1);
  ASSERT_OK(hb_all_pairs_set_sources(pairs, NJ, columns_of(law, sources, 0, in), in));
  size_t results = results_of(law, out);
  setenv("HB_CONTEXT", "nowhere", 1);
  pairs_draws_begin(1);
  enum hb_status status = hb_all_pairs_eval(pairs, NI, NULL, results, out);
  pairs_draws_end();
  if (place)
    setenv("HB_CONTEXT", place, 1);
  else
    unsetenv("HB_CONTEXT");
  assert_int_equal(status, HB_ERR_USAGE);
  assert_non_null(strstr(hb_error(), "nowhere"));
  ASSERT_OK(hb_all_pairs_eval(pairs, NI, NULL, results, out));
  expect_below(error_of(right, right->parameter, sources, NI, own), 4e-6);
  hb_all_pairs_close(pairs);
  hb_interaction_destroy(law);
}

/* An allocation that fails is an error, and leaves nothing behind. */
static void test_no_memory(void **state)
{
  (void)state;
  struct hb_interaction *law;
  size_t before = hb_mem_watch.now;
  for (unsigned long nth = 1;; nth++) {
    hb_mem_watch.fail_at = nth;
    enum hb_status status = hb_interaction_create("gravity", &law);
    unsigned long left = hb_mem_watch.fail_at;
    hb_mem_watch.fail_at = 0;
    if (left) {
      ASSERT_OK(status);
      break;
    }
    assert_int_equal(status, HB_ERR_INTERNAL);
    assert_null(law);
    expect_equal(hb_mem_watch.now, before);
  }
  hb_interaction_destroy(law);
  expect_equal(hb_mem_watch.now, before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_name),         cmocka_unit_test(test_from_a_string),
      cmocka_unit_test(test_messages),        cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_shipped),         cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_sim_of_a_handle), cmocka_unit_test(test_second_try),
      cmocka_unit_test(test_no_second_try),
  };
  return RUN_TESTS(tests, 2, NULL, NULL);
}
