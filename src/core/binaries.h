/* Hard binaries: pairs with a binding energy above the kinetic energies around them, which encounters harden further
 * [Heggie 1975, MNRAS 173, 729]. In a system that is colder than in equilibrium half of the potential energies takes their
 * place, where those are known: neighbors at rest are not binaries. */
#ifndef HB_BINARIES_H
#define HB_BINARIES_H

#include "core/orbit.h"
#include "core/particles.h"

#include <holmberg/diagnostics.h>

struct hb_binary {
  struct hb_orbit orbit; /* -E is the binding energy */
  uint32_t i, j;
};

/* The orbit of two of them. */
struct hb_orbit hb_binaries_orbit(const struct hb_particles *particles, double eps2, uint32_t i, uint32_t j);

/* Of particles that all have mass. Candidates are they and their nearest neighbors, nearest[n] (UINT32_MAX: none). The binding energy of a
 * pair is E_b = m1 m2 / sqrt(r^2 + eps2) - mu v^2 / 2 with mu = m1 m2 / (m1 + m2); a particle belongs to the tightest
 * pair it is in. A bound pair is hard if E_b exceeds the mean kinetic energy of the stars about the center of mass of all, or
 * half of minus their mean potential energy (e_pot is that of all; NaN: not known) if that is larger; bound pairs count as
 * one star each: *hard_above. Leaves the pairs, the tightest first, the first *hard of which are hard; free *pairs in any case.
 * Errors: HB_ERR_INTERNAL. */
enum hb_status hb_binaries_list(const struct hb_particles *particles, double eps2, const uint32_t *nearest,
                                double e_pot, struct hb_binary **pairs, size_t *hard, double *hard_above);

/* The sums of these. */
struct hb_binaries hb_binaries_sum(const struct hb_binary *pairs, size_t hard, double hard_above);

#endif
