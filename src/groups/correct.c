/* Corrections: sources of forces take groups for points. This file replaces the accelerations of points by those of the members, for
 * the nodes in the lists of groups and for groups in a field. */
#include "groups/groups_internal.h"

#include "base/parallel.h"
#include "chain/inner_binaries.h"
#include "chain/kepler.h"
#include "chain/kepler_orbit.h"
#include "chain/outer_orbit.h"
#include "chain/quadrupole.h"
#include "chain/turning.h"

#include <string.h>

/* The points that a node is made of: itself, or its members. */
struct points {
  size_t n;
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST]; /* relative to the node */
  int has_binaries; /* some points are binaries. Their mean quadrupoles and octupoles, 0 for other points; not set if there are none: */
  double Q[HB_CHAIN_MOST][6], T[HB_CHAIN_MOST][HB_OCTUPOLE_PARTS];
};

/* A bound pair of neighbors in a chain: members `first` and first + 1, 2 a, period, and the reduced mass times (2 a)^2. */
struct pair {
  size_t first;
  double span, period, moment;
};

/* A group as others see it. A node sees a pair as a point with mean multipoles if it is much smaller than the distance, and goes around
 * so often while the node passes that steps of the node would not resolve it, or that the mean leaves nothing out; see is_seen_as_point. */
struct view {
  size_t n; /* members; 0: not made yet */
  struct hb_chain chain;
  size_t pairs;
  struct pair pair[HB_CHAIN_MOST / 2];
  size_t latest;    /* of these two, which were made last: */
  uint64_t mask[2]; /* pairs that are points, */
  int is_made[2];
  struct points points[2]; /* and the points of the group then */
};

static void take_members(const struct hb_chain *c, struct points *p)
{
  p->n = c->n, p->has_binaries = 0;
  memcpy(p->m, c->m, c->n * sizeof *c->m);
  hb_chain_places(c, p->x, p->v);
}

/* Sets p to the members of a chain, with members k and k + 1 as one point where is_first[k] is 1. */
static void take_nodes(const struct hb_chain *c, const uint8_t is_first[HB_CHAIN_MOST], struct points *p)
{
  struct hb_inner_binaries nodes;
  hb_inner_binaries_make(c, is_first, &nodes);
  take_members(&nodes.chain, p);
  p->has_binaries = 1;
  memset(p->Q, 0, p->n * sizeof *p->Q);
  memset(p->T, 0, p->n * sizeof *p->T);
  for (size_t k = 0; k < p->n; k++) {
    if (nodes.node[k].n != 2) continue;
    hb_quadrupole_of_orbit(&nodes.node[k].members, p->Q[k]);
    hb_octupole_of_orbit(&nodes.node[k].members, p->T[k]);
  }
}

/* Begins the view of a chain with its pairs, the closest ones. */
static void begin_view(const struct hb_chain *c, struct view *view)
{
  static const double two_pi = 6.28318530717958647693;
  uint8_t is_first[HB_CHAIN_MOST] = {0};
  view->n = c->n;
  hb_chain_copy(c, &view->chain);
  view->pairs = view->latest = 0;
  view->is_made[0] = view->is_made[1] = 0;
  hb_chain_mark_pairs(c, is_first);
  for (size_t k = 0; k + 1 < c->n; k++) {
    struct hb_chain pair;
    if (!is_first[k]) continue;
    hb_chain_extract(c, k, 2, &pair);
    double span = hb_chain_span(&pair), M = hb_chain_mass(&pair);
    view->pair[view->pairs++] = (struct pair){.first = k,
                                              .span = span,
                                              .period = two_pi * sqrt(span * span * span / (8 * M)),
                                              .moment = pair.m[0] * pair.m[1] / M * span * span};
  }
}

/* True if a node of mass m sees a pair as a point with mean multipoles. Its distance, squared, is gap2, and in 1 / rate it comes or goes. What
 * a mean leaves out is the work of the multipoles while they are above or below it, during a part of a revolution. It matters if it is
 * more than a part of the energy of the system, but only as long as steps of the node resolve a revolution. */
static int is_seen_as_point(const struct hb_groups *groups, const struct pair *p, double gap2, double rate,
                            double m)
{
  static const double small = 0.1, fast = 0.15, not_resolved = 0.02, of_the_system = 1e-9;
  double phase = p->period * rate, work = m * p->moment / (gap2 * sqrt(gap2)) * phase / 4;
  if (!(p->span * p->span < small * small * gap2 && phase < fast)) return 0;
  return phase < not_resolved || work < of_the_system * hb_groups_energy(groups);
}

/* Returns the members of a group, with binaries that the others hardly disturb as single points. */
static const struct points *nodes_of(const struct hb_groups *groups, struct view *view)
{
  uint8_t is_first[HB_CHAIN_MOST];
  const struct hb_chain_tide tide = {.radius = groups->radius};
  if (hb_inner_binaries_find(&view->chain, &tide, 0, is_first) > 0)
    take_nodes(&view->chain, is_first, view->points);
  else
    take_members(&view->chain, view->points);
  return view->points;
}

/* Returns the points that a node of mass m sees whose distance, squared, is gap2, and moves with v relative to these; M is the mass of
 * both. Of groups by size all nodes see the same. */
static const struct points *seen_from(const struct hb_groups *groups, struct view *view, double gap2,
                                      const double v[3], double m, double M)
{
  double rate = sqrt(fmax(hb_dot(v, v), M / sqrt(gap2)) / gap2);
  uint8_t is_first[HB_CHAIN_MOST] = {0};
  uint64_t mask = 0;
  if (groups->rules->weak == 0) {
    if (!view->is_made[0]) nodes_of(groups, view);
    view->is_made[0] = 1;
    return view->points;
  }
  for (size_t k = 0; k < view->pairs; k++) {
    if (!is_seen_as_point(groups, view->pair + k, gap2, rate, m)) continue;
    mask |= UINT64_C(1) << k;
    is_first[view->pair[k].first] = 1;
  }
  for (size_t s = 0; s < 2; s++)
    if (view->is_made[s] && view->mask[s] == mask) return view->points + s;
  size_t s = view->latest = !view->latest;
  if (mask)
    take_nodes(&view->chain, is_first, view->points + s);
  else
    take_members(&view->chain, view->points + s);
  view->is_made[s] = 1, view->mask[s] = mask;
  return view->points + s;
}

static void take_node(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  p->n = 1, p->has_binaries = 0;
  p->m[0] = groups->m[node];
  for (size_t c = 0; c < 3; c++) p->x[c] = p->v[c] = 0;
}

/* Begins the view of a group at the time of the block. A pair that the block has not advanced is moved along its orbit. */
static void resolve(const struct hb_groups *groups, uint32_t node, struct view *view)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  const struct hb_chain_tide none = {.rules = groups->rules->chain};
  double dt = hb_groups_since(groups, g->tick, groups->tick);
  struct hb_chain chain;
  hb_chain_copy(&g->chain, &chain);
  if (dt > 0 && hb_kepler_suits(&chain, NULL))
    hb_kepler_advance(&chain, dt, &none, NULL);
  else if (dt > 0 && g->is_hard)
    hb_outer_orbit_drift(&chain, dt);
  begin_view(&chain, view);
}

/* Up to this strength s of the field's tide a pair is replaced by the mean of its orbit, so that the steps of its center need not resolve
 * its revolutions. The energy that this neglects is a part s^3/2 / 64 of the pair's, and does not add up. */
static const double most_mean = 1e-4;

/* True if the field acts on a pair by the mean of its orbit. */
static int is_mean(const struct hb_groups *groups, const struct hb_chain *c, const double x[3])
{
  if (c->n != 2 || !(c->B > 0)) return 0;
  double span = hb_chain_span(c);
  return 2 * hb_groups_field_tide(groups, x) * span * span * span < most_mean * hb_chain_mass(c);
}

/* Copies a chain, with velocities in axes at rest, in which the path of a pair is an ellipse. */
static void copy_at_rest(const struct hb_groups *groups, const struct hb_chain *c, struct hb_chain *turned)
{
  hb_chain_copy(c, turned);
  if (groups->field) hb_turning_transform(turned, -hb_field_turn(groups->field) / 2);
}

/* Sets p to both members of a pair at several positions of their orbit, each with a part of the mass. */
static void resolve_orbit(const struct hb_chain *c, struct points *p)
{
  enum { PLACES = 4 }; /* exact for products of two components */
  double X[PLACES][3], part[PLACES], M = hb_chain_mass(c);
  hb_kepler_orbit_places(c, PLACES, X, part);
  p->n = 2 * PLACES, p->has_binaries = 0;
  memset(p->v, 0, 3 * p->n * sizeof *p->v); /* at rest */
  for (size_t k = 0; k < PLACES; k++)
    for (size_t s = 0; s < 2; s++) {
      p->m[2 * k + s] = part[k] * c->m[s];
      for (size_t i = 0; i < 3; i++) p->x[6 * k + 3 * s + i] = (s ? c->m[0] : -c->m[1]) / M * X[k][i];
    }
}

/* Adds to a correction of the jerk what Coriolis' force makes of that of the acceleration. */
static void deflect(const struct hb_groups *groups, double more_a[3], double more_j[3])
{
  static const double still[3];
  if (groups->field) hb_field_deflect(groups->field, still, more_a, more_j);
}

/* Adds a correction to acceleration and jerk of a node. */
static void add_more(const struct hb_groups *groups, double more_a[3], double more_j[3], double *a, double *j)
{
  deflect(groups, more_a, more_j);
  for (size_t c = 0; c < 3; c++) a[c] += more_a[c], j[c] += more_j[c];
}

/* True if a node at this distance feels the quadrupole of the group in place of its members. */
static int is_orbit(const struct hb_groups *groups, const struct hb_group *g, uint32_t node, double d2)
{
  double m = groups->m[node];
  return g->weak > 0 && m * fmax(m, g->floor) * g->strong <= d2 * d2 * d2;
}

/* Adds `times` the acceleration and jerk by the multipoles of a point that is at r and moves with v relative to the sink. */
static void add_multipoles_at(const struct points *p, size_t k, double times, const double r[3],
                              const double v[3], double a[3], double j[3])
{
  const double back[3] = {-r[0], -r[1], -r[2]}, back_v[3] = {-v[0], -v[1], -v[2]};
  hb_quadrupole_add_pull(p->Q[k], times, back, back_v, a, j);
  hb_octupole_add_pull(p->T[k], times, back, back_v, a, j);
}

/* Adds `times` the acceleration and jerk by the mean of the orbits of a group, of a body at r, moving with v, both relative to the group,
 * less those by a point. */
static void add_mean_pull(const struct hb_group *g, double times, const double r[3], const double v[3],
                          double a[3], double j[3])
{
  hb_quadrupole_add_pull(g->Q, times, r, v, a, j);
  hb_octupole_add_pull(g->T, times, r, v, a, j);
}

/* Adds to sum_a and sum_j the acceleration and jerk of a group of mass M, given by its points, by those of another one at r that moves with v. */
static void add_points_by_points(const struct points *sink, double M, const struct points *source,
                                 const double r[3], const double v[3], double sum_a[3], double sum_j[3])
{
  for (size_t p = 0; p < sink->n; p++)
    for (size_t q = 0; q < source->n; q++) {
      double rpq[3], vpq[3], share = sink->n > 1 ? sink->m[p] / M : 1;
      for (size_t c = 0; c < 3; c++) {
        rpq[c] = r[c] + (source->x[3 * q + c] - sink->x[3 * p + c]);
        vpq[c] = v[c] + (source->v[3 * q + c] - sink->v[3 * p + c]);
      }
      hb_chain_add_pull(share * source->m[q], hb_dot(rpq, rpq), rpq, vpq, sum_a, sum_j);
      if (source->has_binaries) add_multipoles_at(source, q, share, rpq, vpq, sum_a, sum_j);
      if (!sink->has_binaries) continue;
      hb_quadrupole_add_pull(sink->Q[p], -source->m[q] / M, rpq, vpq, sum_a, sum_j);
      hb_octupole_add_pull(sink->T[p], -source->m[q] / M, rpq, vpq, sum_a, sum_j);
    }
}

/* Adds to a group, node i, the acceleration by another group, node k, of all members by all members, less that of points. Where only the
 * mean of an orbit counts, it is a quadrupole and an octupole. */
static void correct_pair(const struct hb_groups *groups, uint32_t i, uint32_t k, struct view *members,
                         double *a, double *j)
{
  struct points one_i, one_k;
  struct view its;
  const struct points *sink = &one_i, *source = &one_k;
  const struct hb_group *own = hb_groups_of(groups, i), *other = hb_groups_of(groups, k);
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[i], both = M + groups->m[k];
  hb_between(groups->nodes.xp, i, k, r);
  hb_between(groups->nodes.vp, i, k, v);
  double d2 = hb_dot(r, r), to_i[3] = {-r[0], -r[1], -r[2]}, by[3] = {-v[0], -v[1], -v[2]};
  double to_own = hb_groups_gap2_to(groups, own, k), to_other = hb_groups_gap2_to(groups, other, i),
         gap2 = fmin(to_own, to_other);
  int is_own_mean = is_orbit(groups, own, k, to_other), is_other_mean = is_orbit(groups, other, i, to_own);
  if (is_own_mean)
    take_node(groups, i, &one_i);
  else if (members->n == 0)
    resolve(groups, i, members);
  if (!is_own_mean) sink = seen_from(groups, members, gap2, v, groups->m[k], both);
  if (is_other_mean)
    take_node(groups, k, &one_k);
  else
    resolve(groups, k, &its), source = seen_from(groups, &its, gap2, v, M, both);
  if (!(is_own_mean && is_other_mean)) {
    add_points_by_points(sink, M, source, r, v, sum_a, sum_j);
    hb_chain_add_pull(-groups->m[k], d2, r, v, sum_a, sum_j);
  }
  if (is_other_mean) add_mean_pull(other, 1, to_i, by, sum_a, sum_j);
  if (is_own_mean) add_mean_pull(own, -groups->m[k] / M, r, v, sum_a, sum_j);
  add_more(groups, sum_a, sum_j, a, j);
}

/* Finds what a group, given by its members, and a star in its list do to each other more than points would. Without members the group is its
 * quadrupole. Stores the star's part in *star_pull and adds the group's to a and j; either is NULL where the node is not active. */
static void correct_star(const struct hb_groups *groups, uint32_t center, const struct points *group,
                         uint32_t star, struct hb_groups_pull *star_pull, double *a, double *j)
{
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center], share = groups->m[star] / M;
  hb_between(groups->nodes.xp, star, center, r);
  hb_between(groups->nodes.vp, star, center, v);
  for (size_t p = 0; p < group->n; p++) {
    double rp[3], vp[3];
    for (size_t c = 0; c < 3; c++) rp[c] = r[c] + group->x[3 * p + c], vp[c] = v[c] + group->v[3 * p + c];
    hb_chain_add_pull(group->m[p], hb_dot(rp, rp), rp, vp, sum_a, sum_j);
    if (group->has_binaries) add_multipoles_at(group, p, 1, rp, vp, sum_a, sum_j);
  }
  if (group->n > 0)
    hb_chain_add_pull(-M, hb_dot(r, r), r, v, sum_a, sum_j);
  else
    for (size_t c = 0; c < 3; c++) r[c] = -r[c], v[c] = -v[c];
  if (group->n == 0) add_mean_pull(hb_groups_of(groups, center), 1, r, v, sum_a, sum_j);
  double back_a[3], back_j[3];
  for (size_t c = 0; c < 3; c++) back_a[c] = -share * sum_a[c], back_j[c] = -share * sum_j[c];
  if (star_pull) {
    deflect(groups, sum_a, sum_j);
    memcpy(star_pull->a, sum_a, sizeof sum_a);
    memcpy(star_pull->j, sum_j, sizeof sum_j);
  }
  if (a) add_more(groups, back_a, back_j, a, j);
}

/* The points that stand for a group: a view of its members, or its orbit. They are made when a node needs them. */
struct group_points {
  struct view members;
  struct points orbit;
};

static void forget_points(struct group_points *p) { p->members.n = p->orbit.n = p->orbit.has_binaries = 0; }

/* Returns the points that a star in the list of a group feels; none for a quadrupole. */
static const struct points *points_for(const struct hb_groups *groups, const struct hb_group *g,
                                       uint32_t star, struct group_points *p)
{
  double from[3], v[3];
  hb_between(groups->nodes.xp, g->node, star, from);
  if (!hb_groups_is_mean(groups, g, star, hb_dot(from, from))) {
    if (p->members.n == 0) resolve(groups, g->node, &p->members);
    hb_between(groups->nodes.vp, g->node, star, v);
    return seen_from(groups, &p->members, hb_groups_gap2(g, from), v, groups->m[star],
                     groups->m[g->node] + groups->m[star]);
  }
  if (p->orbit.n == 0 && !(g->weak > 0)) {
    struct hb_chain turned;
    copy_at_rest(groups, &g->chain, &turned);
    resolve_orbit(&turned, &p->orbit);
  }
  return &p->orbit;
}

/* Returns the pull of a group on the b-th node of the block, which is in its list. */
static struct hb_groups_pull *pull_on(const struct hb_groups *groups, uint32_t group, uint32_t b)
{
  uint32_t k = b > 0 ? groups->pull_end[b - 1] : 0;
  while (groups->pull[k].group != group) k++;
  return groups->pull + k;
}

/* Adds to an active group what the nodes in its list do to it more than points would, and finds its pulls on active stars. Other groups in
 * the list correct themselves, since lists are symmetrical. */
static void correct_active(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct group_points p;
  forget_points(&p);
  hb_groups_need(groups, g->node);
  for (size_t k = 0; k < g->count; k++) {
    uint32_t node = g->list[k], b = hb_groups_active(groups, node);
    hb_groups_need(groups, node);
    if (hb_groups_of(groups, node))
      correct_pair(groups, g->node, node, &p.members, a, j);
    else
      correct_star(groups, g->node, points_for(groups, g, node, &p), node,
                   b ? pull_on(groups, groups->of[g->node], b - 1) : NULL, a, j);
  }
  if (g->count > 0) groups->near[g->node] = 1;
}

/* Finds the pulls of a group that is not active on active stars. */
static void correct_others(const struct hb_groups *groups, const struct hb_group *g, uint32_t first)
{
  struct group_points p;
  forget_points(&p);
  hb_groups_need(groups, g->node);
  for (uint32_t at = first; at; at = groups->pull[at - 1].next) {
    struct hb_groups_pull *pull = groups->pull + at - 1;
    uint32_t node = groups->block[pull->b];
    if (hb_groups_of(groups, node)) continue;
    hb_groups_need(groups, node);
    correct_star(groups, g->node, points_for(groups, g, node, &p), node, pull, NULL, NULL);
  }
}

/* Adds to a group the mean of the field at its members, less the field at its center. */
static void correct_field(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct view members;
  struct points orbit;
  const struct points *sink = &orbit;
  struct hb_chain turned;
  uint32_t center = g->node;
  const double *x = groups->nodes.xp + 3 * (size_t)center, *v = groups->nodes.vp + 3 * (size_t)center;
  double from_a[3] = {0}, from_j[3] = {0}, sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center];
  copy_at_rest(groups, &g->chain, &turned);
  if (is_mean(groups, &turned, x))
    resolve_orbit(&turned, &orbit);
  else
    resolve(groups, center, &members), sink = nodes_of(groups, &members);
  hb_field_pull(groups->field, x, v, from_a, from_j);
  for (size_t p = 0; p < sink->n; p++) {
    double at[3], by[3], of_a[3] = {0}, of_j[3] = {0};
    for (size_t c = 0; c < 3; c++) at[c] = x[c] + sink->x[3 * p + c], by[c] = v[c] + sink->v[3 * p + c];
    hb_field_pull(groups->field, at, by, of_a, of_j);
    for (size_t c = 0; c < 3; c++) {
      sum_a[c] += sink->m[p] / M * (of_a[c] - from_a[c]);
      sum_j[c] += sink->m[p] / M * (of_j[c] - from_j[c]);
    }
  }
  add_more(groups, sum_a, sum_j, a, j);
  groups->near[center] = 1;
}

struct correction {
  const struct hb_groups *groups;
  const uint32_t *block;
  double *a, *j;
};

/* Groups or nodes of a piece, and those that the calling thread corrects alone: in 10 microseconds, as below in this folder. */
enum { CORRECTED_PIECE = 16, CORRECTED_ALONE = 32, ADDED_PIECE = 16, ADDED_ALONE = 12 };

/* Corrects touched groups, and finds their pulls on stars. */
static void correct_piece(void *context, size_t k, size_t end)
{
  const struct correction *c = context;
  const struct hb_groups *groups = c->groups;
  for (; k < end; k++) {
    const struct hb_group *g = groups->at + groups->touched[k];
    size_t own = hb_groups_active(groups, g->node);
    if (!own) {
      correct_others(groups, g, groups->touch[groups->touched[k]].first_pull);
      continue;
    }
    double *a = c->a + 3 * (own - 1), *j = c->j + 3 * (own - 1);
    if (hb_groups_feels_field(groups, g, groups->nodes.xp + 3 * (size_t)g->node))
      correct_field(groups, g, a, j);
    correct_active(groups, g, a, j);
  }
}

/* Sorts pulls on a star by group. A star is in few lists, unless it is heavy. */
static void sort_pulls(struct hb_groups_pull *pull, size_t count)
{
  for (size_t gap = count > 16 ? count / 2 : 1; gap > 0; gap /= 2)
    for (size_t k = gap; k < count; k++) {
      const struct hb_groups_pull p = pull[k];
      size_t to = k;
      for (; to >= gap && pull[to - gap].group > p.group; to -= gap) pull[to] = pull[to - gap];
      pull[to] = p;
    }
}

/* Adds to stars of the block the pulls on them, in the order of groups, and to all nodes the quadrupoles of pairs. */
static void add_piece(void *context, size_t from, size_t end)
{
  const struct correction *c = context;
  const struct hb_groups *groups = c->groups;
  for (size_t b = from; b < end; b++) {
    size_t begin = b > 0 ? groups->pull_end[b - 1] : 0, count = groups->pull_end[b] - begin;
    if (count == 0 || groups->of[c->block[b]] != HB_GROUPS_STAR) continue;
    struct hb_groups_pull *pull = groups->pull + begin;
    sort_pulls(pull, count);
    for (size_t p = 0; p < count; p++)
      for (size_t d = 0; d < 3; d++) c->a[3 * b + d] += pull[p].a[d], c->j[3 * b + d] += pull[p].j[d];
    groups->near[c->block[b]] = 1;
  }
  hb_groups_add_quadrupoles(groups, from, end, c->block, c->a, c->j);
}

void hb_groups_correct(const struct hb_groups *groups, size_t ni, const uint32_t *block, double *a, double *j)
{
  struct correction c = {groups, block, a, j};
  hb_parallel_shares(groups->touches, CORRECTED_PIECE, hb_groups_alone(groups, CORRECTED_ALONE),
                     correct_piece, &c);
  if (groups->touches > 0 || groups->hits > 0)
    hb_parallel_shares(ni, ADDED_PIECE, hb_groups_alone(groups, ADDED_ALONE), add_piece, &c);
}
