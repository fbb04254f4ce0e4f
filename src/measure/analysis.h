/* What a snapshot holds, in numbers, and the structure of the star cluster in it: its core, its mass classes, its profiles, and what in it is bound. */
#ifndef HB_ANALYSIS_H
#define HB_ANALYSIS_H

#include "base/hash.h"
#include "base/json.h"
#include "core/binaries.h"

#include <holmberg/diagnostics.h>

struct hb_contents {
  size_t n;
  double t;
  char state_hash[HB_HASH_TEXT]; /* of its particles */
  double m, m_least, m_most;     /* the total mass, and of a particle */
  double eps;
  struct hb_diagnostics energies; /* without exact_energy what depends on e_pot is NaN */
  int has_field;
  struct hb_structure structure;
};

/* The forces from outside in the run that wrote it, as words; NULL: none, or none that can be read. */
enum { HB_CONTENTS_FIELD = 1024 };
const char *hb_contents_field(const struct hb_particles *particles, char words[HB_CONTENTS_FIELD]);

/* field: the words of forces from outside, or NULL. exact_energy: N^2 work. Errors: HB_ERR_USAGE (field), HB_ERR_INTERNAL. */
enum hb_status hb_contents_of(const struct hb_particles *particles, double eps, const char *field,
                              enum hb_exact_energy exact_energy, struct hb_contents *contents);

enum { HB_ANALYSIS_CLASSES = 8, HB_ANALYSIS_SHELLS = 64 };

/* Moments of velocities about that of the center of mass, weighted by mass; what orbits each other moves as one. */
struct hb_motion {
  double sigma;            /* of one component: sqrt(<v^2> / 3) */
  double sigma_r, sigma_t; /* radial, and of one tangential component: sqrt(<v_t^2> / 2) */
  double beta;             /* anisotropy 1 - sigma_t^2 / sigma_r^2: 0 isotropic, 1 radial orbits */
};

/* Particles of masses from least up to below most. */
struct hb_mass_class {
  double least, most;
  size_t n;
  double m;
  double r_lagrange[HB_LAGRANGE_COUNT]; /* of their own mass, about the center; NaN without any */
};

/* A spherical shell of as many systems as others have. */
struct hb_shell {
  double r_in, r_out, r; /* r: the median */
  size_t n;
  double m, rho; /* m / volume */
  struct hb_motion motion;
};

/* Centers are those of struct hb_structure's Lagrangian radii. Systems are single particles, and centers of mass of what is
 * bound. Test particles do not count. */
struct hb_analysis {
  double rho_core; /* sum rho^2 / sum rho of the local densities rho [Casertano & Hut 1985] */
  double m_core;   /* within r_core */
  size_t n_core;   /* particles there */
  struct hb_motion core, half,
      all; /* within r_core, within the half-mass radius about the center, everywhere */
  size_t classes, shells;
  struct hb_mass_class class[HB_ANALYSIS_CLASSES]; /* the lightest first */
  double segregation; /* half-mass radius of the lightest class over that of the heaviest; NaN of one class */
  struct hb_shell shell[HB_ANALYSIS_SHELLS];
  struct hb_hierarchy bound;
};

/* Masses between classes, limits[count < HB_ANALYSIS_CLASSES] ascending; count 0: the mean mass, or one class if all masses are
 * equal. shells: at most; fewer if there would be fewer than 10 systems in each. contents are those of the particles. Errors:
 * HB_ERR_INTERNAL; hb_analysis_clear is needed in any case. */
enum hb_status hb_analysis_of(const struct hb_particles *particles, const struct hb_contents *contents,
                              size_t count, const double *limits, size_t shells,
                              struct hb_analysis *analysis);

void hb_analysis_clear(struct hb_analysis *analysis);

/* Prints it, as text, and as members of the open JSON object; particles are those that were analyzed. Checking for errors of
 * writing is left to the caller. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_analysis_print(const struct hb_analysis *analysis, const struct hb_particles *particles,
                                 FILE *out);
enum hb_status hb_analysis_members(const struct hb_analysis *analysis, const struct hb_particles *particles,
                                   struct hb_json *json);

/* To other units, in place. */
void hb_analysis_to(const struct hb_units *units, struct hb_analysis *analysis);

/* Writes a figure of the density profile, beside that of a Plummer model of the same mass and half-mass radius. is_astro: 1 in
 * pc and solar masses. Errors: as hb_plot_write. */
enum hb_status hb_analysis_plot(const struct hb_analysis *analysis, double r_half, const char *title,
                                int is_astro, const char *path);

/* ---- the Jacobi radius of a cluster in its galaxy's tide, and what is within ---- */

/* r_J^3 = M(r_J) / tide in units where G = 1, about the center of mass of what is within: the largest such radius. The tide is
 * 4 Omega^2 - kappa^2 of a circular orbit of angular speed Omega and epicyclic frequency kappa [King 1962, AJ 67, 471]. Center and
 * radius are found in turn.
 *
 * *inside: a copy of the particles within r_J, in their order and with their notes. Errors: HB_ERR_INPUT (there are none),
 * HB_ERR_INTERNAL. */
enum hb_status hb_jacobi_inside(const struct hb_particles *particles, double tide, double *r_jacobi,
                                struct hb_particles **inside);

#endif
