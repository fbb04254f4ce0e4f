/* The viewer keeps time: at each picture its clock has gone on by the seconds since the last one, and the block steps that are
 * due by then are done. Pictures come at most sixty times a second and take no more than half of the time. In between, keys
 * and mouse bring other models and forces, and another look at them. */
#include "viewer/view.h"
#include "viewer/view_picture.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "console/target.h"
#include "sim/sim_settings.h"
#include "console/signals.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- time ------------------------------------------------------------------------------------------- */

static const double diagnose_share = 0.05; /* time for energies, relative to that of steps */
enum { FILMED = 8 };                       /* pictures of a movie from one energy to the next */

/* A failure stops the simulation, not the viewer; a broken shader only pauses it until it is fixed. */
static enum hb_status halt(struct hb_view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  view->clock.paused = 1;
  hb_hud_say(&view->note, "%s", hb_error());
  if (status == HB_ERR_GL) hb_view_picture_reload(view);
  view->clock.waits = status == HB_ERR_GL && *view->window.error;
  if (view->clock.waits) hb_hud_hush(&view->note);
  return HB_OK;
}

enum hb_status hb_view_step(struct hb_view *view) { return halt(view, hb_view_source_step(&view->source)); }

enum hb_status hb_view_show(struct hb_view *view)
{
  hb_view_picture_reload(view);
  if (view->clock.waits && !*view->window.error) view->clock.waits = view->clock.paused = 0;
  return hb_view_picture_show(view);
}

static enum hb_status diagnose(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  int by_film = view->film != NULL; /* not by how fast this machine is */
  if (by_film && view->detail.pictures % FILMED != 0) return HB_OK;
  if (!by_film && s->energies > 0 && s->diagnose_s > diagnose_share * s->step_s) return HB_OK;
  if (!hb_view_source_has_energy(s)) return HB_OK;
  HB_TRY(hb_view_source_diagnose(s));
  hb_hud_history_add(&s->history, s->t, s->e_error);
  return HB_OK;
}

/* Steps that are longer than a picture are looked at in between. */
static void look_between(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (hb_sim_next_time(s->sim) - s->t > view->clock.speed / view->asked->fps)
    hb_view_source_look_at(s, view->clock.t);
}

/* The clock goes on by this many seconds, and as many steps are done as are due by it, for about budget_s of real time; nothing
 * while paused. What cannot be done in time is given up, except in a movie: then clock.late stays 1. */
static enum hb_status step_for(struct hb_view *view, double seconds, double budget_s)
{
  struct hb_view_source *s = &view->source;
  struct hb_view_clock *c = &view->clock;
  double end = hb_clock_now() + budget_s;
  int was_late = c->late;
  c->late = 0;
  if (c->paused) return HB_OK;
  if (hb_view_source_is_series(s)) return halt(view, hb_view_source_play(s, seconds));
  HB_TRY(halt(view,
              diagnose(view))); /* before the steps, since it overwrites the drawn particles on the device */
  int is_elsewhere = c->t < s->t || c->t > hb_sim_next_time(s->sim); /* another model, or a single step */
  if (is_elsewhere && !was_late) c->t = s->at;
  c->t += seconds * c->speed;
  c->shown_s += seconds;
  while (!c->paused && hb_sim_next_time(s->sim) <= c->t && !c->late) {
    HB_TRY(hb_view_step(view));
    c->late = hb_clock_now() >= end;
  }
  c->late = c->late && hb_sim_next_time(s->sim) <= c->t;
  c->measured.was_late |= c->late;
  if (c->late && !view->film) c->t = s->t;
  look_between(view);
  return HB_OK;
}

/* Updates pairs and pictures per second and the speed that is reached, now and then. */
static void measure_rates(struct hb_view *view, double now)
{
  static const double measured_s = 0.5;
  struct hb_view_measured *m = &view->clock.measured;
  const struct hb_view_source *s = &view->source;
  double seconds = now - m->since;
  struct hb_sim_counts counts;
  if (seconds < measured_s) return;
  hb_view_source_counts(s, &counts);
  double step_s = s->step_s - m->step_s, speed = (s->at - m->t) / seconds / view->clock.speed;
  int is_known = m->was_late && m->generation == s->generation && speed >= 0;
  *m = (struct hb_view_measured){.pairs_per_s = step_s > 0 ? (double)(counts.pairs - m->pairs) / step_s : NAN,
                                 .pictures_per_s = (double)(view->detail.pictures - m->pictures) / seconds,
                                 .speed = is_known && speed < 0.95 ? speed : NAN,
                                 .since = now,
                                 .t = s->at,
                                 .generation = s->generation,
                                 .step_s = s->step_s,
                                 .pairs = counts.pairs,
                                 .pictures = view->detail.pictures};
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

/* The model that is shown, if it can have another number of particles; else NULL. */
static const struct hb_ic_model *model_with_n(const struct hb_view_source *s)
{
  size_t count;
  const struct hb_ic_model *model = &hb_ic_models(&count)[s->model];
  return s->file_count == 0 && model->n_min < model->n_max ? model : NULL;
}

/* Of a setting, as its row has it. */
static struct hb_hud_slider slider(const char *name, const char *setting, double *value, int absent)
{
  const struct hb_setting *row = hb_setting_find(hb_sim_settings, setting);
  return (struct hb_hud_slider){.name = name,
                                .least = row->low,
                                .most = row->high,
                                .law = row->high > 10 * row->low ? HB_HUD_LOGARITHMIC : HB_HUD_LINEAR,
                                .with_zero = row->kind == HB_SETTING_NOT_NEGATIVE,
                                .format = "%.3g",
                                .absent = absent,
                                .value = value};
}

static void set_sliders(struct hb_view *view)
{
  const struct hb_view_source *s = &view->source;
  int series = hb_view_source_is_series(s), has_dt = hb_run_has_dt(s->run);
  const struct hb_hud_slider sliders[HB_VIEW_SLIDERS] = {
      [HB_VIEW_EPS] = slider("softening", "eps", &view->knobs.eps, series),
      [HB_VIEW_ETA] = slider("nu", "eta", &view->knobs.eta, series || has_dt),
      [HB_VIEW_DAMPING] = slider("damping", "damping", &view->knobs.damping, series || !has_dt),
      [HB_VIEW_SPEED] = {"speed", s->speed / 100, s->speed * 100, HB_HUD_LOGARITHMIC, 0, "%.3g",
                         .absent = series, .value = &view->clock.speed},
      [HB_VIEW_N] = {"N", 16, 65536, HB_HUD_LOGARITHMIC, 0, "%.0f", .absent = !model_with_n(s),
                     .value = &view->n_wanted},
      [HB_VIEW_POINT] = {"point size", 0.2, 12, HB_HUD_LOGARITHMIC, 0, "%.3g", .absent = 0,
                         .value = &view->looks.style.point_size},
      [HB_VIEW_TIME] = {"", 0, (double)s->file_count - 1, HB_HUD_LINEAR, 0, NULL, .absent = !series,
                        .value = &view->snapshot},
  };
  memcpy(view->sliders, sliders, sizeof sliders);
  view->knobs = s->knobs;
  view->n_wanted = (double)s->n;
}

/* ---- what is shown ----------------------------------------------------------------------------------- */

/* Moves the camera so that all but a few outliers are in the picture. */
static enum hb_status center(struct hb_view *view, int by)
{
  static const double visible = 0.8; /* fraction of the particles in a centered picture */
  struct hb_particles *state;
  struct hb_camera *camera = &view->steer.camera;
  double radius;
  (void)by;
  HB_TRY(hb_view_source_state(&view->source, &state));
  enum hb_status status =
      hb_camera_extent(hb_view_particles_lit(state), hb_particles_x(state), visible, camera->center, &radius);
  if (status == HB_OK)
    hb_camera_fit(camera, 1.2 * radius, (double)view->window.scene_width / view->window.height);
  hb_particles_destroy(state);
  return status;
}

/* A few bodies are large, bright and leave trails; thousands are points. */
static void set_style(struct hb_view *view)
{
  double n = (double)view->source.lit;
  view->looks.style.point_size = fmin(fmax(1.5 * sqrt(1000 / n), 1.5), 8);
  view->looks.style.exposure = n < 500 ? 0.9 : 0.7;
  if (n <= HB_VIEW_FEW) view->looks.trails = 1;
}

/* Where a step takes longer than a glance, the user decides; once the viewer keeps time: a script's frames and a movie take as
 * long as they take. Half of the beginning may have been shaders that were compiled, hence a second look at the forces. */
static enum hb_status ask(struct hb_view *view)
{
  static const double long_step_s = 0.2; /* longer ones are asked about */
  struct hb_view_source *s = &view->source;
  struct hb_view_clock *c = &view->clock;
  c->asks[0] = 0;
  c->unasked = !c->is_kept;
  if (c->unasked || !s->sim || s->begin_s < long_step_s || view->film || view->inspect.inspector)
    return HB_OK;
  double before = hb_clock_now();
  HB_TRY(hb_view_source_diagnose(s));
  double step_s = hb_view_source_has_energy(s) ? hb_clock_now() - before : s->begin_s;
  if (step_s < long_step_s) return HB_OK;
  c->paused = 1;
  snprintf(c->asks, sizeof c->asks, "a step of all %llu particles takes %.2g s here: space starts it%s",
           (unsigned long long)s->n, step_s, model_with_n(s) ? ", b halves N" : "");
  return HB_OK;
}

static void say_who_computes(struct hb_view *view)
{
  const struct hb_view_source *s = &view->source;
  if (s->lends)
    hb_hud_say(&view->note, "%s has no textures: %s computes until i closes them", s->lends,
               hb_force_scheme(hb_sim_force(s->sim))->name);
}

/* Takes size of the points and sliders for what is shown, and asks. */
static enum hb_status adopt(struct hb_view *view)
{
  say_who_computes(view);
  view->clock.measured.speed = NAN;
  set_style(view);
  set_sliders(view);
  return ask(view);
}

/* The same of another model or file, also its speed, and centers it. */
static enum hb_status adopt_other(struct hb_view *view)
{
  view->clock.speed = view->asked->speed > 0 ? view->asked->speed : view->source.speed;
  view->clock.shown_s = 0;
  HB_TRY(adopt(view));
  return center(view, 0);
}

static enum hb_status take_model(struct hb_view *view, size_t model)
{
  HB_TRY(hb_view_source_take_model(&view->source, model));
  return adopt_other(view);
}

#define MODEL_1 "plummer"
#define MODEL_2 "holmberg1941"
#define MODEL_3 "coldsphere"

static enum hb_status show_model(struct hb_view *view, int by)
{
  static const char *const models[] = {MODEL_1, MODEL_2, MODEL_3};
  return take_model(view, (size_t)hb_words_find(hb_models_words, models[by - 1]));
}

static enum hb_status next_model(struct hb_view *view, int by)
{
  size_t count;
  hb_ic_models(&count);
  return take_model(view, (view->source.model + count + (size_t)by) % count);
}

static enum hb_status start_again(struct hb_view *view, int by)
{
  (void)by;
  return hb_view_source_reset(&view->source);
}

/* Another model once this one has been on show for cycle_s, if that is > 0: the next one that needs no patience. */
static enum hb_status cycle_models(struct hb_view *view)
{
  struct hb_view_clock *c = &view->clock;
  size_t count;
  hb_ic_models(&count);
  if (c->cycle_s <= 0 || c->shown_s < c->cycle_s) return HB_OK;
  view->source.n_asked = 0;
  for (size_t k = 0; k < count; k++) {
    HB_TRY(next_model(view, 1));
    if (!c->asks[0]) return HB_OK;
    c->paused = 0;
  }
  return HB_OK;
}

/* ---- the same model with other forces, or another number of particles -------------------------------- */

/* Shows who computes the forces now. */
static enum hb_status say_forces(struct hb_view *view)
{
  const struct hb_force *force = hb_sim_force(view->source.sim);
  hb_hud_say(&view->note, "forces by %s, %s", hb_force_scheme(force)->name, hb_force_precision(force));
  return HB_OK;
}

static enum hb_status check_forces(const struct hb_view *view)
{
  return view->source.sim ? HB_OK : hb_fail(HB_ERR_USAGE, "a series of snapshots has no forces");
}

/* The next one that can be had here: some need a newer OpenGL, or know gravity only. */
static enum hb_status next_scheme(struct hb_view *view, int by)
{
  struct hb_view_source *s = &view->source;
  size_t count, now = 0;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  HB_TRY(check_forces(view));
  while (strcmp(schemes[now].name, hb_force_scheme(hb_sim_force(s->sim))->name) != 0) now++;
  enum hb_status status = HB_OK;
  for (size_t k = 1; k < count; k++) {
    const struct hb_force_scheme *next = &schemes[(now + k * (size_t)by) % count];
    if (view->inspect.inspector && !next->needs_gl) continue; /* it would have nothing to show */
    status = hb_view_source_use(s, next->name, NULL);
    if (status == HB_OK) return say_forces(view);
    if (status == HB_ERR_DEVICE) break;
  }
  return status;
}

static enum hb_status next_precision(struct hb_view *view, int by)
{
  HB_TRY(check_forces(view));
  const struct hb_force *force = hb_sim_force(view->source.sim);
  const struct hb_force_scheme *scheme = hb_force_scheme(force);
  size_t count = 0, now = 0;
  while (hb_precision_names[count]) count++;
  while (strcmp(hb_precision_names[now], hb_force_precision(force)) != 0) now++;
  for (size_t k = 1; k < count; k++) {
    const char *precision = hb_precision_names[(now + k * (size_t)by) % count];
    if (!hb_text_is_listed(precision, scheme->precisions)) continue;
    HB_TRY(hb_view_source_use(&view->source, scheme->name, precision));
    return say_forces(view);
  }
  return hb_fail(HB_ERR_USAGE, "scheme %s has no other precision", scheme->name);
}

/* Twice as many, half as many; 0: as many as the slider says. */
static enum hb_status change_n(struct hb_view *view, int by)
{
  struct hb_view_source *s = &view->source;
  const struct hb_ic_model *model = model_with_n(s);
  if (!model)
    return hb_fail(HB_ERR_USAGE, "%s has %llu particles and no other number", s->title,
                   (unsigned long long)s->n);
  double wanted = by ? (by > 0 ? 2 : 0.5) * (double)s->n : floor(view->n_wanted + 0.5);
  HB_TRY(hb_view_source_resize(s, (size_t)fmin(fmax(wanted, (double)model->n_min), (double)model->n_max)));
  return adopt(view);
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static enum hb_status pause_or_resume(struct hb_view *view, int by)
{
  (void)by;
  view->clock.paused = !view->clock.paused;
  view->clock.asks[0] = 0;
  return HB_OK;
}

static enum hb_status step_once(struct hb_view *view, int by)
{
  struct hb_view_source *s = &view->source;
  if (by < 0 && !hb_view_source_is_series(s))
    return hb_fail(HB_ERR_USAGE, "a simulation cannot run backwards: r starts it again");
  view->clock.paused = 1;
  return by > 0 ? hb_view_step(view) : hb_view_source_show(s, (s->shown + s->file_count - 1) % s->file_count);
}

/* Twice as fast, or half, by two presses. */
static enum hb_status change_speed(struct hb_view *view, int by)
{
  int series = hb_view_source_is_series(&view->source);
  double *speed = series ? &view->source.rate : &view->clock.speed;
  *speed *= sqrt(by > 0 ? 2 : 0.5);
  hb_hud_say(&view->note, series ? "%.3g snapshots a second" : "%.3g time units a second", *speed);
  return HB_OK;
}

static enum hb_status cycle_or_stay(struct hb_view *view, int by)
{
  enum { CYCLE_S = 20 };
  struct hb_view_clock *c = &view->clock;
  (void)by;
  c->cycle_s = c->cycle_s > 0 ? 0 : CYCLE_S;
  c->shown_s = 0;
  hb_hud_say(&view->note, c->cycle_s > 0 ? "a new model every %.3g s: k stops it" : "the model stays",
             c->cycle_s);
  return HB_OK;
}

/* A series has no forces, so it is colored by what is drawn. */
static enum hb_status next_color(struct hb_view *view, int by)
{
  enum hb_coloring *color = &view->looks.color;
  do *color = (*color + (unsigned)by) % HB_COLORING_COUNT;
  while (!view->source.sim && *color != HB_COLORING_SPEED && *color != HB_COLORING_GROUP);
  return HB_OK;
}

static enum hb_status next_point(struct hb_view *view, int by)
{
  view->looks.style.point = (view->looks.style.point + (unsigned)by) % HB_SCENE_POINT_COUNT;
  return HB_OK;
}

static enum hb_status be_plain(struct hb_view *view, int by)
{
  (void)by;
  view->looks.plain = !view->looks.plain;
  return hb_view_picture_refine(view);
}

/* `by`: where it is in struct hb_view. */
static enum hb_status toggle(struct hb_view *view, int by)
{
  int *truth = (int *)((char *)view + by);
  *truth = !*truth;
  return HB_OK;
}

static enum hb_status inspect(struct hb_view *view, int by)
{
  (void)by;
  view->looks.plays_passes = 0;
  HB_TRY(hb_view_picture_inspect(view));
  say_who_computes(view);
  return HB_OK;
}

static enum hb_status next_pass(struct hb_view *view, int by)
{
  if (view->inspect.inspector) hb_inspector_step(view->inspect.inspector, by);
  return HB_OK;
}

static enum hb_status play_passes(struct hb_view *view, int by)
{
  (void)by;
  if (!view->inspect.inspector) return HB_OK;
  view->looks.plays_passes = !view->looks.plays_passes;
  hb_inspector_play(view->inspect.inspector, view->looks.plays_passes);
  return HB_OK;
}

/* The last picture shows the message. */
static enum hb_status stop_drawing(struct hb_view *view, int by)
{
  (void)by;
  view->looks.stop_drawing = !view->looks.stop_drawing;
  if (!view->looks.stop_drawing) return HB_OK;
  hb_hud_say(&view->note, "not drawing: d resumes it");
  return hb_view_show(view);
}

static enum hb_status save_screenshot(struct hb_view *view, int by)
{
  (void)by;
  return hb_view_picture_save(view, NULL);
}

static enum hb_status start_movie(struct hb_view *view, const char *path)
{
  HB_TRY(hb_view_picture_record(view, path));
  view->clock.late = 0;
  return HB_OK;
}

static enum hb_status film_or_end(struct hb_view *view, int by)
{
  (void)by;
  if (view->film) return hb_view_picture_recorded(view, HB_OK);
  HB_TRY(start_movie(view, NULL));
  hb_hud_say(&view->note, "recording %s: v ends it", view->film->path);
  return HB_OK;
}

enum hb_status hb_view_record(struct hb_view *view, const char *path)
{
  if (view->film) HB_TRY(hb_view_picture_recorded(view, HB_OK));
  hb_hud_hush(&view->note);
  return start_movie(view, path);
}

static enum hb_status fill_screen(struct hb_view *view, int by)
{
  (void)by;
  view->looks.full_screen = !view->looks.full_screen;
  hb_gl_window_fill_screen(view->window.gl, view->looks.full_screen);
  return HB_OK;
}

#define IN_VIEW(member) offsetof(struct hb_view, member)

const struct hb_keys_row hb_view_keys[] = {
    {' ', "space", pause_or_resume, 0, "pause, resume"},
    {'+', "+", change_speed, 1, "faster; two presses double the speed"},
    {'=', NULL, change_speed, 1, NULL},
    {'-', "-", change_speed, -1, "slower"},
    {HB_GL_KEY_RIGHT, "right", step_once, 1, "one block step, or the next snapshot"},
    {HB_GL_KEY_LEFT, "left", step_once, -1, "the previous snapshot"},
    {'r', "r", start_again, 0, "start again from the beginning"},
    {'c', "c", center, 0, "center on the middle of the particles, all of them in the picture"},
    {'1', "1", show_model, 1, "model " MODEL_1},
    {'2', "2", show_model, 2, "model " MODEL_2},
    {'3', "3", show_model, 3, "model " MODEL_3},
    {'[', "[", next_model, -1, "the previous model in the list of 'holmberg ic'"},
    {']', "]", next_model, 1, "the next model in that list"},
    {'k', "k", cycle_or_stay, 0, "another model every 20 seconds, or stop"},
    {'n', "n", change_n, 1, "twice as many particles, of the same structure"},
    {'b', "b", change_n, -1, "half as many"},
    {'m', "m", next_scheme, 1, "the next scheme of forces, from here on"},
    {'x', "x", next_precision, 1, "its next precision, from here on"},
    {'p', "p", next_point, 1, "points as stars, discs or dots"},
    {'e', "e", be_plain, 0, "plain pictures, without glow, and back"},
    {'o', "o", next_color, 1, "what the color shows"},
    {'l', "l", toggle, IN_VIEW(looks.trails), "trails of light on and off"},
    {'g', "g", toggle, IN_VIEW(looks.bars), "sliders on and off"},
    {'t', "t", toggle, IN_VIEW(looks.hud), "numbers on and off"},
    {'h', "h", toggle, IN_VIEW(looks.help), "show these keys"},
    {'i', "i", inspect, 0, "inspector: textures behind the forces; the mouse reads a texel"},
    {'.', ".", next_pass, 1, "inspector: the next pass"},
    {',', ",", next_pass, -1, "inspector: the previous pass"},
    {'a', "a", play_passes, 0, "inspector: one pass further at each walk, or stop"},
    {'d', "d", stop_drawing, 0, "stop drawing, keep computing"},
    {'s', "s", save_screenshot, 0, "screenshot: a PNG in this folder"},
    {'v', "v", film_or_end, 0, "record a movie, or end it"},
    {'f', "f", fill_screen, 0, "full screen and back"},
    {'q', "q, Esc", toggle, IN_VIEW(done), "quit"},
    {HB_GL_KEY_ESCAPE, NULL, toggle, IN_VIEW(done), NULL},
    {0, "drag", NULL, 0, "rotate"},
    {0, "shift or right drag", NULL, 0, "move sideways"},
    {0, "wheel", NULL, 0, "zoom"},
    {0, "double click", NULL, 0, "center on what is there"},
    {0, NULL, NULL, 0, NULL},
};

/* ---- events ------------------------------------------------------------------------------------------ */

/* An action of the user that fails only shows a message; a failing device ends the program. */
static enum hb_status forgive(struct hb_view *view, enum hb_status status)
{
  if (status == HB_OK || status == HB_ERR_DEVICE) return status;
  hb_hud_say(&view->note, "%s", hb_error());
  return HB_OK;
}

/* Other keys are ignored. */
static enum hb_status press_key(struct hb_view *view, int key)
{
  for (const struct hb_keys_row *row = hb_view_keys; row->key; row++)
    if (row->key == key) return row->act(view, row->by);
  return HB_OK;
}

static enum hb_status turn_knobs(struct hb_view *view)
{
  const struct hb_view_knobs *knobs = &view->knobs, *now = &view->source.knobs;
  if (knobs->eps == now->eps && knobs->eta == now->eta && knobs->damping == now->damping) return HB_OK;
  return hb_view_source_turn(&view->source, knobs);
}

/* *taken = 1 when the event was for a slider. */
static enum hb_status move_sliders(struct hb_view *view, const struct hb_gl_event *event, int *taken)
{
  for (int k = view->looks.bars ? 0 : HB_VIEW_TIME; k < HB_VIEW_SLIDERS; k++) {
    enum hb_hud_answer answer = hb_hud_slider_event(&view->sliders[k], event);
    *taken |= answer != HB_HUD_NOT_MINE;
    if (k == HB_VIEW_TIME && answer == HB_HUD_MOVED)
      return forgive(view, hb_view_source_show(&view->source, (size_t)floor(view->snapshot + 0.5)));
    if (k != HB_VIEW_TIME && answer == HB_HUD_LET_GO)
      return forgive(view, k == HB_VIEW_N ? change_n(view, 0) : turn_knobs(view));
  }
  return HB_OK;
}

static enum hb_status handle_event(struct hb_view *view, const struct hb_gl_event *event)
{
  struct hb_view_window *w = &view->window;
  struct hb_steer *steer = &view->steer;
  int taken = 0;
  view->clock.touched = 1;
  if (event->kind == HB_GL_EVENT_CLOSE) view->done = 1;
  if (event->kind == HB_GL_EVENT_RESIZE) return hb_view_picture_resized(view);
  if (event->kind == HB_GL_EVENT_KEY) return forgive(view, press_key(view, event->key));
  HB_TRY(move_sliders(view, event, &taken));
  int beside = event->x >= w->scene_width && steer->drag == HB_STEER_FREE;
  if (event->kind == HB_GL_EVENT_MOVE && beside) hb_view_picture_point(view, event->x, event->y);
  if (taken || (event->kind == HB_GL_EVENT_PRESS && beside)) return HB_OK;
  hb_steer_event(steer, event, hb_clock_now(), w->scene_width, w->height);
  return HB_OK;
}

enum hb_status hb_view_input(struct hb_view *view)
{
  if (hb_signals_stop()) view->done = 1; /* recorded from the first movie on */
  for (;;) {
    struct hb_gl_event event = hb_gl_window_next(view->window.gl);
    if (event.kind == HB_GL_EVENT_NONE || view->done) return HB_OK;
    HB_TRY(handle_event(view, &event));
  }
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

static const double picture_s = 1.0 / 60;

/* In a movie a picture is a picture's time, however long it takes. After a long wait, as while the window is moved, the clock
 * does not jump. */
static double seconds_since(const struct hb_view *view, double now)
{
  static const double longest_s = 0.25;
  if (view->film) return view->clock.late ? 0 : 1.0 / view->asked->fps;
  return fmin(now - view->clock.advanced_at, longest_s);
}

/* Waits for events until a picture is due, does the steps that are due by then, and draws it. */
static enum hb_status turn(struct hb_view *view)
{
  static const double idle_s = 0.1; /* between pictures while nothing moves */
  struct hb_view_clock *c = &view->clock;
  double now = hb_clock_now();
  int rests = c->paused || hb_view_source_is_series(&view->source);
  hb_gl_window_poll(view->window.gl, c->due > now ? c->due - now : 0);
  c->touched = 0;
  HB_TRY(hb_view_input(view));
  if (view->done) return HB_OK;
  if (rests && c->touched) c->due = fmin(c->due, c->drawn_at + picture_s);
  now = hb_clock_now();
  if (now < c->due) return HB_OK;
  HB_TRY(cycle_models(view));
  HB_TRY(step_for(view, seconds_since(view, now), fmax(picture_s, view->detail.draw_s)));
  c->advanced_at = now;
  if (view->film && c->late) return HB_OK;
  c->drawn_at = hb_clock_now();
  if (!view->looks.stop_drawing) HB_TRY(hb_view_show(view));
  if (!view->looks.stop_drawing) HB_TRY(hb_view_picture_adapt(view));
  c->due = now + (c->paused ? idle_s : picture_s);
  measure_rates(view, hb_clock_now());
  return HB_OK;
}

enum hb_status hb_view_run(struct hb_view *view, double seconds)
{
  double end = hb_clock_now() + seconds;
  enum hb_status status = HB_OK;
  view->clock.due = view->clock.advanced_at = hb_clock_now();
  view->clock.is_kept = 1;
  if (view->clock.unasked) status = ask(view);
  while (status == HB_OK && !view->done && hb_clock_now() < end) status = turn(view);
  view->clock.is_kept = 0;
  return status;
}

enum hb_status hb_view_play(struct hb_view *view, double seconds)
{
  double pictures = floor(seconds * view->asked->fps + 0.5);
  for (double k = 0; k < pictures && !view->done; k++) {
    hb_gl_window_poll(view->window.gl, 0);
    HB_TRY(hb_view_input(view));
    HB_TRY(cycle_models(view));
    HB_TRY(step_for(view, 1.0 / view->asked->fps, INFINITY));
    HB_TRY(hb_view_show(view));
  }
  return HB_OK;
}

/* ---- opening and closing ----------------------------------------------------------------------------- */

static enum hb_status begin_view(const struct hb_opts *opts, struct hb_view *view)
{
  const struct hb_view_settings *asked = view->asked;
  HB_TRY(hb_view_picture_open(view));
  HB_TRY(hb_view_source_open(opts, &view->source));
  if (!view->source.sim && asked->color != HB_COLORING_SPEED && asked->color != HB_COLORING_GROUP)
    return hb_fail(
        HB_ERR_USAGE,
        "option --color-by: a series of snapshots cannot be colored by %s (expected speed or group)",
        hb_coloring_name(asked->color));
  hb_camera_look(&view->steer.camera, 0.5, 0.6, 0);
  HB_TRY(hb_view_picture_refine(view));
  if (asked->inspect) HB_TRY(inspect(view, 0));
  HB_TRY(adopt_other(view));
  hb_hud_say(&view->note, "h: help, space: pause, i: textures");
  return HB_OK;
}

enum hb_status hb_view_open(const struct hb_opts *opts, struct hb_view **view)
{
  struct hb_view_settings *asked = opts->settings;
  struct hb_view *v;
  *view = NULL;
  HB_TRY(HB_ALLOC(1, &v));
  *v = (struct hb_view){
      .asked = asked,
      .keys = hb_view_keys,
      .source = {.run = &asked->run, .n_asked = asked->n, .seed = asked->seed, .rate = asked->rate},
      .clock = {.paused = asked->paused,
                .cycle_s = asked->cycle_s,
                .measured = {.pairs_per_s = NAN, .pictures_per_s = NAN, .speed = NAN}},
      .looks = {.hud = 1,
                .bars = 1,
                .trails = asked->trails,
                .plain = asked->plain,
                .color = asked->color,
                .style = {.adapt = 0.2}}}; /* a close encounter does not make the picture blink */
  hb_camera_reset(&v->steer.camera);
  *view = v;
  return begin_view(opts, v);
}

static enum hb_status end_movie(struct hb_view *view)
{
  char context[32];
  const char *by = hb_signals_stop();
  snprintf(context, sizeof context, "stopped by %s", by ? by : "");
  if (!view->film) return by ? hb_fail(HB_ERR_STOPPED, "%s", context) : HB_OK;
  enum hb_status status = hb_view_picture_recorded(view, HB_OK);
  if (!by || (status != HB_OK && status != HB_ERR_USAGE)) return status;
  return status == HB_OK ? hb_fail(HB_ERR_STOPPED, "%s: %s", context, view->note.text)
                         : hb_fail_in(HB_ERR_STOPPED, context);
}

enum hb_status hb_view_close(struct hb_view *view, enum hb_status status)
{
  if (!view) return status;
  enum hb_status ended = end_movie(view);
  hb_inspector_close(view->inspect.inspector);
  hb_view_source_close(&view->source);
  hb_view_picture_close(view);
  hb_mem_free(view);
  return status == HB_OK ? ended : status;
}
