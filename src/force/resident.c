#include "force/kept.h"
#include "force/resident_way.h"

#include "base/clock.h"
#include "base/mem.h"
#include "pairs/selftest.h"

#include <stdio.h>
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

enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass)
{
  char defines[64];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n%s", (int)r->pairs->params.precision,
           r->pairs->fma_is_fused ? "#define FMA_IS_FUSED\n" : "");
  struct hb_gl_program_source source = *files;
  source.defines = defines;
  return hb_gl_pass_create(r->context, &source, pass);
}

/* ---- words ---- */

/* A double as two words of the device: its own, or those of the nearest float and the remainder. */
static void split(const struct hb_resident *r, double x, uint32_t *high, uint32_t *low)
{
  if (r->pairs->params.precision == HB_PRECISION_DOUBLE) {
    hb_bits_of_double(x, high, low);
    return;
  }
  *high = hb_bits_of_float((float)x);
  *low = hb_bits_of_float(hb_split_low(x));
}

static double join(const struct hb_resident *r, uint32_t high, uint32_t low)
{
  if (r->pairs->params.precision == HB_PRECISION_DOUBLE) return hb_bits_to_double(high, low);
  return (double)hb_bits_to_float(high) + (double)hb_bits_to_float(low);
}

void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4])
{
  const double *const vectors[4] = {p->x, p->v, p->a, p->j};
  for (size_t c = 0; c < 3; c++) split(r, vectors[q][3 * i + c], &high[c], &low[c]);
  high[3] = low[3] = 0;
  if (q == 0) split(r, p->m[i], &high[3], &low[3]);
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
        vector[k] = join(r, high[4 * (k / 3) + k % 3], low[4 * (k / 3) + k % 3]);
    }
  }
  return hb_gl_context_check_lost(r->context, "reading particles");
}

/* ---- prediction and correction ---- */

void hb_resident_set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  for (int l = HB_FORCE_LEVELS; l > r->levels; l--)
    if (dt[l - 1] != 0) r->levels = l;
  for (int l = 0; l < r->levels; l++) {
    split(r, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    split(r, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
}

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

void hb_resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass)
{
  if (r->levels > 0) hb_gl_pass_set(pass, "since", HB_GL_UINT4, r->levels, r->since);
}

enum hb_status hb_resident_check(struct hb_resident *r) { return r->way->check(r); }

void hb_resident_set_totals(const struct hb_pairs_totals *t, const struct hb_force_step *how, size_t first,
                            size_t count, struct hb_gl_pass *pass)
{
  hb_gl_pass_int(pass, "segments", t->segments);
  hb_gl_pass_int(pass, "groups", t->groups);
  hb_gl_pass_int(pass, "each", t->each);
  hb_gl_pass_int4(pass, "place", t->width, t->band, t->texels, t->layer);
  hb_gl_pass_int(pass, "first", (int)first);
  hb_gl_pass_int(pass, "sink_count", (int)(first + count));
  hb_gl_pass_uint(pass, "walked", t->walked);
  hb_gl_pass_float(pass, "eta", how->eta);
  hb_gl_pass_float(pass, "noise", how->noise);
  hb_gl_pass_float(pass, "mass", how->mass);
}

enum hb_status hb_resident_no_step(const struct hb_resident *r, float asked, size_t sink, uint32_t particle)
{
  if (asked <= -2)
    return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: sink %zu has not summed all sources",
                   r->context->caps.renderer, sink);
  return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
}

enum hb_status hb_resident_correct(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, const double *ahead, double *step,
                                   struct hb_phases *last)
{
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->correct(r, ni, index, how, ahead, step, last);
}

enum hb_status hb_resident_settle(struct hb_resident *r, size_t ni, const uint32_t *index,
                                  const uint8_t *level)
{
  return r->way->settle(r, ni, index, level);
}
