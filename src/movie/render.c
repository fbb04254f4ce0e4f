#include "movie/render.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "console/signals.h"
#include "console/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- films ---------------------------------------------------------------------------------------------- */

/* ---- kinds of movies --------------------------------------------------------------------------------- */

/* Options of ffmpeg. Video codecs neglect dim light in dark surroundings, hence the high quality. */
static const struct kind {
  const char *extension, *format, *options;
} kinds[] = {
    {".mp4", "mp4", "-c:v libx264 -preset medium -crf 16 -pix_fmt yuv420p -movflags +faststart"},
    {".mkv", "matroska", "-c:v libx264 -preset medium -crf 16 -pix_fmt yuv420p"},
    {".webm", "webm", "-c:v libvpx-vp9 -crf 24 -b:v 0 -pix_fmt yuv420p"},
    /* a palette of its own, without dots in place of missing colors: pictures are compared, and stay small */
    {".apng", "apng", "-vf split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none -plays 0"},
    {".gif", "gif", "-vf split[a][b];[a]palettegen[p];[b][p]paletteuse"},
};
enum { KINDS = sizeof kinds / sizeof *kinds, WORDS = 48 };

static const struct kind *kind_of(const char *path)
{
  for (int k = 0; k < KINDS; k++)
    if (strcasecmp(hb_text_extension(path), kinds[k].extension) == 0) return &kinds[k];
  return NULL;
}

enum hb_status hb_film_kind(const char *path, int *is_movie)
{
  *is_movie = kind_of(path) != NULL;
  if (*is_movie || strcasecmp(hb_text_extension(path), ".png") == 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE,
                 "cannot draw '%s': unknown extension (expected png, mp4, mkv, webm, apng or gif)", path);
}

/* The name of the k-th frame of a sequence, counted from 1: "run/orbit.mp4", 7 -> "run/orbit_0007.png". */
static void film_frame_name(const char *path, unsigned long k, char name[4096])
{
  int length = (int)(hb_text_extension(path) - path);
  snprintf(name, 4096, "%.*s_%04lu.png", length, path, k);
}

/* ---- ffmpeg ------------------------------------------------------------------------------------------ */

static enum hb_status comment_of(const struct hb_film_params *params, struct hb_text *comment)
{
  HB_TRY(hb_text_append(comment, "comment="));
  for (size_t k = 0; k < params->text_count; k++)
    HB_TRY(
        hb_text_append(comment, "%s%s: %s", k ? "; " : "", params->text[k].keyword, params->text[k].value));
  return HB_OK;
}

/* Starts it, to write into the temporary file; sets film->lacks_ffmpeg if it is not installed. "file:" keeps ffmpeg
 * from taking a name like 12:30.mp4 or -dash.mp4 for something else. */
static enum hb_status start_ffmpeg(struct hb_film *film, const struct kind *kind, const char *comment)
{
  const struct hb_film_params *p = &film->params;
  char line[512], name[sizeof film->file.temporary + 8];
  snprintf(line, sizeof line,
           "ffmpeg -nostdin -y -loglevel error -xerror -f rawvideo -pix_fmt rgb24 -s %dx%d -r %d -i - -an %s "
           "-f %s",
           p->width, p->height, p->frames_per_s, kind->options, kind->format);
  HB_TRY(hb_file_begin(p->path, &film->file));
  snprintf(name, sizeof name, "file:%s", film->file.temporary);
  const char *words[WORDS];
  int count = hb_text_words(line, " ", WORDS - 4, words);
  words[count++] = "-metadata";
  words[count++] = comment;
  words[count++] = name;
  words[count] = NULL;
  enum hb_status status = hb_process_start(words, HB_PROCESS_TO | HB_PROCESS_APART, &film->ffmpeg);
  film->lacks_ffmpeg = status == HB_ERR_USAGE;
  film->is_movie = status == HB_OK;
  if (status != HB_OK) hb_file_end(&film->file, status, NULL);
  char context[512];
  snprintf(context, sizeof context, "cannot draw %s", p->path);
  return status == HB_OK || film->lacks_ffmpeg ? HB_OK : hb_fail_in(status, context);
}

/* ---- interface ------------------------------------------------------------------------------------ */

enum hb_status hb_film_open(const struct hb_film_params *params, struct hb_film *film)
{
  int is_movie;
  *film = (struct hb_film){.params = *params, .ffmpeg = {.to = -1, .from = -1, .said = -1}};
  HB_TRY(hb_film_kind(params->path, &is_movie));
  if (is_movie && (params->width % 2 || params->height % 2))
    return hb_fail(HB_ERR_USAGE, "a movie of %d x %d pixels (expected even numbers)", params->width,
                   params->height);
  if (is_movie || !params->single) hb_signals_watch();
  HB_TRY(HB_ALLOC(3 * (size_t)params->width * (size_t)params->height, &film->rgb));
  struct hb_text comment = {0};
  enum hb_status status = is_movie ? comment_of(params, &comment) : HB_OK;
  if (is_movie && status == HB_OK) status = start_ffmpeg(film, kind_of(params->path), comment.text);
  hb_mem_free(comment.text);
  if (status != HB_OK) hb_mem_free(film->rgb);
  return status;
}

static enum hb_status add_png(const struct hb_film *film, const struct hb_png_text *text, size_t text_count)
{
  const struct hb_film_params *p = &film->params;
  struct hb_png png = {.width = p->width,
                       .height = p->height,
                       .channels = 3,
                       .pixels = film->rgb,
                       .text_count = p->text_count + text_count};
  char name[4096];
  HB_TRY(HB_ALLOC(png.text_count, &png.text));
  for (size_t k = 0; k < png.text_count; k++)
    png.text[k] = k < p->text_count ? p->text[k] : text[k - p->text_count];
  if (p->single && !film->lacks_ffmpeg)
    snprintf(name, sizeof name, "%s", p->path);
  else
    film_frame_name(p->path, film->frames, name);
  enum hb_status status = hb_png_write(name, &png);
  hb_mem_free(png.text);
  return status;
}

enum hb_status hb_film_add(struct hb_film *film, const struct hb_png_text *text, size_t text_count)
{
  film->frames++;
  if (!film->is_movie) return add_png(film, text, text_count);
  return hb_file_write(film->ffmpeg.to, "ffmpeg's input", film->rgb,
                       3 * (size_t)film->params.width * (size_t)film->params.height);
}

/* Reads the movie again, since ffmpeg does not always notice that a disk is full: "frame=6" comes last. */
static enum hb_status check_movie(const struct hb_film *film)
{
  char name[sizeof film->file.temporary + 8], line[256];
  snprintf(name, sizeof name, "file:%s", film->file.temporary);
  const char *const words[] = {"ffmpeg", "-nostdin", "-loglevel", "error", "-xerror", "-progress",
                               "-",      "-i",       name,        "-map",  "0:v",     "-c",
                               "copy",   "-f",       "null",      "-",     NULL};
  struct hb_process reader;
  unsigned long frames = 0;
  HB_TRY(hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_APART, &reader));
  FILE *said = fdopen(reader.from, "r");
  while (said && fgets(line, sizeof line, said)) sscanf(line, "frame=%lu", &frames);
  if (said) {
    fclose(said);
    reader.from = -1;
  }
  if (hb_process_end(&reader).code == 0 && frames == film->frames) return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot draw %s: only %lu of its %lu frames can be read again", film->params.path,
                 frames, film->frames);
}

enum hb_status hb_film_close(struct hb_film *film, enum hb_status status)
{
  hb_mem_free(film->rgb);
  if (film->ffmpeg.pid == 0) return status;
  int is_wanted = film->frames > 0 && status != HB_ERR_STOPPED;
  if (!is_wanted) hb_process_kill(&film->ffmpeg);
  int code = hb_process_end(&film->ffmpeg).code;
  if (is_wanted && code != 0)
    status = hb_fail(HB_ERR_IO, "cannot draw %s: ffmpeg failed, see above", film->params.path);
  if (status == HB_OK && !is_wanted)
    status = hb_fail(HB_ERR_USAGE, "%s has no picture and was not written", film->params.path);
  if (status == HB_OK) status = check_movie(film);
  return hb_file_end(&film->file, status, NULL);
}

/* ---- a series of snapshots --------------------------------------------------------------------------- */

/* Particles at a time between two snapshots, and what they are colored by. */
struct moment {
  struct hb_particles *particles;
  double *value; /* [n]; NULL when colored by speed */
};

/* The two snapshots around the last requested time. */
struct series {
  const struct hb_render *render;
  size_t at; /* moments[0] is file number `at`, moments[1] the next one if it was needed */
  struct moment moments[2], between;
};

static void clear_moment(struct moment *moment)
{
  hb_particles_destroy(moment->particles);
  hb_mem_free(moment->value);
  *moment = (struct moment){0};
}

static void close_series(struct series *series)
{
  for (int k = 0; k < 2; k++) clear_moment(&series->moments[k]);
  clear_moment(&series->between);
}

/* The value at the start of a simulation of these particles. */
static enum hb_status quantity_of(const struct hb_render *render, const struct hb_particles *particles,
                                  double *value)
{
  struct hb_sim_params params = {.force = render->force, .neighbors = HB_NEIGHBORS_NONE};
  struct hb_sim *sim;
  double noted;
  HB_TRY(hb_particles_eps(particles, &noted));
  if (!render->has_eps && !isnan(noted)) params.force.eps = noted;
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  HB_TRY(hb_sim_create(particles, &params, &sim));
  enum hb_status status = hb_coloring_of_sim(render->color, sim, hb_particles_n(particles), value);
  hb_sim_destroy(sim);
  return status;
}

static enum hb_status find_values(const struct hb_render *render, struct moment *moment)
{
  size_t n = hb_particles_n(moment->particles);
  if (render->color == HB_COLORING_SPEED) return HB_OK;
  HB_TRY(HB_ALLOC(n, &moment->value));
  if (render->color != HB_COLORING_GROUP) return quantity_of(render, moment->particles, moment->value);
  hb_coloring_groups(hb_view_particles_lit(moment->particles), render->groups, moment->value);
  return HB_OK;
}

static enum hb_status load_moment(const struct hb_render *render, size_t file, struct moment *moment)
{
  clear_moment(moment);
  HB_TRY(hb_snapshot_read(render->files[file], NULL, &moment->particles));
  return find_values(render, moment);
}

/* Whether file `later` holds the same particles as file `earlier`, at a later time. */
static enum hb_status check_pair(const struct hb_render *render, size_t earlier, struct hb_particles *a,
                                 size_t later, struct hb_particles *b)
{
  const char *before = render->files[earlier], *name = render->files[later];
  size_t n = hb_particles_n(a);
  if (hb_particles_n(b) != n)
    return hb_fail(HB_ERR_INPUT, "%s holds %zu particle%s, expected %zu as in %s", name, hb_particles_n(b),
                   hb_text_s(hb_particles_n(b)), n, before);
  if (!(hb_particles_time(b) > hb_particles_time(a)))
    return hb_fail(HB_ERR_INPUT, "%s is at t = %g, expected later than %g, the time of %s", name,
                   hb_particles_time(b), hb_particles_time(a), before);
  if (memcmp(hb_particles_id(a), hb_particles_id(b), n * sizeof(uint64_t)) != 0)
    return hb_fail(HB_ERR_INPUT, "%s has other particles than %s, or in another order", name, before);
  return HB_OK;
}

/* Makes file number `file`, not before s->at, the first of the two. */
static enum hb_status go_to(struct series *s, size_t file)
{
  struct moment next = {0};
  if (s->moments[0].particles && s->at == file) return HB_OK;
  enum hb_status status = HB_OK;
  if (s->moments[1].particles && s->at + 1 == file) {
    next = s->moments[1];
    s->moments[1] = (struct moment){0};
  } else {
    status = load_moment(s->render, file, &next);
  }
  if (status == HB_OK && s->moments[0].particles)
    status = check_pair(s->render, s->at, s->moments[0].particles, file, next.particles);
  clear_moment(&s->moments[0]);
  clear_moment(&s->moments[1]);
  s->moments[0] = next;
  s->at = file;
  return status;
}

static void blend_moments(const struct series *s, double u)
{
  struct hb_particles *a = s->moments[0].particles, *b = s->moments[1].particles, *p = s->between.particles;
  double t0 = hb_particles_time(a), dt = hb_particles_time(b) - t0, w = 1 - u;
  const double *x0 = hb_particles_x(a), *x1 = hb_particles_x(b);
  const double *v0 = hb_particles_v(a), *v1 = hb_particles_v(b);
  double *x = hb_particles_x(p), *v = hb_particles_v(p);
  hb_particles_set_time(p, t0 + u * dt);
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++) {
    x[k] = hb_cubic(x0[k], v0[k], x1[k], v1[k], dt, u);
    v[k] = w * v0[k] + u * v1[k];
  }
  for (size_t k = 0; s->between.value && k < hb_particles_n(p); k++)
    s->between.value[k] = hb_coloring_scene(s->render->color) == HB_SCENE_COLOR_GROUP
                              ? s->moments[0].value[k]
                              : w * s->moments[0].value[k] + u * s->moments[1].value[k];
}

static enum hb_status at_between(struct series *s, double u)
{
  if (!s->moments[1].particles) {
    HB_TRY(load_moment(s->render, s->at + 1, &s->moments[1]));
    HB_TRY(check_pair(s->render, s->at, s->moments[0].particles, s->at + 1, s->moments[1].particles));
  }
  clear_moment(&s->between);
  HB_TRY(hb_particles_copy(s->moments[0].particles, &s->between.particles));
  if (s->moments[0].value) HB_TRY(HB_ALLOC(hb_particles_n(s->between.particles), &s->between.value));
  blend_moments(s, u);
  return HB_OK;
}

/* The particles at `place`, from 0 to file_count - 1; between two snapshots on the cubic through both positions and
 * velocities. *moment belongs to the series. Errors: those of reading; HB_ERR_INPUT if the snapshots do not belong together. */
static enum hb_status find_moment(struct series *s, double place, const struct moment **moment)
{
  size_t file = (size_t)place, last = s->render->file_count - 1;
  double u = place - (double)file;
  if (file >= last) file = last, u = 0;
  HB_TRY(go_to(s, file));
  *moment = &s->moments[0];
  if (u < 1e-9) return HB_OK;
  HB_TRY(at_between(s, u));
  *moment = &s->between;
  return HB_OK;
}

/* ---- open while frames are drawn ---------------------------------------------------------------------- */

enum { TRAIL_ENTRIES_MOST = 256 };

struct work {
  const struct hb_render *render;
  struct hb_gl_context *context;
  struct hb_scene *scene;
  struct hb_view_particles particles;
  struct hb_trails trails;
  struct series series;
  struct hb_scene_style style;
  struct hb_camera camera; /* of the first frame */
  double time;             /* of the previous frame */
  double started;          /* clock */
};

/* ---- from the first frame ---------------------------------------------------------------------------- */

static enum hb_status find_range(struct work *w, const struct moment *moment)
{
  const struct hb_render *r = w->render;
  memcpy(w->style.range, r->style.range, sizeof w->style.range);
  if (r->has_range || hb_coloring_scene(r->color) == HB_SCENE_COLOR_GROUP) return HB_OK;
  return hb_coloring_fit(hb_view_particles_lit(moment->particles), hb_particles_v(moment->particles),
                         moment->value, w->style.range);
}

static enum hb_status find_camera(struct work *w, const struct moment *moment)
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

static enum hb_status send_stars(struct work *w, const struct moment *moment)
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
  const struct moment *moment;
  for (size_t file = 0; file + 1 < w->render->file_count; file++) {
    HB_TRY(find_moment(&w->series, (double)file, &moment));
    HB_TRY(open_trails(w, moment->particles));
    HB_TRY(hb_view_particles_load(&w->particles, moment->particles, NULL));
    HB_TRY(hb_trails_add(&w->trails, &w->particles));
  }
  return HB_OK;
}

static enum hb_status draw_frame(struct work *w, const struct moment *moment, size_t frame, uint8_t *rgb)
{
  const struct hb_render *r = w->render;
  struct hb_camera camera = camera_at(w, frame);
  double t = hb_particles_time(moment->particles);
  if (r->trails > 0 && r->file_count == 1 && frame == 0) HB_TRY(add_straight_past(w, moment->particles));
  HB_TRY(send_stars(w, moment));
  if (r->trails > 0 && (frame == 0 || t > w->time)) HB_TRY(hb_trails_add(&w->trails, &w->particles));
  w->time = t;
  HB_TRY(hb_scene_begin(w->scene, &camera));
  HB_TRY(hb_scene_stars(w->scene, &w->particles, &w->style));
  if (r->trails > 0) HB_TRY(hb_scene_trails(w->scene, &w->trails, &w->particles, r->trails, &w->style));
  return hb_scene_picture(w->scene, &w->style, rgb);
}

static enum hb_status add_frame(struct work *w, struct hb_film *film, size_t k)
{
  const struct hb_render *r = w->render;
  const struct moment *moment;
  double place = (double)(r->file_count - 1) * (r->frames > 1 ? (double)k / (double)(r->frames - 1) : 1);
  if (is_last_of_many(r) && r->trails > 0) HB_TRY(add_past(w));
  HB_TRY(find_moment(&w->series, place, &moment));
  if (k == 0) {
    HB_TRY(find_camera(w, moment));
    HB_TRY(find_range(w, moment));
    HB_TRY(open_trails(w, moment->particles));
  }
  HB_TRY(draw_frame(w, moment, k, film->rgb));
  char t[32];
  hb_text_shortest(hb_particles_time(moment->particles), t);
  const struct hb_png_text text[] = {{"t", t}, {"snapshot", r->files[(size_t)place]}};
  HB_TRY(hb_film_add(film, text, 2));
  if (hb_terminal_is_live())
    hb_terminal_progress((double)(k + 1) / (double)r->frames, hb_clock_now() - w->started);
  return HB_OK;
}

static void say_written(const struct hb_render *r, const struct hb_film *film)
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
  film_frame_name(r->output, 1, first);
  film_frame_name(r->output, film->frames, last);
  if (film->is_movie)
    hb_terminal_say("wrote %s: %lu frame%s of %d x %d", r->output, film->frames, hb_text_s(film->frames),
                    r->width, r->height);
  else if (film->lacks_ffmpeg || r->frames > 1)
    hb_terminal_say("wrote %s ... %s: %d x %d", first, last, r->width, r->height);
  else
    hb_terminal_say("wrote %s: %d x %d", r->output, r->width, r->height);
}

/* A child that reads a snapshot gets the signals of a terminal, too: what fails after one was stopped by it. */
static enum hb_status add_frames(struct work *w, struct hb_film *film)
{
  const struct hb_render *r = w->render;
  for (size_t k = 0; k < r->frames; k++) {
    enum hb_status status = add_frame(w, film, k);
    const char *by = hb_signals_stop();
    if (by && (status != HB_OK || k + 1 < r->frames))
      return hb_fail(HB_ERR_STOPPED, "stopped by %s in frame %zu of %zu%s%s%s", by, k + 1, r->frames,
                     film->is_movie ? ": " : "", film->is_movie ? r->output : "",
                     film->is_movie ? " was not written" : "");
    HB_TRY(status);
  }
  return HB_OK;
}

static enum hb_status film_frames(struct work *w)
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
  enum hb_status status = add_frames(w, &film);
  hb_terminal_clear_progress();
  status = hb_film_close(&film, status);
  if (status == HB_OK) say_written(r, &film);
  return status;
}

static enum hb_status open_all(struct work *w)
{
  const struct hb_render *r = w->render;
  const struct hb_gl_context_params gl = {.context = r->force.context, .device = r->force.device};
  HB_TRY(hb_gl_context_open(&gl, &w->context));
  HB_TRY(hb_scene_open(w->context, NULL, &w->scene));
  HB_TRY(hb_scene_resize(w->scene, r->width, r->height, r->samples));
  return hb_view_particles_open(w->context, &w->particles);
}

enum hb_status hb_render_frames(const struct hb_render *render)
{
  struct work w = {
      .render = render, .series = {.render = render}, .style = render->style, .started = hb_clock_now()};
  enum hb_status status = open_all(&w);
  if (status == HB_OK) status = film_frames(&w);
  close_series(&w.series);
  hb_trails_close(&w.trails);
  hb_view_particles_close(&w.particles);
  hb_scene_close(w.scene);
  hb_gl_context_close(w.context);
  return status;
}
