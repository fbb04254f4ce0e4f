#include "step/forces.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Below it, r^-5 of a jerk is beyond the range of float, which ends at 3e38, for speeds and masses of about 1. */
static const double beyond_float = 1e-7;

void hb_forces_reason(const struct hb_forces_at *at, uint32_t i, char reason[HB_FORCES_REASON])
{
  const double *x = at->x, *xi = at->x + 3 * (size_t)i;
  double least = INFINITY;
  size_t nearest = i;
  for (size_t j = 0; j < at->n; j++) {
    double r = hypot(hypot(x[3 * j] - xi[0], x[3 * j + 1] - xi[1]), x[3 * j + 2] - xi[2]);
    if (j != i && r < least) least = r, nearest = j;
  }
  int is_too_near = hb_force_rounds(at->force) && least < beyond_float;
  reason[0] = 0;
  if (least == 0)
    snprintf(reason, HB_FORCES_REASON, "; particle %zu is at the same place: eps above 0 keeps forces finite",
             nearest);
  else if (nearest != i)
    snprintf(reason, HB_FORCES_REASON, "; its nearest neighbor, particle %zu, is %.3g away%s%s%s", nearest,
             least, is_too_near ? ", too close for precision " : "",
             is_too_near ? hb_force_precision(at->force) : "",
             is_too_near ? " (eps above 0, or scheme host, keeps forces finite)" : "");
}

int hb_forces_are_finite(size_t ni, const double *a, const double *j, const double *phi)
{
  for (size_t b = 0; b < ni; b++)
    for (size_t c = 0; c < 3; c++)
      if (!isfinite(a[3 * b + c]) || !isfinite(j[3 * b + c]) || !isfinite(phi[b])) return 0;
  return 1;
}

/* The sign of a NaN depends on the compiler, and printf shows it. */
static double unsigned_nan(double value) { return isnan(value) ? fabs(value) : value; }

enum hb_status hb_forces_check(const struct hb_forces_at *at, size_t ni, const uint32_t *index,
                               const double *a, const double *j, const double *phi)
{
  char reason[HB_FORCES_REASON];
  size_t b = 0, c = 0;
  while (b < ni && hb_forces_are_finite(1, a + 3 * b, j + 3 * b, phi + b)) b++;
  if (b == ni) return HB_OK;
  while (c < 2 && isfinite(a[3 * b + c]) && isfinite(j[3 * b + c])) c++;
  hb_forces_reason(at, index[b], reason);
  return hb_fail(HB_ERR_NUMERIC,
                 "particle %u at t = %.17g in block step %" PRIu64
                 " has a%c = %g, jerk %g, phi = %g, expected finite%s",
                 index[b], at->t, at->step, "xyz"[c], unsigned_nan(a[3 * b + c]), unsigned_nan(j[3 * b + c]),
                 unsigned_nan(phi[b]), reason);
}
