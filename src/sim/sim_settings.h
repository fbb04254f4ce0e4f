/* The settings of a simulation, row by row: all that is known of the fields of struct hb_sim_params. A new one needs its field, its
 * row, and whoever acts on it. */
#ifndef HB_SIM_SETTINGS_H
#define HB_SIM_SETTINGS_H

#include "core/settings.h"

#include <holmberg/holmberg.h>

/* Tables of rows, for commands that have some of them; and all of them, then NULL. */
extern const struct hb_setting hb_sim_settings_accuracy[]; /* --eta --eps */
extern const struct hb_setting hb_sim_settings_block[]; /* --dt-max --dt-min --first-step --step-rounding */
extern const struct hb_setting
    hb_sim_settings_integrator[];                        /* --integrator, its options, and where it works */
extern const struct hb_setting hb_sim_settings_bodies[]; /* collisions, escapers */
extern const struct hb_setting hb_sim_settings_stars[];  /* --stars --kick --evolution */
extern const struct hb_setting hb_sim_settings_force[];  /* --scheme --precision --interaction --parameter */
extern const struct hb_setting hb_sim_settings_tuning[]; /* --tuning */
extern const struct hb_setting hb_sim_settings_draws[];  /* how pairs are drawn */
extern const struct hb_setting hb_sim_settings_energy[]; /* --exact-energy */
extern const struct hb_setting *const hb_sim_settings[];

#endif
