#include "force/rescale.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <string.h>

struct hb_rescale {
  struct hb_reproducible_units units;
  size_t nj, known_room;
  uint32_t *known; /* [nj] the scale that the last sum over each source as a sink wanted; 0: none yet */

  /* the call under way */
  struct hb_force_sinks sinks;
  struct hb_force_results to;
  size_t room, again_room;
  uint32_t *scale;               /* [ni] */
  struct hb_fixed_total *totals; /* [ni] */
  uint32_t *again;               /* [2 * again_room] places of those to be summed again, and their numbers */
  double *xv;                    /* [6 * again_room] of points */
  uint64_t repeats;
};

enum hb_status hb_rescale_create(struct hb_rescale **rescale) { return HB_ALLOC(1, rescale); }

static void free_call(struct hb_rescale *r)
{
  hb_mem_free(r->scale);
  hb_mem_free(r->totals);
  r->scale = NULL;
  r->totals = NULL;
  r->room = 0;
}

static void free_again(struct hb_rescale *r)
{
  hb_mem_free(r->again);
  hb_mem_free(r->xv);
  r->again = NULL;
  r->xv = NULL;
  r->again_room = 0;
}

void hb_rescale_destroy(struct hb_rescale *r)
{
  if (!r) return;
  hb_mem_free(r->known);
  free_call(r);
  free_again(r);
  hb_mem_free(r);
}

uint64_t hb_rescale_repeats(const struct hb_rescale *r) { return r->repeats; }

enum hb_status hb_rescale_find_units(struct hb_rescale *r, double eps, const struct hb_force_sources *s)
{
  return hb_reproducible_find_units(s->n, s->m, s->x, s->v, eps, &r->units);
}

/* Memory for scales of so many sources. */
static enum hb_status expect_sources(struct hb_rescale *r, size_t nj)
{
  if (nj > r->known_room) {
    hb_mem_free(r->known);
    r->known = NULL;
    r->known_room = r->nj = 0;
    HB_TRY(HB_ALLOC(nj, &r->known));
    r->known_room = nj;
  }
  if (nj != r->nj) memset(r->known, 0, nj * sizeof *r->known); /* other particles */
  r->nj = nj;
  return HB_OK;
}

static enum hb_status expect_sinks(struct hb_rescale *r, size_t ni)
{
  if (ni <= r->room) return HB_OK;
  free_call(r);
  HB_TRY(HB_ALLOC(ni, &r->scale));
  HB_TRY(HB_ALLOC(ni, &r->totals));
  r->room = ni;
  return HB_OK;
}

/* ---- loops over sinks ---- */

enum { PIECE = 1024, ALONE = 2 * PIECE /* sinks that are done before a second thread has woken up */ };

struct loop {
  struct hb_rescale *rescale;
  size_t ni;
  const uint32_t *place; /* sink place[k] is summed as k; NULL: as itself */
  atomic_size_t wrong;   /* sinks of another scale */
  atomic_int is_bad;
};

static void run(struct loop *loop, void (*piece)(void *context, size_t piece))
{
  hb_parallel_for(loop->ni > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(loop->ni, PIECE), piece, loop);
}

/* Where the scale of sink i of the call is known; NULL: a point that is no source. Several points may be the same one. */
static uint32_t *known_of(const struct hb_rescale *r, size_t i)
{
  uint32_t own = r->sinks.index[i];
  return own < r->nj ? r->known + own : NULL;
}

static void guess_piece(void *context, size_t piece)
{
  const struct loop *l = context;
  const struct hb_rescale *r = l->rescale;
  uint32_t usual = hb_reproducible_scale(&r->units, 0);
  for (size_t k = piece * PIECE, end = hb_parallel_end(l->ni, PIECE, k); k < end; k++) {
    const uint32_t *of = known_of(r, k);
    uint32_t known = of ? __atomic_load_n(of, __ATOMIC_RELAXED) : 0;
    r->scale[k] = known ? known : usual;
  }
}

static enum hb_status take(struct loop *l, size_t from, size_t end)
{
  struct hb_rescale *r = l->rescale;
  for (size_t k = from; k < end; k++) {
    size_t i = l->place ? l->place[k] : k;
    const struct hb_fixed_total *t = &r->totals[k];
    uint32_t scale = hb_reproducible_scale(&r->units, t->most);
    uint32_t *known = known_of(r, i);
    if (known) __atomic_store_n(known, scale, __ATOMIC_RELAXED);
    if (scale != r->scale[k])
      atomic_fetch_add(&l->wrong, 1);
    else
      HB_TRY(hb_reproducible_result(&r->units, scale, t, r->to.a + 3 * i, r->to.j + 3 * i, r->to.phi + i));
  }
  return HB_OK;
}

static void take_piece(void *context, size_t piece)
{
  struct loop *l = context;
  size_t from = piece * PIECE;
  if (take(l, from, hb_parallel_end(l->ni, PIECE, from)) != HB_OK) l->is_bad = 1;
}

/* Results of those whose scale was right; how many had another. */
static enum hb_status take_all(struct hb_rescale *r, size_t ni, const uint32_t *place, size_t *wrong)
{
  struct loop loop = {r, ni, place, 0, 0};
  run(&loop, take_piece);
  *wrong = loop.wrong;
  return loop.is_bad ? take(&loop, 0, ni) : HB_OK; /* again, for the sentence */
}

/* ---- calls ---- */

enum hb_status hb_rescale_begin(struct hb_rescale *r, const struct hb_force_ops *ops, void *state,
                                const struct hb_force_job *job)
{
  struct hb_force_job own = *job;
  const struct hb_force_sinks *s = &job->sinks;
  if (job->sources.m) HB_TRY(expect_sources(r, job->sources.n));
  if (s->x) HB_TRY(hb_reproducible_check_points(&r->units, s->n, s->x, s->v));
  HB_TRY(expect_sinks(r, s->n));
  r->sinks = *s;
  r->to = job->to;
  run(&(struct loop){r, s->n, NULL, 0, 0}, guess_piece);
  own.words = (struct hb_force_words){&r->units, r->scale, r->totals};
  return ops->begin(state, &own);
}

static enum hb_status reserve_again(struct hb_rescale *r, size_t wrong)
{
  if (wrong > r->again_room) {
    free_again(r);
    HB_TRY(HB_ALLOC(2 * wrong, &r->again));
    r->again_room = wrong;
  }
  return r->sinks.x && !r->xv ? HB_ALLOC(6 * r->again_room, &r->xv) : HB_OK;
}

/* The job for sinks of another scale. The largest blocks are known now, and do not depend on the scale. */
static void choose_again(struct hb_rescale *r, struct hb_force_job *again)
{
  uint32_t *place = r->again, *index = r->again + r->again_room;
  double *x = r->xv, *v = r->xv ? r->xv + 3 * r->again_room : NULL;
  size_t k = 0;
  for (size_t i = 0; i < r->sinks.n; i++) {
    uint32_t scale = hb_reproducible_scale(&r->units, r->totals[i].most);
    if (scale == r->scale[i]) continue;
    place[k] = (uint32_t)i;
    index[k] = r->sinks.index[i];
    if (r->sinks.x) memcpy(x + 3 * k, r->sinks.x + 3 * i, 3 * sizeof *x);
    if (r->sinks.x) memcpy(v + 3 * k, r->sinks.v + 3 * i, 3 * sizeof *v);
    r->scale[k++] = scale;
  }
  again->sources = (struct hb_force_sources){0};
  again->sinks = (struct hb_force_sinks){k, index, r->sinks.x ? x : NULL, r->sinks.x ? v : NULL};
}

enum hb_status hb_rescale_finish(struct hb_rescale *r, const struct hb_force_ops *ops, void *state,
                                 const struct hb_force_job *job)
{
  struct hb_force_job own = *job;
  size_t wrong, left;
  own.words = (struct hb_force_words){&r->units, r->scale, r->totals};
  if (ops->finish) HB_TRY(ops->finish(state, &own));
  HB_TRY(take_all(r, r->sinks.n, NULL, &wrong));
  if (wrong == 0) return HB_OK;
  HB_TRY(reserve_again(r, wrong));
  choose_again(r, &own);
  r->repeats += wrong;
  HB_TRY(ops->begin(state, &own));
  if (ops->finish) HB_TRY(ops->finish(state, &own));
  HB_TRY(take_all(r, wrong, r->again, &left));
  if (left == 0) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "the largest sum of a block changed from one walk to the next: the device's "
                                "arithmetic is not the same each time");
}
