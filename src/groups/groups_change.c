/* Nodes that become one, and groups that become two. */
#include "groups/chain_pulls.h"
#include "groups/groups.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Nodes join when they are approaching and close, or nearer than some of their sizes, and break when they are receding and
 * farther than that. Sizes count up to some times what is close: else groups of wide orbits would gather ever more members. */
static double near_enough(double close, double sizes) { return fmin(fmax(close, 3 * sizes), 2 * close); }
static double far_enough(double close, double sizes) { return fmin(fmax(2 * close, 4.5 * sizes), 3 * close); }

/* The relative orbit of two nodes. */
struct meeting {
  double r[3], v[3];
};

static struct meeting meeting_of(const struct hb_nodes *nodes, uint32_t i, uint32_t k)
{
  struct meeting m;
  for (size_t c = 0; c < 3; c++) {
    m.r[c] = nodes->xp[3 * (size_t)k + c] - nodes->xp[3 * (size_t)i + c];
    m.v[c] = nodes->vp[3 * (size_t)k + c] - nodes->vp[3 * (size_t)i + c];
  }
  return m;
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

/* Tides, relative to what holds a pair together, in which a wide one forms and breaks. */
static const double forms_below = 3e-3, breaks_above = 1e-2;

/* Whether a third node or the field disturbs the pair i k too much for it to become a group that is wide. */
static int is_crowded(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k,
                      double span)
{
  double M = groups->m[i] + groups->m[k], share = groups->m[k] / M, center[3];
  double most = forms_below * M / (2 * span * span * span);
  const struct meeting at = meeting_of(nodes, i, k);
  for (size_t c = 0; c < 3; c++) center[c] = nodes->xp[3 * (size_t)i + c] + share * at.r[c];
  if (hb_groups_field_tide(groups, center) > most) return 1;
  for (size_t l = 0; l < groups->n; l++) {
    double d[3], d2;
    for (size_t c = 0; c < 3; c++) d[c] = nodes->xp[3 * l + c] - center[c];
    d2 = hb_chain_dot(d, d);
    if (groups->m[l] * groups->m[l] > most * most * d2 * d2 * d2 && l != i && l != k) return 1;
  }
  return 0;
}

static int passes(const struct hb_groups *groups, double m1, double m2, double r2)
{
  double passing = hb_groups_passing(groups, m1, m2);
  return r2 < passing * passing;
}

static double widest(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double radius = groups->radius[node];
  for (size_t k = 0; g && k < g->chain.n; k++) radius = fmax(radius, groups->radius[g->chain.member[k]]);
  return radius;
}

/* From how far on a node may touch a member of a group, if one of the two is so large that this is farther than close: collisions
 * with members are found within the group. Two stars find each other. */
static double touching(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!groups->radius || members_of(groups, i) + members_of(groups, k) == 2) return 0;
  double radii = widest(groups, i) + widest(groups, k);
  double close = hb_groups_close(groups, groups->m[i], groups->m[k]);
  return radii > close ? radii + size_of(groups, i) + size_of(groups, k) : 0;
}

/* Whether the field pulls two nodes, r2 = r^2 apart, with this part of what they do to each other: a pair breaks at 2 / 3. Where
 * it does, nothing that is close is a system of its own. */
static const double torn_below = 0.1, torn_above = 0.5;

static int is_torn(const struct hb_groups *groups, const double x[3], double M, double r2, double part)
{
  return 2 * hb_groups_field_tide(groups, x) * r2 * sqrt(r2) > part * M;
}

/* Whether around a node there are more test particles than a chain has room for, as far away as one of them may belong to its group: a
 * disk, whose particles are no group. They take steps of their own. */
static int has_disk(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t node)
{
  double reach = hb_groups_bound(groups, groups->m[node], 0);
  size_t most = HB_CHAIN_MOST - members_of(groups, node), around = 0;
  for (uint32_t l = 0; l < groups->n && around <= most; l++)
    around += groups->m[l] == 0 && groups->of[l] == HB_GROUPS_STAR &&
              hb_groups_distance2(nodes->xp, l, node) < reach * reach;
  return around > most;
}

int hb_groups_meet_closely(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i,
                           uint32_t k)
{
  double mi = groups->m[i], mk = groups->m[k];
  const struct meeting at = meeting_of(nodes, i, k);
  double r2 = hb_chain_dot(at.r, at.r), touch = touching(groups, i, k);
  if (!(mi > 0 || mk > 0) || (hb_groups_are_far(groups, mi, mk, r2) && !(r2 < touch * touch))) return 0;
  double close = hb_groups_close(groups, mi, mk);
  double reach = fmax(near_enough(close, size_of(groups, i) + size_of(groups, k)), touch);
  size_t members = members_of(groups, i) + members_of(groups, k);
  double bound = members == 2 ? hb_groups_bound(groups, mi, mk) : close;
  if (members > HB_CHAIN_MOST || !(r2 < fmax(reach * reach, bound * bound))) return 0;
  if (is_torn(groups, nodes->xp + 3 * (size_t)i, mi + mk, r2, torn_below)) return 0;
  if ((mi == 0 || mk == 0) && has_disk(groups, nodes, mi == 0 ? k : i)) return 0;
  double span = 2 / (2 / sqrt(r2) - hb_chain_dot(at.v, at.v) / (mi + mk));
  int is_approaching = hb_chain_dot(at.r, at.v)<0, is_bound = span> 0 && span < bound;
  if (r2 < reach * reach && (is_approaching || (is_bound && span < close))) return 1;
  if (members > 2) return 0;
  if (is_bound && !is_crowded(groups, nodes, i, k, span)) return 1;
  return is_approaching && passes(groups, mi, mk, r2) && !is_crowded(groups, nodes, i, k, sqrt(r2));
}

int hb_groups_should_join(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i,
                          uint32_t k)
{
  return hb_groups_few_join(groups, nodes, i, k) || hb_groups_meet_closely(groups, nodes, i, k);
}

/* ---- bookkeeping ---- */

static enum hb_status add_group(struct hb_groups *groups, const struct hb_chain *chain, uint32_t node,
                                uint64_t tick)
{
  HB_TRY(HB_GROW(groups->count, &groups->capacity, &groups->at));
  struct hb_group *g = groups->at + groups->count;
  *g = (struct hb_group){.chain = *chain, .node = node, .tick = tick};
  groups->of[node] = (uint32_t)groups->count++;
  groups->formed++;
  hb_groups_measure(groups, g);
  return HB_OK;
}

/* The last one takes its place. */
void hb_groups_remove(struct hb_groups *groups, uint32_t node)
{
  struct hb_group *g = hb_groups_of(groups, node), *last;
  if (!g) return;
  last = groups->at + groups->count - 1;
  groups->of[last->node] = groups->of[node];
  groups->of[node] = HB_GROUPS_STAR;
  hb_mem_free(g->list);
  *g = *last;
  *last = (struct hb_group){0};
  groups->count--;
  groups->dissolved++;
}

static int has(const struct hb_group *g, uint32_t node)
{
  for (size_t k = 0; k < g->count; k++)
    if (g->list[k] == node) return 1;
  return 0;
}

/* Groups that had one of the old nodes in their lists have the new ones; all of them are at the time of the block. */
static enum hb_status replace(struct hb_groups *groups, const uint32_t old[2], size_t count,
                              const struct hb_groups_node *made)
{
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    if (!has(g, old[0]) && !has(g, old[1])) continue;
    for (size_t o = 0; o < 2; o++) hb_groups_unlist(groups, g, old[o]);
    for (size_t c = 0; c < count; c++)
      if (made[c].node != g->node && !has(g, made[c].node)) HB_TRY(hb_groups_list(groups, g, made[c].node));
    g->settled = g->count;
  }
  return HB_OK;
}

/* ---- joining ---- */

/* Members of a node, relative to its own place plus an offset. */
static void gather(const struct hb_groups *groups, uint32_t node, const struct meeting *offset,
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

enum hb_status hb_groups_join(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                              uint32_t i, uint32_t k, struct hb_groups_node *made)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], mi = groups->m[i], mk = groups->m[k];
  const struct meeting at = meeting_of(nodes, i, k);
  struct hb_chain all = {0}, chain;
  gather(groups, i, NULL, &all, x, v);
  gather(groups, k, &at, &all, x, v);
  hb_chain_make(all.n, all.member, all.m, x, v, &chain);
  made->node = mk == 0 || (mi > 0 && i < k) ? i : k;
  for (size_t c = 0; c < 3; c++) {
    made->x[c] = nodes->xp[3 * (size_t)i + c] + mk / (mi + mk) * at.r[c];
    made->v[c] = nodes->vp[3 * (size_t)i + c] + mk / (mi + mk) * at.v[c];
  }
  uint32_t parked = made->node == i ? k : i;
  const uint32_t old[2] = {i, k};
  for (size_t o = 0; o < 2; o++) { /* the others' lists first forget that these were groups */
    struct hb_group *g = hb_groups_of(groups, old[o]);
    if (g) g->count = g->settled = 0;
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

/* The parts on both sides of a link, and how far apart and fast their centers are. */
static void part(const struct hb_chain *c, size_t link, struct hb_chain side[2],
                 struct hb_groups_node center[2])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  hb_chain_places(c, x, v);
  hb_chain_part(c, 0, link + 1, side);
  hb_chain_part(c, link + 1, c->n - link - 1, side + 1);
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

/* Of test particles that would break away together, only the last one does: they are no group. */
static size_t longest_link(const struct hb_chain *c)
{
  size_t longest = 0, first = 0, last = c->n - 1;
  for (size_t k = 1; k + 1 < c->n; k++)
    if (hb_chain_dot(c->X[k], c->X[k]) > hb_chain_dot(c->X[longest], c->X[longest])) longest = k;
  while (c->m[first] == 0) first++;
  while (c->m[last] == 0) last--;
  return longest < first ? 0 : longest >= last ? c->n - 2 : longest;
}

/* Whether others disturb a pair too much for one that is as wide as R. */
static int is_disturbed(const struct hb_groups *groups, const struct hb_nodes *nodes,
                        const struct hb_group *g, double R)
{
  double most = breaks_above * hb_chain_mass(&g->chain) / (2 * R * R * R);
  if (hb_groups_field_tide(groups, nodes->xp + 3 * (size_t)g->node) > most) return 1;
  for (size_t k = 0; k < g->count; k++) {
    double d[3], d2, m = groups->m[g->list[k]];
    for (size_t i = 0; i < 3; i++)
      d[i] = nodes->xp[3 * (size_t)g->list[k] + i] - nodes->xp[3 * (size_t)g->node + i];
    d2 = hb_chain_dot(d, d);
    if (m * m > most * most * d2 * d2 * d2) return 1;
  }
  return 0;
}

/* Pairs of stars: those that are close, and wide ones that are alone, for as long as they are bound or pass each other; for the time
 * of its pericenter also a bound pair whose orbit is too wide for that. */
static int pair_splits(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  double r2 = hb_chain_dot(c->X[0], c->X[0]), close = hb_groups_close(groups, c->m[0], c->m[1]);
  double passing = hb_groups_passing(groups, c->m[0], c->m[1]), span = hb_chain_span(c);
  if (r2 < 4 * close * close || span < close) return 0;
  if (r2 < 4 * passing * passing) return is_disturbed(groups, nodes, g, sqrt(r2));
  if (!hb_groups_is_hard(groups, c) && hb_chain_dot(c->X[0], c->V[0]) > 0) return 1;
  return is_disturbed(groups, nodes, g, g->R);
}

int hb_groups_should_split(const struct hb_groups *groups, const struct hb_nodes *nodes,
                           const struct hb_group *g, size_t *link)
{
  struct hb_group side[2] = {{.node = 0}};
  struct hb_chain chain[2];
  struct hb_groups_node center[2];
  double r[3], v[3], sizes = 0;
  *link = longest_link(&g->chain);
  if (is_torn(groups, nodes->xp + 3 * (size_t)g->node, hb_chain_mass(&g->chain),
              hb_chain_dot(g->chain.X[*link], g->chain.X[*link]), torn_above))
    return 1;
  if (g->chain.n == 2) return !hb_groups_are_few(groups) && pair_splits(groups, nodes, g);
  part(&g->chain, *link, chain, center);
  for (size_t s = 0; s < 2; s++) {
    side[s].chain = chain[s];
    if (chain[s].n > 1) hb_groups_measure(groups, side + s);
    sizes += side[s].R;
  }
  for (size_t c = 0; c < 3; c++)
    r[c] = center[1].x[c] - center[0].x[c], v[c] = center[1].v[c] - center[0].v[c];
  if (hb_groups_few_stay(groups, side, sqrt(hb_chain_dot(r, r)))) return 0;
  double close = hb_groups_close(groups, hb_chain_mass(chain), hb_chain_mass(chain + 1));
  double far = far_enough(close, sizes);
  return hb_chain_dot(r, v) > 0 && hb_chain_dot(r, r) > far * far;
}

enum hb_status hb_groups_split(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                               uint32_t node, size_t link, struct hb_groups_node made[2])
{
  struct hb_group *g = hb_groups_of(groups, node);
  const uint32_t old[2] = {node, node};
  struct hb_chain side[2];
  part(&g->chain, link, side, made);
  g->count = g->settled = 0;
  hb_groups_remove(groups, node);
  for (size_t s = 0; s < 2; s++) {
    uint32_t slot = made[s].node;
    for (size_t c = 0; c < 3; c++) {
      made[s].x[c] += nodes->xp[3 * (size_t)node + c];
      made[s].v[c] += nodes->vp[3 * (size_t)node + c];
    }
    groups->m[slot] = hb_chain_mass(side + s);
    groups->of[slot] = HB_GROUPS_STAR;
    if (side[s].n > 1) HB_TRY(add_group(groups, side + s, slot, tick));
  }
  return replace(groups, old, 2, made);
}
