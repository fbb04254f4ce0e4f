/* Primordial binaries: which stars belong together, and on which orbits.
 *
 * Pairing of stars that are drawn from the mass function at random:
 *   random    any two
 *   ordered   the two heaviest of those chosen, the next two, and so on
 *   uniform   primaries are drawn, secondaries have q times their mass, q uniform from 0.1 to 1 [Sana et al. 2012, Science
 *             337, 444]
 *
 * Semi-major axes a or periods P in days:
 *   opik             dN / d log a constant from a_min to a_max
 *   kroupa1995       dN / d log P = 2.5 (log P - 1) / (45 + (log P - 1)^2), 1 <= log P <= 8.43, at birth; then the young stars
 *                    change each other at pericenter, r_p = a (1 - e), which stays: with rho = (28 R_sun / r_p)^(3/4),
 *                    e becomes e exp(-rho) and q = m2 / m1 becomes q + (1 - q) min(rho, 1) [Kroupa 1995, MNRAS 277, 1507]
 *   duquennoy1991    log P normal with mean 4.8 and standard deviation 2.3 [Duquennoy & Mayor 1991, A&A 248, 485]
 *
 * Orbits with periods are drawn again while the stars, with radii of R_sun (m / M_sun)^0.8, would touch at pericenter.
 *
 * Eccentricities: thermal, dN / de = 2 e [Jeans 1919]; uniform; circular. Where the stars are on their orbits, and how these
 * lie in space, is at random. */
#ifndef HB_PRIMORDIAL_H
#define HB_PRIMORDIAL_H

#include "base/rng.h"
#include "base/status.h"

#include <holmberg/holmberg.h>

/* Of n stars so many pairs make the share of the systems. */
size_t hb_primordial_pairs(double share, size_t n);

/* Puts the members of the pairs first in m[n], the primary before its secondary, the single stars behind them. Errors:
 * HB_ERR_INTERNAL. */
enum hb_status hb_primordial_pair(struct hb_rng *rng, enum hb_ic_pairing pairing, size_t n, size_t pairs,
                                  double *m);

/* Semi-major axis and eccentricity of a binary of masses m[2], the primary's first, all in units with G = 1. cluster is
 * checked: a_min < a_max are given, and cluster->units where orbits needs them. With kroupa1995 m[1] may grow. *redrawn is
 * counted up if the first draw did not fit. Errors: HB_ERR_USAGE (hardly an orbit fits). */
enum hb_status hb_primordial_orbit(struct hb_rng *rng, const struct hb_ic_cluster *cluster, double m[2],
                                   double *a, double *e, size_t *redrawn);

/* A place x[3] and velocity v[3] of the secondary relative to the primary on such an orbit, at a random phase and in a random
 * direction. */
void hb_primordial_place(struct hb_rng *rng, double m, double a, double e, double x[3], double v[3]);

#endif
