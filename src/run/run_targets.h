/* The files that a run writes to. */
#ifndef HB_RUN_TARGETS_H
#define HB_RUN_TARGETS_H

#include "run/run.h"

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

#endif
