/* What a restart of hermite4 needs, and nothing that can be found again: x and v of each particle at its own time, its
 * force there and its level, the time of the last block. Times of the particles follow from that (blocks.h, invariant
 * 2), the order of the lists does not matter (7). */
#include "step/hermite4.h"

#include <math.h>
#include <string.h>

enum { NOW, BLOCK_STEPS, PARTICLE_STEPS, NOISY_STEPS, COUNTERS };

enum hb_status hb_hermite4_save(const void *state, struct hb_sections *sections)
{
  const struct hb_hermite4 *h = state;
  HB_TRY(hb_hermite4_sync((struct hb_hermite4 *)h)); /* a copy of what the device holds, no change */
  const uint64_t counters[COUNTERS] = {h->blocks->now, h->block_steps, h->particle_steps, h->noisy_steps};
  HB_TRY(hb_particles_put(h->particles, sections));
  HB_TRY(hb_sections_put(sections, "a", HB_SECTION_DOUBLES, 3 * h->n, h->a));
  HB_TRY(hb_sections_put(sections, "j", HB_SECTION_DOUBLES, 3 * h->n, h->j));
  HB_TRY(hb_sections_put(sections, "level", HB_SECTION_BYTES, h->n, h->blocks->level));
  HB_TRY(hb_sections_put_copy(sections, "t0", HB_SECTION_DOUBLES, 1, &h->t0));
  return hb_sections_put_copy(sections, "hermite4", HB_SECTION_WORDS, COUNTERS, counters);
}

/* An array of finite numbers. */
static enum hb_status take(const struct hb_sections *sections, const char *name, size_t count, double *to)
{
  const void *data;
  HB_TRY(hb_sections_get(sections, name, HB_SECTION_DOUBLES, count, &data));
  memcpy(to, data, count * sizeof *to);
  for (size_t k = 0; k < count; k++)
    if (!isfinite(to[k]))
      return hb_fail(HB_ERR_INPUT, "section '%s' has %g at %zu, expected finite", name, to[k], k);
  return HB_OK;
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
    hb_blocks_put(h->blocks, (uint32_t)i, level[i]);
  }
  return HB_OK;
}

static enum hb_status fill(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  const void *data;
  HB_TRY(take(sections, "t0", 1, &h->t0));
  HB_TRY(take(sections, "a", 3 * h->n, h->a));
  HB_TRY(take(sections, "j", 3 * h->n, h->j));
  HB_TRY(hb_sections_get(sections, "hermite4", HB_SECTION_WORDS, COUNTERS, &data));
  const uint64_t *counters = data;
  h->blocks->now = counters[NOW];
  h->block_steps = counters[BLOCK_STEPS];
  h->particle_steps = counters[PARTICLE_STEPS];
  h->noisy_steps = counters[NOISY_STEPS];
  HB_TRY(schedule(sections, h));
  if (!isfinite(hb_hermite4_next_time(h)))
    return hb_fail(HB_ERR_INPUT,
                   "section 'hermite4' is at step %llu of dt_min, where time cannot be counted any more",
                   (unsigned long long)h->blocks->now);
  return h->params.predict == HB_PLACE_GPU ? hb_hermite4_keep(h, h->n, NULL) : HB_OK;
}

enum hb_status hb_hermite4_resume(const struct hb_sections *sections, const struct hb_hermite4_params *params,
                                  struct hb_force *force, struct hb_hermite4 **hermite4)
{
  struct hb_particles *particles;
  *hermite4 = NULL;
  HB_TRY(hb_particles_get(sections, &particles));
  struct hb_hermite4 *h;
  enum hb_status status = hb_hermite4_prepare(particles, params, force, &h);
  if (status == HB_OK) status = fill(sections, h);
  if (status != HB_OK) {
    hb_hermite4_destroy(h);
    return status;
  }
  *hermite4 = h;
  return HB_OK;
}
