/* Members that become one, and particles that vanish. */
#include "groups/chain_pulls.h"
#include "groups/groups.h"

#include <string.h>

static size_t place_of(const struct hb_chain *c, uint32_t member)
{
  size_t k = 0;
  while (c->member[k] != member) k++;
  return k;
}

void hb_groups_merge(struct hb_groups *groups, struct hb_group *g, uint32_t *kept, uint32_t *swallowed,
                     double *energy)
{
  const struct hb_chain old = g->chain;
  const double first = old.m[place_of(&old, old.touched[0])], second = old.m[place_of(&old, old.touched[1])];
  int is_ordered = second == 0 || (first > 0 && old.touched[0] < old.touched[1]);
  *kept = old.touched[!is_ordered], *swallowed = old.touched[is_ordered];
  size_t k = place_of(&old, *kept), s = place_of(&old, *swallowed), last = old.n - 1;
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
    hb_groups_measure(groups, g);
  else
    hb_groups_remove(groups, g->node);
}

void hb_groups_renumber(struct hb_groups *groups, const uint32_t *number, size_t left)
{
  hb_columns_renumber(&hb_groups_columns, groups->n, number, groups);
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t count = 0, settled = 0;
    g->node = number[g->node];
    for (size_t c = 0; c < g->chain.n; c++) g->chain.member[c] = number[g->chain.member[c]];
    for (size_t l = 0; l < g->count; l++) {
      if (number[g->list[l]] == HB_COLUMNS_GONE) continue;
      settled += l < g->settled;
      g->list[count++] = number[g->list[l]];
    }
    g->count = count, g->settled = settled;
  }
  groups->n = left;
}
