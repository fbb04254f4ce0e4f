/* hb_largest: the largest magnitude, wherever it is in an array of any length; NaN if there is an infinity or a NaN. */
#include "base/arith.h"
#include "support/support.h"

#include <math.h>

enum { MOST = 70 };

static void test_anywhere(void **state)
{
  (void)state;
  double q[MOST];
  for (size_t count = 1; count <= MOST; count++)
    for (size_t at = 0; at < count; at++) {
      for (size_t k = 0; k < count; k++) q[k] = (k % 2 ? 1 : -1) * (double)(k + 1);
      q[at] = -100.5;
      expect_equal(hb_largest(count, q), 100.5);
      q[at] = 0x1p-1074;
      expect_equal(hb_largest(count, q),
                   (count > 1 ? (double)(at == count - 1 ? count - 1 : count) : 0x1p-1074));
      for (int sign = -1; sign <= 1; sign += 2) {
        q[at] = sign * INFINITY;
        assert_true(isnan(hb_largest(count, q)));
        q[at] = copysign(NAN, sign);
        assert_true(isnan(hb_largest(count, q)));
      }
    }
}

static void test_zeros(void **state)
{
  (void)state;
  expect_equal(hb_largest(0, NULL), 0);
  expect_equal(hb_largest(2, (const double[]){-0.0, 0}), 0);
  assert_true(!signbit(hb_largest(1, (const double[]){-0.0})));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_anywhere), cmocka_unit_test(test_zeros)};
  return cmocka_run_group_tests_name("largest", tests, NULL, NULL);
}
