/* Events that end a run before its time. */
#ifndef HB_RUN_STOP_H
#define HB_RUN_STOP_H

#include "run/run.h"

/* Whether its particles may merge or escape. */
int hb_run_stop_has_bodies(const struct hb_run_settings *settings);

/* After a step: makes its time the end of the run if the simulation stops there, and says so. */
void hb_run_stop_check(struct hb_run *run);

#endif
