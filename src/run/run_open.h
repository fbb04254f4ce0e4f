/* From options to a run. hb_run_close takes what is there, also after a failure. */
#ifndef HB_RUN_OPEN_H
#define HB_RUN_OPEN_H

#include "run/run.h"

/* Checks the options, reads the snapshot, opens forces and integrator: a simulation at its first instant. */
enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run);

/* The same for --resume: from a checkpoint, as if the run had never stopped. */
enum hb_status hb_run_resume(const struct hb_opts *opts, struct hb_run *run);

#endif
