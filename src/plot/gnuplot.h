/* Figures by gnuplot: a script goes in, a file comes out, png, svg or pdf by its extension. */
#ifndef HB_GNUPLOT_H
#define HB_GNUPLOT_H

#include "base/draft.h"

/* Whether a figure can be written to path, to be asked before hours of measuring. Errors: HB_ERR_USAGE (extension is
 * not png, svg or pdf), HB_ERR_IO (no gnuplot, no folder). */
enum hb_status hb_gnuplot_check(const char *path);

/* The first line of a script: what it draws on, width x height in pixels of a png. Keeps HB_ERR_USAGE (extension). */
void hb_gnuplot_begin(const char *path, int width, int height, struct hb_draft *script);

/* Text from outside reaches gnuplot as data, never as part of its script: this sets a variable, for "title NAME". Keeps
 * HB_ERR_USAGE (a control character). */
void hb_gnuplot_let(const char *name, const char *text, struct hb_draft *script);

/* The figure appears under its name whole or not at all. Errors: HB_ERR_IO. */
enum hb_status hb_gnuplot_draw(const char *path, const struct hb_text *script);

/* The same with a script that is cleared; errors that it kept, too. */
enum hb_status hb_gnuplot_end(const char *path, struct hb_draft *script);

#endif
