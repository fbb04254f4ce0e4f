/* For looking at a simulation: its particles' textures on the device, quantities to color them by, and one of them step by step. */
#include "sim/sim.h"
#include "core/binaries.h"
#include "force/force.h"

#include "sim/sim_device.h"

#include <holmberg/measure.h>

#include <math.h>
#include <string.h>

struct hb_gl_context *hb_sim_device_context(const struct hb_sim *sim)
{
  struct hb_device_particles particles;
  return hb_force_on_device(sim->force, &particles);
}

void hb_sim_on_device(const struct hb_sim *sim, struct hb_device_particles *particles)
{
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  *particles = (struct hb_device_particles){0};
  if (counts.block_steps == 0) return;
  hb_force_on_device(sim->force, particles);
  if (particles->n == 0) *particles = (struct hb_device_particles){0}; /* resumed: nothing has been sent */
  particles->t = sim->integrator->time(sim->state);
  hb_frame_at(&sim->frame, particles->t, particles->origin);
  memcpy(particles->drift, sim->frame.v, sizeof particles->drift);
}

enum hb_status hb_device_use(const struct hb_sim *sim)
{
  struct hb_gl_context *context = hb_sim_device_context(sim);
  return context ? hb_gl_context_take(context)
                 : hb_fail(HB_ERR_USAGE, "scheme %s keeps no particles on a device",
                           hb_force_scheme(sim->force)->name);
}

void hb_device_release(void) { hb_gl_context_release(); }

static enum hb_status count_bound(const struct hb_particles *p, double eps2, double *value)
{
  struct hb_hierarchy hierarchy;
  enum hb_status status = hb_hierarchy_find(p, eps2, &hierarchy);
  if (status == HB_OK) hb_hierarchy_stars(&hierarchy, value);
  hb_hierarchy_clear(&hierarchy);
  return status;
}

enum hb_status hb_sim_quantity(struct hb_sim *sim, enum hb_quantity quantity, double *value)
{
  HB_GL_VISIT;
  if ((unsigned)quantity > HB_QUANTITY_BOUND)
    return hb_fail(HB_ERR_USAGE, "quantity %d of particles, expected 0 to %d", (int)quantity,
                   HB_QUANTITY_BOUND);
  if (quantity == HB_QUANTITY_ACC || quantity == HB_QUANTITY_STEP || quantity == HB_QUANTITY_AGE)
    return sim->integrator->quantity(sim->state, quantity, value);
  struct hb_state_view view;
  enum hb_status status =
      hb_state_view_open(sim->integrator, sim->state, sim->integrator->time(sim->state), &view);
  if (status == HB_OK && quantity == HB_QUANTITY_ENERGY) status = hb_sim_forces(&view, sim->force);
  if (status == HB_OK) hb_frame_leave(&sim->frame, &view.at);
  for (size_t i = 0; status == HB_OK && i < view.at.n; i++) {
    const double *v = view.at.v + 3 * i;
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    value[i] = quantity == HB_QUANTITY_SPEED    ? sqrt(v2)
               : quantity == HB_QUANTITY_ENERGY ? v2 / 2 + view.phi[i]
                                                : view.at.m[i];
  }
  if (status == HB_OK && quantity == HB_QUANTITY_BOUND) status = count_bound(&view.at, sim->eps2, value);
  hb_state_view_close(&view);
  return status;
}

enum hb_status hb_sim_follow(struct hb_sim *sim, struct hb_follow *follow, int *is_due)
{
  HB_GL_VISIT;
  *is_due = 0;
  if (!sim->integrator->follow)
    return hb_fail(HB_ERR_USAGE, "integrator %s has one constant step: no particle is followed by its own",
                   sim->integrator->info.name);
  HB_TRY(sim->integrator->follow(sim->state, follow, is_due));
  if (!*is_due) return HB_OK;
  double origin[3];
  hb_frame_at(&sim->frame, follow->t, origin);
  for (int c = 0; c < 3; c++) follow->x[c] += origin[c], follow->v[c] += sim->frame.v[c];
  return HB_OK;
}
