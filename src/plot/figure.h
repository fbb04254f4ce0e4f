/* The standard figures of a run. From the table of --diag: energy error, Lagrangian radii, block sizes, phases; from that of --follow:
 * steps, and how far the nearest particle was. */
#ifndef HB_FIGURE_H
#define HB_FIGURE_H

#include "base/status.h"

#include <stddef.h>

enum hb_figure_panel {
  HB_FIGURE_ENERGY,
  HB_FIGURE_RADII,
  HB_FIGURE_BLOCKS,
  HB_FIGURE_PHASES,
  HB_FIGURE_STEPS,
  HB_FIGURE_NEAREST,
  HB_FIGURE_PANELS
};

/* "energy", "radii", "blocks", "phases", "steps", "nearest", NULL. */
const char *hb_figure_panel_name(size_t k);

/* Draws the panels of the set, bit k for panel k, on one page, from a file of --diag or --follow, .csv or .jsonl; set 0: all for which it
 * has columns. *rows: of the file. Errors: HB_ERR_USAGE (extension), HB_ERR_INPUT (with file, line and reason; a panel of the set
 * for which there are no columns), HB_ERR_IO. */
enum hb_status hb_figure_draw(const char *diagnostics, unsigned set, const char *path, size_t *rows);

#endif
