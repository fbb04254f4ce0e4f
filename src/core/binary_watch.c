#include "core/binary_watch.h"

#include "base/mem.h"
#include "core/binaries.h"
#include "core/kdtree.h"

#include <math.h>
#include <string.h>

/* Half of the 40 % that a hard binary gains on average in an encounter [Heggie 1975]. */
static const double told_again = 1.2;

static const uint32_t nobody = UINT32_MAX;

/* ---- one look ---------------------------------------------------------------------------------------- */

struct look {
  const struct hb_particles *p;
  double eps2;
  struct hb_events *events;
  struct hb_binary *pairs; /* [hard] */
  size_t hard;
  uint32_t *pair_of; /* [n] the hard pair that a particle is in, or nobody */
  uint8_t *is_known; /* [hard] */
};

static uint32_t place_of(const struct hb_particles *p, uint64_t id, uint32_t hint)
{
  if (hint < p->n && p->id[hint] == id) return hint;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->id[i] == id) return i;
  return nobody;
}

static enum hb_status tell(const struct look *l, enum hb_event_kind kind, const struct hb_watched_binary *b,
                           const struct hb_orbit *orbit, const uint64_t *third)
{
  struct hb_event event = hb_event_of(kind, l->p->t, b->id[0], b->id[1], orbit);
  if (third) event.id[event.n++] = *third;
  return hb_events_add(l->events, &event);
}

static enum hb_status add(struct hb_binary_watch *watch, const struct look *l, size_t pair,
                          enum hb_event_kind kind, const uint64_t *third)
{
  const struct hb_binary *b = l->pairs + pair;
  uint32_t i = b->i, j = b->j;
  if (l->p->id[j] < l->p->id[i]) i = b->j, j = b->i;
  l->is_known[pair] = 1;
  HB_TRY(HB_GROW(watch->count, &watch->capacity, &watch->known));
  struct hb_watched_binary *known = watch->known + watch->count++;
  *known = (struct hb_watched_binary){{l->p->id[i], l->p->id[j]}, b->orbit.E, {i, j}};
  return tell(l, kind, known, &b->orbit, third);
}

/* Whether it stays in the list; if it is *replaced, by the pair of one of its stars with another. */
static enum hb_status follow(struct hb_watched_binary *b, const struct look *l, int *stays,
                             uint32_t *replaced)
{
  const struct hb_orbit gone = {NAN, NAN, NAN, NAN};
  uint32_t pair[2] = {nobody, nobody};
  *replaced = nobody;
  *stays = 0;
  for (size_t s = 0; s < 2; s++) {
    b->at[s] = place_of(l->p, b->id[s], b->at[s]);
    if (b->at[s] != nobody) pair[s] = l->pair_of[b->at[s]];
  }
  if (b->at[0] == nobody || b->at[1] == nobody) return tell(l, HB_EVENT_BROKEN, b, &gone, NULL);
  const struct hb_orbit now = hb_binaries_orbit(l->p, l->eps2, b->at[0], b->at[1]);
  if (pair[0] == nobody && pair[1] == nobody) { /* it has become soft, or a third star is nearer */
    *stays = now.E < 0;
    return *stays ? HB_OK : tell(l, HB_EVENT_BROKEN, b, &now, NULL);
  }
  if (pair[0] != pair[1]) {
    *replaced = pair[0] != nobody ? pair[0] : pair[1];
    return HB_OK;
  }
  *stays = 1;
  l->is_known[pair[0]] = 1;
  if (!(now.E < told_again * b->E)) return HB_OK;
  b->E = now.E;
  return tell(l, HB_EVENT_HARDENED, b, &now, NULL);
}

/* Where both of its stars have found others, or the pair was known already, the binary is broken. */
static enum hb_status replace(struct hb_binary_watch *watch, const struct hb_watched_binary *b,
                              const struct look *l, uint32_t pair)
{
  const struct hb_binary *new = l->pairs + pair;
  int both = l->pair_of[b->at[0]] != nobody && l->pair_of[b->at[1]] != nobody;
  if (both || l->is_known[pair]) {
    const struct hb_orbit now = hb_binaries_orbit(l->p, l->eps2, b->at[0], b->at[1]);
    return tell(l, HB_EVENT_BROKEN, b, &now, NULL);
  }
  uint64_t left = b->id[b->at[0] == new->i || b->at[0] == new->j];
  return add(watch, l, pair, HB_EVENT_EXCHANGED, &left);
}

/* Known binaries in their order, then new ones, the tightest first. */
static enum hb_status compare(struct hb_binary_watch *watch, const struct look *l, enum hb_event_kind kind)
{
  size_t kept = 0, before = watch->count;
  struct {
    struct hb_watched_binary old;
    uint32_t pair;
  } *left = NULL;
  size_t count = 0, capacity = 0;
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < before && status == HB_OK; k++) {
    struct hb_watched_binary b = watch->known[k];
    int stays;
    uint32_t replaced;
    status = follow(&b, l, &stays, &replaced);
    if (stays) watch->known[kept++] = b;
    if (status != HB_OK || replaced == nobody) continue;
    status = HB_GROW(count, &capacity, &left);
    if (status == HB_OK) left[count].old = b, left[count++].pair = replaced;
  }
  watch->count = kept;
  for (size_t k = 0; k < count && status == HB_OK; k++)
    status = replace(watch, &left[k].old, l, left[k].pair);
  hb_mem_free(left);
  for (size_t k = 0; k < l->hard && status == HB_OK; k++)
    if (!l->is_known[k]) status = add(watch, l, k, kind, NULL);
  return status;
}

static enum hb_status look(struct hb_binary_watch *watch, struct look *l, enum hb_event_kind kind)
{
  double hard_above;
  HB_TRY(HB_ALLOC(l->p->n, &l->pair_of));
  HB_TRY(hb_kdtree_nearest_of_all(l->p->n, l->p->x, l->pair_of));
  HB_TRY(hb_binaries_list(l->p, l->eps2, l->pair_of, NAN, &l->pairs, &l->hard, &hard_above));
  HB_TRY(HB_ALLOC(l->hard, &l->is_known));
  memset(l->pair_of, 0xff, l->p->n * sizeof *l->pair_of);
  for (size_t k = 0; k < l->hard; k++) l->pair_of[l->pairs[k].i] = l->pair_of[l->pairs[k].j] = (uint32_t)k;
  return compare(watch, l, kind);
}

enum hb_status hb_binary_watch_look(struct hb_binary_watch *watch, const struct hb_particles *particles,
                                    double eps2, enum hb_event_kind kind, struct hb_events *events)
{
  struct hb_particles *stars; /* a test particle nearer than the companion must not hide it */
  HB_TRY(hb_particles_copy_massive(particles, &stars));
  struct look l = {.p = stars ? stars : particles, .eps2 = eps2, .events = events};
  enum hb_status status = look(watch, &l, kind);
  hb_particles_destroy(stars);
  hb_mem_free(l.pairs);
  hb_mem_free(l.pair_of);
  hb_mem_free(l.is_known);
  return status;
}

void hb_binary_watch_clear(struct hb_binary_watch *watch)
{
  hb_mem_free(watch->known);
  *watch = (struct hb_binary_watch){0};
}

/* ---- checkpoints ------------------------------------------------------------------------------------- */

static const struct hb_numbers_row number_rows[] = {
    /* identities may occur twice, places do not */
    HB_NUMBER("watch.E", HB_NUMBER_DOUBLE, struct hb_watched_binary, E, 1),
    HB_NUMBER("watch.id", HB_NUMBER_WORD, struct hb_watched_binary, id, 1),
    HB_NUMBER("watch.at", HB_NUMBER_INDEX, struct hb_watched_binary, at, 1),
};
static const struct hb_numbers numbers = HB_NUMBERS(number_rows, struct hb_watched_binary);

enum hb_status hb_binary_watch_put(const struct hb_binary_watch *watch, struct hb_sections *sections)
{
  return hb_numbers_put(&numbers, watch->count, watch->known, sections);
}

enum hb_status hb_binary_watch_get(const struct hb_sections *sections, struct hb_binary_watch *watch)
{
  size_t count = hb_numbers_records(&numbers, sections);
  HB_TRY(HB_ALLOC(count, &watch->known));
  watch->count = watch->capacity = count;
  HB_TRY(hb_numbers_get(&numbers, sections, count, watch->known));
  for (size_t k = 0; k < count; k++)
    if (!(watch->known[k].E < 0))
      return hb_fail(HB_ERR_INPUT, "section 'watch.E' has %g, expected an energy below 0", watch->known[k].E);
  return HB_OK;
}
