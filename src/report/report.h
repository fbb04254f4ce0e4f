/* A report as one HTML file without scripts or external files, from the templates in data/report: a section sets named
 * numbers, tables and figures, and puts its template. The numbers of each table and figure are also written as CSV. */
#ifndef HB_REPORT_H
#define HB_REPORT_H

#include "plot/plot.h"
#include "report/template.h"

/* Start from {.values = cJSON_CreateObject()}. Errors are kept in html and reported on saving. */
struct hb_report {
  cJSON *values;
  struct hb_draft html;
  unsigned tables, figures;
};

/* Appends a template, filled with the current values. */
void hb_report_put(struct hb_report *report, const char *file);

/* Writes the file and frees everything; lacks: the number of paragraphs of class "lack", where something is missing. */
enum hb_status hb_report_save(struct hb_report *report, const char *path, unsigned *lacks);

/* ---- tables: {{#table NAME}} in a template ------------------------------------------------------------ */

/* Written row by row to data/NAME.csv as well. */
struct hb_report_table {
  struct hb_report *report;
  const char *name;
  struct hb_draft csv, rows;
  size_t columns, column; /* of the head; the next one */
};

/* "N [particles]|8800GTX [s]|~t_host [ns]": names and units of the columns, ~ for measured values with errors. */
struct hb_report_table hb_report_table(struct hb_report *report, const char *name, const char *columns);
void hb_report_table_word(struct hb_report_table *table, const char *word);
/* NaN leaves the cell empty. */
void hb_report_table_number(struct hb_report_table *table, double value, int digits);
/* Value and error; NaN: unknown. */
void hb_report_table_measure(struct hb_report_table *table, double value, double error);
/* Adds cells and ends the row. A letter per cell: w a word (const char *), m a measure (two doubles), a digit d a number
 * (double) with d digits. */
void hb_report_table_row(struct hb_report_table *table, const char *cells, ...);
void hb_report_table_end(struct hb_report_table *table);

/* ---- figures: {{#figure NAME}} in a template ---------------------------------------------------------- */

/* Curves on logarithmic axes, figures/NAME.svg and data/NAME.csv. */
struct hb_report_figure {
  struct hb_report *report;
  cJSON *values; /* for its template */
  const char *name, *x_column, *y_column;
  struct hb_plot plot;
};

/* Over x_column "n" or "nu". values: a row, in which a template finds the figure as "figure"; NULL: the report's values,
 * under its own name. */
struct hb_report_figure hb_report_figure(struct hb_report *report, cJSON *values, const char *name,
                                         const char *x_column, const char *y_column, const char *y_label);

/* style: "host" or "8800GTX", see report.c; "host/small", "host/line" and "host/marks" are its variants. */
void hb_report_point(struct hb_report_figure *figure, const char *curve, const char *style, double x,
                     double y);

/* Reports the curve as missing if it has no points. */
void hb_report_expect(struct hb_report_figure *figure, const char *curve);

/* Draws and writes the figure, and frees the curves. */
void hb_report_figure_end(struct hb_report_figure *figure);

#endif
