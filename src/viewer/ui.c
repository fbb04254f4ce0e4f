#include "viewer/ui.h"

#include <math.h>
#include <string.h>

enum { NAME_COLUMNS = 11, TEXT_COLUMNS = 10 };
static const double zero_place = 0.04; /* a logarithmic slider with_zero is 0 below half of this */

double hb_ui_slider_place(const struct hb_ui_slider *s)
{
  double from = s->with_zero ? zero_place : 0, place;
  if (s->law == HB_UI_LINEAR)
    place = (s->value - s->least) / (s->most - s->least);
  else if (s->with_zero && s->value <= 0)
    return 0;
  else
    place = from + (1 - from) * log(s->value / s->least) / log(s->most / s->least);
  return place < from ? from : place > 1 ? 1 : place;
}

double hb_ui_slider_value(const struct hb_ui_slider *s, double place)
{
  place = place < 0 ? 0 : place > 1 ? 1 : place;
  if (s->law == HB_UI_LINEAR) return s->least + place * (s->most - s->least);
  double from = s->with_zero ? zero_place : 0;
  if (s->with_zero && place < from / 2) return 0;
  if (place < from) place = from;
  return s->least * pow(s->most / s->least, (place - from) / (1 - from));
}

static enum hb_ui_answer move_to(struct hb_ui_slider *s, double x)
{
  double before = s->value;
  s->value = hb_ui_slider_value(s, (x - s->x) / s->length);
  return s->value == before ? HB_UI_TAKEN : HB_UI_MOVED;
}

enum hb_ui_answer hb_ui_slider_event(struct hb_ui_slider *s, const struct hb_gl_event *e)
{
  if (s->absent || s->length <= 0) return HB_UI_NOT_MINE;
  if (e->kind == HB_GL_EVENT_MOVE && s->held) return move_to(s, e->x);
  if (e->kind == HB_GL_EVENT_RELEASE && s->held && e->button == HB_GL_BUTTON_LEFT) {
    s->held = 0;
    return HB_UI_LET_GO;
  }
  if (e->kind != HB_GL_EVENT_PRESS || e->button != HB_GL_BUTTON_LEFT) return HB_UI_NOT_MINE;
  if (e->x < s->x - s->reach || e->x > s->x + s->length + s->reach || fabs(e->y - s->y) > s->reach)
    return HB_UI_NOT_MINE;
  s->held = 1;
  return move_to(s, e->x);
}

void hb_ui_slider_draw(struct hb_ui_slider *s, struct hb_paint *paint, double x, double y, int columns,
                       const char *text)
{
  s->length = 0;
  if (s->absent || columns < NAME_COLUMNS + TEXT_COLUMNS) return;
  double column = hb_paint_column(paint), line = hb_paint_line_height(paint), scale = hb_paint_scale(paint);
  double names = *s->name ? NAME_COLUMNS * column : 0;
  s->x = x + names;
  s->y = y + line / 2 - scale;
  s->length = columns * column - names - TEXT_COLUMNS * column;
  s->reach = line / 2;
  double knob = s->x + hb_ui_slider_place(s) * s->length;
  hb_paint_text(paint, x, y, 0xb8c4d4ff, s->name);
  hb_paint_box(paint, s->x, s->y - scale, s->length, 2 * scale, 0xffffff30);
  hb_paint_box(paint, s->x, s->y - scale, knob - s->x, 2 * scale, 0x6fb7ffff);
  hb_paint_box(paint, knob - 3 * scale, s->y - 5 * scale, 6 * scale, 10 * scale,
               s->held ? 0xffffffff : 0xd5e6ffff);
  hb_paint_text(paint, x + columns * column - (double)strlen(text) * column, y, 0xe8eef6ff, text);
}
