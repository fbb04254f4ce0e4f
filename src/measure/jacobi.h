/* The Jacobi radius of a cluster in its galaxy's tide, and what is within. */
#ifndef HB_JACOBI_H
#define HB_JACOBI_H

#include "core/particles.h"

/* r_J^3 = M(r_J) / tide in units where G = 1, about the center of mass of what is within: the largest such radius. The tide is
 * 4 Omega^2 - kappa^2 of a circular orbit of angular speed Omega and epicyclic frequency kappa [King 1962, AJ 67, 471]. Center and
 * radius are found in turn.
 *
 * *inside: a copy of the particles within r_J, in their order and with their notes. Errors: HB_ERR_INPUT (there are none),
 * HB_ERR_INTERNAL. */
enum hb_status hb_jacobi_inside(const struct hb_particles *particles, double tide, double *r_jacobi,
                                struct hb_particles **inside);

#endif
