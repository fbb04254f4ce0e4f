/* Hierarchies and encounters of a few bodies, drawn at random: chains from orbits, and the orbits of a chain. */
#ifndef HIERARCHY_CASE_H
#define HIERARCHY_CASE_H

#include "base/rng.h"
#include "chain/chain.h"

/* An orbit: semi-major axis (negative: a hyperbola), eccentricity, the time since the pericenter in units of the inverse mean motion, and
 * its axes: unit vectors to the pericenter and at right angles to it in the plane. */
struct hierarchy_orbit {
  double a, e, since, P[3], Q[3];
};

/* Draws the direction of an orbit, and its place in it. */
void hierarchy_draw(struct hb_rng *rng, double a, double e, struct hierarchy_orbit *orbit);

/* Sets the plane of an orbit to that of another one, tilted by an angle about its own P. */
void hierarchy_tilt(const struct hierarchy_orbit *from, double angle, struct hierarchy_orbit *orbit);

/* Sets x[3] and v[3] to the separation of two bodies of total mass M on this orbit. */
void hierarchy_place(const struct hierarchy_orbit *orbit, double M, double x[3], double v[3]);

/* Makes a chain of a pair m[0] m[1] on inner[0], and of a third body or, with n = 4, a second pair on inner[1] around it. Numbers are 0, 1, 2, 3. */
void hierarchy_make(size_t n, const double *m, const struct hierarchy_orbit *inner,
                    const struct hierarchy_orbit *outer, struct hb_chain *chain);

/* The orbit of two groups of members, each given by a bit mask of numbers. */
struct hierarchy_elements {
  double a, e, h;           /* axis (negative: unbound), eccentricity, angular momentum over (M a)^1/2 */
  double ecc[3], normal[3]; /* eccentricity vector; unit vector normal to the plane */
  double r;                 /* separation */
};

/* Finds the elements of the orbit of the members in `second` relative to those in `first`. */
void hierarchy_find(const struct hb_chain *chain, unsigned first, unsigned second,
                    struct hierarchy_elements *e);

/* Sets positions x[3 * n] and velocities v[3 * n] of the members in the order of their numbers. */
void hierarchy_bodies(const struct hb_chain *chain, double *m, double *x, double *v);

#endif
