/* A report as one HTML file without scripts and without a network: paragraphs, tables and figures, the numbers of each table
 * and figure in a CSV beside. What goes wrong is kept and comes out at the end, so that a section is read as a text. */
#ifndef HB_REPORT_H
#define HB_REPORT_H

#include "base/text.h"
#include "plot/plot.h"

struct hb_report {
  struct hb_text html;
  enum hb_status status; /* the first failure: then nothing is added any more */
  unsigned lacks;        /* places where something is missing                 */
  unsigned tables, figures;
};

/* Markup as it is. */
void hb_report_put(struct hb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text, with what HTML would take for markup escaped. */
void hb_report_text(struct hb_report *report, const char *text);

/* "1.7 x 10^-6" as markup, with so many digits; a dash for NaN. One of the last 32 such texts. */
const char *hb_report_number(double value, int digits);

/* Says in red that something is missing, and counts it. */
void hb_report_lack(struct hb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the head: title, style. hb_report_end writes the file and frees the text. */
void hb_report_begin(struct hb_report *report, const char *title);
enum hb_status hb_report_end(struct hb_report *report, const char *path);

/* ---- tables ------------------------------------------------------------------------------------------ */

/* Written row by row. Start from {.report = ..., .name = ...}. */
struct hb_report_table {
  struct hb_report *report;
  const char *name; /* data/NAME.csv */
  struct hb_text csv, rows;
  size_t columns, column; /* of the head, and the one that is next */
};

/* "N [particles]|8800GTX [s]|~t_host [ns]": names and units of the columns, ~ where measured values come with errors. */
void hb_report_table_head(struct hb_report_table *table, const char *columns);
void hb_report_table_word(struct hb_report_table *table, const char *word);
/* An empty cell where value is NaN. */
void hb_report_table_number(struct hb_report_table *table, double value, int digits);
/* Value and error; an error that is NaN is not known. */
void hb_report_table_measure(struct hb_report_table *table, double value, double error);
void hb_report_table_row_end(struct hb_report_table *table);
/* The caption is markup: what it shows and where it comes from. */
void hb_report_table_end(struct hb_report_table *table, const char *title, const char *caption);

/* ---- figures ----------------------------------------------------------------------------------------- */

/* A range of y that a paper quotes. */
struct hb_report_band {
  double low, high;
  const char *label, *colour;
};

enum { HB_REPORT_BANDS = 4 };

/* Curves on logarithmic axes. The family of a curve is its name in the key, the member its style, "host" or "8800GTX", see
 * figure_style.c. Start from {.name = ..., .x_label = ...}. */
struct hb_report_figure {
  const char *name; /* figures/NAME.svg, data/NAME.csv */
  const char *x_label, *y_label;
  const char *x_column, *y_column; /* of the CSV                                */
  int x_base, x_falls;             /* 2 or 10; 1: x falls to the right          */
  struct hb_report_band bands[HB_REPORT_BANDS];
  struct hb_plot plot;
};

void hb_report_point(struct hb_report *report, struct hb_report_figure *figure, const char *curve,
                     const char *style, double x, double y);

/* Whether the figure has points of that curve; says that they are missing where it has none. */
int hb_report_has_curve(struct hb_report *report, const struct hb_report_figure *figure, const char *curve);

/* Draws and writes it, and frees the curves. */
void hb_report_figure_end(struct hb_report *report, struct hb_report_figure *figure, const char *title,
                          const char *caption);

#endif
