/* The numbers of GRAPE-6, by [PZ07] section 4.2 (after Makino et al. 2003): positions and sums in fixed point, everything
 * between in short floating point. Held in doubles and 64-bit integers, so that a vector unit can work on them.
 *
 * What the paper does not say is assumed: a mantissa counts its leading bit; every operation rounds its exact result to
 * nearest; exponents never overflow. */
#ifndef HB_GRAPE6_H
#define HB_GRAPE6_H

#include "base/clones.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
  GRAPE6_FORCE_BITS = 64, /* accumulators of acceleration and potential   */
  GRAPE6_JERK_BITS = 32,  /* of the jerk                                  */
  GRAPE6_RETRY = 5        /* an overflowing sum is taken again in units 2^5 as large */
};

/* x to 24 and to 20 bits: the head of Dekker's split, the tail of which has 29 and 33. */
static inline double grape6_round24(double x)
{
  double c = x * (0x1p29 + 1);
  return c - (c - x);
}

static inline double grape6_round20(double x)
{
  double c = x * (0x1p33 + 1);
  return c - (c - x);
}

/* To a whole number, for |x| <= 2^51: beyond it a double has no halves. */
static inline double grape6_whole(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* A 64-bit fixed point number as two whole ones, hi 2^32 + lo, |hi| and |lo| <= 2^31. */
struct grape6_fixed {
  double hi, lo;
};

/* x, of |x| < 2^63, to a whole number. */
static inline struct grape6_fixed grape6_fix(double x)
{
  double hi = grape6_whole(x * 0x1p-32);
  return (struct grape6_fixed){hi, grape6_whole(x - hi * 0x1p32)};
}

/* The difference of two fixed numbers to 24 bits. hi 2^32 and lo are exact; their sum passes through 53 bits, which moves
 * one rounding to 24 bits in some 2^29. */
static inline double grape6_difference(double hi, double lo, double hi0, double lo0)
{
  return grape6_round24((hi - hi0) * 0x1p32 + (lo - lo0));
}

/* A sum of fixed numbers, hi 2^32 + lo, wider than the machine's: it holds 2^31 terms of 63 bits without overflow, so that
 * whether the sum fits is decided at the end, independent of the order of the terms. */
struct grape6_sum {
  int64_t hi, lo;
};

/* Adds term[count] / unit, each to a whole number; count <= 2^21, |term| < 2^63 unit, scale = 1 / unit. Whole numbers below
 * 2^53 add exactly: lanes and threads may take them in any order. */
HB_CLONES static void grape6_sum_add(struct grape6_sum *sum, const double *term, int64_t count, double scale)
{
  double hi = 0, lo = 0;
#pragma omp simd reduction(+ : hi, lo)
  for (int64_t k = 0; k < count; k++) {
    struct grape6_fixed f = grape6_fix(term[k] * scale);
    hi += f.hi;
    lo += f.lo;
  }
  sum->hi += (int64_t)hi;
  sum->lo += (int64_t)lo;
}

/* Its value in two's complement with that many bits; 0: it does not fit. */
static int grape6_sum_value(const struct grape6_sum *sum, int bits, int64_t *value)
{
  static const int64_t word = INT64_C(1) << 32;
  int64_t lo = sum->lo % word, hi = sum->hi + sum->lo / word;
  if (lo < 0) lo += word, hi--;
  if (hi < -(word / 2) || hi >= word / 2) return 0;
  *value = hi * word + lo;
  int64_t most = INT64_MAX >> (64 - bits);
  return *value <= most && *value >= -most - 1;
}

/* The smallest exponent e with |term| < 2^e; -900 ... 1024. */
static int grape6_exponent(double largest)
{
  int e;
  frexp(largest, &e);
  return e < -900 ? -900 : e;
}

/* The largest |term|; NaN or infinite if one is. Without their sign doubles sort like the integers of the same bits, NaN after
 * infinity after all numbers. */
HB_CLONES static double grape6_largest(const double *term, int64_t count)
{
  int64_t most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t k = 0; k < count; k++) {
    int64_t bits;
    memcpy(&bits, &term[k], sizeof bits);
    bits &= INT64_MAX;
    most = bits > most ? bits : most;
  }
  double largest;
  memcpy(&largest, &most, sizeof largest);
  return largest;
}

/* Of a source: sums that overflowed and were taken again since it was opened. */
uint64_t hb_grape6_retries(const void *state);

#endif
