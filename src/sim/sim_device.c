/* What is drawn of a simulation: where its particles lie on the device, and what they can be colored by. */
#include "sim/diagnose.h"
#include "sim/sim.h"
#include "force/force.h"

#include "sim/sim_device.h"

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
  if (particles->n == 0) *particles = (struct hb_device_particles){0}; /* resumed: nothing was sent yet */
  particles->t = sim->integrator->time(sim->state);
  hb_frame_at(&sim->frame, particles->t, particles->origin);
  memcpy(particles->drift, sim->frame.v, sizeof particles->drift);
}

enum hb_status hb_sim_quantity(struct hb_sim *sim, enum hb_quantity quantity, double *value)
{
  if ((unsigned)quantity > HB_QUANTITY_AGE)
    return hb_fail(HB_ERR_USAGE, "quantity %d of particles, expected 0 to %d", (int)quantity,
                   HB_QUANTITY_AGE);
  if (quantity != HB_QUANTITY_SPEED && quantity != HB_QUANTITY_ENERGY)
    return sim->integrator->quantity(sim->state, quantity, value);
  struct hb_state_view look;
  enum hb_status status =
      hb_state_view_open(sim->integrator, sim->state, sim->integrator->time(sim->state), &look);
  if (status == HB_OK && quantity == HB_QUANTITY_ENERGY) status = hb_diagnose_forces(&look, sim->force);
  if (status == HB_OK) hb_frame_leave(&sim->frame, &look.at);
  for (size_t i = 0; status == HB_OK && i < look.at.n; i++) {
    const double *v = look.at.v + 3 * i;
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    value[i] = quantity == HB_QUANTITY_SPEED ? sqrt(v2) : v2 / 2 + look.phi[i];
  }
  hb_state_view_close(&look);
  return status;
}
