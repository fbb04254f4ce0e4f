/* A run of `holmberg run`: what was asked for and how far it is. run_settings.h has its options, run_open.h makes a run of
 * them or takes one up, run_loop.h integrates and writes, run_watch.h judges, run_checkpoint.h keeps what it goes on from,
 * run_targets.h guards the files that it writes to, run_notes.h what their headers say. */
#ifndef HB_RUN_H
#define HB_RUN_H

#include "run/appended.h"
#include "run/lock.h"
#include "run/run_diag.h"
#include "run/run_output.h"
#include "run/run_settings.h"

/* Outputs that grow row by row; others are replaced whole. */
enum { RUN_STDOUT, RUN_DIAG_ROWS, RUN_APPENDED_COUNT };

/* What two runs must not write at the same time. */
enum hb_run_lock { RUN_LOCK_CHECKPOINT, RUN_LOCK_OUTPUT, RUN_LOCK_DIAG, RUN_LOCK_COUNT };

/* Where and when a run keeps what it goes on from. */
struct hb_run_checkpoint {
  struct hb_text path; /* none: path.text is NULL                                 */
  unsigned flags;      /* of the next hb_sim_save: keep what is there once it is ours */
  double written;      /* when the last was                                       */
  double began;        /* when this process took up the run                       */
};

/* Options as given, then with what the snapshot says where nothing was given. */
struct hb_run_asked {
  struct hb_opts opts; /* its settings are those of struct hb_run */
  struct hb_run_settings settings;
};

/* What only a resumed run has: the record that its checkpoint kept, and the options it holds. */
struct hb_run_resumed {
  struct hb_text record; /* none: record.text is NULL; options point into it       */
  char *words[HB_OPTS_MOST + 2];
  struct hb_text device;        /* note of the header where another device goes on; else none */
  struct hb_run_asked then;     /* by the checkpoint's run, before what was given beside --resume */
  int differs;                  /* in what the headers of its snapshots say                   */
  int names_output, names_diag; /* -o, --diag are given beside it                         */
  int same_diag;                /* --diag is the name that the checkpoint has             */
};

/* How fast a run without a progress bar is, to announce how long it will take. */
struct hb_run_pace {
  double began, t_begin; /* 0: not yet */
  int is_told;
};

struct hb_run {
  struct hb_run_asked asked;
  const struct hb_run_settings *settings; /* of asked */
  struct hb_particles *initial;           /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  struct hb_run_diag diag;
  double t, t_end;
  unsigned told;       /* the notes that have been printed, see run_watch.c */
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

/* A run of these options, whose settings it copies; nothing is opened. */
void hb_run_begin(const struct hb_opts *opts, struct hb_run *run);

/* What is there goes back, also after a failure. */
void hb_run_close(struct hb_run *run);

/* Fills what follows from the settings and the time that the run begins at. */
void hb_run_set_up(struct hb_run *run, double t_begin);

/* Whether intervals are not below dt-min, and few enough of them from t = 0 on for a double to count. Errors:
 * HB_ERR_USAGE; HB_ERR_INPUT when the run begins too late. */
enum hb_status hb_run_check_times(const struct hb_run *run);

/* What was typed for --t-end, or its default. */
const char *hb_run_t_end(const struct hb_run *run);

#endif
