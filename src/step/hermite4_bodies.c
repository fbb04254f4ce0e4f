/* Bodies of a run that touch, pass each other or escape: who is suspected of it, who was told to touch, what becomes of two that
 * merge, escapers, and particles that vanish. All of it depends on the state alone.
 *
 * Between two blocks the positions of all particles are known: stars follow the polynomials of eqs 3 and 4, and members of groups their
 * chains. After each block it is therefore found which contacts and approaches are going to happen before the next one (struct coming).
 * A contact that ends the run, or of two members that merge, interrupts: the time becomes that of the first tick after it, at
 * which all particles are predicted as at any time between two blocks. */
#include "step/hermite4.h"

#include "base/arith.h"
#include "base/elementary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "chain/contact.h"
#include "core/diagnostics.h"
#include "core/structure.h"
#include "core/vector.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

const char *const hb_collisions_names[] = {"none", "stop", "merge", NULL};
const char *const hb_escapers_names[] = {"none", "list", "remove", NULL};

/* A particle of the block that may have touched one with mass in its last step, dt. */
struct suspect {
  uint32_t i, other; /* whom it has touched; itself: nobody */
  double dt;
};

/* collisions = stop: two that were told to touch and have not been found apart since; or that were, but who will still look back
 * to before then. Of those that pass each other only who they are. */
struct touch {
  uint32_t i, k;  /* i < k */
  uint64_t apart; /* the last block in which they were; TOUCHING: none since */
};
#define TOUCHING UINT64_MAX

struct touches {
  struct touch *at; /* [count] of [capacity] */
  size_t count, capacity;
};

/* A contact or an approach that is going to happen at a time t, between ticks: tick is the first one after it. */
struct coming {
  uint32_t i, k;
  int is_approach;
  int is_of_stars; /* found from their polynomials, which hold until one of them ends its step */
  uint64_t tick;
  double t;
  double r, x[3], v[3]; /* separation then, and relative position and velocity, of k relative to i */
};

enum fate { BODY_STAYS = 0, BODY_IS_NEW = 1, BODY_IS_GONE = 2 };

/* An approach of two stars that was found not long ago. */
struct recent {
  uint32_t i, k; /* i < k */
  double t;
};

struct hb_bodies {
  double eps;                  /* softening */
  double m_least, radius_most; /* of those with mass */
  struct suspect *suspect;     /* [suspects] of [n] */
  size_t suspects;
  uint8_t *fate;    /* [n] enum fate, in the present step */
  uint32_t *number; /* [n] new ones; before, who leaves */
  double *phi;      /* [n] of the block */
  uint8_t *listed;  /* [n] whether it has escaped already, by order; NULL: escapers are not listed */
  uint8_t
      *is_alone; /* [n] nothing was so near at the last block of a star that the two may touch in its step */
  struct touches told;   /* ascending */
  struct coming *coming; /* [comings] of [coming_capacity], by time */
  size_t comings, coming_capacity;
  struct recent *recent; /* [recents] of [recent_capacity] */
  size_t recents, recent_capacity;
  int is_unknown; /* what is coming has to be found anew, for all particles */
};

static const struct hb_columns_row rows[] = {
    HB_COLUMN(struct hb_bodies, suspect, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_bodies, number, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_bodies, phi, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_bodies, fate, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_bodies, is_alone, 1, HB_COLUMN_KEPT),
    HB_COLUMN_OF("bodies.listed", HB_SECTION_BYTES, struct hb_bodies, listed, 1, HB_COLUMN_ON_DEMAND),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 0);

static int collides(const struct hb_hermite4 *h) { return h->params.collisions != HB_COLLISIONS_NONE; }
static int merges(const struct hb_hermite4 *h) { return h->params.collisions == HB_COLLISIONS_MERGE; }
static int escapes(const struct hb_hermite4 *h) { return h->params.escapers != HB_ESCAPERS_NONE; }

static int has_approaches(const struct hb_hermite4 *h)
{
  return h->params.approach_distance > 0 || h->params.approach_radii > 0;
}

/* Returns what an advance looks for: contacts, and approaches if they are reported. */
static struct hb_contact_criteria criteria_of(const struct hb_hermite4 *h)
{
  const struct hb_sim_params *p = &h->params;
  struct hb_contact_criteria c = {.radius = h->particles->radius, .finds_touches = collides(h)};
  int is_watched = h->events && h->events->kinds >> HB_EVENT_APPROACH & 1;
  if (is_watched) c.within = p->approach_distance, c.in_radii = p->approach_radii;
  return c;
}

/* A node that is still there: a star, a group or a test particle. */
static int is_there(const struct hb_hermite4 *h, uint32_t i)
{
  return h->bodies->fate[i] != BODY_IS_GONE && !hb_hermite4_is_parked(h, i);
}

static int is_star(const struct hb_hermite4 *h, uint32_t i)
{
  return !h->groups || h->groups->of[i] == HB_GROUPS_STAR;
}

/* ---- who was told to touch ---- */

static struct touch *find_touch(const struct touches *t, uint32_t i, uint32_t k)
{
  for (size_t p = 0; p < t->count; p++)
    if (t->at[p].i == (i < k ? i : k) && t->at[p].k == (i < k ? k : i)) return t->at + p;
  return NULL;
}

static int is_touching(const struct hb_bodies *b, uint32_t i, uint32_t k)
{
  const struct touch *t = find_touch(&b->told, i, k);
  return t && t->apart == TOUCHING;
}

static enum hb_status add_touch(struct touches *t, uint32_t i, uint32_t k)
{
  struct touch new = {i < k ? i : k, i < k ? k : i, TOUCHING}, *known = find_touch(t, i, k);
  size_t at = t->count;
  if (known) return known->apart = TOUCHING, HB_OK;
  HB_TRY(HB_GROW(t->count, &t->capacity, &t->at));
  for (; at > 0 && (t->at[at - 1].i > new.i || (t->at[at - 1].i == new.i && t->at[at - 1].k > new.k)); at--)
    t->at[at] = t->at[at - 1];
  t->at[at] = new, t->count++;
  return HB_OK;
}

static void renumber(struct touches *t, const uint32_t *number)
{
  size_t kept = 0;
  for (size_t p = 0; p < t->count; p++) {
    const struct touch old = t->at[p], now = {number[old.i], number[old.k], old.apart};
    if (now.i != HB_COLUMNS_GONE && now.k != HB_COLUMNS_GONE) t->at[kept++] = now;
  }
  t->count = kept;
}

static enum hb_status get_touches(const struct hb_numbers *of, const struct hb_sections *sections,
                                  struct touches *t)
{
  t->count = t->capacity = hb_numbers_records(of, sections);
  HB_TRY(HB_ALLOC(t->count, &t->at));
  return hb_numbers_get(of, sections, t->count, t->at);
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

/* Whether it is corrected to tick T, see blocks.h, 4. */
static int is_due(const struct hb_hermite4 *h, uint32_t i, uint64_t T)
{
  return (T & (((uint64_t)1 << h->blocks->level[i]) - 1)) == 0;
}

/* Where particle i is: so far from a node. */
struct spot {
  uint32_t node;
  double x[3], v[3];
  int is_due, is_known; /* advanced to this block; and, or predicted to it */
};

static struct spot spot_at(const struct hb_hermite4 *h, uint32_t i, uint64_t T)
{
  size_t at;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  struct spot place = {.node = i};
  const struct hb_group *g = group_with(h->groups, i, &at);
  if (g) {
    place.node = g->node;
    hb_chain_places(&g->chain, x, v);
    memcpy(place.x, x + 3 * at, sizeof place.x);
    memcpy(place.v, v + 3 * at, sizeof place.v);
    place.is_due = place.is_known = g->tick == T;
  } else {
    place.is_due = is_due(h, i, T);
    place.is_known = place.is_due || h->particles->m[i] > 0;
  }
  return place;
}

static void spots_between(const struct hb_hermite4 *h, const struct spot *i, const struct spot *k,
                          double r[3], double v[3])
{
  const double *xi = h->xp + 3 * (size_t)i->node, *vi = h->vp + 3 * (size_t)i->node;
  const double *xk = h->xp + 3 * (size_t)k->node, *vk = h->vp + 3 * (size_t)k->node;
  for (size_t d = 0; d < 3; d++) {
    r[d] = xk[d] - xi[d] + (k->x[d] - i->x[d]);
    v[d] = vk[d] - vi[d] + (k->v[d] - i->v[d]);
  }
}

/* Two stars that approach are apart from this part of the sum of their radii on. Nearer ones may have been predicted to touch just before
 * the corrector placed them a little farther apart. */
static const double parted = 1.001;

/* Whether the touch is over, and nobody will look back to it: both have been advanced since. */
static int is_over(const struct hb_hermite4 *h, struct touch *t, uint64_t T)
{
  const struct spot i = spot_at(h, t->i, T), k = spot_at(h, t->k, T);
  double reach = h->particles->radius[t->i] + h->particles->radius[t->k], r[3], v[3];
  if (!(i.is_due || k.is_due) || !i.is_known || !k.is_known) return 0;
  spots_between(h, &i, &k, r, v);
  double r2 = hb_dot(r, r);
  double least = is_star(h, t->i) && is_star(h, t->k) && !(hb_dot(r, v) > 0) ? parted : 1;
  if (r2 > least * least * reach * reach) t->apart = T;
  return t->apart == T && i.is_due && k.is_due;
}

static void part_touches(struct hb_hermite4 *h, uint64_t T)
{
  struct touches *t = &h->bodies->told;
  size_t kept = 0;
  for (size_t p = 0; p < t->count; p++)
    if (!is_over(h, t->at + p, T)) t->at[kept++] = t->at[p];
  t->count = kept;
}

/* ---- collisions: which bodies touch, and what becomes of two ---- */

/* Their volumes add. */
static double merged_radius(double r1, double r2)
{
  double more = fmax(r1, r2), ratio = more > 0 ? fmin(r1, r2) / more : 0;
  return more * hb_elementary_power(1 + ratio * ratio * ratio, 1.0 / 3);
}

/* Tells that two bodies touched or were at their nearest, at a time t and with this relative position and velocity. */
static enum hb_status tell(struct hb_hermite4 *h, enum hb_event_kind kind, double t, uint32_t kept,
                           uint32_t swallowed, const double r[3], const double v[3])
{
  const struct hb_particles *p = h->particles;
  int by_mass = p->m[swallowed] > p->m[kept];
  uint64_t first = p->id[by_mass ? swallowed : kept], second = p->id[by_mass ? kept : swallowed];
  const struct hb_orbit orbit =
      hb_orbit_of(p->m[kept], p->m[swallowed], r, v, h->bodies->eps * h->bodies->eps);
  struct hb_event event = hb_event_of(kind, t, first, second, &orbit);
  event.r = hb_norm(r);
  return hb_events_add(h->events, &event);
}

/* What is the same in and out of groups. */
static void absorb(struct hb_hermite4 *h, uint32_t kept, uint32_t swallowed)
{
  struct hb_particles *p = h->particles;
  if (p->m[swallowed] > p->m[kept]) p->id[kept] = p->id[swallowed];
  p->m[kept] += p->m[swallowed];
  p->radius[kept] = merged_radius(p->radius[kept], p->radius[swallowed]);
  h->bodies->fate[swallowed] = BODY_IS_GONE;
  h->counts.merged++;
}

/* Two bodies at their places, and the nodes that they are, or are members of. */
struct pair {
  uint32_t node[2];
  double m[2], x[2][3];
};

static double inverse_distance(const struct hb_hermite4 *h, const double *x, const double y[3])
{
  const double r[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return 1 / sqrt(hb_dot(r, r) + h->bodies->eps * h->bodies->eps);
}

/* What is lost of the potential energy with respect to other nodes and the field when the pair becomes a point at its center. */
static double tide(const struct hb_hermite4 *h, const struct pair *p)
{
  const double *m = hb_hermite4_masses(h), M = p->m[0] + p->m[1];
  double center[3], sum = 0;
  for (size_t d = 0; d < 3; d++) center[d] = (p->m[0] * p->x[0][d] + p->m[1] * p->x[1][d]) / M;
  for (uint32_t j = 0; j < h->n; j++) {
    const double *x = h->xp + 3 * (size_t)j;
    if (j == p->node[0] || j == p->node[1] || !(m[j] > 0) || h->bodies->fate[j] == BODY_IS_GONE) continue;
    sum += m[j] * (M * inverse_distance(h, x, center) - p->m[0] * inverse_distance(h, x, p->x[0]) -
                   p->m[1] * inverse_distance(h, x, p->x[1]));
  }
  for (size_t k = 0; k < 2 && h->field; k++)
    sum += p->m[k] * (hb_field_potential(h->field, p->x[k]) - hb_field_potential(h->field, center));
  return sum;
}

/* ---- in groups ---- */

/* Merges two members of a group at tick T, to which the group has been advanced. The event has the time t. */
static enum hb_status merge_members(struct hb_hermite4 *h, double t, struct hb_group *g,
                                    const uint32_t member[2])
{
  const struct hb_chain *c = &g->chain;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], r[3], w[3], energy;
  size_t one = 0, two = 0;
  uint32_t kept, swallowed;
  hb_chain_places(c, x, v);
  while (c->member[one] != member[0]) one++;
  while (c->member[two] != member[1]) two++;
  hb_between(x, one, two, r);
  hb_between(v, one, two, w);
  HB_TRY(tell(h, HB_EVENT_COLLISION, t, member[0], member[1], r, w));
  struct pair pair = {.node = {g->node, g->node}, .m = {c->m[one], c->m[two]}};
  for (size_t d = 0; d < 3; d++) {
    double center = h->xp[3 * (size_t)g->node + d];
    pair.x[0][d] = center + x[3 * one + d], pair.x[1][d] = center + x[3 * two + d];
  }
  h->counts.e_lost += tide(h, &pair);
  hb_groups_merge(h->groups, g, member, &kept, &swallowed, &energy);
  absorb(h, kept, swallowed);
  h->counts.e_lost += energy;
  return HB_OK;
}

/* Finds the next two members of a group, from pair[2] on, which become the one after it, that overlap and were not told to touch. Returns 0 if there are none. */
static int find_overlap(const struct hb_hermite4 *h, const struct hb_group *g, size_t pair[2],
                        struct hb_contact *found)
{
  const struct hb_chain *c = &g->chain;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  hb_chain_places(c, x, v);
  for (size_t k = pair[0]; k < c->n; k++)
    for (size_t l = k == pair[0] ? pair[1] : k + 1; l < c->n; l++) {
      double reach = h->particles->radius[c->member[k]] + h->particles->radius[c->member[l]];
      hb_between(x, k, l, found->x);
      hb_between(v, k, l, found->v);
      found->member[0] = c->member[k], found->member[1] = c->member[l];
      found->r = hb_norm(found->x);
      if (found->r < reach && hb_chain_product(c, k, l) > 0 &&
          !is_touching(h->bodies, c->member[k], c->member[l])) {
        pair[0] = k, pair[1] = l + 1;
        return 1;
      }
    }
  return 0;
}

/* ---- stars ---- */

/* The relative path of two stars, a polynomial around the time 0, over dt from the time `from` on. */
struct star_path {
  double x[3], v[3], a[3], j[3], from, dt;
};

static void find_star_point(void *context, double u, struct hb_contact_point *p)
{
  const struct star_path *path = context;
  double t = path->from + u * path->dt;
  p->u = u, p->t = t;
  for (size_t d = 0; d < 3; d++) {
    p->x[d] = path->x[d] + t * (path->v[d] + t / 2 * (path->a[d] + t / 3 * path->j[d]));
    p->d[d] = path->dt * (path->v[d] + t * (path->a[d] + t / 2 * path->j[d]));
  }
}

/* Looks for a contact or the nearest point, by one of the functions of contact.h. */
static int find_on_stars(struct star_path *path, double distance,
                         int (*find)(const struct hb_contact_path *, double, struct hb_contact_point *),
                         struct hb_contact_point *at)
{
  struct hb_contact_path p = {.find = find_star_point, .context = path};
  find_star_point(path, 0, &p.from);
  find_star_point(path, 1, &p.to);
  return find(&p, distance, at);
}

enum { SEARCHED = 16, ALONE = 32768 /* pairs that are looked at before a second thread has woken up */ };
struct search {
  const struct hb_hermite4 *h;
  uint64_t T;
};

/* Their nearest distance in a time dt back along straight lines, relative to the sum of the radii; squared. */
static double approach(double reach, double dt, const double r[3], const double v[3])
{
  double rv = hb_dot(r, v), v2 = hb_dot(v, v), back = rv > 0 && v2 > 0 ? fmin(rv / v2, dt) : 0, q[3];
  for (size_t d = 0; d < 3; d++) q[d] = r[d] - back * v[d];
  return hb_dot(q, q) / (reach * reach);
}

static void between(const struct hb_hermite4 *h, uint32_t i, uint32_t k, double r[3], double v[3])
{
  hb_between(h->xp, i, k, r);
  hb_between(h->vp, i, k, v);
}

/* Seen by s at tick T: the distance to k as above, for as long as the two were not told to touch. */
static double approach_anew(const struct hb_hermite4 *h, const struct suspect *s, double dt, uint32_t k,
                            uint64_t T, const double r[3], const double v[3])
{
  double reach = h->particles->radius[s->i] + h->particles->radius[k];
  const struct touch *told = find_touch(&h->bodies->told, s->i, k);
  if (!(reach > 0) || (told && told->apart == TOUCHING)) return INFINITY;
  if (told) dt = fmin(dt, hb_hermite4_span(h, T - told->apart));
  return approach(reach, dt, r, v);
}

/* The members of a group at tick T. Test particles meet them: stars join it before, unless it is full. What a star is told to touch
 * then, it does now: the ways that members have gone are no straight lines. *nearest is then one of them. */
static void approach_group(const struct hb_hermite4 *h, const struct suspect *s, const struct hb_group *g,
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
static int is_far(const struct hb_hermite4 *h, const struct suspect *s, uint32_t k, double reach)
{
  double r2 = hb_distance2(h->xp, s->i, k), v2 = hb_distance2(h->vp, s->i, k);
  return r2 > 2 * (reach * reach + v2 * s->dt * s->dt); /* at least (reach + v dt)^2 */
}

/* Whom a suspect has touched, who was not told yet; itself: nobody. */
static uint32_t touched_by(const struct hb_hermite4 *h, const struct suspect *s, uint64_t T)
{
  const struct hb_particles *p = h->particles;
  size_t count;
  const uint32_t *massive = hb_force_massive(h->force, h->n, &count);
  uint32_t nearest = s->i;
  double least = 1, r[3], v[3];
  for (size_t b = 0; b < count; b++) {
    uint32_t k = massive ? massive[b] : (uint32_t)b;
    const struct hb_group *g = h->groups ? hb_groups_of(h->groups, k) : NULL;
    double reach = p->radius[s->i] + p->radius[k];
    if (!g && !merges(h)) continue; /* two stars were seen ahead */
    if (is_far(h, s, k, g ? reach + g->R : reach) || k == s->i || !(p->m[k] > 0)) continue;
    if (!is_there(h, k)) continue;
    if (g && g->tick == T && (p->m[s->i] == 0 || !merges(h))) approach_group(h, s, g, T, &least, &nearest);
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

/* Returns the time at which two bodies touched that overlap or have passed each other at tick T, at most dt before it. */
static double time_of_contact(const struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t k, double dt,
                              const double r[3], const double v[3])
{
  struct hb_contact_point at;
  struct star_path path = {.from = -dt, .dt = dt};
  memcpy(path.x, r, sizeof path.x);
  memcpy(path.v, v, sizeof path.v);
  for (size_t d = 0; d < 3 && is_star(h, i) && is_star(h, k); d++) {
    path.a[d] = h->a[3 * (size_t)k + d] - h->a[3 * (size_t)i + d];
    path.j[d] = h->j[3 * (size_t)k + d] - h->j[3 * (size_t)i + d];
  }
  double reach = h->particles->radius[i] + h->particles->radius[k];
  return hb_hermite4_at(h, T) + (find_on_stars(&path, reach, hb_contact_find, &at) ? at.t : 0);
}

static enum hb_status merge(struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t k, double dt)
{
  struct hb_particles *p = h->particles;
  double r[3], v[3], x[3], w[3], M = p->m[i] + p->m[k];
  int is_first = i < k && p->m[i] > 0; /* the lower slot, and one with mass: k has */
  uint32_t kept = is_first ? i : k, swallowed = is_first ? k : i;
  const struct spot from = spot_at(h, kept, T), to = spot_at(h, swallowed, T);
  spots_between(h, &from, &to, r, v);
  HB_TRY(
      tell(h, HB_EVENT_COLLISION, time_of_contact(h, T, kept, swallowed, dt, r, v), kept, swallowed, r, v));
  if (!merges(h)) return add_touch(&h->bodies->told, kept, swallowed);
  if (p->m[swallowed] > 0) {
    hb_hermite4_near_unite(h, T, kept, swallowed);
    for (size_t d = 0; d < 3; d++) {
      x[d] = h->xp[3 * (size_t)kept + d] + p->m[swallowed] / M * r[d];
      w[d] =
          (p->m[kept] * h->vp[3 * (size_t)kept + d] + p->m[swallowed] * h->vp[3 * (size_t)swallowed + d]) / M;
    }
    struct pair pair = {.node = {kept, swallowed}, .m = {p->m[kept], p->m[swallowed]}};
    memcpy(pair.x[0], h->xp + 3 * (size_t)kept, sizeof x);
    memcpy(pair.x[1], h->xp + 3 * (size_t)swallowed, sizeof x);
    h->counts.e_lost +=
        hb_orbit_of(p->m[kept], p->m[swallowed], r, v, h->bodies->eps * h->bodies->eps).E + tide(h, &pair);
    memcpy(h->xp + 3 * (size_t)kept, x, sizeof x);
    memcpy(h->vp + 3 * (size_t)kept, w, sizeof w);
    if (h->groups) h->groups->m[kept] = M;
    h->bodies->fate[kept] = BODY_IS_NEW;
  }
  absorb(h, kept, swallowed);
  return HB_OK;
}

/* collisions = stop: all that it has touched. What it was found to touch, the other may have told meanwhile. */
static enum hb_status tell_all(struct hb_hermite4 *h, uint64_t T, const struct suspect *s)
{
  uint32_t other = s->other;
  if (is_touching(h->bodies, s->i, other)) other = touched_by(h, s, T);
  for (; other != s->i; other = touched_by(h, s, T)) HB_TRY(merge(h, T, s->i, other, s->dt));
  return HB_OK;
}

static enum hb_status collide(struct hb_hermite4 *h, uint64_t T)
{
  struct hb_bodies *b = h->bodies;
  if (!merges(h) && !(h->groups && h->groups->count > 0)) b->suspects = 0;
  int threads = b->suspects * h->n > ALONE ? hb_parallel_threads() : 1;
  hb_parallel_for(threads, hb_div_ceil(b->suspects, SEARCHED), search, &(struct search){h, T});
  for (size_t k = 0; k < b->suspects; k++) {
    const struct suspect *s = b->suspect + k;
    if (b->fate[s->i] == BODY_IS_GONE) continue;
    if (!merges(h)) HB_TRY(tell_all(h, T, s));
    if (!merges(h)) continue;
    int is_old = b->fate[s->i] == BODY_STAYS && b->fate[s->other] == BODY_STAYS;
    uint32_t other = is_old ? s->other : touched_by(h, s, T);
    if (other != s->i) HB_TRY(merge(h, T, s->i, other, s->dt));
  }
  part_touches(h, T);
  return HB_OK;
}

/* ---- what is coming ---- */

static enum hb_status drop_those_gone(struct hb_hermite4 *h, uint64_t T, size_t *ni);

static uint64_t next_block(const struct hb_hermite4 *h)
{
  uint64_t next;
  return hb_blocks_next_time(h->blocks, &next) == HB_OK ? next : UINT64_MAX;
}

static int is_before(const struct coming *p, const struct coming *q)
{
  if (p->t != q->t) return p->t < q->t;
  return p->i != q->i ? p->i < q->i : p->k < q->k;
}

/* At the end of a step the corrector moves a star a little. An approach is therefore looked for from a little before the step on, by this
 * part of it, and is the same as one that was found less than twice that before or after. */
static const double overlap = 1e-3;

/* Whether an approach of two stars at a time t was found before, by steps of the length dt. */
static int is_recent(const struct hb_bodies *b, uint32_t i, uint32_t k, double t, double dt)
{
  for (size_t p = 0; p < b->recents; p++)
    if (b->recent[p].i == i && b->recent[p].k == k && fabs(b->recent[p].t - t) <= 2 * overlap * dt) return 1;
  return 0;
}

/* Those of the last step, which is no longer than dt_max, are remembered. */
static enum hb_status remember(struct hb_hermite4 *h, const struct coming *c)
{
  struct hb_bodies *b = h->bodies;
  size_t kept = 0;
  for (size_t p = 0; p < b->recents; p++)
    if (b->recent[p].t > c->t - 2 * h->params.dt_max) b->recent[kept++] = b->recent[p];
  b->recents = kept;
  HB_TRY(HB_GROW(b->recents, &b->recent_capacity, &b->recent));
  b->recent[b->recents++] = (struct recent){c->i, c->k, c->t};
  return HB_OK;
}

/* Adds what was found at a time t after the tick `from`. Approaches before the last time were told, and a pair that overlaps is told to
 * touch once. */
static enum hb_status add_coming(struct hb_hermite4 *h, const struct hb_contact *found, uint64_t from,
                                 int is_of_stars)
{
  struct hb_bodies *b = h->bodies;
  uint32_t i = found->member[0], k = found->member[1];
  struct coming new = {
      i < k ? i : k, i < k ? k : i, found->is_approach, is_of_stars, h->blocks->now, 0, found->r, {0}, {0}};
  double sign = i < k ? 1 : -1, ticks = floor(found->t / h->params.dt_min);
  uint64_t tick = from + (uint64_t)ticks + 1;
  new.t = hb_hermite4_at(h, from) + found->t;
  if (found->t > 0 && tick > new.tick) new.tick = tick;
  for (size_t d = 0; d < 3; d++) new.x[d] = sign * found->x[d], new.v[d] = sign * found->v[d];
  double now = hb_hermite4_at(h, h->blocks->now);
  if (found->is_approach && !is_of_stars && !(new.t > now)) return HB_OK;
  if (!found->is_approach && is_touching(b, i, k)) return HB_OK;
  new.t = fmax(new.t, is_of_stars ? now : new.t);
  for (size_t p = 0; p < b->comings; p++)
    if (b->coming[p].i == new.i && b->coming[p].k == new.k && b->coming[p].is_approach == new.is_approach)
      return HB_OK;
  HB_TRY(HB_GROW(b->comings, &b->coming_capacity, &b->coming));
  size_t at = b->comings++;
  for (; at > 0 && is_before(&new, b->coming + at - 1); at--) b->coming[at] = b->coming[at - 1];
  b->coming[at] = new;
  return HB_OK;
}

/* Members of groups: what their advances find, and who overlaps now. */
static enum hb_status look_at_groups(struct hb_hermite4 *h)
{
  struct hb_groups *groups = hb_hermite4_groups_now(h);
  uint64_t next = next_block(h), now = h->blocks->now;
  groups->watch = criteria_of(h);
  if (next == UINT64_MAX) return HB_OK;
  HB_TRY(hb_groups_look_ahead(groups, next));
  for (size_t c = 0; c < groups->founds; c++)
    HB_TRY(add_coming(h, &groups->found[c].contact, groups->found[c].from, 0));
  for (size_t k = 0; k < groups->count && collides(h); k++) {
    struct hb_contact found = {.t = 0};
    size_t pair[2] = {0, 1};
    while (groups->at[k].tick == now && find_overlap(h, groups->at + k, pair, &found))
      HB_TRY(add_coming(h, &found, now, 0));
  }
  return HB_OK;
}

/* A star now: position, velocity, acceleration and jerk. */
static void star_now(const struct hb_hermite4 *h, uint32_t i, struct star_path *s)
{
  size_t row = 3 * (size_t)i;
  const struct hb_record *r = h->ahead ? h->ahead + h->place[i] : NULL;
  double dt = hb_hermite4_span(h, h->blocks->now - hb_blocks_level_time(h->blocks, h->blocks->level[i]));
  const struct hb_span span = hb_span_of(dt);
  hb_hermite4_predict(h, i, &span, s->x, s->v);
  memcpy(s->j, r ? r->j : h->j + row, sizeof s->j);
  for (size_t d = 0; d < 3; d++) s->a[d] = (r ? r->a[d] : h->a[row + d]) + dt * s->j[d];
}

/* The time from now to the end of a star's step. */
static double rest_of_step(const struct hb_hermite4 *h, uint32_t i)
{
  uint64_t level = h->blocks->level[i],
           end = hb_blocks_level_time(h->blocks, (unsigned)level) + ((uint64_t)1 << level);
  return hb_hermite4_span(h, end - h->blocks->now);
}

/* True if two stars at xp vp, the first of which has a step of dt and an acceleration of this size, cannot come as near as `most`. */
static int stay_apart(const struct hb_hermite4 *h, uint32_t i, uint32_t k, double dt, double a, double most)
{
  double r2 = hb_distance2(h->xp, i, k), v2 = hb_distance2(h->vp, i, k), way = a * dt * dt;
  return r2 > 3 * (most * most + v2 * dt * dt + way * way); /* at least (most + v dt + way)^2 */
}

/* Two stars, of which `first` is one now, until one of their steps ends: from then on its polynomial is another. */
static enum hb_status look_at_pair(struct hb_hermite4 *h, const struct hb_contact_criteria *criteria,
                                   uint32_t i, uint32_t k, const struct star_path *first)
{
  struct star_path path, second;
  struct hb_contact_point at;
  double reach = collides(h) && !merges(h) ? hb_contact_reach(criteria, i, k) : 0,
         within = hb_contact_within(criteria, i, k), most = fmax(reach, within);
  if (!(most > 0) || stay_apart(h, i, k, first->dt, hb_norm(first->a), most)) return HB_OK;
  double dt = fmin(first->dt, rest_of_step(h, k));
  star_now(h, k, &second);
  for (size_t d = 0; d < 3; d++) {
    path.x[d] = second.x[d] - first->x[d], path.v[d] = second.v[d] - first->v[d];
    path.a[d] = second.a[d] - first->a[d], path.j[d] = second.j[d] - first->j[d];
  }
  path.from = 0, path.dt = dt;
  double way = dt * (hb_norm(path.v) + dt / 2 * (hb_norm(path.a) + dt / 3 * hb_norm(path.j)));
  if (hb_norm(path.x) > most + way) return HB_OK;
  for (int is_approach = 0; is_approach < 2; is_approach++) {
    struct hb_contact found = {.member = {i, k}, .is_approach = is_approach};
    double distance = is_approach ? within : reach, now = hb_hermite4_at(h, h->blocks->now);
    if (!(distance > 0)) continue;
    if (is_approach && h->blocks->now > 0) path.from = -overlap * dt, path.dt = (1 + overlap) * dt;
    if (!is_approach && hb_norm(path.x) < reach)
      find_star_point(&path, 0, &at);
    else if (!find_on_stars(&path, distance, is_approach ? hb_contact_find_nearest : hb_contact_find, &at))
      continue;
    if (is_approach && is_recent(h->bodies, i < k ? i : k, i < k ? k : i, now + at.t, dt)) continue;
    found.t = at.t, found.r = hb_norm(at.x);
    for (size_t d = 0; d < 3; d++) found.x[d] = at.x[d], found.v[d] = at.d[d] / path.dt;
    HB_TRY(add_coming(h, &found, h->blocks->now, 1));
  }
  return HB_OK;
}

/* A star that begins a step now, or any one, and all others with mass; all are at xp vp. */
static enum hb_status look_at_star(struct hb_hermite4 *h, uint32_t i)
{
  size_t count;
  const uint32_t *massive = hb_force_massive(h->force, h->n, &count);
  const struct hb_contact_criteria criteria = criteria_of(h);
  struct star_path first;
  star_now(h, i, &first);
  first.dt = rest_of_step(h, i);
  for (size_t b = 0; b < count; b++) {
    uint32_t k = massive ? massive[b] : (uint32_t)b;
    if (k != i && h->particles->m[k] > 0 && is_star(h, k)) HB_TRY(look_at_pair(h, &criteria, i, k, &first));
  }
  return HB_OK;
}

/* Discards results for members of groups and for stars whose steps have ended; they are found again. */
static void forget_coming(struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  uint64_t now = h->blocks->now;
  size_t kept = 0;
  for (size_t p = 0; p < b->comings; p++) {
    const struct coming *c = b->coming + p;
    int is_old = b->is_unknown || !c->is_of_stars || !is_star(h, c->i) || !is_star(h, c->k);
    if (!is_old && !is_due(h, c->i, now) && !is_due(h, c->k, now)) b->coming[kept++] = *c;
  }
  b->comings = kept;
}

static enum hb_status look_ahead(struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  if (!b || !(collides(h) || has_approaches(h))) return HB_OK;
  int is_unknown = b->is_unknown;
  forget_coming(h);
  b->is_unknown = 1; /* until all was looked at */
  if (h->groups) HB_TRY(look_at_groups(h));
  int is_predicted = 0;
  for (uint32_t i = 0; i < h->n && (!merges(h) || has_approaches(h)); i++) {
    if (!is_star(h, i) || !(is_unknown || is_due(h, i, h->blocks->now))) continue;
    if (b->is_alone[i] && h->criterion[i] != HB_STEP_NEW && !is_unknown) continue;
    if (!is_predicted) hb_hermite4_predict_others(h, h->blocks->now, 0);
    is_predicted = 1;
    HB_TRY(look_at_star(h, i));
  }
  b->is_unknown = 0;
  return HB_OK;
}

static void forget_ahead(struct hb_hermite4 *h)
{
  if (h->groups) hb_groups_forget_ahead(h->groups);
  if (h->bodies) h->bodies->is_unknown = 1;
}

/* True if something interrupts: a contact that ends the run, or of members that merge. */
static int interrupts(const struct hb_hermite4 *h, const struct coming *c)
{
  return !c->is_approach && (!merges(h) || !c->is_of_stars);
}

static enum hb_status interruption(struct hb_hermite4 *h, uint64_t *T)
{
  const struct hb_bodies *b = h->bodies;
  *T = UINT64_MAX;
  if (!(collides(h) || has_approaches(h))) return HB_OK;
  if (b->is_unknown) HB_TRY(look_ahead(h));
  for (size_t p = 0; p < b->comings && *T == UINT64_MAX; p++)
    if (interrupts(h, b->coming + p)) *T = b->coming[p].tick;
  return HB_OK;
}

/* Two members of a group merge at tick T, which need not be that of a block; and then those that what they became overlaps. */
static enum hb_status merge_now(struct hb_hermite4 *h, uint64_t T, const struct coming *c)
{
  struct hb_contact next = {.member = {c->i, c->k}};
  size_t at, ni = 0, pair[2];
  double t = c->t;
  int is_left = 1; /* the group */
  struct hb_group *g = (struct hb_group *)group_with(h->groups, c->i, &at);
  hb_hermite4_predict_others(h, T, 0);
  memset(h->bodies->fate, BODY_STAYS, h->n);
  do {
    is_left = g->chain.n > 2;
    HB_TRY(merge_members(h, t, g, next.member));
    t = hb_hermite4_at(h, T);
    pair[0] = 0, pair[1] = 1;
  } while (is_left && find_overlap(h, g, pair, &next));
  h->bodies->comings = 0, h->bodies->is_unknown = 1;
  return drop_those_gone(h, T, &ni);
}

static void remove_coming(struct hb_bodies *b, size_t p)
{
  memmove(b->coming + p, b->coming + p + 1, (--b->comings - p) * sizeof *b->coming);
}

/* The approaches up to tick T are told. */
static enum hb_status tell_approaches(struct hb_hermite4 *h, uint64_t T)
{
  struct hb_bodies *b = h->bodies;
  for (size_t p = 0; p < b->comings && b->coming[p].tick <= T;) {
    const struct coming c = b->coming[p];
    if (c.is_approach) remove_coming(b, p);
    if (c.is_approach) HB_TRY(tell(h, HB_EVENT_APPROACH, c.t, c.i, c.k, c.x, c.v));
    if (c.is_approach && c.is_of_stars) HB_TRY(remember(h, &c));
    p += !c.is_approach;
  }
  return HB_OK;
}

/* The first contact is told, or the two merge: others at the same time are for the next call. */
static enum hb_status take_contact(struct hb_hermite4 *h, uint64_t T, size_t p)
{
  struct hb_bodies *b = h->bodies;
  const struct coming c = b->coming[p];
  remove_coming(b, p);
  if (merges(h)) return merge_now(h, T, &c);
  HB_TRY(tell(h, HB_EVENT_COLLISION, c.t, c.i, c.k, c.x, c.v));
  return add_touch(&b->told, c.i, c.k);
}

/* Returns the first one that interrupts. There is one. */
static size_t first_interruption(const struct hb_hermite4 *h)
{
  size_t p = 0;
  while (!interrupts(h, h->bodies->coming + p)) p++;
  return p;
}

/* A group whose members merge is brought to that time first: that may be given up on request, before anything has changed. */
static enum hb_status interrupt(struct hb_hermite4 *h, uint64_t T)
{
  size_t at;
  uint32_t member = h->bodies->coming[first_interruption(h)].i;
  if (T < h->blocks->now) T = h->blocks->now;
  if (merges(h))
    HB_TRY(
        hb_groups_bring(hb_hermite4_groups_now(h), (struct hb_group *)group_with(h->groups, member, &at), T));
  h->blocks->now = T;
  HB_TRY(tell_approaches(h, T));
  HB_TRY(take_contact(h, T, first_interruption(h)));
  if (h->near) { /* xp vp are those of this time, and not of a block */
    memset(h->near->stamp, 0, h->n * sizeof *h->near->stamp);
    h->near->all_at = 0;
  }
  return HB_OK;
}

/* ---- escapers ---- */

/* Particles farther than a given radius from the density center that are not bound to the rest. NBODY6 takes those beyond twice the
 * tidal radius, which is ten half-mass radii of a cluster without a tide (Aarseth 2003). */
static const double half_mass_radii = 20;

/* Where the system is, how it moves, and how far it reaches. */
struct place {
  double x[3], v[3], limit;
};

/* Candidates for escape at the time of the block: nodes; or, where few bodies are one group, the bodies, each at the index of its slot. */
struct escapees {
  const double *m, *x, *v; /* [n] [3 * n] [3 * n] of all slots */
  int are_bodies;
};

/* True if slot i has something that may escape. */
static int is_one(const struct hb_hermite4 *h, const struct escapees *e, uint32_t i)
{
  return e->are_bodies ? h->bodies->fate[i] != BODY_IS_GONE : is_there(h, i);
}

/* Those that have mass. */
static enum hb_status gather(const struct hb_hermite4 *h, const struct escapees *e,
                             struct hb_particles **nodes)
{
  size_t count = 0, k = 0;
  for (uint32_t i = 0; i < h->n; i++) count += e->m[i] > 0 && is_one(h, e, i);
  HB_TRY(hb_particles_create(count, nodes));
  for (uint32_t i = 0; i < h->n; i++) {
    if (!(e->m[i] > 0 && is_one(h, e, i))) continue;
    (*nodes)->m[k] = e->m[i];
    memcpy((*nodes)->x + 3 * k, e->x + 3 * (size_t)i, 3 * sizeof *e->x);
    memcpy((*nodes)->v + 3 * k++, e->v + 3 * (size_t)i, 3 * sizeof *e->v);
  }
  return HB_OK;
}

static double distance(const double *x, const double y[3])
{
  const double r[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return hb_norm(r);
}

/* The velocity is that of the inner half. */
static enum hb_status find_place(const struct hb_particles *p, double radius, struct place *place)
{
  HB_OWN_SURROUNDINGS struct hb_surroundings around = {0};
  HB_OWN double *work = NULL;
  double r_core, r_half, half = 0.5, M = 0, center[3];
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  hb_center_of_mass(p, place->x, place->v);
  HB_TRY(hb_surroundings_find(p, &around));
  if (hb_density_center(p, around.rho, center, &r_core)) memcpy(place->x, center, sizeof center);
  hb_lagrangian_radii(p, place->x, 1, &half, work, &r_half);
  memset(place->v, 0, sizeof place->v);
  for (size_t i = 0; i < p->n; i++) {
    if (distance(p->x + 3 * i, place->x) > r_half) continue;
    M += p->m[i];
    for (size_t d = 0; d < 3; d++) place->v[d] += p->m[i] * p->v[3 * i + d];
  }
  for (size_t d = 0; d < 3; d++) place->v[d] /= M;
  place->limit = radius > 0 ? radius : half_mass_radii * r_half;
  return HB_OK;
}

/* The speed of one relative to the place, in coordinates at rest: those that turn add W z x r. */
static double speed_of(const struct hb_hermite4 *h, const struct escapees *e, uint32_t i,
                       const struct place *place)
{
  const double *x = e->x + 3 * (size_t)i, *v = e->v + 3 * (size_t)i;
  double W = h->field ? hb_field_turn(h->field) / 2 : 0;
  const double at_rest[] = {v[0] - W * (x[1] - place->x[1]), v[1] + W * (x[0] - place->x[0]), v[2]};
  return distance(at_rest, place->v);
}

/* The potential of all others at one. */
static double potential_at(const struct hb_hermite4 *h, const struct escapees *e, uint32_t i)
{
  double sum = 0;
  for (uint32_t k = 0; k < h->n; k++) {
    if (k == i || !(e->m[k] > 0) || !is_one(h, e, k)) continue;
    double r = distance(e->x + 3 * (size_t)k, e->x + 3 * (size_t)i);
    sum -= e->m[k] / sqrt(r * r + h->bodies->eps * h->bodies->eps);
  }
  return sum;
}

/* ---- what goes with it ---- */

/* The energy of one in the field of others, and with respect to their center of mass; with forces from outside, in the given frame. */
static double energy_of(const struct hb_hermite4 *h, const struct escapees *e, uint32_t i, double M,
                        const double momentum[3])
{
  const double *m = e->m, *x = e->x + 3 * (size_t)i, *v = e->v + 3 * (size_t)i;
  double sum = potential_at(h, e, i), v2 = 0, rest = M - m[i];
  if (h->field) return m[i] * (sum + hb_field_potential(h->field, x) + hb_dot(v, v) / 2);
  for (size_t d = 0; d < 3; d++) {
    double w = v[d] - (momentum[d] - m[i] * v[d]) / rest;
    v2 += w * w;
  }
  return m[i] * (sum + rest / M * v2 / 2);
}

/* What the members of a group have more than a point at its center: their own energy, and that of their places in the field. Of
 * the tides of nodes that far away hardly anything is left. */
static double energy_of_members(const struct hb_hermite4 *h, const struct hb_group *g)
{
  const double *x = h->xp + 3 * (size_t)g->node;
  double r[3 * HB_CHAIN_MOST], w[3 * HB_CHAIN_MOST], sum = hb_chain_energy(&g->chain);
  hb_chain_places(&g->chain, r, w);
  for (size_t k = 0; k < g->chain.n && h->field; k++) {
    const double at[] = {x[0] + r[3 * k], x[1] + r[3 * k + 1], x[2] + r[3 * k + 2]};
    sum += g->chain.m[k] * (hb_field_potential(h->field, at) - hb_field_potential(h->field, x));
  }
  return sum;
}

/* A body that is a member of a group leaves that: the group becomes stars, which begin anew and join again without the body. */
static enum hb_status take_out(struct hb_hermite4 *h, uint64_t T, uint32_t i)
{
  HB_OWN uint8_t *opened = NULL;
  uint32_t node = hb_hermite4_node_of(h, i);
  if (!h->groups || !hb_groups_of(h->groups, node)) return HB_OK;
  HB_TRY(HB_ALLOC(h->n, &opened));
  HB_TRY(hb_hermite4_open_group(h, T, node, 1, opened));
  for (uint32_t k = 0; k < h->n; k++)
    if (opened[k]) h->bodies->fate[k] = BODY_IS_NEW;
  return HB_OK;
}

/* Removes a node, and all its members. */
static void remove_node(struct hb_hermite4 *h, uint32_t i)
{
  struct hb_bodies *b = h->bodies;
  const struct hb_group *g = h->groups ? hb_groups_of(h->groups, i) : NULL;
  h->counts.escaped += g ? g->chain.n : 1;
  if (g) {
    h->counts.e_lost += energy_of_members(h, g);
    for (size_t k = 0; k < g->chain.n; k++) b->fate[g->chain.member[k]] = BODY_IS_GONE;
    hb_groups_remove(h->groups, i);
  }
  b->fate[i] = BODY_IS_GONE;
}

/* All masses and momenta so far; and how many have gone, bodies->number. */
struct rest {
  double M, momentum[3];
  size_t count, gone;
};

static enum hb_status leave(struct hb_hermite4 *h, uint64_t T, const struct escapees *e, uint32_t i,
                            double energy, struct rest *rest)
{
  double m = e->m[i];
  struct hb_event event = {
      .kind = HB_EVENT_ESCAPE, .t = hb_hermite4_at(h, T), .a = NAN, .e = NAN, .E = m * energy, .r = NAN};
  size_t members = 1;
  if (e->are_bodies)
    event.id[event.n++] = h->particles->id[i];
  else
    members = hb_hermite4_add_members(h, i, &event);
  if (h->params.escapers == HB_ESCAPERS_LIST) {
    if (h->bodies->listed[i]) return HB_OK; /* it, or the member that stands for its group */
    h->bodies->listed[i] = 1;
    h->counts.escaped += members;
    return hb_events_add(h->events, &event);
  }
  enum { LEAST = 2 }; /* of a system */
  if (m > 0 && rest->count <= LEAST) return HB_OK;
  if (m > 0) h->counts.e_lost += energy_of(h, e, i, rest->M, rest->momentum);
  rest->M -= m, rest->count -= m > 0;
  for (size_t d = 0; d < 3; d++) rest->momentum[d] -= m * e->v[3 * (size_t)i + d];
  if (e->are_bodies) HB_TRY(take_out(h, T, i));
  h->bodies->number[rest->gone++] = i;
  remove_node(h, i);
  return hb_events_add(h->events, &event);
}

/* Where few bodies are one group, each body may escape: x[3 * n], v[3 * n] become those of all. */
static enum hb_status resolve_bodies(struct hb_hermite4 *h, uint64_t T, double *x, double *v,
                                     struct escapees *e)
{
  double e_rounded;
  memcpy(x, h->xp, 3 * h->n * sizeof *x);
  memcpy(v, h->vp, 3 * h->n * sizeof *v);
  HB_TRY(hb_groups_resolve(hb_hermite4_groups_now(h), T, 0, x, v, &e_rounded));
  *e = (struct escapees){h->particles->m, x, v, 1};
  return HB_OK;
}

static enum hb_status let_escape(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  HB_OWN_PARTICLES struct hb_particles *nodes = NULL;
  HB_OWN double *x = NULL;
  struct escapees e = {hb_hermite4_masses(h), h->xp, h->vp, 0};
  struct place place;
  struct rest rest = {0};
  size_t count = ni;
  if (hb_particles_massive(h->particles) == 0) return HB_OK;
  if (h->groups && h->groups->count > 0 && hb_groups_are_few(h->groups)) {
    HB_TRY(HB_ALLOC(6 * h->n, &x));
    HB_TRY(resolve_bodies(h, T, x, x + 3 * h->n, &e));
    count = h->n;
  }
  HB_TRY(gather(h, &e, &nodes));
  HB_TRY(find_place(nodes, h->params.escape_radius, &place));
  for (size_t i = 0; i < nodes->n; i++, rest.count++) {
    rest.M += nodes->m[i];
    for (size_t d = 0; d < 3; d++) rest.momentum[d] += nodes->m[i] * nodes->v[3 * i + d];
  }
  for (size_t b = 0; b < count; b++) {
    uint32_t i = e.are_bodies ? (uint32_t)b : h->block[b];
    if (!is_one(h, &e, i) || !(distance(e.x + 3 * (size_t)i, place.x) > place.limit)) continue;
    double speed = speed_of(h, &e, i, &place),
           phi = e.are_bodies ? potential_at(h, &e, i) : h->bodies->phi[b];
    if (speed * speed / 2 + phi > 0) HB_TRY(leave(h, T, &e, i, speed * speed / 2 + phi, &rest));
  }
  return hb_hermite4_forget(h, T, rest.gone, h->bodies->number);
}

/* ---- particles that vanish, and those that begin anew ---- */

static void measure(struct hb_hermite4 *h)
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
    h->bodies->number[i] = h->bodies->fate[i] == BODY_IS_GONE ? HB_COLUMNS_GONE : left++;
  return left;
}

/* Lists of the schedule without the new ones, and those of the block that are left in front of it; how many. */
static size_t reschedule(struct hb_hermite4 *h, size_t ni)
{
  const struct hb_bodies *b = h->bodies;
  size_t kept = 0;
  for (size_t k = 0; k < ni; k++) {
    uint32_t i = b->number[h->block[k]];
    if (i != HB_COLUMNS_GONE && b->fate[i] != BODY_IS_NEW) h->block[kept++] = i;
  }
  hb_blocks_clear(h->blocks, h->n);
  for (uint32_t i = 0; i < h->n; i++) {
    if (b->fate[i] != BODY_IS_NEW && !hb_hermite4_is_parked(h, i))
      hb_blocks_put(h->blocks, i, h->blocks->level[i]);
  }
  return kept;
}

static enum hb_status start_new(struct hb_hermite4 *h, uint64_t T)
{
  size_t ni = 0;
  for (uint32_t i = 0; i < h->n; i++)
    if (h->bodies->fate[i] == BODY_IS_NEW) h->block[ni++] = i;
  if (ni == 0) return HB_OK;
  HB_TRY(hb_hermite4_before(h, T, ni));
  if (h->has_parts) {
    hb_hermite4_predict_others(h, T, ni);
    hb_hermite4_near.renew(h, T, ni);
  }
  HB_TRY(hb_hermite4_sum(h, T, ni));
  for (size_t b = 0; b < ni; b++) hb_hermite4_begin_anew(h, T, b);
  return HB_OK;
}

static enum hb_status drop_those_gone(struct hb_hermite4 *h, uint64_t T, size_t *ni)
{
  struct hb_bodies *b = h->bodies;
  size_t left = count_left(h), kept, count = 0;
  uint32_t *old = b->number; /* later */
  HB_TRY(hb_hermite4_drop(h, b->number, left));
  kept = reschedule(h, *ni);
  memcpy(old, h->block, kept * sizeof *old);
  HB_TRY(start_new(h, T));
  for (size_t k = 0, i = 0; i < h->n; i++) { /* both are ascending */
    int is_old = k < kept && old[k] == i;
    k += (size_t)is_old;
    if (is_old || b->fate[i] == BODY_IS_NEW) h->block[count++] = (uint32_t)i;
  }
  *ni = count;
  return HB_OK;
}

/* ---- the block ---- */

/* Close bodies take short steps, which show them to each other when they touch. Where gravity does not bend their ways before,
 * steps do not know of them; then the potential of the system, or the softening, exceeds what a body has a few radii away.
 * Hence whoever has a shallower potential than that is alone. */
static int may_touch(const struct hb_hermite4 *h, uint32_t i, double phi)
{
  static const double radii = 4;
  const struct hb_contact_criteria criteria = criteria_of(h);
  double reach = criteria.radius ? criteria.radius[i] + h->bodies->radius_most : 0, far;
  reach = fmax(fmax(1, criteria.in_radii) * reach, criteria.within);
  far = radii * reach;
  if (!(reach > 0)) return 0;
  return h->bodies->eps > reach ||
         -phi * sqrt(far * far + h->bodies->eps * h->bodies->eps) >= h->bodies->m_least;
}

static void suspect(struct hb_hermite4 *h, size_t ni)
{
  struct hb_bodies *b = h->bodies;
  memcpy(b->phi, h->phi1, ni * sizeof *b->phi);
  b->suspects = 0;
  for (size_t k = 0; k < ni && (collides(h) || has_approaches(h)); k++) {
    uint32_t i = h->block[k];
    b->is_alone[i] = 0;
    if (!is_star(h, i)) continue;
    b->is_alone[i] = !may_touch(h, i, h->phi1[k]);
    if (b->is_alone[i] || !collides(h)) continue;
    double dt = hb_hermite4_span(h, (uint64_t)1 << h->blocks->level[i]);
    b->suspect[b->suspects++] = (struct suspect){i, i, dt};
  }
}

/* Merging and escaping change the block. */
static enum hb_status act(struct hb_hermite4 *h, uint64_t T, size_t *ni)
{
  struct hb_bodies *b = h->bodies;
  int is_full = (T & (((uint64_t)1 << h->blocks->level_max) - 1)) == 0, looks_far = is_full && escapes(h);
  HB_TRY(tell_approaches(h, T));
  if (!looks_far && b->suspects == 0 && b->told.count == 0) return HB_OK;
  hb_hermite4_place_corrected(h, 0, *ni);
  if (h->has_parts) hb_hermite4_predict_others(h, T, *ni);
  for (;; b->suspects = 0,
          looks_far = 0) { /* groups that are advanced for those that are new may have touched, too */
    memset(b->fate, BODY_STAYS, h->n);
    if (collides(h)) HB_TRY(collide(h, T));
    if (looks_far) HB_TRY(let_escape(h, T, *ni));
    if (!memchr(b->fate, BODY_IS_GONE, h->n)) return HB_OK;
    HB_TRY(drop_those_gone(h, T, ni));
  }
}

/* ---- the companion ---- */

static enum hb_status open_bodies(struct hb_hermite4 *h)
{
  if (!collides(h) && !escapes(h) && !has_approaches(h)) return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->bodies));
  h->bodies->is_unknown = 1;
  h->bodies->eps = hb_force_eps(h->force);
  HB_TRY(hb_columns_reserve(&columns, h->n, h->bodies));
  if (h->params.escapers == HB_ESCAPERS_LIST) HB_TRY(HB_ALLOC(h->n, &h->bodies->listed));
  if (!collides(h) && !has_approaches(h)) return HB_OK;
  HB_TRY(hb_particles_reserve_radius(h->particles));
  measure(h);
  return HB_OK;
}

static void close_bodies(struct hb_hermite4 *h)
{
  HB_FREE(h->bodies->told.at, h->bodies->coming, h->bodies->recent, h->bodies);
}

static enum hb_status weigh_bodies(struct hb_hermite4 *h)
{
  if (h->bodies && (collides(h) || has_approaches(h))) measure(h);
  return HB_OK;
}

static void drop_bodies(struct hb_hermite4 *h, const uint32_t *number, size_t left)
{
  (void)left;
  struct hb_bodies *b = h->bodies;
  size_t kept = 0;
  renumber(&b->told, number);
  for (size_t p = 0; p < b->recents; p++) {
    const struct recent now = {number[b->recent[p].i], number[b->recent[p].k], b->recent[p].t};
    if (now.i != HB_COLUMNS_GONE && now.k != HB_COLUMNS_GONE) b->recent[kept++] = now;
  }
  b->recents = kept;
  forget_ahead(h); /* with the old numbers */
}

static const struct hb_numbers_row touch_rows[] = {
    HB_NUMBER("touches.i", HB_NUMBER_INDEX, struct touch, i, 1),
    HB_NUMBER("touches.k", HB_NUMBER_INDEX, struct touch, k, 1),
    HB_NUMBER("touches.apart", HB_NUMBER_WORD, struct touch, apart, 1),
};
static const struct hb_numbers_row recent_rows[] = {
    HB_NUMBER("approaches.i", HB_NUMBER_INDEX, struct recent, i, 1),
    HB_NUMBER("approaches.k", HB_NUMBER_INDEX, struct recent, k, 1),
    HB_NUMBER("approaches.t", HB_NUMBER_DOUBLE, struct recent, t, 1),
};
static const struct hb_numbers of_touches = HB_NUMBERS(touch_rows, struct touch),
                               of_recents = HB_NUMBERS(recent_rows, struct recent);

static enum hb_status put_bodies(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  if (has_approaches(h)) HB_TRY(hb_numbers_put(&of_recents, h->bodies->recents, h->bodies->recent, sections));
  return hb_numbers_put(&of_touches, h->bodies->told.count, h->bodies->told.at, sections);
}

static enum hb_status get_recents(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  struct hb_bodies *b = h->bodies;
  if (!has_approaches(h) || !hb_sections_find(sections, recent_rows->name)) return HB_OK;
  b->recents = b->recent_capacity = hb_numbers_records(&of_recents, sections);
  HB_TRY(HB_ALLOC(b->recents, &b->recent));
  HB_TRY(hb_numbers_get(&of_recents, sections, b->recents, b->recent));
  for (size_t p = 0; p < b->recents; p++)
    if (!(b->recent[p].i < b->recent[p].k && b->recent[p].k < h->n))
      return hb_fail(HB_ERR_INPUT, "section 'approaches.i' has a pair %u %u, expected two of %zu particles",
                     (unsigned)b->recent[p].i, (unsigned)b->recent[p].k, h->n);
  return HB_OK;
}

static enum hb_status get_bodies(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  if (!h->bodies) return HB_OK;
  HB_TRY(get_recents(sections, h));
  if (!hb_sections_find(sections, touch_rows->name)) return HB_OK;
  HB_TRY(get_touches(&of_touches, sections, &h->bodies->told));
  for (size_t p = 0; p < h->bodies->told.count; p++) {
    const struct touch *t = h->bodies->told.at + p, *before = p ? t - 1 : NULL;
    int ascends = !before || before->i < t->i || (before->i == t->i && before->k < t->k);
    if (!(t->i < t->k && t->k < h->n && ascends && (t->apart <= h->blocks->now || t->apart == TOUCHING)))
      return hb_fail(HB_ERR_INPUT,
                     "section 'touches.i' has a pair %u %u at tick %llu, expected pairs of %zu particles, "
                     "ascending, at %llu at most",
                     (unsigned)t->i, (unsigned)t->k, (unsigned long long)t->apart, h->n,
                     (unsigned long long)h->blocks->now);
  }
  return HB_OK;
}

const struct hb_companion hb_companion_bodies = {.state = offsetof(struct hb_hermite4, bodies),
                                                 .columns = &columns,
                                                 .open = open_bodies,
                                                 .close = close_bodies,
                                                 .predicted = suspect,
                                                 .after = act,
                                                 .look_ahead = look_ahead,
                                                 .forget_ahead = forget_ahead,
                                                 .interruption = interruption,
                                                 .interrupt = interrupt,
                                                 .weigh = weigh_bodies,
                                                 .drop = drop_bodies,
                                                 .put = put_bodies,
                                                 .get = get_bodies};

/* ---- encounters without groups: pairs of stars that come as near as a group forms (groups.h) are told, and change no step ---- */

struct hb_passages {
  struct hb_groups scale; /* what is close: r_close, m_mean and rules alone */
  struct touches told;    /* those that have not parted since; by age */
};

/* The relative orbit of two particles of the block. */
struct meeting {
  double r[3], v[3], r2, rv;
};

static struct meeting meeting_of(const struct hb_hermite4 *h, uint32_t i, uint32_t k)
{
  const double *x = h->particles->x, *v = h->particles->v;
  struct meeting a;
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

/* Pairs that are twice as far apart as they were told. */
static void forget(struct hb_hermite4 *h, uint64_t T)
{
  struct touches *t = &h->passages->told;
  size_t kept = 0;
  for (size_t p = 0; p < t->count; p++) {
    uint32_t i = t->at[p].i, k = t->at[p].k;
    int is_old = is_due(h, i, T) && is_due(h, k, T) && meeting_of(h, i, k).r2 > 4 * passing2(h, i, k);
    if (!is_old) t->at[kept++] = t->at[p];
  }
  t->count = kept;
}

/* If they meet: i < k, unbound, approaching, as near as groups let them pass. */
static enum hb_status tell_passage(struct hb_hermite4 *h, uint64_t T, uint32_t i, uint32_t k)
{
  const struct hb_particles *p = h->particles;
  struct hb_passages *e = h->passages;
  const struct meeting at = meeting_of(h, i, k);
  if (hb_groups_are_far(&e->scale, p->m[i], p->m[k], at.r2)) return HB_OK;
  if (!(at.rv < 0 && at.r2 < passing2(h, i, k)) || find_touch(&e->told, i, k)) return HB_OK;
  const struct hb_orbit orbit = hb_orbit_of(p->m[i], p->m[k], at.r, at.v, 0);
  if (orbit.E < 0) return HB_OK;
  HB_TRY(HB_GROW(e->told.count, &e->told.capacity, &e->told.at));
  e->told.at[e->told.count++] = (struct touch){i, k, 0};
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
  if (!h->passages) {
    HB_TRY(HB_ALLOC(1, &h->passages));
    HB_TRY(hb_groups_find_close(h->particles, &h->passages->scale));
  }
  forget(h, T);
  for (size_t b = 0, ni = *block_size; b < ni; b++) {
    uint32_t i = h->block[b];
    if (!may_meet(h, i)) continue;
    for (size_t c = 0; c < ni; c++) {
      uint32_t k = h->block[c];
      if (k == i || !(h->particles->m[k] > 0) || (k < i && may_meet(h, k))) continue; /* once */
      HB_TRY(k < i ? tell_passage(h, T, k, i) : tell_passage(h, T, i, k));
    }
  }
  return HB_OK;
}

static void close_passages(struct hb_hermite4 *h)
{
  if (h->passages) HB_FREE(h->passages->told.at, h->passages);
}

static void drop_passages(struct hb_hermite4 *h, const uint32_t *number, size_t left)
{
  (void)left;
  if (h->passages) renumber(&h->passages->told, number);
}

static const struct hb_numbers_row scale_rows[] = {
    HB_NUMBER("passages.r_close", HB_NUMBER_DOUBLE, struct hb_groups, r_close, 1),
    HB_NUMBER("passages.m_mean", HB_NUMBER_DOUBLE, struct hb_groups, m_mean, 1),
};
static const struct hb_numbers_row passage_rows[] = {
    HB_NUMBER("passages.i", HB_NUMBER_INDEX, struct touch, i, 1),
    HB_NUMBER("passages.k", HB_NUMBER_INDEX, struct touch, k, 1),
};
static const struct hb_numbers of_scale = HB_NUMBERS(scale_rows, struct hb_groups),
                               of_passages = HB_NUMBERS(passage_rows, struct touch);

static enum hb_status put_passages(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  const struct hb_passages *e = h->passages;
  if (!e) return HB_OK;
  HB_TRY(hb_numbers_put(&of_scale, 1, &e->scale, sections));
  return hb_numbers_put(&of_passages, e->told.count, e->told.at, sections);
}

static enum hb_status get_passages(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  if (!hb_sections_find(sections, "passages.i")) return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->passages));
  struct hb_passages *e = h->passages;
  HB_TRY(get_touches(&of_passages, sections, &e->told));
  HB_TRY(hb_numbers_get(&of_scale, sections, 1, &e->scale));
  hb_groups_use(&e->scale, &hb_groups_by_size);
  for (size_t p = 0; p < e->told.count; p++) {
    const struct touch *t = e->told.at + p;
    if (!(t->i < t->k && t->k < h->n))
      return hb_fail(HB_ERR_INPUT, "section 'passages.i' has a pair %u %u, expected two of %zu particles",
                     (unsigned)t->i, (unsigned)t->k, h->n);
  }
  return HB_OK;
}

const struct hb_companion hb_companion_passages = {.close = close_passages,
                                                   .after = tell_passages,
                                                   .drop = drop_passages,
                                                   .put = put_passages,
                                                   .get = get_passages};
