/* Jobs are command lines of this program, run one after another as children, each with its output in OUT/jobs; records are the
 * lines of those outputs. */
#ifndef HB_REPRODUCE_JOBS_H
#define HB_REPRODUCE_JOBS_H

#include "report/values.h"

#include <holmberg/measure.h>

struct hb_section {
  const char *name;  /* for --only; the place in the page; its template is data/report/NAME.html */
  const char *title; /* in the list of contents */
};

/* In the order of the report; ends with name NULL. */
extern const struct hb_section hb_sections[];

struct hb_reproduction {
  const char *out;              /* the folder, as the user named it; the program works inside it */
  struct hb_force_params place; /* context and device of the jobs; NULL: not asked for           */
  int is_full, plans_only, jobs_only;
  unsigned chosen;  /* bit k: section k */
  double longest_s; /* estimated limit of one job */
  size_t n_most;
  struct hb_values values; /* report.json, the jobs, and what they wrote */
  char sections[160];      /* that need the jobs being planned */
};

/* Reads report.json, and sets what its rows go by. */
enum hb_status hb_reproduce_open(struct hb_reproduction *r);

/* Plans all jobs, reuses the output of an earlier session, of the same command and of the version that began the folder,
 * announces how long the others will take, and runs those in their order. A failed job is noted, the others continue. The machine
 * that they ran on is kept beside them. Errors: HB_ERR_STOPPED, HB_ERR_IO, HB_ERR_GL (the kernel of 2007 cannot run on this
 * machine), HB_ERR_USAGE (started on another machine, or by another version). */
enum hb_status hb_reproduce_run(struct hb_reproduction *r);

void hb_reproduce_clear(struct hb_reproduction *r);

#endif
