#include "force/force_ranks.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "base/text.h"
#include "force/part.h"
#include "force/split.h"
#include "gl/gl_egl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which device each rank computes on ---- */

static int is_named(const char *word, const char *variable)
{
  if (!word) word = getenv(variable);
  return word && *word && strcmp(word, "auto") != 0;
}

/* Whose devices have numbers. */
static int is_egl(const char *context)
{
  if (!context) context = getenv("HB_CONTEXT");
  return context && strcmp(context, "egl") == 0;
}

void hb_ranks_place_choose(struct hb_force_params *params, char device[16])
{
  enum { MOST = 32 };
  struct hb_device_info devices[MOST];
  const struct hb_force_ops *ops = params->scheme ? hb_force_find(params->scheme) : NULL;
  size_t count, gpus = 0;
  if (hb_ranks_count() == 1 || (ops && ops->info.on_host) || is_named(params->device, "HB_DEVICE") ||
      (is_named(params->context, "HB_CONTEXT") && !is_egl(params->context)))
    return;
  hb_gl_egl_devices(MOST, devices, &count);
  for (size_t k = 0; k < count; k++)
    if (!devices[k].software) devices[gpus++] = devices[k];
  if (gpus == 0) return;
  snprintf(device, 16, "%d", devices[(size_t)hb_ranks_local() % gpus].index);
  params->device = device;
}

enum hb_status hb_ranks_place_agree(enum hb_status status, const struct hb_force_ops **ops)
{
  char name[32] = "";
  if (hb_ranks_count() == 1) return status;
  HB_TRY(hb_ranks_agree(status));
  snprintf(name, sizeof name, "%s", (*ops)->info.name);
  HB_TRY(hb_ranks_share(name, sizeof name));
  *ops = hb_force_find(name);
  return HB_OK; /* the programs are the same */
}

/* Compared as bytes. */
struct place {
  char machine[64], device[192], place[64];
};

static int is_same(const struct place *a, const struct place *b) { return memcmp(a, b, sizeof *a) == 0; }

static enum hb_status append_ranks(int count, const struct place *places, int first, struct hb_text *line)
{
  int several = 0;
  for (int k = first; k < count; k++)
    if (is_same(&places[k], &places[first])) HB_TRY(hb_text_append(line, several++ ? ", %d" : "%d", k));
  return HB_OK;
}

static enum hb_status log_place(int count, const struct place *places, int first)
{
  const struct place *at = &places[first];
  struct hb_text ranks = {0};
  enum hb_status status = append_ranks(count, places, first, &ranks);
  if (status == HB_OK)
    hb_log_warn("rank%s %s of %d on %s: %s%s%s", strchr(ranks.text, ',') ? "s" : "", ranks.text, count,
                at->machine, at->device, *at->place ? ", " : "", at->place);
  hb_mem_free(ranks.text);
  return status;
}

static enum hb_status log_places(int count, const struct place *places)
{
  for (int k = 0; k < count; k++) {
    int first = 0;
    while (!is_same(&places[first], &places[k])) first++;
    if (first == k) HB_TRY(log_place(count, places, k));
  }
  return HB_OK;
}

/* Collective: rank 0 warns of every device with its machine and ranks, so that one shared by mistake shows. place: where
 * in the machine the device is, may be "". */
static enum hb_status report_place(const char *device, const char *place)
{
  struct place mine, *all;
  int count = hb_ranks_count();
  memset(&mine, 0, sizeof mine);
  snprintf(mine.machine, sizeof mine.machine, "%s", hb_ranks_machine());
  snprintf(mine.device, sizeof mine.device, "%s", device);
  snprintf(mine.place, sizeof mine.place, "%s", place);
  HB_TRY(HB_ALLOC((size_t)count, &all));
  enum hb_status status = hb_ranks_gather(sizeof mine / sizeof(uint64_t), &mine, all);
  if (status == HB_OK && hb_ranks_number() == 0) status = log_places(count, all);
  hb_mem_free(all);
  return status;
}

/* Where shares begin: stretches of sources that are summed as one, in any precision, are not cut. */
enum { SOURCES = 64, SINKS = 1 };

/* A message is a word of base/ranks.h and then results of ni sinks: a[3 * ni] j[3 * ni] phi[ni], or totals[ni]. */
enum { WORD = 1, NUMBERS = 7, TOTAL = sizeof(struct hb_fixed_total) / sizeof(uint64_t) };

static void *body_of(void *message) { return (uint64_t *)message + WORD; }
static size_t words_of(const struct hb_force_job *b, size_t ni)
{
  return WORD + (b->words.totals ? TOTAL : NUMBERS) * ni;
}

/* Those of ni sinks in the body of a message. */
static struct hb_part_sums numbers_in(void *message, size_t ni)
{
  double *a = body_of(message);
  return (struct hb_part_sums){.to = {a, a + 3 * ni, a + 6 * ni}};
}

static struct hb_part_sums sums_in(void *message, const struct hb_force_job *b, size_t ni)
{
  if (!b->words.totals) return numbers_in(message, ni);
  return (struct hb_part_sums){.totals = body_of(message)};
}

/* The same job for some of its sinks, whose results go there. */
static struct hb_force_job job_into(void *message, const struct hb_force_job *b, size_t first, size_t ni)
{
  const struct hb_part_sums sums = sums_in(message, b, ni);
  struct hb_force_job job = hb_part_some(b, first, ni);
  job.to = sums.to;
  job.words.totals = sums.totals;
  return job;
}

struct ranks {
  struct hb_part part;           /* the inner source, with what it has of the sources */
  struct hb_force_params params; /* of the inner source, for opening it again */
  struct hb_ranks_split split;
  int is_tuned;    /* all ranks work with rank 0's tuning */
  int is_measured; /* which way is faster */

  struct hb_force_sources j;          /* the caller's */
  struct hb_reproducible_units units; /* of these, in that precision */
  enum { NOTHING, A_PART, ALL } sent;

  struct hb_part_points points;
  uint64_t *message, *room; /* of this rank; of all, or of another one */
  size_t message_words, room_words;
  uint64_t *shown;    /* two rooms for messages of all, in turn, which all of them see; NULL: none */
  size_t shown_words; /* of one of them */
  int turn, is_shown; /* 1: it was asked for */
  char device[256], tuning[320];
};

static const struct ranks *in_room; /* whose room the ranks have: there is one */

/* Where the share of rank k of n sources or sinks begins. */
static size_t cut(size_t n, int k, size_t step)
{
  size_t count = (size_t)hb_ranks_count(), steps = hb_div_ceil(n, step);
  return hb_min(n, (steps / count * (size_t)k + hb_min(steps % count, (size_t)k)) * step);
}

static size_t sinks_from(const struct ranks *r, size_t nj)
{
  if (!r->part.ops->has_points) return 1; /* its sinks are its sources */
  return r->split.sinks_from ? r->split.sinks_from : hb_ranks_split_usual(nj, hb_ranks_count());
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static void ranks_close(void *state)
{
  struct ranks *r = state;
  if (!r) return;
  if (r->part.ops) r->part.ops->close(r->part.state);
  hb_part_points_free(&r->points);
  hb_part_free(&r->part);
  hb_mem_free(r->message);
  hb_mem_free(r->room);
  if (in_room == r) in_room = NULL;
  hb_mem_free(r);
}

static enum hb_status open_inner(struct ranks *r, struct hb_gl_context *gl)
{
  r->params.tuning = *r->split.others ? r->split.others : NULL;
  r->sent = NOTHING;
  return r->part.ops->open(&r->params, gl, &r->part.state);
}

static const struct hb_gl_context *ranks_gl(const void *state)
{
  const struct ranks *r = state;
  return r->part.ops->gl && r->part.state ? r->part.ops->gl(r->part.state) : NULL;
}

static const char *name_device(const struct ranks *r)
{
  return r->part.ops->device ? r->part.ops->device(r->part.state) : ranks_gl(r)->caps.renderer;
}

enum hb_status hb_force_ranks_open(const struct hb_force_ops *inner, const struct hb_force_params *params,
                                   struct hb_gl_context *gl, void **state)
{
  struct ranks *r;
  HB_TRY(HB_ALLOC(1, &r));
  *state = r;
  r->part.ops = inner;
  r->params = *params;
  enum hb_status status = hb_ranks_split_parse(params->tuning, hb_ranks_count(), &r->split);
  if (status == HB_OK) status = open_inner(r, gl);
  r->is_tuned = *r->split.others || params->flags & HB_FORCE_NO_TUNE || !r->part.ops->tuning;
  HB_TRY(hb_ranks_agree(status));
  return report_place(name_device(r), ranks_gl(r) ? ranks_gl(r)->address : "");
}

/* ---- forces of this rank ----------------------------------------------------------------------------- */

/* Tunings are measured, and equal devices would find different ones: rank 0's is for all. */
static enum hb_status tune(struct ranks *r)
{
  char words[sizeof r->split.others] = "";
  int first = hb_ranks_number() == 0;
  enum hb_status status =
      first ? r->part.ops->begin(r->part.state, &(struct hb_force_job){.sources = r->j}) : HB_OK;
  if (first && status == HB_OK) snprintf(words, sizeof words, "%s", r->part.ops->tuning(r->part.state));
  r->is_tuned = 1;
  HB_TRY(hb_ranks_agree(status));
  HB_TRY(hb_ranks_share(words, sizeof words));
  if (first || !*words) return HB_OK;
  r->part.ops->close(r->part.state);
  r->part.state = NULL;
  memcpy(r->split.others, words, sizeof words);
  return open_inner(r, NULL);
}

/* The sources from .. to - 1, as this block's arithmetic wants them. */
static enum hb_status send(struct ranks *r, const struct hb_force_job *b, size_t from, size_t to)
{
  int what = to - from < r->j.n ? A_PART : ALL;
  if ((int)r->sent == what) return HB_OK;
  r->sent = NOTHING;
  const struct hb_force_job sources = {.sources = r->j,
                                       .words.units = b->words.totals ? &r->units : NULL,
                                       .spent = b->spent,
                                       .since = b->since};
  HB_TRY(hb_part_send(&r->part, from, to, &sources));
  r->sent = what;
  return HB_OK;
}

/* The sinks from .. to - 1 of the block, among all sources. */
static enum hb_status eval_all(struct ranks *r, const struct hb_force_job *b, size_t from, size_t to,
                               void *message)
{
  const struct hb_force_job job = job_into(message, b, from, to - from);
  HB_TRY(send(r, b, 0, r->j.n));
  if (from == to) return HB_OK;
  HB_TRY(hb_part_begin(&r->part, &job));
  return hb_part_finish(&r->part, &job);
}

/* All sinks, as points, among this rank's part of the sources, if there are enough for all ranks. */
static enum hb_status eval_part(struct ranks *r, const struct hb_force_job *b)
{
  struct hb_force_job job = job_into(r->message, b, 0, b->sinks.n);
  size_t from = cut(r->j.n, hb_ranks_number(), SOURCES), to = cut(r->j.n, hb_ranks_number() + 1, SOURCES);
  HB_TRY(send(r, b, from, to));
  if (!b->sinks.x) HB_TRY(hb_part_points_fill(&r->points, &r->j, &job.sinks));
  HB_TRY(hb_part_begin(&r->part, &job));
  return hb_part_finish(&r->part, &job);
}

/* ---- forces of all ranks ----------------------------------------------------------------------------- */

/* On all ranks at once: one that has no memory must not leave the others waiting for its message. */
static enum hb_status reserve(size_t wanted, size_t *words, uint64_t **message)
{
  if (wanted <= *words) return HB_OK;
  *words = 0;
  HB_TRY(hb_ranks_agree(HB_RESIZE(wanted, message)));
  *words = wanted;
  return HB_OK;
}

/* The results of ni sinks from `first` on. */
static void take(const struct hb_force_job *b, size_t first, size_t ni, void *message)
{
  const struct hb_force_job to = hb_part_some(b, first, ni);
  const struct hb_part_sums from = sums_in(message, b, ni);
  if (from.totals) {
    hb_parallel_copy(to.words.totals, from.totals, ni * sizeof *from.totals);
    return;
  }
  hb_parallel_copy(to.to.a, from.to.a, 3 * ni * sizeof *from.to.a);
  hb_parallel_copy(to.to.j, from.to.j, 3 * ni * sizeof *from.to.j);
  hb_parallel_copy(to.to.phi, from.to.phi, ni * sizeof *from.to.phi);
}

/* Room for the messages of all: seen by all if they are on one machine, else of this rank's own. Of what is seen, a rank that is
 * ahead of the others writes into the second half what they read afterwards, and cannot get further. */
static enum hb_status choose_room(struct ranks *r, size_t wanted, uint64_t **room)
{
  if (in_room != r) r->shown = NULL, r->shown_words = 0, r->is_shown = 0;
  in_room = r;
  if (wanted > r->shown_words && (r->shown || !r->is_shown)) {
    r->is_shown = 1;
    r->shown_words = wanted;
    HB_TRY(hb_ranks_room(2 * wanted, &r->shown));
    if (r->shown)
      hb_log("ranks share %zu bytes of memory", 2 * wanted * sizeof *r->shown);
    else
      hb_log("ranks share no memory");
  }
  if (!r->shown) {
    HB_TRY(reserve(wanted, &r->room_words, &r->room));
    *room = r->room;
    return HB_OK;
  }
  r->turn = !r->turn;
  *room = r->shown + (r->turn ? r->shown_words : 0);
  return HB_OK;
}

/* Each message takes as much room as the largest; this rank's is made where all are gathered. */
static enum hb_status by_sinks(struct ranks *r, enum hb_status status, const struct hb_force_job *b)
{
  int count = hb_ranks_count();
  size_t from = cut(b->sinks.n, hb_ranks_number(), SINKS), to = cut(b->sinks.n, hb_ranks_number() + 1, SINKS);
  size_t words = words_of(b, hb_div_ceil(b->sinks.n, (size_t)count));
  uint64_t sum = 0, *room;
  HB_TRY(choose_room(r, (size_t)count * words, &room));
  uint64_t *mine = room + (size_t)hb_ranks_number() * words;
  if (status == HB_OK) status = eval_all(r, b, from, to, mine);
  mine[0] = hb_ranks_word(status);
  HB_TRY(r->shown ? hb_ranks_show() : hb_ranks_gather(words, NULL, room));
  for (int k = 0; k < count; k++) sum += room[(size_t)k * words];
  HB_TRY(hb_ranks_heard(sum, status));
  for (int k = 0; k < count; k++) {
    size_t first = cut(b->sinks.n, k, SINKS);
    take(b, first, cut(b->sinks.n, k + 1, SINKS) - first, room + (size_t)k * words);
  }
  return HB_OK;
}

/* The words at the head add up, too. */
static void add_words(uint64_t *into, const uint64_t *other) { *into += *other; }

static void add_numbers(size_t words, void *into, const void *other)
{
  size_t ni = (words - WORD) / NUMBERS;
  const struct hb_part_sums sum = numbers_in(into, ni), more = numbers_in((void *)other, ni);
  add_words(into, other);
  hb_part_add(ni, &more, &sum);
}

static void add_totals(size_t words, void *into, const void *other)
{
  const struct hb_part_sums sum = {.totals = body_of(into)}, more = {.totals = body_of((void *)other)};
  add_words(into, other);
  hb_part_add((words - WORD) / TOTAL, &more, &sum);
}

static enum hb_status by_sources(struct ranks *r, enum hb_status status, const struct hb_force_job *b)
{
  size_t words = words_of(b, b->sinks.n);
  HB_TRY(reserve(words, &r->message_words, &r->message));
  HB_TRY(reserve(words, &r->room_words, &r->room));
  if (status == HB_OK) status = eval_part(r, b);
  r->message[0] = hb_ranks_word(status);
  HB_TRY(hb_ranks_sum(words, r->message, r->room, b->words.totals ? add_totals : add_numbers));
  HB_TRY(hb_ranks_heard(r->message[0], status));
  take(b, 0, b->sinks.n, r->message);
  return HB_OK;
}

/* ---- which way ---------------------------------------------------------------------------------------- */

/* The fastest of three, by rank 0's clock, so that all ranks find the same. */
static enum hb_status
time_way(struct ranks *r, enum hb_status (*way)(struct ranks *, enum hb_status, const struct hb_force_job *),
         const struct hb_force_job *b, double *seconds)
{
  *seconds = HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    double start = hb_clock_now();
    r->sent = NOTHING;
    HB_TRY(way(r, HB_OK, b));
    *seconds = fmin(*seconds, hb_clock_now() - start);
  }
  return hb_ranks_share(seconds, sizeof *seconds);
}

static enum hb_status measure(struct ranks *r, const struct hb_force_job *all, size_t ni,
                              struct hb_ranks_cost *cost)
{
  struct hb_force_job few = *all;
  few.sinks.n = cost->ni = ni;
  few.spent = NULL;
  HB_TRY(time_way(r, by_sources, &few, &cost->by_sources));
  HB_TRY(time_way(r, by_sinks, &few, &cost->by_sinks));
  hb_log("%zu of %zu by sources %.3g ms, by sinks %.3g ms", ni, r->j.n, 1e3 * cost->by_sources,
         1e3 * cost->by_sinks);
  return HB_OK;
}

/* Once, with the first forces on all particles. */
static enum hb_status fix_split(struct ranks *r, const struct hb_force_job *all)
{
  static const double AFFORDABLE_S = 0.25;
  struct hb_ranks_cost few, many;
  size_t ni = hb_max(1, r->j.n / 64);
  r->is_measured = 1;
  HB_TRY(measure(r, all, ni, &few));
  size_t most = 16 * fmax(few.by_sources, few.by_sinks) < AFFORDABLE_S ? 16 * ni : 4 * ni;
  if (most <= ni || most > r->j.n) return HB_OK; /* as few as that are shared out by sources */
  HB_TRY(measure(r, all, most, &many));
  r->split.sinks_from = hb_ranks_split_from(few, many);
  return HB_OK;
}

static enum hb_status work(struct ranks *r, const struct hb_force_job *b)
{
  struct hb_force_job job = *b;
  enum hb_status status = HB_OK;
  int tunes = !r->is_tuned && !b->words.totals;
  int chooses = b->words.totals && !r->is_measured && r->split.sinks_from == 0 && r->part.ops->has_points &&
                b->sinks.n == r->j.n && !(r->params.flags & HB_FORCE_NO_TUNE);
  if (tunes) status = tune(r);
  if (chooses) HB_TRY(fix_split(r, b));
  if (tunes || chooses) job.since = hb_clock_now(); /* what was measured has taken its time */
  return (b->sinks.n >= sinks_from(r, r->j.n) ? by_sinks : by_sources)(r, status, &job);
}

/* ---- operations -------------------------------------------------------------------------------------- */

static enum hb_status ranks_begin(void *state, const struct hb_force_job *job)
{
  struct ranks *r = state;
  if (job->sources.m) {
    r->sent = NOTHING;
    r->j = job->sources;
    if (job->words.units) r->units = *job->words.units;
  }
  return job->sinks.n ? work(r, job) : HB_OK;
}

/* The first forces, from which the tuning is found, are on all particles. */
static void ranks_needs(const void *state, size_t nj, size_t ni, size_t *from, size_t *to)
{
  const struct ranks *r = state;
  if (!r->is_tuned || ni >= sinks_from(r, nj)) return;
  *from = cut(nj, hb_ranks_number(), SOURCES);
  *to = cut(nj, hb_ranks_number() + 1, SOURCES);
}

static void ranks_set_eps(void *state, double eps)
{
  struct ranks *r = state;
  r->params.eps = eps;
  r->part.ops->set_eps(r->part.state, eps);
}

static const char *ranks_device(const void *state)
{
  struct ranks *r = (struct ranks *)state; /* the text is made on demand */
  snprintf(r->device, sizeof r->device, "%s, %d ranks", name_device(r), hb_ranks_count());
  return r->device;
}

static const char *ranks_tuning(const void *state)
{
  struct ranks *r = (struct ranks *)state;
  const char *inner = r->part.ops->tuning && r->part.state ? r->part.ops->tuning(r->part.state) : "";
  hb_ranks_split_print(sinks_from(r, r->j.n), hb_ranks_count(), inner, sizeof r->tuning, r->tuning);
  return r->tuning;
}

/* With blocks shared out as without measuring: messages of all, and for blocks of a quarter of the particles those of this rank, and
 * points. Ranks of one machine that share memory have messages of all twice there, together, until the program ends, instead of once
 * each; but what memory they get is not known before they are asked. */
double hb_force_ranks_memory(enum hb_precision precision)
{
  double message = sizeof(uint64_t) * (precision == HB_PRECISION_REPRODUCIBLE ? TOTAL : NUMBERS),
         point = 6 * sizeof(double) + sizeof(uint32_t);
  return message + (message + point) / 4;
}

/* What is not here, as particles that stay on a device, ranks cannot do. */
void hb_force_ranks_around(const struct hb_force_ops *inner, struct hb_force_ops *ops)
{
  *ops = (struct hb_force_ops){.info = inner->info,
                               .pairs = inner->pairs,
                               .takes_interactions = inner->takes_interactions,
                               .reach = inner->reach,
                               .close = ranks_close,
                               .memory = inner->memory,
                               .set_eps = inner->set_eps ? ranks_set_eps : NULL,
                               .begin = ranks_begin,
                               .has_points = inner->has_points,
                               .needs = ranks_needs,
                               .gl = ranks_gl,
                               .device = ranks_device,
                               .tuning = ranks_tuning};
}
