/* The checkpoints of a run. */
#ifndef HB_RUN_CHECKPOINT_H
#define HB_RUN_CHECKPOINT_H

#include "run/run.h"

/* Checks and sets the options of checkpoints. Errors: HB_ERR_USAGE, also if the file exists, which the run would
 * overwrite; HB_ERR_IO. */
enum hb_status hb_run_checkpoint_open(struct hb_run *run);

/* Syncs all output to disk, then writes the checkpoint that relies on it. Does nothing without --checkpoint. */
enum hb_status hb_run_checkpoint_write(struct hb_run *run);

/* After a block step: a checkpoint if one is due or asked for; HB_ERR_STOPPED if the run is to end. */
enum hb_status hb_run_checkpoint_poll(struct hb_run *run);

#endif
