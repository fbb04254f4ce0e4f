/* Few bodies alone: a few bodies with nothing around them but a field that does not tear them apart are one chain, however wide it is, since
 * nothing else is as exact. This file decides which systems are such, and who of them joins and leaves.
 *
 * Pairs that are far smaller than their distance from the others are nodes of the chain (inner_binaries.h), whose revolutions it need not
 * follow. With post-Newtonian terms, which a chain of more than two has as means only, a subsystem that is far smaller than its distance
 * from the others, and hardly disturbed by them, is no part of such a chain: it is a group of its own. Up to FEW_AT_ANY_TIME bodies are
 * looked at whenever nodes meet. With more, either all bodies are one chain from the start on or none are, since a chain of many and nodes
 * among its members would be slow and not exact: hb_groups_suit_a_chain. Up to FEW_OF_ANY_KIND such bodies are one chain. Up to HB_CHAIN_MOST are if they are cold,
 * since all of them then fall into a small volume at once, or if one body has most of the mass: block steps err by 1e-6 to 1e-2 of the
 * energy in a cold collapse, and by 1e-5 in a century of planets. Other systems are small clusters. Block steps are faster there, and tell
 * of their encounters, pairs and escapes.
 *
 * Bodies without mass are members as long as there is room for all bodies. Else, up to BODIES_MOST, only those with mass are, and the others
 * take block steps in the field of the members: the chain is the same as without them. */
#include "groups/groups_internal.h"

#include <string.h>

enum { FEW_AT_ANY_TIME = 8, FEW_OF_ANY_KIND = 16, BODIES_MOST = 1024, MASSIVE_LEAST = 3 };

/* A subsystem is far smaller than a distance if that is this many times its size. The second number is for a group that divides. */
static const double gather_within = 100, divide_beyond = 150;

/* The tide below which a subsystem is hardly disturbed, relative to what holds it together. Two equal bodies at the first of these
 * distances have a tide of 2e-6. Planets with moons have stronger tides at larger distances. */
static const double weak = 1e-5;

/* A part of a system: how far it reaches, and its mass. */
struct part {
  double size, m;
};

/* True if the tide of the mass `m` at the distance d on a part is weak. */
static int is_free(const struct part *p, double m, double d)
{
  return 2 * m * p->size * p->size * p->size <= weak * p->m * d * d * d;
}

/* True if two parts at the distance d are systems of their own. */
static int are_apart(const struct part *one, const struct part *other, double d, double times)
{
  double sizes = one->size + other->size;
  return sizes > 0 && sizes * times < d && is_free(one, other->m, d) && is_free(other, one->m, d);
}

int hb_groups_are_few(const struct hb_groups *groups)
{
  return groups->gathers_few &&
         (groups->n <= FEW_AT_ANY_TIME || (groups->n <= BODIES_MOST && groups->suits_a_chain));
}

int hb_groups_is_left_out(const struct hb_groups *groups, uint32_t node)
{
  return groups->m[node] == 0 && groups->of[node] == HB_GROUPS_STAR && groups->n > HB_CHAIN_MOST &&
         hb_groups_are_few(groups);
}

/* Returns how far a group reaches during an orbit; 0 for a star, which is NULL or a chain of one. */
static double span_of(const struct hb_group *g)
{
  if (!g || g->chain.n == 1) return 0;
  const struct hb_chain *c = &g->chain;
  return c->n == 2 && c->B > 0 ? fmax(g->R, hb_chain_span(c)) : g->R;
}

static struct part part_of_node(const struct hb_groups *groups, uint32_t node)
{
  return (struct part){span_of(hb_groups_of(groups, node)), groups->m[node]};
}

static size_t members_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->chain.n : 1;
}

int hb_groups_few_join(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!hb_groups_are_few(groups) || !(groups->m[i] + groups->m[k] > 0)) return 0;
  if (hb_groups_is_left_out(groups, i) || hb_groups_is_left_out(groups, k)) return 0;
  if (members_of(groups, i) + members_of(groups, k) > HB_CHAIN_MOST) return 0;
  double r2 = hb_distance2(groups->nodes.xp, i, k);
  if (hb_groups_are_torn(groups, groups->nodes.xp + 3 * (size_t)i, groups->m[i] + groups->m[k], r2,
                         HB_GROUPS_TORN_BELOW))
    return 0;
  if (!(groups->light > 0)) return 1;
  const struct part one = part_of_node(groups, i), other = part_of_node(groups, k);
  double d = sqrt(r2), least = d / gather_within;
  if (are_apart(&one, &other, d, gather_within)) return 0;
  for (uint32_t l = 0; l < groups->n; l++) {
    if (l == i || l == k || groups->of[l] == HB_GROUPS_PARKED || hb_groups_is_left_out(groups, l)) continue;
    hb_groups_need(groups, l);
    double near2 = fmin(hb_distance2(groups->nodes.xp, l, i), hb_distance2(groups->nodes.xp, l, k));
    if (near2 < least * least) return 0;
  }
  return 1;
}

int hb_groups_few_stay(const struct hb_groups *groups, const struct hb_group side[2], double d)
{
  const struct part one = {span_of(side), hb_chain_mass(&side[0].chain)},
                    other = {span_of(side + 1), hb_chain_mass(&side[1].chain)};
  return hb_groups_are_few(groups) && (!(groups->light > 0) || !are_apart(&one, &other, d, divide_beyond));
}

/* ---- at the start ---- */

/* Parts of a system: the bodies of each are nearer to each other than to the others. The size of a part is the sum of the distances by which
 * its bodies were joined. A part has the number of one of its bodies. */
struct parts {
  uint32_t of[HB_CHAIN_MOST]; /* part of each body */
  size_t bodies[HB_CHAIN_MOST];
  struct part part[HB_CHAIN_MOST];
};

/* The two bodies of different parts that are nearest to each other, and their distance. */
struct nearest {
  uint32_t i, k;
  double d;
};

/* Finds the nearest two bodies of different parts, not both without mass. */
static struct nearest find_nearest(const struct hb_particles *p, const struct parts *s)
{
  struct nearest best = {.d = INFINITY};
  for (uint32_t i = 0; i < p->n; i++)
    for (uint32_t k = i + 1; k < p->n; k++) {
      if (s->of[i] == s->of[k] || !(p->m[i] + p->m[k] > 0)) continue;
      double d = sqrt(hb_distance2(p->x, i, k));
      if (d < best.d) best = (struct nearest){i, k, d};
    }
  return best;
}

/* True if no part of a system is a system of its own, except for single bodies that are far from all others. */
static int has_one_scale(const struct hb_particles *p)
{
  struct parts s;
  for (uint32_t i = 0; i < p->n; i++) s.of[i] = i, s.bodies[i] = 1, s.part[i] = (struct part){0, p->m[i]};
  for (size_t left = p->n; left > 1; left--) {
    const struct nearest pair = find_nearest(p, &s);
    if (!(pair.d < INFINITY)) return 0;
    uint32_t to = s.of[pair.i], from = s.of[pair.k];
    size_t fewer = s.bodies[to] < s.bodies[from] ? s.bodies[to] : s.bodies[from];
    int is_single = fewer == 1 && 2 * (s.bodies[to] + s.bodies[from]) > p->n;
    if (!is_single && are_apart(s.part + to, s.part + from, pair.d, gather_within)) return 0;
    s.bodies[to] += s.bodies[from];
    s.part[to].m += s.part[from].m;
    s.part[to].size += s.part[from].size + pair.d;
    for (uint32_t i = 0; i < p->n; i++)
      if (s.of[i] == from) s.of[i] = to;
  }
  return 1;
}

/* True if the kinetic energy relative to the center of mass is below a fifth of that in equilibrium. */
static int is_cold(const struct hb_particles *p)
{
  static const double most =
      0.1; /* of the potential energy, which is twice the kinetic energy in equilibrium */
  double M = 0, center[3] = {0}, kinetic = 0, potential = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    M += p->m[i];
    for (size_t c = 0; c < 3; c++) center[c] += p->m[i] * p->v[3 * i + c];
  }
  for (uint32_t i = 0; i < p->n; i++) {
    double v2 = 0;
    for (size_t c = 0; c < 3; c++)
      v2 += (p->v[3 * i + c] - center[c] / M) * (p->v[3 * i + c] - center[c] / M);
    kinetic += p->m[i] * v2 / 2;
    for (uint32_t k = 0; k < i; k++) {
      double r2 = hb_distance2(p->x, i, k);
      if (r2 > 0) potential += p->m[i] * p->m[k] / sqrt(r2);
    }
  }
  return kinetic < most * potential;
}

/* True if one body has most of the mass. */
static int has_center(const struct hb_particles *p)
{
  double M = 0, most = 0;
  for (size_t i = 0; i < p->n; i++) M += p->m[i], most = fmax(most, p->m[i]);
  return 2 * most > M;
}

int hb_groups_suit_a_chain(const struct hb_particles *p)
{
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  struct hb_particles massive = {.m = m, .x = x, .v = v};
  if (p->n > BODIES_MOST) return 0;
  for (size_t i = 0; i < p->n; i++) {
    if (p->n > HB_CHAIN_MOST && p->m[i] == 0) continue;
    if (massive.n == HB_CHAIN_MOST) return 0;
    m[massive.n] = p->m[i];
    memcpy(x + 3 * massive.n, p->x + 3 * i, 3 * sizeof *x);
    memcpy(v + 3 * massive.n, p->v + 3 * i, 3 * sizeof *v);
    massive.n++;
  }
  if (p->n > HB_CHAIN_MOST && massive.n < MASSIVE_LEAST) return 0;
  return (massive.n <= FEW_OF_ANY_KIND || has_center(&massive) || is_cold(&massive)) &&
         has_one_scale(&massive);
}
