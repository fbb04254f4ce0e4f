/* Keeps what a run goes on from. */
#ifndef HB_RUN_CHECKPOINT_H
#define HB_RUN_CHECKPOINT_H

#include "run/run.h"

/* Checks the options of checkpoints and takes them up. Errors: HB_ERR_USAGE, also when a checkpoint is there already,
 * which the run would lose; HB_ERR_IO. */
enum hb_status hb_run_checkpoint_open(struct hb_run *run);

/* Everything so far onto the disk, then the checkpoint that counts on it. Nothing to do without --checkpoint. */
enum hb_status hb_run_checkpoint_write(struct hb_run *run);

/* After a block step: a checkpoint when it is time or asked for; HB_ERR_STOPPED when the run is to end. */
enum hb_status hb_run_checkpoint_poll(struct hb_run *run);

#endif
