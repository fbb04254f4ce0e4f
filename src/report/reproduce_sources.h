/* The sources of forces and their speeds here, on which estimates and sizes are based. */
#ifndef HB_REPRODUCE_SOURCES_H
#define HB_REPRODUCE_SOURCES_H

#include "report/reproduction.h"

/* Adds jobs that measure the sources: at stage 0 each of its own, at stage 1 those that use the faster of bag and tile. */
enum hb_status hb_reproduce_plan_probes(struct hb_reproduction *r, int stage);

/* Evaluates the probes. Errors: HB_ERR_GL (the kernel of 2007 cannot run on this machine). */
enum hb_status hb_reproduce_take_probes(struct hb_reproduction *r, int stage);

/* Seconds: of a job with the source to start, of the source for a block of ni among n, and of a run with that many block
 * steps of n, including its start and its energies. */
double hb_source_start_seconds(const struct hb_reproduction *r, const struct hb_source *source);
double hb_source_seconds(const struct hb_source *source, double n, double ni);
double hb_source_run_seconds(const struct hb_reproduction *r, const struct hb_source *source, size_t n,
                             double steps);

#endif
