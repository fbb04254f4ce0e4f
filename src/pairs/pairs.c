#include "pairs/pairs_program.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <holmberg/measure.h>

#include <string.h>

void hb_pairs_destroy(struct hb_pairs *p)
{
  if (!p) return;
  if (hb_gl_context_use(p->params.context) == HB_OK) {
    if (p->state) p->scheme->destroy(p);
    hb_gl_upload_destroy(&p->upload);
    hb_gl_buffer_destroy(&p->j);
    hb_gl_buffer_destroy(&p->j_next);
    hb_gl_buffer_destroy(&p->i);
    hb_gl_buffer_destroy(&p->i_scale);
    hb_gl_buffer_destroy(&p->i_points);
    hb_gl_texture_destroy(&p->j_2d);
    hb_gl_buffer_destroy(&p->storage);
    hb_gl_readback_destroy(&p->readback);
  }
  hb_mem_free(p->staging);
  hb_mem_free(p);
}

void hb_pairs_memory(const struct hb_pairs_scheme *scheme, const struct hb_interaction *interaction,
                     enum hb_precision precision, struct hb_force_need *need)
{
  need->device_source += 16 * hb_pairs_texels(interaction, precision);
  need->device_sink += (hb_precisions[precision].is_fixed ? 2 : 1) * sizeof(uint32_t); /* number, scale */
  need->host_fixed += HB_PAIRS_PIECE + HB_GL_UPLOAD_PLACES * HB_GL_UPLOAD_PIECE;
  scheme->memory(16 * hb_pairs_words(interaction, precision), need);
}

/* ---- walking ---- */

/* Many words take the driver longer among its commands than by a copy from memory that stays mapped. */
static enum hb_status send_words(struct hb_pairs *p, size_t bytes, const uint32_t *words,
                                 const struct hb_gl_buffer *buffer)
{
  enum { FEW = 16 << 10 };
  if (bytes <= FEW || !hb_gl_upload_is_there(p->params.context)) {
    hb_gl_buffer_write(buffer, bytes, words);
    return HB_OK;
  }
  for (size_t from = 0, to; from < bytes; from = to) {
    void *room;
    to = hb_parallel_end(bytes, HB_GL_UPLOAD_PIECE, from);
    HB_TRY(hb_gl_upload_begin(p->params.context, &p->upload, &room));
    memcpy(room, (const char *)words + from, to - from);
    hb_gl_upload_end(&p->upload, buffer, from, to - from);
  }
  return HB_OK;
}

/* To the device's own memory: each workgroup begins with its sinks' numbers. */
static enum hb_status send_sinks(struct hb_pairs *p, size_t ni, const uint32_t *index)
{
  size_t bytes = ni * sizeof *index;
  if (bytes == p->sent_bytes && memcmp(p->sent, index, bytes) == 0)
    return HB_OK; /* with shared steps they are always the same */
  p->sent_bytes = 0;
  if (bytes > p->i.bytes) {
    hb_gl_buffer_fill(&p->i, hb_gl_upload_is_there(p->params.context) ? HB_GL_BY_DEVICE : HB_GL_BY_HOST,
                      hb_pairs_capacity(bytes, p->nj * sizeof *index), NULL);
    hb_gl_buffer_texture(&p->i, HB_GL_R32I);
  }
  HB_TRY(send_words(p, bytes, index, &p->i));
  p->sent_bytes = bytes <= sizeof p->sent ? bytes : 0;
  memcpy(p->sent, index, p->sent_bytes);
  return HB_OK;
}

/* In precision reproducible. */
static void send_scales(struct hb_pairs *p)
{
  const uint32_t *scale = p->scale + p->before;
  size_t bytes = p->ni * sizeof *scale;
  if (bytes == p->sent_scale_bytes && memcmp(p->sent_scale, scale, bytes) == 0)
    return; /* mostly the finest, again */
  p->sent_scale_bytes = bytes <= sizeof p->sent_scale ? bytes : 0;
  memcpy(p->sent_scale, scale, p->sent_scale_bytes);
  if (bytes > p->i_scale.bytes) {
    hb_gl_buffer_fill(&p->i_scale, HB_GL_BY_HOST, hb_pairs_capacity(bytes, p->nj * sizeof *scale), NULL);
    hb_gl_buffer_texture(&p->i_scale, HB_GL_R32I);
  }
  hb_gl_buffer_write(&p->i_scale, bytes, scale);
}

static enum hb_status walk_portion(struct hb_pairs *p, const uint32_t *index)
{
  HB_TRY(send_sinks(p, p->ni, index));
  if (hb_precisions[p->params.precision].is_fixed) send_scales(p);
  if (p->points) HB_TRY(hb_pairs_send_points(p));
  p->index = index;
  p->token +=
      0x9e3779b1; /* odd: every number comes once; 2^32 over the golden ratio: neighbors are far apart */
  p->count_start = p->token;
  p->built = p->params.context->built;
  p->started = hb_clock_now();
  return p->scheme->walk(p);
}

void hb_pairs_done(struct hb_pairs *p)
{
  double seconds = hb_clock_now() - p->started, pairs_done = (double)p->ni * (double)p->nj;
  if (p->built != p->params.context->built) return; /* a compiler's speed is not the device's */
  if (!p->started) return;
  if (seconds > HB_PAIRS_LATENCY)
    hb_pairs_learn(p, pairs_done, seconds);
  else if (p->pairs_per_s < pairs_done / HB_PAIRS_LATENCY)
    p->pairs_per_s = pairs_done / HB_PAIRS_LATENCY; /* it is at least so fast */
}

static enum hb_status read_portion(struct hb_pairs *p)
{
  HB_TRY(p->scheme->read(p));
  hb_pairs_done(p);
  return HB_OK;
}

/* Reads a portion's results, which the next one overwrites; those of the last stay where they are. */
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
  p->points = NULL;
  return walk_portions(p, ni, index, take, context);
}

static enum hb_status walk_to_host(struct hb_pairs *p, size_t ni, const struct hb_column *points,
                                   const uint32_t *index, const struct hb_result *results)
{
  for (int c = 0; c < 4 * p->params.interaction->f_records; c++)
    p->results[c] = results ? results[c] : (struct hb_result){0};
  p->stays = 0;
  p->points = points;
  return walk_portions(p, ni, index, read_all_but_last, NULL);
}

enum hb_status hb_pairs_walk(struct hb_pairs *p, size_t ni, const uint32_t *index,
                             const struct hb_result *results)
{
  return walk_to_host(p, ni, NULL, index, results);
}

enum hb_status hb_pairs_walk_points(struct hb_pairs *p, size_t ni, const struct hb_column *columns,
                                    const uint32_t *own, const struct hb_result *results)
{
  return walk_to_host(p, ni, columns, own, results);
}

void hb_pairs_set_rounding(struct hb_pairs *p, const struct hb_fixed_column *rounding)
{
  memcpy(p->rounding, rounding, 4 * (size_t)p->params.interaction->records * sizeof *rounding);
}

enum hb_status hb_pairs_walk_fixed(struct hb_pairs *p, size_t ni, const uint32_t *index,
                                   const uint32_t *scale, struct hb_fixed_total *totals)
{
  return hb_pairs_walk_points_fixed(p, ni, NULL, index, scale, totals);
}

enum hb_status hb_pairs_walk_points_fixed(struct hb_pairs *p, size_t ni, const struct hb_column *columns,
                                          const uint32_t *own, const uint32_t *scale,
                                          struct hb_fixed_total *totals)
{
  p->scale = scale;
  p->totals = totals;
  return walk_to_host(p, ni, columns, own, NULL);
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
