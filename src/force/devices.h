/* Several devices that work at the same blocks, each in a thread of its own. */
#ifndef HB_DEVICES_H
#define HB_DEVICES_H

#include "base/parallel.h"
#include "force/source.h"
#include "pairs/pairs.h"
#include "pairs/tuning.h"

/* ---- how blocks are shared out, by bounds and shares that are found from measured times and written as words of a tuning,
 * "name=value"; force.c measures that of ranks ---- */

#define HB_SPLIT_WORDS_ALL SIZE_MAX /* the bound "all" */

/* ---- in shares, for devices or processes that work at a block together ---- */

enum { HB_SHARES_MOST = 16, HB_SHARES_WHOLE = 16 };

/* How much each of them does, relative to the others: up to HB_SHARES_WHOLE, 0 takes no part. count 0: not known yet. */
struct hb_shares {
  int count;
  unsigned part[HB_SHARES_MOST];
};

/* ---- among several devices: "shares=16:15 alone_below=512" ---- */

/* The first device alone takes blocks of fewer sinks; of particles that stay on the devices, kept_alone_below. 0: not known
 * yet; SIZE_MAX: all blocks. */
struct hb_devices_plan {
  struct hb_shares shares;
  size_t alone_below, kept_alone_below;
  char others[HB_TUNING_WORDS]; /* words of the scheme that walks */
};

/* text may be NULL. Errors: HB_ERR_USAGE with the word. Without a word for it, nothing is known. */
enum hb_status hb_devices_plan_parse(const char *text, struct hb_devices_plan *plan);

/* ---- among several ranks ---- */

/* Which blocks several ranks share out by their sinks, and which by the sources.
 *
 *   by sources  each rank has a part of them and all sinks; its sums go to all ranks
 *   by sinks    each rank has all sources and a part of the sinks; their sums are complete */
/* Blocks of so many sinks and more are shared out by sinks; 0: not known, HB_RANKS_SPLIT_NEVER: none is. others: the words of the
 * source's own tuning. */
struct hb_ranks_split {
  int ranks;
  size_t sinks_from;
  char others[HB_TUNING_WORDS];
};
#define HB_RANKS_SPLIT_NEVER HB_SPLIT_WORDS_ALL

/* A tuning, NULL: none. "sinks_from=4096", or all: none by sinks; as print writes it, "sinks_from=4096@2", it holds for two ranks.
 * Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_ranks_split_parse(const char *tuning, int ranks, struct hb_ranks_split *split);
void hb_ranks_split_print(size_t sinks_from, int ranks, const char *others, size_t room, char *text);

/* The seconds that a block of ni sinks takes, each way. */
struct hb_ranks_cost {
  size_t ni;
  double by_sources, by_sinks;
};

/* For given N and P both are a + b ni N / P + c ni, straight lines in ni: where those through two costs cross. */
size_t hb_ranks_split_from(const struct hb_ranks_cost few, const struct hb_ranks_cost many);

/* ---- parts of a job ---- */

/* The same job for `count` of its sinks, from `first` on. */
struct hb_force_job hb_part_some(const struct hb_force_job *job, size_t first, size_t count);

/* Sums that are not at their place yet: results, or in precision reproducible totals. Starts as
 * zeros. */
struct hb_part_sums {
  struct hb_force_results to;
  struct hb_fixed_total *totals; /* NULL: results */
};

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

/* The sinks get positions and velocities, by their numbers: the job has points then. */
enum hb_status hb_part_points_fill(struct hb_part_points *points, const struct hb_force_sources *sources,
                                   struct hb_force_sinks *sinks);
void hb_part_points_free(struct hb_part_points *points);

#endif
