/* The report of `holmberg reproduce`: one HTML file without scripts or external files, from the templates in data/report and the
 * records of jobs. The numbers of each table and figure are also written as CSV. */
#ifndef HB_REPRODUCE_H
#define HB_REPRODUCE_H

#include "report/reproduce_jobs.h"

struct hb_report {
  struct hb_page page;
  unsigned tables, figures;
  unsigned lacks; /* paragraphs of class "lack", where something is missing */
};

/* Writes both pages in the current folder. Errors: HB_ERR_INPUT (a template, report.json), HB_ERR_IO. */
enum hb_status hb_reproduce_write(struct hb_reproduction *r, struct hb_report *report);

/* Runs the jobs of the chosen sections in folder r->out, then, unless jobs_only, writes the report; clears r. What stands above
 * "values" is set, longest_s 0: the default. Errors: HB_ERR_USAGE, HB_ERR_INTERNAL (something is missing, marked red in the report),
 * those of hb_reproduce_run and hb_reproduce_write. */
enum hb_status hb_reproduce(struct hb_reproduction *r);

#endif
