#include "plot/figure.h"

#include "base/mem.h"
#include "plot/gnuplot.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The panel being drawn: its plot, and the script of the page for what the plot does not cover. */
struct panel {
  const struct hb_diag_table *table;
  struct hb_draft *script;
  struct hb_plot plot;
};

/* ---- curves of columns ------------------------------------------------------------------------------- */

static double at(const struct panel *p, size_t row, const char *column)
{
  return hb_diag_table_at(p->table, row, hb_diag_table_find(p->table, column));
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
  int has_lost = hb_diag_table_find(p->table, "e_lost") >= 0;
  return at(p, row, column) + (has_lost ? at(p, row, "e_lost") : 0);
}

/* |E - E0| of a column over the cluster's own energy at the start; |E0| in tables that do not have it. */
static void add_error(struct panel *p, const char *curve, const char *column)
{
  double first = conserved(p, 0, column);
  double scale = hb_diag_table_find(p->table, "e_scale") >= 0 ? at(p, 0, "e_scale") : fabs(first);
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

/* The histogram of the whole run: its last row. */
static void draw_blocks(struct panel *p)
{
  static const char *const thousands[] = {"", "k", "M", "G"};
  double most = 10;
  int bins = 0;
  p->plot.x_kind = HB_PLOT_X_OWN;
  p->plot.y_kind = HB_PLOT_Y_OWN;
  p->plot.x_label = "particles in a block (from 2^k to 2^{k+1} - 1)";
  p->plot.y_label = "block steps";
  struct hb_plot_curve *curve = begin_curve(p, "blocks", (struct hb_plot_look){.color = "#0072b2"});
  curve->is_boxes = curve->is_unnamed = 1;
  for (char name[32]; bins < HB_BLOCK_SIZES; bins++) {
    snprintf(name, sizeof name, "blocks_%llu", 1ULL << bins);
    if (hb_diag_table_find(p->table, name) < 0) break;
    double count = at(p, p->table->rows - 1, name);
    add(p, "blocks", bins, count);
    if (isfinite(count)) most = fmax(most, count);
  }
  hb_draft_put(p->script, "set xrange [-0.7:%g]\nset xtics (", bins - 0.3);
  for (int k = 0, step = bins > 11 ? 2 : 1; k < bins; k += step)
    hb_draft_put(p->script, "%s'%d%s' %d", k ? ", " : "", 1 << k % 10, thousands[k / 10], k);
  hb_draft_put(
      p->script,
      ")\nset logscale y 10\nset yrange [0.5:%.9g]\nset ytics 10\nset format y '10^{%%L}'\n"
      "set title 'Block sizes' offset 0,1.1\nset style fill solid 0.85 noborder\nset boxwidth 0.82\n",
      most * 2);
}

/* ---- phases ------------------------------------------------------------------------------------------ */

static const struct {
  const char *column, *label, *color;
  int mark;
} phases[] = {{"force_s", "force", "#d55e00", 7},
              {"predict_s", "predict", "#0072b2", 5},
              {"correct_s", "correct", "#009e73", 9},
              {"send_s", "send", "#cc79a7", 11},
              {"receive_s", "receive", "#56b4e9", 13}};
enum { PHASES = sizeof phases / sizeof *phases };

static double gain(const struct panel *p, size_t from, size_t to, const char *column)
{
  return at(p, to, column) - at(p, from, column);
}

/* Microseconds per block step in each phase, between one row and the next. */
static void draw_phases(struct panel *p)
{
  size_t last = p->table->rows - 1;
  double all = 0;
  for (size_t k = 0; k < PHASES; k++) all += gain(p, 0, last, phases[k].column);
  set_times(p);
  p->plot.y_kind = HB_PLOT_Y_DECADES;
  p->plot.y_label = "microseconds a block step";
  hb_draft_put(p->script, "set title 'Phases of a block step and their share of the time' offset 0,1.7\n");
  for (size_t k = 0; k < PHASES; k++) {
    const char *column = phases[k].column;
    double share = all > 0 ? 100 * gain(p, 0, last, column) / all : 0;
    char name[64];
    snprintf(name, sizeof name, "%s %.*f %%", phases[k].label, share < 9.95, share);
    struct hb_plot_look look = {phases[k].color, phases[k].mark, 0.6, 2, NULL};
    begin_curve(p, name, look)->is_hidden = k > 0 && !(share > 0); /* no transfers on the host */
    for (size_t row = 1; row <= last; row++)
      add(p, name, at(p, row, "t"),
          1e6 * gain(p, row - 1, row, column) / gain(p, row - 1, row, "block_steps"));
  }
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
};

const char *hb_figure_panel_name(size_t k) { return k < HB_FIGURE_PANELS ? panels[k].name : NULL; }

/* The first missing column of the panel; NULL: none. */
static const char *missing(const struct hb_diag_table *table, size_t panel, char column[HB_DIAG_TABLE_NAME])
{
  snprintf(column, HB_DIAG_TABLE_NAME, "t");
  for (const char *rest = panels[panel].columns;; rest += strspn(rest, " ")) {
    if (hb_diag_table_find(table, column) < 0) return column;
    if (!*rest) return NULL;
    size_t length = strcspn(rest, " ");
    snprintf(column, HB_DIAG_TABLE_NAME, "%.*s", (int)length, rest);
    rest += length;
  }
}

static enum hb_status choose(const struct hb_diag_table *table, const char *name, unsigned *set)
{
  char column[HB_DIAG_TABLE_NAME];
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
              : hb_fail(HB_ERR_INPUT, "%s has no columns for any figure; was it made by run --diag?", name);
}

static void put_title(const struct hb_diag_table *table, const char *name, struct hb_draft *script)
{
  struct hb_draft title = {0};
  double n = hb_diag_table_at(table, 0, hb_diag_table_find(table, "n"));
  hb_draft_put(&title, "%s", name);
  if (n > 0) hb_draft_put(&title, ":  N = %.0f", n);
  if (*table->scheme) hb_draft_put(&title, ",  forces by %s, %s", table->scheme, table->precision);
  hb_draft_note(script, title.status);
  if (script->status == HB_OK) hb_gnuplot_let("name", title.text.text, script);
  hb_draft_clear(&title);
}

enum hb_status hb_figure_draw(const struct hb_diag_table *table, const char *name, unsigned set,
                              const char *path)
{
  HB_TRY(choose(table, name, &set));
  int count = __builtin_popcount(set);
  struct hb_draft script = {0};
  hb_gnuplot_begin(path, count > 1 ? 1500 : 900, count > 2 ? 1050 : 600, &script);
  put_title(table, name, &script);
  hb_draft_put(&script,
               "set multiplot layout %d,%d title name noenhanced font ',15' offset 0,-0.4 margins screen %s "
               "spacing screen 0.12,0.18\n",
               (count + 1) / 2, count > 1 ? 2 : 1,
               count > 2   ? "0.075,0.955,0.075,0.875"
               : count > 1 ? "0.075,0.955,0.13,0.79"
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
  return hb_gnuplot_end(path, &script);
}
