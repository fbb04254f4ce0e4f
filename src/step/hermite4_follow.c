/* What `holmberg run --follow` tells of a particle: src/step/README.md explains it. */
#include "core/vector.h"
#include "step/hermite4.h"

#include <holmberg/measure.h>

#include <math.h>
#include <string.h>

/* Particles keep their order, so where it was is where it is, or else it is looked for. Once it has gone, its slot is SIZE_MAX. */
static int find_slot(const struct hb_particles *p, struct hb_follow *f)
{
  if (f->slot < p->n && p->id[f->slot] == f->id) return 1;
  if (f->slot == SIZE_MAX) return 0;
  for (f->slot = 0; f->slot < p->n; f->slot++)
    if (p->id[f->slot] == f->id) return 1;
  f->slot = SIZE_MAX;
  return 0;
}

/* Whose steps the particle takes: its own, or the node's of the group that it is a member of. */
static uint32_t node_of(const struct hb_hermite4 *h, uint32_t i)
{
  const struct hb_groups *groups = h->groups;
  if (!hb_hermite4_is_parked(h, i)) return i;
  for (size_t g = 0; g < groups->count; g++)
    for (size_t k = 0; k < groups->at[g].chain.n; k++)
      if (groups->at[g].chain.member[k] == i) return groups->at[g].node;
  return i;
}

/* Whether a step of that level has ended now, see blocks.h, invariant 2. */
static int ends_now(const struct hb_hermite4 *h, unsigned level)
{
  return hb_blocks_level_time(h->blocks, level) == h->blocks->now;
}

/* All nodes predicted to now, one after the other: a list would not have those that came near since it was made. */
static void find_nearest(const struct hb_hermite4 *h, uint32_t node, struct hb_follow *f)
{
  const double *x = h->particles->x + 3 * (size_t)node;
  double least = INFINITY;
  for (uint32_t i = 0; i < h->n; i++) {
    if (i == node || hb_hermite4_is_parked(h, i)) continue;
    double xp[3], vp[3];
    uint64_t ticks = h->blocks->now - hb_blocks_level_time(h->blocks, h->blocks->level[i]);
    const struct hb_span span = hb_span_of(hb_hermite4_span(h, ticks));
    hb_hermite4_predict(h, i, &span, xp, vp);
    const double r[3] = {xp[0] - x[0], xp[1] - x[1], xp[2] - x[2]};
    double r2 = hb_dot(r, r);
    if (r2 < least) least = r2, f->nearest_id = h->particles->id[i];
  }
  f->nearest = sqrt(least);
}

static void add_parts(const struct hb_hermite4 *h, uint32_t node, struct hb_follow *f)
{
  const double *a, *k;
  size_t listed;
  unsigned far = hb_hermite4_near_far_level(h, node);
  hb_hermite4_near_parts(h, node, &a, &k);
  hb_hermite4_near_list(h, node, &listed);
  f->far_ends = ends_now(h, far);
  f->far_step = hb_hermite4_span(h, (uint64_t)1 << far);
  f->listed = listed;
  for (int c = 0; c < 3; c++) f->near_a[c] = a[c], f->far_a[c] = f->a[c] - a[c];
}

void hb_hermite4_follow(const struct hb_hermite4 *h, struct hb_follow *f, int *is_due)
{
  *is_due = 0;
  if (!find_slot(h->particles, f)) return;
  uint32_t node = node_of(h, (uint32_t)f->slot);
  size_t i = 3 * (size_t)node;
  unsigned level = h->blocks->level[node];
  if (!ends_now(h, level)) return;
  *is_due = 1;
  const struct hb_group *group = h->groups ? hb_groups_of(h->groups, node) : NULL;
  f->t = hb_hermite4_at(h, h->blocks->now);
  memcpy(f->x, h->particles->x + i, sizeof f->x);
  memcpy(f->v, h->particles->v + i, sizeof f->v);
  memcpy(f->a, h->a + i, sizeof f->a);
  memcpy(f->j, h->j + i, sizeof f->j);
  f->step = hb_hermite4_span(h, (uint64_t)1 << level);
  f->members = group ? group->chain.n : 1;
  find_nearest(h, node, f);
  if (hb_hermite4_has_parts(h)) add_parts(h, node, f);
}
