/* holmberg view: a window onto a running simulation of a model or a snapshot, or onto a series of snapshots. */
#ifndef HB_VIEW_H
#define HB_VIEW_H

#include "run/run_settings.h"
#include "viewer/hud.h"
#include "viewer/view_settings.h"
#include "viewer/view_state.h"

#include <holmberg/diagnostics.h>

int hb_view_source_is_series(const struct hb_view_source *source);

/* Steps since the model or file that is shown began, whatever was changed since; pairs since the program started. */
void hb_view_source_counts(const struct hb_view_source *source, struct hb_sim_counts *counts);

/* Writes a screenshot; path NULL: the first of holmberg_0001.png, ... that does not exist. Shows a message with the name. */
enum hb_status hb_view_picture_save(struct hb_view *view, const char *path);

/* Opens the window on what the operands name; opts->settings are a struct hb_view_settings. Errors: HB_ERR_GL (no window system, no
 * OpenGL 3.3), HB_ERR_USAGE, HB_ERR_INPUT, those of hb_sim_take. */
enum hb_status hb_view_open(const struct hb_opts *opts, struct hb_view **view);

/* Ends the movie, if there is one, and closes the window. status is that of viewing; if that is HB_OK, returned are the errors of
 * hb_film_close, and HB_ERR_STOPPED after a signal, with the movie whole. NULL is ignored. */
enum hb_status hb_view_close(struct hb_view *view, enum hb_status status);

/* Runs until the user quits, for at most this many seconds (INFINITY: no limit). */
enum hb_status hb_view_run(struct hb_view *view, double seconds);

/* The same by the clock of a movie: as many pictures as it has in these seconds, each as soon as its steps are done. */
enum hb_status hb_view_play(struct hb_view *view, double seconds);

/* Starts a movie in this file. */
enum hb_status hb_view_record(struct hb_view *view, const char *path);

/* ---- for view_script.c ---- */

/* All keys in the order of the help; ends with a row of zeros. */
extern const struct hb_keys_row hb_view_keys[];

/* Handles all events in the window's queue. */
enum hb_status hb_view_input(struct hb_view *view);

/* view_picture_show, with the shaders as they are now: what has waited for one goes on. */
enum hb_status hb_view_show(struct hb_view *view);

/* Energies of a race, or of what is shown. */
enum hb_status hb_view_diagnose(struct hb_view *view);

/* One step, or snapshot, forward. A simulation that fails is paused, with a message. */
enum hb_status hb_view_step(struct hb_view *view);

/* ---- view_script.c ---- */

/* Executes the lines of a file, see `holmberg view --help`. Errors: HB_ERR_INPUT (with the line), HB_ERR_IO. */
enum hb_status hb_view_script(struct hb_view *view, const char *path);

/* For --help: keys, the mouse, and the lines of a script. */
void hb_view_help(const struct hb_help *help);

#endif
