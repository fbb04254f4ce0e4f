/* Groups in the block scheme: where they enter a block step, and what a node that is new needs. */
#include "step/hermite4.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const hb_encounters_names[] = {"auto", "none", "groups", NULL};

struct hb_groups *hb_hermite4_groups_now(const struct hb_hermite4 *h)
{
  const struct hb_hermite4_near *near = hb_hermite4_has_lists(h) ? h->near : NULL;
  const struct hb_record *r = h->ahead;
  struct hb_nodes nodes = {.x = r ? r->x : h->particles->x,
                           .v = r ? r->v : h->particles->v,
                           .a = r ? r->a : h->a,
                           .j = r ? r->j : h->j,
                           .row = r ? sizeof *r / sizeof *r->x : 3,
                           .place = r ? h->place : NULL,
                           .xp = h->xp,
                           .vp = h->vp,
                           .dt_min = h->params.dt_min,
                           .tick = h->blocks->now,
                           .level = h->blocks->level,
                           .grown = HB_NEAR_GROWN,
                           .is_full = !near || near->all_at == near->now,
                           .context = (void *)h};
  if (near)
    nodes.list = near->list, nodes.count = near->count, nodes.room = near->room, nodes.reach2 = near->h2;
  if (near && !hb_near_knows_all(near))
    nodes.need = hb_hermite4_near_need, nodes.stamp = near->stamp, nodes.now = near->now;
  h->groups->nodes = nodes;
  return h->groups;
}

/* ---- parking ---- */

/* Slots of members are parked: groups->of says so, and nothing else. As sources of mass 0 they still have to be somewhere, and better
 * at no node's place: at the first of these corners, far out but within the range of all sources of forces, that no node is near. */
enum { CORNERS = 32 };
static void corner(unsigned k, double x[3])
{
  for (unsigned d = 0; d < 3; d++) x[d] = ldexp(k >> d & 1 ? -1 : 1, 20 + (int)(k / 8));
}

static int is_corner(const double x[3])
{
  double known[3];
  unsigned k = 0;
  do corner(k, known);
  while (memcmp(known, x, sizeof known) != 0 && ++k < CORNERS);
  return k < CORNERS;
}

static int is_near(const double *x, const double parking[3])
{
  double near = fabs(parking[0]) / 2;
  return fabs(x[0] - parking[0]) < near && fabs(x[1] - parking[1]) < near && fabs(x[2] - parking[2]) < near;
}

/* No step takes a node as far as `near`, so that the positions of nodes at their own times decide. New nodes have only those at xp. */
static void find_parking(struct hb_hermite4 *h)
{
  struct hb_groups *groups = hb_hermite4_groups_now(h);
  double *parking = groups->parking;
  for (unsigned k = 0; k < CORNERS; k++) {
    uint32_t i = 0;
    corner(k, parking);
    for (; i < h->n; i++) {
      const double *x = groups->fresh[i] ? h->xp + 3 * (size_t)i : groups->nodes.x + hb_groups_row(groups, i);
      if (groups->of[i] != HB_GROUPS_PARKED && is_near(x, parking)) break;
    }
    if (i == h->n) return;
  }
}

static void park(struct hb_hermite4 *h, uint32_t i)
{
  memcpy(h->xp + 3 * (size_t)i, h->groups->parking, sizeof h->groups->parking);
  memset(h->vp + 3 * (size_t)i, 0, 3 * sizeof *h->vp);
  hb_hermite4_place(h, i);
}

/* If a node of the block has come near them, the slots move. */
static enum hb_status leave_parking(struct hb_hermite4 *h, size_t ni)
{
  size_t b = 0, moved = 0;
  while (b < ni && !is_near(h->xp + 3 * (size_t)h->block[b], h->groups->parking)) b++;
  if (b == ni || h->groups->count == 0) return HB_OK;
  find_parking(h);
  for (uint32_t i = 0; i < h->n; i++)
    if (h->groups->of[i] == HB_GROUPS_PARKED) park(h, i), h->groups->live[moved++] = i;
  return h->params.transfer == HB_TRANSFER_BLOCK ? hb_hermite4_keep(h, moved, h->groups->live) : HB_OK;
}

/* ---- within a block step ---- */

static enum hb_status meet(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  return hb_groups_meet(hb_hermite4_groups_now(h), T, ni, h->block);
}

static void add_heavy(struct hb_hermite4 *h, size_t ni)
{
  if (!h->has_parts) hb_groups_add_heavy(h->groups, h->xp, h->vp, ni, h->block, h->a1, h->j1, h->phi1);
}

static void correct_near(struct hb_hermite4 *h, size_t ni)
{
  hb_groups_correct(hb_hermite4_groups_now(h), ni, h->block, h->a1, h->j1);
}

/* Many threads ask at once: nodes are those of the forces on the block. */
static double limit_step(const struct hb_hermite4 *h, uint32_t i, double dt)
{
  const struct hb_groups *groups = h->groups;
  const struct hb_group *g = groups ? hb_groups_of(groups, i) : NULL;
  if (groups && groups->m[i] > groups->m_mean) dt *= hb_timestep_share(groups->m_mean / groups->m[i]);
  return g ? fmin(dt, hb_groups_step(groups, g)) : dt;
}

/* ---- joining and breaking ---- */

/* The live nodes with mass, ascending by x. In a large block, comparing all pairs of nodes would take as long as their forces. Nodes that
 * join keep the row and the x that they had when the rows were sorted. */
struct order {
  uint64_t *row; /* key of x in float, and below it the index in groups->live */
  size_t count;  /* 0: not sorted, or no longer */
  double moved;  /* largest change of x of a node since then */
  double m_most;
};

/* Nodes at the time of the block that may change: the block, and what came of it. Those with mass are at the front of
 * groups->live, test particles at its end: of a million of these none looks for another. */
enum { MADE_MOST = 64 };
struct change {
  struct hb_hermite4 *h;
  uint64_t T;
  size_t live, massless;
  size_t hinted;  /* of live, the first, which are the block; 0: no hints were looked for */
  unsigned found; /* of hints */
  int is_any;
  struct order order;
  uint32_t made[MADE_MOST]; /* nodes that have joined or split, the first of `makes` */
  size_t makes;
  size_t decided; /* makes when decisions were made; SIZE_MAX: there are none */
  size_t again;   /* how often they were made again */
  size_t first;   /* of decide_from */
  void (*decide)(const struct change *c, size_t b);
};

/* What groups->hint has of the b-th of the block. The last two are decisions, which are right until the next node joins or splits. */
enum { IS_GROUP = 1, MAY_JOIN = 2, IS_AT_PARKING = 4, IS_MASSLESS = 8, SHOULD_SPLIT = 16, SHOULD_JOIN = 32 };

/* Pieces of loops over the block, nodes that the calling thread decides about alone, and how many times a team decides again. */
enum { DECIDED_PIECE = 16, DECIDED_ALONE = 64, DECIDED_AGAIN = 8 };

static void decide_piece(void *context, size_t k, size_t end)
{
  const struct change *c = context;
  for (; k < end; k++) c->decide(c, c->first + k);
}

/* Calls decide(c, b) for the block that was hinted at, from the b-th node on. */
static void decide_from(struct change *c, size_t b, void (*decide)(const struct change *c, size_t b))
{
  size_t alone = c->h->groups->nodes.need ? SIZE_MAX : DECIDED_ALONE; /* see hb_groups_need */
  if (b >= c->hinted) return;
  c->first = b;
  c->decide = decide;
  hb_parallel_shares(c->hinted - b, DECIDED_PIECE, alone, decide_piece, c);
  c->decided = c->makes;
}

/* A node has joined or split: a team decides again about those from the b-th on. Where there is none, or this has happened many times, the
 * others are decided about when it is their turn. */
static void decide_again(struct change *c, size_t b, void (*decide)(const struct change *c, size_t b))
{
  int is_for_team = !c->h->groups->nodes.need && hb_parallel_threads() > 1 && c->hinted > b + DECIDED_ALONE;
  if (is_for_team && c->again++ < DECIDED_AGAIN) decide_from(c, b, decide);
}

/* What groups->fresh has of slots: which change in this block, and which of them it found parked. */
enum { IS_NEW = 1, WAS_PARKED = 2 };

static void add(struct change *c, uint32_t node)
{
  const struct hb_hermite4 *h = c->h;
  h->groups->live[h->groups->m[node] > 0 ? c->live++ : h->n - ++c->massless] = node;
  h->groups->is_live[node] = 1;
}

static void place_node(struct hb_hermite4 *h, const struct hb_groups_node *node)
{
  size_t k = 3 * (size_t)node->node;
  memcpy(h->xp + k, node->x, sizeof node->x);
  memcpy(h->vp + k, node->v, sizeof node->v);
  if (h->near) h->near->stamp[node->node] = h->near->now;
  h->groups->fresh[node->node] |= IS_NEW;
}

static void place(struct change *c, const struct hb_groups_node *node)
{
  if (c->makes < MADE_MOST) c->made[c->makes] = node->node;
  c->makes++;
  place_node(c->h, node);
}

static void decide_split(const struct change *c, size_t b)
{
  const struct hb_groups *groups = c->h->groups;
  const struct hb_group *g = hb_groups_of(groups, groups->live[b]);
  size_t link;
  groups->hint[b] &= (uint8_t)~SHOULD_SPLIT;
  if (g && hb_groups_should_split(groups, g, &link)) groups->hint[b] |= SHOULD_SPLIT;
}

static enum hb_status split(struct change *c)
{
  struct hb_groups *groups = c->h->groups;
  decide_from(c, 0, decide_split);
  for (size_t l = 0, live = c->live; l < live; l++) {
    if (l < c->hinted && !(groups->hint[l] & (c->decided == c->makes ? SHOULD_SPLIT : IS_GROUP))) continue;
    uint32_t node = groups->live[l];
    struct hb_group *g = hb_groups_of(groups, node);
    struct hb_groups_node made[2];
    size_t link;
    if (!g || !hb_groups_should_split(groups, g, &link)) continue;
    HB_TRY(hb_groups_wake_listers(groups, c->T, node));
    HB_TRY(hb_groups_split(groups, c->T, node, link, made));
    for (size_t s = 0; s < 2; s++) {
      place(c, made + s);
      if (made[s].node == node) continue;
      groups->fresh[made[s].node] |= WAS_PARKED;
      hb_hermite4_near_divide(c->h, c->T, node, made[s].node);
      if (!groups->is_live[made[s].node]) add(c, made[s].node);
    }
    c->is_any = 1;
    decide_again(c, l + 1, decide_split);
  }
  return HB_OK;
}

/* Whether what a star feels of others is so much that one of them may be close. */
static int is_pulled(const struct hb_hermite4 *h, uint32_t star)
{
  size_t k = 3 * (size_t)star;
  double least = hb_groups_least_pull(h->groups, h->groups->m[star]), of_field[3] = {0}, j[3] = {0}, a[3];
  if (h->field) hb_field_add(h->field, 1, &star, h->xp, h->vp, of_field, j);
  for (size_t d = 0; d < 3; d++) a[d] = h->a[k + d] - of_field[d];
  return hb_dot(a, a) > least * least;
}

/* Whether any neighbor is so close that hb_groups_are_far could be false, at the place that was predicted. */
static int is_close_to_any(const struct hb_hermite4 *h, uint32_t node)
{
  static const double moved = 1.1;
  const struct hb_groups *groups = h->groups;
  return groups->radius ||
         !hb_groups_are_far(groups, groups->m[node], groups->m_most, h->near->nearest2[node] / moved);
}

/* True if nodes may join whatever their distance is, so that each is compared with each: few bodies are one group. */
static int meet_at_any_distance(const struct hb_hermite4 *h)
{
  enum { FEW = 8 };
  return h->n <= FEW || hb_groups_are_few(h->groups);
}

static int may_join(const struct hb_hermite4 *h, uint32_t node)
{
  if (h->groups->of[node] == HB_GROUPS_PARKED) return 0;
  if (h->groups->fresh[node] || meet_at_any_distance(h)) return 1;
  if (hb_hermite4_has_lists(h)) return is_close_to_any(h, node);
  return h->groups->of[node] != HB_GROUPS_STAR || is_pulled(h, node);
}

/* Returns a row that is larger for larger x in float. 0 is added so that -0 and 0 have the same row. */
static uint64_t row_of(double x, uint32_t l)
{
  float rounded = (float)x + 0.0F;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits = bits >> 31 ? ~bits : bits | 1U << 31;
  return (uint64_t)bits << 32 | l;
}

static int compare_rows(const void *a, const void *b)
{
  const uint64_t *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

/* Sorts the live nodes with mass, except where they are sorted already, are few, have lists, or may join from any distance. */
static enum hb_status sort_live(struct change *c)
{
  enum { FEW = 128 };
  const struct hb_groups *groups = c->h->groups;
  struct order *o = &c->order;
  if (o->count > 0 || c->live < FEW || groups->nodes.list || groups->radius) return HB_OK;
  if (!o->row) HB_TRY(HB_ALLOC(c->h->n, &o->row));
  o->moved = o->m_most = 0;
  for (size_t l = 0; l < c->live; l++) {
    o->row[l] = row_of(c->h->xp[3 * (size_t)groups->live[l]], (uint32_t)l);
    o->m_most = fmax(o->m_most, groups->m[groups->live[l]]);
  }
  qsort(o->row, c->live, sizeof *o->row, compare_rows);
  o->count = c->live;
  return HB_OK;
}

/* Adapts the order to a node that two have become, before it is placed. If it moves for the second time, all are sorted again. */
static void note_join(struct change *c, const struct hb_groups_node *made)
{
  struct order *o = &c->order;
  if (c->h->groups->fresh[made->node]) o->count = 0;
  o->moved = fmax(o->moved, fabs(made->x[0] - c->h->xp[3 * (size_t)made->node]));
  o->m_most = fmax(o->m_most, c->h->groups->m[made->node]);
}

/* Returns the index of the first row that is not below this one. */
static size_t find_row(const struct order *o, uint64_t row)
{
  size_t begin = 0, end = o->count;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (o->row[middle] < row)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* The nearest node found so far that a node should join. Of two at the same distance it is the one with the smaller index. */
struct partner {
  uint32_t node;
  size_t l; /* index in the list that was searched */
  double r2;
};

/* Makes node k, at index l of the list, the partner of a node if the two should join and it is nearer than the best so far. */
static void try_partner(const struct change *c, uint32_t node, uint32_t k, size_t l, struct partner *best)
{
  const struct hb_groups *groups = c->h->groups;
  int is_at_any_distance = groups->radius || meet_at_any_distance(c->h); /* large bodies touch */
  if (k == node || groups->of[k] == HB_GROUPS_PARKED || !groups->is_live[k] || !(groups->m[k] > 0)) return;
  double r2 = hb_distance2(c->h->xp, node, k);
  if (!is_at_any_distance && hb_groups_are_far(groups, groups->m[node], groups->m[k], r2)) return;
  if (!hb_groups_should_join(groups, node, k)) return;
  if (r2 < best->r2 || (r2 == best->r2 && l < best->l)) *best = (struct partner){k, l, r2};
}

/* Returns the nearest of those with mass that the node should join, or the node itself. */
static uint32_t partner_of(const struct change *c, uint32_t node)
{
  static const double margin = 1e-6, rounding = 1e-15;
  const struct hb_groups *groups = c->h->groups;
  const struct order *o = &c->order;
  struct hb_groups_around around = {groups->live, c->live};
  struct partner best = {.node = node, .l = SIZE_MAX, .r2 = INFINITY};
  if (o->count > 0) {
    double x = c->h->xp[3 * (size_t)node], reach = hb_groups_far_distance(groups, groups->m[node], o->m_most);
    reach = (1 + margin) * (reach + o->moved) + rounding * fabs(x);
    uint64_t last = row_of(x + reach, UINT32_MAX);
    for (size_t k = find_row(o, row_of(x - reach, 0)); k < o->count && o->row[k] <= last; k++) {
      uint32_t l = (uint32_t)o->row[k];
      try_partner(c, node, groups->live[l], l, &best);
    }
    return best.node;
  }
  if (groups->nodes.list) around = hb_groups_near(groups, node);
  for (size_t l = 0; l < around.count; l++) try_partner(c, node, around.list[l], l, &best);
  return best.node;
}

/* Two nodes that become one are an encounter, unless they are bound already. */
static enum hb_status tell(const struct change *c, uint32_t i, uint32_t k)
{
  const struct hb_hermite4 *h = c->h;
  const struct hb_orbit orbit = hb_orbit_of_pair(h->groups->m, h->xp, h->vp, 0, i, k);
  struct hb_event event = hb_event_of(HB_EVENT_ENCOUNTER, hb_hermite4_at(h, c->T), 0, 0, &orbit);
  event.n = 0;
  hb_hermite4_add_members(h, i, &event);
  hb_hermite4_add_members(h, k, &event);
  return orbit.a > 0 ? HB_OK : hb_events_add(h->events, &event);
}

/* True if a node that has joined or split is so close to another node that the two could join. */
static int is_close_to_made(const struct change *c, uint32_t node)
{
  const struct hb_groups *groups = c->h->groups;
  for (size_t k = 0; k < c->makes && c->makes <= MADE_MOST; k++)
    if (!hb_groups_are_far(groups, groups->m[node], groups->m[c->made[k]],
                           hb_distance2(c->h->xp, node, c->made[k])))
      return 1;
  return c->makes > MADE_MOST;
}

/* False if the b-th node of the block, which was hinted at, has no partner. Of a node without MAY_JOIN only those that have joined or split
 * since then can be partners. */
static int may_have_partner(const struct change *c, size_t b)
{
  uint32_t node = c->h->groups->live[b];
  return (c->h->groups->hint[b] & MAY_JOIN || is_close_to_made(c, node)) && may_join(c->h, node);
}

static void decide_join(const struct change *c, size_t b)
{
  const struct hb_groups *groups = c->h->groups;
  groups->hint[b] &= (uint8_t)~SHOULD_JOIN;
  if (may_have_partner(c, b) && partner_of(c, groups->live[b]) != groups->live[b])
    groups->hint[b] |= SHOULD_JOIN;
}

/* True if no node needs to be looked for that the l-th live node could join. */
static int has_no_partner(const struct change *c, size_t l)
{
  if (l >= c->hinted) return !may_join(c->h, c->h->groups->live[l]);
  return c->decided == c->makes ? !(c->h->groups->hint[l] & SHOULD_JOIN) : !may_have_partner(c, l);
}

/* Whether one of nodes[count] joined goes to *joined. */
static enum hb_status join(struct change *c, size_t count, const uint32_t *nodes, int *joined)
{
  struct hb_groups *groups = c->h->groups;
  for (size_t l = 0; l < count; l++) {
    uint32_t node = nodes[l], partner;
    struct hb_groups_node made;
    if (nodes == groups->live ? has_no_partner(c, l) : !may_join(c->h, node)) continue;
    HB_TRY(sort_live(c));
    if ((partner = partner_of(c, node)) == node) continue;
    if (hb_groups_meet_closely(groups, node, partner)) HB_TRY(tell(c, node, partner));
    HB_TRY(hb_groups_wake_listers(groups, c->T, node));
    HB_TRY(hb_groups_wake_listers(groups, c->T, partner));
    hb_hermite4_near_unite(c->h, c->T, node, partner);
    HB_TRY(hb_groups_join(groups, c->T, node, partner, &made));
    note_join(c, &made);
    place(c, &made);
    groups->fresh[made.node == node ? partner : node] |= IS_NEW;
    *joined = c->is_any = 1;
    if (nodes == groups->live) decide_again(c, l + 1, decide_join);
  }
  return HB_OK;
}

static enum hb_status join_all(struct change *c)
{
  const uint32_t *live = c->h->groups->live;
  for (int joined = 1; joined;) {
    joined = 0;
    c->decided = SIZE_MAX; /* about splits, or in the round before */
    if (c->is_any)
      decide_again(c, 0, decide_join);
    else
      decide_from(c, 0, decide_join);
    HB_TRY(join(c, c->live, live, &joined));
    HB_TRY(join(c, c->massless, live + c->h->n - c->massless, &joined));
  }
  return HB_OK;
}

/* ---- what is new ---- */

/* All that are live, ascending, to `to`; where those that are parked move, all slots. */
static size_t gather_live(const struct change *c, int has_moved, uint32_t *to)
{
  const uint32_t *live = c->h->groups->live;
  size_t count = 0;
  if (has_moved)
    while (count < c->h->n) to[count] = (uint32_t)count, count++;
  if (has_moved) return count;
  for (; count < c->live; count++) to[count] = live[count];
  for (size_t l = c->h->n - c->massless; l < c->h->n; l++) to[count++] = live[l];
  hb_groups_sort(count, to);
  return count;
}

/* Slots of fresh nodes and those that are parked now leave the schedule; they are what the device must hear of, and become the
 * block. */
static size_t unschedule(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  const double *at = h->groups->parking, before[] = {at[0], at[1], at[2]};
  size_t ni = 0;
  find_parking(h);
  int has_moved = memcmp(before, at, sizeof before) != 0;
  for (size_t l = 0, count = gather_live(c, has_moved, h->block); l < count; l++) {
    uint32_t i = h->block[l];
    int is_parked = h->groups->of[i] == HB_GROUPS_PARKED;
    int is_fresh = h->groups->fresh[i], was_parked = is_fresh != IS_NEW;
    if (!was_parked) hb_blocks_remove(h->blocks, i);
    if (is_parked && (has_moved || is_fresh)) park(h, i);
    if (is_parked ? was_parked && !has_moved : !is_fresh) continue;
    hb_hermite4_place(h, i);
    h->block[ni++] = i;
  }
  return ni;
}

static enum hb_status look_around(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_groups *groups = hb_hermite4_groups_now(h);
  HB_TRY(hb_groups_find_hits(groups, ni, h->block));
  hb_groups_activate(groups, T, ni, h->block);
  HB_TRY(hb_groups_look_around(groups, T, ni, h->block));
  HB_TRY(hb_groups_look_far(groups, T, ni, h->block));
  hb_groups_activate(groups, T, ni, h->block); /* those whose lists have become longer, too */
  return HB_OK;
}

enum hb_status hb_hermite4_start_nodes(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  if (h->has_parts) {
    if (!h->is_changing) hb_hermite4_predict_others(h, T, ni); /* a change has */
    hb_hermite4_near.renew(h, T, ni);
  }
  if (h->groups) HB_TRY(look_around(h, T, ni));
  HB_TRY(hb_hermite4_sum(h, T, ni));
  for (size_t b = 0; b < ni; b++) hb_hermite4_begin_anew(h, T, b);
  return HB_OK;
}

enum hb_status hb_hermite4_open_group(struct hb_hermite4 *h, uint64_t T, uint32_t node, unsigned as,
                                      uint8_t *what)
{
  what[node] |= (uint8_t)as;
  while (hb_groups_of(h->groups, node)) {
    struct hb_groups_node made[2];
    HB_TRY(hb_groups_split(hb_hermite4_groups_now(h), T, node, 0, made));
    for (size_t s = 0; s < 2; s++) place_node(h, made + s);
    uint32_t other = made[made[0].node == node].node;
    hb_hermite4_near_divide(h, T, node, other);
    HB_TRY(hb_hermite4_open_group(h, T, other, as, what));
  }
  return HB_OK;
}

static enum hb_status start_fresh(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  struct hb_groups *groups = h->groups;
  size_t changed = unschedule(c), ni = 0;
  HB_TRY(hb_groups_weigh(groups));
  if (h->params.transfer == HB_TRANSFER_BLOCK) HB_TRY(hb_hermite4_keep(h, changed, h->block));
  for (size_t l = 0; l < changed; l++) hb_hermite4_near.store(h, h->block[l]);
  for (size_t l = 0; l < changed; l++)
    if (groups->of[h->block[l]] != HB_GROUPS_PARKED) h->block[ni++] = h->block[l];
  HB_TRY(hb_hermite4_start_nodes(h, c->T, ni));
  return h->params.transfer == HB_TRANSFER_BLOCK ? hb_hermite4_keep(h, ni, h->block) : HB_OK;
}

static void forget_live(const struct change *c)
{
  const struct hb_groups *groups = c->h->groups;
  for (size_t l = 0; l < groups->n; l++) {
    if (l == c->live) l = groups->n - c->massless;
    if (l == groups->n) return;
    groups->fresh[groups->live[l]] = groups->is_live[groups->live[l]] = 0;
  }
}

struct looking {
  struct hb_hermite4 *h;
  size_t ni;
  _Atomic unsigned found;
};

enum { LOOKED_PIECE = 64, LOOKED_ALONE = 32 };

/* Whether anyone of the block and of a node's list could be its partner. */
static int has_candidate(const struct looking *l, uint32_t node)
{
  const struct hb_groups *groups = l->h->groups;
  const double *x = l->h->particles->x, *v = l->h->particles->v; /* those of the block */
  struct hb_groups_around around = hb_groups_near(groups, node);
  if (groups->radius || meet_at_any_distance(l->h)) return 1;
  if (l->ni < around.count) around = (struct hb_groups_around){l->h->block, l->ni}; /* no fewer */
  for (size_t k = 0; k < around.count; k++) {
    uint32_t other = around.list[k];
    if (other == node || !(groups->m[other] > 0) || !hb_groups_active(groups, other)) continue;
    double r2 = hb_distance2(x, node, other);
    if (!hb_groups_are_far(groups, groups->m[node], groups->m[other], r2) &&
        hb_groups_may_meet(groups, x, v, node, other))
      return 1;
  }
  return 0;
}

/* With lists: who of the block can change anything is seen by a team; it is put where it was corrected. */
static void look_piece(void *context, size_t b, size_t end)
{
  struct looking *l = context;
  struct hb_hermite4 *h = l->h;
  struct hb_groups *groups = h->groups;
  unsigned found = 0;
  for (; b < end; b++) {
    uint32_t i = h->block[b];
    hb_hermite4_place_corrected(h, b, b + 1);
    unsigned hint = (groups->of[i] != HB_GROUPS_STAR ? IS_GROUP : 0) |
                    (may_join(h, i) && has_candidate(l, i) ? MAY_JOIN : 0) |
                    (is_near(h->xp + 3 * (size_t)i, groups->parking) ? IS_AT_PARKING : 0) |
                    (groups->m[i] > 0 ? 0 : IS_MASSLESS);
    groups->hint[b] = (uint8_t)hint;
    found |= hint;
  }
  l->found |= found;
}

static enum hb_status change_block(struct change *c, size_t ni)
{
  struct hb_hermite4 *h = c->h;
  if (h->groups->count > 0) {
    HB_TRY(hb_groups_look_around(h->groups, c->T, ni, h->block));
    HB_TRY(hb_groups_look_far(h->groups, c->T, ni, h->block));
  }
  if (!c->hinted || c->found & IS_AT_PARKING) HB_TRY(leave_parking(h, ni));
  HB_TRY(split(c));
  HB_TRY(join_all(c));
  return c->is_any ? start_fresh(c) : HB_OK;
}

static enum hb_status regroup_by_hints(struct change *c, size_t ni)
{
  struct hb_hermite4 *h = c->h;
  struct looking l = {.h = h, .ni = ni};
  hb_parallel_shares(ni, LOOKED_PIECE, LOOKED_ALONE, look_piece, &l);
  c->found = l.found;
  if (!(l.found & (IS_GROUP | MAY_JOIN | IS_AT_PARKING))) return HB_OK;
  for (size_t b = 0; b < ni; b++)
    if (!(h->groups->hint[b] & IS_MASSLESS) || h->groups->hint[b] & MAY_JOIN) add(c, h->block[b]);
  if (!(l.found & IS_MASSLESS)) c->hinted = ni;
  HB_TRY(change_block(c, ni));
  forget_live(c);
  return HB_OK;
}

static enum hb_status regroup(struct hb_hermite4 *h, uint64_t T, size_t *block_size)
{
  struct change c = {.h = h, .T = T};
  size_t ni = *block_size;
  hb_hermite4_groups_now(h);
  if (hb_hermite4_has_lists(h)) return regroup_by_hints(&c, ni);
  for (size_t b = 0; b < ni; b++)
    if (h->groups->m[h->block[b]] > 0 || may_join(h, h->block[b])) add(&c, h->block[b]);
  hb_hermite4_place_corrected(h, 0, ni);
  enum hb_status status = change_block(&c, ni);
  hb_mem_free(c.order.row);
  HB_TRY(status);
  forget_live(&c);
  return HB_OK;
}

/* ---- members ---- */

static enum hb_status resolve_groups(const struct hb_hermite4 *h, double t, double *x, double *v,
                                     double *e_rounded)
{
  return hb_groups_resolve(hb_hermite4_groups_now(h), h->blocks->now, t, x, v, e_rounded);
}

/* ---- the companion ---- */

/* True if two bodies may touch before they are close. Each then joins the group that it may touch a member of, and by perturbation
 * groups are so wide that they would soon be full: contacts between members of two full groups are not found. */
static int has_large_bodies(const struct hb_hermite4 *h)
{
  const struct hb_particles *p = h->particles;
  for (size_t i = 0; i < h->n && h->groups->radius; i++)
    if (p->m[i] > 0 && 2 * p->radius[i] > h->groups->r_close) return 1;
  return 0;
}

static enum hb_status open_groups(struct hb_hermite4 *h)
{
  const struct hb_sim_params *params = &h->params;
  if (params->encounters != HB_ENCOUNTERS_GROUPS) return HB_OK;
  HB_TRY(hb_groups_create(h->particles, h->rule.noise > 0, &h->groups));
  h->groups->field = h->field;
  h->groups->light = params->light_speed;
  h->groups->gathers_few = 1;
  if (params->collisions != HB_COLLISIONS_NONE || params->approach_distance > 0 || params->approach_radii > 0)
    h->groups->radius = h->particles->radius;
  if (params->neighbors > 0 || (!meet_at_any_distance(h) && !has_large_bodies(h)))
    hb_groups_use(h->groups, &hb_groups_by_perturbation);
  return HB_OK;
}

static void close_groups(struct hb_hermite4 *h) { hb_groups_destroy(h->groups); }

static enum hb_status first_groups(struct hb_hermite4 *h)
{
  size_t n = h->n;
  hb_groups_activate(h->groups, 0, n, h->block);
  return regroup(h, 0, &n);
}

static enum hb_status weigh_nodes(struct hb_hermite4 *h)
{
  return h->groups ? hb_groups_weigh(h->groups) : HB_OK;
}

static enum hb_status grow_nodes(struct hb_hermite4 *h, size_t n)
{
  if (h->groups->radius) h->groups->radius = h->particles->radius;
  return hb_groups_grow(h->groups, n);
}

static void drop_nodes(struct hb_hermite4 *h, const uint32_t *number, size_t left)
{
  hb_groups_renumber(h->groups, number, left);
}

static enum hb_status put_groups(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  return hb_groups_put(h->groups, sections);
}

/* A group is brought to the times of blocks, at least to those of its node. */
static enum hb_status check_ticks(const struct hb_hermite4 *h)
{
  const struct hb_groups *groups = h->groups;
  for (size_t k = 0; k < groups->count; k++) {
    uint64_t tick = groups->at[k].tick,
             from = hb_blocks_level_time(h->blocks, h->blocks->level[groups->at[k].node]);
    if (tick < from || tick > h->blocks->now || groups->at[k].tides.tick > h->blocks->now ||
        groups->at[k].tides.far_tick > h->blocks->now)
      return hb_fail(HB_ERR_INPUT, "section 'groups.tick' has %llu for group %zu, expected %llu to %llu",
                     (unsigned long long)tick, k, (unsigned long long)from,
                     (unsigned long long)h->blocks->now);
  }
  return HB_OK;
}

/* All parked slots are at one place, which is where they are parked. */
static enum hb_status get_parking(struct hb_hermite4 *h)
{
  struct hb_groups *groups = h->groups;
  double *parking = groups->parking;
  const double *x = h->particles->x;
  corner(0, parking);
  for (size_t i = 0; i < h->n; i++)
    if (groups->of[i] == HB_GROUPS_PARKED) memcpy(parking, x + 3 * i, 3 * sizeof *x);
  int is_place = is_corner(parking);
  for (size_t k = 0; k < 3 * h->n; k++)
    if (groups->of[k / 3] == HB_GROUPS_PARKED && !(is_place && x[k] == parking[k % 3]))
      return hb_fail(HB_ERR_INPUT,
                     "section 'x' has %g for member %zu of a group, expected a corner for "
                     "those who are in one",
                     x[k], k / 3);
  return HB_OK;
}

static enum hb_status get_groups(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  if (!h->groups) return HB_OK;
  double gone = (double)h->counts.merged + (double)h->counts.escaped;
  if (!(h->params.neighbors > 0)) hb_groups_use(h->groups, hb_groups_saved_rules(sections));
  HB_TRY(hb_groups_get(sections, h->groups));
  HB_TRY(check_ticks(h));
  HB_TRY(get_parking(h));
  return h->counts.changes ? HB_OK : hb_groups_compare(h->groups, h->particles, gone, h->counts.escaped > 0);
}

const struct hb_companion hb_companion_heavy = {.state = offsetof(struct hb_hermite4, groups),
                                                .forces = add_heavy};

const struct hb_companion hb_companion_groups = {.state = offsetof(struct hb_hermite4, groups),
                                                 .open = open_groups,
                                                 .close = close_groups,
                                                 .begin = first_groups,
                                                 .before = meet,
                                                 .forces = correct_near,
                                                 .limit = limit_step,
                                                 .after = regroup,
                                                 .resolve = resolve_groups,
                                                 .weigh = weigh_nodes,
                                                 .grow = grow_nodes,
                                                 .drop = drop_nodes,
                                                 .put = put_groups,
                                                 .get = get_groups};
