/* The members of struct hb_particles. */
#ifndef HB_PARTICLES_H
#define HB_PARTICLES_H

#include "base/status.h"
#include "core/columns.h"

#include <stddef.h>
#include <stdint.h>

struct hb_note {
  char *key, *value;
  size_t length, capacity; /* of value while it grows; capacity 0: as long as it is */
};

struct hb_particles {
  size_t n;
  double t;
  double *m;      /* [n]     */
  double *x;      /* [3 * n] */
  double *v;      /* [3 * n] */
  uint64_t *id;   /* [n]     */
  double *radius; /* [n] NULL: all 0 */
  struct hb_note *notes;
  size_t note_count;
};

/* As HB_OWN. */
#define HB_OWN_PARTICLES __attribute__((cleanup(hb_particles_destroy_own)))
static inline void hb_particles_destroy_own(struct hb_particles *const *own) { hb_particles_destroy(*own); }

/* m x v id radius. */
extern const struct hb_columns hb_particles_columns;

/* The latest time: at 2^50, steps of 1/8, the longest by default, begin to be lost to rounding. */
#define HB_PARTICLES_LATEST 1e15

/* HB_ERR_INPUT with particle, quantity and value unless all x and v are finite, all m and radii finite and >= 0, and |t| is small
 * enough for steps to be added. */
enum hb_status hb_particles_check(const struct hb_particles *particles);

/* Makes radius[n], all 0, unless there is one. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_particles_reserve_radius(struct hb_particles *particles);

/* Those of bodies; NULL if all are points, also where there is an array. */
const double *hb_particles_radii(const struct hb_particles *particles);

/* How many have mass: the others are test particles. */
size_t hb_particles_massive(const struct hb_particles *particles);

/* A copy of those that have mass, without notes: no mean, radius or energy is that of the others. NULL if all have, or none.
 * Errors: HB_ERR_INTERNAL. */
enum hb_status hb_particles_copy_massive(const struct hb_particles *from, struct hb_particles **massive);

/* A note of values, printed. Errors: as hb_particles_set_note. */
enum hb_status hb_particles_print_note(struct hb_particles *particles, const char *key, const char *format,
                                       ...) __attribute__((format(printf, 3, 4)));

/* Adds a line to a note, or begins it: in time that does not grow with the lines it has. Errors: as hb_particles_set_note. */
enum hb_status hb_particles_extend_note(struct hb_particles *particles, const char *key, const char *line,
                                        size_t length);

/* m x v id, radii if any, notes and time to sections, which share the arrays; and back. Errors: HB_ERR_INPUT (something is
 * missing or invalid), HB_ERR_INTERNAL. */
enum hb_status hb_particles_put(const struct hb_particles *particles, struct hb_sections *sections);
enum hb_status hb_particles_get(const struct hb_sections *sections, struct hb_particles **particles);

/* ---- by their identities, which files keep and whose order they may change ---- */

/* order[n]: the indices 0 ... n - 1 by ascending id[n], equal ones as they are. Returns the place in order of the first
 * identity that occurs again right behind it, n if there is none. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_identity_sort(size_t n, const uint64_t *id, uint32_t *order, size_t *twice);

/* ---- the softening that they mean, kept as their note eps; hb_particles_eps is in holmberg.h ---- */

/* Writes it, unless the note says as much. Errors: as hb_particles_set_note. */
enum hb_status hb_softening_note(struct hb_particles *particles, double eps);

#endif
