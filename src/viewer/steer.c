#include "viewer/steer.h"

#include <math.h>

static const double double_click_s = 0.4, double_click_pixels = 6;
static const double wheel_notch = 1.15; /* five notches double the picture */

static int is_near(const struct hb_steer *s, const struct hb_gl_event *e)
{
  return hypot(e->x - s->pressed_x, e->y - s->pressed_y) < double_click_pixels;
}

static int is_double(const struct hb_steer *s, const struct hb_gl_event *e, double now)
{
  return e->button == HB_GL_BUTTON_LEFT && s->pressed_at > 0 && now - s->pressed_at < double_click_s &&
         is_near(s, e);
}

static int press(struct hb_steer *s, const struct hb_gl_event *e, double now, int width, int height)
{
  if (s->drag != HB_STEER_FREE) return 0; /* a second button changes nothing */
  int doubled = is_double(s, e, now);
  s->x = s->pressed_x = e->x;
  s->y = s->pressed_y = e->y;
  s->pressed_at = doubled ? 0 : now; /* a third click starts over */
  s->button = e->button;
  s->drag = e->button == HB_GL_BUTTON_LEFT && !e->shift ? HB_STEER_ROTATES : HB_STEER_PANS;
  if (doubled) hb_camera_pan(&s->camera, (width / 2.0 - e->x) / height, (e->y - height / 2.0) / height);
  return doubled;
}

static int move(struct hb_steer *s, const struct hb_gl_event *e, int height)
{
  double dx = (e->x - s->x) / height, dy = (s->y - e->y) / height;
  s->x = e->x;
  s->y = e->y;
  if (s->drag == HB_STEER_FREE || (dx == 0 && dy == 0)) return 0;
  if (!is_near(s, e)) s->pressed_at = 0; /* a drag is no click */
  if (s->drag == HB_STEER_ROTATES)
    hb_camera_drag(&s->camera, dx, dy);
  else
    hb_camera_pan(&s->camera, dx, dy);
  return 1;
}

int hb_steer_event(struct hb_steer *s, const struct hb_gl_event *e, double now, int width, int height)
{
  switch (e->kind) {
  case HB_GL_EVENT_PRESS:
    return press(s, e, now, width, height);
  case HB_GL_EVENT_RELEASE:
    if (e->button == s->button) s->drag = HB_STEER_FREE;
    return 0;
  case HB_GL_EVENT_MOVE:
    return height > 0 ? move(s, e, height) : 0;
  case HB_GL_EVENT_WHEEL:
    hb_camera_zoom(&s->camera, pow(wheel_notch, e->y));
    return e->y != 0;
  default:
    return 0;
  }
}
