#include "force/near_device.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>

enum {
  PLACES = 256,          /* sources whose places are computed at a time */
  PIECE = 16,            /* points a thread decides at a time */
  HOST_PORTION = 1 << 14 /* points at once without a device */
};
static const double WORTH_THREADS =
    30000; /* pairs or proposals to look at; with fewer, waking threads takes longer */

struct hb_near {
  struct hb_near_device *device; /* NULL: the host does it */
  struct hb_near_sources sources;
  int is_filled; /* the device has them */
};

/* A portion of the points at work. */
struct question {
  const struct hb_near_sources *sources;
  const double *places;                      /* x of all sources; NULL: not known */
  const struct hb_near_proposals *proposals; /* NULL: none, every source may be the answer */
  size_t first, count;
  const struct hb_near_points *points;
  uint32_t *nearest;
  double *r2; /* nullable */
  const double *h2;
  struct hb_near_lists *lists;
  int stores; /* of lists: 0: counts, 1: stores */
};

enum hb_status hb_near_create(struct hb_gl_context *context, struct hb_near **near)
{
  HB_GL_VISIT;
  struct hb_near *n;
  *near = NULL;
  HB_TRY(HB_ALLOC(1, &n));
  enum hb_status status = context ? hb_near_device_create(context, &n->device) : HB_OK;
  if (status != HB_OK) {
    hb_near_destroy(n);
    return status;
  }
  *near = n;
  return HB_OK;
}

void hb_near_destroy(struct hb_near *near)
{
  HB_GL_VISIT;
  if (!near) return;
  hb_near_device_destroy(near->device);
  hb_mem_free(near);
}

void hb_near_set_sources(struct hb_near *near, const struct hb_near_sources *sources)
{
  near->sources = *sources;
  near->is_filled = 0;
}

enum hb_status hb_near_set_j(struct hb_near *near, size_t nj, const double *x)
{
  if (nj > INT32_MAX) return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected below 2^31", nj);
  hb_near_set_sources(near, &(const struct hb_near_sources){.nj = nj, .x = x});
  return HB_OK;
}

static enum hb_status fill(struct hb_near *near)
{
  const struct hb_near_sources *s = &near->sources;
  if (near->is_filled) return HB_OK;
  HB_TRY(s->fill ? s->fill(s->owner, near->device) : hb_near_device_send(near->device, s->nj, s->x));
  near->is_filled = 1;
  return HB_OK;
}

/* ---- looking at sources, in double ---- */

/* x of sources from .. to, of which there are at most PLACES. */
static const double *places(const struct question *q, size_t from, size_t to, double room[3 * PLACES])
{
  if (q->places) return q->places + 3 * from;
  q->sources->place(q->sources->owner, from, to, room);
  return room;
}

static double distance2(const double xi[3], const double xj[3])
{
  double dx = xj[0] - xi[0], dy = xj[1] - xi[1], dz = xj[2] - xi[2];
  return dx * dx + dy * dy + dz * dz;
}

static size_t own_of(const struct question *q, size_t i)
{
  return q->points->own ? q->points->own[i] : HB_NO_SOURCE;
}

/* Sources from .. to, which must come in ascending order: the first of the nearest stays. */
static void find_nearer(const struct question *q, size_t i, size_t from, size_t to, double *r2)
{
  const double *xi = q->points->x + 3 * i;
  double room[3 * PLACES];
  for (size_t end, own = own_of(q, i); from < to; from = end) {
    end = hb_parallel_end(to, PLACES, from);
    const double *xj = places(q, from, end, room);
    for (size_t j = from; j < end; j++, xj += 3) {
      double d2 = distance2(xi, xj);
      if (!(d2 < *r2) || j == own) continue;
      *r2 = d2;
      q->nearest[i] = (uint32_t)j;
    }
  }
}

/* Appends those within the radius to the list, or only counts them. */
static void find_within(const struct question *q, size_t i, size_t from, size_t to)
{
  const double *xi = q->points->x + 3 * i;
  double room[3 * PLACES], h2 = q->h2[i];
  struct hb_near_lists *lists = q->lists;
  uint32_t count = lists->count[i];
  uint32_t *list = q->stores && lists->source ? lists->source + lists->start[i] : NULL;
  size_t most = q->stores ? lists->start[i + 1] - lists->start[i] : 0;
  for (size_t end, own = own_of(q, i); from < to; from = end) {
    end = hb_parallel_end(to, PLACES, from);
    const double *xj = places(q, from, end, room);
    for (size_t j = from; j < end; j++, xj += 3) {
      if (!(distance2(xi, xj) < h2) || j == own) continue;
      if (count < most) list[count] = (uint32_t)j;
      count++;
    }
  }
  lists->count[i] = count;
}

/* ---- deciding on proposals ---- */

/* Whatever may be as near as the smallest upper bound says that something is. */
static void decide_nearest(const struct question *q, size_t i)
{
  const struct hb_near_proposals *p = q->proposals;
  double r2 = INFINITY;
  q->nearest[i] = HB_NO_SOURCE;
  if (!p) find_nearer(q, i, 0, q->sources->nj, &r2);
  float within = INFINITY;
  for (size_t s = 0; p && s < p->segments; s++)
    within = fminf(within, hb_bits_to_float(hb_near_proposal(p, i - q->first, s)[1]));
  for (size_t s = 0; p && s < p->segments; s++) {
    const uint32_t *word = hb_near_proposal(p, i - q->first, s); /* see shaders/near/nearest.frag */
    size_t length = p->group * HB_NEAR_BITS, from = s * length;
    if (hb_bits_to_float(word[3]) <= within)
      find_nearer(q, i, from, hb_parallel_end(q->sources->nj, length, from), &r2);
    else if (word[0] != HB_NO_SOURCE && hb_bits_to_float(word[2]) <= within)
      find_nearer(q, i, word[0], word[0] + 1, &r2);
  }
  if (q->r2) q->r2[i] = r2;
}

static void decide_list(const struct question *q, size_t i)
{
  const struct hb_near_proposals *p = q->proposals;
  q->lists->count[i] = 0;
  if (!(q->h2[i] > 0)) return;
  if (!p) find_within(q, i, 0, q->sources->nj);
  for (size_t s = 0; p && s < p->segments; s++)
    for (size_t w = 0; w < 4; w++) {
      uint32_t bits = hb_near_proposal(p, i - q->first, s)[w];
      for (; bits; bits &= bits - 1) {
        size_t from = (s * HB_NEAR_BITS + 32 * w + (size_t)__builtin_ctz(bits)) * p->group;
        find_within(q, i, from, hb_min(from + p->group, q->sources->nj)); /* there may be bits beyond */
      }
    }
}

static void decide_piece(void *context, size_t piece)
{
  const struct question *q = context;
  size_t from = piece * PIECE, to = hb_parallel_end(q->count, PIECE, from);
  for (size_t k = from; k < to; k++) {
    if (q->lists)
      decide_list(q, q->first + k);
    else
      decide_nearest(q, q->first + k);
  }
}

static void decide(struct question *q)
{
  double work = (double)q->count * (double)(q->proposals ? 4 * q->proposals->segments : q->sources->nj);
  hb_parallel_for(work < WORTH_THREADS ? 1 : hb_parallel_threads(), hb_div_ceil(q->count, PIECE),
                  decide_piece, q);
}

/* ---- portions ---- */

/* How many places the proposals of the portion ask for; not beyond `enough`. */
static size_t count_places(const struct question *q, size_t enough)
{
  const struct hb_near_proposals *p = q->proposals;
  size_t count = q->count;
  if (!p) return enough;
  for (size_t k = 0; q->lists && k < q->count; k++)
    for (size_t s = 0; s < p->segments; s++)
      for (size_t w = 0; w < 4; w++) {
        if (count >= enough) return enough;
        count += p->group * (size_t)__builtin_popcount(hb_near_proposal(p, k, s)[w]);
      }
  return count;
}

/* Makes the lists of the portion, which begin where the last ones end, as long as they were counted. */
static enum hb_status reserve_lists(const struct question *q, size_t most)
{
  struct hb_near_lists *lists = q->lists;
  for (size_t i = q->first; i < q->first + q->count; i++) {
    size_t count = lists->count[i];
    lists->start[i + 1] = lists->start[i] + (most && count > most ? most : count);
  }
  size_t end = lists->start[q->first + q->count];
  if (end <= lists->source_room) return HB_OK;
  size_t room = q->first + q->count < q->points->ni ? end + end / 2 : end; /* more are to come */
  HB_TRY(HB_RESIZE(room, &lists->source));
  lists->source_room = room;
  return HB_OK;
}

static enum hb_status answer_portion(struct question *q, size_t most)
{
  const struct hb_near_sources *s = q->sources;
  q->places = s->x;
  if (!s->x && s->expect) q->places = s->expect(s->owner, count_places(q, s->nj));
  q->stores = 0;
  decide(q);
  if (!q->lists) return HB_OK;
  HB_TRY(reserve_lists(q, most));
  q->stores = 1;
  decide(q);
  return HB_OK;
}

/* Point by point in portions, each proposed by the device, if there is one, and then decided. */
static enum hb_status answer(struct hb_near *near, struct question *q, size_t most)
{
  HB_GL_VISIT;
  struct hb_near_device *d = near->sources.nj ? near->device : NULL;
  const struct hb_near_points *points = q->points;
  q->sources = &near->sources;
  if (d) HB_TRY(fill(near));
  for (; q->first < points->ni; q->first += q->count) {
    size_t left = points->ni - q->first;
    struct hb_near_proposals proposals = {0};
    q->count = d ? hb_near_device_portion(d, left) : hb_min(left, HOST_PORTION);
    q->proposals = d ? &proposals : NULL;
    if (d)
      HB_TRY(hb_near_device_ask(d, q->count, points->x + 3 * q->first,
                                points->own ? points->own + q->first : NULL, q->h2 ? q->h2 + q->first : NULL,
                                &proposals));
    enum hb_status status = answer_portion(q, most);
    if (d) hb_near_device_done(d);
    HB_TRY(status);
  }
  return HB_OK;
}

enum hb_status hb_near_nearest(struct hb_near *near, const struct hb_near_points *points, uint32_t *nearest,
                               double *r2)
{
  return answer(near, &(struct question){.points = points, .nearest = nearest, .r2 = r2}, 0);
}

/* ---- lists ---- */

void hb_near_lists_free(struct hb_near_lists *lists)
{
  hb_mem_free(lists->start);
  hb_mem_free(lists->count);
  hb_mem_free(lists->source);
  *lists = (struct hb_near_lists){0};
}

static enum hb_status begin_lists(struct hb_near_lists *lists, size_t ni)
{
  lists->ni = 0;
  if (ni > lists->points_room || !lists->start) {
    HB_TRY(HB_RESIZE(ni + 1, &lists->start));
    HB_TRY(HB_RESIZE(ni, &lists->count));
    lists->points_room = ni;
  }
  lists->start[0] = 0;
  return HB_OK;
}

static int has_radius(size_t ni, const double *h2)
{
  for (size_t i = 0; i < ni; i++)
    if (h2[i] > 0) return 1;
  return 0;
}

enum hb_status hb_near_find(struct hb_near *near, const struct hb_near_points *points, const double *h2,
                            size_t most, struct hb_near_lists *lists)
{
  size_t ni = points->ni;
  HB_TRY(begin_lists(lists, ni));
  if (has_radius(ni, h2)) {
    struct question q = {.points = points, .h2 = h2, .lists = lists};
    HB_TRY(answer(near, &q, most));
  } else { /* as many clients leave it */
    for (size_t i = 0; i < ni; i++) lists->start[i + 1] = lists->count[i] = 0;
  }
  lists->ni = ni;
  return HB_OK;
}
