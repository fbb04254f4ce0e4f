#include "plot/figure.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/text.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MOST = 4096, NAME = 40 };

/* The table that --diag or --follow wrote, read back: numbers by name. */
struct table {
  size_t rows, columns;
  char (*names)[NAME]; /* [columns]                                              */
  double *values;      /* [rows * columns]; NaN for null, words and missing values */
  size_t capacity;     /* of values                                              */
  char scheme[NAME], precision[NAME], units[NAME]; /* of the last row; "": none, none, N-body */
};

/* ---- the table --------------------------------------------------------------------------------------- */

/* The index of a column, -1: none. */
static int find(const struct table *table, const char *name)
{
  for (size_t k = 0; k < table->columns; k++)
    if (strcmp(table->names[k], name) == 0) return (int)k;
  return -1;
}

/* The value in a row; NaN for column -1. */
static double value_at(const struct table *table, size_t row, int column)
{
  return column < 0 ? NAN : table->values[row * table->columns + (size_t)column];
}

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
  size_t count = t->rows * t->columns;
  for (size_t k = count; k < count + t->columns; k++) {
    HB_TRY(HB_GROW(k, &t->capacity, &t->values));
    t->values[k] = NAN;
  }
  t->rows++;
  return HB_OK;
}

/* Sets a value of the last row: a number, true, false, or one of the words for the figure's text. */
static enum hb_status set_value(struct table *t, size_t column, const char *text, size_t length)
{
  char word[64], *end;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  double *value = &t->values[(t->rows - 1) * t->columns + column];
  const char *name = t->names[column];
  *value = strtod(word, &end);
  if (end != word && *end == 0 && length < sizeof word) return HB_OK;
  *value = strcmp(word, "true") == 0 ? 1 : strcmp(word, "false") == 0 ? 0 : NAN;
  if (!isnan(*value) || strcmp(word, "null") == 0) return HB_OK;
  char *copy = strcmp(name, "scheme") == 0      ? t->scheme
               : strcmp(name, "precision") == 0 ? t->precision
               : strcmp(name, "units") == 0     ? t->units
                                                : NULL;
  if (!copy) return hb_fail(HB_ERR_INPUT, "%s is '%s', expected a number", name, word);
  for (const char *c = word; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return hb_fail(HB_ERR_INPUT, "%s is '%s', which contains a control character", name, word);
  snprintf(copy, NAME, "%.*s", NAME - 1, word);
  return HB_OK;
}

/* ---- lines ------------------------------------------------------------------------------------------- */

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

/* Skips names that the first object lacks: the last row of `run --json` has some. */
static enum hb_status set_member(struct table *t, const cJSON *item)
{
  char text[64];
  int column = find(t, item->string);
  if (column < 0) return HB_OK;
  if (!cJSON_IsNumber(item)) {
    const char *word = hb_json_text_of(item, text);
    return set_value(t, (size_t)column, word, strlen(word));
  }
  t->values[(t->rows - 1) * t->columns + (size_t)column] = item->valuedouble;
  return HB_OK;
}

/* The first object has the names. */
static enum hb_status json_line(struct table *t, const char *line)
{
  cJSON *object, *item;
  HB_TRY(hb_json_read(line, &object));
  enum hb_status status = HB_OK;
  int is_first = t->columns == 0;
  cJSON_ArrayForEach (item, object)
    if (is_first && status == HB_OK) status = add_name(t, item->string, strlen(item->string));
  if (status == HB_OK) status = add_row(t);
  cJSON_ArrayForEach (item, object)
    if (status == HB_OK) status = set_member(t, item);
  cJSON_Delete(object);
  return status;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static enum hb_status read_lines(const char *path, char *text, int csv, struct table *t)
{
  size_t number = 1;
  for (char *end; (end = strchr(text, '\n')); text = end + 1, number++) {
    *end = 0;
    enum hb_status status = csv ? csv_line(t, text) : json_line(t, text);
    if (status == HB_OK) continue;
    char context[512];
    snprintf(context, sizeof context, "%s, line %zu", path, number);
    return hb_fail_in(status, context);
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
  char *text;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  enum hb_status status = HB_ALLOC(COLUMNS_MOST, &table->names);
  if (status == HB_OK && memchr(text, 0, length)) status = hb_fail(HB_ERR_INPUT, "%s is not a text", path);
  if (status == HB_OK) status = read_lines(path, text, csv, table);
  hb_mem_free(text);
  return status;
}

/* The panel being drawn: its plot, and the script of the page for what the plot does not cover. */
struct panel {
  const struct table *table;
  struct hb_draft *script;
  struct hb_plot plot;
};

/* ---- curves of columns ------------------------------------------------------------------------------- */

static double at(const struct panel *p, size_t row, const char *column)
{
  return value_at(p->table, row, find(p->table, column));
}

static int is_astro(const struct panel *p) { return strcmp(p->table->units, "astro") == 0; }

/* A curve that is in the key even without points; the result is valid until the next call. */
static struct hb_plot_curve *begin_curve(struct panel *p, const char *name, struct hb_plot_look look)
{
  static struct hb_plot_curve none;
  struct hb_plot_curve *curve = &none;
  hb_draft_note(p->script, hb_plot_curve(&p->plot, name, "", &curve));
  curve->look = look;
  return curve;
}

static void add(struct panel *p, const char *curve, double x, double y)
{
  if (p->script->status == HB_OK) hb_draft_note(p->script, hb_plot_add(&p->plot, curve, "", x, y));
}

static void set_times(struct panel *p)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t row = 0; row < p->table->rows; row++) {
    low = fmin(low, at(p, row, "t"));
    high = fmax(high, at(p, row, "t"));
  }
  p->plot.x_kind = HB_PLOT_X_TIMES;
  p->plot.x_label = is_astro(p) ? "t  [Myr]" : "t  [N-body units]";
  p->plot.x_low = low;
  p->plot.x_high = high > low ? high : low + 1;
}

/* ---- energy ------------------------------------------------------------------------------------------ */

/* A column, with what went with bodies that merged or were removed. */
static double conserved(const struct panel *p, size_t row, const char *column)
{
  int has_lost = find(p->table, "e_lost") >= 0;
  return at(p, row, column) + (has_lost ? at(p, row, "e_lost") : 0);
}

/* |E - E0| of a column over the cluster's own energy at the start; |E0| in tables that do not have it. */
static void add_error(struct panel *p, const char *curve, const char *column)
{
  double first = conserved(p, 0, column);
  double scale = find(p->table, "e_scale") >= 0 ? at(p, 0, "e_scale") : fabs(first);
  for (size_t row = 1; row < p->table->rows; row++)
    add(p, curve, at(p, row, "t"), fabs(conserved(p, row, column) - first) / scale);
}

/* Energies in double; and by the source's own potentials, if these differ or there are no others. */
static void draw_energy(struct panel *p)
{
  const char *scheme = *p->table->scheme ? p->table->scheme : "the source of forces";
  struct hb_plot_look in_double = {"#0072b2", 7, 0.5, 2, NULL}, by_source = {"#e69f00", 7, 0.5, 2, NULL};
  int differ = 0, exact = !(at(p, 0, "exact_energy") == 0);
  char own[HB_PLOT_NAME];
  for (size_t row = 0; row < p->table->rows; row++)
    differ = differ || at(p, row, "e_total") != at(p, row, "e_gpu");
  set_times(p);
  p->plot.y_kind = HB_PLOT_Y_DECADES;
  p->plot.y_label = "|E(t) - E(0)| / |E(0)|";
  hb_draft_put(p->script, "set title 'Energy error' offset 0,1.1\n");
  snprintf(own, sizeof own, "potentials of %s", scheme);
  if (differ || !exact) {
    begin_curve(p, own, by_source);
    add_error(p, own, differ ? "e_gpu" : "e_total");
  }
  if (differ || exact) {
    begin_curve(p, "potentials in double", in_double);
    add_error(p, "potentials in double", "e_total");
  }
}

/* ---- Lagrangian radii -------------------------------------------------------------------------------- */

/* From the inside out, dark to light along viridis: the order shows even without the labels. */
static const struct {
  const char *column, *label, *color;
} shells[] = {{"r_1", "1 %", "#440154"},   {"r_2", "2 %", "#46327e"},   {"r_5", "5 %", "#365c8d"},
              {"r_10", "10 %", "#277f8e"}, {"r_20", "20 %", "#1fa187"}, {"r_50", "50 %", "#4ac16d"},
              {"r_75", "75 %", "#a0c22a"}, {"r_90", "90 %", "#d8b500"}};
enum { SHELLS = sizeof shells / sizeof *shells };

/* Each curve is labeled at its right end. */
static void draw_radii(struct panel *p)
{
  size_t rows = p->table->rows;
  set_times(p);
  p->plot.y_kind = HB_PLOT_Y_DIGITS;
  p->plot.y_margin = 1.3;
  p->plot.y_label = is_astro(p) ? "r  [pc]" : "r  [N-body units]";
  hb_draft_put(p->script, "set format y '%%g'\nset title 'Lagrangian radii' offset 0,1.1\n");
  for (size_t k = 0; k < SHELLS; k++) {
    const char *column = shells[k].column;
    begin_curve(p, column, (struct hb_plot_look){shells[k].color, 0, 0, 2, NULL})->is_unnamed = 1;
    for (size_t row = 0; row < rows; row++) add(p, column, at(p, row, "t"), at(p, row, column));
    if (at(p, rows - 1, column) > 0)
      hb_draft_put(p->script,
                   "set label '%s' at graph 1, first %.9g left offset 0.6,0 tc rgb '%s' font ',11'\n",
                   shells[k].label, at(p, rows - 1, column), shells[k].color);
  }
  begin_curve(p, "core", (struct hb_plot_look){"#000000", 0, 0, 1.5, "(5,3)"});
  for (size_t row = 0; row < rows; row++) add(p, "core", at(p, row, "t"), at(p, row, "r_core"));
}

/* ---- block sizes ------------------------------------------------------------------------------------- */

/* The histogram of the whole run, in its last row: STEM_1 STEM_2 STEM_4 ... How many bins it has. */
static int draw_histogram(struct panel *p, const char *stem, struct hb_plot_curve as, double shift,
                          double *most)
{
  int bins = 0;
  struct hb_plot_curve *curve = begin_curve(p, as.family, as.look);
  curve->is_boxes = 1;
  curve->is_unnamed = as.is_unnamed;
  for (char column[32]; bins < HB_BLOCK_SIZES; bins++) {
    snprintf(column, sizeof column, "%s_%llu", stem, 1ULL << bins);
    if (find(p->table, column) < 0) break;
    double count = at(p, p->table->rows - 1, column);
    add(p, as.family, bins + shift, count);
    if (isfinite(count)) *most = fmax(*most, count);
  }
  return bins;
}

/* With neighbors full blocks stand beside all. */
static void draw_blocks(struct panel *p)
{
  static const char *const thousands[] = {"", "k", "M", "G"};
  double most = 10;
  int has_full = find(p->table, "full_blocks_1") >= 0;
  struct hb_plot_curve all = {.family = "all", .look.color = "#0072b2", .is_unnamed = !has_full},
                       full = {.family = "full, by their far steps", .look.color = "#d55e00"};
  p->plot.x_kind = HB_PLOT_X_OWN;
  p->plot.y_kind = HB_PLOT_Y_OWN;
  p->plot.x_label = "particles in a block (from 2^k to 2^{k+1} - 1)";
  p->plot.y_label = "block steps";
  int bins = draw_histogram(p, "blocks", all, has_full ? -0.205 : 0, &most);
  if (has_full) draw_histogram(p, "full_blocks", full, 0.205, &most);
  hb_draft_put(p->script, "set xrange [-0.7:%g]\nset xtics (", bins - 0.3);
  for (int k = 0, step = bins > 11 ? 2 : 1; k < bins; k += step)
    hb_draft_put(p->script, "%s'%d%s' %d", k ? ", " : "", 1 << k % 10, thousands[k / 10], k);
  hb_draft_put(p->script,
               ")\nset logscale y 10\nset yrange [0.5:%.9g]\nset ytics 10\nset format y '10^{%%L}'\n"
               "set title 'Block sizes' offset 0,1.1\nset style fill solid 0.85 noborder\nset boxwidth %g\n",
               most * 2, has_full ? 0.41 : 0.82);
}

/* ---- phases ------------------------------------------------------------------------------------------ */

static const struct {
  const char *column, *label, *color;
  int mark;
} phases[] = {{"force_s", "force", "#d55e00", 7},      {"predict_s", "predict", "#0072b2", 5},
              {"correct_s", "correct", "#009e73", 9},  {"send_s", "send", "#cc79a7", 11},
              {"receive_s", "receive", "#56b4e9", 13}, {"near_s", "near", "#e69f00", 6},
              {"lists_s", "lists", "#000000", 4},      {"groups_s", "groups", "#707070", 8}};
enum { PHASES = sizeof phases / sizeof *phases };

/* 0 where there is no such column: without neighbors. */
static double gain(const struct panel *p, size_t from, size_t to, const char *column)
{
  return find(p->table, column) < 0 ? 0 : at(p, to, column) - at(p, from, column);
}

static void add_phase(struct panel *p, size_t k, double all)
{
  const char *column = phases[k].column;
  size_t last = p->table->rows - 1;
  double share = all > 0 ? 100 * gain(p, 0, last, column) / all : 0;
  char name[64];
  snprintf(name, sizeof name, "%s %.*f %%", phases[k].label, share < 9.95, share);
  struct hb_plot_look look = {phases[k].color, phases[k].mark, 0.6, 2, NULL};
  begin_curve(p, name, look)->is_hidden = k > 0 && !(share > 0); /* no transfers on the host */
  for (size_t row = 1; row <= last; row++)
    add(p, name, at(p, row, "t"), 1e6 * gain(p, row - 1, row, column) / gain(p, row - 1, row, "block_steps"));
}

/* Microseconds per block step in each phase, between one row and the next. */
static void draw_phases(struct panel *p)
{
  double all = 0;
  int shown = 0;
  for (size_t k = 0; k < PHASES; k++) {
    double seconds = gain(p, 0, p->table->rows - 1, phases[k].column);
    all += seconds;
    shown += seconds > 0;
  }
  set_times(p);
  p->plot.y_kind = HB_PLOT_Y_DECADES;
  p->plot.y_label = "microseconds a block step";
  /* above a key of up to three rows */
  hb_draft_put(p->script, "set title 'Phases of a block step and their share of the time' offset 0,%g\n",
               shown > 6 ? 2.9 : 1.7);
  for (size_t k = 0; k < PHASES; k++) add_phase(p, k, all);
}

/* ---- a particle's steps ------------------------------------------------------------------------------ */

/* Near and far of the particles of --follow, in the order of their first rows. */
static const char *const followed[][2] = {
    {"#0072b2", "#d55e00"}, {"#009e73", "#e69f00"}, {"#cc79a7", "#56b4e9"}, {"#000000", "#707070"}};
enum { FOLLOWED = sizeof followed / sizeof *followed };

/* The first row of the particle that comes after those before `row`; the number of rows: none does. */
static size_t next_followed(const struct panel *p, size_t row)
{
  for (; row < p->table->rows; row++) {
    size_t first = 0;
    while (at(p, first, "id") != at(p, row, "id")) first++;
    if (first == row) break;
  }
  return row;
}

/* A stair: each step lasts until the particle's next row, the last one as long as it is. */
static void add_stair(struct panel *p, size_t first, const char *column, const char *name,
                      const struct hb_plot_look *look)
{
  double before = at(p, first, column), end = 0;
  begin_curve(p, name, *look);
  add(p, name, at(p, first, "t"), before);
  for (size_t row = first; row < p->table->rows; row++) {
    if (at(p, row, "id") != at(p, first, "id")) continue;
    double t = at(p, row, "t"), dt = at(p, row, column);
    end = t + at(p, row, "step");
    if (dt == before) continue; /* a corner where nothing turns would show */
    add(p, name, t, before);
    add(p, name, t, dt);
    before = dt;
  }
  add(p, name, fmin(end, p->plot.x_high), before);
}

static void draw_steps(struct panel *p)
{
  size_t k = 0;
  set_times(p);
  p->plot.y_kind = HB_PLOT_Y_OWN;
  p->plot.y_label = "step";
  for (size_t row = next_followed(p, 0); row < p->table->rows && k < FOLLOWED;
       row = next_followed(p, row + 1)) {
    const struct hb_plot_look near = {followed[k][0], 0, 0, 2, NULL}, far = {followed[k][1], 0, 0, 4, NULL};
    int has_far = find(p->table, "far_step") >= 0;
    char name[HB_PLOT_NAME];
    snprintf(name, sizeof name, "particle %.0f: far step", at(p, row, "id"));
    if (has_far)
      add_stair(p, row, "far_step", name, &far); /* wider and below: the near step may be as long */
    snprintf(name, sizeof name, "particle %.0f: %sstep", at(p, row, "id"), has_far ? "near " : "");
    add_stair(p, row, "step", name, &near);
    k++;
  }
  hb_draft_put(p->script, "set logscale y 2\nset format y '2^{%%L}'\nset ytics 2\nset yrange [*:*] noextend\n"
                          "set offsets 0,0,graph 0.06,graph 0.06\nset title 'Steps' offset 0,1.1\n");
}

static void draw_nearest(struct panel *p)
{
  size_t k = 0;
  set_times(p);
  p->plot.y_kind = HB_PLOT_Y_NAMED;
  p->plot.y_label = "distance of the nearest";
  for (size_t row = next_followed(p, 0); row < p->table->rows && k < FOLLOWED;
       row = next_followed(p, row + 1)) {
    char name[HB_PLOT_NAME];
    snprintf(name, sizeof name, "particle %.0f", at(p, row, "id"));
    begin_curve(p, name, (struct hb_plot_look){followed[k++][0], 0, 0, 2, NULL});
    for (size_t other = row; other < p->table->rows; other++)
      if (at(p, other, "id") == at(p, row, "id")) add(p, name, at(p, other, "t"), at(p, other, "nearest"));
  }
  hb_draft_put(p->script, "set title 'The nearest particle' offset 0,1.1\n");
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *columns; /* those required besides t, separated by blanks */
  void (*draw)(struct panel *p);
} panels[HB_FIGURE_PANELS] = {
    [HB_FIGURE_ENERGY] = {"energy", "e_total e_gpu", draw_energy},
    [HB_FIGURE_RADII] = {"radii", "r_1 r_2 r_5 r_10 r_20 r_50 r_75 r_90 r_core", draw_radii},
    [HB_FIGURE_BLOCKS] = {"blocks", "blocks_1", draw_blocks},
    [HB_FIGURE_PHASES] = {"phases", "block_steps predict_s send_s force_s receive_s correct_s", draw_phases},
    [HB_FIGURE_STEPS] = {"steps", "id step", draw_steps},
    [HB_FIGURE_NEAREST] = {"nearest", "id step nearest", draw_nearest},
};

const char *hb_figure_panel_name(size_t k) { return k < HB_FIGURE_PANELS ? panels[k].name : NULL; }

/* The first missing column of the panel; NULL: none. */
static const char *missing(const struct table *table, size_t panel, char column[NAME])
{
  snprintf(column, NAME, "t");
  for (const char *rest = panels[panel].columns;; rest += strspn(rest, " ")) {
    if (find(table, column) < 0) return column;
    if (!*rest) return NULL;
    size_t length = strcspn(rest, " ");
    snprintf(column, NAME, "%.*s", (int)length, rest);
    rest += length;
  }
}

static enum hb_status choose(const struct table *table, const char *name, unsigned *set)
{
  char column[NAME];
  unsigned there = 0;
  for (size_t k = 0; k < HB_FIGURE_PANELS; k++) {
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
  double n = value_at(table, 0, find(table, "n"));
  const struct panel steps = {.table = table};
  int id = n > 0 ? -1 : find(table, "id"); /* a file of --follow */
  if (id < 0)
    hb_draft_put(&title, "%s", name);
  else if (next_followed(&steps, 1) < table->rows)
    hb_draft_put(&title, "Particles through their steps");
  else
    hb_draft_put(&title, "Particle %.0f through its steps", value_at(table, 0, id));
  if (n > 0) hb_draft_put(&title, ":  N = %.0f", n);
  if (*table->scheme) hb_draft_put(&title, ",  forces by %s, %s", table->scheme, table->precision);
  hb_draft_note(script, title.status);
  if (script->status == HB_OK) hb_plot_let("name", title.text.text, script);
  hb_draft_clear(&title);
}

static enum hb_status draw(const struct table *table, const char *name, unsigned set, const char *path)
{
  HB_TRY(choose(table, name, &set));
  static const unsigned one_time = 1u << HB_FIGURE_STEPS | 1u << HB_FIGURE_NEAREST;
  int count = __builtin_popcount(set), across = count > 1 && (set & ~one_time) ? 2 : 1;
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
  for (size_t k = 0; k < HB_FIGURE_PANELS; k++) {
    if (!(set >> k & 1)) continue;
    struct panel panel = {table, &script, {0}};
    hb_draft_put(&script,
                 "unset label\nunset logscale\nset xtics auto\nset ytics auto\nset format '%%g'\n"
                 "set border 3 lw 1 lc rgb '#606060'\nset tics nomirror\n"
                 "set grid xtics ytics lt 1 lc rgb '#e0e0e0'\n"
                 "set key at graph 0.5, 1.015 center bottom horizontal samplen 1.5 width -1 Left reverse "
                 "noenhanced font ',12'\n");
    panels[k].draw(&panel);
    hb_plot_put(&panel.plot, &script);
    hb_plot_clear(&panel.plot);
  }
  hb_draft_put(&script, "unset multiplot\n");
  return hb_plot_end(path, &script);
}

enum hb_status hb_figure_draw(const char *diagnostics, unsigned set, const char *path, size_t *rows)
{
  struct table table = {0};
  enum hb_status status = read_table(diagnostics, &table);
  if (status == HB_OK) status = draw(&table, hb_text_base_name(diagnostics), set, path);
  *rows = table.rows;
  hb_mem_free(table.names);
  hb_mem_free(table.values);
  return status;
}
