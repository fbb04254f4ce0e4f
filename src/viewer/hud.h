/* Keys, messages, sliders and a history of energy errors, so that they can be tested without a window. */
#ifndef HB_HUD_H
#define HB_HUD_H

#include "gl/gl_window.h"
#include "render/coloring.h"
#include "render/paint.h"

struct hb_view;

/* What a key does: a row of one table (view.c) for the program, the help over the picture, and --help. */
struct hb_keys_row {
  int key;          /* a character or enum hb_gl_key; 0: only for the help, or the end of the table */
  const char *name; /* as written in the help: "space"; NULL: the row before has the help           */
  enum hb_status (*act)(struct hb_view *view, int by);
  int by; /* which way */
  const char *help;
};

enum { HB_HUD_HISTORY = 256 };

#define HB_HUD_TITLE 0xffffffff
#define HB_HUD_NAME  0x8fa3bbff
#define HB_HUD_VALUE 0xe8eef6ff
#define HB_HUD_CURVE 0x6fb7ffff
#define HB_HUD_NOTE  0xffd27aff
#define HB_HUD_ERROR 0xff8a80ff

/* ---- messages ---- */

/* Start from {0}. */
struct hb_hud_note {
  char text[256];
  double until; /* a time            */
  int stays;    /* 1: for good, of a script, for which time does not matter */
};

/* Shows a message for a few seconds, or until the next one. */
void hb_hud_say(struct hb_hud_note *note, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hb_hud_hush(struct hb_hud_note *note);

/* What is to be shown now, or "". */
const char *hb_hud_said(const struct hb_hud_note *note);

/* ---- the energy error ---- */

/* Errors so far: when it is full, every other one is dropped and new ones are added half as often. Start from {0}. */
struct hb_hud_history {
  int count;
  unsigned skip, seen; /* one of 2^skip is stored */
  double t[HB_HUD_HISTORY], error[HB_HUD_HISTORY];
};

void hb_hud_history_add(struct hb_hud_history *history, double t, double error);

/* The last error at or before a time; 0 before all, and `now` after them. */
double hb_hud_history_at(const struct hb_hud_history *history, double t, double now);

/* Of one or several histories: from their first time to their last one, and decades of their errors that are not exactly zero. Start from
 * {0}. */
struct hb_hud_axes {
  int count; /* of errors */
  double t[2], decade[2];
};

void hb_hud_axes_fit(struct hb_hud_axes *axes, const struct hb_hud_history *history);

/* As a line over a logarithmic axis, on a panel: x y of its upper left letter, columns, lines. A time before the last is marked. */
void hb_hud_history_paint(struct hb_paint *paint, const struct hb_hud_history *history,
                          const struct hb_hud_axes *axes, double marked, const double panel[4]);

/* ---- numbers ---- */

enum { HB_HUD_ROWS = 12, HB_HUD_COLUMNS = 40 /* at most */ };

/* Start from {title, name_columns}. */
struct hb_hud_numbers {
  const char *title;
  char state[64]; /* beside the title: "paused", "3 of 12", ... */
  int row_count;
  int name_columns; /* before the values */
  int large; /* so many rows, and the title, are in letters of twice the size where the window is large */
  struct {
    const char *name;
    char text[64];
    int has_scale; /* 1: followed by the color scale and `end` */
    char end[16];
  } rows[HB_HUD_ROWS];
  enum hb_colormap map;
};

void hb_hud_row(struct hb_hud_numbers *numbers, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hb_hud_pairs(struct hb_hud_numbers *numbers, double a_second); /* none: NaN */
void hb_hud_scale(struct hb_hud_numbers *numbers, enum hb_colormap map, const double range[2]);

/* On a panel of so many columns: x y of its upper left letter. Pixels of its height. */
double hb_hud_numbers_paint(struct hb_paint *paint, const struct hb_hud_numbers *numbers, double x, double y,
                            int columns);

/* How many times as large letters can be that are to be read from the back of a room. */
int hb_hud_large(const struct hb_paint *paint);

/* ---- sliders ---- */

enum hb_hud_law {
  HB_HUD_LINEAR,     /* least ... most                                             */
  HB_HUD_LOGARITHMIC /* equal distances are equal factors                          */
};

/* Draws a number; events between pictures change it. */
struct hb_hud_slider {
  const char *name;
  double least, most;
  enum hb_hud_law law;
  int with_zero;      /* LOGARITHMIC: the left end is 0    */
  const char *format; /* of its number; NULL: text is given */
  int absent;         /* 1: neither drawn nor moved        */

  double *value; /* the caller's */
  char text[32];
  int held;            /* by the mouse */
  double x, y, length; /* of its track in the picture; pixels, y at its center */
  double reach;        /* pixels above and below that belong to it */
};

enum hb_hud_answer {
  HB_HUD_NOT_MINE,
  HB_HUD_TAKEN, /* the event was for the slider             */
  HB_HUD_MOVED, /* and has changed its value                */
  HB_HUD_LET_GO /* the mouse button was released            */
};

enum hb_hud_answer hb_hud_slider_event(struct hb_hud_slider *slider, const struct hb_gl_event *event);

/* The position of the knob, 0 to 1, and the value at a position. */
double hb_hud_slider_place(const struct hb_hud_slider *slider);
double hb_hud_slider_value(const struct hb_hud_slider *slider, double place);

#endif
