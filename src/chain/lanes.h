/* Sums in lanes: a long sum is kept as HB_LANES partial sums, which processors with vector instructions add side by side. The
 * number of lanes and the order in which they are added at the end are fixed, so that all machines give the same bits. */
#ifndef HB_LANES_H
#define HB_LANES_H

enum { HB_LANES = 8 };

/* Returns the sum of all lanes. */
static inline double hb_lanes_sum(const double s[HB_LANES])
{
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

#endif
