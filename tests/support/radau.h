/* An integrator for a few bodies that shares nothing with src/chain, as a judge of it: Newton's equations in plain time, by the
 * Gauss-Radau method of order 15 with a controlled step [Everhart 1985, Rein & Spiegel 2015, MNRAS 446, 1424]. */
#ifndef RADAU_H
#define RADAU_H

#include <stddef.h>

enum { RADAU_MOST = 8 }; /* bodies */

/* Bodies with masses, and the length of the next step (0: not known yet). Positions and velocities are those of each body relative to the
 * one before it, so that a close pair far from the center of mass does not lose digits: members of a pair are to follow each other. */
struct radau {
  size_t n;
  double m[RADAU_MOST];
  double x[3 * RADAU_MOST], v[3 * RADAU_MOST];
  double x_residual[3 * RADAU_MOST], v_residual[3 * RADAU_MOST]; /* rounding residuals (compensated sums) */
  double b[7][3 * RADAU_MOST]; /* the polynomial of the last step, from which the next one is predicted */
  double last_step, next_step;
};

/* Sets bodies that are about to begin. */
void radau_start(size_t n, const double *m, const double *x, const double *v, struct radau *r);

/* Sets positions and velocities of the bodies relative to the first one. */
void radau_bodies(const struct radau *r, double *x, double *v);

/* Advances the bodies by the time dt > 0. */
void radau_advance(struct radau *r, double dt);

#endif
