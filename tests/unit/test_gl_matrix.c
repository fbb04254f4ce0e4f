/* The matrix scheme by itself, in the context that HB_CONTEXT names: every interaction, cut into more draws or
 * not; what it takes and what it refuses. The forces it gives are in test_gl_force.c too. */
#include "support/support.h"

#include "gl/gl_context.h"
#include "pairs/pairs.h"
#include "support/pairs_case.h"

#include <math.h>
#include <string.h>

enum { N = 300, SOURCES = 333, COLUMNS = 8, F_MOST = 12 };

static double columns[COLUMNS][N]; /* x y z m vx vy vz - */
static uint32_t sinks[N];
static double f[2][F_MOST * N];

/* A jittered grid: no two particles closer than 0.02, so that no interaction overflows. */
static void make_particles(void)
{
  uint32_t state = 1;
  for (int i = 0; i < N; i++) {
    const int cell[3] = {i % 7, i / 7 % 7, i / 49};
    for (int c = 0; c < COLUMNS - 1; c++) {
      state = state * 1664525u + 1013904223u;
      double random = (double)(state >> 8) / 16777216.0;
      columns[c][i] = c < 3 ? 0.1 * cell[c] + 0.08 * random : random / N;
    }
    sinks[i] = (uint32_t)(7 * i + 5) % N; /* 7 and 300: no common factor */
  }
}

static int setup(void **state)
{
  make_particles();
  *state = pairs_context();
  return 0;
}

/* Tiles of 130: two and a part on a side. The second walk may take no time at all for a draw, and makes them as small as
 * they get: no bit changes. */
static void check_draws(struct hb_pairs *pairs, const struct pairs_case *c)
{
  static const size_t blocks[] = {1, 33, N};
  size_t width = 4 * (size_t)pairs->params.interaction->f_records;
  for (size_t b = 0; b < COUNT_OF(blocks); b++) {
    pairs->params.max_draw_s = 100;
    pairs_eval(pairs, blocks[b], sinks, f[0]);
    pairs->params.max_draw_s = 1e-12;
    pairs_eval(pairs, blocks[b], sinks, f[1]);
    pairs_require_same(c, "a walk in the shortest draws", f[1], f[0], width * blocks[b]);
  }
}

/* Against plain C; and with another parameter, which is seen. */
static void check_interaction(const struct pairs_case *c)
{
  struct hb_pairs *pairs = pairs_open(c, 1);
  pairs_send(pairs, SOURCES);
  check_draws(pairs, c);
  pairs_require(c, "the force", pairs_error(pairs, SOURCES, N, sinks, f[0]), pairs_tolerance(c->precision));
  pairs_make_wrong(pairs, 1.01);
  pairs_send(pairs, SOURCES);
  pairs_eval(pairs, N, sinks, f[0]);
  expect_above(pairs_error(pairs, SOURCES, N, sinks, f[0]), 4 * pairs_tolerance(c->precision));
  hb_pairs_destroy(pairs);
}

/* All precisions of the first two and of three records; of the others one each. */
static void test_interactions(void **state)
{
  (void)state;
  for (size_t k = 0; hb_interaction_at(k); k++)
    for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
      const struct hb_interaction *interaction = hb_interaction_at(k);
      const struct pairs_case c = {interaction->name, "matrix2004", "limit=130",
                                   (enum hb_precision)precision};
      int is_one = precision == (int)(k % HB_PRECISION_COUNT);
      if ((is_one || k < 2 || interaction->f_records > 2) && !pairs_lacks(&c)) check_interaction(&c);
    }
  pairs_skip_if_lacking();
}

/* One walk in bands of 32 rows, of which the nth draw (from 1) is not done; gives the number of draws. They are more where a
 * portion was slow, which the next one learns from. */
static int lossy_walk(struct hb_pairs *pairs, size_t ni, int nth, enum hb_status *status)
{
  pairs->known = 1;
  pairs->pairs_per_s = 1e9;
  pairs->params.max_draw_s = 32.5 * (double)ni / 1e9;
  pairs_draws_begin(nth);
  *status = pairs_forces(pairs, ni, sinks, f[1]);
  return pairs_draws_end();
}

/* Terms and sums that an earlier tile, or an earlier walk, has left behind never pass for those of a lost draw. */
static void lose_each_draw(struct hb_gl_context *context, int limit, size_t nj, size_t ni)
{
  const struct hb_pairs_params params = {.context = context,
                                         .interaction = hb_interaction_find("gravity"),
                                         .scheme = "matrix2004",
                                         .tuning = {.limit = limit},
                                         .parameter = {1e-2}};
  struct hb_column sources[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) sources[c] = (struct hb_column){columns[c], 1};
  struct hb_pairs *pairs;
  ASSERT_OK(hb_pairs_create(&params, &pairs));
  ASSERT_OK(hb_pairs_set_j(pairs, nj, sources));
  enum hb_status status;
  int nth = 1;
  for (; lossy_walk(pairs, ni, nth, &status) >= nth; nth++) {
    if (status != HB_ERR_DEVICE) fail_msg("limit %d: draw %d was lost unnoticed", limit, nth);
    lossy_walk(pairs, ni, 0, &status);
    ASSERT_OK(status);
  }
  ASSERT_OK(status);
  expect_above(nth, 3);
  hb_pairs_destroy(pairs);
}

static void test_lost_draws(void **state)
{
  lose_each_draw(*state, 2048, N, 33); /* one tile */
  lose_each_draw(*state, 130, N, N);   /* two and a part on a side */
  lose_each_draw(*state, 299, N, N);   /* the last has one row, and one column */
  for (uint32_t i = 0; i < 3; i++) sinks[i] = i;
  lose_each_draw(*state, 2048, 3, 3);
  lose_each_draw(*state, 2048, 2, 2);
  lose_each_draw(*state, 2, 3, 3);
  make_particles();
}

static void test_refuses(void **state)
{
  struct hb_pairs *pairs;
  struct hb_pairs_params params = {
      .context = *state, .interaction = hb_interaction_find("gravity"), .scheme = "matrix2004"};
  params.tuning.limit = params.context->caps.max_texture_size + 1;
  ASSERT_FAILS(hb_pairs_create(&params, &pairs), HB_ERR_USAGE, "on a side here");
  assert_null(pairs);
  params.tuning = (struct hb_pairs_tuning){.j_source_plus_1 = HB_J_BLOCK + 1};
  ASSERT_FAILS(hb_pairs_create(&params, &pairs), HB_ERR_USAGE, "cannot read sources from block");
}

/* Unless asked for more, the scheme takes at most 256 MiB for a tile: 1.5 texels of 16 bytes a pair and word. */
static void test_limit(void **state)
{
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    struct hb_pairs *pairs;
    const struct hb_pairs_params params = {.context = *state,
                                           .interaction = hb_interaction_find("gravity_jerk"),
                                           .scheme = "matrix2004",
                                           .precision = (enum hb_precision)precision};
    if (pairs_lacks_a(hb_precision_names[precision])) continue;
    ASSERT_OK(hb_pairs_create(&params, &pairs));
    int limit = pairs->params.tuning.limit, words = precision == HB_PRECISION_SINGLE ? 2 : 4;
    expect_equal(limit, (words == 2 ? 2048 : 1024));
    expect_at_most(1.5 * 16 * words * limit * limit, 256 << 20);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interactions),
      cmocka_unit_test(test_lost_draws),
      cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_limit),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
