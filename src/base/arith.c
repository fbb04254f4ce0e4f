#include "base/arith.h"

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
