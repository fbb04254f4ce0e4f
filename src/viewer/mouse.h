/* The mouse turns the camera: pure logic, so that it can be tested without a window. */
#ifndef HB_MOUSE_H
#define HB_MOUSE_H

#include "gl/gl_window.h"
#include "render/camera.h"

enum hb_mouse_drag { HB_MOUSE_FREE, HB_MOUSE_ROTATES, HB_MOUSE_PANS };

/* Start from {0}. */
struct hb_mouse {
  enum hb_mouse_drag drag;
  enum hb_gl_button button; /* that is held */
  double x, y;              /* where it is, pixels from the upper left corner */
  double pressed_at;        /* the clock at the last press, for double clicks */
  double pressed_x, pressed_y;
};

/* Takes an event at the clock's `now` (seconds) in a picture of width x height pixels: a drag rotates, with shift or any
 * button but the left one it pans, the wheel zooms, and the point under a double click comes to the center. 1 when
 * the camera moved. */
int hb_mouse_event(struct hb_mouse *mouse, const struct hb_gl_event *event, double now, int width, int height,
                   struct hb_camera *camera);

#endif
