/* Advances what the viewer shows: block steps of a simulation, snapshots of a series. */
#ifndef HB_VIEW_STEPS_H
#define HB_VIEW_STEPS_H

#include "viewer/view.h"

/* One step, or snapshot, forward. A simulation that fails is paused, with a message. */
enum hb_status hb_view_steps_one(struct hb_view *view);

/* Steps, or plays, for this many seconds, at least one step; does nothing while paused. */
enum hb_status hb_view_steps_for(struct hb_view *view, double seconds);

/* Updates pairs and pictures per second, now and then. */
void hb_view_steps_measure(struct hb_view *view, double now);

#endif
