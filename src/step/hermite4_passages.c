#include "step/hermite4_passages.h"

#include "base/mem.h"
#include "force/force.h"

#include <math.h>

void hb_passages_close(struct hb_passages *e)
{
  if (!e) return;
  hb_mem_free(e->at);
  hb_mem_free(e);
}

static enum hb_status open(struct hb_hermite4 *h)
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
  struct approach a = {.r2 = 0};
  for (size_t d = 0; d < 3; d++) {
    a.r[d] = x[3 * (size_t)k + d] - x[3 * (size_t)i + d];
    a.v[d] = v[3 * (size_t)k + d] - v[3 * (size_t)i + d];
    a.r2 += a.r[d] * a.r[d];
    a.rv += a.r[d] * a.v[d];
  }
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
  e->at[e->count++] = (struct hb_passage){i, k};
  const struct hb_event event =
      hb_event_of(HB_EVENT_ENCOUNTER, h->t0 + hb_hermite4_span(h, T), p->id[i], p->id[k], &orbit);
  return hb_events_add(h->events, &event);
}

/* Whether it has mass, and feels as much as a close neighbor pulls: few do. */
static int may_meet(const struct hb_hermite4 *h, uint32_t i)
{
  const double *a = h->a + 3 * (size_t)i, m = h->particles->m[i];
  if (!(m > 0)) return 0;
  double least = hb_groups_least_pull(&h->passages->scale, m);
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > least * least;
}

enum hb_status hb_hermite4_tell_passages(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  int is_watched = h->events && h->events->kinds >> HB_EVENT_ENCOUNTER & 1;
  if (!is_watched || hb_force_eps(h->force) != 0) return HB_OK;
  if (!h->passages) HB_TRY(open(h));
  forget(h, T);
  for (size_t b = 0; b < ni; b++) {
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

void hb_passages_renumber(struct hb_passages *e, const uint32_t *number)
{
  size_t kept = 0;
  for (size_t p = 0; e && p < e->count; p++) {
    const struct hb_passage now = {number[e->at[p].i], number[e->at[p].k]};
    if (now.i != HB_GROUPS_PARKED && now.k != HB_GROUPS_PARKED) e->at[kept++] = now;
  }
  if (e) e->count = kept;
}

/* ---- checkpoints ---- */

enum { I, K, WORDS };

enum hb_status hb_passages_put(const struct hb_passages *e, struct hb_sections *sections)
{
  uint64_t *words;
  const double scale[] = {e->scale.r_close, e->scale.m_mean};
  HB_TRY(HB_ALLOC(WORDS * e->count, &words));
  for (size_t p = 0; p < e->count; p++) words[WORDS * p + I] = e->at[p].i, words[WORDS * p + K] = e->at[p].k;
  enum hb_status status =
      hb_sections_put_copy(sections, "passages", HB_SECTION_WORDS, WORDS * e->count, words);
  hb_mem_free(words);
  HB_TRY(status);
  return hb_sections_put_copy(sections, "passages.scale", HB_SECTION_DOUBLES, 2, scale);
}

enum hb_status hb_passages_get(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  const struct hb_section *section = hb_sections_find(sections, "passages");
  const void *data;
  double scale[2];
  if (!section) return HB_OK;
  size_t count = section->count / WORDS;
  HB_TRY(hb_sections_get(sections, "passages", HB_SECTION_WORDS, WORDS * count, &data));
  HB_TRY(hb_sections_copy_finite(sections, "passages.scale", 2, scale));
  HB_TRY(HB_ALLOC(1, &h->passages));
  struct hb_passages *e = h->passages;
  e->scale.r_close = scale[0], e->scale.m_mean = scale[1];
  for (size_t p = 0; p < count; p++) {
    const uint64_t *w = (const uint64_t *)data + WORDS * p;
    if (!(w[I] < w[K] && w[K] < h->n))
      return hb_fail(HB_ERR_INPUT, "section 'passages' has a pair %llu %llu, expected two of %zu particles",
                     (unsigned long long)w[I], (unsigned long long)w[K], h->n);
    HB_TRY(HB_GROW(e->count, &e->capacity, &e->at));
    e->at[e->count++] = (struct hb_passage){(uint32_t)w[I], (uint32_t)w[K]};
  }
  return HB_OK;
}
