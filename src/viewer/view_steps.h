/* Keeps time: block steps of a simulation until its clock is due, snapshots of a series at their rate. */
#ifndef HB_VIEW_STEPS_H
#define HB_VIEW_STEPS_H

#include "viewer/view.h"

/* One step, or snapshot, forward. A simulation that fails is paused, with a message. */
enum hb_status hb_view_steps_one(struct hb_view *view);

/* The clock goes on by this many seconds, and as many steps are done as are due by it, for about budget_s of real time; does
 * nothing while paused. What cannot be done in time is given up, except in a movie: then view->late stays 1. */
enum hb_status hb_view_steps_for(struct hb_view *view, double seconds, double budget_s);

/* Takes the speed that was asked for, or that of what is shown. */
void hb_view_steps_set_speed(struct hb_view *view);

/* Updates pairs and pictures per second and the speed that is reached, now and then. */
void hb_view_steps_measure(struct hb_view *view, double now);

#endif
