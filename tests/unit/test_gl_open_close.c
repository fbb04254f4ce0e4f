/* Open, work, close with an OpenGL context each time. */
#include "support/open_close.h"
#include "support/support.h"

#define SCHEME(word, kind)                                                                                   \
  (&(struct hb_force_params){.scheme = word, .precision = kind, .eps = 0.01, .flags = HB_FORCE_NO_TUNE})

static void test_bag(void **state)
{
  (void)state;
  open_close_run(SCHEME("bag", "ds"), 20, open_close_rounds(10));
}

static void test_others(void **state)
{
  (void)state;
  open_close_run(SCHEME("tile", "single"), 20, open_close_rounds(3));
  open_close_run(SCHEME("matrix2004", "single"), 12, open_close_rounds(3));
  open_close_run(SCHEME("cg2007", "single"), 8, open_close_rounds(3));
  open_close_run(SCHEME("hybrid", "single"), 20, open_close_rounds(3));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bag), cmocka_unit_test(test_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
