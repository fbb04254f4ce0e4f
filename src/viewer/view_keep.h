/* Shows pictures, and saves them as screenshots and movies. */
#ifndef HB_VIEW_KEEP_H
#define HB_VIEW_KEEP_H

#include "viewer/view.h"

/* Draws and shows a picture, and adds it to the movie being recorded. */
enum hb_status hb_view_keep_showing(struct hb_view *view);

/* Writes a screenshot; path NULL: the first of holmberg_0001.png, ... that does not exist. Shows a message with the
 * name. */
enum hb_status hb_view_keep(struct hb_view *view, const char *path);

/* Starts a movie in this file. */
enum hb_status hb_view_keep_record(struct hb_view *view, const char *path);

/* Starts a movie under a free name; ends it if there is one. */
enum hb_status hb_view_keep_movie(struct hb_view *view);

/* Ends the movie, if there is one. Errors: those of hb_film_close; HB_ERR_STOPPED after a signal, with the movie whole. */
enum hb_status hb_view_keep_close(struct hb_view *view);

#endif
