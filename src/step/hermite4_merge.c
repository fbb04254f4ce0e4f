/* Collisions: which bodies touch, and what becomes of two. */
#include "step/hermite4_bodies.h"

#include "base/arith.h"
#include "base/elementary.h"
#include "base/parallel.h"
#include "core/events.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

static double dot(const double p[3], const double q[3]) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }

/* Their volumes add. */
static double merged_radius(double r1, double r2)
{
  double more = fmax(r1, r2), ratio = more > 0 ? fmin(r1, r2) / more : 0;
  return more * hb_elementary_power(1 + ratio * ratio * ratio, 1.0 / 3);
}

static enum hb_status tell(struct hb_hermite4 *h, uint64_t T, uint32_t kept, uint32_t swallowed,
                           const double r[3], const double v[3])
{
  const struct hb_particles *p = h->particles;
  int by_mass = p->m[swallowed] > p->m[kept];
  uint64_t first = p->id[by_mass ? swallowed : kept], second = p->id[by_mass ? kept : swallowed];
  const struct hb_orbit orbit =
      hb_orbit_of(p->m[kept], p->m[swallowed], r, v, h->bodies->eps * h->bodies->eps);
  const struct hb_event event =
      hb_event_of(HB_EVENT_COLLISION, h->t0 + hb_hermite4_span(h, T), first, second, &orbit);
  return hb_events_add(h->events, &event);
}

/* What is the same in and out of groups. */
static void absorb(struct hb_hermite4 *h, uint32_t kept, uint32_t swallowed)
{
  struct hb_particles *p = h->particles;
  if (p->m[swallowed] > p->m[kept]) p->id[kept] = p->id[swallowed];
  p->m[kept] += p->m[swallowed];
  p->radius[kept] = merged_radius(p->radius[kept], p->radius[swallowed]);
  h->bodies->fate[swallowed] = HB_BODY_IS_GONE;
  h->bodies->merged++;
}

/* Two bodies at their places, and the nodes that they are, or are members of. */
struct pair {
  uint32_t node[2];
  double m[2], x[2][3];
};

static double inverse_distance(const struct hb_hermite4 *h, const double *x, const double y[3])
{
  const double r[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return 1 / sqrt(dot(r, r) + h->bodies->eps * h->bodies->eps);
}

/* What is lost of the potential energy with respect to other nodes and the field when the pair becomes a point at its center. */
static double tide(const struct hb_hermite4 *h, const struct pair *p)
{
  const double *m = hb_hermite4_masses(h), M = p->m[0] + p->m[1];
  double center[3], sum = 0;
  for (size_t d = 0; d < 3; d++) center[d] = (p->m[0] * p->x[0][d] + p->m[1] * p->x[1][d]) / M;
  for (uint32_t j = 0; j < h->n; j++) {
    const double *x = h->xp + 3 * (size_t)j;
    if (j == p->node[0] || j == p->node[1] || !(m[j] > 0) || h->bodies->fate[j] == HB_BODY_IS_GONE) continue;
    sum += m[j] * (M * inverse_distance(h, x, center) - p->m[0] * inverse_distance(h, x, p->x[0]) -
                   p->m[1] * inverse_distance(h, x, p->x[1]));
  }
  for (size_t k = 0; k < 2 && h->field; k++)
    sum += p->m[k] * (hb_field_potential(h->field, p->x[k]) - hb_field_potential(h->field, center));
  return sum;
}

/* ---- in groups ---- */

static enum hb_status merge_member(struct hb_hermite4 *h, uint64_t T, struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], r[3], w[3], energy;
  size_t one = 0, two = 0;
  uint32_t kept, swallowed;
  hb_chain_places(c, x, v);
  while (c->member[one] != c->touched[0]) one++;
  while (c->member[two] != c->touched[1]) two++;
  for (size_t d = 0; d < 3; d++)
    r[d] = x[3 * two + d] - x[3 * one + d], w[d] = v[3 * two + d] - v[3 * one + d];
  HB_TRY(tell(h, T, c->touched[0], c->touched[1], r, w));
  struct pair pair = {.node = {g->node, g->node}, .m = {c->m[one], c->m[two]}};
  for (size_t d = 0; d < 3; d++) {
    double center = h->xp[3 * (size_t)g->node + d];
    pair.x[0][d] = center + x[3 * one + d], pair.x[1][d] = center + x[3 * two + d];
  }
  h->bodies->e_lost += tide(h, &pair);
  hb_groups_merge(h->groups, g, &kept, &swallowed, &energy);
  absorb(h, kept, swallowed);
  h->bodies->e_lost += energy;
  return HB_OK;
}

/* collisions = stop: all who met, unless that was told. */
static enum hb_status tell_members(struct hb_hermite4 *h, uint64_t T, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], r[3], w[3];
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < c->n; k++)
    for (size_t l = k + 1; l < c->n; l++) {
      if (!hb_chain_have_met(c, k, l) || hb_touches_last(h->bodies, c->member[k], c->member[l])) continue;
      for (size_t d = 0; d < 3; d++) r[d] = x[3 * l + d] - x[3 * k + d], w[d] = v[3 * l + d] - v[3 * k + d];
      HB_TRY(tell(h, T, c->member[k], c->member[l], r, w));
      HB_TRY(hb_touches_add(h->bodies, c->member[k], c->member[l]));
    }
  return HB_OK;
}

/* ---- stars ---- */

enum { SEARCHED = 16, ALONE = 32768 /* pairs that are looked at before a second thread has woken up */ };
struct search {
  const struct hb_hermite4 *h;
  uint64_t T;
};

/* Their nearest distance in a time dt back along straight lines, relative to the sum of the radii; squared. */
static double approach(double reach, double dt, const double r[3], const double v[3])
{
  double rv = dot(r, v), v2 = dot(v, v), back = rv > 0 && v2 > 0 ? fmin(rv / v2, dt) : 0, q[3];
  for (size_t d = 0; d < 3; d++) q[d] = r[d] - back * v[d];
  return dot(q, q) / (reach * reach);
}

static void between(const struct hb_hermite4 *h, uint32_t i, uint32_t k, double r[3], double v[3])
{
  for (size_t d = 0; d < 3; d++) {
    r[d] = h->xp[3 * (size_t)k + d] - h->xp[3 * (size_t)i + d];
    v[d] = h->vp[3 * (size_t)k + d] - h->vp[3 * (size_t)i + d];
  }
}

/* Seen by s at tick T: the distance to k as above, for as long as the two were not told to touch. */
static double approach_anew(const struct hb_hermite4 *h, const struct hb_suspect *s, double dt, uint32_t k,
                            uint64_t T, const double r[3], const double v[3])
{
  double reach = h->particles->radius[s->i] + h->particles->radius[k];
  const struct hb_touch *told = hb_touches_find(h->bodies, s->i, k);
  if (!(reach > 0) || (told && told->apart == HB_TOUCHING)) return INFINITY;
  if (told) dt = fmin(dt, hb_hermite4_span(h, T - told->apart));
  return approach(reach, dt, r, v);
}

/* The members of a group at tick T. Test particles meet them: stars join it before, unless it is full. What a star is told to touch
 * then, it does now: the ways that members have gone are no straight lines. *nearest is then one of them. */
static void approach_group(const struct hb_hermite4 *h, const struct hb_suspect *s, const struct hb_group *g,
                           uint64_t T, double *least, uint32_t *nearest)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], r[3], w[3];
  double back = h->particles->m[s->i] > 0 ? 0 : s->dt;
  between(h, s->i, g->node, r, w);
  hb_chain_places(&g->chain, x, v);
  for (size_t k = 0; k < g->chain.n; k++) {
    double to[3], by[3];
    for (size_t d = 0; d < 3; d++) to[d] = r[d] + x[3 * k + d], by[d] = w[d] + v[3 * k + d];
    double near = approach_anew(h, s, back, g->chain.member[k], T, to, by);
    if (near < *least) *least = near, *nearest = g->chain.member[k];
  }
}

/* Whether node k is too far for s: they cannot have touched in its step. */
static int is_far(const struct hb_hermite4 *h, const struct hb_suspect *s, uint32_t k, double reach)
{
  const double *xi = h->xp + 3 * (size_t)s->i, *vi = h->vp + 3 * (size_t)s->i, *x = h->xp + 3 * (size_t)k,
               *v = h->vp + 3 * (size_t)k;
  double r2 = 0, v2 = 0;
  for (size_t d = 0; d < 3; d++) r2 += (x[d] - xi[d]) * (x[d] - xi[d]), v2 += (v[d] - vi[d]) * (v[d] - vi[d]);
  return r2 > 2 * (reach * reach + v2 * s->dt * s->dt); /* at least (reach + v dt)^2 */
}

/* Whom a suspect has touched, who was not told yet; itself: nobody. */
static uint32_t touched_by(const struct hb_hermite4 *h, const struct hb_suspect *s, uint64_t T)
{
  const struct hb_particles *p = h->particles;
  size_t count;
  const uint32_t *massive = hb_force_massive(h->force, h->n, &count);
  uint32_t nearest = s->i;
  int merges = h->params.collisions == HB_COLLISIONS_MERGE;
  double least = 1, r[3], v[3];
  for (size_t b = 0; b < count; b++) {
    uint32_t k = massive ? massive[b] : (uint32_t)b;
    const struct hb_group *g = h->groups ? hb_groups_of(h->groups, k) : NULL;
    double reach = p->radius[s->i] + p->radius[k];
    if (is_far(h, s, k, g ? reach + g->R : reach) || k == s->i || !(p->m[k] > 0)) continue;
    if (h->bodies->fate[k] == HB_BODY_IS_GONE || (h->groups && h->groups->of[k] == HB_GROUPS_PARKED))
      continue;
    if (g && g->tick == T && (p->m[s->i] == 0 || !merges)) approach_group(h, s, g, T, &least, &nearest);
    if (g) continue;
    between(h, s->i, k, r, v);
    double near = approach_anew(h, s, s->dt, k, T, r, v);
    if (near < least) least = near, nearest = k;
  }
  return nearest;
}

static void search(void *context, size_t piece)
{
  struct search *s = context;
  struct hb_bodies *b = s->h->bodies;
  for (size_t k = piece * SEARCHED, end = hb_parallel_end(b->suspects, SEARCHED, k); k < end; k++)
    b->suspect[k].other = touched_by(s->h, b->suspect + k, s->T);
}

static enum hb_status merge(struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t k)
{
  struct hb_particles *p = h->particles;
  double r[3], v[3], x[3], w[3], M = p->m[i] + p->m[k];
  int is_first = i < k && p->m[i] > 0; /* the lower slot, and one with mass: k has */
  uint32_t kept = is_first ? i : k, swallowed = is_first ? k : i;
  hb_bodies_between(h, T, kept, swallowed, r, v);
  HB_TRY(tell(h, T, kept, swallowed, r, v));
  if (h->params.collisions != HB_COLLISIONS_MERGE) return hb_touches_add(h->bodies, kept, swallowed);
  if (p->m[swallowed] > 0) {
    for (size_t d = 0; d < 3; d++) {
      x[d] = h->xp[3 * (size_t)kept + d] + p->m[swallowed] / M * r[d];
      w[d] =
          (p->m[kept] * h->vp[3 * (size_t)kept + d] + p->m[swallowed] * h->vp[3 * (size_t)swallowed + d]) / M;
    }
    struct pair pair = {.node = {kept, swallowed}, .m = {p->m[kept], p->m[swallowed]}};
    memcpy(pair.x[0], h->xp + 3 * (size_t)kept, sizeof x);
    memcpy(pair.x[1], h->xp + 3 * (size_t)swallowed, sizeof x);
    h->bodies->e_lost +=
        hb_orbit_of(p->m[kept], p->m[swallowed], r, v, h->bodies->eps * h->bodies->eps).E + tide(h, &pair);
    memcpy(h->xp + 3 * (size_t)kept, x, sizeof x);
    memcpy(h->vp + 3 * (size_t)kept, w, sizeof w);
    if (h->groups) h->groups->m[kept] = M;
    h->bodies->fate[kept] = HB_BODY_IS_NEW;
  }
  absorb(h, kept, swallowed);
  return HB_OK;
}

/* collisions = stop: all that it has touched. What it was found to touch, the other may have told meanwhile. */
static enum hb_status tell_all(struct hb_hermite4 *h, uint64_t T, const struct hb_suspect *s)
{
  uint32_t other = s->other;
  if (hb_touches_last(h->bodies, s->i, other)) other = touched_by(h, s, T);
  for (; other != s->i; other = touched_by(h, s, T)) HB_TRY(merge(h, T, s->i, other));
  return HB_OK;
}

enum hb_status hb_bodies_collide(struct hb_hermite4 *h, uint64_t T)
{
  struct hb_bodies *b = h->bodies;
  int merges = h->params.collisions == HB_COLLISIONS_MERGE;
  for (size_t k = h->groups ? h->groups->count : 0;
       k-- > 0;) { /* the last one takes the place of one that dissolves */
    struct hb_group *g = h->groups->at + k;
    if (g->tick != T) continue;
    if (!merges) HB_TRY(tell_members(h, T, g));
    if (merges && g->chain.touched[0] != g->chain.touched[1]) HB_TRY(merge_member(h, T, g));
  }
  int threads = b->suspects * h->n > ALONE ? hb_parallel_threads() : 1;
  hb_parallel_for(threads, hb_div_ceil(b->suspects, SEARCHED), search, &(struct search){h, T});
  for (size_t k = 0; k < b->suspects; k++) {
    const struct hb_suspect *s = b->suspect + k;
    if (b->fate[s->i] == HB_BODY_IS_GONE) continue;
    if (!merges) HB_TRY(tell_all(h, T, s));
    if (!merges) continue;
    int is_old = b->fate[s->i] == HB_BODY_STAYS && b->fate[s->other] == HB_BODY_STAYS;
    uint32_t other = is_old ? s->other : touched_by(h, s, T);
    if (other != s->i) HB_TRY(merge(h, T, s->i, other));
  }
  hb_touches_part(h, T);
  return HB_OK;
}
