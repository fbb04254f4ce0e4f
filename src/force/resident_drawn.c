/* Particles in the layers of an array texture, predicted, corrected and stored by draws: what a GPU without compute shaders
 * can do. Occlusion queries count the fragments. Where queries do not count, targets are filled before with what no draw
 * writes, and particles bear the number of the draw that stored them (predict.frag). */
#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"
#include "force/resident_way.h"
#include "gl/gl_pass.h"

#include <string.h>

enum {
  ROW = 1024 /* particles a row, as in particle.glsl */,
  STEP_LAYER = 3 /* its w is the step of eq. 9 */
};
static const uint32_t NOTHING[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}; /* a record of NaN */

struct drawn {
  int rows;
  struct hb_gl_texture state, block; /* all particles; those of a block, as they were sent or corrected */
  struct hb_gl_texture
      records; /* one layer: the output of predict.frag, to be copied to the engine's buffer */
  struct hb_gl_pass predict, correct, scatter;
  struct hb_gl_buffer sinks, levels;
  struct hb_gl_texture totals;      /* over the buffer that a walk left */
  struct hb_gl_tally made;          /* by predict and correct, for this block */
  struct hb_gl_tally stored;        /* by scatter, since there is a state */
  uint32_t stamp;                   /* of the last particles to be stored, */
  uint32_t stamps[HB_FORCE_LEVELS]; /* and for each level */
};

static int rows_of(size_t count) { return (int)hb_div_ceil(count, ROW); }

/* ---- create and destroy ---- */

static enum hb_status build(struct hb_resident *r, const char *vertex, const char *fragment,
                            struct hb_gl_pass *pass)
{
  return hb_resident_build(r, &(const struct hb_gl_program_source){.vertex = vertex, .fragment = fragment},
                           pass);
}

static enum hb_status drawn_create(struct hb_resident *r)
{
  struct drawn *d;
  HB_TRY(HB_ALLOC(1, &d));
  r->state = d;
  d->rows = rows_of(r->n);
  HB_TRY(build(r, NULL, "hermite/predict.frag", &d->predict));
  HB_TRY(build(r, "hermite/scatter.vert", "hermite/scatter.frag", &d->scatter));
  HB_TRY(hb_gl_texture_words(r->context, ROW, d->rows, HB_RESIDENT_LAYERS, &d->state));
  hb_gl_target_clear(&d->state.target);
  memset(d->stamps, 0xff, sizeof d->stamps); /* no particle is of a level that was not stored */
  return hb_gl_texture_words(r->context, ROW, rows_of(r->n * (size_t)r->pairs->texels), 1, &d->records);
}

static void drawn_destroy(struct hb_resident *r)
{
  struct drawn *d = r->state;
  struct hb_gl_pass *const passes[] = {&d->predict, &d->correct, &d->scatter};
  struct hb_gl_texture *const textures[] = {&d->state, &d->block, &d->records, &d->totals};
  for (int k = 0; k < 3; k++) hb_gl_pass_destroy(passes[k]);
  for (int k = 0; k < 4; k++) hb_gl_texture_destroy(textures[k]);
  hb_gl_buffer_destroy(&d->sinks);
  hb_gl_buffer_destroy(&d->levels);
  hb_gl_tally_destroy(&d->made);
  hb_gl_tally_destroy(&d->stored);
}

/* ---- storing ---- */

static void send_list(struct hb_gl_buffer *list, enum hb_gl_format format, size_t bytes, const void *numbers)
{
  if (bytes > list->bytes) {
    hb_gl_buffer_fill(list, HB_GL_BY_HOST, bytes + 4096, NULL);
    hb_gl_buffer_texture(list, format);
  }
  hb_gl_buffer_write(list, bytes, numbers);
}

static void send_sinks(struct drawn *d, size_t ni, const uint32_t *index)
{
  send_list(&d->sinks, HB_GL_R32I, ni * sizeof *index, index);
}

static void send_levels(struct drawn *d, size_t ni, const uint8_t *level)
{
  for (size_t k = 0; k < ni; k++) d->stamps[level[k]] = d->stamp;
  send_list(&d->levels, HB_GL_R8UI, ni, level);
}

static enum hb_status reserve_block(struct hb_resident *r, size_t ni)
{
  struct drawn *d = r->state;
  if (d->block.height >= rows_of(ni)) return HB_OK;
  hb_gl_texture_destroy(&d->block);
  return hb_gl_texture_words(r->context, ROW, rows_of(ni), HB_RESIDENT_LAYERS, &d->block);
}

/* Texels of a stack's first rows that hold `count` particles. */
static size_t texels_of(size_t count, int *width, int *height)
{
  *width = count < ROW ? (int)count : ROW;
  *height = rows_of(count);
  return (size_t)*width * (size_t)*height;
}

/* Particles, in whole rows, that the engine's staging area takes at once, of `count` with so many words each. */
static enum hb_status stage(struct hb_resident *r, size_t count, size_t words, size_t *portion)
{
  size_t row = ROW * words, piece;
  HB_TRY(hb_pairs_stage(r->pairs, row, (size_t)rows_of(count) * row, &piece));
  *portion = piece / row * ROW;
  return HB_OK;
}

static enum hb_status scatter(struct hb_resident *r, size_t ni)
{
  struct drawn *d = r->state;
  const struct hb_gl_vertices points = {.target = &d->state.target, .count = ni, .are_points = 1};
  hb_gl_pass_int(&d->scatter, "rows", d->rows);
  hb_gl_pass_uint(&d->scatter, "stamp", d->stamp);
  hb_gl_pass_texture(&d->scatter, "block", &d->block);
  hb_gl_pass_texture(&d->scatter, "sinks", &d->sinks.texture);
  hb_gl_pass_texture(&d->scatter, "levels", &d->levels.texture);
  hb_gl_tally_expect(&d->stored, ni);
  hb_gl_pass_draw_vertices(&d->scatter, &points);
  hb_gl_tally_pause(&d->stored);
  return hb_gl_context_check(r->context, "storing particles");
}

/* Particles at[0 .. ni) of p through the block's textures. */
static enum hb_status put_portion(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                  const uint32_t *at)
{
  struct drawn *d = r->state;
  uint32_t *staging = r->pairs->staging;
  int width, height;
  size_t texels = texels_of(ni, &width, &height);
  HB_TRY(reserve_block(r, ni));
  send_sinks(d, ni, at);
  for (int q = 0; q < 4; q++) {
    uint32_t *high = staging, *low = staging + 4 * texels;
    for (size_t k = 0; k < ni; k++) hb_resident_pack(r, p, at[k], q, high + 4 * k, low + 4 * k);
    hb_gl_texture_write(&d->block, 2 * q, width, height, high);
    hb_gl_texture_write(&d->block, 2 * q + 1, width, height, low);
  }
  uint8_t *level = (uint8_t *)staging;
  for (size_t k = 0; k < ni; k++) level[k] = p->level[at[k]];
  send_levels(d, ni, level);
  return scatter(r, ni);
}

static enum hb_status drawn_put(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                const uint32_t *index)
{
  enum { WORDS = 9 }; /* two texels, and a number where there is no index */
  size_t portion;
  HB_TRY(stage(r, ni, WORDS, &portion));
  uint32_t *number = r->pairs->staging + (WORDS - 1) * portion;
  ((struct drawn *)r->state)->stamp++;
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    for (size_t k = 0; !index && k < count; k++) number[k] = (uint32_t)(first + k);
    HB_TRY(put_portion(r, p, count, index ? index + first : number));
  }
  return HB_OK;
}

/* The block and its numbers are still there. */
static enum hb_status drawn_settle(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const uint8_t *level)
{
  (void)index;
  struct drawn *d = r->state;
  HB_TRY(hb_gl_context_use(r->context));
  d->stamp++;
  send_levels(d, ni, level);
  return scatter(r, ni);
}

static int is_counted(const struct hb_resident *r) { return r->context->caps.has_counts; }

/* Whether particles have come from the draws that stored their levels: high and low words of v. */
static enum hb_status check_stamps(const struct hb_resident *r, size_t first, size_t count,
                                   const uint32_t *high, const uint32_t *low)
{
  const struct drawn *d = r->state;
  for (size_t k = 0; k < count; k++) {
    uint32_t level = high[4 * k + 3];
    if (level >= HB_FORCE_LEVELS || low[4 * k + 3] != d->stamps[level])
      return hb_gl_context_dropped(r->context, "particle %zu was not stored", first + k);
  }
  return HB_OK;
}

static enum hb_status drawn_read(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                                 uint32_t *low)
{
  struct drawn *d = r->state;
  int row = (int)(first / ROW), width, height;
  texels_of(count, &width, &height);
  HB_TRY(hb_gl_tally_check(&d->stored, r->context));
  hb_gl_target_read(&d->state.target, 2 * q, 0, row, width, height, HB_GL_WORDS, high);
  hb_gl_target_read(&d->state.target, 2 * q + 1, 0, row, width, height, HB_GL_WORDS, low);
  return q == 1 && !is_counted(r) ? check_stamps(r, first, count, high, low) : HB_OK;
}

/* ---- prediction and correction ---- */

static void set_state(struct hb_resident *r, struct hb_gl_pass *pass)
{
  struct drawn *d = r->state;
  hb_resident_set_since(r, pass);
  hb_gl_pass_texture(pass, "state", &d->state);
}

static enum hb_status drawn_predict(struct hb_resident *r)
{
  struct drawn *d = r->state;
  int height = d->records.height;
  set_state(r, &d->predict);
  hb_gl_pass_int(&d->predict, "source_count", (int)r->n);
  if (!is_counted(r)) {
    hb_gl_pass_set(&d->predict, "stamps", HB_GL_UINT, HB_FORCE_LEVELS, d->stamps);
    hb_gl_target_fill(&d->records.target, NOTHING);
  }
  hb_gl_tally_reset(&d->made);
  hb_gl_tally_expect(&d->made, (uint64_t)ROW * (uint64_t)height);
  hb_gl_pass_draw(&d->predict, &d->records.target, 0, 0, ROW, height);
  hb_gl_tally_pause(&d->made);
  hb_gl_target_copy(&d->records.target, 0, ROW, height, &r->pairs->j, 0);
  return HB_OK;
}

static enum hb_status drawn_check(struct hb_resident *r)
{
  struct drawn *d = r->state;
  HB_TRY(hb_gl_tally_check(&d->stored, r->context));
  return hb_gl_tally_check(&d->made, r->context);
}

/* A force is not finite: is that because a record is missing? */
static enum hb_status drawn_doubt(struct hb_resident *r)
{
  struct drawn *d = r->state;
  size_t texels = r->n * (size_t)r->pairs->texels, portion;
  if (is_counted(r)) return HB_OK;
  HB_TRY(stage(r, texels, 4, &portion));
  for (size_t first = 0; first < texels; first += portion) {
    size_t count = hb_min(portion, texels - first);
    int width, height;
    texels_of(count, &width, &height);
    hb_gl_target_read(&d->records.target, 0, 0, (int)(first / ROW), width, height, HB_GL_WORDS,
                      r->pairs->staging);
    for (size_t k = 0; k < count; k++)
      if (memcmp(r->pairs->staging + 4 * k, NOTHING, sizeof NOTHING) == 0)
        return hb_gl_context_dropped(r->context, "particle %zu was not stored or not predicted",
                                     (first + k) / (size_t)r->pairs->texels);
  }
  return HB_OK;
}

/* Corrects sinks first .. first + count - 1 of the block, from their totals on the device, into d->block. */
static enum hb_status correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  struct hb_resident *r = context;
  const struct hb_force_correction *c = r->correction;
  struct drawn *d = r->state;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  double start = c->last ? hb_gl_timer_start() : 0;
  struct hb_gl_pass *pass = &d->correct;
  hb_gl_texture_over(t.buffer, HB_GL_RGBA32UI, &d->totals);
  set_state(r, pass);
  hb_resident_set_totals(r, &t, c->how, first, count, pass);
  hb_gl_pass_texture(pass, "sinks", &d->sinks.texture);
  hb_gl_pass_texture(pass, "totals", &d->totals);
  size_t row = first / ROW, width = first + count < ROW ? first + count : ROW;
  hb_gl_tally_expect(&d->made, count);
  hb_gl_pass_draw(pass, &d->block.target, 0, (int)row, (int)width, rows_of(first + count) - (int)row);
  hb_gl_tally_pause(&d->made);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return hb_gl_context_check(r->context, "correcting particles");
}

static enum hb_status read_steps(struct hb_resident *r, size_t ni, const uint32_t *index, double *step)
{
  struct drawn *d = r->state;
  size_t portion;
  HB_TRY(stage(r, ni, 4, &portion));
  const uint32_t *texel = r->pairs->staging;
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    int width, height;
    texels_of(count, &width, &height);
    hb_gl_target_read(&d->block.target, STEP_LAYER, 0, (int)(first / ROW), width, height, HB_GL_WORDS,
                      r->pairs->staging);
    for (size_t k = 0, i = first; k < count; k++, i++)
      HB_TRY(hb_resident_step(r, texel[4 * k + 3], i, index[i], &step[i]));
  }
  return hb_gl_context_check_lost(r->context, "reading time steps");
}

/* It has no news for other devices, and predicts nothing ahead. */
static enum hb_status drawn_correct(struct hb_resident *r, const struct hb_force_correction *c)
{
  static const uint32_t no_step[4] = {0, 0, 0, 0xc0000000}; /* -2, of a sink that is missing something */
  size_t ni = c->ni;
  const uint32_t *index = c->index;
  const struct hb_pairs_job job = {.ni = ni, .index = index, .take = correct_portion, .context = r};
  const struct hb_gl_program_source files = {.fragment = "hermite/correct.frag"};
  r->correction = c;
  HB_TRY(hb_resident_build_correct(r, &files, c->how->field, &((struct drawn *)r->state)->correct));
  HB_TRY(reserve_block(r, ni));
  if (!is_counted(r)) hb_gl_target_fill(&((struct drawn *)r->state)->block.target, no_step);
  send_sinks(r->state, ni, index);
  HB_TRY(hb_pairs_walk(r->pairs, &job));
  double lap = hb_clock_now();
  enum hb_status status = read_steps(r, ni, index, c->step);
  if (c->last) c->last->receive_s = hb_clock_lap(&lap);
  hb_pairs_done(r->pairs);
  if (status != HB_ERR_DEVICE) HB_TRY(drawn_check(r)); /* what was never written may have any value */
  if (status == HB_ERR_NUMERIC) HB_TRY(drawn_doubt(r));
  return status;
}

const struct hb_resident_way hb_resident_drawn = {.create = drawn_create,
                                                  .destroy = drawn_destroy,
                                                  .put = drawn_put,
                                                  .predict = drawn_predict,
                                                  .check = drawn_check,
                                                  .doubt = drawn_doubt,
                                                  .correct = drawn_correct,
                                                  .settle = drawn_settle,
                                                  .read = drawn_read};
