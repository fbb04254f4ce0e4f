/* A report as one HTML file without scripts and without a network, from the templates of data/report: a section sets named
 * numbers, tables and figures, and puts its template. The numbers of each table and figure are in a CSV beside. */
#ifndef HB_REPORT_H
#define HB_REPORT_H

#include "plot/plot.h"
#include "report/template.h"

/* Start from {.values = cJSON_CreateObject()}. What goes wrong is kept in html and comes out when it is saved. */
struct hb_report {
  cJSON *values;
  struct hb_draft html;
  unsigned tables, figures;
};

/* The text behind a template's end, with the values as they are now. */
void hb_report_put(struct hb_report *report, const char *file);

/* Writes the file and frees everything; lacks: paragraphs of class "lack", places where something is missing. */
enum hb_status hb_report_save(struct hb_report *report, const char *path, unsigned *lacks);

/* ---- tables: {{#table NAME}} in a template ------------------------------------------------------------ */

/* Written row by row to data/NAME.csv as well. */
struct hb_report_table {
  struct hb_report *report;
  const char *name;
  struct hb_draft csv, rows;
  size_t columns, column; /* of the head, and the one that is next */
};

/* "N [particles]|8800GTX [s]|~t_host [ns]": names and units of the columns, ~ where measured values come with errors. */
struct hb_report_table hb_report_table(struct hb_report *report, const char *name, const char *columns);
void hb_report_table_word(struct hb_report_table *table, const char *word);
/* An empty cell where value is NaN. */
void hb_report_table_number(struct hb_report_table *table, double value, int digits);
/* Value and error; an error that is NaN is not known. */
void hb_report_table_measure(struct hb_report_table *table, double value, double error);
/* Ends the row; cells before it: a letter for each, w for a word (const char *), a digit for a number (double) with so many
 * digits, m for a measure (two doubles). */
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

/* Over x_column "n" or "nu". values: a row in which a template finds the figure as "figure"; NULL: the report's values, in
 * which it has its own name. */
struct hb_report_figure hb_report_figure(struct hb_report *report, cJSON *values, const char *name,
                                         const char *x_column, const char *y_column, const char *y_label);

/* style: "host" or "8800GTX", see report_figure.c; "host/small", "host/line" and "host/marks" are its variants. */
void hb_report_point(struct hb_report_figure *figure, const char *curve, const char *style, double x,
                     double y);

/* Says that the curve is missing where the figure has no points of it. */
void hb_report_expect(struct hb_report_figure *figure, const char *curve);

/* Draws and writes it, and frees the curves. */
void hb_report_figure_end(struct hb_report_figure *figure);

#endif
