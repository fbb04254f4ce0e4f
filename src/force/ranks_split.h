/* Which blocks several ranks share out by their sinks, and which by the sources. Pure functions; force_ranks.c measures.
 *
 *   by sources  each rank has a part of them and all sinks; its sums go to all ranks
 *   by sinks    each rank has all sources and a part of the sinks; their sums are complete */
#ifndef HB_RANKS_SPLIT_H
#define HB_RANKS_SPLIT_H

#include "force/split_words.h"

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
