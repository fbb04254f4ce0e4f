/* Few bodies with nothing around them: one chain, however wide it is, since nothing else is as exact. */
#include "groups/chain_pulls.h"
#include "groups/groups.h"

#include <math.h>

/* Unless one of their distances is this many times another: then what is small is a group of its own, whose revolutions need
 * not be followed. */
static const double gather_within = 100, part_beyond = 150;

int hb_groups_are_few(const struct hb_groups *groups)
{
  if (!groups->gathers_few || groups->field || groups->n > HB_CHAIN_MOST) return 0;
  return 1;
}

/* How far a group reaches during an orbit; NULL or a chain of one: a star. */
static double span_of(const struct hb_group *g)
{
  if (!g || g->chain.n == 1) return 0;
  const struct hb_chain *c = &g->chain;
  return c->n == 2 && c->B > 0 ? fmax(g->R, hb_chain_span(c)) : g->R;
}

int hb_groups_few_join(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k)
{
  if (!hb_groups_are_few(groups) || !(groups->m[i] + groups->m[k] > 0)) return 0;
  double least = sqrt(hb_groups_distance2(nodes->xp, i, k)) / gather_within;
  double sizes = span_of(hb_groups_of(groups, i)) + span_of(hb_groups_of(groups, k));
  if (sizes > 0 && sizes < least) return 0;
  for (uint32_t l = 0; l < groups->n; l++) {
    if (l == i || l == k || groups->of[l] == HB_GROUPS_PARKED) continue;
    double near2 = fmin(hb_groups_distance2(nodes->xp, l, i), hb_groups_distance2(nodes->xp, l, k));
    if (near2 < least * least) return 0;
  }
  return 1;
}

int hb_groups_few_stay(const struct hb_groups *groups, const struct hb_group side[2], double distance)
{
  if (!hb_groups_are_few(groups)) return 0;
  return distance < part_beyond * (span_of(side) + span_of(side + 1));
}

int hb_groups_is_all(const struct hb_groups *groups, const struct hb_group *g)
{
  if (!hb_groups_are_few(groups)) return 0;
  for (uint32_t i = 0; i < groups->n; i++)
    if (i != g->node && groups->of[i] != HB_GROUPS_PARKED) return 0;
  return 1;
}
