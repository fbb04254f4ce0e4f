/* A run of `holmberg run`, from its options to its last row. cmd_run.c has the options, run_choice.c settles those of
 * the integrator, run_open.c makes a run of them, run_loop.c integrates and writes, run_watch.c judges; run_checkpoint.c
 * keeps what it goes on from, run_resume.c goes on, run_targets.c guards the files that it writes to. */
#ifndef HB_RUN_H
#define HB_RUN_H

#include "run/appended.h"
#include "run/lock.h"
#include "console/opts.h"
#include "run/run_diag.h"
#include "run/run_output.h"

enum {
  RUN_OUTPUT,
  RUN_T_END,
  RUN_ETA,
  RUN_EPS,
  RUN_DT_MAX,
  RUN_DT_MIN,
  RUN_ROUNDING,
  RUN_TRANSFER,
  RUN_PREDICT,
  RUN_CORRECT,
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
  RUN_DIAG,
  RUN_DIAG_EVERY,
  RUN_EXACT_ENERGY,
  RUN_SNAP_EVERY,
  RUN_MAX_ENERGY_ERROR,
  RUN_CHECKPOINT,
  RUN_CHECKPOINT_EVERY,
  RUN_RESUME,
  RUN_MAX_HOURS,
  RUN_FORMAT,
  RUN_INPUT_FORMAT,
  RUN_JSON,
  RUN_QUIET,
  RUN_COUNT
};

/* Outputs that grow row by row; others are replaced whole. */
enum { RUN_STDOUT, RUN_DIAG_ROWS, RUN_APPENDED_COUNT };

/* What two runs must not write at the same time. */
enum hb_run_lock { RUN_LOCK_CHECKPOINT, RUN_LOCK_OUTPUT, RUN_LOCK_DIAG, RUN_LOCK_COUNT };

/* Notes that are printed once in a run. */
enum { RUN_TOLD_COLLAPSE = 1, RUN_TOLD_CUT = 2, RUN_TOLD_ENERGY = 4 };

/* Where and when a run keeps what it goes on from. */
struct hb_run_checkpoint {
  struct hb_text path; /* none: path.text is NULL                                 */
  unsigned flags;      /* of the next hb_sim_save: keep what is there once it is ours */
  double every_s;      /* wall time                                               */
  double written;      /* when the last was                                       */
  double began;        /* when this process took up the run                       */
};

/* What only a resumed run has: the record that its checkpoint kept, and the options it holds. */
struct hb_run_resumed {
  struct hb_text record; /* none: record.text is NULL; opts points into it         */
  const char *operands[RUN_COUNT + 2];
  struct hb_text device;        /* note of the header where another device goes on; else none */
  struct hb_opts then;          /* options of the checkpoint's run, before those given beside --resume */
  int differs;                  /* in what the headers of its snapshots say                   */
  int names_output, names_diag; /* -o, --diag are among those                         */
  int same_diag;                /* --diag is the name that the checkpoint has          */
};

/* How fast a run without a progress bar is, to announce how long it will take. */
struct hb_run_pace {
  double began, t_begin; /* 0: not yet */
  int is_told;
};

/* A run: what was asked for and how far it is. */
struct hb_run {
  struct hb_opts opts;                /* as given, then with what the snapshot says where nothing was given */
  const struct hb_opts_value *values; /* of opts */
  struct hb_particles *initial;       /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  struct hb_run_diag diag;
  double t, t_end;
  unsigned told;       /* RUN_TOLD_...: the notes that have been printed */
  double energy_error; /* of the last row, see run_watch.c */
  struct hb_run_pace pace;
  double time_tolerance; /* a step that ends so little behind a time that was asked for ends at it */
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
  struct hb_appended appended[RUN_APPENDED_COUNT];
  struct hb_appended found; /* what was at -o when it was named */
  struct hb_lock locks[RUN_LOCK_COUNT];
  struct hb_run_checkpoint checkpoint;
  struct hb_run_resumed resumed;
};

/* Option k as on the command line, for messages. */
extern const struct hb_opts_option hb_run_options[RUN_COUNT];
extern const struct hb_opts_command hb_cmd_run;

/* The word for a rounding of steps, NULL behind the last. */
const char *hb_run_rounding(size_t k);

/* Checks of an option's value that need no input: -o and what belongs to it. */
enum hb_status hb_run_check_output(const struct hb_opts_value *values);

/* Fills what follows from the options and the time that the run begins at. */
void hb_run_set_up(struct hb_run *run, double t_begin);

/* Announces how long the run takes, where that is long: before the first step, and once its pace is known. */
void hb_run_announce(const struct hb_run *run);
void hb_run_watch_pace(struct hb_run *run);

/* The word for a choice of exact energies, NULL behind the last. */
const char *hb_run_exact_energy(size_t k);

/* The word for a kind of steps, NULL behind the last. */
const char *hb_run_steps(size_t k);

/* Options that the integrator does not have. Errors: HB_ERR_USAGE. */
enum hb_status hb_run_check_integrator(const struct hb_opts_value *values);

/* Takes eps, and for the leapfrog dt and damping, from the notes of the snapshot where they were not given, and puts
 * what holds back into those notes, so that the next run takes it. Errors: HB_ERR_INPUT (a note that is no such
 * number), HB_ERR_USAGE (no dt anywhere). */
enum hb_status hb_run_take_notes(struct hb_run *run, struct hb_particles *particles);

/* What the options say of a simulation. tuning, empty before, is the caller's to free, after the last use of params. */
enum hb_status hb_run_params(const struct hb_opts_value *values, struct hb_text *tuning,
                             struct hb_sim_params *params);

/* From options to a simulation at its first instant: checks them, reads the snapshot, opens forces and integrator.
 * hb_run_close takes what is there, also after a failure. */
enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run);
void hb_run_close(struct hb_run *run);

/* To t_end, with rows and snapshots on the way, and the final state where -o asks for it. */
enum hb_status hb_run_integrate(struct hb_run *run);

/* Whether intervals are not below dt-min, and few enough of them from t = 0 on for a double to count. Errors:
 * HB_ERR_USAGE; HB_ERR_INPUT when the run begins too late. */
enum hb_status hb_run_check_times(const struct hb_run *run);

/* ---- run_targets.c ---- */

/* Path, nullable, for this run alone, until hb_run_close; a resumed one removes what killed ones have left there. Errors:
 * HB_ERR_IO. */
enum hb_status hb_run_lock(struct hb_run *run, enum hb_run_lock which, const char *path);

/* Takes a mark of what is at -o, which the user has named. */
void hb_run_remember_output(struct hb_run *run);

/* Whether path is free or the run's own; a run that was not resumed may replace what its user names. Errors: HB_ERR_IO. */
enum hb_status hb_run_may_replace(struct hb_run *run, const char *path);

/* For a resumed run: the same of what it will write, before it runs; then its rows, back to the checkpoint's. */
enum hb_status hb_run_check_targets(struct hb_run *run);
enum hb_status hb_run_take_up_rows(struct hb_run *run);

/* ---- run_watch.c ---- */

/* A note, once in a run each, when the time steps collapse, and when dt_min cuts one. */
void hb_run_watch_steps(struct hb_run *run);

/* |E - E0| by |E0|; where the bound is not the user's, or E0 is 0, by the kinetic energy at the start if that is larger. */
double hb_run_energy_error(const struct hb_run *run, const struct hb_diagnostics *now);

/* Whether run->energy_error is beyond the bound. */
int hb_run_energy_is_lost(const struct hb_run *run);

/* A note, once, when the energy error is large. Errors: HB_ERR_NUMERIC when it is beyond the bound. */
enum hb_status hb_run_judge_energy(struct hb_run *run);

/* When all is written. Errors: HB_ERR_NUMERIC when the last row's energy error is too large to pass over in silence. */
enum hb_status hb_run_judge_end(const struct hb_run *run);

/* ---- run_checkpoint.c ---- */

/* Checks the options of checkpoints and takes them up. Errors: HB_ERR_USAGE, also when a checkpoint is there already,
 * which the run would lose; HB_ERR_IO. */
enum hb_status hb_run_checkpoint_open(struct hb_run *run);

/* Everything so far onto the disk, then the checkpoint that counts on it. Nothing to do without --checkpoint. */
enum hb_status hb_run_checkpoint_write(struct hb_run *run);

/* After a block step: a checkpoint when it is time or asked for; HB_ERR_STOPPED when the run is to end. */
enum hb_status hb_run_checkpoint_poll(struct hb_run *run);

/* ---- run_record.c: what of struct hb_run a checkpoint keeps, as strings ---- */

enum hb_status hb_run_record_write(const struct hb_run *run, struct hb_text *record);

/* The options of the record, then what else it holds, which must be what a run can have; record.text is the run's and
 * stays. Errors: HB_ERR_INPUT. */
enum hb_status hb_run_record_options(struct hb_run *run);
enum hb_status hb_run_record_progress(struct hb_run *run);

/* ---- run_resume.c ---- */

/* hb_run_open for --resume. */
enum hb_status hb_run_resume(const struct hb_opts *opts, struct hb_run *run);

/* History and options as those of one run, also where --t-end was given anew. */
enum hb_status hb_run_resume_notes(struct hb_run *run, struct hb_particles *state);

#endif
