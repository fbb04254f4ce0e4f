/* How many pieces of size b a takes: a / b, rounded up. */
#ifndef HB_QUOTIENT_H
#define HB_QUOTIENT_H

#include <stddef.h>

static inline size_t hb_quotient_up(size_t a, size_t b) { return (a + b - 1) / b; }

#endif
