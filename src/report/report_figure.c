/* Figures of a report: gnuplot draws them, the page holds them. */
#include "base/file.h"
#include "base/mem.h"
#include "plot/gnuplot.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void note(struct hb_report *report, enum hb_status status)
{
  if (report->status == HB_OK) report->status = status;
}

/* ---- curves ------------------------------------------------------------------------------------------ */

void hb_report_point(struct hb_report *report, struct hb_report_figure *figure, const char *curve,
                     const char *style, double x, double y)
{
  note(report, hb_plot_add(&figure->plot, curve, style, x, y));
}

int hb_report_has_curve(struct hb_report *report, const struct hb_report_figure *figure, const char *curve)
{
  for (size_t k = 0; k < figure->plot.count; k++)
    if (strcmp(figure->plot.curves[k].family, curve) == 0) return 1;
  hb_report_lack(report, "There is nothing to draw of the curve &ldquo;%s&rdquo;.", curve);
  return 0;
}

/* A source has its colour in every figure; the machines of 2007 are grey with the marks of the paper's Fig. 1. */
static const struct look {
  const char *style, *colour;
  int mark, dash;
  double width;
} looks[] = {
    {"host", "#000000", 5, 1, 1.8},         {"host-simd", "#8c510a", 4, 1, 1.8},
    {"cg2007", "#d55e00", 7, 1, 2.2},       {"cg2007-own", "#d55e00", 6, 3, 2.2},
    {"bag", "#0072b2", 9, 1, 1.8},          {"tile", "#009e73", 11, 1, 1.8},
    {"compensated", "#e69f00", 13, 1, 1.8}, {"ds", "#56b4e9", 8, 1, 1.8},
    {"double", "#0072b2", 10, 1, 1.8},      {"grape6", "#aa4499", 15, 1, 1.8},
    {"GRAPE-6Af", "#666666", 7, 2, 1.2},    {"8800GTX", "#666666", 6, 1, 1.2},
    {"FX1400", "#999999", 8, 2, 1.2},       {"Xeon", "#999999", 4, 3, 1.2},
    {"model", "#666666", 0, 1, 2.6},        {"model-dashed", "#666666", 0, 2, 2.6},
    {"model-light", "#aaaaaa", 0, 1, 1.6},  {"model-dotted", "#aaaaaa", 0, 3, 1.6},
    {"first", "#0072b2", 7, 1, 1.8},        {"second", "#d55e00", 5, 1, 1.8},
    {"third", "#009e73", 9, 1, 1.8},        {"fourth", "#aa4499", 11, 1, 1.8},
};

/* "host/small": the look of host, thin and dashed; "host/line" without marks, "host/marks" without lines; the last look for a style that has none. */
static struct look look_of(const char *style)
{
  enum { LOOKS = sizeof looks / sizeof *looks };
  size_t length = strcspn(style, "/"), k = 0;
  while (k + 1 < LOOKS && (strlen(looks[k].style) != length || strncmp(looks[k].style, style, length) != 0))
    k++;
  struct look look = looks[k];
  if (strcmp(style + length, "/small") == 0) look.width *= 0.6, look.dash = 2;
  if (strcmp(style + length, "/marks") == 0) look.width = 0;
  if (strcmp(style + length, "/line") == 0) look.mark = 0, look.width = 1.2;
  return look;
}

/* ---- the script -------------------------------------------------------------------------------------- */

struct range {
  double low, high;
};

static void widen(struct range *range, double value)
{
  range->low = fmin(range->low, value);
  range->high = fmax(range->high, value);
}

static void find_ranges(const struct hb_report_figure *figure, struct range *x, struct range *y)
{
  *x = *y = (struct range){INFINITY, -INFINITY};
  for (size_t k = 0; k < figure->plot.count; k++)
    for (size_t p = 0; p < figure->plot.curves[k].count; p++) {
      widen(x, figure->plot.curves[k].x[p]);
      widen(y, figure->plot.curves[k].y[p]);
    }
  for (int k = 0; k < HB_REPORT_BANDS && figure->bands[k].label; k++) {
    widen(y, figure->bands[k].low);
    widen(y, figure->bands[k].high);
  }
}

/* Labels at powers of ten on a long axis, at 1, 2 and 5 on a short one. */
static enum hb_status put_y_axis(struct range y, struct hb_text *script)
{
  HB_TRY(hb_text_append(script, "set yrange [%.9g:%.9g]\n", y.low / 1.5, y.high * 1.5));
  int decades = (int)ceil(log10(y.high / y.low));
  if (decades > 3)
    return hb_text_append(script, "set ytics 10**%d\nset format y '10^{%%L}'\n", (decades + 8) / 9);
  HB_TRY(hb_text_append(script, "set ytics ("));
  for (int decade = (int)floor(log10(y.low)) - 1; pow(10, decade) < 2 * y.high; decade++)
    for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
      HB_TRY(decade < -3 || decade > 4
                 ? hb_text_append(script, "'%s10^{%d}' %.9g,",
                                  digit == 1   ? ""
                                  : digit == 2 ? "2×"
                                               : "5×",
                                  decade, digit * pow(10, decade))
                 : hb_text_append(script, "'%g' %.9g,", digit * pow(10, decade), digit * pow(10, decade)));
  return hb_text_append(script, "'' 1e300)\n");
}

/* Powers of two by their names: 256, 1k, 64k, 1M. */
static enum hb_status put_x_axis(const struct hb_report_figure *figure, struct range x,
                                 struct hb_text *script)
{
  const char *ends = figure->x_falls ? "[%.9g:%.9g] reverse\n" : "[%.9g:%.9g]\n";
  HB_TRY(hb_text_append(script, "set xrange "));
  HB_TRY(hb_text_append(script, ends, x.low / 1.25, x.high * 1.25));
  if (figure->x_base == 10) return hb_text_append(script, "set logscale x 10\nset format x '10^{%%L}'\n");
  HB_TRY(hb_text_append(script, "set logscale x 2\nset xtics ("));
  int low = (int)floor(log2(x.low)), high = (int)ceil(log2(x.high)), step = high - low > 12 ? 2 : 1;
  for (int k = low; k <= high; k += step)
    HB_TRY(hb_text_append(script, "'%.0f%s' %.0f,",
                          ldexp(1, k >= 20   ? k - 20
                                   : k >= 10 ? k - 10
                                             : k),
                          k >= 20   ? "M"
                          : k >= 10 ? "k"
                                    : "",
                          ldexp(1, k)));
  return hb_text_append(script, "'' 1e300)\n");
}

static enum hb_status put_bands(const struct hb_report_figure *figure, struct hb_text *script)
{
  for (int k = 0; k < HB_REPORT_BANDS && figure->bands[k].label; k++) {
    const struct hb_report_band *b = &figure->bands[k];
    HB_TRY(hb_text_append(
        script,
        "set object rectangle from graph 0, first %.9g to graph 1, first %.9g behind fc rgb '%s' "
        "fs transparent solid 0.18 noborder\n"
        "set label '%s' at graph 0.985, first %.9g right front tc rgb '#444444' font ',11' noenhanced\n",
        b->low, b->high, b->colour, b->label, sqrt(b->low * b->high)));
  }
  return HB_OK;
}

static enum hb_status put_curves(const struct hb_report_figure *figure, struct hb_text *script)
{
  for (size_t k = 0; k < figure->plot.count; k++) {
    const struct hb_plot_curve *c = &figure->plot.curves[k];
    HB_TRY(hb_text_append(script, "$curve%zu << END\n", k));
    for (size_t p = 0; p < c->count; p++) HB_TRY(hb_text_append(script, "%.9g %.9g\n", c->x[p], c->y[p]));
    HB_TRY(hb_text_append(script, "END\n"));
    char variable[32];
    snprintf(variable, sizeof variable, "name%zu", k);
    HB_TRY(hb_gnuplot_let(variable, c->family, script));
  }
  for (size_t k = 0; k < figure->plot.count; k++) {
    struct look look = look_of(figure->plot.curves[k].member);
    HB_TRY(hb_text_append(script, "%s$curve%zu using 1:2 with %s%s ", k ? ", \\\n  " : "plot ", k,
                          look.width > 0 ? "lines" : "", look.mark ? "points" : ""));
    if (look.mark) HB_TRY(hb_text_append(script, "ps 0.75 pt %d ", look.mark));
    if (look.width > 0) HB_TRY(hb_text_append(script, "lw %g dt %d ", look.width, look.dash));
    HB_TRY(hb_text_append(script, "lc rgb '%s' title name%zu noenhanced", look.colour, k));
  }
  return hb_text_append(script, "\n");
}

static enum hb_status put_script(const struct hb_report_figure *figure, const char *path,
                                 struct hb_text *script)
{
  struct range x, y;
  find_ranges(figure, &x, &y);
  HB_TRY(hb_gnuplot_begin(path, 1180, 680, script));
  HB_TRY(hb_text_append(script,
                        "set encoding utf8\nset logscale y 10\n"
                        "set border 3 lw 1 lc rgb '#606060'\n"
                        "set tics nomirror font ',12'\n"
                        "set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'\n"
                        "set key outside right center samplen 3 spacing 1.25 Left reverse font ',12'\n"
                        "set xlabel '%s'\nset ylabel '%s'\n",
                        figure->x_label, figure->y_label));
  HB_TRY(put_x_axis(figure, x, script));
  HB_TRY(put_y_axis(y, script));
  HB_TRY(put_bands(figure, script));
  return put_curves(figure, script);
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static enum hb_status write_csv(const struct hb_report_figure *figure)
{
  struct hb_text csv = {0};
  char path[128];
  snprintf(path, sizeof path, "data/%s.csv", figure->name);
  enum hb_status status = hb_text_append(&csv, "curve,%s,%s\n", figure->x_column, figure->y_column);
  for (size_t k = 0; k < figure->plot.count; k++) {
    const struct hb_plot_curve *c = &figure->plot.curves[k];
    for (size_t p = 0; p < c->count && status == HB_OK; p++) {
      for (const char *s = c->family; *s && status == HB_OK; s++)
        status = hb_text_append_bytes(&csv, *s == ',' ? ";" : s, 1);
      if (status == HB_OK) status = hb_text_append(&csv, ",%.9g,%.6g\n", c->x[p], c->y[p]);
    }
  }
  if (status == HB_OK) status = hb_file_replace(path, csv.text, csv.length);
  hb_mem_free(csv.text);
  return status;
}

/* The element alone; names inside it get the figure's, because a page has many. */
static enum hb_status put_svg(const struct hb_report_figure *figure, const char *path, struct hb_text *html)
{
  char *text;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  const char *s = strstr(text, "<svg");
  enum hb_status status = s ? HB_OK : hb_fail(HB_ERR_IO, "%s: gnuplot wrote no drawing", path);
  static const char *const names[] = {"gnuplot_plot_", "gpDot", "gpPt", "textbox_"};
  while (status == HB_OK && *s) {
    size_t k = 0;
    while (k < 4 && strncmp(s, names[k], strlen(names[k])) != 0) k++;
    if (k < 4) {
      status = hb_text_append(html, "%s_%s", figure->name, names[k]);
      s += strlen(names[k]);
    } else {
      status = hb_text_append_bytes(html, s++, 1);
    }
  }
  hb_mem_free(text);
  return status;
}

void hb_report_figure_end(struct hb_report *report, struct hb_report_figure *figure, const char *title,
                          const char *caption)
{
  struct hb_text script = {0};
  char path[128];
  snprintf(path, sizeof path, "figures/%s.svg", figure->name);
  if (figure->plot.count == 0) {
    hb_report_lack(report, "%s has no curves.", title);
  } else {
    if (report->status == HB_OK) note(report, write_csv(figure));
    if (report->status == HB_OK) note(report, put_script(figure, path, &script));
    if (report->status == HB_OK) note(report, hb_gnuplot_draw(path, &script));
    hb_report_put(report, "<figure>\n");
    if (report->status == HB_OK) note(report, put_svg(figure, path, &report->html));
    hb_report_put(report,
                  "<figcaption><b>%s.</b> %s <a href=\"data/%s.csv\">CSV</a></figcaption>\n</figure>\n",
                  title, caption, figure->name);
    report->figures++;
  }
  hb_mem_free(script.text);
  hb_plot_clear(&figure->plot);
}
