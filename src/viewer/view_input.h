/* What keys and mouse do to the viewer. */
#ifndef HB_VIEW_INPUT_H
#define HB_VIEW_INPUT_H

#include "viewer/view.h"

/* All keys in the order of the help; a row of zeros is the end. */
extern const struct hb_keys_row hb_view_input_keys[];

/* The key of that name, also "[" or "q"; 0 if there is none. */
int hb_view_input_key(const char *name);

/* Everything that waits in the window's queue. */
enum hb_status hb_view_input(struct hb_view *view);

/* The sliders' numbers are those of what is shown. */
void hb_view_input_set_sliders(struct hb_view *view);

/* The camera so that all but a few outliers are in the picture. */
enum hb_status hb_view_input_center(struct hb_view *view);

#endif
