/* What the formats of snapshots share. */
#ifndef HB_SNAPSHOT_CHOICE_H
#define HB_SNAPSHOT_CHOICE_H

#include "base/text.h"
#include "core/particles.h"

/* Which snapshot of a file is wanted, and what a reader finds out on its way to it. */
struct hb_snapshot_choice {
  double t;               /* the snapshot nearest to this time; NaN: the last             */
  double t_chosen;        /* the time of the best so far                                  */
  size_t count;           /* so far; a reader of formats with a single one leaves it 0    */
  double t_first, t_last; /* smallest and largest time so far                             */
  char format[24];        /* its name where a reader knows better than its caller; else "" */
};

/* Counts a snapshot of time t; returns whether it is better than all before it. */
int hb_snapshot_offer(struct hb_snapshot_choice *choice, double t);

/* For formats whose identities are signed ints: HB_ERR_INPUT with the first particle beyond. */
enum hb_status hb_snapshot_check_ids(const struct hb_particles *particles, const char *format);

/* Takes ids[n] as the identities if none is there twice, which *taken tells; the particles keep theirs otherwise. Errors:
 * HB_ERR_INTERNAL. */
enum hb_status hb_snapshot_take_ids(struct hb_particles *particles, const uint64_t *ids, int *taken);

/* Appends path with another extension. */
enum hb_status hb_snapshot_rename(const char *path, const char *extension, struct hb_text *name);

#endif
