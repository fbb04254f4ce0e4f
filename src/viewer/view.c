#include "viewer/view.h"

#include "base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double message_s = 4;

void hb_view_say(struct hb_view *view, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(view->message, sizeof view->message, format, arguments);
  va_end(arguments);
  view->message_until = view->scripted ? INFINITY : hb_clock_now() + message_s;
}

/* ---- time: block steps of a simulation until its clock is due, snapshots of a series at their rate ---- */

static const double diagnose_share = 0.05; /* time for energies, relative to that of steps */
enum { FILMED = 8 };                       /* pictures of a movie from one energy to the next */
static const double measured_s = 0.5;

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
  int by_film = view->recording != NULL; /* not by how fast this machine is */
  if (by_film && view->pictures % FILMED != 0) return HB_OK;
  if (!by_film && s->energies > 0 && s->diagnose_s > diagnose_share * s->step_s) return HB_OK;
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

void hb_view_steps_set_speed(struct hb_view *view)
{
  view->speed = view->speed_asked > 0 ? view->speed_asked : view->source.speed;
}

/* Steps that are longer than a picture are looked at in between. */
static void look(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (hb_sim_next_time(s->sim) - s->t > view->speed / view->fps) hb_view_source_look_at(s, view->clock);
}

enum hb_status hb_view_steps_for(struct hb_view *view, double seconds, double budget_s)
{
  struct hb_view_source *s = &view->source;
  double end = hb_clock_now() + budget_s;
  int was_late = view->late;
  view->late = 0;
  if (view->paused) return HB_OK;
  if (hb_view_source_is_series(s)) return play(view, seconds);
  HB_TRY(halt(view,
              diagnose(view))); /* before the steps, since it overwrites the drawn particles on the device */
  int is_elsewhere =
      view->clock < s->t || view->clock > hb_sim_next_time(s->sim); /* another model, or a single step */
  if (is_elsewhere && !was_late) view->clock = s->at;
  view->clock += seconds * view->speed;
  view->shown_s += seconds;
  while (!view->paused && hb_sim_next_time(s->sim) <= view->clock && !view->late) {
    HB_TRY(hb_view_steps_one(view));
    view->late = hb_clock_now() >= end;
  }
  view->late = view->late && hb_sim_next_time(s->sim) <= view->clock;
  view->measured.was_late |= view->late;
  if (view->late && !view->recording) view->clock = s->t;
  look(view);
  return HB_OK;
}

void hb_view_steps_measure(struct hb_view *view, double now)
{
  double seconds = now - view->measured.since;
  if (seconds < measured_s) return;
  const struct hb_view_source *s = &view->source;
  struct hb_sim_counts counts;
  hb_view_source_counts(s, &counts);
  double step_s = s->step_s - view->measured.step_s,
         speed = (s->at - view->measured.t) / seconds / view->speed;
  int is_known = view->measured.was_late && view->measured.generation == s->generation && speed >= 0;
  view->measured.pairs_per_s = step_s > 0 ? (double)(counts.pairs - view->measured.pairs) / step_s : NAN;
  view->measured.pictures_per_s = (double)(view->pictures - view->measured.pictures) / seconds;
  view->measured.speed = is_known && speed < 0.95 ? speed : NAN;
  view->measured.was_late = 0;
  view->measured.since = now;
  view->measured.t = s->at;
  view->measured.generation = s->generation;
  view->measured.step_s = s->step_s;
  view->measured.pairs = counts.pairs;
  view->measured.pictures = view->pictures;
}

/* ---- detail: as fine as this machine can draw pictures often enough ---- */

/* Thirty pictures a second, half of whose time belongs to the steps. */
static const double draw_most_s = 0.5 / 30, draw_spare_s = 0.2 / 30;
static const double again_s = 10; /* until details that took too long are tried once more */

enum { COARSEST = 3, PICTURES = 8 };

static enum hb_status set(struct hb_view *view, int coarse)
{
  view->detail.pictures = 0;
  view->detail.best_s = INFINITY;
  view->style.glow = view->plain ? -1 : 0;
  return hb_window_set_coarse(&view->window, coarse);
}

enum hb_status hb_view_detail_full(struct hb_view *view) { return set(view, 1); }

/* The best of a few pictures is not disturbed by other programs. */
enum hb_status hb_view_detail_adapt(struct hb_view *view)
{
  struct hb_view_detail *d = &view->detail;
  double now = hb_clock_now();
  int coarse = view->window.coarse;
  d->best_s = d->pictures++ ? fmin(d->best_s, view->draw_s) : view->draw_s;
  int enough = d->best_s > 4 * draw_most_s ? 2 : PICTURES;
  if (view->recording || d->pictures < enough) return HB_OK;
  if (d->best_s > draw_most_s && coarse < COARSEST) {
    d->again_at = now + again_s;
    return set(view, coarse + 1);
  }
  if (d->best_s < draw_spare_s && coarse > 1 && now > d->again_at) return set(view, coarse - 1);
  d->pictures = 0;
  return HB_OK;
}
