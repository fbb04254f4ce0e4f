/* A bound pair by the mean of its orbit over a revolution. Where others disturb a pair only weakly, its orbit changes slowly and in the
 * same way in each of many revolutions; these need not be followed one by one. Here the eccentricity vector and the angular momentum
 * are advanced by their mean rates of change, over as many revolutions as the rates allow.
 *
 * The orbit that the positions and velocities describe at one instant (the osculating orbit) differs from its mean by a wave of
 * first order in the tide, which depends on where the pair is in its orbit. The wave is subtracted when a pair becomes a mean orbit,
 * and added when it becomes a pair of bodies again. Errors are of second order in the tide, and do not add up.
 *
 * The caller decides when a tide is weak enough: inner_binaries.h for a pair within a chain, kepler.h for a pair that is alone. */
#ifndef HB_MEAN_ORBIT_H
#define HB_MEAN_ORBIT_H

#include "chain/chain_tide.h"

/* Elements of an orbit in y[]: the eccentricity vector, the angular momentum per reduced mass over (M a)^1/2, the binding energy per
 * reduced mass M / (2 a), and a mean longitude. */
enum {
  HB_MEAN_ORBIT_ECC = 0,
  HB_MEAN_ORBIT_ANG = 3,
  HB_MEAN_ORBIT_ENERGY = 6,
  HB_MEAN_ORBIT_LONGITUDE = 7,
  HB_MEAN_ORBIT_ELEMENTS = 8
};

/* A mean orbit. The pair's place in it is an eccentric longitude, counted from the direction u, plus the mean longitude in y[]. */
struct hb_mean_orbit {
  double M, a, n;                   /* total mass, semi-major axis, mean motion */
  double y[HB_MEAN_ORBIT_ELEMENTS]; /* see above */
  double u[3];         /* unit vector in the plane of the orbit; it turns with that, as little as it can */
  double cosine, sine; /* of the eccentric longitude */
};

/* Sets the mean orbit of a bound pair in this tide, at the time t after the start of the tide's advance. Returns 0 if the pair is
 * unbound, or disturbed so much that it has no mean orbit. */
int hb_mean_orbit_of_pair(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                          struct hb_mean_orbit *o);

/* Advances a mean orbit of a pair from the time t by dt, in as many steps as its rates of change need. Of `pair` only the masses are read.
 * *forces is increased by the number of evaluations. Returns 0 if the elements change faster than `strongest` times the mean motion: the
 * means say nothing then, and the orbit is not usable. */
int hb_mean_orbit_advance(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t, double dt,
                          double strongest, struct hb_mean_orbit *o, uint64_t *forces);

/* Sets X and V of the pair from its mean orbit at the time t. Returns 0 if it would be unbound. */
int hb_mean_orbit_to_pair(const struct hb_chain_tide *tide, double t, const struct hb_mean_orbit *o,
                          struct hb_chain *pair);

/* Sets the mean quadrupole (quadrupole.h) of a pair, and its mean octupole, sum m x_i x_j x_k as xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz, unless
 * O is NULL. The octupole vanishes for a circle and for equal masses. A third body on a nearly circular orbit gets its forced eccentricity
 * from it. */
void hb_mean_orbit_moments(const struct hb_chain *pair, const struct hb_mean_orbit *o, double Q[6],
                           double O[10]);

/* Computes the integral over time of the pair's quadrupole less its mean, whose own mean over a revolution is 0: what the pair's present
 * place has added to the velocities of distant bodies, as a quadrupole would. */
void hb_mean_orbit_swing(const struct hb_chain *pair, double S[6]);

#endif
