#include "viewer/window.h"

#include "gl/gl_reload.h"

#include <math.h>

enum hb_status hb_window_set_share(struct hb_window *w, double share)
{
  int width = (int)(share * w->width);
  w->share = share;
  if (width < 1) width = 1;
  if (width == w->scene_width) return HB_OK;
  w->scene_width = width;
  return hb_window_set_coarse(w, w->coarse);
}

enum hb_status hb_window_set_coarse(struct hb_window *w, int coarse)
{
  w->coarse = coarse;
  return hb_scene_resize(w->scene, (w->scene_width + coarse - 1) / coarse, (w->height + coarse - 1) / coarse,
                         1);
}

/* A minimized window may have no pixels. */
enum hb_status hb_window_resized(struct hb_window *w)
{
  int width, height;
  hb_gl_window_size(w->gl, &width, &height);
  double scale = w->scale > 0 ? w->scale : hb_gl_window_scale(w->gl);
  w->text_scale = scale < 1.5 ? 1 : (int)(scale + 0.5);
  if (width < 1 || height < 1 || (width == w->width && height == w->height)) return HB_OK;
  HB_TRY(hb_gl_context_use(w->context));
  hb_gl_texture_destroy(&w->hidden);
  w->width = w->screen.width = width;
  w->height = w->screen.height = height;
  w->scene_width = 0;
  return hb_window_set_share(w, w->share);
}

enum hb_status hb_window_open(const struct hb_window_params *params, struct hb_window *w)
{
  *w = (struct hb_window){.scale = params->scale, .share = 1, .coarse = 1};
  hb_camera_reset(&w->camera);
  const struct hb_gl_window_params gl = {
      .title = params->title, .width = params->width, .height = params->height, .debug = params->debug};
  HB_TRY(hb_gl_window_open(&gl, &w->gl));
  w->context = hb_gl_window_context(w->gl);
  HB_TRY(hb_scene_open(w->context, hb_scene_quick_format(w->context), &w->scene));
  HB_TRY(hb_paint_open(w->context, &w->paint));
  hb_gl_window_poll(w->gl, 0);
  return hb_window_resized(w);
}

void hb_window_close(struct hb_window *w)
{
  if (w->context && hb_gl_context_use(w->context) == HB_OK) hb_gl_texture_destroy(&w->hidden);
  hb_paint_close(w->paint);
  hb_scene_close(w->scene);
  hb_gl_window_close(w->gl);
  *w = (struct hb_window){0};
}

enum hb_status hb_window_hidden(struct hb_window *w, const struct hb_gl_target **target)
{
  const struct hb_gl_texture_params params = {
      .what = "a picture", .format = HB_GL_RGBA8, .width = w->width, .height = w->height, .drawn = 1};
  HB_TRY(hb_gl_context_use(w->context));
  if (!w->hidden.id) HB_TRY(hb_gl_texture_create(w->context, &params, &w->hidden));
  *target = &w->hidden.target;
  return HB_OK;
}

enum hb_status hb_window_show(struct hb_window *w)
{
  hb_gl_window_swap(w->gl);
  return hb_gl_context_check(w->context, "drawing");
}

void hb_window_reload(struct hb_window *w, const char **message) { hb_gl_reload(w->context, message); }

/* ---- the mouse ---- */

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
