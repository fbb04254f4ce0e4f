/* Parts of the models of initial conditions: a star cluster's, which are the stars of a spherical model with masses, substructure,
 * binaries and so on; and a disc galaxy's. */
#ifndef HB_IC_H
#define HB_IC_H

#include "base/rng.h"
#include "core/particles.h"

/* The kind of cluster->masses, checked, with defaults put in place of zeros; *n becomes the number of masses in a file.
 * Errors: HB_ERR_USAGE, HB_ERR_IO, HB_ERR_INPUT (file, line, word). */
enum hb_status hb_cluster_check_masses(struct hb_ic_cluster *cluster, size_t *n);

/* m[n]. Errors: as above, HB_ERR_INTERNAL. */
enum hb_status hb_cluster_draw_masses(const struct hb_ic_cluster *cluster, struct hb_rng *rng, size_t n,
                                      double *m);

/* Of n stars so many pairs make the share of the systems. */
size_t hb_cluster_pairs(double share, size_t n);

/* Semi-major axis and eccentricity of a binary of masses m[2], the primary's first, all in units with G = 1. cluster is
 * checked: a_min < a_max are given, and cluster->units where orbits needs them. With kroupa1995 m[1] may grow. *redrawn is
 * counted up if the first draw did not fit. Errors: HB_ERR_USAGE (hardly an orbit fits). */
enum hb_status hb_cluster_orbit(struct hb_rng *rng, const struct hb_ic_cluster *cluster, double m[2],
                                double *a, double *e, size_t *redrawn);

/* Fractal substructure [Goodwin & Whitworth 2004, A&A 413, 929, section 2]: a cube has eight parts, each of which has parts
 * of its own with the probability 2^(D - 3), and so on. What moves a part moves all that comes of it, so that neighbors
 * have similar velocities. x[3 * n] in the unit ball and v[3 * n] of fractal dimension 1 < D <= 3, whose center is at the
 * origin; only directions and ratios of v have a meaning. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_cluster_fractal(struct hb_rng *rng, double D, size_t n, double *x, double *v);

/* Primordial mass segregation: heavy stars on orbits of low energy, without a change of the density profile of mass. Which of
 * the count >= n orbits X[3 * count], V[3 * count] of a sphere with G = M = 1 star i of mass m[i] gets, in orbit[i]; none
 * twice. degree 0: at random, to 1: in the order of mass.
 *
 * Stars take places in the order of energy as in McLuster [Kuepper et al. 2011, MNRAS 417, 2300]: the k-th heaviest of n takes
 * number (1 - u^(1 - degree)) (n - k) of those left, u uniform. The place is then not a number of stars but a share of the
 * mass [Baumgardt, De Marchi & Kroupa 2008, ApJ 685, 247]: the orbit is the one that as large a part of the orbits has less
 * energy than, as of the mass is in the places before. So the mass is distributed as in the model. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_cluster_segregate(struct hb_rng *rng, double degree, size_t n, const double *m,
                                    size_t count, const double *X, const double *V, size_t *orbit);

/* index[count]: 0 ... count - 1 in ascending order of the values. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_cluster_sort(size_t count, const double *values, size_t *index);

/* Rotation of a sphere without a change of its density or its energy: stars are turned around on their orbits [Lynden-Bell
 * 1960, MNRAS 120, 204]. Of those that move clockwise about the z axis, this share, chosen at random, moves counter-clockwise
 * afterwards; below 0 the other way around. */
void hb_cluster_turn(struct hb_rng *rng, double share, size_t n, const double *x, double *v);

/* ---- a disc galaxy: an exponential disc of stars in a bulge and a halo, all of them particles ---- */

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
