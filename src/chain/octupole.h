/* The octupole of a pair in the mean over its orbit, and its acceleration of a distant body. It exists for unequal masses on an eccentric
 * orbit, since the lighter member then spends most of the time on one side. Ten numbers describe it: the mean of mu (m0 - m1) / M x x x as
 * xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz, mu being the reduced mass, M the total one, and x the separation from member 0 to 1. */
#ifndef HB_OCTUPOLE_H
#define HB_OCTUPOLE_H

#include "chain/chain.h"

enum { HB_OCTUPOLE_PARTS = 10 };

/* Computes the octupole of an orbit with the semi-major axis a, the vector e of the eccentricity, and h, of length (1 - e^2)^1/2, along
 * the angular momentum. m[2] are the masses. The mean of x x x is -a^3 (35/8 e e e + 5/8 (e (h^2 - h h) + its two permutations)). */
void hb_octupole_of_vectors(const double m[2], double a, const double e[3], const double h[3],
                            double T[HB_OCTUPOLE_PARTS]);

/* Computes the octupole of a bound pair's orbit. */
void hb_octupole_of_orbit(const struct hb_chain *c, double T[HB_OCTUPOLE_PARTS]);

/* Adds to a[3] the acceleration of a body at r relative to the pair, and returns -phi there: phi = 3 t r / (2 r^5) - 5 T r r r / (2 r^7)
 * with the vector t of traces, t_i = sum over k of T_ikk. */
double hb_octupole_pull(const double T[HB_OCTUPOLE_PARTS], const double r[3], double a[3]);

/* Adds to a[3] and j[3] `times` the acceleration and jerk of a body at r, moving with v, both relative to the pair. */
void hb_octupole_add_pull(const double T[HB_OCTUPOLE_PARTS], double times, const double r[3],
                          const double v[3], double a[3], double j[3]);

#endif
