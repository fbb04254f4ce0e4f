#include "ic/models.h"

#include "base/text.h"
#include "core/particles.h"
#include "ic/cluster.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

const char *const hb_ic_scaling_names[] = {"auto", "measured", "model", NULL};
const char *const hb_ic_shape_names[] = {"shell", "random", "expand", NULL};
const char *const hb_ic_pairing_names[] = {"random", "ordered", "uniform", NULL};
const char *const hb_ic_orbits_names[] = {"opik", "kroupa1995", "duquennoy1991", NULL};
const char *const hb_ic_eccentricities_names[] = {"thermal", "uniform", "circular", NULL};

/* ---- models of few bodies, and of none ---------------------------------------------------------------- */

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

/* ---- all of them -------------------------------------------------------------------------------------- */

/* The most particles of models that allow any number: indices stay exact in a float. */
#define MOST ((size_t)1 << 24)

/* The seven of the CUDA samples, which draw a picture after each step. */
#define DEMO(K, SUMMARY, DT)                                                                                 \
  {                                                                                                          \
    {"demo" #K, SUMMARY, "CUDA samples, nbody", "n seed shape", 16384, 1, MOST, 60 * DT, 0},                 \
        .make = hb_demo_make                                                                                 \
  }

/* name, summary, source, options; n, the least and the most; speed; is_cluster */
static const struct hb_ic_ops models[] = {
    {{"plummer", "Plummer's sphere in virial equilibrium, M = 1, E = -1/4",
      "Aarseth, Henon & Wielen 1974, A&A 37, 183", "n seed r-cut scaling", 1024, 2, MOST, 0.5, 1},
     .eps = 1.0 / 256,
     .open = hb_spheres_plummer},
    {{"coldsphere", "uniform sphere at rest, M = 1, R = 1: it collapses at t = 1.1",
      "van Albada 1982, MNRAS 201, 939", "n seed", 1024, 1, MOST, 0.25, 1},
     .eps = 1.0 / 256,
     .open = hb_spheres_cold},
    {{"king", "King's model of a tidally limited cluster in virial equilibrium, M = 1, E = -1/4",
      "King 1966, AJ 71, 64", "n seed w0 scaling", 1024, 2, MOST, 0.5, 1},
     .eps = 1.0 / 256,
     .open = hb_spheres_king},
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
     .make = hb_holmberg1941_make},
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
