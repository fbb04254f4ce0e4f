/* Figures by gnuplot: from a script to a file, png, svg or pdf by its extension. */
#ifndef HB_GNUPLOT_H
#define HB_GNUPLOT_H

#include "base/draft.h"

/* Checks, before hours of measuring, that a figure can be written to path. Errors: HB_ERR_USAGE (extension is
 * not png, svg or pdf), HB_ERR_IO (no gnuplot, no folder). */
enum hb_status hb_gnuplot_check(const char *path);

/* Puts the first line of a script, its terminal; width x height in pixels of a png. Keeps HB_ERR_USAGE (extension). */
void hb_gnuplot_begin(const char *path, int width, int height, struct hb_draft *script);

/* Passes text from outside to gnuplot as data, never as part of the script: sets a variable, for "title NAME". Keeps
 * HB_ERR_USAGE (a control character). */
void hb_gnuplot_let(const char *name, const char *text, struct hb_draft *script);

/* Draws the figure and replaces its file atomically. Errors: HB_ERR_IO. */
enum hb_status hb_gnuplot_draw(const char *path, const struct hb_text *script);

/* The same, and clears the script; also reports the errors that it kept. */
enum hb_status hb_gnuplot_end(const char *path, struct hb_draft *script);

#endif
