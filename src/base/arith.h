/* Small arithmetic that every room needs. */
#ifndef HB_ARITH_H
#define HB_ARITH_H

#include <stddef.h>

/* Radians of a degree. */
#define HB_DEGREE (3.14159265358979323846 / 180)

/* How many pieces of size b a takes: a / b, rounded up. */
static inline size_t hb_div_ceil(size_t a, size_t b) { return (a + b - 1) / b; }

/* Params structs leave open what is zero: the value, or the default in its place. */
static inline int hb_default(int value, int fallback) { return value ? value : fallback; }
static inline double hb_default_real(double value, double fallback) { return value == 0 ? fallback : value; }

#endif
