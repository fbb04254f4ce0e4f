/* Tunings as text: what is written is read again, and what makes no sense is refused by name. */
#include "pairs/tuning.h"
#include "support/support.h"

#include <string.h>

static const char every_field[] =
    "i_each=4 unroll=8 partial=256 j_source=block output=targets threads=512 workgroup=64 "
    "body_threads=32 limit=2048 bag=1 portion=262144";

static void test_round_trip(void **state)
{
  (void)state;
  struct hb_pairs_tuning t = {0}, again = {0};
  char text[256];
  ASSERT_OK(hb_tuning_parse(every_field, &t));
  assert_int_equal(t.i_each, 4);
  assert_int_equal(t.j_source_plus_1, HB_J_BLOCK + 1);
  assert_int_equal(t.output_plus_1, 1);
  assert_int_equal(t.body_threads, 32);
  hb_tuning_print(&t, sizeof text, text);
  assert_string_equal(text, every_field);
  ASSERT_OK(hb_tuning_parse(text, &again));
  assert_memory_equal(&t, &again, sizeof t);
}

static void test_words_of_lists(void **state)
{
  (void)state;
  for (int k = 0; k < HB_J_SOURCE_COUNT; k++) {
    struct hb_pairs_tuning t = {.j_source_plus_1 = k + 1}, again = {0};
    char text[64];
    hb_tuning_print(&t, sizeof text, text);
    assert_string_equal(text + strlen("j_source="), hb_j_source_names[k]);
    ASSERT_OK(hb_tuning_parse(text, &again));
    assert_int_equal(again.j_source_plus_1, k + 1);
  }
}

static void test_only_named_fields_change(void **state)
{
  (void)state;
  struct hb_pairs_tuning t = {.i_each = 2, .unroll = 3};
  ASSERT_OK(hb_tuning_parse("unroll=5,,  bag=7", &t)); /* commas do, too */
  assert_int_equal(t.i_each, 2);
  assert_int_equal(t.unroll, 5);
  assert_int_equal(t.bag, 7);
  ASSERT_OK(hb_tuning_parse(NULL, &t));
  ASSERT_OK(hb_tuning_parse("", &t));
  assert_int_equal(t.unroll, 5);
  char text[64] = "left over";
  hb_tuning_print(&(struct hb_pairs_tuning){0}, sizeof text, text);
  assert_string_equal(text, "");
}

/* A room too small cuts the text and no more. */
static void test_small_room(void **state)
{
  (void)state;
  struct hb_pairs_tuning t = {0};
  ASSERT_OK(hb_tuning_parse(every_field, &t));
  for (size_t room = 1; room < sizeof every_field; room++) {
    char text[sizeof every_field + 1];
    memset(text, '#', sizeof text);
    hb_tuning_print(&t, room, text);
    expect_below(strlen(text), room);
    assert_memory_equal(text, every_field, strlen(text));
    for (size_t k = room; k < sizeof text; k++) assert_int_equal(text[k], '#');
  }
}

static void test_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *sentence;
  } cases[] = {
      {"speed=9", "unknown tuning 'speed=9' (expected e.g. i_each=4, unroll, "},
      {"unroll", "unknown tuning 'unroll' (expected e.g. "},
      {"unrol=4", "unknown tuning 'unrol=4' (expected e.g. "},
      {"unrolls=4", "unknown tuning 'unrolls=4' (expected e.g. "},
      {"unroll=", "unknown tuning 'unroll=': bad value"},
      {"unroll=0", "unknown tuning 'unroll=0': bad value"},
      {"unroll=-4", "unknown tuning 'unroll=-4': bad value"},
      {"unroll=4x", "unknown tuning 'unroll=4x': bad value"},
      {"unroll=99999999999999999999", "unknown tuning 'unroll=99999999999999999999': bad value"},
      {"j_source=1", "unknown tuning 'j_source=1': bad value"},
      {"output=screen", "unknown tuning 'output=screen': bad value"},
      {"i_each=2 bag=x", "unknown tuning 'bag=x': bad value"},
  };
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    struct hb_pairs_tuning t = {0};
    ASSERT_FAILS(hb_tuning_parse(cases[k].text, &t), HB_ERR_USAGE, cases[k].sentence);
  }
  char text[400];
  memset(text, ' ', sizeof text);
  text[sizeof text - 1] = 0;
  struct hb_pairs_tuning t = {0};
  ASSERT_FAILS(hb_tuning_parse(text, &t), HB_ERR_USAGE, "is too long");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_words_of_lists),
      cmocka_unit_test(test_only_named_fields_change),
      cmocka_unit_test(test_small_room),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
