/* Stars that age in a simulation, by the fit of core/star.h or a table (io/evolution.h). What a star is depends on its identity, its mass at
 * birth and the time, never on what came before: so a resumed simulation goes on as if it had not stopped. */
#ifndef HB_SIM_STARS_H
#define HB_SIM_STARS_H

#include "sim/sim.h"

/* Whether the params can be. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_stars_check(const struct hb_sim_params *params);

/* Takes masses at birth from the note `stars`, or, where there is none, makes it of the masses. Without sections, of a checkpoint, the
 * stars are new, and radii become theirs. *stars is NULL where they do not age. Errors: HB_ERR_USAGE (no units), HB_ERR_INPUT (masses, note, table), HB_ERR_IO. */
enum hb_status hb_sim_stars_open(const struct hb_sim_params *params, const struct hb_sections *sections,
                                 struct hb_particles *particles, struct hb_sim_stars **stars);
void hb_sim_stars_close(struct hb_sim_stars *stars);

/* To sections, if there are any. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_sim_stars_put(const struct hb_sim_stars *stars, struct hb_sections *sections);

/* After a block step: stars whose lives have ended in it, and at multiples of dt_max all, become what they are by then. The end of a block
 * step is where all others know their places; a time between two of them would be one for a single star. stars may be NULL. Errors: as
 * hb_sim_change. */
enum hb_status hb_sim_stars_age(struct hb_sim_stars *stars, struct hb_sim *sim);

/* Its own copy; NULL: none. */
const char *hb_sim_stars_table(const struct hb_sim_stars *stars);

#endif
