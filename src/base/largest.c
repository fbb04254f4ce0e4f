#include "base/largest.h"

#include "base/clones.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
