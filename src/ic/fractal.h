/* Fractal substructure [Goodwin & Whitworth 2004, A&A 413, 929, section 2]: a cube has eight parts, each of which has parts
 * of its own with the probability 2^(D - 3), and so on. What moves a part moves all that comes of it, so that neighbors
 * have similar velocities. */
#ifndef HB_FRACTAL_H
#define HB_FRACTAL_H

#include "base/rng.h"
#include "base/status.h"

#include <stddef.h>

/* x[3 * n] in the unit ball and v[3 * n] of fractal dimension 1 < D <= 3, whose center is at the origin; only directions
 * and ratios of v have a meaning. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_fractal_draw(struct hb_rng *rng, double D, size_t n, double *x, double *v);

#endif
