/* The quadrupole of a pair in the mean over its orbit, and its acceleration of a distant body. Six numbers describe it: the mean of
 * mu x x as xx yy zz xy xz yz, mu being the reduced mass and x the separation. */
#ifndef HB_QUADRUPOLE_H
#define HB_QUADRUPOLE_H

#include "chain/chain.h"

/* Computes the quadrupole of a bound pair's orbit: mu a^2 (5/2 e e + (1 - e^2) (1 - h h) / 2), with the vectors e of the
 * eccentricity and h, the unit vector of the angular momentum. */
void hb_quadrupole_of_orbit(const struct hb_chain *c, double Q[6]);

/* Adds to a[3] and j[3] `times` the acceleration and jerk by the quadrupole, of a body at r, moving with v, both relative to the
 * pair: those of phi = tr Q / (2 r^3) - 3 r Q r / (2 r^5). */
void hb_quadrupole_add_pull(const double Q[6], double times, const double r[3], const double v[3],
                            double a[3], double j[3]);

#endif
