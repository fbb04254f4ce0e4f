#include "plot/plot.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/text.h"
#include "console/commands.h"
#include "console/target.h"
#include "console/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
  const char *context = hb_phrase("cannot draw %s", path);
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
  HB_OWN struct hb_text nothing = {0};
  return run_gnuplot(path, NULL, &nothing);
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

/* Passes text from outside to gnuplot as data, never as part of the script: sets a variable, for "title NAME". Keeps
 * HB_ERR_USAGE (a control character). A data block is not parsed; with '=' before it the text cannot be the line that ends the block. */
static void plot_let(const char *name, const char *text, struct hb_draft *script)
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
  HB_OWN struct hb_text figure = {0};
  enum hb_status status = script->status;
  if (status == HB_OK) status = run_gnuplot(path, &script->text, &figure);
  if (status == HB_OK && figure.length == 0)
    status = hb_fail(HB_ERR_IO, "cannot draw %s: gnuplot cannot make %s files", path, strrchr(path, '.') + 1);
  if (status == HB_OK) status = hb_file_replace(path, figure.text, figure.length);
  hb_draft_clear(script);
  return status;
}

/* ---- curves ------------------------------------------------------------------------------------------ */

/* The curve of that name, added if missing; *curve is valid until another one is added. */
static enum hb_status find_curve(struct hb_plot *plot, const char *family, const char *member,
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
  HB_TRY(find_curve(plot, family, member, &curve));
  HB_TRY(HB_GROW(curve->count, &curve->capacity, &curve->points));
  curve->points[curve->count++] = (struct hb_plot_point){x, y};
  return HB_OK;
}

enum hb_status hb_plot_add_reference(struct hb_plot *plot, const char *family, const char *member, double x,
                                     double y)
{
  struct hb_plot_curve *curve = NULL;
  HB_TRY(find_curve(plot, family, member, &curve));
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

/* Ticks from the power of two `low` to `high` by their names, 256, 1k, 64k, 1M; at the powers or at their exponents. */
static void put_named_twos(int low, int high, int step, int is_at_exponents, struct hb_draft *script)
{
  static const char *const thousands[] = {"", "k", "M", "G"};
  hb_draft_put(script, "set xtics (");
  for (int k = low; k <= high; k += step) {
    int thousand = k < 10 ? 0 : k < 40 ? k / 10 : 3;
    hb_draft_put(script, "'%.0f%s' %.0f,", ldexp(1, k - 10 * thousand), thousands[thousand],
                 is_at_exponents ? k : ldexp(1, k));
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
  if (plot->x_kind != HB_PLOT_X_TWOS_NAMED) return;
  int low = (int)floor(log2(x.low)), high = (int)ceil(log2(x.high));
  put_named_twos(low, high, high - low > 12 ? 2 : 1, 0, script);
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
  plot_let("label", label, script);
  hb_draft_put(script, "set %s label\n", which);
}

/* ---- the script -------------------------------------------------------------------------------------- */

/* Whether the curves come nearer to a level in the right half than in the left one: its label is put where there is room. */
static int is_right_taken(const struct hb_plot *plot, struct range x, double level)
{
  double nearest[2] = {INFINITY, INFINITY}, middle = sqrt(x.low * x.high);
  for (size_t k = 0; k < plot->count; k++)
    for (size_t p = 0; p < plot->curves[k].count; p++) {
      const struct hb_plot_point *at = &plot->curves[k].points[p];
      double *half = &nearest[at->x > middle];
      *half = fmin(*half, fabs(log(at->y / level)));
    }
  return nearest[1] < nearest[0];
}

static void put_bands(const struct hb_plot *plot, struct range x, struct hb_draft *script)
{
  for (int k = 0; k < HB_PLOT_BANDS && plot->bands[k].label; k++) {
    const struct hb_plot_band *b = &plot->bands[k];
    const double level = sqrt(b->low * b->high);
    const int is_left = is_right_taken(plot, x, level);
    hb_draft_put(script,
                 "set object rectangle from graph 0, first %.9g to graph 1, first %.9g behind fc rgb '%s' "
                 "fs transparent solid 0.18 noborder\n"
                 "set label '%s' at graph %g, first %.9g %s front tc rgb '#444444' font ',11' noenhanced\n",
                 b->low, b->high, b->color, b->label, is_left ? 0.03 : 0.985, level,
                 is_left ? "left" : "right");
  }
}

/* Numbers in a block before the plot: gnuplot reads everything before it draws. NaN keeps a curve without points in the
 * key. */
static void put_data(const struct hb_plot_curve *curve, size_t k, struct hb_draft *script)
{
  hb_draft_put(script, "$curve%zu << END\n", k);
  for (size_t p = 0; p < curve->count; p++)
    hb_draft_put(script, "%.9g %.9g\n", curve->points[p].x, curve->points[p].y);
  hb_draft_put(script, "%sEND\n", curve->count ? "" : "NaN NaN\n");
  const char *name = hb_phrase("%s%s%s%s", curve->family, curve->is_reference ? "," : "",
                               *curve->member ? " " : "", curve->member);
  plot_let(hb_phrase("name%zu", k), name, script);
}

static void put_curve(const struct hb_plot_curve *curve, size_t k, struct hb_draft *script)
{
  const struct hb_plot_look *look = &curve->look;
  if (curve->is_band) {
    hb_draft_put(
        script,
        "$curve%zu using 1:2 with filledcurves closed fs transparent solid 0.15 noborder fc rgb '%s' notitle",
        k, look->color);
    return;
  }
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
  put_bands(plot, x, script);
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

/* ---- figures of runs ------------------------------------------------------------------------------------ */

enum { COLUMNS_MOST = 4096, NAME = 40 };

/* Columns that are words. */
enum { SCHEME, PRECISION, UNITS, WORDS };
static const char *const words[WORDS] = {"scheme", "precision", "units"};

/* The table that --diag or --follow wrote, read back: numbers by name. */
struct table {
  size_t rows, columns;
  char (*names)[NAME];     /* [columns]                                              */
  double *values;          /* [rows * columns]; NaN for null, words and missing values */
  size_t capacity;         /* of values                                              */
  char words[WORDS][NAME]; /* of the last row; "": none, none, N-body */
};

/* The index of a column, -1: none. */
static int find(const struct table *table, const char *name)
{
  for (size_t k = 0; k < table->columns; k++)
    if (strcmp(table->names[k], name) == 0) return (int)k;
  return -1;
}

static double at(const struct table *table, size_t row, const char *column)
{
  int k = find(table, column);
  return k < 0 ? NAN : table->values[row * table->columns + (size_t)k];
}

static double at_end(const struct table *table, const char *column)
{
  return at(table, table->rows - 1, column);
}

/* ---- reading it -------------------------------------------------------------------------------------- */

static enum hb_status add_name(struct table *t, const char *name, size_t length)
{
  if (length == 0 || length >= NAME)
    return hb_fail(HB_ERR_INPUT, "'%.*s' is not a valid column name", (int)(length < 60 ? length : 60), name);
  if (t->columns == COLUMNS_MOST)
    return hb_fail(HB_ERR_INPUT, "there are more than %d columns", COLUMNS_MOST);
  snprintf(t->names[t->columns++], NAME, "%.*s", (int)length, name);
  return HB_OK;
}

static enum hb_status add_row(struct table *t)
{
  size_t count = t->rows++ * t->columns;
  for (size_t k = count; k < count + t->columns; k++) {
    HB_TRY(HB_GROW(k, &t->capacity, &t->values));
    t->values[k] = NAN;
  }
  return HB_OK;
}

/* Sets a value of the last row: a number, true, false, or one of the words for the figure's text. */
static enum hb_status set_value(struct table *t, size_t column, const char *text, size_t length)
{
  char word[64], *end;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  double *value = &t->values[(t->rows - 1) * t->columns + column];
  *value = strtod(word, &end);
  if (end != word && *end == 0 && length < sizeof word) return HB_OK;
  *value = strcmp(word, "true") == 0 ? 1 : strcmp(word, "false") == 0 ? 0 : NAN;
  if (!isnan(*value) || strcmp(word, "null") == 0) return HB_OK;
  int k = 0;
  while (k < WORDS && strcmp(t->names[column], words[k]) != 0) k++;
  if (k == WORDS) return hb_fail(HB_ERR_INPUT, "%s is '%s', expected a number", t->names[column], word);
  for (const char *c = word; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return hb_fail(HB_ERR_INPUT, "%s is '%s', which contains a control character", words[k], word);
  snprintf(t->words[k], NAME, "%.*s", NAME - 1, word);
  return HB_OK;
}

static enum hb_status csv_line(struct table *t, const char *line)
{
  int is_header = t->columns == 0;
  size_t column = 0;
  if (!is_header) HB_TRY(add_row(t));
  for (;; line++, column++) {
    size_t length = strcspn(line, ",\r");
    if (is_header)
      HB_TRY(add_name(t, line, length));
    else if (column < t->columns)
      HB_TRY(set_value(t, column, line, length));
    line += length;
    if (*line != ',') break;
  }
  if (!is_header && column + 1 != t->columns)
    return hb_fail(HB_ERR_INPUT, "%zu value%s, expected %zu", column + 1, hb_text_s(column + 1), t->columns);
  return HB_OK;
}

/* The first object has the names; others, such as some in the last row of `run --json`, are passed over. */
/* Objects are left out: phases and slow of `holmberg run --json`. */
static enum hb_status json_line(struct table *t, const char *line)
{
  cJSON *object, *item;
  HB_TRY(hb_json_read(line, &object));
  enum hb_status status = HB_OK;
  int is_first = t->columns == 0;
  cJSON_ArrayForEach (item, object)
    if (is_first && status == HB_OK && !cJSON_IsObject(item))
      status = add_name(t, item->string, strlen(item->string));
  if (status == HB_OK) status = add_row(t);
  cJSON_ArrayForEach (item, object) {
    char number[64];
    const char *text = hb_json_text_of(item, number);
    int column = find(t, item->string);
    if (status == HB_OK && column >= 0 && !cJSON_IsObject(item))
      status = set_value(t, (size_t)column, text, strlen(text));
  }
  cJSON_Delete(object);
  return status;
}

static enum hb_status read_lines(const char *path, char *text, int csv, struct table *t)
{
  size_t number = 1;
  for (char *end; (end = strchr(text, '\n')); text = end + 1, number++) {
    *end = 0;
    enum hb_status status = csv ? csv_line(t, text) : json_line(t, text);
    if (status == HB_OK) continue;
    return hb_fail_in(status, hb_phrase("%s, line %zu", path, number));
  }
  return t->rows ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: there are no rows", path);
}

/* .csv with a header, or .jsonl, one object per line, the first of which has all names. An unterminated last line is a row
 * still being written, and is left out. */
static enum hb_status read_table(const char *path, struct table *table)
{
  const char *extension = hb_text_extension(path);
  int csv = strcasecmp(extension, ".csv") == 0;
  if (!csv && strcasecmp(extension, ".jsonl") != 0)
    return hb_fail(HB_ERR_USAGE, "cannot read diagnostics from '%s': its extension is not csv or jsonl",
                   path);
  HB_OWN char *text = NULL;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  HB_TRY(HB_ALLOC(COLUMNS_MOST, &table->names));
  return memchr(text, 0, length) ? hb_fail(HB_ERR_INPUT, "%s is not a text", path)
                                 : read_lines(path, text, csv, table);
}

/* ---- curves of columns ------------------------------------------------------------------------------- */

/* The panel being drawn: its plot, and the script of the page for what the plot does not cover. */
struct panel {
  const struct table *table;
  struct hb_draft *script;
  double title_at; /* above the frame */
  struct hb_plot plot;
};

static struct hb_plot_look line(const char *color, double width)
{
  return (struct hb_plot_look){color, 0, 0, width, NULL};
}

/* A curve that is in the key even without points; the result is valid until the next call. */
static struct hb_plot_curve *begin_curve(struct panel *p, const char *name, struct hb_plot_look look)
{
  static struct hb_plot_curve none;
  struct hb_plot_curve *curve = &none;
  hb_draft_note(p->script, find_curve(&p->plot, name, "", &curve));
  curve->look = look;
  return curve;
}

static void add(struct panel *p, const char *curve, double x, double y)
{
  if (p->script->status == HB_OK) hb_draft_note(p->script, hb_plot_add(&p->plot, curve, "", x, y));
}

static void add_column(struct panel *p, const char *name, struct hb_plot_look look, const char *column)
{
  begin_curve(p, name, look)->is_unnamed = strcmp(name, column) == 0;
  for (size_t row = 0; row < p->table->rows; row++)
    add(p, name, at(p->table, row, "t"), at(p->table, row, column));
}

/* ---- the panels -------------------------------------------------------------------------------------- */

/* The error of a column of energies since the first row: what the run says it has made of e_total, without what supernovae, mergers
 * and escapers brought, and by how much more the column has changed. Tables without de_cluster: |E - E0| with e_lost. Over the
 * cluster's own energy at the start; over |E0| in tables that do not have it. */
static void add_error(struct panel *p, const char *curve, const char *color, const char *column)
{
  const struct table *t = p->table;
  begin_curve(p, curve, (struct hb_plot_look){color, 7, 0.5, 2, NULL});
  const char *lost = find(t, "e_lost") >= 0 ? "e_lost" : NULL;
  const char *made = find(t, "de_cluster") >= 0 && find(t, "e_scale") >= 0 ? "de_cluster" : NULL;
  double first = at(t, 0, column) + (lost ? at(t, 0, lost) : 0);
  double scale = find(t, "e_scale") >= 0 ? at(t, 0, "e_scale") : fabs(first);
  for (size_t row = 1; row < t->rows; row++) {
    double change = at(t, row, column) + (lost ? at(t, row, lost) : 0) - first;
    double more = at(t, row, column) - at(t, row, "e_total") - (at(t, 0, column) - at(t, 0, "e_total"));
    add(p, curve, at(t, row, "t"),
        fabs(made ? at(t, row, made) - at(t, 0, made) + more / scale : change / scale));
  }
}

/* Energies in double; and by the source's own potentials, if these differ or there are no others. */
static void draw_energy(struct panel *p)
{
  const struct table *t = p->table;
  int differ = 0, exact = !(at(t, 0, "exact_energy") == 0);
  for (size_t row = 0; row < t->rows; row++) differ = differ || at(t, row, "e_total") != at(t, row, "e_gpu");
  const char *own =
      hb_phrase("potentials of %s", *t->words[SCHEME] ? t->words[SCHEME] : "the source of forces");
  if (differ || !exact) add_error(p, own, "#e69f00", differ ? "e_gpu" : "e_total");
  if (differ || exact) add_error(p, "potentials in double", "#0072b2", "e_total");
}

/* Names at the right ends of curves, from the lowest up. Those that would lie over each other give way to both sides: `at` are
 * heights in the graph from 0 to 1. */
static void part_labels(double *at, int count)
{
  enum { PASSES = 200 };
  const double apart = 0.055; /* a line of the page's smallest graph */
  for (int pass = 0; pass < PASSES; pass++) {
    for (int k = 0; k + 1 < count; k++) {
      double lack = apart - (at[k + 1] - at[k]);
      if (lack > 0) at[k] -= lack / 2, at[k + 1] += lack / 2;
    }
    for (int k = 0; k < count; k++) at[k] = fmin(fmax(at[k], k * apart), 1 - (count - 1 - k) * apart);
  }
}

static const struct shell {
  const char *column, *label, *color;
} shells[] = {{"r_1", "1 %", "#440154"},   {"r_2", "2 %", "#46327e"},   {"r_5", "5 %", "#365c8d"},
              {"r_10", "10 %", "#277f8e"}, {"r_20", "20 %", "#1fa187"}, {"r_50", "50 %", "#4ac16d"},
              {"r_75", "75 %", "#a0c22a"}, {"r_90", "90 %", "#d8b500"}};
enum { SHELLS = sizeof shells / sizeof *shells };

static void label_shells(const struct panel *p)
{
  struct range x, y;
  double at[SHELLS], margin = p->plot.y_margin;
  int of[SHELLS], count = 0;
  find_ranges(&p->plot, &x, &y);
  for (int k = 0; k < SHELLS; k++) {
    double last = at_end(p->table, shells[k].column);
    if (!(last > 0 && y.low < y.high)) continue;
    at[count] = log(last / y.low * margin) / log(y.high / y.low * margin * margin);
    of[count++] = k;
  }
  part_labels(at, count);
  for (int k = 0; k < count; k++)
    hb_draft_put(p->script, "set label '%s' at graph 1,%.4f left offset 0.6,0 tc rgb '%s' font ',11'\n",
                 shells[of[k]].label, at[k], shells[of[k]].color);
}

/* Lagrangian radii, from the inside out, dark to light along viridis: the order shows even without the labels. */
static void draw_radii(struct panel *p)
{
  for (int k = 0; k < SHELLS; k++)
    add_column(p, shells[k].column, line(shells[k].color, 2), shells[k].column);
  add_column(p, "core", (struct hb_plot_look){"#000000", 0, 0, 1.5, "(5,3)"}, "r_core");
  label_shells(p);
}

/* The histogram of the whole run, in its last row: STEM_1 STEM_2 STEM_4 ... How many bins it has. */
static int draw_histogram(struct panel *p, const char *stem, const char *name, const char *color,
                          double shift, double *most)
{
  int bins = 0;
  begin_curve(p, name, line(color, 0))->is_boxes = 1;
  for (; bins < HB_BLOCK_SIZES; bins++) {
    const char *column = hb_phrase("%s_%llu", stem, 1ULL << bins);
    if (find(p->table, column) < 0) break;
    double count = at_end(p->table, column);
    add(p, name, bins + shift, count);
    if (isfinite(count)) *most = fmax(*most, count);
  }
  return bins;
}

/* With neighbors full blocks stand beside all. */
static void draw_blocks(struct panel *p)
{
  double most = 10;
  int has_full = find(p->table, "full_blocks_1") >= 0;
  int bins = draw_histogram(p, "blocks", "all", "#0072b2", has_full ? -0.205 : 0, &most);
  if (has_full) draw_histogram(p, "full_blocks", "full, by their far steps", "#d55e00", 0.205, &most);
  p->plot.curves[0].is_unnamed = !has_full;
  put_named_twos(0, bins - 1, bins > 11 ? 2 : 1, 1, p->script);
  hb_draft_put(p->script, "set xrange [-0.7:%g]\nset yrange [0.5:%.9g]\nset boxwidth %g\n", bins - 0.3,
               most * 2, has_full ? 0.41 : 0.82);
}

/* 0 where there is no such column: without neighbors. */
static double gain(const struct table *t, size_t from, size_t to, const char *column)
{
  return find(t, column) < 0 ? 0 : at(t, to, column) - at(t, from, column);
}

/* Microseconds per block step in each phase, between one row and the next. Above them is a key of up to three rows. */
static void draw_phases(struct panel *p)
{
  static const struct {
    const char *column, *label, *color;
    int mark;
  } phases[] = {{"force_s", "force", "#d55e00", 7},      {"predict_s", "predict", "#0072b2", 5},
                {"correct_s", "correct", "#009e73", 9},  {"send_s", "send", "#cc79a7", 11},
                {"receive_s", "receive", "#56b4e9", 13}, {"near_s", "near", "#e69f00", 6},
                {"lists_s", "lists", "#000000", 4},      {"groups_s", "groups", "#707070", 8}};
  enum { PHASES = sizeof phases / sizeof *phases };
  const struct table *t = p->table;
  const size_t last = t->rows - 1;
  double all = 0;
  int shown = 0;
  for (size_t k = 0; k < PHASES; k++) {
    double seconds = gain(t, 0, last, phases[k].column);
    all += seconds;
    shown += seconds > 0;
  }
  p->title_at = shown > 6 ? 2.9 : 1.7;
  for (size_t k = 0; k < PHASES; k++) {
    const char *column = phases[k].column;
    double share = all > 0 ? 100 * gain(t, 0, last, column) / all : 0;
    const char *name = hb_phrase("%s %.*f %%", phases[k].label, share < 9.95, share);
    struct hb_plot_look look = {phases[k].color, phases[k].mark, 0.6, 2, NULL};
    begin_curve(p, name, look)->is_hidden = k > 0 && !(share > 0); /* no transfers on the host */
    for (size_t row = 1; row <= last; row++)
      add(p, name, at(t, row, "t"),
          1e6 * gain(t, row - 1, row, column) / gain(t, row - 1, row, "block_steps"));
  }
}

/* ---- a particle's steps ------------------------------------------------------------------------------ */

/* Near and far of the particles of --follow, in the order of their first rows. */
static const char *const followed[][2] = {
    {"#0072b2", "#d55e00"}, {"#009e73", "#e69f00"}, {"#cc79a7", "#56b4e9"}, {"#000000", "#707070"}};
enum { FOLLOWED = sizeof followed / sizeof *followed };

/* The first row of the particle that comes after those before `row`; the number of rows: none does. */
static size_t next_followed(const struct table *t, size_t row)
{
  for (; row < t->rows; row++) {
    size_t first = 0;
    while (at(t, first, "id") != at(t, row, "id")) first++;
    if (first == row) break;
  }
  return row;
}

/* A stair: each step lasts until the particle's next row, the last one as long as it is. */
static void add_stair(struct panel *p, size_t first, const char *column, const char *name,
                      struct hb_plot_look look)
{
  const struct table *t = p->table;
  double before = at(t, first, column), end = 0;
  begin_curve(p, name, look);
  add(p, name, at(t, first, "t"), before);
  for (size_t row = first; row < t->rows; row++) {
    if (at(t, row, "id") != at(t, first, "id")) continue;
    double time = at(t, row, "t"), dt = at(t, row, column);
    end = time + at(t, row, "step");
    if (dt == before) continue; /* a corner where nothing turns would show */
    add(p, name, time, before);
    add(p, name, time, dt);
    before = dt;
  }
  add(p, name, fmin(end, p->plot.x_high), before);
}

/* The far step is wider and below: the near one may be as long. */
static void draw_steps(struct panel *p)
{
  const struct table *t = p->table;
  const int has_far = find(t, "far_step") >= 0;
  for (size_t k = 0, row = 0; (row = next_followed(t, row)) < t->rows && k < FOLLOWED; row++, k++) {
    const char *name = hb_phrase("particle %.0f: far step", at(t, row, "id"));
    if (has_far) add_stair(p, row, "far_step", name, line(followed[k][1], 4));
    name = hb_phrase("particle %.0f: %sstep", at(t, row, "id"), has_far ? "near " : "");
    add_stair(p, row, "step", name, line(followed[k][0], 2));
  }
}

static void draw_nearest(struct panel *p)
{
  const struct table *t = p->table;
  for (size_t k = 0, row = 0; (row = next_followed(t, row)) < t->rows && k < FOLLOWED; row++, k++) {
    const char *name = hb_phrase("particle %.0f", at(t, row, "id"));
    begin_curve(p, name, line(followed[k][0], 2));
    for (size_t other = row; other < t->rows; other++)
      if (at(t, other, "id") == at(t, row, "id")) add(p, name, at(t, other, "t"), at(t, other, "nearest"));
  }
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *columns; /* those required, separated by blanks */
  void (*draw)(struct panel *p);
  const char *title, *y_label; /* y_label "r": in its unit */
  enum hb_plot_y y_kind;
  const char *x_label, *script; /* x_label NULL: times */
} panels[] = {
    {"energy", "t e_total e_gpu", draw_energy, "Energy error", "|E(t) - E(0)| / |E(0)|", HB_PLOT_Y_DECADES,
     NULL, ""},
    {"radii", "t r_1 r_2 r_5 r_10 r_20 r_50 r_75 r_90 r_core", draw_radii, "Lagrangian radii", "r",
     HB_PLOT_Y_DIGITS, NULL, "set format y '%g'\n"},
    {"blocks", "t blocks_1", draw_blocks, "Block sizes", "block steps", HB_PLOT_Y_OWN,
     "particles in a block (from 2^k to 2^{k+1} - 1)",
     "set logscale y 10\nset ytics 10\nset format y '10^{%L}'\n"
     "set style fill solid 0.85 noborder\n"},
    {"phases", "t block_steps predict_s send_s force_s receive_s correct_s", draw_phases,
     "Phases of a block step and their share of the time", "microseconds a block step", HB_PLOT_Y_DECADES,
     NULL, ""},
    {"steps", "t id step", draw_steps, "Steps", "step", HB_PLOT_Y_OWN, NULL,
     "set logscale y 2\nset format y '2^{%L}'\nset ytics 2\nset yrange [*:*] noextend\n"
     "set offsets 0,0,graph 0.06,graph 0.06\n"},
    {"nearest", "t id step nearest", draw_nearest, "The nearest particle", "distance of the nearest",
     HB_PLOT_Y_NAMED, NULL, ""},
};

enum { PANELS = sizeof panels / sizeof *panels, OF_RUNS = 4 }; /* those of runs, then of steps */

static const char *panel_name(size_t k) { return k < PANELS ? panels[k].name : NULL; }

static struct hb_plot empty_plot(const struct table *t, int k)
{
  struct range times = {INFINITY, -INFINITY};
  int is_astro = strcmp(t->words[UNITS], "astro") == 0, is_radius = strcmp(panels[k].y_label, "r") == 0;
  for (size_t row = 0; row < t->rows; row++) widen(&times, at(t, row, "t"));
  return (struct hb_plot){.x_kind = panels[k].x_label ? HB_PLOT_X_OWN : HB_PLOT_X_TIMES,
                          .x_label = panels[k].x_label ? panels[k].x_label
                                     : is_astro        ? "t  [Myr]"
                                                       : "t  [N-body units]",
                          .x_low = times.low,
                          .x_high = times.high > times.low ? times.high : times.low + 1,
                          .y_kind = panels[k].y_kind,
                          .y_label = !is_radius ? panels[k].y_label
                                     : is_astro ? "r  [pc]"
                                                : "r  [N-body units]",
                          .y_margin = is_radius ? 1.3 : 0};
}

static void put_panel(const struct table *t, int k, struct hb_draft *script)
{
  struct panel panel = {t, script, 1.1, empty_plot(t, k)};
  hb_draft_put(script,
               "unset label\nunset logscale\nset xtics auto\nset ytics auto\nset format '%%g'\n"
               "set border 3 lw 1 lc rgb '#606060'\nset tics nomirror\n"
               "set grid xtics ytics lt 1 lc rgb '#e0e0e0'\n"
               "set key at graph 0.5, 1.015 center bottom horizontal samplen 1.5 width -1 Left reverse "
               "noenhanced font ',12'\n%s",
               panels[k].script);
  panels[k].draw(&panel);
  hb_draft_put(script, "set title '%s' offset 0,%g\n", panels[k].title, panel.title_at);
  hb_plot_put(&panel.plot, script);
  hb_plot_clear(&panel.plot);
}

/* The first missing column of the panel; NULL: none. */
static const char *missing(const struct table *table, size_t panel, char column[NAME])
{
  for (const char *rest = panels[panel].columns; *rest; rest += strspn(rest, " ")) {
    size_t length = strcspn(rest, " ");
    snprintf(column, NAME, "%.*s", (int)length, rest);
    if (find(table, column) < 0) return column;
    rest += length;
  }
  return NULL;
}

static enum hb_status choose(const struct table *table, const char *name, unsigned *set)
{
  char column[NAME];
  unsigned there = 0;
  for (size_t k = 0; k < PANELS; k++) {
    const char *lacks = missing(table, k, column);
    if (!lacks)
      there |= 1u << k;
    else if (*set >> k & 1)
      return hb_fail(HB_ERR_INPUT, "%s has no column '%s', which the figure '%s' needs", name, lacks,
                     panels[k].name);
  }
  *set = *set ? *set : there;
  return *set ? HB_OK
              : hb_fail(HB_ERR_INPUT,
                        "%s has no columns for any figure; was it made by run --diag or --follow?", name);
}

static void put_title(const struct table *table, const char *name, struct hb_draft *script)
{
  struct hb_draft title = {0};
  double n = at(table, 0, "n");
  int id = n > 0 ? -1 : find(table, "id"); /* a file of --follow */
  if (id < 0)
    hb_draft_put(&title, "%s", name);
  else if (next_followed(table, 1) < table->rows)
    hb_draft_put(&title, "Particles through their steps");
  else
    hb_draft_put(&title, "Particle %.0f through its steps", at(table, 0, "id"));
  if (n > 0) hb_draft_put(&title, ":  N = %.0f", n);
  if (*table->words[SCHEME])
    hb_draft_put(&title, ",  forces by %s, %s", table->words[SCHEME], table->words[PRECISION]);
  hb_draft_note(script, title.status);
  if (script->status == HB_OK) plot_let("name", title.text.text, script);
  hb_draft_clear(&title);
}

static enum hb_status draw(const struct table *table, const char *name, unsigned set, const char *path)
{
  HB_TRY(choose(table, name, &set));
  int count = __builtin_popcount(set), across = count > 1 && set % (1u << OF_RUNS) ? 2 : 1;
  struct hb_draft script = {0};
  hb_plot_begin(path, count > 1 ? 1500 : 900, count > 2 || across < count ? 1050 : 600, &script);
  put_title(table, name, &script);
  hb_draft_put(&script,
               "set multiplot layout %d,%d title name noenhanced font ',15' offset 0,-0.4 margins screen %s "
               "spacing screen 0.12,0.18\n",
               (count + across - 1) / across, across,
               count > across ? "0.075,0.955,0.075,0.875"
               : count > 1    ? "0.075,0.955,0.13,0.79"
                              : "0.11,0.92,0.13,0.8");
  for (int k = 0; k < PANELS; k++)
    if (set >> k & 1) put_panel(table, k, &script);
  hb_draft_put(&script, "unset multiplot\n");
  return hb_plot_end(path, &script);
}

enum hb_status hb_figure_draw(const char *diagnostics, unsigned set, const char *path, size_t *rows)
{
  struct table table = {0};
  enum hb_status status = read_table(diagnostics, &table);
  if (status == HB_OK) status = draw(&table, hb_text_base_name(diagnostics), set, path);
  *rows = table.rows;
  HB_FREE(table.names, table.values);
  return status;
}

/* ---- holmberg plot ---------------------------------------------------------------------------------------- */

struct settings {
  const char *output;
  int only; /* with --only */
  int quiet;
};

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FIGURE",
     .help = "figure to write, .png, .svg or .pdf (default: FILE with extension .png)"},
    {"only", 0, HB_SETTING_CHOICE, FIELD(only), "PANEL", .words.at = panel_name,
     .help = "a single figure instead of a page of all: energy, radii, blocks, phases; of --follow: "
             "steps, nearest"},
    {0}};

static enum hb_status work(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  const char *figure = s->output;
  unsigned set = hb_opts_typed(opts, &s->only) ? 1u << s->only : 0;
  HB_OWN struct hb_text own = {0};
  size_t rows;
  if (!figure) HB_TRY(hb_target_beside(opts->operands[0], "png", &own));
  if (!figure) figure = own.text;
  HB_TRY(hb_plot_check(figure));
  HB_TRY(hb_figure_draw(opts->operands[0], set, figure, &rows));
  if (!s->quiet) hb_terminal_say("wrote %s: %zu row%s", figure, rows, hb_text_s(rows));
  return HB_OK;
}

const struct hb_opts_command hb_cmd_plot = {
    .name = "plot",
    .summary =
        "Draw energy error, Lagrangian radii, block sizes and phases of a run, or the steps of a particle.",
    .operand = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = options}, {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg plot cluster.csv        # after holmberg run cluster.h5 --diag cluster.csv\n"
               "  holmberg plot follow.csv         # after holmberg run cluster.h5 --follow 17\n"
               "  holmberg plot cluster.csv --only radii -o radii.pdf\n",
    .work = work,
};
