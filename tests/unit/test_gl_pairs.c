/* The all-pairs engine in the context that HB_CONTEXT names: every interaction against plain C, and walks that must
 * come to the same bits however they are divided. */
#include "gl/gl.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Short programs, which compile fast; force sources are tested with the tunings that users get. */
#define SHORT  "i_each=2 unroll=2 partial=32 "
#define SINGLY "i_each=1 unroll=2 partial=32 "

static double f[8 * PAIRS_MOST], first[8 * PAIRS_MOST];
static uint32_t all[PAIRS_MOST];

/* ---- interactions ---- */

static double error_of(struct hb_pairs *pairs, size_t n)
{
  pairs_send(pairs, n);
  pairs_eval(pairs, n, all, f);
  return pairs_error(pairs, n, n, all, f);
}

/* Against plain C. Another parameter is seen: the tolerances mean something. */
static void check_interaction(const struct pairs_case *c)
{
  if (pairs_lacks(c)) return;
  struct hb_pairs *pairs = pairs_open(c, 1);
  pairs_require(c, "the force", error_of(pairs, 333), pairs_tolerance(c->precision));
  pairs_make_wrong(pairs, 1.01);
  expect_above(error_of(pairs, 333), 4 * pairs_tolerance(c->precision));
  hb_pairs_destroy(pairs);
}

/* Whether the totals of two sinks have a render target each. */
static int fits_twice(size_t k, int precision)
{
  int words = hb_pairs_words(hb_interaction_at(k), (enum hb_precision)precision);
  return 2 * words <= pairs_context()->caps.max_draw_buffers;
}

/* All precisions of the first four; of the others those whose numbers differ, doubles in one scheme, since each program
 * takes a fifth of a second to compile. */
static void check_interactions(const char *scheme)
{
  enum { ALL_PRECISIONS = 4 };
  for (size_t k = 0; hb_interaction_at(k); k++)
    for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
      if (k < ALL_PRECISIONS || precision == HB_PRECISION_SINGLE ||
          (precision == HB_PRECISION_DOUBLE && strcmp(scheme, "bag") == 0))
        check_interaction(&(const struct pairs_case){hb_interaction_at(k)->name, scheme,
                                                     fits_twice(k, precision) ? SHORT : SINGLY,
                                                     (enum hb_precision)precision});
}

/* A force of three records takes six render targets. */
static void test_three_records(void **state)
{
  (void)state;
  const struct pairs_case targets = {"gravity_snap", "bag", "output=targets unroll=2 partial=32",
                                     HB_PRECISION_DS};
  check_interaction(&targets);
  struct hb_pairs_params params = {.context = pairs_context(),
                                   .interaction = hb_interaction_find("gravity_snap"),
                                   .scheme = "bag",
                                   .precision = HB_PRECISION_DS,
                                   .tuning = {.output_plus_1 = 1, .i_each = 2}};
  struct hb_pairs *pairs;
  if (!pairs_lacks(&targets))
    ASSERT_FAILS(hb_pairs_create(&params, &pairs), HB_ERR_USAGE, "expected at most 1 here");
  pairs_skip_if_lacking();
}

static void test_interactions_bag(void **state)
{
  (void)state;
  check_interactions("bag");
  pairs_skip_if_lacking();
}

static void test_interactions_tile(void **state)
{
  (void)state;
  check_interactions("tile");
  pairs_skip_if_lacking();
}

/* Particles so near each other and so far from the origin that float cannot tell them apart: ds can. */
static void test_ds_positions(void **state)
{
  (void)state;
  const double x[2] = {1000, 1000 + 1e-6}, m[2] = {1, 1};
  const struct hb_column columns[8] = {{x, 1}, {NULL, 0}, {NULL, 0}, {m, 1}};
  for (int ds = 0; ds < 2; ds++) {
    const struct pairs_case c = {"gravity", "bag", SHORT, ds ? HB_PRECISION_DS : HB_PRECISION_SINGLE};
    if (pairs_lacks(&c)) continue;
    struct hb_pairs *pairs = pairs_open(&c, 1);
    ASSERT_OK(hb_pairs_set_j(pairs, 2, columns));
    pairs_eval(pairs, 1, all, f);
    double right = (x[1] - x[0]) / pow(0.01, 1.5), error = fabs(f[0] / right - 1);
    if (ds) pairs_require(&c, "the force of a close pair", error, pairs_tolerance(c.precision));
    if (!ds) expect_above(error, 0.5);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

/* A GPU's first guess of a root is a float: `double` takes it for distances that no float holds, too. */
static void check_double_range(void)
{
  /* the root and its powers, four roundings, and those of C */
  static const double TOLERANCE = 8 * DBL_EPSILON;
  const struct pairs_case c = {"gravity", "tile", SHORT, HB_PRECISION_DOUBLE};
  if (pairs_lacks(&c)) return;
  struct hb_pairs *pairs = pairs_open(&c, 1);
  pairs->params.parameter[0] = 0;
  for (int e = -330; e <= 330; e++) {
    double x[2] = {0, ldexp(1 + (e + 330) / 661., e)}, m[2] = {1, 1}, d = x[1];
    const struct hb_column columns[4] = {{x, 1}, {NULL, 0}, {NULL, 0}, {m, 1}};
    ASSERT_OK(hb_pairs_set_j(pairs, 2, columns));
    pairs_eval(pairs, 1, all, f);
    double error = fabs(f[0] * d * d - 1);
    if (!(error <= TOLERANCE)) fail_msg("the force at a distance of %g is wrong by %g", d, error);
  }
  hb_pairs_destroy(pairs);
}

static void test_double_range(void **state)
{
  (void)state;
  int software = pairs_context()->caps.software;
  check_double_range();
  pairs_context()->caps.software = 0; /* the program for GPUs */
  check_double_range();
  pairs_context()->caps.software = software;
  pairs_skip_if_lacking();
}

/* ---- division of the walk ---- */

/* Draws of one evaluation into f, with at most `bag` sources a pass (0: all) and a bound on the time of each. */
static int draws(struct hb_pairs *pairs, size_t ni, int bag, double max_draw_s)
{
  pairs->params.tuning.bag = bag;
  pairs->params.max_draw_s = max_draw_s;
  pairs->known = 1;
  pairs->pairs_per_s = 1e9;
  pairs_draws_begin(0);
  pairs_eval(pairs, ni, all, f);
  return pairs_draws_end();
}

static int walks_split;

static void check_split(const struct pairs_case *c, size_t ni)
{
  enum { N = 700 };
  static const int bags[] = {64, 256, 1000};
  if (pairs_lacks(c)) return;
  struct hb_pairs *pairs = pairs_open(c, 1);
  pairs_send(pairs, N);
  int one = draws(pairs, ni, 0, 10), before = 1000;
  pairs_require(c, "the force", pairs_error(pairs, N, ni, all, f), pairs_tolerance(c->precision));
  memcpy(first, f, sizeof f);
  for (size_t k = 0; k < COUNT_OF(bags); k++) {
    int count = draws(pairs, ni, bags[k], 10);
    expect_at_most(count, before);
    expect_at_least(count, one);
    before = count;
    pairs_require_same(c, "a walk in bags", f, first, 8 * ni);
  }
  int most = draws(pairs, ni, 0, 1e-12);
  pairs_require_same(c, "a walk in the shortest draws", f, first, 8 * ni);
  walks_split += most > one; /* not those whose segments are as short as a draw can be */
  hb_pairs_destroy(pairs);
}

static void check_splits(const char *scheme, size_t ni, const char *tuning)
{
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    const struct pairs_case c = {"gravity_jerk", scheme, tuning, (enum hb_precision)precision};
    check_split(&c, ni);
  }
}

static void test_split_bag(void **state)
{
  (void)state;
  walks_split = 0;
  check_splits("bag", 200, SHORT "threads=1 output=targets");
  check_splits("bag", 200, SHORT "threads=200 output=targets"); /* two segments */
  check_splits("bag", 200, SHORT "threads=1 output=storage");
  check_splits("bag", 200, SHORT "threads=200 output=storage");
  expect_at_least(walks_split, 2);
  pairs_skip_if_lacking();
}

static void test_split_tile(void **state)
{
  (void)state;
  walks_split = 0;
  check_splits("tile", 200, SHORT "threads=1 workgroup=64");
  check_splits("tile", 200, SHORT "threads=600 workgroup=64"); /* several segments */
  /* several lanes, whose float sums go on from tile to tile */
  check_splits("tile", 4, SHORT "threads=1 body_threads=16 workgroup=64");
  check_split(
      &(struct pairs_case){"gravity_jerk", "tile", SHORT "threads=99999 workgroup=64", HB_PRECISION_SINGLE},
      200);
  if (pairs_context()->caps.has_compute) expect_at_least(walks_split, 2);
  pairs_skip_if_lacking();
}

/* Sinks in portions: another number of draws, the same bits. */
static void check_portions(const struct pairs_case *c)
{
  enum { N = 700, NI = 333 };
  static const int portions[] = {1, 2, 64, 200, 332, 333, 5000};
  if (pairs_lacks(c)) return;
  struct hb_pairs *pairs = pairs_open(c, 1);
  pairs_send(pairs, N);
  int one = draws(pairs, NI, 0, 10), before = 1000;
  pairs_require(c, "the force", pairs_error(pairs, N, NI, all, f), pairs_tolerance(c->precision));
  memcpy(first, f, sizeof f);
  for (size_t k = 0; k < COUNT_OF(portions); k++) {
    pairs->params.tuning.portion = portions[k];
    int count = draws(pairs, NI, 0, 10);
    expect_at_most(count, before);
    expect_at_least(count, one);
    if (portions[k] <= 300) expect_above(count, one);
    before = count;
    pairs_require_same(c, "a walk in portions", f, first, 8 * NI);
    draws(pairs, NI, 256, 10);
    pairs_require_same(c, "a walk in portions and bags", f, first, 8 * NI);
  }
  assert_int_equal(before, one);
  hb_pairs_destroy(pairs);
}

static void test_portions(void **state)
{
  (void)state;
  static const char *const walks[] = {SHORT "threads=1 output=targets", SHORT "threads=200 output=targets",
                                      SHORT "threads=200 output=storage", "i_each=3 threads=999999"};
  for (size_t k = 0; k < COUNT_OF(walks); k++)
    for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
      const struct pairs_case c = {"gravity_jerk", "bag", walks[k], (enum hb_precision)precision};
      if (k < 3 || precision == HB_PRECISION_SINGLE) check_portions(&c);
    }
  pairs_skip_if_lacking();
}

/* Textures for the totals of all sinks of a large block would take more than the particles themselves: the engine
 * keeps to its bound. */
static size_t texture_bytes;
static PFNGLTEXIMAGE3DPROC real_image;

static void GLAPIENTRY image(GLenum target, GLint level, GLint format, GLsizei width, GLsizei height,
                             GLsizei depth, GLint border, GLenum components, GLenum type, const void *pixels)
{
  texture_bytes += 16 * (size_t)width * (size_t)height * (size_t)depth;
  real_image(target, level, format, width, height, depth, border, components, type, pixels);
}

static void test_bounded_totals(void **state)
{
  (void)state;
  enum { NI = 3000000 };
  const struct pairs_case c = {"gravity", "bag", "output=targets partial=8 unroll=1 i_each=1",
                               HB_PRECISION_SINGLE};
  double *x = calloc(3 * NI, sizeof *x), *force = malloc(4 * (size_t)NI * sizeof *force);
  uint32_t *index = malloc(NI * sizeof *index);
  assert_true(x && force && index);
  for (size_t k = 0; k < NI; k++) index[k] = (uint32_t)(k % 2);
  x[0] = 1;
  const double one = 1;
  const struct hb_column columns[4] = {{x, 3}, {x + 1, 3}, {x + 2, 3}, {&one, 0}};
  struct hb_pairs *pairs = pairs_open(&c, 1);
  ASSERT_OK(hb_pairs_set_j(pairs, 2, columns));
  real_image = hb_gl_since_12.__glewTexImage3D;
  hb_gl_since_12.__glewTexImage3D = image;
  ASSERT_OK(pairs_forces(pairs, NI, index, force));
  hb_gl_since_12.__glewTexImage3D = real_image;
  if (texture_bytes == 0 || texture_bytes > HB_PAIRS_TOTALS)
    fail_msg("%d sinks took textures of %zu bytes, the bound is %d", NI, texture_bytes, HB_PAIRS_TOTALS);
  for (size_t k = 0; k < NI; k++) expect_equal(force[4 * k], (k % 2 ? -force[0] : force[0]));
  hb_pairs_destroy(pairs);
  free(x);
  free(force);
  free(index);
}

/* Bag = 1 source: N passes, the walk of the 2007 kernel; bag = N: one pass. The sums of the former are longer, so they
 * are equal within the tolerance only. */
static void test_bag_of_one(void **state)
{
  (void)state;
  enum { N = 200 };
  const struct pairs_case walks[] = {
      {"gravity_jerk", "bag", "partial=1 unroll=1 threads=1 i_each=1 add=host j_source=buffer_texture",
       HB_PRECISION_SINGLE},
      {"gravity_jerk", "bag", "partial=32 unroll=2 threads=1 i_each=1 add=host j_source=buffer_texture",
       HB_PRECISION_SINGLE}};
  static const int bag[] = {1, N}, passes[] = {N, 1};
  for (int k = 0; k < 2; k++) {
    struct hb_pairs *pairs = pairs_open(&walks[k], 1);
    pairs_send(pairs, N);
    int count = draws(pairs, N, bag[k], 10);
    if (count != passes[k])
      fail_msg("%s: bag = %d of %d took %d passes", pairs_describe(&walks[k]), bag[k], N, count);
    pairs_require(&walks[k], "the force", pairs_error(pairs, N, N, all, f),
                  pairs_tolerance(HB_PRECISION_SINGLE));
    hb_pairs_destroy(pairs);
  }
}

/* ---- small blocks ---- */

static void check_small_blocks(const struct pairs_case *c)
{
  enum { N = 1000 };
  static const size_t ni[] = {N, 1, 2, 3, 17};
  if (pairs_lacks(c)) return;
  struct hb_pairs *pairs = pairs_open(c, 1);
  pairs_send(pairs, N);
  for (size_t k = 0; k < COUNT_OF(ni); k++) {
    uint32_t index[N];
    pairs_index(ni[k], 59, N, index);
    pairs_eval(pairs, ni[k], index, f);
    pairs_require(c, "a small block", pairs_error(pairs, N, ni[k], index, f), pairs_tolerance(c->precision));
  }
  hb_pairs_destroy(pairs);
}

static void test_small_blocks(void **state)
{
  (void)state;
  /* the battery has small blocks in each precision */
  for (size_t k = 0; k < hb_pairs_scheme_count; k++)
    check_small_blocks(
        &(struct pairs_case){"gravity_jerk", hb_pairs_schemes[k]->name, SHORT, HB_PRECISION_SINGLE});
  pairs_skip_if_lacking();
}

/* ---- how long a draw may be ---- */

/* What a driver takes to compile is not counted as the device's speed, by which later walks are cut into draws. */
static void test_compiler(void **state)
{
  (void)state;
  enum { SOURCES = 8000, SINKS = 64 };
  uint32_t index[SINKS];
  pairs_index(SINKS, 5, SOURCES, index);
  for (size_t k = 0; k < hb_pairs_scheme_count; k++) {
    const struct pairs_case c = {"gravity_jerk", hb_pairs_schemes[k]->name, NULL, HB_PRECISION_SINGLE};
    if (pairs_lacks(&c)) continue;
    struct hb_pairs *pairs = pairs_open(&c, 1);
    double guess = pairs->pairs_per_s;
    pairs->params.max_draw_s = 1e3; /* one draw, which is timed as a whole */
    pairs_send(pairs, SOURCES);
    unsigned built = pairs_context()->built;
    pairs_eval(pairs, SINKS, index, f);
    expect_above(pairs_context()->built, built);
    if (pairs->pairs_per_s != guess) fail_msg("%s learned from its compiler", pairs_describe(&c));
    built = pairs_context()->built;
    pairs_eval(pairs, SINKS, index, f);
    assert_int_equal(pairs_context()->built, built);
    expect_other(pairs->pairs_per_s, guess);
    hb_pairs_destroy(pairs);
  }
  pairs_skip_if_lacking();
}

/* ---- many particles ---- */

/* Two million, as the paper's largest runs have: 128 of them feel all. */
static void test_two_million(void **state)
{
  (void)state;
  enum { N = 2000000, NI = 128, LOOKED_AT = 4 };
  /* 2M terms in float sums of float sums, relative to the sum of sizes: 256 at random twice or more is 2e-6 */
  static const double TOLERANCE = 1e-5;
  if (pairs_context()->caps.max_texture_buffer_size < N) skip(); /* refused, as another test shows */
  double *x = malloc(3 * N * sizeof *x);
  const double one = 1. / N;
  assert_non_null(x);
  uint32_t random_state = 1;
  for (size_t k = 0; k < 3 * N; k++) {
    random_state = random_state * 1664525u + 1013904223u;
    x[k] = (double)(random_state >> 8) / 8388608.0 - 1; /* exact in float */
  }
  const struct pairs_case c = {"gravity", "bag", NULL, HB_PRECISION_SINGLE};
  const struct hb_column columns[4] = {{x, 3}, {x + 1, 3}, {x + 2, 3}, {&one, 0}};
  struct hb_pairs *pairs = pairs_open(&c, 1);
  uint32_t index[NI];
  pairs_index(NI, 1951, N, index);
  ASSERT_OK(hb_pairs_set_j(pairs, N, columns));
  pairs_eval(pairs, NI, index, f);
  hb_pairs_destroy(pairs);
  for (size_t k = 0; k < NI; k += NI / LOOKED_AT) {
    double a[3] = {0}, size = 0, d2 = 0;
    for (size_t j = 0; j < N; j++) {
      double rij[3], r2 = 0.01;
      for (size_t l = 0; l < 3; l++) rij[l] = x[3 * j + l] - x[3 * index[k] + l], r2 += rij[l] * rij[l];
      double mr3 = one / (r2 * sqrt(r2));
      for (int l = 0; l < 3; l++) a[l] += mr3 * rij[l];
      size += one / r2;
    }
    for (size_t l = 0; l < 3; l++) d2 += (f[4 * k + l] - a[l]) * (f[4 * k + l] - a[l]);
    pairs_require(&c, "a force of two million", sqrt(d2) / size, TOLERANCE);
  }
  free(x);
}

static int set_up(void **state)
{
  (void)state;
  pairs_index(PAIRS_MOST, 1, PAIRS_MOST, all);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interactions_bag), cmocka_unit_test(test_interactions_tile),
      cmocka_unit_test(test_three_records),    cmocka_unit_test(test_ds_positions),
      cmocka_unit_test(test_split_bag),        cmocka_unit_test(test_split_tile),
      cmocka_unit_test(test_portions),         cmocka_unit_test(test_bounded_totals),
      cmocka_unit_test(test_bag_of_one),       cmocka_unit_test(test_small_blocks),
      cmocka_unit_test(test_compiler),         cmocka_unit_test(test_two_million),
      cmocka_unit_test(test_double_range),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
