/* Limits of small devices, imposed by HB_LIMITS; default shapes by what is known of a card; what a search for a tuning does
 * where a compiler is slow. */
#include "force/force.h"
#include "gl/gl.h"
#include "gl/gl_context.h"
#include "pairs/tuning.h"
#include "support/battery.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct hb_gl_context *open_with(const char *limits)
{
  struct hb_gl_context *context;
  setenv("HB_LIMITS", limits, 1);
  ASSERT_OK(hb_gl_context_open(&(const struct hb_gl_context_params){.context = NULL}, &context));
  return context;
}

static int tear_down(void **state)
{
  (void)state;
  unsetenv("HB_LIMITS");
  return 0;
}

/* ---- limits ---- */

static void test_words(void **state)
{
  (void)state;
  struct hb_gl_context *context = open_with("max_draw_buffers=4  has_compute=0");
  assert_int_equal(context->caps.max_draw_buffers, 4);
  assert_int_equal(context->caps.has_compute, 0);
  hb_gl_context_close(context);
  static const char *const wrong[] = {"max_texture_size", "max_texture_size=x", "texture=4096",
                                      "has_compute=-1"};
  for (size_t k = 0; k < COUNT_OF(wrong); k++) {
    setenv("HB_LIMITS", wrong[k], 1);
    ASSERT_FAILS(hb_gl_context_open(&(const struct hb_gl_context_params){.context = NULL}, &context),
                 HB_ERR_USAGE, "expected words such as max_texture_size=4096");
  }
}

/* A Raspberry Pi 4 without its compute shaders; and an Adreno 330. */
static const char *const small[] = {
    "max_texture_size=4096 max_draw_buffers=4 max_uniform_block_size=16384 has_compute=0 has_storage=0 "
    "has_lasting_maps=0 max_texture_buffer_size=65536",
    "max_texture_size=256 max_draw_buffers=4 has_compute=0 has_storage=0 has_lasting_maps=0 "
    "has_buffer_textures=0 has_counts=0 has_precise=0 has_double=0"};

static void test_forces(void **state)
{
  (void)state;
  static const char *const schemes[] = {"bag", "matrix2004", "cg2007"};
  for (size_t k = 0; k < COUNT_OF(small); k++) {
    hb_gl_context_close(open_with(small[k]));
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
      const struct hb_force_params params = {
          .scheme = schemes[s], .precision = s < 2 ? "ds" : NULL, .flags = HB_FORCE_NO_TUNE};
      battery_smoke(&params, s < 2 ? &battery_ds : &battery_single);
    }
  }
}

static void test_refusals(void **state)
{
  (void)state;
  struct hb_force *force;
  const struct hb_force_params tile = {.scheme = "tile", .flags = HB_FORCE_NO_TUNE};
  const struct hb_force_params wide = {.scheme = "bag", .precision = "ds", .flags = HB_FORCE_NO_TUNE};
  hb_gl_context_close(open_with(small[0]));
  ASSERT_FAILS(hb_force_open(&tile, &force), HB_ERR_GL, "needs the compute shaders");
  hb_gl_context_close(open_with("max_draw_buffers=3 has_storage=0 has_compute=0"));
  ASSERT_FAILS(hb_force_open(&wide, &force), HB_ERR_GL, "takes 4 render targets");
}

/* What a card with 64 registers a thread walks, which keeps in shared memory what others have in registers: its numbers are as good,
 * and in precision reproducible they have the processor's bits. */
static void test_few_registers(void **state)
{
  (void)state;
  enum { N = 300 };
  struct hb_gl_context *context = open_with("software=0 registers=64");
  int has_tile = context->caps.has_compute;
  hb_gl_context_close(context);
  if (!has_tile) skip();
  const struct hb_force_params tile[] = {
      {.scheme = "tile", .precision = "ds", .flags = HB_FORCE_NO_TUNE},
      {.scheme = "tile", .precision = "reproducible", .eps = 0.01, .flags = HB_FORCE_NO_TUNE},
      {.scheme = "host", .precision = "reproducible", .eps = 0.01}};
  battery_smoke(&tile[0], &battery_ds);
  static uint32_t all[N];
  static double m[N], x[3 * N], v[3 * N], got[2][7 * N];
  for (size_t k = 0; k < 3 * N; k++)
    m[k / 3] = 1. / N, x[k] = sin(1. + (double)k), v[k] = cos(2. * (double)k);
  for (uint32_t i = 0; i < N; i++) all[i] = i;
  for (int k = 0; k < 2; k++) {
    struct hb_force *force;
    const struct hb_force_job job = {.sources = {N, m, x, v},
                                     .sinks = {.n = N, .index = all},
                                     .to = {got[k], got[k] + 3 * N, got[k] + 6 * N}};
    ASSERT_OK(hb_force_open(&tile[1 + k], &force));
    ASSERT_OK(hb_force_of(force, &job));
    hb_force_close(force);
  }
  size_t same = 0;
  for (size_t k = 0; k < 7 * N; k++) same += memcmp(&got[0][k], &got[1][k], sizeof(double)) == 0;
  expect_at_least((double)same, 7 * N);
}

/* ---- default shapes ---- */

static void shape(struct hb_gl_context *context, const char *scheme, enum hb_precision precision,
                  const char *expected)
{
  struct hb_pairs *pairs;
  char words[64];
  const struct hb_pairs_params params = {.context = context,
                                         .interaction = HB_INTERACTION_GRAVITY,
                                         .scheme = scheme,
                                         .precision = precision,
                                         .parameter = {1e-4}};
  ASSERT_OK(hb_pairs_create(&params, &pairs));
  snprintf(words, sizeof words, "%d x %d", pairs->params.tuning.i_each, pairs->params.tuning.unroll);
  hb_pairs_destroy(pairs);
  assert_string_equal(words, expected);
}

/* Sinks x sources ahead. With NVIDIA's driver those that were measured on an H200; elsewhere no more than the compilers of
 * data/drivers.csv have registers for. */
static void test_shapes(void **state)
{
  (void)state;
  struct hb_gl_context *context = open_with("");
  if (!context->caps.has_compute || context->caps.max_draw_buffers < 8) {
    hb_gl_context_close(context);
    skip();
  }
  static const struct {
    const char *scheme;
    enum hb_precision precision;
    const char *shapes[3];
  } known[] = {{"bag", HB_PRECISION_SINGLE, {"4 x 8", "2 x 4", "1 x 2"}},
               {"bag", HB_PRECISION_DS, {"2 x 8", "1 x 4", "1 x 1"}},
               {"bag", HB_PRECISION_REPRODUCIBLE, {"2 x 4", "1 x 4", "1 x 1"}},
               {"tile", HB_PRECISION_SINGLE, {"1 x 8", "1 x 4", "1 x 2"}},
               {"tile", HB_PRECISION_DS, {"2 x 8", "1 x 4", "1 x 1"}},
               {"tile", HB_PRECISION_REPRODUCIBLE, {"2 x 4", "1 x 1", "1 x 1"}}};
  static const int registers[3] = {255, 128, 64};
  context->caps.software = 0;
  for (size_t r = 0; r < 3; r++) {
    context->caps.registers = registers[r];
    for (size_t k = 0; k < COUNT_OF(known); k++)
      shape(context, known[k].scheme, known[k].precision, known[k].shapes[r]);
  }
  hb_gl_context_close(context);
}

/* ---- a slow compiler ---- */

static PFNGLLINKPROGRAMPROC real_link;
static int links, slow;

/* The first `slow` programs take 2.3 s. */
static void GLAPIENTRY link_slowly(GLuint program)
{
  if (links++ < slow) nanosleep(&(const struct timespec){2, 300000000}, NULL);
  real_link(program);
}

/* Each draw takes as long as a tuning is timed, most of it asleep: one walk then says how fast it is. */
static void(GLAPIENTRY *real_draw)(GLenum mode, GLint first, GLsizei count);

static void GLAPIENTRY draw_slowly(GLenum mode, GLint first, GLsizei count)
{
  nanosleep(&(const struct timespec){0, 31000000}, NULL);
  real_draw(mode, first, count);
}

static int search(struct hb_pairs_tuning *tuning)
{
  struct hb_gl_context *context = open_with("has_storage=0 has_compute=0");
  const struct hb_pairs_params params = {.context = context,
                                         .interaction = HB_INTERACTION_GRAVITY,
                                         .scheme = "bag",
                                         .precision = HB_PRECISION_SINGLE,
                                         .parameter = {1e-4}};
  double rate;
  char folder[] = "/tmp/hb_limits_XXXXXX";
  assert_non_null(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  context->caps.software = 0;
  context->caps.registers = 128;
  real_link = hb_gl_since_12.__glewLinkProgram;
  hb_gl_since_12.__glewLinkProgram = link_slowly;
  real_draw = hb_gl_core_11.DrawArrays;
  hb_gl_core_11.DrawArrays = draw_slowly;
  links = 0;
  enum hb_status status = hb_tuning_renew(&params, 2048, 60, tuning, &rate);
  hb_gl_since_12.__glewLinkProgram = real_link;
  hb_gl_core_11.DrawArrays = real_draw;
  hb_gl_context_close(context);
  ASSERT_OK(status);
  return links;
}

/* Where the first shape, of 2 x 4, takes more than two seconds to compile no larger one is tried. */
static void test_search(void **state)
{
  (void)state;
  struct hb_pairs_tuning tuning;
  slow = 0;
  int all = search(&tuning);
  slow = 1;
  expect_below(search(&tuning), all);
  expect_at_most(tuning.i_each * tuning.unroll, 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_words, tear_down),
                                     cmocka_unit_test_teardown(test_forces, tear_down),
                                     cmocka_unit_test_teardown(test_refusals, tear_down),
                                     cmocka_unit_test_teardown(test_few_registers, tear_down),
                                     cmocka_unit_test_teardown(test_shapes, tear_down),
                                     cmocka_unit_test_teardown(test_search, tear_down)};
  return RUN_TESTS(tests, 1, NULL, NULL);
}
