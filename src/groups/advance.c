/* Groups in time: the perturbers of a group as points, which groups a block advances, new perturbers, and the positions of all
 * members at a given time. What nodes feel of the members is in correct.c. */
#include "groups/groups_internal.h"

#include "base/arith.h"
#include "base/interrupt.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "chain/bulirsch_stoer.h"
#include "chain/kepler.h"
#include "chain/outer_orbit.h"
#include "chain/turning.h"

#include <stdatomic.h>
#include <string.h>

/* ---- what disturbs a group ---- */

/* Moves a point by a time dt: position, velocity and acceleration. */
static void shift_point(double dt, struct hb_chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    double v = p->v[c], a = p->a[c], j = p->j[c];
    p->x[c] += dt * (v + dt / 2 * (a + dt / 3 * j));
    p->v[c] += dt * (a + dt / 2 * j);
    p->a[c] += dt * j;
  }
}

/* Adds sign times q to p, without the mass. */
static void add_point(double sign, const struct hb_chain_point *q, struct hb_chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    p->x[c] += sign * q->x[c], p->v[c] += sign * q->v[c];
    p->a[c] += sign * q->a[c], p->j[c] += sign * q->j[c];
  }
}

/* Returns a node as a point at a tick. */
static struct hb_chain_point node_at(const struct hb_groups *groups, uint32_t node, uint64_t tick)
{
  size_t k = hb_groups_row(groups, node);
  struct hb_chain_point p = {.m = groups->m[node]};
  memcpy(p.x, groups->nodes.x + k, sizeof p.x);
  memcpy(p.v, groups->nodes.v + k, sizeof p.v);
  memcpy(p.a, groups->nodes.a + k, sizeof p.a);
  memcpy(p.j, groups->nodes.j + k, sizeof p.j);
  shift_point(hb_groups_since_node(groups, node, tick), &p);
  return p;
}

/* Sets points to the nodes of the list at their own times, and dt[] to the times from these to that of the group. */
static void gather(const struct hb_groups *groups, const struct hb_group *g, struct hb_chain_points *points,
                   double *dt)
{
  for (size_t k = 0; k < g->settled; k++) {
    struct hb_chain_points *to = points + k / HB_LANES;
    size_t l = k % HB_LANES, from = hb_groups_row(groups, g->list[k]);
    to->m[l] = groups->m[g->list[k]];
    for (size_t c = 0; c < 3; c++) {
      to->x[c][l] = groups->nodes.x[from + c], to->v[c][l] = groups->nodes.v[from + c];
      to->a[c][l] = groups->nodes.a[from + c], to->j[c][l] = groups->nodes.j[from + c];
    }
    dt[k] = hb_groups_since_node(groups, g->list[k], g->tick);
  }
  hb_chain_tide_pad_points(points, g->settled);
  for (size_t k = g->settled; k % HB_LANES > 0; k++) dt[k] = 0;
}

/* Moves points by their times dt[HB_LANES], and makes them relative to the center. */
HB_CLONES static void shift_points(struct hb_chain_points *p, const double *dt,
                                   const struct hb_chain_point *center)
{
  for (size_t c = 0; c < 3; c++)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double v = p->v[c][l], a = p->a[c][l], j = p->j[c][l], t = dt[l];
      p->x[c][l] = p->x[c][l] + t * (v + t / 2 * (a + t / 3 * j)) - center->x[c];
      p->v[c][l] = v + t * (a + t / 2 * j) - center->v[c];
      p->a[c][l] = a + t * j - center->a[c];
      p->j[c][l] = j - center->j[c];
    }
}

/* Sets points to the list as it disturbs the group from the group's own time on, for dt, relative to `center`. A star is one point. A group
 * that is large relative to its distance is as many points as can be told apart at that distance; hb_groups_step has limited the step
 * so that none of them moves far, and where it did not know of that group yet, the group is one point. times[] is scratch with an
 * element for each lane. Returns the number of points. */
static size_t look_from(const struct hb_chain_point *center, const struct hb_groups *groups,
                        const struct hb_group *g, double dt, struct hb_chain_points *points, double *times)
{
  static const double not_far = 0.4;
  size_t count = g->settled;
  gather(groups, g, points, times);
  for (size_t k = 0; k < count; k += HB_LANES) shift_points(points + k / HB_LANES, times + k, center);
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    struct hb_chain_point node, parts[HB_CHAIN_TIDE_POINTS_MOST];
    hb_chain_tide_get_point(points, k, &node);
    double least = HB_GROUPS_RESOLVED * sqrt(hb_groups_gap2(g, node.x)),
           from = hb_groups_since(groups, other->tick, g->tick);
    double until = fmax(fabs(from), fabs(from + dt));
    if (other->R < least) continue;
    size_t n = hb_chain_tide_points_of(&other->chain, least, until / not_far, parts);
    for (size_t p = 0; p < n; p++) {
      shift_point(from, parts + p);
      add_point(1, &node, parts + p);
      hb_chain_tide_set_point(points, p == 0 ? k : count++, parts + p);
    }
  }
  hb_chain_tide_pad_points(points, count);
  return count;
}

/* Replaces points around a chain by a tidal tensor T and its rate, as xx yy zz xy xz yz: those so far away that all but their tide is
 * below the least that matters in a passage. Returns the number of points that are left. */
static size_t points_to_tensor(const struct hb_group *g, size_t count, struct hb_chain_points *points,
                               double T[12])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  static const double part = 0.25; /* of HB_GROUPS_LEAST_IN_A_PASSAGE */
  const double R = g->R,
               least = part * HB_GROUPS_LEAST_IN_A_PASSAGE * hb_chain_mass(&g->chain) / (2 * R * R * R * R);
  size_t left = 0;
  memset(T, 0, 12 * sizeof *T);
  for (size_t k = 0; k < count; k++) {
    struct hb_chain_point p;
    hb_chain_tide_get_point(points, k, &p);
    double r2 = hb_dot(p.x, p.x), rv = hb_dot(p.x, p.v);
    if (p.m > least * r2 * r2) {
      hb_chain_tide_set_point(points, left++, &p);
      continue;
    }
    double m3 = p.m / (r2 * sqrt(r2)), m5 = 3 * m3 / r2, rate = rv / r2;
    for (size_t q = 0; q < 6; q++) {
      double xx = p.x[row[q]] * p.x[column[q]],
             xv = p.x[row[q]] * p.v[column[q]] + p.v[row[q]] * p.x[column[q]];
      T[q] += m5 * xx - (q < 3 ? m3 : 0);
      T[6 + q] += m5 * (xv - 5 * rate * xx) + (q < 3 ? 3 * rate * m3 : 0);
    }
  }
  hb_chain_tide_pad_points(points, left);
  return left;
}

/* Returns the largest number of points that look_from may set. */
static size_t most_points(const struct hb_groups *groups, const struct hb_group *g)
{
  size_t sum = 0;
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    sum += other ? HB_CHAIN_TIDE_ORBIT_PLACES * other->chain.n : 1;
  }
  return sum;
}

/* The largest (dt / time in which the field changes an orbit)^2. It is well below 1 as a rule, since the steps of the center resolve the
 * field, too. */
static const double most_of_field = 1e12;

/* Advances a chain by dt in axes at rest. */
static enum hb_status advance_at_rest(double dt, const struct hb_chain_tide *tide, struct hb_chain *chain,
                                      uint64_t *forces)
{
  enum hb_status status = HB_OK;
  if (tide->turn != 0) hb_turning_transform(chain, -tide->turn);
  struct hb_chain before;
  hb_chain_copy(chain, &before);
  if (tide->field && !(hb_field_tide(tide->field, tide->center.x) * dt * dt <= most_of_field))
    return hb_fail(HB_ERR_NUMERIC, "the field's tide on particles %u and %u is too strong for a step of %g",
                   chain->member[0], chain->member[1], dt);
  int is_orbit = hb_kepler_suits(chain, tide);
  status = (is_orbit ? hb_kepler_advance : hb_chain_advance)(chain, dt, tide, forces);
  if (status == HB_OK && is_orbit && tide->contacts) status = hb_kepler_find_contacts(&before, dt, tide);
  if (tide->turn == 0) return status;
  hb_turning_rotate(chain->n - 1, -tide->turn * dt, chain->X);
  hb_turning_rotate(chain->n - 1, -tide->turn * dt, chain->V);
  hb_turning_transform(chain, tide->turn);
  return status;
}

/* Advances `chain`, a copy of that of g, by dt in the tides of the list, of far nodes and of the field. What is looked for on the way is
 * added to contacts, which is nullable. */
static enum hb_status advance_chain(const struct hb_groups *groups, const struct hb_group *g, double dt,
                                    struct hb_chain *chain, struct hb_contacts *contacts, uint64_t *forces)
{
  enum { FEW = 8 };
  HB_OWN struct hb_chain_points *many = NULL;
  struct hb_chain_points few[FEW], *points = few;
  double few_times[FEW * HB_LANES], *times = few_times;
  if (dt == 0) return HB_OK;
  HB_TRY(hb_interrupt_look(0));
  size_t most = hb_div_ceil(most_points(groups, g), HB_LANES);
  if (most > FEW) {
    size_t for_times = hb_div_ceil(most * HB_LANES * sizeof *times, sizeof *many);
    HB_TRY(HB_ALLOC(most + for_times, &many));
    points = many, times = (double *)(many + most);
  }
  struct hb_chain_tide tide = {.points = points,
                               .radius = groups->radius,
                               .watch = &groups->watch,
                               .contacts = contacts,
                               .center = node_at(groups, g->node, g->tick)};
  tide.count = look_from(&tide.center, groups, g, dt, points, times);
  tide.rules = groups->rules->chain;
  if (hb_groups_has_tides(g)) tide.tensor = g->tides.of_all;
  tide.since = hb_groups_since(groups, g->tides.tick, g->tick);
  double far[12];
  if (chain->n > 2 && !tide.tensor && tide.count > HB_LANES)
    tide.count = points_to_tensor(g, tide.count, points, far), tide.tensor = far, tide.since = 0;
  if (hb_groups_feels_field(groups, g, tide.center.x)) tide.field = groups->field;
  tide.is_all = !groups->field && hb_groups_is_all(groups, g);
  tide.light = groups->light;
  tide.energy = hb_groups_energy(groups);
  tide.turn = groups->field ? hb_field_turn(groups->field) / 2 : 0;
  return advance_at_rest(dt, &tide, chain, forces);
}

/* Gives a group its advanced chain. */
static void store_chain(struct hb_groups *groups, struct hb_group *g, const struct hb_chain *chain,
                        uint64_t tick, uint64_t forces)
{
  hb_chain_copy(chain, &g->chain);
  g->chain.lost = 0;
  g->tick = tick;
  g->work += forces;
  hb_groups_measure_node(groups, g);
}

/* Advances one group. */
static enum hb_status advance_group(struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  struct hb_chain chain;
  uint64_t forces = 0;
  hb_chain_copy(&g->chain, &chain);
  HB_TRY(advance_chain(groups, g, hb_groups_since(groups, g->tick, tick), &chain, NULL, &forces));
  store_chain(groups, g, &chain, tick, forces);
  groups->forces += forces;
  groups->lost += chain.lost;
  return HB_OK;
}

/* ---- the block ---- */

/* A copy of the chain of a group, what was found in its advance, and the evaluations that this took. */
struct hb_groups_made {
  struct hb_chain chain;
  struct hb_contacts contacts;
  uint64_t forces;
  enum hb_status status; /* of an advance ahead */
};

/* Groups that are advanced together, by several threads. No group changes while others read it. */
struct work {
  struct hb_groups *groups;
  uint64_t tick;
  const uint32_t *needed;
  struct hb_groups_made *made;
  _Atomic size_t failed; /* 1 + an index in needed; 0: none failed */
  _Atomic uint64_t forces;
};

/* Copies the tides that act on a group. */
static void copy_tides(const struct hb_group *g, double tides[24])
{
  memcpy(tides, g->tides.of_all, sizeof g->tides.of_all);
  memcpy(tides + 12, g->tides.of_far, sizeof g->tides.of_far);
}

/* Returns the advance of a group to a tick that was made ahead, or NULL. */
static const struct hb_groups_ahead *made_ahead(const struct hb_groups *groups, uint32_t group, uint64_t tick)
{
  const struct hb_group *g = groups->at + group;
  size_t low = 0, high = groups->aheads;
  double tides[24];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (groups->ahead[middle].group < group)
      low = middle + 1;
    else
      high = middle;
  }
  const struct hb_groups_ahead *a = groups->ahead + low;
  if (low == groups->aheads || a->group != group) return NULL;
  copy_tides(g, tides);
  int is_same = a->from == g->tick && a->to == tick && a->settled == g->settled &&
                memcmp(a->tides, tides, sizeof tides) == 0;
  return is_same ? a : NULL;
}

static enum hb_status advance_one(struct work *w, size_t k)
{
  const struct hb_group *g = w->groups->at + w->needed[k];
  const struct hb_groups_ahead *ahead = made_ahead(w->groups, w->needed[k], w->tick);
  struct hb_groups_made *made = w->made + k;
  hb_chain_copy(ahead ? &ahead->chain : &g->chain, &made->chain);
  made->forces = ahead ? ahead->forces : 0;
  if (ahead) return HB_OK;
  return advance_chain(w->groups, g, hb_groups_since(w->groups, g->tick, w->tick), &made->chain, NULL,
                       &made->forces);
}

static void advance_piece(void *context, size_t k)
{
  struct work *w = context;
  if (advance_one(w, k) != HB_OK) w->failed = k + 1;
}

/* Groups of a piece, and those that the calling thread does alone. */
enum { STORED_PIECE = 16, STORED_ALONE = 48, ADVANCED_ALONE = 8 };

static void store_piece(void *context, size_t k, size_t end)
{
  struct work *w = context;
  uint64_t forces = 0;
  for (; k < end; k++) {
    struct hb_group *g = w->groups->at + w->needed[k];
    store_chain(w->groups, g, &w->made[k].chain, w->tick, w->made[k].forces);
    g->settled = g->count;
    forces += w->made[k].forces;
  }
  w->forces += forces;
}

/* True if a node and a group belong into each other's lists. */
static int feels(const struct hb_groups *groups, const struct hb_group *g, uint32_t i)
{
  hb_groups_need(groups, g->node);
  hb_groups_need(groups, i);
  return hb_groups_feel(groups, g, i, hb_distance2(groups->nodes.xp, g->node, i));
}

/* Sets listed[] of the group's node and of all in its list. */
static void mark(struct hb_groups *groups, const struct hb_group *g, uint8_t as)
{
  groups->listed[g->node] = as;
  for (size_t k = 0; k < g->count; k++) groups->listed[g->list[k]] = as;
}

/* Puts nodes of the block into the lists of all groups where they belong. */
static enum hb_status enter_all(struct hb_groups *groups, size_t ni, const uint32_t *block)
{
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t b = 0;
    while (b < ni && (block[b] == g->node || !feels(groups, g, block[b]))) b++;
    if (b == ni) continue;
    mark(groups, g, 1);
    for (; b < ni && status == HB_OK; b++)
      if (!groups->listed[block[b]] && feels(groups, g, block[b]))
        status = hb_groups_list(groups, g, block[b]);
    mark(groups, g, 0);
    HB_TRY(status);
  }
  return HB_OK;
}

/* Puts a node of the block into the list of a group nearby, if it belongs there. */
static enum hb_status enter_near(struct hb_groups *groups, uint64_t tick, uint32_t node, struct hb_group *g)
{
  struct hb_group *own = hb_groups_of(groups, node);
  if (!feels(groups, g, node) || hb_groups_has(groups, g, node)) return HB_OK;
  HB_TRY(hb_groups_list(groups, g, node));
  hb_groups_leave_tides(groups, g, node, tick);
  if (own) hb_groups_leave_tides(groups, own, g->node, tick);
  return HB_OK;
}

/* Nodes of a block, and chosen[], which says of the b-th of them whether something has to be done for it. */
struct choice {
  const struct hb_groups *groups;
  const uint32_t *block;
  uint8_t *chosen;
};

/* Nodes of a piece, and those that the calling thread does alone. */
enum { ENTERING_PIECE = 16, ENTERING_ALONE = 32 };

/* Chooses the nodes that belong into lists that do not have them. */
static void find_entering(void *context, size_t b, size_t end)
{
  const struct choice *e = context;
  const struct hb_groups *groups = e->groups;
  for (; b < end; b++) {
    const struct hb_groups_around hits = hb_groups_hits_of(groups, (uint32_t)b);
    e->chosen[b] = 0;
    for (size_t k = 0; k < hits.count && !e->chosen[b]; k++) {
      uint32_t hit = hits.list[k], node = e->block[b];
      if (!(groups->orbit[hit].tide > 0)) continue;
      const struct hb_group *g = hb_groups_of(groups, hit);
      e->chosen[b] = feels(groups, g, node) && !hb_groups_has(groups, g, node);
    }
  }
}

/* Puts nodes of the block into lists. Few belong into any: these are found first. */
static enum hb_status enter(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  if (groups->rules == &hb_groups_by_size) return enter_all(groups, ni, block);
  if (!groups->has_hits) HB_TRY(hb_groups_find_hits(groups, ni, block));
  if (groups->hits == 0) return HB_OK;
  struct choice e = {groups, block, groups->chosen};
  hb_parallel_shares(ni, ENTERING_PIECE, hb_groups_alone(groups, ENTERING_ALONE), find_entering, &e);
  for (uint32_t b = 0; b < ni; b++) {
    if (!groups->chosen[b]) continue;
    const struct hb_groups_around hits = hb_groups_hits_of(groups, b);
    for (size_t k = 0; k < hits.count; k++)
      if (groups->orbit[hits.list[k]].tide > 0)
        HB_TRY(enter_near(groups, tick, block[b], hb_groups_of(groups, hits.list[k])));
    if (groups->seen) groups->hint[b] |= groups->first[block[b]] != 0;
  }
  return HB_OK;
}

/* True if the block has to advance a group whatever the nodes in its list do. */
static int is_due(const struct hb_groups *groups, const struct hb_group *g)
{
  if (hb_groups_active(groups, g->node) || g->settled < g->count || !(g->waking < INFINITY)) return 1;
  return groups->field &&
         hb_field_turn(groups->field) != 0; /* correct.c follows no orbit in coordinates that turn */
}

/* True if an active node in the list of a group disturbs it so much that the block has to advance it. */
static int wakes(const struct hb_groups *groups, const struct hb_group *g, uint32_t node)
{
  const struct hb_group *other = hb_groups_of(groups, node);
  hb_groups_need(groups, g->node);
  double d2 = other ? hb_groups_gap2_to(groups, other, g->node)
                    : hb_distance2(groups->nodes.xp, g->node, node),
         m = groups->m[node];
  return m * m * g->waking > d2 * d2 * d2;
}

/* True if members of a group may touch, or come as near as is looked for, before its next advance. */
static int may_meet(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double margin = 4;
  const struct hb_chain *c = &g->chain;
  double most = 0;
  for (size_t k = 0; k < c->n; k++)
    for (size_t l = 0; l < k; l++)
      most = fmax(most, fmax(hb_contact_reach(&groups->watch, c->member[k], c->member[l]),
                             hb_contact_within(&groups->watch, c->member[k], c->member[l])));
  if (c->n > 2 || most == 0) return most > 0;
  return hb_outer_orbit_pericenter(c->m[0] + c->m[1], c->X[0], c->V[0]) < margin * most;
}

/* Groups of a piece, and those that the calling thread looks at alone. */
enum { NEEDED_PIECE = 16, NEEDED_ALONE = 128 };

/* Marks those of the touched groups that the block has to advance. */
static void needed_piece(void *context, size_t k, size_t end)
{
  const struct hb_groups *groups = context;
  for (; k < end; k++) {
    const struct hb_group *g = groups->at + groups->touched[k];
    struct hb_groups_touch *t = groups->touch + groups->touched[k];
    int is_needed = is_due(groups, g);
    for (uint32_t at = t->first_pull; at && !is_needed; at = groups->pull[at - 1].next)
      is_needed = wakes(groups, g, groups->block[groups->pull[at - 1].b]);
    t->is_marked = (uint8_t)is_needed;
  }
}

/* Sets needed[] to the groups that the block has to advance, and returns their number. Groups with members that may meet are brought to the
 * time of each block, so that what happens in them is found between two blocks. */
static size_t find_needed(struct hb_groups *groups)
{
  size_t count = 0;
  hb_parallel_shares(groups->touches, NEEDED_PIECE, hb_groups_alone(groups, NEEDED_ALONE), needed_piece,
                     groups);
  if (!hb_contact_is_watched(&groups->watch)) {
    for (size_t k = 0; k < groups->touches; k++) {
      groups->needed[count] = groups->touched[k];
      count += groups->touch[groups->touched[k]].is_marked;
    }
    return count;
  }
  for (size_t k = 0, t = 0; k < groups->count; k++) {
    int is_touched = t < groups->touches && groups->touched[t] == k;
    t += (size_t)is_touched;
    if ((is_touched && groups->touch[k].is_marked) || may_meet(groups, groups->at + k))
      groups->needed[count++] = (uint32_t)k;
  }
  return count;
}

/* Advances these groups to a tick. */
static enum hb_status advance(struct hb_groups *groups, uint64_t tick, size_t count, const uint32_t *needed)
{
  if (count == 0) return HB_OK;
  HB_TRY(HB_RENEW(count, &groups->made_room, HB_ARRAY(1, &groups->made)));
  struct work w = {.groups = groups, .tick = tick, .needed = needed, .made = groups->made};
  hb_parallel_for(count > ADVANCED_ALONE ? hb_parallel_threads() : 1, count, advance_piece, &w);
  if (w.failed) { /* once more, to have its error message in this thread */
    enum hb_status status = advance_one(&w, w.failed - 1);
    return status != HB_OK ? status : hb_fail(HB_ERR_STOPPED, "stopped in the middle of a step, on request");
  }
  hb_parallel_shares(count, STORED_PIECE, STORED_ALONE, store_piece, &w);
  groups->forces += w.forces;
  for (size_t k = 0; k < count; k++)
    groups->lost += w.made[k].chain.lost; /* in this order: a sum of doubles */
  return HB_OK;
}

enum hb_status hb_groups_meet(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  if (!groups->has_hits) groups->hits = 0;
  if (groups->count > 0) HB_TRY(enter(groups, tick, ni, block));
  groups->has_hits = 0;
  hb_groups_activate(groups, tick, ni, block);
  return advance(groups, tick, find_needed(groups), groups->needed);
}

/* ---- ahead of a block ---- */

static void ahead_piece(void *context, size_t k)
{
  struct work *w = context;
  const struct hb_group *g = w->groups->at + w->needed[k];
  struct hb_groups_made *made = w->made + k;
  hb_chain_copy(&g->chain, &made->chain);
  made->contacts = (struct hb_contacts){.criteria = w->groups->watch};
  made->forces = 0;
  made->status = advance_chain(w->groups, g, hb_groups_since(w->groups, g->tick, w->tick), &made->chain,
                               &made->contacts, &made->forces);
}

/* Stores what an advance of a group ahead has given. */
static enum hb_status store_ahead(struct hb_groups *groups, uint32_t group, uint64_t tick,
                                  const struct hb_groups_made *made)
{
  const struct hb_group *g = groups->at + group;
  if (made->status == HB_ERR_STOPPED) return hb_fail(HB_ERR_STOPPED, "stopped before a step, on request");
  for (size_t c = 0; c < made->contacts.count; c++) {
    HB_TRY(HB_GROW(groups->founds, &groups->found_capacity, &groups->found));
    groups->found[groups->founds++] = (struct hb_groups_contact){made->contacts.at[c], g->tick};
  }
  if (made->status != HB_OK) return HB_OK;
  HB_TRY(HB_GROW(groups->aheads, &groups->ahead_capacity, &groups->ahead));
  struct hb_groups_ahead *a = groups->ahead + groups->aheads++;
  a->group = group;
  a->from = g->tick, a->to = tick;
  a->settled = g->settled;
  a->forces = made->forces;
  hb_chain_copy(&made->chain, &a->chain);
  copy_tides(g, a->tides);
  return HB_OK;
}

enum hb_status hb_groups_look_ahead(struct hb_groups *groups, uint64_t tick)
{
  enum hb_status status = HB_OK;
  size_t count = 0;
  hb_groups_forget_ahead(groups);
  if (!hb_contact_is_watched(&groups->watch)) return HB_OK;
  for (size_t k = 0; k < groups->count; k++)
    if (may_meet(groups, groups->at + k)) groups->needed[count++] = (uint32_t)k;
  if (count == 0) return HB_OK;
  HB_TRY(HB_RENEW(count, &groups->made_room, HB_ARRAY(1, &groups->made)));
  struct work w = {.groups = groups, .tick = tick, .needed = groups->needed, .made = groups->made};
  hb_parallel_for(count > ADVANCED_ALONE ? hb_parallel_threads() : 1, count, ahead_piece, &w);
  for (size_t k = 0; k < count; k++) {
    if (status == HB_OK) status = store_ahead(groups, w.needed[k], tick, w.made + k);
    hb_mem_free(w.made[k].contacts.at);
  }
  return status;
}

enum hb_status hb_groups_bring(struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  return g->tick == tick ? HB_OK : advance_group(groups, g, tick);
}

/* ---- lists ---- */

enum hb_status hb_groups_wake_listers(struct hb_groups *groups, uint64_t tick, uint32_t node)
{
  size_t count = 0;
  groups->touches = 0;
  hb_groups_touch_listers(groups, node);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++)
    if (groups->at[groups->touched[k]].tick < tick) groups->touched[count++] = groups->touched[k];
  return advance(groups, tick, count, groups->touched);
}

/* Returns the nodes that may have to enter the list of a group. */
static struct hb_groups_around candidates_of(const struct hb_groups *groups, const struct hb_group *g)
{
  uint32_t own = hb_groups_active(groups, g->node);
  int is_near = groups->rules == &hb_groups_by_size || !own; /* any node nearby may enter */
  /* passages and loose chains keep no tides: their lists have all nodes that disturb them, if all positions are known */
  if (g->weak == 0 && groups->nodes.is_full) return (struct hb_groups_around){.count = groups->n};
  return is_near ? hb_groups_near(groups, g->node) : hb_groups_hits_of(groups, own - 1);
}

/* Makes the list of a group anew, from the nodes at xp. Groups that enter it are advanced to tick; *has_advanced is set if one was. */
static enum hb_status look_around(struct hb_groups *groups, struct hb_group *g, uint64_t tick,
                                  int *has_advanced)
{
  enum hb_status status = HB_OK;
  for (size_t k = g->count; k-- > 0;)
    if (!feels(groups, g, g->list[k])) hb_groups_unlist(groups, g, g->list[k]);
  mark(groups, g, 1);
  const struct hb_groups_around around = candidates_of(groups, g);
  for (size_t k = 0; k < around.count && status == HB_OK; k++) {
    uint32_t i = hb_groups_around_at(&around, k);
    if (i == g->node || groups->of[i] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, i);
    if (!feels(groups, g, i)) continue;
    struct hb_group *other = hb_groups_of(groups, i);
    if (groups->listed[i] && groups->rules != &hb_groups_by_size) continue;
    if (other) *has_advanced |= other->tick != tick, status = advance_group(groups, other, tick);
    if (status == HB_OK && !groups->listed[i]) status = hb_groups_list(groups, g, i);
    if (other) other->settled = other->count;
  }
  mark(groups, g, 0);
  g->settled = g->count;
  return status;
}

/* True if look_around would change something: a node of the list no longer belongs into it, or another one does. */
static int has_new_neighbors(const struct hb_groups *groups, const struct hb_group *g)
{
  for (size_t k = 0; k < g->count; k++)
    if (!feels(groups, g, g->list[k])) return 1;
  const struct hb_groups_around around = candidates_of(groups, g);
  for (size_t k = 0; k < around.count; k++) {
    uint32_t i = hb_groups_around_at(&around, k);
    if (i == g->node || groups->of[i] == HB_GROUPS_PARKED || !feels(groups, g, i)) continue;
    if (!hb_groups_has(groups, g, i)) return 1;
  }
  return 0;
}

/* Nodes of a piece, and those that the calling thread does alone. */
enum { LOOKED_PIECE = 16, LOOKED_ALONE = 32 };

/* Chooses the groups of a block that have new neighbors. */
static void look_piece(void *context, size_t b, size_t end)
{
  const struct choice *e = context;
  for (; b < end; b++) {
    struct hb_group *g = hb_groups_of(e->groups, e->block[b]);
    if (!g) continue;
    e->chosen[b] = (uint8_t)has_new_neighbors(e->groups, g);
    if (!e->chosen[b]) g->settled = g->count;
  }
}

/* A group whose list gets longer advances other groups, which may be larger or smaller then than they were when new neighbors were looked
 * for: from the first such group on all groups of the block look around. */
enum hb_status hb_groups_look_around(struct hb_groups *groups, uint64_t tick, size_t ni,
                                     const uint32_t *block)
{
  struct choice e = {groups, block, groups->chosen};
  int is_known = groups->rules != &hb_groups_by_size && !groups->nodes.need;
  if (is_known) hb_parallel_shares(ni, LOOKED_PIECE, LOOKED_ALONE, look_piece, &e);
  for (size_t b = 0; b < ni; b++) {
    struct hb_group *g = hb_groups_of(groups, block[b]);
    if (!g || (is_known && !groups->chosen[b])) continue;
    int has_advanced = 0;
    HB_TRY(look_around(groups, g, tick, &has_advanced));
    if (has_advanced) is_known = 0;
  }
  return HB_OK;
}

/* ---- members ---- */

/* Returns by how much the potential energy within a group differs between the positions r relative to its center, and x, which has
 * lost digits. */
static double energy_rounded(const struct hb_chain *chain, const double *r, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < chain->n; k++)
    for (size_t l = 0; l < k; l++) {
      double r2 = hb_distance2(r, (uint32_t)k, (uint32_t)l);
      double x2 = hb_distance2(x, chain->member[k], chain->member[l]);
      if (x2 > 0) sum += chain->m[k] * chain->m[l] * (1 / sqrt(x2) - 1 / sqrt(r2));
    }
  return sum;
}

/* Advances a copy of the chain of group k by dt. A result that took long is stored, or taken from where it was stored: `next` is the index
 * of the first stored one that is not of an earlier group. */
static enum hb_status advance_copy(struct hb_groups *groups, uint32_t k, double dt, size_t next,
                                   struct hb_chain *chain)
{
  enum { LONG = 1024 }; /* evaluations */
  const struct hb_group *g = groups->at + k;
  struct hb_groups_advanced *advanced = &groups->advanced;
  uint64_t forces = 0;
  if (next < advanced->count && advanced->of[next].group == k) {
    hb_chain_copy(&advanced->of[next].chain, chain);
    return HB_OK;
  }
  hb_chain_copy(&g->chain, chain);
  HB_TRY(advance_chain(groups, g, dt, chain, NULL, &forces));
  if (forces < LONG || next < advanced->count) return HB_OK;
  HB_TRY(HB_GROW(advanced->count, &advanced->capacity, &advanced->of));
  advanced->of[advanced->count].group = k;
  hb_chain_copy(chain, &advanced->of[advanced->count++].chain);
  return HB_OK;
}

/* Does for one group, whose advanced chain is given, what hb_groups_resolve does for all. */
static void resolve_one(const struct hb_group *g, const struct hb_chain *chain, double *x, double *v,
                        double *e_rounded)
{
  double r[3 * HB_CHAIN_MOST], w[3 * HB_CHAIN_MOST], center[2][3];
  hb_chain_places(chain, r, w);
  memcpy(center[0], x + 3 * (size_t)g->node, sizeof *center);
  memcpy(center[1], v + 3 * (size_t)g->node, sizeof *center);
  for (size_t k = 0; k < chain->n; k++)
    for (size_t c = 0; c < 3; c++) {
      x[3 * (size_t)chain->member[k] + c] = center[0][c] + r[3 * k + c];
      v[3 * (size_t)chain->member[k] + c] = center[1][c] + w[3 * k + c];
    }
  *e_rounded += energy_rounded(chain, r, x);
}

enum hb_status hb_groups_resolve(struct hb_groups *groups, uint64_t tick, double dt, double *x, double *v,
                                 double *e_rounded)
{
  struct hb_groups_advanced *advanced = &groups->advanced;
  if (advanced->tick != tick || advanced->dt != dt) advanced->count = 0;
  advanced->tick = tick, advanced->dt = dt;
  *e_rounded = 0;
  for (size_t k = 0, next = 0; k < groups->count; k++) {
    const struct hb_group *g = groups->at + k;
    struct hb_chain chain;
    HB_TRY(advance_copy(groups, (uint32_t)k, hb_groups_since(groups, g->tick, tick) + dt, next, &chain));
    next += next < advanced->count && advanced->of[next].group == k;
    resolve_one(g, &chain, x, v, e_rounded);
  }
  return HB_OK;
}
