/* The viewer's window: where stars are drawn, what is painted over them, and the camera that the mouse moves. */
#ifndef HB_WINDOW_H
#define HB_WINDOW_H

#include "gl/gl_window.h"
#include "viewer/mouse.h"
#include "render/paint.h"
#include "render/scene.h"

struct hb_window_params {
  const char *title;
  int width, height; /* points */
  int debug;         /* 1: what the driver complains of is a failure */
  double scale;      /* how large text is; 0: as the screen wants it */
};

struct hb_window {
  struct hb_gl_window *gl;
  struct hb_gl_context *context; /* of gl */
  struct hb_scene *scene;
  struct hb_paint *paint;
  struct hb_camera camera;
  struct hb_mouse mouse;
  int width, height; /* of the framebuffer */
  int scene_width;   /* the stars have the left part of it */
  double share;      /* which is this share                */
  int text_scale;    /* pixels a pixel of the font */
  double scale;      /* as asked for */
  struct hb_gl_target screen;
  struct hb_gl_texture hidden; /* is not seen, for pictures to keep; made when it is needed */
};

/* Errors: HB_ERR_GL (no window system, no OpenGL 3.3). hb_window_close takes what is there, also after a failure. */
enum hb_status hb_window_open(const struct hb_window_params *params, struct hb_window *window);
void hb_window_close(struct hb_window *window);

/* Takes over the size that the framebuffer has now. */
enum hb_status hb_window_resized(struct hb_window *window);

/* The stars get another share of the window's width, 0 to 1. */
enum hb_status hb_window_set_share(struct hb_window *window, double share);

/* A target of the window's size that nobody sees, for pictures that stay. */
enum hb_status hb_window_hidden(struct hb_window *window, const struct hb_gl_target **target);

/* Waits until all is drawn and shows it. Errors: HB_ERR_DEVICE with what the driver complained of. */
enum hb_status hb_window_show(struct hb_window *window);

/* Shaders that were saved while they run (HB_SHADER_DIR) run on as saved, of forces and of pictures. *message: what is
 * wrong with them, "" when nothing is. */
void hb_window_reload(struct hb_window *window, const char **message);

#endif
