#include "viewer/view_picture.h"

#include "base/clock.h"
#include "base/mem.h"
#include "viewer/view_inspect.h"
#include "sim/sim_device.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double least_star =
    600; /* point size of a sigma of 0.6 pixels, below which a star would be dim, times height */

/* ---- colors ----------------------------------------------------------------------------------------- */

static enum hb_status reserve(struct hb_view *view, size_t n)
{
  if (n <= view->values_capacity) return HB_OK;
  hb_mem_free(view->values);
  view->values = NULL;
  view->values_capacity = 0;
  HB_TRY(HB_ALLOC(n, &view->values));
  view->values_capacity = n;
  return HB_OK;
}

/* Speeds, only for their range: the colors are computed on the device. */
static enum hb_status speeds(const struct hb_view *view, double *values)
{
  struct hb_particles *state;
  HB_TRY(hb_view_source_state(&view->source, &state));
  hb_coloring_speeds(hb_particles_n(state), hb_particles_v(state), values);
  hb_particles_destroy(state);
  return HB_OK;
}

/* The range of colors is updated now and then, but not if speeds would have to be read back from the device. */
static int range_is_due(struct hb_view *view)
{
  enum { PICTURES = 32 };
  if (!view->ranged) return 1;
  if (view->range_is_old++ < PICTURES) return 0;
  return view->color != HB_COLORING_SPEED || !view->source.sim || hb_view_source_has_energy(&view->source);
}

static int is_elsewhere(const struct hb_view *view)
{
  return view->placed_generation != view->source.generation || view->placed_t != view->source.at;
}

/* The values to color by. */
static enum hb_status find_values(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  HB_TRY(reserve(view, s->n));
  if (view->color == HB_COLORING_SPEED) return speeds(view, view->values);
  if (view->color != HB_COLORING_GROUP) return hb_coloring_of_sim(view->color, s->sim, s->n, view->values);
  hb_coloring_groups(s->lit, view->groups, view->values);
  return HB_OK;
}

/* Sends the values, and moves the range halfway to theirs. */
static enum hb_status color(struct hb_view *view, int range_due)
{
  size_t n = view->source.n;
  double range[2];
  if (view->color != HB_COLORING_SPEED) HB_TRY(hb_view_particles_values(&view->stars, n, view->values));
  if (!range_due) return HB_OK;
  hb_coloring_range(view->source.lit, view->values, range);
  for (int k = 0; k < 2; k++)
    view->style.range[k] = view->ranged ? (view->style.range[k] + range[k]) / 2 : range[k];
  view->ranged = 1;
  view->range_is_old = 0;
  return HB_OK;
}

/* ---- stars ------------------------------------------------------------------------------------------- */

/* From the simulation's own textures, or sent from the host, which forgets their values. */
static enum hb_status place(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  struct hb_device_particles at = {.layout = HB_DEVICE_NONE};
  if (s->sim && s->at == s->t) hb_sim_on_device(s->sim, &at);
  view->on_device = at.layout != HB_DEVICE_NONE && hb_sim_device_context(s->sim) == view->window.context;
  if (view->on_device) {
    HB_TRY(hb_view_particles_lend(&view->stars, &at));
    view->stars.lit = s->lit;
    return HB_OK;
  }
  if (!s->sim) return hb_view_particles_load(&view->stars, s->particles, NULL);
  struct hb_particles *state;
  HB_TRY(hb_view_source_state(s, &state));
  enum hb_status status = hb_view_particles_load(&view->stars, state, NULL);
  hb_particles_destroy(state);
  return status;
}

/* A trail is as long as what was on the screen in the last seconds, of few bodies in more of them, whose paths can be told
 * apart. */
static double trail_s(size_t n) { return n <= HB_VIEW_FEW ? 6 : 1; }

static enum hb_status follow(struct hb_view *view)
{
  enum { ENTRIES = 48 };
  struct hb_view_source *s = &view->source;
  if (view->trails.n != s->n) {
    hb_trails_close(&view->trails);
    view->trails = (struct hb_trails){0};
    HB_TRY(hb_trails_open(view->window.context, s->n, ENTRIES, &view->trails));
  }
  hb_trails_thin(&view->trails, trail_s(s->n) * view->speed / ENTRIES);
  return hb_trails_add(&view->trails, &view->stars);
}

static void set_title(struct hb_view *view)
{
  char title[160];
  snprintf(title, sizeof title, "%s - Holmberg", view->source.title);
  hb_gl_window_set_title(view->window.gl, title);
}

/* Brings the stars to where the source is now. */
static enum hb_status place_stars(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  int moved = is_elsewhere(view);
  if (!moved && !view->on_device) return HB_OK;
  if (view->placed_generation != s->generation) hb_trails_clear(&view->trails);
  if (view->placed_generation != s->generation || !s->sim) set_title(view);
  HB_TRY(place(view));
  view->placed_generation = s->generation;
  view->placed_t = s->at;
  return moved && view->show_trails ? follow(view) : HB_OK;
}

/* Values are found before stars are placed: computing energies changes the textures of the simulation's forces. */
static enum hb_status place_and_color(struct hb_view *view)
{
  if (view->placed_generation != view->source.generation) view->ranged = 0;
  int range_due = range_is_due(view), by_value = view->color != HB_COLORING_SPEED;
  int fresh = range_due || (by_value && is_elsewhere(view));
  if (fresh) HB_TRY(find_values(view));
  HB_TRY(place_stars(view));
  if (!fresh && by_value && !view->stars.has_values) { /* sent again, after a diagnosis */
    HB_TRY(find_values(view));
    fresh = 1;
  }
  return fresh ? color(view, range_due) : HB_OK;
}

/* ---- the picture ------------------------------------------------------------------------------------- */

static void add_pairs(double pairs_per_s, struct hb_hud *hud)
{
  int giga = pairs_per_s >= 1e9;
  if (!isnan(pairs_per_s))
    hb_hud_row(hud, "pairs", "%.4g %s", (giga ? 1e-9 : 1e-6) * pairs_per_s, giga ? "G/s" : "M/s");
}

static void add_color(const struct hb_view *view, struct hb_hud *hud)
{
  double range[2];
  hb_hud_row(hud, "color", "%s", hb_coloring_label(view->color));
  for (int k = 0; k < 2; k++) range[k] = hb_coloring_number(view->color, view->style.range[k]);
  int is_group = hb_coloring_scene(view->color) == HB_SCENE_COLOR_GROUP;
  if (!is_group && !isnan(range[0])) hb_hud_scale(hud, view->style.map, range);
}

static void fill_hud(const struct hb_view *view, char state[64], struct hb_hud *hud)
{
  const struct hb_view_source *s = &view->source;
  struct hb_sim_counts counts;
  int series = hb_view_source_is_series(s);
  hb_view_source_counts(s, &counts);
  hud->title = s->title;
  hud->state = state;
  if (series)
    snprintf(state, 64, "%zu of %zu%s", s->shown + 1, s->file_count, view->paused ? ", paused" : "");
  else
    snprintf(state, 64, "%s", view->paused ? "paused" : "");
  hb_hud_row(hud, "N", "%" PRIu64, s->n);
  hb_hud_row(hud, "t", "%.4f", s->at);
  if (s->energies == 1) hb_hud_row(hud, "dE/E", "-"); /* with which later ones are compared */
  if (s->energies > 1 && !isnan(s->e_error)) hb_hud_row(hud, "dE/E", "%+.2e", s->e_error);
  hud->large = hud->row_count;
  if (!series) {
    hb_hud_row(hud, "speed", "%.3g time units a second", view->speed);
    hb_hud_row(hud, "block", "%" PRIu64, s->block);
    hb_hud_row(hud, "steps", "%" PRIu64, counts.block_steps);
    if (!view->recording) add_pairs(view->measured.pairs_per_s, hud);
  }
  if (s->sim) {
    const struct hb_force *force = hb_sim_force(s->sim);
    hb_hud_row(hud, "forces", "%s, %s, %s", hb_force_scheme(force)->name, hb_force_precision(force),
               s->settings.sim.integrator);
    hb_hud_row(hud, "device", "%s",
               hb_force_scheme(force)->needs_gl ? hb_force_device(force) : "the processor");
  }
  add_color(view, hud);
  if (!isnan(view->measured.pictures_per_s) && !view->recording)
    hb_hud_row(hud, "pictures", "%.0f /s, %.1f ms each", view->measured.pictures_per_s, 1e3 * view->draw_s);
}

static void draw_sliders(struct hb_view *view)
{
  struct hb_paint *paint = view->window.paint;
  int shown = 0, columns = hb_hud_columns(paint, view->window.scene_width);
  double margin = 12 * hb_paint_scale(paint), line = hb_paint_line_height(paint);
  for (int k = 0; k < VIEW_SLIDERS; k++) shown += !view->sliders[k].absent;
  double y = hb_paint_height(paint) - margin - shown * line;
  if (hb_view_source_is_series(&view->source)) y -= 2 * line;
  hb_paint_panel(paint, margin, y, columns, shown);
  for (int k = 0; k < VIEW_SLIDERS; k++) {
    char text[32];
    snprintf(text, sizeof text, k == VIEW_SLIDER_N ? "%.0f" : "%.3g", view->sliders[k].value);
    if (view->sliders[k].absent) continue;
    hb_ui_slider_draw(&view->sliders[k], paint, margin, y, columns, text);
    y += line;
  }
}

static void draw_time_bar(struct hb_view *view)
{
  struct hb_paint *paint = view->window.paint;
  double margin = 12 * hb_paint_scale(paint);
  int columns = (int)((hb_paint_width(paint) - 2 * margin) / hb_paint_column(paint));
  char text[32];
  snprintf(text, sizeof text, "%zu/%zu", view->source.shown + 1, view->source.file_count);
  if (!view->time_bar.held) view->time_bar.value = (double)view->source.shown;
  double y = hb_paint_height(paint) - margin - hb_paint_line_height(paint);
  hb_paint_panel(paint, margin, y, columns, 1);
  hb_ui_slider_draw(&view->time_bar, paint, margin, y, columns, text);
}

static enum hb_status draw_over(struct hb_view *view, const struct hb_gl_target *target)
{
  struct hb_window *w = &view->window;
  struct hb_hud hud = {0};
  char state[64];
  hb_paint_begin(w->paint, w->width, w->height, w->text_scale);
  HB_TRY(hb_view_inspect_draw(view, target));
  if (view->show_hud && !view->help) fill_hud(view, state, &hud);
  hud.message = view->inspector && *view->texel.text ? view->texel.text : NULL;
  char late[64];
  if (!hud.message && !isnan(view->measured.speed) && !view->recording) {
    snprintf(late, sizeof late, "as fast as this machine: %.2g of the speed asked for", view->measured.speed);
    hud.message = late;
  }
  if (*view->asks) hud.message = view->asks;
  if (hb_clock_now() < view->message_until) hud.message = view->message;
  int has_bar = hb_view_source_is_series(&view->source) && (view->show_hud || view->show_sliders);
  if (has_bar) hud.foot = 2 * hb_paint_line_height(w->paint);
  hud.error = view->error;
  hud.columns = hb_hud_columns(w->paint, w->scene_width);
  hb_hud_draw(w->paint, &hud);
  if (view->show_hud && !view->inspector && hb_view_source_has_energy(&view->source))
    hb_hud_draw_history(w->paint, &view->history);
  if (view->show_sliders) draw_sliders(view);
  if (has_bar) draw_time_bar(view);
  if (view->help) hb_hud_draw_help(w->paint, view->help);
  return hb_paint_end(w->paint, target);
}

enum hb_status hb_view_picture_draw(struct hb_view *view, const struct hb_gl_target *target)
{
  struct hb_window *w = &view->window;
  hb_window_reload(w, &view->error);
  if (view->waits && !*view->error) view->waits = view->paused = 0;
  HB_TRY(hb_view_inspect_walk(view));
  HB_TRY(place_and_color(view));
  view->style.color = hb_coloring_scene(view->color);
  struct hb_scene_style style = view->style;
  style.point_size = fmax(style.point_size, least_star * w->coarse / w->height);
  HB_TRY(hb_scene_begin(w->scene, &w->camera));
  if (view->show_trails && view->trails.count > 1)
    HB_TRY(hb_scene_trails(w->scene, &view->trails, &view->stars, INFINITY, &style));
  HB_TRY(hb_scene_stars(w->scene, &view->stars, &style));
  HB_TRY(hb_scene_enlarge(w->scene, &style, target, 0, 0, w->scene_width, w->height));
  return draw_over(view, target);
}

void hb_view_picture_close(struct hb_view *view)
{
  if (view->trails.context) hb_trails_close(&view->trails);
  if (view->stars.context) hb_view_particles_close(&view->stars);
  hb_mem_free(view->values);
}
