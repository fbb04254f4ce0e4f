/* A run as it is remembered: some of its states, a bounded number, from the first to the present, as evenly in time as they
 * came. Between two of them a body follows the cubic through both positions and velocities. */
#ifndef HB_HISTORY_H
#define HB_HISTORY_H

#include "base/status.h"

#include <stddef.h>

struct hb_history {
  size_t n;           /* bodies                                            */
  size_t count, most; /* states                                            */
  double *t;          /* [most] ascending                                  */
  double **state;     /* [most] of [6 n]: x[3 n], v[3 n]                   */
  double spacing;     /* the present is replaced until it is so much later */
};

/* Of n bodies, in about `bytes` of memory: 16 to `most` states. Start from {0}; what there was is forgotten. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_history_open(size_t n, size_t bytes, size_t most, struct hb_history *history);
void hb_history_close(struct hb_history *history);

/* The present, x[3 n] and v[3 n]. A time that is not later than the last one's forgets what is after it. When there is no
 * place left, every second state goes. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_history_add(struct hb_history *history, double t, const double *x, const double *v);

/* x[3 n] and v[3 n] at a time within the span, else at its nearer end. There must be a state. */
void hb_history_at(const struct hb_history *history, double t, double *x, double *v);

/* The last state that is not later than t; 0 if all are. */
size_t hb_history_before(const struct hb_history *history, double t);

#endif
