/* The all-pairs engine when things go wrong: draws that the driver gives up in silence, limits, no memory. */
#include "base/mem.h"
#include "support/pairs_case.h"
#include "support/shader_case.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#define SHORT "i_each=2 unroll=2 partial=32 workgroup=64 "

enum { N = 700, NI = 64 };
static double f[8 * N];
static uint32_t index_of[NI];

/* ---- lost draws ---- */

static const char *what; /* the tuning at work, for the message of a failure */

/* Walks with the nth draw not done: the engine must notice. */
static void lose(struct hb_pairs *pairs, const char *when, int nth)
{
  pairs_draws_begin(nth);
  enum hb_status status = pairs_forces(pairs, NI, index_of, f);
  int count = pairs_draws_end();
  if (status == HB_OK)
    fail_msg("%s (%s), %s: draw %d of %d was lost unnoticed", pairs->params.scheme, what, when, nth, count);
  assert_int_equal(status, HB_ERR_DEVICE);
  if (!strstr(hb_error(), " dropped a draw")) fail_msg("no such sentence: %s", hb_error());
}

static void check_lost(const char *scheme, const char *tuning)
{
  const struct pairs_case c = {"gravity_jerk", scheme, tuning, HB_PRECISION_SINGLE};
  what = tuning;
  if (pairs_lacks(&c)) return;
  struct hb_pairs *pairs = pairs_open(&c, 1);
  pairs->params.max_draw_s = 10; /* as many draws in each walk */
  pairs->known = 1;
  pairs_send(pairs, N);
  lose(pairs, "the first walk", 1);
  pairs_draws_begin(0);
  for (int k = 0; k < 3; k++) pairs_eval(pairs, NI, index_of, f); /* leaves whole results behind */
  int count = pairs_draws_end() / 3;
  expect_at_most(pairs_error(pairs, N, NI, index_of, f), pairs_tolerance(c.precision));
  for (int nth = 1; nth <= count; nth += count > 4 ? count / 4 : 1) {
    lose(pairs, "after whole walks", nth);
    for (int k = 0; k < 3; k++) pairs_eval(pairs, NI, index_of, f); /* and the next ones are right */
    expect_at_most(pairs_error(pairs, N, NI, index_of, f), pairs_tolerance(c.precision));
  }
  hb_pairs_destroy(pairs);
}

static void test_lost_draws_bag(void **state)
{
  (void)state;
  check_lost("bag", SHORT "threads=1 bag=128 output=targets");    /* several passes */
  check_lost("bag", SHORT "threads=1 output=targets");            /* one */
  check_lost("bag", SHORT "threads=500 output=targets");          /* several segments */
  check_lost("bag", SHORT "threads=1 portion=20 output=targets"); /* several portions */
  pairs_skip_if_lacking();
}

static void test_lost_draws_bag_storage(void **state)
{
  (void)state;
  check_lost("bag", SHORT "threads=1 bag=128 output=storage");
  check_lost("bag", SHORT "threads=1 output=storage");
  check_lost("bag", SHORT "threads=500 output=storage");
  check_lost("bag", SHORT "threads=1 portion=20 output=storage");
  pairs_skip_if_lacking();
}

static void test_lost_draws_tile(void **state)
{
  (void)state;
  check_lost("tile", SHORT "threads=1 bag=128");
  check_lost("tile", SHORT "threads=1");
  check_lost("tile", SHORT "threads=500");
  pairs_skip_if_lacking();
}

/* Also where results are seen as they arrive, and those of a lost draw never do. */
static void test_lost_draws_watched(void **state)
{
  (void)state;
  int software = pairs_context()->caps.software;
  pairs_context()->caps.software = 0;
  check_lost("tile", SHORT "threads=1 bag=128");
  check_lost("tile", SHORT "threads=500");
  check_lost("bag", SHORT "threads=500 output=storage add=device");
  pairs_context()->caps.software = software;
  pairs_skip_if_lacking();
}

static void test_lost_draws_matrix(void **state)
{
  (void)state;
  check_lost("matrix2004", "limit=2048"); /* one tile */
  check_lost("matrix2004", "limit=64");   /* several */
  pairs_skip_if_lacking();
}

/* ---- limits ---- */

static enum hb_status set_j(struct hb_pairs *pairs, size_t n)
{
  static double zeros[N];
  const struct hb_column columns[8] = {{zeros, 1}, {zeros, 1}, {zeros, 1}, {zeros, 1}};
  return hb_pairs_set_j(pairs, n, columns);
}

static void test_particles_beyond_limits(void **state)
{
  (void)state;
  struct hb_gl_caps *caps = &pairs_context()->caps, kept = *caps;
  const struct pairs_case c = {"gravity_jerk", "bag", SHORT "threads=1 j_source=texture output=targets",
                               HB_PRECISION_SINGLE};
  char sentence[300];
  struct hb_pairs *pairs = pairs_open(&c, 1);
  caps->max_texture_buffer_size = 1399;
  snprintf(sentence, sizeof sentence,
           "%d particles need a buffer texture of %d texels, the limit of %s is 1399", N, 2 * N,
           caps->renderer);
  ASSERT_FAILS(set_j(pairs, N), HB_ERR_GL, sentence);
  caps->max_texture_buffer_size = 1400;
  ASSERT_OK(set_j(pairs, N));
  *caps = kept;
  caps->max_texture_size = 1;
  snprintf(sentence, sizeof sentence, "%d particles need a texture of 1024 x 2 texels, the limit of %s is 1",
           N, caps->renderer);
  ASSERT_FAILS(set_j(pairs, N), HB_ERR_GL, sentence);
  *caps = kept;
  pairs_send(pairs, N);
  caps->max_texture_size = 64;
  const struct hb_pairs_job job = {.ni = NI, .index = index_of};
  ASSERT_FAILS(hb_pairs_walk(pairs, &job), HB_ERR_GL, "texels, the limit of ");
  *caps = kept;
  pairs_eval(pairs, NI, index_of, f); /* a refusal breaks nothing */
  expect_at_most(pairs_error(pairs, N, NI, index_of, f), pairs_tolerance(c.precision));
  hb_pairs_destroy(pairs);
}

static enum hb_status create(const char *scheme, enum hb_precision precision, struct hb_pairs_tuning tuning)
{
  const struct hb_pairs_params params = {.context = pairs_context(),
                                         .interaction = hb_interaction_find("gravity"),
                                         .scheme = scheme,
                                         .precision = precision,
                                         .tuning = tuning};
  struct hb_pairs *pairs;
  enum hb_status status = hb_pairs_create(&params, &pairs);
  if (status != HB_OK) assert_null(pairs);
  hb_pairs_destroy(pairs);
  return status;
}

/* What a device lacks is said with the name of what needs it. */
static void test_device_that_lacks(void **state)
{
  (void)state;
  struct hb_gl_caps *caps = &pairs_context()->caps, kept = *caps;
  const struct hb_pairs_tuning none = {0};
  shader_break_sums(pairs_context());
  ASSERT_FAILS(create("bag", HB_PRECISION_COMPENSATED, none), HB_ERR_GL,
               "precision compensated needs exact sums");
  ASSERT_FAILS(create("bag", HB_PRECISION_DS, none), HB_ERR_GL, "precision ds needs exact sums");
  ASSERT_OK(create("bag", HB_PRECISION_SINGLE, none));
  *caps = kept;
  caps->max_uniform_block_size = 16384;
  ASSERT_OK(create("bag", HB_PRECISION_SINGLE, none));
  ASSERT_FAILS(
      create("bag", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){.j_source_plus_1 = HB_J_BLOCK + 1}),
      HB_ERR_GL, "sources from blocks need uniform blocks of 65536 bytes, the limit of ");
  *caps = kept;
  caps->has_double = 0;
  ASSERT_FAILS(create("bag", HB_PRECISION_DOUBLE, none), HB_ERR_GL, "precision double needs GLSL doubles");
  *caps = kept;
  caps->has_compute = caps->has_storage = 0;
  ASSERT_FAILS(create("tile", HB_PRECISION_SINGLE, none), HB_ERR_GL,
               "scheme tile needs the compute shaders of OpenGL 4.3");
  ASSERT_FAILS(create("bag", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){.output_plus_1 = 2}), HB_ERR_GL,
               "storage buffers need OpenGL 4.3");
  ASSERT_FAILS(
      create("bag", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){.j_source_plus_1 = HB_J_STORAGE + 1}),
      HB_ERR_GL, "storage buffers need OpenGL 4.3");
  *caps = kept;
}

static void test_tunings_that_make_no_sense(void **state)
{
  (void)state;
  ASSERT_FAILS(create("heap", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){0}), HB_ERR_USAGE,
               "unknown scheme 'heap' of the all-pairs engine");
  ASSERT_FAILS(create("bag", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){.i_each = 99}), HB_ERR_USAGE,
               "i_each is 99 sinks a fragment of the bag scheme, expected at most ");
  ASSERT_FAILS(create("bag", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){.partial = 30, .unroll = 4}),
               HB_ERR_USAGE, "a float sum is over 30 sources, expected a multiple of 4");
  if (!pairs_context()->caps.has_compute) skip();
  ASSERT_FAILS(create("tile", HB_PRECISION_SINGLE, (struct hb_pairs_tuning){.partial = 30, .unroll = 4}),
               HB_ERR_USAGE, "a float sum is over 30 sources, expected a multiple of 4");
}

/* ---- no memory ---- */

static enum hb_status whole_life(const char *scheme, enum hb_precision precision)
{
  struct hb_pairs_params params = {
      .context = pairs_context(),
      .interaction = hb_interaction_find("gravity"),
      .scheme = scheme,
      .precision = precision,
      .tuning = {.i_each = 1, .unroll = 1, .partial = 4, .workgroup = 16, .bag = 8},
      .parameter = {1}};
  struct hb_pairs *pairs = NULL;
  enum hb_status status = hb_pairs_create(&params, &pairs);
  if (status == HB_OK) status = set_j(pairs, 20);
  if (status == HB_OK) status = pairs_forces(pairs, 20, index_of, f);
  hb_pairs_destroy(pairs);
  return status;
}

/* Each allocation of a whole life fails once: an error, no crash, and the context serves on. */
static void test_no_memory(void **state)
{
  (void)state;
  for (size_t k = 0; k < hb_pairs_scheme_count; k++) {
    const char *scheme = hb_pairs_schemes[k]->name;
    const struct pairs_case c = {"gravity", scheme, NULL, HB_PRECISION_SINGLE};
    if (pairs_lacks(&c)) continue;
    enum hb_status status = HB_ERR_INTERNAL;
    int nth = 0;
    while (status != HB_OK && nth < 500) {
      hb_mem_watch.fail_at = (unsigned long)++nth;
      status = whole_life(scheme, c.precision);
      hb_mem_watch.fail_at = 0;
      if (status != HB_OK && !strstr(hb_error(), "failed on request of a test"))
        fail_msg("%s, allocation %d: %s", scheme, nth, hb_error());
    }
    assert_in_range(nth, 5, 499);
  }
  pairs_skip_if_lacking();
}

static int set_up(void **state)
{
  (void)state;
  pairs_index(NI, 11, N, index_of);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lost_draws_bag),    cmocka_unit_test(test_lost_draws_bag_storage),
      cmocka_unit_test(test_lost_draws_tile),   cmocka_unit_test(test_lost_draws_watched),
      cmocka_unit_test(test_lost_draws_matrix), cmocka_unit_test(test_particles_beyond_limits),
      cmocka_unit_test(test_device_that_lacks), cmocka_unit_test(test_tunings_that_make_no_sense),
      cmocka_unit_test(test_no_memory),
  };
  return RUN_TESTS(tests, 2, set_up, NULL);
}
