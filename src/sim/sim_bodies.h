/* Collisions and escapers of a simulation: whether it can have them, and their record in a checkpoint. */
#ifndef HB_SIM_BODIES_H
#define HB_SIM_BODIES_H

#include "core/sections.h"
#include "sim/sim.h"

/* What these params lack for groups, collisions and escapers alike; NULL: nothing. */
const char *hb_sim_lacks_for_companions(const struct hb_sim_params *params);

/* Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_check_bodies(const struct hb_sim_params *params);

/* Nothing without them. Errors of get: HB_ERR_INPUT. */
enum hb_status hb_sim_put_bodies(const struct hb_sim_params *params, struct hb_sections *sections);
enum hb_status hb_sim_get_bodies(const struct hb_sections *sections, struct hb_sim_params *params);

#endif
