/* Threads with an OpenGL context each, of one kind or of two: HB_CONTEXT is not asked. */
#include "support/support.h"
#include "support/thread_case.h"

#include <pthread.h>

#define BAG(where)                                                                                           \
  {                                                                                                          \
    {.force = {.scheme = "bag", .precision = "ds", .context = where, .flags = HB_FORCE_NO_TUNE}}, 100,       \
        1.0 / 32                                                                                             \
  }

static void test_two_of_a_kind(void **state)
{
  (void)state;
  const struct thread_case cases[] = {BAG("osmesa"), BAG("osmesa")};
  thread_case_run(cases, COUNT_OF(cases), 3);
}

static void test_two_kinds(void **state)
{
  (void)state;
  const struct thread_case cases[] = {
      BAG("osmesa"),
      BAG("egl"),
      {{.force = {.scheme = "cg2007", .context = "egl"}}, 20, 1.0 / 32},
      {{.force = {.scheme = "matrix2004", .context = "osmesa", .eps = 0.01}}, 40, 1.0 / 32}};
  thread_case_run(cases, COUNT_OF(cases), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_of_a_kind), cmocka_unit_test(test_two_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
