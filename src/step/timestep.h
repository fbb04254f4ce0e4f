/* How long a step should be, and which power of two it becomes: [PZ07] eqs 2 and 9. */
#ifndef HB_TIMESTEP_H
#define HB_TIMESTEP_H

#include "base/status.h"

/* The first step: [PZ07] eq. 2, nu |a| / |k|, with two guards. Particles at rest have k = 0, which makes eq.
 * 2 infinite, and a slow start far too long: what remains of eq. 9 for v = k = 0, (nu |a| / |s|)^(1/2) with s
 * = a'' of the same particles at rest, bounds it. A pull that cancels (the middle of the figure-eight) makes
 * eq. 2 zero, and at steps so small that eqs 5 and 6 see only rounding, eq. 9 may never let them grow: |a|
 * counts as no less than a_least. Where nothing acts the step is INFINITY. */
double hb_timestep_first(double nu, double a_least, const double a[3], const double k[3], const double s[3]);

/* a_least of a particle with potential phi among the mass M: 2^-10 of the least that the sum of |pulls| can
 * be, sum m / r^2 >= phi^2 / M (Cauchy and Schwarz), low enough to leave eq. 2 alone nearly everywhere. */
double hb_timestep_a_least(double phi, double M);

/* A size of the pulls that sum up to a, of which each is rounded: |a|, or where they cancel phi^2 / M. */
double hb_timestep_pull(double phi, double M, const double a[3]);

/* [PZ07] eq. 9 after a step dt, with a and k as found at its end and the derivatives of eqs 5 and 6 in units
 * of acceleration, dt2a2 = dt^2 a'' and dt3k2 = dt^3 k''. INFINITY where both sums of the quotient vanish. */
double hb_timestep_next(double nu, double dt, const double a[3], const double k[3], const double dt2a2[3],
                        const double dt3k2[3]);

/* Eqs 5 and 6 find the third derivative in a difference of accelerations, 12 D with D = a - a_p + dt (k + k_p) / 2, which
 * at short steps drowns in the rounding of float forces: D then is noise, eq. 9 makes the next step shorter still, and
 * a particle that came to short steps, at the start by eq. 2 or in an encounter, stays there. What the jerks say,
 * dtdk = dt (k_p - k) for dt^2 a'', is better by 1 / dt. */

/* Whether a step has the mark of that noise: the jerk changed little, and dt^3 k'' is beyond all of its change. */
int hb_timestep_is_noisy(double dt, const double k[3], const double dtdk[3], const double dt3k2[3]);

/* Where D is below floor, an acceleration, puts what the jerks say into dt2a2 and dt3k2: dtdk at the end of the step,
 * and for dt^3 k'' what goes on as k, dtdk began. Leaves both alone for floor = 0. */
void hb_timestep_rely_on_jerks(double floor, double dt, const double k[3], const double dtdk[3],
                               double dt2a2[3], double dt3k2[3]);

/* The level of a step, dt_min 2^level, clamped to 0 .. level_max; 0 for NaN. */
unsigned hb_timestep_level(double dt, double dt_min, unsigned level_max, enum hb_rounding rounding);

/* Whether the step, rounded, is shorter than level 0, dt_min. */
int hb_timestep_is_cut(double dt, double dt_min, enum hb_rounding rounding);

#endif
