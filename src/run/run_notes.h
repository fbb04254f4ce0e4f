/* What the headers of a run's snapshots say. */
#ifndef HB_RUN_NOTES_H
#define HB_RUN_NOTES_H

#include "run/run.h"

/* The run's line of history and record of options, of the particles that it begins with. */
enum hb_status hb_run_note_options(const struct hb_run *run, struct hb_particles *initial);

/* History and options as those of one run, also where --t-end was given anew. */
enum hb_status hb_run_note_resumed(struct hb_run *run, struct hb_particles *state);

/* All of it, for a snapshot to be written. */
enum hb_status hb_run_note_all(struct hb_run *run, struct hb_particles *state);

/* Takes what the snapshot notes of eps, dt and damping, see hb_run_take_notes. */
enum hb_status hb_run_heed_notes(struct hb_run *run, struct hb_particles *particles);

#endif
