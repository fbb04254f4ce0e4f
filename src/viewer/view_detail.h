/* How fine the pictures are: as fine as this machine can draw them often enough. */
#ifndef HB_VIEW_DETAIL_H
#define HB_VIEW_DETAIL_H

#include "viewer/view.h"

/* All details, as for a screenshot or a movie; without glow if the user wants plain pictures. */
enum hb_status hb_view_detail_full(struct hb_view *view);

/* After a picture on the screen: fewer details if it took too long, more if there was time to spare. */
enum hb_status hb_view_detail_adapt(struct hb_view *view);

#endif
