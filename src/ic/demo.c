/* The seven demonstrations of the program `nbody` of the CUDA samples, which grew out of [NHP07]. G = 1 and every body
 * has mass 1, so the total mass is N.
 *
 * Transcribed (nbody.cpp and bodysystem.h of the samples, 2022): the table below and the three ways to place bodies;
 * the program starts every demonstration with the shell. Kept: each coordinate of the shell has a radius of its own, so
 * that it is not spherical, and nothing is moved to the center of mass. Ours: the random numbers (the sample uses
 * rand()), double in place of float, and N = 16384, the number for which the sample's own table gives demo1's scales;
 * the sample fills its GPU. Speeds do not depend on N: with other N a demo is bound more or less tightly. eps, dt and
 * damping are notes that `holmberg run` uses, point_size and camera notes for a viewer. */
#include "ic/models.h"

#include <math.h>

struct demo {
  double cluster, velocity, eps, damping; /* cluster and velocity are scales, see below */
  double point_size, camera[3];
};

static const struct demo demos[] = {
    {1.54, 8, 0.1, 1, 1, {0, -2, -100}},    {0.68, 20, 0.1, 1, 0.8, {0, -2, -30}},
    {0.16, 1000, 1, 1, 0.07, {0, 0, -1.5}}, {0.16, 1000, 1, 1, 0.07, {0, 0, -1.5}},
    {0.32, 276, 1, 1, 0.07, {0, 0, -5}},    {0.32, 272, 0.145, 1, 0.08, {0, 0, -5}},
    {6.04, 0, 1, 1, 0.76, {0, 0, -50}},
};

enum { PICTURES_A_SECOND = 60 }; /* the sample draws one after each step dt */

/* ---- three ways to place a body -------------------------------------------------------------------------- */

/* Between 2.5 and 4 scales from the center, rotating about the z axis like a solid body; very close to that axis, where
 * the sample guards its cross product, about another one. */
static void shell(struct hb_rng *rng, double scale, double speed, double x[3], double v[3])
{
  double point[3], axis[3] = {0, 0, 1};
  hb_rng_direction(rng, point);
  for (int k = 0; k < 3; k++) x[k] = scale * point[k] * (2.5 + 1.5 * hb_rng_uniform(rng));
  if (1 - point[2] < 1e-6) {
    double length = sqrt(point[0] * point[0] + point[1] * point[1] + 1);
    axis[0] = point[1] / length, axis[1] = point[0] / length, axis[2] = 1 / length;
  }
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    v[k] = speed * (x[l] * axis[m] - x[m] * axis[l]);
  }
}

/* Position and velocity uniform in a ball each. */
static void scattered(struct hb_rng *rng, double scale, double speed, double x[3], double v[3])
{
  hb_rng_ball(rng, x);
  hb_rng_ball(rng, v);
  for (int k = 0; k < 3; k++) x[k] *= scale, v[k] *= speed;
}

/* Expanding: velocity proportional to position. */
static void expanding(struct hb_rng *rng, double scale, double speed, double x[3], double v[3])
{
  hb_rng_ball(rng, x);
  for (int k = 0; k < 3; k++) v[k] = speed * x[k], x[k] *= scale;
}

static void place(const struct demo *demo, const struct hb_ic_params *params, struct hb_particles *p)
{
  static void (*const ways[])(struct hb_rng *, double, double, double *, double *) = {
      [HB_IC_SHAPE_SHELL] = shell, [HB_IC_SHAPE_RANDOM] = scattered, [HB_IC_SHAPE_EXPAND] = expanding};
  struct hb_rng rng = hb_rng_seeded(params->seed);
  double scale = demo->cluster;
  if (params->shape != HB_IC_SHAPE_SHELL) scale *= fmax(1, (double)p->n / 1024);
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = 1;
    ways[params->shape](&rng, scale, scale * demo->velocity, p->x + 3 * i, p->v + 3 * i);
  }
}

/* ---- one of the seven -------------------------------------------------------------------------------------- */

enum hb_status hb_demo_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                            struct hb_particles *p)
{
  const struct demo *demo = &demos[model->info.name[4] - '1'];
  const double *camera = demo->camera;
  place(demo, params, p);
  HB_TRY(hb_particles_print_note(p, "eps", "%g", demo->eps));
  HB_TRY(hb_particles_print_note(p, "dt", "%g", model->info.speed / PICTURES_A_SECOND));
  HB_TRY(hb_particles_print_note(p, "damping", "%g", demo->damping));
  HB_TRY(hb_particles_print_note(p, "point_size", "%g", demo->point_size));
  return hb_particles_print_note(p, "camera", "%g %g %g", camera[0], camera[1], camera[2]);
}
