/* What one wants to know of a state: energies, virial ratio, radii. All in double. */
#ifndef HB_DIAGNOSTICS_H
#define HB_DIAGNOSTICS_H

#include "core/particles.h"

/* Compensated (Neumaier) sum of count numbers: exact to an ulp of the sum for any order met here. */
double hb_sum(size_t count, const double *terms);

/* sum m v^2 / 2. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_kinetic_energy(const struct hb_particles *particles, double *e_kin);

/* The same in the frame of velocity V, that of the center of mass: the square of a boost would swallow the digits of the
 * internal motion. e_bulk = M V^2 / 2 is what the given frame has in addition. */
void hb_kinetic_energy_in(const struct hb_particles *particles, const double V[3], double *e_kin,
                          double *e_bulk);

/* sum m phi / 2 for given potentials, and the same with potentials of its own: N^2 pairs. */
enum hb_status hb_potential_energy_of(const struct hb_particles *particles, const double *phi, double *e_pot);
enum hb_status hb_potential_energy(const struct hb_particles *particles, double eps2, double *e_pot);

/* Mass-weighted mean position and velocity. Without mass: zero. */
void hb_center_of_mass(const struct hb_particles *particles, double x[3], double v[3]);

/* Moves it to rest at the origin. */
void hb_center_at_rest(struct hb_particles *particles);

/* sum m v, and sum m x x v about the origin. */
void hb_momentum(const struct hb_particles *particles, double momentum[3], double angular_momentum[3]);

/* The smallest radii about a center within which the fractions[count] (0 .. 1], ascending, of the mass lie. work[2 * n]
 * is scratch. */
void hb_lagrangian_radii(const struct hb_particles *particles, const double center[3], size_t count,
                         const double *fractions, double *work, double *radii);

#endif
