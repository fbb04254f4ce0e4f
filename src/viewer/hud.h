/* What is painted over the picture: numbers, messages, a curve of the energy error, sliders, the help. */
#ifndef HB_HUD_H
#define HB_HUD_H

#include "gl/gl_window.h"
#include "render/colormap.h"
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

enum { HB_HUD_HISTORY = 256, HB_HUD_ROWS = 12 };

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

/* ---- numbers ---- */

/* Start from {0}: texts that are NULL are not drawn. */
struct hb_hud {
  const char *title; /* model or file */
  char state[64];    /* "paused", "3 of 12", ... */
  int row_count;
  int large; /* so many rows, and the title, are in letters of twice the size where the window is large */
  struct {
    const char *name;
    char text[64];
    int has_scale; /* 1: followed by the color scale and `end` */
    char end[16];
  } rows[HB_HUD_ROWS];
  enum hb_colormap map;
  const char *message, *error; /* a note for a few seconds; an error (a broken shader) */
  int columns;                 /* width of the numbers and of the sliders below them */
  double foot;                 /* pixels in use at the bottom */
};

/* Adds a number with its name. */
void hb_hud_row(struct hb_hud *hud, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the scale of colors between two numbers. */
void hb_hud_scale(struct hb_hud *hud, enum hb_colormap map, const double range[2]);

/* Columns for the numbers in a part of the window of this width. */
int hb_hud_columns(const struct hb_paint *paint, double width);

/* Upper left corner: the numbers. */
void hb_hud_draw(struct hb_paint *paint, const struct hb_hud *hud);

/* ---- the energy error ---- */

/* Errors so far: when it is full, every other one is dropped and new ones are added half as often. Start from {0}. */
struct hb_hud_history {
  int count;
  unsigned skip, seen; /* one of 2^skip is stored */
  double t[HB_HUD_HISTORY], error[HB_HUD_HISTORY];
};

void hb_hud_history_add(struct hb_hud_history *history, double t, double error);

/* Upper right corner: |dE/E| over time in powers of ten. */
void hb_hud_draw_history(struct hb_paint *paint, const struct hb_hud_history *history);

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

/* A panel with those that are not absent, `columns` wide, `foot` pixels above the bottom; they remember where for events. */
void hb_hud_draw_sliders(struct hb_paint *paint, struct hb_hud_slider *sliders, int count, int columns,
                         double foot);

/* ---- help ---- */

/* Centered: the table of keys, which ends with a row of zeros. */
void hb_hud_draw_help(struct hb_paint *paint, const struct hb_keys_row *rows);

#endif
