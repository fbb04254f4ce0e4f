#include "force/split.h"

#include "base/arith.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

/* Calls take for each word of text (NULL: none), which says whether it was its own; the rest become others[HB_SPLIT_WORDS]. Errors:
 * HB_ERR_USAGE; those of take. */
typedef enum hb_status (*word_taker)(const char *word, void *plan, int *is_own);

/* Appends a word, if it fits; a bound of 0 is unknown and has none. */
static void append_word(const char *name, const char *value, size_t room, char *text)
{
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s%s", used ? " " : "", name, value);
}

static enum hb_status parse_words(const char *text, word_taker take, void *plan, char *others)
{
  char copy[HB_SPLIT_WORDS], *rest = NULL;
  *others = 0;
  if (!text) return HB_OK;
  if (strlen(text) >= sizeof copy) return hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
  strcpy(copy, text);
  for (char *word = strtok_r(copy, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
    int is_own = 1;
    HB_TRY(take(word, plan, &is_own));
    if (!is_own) append_word(word, "", HB_SPLIT_WORDS, others);
  }
  return HB_OK;
}

/* What follows "name=" in word, NULL if it is another word. */
static const char *value_of(const char *word, const char *name)
{
  size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* A number of sinks from 1 on, or "all". Errors: HB_ERR_USAGE with the word. */
static enum hb_status parse_bound(const char *word, const char *value, size_t *bound)
{
  char *end;
  unsigned long long number = strtoull(value, &end, 10);
  if (strcmp(value, "all") == 0)
    *bound = HB_SPLIT_WORDS_ALL;
  else if (*value >= '0' && *value <= '9' && *end == 0 && number > 0 && number < HB_SPLIT_WORDS_ALL)
    *bound = (size_t)number;
  else
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected a number of sinks from 1 on, or all", word);
  return HB_OK;
}

static void append_bound(const char *name, size_t bound, size_t room, char *text)
{
  char value[24] = "all";
  if (bound == 0) return;
  if (bound != HB_SPLIT_WORDS_ALL) snprintf(value, sizeof value, "%zu", bound);
  append_word(name, value, room, text);
}

/* ---- between the host and OpenGL ---- */

static const double GAIN = 0.03;       /* OpenGL must be faster by more, somewhere; less is noise     */
static const double AFFORDABLE = 0.05; /* seconds that both sources together may take for one block   */
static const double NEAR = 1.1;        /* neighbors of the bound: costs within this factor are alike */
enum { STEP = 4 };

/* ---- from times to a bound ---- */

/* A time that falls with more sinks is noise. */
static struct hb_hybrid_cost cost_at(size_t ni, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost far = costs[count - 1];
  if (count > 1) {
    const struct hb_hybrid_cost *b = &costs[count - 1], *a = b - 1;
    double steps = (double)(ni - b->ni) / (double)(b->ni - a->ni);
    far.host += fmax(0, (b->host - a->host) * steps);
    far.gl += fmax(0, (b->gl - a->gl) * steps);
  }
  far.ni = ni;
  return far;
}

static size_t crossing(const struct hb_hybrid_cost *a, const struct hb_hybrid_cost *b)
{
  double before = a->host - a->gl, after = b->host - b->gl;
  if ((before < 0) == (after < 0)) return b->ni;
  double share = before / (before - after);
  return a->ni + (size_t)ceil(share * (double)(b->ni - a->ni));
}

/* What a choice costs against the better one, as a logarithm: sizes count the same whatever they take. */
static double loss(const struct hb_hybrid_cost *c, int host)
{
  return fmax(0, host ? log(c->host / c->gl) : log(c->gl / c->host));
}

static double total_loss(size_t from, size_t to, const struct hb_hybrid_cost *costs, int host)
{
  double sum = 0;
  for (size_t k = from; k < to; k++) sum += loss(&costs[k], host);
  return sum;
}

/* Tries every place for one bound, with the host on either side of it. */
static struct hb_hybrid_split best_split(size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_split best = HB_HYBRID_HOST;
  double gain = 0, least = total_loss(0, count, costs, 1);
  for (size_t k = 0; k < count; k++) gain = fmax(gain, loss(&costs[k], 1));
  if (gain < GAIN) return best;
  for (size_t k = 0; k < count; k++)
    for (int host_first = 1; host_first >= 0; host_first--) {
      double lost = total_loss(0, k, costs, host_first) + total_loss(k, count, costs, !host_first);
      if (lost >= least || (k == 0 && !host_first)) continue;
      size_t bound = k ? crossing(&costs[k - 1], &costs[k]) : 1;
      least = lost;
      best = host_first ? (struct hb_hybrid_split){bound, HB_HYBRID_ALL} : (struct hb_hybrid_split){1, bound};
    }
  return best;
}

struct hb_hybrid_split hb_hybrid_split_from(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost all[HB_HYBRID_COSTS + 1];
  memcpy(all, costs, count * sizeof *costs);
  if (costs[count - 1].ni < n) all[count] = cost_at(n, count, costs), count++;
  return best_split(count, all);
}

/* A place between the costs on both sides of the bound. */
static size_t between(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  const struct hb_hybrid_split split = hb_hybrid_split_from(n, count, costs);
  size_t bound = split.host_from == HB_HYBRID_ALL ? split.host_below : split.host_from;
  for (size_t k = 1; k < count; k++)
    if (costs[k - 1].ni < bound && bound <= costs[k].ni) {
      double a = (double)costs[k - 1].ni, b = (double)costs[k].ni;
      size_t middle = (size_t)(sqrt(a * b) + 0.5);
      return b > NEAR * a && middle > costs[k - 1].ni && middle < costs[k].ni ? middle : 0;
    }
  return 0;
}

size_t hb_hybrid_split_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  if (count == 0) return 1;
  if (count == HB_HYBRID_COSTS) return 0;
  size_t last = costs[count - 1].ni, next = n / STEP < last ? n : last * STEP;
  const struct hb_hybrid_cost far = cost_at(next, count, costs);
  double affordable = fmax(AFFORDABLE, 2 * (costs[0].host + costs[0].gl));
  if (last < n && far.host + far.gl <= affordable) return next;
  return between(n, count, costs);
}

/* ---- as words ---- */

static enum hb_status take_hybrid_word(const char *word, void *into, int *is_own)
{
  struct hb_hybrid_words *words = into;
  const char *value;
  if ((value = value_of(word, "host_below"))) return parse_bound(word, value, &words->split.host_below);
  if ((value = value_of(word, "host_from"))) return parse_bound(word, value, &words->split.host_from);
  if ((value = value_of(word, "gl"))) {
    words->gl = hb_pairs_scheme_find(value);
    if (words->gl && words->gl->has_tuning) return HB_OK;
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected gl=bag or gl=tile", word);
  }
  *is_own = 0;
  return HB_OK;
}

/* With the bounds that follow from others they may be longer than those that were given. */
static enum hb_status check_length(const char *text, const struct hb_hybrid_words *words)
{
  char printed[HB_SPLIT_WORDS + 1];
  hb_hybrid_words_print(words, sizeof printed, printed);
  return strlen(printed) < HB_SPLIT_WORDS ? HB_OK
                                          : hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
}

enum hb_status hb_hybrid_words_parse(const char *text, struct hb_hybrid_words *words)
{
  *words = (struct hb_hybrid_words){.split = {0, 0}};
  HB_TRY(parse_words(text, take_hybrid_word, words, words->others));
  struct hb_hybrid_split *split = &words->split;
  if (split->host_from && !split->host_below) split->host_below = 1;
  if (split->host_below && !split->host_from) split->host_from = HB_HYBRID_ALL;
  return check_length(text, words);
}

void hb_hybrid_words_print(const struct hb_hybrid_words *words, size_t room, char *text)
{
  const struct hb_hybrid_split *split = &words->split;
  text[0] = 0;
  append_bound("host_below=", split->host_below, room, text);
  if (split->host_below && split->host_from != HB_HYBRID_ALL)
    append_bound("host_from=", split->host_from, room, text);
  if (words->gl) append_word("gl=", words->gl->name, room, text);
  if (*words->others) append_word(words->others, "", room, text);
}

/* ---- shares ---- */

enum { SMALL = 4 /* parts: rounded up, so few would take a tenth longer than the fastest alone */ };

struct hb_shares hb_shares_equal(int count)
{
  struct hb_shares shares = {.count = count};
  for (int k = 0; k < count; k++) shares.part[k] = 1;
  return shares;
}

int hb_shares_takers(const struct hb_shares *shares)
{
  int takers = 0;
  for (int k = 0; k < shares->count; k++) takers += shares->part[k] > 0;
  return takers;
}

struct hb_shares hb_shares_of_rates(int count, const double *rates)
{
  struct hb_shares shares = {.count = count};
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, rates[k]);
  for (int k = 0; k < count; k++) {
    double part = HB_SHARES_WHOLE * rates[k] / most;
    shares.part[k] = (unsigned)(part < SMALL ? part : round(part));
  }
  return shares;
}

void hb_shares_of_alike(int count, const char *const *names, double *rates)
{
  double mean[HB_SHARES_MOST] = {0};
  for (int k = 0; k < count; k++) {
    double sum = 0;
    int alike = 0;
    for (int o = 0; o < count; o++)
      if (strcmp(names[o], names[k]) == 0) sum += rates[o], alike++;
    mean[k] = sum / alike;
  }
  memcpy(rates, mean, (size_t)count * sizeof *rates);
}

size_t hb_shares_cut(const struct hb_shares *shares, int k, size_t n, size_t step)
{
  size_t before = 0, all = 0;
  for (int s = 0; s < shares->count; s++) {
    all += shares->part[s];
    before += s < k ? shares->part[s] : 0;
  }
  if (before == all) return n;
  size_t cut = (size_t)((double)n * (double)before / (double)all / (double)step + 0.5) * step;
  return cut < n ? cut : n;
}

/* As "16:15". Errors: HB_ERR_USAGE with the word. */
static enum hb_status parse_shares(const char *text, struct hb_shares *shares)
{
  const char *at = text;
  *shares = (struct hb_shares){0};
  while (shares->count < HB_SHARES_MOST) {
    char *end;
    long part = strtol(at, &end, 10);
    if (end == at || part < 0 || part > HB_SHARES_WHOLE) break;
    shares->part[shares->count++] = (unsigned)part;
    if (*end == 0 && hb_shares_takers(shares) > 0) return HB_OK;
    if (*end != ':') break;
    at = end + 1;
  }
  return hb_fail(HB_ERR_USAGE,
                 "unknown shares '%s': expected numbers up to %d like 16:15, one a device, not all 0", text,
                 HB_SHARES_WHOLE);
}

void hb_shares_print(const struct hb_shares *shares, size_t room, char *text)
{
  *text = 0;
  for (int k = 0; k < shares->count; k++) {
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%u", k ? ":" : "", shares->part[k]);
  }
}

/* ---- among several devices ---- */

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
  struct hb_hybrid_cost above = cost_at(n, count, all);
  if (above.host <= above.gl) return SIZE_MAX;
  for (size_t k = count; k-- > 0; above = all[k])
    if (all[k].host <= all[k].gl) return crossing(&all[k], &above);
  return 1;
}

size_t hb_devices_plan_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost all[HB_HYBRID_COSTS];
  add_margin(count, costs, all);
  return hb_hybrid_split_ask(n, count, all);
}

/* ---- words ---- */

static enum hb_status take_devices_word(const char *word, void *into, int *is_own)
{
  struct hb_devices_plan *plan = into;
  const char *value;
  if ((value = value_of(word, "shares"))) return parse_shares(value, &plan->shares);
  if ((value = value_of(word, "alone_below"))) return parse_bound(word, value, &plan->alone_below);
  if ((value = value_of(word, "kept_alone_below"))) return parse_bound(word, value, &plan->kept_alone_below);
  *is_own = 0;
  return HB_OK;
}

enum hb_status hb_devices_plan_parse(const char *text, struct hb_devices_plan *plan)
{
  *plan = (struct hb_devices_plan){0};
  return parse_words(text, take_devices_word, plan, plan->others);
}

void hb_devices_plan_print(const struct hb_devices_plan *plan, size_t room, char *text)
{
  char shares[4 * HB_SHARES_MOST];
  text[0] = 0;
  hb_shares_print(&plan->shares, sizeof shares, shares);
  if (plan->shares.count > 0) append_word("shares=", shares, room, text);
  append_bound("alone_below=", plan->alone_below, room, text);
  append_bound("kept_alone_below=", plan->kept_alone_below, room, text);
  if (*plan->others) append_word(plan->others, "", room, text);
}

/* ---- among several ranks ---- */

/* ---- as words ---- */

/* "sinks_from=4096@2": for two ranks. */
static enum hb_status take_ranks_word(const char *word, void *into, int *is_own)
{
  struct hb_ranks_split *split = into;
  const char *value = value_of(word, "sinks_from");
  char number[HB_SPLIT_WORDS], *end;
  size_t bound = 0;
  *is_own = value != NULL;
  if (!value) return HB_OK;
  snprintf(number, sizeof number, "%s", value);
  char *ranks = strchr(number, '@');
  if (ranks) *ranks++ = 0;
  long of = ranks ? strtol(ranks, &end, 10) : split->ranks;
  HB_TRY(parse_bound(word, ranks && (*end || of < 1) ? "" : number, &bound));
  if (of == split->ranks) split->sinks_from = bound;
  return HB_OK;
}

enum hb_status hb_ranks_split_parse(const char *tuning, int ranks, struct hb_ranks_split *split)
{
  *split = (struct hb_ranks_split){.ranks = ranks};
  return parse_words(tuning, take_ranks_word, split, split->others);
}

void hb_ranks_split_print(size_t sinks_from, int ranks, const char *others, size_t room, char *text)
{
  *text = 0;
  append_bound("sinks_from=", sinks_from, room, text);
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
