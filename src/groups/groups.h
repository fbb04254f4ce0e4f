/* Compact subsystems of a block scheme: each is a chain, and in the scheme one node, its center of mass.
 *
 * A node is a star or a group. All nodes have a slot of the n particles: a group that of its lowest member with mass; the slots of
 * its other members are parked, as sources of mass 0 far away. Sources of forces know only nodes, as points; what is wrong
 * about that close to a group is corrected here, in double, for the nodes that feel its members: its list. They are also
 * what disturbs it. Lists are symmetrical: of two groups, each has the other in its list, or neither has.
 *
 * Whatever is decided here depends on the state alone. */
#ifndef HB_GROUPS_H
#define HB_GROUPS_H

#include "chain/chain.h"
#include "chain/chain_tide.h"
#include "chain/octupole.h"
#include "core/field.h"
#include "core/particles.h"
#include "core/sections.h"
#include "core/vector.h"

struct hb_groups;
struct hb_group;

/* When a pair is a group, whom a group lists, and what it may leave out of what others do to it. */
struct hb_groups_rules {
  double widest; /* 2 a of a pair, in N^-1/3 r_half; 0: what is close alone */
  double forms_below,
      breaks_above; /* tides, relative to what holds a pair together, in which a wide one forms and breaks */
  double
      wakes; /* tide of an active node in its list from which a pair is brought to the node's time; 0: any */
  double mean;     /* tide on a hard pair below which others feel no more than the mean of its orbit */
  double resolved; /* links longer than this part of the distance between two groups shorten their steps */
  double weak;     /* of the least tide in its list: down to that, stars feel a hard pair's quadrupole */
  double
      far; /* the system's tide from which a hard pair keeps that of all who are not in its list; INFINITY: none does */
  /* returns the least tide in the list of a hard group, for an orbit with the binding energy B */
  double (*least)(const struct hb_groups *groups, const struct hb_group *g, double B);
  enum hb_chain_rules chain;
};

/* By the pairs' sizes: those are groups, and stay so, that are close. And by perturbation: all that are alone, however wide, and with
 * lists so short that nothing in a block is done for all groups or all nodes. */
extern const struct hb_groups_rules hb_groups_by_size, hb_groups_by_perturbation;

/* What the nodes do to a group that are not in its list: the tensor of their tide as xx yy zz xy xz yz, and its rate. It is the sum of
 * that of the neighbors, and of that of the others, which is found anew less often. */
struct hb_groups_tides {
  double of_all[12];       /* at `tick`; 0: it has none */
  double of_far[12];       /* of those beyond the distance cut, at far_tick */
  double cut2;             /* its square; 0: no part is far */
  uint64_t tick, far_tick; /* when they were found */
  uint32_t is_old;         /* somebody has left the list since */
};

struct hb_group {
  struct hb_chain chain;
  uint32_t node;
  uint64_t tick; /* time of the chain */
  int is_hard;   /* a hard pair, or a hierarchy whose outer orbit is one; see hb_groups_measure */
  double span;   /* 2 a of that orbit; INFINITY where there is none */
  /* Total mass of a hierarchy; 0 for a pair or a loose group. A node m that is lighter disturbs a hierarchy by more than its tide says, since
   * its orbit is as fast as the outer one: it counts as the geometric mean of m and this mass. */
  double floor;
  double R;      /* how far it reaches, see hb_groups_measure */
  double tide;   /* a mass m disturbs it from nearer than d if m^2 tide > d^6 */
  double waking; /* an active node of its list wakes it if m^2 waking > d^6; INFINITY: each does */
  double strong; /* and, if m^2 strong > d^6, so much that it feels where the members are */
  double weak;   /* a mass m that is not in the list feels the mean of its orbit if m^2 weak > d^6 */
  double Q[6];   /* that mean: mu <x x> as xx yy zz xy xz yz */
  double T[HB_OCTUPOLE_PARTS]; /* and its octupole, for nodes in the list */
  uint32_t *list;              /* [count] of [capacity] nodes */
  size_t count, capacity;
  size_t settled; /* of the list: those that disturb it; the others enter at the time of the block */
  struct hb_groups_tides tides;
  uint64_t work; /* evaluations within it since the caller set it to 0 */
};

enum { HB_GROUPS_STAR = UINT32_MAX, HB_GROUPS_PARKED = UINT32_MAX - 1 };

/* Facts about a group that the correction of other nodes reads; hb_groups_measure sets them. Zeros for nodes that are stars. */
struct hb_groups_orbit {
  double tide, weak, floor, Q[6];
};

/* The b-th node of the block, which is in the list of a group; and, if it is a star, what the group does to it more than a point would. */
struct hb_groups_pull {
  uint32_t b, group;
  uint32_t next; /* 1 + the index of the next one of the same group, or 0 */
  double a[3], j[3];
};

/* Scratch data of a group in a block. It is apart from the group because a block reads it of many groups. */
struct hb_groups_touch {
  uint32_t first_pull;           /* 1 + the index of its first pull, or 0; set where it is touched */
  uint8_t is_touched, is_marked; /* scratch */
};

/* A node's being in the list of the group whose node is `group`; and the next one that it is in. */
struct hb_groups_link {
  uint32_t group, next;
};

/* The nodes of the scheme, as its owner has set them before a call reads them. Arrays are [3 * n]; x v a j are those at a node's own
 * time, xp vp those at the block's. */
struct hb_nodes {
  const double *x, *v, *a, *j; /* three numbers of each row, */
  size_t row;                  /* so many from one to the next, */
  const uint32_t *place;       /* and that is a node's; NULL: its number */
  const double *xp, *vp;
  double dt_min;        /* of one tick */
  uint64_t tick;        /* of the last block; a node's own is the last multiple of its step up to it, */
  const uint8_t *level; /* [n] 2^level */
  /* Who may be near a node: its neighbors, ascending, list[node * room], so many. NULL: there are no lists, and all may be. */
  const uint32_t *list, *count;
  size_t room;
  const double
      *reach2; /* [n] a list had all within the root of that over `grown` when it was made; NULL: unknown */
  double grown;
  int is_full; /* the scheme has set all xp vp, whatever the number of threads: decisions may depend on that */
  void (*need)(void *context, uint32_t node); /* sets those of a node; NULL: all are set, */
  void *context;
  const uint64_t *stamp; /* [n] unless its stamp is `now` */
  uint64_t now;
};

/* Copies of chains that hb_groups_resolve has advanced to dt after a tick, of those groups for which that took long: a row of
 * diagnostics asks several times for the same time. Ascending by group. */
struct hb_groups_advanced_chain {
  uint32_t group;
  struct hb_chain chain;
};
struct hb_groups_advanced {
  struct hb_groups_advanced_chain *of; /* [count] of [capacity] */
  size_t count, capacity;
  uint64_t tick;
  double dt;
};

/* Results of hb_groups_look_ahead: the chain of a group after an advance, which a later one between the same ticks need not repeat if
 * the group's list is the same. */
struct hb_groups_ahead {
  uint32_t group;
  uint64_t from, to; /* ticks */
  size_t settled;
  double tides[24]; /* the group's */
  struct hb_chain chain;
  uint64_t forces;
};

/* A contact or an approach of two members of a group. */
struct hb_groups_contact {
  struct hb_contact contact;
  uint64_t from; /* the tick from which its time counts */
};

struct hb_groups {
  size_t n;
  struct hb_nodes nodes;
  const struct hb_groups_rules *rules; /* see hb_groups_use */
  double r_close, m_mean;              /* what close is for two stars of mean mass: 2 r_half / N       */
  double bound;           /* 2 a of a pair of mean stars that is a group if it is alone, in r_close */
  double stars;           /* how many had mass at the start */
  int gathers_few;        /* the caller's word that few bodies may be one group, see hb_groups_are_few */
  uint64_t suits_a_chain; /* hb_groups_suit_a_chain at the start of the run */
  const double *radius;   /* [n] the caller's, of the stars, where collisions are looked for; else NULL */
  double *m;              /* [n] of the nodes, 0 where parked */
  double m_most;          /* the largest, see hb_groups_weigh */
  double *reach;          /* [n] of a group, the larger of its tide and weak; of others 0 */
  struct hb_groups_orbit *orbit; /* [n] */
  double
      *sources; /* [n] m without the heavy ones, see hb_groups_weigh; NULL: none is, see hb_groups_create */
  struct hb_groups_heavy *heavy;
  size_t heavies, heavy_capacity; /* nodes in it; its elements */
  uint32_t *of;                   /* [n] the group of a node, or one of the above */
  uint32_t *active;               /* [n] where a node is in the block, if that has it there */
  uint32_t *live;                 /* [n] scratch of the caller, like fresh */
  uint8_t *fresh, *is_live;       /* [n] */
  uint8_t *hint;                  /* [n] of the block, see hb_groups_activate; then the caller's */
  double parking[3];              /* the caller's: where slots that are parked are */
  uint8_t *listed;                /* [n] scratch, 0 */
  uint8_t *chosen;                /* [n] scratch, of the block */
  uint32_t *needed;               /* [n] scratch: groups that a block advances */
  struct hb_groups_made *made;    /* [made_room] scratch of advance.c */
  size_t made_room;
  uint8_t *near;       /* [n] whether a node was corrected in its last block */
  struct hb_group *at; /* [count] of [capacity] */
  size_t count, capacity;
  uint32_t *first; /* [n] 1 + the first of a node's links, or 0 */
  uint32_t *hit;   /* [hits] of [hit_capacity], those of the b-th of the block up to hit_end[b] of [n] */
  uint32_t *hit_end;
  struct hb_groups_boxes *box; /* of far.c */
  uint32_t *in_space;          /* [n] nodes in the order of space at some time */
  int has_order;
  int has_hits; /* the caller's: those of the next block are known, and hb_groups_meet looks for none */
  size_t hits, hit_capacity;
  struct hb_groups_link *link; /* [links] of [link_capacity], of which those from free_link on are nobody's */
  size_t links, link_capacity;
  uint32_t free_link;
  /* The active nodes that are in lists, those of the b-th of the block up to pull_end[b] of [n]; room for link_capacity of them. */
  struct hb_groups_pull *pull;
  uint32_t *pull_end;
  struct hb_groups_touch *touch; /* [n] of each group */
  uint32_t *
      touched; /* [touches] of [n] groups, ascending: active ones, and those with an active node in their lists */
  uint32_t *block; /* [actives] of [n]: the active nodes */
  size_t touches, actives;
  size_t seen;                        /* of the next block, see hb_groups_see */
  uint64_t tick;                      /* of these */
  uint64_t formed, dissolved, forces; /* groups so far; evaluations within groups */
  const struct hb_field *field;       /* the caller's, forces from outside; NULL: none */
  struct hb_contact_criteria watch;   /* the caller's: contacts and approaches that are looked for */
  struct hb_groups_ahead
      *ahead; /* [aheads] of [ahead_capacity], ascending by group, by hb_groups_look_ahead, */
  size_t aheads, ahead_capacity;
  struct hb_groups_contact
      *found; /* [founds] of [found_capacity], in the order of groups: and what it has found */
  size_t founds, found_capacity;
  double light;                       /* the caller's, speed of light; 0: there are no post-Newtonian terms */
  double lost;                        /* the energy that these have taken */
  struct hb_groups_advanced advanced; /* by hb_groups_resolve */
};

/* Where x v a j of a node begin. */
static inline size_t hb_groups_row(const struct hb_groups *groups, uint32_t node)
{
  return groups->nodes.row * (groups->nodes.place ? groups->nodes.place[node] : node);
}

/* Before xp vp of a node are read that may not be in the block. */
static inline void hb_groups_need(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_nodes *nodes = &groups->nodes;
  if (nodes->need && nodes->stamp[node] != nodes->now) nodes->need(nodes->context, node);
}

/* The k-th of count nodes that may be near. */
struct hb_groups_around {
  const uint32_t *list;
  size_t count;
};
static inline uint32_t hb_groups_around_at(const struct hb_groups_around *around, size_t k)
{
  return around->list ? around->list[k] : (uint32_t)k;
}

/* No group yet; particles set what is close. rounds: what sources of forces get wrong is the rounding of pulls to float, as in ds and
 * reproducible: then those of heavy nodes are summed here. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_create(const struct hb_particles *particles, int rounds, struct hb_groups **groups);
void hb_groups_destroy(struct hb_groups *groups);

/* Sets r_close, the distance at which two stars of mean mass deflect each other strongly if the system is near its equilibrium,
 * m_mean and stars: all that the functions of distances below read. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_find_close(const struct hb_particles *particles, struct hb_groups *groups);

/* True if the system is so few bodies that they should be one group. */
int hb_groups_are_few(const struct hb_groups *groups);

/* Groups are by these rules from now on; at first they are by size. */
void hb_groups_use(struct hb_groups *groups, const struct hb_groups_rules *rules);

static inline struct hb_group *hb_groups_of(const struct hb_groups *groups, uint32_t node)
{
  return groups->of[node] < HB_GROUPS_PARKED ? groups->at + groups->of[node] : NULL;
}

/* Returns the nodes that may be near a node: its neighbors, or all where there are no lists. Their xp vp are needed. */
static inline struct hb_groups_around hb_groups_near(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_nodes *nodes = &groups->nodes;
  struct hb_groups_around around = {.count = groups->n};
  if (nodes->list) around = (struct hb_groups_around){nodes->list + node * nodes->room, nodes->count[node]};
  return around;
}

/* ---- sizes, lists ---- */

/* The distance at which a passage of two stars is a group, if it is alone; at least as close. */
double hb_groups_passing(const struct hb_groups *groups, double m1, double m2);

/* Whether two nodes, r2 = r^2 apart, are farther than twice that, and than 2 a of any such pair. */
static inline int hb_groups_are_far(const struct hb_groups *groups, double m1, double m2, double r2)
{
  double heavy = m1 * m2, mean = groups->m_mean * groups->m_mean;
  double least = groups->bound * groups->bound * mean;
  return r2 * mean > groups->r_close * groups->r_close * (heavy > least ? heavy : least);
}

/* Returns the distance beyond which hb_groups_are_far is true, except for rounding. */
static inline double hb_groups_far_distance(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmax(sqrt(m1 * m2) / groups->m_mean, groups->bound);
}

/* An acceleration below that a star of mass m has no close neighbor. */
double hb_groups_least_pull(const struct hb_groups *groups, double m);

/* Links longer than this part of the distance between two groups are seen by the other one as they are. */
#define HB_GROUPS_RESOLVED (1. / 20)

/* The longest step that a group's center may take: of a hard pair INFINITY, unless another group in its list is near at xp. */
double hb_groups_step(const struct hb_groups *groups, const struct hb_group *g);

/* Whether a mass m, d away, disturbs the group. */
static inline int hb_groups_is_tide(const struct hb_group *g, double m, double d2)
{
  return m * fmax(m, g->floor) * g->tide > d2 * d2 * d2;
}

#define HB_GROUPS_LIGHT (1. / 16) /* of the mean; Kroupa's lightest stars have 1 / 8 */

/* A body far lighter than any star, or without mass, disturbs nothing; where a star of mean mass would, it feels the members. */
static inline double hb_groups_felt_mass(const struct hb_groups *groups, uint32_t node)
{
  return groups->m[node] < HB_GROUPS_LIGHT * groups->m_mean ? groups->m_mean : groups->m[node];
}

/* Whether node and group, d^2 apart, belong into each other's lists. */
static inline int hb_groups_feel(const struct hb_groups *groups, const struct hb_group *g, uint32_t node,
                                 double d2)
{
  double m = hb_groups_felt_mass(groups, node), M = groups->m[g->node];
  return hb_groups_is_tide(g, m, d2) ||
         M * fmax(M, groups->orbit[node].floor) * groups->orbit[node].tide > d2 * d2 * d2;
}

/* Whether a node of its list feels of a group only the mean of its orbit: where the members are on it would change the node's pull
 * faster than its steps, to no effect. */
static inline int hb_groups_is_mean(const struct hb_groups *groups, const struct hb_group *g, uint32_t node,
                                    double d2)
{
  double m = hb_groups_felt_mass(groups, node);
  return m * fmax(m, g->floor) * g->strong <= d2 * d2 * d2 && !hb_groups_of(groups, node);
}

/* The field's tide at x, as m / d^3 of a mass m that is d away. */
static inline double hb_groups_field_tide(const struct hb_groups *groups, const double x[3])
{
  return groups->field ? hb_field_tide(groups->field, x) / 2 : 0;
}

/* Adds to touched[], once touches was 0, the groups in whose lists a node is; and then sorts it. */
void hb_groups_touch_listers(struct hb_groups *groups, uint32_t node);
void hb_groups_end_touching(struct hb_groups *groups);

/* Ascending, of different numbers. */
void hb_groups_sort(size_t count, uint32_t *list);

/* 1 + the place of a node in the block, or 0. */
static inline uint32_t hb_groups_active(const struct hb_groups *groups, uint32_t node)
{
  uint32_t b = groups->active[node];
  return b < groups->actives && groups->block[b] == node ? b + 1 : 0;
}

/* Node i will be active, the b-th of the next block: few are groups, or in the list of one. By several threads; if this was said of all
 * `seen` of it, hb_groups_activate need not. */
static inline void hb_groups_see(struct hb_groups *groups, size_t b, uint32_t i)
{
  groups->block[b] = i;
  groups->active[i] = (uint32_t)b;
  groups->near[i] = 0;
  groups->hint[b] = groups->of[i] != HB_GROUPS_STAR || groups->first[i];
}

/* The block at this tick becomes what is active, and the groups that this concerns are touched. */
void hb_groups_activate(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block);

/* ---- who disturbs whom ---- */

/* Prepares for the block at this tick: active nodes that came near enter lists, and each group that is active itself or has
 * an active node in its list is advanced. Errors: HB_ERR_INTERNAL, HB_ERR_NUMERIC. */
enum hb_status hb_groups_meet(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block);

/* Advances the groups in whose lists a node is that joins another one or splits. Errors: HB_ERR_INTERNAL, HB_ERR_NUMERIC. */
enum hb_status hb_groups_wake_listers(struct hb_groups *groups, uint64_t tick, uint32_t node);

/* Makes the lists of the groups among the nodes block[ni] anew, from the nodes at xp; groups that enter one are advanced to tick. Hits were
 * found of those nodes that are active. Errors: HB_ERR_INTERNAL, HB_ERR_NUMERIC. */
enum hb_status hb_groups_look_around(struct hb_groups *groups, uint64_t tick, size_t ni,
                                     const uint32_t *block);

/* Replaces what x[3 * n], v[3 * n] have for the nodes at a time dt after tick by the members, all of them. Changes no group, and remembers
 * what took long until hb_groups_forget_advanced.
 * *e_rounded: what the potential energies within groups are more than those of the x, which have lost digits of separations. Errors: HB_ERR_NUMERIC, HB_ERR_INTERNAL. */
enum hb_status hb_groups_resolve(struct hb_groups *groups, uint64_t tick, double dt, double *x, double *v,
                                 double *e_rounded);

/* Groups or nodes will change: chains that hb_groups_resolve has stored are of no more use. */
static inline void hb_groups_forget_advanced(struct hb_groups *groups) { groups->advanced.count = 0; }

/* ---- what nodes feel of members ---- */

/* Turns the pulls a[3 * ni], jerks j[3 * ni] of points on the active nodes block[ni] into those of members: for every active
 * node and group that have each other in their lists, and active groups in the field. All these groups are at the time of the
 * block. */
void hb_groups_correct(const struct hb_groups *groups, size_t ni, const uint32_t *block, double *a,
                       double *j);

/* ---- what nodes and groups do to each other that are in no list ---- */

static inline int hb_groups_has_tides(const struct hb_group *g)
{
  const double *T = g->tides.of_all;
  return T[0] != 0 || T[1] != 0 || T[2] != 0;
}

/* Each node's place[n] in an order of space, by which far nodes are taken together: now and then, since they move. */
void hb_groups_set_order(struct hb_groups *groups, const uint32_t *place);

/* Finds the tides of the groups among the nodes block[ni], at xp vp, whose lists are made. */
enum hb_status hb_groups_look_far(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block);
/* Hits of the next block, from a caller that has compared all positions: if is_hit[b] is not 0, a bit in mask[b * words] for each
 * element of the list of the node, list[node * room]. */
struct hb_groups_masks {
  const uint8_t *is_hit;
  const uint64_t *mask;
  size_t words;
  const uint32_t *list;
  size_t room;
};

/* Sets hit[] to the hits of the next block, block[ni], from masks. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_take_hits(struct hb_groups *groups, size_t ni, const uint32_t *block,
                                   const struct hb_groups_masks *masks);

/* Finds in hit[] who is so near a node of the block that one of them is a group and may be no point to the other. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_find_hits(struct hb_groups *groups, size_t ni, const uint32_t *block);

/* ---- heavy nodes ---- */

/* Finds the heavy nodes anew: masses or numbers of nodes have changed. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_weigh(struct hb_groups *groups);

/* Adds to a[3 * ni], j[3 * ni], phi[ni] of the nodes block[ni] what the heavy ones do to them; all are at x[3 * n], v[3 * n]. */
void hb_groups_add_heavy(struct hb_groups *groups, const double *x, const double *v, size_t ni,
                         const uint32_t *block, double *a, double *j, double *phi);

/* ---- groups come and go ---- */

/* A node's place and velocity, to be given to its slot. */
struct hb_groups_node {
  uint32_t node;
  double x[3], v[3];
};

/* Whether two nodes at xp, vp are so close that they should be one group; whether for any reason. */
int hb_groups_meet_closely(const struct hb_groups *groups, uint32_t i, uint32_t k);

/* Whether they could, wherever others are and however large they have become: at x[3 * n], v[3 * n]. */
int hb_groups_may_meet(const struct hb_groups *groups, const double *x, const double *v, uint32_t i,
                       uint32_t k);
int hb_groups_should_join(const struct hb_groups *groups, uint32_t i, uint32_t k);

/* Makes them one. Their slots but that of *made are parked. Lists: the new one is empty; the node is in the lists of those
 * that had one of the two. */
enum hb_status hb_groups_join(struct hb_groups *groups, uint64_t tick, uint32_t i, uint32_t k,
                              struct hb_groups_node *made);

/* Whether the group should become two nodes; *link is where it breaks. */
int hb_groups_should_split(const struct hb_groups *groups, const struct hb_group *g, size_t *link);

/* Breaks it there. Both nodes are in the lists of those that had the old one. */
enum hb_status hb_groups_split(struct hb_groups *groups, uint64_t tick, uint32_t node, size_t link,
                               struct hb_groups_node made[2]);

/* Dissolves a group, if the node is one, to a star; lists of others stay. */
void hb_groups_remove(struct hb_groups *groups, uint32_t node);

/* ---- bodies that touch ---- */

/* Advances copies of all groups in which there may be contacts or approaches, from their own ticks to this one. Sets ahead[] and found[].
 * A group that cannot be advanced is left out: its advance will fail, and say why. Errors: HB_ERR_INTERNAL, HB_ERR_STOPPED. */
enum hb_status hb_groups_look_ahead(struct hb_groups *groups, uint64_t tick);

/* Groups or nodes will change: what was found ahead is of no more use. */
static inline void hb_groups_forget_ahead(struct hb_groups *groups) { groups->aheads = groups->founds = 0; }

/* Advances one group to a tick that is no time of a block. Errors: HB_ERR_NUMERIC, HB_ERR_INTERNAL. */
enum hb_status hb_groups_bring(struct hb_groups *groups, struct hb_group *g, uint64_t tick);

/* Makes one body of two members of a group, at their center of mass, in the lower of their slots *kept; the slot *swallowed stays
 * parked. A group of two becomes a star. *energy is what the group has lost. */
void hb_groups_merge(struct hb_groups *groups, struct hb_group *g, const uint32_t pair[2], uint32_t *kept,
                     uint32_t *swallowed, double *energy);

/* Nodes change their numbers to number[n], see hb_columns_renumber; n becomes `left`. */
void hb_groups_renumber(struct hb_groups *groups, const uint32_t *number, size_t left);

/* There are n slots from now on, more than before: those that are new are of stars without mass. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_groups_grow(struct hb_groups *groups, size_t n);

/* ---- checkpoints ---- */

/* Returns the rules of the run that was saved. The number of bodies does not tell: it may have grown or shrunk since the start. */
const struct hb_groups_rules *hb_groups_saved_rules(const struct hb_sections *sections);

enum hb_status hb_groups_put(const struct hb_groups *groups, struct hb_sections *sections);
enum hb_status hb_groups_get(const struct hb_sections *sections, struct hb_groups *groups);

/* What was got against the particles, those of nodes at their places: masses, and what is close. gone: how many of them have merged
 * or were removed since the start; is_lighter: some were removed. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_groups_compare(const struct hb_groups *groups, const struct hb_particles *nodes,
                                 double gone, int is_lighter);

#endif
