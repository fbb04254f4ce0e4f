#include "step/blocks.h"

#include "base/mem.h"

static const uint32_t end_of_list = UINT32_MAX;

enum hb_status hb_blocks_create(size_t n, unsigned level_max, uint64_t now, struct hb_blocks **blocks)
{
  *blocks = NULL;
  struct hb_blocks *b;
  HB_TRY(HB_ALLOC(1, &b));
  b->n = n;
  b->level_max = level_max;
  b->now = now;
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) b->head[l] = end_of_list;
  enum hb_status status = HB_ALLOC(n, &b->next);
  if (status == HB_OK) status = HB_ALLOC(n, &b->level);
  if (status == HB_OK) status = HB_ALLOC(n / 64 + 1, &b->marks);
  if (status == HB_OK) status = HB_ALLOC(n / 4096 + 1, &b->marked_words);
  if (status != HB_OK) {
    hb_blocks_destroy(b);
    return status;
  }
  *blocks = b;
  return HB_OK;
}

void hb_blocks_destroy(struct hb_blocks *blocks)
{
  if (!blocks) return;
  hb_mem_free(blocks->next);
  hb_mem_free(blocks->level);
  hb_mem_free(blocks->marks);
  hb_mem_free(blocks->marked_words);
  hb_mem_free(blocks);
}

void hb_blocks_put(struct hb_blocks *blocks, uint32_t i, unsigned level)
{
  blocks->level[i] = (uint8_t)level;
  blocks->next[i] = blocks->head[level];
  blocks->head[level] = i;
  blocks->count[level]++;
  blocks->occupied |= (uint64_t)1 << level;
}

uint64_t hb_blocks_level_time(const struct hb_blocks *blocks, unsigned level)
{
  return blocks->now >> level << level;
}

enum hb_status hb_blocks_next_time(const struct hb_blocks *blocks, uint64_t *next_time)
{
  uint64_t dt = blocks->occupied & -blocks->occupied;
  uint64_t last = blocks->now & ~(dt - 1);
  if (last > UINT64_MAX - dt)
    return hb_fail(HB_ERR_NUMERIC,
                   "time can no longer be counted: it has reached 2^64 of the smallest steps");
  *next_time = last + dt;
  return HB_OK;
}

/* Levels whose step divides time (invariant 4). */
static uint64_t levels_due(uint64_t time) { return time ^ (time - 1); }

void hb_blocks_select(struct hb_blocks *blocks, uint64_t next_time, uint32_t *block, size_t *count)
{
  uint64_t due = blocks->occupied & levels_due(next_time);
  for (; due; due &= due - 1)
    for (uint32_t i = blocks->head[__builtin_ctzll(due)]; i != end_of_list; i = blocks->next[i]) {
      blocks->marks[i / 64] |= (uint64_t)1 << i % 64;
      blocks->marked_words[i / 4096] |= (uint64_t)1 << i / 64 % 64;
    }
  size_t found = 0;
  for (size_t s = 0; s <= blocks->n / 4096; s++)
    for (; blocks->marked_words[s]; blocks->marked_words[s] &= blocks->marked_words[s] - 1) {
      size_t w = 64 * s + (size_t)__builtin_ctzll(blocks->marked_words[s]);
      for (; blocks->marks[w]; blocks->marks[w] &= blocks->marks[w] - 1)
        block[found++] = (uint32_t)(64 * w + (size_t)__builtin_ctzll(blocks->marks[w]));
    }
  *count = found;
}

void hb_blocks_advance(struct hb_blocks *blocks, uint64_t next_time)
{
  uint64_t due = blocks->occupied & levels_due(next_time);
  blocks->now = next_time;
  blocks->occupied &= ~due;
  for (; due; due &= due - 1) {
    blocks->head[__builtin_ctzll(due)] = end_of_list;
    blocks->count[__builtin_ctzll(due)] = 0;
  }
}

unsigned hb_blocks_limit(const struct hb_blocks *blocks, unsigned level)
{
  int grows = level < blocks->level_max && (levels_due(blocks->now) >> (level + 1) & 1);
  return grows ? level + 1 : level;
}
