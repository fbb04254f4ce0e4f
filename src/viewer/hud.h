/* The head-up display: what runs, how far, how fast, how accurately; a curve of the energy error; the help. */
#ifndef HB_HUD_H
#define HB_HUD_H

#include "render/colormap.h"
#include "render/paint.h"

struct hb_view;

/* What a key does: a row of one table (view_input.c) for the program, the help over the picture, and --help. */
struct hb_keys_row {
  int key;          /* a character or enum hb_gl_key; 0: only for the help, or the end of the table */
  const char *name; /* as written in the help: "space"; NULL: the row before has the help           */
  enum hb_status (*act)(struct hb_view *view);
  const char *help;
};

enum { HB_HUD_HISTORY = 256, HB_HUD_ROWS = 12 };

/* Energy errors so far: when it is full, every other one is dropped and new ones are added half as often. Start from
 * {0}. */
struct hb_hud_history {
  int count;
  unsigned skip, seen; /* one of 2^skip is stored */
  double t[HB_HUD_HISTORY], error[HB_HUD_HISTORY];
};

void hb_hud_history_clear(struct hb_hud_history *history);
void hb_hud_history_add(struct hb_hud_history *history, double t, double error);

/* Start from {0}: texts that are NULL are not drawn. */
struct hb_hud {
  const char *title, *state; /* model or file; "paused", "snapshot 3 of 12", ... */
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

/* Upper right corner: |dE/E| over time in powers of ten. */
void hb_hud_draw_history(struct hb_paint *paint, const struct hb_hud_history *history);

/* Centered: the table of keys, which ends with a row of zeros. */
void hb_hud_draw_help(struct hb_paint *paint, const struct hb_keys_row *rows);

#endif
