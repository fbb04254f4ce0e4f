/* The report of `holmberg reproduce`: one HTML file without scripts or external files, from the templates in data/report and the
 * records of jobs. Jobs are command lines of this program, run one after another as children, each with its output in OUT/jobs;
 * records are the lines of those outputs. The numbers of each table and figure are also written as CSV. */
#ifndef HB_REPRODUCE_H
#define HB_REPRODUCE_H

#include "report/values.h"

#include <holmberg/measure.h>

struct hb_section {
  const char *name;  /* for --only; the place in the page; its template is data/report/NAME.html */
  const char *title; /* in the list of contents */
};

/* In the order of the report; ends with name NULL. */
extern const struct hb_section hb_sections[];

struct hb_reproduction {
  const char *out;                    /* the folder, as the user named it; the program works inside it */
  struct hb_force_params place;       /* context and device of the jobs; NULL: not asked for           */
  int is_full, plans_only, jobs_only; /* plans_only goes with jobs_only */
  unsigned chosen;                    /* bit k: section k */
  double longest_s;                   /* estimated limit of one job */
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

/* ---- the pages ---- */

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

void hb_reproduce_clear(struct hb_reproduction *r);

#endif
