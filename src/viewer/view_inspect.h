/* The texture inspector beside the stars. */
#ifndef HB_VIEW_INSPECT_H
#define HB_VIEW_INSPECT_H

#include "viewer/view.h"

enum hb_status hb_view_inspect(struct hb_view *view); /* opens or closes it */

/* Forces from OpenGL while the inspector is open, where the processor would compute them; and back. Around a change of the
 * model. */
enum hb_status hb_view_inspect_use_textures(struct hb_view *view);
enum hb_status hb_view_inspect_use_before(struct hb_view *view);

void hb_view_inspect_step(struct hb_view *view, int by);
void hb_view_inspect_play(struct hb_view *view);
void hb_view_inspect_point(struct hb_view *view, double x, double y); /* at the mouse */

/* Repeats the walk if another pass was requested and no step is going to show it. To be called before stars are
 * placed. */
enum hb_status hb_view_inspect_walk(struct hb_view *view);

/* Draws the right part of the window, and marks the particle among the stars. */
enum hb_status hb_view_inspect_draw(struct hb_view *view, const struct hb_gl_target *target);

#endif
