/* A change between two blocks, at their time T.
 *
 * A star that is only lighter or a little heavier goes on, since its own mass does not move it: one pass over all others is enough.
 *
 * What changes is first corrected to T, eqs 5 to 8 over the part of its step that has passed; then it begins anew, as nodes do that join or
 * split. A group that a member of changes becomes stars, which join again at once if they should. Whoever feels more than points of
 * these, or is felt so, begins anew, too.
 *
 * Where only a mass is another, no step becomes longer than it was. What is at another place, or has another velocity, gets its first
 * step by eq. 9 after a trial, which is repeated with what that finds as long as it is shorter.
 *
 * All others are in the middle of their steps. From T on they feel f = new pulls - old pulls more, and its derivative g. Their a and j
 * at t_i = T - dt become those of an orbit on which they had felt f + (t - T) g always, and which is at T where they are: x and v at t_i
 * are those of that orbit. So the corrector, at the end of the step, sees forces that change smoothly.
 *
 * To read and write the state of all is what a change costs. With lists only the records, which sources are predicted from, and far parts
 * are written; columns x v a j are older until their particle's next step, or until somebody asks for them (settle_all). */
#include "step/hermite4.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/machine.h"
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
  struct source *at; /* [count] */
  size_t count;
};

struct change {
  struct hb_hermite4 *h;
  const struct hb_state_change *by;
  uint64_t T;
  uint8_t *what;        /* [n] of them that there are at the end; NULL: masses alone */
  uint8_t *level, *far; /* [n] of steps so far; UINT8_MAX: any */
  double eps2;
  struct sources felt;                   /* what the others feel more, less with masses below 0 */
  struct hb_span span[HB_BLOCKS_LEVELS]; /* from the times of levels to T */
  double *
      sums; /* of each piece: momentum[3], and what it does to each source's potential; NULL: not asked for */
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

static void take_source(const struct hb_hermite4 *h, uint32_t i, double m, struct sources *to)
{
  struct source *s = to->at + to->count++;
  *s = (struct source){.node = i, .m = m, .weight = hb_hermite4_near.weight(h, m)};
  memcpy(s->x, h->xp + 3 * (size_t)i, sizeof s->x);
  memcpy(s->v, h->vp + 3 * (size_t)i, sizeof s->v);
}

/* Nodes that change, as they are now, are felt so many times more. */
static enum hb_status take_sources(const struct change *c, double times, struct sources *to)
{
  const struct hb_hermite4 *h = c->h;
  size_t count = to->count;
  for (uint32_t i = 0; i < h->n; i++) count += c->what[i] & IS_CHANGED && !hb_hermite4_is_parked(h, i);
  HB_TRY(HB_RESIZE(count, &to->at));
  for (uint32_t i = 0; i < h->n; i++)
    if (c->what[i] & IS_CHANGED && !hb_hermite4_is_parked(h, i))
      take_source(h, i, times * hb_hermite4_masses(h)[i], to);
  return HB_OK;
}

/* ---- energy ---- */

/* x v of all: of nodes xp vp, of members of groups their own, at their slots in a1 j1, which are free now. */
static enum hb_status resolve(struct hb_hermite4 *h, const double **x, const double **v)
{
  double e_rounded;
  *x = h->xp, *v = h->vp;
  if (!h->groups || h->groups->count == 0) return HB_OK;
  *x = memcpy(h->a1, h->xp, 3 * h->n * sizeof *h->a1);
  *v = memcpy(h->j1, h->vp, 3 * h->n * sizeof *h->j1);
  return hb_companion_groups.resolve(h, 0, h->a1, h->j1, &e_rounded);
}

static enum hb_status energy_of(const struct change *c, double *energy)
{
  const double *x, *v;
  HB_TRY(resolve(c->h, &x, &v));
  return hb_change_energy(c->h->particles, x, v, c->what, IS_CHANGED, c->eps2, c->h->field, energy);
}

/* ---- what the others feel ---- */

enum { PIECE = HB_FELT_PIECE, ALONE = 4096, LANES = 8 };

/* Nodes from .. from + n - 1, and predicted as columns x y z vx vy vz m; those that feel nothing have felt 0, others 1. */
struct piece {
  size_t from, n;
  struct hb_record *record; /* of the k-th: record[place[k]] */
  const uint32_t *place;
  const uint8_t *level, *far;
  double tile[7][PIECE], felt[PIECE];
};

/* Where there are no lists, records are made for a while. */
struct made {
  struct hb_record record[PIECE];
  uint32_t place[PIECE];
};

static void take_records(const struct hb_hermite4 *h, struct piece *p, struct made *made)
{
  p->far = p->level = h->blocks->level + p->from;
  if (h->has_parts) {
    p->record = h->near->record, p->place = h->near->place + p->from, p->far = h->near->far + p->from;
    return;
  }
  const double *m = hb_hermite4_masses(h) + p->from;
  p->record = made->record, p->place = made->place;
  for (size_t k = 0; k < p->n; k++) {
    made->place[k] = (uint32_t)k, made->record[k] = (struct hb_record){.m = m[k]};
    hb_record_take(h, p->from + k, made->record + k);
  }
}

static void take_piece(const struct change *c, struct piece *p, struct made *made)
{
  const struct hb_hermite4 *h = c->h;
  uint32_t all[PIECE];
  take_records(h, p, made);
  for (size_t k = 0; k < p->n; k++) all[k] = (uint32_t)k, p->felt[k] = 1;
  hb_hermite4_near.gather(p->record, p->place, p->level, c->span, all, p->n, p->tile[0], PIECE);
  for (size_t k = 0; k < p->n && (c->what || h->groups); k++)
    if ((c->what && c->what[p->from + k] & IS_FRESH) || hb_hermite4_is_parked(h, (uint32_t)(p->from + k)))
      p->felt[k] = 0;
}

/* All of them by one, which does not pull itself; and what they do to its potential. */
HB_CLONES static void pull_piece(const struct piece *p, const struct source *s, double eps2,
                                 struct hb_felt *f, double *phi)
{
  const size_t own = s->node - p->from;
  const double m = s->m, x0 = s->x[0], x1 = s->x[1], x2 = s->x[2], v0 = s->v[0], v1 = s->v[1], v2 = s->v[2];
#pragma omp simd
  for (size_t k = 0; k < p->n; k++) {
    double rx = x0 - p->tile[0][k], ry = x1 - p->tile[1][k], rz = x2 - p->tile[2][k];
    double wx = v0 - p->tile[3][k], wy = v1 - p->tile[4][k], wz = v2 - p->tile[5][k];
    double r2 = rx * rx + ry * ry + rz * rz + eps2;
    f->r2[k] = r2;
    r2 = r2 > 0 ? r2 : 1;
    double rinv = 1 / sqrt(r2), rinv2 = rinv * rinv, mrinv3 = p->felt[k] * m * rinv * rinv2;
    double q = 3 * (rx * wx + ry * wy + rz * wz) * rinv2;
    phi[k] = k == own ? 0 : p->tile[6][k] * rinv;
    f->a[0][k] = mrinv3 * rx, f->a[1][k] = mrinv3 * ry, f->a[2][k] = mrinv3 * rz;
    f->k[0][k] = mrinv3 * (wx - q * rx), f->k[1][k] = mrinv3 * (wy - q * ry);
    f->k[2][k] = mrinv3 * (wz - q * rz);
  }
}

/* A sum for each lane: the bits are the same whatever a machine does at once. Of q, and of p q. */
HB_CLONES static double sum_of(size_t n, const double *q)
{
  double lane[LANES] = {0}, sum = 0;
  for (size_t from = 0; from + LANES <= n; from += LANES)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) lane[l] += q[from + l];
  for (size_t k = n - n % LANES; k < n; k++) sum += q[k];
  for (size_t l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}
HB_CLONES static double sum_of_two(size_t n, const double *p, const double *q)
{
  double both[PIECE];
#pragma omp simd
  for (size_t k = 0; k < n; k++) both[k] = p[k] * q[k];
  return sum_of(n, both);
}

/* Coriolis' force turns with the pulls, and belongs to the near part. */
static void turn(const struct change *c, const struct piece *p, struct hb_felt *f)
{
  static const double at_rest[3] = {0};
  if (!c->h->field || hb_field_turn(c->h->field) == 0) return;
  for (size_t k = 0; k < p->n; k++) {
    struct hb_pull own = {{f->a[0][k], f->a[1][k], f->a[2][k]}, {0}};
    hb_field_deflect(c->h->field, at_rest, own.a, own.k);
    for (size_t d = 0; d < 3; d++) own.a[d] = 0, f->k[d][k] += own.k[d];
    if (c->h->has_parts) hb_hermite4_near.own(c->h, c->span, (uint32_t)(p->from + k), &own);
  }
}

/* Their records are of orbits on which they had felt that always, and so are the far parts, by rows a k. */
HB_CLONES static void move_past(const struct piece *p, const struct hb_span *span, const struct hb_felt *f,
                                double *a, double *k)
{
  for (size_t from = 0; from < p->n; from += 4) {
    hb_four column[2][4] = {{{0}}}, fa[4], fk[4];
    for (size_t d = 0; d < 3; d++)
      column[0][d] = *(const hb_four *)(f->a[d] + from), column[1][d] = *(const hb_four *)(f->k[d] + from);
    hb_transpose(column[0], fa);
    hb_transpose(column[1], fk);
    for (size_t c = 0; c < 4 && from + c < p->n; c++) {
      const struct hb_span dt = span[p->level[from + c]];
      hb_four *row = (hb_four *)(p->record + p->place[from + c]);
      row[0] += dt.whole * dt.half * (fa[c] - dt.third * fk[c]);
      row[1] -= dt.whole * (fa[c] - dt.half * fk[c]);
      row[2] += fa[c] - dt.whole * fk[c];
      row[3] += fk[c];
      *(hb_four *)(a + 3 * (from + c)) = fa[c] - span[p->far[from + c]].whole * fk[c];
      *(hb_four *)(k + 3 * (from + c)) = fk[c];
    }
  }
}

/* What comes near enters lists. */
static void meet(const struct change *c, const struct piece *p, const struct source *s)
{
  for (size_t k = 0; k < p->n && s->weight > 0 && c->h->has_parts; k++)
    if (p->felt[k] > 0) hb_hermite4_near.meet(c->h, (uint32_t)(p->from + k), s->node, s->weight);
}

static void add_pulls(size_t n, const struct hb_felt *f, struct hb_felt *to)
{
  for (size_t d = 0; d < 3; d++)
    for (size_t k = 0; k < n; k++) to->a[d][k] += f->a[d][k], to->k[d][k] += f->k[d][k];
}

/* Of one source; with sums, lists stay. */
static void feel_one(const struct change *c, const struct piece *p, size_t s, double *sum, struct hb_felt *f)
{
  const struct source *by = c->felt.at + s;
  double phi[PIECE];
  pull_piece(p, by, c->eps2, f, phi);
  if (sum) sum[3 + s] = sum_of(p->n, phi);
  meet(c, p, by);
  if (c->h->has_parts) hb_hermite4_near.part(c->h, c->span, by->node, p->from, p->n, f, sum != NULL);
}

HB_CLONES static void add_rows(size_t n, const double *a, const double *k, double *far_a, double *far_j)
{
#pragma omp simd
  for (size_t c = 0; c < n; c++) far_a[c] += a[c], far_j[c] += k[c];
}

static void feel_piece(void *context, size_t from, size_t end)
{
  const struct change *c = context;
  struct hb_felt f, more;
  struct made made;
  struct piece p;
  double a[3 * PIECE + 4], k[3 * PIECE + 4],
      *sum = c->sums ? c->sums + from / PIECE * (c->felt.count + 3) : NULL;
  p.from = from, p.n = end - from; /* the rest is large */
  take_piece(c, &p, &made);
  feel_one(c, &p, 0, sum, &f);
  for (size_t s = 1; s < c->felt.count; s++) {
    feel_one(c, &p, s, sum, &more);
    add_pulls(p.n, &more, &f);
  }
  for (size_t d = 0; d < 3 && sum; d++) sum[d] = sum_of_two(p.n, p.tile[6], p.tile[3 + d]);
  turn(c, &p, &f);
  move_past(&p, c->span, &f, a, k);
  for (size_t i = 0; i < p.n && !c->h->has_parts; i++) hb_record_put(made.record + i, from + i, c->h);
  if (c->h->has_parts)
    add_rows(3 * p.n, a, k, c->h->near->far_a + 3 * p.from, c->h->near->far_j + 3 * p.from);
}

static void let_feel(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  hb_hermite4_spans(h, c->T, ((uint64_t)2 << h->blocks->level_max) - 1, c->span);
  if (c->felt.count == 0) return;
  hb_parallel_pieces(h->n, PIECE, ALONE, feel_piece, c);
  if (h->has_parts) h->ahead = h->near->record, h->place = h->near->place;
}

enum hb_status hb_hermite4_forget(struct hb_hermite4 *h, uint64_t T, size_t count, const uint32_t *gone)
{
  double eps = hb_force_eps(h->force);
  struct change c = {.h = h, .T = T, .eps2 = eps * eps};
  if (count == 0) return HB_OK;
  HB_TRY(HB_ALLOC(count, &c.felt.at));
  for (size_t k = 0; k < count; k++) {
    take_source(h, gone[k], -hb_hermite4_masses(h)[gone[k]], &c.felt);
    c.felt.at[k].weight = 0;
  }
  let_feel(&c);
  hb_hermite4_near.settle_all(h);
  hb_mem_free(c.felt.at);
  return HB_OK;
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
    if (h->has_parts) c->far[i] = h->near->far[i];
  }
}

/* Nodes that are marked are at xp vp now, and on no list. */
static void place_marked(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  hb_blocks_clear(h->blocks, h->n);
  for (uint32_t i = 0; i < h->n; i++) {
    if (hb_hermite4_is_parked(h, i)) continue;
    if (c->what[i] & IS_FRESH)
      hb_hermite4_place(h, i);
    else
      hb_blocks_put(h->blocks, i, h->blocks->level[i]);
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
  HB_OWN uint32_t *number = NULL;
  if (c->by->n_removed == 0) return HB_OK;
  HB_TRY(HB_ALLOC(h->n, &number));
  size_t n = h->n, left = hb_change_number(c->by, n, number);
  HB_TRY(hb_hermite4_drop(h, number, left));
  for (size_t i = 0; i < n; i++) {
    if (number[i] == HB_COLUMNS_GONE) continue;
    c->what[number[i]] = c->what[i], c->level[number[i]] = c->level[i], c->far[number[i]] = c->far[i];
  }
  return HB_OK;
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
    double r[3], w[3];
    if (j == i || !(m[j] > 0) || hb_hermite4_is_parked(h, j)) continue;
    hb_hermite4_predict(h, j, span + h->blocks->level[j], r, w);
    for (size_t d = 0; d < 3; d++) r[d] -= x[d], w[d] -= v[d];
    hb_chain_add_pull(m[j], hb_dot(r, r) + c->eps2, r, w, f.a, f.k);
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
    double dt = hb_hermite4_span(h, (uint64_t)1 << level), dt2a2[3], dt3k2[3];
    const struct hb_pull fp = pull_after(c, i, dt);
    hb_timestep_higher(dt, f.a, f.k, fp.a, fp.k, dt2a2, dt3k2);
    double next = hb_timestep_after(&rule, 0, dt, f.k, fp.a, fp.k, dt2a2, dt3k2, &(int){0});
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
    if (h->has_parts) hb_near_limit(h->near, i, c->far[i]);
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
  if (h->groups) HB_TRY(hb_companion_groups.after(h, c->T, &ni));
  return is_kept ? hb_hermite4_keep(h, h->n, NULL) : HB_OK;
}

static enum hb_status change(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  double before, after;
  mark_all(c);
  hb_hermite4_predict_others(h, c->T, 0);
  if (h->has_parts) {
    h->near->all_at = h->near->now = c->T + 1;
    hb_hermite4_spans(h, c->T, h->blocks->occupied, h->near->span);
  }
  HB_TRY(hb_hermite4_catch_up(h, c->T, take_block(c)));
  HB_TRY(take_sources(c, -1, &c->felt));
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
  HB_TRY(take_sources(c, 1, &c->felt));
  if (h->particles->n > n) HB_TRY(hb_hermite4_near.arrange(h));
  let_feel(c);
  hb_hermite4_near.settle_all(h);
  HB_TRY(drop_removed(c));
  return begin_marked(c);
}

/* ---- masses alone ---- */

static enum hb_status take_gains(struct change *c)
{
  const struct hb_state_change *by = c->by;
  HB_TRY(HB_ALLOC(by->n, &c->felt.at));
  for (size_t k = 0; k < by->n; k++) {
    uint32_t i = by->slot[k];
    hb_hermite4_predict(c->h, i, c->span + c->h->blocks->level[i], c->h->xp + 3 * (size_t)i,
                        c->h->vp + 3 * (size_t)i);
    take_source(c->h, i, by->m[k] - c->h->particles->m[i], &c->felt);
    c->felt.at[k].weight = 0; /* lists stay */
  }
  return HB_OK;
}

static double potential_of(const double m, const double *at, const double x[3], double eps2)
{
  const double r[3] = {at[0] - x[0], at[1] - x[1], at[2] - x[2]};
  return -m / sqrt(hb_dot(r, r) + eps2);
}

/* What the members of groups add to the potential at x that nodes at xp do not; they are at x1. */
static double of_members(const struct hb_hermite4 *h, const double *x1, const double x[3], double eps2)
{
  double sum = 0;
  for (size_t g = 0; h->groups && g < h->groups->count; g++) {
    const struct hb_group *group = h->groups->at + g;
    sum -= potential_of(h->groups->m[group->node], h->xp + 3 * (size_t)group->node, x, eps2);
    for (size_t k = 0; k < group->chain.n; k++)
      sum += potential_of(group->chain.m[k], x1 + 3 * (size_t)group->chain.member[k], x, eps2);
  }
  return sum;
}

/* dm (v^2 / 2 + phi) of each, what they do to each other, and what the motion of the center of mass has of that. */
static double gained(const struct change *c, const double *x1)
{
  const struct hb_hermite4 *h = c->h;
  const size_t row = c->felt.count + 3, pieces = hb_div_ceil(h->n, PIECE);
  double *sum = c->sums, e = 0, M = h->rule.mass, more = 0, P[2][3];
  for (size_t p = 1; p < pieces; p++)
    for (size_t k = 0; k < row; k++) sum[k] += sum[p * row + k];
  memcpy(P[0], sum, sizeof P[0]);
  memcpy(P[1], sum, sizeof P[1]);
  for (size_t k = 0; k < c->felt.count; k++) {
    const struct source *s = c->felt.at + k;
    double phi = of_members(h, x1, s->x, c->eps2) - sum[3 + k];
    for (size_t l = 0; l < k; l++) phi += potential_of(c->felt.at[l].m, c->felt.at[l].x, s->x, c->eps2);
    if (h->field) phi += hb_field_potential(h->field, s->x);
    e += s->m * (hb_dot(s->v, s->v) / 2 + phi);
    more += s->m;
    for (int d = 0; d < 3; d++) P[1][d] += s->m * s->v[d];
  }
  return h->field ? e : e + hb_dot(P[0], P[0]) / (2 * M) - hb_dot(P[1], P[1]) / (2 * (M + more));
}

static enum hb_status change_masses(struct change *c)
{
  struct hb_hermite4 *h = c->h;
  const double *x1, *v1;
  hb_hermite4_spans(h, c->T, ((uint64_t)2 << h->blocks->level_max) - 1, c->span);
  HB_TRY(hb_change_make_room(c->by, h->particles));
  HB_TRY(take_gains(c));
  HB_TRY(HB_ALLOC(hb_div_ceil(h->n, PIECE) * (c->by->n + 3), &c->sums));
  if (h->groups && h->groups->count > 0) hb_hermite4_predict_others(h, c->T, 0);
  HB_TRY(resolve(h, &x1, &v1));
  let_feel(c);
  h->counts.e_changed += gained(c, x1);
  h->counts.changes++;
  hb_change_apply(c->by, h->particles, h->xp, h->vp);
  for (size_t k = 0; k < c->by->n; k++) {
    uint32_t i = c->by->slot[k];
    if (h->groups) h->groups->m[i] = h->particles->m[i];
    if (h->has_parts) h->near->record[h->near->place[i]].m = h->particles->m[i];
  }
  HB_TRY(hb_hermite4_weigh_all(h));
  return h->params.predict == HB_PLACE_GPU ? hb_hermite4_keep(h, h->n, NULL) : HB_OK;
}

static enum hb_status change_any(struct change *c)
{
  size_t n = c->h->n + hb_change_added(c->by);
  HB_TRY(HB_ALLOC(n, &c->what));
  HB_TRY(HB_ALLOC(n, &c->level));
  HB_TRY(HB_ALLOC(n, &c->far));
  return change(c);
}

static enum hb_status change_all(struct hb_hermite4 *h, const struct hb_state_change *by)
{
  double eps = hb_force_eps(h->force);
  struct change c = {.h = h, .by = by, .T = h->blocks->now, .eps2 = eps * eps};
  enum hb_status status = (h->is_changing == HB_CHANGE_MASSES ? change_masses : change_any)(&c);
  HB_FREE(c.what, c.level, c.far, c.felt.at, c.sums);
  return status;
}

const struct hb_companion hb_companion_change = {.change = change_all};
