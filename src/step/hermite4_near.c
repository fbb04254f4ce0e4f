/* Near and far forces (Ahmad & Cohen 1973, J. Comput. Phys. 12, 389; Makino & Aarseth 1992, PASJ 44, 141; Nitadori & Aarseth 2012,
 * MNRAS 424, 545). What a star feels is a(t) = an(t) + af(t_f) + (t - t_f) jf(t_f): an and jn by its neighbors, which stand in a
 * list and change quickly, and a far part by all others, which changes slowly and goes on linearly. Each part has steps of its own, by
 * eqs 5, 6 and 9. Block steps sum over lists; only where a star's far step ends as well, every 2^(f - l)-th of its steps, the source of
 * forces is asked for the pulls of all.
 *
 * There is no second schedule. Let 2^f be the far step of a star in ticks, at least its step 2^l. Then t_f is the last multiple of 2^f
 * up to now, as t_i is that of 2^l (blocks.h, invariant 2), and a star that is due at tick T is due for its far part if 2^f divides T.
 *
 * Lists hold nodes, by ascending number: sums depend on that order, and on nothing else. Where a star enters or leaves a list, its pull
 * and the derivative of that go from one part to the other, so that their sum stays. */
#include "step/hermite4.h"

#include "base/arith.h"
#include "base/ascending.h"
#include "base/clock.h"
#include "base/machine.h"
#include "base/elementary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/columns.h"
#include "core/gravity.h"
#include "core/kdtree.h"
#include "core/vector.h"
#include "force/force.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Particles in the order of their places, and exact lists of those that are near a point.
 *
 * Of a particle j near x says r^2 < h2 w_j with r^2 = |x_j - x|^2: a heavy particle is near from farther away. The weight is
 * w = max(1, m / m_mean)^(2/3), which needs the fewest steps of far forces (data/notebook/2026-11-26-near-and-far.md); a particle
 * without mass pulls nobody and is near nobody.
 *
 * Runs of 32 particles that are close together have a box, eight boxes have one, and so on. Boxes follow the particles; the order,
 * which costs a hundred times as much, only has to be good. What is found never depends on the order, the boxes, the number of
 * threads or the machine.
 *
 * All arrays of the caller are by number: x[3 * n], m[n]. n < 2^32. */
enum { ORDER_KTH_MOST = 2048 };

enum {
  RUN = 32,     /* particles of a box */
  WIDE = 8,     /* boxes of a box     */
  DEEPEST = 11, /* RUN * WIDE^10 > 2^32 */
  CLASSES = 3
};

/* Heavy particles are near from far away: boxes of their own keep those of the others small. Up to which weight a class goes. */
static const double class_end[CLASSES] = {1.6, 4, INFINITY};

/* Eight boxes, and the largest weight in each. One without particles has no weight, so nothing in it is near. */
struct node {
  double low[3][WIDE], high[3][WIDE], w[WIDE];
};

/* A class: places from .. from + n, padded to whole runs in the slots. */
struct tree {
  size_t from, n, slot;
  int depth; /* levels of nodes, the lowest first */
  size_t node[DEEPEST], count[DEEPEST];
};

struct hb_near_order {
  size_t n;
  uint32_t *number, *place;   /* [n] at a place; of a particle */
  double m_mean, *m, *weight; /* [n] of a particle             */
  double *x, *y, *z, *w;      /* by slot; a pad is a copy without weight */
  uint32_t *id;               /* by slot */
  struct node *nodes;
  struct tree tree[CLASSES];
};

/* One run more than there can be: what is next is on its way. */
static size_t slots_for(size_t n) { return (hb_div_ceil(n, RUN) + CLASSES) * RUN; }
static size_t nodes_for(size_t n) { return slots_for(n) / (RUN * (WIDE - 1)) + CLASSES * DEEPEST; }

/* ---- order: making ---- */

static size_t slots_of(const struct tree *t) { return hb_div_ceil(t->n, RUN) * RUN; }

/* The places of the classes have been set: where their slots and nodes are. */
static void lay_out(struct hb_near_order *order)
{
  size_t slot = 0, node = 0;
  for (int c = 0; c < CLASSES; c++) {
    struct tree *t = order->tree + c;
    size_t boxes = hb_div_ceil(t->n, RUN);
    t->slot = slot;
    slot += boxes * RUN;
    for (t->depth = 0; boxes > 1 || (t->depth == 0 && boxes > 0); t->depth++) {
      boxes = hb_div_ceil(boxes, WIDE);
      t->node[t->depth] = node;
      t->count[t->depth] = boxes;
      node += boxes;
    }
    for (size_t k = 0; k < slots_of(t); k++)
      order->id[t->slot + k] = order->number[t->from + hb_min(k, t->n - 1)];
  }
  memset(order->nodes, 0, node * sizeof *order->nodes);
  for (size_t p = 0; p < order->n; p++) order->place[order->number[p]] = (uint32_t)p;
}

static void order_destroy(struct hb_near_order *order)
{
  if (!order) return;
  HB_FREE(order->number, order->place, order->m, order->weight, order->x, order->y, order->z, order->w,
          order->id, order->nodes, order);
}
static void order_destroy_own(struct hb_near_order *const *own) { order_destroy(*own); }

/* n particles without mass, in the order of their numbers. Errors: HB_ERR_INTERNAL. */
static enum hb_status order_create(size_t n, struct hb_near_order **order)
{
  *order = NULL;
  __attribute__((cleanup(order_destroy_own))) struct hb_near_order *o = NULL;
  HB_TRY(HB_ALLOC(1, &o));
  HB_TRY(HB_ALLOC(n, &o->number));
  HB_TRY(HB_ALLOC(n, &o->place));
  HB_TRY(HB_ALLOC(n, &o->m));
  HB_TRY(HB_ALLOC(n, &o->weight));
  double **columns[] = {&o->x, &o->y, &o->z, &o->w};
  for (int k = 0; k < 4; k++) HB_TRY(HB_ALLOC(slots_for(n), columns[k]));
  HB_TRY(HB_ALLOC(slots_for(n), &o->id));
  HB_TRY(HB_ALLOC(nodes_for(n), &o->nodes));
  o->n = n;
  o->m_mean = 1;
  o->tree[0].n = n;
  for (size_t p = 0; p < n; p++) o->number[p] = (uint32_t)p;
  lay_out(o);
  return HB_GIVE(o, order);
}

/* ---- order: weights ---- */

/* w as above. */
static double order_weight(double m, double m_mean)
{
  if (m <= 0) return 0;
  return m <= m_mean ? 1 : hb_elementary_power(m / m_mean, 2.0 / 3);
}

static const struct tree *tree_of(const struct hb_near_order *order, size_t place)
{
  const struct tree *t = order->tree;
  while (place >= t->from + t->n) t++;
  return t;
}

/* The largest weight of every box. */
static void weigh_boxes(struct hb_near_order *order, const struct tree *t)
{
  for (size_t run = 0; run * RUN < t->n; run++) {
    const double *w = order->w + t->slot + run * RUN;
    double most = 0;
    for (int k = 0; k < RUN; k++) most = w[k] > most ? w[k] : most;
    order->nodes[t->node[0] + run / WIDE].w[run % WIDE] = most;
  }
  for (int level = 1; level < t->depth; level++)
    for (size_t k = 0; k < t->count[level - 1]; k++) {
      const double *w = order->nodes[t->node[level - 1] + k].w;
      double most = 0;
      for (int c = 0; c < WIDE; c++) most = w[c] > most ? w[c] : most;
      order->nodes[t->node[level] + k / WIDE].w[k % WIDE] = most;
    }
}

static void place_weights(struct hb_near_order *order)
{
  for (int c = 0; c < CLASSES; c++) {
    const struct tree *t = order->tree + c;
    for (size_t k = 0; k < slots_of(t); k++)
      order->w[t->slot + k] = k < t->n ? order->weight[order->id[t->slot + k]] : 0;
    if (t->n > 0) weigh_boxes(order, t);
  }
}

/* A box keeps the weight of a particle that has lost its own, until all are weighed. */
static void weigh_one(struct hb_near_order *order, uint32_t i)
{
  const struct tree *t = tree_of(order, order->place[i]);
  size_t slot = t->slot + order->place[i] - t->from, box = (slot - t->slot) / RUN;
  double w = order->w[slot] = order->weight[i];
  for (int level = 0; level < t->depth; level++, box /= WIDE) {
    double *most = order->nodes[t->node[level] + box / WIDE].w + box % WIDE;
    if (w > *most) *most = w;
  }
}

/* Weights of all n particles. Where the mean is that of the last call, those whose masses are cost nothing but a look. */
static void order_weigh(struct hb_near_order *order, size_t n, const double *m, double m_mean)
{
  enum { FEW = 64 };
  int all = m_mean != order->m_mean;
  order->m_mean = m_mean;
  for (size_t i = 0; i < n; i++) {
    while (!all && i + FEW < n && memcmp(m + i, order->m + i, FEW * sizeof *m) == 0) i += FEW; /* mostly */
    if (!all && m[i] == order->m[i]) continue;
    order->m[i] = m[i];
    int is_same = all && i > 0 && m[i] == m[i - 1]; /* often */
    order->weight[i] = is_same ? order->weight[i - 1] : order_weight(m[i], m_mean);
    if (!all) weigh_one(order, (uint32_t)i);
  }
  if (all) place_weights(order);
}

/* ---- order: boxes ---- */

struct refit {
  struct hb_near_order *order;
  const double *x;
};

#define INLINE static inline __attribute__((always_inline))

INLINE void span(const double *q, double *low, double *high)
{
  double l = q[0], h = q[0];
  for (int k = 1; k < RUN; k++) {
    l = q[k] < l ? q[k] : l;
    h = q[k] > h ? q[k] : h;
  }
  *low = l, *high = h;
}

HB_CLONES static void refit_run(const struct refit *r, const struct tree *t, size_t slot)
{
  struct hb_near_order *o = r->order;
  for (size_t k = slot; k < slot + RUN; k++) {
    const double *x = r->x + 3 * (size_t)o->id[k];
    __builtin_prefetch(r->x + 3 * (size_t)o->id[k + RUN]);
    o->x[k] = x[0], o->y[k] = x[1], o->z[k] = x[2];
  }
  size_t run = (slot - t->slot) / RUN;
  struct node *node = o->nodes + t->node[0] + run / WIDE;
  const double *columns[3] = {o->x, o->y, o->z};
  for (int c = 0; c < 3; c++) span(columns[c] + slot, &node->low[c][run % WIDE], &node->high[c][run % WIDE]);
}

enum { PIECE = 16 * RUN, ALONE = 2048 }; /* slots; as many are refitted before a thread has woken up */

static size_t slots(const struct hb_near_order *order)
{
  const struct tree *last = order->tree + CLASSES - 1;
  return last->slot + slots_of(last);
}

static void refit_piece(void *context, size_t piece)
{
  const struct refit *r = context;
  const struct tree *t = r->order->tree;
  for (size_t slot = piece * PIECE, end = hb_parallel_end(slots(r->order), PIECE, slot); slot < end;
       slot += RUN) {
    while (slot >= t->slot + slots_of(t)) t++;
    refit_run(r, t, slot);
  }
}

/* The box of the `count` boxes of a node, into the one above it. */
static void refit_above(const struct node *from, size_t count, struct node *to, size_t at)
{
  for (int c = 0; c < 3; c++) {
    double low = from->low[c][0], high = from->high[c][0];
    for (size_t k = 1; k < count; k++) {
      low = from->low[c][k] < low ? from->low[c][k] : low;
      high = from->high[c][k] > high ? from->high[c][k] : high;
    }
    to->low[c][at] = low, to->high[c][at] = high;
  }
}

static void refit_above_runs(struct hb_near_order *order, const struct tree *t)
{
  size_t boxes = hb_div_ceil(t->n, RUN);
  for (int level = 1; level < t->depth; level++, boxes = hb_div_ceil(boxes, WIDE))
    for (size_t k = 0; k < t->count[level - 1]; k++)
      refit_above(order->nodes + t->node[level - 1] + k, hb_min(boxes - k * WIDE, WIDE),
                  order->nodes + t->node[level] + k / WIDE, k % WIDE);
}

/* The particles are at x: what is below needs it after they moved, and after order_drop. */
static void order_refit(struct hb_near_order *order, const double *x)
{
  struct refit r = {order, x};
  hb_parallel_for(order->n > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(slots(order), PIECE), refit_piece,
                  &r);
  for (int c = 0; c < CLASSES; c++) refit_above_runs(order, order->tree + c);
}

/* ---- order: order ---- */

static int class_of(double w)
{
  if (w == 0) return 0;
  int c = 0;
  while (w > class_end[c]) c++;
  return c;
}

/* The order of particles that have their weights and are at x; refits. O(n log n), some 0.3 microseconds a particle. Errors:
 * HB_ERR_INTERNAL, the order is what it was. */
static enum hb_status order_sort(struct hb_near_order *order, const double *x)
{
  double *points;
  HB_TRY(HB_ALLOC(3 * order->n, &points));
  size_t p = 0;
  for (int c = 0; c < CLASSES; c++) {
    struct tree *t = order->tree + c;
    t->from = p;
    for (size_t i = 0; i < order->n; i++)
      if (class_of(order->weight[i]) == c) order->number[p++] = (uint32_t)i;
    t->n = p - t->from;
    for (size_t k = t->from; k < p; k++)
      memcpy(points + 3 * k, x + 3 * (size_t)order->number[k], 3 * sizeof *x);
    hb_kdtree_arrange(t->n, RUN, order->number + t->from, points + 3 * t->from);
  }
  hb_mem_free(points);
  lay_out(order);
  place_weights(order);
  order_refit(order, x);
  return HB_OK;
}

/* Particles change their numbers to number[n], ascending, of which those that are HB_COLUMNS_GONE vanish (core/columns.h); so
 * do their places, and those behind close up. `left` remain. */
static void order_drop(struct hb_near_order *order, const uint32_t *number, size_t left)
{
  size_t kept = 0, p = 0;
  for (int c = 0; c < CLASSES; c++) {
    struct tree *t = order->tree + c;
    size_t end = t->from + t->n;
    t->from = kept;
    for (; p < end; p++)
      if (number[order->number[p]] != HB_COLUMNS_GONE) order->number[kept++] = number[order->number[p]];
    t->n = kept - t->from;
  }
  for (size_t i = 0; i < order->n; i++)
    if (number[i] != HB_COLUMNS_GONE)
      order->m[number[i]] = order->m[i], order->weight[number[i]] = order->weight[i];
  order->n = left;
  lay_out(order);
  place_weights(order);
}

/* ---- order: lists ---- */

struct query {
  const struct hb_near_order *order;
  double x[3], h2;
  uint32_t own;
  size_t found, most;
  uint32_t *list;
};

/* Every operation is that of a particle's distance, and each of them is monotonic: no rounding makes a box farther away than what
 * is in it. */
INLINE double box_r2(const struct node *node, int k, const double x[3])
{
  double d[3];
  for (int c = 0; c < 3; c++) {
    double below = node->low[c][k] - x[c], above = x[c] - node->high[c][k];
    double out = below > above ? below : above;
    d[c] = out > 0 ? out : 0;
  }
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

INLINE unsigned near_boxes(const struct query *q, const struct node *node)
{
  unsigned near = 0;
  for (int k = 0; k < WIDE; k++) near |= (unsigned)(box_r2(node, k, q->x) < q->h2 * node->w[k]) << k;
  return near;
}

INLINE void meet_run(struct query *q, size_t slot)
{
  const struct hb_near_order *o = q->order;
  uint32_t near[RUN], *list = q->list;
  for (size_t k = 0; k < RUN; k++) {
    double dx = o->x[slot + k] - q->x[0], dy = o->y[slot + k] - q->x[1], dz = o->z[slot + k] - q->x[2];
    near[k] = (dx * dx + dy * dy + dz * dz < q->h2 * o->w[slot + k]) & (o->id[slot + k] != q->own);
  }
  size_t found = q->found;
  if (found + RUN <= q->most)
    for (size_t k = 0; k < RUN; found += near[k++]) list[found] = o->id[slot + k];
  else
    for (size_t k = 0; k < RUN; found += near[k++])
      if (near[k] && found < q->most) list[found] = o->id[slot + k];
  q->found = found;
}

INLINE void walk(struct query *q, const struct tree *t)
{
  struct {
    uint32_t level, node;
  } stack[WIDE * DEEPEST];
  size_t height = 0;
  stack[height].level = (uint32_t)t->depth - 1;
  stack[height++].node = 0;
  while (height > 0) {
    uint32_t level = stack[--height].level, node = stack[height].node;
    unsigned near = near_boxes(q, q->order->nodes + t->node[level] + node);
    for (; near; near &= near - 1) {
      uint32_t child = WIDE * node + (uint32_t)__builtin_ctz(near);
      if (level == 0) {
        meet_run(q, t->slot + RUN * (size_t)child);
      } else {
        stack[height].level = level - 1;
        stack[height++].node = child;
      }
    }
  }
}

HB_CLONES static void find(struct query *q)
{
  for (int c = 0; c < CLASSES; c++)
    if (q->order->tree[c].n > 0) walk(q, q->order->tree + c);
}

/* Writes the numbers of all but `own` that are near x into list, in ascending order; returns how many there are. If there are more
 * than `most`, list has `most` of them. Any number of threads may ask at once. */
static size_t order_within(const struct hb_near_order *order, const double x[3], double h2, uint32_t own,
                           size_t most, uint32_t *list)
{
  struct query q = {
      .order = order, .x = {x[0], x[1], x[2]}, .h2 = h2, .own = own, .most = most, .list = list};
  find(&q);
  hb_groups_sort(hb_min(q.found, most), list);
  return q.found;
}

/* ---- order: the k-th ---- */

enum { ROOM = 3 * RUN };

/* Numbers r^2 / w below `bound`: the k smallest so far, and some more. */
struct nearest {
  const struct hb_near_order *order;
  const double *x;
  uint32_t own;
  size_t found, k;
  double bound, *ratio; /* [k + ROOM] */
};

HB_CLONES static void take_run(struct nearest *q, size_t slot)
{
  const struct hb_near_order *o = q->order;
  double ratio[RUN], bound = q->bound;
  for (size_t k = 0; k < RUN; k++) {
    double dx = o->x[slot + k] - q->x[0], dy = o->y[slot + k] - q->x[1], dz = o->z[slot + k] - q->x[2];
    double r2 = dx * dx + dy * dy + dz * dz, w = o->w[slot + k];
    ratio[k] = ((w > 0) & (o->id[slot + k] != q->own)) ? r2 / w : INFINITY;
  }
  size_t found = q->found;
  for (size_t k = 0; k < RUN; k++) {
    q->ratio[found] = ratio[k];
    found += ratio[k] < bound;
  }
  q->found = found;
}

/* The k-th smallest of ratio[count], counted from 0: they are counted by size, then those as large as it are looked at. */
static double select_ratio(size_t count, const double *ratio, size_t k)
{
  enum { SIZES = 64 };
  uint32_t of_size[SIZES] = {0}, before = 0, size = 0;
  double most = 0, same[ORDER_KTH_MOST + ROOM];
  for (size_t c = 0; c < count; c++) most = ratio[c] > most ? ratio[c] : most;
  double scale = most > DBL_MIN ? (SIZES - 1) / most : 0;
  for (size_t c = 0; c < count; c++) of_size[(uint32_t)(ratio[c] * scale)]++;
  while (before + of_size[size] <= k) before += of_size[size++];
  size_t found = 0;
  for (size_t c = 0; c < count; c++) {
    same[found] = ratio[c];
    found += (uint32_t)(ratio[c] * scale) == size;
  }
  return hb_select(found, same, k - before);
}

/* The k smallest are left. */
static void forget_farthest(struct nearest *q)
{
  double bound = select_ratio(q->found, q->ratio, q->k - 1);
  size_t left = 0;
  for (size_t c = 0; c < q->found; c++) {
    double ratio = q->ratio[c];
    q->ratio[left] = ratio;
    left += ratio < bound;
  }
  while (left < q->k) q->ratio[left++] = bound;
  q->bound = bound;
  q->found = q->k;
}

HB_CLONES static void box_ratios(const struct node *node, const double x[3], double ratio[WIDE])
{
  for (int k = 0; k < WIDE; k++) ratio[k] = node->w[k] > 0 ? box_r2(node, k, x) / node->w[k] : INFINITY;
}

/* The nearest box first. */
static void take_node(struct nearest *q, const struct tree *t, int level, size_t node)
{
  double ratio[WIDE];
  box_ratios(q->order->nodes + t->node[level] + node, q->x, ratio);
  for (;;) {
    int k = 0;
    for (int c = 1; c < WIDE; c++)
      if (ratio[c] < ratio[k]) k = c;
    if (!(ratio[k] < q->bound)) return;
    ratio[k] = INFINITY;
    size_t child = WIDE * node + (size_t)k;
    if (level > 0) {
      take_node(q, t, level - 1, child);
    } else {
      take_run(q, t->slot + RUN * child);
      if (q->found >= q->k + (q->bound < INFINITY ? ROOM - RUN : 0)) forget_farthest(q);
    }
  }
}

/* The k-th smallest r^2 / w of all but `own`, k = 1 ... ORDER_KTH_MOST; the largest where they are fewer, 0 of none. */
static double order_kth(const struct hb_near_order *order, const double x[3], uint32_t own, size_t k)
{
  double ratio[ORDER_KTH_MOST + ROOM];
  struct nearest q = {
      .order = order, .x = x, .own = own, .k = hb_min(k, ORDER_KTH_MOST), .bound = INFINITY, .ratio = ratio};
  for (int c = 0; c < CLASSES; c++) {
    const struct tree *t = order->tree + c;
    if (t->n > 0) take_node(&q, t, t->depth - 1, 0);
  }
  return q.found ? select_ratio(q.found, ratio, hb_min(q.k, q.found) - 1) : 0;
}

enum {
  REACH =
      5, /* a far step is at most so many levels above the near one: jerks of tight pairs go on linearly, too */
  SPARE = 32,       /* room of a list for what joins and splits add */
  ROOM_MOST = 2112, /* of any list */
  CHANGED_MOST = 2 * ROOM_MOST,
  SUMMED_PIECE = 8,  /* sinks of a thread's piece, at most */
  SUMMED_ALONE = 12, /* as many are summed before a second thread has woken up */
  TAKEN_ALONE = 128, /* the same where nothing is summed */
  FIRST_MOST = 4,    /* no first far step is longer than so many times that of eq. 2 */
  LANES = 8,         /* of a tile */
  FARS_ON_HOST = 8,  /* as many pulls of all take the host less time than a device its particles */
  FRESH_ON_HOST = 16 /* the same where others have to be predicted for them */
};

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("near.a", HB_SECTION_DOUBLES, struct hb_hermite4_near, a, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("near.j", HB_SECTION_DOUBLES, struct hb_hermite4_near, j, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("far.a", HB_SECTION_DOUBLES, struct hb_hermite4_near, far_a, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("far.j", HB_SECTION_DOUBLES, struct hb_hermite4_near, far_j, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("near.h2", HB_SECTION_DOUBLES, struct hb_hermite4_near, h2, 1, HB_COLUMN_SAVED),
    HB_COLUMN_OF("far.phi", HB_SECTION_DOUBLES, struct hb_hermite4_near, far_phi, 1, HB_COLUMN_SAVED),
    HB_COLUMN_OF("far.level", HB_SECTION_BYTES, struct hb_hermite4_near, far, 1, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_hermite4_near, count, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_hermite4_near, is_hit, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, slot, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, nearest2, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, index, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, b, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, few, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, few_of, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, total_a, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, total_j, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, phi, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, step, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, counted, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, is_weak, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, record, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, stamp, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, is_changed, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4_near, changed, 1, HB_COLUMN_SCRATCH),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

/* ---- records ---- */

static inline void store_one(const struct hb_hermite4 *h, struct hb_record *r, const double *m, size_t i)
{
  hb_record_take(h, i, r);
  r->m = m[i];
}

/* What x v a j of i have not heard of, its record has. */
static inline void settle(struct hb_hermite4 *h, size_t i) { hb_record_put(h->ahead + h->place[i], i, h); }

static void near_settle_all(struct hb_hermite4 *h)
{
  for (uint32_t i = 0; i < h->n && h->ahead; i++)
    if (!hb_hermite4_is_parked(h, i)) settle(h, i);
  h->ahead = NULL;
}

static void near_store(struct hb_hermite4 *h, uint32_t i)
{
  if (h->has_parts) store_one(h, h->near->record + h->near->place[i], hb_hermite4_masses(h), i);
}

static inline void fetch_record(const struct hb_record *r) { hb_fetch(r->x, r->j); }

static inline void fetch_parts(const struct hb_hermite4_near *near, size_t i)
{
  const double *of[] = {near->a, near->j, near->far_a, near->far_j};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) hb_fetch(of[k] + 3 * i, of[k] + 3 * i + 2);
}

static void near_fetch(const struct hb_hermite4 *h, size_t i)
{
  const struct hb_hermite4_near *near = h->near;
  fetch_parts(near, i);
  fetch_record(near->record + near->place[i]);
}

enum { STORED_PIECE = 1024 };

static void store_piece(void *context, size_t from, size_t end)
{
  const struct hb_hermite4 *h = context;
  const double *m = hb_hermite4_masses(h);
  for (size_t i = from; i < end; i++) store_one(h, h->near->record + h->near->place[i], m, i);
}

static void store_all(struct hb_hermite4 *h) { hb_parallel_pieces(h->n, STORED_PIECE, 0, store_piece, h); }

/* A mean within 3 % of that of stars: one that changes with each of them would change all weights. */
static double rounded_mean(double m)
{
  enum { BITS = 5 };
  int exponent;
  double part = frexp(m, &exponent);
  return ldexp(rint(ldexp(part, BITS)), exponent - BITS);
}

static void weigh(struct hb_hermite4 *h)
{
  size_t massive = hb_particles_massive(h->particles);
  h->near->rule.mass = h->rule.mass;
  h->near->m_mean = rounded_mean(h->rule.mass / (double)(massive ? massive : h->n));
  order_weigh(h->near->order, h->n, hb_hermite4_masses(h), h->near->m_mean);
}

/* After a change of masses, or a run that is resumed would weigh stars in another way. */
static enum hb_status weigh_parts(struct hb_hermite4 *h)
{
  if (h->has_parts) weigh(h);
  return HB_OK;
}

static enum hb_status arrange(struct hb_hermite4 *h)
{
  near_settle_all(h);
  weigh(h);
  HB_TRY(order_sort(h->near->order, h->particles->x));
  store_all(h);
  return HB_OK;
}

static void tell_order(struct hb_hermite4 *h)
{
  if (h->groups) hb_groups_set_order(h->groups, h->near->place);
}

static enum hb_status near_arrange(struct hb_hermite4 *h)
{
  if (!h->has_parts) return HB_OK;
  HB_TRY(arrange(h));
  tell_order(h);
  return HB_OK;
}

/* ---- near sums ---- */

static int is_due(unsigned level, uint64_t T) { return level <= (unsigned)__builtin_ctzll(T); }

static void find_fars(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  near->fars = 0;
  for (size_t b = 0; b < ni; b++) {
    uint32_t i = h->block[b];
    near->slot[b] = 0;
    if (!is_due(near->far[i], T)) continue;
    near->index[near->fars] = i;
    near->b[near->fars] = (uint32_t)b;
    near->slot[b] = (uint32_t)++near->fars;
  }
}

static int near_begin_block(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  find_fars(h, T, ni);
  near->now = T + 1;
  hb_hermite4_spans(h, T, h->blocks->occupied, near->span);
  if (near->fars > 0) near->all_at = near->now;
  return near->fars > 0;
}

void hb_hermite4_near_need(void *hermite4, uint32_t i)
{
  const struct hb_hermite4 *h = hermite4;
  const struct hb_hermite4_near *near = h->near;
  if (hb_near_knows_all(near) || near->stamp[i] == near->now) return;
  near->stamp[i] = near->now;
  if (hb_hermite4_is_parked(h, i)) return;
  hb_hermite4_predict(h, i, near->span + h->blocks->level[i], h->xp + 3 * (size_t)i, h->vp + 3 * (size_t)i);
}

HB_CLONES static void gather(const struct hb_record *record, const uint32_t *place, const uint8_t *level,
                             const struct hb_span *span, const uint32_t *list, size_t count, double *tile,
                             size_t row)
{
  enum { FOUR = 4, AHEAD = 12 };
  for (size_t k = 0; k < count; k += FOUR) {
    hb_four x[FOUR], v[FOUR], xs[FOUR], vs[FOUR];
    for (size_t c = k + AHEAD; c < k + AHEAD + FOUR && c < count; c++) fetch_record(record + place[list[c]]);
    for (size_t c = 0; c < FOUR; c++) {
      uint32_t j = list[hb_min(k + c, count - 1)];
      const struct hb_record *r = record + place[j];
      hb_predict_four((const hb_four *)r->x, (const hb_four *)r->v, (const hb_four *)r->a,
                      (const hb_four *)r->j, span + level[j], &x[c], &v[c]);
    }
    hb_transpose(x, xs);
    hb_transpose(v, vs);
    for (size_t c = 0; c < 3; c++) {
      *(hb_four *)(tile + c * row + k) = xs[c];
      *(hb_four *)(tile + (3 + c) * row + k) = vs[c];
    }
    *(hb_four *)(tile + 6 * row + k) = xs[3];
  }
}

/* The least square distance from x of whole[row] particles x y z of a tile. */
HB_CLONES static double least_of(const double *tile, size_t row, const double at[3])
{
  double least[LANES], most = INFINITY;
  for (size_t l = 0; l < LANES; l++) least[l] = INFINITY;
  for (size_t from = 0; from < row; from += LANES) {
    const double *x = tile + from, *y = x + row, *z = y + row;
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double dx = x[l] - at[0], dy = y[l] - at[1], dz = z[l] - at[2], r2 = dx * dx + dy * dy + dz * dz;
      least[l] = r2 < least[l] ? r2 : least[l];
    }
  }
  for (size_t l = 0; l < LANES; l++) most = least[l] < most ? least[l] : most;
  return most;
}

/* hit[row] of a tile: whether one of mass m at `at` with that reach and this neighbor, or its group, may be more than points to each other. */
HB_CLONES static void find_hits(const double *tile, size_t row, const double *reach,
                                const struct hb_groups *groups, uint32_t i, const double at[3], uint8_t *hit)
{
  const double m = hb_groups_felt_mass(groups, i), m2 = m * m, own = groups->reach[i];
  const double least = HB_GROUPS_LIGHT * groups->m_mean, mean = groups->m_mean;
#pragma omp simd
  for (size_t k = 0; k < row; k++) {
    double dx = tile[k] - at[0], dy = tile[row + k] - at[1], dz = tile[2 * row + k] - at[2];
    double d2 = dx * dx + dy * dy + dz * dz, d6 = d2 * d2 * d2, mk = tile[6 * row + k];
    mk = mk < least ? mean : mk;
    double its = m2 * reach[k], mine = mk * mk * own, more = its > mine ? its : mine;
    hit[k] = more > d6;
  }
}

static void begin_hits(struct hb_hermite4_near *near, size_t b)
{
  near->is_hit[b] = 1;
  near->is_any_hit = 1;
  memset(near->hits + b * near->words, 0, near->words * sizeof *near->hits);
}

/* Of a star: only few neighbors are groups. */
static void mark_groups(const struct hb_hermite4 *h, size_t b, const uint32_t *list, size_t count,
                        const double *tile, size_t row)
{
  uint32_t group[CHANGED_MOST];
  const struct hb_groups *groups = h->groups;
  const double *at = h->xp + 3 * (size_t)h->block[b], m = hb_groups_felt_mass(groups, h->block[b]);
  size_t found = 0;
  for (size_t k = 0; k < count; k++) {
    group[found] = (uint32_t)k;
    found += groups->of[list[k]] < HB_GROUPS_PARKED;
  }
  for (size_t f = 0; f < found; f++) {
    size_t k = group[f];
    const double d[] = {tile[k] - at[0], tile[row + k] - at[1], tile[2 * row + k] - at[2]};
    double d2 = hb_dot(d, d);
    if (!(m * m * groups->reach[list[k]] > d2 * d2 * d2)) continue;
    if (!h->near->is_hit[b]) begin_hits(h->near, b);
    h->near->hits[b * h->near->words + k / 64] |= UINT64_C(1) << k % 64;
  }
}

/* The hits of the b-th of the block, as bits. */
static void mark_hits(const struct hb_hermite4 *h, size_t b, const uint32_t *list, size_t count,
                      const double *tile, size_t row)
{
  double reach[CHANGED_MOST];
  uint8_t hit[CHANGED_MOST];
  uint64_t *mask = h->near->hits + b * h->near->words;
  uint32_t i = h->block[b];
  h->near->is_hit[b] = 0;
  if (h->groups->of[i] == HB_GROUPS_STAR) return mark_groups(h, b, list, count, tile, row);
  for (size_t k = 0; k < count; k++) reach[k] = h->groups->reach[list[k]];
  for (size_t k = count; k < row; k++) reach[k] = 0;
  find_hits(tile, row, reach, h->groups, i, h->xp + 3 * (size_t)i, hit);
  if (!memchr(hit, 1, row)) return;
  begin_hits(h->near, b);
  for (size_t k = 0; k < count; k += 8) {
    uint64_t some;
    memcpy(&some, hit + k, sizeof some);
    for (size_t l = k; some && l < k + 8 && l < count; l++) mask[l / 64] |= (uint64_t)hit[l] << l % 64;
  }
}

/* What the particles list[count] do to one at x v, the last `less` of them with masses below 0; and with groups how far the nearest of
 * them is, squared, and, unless b is NULL, the hits of the *b-th of the block. */
static void sum(const struct hb_hermite4 *h, const uint32_t *list, size_t count, size_t less,
                const double x[3], const double v[3], double a[3], double j[3], double *nearest2,
                const size_t *b)
{
  _Alignas(64) double tile[7 * CHANGED_MOST];
  const struct hb_hermite4_near *near = h->near;
  size_t row = hb_div_ceil(count, LANES) * LANES;
  gather(near->record, near->place, h->blocks->level, near->span, list, count, tile, row);
  for (size_t k = count; k < row; k++)
    for (size_t d = 0; d < 7; d++) tile[d * row + k] = d < 3 ? HB_GRAVITY_PAD : 0;
  for (size_t k = count - less; k < count; k++) tile[6 * row + k] = -tile[6 * row + k];
  const struct hb_gravity g = {.n = count,
                               .n_padded = row,
                               .x = tile,
                               .y = tile + row,
                               .z = tile + 2 * row,
                               .vx = tile + 3 * row,
                               .vy = tile + 4 * row,
                               .vz = tile + 5 * row,
                               .m = tile + 6 * row,
                               .simd = near->simd};
  hb_gravity_on(&g, near->eps2, x, v, a, j);
  if (!h->groups) return;
  *nearest2 = least_of(tile, row, x);
  if (b && h->groups->count > 0) mark_hits(h, *b, list, count, tile, row);
}

/* By its list on i, which is at xp vp. */
static void sum_listed(struct hb_hermite4 *h, uint32_t i, double a[3], double j[3], const size_t *b)
{
  sum(h, hb_near_list(h->near, i), h->near->count[i], 0, h->xp + 3 * (size_t)i, h->vp + 3 * (size_t)i, a, j,
      h->near->nearest2 + i, b);
}

/* By its list on the b-th of the block, which is predicted: to a1 j1. */
static void sum_near(struct hb_hermite4 *h, size_t b)
{
  uint32_t i = h->block[b];
  if (h->ahead) settle(h, i);
  hb_hermite4_near_need(h, i);
  sum_listed(h, i, h->a1 + 3 * b, h->j1 + 3 * b, &b);
  h->phi1[b] = h->near->far_phi[i];
  if (h->groups) hb_groups_see(h->groups, b, i);
}

struct work {
  struct hb_hermite4 *h;
  size_t n;
  const uint32_t *index;
  void (*one)(struct hb_hermite4 *h, size_t k);
};

static inline void fetch_list(const struct hb_hermite4_near *near, uint32_t i)
{
  enum { LINE = 64 / sizeof *near->list };
  for (size_t k = 0; k < (size_t)near->wanted; k += LINE) __builtin_prefetch(hb_near_list(near, i) + k);
}

static void work_piece(void *context, size_t k, size_t end)
{
  enum { AHEAD = 2 };
  const struct work *w = context;
  const struct hb_hermite4_near *near = w->h->near;
  for (; k < end; k++) {
    if (k + AHEAD < w->n) fetch_list(near, w->index[k + AHEAD]);
    w->one(w->h, k);
  }
}

/* one(h, k) for the particle index[k] of each k < n, on the way to whose list it is; by a team where they are many. */
static void for_each(struct hb_hermite4 *h, size_t n, const uint32_t *index, size_t alone,
                     void (*one)(struct hb_hermite4 *h, size_t k))
{
  hb_parallel_shares(n, SUMMED_PIECE, alone, work_piece, &(struct work){h, n, index, one});
}

/* ---- lists ---- */

/* The largest square of a list's radius: where a list has all others, more would not find more. */
static const double h2_most = 1e100;

/* A new list around i at x, and the radius of the one after it. A list that has no room is looked for again within less: cut, it would be
 * neither near nor far. */
static size_t renew(const struct hb_hermite4_near *near, uint32_t i, const double x[3], double *h2,
                    uint32_t *list)
{
  size_t most = near->room - SPARE, count;
  while ((count = order_within(near->order, x, *h2, i, most, list)) > most) {
    double part = (double)most / (double)count;
    *h2 *= 0.9 * hb_elementary_power(part, 2.0 / 3);
  }
  double change = near->wanted / ((double)count + 1);
  *h2 = fmin(*h2 * fmin(fmax(hb_elementary_power(change, 2.0 / 3), 0.7), HB_NEAR_GROWN), h2_most);
  return count;
}

/* ---- a block ---- */

static const double overwhelming = 8; /* a near pull over the far part */

/* The far part of the k-th of those far step ends: what the old list did is taken from the pulls of all. */
static void take_far(struct hb_hermite4 *h, size_t k)
{
  struct hb_hermite4_near *near = h->near;
  struct hb_far_step *s = near->step + k;
  const double *a = h->a1 + 3 * (size_t)near->b[k], *j = h->j1 + 3 * (size_t)near->b[k];
  h->phi1[near->b[k]] = near->far_phi[h->block[near->b[k]]] = near->phi[k];
  for (size_t c = 0; c < 3; c++) {
    s->near_a[c] = a[c], s->near_j[c] = j[c];
    s->a[c] = near->total_a[3 * k + c] - a[c];
    s->j[c] = near->total_j[3 * k + c] - j[c];
  }
  s->noise = near->is_exact ? 0 : near->rule.noise;
  s->scale = hb_norm(near->total_a + 3 * k);
  near->is_weak[k] = s->noise > 0 && hb_norm(a) / hb_norm(s->a) >= overwhelming;
}

static void count_pairs(struct hb_hermite4 *h, size_t ni)
{
  const struct hb_hermite4_near *near = h->near;
  struct hb_near_counts *counts = &h->counts.near;
  size_t sources = h->n;
  for (size_t b = 0; b < ni; b++) counts->near_pairs += near->count[h->block[b]];
  if (!near->fars) return;
  if (h->params.predict == HB_PLACE_HOST) hb_force_massive(h->force, h->n, &sources);
  counts->full_blocks++;
  counts->far_steps += near->fars;
  counts->full_pairs += near->fars * hb_force_pairs(h->n, sources);
}

/* What few feel of all, exactly, to total_a total_j phi. */
static enum hb_status total_of_few(struct hb_hermite4 *h, size_t ni, const uint32_t *index)
{
  struct hb_hermite4_near *near = h->near;
  return hb_gravity_of_few(h->n, hb_hermite4_masses(h), h->xp, h->vp, near->eps2, ni, index, near->total_a,
                           near->total_j, near->phi);
}

/* Where a near pull is so much stronger than the far part, the source's rounding of it is no small error of that, and stays for a
 * whole far step: such a sum is made again, exactly. */
static enum hb_status take_fars(struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near = h->near;
  size_t few = 0;
  for_each(h, near->fars, near->index, TAKEN_ALONE, take_far);
  for (size_t k = 0; k < near->fars; k++) {
    if (!near->is_weak[k]) continue;
    near->step[k].noise = 0;
    near->few[few] = near->index[k];
    near->few_of[few++] = (uint32_t)k;
  }
  if (few == 0) return HB_OK;
  HB_TRY(total_of_few(h, few, near->few));
  for (size_t f = 0; f < few; f++) {
    struct hb_far_step *s = near->step + near->few_of[f];
    for (size_t c = 0; c < 3; c++) {
      s->a[c] = near->total_a[3 * f + c] - s->near_a[c];
      s->j[c] = near->total_j[3 * f + c] - s->near_j[c];
    }
  }
  return HB_OK;
}

static void near_far(const struct hb_hermite4 *h, size_t b, uint64_t T, struct hb_pull *far)
{
  const struct hb_hermite4_near *near = h->near;
  if (near->slot[b]) {
    const struct hb_far_step *s = near->step + near->slot[b] - 1;
    memcpy(far->a, s->a, sizeof far->a);
    memcpy(far->k, s->j, sizeof far->k);
    return;
  }
  size_t i = h->block[b];
  double u = hb_hermite4_span(h, T & (((uint64_t)1 << near->far[i]) - 1));
  for (size_t c = 0; c < 3; c++) {
    far->k[c] = near->far_j[3 * i + c];
    far->a[c] = near->far_a[3 * i + c] + u * far->k[c];
  }
}

/* Coriolis' force, which companions add to the near part, turns with the far one, too. */
static void turn_far(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  static const double at_rest[3] = {0};
  for (size_t b = 0; b < ni && h->field; b++) {
    struct hb_pull far;
    near_far(h, b, T, &far);
    hb_field_deflect(h->field, at_rest, far.a, h->j1 + 3 * b);
  }
}

static enum hb_status tell_hits(struct hb_hermite4 *h, size_t ni)
{
  const struct hb_hermite4_near *near = h->near;
  if (!h->groups) return HB_OK;
  h->groups->seen = ni;
  h->groups->hits = 0;
  h->groups->has_hits = h->groups->count > 0;
  if (!near->is_any_hit) return HB_OK;
  const struct hb_groups_masks masks = {near->is_hit, near->hits, near->words, near->list, near->room};
  return hb_groups_take_hits(h->groups, ni, h->block, &masks);
}

/* ---- particles that stay on a device ---- */

static void near_mark(struct hb_hermite4 *h, size_t ni, const uint32_t *index)
{
  uint8_t *is_changed = h->near->is_changed;
  if (!index) memset(is_changed, 1, ni);
  for (size_t k = 0; index && k < ni; k++) is_changed[index[k]] = 1;
}

/* Those that have stepped, joined or split since the last full block, each once. */
static enum hb_status send_changed(struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near = h->near;
  size_t count = 0;
  for (size_t i = 0; i < h->n; i++) {
    near->changed[count] = (uint32_t)i;
    count += near->is_changed[i];
  }
  if (count == 0) return HB_OK;
  HB_TRY(hb_hermite4_send(h, count, count < h->n ? near->changed : NULL));
  memset(near->is_changed, 0, h->n);
  return HB_OK;
}

static enum hb_status predict_changed(void *owner)
{
  const struct hb_hermite4_kept *kept = owner;
  struct hb_hermite4 *h = kept->h;
  unsigned openings = hb_force_openings(h->force);
  if (h->near->openings != openings) near_mark(h, h->n, NULL); /* that device has nothing */
  h->near->openings = openings;
  HB_TRY(send_changed(h));
  return hb_hermite4_predict_on_device(h, kept->T);
}

static enum hb_status near_forces(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  int is_kept = h->params.predict == HB_PLACE_GPU;
  struct hb_hermite4_kept kept = {.h = h, .T = T};
  const struct hb_force_job job = {
      .sources = {is_kept ? 0 : h->n, is_kept ? NULL : hb_hermite4_sources(h), h->xp, h->vp},
      .sinks = {.n = near->fars, .index = near->index},
      .to = {near->total_a, near->total_j, near->phi},
      .prepare = predict_changed,
      .owner = &kept};
  near->is_exact = near->fars <= FARS_ON_HOST && !is_kept; /* else few records go to where the others are */
  if (near->fars && !near->is_exact) HB_TRY(hb_force_begin_of(h->force, &job)); /* the pulls of all */
  double lap = hb_clock_now();
  near->is_any_hit = 0;
  for_each(h, ni, h->block, SUMMED_ALONE, sum_near);
  HB_TRY(tell_hits(h, ni));
  count_pairs(h, ni);
  h->phases.near_s += hb_clock_lap(&lap);
  if (!near->fars) {
    turn_far(h, T, ni);
    return HB_OK;
  }
  order_refit(near->order, h->xp);
  h->phases.lists_s += hb_clock_lap(&lap);
  if (near->is_exact) {
    HB_TRY(total_of_few(h, near->fars, near->index));
    h->phases.near_s += hb_clock_lap(&lap);
  } else {
    HB_TRY(hb_force_finish_of(h->force, &job));
    if (h->groups)
      hb_groups_add_heavy(h->groups, h->xp, h->vp, near->fars, near->index, near->total_a, near->total_j,
                          near->phi);
  }
  HB_TRY(take_fars(h));
  turn_far(h, T, ni);
  return HB_OK;
}

/* The size of a far part, relative to the whole acceleration, below which it says nothing about steps. The far part is the whole less the
 * near part, whose rounding errors are 2^-52 of the whole or more: where nearly all others are in the list, eq. 9 would divide these
 * by each other, and steps would collapse. 12 rounding errors, the least that eq. 5 makes of them, are then below 1e-3 of this. */
static const double least_far = 0x1p-36;

/* Returns the step of a far part a j that begins anew, by eq. 2; the near part is near_a. */
static double far_anew(const struct hb_hermite4_near *near, const double near_a[3], const double a[3],
                       const double j[3])
{
  return hb_norm(a) > least_far * hb_norm(near_a) ? hb_timestep_anew(near->rule.nu, 0, a, j) : INFINITY;
}

/* Eqs 5 to 9 for the far part over its whole step: what its linear prediction left out, and its next step. Where a strong near pull is
 * taken from the pulls of all, what that was rounded by is left: jerks are relied on below the noise of the whole. */
static int correct_far(const struct hb_hermite4_near *near, double DT, size_t k, uint32_t i)
{
  int is_noisy;
  struct hb_far_step *s = near->step + k;
  const double *a = near->far_a + 3 * (size_t)i, *j = near->far_j + 3 * (size_t)i;
  struct hb_timestep_rule rule = near->rule;
  double dt2a2[3], dt3k2[3];
  hb_timestep_higher(DT, a, j, s->a, s->j, dt2a2, dt3k2);
  rule.noise = s->noise;
  rule.pulls = fmax(s->scale, hb_timestep_pulls(near->far_phi[i], rule.mass, 0));
  rule.a_least = least_far * fmax(s->scale, hb_norm(s->near_a));
  s->wanted = hb_timestep_after(&rule, 0, DT, j, s->a, s->j, dt2a2, dt3k2, &is_noisy);
  for (int c = 0; c < 3; c++) {
    s->dx[c] = DT * DT * (dt2a2[c] / 24 + dt3k2[c] / 120);
    s->dv[c] = DT * (dt2a2[c] / 6 + dt3k2[c] / 24);
  }
  return is_noisy;
}

/* What is in one of two lists only: in the new one, and then in the old one. Returns how many there are; *left of them are in that. */
static size_t differences(size_t had, const uint32_t *old, size_t has, const uint32_t *new, uint32_t *changed,
                          size_t *left)
{
  uint32_t gone[ROOM_MOST];
  size_t entered = 0, lost = 0, o = 0, k = 0;
  while (o < had && k < has) {
    uint32_t p = old[o], q = new[k];
    changed[entered] = q, gone[lost] = p;
    entered += q < p, lost += p < q;
    o += p <= q, k += q <= p;
  }
  while (k < has) changed[entered++] = new[k++];
  while (o < had) gone[lost++] = old[o++];
  memcpy(changed + entered, gone, lost * sizeof *gone);
  *left = lost;
  return entered + lost;
}

/* The far step of the k-th, and its new list. Of its parts and its list nobody else reads. */
static void step_far(struct hb_hermite4 *h, size_t k)
{
  struct hb_hermite4_near *near = h->near;
  struct hb_far_step *s = near->step + k;
  uint32_t i = near->index[k], *list = hb_near_list(near, i), fresh[ROOM_MOST], changed[CHANGED_MOST];
  const double *x = h->xp + 3 * (size_t)i, *v = h->vp + 3 * (size_t)i;
  int is_noisy = correct_far(near, hb_hermite4_span(h, (uint64_t)1 << near->far[i]), k, i);
  size_t had = near->count[i], has = renew(near, i, x, &near->h2[i], fresh), left;
  memset(s->moved_a, 0, sizeof s->moved_a);
  memset(s->moved_j, 0, sizeof s->moved_j);
  size_t changes = differences(had, list, has, fresh, changed, &left);
  near->counted[k] = (struct hb_far_count){(uint16_t)has, (uint16_t)changes, (uint8_t)is_noisy};
  if (!changes) return;
  double nearest2 = INFINITY;
  sum(h, changed, changes, left, x, v, s->moved_a, s->moved_j, &nearest2, NULL);
  if (nearest2 < near->nearest2[i]) near->nearest2[i] = nearest2;
  memcpy(list, fresh, has * sizeof *list);
  near->count[i] = (uint32_t)has;
}

static void near_step_fars(struct hb_hermite4 *h)
{
  const struct hb_hermite4_near *near = h->near;
  struct hb_near_counts *counts = &h->counts.near;
  for_each(h, near->fars, near->index, SUMMED_PIECE, step_far);
  for (size_t k = 0; k < near->fars; k++) {
    const struct hb_far_count counted = near->counted[k];
    counts->listed += counted.listed;
    counts->changes += counted.changes;
    counts->by_noise += counted.is_noisy;
    counts->near_pairs += counted.changes;
    if (counted.listed > counts->longest) counts->longest = counted.listed;
  }
}

static void near_end(struct hb_hermite4 *h, size_t b, const double a[3], const double k[3], double dx[3],
                     double dv[3])
{
  struct hb_hermite4_near *near = h->near;
  const struct hb_far_step *s = near->slot[b] ? near->step + near->slot[b] - 1 : NULL;
  for (size_t c = 0, i = 3 * (size_t)h->block[b]; c < 3; c++, i++) {
    near->a[i] = s ? a[c] + s->moved_a[c] : a[c];
    near->j[i] = s ? k[c] + s->moved_j[c] : k[c];
    if (!s) continue;
    near->far_a[i] = s->a[c] - s->moved_a[c];
    near->far_j[i] = s->j[c] - s->moved_j[c];
    dx[c] += s->dx[c], dv[c] += s->dv[c];
  }
}

/* ---- levels ---- */

/* What invariant 5 of blocks.h leaves of a wanted level, at tick T. */
static unsigned limited(const struct hb_hermite4 *h, unsigned level, unsigned wanted, uint64_t T)
{
  if (wanted <= level) return wanted;
  return level < h->blocks->level_max && is_due(level + 1, T) ? level + 1 : level;
}

/* Near steps are set by passages, far ones by what all do: for these, heavy stars count at any softening. */
static double for_heavy(const struct hb_hermite4 *h, uint32_t i, double dt)
{
  double share = h->near->m_mean / hb_hermite4_masses(h)[i];
  if (h->groups || !(share < 1)) return hb_hermite4_limited(h, i, dt);
  return dt * hb_timestep_share(share);
}

/* Of the b-th: whether its far step is held short by the near one. */
static int settle_one(struct hb_hermite4 *h, uint64_t T, size_t b)
{
  struct hb_hermite4_near *near = h->near;
  uint32_t i = h->block[b];
  int is_held = 0;
  if (h->groups) hb_hermite4_limit_step(h, b);
  if (near->slot[b]) {
    unsigned level = limited(h, h->blocks->level[i], h->level1[b], T), most = level + (unsigned)REACH;
    unsigned wanted = hb_hermite4_level(h, for_heavy(h, i, near->step[near->slot[b] - 1].wanted));
    is_held = wanted > most;
    near->far[i] = (uint8_t)limited(h, near->far[i], is_held ? most : wanted, T);
  }
  if (h->level1[b] > near->far[i]) {
    h->level1[b] = near->far[i];
    h->criterion[i] = HB_STEP_FAR;
  }
  return is_held;
}

/* Steps of groups depend on positions of others. Several threads may not ask for these where they are predicted when they are asked for. */
static int near_settle(struct hb_hermite4 *h, uint64_t T, size_t b)
{
  int is_group = h->groups && h->groups->of[h->block[b]] != HB_GROUPS_STAR;
  return is_group && !hb_near_knows_all(h->near) ? 0 : settle_one(h, T, b);
}

static uint64_t near_settle_groups(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  uint64_t held = 0;
  if (!h->groups || hb_near_knows_all(h->near)) return 0; /* near_settle has */
  for (size_t b = 0; b < ni; b++)
    if (h->groups->of[h->block[b]] != HB_GROUPS_STAR) held += (uint64_t)settle_one(h, T, b);
  return held;
}

/* ---- nodes that join and split ---- */

/* A star moves between the parts of those who have one of two nodes in their lists: at tick T, from or to the near part. Each
 * goes on linearly to its own times, so that neither sum changes, at T or at t_i. */
struct transfer {
  struct hb_hermite4 *h;
  uint64_t T;
  uint32_t node, other;
  void (*one)(const struct transfer *t, uint32_t i);
};

/* Where `s` stands in i's list, or would. */
static size_t place_in(const struct hb_hermite4_near *near, uint32_t i, uint32_t s, int *is_there)
{
  const uint32_t *list = hb_near_list(near, i);
  size_t from = 0, to = near->count[i];
  while (from < to) {
    size_t middle = (from + to) / 2;
    if (list[middle] < s)
      from = middle + 1;
    else
      to = middle;
  }
  *is_there = from < near->count[i] && list[from] == s;
  return from;
}

/* From the time of a level to tick T. */
static double since(const struct hb_hermite4 *h, uint64_t T, unsigned level)
{
  return hb_hermite4_span(h, T - hb_blocks_level_time(h->blocks, level));
}

/* From the far part to the near one, or (-1) back: what i feels dt and DT after the times of these. */
static void move_line(struct hb_hermite4_near *near, uint32_t i, double dt, double DT,
                      const struct hb_pull *f, double to_near)
{
  for (size_t c = 0, k = 3 * (size_t)i; c < 3; c++, k++) {
    near->a[k] += to_near * (f->a[c] - dt * f->k[c]);
    near->j[k] += to_near * f->k[c];
    near->far_a[k] -= to_near * (f->a[c] - DT * f->k[c]);
    near->far_j[k] -= to_near * f->k[c];
  }
}
static void move_pull(const struct transfer *t, uint32_t i, uint32_t s, double to_near)
{
  const struct hb_hermite4 *h = t->h;
  const struct hb_span span = hb_span_of(since(h, t->T, h->blocks->level[i]));
  struct hb_pull f = {{0}, {0}};
  double x[3], v[3], r[3], w[3], r2 = h->near->eps2;
  hb_hermite4_predict(h, i, &span, x, v);
  for (size_t c = 0, k = 3 * (size_t)s; c < 3; c++, k++)
    r[c] = h->xp[k] - x[c], w[c] = h->vp[k] - v[c], r2 += r[c] * r[c];
  hb_chain_add_pull(hb_hermite4_masses(h)[s], r2, r, w, f.a, f.k);
  move_line(h->near, i, span.whole, since(h, t->T, h->near->far[i]), &f, to_near);
}

static void insert(struct hb_hermite4_near *near, uint32_t i, size_t at, uint32_t s)
{
  uint32_t *list = hb_near_list(near, i);
  memmove(list + at + 1, list + at, (near->count[i]++ - at) * sizeof *list);
  list[at] = s;
}

static void take_out(struct hb_hermite4_near *near, uint32_t i, size_t at)
{
  uint32_t *list = hb_near_list(near, i);
  memmove(list + at, list + at + 1, (--near->count[i] - at) * sizeof *list);
}

/* Which of two nodes a list has, as bits: most have none, and to look at all of a list is faster than to jump about in it. */
enum { HAS_NODE = 1, HAS_OTHER = 2 };
HB_CLONES static unsigned find_two(const uint32_t *list, size_t count, uint32_t node, uint32_t other)
{
  unsigned has_node = 0, has_other = 0;
#pragma omp simd reduction(| : has_node, has_other)
  for (size_t k = 0; k < count; k++) {
    has_node |= list[k] == node;
    has_other |= list[k] == other;
  }
  return (has_node ? HAS_NODE : 0) | (has_other ? HAS_OTHER : 0);
}

static unsigned found(const struct transfer *t, uint32_t i)
{
  return find_two(hb_near_list(t->h->near, i), t->h->near->count[i], t->node, t->other);
}

/* Of two nodes that will be one, i has both in its list, or none. */
static void unite(const struct transfer *t, uint32_t i)
{
  struct hb_hermite4_near *near = t->h->near;
  unsigned has = found(t, i);
  if (has != HAS_NODE && has != HAS_OTHER) return;
  int has_node, has_other;
  size_t node = place_in(near, i, t->node, &has_node), other = place_in(near, i, t->other, &has_other);
  if (has_node == has_other) return;
  if (near->count[i] < near->room) {
    move_pull(t, i, has_node ? t->other : t->node, 1);
    insert(near, i, has_node ? other : node, has_node ? t->other : t->node);
  } else {
    move_pull(t, i, has_node ? t->node : t->other, -1);
    take_out(near, i, has_node ? node : other);
  }
}

/* The same of two that were one node. */
static void divide(const struct transfer *t, uint32_t i)
{
  struct hb_hermite4_near *near = t->h->near;
  if (found(t, i) != HAS_NODE) return;
  int has_node, has_other;
  size_t node = place_in(near, i, t->node, &has_node), other = place_in(near, i, t->other, &has_other);
  if (!has_node || has_other) return;
  if (near->count[i] < near->room) {
    insert(near, i, other, t->other);
  } else {
    move_pull(t, i, t->node, -1);
    move_pull(t, i, t->other, -1);
    take_out(near, i, node);
  }
}

/* ---- nodes that change ---- */

static void near_catch_up(struct hb_hermite4 *h, uint64_t T, size_t b, double a[3], double k[3], double dx[3],
                          double dv[3])
{
  struct hb_hermite4_near *near = h->near;
  uint32_t i = h->block[b];
  size_t at = 3 * (size_t)i;
  struct hb_pull of_near = {{0}, {0}}, far;
  double DT = since(h, T, near->far[i]), dt2a2[3], dt3k2[3];
  sum_listed(h, i, of_near.a, of_near.k, NULL);
  for (size_t c = 0; c < 3; c++) {
    far.a[c] = near->total_a[3 * b + c] - of_near.a[c], far.k[c] = near->total_j[3 * b + c] - of_near.k[c];
    a[c] -= far.a[c], k[c] -= far.k[c];
  }
  hb_timestep_higher(DT, near->far_a + at, near->far_j + at, far.a, far.k, dt2a2, dt3k2);
  for (size_t c = 0; c < 3; c++) {
    dx[c] = DT * DT * (dt2a2[c] / 24 + dt3k2[c] / 120);
    dv[c] = DT * (dt2a2[c] / 6 + dt3k2[c] / 24);
  }
}

/* Those of n that may have a star in their lists whose weight is that and which is that far from them: how many. */
HB_CLONES static size_t find_within(size_t n, const double *r2, const double *h2, double weight,
                                    uint32_t *who)
{
  uint8_t is_near[HB_FELT_PIECE + LANES] = {0};
  size_t many = 0;
#pragma omp simd
  for (size_t k = 0; k < n; k++) is_near[k] = r2[k] < weight * h2[k];
  for (size_t k = 0; k < n; k += LANES) {
    uint64_t some;
    memcpy(&some, is_near + k, sizeof some);
    for (size_t l = k; some && l < k + LANES; l++) who[many] = (uint32_t)l, many += is_near[l];
  }
  return many;
}

static void near_own(struct hb_hermite4 *h, const struct hb_span *span, uint32_t i, const struct hb_pull *f)
{
  move_line(h->near, i, span[h->blocks->level[i]].whole, span[h->near->far[i]].whole, f, 1);
}

/* By distance: no star of 125,000 lists has been farther since its list was made than 1.2 of its radius, and this is 1.5.
 * One that were would feel the change twice, up to its next far step. */
static void near_part(struct hb_hermite4 *h, const struct hb_span *span, uint32_t s, size_t from, size_t n,
                      const struct hb_felt *f, int by_distance)
{
  enum { WINDOW = HB_ASCENDING_WINDOW };
  const struct hb_hermite4_near *near = h->near;
  const double part = (double)s / (double)h->n;
  const double weight = by_distance ? 2.25 * order_weight(hb_hermite4_masses(h)[s], near->m_mean) : INFINITY;
  uint32_t who[HB_FELT_PIECE + 1], guess[HB_FELT_PIECE];
  size_t many = find_within(n, f->r2, near->h2 + from, weight, who), has = 0;
  for (size_t w = 0; w < many; w++) {
    uint32_t i = (uint32_t)from + who[w];
    guess[w] = (uint32_t)(part * near->count[i]);
    const uint32_t *at = hb_near_list(near, i) + guess[w];
    hb_fetch(at - (guess[w] > WINDOW / 2 ? WINDOW / 2 : guess[w]), at + WINDOW / 2);
  }
  for (size_t w = 0; w < many; w++) {
    uint32_t i = (uint32_t)from + who[w];
    if (!hb_ascending_has(hb_near_list(near, i), near->count[i], guess[w], s)) continue;
    fetch_parts(near, i);
    who[has++] = who[w];
  }
  for (size_t w = 0; w < has; w++) {
    size_t k = who[w];
    near_own(h, span, (uint32_t)(from + k),
             &(struct hb_pull){{f->a[0][k], f->a[1][k], f->a[2][k]}, {f->k[0][k], f->k[1][k], f->k[2][k]}});
  }
}

static double near_weight(const struct hb_hermite4 *h, double m)
{
  return h->near ? order_weight(m, h->near->m_mean) : 0;
}

static void near_meet(struct hb_hermite4 *h, uint32_t i, uint32_t s, double weight)
{
  struct hb_hermite4_near *near = h->near;
  int is_there;
  double reach2 = near->h2[i] * weight;
  if (!(hb_distance2(h->xp, i, s) < reach2)) return;
  size_t at = place_in(near, i, s, &is_there);
  if (!is_there && near->count[i] < near->room) insert(near, i, at, s);
}

enum { CHANGED_PIECE = 1024 };

/* Nodes that are new get new lists. */
static int is_old(const struct hb_hermite4 *h, uint32_t i)
{
  return !h->groups || (h->groups->of[i] != HB_GROUPS_PARKED && !h->groups->fresh[i]);
}

static void transfer_piece(void *context, size_t k, size_t end)
{
  const struct transfer *t = context;
  const struct hb_hermite4 *h = t->h;
  for (; k < end; k++) {
    uint32_t i = (uint32_t)k;
    if (i == t->node || i == t->other || !is_old(h, i)) continue;
    t->one(t, i);
  }
}

static void transfer(struct hb_hermite4 *h, uint64_t T, uint32_t node, uint32_t other,
                     void (*one)(const struct transfer *t, uint32_t i))
{
  struct transfer t = {.h = h, .T = T, .node = node, .other = other, .one = one};
  if (!h->has_parts) return;
  hb_parallel_pieces(h->n, CHANGED_PIECE, 0, transfer_piece, &t);
}

void hb_hermite4_near_unite(struct hb_hermite4 *h, uint64_t T, uint32_t node, uint32_t other)
{
  transfer(h, T, node, other, unite);
}

void hb_hermite4_near_divide(struct hb_hermite4 *h, uint64_t T, uint32_t node, uint32_t other)
{
  transfer(h, T, node, other, divide);
}

/* ---- starting ---- */

/* Pulls of all on the block at xp vp, to total_a total_j phi. */
static enum hb_status total_of(struct hb_hermite4 *h, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  HB_TRY(hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, hb_hermite4_sources(h), h->xp, h->vp},
                                                      .sinks = {.n = ni, .index = h->block},
                                                      .to = {near->total_a, near->total_j, near->phi}}));
  if (h->groups)
    hb_groups_add_heavy(h->groups, h->xp, h->vp, ni, h->block, near->total_a, near->total_j, near->phi);
  return HB_OK;
}

static void first_list(struct hb_hermite4 *h, size_t b)
{
  struct hb_hermite4_near *near = h->near;
  uint32_t i = h->block[b];
  const double *x = h->xp + 3 * (size_t)i;
  near->h2[i] = fmin(order_kth(near->order, x, i, (size_t)near->wanted) * (1 + 0x1p-40), h2_most);
  near->count[i] = (uint32_t)renew(near, i, x, &near->h2[i], hb_near_list(near, i));
}

/* Lists of stars become those of nodes: without members; of groups, and of those who lose many, new ones. */
static void list_of_nodes(struct hb_hermite4 *h, size_t b)
{
  struct hb_hermite4_near *near = h->near;
  uint32_t i = h->block[b], *list = hb_near_list(near, i), kept = 0;
  for (size_t k = 0; k < near->count[i]; k++)
    if (!hb_hermite4_is_parked(h, list[k])) list[kept++] = list[k];
  near->count[i] = kept;
  if (h->groups->of[i] != HB_GROUPS_STAR || kept < 0.75 * near->wanted) first_list(h, b);
}

/* The far step of the b-th of all after a trial of dt. */
static void first_far(struct hb_hermite4 *h, size_t b, double dt)
{
  struct hb_hermite4_near *near = h->near;
  uint32_t i = h->block[b];
  near->b[b] = (uint32_t)b;
  take_far(h, b);
  correct_far(near, dt, b, i);
  const struct hb_far_step *s = near->step + b;
  /* a trial is short: below the rounding of pulls it has no third derivative, and eq. 9 alone would take a far leap */
  double bound = FIRST_MOST * far_anew(near, s->near_a, s->a, s->j);
  unsigned level = h->blocks->level[i], most = level + (unsigned)REACH;
  unsigned wanted = hb_hermite4_level(h, for_heavy(h, i, fmin(s->wanted, bound)));
  near->far[i] = (uint8_t)(wanted < most ? wanted : most);
  h->level1[b] = near->far[i] < level ? near->far[i] : (uint8_t)level;
}

/* Where there are groups: the near step of the b-th by eq. 9 after that trial, if it is shorter than its first one, from the near sums
 * at its start, which first_sums kept. */
static void first_near(struct hb_hermite4 *h, size_t b, double dt)
{
  const struct hb_far_step *s = h->near->step + b;
  const struct hb_timestep_rule exact = {.nu = h->rule.nu};
  const double *a = h->a1 + 3 * b, *j = h->j1 + 3 * b;
  double dt2a2[3], dt3k2[3], whole_a[3], whole_k[3];
  hb_timestep_higher(dt, s->moved_a, s->moved_j, a, j, dt2a2, dt3k2);
  for (int c = 0; c < 3; c++) whole_a[c] = a[c] + s->a[c], whole_k[c] = j[c] + s->j[c];
  double next = hb_timestep_after(&exact, 0, dt, s->moved_j, whole_a, whole_k, dt2a2, dt3k2, &(int){0});
  unsigned level = hb_hermite4_level(h, hb_hermite4_limited(h, h->block[b], next));
  if (level >= h->level1[b]) return;
  h->level1[b] = (uint8_t)level;
  hb_near_limit(h->near, h->block[b], level + (unsigned)REACH);
}

static void first_sums(struct hb_hermite4 *h, size_t b)
{
  struct hb_far_step *s = h->near->step + b;
  sum_near(h, b);
  memcpy(s->moved_a, h->a1 + 3 * b, sizeof s->moved_a);
  memcpy(s->moved_j, h->j1 + 3 * b, sizeof s->moved_j);
}

/* The nodes become the block. */
static size_t take_nodes(struct hb_hermite4 *h)
{
  size_t ni = 0;
  for (uint32_t i = 0; i < h->n; i++)
    if (!hb_hermite4_is_parked(h, i)) h->block[ni++] = i;
  return ni;
}

static void near_take_first(struct hb_hermite4 *h, double dt)
{
  struct hb_hermite4_near *near = h->near;
  if (!near) return;
  near->trial = dt;
  for (size_t i = 0; i < h->n && dt > 0; i++) {
    memcpy(near->step[i].a, h->a1 + 3 * i, sizeof near->step->a);
    memcpy(near->step[i].j, h->j1 + 3 * i, sizeof near->step->j);
  }
  if (dt > 0) return;
  memcpy(near->total_a, h->a1, 3 * h->n * sizeof *h->a1);
  memcpy(near->total_j, h->j1, 3 * h->n * sizeof *h->j1);
  memcpy(near->phi, h->phi1, h->n * sizeof *h->phi1);
}

/* Whether the first forces of all and those of a trial are what the nodes feel. */
static int has_first(const struct hb_hermite4 *h)
{
  return h->near->trial > 0 && !(h->groups && h->groups->count > 0);
}

/* A trial step of all, as long as theirs are in the mean of their logarithms: eqs 5, 6 and 9 for the far parts. */
static enum hb_status try_far(struct hb_hermite4 *h, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  uint64_t levels = 0;
  for (size_t b = 0; b < ni; b++) levels += h->blocks->level[h->block[b]];
  double dt = has_first(h) ? near->trial : hb_hermite4_span(h, (uint64_t)1 << levels / ni);
  const struct hb_span span = hb_span_of(dt);
  for (unsigned l = 0; l < HB_BLOCKS_LEVELS; l++) near->span[l] = span;
  for (size_t b = 0; b < ni; b++) {
    size_t i = h->block[b];
    hb_hermite4_predict(h, i, &span, h->xp + 3 * i, h->vp + 3 * i);
  }
  if (!has_first(h)) HB_TRY(total_of(h, ni));
  for (size_t i = 0; i < ni && has_first(h); i++) {
    memcpy(near->total_a + 3 * i, near->step[i].a, sizeof near->step->a);
    memcpy(near->total_j + 3 * i, near->step[i].j, sizeof near->step->j);
  }
  for_each(h, ni, h->block, SUMMED_ALONE, sum_near);
  int try_near = !has_first(h) && h->params.first_step == HB_FIRST_STEP_EQ9;
  for (size_t b = 0; b < ni; b++) {
    first_far(h, b, dt);
    if (try_near) first_near(h, b, dt);
  }
  hb_hermite4_schedule(h, ni);
  return HB_OK;
}

/* Parts of the nodes index[ni], from total_a total_j and their near sums a1 j1: what companions add is near. */
static void part(struct hb_hermite4 *h, size_t b)
{
  struct hb_hermite4_near *near = h->near;
  for (size_t c = 0, i = 3 * (size_t)h->block[b], k = 3 * b; c < 3; c++, i++, k++) {
    near->far_a[i] = near->total_a[k] - h->a1[k];
    near->far_j[i] = near->total_j[k] - h->j1[k];
    near->a[i] = h->a[i] - near->far_a[i];
    near->j[i] = h->j[i] - near->far_j[i];
  }
  near->far_phi[h->block[b]] = near->phi[b];
}

static void near_renew(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  for (size_t b = 0; b < ni; b++) {
    hb_hermite4_place(h, h->block[b]);
    near_store(h, h->block[b]);
  }
  near->all_at = near->now = T + 1;
  hb_hermite4_spans(h, T, ((uint64_t)2 << h->blocks->level_max) - 1, near->span);
  weigh(h);
  order_refit(near->order, h->xp);
  hb_parallel_pieces(ni, 1, 1, work_piece,
                     &(struct work){h, ni, h->block, first_list}); /* few, and each takes long */
}

static enum hb_status near_sum_fresh(struct hb_hermite4 *h, size_t ni)
{
  struct hb_hermite4_near *near = h->near;
  HB_TRY(ni <= FRESH_ON_HOST ? total_of_few(h, ni, h->block) : total_of(h, ni));
  memcpy(h->a1, near->total_a, 3 * ni * sizeof *h->a1);
  memcpy(h->j1, near->total_j, 3 * ni * sizeof *h->j1);
  memcpy(h->phi1, near->phi, ni * sizeof *h->phi1);
  return HB_OK;
}

static void near_begin(struct hb_hermite4 *h, size_t b, unsigned *level, unsigned most)
{
  struct hb_hermite4_near *near = h->near;
  uint32_t i = h->block[b];
  size_t k = 3 * (size_t)i;
  sum_listed(h, i, h->a1 + 3 * b, h->j1 + 3 * b, NULL);
  part(h, b);
  double wanted = far_anew(near, near->a + k, near->far_a + k, near->far_j + k);
  unsigned far = hb_hermite4_level(h, for_heavy(h, i, wanted)), reach = *level + (unsigned)REACH;
  if (far > reach) far = reach;
  if (far > most) far = most;
  if (far < *level) *level = far;
  near->far[i] = (uint8_t)far;
}

static enum hb_status near_look_around(struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near = h->near;
  if (!near) return HB_OK;
  memcpy(h->xp, h->particles->x, 3 * h->n * sizeof *h->xp);
  memcpy(h->vp, h->particles->v, 3 * h->n * sizeof *h->vp);
  weigh(h);
  HB_TRY(order_sort(near->order, h->xp));
  order_refit(near->order, h->xp);
  for_each(h, h->n, h->block, SUMMED_ALONE, first_list);
  tell_order(h);
  near->has_lists = 1;
  near->all_at = near->now = 1;
  return HB_OK;
}

/* From now on there are parts. */
static enum hb_status set_out(struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near = h->near;
  near->has_lists = h->has_parts = 1;
  near->rule = h->rule;
  near->rule.nu = h->params.eta_far;
  near->rule.noise = h->rule.noise / 4; /* each far force is a sum of many: more would hide what changes */
  return arrange(h);
}

static enum hb_status begin(struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near = h->near;
  int has_lists = near->has_lists; /* of stars */
  memcpy(h->xp, h->particles->x, 3 * h->n * sizeof *h->xp);
  memcpy(h->vp, h->particles->v, 3 * h->n * sizeof *h->vp);
  HB_TRY(set_out(h));
  order_refit(near->order, h->xp);
  size_t ni = take_nodes(h);
  if (!has_lists || h->groups->count > 0)
    for_each(h, ni, h->block, SUMMED_ALONE, has_lists ? list_of_nodes : first_list);
  memset(near->span, 0, sizeof near->span);
  if (!has_first(h)) HB_TRY(total_of(h, ni));
  for_each(h, ni, h->block, SUMMED_ALONE, first_sums);
  for_each(h, ni, h->block, SUMMED_ALONE, part);
  return try_far(h, ni);
}

static enum hb_status make_order(size_t n, struct hb_hermite4_near *near)
{
  order_destroy(near->order);
  HB_TRY(order_create(n, &near->order));
  near->place = near->order->place;
  return HB_OK;
}

static enum hb_status open_near(struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near;
  if (h->params.neighbors <= 0) return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->near));
  near = h->near;
  near->wanted = h->params.neighbors;
  near->room = 2 * (size_t)h->params.neighbors + SPARE;
  near->simd = hb_simd_best();
  near->eps2 = hb_force_eps(h->force) * hb_force_eps(h->force);
  HB_TRY(hb_columns_reserve(&columns, h->n, near));
  near->words = hb_div_ceil(near->room, 64);
  HB_TRY(HB_ALLOC(h->n * near->room, &near->list));
  if (h->params.encounters == HB_ENCOUNTERS_GROUPS) HB_TRY(HB_ALLOC(h->n * near->words, &near->hits));
  return make_order(h->n, near);
}

static void close_near(struct hb_hermite4 *h)
{
  order_destroy(h->near->order);
  HB_FREE(h->near->list, h->near->hits, h->near);
}

/* Slots that are new have empty lists; the order in space is made when they have masses. */
static enum hb_status grow_near(struct hb_hermite4 *h, size_t n)
{
  struct hb_hermite4_near *near = h->near;
  HB_TRY(HB_RESIZE(n * near->room, &near->list));
  if (near->hits) HB_TRY(HB_RESIZE(n * near->words, &near->hits));
  return make_order(n, near);
}

/* Lists without those that are gone, at their new places. */
static void drop_near(struct hb_hermite4 *h, const uint32_t *number, size_t left)
{
  struct hb_hermite4_near *near = h->near;
  for (uint32_t i = 0; i < h->n; i++) {
    if (number[i] == HB_COLUMNS_GONE) continue;
    const uint32_t *from = hb_near_list(near, i);
    uint32_t *to = hb_near_list(near, number[i]), kept = 0;
    for (size_t k = 0; k < near->count[i]; k++)
      if (number[from[k]] != HB_COLUMNS_GONE) to[kept++] = number[from[k]];
    near->count[i] = kept;
  }
  order_drop(near->order, number, left);
}

/* ---- checkpoints ---- */

/* Lists follow from places that no state has any more: they are state. Numbers, two a word: lengths, then the lists. */
static enum hb_status put_near(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  const struct hb_hermite4_near *near = h->near;
  HB_OWN uint64_t *words = NULL;
  size_t count = h->n, k = 0;
  for (size_t i = 0; i < h->n; i++) count += near->count[i];
  HB_TRY(HB_ALLOC(hb_div_ceil(count, 2), &words));
  for (size_t i = 0; i < h->n; i++, k++) words[k / 2] |= (uint64_t)near->count[i] << k % 2 * 32;
  for (uint32_t i = 0; i < h->n; i++)
    for (size_t l = 0; l < near->count[i]; l++, k++)
      words[k / 2] |= (uint64_t)hb_near_list(near, i)[l] << k % 2 * 32;
  return hb_sections_put_copy(sections, "near.lists", HB_SECTION_WORDS, hb_div_ceil(count, 2), words);
}

static uint32_t number_at(const uint64_t *words, size_t k) { return (uint32_t)(words[k / 2] >> k % 2 * 32); }

static enum hb_status get_list(struct hb_hermite4 *h, const uint64_t *words, size_t at, uint32_t i)
{
  uint32_t *list = hb_near_list(h->near, i);
  for (size_t l = 0; l < h->near->count[i]; l++) {
    list[l] = number_at(words, at + l);
    if (list[l] >= h->n || list[l] == i || (l > 0 && list[l] <= list[l - 1]))
      return hb_fail(
          HB_ERR_INPUT,
          "section 'near.lists' has %u in the list of particle %u, expected others of %zu, ascending",
          (unsigned)list[l], (unsigned)i, h->n);
  }
  return HB_OK;
}

static enum hb_status get_lists(const struct hb_section *lists, struct hb_hermite4 *h)
{
  struct hb_hermite4_near *near = h->near;
  const uint64_t *words = lists->data;
  size_t room = 2 * lists->count, at = h->n;
  for (uint32_t i = 0; i < h->n && h->n <= room; i++) {
    near->count[i] = number_at(words, i);
    if (near->count[i] > near->room || at + near->count[i] > room)
      return hb_fail(HB_ERR_INPUT,
                     "section 'near.lists' has %u neighbors of particle %u, expected %zu at most",
                     (unsigned)near->count[i], (unsigned)i, near->room);
    HB_TRY(get_list(h, words, at, i));
    at += near->count[i];
  }
  if (lists->type == HB_SECTION_WORDS && h->n <= room && hb_div_ceil(at, 2) == lists->count) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'near.lists' has %zu words, expected the lists of %zu particles",
                 lists->count, h->n);
}

/* A far step is at least the near one, and at most dt_max. */
static enum hb_status check_near(const struct hb_hermite4 *h)
{
  const struct hb_hermite4_near *near = h->near;
  for (uint32_t i = 0; i < h->n; i++) {
    if (hb_hermite4_is_parked(h, i)) continue;
    if (near->far[i] < h->blocks->level[i] || near->far[i] > h->blocks->level_max)
      return hb_fail(HB_ERR_INPUT, "section 'far.level' has %u for particle %u, expected %u to %u",
                     near->far[i], (unsigned)i, h->blocks->level[i], h->blocks->level_max);
    if (!(near->h2[i] >= 0))
      return hb_fail(HB_ERR_INPUT, "section 'near.h2' has %g for particle %u, expected at least 0",
                     near->h2[i], (unsigned)i);
  }
  return HB_OK;
}

static enum hb_status get_near(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  const void *words;
  if (!h->near) return HB_OK;
  const struct hb_section *lists = hb_sections_find(sections, "near.lists");
  HB_TRY(hb_sections_get(sections, "near.lists", HB_SECTION_WORDS, lists ? lists->count : 0, &words));
  HB_TRY(get_lists(lists, h));
  HB_TRY(check_near(h));
  return set_out(h);
}

const struct hb_hermite4_near_ops hb_hermite4_near = {.far = near_far,
                                                      .end = near_end,
                                                      .store = near_store,
                                                      .settle_all = near_settle_all,
                                                      .gather = gather,
                                                      .fetch = near_fetch,
                                                      .renew = near_renew,
                                                      .sum_fresh = near_sum_fresh,
                                                      .begin = near_begin,
                                                      .arrange = near_arrange,
                                                      .begin_block = near_begin_block,
                                                      .forces = near_forces,
                                                      .step_fars = near_step_fars,
                                                      .settle = near_settle,
                                                      .settle_groups = near_settle_groups,
                                                      .mark = near_mark,
                                                      .catch_up = near_catch_up,
                                                      .part = near_part,
                                                      .own = near_own,
                                                      .weight = near_weight,
                                                      .meet = near_meet,
                                                      .take_first = near_take_first,
                                                      .look_around = near_look_around};

const struct hb_companion hb_companion_near = {.state = offsetof(struct hb_hermite4, near),
                                               .columns = &columns,
                                               .open = open_near,
                                               .close = close_near,
                                               .begin = begin,
                                               .weigh = weigh_parts,
                                               .grow = grow_near,
                                               .drop = drop_near,
                                               .put = put_near,
                                               .get = get_near};
