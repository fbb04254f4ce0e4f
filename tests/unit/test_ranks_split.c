/* Which blocks several ranks share out by their sinks: words and the bound. */
#include "support/support.h"

#include "force/devices.h"

static void the_bound_is_where_two_lines_cross(void **state)
{
  (void)state;
  /* by sources 1 + ni, by sinks 5 + ni / 2: equal at 8 */
  const struct hb_ranks_cost few = {2, 3, 6}, many = {20, 21, 15};
  assert_int_equal(hb_ranks_split_from(few, many), 8);
}

static void by_sinks_never_or_always(void **state)
{
  (void)state;
  const struct hb_ranks_cost few = {2, 3, 6}, parallel = {20, 21, 24}, always = {2, 7, 6},
                             still = {20, 21, 20};
  expect_equal(hb_ranks_split_from(few, parallel), HB_RANKS_SPLIT_NEVER);
  assert_int_equal(hb_ranks_split_from(always, still), 1);
  const struct hb_ranks_cost below = {2, 7, 6}, far = {20, 30, 20};
  assert_int_equal(hb_ranks_split_from(below, far), 1);
}

static void words_hold_for_their_number_of_ranks(void **state)
{
  (void)state;
  struct hb_ranks_split split;
  char text[320];
  hb_ranks_split_print(4096, 2, "i_each=4 unroll=8", sizeof text, text);
  assert_string_equal(text, "sinks_from=4096@2 i_each=4 unroll=8");
  ASSERT_OK(hb_ranks_split_parse(text, 2, &split));
  assert_int_equal(split.sinks_from, 4096);
  assert_string_equal(split.others, "i_each=4 unroll=8");
  ASSERT_OK(hb_ranks_split_parse(text, 3, &split));
  assert_int_equal(split.sinks_from, 0);
  ASSERT_OK(hb_ranks_split_parse("sinks_from=all", 3, &split));
  expect_equal(split.sinks_from, HB_RANKS_SPLIT_NEVER);
  ASSERT_OK(hb_ranks_split_parse(NULL, 3, &split));
  assert_int_equal(split.sinks_from, 0);
}

static void wrong_words(void **state)
{
  (void)state;
  static const char *const words[] = {
      "sinks_from=",   "sinks_from=0",     "sinks_from=-1",   "sinks_from=many",
      "sinks_from=4@", "sinks_from=4@two", "sinks_from=allx", "sinks_from=4 sinks_from=x"};
  struct hb_ranks_split split;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    assert_int_equal(hb_ranks_split_parse(words[k], 2, &split), HB_ERR_USAGE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_bound_is_where_two_lines_cross),
      cmocka_unit_test(by_sinks_never_or_always),
      cmocka_unit_test(words_hold_for_their_number_of_ranks),
      cmocka_unit_test(wrong_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
