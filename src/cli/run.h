/* A run of `holmberg run`, from its options to its last row. cmd_run.c has the options, run_open.c makes a run of them,
 * run_loop.c integrates and writes. */
#ifndef HB_RUN_H
#define HB_RUN_H

#include "cli/opts.h"
#include "cli/run_diag.h"
#include "cli/run_output.h"

enum {
  RUN_OUTPUT,
  RUN_T_END,
  RUN_ETA,
  RUN_EPS,
  RUN_DT_MAX,
  RUN_DT_MIN,
  RUN_ROUNDING,
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
  RUN_DIAG,
  RUN_DIAG_EVERY,
  RUN_EXACT_ENERGY,
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
  const struct hb_opts_value *values;
  struct hb_particles *initial; /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  struct hb_run_diag diag;
  double t, t_end;
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
};

/* Option k as on the command line, for messages. */
extern const struct hb_opts_option hb_run_options[RUN_COUNT];

/* The word for a rounding of steps, NULL behind the last. */
const char *hb_run_rounding(size_t k);

/* The word for a choice of exact energies, NULL behind the last. */
const char *hb_run_exact_energy(size_t k);

/* From options to a simulation at its first instant: checks them, reads the snapshot, opens forces and integrator.
 * hb_run_close takes what is there, also after a failure. */
enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run);
void hb_run_close(struct hb_run *run);

/* To t_end, with rows and snapshots on the way, and the final state where -o asks for it. */
enum hb_status hb_run_integrate(struct hb_run *run);

#endif
