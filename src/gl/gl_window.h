/* A visible window: an OpenGL context of the window system, and a queue of events. There is one at a time; while it is
 * open, hb_gl_context_open("glfw") gives its context, so that what is computed there can be drawn from its textures. All positions and sizes are in pixels of the framebuffer, y from the top. */
#ifndef HB_GL_WINDOW_H
#define HB_GL_WINDOW_H

#include "gl/gl_context.h"

struct hb_gl_window;

/* Keys without a character; others are their character, by the keyboard's layout. */
enum hb_gl_key {
  HB_GL_KEY_ESCAPE = 27,
  HB_GL_KEY_LEFT = 256,
  HB_GL_KEY_RIGHT,
  HB_GL_KEY_UP,
  HB_GL_KEY_DOWN,
  HB_GL_KEY_HOME,
  HB_GL_KEY_END
};

enum hb_gl_button { HB_GL_BUTTON_LEFT, HB_GL_BUTTON_RIGHT, HB_GL_BUTTON_MIDDLE };

enum hb_gl_event_kind {
  HB_GL_EVENT_NONE,
  HB_GL_EVENT_KEY,     /* key                                        */
  HB_GL_EVENT_PRESS,   /* button at x y, shift                       */
  HB_GL_EVENT_RELEASE, /* button at x y                              */
  HB_GL_EVENT_MOVE,    /* the mouse is at x y                        */
  HB_GL_EVENT_WHEEL,   /* y: notches, > 0 away from the user          */
  HB_GL_EVENT_RESIZE,  /* the framebuffer is x times y now           */
  HB_GL_EVENT_CLOSE    /* the window is asked to close               */
};

struct hb_gl_event {
  enum hb_gl_event_kind kind;
  int key;
  enum hb_gl_button button;
  int shift; /* 1 while shift is held */
  double x, y;
};

struct hb_gl_window_params {
  const char *title;
  int width, height; /* of the framebuffer as the window system gives it: points */
  int debug;         /* as in hb_gl_context_params */
};

/* What can be done with it; where there is none, open fails and the others are NULL. */
struct hb_gl_windows {
  /* Opens and shows it; its context is current. Errors: HB_ERR_GL (no window system, no OpenGL 3.3), HB_ERR_USAGE. */
  enum hb_status (*open)(const struct hb_gl_window_params *params, struct hb_gl_window **window);
  void (*close)(struct hb_gl_window *window);

  struct hb_gl_context *(*context)(struct hb_gl_window *window);

  /* Processes events of the window system, waiting at most wait_s for one; and takes the next, kind NONE: there is none. */
  void (*poll)(struct hb_gl_window *window, double wait_s);
  struct hb_gl_event (*next)(struct hb_gl_window *window);

  /* Appends an event to the queue, as if it had happened. */
  void (*push)(struct hb_gl_window *window, const struct hb_gl_event *event);

  /* Pixels of the framebuffer, and the scale at which the screen wants things drawn. */
  void (*size)(const struct hb_gl_window *window, int *width, int *height);
  double (*scale)(const struct hb_gl_window *window);

  /* Asks for another size, or to fill the screen (1) or not (0); the resulting size is an event. */
  void (*resize)(struct hb_gl_window *window, int width, int height);
  void (*fill_screen)(struct hb_gl_window *window, int fill);
  void (*set_title)(struct hb_gl_window *window, const char *title);

  /* Shows what was drawn into framebuffer 0, once it is complete. Does not wait for the screen. */
  void (*swap)(struct hb_gl_window *window);
};
extern const struct hb_gl_windows hb_gl_windows;

#endif
