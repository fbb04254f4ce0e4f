/* core/columns: arrays and numbers by rows. */
#include "support/support.h"

#include "base/mem.h"
#include "core/columns.h"

#include <math.h>
#include <string.h>

enum color { RED, GREEN, BLUE };
struct thing {
  double *x;
  uint8_t *level;
  uint32_t *scratch;
  uint64_t *rare;
  uint64_t steps;
  double place[2];
  enum color color;
};

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("x", HB_SECTION_DOUBLES, struct thing, x, 2, HB_COLUMN_SAVED),
    HB_COLUMN_OF("level", HB_SECTION_BYTES, struct thing, level, 1, HB_COLUMN_ADDED),
    HB_COLUMN(struct thing, scratch, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN_OF("rare", HB_SECTION_WORDS, struct thing, rare, 1, HB_COLUMN_ON_DEMAND),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

static const struct hb_numbers_row number_rows[] = {
    HB_NUMBER("steps", HB_NUMBER_WORD, struct thing, steps, 1),
    HB_NUMBER("place", HB_NUMBER_DOUBLE, struct thing, place, 0),
    HB_NUMBER_OF("color", struct thing, color, BLUE),
};
static const struct hb_numbers numbers = HB_NUMBERS(number_rows, struct thing);

enum { N = 4 };

static struct thing thing_of(uint64_t first)
{
  struct thing t = {.steps = first, .place = {1, (double)first}, .color = GREEN};
  ASSERT_OK(hb_columns_reserve(&columns, N, &t));
  assert_null(t.rare);
  for (size_t i = 0; i < N; i++) {
    t.x[2 * i] = (double)(first + i), t.x[2 * i + 1] = -t.x[2 * i];
    t.level[i] = (uint8_t)(first + i), t.scratch[i] = 7;
  }
  return t;
}

static void renumbered(void **state)
{
  (void)state;
  struct thing t = thing_of(10);
  hb_columns_renumber(&columns, N, (const uint32_t[]){HB_COLUMNS_GONE, 0, HB_COLUMNS_GONE, 1}, &t);
  expect_equal(t.x[0], 11);
  expect_equal(t.x[1], -11);
  expect_equal(t.x[2], 13);
  expect_equal(t.x[3], -13);
  expect_equal(t.level[0], 11);
  expect_equal(t.level[1], 13);
  expect_equal(t.scratch[0], 7);
  hb_columns_free(&columns, &t);
}

static void saved_and_read(void **state)
{
  (void)state;
  struct thing t = thing_of(10), again = thing_of(20), copy = {0};
  struct hb_sections s = {0};
  ASSERT_OK(HB_ALLOC(N, &t.rare));
  t.rare[2] = 5;
  ASSERT_OK(hb_columns_copy(&columns, N, &t, &copy));
  ASSERT_OK(hb_columns_put(&columns, N, &t, &s));
  assert_int_equal(s.count, 3); /* no scratch */
  ASSERT_OK(hb_columns_get(&columns, &s, N, &again));
  assert_memory_equal(again.x, copy.x, 2 * N * sizeof *t.x);
  assert_memory_equal(again.level, copy.level, N);
  expect_equal(again.rare[2], 5);
  expect_equal(copy.rare[2], 5);
  assert_true(!copy.scratch);
  t.x[5] = INFINITY; /* the sections share it */
  ASSERT_FAILS(hb_columns_get(&columns, &s, N, &again), HB_ERR_INPUT, "section 'x' has inf at 5");
  ASSERT_FAILS(hb_columns_get(&columns, &s, N - 1, &again), HB_ERR_INPUT, "section 'x' has 8 elements");
  hb_sections_clear(&s);
  ASSERT_FAILS(hb_columns_get(&columns, &s, N, &again), HB_ERR_INPUT, "section 'x' is missing");
  hb_columns_free(&columns, &t);
  hb_columns_free(&columns, &again);
  hb_columns_free(&columns, &copy);
}

/* Of two records: what is missing keeps its value, unless it must be there; and what nobody asks for is found out. */
static void numbers_by_name(void **state)
{
  (void)state;
  struct thing two[2] = {{.steps = 1, .place = {2, 3}, .color = BLUE}, {.steps = 4, .place = {5, 6}}},
               back[2];
  struct hb_sections s = {0}, less = {0};
  ASSERT_OK(hb_numbers_put(&numbers, 2, two, &s));
  assert_int_equal(hb_numbers_records(&numbers, &s), 2);
  memset(back, 0, sizeof back);
  ASSERT_OK(hb_numbers_get(&numbers, &s, 2, back));
  assert_memory_equal(back, two, sizeof two);
  for (size_t k = 0; k < s.count; k++) assert_true(s.at[k].was_found);
  ASSERT_FAILS(hb_numbers_get(&numbers, &less, 1, back), HB_ERR_INPUT, "section 'steps' is missing");
  ASSERT_OK(hb_sections_put(&less, "steps", HB_SECTION_WORDS, 1, &(const uint64_t){9}));
  ASSERT_OK(hb_sections_put(&less, "warp", HB_SECTION_WORDS, 1, &(const uint64_t){9}));
  ASSERT_OK(hb_numbers_get(&numbers, &less, 1, back));
  expect_equal(back->steps, 9);
  expect_equal(back->place[1], 3);
  expect_equal(back->color, BLUE);
  for (size_t k = 0; k < less.count; k++)
    assert_int_equal(less.at[k].was_found, strcmp(less.at[k].name, "warp") != 0);
  ASSERT_OK(hb_sections_put(&less, "color", HB_SECTION_WORDS, 1, &(const uint64_t){3}));
  ASSERT_FAILS(hb_numbers_get(&numbers, &less, 1, back), HB_ERR_INPUT,
               "section 'color' has 3, expected 0 to 2");
  hb_sections_clear(&s);
  hb_sections_clear(&less);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(renumbered),
      cmocka_unit_test(saved_and_read),
      cmocka_unit_test(numbers_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
