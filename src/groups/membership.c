/* Membership: which nodes join to a group, which groups break, and what joining, breaking and merging do to nodes, groups and lists.
 * Sizes and tides are from criteria.c. */
#include "groups/groups_internal.h"

#include "chain/outer_orbit.h"

#include "base/mem.h"

#include <string.h>

/* ---- which nodes join ---- */

/* Nodes join when they approach and are close, or nearer than a few of their sizes, and break when they recede and are farther than that.
 * Sizes count up to a few times the close distance: otherwise groups of wide orbits would gather ever more members. */
static double near_enough(double close, double sizes) { return fmin(fmax(close, 3 * sizes), 2 * close); }
static double far_enough(double close, double sizes) { return fmin(fmax(2 * close, 4.5 * sizes), 3 * close); }

/* Relative position and velocity of two nodes. */
struct meeting {
  double r[3], v[3];
};

static struct meeting meeting_at(const double *x, const double *v, uint32_t i, uint32_t k)
{
  struct meeting m = {0};
  hb_between(x, i, k, m.r);
  hb_between(v, i, k, m.v);
  return m;
}

static struct meeting meeting_of(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  hb_groups_need(groups, i);
  hb_groups_need(groups, k);
  return meeting_at(groups->nodes.xp, groups->nodes.vp, i, k);
}

static double size_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->R : 0;
}

static size_t members_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->chain.n : 1;
}

/* True if one of the nodes near `node` has a tide above `most` on a pair with this center. */
static int is_crowded_by(const struct hb_groups *groups, uint32_t node, const uint32_t pair[2],
                         const double center[3], double most)
{
  const struct hb_groups_around around = hb_groups_near(groups, node);
  for (size_t p = 0; p < around.count; p++) {
    uint32_t l = hb_groups_around_at(&around, p);
    double d[3], d2;
    hb_groups_need(groups, l);
    for (size_t c = 0; c < 3; c++) d[c] = groups->nodes.xp[3 * (size_t)l + c] - center[c];
    d2 = hb_dot(d, d);
    if (groups->m[l] * groups->m[l] > most * most * d2 * d2 * d2 && l != pair[0] && l != pair[1]) return 1;
  }
  return 0;
}

/* True if a third node or the field disturbs the pair i k too much for it to become a wide group. The neighbors of both are asked, since
 * one of two nodes that have just split has no list yet. */
static int is_crowded(const struct hb_groups *groups, uint32_t i, uint32_t k, double span)
{
  double M = groups->m[i] + groups->m[k], share = groups->m[k] / M, center[3];
  double most = groups->rules->forms_below * M / (2 * span * span * span);
  const uint32_t pair[] = {i, k};
  const struct meeting at = meeting_of(groups, i, k);
  for (size_t c = 0; c < 3; c++) center[c] = groups->nodes.xp[3 * (size_t)i + c] + share * at.r[c];
  if (hb_groups_field_tide(groups, center) > most) return 1;
  if (is_crowded_by(groups, i, pair, center, most)) return 1;
  return groups->nodes.list && is_crowded_by(groups, k, pair, center, most);
}

static int passes(const struct hb_groups *groups, double m1, double m2, double r2)
{
  double passing = hb_groups_passing(groups, m1, m2);
  return r2 < passing * passing;
}

/* Returns the largest radius of the members of a node. */
static double widest(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double radius = groups->radius[node];
  for (size_t k = 0; g && k < g->chain.n; k++) radius = fmax(radius, groups->radius[g->chain.member[k]]);
  return radius;
}

/* Returns the distance from which on a node may touch a member of a group, if radii are so large that it is farther than close; else 0.
 * Then they join, since collisions with members are found within a group only. Two stars need no group for that. */
static double touching(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!groups->radius || members_of(groups, i) + members_of(groups, k) == 2) return 0;
  double radii = widest(groups, i) + widest(groups, k);
  double close = hb_groups_close(groups, groups->m[i], groups->m[k]);
  return radii > close ? radii + size_of(groups, i) + size_of(groups, k) : 0;
}

/* True if more test particles are within the reach of a node than a chain has room for. They are a disk, and take steps of their own. */
static int has_disk(const struct hb_groups *groups, uint32_t node)
{
  double reach = hb_groups_bound(groups, groups->m[node], 0);
  size_t most = HB_CHAIN_MOST - members_of(groups, node), around = 0;
  for (uint32_t l = 0; l < groups->n && around <= most; l++) { /* particles without mass are in no list */
    if (!(groups->m[l] == 0 && groups->of[l] == HB_GROUPS_STAR)) continue;
    hb_groups_need(groups, l);
    around += hb_distance2(groups->nodes.xp, l, node) < reach * reach;
  }
  return around > most;
}

/* True if two nodes, of which one or both are hard groups, would be a hierarchy: on an orbit whose pericenter is far outside both. */
static int would_be_hierarchy(const struct hb_groups *groups, uint32_t i, uint32_t k,
                              const struct meeting *at)
{
  const struct hb_group *g[] = {hb_groups_of(groups, i), hb_groups_of(groups, k)};
  const double m[] = {groups->m[i], groups->m[k]};
  if (groups->rules->weak == 0 || groups->field || groups->light > 0 || !(m[0] > 0 && m[1] > 0)) return 0;
  double q = hb_outer_orbit_pericenter(m[0] + m[1], at->r, at->v);
  for (int s = 0; s < 2; s++) {
    if (!g[s]) continue;
    double ratio = g[s]->span / q;
    if (g[s]->chain.w > 0 || !(2 * m[!s] * ratio * ratio * ratio < HB_OUTER_ORBIT_FORMS_BELOW * m[s]))
      return 0;
  }
  return 1;
}

/* True if two nodes of these sizes are so close that they should be one group. If a span is not 0, they should only if no third node
 * disturbs a pair of that width: spans[0] is 2 a of a bound pair, spans[1] the distance in a passage. */
static int meet_alone(const struct hb_groups *groups, const double *x, uint32_t i, uint32_t k,
                      const struct meeting *at, double sizes, double spans[2])
{
  double mi = groups->m[i], mk = groups->m[k], r2 = hb_dot(at->r, at->r), touch = touching(groups, i, k);
  spans[0] = spans[1] = 0;
  if (!(mi > 0 || mk > 0) || (hb_groups_are_far(groups, mi, mk, r2) && !(r2 < touch * touch))) return 0;
  double close = hb_groups_close(groups, mi, mk), reach = fmax(near_enough(close, sizes), touch);
  size_t members = members_of(groups, i) + members_of(groups, k);
  int may_be_hard = members == 2 || (members <= HB_CHAIN_MOST && would_be_hierarchy(groups, i, k, at));
  double bound = may_be_hard ? hb_groups_bound(groups, mi, mk) : close;
  if (members > HB_CHAIN_MOST || !(r2 < fmax(reach * reach, bound * bound))) return 0;
  if (hb_groups_are_torn(groups, x + 3 * (size_t)i, mi + mk, r2, HB_GROUPS_TORN_BELOW)) return 0;
  double span = 2 / (2 / sqrt(r2) - hb_dot(at->v, at->v) / (mi + mk));
  int is_approaching = hb_dot(at->r, at->v)<0, is_bound = span> 0 && span < bound;
  if (r2 < reach * reach && (is_approaching || (is_bound && span < close))) return 1;
  if (!may_be_hard) return 0;
  if (is_bound) spans[0] = span;
  if (members == 2 && is_approaching && passes(groups, mi, mk, r2)) spans[1] = sqrt(r2);
  return spans[0] > 0 || spans[1] > 0;
}

/* True if a third node with mass is within half the distance of i and k from their center: between two bodies that are mirrored at it, for
 * example. A group of the two would be a point where that node is. */
static int holds_third(const struct hb_groups *groups, uint32_t i, uint32_t k, const struct meeting *at)
{
  const struct hb_groups_around around = hb_groups_near(groups, i);
  double share = groups->m[k] / (groups->m[i] + groups->m[k]), center[3], r2 = hb_dot(at->r, at->r);
  for (size_t c = 0; c < 3; c++) center[c] = groups->nodes.xp[3 * (size_t)i + c] + share * at->r[c];
  for (size_t p = 0; p < around.count; p++) {
    uint32_t l = hb_groups_around_at(&around, p);
    double d[3];
    if (l == i || l == k || !(groups->m[l] > 0)) continue;
    hb_groups_need(groups, l);
    for (size_t c = 0; c < 3; c++) d[c] = groups->nodes.xp[3 * (size_t)l + c] - center[c];
    if (hb_dot(d, d) < r2 / 4) return 1;
  }
  return 0;
}

int hb_groups_meet_closely(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (hb_groups_is_left_out(groups, i) || hb_groups_is_left_out(groups, k)) return 0;
  const struct meeting at = meeting_of(groups, i, k);
  double mi = groups->m[i], mk = groups->m[k], spans[2];
  if (!meet_alone(groups, groups->nodes.xp, i, k, &at, size_of(groups, i) + size_of(groups, k), spans))
    return 0;
  if (holds_third(groups, i, k, &at)) return 0;
  if ((mi == 0 || mk == 0) && has_disk(groups, mi == 0 ? k : i)) return 0;
  if (spans[0] == 0 && spans[1] == 0) return 1;
  for (int s = 0; s < 2; s++)
    if (spans[s] > 0 && !is_crowded(groups, i, k, spans[s])) return 1;
  return 0;
}

int hb_groups_may_meet(const struct hb_groups *groups, const double *x, const double *v, uint32_t i,
                       uint32_t k)
{
  const struct meeting at = meeting_at(x, v, i, k);
  double spans[2];
  return meet_alone(groups, x, i, k, &at, INFINITY, spans);
}

int hb_groups_should_join(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  return hb_groups_few_join(groups, i, k) || hb_groups_meet_closely(groups, i, k);
}

/* ---- bookkeeping ---- */

/* Makes a chain the group of a node. */
static enum hb_status add_group(struct hb_groups *groups, const struct hb_chain *chain, uint32_t node,
                                uint64_t tick)
{
  HB_TRY(HB_GROW(groups->count, &groups->capacity, &groups->at));
  struct hb_group *g = groups->at + groups->count;
  *g = (struct hb_group){.chain = *chain, .node = node, .tick = tick, .tides.is_old = 1};
  groups->of[node] = (uint32_t)groups->count++;
  groups->formed++;
  hb_groups_measure_node(groups, g);
  return HB_OK;
}

/* The last group of the array is moved to the free element. */
void hb_groups_remove(struct hb_groups *groups, uint32_t node)
{
  struct hb_group *g = hb_groups_of(groups, node), *last;
  if (!g) return;
  hb_groups_clear_list(groups, g);
  last = groups->at + groups->count - 1;
  groups->of[last->node] = groups->of[node];
  groups->of[node] = HB_GROUPS_STAR;
  groups->reach[node] = 0;
  groups->orbit[node] = (struct hb_groups_orbit){.tide = 0};
  hb_mem_free(g->list);
  *g = *last;
  *last = (struct hb_group){0};
  groups->count--;
  groups->dissolved++;
}

/* Replaces old nodes by new ones in the lists of all groups that had them; these groups are at the time of the block. */
static enum hb_status replace(struct hb_groups *groups, const uint32_t old[2], size_t count,
                              const struct hb_groups_node *made)
{
  groups->touches = 0;
  for (size_t o = 0; o < 2; o++) hb_groups_touch_listers(groups, old[o]);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++) {
    struct hb_group *g = groups->at + groups->touched[k];
    for (size_t o = 0; o < 2; o++) hb_groups_unlist(groups, g, old[o]);
    for (size_t c = 0; c < count; c++)
      if (made[c].node != g->node && !hb_groups_has(groups, g, made[c].node))
        HB_TRY(hb_groups_list(groups, g, made[c].node));
    g->settled = g->count;
  }
  return HB_OK;
}

/* ---- joining ---- */

/* Appends the members of a node, relative to the node plus an offset. */
static void gather_members(const struct hb_groups *groups, uint32_t node, const struct meeting *offset,
                           struct hb_chain *all, double *x, double *v)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double *to_x = x + 3 * all->n, *to_v = v + 3 * all->n;
  struct hb_chain alone = {.n = 1, .member = {node}, .m = {groups->m[node]}};
  const struct hb_chain *c = g ? &g->chain : &alone;
  hb_chain_places(c, to_x, to_v);
  for (size_t k = 0; k < c->n; k++) {
    all->member[all->n] = c->member[k];
    all->m[all->n++] = c->m[k];
    for (size_t d = 0; d < 3 && offset; d++) to_x[3 * k + d] += offset->r[d], to_v[3 * k + d] += offset->v[d];
  }
}

enum hb_status hb_groups_join(struct hb_groups *groups, uint64_t tick, uint32_t i, uint32_t k,
                              struct hb_groups_node *made)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], mi = groups->m[i], mk = groups->m[k];
  const struct meeting at = meeting_of(groups, i, k);
  struct hb_chain all = {0}, chain;
  gather_members(groups, i, NULL, &all, x, v);
  gather_members(groups, k, &at, &all, x, v);
  hb_chain_make(all.n, all.member, all.m, x, v, &chain);
  made->node = mk == 0 || (mi > 0 && i < k) ? i : k;
  for (size_t c = 0; c < 3; c++) {
    made->x[c] = groups->nodes.xp[3 * (size_t)i + c] + mk / (mi + mk) * at.r[c];
    made->v[c] = groups->nodes.vp[3 * (size_t)i + c] + mk / (mi + mk) * at.v[c];
  }
  uint32_t parked = made->node == i ? k : i;
  const uint32_t old[2] = {i, k};
  for (size_t o = 0; o < 2; o++) { /* first out of the lists of others, as groups */
    struct hb_group *g = hb_groups_of(groups, old[o]);
    if (g) hb_groups_clear_list(groups, g);
  }
  hb_groups_remove(groups, i);
  hb_groups_remove(groups, k);
  HB_TRY(add_group(groups, &chain, made->node, tick));
  groups->of[parked] = HB_GROUPS_PARKED;
  groups->m[parked] = 0;
  groups->m[made->node] = mi + mk;
  return replace(groups, old, 1, made);
}

/* ---- breaking ---- */

/* Divides a chain at a link into two, and finds their nodes, and positions and velocities of their centers. */
static void divide(const struct hb_chain *c, size_t link, struct hb_chain side[2],
                   struct hb_groups_node center[2])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  hb_chain_places(c, x, v);
  hb_chain_extract(c, 0, link + 1, side);
  hb_chain_extract(c, link + 1, c->n - link - 1, side + 1);
  for (size_t s = 0, k = 0; s < 2; s++) {
    double M = hb_chain_mass(side + s);
    center[s] = (struct hb_groups_node){.node = UINT32_MAX};
    for (size_t member = 0; member < side[s].n; member++, k++) {
      double share = M > 0 ? c->m[k] / M : 1;
      if (share > 0 && c->member[k] < center[s].node) center[s].node = c->member[k];
      for (size_t d = 0; d < 3; d++) {
        center[s].x[d] += share * x[3 * k + d];
        center[s].v[d] += share * v[3 * k + d];
      }
    }
  }
}

/* Returns the longest link. Test particles that would break away together are no group: of these only the last one does. */
static size_t longest_link(const struct hb_chain *c)
{
  size_t longest = 0, first = 0, last = c->n - 1;
  for (size_t k = 1; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > hb_dot(c->X[longest], c->X[longest])) longest = k;
  while (c->m[first] == 0) first++;
  while (c->m[last] == 0) last--;
  return longest < first ? 0 : longest >= last ? c->n - 2 : longest;
}

/* True if other nodes or the field disturb a pair of width R too much. */
static int is_disturbed(const struct hb_groups *groups, const struct hb_group *g, double R)
{
  double most = groups->rules->breaks_above * hb_chain_mass(&g->chain) / (2 * R * R * R);
  if (hb_groups_field_tide(groups, groups->nodes.xp + 3 * (size_t)g->node) > most) return 1;
  for (size_t k = 0; k < g->count; k++) {
    hb_groups_need(groups, g->list[k]);
    double d2 = hb_distance2(groups->nodes.xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m > most * most * d2 * d2 * d2) return 1;
  }
  return 0;
}

/* True if a pair should break. Close pairs stay together, and wide ones that are alone, for as long as they are bound or pass each other.
 * So does a bound pair with an orbit that is too wide for that, near its pericenter. */
static int pair_splits(const struct hb_groups *groups, const struct hb_group *g)
{
  struct hb_outer_orbit o;
  const struct hb_chain *c = &g->chain;
  if (c->n > 2) c = hb_outer_orbit_find(c, &o) ? &o.outer : NULL;
  if (!c) return 0;
  double r2 = hb_dot(c->X[0], c->X[0]), close = hb_groups_close(groups, c->m[0], c->m[1]);
  double passing = hb_groups_passing(groups, c->m[0], c->m[1]), span = hb_chain_span(c);
  if (r2 < 4 * close * close || span < close) return 0;
  if (r2 < 4 * passing * passing) return is_disturbed(groups, g, sqrt(r2));
  if (!g->is_hard && hb_dot(c->X[0], c->V[0]) > 0) return 1;
  return is_disturbed(groups, g, g->R);
}

int hb_groups_should_split(const struct hb_groups *groups, const struct hb_group *g, size_t *link)
{
  struct hb_group side[2] = {{.node = 0}};
  struct hb_chain chain[2];
  struct hb_groups_node center[2];
  double r[3], v[3], sizes = 0;
  *link = longest_link(&g->chain);
  if (hb_groups_are_torn(groups, groups->nodes.xp + 3 * (size_t)g->node, hb_chain_mass(&g->chain),
                         hb_dot(g->chain.X[*link], g->chain.X[*link]), HB_GROUPS_TORN_ABOVE))
    return 1;
  if (g->chain.n == 2 || g->is_hard) return !hb_groups_are_few(groups) && pair_splits(groups, g);
  divide(&g->chain, *link, chain, center);
  for (size_t s = 0; s < 2; s++) {
    side[s].chain = chain[s];
    if (chain[s].n > 1) hb_groups_measure(groups, side + s);
    sizes += side[s].R;
  }
  for (size_t c = 0; c < 3; c++)
    r[c] = center[1].x[c] - center[0].x[c], v[c] = center[1].v[c] - center[0].v[c];
  if (hb_groups_few_stay(groups, side, sqrt(hb_dot(r, r)))) return 0;
  double close = hb_groups_close(groups, hb_chain_mass(chain), hb_chain_mass(chain + 1));
  double far = far_enough(close, sizes);
  return hb_dot(r, v) > 0 && hb_dot(r, r) > far * far;
}

enum hb_status hb_groups_split(struct hb_groups *groups, uint64_t tick, uint32_t node, size_t link,
                               struct hb_groups_node made[2])
{
  struct hb_group *g = hb_groups_of(groups, node);
  const uint32_t old[2] = {node, node};
  struct hb_chain side[2];
  divide(&g->chain, link, side, made);
  hb_groups_clear_list(groups, g);
  hb_groups_remove(groups, node);
  for (size_t s = 0; s < 2; s++) {
    uint32_t slot = made[s].node;
    for (size_t c = 0; c < 3; c++) {
      made[s].x[c] += groups->nodes.xp[3 * (size_t)node + c];
      made[s].v[c] += groups->nodes.vp[3 * (size_t)node + c];
    }
    groups->m[slot] = hb_chain_mass(side + s);
    groups->of[slot] = HB_GROUPS_STAR;
    if (side[s].n > 1) HB_TRY(add_group(groups, side + s, slot, tick));
  }
  return replace(groups, old, 2, made);
}

/* ---- members that become one, and particles that vanish ---- */

static size_t index_of(const struct hb_chain *c, uint32_t member)
{
  size_t k = 0;
  while (c->member[k] != member) k++;
  return k;
}

void hb_groups_merge(struct hb_groups *groups, struct hb_group *g, const uint32_t pair[2], uint32_t *kept,
                     uint32_t *swallowed, double *energy)
{
  const struct hb_chain old = g->chain;
  const double first = old.m[index_of(&old, pair[0])], second = old.m[index_of(&old, pair[1])];
  int is_ordered = second == 0 || (first > 0 && pair[0] < pair[1]);
  *kept = pair[!is_ordered], *swallowed = pair[is_ordered];
  size_t k = index_of(&old, *kept), s = index_of(&old, *swallowed), last = old.n - 1;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], m[HB_CHAIN_MOST], M = old.m[k] + old.m[s];
  uint32_t member[HB_CHAIN_MOST];
  hb_chain_places(&old, x, v);
  memcpy(m, old.m, sizeof m);
  memcpy(member, old.member, sizeof member);
  for (size_t c = 0; c < 3; c++) {
    x[3 * k + c] = (old.m[k] * x[3 * k + c] + old.m[s] * x[3 * s + c]) / M;
    v[3 * k + c] = (old.m[k] * v[3 * k + c] + old.m[s] * v[3 * s + c]) / M;
  }
  m[k] = M;
  for (; s < last; s++) { /* the order of the others stays */
    m[s] = m[s + 1], member[s] = member[s + 1];
    memcpy(x + 3 * s, x + 3 * s + 3, 3 * sizeof *x);
    memcpy(v + 3 * s, v + 3 * s + 3, 3 * sizeof *v);
  }
  hb_chain_make(last, member, m, x, v, &g->chain);
  *energy = first > 0 && second > 0 ? hb_chain_energy(&old) - hb_chain_energy(&g->chain) : 0;
  if (last > 1)
    hb_groups_measure_node(groups, g);
  else
    hb_groups_remove(groups, g->node);
}
