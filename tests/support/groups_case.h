/* Groups of nodes that a test places itself, all at tick 0. */
#ifndef GROUPS_CASE_H
#define GROUPS_CASE_H

#include "groups/groups.h"

/* Its nodes, 64 at most, are at x, v without acceleration. */
void groups_case_nodes(const double *x, const double *v, struct hb_groups *groups);

/* Gives a node that was made its place in x, v. */
void groups_case_put(const struct hb_groups_node *node, double *x, double *v);

#endif
