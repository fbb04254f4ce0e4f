#include "viewer/race.h"

#include "base/clock.h"
#include "base/text.h"
#include "perf/machine_model.h"
#include "perf/paper.h"
#include "render/coloring.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- who races --------------------------------------------------------------------------------------- */

enum hb_status hb_race_names(char *list, const char *names[HB_RACERS], int *count)
{
  const char *words[HB_RACERS + 1];
  *count = hb_text_words(list, ",", HB_RACERS + 1, words);
  for (int k = 0; k < *count; k++) {
    if (!hb_force_scheme_find(words[k]))
      return hb_fail(HB_ERR_USAGE, "option --race: unknown scheme '%s' (see --scheme)", words[k]);
    for (int other = 0; other < k; other++)
      if (strcmp(words[other], words[k]) == 0)
        return hb_fail(HB_ERR_USAGE, "option --race: %s is there twice", words[k]);
  }
  if (*count < 2 || *count > HB_RACERS)
    return hb_fail(HB_ERR_USAGE, "option --race: %s (expected two to four schemes, such as cg2007,host)",
                   *count < 2 ? "one scheme" : "more than four schemes");
  memcpy(names, words, HB_RACERS * sizeof *names);
  return HB_OK;
}

enum hb_status hb_race_add(struct hb_race *race, struct hb_gl_context *context, struct hb_sim *sim)
{
  struct hb_racer *r = &race->racer[race->count++];
  *r = (struct hb_racer){.sim = sim};
  return hb_view_particles_open(context, &r->stars);
}

void hb_race_close(struct hb_race *race)
{
  for (int k = 0; k < race->count; k++) {
    if (race->racer[k].stars.context) hb_view_particles_close(&race->racer[k].stars);
    hb_sim_destroy(race->racer[k].sim);
  }
  *race = (struct hb_race){0};
}

/* ---- turns ------------------------------------------------------------------------------------------- */

static enum hb_status step(struct hb_racer *r)
{
  double started = hb_clock_now();
  HB_TRY(hb_sim_step(r->sim));
  hb_sim_counts(r->sim, &r->counts);
  r->step_s += hb_clock_now() - started;
  return HB_OK;
}

enum hb_status hb_race_step(struct hb_race *race)
{
  for (int k = 0; k < race->count; k++) HB_TRY(step(&race->racer[k]));
  return HB_OK;
}

enum hb_status hb_race_run(struct hb_race *race, double seconds)
{
  double end = hb_clock_now() + seconds;
  do {
    struct hb_racer *next = race->racer;
    for (struct hb_racer *r = race->racer; r < race->racer + race->count; r++)
      if (r->step_s < next->step_s) next = r;
    HB_TRY(step(next));
  } while (hb_clock_now() < end);
  return HB_OK;
}

static enum hb_status diagnose(struct hb_racer *r)
{
  struct hb_diagnostics now;
  double started = hb_clock_now(), t = hb_sim_time(r->sim);
  HB_TRY(hb_sim_diagnose(r->sim, t, &now));
  if (r->energies++ == 0) r->begin = now;
  r->e_t = t;
  r->e_error = (now.e_total - r->begin.e_total) / r->begin.e_scale;
  hb_hud_history_add(&r->errors, t, r->e_error);
  r->diagnose_s += hb_clock_now() - started;
  return HB_OK;
}

enum hb_status hb_race_diagnose(struct hb_race *race, double share)
{
  for (int k = 0; k < race->count && !race->no_energies; k++) {
    struct hb_racer *r = &race->racer[k];
    if (r->energies == 0 || r->diagnose_s <= share * r->step_s) HB_TRY(diagnose(r));
  }
  return HB_OK;
}

/* The time that each has had, as a mean. */
static double mean_seconds(const struct hb_race *race)
{
  double sum = 0;
  for (int k = 0; k < race->count; k++) sum += race->racer[k].step_s;
  return sum / fmax(1, race->count);
}

/* ---- stars ------------------------------------------------------------------------------------------- */

static int columns_of(const struct hb_race *race) { return race->count < HB_RACERS ? race->count : 2; }

static int track_size(int scale, double height) { return height >= 600 * scale ? 2 : 1; }

double hb_race_foot(int scale, double height)
{
  return ((1 + HB_MACHINES * track_size(scale, height)) * (HB_FONT_HEIGHT + 2) + 24) * scale;
}

void hb_race_size(const struct hb_race *race, int scale, int width, int height, int size[2])
{
  int columns = columns_of(race), rows = (race->count + columns - 1) / columns;
  size[0] = (int)fmax(1, width / columns);
  size[1] = (int)fmax(1, (height - hb_race_foot(scale, height)) / rows);
}

/* Now and then, by the first one's, so that a color means the same speed in all. */
static enum hb_status fit_colors(struct hb_race *race)
{
  enum { PICTURES = 32 };
  struct hb_particles *state;
  if (race->pictures++ % PICTURES || (race->no_energies && race->pictures > 1)) return HB_OK;
  HB_TRY(hb_sim_state(race->racer[0].sim, hb_sim_time(race->racer[0].sim), &state));
  enum hb_status status = hb_coloring_fit(hb_particles_n(state), hb_particles_v(state), NULL, race->range);
  hb_particles_destroy(state);
  return status;
}

enum hb_status hb_race_draw(struct hb_race *race, struct hb_scene *scene, const struct hb_camera *camera,
                            const struct hb_scene_style *style, int scale, int coarse,
                            const struct hb_gl_target *target)
{
  struct hb_scene_style own = *style;
  int size[2], columns = columns_of(race);
  hb_race_size(race, scale, target->width, target->height, size);
  HB_TRY(fit_colors(race));
  memcpy(own.range, race->range, sizeof own.range);
  own.color = HB_SCENE_COLOR_SPEED;
  HB_TRY(hb_scene_resize(scene, (size[0] + coarse - 1) / coarse, (size[1] + coarse - 1) / coarse, 1));
  for (int k = 0; k < race->count; k++) {
    struct hb_racer *r = &race->racer[k];
    HB_TRY(hb_view_particles_follow(&r->stars, r->sim, hb_sim_time(r->sim)));
    if (r->stars.lent) r->stars.lit = race->lit;
    HB_TRY(hb_scene_begin(scene, camera));
    HB_TRY(hb_scene_stars(scene, &r->stars, &own));
    HB_TRY(hb_scene_enlarge(scene, &own, target, k % columns * size[0],
                            target->height - (k / columns + 1) * size[1], size[0], size[1]));
  }
  return HB_OK;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static void add_numbers(const struct hb_racer *r, struct hb_hud_numbers *n)
{
  hb_hud_row(n, "t", "%.5f", hb_sim_time(r->sim));
  hb_hud_row(n, "dE/E", r->energies > 1 ? "%+.1e" : "-", r->e_error);
  n->large = n->row_count;
  if (r->energies > 1) hb_hud_row(n, "at", "t = %.5f", r->e_t);
  hb_hud_row(n, "steps", "%" PRIu64, r->counts.block_steps);
  hb_hud_pairs(n, (double)r->counts.pairs / r->step_s);
}

static void paint_racer(const struct hb_racer *r, const struct hb_hud_axes *axes, struct hb_paint *paint,
                        const double pane[4])
{
  enum { NAMES = 6, COLUMNS = 16, CURVE = 24, CURVE_LINES = 7 };
  const struct hb_force *force = hb_sim_force(r->sim);
  double margin = 12 * hb_paint_scale(paint), line = hb_paint_line_height(paint),
         column = hb_paint_column(paint);
  double x = pane[0] + margin, y = pane[1] + margin;
  int most = (int)((pane[2] - 2 * margin) / column);
  char title[32];
  struct hb_hud_numbers numbers = {.title = title, .name_columns = NAMES};
  snprintf(title, sizeof title, "%s, %s", hb_force_scheme(force)->name, hb_force_precision(force));
  int columns = (int)fmin(most, hb_hud_large(paint) * fmax(COLUMNS, (double)strlen(title)));
  if (columns < 8) return;
  add_numbers(r, &numbers);
  double height = hb_hud_numbers_paint(paint, &numbers, x, y, columns);
  int beside = most >= columns + 3 + CURVE;
  if (most < CURVE || (!beside && pane[3] < height + CURVE_LINES * line + 4 * margin)) return;
  const double panel[4] = {beside ? pane[0] + pane[2] - margin - CURVE * column : x,
                           beside ? y : pane[1] + pane[3] - CURVE_LINES * line - margin, CURVE, CURVE_LINES};
  hb_hud_history_paint(paint, &r->errors, axes, INFINITY, panel);
}

/* A name, how far it has come of the farthest, and the time. */
static void paint_track(struct hb_paint *paint, double x, double y, double width, uint32_t color,
                        const char *name, double share, double t)
{
  enum { NAME = 16, TEXT = 10 };
  double column = hb_paint_column(paint), scale = hb_paint_scale(paint),
         length = width - (NAME + TEXT) * column;
  char text[32];
  snprintf(text, sizeof text, "%.*s", (int)fmin(NAME, fmax(0, width / column - TEXT)), name);
  hb_paint_text(paint, x, y, color, text);
  snprintf(text, sizeof text, "%.4g", t);
  if (length > column)
    hb_paint_box(paint, x + NAME * column, y + 4 * scale, fmax(scale, share * length),
                 hb_paint_line_height(paint) - 9 * scale, color);
  hb_paint_text(paint, x + width - (double)strlen(text) * column, y, color, text);
}

static void say_turns(const struct hb_race *race, int are_printed, struct hb_paint *paint, double x, double y)
{
  char text[128];
  snprintf(text, sizeof text, "each has had %.4g s, in turns; 2007 in as many, of a Plummer sphere: %s",
           mean_seconds(race), are_printed ? "printed" : "by its model");
  hb_paint_text(paint, x, y, HB_HUD_NOTE, text);
}

static void paint_tracks(const struct hb_race *race, struct hb_paint *paint)
{
  int scale = hb_paint_scale(paint), are_printed = 1, is_printed;
  double margin = 12 * scale, foot = hb_race_foot(scale, hb_paint_height(paint)),
         top = hb_paint_height(paint) - foot, y = top + margin;
  double width = (hb_paint_width(paint) - 3 * margin) / 2, seconds = mean_seconds(race), ghost[HB_MACHINES];
  double most = 1e-12;
  char name[32];
  for (int k = 0; k < HB_MACHINES; k++) {
    ghost[k] = seconds / hb_paper_seconds(k, race->n, &is_printed);
    are_printed &= is_printed;
    most = fmax(most, ghost[k]);
  }
  for (int k = 0; k < race->count; k++) most = fmax(most, hb_sim_time(race->racer[k].sim) - race->t);
  hb_paint_box(paint, 0, top, hb_paint_width(paint), foot, 0x05060aff);
  say_turns(race, are_printed, paint, margin, y);
  y += hb_paint_line_height(paint);
  hb_paint_set_scale(paint, scale * track_size(scale, hb_paint_height(paint)));
  for (int k = 0; k < HB_MACHINES; k++, y += hb_paint_line_height(paint)) {
    if (k < race->count) {
      const struct hb_sim *sim = race->racer[k].sim;
      double t = hb_sim_time(sim);
      paint_track(paint, margin, y, width, HB_HUD_CURVE, hb_force_scheme(hb_sim_force(sim))->name,
                  (t - race->t) / most, t);
    }
    snprintf(name, sizeof name, "%.20s, 2007", hb_machines[k].name);
    paint_track(paint, 2 * margin + width, y, width, HB_HUD_NAME, name, ghost[k] / most, race->t + ghost[k]);
  }
  hb_paint_set_scale(paint, scale);
}

void hb_race_paint(const struct hb_race *race, struct hb_paint *paint)
{
  struct hb_hud_axes axes = {0};
  int size[2], columns = columns_of(race), scale = hb_paint_scale(paint);
  hb_race_size(race, scale, hb_paint_width(paint), hb_paint_height(paint), size);
  for (int k = 0; k < race->count; k++) hb_hud_axes_fit(&axes, &race->racer[k].errors);
  for (int k = 0; k < race->count; k++) {
    const struct hb_hud_history *errors = &race->racer[k].errors;
    axes.t[0] = race->t; /* errors are compared, and each has a time of its own */
    axes.t[1] = errors->count ? errors->t[errors->count - 1] : race->t;
    const double pane[4] = {k % columns * size[0], k / columns * size[1], size[0], size[1]};
    paint_racer(&race->racer[k], &axes, paint, pane);
    if (k % columns) hb_paint_box(paint, pane[0], pane[1], scale, pane[3], HB_HUD_NAME);
    if (k >= columns) hb_paint_box(paint, pane[0], pane[1], pane[2], scale, HB_HUD_NAME);
  }
  paint_tracks(race, paint);
}
