/* Several devices that share out each block, around a scheme of the all-pairs engine. Each has a context of its own in a
 * thread of its own, the first one in the caller's. A block of few sinks goes to the first alone. Otherwise each device
 * has a part of the sources, for which all sinks are points, and its sums are added to the others', in their order; or,
 * where the sinks are many or the particles stay on the devices, all sources and a part of the sinks.
 *
 * Particles that stay on several devices: each has all of them, predicts all, and walks, and on request corrects, a part of
 * the block's sinks. What one has corrected the others get by way of the host. Blocks of few sinks are the first device's
 * alone: the others get these particles when they are next needed. */
#include "force/devices.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "gl/gl_context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how blocks are shared out ------------------------------------------------------------------------ */

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

/* A bound of 0 is unknown and has no word. */
static void append_bound(const char *name, size_t bound, size_t room, char *text)
{
  char value[24] = "all";
  if (bound == 0) return;
  if (bound != HB_SPLIT_WORDS_ALL) snprintf(value, sizeof value, "%zu", bound);
  hb_tuning_append(name, value, room, text);
}

/* ---- between the host and OpenGL ---- */

/* The host takes blocks of fewer than host_below sinks and those of host_from and more: 1 and up, HYBRID_ALL where no
 * block is that large. host_below 0: not known yet. */
struct hybrid_split {
  size_t host_below, host_from;
};
#define HYBRID_ALL HB_SPLIT_WORDS_ALL

/* Everything on one side: to the host, or to OpenGL. */
#define HYBRID_HOST ((struct hybrid_split){HYBRID_ALL, HYBRID_ALL})
#define HYBRID_GL   ((struct hybrid_split){1, HYBRID_ALL})

static inline int hybrid_split_host(const struct hybrid_split *split, size_t ni)
{
  return ni < split->host_below || ni >= split->host_from;
}

static const double GAIN = 0.03;       /* OpenGL must be faster by more, somewhere; less is noise     */
static const double AFFORDABLE = 0.05; /* seconds that both sources together may take for one block   */
static const double NEAR = 1.1;        /* neighbors of the bound: costs within this factor are alike */
enum { STEP = 4 };

/* ---- from times to a bound ---- */

/* Seconds from sending the sources to having the forces of ni sinks. */
struct hybrid_cost {
  size_t ni;
  double host, gl;
};

enum { HYBRID_COSTS = 40 }; /* more are never asked for */

/* A time that falls with more sinks is noise. */
static struct hybrid_cost cost_at(size_t ni, size_t count, const struct hybrid_cost *costs)
{
  struct hybrid_cost far = costs[count - 1];
  if (count > 1) {
    const struct hybrid_cost *b = &costs[count - 1], *a = b - 1;
    double steps = (double)(ni - b->ni) / (double)(b->ni - a->ni);
    far.host += fmax(0, (b->host - a->host) * steps);
    far.gl += fmax(0, (b->gl - a->gl) * steps);
  }
  far.ni = ni;
  return far;
}

static size_t crossing(const struct hybrid_cost *a, const struct hybrid_cost *b)
{
  double before = a->host - a->gl, after = b->host - b->gl;
  if ((before < 0) == (after < 0)) return b->ni;
  double share = before / (before - after);
  return a->ni + (size_t)ceil(share * (double)(b->ni - a->ni));
}

/* What a choice costs against the better one, as a logarithm: sizes count the same whatever they take. */
static double loss(const struct hybrid_cost *c, int host)
{
  return fmax(0, host ? log(c->host / c->gl) : log(c->gl / c->host));
}

static double total_loss(size_t from, size_t to, const struct hybrid_cost *costs, int host)
{
  double sum = 0;
  for (size_t k = from; k < to; k++) sum += loss(&costs[k], host);
  return sum;
}

/* Tries every place for one bound, with the host on either side of it. */
static struct hybrid_split best_split(size_t count, const struct hybrid_cost *costs)
{
  struct hybrid_split best = HYBRID_HOST;
  double gain = 0, least = total_loss(0, count, costs, 1);
  for (size_t k = 0; k < count; k++) gain = fmax(gain, loss(&costs[k], 1));
  if (gain < GAIN) return best;
  for (size_t k = 0; k < count; k++)
    for (int host_first = 1; host_first >= 0; host_first--) {
      double lost = total_loss(0, k, costs, host_first) + total_loss(k, count, costs, !host_first);
      if (lost >= least || (k == 0 && !host_first)) continue;
      size_t bound = k ? crossing(&costs[k - 1], &costs[k]) : 1;
      least = lost;
      best = host_first ? (struct hybrid_split){bound, HYBRID_ALL} : (struct hybrid_split){1, bound};
    }
  return best;
}

/* The bound that loses least against the faster of the two, over costs[count] in ascending ni. For a given N the time
 * of a block is affine in ni ([PZ07] eqs 10 to 16: a + b ni nj + c ni + d), so between two costs and from the last one
 * to n it is taken to be. Where OpenGL gains no more than noise, everything goes to the host. count > 0. */
static struct hybrid_split hybrid_split_from(size_t n, size_t count, const struct hybrid_cost *costs)
{
  struct hybrid_cost all[HYBRID_COSTS + 1];
  memcpy(all, costs, count * sizeof *costs);
  if (costs[count - 1].ni < n) all[count] = cost_at(n, count, costs), count++;
  return best_split(count, all);
}

/* A place between the costs on both sides of the bound. */
static size_t between(size_t n, size_t count, const struct hybrid_cost *costs)
{
  const struct hybrid_split split = hybrid_split_from(n, count, costs);
  size_t bound = split.host_from == HYBRID_ALL ? split.host_below : split.host_from;
  for (size_t k = 1; k < count; k++)
    if (costs[k - 1].ni < bound && bound <= costs[k].ni) {
      double a = (double)costs[k - 1].ni, b = (double)costs[k].ni;
      size_t middle = (size_t)(sqrt(a * b) + 0.5);
      return b > NEAR * a && middle > costs[k - 1].ni && middle < costs[k].ni ? middle : 0;
    }
  return 0;
}

/* The number of sinks to measure next: from 1 up to n by factors of four while that takes a twentieth of a second at most,
 * then between the costs on both sides of the bound; 0 when these are close enough. */
static size_t hybrid_split_ask(size_t n, size_t count, const struct hybrid_cost *costs)
{
  if (count == 0) return 1;
  if (count == HYBRID_COSTS) return 0;
  size_t last = costs[count - 1].ni, next = n / STEP < last ? n : last * STEP;
  const struct hybrid_cost far = cost_at(next, count, costs);
  double affordable = fmax(AFFORDABLE, 2 * (costs[0].host + costs[0].gl));
  if (last < n && far.host + far.gl <= affordable) return next;
  return between(n, count, costs);
}

/* ---- as words ---- */

/* A tuning of hybrid, "host_below=128 gl=tile i_each=4 unroll=8": its own words and those of the source on OpenGL. */
struct hybrid_words {
  struct hybrid_split split;        /* host_below 0 without a word for it */
  const struct hb_pairs_scheme *gl; /* bag or tile; NULL without */
  char others[HB_TUNING_WORDS];
};

static enum hb_status take_hybrid_word(const char *word, void *into, int *is_own)
{
  struct hybrid_words *words = into;
  const char *value;
  if ((value = hb_tuning_value(word, "host_below")))
    return parse_bound(word, value, &words->split.host_below);
  if ((value = hb_tuning_value(word, "host_from"))) return parse_bound(word, value, &words->split.host_from);
  if ((value = hb_tuning_value(word, "gl"))) {
    words->gl = hb_pairs_scheme_find(value);
    if (words->gl && words->gl->has_tuning) return HB_OK;
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected gl=bag or gl=tile", word);
  }
  *is_own = 0;
  return HB_OK;
}

static void hybrid_words_print(const struct hybrid_words *words, size_t room, char *text)
{
  const struct hybrid_split *split = &words->split;
  text[0] = 0;
  append_bound("host_below", split->host_below, room, text);
  if (split->host_below && split->host_from != HYBRID_ALL)
    append_bound("host_from", split->host_from, room, text);
  if (words->gl) hb_tuning_append("gl", words->gl->name, room, text);
  if (*words->others) hb_tuning_append(words->others, NULL, room, text);
}

/* With the bounds that follow from others they may be longer than those that were given. */
static enum hb_status check_length(const char *text, const struct hybrid_words *words)
{
  char printed[HB_TUNING_WORDS + 1];
  hybrid_words_print(words, sizeof printed, printed);
  return strlen(printed) < HB_TUNING_WORDS ? HB_OK
                                           : hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
}

/* host_below and host_from are numbers from 1 on or "all". text may be NULL. Errors: HB_ERR_USAGE with the word. */
static enum hb_status hybrid_words_parse(const char *text, struct hybrid_words *words)
{
  *words = (struct hybrid_words){.split = {0, 0}};
  HB_TRY(hb_tuning_words(text, take_hybrid_word, words, words->others));
  struct hybrid_split *split = &words->split;
  if (split->host_from && !split->host_below) split->host_below = 1;
  if (split->host_below && !split->host_from) split->host_from = HYBRID_ALL;
  return check_length(text, words);
}

/* ---- shares ---- */

enum { SMALL = 4 /* parts: rounded up, so few would take a tenth longer than the fastest alone */ };

static struct hb_shares shares_equal(int count)
{
  struct hb_shares shares = {.count = count};
  for (int k = 0; k < count; k++) shares.part[k] = 1;
  return shares;
}

/* Those that take part. */
static int shares_takers(const struct hb_shares *shares)
{
  int takers = 0;
  for (int k = 0; k < shares->count; k++) takers += shares->part[k] > 0;
  return takers;
}

/* Proportional to rates[count] > 0, the fastest has HB_SHARES_WHOLE: coarse, so that equal devices, measured with some noise,
 * have equal shares. A small one is rounded down, to 0 if need be: the others must not wait for it. */
static struct hb_shares shares_of_rates(int count, const double *rates)
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

/* Devices of one name get their mean rate: what differs between them is noise. */
static void shares_of_alike(int count, const char *const *names, double *rates)
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

/* Shares of sources begin where a stretch of sources begins that is summed as one, in any precision. */
enum { SHARES_OF_SOURCES = 64, SHARES_OF_SINKS = 1 };

/* Where share k of n things begins, and that of the one before ends: a multiple of step; k = count: n. */
static size_t shares_cut(const struct hb_shares *shares, int k, size_t n, size_t step)
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
    if (*end == 0 && shares_takers(shares) > 0) return HB_OK;
    if (*end != ':') break;
    at = end + 1;
  }
  return hb_fail(HB_ERR_USAGE,
                 "unknown shares '%s': expected numbers up to %d like 16:15, one a device, not all 0", text,
                 HB_SHARES_WHOLE);
}

static void shares_print(const struct hb_shares *shares, size_t room, char *text)
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

/* Without measuring: the number of sinks from which several devices are taken for so many sources. */
static size_t devices_plan_rule(size_t nj)
{
  double bound = PAIRS_WORTH_SHARING / (double)nj;
  return bound > 1 ? (size_t)bound : 1;
}

/* The first device alone; or each device has a part of the sources, and sums are added; or all sources, and a part of the
 * sinks. */
enum devices_way { DEVICES_ALONE, DEVICES_BY_SOURCES, DEVICES_BY_SINKS };

/* Of sources that have to be sent: whatever makes less travel to and from each device. All of the particles are sinks at the
 * start and for diagnostics, when alone_below may not be known, and is asked only whether it is SIZE_MAX. */
static enum devices_way devices_plan_way(const struct hb_devices_plan *plan, size_t ni, size_t nj)
{
  int by_rule = ni == nj && plan->alone_below != SIZE_MAX, takers = shares_takers(&plan->shares);
  double each = 1. / takers, i = (double)ni, j = (double)nj;
  if (takers < 2 || ni < (by_rule ? devices_plan_rule(nj) : plan->alone_below)) return DEVICES_ALONE;
  double by_sources = SOURCE * j * each + (SOURCE + NUMBER + RESULT) * i;
  double by_sinks = SOURCE * j + (NUMBER + RESULT) * i * each;
  return by_sources < by_sinks ? DEVICES_BY_SOURCES : DEVICES_BY_SINKS;
}

/* ---- the bound ---- */

/* What a call takes, from seconds[count] of so many, which are reordered: the mean of all but the longest sixteenth. The mean is what
 * a run pays; one call that another process has delayed for a time slice would outweigh all others. */
static double devices_plan_usual(size_t count, double *seconds)
{
  double sum = 0;
  size_t counted = count - count / 16;
  qsort(seconds, count, sizeof *seconds, hb_ascending_doubles);
  for (size_t k = 0; k < counted; k++) sum += seconds[k];
  return sum / (double)counted;
}

static const double DEVICES_MARGIN = 0.05;

/* So that the margin is where the two cross. */
static void add_margin(size_t count, const struct hybrid_cost *costs, struct hybrid_cost *all)
{
  memcpy(all, costs, count * sizeof *costs);
  for (size_t k = 0; k < count; k++) all[k].gl *= 1 + DEVICES_MARGIN;
}

/* The bound from costs[count] in ascending ni, of one device (host) and of all (gl): the least above which all of them are the
 * faster at every size that was measured and at n, by more than DEVICES_MARGIN. */
static size_t devices_plan_bound(size_t n, size_t count, const struct hybrid_cost *costs)
{
  struct hybrid_cost all[HYBRID_COSTS];
  add_margin(count, costs, all);
  struct hybrid_cost above = cost_at(n, count, all);
  if (above.host <= above.gl) return SIZE_MAX;
  for (size_t k = count; k-- > 0; above = all[k])
    if (all[k].host <= all[k].gl) return crossing(&all[k], &above);
  return 1;
}

/* The number of sinks to measure next for it; 0: enough are known. */
static size_t devices_plan_ask(size_t n, size_t count, const struct hybrid_cost *costs)
{
  struct hybrid_cost all[HYBRID_COSTS];
  add_margin(count, costs, all);
  return hybrid_split_ask(n, count, all);
}

/* ---- words ---- */

static enum hb_status take_devices_word(const char *word, void *into, int *is_own)
{
  struct hb_devices_plan *plan = into;
  const char *value;
  if ((value = hb_tuning_value(word, "shares"))) return parse_shares(value, &plan->shares);
  if ((value = hb_tuning_value(word, "alone_below"))) return parse_bound(word, value, &plan->alone_below);
  if ((value = hb_tuning_value(word, "kept_alone_below")))
    return parse_bound(word, value, &plan->kept_alone_below);
  *is_own = 0;
  return HB_OK;
}

enum hb_status hb_devices_plan_parse(const char *text, struct hb_devices_plan *plan)
{
  *plan = (struct hb_devices_plan){0};
  return hb_tuning_words(text, take_devices_word, plan, plan->others);
}

static void devices_plan_print(const struct hb_devices_plan *plan, size_t room, char *text)
{
  char shares[4 * HB_SHARES_MOST];
  text[0] = 0;
  shares_print(&plan->shares, sizeof shares, shares);
  if (plan->shares.count > 0) hb_tuning_append("shares", shares, room, text);
  append_bound("alone_below", plan->alone_below, room, text);
  append_bound("kept_alone_below", plan->kept_alone_below, room, text);
  if (*plan->others) hb_tuning_append(plan->others, NULL, room, text);
}

/* ---- among several ranks ---- */

/* ---- as words ---- */

/* "sinks_from=4096@2": for two ranks. */
static enum hb_status take_ranks_word(const char *word, void *into, int *is_own)
{
  struct hb_ranks_split *split = into;
  const char *value = hb_tuning_value(word, "sinks_from");
  char number[HB_TUNING_WORDS], *end;
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
  return hb_tuning_words(tuning, take_ranks_word, split, split->others);
}

void hb_ranks_split_print(size_t sinks_from, int ranks, const char *others, size_t room, char *text)
{
  *text = 0;
  append_bound("sinks_from", sinks_from, room, text);
  size_t used = strlen(text);
  snprintf(text + used, room - used, "@%d%s%s", ranks, *others ? " " : "", others);
}

/* ---- the bound ---- */

size_t hb_ranks_split_from(const struct hb_ranks_cost few, const struct hb_ranks_cost many)
{
  double more = (double)(many.ni - few.ni);
  double slope = ((many.by_sources - few.by_sources) - (many.by_sinks - few.by_sinks)) / more;
  double gain = few.by_sources - few.by_sinks; /* of sharing out by sinks, which grows by slope for each */
  if (!(slope > 0)) return gain > 0 && many.by_sources > many.by_sinks ? 1 : HB_RANKS_SPLIT_NEVER;
  double from = (double)few.ni - gain / slope;
  return from < 1 ? 1 : from < 0x1p53 ? (size_t)ceil(from) : HB_RANKS_SPLIT_NEVER;
}

/* ---- a part: one device and its thread ------------------------------------------------------------------ */

enum { PIECE = 1024, ALONE = 4 * PIECE /* sinks that are moved before a second thread has woken up */ };

struct hb_force_job hb_part_some(const struct hb_force_job *job, size_t first, size_t count)
{
  struct hb_force_job some = *job;
  some.sinks.n = count;
  if (first == 0) return some;
  some.sinks.index += first;
  if (job->sinks.x) some.sinks.x += 3 * first, some.sinks.v += 3 * first;
  if (job->words.totals)
    some.words.scale += first, some.words.totals += first;
  else
    some.to.a += 3 * first, some.to.j += 3 * first, some.to.phi += first;
  return some;
}

/* ---- sums ---- */

static enum hb_status part_sums_reserve(const struct hb_force_job *like, size_t n, struct hb_part_sums *sums)
{
  if (like->words.units) return HB_ALLOC(n, &sums->totals);
  HB_TRY(HB_ALLOC(7 * n, &sums->to.a));
  sums->to.j = sums->to.a + 3 * n;
  sums->to.phi = sums->to.a + 6 * n;
  return HB_OK;
}

static void part_sums_free(struct hb_part_sums *sums)
{
  HB_FREE(sums->to.a, sums->totals);
  *sums = (struct hb_part_sums){0};
}

struct adding {
  const struct hb_part_sums *more, *into;
};

static void add_piece(void *context, size_t from, size_t end)
{
  const struct adding *s = context;
  const struct hb_part_sums *more = s->more, *into = s->into;
  for (size_t i = from; into->totals && i < end; i++) hb_fixed_add(&into->totals[i], &more->totals[i]);
  if (into->totals) return;
  for (size_t k = 3 * from; k < 3 * end; k++) {
    into->to.a[k] += more->to.a[k];
    into->to.j[k] += more->to.j[k];
  }
  for (size_t i = from; i < end; i++) into->to.phi[i] += more->to.phi[i];
}

void hb_part_add(size_t n, const struct hb_part_sums *more, const struct hb_part_sums *into)
{
  hb_parallel_pieces(n, PIECE, ALONE, add_piece, &(struct adding){more, into});
}

/* ---- a part of the sources ---- */

void hb_part_free(struct hb_part *part)
{
  hb_mem_free(part->own);
  *part = (struct hb_part){0};
}

enum hb_status hb_part_send(struct hb_part *part, size_t begin, size_t end, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  part->begin = begin;
  part->end = end;
  if (begin == end) return HB_OK;
  return part->ops->begin(part->state, &(struct hb_force_job){.sources = {end - begin, s->m + begin,
                                                                          s->x + 3 * begin, s->v + 3 * begin},
                                                              .words.units = job->words.units,
                                                              .spent = job->spent,
                                                              .since = job->since});
}

static enum hb_status nothing(const struct hb_force_job *job)
{
  size_t n = job->sinks.n;
  if (job->words.totals) {
    memset(job->words.totals, 0, n * sizeof *job->words.totals);
    return HB_OK;
  }
  memset(job->to.a, 0, 3 * n * sizeof *job->to.a);
  memset(job->to.j, 0, 3 * n * sizeof *job->to.j);
  memset(job->to.phi, 0, n * sizeof *job->to.phi);
  return HB_OK;
}

/* The numbers of the sinks among the part's own sources. */
static enum hb_status number_again(struct hb_part *part, const struct hb_force_sinks *sinks)
{
  size_t begin = part->begin, end = part->end;
  HB_TRY(HB_RENEW(sinks->n, &part->room, HB_ARRAY(1, &part->own)));
  for (size_t i = 0; i < sinks->n; i++) {
    uint32_t own = sinks->index[i];
    part->own[i] = own >= begin && own < end ? own - (uint32_t)begin : HB_NO_SOURCE;
  }
  return HB_OK;
}

enum hb_status hb_part_begin(struct hb_part *part, const struct hb_force_job *job)
{
  struct hb_force_job own = *job;
  own.sources = (struct hb_force_sources){0};
  if (part->begin == part->end) return nothing(job);
  if (job->sinks.x) {
    HB_TRY(number_again(part, &job->sinks));
    own.sinks.index = part->own;
  }
  return part->ops->begin(part->state, &own);
}

enum hb_status hb_part_finish(struct hb_part *part, const struct hb_force_job *job)
{
  return part->ops->finish && part->begin < part->end ? part->ops->finish(part->state, job) : HB_OK;
}

/* ---- sinks as points ---- */

struct filling {
  const struct hb_part_points *points;
  const struct hb_force_sources *sources;
  const struct hb_force_sinks *sinks;
};

static void fill_piece(void *context, size_t i, size_t end)
{
  const struct filling *f = context;
  for (; i < end; i++) {
    size_t of = f->sinks->index[i];
    memcpy(f->points->x + 3 * i, f->sources->x + 3 * of, 3 * sizeof(double));
    memcpy(f->points->v + 3 * i, f->sources->v + 3 * of, 3 * sizeof(double));
  }
}

enum hb_status hb_part_points_fill(struct hb_part_points *points, const struct hb_force_sources *sources,
                                   struct hb_force_sinks *sinks)
{
  size_t n = sinks->n;
  HB_TRY(HB_RENEW(n, &points->room, HB_ARRAY(3, &points->x), HB_ARRAY(3, &points->v)));
  hb_parallel_pieces(n, PIECE, ALONE, fill_piece, &(struct filling){points, sources, sinks});
  sinks->x = points->x;
  sinks->v = points->v;
  return HB_OK;
}

void hb_part_points_free(struct hb_part_points *points)
{
  HB_FREE(points->x, points->v);
  *points = (struct hb_part_points){0};
}

/* ---- to be timed ---- */

/* A job to be timed, on sinks spread evenly over n particles, others each time; what they feel nobody reads. Starts as zeros. */
struct trial {
  struct hb_force_job job;
  size_t n, turn;
  uint32_t *index, *scale; /* [n] */
  struct hb_part_sums sums;
};

/* Two ways, 0 and 1, to do a job, from the sources to the forces, as in a block step; and what of some samples is the cost. */
struct trial_ways {
  void *owner;
  enum hb_status (*cycle)(void *owner, struct trial *trial, int way, double *seconds);
  size_t (*ask)(size_t n, size_t count,
                const struct hybrid_cost *costs); /* sinks to measure next; 0: enough are known */
  double (*usual)(size_t count, double *seconds);
  double (*clock)(void);
  const char *name[2];
};

static enum hb_status trial_reserve(const struct hb_force_job *like, size_t n, struct trial *trial)
{
  const struct hb_reproducible_units *units = like->words.units;
  *trial = (struct trial){.n = n, .job = {.sources = like->sources}};
  HB_TRY(HB_ALLOC(n, &trial->index));
  if (units) HB_TRY(HB_ALLOC(n, &trial->scale));
  for (size_t k = 0; units && k < n; k++) trial->scale[k] = hb_reproducible_scale(units, 0); /* any will do */
  int has_room = !units && like->to.a && like->sinks.n == n; /* which the forces will fill anyway */
  if (!has_room) HB_TRY(part_sums_reserve(like, n, &trial->sums));
  trial->job.sinks.index = trial->index;
  trial->job.to = has_room ? like->to : trial->sums.to;
  trial->job.words = (struct hb_force_words){units, trial->scale, trial->sums.totals};
  return HB_OK;
}

static void trial_free(struct trial *trial)
{
  HB_FREE(trial->index, trial->scale);
  part_sums_free(&trial->sums);
}

static void trial_choose(struct trial *trial, size_t ni)
{
  size_t n = trial->n, turn = trial->turn++;
  trial->job.sinks.n = ni;
  for (size_t k = 0; k < ni; k++) trial->index[k] = (uint32_t)((k * n / ni + turn) % n);
}

static const double COST_SECONDS = 0.02; /* for the samples of one cost, if enough of them fit */
enum { SAMPLES_LEAST = 3, SAMPLES_MOST = 31 };

/* The two take turns, so that a disturbance affects both. The first turn does not count. */
static enum hb_status measure_cost(const struct trial_ways *w, struct trial *trial, struct hybrid_cost *cost)
{
  double seconds[2][SAMPLES_MOST], first;
  size_t count = 0;
  for (int way = 0; way < 2; way++) {
    trial_choose(trial, cost->ni);
    HB_TRY(w->cycle(w->owner, trial, way, &first));
  }
  double begin = w->clock();
  do {
    for (int way = 0; way < 2; way++) {
      trial_choose(trial, cost->ni);
      HB_TRY(w->cycle(w->owner, trial, way, &seconds[way][count]));
    }
    count++;
  } while (count < SAMPLES_LEAST || (count < SAMPLES_MOST && w->clock() - begin < COST_SECONDS));
  cost->host = w->usual(count, seconds[0]);
  cost->gl = w->usual(count, seconds[1]);
  return HB_OK;
}

/* costs[*count], in ascending numbers of sinks. */
static enum hb_status trial_measure(const struct trial_ways *w, struct trial *trial, size_t *count,
                                    struct hybrid_cost costs[HYBRID_COSTS])
{
  struct hybrid_cost cost;
  *count = 0;
  while ((cost.ni = w->ask(trial->n, *count, costs)) > 0) {
    HB_TRY(measure_cost(w, trial, &cost));
    size_t place = (*count)++;
    for (; place > 0 && costs[place - 1].ni > cost.ni; place--) costs[place] = costs[place - 1];
    costs[place] = cost;
    hb_log("%zu of %zu: %s %.3g ms, %s %.3g ms", cost.ni, trial->n, w->name[0], 1e3 * cost.host, w->name[1],
           1e3 * cost.gl);
  }
  return HB_OK;
}

/* The sources that a device has: none, a part of those that were set, all of them, or all that are kept, predicted. */
enum devices_sources { DEVICES_NONE, DEVICES_PART, DEVICES_ALL, DEVICES_PREDICTED };

struct devices_member {
  struct devices *devices;
  int k;
  char name[64];
  struct hb_worker *worker; /* NULL for the first one, which is in the thread of the caller */
  struct hb_part part;      /* the scheme that walks, opened on this device */
  void *records;            /* of particles that it keeps */
  enum devices_sources has;
  size_t first, count; /* its sinks in this call; of its part of the sources: all */
  size_t done;         /* sources of its part, or sinks, that it has finished in this call */
  struct hb_part_sums
      sums; /* [room] over its part of the sources: of the others, to be added to the first one's */
  size_t room;
  double rate; /* pairs a second, as measured */
  enum hb_status (*work)(struct devices_member *member);
  struct hb_force_news news; /* of particles that it has corrected, for the others; count 0: none */
};

struct devices {
  const struct hb_force_ops *ops; /* the scheme that walks */
  struct hb_force_params params;  /* strings of the handle's, but for the tuning */
  struct hb_devices_plan plan;
  int measures; /* 0: HB_FORCE_NO_TUNE */
  double (*clock)(void);
  int is_prepared; /* by prepare() */
  int count;
  struct devices_member member[HB_SHARES_MOST];
  struct hb_gl_context *opened; /* for the first device, while it is being opened */

  struct hb_force_sources j; /* the caller's, or in own[7 * room]; n 0: those that are kept */
  double *own;
  size_t room;

  enum devices_way way;
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

/* ---- threads ---- */

static enum hb_status run_member(struct devices_member *m)
{
  enum hb_status status = m->work(m);
  return status == HB_OK || m->devices->count == 1 ? status
                                                   : hb_fail(status, "device %s: %s", m->name, hb_error());
}

static enum hb_status run_in_thread(void *member) { return run_member(member); }

/* The same in two halves: the others begin; and end, when the first one has done its own with this status. */
static void start_others(struct devices *d, enum hb_status (*work)(struct devices_member *member))
{
  for (int k = 0; k < d->count; k++) {
    struct devices_member *m = &d->member[k];
    m->work = work;
    if (m->worker) hb_worker_start(m->worker, run_in_thread, m);
  }
}

/* All of them are waited for. */
static enum hb_status join_others(struct devices *d, enum hb_status first)
{
  char sentence[1024];
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  enum hb_status status = first;
  for (int k = 0; k < d->count; k++) {
    struct devices_member *m = &d->member[k];
    enum hb_status its = m->worker ? hb_worker_wait(m->worker) : HB_OK;
    if (status != HB_OK || its == HB_OK) continue;
    status = its;
    snprintf(sentence, sizeof sentence, "%s", hb_error());
  }
  return status == HB_OK ? HB_OK : hb_fail(status, "%s", sentence);
}

/* Every device does it, the first one in the thread of the caller; the first failure counts, with the device's name. */
static enum hb_status each(struct devices *d, enum hb_status (*work)(struct devices_member *member))
{
  start_others(d, work);
  return join_others(d, run_member(&d->member[0]));
}

/* ---- what one has corrected reaches the others ---- */

static const struct hb_force_resident_ops *ops_of(const struct devices_member *m)
{
  return m->devices->ops->resident;
}

static enum hb_status tell_nothing(struct devices_member *m)
{
  return ops_of(m)->take(m->records, 0, NULL, &m->news);
}

/* Whether particles can go from one device to the others at all; else the host sends them to each. */
static int can_tell(struct devices *d)
{
  if (d->kept.tells < 0) d->kept.tells = each(d, tell_nothing) == HB_OK;
  return d->kept.tells;
}

/* The first device tells what it has corrected alone; the others catch up, each by itself, before they predict. */
static enum hb_status devices_tell_late(struct devices *d)
{
  struct devices_member *first = &d->member[0];
  d->kept.late.count = 0;
  if (d->kept.behind_count == 0) return HB_OK;
  HB_TRY(ops_of(first)->take(first->records, d->kept.behind_count, d->kept.behind, &d->kept.late));
  for (size_t k = 0; k < d->kept.behind_count; k++) d->kept.is_behind[d->kept.behind[k]] = 0;
  d->kept.behind_count = 0;
  return HB_OK;
}

static enum hb_status devices_catch_up(struct devices_member *m)
{
  const struct hb_force_news *late = &m->devices->kept.late;
  return m->k > 0 && late->count > 0 ? ops_of(m)->give(m->records, late) : HB_OK;
}

/* A device takes over what the others have told. All exchange their sinks of this call. */
static enum hb_status learn_others(struct devices_member *m)
{
  const struct devices *d = m->devices;
  for (int k = 0; k < d->count; k++) {
    const struct hb_force_news *news = &d->member[k].news;
    if (k != m->k && news->count > 0) HB_TRY(ops_of(m)->give(m->records, news));
  }
  return HB_OK;
}

static enum hb_status take_own(struct devices_member *m)
{
  return ops_of(m)->take(m->records, m->count, m->devices->job.sinks.index + m->first, &m->news);
}

static enum hb_status exchange(struct devices *d)
{
  HB_TRY(each(d, take_own));
  return each(d, learn_others);
}

/* ---- forces ---- */

/* Which sinks a device has. */
static void divide_sinks(struct devices *d)
{
  for (int k = 0; k < d->count; k++) {
    struct devices_member *m = &d->member[k];
    m->done = 0;
    size_t end = shares_cut(&d->plan.shares, k + 1, d->job.sinks.n, SHARES_OF_SINKS);
    m->first = shares_cut(&d->plan.shares, k, d->job.sinks.n, SHARES_OF_SINKS);
    m->count = end - m->first;
    if (d->way == DEVICES_BY_SINKS) continue;
    m->first = 0;
    m->count = d->way == DEVICES_ALONE && k > 0 ? 0 : d->job.sinks.n;
  }
}

/* ---- sources ---- */

static enum hb_status send_sources(struct devices_member *m, enum devices_sources wanted)
{
  const struct devices *d = m->devices;
  int all = wanted == DEVICES_ALL;
  size_t begin_member = all ? 0 : shares_cut(&d->plan.shares, m->k, d->j.n, SHARES_OF_SOURCES);
  size_t end = all ? d->j.n : shares_cut(&d->plan.shares, m->k + 1, d->j.n, SHARES_OF_SOURCES);
  if (m->has == wanted) return HB_OK;
  struct hb_force_job own = d->job;
  own.sources = d->j;
  if (m->k > 0) own.spent = NULL; /* the first one's time counts */
  m->has = DEVICES_NONE;
  HB_TRY(hb_part_send(&m->part, begin_member, end, &own));
  m->has = wanted;
  return HB_OK;
}

static enum hb_status predict_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  if (m->has == DEVICES_PREDICTED) return HB_OK;
  HB_TRY(d->ops->resident->predict(m->records, d->kept.dt));
  m->has = DEVICES_PREDICTED;
  m->part.begin = 0;
  m->part.end = d->kept.n;
  return HB_OK;
}

/* What a device does at the beginning; for the measurement of its rate. */
static enum hb_status send_needed(struct devices_member *m)
{
  const struct devices *d = m->devices;
  if (m->count == 0) return HB_OK;
  if (d->j.n == 0) return predict_member(m);
  return send_sources(m, d->way == DEVICES_BY_SOURCES ? DEVICES_PART : DEVICES_ALL);
}

/* ---- sinks ---- */

/* What the first device sums over its part goes where the others' sums are added to it. */
static enum hb_status reserve_sums(struct devices_member *m, const struct hb_force_job *job)
{
  if (job->sinks.n <= m->room) return HB_OK;
  m->room = 0;
  part_sums_free(&m->sums);
  HB_TRY(part_sums_reserve(job, job->sinks.n, &m->sums));
  m->room = job->sinks.n;
  return HB_OK;
}

/* Its job. */
static struct hb_force_job job_of(const struct devices_member *m)
{
  const struct devices *d = m->devices;
  struct hb_force_job own = hb_part_some(&d->job, m->first, m->count);
  if (m->k == 0) return own;
  own.spent = NULL; /* the first one's time counts */
  if (d->way != DEVICES_BY_SOURCES) return own;
  own.to = m->sums.to;
  own.words.totals = m->sums.totals;
  return own;
}

static enum hb_status begin_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  if (d->j.n == 0 && d->way != DEVICES_ALONE) HB_TRY(devices_catch_up(m));
  HB_TRY(send_needed(m));
  if (m->count == 0) return HB_OK;
  if (d->way == DEVICES_BY_SOURCES && m->k > 0) HB_TRY(reserve_sums(m, &d->job));
  const struct hb_force_job own = job_of(m);
  return hb_part_begin(&m->part, &own);
}

static enum hb_status finish_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  const struct hb_force_job own = job_of(m);
  m->done = d->way == DEVICES_BY_SOURCES ? m->part.end - m->part.begin : m->count;
  return m->count ? hb_part_finish(&m->part, &own) : HB_OK;
}

/* The walk of each device proves that it is complete (src/README.md), and this that all of them together are. */
static enum hb_status check_whole(const struct devices *d)
{
  size_t done = 0, all = d->way == DEVICES_BY_SOURCES ? d->j.n : d->job.sinks.n;
  for (int k = 0; k < d->count; k++) done += d->member[k].done;
  if (done == all) return HB_OK;
  return hb_fail(HB_ERR_INTERNAL, "%d devices together did %zu of %zu %s", d->count, done, all,
                 d->way == DEVICES_BY_SOURCES ? "sources" : "sinks");
}

static enum hb_status begin_and_finish(struct devices_member *m)
{
  HB_TRY(begin_member(m));
  return finish_member(m);
}

/* The devices get the sources that they lack, and begin; then results are complete. After a failure to begin nobody is
 * working any more. */
static enum hb_status begin_all(struct devices *d)
{
  divide_sinks(d);
  if (d->way == DEVICES_BY_SOURCES && !d->job.sinks.x)
    HB_TRY(hb_part_points_fill(&d->points, &d->j, &d->job.sinks));
  if (d->j.n == 0 && d->way != DEVICES_ALONE) HB_TRY(devices_tell_late(d));
  if (d->way != DEVICES_ALONE) start_others(d, begin_and_finish);
  enum hb_status status = begin_member(&d->member[0]);
  return status == HB_OK ? HB_OK : join_others(d, status);
}

static enum hb_status finish_all(struct devices *d)
{
  HB_TRY(join_others(d, finish_member(&d->member[0])));
  HB_TRY(check_whole(d));
  const struct hb_part_sums all = {d->job.to, d->job.words.totals};
  if (d->way == DEVICES_BY_SOURCES) /* in the order of the devices, whichever was first */
    for (int k = 1; k < d->count; k++) hb_part_add(d->job.sinks.n, &d->member[k].sums, &all);
  return HB_OK;
}

/* ---- measuring ---- */

static const double WARM_UP_SECONDS = 0.1; /* a GPU that was idle takes its time to raise its clock */
static const double RATE_SECONDS = 2e-3;   /* a walk that takes as long shows the rate, not the latency */
enum { RATE_SINKS = 64, RATE_SAMPLES = 3 };

/* ---- rates ---- */

static enum hb_status time_walk(struct devices_member *m, size_t ni, struct trial *t, double *seconds)
{
  trial_choose(t, ni);
  double start = hb_clock_now();
  HB_TRY(hb_part_begin(&m->part, &t->job));
  HB_TRY(hb_part_finish(&m->part, &t->job));
  *seconds = hb_clock_now() - start;
  return HB_OK;
}

/* The shortest of some walks, the first of which does not count: a compiler's speed is not the device's. A single one may take
 * as long as a compiler that is at work for another device. */
static enum hb_status time_shortest(struct devices_member *m, size_t ni, struct trial *t, double *shortest)
{
  double seconds;
  HB_TRY(time_walk(m, ni, t, &seconds));
  *shortest = INFINITY;
  for (int k = 0; k < RATE_SAMPLES; k++) {
    HB_TRY(time_walk(m, ni, t, &seconds));
    *shortest = fmin(*shortest, seconds);
  }
  return HB_OK;
}

/* With as many sinks as take long enough. */
static enum hb_status find_rate(struct devices_member *m, struct trial *t)
{
  size_t n = t->n, ni = n < RATE_SINKS ? n : RATE_SINKS;
  double seconds;
  for (double begin = hb_clock_now(); hb_clock_now() - begin < WARM_UP_SECONDS;)
    HB_TRY(time_walk(m, ni, t, &seconds));
  HB_TRY(time_shortest(m, ni, t, &seconds));
  while (seconds < RATE_SECONDS && ni < n) {
    ni = 4 * ni < n ? 4 * ni : n;
    HB_TRY(time_shortest(m, ni, t, &seconds));
  }
  m->rate = (double)ni * (double)n / seconds;
  return HB_OK;
}

/* All at once, as later. */
static enum hb_status measure_rate(struct devices_member *m)
{
  struct trial trial;
  m->count = m->devices->j.n;
  enum hb_status status = trial_reserve(&m->devices->job, m->count, &trial);
  if (status == HB_OK) status = send_needed(m);
  if (status == HB_OK) status = find_rate(m, &trial);
  trial_free(&trial);
  return status;
}

/* Whether all of them together are faster than the first alone: not if they are one device named twice, or renderers of the
 * same processor. */
static enum hb_status compare_rates(struct devices *d, double together)
{
  struct devices_member *first = &d->member[0];
  HB_TRY(measure_rate(first));
  hb_log("device %s alone: %.3g pairs a second", first->name, first->rate);
  if (together >= (1 + DEVICES_MARGIN) * first->rate) return HB_OK;
  hb_log_warn("%d devices together are not faster than %s, which does all of the work", d->count,
              first->name);
  if (!d->plan.alone_below) d->plan.alone_below = SIZE_MAX;
  if (!d->plan.kept_alone_below) d->plan.kept_alone_below = SIZE_MAX;
  return HB_OK;
}

static void tell_of_shares(const struct devices *d, const double *rates)
{
  static const double MUCH = 1.25;
  int fastest = 0;
  for (int k = 0; k < d->count; k++) {
    if (rates[k] > rates[fastest]) fastest = k;
    if (d->plan.shares.part[k] == 0) hb_log_warn("device %s is too slow to take part", d->member[k].name);
  }
  if (rates[fastest] > MUCH * rates[0])
    hb_log_warn("device %s is %.1f times as fast as %s, which does small blocks alone: name it first",
                d->member[fastest].name, rates[fastest] / rates[0], d->member[0].name);
}

static enum hb_status fix_shares(struct devices *d)
{
  double together = 0;
  double rates[HB_SHARES_MOST];
  const char *names[HB_SHARES_MOST];
  char shares[80];
  d->plan.shares = shares_equal(d->count);
  if (!d->measures || d->j.n == 0) return HB_OK;
  d->way = DEVICES_BY_SINKS; /* each with all sources */
  HB_TRY(each(d, measure_rate));
  for (int k = 0; k < d->count; k++) {
    rates[k] = d->member[k].rate;
    together += rates[k];
    names[k] = d->ops->gl(d->member[k].part.state)->caps.renderer;
    hb_log("device %s: %.3g pairs a second", d->member[k].name, rates[k]);
  }
  shares_of_alike(d->count, names, rates);
  d->plan.shares = shares_of_rates(d->count, rates);
  shares_print(&d->plan.shares, sizeof shares, shares);
  hb_log("shares %s", shares);
  tell_of_shares(d, rates);
  return d->count > 1 ? compare_rates(d, together) : HB_OK;
}

/* ---- one tuning ---- */

static enum hb_status open_again_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  struct hb_force_params params = d->params;
  if (m->k == 0 || strcmp(d->ops->tuning(m->part.state), d->plan.others) == 0) return HB_OK;
  d->ops->close(m->part.state);
  m->part.state = NULL;
  params.device = m->name;
  params.tuning = d->plan.others;
  return d->ops->open(&params, NULL, &m->part.state);
}

/* The first device looks up its tuning, or measures it, when it gets sources. Two devices with two tunings would be two
 * runs: what is resumed knows one. */
static enum hb_status share_tuning(struct devices *d)
{
  struct devices_member *first = &d->member[0];
  first->count = d->j.n;
  d->way = DEVICES_ALONE;
  if (d->j.n > 0) HB_TRY(send_needed(first));
  snprintf(d->plan.others, sizeof d->plan.others, "%s", d->ops->tuning(first->part.state));
  return each(d, open_again_member);
}

/* With the first sources, by number of the particles: the tuning of the first device is that of all, and shares are
 * fixed, measured if sources are set. */
static enum hb_status prepare(struct devices *d, size_t n)
{
  if (d->is_prepared) return HB_OK;
  if (n > 0) HB_TRY(share_tuning(d));
  if (d->plan.shares.count == 0) HB_TRY(fix_shares(d));
  d->is_prepared = 1;
  return HB_OK;
}

/* ---- bounds ---- */

/* Two ways to be timed, and memory for sources that the host moves. */
struct comparison {
  struct devices *d;
  double *moved; /* [6 * n] */
};

static enum devices_way way_together(const struct devices *d, size_t ni)
{
  const struct hb_devices_plan unbounded = {.shares = d->plan.shares};
  size_t n = d->j.n;
  return n ? devices_plan_way(&unbounded, ni < n ? ni : n - 1, n) : DEVICES_BY_SINKS;
}

/* The host's threads have just moved the sources, so that they are in other cores' caches, and the devices' threads have been idle
 * meanwhile. What devices tell each other stands for sending them what the host has corrected, too. */
static enum hb_status cycle(void *owner, struct trial *trial, int together, double *seconds)
{
  const struct comparison *c = owner;
  struct devices *d = c->d;
  const struct hb_force_sources j = d->j;
  size_t n3 = 3 * j.n;
  if (j.n) hb_parallel_copy(c->moved, j.x, n3 * sizeof *j.x);
  if (j.n) hb_parallel_copy(c->moved + n3, j.v, n3 * sizeof *j.v);
  double start = d->clock();
  for (int k = 0; k < d->count; k++) d->member[k].has = DEVICES_NONE;
  d->way = together ? way_together(d, trial->job.sinks.n) : DEVICES_ALONE;
  if (j.n) d->j.x = c->moved, d->j.v = c->moved + n3;
  d->job = trial->job;
  d->job.sources = d->j;
  enum hb_status status = begin_all(d);
  if (status == HB_OK) status = finish_all(d);
  d->j = j;
  HB_TRY(status);
  if (d->way == DEVICES_BY_SINKS && d->j.n == 0 && can_tell(d)) HB_TRY(exchange(d));
  *seconds = d->clock() - start;
  return HB_OK;
}

/* One device in place of the host, and all of them in place of OpenGL. */
static enum hb_status measure_bound(struct comparison *c, struct trial *trial, size_t *bound)
{
  const struct trial_ways ways = {
      c, cycle, devices_plan_ask, devices_plan_usual, c->d->clock, {"one device", "all devices"}};
  struct hybrid_cost costs[HYBRID_COSTS];
  size_t count;
  HB_TRY(trial_measure(&ways, trial, &count, costs));
  *bound = devices_plan_bound(trial->n, count, costs);
  return HB_OK;
}

/* With arrays of its own in place of those of the call that asks. */
static enum hb_status fix_bound(struct devices *d, size_t n, size_t *bound)
{
  if (*bound) return HB_OK;
  int several = shares_takers(&d->plan.shares) > 1;
  size_t rule = several ? devices_plan_rule(n) : SIZE_MAX;
  enum hb_status status = HB_OK;
  if (d->measures && several) {
    const struct hb_force_job like = {.sources = d->j, .words.units = d->job.words.units};
    struct comparison comparison = {.d = d};
    struct trial trial;
    status = trial_reserve(&like, n, &trial);
    if (status == HB_OK && d->j.n) status = HB_ALLOC(6 * n, &comparison.moved);
    if (status == HB_OK) status = measure_bound(&comparison, &trial, bound);
    trial_free(&trial);
    hb_mem_free(comparison.moved);
    for (int k = 0; k < d->count; k++) d->member[k].has = DEVICES_NONE;
  }
  if (status == HB_OK && *bound == 0) *bound = rule;
  return status;
}

/* The bound of the plan for sources that are sent, once. */
static enum hb_status devices_fix_alone(struct devices *d)
{
  return fix_bound(d, d->j.n, &d->plan.alone_below);
}

static enum hb_status fix_kept_alone(struct devices *d)
{
  return fix_bound(d, d->kept.n, &d->plan.kept_alone_below);
}

/* ---- particles that stay ---- */

/* ---- sending ---- */

static enum hb_status reserve_kept(struct devices *d, size_t n)
{
  if (n == d->kept.n) return HB_OK;
  HB_FREE(d->kept.behind, d->kept.is_behind);
  d->kept.behind = NULL;
  d->kept.is_behind = NULL;
  d->kept.n = d->kept.behind_count = 0;
  HB_TRY(HB_ALLOC(n, &d->kept.behind));
  HB_TRY(HB_ALLOC(n, &d->kept.is_behind));
  d->kept.n = n;
  return HB_OK;
}

static enum hb_status keep_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  m->has = DEVICES_NONE;
  HB_TRY(d->ops->records(m->part.state, d->kept.sent->n, &m->records));
  return ops_of(m)->keep(m->records, d->kept.sent, d->job.sinks.n, d->kept.which);
}

/* In some block. */
static int others_take_part(const struct devices *d) { return d->plan.kept_alone_below != SIZE_MAX; }

static void mark_behind(struct devices *d, size_t ni, const uint32_t *index)
{
  if (!others_take_part(d)) return;
  for (size_t k = 0; k < ni; k++) {
    if (d->kept.is_behind[index[k]]) continue;
    d->kept.is_behind[index[k]] = 1;
    d->kept.behind[d->kept.behind_count++] = index[k];
  }
}

/* All of them go to every device that takes part; of those that the host has corrected, few go to the first, which will tell
 * the others, as it does of those that it has corrected itself. */
static enum hb_status devices_keep(void *state, const struct hb_force_particles *p, size_t ni,
                                   const uint32_t *index)
{
  struct devices *d = state;
  d->j = (struct hb_force_sources){0};
  HB_TRY(prepare(d, 0));
  HB_TRY(reserve_kept(d, p->n));
  d->job = (struct hb_force_job){.sinks.n = ni};
  d->kept.sent = p;
  d->kept.which = index;
  int are_few = index && ni < d->plan.kept_alone_below;
  if (others_take_part(d) && !(are_few && can_tell(d))) return each(d, keep_member);
  mark_behind(d, ni, index);
  return keep_member(&d->member[0]);
}

/* The first one begins; the others, if the block turns out to be for all of them. */
static enum hb_status devices_predict(void *state, const double dt[HB_FORCE_LEVELS])
{
  struct devices *d = state;
  d->j = (struct hb_force_sources){0};
  memcpy(d->kept.dt, dt, sizeof d->kept.dt);
  for (int k = 0; k < d->count; k++) d->member[k].has = DEVICES_NONE;
  d->member[0].count = d->kept.n;
  return send_needed(&d->member[0]);
}

static enum hb_status check_member(struct devices_member *m)
{
  if (m->count == 0 || m->has != DEVICES_PREDICTED) return HB_OK;
  return ops_of(m)->check(m->records, m->count, m->devices->job.to.a + 3 * m->first);
}

/* Of the forces that came last. */
static enum hb_status devices_check(void *state, size_t ni, const double *a)
{
  struct devices *d = state;
  (void)ni, (void)a; /* those of the call */
  return d->way == DEVICES_ALONE ? check_member(&d->member[0]) : each(d, check_member);
}

/* ---- correction ---- */

static enum hb_status correct_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  struct hb_force_correction own = d->kept.correction;
  struct hb_phases others = {0};
  own.ni = m->count;
  own.index += m->first;
  own.step += m->first;
  own.ahead = NULL;
  own.news = &m->news;
  if (m->k > 0) own.last = &others;
  m->news.count = 0;
  HB_TRY(devices_catch_up(m));
  if (m->count == 0) return HB_OK;
  HB_TRY(send_needed(m));
  return ops_of(m)->correct(m->records, &own);
}

/* And begins with the next prediction, while the host finds the next block. */
static enum hb_status learn_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  HB_TRY(learn_others(m));
  const double *ahead = d->kept.correction.ahead;
  return ahead ? ops_of(m)->predict_ahead(m->records, ahead) : HB_OK;
}

/* After a failure: those that have corrected their part are again what they were before. */
static enum hb_status undo_member(struct devices_member *m)
{
  if (m->news.count) ops_of(m)->undo(m->records, m->count, m->devices->job.sinks.index + m->first);
  return HB_OK;
}

static enum hb_status correct_together(struct devices *d)
{
  char sentence[1024];
  HB_TRY(devices_tell_late(d));
  divide_sinks(d);
  enum hb_status status = each(d, correct_member);
  if (status == HB_OK) {
    d->kept.is_torn = 1;
    HB_TRY(each(d, learn_member));
    d->kept.is_torn = 0;
    return HB_OK;
  }
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  (void)each(d, undo_member);
  return hb_fail(status, "%s", sentence);
}

static enum hb_status check_untorn(const struct devices *d)
{
  if (!d->kept.is_torn) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "a block was corrected, but did not reach all devices");
}

static enum hb_status devices_correct(void *state, const struct hb_force_correction *c)
{
  struct devices *d = state;
  struct devices_member *first = &d->member[0];
  HB_TRY(check_untorn(d));
  if (others_take_part(d) && !can_tell(d)) HB_TRY(each(d, tell_nothing)); /* says why */
  d->kept.is_corrected = 1;
  HB_TRY(fix_kept_alone(d));
  d->way = c->ni < d->plan.kept_alone_below ? DEVICES_ALONE : DEVICES_BY_SINKS;
  d->job = (struct hb_force_job){.sinks = {.n = c->ni, .index = c->index}};
  d->kept.correction = *c;
  if (d->way != DEVICES_ALONE) return correct_together(d);
  first->count = c->ni;
  HB_TRY(send_needed(first));
  mark_behind(d, c->ni, c->index);
  return ops_of(first)->correct(first->records, c);
}

/* By writing into memory that a device shares with the host: any thread may. */
static enum hb_status devices_settle(void *state, size_t ni, const uint32_t *index, const uint8_t *level)
{
  struct devices *d = state;
  for (int k = 0; k < (others_take_part(d) ? d->count : 1); k++)
    HB_TRY(d->ops->resident->settle(d->member[k].records, ni, index, level));
  return HB_OK;
}

static enum hb_status devices_fetch(void *state, struct hb_force_particles *p)
{
  struct devices *d = state;
  HB_TRY(check_untorn(d));
  return d->ops->resident->fetch(d->member[0].records, p);
}

static enum hb_status devices_records(void *state, size_t n, void **records)
{
  (void)n; /* each device has its own */
  *records = state;
  return HB_OK;
}

static const struct hb_force_resident_ops devices_resident = {
    .keep = devices_keep,
    .predict = devices_predict,
    .check = devices_check,
    .correct = devices_correct,
    .settle = devices_settle,
    .fetch = devices_fetch,
};

/* ---- the source ---- */

/* ---- opening ---- */

static enum hb_status close_member(struct devices_member *m)
{
  struct devices *d = m->devices;
  if (m->part.state) d->ops->close(m->part.state);
  hb_part_free(&m->part);
  return HB_OK;
}

static void devices_close(void *state)
{
  struct devices *d = state;
  if (!d) return;
  (void)join_others(d, HB_OK);
  (void)each(d, close_member);
  for (int k = 0; k < d->count; k++) {
    hb_worker_destroy(d->member[k].worker);
    part_sums_free(&d->member[k].sums);
  }
  hb_part_points_free(&d->points);
  HB_FREE(d->own, d->kept.behind, d->kept.is_behind, d);
}

static enum hb_status open_member(struct devices_member *m)
{
  const struct devices *d = m->devices;
  struct hb_force_params params = d->params;
  params.device = m->name;
  params.tuning = *d->plan.others ? d->plan.others : NULL;
  if (m->k > 0) params.flags |= HB_FORCE_NO_TUNE; /* it gets the tuning of the first */
  m->part.ops = d->ops;
  return d->ops->open(&params, m->k == 0 ? d->opened : NULL, &m->part.state);
}

static enum hb_status devices_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                   void **state)
{
  struct hb_gl_devices list;
  struct devices *d;
  HB_TRY(HB_ALLOC(1, &d));
  *state = d;
  d->ops = hb_force_find(params->scheme);
  d->params = *params;
  d->clock = hb_clock_now;
  d->kept.tells = -1;
  d->measures = !(params->flags & HB_FORCE_NO_TUNE);
  d->opened = gl;
  HB_TRY(hb_devices_plan_parse(params->tuning, &d->plan));
  HB_TRY(hb_gl_devices_named(params->device, &list));
  if (d->plan.shares.count &&
      d->plan.shares.count != list.count) { /* resumed on other devices: all is measured anew */
    d->plan.shares.count = 0;
    d->plan.alone_below = d->plan.kept_alone_below = 0;
  }
  int threads = hb_parallel_threads() / list.count;
  for (int k = 0; k < list.count; k++) {
    struct devices_member *m = &d->member[k];
    m->devices = d;
    m->k = k;
    memcpy(m->name, list.name[k], sizeof m->name);
    if (k > 0) HB_TRY(hb_worker_create(threads, &m->worker));
    d->count = k + 1;
  }
  return each(d, open_member);
}

static void devices_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  hb_force_find(params->scheme)->memory(params, need);
}

/* ---- forces ---- */

static void devices_set_eps(void *state, double eps)
{
  struct devices *d = state;
  d->params.eps = eps;
  for (int k = 0; k < d->count; k++) d->ops->set_eps(d->member[k].part.state, eps);
}

/* Sources that come without sinks, in memory of one's own. */
static enum hb_status keep_sources(struct hb_force_sources *s, double **own, size_t *room)
{
  size_t nj = s->n;
  HB_TRY(HB_RENEW(nj, room, HB_ARRAY(7, own)));
  double *m = *own, *x = m + nj, *v = m + 4 * nj;
  hb_parallel_copy(m, s->m, nj * sizeof *m);
  hb_parallel_copy(x, s->x, 3 * nj * sizeof *x);
  hb_parallel_copy(v, s->v, 3 * nj * sizeof *v);
  *s = (struct hb_force_sources){nj, m, x, v};
  return HB_OK;
}

/* From now on: nobody has them. */
static enum hb_status expect_sources(struct devices *d, const struct hb_force_job *job)
{
  d->j = job->sources;
  if (job->sinks.n == 0) HB_TRY(keep_sources(&d->j, &d->own, &d->room));
  d->job = (struct hb_force_job){.sources = d->j, .words.units = job->words.units};
  for (int k = 0; k < d->count; k++) d->member[k].has = DEVICES_NONE;
  return prepare(d, d->j.n);
}

/* Which way this job goes; the bound is measured when it is first asked for. */
static enum hb_status choose_way(struct devices *d, size_t ni)
{
  if (d->j.n == 0) {
    HB_TRY(fix_kept_alone(d));
    d->way = ni < d->plan.kept_alone_below ? DEVICES_ALONE : DEVICES_BY_SINKS;
    return HB_OK;
  }
  if (ni < d->j.n) HB_TRY(devices_fix_alone(d));
  d->way = devices_plan_way(&d->plan, ni, d->j.n);
  return HB_OK;
}

static enum hb_status devices_begin(void *state, const struct hb_force_job *job)
{
  struct devices *d = state;
  if (job->sources.m) HB_TRY(expect_sources(d, job));
  if (job->sinks.n == 0) return HB_OK;
  HB_TRY(choose_way(d, job->sinks.n));
  d->job = *job;
  d->job.sources = d->j;
  d->job.since = hb_clock_now(); /* what was measured has taken its time */
  return begin_all(d);
}

static enum hb_status devices_finish(void *state, const struct hb_force_job *job)
{
  (void)job; /* d->job */
  return finish_all(state);
}

/* ---- for records ---- */

static const struct hb_gl_context *devices_gl(const void *state)
{
  const struct devices *d = state;
  const struct devices_member *first = &d->member[0];
  return first->part.state ? d->ops->gl(first->part.state) : NULL;
}

/* Each, and where it is, since equal cards have the same name. */
static const char *devices_device(const void *state)
{
  struct devices *d = (struct devices *)state; /* the text is made on demand */
  size_t used = 0;
  *d->device = 0;
  for (int k = 0; k < d->count && used < sizeof d->device; k++) {
    const struct hb_gl_context *gl = d->ops->gl(d->member[k].part.state);
    used +=
        (size_t)snprintf(d->device + used, sizeof d->device - used, "%s%s%s%s%s", k ? " and " : "",
                         gl->caps.renderer, *gl->address ? " (" : "", gl->address, *gl->address ? ")" : "");
  }
  return d->device;
}

static const char *devices_tuning(const void *state)
{
  struct devices *d = (struct devices *)state;
  struct hb_devices_plan plan = d->plan;
  const struct devices_member *first = &d->member[0];
  if (first->part.state) snprintf(plan.others, sizeof plan.others, "%s", d->ops->tuning(first->part.state));
  devices_plan_print(&plan, sizeof d->tuning, d->tuning);
  return d->tuning;
}

const struct hb_force_ops hb_force_devices = {
    .info = {.name = "devices"},
    .open = devices_open,
    .close = devices_close,
    .memory = devices_memory,
    .set_eps = devices_set_eps,
    .begin = devices_begin,
    .finish = devices_finish,
    .has_points = 1,
    .resident = &devices_resident,
    .records = devices_records,
    .gl = devices_gl,
    .device = devices_device,
    .tuning = devices_tuning,
};

/* ---- hybrid: the host or OpenGL ------------------------------------------------------------------------
 *
 * Each block goes to the faster of two sources: the host, which starts at once, and OpenGL, which is worth the transfer for large
 * blocks. A bound on the number of sinks decides, fixed with the first sources: by the tuning, a measurement, or
 * (HB_FORCE_NO_TUNE) a rule. The sources are sent only to the one that takes the block. */

/* Without measuring: pairs that a few processor cores do while a GPU gets its particles and answers. */
static const double PAIRS_WORTH_A_GPU = 1 << 20;

struct child {
  const struct hb_force_ops *ops; /* NULL: there is none */
  void *state;
  int has_j; /* it has the last sources */
};

struct hybrid {
  struct child host, gl;
  struct hybrid_words words;
  int measures; /* 0: HB_FORCE_NO_TUNE */
  int software; /* OpenGL is the processor, too */
  struct hb_force_sources
      j;       /* the last ones: of the job, or in `own` until a job decides where to send them */
  double *own; /* [7 * room] */
  size_t room;
  char device[352], tuning[256];
};

/* ---- opening ---- */

static void close_child(struct child *child)
{
  if (child->ops) child->ops->close(child->state);
  *child = (struct child){0};
}

static void hybrid_close(void *state)
{
  struct hybrid *h = state;
  if (!h) return;
  close_child(&h->gl);
  close_child(&h->host);
  HB_FREE(h->own, h);
}

static enum hb_status open_child(const struct hb_force_ops *ops, struct hb_force_params params,
                                 struct hb_gl_context *gl, struct child *child)
{
  params.scheme = ops->info.name;
  child->ops = ops;
  enum hb_status status = ops->open(&params, gl, &child->state);
  if (status != HB_OK) close_child(child);
  return status;
}

static enum hb_status open_gl(struct hybrid *h, const struct hb_force_params *params,
                              struct hb_gl_context *gl)
{
  struct hb_gl_context *context;
  HB_TRY(hb_force_open_gl(params, gl, &context));
  enum hb_gl_gpu gpu = hb_gl_context_gpu(context);
  h->software = gpu == HB_GL_NO_GPU;
  struct hb_force_params own = *params;
  own.tuning = *h->words.others ? h->words.others : NULL;
  if (h->software) own.flags |= HB_FORCE_NO_TUNE; /* not worth two seconds: the host is faster */
  /* where a thread has 64 registers, the totals of `tile` take detours, which nobody has timed */
  int tile = h->words.gl ? h->words.gl == hb_force_tile.pairs
                         : gpu == HB_GL_GPU_COMPUTE && context->caps.registers > 64;
  enum hb_status status = open_child(tile ? &hb_force_tile : &hb_force_bag, own, context, &h->gl);
  hb_gl_context_close(context); /* the child has its share */
  return status;
}

static int is_named(const char *word) { return word && strcmp(word, "auto") != 0; }

/* A missing OpenGL is not an error, unless it was asked for: by name, or by a tuning that sends blocks there. */
static enum hb_status open_gl_if_any(struct hybrid *h, const struct hb_force_params *params,
                                     struct hb_gl_context *gl)
{
  const struct hybrid_split *split = &h->words.split;
  if (split->host_below == HYBRID_ALL) return HB_OK;
  enum hb_status status = open_gl(h, params, gl);
  if (status != HB_ERR_GL || split->host_below || is_named(params->context) || is_named(params->device))
    return status;
  hb_log("all blocks go to the host: %s", hb_error());
  return HB_OK;
}

static const struct hb_force_ops *host_for(const struct hb_force_params *params)
{
  const struct hb_precision_facts *precision = &hb_precisions[hb_precision_find(params->precision)];
  return precision->is_double || precision->is_fixed ? &hb_force_host : &hb_force_host_simd;
}

static enum hb_status hybrid_open(const struct hb_force_params *params, struct hb_gl_context *gl,
                                  void **state)
{
  struct hybrid *h;
  struct hb_pairs_tuning checked = {0};
  HB_TRY(HB_ALLOC(1, &h));
  *state = h;
  HB_TRY(hybrid_words_parse(params->tuning, &h->words));
  HB_TRY(hb_tuning_parse(h->words.others, &checked));
  h->measures = !(params->flags & HB_FORCE_NO_TUNE);
  HB_TRY(open_child(host_for(params), *params, NULL, &h->host));
  return open_gl_if_any(h, params, gl);
}

/* ---- measuring ---- */

static enum hb_status finish(struct child *child, const struct hb_force_job *job)
{
  return child->ops->finish ? child->ops->finish(child->state, job) : HB_OK;
}

static enum hb_status time_child(void *owner, struct trial *t, int way, double *seconds)
{
  struct hybrid *h = owner;
  struct child *child = way ? &h->gl : &h->host;
  double start = hb_clock_now();
  HB_TRY(child->ops->begin(child->state, &t->job));
  HB_TRY(finish(child, &t->job));
  *seconds = hb_clock_now() - start;
  return HB_OK;
}

/* The lower quartile, since other processes can only add time. */
static double quartile(size_t count, double *seconds)
{
  qsort(seconds, count, sizeof *seconds, hb_ascending_doubles);
  return seconds[count / 4];
}

static enum hb_status hybrid_measure(struct hybrid *h, struct trial *t)
{
  const struct trial_ways ways = {h,        time_child,   hybrid_split_ask,
                                  quartile, hb_clock_now, {"host", "OpenGL"}};
  struct hybrid_cost costs[HYBRID_COSTS];
  size_t count;
  double seconds;
  trial_choose(t, 1);
  for (double begin = hb_clock_now(); hb_clock_now() - begin < WARM_UP_SECONDS;)
    HB_TRY(time_child(h, t, 1, &seconds));
  HB_TRY(trial_measure(&ways, t, &count, costs));
  h->words.split = hybrid_split_from(t->n, count, costs);
  return HB_OK;
}

/* Once, with the first sources; the first forces of a run are those on all particles, whose arrays will do. */
static enum hb_status fix_split(struct hybrid *h, const struct hb_force_job *first)
{
  struct hybrid_split *split = &h->words.split;
  struct trial trial;
  if (split->host_below) return HB_OK;
  double worth = PAIRS_WORTH_A_GPU / (double)first->sources.n;
  if (!h->gl.ops || (!h->measures && h->software)) {
    *split = HYBRID_HOST;
  } else if (!h->measures) {
    *split = (struct hybrid_split){worth > 1 ? (size_t)worth : 1, HYBRID_ALL};
  } else {
    enum hb_status status = trial_reserve(first, first->sources.n, &trial);
    if (status == HB_OK) status = hybrid_measure(h, &trial);
    trial_free(&trial);
    HB_TRY(status);
    if (split->host_below == HYBRID_ALL && !h->software)
      hb_log_warn("the processor is faster than %s for blocks of up to %zu: it takes all of them",
                  h->gl.ops->gl(h->gl.state)->caps.renderer, first->sources.n);
  }
  if (split->host_below == HYBRID_ALL) close_child(&h->gl);
  return HB_OK;
}

/* ---- forces ---- */

static struct child *taker(struct hybrid *h, size_t ni)
{
  return hybrid_split_host(&h->words.split, ni) ? &h->host : &h->gl;
}

static void hybrid_set_eps(void *state, double eps)
{
  struct hybrid *h = state;
  h->host.ops->set_eps(h->host.state, eps);
  if (h->gl.ops) h->gl.ops->set_eps(h->gl.state, eps);
}

/* Which source takes a block is known when its forces are wanted: sources that come without sinks are stored until then. */
static enum hb_status expect_both(struct hybrid *h, const struct hb_force_job *job)
{
  HB_TRY(fix_split(h, job));
  h->host.has_j = h->gl.has_j = 0;
  h->j = job->sources;
  return job->sinks.n ? HB_OK : keep_sources(&h->j, &h->own, &h->room);
}

/* The same job to one of the two, with the sources unless it has them. */
static enum hb_status hybrid_begin(void *state, const struct hb_force_job *job)
{
  struct hybrid *h = state;
  struct hb_force_job own = *job;
  if (job->sources.m) HB_TRY(expect_both(h, job));
  if (job->sinks.n == 0) return HB_OK;
  struct child *child = taker(h, job->sinks.n);
  own.since = hb_clock_now(); /* what was measured has taken its time */
  own.sources = h->j;
  if (child->has_j) own.sources = (struct hb_force_sources){.n = 0};
  HB_TRY(child->ops->begin(child->state, &own));
  child->has_j = 1;
  return HB_OK;
}

static enum hb_status hybrid_finish(void *state, const struct hb_force_job *job)
{
  return finish(taker(state, job->sinks.n), job);
}

/* ---- for records ---- */

/* Both; the arrays of the first measurement are freed before the integrator allocates its predictions. */
static void hybrid_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  struct hb_force_params tile = *params;
  tile.scheme = hb_force_tile.info.name;
  hb_force_tile.memory(&tile, need);
  host_for(params)->memory(params, need);
}

static const struct hb_gl_context *hybrid_gl(const void *state)
{
  const struct hybrid *h = state;
  return h->gl.ops ? h->gl.ops->gl(h->gl.state) : NULL;
}

static const char *hybrid_device(const void *state)
{
  struct hybrid *h = (struct hybrid *)state; /* the text is made on demand */
  const char *host = h->host.ops->device(h->host.state);
  if (!h->gl.ops) return host;
  snprintf(h->device, sizeof h->device, "%s and %s", hybrid_gl(h)->caps.renderer, host);
  return h->device;
}

static const char *hybrid_tuning(const void *state)
{
  struct hybrid *h = (struct hybrid *)state;
  struct hybrid_words words = {.split = h->words.split};
  if (h->gl.ops) {
    words.gl = h->gl.ops->pairs;
    snprintf(words.others, sizeof words.others, "%s", h->gl.ops->tuning(h->gl.state));
  }
  hybrid_words_print(&words, sizeof h->tuning, h->tuning);
  return h->tuning;
}

const struct hb_force_ops hb_force_hybrid = {
    .info = {.name = "hybrid",
             .summary = "each block of particles to the host or to OpenGL, whichever takes less time",
             .source = "[PZ07] eq. 10",
             .precisions = "ds single double reproducible",
             .flops_per_pair = 43},
    .reach = HB_FORCE_FLOAT_REACH,
    .open = hybrid_open,
    .close = hybrid_close,
    .memory = hybrid_memory,
    .set_eps = hybrid_set_eps,
    .begin = hybrid_begin,
    .finish = hybrid_finish,
    .has_points = 1,
    .gl = hybrid_gl,
    .device = hybrid_device,
    .tuning = hybrid_tuning,
};
