/* Sums in fixed point, for the precision `reproducible`: adding whole numbers gives the same bits in any order, on any device,
 * and however the sources are divided, as long as they are divided at multiples of HB_FIXED_BLOCK. */
#ifndef HB_FIXED_H
#define HB_FIXED_H

#include <stdint.h>

enum {
  HB_FIXED_BLOCK = 64,  /* sources of a float sum, in their order: 64 k to 64 k + 63 by number */
  HB_FIXED_RECORDS = 2, /* of a force at most */
  HB_FIXED_SUMS = 4 * HB_FIXED_RECORDS - 1,
  HB_FIXED_GROUPS = 4 /* of sums that share a unit: xyz of record 0, its w, xyz of record 1, its w */
};

/* What some sources do to one sink. sum[4 r + c] is component c of record r, in units of 2^(127 - byte), where `byte` is byte
 * 2 r + (c == 3) of the `scale` that it was summed with, the bits of a float's exponent. The same byte of `most` is the exponent
 * of the largest sum of a block in that group, as a float has it: 255 where one was not finite. It does not depend on the
 * scale, so it says whether that was the right one. */
struct hb_fixed_total {
  int64_t sum[HB_FIXED_SUMS];
  uint32_t most;
};

static inline uint32_t hb_fixed_byte(uint32_t word, int group) { return word >> 8 * group & 255; }

/* Byte by byte the larger. */
static inline uint32_t hb_fixed_most(uint32_t a, uint32_t b)
{
  uint32_t most = 0;
  for (int g = 0; g < HB_FIXED_GROUPS; g++) {
    uint32_t x = hb_fixed_byte(a, g), y = hb_fixed_byte(b, g);
    most |= (x > y ? x : y) << 8 * g;
  }
  return most;
}

/* What other sources do to the same sink, by the same scale. Exact: the blocks of a sink together stay below 2^61. It wraps
 * where the scale is too fine, and is made again. */
static inline void hb_fixed_add(struct hb_fixed_total *total, const struct hb_fixed_total *more)
{
  for (int k = 0; k < HB_FIXED_SUMS; k++)
    total->sum[k] = (int64_t)((uint64_t)total->sum[k] + (uint64_t)more->sum[k]);
  total->most = hb_fixed_most(total->most, more->most);
}

/* How a column of a particle's numbers is rounded: times a power of two, then to a multiple of a grid, by adding and subtracting
 * 1.5 * 2^52 of it. */
struct hb_fixed_column {
  double factor, round;
};

#endif
