#include "force/devices_plan.h"

#include <stdlib.h>
#include <string.h>

/* Pairs that a GPU walks while it is worth waiting for another one. */
static const double PAIRS_WORTH_SHARING = 4e8;

/* Bytes that travel in double-single: a source, or a sink as a point; the number of a sink; a result. */
enum { SOURCE = 48, NUMBER = 4, RESULT = 64 };

size_t hb_devices_plan_rule(size_t nj)
{
  double bound = PAIRS_WORTH_SHARING / (double)nj;
  return bound > 1 ? (size_t)bound : 1;
}

enum hb_devices_way hb_devices_plan_way(const struct hb_devices_plan *plan, size_t ni, size_t nj)
{
  int by_rule = ni == nj && plan->alone_below != SIZE_MAX, takers = hb_shares_takers(&plan->shares);
  double each = 1. / takers, i = (double)ni, j = (double)nj;
  if (takers < 2 || ni < (by_rule ? hb_devices_plan_rule(nj) : plan->alone_below)) return HB_DEVICES_ALONE;
  double by_sources = SOURCE * j * each + (SOURCE + NUMBER + RESULT) * i;
  double by_sinks = SOURCE * j + (NUMBER + RESULT) * i * each;
  return by_sources < by_sinks ? HB_DEVICES_BY_SOURCES : HB_DEVICES_BY_SINKS;
}

/* ---- the bound ---- */

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double hb_devices_plan_usual(size_t count, double *seconds)
{
  double sum = 0;
  size_t counted = count - count / 16;
  qsort(seconds, count, sizeof *seconds, ascending);
  for (size_t k = 0; k < counted; k++) sum += seconds[k];
  return sum / (double)counted;
}

/* So that the margin is where the two cross. */
static void add_margin(size_t count, const struct hb_hybrid_cost *costs, struct hb_hybrid_cost *all)
{
  memcpy(all, costs, count * sizeof *costs);
  for (size_t k = 0; k < count; k++) all[k].gl *= 1 + HB_DEVICES_MARGIN;
}

size_t hb_devices_plan_bound(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost all[HB_HYBRID_COSTS];
  add_margin(count, costs, all);
  struct hb_hybrid_cost above = hb_hybrid_split_at(n, count, all);
  if (above.host <= above.gl) return SIZE_MAX;
  for (size_t k = count; k-- > 0; above = all[k])
    if (all[k].host <= all[k].gl) return hb_hybrid_split_crossing(&all[k], &above);
  return 1;
}

size_t hb_devices_plan_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost all[HB_HYBRID_COSTS];
  add_margin(count, costs, all);
  return hb_hybrid_split_ask(n, count, all);
}

/* ---- words ---- */

static enum hb_status take_word(const char *word, void *into, int *is_own)
{
  struct hb_devices_plan *plan = into;
  const char *value;
  if ((value = hb_split_words_value(word, "shares"))) return hb_shares_parse(value, &plan->shares);
  if ((value = hb_split_words_value(word, "alone_below")))
    return hb_split_words_bound(word, value, &plan->alone_below);
  if ((value = hb_split_words_value(word, "kept_alone_below")))
    return hb_split_words_bound(word, value, &plan->kept_alone_below);
  *is_own = 0;
  return HB_OK;
}

enum hb_status hb_devices_plan_parse(const char *text, struct hb_devices_plan *plan)
{
  *plan = (struct hb_devices_plan){0};
  return hb_split_words_parse(text, take_word, plan, plan->others);
}

void hb_devices_plan_print(const struct hb_devices_plan *plan, size_t room, char *text)
{
  char shares[4 * HB_SHARES_MOST];
  text[0] = 0;
  hb_shares_print(&plan->shares, sizeof shares, shares);
  if (plan->shares.count > 0) hb_split_words_append("shares=", shares, room, text);
  hb_split_words_append_bound("alone_below=", plan->alone_below, room, text);
  hb_split_words_append_bound("kept_alone_below=", plan->kept_alone_below, room, text);
  if (*plan->others) hb_split_words_append(plan->others, "", room, text);
}
