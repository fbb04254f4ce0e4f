/* A run of `holmberg run`: its settings (run_settings.h), its rows and its progress. */
#ifndef HB_RUN_H
#define HB_RUN_H

#include "base/table.h"
#include "console/opts.h"
#include "run/run_settings.h"
#include "run/run_serve.h"

#include <holmberg/diagnostics.h>
#include <holmberg/measure.h>

/* ---- outputs that only grow: a file of rows, or standard output if that is a file. At a checkpoint they are synced to disk and
 * their length recorded; a resumed run truncates them to that length, so that they contain each row once. */

/* Start with only the path set; the rest is the last mark. */
struct hb_appended {
  const char *path;         /* the caller's; "-" is standard output               */
  unsigned long long inode; /* 0: no mark, as when the output is not a regular file */
  unsigned long long device, length;
  unsigned long checksum; /* CRC-32 of the file up to length                     */
};

/* Flush any buffers first. Standard output that cannot be read gets no mark. Errors: HB_ERR_IO, leaving no mark. */
enum hb_status hb_appended_mark(struct hb_appended *output);

/* Truncates it to the mark. Standard output is left alone unless it is the marked file and begins with the same bytes.
 * Errors: HB_ERR_INPUT (a file that is shorter or begins with other bytes), HB_ERR_IO. */
enum hb_status hb_appended_cut(const struct hb_appended *output);

/* ---- one writer per output: only the holder of a path's lock writes there. It is a file path.lock beside it, locked by flock,
 * so that it ends with its process however that ends, and removed when released. */

/* Start from {0}. */
struct hb_lock {
  char *name; /* of the lock file; NULL: not held */
  int fd;
};

/* On a file system without flock there is no lock: name stays NULL, with HB_OK. Errors: HB_ERR_IO (another process holds it;
 * the file cannot be created, or is not a lock file). */
enum hb_status hb_lock_take(const char *path, struct hb_lock *lock);

/* A lock that is not held is fine. */
void hb_lock_release(struct hb_lock *lock);

/* ---- rows, as comma separated values or JSON lines with the same names */

struct hb_run_rows {
  const char *path; /* the caller's        */
  FILE *file;       /* NULL: not asked for */
  int csv;
  size_t rows; /* so far: in CSV a header precedes the first */
};

/* ---- a run ---- */

enum hb_run_output_form { HB_RUN_OUTPUT_TABLE, HB_RUN_OUTPUT_JSON, HB_RUN_OUTPUT_NONE };

struct hb_run_output {
  enum hb_run_output_form form;
  int has_bar;
  double t_begin, t_end;
  double wall_begin;       /* wall_s counts from here, after the first evaluation of forces */
  double e_begin, e_scale; /* what e_total was, and what errors of it are compared with        */
  int parts; /* that the table shows, with both errors: 1 cluster and binaries, where e_scale is not that of all by more than
              * a tenth; 2 the orbit in a field, too; else 0 */
  int rows;
  struct hb_units units; /* of rows; mass 0: N-body */
  int has_stars;         /* 1: that age */
  int eps_is_default;    /* neither the command line nor the snapshot says it: the head of the table does */
};

/* ---- the file of --diag: all diagnostics, one row per row of the table ---- */

struct hb_run_diag {
  int has_field;  /* 1: there are forces from outside */
  int has_bodies; /* 1: particles may merge or escape */
  size_t n;       /* particles */
};

enum { HB_RUN_FOLLOW_MOST = 64 };

/* Start from {0}. */
struct hb_run_follow {
  struct hb_follow of[HB_RUN_FOLLOW_MOST];
  size_t count;
};

/* Outputs that grow row by row, and those that are replaced as a whole. Two runs must not write one file at the same time. */
enum hb_run_out {
  RUN_STDOUT,
  RUN_DIAG_ROWS,
  RUN_EVENTS_ROWS,
  RUN_FOLLOW_ROWS,
  RUN_APPENDED_COUNT,
  RUN_OUTPUT = RUN_APPENDED_COUNT,
  RUN_CHECKPOINT,
  RUN_OUTS
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
  struct hb_run_rows rows[RUN_APPENDED_COUNT]; /* of files */
  struct hb_run_diag diag;
  struct hb_run_follow follow;
  struct hb_run_serve *serve; /* NULL: nobody watches */
  double t, t_end;
  int is_stopped;      /* by an event: t_end is earlier than asked for */
  unsigned noted;      /* which notes have been printed */
  double energy_error; /* of the last row */
  struct hb_run_pace pace;
  double time_tolerance;           /* a step that ends this close after a requested time ends at it */
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
  struct hb_appended appended[RUN_APPENDED_COUNT];
  struct hb_appended found; /* the file at -o when the run started */
  struct hb_lock locks[RUN_OUTS];
  struct hb_run_checkpoint checkpoint;
  struct hb_run_resumed resumed;
};

/* Reads the options of run->resumed.record, by the rows of the command; and, set up by them, the rest, which must be possible in
 * a run. Errors: HB_ERR_INPUT. */
enum hb_status hb_run_record_options(const struct hb_opts_command *command, struct hb_run *run);
enum hb_status hb_run_record_progress(struct hb_run *run);

/* `holmberg run`: with --resume from a checkpoint, as if the run had never stopped; else checks the options, reads the snapshot,
 * opens forces and integrator. Integrates to t_end, writing rows and snapshots on the way and the final state at -o. */
enum hb_status hb_run_file(const struct hb_opts *opts);

#endif
