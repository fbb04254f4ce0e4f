/* The masses of the stars of a cluster. */
#ifndef HB_MASSES_H
#define HB_MASSES_H

#include "base/rng.h"
#include "base/status.h"

#include <holmberg/holmberg.h>

/* A mass function that is piecewise a power law, dN / dm ~ m^-slope from `from` on, and continuous. */
struct hb_masses_piece {
  double from, slope;
};
enum { HB_MASSES_PIECES = 3 };

/* The pieces of "salpeter" (Salpeter 1955, ApJ 121, 161) and "kroupa" (Kroupa 2001, MNRAS 322, 231, eq. 2), in solar masses;
 * NULL: not one of them. A slope of 0 ends them. */
const struct hb_masses_piece *hb_masses_function(const char *name);

/* The kind of cluster->masses, checked, with defaults put in place of zeros; *n becomes the number of masses in a file.
 * Errors: HB_ERR_USAGE, HB_ERR_IO, HB_ERR_INPUT (file, line, word). */
enum hb_status hb_masses_check(struct hb_ic_cluster *cluster, size_t *n);

/* Whether they are in solar masses; else only their ratios have a meaning. */
int hb_masses_are_solar(const struct hb_ic_cluster *cluster);

/* m[n]. Errors: as above, HB_ERR_INTERNAL. */
enum hb_status hb_masses_draw(const struct hb_ic_cluster *cluster, struct hb_rng *rng, size_t n, double *m);

#endif
