/* The softening that particles mean, kept as their note eps; hb_particles_eps is in holmberg.h. */
#ifndef HB_SOFTENING_H
#define HB_SOFTENING_H

#include "core/particles.h"

/* Writes it, unless the note says as much. Errors: as hb_particles_set_note. */
enum hb_status hb_softening_note(struct hb_particles *particles, double eps);

#endif
