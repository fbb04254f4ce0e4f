#include "ic/ic.h"

#include "base/text.h"
#include "core/softening.h"
#include "ic/cluster.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

const char *const hb_ic_scaling_names[] = {"auto", "measured", "model", NULL};
const char *const hb_ic_shape_names[] = {"shell", "random", "expand", NULL};
const char *const hb_ic_pairing_names[] = {"random", "ordered", "uniform", NULL};
const char *const hb_ic_orbits_names[] = {"opik", "kroupa1995", "duquennoy1991", NULL};
const char *const hb_ic_eccentricities_names[] = {"thermal", "uniform", "circular", NULL};

static const struct hb_ic_ops *const models[] = {
    &hb_ic_plummer,  &hb_ic_coldsphere,  &hb_ic_king,         &hb_ic_cube,     &hb_ic_twobody,
    &hb_ic_figure8,  &hb_ic_pythagorean, &hb_ic_holmberg1941, &hb_ic_disc,     &hb_ic_merger,
    &hb_ic_demos[0], &hb_ic_demos[1],    &hb_ic_demos[2],     &hb_ic_demos[3], &hb_ic_demos[4],
    &hb_ic_demos[5], &hb_ic_demos[6]};

enum { MODEL_COUNT = sizeof models / sizeof *models };

static struct hb_ic_model infos[MODEL_COUNT];
static pthread_once_t infos_filled = PTHREAD_ONCE_INIT;

static void fill_infos(void)
{
  for (size_t k = 0; k < MODEL_COUNT; k++) infos[k] = models[k]->info;
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
    if (strcmp(models[k]->info.name, name) == 0) {
      *model = models[k];
      return HB_OK;
    }
    if (hb_text_distance(name, models[k]->info.name) < hb_text_distance(name, models[nearest]->info.name))
      nearest = k;
  }
  return hb_fail(HB_ERR_USAGE, "unknown model '%s', did you mean '%s'?", name, models[nearest]->info.name);
}

static enum hb_status check_n(const struct hb_ic_model *info, size_t n)
{
  if (n >= info->n_min && n <= info->n_max) return HB_OK;
  if (info->n_min == info->n_max)
    return hb_fail(HB_ERR_USAGE, "model %s has %zu particles, not %zu", info->name, info->n_min, n);
  return hb_fail(HB_ERR_USAGE, "model %s accepts %zu to %zu particles, not %zu", info->name, info->n_min,
                 info->n_max, n);
}

/* Zero means the default, so that all other values must be positive. */
static enum hb_status check_positive(const char *what, double value)
{
  if (isfinite(value) && value > 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s is %g, expected finite and > 0", what, value);
}

static enum hb_status check_values(const struct hb_ic_params *p)
{
  HB_TRY(check_positive("mass m1", p->m1));
  HB_TRY(check_positive("mass m2", p->m2));
  HB_TRY(check_positive("semi-major axis a", p->a));
  if (!(p->e >= 0 && p->e < 1))
    return hb_fail(HB_ERR_USAGE, "eccentricity e is %g, expected 0 <= e < 1", p->e);
  if (p->r_cut != 0) HB_TRY(check_positive("cut-off radius", p->r_cut));
  if (p->velocity != 0) HB_TRY(check_positive("velocity at infinity", p->velocity));
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
  enum hb_status status = model->open ? hb_cluster_make(model, &p, made) : model->make(&p, made);
  if (status == HB_OK) status = note_eps(model, &p.cluster, made);
  if (status != HB_OK) {
    hb_particles_destroy(made);
    return status;
  }
  *particles = made;
  return HB_OK;
}
