/* Threads with an OpenGL context each, of one kind or of two: EGL, and OSMesa unless HB_CONTEXT is egl, for machines that lack
 * it. */
#include "support/support.h"
#include "support/thread_case.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *one(void)
{
  const char *asked = getenv("HB_CONTEXT");
  return asked && strcmp(asked, "egl") == 0 ? "egl" : "osmesa";
}

#define BAG(where)                                                                                           \
  {                                                                                                          \
    {.force = {.scheme = "bag",                                                                              \
               .precision = "ds",                                                                            \
               .context = where,                                                                             \
               .flags = HB_FORCE_NO_TUNE | HB_FORCE_UNSOFTENED}},                                            \
        100, 1.0 / 32                                                                                        \
  }

static void test_two_of_a_kind(void **state)
{
  (void)state;
  const struct thread_case cases[] = {BAG(one()), BAG(one())};
  thread_case_run(cases, COUNT_OF(cases), 3);
}

static void test_two_kinds(void **state)
{
  (void)state;
  const struct thread_case cases[] = {
      BAG(one()),
      BAG("egl"),
      {{.force = {.scheme = "cg2007", .context = "egl"}}, 20, 1.0 / 32},
      {{.force = {.scheme = "matrix2004", .context = one(), .eps = 0.01}}, 40, 1.0 / 32}};
  thread_case_run(cases, COUNT_OF(cases), 2);
}

static void *use(void *context)
{
  double a[3], j[3], phi[1];
  struct hb_force *force = context;
  enum hb_status status = hb_force_eval(force, 1, (uint32_t[]){0}, a, j, phi);
  int is_said = status == HB_ERR_USAGE && strstr(hb_error(), "another thread") != NULL;
  hb_force_close(force);
  return is_said ? context : NULL;
}

/* It says so, also when that thread closes them, and this one goes on. */
static void test_of_another_thread(void **state)
{
  (void)state;
  const char *const contexts[] = {one(), "egl"};
  static const double m[2] = {1, 1}, x[6] = {0, 0, 0, 1, 1, 1}, v[6];
  for (int k = 0; k < 2; k++) {
    struct hb_force_params params = {.scheme = "bag", .context = contexts[k], .flags = HB_FORCE_NO_TUNE};
    struct hb_force *force;
    pthread_t thread;
    void *is_said;
    ASSERT_OK(hb_force_open(&params, &force));
    ASSERT_OK(hb_force_set_j(force, 2, m, x, v));
    assert_int_equal(pthread_create(&thread, NULL, use, force), 0);
    pthread_join(thread, &is_said);
    assert_non_null(is_said);
  }
  test_two_of_a_kind(state);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_of_a_kind), cmocka_unit_test(test_two_kinds),
                                     cmocka_unit_test(test_of_another_thread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
