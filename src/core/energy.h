/* What the energy of a system consists of: the cluster's own with binaries as points, that within binaries, and that of its
 * orbit. The first is what an error has to be compared with: the others may be a million times as large. */
#ifndef HB_ENERGY_H
#define HB_ENERGY_H

#include "core/binaries.h"
#include "core/field.h"
#include "core/particles.h"

#include <holmberg/diagnostics.h>

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
