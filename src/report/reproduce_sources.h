/* The sources of forces, and how fast each is here: what the estimates and the choice of sizes come from. */
#ifndef HB_REPRODUCE_SOURCES_H
#define HB_REPRODUCE_SOURCES_H

#include "report/reproduction.h"

/* Jobs that measure the speed of the sources: at stage 0 those of their own, at stage 1 those of the faster walk. */
enum hb_status hb_reproduce_plan_probes(struct hb_reproduction *r, int stage);

/* What the probes say. Errors: HB_ERR_GL (no kernel of 2007 on this machine). */
enum hb_status hb_reproduce_take_probes(struct hb_reproduction *r, int stage);

/* Seconds that a job with the source takes to start, the source for a block of ni among n, and a run of that many block
 * steps of n with its start and its energies. */
double hb_source_start_seconds(const struct hb_reproduction *r, const struct hb_source *source);
double hb_source_seconds(const struct hb_source *source, double n, double ni);
double hb_source_run_seconds(const struct hb_reproduction *r, const struct hb_source *source, size_t n,
                             double steps);

#endif
