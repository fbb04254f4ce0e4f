/* The file of --diag: every diagnostic there is, a row for each row of the table, as comma separated values or JSON lines
 * with the same names. */
#ifndef HB_RUN_DIAG_H
#define HB_RUN_DIAG_H

#include "base/status.h"

#include <holmberg/diagnostics.h>

#include <stdio.h>

struct hb_run_diag {
  const char *path; /* the caller's                                                  */
  FILE *file;       /* NULL: not open, nobody asked for it                           */
  int csv;
  size_t n, rows; /* particles; rows so far: a file of comma separated values has a header before the first */
};

/* Whether such a file can be written, to be asked before the work. Errors: HB_ERR_USAGE (extension is not csv or jsonl),
 * HB_ERR_IO. */
enum hb_status hb_run_diag_check(const char *path);

/* A new file for a run of n particles, or the one of a run that goes on, behind its rows; hb_run_diag_close takes one that
 * was never opened. Errors: HB_ERR_IO. */
enum hb_status hb_run_diag_open(const char *path, size_t n, struct hb_run_diag *diag);
enum hb_status hb_run_diag_go_on(const char *path, size_t n, struct hb_run_diag *diag);
void hb_run_diag_close(struct hb_run_diag *diag);

/* One row, pushed out to the file at once. Errors: those of hb_sim_structure, HB_ERR_IO. */
enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim, const struct hb_diagnostics *now,
                               double de_rel, double wall_s);

#endif
