/* base/ieee: a process that another library has set to other arithmetic is told from one that has not been touched. */
#include "support/support.h"

#include "base/machine.h"

#include <fenv.h>
#include <string.h>
#if HB_SIMD_X86
#include <immintrin.h>
#endif

static void as_it_begins(void **state)
{
  (void)state;
  ASSERT_OK(hb_ieee_check());
}

static void another_rounding(void **state)
{
  (void)state;
  static const int ways[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t k = 0; k < COUNT_OF(ways); k++) {
    fesetround(ways[k]);
    enum hb_status status = hb_ieee_check();
    fesetround(FE_TONEAREST);
    assert_int_equal(status, HB_ERR_USAGE);
    assert_non_null(strstr(hb_error(), "does not round to nearest"));
  }
  ASSERT_OK(hb_ieee_check());
}

/* Flush to zero and denormals are zero, as start-up code of -ffast-math sets them, each alone. */
static void without_subnormals(void **state)
{
  (void)state;
#if HB_SIMD_X86
  static const unsigned bits[] = {0x8000, 0x0040};
  unsigned before = _mm_getcsr();
  for (size_t k = 0; k < COUNT_OF(bits); k++) {
    _mm_setcsr(before | bits[k]);
    enum hb_status status = hb_ieee_check();
    _mm_setcsr(before);
    assert_int_equal(status, HB_ERR_USAGE);
    assert_non_null(strstr(hb_error(), "takes the smallest numbers for 0"));
  }
  ASSERT_OK(hb_ieee_check());
#else
  skip();
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_it_begins), cmocka_unit_test(another_rounding),
                                     cmocka_unit_test(without_subnormals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
