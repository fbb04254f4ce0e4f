/* What is beyond the lists of groups: the tides of nodes that are far from a pair, and what pairs that are far do to a node, whose
 * orbits are quadrupoles there. */
#include "groups/groups.h"

#include "base/arith.h"
#include "base/clones.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { LANES = HB_CHAIN_LANES, NUMBERS = 12 };

/* ---- tides ---- */

/* Nodes side by side as they are seen from a center; those that are nobody's have mass 0. */
struct view {
  double m[LANES], r[3][LANES], v[3][LANES];
};

/* Which part of a node's tide counts: a constant and a part of 1 near the center, up to half of the square of the distance cut, 0 beyond
 * it, and smooth between; so that nothing jumps where nodes pass it. */
struct part {
  double constant, of_near;
};
static const struct part whole = {1, 0}, near_part = {0, 1}, far_part = {1, -1}, less = {-1, 0};

/* sum[12] += the tensors of a view's tide and their rates; to_near: 2 / cut^2. Factors first: mass, T, and how they change. */
HB_CLONES static void add_tides(const struct view *p, double to_near, const struct part *part,
                                double sum[NUMBERS][LANES])
{
  const double constant = part->constant, of_near = part->of_near;
#pragma omp simd
  for (size_t l = 0; l < LANES; l++) {
    double x = p->r[0][l], y = p->r[1][l], z = p->r[2][l], u = p->v[0][l], v = p->v[1][l], w = p->v[2][l];
    double m = p->m[l], r2 = x * x + y * y + z * z, rv = x * u + y * v + z * w, s = 2 - r2 * to_near;
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

/* Those of the nodes around, but the center's own, at xp vp. */
static void add_nodes(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t center,
                      const struct hb_groups_around *around, double cut2, const struct part *part,
                      double sum[NUMBERS][LANES])
{
  const double *at = nodes->xp + 3 * (size_t)center, *w = nodes->vp + 3 * (size_t)center;
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t from = 0; from < around->count; from += LANES) {
    struct view view = {.m = {0}};
    for (size_t l = 0; l < LANES && from + l < around->count; l++) {
      uint32_t i = hb_groups_around_at(around, from + l);
      const double *x = nodes->xp + 3 * (size_t)i, *v = nodes->vp + 3 * (size_t)i;
      view.m[l] = i == center ? 0 : groups->m[i];
      for (size_t c = 0; c < 3; c++) view.r[c][l] = x[c] - at[c], view.v[c][l] = v[c] - w[c];
    }
    add_tides(&view, to_near, part, sum);
  }
}

static double norm2(const double T[6])
{
  return T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5]);
}

static double since(const struct hb_nodes *nodes, uint64_t from, uint64_t to)
{
  return (double)(int64_t)(to - from) * nodes->dt_min;
}

static double reach2(const struct hb_nodes *nodes, uint32_t node)
{
  return nodes->near && nodes->reach2 ? nodes->reach2(nodes->context, node) : 0;
}

/* Neighbors may be farther from a center than from where it was when its list was made. */
static const double part_of_reach = 0.7;

/* The far part goes on linearly until what was near by then is no longer in the list; or, where all places are known anyway, until it
 * has changed by that part of itself, which matters the more the wider the pair is. */
static int is_far_old(const struct hb_groups *groups, const struct hb_nodes *nodes, const struct hb_group *g,
                      uint64_t tick)
{
  static const double least = 0.07, most = 0.3, at_tide = 2e-3;
  const struct hb_groups_tides *t = &g->tides;
  double reach = reach2(nodes, g->node), dt = since(nodes, t->far_tick, tick);
  if (!(reach > 0) || !hb_groups_keeps_tides(groups, g)) return 0;
  if (t->cut2 == 0 || t->cut2 > reach) return 1;
  if (!nodes->is_full) return 0;
  double change = least * sqrt(sqrt(at_tide / hb_groups_system_tide(groups, g)));
  change = fmin(fmax(change, least), most);
  return dt * dt * norm2(t->of_far + 6) > change * change * norm2(t->of_far);
}

/* Of_all goes on linearly until it has changed by that part of itself, or someone left the list. */
static int is_near_old(const struct hb_nodes *nodes, const struct hb_group *g, uint64_t tick)
{
  static const double change = 0.07;
  const struct hb_groups_tides *t = &g->tides;
  double dt = since(nodes, t->tick, tick);
  return t->is_old || dt * dt * norm2(t->of_all + 6) > change * change * norm2(t->of_all);
}

static void end_sum(double sum[NUMBERS][LANES], double T[NUMBERS])
{
  for (size_t c = 0; c < NUMBERS; c++) T[c] = hb_chain_sum_lanes(sum[c]);
}

/* ---- many nodes ---- */

/* Nodes that follow each other in the order of space: if they are small against their distance, a point. */
struct hb_groups_box {
  double m, x[3], v[3], size2;
};
enum { BOX = 32, FROM = 2048 }; /* nodes of a box; as many nodes make boxes */

static void make_box(const struct hb_groups *groups, const struct hb_nodes *nodes, const uint32_t *list,
                     size_t count, struct hb_groups_box *box)
{
  *box = (struct hb_groups_box){.m = 0};
  for (size_t k = 0; k < count; k++) box->m += groups->m[list[k]];
  for (size_t k = 0; k < count && box->m > 0; k++)
    for (size_t c = 0, i = 3 * (size_t)list[k]; c < 3; c++) {
      box->x[c] += groups->m[list[k]] / box->m * nodes->xp[i + c];
      box->v[c] += groups->m[list[k]] / box->m * nodes->vp[i + c];
    }
  for (size_t k = 0; k < count; k++) {
    const double *x = nodes->xp + 3 * (size_t)list[k];
    const double r[] = {x[0] - box->x[0], x[1] - box->x[1], x[2] - box->x[2]};
    if (groups->m[list[k]] > 0) box->size2 = fmax(box->size2, hb_dot(r, r));
  }
}

void hb_groups_set_order(struct hb_groups *groups, const uint32_t *place)
{
  for (uint32_t i = 0; i < groups->n; i++) groups->in_space[place[i]] = i;
  groups->has_order = groups->n >= FROM;
}

struct boxing {
  const struct hb_groups *groups;
  const struct hb_nodes *nodes;
  size_t count;
};

enum { BOXES_PIECE = 16, BOXES_ALONE = 64 };

static void box_piece(void *context, size_t piece)
{
  const struct boxing *b = context;
  const struct hb_groups *groups = b->groups;
  for (size_t k = piece * BOXES_PIECE, end = hb_parallel_end(b->count, BOXES_PIECE, k); k < end; k++)
    make_box(groups, b->nodes, groups->in_space + k * BOX, hb_parallel_end(groups->n, BOX, k * BOX) - k * BOX,
             groups->box + k);
}

static enum hb_status make_boxes(struct hb_groups *groups, const struct hb_nodes *nodes)
{
  struct boxing b = {groups, nodes, hb_div_ceil(groups->n, BOX)};
  if (!groups->box) HB_TRY(HB_ALLOC(b.count, &groups->box));
  hb_parallel_for(b.count > BOXES_ALONE ? hb_parallel_threads() : 1, hb_div_ceil(b.count, BOXES_PIECE),
                  box_piece, &b);
  return HB_OK;
}

/* The far part, of boxes and of the nodes of those that are too near. */
static void add_boxes(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t center,
                      double cut2, double sum[NUMBERS][LANES])
{
  static const double open = 0.16,
                      beyond =
                          3; /* of square distances: sizes are below 0.4 of them, and all of a box is far */
  const double *at = nodes->xp + 3 * (size_t)center, *w = nodes->vp + 3 * (size_t)center;
  struct view view = {.m = {0}};
  size_t lane = 0;
  for (size_t k = 0; k < hb_div_ceil(groups->n, BOX); k++) {
    const struct hb_groups_box *p = groups->box + k;
    const double r[] = {p->x[0] - at[0], p->x[1] - at[1], p->x[2] - at[2]};
    double d2 = hb_dot(r, r);
    if (!(p->size2 < open * d2 && d2 > beyond * cut2)) {
      const struct hb_groups_around in = {groups->in_space + k * BOX,
                                          hb_parallel_end(groups->n, BOX, k * BOX) - k * BOX};
      add_nodes(groups, nodes, center, &in, cut2, &far_part, sum);
      continue;
    }
    view.m[lane] = p->m;
    for (size_t c = 0; c < 3; c++) view.r[c][lane] = r[c], view.v[c][lane] = p->v[c] - w[c];
    if (++lane == LANES) add_tides(&view, 0, &whole, sum), lane = 0;
  }
  for (size_t l = lane; l < LANES; l++) view.m[l] = 0;
  if (lane > 0) add_tides(&view, 0, &whole, sum);
}

static void find_far(const struct hb_groups *groups, const struct hb_nodes *nodes, struct hb_group *g,
                     uint64_t tick)
{
  const struct hb_groups_around all = {.count = groups->n};
  double sum[NUMBERS][LANES] = {{0}};
  g->tides.cut2 = part_of_reach * reach2(nodes, g->node);
  g->tides.far_tick = tick;
  if (groups->has_order)
    add_boxes(groups, nodes, g->node, g->tides.cut2, sum);
  else
    add_nodes(groups, nodes, g->node, &all, g->tides.cut2, &far_part, sum);
  end_sum(sum, g->tides.of_far);
}

/* ---- of all ---- */

/* All of the far part, and the neighbors, but nobody who is in the list, wherever it is. */
static void find_tides(const struct hb_groups *groups, const struct hb_nodes *nodes, struct hb_group *g,
                       uint64_t tick)
{
  const struct hb_groups_around near = hb_groups_near(groups, nodes, g->node), list = {g->list, g->count};
  struct hb_groups_tides *t = &g->tides;
  double sum[NUMBERS][LANES] = {{0}};
  if (!hb_groups_keeps_tides(groups, g)) {
    *t = (struct hb_groups_tides){.tick = tick, .far_tick = tick, .is_old = 1};
    return;
  }
  int is_old = is_far_old(groups, nodes, g, tick);
  if (is_old) find_far(groups, nodes, g, tick);
  if (!is_old && !is_near_old(nodes, g, tick)) return;
  double dt = since(nodes, t->far_tick, tick);
  t->tick = tick;
  t->is_old = 0;
  add_nodes(groups, nodes, g->node, &near, t->cut2, t->cut2 > 0 ? &near_part : &whole, sum);
  if (list.count > 0) add_nodes(groups, nodes, g->node, &list, 0, &less, sum);
  end_sum(sum, t->of_all);
  for (size_t c = 0; c < 6 && t->cut2 > 0; c++) {
    t->of_all[c] += t->of_far[c] + dt * t->of_far[6 + c];
    t->of_all[6 + c] += t->of_far[6 + c];
  }
}

void hb_groups_leave_tides(const struct hb_groups *groups, const struct hb_nodes *nodes, struct hb_group *g,
                           uint32_t node, uint64_t tick)
{
  const struct hb_groups_around one = {&node, 1};
  double sum[NUMBERS][LANES] = {{0}}, T[NUMBERS];
  if (!hb_groups_has_tides(g)) return;
  double dt = since(nodes, tick, g->tides.tick);
  add_nodes(groups, nodes, g->node, &one, 0, &less, sum);
  end_sum(sum, T);
  for (size_t c = 0; c < 6; c++) {
    g->tides.of_all[c] += T[c] + dt * T[6 + c];
    g->tides.of_all[6 + c] += T[6 + c];
  }
}

struct centers {
  struct hb_groups *groups;
  const struct hb_nodes *nodes;
  uint64_t tick;
  const uint32_t *group;
};

enum { ALONE = 4 }; /* groups */

static void find_one(void *context, size_t k)
{
  const struct centers *c = context;
  find_tides(c->groups, c->nodes, c->groups->at + c->group[k], c->tick);
}

static void need_all(const struct hb_nodes *nodes, const struct hb_groups_around *around)
{
  for (size_t k = 0; k < around->count && nodes->need; k++)
    hb_groups_need(nodes, hb_groups_around_at(around, k));
}

enum hb_status hb_groups_look_far(struct hb_groups *groups, const struct hb_nodes *nodes, uint64_t tick,
                                  size_t ni, const uint32_t *block)
{
  struct centers centers = {groups, nodes, tick, groups->touched};
  const struct hb_groups_around all = {.count = groups->n};
  int needs_all = 0;
  size_t count = 0;
  groups->touches = 0;
  if (!(groups->rules->far < INFINITY)) return HB_OK;
  for (size_t b = 0; b < ni; b++) {
    if (groups->of[block[b]] >= HB_GROUPS_PARKED) continue;
    groups->touched[count++] = groups->of[block[b]];
    const struct hb_group *g = groups->at + groups->of[block[b]];
    if (!hb_groups_keeps_tides(groups, g)) continue;
    const struct hb_groups_around near = hb_groups_near(groups, nodes, g->node), list = {g->list, g->count};
    int is_old = is_far_old(groups, nodes, g, tick);
    needs_all |= is_old;
    if (!is_old && !is_near_old(nodes, g, tick)) continue;
    need_all(nodes, &near);
    need_all(nodes, &list);
  }
  if (needs_all) need_all(nodes, &all);
  if (needs_all && groups->has_order) HB_TRY(make_boxes(groups, nodes));
  hb_parallel_for(count > ALONE ? hb_parallel_threads() : 1, count, find_one, &centers);
  return HB_OK;
}

/* ---- quadrupoles ---- */

/* Of phi = tr Q / (2 r^3) - 3 r Q r / (2 r^5). */
void hb_groups_pull_of_orbit(const double Q[6], double times, const double r[3], const double v[3],
                             double a[3], double j[3])
{
  double Qr[3] = {Q[0] * r[0] + Q[3] * r[1] + Q[4] * r[2], Q[3] * r[0] + Q[1] * r[1] + Q[5] * r[2],
                  Q[4] * r[0] + Q[5] * r[1] + Q[2] * r[2]};
  double Qv[3] = {Q[0] * v[0] + Q[3] * v[1] + Q[4] * v[2], Q[3] * v[0] + Q[1] * v[1] + Q[5] * v[2],
                  Q[4] * v[0] + Q[5] * v[1] + Q[2] * v[2]};
  double trace = Q[0] + Q[1] + Q[2], i2 = 1 / hb_dot(r, r), i5 = times * i2 * i2 * sqrt(i2), i7 = i5 * i2;
  double rv = hb_dot(r, v), rQr = hb_dot(r, Qr), rQv = hb_dot(r, Qv);
  double f = 1.5 * trace * i5 - 7.5 * rQr * i7;
  double f_dot = (52.5 * rQr * rv * i2 - 15 * rQv - 7.5 * trace * rv) * i7;
  for (size_t c = 0; c < 3; c++) {
    a[c] += 3 * i5 * Qr[c] + f * r[c];
    j[c] += 3 * i5 * Qv[c] - 15 * rv * i7 * Qr[c] + f * v[c] + f_dot * r[c];
  }
}

static int is_neighbor(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t of,
                       uint32_t node)
{
  const struct hb_groups_around around = hb_groups_near(groups, nodes, of);
  size_t from = 0, to = around.count;
  if (!around.list) return 1;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (around.list[middle] < node)
      from = middle + 1;
    else
      to = middle;
  }
  return from < around.count && around.list[from] == node;
}

/* Whether the orbit of a pair is felt by a node that is not in its list. */
static int feels_weakly(const struct hb_groups *groups, const struct hb_groups_orbit *orbit, uint32_t node,
                        double d2)
{
  double m = hb_groups_felt_mass(groups, node);
  return m * m * orbit->weak > d2 * d2 * d2;
}

static enum hb_status find_around(struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i)
{
  const struct hb_groups_around around = hb_groups_near(groups, nodes, i);
  const double *x = nodes->xp + 3 * (size_t)i, m = hb_groups_felt_mass(groups, i), own = groups->reach[i];
  for (size_t p = 0; p < around.count; p++) {
    uint32_t k = hb_groups_around_at(&around, p);
    double its = groups->reach[k];
    if (!(its > 0 || own > 0) || k == i || groups->of[k] == HB_GROUPS_PARKED) continue;
    hb_groups_need(nodes, k);
    const double *y = nodes->xp + 3 * (size_t)k, r[] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double d2 = hb_dot(r, r), d6 = d2 * d2 * d2, mk = hb_groups_felt_mass(groups, k);
    if (!(m * m * its > d6 || mk * mk * own > d6)) continue;
    HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
    groups->hit[groups->hits++] = k;
  }
  return HB_OK;
}

struct hb_groups_around hb_groups_hits_of(const struct hb_groups *groups, uint32_t b)
{
  if (groups->hits == 0) return (struct hb_groups_around){groups->hit, 0};
  uint32_t from = b > 0 ? groups->hit_end[b - 1] : 0;
  return (struct hb_groups_around){groups->hit + from, groups->hit_end[b] - from};
}

enum hb_status hb_groups_find_hits(struct hb_groups *groups, const struct hb_nodes *nodes, size_t ni,
                                   const uint32_t *block)
{
  groups->hits = 0;
  for (size_t b = 0; b < ni; b++) {
    if (groups->rules->weak > 0 && groups->count > 0) HB_TRY(find_around(groups, nodes, block[b]));
    groups->hit_end[b] = (uint32_t)groups->hits;
  }
  return HB_OK;
}

enum hb_status hb_groups_take_hits(struct hb_groups *groups, uint32_t b, size_t words, const uint64_t *mask,
                                   const uint32_t *list)
{
  if (b == 0) groups->hits = 0;
  for (size_t w = 0; w < words; w++)
    for (uint64_t left = mask[w]; left; left &= left - 1) {
      HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
      groups->hit[groups->hits++] = list[64 * w + (size_t)__builtin_ctzll(left)];
    }
  groups->hit_end[b] = (uint32_t)groups->hits;
  groups->has_hits = 1;
  return HB_OK;
}

/* What node k and node i do to each other more than points, on i. */
static void add_to(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k,
                   double a[3], double j[3])
{
  const struct hb_groups_orbit *own = groups->orbit + i, *its = groups->orbit + k;
  double r[3], v[3];
  hb_groups_need(nodes, k);
  hb_between(nodes->xp, k, i, r);
  double d2 = hb_dot(r, r);
  int by_other = feels_weakly(groups, its, i, d2), by_own = feels_weakly(groups, own, k, d2);
  if (!by_other && !by_own) return;
  if (hb_groups_lists(groups, its->tide > 0 ? k : i, its->tide > 0 ? i : k))
    return;                                      /* of two groups, each has the other, or none */
  if (!is_neighbor(groups, nodes, k, i)) return; /* what one feels, the other does */
  hb_between(nodes->vp, k, i, v);
  if (by_other) hb_groups_pull_of_orbit(its->Q, 1, r, v, a, j);
  if (by_own) /* seen from k, turned around */
    hb_groups_pull_of_orbit(own->Q, groups->m[k] / groups->m[i], r, v, a, j);
}

void hb_groups_add_quadrupoles(const struct hb_groups *groups, const struct hb_nodes *nodes, size_t ni,
                               const uint32_t *block, double *a, double *j)
{
  for (uint32_t b = 0; b < ni && groups->hits > 0; b++) {
    const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
    for (size_t k = 0; k < hits.count; k++)
      add_to(groups, nodes, block[b], hits.list[k], a + 3 * (size_t)b, j + 3 * (size_t)b);
  }
}
