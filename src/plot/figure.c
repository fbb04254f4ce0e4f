#include "plot/figure.h"

#include "base/mem.h"
#include "plot/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is drawn now: the script of a page grows panel by panel. */
struct page {
  const struct hb_diag_table *table;
  struct hb_text *script;
};

/* ---- data blocks and ranges -------------------------------------------------------------------------- */

struct range {
  double low, high;
};

static const struct range no_range = {INFINITY, -INFINITY};

static void widen(struct range *range, double value)
{
  range->low = fmin(range->low, value);
  range->high = fmax(range->high, value);
}

/* From the power of ten below to the one above, two of them at least; 10^-16 to 1 where there is nothing. */
static enum hb_status set_decades(struct page *page, struct range y)
{
  int low = y.low > 0 && isfinite(y.low) ? (int)floor(log10(y.low) - 0.05) : -16;
  int high = y.high > 0 && isfinite(y.high) ? (int)ceil(log10(y.high) + 0.05) : 0;
  if (high < low + 2) high = low + 2;
  return hb_text_append(
      page->script, "set logscale y 10\nset yrange [1e%d:1e%d]\nset ytics 10**%d\nset format y '10^{%%L}'\n",
      low, high, (high - low + 8) / 9);
}

static enum hb_status set_times(struct page *page)
{
  const struct hb_diag_table *d = page->table;
  struct range t = no_range;
  int column = hb_diag_table_find(d, "t");
  for (size_t row = 0; row < d->rows; row++) widen(&t, hb_diag_table_at(d, row, column));
  if (!(t.high > t.low)) t.high = t.low + 1;
  return hb_text_append(page->script, "set xlabel 't  [N-body units]'\nset xrange [%.17g:%.17g]\n", t.low,
                        t.high);
}

/* Points that a logarithm cannot take are no points. *range learns of the others. */
static enum hb_status put_point(struct page *page, double x, double y, struct range *range)
{
  if (!isfinite(x) || !isfinite(y) || !(y > 0)) return HB_OK;
  widen(range, y);
  return hb_text_append(page->script, "%.9g %.9g\n", x, y);
}

/* One line behind the last point, so that a block is never empty and its curve always in the key. */
static enum hb_status end_block(struct page *page) { return hb_text_append(page->script, "NaN NaN\nEND\n"); }

/* ---- energy ------------------------------------------------------------------------------------------ */

/* $name: t and |E - E0| / |E0| of a column. */
static enum hb_status put_error(struct page *page, const char *name, int column, struct range *range)
{
  const struct hb_diag_table *d = page->table;
  int t = hb_diag_table_find(d, "t");
  double begin = hb_diag_table_at(d, 0, column);
  HB_TRY(hb_text_append(page->script, "$%s << END\n", name));
  for (size_t row = 1; row < d->rows; row++)
    HB_TRY(put_point(page, hb_diag_table_at(d, row, t),
                     fabs((hb_diag_table_at(d, row, column) - begin) / begin), range));
  return end_block(page);
}

/* Energies in double, and those by the source's own potentials where they differ or are all there is. */
static enum hb_status draw_energy(struct page *page)
{
  const struct hb_diag_table *d = page->table;
  int total = hb_diag_table_find(d, "e_total"), own = hb_diag_table_find(d, "e_gpu"), differ = 0;
  int flag = hb_diag_table_find(d, "exact_energy"), exact = !(hb_diag_table_at(d, 0, flag) == 0);
  struct range y = no_range;
  for (size_t row = 0; row < d->rows; row++)
    differ = differ || hb_diag_table_at(d, row, total) != hb_diag_table_at(d, row, own);
  HB_TRY(put_error(page, "total", total, &y));
  HB_TRY(put_error(page, "own", own, &y));
  HB_TRY(set_times(page));
  HB_TRY(set_decades(page, y));
  const char *source = *d->scheme ? d->scheme : "the source of forces";
  HB_TRY(hb_gnuplot_let("source", source, page->script));
  HB_TRY(hb_text_append(page->script,
                        "set title 'Energy error' offset 0,1.1\nset ylabel '|E(t) - E(0)| / |E(0)|'\nplot "));
  if (differ)
    HB_TRY(hb_text_append(
        page->script,
        "$own with linespoints lw 2 pt 7 ps 0.5 lc rgb '#e69f00' title 'potentials of '.source, "));
  if (exact)
    return hb_text_append(
        page->script,
        "$total with linespoints lw 2 pt 7 ps 0.5 lc rgb '#0072b2' title 'potentials in double'\n");
  return hb_text_append(
      page->script,
      "$total with linespoints lw 2 pt 7 ps 0.5 lc rgb '#e69f00' title 'potentials of '.source\n");
}

/* ---- Lagrangian radii -------------------------------------------------------------------------------- */

/* From the inside out, dark to light, a step of viridis each: the order is seen without the labels. */
static const struct {
  const char *column, *label, *colour;
} shells[] = {{"r_1", "1 %", "#440154"},   {"r_2", "2 %", "#46327e"},   {"r_5", "5 %", "#365c8d"},
              {"r_10", "10 %", "#277f8e"}, {"r_20", "20 %", "#1fa187"}, {"r_50", "50 %", "#4ac16d"},
              {"r_75", "75 %", "#a0c22a"}, {"r_90", "90 %", "#d8b500"}};
enum { SHELLS = sizeof shells / sizeof *shells };

static enum hb_status put_column(struct page *page, const char *block, const char *name, struct range *range)
{
  const struct hb_diag_table *d = page->table;
  int t = hb_diag_table_find(d, "t"), column = hb_diag_table_find(d, name);
  HB_TRY(hb_text_append(page->script, "$%s << END\n", block));
  for (size_t row = 0; row < d->rows; row++)
    HB_TRY(put_point(page, hb_diag_table_at(d, row, t), hb_diag_table_at(d, row, column), range));
  return end_block(page);
}

/* A label at the right end of each curve says which it is. */
static enum hb_status draw_radii(struct page *page)
{
  const struct hb_diag_table *d = page->table;
  struct range r = no_range;
  for (size_t k = 0; k < SHELLS; k++) HB_TRY(put_column(page, shells[k].column, shells[k].column, &r));
  HB_TRY(put_column(page, "core", "r_core", &r));
  HB_TRY(set_times(page));
  if (!(r.low < r.high)) r = (struct range){0.1, 1};
  HB_TRY(hb_text_append(page->script, "set logscale y 10\nset yrange [%.9g:%.9g]\nset format y '%%g'\n",
                        r.low / 1.3, r.high * 1.3));
  HB_TRY(hb_text_append(page->script, "set ytics ("));
  for (int decade = (int)floor(log10(r.low)) - 1; pow(10, decade) < 2 * r.high; decade++)
    for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
      HB_TRY(hb_text_append(page->script, "%.9g,", digit * pow(10, decade)));
  HB_TRY(hb_text_append(page->script, "1e300)\n"));
  for (size_t k = 0; k < SHELLS; k++) {
    double last = hb_diag_table_at(d, d->rows - 1, hb_diag_table_find(d, shells[k].column));
    if (last > 0)
      HB_TRY(hb_text_append(
          page->script, "set label '%s' at graph 1, first %.9g left offset 0.6,0 tc rgb '%s' font ',11'\n",
          shells[k].label, last, shells[k].colour));
  }
  HB_TRY(hb_text_append(page->script,
                        "set title 'Lagrangian radii' offset 0,1.1\nset ylabel 'r  [N-body units]'\n"
                        "plot "));
  for (size_t k = 0; k < SHELLS; k++)
    HB_TRY(hb_text_append(page->script, "$%s with lines lw 2 lc rgb '%s' notitle, ", shells[k].column,
                          shells[k].colour));
  return hb_text_append(page->script, "$core with lines lw 1.5 dt (5,3) lc rgb '#000000' title 'core'\n");
}

/* ---- block sizes ------------------------------------------------------------------------------------- */

/* The histogram of the whole run: its last row. */
static enum hb_status draw_blocks(struct page *page)
{
  const struct hb_diag_table *d = page->table;
  static const char *const thousands[] = {"", "k", "M", "G"};
  struct range y = {0.5, 10};
  int bins = 0;
  HB_TRY(hb_text_append(page->script, "$blocks << END\n"));
  for (char name[32]; bins < HB_BLOCK_SIZES; bins++) {
    snprintf(name, sizeof name, "blocks_%llu", 1ULL << bins);
    int column = hb_diag_table_find(d, name);
    if (column < 0) break;
    HB_TRY(put_point(page, bins, hb_diag_table_at(d, d->rows - 1, column), &y));
  }
  HB_TRY(end_block(page));
  HB_TRY(hb_text_append(page->script, "set xrange [-0.7:%g]\nset xtics (", bins - 0.3));
  for (int k = 0, step = bins > 11 ? 2 : 1; k < bins; k += step)
    HB_TRY(hb_text_append(page->script, "%s'%d%s' %d", k ? ", " : "", 1 << k % 10, thousands[k / 10], k));
  return hb_text_append(
      page->script,
      ")\nset xlabel 'particles in a block (from 2^k to 2^{k+1} - 1)'\nset ylabel 'block steps'\n"
      "set logscale y 10\nset yrange [0.5:%.9g]\nset ytics 10\nset format y '10^{%%L}'\n"
      "set title 'Block sizes' offset 0,1.1\nset style fill solid 0.85 noborder\nset boxwidth 0.82\n"
      "plot $blocks with boxes lc rgb '#0072b2' notitle\n",
      y.high * 2);
}

/* ---- phases ------------------------------------------------------------------------------------------ */

static const struct {
  const char *column, *label, *colour;
  int mark;
} phases[] = {{"force_s", "force", "#d55e00", 7},
              {"predict_s", "predict", "#0072b2", 5},
              {"correct_s", "correct", "#009e73", 9},
              {"send_s", "send", "#cc79a7", 11},
              {"receive_s", "receive", "#56b4e9", 13}};
enum { PHASES = sizeof phases / sizeof *phases };

static double gain(const struct hb_diag_table *d, size_t from, size_t to, const char *name)
{
  int column = hb_diag_table_find(d, name);
  return hb_diag_table_at(d, to, column) - hb_diag_table_at(d, from, column);
}

/* Microseconds that a block step spent in a phase, between one row and the next. */
static enum hb_status put_phase(struct page *page, const char *name, struct range *range)
{
  const struct hb_diag_table *d = page->table;
  int t = hb_diag_table_find(d, "t");
  HB_TRY(hb_text_append(page->script, "$%s << END\n", name));
  for (size_t row = 1; row < d->rows; row++)
    HB_TRY(put_point(page, hb_diag_table_at(d, row, t),
                     1e6 * gain(d, row - 1, row, name) / gain(d, row - 1, row, "block_steps"), range));
  return end_block(page);
}

static enum hb_status draw_phases(struct page *page)
{
  const struct hb_diag_table *d = page->table;
  struct range y = no_range;
  double all = 0;
  for (size_t k = 0; k < PHASES; k++) {
    HB_TRY(put_phase(page, phases[k].column, &y));
    all += gain(d, 0, d->rows - 1, phases[k].column);
  }
  HB_TRY(set_times(page));
  HB_TRY(set_decades(page, y));
  HB_TRY(hb_text_append(page->script,
                        "set title 'Phases of a block step and their share of the time' offset 0,1.7\n"
                        "set ylabel 'microseconds a block step'\nplot "));
  for (size_t k = 0; k < PHASES; k++) {
    double share = all > 0 ? 100 * gain(d, 0, d->rows - 1, phases[k].column) / all : 0;
    if (k > 0 && !(share > 0)) continue; /* nothing travels to the host */
    HB_TRY(hb_text_append(page->script,
                          "%s$%s with linespoints lw 2 pt %d ps 0.6 lc rgb '%s' title '%s %.*f %%'",
                          k ? ", " : "", phases[k].column, phases[k].mark, phases[k].colour, phases[k].label,
                          share < 9.95, share));
  }
  return hb_text_append(page->script, "\n");
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *columns; /* what it needs besides t, blank separated */
  enum hb_status (*draw)(struct page *page);
} panels[HB_FIGURE_PANELS] = {
    [HB_FIGURE_ENERGY] = {"energy", "e_total e_gpu", draw_energy},
    [HB_FIGURE_RADII] = {"radii", "r_1 r_2 r_5 r_10 r_20 r_50 r_75 r_90 r_core", draw_radii},
    [HB_FIGURE_BLOCKS] = {"blocks", "blocks_1", draw_blocks},
    [HB_FIGURE_PHASES] = {"phases", "block_steps predict_s send_s force_s receive_s correct_s", draw_phases},
};

const char *hb_figure_panel_name(size_t k) { return k < HB_FIGURE_PANELS ? panels[k].name : NULL; }

/* The first column of the panel that is not there; NULL: all are. */
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

static enum hb_status put_title(struct page *page, const char *name)
{
  const struct hb_diag_table *d = page->table;
  struct hb_text title = {0};
  double n = hb_diag_table_at(d, 0, hb_diag_table_find(d, "n"));
  enum hb_status status = hb_text_append(&title, "%s", name);
  if (status == HB_OK && n > 0) status = hb_text_append(&title, ":  N = %.0f", n);
  if (status == HB_OK && *d->scheme)
    status = hb_text_append(&title, ",  forces by %s, %s", d->scheme, d->precision);
  if (status == HB_OK) status = hb_gnuplot_let("name", title.text, page->script);
  hb_mem_free(title.text);
  return status;
}

static enum hb_status write_page(struct page *page, const char *name, unsigned set)
{
  int count = __builtin_popcount(set);
  HB_TRY(put_title(page, name));
  HB_TRY(hb_text_append(
      page->script,
      "set multiplot layout %d,%d title name noenhanced font ',15' offset 0,-0.4 margins screen %s "
      "spacing screen %s\n",
      (count + 1) / 2, count > 1 ? 2 : 1,
      count > 1 ? (count > 2 ? "0.075,0.955,0.075,0.875" : "0.075,0.955,0.13,0.79") : "0.11,0.92,0.13,0.8",
      "0.12,0.18"));
  for (size_t k = 0; k < HB_FIGURE_PANELS; k++) {
    if (!(set >> k & 1)) continue;
    HB_TRY(hb_text_append(
        page->script,
        "unset label\nunset logscale\nset xtics auto\nset ytics auto\nset format '%%g'\n"
        "set border 3 lw 1 lc rgb '#606060'\nset tics nomirror\n"
        "set grid xtics ytics lt 1 lc rgb '#e0e0e0'\n"
        "set key at graph 0.5, 1.015 center bottom horizontal samplen 1.5 width -1 Left reverse "
        "noenhanced font ',12'\n"));
    HB_TRY(panels[k].draw(page));
  }
  return hb_text_append(page->script, "unset multiplot\n");
}

enum hb_status hb_figure_draw(const struct hb_diag_table *table, const char *name, unsigned set,
                              const char *path)
{
  HB_TRY(choose(table, name, &set));
  int count = __builtin_popcount(set);
  struct hb_text script = {0};
  struct page page = {table, &script};
  enum hb_status status = hb_gnuplot_begin(path, count > 1 ? 1500 : 900, count > 2 ? 1050 : 600, &script);
  if (status == HB_OK) status = write_page(&page, name, set);
  if (status == HB_OK) status = hb_gnuplot_draw(path, &script);
  hb_mem_free(script.text);
  return status;
}
