/* Particles that vanish, and those that begin anew. */
#include "step/hermite4_bodies.h"
#include "step/hermite4_massless.h"
#include "step/hermite4_passages.h"

#include "core/diagnostics.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

void hb_bodies_measure(struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  const struct hb_particles *p = h->particles;
  b->m_least = INFINITY, b->radius_most = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (!(p->m[i] > 0)) continue;
    b->m_least = fmin(b->m_least, p->m[i]);
    if (p->radius) b->radius_most = fmax(b->radius_most, p->radius[i]);
  }
}

/* New numbers to bodies->number; how many are left. */
static size_t count_left(struct hb_hermite4 *h)
{
  uint32_t left = 0;
  for (size_t i = 0; i < h->n; i++)
    h->bodies->number[i] = h->bodies->fate[i] == HB_BODY_IS_GONE ? HB_GROUPS_PARKED : left++;
  return left;
}

/* q[size of each * n], elements of those that are gone left out. */
static void close_gaps(const struct hb_hermite4 *h, size_t each, void *q)
{
  for (size_t i = 0; q && i < h->n; i++)
    if (h->bodies->number[i] != HB_GROUPS_PARKED)
      memmove((char *)q + each * h->bodies->number[i], (char *)q + each * i, each);
}

static void renumber(struct hb_hermite4 *h, size_t left)
{
  struct hb_particles *p = h->particles;
  double *vectors[] = {p->x, p->v, h->a, h->j, h->xp, h->vp};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) close_gaps(h, 3 * sizeof *p->x, vectors[k]);
  close_gaps(h, 3 * sizeof *h->lost, h->lost);
  close_gaps(h, sizeof *p->m, p->m);
  close_gaps(h, sizeof *p->id, p->id);
  close_gaps(h, sizeof *p->radius, p->radius);
  close_gaps(h, 1, h->blocks->level);
  close_gaps(h, 1, h->bodies->listed);
  if (h->massless) close_gaps(h, sizeof(double), h->massless->made);
  hb_touches_renumber(h->bodies, h->bodies->number);
  hb_passages_renumber(h->passages, h->bodies->number);
  if (h->groups) hb_groups_renumber(h->groups, h->bodies->number, left);
  close_gaps(h, 1, h->bodies->fate); /* the last, which the others need */
  h->n = p->n = left;
}

/* Lists of the schedule without the new ones, and those of the block that are left in front of it; how many. */
static size_t reschedule(struct hb_hermite4 *h, size_t ni)
{
  const struct hb_bodies *b = h->bodies;
  size_t kept = 0;
  for (size_t k = 0; k < ni; k++) {
    uint32_t i = b->number[h->block[k]];
    if (i != HB_GROUPS_PARKED && b->fate[i] != HB_BODY_IS_NEW) h->block[kept++] = i;
  }
  hb_blocks_clear(h->blocks, h->n);
  for (uint32_t i = 0; i < h->n; i++) {
    int is_parked = h->groups && h->groups->of[i] == HB_GROUPS_PARKED;
    if (b->fate[i] != HB_BODY_IS_NEW && !is_parked) hb_blocks_put(h->blocks, i, h->blocks->level[i]);
  }
  return kept;
}

static void begin(struct hb_hermite4 *h, uint64_t T, size_t b)
{
  uint32_t i = h->block[b];
  size_t k = 3 * (size_t)i;
  const double *a = h->a1 + 3 * b, *j = h->j1 + 3 * b;
  memcpy(h->particles->x + k, h->xp + k, 3 * sizeof *a);
  memcpy(h->particles->v + k, h->vp + k, 3 * sizeof *a);
  memcpy(h->a + k, a, 3 * sizeof *a);
  memcpy(h->j + k, j, 3 * sizeof *j);
  memset(h->lost + k, 0, 3 * sizeof *h->lost);
  double dt = hb_hermite4_step_anew(h, i);
  unsigned level = hb_hermite4_level(h, h->groups ? hb_hermite4_limited(h, i, dt) : dt);
  unsigned most = (unsigned)__builtin_ctzll(T);
  hb_blocks_put(h->blocks, i, level < most ? level : most);
}

static enum hb_status start_new(struct hb_hermite4 *h, uint64_t T)
{
  size_t ni = 0;
  for (uint32_t i = 0; i < h->n; i++)
    if (h->bodies->fate[i] == HB_BODY_IS_NEW) h->block[ni++] = i;
  if (ni == 0) return HB_OK;
  if (h->groups) HB_TRY(hb_hermite4_meet(h, T, ni));
  HB_TRY(hb_hermite4_forces(h, T, ni));
  const struct hb_forces_at at = {h->n, h->xp, h->t0 + hb_hermite4_span(h, T), h->block_steps, h->force};
  HB_TRY(hb_forces_check(&at, ni, h->block, h->a1, h->j1, h->phi1));
  if (h->groups) hb_hermite4_correct_near(h, ni);
  for (size_t b = 0; b < ni; b++) begin(h, T, b);
  return HB_OK;
}

enum hb_status hb_bodies_drop(struct hb_hermite4 *h, uint64_t T, size_t *ni)
{
  struct hb_bodies *b = h->bodies;
  size_t left = count_left(h), kept, count = 0;
  uint32_t *old = b->number; /* later */
  renumber(h, left);
  kept = reschedule(h, *ni);
  memcpy(old, h->block, kept * sizeof *old);
  h->mass = hb_sum(h->n, h->particles->m);
  HB_TRY(hb_force_find_massive(h->force, h->n, h->particles->m));
  if (h->groups) HB_TRY(hb_groups_weigh(h->groups));
  if (h->params.collisions != HB_COLLISIONS_NONE) hb_bodies_measure(h);
  HB_TRY(start_new(h, T));
  for (size_t k = 0, i = 0; i < h->n; i++) { /* both are ascending */
    int is_old = k < kept && old[k] == i;
    k += (size_t)is_old;
    if (is_old || b->fate[i] == HB_BODY_IS_NEW) h->block[count++] = (uint32_t)i;
  }
  *ni = count;
  return HB_OK;
}
