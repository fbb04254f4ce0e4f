/* The standard figures of a run, from the table of --diag: energy error, Lagrangian radii, block sizes, phases. */
#ifndef HB_FIGURE_H
#define HB_FIGURE_H

#include "plot/diag_table.h"

#include <holmberg/holmberg.h>

enum hb_figure_panel {
  HB_FIGURE_ENERGY,
  HB_FIGURE_RADII,
  HB_FIGURE_BLOCKS,
  HB_FIGURE_PHASES,
  HB_FIGURE_PANELS
};

/* "energy", "radii", "blocks", "phases", NULL. */
const char *hb_figure_panel_name(size_t k);

/* Draws the panels of the set, bit k for panel k, on one page; set 0: all for which the table has columns.
 * Errors: HB_ERR_INPUT (a panel of the set for which the table, called `name`, has no columns), HB_ERR_IO. */
enum hb_status hb_figure_draw(const struct hb_diag_table *table, const char *name, unsigned set,
                              const char *path);

#endif
