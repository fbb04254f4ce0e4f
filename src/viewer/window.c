#include "viewer/window.h"

#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_readback.h"
#include "gl/gl_reload.h"

#include <math.h>
#include <string.h>

static void drop_plate(struct hb_window *w)
{
  if (w->plate) glDeleteFramebuffers(1, &w->plate);
  if (w->plate_texture) glDeleteTextures(1, &w->plate_texture);
  w->plate = w->plate_texture = 0;
}

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
  drop_plate(w);
  w->width = width;
  w->height = height;
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
  if (w->context && hb_gl_context_use(w->context) == HB_OK) drop_plate(w);
  hb_paint_close(w->paint);
  hb_scene_close(w->scene);
  hb_gl_window_close(w->gl);
  *w = (struct hb_window){0};
}

enum hb_status hb_window_hidden(struct hb_window *w, unsigned *framebuffer)
{
  HB_TRY(hb_gl_context_use(w->context));
  *framebuffer = w->plate;
  if (w->plate) return HB_OK;
  glGenTextures(1, &w->plate_texture);
  glBindTexture(GL_TEXTURE_2D, w->plate_texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, w->width, w->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glGenFramebuffers(1, &w->plate);
  glBindFramebuffer(GL_FRAMEBUFFER, w->plate);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, w->plate_texture, 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    drop_plate(w);
    return hb_fail(HB_ERR_GL, "%s cannot render a picture of %d x %d pixels", w->context->caps.renderer,
                   w->width, w->height);
  }
  *framebuffer = w->plate;
  return hb_gl_context_check(w->context, "preparing a picture");
}

enum hb_status hb_window_read_hidden(struct hb_window *w, uint8_t *rgb)
{
  size_t row = 3 * (size_t)w->width, rows = (size_t)w->height;
  uint8_t *swap;
  HB_TRY(HB_ALLOC(row, &swap));
  glBindFramebuffer(GL_FRAMEBUFFER, w->plate);
  glReadBuffer(GL_COLOR_ATTACHMENT0);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, w->width, w->height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  hb_gl_readback_add(row * rows);
  for (size_t k = 0; k < rows / 2; k++) { /* OpenGL begins at the bottom */
    uint8_t *top = rgb + k * row, *bottom = rgb + (rows - 1 - k) * row;
    memcpy(swap, top, row);
    memcpy(top, bottom, row);
    memcpy(bottom, swap, row);
  }
  hb_mem_free(swap);
  return hb_gl_context_check(w->context, "reading a picture");
}

enum hb_status hb_window_show(struct hb_window *w)
{
  glFinish();
  hb_gl_window_swap(w->gl);
  return hb_gl_context_check(w->context, "drawing");
}

void hb_window_reload(struct hb_window *w, const char **message) { hb_gl_reload(w->context, message); }
uint64_t hb_window_readback_bytes(void) { return hb_gl_readback_bytes(); }
