/* Integrates and writes. */
#ifndef HB_RUN_LOOP_H
#define HB_RUN_LOOP_H

#include "run/run.h"

/* To t_end, with rows and snapshots on the way, and the final state where -o asks for it. */
enum hb_status hb_run_integrate(struct hb_run *run);

#endif
