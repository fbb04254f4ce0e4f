/* base/mem: zeroed, aligned, and failing on demand. */
#include "support/support.h"

#include "base/mem.h"

#include <string.h>

static void zeroed_and_aligned(void **state)
{
  (void)state;
  for (size_t count = 0; count < 300; count++) {
    unsigned char *block;
    ASSERT_OK(HB_ALLOC(count, &block));
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % HB_MEM_ALIGNMENT, 0);
    for (size_t k = 0; k < count; k++) assert_int_equal(block[k], 0);
    memset(block, 0xAB, count); /* so that reuse would show */
    hb_mem_free(block);
  }
}

static void too_large(void **state)
{
  (void)state;
  static const struct {
    size_t count, size;
  } cases[] = {{SIZE_MAX, 1}, {SIZE_MAX / 8 + 1, 8}, {2, SIZE_MAX}, {SIZE_MAX - HB_MEM_ALIGNMENT + 1, 1}};
  for (size_t k = 0; k < COUNT_OF(cases); k++) {
    void *block = &block;
    ASSERT_FAILS(hb_mem_alloc(cases[k].count, cases[k].size, &block), HB_ERR_INTERNAL, "cannot allocate");
    assert_null(block);
  }
}

static void fails_once_at_the_nth(void **state)
{
  (void)state;
  for (unsigned long nth = 1; nth <= 4; nth++) {
    hb_mem_watch.fail_at = nth;
    for (unsigned long k = 1; k <= 4; k++) {
      int *block;
      enum hb_status status = HB_ALLOC(1, &block);
      assert_int_equal(status, k == nth ? HB_ERR_INTERNAL : HB_OK);
      expect_equal((block == NULL), (k == nth));
      hb_mem_free(block);
    }
    hb_mem_watch.fail_at = 0;
  }
}

static void duplicates_text(void **state)
{
  (void)state;
  char *copy;
  ASSERT_OK(hb_mem_strdup("lamp", &copy));
  assert_string_equal(copy, "lamp");
  hb_mem_free(copy);
  ASSERT_OK(hb_mem_strdup("", &copy));
  assert_string_equal(copy, "");
  hb_mem_free(copy);
  hb_mem_watch.fail_at = 1;
  enum hb_status status = hb_mem_strdup("lamp", &copy);
  hb_mem_watch.fail_at = 0;
  assert_int_equal(status, HB_ERR_INTERNAL);
  assert_null(copy);
  hb_mem_free(NULL);
}

/* Blocks are counted with their rounding to the alignment, and the peak after they went back. */
static void counted(void **state)
{
  (void)state;
  size_t before = hb_mem_watch.now;
  char *one, *two;
  hb_mem_watch.most = hb_mem_watch.now;
  ASSERT_OK(HB_ALLOC(1000, &one));
  assert_in_range(hb_mem_watch.now - before, 1000, 1000 + HB_MEM_ALIGNMENT);
  ASSERT_OK(HB_ALLOC(5000, &two));
  size_t both = hb_mem_watch.now;
  assert_in_range(both - before, 6000, 6000 + 2 * HB_MEM_ALIGNMENT);
  hb_mem_free(one);
  hb_mem_free(two);
  assert_int_equal(hb_mem_watch.now, before);
  assert_int_equal(hb_mem_watch.most, both);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zeroed_and_aligned),
      cmocka_unit_test(too_large),
      cmocka_unit_test(fails_once_at_the_nth),
      cmocka_unit_test(duplicates_text),
      cmocka_unit_test(counted),
  };
  return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
