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

#endif
