/* The members of struct hb_particles. */
#ifndef HB_PARTICLES_H
#define HB_PARTICLES_H

#include "base/status.h"
#include "core/sections.h"

struct hb_note {
  char *key, *value;
  size_t length, capacity; /* of value while it grows; capacity 0: as long as it is */
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

/* The latest time: at 2^50, steps of 1/8, the longest by default, begin to be lost to rounding. */
#define HB_PARTICLES_LATEST 1e15

/* HB_ERR_INPUT with particle, quantity and value unless all x and v are finite, all m finite and >= 0, and |t| is small
 * enough for steps to be added. */
enum hb_status hb_particles_check(const struct hb_particles *particles);

/* Adds a line to a note, or begins it: in time that does not grow with the lines it has. Errors: as hb_particles_set_note. */
enum hb_status hb_particles_extend_note(struct hb_particles *particles, const char *key, const char *line,
                                        size_t length);

/* m x v id, notes and time to sections, which share the arrays m x v id; and back. Errors: HB_ERR_INPUT (something is
 * missing or invalid), HB_ERR_INTERNAL. */
enum hb_status hb_particles_put(const struct hb_particles *particles, struct hb_sections *sections);
enum hb_status hb_particles_get(const struct hb_sections *sections, struct hb_particles **particles);

#endif
