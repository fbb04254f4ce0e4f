/* Corrections: sources of forces take groups for points. This file replaces the accelerations of points by those of the members, for
 * the nodes in the lists of groups and for groups in a field. */
#include "groups/groups_internal.h"

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
};

static void take_members(const struct hb_chain *c, struct points *p)
{
  p->n = c->n;
  memcpy(p->m, c->m, c->n * sizeof *c->m);
  hb_chain_places(c, p->x, p->v);
}

/* Sets p to the nodes of a chain: its members, but binaries that the others hardly disturb as their centers, so that what feels them does
 * not feel each of their revolutions. */
static void take_nodes(const struct hb_groups *groups, const struct hb_chain *c, struct points *p)
{
  struct hb_inner_binaries nodes;
  uint8_t is_first[HB_CHAIN_MOST];
  const struct hb_chain_tide tide = {.radius = groups->radius};
  if (hb_inner_binaries_find(c, &tide, is_first) == 0) {
    take_members(c, p);
    return;
  }
  hb_inner_binaries_make(c, is_first, &nodes);
  take_members(&nodes.chain, p);
}

static void take_node(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  p->n = 1;
  p->m[0] = groups->m[node];
  for (size_t c = 0; c < 3; c++) p->x[c] = p->v[c] = 0;
}

/* Sets p to the members of a node at the time of the block. A pair that the block has not advanced is moved along its orbit. */
static void resolve(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  const struct hb_chain_tide none = {.rules = groups->rules->chain};
  if (!g) {
    take_node(groups, node, p);
    return;
  }
  double dt = hb_groups_since(groups, g->tick, groups->tick);
  struct hb_chain chain;
  hb_chain_copy(&g->chain, &chain);
  if (dt > 0 && hb_kepler_suits(&chain, NULL))
    hb_kepler_advance(&chain, dt, &none, NULL);
  else if (dt > 0 && g->is_hard)
    hb_outer_orbit_drift(&chain, dt);
  take_nodes(groups, &chain, p);
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
  p->n = 2 * PLACES;
  memset(p->v, 0, 3 * p->n * sizeof *p->v); /* at rest */
  for (size_t k = 0; k < PLACES; k++)
    for (size_t s = 0; s < 2; s++) {
      p->m[2 * k + s] = part[k] * c->m[s];
      for (size_t i = 0; i < 3; i++) p->x[6 * k + 3 * s + i] = (s ? c->m[0] : -c->m[1]) / M * X[k][i];
    }
}

/* Adds a correction to acceleration and jerk of a node; Coriolis' force changes the jerk with it. */
static void add_more(const struct hb_groups *groups, double more_a[3], double more_j[3], double *a, double *j)
{
  static const double still[3];
  if (groups->field) hb_field_deflect(groups->field, still, more_a, more_j);
  for (size_t c = 0; c < 3; c++) a[c] += more_a[c], j[c] += more_j[c];
}

/* True if a node at this distance feels the quadrupole of the group in place of its members. */
static int is_orbit(const struct hb_groups *groups, const struct hb_group *g, uint32_t node, double d2)
{
  double m = groups->m[node];
  return g->weak > 0 && m * fmax(m, g->floor) * g->strong <= d2 * d2 * d2;
}

/* Adds to a group, node i, the acceleration by another group, node k, of all members by all members, less that of points. Where only the
 * mean of an orbit counts, it is a quadrupole. */
static void correct_pair(const struct hb_groups *groups, uint32_t i, uint32_t k, struct points *members,
                         double *a, double *j)
{
  struct points one, source;
  const struct hb_group *own = hb_groups_of(groups, i), *other = hb_groups_of(groups, k);
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[i];
  hb_between(groups->nodes.xp, i, k, r);
  hb_between(groups->nodes.vp, i, k, v);
  double d2 = hb_dot(r, r), to_i[3] = {-r[0], -r[1], -r[2]}, by[3] = {-v[0], -v[1], -v[2]};
  int is_own_mean = is_orbit(groups, own, k, d2), is_other_mean = is_orbit(groups, other, i, d2);
  if (is_own_mean)
    take_node(groups, i, &one);
  else if (members->n == 0)
    resolve(groups, i, members);
  const struct points *sink = is_own_mean ? &one : members;
  if (is_other_mean)
    take_node(groups, k, &source);
  else
    resolve(groups, k, &source);
  for (size_t p = 0; p < sink->n && sink->n + source.n > 2; p++)
    for (size_t q = 0; q < source.n; q++) {
      double rpq[3], vpq[3], share = sink->n > 1 ? sink->m[p] / M : 1;
      for (size_t c = 0; c < 3; c++) {
        rpq[c] = r[c] + (source.x[3 * q + c] - sink->x[3 * p + c]);
        vpq[c] = v[c] + (source.v[3 * q + c] - sink->v[3 * p + c]);
      }
      hb_chain_add_pull(share * source.m[q], hb_dot(rpq, rpq), rpq, vpq, sum_a, sum_j);
    }
  if (sink->n + source.n > 2) hb_chain_add_pull(-groups->m[k], d2, r, v, sum_a, sum_j);
  if (is_other_mean) hb_quadrupole_add_pull(other->Q, 1, to_i, by, sum_a, sum_j);
  if (is_own_mean) hb_quadrupole_add_pull(own->Q, groups->m[k] / M, to_i, by, sum_a, sum_j);
  add_more(groups, sum_a, sum_j, a, j);
}

/* Adds to a group and a star in its list what either does to the other more than points would. The group is given by its members; without
 * any, it is its quadrupole. b and own are 1 + the index in the block of the star and of the group; 0: it is not active. */
static void correct_star(const struct hb_groups *groups, uint32_t center, const struct points *group,
                         uint32_t own, uint32_t star, uint32_t b, double *a, double *j)
{
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center], share = groups->m[star] / M;
  hb_between(groups->nodes.xp, star, center, r);
  hb_between(groups->nodes.vp, star, center, v);
  for (size_t p = 0; p < group->n; p++) {
    double rp[3], vp[3];
    for (size_t c = 0; c < 3; c++) rp[c] = r[c] + group->x[3 * p + c], vp[c] = v[c] + group->v[3 * p + c];
    hb_chain_add_pull(group->m[p], hb_dot(rp, rp), rp, vp, sum_a, sum_j);
  }
  if (group->n > 0)
    hb_chain_add_pull(-M, hb_dot(r, r), r, v, sum_a, sum_j);
  else
    for (size_t c = 0; c < 3; c++) r[c] = -r[c], v[c] = -v[c];
  if (group->n == 0) hb_quadrupole_add_pull(hb_groups_of(groups, center)->Q, 1, r, v, sum_a, sum_j);
  double back_a[3], back_j[3];
  for (size_t c = 0; c < 3; c++) back_a[c] = -share * sum_a[c], back_j[c] = -share * sum_j[c];
  if (b) add_more(groups, sum_a, sum_j, a + 3 * (size_t)(b - 1), j + 3 * (size_t)(b - 1));
  if (own) add_more(groups, back_a, back_j, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
  if (b) groups->near[star] = 1;
}

/* Corrects a group, and the stars in its list. */
static void correct_list(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct points members, orbit;
  uint32_t own = hb_groups_active(groups, g->node);
  members.n = orbit.n = 0;
  for (size_t k = 0; k < g->count; k++) {
    uint32_t node = g->list[k], b = hb_groups_active(groups, node);
    int is_star =
        !hb_groups_of(groups, node); /* another group corrects itself, since lists are symmetrical */
    if (!own && !(b && is_star)) continue;
    hb_groups_need(groups, g->node);
    hb_groups_need(groups, node);
    int feels_mean = hb_groups_is_mean(groups, g, node, hb_distance2(groups->nodes.xp, g->node, node));
    if (feels_mean && orbit.n == 0 && !(g->weak > 0)) {
      struct hb_chain turned;
      copy_at_rest(groups, &g->chain, &turned);
      resolve_orbit(&turned, &orbit);
    }
    if (!feels_mean && members.n == 0) resolve(groups, g->node, &members);
    if (is_star)
      correct_star(groups, g->node, feels_mean ? &orbit : &members, own, node, b, a, j);
    else
      correct_pair(groups, g->node, node, &members, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    if (own) groups->near[g->node] = 1;
  }
}

/* Adds to a group the mean of the field at its members, less the field at its center. */
static void correct_field(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct points sink;
  struct hb_chain turned;
  uint32_t center = g->node;
  const double *x = groups->nodes.xp + 3 * (size_t)center, *v = groups->nodes.vp + 3 * (size_t)center;
  double from_a[3] = {0}, from_j[3] = {0}, sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center];
  copy_at_rest(groups, &g->chain, &turned);
  if (is_mean(groups, &turned, x))
    resolve_orbit(&turned, &sink);
  else
    resolve(groups, center, &sink);
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

void hb_groups_correct(const struct hb_groups *groups, size_t ni, const uint32_t *block, double *a, double *j)
{
  for (size_t k = 0; k < groups->touches; k++) {
    size_t g = groups->touched[k];
    uint32_t center = groups->at[g].node, own = hb_groups_active(groups, center);
    if (own && hb_groups_feels_field(groups, groups->at + g, groups->nodes.xp + 3 * (size_t)center))
      correct_field(groups, groups->at + g, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    correct_list(groups, groups->at + g, a, j);
  }
  hb_groups_add_quadrupoles(groups, ni, block, a, j);
}
