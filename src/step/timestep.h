/* What changes along a step, [PZ07] eqs 5 and 6; its length, eqs 2 and 9; and its rounding to a power of two. */
#ifndef HB_TIMESTEP_H
#define HB_TIMESTEP_H

#include "base/status.h"

#include <math.h>

/* [PZ07] eqs 5 and 6 times dt^2 and dt^3, from a k at the start of a step to a_p k_p at its end. */
static inline void hb_timestep_higher(double dt, const double a[3], const double k[3], const double ap[3],
                                      const double kp[3], double dt2a2[3], double dt3k2[3])
{
  for (int c = 0; c < 3; c++) {
    double da = a[c] - ap[c];
    dt2a2[c] = -6 * da - dt * (4 * k[c] + 2 * kp[c]);
    dt3k2[c] = 12 * da + dt * (6 * (k[c] + kp[c]));
  }
}

/* The first step: [PZ07] eq. 2, nu |a| / |k|, with two guards. Particles at rest have k = 0, which makes eq. 2
 * infinite, and for slow ones it is far too long: the limit of eq. 9 for v = k = 0, (nu |a| / |s|)^(1/2) with s = a''
 * of the same particles at rest, bounds it. Pulls that cancel (the middle of the figure eight) make eq. 2 zero, and
 * from steps so small that eqs 5 and 6 contain only rounding errors, eq. 9 may never let them grow: |a| is replaced by
 * a_least where it is smaller. Without any force the step is INFINITY. */
double hb_timestep_first(double nu, double a_least, const double a[3], const double k[3], const double s[3]);

/* Eq. 2 for a particle that begins anew among others, with |a| replaced by a_least where it is smaller; INFINITY without a jerk. */
double hb_timestep_anew(double nu, double a_least, const double a[3], const double k[3]);

/* Returns a lower bound of the sum of the |accelerations| that add up to that of a particle of mass m with the potential phi in a system of
 * mass M: sum m / r^2 >= phi^2 / (M - m) (Cauchy and Schwarz). Of a particle with less than half of the mass M stands for M - m. */
double hb_timestep_pulls(double phi, double M, double m);

/* Returns the a_least of a particle from that bound: 2^-10 of it, so small that steps change only where accelerations cancel. */
double hb_timestep_a_least(double pulls);

/* Constants of eq. 9. */
struct hb_timestep_rule {
  double nu;
  double noise;   /* relative rounding error of accelerations; 0: eq. 9 alone */
  double mass;    /* of all particles */
  double a_least; /* replaces |a| where it is smaller */
  double pulls;   /* the scale of the accelerations that add up to a is at least this */
};

/* Returns the step by [PZ07] eq. 9 after a step dt from k to a_p k_p, INFINITY if both sums of the quotient vanish. dt2a2 = dt^2 a'' and
 * dt3k2 = dt^3 k'' are those of eqs 5 and 6; they become estimates from the jerks where they are below the rounding error of the
 * accelerations, which is `noise` times the largest of |a_p|, rule->pulls and pulls. `pulls` is from hb_timestep_pulls. Where accelerations
 * cancel, as those of a body in the middle of a ring, a_p, k_p and both derivatives are rounding errors, whose quotient would make the step
 * collapse: |a_p| counts at least as hb_timestep_a_least(pulls), and the step grows until its derivatives are none. Sets *noisy to whether
 * this step shows noise. */
double hb_timestep_after(const struct hb_timestep_rule *rule, double pulls, double dt, const double k[3],
                         const double ap[3], const double kp[3], double dt2a2[3], double dt3k2[3],
                         int *noisy);

/* Errors of a star's energy are as its mass times dt^4. Where dt goes as m^-5/16, those of stars heavier than the mean, which add up,
 * are no larger than its: the part of their steps that they take, with share = mean / m < 1. */
double hb_timestep_share(double share);

/* The level of a step, dt_min 2^level, clamped to 0 .. level_max; 0 for NaN. */
unsigned hb_timestep_level(double dt, double dt_min, unsigned level_max, enum hb_rounding rounding);

/* Whether the step, rounded, is shorter than level 0, dt_min. */
static inline int hb_timestep_is_cut(double dt, double dt_min, enum hb_rounding rounding)
{
  double ratio = dt / dt_min;
  if (rounding == HB_ROUND_UP) return !(ratio > 0.5);
  return !(ratio >= (rounding == HB_ROUND_NEAREST ? sqrt(0.5) : 1));
}

#endif
