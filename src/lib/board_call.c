#include "lib/board_state.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { PIECE = 1024, ALONE = 4 * PIECE /* sinks that are copied before a second thread has woken up */ };

/* ---- first half ---- */

static enum hb_status reserve(struct hb_sinks *s, size_t ni)
{
  if (ni <= s->room) return HB_OK;
  s->room = 0;
  HB_TRY(HB_RESIZE(ni, &s->index));
  HB_TRY(HB_RESIZE(3 * ni, &s->x));
  HB_TRY(HB_RESIZE(3 * ni, &s->v));
  HB_TRY(HB_RESIZE(ni, &s->h2));
  HB_TRY(HB_RESIZE(ni, &s->own));
  HB_TRY(HB_RESIZE(ni, &s->has_twins));
  HB_TRY(HB_RESIZE(3 * ni, &s->a));
  HB_TRY(HB_RESIZE(3 * ni, &s->j));
  HB_TRY(HB_RESIZE(ni, &s->phi));
  s->room = ni;
  return HB_OK;
}

static void copy(size_t count, const double *from, double *to)
{
  if (from)
    memcpy(to, from, count * sizeof *to);
  else
    memset(to, 0, count * sizeof *to);
}

struct taking {
  struct hb_board *board;
  const struct hb_board_call *call;
};

/* Copies sinks, and finds which address each is to leave out. */
static void take_piece(void *context, size_t piece)
{
  const struct taking *t = context;
  const struct hb_board_call *call = t->call;
  const struct hb_board *b = t->board;
  const struct hb_sinks *s = &b->sinks;
  size_t from = piece * PIECE, end = hb_parallel_end((size_t)call->ni, PIECE, from), count = end - from;
  memcpy(s->index + from, call->index + from, count * sizeof *s->index);
  copy(3 * count, call->x + 3 * from, s->x + 3 * from);
  copy(3 * count, call->v ? call->v + 3 * from : NULL, s->v + 3 * from);
  copy(count, call->h2 ? call->h2 + from : NULL, s->h2 + from);
  for (size_t i = from; i < end; i++)
    s->has_twins[i] = hb_names_find(&b->names, s->index[i], b->nj, &s->own[i]) > 1;
}

static void take_sinks(struct hb_board *b, const struct hb_board_call *call)
{
  struct taking taking = {b, call};
  size_t ni = (size_t)call->ni;
  hb_parallel_for(ni > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(ni, PIECE), take_piece, &taking);
}

static enum hb_status check(const struct hb_board_call *call)
{
  if (call->ni < 0 || call->nj < 0)
    return hb_fail(HB_ERR_USAGE, "forces of %d particles on %d were asked for, expected >= 0", call->nj,
                   call->ni);
  if (call->ni > 0 && (!call->index || !call->x))
    return hb_fail(HB_ERR_USAGE, "the i-particles have no %s", call->x ? "indices" : "positions");
  return HB_OK;
}

static size_t sources(const struct hb_board *b, const struct hb_board_call *call)
{
  return (size_t)call->nj < b->names.used ? (size_t)call->nj : b->names.used;
}

static enum hb_status begin(struct hb_board *b, const struct hb_board_call *call)
{
  struct hb_sinks *s = &b->sinks;
  HB_TRY(check(call));
  size_t ni = (size_t)call->ni;
  s->n = 0;
  b->lists.ni = 0;
  HB_TRY(reserve(s, ni));
  b->nj = sources(b, call);
  b->t = b->ti;
  b->eps2 = call->eps2;
  take_sinks(b, call);
  hb_engine_predict_j(b->engine, b->nj, b->t);
  HB_TRY(hb_engine_begin(b->engine, call->eps2, ni, s->x, s->v, s->own, s->a, s->j, s->phi));
  s->n = ni;
  b->is_begun = 1;
  return HB_OK;
}

enum hb_status hb_board_first(const struct hb_board_call *call)
{
  HB_GL_VISIT;
  struct hb_board *b;
  HB_TRY(hb_board_find(call->id, &b));
  hb_board_drop_call(b);
  return hb_board_keep_trouble(b, begin(b, call));
}

/* ---- last half ---- */

/* Several addresses have the index of this sink, of which the engine leaves out one: it is summed here. */
static void sum_without_twins(struct hb_board *b, size_t i)
{
  struct hb_sinks *s = &b->sinks;
  const double *xi = s->x + 3 * i, *vi = s->v + 3 * i;
  double sum[7] = {0}, xj[3], vj[3];
  for (size_t k = 0; k < b->nj; k++) {
    if (!b->names.is_set[k] || b->names.name[k] == s->index[i]) continue;
    hb_timed_place(b->timed, k, b->t, xj, vj);
    const double dx[3] = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
    const double dv[3] = {vj[0] - vi[0], vj[1] - vi[1], vj[2] - vi[2]};
    double r2 = dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2] + b->eps2;
    double rv = 3 * (dx[0] * dv[0] + dx[1] * dv[1] + dx[2] * dv[2]) / r2;
    double m_r = b->m[k] / sqrt(r2), m_r3 = m_r / r2;
    for (int d = 0; d < 3; d++) sum[d] += m_r3 * dx[d];
    for (int d = 0; d < 3; d++) sum[3 + d] += m_r3 * (dv[d] - rv * dx[d]);
    sum[6] -= m_r;
  }
  memcpy(s->a + 3 * i, sum, 3 * sizeof *sum);
  memcpy(s->j + 3 * i, sum + 3, 3 * sizeof *sum);
  s->phi[i] = sum[6];
}

/* A program that left out the first half, or gave it other numbers, gets its forces all the same. */
static enum hb_status finish(struct hb_board *b, const struct hb_board_call *call)
{
  struct hb_sinks *s = &b->sinks;
  if (b->trouble != HB_OK) return hb_fail(b->trouble, "%s", b->sentence);
  HB_TRY(check(call));
  if (!b->is_begun || s->n != (size_t)call->ni || b->nj != sources(b, call)) {
    hb_board_drop_call(b);
    HB_TRY(begin(b, call));
  }
  b->is_begun = 0;
  HB_TRY(hb_engine_finish(b->engine));
  for (size_t i = 0; i < s->n; i++)
    if (s->has_twins[i]) sum_without_twins(b, i);
  return HB_OK;
}

static enum hb_status last(const struct hb_board_call *call, const struct hb_board_results *results)
{
  struct hb_board *b;
  HB_TRY(hb_board_find(call->id, &b));
  enum hb_status status = finish(b, call);
  b->trouble = HB_OK;
  if (status != HB_OK) hb_board_drop_call(b);
  HB_TRY(status);
  const struct hb_sinks *s = &b->sinks;
  if (s->n == 0) return HB_OK;
  if (results->a) hb_parallel_copy(results->a, s->a, 3 * s->n * sizeof *s->a);
  if (results->j) hb_parallel_copy(results->j, s->j, 3 * s->n * sizeof *s->j);
  if (results->phi) hb_parallel_copy(results->phi, s->phi, s->n * sizeof *s->phi);
  return hb_board_nearest(b, results->nearest, results->r_nearest);
}

static void spoil(const struct hb_board_call *call, const struct hb_board_results *results)
{
  size_t n = call->ni > 0 ? (size_t)call->ni : 0;
  hb_engine_spoil(3 * n, results->a);
  hb_engine_spoil(3 * n, results->j);
  hb_engine_spoil(n, results->phi);
  for (size_t k = 0; results->nearest && k < n; k++) results->nearest[k] = -1;
  for (size_t k = 0; results->r_nearest && k < n; k++) results->r_nearest[k] = NAN;
}

enum hb_status hb_board_last(const struct hb_board_call *call, const struct hb_board_results *results)
{
  HB_GL_VISIT;
  enum hb_status status = last(call, results);
  if (status != HB_OK) spoil(call, results);
  return status;
}
