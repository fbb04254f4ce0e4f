/* hb_sim_change: identities become the integrator's numbers, values those in its frame; what cannot be done is refused before anything
 * has changed. */
#include "sim/sim.h"

#include "base/mem.h"
#include "base/ranks.h"
#include "force/force.h"
#include "gl/gl_context.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- identities ---- */

/* Particles by ascending identity. */
struct directory {
  const struct hb_particles *p;
  uint32_t *order;
};

static uint32_t slot_of(const struct directory *d, uint64_t id)
{
  size_t low = 0, high = d->p->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (d->p->id[d->order[middle]] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < d->p->n && d->p->id[d->order[low]] == id ? d->order[low] : UINT32_MAX;
}

/* Of few identities a look at all costs less than to sort them. */
static uint32_t look_for(const struct hb_particles *p, uint64_t id)
{
  uint32_t i = 0;
  while (i < p->n && p->id[i] != id) i++;
  return i < p->n ? i : UINT32_MAX;
}

static uint32_t find(const struct directory *d, uint64_t id)
{
  return d->order ? slot_of(d, id) : look_for(d->p, id);
}

static enum hb_status find_all(const struct directory *d, size_t n, const uint64_t *id, uint8_t *is_named,
                               uint32_t *slot)
{
  for (size_t k = 0; k < n; k++) {
    slot[k] = find(d, id[k]);
    if (slot[k] == UINT32_MAX)
      return hb_fail(HB_ERR_USAGE, "the change names particle %" PRIu64 ", which does not exist", id[k]);
    if (is_named[slot[k]])
      return hb_fail(HB_ERR_USAGE, "the change names particle %" PRIu64 " twice, expected once", id[k]);
    is_named[slot[k]] = 1;
  }
  return HB_OK;
}

static enum hb_status check_new(const struct directory *d, const struct hb_particles *added)
{
  uint32_t *order;
  size_t twice;
  for (size_t k = 0; k < added->n; k++)
    if (find(d, added->id[k]) != UINT32_MAX)
      return hb_fail(HB_ERR_USAGE, "the change adds particle %" PRIu64 ", which exists already",
                     added->id[k]);
  HB_TRY(HB_ALLOC(added->n, &order));
  enum hb_status status = hb_identity_sort(added->n, added->id, order, &twice);
  if (status == HB_OK && twice < added->n)
    status = hb_fail(HB_ERR_USAGE, "the change adds particle %" PRIu64 " twice, expected once",
                     added->id[order[twice]]);
  hb_mem_free(order);
  return status;
}

/* ---- values ---- */

static enum hb_status check_values(const struct hb_change *c, const char *what, const double *q, size_t per,
                                   double least)
{
  for (size_t k = 0; q && k < per * c->n; k++)
    if (!(isfinite(q[k]) && fabs(q[k]) <= HB_SECTIONS_MOST && q[k] >= least))
      return hb_fail(HB_ERR_INPUT, "the change has the %s %g for particle %" PRIu64 ", expected finite%s",
                     what, q[k], c->id[k / per], least == 0 ? " and at least 0" : "");
  return HB_OK;
}

static enum hb_status check_all_values(const struct hb_change *c)
{
  HB_TRY(check_values(c, "mass", c->m, 1, 0));
  HB_TRY(check_values(c, "radius", c->radius, 1, 0));
  HB_TRY(check_values(c, "position", c->x, 3, -INFINITY));
  HB_TRY(check_values(c, "velocity", c->v, 3, -INFINITY));
  return c->added ? hb_particles_check(c->added) : HB_OK;
}

/* ---- what cannot be changed ---- */

static enum hb_status check_sim(const struct hb_sim *sim, const struct hb_change *c)
{
  if (c->n && !c->id)
    return hb_fail(HB_ERR_USAGE, "the change has no identities (NULL) of %zu particles", c->n);
  if (c->n_removed && !c->removed)
    return hb_fail(HB_ERR_USAGE, "the change has no identities (NULL) of %zu removed particles",
                   c->n_removed);
  if (hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "particles are changed by gravity, and this interaction is not gravity");
  if (!c->n_removed && !c->added) return HB_OK;
  struct hb_gl_devices devices;
  if (hb_gl_devices_named(sim->device, &devices) == HB_OK && devices.count > 0)
    return hb_fail(
        HB_ERR_USAGE,
        "particles are added and removed on a single device (with several, begin anew from hb_sim_state)");
  return sim->params.predict == HB_PLACE_HOST
             ? HB_OK
             : hb_fail(HB_ERR_USAGE,
                       "particles are added and removed with predict host (with predict gpu, begin anew from "
                       "hb_sim_state)");
}

/* ---- the change ---- */

struct prepared {
  struct hb_state_change by;
  struct directory directory;
  uint8_t *is_named;
  uint32_t *slot, *removed;
  double *x, *v;
  struct hb_particles *added;
};

/* Into the frame of the integrator. */
static enum hb_status take_places(const struct hb_sim *sim, const struct hb_change *c, struct prepared *p)
{
  double origin[3];
  hb_frame_at(&sim->frame, hb_sim_time(sim), origin);
  if (c->x) HB_TRY(HB_ALLOC(3 * c->n, &p->x));
  if (c->v) HB_TRY(HB_ALLOC(3 * c->n, &p->v));
  if (c->x) hb_frame_subtract(origin, c->n, c->x, p->x);
  if (c->v) hb_frame_subtract(sim->frame.v, c->n, c->v, p->v);
  if (!c->added) return HB_OK;
  HB_TRY(hb_particles_copy(c->added, &p->added));
  hb_frame_subtract(origin, p->added->n, p->added->x, p->added->x);
  hb_frame_subtract(sim->frame.v, p->added->n, p->added->v, p->added->v);
  return hb_force_check_range(sim->force, p->added->n, p->added->m, p->added->x, p->added->v);
}

static enum hb_status prepare(const struct hb_sim *sim, const struct hb_change *c, struct prepared *p)
{
  enum { FEW = 8 };
  size_t named = c->n + c->n_removed + (c->added ? c->added->n : 0), twice;
  const struct hb_particles *all = sim->integrator->bodies(sim->state);
  p->directory.p = all;
  HB_TRY(check_sim(sim, c));
  if (named > FEW) {
    HB_TRY(HB_ALLOC(all->n, &p->directory.order));
    HB_TRY(hb_identity_sort(all->n, all->id, p->directory.order, &twice));
  }
  HB_TRY(HB_ALLOC(all->n, &p->is_named));
  HB_TRY(HB_ALLOC(c->n, &p->slot));
  HB_TRY(HB_ALLOC(c->n_removed, &p->removed));
  HB_TRY(find_all(&p->directory, c->n, c->id, p->is_named, p->slot));
  HB_TRY(find_all(&p->directory, c->n_removed, c->removed, p->is_named, p->removed));
  if (c->added) HB_TRY(check_new(&p->directory, c->added));
  HB_TRY(check_all_values(c));
  if (c->n_removed == all->n && !c->added)
    return hb_fail(HB_ERR_USAGE, "the change removes all %zu particles, expected one to be left", all->n);
  HB_TRY(take_places(sim, c, p));
  p->by = (struct hb_state_change){.n = c->n,
                                   .slot = p->slot,
                                   .m = c->m,
                                   .radius = c->radius,
                                   .x = p->x,
                                   .v = p->v,
                                   .n_removed = c->n_removed,
                                   .removed = p->removed,
                                   .added = p->added};
  return HB_OK;
}

enum hb_status hb_sim_change(struct hb_sim *sim, const struct hb_change *change)
{
  HB_GL_VISIT;
  struct prepared p = {.slot = NULL};
  if (!change) return hb_fail(HB_ERR_USAGE, "no change (NULL)");
  enum hb_status status = prepare(sim, change, &p);
  if (status == HB_OK && change->n + change->n_removed + hb_change_added(&p.by) > 0)
    status = sim->integrator->change(sim->state, &p.by);
  hb_mem_free(p.directory.order);
  hb_mem_free(p.is_named);
  hb_mem_free(p.slot);
  hb_mem_free(p.removed);
  hb_mem_free(p.x);
  hb_mem_free(p.v);
  hb_particles_destroy(p.added);
  return status;
}
