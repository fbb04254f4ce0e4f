/* Loops of constant length that the loader writes out. */
#include "support/support.h"

#include "base/mem.h"
#include "gl/gl_shader.c"

#include <string.h>

static const struct hb_gl_loop loops[] = {{"TWO", 2}, {"THREE", 3}, {NULL, 0}};

static void check(const char *source, const char *expected)
{
  struct hb_text text = {0};
  ASSERT_OK(unroll(source, loops, &text));
  assert_string_equal(text.text, expected);
  hb_mem_free(text.text);
}

static void test_a_statement_is_repeated(void **state)
{
  (void)state;
  check("a; for (int k = 0; k < TWO; k++) x[k] = f(k + k2); b;",
        "a;  x[0] = f(0 + k2); x[1] = f(1 + k2); b;");
  check("for (int k = 0; k < TWO; k++) { int y = k; g(y); }", " { int y = 0; g(y); } { int y = 1; g(y); }");
}

static void test_loops_in_loops(void **state)
{
  (void)state;
  check("for (int q = 0; q < TWO; q++) for (int k = 0; k < THREE; k++) m(q, k);",
        "  m(0, 0); m(0, 1); m(0, 2);  m(1, 0); m(1, 1); m(1, 2);");
}

/* Errors of the driver name lines: what stands behind a loop stays on its own. */
static void test_lines_keep_their_numbers(void **state)
{
  (void)state;
  check("for (int k = 0; k < TWO; k++) { // said; once {\n  f(k);\n}\nlast",
        " {    f(0); } {    f(1); }\n\n\nlast");
}

static void test_other_loops_stay(void **state)
{
  (void)state;
  static const char *const same[] = {
      "for (int k = 0; k < n; k++) f(k);", "for (int k = 0; k < FOUR; k++) f(k);",
      "for (int k = 1; k < TWO; k++) f(k);", "for (int k = 0; k < TWO; j++) f(k);"};
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) check(same[k], same[k]);
}

/* Left as a loop, in silence, one in bag has given wrong numbers on an H200. */
static void test_a_choice_within_is_refused(void **state)
{
  (void)state;
  struct hb_text text = {0};
  assert_int_equal(unroll("a;\nfor (int k = 0; k < TWO; k++) {\n#ifdef A\n  f(k);\n#endif\n}", loops, &text),
                   HB_ERR_INPUT);
  assert_string_equal(hb_error(),
                      "line 2: 'for (int k = 0; k < TWO; k++)' has a line of the preprocessor in it; put "
                      "the choice outside of the loop");
  hb_mem_free(text.text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_statement_is_repeated),    cmocka_unit_test(test_loops_in_loops),
      cmocka_unit_test(test_lines_keep_their_numbers),   cmocka_unit_test(test_other_loops_stay),
      cmocka_unit_test(test_a_choice_within_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
