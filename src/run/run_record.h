/* The part of struct hb_run that a checkpoint records, as strings. */
#ifndef HB_RUN_RECORD_H
#define HB_RUN_RECORD_H

#include "run/run.h"

enum hb_status hb_run_record_write(const struct hb_run *run, struct hb_text *record);

/* Reads the options of run->resumed.record, by the rows of the command; and after hb_run_set_up the rest, which must be
 * possible in a run. Errors: HB_ERR_INPUT. */
enum hb_status hb_run_record_options(const struct hb_opts_command *command, struct hb_run *run);
enum hb_status hb_run_record_progress(struct hb_run *run);

#endif
