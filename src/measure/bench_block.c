/* A block step whose particles stay on the device (mode block/gpu/host) but for the host's part: the block is sent, all are
 * predicted, forces come back. */
#include "measure/bench_block.h"

#include "base/clock.h"
#include "base/mem.h"
#include "force/force.h"
#include "perf/fit.h"

/* All at one level, which is predicted a little further each time. */
struct block {
  struct hb_force *force;
  struct hb_force_particles all;
  size_t ni;
  const uint32_t *index;
  double *a, *j,
      *phi; /* [3 * n], [3 * n], [n]: of the sinks; a and j are also the derivatives that particles are predicted with */
  uint8_t *level; /* [n] */
  double dt[HB_FORCE_LEVELS];
};

static enum hb_status step(struct block *b)
{
  b->dt[0] += 0x1p-30;
  HB_TRY(hb_force_keep(b->force, &b->all, b->ni, b->index));
  HB_TRY(hb_force_predict(b->force, b->dt));
  return hb_force_on_kept(b->force, b->ni, b->index, b->a, b->j, b->phi);
}

static enum hb_status time_steps(struct block *b, size_t count, double *ms)
{
  enum { WARM_UP = 5 };
  HB_TRY(hb_force_keep(b->force, &b->all, b->all.n, NULL));
  for (int k = 0; k < WARM_UP; k++) HB_TRY(step(b));
  for (size_t k = 0; k < count; k++) {
    double start = hb_clock_now();
    HB_TRY(step(b));
    ms[k] = 1e3 * (hb_clock_now() - start);
  }
  return HB_OK;
}

static enum hb_status reserve(struct block *b, const struct hb_particles *p)
{
  HB_TRY(HB_ALLOC(3 * p->n, &b->a));
  HB_TRY(HB_ALLOC(3 * p->n, &b->j));
  HB_TRY(HB_ALLOC(p->n, &b->phi));
  HB_TRY(HB_ALLOC(p->n, &b->level));
  b->all = (struct hb_force_particles){
      .n = p->n, .m = p->m, .x = p->x, .v = p->v, .a = b->a, .j = b->j, .level = b->level};
  return HB_OK;
}

enum hb_status hb_bench_block(const struct hb_force_params *params, const struct hb_particles *p, size_t ni,
                              const uint32_t *index, size_t samples, double *ms)
{
  struct block b = {.ni = ni, .index = index};
  double *all = NULL;
  enum hb_status status = hb_force_open(params, &b.force);
  if (status == HB_OK) status = reserve(&b, p);
  if (status == HB_OK) status = HB_ALLOC(samples, &all);
  if (status == HB_OK) status = time_steps(&b, samples, all);
  if (status == HB_OK) *ms = hb_fit_median(samples, all);
  hb_force_close(b.force);
  hb_mem_free(b.a);
  hb_mem_free(b.j);
  hb_mem_free(b.phi);
  hb_mem_free(b.level);
  hb_mem_free(all);
  return status;
}
