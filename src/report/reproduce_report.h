/* The report of a reproduction: its list of sections, and what stands before and behind them. */
#ifndef HB_REPRODUCE_REPORT_H
#define HB_REPRODUCE_REPORT_H

#include "report/report.h"
#include "report/reproduction.h"

struct hb_section {
  const char *name;  /* for --only; the place in the page; its template is data/report/NAME.html */
  const char *title; /* in the list of contents           */
  unsigned kinds;    /* of jobs that it needs             */
  void (*fill)(const struct hb_reproduction *r, struct hb_report *report);
};

/* In the order of the report, ended by a name NULL. */
extern const struct hb_section hb_sections[];

/* Fills the page; chosen has bit k for section k. */
void hb_reproduce_fill(const struct hb_reproduction *r, unsigned chosen, struct hb_report *report);

/* Writes OUT/report.html and says so. Errors: HB_ERR_IO, HB_ERR_INPUT (a template), HB_ERR_INTERNAL (a sentence in red says what
 * is missing). */
enum hb_status hb_reproduce_report(const struct hb_reproduction *r, unsigned chosen);

#endif
