#include "ic/models.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/particles.h"
#include "core/vector.h"
#include "ic/cluster.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

const char *const hb_ic_scaling_names[] = {"auto", "measured", "model", NULL};
const char *const hb_ic_shape_names[] = {"shell", "random", "expand", NULL};
const char *const hb_ic_pairing_names[] = {"random", "ordered", "uniform", NULL};
const char *const hb_ic_orbits_names[] = {"opik", "kroupa1995", "duquennoy1991", NULL};
const char *const hb_ic_eccentricities_names[] = {"thermal", "uniform", "circular", NULL};

/* ---- models of few bodies, and of none -------------------------------------------------------------- */

/* Burrau's problem: masses 3, 4 and 5 at rest at the corners of a triangle with sides 3, 4 and 5, each mass opposite
 * the side of its number. After about 60 time units two of them leave as a binary. */
static const double pythagorean[3][7] = {{3, 1, 3, 0}, {4, -2, -1, 0}, {5, 1, -1, 0}};

/* Three equal masses chasing each other on a figure eight, period 6.32591398. Initial values: C. Simo's in
 * Chenciner & Montgomery (2000); bodies 1 and 2 balance the momentum of body 3. */
#define X1  0.97000435669734
#define Y1  -0.24308753153583
#define VX3 -0.93240737144104
#define VY3 -0.86473146092102
static const double figure8[3][7] = {{1, X1, Y1, 0, -(VX3) / 2, -(VY3) / 2, 0},
                                     {1, -(X1), -(Y1), 0, -(VX3) / 2, -(VY3) / 2, 0},
                                     {1, 0, 0, 0, VX3, VY3, 0}};

/* Two bodies on a Kepler orbit in the xy plane, counter-clockwise, at apocenter: body 1 on the negative x axis,
 * body 2 on the positive one, their center of mass at rest at the origin. */
static enum hb_status twobody_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                   struct hb_particles *p)
{
  (void)model;
  double mass = params->m1 + params->m2;
  double r = params->a * (1 + params->e);
  double v = sqrt(mass / params->a * (1 - params->e) / (1 + params->e));
  double share1 = params->m2 / mass, share2 = params->m1 / mass;
  p->m[0] = params->m1;
  p->m[1] = params->m2;
  p->x[0] = -share1 * r;
  p->x[3] = share2 * r;
  p->v[1] = -share1 * v;
  p->v[4] = share2 * v;
  return HB_OK;
}

/* Points uniform in the cube from -1 to 1 in x, y and z, at rest, G = M = 1: the plainest input for timing forces.
 * Not centered, so that no coordinate exceeds 1. */
static enum hb_status cube_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                struct hb_particles *p)
{
  (void)model;
  struct hb_rng rng = hb_rng_seeded(params->seed);
  for (size_t i = 0; i < p->n; i++) p->m[i] = 1.0 / (double)p->n;
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] = 2 * hb_rng_uniform(&rng) - 1;
  return HB_OK;
}

/* ---- spherical models, of which cluster.c makes stars ----------------------------------------------- */

/* ---- Plummer ---------------------------------------------------------------------------------------- */

/* Plummer's sphere as Aarseth, Henon & Wielen (1974, A&A 37, 183) draw it, in the units of Heggie & Mathieu
 * (1986): G = M = 1, E = -1/4, in virial equilibrium, the center of mass at rest at the origin; the initial
 * conditions of [PZ07] section 4. Only + - * / and sqrt are used, which IEEE rounds the same everywhere, so a
 * seed gives the same bytes on every machine. */

/* The Plummer radius, total mass and G are 1 here. The mass within r is s^3 with s = r / sqrt(1 + r^2), so s is the
 * cube root of a uniform number. s_max is s at the cut-off. */
static double draw_radius(struct hb_rng *rng, double s_max)
{
  double s = s_max * hb_rng_cube_root(rng);
  return s / sqrt(1 - s * s);
}

/* Speed in units of the speed of escape: density q^2 (1 - q^2)^(7/2), by von Neumann's rejection. The density
 * is at most 0.0923, at q^2 = 2/9. */
static double draw_speed(struct hb_rng *rng)
{
  for (;;) {
    double q = hb_rng_uniform(rng);
    double w = 1 - q * q;
    if (0.1 * hb_rng_uniform(rng) < q * q * w * w * w * sqrt(w)) return q;
  }
}

static void plummer_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double direction[3], r = draw_radius(rng, sphere->number);
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  double speed = draw_speed(rng) * sqrt(2 / sqrt(1 + r * r)); /* times the speed of escape */
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) v[k] = speed * direction[k];
}

static enum hb_status plummer_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  double s_max = params->r_cut > 0 ? 1 / sqrt(1 + 1 / params->r_cut / params->r_cut) : 1;
  *sphere = (struct hb_ic_sphere){
      .draw = plummer_draw, .number = s_max, .length = 0.58904862254808623221 /* 3 pi / 16 */};
  return HB_OK;
}

/* ---- cold sphere ------------------------------------------------------------------------------------ */

/* A sphere of uniform density at rest, G = M = R = 1, centered: U = -3/5 up to the sampling noise, and all shells
 * would meet in the center at t = pi / sqrt(8) = 1.11. With a virial ratio its velocities are normal. */
static void coldsphere_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double r = hb_rng_cube_root(rng), direction[3];
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  if (sphere->number != 0) hb_elementary_three_normals(rng, v);
}

static enum hb_status coldsphere_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  *sphere = (struct hb_ic_sphere){.draw = coldsphere_draw, .number = params->cluster.virial};
  return HB_OK;
}

/* ---- King ------------------------------------------------------------------------------------------- */

/* King's model of a cluster that its galaxy's tide has cut off: f ~ e^(W - v^2 / 2) - 1 where that is positive [King 1966,
 * AJ 71, 64]. Speeds are in units of the dispersion parameter sigma, lengths in those of King's core radius
 * r0 = 3 sigma / sqrt(4 pi G rho0), and W = -(Phi - Phi(r_t)) / sigma^2:
 *
 *   W'' + 2 W' / r = -9 rho(W) / rho(W0),  W(0) = W0,  W'(0) = 0,  W(r_t) = 0 */

/* What is integrated along r. mu is 9 times the integral of rho / rho0 r^2, so G M within r, and W' = -mu / r^2; depth is
 * the integral of W over mu. */
struct state {
  double W, mu, depth;
};

/* Steps are this part of r + 1, so that the error of the fourth order is 1e-10, and that of straight lines in a step 1e-6. */
static const double step_part = 1.0 / 512;

/* Up to W0 = 20, where r_t is 30000: 512 ln 30000 steps. */
enum { ROWS = 8192 };

struct table {
  int last;
  double r3[ROWS], W[ROWS], mu[ROWS];
};

/* rho ~ e^W erf(sqrt W) - sqrt(4 W / pi) (1 + 2 W / 3): what is left of the series of the first term, W^(k + 1/2) /
 * Gamma(k + 3/2), when the second takes k = 0 and 1 away. */
static double density(double W)
{
  if (W <= 0) return 0;
  double term = W * W * sqrt(W) * 0.30090111122547003; /* 1 / Gamma(7 / 2) */
  double sum = term;
  for (int k = 3; term > 1e-17 * sum; k++) sum += term *= W / (k + 0.5);
  return sum;
}

static struct state slope(double r, const struct state *s, double rho0)
{
  double dmu = 9 * density(s->W) / rho0 * r * r;
  return (struct state){.W = -s->mu / (r * r), .mu = dmu, .depth = s->W * dmu};
}

static struct state along(const struct state *s, double h, const struct state *k)
{
  return (struct state){s->W + h * k->W, s->mu + h * k->mu, s->depth + h * k->depth};
}

/* One step of Runge and Kutta's fourth order. */
static struct state advance(double r, double h, const struct state *s, double rho0)
{
  struct state k1 = slope(r, s, rho0), at = along(s, h / 2, &k1);
  struct state k2 = slope(r + h / 2, &at, rho0);
  at = along(s, h / 2, &k2);
  struct state k3 = slope(r + h / 2, &at, rho0);
  at = along(s, h, &k3);
  struct state k4 = slope(r + h, &at, rho0);
  at = along(s, h / 6, &k1);
  at = along(&at, h / 3, &k2);
  at = along(&at, h / 3, &k3);
  return along(&at, h / 6, &k4);
}

static void put_row(struct table *t, double r, double W, double mu)
{
  t->r3[t->last] = r * r * r;
  t->W[t->last] = W;
  t->mu[t->last] = mu;
}

/* From the series about the center to the last step before W = 0; there is hardly any mass beyond it, so W is linear in
 * 1 / r. Returns the length for U = -1/2: with G = M = 1 it is mean W / mu + 1 / r_t. */
static double integrate(double W0, struct table *t)
{
  double rho0 = density(W0), r = step_part;
  struct state s = {.W = W0 - 1.5 * r * r, .mu = 3 * r * r * r};
  s.depth = W0 * s.mu;
  t->last = 0;
  put_row(t, 0, W0, 0);
  for (;;) {
    t->last++;
    put_row(t, r, s.W, s.mu);
    double h = step_part * (r + 1);
    struct state next = advance(r, h, &s, rho0);
    if (next.W <= 0 || t->last == ROWS - 2) break;
    s = next;
    r += h;
  }
  double r_t = 1 / (1 / r - s.W / s.mu);
  t->last++;
  put_row(t, r_t, 0, s.mu);
  return s.depth / (s.mu * s.mu) + 1 / r_t;
}

/* The row below the one where mu is reached. */
static int row_of(const struct table *t, double mu)
{
  int low = 0, high = t->last;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (t->mu[middle] <= mu)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Speeds are distributed as v^2 (e^(W - v^2 / 2) - 1). Where W is large a normal velocity is kept with the probability
 * 1 - e^(v^2 / 2 - W), where it is small one that is uniform in a ball. */
static void draw_velocity(struct hb_rng *rng, double W, double v[3])
{
  double v2, keep;
  do {
    if (W > 2) {
      hb_elementary_three_normals(rng, v);
      v2 = hb_dot(v, v);
      keep = v2 < 2 * W ? 1 - hb_elementary_exp(v2 / 2 - W) : 0;
    } else {
      double v_escape = sqrt(2 * W);
      v2 = hb_rng_ball(rng, v) * 2 * W;
      for (int k = 0; k < 3; k++) v[k] *= v_escape;
      keep = W > 0 ? (hb_elementary_exp(W - v2 / 2) - 1) / (hb_elementary_exp(W) - 1) : 1;
    }
  } while (hb_rng_uniform(rng) >= keep);
}

static void king_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  const struct table *t = sphere->table;
  double mu_t = t->mu[t->last], mu = hb_rng_uniform(rng) * mu_t, direction[3];
  int k = row_of(t, mu);
  double at = t->mu[k + 1] > t->mu[k] ? (mu - t->mu[k]) / (t->mu[k + 1] - t->mu[k]) : 0;
  double r = hb_elementary_power(t->r3[k] + at * (t->r3[k + 1] - t->r3[k]), 1.0 / 3);
  double W = t->W[k] + at * (t->W[k + 1] - t->W[k]);
  hb_rng_direction(rng, direction);
  for (int c = 0; c < 3; c++) x[c] = r * direction[c];
  draw_velocity(rng, W, v);
  for (int c = 0; c < 3; c++) v[c] /= sqrt(mu_t); /* G M is mu_t where sigma is 1 */
}

static enum hb_status king_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  struct table *table;
  double w0 = params->w0;
  if (!(w0 >= 0.1 && w0 <= 16))
    return hb_fail(HB_ERR_USAGE, "the depth w0 of a King model is %g, expected 0.1 to 16", w0);
  HB_TRY(HB_ALLOC(1, &table));
  *sphere = (struct hb_ic_sphere){.draw = king_draw, .table = table, .length = integrate(w0, table)};
  sphere->reach = hb_elementary_power(table->r3[table->last], 1.0 / 3);
  return HB_OK;
}

/* ---- Holmberg's lamps of 1941 ----------------------------------------------------------------------- */

/* The experiment this program is named after: two nebulae of 37 lamps each pass each other, with light in place of
 * gravity (Holmberg 1941, ApJ 94, 385).
 *
 * From the paper, as quoted in the literature and as NEMO's mkh41 (P. Teuben and A. Toomre) reads its
 * figure 3: one lamp in the center and rings of 6, 8, 10 and 12 with evenly spaced radii, the first lamp of each
 * ring directly above the center; candle power of a lamp 1, 1, 1, 0.7, 0.3 from the center outward; 0.8 m
 * across, for a nebula of 1e11 solar masses and about 2500 pc; both nebulae in the plane of their orbit and
 * turning the same way; the encounters studied range up to parabolic speed and both senses of rotation.
 *
 * Assumed here (the paper itself was not at hand): a closest approach of one diameter; point masses; each ring
 * turns with the speed that balances the mean pull of its own nebula; the start is at a distance of two diameters,
 * one of them between the rims.
 *
 * Units: G = 1, mass of a nebula 1, radius of its outer ring 1. `velocity` is that of the nebulae relative to each
 * other at infinity, before the encounter (0: parabolic). The orbit runs counter-clockwise; `spin` 1 turns the
 * nebulae the same way (direct), -1 the other way (retrograde). */

enum { LAMPS = 37, RINGS = 5 };

static const double closest_approach = 2, start_distance = 4;

/* Cosine and sine of the angle from one lamp to the next, written out: libraries round theirs differently. */
struct ring {
  int lamps;
  double candle_power, radius, cosine, sine;
};

static const struct ring rings[RINGS] = {
    {1, 1.0, 0.00, 1, 0},
    {6, 1.0, 0.25, 0.5, 0.86602540378443864676},
    {8, 1.0, 0.50, 0.70710678118654752440, 0.70710678118654752440},
    {10, 0.7, 0.75, 0.80901699437494742410, 0.58778525229247312917},
    {12, 0.3, 1.00, 0.86602540378443864676, 0.5},
};

/* Masses and positions of one nebula about its center. */
static void place_lamps(double *m, double *x)
{
  double light = 0;
  for (int k = 0; k < RINGS; k++) light += rings[k].lamps * rings[k].candle_power;
  for (int k = 0, i = 0; k < RINGS; k++) {
    const struct ring *ring = &rings[k];
    double c = 0, s = 1; /* directly above the center */
    for (int lamp = 0; lamp < ring->lamps; lamp++, i++) {
      m[i] = ring->candle_power / light;
      x[3 * i] = ring->radius * c;
      x[3 * i + 1] = ring->radius * s;
      x[3 * i + 2] = 0;
      double next = c * ring->cosine - s * ring->sine;
      s = s * ring->cosine + c * ring->sine;
      c = next;
    }
  }
}

/* -(a . x) of lamp i in the field of its nebula: the square of the speed of a circular orbit. */
static double circular_speed2(int i, const double *m, const double *x)
{
  double sum = 0;
  for (int j = 0; j < LAMPS; j++) {
    if (j == i) continue;
    double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1];
    double r2 = dx * dx + dy * dy;
    sum -= m[j] * (dx * x[3 * i] + dy * x[3 * i + 1]) / (r2 * sqrt(r2));
  }
  return sum;
}

/* All lamps of a ring get their mean speed, so that it stays a ring for a while. */
static void set_turning(double spin, const double *m, const double *x, double *v)
{
  for (int k = 0, first = 0; k < RINGS; first += rings[k].lamps, k++) {
    if (rings[k].radius == 0) continue;
    double speed2 = 0;
    for (int i = first; i < first + rings[k].lamps; i++) speed2 += circular_speed2(i, m, x) / rings[k].lamps;
    double omega = spin * sqrt(speed2) / rings[k].radius;
    for (int i = first; i < first + rings[k].lamps; i++) {
      v[3 * i] = -omega * x[3 * i + 1];
      v[3 * i + 1] = omega * x[3 * i];
    }
  }
}

/* Relative orbit of the two centers as point masses: speed from the energy, transverse part from the angular
 * momentum at closest approach, the rest inward. */
static void set_orbit(double v_infinity, double *v_radial, double *v_transverse)
{
  const double mass = 2, q = closest_approach, r = start_distance;
  double speed2 = v_infinity * v_infinity + 2 * mass / r;
  *v_transverse = q / r * sqrt(v_infinity * v_infinity + 2 * mass / q);
  *v_radial = -sqrt(speed2 - *v_transverse * *v_transverse);
}

static enum hb_status holmberg1941_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                        struct hb_particles *p)
{
  (void)model;
  double v_radial, v_transverse;
  place_lamps(p->m, p->x);
  set_turning(params->spin, p->m, p->x, p->v);
  set_orbit(params->velocity, &v_radial, &v_transverse);
  for (size_t i = 0; i < LAMPS; i++) {
    double *x = p->x + 3 * i, *v = p->v + 3 * i;
    x[0] += start_distance / 2;
    v[0] += v_radial / 2;
    v[1] += v_transverse / 2;
    /* the second nebula is the first one turned by half a circle */
    size_t twin = i + LAMPS;
    p->m[twin] = p->m[i];
    for (size_t k = 0; k < 2; k++) {
      p->x[3 * twin + k] = -x[k];
      p->v[3 * twin + k] = -v[k];
    }
  }
  return HB_OK;
}

/* ---- the demonstrations of the CUDA samples --------------------------------------------------------- */

/* The seven demonstrations of the program `nbody` of the CUDA samples, which grew out of [NHP07]. G = 1 and every body
 * has mass 1, so the total mass is N.
 *
 * Transcribed (nbody.cpp and bodysystem.h of the samples, 2022): the table below and the three ways to place bodies;
 * the program starts every demonstration with the shell. Kept: each coordinate of the shell has a radius of its own, so
 * that it is not spherical, and nothing is moved to the center of mass. Ours: the random numbers (the sample uses
 * rand()), double in place of float, and N = 16384, the number for which the sample's own table gives demo1's scales;
 * the sample fills its GPU. Speeds do not depend on N: with other N a demo is bound more or less tightly. eps, dt and
 * damping are notes that `holmberg run` uses, point_size and camera notes for a viewer. */

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

/* ---- three ways to place a body --------------------------------------------------------------------- */

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

static void demo_place(const struct demo *demo, const struct hb_ic_params *params, struct hb_particles *p)
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

/* ---- one of the seven ------------------------------------------------------------------------------- */

static enum hb_status demo_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                struct hb_particles *p)
{
  const struct demo *demo = &demos[model->info.name[4] - '1'];
  const double *camera = demo->camera;
  demo_place(demo, params, p);
  HB_TRY(hb_particles_print_note(p, "eps", "%g", demo->eps));
  HB_TRY(hb_particles_print_note(p, "dt", "%g", model->info.speed / PICTURES_A_SECOND));
  HB_TRY(hb_particles_print_note(p, "damping", "%g", demo->damping));
  HB_TRY(hb_particles_print_note(p, "point_size", "%g", demo->point_size));
  return hb_particles_print_note(p, "camera", "%g %g %g", camera[0], camera[1], camera[2]);
}

/* ---- all of them ------------------------------------------------------------------------------------ */

/* The most particles of models that allow any number: indices stay exact in a float. */
#define MOST ((size_t)1 << 24)

/* The seven of the CUDA samples, which draw a picture after each step. */
#define DEMO(K, SUMMARY, DT)                                                                                 \
  {                                                                                                          \
    {"demo" #K, SUMMARY, "CUDA samples, nbody", "n seed shape", 16384, 1, MOST, 60 * DT, 0},                 \
        .make = demo_make                                                                                    \
  }

/* name, summary, source, options; n, the least and the most; speed; is_cluster */
static const struct hb_ic_ops models[] = {
    {{"plummer", "Plummer's sphere in virial equilibrium, M = 1, E = -1/4",
      "Aarseth, Henon & Wielen 1974, A&A 37, 183", "n seed r-cut scaling", 1024, 2, MOST, 0.5, 1},
     .eps = 1.0 / 256,
     .open = plummer_open},
    {{"coldsphere", "uniform sphere at rest, M = 1, R = 1: it collapses at t = 1.1",
      "van Albada 1982, MNRAS 201, 939", "n seed", 1024, 1, MOST, 0.25, 1},
     .eps = 1.0 / 256,
     .open = coldsphere_open},
    {{"king", "King's model of a tidally limited cluster in virial equilibrium, M = 1, E = -1/4",
      "King 1966, AJ 71, 64", "n seed w0 scaling", 1024, 2, MOST, 0.5, 1},
     .eps = 1.0 / 256,
     .open = king_open},
    {{"cube", "uniform cube from -1 to 1 at rest, M = 1", "", "n seed", 1024, 1, MOST, 0.4, 0},
     .eps = 1.0 / 256,
     .make = cube_make},
    {{"twobody", "two bodies on a Kepler orbit, at apocenter", "Kepler 1609; Newton 1687", "m1 m2 a e", 2, 2,
      2, 1, 0},
     .make = twobody_make},
    {{"figure8", "three equal masses on a figure eight, period 6.3259",
      "Chenciner & Montgomery 2000, Ann. Math. 152, 881", "", 3, 3, 3, 6.32591398 / 6, 0},
     .bodies = figure8},
    {{"pythagorean", "masses 3, 4, 5 at rest in the corners of a 3-4-5 triangle",
      "Burrau 1913, AN 195, 113; Szebehely & Peters 1967, AJ 72, 876", "", 3, 3, 3, 2, 0},
     .bodies = pythagorean},
    {{"holmberg1941", "two passing nebulae of 37 lamps each, as Erik Holmberg laid them out",
      "Holmberg 1941, ApJ 94, 385", "velocity spin", 74, 74, 74, 0.4, 0},
     .eps = 1.0 / 256,
     .make = holmberg1941_make},
    {{"disc", "a galaxy: exponential disc with Q = 1.5, bulge and halo; M = h = 1 of the disc, stable",
      "Hernquist 1993, ApJS 86, 389", "n seed", 8192, 64, MOST, 1.5, 0},
     .make = hb_galaxy_make},
    {{"merger", "two such galaxies on a parabola: tails, bridges, and in the end one galaxy",
      "Toomre & Toomre 1972, ApJ 178, 623; Hernquist 1993", "n seed", 8192, 128, MOST, 1.5, 0},
     .make = hb_galaxy_make_two},
    DEMO(1, "a turning shell of masses 1, eps 0.1, dt 0.016", 0.016),
    DEMO(2, "the same, smaller and faster", 0.016),
    DEMO(3, "a shell within its softening, eps 1, dt 0.0006", 0.0006),
    DEMO(4, "as demo3", 0.0006),
    DEMO(5, "the same, larger, dt 0.0019", 0.0019),
    DEMO(6, "a shell with eps 0.145, dt 0.0016", 0.0016),
    DEMO(7, "a large shell at rest, eps 1, dt 0.016", 0.016),
};

enum { MODEL_COUNT = sizeof models / sizeof *models };

static struct hb_ic_model infos[MODEL_COUNT];
static pthread_once_t infos_filled = PTHREAD_ONCE_INIT;

static void fill_infos(void)
{
  for (size_t k = 0; k < MODEL_COUNT; k++) infos[k] = models[k].info;
}

const struct hb_ic_model *hb_ic_models(size_t *count)
{
  pthread_once(&infos_filled, fill_infos);
  *count = MODEL_COUNT;
  return infos;
}

enum hb_ic_scaling hb_ic_scaling_for(size_t n)
{
  return n <= HB_IC_MEASURED_MOST ? HB_IC_SCALING_MEASURED : HB_IC_SCALING_MODEL;
}

static enum hb_status find_model(const char *name, const struct hb_ic_ops **model)
{
  size_t nearest = 0;
  *model = NULL;
  for (size_t k = 0; k < MODEL_COUNT; k++) {
    if (strcmp(models[k].info.name, name) == 0) {
      *model = &models[k];
      return HB_OK;
    }
    if (hb_text_distance(name, models[k].info.name) < hb_text_distance(name, models[nearest].info.name))
      nearest = k;
  }
  return hb_fail(HB_ERR_USAGE, "unknown model '%s', did you mean '%s'?", name, models[nearest].info.name);
}

static enum hb_status check_n(const struct hb_ic_model *info, size_t n)
{
  if (n >= info->n_min && n <= info->n_max) return HB_OK;
  if (info->n_min == info->n_max)
    return hb_fail(HB_ERR_USAGE, "model %s has %zu particles, not %zu", info->name, info->n_min, n);
  return hb_fail(HB_ERR_USAGE, "model %s accepts %zu to %zu particles, not %zu", info->name, info->n_min,
                 info->n_max, n);
}

/* Zero meant the default, which stands there now. */
static enum hb_status check_values(const struct hb_ic_params *p)
{
  HB_TRY(hb_cluster_check_number("mass m1", p->m1, 0, INFINITY));
  HB_TRY(hb_cluster_check_number("mass m2", p->m2, 0, INFINITY));
  HB_TRY(hb_cluster_check_number("semi-major axis a", p->a, 0, INFINITY));
  if (!(p->e >= 0 && p->e < 1))
    return hb_fail(HB_ERR_USAGE, "eccentricity e is %g, expected 0 <= e < 1", p->e);
  HB_TRY(hb_cluster_check_number("cut-off radius", p->r_cut, 0, INFINITY));
  HB_TRY(hb_cluster_check_number("velocity at infinity", p->velocity, 0, INFINITY));
  if ((unsigned)p->shape > HB_IC_SHAPE_EXPAND)
    return hb_fail(HB_ERR_USAGE, "the shape is %d, expected 0, 1 or 2", (int)p->shape);
  if (!isfinite(p->spin)) return hb_fail(HB_ERR_USAGE, "spin is %g, expected finite", p->spin);
  return HB_OK;
}

/* Unless the model has written it. A softening is not what stars of many masses and binaries mean. */
static enum hb_status note_eps(const struct hb_ic_ops *model, const struct hb_ic_cluster *cluster,
                               struct hb_particles *p)
{
  double eps = cluster->binaries > 0 ? 0 : model->eps;
  if (hb_particles_note(p, "eps")) return HB_OK;
  for (size_t i = 1; i < p->n && model->info.is_cluster; i++)
    if (p->m[i] != p->m[0]) eps = 0;
  return hb_softening_note(p, eps);
}

static enum hb_status fill(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                           struct hb_particles *p)
{
  if (model->open) return hb_cluster_make(model, params, p);
  if (model->make) return model->make(model, params, p);
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = model->bodies[i][0];
    memcpy(p->x + 3 * i, model->bodies[i] + 1, 3 * sizeof *p->x);
    memcpy(p->v + 3 * i, model->bodies[i] + 4, 3 * sizeof *p->v);
  }
  return HB_OK;
}

enum hb_status hb_ic_make(const char *name, const struct hb_ic_params *params,
                          struct hb_particles **particles)
{
  HB_TEXT_IN_C;
  *particles = NULL;
  const struct hb_ic_ops *model;
  HB_TRY(find_model(name, &model));
  struct hb_ic_params p = params ? *params : (struct hb_ic_params){0};
  if (model->info.is_cluster)
    HB_TRY(hb_cluster_check(&model->info, &p));
  else if (!hb_cluster_is_plain(&p.cluster))
    return hb_fail(HB_ERR_USAGE, "model %s is not a cluster whose masses, binaries and so on can be chosen",
                   name);
  if (p.n == 0) p.n = model->info.n;
  if (p.w0 == 0) p.w0 = 6;
  if (p.m1 == 0) p.m1 = 0.5;
  if (p.m2 == 0) p.m2 = 0.5;
  if (p.a == 0) p.a = 1;
  if (p.spin == 0) p.spin = 1;
  if (p.scaling == HB_IC_SCALING_AUTO) p.scaling = hb_ic_scaling_for(p.n);
  HB_TRY(check_n(&model->info, p.n));
  HB_TRY(check_values(&p));

  struct hb_particles *made;
  HB_TRY(hb_particles_create(p.n, &made));
  enum hb_status status = fill(model, &p, made);
  if (status == HB_OK) status = note_eps(model, &p.cluster, made);
  if (status != HB_OK) {
    hb_particles_destroy(made);
    return status;
  }
  *particles = made;
  return HB_OK;
}
