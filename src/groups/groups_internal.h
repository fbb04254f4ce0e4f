/* Declarations shared by the files of this folder, for their use only. The contract of the folder is groups.h. */
#ifndef HB_GROUPS_INTERNAL_H
#define HB_GROUPS_INTERNAL_H

#include "core/columns.h"
#include "groups/groups.h"

/* Returns the time from a tick to another one, negative if that is earlier. */
static inline double hb_groups_since(const struct hb_groups *groups, uint64_t from, uint64_t to)
{
  return (double)(int64_t)(to - from) * groups->nodes.dt_min;
}

/* Returns the time from a node's own last step to a tick. */
static inline double hb_groups_since_node(const struct hb_groups *groups, uint32_t node, uint64_t to)
{
  unsigned level = groups->nodes.level[node];
  return hb_groups_since(groups, groups->nodes.tick >> level << level, to);
}

/* Returns up to how many things of a loop the calling thread does alone: `alone`, if all positions are known; else all, since only one thread
 * may ask for them (hb_groups_need). */
static inline size_t hb_groups_alone(const struct hb_groups *groups, size_t alone)
{
  return groups->nodes.need ? SIZE_MAX : alone;
}

/* ---- create.c ---- */

/* The arrays of struct hb_groups that have an element for each node. */
extern const struct hb_columns hb_groups_columns;

/* ---- criteria.c ---- */

/* The least tide in the list of a group that is not hard, relative to what holds it together: effects of a single passage do not cancel. */
#define HB_GROUPS_LEAST_IN_A_PASSAGE 2e-8

/* Returns the distance at which two nodes of these masses are close: r_close from the mean mass on, less for lighter ones. */
double hb_groups_close(const struct hb_groups *groups, double m1, double m2);

/* Returns the 2 a below which a pair of stars is a group as long as it is alone, however far apart its members are. */
double hb_groups_bound(const struct hb_groups *groups, double m1, double m2);

/* Sets is_hard, span, R, tide, strong, weak, waking and Q of a group from its chain. A pair is hard if it is bound by about
 * hb_groups_bound, and so is a hierarchy (outer_orbit.h) whose outer orbit is such a pair. R of a hard group is at least its 2 a; of
 * others it is the length of the chain. */
void hb_groups_measure(const struct hb_groups *groups, struct hb_group *g);

/* Does what hb_groups_measure does for a group that is a node, and sets the reach and orbit of the node. */
void hb_groups_measure_node(struct hb_groups *groups, struct hb_group *g);

/* Returns the tide of the whole system on a group, relative to what holds the group together. */
double hb_groups_system_tide(const struct hb_groups *groups, const struct hb_group *g);

/* True if a group feels the tide of nodes that are not in its list. */
int hb_groups_keeps_tides(const struct hb_groups *groups, const struct hb_group *g);

/* True if the field disturbs a group whose center is at x. */
int hb_groups_feels_field(const struct hb_groups *groups, const struct hb_group *g, const double x[3]);

/* Returns the scale of the energy of the system, n m_mean^2 / r_close. */
static inline double hb_groups_energy(const struct hb_groups *groups)
{
  return groups->stars * groups->m_mean * groups->m_mean / groups->r_close;
}

/* Returns the square of the distance between a point, r from the center of a group, and the nearest member if the group is not hard; of a
 * hard group, r^2. A loose group may be large: what is far from its center may be close to a member. */
double hb_groups_gap2(const struct hb_group *g, const double r[3]);

/* Returns hb_groups_gap2 of a group and a node at xp. */
double hb_groups_gap2_to(const struct hb_groups *groups, const struct hb_group *g, uint32_t node);

/* The tide of a field relative to the force that two nodes have on each other: a pair breaks at 2 / 3. Nodes join below the first number,
 * and groups break above the second. */
#define HB_GROUPS_TORN_BELOW 0.1
#define HB_GROUPS_TORN_ABOVE 0.5

/* True if the tide of the field at x on two nodes of mass M, r2 = r^2 apart, is above this part of their own force. */
static inline int hb_groups_are_torn(const struct hb_groups *groups, const double x[3], double M, double r2,
                                     double part)
{
  return 2 * hb_groups_field_tide(groups, x) * r2 * sqrt(r2) > part * M;
}

/* True if the system is this group and nothing else. */
int hb_groups_is_all(const struct hb_groups *groups, const struct hb_group *g);

/* ---- few.c ---- */

/* True if these particles, at the start of a run, should be one chain from then on: see few.c. */
int hb_groups_suit_a_chain(const struct hb_particles *particles);

/* True if a node is a body without mass for which the chain of a system of few bodies has no room. */
int hb_groups_is_left_out(const struct hb_groups *groups, uint32_t node);

/* True if two nodes of a system of few bodies should be one group. */
int hb_groups_few_join(const struct hb_groups *groups, uint32_t i, uint32_t k);

/* True if the group, which has all of a system of few bodies or most, should stay whole although its longest link is long: both sides of
 * that link, which are d apart, are no systems of their own. */
int hb_groups_few_stay(const struct hb_groups *groups, const struct hb_group side[2], double d);

/* ---- lists.c ---- */

/* True if `node` is in the list of the group whose node is `group`. */
int hb_groups_lists(const struct hb_groups *groups, uint32_t group, uint32_t node);

/* True if `node` is in g's list. */
int hb_groups_has(const struct hb_groups *groups, const struct hb_group *g, uint32_t node);

/* Puts a node that is not in g's list there, and g's node into the list of the node's group, unless it is there. Errors:
 * HB_ERR_INTERNAL. */
enum hb_status hb_groups_list(struct hb_groups *groups, struct hb_group *g, uint32_t node);

/* Takes a node out of g's list, and g's node out of the list of the node's group. */
void hb_groups_unlist(struct hb_groups *groups, struct hb_group *g, uint32_t node);

/* Empties g's list. Lists of others stay. */
void hb_groups_clear_list(struct hb_groups *groups, struct hb_group *g);

/* Makes the links of all nodes anew from the lists of all groups. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_link_all(struct hb_groups *groups);

/* ---- far.c ---- */

/* Subtracts a node, which enters g's list at this tick, from the tides that g keeps. */
void hb_groups_leave_tides(const struct hb_groups *groups, struct hb_group *g, uint32_t node, uint64_t tick);

/* Returns the hits of the b-th node of the block, see hb_groups_find_hits. */
struct hb_groups_around hb_groups_hits_of(const struct hb_groups *groups, uint32_t b);

/* Adds to a[3 * b], j[3 * b] of the nodes block[b], from <= b < end, the accelerations and jerks by quadrupoles of hard pairs, and the
 * reaction on the pairs, where they are in no list of each other. Hits were found. */
void hb_groups_add_quadrupoles(const struct hb_groups *groups, size_t from, size_t end, const uint32_t *block,
                               double *a, double *j);

#endif
