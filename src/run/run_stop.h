/* Events that end a run before its time. */
#ifndef HB_RUN_STOP_H
#define HB_RUN_STOP_H

#include "run/run.h"

/* Completes what --stop-at and --collisions stop need of a simulation. */
void hb_run_stop_params(const struct hb_run_settings *settings, struct hb_sim_params *params);

/* Whether its particles may merge or escape. */
int hb_run_stop_has_bodies(const struct hb_run_settings *settings);

/* Before the first step of a new or resumed run. */
enum hb_status hb_run_stop_watch(const struct hb_run *run);

/* After a step: makes its time the end of the run if what it waits for has happened, and says so. */
void hb_run_stop_check(struct hb_run *run);

#endif
