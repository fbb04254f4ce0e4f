/* The numbers over the picture: what runs, how far, how fast, how well; a curve of the energy error; the help. */
#ifndef HB_HUD_H
#define HB_HUD_H

#include "render/colormap.h"
#include "render/paint.h"

enum { HB_HUD_HISTORY = 256 };

/* Energy errors so far: when it is full, every other one goes and the next come half as often. Start from {0}. */
struct hb_hud_history {
  int count;
  unsigned skip, seen; /* of 2^skip one is kept */
  double t[HB_HUD_HISTORY], error[HB_HUD_HISTORY];
};

void hb_hud_history_clear(struct hb_hud_history *history);
void hb_hud_history_add(struct hb_hud_history *history, double t, double error);

/* Numbers that are NaN and texts that are NULL have no place on the screen. */
struct hb_hud {
  const char *title;  /* model or file                                     */
  const char *scheme; /* "tile, ds", with the integrator, ...              */
  const char *device;
  const char *state; /* "paused", "snapshot 3 of 12", ... */
  uint64_t n;
  double t, t_step;
  double block;       /* particles in the last block step */
  double block_steps; /* so far                           */
  double pairs_per_s;
  double energy_error;
  double pictures_per_s, draw_ms;
  const char *color; /* what the colour shows */
  enum hb_colormap map;
  double range[2];     /* its ends; NaN: colours are of groups */
  const char *message; /* for a while: where the screenshot is */
  int columns;         /* of letters that the numbers and what stands below them take */
  double foot;         /* pixels at the bottom that are taken */
  const char *error;   /* until it is gone: a shader that does not compile */
};

/* Columns for the numbers in a part of the window so wide. */
int hb_hud_columns(const struct hb_paint *paint, double width);

/* Upper left corner: the numbers. */
void hb_hud_draw(struct hb_paint *paint, const struct hb_hud *hud);

/* Upper right corner: |dE/E| over time in powers of ten. */
void hb_hud_draw_history(struct hb_paint *paint, const struct hb_hud_history *history);

/* In the middle: the table of keys. */
void hb_hud_draw_help(struct hb_paint *paint);

/* The length of the first line of a text in so many columns, broken between words unless one is longer than the line;
 * *next: where the next line begins. */
int hb_hud_line(const char *text, int columns, const char **next);

#endif
