/* Primordial mass segregation: heavy stars on orbits of low energy, without a change of the density profile of mass. */
#ifndef HB_SEGREGATION_H
#define HB_SEGREGATION_H

#include "base/rng.h"
#include "base/status.h"

#include <stddef.h>

/* How many times as many orbits as stars there should be to choose from. */
enum { HB_SEGREGATION_ORBITS = 8 };

/* Which of the count >= n orbits X[3 * count], V[3 * count] of a sphere with G = M = 1 star i of mass m[i] gets, in orbit[i];
 * none twice. degree 0: at random, to 1: in the order of mass.
 *
 * Stars take places in the order of energy as in McLuster [Kuepper et al. 2011, MNRAS 417, 2300]: the k-th heaviest of n takes
 * number (1 - u^(1 - degree)) (n - k) of those left, u uniform. The place is then not a number of stars but a share of the
 * mass [Baumgardt, De Marchi & Kroupa 2008, ApJ 685, 247]: the orbit is the one that as large a part of the orbits has less
 * energy than, as of the mass is in the places before. So the mass is distributed as in the model. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_segregation_choose(struct hb_rng *rng, double degree, size_t n, const double *m,
                                     size_t count, const double *X, const double *V, size_t *orbit);

/* index[count]: 0 ... count - 1 in ascending order of the values. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_segregation_sort(size_t count, const double *values, size_t *index);

#endif
