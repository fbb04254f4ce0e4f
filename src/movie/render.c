/* holmberg render: pictures and movies of snapshots, without a window. */
#include "base/arith.h"
#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "console/astro.h"
#include "console/commands.h"
#include "console/signals.h"
#include "console/target.h"
#include "console/terminal.h"
#include "core/particles.h"
#include "movie/film.h"
#include "render/camera.h"
#include "render/coloring.h"
#include "render/scene.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the path of a camera ---------------------------------------------------------------------------- */

/* A path for the camera, given by a few rows of a text file:
 *
 *   # when   center x y z    azimuth elevation   distance
 *     0      0 0 0           0       25          4
 *     1      0 0 0           180     60          1.5
 *
 * `when` increases from row to row, in any unit: the first row is the first frame, the last row the last one. Angles are
 * in degrees as in hb_camera_look, beyond 360 for more than one turn. Between rows every column follows a cubic that
 * does not overshoot (Fritsch & Butland 1984), the distance in its logarithm; the camera is at rest at both ends. */

enum { COLUMNS = 7 };

/* Start from {0}. */
struct keyframes {
  double (*rows)[COLUMNS]; /* distances as logarithms */
  size_t count;
};

enum { WHEN, CENTER, AZIMUTH = 4, ELEVATION, DISTANCE };

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The numbers of a line, which is modified; *count = 0 if it is empty. */
static enum hb_status read_row(char *line, double row[COLUMNS], int *count)
{
  const char *words[COLUMNS + 1];
  line[strcspn(line, "#")] = 0;
  *count = hb_text_words(line, " \t\r,", COLUMNS + 1, words);
  for (int k = 0; k < *count; k++) {
    if (k == COLUMNS) return hb_fail(HB_ERR_INPUT, "more than 7 columns, the next is '%s'", words[k]);
    if (hb_text_number(words[k], &row[k]) != HB_OK)
      return hb_fail(HB_ERR_INPUT, "'%s' is not a number", words[k]);
  }
  if (*count == 0) return HB_OK;
  if (*count < COLUMNS)
    return hb_fail(HB_ERR_INPUT, "%d column%s, expected 7: when, center x y z, azimuth, elevation, distance",
                   *count, hb_text_s((uint64_t)*count));
  if (row[DISTANCE] <= 0) return hb_fail(HB_ERR_INPUT, "the distance is %g, expected > 0", row[DISTANCE]);
  row[DISTANCE] = log(row[DISTANCE]);
  return HB_OK;
}

static enum hb_status add_row(struct keyframes *k, const double row[COLUMNS])
{
  if (k->count && !(row[WHEN] > k->rows[k->count - 1][WHEN]))
    return hb_fail(HB_ERR_INPUT, "the row is at %g, expected later than the previous one, %g", row[WHEN],
                   k->rows[k->count - 1][WHEN]);
  memcpy(k->rows[k->count++], row, sizeof *k->rows);
  return HB_OK;
}

static enum hb_status parse(char *text, const char *path, struct keyframes *k)
{
  size_t most = 1;
  for (const char *c = text; *c; c++) most += *c == '\n';
  HB_TRY(HB_ALLOC(most, &k->rows));
  int number = 1;
  for (char *line = text, *end; line; line = end ? end + 1 : NULL, number++) {
    double row[COLUMNS];
    int count;
    end = strchr(line, '\n');
    if (end) *end = 0;
    enum hb_status status = read_row(line, row, &count);
    if (status == HB_OK && count) status = add_row(k, row);
    if (status != HB_OK) return hb_fail_in(status, hb_phrase("%s:%d", path, number));
  }
  return k->count ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: the camera path has no rows", path);
}

static void keyframes_clear(struct keyframes *keyframes)
{
  hb_mem_free(keyframes->rows);
  *keyframes = (struct keyframes){0};
}

/* Errors: HB_ERR_IO, HB_ERR_INPUT (with file, line and value). */
static enum hb_status keyframes_read(const char *path, struct keyframes *keyframes)
{
  HB_OWN char *text = NULL;
  size_t count;
  *keyframes = (struct keyframes){0};
  HB_TRY(hb_file_read(path, &text, &count));
  enum hb_status status = parse(text, path, keyframes);
  if (status != HB_OK) keyframes_clear(keyframes);
  return status;
}

/* ---- the path ---------------------------------------------------------------------------------------- */

static double secant(const struct keyframes *k, size_t from, int column)
{
  return (k->rows[from + 1][column] - k->rows[from][column]) /
         (k->rows[from + 1][WHEN] - k->rows[from][WHEN]);
}

/* The slope at a row: the weighted harmonic mean of the secants on both sides, 0 at an extremum and at the ends. */
static double slope(const struct keyframes *k, size_t row, int column)
{
  if (row == 0 || row + 1 == k->count) return 0;
  double before = secant(k, row - 1, column), after = secant(k, row, column);
  if (before * after <= 0) return 0;
  double h0 = k->rows[row][WHEN] - k->rows[row - 1][WHEN], h1 = k->rows[row + 1][WHEN] - k->rows[row][WHEN];
  double share = (h0 + 2 * h1) / (3 * (h0 + h1));
  return before * after / (share * after + (1 - share) * before);
}

static double column_at(const struct keyframes *k, size_t row, double u, int column)
{
  if (row + 1 == k->count) return k->rows[row][column];
  double h = k->rows[row + 1][WHEN] - k->rows[row][WHEN];
  return hb_cubic(k->rows[row][column], slope(k, row, column), k->rows[row + 1][column],
                  slope(k, row + 1, column), h, u);
}

/* Sets center, direction and distance at a fraction 0 to 1 of the path; the field of view stays. */
static void keyframes_camera(const struct keyframes *k, double share, struct hb_camera *camera)
{
  double first = k->rows[0][WHEN], last = k->rows[k->count - 1][WHEN];
  double when = first + fmin(fmax(share, 0), 1) * (last - first);
  size_t row = 0;
  while (row + 2 < k->count && when >= k->rows[row + 1][WHEN]) row++;
  double u = k->count > 1 ? (when - k->rows[row][WHEN]) / (k->rows[row + 1][WHEN] - k->rows[row][WHEN]) : 0;
  for (int c = 0; c < 3; c++) camera->center[c] = column_at(k, row, u, CENTER + c);
  hb_camera_look(camera, column_at(k, row, u, AZIMUTH) * HB_DEGREE,
                 column_at(k, row, u, ELEVATION) * HB_DEGREE, 0);
  camera->distance = exp(column_at(k, row, u, DISTANCE));
}

/* ---- the job ------------------------------------------------------------------------------------------- */

struct render {
  const char *const *files; /* [file_count] snapshots, ascending in time */
  size_t file_count, frames;
  const char *output;
  char *command; /* for the text chunks of the pictures */
  int width, height, samples, frames_per_s;

  enum hb_coloring color; /* not AGE */
  size_t groups;
  int has_range;
  struct hb_scene_style style; /* unless has_range, its range comes from the first frame */
  double trails;               /* length in time; 0: none */

  int orbits;
  double turns;               /* of an orbit */
  struct keyframes keyframes; /* count 0: none */
  int has_center;
  double center[3], azimuth, elevation, roll, field_of_view, zoom;

  struct hb_force_params force; /* for colors that need forces; its context and device also for drawing */
  int has_eps;                  /* 0: a note of the snapshot overrides force.eps */
  int quiet;
  const char *path;    /* of the camera: as typed */
  double direction[3]; /* degrees */
};

/* ---- a series of snapshots --------------------------------------------------------------------------- */

/* Particles at a time between two snapshots, and what they are colored by. */
struct moment {
  struct hb_particles *particles;
  double *value; /* [n]; NULL when colored by speed */
};

/* The two snapshots around the last requested time. */
struct series {
  const struct render *render;
  size_t at; /* moments[0] is file number `at`, moments[1] the next one if it was needed */
  struct moment moments[2], between;
};

static void clear_moment(struct moment *moment)
{
  hb_particles_destroy(moment->particles);
  hb_mem_free(moment->value);
  *moment = (struct moment){0};
}

/* The value at the start of a simulation of these particles. */
static enum hb_status quantity_of(const struct render *render, const struct hb_particles *particles,
                                  double *value)
{
  struct hb_sim_params params = {.force = render->force, .neighbors = HB_NEIGHBORS_NONE};
  HB_OWN_SIM struct hb_sim *sim = NULL;
  double noted;
  HB_TRY(hb_particles_eps(particles, &noted));
  if (!render->has_eps && !isnan(noted)) params.force.eps = noted;
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  HB_TRY(hb_sim_create(particles, &params, &sim));
  return hb_coloring_of_sim(render->color, sim, hb_particles_n(particles), value);
}

static enum hb_status find_values(const struct render *render, struct moment *moment)
{
  size_t n = hb_particles_n(moment->particles);
  if (render->color == HB_COLORING_SPEED) return HB_OK;
  HB_TRY(HB_ALLOC(n, &moment->value));
  if (render->color != HB_COLORING_GROUP) return quantity_of(render, moment->particles, moment->value);
  hb_coloring_groups(hb_view_particles_lit(moment->particles), render->groups, moment->value);
  return HB_OK;
}

static enum hb_status load_moment(const struct render *render, size_t file, struct moment *moment)
{
  clear_moment(moment);
  HB_TRY(hb_snapshot_read(render->files[file], NULL, &moment->particles));
  return find_values(render, moment);
}

/* Whether file `later` holds the same particles as file `earlier`, at a later time. */
static enum hb_status check_pair(const struct render *render, size_t earlier, struct hb_particles *a,
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
  const struct render *render;
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
  const struct render *r = w->render;
  memcpy(w->style.range, r->style.range, sizeof w->style.range);
  if (r->has_range || hb_coloring_scene(r->color) == HB_SCENE_COLOR_GROUP) return HB_OK;
  return hb_coloring_fit(hb_view_particles_lit(moment->particles), hb_particles_v(moment->particles),
                         moment->value, w->style.range);
}

static enum hb_status find_camera(struct work *w, const struct moment *moment)
{
  const struct render *r = w->render;
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
  const struct render *r = w->render;
  struct hb_camera camera = w->camera;
  double frames = (double)r->frames;
  if (r->keyframes.count)
    keyframes_camera(&r->keyframes, r->frames > 1 ? (double)frame / (frames - 1) : 0, &camera);
  else if (r->orbits)
    hb_camera_look(&camera, r->azimuth + 360 * HB_DEGREE * r->turns * (double)frame / frames, r->elevation,
                   r->roll);
  return camera;
}

/* The past of a single snapshot's particles, as if no force acted on them. */
static enum hb_status add_straight_past(struct work *w, struct hb_particles *p)
{
  HB_OWN_PARTICLES struct hb_particles *past = NULL;
  double length = w->render->trails;
  HB_TRY(hb_particles_copy(p, &past));
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++) hb_particles_x(past)[k] -= length * hb_particles_v(p)[k];
  hb_particles_set_time(past, hb_particles_time(p) - length);
  HB_TRY(hb_view_particles_load(&w->particles, past, w->camera.center));
  return hb_trails_add(&w->trails, &w->particles);
}

static int is_last_of_many(const struct render *r) { return r->frames == 1 && r->file_count > 1; }

/* Entries of the ring buffer, for the length of a trail. */
static enum hb_status find_trail_capacity(const struct render *r, double t, double *capacity)
{
  *capacity = 2;
  if (is_last_of_many(r)) *capacity = (double)r->file_count;
  if (r->file_count == 1 || r->frames == 1) return HB_OK;
  HB_OWN_PARTICLES struct hb_particles *last = NULL;
  HB_TRY(hb_snapshot_read(r->files[r->file_count - 1], NULL, &last));
  double apart = (hb_particles_time(last) - t) / (double)(r->frames - 1);
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
  const struct render *r = w->render;
  struct hb_camera camera = camera_at(w, frame);
  double t = hb_particles_time(moment->particles);
  if (r->trails > 0 && r->file_count == 1 && frame == 0) HB_TRY(add_straight_past(w, moment->particles));
  HB_TRY(hb_view_particles_load(&w->particles, moment->particles, w->camera.center));
  size_t n = hb_particles_n(moment->particles);
  if (moment->value) HB_TRY(hb_view_particles_values(&w->particles, n, moment->value));
  if (r->trails > 0 && (frame == 0 || t > w->time)) HB_TRY(hb_trails_add(&w->trails, &w->particles));
  w->time = t;
  HB_TRY(hb_scene_begin(w->scene, &camera));
  HB_TRY(hb_scene_stars(w->scene, &w->particles, &w->style));
  if (r->trails > 0) HB_TRY(hb_scene_trails(w->scene, &w->trails, &w->particles, r->trails, &w->style));
  return hb_scene_picture(w->scene, &w->style, rgb);
}

static enum hb_status add_frame(struct work *w, struct hb_film *film, size_t k)
{
  const struct render *r = w->render;
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
  const struct hb_png_text text[] = {{"t", HB_SHORTEST(hb_particles_time(moment->particles))},
                                     {"snapshot", r->files[(size_t)place]}};
  HB_TRY(hb_film_add(film, text, 2));
  if (hb_terminal_is_live())
    hb_terminal_progress((double)(k + 1) / (double)r->frames, hb_clock_now() - w->started);
  return HB_OK;
}

static void say_written(const struct render *r, const struct hb_film *film)
{
  HB_OWN struct hb_text line = {0};
  if (film->lacks_ffmpeg &&
      hb_text_append(&line, "ffmpeg is not installed: instead of %s its frames were written", r->output) ==
          HB_OK)
    hb_terminal_note(line.text);
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
static enum hb_status add_frames(struct work *w, struct hb_film *film)
{
  const struct render *r = w->render;
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
  const struct render *r = w->render;
  const struct hb_png_text text[] = {{"Software", "Holmberg " HB_VERSION},
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
  const struct render *r = w->render;
  const struct hb_gl_context_params gl = {.context = r->force.context, .device = r->force.device};
  HB_TRY(hb_gl_context_open(&gl, &w->context));
  HB_TRY(hb_scene_open(w->context, NULL, &w->scene));
  HB_TRY(hb_scene_resize(w->scene, r->width, r->height, r->samples));
  return hb_view_particles_open(w->context, &w->particles);
}

static enum hb_status draw_frames(const struct render *render)
{
  struct work w = {
      .render = render, .series = {.render = render}, .style = render->style, .started = hb_clock_now()};
  enum hb_status status = open_all(&w);
  if (status == HB_OK) status = film_frames(&w);
  for (int k = 0; k < 2; k++) clear_moment(&w.series.moments[k]);
  clear_moment(&w.series.between);
  hb_trails_close(&w.trails);
  hb_view_particles_close(&w.particles);
  hb_scene_close(w.scene);
  hb_gl_context_close(w.context);
  return status;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static const char *color_name(size_t k) { return k < HB_COLORING_AGE ? hb_coloring_name(k) : NULL; }

static const char *const points[] = {"star", "disc", "dot", NULL};

#define FIELD(member) HB_SETTING_FIELD(struct render, member)
static const struct hb_setting options[] = {
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "PICTURE", .use = HB_SETTING_SHOWS,
     .help = "file to write: .png, or a movie as .mp4, .mkv, .webm, .apng or .gif by ffmpeg; several "
             "frames as .png become PICTURE_0001.png, ... (default: FILE with extension .png, or .mp4 for "
             "several frames)"},
    {"size", 0, HB_SETTING_PIXELS, FIELD(width), "WxH", "1920x1080", .most = 32768,
     .help = "width and height in pixels"},
    {"color-by", 0, HB_SETTING_CHOICE, FIELD(color), "WHAT", "speed", .words.at = color_name,
     .help = "speed, acc (acceleration), energy (per mass), step (time step), mass, group, or "
             "bound (binaries and triples); acc, energy and step as at the start of a run from the snapshot"},
    {"map", 0, HB_SETTING_CHOICE, FIELD(style.map), "NAME", "stars",
     .words = {hb_colormap_names, .also = {"grey", "gray"}}, .help = "color map: stars, ember, ice, gray"},
    {"color-range", 0, HB_SETTING_NUMBERS, FIELD(style.range), "FROM,TO",
     .help = "values of the first and the last color; of acc and step their decimal logarithms "
             "(default: enclosing 96 % of the particles of the first frame)"},
    {"groups", 0, HB_SETTING_COUNT, FIELD(groups), "K", "2",
     .help = "number of groups for --color-by group: equal parts of the file, in its order"},
    {"point", 0, HB_SETTING_CHOICE, FIELD(style.point), "KIND", "star", .words.array = points,
     .help = "what a particle looks like: star, disc, dot"},
    {"point-size", 0, HB_SETTING_POSITIVE, FIELD(style.point_size), "S",
     .help = "sigma of a star, in thousandths of the picture's height "
             "(default: 10 for a few stars, 3 for 1000, 1 for 100000)"},
    {"glow", 0, HB_SETTING_NOT_NEGATIVE, FIELD(style.glow), "G", "0.5",
     .help = "strength of the glow around bright places, 0 to 1"},
    {"exposure", 0, HB_SETTING_POSITIVE, FIELD(style.exposure), "E", "0.8",
     .help = "brightness of a single star, below 1; the brightest place gets 1"},
    {"trails", 0, HB_SETTING_POSITIVE, FIELD(trails), "T",
     .help =
         "draw the paths of the stars over the last T units of time; straight lines for a single snapshot",
     .of = HB_DIMENSION_TIME},
    {"camera", 0, HB_SETTING_TEXT, FIELD(path), "HOW",
     .help = "fixed, orbit (around the z axis), or a file with the path of the camera, see below "
             "(default: orbit for several frames of one snapshot, else fixed)"},
    {"direction", 0, HB_SETTING_NUMBERS, FIELD(direction), "AZ,EL[,ROLL]", .least = 2,
     .help = "position of the camera, in degrees: azimuth around the z axis, elevation above "
             "the x y plane (default: 0,90, x to the right and y up; for orbit 0,25)"},
    {"center", 0, HB_SETTING_NUMBERS, FIELD(center), "X,Y,Z", .also = "centre",
     .help = "point that the camera looks at (default: the median of the first frame)",
     .of = HB_DIMENSION_LENGTH},
    {"zoom", 0, HB_SETTING_POSITIVE, FIELD(zoom), "F", "1",
     .help = "magnification; at 1 nine tenths of the stars fit into the picture"},
    {"field", 0, HB_SETTING_POSITIVE, FIELD(field_of_view), "DEGREES", "28", .unit = HB_DEGREE,
     .help = "vertical angle of view, below 170"},
    {"turns", 0, HB_SETTING_NUMBER, FIELD(turns), "X", "1",
     .help = "orbit: turns in the whole movie, negative to reverse"},
    {"frames", 0, HB_SETTING_COUNT, FIELD(frames), "K", .most = 1e6,
     .help = "total number of frames (default: one per snapshot); between snapshots the stars follow "
             "the cubic that fits positions and velocities"},
    {"fps", 0, HB_SETTING_COUNT, FIELD(frames_per_s), "F", "30", .most = 1000,
     .help = "frames per second of a movie"},
    {"samples", 0, HB_SETTING_COUNT, FIELD(samples), "S", "2",
     .help = "each pixel is the mean of S x S samples, at most 8"},
    {"eps", 0, HB_SETTING_NOT_NEGATIVE, FIELD(force.eps), "EPS", "1/256",
     .help = "softening of the forces for --color-by acc, energy, step and bound; an eps in FILE's header "
             "replaces the "
             "default",
     .of = HB_DIMENSION_LENGTH},
    {0}};

/* ---- options ----------------------------------------------------------------------------------------- */

static enum hb_status read_style(const struct hb_opts *opts, struct render *r)
{
  struct hb_scene_style *style = &r->style;
  const char *exposure = hb_opts_typed(opts, &style->exposure);
  r->has_range = hb_opts_typed(opts, style->range) != NULL;
  style->color = hb_coloring_scene(r->color);
  style->adapt = r->frames > 1 ? 0.1 : 1;
  if (style->glow == 0) style->glow = -1;
  if (style->exposure < 1) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --exposure: '%s' is out of range (expected a number below 1)",
                 exposure);
}

static enum hb_status read_camera(const struct hb_opts *opts, struct render *r)
{
  r->orbits = r->path ? strcmp(r->path, "orbit") == 0 : r->file_count == 1 && r->frames > 1;
  if (!hb_opts_typed(opts, r->direction)) r->direction[1] = r->orbits ? 25 : 90;
  r->azimuth = r->direction[0] * HB_DEGREE;
  r->elevation = r->direction[1] * HB_DEGREE;
  r->roll = r->direction[2] * HB_DEGREE;
  r->has_center = hb_opts_typed(opts, r->center) != NULL;
  if (r->field_of_view >= 170 * HB_DEGREE)
    return hb_fail(HB_ERR_USAGE, "option --field: '%s' is out of range (expected an angle below 170)",
                   hb_opts_typed(opts, &r->field_of_view));
  if (!r->path || r->orbits || strcmp(r->path, "fixed") == 0) return HB_OK;
  return keyframes_read(r->path, &r->keyframes);
}

static enum hb_status read_options(const struct hb_opts *opts, struct render *r, struct hb_text *output,
                                   struct hb_text *command)
{
  r->files = opts->operands;
  r->file_count = opts->operand_count;
  if (r->frames == 0) r->frames = r->file_count;
  r->has_eps = hb_opts_typed(opts, &r->force.eps) != NULL;
  HB_TRY(read_style(opts, r));
  HB_TRY(read_camera(opts, r));
  const char *first = strcmp(r->files[0], "-") == 0 ? "render" : r->files[0];
  int is_movie = r->frames > 1 && first == r->files[0];
  if (!r->output) HB_TRY(hb_target_beside(first, is_movie ? "mp4" : "png", output));
  if (!r->output) r->output = output->text;
  HB_TRY(hb_opts_line(opts, command));
  r->command = command->text;
  HB_TRY(hb_film_check(r->output, r->width, r->height)); /* before anything is drawn */
  return hb_target_check(r->output, "");                 /* the folder only, the format is known */
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct render *r = opts->settings;
  HB_OWN struct hb_text output = {0};
  HB_OWN struct hb_text command = {0};
  HB_TRY(hb_astro_convert_by_file(opts, opts->operands[0], NULL, 0));
  enum hb_status status = read_options(opts, r, &output, &command);
  if (status == HB_OK) status = draw_frames(r);
  keyframes_clear(&r->keyframes);
  return status;
}

static void explain(const struct hb_help *help)
{
  help->text("\nA camera path is a text file with a row for each place that it passes:\n", help->out);
  help->lines("  when   center x y z   azimuth elevation   distance\n", help->out);
  help->text(
      "when increases in any unit, from the first frame to the last; angles are in degrees, distances in\n"
      "the units of FILE. The path between is smooth.\n",
      help->out);
}

const struct hb_opts_command hb_cmd_render = {
    .name = "render",
    .summary = "Draw snapshots: a picture, or a movie of one or many.",
    .operand = "FILE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct render, force), .use = HB_SETTING_SHOWS},
               {.options = hb_opts_quiet, .at = offsetof(struct render, quiet)}},
    .settings_size = sizeof(struct render),
    .more_help = explain,
    .example = "  holmberg render cluster.h5 -o cluster.png --size 3840x2160\n"
               "  holmberg render cluster.h5 -o orbit.mp4 --frames 300\n"
               "  holmberg render end_*.h5 -o run.mp4 --frames 600 --trails 0.1 --color-by energy\n",
    .work = work,
};
