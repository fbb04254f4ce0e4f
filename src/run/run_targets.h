/* The files that a run writes to. */
#ifndef HB_RUN_TARGETS_H
#define HB_RUN_TARGETS_H

#include "run/run.h"

/* Locks path, nullable, until hb_run_close; a resumed run also removes temporary files that killed runs left. Errors:
 * HB_ERR_IO. */
enum hb_status hb_run_lock(struct hb_run *run, enum hb_run_lock which, const char *path);

/* Marks the file at -o, which the user has named. */
void hb_run_remember_output(struct hb_run *run);

/* Checks that path is free or the run's own; a run that was not resumed may replace what its user names. Errors: HB_ERR_IO. */
enum hb_status hb_run_may_replace(struct hb_run *run, const char *path);

/* For a resumed run: checks what it will write before it starts; then truncates its rows to the checkpoint's. */
enum hb_status hb_run_check_targets(struct hb_run *run);
enum hb_status hb_run_resume_rows(struct hb_run *run);

#endif
