/* A walk: its sinks in portions, each in passes over the sources. A scheme says how a portion is drawn. */
#include "pairs/pairs_scheme.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "gl/gl_pass.h"

#include <math.h>
#include <string.h>

static const double LATENCY = 1e-3; /* less measures the latency of a device, not its speed */

void hb_pairs_destroy(struct hb_pairs *p)
{
  if (!p) return;
  if (hb_gl_context_use(p->params.context) == HB_OK) {
    if (p->state) p->scheme->destroy(p);
    hb_gl_upload_destroy(&p->upload);
    HB_GL_DESTROY(buffer, &p->j, &p->j_next, &p->i.buffer, &p->i_scale.buffer, &p->i_points, &p->storage);
    hb_gl_texture_destroy(&p->j_2d);
    hb_gl_readback_destroy(&p->readback);
  }
  HB_FREE(p->staging, p);
}

/* ---- sinks ---- */

/* A number for each sink of the portion, unless these are there: with shared steps they are always the same, and scales are mostly
 * the finest. To the device's own memory: each workgroup begins with its sinks' numbers. Many of them take the driver longer among
 * its commands than by a copy from memory that stays mapped. */
static enum hb_status send_numbers(struct hb_pairs *p, const uint32_t *number, struct hb_pairs_numbers *n)
{
  enum { FEW = 16 << 10 };
  size_t bytes = p->ni * sizeof *number;
  if (bytes == n->sent_bytes && memcmp(n->sent, number, bytes) == 0) return HB_OK;
  n->sent_bytes = 0;
  if (bytes > n->buffer.bytes) {
    hb_gl_buffer_fill(&n->buffer, hb_gl_upload_is_there(p->params.context) ? HB_GL_BY_DEVICE : HB_GL_BY_HOST,
                      hb_pairs_capacity(bytes, p->nj * sizeof *number), NULL);
    hb_gl_buffer_texture(&n->buffer, HB_GL_R32I);
  }
  int is_copied = bytes > FEW && hb_gl_upload_is_there(p->params.context);
  if (!is_copied) hb_gl_buffer_write(&n->buffer, bytes, number);
  for (size_t from = 0, to; is_copied && from < bytes; from = to) {
    void *room;
    to = hb_parallel_end(bytes, HB_GL_UPLOAD_PIECE, from);
    HB_TRY(hb_gl_upload_begin(p->params.context, &p->upload, &room));
    memcpy(room, (const char *)number + from, to - from);
    hb_gl_upload_end(&p->upload, &n->buffer, from, to - from);
  }
  n->sent_bytes = bytes <= sizeof n->sent ? bytes : 0;
  memcpy(n->sent, number, n->sent_bytes);
  return HB_OK;
}

/* ---- how much one draw does: enough to keep the device busy, but not so much that a desktop's driver believes it hung ---- */

/* A guess that was too low is raised slowly, one that was too high is lowered at once. */
static void learn(struct hb_pairs *p, double pairs_done, double seconds)
{
  double rate = seconds < LATENCY ? INFINITY : pairs_done / seconds;
  p->pairs_per_s = rate < 4 * p->pairs_per_s ? rate : 4 * p->pairs_per_s;
  if (seconds > p->params.max_draw_s / 8) p->known = 1;
}

void hb_pairs_done(struct hb_pairs *p)
{
  double seconds = hb_clock_now() - p->started, pairs_done = (double)p->ni * (double)p->nj;
  if (p->built != p->params.context->built) return; /* a compiler's speed is not the device's */
  if (!p->started) return;
  if (seconds > LATENCY)
    learn(p, pairs_done, seconds);
  else if (p->pairs_per_s < pairs_done / LATENCY)
    p->pairs_per_s = pairs_done / LATENCY; /* it is at least so fast */
}

/* Where a pass ends that begins at this source of each segment. */
static size_t end_of_pass(const struct hb_pairs *p, size_t from)
{
  const struct hb_pairs_shape *s = &p->shape;
  double by_time = p->pairs_per_s * p->params.max_draw_s / ((double)p->ni * (double)s->segments);
  size_t bag = p->params.tuning.bag ? (size_t)p->params.tuning.bag / s->segments : s->most;
  if ((size_t)p->params.tuning.bag >= p->nj) bag = s->most; /* bag = N is one pass */
  size_t length = hb_min(bag, s->most);
  if (by_time < (double)length) length = (size_t)by_time;
  length = length / s->step * s->step;
  size_t end = from + (length > s->step ? length : s->step);
  if (s->tile) end = hb_min(end, (from / s->tile + 1) * s->tile);
  return hb_min(end, s->segment_length);
}

/* While the device's speed is unknown a pass is timed, and the next one is at most four times as long. One that could not be
 * longer is not. */
static enum hb_status walk_pass(struct hb_pairs *p, size_t from, size_t to)
{
  const struct hb_pairs_shape *s = &p->shape;
  struct hb_gl_context *context = p->params.context;
  size_t most = s->tile ? s->tile : s->segment_length;
  int is_whole = from % most == 0 && (to % most == 0 || to == s->segment_length);
  double walked = (double)p->ni * (double)s->segments * (double)(to - from);
  double start = p->known || is_whole ? 0 : hb_gl_timer_start();
  HB_TRY(p->scheme->pass(p, from, to));
  p->draws++;
  if (start > 0) learn(p, walked, hb_gl_timer_stop(start));
  context->given += walked / p->pairs_per_s;
  if (to - from == s->segment_length) return HB_OK;
  hb_gl_flush();                                 /* else a driver may gather draws into one long submission */
  if (context->backend->breathe) p->started = 0; /* the time since then is not the walk's alone */
  return hb_gl_context_breathe(context, walked);
}

/* ---- the walk ---- */

static enum hb_status begin_portion(struct hb_pairs *p)
{
  HB_TRY(send_numbers(p, p->job.index + p->before, &p->i));
  if (hb_precisions[p->params.precision].is_fixed)
    HB_TRY(send_numbers(p, p->job.scale + p->before, &p->i_scale));
  if (p->job.points) HB_TRY(hb_pairs_send_points(p));
  p->token +=
      0x9e3779b1; /* odd: every number comes once; 2^32 over the golden ratio: neighbors are far apart */
  p->count_start = p->token;
  p->built = p->params.context->built;
  p->started = hb_clock_now();
  return p->scheme->begin(p);
}

enum hb_status hb_pairs_walk(struct hb_pairs *p, const struct hb_pairs_job *job)
{
  for (int c = 0; c < 4 * p->params.interaction->f_records; c++)
    p->results[c] = job->results ? job->results[c] : (struct hb_result){0};
  p->job = *job;
  p->passes = 0;
  p->draws = 0;
  HB_TRY(hb_gl_context_use(p->params.context));
  size_t portion = p->scheme->portion(p);
  for (size_t first = 0; first < job->ni; first += p->ni) {
    p->before = first;
    p->ni = hb_min(job->ni - p->before, portion);
    HB_TRY(begin_portion(p));
    for (size_t from = 0, to; from < p->shape.segment_length; from = to) {
      to = end_of_pass(p, from);
      HB_TRY(walk_pass(p, from, to));
    }
    if (p->scheme->end) HB_TRY(p->scheme->end(p));
    if (job->take)
      HB_TRY(job->take(job->context, p, first, p->ni));
    else if (first + p->ni < job->ni) /* the next portion overwrites its totals; those of the last stay */
      HB_TRY(hb_pairs_read(p));
  }
  return hb_gl_context_check(p->params.context, "walking the pairs");
}

void hb_pairs_set_rounding(struct hb_pairs *p, const struct hb_fixed_column *rounding)
{
  memcpy(p->rounding, rounding, 4 * (size_t)p->params.interaction->records * sizeof *rounding);
}

enum hb_status hb_pairs_read(struct hb_pairs *p)
{
  HB_TRY(hb_gl_context_use(p->params.context));
  HB_TRY(p->scheme->read(p));
  hb_pairs_done(p);
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
