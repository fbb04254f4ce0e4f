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
