/* The sections of a report: each sets the numbers, tables and figures that its template data/report/NAME.html names.
 * reproduce.c lists them. */
#ifndef HB_REPRODUCE_SECTION_H
#define HB_REPRODUCE_SECTION_H

#include "report/report.h"
#include "report/reproduce_rows.h"

void hb_section_table1(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_table2(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig1(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig2(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_energy(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_steps(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_rounding(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_table3(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig3(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig4(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig5(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_hi07(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_nhp07(const struct hb_reproduction *r, struct hb_report *report);
void hb_section_differs(const struct hb_reproduction *r, struct hb_report *report);

/* ---- what they share ---- */

/* Sets what several templates name: numbers of the papers, energies of cg2007, the three roundings. */
void hb_section_shared(const struct hb_reproduction *r, struct hb_report *report);

/* Sets a number for the templates. */
static inline void hb_section_set(struct hb_report *report, const char *name, double number)
{
  hb_values_number(report->values, name, number);
}

/* Adds the points (n, scale * |y|) of all records that match. */
void hb_section_curve(const struct hb_reproduction *r, struct hb_report_figure *figure, const char *curve,
                      const char *style, const char *filter, const char *y, double scale);

/* The same for a source's runs as in 2007, under its name and in its style. */
void hb_section_run_curve(const struct hb_reproduction *r, struct hb_report_figure *figure,
                          const struct hb_source *source, const char *y, double scale);

/* Adds a column of [PZ07] Table 2, times 4: seconds per time unit. */
void hb_section_paper_curve(struct hb_report_figure *figure, const char *curve, const char *style,
                            const char *machine);

/* Wall seconds of the paper's run as in 2007; NaN: not run. */
double hb_section_wall(const struct hb_reproduction *r, enum hb_source_name source, size_t n);

/* Lists for left_out.html the jobs of these kinds that would have taken too long. */
void hb_section_left_out(const struct hb_reproduction *r, struct hb_report *report, unsigned kinds);

/* Statistics of |field| over the records that match. */
struct hb_section_stat {
  double mean, low, high, count;
};
struct hb_section_stat hb_section_stat(const struct hb_reproduction *r, const char *key, const char *filter);

/* The filter for the fit with that rounding of steps; record "size" or "fit". */
const char *hb_section_rounding_filter(int rounding, const char *record);

#endif
