/* hermite4 as one of the integrators: saving, resuming, and the facts about its state. */
#include "step/hermite4.h"
#include "step/hermite4_bodies.h"
#include "step/hermite4_massless.h"
#include "step/hermite4_passages.h"
#include "force/force.h"
#include "step/state_view.h"

#include "base/bits.h"

#include <math.h>

/* ---- saving and resuming ---- */

/* A restart needs x and v of each particle at its own time, what they lost, its force there and its level, and the time of the last
 * block. The times of the particles follow from that (blocks.h, invariant 2), and the order of the lists does not matter
 * (7). */
enum { NOW, BLOCK_STEPS, PARTICLE_STEPS, NOISY_STEPS, COUNTERS };

static enum hb_status save(const void *state, struct hb_sections *sections)
{
  const struct hb_hermite4 *h = state;
  HB_TRY(hb_hermite4_sync((struct hb_hermite4 *)h)); /* logically const: the state itself does not change */
  const uint64_t counters[COUNTERS] = {h->blocks->now, h->block_steps, h->particle_steps, h->noisy_steps};
  HB_TRY(hb_particles_put(h->particles, sections));
  HB_TRY(hb_sections_put(sections, "a", HB_SECTION_DOUBLES, 3 * h->n, h->a));
  HB_TRY(hb_sections_put(sections, "j", HB_SECTION_DOUBLES, 3 * h->n, h->j));
  HB_TRY(hb_sections_put(sections, "lost", HB_SECTION_WORDS, 3 * h->n, h->lost));
  HB_TRY(hb_sections_put(sections, "level", HB_SECTION_BYTES, h->n, h->blocks->level));
  HB_TRY(hb_sections_put(sections, "shortest", HB_SECTION_WORDS, 1, &h->dt_least));
  if (h->groups) HB_TRY(hb_groups_put(h->groups, sections));
  if (h->bodies) HB_TRY(hb_bodies_put(h, sections));
  if (h->passages) HB_TRY(hb_passages_put(h->passages, sections));
  if (h->massless) HB_TRY(hb_massless_put(h, sections));
  HB_TRY(hb_sections_put_copy(sections, "t0", HB_SECTION_DOUBLES, 1, &h->t0));
  return hb_sections_put_copy(sections, "hermite4", HB_SECTION_WORDS, COUNTERS, counters);
}

static enum hb_status schedule(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  const void *data;
  HB_TRY(hb_sections_get(sections, "level", HB_SECTION_BYTES, h->n, &data));
  const uint8_t *level = data;
  for (size_t i = 0; i < h->n; i++) {
    if (level[i] > h->blocks->level_max)
      return hb_fail(HB_ERR_INPUT, "section 'level' has %u for particle %zu, expected at most %u", level[i],
                     i, h->blocks->level_max);
    if (h->params.steps == HB_STEPS_SHARED && level[i] != level[0])
      return hb_fail(HB_ERR_INPUT, "section 'level' has %u for particle %zu, expected the shared %u",
                     level[i], i, level[0]);
    if (h->groups && h->groups->of[i] == HB_GROUPS_PARKED) continue;
    hb_blocks_put(h->blocks, (uint32_t)i, level[i]);
  }
  return HB_OK;
}

static enum hb_status get_least(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  if (!hb_sections_find(sections, "shortest")) return HB_OK; /* older checkpoints have none */
  HB_TRY(hb_sections_copy(sections, "shortest", HB_SECTION_WORDS, 1, &h->dt_least));
  uint64_t least = h->dt_least;
  if (least == UINT64_MAX || (least && !(least & (least - 1)) && least >> h->blocks->level_max <= 1))
    return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'shortest' has %llu, expected ticks of a step",
                 (unsigned long long)least);
}

static enum hb_status fill(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  uint64_t counters[COUNTERS];
  HB_TRY(hb_sections_copy_finite(sections, "t0", 1, &h->t0));
  if (!(fabs(h->t0) <= HB_PARTICLES_LATEST))
    return hb_fail(HB_ERR_INPUT, "section 't0' has the time %g, expected between -%g and %g", h->t0,
                   HB_PARTICLES_LATEST, HB_PARTICLES_LATEST);
  HB_TRY(hb_sections_copy_finite(sections, "a", 3 * h->n, h->a));
  HB_TRY(hb_sections_copy_finite(sections, "j", 3 * h->n, h->j));
  if (hb_sections_find(sections, "lost")) /* older checkpoints have none */
    HB_TRY(hb_sections_copy(sections, "lost", HB_SECTION_WORDS, 3 * h->n, h->lost));
  for (size_t k = 0; k < 3 * h->n; k++)
    if (!isfinite(hb_bits_to_float((uint32_t)h->lost[k]) + hb_bits_to_float((uint32_t)(h->lost[k] >> 32))))
      return hb_fail(HB_ERR_INPUT, "section 'lost' has a number that is not finite for particle %zu", k / 3);
  HB_TRY(hb_sections_copy(sections, "hermite4", HB_SECTION_WORDS, COUNTERS, counters));
  HB_TRY(get_least(sections, h));
  h->blocks->now = counters[NOW];
  h->block_steps = counters[BLOCK_STEPS];
  h->particle_steps = counters[PARTICLE_STEPS];
  h->noisy_steps = counters[NOISY_STEPS];
  if (h->groups) HB_TRY(hb_groups_get(sections, h->groups));
  if (h->groups) hb_hermite4_resume_parking(h);
  if (h->bodies) HB_TRY(hb_bodies_get(sections, h));
  HB_TRY(hb_passages_get(sections, h));
  if (h->massless) HB_TRY(hb_massless_get(sections, h));
  HB_TRY(schedule(sections, h));
  if (h->groups) HB_TRY(hb_hermite4_check_groups(h));
  if (!isfinite(hb_hermite4_next_time(h)))
    return hb_fail(HB_ERR_INPUT,
                   "section 'hermite4' is at step %llu of dt_min, beyond which time cannot be counted",
                   (unsigned long long)h->blocks->now);
  return h->params.predict == HB_PLACE_GPU ? hb_hermite4_keep(h, h->n, NULL) : HB_OK;
}

static enum hb_status resume(const struct hb_sections *sections, const struct hb_sim_params *params,
                             struct hb_force *force, void **state)
{
  struct hb_particles *particles;
  *state = NULL;
  HB_TRY(hb_particles_get(sections, &particles));
  struct hb_hermite4 *h;
  enum hb_status status = hb_hermite4_prepare(particles, params, force, &h);
  if (status == HB_OK) status = fill(sections, h);
  if (status != HB_OK) {
    hb_hermite4_destroy(h);
    return status;
  }
  *state = h;
  return HB_OK;
}

/* ---- facts ---- */

static enum hb_status quantity(void *state, enum hb_quantity which, double *value)
{
  struct hb_hermite4 *h = state;
  if (which == HB_QUANTITY_ACC) HB_TRY(hb_hermite4_sync(h));
  for (size_t i = 0; i < h->n; i++) {
    unsigned level = h->blocks->level[i];
    const double *a = h->a + 3 * i;
    if (which == HB_QUANTITY_ACC)
      value[i] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    else if (which == HB_QUANTITY_STEP)
      value[i] = hb_hermite4_span(h, (uint64_t)1 << level);
    else
      value[i] = hb_hermite4_span(h, h->blocks->now - hb_blocks_level_time(h->blocks, level));
  }
  return HB_OK;
}

static void report(void *state, struct hb_events *events) { ((struct hb_hermite4 *)state)->events = events; }

static void counts(const void *state, struct hb_sim_counts *counts)
{
  const struct hb_hermite4 *h = state;
  size_t sources = h->n;
  if (h->params.predict == HB_PLACE_HOST) hb_force_massive(h->force, h->n, &sources);
  *counts =
      (struct hb_sim_counts){.n = h->n,
                             .block_steps = h->block_steps,
                             .particle_steps = h->particle_steps,
                             .pairs = h->particle_steps * hb_force_pairs(h->n, sources),
                             .sources = sources,
                             .noisy_steps = h->noisy_steps,
                             .at_dt_min = h->blocks->count[0],
                             .dt_least = h->dt_least < UINT64_MAX ? hb_hermite4_span(h, h->dt_least) : 0,
                             .cut = h->cut};
  if (h->massless) counts->massless = h->massless->worst;
  if (h->bodies) {
    counts->merged = h->bodies->merged, counts->escaped = h->bodies->escaped;
    counts->e_lost = h->bodies->e_lost;
  }
  counts->cut.dt_min = h->params.dt_min;
}

static void phases(const void *state, struct hb_phases *phases)
{
  *phases = ((const struct hb_hermite4 *)state)->phases;
}

const struct hb_integrator_ops hb_integrator_hermite4 = {
    .info = {.name = "hermite4",
             .summary = "fourth order Hermite predictor-corrector with block steps, individual or shared",
             .source = "[PZ07] section 2"},
    .offers = HB_OFFERS_COMPANIONS | HB_OFFERS_VELOCITIES,
    .create = hb_hermite4_create,
    .destroy = hb_hermite4_destroy,
    .save = save,
    .resume = resume,
    .time = hb_hermite4_time,
    .next_time = hb_hermite4_next_time,
    .step = hb_hermite4_step,
    .particles = hb_hermite4_state,
    .view = hb_hermite4_view,
    .quantity = quantity,
    .report = report,
    .counts = counts,
    .phases = phases,
};
