/* Figures: curves on logarithmic axes, drawn by gnuplot.h. */
#ifndef HB_PLOT_H
#define HB_PLOT_H

#include "base/status.h"

enum { HB_PLOT_NAME = 96 };

/* A family shares a colour, members of the same name in all families share dashes and marks. */
struct hb_plot_curve {
  char family[HB_PLOT_NAME], member[HB_PLOT_NAME];
  double *x, *y; /* [room], count of them set */
  size_t count, room;
  int is_reference; /* what others measured: thin and grey */
};

/* Start from {0} with the axes' labels, title before it is written; hb_plot_clear frees the curves. */
struct hb_plot {
  const char *title, *x_label, *y_label;
  struct hb_plot_curve *curves;
  size_t count;
};

/* Adds a point to the curve of that name, or begins it. Points that a logarithm cannot take are left out. */
enum hb_status hb_plot_add(struct hb_plot *plot, const char *family, const char *member, double x, double y);

/* The same for a curve to compare with. Added after the plot's own curves, whose colours it leaves alone. */
enum hb_status hb_plot_add_reference(struct hb_plot *plot, const char *family, const char *member, double x,
                                     double y);
void hb_plot_clear(struct hb_plot *plot);

/* The figure appears under its name whole or not at all. Errors: HB_ERR_USAGE (no curves, extension), HB_ERR_IO. */
enum hb_status hb_plot_write(const struct hb_plot *plot, const char *path);

#endif
