/* What a checkpoint records of a run besides its simulation, as strings. */
#ifndef HB_RUN_RECORD_H
#define HB_RUN_RECORD_H

#include "run/run_state.h"

/* Fills in what follows from the settings and the time at which the run begins. */
void hb_run_set_up(struct hb_run *run, double t_begin);

/* Reads the options of run->resumed.record, by the rows of the command; and, set up by them, the rest, which must be possible in
 * a run. Errors: HB_ERR_INPUT. */
enum hb_status hb_run_record_options(const struct hb_opts_command *command, struct hb_run *run);
enum hb_status hb_run_record_progress(struct hb_run *run);

/* Syncs all output to disk, then writes the checkpoint that relies on it. Does nothing without --checkpoint. */
enum hb_status hb_run_record_save(struct hb_run *run);

/* After a block step: a checkpoint if one is due or asked for; HB_ERR_STOPPED if the run is to end. */
enum hb_status hb_run_record_poll(struct hb_run *run);

#endif
