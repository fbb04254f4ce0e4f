/* Hermite steps with the particles resident on the device, as [PZ07] Fig. 5 foresaw. */
#include "step/hermite4.h"

#include "base/arith.h"
#include "base/parallel.h"
#include "force/force.h"

#include <string.h>

/* Masses of what the sources of forces are to sum. */
static const double *source_masses(const struct hb_hermite4 *h)
{
  return h->groups && h->groups->sources ? h->groups->sources : hb_hermite4_masses(h);
}

static struct hb_force_particles force_particles(const struct hb_hermite4 *h)
{
  return (struct hb_force_particles){.n = h->n,
                                     .m = source_masses(h),
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

static enum hb_status pairs_on_kept(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  if (h->params.transfer == HB_TRANSFER_ALL) HB_TRY(keep_all(h));
  HB_TRY(predict(h, T));
  return hb_force_on_kept(
      h->force, &(struct hb_force_job){.sinks = {.n = ni, .index = h->block}, .to = {h->a1, h->j1, h->phi1}});
}

enum hb_status hb_hermite4_pairs(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  if (h->params.predict == HB_PLACE_HOST)
    return hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, source_masses(h), h->xp, h->vp},
                                                        .sinks = {.n = ni, .index = h->block},
                                                        .to = {h->a1, h->j1, h->phi1}});
  enum hb_status status = pairs_on_kept(h, T, ni);
  if (status != HB_ERR_DEVICE) return status;
  HB_TRY(hb_force_open_again(h->force)); /* the host still has every particle */
  HB_TRY(keep_all(h));
  return pairs_on_kept(h, T, ni);
}

/* Steps become levels. */
enum { PIECE = 1024, ALONE = 16 * PIECE /* steps that are rounded before a second thread has woken up */ };
struct rounding {
  struct hb_hermite4 *h;
  size_t ni;
  const double *step;
};

static void round_piece(void *context, size_t piece)
{
  const struct rounding *r = context;
  const struct hb_sim_params *params = &r->h->params;
  unsigned most = r->h->blocks->level_max;
  for (size_t b = piece * PIECE, end = hb_parallel_end(r->ni, PIECE, b); b < end; b++)
    r->h->level1[b] = (uint8_t)hb_timestep_level(r->step[b], params->dt_min, most, params->rounding);
}

enum hb_status hb_hermite4_device_correct(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  double *step = h->phi1;
  const struct hb_force_step how = {h->rule.nu, h->rule.noise, h->rule.mass, h->field};
  struct hb_blocks after = *h->blocks; /* if the shortest step stays the same, which it mostly does */
  double ahead[HB_FORCE_LEVELS];
  uint64_t next;
  after.now = T;
  HB_TRY(hb_blocks_next_time(&after, &next));
  spans(h, &after, next, ahead);
  HB_TRY(predict(h, T));
  HB_TRY(hb_force_correct(
      h->force,
      &(struct hb_force_correction){.ni = ni, .index = h->block, .how = &how, .step = step, .ahead = ahead}));
  struct rounding rounding = {h, ni, step};
  hb_parallel_for(ni > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(ni, PIECE), round_piece, &rounding);
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

static enum hb_status begin_on_device(struct hb_hermite4 *h)
{
  return h->params.predict == HB_PLACE_GPU ? keep_all(h) : HB_OK;
}

static enum hb_status tell_device(struct hb_hermite4 *h, uint64_t T, size_t *ni)
{
  (void)T;
  if (h->params.correct == HB_PLACE_GPU) return hb_force_settle(h->force, *ni, h->block, h->level1);
  return h->params.transfer == HB_TRANSFER_BLOCK ? hb_hermite4_keep(h, *ni, h->block) : HB_OK;
}

const struct hb_companion hb_companion_device = {.begin = begin_on_device, .after = tell_device};
