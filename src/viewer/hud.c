#include "viewer/hud.h"

#include "base/clock.h"

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

/* ---- numbers ----------------------------------------------------------------------------------------- */

enum { NUMBER_NAME = 9, MOST_COLUMNS = 40 };
enum { LARGE_FROM = 480 }; /* pixels of height: from here on some rows can be read from the back of a room */

void hb_hud_row(struct hb_hud *hud, const char *name, const char *format, ...)
{
  va_list values;
  if (hud->row_count == HB_HUD_ROWS) return;
  va_start(values, format);
  hud->rows[hud->row_count].name = name;
  vsnprintf(hud->rows[hud->row_count++].text, sizeof hud->rows->text, format, values);
  va_end(values);
}

void hb_hud_scale(struct hb_hud *hud, enum hb_colormap map, const double range[2])
{
  int k = hud->row_count;
  if (k == HB_HUD_ROWS) return;
  hud->map = map;
  hb_hud_row(hud, "", "%.3g", range[0]);
  hud->rows[k].has_scale = 1;
  snprintf(hud->rows[k].end, sizeof hud->rows->end, "%.3g", range[1]);
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
static void draw_scale(struct hb_paint *paint, double x, double y, int columns, const struct hb_hud *hud,
                       int row)
{
  enum { STEPS = 32 };
  int left = (int)strlen(hud->rows[row].text) + 1, right = (int)strlen(hud->rows[row].end) + 1;
  double scale = hb_paint_scale(paint), height = hb_paint_line_height(paint) - 9 * scale;
  double column = hb_paint_column(paint);
  columns -= left + right;
  if (columns <= 0) return;
  double width = columns * column / STEPS;
  x += left * column;
  for (int k = 0; k < STEPS; k++) {
    float rgb[3];
    uint32_t color = 0;
    hb_colormap_rgb(hud->map, (k + 0.5) / STEPS, rgb);
    for (int c = 0; c < 3; c++) color = color << 8 | (uint32_t)(255 * hb_colormap_encode(rgb[c]) + 0.5);
    hb_paint_box(paint, x + k * width, y + 4 * scale, width, height, color << 8 | 0xff);
  }
  hb_paint_text(paint, x + (columns + 1) * column, y, COLOR_VALUE, hud->rows[row].end);
}

static void draw_rows(struct hb_paint *paint, const struct hb_hud *hud, int first, int end, int width,
                      double x, double y)
{
  double value_x = x + NUMBER_NAME * hb_paint_column(paint);
  int columns = width - NUMBER_NAME;
  for (int k = first; k < end; k++, y += hb_paint_line_height(paint)) {
    if (hud->rows[k].has_scale) draw_scale(paint, value_x, y, columns, hud, k);
    draw_text(paint, x, y, NUMBER_NAME, COLOR_NAME, hud->rows[k].name);
    draw_text(paint, value_x, y, columns, COLOR_VALUE, hud->rows[k].text);
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

int hb_hud_columns(const struct hb_paint *paint, double width)
{
  double margin = 12 * hb_paint_scale(paint);
  int columns = (int)((width - 2 * margin) / hb_paint_column(paint));
  return columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
}

void hb_hud_draw(struct hb_paint *paint, const struct hb_hud *hud)
{
  double margin = 12 * hb_paint_scale(paint), bottom = hb_paint_height(paint) - hud->foot - margin;
  draw_note(paint, hud->columns, COLOR_ERROR, hud->error, &bottom);
  draw_note(paint, hud->columns, COLOR_NOTE, hud->message, &bottom);
  if (!hud->title) return;
  int scale = hb_paint_scale(paint), size = hb_paint_height(paint) >= LARGE_FROM * scale ? 2 : 1;
  int large = size > 1 ? hud->large : 0, columns = hud->columns / size;
  double y = margin + size * (large + 1) * hb_paint_line_height(paint);
  hb_paint_panel(paint, margin, margin, hud->columns, size * (large + 1) + hud->row_count - large);
  draw_rows(paint, hud, large, hud->row_count, hud->columns, margin, y);
  hb_paint_set_scale(paint, size * scale);
  int state = (int)strlen(hud->state);
  draw_text(paint, margin, margin, columns - state - 1, COLOR_TITLE, hud->title);
  if (state)
    draw_text(paint, margin + (columns - state) * hb_paint_column(paint), margin, state, COLOR_NOTE,
              hud->state);
  draw_rows(paint, hud, 0, large, columns, margin, margin + hb_paint_line_height(paint));
  hb_paint_set_scale(paint, scale);
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

void hb_hud_draw_history(struct hb_paint *paint, const struct hb_hud_history *h)
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

void hb_hud_draw_sliders(struct hb_paint *paint, struct hb_hud_slider *sliders, int count, int columns,
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

void hb_hud_draw_help(struct hb_paint *paint, const struct hb_keys_row *rows)
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
