/* How many pieces of size b a takes: a / b, rounded up. */
#ifndef HB_DIV_CEIL_H
#define HB_DIV_CEIL_H

#include <stddef.h>

static inline size_t hb_div_ceil(size_t a, size_t b) { return (a + b - 1) / b; }

#endif
