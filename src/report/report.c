#include "report/report.h"

#include "base/file.h"
#include "base/mem.h"
#include "plot/gnuplot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the page ---------------------------------------------------------------------------------------- */

void hb_report_put(struct hb_report *report, const char *file)
{
  hb_template_put(file, report->values, &report->html);
}

enum hb_status hb_report_save(struct hb_report *report, const char *path, unsigned *lacks)
{
  static const char lack[] = "<p class=\"lack\">";
  *lacks = 0;
  for (const char *s = report->html.text.text; s && (s = strstr(s, lack)); s += sizeof lack) ++*lacks;
  cJSON_Delete(report->values);
  report->values = NULL;
  return hb_draft_save(&report->html, path);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void next_cell(struct hb_report_table *table)
{
  if (table->column == 0) hb_draft_put(&table->rows, "<tr>");
  if (table->column++ > 0) hb_draft_put(&table->csv, ",");
}

static void end_row(struct hb_report_table *table)
{
  hb_draft_put(&table->csv, "\n");
  hb_draft_put(&table->rows, "</tr>");
  table->column = 0;
}

/* "8800GTX [s]" is 8800GTX above its unit, and "8800GTX [s]" in the CSV; "~t [s]" has two columns there, the value and its
 * error. */
struct hb_report_table hb_report_table(struct hb_report *report, const char *name, const char *columns)
{
  struct hb_report_table table = {.report = report, .name = name};
  const char *any = strstr(columns, " [");
  hb_draft_put(&table.rows, "<thead>");
  for (const char *c = columns; *c; c += *c == '|') {
    int has_error = *c == '~';
    c += has_error;
    size_t length = strcspn(c, "|"), word_length = strcspn(c, "[|");
    char word[96], unit[96] = "";
    snprintf(word, sizeof word, "%.*s",
             (int)(word_length && c[word_length] == '[' ? word_length - 1 : word_length), c);
    if (word_length < length)
      snprintf(unit, sizeof unit, "%.*s", (int)(length - word_length - 2), c + word_length + 1);
    for (int k = 0; k <= has_error; k++) {
      next_cell(&table);
      hb_draft_put(&table.csv, "%s%s%s%s%s", k ? "error of " : "", word, *unit ? " [" : "", unit,
                   *unit ? "]" : "");
    }
    hb_draft_put(&table.rows, "<th>");
    hb_template_escape(word, &table.rows);
    hb_draft_put(&table.rows, "<small>%s</small></th>", *unit ? unit : any ? "&nbsp;" : "");
    c += length;
  }
  table.columns = table.column;
  end_row(&table);
  hb_draft_put(&table.rows, "</thead>\n<tbody>\n");
  return table;
}

/* A comma would end the cell of the CSV. */
void hb_report_table_word(struct hb_report_table *table, const char *word)
{
  next_cell(table);
  for (const char *c = word; *c; c++) hb_draft_put(&table->csv, "%c", *c == ',' ? ';' : *c);
  hb_draft_put(&table->rows, "<td class=\"word\">");
  hb_template_escape(word, &table->rows);
  hb_draft_put(&table->rows, "</td>");
}

static void put_number(struct hb_report_table *table, double value)
{
  next_cell(table);
  if (isfinite(value)) hb_draft_put(&table->csv, "%.6g", value);
}

void hb_report_table_number(struct hb_report_table *table, double value, int digits)
{
  put_number(table, value);
  hb_draft_put(&table->rows, "<td>");
  hb_template_number(value, digits, &table->rows);
  hb_draft_put(&table->rows, "</td>");
}

void hb_report_table_measure(struct hb_report_table *table, double value, double error)
{
  put_number(table, value);
  put_number(table, error);
  hb_draft_put(&table->rows, "<td>");
  hb_template_number(value, 3, &table->rows);
  if (isfinite(value) && isfinite(error)) {
    hb_draft_put(&table->rows, " &plusmn; ");
    hb_template_number(error, 1, &table->rows);
  }
  hb_draft_put(&table->rows, "</td>");
}

void hb_report_table_row(struct hb_report_table *table, const char *cells, ...)
{
  va_list list;
  va_start(list, cells);
  for (; *cells; cells++)
    if (*cells == 'w') {
      hb_report_table_word(table, va_arg(list, const char *));
    } else if (*cells == 'm') {
      double value = va_arg(list, double), error = va_arg(list, double);
      hb_report_table_measure(table, value, error);
    } else {
      hb_report_table_number(table, va_arg(list, double), *cells - '0');
    }
  va_end(list);
  end_row(table);
  hb_draft_put(&table->rows, "\n");
}

void hb_report_table_end(struct hb_report_table *table)
{
  struct hb_report *report = table->report;
  hb_values_list(report->values, table->name, "");
  cJSON *values = hb_values_row(report->values, table->name);
  hb_values_word(values, "name", table->name);
  hb_values_number(values, "columns", (double)table->columns);
  hb_values_markup(values, "rows", table->rows.text.text ? table->rows.text.text : "");
  hb_draft_note(&report->html, table->rows.status);
  hb_draft_clear(&table->rows);
  hb_draft_note(&report->html, hb_draft_save(&table->csv, hb_phrase("data/%s.csv", table->name)));
  report->tables++;
}

/* ---- figures: drawn by gnuplot, embedded in the page -------------------------------------------------- */

/* A source has its color in every figure; the machines of 2007 are gray with the marks of the paper's Fig. 1. */
static const struct look {
  const char *style;
  struct hb_plot_look look;
} looks[] = {
    {"host", {"#000000", 5, 0.75, 1.8, "1"}},         {"host-simd", {"#8c510a", 4, 0.75, 1.8, "1"}},
    {"cg2007", {"#d55e00", 7, 0.75, 2.2, "1"}},       {"cg2007-own", {"#d55e00", 6, 0.75, 2.2, "3"}},
    {"bag", {"#0072b2", 9, 0.75, 1.8, "1"}},          {"tile", {"#009e73", 11, 0.75, 1.8, "1"}},
    {"compensated", {"#e69f00", 13, 0.75, 1.8, "1"}}, {"ds", {"#56b4e9", 8, 0.75, 1.8, "1"}},
    {"double", {"#0072b2", 10, 0.75, 1.8, "1"}},      {"grape6", {"#aa4499", 15, 0.75, 1.8, "1"}},
    {"GRAPE-6Af", {"#666666", 7, 0.75, 1.2, "2"}},    {"8800GTX", {"#666666", 6, 0.75, 1.2, "1"}},
    {"FX1400", {"#999999", 8, 0.75, 1.2, "2"}},       {"Xeon", {"#999999", 4, 0.75, 1.2, "3"}},
    {"model", {"#666666", 0, 0.75, 2.6, "1"}},        {"model-dashed", {"#666666", 0, 0.75, 2.6, "2"}},
    {"model-dotted", {"#aaaaaa", 0, 0.75, 1.6, "3"}}, {"first", {"#0072b2", 7, 0.75, 1.8, "1"}},
    {"second", {"#d55e00", 5, 0.75, 1.8, "1"}},       {"third", {"#009e73", 9, 0.75, 1.8, "1"}},
    {"fourth", {"#aa4499", 11, 0.75, 1.8, "1"}},
};

/* "host/small": the look of host, thin and dashed; "host/line" without marks, "host/marks" without lines; the last look for
 * an unknown style. */
static struct hb_plot_look look_of(const char *style)
{
  enum { LOOKS = sizeof looks / sizeof *looks };
  size_t length = strcspn(style, "/"), k = 0;
  while (k + 1 < LOOKS && (strlen(looks[k].style) != length || strncmp(looks[k].style, style, length) != 0))
    k++;
  struct hb_plot_look look = looks[k].look;
  if (strcmp(style + length, "/small") == 0) look.width *= 0.6, look.dash = "2";
  if (strcmp(style + length, "/marks") == 0) look.width = 0;
  if (strcmp(style + length, "/line") == 0) look.mark = 0, look.width = 1.2;
  return look;
}

struct hb_report_figure hb_report_figure(struct hb_report *report, cJSON *values, const char *name,
                                         const char *x_column, const char *y_column, const char *y_label)
{
  struct hb_report_figure figure = {
      .report = report, .name = name, .x_column = x_column, .y_column = y_column};
  int over_n = strcmp(x_column, "n") == 0;
  const char *slot = values ? "figure" : name;
  values = values ? values : report->values;
  hb_values_list(values, slot, "");
  figure.values = hb_values_row(values, slot);
  hb_values_word(figure.values, "name", name);
  hb_values_list(figure.values, "missing", "curve");
  figure.plot = (struct hb_plot){.x_kind = over_n ? HB_PLOT_X_TWOS_NAMED : HB_PLOT_X_TENS,
                                 .y_kind = HB_PLOT_Y_NAMED,
                                 .y_margin = 1.5,
                                 .x_label = over_n ? "number of particles N" : "accuracy parameter ν",
                                 .y_label = y_label};
  return figure;
}

void hb_report_point(struct hb_report_figure *figure, const char *curve, const char *style, double x,
                     double y)
{
  struct hb_draft *html = &figure->report->html;
  size_t before = figure->plot.count;
  if (html->status == HB_OK) hb_draft_note(html, hb_plot_add(&figure->plot, curve, "", x, y));
  if (figure->plot.count > before) figure->plot.curves[before].look = look_of(style);
}

void hb_report_expect(struct hb_report_figure *figure, const char *curve)
{
  for (size_t k = 0; k < figure->plot.count; k++)
    if (strcmp(figure->plot.curves[k].family, curve) == 0) return;
  hb_values_word(hb_values_row(figure->values, "missing"), "curve", curve);
}

/* ---- their files -------------------------------------------------------------------------------------- */

static enum hb_status write_csv(const struct hb_report_figure *figure)
{
  struct hb_draft csv = {0};
  hb_draft_put(&csv, "curve,%s,%s\n", figure->x_column, figure->y_column);
  for (size_t k = 0; k < figure->plot.count; k++) {
    const struct hb_plot_curve *c = &figure->plot.curves[k];
    char name[HB_PLOT_NAME];
    strcpy(name, c->family);
    for (char *comma; (comma = strchr(name, ','));) *comma = ';';
    for (size_t p = 0; p < c->count; p++)
      hb_draft_put(&csv, "%s,%.9g,%.6g\n", name, c->points[p].x, c->points[p].y);
  }
  return hb_draft_save(&csv, hb_phrase("data/%s.csv", figure->name));
}

static enum hb_status draw(const struct hb_report_figure *figure, const char *path)
{
  struct hb_draft script = {0};
  hb_gnuplot_begin(path, 1180, 680, &script);
  hb_draft_put(&script, "set encoding utf8\n"
                        "set border 3 lw 1 lc rgb '#606060'\n"
                        "set tics nomirror font ',12'\n"
                        "set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'\n"
                        "set key outside right center samplen 3 spacing 1.25 Left reverse font ',12'\n");
  hb_plot_put(&figure->plot, &script);
  return hb_gnuplot_end(path, &script);
}

/* The <svg> element alone; its ids are prefixed with the figure's name, because the page has many. */
static enum hb_status read_svg(const struct hb_report_figure *figure, const char *path, struct hb_draft *svg)
{
  static const char *const names[] = {"gnuplot_plot_", "gpDot", "gpPt", "textbox_"};
  char *text;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  const char *s = strstr(text, "<svg");
  if (!s) hb_draft_note(svg, hb_fail(HB_ERR_IO, "%s: gnuplot wrote no drawing", path));
  while (s && *s) {
    size_t k = 0;
    while (k < 4 && strncmp(s, names[k], strlen(names[k])) != 0) k++;
    if (k < 4) hb_draft_put(svg, "%s_", figure->name);
    size_t count = k < 4 ? strlen(names[k]) : 1;
    hb_draft_put_bytes(svg, s, count);
    s += count;
  }
  hb_mem_free(text);
  return svg->status;
}

void hb_report_figure_end(struct hb_report_figure *figure)
{
  struct hb_draft *html = &figure->report->html, svg = {0};
  char path[128];
  strcpy(path, hb_phrase("figures/%.100s.svg", figure->name));
  if (figure->plot.count > 0) {
    if (html->status == HB_OK) html->status = write_csv(figure);
    if (html->status == HB_OK) html->status = draw(figure, path);
    if (html->status == HB_OK) html->status = read_svg(figure, path, &svg);
    figure->report->figures++;
  }
  hb_values_markup(figure->values, "svg", svg.text.text ? svg.text.text : "");
  hb_draft_clear(&svg);
  hb_plot_clear(&figure->plot);
}
