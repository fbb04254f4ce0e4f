/* How much one draw does: enough to keep the device busy, but not so much that a desktop's driver believes it hung. */
#include "pairs/pairs.h"

#include "gl/gl_pass.h"
#include "gl/gl_timer.h"

#include <math.h>

/* Sources of each segment that the next pass may walk. */
static size_t pass_length(const struct hb_pairs *p, size_t segments, size_t step, size_t most)
{
  double by_time = p->pairs_per_s * p->params.max_draw_s / ((double)p->ni * (double)segments);
  size_t bag = p->params.tuning.bag ? (size_t)p->params.tuning.bag / segments : most;
  if ((size_t)p->params.tuning.bag >= p->nj) bag = most; /* bag = N is one pass */
  size_t length = bag < most ? bag : most;
  if (by_time < (double)length) length = (size_t)by_time;
  length = length / step * step;
  return length > step ? length : step;
}

/* A guess that was too low is raised slowly, one that was too high is lowered at once. */
void hb_pairs_learn(struct hb_pairs *p, double pairs_done, double seconds)
{
  double rate = seconds < HB_PAIRS_LATENCY ? INFINITY : pairs_done / seconds;
  p->pairs_per_s = rate < 4 * p->pairs_per_s ? rate : 4 * p->pairs_per_s;
  if (seconds > p->params.max_draw_s / 8) p->known = 1;
}

enum hb_status hb_pairs_breathe(struct hb_pairs *p, double walked)
{
  if (p->params.context->backend->breathe) p->started = 0; /* the time since then is not the walk's alone */
  return hb_gl_context_breathe(p->params.context, walked);
}

enum hb_status hb_pairs_passes(struct hb_pairs *p, size_t segments, size_t segment_length, size_t step,
                               size_t most, hb_pairs_pass pass)
{
  for (size_t from = 0, to; from < segment_length; from = to) {
    to = from + pass_length(p, segments, step, most);
    if (to > segment_length) to = segment_length;
    int is_all = from == 0 && to == segment_length;
    double start = p->known || is_all ? 0 : hb_gl_timer_start();
    HB_TRY(pass(p, from, to));
    double walked = (double)p->ni * (double)segments * (double)(to - from);
    if (start > 0) hb_pairs_learn(p, walked, hb_gl_timer_stop(start));
    if (!is_all) hb_gl_flush(); /* else a driver may gather draws into one long submission */
    if (!is_all) HB_TRY(hb_pairs_breathe(p, walked));
  }
  return HB_OK;
}
