/* The table of jobs: which command lines a reproduction consists of, and how long each will take here. */
#ifndef HB_REPRODUCE_PLAN_H
#define HB_REPRODUCE_PLAN_H

#include "report/reproduction.h"

/* All jobs but probes that the sections need, with their estimates. */
enum hb_status hb_reproduce_plan(struct hb_reproduction *r);

enum {
  HB_ROUNDINGS = 3,
  HB_ROUNDING_SEEDS = 3,
  HB_NU_SIZES = 2,
  HB_THREAD_COUNTS = 4 /* that share a body: 1, 2, 4, 8 */,
  HB_NU_HALVINGS = 8
};

/* The two numbers of particles of Fig. 2, the larger one last. */
void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES]);

/* Sources whose energies are compared, of Fig. 2 and of section 6. */
enum { HB_ENERGY_SOURCES = 6 };
extern const enum hb_source_name hb_energy_sources[HB_ENERGY_SOURCES];

#endif
