#include "base/clock.h"
#include "base/arith.h"
#include "base/mem.h"
#include "base/text.h"
#include "movie/render.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "movie/film.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIL_ENTRIES_MOST = 256 };

/* Open while frames are drawn. */
struct work {
  const struct hb_render *render;
  struct hb_gl_context *context;
  struct hb_scene *scene;
  struct hb_view_particles particles;
  struct hb_trails trails;
  struct hb_render_series series;
  struct hb_scene_style style;
  struct hb_camera camera; /* of the first frame */
  double time;             /* of the previous frame */
  double started;          /* clock */
  uint8_t *rgb;
};

/* ---- from the first frame ---------------------------------------------------------------------------- */

static enum hb_status find_range(struct work *w, const struct hb_render_moment *moment)
{
  size_t n = hb_particles_n(moment->particles);
  double *value;
  w->style.range[0] = w->render->style.range[0];
  w->style.range[1] = w->render->style.range[1];
  if (w->render->has_range || hb_coloring_scene(w->render->color) == HB_SCENE_COLOR_GROUP) return HB_OK;
  HB_TRY(HB_ALLOC(n, &value));
  if (moment->value)
    memcpy(value, moment->value, n * sizeof *value);
  else
    hb_coloring_speeds(n, hb_particles_v(moment->particles), value);
  hb_coloring_range(hb_view_particles_lit(moment->particles), value, w->style.range);
  hb_mem_free(value);
  return HB_OK;
}

static enum hb_status find_camera(struct work *w, const struct hb_render_moment *moment)
{
  const struct hb_render *r = w->render;
  hb_camera_reset(&w->camera);
  w->camera.field_of_view = r->field_of_view;
  HB_TRY(hb_camera_enclose(&w->camera, hb_view_particles_lit(moment->particles),
                           hb_particles_x(moment->particles), (double)r->width / r->height));
  if (r->has_center) memcpy(w->camera.center, r->center, sizeof r->center);
  hb_camera_look(&w->camera, r->azimuth, r->elevation, r->roll);
  hb_camera_zoom(&w->camera, r->zoom);
  return HB_OK;
}

/* ---- frames ------------------------------------------------------------------------------------------ */

static struct hb_camera camera_at(const struct work *w, size_t frame)
{
  const struct hb_render *r = w->render;
  struct hb_camera camera = w->camera;
  double frames = (double)r->frames;
  if (r->keyframes.count)
    hb_keyframes_camera(&r->keyframes, r->frames > 1 ? (double)frame / (frames - 1) : 0, &camera);
  else if (r->orbits)
    hb_camera_look(&camera, r->azimuth + 360 * HB_DEGREE * r->turns * (double)frame / frames, r->elevation,
                   r->roll);
  return camera;
}

static enum hb_status send(struct work *w, const struct hb_render_moment *moment)
{
  HB_TRY(hb_view_particles_load(&w->particles, moment->particles, w->camera.center));
  size_t n = hb_particles_n(moment->particles);
  return moment->value ? hb_view_particles_values(&w->particles, n, moment->value) : HB_OK;
}

/* The past of a single snapshot's particles, as if no force acted on them. */
static enum hb_status add_straight_past(struct work *w, struct hb_particles *p)
{
  struct hb_particles *past;
  double length = w->render->trails;
  HB_TRY(hb_particles_copy(p, &past));
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++) hb_particles_x(past)[k] -= length * hb_particles_v(p)[k];
  hb_particles_set_time(past, hb_particles_time(p) - length);
  enum hb_status status = hb_view_particles_load(&w->particles, past, w->camera.center);
  if (status == HB_OK) status = hb_trails_add(&w->trails, &w->particles);
  hb_particles_destroy(past);
  return status;
}

static int is_last_of_many(const struct hb_render *r) { return r->frames == 1 && r->file_count > 1; }

/* Entries of the ring buffer, for the length of a trail. */
static enum hb_status find_trail_capacity(const struct hb_render *r, double t, double *capacity)
{
  *capacity = 2;
  if (is_last_of_many(r)) *capacity = (double)r->file_count;
  if (r->file_count == 1 || r->frames == 1) return HB_OK;
  struct hb_particles *last;
  HB_TRY(hb_snapshot_read(r->files[r->file_count - 1], NULL, &last));
  double apart = (hb_particles_time(last) - t) / (double)(r->frames - 1);
  hb_particles_destroy(last);
  if (apart > 0) *capacity = ceil(r->trails / apart) + 2;
  return HB_OK;
}

static enum hb_status open_trails(struct work *w, struct hb_particles *p)
{
  double capacity;
  if (!(w->render->trails > 0) || w->trails.n) return HB_OK;
  HB_TRY(find_trail_capacity(w->render, hb_particles_time(p), &capacity));
  return hb_trails_open(w->context, hb_particles_n(p), (int)fmin(capacity, TRAIL_ENTRIES_MOST), &w->trails);
}

/* Adds the positions in all snapshots before the one that is drawn. */
static enum hb_status add_past(struct work *w)
{
  const struct hb_render_moment *moment;
  for (size_t file = 0; file + 1 < w->render->file_count; file++) {
    HB_TRY(hb_render_series_at(&w->series, (double)file, &moment));
    HB_TRY(open_trails(w, moment->particles));
    HB_TRY(hb_view_particles_load(&w->particles, moment->particles, NULL));
    HB_TRY(hb_trails_add(&w->trails, &w->particles));
  }
  return HB_OK;
}

static enum hb_status draw(struct work *w, const struct hb_render_moment *moment, size_t frame)
{
  const struct hb_render *r = w->render;
  struct hb_camera camera = camera_at(w, frame);
  double t = hb_particles_time(moment->particles);
  if (r->trails > 0 && r->file_count == 1 && frame == 0) HB_TRY(add_straight_past(w, moment->particles));
  HB_TRY(send(w, moment));
  if (r->trails > 0 && (frame == 0 || t > w->time)) HB_TRY(hb_trails_add(&w->trails, &w->particles));
  w->time = t;
  HB_TRY(hb_scene_begin(w->scene, &camera));
  HB_TRY(hb_scene_stars(w->scene, &w->particles, &w->style));
  if (r->trails > 0) HB_TRY(hb_scene_trails(w->scene, &w->trails, &w->particles, r->trails, &w->style));
  return hb_scene_picture(w->scene, &w->style, w->rgb);
}

static enum hb_status frame(struct work *w, struct hb_film *film, size_t k)
{
  const struct hb_render *r = w->render;
  const struct hb_render_moment *moment;
  double place = (double)(r->file_count - 1) * (r->frames > 1 ? (double)k / (double)(r->frames - 1) : 1);
  if (is_last_of_many(r) && r->trails > 0) HB_TRY(add_past(w));
  HB_TRY(hb_render_series_at(&w->series, place, &moment));
  if (k == 0) {
    HB_TRY(find_camera(w, moment));
    HB_TRY(find_range(w, moment));
    HB_TRY(open_trails(w, moment->particles));
  }
  HB_TRY(draw(w, moment, k));
  char t[32];
  hb_text_shortest(hb_particles_time(moment->particles), t);
  const struct hb_png_text text[] = {{"t", t}, {"snapshot", r->files[(size_t)place]}};
  HB_TRY(hb_film_add(film, w->rgb, text, 2));
  if (hb_terminal_is_live())
    hb_terminal_progress((double)(k + 1) / (double)r->frames, hb_clock_now() - w->started);
  return HB_OK;
}

static void say(const struct hb_render *r, const struct hb_film *film)
{
  if (film->lacks_ffmpeg) {
    struct hb_text line = {0};
    if (hb_text_append(&line, "ffmpeg is not installed: instead of %s its frames were written", r->output) ==
        HB_OK)
      hb_terminal_note(line.text);
    hb_mem_free(line.text);
  }
  if (r->quiet) return;
  char first[4096], last[4096];
  hb_film_frame_name(r->output, 1, first);
  hb_film_frame_name(r->output, film->frames, last);
  if (film->is_movie)
    hb_terminal_say("wrote %s: %lu frame%s of %d x %d", r->output, film->frames, hb_text_s(film->frames),
                    r->width, r->height);
  else if (film->lacks_ffmpeg || r->frames > 1)
    hb_terminal_say("wrote %s ... %s: %d x %d", first, last, r->width, r->height);
  else
    hb_terminal_say("wrote %s: %d x %d", r->output, r->width, r->height);
}

/* A child that reads a snapshot gets the signals of a terminal, too: what fails after one was stopped by it. */
static enum hb_status frames(struct work *w, struct hb_film *film)
{
  const struct hb_render *r = w->render;
  for (size_t k = 0; k < r->frames; k++) {
    enum hb_status status = frame(w, film, k);
    const char *by = hb_signals_stop();
    if (by && (status != HB_OK || k + 1 < r->frames))
      return hb_fail(HB_ERR_STOPPED, "stopped by %s in frame %zu of %zu%s%s%s", by, k + 1, r->frames,
                     film->is_movie ? ": " : "", film->is_movie ? r->output : "",
                     film->is_movie ? " was not written" : "");
    HB_TRY(status);
  }
  return HB_OK;
}

static enum hb_status film(struct work *w)
{
  const struct hb_render *r = w->render;
  char version[64];
  snprintf(version, sizeof version, "Holmberg %s", hb_library_version());
  const struct hb_png_text text[] = {{"Software", version},
                                     {"command", r->command},
                                     {"device", w->context->caps.renderer},
                                     {"context", w->context->backend->name}};
  const struct hb_film_params params = {.path = r->output,
                                        .width = r->width,
                                        .height = r->height,
                                        .frames_per_s = r->frames_per_s,
                                        .single = r->frames == 1,
                                        .text = text,
                                        .text_count = 4};
  struct hb_film film;
  HB_TRY(hb_film_open(&params, &film));
  enum hb_status status = frames(w, &film);
  hb_terminal_clear_progress();
  status = hb_film_close(&film, status);
  if (status == HB_OK) say(r, &film);
  return status;
}

static enum hb_status open_all(struct work *w)
{
  const struct hb_render *r = w->render;
  const struct hb_gl_context_params gl = {.context = r->force.context, .device = r->force.device};
  HB_TRY(hb_gl_context_open(&gl, &w->context));
  HB_TRY(hb_scene_open(w->context, NULL, &w->scene));
  HB_TRY(hb_scene_resize(w->scene, r->width, r->height, r->samples));
  HB_TRY(hb_view_particles_open(w->context, &w->particles));
  return HB_ALLOC(3 * (size_t)r->width * (size_t)r->height, &w->rgb);
}

enum hb_status hb_render_frames(const struct hb_render *render)
{
  struct work w = {
      .render = render, .series = {.render = render}, .style = render->style, .started = hb_clock_now()};
  enum hb_status status = open_all(&w);
  if (status == HB_OK) status = film(&w);
  hb_render_series_close(&w.series);
  hb_trails_close(&w.trails);
  hb_view_particles_close(&w.particles);
  hb_scene_close(w.scene);
  hb_gl_context_close(w.context);
  hb_mem_free(w.rgb);
  return status;
}
