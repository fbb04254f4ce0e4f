#include "core/order.h"

#include "base/arith.h"
#include "base/clones.h"
#include "base/elementary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/columns.h"
#include "core/kdtree.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

struct hb_order {
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

/* ---- making ---- */

static size_t slots_of(const struct tree *t) { return hb_div_ceil(t->n, RUN) * RUN; }

/* The places of the classes have been set: where their slots and nodes are. */
static void lay_out(struct hb_order *order)
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

static enum hb_status reserve(size_t n, struct hb_order *order)
{
  HB_TRY(HB_ALLOC(n, &order->number));
  HB_TRY(HB_ALLOC(n, &order->place));
  HB_TRY(HB_ALLOC(n, &order->m));
  HB_TRY(HB_ALLOC(n, &order->weight));
  double **columns[] = {&order->x, &order->y, &order->z, &order->w};
  for (int k = 0; k < 4; k++) HB_TRY(HB_ALLOC(slots_for(n), columns[k]));
  HB_TRY(HB_ALLOC(slots_for(n), &order->id));
  return HB_ALLOC(nodes_for(n), &order->nodes);
}

enum hb_status hb_order_create(size_t n, struct hb_order **order)
{
  *order = NULL;
  struct hb_order *o;
  HB_TRY(HB_ALLOC(1, &o));
  enum hb_status status = reserve(n, o);
  if (status != HB_OK) {
    hb_order_destroy(o);
    return status;
  }
  o->n = n;
  o->m_mean = 1;
  o->tree[0].n = n;
  for (size_t p = 0; p < n; p++) o->number[p] = (uint32_t)p;
  lay_out(o);
  *order = o;
  return HB_OK;
}

void hb_order_destroy(struct hb_order *order)
{
  if (!order) return;
  HB_FREE(order->number, order->place, order->m, order->weight, order->x, order->y, order->z, order->w,
          order->id, order->nodes, order);
}

const uint32_t *hb_order_place(const struct hb_order *order) { return order->place; }

/* ---- weights ---- */

double hb_order_weight(double m, double m_mean)
{
  if (m <= 0) return 0;
  return m <= m_mean ? 1 : hb_elementary_power(m / m_mean, 2.0 / 3);
}

static const struct tree *tree_of(const struct hb_order *order, size_t place)
{
  const struct tree *t = order->tree;
  while (place >= t->from + t->n) t++;
  return t;
}

/* The largest weight of every box. */
static void weigh_boxes(struct hb_order *order, const struct tree *t)
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

static void place_weights(struct hb_order *order)
{
  for (int c = 0; c < CLASSES; c++) {
    const struct tree *t = order->tree + c;
    for (size_t k = 0; k < slots_of(t); k++)
      order->w[t->slot + k] = k < t->n ? order->weight[order->id[t->slot + k]] : 0;
    if (t->n > 0) weigh_boxes(order, t);
  }
}

/* A box keeps the weight of a particle that has lost its own, until all are weighed. */
static void weigh_one(struct hb_order *order, uint32_t i)
{
  const struct tree *t = tree_of(order, order->place[i]);
  size_t slot = t->slot + order->place[i] - t->from, box = (slot - t->slot) / RUN;
  double w = order->w[slot] = order->weight[i];
  for (int level = 0; level < t->depth; level++, box /= WIDE) {
    double *most = order->nodes[t->node[level] + box / WIDE].w + box % WIDE;
    if (w > *most) *most = w;
  }
}

void hb_order_weigh(struct hb_order *order, size_t n, const double *m, double m_mean)
{
  enum { FEW = 64 };
  int all = m_mean != order->m_mean;
  order->m_mean = m_mean;
  for (size_t i = 0; i < n; i++) {
    while (!all && i + FEW < n && memcmp(m + i, order->m + i, FEW * sizeof *m) == 0) i += FEW; /* mostly */
    if (!all && m[i] == order->m[i]) continue;
    order->m[i] = m[i];
    int is_same = all && i > 0 && m[i] == m[i - 1]; /* often */
    order->weight[i] = is_same ? order->weight[i - 1] : hb_order_weight(m[i], m_mean);
    if (!all) weigh_one(order, (uint32_t)i);
  }
  if (all) place_weights(order);
}

/* ---- boxes ---- */

struct refit {
  struct hb_order *order;
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
  struct hb_order *o = r->order;
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

enum { PIECE = 32 * RUN, ALONE = 8192 }; /* slots; as many are refitted before a thread has woken up */

static size_t slots(const struct hb_order *order)
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

static void refit_above_runs(struct hb_order *order, const struct tree *t)
{
  size_t boxes = hb_div_ceil(t->n, RUN);
  for (int level = 1; level < t->depth; level++, boxes = hb_div_ceil(boxes, WIDE))
    for (size_t k = 0; k < t->count[level - 1]; k++)
      refit_above(order->nodes + t->node[level - 1] + k, hb_min(boxes - k * WIDE, WIDE),
                  order->nodes + t->node[level] + k / WIDE, k % WIDE);
}

void hb_order_refit(struct hb_order *order, const double *x)
{
  struct refit r = {order, x};
  hb_parallel_for(order->n > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(slots(order), PIECE), refit_piece,
                  &r);
  for (int c = 0; c < CLASSES; c++) refit_above_runs(order, order->tree + c);
}

/* ---- order ---- */

static int class_of(double w)
{
  if (w == 0) return 0;
  int c = 0;
  while (w > class_end[c]) c++;
  return c;
}

enum hb_status hb_order_sort(struct hb_order *order, const double *x)
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
  hb_order_refit(order, x);
  return HB_OK;
}

void hb_order_drop(struct hb_order *order, const uint32_t *number, size_t left)
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

/* ---- lists ---- */

/* Ascending: a number's place is how many are smaller. */
enum { RANKED = 256, RANKED_AT_ONCE = 64 };

HB_CLONES static void rank(uint32_t *list, size_t count)
{
  uint32_t number[RANKED], sorted[RANKED];
  size_t padded = hb_div_ceil(count, RANKED_AT_ONCE) * RANKED_AT_ONCE;
  for (size_t k = 0; k < padded; k++) number[k] = k < count ? list[k] : UINT32_MAX;
  for (size_t from = 0; from < count; from += RANKED_AT_ONCE) {
    uint32_t at[RANKED_AT_ONCE] = {0};
    for (size_t j = 0; j < count; j++)
      for (size_t k = 0; k < RANKED_AT_ONCE; k++)
        at[k] += number[j] < number[from + k]; /* cppcheck-suppress uninitvar ; up to padded */
    for (size_t k = 0; k < RANKED_AT_ONCE && from + k < count; k++) sorted[at[k]] = number[from + k];
  }
  memcpy(list, sorted, count * sizeof *list); /* cppcheck-suppress uninitvar ; a permutation */
}

/* Hoare's quicksort of different numbers, until they are few enough. */
static void sort(uint32_t *list, size_t count)
{
  while (count > RANKED) {
    uint32_t pivot = list[count / 2];
    size_t i = 0, k = count - 1;
    for (;; i++, k--) {
      while (list[i] < pivot) i++;
      while (list[k] > pivot) k--;
      if (i >= k) break;
      uint32_t swap = list[i];
      list[i] = list[k], list[k] = swap;
    }
    size_t below = i == k ? i + 1 : i;
    sort(list + below, count - below);
    count = below;
  }
  rank(list, count);
}

struct query {
  const struct hb_order *order;
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
  const struct hb_order *o = q->order;
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

size_t hb_order_within(const struct hb_order *order, const double x[3], double h2, uint32_t own, size_t most,
                       uint32_t *list)
{
  struct query q = {
      .order = order, .x = {x[0], x[1], x[2]}, .h2 = h2, .own = own, .most = most, .list = list};
  find(&q);
  sort(list, hb_min(q.found, most));
  return q.found;
}

/* ---- the k-th ---- */

enum { ROOM = 3 * RUN };

/* Numbers r^2 / w below `bound`: the k smallest so far, and some more. */
struct nearest {
  const struct hb_order *order;
  const double *x;
  uint32_t own;
  size_t found, k;
  double bound, *ratio; /* [k + ROOM] */
};

HB_CLONES static void take_run(struct nearest *q, size_t slot)
{
  const struct hb_order *o = q->order;
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
  double most = 0, same[HB_ORDER_KTH_MOST + ROOM];
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

double hb_order_kth(const struct hb_order *order, const double x[3], uint32_t own, size_t k)
{
  double ratio[HB_ORDER_KTH_MOST + ROOM];
  struct nearest q = {.order = order,
                      .x = x,
                      .own = own,
                      .k = hb_min(k, HB_ORDER_KTH_MOST),
                      .bound = INFINITY,
                      .ratio = ratio};
  for (int c = 0; c < CLASSES; c++) {
    const struct tree *t = order->tree + c;
    if (t->n > 0) take_node(&q, t, t->depth - 1, 0);
  }
  return q.found ? select_ratio(q.found, ratio, hb_min(q.k, q.found) - 1) : 0;
}
