/* Energies, momenta and radii of a set of particles, in double. */
#ifndef HB_DIAGNOSTICS_H
#define HB_DIAGNOSTICS_H

#include "core/particles.h"

/* Neumaier's variant of Kahan's sum: the carry also survives a term larger than the sum. Begins as {0}; the sum is
 * sum + carry, exact to an ulp for any order that occurs here. */
struct hb_neumaier {
  double sum, carry;
};
void hb_neumaier_add(struct hb_neumaier *sum, double term);

/* That of count numbers. */
double hb_sum(size_t count, const double *terms);

/* sum m v^2 / 2. */
double hb_kinetic_energy(const struct hb_particles *particles);

/* The same in a frame that moves with V, the velocity of the center of mass: the square of a boost would swallow the digits
 * of the internal motion. e_bulk = M V^2 / 2 is what the given frame has in addition. */
void hb_kinetic_energy_in(const struct hb_particles *particles, const double V[3], double *e_kin,
                          double *e_bulk);

/* sum m phi / 2 for potentials phi[n]. */
double hb_potential_energy(const struct hb_particles *particles, const double *phi);

/* Mass-weighted mean position and velocity; zero without mass. */
void hb_center_of_mass(const struct hb_particles *particles, double x[3], double v[3]);

/* Puts the center of mass at rest at the origin. */
void hb_center_at_rest(struct hb_particles *particles);

/* sum m v, and sum m x x v about the origin. */
void hb_momentum(const struct hb_particles *particles, double momentum[3], double angular_momentum[3]);

/* The smallest radii about a center that enclose the fractions[count] (0 .. 1], ascending, of the mass. work[2 * n] is
 * scratch. */
void hb_lagrangian_radii(const struct hb_particles *particles, const double center[3], size_t count,
                         const double *fractions, double *work, double *radii);

/* Whether energies come from a sum of their own over all pairs, in double. */
int hb_energy_is_exact(enum hb_exact_energy wanted, size_t n);

#endif
