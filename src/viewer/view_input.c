/* What keys and mouse do to the viewer. */
#include "viewer/view.h"

#include "base/clock.h"
#include "console/models.h"
#include "viewer/keys.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const double message_s = 4, visible = 0.8; /* share of the particles that a centred picture shows */

void hb_view_say(struct hb_view *view, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(view->message, sizeof view->message, format, arguments);
  va_end(arguments);
  view->message_until = view->scripted ? INFINITY : hb_clock_now() + message_s;
}

/* What a person asked for and cannot have is said, and that is all; a device that fails ends the program. */
static enum hb_status forgive(struct hb_view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  hb_view_say(view, "%s", hb_error());
  return HB_OK;
}

enum hb_status hb_view_input_centre(struct hb_view *view)
{
  struct hb_particles *state;
  struct hb_camera *camera = &view->window.camera;
  double radius;
  HB_TRY(hb_view_source_state(&view->source, &state));
  enum hb_status status =
      hb_camera_extent(hb_particles_n(state), hb_particles_x(state), visible, camera->centre, &radius);
  if (status == HB_OK)
    hb_camera_fit(camera, 1.2 * radius, (double)view->window.scene_width / view->window.height);
  hb_particles_destroy(state);
  return status;
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

void hb_view_input_set_sliders(struct hb_view *view)
{
  const struct hb_view_source *s = &view->source;
  int series = hb_view_source_is_series(s), leapfrog = hb_view_source_is_leapfrog(s);
  const struct hb_ui_slider sliders[VIEW_SLIDERS] = {
      [VIEW_SLIDER_EPS] = {.name = "softening",
                           .least = 0x1p-14,
                           .most = 1,
                           .law = HB_UI_LOGARITHMIC,
                           .with_zero = 1,
                           .value = s->knobs.eps,
                           .absent = series},
      [VIEW_SLIDER_ETA] = {.name = "nu",
                           .least = 0.001,
                           .most = 0.1,
                           .law = HB_UI_LOGARITHMIC,
                           .value = s->knobs.eta,
                           .absent = series || leapfrog},
      [VIEW_SLIDER_DAMPING] = {.name = "damping",
                               .least = 0.5,
                               .most = 1,
                               .value = s->knobs.damping,
                               .absent = series || !leapfrog},
      [VIEW_SLIDER_POINT] = {.name = "point size",
                             .least = 0.2,
                             .most = 12,
                             .law = HB_UI_LOGARITHMIC,
                             .value = view->style.point_size},
  };
  memcpy(view->sliders, sliders, sizeof sliders);
  view->time_bar =
      (struct hb_ui_slider){.name = "", .most = (double)s->file_count - 1, .value = 0, .absent = !series};
}

static enum hb_status turn_knob(struct hb_view *view)
{
  const struct hb_view_knobs knobs = {view->sliders[VIEW_SLIDER_EPS].value,
                                      view->sliders[VIEW_SLIDER_ETA].value,
                                      view->sliders[VIEW_SLIDER_DAMPING].value};
  const struct hb_view_knobs *now = &view->source.knobs;
  if (knobs.eps == now->eps && knobs.eta == now->eta && knobs.damping == now->damping) return HB_OK;
  HB_TRY(hb_view_source_turn(&view->source, &knobs));
  hb_hud_history_clear(&view->history);
  return HB_OK;
}

/* *taken = 1 when the event was for a slider. */
static enum hb_status to_sliders(struct hb_view *view, const struct hb_gl_event *event, int *taken)
{
  for (int k = 0; k < VIEW_SLIDERS && view->show_sliders; k++) {
    enum hb_ui_answer answer = hb_ui_slider_event(&view->sliders[k], event);
    *taken |= answer != HB_UI_NOT_MINE;
    view->style.point_size = view->sliders[VIEW_SLIDER_POINT].value;
    if (answer == HB_UI_LET_GO) return forgive(view, turn_knob(view));
  }
  enum hb_ui_answer answer = hb_ui_slider_event(&view->time_bar, event);
  *taken |= answer != HB_UI_NOT_MINE;
  if (answer != HB_UI_MOVED) return HB_OK;
  view->play_at = floor(view->time_bar.value + 0.5);
  return forgive(view, hb_view_source_show(&view->source, (size_t)view->play_at));
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static enum hb_status take_model(struct hb_view *view, size_t model)
{
  HB_TRY(hb_view_source_take_model(&view->source, model));
  hb_hud_history_clear(&view->history);
  hb_view_input_set_sliders(view);
  return hb_view_input_centre(view);
}

static enum hb_status take_next_model(struct hb_view *view, int step)
{
  size_t count;
  hb_ic_models(&count);
  return take_model(view, (view->source.model + count + (size_t)step) % count);
}

static enum hb_status take_named_model(struct hb_view *view, enum hb_keys_action action)
{
  return take_model(view, (size_t)hb_words_find(hb_models_words, hb_keys_models[action - HB_KEYS_MODEL_1]));
}

static enum hb_status reset(struct hb_view *view)
{
  HB_TRY(hb_view_source_reset(&view->source));
  view->play_at = 0;
  hb_hud_history_clear(&view->history);
  return HB_OK;
}

/* A series has no forces: only what is drawn gives a colour. */
static void next_color(struct hb_view *view)
{
  do view->color = (view->color + 1) % HB_COLORING_COUNT;
  while (!view->source.sim && view->color != HB_COLORING_SPEED && view->color != HB_COLORING_GROUP);
  view->ranged = 0;
}

static enum hb_status step(struct hb_view *view)
{
  view->paused = 1;
  return hb_view_loop_step(view);
}

static enum hb_status step_back(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (!hb_view_source_is_series(s))
    return hb_fail(HB_ERR_USAGE, "a simulation does not run backwards: r begins anew");
  view->paused = 1;
  view->play_at = (double)((s->shown + s->file_count - 1) % s->file_count);
  return hb_view_source_show(s, (size_t)view->play_at);
}

/* The last picture says so. */
static enum hb_status stop_drawing(struct hb_view *view)
{
  view->stop_drawing = !view->stop_drawing;
  if (!view->stop_drawing) return HB_OK;
  hb_view_say(view, "not drawing: d goes on with it");
  return hb_view_picture(view);
}

static enum hb_status fill_screen(struct hb_view *view)
{
  view->full_screen = !view->full_screen;
  hb_gl_window_fill_screen(view->window.gl, view->full_screen);
  return HB_OK;
}

static enum hb_status act(struct hb_view *view, enum hb_keys_action action)
{
  switch (action) {
  case HB_KEYS_PAUSE:
    return view->paused = !view->paused, HB_OK;
  case HB_KEYS_STEP:
    return step(view);
  case HB_KEYS_BACK:
    return step_back(view);
  case HB_KEYS_RESET:
    return reset(view);
  case HB_KEYS_CENTRE:
    return hb_view_input_centre(view);
  case HB_KEYS_MODEL_1:
  case HB_KEYS_MODEL_2:
  case HB_KEYS_MODEL_3:
    return take_named_model(view, action);
  case HB_KEYS_MODEL_BEFORE:
    return take_next_model(view, -1);
  case HB_KEYS_MODEL_AFTER:
    return take_next_model(view, 1);
  case HB_KEYS_POINT:
    return view->style.point = (view->style.point + 1) % HB_SCENE_POINT_COUNT, HB_OK;
  case HB_KEYS_COLOR:
    return next_color(view), HB_OK;
  case HB_KEYS_TRAILS:
    return view->show_trails = !view->show_trails, HB_OK;
  case HB_KEYS_SLIDERS:
    return view->show_sliders = !view->show_sliders, HB_OK;
  case HB_KEYS_HUD:
    return view->show_hud = !view->show_hud, HB_OK;
  case HB_KEYS_HELP:
    return view->show_help = !view->show_help, HB_OK;
  case HB_KEYS_INSPECTOR:
    return hb_view_inspect(view);
  case HB_KEYS_PASS_AFTER:
    return hb_view_inspect_step(view, 1), HB_OK;
  case HB_KEYS_PASS_BEFORE:
    return hb_view_inspect_step(view, -1), HB_OK;
  case HB_KEYS_PASS_PLAY:
    return hb_view_inspect_play(view), HB_OK;
  case HB_KEYS_DRAW:
    return stop_drawing(view);
  case HB_KEYS_SCREENSHOT:
    return hb_view_keep(view, NULL);
  case HB_KEYS_RECORD:
    return hb_view_keep_movie(view);
  case HB_KEYS_FULLSCREEN:
    return fill_screen(view);
  case HB_KEYS_QUIT:
    return view->done = 1, HB_OK;
  case HB_KEYS_NOTHING:
    break;
  }
  return HB_OK;
}

/* ---- events ------------------------------------------------------------------------------------------ */

static enum hb_status handle(struct hb_view *view, const struct hb_gl_event *event)
{
  struct hb_window *w = &view->window;
  int taken = 0;
  view->touched = 1;
  if (event->kind == HB_GL_EVENT_CLOSE) return view->done = 1, HB_OK;
  if (event->kind == HB_GL_EVENT_RESIZE) return hb_window_resized(w);
  if (event->kind == HB_GL_EVENT_KEY) return forgive(view, act(view, hb_keys_action(event->key)));
  HB_TRY(to_sliders(view, event, &taken));
  int beside = event->x >= w->scene_width && w->mouse.drag == HB_MOUSE_FREE;
  if (event->kind == HB_GL_EVENT_MOVE && beside) hb_view_inspect_point(view, event->x, event->y);
  if (taken || (event->kind == HB_GL_EVENT_PRESS && beside)) return HB_OK;
  hb_mouse_event(&w->mouse, event, hb_clock_now(), w->scene_width, w->height, &w->camera);
  return HB_OK;
}

enum hb_status hb_view_input(struct hb_view *view)
{
  for (;;) {
    struct hb_gl_event event = hb_gl_window_next(view->window.gl);
    if (event.kind == HB_GL_EVENT_NONE || view->done) return HB_OK;
    HB_TRY(handle(view, &event));
  }
}
