#include "force/resident.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/split.h"
#include "gl/gl.h"
#include "gl/gl_layers.h"
#include "gl/gl_reload.h"
#include "gl/gl_timer.h"
#include "perf/phases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  ROW = 1024, /* particles a row, as in shaders/hermite */
  LAYERS = 8,
  STEP_LAYER = 3, /* its w holds the step that eq. 9 asks for */
};
enum { UNIT_STATE, UNIT_BLOCK, UNIT_SINKS, UNIT_LEVELS, UNIT_TOTALS };

/* A buffer texture of integers. */
struct list {
  unsigned buffer, texture;
  size_t room;
};

struct hb_resident {
  struct hb_pairs *pairs;
  struct hb_gl_context *context;
  size_t n;
  int rows;
  struct hb_gl_layers state, block; /* all particles; those of a block, as they were sent or corrected */
  struct hb_gl_layers records; /* one layer: what predict.frag makes, on its way to the engine's buffer */
  unsigned predict, correct, scatter;
  struct list sinks, levels;
  unsigned totals; /* buffer texture over what a walk left */
  uint32_t since[4 * HB_FORCE_LEVELS];
};

/* ---- create and destroy ---- */

static enum hb_status adopt(void *owner, unsigned program)
{
  (void)owner; /* uniforms are looked up where they are set */
  static const struct {
    const char *name;
    int unit;
  } samplers[] = {{"state", UNIT_STATE},
                  {"block", UNIT_BLOCK},
                  {"sinks", UNIT_SINKS},
                  {"levels", UNIT_LEVELS},
                  {"totals", UNIT_TOTALS}};
  glUseProgram(program);
  for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++)
    glUniform1i(glGetUniformLocation(program, samplers[k].name), samplers[k].unit);
  return HB_OK;
}

static enum hb_status build(struct hb_resident *r, const char *vertex, const char *fragment,
                            unsigned *program)
{
  char defines[32];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n", (int)r->pairs->params.precision);
  const struct hb_gl_program_source source = {.vertex = vertex, .fragment = fragment, .defines = defines};
  return hb_gl_reload_build(r->context, &source, adopt, r, program);
}

static int rows_of(size_t count) { return (int)((count + ROW - 1) / ROW); }

static enum hb_status create(struct hb_resident *r)
{
  HB_TRY(hb_gl_context_use(r->context));
  if (!r->context->caps.has_precise)
    return hb_fail(
        HB_ERR_GL,
        "predicting on the device needs the GLSL qualifier `precise` (OpenGL 4.0), %s has not got it",
        r->context->caps.renderer);
  HB_TRY(build(r, "fullscreen.vert", "hermite/predict.frag", &r->predict));
  HB_TRY(build(r, "fullscreen.vert", "hermite/correct.frag", &r->correct));
  HB_TRY(build(r, "hermite/scatter.vert", "hermite/scatter.frag", &r->scatter));
  glGenTextures(1, &r->totals);
  HB_TRY(hb_gl_layers_create(r->context, ROW, r->rows, LAYERS, &r->state));
  HB_TRY(hb_pairs_room_j(r->pairs, r->n));
  return hb_gl_layers_create(r->context, ROW, rows_of(r->n * (size_t)r->pairs->texels), 1, &r->records);
}

enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, struct hb_resident **resident)
{
  *resident = NULL;
  struct hb_resident *r;
  HB_TRY(HB_ALLOC(1, &r));
  r->pairs = pairs;
  r->context = pairs->params.context;
  r->n = n;
  r->rows = rows_of(n);
  enum hb_status status = create(r);
  if (status != HB_OK) {
    hb_resident_destroy(r);
    return status;
  }
  *resident = r;
  return HB_OK;
}

static void destroy_list(struct list *list)
{
  glDeleteBuffers(1, &list->buffer);
  glDeleteTextures(1, &list->texture);
}

void hb_resident_destroy(struct hb_resident *r)
{
  if (!r) return;
  if (hb_gl_context_use(r->context) == HB_OK) {
    unsigned *const programs[] = {&r->predict, &r->correct, &r->scatter};
    for (int k = 0; k < 3; k++) hb_gl_reload_delete(r->context, programs[k]);
    hb_gl_layers_destroy(&r->state);
    hb_gl_layers_destroy(&r->block);
    hb_gl_layers_destroy(&r->records);
    destroy_list(&r->sinks);
    destroy_list(&r->levels);
    glDeleteTextures(1, &r->totals);
  }
  hb_mem_free(r);
}

/* ---- lists and blocks ---- */

static void send_list(struct list *list, GLenum format, size_t bytes, const void *numbers)
{
  if (!list->buffer) glGenBuffers(1, &list->buffer);
  if (!list->texture) glGenTextures(1, &list->texture);
  glBindBuffer(GL_TEXTURE_BUFFER, list->buffer);
  if (bytes > list->room) {
    list->room = bytes + 4096;
    glBufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)list->room, NULL, GL_STREAM_DRAW);
    glBindTexture(GL_TEXTURE_BUFFER, list->texture);
    glTexBuffer(GL_TEXTURE_BUFFER, format, list->buffer);
  }
  glBufferSubData(GL_TEXTURE_BUFFER, 0, (GLsizeiptr)bytes, numbers);
}

static void send_sinks(struct hb_resident *r, size_t ni, const uint32_t *index)
{
  send_list(&r->sinks, GL_R32I, ni * sizeof *index, index);
}

static void send_levels(struct hb_resident *r, size_t ni, const uint8_t *level)
{
  send_list(&r->levels, GL_R8UI, ni, level);
}

static void bind_list(const struct list *list, int unit)
{
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glBindTexture(GL_TEXTURE_BUFFER, list->texture);
}

static enum hb_status room_for_block(struct hb_resident *r, size_t ni)
{
  if (r->block.height >= rows_of(ni)) return HB_OK;
  hb_gl_layers_destroy(&r->block);
  return hb_gl_layers_create(r->context, ROW, rows_of(ni), LAYERS, &r->block);
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
  glUseProgram(r->scatter);
  glUniform1i(glGetUniformLocation(r->scatter, "rows"), r->rows);
  hb_gl_layers_bind(&r->block, UNIT_BLOCK);
  bind_list(&r->sinks, UNIT_SINKS);
  bind_list(&r->levels, UNIT_LEVELS);
  glBindFramebuffer(GL_FRAMEBUFFER, r->state.framebuffer);
  glViewport(0, 0, ROW, r->rows);
  glDrawArrays(GL_POINTS, 0, (GLsizei)ni);
  return hb_gl_context_check(r->context, "storing particles");
}

/* ---- words ---- */

/* A double as two words of the device: those of itself, or of the nearest float and what it leaves. */
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

/* ---- sending and fetching ---- */

/* Particles at[0 .. ni) of p through the block's textures. */
static enum hb_status put_portion(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                                  const uint32_t *at)
{
  const double *vectors[4] = {p->x, p->v, p->a, p->j};
  uint32_t *staging = r->pairs->staging;
  int width, height;
  size_t texels = texels_of(ni, &width, &height);
  HB_TRY(room_for_block(r, ni));
  send_sinks(r, ni, at);
  for (int q = 0; q < 4; q++) {
    uint32_t *high = staging, *low = staging + 4 * texels;
    for (size_t k = 0; k < ni; k++, high += 4, low += 4) {
      const double *vector = vectors[q] + 3 * (size_t)at[k];
      for (int c = 0; c < 3; c++) split(r, vector[c], &high[c], &low[c]);
      if (q == 0) split(r, p->m[at[k]], &high[3], &low[3]);
    }
    hb_gl_layers_write(&r->block, 2 * q, width, height, staging);
    hb_gl_layers_write(&r->block, 2 * q + 1, width, height, staging + 4 * texels);
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

enum hb_status hb_resident_get(struct hb_resident *r, struct hb_force_particles *p)
{
  double *vectors[4] = {p->x, p->v, p->a, p->j};
  size_t portion;
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(stage(r, r->n, 8, &portion));
  uint32_t *high = r->pairs->staging, *low = high + 4 * portion;
  for (size_t first = 0; first < r->n; first += portion) {
    size_t count = r->n - first < portion ? r->n - first : portion;
    int row = (int)(first / ROW), width, height;
    texels_of(count, &width, &height);
    for (int q = 0; q < 4; q++) {
      double *vector = vectors[q] + 3 * first;
      hb_gl_layers_read(&r->state, 2 * q, row, width, height, high);
      hb_gl_layers_read(&r->state, 2 * q + 1, row, width, height, low);
      for (size_t k = 0; k < 3 * count; k++)
        vector[k] = join(r, high[4 * (k / 3) + k % 3], low[4 * (k / 3) + k % 3]);
    }
  }
  return hb_gl_context_check_lost(r->context, "reading particles");
}

/* ---- prediction and correction ---- */

static void use(const struct hb_resident *r, unsigned program)
{
  glUseProgram(program);
  glUniform4uiv(glGetUniformLocation(program, "since"), HB_FORCE_LEVELS, r->since);
  hb_gl_layers_bind(&r->state, UNIT_STATE);
}

enum hb_status hb_resident_predict(struct hb_resident *r, const double dt[HB_FORCE_LEVELS])
{
  for (int l = 0; l < HB_FORCE_LEVELS; l++) {
    split(r, dt[l], &r->since[4 * l], &r->since[4 * l + 1]);
    split(r, dt[l] / 3, &r->since[4 * l + 2], &r->since[4 * l + 3]);
  }
  HB_TRY(hb_pairs_room_j(r->pairs, r->n));
  use(r, r->predict);
  glUniform1i(glGetUniformLocation(r->predict, "source_count"), (GLint)r->n);
  hb_gl_layers_draw(&r->records, ROW, r->records.height);
  hb_gl_layers_copy(&r->records, 0, ROW, r->records.height, r->pairs->j_buffer, 0);
  return hb_pairs_filled_j(r->pairs);
}

/* What takes part in correcting a block, portion by portion. */
struct correction {
  struct hb_resident *r;
  const struct hb_force_step *how;
  struct hb_phases *last; /* NULL: do not wait */
};

/* Sinks first .. first + count of the block, whose totals lie on the device, into r->block. */
static enum hb_status correct_portion(void *context, struct hb_pairs *pairs, size_t first, size_t count)
{
  const struct correction *c = context;
  struct hb_resident *r = c->r;
  struct hb_pairs_totals t;
  HB_TRY(hb_pairs_totals(pairs, &t));
  double start = c->last ? hb_gl_timer_start() : 0;
  unsigned program = r->correct;
  use(r, program);
  bind_list(&r->sinks, UNIT_SINKS);
  glActiveTexture(GL_TEXTURE0 + UNIT_TOTALS);
  glBindTexture(GL_TEXTURE_BUFFER, r->totals);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32UI, t.buffer);
  glUniform1i(glGetUniformLocation(program, "segments"), t.segments);
  glUniform1i(glGetUniformLocation(program, "groups"), t.groups);
  glUniform1i(glGetUniformLocation(program, "each"), t.each);
  glUniform4i(glGetUniformLocation(program, "place"), t.width, t.band, t.texels, t.layer);
  glUniform1i(glGetUniformLocation(program, "first"), (GLint)first);
  glUniform1i(glGetUniformLocation(program, "sink_count"), (GLint)(first + count));
  glUniform1ui(glGetUniformLocation(program, "walked"), t.walked);
  glUniform1f(glGetUniformLocation(program, "eta"), (float)c->how->eta);
  glUniform1f(glGetUniformLocation(program, "noise"), (float)c->how->noise);
  glUniform1f(glGetUniformLocation(program, "mass"), (float)c->how->mass);
  size_t row = first / ROW, width = first + count < ROW ? first + count : ROW;
  glBindFramebuffer(GL_FRAMEBUFFER, r->block.framebuffer);
  glViewport(0, (GLint)row, (GLsizei)width, rows_of(first + count) - (GLsizei)row);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  if (c->last) c->last->correct_s += hb_gl_timer_stop(start);
  return hb_gl_context_check(r->context, "correcting particles");
}

/* The step that the block's particle i asks for, in the w of one layer. */
static enum hb_status take_step(const struct hb_resident *r, uint32_t word, size_t i, uint32_t particle,
                                double *step)
{
  float asked = hb_bits_to_float(word);
  if (asked == -2)
    return hb_fail(HB_ERR_DEVICE, "%s gave up a draw: sink %zu has not met all sources",
                   r->context->caps.renderer, i);
  if (!(asked >= 0))
    return hb_fail(HB_ERR_NUMERIC, "particle %u has a force that is no number, expected finite", particle);
  *step = asked < 1e38F ? asked : INFINITY;
  return HB_OK;
}

static enum hb_status read_steps(struct hb_resident *r, size_t ni, const uint32_t *index, double *step)
{
  size_t portion;
  HB_TRY(stage(r, ni, 4, &portion));
  for (size_t first = 0; first < ni; first += portion) {
    size_t count = ni - first < portion ? ni - first : portion;
    int width, height;
    texels_of(count, &width, &height);
    hb_gl_layers_read(&r->block, STEP_LAYER, (int)(first / ROW), width, height, r->pairs->staging);
    for (size_t k = 0, i = first; k < count; k++, i++)
      HB_TRY(take_step(r, r->pairs->staging[4 * k + 3], i, index[i], &step[i]));
  }
  return hb_gl_context_check_lost(r->context, "reading time steps");
}

enum hb_status hb_resident_correct(struct hb_resident *r, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, double *step, struct hb_phases *last)
{
  struct correction correction = {r, how, last};
  HB_TRY(hb_gl_context_use(r->context));
  HB_TRY(room_for_block(r, ni));
  send_sinks(r, ni, index);
  HB_TRY(hb_pairs_walk_taking(r->pairs, ni, index, correct_portion, &correction));
  double lap = hb_clock_now();
  HB_TRY(read_steps(r, ni, index, step));
  if (last) last->receive_s = hb_phases_lap(&lap);
  hb_pairs_done(r->pairs);
  return HB_OK;
}

enum hb_status hb_resident_settle(struct hb_resident *r, size_t ni, const uint8_t *level)
{
  HB_TRY(hb_gl_context_use(r->context));
  send_levels(r, ni, level);
  return scatter(r, ni);
}
