#include "step/blocks.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <string.h>

static const uint32_t end_of_list = UINT32_MAX;

/* A block is large from this part of all particles on: then each one's level is looked at, piece by piece. Below that many
 * particles a second thread does not wake up in time. */
enum { LARGE = 16, ALONE = 16384 };

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("level", HB_SECTION_BYTES, struct hb_blocks, level, 1, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_blocks, next, 1, HB_COLUMN_SCRATCH),
};
const struct hb_columns hb_blocks_columns = HB_COLUMNS(rows, 0);

enum hb_status hb_blocks_create(size_t n, unsigned level_max, uint64_t now, struct hb_blocks **blocks)
{
  *blocks = NULL;
  struct hb_blocks *b;
  HB_TRY(HB_ALLOC(1, &b));
  b->n = n;
  b->level_max = level_max;
  b->now = now;
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) b->head[l] = end_of_list;
  enum hb_status status = hb_columns_reserve(&hb_blocks_columns, n, b);
  if (status == HB_OK) status = HB_ALLOC(n / 64 + 1, &b->marks);
  if (status == HB_OK) status = HB_ALLOC(n / 4096 + 1, &b->marked_words);
  if (status == HB_OK) status = HB_ALLOC(n / HB_BLOCKS_PIECE + 1, &b->found);
  return HB_MADE(status, b, hb_blocks_destroy, blocks);
}

void hb_blocks_destroy(struct hb_blocks *blocks)
{
  if (!blocks) return;
  hb_columns_free(&hb_blocks_columns, blocks);
  HB_FREE(blocks->marks, blocks->marked_words, blocks->found, blocks);
}

void hb_blocks_put(struct hb_blocks *blocks, uint32_t i, unsigned level)
{
  blocks->level[i] = (uint8_t)level;
  blocks->next[i] = blocks->head[level];
  blocks->head[level] = i;
  blocks->count[level]++;
  blocks->occupied |= (uint64_t)1 << level;
}

void hb_blocks_remove(struct hb_blocks *blocks, uint32_t i)
{
  unsigned level = blocks->level[i];
  uint32_t *link = &blocks->head[level];
  while (*link != i) link = &blocks->next[*link];
  *link = blocks->next[i];
  if (--blocks->count[level] == 0) blocks->occupied &= ~((uint64_t)1 << level);
}

enum hb_status hb_blocks_grow(struct hb_blocks *blocks, size_t n)
{
  HB_TRY(hb_columns_grow(&hb_blocks_columns, n, blocks));
  HB_TRY(HB_RESIZE(n / 64 + 1, &blocks->marks));
  HB_TRY(HB_RESIZE(n / 4096 + 1, &blocks->marked_words));
  HB_TRY(HB_RESIZE(n / HB_BLOCKS_PIECE + 1, &blocks->found));
  hb_blocks_clear(blocks, n);
  return HB_OK;
}

void hb_blocks_clear(struct hb_blocks *blocks, size_t n)
{
  blocks->n = n;
  blocks->occupied = 0;
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) blocks->head[l] = end_of_list, blocks->count[l] = 0;
}

uint64_t hb_blocks_level_time(const struct hb_blocks *blocks, unsigned level)
{
  return blocks->now >> level << level;
}

enum hb_status hb_blocks_next_time(const struct hb_blocks *blocks, uint64_t *next_time)
{
  uint64_t dt = hb_blocks_shortest(blocks);
  uint64_t last = blocks->now & ~(dt - 1);
  if (last > UINT64_MAX - dt)
    return hb_fail(HB_ERR_NUMERIC,
                   "time can no longer be counted: it has reached 2^64 of the smallest steps");
  *next_time = last + dt;
  return HB_OK;
}

/* Levels whose step divides time (invariant 4). */
static uint64_t levels_due(uint64_t time) { return time ^ (time - 1); }

/* ---- selecting ---- */

static void select_from_lists(struct hb_blocks *blocks, uint64_t due, uint32_t *block, size_t *count)
{
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

struct scan {
  struct hb_blocks *blocks;
  uint8_t is_due[HB_BLOCKS_LEVELS]; /* 0 or 1 */
  uint32_t *block;
};

static void count_piece(void *context, size_t piece)
{
  const struct scan *s = context;
  const uint8_t *level = s->blocks->level;
  size_t i = piece * HB_BLOCKS_PIECE, end = hb_parallel_end(s->blocks->n, HB_BLOCKS_PIECE, i);
  uint32_t found = 0;
  for (; i < end; i++) found += s->is_due[level[i]];
  s->blocks->found[piece] = found;
}

static void select_piece(void *context, size_t piece)
{
  const struct scan *s = context;
  const uint8_t *level = s->blocks->level;
  uint32_t due[HB_BLOCKS_PIECE + 1];
  size_t i = piece * HB_BLOCKS_PIECE, end = hb_parallel_end(s->blocks->n, HB_BLOCKS_PIECE, i), found = 0;
  for (; i < end; i++) { /* without conditions, which nothing could predict */
    due[found] = (uint32_t)i;
    found += s->is_due[level[i]];
  }
  if (found) memcpy(s->block + s->blocks->found[piece], due, found * sizeof *due);
}

static void select_from_all(struct hb_blocks *blocks, uint64_t due, uint32_t *block, size_t *count)
{
  struct scan scan = {.blocks = blocks, .block = block};
  size_t pieces = hb_div_ceil(blocks->n, HB_BLOCKS_PIECE), before = 0;
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) scan.is_due[l] = due >> l & 1;
  hb_parallel_for(hb_parallel_threads(), pieces, count_piece, &scan);
  for (size_t k = 0; k < pieces; k++) {
    size_t found = blocks->found[k];
    blocks->found[k] = (uint32_t)before;
    before += found;
  }
  hb_parallel_for(hb_parallel_threads(), pieces, select_piece, &scan);
  *count = before;
}

void hb_blocks_select(struct hb_blocks *blocks, uint64_t next_time, uint32_t *block, size_t *count)
{
  uint64_t due = blocks->occupied & levels_due(next_time);
  size_t size = 0;
  for (uint64_t left = due; left; left &= left - 1) size += blocks->count[__builtin_ctzll(left)];
  (size > ALONE && size > blocks->n / LARGE ? select_from_all : select_from_lists)(blocks, due, block, count);
}

/* ---- advancing ---- */

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

/* The largest level that a particle of the block just advanced may move to from this one (invariant 5). */
static unsigned blocks_limit(const struct hb_blocks *blocks, unsigned level)
{
  int grows = level < blocks->level_max && (levels_due(blocks->now) >> (level + 1) & 1);
  return grows ? level + 1 : level;
}

/* Lists of a piece of the block, to be put before those of all particles. */
struct lists {
  uint32_t head[HB_BLOCKS_LEVELS], last[HB_BLOCKS_LEVELS], count[HB_BLOCKS_LEVELS];
};

enum { PIECES = 32 };
struct putting {
  struct hb_blocks *blocks;
  size_t ni, each;
  const uint32_t *index;
  uint8_t *level;
  struct lists lists[PIECES];
};

static void put_piece(void *context, size_t from, size_t end)
{
  struct putting *p = context;
  struct hb_blocks *blocks = p->blocks;
  struct lists *lists = &p->lists[from / p->each];
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) lists->head[l] = end_of_list, lists->count[l] = 0;
  for (size_t k = from; k < end; k++) {
    uint32_t i = p->index[k];
    unsigned limit = blocks_limit(blocks, blocks->level[i]), l = p->level[k] < limit ? p->level[k] : limit;
    p->level[k] = blocks->level[i] = (uint8_t)l;
    if (lists->head[l] == end_of_list) lists->last[l] = i;
    blocks->next[i] = lists->head[l];
    lists->head[l] = i;
    lists->count[l]++;
  }
}

void hb_blocks_put_back(struct hb_blocks *blocks, size_t ni, const uint32_t *index, uint8_t *level)
{
  struct putting p = {.blocks = blocks, .ni = ni, .index = index, .level = level};
  p.each = ni > ALONE ? hb_div_ceil(ni, PIECES) : ni;
  hb_parallel_pieces(ni, p.each, ALONE, put_piece, &p);
  for (size_t from = 0; from < ni; from += p.each)
    for (unsigned l = 0; l <= blocks->level_max; l++) {
      const struct lists *lists = &p.lists[from / p.each];
      if (lists->count[l] == 0) continue;
      blocks->next[lists->last[l]] = blocks->head[l];
      blocks->head[l] = lists->head[l];
      blocks->count[l] += lists->count[l];
      blocks->occupied |= (uint64_t)1 << l;
    }
}
