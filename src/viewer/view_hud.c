/* What is painted over the picture: numbers, messages, a curve of the energy error, sliders, the help. */
#include "viewer/view_hud.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COLOR_TITLE 0xffffffff
#define COLOR_NAME  0x8fa3bbff
#define COLOR_VALUE 0xe8eef6ff
#define COLOR_CURVE 0x6fb7ffff
#define COLOR_NOTE  0xffd27aff
#define COLOR_ERROR 0xff8a80ff

/* ---- numbers ---------------------------------------------------------------------------------------- */

enum { ROWS = 12 };

struct numbers {
  const char *title; /* model or file */
  char state[64];    /* "paused", "3 of 12", ... */
  int row_count;
  int large; /* so many rows, and the title, are in letters of twice the size where the window is large */
  struct {
    const char *name;
    char text[64];
    int has_scale; /* 1: followed by the color scale and `end` */
    char end[16];
  } rows[ROWS];
  enum hb_colormap map;
};

enum { NUMBER_NAME = 9, MOST_COLUMNS = 40 };
enum { LARGE_FROM = 480 }; /* pixels of height: from here on some rows can be read from the back of a room */

__attribute__((format(printf, 3, 4))) static void add_row(struct numbers *n, const char *name,
                                                          const char *format, ...)
{
  va_list values;
  if (n->row_count == ROWS) return;
  va_start(values, format);
  n->rows[n->row_count].name = name;
  vsnprintf(n->rows[n->row_count++].text, sizeof n->rows->text, format, values);
  va_end(values);
}

static void add_scale(struct numbers *n, enum hb_colormap map, const double range[2])
{
  int k = n->row_count;
  if (k == ROWS) return;
  n->map = map;
  add_row(n, "", "%.3g", range[0]);
  n->rows[k].has_scale = 1;
  snprintf(n->rows[k].end, sizeof n->rows->end, "%.3g", range[1]);
}

/* A text that is too long is cut off. */
static void draw_text(struct hb_paint *paint, double x, double y, int columns, uint32_t color,
                      const char *text)
{
  char cut[MOST_COLUMNS + 1];
  if (columns > MOST_COLUMNS) columns = MOST_COLUMNS;
  if (columns < 4) return;
  snprintf(cut, sizeof cut, "%.*s", columns, text);
  if (strlen(text) > (size_t)columns) memcpy(cut + columns - 3, "...", 3);
  hb_paint_text(paint, x, y, color, cut);
}

/* The smallest number stands before the colors, the largest after them. */
static void draw_scale(struct hb_paint *paint, double x, double y, int columns, const struct numbers *n,
                       int row)
{
  enum { STEPS = 32 };
  int left = (int)strlen(n->rows[row].text) + 1, right = (int)strlen(n->rows[row].end) + 1;
  double scale = hb_paint_scale(paint), height = hb_paint_line_height(paint) - 9 * scale;
  double column = hb_paint_column(paint);
  columns -= left + right;
  if (columns <= 0) return;
  double width = columns * column / STEPS;
  x += left * column;
  for (int k = 0; k < STEPS; k++) {
    float rgb[3];
    uint32_t color = 0;
    hb_colormap_rgb(n->map, (k + 0.5) / STEPS, rgb);
    for (int c = 0; c < 3; c++) color = color << 8 | (uint32_t)(255 * hb_colormap_encode(rgb[c]) + 0.5);
    hb_paint_box(paint, x + k * width, y + 4 * scale, width, height, color << 8 | 0xff);
  }
  hb_paint_text(paint, x + (columns + 1) * column, y, COLOR_VALUE, n->rows[row].end);
}

static void draw_rows(struct hb_paint *paint, const struct numbers *n, int first, int end, int width,
                      double x, double y)
{
  double value_x = x + NUMBER_NAME * hb_paint_column(paint);
  int columns = width - NUMBER_NAME;
  for (int k = first; k < end; k++, y += hb_paint_line_height(paint)) {
    if (n->rows[k].has_scale) draw_scale(paint, value_x, y, columns, n, k);
    draw_text(paint, x, y, NUMBER_NAME, COLOR_NAME, n->rows[k].name);
    draw_text(paint, value_x, y, columns, COLOR_VALUE, n->rows[k].text);
  }
}

/* In the lower right corner, beside the sliders, wrapped to fit. */
static void draw_note(struct hb_paint *paint, int beside, uint32_t color, const char *text, double *bottom)
{
  double margin = 12 * hb_paint_scale(paint), column = hb_paint_column(paint),
         line_height = hb_paint_line_height(paint);
  int columns = (int)((hb_paint_width(paint) - 3 * margin) / column) - beside - 2;
  if (!text || !*text) return;
  if (columns < 16) columns = 16;
  int count = hb_paint_lines(text, columns), widest = 0;
  for (const char *at = text, *next; *at; at = next) {
    int length = hb_paint_break(at, columns, &next);
    if (length > widest) widest = length;
  }
  double x = hb_paint_width(paint) - margin - widest * column, y = *bottom - count * line_height;
  hb_paint_panel(paint, x, y, widest, count);
  hb_paint_wrapped(paint, x, y, color, text, columns);
  *bottom = y - margin - 4 * hb_paint_scale(paint);
}

static int columns_in(const struct hb_paint *paint, double width)
{
  double margin = 12 * hb_paint_scale(paint);
  int columns = (int)((width - 2 * margin) / hb_paint_column(paint));
  return columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
}

static void paint_numbers(struct hb_paint *paint, const struct numbers *n, int all_columns)
{
  double margin = 12 * hb_paint_scale(paint);
  int scale = hb_paint_scale(paint), size = hb_paint_height(paint) >= LARGE_FROM * scale ? 2 : 1;
  int large = size > 1 ? n->large : 0, columns = all_columns / size, state = (int)strlen(n->state);
  double y = margin + size * (large + 1) * hb_paint_line_height(paint);
  hb_paint_panel(paint, margin, margin, all_columns, size * (large + 1) + n->row_count - large);
  draw_rows(paint, n, large, n->row_count, all_columns, margin, y);
  hb_paint_set_scale(paint, size * scale);
  draw_text(paint, margin, margin, columns - state - 1, COLOR_TITLE, n->title);
  draw_text(paint, margin + (columns - state) * hb_paint_column(paint), margin, state, COLOR_NOTE, n->state);
  draw_rows(paint, n, 0, large, columns, margin, margin + hb_paint_line_height(paint));
  hb_paint_set_scale(paint, scale);
}

/* ---- the energy error -------------------------------------------------------------------------------- */

/* The range of log10 |error|, without errors that are exactly zero; 0 if there is none. */
static int find_decades(const struct hb_hud_history *h, double *least, double *most)
{
  *least = INFINITY;
  *most = -INFINITY;
  for (int k = 0; k < h->count; k++)
    if (h->error[k] != 0) {
      *least = fmin(*least, floor(log10(fabs(h->error[k]))));
      *most = fmax(*most, ceil(log10(fabs(h->error[k]))));
    }
  if (*least == *most) *most += 1;
  return *least < *most;
}

static void draw_curve(struct hb_paint *paint, const struct hb_hud_history *h, const double box[4],
                       double least, double most)
{
  double t0 = h->t[0], span = h->t[h->count - 1] - t0, scale = hb_paint_scale(paint), x0 = 0, y0 = 0;
  int drawn = 0;
  for (int k = 0; k < h->count; k++) {
    if (h->error[k] == 0) continue;
    double x = box[0] + box[2] * (span > 0 ? (h->t[k] - t0) / span : 1);
    double y = box[1] + box[3] * (most - log10(fabs(h->error[k]))) / (most - least);
    if (drawn++) hb_paint_line(paint, x0, y0, x, y, 1.5 * scale, COLOR_CURVE);
    x0 = x;
    y0 = y;
  }
  if (drawn) hb_paint_box(paint, x0 - 2 * scale, y0 - 2 * scale, 4 * scale, 4 * scale, COLOR_TITLE);
}

static void paint_history(struct hb_paint *paint, const struct hb_hud_history *h)
{
  enum { COLUMNS = 34, LINES = 8, LABEL = 6 };
  double scale = hb_paint_scale(paint), column = hb_paint_column(paint), height = hb_paint_line_height(paint);
  double x = hb_paint_width(paint) - 12 * scale - COLUMNS * column, y = 12 * scale, least, most;
  const double box[4] = {x + LABEL * column, y + 1.5 * height, (COLUMNS - LABEL - 1) * column,
                         (LINES - 3.25) * height};
  char text[64];
  hb_paint_panel(paint, x, y, COLUMNS, LINES);
  hb_paint_text(paint, x, y, COLOR_NAME, "|dE/E|");
  if (h->count == 0 || !find_decades(h, &least, &most)) {
    hb_paint_text(paint, box[0], box[1] + box[3] / 2, COLOR_NAME, "no error yet");
    return;
  }
  double step = ceil((most - least) / 4);
  for (double decade = least; decade <= most; decade += step) {
    double at = box[1] + box[3] * (most - decade) / (most - least);
    snprintf(text, sizeof text, "1e%+03.0f", decade);
    hb_paint_text(paint, x, at - height / 2 + scale, COLOR_NAME, text);
    hb_paint_box(paint, box[0], at, box[2], scale, 0xffffff20);
  }
  draw_curve(paint, h, box, least, most);
  snprintf(text, sizeof text, "%.4g", h->t[0]);
  hb_paint_text(paint, box[0], y + (LINES - 1) * height, COLOR_NAME, text);
  snprintf(text, sizeof text, "t = %.4g", h->t[h->count - 1]);
  hb_paint_text(paint, box[0] + box[2] - (double)strlen(text) * column, y + (LINES - 1) * height, COLOR_NAME,
                text);
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

enum { SLIDER_NAME = 11, SLIDER_TEXT = 10 };

static void draw_slider(struct hb_hud_slider *s, struct hb_paint *paint, double x, double y, int columns)
{
  s->length = 0;
  if (columns < SLIDER_NAME + SLIDER_TEXT) return;
  double column = hb_paint_column(paint), line = hb_paint_line_height(paint), scale = hb_paint_scale(paint);
  double names = *s->name ? SLIDER_NAME * column : 0;
  if (s->format) snprintf(s->text, sizeof s->text, s->format, *s->value);
  s->x = x + names;
  s->y = y + line / 2 - scale;
  s->length = columns * column - names - SLIDER_TEXT * column;
  s->reach = line / 2;
  double knob = s->x + hb_hud_slider_place(s) * s->length;
  hb_paint_text(paint, x, y, 0xb8c4d4ff, s->name);
  hb_paint_box(paint, s->x, s->y - scale, s->length, 2 * scale, 0xffffff30);
  hb_paint_box(paint, s->x, s->y - scale, knob - s->x, 2 * scale, COLOR_CURVE);
  hb_paint_box(paint, knob - 3 * scale, s->y - 5 * scale, 6 * scale, 10 * scale,
               s->held ? COLOR_TITLE : 0xd5e6ffff);
  hb_paint_text(paint, x + columns * column - (double)strlen(s->text) * column, y, COLOR_VALUE, s->text);
}

static void paint_sliders(struct hb_paint *paint, struct hb_hud_slider *sliders, int count, int columns,
                          double foot)
{
  int shown = 0;
  double margin = 12 * hb_paint_scale(paint), line = hb_paint_line_height(paint);
  for (int k = 0; k < count; k++) shown += !sliders[k].absent;
  double y = hb_paint_height(paint) - margin - shown * line - foot;
  hb_paint_panel(paint, margin, y, columns, shown);
  for (int k = 0; k < count; k++) {
    if (sliders[k].absent) continue;
    draw_slider(&sliders[k], paint, margin, y, columns);
    y += line;
  }
}

/* ---- help -------------------------------------------------------------------------------------------- */

enum { KEY_COLUMNS = 21, HELP_COLUMNS = 88 };

/* Reduces the scale until the help fits. */
static void fit_help(struct hb_paint *paint, size_t lines)
{
  while (hb_paint_scale(paint) > 1 &&
         (HELP_COLUMNS * hb_paint_column(paint) > hb_paint_width(paint) ||
          (double)(lines + 1) * hb_paint_line_height(paint) > hb_paint_height(paint)))
    hb_paint_set_scale(paint, hb_paint_scale(paint) - 1);
}

static void paint_help(struct hb_paint *paint, const struct hb_keys_row *rows)
{
  size_t lines = 1;
  int scale = hb_paint_scale(paint);
  for (const struct hb_keys_row *row = rows; row->name || row->key; row++) lines += row->name != NULL;
  fit_help(paint, lines);
  double column = hb_paint_column(paint), height = hb_paint_line_height(paint);
  double margin = 12 * hb_paint_scale(paint);
  double x = fmax(margin, floor((hb_paint_width(paint) - HELP_COLUMNS * column) / 2));
  double y = fmax(margin, floor((hb_paint_height(paint) - (double)lines * height) / 2));
  for (int k = 0; k < 2; k++) hb_paint_panel(paint, x, y, HELP_COLUMNS, (int)lines); /* twice as dark */
  hb_paint_text(paint, x, y, COLOR_TITLE, "Keys and mouse");
  for (const struct hb_keys_row *row = rows; row->name || row->key; row++) {
    if (!row->name) continue;
    y += height;
    hb_paint_text(paint, x, y, COLOR_CURVE, row->name);
    hb_paint_text(paint, x + KEY_COLUMNS * column, y, COLOR_VALUE, row->help);
  }
  hb_paint_set_scale(paint, scale);
}

/* ---- over the picture -------------------------------------------------------------------------------- */

static void add_pairs(double pairs_per_s, struct numbers *n)
{
  int giga = pairs_per_s >= 1e9;
  if (!isnan(pairs_per_s))
    add_row(n, "pairs", "%.4g %s", (giga ? 1e-9 : 1e-6) * pairs_per_s, giga ? "G/s" : "M/s");
}

static void add_color(const struct hb_view *view, struct numbers *n)
{
  enum hb_coloring color = view->looks.color;
  double range[2];
  add_row(n, "color", "%s", hb_coloring_label(color));
  for (int k = 0; k < 2; k++) range[k] = hb_coloring_number(color, view->stars.range[k]);
  int is_group = hb_coloring_scene(color) == HB_SCENE_COLOR_GROUP;
  if (!is_group && !isnan(range[0])) add_scale(n, view->looks.style.map, range);
}

static void add_numbers(const struct hb_view *view, struct numbers *n)
{
  const struct hb_view_source *s = &view->source;
  const struct hb_view_clock *clock = &view->clock;
  struct hb_sim_counts counts;
  int series = hb_view_source_is_series(s);
  hb_view_source_counts(s, &counts);
  n->title = s->title;
  if (series)
    snprintf(n->state, sizeof n->state, "%zu of %zu%s", s->shown + 1, s->file_count,
             clock->paused ? ", paused" : "");
  else
    snprintf(n->state, sizeof n->state, "%s", clock->paused ? "paused" : "");
  add_row(n, "N", "%" PRIu64, s->n);
  add_row(n, "t", "%.4f", s->at);
  if (s->energies == 1) add_row(n, "dE/E", "-"); /* with which later ones are compared */
  if (s->energies > 1 && !isnan(s->e_error)) add_row(n, "dE/E", "%+.2e", s->e_error);
  n->large = n->row_count;
  if (!series) {
    add_row(n, "speed", "%.3g time units a second", clock->speed);
    add_row(n, "block", "%" PRIu64, s->block);
    if (counts.near.full_blocks)
      add_row(n, "steps", "%" PRIu64 ", %" PRIu64 " full", counts.block_steps, counts.near.full_blocks);
    else
      add_row(n, "steps", "%" PRIu64, counts.block_steps);
    if (!view->film) add_pairs(clock->measured.pairs_per_s, n);
  }
  if (s->sim) {
    const struct hb_force *force = hb_sim_force(s->sim);
    add_row(n, "forces", "%s, %s, %s", hb_force_scheme(force)->name, hb_force_precision(force),
            s->run->sim.integrator);
    add_row(n, "device", "%s", hb_force_scheme(force)->needs_gl ? hb_force_device(force) : "the processor");
  }
  add_color(view, n);
  if (!isnan(clock->measured.pictures_per_s) && !view->film)
    add_row(n, "pictures", "%.0f /s, %.1f ms each", clock->measured.pictures_per_s,
            1e3 * view->detail.draw_s);
}

/* The most urgent one. */
static const char *find_message(const struct hb_view *view, char text[64])
{
  double speed = view->clock.measured.speed;
  const char *said = hb_hud_said(&view->note);
  if (*said) return said;
  if (*view->clock.asks) return view->clock.asks;
  if (view->inspect.inspector && *view->inspect.texel.text) return view->inspect.texel.text;
  if (isnan(speed) || view->film) return NULL;
  snprintf(text, 64, "as fast as this machine: %.2g of the speed asked for", speed);
  return text;
}

void hb_view_hud_paint(struct hb_view *view)
{
  const struct hb_view_source *s = &view->source;
  const struct hb_view_looks *looks = &view->looks;
  struct hb_paint *paint = view->window.paint;
  struct hb_hud_slider *bar = &view->sliders[HB_VIEW_TIME];
  struct numbers numbers = {0};
  char text[64];
  int columns = columns_in(paint, view->window.scene_width);
  int has_bar = hb_view_source_is_series(s) && (looks->hud || looks->bars);
  double margin = 12 * hb_paint_scale(paint), foot = has_bar ? 2 * hb_paint_line_height(paint) : 0;
  double bottom = hb_paint_height(paint) - foot - margin;
  draw_note(paint, columns, COLOR_ERROR, view->window.error, &bottom);
  draw_note(paint, columns, COLOR_NOTE, find_message(view, text), &bottom);
  if (looks->hud && !looks->help) {
    add_numbers(view, &numbers);
    paint_numbers(paint, &numbers, columns);
  }
  if (looks->hud && !view->inspect.inspector && hb_view_source_has_energy(s))
    paint_history(paint, &s->history);
  if (looks->bars) paint_sliders(paint, view->sliders, HB_VIEW_TIME, columns, foot);
  if (has_bar) {
    snprintf(bar->text, sizeof bar->text, "%zu/%zu", s->shown + 1, s->file_count);
    if (!bar->held) view->snapshot = (double)s->shown;
    paint_sliders(paint, bar, 1, (int)((hb_paint_width(paint) - 2 * margin) / hb_paint_column(paint)), 0);
  }
  if (looks->help) paint_help(paint, view->keys);
}
