#include "force/grape6_arithmetic.h"

#include "base/clones.h"

#include <math.h>
#include <string.h>

/* Whole numbers below 2^53 add exactly: lanes and threads may take them in any order. */
HB_CLONES void grape6_sum_add(struct grape6_sum *sum, const double *term, int64_t count, double scale)
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

int grape6_sum_value(const struct grape6_sum *sum, int bits, int64_t *value)
{
  static const int64_t word = INT64_C(1) << 32;
  int64_t lo = sum->lo % word, hi = sum->hi + sum->lo / word;
  if (lo < 0) lo += word, hi--;
  if (hi < -(word / 2) || hi >= word / 2) return 0;
  *value = hi * word + lo;
  int64_t most = INT64_MAX >> (64 - bits);
  return *value <= most && *value >= -most - 1;
}

int grape6_exponent(double largest)
{
  int e;
  frexp(largest, &e);
  return e < -900 ? -900 : e;
}

/* Without their sign doubles sort like the integers of the same bits, NaN after infinity after all numbers. */
HB_CLONES double grape6_largest(const double *term, int64_t count)
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
