/* The largest of many numbers by size, whatever their order. */
#ifndef HB_LARGEST_H
#define HB_LARGEST_H

#include <stddef.h>

/* max |q[k]|; NaN where one of them is infinite or NaN. */
double hb_largest(size_t count, const double *q);

#endif
