/* holmberg bench frames: the cost of drawing a simulation, off screen, while it runs. The same block steps are done twice from the same
 * start: first for the given time with as many pictures per second as a screen shows, then without pictures. */
#include "base/arith.h"
#include "base/clock.h"
#include "base/table.h"
#include "console/commands.h"
#include "console/terminal.h"
#include "core/particles.h"
#include "gl/gl_pass.h"
#include "render/scene.h"
#include "sim/sim.h"

#include <stdio.h>

struct frames_settings {
  struct hb_counts n;
  struct hb_force_params force; /* of a Plummer sphere; the scheme on OpenGL */
  int width, height;            /* pixels */
  double rate, seconds;         /* pictures per second; duration of the steps with pictures */
  int json;
};

/* A row of the table. */
struct cost {
  const char *scheme;
  char precision[16], size[32];
  size_t n, steps, warm_up; /* block steps that are timed, and those before them */
  double rate;
  double step_s, with_s; /* a block step without and with pictures */
  double frame_s;        /* a picture alone */
  double added;          /* share of the time without pictures */
  size_t frames;
};

enum { WARM_UP = 8, PICTURES = 31 };
static const double RADIUS = 4; /* contains 97 % of a Plummer sphere's stars */

/* ---- pictures off screen, in the simulation's own context ---- */

struct frames {
  struct hb_scene *scene;
  struct hb_view_particles stars;
  struct hb_camera camera;
  struct hb_scene_style style;
};

static enum hb_status open_frames(struct hb_gl_context *context, int width, int height, struct frames *f)
{
  f->style =
      (struct hb_scene_style){.color = HB_SCENE_COLOR_SPEED, .range = {0, 1.5}, .map = HB_COLORMAP_EMBER};
  hb_camera_reset(&f->camera);
  hb_camera_fit(&f->camera, RADIUS, (double)width / height);
  HB_TRY(hb_scene_open(context, hb_scene_quick_format(context), &f->scene));
  HB_TRY(hb_scene_resize(f->scene, width, height, 1));
  return hb_view_particles_open(context, &f->stars);
}

/* Does not wait for the device. */
static enum hb_status draw(struct frames *f, struct hb_sim *sim)
{
  HB_TRY(hb_view_particles_follow(&f->stars, sim, hb_sim_time(sim)));
  HB_TRY(hb_scene_begin(f->scene, &f->camera));
  HB_TRY(hb_scene_stars(f->scene, &f->stars, &f->style));
  return hb_scene_expose(f->scene, &f->style);
}

/* Seconds for a picture, from an idle device to an idle device: the median of those started within most_s. */
static enum hb_status time_picture(struct frames *f, struct hb_sim *sim, double most_s, double *seconds)
{
  double s[PICTURES] = {0}, end = hb_clock_now() + most_s;
  int count = 0;
  do {
    double start = hb_gl_timer_start();
    HB_TRY(draw(f, sim));
    s[count++] = hb_gl_timer_stop(start);
  } while (count < PICTURES && hb_clock_now() < end);
  *seconds = hb_select((size_t)count, s, (size_t)count / 2);
  return HB_OK;
}

/* ---- steps ---- */

/* The first steps are slow. The first simulation decides how many to skip, the second skips as many. */
static enum hb_status warm_up(struct hb_sim *sim, double seconds, struct cost *cost)
{
  size_t most = cost->warm_up ? cost->warm_up : WARM_UP, steps = 0;
  double end = hb_clock_now() + seconds;
  do HB_TRY(hb_sim_step(sim));
  while (++steps < most && (cost->warm_up || hb_clock_now() < end));
  cost->warm_up = steps;
  return HB_OK;
}

static enum hb_status start(const struct frames_settings *job, struct cost *cost, struct hb_sim **sim)
{
  const struct hb_sim_params params = {.force = job->force};
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(hb_ic_make("plummer", &(struct hb_ic_params){.n = cost->n, .seed = 1}, &p));
  HB_TRY(hb_sim_create(p, &params, sim));
  return warm_up(*sim, job->seconds, cost);
}

static enum hb_status time_steps(struct hb_sim *sim, struct cost *cost)
{
  double begin = hb_clock_now();
  for (size_t k = 0; k < cost->steps; k++) HB_TRY(hb_sim_step(sim));
  cost->step_s = (hb_clock_now() - begin) / (double)cost->steps;
  return HB_OK;
}

static enum hb_status time_pictures(struct hb_sim *sim, const struct frames_settings *job,
                                    struct frames *frames, struct cost *cost)
{
  double begin = hb_clock_now(), next = begin, now = begin;
  for (; now - begin < job->seconds; now = hb_clock_now(), cost->steps++) {
    HB_TRY(hb_sim_step(sim));
    now = hb_clock_now();
    if (now < next) continue;
    next = now + 1 / job->rate;
    HB_TRY(draw(frames, sim));
    cost->frames++;
  }
  cost->with_s = (now - begin) / (double)cost->steps;
  return HB_OK;
}

static enum hb_status with_pictures(struct hb_sim *sim, const struct frames_settings *job, struct cost *cost)
{
  struct frames frames = {0};
  struct hb_device_particles at;
  hb_sim_on_device(sim, &at);
  if (at.layout == HB_DEVICE_NONE)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps no particles on a device (expected a scheme on OpenGL)",
                   job->force.scheme);
  enum hb_status status = open_frames(hb_sim_device_context(sim), job->width, job->height, &frames);
  if (status == HB_OK) status = time_picture(&frames, sim, job->seconds, &cost->frame_s);
  if (status == HB_OK) status = time_pictures(sim, job, &frames, cost);
  hb_scene_close(frames.scene);
  hb_view_particles_close(&frames.stars);
  return status;
}

static enum hb_status find_cost(const struct frames_settings *job, struct cost *cost)
{
  HB_OWN_SIM struct hb_sim *sim = NULL;
  HB_TRY(start(job, cost, &sim));
  snprintf(cost->precision, sizeof cost->precision, "%s", hb_force_precision(hb_sim_force(sim)));
  HB_TRY(with_pictures(sim, job, cost));
  hb_sim_destroy(sim);
  sim = NULL;
  HB_TRY(start(job, cost, &sim));
  HB_TRY(time_steps(sim, cost));
  cost->added = cost->with_s / cost->step_s - 1;
  return HB_OK;
}

/* ---- the command ---- */

#define FIELD(member) HB_SETTING_FIELD(struct frames_settings, member)
static const struct hb_setting frames_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(n), "LIST", "4096,65536", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"scheme", 0, HB_SETTING_TEXT, FIELD(force.scheme), "SCHEME", "bag",
     .help = "scheme of forces on OpenGL"},
    {"precision", 0, HB_SETTING_TEXT, FIELD(force.precision), "PRECISION",
     .help = "its precision (default: the first that it offers)"},
    {"size", 0, HB_SETTING_PIXELS, FIELD(width), "WxH", "1920x1080", .most = 16384,
     .help = "size of the pictures in pixels"},
    {"rate", 0, HB_SETTING_POSITIVE, FIELD(rate), "HZ", "60", .help = "pictures per second"},
    {"seconds", 0, HB_SETTING_POSITIVE, FIELD(seconds), "S", "2",
     .help = "time to run with pictures; then the same number of block steps without"},
    {0}};
#undef FIELD

#define AT(place) .offset = offsetof(struct cost, place)
static const struct hb_table_column frames_columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_CHARS, AT(precision), "%-11s"},
    {"size", HB_TABLE_CHARS, AT(size)},
    {"rate", HB_TABLE_REAL, AT(rate)},
    {"n", HB_TABLE_SIZE, AT(n), "%8llu"},
    {"block_steps", HB_TABLE_SIZE, AT(steps), "%8llu", "steps"},
    {"step_us", HB_TABLE_REAL, AT(step_s), "%10.1f", "step us", 1e6},
    {"step_with_frames_us", HB_TABLE_REAL, AT(with_s), "%10.1f", "with us", 1e6},
    {"frames", HB_TABLE_SIZE, AT(frames), "%8llu"},
    {"frame_us", HB_TABLE_REAL, AT(frame_s), "%10.1f", "frame us", 1e6},
    {"added", HB_TABLE_REAL, AT(added)},
    {NULL, HB_TABLE_REAL, AT(added), "%8.1f%%", "added", 100},
};
#undef AT

static enum hb_status bench_frames(const struct hb_opts *opts)
{
  struct frames_settings *s = opts->settings;
  struct hb_table table = {HB_TABLE_COLUMNS(frames_columns),
                           s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout, 0};
  s->force.eps = 1. / 256;
  for (size_t k = 0; k < s->n.count; k++) {
    struct cost row = {.scheme = s->force.scheme, .rate = s->rate, .n = s->n.n[k]};
    snprintf(row.size, sizeof row.size, "%dx%d", s->width, s->height);
    HB_TRY(find_cost(s, &row));
    hb_table_put(&table, &row);
    HB_TRY(hb_terminal_flush());
  }
  return HB_OK;
}

const struct hb_opts_command hb_cmd_bench_frames = {
    .name = "bench frames",
    .summary = "Measure what it costs to draw a simulation while it runs, off screen.",
    .groups = {{.options = frames_options},
               {.options = hb_opts_place, .at = offsetof(struct frames_settings, force)},
               {.options = hb_opts_json, .at = offsetof(struct frames_settings, json)}},
    .settings_size = sizeof(struct frames_settings),
    .example = "  holmberg bench frames --scheme tile --n 65536 --size 1280x720\n",
    .work = bench_frames,
};
