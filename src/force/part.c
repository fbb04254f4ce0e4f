#include "force/part.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <string.h>

enum { PIECE = 1024, ALONE = 4 * PIECE /* sinks that are moved before a second thread has woken up */ };

static void by_pieces(size_t count, void (*work)(void *context, size_t piece), void *context)
{
  hb_parallel_for(count > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(count, PIECE), work, context);
}

void hb_part_free(struct hb_part *part)
{
  hb_mem_free(part->own);
  *part = (struct hb_part){0};
}

enum hb_status hb_part_results_reserve(const struct hb_part *part, size_t ni, struct hb_part_results *r)
{
  if (part->units) return HB_ALLOC(ni, &r->totals);
  HB_TRY(HB_ALLOC(3 * ni, &r->a));
  HB_TRY(HB_ALLOC(3 * ni, &r->j));
  return HB_ALLOC(ni, &r->phi);
}

void hb_part_results_free(struct hb_part_results *r)
{
  hb_mem_free(r->a);
  hb_mem_free(r->j);
  hb_mem_free(r->phi);
  hb_mem_free(r->totals);
  *r = (struct hb_part_results){0};
}

struct hb_part_results hb_part_results_from(const struct hb_part_results *r, size_t first)
{
  if (r->totals) return (struct hb_part_results){.scale = r->scale + first, .totals = r->totals + first};
  return (struct hb_part_results){.a = r->a + 3 * first, .j = r->j + 3 * first, .phi = r->phi + first};
}

enum hb_status hb_part_set_j(struct hb_part *part, size_t begin, size_t end, const double *m, const double *x,
                             const double *v)
{
  size_t count = end - begin;
  part->begin = begin;
  part->end = end;
  if (count == 0) return HB_OK;
  m += begin, x += 3 * begin, v += 3 * begin;
  return part->units ? part->ops->reproducible->set_j(part->state, part->units, count, m, x, v)
                     : part->ops->set_j(part->state, count, m, x, v);
}

enum hb_status hb_part_begin(struct hb_part *part, size_t ni, const uint32_t *index,
                             const struct hb_part_results *r)
{
  return r->totals ? part->ops->reproducible->begin(part->state, ni, index, r->scale, r->totals)
                   : part->ops->begin(part->state, ni, index, r->a, r->j, r->phi);
}

static enum hb_status nothing(size_t ni, const struct hb_part_results *r)
{
  if (r->totals) {
    memset(r->totals, 0, ni * sizeof *r->totals);
    return HB_OK;
  }
  memset(r->a, 0, 3 * ni * sizeof *r->a);
  memset(r->j, 0, 3 * ni * sizeof *r->j);
  memset(r->phi, 0, ni * sizeof *r->phi);
  return HB_OK;
}

static enum hb_status reserve(struct hb_part *part, size_t ni)
{
  if (ni <= part->room) return HB_OK;
  hb_mem_free(part->own);
  part->own = NULL;
  part->room = 0;
  HB_TRY(HB_ALLOC(ni, &part->own));
  part->room = ni;
  return HB_OK;
}

enum hb_status hb_part_begin_at(struct hb_part *part, size_t ni, const double *x, const double *v,
                                const uint32_t *own, const struct hb_part_results *r)
{
  if (part->begin == part->end) return nothing(ni, r);
  HB_TRY(reserve(part, ni));
  for (size_t i = 0; i < ni; i++)
    part->own[i] =
        own[i] >= part->begin && own[i] < part->end ? own[i] - (uint32_t)part->begin : HB_NO_SOURCE;
  return r->totals ? part->ops->reproducible->begin_at(part->state, ni, x, v, part->own, r->scale, r->totals)
                   : part->ops->begin_at(part->state, ni, x, v, part->own, r->a, r->j, r->phi);
}

enum hb_status hb_part_finish(struct hb_part *part)
{
  enum hb_status (*finish)(void *state) = part->units ? part->ops->reproducible->finish : part->ops->finish;
  return finish ? finish(part->state) : HB_OK;
}

/* ---- sinks ---- */

struct filling {
  struct hb_part_sinks *sinks;
  size_t ni;
  const uint32_t *index;
  const double *x, *v;
};

static void fill_piece(void *context, size_t piece)
{
  const struct filling *f = context;
  for (size_t i = piece * PIECE, end = hb_parallel_end(f->ni, PIECE, i); i < end; i++) {
    memcpy(f->sinks->x + 3 * i, f->x + 3 * (size_t)f->index[i], 3 * sizeof *f->x);
    memcpy(f->sinks->v + 3 * i, f->v + 3 * (size_t)f->index[i], 3 * sizeof *f->v);
  }
}

enum hb_status hb_part_sinks_fill(struct hb_part_sinks *sinks, size_t ni, const uint32_t *index,
                                  const double *x, const double *v)
{
  if (ni > sinks->room) {
    hb_part_sinks_free(sinks);
    HB_TRY(HB_ALLOC(3 * ni, &sinks->x));
    HB_TRY(HB_ALLOC(3 * ni, &sinks->v));
    sinks->room = ni;
  }
  struct filling filling = {sinks, ni, index, x, v};
  by_pieces(ni, fill_piece, &filling);
  return HB_OK;
}

void hb_part_sinks_free(struct hb_part_sinks *sinks)
{
  hb_mem_free(sinks->x);
  hb_mem_free(sinks->v);
  *sinks = (struct hb_part_sinks){0};
}

/* ---- sums ---- */

struct adding {
  size_t ni;
  const struct hb_part_results *more, *sum;
};

static void add_piece(void *context, size_t piece)
{
  const struct adding *s = context;
  const struct hb_part_results *more = s->more, *sum = s->sum;
  size_t from = piece * PIECE, end = hb_parallel_end(s->ni, PIECE, from);
  for (size_t i = from; sum->totals && i < end; i++) hb_fixed_add(&sum->totals[i], &more->totals[i]);
  if (sum->totals) return;
  for (size_t k = 3 * from; k < 3 * end; k++) {
    sum->a[k] += more->a[k];
    sum->j[k] += more->j[k];
  }
  for (size_t i = from; i < end; i++) sum->phi[i] += more->phi[i];
}

void hb_part_add(size_t ni, const struct hb_part_results *more, const struct hb_part_results *sum)
{
  struct adding adding = {ni, more, sum};
  by_pieces(ni, add_piece, &adding);
}
