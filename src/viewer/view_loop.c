/* The time of a viewer belongs to two who do not wait for each other: block steps are done until a picture is due, and
 * pictures come at most sixty times a second and take no more than half of the time. */
#include "viewer/view.h"

#include "base/clock.h"

#include <math.h>

static const double picture_s = 1.0 / 60;
static const double idle_s = 0.1;          /* between pictures of what does not move    */
static const double diagnose_share = 0.05; /* of the time of the steps, for energies     */
static const double speed_s = 0.5;

/* ---- steps ------------------------------------------------------------------------------------------- */

/* A failure of the simulation ends it, not the viewer; a broken shader only pauses it until it is mended. */
static enum hb_status halt(struct hb_view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  view->paused = 1;
  hb_view_say(view, "%s", hb_error());
  if (status == HB_ERR_GL) hb_window_reload(&view->window, &view->error);
  view->waits = status == HB_ERR_GL && *view->error;
  if (view->waits) view->message_until = 0;
  return HB_OK;
}

static enum hb_status diagnose(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (s->energies > 0 && s->diagnose_s > diagnose_share * s->step_s) return HB_OK;
  if (!hb_view_source_has_energy(s)) return HB_OK;
  HB_TRY(hb_view_source_diagnose(s));
  hb_hud_history_add(&view->history, s->t, s->e_error);
  return HB_OK;
}

/* Through a series, as fast as its rate; it begins again after its end. */
static enum hb_status play(struct hb_view *view, double seconds)
{
  struct hb_view_source *s = &view->source;
  double last = (double)s->file_count;
  view->play_at += seconds * view->rate;
  if (view->play_at >= last) view->play_at = fmod(view->play_at, last);
  size_t number = (size_t)view->play_at;
  return number == s->shown ? HB_OK : halt(view, hb_view_source_show(s, number));
}

enum hb_status hb_view_loop_step(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (!hb_view_source_is_series(s)) return halt(view, hb_view_source_step(s));
  view->play_at = (double)((s->shown + 1) % s->file_count);
  return halt(view, hb_view_source_show(s, (size_t)view->play_at));
}

enum hb_status hb_view_loop_advance(struct hb_view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  if (view->paused) return HB_OK;
  if (hb_view_source_is_series(&view->source)) return play(view, seconds);
  HB_TRY(halt(view, diagnose(view))); /* before the steps: what it leaves on the device is not for drawing */
  do HB_TRY(hb_view_loop_step(view));
  while (!view->paused && hb_clock_now() < end);
  return HB_OK;
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

static void measure(struct hb_view *view, double now)
{
  double seconds = now - view->speed.since;
  if (seconds < speed_s) return;
  struct hb_sim_counts counts;
  hb_view_source_counts(&view->source, &counts);
  double step_s = view->source.step_s - view->speed.step_s;
  view->speed.pairs_per_s = step_s > 0 ? (double)(counts.pairs - view->speed.pairs) / step_s : NAN;
  view->speed.pictures_per_s = (double)(view->pictures - view->speed.pictures) / seconds;
  view->speed.since = now;
  view->speed.step_s = view->source.step_s;
  view->speed.pairs = counts.pairs;
  view->speed.pictures = view->pictures;
}

/* Steps until a picture is due, or waiting for a person until then, and the picture. */
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
  HB_TRY(hb_view_loop_advance(view, rests ? now - view->advanced_at : view->due - now));
  view->advanced_at = hb_clock_now();
  if (view->advanced_at < view->due) return HB_OK;
  view->drawn_at = view->advanced_at;
  if (!view->stop_drawing) HB_TRY(hb_view_picture(view));
  view->due = view->drawn_at + fmax(view->paused ? idle_s : picture_s, 2 * view->draw_s);
  measure(view, hb_clock_now());
  return HB_OK;
}

enum hb_status hb_view_loop_for(struct hb_view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  view->due = view->advanced_at = hb_clock_now();
  while (!view->done && hb_clock_now() < end) HB_TRY(turn(view));
  return HB_OK;
}

enum hb_status hb_view_loop(struct hb_view *view) { return hb_view_loop_for(view, INFINITY); }
