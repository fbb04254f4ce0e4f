/* Kepler's orbit of a pair that is a chain of two: its elements, Kepler's equation, and motion along it by a given time, or by a given
 * difference of the regular variable s, ds = dt / r. Nothing here disturbs the orbit; kepler.h does that by kicks in between.
 *
 * Positions follow from Gauss's f and g functions, in differences of the eccentric anomaly (Danby 1988, 6.8) or in s. These lose no
 * digits at a pericenter. */
#ifndef HB_KEPLER_ORBIT_H
#define HB_KEPLER_ORBIT_H

#include "chain/chain.h"

/* A bound orbit at its present position: total mass, separation, semi-major axis, mean motion, e cos E and e sin E. */
struct hb_kepler_orbit {
  double M, r, a, n, e_cos, e_sin;
};

/* Place of a drift in s: the separation, and the time since the start of the drift. */
struct hb_kepler_place {
  double r, t;
};

/* Returns the orbit of the links; a <= 0 or NaN if the pair is unbound. */
struct hb_kepler_orbit hb_kepler_orbit_of(const struct hb_chain *c);

/* Returns the time in which the eccentric anomaly grows by x. */
double hb_kepler_orbit_time(const struct hb_kepler_orbit *o, double x);

/* Returns the difference of the eccentric anomaly after which the mean anomaly has grown by l, and its Stumpff functions in c[4]. */
double hb_kepler_orbit_solve(const struct hb_kepler_orbit *o, double l, double c[4]);

/* Moves a bound pair along its orbit by the time dt. */
void hb_kepler_orbit_drift(struct hb_chain *chain, double dt);

/* Moves a bound pair along its orbit by the time dt, where nothing else exists: a is that of B, which does not change, and the
 * velocity is corrected by what rounding took from the energy in millions of revolutions. */
void hb_kepler_orbit_drift_alone(struct hb_chain *chain, double dt);

/* Moves a pair, bound or not, along its orbit by ds. *at is where it is, and is brought up to date. */
void hb_kepler_orbit_drift_by(struct hb_chain *chain, double ds, struct hb_kepler_place *at);

/* Moves a pair along its orbit by the time dt. This is faster than hb_kepler_orbit_drift where dt is a part of an orbit. */
void hb_kepler_orbit_drift_for(struct hb_chain *chain, double dt);

/* Returns the ds of a time dt that is a part of an orbit, for a pair with separation r; 0 if the iteration finds none. */
double hb_kepler_orbit_step_for(const struct hb_chain *chain, double r, double dt);

/* Sets X[count] to separations of a bound pair that are equally far apart in the eccentric anomaly, and part[count] to their shares of
 * the period. Sums weighted by these are means over the orbit, exact for products of up to count - 2 components of X. */
void hb_kepler_orbit_places(const struct hb_chain *chain, size_t count, double X[][3], double *part);

#endif
