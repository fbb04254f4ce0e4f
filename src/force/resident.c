/* Particles that stay on the device, in either way: programs, words, sending and fetching. */
#include "force/resident_way.h"

#include "base/arith.h"
#include "base/mem.h"
#include "force/hermite_program.h"
#include "force/kept.h"
#include "gl/gl_pass.h"
#include "pairs/selftest.h"

#include <math.h>
#include <string.h>

enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass)
{
  return hb_hermite_program(r->context, r->pairs->params.precision, r->pairs->fma_is_fused, files, pass);
}

static void split(const struct hb_resident *r, double value, uint32_t *high, uint32_t *low)
{
  hb_precision_split(r->pairs->params.precision, value, high, low);
}

static void pack_field(struct hb_resident *r, const struct hb_field *field)
{
  enum hb_field_form form[HB_FIELD_PARTS];
  double number[HB_FIELD_PARTS][HB_FIELD_NUMBERS];
  r->part_count = hb_field_parts(field, form, number);
  for (int k = 0; k < r->part_count; k++) {
    uint32_t *word = r->parts + 16 * k;
    for (int c = 0; c < 3; c++) {
      split(r, number[k][c], &word[2 * c], &word[2 * c + 1]);
      split(r, number[k][3 + c], &word[8 + c], &word[12 + c]);
    }
    word[6] = form[k];
  }
  split(r, hb_field_turn(field), &r->double_turn[0], &r->double_turn[1]);
}

enum hb_status hb_resident_build_correct(struct hb_resident *r, const struct hb_gl_program_source *files,
                                         const struct hb_field *field, struct hb_gl_pass *pass)
{
  struct hb_gl_program_source source = *files;
  if (pass->program) return HB_OK;
  if (field) {
    source.defines = "#define FIELD\n";
    pack_field(r, field);
  }
  return hb_resident_build(r, &source, pass);
}

/* ---- words ---- */

void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4])
{
  const double *const vectors[4] = {p->x, p->v, p->a, p->j};
  enum hb_precision precision = r->pairs->params.precision;
  for (size_t c = 0; c < 3; c++) hb_precision_split(precision, vectors[q][3 * i + c], &high[c], &low[c]);
  high[3] = low[3] = 0;
  if (q == 0) hb_precision_split(precision, p->m[i], &high[3], &low[3]);
}

void hb_resident_set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  enum hb_precision precision = r->pairs->params.precision;
  for (int l = HB_FORCE_LEVELS; l > r->levels; l--)
    if (dt[l - 1] != 0) r->levels = l;
  for (int l = 0; l < r->levels; l++) {
    hb_precision_split(precision, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    hb_precision_split(precision, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
}

/* ---- inputs and results ---- */

void hb_resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass)
{
  if (r->levels > 0) hb_gl_pass_set(pass, "since", HB_GL_UINT4, r->levels, r->since);
}

void hb_resident_set_totals(const struct hb_resident *r, const struct hb_pairs_totals *t,
                            const struct hb_force_step *how, size_t first, size_t count,
                            struct hb_gl_pass *pass)
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
  if (!how->field) return;
  hb_gl_pass_int(pass, "part_count", r->part_count);
  hb_gl_pass_set(pass, "parts", HB_GL_UINT4, 4 * r->part_count, r->parts);
  hb_gl_pass_set(pass, "double_turn", HB_GL_UINT4, 1, r->double_turn);
}

enum hb_status hb_resident_no_step(const struct hb_resident *r, float asked, size_t sink, uint32_t particle)
{
  if (asked <= -2)
    return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: sink %zu has not summed all sources",
                   r->context->caps.renderer, sink);
  return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
}

/* ---- create and destroy ---- */

static enum hb_status create(struct hb_resident *r)
{
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_selftest_exact(r->context, "predicting on the device"));
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  return r->way->create(r);
}

enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, unsigned flags,
                                  struct hb_resident **resident)
{
  *resident = NULL;
  struct hb_resident *r;
  HB_TRY(HB_ALLOC(1, &r));
  r->pairs = pairs;
  r->context = pairs->params.context;
  r->n = n;
  r->waits = (flags & HB_FORCE_PHASES) != 0;
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
static double resident_memory(const struct hb_interaction *interaction, enum hb_precision precision)
{
  return 16.0 * (2 * HB_RESIDENT_LAYERS + hb_pairs_texels(interaction, precision)) + sizeof(uint8_t) +
         sizeof(uint32_t);
}

/* ---- sending and fetching ---- */

static enum hb_status resident_keep(void *state, const struct hb_force_particles *p, size_t ni,
                                    const uint32_t *index)
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  HB_TRY(r->way->put(r, p, ni, index));
  if (r->waits) hb_gl_timer_start();
  return HB_OK;
}

static enum hb_status resident_fetch(void *state, struct hb_force_particles *p)
{
  struct hb_resident *r = state;
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

static enum hb_status resident_predict(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  int is_there = r->is_ahead && memcmp(dt, r->ahead, sizeof r->ahead) == 0;
  r->is_ahead = 0;
  HB_TRY(hb_pairs_reserve_j(r->pairs, r->n));
  if (is_there) return r->way->use_ahead(r);
  hb_resident_set_times(r, dt);
  HB_TRY(r->way->predict(r));
  HB_TRY(hb_pairs_filled_j(r->pairs));
  if (r->waits) hb_gl_timer_start();
  return HB_OK;
}

static enum hb_status resident_check(void *state, size_t ni, const double *a)
{
  struct hb_resident *r = state;
  HB_TRY(r->way->check(r));
  for (size_t k = 0; r->way->doubt && k < 3 * ni; k++)
    if (!isfinite(a[k])) return r->way->doubt(r);
  return HB_OK;
}

static enum hb_status resident_correct(void *state, size_t ni, const uint32_t *index,
                                       const struct hb_force_step *how, const double *ahead, double *step,
                                       struct hb_phases *last, struct hb_force_news *news)
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->correct(r, ni, index, how, r->waits ? NULL : ahead, step, r->waits ? last : NULL, news);
}

static enum hb_status resident_settle(void *state, size_t ni, const uint32_t *index, const uint8_t *level)
{
  struct hb_resident *r = state;
  return r->way->settle(r, ni, index, level);
}

/* ---- several devices ---- */

static enum hb_status resident_take(void *state, size_t ni, const uint32_t *index, struct hb_force_news *news)
{
  struct hb_resident *r = state;
  if (!r->way->take)
    return hb_fail(HB_ERR_GL,
                   "several devices that correct particles need compute shaders and OpenGL 4.4, %s has %s",
                   r->context->caps.renderer, r->context->caps.api);
  *news = (struct hb_force_news){0};
  if (ni == 0) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->take(r, ni, index, news);
}

static enum hb_status resident_give(void *state, const struct hb_force_news *news)
{
  struct hb_resident *r = state;
  HB_TRY(hb_gl_context_use(r->context));
  r->is_ahead = 0;
  return r->way->give(r, news);
}

static enum hb_status resident_predict_ahead(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct hb_resident *r = state;
  if (r->waits) return HB_OK;
  HB_TRY(hb_gl_context_use(r->context));
  return r->way->predict_ahead(r, dt);
}

static void resident_undo(void *state, size_t ni, const uint32_t *index)
{
  struct hb_resident *r = state;
  if (hb_gl_context_use(r->context) == HB_OK) r->way->undo(r, ni, index);
}

const struct hb_force_resident_ops hb_resident_ops = {
    .keep = resident_keep,
    .predict = resident_predict,
    .check = resident_check,
    .correct = resident_correct,
    .settle = resident_settle,
    .fetch = resident_fetch,
    .memory = resident_memory,
    .take = resident_take,
    .give = resident_give,
    .predict_ahead = resident_predict_ahead,
    .undo = resident_undo,
};
