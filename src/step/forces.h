/* What every integrator does with the forces it is given. */
#ifndef HB_FORCES_H
#define HB_FORCES_H

#include "base/status.h"

/* HB_ERR_NUMERIC naming the first of the particles index[ni] whose a[3 * ni], j[3 * ni] or phi[ni] at time t, found in a
 * step of that number (0: the first forces), is NaN or Inf. */
enum hb_status hb_forces_check(size_t ni, const uint32_t *index, double t, uint64_t step, const double *a,
                               const double *j, const double *phi);

#endif
