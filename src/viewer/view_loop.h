/* The viewer's loop, and a person as a list of lines in its place. */
#ifndef HB_VIEW_LOOP_H
#define HB_VIEW_LOOP_H

#include "viewer/view.h"

/* Until somebody quits, for so many seconds at most (INFINITY: no end). */
enum hb_status hb_view_loop(struct hb_view *view, double seconds);

/* ---- view_script.c ---- */

/* Plays the lines of a file, see `holmberg view --help`, and quits. Errors: HB_ERR_INPUT (names the line), HB_ERR_IO. */
enum hb_status hb_view_script(struct hb_view *view, const char *path);
void hb_view_script_help(FILE *out);

#endif
