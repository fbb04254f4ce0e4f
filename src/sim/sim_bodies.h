/* Collisions and escapers of a simulation: whether it can have them. */
#ifndef HB_SIM_BODIES_H
#define HB_SIM_BODIES_H

#include "sim/sim.h"

/* What these params lack for groups, collisions and escapers alike; NULL: nothing. */
const char *hb_sim_lacks_for_companions(const struct hb_sim_params *params);

/* Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_check_bodies(const struct hb_sim_params *params);

#endif
