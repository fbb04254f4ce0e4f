/* The mouse moves the camera: pure logic, so that it can be tested without a window. */
#ifndef HB_STEER_H
#define HB_STEER_H

#include "gl/gl_window.h"
#include "render/camera.h"

enum hb_steer_drag { HB_STEER_FREE, HB_STEER_ROTATES, HB_STEER_PANS };

/* Start from {0} and hb_camera_reset. */
struct hb_steer {
  struct hb_camera camera;
  enum hb_steer_drag drag;
  enum hb_gl_button button; /* held down */
  double x, y;              /* where the mouse is, pixels from the upper left corner */
  double pressed_at;        /* the clock at the last press, for double clicks */
  double pressed_x, pressed_y;
};

/* Handles an event at time `now` (seconds) in a picture of width x height pixels: a drag rotates, with shift or any
 * button but the left one it pans, the wheel zooms, and the point under a double click comes to the center. Returns 1
 * if the camera moved. */
int hb_steer_event(struct hb_steer *steer, const struct hb_gl_event *event, double now, int width,
                   int height);

#endif
