/* A run of `holmberg run`, from its options to its last row. cmd_run.c has the options, run_choice.c settles those of
 * the integrator, run_open.c makes a run of them, run_loop.c integrates and writes. */
#ifndef HB_RUN_H
#define HB_RUN_H

#include "cli/opts.h"
#include "cli/run_output.h"

enum {
  RUN_OUTPUT,
  RUN_T_END,
  RUN_ETA,
  RUN_EPS,
  RUN_DT_MAX,
  RUN_DT_MIN,
  RUN_ROUNDING,
  RUN_INTEGRATOR,
  RUN_STEPS,
  RUN_DT,
  RUN_DAMPING,
  RUN_SCHEME,
  RUN_PRECISION,
  RUN_CONTEXT,
  RUN_DEVICE,
  RUN_TUNING,
  RUN_MATRIX_LIMIT,
  RUN_NO_TUNE,
  RUN_MAX_DRAW_MS,
  RUN_CG2007_RECT,
  RUN_GL_DEBUG,
  RUN_DIAG_EVERY,
  RUN_SNAP_EVERY,
  RUN_MAX_ENERGY_ERROR,
  RUN_FORMAT,
  RUN_INPUT_FORMAT,
  RUN_JSON,
  RUN_QUIET,
  RUN_COUNT
};

/* A run: what was asked for and how far it is. */
struct hb_run {
  struct hb_opts opts;                /* as given, then with what the snapshot says where nothing was given */
  const struct hb_opts_value *values; /* of opts */
  struct hb_particles *initial;       /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  double t, t_end;
  int warned;  /* of steps that collapse */
  double hair; /* a step that ends so little behind a time that was asked for ends at it */
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
};

/* Option k as on the command line, for messages. */
extern const struct hb_opts_option hb_run_options[RUN_COUNT];

/* The word for a rounding of steps, NULL behind the last. */
const char *hb_run_rounding(size_t k);

/* The word for a kind of steps, NULL behind the last. */
const char *hb_run_steps(size_t k);

/* Options that the integrator does not have. Errors: HB_ERR_USAGE. */
enum hb_status hb_run_check_integrator(const struct hb_opts_value *values);

/* Takes eps, and for the leapfrog dt and damping, from the notes of the snapshot where they were not given, and puts
 * what holds back into those notes, so that the next run takes it. Errors: HB_ERR_INPUT (a note that is no such
 * number), HB_ERR_USAGE (no dt anywhere). */
enum hb_status hb_run_take_notes(struct hb_run *run);

/* A note, once in a run, when the time steps collapse. */
void hb_run_watch_steps(struct hb_run *run);

/* From options to a simulation at its first instant: checks them, reads the snapshot, opens forces and integrator.
 * hb_run_close takes what is there, also after a failure. */
enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run);
void hb_run_close(struct hb_run *run);

/* To t_end, with rows and snapshots on the way, and the final state where -o asks for it. */
enum hb_status hb_run_integrate(struct hb_run *run);

#endif
