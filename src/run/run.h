/* A run of `holmberg run`: its settings and its progress. run_settings.h has the options, run_open.c starts a run,
 * run_resume.c resumes one, run_loop.c integrates and writes, run_watch.h judges steps and energy, run_checkpoint.h writes
 * checkpoints, run_targets.h guards the files that it writes to, run_notes.h fills in their headers. */
#ifndef HB_RUN_H
#define HB_RUN_H

#include "run/appended.h"
#include "run/lock.h"
#include "run/run_diag.h"
#include "run/run_events.h"
#include "run/run_output.h"
#include "run/run_settings.h"

/* Outputs that grow row by row; the others are replaced as a whole. */
enum hb_run_appended { RUN_STDOUT, RUN_DIAG_ROWS, RUN_EVENTS_ROWS, RUN_APPENDED_COUNT };

/* Files that two runs must not write at the same time. */
enum hb_run_lock { RUN_LOCK_CHECKPOINT, RUN_LOCK_OUTPUT, RUN_LOCK_DIAG, RUN_LOCK_EVENTS, RUN_LOCK_COUNT };

/* Where and when a run writes checkpoints. */
struct hb_run_checkpoint {
  struct hb_text path; /* none: path.text is NULL                                          */
  unsigned flags;      /* of the next hb_sim_save: keep the previous file once it is ours  */
  double written;      /* when the last one was                                           */
  double began;        /* when this process started on the run                            */
};

/* Options as given, completed from the snapshot. */
struct hb_run_asked {
  struct hb_opts opts; /* its settings are those of struct hb_run */
  struct hb_run_settings settings;
};

/* What only a resumed run has: the record of its checkpoint, and the options in it. */
struct hb_run_resumed {
  struct hb_text record; /* none: record.text is NULL; options point into it */
  char *words[HB_OPTS_MOST + 2];
  struct hb_text device;         /* note of the header if the device has changed; else none   */
  struct hb_run_asked then;      /* by the checkpoint's run, without those given with --resume */
  int differs;                   /* the headers of its snapshots change                        */
  int is_oldest;                 /* its first energy is in the inertial frame                  */
  int names_output;              /* -o is given with it                                        */
  int names[RUN_APPENDED_COUNT]; /* so are --diag, --events                                   */
  int same[RUN_APPENDED_COUNT];  /* they have the same names as in the checkpoint             */
};

/* How fast a run without a progress bar is, to announce how long it will take. */
struct hb_run_pace {
  double began, t_begin; /* 0: not yet */
  int is_announced;
};

struct hb_run {
  struct hb_run_asked asked;
  const struct hb_run_settings *settings; /* of asked */
  struct hb_particles *initial;           /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  struct hb_run_diag diag;
  struct hb_run_rows events;
  double t, t_end;
  int is_stopped;      /* by an event: t_end is earlier than asked for */
  unsigned noted;      /* which notes have been printed, see run_watch.c */
  double energy_error; /* of the last row, see run_watch.c */
  struct hb_run_pace pace;
  double time_tolerance;           /* a step that ends this close after a requested time ends at it */
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
  struct hb_appended appended[RUN_APPENDED_COUNT];
  struct hb_appended found; /* the file at -o when the run started */
  struct hb_lock locks[RUN_LOCK_COUNT];
  struct hb_run_checkpoint checkpoint;
  struct hb_run_resumed resumed;
};

/* Checks the options, reads the snapshot, opens forces and integrator: a simulation before its first step. Call
 * hb_run_close also after a failure. */
enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run);

/* The same for --resume: from a checkpoint, as if the run had never stopped. */
enum hb_status hb_run_resume(const struct hb_opts *opts, struct hb_run *run);

/* Integrates to t_end, writing rows and snapshots on the way and the final state at -o. */
enum hb_status hb_run_integrate(struct hb_run *run);

/* Frees what the run has, also after a failure. */
void hb_run_close(struct hb_run *run);

/* ---- parts of the above, in run.c ---- */

/* A run with a copy of these options; nothing is opened. */
void hb_run_begin(const struct hb_opts *opts, struct hb_run *run);

/* Fills in what follows from the settings and the time at which the run begins. */
void hb_run_set_up(struct hb_run *run, double t_begin);

/* Checks that intervals are not below dt-min, and few enough since t = 0 for a double to count them. Errors:
 * HB_ERR_USAGE; HB_ERR_INPUT if the run begins too late. */
enum hb_status hb_run_check_times(const struct hb_run *run);

/* What was typed for --t-end, or its default. */
const char *hb_run_t_end(const struct hb_run *run);

#endif
