#include "plot/plot.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "console/target.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- kinds of figures -------------------------------------------------------------------------------- */

static const struct kind {
  const char *extension, *terminal;
  double scale; /* of its unit to a pixel of png */
} kinds[] = {
    {".png", "pngcairo size %.0f,%.0f font 'sans,13' linewidth 1.5 rounded", 1},
    {".svg", "svg size %.0f,%.0f font 'sans,14' background '#ffffff'", 0.75},
    {".pdf", "pdfcairo size %gin,%gin font 'sans,14'", 0.0075},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *kind_of(const char *path)
{
  for (int k = 0; k < KINDS; k++)
    if (strcasecmp(hb_text_extension(path), kinds[k].extension) == 0) return &kinds[k];
  return NULL;
}

static enum hb_status unknown_kind(const char *path)
{
  return hb_fail(HB_ERR_USAGE, "cannot draw '%s': its extension is not png, svg or pdf", path);
}

/* ---- the program ------------------------------------------------------------------------------------- */

static enum hb_status read_figure(int fd, struct hb_text *figure)
{
  char part[16384];
  for (ssize_t got; (got = read(fd, part, sizeof part)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return hb_fail(HB_ERR_IO, "cannot read from gnuplot: %s", strerror(errno));
    HB_TRY(hb_text_append_bytes(figure, part, (size_t)got));
  }
  return HB_OK;
}

/* The figure that gnuplot draws from a script (NULL: none), ignoring ~/.gnuplot. It draws after it has read everything, so
 * neither waits for the other. */
static enum hb_status run_gnuplot(const char *path, const struct hb_text *script, struct hb_text *figure)
{
  const char *const words[] = {"gnuplot", "--default-settings", NULL};
  char context[512];
  snprintf(context, sizeof context, "cannot draw %s", path);
  struct hb_process gnuplot;
  if (hb_process_start(words, HB_PROCESS_TO | HB_PROCESS_FROM | HB_PROCESS_SILENT, &gnuplot) != HB_OK)
    return hb_fail_in(HB_ERR_IO, context);
  enum hb_status status = HB_OK;
  if (script) status = hb_file_write(gnuplot.to, "gnuplot's input", script->text, script->length);
  hb_process_close(&gnuplot.to);
  if (status == HB_OK) status = read_figure(gnuplot.from, figure);
  if (hb_process_end(&gnuplot).code != 0 && status == HB_OK)
    status = hb_fail(HB_ERR_IO, "%s: gnuplot failed", context);
  return status;
}

/* ---- what callers use -------------------------------------------------------------------------------- */

enum hb_status hb_plot_check(const char *path)
{
  if (!kind_of(path)) return unknown_kind(path);
  HB_TRY(hb_target_check(path, "")); /* the folder only, the format is known */
  struct hb_text nothing = {0};
  enum hb_status status = run_gnuplot(path, NULL, &nothing);
  hb_mem_free(nothing.text);
  return status;
}

void hb_plot_begin(const char *path, int width, int height, struct hb_draft *script)
{
  const struct kind *kind = kind_of(path);
  char terminal[128];
  if (!kind) {
    hb_draft_note(script, unknown_kind(path));
    return;
  }
  snprintf(terminal, sizeof terminal, kind->terminal, width * kind->scale, height * kind->scale);
  hb_draft_put(script, "set terminal %s\n", terminal);
}

/* A data block is not parsed; with '=' before it the text cannot be the line that ends the block. */
void hb_plot_let(const char *name, const char *text, struct hb_draft *script)
{
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) {
      hb_draft_note(script, hb_fail(HB_ERR_USAGE, "cannot draw '%s': it contains a control character", text));
      return;
    }
  hb_draft_put(script, "$text << END\n=%s\nEND\n%s = $text[1][2:*]\n", text, name);
}

enum hb_status hb_plot_end(const char *path, struct hb_draft *script)
{
  struct hb_text figure = {0};
  enum hb_status status = script->status;
  if (status == HB_OK) status = run_gnuplot(path, &script->text, &figure);
  if (status == HB_OK && figure.length == 0)
    status = hb_fail(HB_ERR_IO, "cannot draw %s: gnuplot cannot make %s files", path, strrchr(path, '.') + 1);
  if (status == HB_OK) status = hb_file_replace(path, figure.text, figure.length);
  hb_mem_free(figure.text);
  hb_draft_clear(script);
  return status;
}

/* ---- curves ------------------------------------------------------------------------------------------ */

enum hb_status hb_plot_curve(struct hb_plot *plot, const char *family, const char *member,
                             struct hb_plot_curve **curve)
{
  for (size_t k = 0; k < plot->count; k++) {
    *curve = &plot->curves[k];
    if (strcmp((*curve)->family, family) == 0 && strcmp((*curve)->member, member) == 0) return HB_OK;
  }
  HB_TRY(HB_GROW(plot->count, &plot->capacity, &plot->curves));
  *curve = &plot->curves[plot->count++];
  snprintf((*curve)->family, HB_PLOT_NAME, "%s", family);
  snprintf((*curve)->member, HB_PLOT_NAME, "%s", member);
  return HB_OK;
}

enum hb_status hb_plot_add(struct hb_plot *plot, const char *family, const char *member, double x, double y)
{
  int is_linear = plot->x_kind == HB_PLOT_X_TIMES || plot->x_kind == HB_PLOT_X_OWN;
  if (!isfinite(x) || !isfinite(y) || !(y > 0) || !(is_linear || x > 0)) return HB_OK;
  struct hb_plot_curve *curve = NULL;
  HB_TRY(hb_plot_curve(plot, family, member, &curve));
  HB_TRY(HB_GROW(curve->count, &curve->capacity, &curve->points));
  curve->points[curve->count++] = (struct hb_plot_point){x, y};
  return HB_OK;
}

enum hb_status hb_plot_add_reference(struct hb_plot *plot, const char *family, const char *member, double x,
                                     double y)
{
  struct hb_plot_curve *curve = NULL;
  HB_TRY(hb_plot_curve(plot, family, member, &curve));
  curve->is_reference = 1;
  return hb_plot_add(plot, family, member, x, y);
}

void hb_plot_clear(struct hb_plot *plot)
{
  for (size_t k = 0; k < plot->count; k++) hb_mem_free(plot->curves[k].points);
  hb_mem_free(plot->curves);
  plot->curves = NULL;
  plot->count = plot->capacity = 0;
}

/* ---- axes -------------------------------------------------------------------------------------------- */

struct range {
  double low, high;
};

static void widen(struct range *range, double value)
{
  range->low = fmin(range->low, value);
  range->high = fmax(range->high, value);
}

static void find_ranges(const struct hb_plot *plot, struct range *x, struct range *y)
{
  *x = *y = (struct range){INFINITY, -INFINITY};
  for (size_t k = 0; k < plot->count; k++)
    for (size_t p = 0; p < plot->curves[k].count; p++) {
      widen(x, plot->curves[k].points[p].x);
      widen(y, plot->curves[k].points[p].y);
    }
  for (int k = 0; k < HB_PLOT_BANDS && plot->bands[k].label; k++) {
    widen(y, plot->bands[k].low);
    widen(y, plot->bands[k].high);
  }
}

/* Powers of two by their names: 256, 1k, 64k, 1M. */
static void put_named_twos(struct range x, struct hb_draft *script)
{
  static const char *const thousands[] = {"", "k", "M", "G"};
  int low = (int)floor(log2(x.low)), high = (int)ceil(log2(x.high)), step = high - low > 12 ? 2 : 1;
  hb_draft_put(script, "set xtics (");
  for (int k = low; k <= high; k += step) {
    int thousand = k < 10 ? 0 : k < 40 ? k / 10 : 3;
    hb_draft_put(script, "'%.0f%s' %.0f,", ldexp(1, k - 10 * thousand), thousands[thousand], ldexp(1, k));
  }
  hb_draft_put(script, "'' 1e300)\n");
}

/* Labels at 1, 2 and 5 of each decade. */
static void put_digits(char axis, struct range y, int is_named, struct hb_draft *script)
{
  static const char *const times[] = {"", "", "2×", "", "", "5×"};
  hb_draft_put(script, "set %ctics (", axis);
  for (int decade = (int)floor(log10(y.low)) - 1; pow(10, decade) < 2 * y.high; decade++)
    for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
      double value = digit * pow(10, decade);
      if (is_named && (decade < -3 || decade > 4))
        hb_draft_put(script, "'%s10^{%d}' %.9g,", times[digit], decade, value);
      else if (is_named)
        hb_draft_put(script, "'%g' %.9g,", value, value);
      else
        hb_draft_put(script, "%.9g,", value);
    }
  hb_draft_put(script, is_named ? "'' 1e300)\n" : "1e300)\n");
}

static void put_x_axis(const struct hb_plot *plot, struct range x, struct hb_draft *script)
{
  if (plot->x_kind == HB_PLOT_X_OWN) return;
  if (plot->x_kind == HB_PLOT_X_TIMES) {
    hb_draft_put(script, "set xrange [%.17g:%.17g]\n", plot->x_low, plot->x_high);
    return;
  }
  hb_draft_put(script, "set logscale x %d\n", plot->x_kind == HB_PLOT_X_TENS ? 10 : 2);
  hb_draft_put(script, "set xrange [%.9g:%.9g]\n", x.low / 1.25, x.high * 1.25);
  if (plot->x_kind == HB_PLOT_X_TENS && x.high > 1e3 * x.low)
    hb_draft_put(script, "set format x '10^{%%L}'\n");
  else if (plot->x_kind == HB_PLOT_X_TENS)
    put_digits('x', x, 1, script);
  if (plot->x_kind == HB_PLOT_X_TWOS_NAMED) put_named_twos(x, script);
}

/* From the power of ten below to the one above, at least two decades; 10^-16 to 1 without points. */
static void put_decades(struct range y, struct hb_draft *script)
{
  int low = y.low > 0 && isfinite(y.low) ? (int)floor(log10(y.low) - 0.05) : -16;
  int high = y.high > 0 && isfinite(y.high) ? (int)ceil(log10(y.high) + 0.05) : 0;
  if (high < low + 2) high = low + 2;
  hb_draft_put(script, "set yrange [1e%d:1e%d]\nset ytics 10**%d\nset format y '10^{%%L}'\n", low, high,
               (high - low + 8) / 9);
}

static void put_y_axis(const struct hb_plot *plot, struct range y, struct hb_draft *script)
{
  if (plot->y_kind == HB_PLOT_Y_OWN) return;
  hb_draft_put(script, "set logscale y 10\n");
  if (plot->y_kind == HB_PLOT_Y_DECADES) {
    put_decades(y, script);
    return;
  }
  if (!(y.low < INFINITY) || (plot->y_kind == HB_PLOT_Y_DIGITS && !(y.low < y.high)))
    y = (struct range){0.1, 1};
  double margin = plot->y_margin > 0 ? plot->y_margin : 1.4;
  hb_draft_put(script, "set yrange [%.9g:%.9g]\n", y.low / margin, y.high * margin);
  int decades = (int)ceil(log10(y.high / y.low)), is_long = decades > 3;
  if (plot->y_kind == HB_PLOT_Y_NAMED && is_long)
    hb_draft_put(script, "set ytics 10**%d\nset format y '10^{%%L}'\n", (decades + 8) / 9);
  else if (plot->y_kind == HB_PLOT_Y_DIGITS || !is_long)
    put_digits('y', y, plot->y_kind == HB_PLOT_Y_NAMED, script);
}

static void put_label(const char *which, const char *label, struct hb_draft *script)
{
  if (!label) return;
  hb_plot_let("label", label, script);
  hb_draft_put(script, "set %s label\n", which);
}

/* ---- the script -------------------------------------------------------------------------------------- */

static void put_bands(const struct hb_plot *plot, struct hb_draft *script)
{
  for (int k = 0; k < HB_PLOT_BANDS && plot->bands[k].label; k++) {
    const struct hb_plot_band *b = &plot->bands[k];
    hb_draft_put(
        script,
        "set object rectangle from graph 0, first %.9g to graph 1, first %.9g behind fc rgb '%s' "
        "fs transparent solid 0.18 noborder\n"
        "set label '%s' at graph 0.985, first %.9g right front tc rgb '#444444' font ',11' noenhanced\n",
        b->low, b->high, b->color, b->label, sqrt(b->low * b->high));
  }
}

/* Numbers in a block before the plot: gnuplot reads everything before it draws. NaN keeps a curve without points in the
 * key. */
static void put_data(const struct hb_plot_curve *curve, size_t k, struct hb_draft *script)
{
  char variable[32], name[2 * HB_PLOT_NAME + 8];
  hb_draft_put(script, "$curve%zu << END\n", k);
  for (size_t p = 0; p < curve->count; p++)
    hb_draft_put(script, "%.9g %.9g\n", curve->points[p].x, curve->points[p].y);
  hb_draft_put(script, "%sEND\n", curve->count ? "" : "NaN NaN\n");
  snprintf(variable, sizeof variable, "name%zu", k);
  snprintf(name, sizeof name, "%s%s%s%s", curve->family, curve->is_reference ? "," : "",
           *curve->member ? " " : "", curve->member);
  hb_plot_let(variable, name, script);
}

static void put_curve(const struct hb_plot_curve *curve, size_t k, struct hb_draft *script)
{
  const struct hb_plot_look *look = &curve->look;
  if (curve->is_boxes)
    hb_draft_put(script, "$curve%zu with boxes ", k);
  else
    hb_draft_put(script, "$curve%zu using 1:2 with %s%s ", k, look->width > 0 ? "lines" : "",
                 look->mark ? "points" : "");
  if (look->mark) hb_draft_put(script, "ps %g pt %d ", look->mark_size, look->mark);
  if (look->width > 0) hb_draft_put(script, "lw %g dt %s ", look->width, look->dash ? look->dash : "1");
  hb_draft_put(script, "lc rgb '%s' ", look->color);
  if (curve->is_unnamed)
    hb_draft_put(script, "notitle");
  else
    hb_draft_put(script, "title name%zu noenhanced", k);
}

void hb_plot_put(const struct hb_plot *plot, struct hb_draft *script)
{
  struct range x, y;
  find_ranges(plot, &x, &y);
  put_label("title", plot->title, script);
  put_label("xlabel", plot->x_label, script);
  put_label("ylabel", plot->y_label, script);
  put_x_axis(plot, x, script);
  put_y_axis(plot, y, script);
  put_bands(plot, script);
  for (size_t k = 0; k < plot->count; k++) put_data(&plot->curves[k], k, script);
  const char *between = "plot ";
  for (size_t k = 0; k < plot->count; k++) {
    if (plot->curves[k].is_hidden) continue;
    hb_draft_put(script, "%s", between);
    put_curve(&plot->curves[k], k, script);
    between = ", \\\n  ";
  }
  hb_draft_put(script, "\n");
}

/* ---- a figure of its own ----------------------------------------------------------------------------- */

/* Colors that the color-blind can tell apart (Okabe and Ito), then marks, open ones for references. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#e69f00", "#000000"};
static const char *const dashes[] = {"1", "2", "3", "4", "5"};
static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8}, open_marks[] = {10, 6, 8, 4};
enum { COLORS = sizeof colors / sizeof *colors, MARKS = sizeof marks / sizeof *marks };

/* The number of distinct families or members (by offset in the struct) before that of curve k. */
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

static void give_looks(struct hb_plot *plot)
{
  for (size_t k = 0, references = 0; k < plot->count; k++) {
    struct hb_plot_curve *c = &plot->curves[k];
    size_t family = rank(plot, k, offsetof(struct hb_plot_curve, family));
    size_t member = rank(plot, k, offsetof(struct hb_plot_curve, member));
    c->look = c->is_reference ? (struct hb_plot_look){"#707070", open_marks[references++ % 4], 1.2, 0.8, "3"}
                              : (struct hb_plot_look){colors[family % COLORS], marks[member % MARKS], 1.1, 2,
                                                      dashes[member % 5]};
  }
}

enum hb_status hb_plot_write(struct hb_plot *plot, const char *path)
{
  if (plot->count == 0) return hb_fail(HB_ERR_USAGE, "there is nothing to draw in '%s'", path);
  struct hb_draft script = {0};
  hb_plot_begin(path, 1200, 800, &script);
  hb_draft_put(
      &script,
      "set title noenhanced\n"
      "set border 3 lw 1 lc rgb '#606060'\n"
      "set tics nomirror\n"
      "set grid xtics ytics lt 1 lc rgb '#d8d8d8'\n"
      "set key outside center bottom horizontal height 0.6 samplen 5 spacing 1.3 Left reverse noenhanced\n");
  give_looks(plot);
  hb_plot_put(plot, &script);
  return hb_plot_end(path, &script);
}
