/* Several devices that work at the same blocks, each in a thread of its own: what devices.c and its tests share. */
#ifndef HB_DEVICES_H
#define HB_DEVICES_H

#include "base/parallel.h"
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

/* The sources that a device has: none, a part of those that were set, all of them, or all that are kept, predicted. */
enum hb_devices_sources { HB_DEVICES_NONE, HB_DEVICES_PART, HB_DEVICES_ALL, HB_DEVICES_PREDICTED };

struct hb_devices_member {
  struct hb_devices *devices;
  int k;
  char name[64];
  struct hb_worker *worker; /* NULL for the first one, which is in the thread of the caller */
  struct hb_part part;      /* the scheme that walks, opened on this device */
  void *records;            /* of particles that it keeps */
  enum hb_devices_sources has;
  size_t first, count; /* its sinks in this call; of its part of the sources: all */
  size_t done;         /* sources of its part, or sinks, that it has finished in this call */
  struct hb_part_sums
      sums; /* [room] over its part of the sources: of the others, to be added to the first one's */
  size_t room;
  double rate; /* pairs a second, as measured */
  enum hb_status (*work)(struct hb_devices_member *member);
  struct hb_force_news news; /* of particles that it has corrected, for the others; count 0: none */
};

struct hb_devices {
  const struct hb_force_ops *ops; /* the scheme that walks */
  struct hb_force_params params;  /* strings of the handle's, but for the tuning */
  struct hb_devices_plan plan;
  int measures; /* 0: HB_FORCE_NO_TUNE */
  double (*clock)(void);
  int is_prepared; /* hb_devices_prepare */
  int count;
  struct hb_devices_member member[HB_SHARES_MOST];
  struct hb_gl_context *opened; /* for the first device, while it is being opened */

  struct hb_reproducible_units units; /* in precision reproducible */
  struct hb_force_sources j;          /* the caller's, or in own[7 * room]; n 0: those that are kept */
  double *own;
  size_t room;

  enum hb_devices_way way;
  struct hb_force_job job; /* the one under way */
  struct hb_part_points points;

  struct { /* particles that stay on the devices */
    size_t n;
    double dt[HB_FORCE_LEVELS];            /* of the prediction that they are to have */
    const struct hb_force_particles *sent; /* on their way, these: NULL: all */
    const uint32_t *which;
    struct hb_force_correction correction; /* under way */
    int is_corrected;                      /* by the devices */
    int tells;          /* whether a device can tell the others what it has; -1: not asked yet */
    int is_torn;        /* after a failure: not all of them have the last block */
    uint32_t *behind;   /* [behind_count] particles that only the first device has as they are now */
    uint8_t *is_behind; /* [n] */
    size_t behind_count;
    struct hb_force_news late; /* of these, for the others; count 0: they have them */
  } kept;

  char device[2048], tuning[256];
};

/* The first device tells what it has corrected alone; the others catch up, each by itself, before they predict. */
enum hb_status hb_devices_tell_late(struct hb_devices *d);
enum hb_status hb_devices_catch_up(struct hb_devices_member *m);

/* The bound of the plan for sources that are sent, once. */
enum hb_status hb_devices_fix_alone(struct hb_devices *d);

#endif
