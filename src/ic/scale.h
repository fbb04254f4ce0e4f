/* Scaling of a system to given sums of energy; more in holmberg.h. */
#ifndef HB_SCALE_H
#define HB_SCALE_H

#include "core/particles.h"

/* The potential energy U without softening, N^2 pairs; progress, nullable, is told about after each part. Errors:
 * HB_ERR_INTERNAL. */
enum hb_status hb_scale_potential(const struct hb_particles *particles,
                                  void (*progress)(void *context, double done), void *context, double *e_pot);

/* Multiplies positions and radii, and velocities. */
void hb_scale_by(struct hb_particles *particles, double length, double velocity);

#endif
