/* One picture of the viewer: the stars, and what is painted over them. */
#ifndef HB_VIEW_PICTURE_H
#define HB_VIEW_PICTURE_H

#include "viewer/view.h"

/* Into a framebuffer of the window's size, 0: the window's own. */
enum hb_status hb_view_picture_draw(struct hb_view *view, unsigned framebuffer);
void hb_view_picture_close(struct hb_view *view);

#endif
