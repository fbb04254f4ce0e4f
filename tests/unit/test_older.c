/* sim/sim.c: sections of older checkpoints become those of today, and only these. */
#include "support/support.h"

#include "sim/sim.c"

static void expect(const struct hb_sections *sections, const char *name, size_t count, const double *values)
{
  const struct hb_section *s = find(sections, name);
  if (!s) fail_msg("there is no section '%s'", name);
  printf("%s: %zu elements, expected %zu\n", name, s->count, count);
  assert_int_equal(s->count, count);
  if (count > 0) assert_memory_equal(s->data, values, count * sizeof *values);
}

static void put(struct hb_sections *sections, const char *name, size_t count)
{
  double values[64];
  for (size_t k = 0; k < count; k++) values[k] = (double)k;
  ASSERT_OK(hb_sections_put_copy(sections, name, HB_SECTION_DOUBLES, count, values));
}

static void test_records_are_split(void **state)
{
  (void)state;
  HB_OWN_SECTIONS struct hb_sections sections = {0};
  put(&sections, "frame", 7);
  put(&sections, "bodies.touches", 6);
  put(&sections, "t0", 3);
  ASSERT_OK(sim_read_older(&sections));
  expect(&sections, "frame.x", 3, (double[]){0, 1, 2});
  expect(&sections, "frame.v", 3, (double[]){3, 4, 5});
  expect(&sections, "frame.t", 1, (double[]){6});
  expect(&sections, "touches.k", 2, (double[]){1, 4});
  expect(&sections, "t0", 1, (double[]){0});
  expect(&sections, "leapfrog.damping", 1, (double[]){2});
  assert_null(find(&sections, "frame"));
  assert_null(find(&sections, "bodies.touches"));
}

/* Else a damaged file would have a number behind its end. */
static void test_what_is_empty_stays_so(void **state)
{
  (void)state;
  HB_OWN_SECTIONS struct hb_sections sections = {0};
  put(&sections, "t0", 0);
  put(&sections, "passages", 0);
  ASSERT_OK(sim_read_older(&sections));
  expect(&sections, "t0", 0, NULL);
  expect(&sections, "passages.i", 0, NULL);
}

static void test_nothing_is_there_twice(void **state)
{
  (void)state;
  HB_OWN_SECTIONS struct hb_sections sections = {0};
  put(&sections, "groups", 6);
  put(&sections, "groups.formed", 1);
  ASSERT_OK(sim_read_older(&sections));
  expect(&sections, "groups", 6, (double[]){0, 1, 2, 3, 4, 5});
  assert_int_equal(sections.count, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_records_are_split),
      cmocka_unit_test(test_what_is_empty_stays_so),
      cmocka_unit_test(test_nothing_is_there_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
