#include "step/hermite4_bodies.h"

#include "base/mem.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

const char *const hb_collisions_names[] = {"none", "stop", "merge", NULL};
const char *const hb_escapers_names[] = {"none", "list", "remove", NULL};

static enum hb_status allocate(struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  HB_TRY(HB_ALLOC(h->n, &b->suspect));
  HB_TRY(HB_ALLOC(h->n, &b->fate));
  HB_TRY(HB_ALLOC(h->n, &b->number));
  if (h->params.escapers != HB_ESCAPERS_NONE) HB_TRY(HB_ALLOC(h->n, &b->phi));
  if (h->params.escapers == HB_ESCAPERS_LIST) HB_TRY(HB_ALLOC(h->n, &b->listed));
  if (h->params.collisions == HB_COLLISIONS_NONE) return HB_OK;
  HB_TRY(hb_particles_reserve_radius(h->particles));
  if (h->groups) h->groups->radius = h->particles->radius;
  hb_bodies_measure(h);
  return HB_OK;
}

enum hb_status hb_bodies_open(struct hb_hermite4 *h)
{
  if (h->params.collisions == HB_COLLISIONS_NONE && h->params.escapers == HB_ESCAPERS_NONE) return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->bodies));
  h->bodies->eps = hb_force_eps(h->force);
  return allocate(h);
}

void hb_bodies_close(struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  if (!b) return;
  hb_mem_free(b->suspect);
  hb_mem_free(b->fate);
  hb_mem_free(b->number);
  hb_mem_free(b->phi);
  hb_mem_free(b->listed);
  hb_mem_free(b->touch);
  hb_mem_free(b);
}

/* ---- saving ---- */

enum { MERGED, ESCAPED, WORDS };

enum hb_status hb_bodies_put(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  const struct hb_bodies *b = h->bodies;
  const uint64_t words[WORDS] = {b->merged, b->escaped};
  HB_TRY(hb_sections_put_copy(sections, "bodies", HB_SECTION_WORDS, WORDS, words));
  HB_TRY(hb_touches_put(b, sections));
  if (b->listed) HB_TRY(hb_sections_put(sections, "bodies.listed", HB_SECTION_BYTES, h->n, b->listed));
  return hb_sections_put_copy(sections, "bodies.energy", HB_SECTION_DOUBLES, 1, &b->e_lost);
}

enum hb_status hb_bodies_get(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  uint64_t words[WORDS];
  HB_TRY(hb_sections_copy(sections, "bodies", HB_SECTION_WORDS, WORDS, words));
  b->merged = words[MERGED], b->escaped = words[ESCAPED];
  HB_TRY(hb_touches_get(sections, h));
  if (b->listed) HB_TRY(hb_sections_copy(sections, "bodies.listed", HB_SECTION_BYTES, h->n, b->listed));
  return hb_sections_copy_finite(sections, "bodies.energy", 1, &b->e_lost);
}

/* ---- the block ---- */

/* Close bodies take short steps, which show them to each other when they touch. Where gravity does not bend their ways before,
 * steps do not know of them; then the potential of the system, or the softening, exceeds what a body has a few radii away.
 * Hence whoever has a shallower potential than that is alone. */
static int may_touch(const struct hb_hermite4 *h, double radius, double phi)
{
  static const double radii = 4;
  double reach = radius + h->bodies->radius_most, far = radii * reach;
  if (!(reach > 0)) return 0;
  return h->bodies->eps > reach ||
         -phi * sqrt(far * far + h->bodies->eps * h->bodies->eps) >= h->bodies->m_least;
}

void hb_bodies_suspect(struct hb_hermite4 *h, size_t ni)
{
  struct hb_bodies *b = h->bodies;
  if (b->phi) memcpy(b->phi, h->phi1, ni * sizeof *b->phi);
  b->suspects = 0;
  for (size_t k = 0; k < ni && h->params.collisions != HB_COLLISIONS_NONE; k++) {
    uint32_t i = h->block[k];
    if (h->groups && h->groups->of[i] != HB_GROUPS_STAR) continue;
    if (!may_touch(h, h->particles->radius[i], h->phi1[k])) continue;
    double dt = hb_hermite4_span(h, (uint64_t)1 << h->blocks->level[i]);
    b->suspect[b->suspects++] = (struct hb_suspect){i, i, dt};
  }
}

enum hb_status hb_bodies_act(struct hb_hermite4 *h, uint64_t T, size_t *ni)
{
  struct hb_bodies *b = h->bodies;
  int is_full = (T & (((uint64_t)1 << h->blocks->level_max) - 1)) == 0;
  int escapes = b->phi && is_full, collides = h->params.collisions != HB_COLLISIONS_NONE;
  if (!escapes && b->suspects == 0 && b->touches == 0 && !(collides && h->groups && h->groups->count > 0))
    return HB_OK;
  for (size_t k = 0; k < *ni; k++) { /* corrected */
    size_t i = 3 * (size_t)h->block[k];
    memcpy(h->xp + i, h->particles->x + i, 3 * sizeof *h->xp);
    memcpy(h->vp + i, h->particles->v + i, 3 * sizeof *h->vp);
  }
  for (;; b->suspects = 0,
          escapes = 0) { /* groups that are advanced for those that are new may have touched, too */
    memset(b->fate, HB_BODY_STAYS, h->n);
    if (collides) HB_TRY(hb_bodies_collide(h, T));
    if (escapes) HB_TRY(hb_bodies_escape(h, T, *ni));
    if (!memchr(b->fate, HB_BODY_IS_GONE, h->n)) return HB_OK;
    HB_TRY(hb_bodies_drop(h, T, ni));
  }
}
