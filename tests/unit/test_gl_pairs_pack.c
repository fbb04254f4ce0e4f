/* Columns of doubles packed into records on their way to the device: every layout of the columns gives the bits that plain conversion does. */
#include "support/support.h"

#include "support/pairs_case.h"

#include <math.h>
#include <string.h>

enum { N = 600, RECORDS = 2, TEXELS_MOST = 4 };
static const uint32_t UNTOUCHED = 0xdeadbeef;

static double m[N], x[3 * N], v[3 * N], wide[4 * RECORDS * N];
static uint32_t out[4 * TEXELS_MOST * (N + 1)];

/* Numbers of all sizes, none of them exact in float. */
static int set_up(void **state)
{
  *state = pairs_context();
  for (int k = 0; k < 3 * N; k++) {
    x[k] = ldexp(1 + k / 1801.0, k % 61 - 30) * (k % 2 ? 1 : -1);
    v[k] = 1 / (k + 3.0);
  }
  for (int k = 0; k < N; k++) m[k] = 1 / (7.0 * k + 1);
  return 0;
}

/* Component c of particle j's record, 0 where there is none. */
static double right(const struct hb_column *columns, int c, size_t j)
{
  return columns[c].data ? columns[c].data[columns[c].stride * j] : 0;
}

static uint32_t bits(float f)
{
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  return word;
}

static uint32_t expected(const struct hb_column *columns, enum hb_precision precision, size_t j, int w)
{
  if (precision == HB_PRECISION_DOUBLE) {
    double d = right(columns, w / 8 * 4 + w % 4, j);
    uint64_t both;
    memcpy(&both, &d, sizeof both);
    return (uint32_t)(w / 4 % 2 ? both : both >> 32);
  }
  if (w < 4 * RECORDS) return bits((float)right(columns, w, j));
  double d = w % 4 < 3 ? right(columns, w % 4, j) : 0;
  volatile float high = (float)d;
  return bits((float)(d - (double)high));
}

static void check(const char *what, const struct hb_column *columns)
{
  static const size_t counts[] = {1, 2, 255, 256, 257, N};
  static const enum hb_precision precisions[] = {HB_PRECISION_SINGLE, HB_PRECISION_DS, HB_PRECISION_DOUBLE};
  for (size_t q = 0; q < COUNT_OF(precisions); q++)
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
      const struct pairs_case c = {"gravity_jerk", "bag", NULL, precisions[q]};
      if (pairs_lacks(&c)) continue;
      struct hb_pairs *pairs = pairs_open(&c, 1);
      size_t words = 4 * (size_t)pairs->texels, n = counts[k];
      for (size_t w = 0; w < sizeof out / sizeof *out; w++) out[w] = UNTOUCHED;
      ASSERT_OK(hb_pairs_reserve_j(pairs, n + 1));
      hb_gl_buffer_write(&pairs->j, 4 * words * (n + 1), out);
      ASSERT_OK(hb_pairs_set_j(pairs, n, columns));
      hb_gl_buffer_read(&pairs->j, 0, 4 * words * (n + 1), out);
      for (size_t w = 0; w < words * n; w++)
        if (out[w] != expected(columns, precisions[q], w / words, (int)(w % words)))
          fail_msg("%s in %s: word %zu of particle %zu of %zu is %08x", what,
                   hb_precision_names[precisions[q]], w % words, w / words, n, out[w]);
      assert_int_equal(out[words * n], UNTOUCHED);
      hb_pairs_destroy(pairs);
    }
}

static void test_vectors(void **state)
{
  (void)state;
  check("vectors", (const struct hb_column[8]){
                       {x, 3}, {x + 1, 3}, {x + 2, 3}, {m, 1}, {v, 3}, {v + 1, 3}, {v + 2, 3}, {NULL, 0}});
}

static void test_other_layouts(void **state)
{
  (void)state;
  static const double one = 1. / 3;
  const size_t s = 4 * RECORDS;
  for (size_t k = 0; k < s * N; k++) wide[k] = 1 / (k + 2.0);
  check("one mass for all", (const struct hb_column[8]){{x, 3}, {x + 1, 3}, {x + 2, 3}, {&one, 0}});
  check("columns apart",
        (const struct hb_column[8]){
            {x, 1}, {x + N, 1}, {x + 2 * N, 1}, {m, 1}, {v + N, 1}, {v, 1}, {v + 2 * N, 1}, {NULL, 0}});
  check("records", (const struct hb_column[8]){{wide, s},
                                               {wide + 1, s},
                                               {wide + 2, s},
                                               {wide + 3, s},
                                               {wide + 4, s},
                                               {wide + 5, s},
                                               {wide + 6, s},
                                               {wide + 7, s}});
  check("components in another order",
        (const struct hb_column[8]){{x + 2, 3}, {x + 1, 3}, {x, 3}, {NULL, 0}, {v, 3}, {v + 1, 3}});
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_other_layouts)};
  return cmocka_run_group_tests(tests, set_up, NULL);
}
