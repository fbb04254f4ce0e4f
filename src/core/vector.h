/* Vectors of three numbers, and those of arrays q[3 * n]. */
#ifndef HB_VECTOR_H
#define HB_VECTOR_H

#include <math.h>
#include <stddef.h>

static inline double hb_dot(const double p[3], const double q[3])
{
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

static inline double hb_norm(const double q[3]) { return sqrt(hb_dot(q, q)); }

/* From the i-th to the k-th; and the square of that. */
static inline void hb_between(const double *q, size_t i, size_t k, double d[3])
{
  for (size_t c = 0; c < 3; c++) d[c] = q[3 * k + c] - q[3 * i + c];
}

static inline double hb_distance2(const double *q, size_t i, size_t k)
{
  double d[3];
  hb_between(q, i, k, d);
  return hb_dot(d, d);
}

#endif
