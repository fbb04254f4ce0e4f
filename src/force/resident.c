#include "force/kept.h"
#include "force/resident_both.h"

#include "base/arith.h"
#include "base/mem.h"
#include "pairs/selftest.h"

#include <math.h>
#include <string.h>

/* ---- create and destroy ---- */

static enum hb_status create(struct hb_resident *r)
{
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_selftest_exact(r->context, "predicting on the device"));
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  return r->way->create(r);
}

enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, struct hb_resident **resident)
{
  *resident = NULL;
  struct hb_resident *r;
  HB_TRY(HB_ALLOC(1, &r));
  r->pairs = pairs;
  r->context = pairs->params.context;
  r->n = n;
  r->way = hb_kept_suits(&r->context->caps, n, HB_RESIDENT_LAYERS) ? &hb_resident_stored : &hb_resident_drawn;
  enum hb_status status = create(r);
  if (status != HB_OK) {
    hb_resident_destroy(r);
    return status;
  }
  *resident = r;
  return HB_OK;
}

void hb_resident_destroy(struct hb_resident *r)
{
  if (!r) return;
  if (r->state && hb_gl_context_use(r->context) == HB_OK) r->way->destroy(r);
  hb_mem_free(r->state);
  hb_mem_free(r);
}

/* The particles, the block as it was before (stored) or as it was sent and corrected (drawn), and the sources that are
 * predicted ahead (stored) or on their way to the engine (drawn); a level and a word for each sink. */
double hb_resident_memory(const struct hb_interaction *interaction, enum hb_precision precision)
{
  return 16.0 * (2 * HB_RESIDENT_LAYERS + hb_pairs_texels(interaction, precision)) + sizeof(uint8_t) +
         sizeof(uint32_t);
}

/* ---- sending and fetching ---- */

enum hb_status hb_resident_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                               const uint32_t *index)
{
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  return r->way->put(r, p, ni, index);
}

enum hb_status hb_resident_get(struct hb_resident *r, struct hb_force_particles *p)
{
  enum { ROW = 1024 }; /* particles a row of a texture */
  double *vectors[4] = {p->x, p->v, p->a, p->j};
  size_t piece;
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_pairs_stage(r->pairs, (size_t)ROW * 8, hb_div_ceil(r->n, ROW) * ROW * 8, &piece));
  size_t portion = piece / 8 / ROW * ROW;
  uint32_t *high = r->pairs->staging, *low = high + 4 * portion;
  for (size_t first = 0; first < r->n; first += portion) {
    size_t count = r->n - first < portion ? r->n - first : portion;
    for (int q = 0; q < 4; q++) {
      double *vector = vectors[q] + 3 * first;
      HB_TRY(r->way->read(r, q, first, count, high, low));
      for (size_t k = 0; k < 3 * count; k++)
        vector[k] = hb_precision_join(r->pairs->params.precision, high[4 * (k / 3) + k % 3],
                                      low[4 * (k / 3) + k % 3]);
    }
  }
  return hb_gl_context_check_lost(r->context, "reading particles");
}

/* ---- prediction and correction ---- */

enum hb_status hb_resident_predict(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  HB_TRY(hb_gl_context_use(r->context));
  int is_there = r->is_ahead && memcmp(dt, r->ahead, sizeof r->ahead) == 0;
  r->is_ahead = 0;
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  if (is_there) return r->way->use_ahead(r);
  hb_resident_set_times(r, dt);
  HB_TRY(r->way->predict(r));
  return hb_pairs_filled_j(r->pairs);
}

enum hb_status hb_resident_check(struct hb_resident *r, size_t ni, const double *a)
{
  HB_TRY(r->way->check(r));
  for (size_t k = 0; r->way->doubt && k < 3 * ni; k++)
    if (!isfinite(a[k])) return r->way->doubt(r);
  return HB_OK;
}

enum hb_status hb_resident_correct(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, const double *ahead, double *step,
                                   struct hb_phases *last, struct hb_force_news *news)
{
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->correct(r, ni, index, how, ahead, step, last, news);
}

enum hb_status hb_resident_settle(struct hb_resident *r, size_t ni, const uint32_t *index,
                                  const uint8_t *level)
{
  return r->way->settle(r, ni, index, level);
}

/* ---- several devices ---- */

enum hb_status hb_resident_take(struct hb_resident *r, size_t ni, const uint32_t *index,
                                struct hb_force_news *news)
{
  if (!r->way->take)
    return hb_fail(HB_ERR_GL,
                   "several devices that correct particles need compute shaders and OpenGL 4.4, %s has %s",
                   r->context->caps.renderer, r->context->caps.api);
  *news = (struct hb_force_news){0};
  if (ni == 0) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->take(r, ni, index, news);
}

enum hb_status hb_resident_give(struct hb_resident *r, const struct hb_force_news *news)
{
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  return r->way->give(r, news);
}

enum hb_status hb_resident_predict_ahead(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->predict_ahead(r, dt);
}

void hb_resident_undo(struct hb_resident *r, size_t ni, const uint32_t *index)
{
  if (hb_gl_context_use(r->context) == HB_OK) r->way->undo(r, ni, index);
}
