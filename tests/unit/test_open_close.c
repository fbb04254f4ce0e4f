/* Open, work, close, a thousand times on the host. Under the address sanitizer and, in `make test-long`, under valgrind. */
#include "support/open_close.h"
#include "support/support.h"

static void test_host(void **state)
{
  (void)state;
  open_close_run(&(struct hb_force_params){.scheme = "host", .eps = 0.01}, 12, open_close_rounds(500));
}

static void test_host_simd(void **state)
{
  (void)state;
  open_close_run(&(struct hb_force_params){.scheme = "host-simd", .eps = 0.01}, 40, open_close_rounds(500));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_host), cmocka_unit_test(test_host_simd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
