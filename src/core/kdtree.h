/* Nearest neighbors in space, by a balanced k-d tree [Bentley 1975, CACM 18, 509; Friedman, Bentley & Finkel 1977,
 * ACM TOMS 3, 209]: O(N log N) for all points, however uneven their distribution. */
#ifndef HB_KDTREE_H
#define HB_KDTREE_H

#include "base/status.h"

/* A node is a range [from, to) of the points in the tree's order. Its middle point splits it: along `axis` no point before
 * the middle is larger and none after it is smaller. 29 bytes a point. */
struct hb_kdtree {
  size_t n;
  uint32_t *index; /* [n] the point at this place           */
  double *x;       /* [3 * n] and its position              */
  uint8_t *axis;   /* [n] of the node whose middle this is */
};

/* The positions x[3 * n], n < 2^32, are copied. The same points give the same tree on any number of threads. Errors:
 * HB_ERR_INTERNAL. */
enum hb_status hb_kdtree_create(size_t n, const double *x, struct hb_kdtree **tree);
void hb_kdtree_destroy(struct hb_kdtree *tree);

/* Puts the points index[n], x[3 * n] into the order of a tree without points of its own, each of whose leaves is `run` of them but
 * for the last one; every 2^k leaves from a multiple of 2^k are a subtree. */
void hb_kdtree_arrange(size_t n, size_t run, uint32_t *index, double *x);

/* The up to `count` points nearest to the one at `place` in the tree's order, itself excluded: their numbers and squared
 * distances, nearest first. Returns how many there are. */
size_t hb_kdtree_nearest(const struct hb_kdtree *tree, size_t place, size_t count, uint32_t *index,
                         double *r2);

/* nearest[n] of each of the points x[3 * n]; UINT32_MAX for one alone. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_kdtree_nearest_of_all(size_t n, const double *x, uint32_t *nearest);

#endif
