#include "plot/plot.h"

#include "base/mem.h"
#include "plot/gnuplot.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- curves ------------------------------------------------------------------------------------------ */

static enum hb_status find_curve(struct hb_plot *plot, const char *family, const char *member,
                                 struct hb_plot_curve **found)
{
  for (size_t k = 0; k < plot->count; k++) {
    *found = &plot->curves[k];
    if (strcmp((*found)->family, family) == 0 && strcmp((*found)->member, member) == 0) return HB_OK;
  }
  struct hb_plot_curve *curves;
  HB_TRY(HB_ALLOC(plot->count + 1, &curves));
  if (plot->count) memcpy(curves, plot->curves, plot->count * sizeof *curves);
  hb_mem_free(plot->curves);
  plot->curves = curves;
  *found = &curves[plot->count++];
  snprintf((*found)->family, HB_PLOT_NAME, "%s", family);
  snprintf((*found)->member, HB_PLOT_NAME, "%s", member);
  return HB_OK;
}

static enum hb_status grow(struct hb_plot_curve *curve)
{
  if (curve->count < curve->room) return HB_OK;
  size_t room = 2 * curve->room + 16;
  double **columns[] = {&curve->x, &curve->y};
  for (int k = 0; k < 2; k++) {
    double *larger;
    HB_TRY(HB_ALLOC(room, &larger));
    if (curve->count) memcpy(larger, *columns[k], curve->count * sizeof *larger);
    hb_mem_free(*columns[k]);
    *columns[k] = larger;
  }
  curve->room = room;
  return HB_OK;
}

enum hb_status hb_plot_add(struct hb_plot *plot, const char *family, const char *member, double x, double y)
{
  if (!(x > 0 && y > 0 && isfinite(x) && isfinite(y))) return HB_OK;
  struct hb_plot_curve *curve = NULL;
  HB_TRY(find_curve(plot, family, member, &curve));
  HB_TRY(grow(curve));
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
  return HB_OK;
}

enum hb_status hb_plot_add_reference(struct hb_plot *plot, const char *family, const char *member, double x,
                                     double y)
{
  HB_TRY(hb_plot_add(plot, family, member, x, y));
  struct hb_plot_curve *curve = NULL;
  HB_TRY(find_curve(plot, family, member, &curve));
  curve->is_reference = 1;
  return HB_OK;
}

void hb_plot_clear(struct hb_plot *plot)
{
  for (size_t k = 0; k < plot->count; k++) {
    hb_mem_free(plot->curves[k].x);
    hb_mem_free(plot->curves[k].y);
  }
  hb_mem_free(plot->curves);
  plot->curves = NULL;
  plot->count = 0;
}

/* ---- the script -------------------------------------------------------------------------------------- */

/* Colours that stay apart for eyes that see red and green alike (Okabe and Ito), then marks. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#000000"};
static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8};
enum { COLOURS = sizeof colours / sizeof *colours, MARKS = sizeof marks / sizeof *marks };

static const double FEW_LABELS = 1000; /* a y axis shorter than this has labels at 1, 2 and 5 */

/* The number of different families or members (by their place in the struct) before that of curve k came up. */
static size_t rank(const struct hb_plot *plot, size_t k, size_t offset)
{
#define NAME(c) ((const char *)&plot->curves[c] + offset)
  size_t number = 0;
  for (size_t first = 0; strcmp(NAME(first), NAME(k)) != 0; first++) {
    size_t same = 0;
    while (strcmp(NAME(same), NAME(first)) != 0) same++;
    number += same == first;
  }
#undef NAME
  return number;
}

/* Numbers in blocks before the plot: gnuplot has read all before it draws. */
static enum hb_status write_data(const struct hb_plot *plot, struct hb_text *script)
{
  for (size_t k = 0; k < plot->count; k++) {
    const struct hb_plot_curve *curve = &plot->curves[k];
    HB_TRY(hb_text_append(script, "$curve%zu << END\n", k));
    for (size_t p = 0; p < curve->count; p++)
      HB_TRY(hb_text_append(script, "%.9g %.9g\n", curve->x[p], curve->y[p]));
    HB_TRY(hb_text_append(script, "END\n"));
  }
  return HB_OK;
}

/* A little room around the curves, and on a short y axis more than a label in ten. */
static enum hb_status write_ranges(const struct hb_plot *plot, struct hb_text *script)
{
  double x[2] = {INFINITY, 0}, y[2] = {INFINITY, 0};
  for (size_t k = 0; k < plot->count; k++)
    for (size_t p = 0; p < plot->curves[k].count; p++) {
      x[0] = fmin(x[0], plot->curves[k].x[p]), x[1] = fmax(x[1], plot->curves[k].x[p]);
      y[0] = fmin(y[0], plot->curves[k].y[p]), y[1] = fmax(y[1], plot->curves[k].y[p]);
    }
  HB_TRY(hb_text_append(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x[0] / 1.25, x[1] * 1.25,
                        y[0] / 1.4, y[1] * 1.4));
  if (y[1] / y[0] > FEW_LABELS) return HB_OK;
  HB_TRY(hb_text_append(script, "set ytics ("));
  for (int decade = (int)floor(log10(y[0])) - 1; pow(10, decade) < 2 * y[1]; decade++)
    for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
      HB_TRY(hb_text_append(script, "%.9g,", digit * pow(10, decade)));
  return hb_text_append(script, "1e300)\n");
}

/* The names of the curves as name0, name1, ... */
static enum hb_status write_names(const struct hb_plot *plot, struct hb_text *script)
{
  for (size_t k = 0; k < plot->count; k++) {
    const struct hb_plot_curve *c = &plot->curves[k];
    char variable[32], name[2 * HB_PLOT_NAME + 8];
    snprintf(variable, sizeof variable, "name%zu", k);
    snprintf(name, sizeof name, "%s%s %s", c->family, c->is_reference ? "," : "", c->member);
    HB_TRY(hb_gnuplot_let(variable, name, script));
  }
  return HB_OK;
}

/* Open marks of its own, in the order of the references. */
static enum hb_status write_reference(const struct hb_plot *plot, size_t k, struct hb_text *script)
{
  static const int open[] = {10, 6, 8, 4};
  size_t before = 0;
  for (size_t c = 0; c < k; c++) before += plot->curves[c].is_reference != 0;
  return hb_text_append(
      script,
      "%s$curve%zu using 1:2 with linespoints lw 0.8 dt 3 ps 1.2 pt %d lc rgb '#707070' title name%zu",
      k ? ", \\\n  " : "plot ", k, open[before % 4], k);
}

static enum hb_status write_curve(const struct hb_plot *plot, size_t k, struct hb_text *script)
{
  if (plot->curves[k].is_reference) return write_reference(plot, k, script);
  size_t colour = rank(plot, k, offsetof(struct hb_plot_curve, family)) % COLOURS;
  size_t member = rank(plot, k, offsetof(struct hb_plot_curve, member));
  return hb_text_append(
      script, "%s$curve%zu using 1:2 with linespoints lw 2 ps 1.1 pt %d dt %zu lc rgb '%s' title name%zu",
      k ? ", \\\n  " : "plot ", k, marks[member % MARKS], member % 5 + 1, colours[colour], k);
}

static enum hb_status write_label(const char *which, const char *label, struct hb_text *script)
{
  HB_TRY(hb_gnuplot_let("label", label, script));
  return hb_text_append(script, "set %s label\n", which);
}

static enum hb_status write_script(const struct hb_plot *plot, const char *path, struct hb_text *script)
{
  HB_TRY(hb_gnuplot_begin(path, 1200, 800, script));
  HB_TRY(hb_text_append(script, "set termoption noenhanced\n"
                                "set logscale x 2\n"
                                "set logscale y 10\n"
                                "set border 3 lw 1 lc rgb '#606060'\n"
                                "set tics nomirror\n"
                                "set grid xtics ytics lt 1 lc rgb '#d8d8d8'\n"
                                "set key outside right center samplen 5 spacing 1.3 Left reverse\n"));
  HB_TRY(write_label("title", plot->title, script));
  HB_TRY(write_label("xlabel", plot->x_label, script));
  HB_TRY(write_label("ylabel", plot->y_label, script));
  HB_TRY(write_ranges(plot, script));
  HB_TRY(write_data(plot, script));
  HB_TRY(write_names(plot, script));
  for (size_t k = 0; k < plot->count; k++) HB_TRY(write_curve(plot, k, script));
  return hb_text_append(script, "\n");
}

enum hb_status hb_plot_write(const struct hb_plot *plot, const char *path)
{
  if (plot->count == 0) return hb_fail(HB_ERR_USAGE, "there is nothing to draw in '%s'", path);
  struct hb_text script = {0};
  enum hb_status status = write_script(plot, path, &script);
  if (status == HB_OK) status = hb_gnuplot_draw(path, &script);
  hb_mem_free(script.text);
  return status;
}
