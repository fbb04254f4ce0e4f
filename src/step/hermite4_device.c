/* Hermite steps with the particles resident on the device, as [PZ07] Fig. 5 foresaw. */
#include "step/hermite4.h"

#include "force/force.h"
#include "step/timestep.h"

#include <string.h>

static struct hb_force_particles force_particles(const struct hb_hermite4 *h)
{
  return (struct hb_force_particles){.n = h->n,
                                     .m = h->particles->m,
                                     .x = h->particles->x,
                                     .v = h->particles->v,
                                     .a = h->a,
                                     .j = h->j,
                                     .level = h->blocks->level};
}

enum hb_status hb_hermite4_keep(struct hb_hermite4 *h, size_t ni, const uint32_t *index)
{
  const struct hb_force_particles p = force_particles(h);
  return hb_force_keep(h->force, &p, ni, index);
}

static enum hb_status keep_all(struct hb_hermite4 *h) { return hb_hermite4_keep(h, h->n, NULL); }

/* From the times of all levels to tick T. */
static void spans(const struct hb_hermite4 *h, const struct hb_blocks *blocks, uint64_t T,
                  double dt[HB_FORCE_LEVELS])
{
  memset(dt, 0, HB_FORCE_LEVELS * sizeof *dt);
  for (unsigned l = 0; l <= blocks->level_max; l++)
    dt[l] = hb_hermite4_span(h, T - hb_blocks_level_time(blocks, l));
}

static enum hb_status predict(struct hb_hermite4 *h, uint64_t T)
{
  double dt[HB_FORCE_LEVELS];
  spans(h, h->blocks, T, dt);
  return hb_force_predict(h->force, dt);
}

static enum hb_status forces(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  if (h->params.transfer == HB_TRANSFER_ALL) HB_TRY(keep_all(h));
  HB_TRY(predict(h, T));
  return hb_force_on_kept(h->force, ni, h->block, h->a1, h->j1, h->phi1);
}

enum hb_status hb_hermite4_device_forces(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  enum hb_status status = forces(h, T, ni);
  if (status != HB_ERR_DEVICE) return status;
  HB_TRY(hb_force_open_again(h->force)); /* the host still has every particle */
  HB_TRY(keep_all(h));
  return forces(h, T, ni);
}

enum hb_status hb_hermite4_device_correct(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  double *step = h->phi1;
  const struct hb_force_step how = {h->params.eta, h->noise, h->mass};
  struct hb_blocks after = *h->blocks; /* if the shortest step stays the same, which it mostly does */
  double ahead[HB_FORCE_LEVELS];
  uint64_t next;
  after.now = T;
  HB_TRY(hb_blocks_next_time(&after, &next));
  spans(h, &after, next, ahead);
  HB_TRY(predict(h, T));
  HB_TRY(hb_force_correct(h->force, ni, h->block, &how, ahead, step));
  for (size_t b = 0; b < ni; b++)
    h->level1[b] =
        (uint8_t)hb_timestep_level(step[b], h->params.dt_min, h->blocks->level_max, h->params.rounding);
  return HB_OK;
}

enum hb_status hb_hermite4_sync(struct hb_hermite4 *h)
{
  if (!h->stale) return HB_OK;
  struct hb_force_particles p = force_particles(h);
  HB_TRY(hb_force_fetch(h->force, &p));
  h->stale = 0;
  return HB_OK;
}
