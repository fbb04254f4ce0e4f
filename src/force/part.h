/* Jobs made of jobs: for some of the sinks, for a part of the sources, and for measuring. What several devices, or several
 * processes, share out among them. Any source of forces that has points will do: to a part of the sources all sinks are points, and
 * some of these are sources of it. */
#ifndef HB_PART_H
#define HB_PART_H

#include "force/source.h"
#include "force/split.h"

/* The same job for `count` of its sinks, from `first` on. */
struct hb_force_job hb_part_some(const struct hb_force_job *job, size_t first, size_t count);

/* Sums that are not at their place yet: results, or in precision reproducible totals. Memory for those of n sinks of a job like
 * this one is freed by the other; starts as zeros. Errors: HB_ERR_INTERNAL. */
struct hb_part_sums {
  struct hb_force_results to;
  struct hb_fixed_total *totals; /* NULL: results */
};
enum hb_status hb_part_sums_reserve(const struct hb_force_job *like, size_t n, struct hb_part_sums *sums);
void hb_part_sums_free(struct hb_part_sums *sums);

/* into[n] += more[n] */
void hb_part_add(size_t n, const struct hb_part_sums *more, const struct hb_part_sums *into);

/* Starts as zeros but for ops and state, which belong to whoever opens and closes them. */
struct hb_part {
  const struct hb_force_ops *ops;
  void *state;
  size_t begin, end; /* of all sources */
  uint32_t *own;     /* [room] which of the part's sources a sink is */
  size_t room;
};
void hb_part_free(struct hb_part *part);

/* It gets the sources begin .. end - 1 of the job's, or none. */
enum hb_status hb_part_send(struct hb_part *part, size_t begin, size_t end, const struct hb_force_job *job);

/* The sinks of the job, whose sources it has: by their numbers, for a part that is all sources; or points, with their numbers
 * among all sources. Nothing pulls where it has none. */
enum hb_status hb_part_begin(struct hb_part *part, const struct hb_force_job *job);
enum hb_status hb_part_finish(struct hb_part *part, const struct hb_force_job *job);

/* Positions and velocities of sinks by number, in arrays that grow: the job has points then. Starts as zeros. */
struct hb_part_points {
  size_t room;
  double *x, *v; /* [3 * room] */
};
enum hb_status hb_part_points_fill(struct hb_part_points *points, const struct hb_force_sources *sources,
                                   struct hb_force_sinks *sinks);
void hb_part_points_free(struct hb_part_points *points);

/* ---- measuring ---- */

/* A job to be timed, on sinks spread evenly over n particles, others each time; what they feel nobody reads. Starts as zeros. */
struct hb_trial {
  struct hb_force_job job;
  size_t n, turn;
  uint32_t *index, *scale; /* [n] */
  struct hb_part_sums sums;
};
enum hb_status hb_trial_reserve(const struct hb_force_job *like, size_t n, struct hb_trial *trial);
void hb_trial_free(struct hb_trial *trial);
void hb_trial_choose(struct hb_trial *trial, size_t ni);

/* Two ways, 0 and 1, to do a job, from the sources to the forces, as in a block step; and what of some samples is the cost. */
struct hb_trial_ways {
  void *owner;
  enum hb_status (*cycle)(void *owner, struct hb_trial *trial, int way, double *seconds);
  size_t (*ask)(size_t n, size_t count,
                const struct hb_hybrid_cost *costs); /* sinks to measure next; 0: enough are known */
  double (*usual)(size_t count, double *seconds);
  double (*clock)(void);
  const char *name[2];
};

/* costs[*count], in ascending numbers of sinks. */
enum hb_status hb_trial_measure(const struct hb_trial_ways *ways, struct hb_trial *trial, size_t *count,
                                struct hb_hybrid_cost costs[HB_HYBRID_COSTS]);

#endif
