/* The jobs of a reproduction, from the first to the last. */
#ifndef HB_REPRODUCE_RUN_H
#define HB_REPRODUCE_RUN_H

#include "report/reproduction.h"

/* Plans all jobs, takes what an earlier sitting left, of the same command and version, says how long the others will take,
 * and runs those in their order. A job that fails is noted, the others go on. Errors: HB_ERR_STOPPED, HB_ERR_IO, HB_ERR_GL
 * (no kernel of 2007 on this machine), HB_ERR_USAGE (begun on another machine). */
enum hb_status hb_reproduce_run(struct hb_reproduction *r);

#endif
