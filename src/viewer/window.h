/* The viewer's window: a scene of stars, a page painted over it, and the camera that the mouse moves. */
#ifndef HB_WINDOW_H
#define HB_WINDOW_H

#include "gl/gl_window.h"
#include "render/paint.h"
#include "render/scene.h"

enum hb_mouse_drag { HB_MOUSE_FREE, HB_MOUSE_ROTATES, HB_MOUSE_PANS };

/* Start from {0}. */
struct hb_mouse {
  enum hb_mouse_drag drag;
  enum hb_gl_button button; /* held down */
  double x, y;              /* where it is, pixels from the upper left corner */
  double pressed_at;        /* the clock at the last press, for double clicks */
  double pressed_x, pressed_y;
};

struct hb_window_params {
  const char *title;
  int width, height; /* points */
  int debug;         /* 1: messages of the driver are failures */
  double scale;      /* size of text; 0: as the screen suggests */
};

struct hb_window {
  struct hb_gl_window *gl;
  struct hb_gl_context *context; /* of gl */
  struct hb_scene *scene;
  struct hb_paint *paint;
  struct hb_camera camera;
  struct hb_mouse mouse;
  int width, height; /* of the framebuffer */
  int scene_width;   /* of its left part, which the stars have */
  double share;      /* that part, 0 to 1                      */
  int coarse;        /* the scene has a pixel for coarse x coarse of the window */
  int text_scale;    /* pixels per pixel of the font */
  double scale;      /* as requested */
  struct hb_gl_target screen;
  struct hb_gl_texture hidden; /* off screen, for saved pictures; created when needed */
};

/* Errors: HB_ERR_GL (no window system, no OpenGL 3.3). Call hb_window_close even after a failure. */
enum hb_status hb_window_open(const struct hb_window_params *params, struct hb_window *window);
void hb_window_close(struct hb_window *window);

/* Adopts the current size of the framebuffer. */
enum hb_status hb_window_resized(struct hb_window *window);

/* Sets the stars' share of the window's width, 0 to 1. */
enum hb_status hb_window_set_share(struct hb_window *window, double share);

/* Draws the stars with fewer pixels, 1: with all. */
enum hb_status hb_window_set_coarse(struct hb_window *window, int coarse);

/* An off-screen target of the window's size, for saved pictures. */
enum hb_status hb_window_hidden(struct hb_window *window, const struct hb_gl_target **target);

/* Waits until everything is drawn and shows it. Errors: HB_ERR_DEVICE with the driver's message. */
enum hb_status hb_window_show(struct hb_window *window);

/* Reloads shaders, of forces and of pictures, that were saved meanwhile (HB_SHADER_DIR). *message: what is wrong with
 * them, or "". */
void hb_window_reload(struct hb_window *window, const char **message);

/* ---- the mouse moves the camera: pure logic, so that it can be tested without a window ---- */

/* Handles an event at time `now` (seconds) in a picture of width x height pixels: a drag rotates, with shift or any
 * button but the left one it pans, the wheel zooms, and the point under a double click comes to the center. Returns 1
 * if the camera moved. */
int hb_mouse_event(struct hb_mouse *mouse, const struct hb_gl_event *event, double now, int width, int height,
                   struct hb_camera *camera);

#endif
