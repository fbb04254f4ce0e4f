/* The all-pairs engine in the context that HB_CONTEXT names: where sources are read, and where and how results are added up. */
#include "gl/gl.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Short programs, which compile fast. */
#define SHORT "i_each=2 unroll=2 partial=32 "

static double f[8 * PAIRS_MOST], first[8 * PAIRS_MOST];
static uint32_t all[PAIRS_MOST];

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
        pairs_require_same(&c, "the source", f, first, 8 * NI);
      else
        pairs_require(&c, "the force", pairs_error(pairs, N, NI, all, f), 3 * pairs_tolerance(precision));
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
    pairs_require(&c, "the force of others", pairs_error(pairs, n[k], NI, all, f),
                  3 * pairs_tolerance(precision));
    assert_true(pairs->is_2d_filled);
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
    if (a->spans_blocks && ni > 3) {
      expect_above(pairs->shape.segments, 1);
      expect_above(pairs->shape.segment_length, pairs->shape.most); /* which is of a block */
    }
    if (k == 0) {
      pairs_require(&c, "the force", pairs_error(pairs, a->n, ni, all, f), 3 * pairs_tolerance(precision));
      memcpy(first, f, sizeof f);
    } else if (k < 3) {
      pairs_require_same(&c, "cutting", f, first, 8 * ni);
    } else if (a->shows_adding && precision == HB_PRECISION_SINGLE &&
               memcmp(first, f, 8 * ni * sizeof *f) == 0) {
      fail_msg("%s: the device did not add the segments", pairs_describe(&c));
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
      for (size_t k = 0; k < COUNT_OF(ni); k++)
        if (precision == HB_PRECISION_SINGLE ||
            (w < 2 && k == 1)) /* the shape of a walk knows no precision */
          check_adding((enum hb_precision)precision, ni[k], &walks[w]);
  pairs_index(PAIRS_MOST, 1, PAIRS_MOST, all);
  pairs_skip_if_lacking();
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
      const struct pairs_case c = {"gravity_jerk", schemes[s], SHORT, (enum hb_precision)precision};
      if (pairs_lacks(&c)) continue;
      for (int k = 0; k < 2; k++) {
        struct hb_pairs *pairs = pairs_open(&c, 1);
        if (k == 0 && fabs(pairs->root_error) > 1e-7)
          fail_msg("%s: 1 / r is no reciprocal", pairs_describe(&c));
        if (k == 1) pairs->root_error = error;
        pairs_send(pairs, N);
        pairs_eval(pairs, N, all, k ? f : first);
        hb_pairs_destroy(pairs);
      }
      for (int k = 0; k < 8 * N; k++)
        if (k % 8 != 7 && fabs(f[k] - (1 - powers[k % 8] * error) * first[k]) > 1e-5 * fabs(first[k]) + 1e-6)
          fail_msg("%s: component %d of sink %d is %.9g, was %.9g", pairs_describe(&c), k % 8, k / 8, f[k],
                   first[k]);
    }
  pairs_skip_if_lacking();
}

static void test_sources(void **state)
{
  (void)state;
  /* to compensated a source is the same texels as to single */
  static const enum hb_precision precisions[] = {HB_PRECISION_SINGLE, HB_PRECISION_DS, HB_PRECISION_DOUBLE};
  for (size_t k = 0; k < COUNT_OF(precisions); k++) {
    check_sources(precisions[k]);
    check_sent_again(precisions[k], SHORT "threads=1 j_source=texture");
    check_sent_again(precisions[k], SHORT "threads=3000 j_source=block"); /* few: a texture */
  }
  pairs_index(PAIRS_MOST, 1, PAIRS_MOST, all);
  pairs_skip_if_lacking();
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
  real_bind = hb_gl_since_12.__glewBindBufferRange;
  hb_gl_since_12.__glewBindBufferRange = bind_range;
  pairs_eval(pairs, 100, all, f);
  hb_gl_since_12.__glewBindBufferRange = real_bind;
  pairs_require(&c, "the force", pairs_error(pairs, 100, 100, all, f), pairs_tolerance(c.precision));
  if (worst_offset) fail_msg("a uniform block begins at byte %zu, not at a multiple of 256", worst_offset);
  if (farthest_end > pairs->j.bytes)
    fail_msg("a uniform block ends at byte %zu of a buffer of %zu", farthest_end, pairs->j.bytes);
  hb_pairs_destroy(pairs);
}

/* A float sum that is longer than a block is read from elsewhere. */
static void test_long_sums_in_block(void **state)
{
  (void)state;
  const struct pairs_case c = {
      "gravity_jerk", "bag", "partial=4096 unroll=1 threads=1 i_each=1 j_source=block", HB_PRECISION_SINGLE};
  struct hb_pairs *pairs = pairs_open(&c, 1);
  pairs_send(pairs, 100);
  pairs_eval(pairs, 100, all, f);
  pairs_require(&c, "the force", pairs_error(pairs, 100, 100, all, f), pairs_tolerance(c.precision));
  hb_pairs_destroy(pairs);
}

/* More particles than a texture holds: few sinks, which had read one, read the buffer. */
static void test_beyond_a_texture(void **state)
{
  (void)state;
  enum { FEW = 300, ROWS = 16, NI = 6 }; /* 5 rows of texels with the room behind the last block, then 22 */
  const struct pairs_case c = {
      "gravity_jerk", "bag", SHORT "threads=128 width=16 j_source=block output=targets", HB_PRECISION_SINGLE};
  struct hb_gl_caps *caps = &pairs_context()->caps, kept = *caps;
  struct hb_pairs *pairs = pairs_open(&c, 1);
  caps->max_texture_size = ROWS;
  pairs_send(pairs, FEW);
  pairs_eval(pairs, NI, all, f);
  assert_int_equal(pairs->shape.j_source, HB_J_TEXTURE);
  pairs_require(&c, "the force", pairs_error(pairs, FEW, NI, all, f), pairs_tolerance(c.precision));
  pairs_send(pairs, PAIRS_MOST);
  pairs_eval(pairs, NI, all, f);
  *caps = kept;
  assert_int_equal(pairs->shape.j_source, HB_J_BUFFER_TEXTURE);
  pairs_require(&c, "the force of more", pairs_error(pairs, PAIRS_MOST, NI, all, f),
                pairs_tolerance(c.precision));
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
      pairs_require(&c, "the force", pairs_error(pairs, N, NI, all, f), pairs_tolerance(c.precision));
      if (k == 0) memcpy(first, f, sizeof f);
      pairs_require_same(&c, "the width", f, first, 8 * NI);
      hb_pairs_destroy(pairs);
    }
  pairs_skip_if_lacking();
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
      cmocka_unit_test(test_sources),
      cmocka_unit_test(test_adding),
      cmocka_unit_test(test_root_error),
      cmocka_unit_test(test_short_bags_in_block),
      cmocka_unit_test(test_long_sums_in_block),
      cmocka_unit_test(test_beyond_a_texture),
      cmocka_unit_test(test_widths),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
