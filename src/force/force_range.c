#include "force/force.h"

#include "base/elementary.h"
#include "base/largest.h"

#include <float.h>
#include <math.h>

static const double SPEED = 0x1p62; /* r . v of two particles as fast as this is a float */

static size_t largest_of(size_t count, const double *q)
{
  size_t at = 0;
  for (size_t k = 1; k < count; k++)
    if (!(fabs(q[k]) <= fabs(q[at]))) at = k;
  return at;
}

/* The geometric mean: neither a distant particle makes it large nor a central one small. */
static double mean_distance(size_t n, const double *x)
{
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    double far = fmax(fmax(fabs(x[3 * i]), fabs(x[3 * i + 1])), fabs(x[3 * i + 2]));
    if (far > 0) sum += hb_elementary_log(far), count++;
  }
  return count ? hb_elementary_exp(sum / (double)count) : 0;
}

/* The lesser of force and jerk between particles of the mean mass at distance r, with the speed of a circular orbit. */
static double least_size(double M, size_t n, double r)
{
  double mr3 = M / (double)n / r / r / r;
  return fmin(mr3, mr3 * sqrt(M / r));
}

/* Where these are below the normal floats at the mean distance, the system would not move in such units. The mean, which
 * takes a logarithm a particle, is not larger than the largest coordinate, far. */
static enum hb_status check_units(size_t n, const double *m, const double *x, double far)
{
  double M = 0;
  for (size_t i = 0; i < n; i++) M += m[i];
  if (!(M > 0 && far > 0) || least_size(M, n, far) >= FLT_MIN) return HB_OK;
  double r = mean_distance(n, x);
  if (least_size(M, n, r) >= FLT_MIN) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "the mean mass is %g and the mean distance %g: in these units "
                 "forces or jerks are below %.3g and too small for float (scheme host computes in double)",
                 M / (double)n, r, (double)FLT_MIN);
}

enum hb_status hb_force_finite(size_t n, const double *m, const double *x, const double *v)
{
  if (hb_largest(n, m) < INFINITY && hb_largest(3 * n, x) < INFINITY && hb_largest(3 * n, v) < INFINITY)
    return HB_OK;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(m[i])) return hb_fail(HB_ERR_INPUT, "particle %zu has mass %g, expected finite", i, m[i]);
    for (size_t k = 3 * i; k < 3 * i + 3; k++)
      if (!isfinite(x[k]) || !isfinite(v[k]))
        return hb_fail(HB_ERR_INPUT, "particle %zu has %c = %g and v%c = %g, expected finite", i,
                       "xyz"[k % 3], x[k], "xyz"[k % 3], v[k]);
  }
  return HB_OK;
}

enum hb_status hb_force_range(const struct hb_force_ops *ops, size_t n, const double *m, const double *x,
                              const double *v)
{
  const char *name = ops->info.name;
  double far = hb_largest(3 * n, x), fast = hb_largest(3 * n, v), reach = ops->reach;
  if (!(far <= reach)) {
    size_t k = largest_of(3 * n, x);
    return hb_fail(HB_ERR_INPUT,
                   "particle %zu is at %c = %g from the center, expected within %.3g: "
                   "the float arithmetic of scheme %s goes no further (scheme host computes in double)",
                   k / 3, "xyz"[k % 3], x[k], reach, name);
  }
  if (!(fast <= SPEED)) {
    size_t k = largest_of(3 * n, v);
    return hb_fail(HB_ERR_INPUT,
                   "particle %zu has v%c = %g, expected within %.3g: "
                   "the float arithmetic of scheme %s goes no further (scheme host computes in double)",
                   k / 3, "xyz"[k % 3], v[k], SPEED, name);
  }
  return check_units(n, m, x, far);
}
