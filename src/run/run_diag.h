/* The file of --diag: all diagnostics, one row per row of the table, as comma separated values or JSON lines with the same
 * names. */
#ifndef HB_RUN_DIAG_H
#define HB_RUN_DIAG_H

#include "base/status.h"

#include <holmberg/diagnostics.h>

#include <stdio.h>

struct hb_run_diag {
  const char *path; /* the caller's          */
  FILE *file;       /* NULL: not asked for   */
  int csv;
  size_t n, rows; /* particles; rows so far: in CSV a header precedes the first */
};

/* Checks before the work that such a file can be written. Errors: HB_ERR_USAGE (extension is not csv or jsonl),
 * HB_ERR_IO. */
enum hb_status hb_run_diag_check(const char *path);

/* A file for a run of n particles: a new one, or to append to the rows of a resumed run. hb_run_diag_close accepts one that
 * was never opened. Errors: HB_ERR_IO. */
enum hb_status hb_run_diag_open(const char *path, size_t n, int append, struct hb_run_diag *diag);
void hb_run_diag_close(struct hb_run_diag *diag);

/* One row, flushed at once. Errors: those of hb_sim_structure, HB_ERR_IO. */
enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim, const struct hb_diagnostics *now,
                               double de_rel, double wall_s);

#endif
