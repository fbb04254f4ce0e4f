/* The structure of a star cluster: density center, core and Lagrangian radii, hard binaries, and the conserved quantities
 * other than energy. O(N log N), for a row of a table now and then. */
#ifndef HB_STRUCTURE_H
#define HB_STRUCTURE_H

#include "core/particles.h"

#include <holmberg/diagnostics.h>

/* The surroundings of each particle. The local density is the estimate of Casertano & Hut (1985, ApJ 298, 80, section
 * II) with j = 6, unbiased in a uniform Poisson field: the mass of the five nearest neighbors over the volume of the
 * sphere that reaches to the sixth, excluding the particle itself and the sixth. */
struct hb_surroundings {
  uint32_t *nearest; /* [n] nearest neighbor, UINT32_MAX for a lone particle      */
  double *rho;       /* [n] mass density; 0 without a sixth neighbor               */
};

/* Errors: HB_ERR_INTERNAL; hb_surroundings_clear is needed then, too. */
enum hb_status hb_surroundings_find(const struct hb_particles *particles,
                                    struct hb_surroundings *surroundings);
void hb_surroundings_clear(struct hb_surroundings *surroundings);

/* Density center sum rho x / sum rho and core radius sum rho |x - center| / sum rho (the "density radius" there).
 * Returns 0, and NaN for all four, if no particle's density is known or one is infinite. */
int hb_density_center(const struct hb_particles *particles, const double *rho, double center[3],
                      double *r_core);

/* All of struct hb_structure, with 41 bytes of scratch a particle. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_structure_of(const struct hb_particles *particles, double eps2,
                               struct hb_structure *structure);

#endif
