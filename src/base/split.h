/* A double as two floats: the nearest one, and what it leaves. */
#ifndef HB_SPLIT_H
#define HB_SPLIT_H

/* What is left of x after rounding it to float, itself rounded to float. `volatile`: the vectoriser of gcc 12 at -O3
 * takes (double)(float)x for x where three components lie side by side, and gives zeros (test_gl_pairs,
 * test_ds_positions). */
static inline float hb_split_low(double x)
{
  volatile float high = (float)x;
  return (float)(x - (double)high);
}

#endif
