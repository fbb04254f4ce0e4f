/* How time goes by for what the viewer shows: block steps of a simulation, snapshots of a series. */
#ifndef HB_VIEW_STEPS_H
#define HB_VIEW_STEPS_H

#include "viewer/view.h"

/* One step, or snapshot, forward. A simulation that fails is paused and says why. */
enum hb_status hb_view_steps_one(struct hb_view *view);

/* Steps, or plays, for so many seconds, one step at least; nothing when it is paused. */
enum hb_status hb_view_steps_for(struct hb_view *view, double seconds);

/* Pairs and pictures a second, now and then. */
void hb_view_steps_measure(struct hb_view *view, double now);

#endif
