/* Small arithmetic that every room needs. */
#ifndef HB_ARITH_H
#define HB_ARITH_H

#include <stddef.h>

/* One degree in radians. */
#define HB_DEGREE (3.14159265358979323846 / 180)

/* a / b, rounded up. */
static inline size_t hb_div_ceil(size_t a, size_t b) { return (a + b - 1) / b; }

static inline size_t hb_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t hb_max(size_t a, size_t b) { return a > b ? a : b; }
static inline int hb_min_int(int a, int b) { return a < b ? a : b; }
static inline int hb_max_int(int a, int b) { return a > b ? a : b; }

/* The value, or the default where it is zero: a zero field of a params struct is unset. */
static inline int hb_default(int value, int fallback) { return value ? value : fallback; }
static inline double hb_default_real(double value, double fallback) { return value == 0 ? fallback : value; }

/* The cubic from a to b, a distance h apart, with the slopes da and db there; u from 0 to 1. */
static inline double hb_cubic(double a, double da, double b, double db, double h, double u)
{
  double w = 1 - u;
  return w * w * (1 + 2 * u) * a + u * w * w * h * da + u * u * (3 - 2 * u) * b - u * u * w * h * db;
}

/* For qsort. */
int hb_ascending_doubles(const void *a, const void *b);

/* The k-th smallest of data[n], counted from 0; reorders data. */
double hb_select(size_t n, double *data, size_t k);

/* max |q[k]|; NaN where one of them is infinite or NaN. */
double hb_largest(size_t count, const double *q);

#endif
