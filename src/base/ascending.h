/* Whether an ascending list of numbers has one. Numbers say nothing of what they stand for: it stands not far from where it would if the
 * list were a ruler, mostly within a window. */
#ifndef HB_BASE_ASCENDING_H
#define HB_BASE_ASCENDING_H

#include <stddef.h>
#include <stdint.h>

enum { HB_ASCENDING_WINDOW = 16 };

/* Without branches, which would be guessed wrong. */
static inline int hb_ascending_search(const uint32_t *list, size_t count, uint32_t s)
{
  if (count == 0) return 0;
  for (; count > 1; count -= count / 2) list += list[count / 2 - 1] < s ? count / 2 : 0;
  return *list == s;
}

/* guess: about where it should be, of count. */
static inline __attribute__((always_inline)) int hb_ascending_has(const uint32_t *list, size_t count,
                                                                  size_t guess, uint32_t s)
{
  enum { WINDOW = HB_ASCENDING_WINDOW };
  if (count < WINDOW) return hb_ascending_search(list, count, s);
  size_t from = guess > WINDOW / 2 ? guess - WINDOW / 2 : 0;
  if (from > count - WINDOW) from = count - WINDOW;
  const uint32_t *at = list + from;
  uint32_t is_there = 0;
#pragma omp simd reduction(| : is_there)
  for (size_t k = 0; k < WINDOW; k++) is_there |= at[k] == s;
  int is_inside = (at[0] <= s || from == 0) && (at[WINDOW - 1] >= s || from + WINDOW == count);
  return is_inside ? is_there != 0 : hb_ascending_search(list, count, s);
}

#endif
