/* Test particles, which have no mass: they feel forces and cause none. Where particles include some, a source of forces gets
 * those with mass alone, and the sinks as points among them. */
#ifndef HB_MASSIVE_H
#define HB_MASSIVE_H

#include "base/status.h"

struct hb_massive {
  size_t n, count;        /* of n particles, `count` have mass; 0: none was found, or all have */
  uint32_t *slot, *place; /* [count] their numbers, ascending; [n] the inverse, HB_NO_SOURCE without mass */
  double *m, *x, *v;      /* [count] [3 * count] [3 * count] the sources */
  uint32_t *own;          /* [room] sinks: their places */
  double *xi, *vi;        /* [3 * room] */
  size_t room;
};

/* Errors: HB_ERR_INTERNAL; there are none then. */
enum hb_status hb_massive_find(struct hb_massive *massive, size_t n, const double *m);
void hb_massive_free(struct hb_massive *massive);

/* The sources of m[n], x[3 * n], v[3 * n]; and the sinks index[ni], in xi, vi and own. Errors: HB_ERR_INTERNAL. */
void hb_massive_gather(struct hb_massive *massive, const double *m, const double *x, const double *v);
enum hb_status hb_massive_sinks(struct hb_massive *massive, const double *x, const double *v, size_t ni,
                                const uint32_t *index);

#endif
