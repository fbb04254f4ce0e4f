#include "support/step_case.h"

#include "support/support.h"
#include "core/diagnostics.h"
#include "core/gravity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double step_potential_energy(const struct hb_particles *p, double eps2)
{
  double *phi = malloc(p->n * sizeof *phi);
  assert_non_null(phi);
  hb_gravity_potential(p->n, p->m, p->x, eps2, 0, p->n, phi);
  double e_pot = hb_potential_energy(p, phi);
  free(phi);
  return e_pot;
}

static enum hb_status create(const struct hb_integrator_ops *integrator, const struct hb_particles *initial,
                             const struct hb_sim_params *params, struct hb_force *force, void **state)
{
  struct hb_particles *copy;
  *state = NULL;
  HB_TRY(hb_particles_copy(initial, &copy));
  return integrator->create(copy, params, force, state);
}

enum hb_status step_hermite4(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_force *force, struct hb_hermite4 **hermite4)
{
  void *state;
  struct hb_sim_params complete = *params;
  if (complete.damping == 0) complete.damping = 1;
  enum hb_status status = create(&hb_integrator_hermite4, initial, &complete, force, &state);
  *hermite4 = state;
  return status;
}

enum hb_status step_leapfrog(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_force *force, struct hb_leapfrog **leapfrog)
{
  void *state;
  enum hb_status status = create(&hb_integrator_leapfrog, initial, params, force, &state);
  *leapfrog = state;
  return status;
}

/* Invariant 6. A list that loops is cut off by its count, a particle on two lists by its level. */
static enum hb_status check_lists(const struct hb_blocks *b)
{
  size_t total = 0;
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) {
    uint32_t length = 0;
    for (uint32_t i = b->head[l]; i != UINT32_MAX && length <= b->count[l]; i = b->next[i], length++) {
      if (i >= b->n)
        return hb_fail(HB_ERR_INTERNAL, "blocks, invariant 6: list %u names particle %" PRIu32, l, i);
      if (b->level[i] != l)
        return hb_fail(HB_ERR_INTERNAL, "blocks, invariant 6: particle %" PRIu32 " of level %u is on list %u",
                       i, b->level[i], l);
    }
    if (length != b->count[l] || (length > 0) != (b->occupied >> l & 1))
      return hb_fail(HB_ERR_INTERNAL,
                     "blocks, invariant 6: list %u does not hold the %" PRIu32 " counted particles", l,
                     b->count[l]);
    if (length && l > b->level_max)
      return hb_fail(HB_ERR_INTERNAL, "blocks, invariant 5: level %u is in use", l);
    total += length;
  }
  if (total != b->n)
    return hb_fail(HB_ERR_INTERNAL, "blocks, invariant 6: %zu of %zu particles are on lists", total, b->n);
  return HB_OK;
}

/* Invariants 1 and 2, from which 3 and 4 follow. */
static enum hb_status check_times(const struct hb_blocks *b, const uint64_t *t)
{
  for (size_t i = 0; i < b->n; i++) {
    uint64_t dt = (uint64_t)1 << b->level[i];
    if (t[i] % dt != 0)
      return hb_fail(HB_ERR_INTERNAL, "blocks, invariant 1: particle %zu at %" PRIu64 " has step %" PRIu64, i,
                     t[i], dt);
    if (t[i] > b->now || b->now - t[i] >= dt)
      return hb_fail(HB_ERR_INTERNAL,
                     "blocks, invariant 2: particle %zu at %" PRIu64 " with step %" PRIu64
                     ", but T = %" PRIu64,
                     i, t[i], dt, b->now);
  }
  return HB_OK;
}

enum hb_status step_blocks_check(const struct hb_blocks *blocks, const uint64_t *t)
{
  HB_TRY(check_lists(blocks));
  return t ? check_times(blocks, t) : HB_OK;
}

struct hb_particles *step_particles(size_t n, const double *m, const double *x, const double *v)
{
  struct hb_particles *p;
  assert_int_equal(hb_particles_create(n, &p), HB_OK);
  memcpy(p->m, m, n * sizeof *m);
  memcpy(p->x, x, 3 * n * sizeof *x);
  memcpy(p->v, v, 3 * n * sizeof *v);
  return p;
}

struct hb_particles *step_binary(double e)
{
  double d = 1 + e, u = sqrt((1 - e) / (1 + e));
  const double m[] = {0.5, 0.5}, x[] = {-d / 2, 0, 0, d / 2, 0, 0}, v[] = {0, -u / 2, 0, 0, u / 2, 0};
  return step_particles(2, m, x, v);
}

struct hb_force *step_host(double eps)
{
  struct hb_force *force;
  assert_int_equal(hb_force_open(&(struct hb_force_params){.scheme = "host", .eps = eps}, &force), HB_OK);
  return force;
}

struct hb_hermite4 *step_start(struct hb_particles *p, double eta, double dt_max, double dt_min)
{
  struct hb_hermite4 *h;
  struct hb_sim_params params = {.eta = eta, .dt_max = dt_max, .dt_min = dt_min};
  assert_int_equal(step_hermite4(p, &params, step_host(0), &h), HB_OK);
  hb_particles_destroy(p);
  return h;
}

void step_finish(struct hb_hermite4 *h)
{
  hb_force_close(h->force);
  step_hermite4_destroy(h);
}
