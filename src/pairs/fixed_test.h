/* Whether a device has the bits of precision `reproducible`. */
#ifndef HB_FIXED_TEST_H
#define HB_FIXED_TEST_H

#include "pairs/pairs.h"

/* A system of 160 particles, two blocks and a half, whose totals are known. */
enum { HB_FIXED_TEST_N = 160, HB_FIXED_TEST_CASES = 4 };
struct hb_fixed_test {
  double m[HB_FIXED_TEST_N], x[3 * HB_FIXED_TEST_N], v[3 * HB_FIXED_TEST_N];
  struct hb_fixed_column rounding[8];
  float eps2;
  uint32_t scale;
};
void hb_fixed_test_make(int k, struct hb_fixed_test *test);

/* FNV-1a of all bytes of sum[] and most, sink after sink; and what it must be. */
uint64_t hb_fixed_test_hash(size_t n, const struct hb_fixed_total *totals);
extern const uint64_t hb_fixed_test_right[HB_FIXED_TEST_CASES];

/* By this engine, in precision reproducible, once per scheme and device: some milliseconds. Errors: HB_ERR_GL where a bit differs. */
enum hb_status hb_fixed_test_run(struct hb_pairs *pairs);

#endif
