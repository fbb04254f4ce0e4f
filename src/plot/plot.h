/* Figures by gnuplot: curves and their axes as a script, and from a script to a file, png, svg or pdf by its extension. A caller
 * sets the title, the kinds of axes and the look of its curves. */
#ifndef HB_PLOT_H
#define HB_PLOT_H

#include "base/draft.h"
#include "base/status.h"

#include <stddef.h>

/* Draws the panels of the set, bit k for panel k, on one page, from a file of --diag or --follow, .csv or .jsonl; set 0: all for which it
 * has columns. *rows: of the file. Errors: HB_ERR_USAGE (extension), HB_ERR_INPUT (with file, line and reason; a panel of the set
 * for which there are no columns), HB_ERR_IO. */
enum hb_status hb_figure_draw(const char *diagnostics, unsigned set, const char *path, size_t *rows);

enum { HB_PLOT_NAME = 96, HB_PLOT_BANDS = 4 };

struct hb_plot_look {
  const char *color;
  int mark; /* gnuplot's number; 0: none */
  double mark_size;
  double width;     /* of the line; 0: none      */
  const char *dash; /* gnuplot's; NULL: solid    */
};

struct hb_plot_point {
  double x, y;
};

/* Named "FAMILY MEMBER" in the key. */
struct hb_plot_curve {
  char family[HB_PLOT_NAME], member[HB_PLOT_NAME];
  struct hb_plot_point *points; /* [capacity], count of them set */
  size_t count, capacity;
  struct hb_plot_look look;
  int is_reference; /* what others measured            */
  int is_boxes;     /* a histogram                     */
  int is_band;      /* an outline, filled; not in the key */
  int is_unnamed;   /* not in the key                  */
  int is_hidden;    /* not drawn, but within the axes  */
};

enum hb_plot_x {
  HB_PLOT_X_TWOS,       /* powers of two                              */
  HB_PLOT_X_TWOS_NAMED, /* the same as 256, 1k, 64k, 1M               */
  HB_PLOT_X_TENS,       /* powers of ten                              */
  HB_PLOT_X_TIMES,      /* linear, from x_low to x_high               */
  HB_PLOT_X_OWN         /* linear; already in the script */
};

enum hb_plot_y {
  HB_PLOT_Y_SHORT,   /* labels at 1, 2 and 5; gnuplot's on more than three decades            */
  HB_PLOT_Y_NAMED,   /* the same, small and large numbers as powers of ten                    */
  HB_PLOT_Y_DIGITS,  /* always labels at 1, 2 and 5                                           */
  HB_PLOT_Y_DECADES, /* whole decades                                                         */
  HB_PLOT_Y_OWN
};

/* A range of y that a paper quotes. */
struct hb_plot_band {
  double low, high;
  const char *label, *color;
};

/* Start from {0} with the axes; hb_plot_clear frees the curves. */
struct hb_plot {
  const char *title, *x_label, *y_label; /* NULL: none */
  enum hb_plot_x x_kind;
  enum hb_plot_y y_kind;
  double x_low, x_high; /* HB_PLOT_X_TIMES */
  double y_margin;      /* a factor around the curves; 0: 1.4 */
  struct hb_plot_band bands[HB_PLOT_BANDS];
  struct hb_plot_curve *curves;
  size_t count, capacity;
};

/* Adds a point to the curve of that name. Points without a logarithm are left out. */
enum hb_status hb_plot_add(struct hb_plot *plot, const char *family, const char *member, double x, double y);

/* The same for a curve to compare with. Add these after the plot's own curves, so that their colors do not change. */
enum hb_status hb_plot_add_reference(struct hb_plot *plot, const char *family, const char *member, double x,
                                     double y);
void hb_plot_clear(struct hb_plot *plot);

/* Appends axes, bands and curves to the script. */
void hb_plot_put(const struct hb_plot *plot, struct hb_draft *script);

/* ---- scripts ---- */

/* Checks, before hours of measuring, that a figure can be written to path. Errors: HB_ERR_USAGE (extension is
 * not png, svg or pdf), HB_ERR_IO (no gnuplot, no folder). */
enum hb_status hb_plot_check(const char *path);

/* Puts the first line of a script, its terminal; width x height in pixels of a png. Keeps HB_ERR_USAGE (extension). */
void hb_plot_begin(const char *path, int width, int height, struct hb_draft *script);

/* Draws the figure, replaces its file atomically, and clears the script. Errors: HB_ERR_IO, and those that the script kept. */
enum hb_status hb_plot_end(const char *path, struct hb_draft *script);

/* ---- a figure of its own ---- */

/* Writes curves: families by color, members by dashes and marks, references thin and gray. The file is replaced
 * atomically. Errors: HB_ERR_USAGE (no curves, extension), HB_ERR_IO. */
enum hb_status hb_plot_write(struct hb_plot *plot, const char *path);

#endif
