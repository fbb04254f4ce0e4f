/* GRAPE-5's calls, NBODY6's GPU library, CUNBODY-1's and Sapporo2's of sixth order on the host. */
#include "support/siblings_case.h"
#include "support/sixth_case.h"
#include "support/support.h"

static void test_double(void **state)
{
  (void)state;
  siblings_case_run("host", 1e-13);
}

static void test_float_pairs(void **state)
{
  (void)state;
  siblings_case_run("host-simd", 1e-6);
}

/* In double: what is left is the error of the test's differences. */
static void test_sixth(void **state)
{
  (void)state;
  sixth_case_run("host", 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double),
      cmocka_unit_test(test_float_pairs),
      cmocka_unit_test(test_sixth),
  };
  setenv("HB_G6_QUIET", "1", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
