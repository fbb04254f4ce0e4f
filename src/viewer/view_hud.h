#ifndef HB_VIEW_HUD_H
#define HB_VIEW_HUD_H

#include "viewer/view_state.h"

/* Paints numbers, messages, the curve of the energy error, sliders and help onto the page. */
void hb_view_hud_paint(struct hb_view *view);

#endif
