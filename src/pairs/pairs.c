#include "pairs/pairs_program.h"
#include "pairs/selftest.h"

#include "base/clock.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const hb_precision_names[HB_PRECISION_COUNT] = {"single", "compensated", "ds", "double"};
const char *const hb_j_source_names[HB_J_SOURCE_COUNT] = {"buffer_texture", "texture", "block", "storage"};

const struct hb_pairs_scheme *const hb_pairs_schemes[] = {&hb_pairs_bag, &hb_pairs_tile,
                                                          &hb_pairs_matrix2004};
const size_t hb_pairs_scheme_count = sizeof hb_pairs_schemes / sizeof *hb_pairs_schemes;

static const double DRAW_SECONDS = 0.05;

int hb_pairs_partial(enum hb_precision precision)
{
  return precision == HB_PRECISION_DS ? 32 : precision == HB_PRECISION_COMPENSATED ? 64 : 256;
}

static const struct hb_pairs_scheme *find_scheme(const char *name)
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
  int exact_order = p->precision == HB_PRECISION_COMPENSATED || p->precision == HB_PRECISION_DS;
  if (exact_order && !caps->has_precise)
    return hb_fail(HB_ERR_GL,
                   "precision %s needs the GLSL qualifier `precise` (OpenGL 4.0), %s has not got it",
                   hb_precision_names[p->precision], caps->renderer);
  if (p->precision == HB_PRECISION_DOUBLE && !caps->has_double)
    return hb_fail(HB_ERR_GL, "precision double needs GLSL doubles (OpenGL 4.0), %s has not got them",
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
  const struct hb_pairs_scheme *scheme = find_scheme(params->scheme);
  if (!scheme) return hb_fail(HB_ERR_USAGE, "'%s' is no scheme of the all-pairs engine", params->scheme);
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
  int records = params->interaction->records;
  p->texels = params->precision == HB_PRECISION_DS       ? records + 1
              : params->precision == HB_PRECISION_DOUBLE ? 2 * records
                                                         : records;
  p->words = params->interaction->f_records * (params->precision == HB_PRECISION_SINGLE ? 1 : 2);
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
    hb_gl_buffer_destroy(&p->j);
    hb_gl_buffer_destroy(&p->i);
    hb_gl_texture_destroy(&p->j_2d);
    hb_gl_buffer_destroy(&p->storage);
    hb_gl_readback_destroy(&p->readback);
  }
  hb_mem_free(p->staging);
  hb_mem_free(p);
}

/* ---- sending ---- */

static int rows_2d(const struct hb_pairs *p) { return (int)(p->j.bytes / 16 >> p->shift); }

int hb_pairs_fit_texture_2d(const struct hb_pairs *p)
{
  return rows_2d(p) <= p->params.context->caps.max_texture_size;
}

static enum hb_status check_texture_2d(const struct hb_pairs *p)
{
  if (hb_pairs_fit_texture_2d(p)) return HB_OK;
  return hb_fail(HB_ERR_GL, "%zu particles need a texture of %d x %d texels, the limit of %s is %d", p->nj,
                 1 << p->shift, rows_2d(p), p->params.context->caps.renderer,
                 p->params.context->caps.max_texture_size);
}

enum hb_status hb_pairs_texture_2d(struct hb_pairs *p)
{
  if (p->is_2d_filled) return HB_OK;
  HB_TRY(check_texture_2d(p));
  if (p->j_2d.height != rows_2d(p)) {
    const struct hb_gl_texture_params params = {
        .format = p->params.precision == HB_PRECISION_DOUBLE ? HB_GL_RGBA32UI : HB_GL_RGBA32F,
        .width = 1 << p->shift,
        .height = rows_2d(p)};
    hb_gl_texture_destroy(&p->j_2d);
    HB_TRY(hb_gl_texture_create(p->params.context, &params, &p->j_2d));
  }
  hb_gl_texture_copy(&p->j_2d, &p->j);
  HB_TRY(hb_gl_context_check(p->params.context, "copying particles into a texture"));
  p->is_2d_filled = 1;
  return HB_OK;
}

enum hb_status hb_pairs_room_j(struct hb_pairs *p, size_t nj)
{
  struct hb_gl_context *context = p->params.context;
  HB_TRY(hb_gl_context_use(context));
  size_t texels = nj * (size_t)p->texels;
  if (texels > (size_t)context->caps.max_texture_buffer_size)
    return hb_fail(HB_ERR_GL, "%zu particles need a buffer texture of %zu texels, the limit of %s is %d", nj,
                   texels, context->caps.renderer, context->caps.max_texture_buffer_size);
  p->shift = 10; /* rows of 1024 texels for those who read a two-dimensional texture */
  size_t bytes = ((texels + 1023) & ~(size_t)1023) * 16;
  if (p->params.tuning.j_source_plus_1 == HB_J_BLOCK + 1)
    bytes += 65536; /* the last block may not stick out */
  p->nj = nj;
  if (bytes == p->j.bytes) return HB_OK;
  hb_gl_buffer_fill(&p->j, HB_GL_BY_HOST, bytes, NULL);
  hb_gl_buffer_texture(&p->j, p->params.precision == HB_PRECISION_DOUBLE ? HB_GL_RGBA32UI : HB_GL_RGBA32F);
  return HB_OK;
}

enum hb_status hb_pairs_filled_j(struct hb_pairs *p)
{
  p->is_2d_filled = 0;
  if (p->params.tuning.j_source_plus_1 == HB_J_TEXTURE + 1) HB_TRY(check_texture_2d(p));
  return hb_gl_context_check(p->params.context, "sending particles");
}

enum hb_status hb_pairs_set_j(struct hb_pairs *p, size_t nj, const struct hb_column *columns)
{
  struct hb_gl_context *context = p->params.context;
  HB_TRY(hb_pairs_room_j(p, nj));
  void *room = hb_gl_buffer_map(context, &p->j, nj * (size_t)p->texels * 16);
  if (!room) {
    HB_TRY(hb_gl_context_check(context, "mapping the particles' buffer"));
    return hb_fail(HB_ERR_DEVICE, "%s does not map the particles' buffer", context->caps.renderer);
  }
  hb_pairs_pack(p, context->caps.software, nj, columns, room);
  hb_gl_buffer_unmap(&p->j);
  return hb_pairs_filled_j(p);
}

static enum hb_status send_sinks(struct hb_pairs *p, size_t ni, const uint32_t *index)
{
  size_t bytes = ni * sizeof *index;
  if (bytes == p->sent_bytes && memcmp(p->sent, index, bytes) == 0)
    return HB_OK; /* shared steps: always the same */
  p->sent_bytes = bytes <= sizeof p->sent ? bytes : 0;
  memcpy(p->sent, index, p->sent_bytes);
  if (bytes > p->i.bytes) {
    hb_gl_buffer_fill(&p->i, HB_GL_BY_HOST, hb_pairs_room(bytes, p->nj * sizeof *index), NULL);
    hb_gl_buffer_texture(&p->i, HB_GL_R32I);
  }
  hb_gl_buffer_write(&p->i, bytes, index);
  return HB_OK;
}

/* ---- walking ---- */

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
