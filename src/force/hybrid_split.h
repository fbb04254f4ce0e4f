/* Which blocks go to the host and which to OpenGL: a bound on the number of sinks, found from measured times and written
 * as words of a tuning. Pure functions; hybrid.c measures. */
#ifndef HB_HYBRID_SPLIT_H
#define HB_HYBRID_SPLIT_H

#include "force/split_words.h"
#include "pairs/pairs.h"

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

/* The cost at ni sinks, not less than those of the last one, extrapolated from the last two. And where between two costs the
 * times cross; where they do not, which is noise, the larger ni. */
struct hb_hybrid_cost hb_hybrid_split_at(size_t ni, size_t count, const struct hb_hybrid_cost *costs);
size_t hb_hybrid_split_crossing(const struct hb_hybrid_cost *a, const struct hb_hybrid_cost *b);

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

#endif
