/* The viewer's loop, and the script that can take the user's place. */
#ifndef HB_VIEW_LOOP_H
#define HB_VIEW_LOOP_H

#include "viewer/view.h"

/* Runs until the user quits, for at most this many seconds (INFINITY: no limit). */
enum hb_status hb_view_loop(struct hb_view *view, double seconds);

/* The same by the clock of a movie: as many pictures as it has in these seconds, each as soon as its steps are done. */
enum hb_status hb_view_loop_play(struct hb_view *view, double seconds);

/* ---- view_script.c ---- */

/* Executes the lines of a file, see `holmberg view --help`. Errors: HB_ERR_INPUT (with the line), HB_ERR_IO. */
enum hb_status hb_view_script(struct hb_view *view, const char *path);
void hb_view_script_help(FILE *out);

#endif
