#include "viewer/window.h"

#include "gl/gl_reload.h"

enum hb_status hb_window_set_share(struct hb_window *w, double share)
{
  int width = (int)(share * w->width);
  w->share = share;
  if (width < 1) width = 1;
  if (width == w->scene_width) return HB_OK;
  w->scene_width = width;
  return hb_scene_resize(w->scene, width, w->height, 1);
}

/* A window that is being hidden may have no pixels at all. */
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
  *w = (struct hb_window){.scale = params->scale, .share = 1};
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
