/* The viewer keeps time: at each picture its clock has gone on by the seconds since the last one, and the block steps that are
 * due by then are done. Pictures come at most sixty times a second and take no more than half of the time. */
#include "viewer/view_loop.h"

#include "base/clock.h"
#include "viewer/view_change.h"
#include "viewer/view_input.h"
#include "viewer/view_keep.h"
#include "viewer/view.h"

#include <math.h>

static const double picture_s = 1.0 / 60;
static const double idle_s = 0.1; /* between pictures while nothing moves */

static const double longest_s =
    0.25; /* after a longer wait, as while the window is moved, the clock does not jump */

/* In a movie a picture is a picture's time, however long it takes. */
static double seconds_since(const struct hb_view *view, double now)
{
  if (view->recording) return view->late ? 0 : 1.0 / view->fps;
  return fmin(now - view->advanced_at, longest_s);
}

/* Waits for events until a picture is due, does the steps that are due by then, and draws it. */
static enum hb_status turn(struct hb_view *view)
{
  double now = hb_clock_now();
  int rests = view->paused || hb_view_source_is_series(&view->source);
  hb_gl_window_poll(view->window.gl, view->due > now ? view->due - now : 0);
  view->touched = 0;
  HB_TRY(hb_view_input(view));
  if (view->done) return HB_OK;
  if (rests && view->touched) view->due = fmin(view->due, view->drawn_at + picture_s);
  now = hb_clock_now();
  if (now < view->due) return HB_OK;
  HB_TRY(hb_view_change_cycle(view));
  HB_TRY(hb_view_steps_for(view, seconds_since(view, now), fmax(picture_s, view->draw_s)));
  view->advanced_at = now;
  if (view->recording && view->late) return HB_OK;
  view->drawn_at = hb_clock_now();
  if (!view->stop_drawing) HB_TRY(hb_view_keep_showing(view));
  if (!view->stop_drawing) HB_TRY(hb_view_detail_adapt(view));
  view->due = now + (view->paused ? idle_s : picture_s);
  hb_view_steps_measure(view, hb_clock_now());
  return HB_OK;
}

enum hb_status hb_view_loop(struct hb_view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  enum hb_status status = HB_OK;
  view->due = view->advanced_at = hb_clock_now();
  view->keeps_time = 1;
  if (view->unasked) status = hb_view_change_ask(view);
  while (status == HB_OK && !view->done && hb_clock_now() < end) status = turn(view);
  view->keeps_time = 0;
  return status;
}

enum hb_status hb_view_loop_play(struct hb_view *view, double seconds)
{
  double pictures = floor(seconds * view->fps + 0.5);
  for (double k = 0; k < pictures && !view->done; k++) {
    hb_gl_window_poll(view->window.gl, 0);
    HB_TRY(hb_view_input(view));
    HB_TRY(hb_view_change_cycle(view));
    HB_TRY(hb_view_steps_for(view, 1.0 / view->fps, INFINITY));
    HB_TRY(hb_view_keep_showing(view));
  }
  return HB_OK;
}
