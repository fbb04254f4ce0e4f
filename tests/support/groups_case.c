#include "support/groups_case.h"

#include <string.h>

static uint64_t at_start(const void *context, uint32_t node)
{
  (void)context;
  (void)node;
  return 0;
}

struct hb_nodes groups_case_nodes(const double *x, const double *v)
{
  return (struct hb_nodes){
      .x = x, .v = v, .a = x, .j = x, .row = 3, .xp = x, .vp = v, .dt_min = 1, .tick = at_start};
}

void groups_case_put(const struct hb_groups_node *node, double *x, double *v)
{
  memcpy(x + 3 * node->node, node->x, sizeof node->x);
  memcpy(v + 3 * node->node, node->v, sizeof node->v);
}
