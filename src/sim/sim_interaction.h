/* A simulation whose particles obey another interaction than gravity: what it must give, and its record in a checkpoint. */
#ifndef HB_SIM_INTERACTION_H
#define HB_SIM_INTERACTION_H

#include "core/sections.h"
#include "sim/sim.h"

/* Whether integrator and diagnostics can do with what the interaction gives. Errors: HB_ERR_USAGE. */
enum hb_status hb_sim_check_interaction(const struct hb_sim *sim, const struct hb_sim_params *params);

/* Its name or file, parameters, and a hash of its code; nothing for gravity. */
enum hb_status hb_sim_put_interaction(const struct hb_sim *sim, struct hb_sections *sections);

/* The first two, into force: pointers into the sections. Errors: HB_ERR_INPUT. */
enum hb_status hb_sim_get_interaction(const struct hb_sections *sections, struct hb_force_params *force);

/* Whether the code is that of the checkpoint; older ones do not say. Errors: HB_ERR_INPUT. */
enum hb_status hb_sim_same_interaction(const struct hb_sections *sections, const struct hb_force *force);

#endif
