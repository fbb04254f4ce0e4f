#include "viewer/view_change.h"

#include "base/clock.h"
#include "base/text.h"
#include "console/models.h"
#include "viewer/view_inspect.h"
#include "viewer/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double visible = 0.8;     /* fraction of the particles in a centered picture */
static const double long_step_s = 0.2; /* longer ones are asked about */

enum hb_status hb_view_change_center(struct hb_view *view)
{
  struct hb_particles *state;
  struct hb_camera *camera = &view->window.camera;
  double radius;
  HB_TRY(hb_view_source_state(&view->source, &state));
  enum hb_status status =
      hb_camera_extent(hb_view_particles_lit(state), hb_particles_x(state), visible, camera->center, &radius);
  if (status == HB_OK)
    hb_camera_fit(camera, 1.2 * radius, (double)view->window.scene_width / view->window.height);
  hb_particles_destroy(state);
  return status;
}

/* The model that is shown, if it can have another number of particles; else NULL. */
static const struct hb_ic_model *model_with_n(const struct hb_view_source *s)
{
  size_t count;
  const struct hb_ic_model *model = &hb_ic_models(&count)[s->model];
  return s->file_count == 0 && model->n_min < model->n_max ? model : NULL;
}

static void set_sliders(struct hb_view *view)
{
  const struct hb_view_source *s = &view->source;
  int series = hb_view_source_is_series(s), leapfrog = hb_view_source_is_leapfrog(s);
  const struct hb_ui_slider sliders[VIEW_SLIDERS] = {
      [VIEW_SLIDER_EPS] = {"softening", 0x1p-14, 1, HB_UI_LOGARITHMIC, .with_zero = 1, .absent = series},
      [VIEW_SLIDER_ETA] = {"nu", 0.001, 0.1, HB_UI_LOGARITHMIC, .absent = series || leapfrog},
      [VIEW_SLIDER_DAMPING] = {"damping", 0.5, 1, .absent = series || !leapfrog},
      [VIEW_SLIDER_SPEED] = {"speed", s->speed / 100, s->speed * 100, HB_UI_LOGARITHMIC, .absent = series},
      [VIEW_SLIDER_N] = {"N", 16, 65536, HB_UI_LOGARITHMIC, .absent = !model_with_n(s)},
      [VIEW_SLIDER_POINT] = {"point size", 0.2, 12, HB_UI_LOGARITHMIC, .absent = 0},
  };
  memcpy(view->sliders, sliders, sizeof sliders);
  view->sliders[VIEW_SLIDER_EPS].value = s->knobs.eps;
  view->sliders[VIEW_SLIDER_ETA].value = s->knobs.eta;
  view->sliders[VIEW_SLIDER_DAMPING].value = s->knobs.damping;
  view->sliders[VIEW_SLIDER_SPEED].value = view->speed;
  view->sliders[VIEW_SLIDER_N].value = (double)s->n;
  view->sliders[VIEW_SLIDER_POINT].value = view->style.point_size;
  view->time_bar = (struct hb_ui_slider){"", .most = (double)s->file_count - 1, .absent = !series};
}

/* A few bodies are large, bright and leave trails; thousands are points. */
static void set_style(struct hb_view *view)
{
  double n = (double)view->source.lit;
  view->style.point_size = fmin(fmax(1.5 * sqrt(1000 / n), 1.5), 8);
  view->style.exposure = n < 500 ? 0.9 : 0.7;
  if (n <= HB_VIEW_FEW) view->show_trails = 1;
}

/* Half of the beginning may have been shaders that were compiled, hence a second look at the forces. */
enum hb_status hb_view_change_ask(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  view->asks[0] = 0;
  view->unasked = !view->keeps_time;
  if (view->unasked || !s->sim || s->begin_s < long_step_s || view->recording || view->inspector)
    return HB_OK;
  double before = hb_clock_now();
  HB_TRY(hb_view_source_diagnose(s));
  double step_s = hb_view_source_has_energy(s) ? hb_clock_now() - before : s->begin_s;
  if (step_s < long_step_s) return HB_OK;
  view->paused = 1;
  snprintf(view->asks, sizeof view->asks, "a step of all %llu particles takes %.2g s here: space starts it%s",
           (unsigned long long)s->n, step_s, model_with_n(s) ? ", b halves N" : "");
  return HB_OK;
}

enum hb_status hb_view_change_adopt(struct hb_view *view)
{
  hb_view_steps_set_speed(view);
  set_style(view);
  set_sliders(view);
  view->shown_s = 0;
  view->measured.speed = NAN;
  HB_TRY(hb_view_change_ask(view));
  return hb_view_change_center(view);
}

/* ---- models ------------------------------------------------------------------------------------------ */

static enum hb_status take_model(struct hb_view *view, size_t model)
{
  int inspects = view->inspector != NULL;
  HB_TRY(hb_view_inspect_use_before(view));
  HB_TRY(hb_view_source_take_model(&view->source, model));
  if (inspects) HB_TRY(hb_view_inspect_use_textures(view));
  hb_hud_history_clear(&view->history);
  return hb_view_change_adopt(view);
}

enum hb_status hb_view_change_model(struct hb_view *view, const char *name)
{
  return take_model(view, (size_t)hb_words_find(hb_models_words, name));
}

enum hb_status hb_view_change_next_model(struct hb_view *view, int step)
{
  size_t count;
  hb_ic_models(&count);
  return take_model(view, (view->source.model + count + (size_t)step) % count);
}

enum hb_status hb_view_change_reset(struct hb_view *view)
{
  HB_TRY(hb_view_source_reset(&view->source));
  view->play_at = 0;
  hb_hud_history_clear(&view->history);
  return HB_OK;
}

/* ---- the same model with other forces, or another number of particles -------------------------------- */

/* Shows who computes the forces now. */
static enum hb_status say_forces(struct hb_view *view)
{
  const struct hb_force *force = hb_sim_force(view->source.sim);
  view->has_before = 0; /* the user's choice stays */
  hb_hud_history_clear(&view->history);
  hb_view_say(view, "forces by %s, %s", hb_force_scheme(force)->name, hb_force_precision(force));
  return HB_OK;
}

static enum hb_status check_forces(const struct hb_view *view)
{
  return view->source.sim ? HB_OK : hb_fail(HB_ERR_USAGE, "a series of snapshots has no forces");
}

/* The next one that can be had here: some need a newer OpenGL, or know gravity only. */
enum hb_status hb_view_change_scheme(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  size_t count, now = 0;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  HB_TRY(check_forces(view));
  while (strcmp(schemes[now].name, hb_force_scheme(hb_sim_force(s->sim))->name) != 0) now++;
  enum hb_status status = HB_OK;
  for (size_t k = 1; k < count; k++) {
    const struct hb_force_scheme *next = &schemes[(now + k) % count];
    if (view->inspector && !next->needs_gl) continue; /* it would have nothing to show */
    status = hb_view_source_use(s, next->name, NULL);
    if (status == HB_OK) return say_forces(view);
    if (status == HB_ERR_DEVICE) break;
  }
  return status;
}

enum hb_status hb_view_change_precision(struct hb_view *view)
{
  HB_TRY(check_forces(view));
  const struct hb_force *force = hb_sim_force(view->source.sim);
  const struct hb_force_scheme *scheme = hb_force_scheme(force);
  size_t count = 0, now = 0;
  while (hb_precision_names[count]) count++;
  while (strcmp(hb_precision_names[now], hb_force_precision(force)) != 0) now++;
  for (size_t k = 1; k < count; k++) {
    const char *precision = hb_precision_names[(now + k) % count];
    if (!hb_text_is_listed(precision, scheme->precisions)) continue;
    HB_TRY(hb_view_source_use(&view->source, scheme->name, precision));
    return say_forces(view);
  }
  return hb_fail(HB_ERR_USAGE, "scheme %s has no other precision", scheme->name);
}

enum hb_status hb_view_change_n(struct hb_view *view, double factor)
{
  struct hb_view_source *s = &view->source;
  const struct hb_ic_model *model = model_with_n(s);
  if (!model)
    return hb_fail(HB_ERR_USAGE, "%s has %llu particles and no other number", s->title,
                   (unsigned long long)s->n);
  double wanted = factor > 0 ? factor * (double)s->n : floor(view->sliders[VIEW_SLIDER_N].value + 0.5);
  int inspects = view->inspector != NULL;
  HB_TRY(hb_view_inspect_use_before(view));
  HB_TRY(hb_view_source_resize(s, (size_t)fmin(fmax(wanted, (double)model->n_min), (double)model->n_max)));
  if (inspects) HB_TRY(hb_view_inspect_use_textures(view));
  hb_hud_history_clear(&view->history);
  view->measured.speed = NAN;
  set_style(view);
  set_sliders(view);
  return hb_view_change_ask(view);
}

/* ---- models by themselves ---------------------------------------------------------------------------- */

/* The next one that needs no patience. */
enum hb_status hb_view_change_cycle(struct hb_view *view)
{
  size_t count;
  hb_ic_models(&count);
  if (view->cycle_s <= 0 || view->shown_s < view->cycle_s) return HB_OK;
  view->source.n_asked = 0;
  for (size_t k = 0; k < count; k++) {
    HB_TRY(hb_view_change_next_model(view, 1));
    if (!view->asks[0]) return HB_OK;
    view->paused = 0;
  }
  return HB_OK;
}
