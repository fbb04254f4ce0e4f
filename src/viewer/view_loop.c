/* The viewer divides its time: block steps are done until a picture is due, and pictures come at most sixty times a
 * second and take no more than half of the time. */
#include "viewer/view_loop.h"

#include "base/clock.h"
#include "viewer/view_input.h"
#include "viewer/view_keep.h"
#include "viewer/view_steps.h"

#include <math.h>

static const double picture_s = 1.0 / 60;
static const double idle_s = 0.1; /* between pictures while nothing moves */

/* Steps, or waits for events, until a picture is due, then draws it. */
static enum hb_status turn(struct hb_view *view)
{
  double now = hb_clock_now();
  int rests = view->paused || hb_view_source_is_series(&view->source);
  hb_gl_window_poll(view->window.gl, rests && view->due > now ? view->due - now : 0);
  view->touched = 0;
  HB_TRY(hb_view_input(view));
  if (view->done) return HB_OK;
  if (rests && view->touched) view->due = fmin(view->due, view->drawn_at + picture_s);
  now = hb_clock_now();
  HB_TRY(hb_view_steps_for(view, rests ? now - view->advanced_at : view->due - now));
  view->advanced_at = hb_clock_now();
  if (view->advanced_at < view->due) return HB_OK;
  view->drawn_at = view->advanced_at;
  if (!view->stop_drawing) HB_TRY(hb_view_keep_showing(view));
  view->due = view->drawn_at + fmax(view->paused ? idle_s : picture_s, 2 * view->draw_s);
  hb_view_steps_measure(view, hb_clock_now());
  return HB_OK;
}

enum hb_status hb_view_loop(struct hb_view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  view->due = view->advanced_at = hb_clock_now();
  while (!view->done && hb_clock_now() < end) HB_TRY(turn(view));
  return HB_OK;
}
