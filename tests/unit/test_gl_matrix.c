/* The matrix scheme by itself, in the context that HB_CONTEXT names: every interaction in every precision, cut into more
 * draws or not; what it takes and what it refuses. The forces it gives are in test_gl_force.c too. */
#include "support/support.h"

#include "gl/gl_context.h"
#include "pairs/pairs.h"
#include "support/pairs_case.h"

#include <math.h>
#include <string.h>

enum { N = 300, COLUMNS = 8, F_MOST = 8 };

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

static struct hb_pairs *open_with_sources(const struct hb_pairs_params *params)
{
  struct hb_column sources[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) sources[c] = (struct hb_column){columns[c], 1};
  struct hb_pairs *pairs;
  ASSERT_OK(hb_pairs_create(params, &pairs));
  ASSERT_OK(hb_pairs_set_j(pairs, N, sources));
  return pairs;
}

static void walk(const struct hb_pairs_params *params, double *result)
{
  struct hb_pairs *pairs = open_with_sources(params);
  ASSERT_OK(pairs_forces(pairs, N, sinks, result));
  hb_pairs_destroy(pairs);
}

static int setup(void **state)
{
  struct hb_gl_context *context;
  const struct hb_gl_context_params params = {.debug = 1};
  make_particles();
  if (hb_gl_context_open(&params, &context) != HB_OK) return -1;
  *state = context;
  return 0;
}

static int teardown(void **state)
{
  hb_gl_context_close(*state);
  return 0;
}

typedef void (*test_case)(const struct hb_pairs_params *params);

/* Tiles of 130: two and a part on a side. */
static void for_all(struct hb_gl_context *context, test_case run)
{
  for (size_t i = 0; hb_interaction_at(i); i++)
    for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
      const struct hb_pairs_params params = {.context = context,
                                             .interaction = hb_interaction_at(i),
                                             .scheme = "matrix2004",
                                             .precision = (enum hb_precision)precision,
                                             .tuning = {.limit = 130},
                                             .parameter = {1e-2, 1, 1}};
      run(&params);
    }
}

/* The second walk may take no time at all for a draw, and makes them as small as they get. */
static void draws_change_no_bit(const struct hb_pairs_params *params)
{
  static const size_t blocks[] = {1, 33, N};
  size_t width = 4 * (size_t)params->interaction->f_records;
  struct hb_pairs *pairs = open_with_sources(params);
  for (size_t b = 0; b < COUNT_OF(blocks); b++) {
    pairs->params.max_draw_s = 100;
    ASSERT_OK(pairs_forces(pairs, blocks[b], sinks, f[0]));
    pairs->params.max_draw_s = 1e-12;
    ASSERT_OK(pairs_forces(pairs, blocks[b], sinks, f[1]));
    assert_memory_equal(f[0], f[1], width * blocks[b] * sizeof(double));
  }
  hb_pairs_destroy(pairs);
}

static void test_draws(void **state) { for_all(*state, draws_change_no_bit); }

/* Sums of 300 floats in whatever order differ by less: 300 times half a unit in the last place, for terms that cancel
 * down to a tenth. The negative control: another parameter of the interaction, by a hundredth. */
static const double BOUND = 300 * 6e-8 * 10;

/* Relative to the largest of all. */
static double difference(size_t width, int components)
{
  double largest = 0, most = 0;
  for (size_t i = 0; i < N; i++)
    for (int c = 0; c < components; c++) {
      size_t k = width * i + (size_t)c;
      if (!(fabs(f[1][k] - f[0][k]) <= most)) most = fabs(f[1][k] - f[0][k]);
      if (fabs(f[0][k]) > largest) largest = fabs(f[0][k]);
    }
  return most / largest;
}

static void same_as_bag_in_double(const struct hb_pairs_params *params)
{
  size_t width = 4 * (size_t)params->interaction->f_records;
  struct hb_pairs_params bag = *params;
  bag.scheme = "bag";
  bag.precision = HB_PRECISION_DOUBLE;
  if (params->precision == 0) walk(&bag, f[0]); /* the first of an interaction's precisions */
  walk(params, f[1]);
  assert_true(difference(width, 3) < BOUND);
  struct hb_pairs_params other = *params;
  other.parameter[0] *= 1.01; /* softening or diameter */
  walk(&other, f[1]);
  assert_true(difference(width, 3) > BOUND);
}

static void test_agrees_with_bag(void **state) { for_all(*state, same_as_bag_in_double); }

/* One walk in bands of 32 rows, of which the nth draw (from 1) is not done; gives the number of draws. */
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
  int count = lossy_walk(pairs, ni, 0, &status);
  ASSERT_OK(status);
  for (int nth = 1; nth <= count; nth++) {
    lossy_walk(pairs, ni, nth, &status);
    if (status != HB_ERR_DEVICE) fail_msg("limit %d: draw %d of %d was lost unnoticed", limit, nth, count);
    lossy_walk(pairs, ni, 0, &status);
    ASSERT_OK(status);
  }
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
    ASSERT_OK(hb_pairs_create(&params, &pairs));
    int limit = pairs->params.tuning.limit, words = precision == HB_PRECISION_SINGLE ? 2 : 4;
    assert_true(limit == (words == 2 ? 2048 : 1024));
    assert_true(1.5 * 16 * words * limit * limit <= 256 << 20);
    hb_pairs_destroy(pairs);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_draws),      cmocka_unit_test(test_agrees_with_bag),
      cmocka_unit_test(test_lost_draws), cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_limit),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
