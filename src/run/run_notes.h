/* The notes in the headers of a run's snapshots. */
#ifndef HB_RUN_NOTES_H
#define HB_RUN_NOTES_H

#include "run/run.h"

/* Adds the run's line of history and record of options to the particles that it begins with. */
enum hb_status hb_run_note_options(const struct hb_run *run, struct hb_particles *initial);

/* Sets history and options as if of a single run, even if --t-end was changed on resuming. */
enum hb_status hb_run_note_resumed(struct hb_run *run, struct hb_particles *state);

/* Sets all of them, for a snapshot to be written. */
enum hb_status hb_run_note_all(struct hb_run *run, struct hb_particles *state);

/* Takes eps, dt and damping from the notes, see hb_run_take_notes. */
enum hb_status hb_run_apply_notes(struct hb_run *run, struct hb_particles *particles);

#endif
