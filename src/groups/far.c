/* Nodes and groups that are in no list of each other: the tides of distant nodes on a pair, as a tensor, and the quadrupoles of pairs
 * on distant nodes. What is in lists is in advance.c and correct.c. */
#include "groups/groups_internal.h"

#include "base/arith.h"
#include "base/ascending.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "chain/lanes.h"
#include "chain/quadrupole.h"

#include <string.h>

/* ---- tides ---- */

enum { TENSOR_NUMBERS = 12 }; /* of a tide: the tensor as xx yy zz xy xz yz, and its rate */

/* HB_LANES nodes side by side. Unused lanes have mass 0. */
struct view {
  double m[HB_LANES], x[3][HB_LANES], v[3][HB_LANES];
};

/* The center of a group, about which tides are summed. */
struct center {
  double x[3], v[3];
};

/* Which share of the tide of a node counts: constant + of_near s, where s is 1 up to half of the square of the distance cut, 0 beyond the
 * cut, and smooth between, so that nothing jumps where nodes pass the cut. */
struct tide_share {
  double constant, of_near;
};
static const struct tide_share share_all = {1, 0}, share_near = {0, 1}, share_far = {1, -1},
                               share_negative = {-1, 0};

/* Adds to sum[12] the tidal tensors of the nodes of a view and their rates, without the node that is the center; to_near is 2 / cut^2. */
HB_CLONES static void add_tides(const struct view *p, const struct center *at, double to_near,
                                const struct tide_share *share, double sum[TENSOR_NUMBERS][HB_LANES])
{
  const double constant = share->constant, of_near = share->of_near;
#pragma omp simd
  for (size_t l = 0; l < HB_LANES; l++) {
    double x = p->x[0][l] - at->x[0], y = p->x[1][l] - at->x[1], z = p->x[2][l] - at->x[2];
    double u = p->v[0][l] - at->v[0], v = p->v[1][l] - at->v[1], w = p->v[2][l] - at->v[2];
    double r2 = x * x + y * y + z * z, rv = x * u + y * v + z * w, s = 2 - r2 * to_near;
    double m = r2 > 0 ? p->m[l] : 0;
    s = s > 0 ? s : 0;
    s = s < 1 ? s : 1;
    double mass = m * (constant + of_near * (s * s * (3 - 2 * s)));
    double rate = m * of_near * -12 * s * (1 - s) * to_near * rv;
    r2 = m > 0 ? r2 : 1;
    double i2 = 1 / r2, i3 = i2 * sqrt(i2), i5 = 3 * i3 * i2, m5 = mass * i5, d = m5 * rv;
    double f = rate * i5 - 5 * d * i2, g = d - rate * i3, m3 = mass * i3;
    sum[0][l] += m5 * x * x - m3;
    sum[1][l] += m5 * y * y - m3;
    sum[2][l] += m5 * z * z - m3;
    sum[3][l] += m5 * x * y;
    sum[4][l] += m5 * x * z;
    sum[5][l] += m5 * y * z;
    sum[6][l] += 2 * m5 * x * u + f * x * x + g;
    sum[7][l] += 2 * m5 * y * v + f * y * y + g;
    sum[8][l] += 2 * m5 * z * w + f * z * z + g;
    sum[9][l] += m5 * (x * v + y * u) + f * x * y;
    sum[10][l] += m5 * (x * w + z * u) + f * x * z;
    sum[11][l] += m5 * (y * w + z * v) + f * y * z;
  }
}

static struct center center_at(const struct hb_groups *groups, uint32_t node)
{
  struct center at;
  memcpy(at.x, groups->nodes.xp + 3 * (size_t)node, sizeof at.x);
  memcpy(at.v, groups->nodes.vp + 3 * (size_t)node, sizeof at.v);
  return at;
}

/* Sets a view to the nodes from .. to - 1 of those around, HB_LANES at most, at xp vp. */
static void view_nodes(const struct hb_groups *groups, const struct hb_groups_around *around, size_t from,
                       size_t to, struct view *view)
{
  for (size_t l = to - from; l < HB_LANES; l++) {
    view->m[l] = 0;
    for (size_t c = 0; c < 3; c++) view->x[c][l] = view->v[c][l] = 0;
  }
  for (size_t l = 0; l < to - from; l++) {
    uint32_t i = hb_groups_around_at(around, from + l);
    view->m[l] = groups->m[i];
    for (size_t c = 0, k = 3 * (size_t)i; c < 3; c++, k++)
      view->x[c][l] = groups->nodes.xp[k], view->v[c][l] = groups->nodes.vp[k];
  }
}

/* Adds to sum[12] the tides of all nodes around, at xp vp, without that of the center. */
static void add_nodes(const struct hb_groups *groups, uint32_t center, const struct hb_groups_around *around,
                      double cut2, const struct tide_share *share, double sum[TENSOR_NUMBERS][HB_LANES])
{
  const struct center at = center_at(groups, center);
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t from = 0; from < around->count; from += HB_LANES) {
    struct view view;
    view_nodes(groups, around, from, hb_parallel_end(around->count, HB_LANES, from), &view);
    add_tides(&view, &at, to_near, share, sum);
  }
}

/* Returns the square of the norm of a tensor. */
static double norm2(const double T[6])
{
  return T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5]);
}

/* Returns the square of the distance up to which the list of neighbors is complete; 0 if unknown. */
static double reach2(const struct hb_groups *groups, uint32_t node)
{
  return groups->nodes.reach2 ? groups->nodes.reach2[node] / groups->nodes.grown : 0;
}

/* The square of the distance cut relative to reach2: neighbors may be farther from a center than from where it was when its list was
 * made. */
static const double part_of_reach = 0.7;

/* True if the far part has to be found anew. It is extrapolated linearly until the list of neighbors no longer reaches to the cut; or,
 * where all positions are known anyway, until it has changed by a certain part of itself, which is smaller for wider pairs. */
static int is_far_old(const struct hb_groups *groups, const struct hb_group *g, uint64_t tick)
{
  static const double least = 0.07, most = 0.3, at_tide = 2e-3;
  const struct hb_groups_tides *t = &g->tides;
  double reach = reach2(groups, g->node), dt = hb_groups_since(groups, t->far_tick, tick);
  if (!(reach > 0) || !hb_groups_keeps_tides(groups, g)) return 0;
  if (t->cut2 == 0 || t->cut2 > reach) return 1;
  if (!groups->nodes.is_full) return 0;
  double change = least * sqrt(sqrt(at_tide / hb_groups_system_tide(groups, g)));
  change = fmin(fmax(change, least), most);
  return dt * dt * norm2(t->of_far + 6) > change * change * norm2(t->of_far);
}

/* True if of_all has to be found anew. It is extrapolated linearly until it has changed by a certain part of itself, or a node has left
 * the list. */
static int is_near_old(const struct hb_groups *groups, const struct hb_group *g, uint64_t tick)
{
  static const double change = 0.07;
  const struct hb_groups_tides *t = &g->tides;
  double dt = hb_groups_since(groups, t->tick, tick);
  return t->is_old || dt * dt * norm2(t->of_all + 6) > change * change * norm2(t->of_all);
}

/* Adds up the lanes. */
static void end_sum(double sum[TENSOR_NUMBERS][HB_LANES], double T[TENSOR_NUMBERS])
{
  for (size_t c = 0; c < TENSOR_NUMBERS; c++) T[c] = hb_lanes_sum(sum[c]);
}

/* ---- many nodes ---- */

/* Nodes that follow each other in the order of space, as a point: mass, center of mass and its velocity, squared radius. */
struct hb_groups_box {
  double m, x[3], v[3], size2;
};
enum {
  BOX = 32,
  PARTS = BOX / HB_LANES,
  FROM = 2048
}; /* nodes in a box; its parts; boxes are used from this number of nodes on */

/* A box, its parts, and the nodes of these. */
struct hb_groups_boxes {
  struct hb_groups_box all, part[PARTS];
  struct view view[PARTS];
};

/* Makes a box of `count` views. */
HB_CLONES static void enclose(const struct view *view, size_t count, struct hb_groups_box *box)
{
  double sum[7][HB_LANES] = {{0}}, most[HB_LANES] = {0}, M;
  for (size_t p = 0; p < count; p++)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double m = view[p].m[l];
      sum[6][l] += m;
      for (size_t c = 0; c < 3; c++) sum[c][l] += m * view[p].x[c][l], sum[3 + c][l] += m * view[p].v[c][l];
    }
  *box = (struct hb_groups_box){.m = M = hb_lanes_sum(sum[6])};
  for (size_t c = 0; c < 3 && M > 0; c++)
    box->x[c] = hb_lanes_sum(sum[c]) / M, box->v[c] = hb_lanes_sum(sum[3 + c]) / M;
  for (size_t p = 0; p < count; p++)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double x = view[p].x[0][l] - box->x[0], y = view[p].x[1][l] - box->x[1],
             z = view[p].x[2][l] - box->x[2], r2 = x * x + y * y + z * z;
      r2 = view[p].m[l] > 0 ? r2 : 0;
      most[l] = r2 > most[l] ? r2 : most[l];
    }
  for (size_t l = 0; l < HB_LANES; l++) box->size2 = most[l] > box->size2 ? most[l] : box->size2;
}

static void make_box(const struct hb_groups *groups, const struct hb_groups_around *in,
                     struct hb_groups_boxes *box)
{
  for (size_t p = 0, from = 0; p < PARTS; p++, from += HB_LANES) {
    size_t begin = from < in->count ? from : in->count;
    view_nodes(groups, in, begin, hb_parallel_end(in->count, HB_LANES, begin), box->view + p);
    enclose(box->view + p, 1, box->part + p);
  }
  enclose(box->view, PARTS, &box->all);
}

void hb_groups_set_order(struct hb_groups *groups, const uint32_t *place)
{
  for (uint32_t i = 0; i < groups->n; i++) groups->in_space[place[i]] = i;
  groups->has_order = groups->n >= FROM;
}

enum { BOXES_PIECE = 16, BOXES_ALONE = 64 };

static void box_piece(void *context, size_t k, size_t end)
{
  const struct hb_groups *groups = context;
  for (; k < end; k++) {
    const struct hb_groups_around in = {groups->in_space + k * BOX,
                                        hb_parallel_end(groups->n, BOX, k * BOX) - k * BOX};
    make_box(groups, &in, groups->box + k);
  }
}

static enum hb_status make_boxes(struct hb_groups *groups)
{
  size_t count = hb_div_ceil(groups->n, BOX);
  if (!groups->box) HB_TRY(HB_ALLOC(count, &groups->box));
  hb_parallel_pieces(count, BOXES_PIECE, BOXES_ALONE, box_piece, groups);
  return HB_OK;
}

/* A sum of the far part about a center. Points are collected in a view, and added when it is full. */
struct far {
  struct center at;
  double cut2, (*sum)[HB_LANES];
  struct view view;
  size_t lane;
};

/* Adds a box as a point. */
static void add_point_of(struct far *far, const struct hb_groups_box *p)
{
  far->view.m[far->lane] = p->m;
  for (size_t c = 0; c < 3; c++) far->view.x[c][far->lane] = p->x[c], far->view.v[c][far->lane] = p->v[c];
  if (++far->lane < HB_LANES) return;
  add_tides(&far->view, &far->at, 0, &share_all, far->sum);
  far->lane = 0;
}

/* True if a box may be a point: its radius is below 0.4 of its distance, and all of it is beyond the cut. */
static int is_point(const struct far *far, const struct hb_groups_box *p)
{
  static const double open = 0.16, beyond = 3;
  const double r[] = {p->x[0] - far->at.x[0], p->x[1] - far->at.x[1], p->x[2] - far->at.x[2]};
  double d2 = hb_dot(r, r);
  return p->size2 < open * d2 && d2 > beyond * far->cut2;
}

/* Adds to sum[12] the far part from boxes, from parts of boxes that are too near to be points, and from nodes of parts that are. */
static void add_boxes(const struct hb_groups *groups, uint32_t center, double cut2,
                      double sum[TENSOR_NUMBERS][HB_LANES])
{
  struct far far = {.at = center_at(groups, center), .cut2 = cut2, .sum = sum};
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t k = 0; k < hb_div_ceil(groups->n, BOX); k++) {
    const struct hb_groups_boxes *box = groups->box + k;
    if (!(box->all.m > 0)) continue;
    if (is_point(&far, &box->all)) {
      add_point_of(&far, &box->all);
      continue;
    }
    for (size_t p = 0; p < PARTS; p++)
      if (is_point(&far, box->part + p))
        add_point_of(&far, box->part + p);
      else
        add_tides(box->view + p, &far.at, to_near, &share_far, sum);
  }
  for (size_t l = far.lane; l < HB_LANES; l++) far.view.m[l] = 0;
  if (far.lane > 0) add_tides(&far.view, &far.at, 0, &share_all, sum);
}

/* Finds the far part of the tides of a group. */
static void find_far(const struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  const struct hb_groups_around all = {.count = groups->n};
  double sum[TENSOR_NUMBERS][HB_LANES] = {{0}};
  g->tides.cut2 = part_of_reach * reach2(groups, g->node);
  g->tides.far_tick = tick;
  if (groups->has_order)
    add_boxes(groups, g->node, g->tides.cut2, sum);
  else
    add_nodes(groups, g->node, &all, g->tides.cut2, &share_far, sum);
  end_sum(sum, g->tides.of_far);
}

/* ---- of all ---- */

/* Finds the tides of a group: the far part and that of the neighbors, less that of the nodes in its list. */
static void find_tides(const struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  const struct hb_groups_around near = hb_groups_near(groups, g->node), list = {g->list, g->count};
  struct hb_groups_tides *t = &g->tides;
  double sum[TENSOR_NUMBERS][HB_LANES] = {{0}};
  if (!hb_groups_keeps_tides(groups, g)) {
    *t = (struct hb_groups_tides){.tick = tick, .far_tick = tick, .is_old = 1};
    return;
  }
  int is_old = is_far_old(groups, g, tick);
  if (is_old) find_far(groups, g, tick);
  if (!is_old && !is_near_old(groups, g, tick)) return;
  double dt = hb_groups_since(groups, t->far_tick, tick);
  t->tick = tick;
  t->is_old = 0;
  add_nodes(groups, g->node, &near, t->cut2, t->cut2 > 0 ? &share_near : &share_all, sum);
  if (list.count > 0) add_nodes(groups, g->node, &list, 0, &share_negative, sum);
  end_sum(sum, t->of_all);
  for (size_t c = 0; c < 6 && t->cut2 > 0; c++) {
    t->of_all[c] += t->of_far[c] + dt * t->of_far[6 + c];
    t->of_all[6 + c] += t->of_far[6 + c];
  }
}

void hb_groups_leave_tides(const struct hb_groups *groups, struct hb_group *g, uint32_t node, uint64_t tick)
{
  const struct hb_groups_around one = {&node, 1};
  double sum[TENSOR_NUMBERS][HB_LANES] = {{0}}, T[TENSOR_NUMBERS];
  if (!hb_groups_has_tides(g)) return;
  double dt = hb_groups_since(groups, tick, g->tides.tick);
  add_nodes(groups, g->node, &one, 0, &share_negative, sum);
  end_sum(sum, T);
  for (size_t c = 0; c < 6; c++) {
    g->tides.of_all[c] += T[c] + dt * T[6 + c];
    g->tides.of_all[6 + c] += T[6 + c];
  }
}

/* Makes sure that xp vp of all nodes around are set. */
static void need_all(const struct hb_groups *groups, const struct hb_groups_around *around)
{
  for (size_t k = 0; k < around->count && groups->nodes.need; k++)
    hb_groups_need(groups, hb_groups_around_at(around, k));
}

/* The groups of a block, whose tides are looked for. */
struct centers {
  struct hb_groups *groups;
  uint64_t tick;
  const uint32_t *group;
  _Atomic int is_any_old; /* a far part has to be found anew */
};

/* Groups of a piece, and those that the calling thread does alone. */
enum { FAR_PIECE = 8, FAR_ALONE = 64, FOUND_ALONE = 8 };

/* Finds out whether far parts are old, and asks for the positions that the other parts need. */
static void look_piece(void *context, size_t k, size_t end)
{
  struct centers *c = context;
  const struct hb_groups *groups = c->groups;
  for (; k < end; k++) {
    const struct hb_group *g = groups->at + c->group[k];
    if (!hb_groups_keeps_tides(groups, g)) continue;
    const struct hb_groups_around near = hb_groups_near(groups, g->node), list = {g->list, g->count};
    int is_old = is_far_old(groups, g, c->tick);
    if (is_old) c->is_any_old = 1;
    if (!is_old && !is_near_old(groups, g, c->tick)) continue;
    need_all(groups, &near);
    need_all(groups, &list);
  }
}

static void find_piece(void *context, size_t k, size_t end)
{
  const struct centers *c = context;
  for (; k < end; k++) find_tides(c->groups, c->groups->at + c->group[k], c->tick);
}

enum hb_status hb_groups_look_far(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct centers centers = {.groups = groups, .tick = tick, .group = groups->touched};
  const struct hb_groups_around all = {.count = groups->n};
  size_t count = 0;
  groups->touches = 0;
  if (!(groups->rules->far < INFINITY)) return HB_OK;
  for (size_t b = 0; b < ni; b++)
    if (groups->of[block[b]] < HB_GROUPS_PARKED) groups->touched[count++] = groups->of[block[b]];
  hb_parallel_shares(count, FAR_PIECE, hb_groups_alone(groups, FAR_ALONE), look_piece, &centers);
  if (centers.is_any_old) need_all(groups, &all);
  if (centers.is_any_old && groups->has_order) HB_TRY(make_boxes(groups));
  if (centers.is_any_old) /* a far part takes long */
    hb_parallel_pieces(count, 1, 1, find_piece, &centers);
  else
    hb_parallel_shares(count, FAR_PIECE, FOUND_ALONE, find_piece, &centers);
  return HB_OK;
}

/* ---- quadrupoles ---- */

/* True if a node may be near another one, `of`. */
static int is_neighbor(const struct hb_groups *groups, uint32_t of, uint32_t node)
{
  const struct hb_groups_around around = hb_groups_near(groups, of);
  size_t guess = (size_t)node * around.count / groups->n;
  return !around.list || hb_ascending_has(around.list, around.count, guess, node);
}

/* True if a node at this distance feels the quadrupole of a pair. */
static int feels_weakly(const struct hb_groups *groups, const struct hb_groups_orbit *orbit, uint32_t node,
                        double d2)
{
  double m = hb_groups_felt_mass(groups, node);
  return m * fmax(m, orbit->floor) * orbit->weak > d2 * d2 * d2;
}

/* Nodes that mark_hits looks at together. */
enum { HITS_AT_ONCE = 64 };

/* Sets hit[count] for the nodes from number `first` on: whether one of them and node i may be more than points to each other. */
HB_CLONES static void mark_hits(const struct hb_groups *groups, uint32_t i, size_t first, size_t count,
                                uint8_t *hit)
{
  const double *x = groups->nodes.xp + 3 * (size_t)i, *y = groups->nodes.xp + 3 * first,
               *mass = groups->m + first, *reach = groups->reach + first;
  const double m = hb_groups_felt_mass(groups, i), own = groups->reach[i],
               light = HB_GROUPS_LIGHT * groups->m_mean, mean = groups->m_mean;
#pragma omp simd
  for (size_t k = 0; k < count; k++) {
    double dx = y[3 * k] - x[0], dy = y[3 * k + 1] - x[1], dz = y[3 * k + 2] - x[2];
    double d2 = dx * dx + dy * dy + dz * dz, d6 = d2 * d2 * d2, mk = mass[k] < light ? mean : mass[k];
    double its = m * m * reach[k], ours = mk * mk * own, larger = its > ours ? its : ours;
    hit[k] = larger > d6;
  }
}

static enum hb_status add_hit(struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (k == i || groups->of[k] == HB_GROUPS_PARKED) return HB_OK;
  HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
  groups->hit[groups->hits++] = k;
  return HB_OK;
}

/* Finds the hits of node i among all nodes, whose positions are all known. */
static enum hb_status find_among_all(struct hb_groups *groups, uint32_t i)
{
  uint8_t hit[HITS_AT_ONCE];
  for (size_t first = 0; first < groups->n; first += HITS_AT_ONCE) {
    size_t count = hb_min(HITS_AT_ONCE, groups->n - first);
    mark_hits(groups, i, first, count, hit);
    for (size_t k = 0; k < count; k++)
      if (hit[k]) HB_TRY(add_hit(groups, i, (uint32_t)(first + k)));
  }
  return HB_OK;
}

/* Finds the hits of node i among those that may be near it. */
static enum hb_status find_around(struct hb_groups *groups, uint32_t i)
{
  const struct hb_groups_around around = hb_groups_near(groups, i);
  const double *x = groups->nodes.xp + 3 * (size_t)i, m = hb_groups_felt_mass(groups, i),
               own = groups->reach[i];
  if (!around.list && !groups->nodes.need) return find_among_all(groups, i);
  for (size_t p = 0; p < around.count; p++) {
    uint32_t k = hb_groups_around_at(&around, p);
    double its = groups->reach[k];
    if (!(its > 0 || own > 0)) continue;
    hb_groups_need(groups, k);
    const double *y = groups->nodes.xp + 3 * (size_t)k, r[] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double d2 = hb_dot(r, r), d6 = d2 * d2 * d2, mk = hb_groups_felt_mass(groups, k);
    if (m * m * its > d6 || mk * mk * own > d6) HB_TRY(add_hit(groups, i, k));
  }
  return HB_OK;
}

struct hb_groups_around hb_groups_hits_of(const struct hb_groups *groups, uint32_t b)
{
  if (groups->hits == 0) return (struct hb_groups_around){groups->hit, 0};
  uint32_t from = b > 0 ? groups->hit_end[b - 1] : 0;
  return (struct hb_groups_around){groups->hit + from, groups->hit_end[b] - from};
}

enum hb_status hb_groups_find_hits(struct hb_groups *groups, size_t ni, const uint32_t *block)
{
  groups->hits = 0;
  for (size_t b = 0; b < ni; b++) {
    if (groups->rules->weak > 0 && groups->count > 0) HB_TRY(find_around(groups, block[b]));
    groups->hit_end[b] = (uint32_t)groups->hits;
  }
  return HB_OK;
}

struct taking {
  struct hb_groups *groups;
  const uint32_t *block;
  const struct hb_groups_masks *masks;
};

/* Nodes of a piece, and those that the calling thread takes alone. */
enum { TAKEN_PIECE = 128, TAKEN_ALONE = 512 };

static void count_piece(void *context, size_t b, size_t end)
{
  const struct taking *t = context;
  for (; b < end; b++) {
    const uint64_t *mask = t->masks->mask + b * t->masks->words;
    uint32_t count = 0;
    for (size_t w = 0; w < t->masks->words && t->masks->is_hit[b]; w++)
      count += (uint32_t)__builtin_popcountll(mask[w]);
    t->groups->hit_end[b] = count;
  }
}

static void take_piece(void *context, size_t b, size_t end)
{
  const struct taking *t = context;
  size_t hits = b > 0 ? t->groups->hit_end[b - 1] : 0;
  for (; b < end; b++) {
    const uint64_t *mask = t->masks->mask + b * t->masks->words;
    const uint32_t *list = t->masks->list + t->block[b] * t->masks->room;
    for (size_t w = 0; w < t->masks->words && t->masks->is_hit[b]; w++)
      for (uint64_t left = mask[w]; left; left &= left - 1)
        t->groups->hit[hits++] = list[64 * w + (size_t)__builtin_ctzll(left)];
  }
}

enum hb_status hb_groups_take_hits(struct hb_groups *groups, size_t ni, const uint32_t *block,
                                   const struct hb_groups_masks *masks)
{
  struct taking t = {groups, block, masks};
  uint32_t hits = 0;
  hb_parallel_shares(ni, TAKEN_PIECE, TAKEN_ALONE, count_piece, &t);
  for (size_t b = 0; b < ni; b++) hits = groups->hit_end[b] += hits;
  HB_TRY(HB_RENEW(hits, &groups->hit_capacity, HB_ARRAY(1, &groups->hit)));
  hb_parallel_shares(ni, TAKEN_PIECE, TAKEN_ALONE, take_piece, &t);
  groups->hits = hits;
  return HB_OK;
}

/* Adds to node i the difference between what nodes i and k do to each other and what points would do. */
static void add_to(const struct hb_groups *groups, uint32_t i, uint32_t k, double a[3], double j[3])
{
  const struct hb_groups_orbit *own = groups->orbit + i, *its = groups->orbit + k;
  double r[3], v[3];
  hb_groups_need(groups, k);
  hb_between(groups->nodes.xp, k, i, r);
  double d2 = hb_dot(r, r);
  int by_other = feels_weakly(groups, its, i, d2), by_own = feels_weakly(groups, own, k, d2);
  if (!by_other && !by_own) return;
  if (hb_groups_lists(groups, its->tide > 0 ? k : i, its->tide > 0 ? i : k))
    return;                               /* of two groups, each lists the other, or neither does */
  if (!is_neighbor(groups, k, i)) return; /* momentum: either both feel it, or neither does */
  hb_between(groups->nodes.vp, k, i, v);
  if (by_other) hb_quadrupole_add_pull(its->Q, 1, r, v, a, j);
  if (by_own) /* seen from k, turned around */
    hb_quadrupole_add_pull(own->Q, groups->m[k] / groups->m[i], r, v, a, j);
}

/* Prefetches what add_to will read. Lists are long and far apart in memory. */
static void fetch_hits(const struct hb_groups *groups, const uint32_t *block, uint32_t b)
{
  const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
  for (size_t h = 0; h < hits.count; h++) {
    uint32_t k = hits.list[h];
    const struct hb_groups_around around = hb_groups_near(groups, k);
    __builtin_prefetch(groups->orbit + k);
    __builtin_prefetch(groups->nodes.xp + 3 * (size_t)k);
    if (around.list) __builtin_prefetch(around.list + (size_t)block[b] * around.count / groups->n);
  }
}

void hb_groups_add_quadrupoles(const struct hb_groups *groups, size_t from, size_t end, const uint32_t *block,
                               double *a, double *j)
{
  for (size_t b = from; b < end && groups->hits > 0; b++) {
    const struct hb_groups_around hits = hb_groups_hits_of(groups, (uint32_t)b);
    if (b + 1 < end) fetch_hits(groups, block, (uint32_t)b + 1);
    for (size_t k = 0; k < hits.count; k++) add_to(groups, block[b], hits.list[k], a + 3 * b, j + 3 * b);
  }
}
