/* The jobs of a reproduction: their command lines, and how long each will take here. */
#ifndef HB_REPRODUCE_PLAN_H
#define HB_REPRODUCE_PLAN_H

#include "report/reproduction.h"

/* Adds all jobs that the sections need, except probes, with their estimates. */
enum hb_status hb_reproduce_plan(struct hb_reproduction *r);

enum {
  HB_ROUNDINGS = 3,
  HB_ROUNDING_SEEDS = 3,
  HB_NU_SIZES = 2,
  HB_THREAD_COUNTS = 4 /* per body: 1, 2, 4, 8 */,
  HB_NU_HALVINGS = 8
};

/* The two numbers of particles of Fig. 2, the larger one last. */
void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES]);

/* The sources whose energies Fig. 2 and section 6 compare. */
enum { HB_ENERGY_SOURCES = 6 };
extern const enum hb_source_name hb_energy_sources[HB_ENERGY_SOURCES];

#endif
