/* The block scheduler: which particles are due next, found in O(block).
 *
 * Time is counted in ticks of the smallest step; a step is 2^level ticks, level 0 .. level_max <= 62. Let T be
 * the time of the last block (`now`), t_i <= T the time of particle i and dt_i = 2^level its step.
 *
 *   1. t_i is a multiple of dt_i.
 *   2. t_i <= T < t_i + dt_i. With 1 this makes t_i a function of level and T, the last multiple of dt_i up to T:
 *      all particles of one level share t_i and the next time t_i + dt_i, and neither is stored.
 *   3. The time of the next block is the next multiple after T of the smallest occupied level's step: a multiple
 *      of a larger step is one of the smallest step, too, so no level is due earlier.
 *   4. The next block is exactly the union of the levels <= ctz(next time): complete levels, never parts of one.
 *   5. At the end of its step a particle may move to any smaller level, or to the next larger one if the new time
 *      is a multiple of that step (else 1 would break); blocks_limit is this rule.
 *   6. Each particle is on exactly one list, that of its level; count[level] is that list's length, and bit
 *      `level` of occupied says whether it has any.
 *   7. A block is delivered in ascending index, whatever the order of the lists: it depends on levels and T alone,
 *      so a scheduler rebuilt from them (a restart) continues with the same blocks in the same order. */
#ifndef HB_BLOCKS_H
#define HB_BLOCKS_H

#include "core/columns.h"

enum { HB_BLOCKS_LEVELS = 63 };

struct hb_blocks {
  size_t n;
  unsigned level_max;
  uint64_t now;                     /* T in ticks                                     */
  uint64_t occupied;                /* bit l: level l holds particles                 */
  uint32_t count[HB_BLOCKS_LEVELS]; /* particles per level, the histogram of steps    */
  uint32_t head[HB_BLOCKS_LEVELS];  /* first of each level's list                     */
  uint32_t *next;                   /* [n] next of the same list                      */
  uint8_t *level;                   /* [n]                                            */
  uint64_t *marks, *marked_words;   /* a bit per particle, a bit per word of marks; 0 */
  uint32_t *found;                  /* [n / HB_BLOCKS_PIECE + 1] particles of a large block, piece by piece */
};
enum { HB_BLOCKS_PIECE = 4096 };

/* level and next; a level is saved, lists follow. */
extern const struct hb_columns hb_blocks_columns;

/* No particle is scheduled yet; T = now. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_blocks_create(size_t n, unsigned level_max, uint64_t now, struct hb_blocks **blocks);
void hb_blocks_destroy(struct hb_blocks *blocks);

/* Puts particle i, which is on no list, on the list of a level. */
void hb_blocks_put(struct hb_blocks *blocks, uint32_t i, unsigned level);

/* Takes particle i off its list; its level stays. O(count[level]). */
void hb_blocks_remove(struct hb_blocks *blocks, uint32_t i);

/* Puts the particles index[ni] of the block just advanced, none twice, on the lists of their levels, level[ni]; where one is
 * above the limit (invariant 5), on that of the limit, which replaces it. */
void hb_blocks_put_back(struct hb_blocks *blocks, size_t ni, const uint32_t *index, uint8_t *level);

/* Empties all lists, for n particles from now on, n at most what it was; each must be put on a list again. */
void hb_blocks_clear(struct hb_blocks *blocks, size_t n);

/* Empties all lists, for n particles from now on, more than before. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_blocks_grow(struct hb_blocks *blocks, size_t n);

/* t_i of all particles of a level, in ticks (invariant 2). */
uint64_t hb_blocks_level_time(const struct hb_blocks *blocks, unsigned level);

/* The shortest step of all, in ticks; 0: no particle is scheduled. */
static inline uint64_t hb_blocks_shortest(const struct hb_blocks *blocks)
{
  return blocks->occupied & -blocks->occupied;
}

/* T of the next block, in ticks (invariant 3). Errors: HB_ERR_NUMERIC if 64 bits cannot count it. */
enum hb_status hb_blocks_next_time(const struct hb_blocks *blocks, uint64_t *next_time);

/* Writes the next block in ascending order to block[n], and its size. Nothing changes: until hb_blocks_advance it can be
 * selected again. O(block + n / 4096), or for large blocks O(n), shared by threads. */
void hb_blocks_select(struct hb_blocks *blocks, uint64_t next_time, uint32_t *block, size_t *count);

/* Sets T = next_time and empties the block's lists; each of its particles must then be put on a list again. */
void hb_blocks_advance(struct hb_blocks *blocks, uint64_t next_time);

#endif
