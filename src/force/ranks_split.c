#include "force/ranks_split.h"

#include "base/arith.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as words ---- */

/* "sinks_from=4096@2": for two ranks. */
static enum hb_status take_word(const char *word, void *into, int *is_own)
{
  struct hb_ranks_split *split = into;
  const char *value = hb_split_words_value(word, "sinks_from");
  char number[HB_SPLIT_WORDS], *end;
  size_t bound;
  *is_own = value != NULL;
  if (!value) return HB_OK;
  snprintf(number, sizeof number, "%s", value);
  char *ranks = strchr(number, '@');
  if (ranks) *ranks++ = 0;
  long of = ranks ? strtol(ranks, &end, 10) : split->ranks;
  HB_TRY(hb_split_words_bound(word, ranks && (*end || of < 1) ? "" : number, &bound));
  if (of == split->ranks) split->sinks_from = bound;
  return HB_OK;
}

enum hb_status hb_ranks_split_parse(const char *tuning, int ranks, struct hb_ranks_split *split)
{
  *split = (struct hb_ranks_split){.ranks = ranks};
  return hb_split_words_parse(tuning, take_word, split, split->others);
}

void hb_ranks_split_print(size_t sinks_from, int ranks, const char *others, size_t room, char *text)
{
  *text = 0;
  hb_split_words_append_bound("sinks_from=", sinks_from, room, text);
  size_t used = strlen(text);
  snprintf(text + used, room - used, "@%d%s%s", ranks, *others ? " " : "", others);
}

/* ---- the bound ---- */

/* A quarter of the sources: for fewer sinks, to send all sources everywhere takes longer than to add up results. */
size_t hb_ranks_split_usual(size_t nj, int ranks)
{
  static const size_t EACH = 1024; /* that keep a device busy */
  return hb_max(nj / 4, EACH * (size_t)ranks);
}

size_t hb_ranks_split_from(const struct hb_ranks_cost few, const struct hb_ranks_cost many)
{
  double more = (double)(many.ni - few.ni);
  double slope = ((many.by_sources - few.by_sources) - (many.by_sinks - few.by_sinks)) / more;
  double gain = few.by_sources - few.by_sinks; /* of sharing out by sinks, which grows by slope for each */
  if (!(slope > 0)) return gain > 0 && many.by_sources > many.by_sinks ? 1 : HB_RANKS_SPLIT_NEVER;
  double from = (double)few.ni - gain / slope;
  return from < 1 ? 1 : from < 0x1p53 ? (size_t)ceil(from) : HB_RANKS_SPLIT_NEVER;
}
