#include "force/points.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <holmberg/holmberg.h>

#include <float.h>
#include <math.h>
#include <stdatomic.h>

enum { PIECE = 4096, ALONE = 4 * PIECE /* points that are looked at before a second thread has woken up */ };

void hb_points_free(struct hb_points *points)
{
  hb_mem_free(points->in_frame.xv);
  hb_mem_free(points->rest);
  hb_mem_free(points->nobody);
  *points = (struct hb_points){0};
}

static enum hb_status reserve(struct hb_points *p, size_t ni)
{
  if (ni <= p->capacity) return HB_OK;
  p->capacity = 0;
  HB_TRY(HB_RESIZE(3 * ni, &p->rest));
  HB_TRY(HB_RESIZE(ni, &p->nobody));
  for (size_t i = 0; i < ni; i++) p->nobody[i] = HB_NO_SOURCE;
  p->capacity = ni;
  return HB_OK;
}

/* The first coordinate that is beyond reach, or whose velocity is; 3 * ni: none. */
struct search {
  double reach;
  const double *x, *v;
  size_t ni;
  atomic_size_t first;
};

static int is_beyond(const struct search *s, size_t k)
{
  return !(fabs(s->x[k]) <= s->reach && fabs(s->v[k]) <= s->reach);
}

static void search_piece(void *context, size_t piece)
{
  struct search *s = context;
  size_t from = 3 * PIECE * piece, end = hb_parallel_end(3 * s->ni, 3 * PIECE, from), before;
  int any = 0;
  for (size_t k = from; k < end; k++)
    any |= is_beyond(s, k); /* mostly none: a loop without a way out is faster */
  if (!any) return;
  while (!is_beyond(s, from)) from++;
  for (before = atomic_load(&s->first); from < before;)
    if (atomic_compare_exchange_weak(&s->first, &before, from)) break;
}

static enum hb_status check(double reach, size_t ni, const double *x, const double *v)
{
  struct search s = {.reach = reach, .x = x, .v = v, .ni = ni};
  atomic_init(&s.first, 3 * ni);
  hb_parallel_for(ni > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(ni, PIECE), search_piece, &s);
  size_t k = s.first;
  if (k == 3 * ni) return HB_OK;
  if (reach == DBL_MAX)
    return hb_fail(HB_ERR_INPUT, "point %zu has %c = %g and v%c = %g, expected finite", k / 3, "xyz"[k % 3],
                   x[k], "xyz"[k % 3], v[k]);
  return hb_fail(HB_ERR_INPUT,
                 "point %zu has %c = %g from the center and v%c = %g, expected within %.3g: this float "
                 "arithmetic goes no further (scheme host computes in double)",
                 k / 3, "xyz"[k % 3], x[k], "xyz"[k % 3], v[k], reach);
}

static enum hb_status check_own(size_t nj, size_t ni, const uint32_t *own)
{
  for (size_t i = 0; i < ni; i++)
    if (own[i] >= nj && own[i] != HB_NO_SOURCE)
      return hb_fail(HB_ERR_USAGE, "point %zu leaves out source %u, expected below %zu or HB_NO_SOURCE", i,
                     own[i], nj);
  return HB_OK;
}

enum hb_status hb_points_prepare(struct hb_points *points, const double origin[2][3], double reach, size_t nj,
                                 struct hb_force_sinks *i)
{
  if (i->index) HB_TRY(check_own(nj, i->n, i->index));
  if (!i->v || !i->index) HB_TRY(reserve(points, i->n));
  if (!i->v) i->v = points->rest;
  if (!i->index) i->index = points->nobody;
  HB_TRY(hb_frame_enter(origin, i->n, &i->x, &i->v, &points->in_frame));
  return check(reach > 0 ? reach : DBL_MAX, i->n, i->x, i->v);
}
