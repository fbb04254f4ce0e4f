#include "support/groups_case.h"

#include <string.h>

void groups_case_nodes(const double *x, const double *v, struct hb_groups *groups)
{
  static const uint8_t level[64];
  groups->nodes = (struct hb_nodes){
      .x = x, .v = v, .a = x, .j = x, .row = 3, .xp = x, .vp = v, .dt_min = 1, .level = level, .grown = 1};
}

void groups_case_put(const struct hb_groups_node *node, double *x, double *v)
{
  memcpy(x + 3 * node->node, node->x, sizeof node->x);
  memcpy(v + 3 * node->node, node->v, sizeof node->v);
}
