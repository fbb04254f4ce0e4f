/* A change between two blocks, at their time T.
 *
 * What changes is first corrected to T, eqs 5 to 8 over the part of its step that has passed; then it begins anew, as nodes do that join or
 * split. A group that a member of changes becomes stars, which join again at once if they should. Whoever feels more than points of
 * these, or is felt so, begins anew, too.
 *
 * Where only its mass is another, no step becomes longer than it was. What is at another place, or has another velocity, gets its first step by eq. 9 after
 * a trial, which is repeated with what that finds as long as it is shorter.
 *
 * All others are in the middle of their steps. From T on they feel f = new pulls - old pulls more, and its derivative g. Their a and j
 * at t_i = T - dt become those of an orbit on which they had felt f + (t - T) g always, and which is at T where they are: x and v at t_i
 * are those of that orbit. So the corrector, at the end of the step, sees forces that change smoothly. */
#include "step/hermite4.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/vector.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

/* What becomes of a slot. */
enum { IS_FRESH = 1, IS_CHANGED = 2, IS_OPENED = 4, IS_MOVED = 8 };

/* A node as others feel it. */
struct source {
  uint32_t node;
  double m, x[3], v[3];
  double weight; /* in lists */
};

struct sources {
  struct source *at; /* [count] by ascending node */
  size_t count;
};

struct change {
  struct hb_hermite4 *h;
  const struct hb_state_change *by;
  uint64_t T;
  uint8_t *what;        /* [n] of them that there are at the end */
  uint8_t *level, *far; /* [n] of steps so far; UINT8_MAX: any */
  double eps2;
  struct sources before, after;
  int is_by_mass; /* nodes are the same, at the same places */
};

/* ---- who begins anew ---- */

static void mark_listers(struct change *c, uint32_t node)
{
  struct hb_groups *groups = c->h->groups;
  groups->touches = 0;
  hb_groups_touch_listers(groups, node);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++) c->what[groups->at[groups->touched[k]].node] |= IS_FRESH;
}

static void mark_around(struct change *c, uint32_t node)
{
  struct hb_groups *groups = c->h->groups;
  const struct hb_group *g = hb_groups_of(groups, node);
  mark_listers(c, node);
  for (size_t k = 0; g && k < g->count; k++) c->what[g->list[k]] |= IS_FRESH;
}

static void mark_one(struct change *c, uint32_t i)
{
  uint32_t node = hb_hermite4_node_of(c->h, i);
  const struct hb_groups *groups = c->h->groups;
  c->what[i] |= IS_FRESH | IS_CHANGED;
  if (!groups) return;
  if (hb_groups_of(groups, node)) c->what[node] |= IS_FRESH | IS_CHANGED | IS_OPENED;
  mark_around(c, node);
}

static void mark_all(struct change *c)
{
  for (size_t k = 0; k < c->by->n; k++) mark_one(c, c->by->slot[k]);
  for (size_t k = 0; k < c->by->n_removed; k++) mark_one(c, c->by->removed[k]);
}

/* Those marked become the block, but for parked slots. */
static size_t take_block(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  size_t ni = 0;
  for (uint32_t i = 0; i < h->n; i++)
    if (c->what[i] & IS_FRESH && !hb_hermite4_is_parked(h, i)) h->block[ni++] = i;
  return ni;
}

/* Nodes that change, as they are now. */
static enum hb_status take_sources(const struct change *c, struct sources *to)
{
  const struct hb_hermite4 *h = c->h;
  size_t count = 0;
  for (uint32_t i = 0; i < h->n; i++) count += c->what[i] & IS_CHANGED && !hb_hermite4_is_parked(h, i);
  HB_TRY(HB_ALLOC(count, &to->at));
  for (uint32_t i = 0; i < h->n; i++) {
    if (!(c->what[i] & IS_CHANGED) || hb_hermite4_is_parked(h, i)) continue;
    struct source *s = to->at + to->count++;
    s->node = i;
    s->m = hb_hermite4_masses(h)[i];
    s->weight = hb_hermite4_near.weight(h, s->m);
    memcpy(s->x, h->xp + 3 * (size_t)i, sizeof s->x);
    memcpy(s->v, h->vp + 3 * (size_t)i, sizeof s->v);
  }
  return HB_OK;
}

/* ---- energy ---- */

/* x v of all: of nodes xp vp, of members of groups their own, in the array `own`. */
static enum hb_status resolve(const struct hb_hermite4 *h, double *own, const double **x, const double **v)
{
  double e_rounded;
  *x = h->xp, *v = h->vp;
  if (!own) return HB_OK;
  memcpy(own, h->xp, 3 * h->n * sizeof *own);
  memcpy(own + 3 * h->n, h->vp, 3 * h->n * sizeof *own);
  *x = own, *v = own + 3 * h->n;
  return hb_companion_groups.resolve(h, 0, own, own + 3 * h->n, &e_rounded);
}

static enum hb_status energy_of(const struct change *c, double *energy)
{
  const struct hb_hermite4 *h = c->h;
  size_t count = 0;
  const double *x, *v;
  double *own = NULL;
  uint32_t *who = NULL;
  uint8_t *is_in = NULL;
  enum hb_status status = h->groups && h->groups->count > 0 ? HB_ALLOC(6 * h->n, &own) : HB_OK;
  if (status == HB_OK) status = HB_ALLOC(h->n, &who);
  if (status == HB_OK) status = HB_ALLOC(h->n, &is_in);
  if (status == HB_OK) status = resolve(h, own, &x, &v);
  for (uint32_t i = 0; i < h->n && status == HB_OK; i++) {
    if (!(c->what[i] & IS_CHANGED)) continue;
    who[count++] = i;
    is_in[i] = 1;
  }
  if (status == HB_OK)
    status = hb_change_energy(h->particles, x, v, count, who, is_in, c->eps2, h->field, energy);
  hb_mem_free(own);
  hb_mem_free(who);
  hb_mem_free(is_in);
  return status;
}

/* ---- what the others feel ---- */

static void add_pull(const struct source *s, double sign, double eps2, const double x[3], const double v[3],
                     struct hb_pull *f)
{
  double r[3], w[3];
  for (int c = 0; c < 3; c++) r[c] = s->x[c] - x[c], w[c] = s->v[c] - v[c];
  double r2 = hb_dot(r, r) + eps2, rv = hb_dot(r, w), mrinv3 = sign * s->m / (r2 * sqrt(r2));
  for (int c = 0; c < 3; c++) {
    f->a[c] += mrinv3 * r[c];
    f->k[c] += mrinv3 * (w[c] - 3 * rv / r2 * r[c]);
  }
}

/* Of one of these, to the part in which i has it. */
static void add_source(const struct change *c, uint32_t i, const struct source *s, double sign,
                       struct hb_pull *near, struct hb_pull *far)
{
  const struct hb_hermite4 *h = c->h;
  int is_near = hb_hermite4_has_parts(h) && hb_hermite4_near.has(h, i, s->node);
  if (s->m != 0)
    add_pull(s, sign, c->eps2, h->xp + 3 * (size_t)i, h->vp + 3 * (size_t)i, is_near ? near : far);
}

/* x or v of a particle, with what rounding took from it, becomes larger by d. */
static void add(double *q, double d, float *lost)
{
  double more = d + *lost, sum = *q + more, part = sum - *q;
  *lost = (float)((*q - (sum - part)) + (more - part));
  *q = sum;
}

static void move_past(struct hb_hermite4 *h, uint32_t i, double dt, const struct hb_pull *f)
{
  for (size_t d = 0, k = 3 * (size_t)i; d < 3; d++, k++) {
    double a = f->a[d], g = f->k[d];
    float x_lost = hb_bits_to_float((uint32_t)h->lost[k]),
          v_lost = hb_bits_to_float((uint32_t)(h->lost[k] >> 32));
    h->a[k] += a - dt * g;
    h->j[k] += g;
    if (!(dt > 0)) continue;
    add(h->particles->x + k, dt * dt / 2 * (a - dt / 3 * g), &x_lost);
    add(h->particles->v + k, -dt * (a - dt / 2 * g), &v_lost);
    h->lost[k] = hb_bits_of_float(x_lost) | (uint64_t)hb_bits_of_float(v_lost) << 32;
  }
}

/* Coriolis' force turns with the pulls, and belongs to the near part. */
static void turn(const struct change *c, struct hb_pull *near, const struct hb_pull *far)
{
  static const double at_rest[3] = {0};
  double a[3];
  for (int d = 0; d < 3; d++) a[d] = near->a[d] + far->a[d];
  if (c->h->field) hb_field_deflect(c->h->field, at_rest, a, near->k);
}

static void end_feeling(const struct change *c, uint32_t i, struct hb_pull *near, const struct hb_pull *far)
{
  struct hb_hermite4 *h = c->h;
  turn(c, near, far);
  if (hb_hermite4_has_parts(h)) hb_hermite4_near.feel(h, c->T, i, near, far);
  for (int d = 0; d < 3; d++) near->a[d] += far->a[d], near->k[d] += far->k[d];
  uint64_t ticks = c->T - hb_blocks_level_time(h->blocks, h->blocks->level[i]);
  move_past(h, i, hb_hermite4_span(h, ticks), near);
}

/* The k-th, of which only the mass is another: one pull is enough. */
static void feel_mass(const struct change *c, uint32_t i, size_t k, struct hb_pull *near, struct hb_pull *far)
{
  struct source more = c->after.at[k];
  more.m -= c->before.at[k].m;
  if (more.m > 0 && hb_hermite4_has_parts(c->h)) hb_hermite4_near.meet(c->h, i, more.node, more.weight);
  add_source(c, i, &more, 1, near, far);
}

/* Whether all of these are where they were. */
static int is_by_mass(const struct change *c)
{
  size_t same = 0;
  for (size_t k = 0; k < c->after.count && k < c->before.count; k++) {
    const struct source *b = c->before.at + k, *a = c->after.at + k;
    same += a->node == b->node && memcmp(a->x, b->x, sizeof a->x) == 0 &&
            memcmp(a->v, b->v, sizeof a->v) == 0 && b->m > 0;
  }
  return same == c->after.count && same == c->before.count;
}

/* An untouched node. */
static void let_feel(const struct change *c, uint32_t i)
{
  struct hb_hermite4 *h = c->h;
  struct hb_pull near = {{0}, {0}}, far = {{0}, {0}};
  if (c->is_by_mass) {
    for (size_t k = 0; k < c->after.count; k++) feel_mass(c, i, k, &near, &far);
    return end_feeling(c, i, &near, &far);
  }
  for (size_t k = 0; k < c->before.count; k++) add_source(c, i, c->before.at + k, -1, &near, &far);
  for (size_t k = 0; k < c->after.count; k++) {
    const struct source *s = c->after.at + k;
    if (hb_hermite4_has_parts(h)) hb_hermite4_near.meet(h, i, s->node, s->weight);
    add_source(c, i, s, 1, &near, &far);
  }
  end_feeling(c, i, &near, &far);
}

enum { PIECE = 128, ALONE = 2048 };

static void feel_piece(void *context, size_t piece)
{
  enum { AHEAD = 4 };
  const struct change *c = context;
  for (size_t k = piece * PIECE, end = hb_parallel_end(c->h->n, PIECE, k); k < end; k++) {
    uint32_t i = (uint32_t)k;
    if (hb_hermite4_has_parts(c->h) && k + AHEAD < end) hb_hermite4_near.fetch_list(c->h, i + AHEAD);
    if (c->what[i] & IS_FRESH || hb_hermite4_is_parked(c->h, i)) continue;
    let_feel(c, i);
    hb_hermite4_near.store(c->h, i);
  }
}

/* ---- the change ---- */

static enum hb_status open_marked(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  for (uint32_t i = 0; h->groups && i < h->n; i++)
    if (c->what[i] & IS_OPENED)
      HB_TRY(hb_hermite4_open_group(h, c->T, i, IS_FRESH | IS_CHANGED | IS_OPENED, c->what));
  return HB_OK;
}

static void mark_moved(struct change *c, size_t n)
{
  const struct hb_state_change *by = c->by;
  memset(c->what + n, IS_FRESH | IS_CHANGED | IS_MOVED, hb_change_added(by));
  for (size_t k = 0; k < by->n && (by->x || by->v); k++) c->what[by->slot[k]] |= IS_MOVED;
}

/* Steps of those that are where they were. */
static void keep_levels(struct change *c, size_t n)
{
  const struct hb_hermite4 *h = c->h;
  memset(c->level, UINT8_MAX, h->n);
  memset(c->far, UINT8_MAX, h->n);
  for (uint32_t i = 0; i < n; i++) {
    if (!(c->what[i] & IS_FRESH) || c->what[i] & (IS_MOVED | IS_OPENED) || hb_hermite4_is_parked(h, i))
      continue;
    c->level[i] = h->blocks->level[i];
    if (hb_hermite4_has_parts(h)) c->far[i] = (uint8_t)hb_hermite4_near.far_level(h, i);
  }
}

/* Nodes that are marked are at xp vp now, and on no list. */
static void place_marked(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  hb_blocks_clear(h->blocks, h->n);
  for (uint32_t i = 0; i < h->n; i++) {
    size_t k = 3 * (size_t)i, bytes = 3 * sizeof *h->a;
    if (hb_hermite4_is_parked(h, i)) continue;
    if (!(c->what[i] & IS_FRESH)) {
      hb_blocks_put(h->blocks, i, h->blocks->level[i]);
      continue;
    }
    memcpy(h->particles->x + k, h->xp + k, bytes);
    memcpy(h->particles->v + k, h->vp + k, bytes);
    memset(h->a + k, 0, bytes);
    memset(h->j + k, 0, bytes);
    memset(h->lost + k, 0, 3 * sizeof *h->lost);
    h->blocks->level[i] = 0;
  }
}

static void set_masses(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  for (uint32_t i = 0; h->groups && i < h->n; i++)
    if (c->what[i] & IS_CHANGED && h->groups->of[i] == HB_GROUPS_STAR) h->groups->m[i] = h->particles->m[i];
}

/* What vanishes leaves all arrays, and `what`. */
static enum hb_status drop_removed(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  uint32_t *number;
  if (c->by->n_removed == 0) return HB_OK;
  HB_TRY(HB_ALLOC(h->n, &number));
  size_t n = h->n, left = hb_change_number(c->by, n, number);
  enum hb_status status = hb_hermite4_drop(h, number, left);
  for (size_t i = 0; i < n; i++) {
    if (number[i] == HB_COLUMNS_GONE) continue;
    c->what[number[i]] = c->what[i], c->level[number[i]] = c->level[i], c->far[number[i]] = c->far[i];
  }
  hb_mem_free(number);
  return status;
}

/* ---- first steps ---- */

/* What all nodes as points, and the field, do to i at T + dt, where the pulls of these change as its a and j say. */
static struct hb_pull pull_after(const struct change *c, uint32_t i, double dt)
{
  const struct hb_hermite4 *h = c->h;
  const double *m = hb_hermite4_masses(h);
  struct hb_span span[HB_BLOCKS_LEVELS];
  struct hb_pull f = {{0}, {0}};
  double x[3], v[3];
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++)
    span[l] = hb_span_of(
        dt + hb_hermite4_span(h, l <= h->blocks->level_max ? c->T - hb_blocks_level_time(h->blocks, l) : 0));
  hb_hermite4_predict(h, i, span + h->blocks->level[i], x, v);
  for (uint32_t j = 0; j < h->n; j++) {
    struct source s = {.node = j, .m = m[j]};
    if (j == i || !(m[j] > 0) || hb_hermite4_is_parked(h, j)) continue;
    hb_hermite4_predict(h, j, span + h->blocks->level[j], s.x, s.v);
    add_pull(&s, 1, c->eps2, x, v, &f);
  }
  if (h->field) hb_field_pull(h->field, x, v, f.a, f.k);
  return f;
}

/* Eq. 9 after trials, for one that has begun with eq. 2: its level. */
static unsigned try_level(const struct change *c, uint32_t i)
{
  const struct hb_hermite4 *h = c->h;
  const struct hb_timestep_rule rule = {.nu = h->rule.nu};
  const struct hb_pull f = pull_after(c, i, 0);
  unsigned level = h->blocks->level[i];
  for (;; level--) {
    double dt = hb_hermite4_span(h, (uint64_t)1 << level), dt2a2[3], dt3k2[3], dtdk[3];
    const struct hb_pull fp = pull_after(c, i, dt);
    hb_timestep_higher(dt, f.a, f.k, fp.a, fp.k, dt2a2, dt3k2);
    for (int d = 0; d < 3; d++) dtdk[d] = dt * (fp.k[d] - f.k[d]);
    double next = hb_timestep_after(&rule, 0, dt, fp.a, fp.k, dtdk, dt2a2, dt3k2, &(int){0});
    if (level == 0 || hb_hermite4_level(h, hb_hermite4_limited(h, i, next)) >= level) return level;
  }
}

/* The b-th of the block is fresh. */
static void find_level(void *context, size_t b)
{
  struct change *c = context;
  uint32_t i = c->h->block[b];
  if (!(c->what[i] & IS_MOVED)) return;
  c->level[i] = (uint8_t)try_level(c, i);
  c->far[i] = (uint8_t)(c->level[i] + 1); /* which no trial was made of; it grows soon */
}

static void shorten_steps(struct change *c, size_t ni)
{
  enum { FEW = 4 };
  struct hb_hermite4 *h = c->h;
  hb_parallel_for(ni > FEW ? hb_parallel_threads() : 1, ni, find_level, c);
  for (size_t b = 0; b < ni; b++) {
    uint32_t i = h->block[b];
    if (hb_hermite4_has_parts(h)) hb_hermite4_near.limit(h, i, c->far[i]);
    if (c->level[i] >= h->blocks->level[i]) continue;
    hb_blocks_remove(h->blocks, i);
    hb_blocks_put(h->blocks, i, c->level[i]);
  }
}

/* Shared steps: the shortest is that of all. */
static void share_least(struct hb_hermite4 *h)
{
  if (h->params.steps != HB_STEPS_SHARED || h->blocks->occupied == 0) return;
  unsigned least = (unsigned)__builtin_ctzll(h->blocks->occupied);
  hb_blocks_clear(h->blocks, h->n);
  for (uint32_t i = 0; i < h->n; i++) hb_blocks_put(h->blocks, i, least);
}

static enum hb_status begin_marked(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  place_marked(c);
  HB_TRY(hb_hermite4_weigh_all(h));
  if (c->by->added) HB_TRY(hb_hermite4_near.arrange(h));
  size_t ni = take_block(c);
  int is_kept = h->params.predict == HB_PLACE_GPU;
  if (is_kept) HB_TRY(hb_hermite4_keep(h, h->n, NULL));
  HB_TRY(hb_hermite4_start_nodes(h, c->T, ni));
  shorten_steps(c, ni);
  share_least(h);
  if (h->groups) memset(h->groups->fresh, 0, h->n);
  HB_TRY(hb_companion_groups.after(h, c->T, &ni));
  return is_kept ? hb_hermite4_keep(h, h->n, NULL) : HB_OK;
}

static enum hb_status change(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  double before, after;
  mark_all(c);
  hb_hermite4_predict_others(h, c->T, 0);
  if (hb_hermite4_has_parts(h)) hb_hermite4_near.place_all(h, c->T);
  HB_TRY(hb_hermite4_catch_up(h, c->T, take_block(c)));
  HB_TRY(take_sources(c, &c->before));
  for (size_t i = 0; h->groups && i < h->n; i++) h->groups->fresh[i] = c->what[i] & IS_FRESH;
  HB_TRY(open_marked(c));
  size_t n = h->n;
  HB_TRY(hb_change_make_room(c->by, h->particles));
  if (h->particles->n > n) HB_TRY(hb_hermite4_grow(h, h->particles->n));
  mark_moved(c, n);
  keep_levels(c, n);
  HB_TRY(energy_of(c, &before));
  hb_change_apply(c->by, h->particles, h->xp, h->vp);
  set_masses(c);
  HB_TRY(energy_of(c, &after));
  h->counts.e_changed += after - before;
  h->counts.changes++;
  HB_TRY(take_sources(c, &c->after));
  c->is_by_mass = is_by_mass(c);
  hb_parallel_for(h->n > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(h->n, PIECE), feel_piece, c);
  HB_TRY(drop_removed(c));
  return begin_marked(c);
}

static enum hb_status change_all(struct hb_hermite4 *h, const struct hb_state_change *by)
{
  double eps = hb_force_eps(h->force);
  struct change c = {.h = h, .by = by, .T = h->blocks->now, .eps2 = eps * eps};
  size_t n = h->n + hb_change_added(by);
  enum hb_status status = HB_ALLOC(n, &c.what);
  if (status == HB_OK) status = HB_ALLOC(n, &c.level);
  if (status == HB_OK) status = HB_ALLOC(n, &c.far);
  if (status == HB_OK) status = change(&c);
  hb_mem_free(c.what);
  hb_mem_free(c.level);
  hb_mem_free(c.far);
  hb_mem_free(c.before.at);
  hb_mem_free(c.after.at);
  return status;
}

const struct hb_companion hb_companion_change = {.change = change_all};
