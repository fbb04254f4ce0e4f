/* Texts over a picture are wrapped between words. */
#include "support/support.h"

#include "render/paint.c"

static void expect(const char *text, int columns, int count, const char *const *lines)
{
  int k = 0;
  for (const char *at = text, *next; *at; at = next, k++) {
    int length = break_line(at, columns, &next);
    expect_below(k, count);
    assert_int_equal(length, strlen(lines[k]));
    assert_memory_equal(at, lines[k], (size_t)length);
  }
  assert_int_equal(k, count);
  assert_int_equal(hb_paint_lines(text, columns, NULL), count);
}

static void test_lines(void **state)
{
  (void)state;
  const char *const words[] = {"error: no", "matching", "function"}, *const fits[] = {"of two words"};
  const char *const longer[] = {"see", "shaders/pai", "rs/bag.frag", "now"};
  expect("error: no matching function", 11, 3, words);
  expect("of two words", 12, 1, fits);
  expect("see shaders/pairs/bag.frag now", 11, 4, longer);
  expect("", 11, 0, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
