/* Another model, other forces, another number of particles, while the viewer runs. */
#ifndef HB_VIEW_CHANGE_H
#define HB_VIEW_CHANGE_H

#include "viewer/view.h"

/* Takes speed, size of the points and sliders for what is shown, centers it, and asks. */
enum hb_status hb_view_change_adopt(struct hb_view *view);

/* Where a step takes longer than a glance, the user decides; once the viewer keeps time: a script's frames and a movie take as
 * long as they take. */
enum hb_status hb_view_change_ask(struct hb_view *view);

/* Moves the camera so that all but a few outliers are in the picture. */
enum hb_status hb_view_change_center(struct hb_view *view);

enum hb_status hb_view_change_model(struct hb_view *view, const char *name);
enum hb_status hb_view_change_next_model(struct hb_view *view, int step);
enum hb_status hb_view_change_reset(struct hb_view *view);

/* The next model once this one has been on show for cycle_s, if that is > 0. */
enum hb_status hb_view_change_cycle(struct hb_view *view);

/* The next scheme, or its next precision: the simulation goes on from its state. */
enum hb_status hb_view_change_scheme(struct hb_view *view);
enum hb_status hb_view_change_precision(struct hb_view *view);

/* Goes on with factor times as many particles; 0: as many as the slider says. */
enum hb_status hb_view_change_n(struct hb_view *view, double factor);

#endif
