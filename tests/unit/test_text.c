/* base/text: numbers as people type them, nearest words, growing strings. */
#include "support/support.h"

#include "base/mem.h"
#include "base/text.h"
#include "core/settings.h"

#include <float.h>
#include <string.h>

static void numbers(void **state)
{
  (void)state;
  static const struct {
    const char *word;
    double number;
  } good[] = {{"0.5", 0.5},
              {"1e-3", 1e-3},
              {"2^-8", 0x1p-8},
              {"1/256", 1.0 / 256},
              {"-3", -3},
              {"+.25", 0.25},
              {"2^-26", 0x1p-26},
              {"1e300", 1e300},
              {"0", 0},
              {"10^2", 100},
              {"-1/4", -0.25},
              {"10^-3", 1e-3},
              {"2^-1074", 0x1p-1074},
              {"-2^-3", -0.125},
              {"-2^3", -8},
              {"7^0", 1}};
  for (size_t k = 0; k < COUNT_OF(good); k++) {
    double number = -99;
    ASSERT_OK(hb_text_number(good[k].word, &number));
    expect_equal(number, good[k].number);
  }
  double root;
  ASSERT_OK(hb_text_number("2^0.5", &root)); /* a few units of the last digit */
  expect_above(root, 0x1.6a09e667f3bccp0 - 4 * DBL_EPSILON);
  expect_below(root, 0x1.6a09e667f3bccp0 + 4 * DBL_EPSILON);
  static const char *const bad[] = {
      "",  "x",   "1.5x", "nan",    "inf", "-inf",     "0x10", "1/0",    "2^",      "/2",     "1//2", "1e999",
      " ", "--1", "1 2",  "2^-8^2", "1,5", "infinity", "0^-1", "-2^0.5", "10^-400", "10^400", "2^1e9"};
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    double number = -99;
    ASSERT_FAILS(hb_text_number(bad[k], &number), HB_ERR_USAGE, "is not a number");
    expect_equal(number, -99); /* outputs are left alone on failure */
  }
}

static void counts(void **state)
{
  (void)state;
  static const struct {
    const char *word;
    uint64_t number;
  } good[] = {{"0", 0},
              {"1024", 1024},
              {"2^10", 1024},
              {"1e6", 1000000},
              {"18446744073709551615", UINT64_MAX},
              {"9007199254740993", UINT64_C(9007199254740993)}};
  for (size_t k = 0; k < COUNT_OF(good); k++) {
    uint64_t number = 99;
    ASSERT_OK(hb_text_count(good[k].word, &number));
    expect_equal(number, good[k].number);
  }
  static const char *const bad[] = {"-1", "1.5", "", "many", "1/3", "2^-1"};
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    uint64_t number = 99;
    ASSERT_FAILS(hb_text_count(bad[k], &number), HB_ERR_USAGE, "is not a whole number");
    expect_equal(number, 99);
  }
  static const char *const large[] = {"1e30", "1e300", "2^63", "18446744073709551616"};
  for (size_t k = 0; k < COUNT_OF(large); k++) {
    uint64_t number = 99;
    ASSERT_FAILS(hb_text_count(large[k], &number), HB_ERR_USAGE, "is out of range");
    expect_equal(number, 99);
  }
}

static void durations(void **state)
{
  (void)state;
  static const struct hb_setting duration = {.kind = HB_SETTING_DURATION};
  static const struct {
    const char *word;
    double seconds;
  } good[] = {{"30s", 30}, {"10min", 600}, {"2h", 7200},   {"500ms", 0.5}, {"1.5h", 5400},
              {"0s", 0},   {"1/4h", 900},  {"2d", 172800}, {"1e3s", 1000}, {"2^3min", 480}};
  for (size_t k = 0; k < COUNT_OF(good); k++) {
    double seconds = -99;
    ASSERT_OK(hb_setting_read(&duration, good[k].word, &seconds));
    expect_equal(seconds, good[k].seconds);
  }
  static const char *const bad[] = {"", "10", "s", "min", "-1s", "10m", "10 min ", "xs", "1h30min", "infs"};
  for (size_t k = 0; k < COUNT_OF(bad); k++) {
    double seconds = -99;
    ASSERT_FAILS(hb_setting_read(&duration, bad[k], &seconds), HB_ERR_USAGE, "is not a duration");
    expect_equal(seconds, -99);
  }
}

static void distances(void **state)
{
  (void)state;
  static const struct {
    const char *a, *b;
    size_t distance;
  } cases[] = {{"", "", 0},
               {"", "abc", 3},
               {"plummer", "plummer", 0},
               {"plumer", "plummer", 1},
               {"plmumer", "plummer", 1},
               {"kitten", "sitting", 3},
               {"cube", "cold", 3}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    assert_int_equal(hb_text_distance(cases[k].a, cases[k].b), cases[k].distance);
    assert_int_equal(hb_text_distance(cases[k].b, cases[k].a), cases[k].distance);
  }
  char prose[200];
  memset(prose, 'a', sizeof prose - 1);
  prose[sizeof prose - 1] = 0;
  expect_at_least(hb_text_distance(prose, "cube"), sizeof prose - 1);
}

static void appending(void **state)
{
  (void)state;
  struct hb_text text = {0};
  for (int k = 0; k < 1000; k++) ASSERT_OK(hb_text_append(&text, "%d,", k % 10));
  assert_int_equal(text.length, 2000);
  assert_int_equal(strlen(text.text), 2000);
  assert_memory_equal(text.text + 1998, "9,", 3);
  ASSERT_OK(hb_text_append_bytes(&text, "a\0b", 3));
  assert_int_equal(text.length, 2003);
  assert_memory_equal(text.text + 2000, "a\0b", 4);
  hb_mem_free(text.text);
}

static void appending_without_memory(void **state)
{
  (void)state;
  struct hb_text text = {0};
  ASSERT_OK(hb_text_append(&text, "kept"));
  char large[4096] = {0};
  hb_mem_watch.fail_at = 1;
  enum hb_status status = hb_text_append_bytes(&text, large, sizeof large);
  hb_mem_watch.fail_at = 0;
  ASSERT_FAILS(status, HB_ERR_INTERNAL, "on request");
  assert_string_equal(text.text, "kept");
  assert_int_equal(text.length, 4);
  hb_mem_free(text.text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),   cmocka_unit_test(counts),    cmocka_unit_test(durations),
      cmocka_unit_test(distances), cmocka_unit_test(appending), cmocka_unit_test(appending_without_memory),
  };
  return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
