/* The versions of OpenGL and OpenGL ES that users have: what each can do, forces through some of the battery, and runs that take
 * the host's steps. tests/run.sh asks Mesa for one version a program and names it in VERSION; without it, any will do. */
#include "gl/gl_context.h"
#include "support/battery.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static struct hb_gl_context *context; /* open as long as the tests run */

static int set_up(void **state)
{
  (void)state;
  ASSERT_OK(hb_gl_context_open(&(const struct hb_gl_context_params){.context = NULL}, &context));
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hb_gl_context_close(context);
  return 0;
}

/* ---- what it can do ---- */

static void test_capabilities(void **state)
{
  (void)state;
  static const struct {
    const char *api;
    int has_precise, has_double, has_compute, has_buffer_textures, has_counts, has_reset, has_lasting_maps;
  } known[] = {
      {"OpenGL ES 3.0", 0, 0, 0, 0, 0, 0, 0}, {"OpenGL ES 3.1", 1, 0, 1, 0, 0, 0, 0},
      {"OpenGL ES 3.2", 1, 0, 1, 1, 0, 1, 0}, {"OpenGL 3.3", 0, 0, 0, 1, 1, 0, 0},
      {"OpenGL 4.1", 1, 1, 0, 1, 1, 0, 0},    {"OpenGL 4.5", 1, 1, 1, 1, 1, 1, 1},
  };
  const struct hb_gl_caps *caps = &context->caps;
  const char *wanted = getenv("VERSION");
  if (!wanted) skip();
  assert_string_equal(caps->api, wanted);
  size_t k = 0;
  while (strcmp(known[k].api, wanted) != 0) assert_in_range(++k, 0, COUNT_OF(known) - 1);
  assert_int_equal(caps->has_precise, known[k].has_precise);
  assert_int_equal(caps->has_double, known[k].has_double);
  assert_int_equal(caps->has_compute, known[k].has_compute);
  assert_int_equal(caps->has_buffer_textures, known[k].has_buffer_textures);
  assert_int_equal(caps->has_counts, known[k].has_counts);
  assert_int_equal(caps->has_reset, known[k].has_reset);
  assert_int_equal(caps->has_lasting_maps, known[k].has_lasting_maps);
}

/* What it cannot do is refused with a sentence. */
static void test_refusals(void **state)
{
  (void)state;
  const struct hb_gl_caps *caps = &context->caps;
  struct hb_force *force;
  const struct hb_force_params doubles = {.scheme = "bag", .precision = "double", .flags = HB_FORCE_NO_TUNE};
  const struct hb_force_params rect = {.scheme = "cg2007", .flags = HB_FORCE_CG2007_RECT};
  const struct hb_force_params tile = {.scheme = "tile", .flags = HB_FORCE_NO_TUNE};
  if (!caps->has_double)
    ASSERT_FAILS(hb_force_open(&doubles, &force), HB_ERR_GL, "precision double needs GLSL doubles");
  if (caps->is_es)
    ASSERT_FAILS(hb_force_open(&rect, &force), HB_ERR_GL, "cg2007 with rectangle textures needs a desktop's");
  if (!caps->has_compute) ASSERT_FAILS(hb_force_open(&tile, &force), HB_ERR_GL, "needs the compute shaders");
}

/* ---- forces ---- */

static void battery(const char *scheme, const char *precision, const char *tuning)
{
  const struct hb_force_params params = {
      .scheme = scheme, .precision = precision, .tuning = tuning, .flags = HB_FORCE_NO_TUNE};
  battery_smoke(&params, strcmp(precision, "double") == 0 ? &battery_double
                         : strcmp(precision, "ds") == 0   ? &battery_ds
                                                          : &battery_single);
}

static void test_cg2007(void **state)
{
  (void)state;
  battery("cg2007", "single", NULL);
}

/* Sources from each place that the version has. */
static void test_bag(void **state)
{
  (void)state;
  battery("bag", "single", "j_source=block i_each=2");
  battery("bag", "compensated", "j_source=texture");
  battery("bag", "ds", NULL);
  if (context->caps.has_double) battery("bag", "double", NULL);
}

static void test_matrix2004(void **state)
{
  (void)state;
  battery("matrix2004", "ds", "limit=101");
}

static void test_tile(void **state)
{
  (void)state;
  if (!context->caps.has_compute) return;
  battery("tile", "ds", NULL);
}

/* ---- runs ---- */

enum { N = 256 };
static const double END = 0.25;

/* Steps agree to this. The noise of float forces is in eq. 9, too: on the desktop a run takes 0.5 % more. */
static const double SAME_STEPS = 0.002, SAME_STEPS_FLOAT = 0.01;

static double block_steps(struct hb_sim_params params)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_sim_counts counts;
  params.force.eps = 1.0 / 256;
  params.force.flags = HB_FORCE_NO_TUNE;
  ASSERT_OK(hb_ic_make("plummer", &(const struct hb_ic_params){.n = N, .seed = 1}, &p));
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  while (hb_sim_next_time(sim) <= END) ASSERT_OK(hb_sim_step(sim));
  hb_sim_counts(sim, &counts);
  hb_sim_destroy(sim);
  return (double)counts.block_steps;
}

static void test_runs(void **state)
{
  (void)state;
  static const struct hb_sim_params runs[] = {
      {.force = {.scheme = "cg2007"}},
      {.force = {.scheme = "bag", .precision = "single"}},
      {.force = {.scheme = "bag", .precision = "ds"}},
      {.force = {.scheme = "bag", .precision = "ds"}, .transfer = HB_TRANSFER_BLOCK, .predict = HB_PLACE_GPU},
      {.force = {.scheme = "bag", .precision = "ds"},
       .transfer = HB_TRANSFER_BLOCK,
       .predict = HB_PLACE_GPU,
       .correct = HB_PLACE_GPU},
  };
  double host = block_steps((struct hb_sim_params){.force = {.scheme = "host"}});
  for (size_t k = 0; k < COUNT_OF(runs); k++) {
    const char *precision = runs[k].force.precision;
    double steps = block_steps(runs[k]);
    double same = precision && strcmp(precision, "ds") == 0 ? SAME_STEPS : SAME_STEPS_FLOAT;
    if (fabs(steps - host) > same * host)
      fail_msg("run %zu takes %g block steps, the host %g", k, steps, host);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_capabilities), cmocka_unit_test(test_refusals),   cmocka_unit_test(test_bag),
      cmocka_unit_test(test_cg2007),       cmocka_unit_test(test_matrix2004), cmocka_unit_test(test_tile),
      cmocka_unit_test(test_runs),
  };
  return RUN_TESTS(tests, 3, set_up, tear_down);
}
