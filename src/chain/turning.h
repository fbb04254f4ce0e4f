/* Chains in coordinates that turn about z. Coriolis' force depends on the velocity, and a leapfrog of kicks and drifts cannot have
 * it. Therefore a chain is advanced in axes at rest, which coincide with the turning ones at its start; these functions lead from
 * one to the other. */
#ifndef HB_TURNING_H
#define HB_TURNING_H

#include "chain/chain.h"

/* Rotates the vectors q[n] about z by an angle, with the same bits on all machines. */
void hb_turning_rotate(size_t n, double angle, double q[][3]);

/* Changes V and B to those in axes that turn about z with the angular speed W relative to the present ones. */
void hb_turning_transform(struct hb_chain *c, double W);

#endif
