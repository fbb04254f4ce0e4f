/* A run of `holmberg run`: its settings (run_settings.h), its rows (run_rows.h) and its progress. */
#ifndef HB_RUN_STATE_H
#define HB_RUN_STATE_H

#include "run/run_follow.h"
#include "run/run_rows.h"
#include "run/run_stars.h"

/* Outputs that grow row by row; the others are replaced as a whole. */
enum hb_run_appended { RUN_STDOUT, RUN_DIAG_ROWS, RUN_EVENTS_ROWS, RUN_FOLLOW_ROWS, RUN_APPENDED_COUNT };

/* Files that two runs must not write at the same time. */
enum hb_run_lock {
  RUN_LOCK_CHECKPOINT,
  RUN_LOCK_OUTPUT,
  RUN_LOCK_DIAG,
  RUN_LOCK_EVENTS,
  RUN_LOCK_FOLLOW,
  RUN_LOCK_COUNT
};

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
  int names[RUN_APPENDED_COUNT]; /* so are --diag, --events, --follow-out                    */
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
  struct hb_run_follow follow;
  struct hb_run_stars stars;
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

#endif
