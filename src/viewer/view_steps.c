#include "viewer/view_steps.h"

#include "base/clock.h"

#include <math.h>

static const double diagnose_share = 0.05; /* time for energies, relative to that of steps */
static const double speed_s = 0.5;

/* A failure stops the simulation, not the viewer; a broken shader only pauses it until it is fixed. */
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

/* Plays a series at its rate, over and over. */
static enum hb_status play(struct hb_view *view, double seconds)
{
  struct hb_view_source *s = &view->source;
  double last = (double)s->file_count;
  view->play_at += seconds * view->rate;
  if (view->play_at >= last) view->play_at = fmod(view->play_at, last);
  size_t number = (size_t)view->play_at;
  return number == s->shown ? HB_OK : halt(view, hb_view_source_show(s, number));
}

enum hb_status hb_view_steps_one(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (!hb_view_source_is_series(s)) return halt(view, hb_view_source_step(s));
  view->play_at = (double)((s->shown + 1) % s->file_count);
  return halt(view, hb_view_source_show(s, (size_t)view->play_at));
}

enum hb_status hb_view_steps_for(struct hb_view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  if (view->paused) return HB_OK;
  if (hb_view_source_is_series(&view->source)) return play(view, seconds);
  HB_TRY(halt(view,
              diagnose(view))); /* before the steps, since it overwrites the drawn particles on the device */
  do HB_TRY(hb_view_steps_one(view));
  while (!view->paused && hb_clock_now() < end);
  return HB_OK;
}

void hb_view_steps_measure(struct hb_view *view, double now)
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
