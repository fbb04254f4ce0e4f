/* Checking the forces that an integrator gets. */
#ifndef HB_FORCES_H
#define HB_FORCES_H

#include "base/status.h"
#include "force/force.h"

/* What the forces were evaluated for: all n particles at x[3 * n], time t, in this step (0: the first forces). */
struct hb_forces_at {
  size_t n;
  const double *x;
  double t;
  uint64_t step;
  const struct hb_force *force; /* that computed them */
};

/* Whether all of a[3 * ni], j[3 * ni] and phi[ni] are finite. */
int hb_forces_are_finite(size_t ni, const double *a, const double *j, const double *phi);

/* HB_ERR_NUMERIC naming the first of the particles index[ni] whose a[3 * ni], j[3 * ni] or phi[ni] is NaN or Inf, and its
 * nearest neighbor. */
enum hb_status hb_forces_check(const struct hb_forces_at *at, size_t ni, const uint32_t *index,
                               const double *a, const double *j, const double *phi);

/* A possible reason for a bad force on particle i, to end a sentence: its nearest neighbor, at the same position or how
 * far away, and whether that is too near for the precision. */
enum { HB_FORCES_REASON = 224 };
void hb_forces_reason(const struct hb_forces_at *at, uint32_t i, char reason[HB_FORCES_REASON]);

#endif
