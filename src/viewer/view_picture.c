/* Draws pictures of what is shown, and what is painted over them, shows them, and saves them as screenshots and movies. */
#include "viewer/view_picture.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "gl/gl_pass.h"
#include "render/tone_map.h"
#include "viewer/view_hud.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the window -------------------------------------------------------------------------------------- */

static enum hb_status fit_scene(struct hb_view *view, int coarse)
{
  static const double share_of_stars = 0.4; /* beside the inspector */
  struct hb_view_window *w = &view->window;
  w->scene_width = (int)((view->inspect.inspector ? share_of_stars : 1) * w->width);
  if (w->scene_width < 1) w->scene_width = 1;
  w->coarse = coarse;
  return hb_scene_resize(w->scene, (w->scene_width + coarse - 1) / coarse, (w->height + coarse - 1) / coarse,
                         1);
}

/* A minimized window may have no pixels. */
enum hb_status hb_view_picture_resized(struct hb_view *view)
{
  struct hb_view_window *w = &view->window;
  int width, height;
  hb_gl_window_size(w->gl, &width, &height);
  double scale = view->asked->scale > 0 ? view->asked->scale : hb_gl_window_scale(w->gl);
  w->text_scale = scale < 1.5 ? 1 : (int)(scale + 0.5);
  if (width < 1 || height < 1 || (width == w->width && height == w->height)) return HB_OK;
  HB_TRY(hb_gl_context_use(w->context));
  hb_gl_texture_destroy(&w->hidden);
  w->width = width;
  w->height = height;
  return fit_scene(view, w->coarse);
}

enum hb_status hb_view_picture_open(struct hb_view *view)
{
  struct hb_view_window *w = &view->window;
  const struct hb_gl_window_params gl = {.title = "Holmberg",
                                         .width = view->asked->width,
                                         .height = view->asked->height,
                                         .debug =
                                             (view->asked->run.sim.force.flags & HB_FORCE_GL_DEBUG) != 0};
  *w = (struct hb_view_window){.coarse = 1, .error = ""};
  HB_TRY(hb_gl_window_open(&gl, &w->gl));
  w->context = hb_gl_window_context(w->gl);
  HB_TRY(hb_scene_open(w->context, hb_scene_quick_format(w->context), &w->scene));
  HB_TRY(hb_paint_open(w->context, &w->paint));
  hb_gl_window_poll(w->gl, 0);
  HB_TRY(hb_view_picture_resized(view));
  return hb_view_particles_open(w->context, &view->stars.at);
}

void hb_view_picture_close(struct hb_view *view)
{
  struct hb_view_window *w = &view->window;
  if (view->stars.trails.context) hb_trails_close(&view->stars.trails);
  if (view->stars.at.context) hb_view_particles_close(&view->stars.at);
  hb_mem_free(view->stars.values);
  if (w->context && hb_gl_context_use(w->context) == HB_OK) hb_gl_texture_destroy(&w->hidden);
  hb_paint_close(w->paint);
  hb_scene_close(w->scene);
  hb_gl_window_close(w->gl);
}

void hb_view_picture_reload(struct hb_view *view) { hb_gl_reload(view->window.context, &view->window.error); }

/* ---- detail ------------------------------------------------------------------------------------------ */

/* Thirty pictures a second, half of whose time belongs to the steps. */
static const double draw_most_s = 0.5 / 30, draw_spare_s = 0.2 / 30;
static const double again_s = 10; /* until details that took too long are tried once more */

enum { COARSEST = 3, PICTURES = 8 };

static enum hb_status set_detail(struct hb_view *view, int coarse)
{
  view->detail.tried = 0;
  view->detail.best_s = INFINITY;
  return fit_scene(view, coarse);
}

enum hb_status hb_view_picture_refine(struct hb_view *view) { return set_detail(view, 1); }

/* The best of a few pictures is not disturbed by other programs. */
enum hb_status hb_view_picture_adapt(struct hb_view *view)
{
  struct hb_view_detail *d = &view->detail;
  double now = hb_clock_now();
  int coarse = view->window.coarse;
  d->best_s = d->tried++ ? fmin(d->best_s, d->draw_s) : d->draw_s;
  int enough = d->best_s > 4 * draw_most_s ? 2 : PICTURES;
  if (view->film || d->tried < enough) return HB_OK;
  if (d->best_s > draw_most_s && coarse < COARSEST) {
    d->again_at = now + again_s;
    return set_detail(view, coarse + 1);
  }
  if (d->best_s < draw_spare_s && coarse > 1 && now > d->again_at) return set_detail(view, coarse - 1);
  d->tried = 0;
  return HB_OK;
}

/* ---- colors ------------------------------------------------------------------------------------------ */

static enum hb_status reserve_values(struct hb_view_stars *stars, size_t n)
{
  if (n <= stars->capacity) return HB_OK;
  hb_mem_free(stars->values);
  stars->values = NULL;
  stars->capacity = 0;
  HB_TRY(HB_ALLOC(n, &stars->values));
  stars->capacity = n;
  return HB_OK;
}

/* Speeds, only for their range: the colors are computed on the device. */
static enum hb_status find_speeds(const struct hb_view *view, double *values)
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
  enum { PICTURES_OLD = 32 };
  if (!view->stars.ranged) return 1;
  if (view->stars.range_is_old++ < PICTURES_OLD) return 0;
  return view->looks.color != HB_COLORING_SPEED || !view->source.sim ||
         hb_view_source_has_energy(&view->source);
}

static int is_elsewhere(const struct hb_view *view)
{
  return view->stars.generation != view->source.generation || view->stars.t != view->source.at;
}

/* The values to color by. */
static enum hb_status find_values(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  enum hb_coloring color = view->looks.color;
  HB_TRY(reserve_values(&view->stars, s->n));
  if (color == HB_COLORING_SPEED) return find_speeds(view, view->stars.values);
  if (color != HB_COLORING_GROUP) return hb_coloring_of_sim(color, s->sim, s->n, view->stars.values);
  hb_coloring_groups(s->lit, view->asked->groups, view->stars.values);
  return HB_OK;
}

/* Sends the values, and moves the range halfway to theirs. */
static enum hb_status send_values(struct hb_view *view, int range_due)
{
  struct hb_view_stars *stars = &view->stars;
  double range[2];
  if (view->looks.color != HB_COLORING_SPEED)
    HB_TRY(hb_view_particles_values(&stars->at, view->source.n, stars->values));
  if (!range_due) return HB_OK;
  hb_coloring_range(view->source.lit, stars->values, range);
  for (int k = 0; k < 2; k++) stars->range[k] = stars->ranged ? (stars->range[k] + range[k]) / 2 : range[k];
  stars->ranged = 1;
  stars->range_is_old = 0;
  return HB_OK;
}

/* ---- stars ------------------------------------------------------------------------------------------- */

/* A trail is as long as what was on the screen in the last seconds, of few bodies in more of them, whose paths can be told
 * apart. */
static double trail_s(size_t n) { return n <= HB_VIEW_FEW ? 6 : 1; }

static enum hb_status add_to_trails(struct hb_view *view)
{
  enum { ENTRIES = 48 };
  size_t n = view->source.n;
  struct hb_trails *trails = &view->stars.trails;
  if (trails->n != n) {
    hb_trails_close(trails);
    *trails = (struct hb_trails){0};
    HB_TRY(hb_trails_open(view->window.context, n, ENTRIES, trails));
  }
  hb_trails_thin(trails, trail_s(n) * view->clock.speed / ENTRIES);
  return hb_trails_add(trails, &view->stars.at);
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
  struct hb_view_stars *stars = &view->stars;
  int moved = is_elsewhere(view), others = stars->generation != s->generation;
  if (!moved && !stars->at.lent) return HB_OK;
  if (others) hb_trails_clear(&stars->trails);
  if (others || !s->sim) set_title(view);
  HB_TRY(s->sim ? hb_view_particles_follow(&stars->at, s->sim, s->at)
                : hb_view_particles_load(&stars->at, s->particles, NULL));
  if (stars->at.lent) stars->at.lit = s->lit;
  stars->generation = s->generation;
  stars->t = s->at;
  return moved && view->looks.trails ? add_to_trails(view) : HB_OK;
}

/* Values are found before stars are placed: computing energies changes the textures of the simulation's forces. */
static enum hb_status place_and_color(struct hb_view *view)
{
  if (view->stars.generation != view->source.generation || view->stars.color != view->looks.color)
    view->stars.ranged = 0;
  view->stars.color = view->looks.color;
  int range_due = range_is_due(view), by_value = view->looks.color != HB_COLORING_SPEED;
  int fresh = range_due || (by_value && is_elsewhere(view));
  if (fresh) HB_TRY(find_values(view));
  HB_TRY(place_stars(view));
  if (!fresh && by_value && !view->stars.at.has_values) { /* sent again, after a diagnosis */
    HB_TRY(find_values(view));
    fresh = 1;
  }
  return fresh ? send_values(view, range_due) : HB_OK;
}

static enum hb_status draw_stars(struct hb_view *view, const struct hb_gl_target *target)
{
  static const double least_star =
      600; /* point size of a sigma of 0.6 pixels, below which a star would be dim, times height */
  struct hb_view_window *w = &view->window;
  struct hb_view_stars *stars = &view->stars;
  struct hb_scene_style style = view->looks.style;
  style.color = hb_coloring_scene(view->looks.color);
  style.glow = view->looks.plain ? -1 : 0;
  memcpy(style.range, stars->range, sizeof style.range);
  style.point_size = fmax(style.point_size, least_star * w->coarse / w->height);
  HB_TRY(hb_scene_begin(w->scene, &view->steer.camera));
  if (view->looks.trails && stars->trails.count > 1)
    HB_TRY(hb_scene_trails(w->scene, &stars->trails, &stars->at, INFINITY, &style));
  HB_TRY(hb_scene_stars(w->scene, &stars->at, &style));
  return hb_scene_enlarge(w->scene, &style, target, 0, 0, w->scene_width, w->height);
}

/* ---- the inspector: the textures behind the forces, and the same particle marked in both --------------- */

enum hb_status hb_view_picture_inspect(struct hb_view *view)
{
  struct hb_view_inspect *i = &view->inspect;
  int opens = !i->inspector;
  i->texel = (struct hb_inspector_texel){.particle = -1};
  if (opens && !view->source.sim)
    return hb_fail(HB_ERR_USAGE, "there are no textures to inspect: snapshots have no forces");
  hb_inspector_close(i->inspector);
  i->inspector = NULL;
  HB_TRY(hb_view_source_want_textures(&view->source, opens));
  if (opens) HB_TRY(hb_inspector_open(&i->inspector));
  return fit_scene(view, view->window.coarse);
}

void hb_view_picture_point(struct hb_view *view, double x, double y)
{
  struct hb_view_inspect *i = &view->inspect;
  struct hb_inspector_texel texel;
  if (!i->inspector || !hb_inspector_hit(i->inspector, (int)x, (int)y, &texel)) return;
  i->texel = texel;
  hb_inspector_mark(i->inspector, texel.particle);
}

/* Repeats the walk if another pass was requested and no step is going to show it; before stars are placed. */
static enum hb_status walk_again(struct hb_view *view)
{
  struct hb_inspector *i = view->inspect.inspector;
  if (!i || !hb_inspector_waits(i) || !hb_view_source_has_textures(&view->source)) return HB_OK;
  return hb_view_source_diagnose(&view->source);
}

/* A frame around the particle that the texel under the mouse belongs to. */
static enum hb_status mark_star(struct hb_view *view)
{
  struct hb_view_window *w = &view->window;
  struct hb_particles *state;
  int64_t particle = view->inspect.texel.particle;
  double at[2], depth, reach = 8 * w->text_scale, width = 1.5 * w->text_scale;
  char name[32];
  if (particle < 0 || (uint64_t)particle >= view->source.n) return HB_OK;
  HB_TRY(hb_view_source_state(&view->source, &state));
  int seen = hb_camera_project(&view->steer.camera, hb_particles_x(state) + 3 * particle, at, &depth);
  hb_particles_destroy(state);
  double x = (w->scene_width + at[0] * w->height) / 2, y = (1 - at[1]) * w->height / 2;
  if (!seen || x > w->scene_width) return HB_OK;
  for (int k = -1; k <= 1; k += 2) {
    hb_paint_line(w->paint, x - reach, y + k * reach, x + reach, y + k * reach, width, 0xffd27aff);
    hb_paint_line(w->paint, x + k * reach, y - reach, x + k * reach, y + reach, width, 0xffd27aff);
  }
  snprintf(name, sizeof name, "%lld", (long long)particle);
  hb_paint_text(w->paint, x + 1.5 * reach, y - reach, 0xffd27aff, name);
  return HB_OK;
}

static enum hb_status draw_inspector(struct hb_view *view, const struct hb_gl_target *target)
{
  struct hb_view_window *w = &view->window;
  if (!view->inspect.inspector) return HB_OK;
  HB_TRY(hb_inspector_draw(view->inspect.inspector, w->context, w->paint, target, w->scene_width, 0,
                           w->width - w->scene_width, w->height));
  return mark_star(view);
}

/* ---- the picture -------------------------------------------------------------------------------------- */

/* Draws into a target of the window's size. */
static enum hb_status draw_picture(struct hb_view *view, const struct hb_gl_target *target)
{
  struct hb_view_window *w = &view->window;
  HB_TRY(walk_again(view));
  HB_TRY(place_and_color(view));
  HB_TRY(draw_stars(view, target));
  hb_paint_begin(w->paint, w->width, w->height, w->text_scale);
  HB_TRY(draw_inspector(view, target));
  hb_view_hud_paint(view);
  return hb_paint_end(w->paint, target);
}

/* ---- screenshots and movies -------------------------------------------------------------------------- */

/* The first of holmberg_0001.png, ... that does not exist, so that nothing is overwritten. */
static enum hb_status find_free_name(const char *extension, char path[4096])
{
  for (int k = 1; k < 10000; k++) {
    snprintf(path, 4096, "holmberg_%04d.%s", k, extension);
    if (access(path, F_OK) != 0) return HB_OK;
  }
  return hb_fail(HB_ERR_IO, "holmberg_0001.%s to holmberg_9999.%s all exist", extension, extension);
}

static void describe(const struct hb_view *view, struct hb_view_film *f)
{
  const struct hb_view_source *s = &view->source;
  int used = snprintf(f->comment, sizeof f->comment, "%s: N = %llu, t = %.10g", s->title,
                      (unsigned long long)s->n, s->t);
  if (s->sim)
    snprintf(f->comment + used, sizeof f->comment - (size_t)used, ", eps = %g, %s, %s, %s", s->knobs.eps,
             s->run->sim.integrator, hb_force_scheme(hb_sim_force(s->sim))->name,
             hb_force_precision(hb_sim_force(s->sim)));
  f->text[0] = (struct hb_png_text){"Software", "Holmberg " HB_VERSION};
  f->text[1] = (struct hb_png_text){"Comment", f->comment};
}

/* A screenshot, or a movie, whose size is even: the last column or row is left out. path NULL: a free name. */
static enum hb_status open_film(struct hb_view *view, const char *path, int single, struct hb_view_film *f)
{
  HB_TRY(hb_view_picture_refine(view));
  if (path) snprintf(f->path, sizeof f->path, "%s", path);
  if (!path) HB_TRY(find_free_name(single ? "png" : "mp4", f->path));
  f->width = view->window.width;
  f->height = view->window.height;
  describe(view, f);
  const struct hb_film_params params = {.path = f->path,
                                        .width = single ? f->width : f->width & ~1,
                                        .height = single ? f->height : f->height & ~1,
                                        .frames_per_s = view->asked->fps,
                                        .single = single,
                                        .text = f->text,
                                        .text_count = 2};
  return hb_film_open(&params, &f->film);
}

static enum hb_status add_frame(struct hb_view *view, struct hb_view_film *f)
{
  struct hb_view_window *w = &view->window;
  const struct hb_film_params *film = &f->film.params;
  const struct hb_gl_texture_params params = {
      .what = "a picture", .format = HB_GL_RGBA8, .width = w->width, .height = w->height, .drawn = 1};
  HB_TRY(hb_gl_context_use(w->context));
  if (!w->hidden.id) HB_TRY(hb_gl_texture_create(w->context, &params, &w->hidden));
  HB_TRY(draw_picture(view, &w->hidden.target));
  HB_TRY(hb_tone_map_read(w->context, &w->hidden.target, film->width, film->height, f->film.rgb));
  return hb_film_add(&f->film, NULL, 0);
}

enum hb_status hb_view_picture_save(struct hb_view *view, const char *path)
{
  struct hb_view_film f = {0};
  HB_TRY(open_film(view, path, 1, &f));
  HB_TRY(hb_film_close(&f.film, add_frame(view, &f)));
  hb_hud_say(&view->note, "wrote %s: %d x %d", f.path, f.width, f.height);
  return HB_OK;
}

enum hb_status hb_view_picture_record(struct hb_view *view, const char *path)
{
  struct hb_view_film *f;
  HB_TRY(HB_ALLOC(1, &f));
  enum hb_status status = open_film(view, path, 0, f);
  if (status != HB_OK) {
    hb_mem_free(f);
    return status;
  }
  view->film = f;
  return HB_OK;
}

enum hb_status hb_view_picture_recorded(struct hb_view *view, enum hb_status status)
{
  struct hb_view_film *f = view->film;
  view->film = NULL;
  status = hb_film_close(&f->film, status);
  if (status == HB_OK && f->film.lacks_ffmpeg)
    hb_hud_say(&view->note, "ffmpeg is not installed: wrote %lu picture%s, %.*s_0001.png, ...",
               f->film.frames, hb_text_s(f->film.frames), (int)strcspn(f->path, "."), f->path);
  else if (status == HB_OK)
    hb_hud_say(&view->note, "wrote %s: %lu picture%s", f->path, f->film.frames, hb_text_s(f->film.frames));
  hb_mem_free(f);
  return status;
}

/* A change of size ends the movie. */
static enum hb_status film_picture(struct hb_view *view)
{
  struct hb_view_film *f = view->film;
  if (!f) return HB_OK;
  int same_size = f->width == view->window.width && f->height == view->window.height;
  enum hb_status status = same_size ? add_frame(view, f) : HB_OK;
  return same_size && status == HB_OK ? HB_OK : hb_view_picture_recorded(view, status);
}

/* ---- showing ----------------------------------------------------------------------------------------- */

enum hb_status hb_view_picture_show(struct hb_view *view)
{
  struct hb_view_window *w = &view->window;
  const struct hb_gl_target screen = {.width = w->width, .height = w->height};
  double start = hb_clock_now();
  HB_TRY(draw_picture(view, &screen));
  hb_gl_window_swap(w->gl);
  HB_TRY(hb_gl_context_check(w->context, "drawing"));
  view->detail.draw_s = hb_clock_now() - start;
  view->detail.pictures++;
  return film_picture(view);
}
