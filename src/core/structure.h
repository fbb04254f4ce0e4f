/* The structure of a star cluster: density center, core and Lagrangian radii, hard binaries, and the conserved quantities
 * other than energy. O(N log N), for a row of a table now and then. */
#ifndef HB_STRUCTURE_H
#define HB_STRUCTURE_H

#include "core/binaries.h"
#include "core/field.h"
#include "core/particles.h"

#include <holmberg/diagnostics.h>

/* The surroundings of each particle. The local density is the estimate of Casertano & Hut (1985, ApJ 298, 80, section
 * II) with j = 6, unbiased in a uniform Poisson field: the mass of the five nearest neighbors over the volume of the
 * sphere that reaches to the sixth, excluding the particle itself and the sixth. */
struct hb_surroundings {
  uint32_t *nearest; /* [n] nearest neighbor, UINT32_MAX for a lone particle      */
  double *rho;       /* [n] mass density; 0 without a sixth neighbor               */
};

/* Errors: HB_ERR_INTERNAL; hb_surroundings_clear, by itself with HB_OWN_SURROUNDINGS, is needed then, too. */
enum hb_status hb_surroundings_find(const struct hb_particles *particles,
                                    struct hb_surroundings *surroundings);
void hb_surroundings_clear(struct hb_surroundings *surroundings);
#define HB_OWN_SURROUNDINGS __attribute__((cleanup(hb_surroundings_clear)))

/* Density center sum rho x / sum rho and core radius sum rho |x - center| / sum rho (the "density radius" there).
 * Returns 0, and NaN for all four, if no particle's density is known or one is infinite. */
int hb_density_center(const struct hb_particles *particles, const double *rho, double center[3],
                      double *r_core);

/* All of struct hb_structure, with 41 bytes of scratch a particle. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_structure_of(const struct hb_particles *particles, double eps2,
                               struct hb_structure *structure);

/* ---- energies ---- */

/* What the energy of a system consists of: the cluster's own with binaries as points, that within binaries, and that of its
 * orbit. The first is what an error has to be compared with: the others may be a million times as large. */

/* Adds the energies of particles in a field to diagnostics that have the others. */
void hb_energy_add_field(const struct hb_particles *particles, const struct hb_field *field,
                         struct hb_diagnostics *diagnostics);

/* The hard binaries among particles that all have mass, and their sums; free *pairs in any case. e_pot is the potential energy
 * of all. O(N log N). Errors: HB_ERR_INTERNAL. */
enum hb_status hb_energy_find_binaries(const struct hb_particles *particles, double eps2, double e_pot,
                                       struct hb_binary **pairs, struct hb_binaries *binaries);

/* Fills in virial_ratio and what follows e_jacobi in diagnostics that have the rest, with these pairs' binaries. Particles are in
 * the given coordinates, and left with their center of mass at rest at the origin. field: NULL without one. e_rounded is
 * what e_pot has more than the sum over the positions in which the pairs were found, all of it within groups. work[n]. */
void hb_energy_split(struct hb_particles *particles, const struct hb_binary *pairs, double e_rounded,
                     const struct hb_field *field, double *work, struct hb_diagnostics *diagnostics);

#endif
