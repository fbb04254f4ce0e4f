/* The block scheduler against brute force, over thousands of random block steps. */
#include "support/step_case.h"
#include "base/mem.h"
#include "step/blocks.c"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N_MAX = 9000 };

static uint64_t t[N_MAX], dt[N_MAX]; /* the times and steps as the test keeps them */
static uint32_t block[N_MAX];
static uint64_t random_state;

static unsigned random_below(unsigned n)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)((random_state >> 33) % n);
}

static struct hb_blocks *start(size_t n, unsigned level_max)
{
  struct hb_blocks *b;
  assert_int_equal(hb_blocks_create(n, level_max, 0, &b), HB_OK);
  for (size_t i = 0; i < n; i++) {
    unsigned level = random_below(level_max + 1);
    t[i] = 0;
    dt[i] = (uint64_t)1 << level;
    hb_blocks_put(b, (uint32_t)i, level);
  }
  return b;
}

/* Those with the smallest t_i + dt_i, [PZ07] section 2; the scheduler has to deliver them in ascending order.
 * */
static void expect_block(const struct hb_blocks *b, uint64_t next, size_t count)
{
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < b->n; i++) first = t[i] + dt[i] < first ? t[i] + dt[i] : first;
  expect_equal(next, first);
  size_t found = 0;
  for (uint32_t i = 0; i < b->n; i++)
    if (t[i] + dt[i] == first) {
      expect_below(found, count);
      expect_equal(block[found], i);
      found++;
    }
  assert_int_equal(found, count);
}

/* New steps as a run makes them: mostly the old one, sometimes any smaller or the next larger if allowed. */
static unsigned new_level(const struct hb_blocks *b, unsigned old)
{
  unsigned limit = blocks_limit(b, old);
  assert_true(limit == old || (limit == old + 1 && b->now % ((uint64_t)2 << old) == 0));
  assert_true(limit == old + 1 || old == b->level_max || b->now % ((uint64_t)2 << old) != 0);
  switch (random_below(8)) {
  case 0:
    return random_below(old + 1);
  case 1:
  case 2:
  case 3:
    return limit;
  default:
    return old;
  }
}

static uint64_t take_block(struct hb_blocks *b, size_t *count)
{
  uint64_t next;
  assert_int_equal(hb_blocks_next_time(b, &next), HB_OK);
  hb_blocks_select(b, next, block, count);
  return next;
}

static void advance(struct hb_blocks *b, uint64_t next, size_t count)
{
  hb_blocks_advance(b, next);
  for (size_t k = 0; k < count; k++) {
    uint32_t i = block[k];
    unsigned level = new_level(b, b->level[i]);
    t[i] = next;
    dt[i] = (uint64_t)1 << level;
    hb_blocks_put(b, i, level);
  }
}

static void run_random(size_t n, unsigned level_max, int steps)
{
  random_state = n + level_max;
  struct hb_blocks *b = start(n, level_max);
  for (int s = 0; s < steps; s++) {
    size_t count;
    uint64_t next = take_block(b, &count);
    expect_block(b, next, count);
    advance(b, next, count);
    assert_int_equal(step_blocks_check(b, t), HB_OK);
  }
  hb_blocks_destroy(b);
}

static void test_random_runs(void **state)
{
  (void)state;
  run_random(1, 0, 1000);
  run_random(1, 26, 3000);
  run_random(2, 62, 3000);
  run_random(64, 3, 3000);
  run_random(65, 10, 5000);
  run_random(1000, 24, 4000);
  run_random(4096, 12, 300);
  run_random(N_MAX, 30, 300);
}

/* Asking twice gives the same block: a step that fails leaves the schedule as it was. */
static void test_select_moves_nothing(void **state)
{
  (void)state;
  static uint32_t first[N_MAX];
  struct hb_blocks *b = start(500, 6);
  size_t count, again;
  uint64_t next = take_block(b, &count);
  memcpy(first, block, count * sizeof *block);
  expect_equal(take_block(b, &again), next);
  expect_equal(again, count);
  assert_memory_equal(first, block, count * sizeof *block);
  assert_int_equal(step_blocks_check(b, t), HB_OK);
  hb_blocks_destroy(b);
}

/* A scheduler rebuilt from T and the levels, put in another order, delivers the same blocks (invariant 7). */
static void test_rebuilt_scheduler_goes_on_alike(void **state)
{
  (void)state;
  static uint32_t expected[N_MAX];
  struct hb_blocks *b = start(700, 12), *c;
  size_t count, n2;
  for (int s = 0; s < 777; s++) {
    uint64_t next = take_block(b, &count);
    advance(b, next, count);
  }
  assert_int_equal(hb_blocks_create(700, 12, b->now, &c), HB_OK);
  for (uint32_t i = 0; i < 700; i++) hb_blocks_put(c, i, b->level[i]);
  assert_int_equal(step_blocks_check(c, t), HB_OK);
  for (int s = 0; s < 100; s++) {
    uint64_t next = take_block(b, &count);
    memcpy(expected, block, count * sizeof *block);
    expect_equal(take_block(c, &n2), next);
    expect_equal(n2, count);
    assert_memory_equal(expected, block, count * sizeof *block);
    advance(b, next, count);
    hb_blocks_advance(c, next);
    for (size_t k = 0; k < count; k++) hb_blocks_put(c, block[k], b->level[block[k]]);
  }
  assert_memory_equal(b->count, c->count, sizeof b->count);
  hb_blocks_destroy(b);
  hb_blocks_destroy(c);
}

static void expect_broken(struct hb_blocks *b, const char *invariant)
{
  assert_int_equal(step_blocks_check(b, t), HB_ERR_INTERNAL);
  assert_non_null(strstr(hb_error(), invariant));
  hb_blocks_destroy(b);
}

static struct hb_blocks *some_run(void)
{
  struct hb_blocks *b = start(100, 8);
  for (int s = 0; s < 50 || b->now % 4 == 0; s++) {
    size_t count;
    uint64_t next = take_block(b, &count);
    advance(b, next, count);
  }
  assert_int_equal(step_blocks_check(b, t), HB_OK);
  return b;
}

/* Negative control: step_blocks_check sees each kind of damage. */
static void test_check_detects(void **state)
{
  (void)state;
  struct hb_blocks *b = some_run();
  t[5] += 1; /* not when its step is due */
  expect_broken(b, "invariant");

  b = some_run(); /* a step that grows where it must not: T is no multiple of 4 */
  size_t count;
  uint64_t next = take_block(b, &count);
  hb_blocks_advance(b, next);
  for (size_t k = 0; k < count; k++) {
    hb_blocks_put(b, block[k], 8);
    t[block[k]] = next;
  }
  if (next % 256 == 0) t[block[0]] += 1;
  expect_broken(b, "invariant 1");

  b = some_run();
  b->now += 256; /* every particle missed a step */
  expect_broken(b, "invariant 2");

  b = some_run();
  b->level[7] = (uint8_t)(b->level[7] ? b->level[7] - 1 : 1);
  expect_broken(b, "invariant 6");

  b = some_run();
  unsigned level = (unsigned)__builtin_ctzll(b->occupied);
  b->head[level] = b->next[b->head[level]]; /* one is lost */
  expect_broken(b, "invariant 6");

  b = some_run();
  b->occupied = 0;
  expect_broken(b, "invariant 6");
}

static void test_end_of_time(void **state)
{
  (void)state;
  struct hb_blocks *b;
  uint64_t next;
  assert_int_equal(hb_blocks_create(1, 62, UINT64_MAX - 5, &b), HB_OK);
  hb_blocks_put(b, 0, 1);
  assert_int_equal(hb_blocks_next_time(b, &next), HB_OK);
  expect_equal(next, UINT64_MAX - 3);
  hb_blocks_advance(b, next);
  hb_blocks_put(b, 0, 2);
  assert_int_equal(hb_blocks_next_time(b, &next), HB_ERR_NUMERIC);
  hb_blocks_destroy(b);
}

static void test_no_memory(void **state)
{
  (void)state;
  struct hb_blocks *b;
  for (unsigned long nth = 1; nth <= 5; nth++) {
    hb_mem_watch.fail_at = nth;
    assert_int_equal(hb_blocks_create(10, 4, 0, &b), HB_ERR_INTERNAL);
    assert_null(b);
  }
  hb_mem_watch.fail_at = 0;
  hb_blocks_destroy(NULL);
}

/* Blocks so large that threads share them: the same particles as by looking at each level, and lists that hold each once. */
static void test_large_blocks(void **state)
{
  (void)state;
  enum { MANY = 50000, LEVELS = 6, STEPS = 200 };
  static uint32_t selected[MANY], index[MANY];
  static uint8_t level[MANY];
  struct hb_blocks *b;
  uint32_t random = 1;
  assert_int_equal(hb_blocks_create(MANY, LEVELS, 0, &b), HB_OK);
  for (uint32_t i = 0; i < MANY; i++) {
    random = random * 1664525u + 1013904223u;
    hb_blocks_put(b, i, (random >> 16) % (LEVELS + 1));
  }
  size_t largest = 0;
  for (int step = 0; step < STEPS; step++) {
    uint64_t next;
    size_t count, expected = 0;
    assert_int_equal(hb_blocks_next_time(b, &next), HB_OK);
    for (uint32_t i = 0; i < MANY; i++)
      if (next % ((uint64_t)1 << b->level[i]) == 0) index[expected++] = i;
    hb_blocks_select(b, next, selected, &count);
    assert_int_equal(count, expected);
    assert_memory_equal(selected, index, count * sizeof *index);
    hb_blocks_advance(b, next);
    for (size_t k = 0; k < count; k++) {
      random = random * 1664525u + 1013904223u;
      level[k] = (uint8_t)((random >> 16) % (LEVELS + 1));
      index[k] = b->level[selected[k]];
    }
    hb_blocks_put_back(b, count, selected, level);
    for (size_t k = 0; k < count; k++) {
      expect_at_most((unsigned)level[k], blocks_limit(b, index[k]));
      assert_int_equal(b->level[selected[k]], level[k]);
    }
    assert_int_equal(step_blocks_check(b, NULL), HB_OK);
    largest = count > largest ? count : largest;
  }
  assert_int_equal(largest, MANY);
  hb_blocks_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_large_blocks),
      cmocka_unit_test(test_random_runs),
      cmocka_unit_test(test_select_moves_nothing),
      cmocka_unit_test(test_rebuilt_scheduler_goes_on_alike),
      cmocka_unit_test(test_check_detects),
      cmocka_unit_test(test_end_of_time),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
