#include "force/force_ranks.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "force/part.h"
#include "force/ranks_place.h"
#include "force/ranks_split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where shares begin: stretches of sources that are summed as one, in any precision, are not cut. */
enum { SOURCES = 64, SINKS = 1 };

/* A message is a word of base/ranks.h and then results of ni sinks: a[3 * ni] j[3 * ni] phi[ni], or totals[ni]. */
enum { WORD = 1, NUMBERS = 7, TOTAL = sizeof(struct hb_fixed_total) / sizeof(uint64_t) };

/* What is asked for, and where it goes: sinks by their numbers; or points x[3 * ni], v[3 * ni], with their own ones. */
struct block {
  size_t ni;
  const uint32_t *index;
  const double *x, *v; /* NULL: by number */
  struct hb_part_results
      results; /* totals, each in its scale, in precision reproducible; else a, j and phi */
};

static void *body_of(void *message) { return (uint64_t *)message + WORD; }
static size_t words_of(const struct block *b, size_t ni)
{
  return WORD + (b->results.totals ? TOTAL : NUMBERS) * ni;
}

/* Those of ni sinks in the body of a message. */
static struct hb_part_results numbers_in(void *message, size_t ni)
{
  double *a = body_of(message);
  return (struct hb_part_results){.a = a, .j = a + 3 * ni, .phi = a + 6 * ni};
}

/* Those of the block's sinks from `first` on there. */
static struct hb_part_results results_in(void *message, const struct block *b, size_t first, size_t ni)
{
  if (!b->results.totals) return numbers_in(message, ni);
  return (struct hb_part_results){.scale = b->results.scale + first, .totals = body_of(message)};
}

struct ranks {
  struct hb_part part;           /* the inner source, with what it has of the sources */
  struct hb_force_params params; /* of the inner source, for opening it again */
  struct hb_ranks_split split;
  int is_tuned;    /* all ranks work with rank 0's tuning */
  int is_measured; /* which way is faster */

  size_t nj;
  const double *m, *x, *v;            /* the caller's sources */
  struct hb_reproducible_units units; /* of set_j in that precision */
  enum { NOTHING, A_PART, ALL } sent;

  struct hb_part_sinks sinks;
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
  if (!r->part.ops->begin_at) return 1; /* its sinks are its sources */
  return r->split.sinks_from ? r->split.sinks_from : hb_ranks_split_usual(nj, hb_ranks_count());
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static void ranks_close(void *state)
{
  struct ranks *r = state;
  if (!r) return;
  if (r->part.ops) r->part.ops->close(r->part.state);
  hb_part_sinks_free(&r->sinks);
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
  return hb_ranks_place_report(name_device(r), ranks_gl(r) ? ranks_gl(r)->address : "");
}

/* ---- forces of this rank ----------------------------------------------------------------------------- */

/* Tunings are measured, and equal devices would find different ones: rank 0's is for all. */
static enum hb_status tune(struct ranks *r)
{
  char words[sizeof r->split.others] = "";
  int first = hb_ranks_number() == 0;
  enum hb_status status = first ? r->part.ops->set_j(r->part.state, r->nj, r->m, r->x, r->v) : HB_OK;
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
static enum hb_status send(struct ranks *r, const struct block *b, size_t from, size_t to)
{
  int what = to - from < r->nj ? A_PART : ALL;
  if ((int)r->sent == what) return HB_OK;
  r->sent = NOTHING;
  r->part.units = b->results.totals ? &r->units : NULL;
  HB_TRY(hb_part_set_j(&r->part, from, to, r->m, r->x, r->v));
  r->sent = what;
  return HB_OK;
}

/* The sinks from .. to - 1 of the block, among all sources. */
static enum hb_status eval_all(struct ranks *r, const struct block *b, size_t from, size_t to, void *message)
{
  const struct hb_part_results results = results_in(message, b, from, to - from);
  HB_TRY(send(r, b, 0, r->nj));
  if (from == to) return HB_OK;
  const uint32_t *index = b->index + from;
  HB_TRY(b->x ? hb_part_begin_at(&r->part, to - from, b->x + 3 * from, b->v + 3 * from, index, &results)
              : hb_part_begin(&r->part, to - from, index, &results));
  return hb_part_finish(&r->part);
}

/* All sinks, as points, among this rank's part of the sources, if there are enough for all ranks. */
static enum hb_status eval_part(struct ranks *r, const struct block *b)
{
  const struct hb_part_results results = results_in(r->message, b, 0, b->ni);
  size_t from = cut(r->nj, hb_ranks_number(), SOURCES), to = cut(r->nj, hb_ranks_number() + 1, SOURCES);
  HB_TRY(send(r, b, from, to));
  if (!b->x) HB_TRY(hb_part_sinks_fill(&r->sinks, b->ni, b->index, r->x, r->v));
  HB_TRY(hb_part_begin_at(&r->part, b->ni, b->x ? b->x : r->sinks.x, b->x ? b->v : r->sinks.v, b->index,
                          &results));
  return from < to ? hb_part_finish(&r->part) : HB_OK;
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
static void take(const struct block *b, size_t first, size_t ni, void *message)
{
  const struct hb_part_results to = hb_part_results_from(&b->results, first),
                               from = results_in(message, b, first, ni);
  if (to.totals) {
    hb_parallel_copy(to.totals, from.totals, ni * sizeof *to.totals);
    return;
  }
  hb_parallel_copy(to.a, from.a, 3 * ni * sizeof *to.a);
  hb_parallel_copy(to.j, from.j, 3 * ni * sizeof *to.j);
  hb_parallel_copy(to.phi, from.phi, ni * sizeof *to.phi);
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
static enum hb_status by_sinks(struct ranks *r, enum hb_status status, const struct block *b)
{
  int count = hb_ranks_count();
  size_t from = cut(b->ni, hb_ranks_number(), SINKS), to = cut(b->ni, hb_ranks_number() + 1, SINKS);
  size_t words = words_of(b, hb_div_ceil(b->ni, (size_t)count));
  uint64_t sum = 0, *room;
  HB_TRY(choose_room(r, (size_t)count * words, &room));
  uint64_t *mine = room + (size_t)hb_ranks_number() * words;
  if (status == HB_OK) status = eval_all(r, b, from, to, mine);
  mine[0] = hb_ranks_word(status);
  HB_TRY(r->shown ? hb_ranks_show() : hb_ranks_gather(words, NULL, room));
  for (int k = 0; k < count; k++) sum += room[(size_t)k * words];
  HB_TRY(hb_ranks_heard(sum, status));
  for (int k = 0; k < count; k++) {
    size_t first = cut(b->ni, k, SINKS);
    take(b, first, cut(b->ni, k + 1, SINKS) - first, room + (size_t)k * words);
  }
  return HB_OK;
}

/* The words at the head add up, too. */
static void add_words(uint64_t *into, const uint64_t *other) { *into += *other; }

static void add_numbers(size_t words, void *into, const void *other)
{
  size_t ni = (words - WORD) / NUMBERS;
  const struct hb_part_results sum = numbers_in(into, ni), more = numbers_in((void *)other, ni);
  add_words(into, other);
  hb_part_add(ni, &more, &sum);
}

static void add_totals(size_t words, void *into, const void *other)
{
  const struct hb_part_results sum = {.totals = body_of(into)}, more = {.totals = body_of((void *)other)};
  add_words(into, other);
  hb_part_add((words - WORD) / TOTAL, &more, &sum);
}

static enum hb_status by_sources(struct ranks *r, enum hb_status status, const struct block *b)
{
  size_t words = words_of(b, b->ni);
  HB_TRY(reserve(words, &r->message_words, &r->message));
  HB_TRY(reserve(words, &r->room_words, &r->room));
  if (status == HB_OK) status = eval_part(r, b);
  r->message[0] = hb_ranks_word(status);
  HB_TRY(hb_ranks_sum(words, r->message, r->room, b->results.totals ? add_totals : add_numbers));
  HB_TRY(hb_ranks_heard(r->message[0], status));
  take(b, 0, b->ni, r->message);
  return HB_OK;
}

/* ---- which way ---------------------------------------------------------------------------------------- */

/* The fastest of three, by rank 0's clock, so that all ranks find the same. */
static enum hb_status time_way(struct ranks *r,
                               enum hb_status (*way)(struct ranks *, enum hb_status, const struct block *),
                               const struct block *b, double *seconds)
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

static enum hb_status measure(struct ranks *r, const struct block *all, size_t ni, struct hb_ranks_cost *cost)
{
  struct block few = *all;
  few.ni = cost->ni = ni;
  HB_TRY(time_way(r, by_sources, &few, &cost->by_sources));
  HB_TRY(time_way(r, by_sinks, &few, &cost->by_sinks));
  hb_log("%zu of %zu by sources %.3g ms, by sinks %.3g ms", ni, r->nj, 1e3 * cost->by_sources,
         1e3 * cost->by_sinks);
  return HB_OK;
}

/* Once, with the first forces on all particles. */
static enum hb_status fix_split(struct ranks *r, const struct block *all)
{
  static const double AFFORDABLE_S = 0.25;
  struct hb_ranks_cost few, many;
  size_t ni = hb_max(1, r->nj / 64);
  r->is_measured = 1;
  HB_TRY(measure(r, all, ni, &few));
  size_t most = 16 * fmax(few.by_sources, few.by_sinks) < AFFORDABLE_S ? 16 * ni : 4 * ni;
  if (most <= ni || most > r->nj) return HB_OK; /* as few as that are shared out by sources */
  HB_TRY(measure(r, all, most, &many));
  r->split.sinks_from = hb_ranks_split_from(few, many);
  return HB_OK;
}

static enum hb_status work(struct ranks *r, const struct block *b)
{
  enum hb_status status = r->is_tuned || b->results.totals ? HB_OK : tune(r);
  int free = b->results.totals && !r->is_measured && r->split.sinks_from == 0 && r->part.ops->begin_at;
  if (free && b->ni == r->nj && !(r->params.flags & HB_FORCE_NO_TUNE)) HB_TRY(fix_split(r, b));
  return (b->ni >= sinks_from(r, r->nj) ? by_sinks : by_sources)(r, status, b);
}

/* ---- operations -------------------------------------------------------------------------------------- */

static enum hb_status ranks_set_j(void *state, size_t nj, const double *m, const double *x, const double *v)
{
  struct ranks *r = state;
  r->sent = NOTHING;
  r->nj = nj;
  r->m = m;
  r->x = x;
  r->v = v;
  return HB_OK;
}

static enum hb_status ranks_begin(void *state, size_t ni, const uint32_t *index, double *a, double *j,
                                  double *phi)
{
  const struct block block = {ni, index, NULL, NULL, {.a = a, .j = j, .phi = phi}};
  return work(state, &block);
}

static enum hb_status ranks_begin_at(void *state, size_t ni, const double *x, const double *v,
                                     const uint32_t *own, double *a, double *j, double *phi)
{
  const struct block block = {ni, own, x, v, {.a = a, .j = j, .phi = phi}};
  return work(state, &block);
}

static enum hb_status ranks_set_j_by(void *state, const struct hb_reproducible_units *units, size_t nj,
                                     const double *m, const double *x, const double *v)
{
  ((struct ranks *)state)->units = *units;
  return ranks_set_j(state, nj, m, x, v);
}

static enum hb_status ranks_begin_totals(void *state, size_t ni, const uint32_t *index, const uint32_t *scale,
                                         struct hb_fixed_total *totals)
{
  const struct block block = {ni, index, NULL, NULL, {.scale = scale, .totals = totals}};
  return work(state, &block);
}

static enum hb_status ranks_begin_totals_at(void *state, size_t ni, const double *x, const double *v,
                                            const uint32_t *own, const uint32_t *scale,
                                            struct hb_fixed_total *totals)
{
  const struct block block = {ni, own, x, v, {.scale = scale, .totals = totals}};
  return work(state, &block);
}

static const struct hb_reproducible_ops reproducible = {
    .set_j = ranks_set_j_by, .begin = ranks_begin_totals, .begin_at = ranks_begin_totals_at};

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
  hb_ranks_split_print(sinks_from(r, r->nj), hb_ranks_count(), inner, sizeof r->tuning, r->tuning);
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
                               .set_j = ranks_set_j,
                               .begin = ranks_begin,
                               .begin_at = inner->begin_at ? ranks_begin_at : NULL,
                               .needs = ranks_needs,
                               .reproducible = inner->reproducible ? &reproducible : NULL,
                               .gl = ranks_gl,
                               .device = ranks_device,
                               .tuning = ranks_tuning};
}
