/* Sliders over the picture. The owner of the value draws the slider once per picture; between pictures events move it. */
#ifndef HB_UI_H
#define HB_UI_H

#include "gl/gl_window.h"
#include "render/paint.h"

enum hb_ui_law {
  HB_UI_LINEAR,     /* least ... most                                             */
  HB_UI_LOGARITHMIC /* equal distances are equal factors                          */
};

struct hb_ui_slider {
  const char *name;
  double least, most;
  enum hb_ui_law law;
  int with_zero; /* LOGARITHMIC: the left end is 0 */
  int absent;    /* 1: neither drawn nor moved     */

  double value;
  int held;            /* by the mouse */
  double x, y, length; /* of its track in the picture; pixels, y at its center */
  double reach;        /* pixels above and below that belong to it */
};

enum hb_ui_answer {
  HB_UI_NOT_MINE,
  HB_UI_TAKEN, /* the event was for the slider             */
  HB_UI_MOVED, /* and has changed its value                */
  HB_UI_LET_GO /* the mouse button was released            */
};

enum hb_ui_answer hb_ui_slider_event(struct hb_ui_slider *slider, const struct hb_gl_event *event);

/* The position of the knob, 0 to 1, and the value at a position. */
double hb_ui_slider_place(const struct hb_ui_slider *slider);
double hb_ui_slider_value(const struct hb_ui_slider *slider, double place);

/* Draws name, track and value (text), `columns` wide, with the upper left corner at x y, and remembers the position for
 * events. */
void hb_ui_slider_draw(struct hb_ui_slider *slider, struct hb_paint *paint, double x, double y, int columns,
                       const char *text);

#endif
