/* What a snapshot holds, in numbers. */
#ifndef HB_CONTENTS_H
#define HB_CONTENTS_H

#include "base/hash.h"

#include <holmberg/diagnostics.h>

struct hb_contents {
  size_t n;
  double t;
  char state_hash[HB_HASH_TEXT]; /* of its particles */
  double m, m_least, m_most;     /* the total mass, and of a particle */
  double eps;
  struct hb_diagnostics energies; /* NaN but for e_kin, e_bulk and r_half without exact_energy */
  struct hb_structure structure;
};

/* The softening that the snapshot was made with: its note eps, or the option of the run that wrote it; NaN: not told. */
double hb_contents_eps(const struct hb_particles *particles);

/* exact_energy: N^2 work. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_contents_of(const struct hb_particles *particles, double eps,
                              enum hb_exact_energy exact_energy, struct hb_contents *contents);

#endif
