/* Sliders over the picture. Whoever owns the number asks for each slider, and draws it, once a picture; between pictures
 * events move it. */
#ifndef HB_UI_H
#define HB_UI_H

#include "gl/gl_window.h"
#include "render/paint.h"

enum hb_ui_law {
  HB_UI_LINEAR,     /* least ... most                                             */
  HB_UI_LOGARITHMIC /* the same in equal factors                                  */
};

struct hb_ui_slider {
  const char *name;
  double least, most;
  enum hb_ui_law law;
  int with_zero; /* LOGARITHMIC: the left end is 0 */
  int absent;    /* 1: neither drawn nor moved     */

  double value;
  int held;            /* the mouse has it */
  double x, y, length; /* of its track on the picture; pixels, y in its middle */
  double reach;        /* pixels above and below that are still the slider */
};

enum hb_ui_answer {
  HB_UI_NOT_MINE,
  HB_UI_TAKEN, /* the event was for the slider             */
  HB_UI_MOVED, /* and its value is another one             */
  HB_UI_LET_GO /* the mouse has left the slider where it is */
};

enum hb_ui_answer hb_ui_slider_event(struct hb_ui_slider *slider, const struct hb_gl_event *event);

/* Where the knob is, 0 to 1, and the value for a place. */
double hb_ui_slider_place(const struct hb_ui_slider *slider);
double hb_ui_slider_value(const struct hb_ui_slider *slider, double place);

/* A row of name, track and value (text) whose upper left corner is at x y, `columns` wide in all; where it lies is kept
 * for the events that follow. */
void hb_ui_slider_draw(struct hb_ui_slider *slider, struct hb_paint *paint, double x, double y, int columns,
                       const char *text);

#endif
