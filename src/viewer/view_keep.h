/* Pictures that are shown, and those that stay: screenshots and movies. */
#ifndef HB_VIEW_KEEP_H
#define HB_VIEW_KEEP_H

#include "viewer/view.h"

/* Draws and shows a picture, and adds it to the movie that is recorded. */
enum hb_status hb_view_keep_showing(struct hb_view *view);

/* Writes what is seen; path NULL: the first holmberg_0001.png, ... that is not there. Says where. */
enum hb_status hb_view_keep(struct hb_view *view, const char *path);

/* Begins a movie, or ends it; ends it if there is one. */
enum hb_status hb_view_keep_movie(struct hb_view *view);
enum hb_status hb_view_keep_close(struct hb_view *view);

#endif
