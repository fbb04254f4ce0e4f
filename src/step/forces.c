#include "step/forces.h"

#include <inttypes.h>
#include <math.h>

enum hb_status hb_forces_check(size_t ni, const uint32_t *index, double t, uint64_t step, const double *a,
                               const double *j, const double *phi)
{
  for (size_t b = 0; b < ni; b++)
    for (size_t c = 0; c < 3; c++)
      if (!isfinite(a[3 * b + c]) || !isfinite(j[3 * b + c]) || !isfinite(phi[b]))
        return hb_fail(HB_ERR_NUMERIC,
                       "particle %u at t = %.17g in block step %" PRIu64
                       " has a%c = %g, jerk %g, phi = %g, expected finite",
                       index[b], t, step, "xyz"[c], a[3 * b + c], j[3 * b + c], phi[b]);
  return HB_OK;
}
