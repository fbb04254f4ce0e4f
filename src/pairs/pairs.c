#include "pairs/pairs_program.h"
#include "pairs/selftest.h"

#include "base/clock.h"
#include "base/mem.h"
#include "gl/gl.h"

#include <holmberg/measure.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LISTED(name) &hb_pairs_##name,
const struct hb_pairs_scheme *const hb_pairs_schemes[] = {HB_PAIRS_SCHEMES(LISTED)};
const size_t hb_pairs_scheme_count = sizeof hb_pairs_schemes / sizeof *hb_pairs_schemes;

static const double DRAW_SECONDS = 0.05;

const struct hb_pairs_scheme *hb_pairs_scheme_find(const char *name)
{
  for (size_t k = 0; k < hb_pairs_scheme_count; k++)
    if (strcmp(hb_pairs_schemes[k]->name, name) == 0) return hb_pairs_schemes[k];
  return NULL;
}

static const double SEEN_ROOT_ERROR = 1e-9; /* less does not show */

/* root_error: see struct hb_pairs. */
static enum hb_status check_device(const struct hb_pairs_params *p, double *root_error)
{
  const struct hb_gl_caps *caps = &p->context->caps;
  *root_error = 0;
  const struct hb_precision_facts *precision = &hb_precisions[p->precision];
  if (precision->needs_precise && !caps->has_precise)
    return hb_fail(HB_ERR_GL, "precision %s needs the GLSL qualifier `precise` (OpenGL 4.0), which %s lacks",
                   hb_precision_names[p->precision], caps->renderer);
  if (precision->is_double && !caps->has_double)
    return hb_fail(HB_ERR_GL, "precision double needs GLSL doubles (OpenGL 4.0), which %s lacks",
                   caps->renderer);
  if (p->precision == HB_PRECISION_SINGLE) return HB_OK; /* promises nothing that a compiler could break */
  struct hb_selftest_info selftest;
  HB_TRY(hb_selftest_run(p->context, &selftest));
  *root_error = fabs(selftest.rsqrt_mean) > SEEN_ROOT_ERROR ? selftest.rsqrt_mean : 0;
  return hb_selftest_judge(&selftest, p->precision, caps->renderer);
}

enum hb_status hb_pairs_create(const struct hb_pairs_params *params, struct hb_pairs **pairs)
{
  *pairs = NULL;
  const struct hb_pairs_scheme *scheme = hb_pairs_scheme_find(params->scheme);
  if (!scheme) return hb_fail(HB_ERR_USAGE, "unknown scheme '%s' of the all-pairs engine", params->scheme);
  double root_error;
  HB_TRY(check_device(params, &root_error));
  HB_TRY(hb_gl_context_use(params->context));
  struct hb_pairs *p;
  HB_TRY(HB_ALLOC(1, &p));
  p->params = *params;
  if (p->params.max_draw_s == 0) p->params.max_draw_s = DRAW_SECONDS;
  p->scheme = scheme;
  p->root_error = root_error;
  p->pairs_per_s = 2e7; /* an unknown device: 10^6 pairs in its first draw, milliseconds on the slowest */
  p->texels = hb_pairs_texels(params->interaction, params->precision);
  p->words = hb_pairs_words(params->interaction, params->precision);
  glGenBuffers(1, &p->j_buffer);
  glGenBuffers(1, &p->i_buffer);
  glGenTextures(1, &p->j_texture);
  glGenTextures(1, &p->i_texture);
  enum hb_status status = scheme->create(p);
  if (status == HB_OK) status = hb_gl_context_check(params->context, "preparing the all-pairs engine");
  if (status != HB_OK) {
    hb_pairs_destroy(p);
    return status;
  }
  *pairs = p;
  return HB_OK;
}

void hb_pairs_destroy(struct hb_pairs *p)
{
  if (!p) return;
  if (hb_gl_context_use(p->params.context) == HB_OK) {
    if (p->state) p->scheme->destroy(p);
    const GLuint buffers[] = {p->j_buffer, p->i_buffer, p->storage};
    const GLuint textures[] = {p->j_texture, p->i_texture, p->j_texture_2d};
    glDeleteBuffers(3, buffers);
    glDeleteTextures(3, textures);
    hb_gl_readback_buffer_destroy(&p->inbox);
  }
  hb_mem_free(p->staging);
  hb_mem_free(p);
}

void hb_pairs_memory(const struct hb_pairs_scheme *scheme, const struct hb_interaction *interaction,
                     enum hb_precision precision, struct hb_force_need *need)
{
  need->device_source += 16 * hb_pairs_texels(interaction, precision);
  need->device_sink += sizeof(uint32_t);
  need->host_fixed += HB_PAIRS_PIECE;
  scheme->memory(16 * hb_pairs_words(interaction, precision), need);
}

/* ---- walking ---- */

static enum hb_status send_sinks(struct hb_pairs *p, size_t ni, const uint32_t *index)
{
  size_t bytes = ni * sizeof *index;
  if (bytes == p->sent_bytes && memcmp(p->sent, index, bytes) == 0)
    return HB_OK; /* shared steps: always the same */
  p->sent_bytes = bytes <= sizeof p->sent ? bytes : 0;
  memcpy(p->sent, index, p->sent_bytes);
  glBindBuffer(GL_ARRAY_BUFFER, p->i_buffer);
  if (bytes > p->i_room) {
    p->i_room = hb_pairs_room(bytes, p->nj * sizeof *index);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)p->i_room, NULL, GL_STREAM_DRAW);
    glActiveTexture(GL_TEXTURE0 + HB_UNIT_SINKS);
    glBindTexture(GL_TEXTURE_BUFFER, p->i_texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_R32I, p->i_buffer);
  }
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, index);
  return HB_OK;
}

static enum hb_status walk_portion(struct hb_pairs *p, const uint32_t *index)
{
  HB_TRY(send_sinks(p, p->ni, index));
  p->index = index;
  p->token +=
      0x9e3779b1; /* odd: all numbers come once; 2^32 over the golden ratio: neighbours are far apart */
  p->begun = p->token;
  p->started = hb_clock_now();
  return p->scheme->walk(p);
}

void hb_pairs_done(struct hb_pairs *p)
{
  double seconds = hb_clock_now() - p->started;
  if (seconds > 1e-3) hb_pairs_learn(p, (double)p->ni * (double)p->nj, seconds);
}

static enum hb_status read_portion(struct hb_pairs *p)
{
  HB_TRY(p->scheme->read(p));
  hb_pairs_done(p);
  return HB_OK;
}

/* Reads a portion's results, whose room is for the next one; the last ones stay where they are. */
static enum hb_status read_all_but_last(void *context, struct hb_pairs *p, size_t first, size_t count)
{
  (void)context;
  return first + count == p->sinks ? HB_OK : read_portion(p);
}

static enum hb_status walk_portions(struct hb_pairs *p, size_t ni, const uint32_t *index, hb_pairs_taker take,
                                    void *context)
{
  HB_TRY(hb_gl_context_use(p->params.context));
  p->sinks = ni;
  p->passes = 0;
  size_t portion = p->scheme->portion ? p->scheme->portion(p) : ni;
  for (size_t first = 0; first < ni; first += portion) {
    p->before = first;
    p->ni = ni - first < portion ? ni - first : portion;
    HB_TRY(walk_portion(p, index + first));
    HB_TRY(take(context, p, first, p->ni));
  }
  return hb_gl_context_check(p->params.context, "walking the pairs");
}

enum hb_status hb_pairs_walk_taking(struct hb_pairs *p, size_t ni, const uint32_t *index, hb_pairs_taker take,
                                    void *context)
{
  p->stays = 1;
  return walk_portions(p, ni, index, take, context);
}

enum hb_status hb_pairs_walk(struct hb_pairs *p, size_t ni, const uint32_t *index,
                             const struct hb_result *results)
{
  for (int c = 0; c < 4 * p->params.interaction->f_records; c++)
    p->results[c] = results ? results[c] : (struct hb_result){0};
  p->stays = 0;
  return walk_portions(p, ni, index, read_all_but_last, NULL);
}

enum hb_status hb_pairs_read(struct hb_pairs *p)
{
  HB_TRY(hb_gl_context_use(p->params.context));
  HB_TRY(read_portion(p));
  return hb_gl_context_check_lost(p->params.context, "reading forces");
}

enum hb_status hb_pairs_totals(struct hb_pairs *p, struct hb_pairs_totals *totals)
{
  HB_TRY(hb_gl_context_use(p->params.context));
  if (!p->scheme->totals)
    return hb_fail(HB_ERR_USAGE, "scheme %s cannot leave its results on the device", p->scheme->name);
  HB_TRY(p->scheme->totals(p, totals));
  return hb_gl_context_check(p->params.context, "gathering totals on the device");
}
