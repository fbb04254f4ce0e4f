/* Groups in time: who disturbs them, where their members are, and what nodes feel of these that points do not. */
#include "groups/groups.h"

#include "base/arith.h"
#include "base/clones.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "groups/kepler.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- what disturbs a group ---- */

/* x v a j of a point after a time dt. */
static void shift(double dt, struct hb_chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    double v = p->v[c], a = p->a[c], j = p->j[c];
    p->x[c] += dt * (v + dt / 2 * (a + dt / 3 * j));
    p->v[c] += dt * (a + dt / 2 * j);
    p->a[c] += dt * j;
  }
}

/* p += sign q, but for masses. */
static void add(double sign, const struct hb_chain_point *q, struct hb_chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    p->x[c] += sign * q->x[c], p->v[c] += sign * q->v[c];
    p->a[c] += sign * q->a[c], p->j[c] += sign * q->j[c];
  }
}

static double span(const struct hb_nodes *nodes, uint64_t from, uint64_t to)
{
  return (double)(int64_t)(to - from) * nodes->dt_min;
}

static struct hb_chain_point node_at(const struct hb_groups *groups, const struct hb_nodes *nodes,
                                     uint32_t node, uint64_t tick)
{
  size_t k = 3 * (size_t)node;
  struct hb_chain_point p = {.m = groups->m[node]};
  memcpy(p.x, nodes->x + k, sizeof p.x);
  memcpy(p.v, nodes->v + k, sizeof p.v);
  memcpy(p.a, nodes->a + k, sizeof p.a);
  memcpy(p.j, nodes->j + k, sizeof p.j);
  shift(span(nodes, nodes->tick(nodes->context, node), tick), &p);
  return p;
}

/* The list at its own times, and how long after them the group's is. */
static void gather(const struct hb_groups *groups, const struct hb_group *g, const struct hb_nodes *nodes,
                   struct hb_chain_points *points, double *dt)
{
  for (size_t k = 0; k < g->settled; k++) {
    struct hb_chain_points *to = points + k / HB_CHAIN_LANES;
    size_t l = k % HB_CHAIN_LANES, from = 3 * (size_t)g->list[k];
    to->m[l] = groups->m[g->list[k]];
    for (size_t c = 0; c < 3; c++) {
      to->x[c][l] = nodes->x[from + c], to->v[c][l] = nodes->v[from + c];
      to->a[c][l] = nodes->a[from + c], to->j[c][l] = nodes->j[from + c];
    }
    dt[k] = span(nodes, nodes->tick(nodes->context, g->list[k]), g->tick);
  }
  hb_chain_end_points(points, g->settled);
  for (size_t k = g->settled; k % HB_CHAIN_LANES > 0; k++) dt[k] = 0;
}

/* Points after their times dt[LANES], seen from the center. */
HB_CLONES static void shift_points(struct hb_chain_points *p, const double *dt,
                                   const struct hb_chain_point *center)
{
  for (size_t c = 0; c < 3; c++)
#pragma omp simd
    for (size_t l = 0; l < HB_CHAIN_LANES; l++) {
      double v = p->v[c][l], a = p->a[c][l], j = p->j[c][l], t = dt[l];
      p->x[c][l] = p->x[c][l] + t * (v + t / 2 * (a + t / 3 * j)) - center->x[c];
      p->v[c][l] = v + t * (a + t / 2 * j) - center->v[c];
      p->a[c][l] = a + t * j - center->a[c];
      p->j[c][l] = j - center->j[c];
    }
}

/* The list as points seen from the group's `center`, from its own time on for dt: a node is one, but a group as large as a part of
 * its distance is as many as can be told apart. hb_groups_step lets none of them move far meanwhile; where it knew of none yet, the
 * group is one. times[] is scratch, of as many lanes. How many they are. */
static size_t look_from(const struct hb_chain_point *center, const struct hb_groups *groups,
                        const struct hb_group *g, const struct hb_nodes *nodes, double dt,
                        struct hb_chain_points *points, double *times)
{
  static const double not_far = 0.4;
  size_t count = g->settled;
  gather(groups, g, nodes, points, times);
  for (size_t k = 0; k < count; k += HB_CHAIN_LANES)
    shift_points(points + k / HB_CHAIN_LANES, times + k, center);
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    struct hb_chain_point node, parts[HB_CHAIN_MOST];
    hb_chain_get_point(points, k, &node);
    double least = HB_GROUPS_RESOLVED * sqrt(hb_dot(node.x, node.x)),
           from = span(nodes, other->tick, g->tick);
    double until = fmax(fabs(from), fabs(from + dt));
    if (other->R < least || until > not_far * hb_groups_time_of_links(&other->chain, least)) continue;
    size_t n = hb_chain_parts(&other->chain, least, parts);
    for (size_t p = 0; p < n; p++) {
      shift(from, parts + p);
      add(1, &node, parts + p);
      hb_chain_set_point(points, p == 0 ? k : count++, parts + p);
    }
  }
  hb_chain_end_points(points, count);
  return count;
}

/* As many points at most. */
static size_t most_points(const struct hb_groups *groups, const struct hb_group *g)
{
  size_t sum = 0;
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    sum += other ? other->chain.n : 1;
  }
  return sum;
}

/* Of a pair, from `before` to chain; of more members the chain itself has looked at each step. */
static void notice_touch(const struct hb_groups *groups, const struct hb_chain *before, double dt,
                         struct hb_chain *chain)
{
  const uint32_t *member = chain->member;
  if (!groups->radius || chain->n != 2) return;
  if (hb_chain_touches(chain->m[0] + chain->m[1], groups->radius[member[0]] + groups->radius[member[1]], dt,
                       before->X[0], before->V[0], chain->X[0], chain->V[0]))
    hb_chain_meet(chain, 0, 1), chain->touched[0] = member[0], chain->touched[1] = member[1];
}

/* Of (dt / time in which it changes an orbit)^2: mostly well below 1, since the center feels that field, too. */
static const double most_of_field = 1e12;

/* By dt, in axes at rest. */
static enum hb_status advance_at_rest(const struct hb_groups *groups, double dt,
                                      const struct hb_chain_tide *tide, struct hb_chain *chain,
                                      uint64_t *forces)
{
  enum hb_status status = HB_OK;
  if (tide->turn != 0) hb_chain_turn(chain, -tide->turn);
  const struct hb_chain before = *chain;
  chain->touched[0] = chain->touched[1] = 0;
  memset(chain->met, 0, sizeof chain->met);
  if (tide->field && !(hb_field_tide(tide->field, tide->center.x) * dt * dt <= most_of_field))
    return hb_fail(HB_ERR_NUMERIC, "the field's tide on particles %u and %u is too strong for a step of %g",
                   chain->member[0], chain->member[1], dt);
  status = (hb_kepler_suits(chain, tide) ? hb_kepler_advance : hb_chain_advance)(chain, dt, tide, forces);
  if (status == HB_OK) notice_touch(groups, &before, dt, chain);
  if (tide->turn == 0) return status;
  hb_chain_rotate(chain->n - 1, -tide->turn * dt, chain->X);
  hb_chain_rotate(chain->n - 1, -tide->turn * dt, chain->V);
  hb_chain_turn(chain, tide->turn);
  return status;
}

/* chain, a copy of g's, by dt. */
static enum hb_status advance_chain(const struct hb_groups *groups, const struct hb_group *g,
                                    const struct hb_nodes *nodes, double dt, struct hb_chain *chain,
                                    uint64_t *forces)
{
  enum { FEW = 8 };
  struct hb_chain_points few[FEW], *many = NULL, *points = few;
  double few_times[FEW * HB_CHAIN_LANES], *times = few_times;
  if (dt == 0) return HB_OK;
  size_t most = hb_div_ceil(most_points(groups, g), HB_CHAIN_LANES);
  if (most > FEW) {
    size_t for_times = hb_div_ceil(most * HB_CHAIN_LANES * sizeof *times, sizeof *many);
    HB_TRY(HB_ALLOC(most + for_times, &many));
    points = many, times = (double *)(many + most);
  }
  struct hb_chain_tide tide = {
      .points = points, .radius = groups->radius, .center = node_at(groups, nodes, g->node, g->tick)};
  tide.count = look_from(&tide.center, groups, g, nodes, dt, points, times);
  tide.rules = groups->rules->chain;
  if (hb_groups_has_tides(g)) tide.tensor = g->tides.of_all;
  tide.since = span(nodes, g->tides.tick, g->tick);
  if (hb_groups_feels_field(groups, g, tide.center.x)) tide.field = groups->field;
  tide.is_all = hb_groups_is_all(groups, g);
  tide.light = groups->light;
  tide.turn = groups->field ? hb_field_turn(groups->field) / 2 : 0;
  enum hb_status status = advance_at_rest(groups, dt, &tide, chain, forces);
  hb_mem_free(many);
  return status;
}

static void arrive(struct hb_groups *groups, struct hb_group *g, const struct hb_chain *chain, uint64_t tick)
{
  groups->lost += chain->lost;
  g->chain = *chain;
  g->chain.lost = 0;
  g->tick = tick;
  hb_groups_measure_node(groups, g);
}

/* Advances one group. */
static enum hb_status bring(struct hb_groups *groups, struct hb_group *g, const struct hb_nodes *nodes,
                            uint64_t tick)
{
  struct hb_chain chain = g->chain;
  HB_TRY(advance_chain(groups, g, nodes, span(nodes, g->tick, tick), &chain, &groups->forces));
  arrive(groups, g, &chain, tick);
  return HB_OK;
}

/* ---- the block ---- */

/* Groups that are needed, and what becomes of their chains: no group changes while others look at it. */
struct work {
  const struct hb_groups *groups;
  const struct hb_nodes *nodes;
  uint64_t tick;
  const uint32_t *needed;
  struct hb_chain *chain;
  _Atomic uint64_t forces;
  _Atomic size_t failed; /* 1 + a place in needed */
};

static enum hb_status advance_one(struct work *w, size_t k)
{
  uint64_t forces = 0;
  const struct hb_group *g = w->groups->at + w->needed[k];
  w->chain[k] = g->chain;
  HB_TRY(advance_chain(w->groups, g, w->nodes, span(w->nodes, g->tick, w->tick), w->chain + k, &forces));
  w->forces += forces;
  return HB_OK;
}

static void advance_piece(void *context, size_t k)
{
  struct work *w = context;
  if (advance_one(w, k) != HB_OK) w->failed = k + 1;
}

static int feels(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g,
                 uint32_t i)
{
  hb_groups_need(nodes, g->node);
  hb_groups_need(nodes, i);
  return hb_groups_feel(groups, g, i, hb_distance2(nodes->xp, g->node, i));
}

/* Who is in the group's list, or is its node. */
static void mark(struct hb_groups *groups, const struct hb_group *g, uint8_t as)
{
  groups->listed[g->node] = as;
  for (size_t k = 0; k < g->count; k++) groups->listed[g->list[k]] = as;
}

static enum hb_status enter_all(struct hb_groups *groups, const struct hb_nodes *nodes, size_t ni,
                                const uint32_t *block)
{
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t b = 0;
    while (b < ni && (block[b] == g->node || !feels(groups, nodes, g, block[b]))) b++;
    if (b == ni) continue;
    mark(groups, g, 1);
    for (; b < ni && status == HB_OK; b++)
      if (!groups->listed[block[b]] && feels(groups, nodes, g, block[b]))
        status = hb_groups_list(groups, g, block[b]);
    mark(groups, g, 0);
    HB_TRY(status);
  }
  return HB_OK;
}

/* Into the lists of neighbors; of those whose neighbor it is they will know at their own steps. */
static enum hb_status enter_near(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                                 uint32_t node, struct hb_group *g)
{
  struct hb_group *own = hb_groups_of(groups, node);
  if (!feels(groups, nodes, g, node) || hb_groups_has(groups, g, node)) return HB_OK;
  HB_TRY(hb_groups_list(groups, g, node));
  hb_groups_leave_tides(groups, nodes, g, node, tick);
  if (own) hb_groups_leave_tides(groups, nodes, own, g->node, tick);
  return HB_OK;
}

static enum hb_status enter(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick, size_t ni,
                            const uint32_t *block)
{
  if (groups->rules == &hb_groups_by_size) return enter_all(groups, nodes, ni, block);
  if (!groups->has_hits) HB_TRY(hb_groups_find_hits(groups, nodes, ni, block));
  for (uint32_t b = 0; b < ni && groups->hits > 0; b++) {
    const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
    for (size_t k = 0; k < hits.count; k++)
      if (groups->orbit[hits.list[k]].tide > 0)
        HB_TRY(enter_near(groups, nodes, tick, block[b], hb_groups_of(groups, hits.list[k])));
    if (groups->seen && hits.count > 0) groups->hint[b] |= groups->first[block[b]] != 0;
  }
  return HB_OK;
}

/* A group that is active is advanced, and one in whose list an active node is that disturbs it so much that it has to be. */
static int is_needed(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g)
{
  if (hb_groups_active(groups, g->node) || g->settled < g->count || !(g->waking < INFINITY)) return 1;
  if (groups->field && hb_field_turn(groups->field) != 0) return 1; /* no orbit in coordinates that turn */
  for (size_t k = 0; k < g->count; k++) {
    if (!hb_groups_active(groups, g->list[k])) continue;
    hb_groups_need(nodes, g->node);
    double d2 = hb_distance2(nodes->xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m * g->waking > d2 * d2 * d2) return 1;
  }
  return 0;
}

enum { ALONE = 8 }; /* groups that are advanced before a second thread has woken up */

static enum hb_status advance_needed(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                                     size_t count, const uint32_t *needed, struct hb_chain *chain)
{
  struct work w = {.groups = groups, .nodes = nodes, .tick = tick, .needed = needed, .chain = chain};
  hb_parallel_for(count > ALONE ? hb_parallel_threads() : 1, count, advance_piece, &w);
  groups->forces += w.forces;
  if (w.failed) return advance_one(&w, w.failed - 1); /* its sentence in this thread */
  for (size_t k = 0; k < count; k++) {
    struct hb_group *g = groups->at + needed[k];
    arrive(groups, g, chain + k, tick);
    g->settled = g->count;
  }
  return HB_OK;
}

static enum hb_status advance(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                              size_t count, const uint32_t *needed)
{
  struct hb_chain *chain;
  if (count == 0) return HB_OK;
  HB_TRY(HB_ALLOC(count, &chain));
  enum hb_status status = advance_needed(groups, nodes, tick, count, needed, chain);
  hb_mem_free(chain);
  return status;
}

enum hb_status hb_groups_meet(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                              size_t ni, const uint32_t *block)
{
  uint32_t *needed;
  size_t count = 0;
  if (!groups->has_hits) groups->hits = 0;
  if (groups->count > 0) HB_TRY(enter(groups, nodes, tick, ni, block));
  groups->has_hits = 0;
  hb_groups_activate(groups, tick, ni, block);
  if (groups->touches == 0) return HB_OK;
  HB_TRY(HB_ALLOC(groups->touches, &needed));
  for (size_t k = 0; k < groups->touches; k++)
    if (is_needed(groups, nodes, groups->at + groups->touched[k])) needed[count++] = groups->touched[k];
  enum hb_status status = advance(groups, nodes, tick, count, needed);
  hb_mem_free(needed);
  return status;
}

/* ---- lists ---- */

enum hb_status hb_groups_wake_listers(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                                      uint32_t node)
{
  size_t count = 0;
  groups->touches = 0;
  hb_groups_touch_listers(groups, node);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++)
    if (groups->at[groups->touched[k]].tick < tick) groups->touched[count++] = groups->touched[k];
  return advance(groups, nodes, tick, count, groups->touched);
}

/* Passages and chains keep no tides of others: they list whoever they feel, neighbor or not, wherever all are at hand. */
static int has_all(const struct hb_nodes *nodes) { return !nodes->has_all || nodes->has_all(nodes->context); }

enum hb_status hb_groups_look_around(struct hb_groups *groups, struct hb_group *g,
                                     const struct hb_nodes *nodes, uint64_t tick)
{
  enum hb_status status = HB_OK;
  for (size_t k = g->count; k-- > 0;)
    if (!feels(groups, nodes, g, g->list[k])) hb_groups_unlist(groups, g, g->list[k]);
  mark(groups, g, 1);
  uint32_t own = hb_groups_active(groups, g->node);
  int is_near = groups->rules == &hb_groups_by_size || !own; /* lists may have whoever is near; or all */
  struct hb_groups_around around =
      is_near ? hb_groups_near(groups, nodes, g->node) : hb_groups_hits_of(groups, own - 1);
  if (g->weak == 0 && has_all(nodes)) around = (struct hb_groups_around){.count = groups->n};
  for (size_t k = 0; k < around.count && status == HB_OK; k++) {
    uint32_t i = hb_groups_around_at(&around, k);
    if (i == g->node || groups->of[i] == HB_GROUPS_PARKED) continue;
    hb_groups_need(nodes, i);
    if (!feels(groups, nodes, g, i)) continue;
    struct hb_group *other = hb_groups_of(groups, i);
    if (groups->listed[i] && groups->rules != &hb_groups_by_size) continue;
    if (other) status = bring(groups, other, nodes, tick);
    if (status == HB_OK && !groups->listed[i]) status = hb_groups_list(groups, g, i);
    if (other) other->settled = other->count;
  }
  mark(groups, g, 0);
  g->settled = g->count;
  return status;
}

/* ---- members ---- */

/* By their places r from the center, and by x. */
static double energy_rounded(const struct hb_chain *chain, const double *r, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < chain->n; k++)
    for (size_t l = 0; l < k; l++) {
      double r2 = hb_distance2(r, (uint32_t)k, (uint32_t)l);
      double x2 = hb_distance2(x, chain->member[k], chain->member[l]);
      if (x2 > 0) sum += chain->m[k] * chain->m[l] * (1 / sqrt(x2) - 1 / sqrt(r2));
    }
  return sum;
}

static enum hb_status resolve_one(const struct hb_groups *groups, const struct hb_group *g,
                                  const struct hb_nodes *nodes, double dt, double *x, double *v,
                                  double *e_rounded)
{
  struct hb_chain chain = g->chain;
  double r[3 * HB_CHAIN_MOST], w[3 * HB_CHAIN_MOST], center[2][3];
  HB_TRY(advance_chain(groups, g, nodes, dt, &chain, NULL));
  hb_chain_places(&chain, r, w);
  memcpy(center[0], x + 3 * (size_t)g->node, sizeof *center);
  memcpy(center[1], v + 3 * (size_t)g->node, sizeof *center);
  for (size_t k = 0; k < chain.n; k++)
    for (size_t c = 0; c < 3; c++) {
      x[3 * (size_t)chain.member[k] + c] = center[0][c] + r[3 * k + c];
      v[3 * (size_t)chain.member[k] + c] = center[1][c] + w[3 * k + c];
    }
  *e_rounded += energy_rounded(&chain, r, x);
  return HB_OK;
}

enum hb_status hb_groups_resolve(const struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                                 double dt, double *x, double *v, double *e_rounded)
{
  *e_rounded = 0;
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_group *g = groups->at + k;
    HB_TRY(resolve_one(groups, g, nodes, span(nodes, g->tick, tick) + dt, x, v, e_rounded));
  }
  return HB_OK;
}

/* ---- what members do that points do not ---- */

/* A node as the points it is made of: itself, or its members. */
struct points {
  size_t n;
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST]; /* relative to the node */
};

/* A pair that was not woken is where its orbit has it. */
static void resolve(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t node,
                    struct points *p)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  *p = (struct points){.n = 1, .m = {groups->m[node]}};
  if (!g) return;
  struct hb_chain chain = g->chain;
  double dt = span(nodes, g->tick, groups->tick);
  const struct hb_chain_tide none = {.rules = groups->rules->chain};
  if (dt > 0 && hb_kepler_suits(&chain, NULL)) hb_kepler_advance(&chain, dt, &none, NULL);
  p->n = chain.n;
  for (size_t k = 0; k < p->n; k++) p->m[k] = chain.m[k];
  hb_chain_places(&chain, p->x, p->v);
}

/* Adds sign times the pull and jerk of a mass m, r and v away. */
static inline void pull(double m, const double r[3], const double v[3], double a[3], double j[3])
{
  double r2 = hb_dot(r, r), mr3 = m / (r2 * sqrt(r2)), s = 3 * hb_dot(r, v) / r2;
  for (size_t c = 0; c < 3; c++) {
    a[c] += mr3 * r[c];
    j[c] += mr3 * (v[c] - s * r[c]);
  }
}

/* Up to this strength of the field's tide s a pair is in it as its orbit is in the mean, so that the center's steps need not
 * resolve its revolutions: what they do to its energy is a part s^3/2 / 64 of the pair's, and does not add up. */
static const double most_mean = 1e-4;

static int is_mean(const struct hb_groups *groups, const struct hb_chain *c, const double x[3])
{
  if (c->n != 2 || !(c->B > 0)) return 0;
  double span = hb_chain_span(c);
  return 2 * hb_groups_field_tide(groups, x) * span * span * span < most_mean * hb_chain_mass(c);
}

/* V in axes at rest, in which an orbit is one. */
static struct hb_chain at_rest(const struct hb_groups *groups, const struct hb_chain *c)
{
  struct hb_chain turned = *c;
  if (groups->field) hb_chain_turn(&turned, -hb_field_turn(groups->field) / 2);
  return turned;
}

/* Both members of a pair, at places of their orbit. */
static void resolve_orbit(const struct hb_chain *c, struct points *p)
{
  enum { PLACES = HB_CHAIN_MOST / 2 }; /* good to the second order of places */
  double X[PLACES][3], part[PLACES], M = hb_chain_mass(c);
  hb_kepler_places(c, PLACES, X, part);
  *p = (struct points){.n = HB_CHAIN_MOST};
  for (size_t k = 0; k < PLACES; k++)
    for (size_t s = 0; s < 2; s++) {
      p->m[2 * k + s] = part[k] * c->m[s];
      for (size_t i = 0; i < 3; i++) p->x[6 * k + 3 * s + i] = (s ? c->m[0] : -c->m[1]) / M * X[k][i];
    }
}

/* Adds what a node feels more; Coriolis' force changes with all of it. */
static void add_more(const struct hb_groups *groups, double more_a[3], double more_j[3], double *a, double *j)
{
  static const double still[3];
  if (groups->field) hb_field_deflect(groups->field, still, more_a, more_j);
  for (size_t c = 0; c < 3; c++) a[c] += more_a[c], j[c] += more_j[c];
}

/* Of a group that another node disturbs no more than that, it feels the mean of the orbit. */
static int is_orbit(const struct hb_groups *groups, const struct hb_group *g, uint32_t node, double d2)
{
  double m = groups->m[node];
  return g->weak > 0 && m * m * g->strong <= d2 * d2 * d2;
}

static void resolve_for(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t node,
                        int is_orbit, struct points *p)
{
  *p = (struct points){.n = 1, .m = {groups->m[node]}};
  if (!is_orbit) resolve(groups, nodes, node, p);
}

/* The pull of node k on node i: of all members on all members, less that of points; orbits are quadrupoles. */
static void correct_pair(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k,
                         double *a, double *j)
{
  struct points sink, source;
  const struct hb_group *own = hb_groups_of(groups, i), *other = hb_groups_of(groups, k);
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[i];
  hb_between(nodes->xp, i, k, r);
  hb_between(nodes->vp, i, k, v);
  double d2 = hb_dot(r, r), to_i[3] = {-r[0], -r[1], -r[2]}, by[3] = {-v[0], -v[1], -v[2]};
  int is_own_mean = is_orbit(groups, own, k, d2), is_other_mean = is_orbit(groups, other, i, d2);
  resolve_for(groups, nodes, i, is_own_mean, &sink);
  resolve_for(groups, nodes, k, is_other_mean, &source);
  for (size_t p = 0; p < sink.n && sink.n + source.n > 2; p++)
    for (size_t q = 0; q < source.n; q++) {
      double rpq[3], vpq[3], share = sink.n > 1 ? sink.m[p] / M : 1;
      for (size_t c = 0; c < 3; c++) {
        rpq[c] = r[c] + (source.x[3 * q + c] - sink.x[3 * p + c]);
        vpq[c] = v[c] + (source.v[3 * q + c] - sink.v[3 * p + c]);
      }
      pull(share * source.m[q], rpq, vpq, sum_a, sum_j);
    }
  if (sink.n + source.n > 2) pull(-groups->m[k], r, v, sum_a, sum_j);
  if (is_other_mean) hb_groups_pull_of_orbit(other->Q, 1, to_i, by, sum_a, sum_j);
  if (is_own_mean) hb_groups_pull_of_orbit(own->Q, groups->m[k] / M, to_i, by, sum_a, sum_j);
  add_more(groups, sum_a, sum_j, a, j);
}

/* A group, as its members or, without any, its orbit, and a star: what either does to the other more than points would. The star's place in the block is one
 * less than b, the group's than own; 0: it is not in it. */
static void correct_star(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t center,
                         const struct points *group, uint32_t own, uint32_t star, uint32_t b, double *a,
                         double *j)
{
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center], share = groups->m[star] / M;
  hb_between(nodes->xp, star, center, r);
  hb_between(nodes->vp, star, center, v);
  for (size_t p = 0; p < group->n; p++) {
    double rp[3], vp[3];
    for (size_t c = 0; c < 3; c++) rp[c] = r[c] + group->x[3 * p + c], vp[c] = v[c] + group->v[3 * p + c];
    pull(group->m[p], rp, vp, sum_a, sum_j);
  }
  if (group->n > 0)
    pull(-M, r, v, sum_a, sum_j);
  else
    for (size_t c = 0; c < 3; c++) r[c] = -r[c], v[c] = -v[c];
  if (group->n == 0) hb_groups_pull_of_orbit(hb_groups_of(groups, center)->Q, 1, r, v, sum_a, sum_j);
  double back_a[3], back_j[3];
  for (size_t c = 0; c < 3; c++) back_a[c] = -share * sum_a[c], back_j[c] = -share * sum_j[c];
  if (b) add_more(groups, sum_a, sum_j, a + 3 * (size_t)(b - 1), j + 3 * (size_t)(b - 1));
  if (own) add_more(groups, back_a, back_j, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
  if (b) groups->near[star] = 1;
}

/* All in the list of a group. */
static void correct_list(const struct hb_groups *groups, const struct hb_nodes *nodes,
                         const struct hb_group *g, double *a, double *j)
{
  struct points members = {.n = 0}, orbit = {.n = 0};
  uint32_t own = hb_groups_active(groups, g->node);
  for (size_t k = 0; k < g->count; k++) {
    uint32_t node = g->list[k], b = hb_groups_active(groups, node);
    int is_star = !hb_groups_of(groups, node); /* another group is a center itself: lists are symmetrical */
    if (!own && !(b && is_star)) continue;
    hb_groups_need(nodes, g->node);
    hb_groups_need(nodes, node);
    int feels_mean = hb_groups_is_mean(groups, g, node, hb_distance2(nodes->xp, g->node, node));
    if (feels_mean && orbit.n == 0 && !(g->weak > 0)) {
      const struct hb_chain turned = at_rest(groups, &g->chain);
      resolve_orbit(&turned, &orbit);
    }
    if (!feels_mean && members.n == 0) resolve(groups, nodes, g->node, &members);
    if (is_star)
      correct_star(groups, nodes, g->node, feels_mean ? &orbit : &members, own, node, b, a, j);
    else
      correct_pair(groups, nodes, g->node, node, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    if (own) groups->near[g->node] = 1;
  }
}

/* Of a group: the mean of the field at its members, less the field at its center. */
static void correct_field(const struct hb_groups *groups, const struct hb_nodes *nodes,
                          const struct hb_group *g, double *a, double *j)
{
  struct points sink;
  const struct hb_chain turned = at_rest(groups, &g->chain);
  uint32_t center = g->node;
  const double *x = nodes->xp + 3 * (size_t)center, *v = nodes->vp + 3 * (size_t)center;
  double from_a[3] = {0}, from_j[3] = {0}, sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center];
  if (is_mean(groups, &turned, x))
    resolve_orbit(&turned, &sink);
  else
    resolve(groups, nodes, center, &sink);
  hb_field_pull(groups->field, x, v, from_a, from_j);
  for (size_t p = 0; p < sink.n; p++) {
    double at[3], by[3], of_a[3] = {0}, of_j[3] = {0};
    for (size_t c = 0; c < 3; c++) at[c] = x[c] + sink.x[3 * p + c], by[c] = v[c] + sink.v[3 * p + c];
    hb_field_pull(groups->field, at, by, of_a, of_j);
    for (size_t c = 0; c < 3; c++) {
      sum_a[c] += sink.m[p] / M * (of_a[c] - from_a[c]);
      sum_j[c] += sink.m[p] / M * (of_j[c] - from_j[c]);
    }
  }
  add_more(groups, sum_a, sum_j, a, j);
  groups->near[center] = 1;
}

void hb_groups_correct(const struct hb_groups *groups, const struct hb_nodes *nodes, size_t ni,
                       const uint32_t *block, double *a, double *j)
{
  for (size_t k = 0; k < groups->touches; k++) {
    size_t g = groups->touched[k];
    uint32_t center = groups->at[g].node, own = hb_groups_active(groups, center);
    if (own && hb_groups_feels_field(groups, groups->at + g, nodes->xp + 3 * (size_t)center))
      correct_field(groups, nodes, groups->at + g, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    correct_list(groups, nodes, groups->at + g, a, j);
  }
  hb_groups_add_quadrupoles(groups, nodes, ni, block, a, j);
}
