#include "viewer/view_input.h"

#include "base/clock.h"
#include "console/signals.h"
#include "viewer/view_change.h"
#include "viewer/view_inspect.h"
#include "viewer/view_keep.h"
#include "viewer/view.h"

#include <math.h>
#include <string.h>

/* An action of the user that fails only shows a message; a failing device ends the program. */
static enum hb_status forgive(struct hb_view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  hb_view_say(view, "%s", hb_error());
  return HB_OK;
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

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
    if (answer == HB_UI_MOVED && k == VIEW_SLIDER_SPEED) view->speed = view->sliders[k].value;
    if (answer == HB_UI_LET_GO)
      return forgive(view, k == VIEW_SLIDER_N ? hb_view_change_n(view, 0) : turn_knob(view));
  }
  enum hb_ui_answer answer = hb_ui_slider_event(&view->time_bar, event);
  *taken |= answer != HB_UI_NOT_MINE;
  if (answer != HB_UI_MOVED) return HB_OK;
  view->play_at = floor(view->time_bar.value + 0.5);
  return forgive(view, hb_view_source_show(&view->source, (size_t)view->play_at));
}

/* ---- keys -------------------------------------------------------------------------------------------- */

/* A series has no forces, so it is colored by what is drawn. */
static enum hb_status next_color(struct hb_view *view)
{
  do view->color = (view->color + 1) % HB_COLORING_COUNT;
  while (!view->source.sim && view->color != HB_COLORING_SPEED && view->color != HB_COLORING_GROUP);
  view->ranged = 0;
  return HB_OK;
}

static enum hb_status step(struct hb_view *view)
{
  view->paused = 1;
  return hb_view_steps_one(view);
}

static enum hb_status step_back(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (!hb_view_source_is_series(s))
    return hb_fail(HB_ERR_USAGE, "a simulation cannot run backwards: r starts it again");
  view->paused = 1;
  view->play_at = (double)((s->shown + s->file_count - 1) % s->file_count);
  return hb_view_source_show(s, (size_t)view->play_at);
}

/* Twice as fast, or half, by two presses. */
static enum hb_status change_speed(struct hb_view *view, double factor)
{
  if (hb_view_source_is_series(&view->source)) {
    view->rate *= factor;
    hb_view_say(view, "%.3g snapshots a second", view->rate);
    return HB_OK;
  }
  view->speed = view->sliders[VIEW_SLIDER_SPEED].value = view->speed * factor;
  hb_view_say(view, "%.3g time units a second", view->speed);
  return HB_OK;
}

/* The last picture shows the message. */
static enum hb_status stop_drawing(struct hb_view *view)
{
  view->stop_drawing = !view->stop_drawing;
  if (!view->stop_drawing) return HB_OK;
  hb_view_say(view, "not drawing: d resumes it");
  return hb_view_keep_showing(view);
}

static enum hb_status fill_screen(struct hb_view *view)
{
  view->full_screen = !view->full_screen;
  hb_gl_window_fill_screen(view->window.gl, view->full_screen);
  return HB_OK;
}

static enum hb_status next_point(struct hb_view *view)
{
  view->style.point = (view->style.point + 1) % HB_SCENE_POINT_COUNT;
  return HB_OK;
}

static enum hb_status show_help(struct hb_view *view)
{
  view->help = view->help ? NULL : hb_view_input_keys;
  return HB_OK;
}

#define MODEL_1 "plummer"
#define MODEL_2 "holmberg1941"
#define MODEL_3 "coldsphere"
static enum hb_status model_1(struct hb_view *view) { return hb_view_change_model(view, MODEL_1); }
static enum hb_status model_2(struct hb_view *view) { return hb_view_change_model(view, MODEL_2); }
static enum hb_status model_3(struct hb_view *view) { return hb_view_change_model(view, MODEL_3); }
static enum hb_status model_before(struct hb_view *view) { return hb_view_change_next_model(view, -1); }
static enum hb_status model_after(struct hb_view *view) { return hb_view_change_next_model(view, 1); }
static enum hb_status faster(struct hb_view *view) { return change_speed(view, sqrt(2)); }
static enum hb_status slower(struct hb_view *view) { return change_speed(view, sqrt(0.5)); }
static enum hb_status pause(struct hb_view *view)
{
  view->paused = !view->paused;
  view->asks[0] = 0;
  return HB_OK;
}
static enum hb_status trails(struct hb_view *view) { return view->show_trails = !view->show_trails, HB_OK; }
static enum hb_status sliders(struct hb_view *view)
{
  return view->show_sliders = !view->show_sliders, HB_OK;
}
static enum hb_status hud(struct hb_view *view) { return view->show_hud = !view->show_hud, HB_OK; }
static enum hb_status pass_after(struct hb_view *view) { return hb_view_inspect_step(view, 1), HB_OK; }
static enum hb_status pass_before(struct hb_view *view) { return hb_view_inspect_step(view, -1), HB_OK; }
static enum hb_status pass_play(struct hb_view *view) { return hb_view_inspect_play(view), HB_OK; }
static enum hb_status twice(struct hb_view *view) { return hb_view_change_n(view, 2); }
static enum hb_status half(struct hb_view *view) { return hb_view_change_n(view, 0.5); }
static enum hb_status cycle(struct hb_view *view)
{
  view->cycle_s = view->cycle_s > 0 ? 0 : HB_VIEW_CYCLE_S;
  view->shown_s = 0;
  hb_view_say(view, view->cycle_s > 0 ? "a new model every %.3g s: k stops it" : "the model stays",
              view->cycle_s);
  return HB_OK;
}
static enum hb_status plain(struct hb_view *view)
{
  view->plain = !view->plain;
  return hb_view_detail_full(view);
}
static enum hb_status screenshot(struct hb_view *view) { return hb_view_keep(view, NULL); }
static enum hb_status quit(struct hb_view *view) { return view->done = 1, HB_OK; }

const struct hb_keys_row hb_view_input_keys[] = {
    {' ', "space", pause, "pause, resume"},
    {'+', "+", faster, "faster; two presses double the speed"},
    {'=', NULL, faster, NULL},
    {'-', "-", slower, "slower"},
    {HB_GL_KEY_RIGHT, "right", step, "one block step, or the next snapshot"},
    {HB_GL_KEY_LEFT, "left", step_back, "the previous snapshot"},
    {'r', "r", hb_view_change_reset, "start again from the beginning"},
    {'c', "c", hb_view_change_center, "center on the middle of the particles, all of them in the picture"},
    {'1', "1", model_1, "model " MODEL_1},
    {'2', "2", model_2, "model " MODEL_2},
    {'3', "3", model_3, "model " MODEL_3},
    {'[', "[", model_before, "the previous model in the list of 'holmberg ic'"},
    {']', "]", model_after, "the next model in that list"},
    {'k', "k", cycle, "another model every 20 seconds, or stop"},
    {'n', "n", twice, "twice as many particles, of the same structure"},
    {'b', "b", half, "half as many"},
    {'m', "m", hb_view_change_scheme, "the next scheme of forces, from here on"},
    {'x', "x", hb_view_change_precision, "its next precision, from here on"},
    {'p', "p", next_point, "points as stars, discs or dots"},
    {'e', "e", plain, "plain pictures, without glow, and back"},
    {'o', "o", next_color, "what the color shows"},
    {'l', "l", trails, "trails of light on and off"},
    {'g', "g", sliders, "sliders on and off"},
    {'t', "t", hud, "numbers on and off"},
    {'h', "h", show_help, "show these keys"},
    {'i', "i", hb_view_inspect, "inspector: textures behind the forces; the mouse reads a texel"},
    {'.', ".", pass_after, "inspector: the next pass"},
    {',', ",", pass_before, "inspector: the previous pass"},
    {'a', "a", pass_play, "inspector: one pass further at each walk, or stop"},
    {'d', "d", stop_drawing, "stop drawing, keep computing"},
    {'s', "s", screenshot, "screenshot: a PNG in this folder"},
    {'v', "v", hb_view_keep_movie, "record a movie, or end it"},
    {'f', "f", fill_screen, "full screen and back"},
    {'q', "q, Esc", quit, "quit"},
    {HB_GL_KEY_ESCAPE, NULL, quit, NULL},
    {0, "drag", NULL, "rotate"},
    {0, "shift or right drag", NULL, "move sideways"},
    {0, "wheel", NULL, "zoom"},
    {0, "double click", NULL, "center on what is there"},
    {0, NULL, NULL, NULL},
};

int hb_view_input_key(const char *name)
{
  if (strcmp(name, "escape") == 0) return HB_GL_KEY_ESCAPE;
  for (const struct hb_keys_row *row = hb_view_input_keys; row->key; row++)
    if (row->name && strcmp(row->name, name) == 0) return row->key;
  return name[0] && !name[1] ? (unsigned char)name[0] : 0;
}

/* Other keys are ignored. */
static enum hb_status press(struct hb_view *view, int key)
{
  for (const struct hb_keys_row *row = hb_view_input_keys; row->key; row++)
    if (row->key == key) return row->act(view);
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
  if (event->kind == HB_GL_EVENT_KEY) return forgive(view, press(view, event->key));
  HB_TRY(to_sliders(view, event, &taken));
  int beside = event->x >= w->scene_width && w->mouse.drag == HB_MOUSE_FREE;
  if (event->kind == HB_GL_EVENT_MOVE && beside) hb_view_inspect_point(view, event->x, event->y);
  if (taken || (event->kind == HB_GL_EVENT_PRESS && beside)) return HB_OK;
  hb_mouse_event(&w->mouse, event, hb_clock_now(), w->scene_width, w->height, &w->camera);
  return HB_OK;
}

enum hb_status hb_view_input(struct hb_view *view)
{
  if (hb_signals_stop()) view->done = 1; /* recorded from the first movie on */
  for (;;) {
    struct hb_gl_event event = hb_gl_window_next(view->window.gl);
    if (event.kind == HB_GL_EVENT_NONE || view->done) return HB_OK;
    HB_TRY(handle(view, &event));
  }
}
