/* collisions = stop: a touch is told once. The two then touch until a block finds them farther apart than the sum of their radii;
 * what they do between two blocks is one touch. */
#include "step/hermite4_bodies.h"

#include "base/mem.h"

#include <string.h>

/* Where the pair i < k is in the list, or would be. */
static size_t place_of(const struct hb_bodies *b, uint32_t i, uint32_t k)
{
  size_t low = 0, high = b->touches;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct hb_touch *t = b->touch + middle;
    if (t->i < i || (t->i == i && t->k < k))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct hb_touch *hb_touches_find(const struct hb_bodies *b, uint32_t i, uint32_t k)
{
  uint32_t first = i < k ? i : k, second = i < k ? k : i;
  size_t p = place_of(b, first, second);
  return p < b->touches && b->touch[p].i == first && b->touch[p].k == second ? b->touch + p : NULL;
}

int hb_touches_last(const struct hb_bodies *b, uint32_t i, uint32_t k)
{
  const struct hb_touch *t = hb_touches_find(b, i, k);
  return t && t->apart == HB_TOUCHING;
}

enum hb_status hb_touches_add(struct hb_bodies *b, uint32_t i, uint32_t k)
{
  uint32_t first = i < k ? i : k, second = i < k ? k : i;
  size_t p = place_of(b, first, second);
  if (!hb_touches_find(b, first, second)) {
    HB_TRY(HB_GROW(b->touches, &b->touch_capacity, &b->touch));
    memmove(b->touch + p + 1, b->touch + p, (b->touches++ - p) * sizeof *b->touch);
  }
  b->touch[p] = (struct hb_touch){first, second, HB_TOUCHING};
  return HB_OK;
}

/* ---- parting ---- */

static const struct hb_group *group_with(const struct hb_groups *groups, uint32_t i, size_t *at)
{
  if (!groups || groups->of[i] == HB_GROUPS_STAR) return NULL;
  for (size_t k = 0; k < groups->count; k++)
    for (*at = 0; *at < groups->at[k].chain.n; ++*at)
      if (groups->at[k].chain.member[*at] == i) return groups->at + k;
  return NULL;
}

/* Where particle i is: so far from a node. */
struct place {
  uint32_t node;
  double x[3], v[3];
  int is_due, is_known; /* advanced to this block; and, or predicted to it */
};

static struct place place_at(const struct hb_hermite4 *h, uint32_t i, uint64_t T)
{
  size_t at;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  struct place place = {.node = i};
  const struct hb_group *g = group_with(h->groups, i, &at);
  if (g) {
    place.node = g->node;
    hb_chain_places(&g->chain, x, v);
    memcpy(place.x, x + 3 * at, sizeof place.x);
    memcpy(place.v, v + 3 * at, sizeof place.v);
    place.is_due = place.is_known = g->tick == T;
  } else {
    place.is_due = (T & (((uint64_t)1 << h->blocks->level[i]) - 1)) == 0; /* see blocks.h, 4 */
    place.is_known = place.is_due || h->particles->m[i] > 0;
  }
  return place;
}

static void between(const struct hb_hermite4 *h, const struct place *i, const struct place *k, double r[3],
                    double v[3])
{
  const double *xi = h->xp + 3 * (size_t)i->node, *vi = h->vp + 3 * (size_t)i->node;
  const double *xk = h->xp + 3 * (size_t)k->node, *vk = h->vp + 3 * (size_t)k->node;
  for (size_t d = 0; d < 3; d++) {
    r[d] = xk[d] - xi[d] + (k->x[d] - i->x[d]);
    v[d] = vk[d] - vi[d] + (k->v[d] - i->v[d]);
  }
}

void hb_bodies_between(const struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t k, double r[3],
                       double v[3])
{
  const struct place from = place_at(h, i, T), to = place_at(h, k, T);
  between(h, &from, &to, r, v);
}

/* Whether the touch is over, and nobody will look back to it: both have been advanced since. */
static int is_over(const struct hb_hermite4 *h, struct hb_touch *t, uint64_t T)
{
  const struct place i = place_at(h, t->i, T), k = place_at(h, t->k, T);
  double reach = h->particles->radius[t->i] + h->particles->radius[t->k], r[3], v[3];
  if (!(i.is_due || k.is_due) || !i.is_known || !k.is_known) return 0;
  between(h, &i, &k, r, v);
  if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > reach * reach) t->apart = T;
  return t->apart == T && i.is_due && k.is_due;
}

void hb_touches_part(struct hb_hermite4 *h, uint64_t T)
{
  struct hb_bodies *b = h->bodies;
  size_t kept = 0;
  for (size_t p = 0; p < b->touches; p++)
    if (!is_over(h, b->touch + p, T)) b->touch[kept++] = b->touch[p];
  b->touches = kept;
}

void hb_touches_renumber(struct hb_bodies *b, const uint32_t *number)
{
  size_t kept = 0;
  for (size_t p = 0; p < b->touches; p++) {
    const struct hb_touch old = b->touch[p], now = {number[old.i], number[old.k], old.apart};
    if (now.i != HB_GROUPS_PARKED && now.k != HB_GROUPS_PARKED) b->touch[kept++] = now;
  }
  b->touches = kept;
}

/* ---- checkpoints ---- */

static const char section_name[] = "bodies.touches";
enum { I, K, APART, WORDS };

enum hb_status hb_touches_put(const struct hb_bodies *b, struct hb_sections *sections)
{
  uint64_t *words;
  if (b->touches == 0) return HB_OK;
  HB_TRY(HB_ALLOC(WORDS * b->touches, &words));
  for (size_t p = 0; p < b->touches; p++) {
    uint64_t *w = words + WORDS * p;
    w[I] = b->touch[p].i, w[K] = b->touch[p].k, w[APART] = b->touch[p].apart;
  }
  enum hb_status status =
      hb_sections_put_copy(sections, section_name, HB_SECTION_WORDS, WORDS * b->touches, words);
  hb_mem_free(words);
  return status;
}

enum hb_status hb_touches_get(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  const struct hb_section *section = hb_sections_find(sections, section_name);
  const void *data;
  if (!section || h->params.collisions != HB_COLLISIONS_STOP) return HB_OK; /* older checkpoints have none */
  size_t count = section->count / WORDS;
  HB_TRY(hb_sections_get(sections, section_name, HB_SECTION_WORDS, WORDS * count, &data));
  for (size_t p = 0; p < count; p++) {
    const uint64_t *w = (const uint64_t *)data + WORDS * p, *before = p ? w - WORDS : NULL;
    int ascends = !before || before[I] < w[I] || (before[I] == w[I] && before[K] < w[K]);
    if (!(w[I] < w[K] && w[K] < h->n && ascends && (w[APART] <= h->blocks->now || w[APART] == HB_TOUCHING)))
      return hb_fail(HB_ERR_INPUT,
                     "section '%s' has a pair %llu %llu at tick %llu, expected pairs of %zu particles, "
                     "ascending, at %llu at most",
                     section_name, (unsigned long long)w[I], (unsigned long long)w[K],
                     (unsigned long long)w[APART], h->n, (unsigned long long)h->blocks->now);
    HB_TRY(HB_GROW(b->touches, &b->touch_capacity, &b->touch));
    b->touch[b->touches++] = (struct hb_touch){(uint32_t)w[I], (uint32_t)w[K], w[APART]};
  }
  return HB_OK;
}
