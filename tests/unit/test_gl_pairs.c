/* The all-pairs engine in the context that HB_CONTEXT names: every interaction against plain C, and walks that must
 * come to the same bits however they are divided. */
#include "gl/gl.h"
#include "pairs/pairs_bag.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Short programs, which compile fast; force sources are tested with the tunings that users get. */
#define SHORT "i_each=2 unroll=2 partial=32 "

static double f[8 * PAIRS_MOST], first[8 * PAIRS_MOST];
static uint32_t all[PAIRS_MOST];

static const char *describe(const struct pairs_case *c)
{
  static char text[200];
  snprintf(text, sizeof text, "%s by %s in %s (%s)", c->interaction, c->scheme,
           hb_precision_names[c->precision], c->tuning ? c->tuning : "");
  return text;
}

static void require(const struct pairs_case *c, const char *what, double error, double tolerance)
{
  if (!(error <= tolerance))
    fail_msg("%s: %s is wrong by %.3g, allowed %.3g", describe(c), what, error, tolerance);
}

static void require_same(const struct pairs_case *c, const char *what, size_t count)
{
  if (memcmp(f, first, count * sizeof *f) != 0) fail_msg("%s: %s changes bits", describe(c), what);
}

/* ---- interactions ---- */

static double error_of(const struct pairs_case *c, double wrong, size_t n)
{
  struct hb_pairs *pairs = pairs_open(c, wrong);
  pairs_send(pairs, n);
  pairs_eval(pairs, n, all, f);
  double error = pairs_error(pairs, n, n, all, f);
  hb_pairs_destroy(pairs);
  return error;
}

static void check_interactions(const char *scheme)
{
  for (size_t k = 0; k < hb_interaction_count; k++)
    for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
      const struct pairs_case c = {hb_interactions[k].name, scheme, SHORT, (enum hb_precision)precision};
      if (!pairs_lacks(&c)) require(&c, "the force", error_of(&c, 1, 333), pairs_tolerance(c.precision));
    }
  /* another parameter is seen: the tolerances mean something */
  for (size_t k = 0; k < hb_interaction_count; k++) {
    const struct pairs_case c = {hb_interactions[k].name, scheme, SHORT, HB_PRECISION_SINGLE};
    if (!pairs_lacks(&c)) assert_true(error_of(&c, 1.01, 333) > 4 * pairs_tolerance(c.precision));
  }
}

static void test_interactions_bag(void **state)
{
  (void)state;
  check_interactions("bag");
}

static void test_interactions_tile(void **state)
{
  (void)state;
  check_interactions("tile");
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
    if (ds) require(&c, "the force of a close pair", error, pairs_tolerance(c.precision));
    if (!ds) assert_true(error > 0.5);
    hb_pairs_destroy(pairs);
  }
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

static void check_split(const struct pairs_case *c)
{
  enum { N = 700, NI = 200 };
  static const int bags[] = {64, 256, 1000};
  if (pairs_lacks(c)) return;
  struct hb_pairs *pairs = pairs_open(c, 1);
  pairs_send(pairs, N);
  int one = draws(pairs, NI, 0, 10), before = 1000;
  require(c, "the force", pairs_error(pairs, N, NI, all, f), pairs_tolerance(c->precision));
  memcpy(first, f, sizeof f);
  for (size_t k = 0; k < COUNT_OF(bags); k++) {
    int count = draws(pairs, NI, bags[k], 10);
    assert_true(count <= before && count >= one);
    before = count;
    require_same(c, "a walk in bags", 8 * NI);
  }
  int most = draws(pairs, NI, 0, 1e-12);
  require_same(c, "a walk in the shortest draws", 8 * NI);
  assert_true(most > one || strstr(c->tuning, "threads=99999"));
  hb_pairs_destroy(pairs);
}

static void check_splits(const char *scheme, const char *tuning)
{
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    const struct pairs_case c = {"gravity_jerk", scheme, tuning, (enum hb_precision)precision};
    check_split(&c);
  }
}

static void test_split_bag(void **state)
{
  (void)state;
  check_splits("bag", SHORT "threads=1 output=targets");
  check_splits("bag", SHORT "threads=200 output=targets"); /* two segments */
  check_splits("bag", SHORT "threads=1 output=storage");
  check_splits("bag", SHORT "threads=200 output=storage");
}

static void test_split_tile(void **state)
{
  (void)state;
  check_splits("tile", SHORT "threads=1 workgroup=64");
  check_splits("tile", SHORT "threads=600 workgroup=64"); /* several segments */
  check_splits("tile", SHORT "threads=99999 workgroup=64");
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
  require(c, "the force", pairs_error(pairs, N, NI, all, f), pairs_tolerance(c->precision));
  memcpy(first, f, sizeof f);
  for (size_t k = 0; k < COUNT_OF(portions); k++) {
    pairs->params.tuning.portion = portions[k];
    int count = draws(pairs, NI, 0, 10);
    assert_true(count <= before && count >= one && (portions[k] > 300 || count > one));
    before = count;
    require_same(c, "a walk in portions", 8 * NI);
    draws(pairs, NI, 256, 10);
    require_same(c, "a walk in portions and bags", 8 * NI);
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
  real_image = __glewTexImage3D;
  __glewTexImage3D = image;
  ASSERT_OK(pairs_forces(pairs, NI, index, force));
  __glewTexImage3D = real_image;
  if (texture_bytes == 0 || texture_bytes > HB_PAIRS_TOTALS)
    fail_msg("%d sinks took textures of %zu bytes, the bound is %d", NI, texture_bytes, HB_PAIRS_TOTALS);
  for (size_t k = 0; k < NI; k++) assert_true(force[4 * k] == (k % 2 ? -force[0] : force[0]));
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
      fail_msg("%s: bag = %d of %d took %d passes", describe(&walks[k]), bag[k], N, count);
    require(&walks[k], "the force", pairs_error(pairs, N, N, all, f), pairs_tolerance(HB_PRECISION_SINGLE));
    hb_pairs_destroy(pairs);
  }
}

/* ---- where sources come from and results go to ---- */

static void check_sources(enum hb_precision precision)
{
  enum { N = 3000, NI = 33 };
  static const char *const outputs[] = {"targets", "storage"};
  int begun = 0;
  for (int source = 0; source < HB_J_SOURCE_COUNT; source++)
    for (int output = 0; output < 2; output++) {
      char tuning[128];
      snprintf(tuning, sizeof tuning, SHORT "threads=1 j_source=%s output=%s", hb_j_source_names[source],
               outputs[output]);
      const struct pairs_case c = {"gravity_jerk", "bag", tuning, precision};
      if (pairs_lacks(&c)) continue;
      struct hb_pairs *pairs = pairs_open(&c, 1);
      pairs_send(pairs, N);
      pairs_index(NI, 89, N, all);
      pairs_eval(pairs, NI, all, f);
      if (begun)
        require_same(&c, "the source", 8 * NI);
      else
        require(&c, "the force", pairs_error(pairs, N, NI, all, f), 3 * pairs_tolerance(precision));
      memcpy(first, f, sizeof f);
      begun = 1;
      hb_pairs_destroy(pairs);
    }
}

/* Other particles in the place of some: more of them, as many texels in rows of 1024, fewer. Nobody may keep the old
 * ones, as a texture beside the buffer could. */
static void check_sent_again(enum hb_precision precision, const char *tuning)
{
  enum { NI = 33 };
  static const size_t n[] = {1000, 3000, 2990, 500};
  const struct pairs_case c = {"gravity_jerk", "bag", tuning, precision};
  if (pairs_lacks(&c)) return;
  struct hb_pairs *pairs = pairs_open(&c, 1);
  for (size_t k = 0; k < COUNT_OF(n); k++) {
    pairs_send(pairs, n[k]);
    pairs_index(NI, 13, n[k], all);
    pairs_eval(pairs, NI, all, f);
    require(&c, "the force of others", pairs_error(pairs, n[k], NI, all, f), 3 * pairs_tolerance(precision));
    assert_true(pairs->is_texture_2d_filled);
  }
  hb_pairs_destroy(pairs);
}

/* Segments are added by the host, or by the device, with the error of one rounding more; and cutting the walk into
 * passes or the block into portions changes no bit. */
struct adding {
  const char *words;
  size_t n;
  int shows_adding; /* so many segments that the bits of a sum in single show who has added them */
  int spans_blocks; /* all but the smallest block of sinks walk segments of several uniform blocks */
};

static void check_adding(enum hb_precision precision, size_t ni, const struct adding *a)
{
  static const char *const cuts[] = {"", " bag=500", " portion=7", " add=host"};
  for (size_t k = 0; k < COUNT_OF(cuts); k++) {
    char tuning[128];
    snprintf(tuning, sizeof tuning, SHORT "%s%s%s", a->words, k == 3 ? "" : " add=device", cuts[k]);
    const struct pairs_case c = {"gravity_jerk", "bag", tuning, precision};
    if (pairs_lacks(&c)) return;
    struct hb_pairs *pairs = pairs_open(&c, 1);
    pairs_send(pairs, a->n);
    pairs_index(ni, a->n / ni, a->n, all);
    pairs_eval(pairs, ni, all, f);
    const struct hb_bag *bag = pairs->state;
    if (a->spans_blocks && ni > 3)
      assert_true(bag->segments > 1 && (size_t)bag->segment_length > hb_bag_block_length(pairs));
    if (k == 0) {
      require(&c, "the force", pairs_error(pairs, a->n, ni, all, f), 3 * pairs_tolerance(precision));
      memcpy(first, f, sizeof f);
    } else if (k < 3) {
      require_same(&c, "cutting", 8 * ni);
    } else if (a->shows_adding && precision == HB_PRECISION_SINGLE &&
               memcmp(first, f, 8 * ni * sizeof *f) == 0) {
      fail_msg("%s: the device did not add the segments", describe(&c));
    }
    hb_pairs_destroy(pairs);
  }
}

static void test_adding(void **state)
{
  (void)state;
  static const struct adding walks[] = {
      {"threads=300 output=targets", 3000, 1, 0},
      {"threads=300 output=storage", 3000, 1, 0},
      {"threads=1", 3000, 0, 0},
      /* a draw for each segment, of several rows */
      {"threads=300 width=16 j_source=block output=targets", 3000, 0, 0},
      {"threads=300 width=16 j_source=block output=storage", 3000, 0, 0},
      {"threads=50 width=16 j_source=block output=targets", PAIRS_MOST, 0, 1},
      {"threads=50 width=16 j_source=block output=storage", PAIRS_MOST, 0, 1},
  };
  static const size_t ni[] = {3, 100, 301};
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
    for (size_t w = 0; w < COUNT_OF(walks); w++)
      for (size_t k = 0; k < COUNT_OF(ni); k++) check_adding((enum hb_precision)precision, ni[k], &walks[w]);
  pairs_index(PAIRS_MOST, 1, PAIRS_MOST, all);
}

/* What 1 / r is wrong by on the whole is taken back, in each scheme: here it is said to be
 * 10^-4 of itself too large, so a comes out three times as much too small and the potential once. */
static void test_root_error(void **state)
{
  (void)state;
  enum { N = 300 };
  static const char *const schemes[] = {"bag", "tile", "matrix2004"};
  static const double powers[8] = {3, 3, 3, 1, 4, 4, 4, 0}, error = 1e-4;
  for (size_t s = 0; s < COUNT_OF(schemes); s++)
    for (int precision = HB_PRECISION_COMPENSATED; precision <= HB_PRECISION_DS; precision++) {
      const struct pairs_case c = {"gravity_jerk", schemes[s], "", (enum hb_precision)precision};
      if (pairs_lacks(&c)) continue;
      for (int k = 0; k < 2; k++) {
        struct hb_pairs *pairs = pairs_open(&c, 1);
        if (k == 0 && fabs(pairs->root_error) > 1e-7) fail_msg("%s: 1 / r is no reciprocal", describe(&c));
        if (k == 1) pairs->root_error = error;
        pairs_send(pairs, N);
        pairs_eval(pairs, N, all, k ? f : first);
        hb_pairs_destroy(pairs);
      }
      for (int k = 0; k < 8 * N; k++)
        if (k % 8 != 7 && fabs(f[k] - (1 - powers[k % 8] * error) * first[k]) > 1e-5 * fabs(first[k]) + 1e-6)
          fail_msg("%s: component %d of sink %d is %.9g, was %.9g", describe(&c), k % 8, k / 8, f[k],
                   first[k]);
    }
}

static void test_sources(void **state)
{
  (void)state;
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
    check_sources((enum hb_precision)precision);
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    check_sent_again((enum hb_precision)precision, SHORT "threads=1 j_source=texture");
    check_sent_again((enum hb_precision)precision, SHORT "threads=3000 j_source=block"); /* few: a texture */
  }
  pairs_index(PAIRS_MOST, 1, PAIRS_MOST, all);
}

/* A uniform block must begin at a multiple of the device's alignment, 256 at most, and end within the buffer. */
static PFNGLBINDBUFFERRANGEPROC real_bind;
static size_t worst_offset, farthest_end;

static void GLAPIENTRY bind_range(GLenum target, GLuint point, GLuint buffer, GLintptr offset,
                                  GLsizeiptr size)
{
  size_t end = (size_t)offset + (size_t)size;
  if (offset % 256) worst_offset = (size_t)offset;
  if (end > farthest_end) farthest_end = end;
  real_bind(target, point, buffer, offset, size);
}

static void test_short_bags_in_block(void **state)
{
  (void)state;
  const struct pairs_case c = {"gravity_jerk", "bag",
                               "bag=4 partial=4 unroll=1 threads=1 i_each=1 j_source=block",
                               HB_PRECISION_SINGLE};
  struct hb_pairs *pairs = pairs_open(&c, 1);
  pairs_send(pairs, 100);
  real_bind = __glewBindBufferRange;
  __glewBindBufferRange = bind_range;
  pairs_eval(pairs, 100, all, f);
  __glewBindBufferRange = real_bind;
  require(&c, "the force", pairs_error(pairs, 100, 100, all, f), pairs_tolerance(c.precision));
  if (worst_offset) fail_msg("a uniform block begins at byte %zu, not at a multiple of 256", worst_offset);
  if (farthest_end > pairs->j_room)
    fail_msg("a uniform block ends at byte %zu of a buffer of %zu", farthest_end, pairs->j_room);
  hb_pairs_destroy(pairs);
}

/* The shape of the framebuffer is nobody's business but the walk's. */
static void test_widths(void **state)
{
  (void)state;
  enum { N = 500, NI = 77 };
  static const char *const widths[] = {"width=128", "width=1", "width=3", "width=16", "width=39", "width=64"};
  static const char *const walks[] = {SHORT "threads=1 output=targets", SHORT "threads=300 output=targets",
                                      SHORT "threads=300 output=storage"};
  for (size_t walk = 0; walk < COUNT_OF(walks); walk++)
    for (size_t k = 0; k < COUNT_OF(widths); k++) {
      char tuning[128];
      snprintf(tuning, sizeof tuning, "%s %s", walks[walk], widths[k]);
      const struct pairs_case c = {"gravity_jerk", "bag", tuning, HB_PRECISION_SINGLE};
      if (pairs_lacks(&c)) continue;
      struct hb_pairs *pairs = pairs_open(&c, 1);
      pairs_send(pairs, N);
      pairs_eval(pairs, NI, all, f);
      require(&c, "the force", pairs_error(pairs, N, NI, all, f), pairs_tolerance(c.precision));
      if (k == 0) memcpy(first, f, sizeof f);
      require_same(&c, "the width", 8 * NI);
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
    require(c, "a small block", pairs_error(pairs, N, ni[k], index, f), pairs_tolerance(c->precision));
  }
  hb_pairs_destroy(pairs);
}

static void test_small_blocks(void **state)
{
  (void)state;
  for (size_t k = 0; k < hb_pairs_scheme_count; k++)
    for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
      const struct pairs_case c = {"gravity_jerk", hb_pairs_schemes[k]->name, SHORT,
                                   (enum hb_precision)precision};
      check_small_blocks(&c);
    }
}

/* ---- many particles ---- */

/* Two million, as the paper's largest runs have: 1024 of them feel all. */
static void test_two_million(void **state)
{
  (void)state;
  enum { N = 2000000, NI = 1024, LOOKED_AT = 4 };
  /* 2M terms in float sums of float sums, relative to the sum of sizes: 256 at random twice or more is 2e-6 */
  static const double TOLERANCE = 1e-5;
  if (pairs_context()->caps.max_texture_buffer_size < N) return; /* refused, as another test shows */
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
    require(&c, "a force of two million", sqrt(d2) / size, TOLERANCE);
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
      cmocka_unit_test(test_ds_positions),     cmocka_unit_test(test_split_bag),
      cmocka_unit_test(test_split_tile),       cmocka_unit_test(test_portions),
      cmocka_unit_test(test_bounded_totals),   cmocka_unit_test(test_bag_of_one),
      cmocka_unit_test(test_adding),           cmocka_unit_test(test_root_error),
      cmocka_unit_test(test_sources),          cmocka_unit_test(test_short_bags_in_block),
      cmocka_unit_test(test_widths),           cmocka_unit_test(test_small_blocks),
      cmocka_unit_test(test_two_million),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
