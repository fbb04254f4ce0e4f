/* A run that several ranks do together (base/ranks.h): rank 0 reads and writes, the others integrate along. */
#ifndef HB_RUN_RANKS_H
#define HB_RUN_RANKS_H

#include "run/run_settings.h"

#include <holmberg/checkpoint.h>

/* On all ranks but 0: the settings without outputs and their units, checkpoints and limits of time, which are rank 0's. */
void hb_run_ranks_follow(struct hb_run_settings *settings);

/* What rank 0 has read, status of its reading, to all; other ranks give HB_OK and NULL. Of the notes the others get those that
 * shape a run. Errors: rank 0's; HB_ERR_IO, HB_ERR_INTERNAL. */
enum hb_status hb_run_ranks_share_particles(enum hb_status status, struct hb_particles **particles);

/* The same for a checkpoint. */
enum hb_status hb_run_ranks_share_checkpoint(enum hb_status status, struct hb_checkpoint **checkpoint);

/* Whether to stop after this step, by whose wish: *by of this rank, or NULL; then that of any, the same on all ranks. It takes
 * until after the next forces for all to know. Errors: HB_ERR_IO. */
enum hb_status hb_run_ranks_stop(const char **by);

#endif
