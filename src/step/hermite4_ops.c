/* hermite4 as one of the integrators. */
#include "step/hermite4.h"
#include "step/state_view.h"

#include <math.h>

static struct hb_hermite4_params own_params(const struct hb_sim_params *params)
{
  return (struct hb_hermite4_params){.eta = params->eta,
                                     .dt_max = params->dt_max,
                                     .dt_min = params->dt_min,
                                     .rounding = params->rounding,
                                     .transfer = params->transfer,
                                     .predict = params->predict,
                                     .correct = params->correct,
                                     .steps = params->steps};
}

static enum hb_status ops_create(struct hb_particles *initial, const struct hb_sim_params *params,
                                 struct hb_force *force, void **state)
{
  const struct hb_hermite4_params own = own_params(params);
  struct hb_hermite4 *h = NULL;
  *state = NULL;
  if (params->dt != 0 || params->damping != 1) {
    hb_particles_destroy(initial);
    return hb_fail(HB_ERR_USAGE, "integrator hermite4 has no constant step and no damping (leapfrog has)");
  }
  enum hb_status status = hb_hermite4_take(initial, &own, force, &h);
  *state = h;
  return status;
}

static enum hb_status ops_resume(const struct hb_sections *sections, const struct hb_sim_params *params,
                                 struct hb_force *force, void **state)
{
  const struct hb_hermite4_params own = own_params(params);
  struct hb_hermite4 *h = NULL;
  enum hb_status status = hb_hermite4_resume(sections, &own, force, &h);
  *state = h;
  return status;
}

static enum hb_status ops_quantity(void *state, enum hb_quantity quantity, double *value)
{
  struct hb_hermite4 *h = state;
  if (quantity == HB_QUANTITY_ACC) HB_TRY(hb_hermite4_sync(h));
  for (size_t i = 0; i < h->n; i++) {
    unsigned level = h->blocks->level[i];
    const double *a = h->a + 3 * i;
    if (quantity == HB_QUANTITY_ACC)
      value[i] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    else if (quantity == HB_QUANTITY_STEP)
      value[i] = hb_hermite4_span(h, (uint64_t)1 << level);
    else
      value[i] = hb_hermite4_span(h, h->blocks->now - hb_blocks_level_time(h->blocks, level));
  }
  return HB_OK;
}

static void ops_counts(const void *state, struct hb_sim_counts *counts)
{
  const struct hb_hermite4 *h = state;
  *counts = (struct hb_sim_counts){.n = h->n,
                                   .block_steps = h->block_steps,
                                   .particle_steps = h->particle_steps,
                                   .pairs = h->particle_steps * (h->n - 1),
                                   .noisy_steps = h->noisy_steps,
                                   .at_dt_min = h->blocks->count[0],
                                   .cut = h->cut};
  counts->cut.dt_min = h->params.dt_min;
}

static void ops_phases(const void *state, struct hb_phases *phases)
{
  *phases = ((const struct hb_hermite4 *)state)->phases;
}

const struct hb_integrator_ops hb_integrator_hermite4 = {
    .info = {.name = "hermite4",
             .summary = "fourth order Hermite predictor-corrector with block steps, individual or shared",
             .source = "[PZ07] section 2"},
    .create = ops_create,
    .destroy = hb_hermite4_destroy,
    .save = hb_hermite4_save,
    .resume = ops_resume,
    .time = hb_hermite4_time,
    .next_time = hb_hermite4_next_time,
    .step = hb_hermite4_step,
    .particles = hb_hermite4_state,
    .look = hb_hermite4_look,
    .quantity = ops_quantity,
    .counts = ops_counts,
    .phases = ops_phases,
};
