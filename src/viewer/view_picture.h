/* One picture of the viewer: the stars, and everything painted over them. */
#ifndef HB_VIEW_PICTURE_H
#define HB_VIEW_PICTURE_H

#include "viewer/view.h"

/* Draws into a target of the window's size. */
enum hb_status hb_view_picture_draw(struct hb_view *view, const struct hb_gl_target *target);
void hb_view_picture_close(struct hb_view *view);

#endif
