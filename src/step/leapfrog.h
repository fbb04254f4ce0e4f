/* The leapfrog of [NHP07] 31.2 (Verlet 1967) as kick, drift, kick: all particles share one constant step, of any length.
 *
 *   v' = D (v + a dt / 2)    first kick, and the damping D
 *   x  = x + v' dt           drift
 *   v  = v' + a dt / 2       second kick, with the acceleration at the new position
 *
 * The program of the CUDA samples has only v' (v' = D (v' + a dt), x = x + v' dt). The positions are the same, and with
 * D = 1 the velocities here are those at the time of the positions. */
#ifndef HB_LEAPFROG_H
#define HB_LEAPFROG_H

#include "core/particles.h"
#include "step/integrator.h"

/* A restart needs particles, a, j, t0, dt, damping and steps; the rest is scratch. The jerk, which sources of forces
 * compute anyway, serves states between the steps only. See hb_integrator_leapfrog. */
struct hb_leapfrog {
  size_t n;
  double dt;                      /* > 0                                 */
  double damping;                 /* D, > 0 and <= 1: loses nothing at 1 */
  struct hb_force *force;         /* the caller's */
  double t0;                      /* time of step 0; step k is at t0 + k dt */
  struct hb_particles *particles; /* m x v, all at the time of the last step */
  double *a, *j;                  /* [3 * n] each, at the same time */
  double *x1, *v1, *a1, *j1;      /* [3 * n] each: the next */
  double *phi1;                   /* [n] */
  uint32_t *index;                /* [n] 0 ... n - 1: all are sinks */
  uint64_t steps, changes;
  double e_changed;
  struct hb_phases phases; /* predict and correct */
};

#endif
