/* Whether a run goes well, and how long it takes. */
#ifndef HB_RUN_WATCH_H
#define HB_RUN_WATCH_H

#include "run/run.h"

/* Announces how long the run takes, where that is long: before the first step, and once its pace is known. */
void hb_run_announce(const struct hb_run *run);
void hb_run_watch_pace(struct hb_run *run);

/* A note, once in a run each, when the time steps collapse, and when dt_min cuts one. */
void hb_run_watch_steps(struct hb_run *run);

/* |E - E0| by |E0|; where the bound is not the user's, or E0 is 0, by the kinetic energy at the start if that is larger. */
double hb_run_energy_error(const struct hb_run *run, const struct hb_diagnostics *now);

/* Whether run->energy_error is beyond the bound. */
int hb_run_energy_is_lost(const struct hb_run *run);

/* A note, once, when the energy error is large. Errors: HB_ERR_NUMERIC when it is beyond the bound. */
enum hb_status hb_run_judge_energy(struct hb_run *run);

/* When all is written. Errors: HB_ERR_NUMERIC when the last row's energy error is too large to pass over in silence. */
enum hb_status hb_run_judge_end(const struct hb_run *run);

#endif
