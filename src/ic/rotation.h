/* Rotation of a sphere without a change of its density or its energy: stars are turned around on their orbits [Lynden-Bell
 * 1960, MNRAS 120, 204]. */
#ifndef HB_ROTATION_H
#define HB_ROTATION_H

#include "base/rng.h"

#include <stddef.h>

/* Of the stars that move clockwise about the z axis, this share, chosen at random, moves counter-clockwise afterwards; below 0
 * the other way around. */
void hb_rotation_turn(struct hb_rng *rng, double share, size_t n, const double *x, double *v);

#endif
