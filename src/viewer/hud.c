#include "viewer/hud.h"

#include "base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---------------------------------------------------------------------------------------- */

static const double note_s = 4;

void hb_hud_say(struct hb_hud_note *note, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  vsnprintf(note->text, sizeof note->text, format, values);
  va_end(values);
  note->until = note->stays ? INFINITY : hb_clock_now() + note_s;
}

void hb_hud_hush(struct hb_hud_note *note) { note->until = 0; }

const char *hb_hud_said(const struct hb_hud_note *note)
{
  return hb_clock_now() < note->until ? note->text : "";
}

/* ---- the energy error -------------------------------------------------------------------------------- */

void hb_hud_history_add(struct hb_hud_history *h, double t, double error)
{
  if (h->seen++ % (1u << h->skip) != 0 || isnan(error)) return;
  if (h->count == HB_HUD_HISTORY) {
    for (int k = 0; k < HB_HUD_HISTORY / 2; k++) {
      h->t[k] = h->t[2 * k];
      h->error[k] = h->error[2 * k];
    }
    h->count = HB_HUD_HISTORY / 2;
    h->skip++;
  }
  h->t[h->count] = t;
  h->error[h->count++] = error;
}

double hb_hud_history_at(const struct hb_hud_history *h, double t, double now)
{
  double error = h->count && t < h->t[0] ? 0 : now;
  if (!h->count || t >= h->t[h->count - 1]) return now;
  for (int k = 0; k < h->count && h->t[k] <= t; k++) error = h->error[k];
  return error;
}

void hb_hud_axes_fit(struct hb_hud_axes *a, const struct hb_hud_history *h)
{
  for (int k = 0; k < h->count; k++) {
    double decade = log10(fabs(h->error[k]));
    a->t[0] = a->count || k ? fmin(a->t[0], h->t[k]) : h->t[k];
    a->t[1] = a->count || k ? fmax(a->t[1], h->t[k]) : h->t[k];
    if (h->error[k] == 0) continue;
    a->decade[0] = a->count ? fmin(a->decade[0], floor(decade)) : floor(decade);
    a->decade[1] = fmax(a->count ? a->decade[1] : -INFINITY, fmax(ceil(decade), a->decade[0] + 1));
    a->count++;
  }
}

/* Of a time and, from below, of an error. */
static double place_in(const double range[2], double at)
{
  return range[1] > range[0] ? (at - range[0]) / (range[1] - range[0]) : 1;
}

static void draw_curve(struct hb_paint *paint, const struct hb_hud_history *h, const struct hb_hud_axes *axes,
                       const double box[4])
{
  double scale = hb_paint_scale(paint), x0 = 0, y0 = 0;
  int drawn = 0;
  for (int k = 0; k < h->count; k++) {
    if (h->error[k] == 0) continue;
    double x = box[0] + box[2] * place_in(axes->t, h->t[k]);
    double y = box[1] + box[3] * (1 - place_in(axes->decade, log10(fabs(h->error[k]))));
    if (drawn++) hb_paint_line(paint, x0, y0, x, y, 1.5 * scale, HB_HUD_CURVE);
    x0 = x;
    y0 = y;
  }
  if (drawn) hb_paint_box(paint, x0 - 2 * scale, y0 - 2 * scale, 4 * scale, 4 * scale, HB_HUD_TITLE);
}

static void draw_decades(struct hb_paint *paint, const struct hb_hud_axes *axes, const double panel[4],
                         const double box[4])
{
  double step = ceil((axes->decade[1] - axes->decade[0]) / fmax(1, panel[3] - 4));
  double scale = hb_paint_scale(paint), height = hb_paint_line_height(paint);
  char text[16];
  for (double decade = axes->decade[0]; decade <= axes->decade[1]; decade += step) {
    double at = box[1] + box[3] * (1 - place_in(axes->decade, decade));
    snprintf(text, sizeof text, "1e%+03.0f", decade);
    hb_paint_text(paint, panel[0], at - height / 2 + scale, HB_HUD_NAME, text);
    hb_paint_box(paint, box[0], at, box[2], scale, 0xffffff20);
  }
}

void hb_hud_history_paint(struct hb_paint *paint, const struct hb_hud_history *h,
                          const struct hb_hud_axes *axes, double marked, const double panel[4])
{
  enum { LABEL = 6 };
  double column = hb_paint_column(paint), height = hb_paint_line_height(paint), x = panel[0], y = panel[1];
  const double box[4] = {x + LABEL * column, y + 1.5 * height, (panel[2] - LABEL - 1) * column,
                         (panel[3] - 3.25) * height};
  char text[64];
  hb_paint_panel(paint, x, y, (int)panel[2], (int)panel[3]);
  hb_paint_text(paint, x, y, HB_HUD_NAME, "|dE/E|");
  if (!axes->count) {
    hb_paint_text(paint, box[0], box[1] + box[3] / 2, HB_HUD_NAME, "no error yet");
    return;
  }
  draw_decades(paint, axes, panel, box);
  draw_curve(paint, h, axes, box);
  if (marked < axes->t[1])
    hb_paint_box(paint, box[0] + box[2] * fmax(0, place_in(axes->t, marked)), box[1], hb_paint_scale(paint),
                 box[3], HB_HUD_NOTE);
  snprintf(text, sizeof text, "%.4g", axes->t[0]);
  hb_paint_text(paint, box[0], y + (panel[3] - 1) * height, HB_HUD_NAME, text);
  snprintf(text, sizeof text, "t = %.4g", axes->t[1]);
  hb_paint_text(paint, box[0] + box[2] - (double)strlen(text) * column, y + (panel[3] - 1) * height,
                HB_HUD_NAME, text);
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

enum { LARGE_FROM = 480 }; /* pixels of height */

int hb_hud_large(const struct hb_paint *paint)
{
  return hb_paint_height(paint) >= LARGE_FROM * hb_paint_scale(paint) ? 2 : 1;
}

void hb_hud_row(struct hb_hud_numbers *n, const char *name, const char *format, ...)
{
  va_list values;
  if (n->row_count == HB_HUD_ROWS) return;
  va_start(values, format);
  n->rows[n->row_count].name = name;
  vsnprintf(n->rows[n->row_count++].text, sizeof n->rows->text, format, values);
  va_end(values);
}

void hb_hud_pairs(struct hb_hud_numbers *n, double a_second)
{
  int giga = a_second >= 1e9;
  if (!isnan(a_second))
    hb_hud_row(n, "pairs", "%.4g %s", (giga ? 1e-9 : 1e-6) * a_second, giga ? "G/s" : "M/s");
}

void hb_hud_scale(struct hb_hud_numbers *n, enum hb_colormap map, const double range[2])
{
  int k = n->row_count;
  if (k == HB_HUD_ROWS) return;
  n->map = map;
  hb_hud_row(n, "", "%.3g", range[0]);
  n->rows[k].has_scale = 1;
  snprintf(n->rows[k].end, sizeof n->rows->end, "%.3g", range[1]);
}

/* A text that is too long is cut off. */
static void draw_text(struct hb_paint *paint, double x, double y, int columns, uint32_t color,
                      const char *text)
{
  char cut[HB_HUD_COLUMNS + 1];
  if (columns > HB_HUD_COLUMNS) columns = HB_HUD_COLUMNS;
  if (columns < 4) return;
  snprintf(cut, sizeof cut, "%.*s", columns, text);
  if (strlen(text) > (size_t)columns) memcpy(cut + columns - 3, "...", 3);
  hb_paint_text(paint, x, y, color, cut);
}

/* The smallest number stands before the colors, the largest after them. */
static void draw_scale(struct hb_paint *paint, double x, double y, int columns,
                       const struct hb_hud_numbers *n, int row)
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
  hb_paint_text(paint, x + (columns + 1) * column, y, HB_HUD_VALUE, n->rows[row].end);
}

static void draw_rows(struct hb_paint *paint, const struct hb_hud_numbers *n, int first, int end, int width,
                      double x, double y)
{
  double value_x = x + n->name_columns * hb_paint_column(paint);
  int columns = width - n->name_columns;
  for (int k = first; k < end; k++, y += hb_paint_line_height(paint)) {
    if (n->rows[k].has_scale) draw_scale(paint, value_x, y, columns, n, k);
    draw_text(paint, x, y, n->name_columns, HB_HUD_NAME, n->rows[k].name);
    draw_text(paint, value_x, y, columns, HB_HUD_VALUE, n->rows[k].text);
  }
}

double hb_hud_numbers_paint(struct hb_paint *paint, const struct hb_hud_numbers *n, double x, double y,
                            int all_columns)
{
  int scale = hb_paint_scale(paint), size = hb_hud_large(paint);
  int large = size > 1 ? n->large : 0, columns = all_columns / size, state = (int)strlen(n->state);
  int lines = size * (large + 1) + n->row_count - large;
  double line = hb_paint_line_height(paint);
  hb_paint_panel(paint, x, y, all_columns, lines);
  draw_rows(paint, n, large, n->row_count, all_columns, x, y + size * (large + 1) * line);
  hb_paint_set_scale(paint, size * scale);
  draw_text(paint, x, y, columns - state - 1, HB_HUD_TITLE, n->title);
  draw_text(paint, x + (columns - state) * hb_paint_column(paint), y, state, HB_HUD_NOTE, n->state);
  draw_rows(paint, n, 0, large, columns, x, y + hb_paint_line_height(paint));
  hb_paint_set_scale(paint, scale);
  return lines * line;
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

static const double zero_place = 0.04; /* a logarithmic slider with_zero is 0 below half of this */

double hb_hud_slider_place(const struct hb_hud_slider *s)
{
  double from = s->with_zero ? zero_place : 0, place;
  if (s->law == HB_HUD_LINEAR)
    place = (*s->value - s->least) / (s->most - s->least);
  else if (s->with_zero && *s->value <= 0)
    return 0;
  else
    place = from + (1 - from) * log(*s->value / s->least) / log(s->most / s->least);
  return place < from ? from : place > 1 ? 1 : place;
}

double hb_hud_slider_value(const struct hb_hud_slider *s, double place)
{
  place = place < 0 ? 0 : place > 1 ? 1 : place;
  if (s->law == HB_HUD_LINEAR) return s->least + place * (s->most - s->least);
  double from = s->with_zero ? zero_place : 0;
  if (s->with_zero && place < from / 2) return 0;
  if (place < from) place = from;
  return s->least * pow(s->most / s->least, (place - from) / (1 - from));
}

static enum hb_hud_answer move_slider(struct hb_hud_slider *s, double x)
{
  double before = *s->value;
  *s->value = hb_hud_slider_value(s, (x - s->x) / s->length);
  return *s->value == before ? HB_HUD_TAKEN : HB_HUD_MOVED;
}

enum hb_hud_answer hb_hud_slider_event(struct hb_hud_slider *s, const struct hb_gl_event *e)
{
  if (s->absent || s->length <= 0) return HB_HUD_NOT_MINE;
  if (e->kind == HB_GL_EVENT_MOVE && s->held) return move_slider(s, e->x);
  if (e->kind == HB_GL_EVENT_RELEASE && s->held && e->button == HB_GL_BUTTON_LEFT) {
    s->held = 0;
    return HB_HUD_LET_GO;
  }
  if (e->kind != HB_GL_EVENT_PRESS || e->button != HB_GL_BUTTON_LEFT) return HB_HUD_NOT_MINE;
  if (e->x < s->x - s->reach || e->x > s->x + s->length + s->reach || fabs(e->y - s->y) > s->reach)
    return HB_HUD_NOT_MINE;
  s->held = 1;
  return move_slider(s, e->x);
}
