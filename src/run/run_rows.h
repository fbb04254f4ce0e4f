/* What a run shows: the table or JSON lines on standard output, the files of --diag and --events, a progress bar. */
#ifndef HB_RUN_ROWS_H
#define HB_RUN_ROWS_H

#include "run/run_files.h"
#include "run/run_settings.h"
#include "run/run_stars.h"

#include <holmberg/diagnostics.h>

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
  struct hb_units units;            /* of rows; mass 0: N-body */
  const struct hb_run_stars *stars; /* NULL: they do not age */
  int eps_is_default; /* neither the command line nor the snapshot says it: the head of the table does */
};

/* Errors are compared with these energies from now on. */
void hb_run_output_begin(struct hb_run_output *output, const struct hb_diagnostics *now, int has_field);

/* Of E, over the cluster's own energy, 0 if nothing has changed. */
double hb_run_output_cluster_error(const struct hb_run_output *output, const struct hb_diagnostics *now);

/* Errors: HB_ERR_IO if standard output cannot be written; those of hb_sim_state. */
enum hb_status hb_run_output_row(struct hb_run_output *output, const struct hb_sim *sim,
                                 const struct hb_diagnostics *now, int is_last);

void hb_run_output_progress(const struct hb_run_output *output, double t);

/* ---- the file of --diag: all diagnostics, one row per row of the table ---- */

struct hb_run_diag {
  struct hb_run_rows rows;
  int has_field;  /* 1: there are forces from outside */
  int has_bodies; /* 1: particles may merge or escape */
  size_t n;       /* particles */
};

/* One row. Errors: those of hb_sim_structure, HB_ERR_IO. */
enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim,
                               const struct hb_run_output *output, const struct hb_diagnostics *now);

/* ---- the file of --events: what happened, one row an event, the first one when the log began ---- */

/* Says once what an option that asks for encounters cannot see in such a run, if anything. */
void hb_run_events_note(const struct hb_run_settings *settings, const char *option);

/* Watches sim for all kinds of events; a new log begins with what is there. Errors: as hb_sim_watch; HB_ERR_IO. */
enum hb_status hb_run_events_begin(struct hb_run_rows *rows, struct hb_sim *sim,
                                   const struct hb_units *units);

/* The rows of the last step. units->mass 0: N-body. Nothing if the file is not open. Errors: HB_ERR_IO. */
enum hb_status hb_run_events_put(struct hb_run_rows *rows, const struct hb_sim *sim,
                                 const struct hb_units *units);

#endif
