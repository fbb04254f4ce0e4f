/* A disc galaxy: an exponential disc of stars in a bulge and a halo, all of them particles. */
#ifndef HB_GALAXY_H
#define HB_GALAXY_H

#include <stddef.h>

/* Masses in units of the disc's, lengths in its scale length h. Sigma(R) = exp(-R) / 2 pi, and sech^2 (z / z0) across; the
 * bulge and the halo have mass M r^2 / (r + a)^2 within r (Hernquist 1990), the halo out to its edge. */
static const double hb_galaxy_z0 = 0.25, hb_galaxy_q = 1.5, hb_galaxy_eps = 0.1;

/* Of n particles: so many are of the disc, the next ones of the bulge, the last of the halo. */
size_t hb_galaxy_disc(size_t n);
size_t hb_galaxy_bulge(size_t n);

double hb_galaxy_mass(void); /* of all parts */

/* At a distance R in the plane: the square of the speed of a circular orbit, that of the epicyclic frequency, and the
 * dispersion of radial velocities. */
double hb_galaxy_circular2(double R);
double hb_galaxy_epicyclic2(double R);
double hb_galaxy_dispersion(double R);

#endif
