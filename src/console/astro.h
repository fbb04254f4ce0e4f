/* Results in the units of astronomers: Myr, pc, km/s, solar masses, and (km/s)^2 for energies of a solar mass. */
#ifndef HB_ASTRO_H
#define HB_ASTRO_H

#include "console/opts.h"

#include <holmberg/diagnostics.h>

/* --units: which units tables are in. */
enum hb_astro_units { HB_ASTRO_NBODY, HB_ASTRO_ASTRO };
extern const char *const hb_astro_names[]; /* "nbody", "astro", NULL */

/* The units of particles. Errors: HB_ERR_USAGE (they have none), HB_ERR_INPUT. */
enum hb_status hb_astro_find(const struct hb_particles *particles, struct hb_units *units);

/* hb_opts_convert by the units of particles; with those of the (last) snapshot in a file, which is read if that is needed, and opts stay
 * as typed. Errors:
 * HB_ERR_USAGE (they have none), those of hb_snapshot_read. */
enum hb_status hb_astro_convert(struct hb_opts *opts, const void *field, const struct hb_particles *particles,
                                int is_astro);
enum hb_status hb_astro_convert_by_file(const struct hb_opts *opts, const char *path, const char *format,
                                        int is_astro);

/* A unit of energy. */
double hb_astro_energy(const struct hb_units *units);

/* Conversions of N-body numbers in place. */
void hb_astro_diagnostics(const struct hb_units *units, struct hb_diagnostics *diagnostics);
void hb_astro_structure(const struct hb_units *units, struct hb_structure *structure);

#endif
