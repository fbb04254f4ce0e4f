/* Watches the steps, the energy and the pace of a run. */
#ifndef HB_RUN_WATCH_H
#define HB_RUN_WATCH_H

#include "run/run_state.h"

/* Announces how long the run takes, if long: before the first step, and once its pace is known. */
void hb_run_announce(const struct hb_run *run);
void hb_run_watch_pace(struct hb_run *run);

/* Notes, once per run each, that the time steps collapse, and that dt_min cuts one. */
void hb_run_watch_steps(struct hb_run *run);

/* Whether run->energy_error is beyond the bound. */
int hb_run_energy_is_lost(const struct hb_run *run);

/* Notes, once, that the energy error is large. Errors: HB_ERR_NUMERIC if it exceeds the bound. */
enum hb_status hb_run_judge_energy(struct hb_run *run);

/* After everything is written. Errors: HB_ERR_NUMERIC if the final energy error is too large to pass in silence. */
enum hb_status hb_run_judge_end(const struct hb_run *run);

#endif
