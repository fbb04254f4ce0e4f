#include "force/resident_transfer.h"

#include "base/bits.h"

#include <math.h>

enum { STEP_LAYER = 3 }; /* its w holds the step of eq. 9 */

/* ---- lists and blocks ---- */

static void send_list(struct hb_gl_buffer *list, enum hb_gl_format format, size_t bytes, const void *numbers)
{
  if (bytes > list->bytes) {
    hb_gl_buffer_fill(list, HB_GL_BY_HOST, bytes + 4096, NULL);
    hb_gl_buffer_texture(list, format);
  }
  hb_gl_buffer_write(list, bytes, numbers);
}

void hb_resident_send_sinks(struct hb_resident *r, size_t ni, const uint32_t *index)
{
  send_list(&r->sinks, HB_GL_R32I, ni * sizeof *index, index);
}

static void send_levels(struct hb_resident *r, size_t ni, const uint8_t *level)
{
  send_list(&r->levels, HB_GL_R8UI, ni, level);
}

enum hb_status hb_resident_reserve(struct hb_resident *r, size_t ni)
{
  if (r->block.height >= hb_resident_rows(ni)) return HB_OK;
  hb_gl_texture_destroy(&r->block);
  return hb_gl_texture_words(r->context, HB_RESIDENT_ROW, hb_resident_rows(ni), HB_RESIDENT_LAYERS,
                             &r->block);
}

/* Texels of a stack's first rows that hold `count` particles. */
static size_t texels_of(size_t count, int *width, int *height)
{
  *width = count < HB_RESIDENT_ROW ? (int)count : HB_RESIDENT_ROW;
  *height = hb_resident_rows(count);
  return (size_t)*width * (size_t)*height;
}

/* Particles, in whole rows, that the engine's staging area takes at once, of `count` with so many words each. */
static enum hb_status stage(struct hb_resident *r, size_t count, size_t words, size_t *portion)
{
  size_t row = HB_RESIDENT_ROW * words, piece;
  HB_TRY(hb_pairs_stage(r->pairs, row, (size_t)hb_resident_rows(count) * row, &piece));
  *portion = piece / row * HB_RESIDENT_ROW;
  return HB_OK;
}

static enum hb_status scatter(struct hb_resident *r, size_t ni)
{
  const struct hb_gl_vertices points = {.target = &r->state.target, .count = ni, .are_points = 1};
  hb_gl_pass_int(&r->scatter, "rows", r->rows);
  hb_gl_pass_texture(&r->scatter, "block", &r->block);
  hb_gl_pass_texture(&r->scatter, "sinks", &r->sinks.texture);
  hb_gl_pass_texture(&r->scatter, "levels", &r->levels.texture);
  hb_gl_tally_expect(&r->stored, ni);
  hb_gl_pass_draw_vertices(&r->scatter, &points);
  hb_gl_tally_pause(&r->stored);
  return hb_gl_context_check(r->context, "storing particles");
}

/* ---- words ---- */

void hb_resident_split(const struct hb_resident *r, double x, uint32_t *high, uint32_t *low)
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

/* ---- sending and fetching ---- */

/* Particles at[0 .. ni) of p through the block's textures. */
static enum hb_status put_portion(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                  const uint32_t *at)
{
  const double *vectors[4] = {p->x, p->v, p->a, p->j};
  uint32_t *staging = r->pairs->staging;
  int width, height;
  size_t texels = texels_of(ni, &width, &height);
  HB_TRY(hb_resident_reserve(r, ni));
  hb_resident_send_sinks(r, ni, at);
  for (int q = 0; q < 4; q++) {
    uint32_t *high = staging, *low = staging + 4 * texels;
    for (size_t k = 0; k < ni; k++, high += 4, low += 4) {
      const double *vector = vectors[q] + 3 * (size_t)at[k];
      for (int c = 0; c < 3; c++) hb_resident_split(r, vector[c], &high[c], &low[c]);
      if (q == 0) hb_resident_split(r, p->m[at[k]], &high[3], &low[3]);
    }
    hb_gl_texture_write(&r->block, 2 * q, width, height, staging);
    hb_gl_texture_write(&r->block, 2 * q + 1, width, height, staging + 4 * texels);
  }
  uint8_t *level = (uint8_t *)staging;
  for (size_t k = 0; k < ni; k++) level[k] = p->level[at[k]];
  send_levels(r, ni, level);
  return scatter(r, ni);
}

enum hb_status hb_resident_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                               const uint32_t *index)
{
  enum { WORDS = 9 }; /* two texels, and a number where there is no index */
  size_t portion;
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(stage(r, ni, WORDS, &portion));
  uint32_t *number = r->pairs->staging + (WORDS - 1) * portion;
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    for (size_t k = 0; !index && k < count; k++) number[k] = (uint32_t)(first + k);
    HB_TRY(put_portion(r, p, count, index ? index + first : number));
  }
  return HB_OK;
}

enum hb_status hb_resident_settle(struct hb_resident *r, size_t ni, const uint8_t *level)
{
  HB_TRY(hb_gl_context_use(r->context));
  send_levels(r, ni, level);
  return scatter(r, ni);
}

enum hb_status hb_resident_get(struct hb_resident *r, struct hb_force_particles *p)
{
  double *vectors[4] = {p->x, p->v, p->a, p->j};
  size_t portion;
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(hb_gl_tally_check(&r->stored, r->context));
  HB_TRY(stage(r, r->n, 8, &portion));
  uint32_t *high = r->pairs->staging, *low = high + 4 * portion;
  for (size_t first = 0; first < r->n; first += portion) {
    size_t count = r->n - first < portion ? r->n - first : portion;
    int row = (int)(first / HB_RESIDENT_ROW), width, height;
    texels_of(count, &width, &height);
    for (int q = 0; q < 4; q++) {
      double *vector = vectors[q] + 3 * first;
      hb_gl_target_read(&r->state.target, 2 * q, 0, row, width, height, HB_GL_WORDS, high);
      hb_gl_target_read(&r->state.target, 2 * q + 1, 0, row, width, height, HB_GL_WORDS, low);
      for (size_t k = 0; k < 3 * count; k++)
        vector[k] = join(r, high[4 * (k / 3) + k % 3], low[4 * (k / 3) + k % 3]);
    }
  }
  return hb_gl_context_check_lost(r->context, "reading particles");
}

/* The step that eq. 9 gives particle i of the block, in the w of one layer. */
static enum hb_status take_step(const struct hb_resident *r, uint32_t word, size_t i, uint32_t particle,
                                double *step)
{
  float asked = hb_bits_to_float(word);
  if (asked == -2)
    return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: sink %zu has not summed all sources",
                   r->context->caps.renderer, i);
  *step = asked;
  if (!(asked >= 0)) return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is not finite", particle);
  if (asked >= 1e38F) *step = INFINITY;
  return HB_OK;
}

enum hb_status hb_resident_read_steps(struct hb_resident *r, size_t ni, const uint32_t *index, double *step)
{
  size_t portion;
  HB_TRY(stage(r, ni, 4, &portion));
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    int width, height;
    texels_of(count, &width, &height);
    hb_gl_target_read(&r->block.target, STEP_LAYER, 0, (int)(first / HB_RESIDENT_ROW), width, height,
                      HB_GL_WORDS, r->pairs->staging);
    for (size_t k = 0, i = first; k < count; k++, i++)
      HB_TRY(take_step(r, r->pairs->staging[4 * k + 3], i, index[i], &step[i]));
  }
  return hb_gl_context_check_lost(r->context, "reading time steps");
}
