/* Test particles, which have no mass: they feel forces and cause none. Where particles include some, a source of forces gets
 * those with mass alone, and the sinks as points among them. */
#ifndef HB_MASSIVE_H
#define HB_MASSIVE_H

#include "force/force.h"

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

/* The same job among those: the sinks become points. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_massive_job(struct hb_massive *massive, struct hb_force_job *job);

#endif
