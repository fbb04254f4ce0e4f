/* The particles of <holmberg/holmberg.h>, seen from inside. */
#ifndef HB_PARTICLES_H
#define HB_PARTICLES_H

#include "base/status.h"

struct hb_note {
  char *key, *value;
};

struct hb_particles {
  size_t n;
  double t;
  double *m;    /* [n]     */
  double *x;    /* [3 * n] */
  double *v;    /* [3 * n] */
  uint64_t *id; /* [n]     */
  struct hb_note *notes;
  size_t note_count;
};

/* HB_ERR_INPUT with particle, quantity and value unless all x and v are finite and all m finite and >= 0. */
enum hb_status hb_particles_check(const struct hb_particles *particles);

#endif
