/* core/particles: creation, notes, copies, checks, and no leak when memory runs out. */
#include "support/support.h"

#include "core/particles.h"

#include <math.h>

static void created_empty(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(5, &p));
  assert_int_equal(hb_particles_n(p), 5);
  expect_equal(hb_particles_time(p), 0);
  for (size_t i = 0; i < 5; i++) {
    expect_equal(hb_particles_m(p)[i], 0);
    assert_int_equal(hb_particles_id(p)[i], i);
  }
  for (size_t k = 0; k < 15; k++) {
    expect_equal(hb_particles_x(p)[k], 0);
    expect_equal(hb_particles_v(p)[k], 0);
  }
  assert_null(hb_particles_note(p, "history"));
  hb_particles_set_time(p, 0.5);
  expect_equal(hb_particles_time(p), 0.5);
  hb_particles_destroy(p);
  hb_particles_destroy(NULL);
}

static void refuses_impossible_numbers(void **state)
{
  (void)state;
  struct hb_particles *p = (struct hb_particles *)&p;
  ASSERT_FAILS(hb_particles_create(0, &p), HB_ERR_USAGE, "number of particles is 0");
  assert_null(p);
  ASSERT_FAILS(hb_particles_create((size_t)UINT32_MAX + 1, &p), HB_ERR_USAGE, "expected below 2^32");
  assert_null(p);
}

static void notes(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(1, &p));
  ASSERT_OK(hb_particles_set_note(p, "device", "a lamp"));
  ASSERT_OK(hb_particles_set_note(p, "version", "0"));
  ASSERT_OK(hb_particles_set_note(p, "device", "two lamps"));
  assert_string_equal(hb_particles_note(p, "device"), "two lamps");
  assert_string_equal(hb_particles_note(p, "version"), "0");
  assert_int_equal(p->note_count, 2);
  ASSERT_OK(hb_particles_add_history(p, "ic plummer"));
  ASSERT_OK(hb_particles_add_history(p, "run"));
  assert_string_equal(hb_particles_note(p, "history"), "ic plummer\nrun");
  static const char *const bad[] = {"", "two words", "key:", "k\n", "d\xC3\xA9"};
  for (size_t k = 0; k < COUNT_OF(bad); k++)
    ASSERT_FAILS(hb_particles_set_note(p, bad[k], "x"), HB_ERR_USAGE, "is not a valid key");
  assert_int_equal(p->note_count, 3);
  hb_particles_destroy(p);
}

/* One bit of any of them is another state: the hash of two particles was found by a program of its own, in Python. */
static void hashed(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(2, &p));
  p->t = 0.25, p->m[0] = 0.5, p->x[3] = -1, p->v[5] = 0x1p-1074, p->id[1] = UINT64_MAX;
  const uint64_t hash = hb_particles_hash(p);
  assert_int_equal(hash, UINT64_C(0xebdd58fbc224fc5f));
  ASSERT_OK(hb_particles_set_note(p, "device", "a lamp"));
  assert_int_equal(hb_particles_hash(p), hash);
  double *const numbers[] = {&p->t, &p->m[1], &p->x[0], &p->v[4]};
  for (size_t k = 0; k < COUNT_OF(numbers); k++) {
    double old = *numbers[k];
    *numbers[k] = nextafter(old, 1);
    assert_int_not_equal(hb_particles_hash(p), hash);
    *numbers[k] = old;
    if (old != 0) continue;
    *numbers[k] = -0.0;
    assert_int_not_equal(hb_particles_hash(p), hash);
    *numbers[k] = old;
  }
  p->id[0] = 1;
  assert_int_not_equal(hb_particles_hash(p), hash);
  hb_particles_destroy(p);
}

static void copies_are_deep(void **state)
{
  (void)state;
  struct hb_particles *p, *copy;
  ASSERT_OK(hb_particles_create(3, &p));
  p->t = 2;
  for (size_t k = 0; k < 9; k++) p->x[k] = (double)k, p->v[k] = -(double)k;
  for (size_t i = 0; i < 3; i++) p->m[i] = 10 + (double)i, p->id[i] = UINT64_MAX - i;
  ASSERT_OK(hb_particles_add_history(p, "first"));
  ASSERT_OK(hb_particles_copy(p, &copy));
  expect_equal(copy->n, 3);
  expect_equal(copy->t, 2);
  assert_memory_equal(copy->x, p->x, 9 * sizeof *p->x);
  assert_memory_equal(copy->v, p->v, 9 * sizeof *p->v);
  assert_memory_equal(copy->m, p->m, 3 * sizeof *p->m);
  assert_memory_equal(copy->id, p->id, 3 * sizeof *p->id);
  ASSERT_OK(hb_particles_add_history(p, "second"));
  p->x[0] = 99;
  assert_string_equal(hb_particles_note(copy, "history"), "first");
  expect_equal(copy->x[0], 0);
  hb_particles_destroy(p);
  hb_particles_destroy(copy);
}

/* Every value that may not be, in every place. */
static void checks(void **state)
{
  (void)state;
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(2, &p));
  ASSERT_OK(hb_particles_check(p));
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t b = 0; b < COUNT_OF(bad); b++)
    for (size_t k = 0; k < 6; k++) {
      p->x[k] = bad[b];
      ASSERT_FAILS(hb_particles_check(p), HB_ERR_INPUT, k < 3 ? "particle 0 has " : "particle 1 has ");
      p->x[k] = 0;
      p->v[k] = bad[b];
      ASSERT_FAILS(hb_particles_check(p), HB_ERR_INPUT, "expected finite");
      p->v[k] = 0;
      p->m[k / 3] = bad[b];
      ASSERT_FAILS(hb_particles_check(p), HB_ERR_INPUT, "has mass");
      p->m[k / 3] = 0;
    }
  p->m[1] = -0x1p-1074;
  ASSERT_FAILS(hb_particles_check(p), HB_ERR_INPUT, "particle 1 has mass");
  p->m[1] = 1;
  p->v[4] = NAN;
  ASSERT_FAILS(hb_particles_check(p), HB_ERR_INPUT, "particle 1 has vy");
  hb_particles_destroy(p);
}

static enum hb_status make_copy_and_annotate(void *data)
{
  (void)data;
  struct hb_particles *p = NULL, *copy = NULL;
  enum hb_status status = hb_particles_create(100, &p);
  if (status == HB_OK) status = hb_particles_set_note(p, "device", "lamp");
  if (status == HB_OK) status = hb_particles_set_note(p, "device", "another lamp");
  if (status == HB_OK) status = hb_particles_add_history(p, "one");
  if (status == HB_OK) status = hb_particles_add_history(p, "two");
  if (status == HB_OK) status = hb_particles_copy(p, &copy);
  hb_particles_destroy(copy);
  hb_particles_destroy(p);
  return status;
}

static void survives_lack_of_memory(void **state)
{
  (void)state;
  support_survives_lack_of_memory(make_copy_and_annotate, NULL, 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(created_empty),
      cmocka_unit_test(refuses_impossible_numbers),
      cmocka_unit_test(notes),
      cmocka_unit_test(hashed),
      cmocka_unit_test(copies_are_deep),
      cmocka_unit_test(checks),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests_name("particles", tests, NULL, NULL);
}
