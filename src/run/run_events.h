/* The file of --events: what happened, one row an event, the first one when the log began. */
#ifndef HB_RUN_EVENTS_H
#define HB_RUN_EVENTS_H

#include "run/run_rows.h"
#include "run/run_settings.h"

#include <holmberg/diagnostics.h>

/* Says once what an option that asks for encounters cannot see in such a run, if anything. */
void hb_run_events_note(const struct hb_run_settings *settings, const char *option);

/* Watches sim for all kinds of events; a new log begins with what is there. Errors: as hb_sim_watch; HB_ERR_IO. */
enum hb_status hb_run_events_begin(struct hb_run_rows *rows, struct hb_sim *sim,
                                   const struct hb_units *units);

/* The rows of the last step. units->mass 0: N-body. Nothing if the file is not open. Errors: HB_ERR_IO. */
enum hb_status hb_run_events_put(struct hb_run_rows *rows, const struct hb_sim *sim,
                                 const struct hb_units *units);

#endif
