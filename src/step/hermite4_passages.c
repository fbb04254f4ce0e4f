/* Encounters without groups: pairs of stars that come as near as a group forms (groups.h). They are only told, and change no step. */
#include "step/hermite4.h"

#include "base/mem.h"
#include "core/vector.h"
#include "force/force.h"

/* Two stars that were told and have not parted since. */
struct passage {
  uint32_t i, k; /* i < k */
};

struct hb_passages {
  struct hb_groups scale; /* what is close: r_close, m_mean and rules alone */
  struct passage *at;
  size_t count, capacity;
};

static void close_passages(struct hb_hermite4 *h)
{
  if (h->passages) HB_FREE(h->passages->at, h->passages);
}

static enum hb_status begin_to_watch(struct hb_hermite4 *h)
{
  HB_TRY(HB_ALLOC(1, &h->passages));
  return hb_groups_find_close(h->particles, &h->passages->scale);
}

/* ---- the block ---- */

/* The relative orbit of two particles of the block. */
struct approach {
  double r[3], v[3], r2, rv;
};

static struct approach approach_of(const struct hb_hermite4 *h, uint32_t i, uint32_t k)
{
  const double *x = h->particles->x, *v = h->particles->v;
  struct approach a;
  hb_between(x, i, k, a.r);
  hb_between(v, i, k, a.v);
  a.r2 = hb_dot(a.r, a.r), a.rv = hb_dot(a.r, a.v);
  return a;
}

static double passing2(const struct hb_hermite4 *h, uint32_t i, uint32_t k)
{
  const double *m = h->particles->m;
  double passing = hb_groups_passing(&h->passages->scale, m[i], m[k]);
  return passing * passing;
}

/* Whether a particle is corrected to tick T, see blocks.h, 4. */
static int is_due(const struct hb_hermite4 *h, uint32_t i, uint64_t T)
{
  return (T & (((uint64_t)1 << h->blocks->level[i]) - 1)) == 0;
}

/* Pairs that are twice as far apart as they were told. */
static void forget(struct hb_hermite4 *h, uint64_t T)
{
  struct hb_passages *e = h->passages;
  size_t kept = 0;
  for (size_t p = 0; p < e->count; p++) {
    uint32_t i = e->at[p].i, k = e->at[p].k;
    int is_old = is_due(h, i, T) && is_due(h, k, T) && approach_of(h, i, k).r2 > 4 * passing2(h, i, k);
    if (!is_old) e->at[kept++] = e->at[p];
  }
  e->count = kept;
}

static int is_known(const struct hb_passages *e, uint32_t i, uint32_t k)
{
  for (size_t p = 0; p < e->count; p++)
    if (e->at[p].i == i && e->at[p].k == k) return 1;
  return 0;
}

/* If they meet: i < k, unbound, approaching, as near as groups let them pass. */
static enum hb_status tell(struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t k)
{
  const struct hb_particles *p = h->particles;
  struct hb_passages *e = h->passages;
  const struct approach at = approach_of(h, i, k);
  if (hb_groups_are_far(&e->scale, p->m[i], p->m[k], at.r2)) return HB_OK;
  if (!(at.rv < 0 && at.r2 < passing2(h, i, k)) || is_known(e, i, k)) return HB_OK;
  const struct hb_orbit orbit = hb_orbit_of(p->m[i], p->m[k], at.r, at.v, 0);
  if (orbit.E < 0) return HB_OK;
  HB_TRY(HB_GROW(e->count, &e->capacity, &e->at));
  e->at[e->count++] = (struct passage){i, k};
  const struct hb_event event =
      hb_event_of(HB_EVENT_ENCOUNTER, hb_hermite4_at(h, T), p->id[i], p->id[k], &orbit);
  return hb_events_add(h->events, &event);
}

/* Whether it has mass, and feels as much as a close neighbor pulls: few do. */
static int may_meet(const struct hb_hermite4 *h, uint32_t i)
{
  const double *a = h->a + 3 * (size_t)i, m = h->particles->m[i];
  if (!(m > 0)) return 0;
  double least = hb_groups_least_pull(&h->passages->scale, m);
  return hb_dot(a, a) > least * least;
}

/* If encounters are watched. A softened run has none, nor has one that is corrected on the device. */
static enum hb_status tell_passages(struct hb_hermite4 *h, uint64_t T, size_t *block_size)
{
  int is_watched = h->events && h->events->kinds >> HB_EVENT_ENCOUNTER & 1;
  if (!is_watched || h->groups || h->params.correct == HB_PLACE_GPU || hb_force_eps(h->force) != 0)
    return HB_OK;
  if (!h->passages) HB_TRY(begin_to_watch(h));
  forget(h, T);
  for (size_t b = 0, ni = *block_size; b < ni; b++) {
    uint32_t i = h->block[b];
    if (!may_meet(h, i)) continue;
    for (size_t c = 0; c < ni; c++) {
      uint32_t k = h->block[c];
      if (k == i || !(h->particles->m[k] > 0) || (k < i && may_meet(h, k))) continue; /* once */
      HB_TRY(k < i ? tell(h, T, k, i) : tell(h, T, i, k));
    }
  }
  return HB_OK;
}

static void drop_passages(struct hb_hermite4 *h, const uint32_t *number, size_t left)
{
  struct hb_passages *e = h->passages;
  size_t kept = 0;
  (void)left;
  for (size_t p = 0; e && p < e->count; p++) {
    const struct passage now = {number[e->at[p].i], number[e->at[p].k]};
    if (now.i != HB_COLUMNS_GONE && now.k != HB_COLUMNS_GONE) e->at[kept++] = now;
  }
  if (e) e->count = kept;
}

/* ---- checkpoints ---- */

static const struct hb_numbers_row scale_rows[] = {
    HB_NUMBER("passages.r_close", HB_NUMBER_DOUBLE, struct hb_groups, r_close, 1),
    HB_NUMBER("passages.m_mean", HB_NUMBER_DOUBLE, struct hb_groups, m_mean, 1),
};
static const struct hb_numbers_row passage_rows[] = {
    HB_NUMBER("passages.i", HB_NUMBER_INDEX, struct passage, i, 1),
    HB_NUMBER("passages.k", HB_NUMBER_INDEX, struct passage, k, 1),
};
static const struct hb_numbers of_scale = HB_NUMBERS(scale_rows, struct hb_groups),
                               of_passages = HB_NUMBERS(passage_rows, struct passage);

static enum hb_status put_passages(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  const struct hb_passages *e = h->passages;
  if (!e) return HB_OK;
  HB_TRY(hb_numbers_put(&of_scale, 1, &e->scale, sections));
  return hb_numbers_put(&of_passages, e->count, e->at, sections);
}

static enum hb_status get_passages(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  if (!hb_sections_find(sections, "passages.i")) return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->passages));
  struct hb_passages *e = h->passages;
  e->count = e->capacity = hb_numbers_records(&of_passages, sections);
  HB_TRY(HB_ALLOC(e->count, &e->at));
  HB_TRY(hb_numbers_get(&of_scale, sections, 1, &e->scale));
  hb_groups_use(&e->scale, &hb_groups_by_size);
  HB_TRY(hb_numbers_get(&of_passages, sections, e->count, e->at));
  for (size_t p = 0; p < e->count; p++)
    if (!(e->at[p].i < e->at[p].k && e->at[p].k < h->n))
      return hb_fail(HB_ERR_INPUT, "section 'passages.i' has a pair %u %u, expected two of %zu particles",
                     (unsigned)e->at[p].i, (unsigned)e->at[p].k, h->n);
  return HB_OK;
}

const struct hb_companion hb_companion_passages = {.close = close_passages,
                                                   .after = tell_passages,
                                                   .drop = drop_passages,
                                                   .put = put_passages,
                                                   .get = get_passages};
