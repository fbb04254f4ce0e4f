/* Stars that age in a simulation, by the fit of core/star.h or a table (io/evolution.h). What a star is depends on its identity, its mass at
 * birth and the time, never on what came before: so a resumed simulation goes on as if it had not stopped. */
#ifndef HB_SIM_STARS_H
#define HB_SIM_STARS_H

#include "core/particles.h"
#include "core/sections.h"

#include <holmberg/holmberg.h>

struct hb_sim_stars;

/* Whether the params can be. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_stars_check(const struct hb_sim_params *params);

/* Takes masses at birth from the note `stars`, or, where there is none, makes it of the masses. Without sections, of a checkpoint, the
 * stars are new, and radii become theirs. *stars is NULL where they do not age; the
 * table of params is then a copy of its own. Errors: HB_ERR_USAGE (no units), HB_ERR_INPUT (masses, note, table), HB_ERR_IO. */
enum hb_status hb_sim_stars_open(struct hb_sim_params *params, const struct hb_sections *sections,
                                 struct hb_particles *particles, struct hb_sim_stars **stars);
void hb_sim_stars_close(struct hb_sim_stars *stars);

/* To sections, if there are any. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_sim_stars_put(const struct hb_sim_stars *stars, struct hb_sections *sections);

/* When the next life ends, or a table's mass jumps; INFINITY: none does. stars may be NULL. */
double hb_sim_stars_next_end(const struct hb_sim_stars *stars);

/* Whether something may become of them at time t, the end of a block step or of a wait: of stars whose lives have ended in it, and at
 * multiples of dt_max of all. stars may be NULL. */
int hb_sim_stars_are_due(const struct hb_sim_stars *stars, double t);

/* What becomes of these particles by p->t; *change is valid until the next call. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_sim_stars_change(struct hb_sim_stars *stars, struct hb_particles *p,
                                   struct hb_change *change);

/* That has been done. */
void hb_sim_stars_aged(struct hb_sim_stars *stars, double t);

/* As hb_sim_stars. */
enum hb_status hb_sim_stars_tell(struct hb_sim_stars *stars, size_t *count, const struct hb_sim_star **told);

#endif
