#include "viewer/mouse.h"

#include <math.h>

static const double double_click_s = 0.4, double_click_pixels = 6;
static const double wheel_notch = 1.15; /* five notches double the picture */

static int is_near(const struct hb_mouse *m, const struct hb_gl_event *e)
{
  return hypot(e->x - m->pressed_x, e->y - m->pressed_y) < double_click_pixels;
}

static int is_double(const struct hb_mouse *m, const struct hb_gl_event *e, double now)
{
  return e->button == HB_GL_BUTTON_LEFT && m->pressed_at > 0 && now - m->pressed_at < double_click_s &&
         is_near(m, e);
}

static int press(struct hb_mouse *m, const struct hb_gl_event *e, double now, int width, int height,
                 struct hb_camera *camera)
{
  if (m->drag != HB_MOUSE_FREE) return 0; /* a second button changes nothing */
  int doubled = is_double(m, e, now);
  m->x = m->pressed_x = e->x;
  m->y = m->pressed_y = e->y;
  m->pressed_at = doubled ? 0 : now; /* a third click starts over */
  m->button = e->button;
  m->drag = e->button == HB_GL_BUTTON_LEFT && !e->shift ? HB_MOUSE_ROTATES : HB_MOUSE_PANS;
  if (doubled) hb_camera_pan(camera, (width / 2.0 - e->x) / height, (e->y - height / 2.0) / height);
  return doubled;
}

static int move(struct hb_mouse *m, const struct hb_gl_event *e, int height, struct hb_camera *camera)
{
  double dx = (e->x - m->x) / height, dy = (m->y - e->y) / height;
  m->x = e->x;
  m->y = e->y;
  if (m->drag == HB_MOUSE_FREE || (dx == 0 && dy == 0)) return 0;
  if (!is_near(m, e)) m->pressed_at = 0; /* a drag is no click */
  if (m->drag == HB_MOUSE_ROTATES)
    hb_camera_drag(camera, dx, dy);
  else
    hb_camera_pan(camera, dx, dy);
  return 1;
}

int hb_mouse_event(struct hb_mouse *m, const struct hb_gl_event *e, double now, int width, int height,
                   struct hb_camera *camera)
{
  switch (e->kind) {
  case HB_GL_EVENT_PRESS:
    return press(m, e, now, width, height, camera);
  case HB_GL_EVENT_RELEASE:
    if (e->button == m->button) m->drag = HB_MOUSE_FREE;
    return 0;
  case HB_GL_EVENT_MOVE:
    return height > 0 ? move(m, e, height, camera) : 0;
  case HB_GL_EVENT_WHEEL:
    hb_camera_zoom(camera, pow(wheel_notch, e->y));
    return e->y != 0;
  default:
    return 0;
  }
}
