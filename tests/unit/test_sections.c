/* core/sections: arrays in, arrays out by name, type and length. */
#include "support/support.h"

#include "base/mem.h"
#include "core/particles.h"
#include "core/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_and_get(void **state)
{
  (void)state;
  struct hb_sections s = {0};
  double x[3] = {1, 2, 3};
  uint64_t words[2] = {4, 5};
  ASSERT_OK(hb_sections_put(&s, "x", HB_SECTION_DOUBLES, 3, x));
  ASSERT_OK(hb_sections_put_copy(&s, "words", HB_SECTION_WORDS, 2, words));
  ASSERT_OK(hb_sections_put_copy(&s, "empty", HB_SECTION_BYTES, 0, NULL));
  words[0] = 99; /* the copy does not see it */
  const void *data;
  ASSERT_OK(hb_sections_get(&s, "x", HB_SECTION_DOUBLES, 3, &data));
  assert_ptr_equal(data, x);
  ASSERT_OK(hb_sections_get(&s, "words", HB_SECTION_WORDS, 2, &data));
  expect_equal(((const uint64_t *)data)[0], 4);
  ASSERT_OK(hb_sections_get(&s, "empty", HB_SECTION_BYTES, 0, &data));
  ASSERT_FAILS(hb_sections_get(&s, "y", HB_SECTION_DOUBLES, 3, &data), HB_ERR_INPUT,
               "section 'y' is missing");
  ASSERT_FAILS(hb_sections_get(&s, "x", HB_SECTION_DOUBLES, 4, &data), HB_ERR_INPUT,
               "section 'x' has 3 elements");
  ASSERT_FAILS(hb_sections_get(&s, "x", HB_SECTION_WORDS, 3, &data), HB_ERR_INPUT, "section 'x'");
  assert_null(hb_sections_find(&s, "y"));
  hb_sections_clear(&s);
  assert_int_equal(s.count, 0);
}

static void many(void **state)
{
  (void)state;
  struct hb_sections s = {0};
  char name[24];
  for (uint64_t k = 0; k < 100; k++) {
    snprintf(name, sizeof name, "section %d", (int)k);
    ASSERT_OK(hb_sections_put_copy(&s, name, HB_SECTION_WORDS, 1, &k));
  }
  for (uint64_t k = 0; k < 100; k++) {
    const void *data;
    snprintf(name, sizeof name, "section %d", (int)k);
    ASSERT_OK(hb_sections_get(&s, name, HB_SECTION_WORDS, 1, &data));
    expect_equal(*(const uint64_t *)data, k);
  }
  hb_sections_clear(&s);
}

static struct hb_particles *two(void)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(2, &p));
  p->t = 0.25;
  p->m[1] = 3;
  p->x[5] = -0.0;
  p->v[0] = 0x1p-1074;
  p->id[1] = UINT64_MAX;
  ASSERT_OK(hb_particles_set_note(p, "history", "one\ntwo"));
  ASSERT_OK(hb_particles_set_note(p, "empty", ""));
  return p;
}

static void particles_come_back(void **state)
{
  (void)state;
  struct hb_particles *p = two(), *q;
  struct hb_sections s = {0};
  ASSERT_OK(hb_particles_put(p, &s));
  ASSERT_OK(hb_particles_get(&s, &q));
  expect_equal(q->n, 2);
  expect_equal(q->t, 0.25);
  expect_equal(q->note_count, 2);
  assert_memory_equal(p->m, q->m, 2 * sizeof *p->m);
  assert_memory_equal(p->x, q->x, 6 * sizeof *p->x);
  assert_memory_equal(p->v, q->v, 6 * sizeof *p->v);
  assert_memory_equal(p->id, q->id, 2 * sizeof *p->id);
  assert_string_equal(hb_particles_note(q, "history"), "one\ntwo");
  assert_string_equal(hb_particles_note(q, "empty"), "");
  hb_particles_destroy(q);
  p->x[3] = NAN; /* the sections show it: they hold p's own array */
  ASSERT_FAILS(hb_particles_get(&s, &q), HB_ERR_INPUT, "particle 1 has x = nan");
  assert_null(q);
  hb_sections_clear(&s);
  hb_particles_destroy(p);
}

/* Each section missing, or cut by an element. */
static void particles_that_make_no_sense(void **state)
{
  (void)state;
  struct hb_particles *p = two(), *q;
  struct hb_sections s = {0};
  ASSERT_OK(hb_particles_put(p, &s));
  for (size_t k = 0; k < s.count; k++) {
    s.at[k].count--;
    assert_int_equal(hb_particles_get(&s, &q), HB_ERR_INPUT);
    assert_null(q);
    s.at[k].count++;
    s.at[k].name[0] ^= 1;
    assert_int_equal(hb_particles_get(&s, &q), HB_ERR_INPUT);
    s.at[k].name[0] ^= 1;
  }
  ASSERT_OK(hb_particles_get(&s, &q));
  hb_particles_destroy(q);
  hb_sections_clear(&s);
  hb_particles_destroy(p);
}

static void no_memory(void **state)
{
  (void)state;
  struct hb_particles *p = two(), *q = NULL;
  enum hb_status status = HB_ERR_INTERNAL;
  for (unsigned long n = 1; status != HB_OK; n++) {
    struct hb_sections s = {0};
    hb_mem_watch.fail_at = n;
    status = hb_particles_put(p, &s);
    if (status == HB_OK) status = hb_particles_get(&s, &q);
    hb_mem_watch.fail_at = 0;
    assert_true(status == HB_OK || status == HB_ERR_INTERNAL);
    hb_sections_clear(&s);
  }
  hb_particles_destroy(q);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(put_and_get),         cmocka_unit_test(many),
      cmocka_unit_test(particles_come_back), cmocka_unit_test(particles_that_make_no_sense),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests_name("sections", tests, NULL, NULL);
}
