#include "base/arith.h"

#include "base/machine.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int hb_ascending_doubles(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* Hoare's algorithm "find". */
double hb_select(size_t n, double *data, size_t k)
{
  size_t low = 0, high = n - 1;
  while (low < high) {
    double pivot = data[low + (high - low) / 2];
    size_t i = low, j = high;
    for (;;) {
      while (data[i] < pivot) i++;
      while (data[j] > pivot) j--;
      if (i >= j) break;
      double swapped = data[i];
      data[i++] = data[j];
      data[j--] = swapped;
    }
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
  return data[low];
}

/* Numbers without a sign are in the order of their bits, and those that are not finite come last. The largest of whole numbers a
 * compiler finds eight at a time; that of doubles, among which one may be NaN, it takes one after the other. */
HB_CLONES double hb_largest(size_t count, const double *q)
{
  int64_t most = 0;
  double result;
  for (size_t k = 0; k < count; k++) {
    int64_t size;
    memcpy(&size, q + k, sizeof size);
    size &= INT64_MAX;
    most = size > most ? size : most;
  }
  memcpy(&result, &most, sizeof result);
  return result < INFINITY ? result : NAN;
}
