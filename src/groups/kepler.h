/* A bound pair that others hardly disturb: Kepler's orbit, at any time in one step, and the pulls of others as kicks in
 * between.
 *
 * The kicks are at the nodes of Gauss and Legendre's quadrature, so that the error of a step h is of order
 * e h^2k + e^2 h^2, with k kicks of relative strength e (McLachlan 1995, BIT 35 258; Laskar & Robutel 2001, CeMDA 80 39:
 * SABA_k). Steps are parts of an orbit in the eccentric anomaly. Between them the orbit is Gauss's f and g in differences
 * of the eccentric anomaly (Danby 1988, 6.8), which lose no digits at a pericenter. */
#ifndef HB_KEPLER_H
#define HB_KEPLER_H

#include "groups/chain.h"

/* Whether this is such a pair: n = 2, bound, and tides below 1 / 100 of what holds it together. tide is nullable. */
int hb_kepler_suits(const struct hb_chain *chain, const struct hb_chain_tide *tide);

/* As hb_chain_advance, of a chain that suits. ds and rows stay. */
enum hb_status hb_kepler_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                 uint64_t *forces);

/* X of a bound pair at `count` places of its orbit, equally far apart in the eccentric anomaly, and the parts of the time that
 * belong to them: sums over these are means over the orbit, of products of up to count - 2 components of X. */
void hb_kepler_places(const struct hb_chain *chain, size_t count, double X[][3], double *part);

#endif
