#include "force/force.h"

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
    if (far > 0) sum += log(far), count++;
  }
  return count ? exp(sum / (double)count) : 0;
}

/* Forces and jerks between particles of the mean mass at the mean distance, with the speed of a circular orbit. Where
 * these are below the normal floats the system would not move in such units. */
static enum hb_status check_units(size_t n, const double *m, const double *x)
{
  double M = 0, r = mean_distance(n, x);
  for (size_t i = 0; i < n; i++) M += m[i];
  double mean = M / (double)n, mr3 = mean / r / r / r, jerk = mr3 * sqrt(M / r);
  if (!(M > 0 && r > 0) || fmin(mr3, jerk) >= FLT_MIN) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "the mean mass is %g and the mean distance %g: in these units "
                 "forces or jerks are below %.3g and too small for float (scheme host computes in double)",
                 mean, r, (double)FLT_MIN);
}

enum hb_status hb_force_range(const struct hb_force_ops *ops, size_t n, const double *m, const double *x,
                              const double *v)
{
  const char *name = ops->info.name;
  size_t kx = largest_of(3 * n, x), kv = largest_of(3 * n, v);
  double far = x[kx], fast = v[kv], reach = ops->reach;
  if (!(fabs(far) <= reach))
    return hb_fail(HB_ERR_INPUT,
                   "particle %zu is at %c = %g from the center, expected within %.3g: "
                   "the float arithmetic of scheme %s goes no further (scheme host computes in double)",
                   kx / 3, "xyz"[kx % 3], far, reach, name);
  if (!(fabs(fast) <= SPEED))
    return hb_fail(HB_ERR_INPUT,
                   "particle %zu has v%c = %g, expected within %.3g: "
                   "the float arithmetic of scheme %s goes no further (scheme host computes in double)",
                   kv / 3, "xyz"[kv % 3], fast, SPEED, name);
  return check_units(n, m, x);
}
