#include "core/kdtree.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum {
  LEAF = 8,             /* so few points are faster to check than to split */
  WORTH_A_THREAD = 256, /* fewer are sorted before a thread comes          */
  SUBTREES = 256
};

/* ---- building ---------------------------------------------------------------------------------------- */

static void swap(struct hb_kdtree *t, size_t a, size_t b)
{
  uint32_t index = t->index[a];
  t->index[a] = t->index[b];
  t->index[b] = index;
  for (int k = 0; k < 3; k++) {
    double x = t->x[3 * a + k];
    t->x[3 * a + k] = t->x[3 * b + k];
    t->x[3 * b + k] = x;
  }
}

/* Hoare's quickselect: moves the median by coordinate to `middle`, with no larger point before and no smaller one after it.
 * The pivot is random, so that no order of the points is a bad one. */
static void select_middle(struct hb_kdtree *t, size_t from, size_t to, size_t middle, int axis)
{
  uint64_t random = from;
  while (to - from > 1) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double pivot = t->x[3 * (from + (random >> 33) % (to - from)) + axis];
    size_t i = from, k = to - 1;
    for (;; i++, k--) {
      while (t->x[3 * i + axis] < pivot) i++;
      while (pivot < t->x[3 * k + axis]) k--;
      if (i >= k) break;
      swap(t, i, k);
    }
    /* [from, below) <= pivot <= [below, to) */
    size_t below = i == k ? i : k + 1;
    if (below == from) below = from + 1; /* the pivot alone was the smallest */
    if (middle < below)
      to = below;
    else
      from = below;
  }
}

static int widest_axis(const struct hb_kdtree *t, size_t from, size_t to)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = from; i < to; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], t->x[3 * i + k]);
      high[k] = fmax(high[k], t->x[3 * i + k]);
    }
  int axis = high[1] - low[1] > high[0] - low[0];
  return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

/* The points that become an order, and of how many its runs are; 0: a tree for searches. */
struct build {
  struct hb_kdtree *tree;
  size_t run;
};

/* The first half of runs is a power of two of them. */
static size_t middle_of(const struct build *b, size_t from, size_t to)
{
  if (!b->run) return from + (to - from) / 2;
  size_t half = b->run;
  while (2 * half < to - from) half *= 2;
  return from + hb_min(half, to - from);
}

/* Splits [from, to) along the widest axis; returns where the second half begins. The median of a tree belongs to neither. */
static size_t split(const struct build *b, size_t from, size_t to, size_t *middle)
{
  int axis = widest_axis(b->tree, from, to);
  *middle = middle_of(b, from, to);
  select_middle(b->tree, from, to, *middle, axis);
  if (b->run) return *middle;
  b->tree->axis[*middle] = (uint8_t)axis;
  return *middle + 1;
}

static void build(const struct build *b, size_t from, size_t to)
{
  if (to - from <= (b->run ? b->run : LEAF)) return;
  size_t middle, second = split(b, from, to, &middle);
  build(b, from, middle);
  build(b, second, to);
}

/* The subtrees of a level, in any order. */
struct level {
  struct build build;
  size_t count, from[SUBTREES], to[SUBTREES];
};

/* The first half of a subtree takes its place, the second goes to the end of the level. */
static void split_subtree(void *context, size_t k)
{
  struct level *l = context;
  size_t middle, other = l->count + k;
  l->from[other] = split(&l->build, l->from[k], l->to[k], &middle);
  l->to[other] = l->to[k];
  l->to[k] = middle;
}

static void build_subtree(void *context, size_t k)
{
  const struct level *l = context;
  build(&l->build, l->from[k], l->to[k]);
}

static void build_all(struct hb_kdtree *t, size_t run)
{
  struct level level = {.build = {t, run}, .count = 1, .to = {t->n}};
  int threads = t->n > WORTH_A_THREAD ? hb_parallel_threads() : 1;
  for (; t->n / level.count > WORTH_A_THREAD && 2 * level.count <= SUBTREES; level.count *= 2)
    hb_parallel_for(threads, level.count, split_subtree, &level);
  hb_parallel_for(threads, level.count, build_subtree, &level);
}

enum hb_status hb_kdtree_create(size_t n, const double *x, struct hb_kdtree **tree)
{
  *tree = NULL;
  struct hb_kdtree *t;
  HB_TRY(HB_ALLOC(1, &t));
  t->n = n;
  enum hb_status status = HB_ALLOC(n, &t->index);
  if (status == HB_OK) status = HB_ALLOC(3 * n, &t->x);
  if (status == HB_OK) status = HB_ALLOC(n, &t->axis);
  for (size_t i = 0; status == HB_OK && i < n; i++) t->index[i] = (uint32_t)i;
  if (status == HB_OK) memcpy(t->x, x, 3 * n * sizeof *x);
  if (status == HB_OK) build_all(t, 0);
  return HB_MADE(status, t, hb_kdtree_destroy, tree);
}

void hb_kdtree_arrange(size_t n, size_t run, uint32_t *index, double *x)
{
  struct hb_kdtree points = {.n = n, .index = index, .x = x};
  build_all(&points, run);
}

void hb_kdtree_destroy(struct hb_kdtree *tree)
{
  if (!tree) return;
  HB_FREE(tree->index, tree->x, tree->axis, tree);
}

/* ---- searching --------------------------------------------------------------------------------------- */

/* The nearest so far, in order. */
struct search {
  const struct hb_kdtree *tree;
  const double *x;
  size_t place, count, found;
  uint32_t *index;
  double *r2;
};

static void meet(struct search *s, size_t i)
{
  if (i == s->place) return;
  const double *x = s->tree->x + 3 * i;
  double dx = x[0] - s->x[0], dy = x[1] - s->x[1], dz = x[2] - s->x[2];
  double r2 = dx * dx + dy * dy + dz * dz;
  if (s->found == s->count && !(r2 < s->r2[s->count - 1])) return;
  size_t k = s->found < s->count ? s->found++ : s->count - 1;
  for (; k > 0 && r2 < s->r2[k - 1]; k--) {
    s->r2[k] = s->r2[k - 1];
    s->index[k] = s->index[k - 1];
  }
  s->r2[k] = r2;
  s->index[k] = s->tree->index[i];
}

/* The half that holds the point first; the other only if it may hold a nearer one. */
static void visit(struct search *s, size_t from, size_t to)
{
  if (to - from <= LEAF) {
    for (size_t i = from; i < to; i++) meet(s, i);
    return;
  }
  size_t middle = from + (to - from) / 2;
  int axis = s->tree->axis[middle];
  double beyond = s->x[axis] - s->tree->x[3 * middle + axis];
  if (beyond < 0)
    visit(s, from, middle);
  else
    visit(s, middle + 1, to);
  if (s->found == s->count && beyond * beyond > s->r2[s->count - 1]) return;
  meet(s, middle);
  if (beyond < 0)
    visit(s, middle + 1, to);
  else
    visit(s, from, middle);
}

size_t hb_kdtree_nearest(const struct hb_kdtree *tree, size_t place, size_t count, uint32_t *index,
                         double *r2)
{
  struct search s = {
      .tree = tree, .x = tree->x + 3 * place, .place = place, .count = count, .index = index, .r2 = r2};
  if (count > 0) visit(&s, 0, tree->n);
  return s.found;
}

struct find_all {
  const struct hb_kdtree *tree;
  uint32_t *nearest;
};

enum { ALONE = 2048, PIECE = 256 }; /* fewer are done before a second thread has woken up */

static void find_piece(void *context, size_t place, size_t end)
{
  const struct find_all *f = context;
  for (; place < end; place++) {
    double r2;
    uint32_t *nearest = f->nearest + f->tree->index[place];
    if (hb_kdtree_nearest(f->tree, place, 1, nearest, &r2) == 0) *nearest = UINT32_MAX;
  }
}

enum hb_status hb_kdtree_nearest_of_all(size_t n, const double *x, uint32_t *nearest)
{
  struct hb_kdtree *tree;
  HB_TRY(hb_kdtree_create(n, x, &tree));
  struct find_all find = {tree, nearest};
  hb_parallel_pieces(n, PIECE, ALONE, find_piece, &find);
  hb_kdtree_destroy(tree);
  return HB_OK;
}
