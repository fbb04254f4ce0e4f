/* The file of --diag: all diagnostics, one row per row of the table. */
#ifndef HB_RUN_DIAG_H
#define HB_RUN_DIAG_H

#include "run/run_output.h"
#include "run/run_rows.h"

#include <holmberg/diagnostics.h>

struct hb_run_diag {
  struct hb_run_rows rows;
  struct hb_units units; /* of rows; mass 0: N-body */
  int has_field;         /* 1: there are forces from outside */
  int has_bodies;        /* 1: particles may merge or escape */
  size_t n;              /* particles */
};

/* One row. Errors: those of hb_sim_structure, HB_ERR_IO. */
enum hb_status hb_run_diag_row(struct hb_run_diag *diag, struct hb_sim *sim,
                               const struct hb_run_output *output, const struct hb_diagnostics *now,
                               double wall_s);

#endif
