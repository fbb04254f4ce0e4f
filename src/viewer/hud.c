#include "viewer/hud.h"

#include "base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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
