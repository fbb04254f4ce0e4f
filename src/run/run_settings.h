/* The settings of a run: the struct that the options of `holmberg run` fill, and their rows; the viewer shares those that
 * make a simulation. */
#ifndef HB_RUN_SETTINGS_H
#define HB_RUN_SETTINGS_H

#include "console/astro.h"
#include "console/opts.h"

#include <holmberg/holmberg.h>

/* NULL and 0 where nothing was given, unless a row has a default. */
struct hb_run_settings {
  struct hb_sim_params sim; /* its force.tuning without the limit below */
  uint64_t matrix_limit;
  double t_end;
  const char *output, *format, *input_format;
  const char *diag, *events;
  const char *follow, *follow_out; /* see rows_path */
  double diag_every, snap_every;   /* 0: dt_max; no series */
  double max_energy_error;
  const char *checkpoint, *resume;
  double checkpoint_every_s, max_s; /* wall time; max_s 0: no limit */
  enum hb_astro_units units;        /* of rows */
  int watch;                        /* the port of --watch; 0: any that is free */
  int json, quiet;
};

/* Rows of struct hb_run_settings, around those of sim/sim_settings.h. */
extern const struct hb_setting hb_run_limit_options[]; /* --matrix-limit            */
extern const struct hb_setting hb_run_input_options[]; /* --input-format            */

/* In the functions below, settings are opts->settings or a part of them. */

/* Whether the integrator has a given step, --dt. */
int hb_run_has_dt(const struct hb_run_settings *settings);

/* Refuses options that the integrator does not have. Errors: HB_ERR_USAGE. */
enum hb_status hb_run_check_integrator(const struct hb_opts *opts, const struct hb_run_settings *settings);

/* Takes eps, and for an integrator that has them dt and damping, from the snapshot's notes unless they were given; what is taken becomes the
 * notes, for the next run. eps, and if they are not given dt_min, the first step and neighbors, are those of the sim that the run has;
 * NULL: not yet. Errors: HB_ERR_INPUT (a note that is not such a number), HB_ERR_USAGE (no dt anywhere). */
enum hb_status hb_run_take_notes(const struct hb_opts *opts, struct hb_run_settings *settings,
                                 const struct hb_sim *sim, struct hb_particles *particles);

/* The simulation's params, completed by the environment and the settings beside them. The caller frees tuning, empty
 * before, after the last use of params. */
enum hb_status hb_run_params(const struct hb_run_settings *settings, struct hb_text *tuning,
                             struct hb_sim_params *params);

#endif
