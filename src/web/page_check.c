/* How exact the forces of the page's shaders are: what exercise 3 is about. */
#include "web/page.h"

#include "base/arith.h"
#include "base/mem.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "force/force.h"

#include <math.h>

enum { CHECKED = 256 };

struct sums {
  double a[3 * CHECKED], j[3 * CHECKED], phi[CHECKED];
};

static enum hb_status by_shaders(const struct hb_particles *p, size_t ni, const uint32_t *index,
                                 struct sums *sums)
{
  struct hb_force_params params = hb_page_params().force;
  params.eps = hb_sim_taken(page.sim)->force.eps;
  struct hb_force *force;
  if (hb_force_scheme_find(params.scheme)->has_tuning) params.tuning = "partial=1 unroll=1 i_each=1";
  HB_TRY(hb_force_open(&params, &force));
  enum hb_status status = hb_force_of(force, &(struct hb_force_job){.sources = {p->n, p->m, p->x, p->v},
                                                                    .sinks = {.n = ni, .index = index},
                                                                    .to = {sums->a, sums->j, sums->phi}});
  hb_force_close(force);
  return status;
}

static enum hb_status by_host(const struct hb_particles *p, size_t ni, const uint32_t *index,
                              struct sums *sums)
{
  const double eps = hb_sim_taken(page.sim)->force.eps;
  struct hb_gravity *gravity;
  HB_TRY(hb_gravity_create(p->n, &gravity));
  hb_gravity_set_j(gravity, p->n, p->m, p->x, p->v);
  hb_gravity_eval(gravity, eps * eps, ni, index, sums->a, sums->j, sums->phi);
  hb_gravity_destroy(gravity);
  return HB_OK;
}

static double root_mean_square(size_t ni, const double *a, const double *exact)
{
  double sum = 0;
  for (size_t i = 0; i < ni; i++) {
    double d2 = 0, r2 = 0;
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
      d2 += (a[k] - exact[k]) * (a[k] - exact[k]);
      r2 += exact[k] * exact[k];
    }
    sum += d2 / r2;
  }
  return sqrt(sum / (double)ni);
}

static enum hb_status check(struct hb_particles *p, struct sums *both)
{
  uint32_t index[CHECKED];
  size_t ni = hb_min(p->n, CHECKED);
  for (size_t k = 0; k < ni; k++) index[k] = (uint32_t)(k * p->n / ni);
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] = (float)p->x[k], p->v[k] = (float)p->v[k];
  for (size_t k = 0; k < p->n; k++) p->m[k] = (float)p->m[k];
  HB_TRY(by_shaders(p, ni, index, &both[0]));
  HB_TRY(by_host(p, ni, index, &both[1]));
  page.force_error = root_mean_square(ni, both[0].a, both[1].a);
  return HB_OK;
}

/* The relative error of the acceleration, as `holmberg bench force --check --float-positions` has it: of numbers that a float
 * holds, and of bag in sums of single terms, so that nothing is lost but in adding. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_check(void)
{
  struct hb_particles *now;
  struct sums *both = NULL;
  if (!page.sim) return hb_fail(HB_ERR_USAGE, "there is no simulation");
  HB_TRY(hb_sim_state(page.sim, hb_sim_time(page.sim), &now));
  enum hb_status status = HB_ALLOC(2, &both);
  if (status == HB_OK) status = check(now, both);
  hb_mem_free(both);
  hb_particles_destroy(now);
  return status;
}
