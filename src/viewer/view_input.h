/* What keys and mouse do to the viewer. */
#ifndef HB_VIEW_INPUT_H
#define HB_VIEW_INPUT_H

#include "viewer/view.h"

/* All keys in the order of the help; ends with a row of zeros. */
extern const struct hb_keys_row hb_view_input_keys[];

/* The key with this name, such as "space" or "q"; 0 if there is none. */
int hb_view_input_key(const char *name);

/* Handles all events in the window's queue. */
enum hb_status hb_view_input(struct hb_view *view);

#endif
