/* Several devices that work at the same blocks, each in a thread of its own: what devices.c and its tests share. */
#ifndef HB_DEVICES_H
#define HB_DEVICES_H

#include "base/parallel.h"
#include "force/source.h"
#include "pairs/pairs.h"
#include "pairs/tuning.h"

/* ---- how blocks are shared out, by bounds and shares that are found from measured times and written as words of a tuning,
 * "name=value"; force.c measures that of ranks ---- */

#define HB_SPLIT_WORDS_ALL SIZE_MAX /* the bound "all" */

/* ---- between the host and OpenGL ---- */

/* The host takes blocks of fewer than host_below sinks and those of host_from and more: 1 and up, HB_HYBRID_ALL where no
 * block is that large. host_below 0: not known yet. */
struct hb_hybrid_split {
  size_t host_below, host_from;
};
#define HB_HYBRID_ALL HB_SPLIT_WORDS_ALL

/* Everything on one side: to the host, or to OpenGL. */
#define HB_HYBRID_HOST ((struct hb_hybrid_split){HB_HYBRID_ALL, HB_HYBRID_ALL})
#define HB_HYBRID_GL   ((struct hb_hybrid_split){1, HB_HYBRID_ALL})

static inline int hb_hybrid_split_host(const struct hb_hybrid_split *split, size_t ni)
{
  return ni < split->host_below || ni >= split->host_from;
}

/* ---- from times to a bound ---- */

/* Seconds from sending the sources to having the forces of ni sinks. */
struct hb_hybrid_cost {
  size_t ni;
  double host, gl;
};

enum { HB_HYBRID_COSTS = 40 }; /* more are never asked for */

/* The bound that loses least against the faster of the two, over costs[count] in ascending ni. For a given N the time
 * of a block is affine in ni ([PZ07] eqs 10 to 16: a + b ni nj + c ni + d), so between two costs and from the last one
 * to n it is taken to be. Where OpenGL gains no more than noise, everything goes to the host. count > 0. */
struct hb_hybrid_split hb_hybrid_split_from(size_t n, size_t count, const struct hb_hybrid_cost *costs);

/* The number of sinks to measure next: from 1 up to n by factors of four while that takes a twentieth of a second at most,
 * then between the costs on both sides of the bound; 0 when these are close enough. */
size_t hb_hybrid_split_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs);

/* ---- as words ---- */

/* A tuning of hybrid, "host_below=128 gl=tile i_each=4 unroll=8": its own words and those of the source on OpenGL. */
struct hb_hybrid_words {
  struct hb_hybrid_split split;     /* host_below 0 without a word for it */
  const struct hb_pairs_scheme *gl; /* bag or tile; NULL without */
  char others[HB_TUNING_WORDS];
};

/* host_below and host_from are numbers from 1 on or "all". text may be NULL. Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_hybrid_words_parse(const char *text, struct hb_hybrid_words *words);
void hb_hybrid_words_print(const struct hb_hybrid_words *words, size_t room, char *text);

/* ---- in shares, for devices or processes that work at a block together ---- */

enum { HB_SHARES_MOST = 16, HB_SHARES_WHOLE = 16 };

/* How much each of them does, relative to the others: up to HB_SHARES_WHOLE, 0 takes no part. count 0: not known yet. */
struct hb_shares {
  int count;
  unsigned part[HB_SHARES_MOST];
};

struct hb_shares hb_shares_equal(int count);

/* Those that take part. */
int hb_shares_takers(const struct hb_shares *shares);

/* Proportional to rates[count] > 0, the fastest has HB_SHARES_WHOLE: coarse, so that equal devices, measured with some noise,
 * have equal shares. A small one is rounded down, to 0 if need be: the others must not wait for it. */
struct hb_shares hb_shares_of_rates(int count, const double *rates);

/* Devices of one name get their mean rate: what differs between them is noise. */
void hb_shares_of_alike(int count, const char *const *names, double *rates);

/* Where share k of n things begins, and that of the one before ends: a multiple of step; k = count: n. */
size_t hb_shares_cut(const struct hb_shares *shares, int k, size_t n, size_t step);

/* Shares of sources begin where a stretch of sources begins that is summed as one, in any precision. */
enum { HB_SHARES_OF_SOURCES = 64, HB_SHARES_OF_SINKS = 1 };

/* ---- among several devices: "shares=16:15 alone_below=512" ---- */

/* The first device alone takes blocks of fewer sinks; of particles that stay on the devices, kept_alone_below. 0: not known
 * yet; SIZE_MAX: all blocks. */
struct hb_devices_plan {
  struct hb_shares shares;
  size_t alone_below, kept_alone_below;
  char others[HB_TUNING_WORDS]; /* words of the scheme that walks */
};

/* The first device alone; or each device has a part of the sources, and sums are added; or all sources, and a part of the
 * sinks. */
enum hb_devices_way { HB_DEVICES_ALONE, HB_DEVICES_BY_SOURCES, HB_DEVICES_BY_SINKS };

/* Of sources that have to be sent: whatever makes less travel to and from each device. All of the particles are sinks at the
 * start and for diagnostics, when alone_below may not be known, and is asked only whether it is SIZE_MAX. */
enum hb_devices_way hb_devices_plan_way(const struct hb_devices_plan *plan, size_t ni, size_t nj);

/* The bound from costs[count] in ascending ni, of one device (host) and of all (gl): the least above which all of them are the
 * faster at every size that was measured and at n, by more than this margin. */
static const double HB_DEVICES_MARGIN = 0.05;
size_t hb_devices_plan_bound(size_t n, size_t count, const struct hb_hybrid_cost *costs);

/* The number of sinks to measure next for it; 0: enough are known. */
size_t hb_devices_plan_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs);

/* text may be NULL. Errors: HB_ERR_USAGE with the word. Without a word for it, nothing is known. */
enum hb_status hb_devices_plan_parse(const char *text, struct hb_devices_plan *plan);
void hb_devices_plan_print(const struct hb_devices_plan *plan, size_t room, char *text);

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

/* The sinks get positions and velocities, by their numbers: the job has points then. */
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
