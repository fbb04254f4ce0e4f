/* The report of `holmberg reproduce`: sections turn records into tables, figures and sentences. */
#ifndef HB_REPRODUCE_H
#define HB_REPRODUCE_H

#include "report/report.h"
#include "report/reproduce_jobs.h"

struct hb_section {
  const char *name;  /* for --only; the place in the page; its template is data/report/NAME.html */
  const char *title; /* in the list of contents           */
  unsigned kinds;    /* of jobs that it needs             */
  void (*claim)(const struct hb_reproduction *r,
                struct hb_report *report); /* sets what its template names; NULL: nothing */
};

/* In the order of the report; ends with name NULL. */
extern const struct hb_section hb_sections[];

/* Fills the page; chosen has bit k for section k. */
void hb_reproduce_fill(struct hb_reproduction *r, unsigned chosen, struct hb_report *report);

/* Runs the jobs of the chosen sections in folder r->out, then, unless jobs_only, writes the report; clears r. is_full, place,
 * n_most and longest_s (0: the default) are set. Errors: HB_ERR_USAGE, HB_ERR_IO, HB_ERR_INPUT (a template), HB_ERR_INTERNAL
 * (something is missing, marked red in the report), those of hb_reproduce_run. */
enum hb_status hb_reproduce(struct hb_reproduction *r, unsigned chosen, int jobs_only);

#endif
