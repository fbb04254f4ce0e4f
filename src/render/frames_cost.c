#include "render/frames_cost.h"

#include "base/arith.h"
#include "base/clock.h"
#include "gl/gl_pass.h"
#include "render/scene.h"
#include "sim/sim.h"

#include <stdio.h>

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
static enum hb_status draw(struct frames *f, const struct hb_device_particles *at)
{
  HB_TRY(hb_view_particles_lend(&f->stars, at));
  HB_TRY(hb_scene_begin(f->scene, &f->camera));
  HB_TRY(hb_scene_stars(f->scene, &f->stars, &f->style));
  return hb_scene_expose(f->scene, &f->style);
}

/* Seconds for a picture, from an idle device to an idle device: the median of those started within most_s. */
static enum hb_status time_picture(struct frames *f, const struct hb_device_particles *at, double most_s,
                                   double *seconds)
{
  double s[PICTURES] = {0}, end = hb_clock_now() + most_s;
  int count = 0;
  do {
    double start = hb_gl_timer_start();
    HB_TRY(draw(f, at));
    s[count++] = hb_gl_timer_stop(start);
  } while (count < PICTURES && hb_clock_now() < end);
  *seconds = hb_select((size_t)count, s, (size_t)count / 2);
  return HB_OK;
}

/* ---- steps ---- */

/* The first steps are slow. The first simulation decides how many to skip, the second skips as many. */
static enum hb_status warm_up(struct hb_sim *sim, double seconds, struct hb_frames_cost *cost)
{
  size_t most = cost->warm_up ? cost->warm_up : WARM_UP, steps = 0;
  double end = hb_clock_now() + seconds;
  do HB_TRY(hb_sim_step(sim));
  while (++steps < most && (cost->warm_up || hb_clock_now() < end));
  cost->warm_up = steps;
  return HB_OK;
}

static enum hb_status start(const struct hb_frames_job *job, struct hb_frames_cost *cost, struct hb_sim **sim)
{
  const struct hb_sim_params params = {.force = job->force};
  struct hb_particles *p;
  HB_TRY(hb_ic_make("plummer", &(struct hb_ic_params){.n = cost->n, .seed = 1}, &p));
  enum hb_status status = hb_sim_create(p, &params, sim);
  hb_particles_destroy(p);
  return status == HB_OK ? warm_up(*sim, job->seconds, cost) : status;
}

static enum hb_status time_steps(struct hb_sim *sim, struct hb_frames_cost *cost)
{
  double begin = hb_clock_now();
  for (size_t k = 0; k < cost->steps; k++) HB_TRY(hb_sim_step(sim));
  cost->step_s = (hb_clock_now() - begin) / (double)cost->steps;
  return HB_OK;
}

static enum hb_status time_pictures(struct hb_sim *sim, const struct hb_frames_job *job,
                                    struct frames *frames, struct hb_frames_cost *cost)
{
  struct hb_device_particles at;
  double begin = hb_clock_now(), next = begin, now = begin;
  for (; now - begin < job->seconds; now = hb_clock_now(), cost->steps++) {
    HB_TRY(hb_sim_step(sim));
    now = hb_clock_now();
    if (now < next) continue;
    next = now + 1 / job->rate;
    hb_sim_on_device(sim, &at);
    HB_TRY(draw(frames, &at));
    cost->frames++;
  }
  cost->with_s = (now - begin) / (double)cost->steps;
  return HB_OK;
}

static enum hb_status with_pictures(struct hb_sim *sim, const struct hb_frames_job *job,
                                    struct hb_frames_cost *cost)
{
  struct frames frames = {0};
  struct hb_device_particles at;
  hb_sim_on_device(sim, &at);
  if (at.layout == HB_DEVICE_NONE)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps no particles on a device (expected a scheme on OpenGL)",
                   job->force.scheme);
  enum hb_status status = open_frames(hb_sim_device_context(sim), job->width, job->height, &frames);
  if (status == HB_OK) status = time_picture(&frames, &at, job->seconds, &cost->frame_s);
  if (status == HB_OK) status = time_pictures(sim, job, &frames, cost);
  hb_scene_close(frames.scene);
  hb_view_particles_close(&frames.stars);
  return status;
}

enum hb_status hb_frames_cost(const struct hb_frames_job *job, size_t n, struct hb_frames_cost *cost)
{
  struct hb_sim *sim = NULL;
  *cost = (struct hb_frames_cost){.n = n};
  enum hb_status status = start(job, cost, &sim);
  if (status == HB_OK)
    snprintf(cost->precision, sizeof cost->precision, "%s", hb_force_precision(hb_sim_force(sim)));
  if (status == HB_OK) status = with_pictures(sim, job, cost);
  hb_sim_destroy(sim);
  sim = NULL;
  if (status == HB_OK) status = start(job, cost, &sim);
  if (status == HB_OK) status = time_steps(sim, cost);
  hb_sim_destroy(sim);
  return status;
}
