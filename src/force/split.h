/* How blocks are shared out, by bounds and shares that are found from measured times and written as words of a tuning, "name=value".
 * Pure functions; hybrid.c, devices.c and ranks.c measure. */
#ifndef HB_SPLIT_H
#define HB_SPLIT_H

#include "base/status.h"
#include "pairs/pairs.h"

#include <stddef.h>
#include <stdint.h>

enum { HB_SPLIT_WORDS = 256 };      /* characters of the others' words */
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
  char others[HB_SPLIT_WORDS];
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

void hb_shares_print(const struct hb_shares *shares, size_t room, char *text);

/* ---- among several devices: "shares=16:15 alone_below=512" ---- */

/* The first device alone takes blocks of fewer sinks; of particles that stay on the devices, kept_alone_below. 0: not known
 * yet; SIZE_MAX: all blocks. */
struct hb_devices_plan {
  struct hb_shares shares;
  size_t alone_below, kept_alone_below;
  char others[HB_SPLIT_WORDS]; /* words of the scheme that walks */
};

/* The first device alone; or each device has a part of the sources, and sums are added; or all sources, and a part of the
 * sinks. */
enum hb_devices_way { HB_DEVICES_ALONE, HB_DEVICES_BY_SOURCES, HB_DEVICES_BY_SINKS };

/* Of sources that have to be sent: whatever makes less travel to and from each device. All of the particles are sinks at the
 * start and for diagnostics, when alone_below may not be known, and is asked only whether it is SIZE_MAX. */
enum hb_devices_way hb_devices_plan_way(const struct hb_devices_plan *plan, size_t ni, size_t nj);

/* Without measuring: the number of sinks from which several devices are taken for so many sources. */
size_t hb_devices_plan_rule(size_t nj);

/* What a call takes, from seconds[count] of so many, which are reordered: the mean of all but the longest sixteenth. The mean is what
 * a run pays; one call that another process has delayed for a time slice would outweigh all others. */
double hb_devices_plan_usual(size_t count, double *seconds);

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
  char others[HB_SPLIT_WORDS];
};
#define HB_RANKS_SPLIT_NEVER HB_SPLIT_WORDS_ALL

/* A tuning, NULL: none. "sinks_from=4096", or all: none by sinks; as print writes it, "sinks_from=4096@2", it holds for two ranks.
 * Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_ranks_split_parse(const char *tuning, int ranks, struct hb_ranks_split *split);
void hb_ranks_split_print(size_t sinks_from, int ranks, const char *others, size_t room, char *text);

/* Without a word or a measurement, from the numbers of sources and ranks alone. */
size_t hb_ranks_split_usual(size_t nj, int ranks);

/* The seconds that a block of ni sinks takes, each way. */
struct hb_ranks_cost {
  size_t ni;
  double by_sources, by_sinks;
};

/* For given N and P both are a + b ni N / P + c ni, straight lines in ni: where those through two costs cross. */
size_t hb_ranks_split_from(const struct hb_ranks_cost few, const struct hb_ranks_cost many);

#endif
