/* Opening a source of forces; and jobs as callers and integrators ask for them: checked, in the particles' own frame, among particles
 * with mass, timed, repeated where the device fails. */
#include "force/force.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/elementary.h"
#include "base/machine.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "base/text.h"
#include "force/devices.h"
#include "gl/gl_context.h"

#include <holmberg/holmberg.h>

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reproducible: units, a scale for each sink, repeats ------------------------------------------------ */

struct hb_rescale {
  struct hb_reproducible_units units;
  size_t nj, known_room;
  uint32_t *known; /* [nj] the scale that the last sum over each source as a sink wanted; 0: none yet */

  /* the call under way */
  struct hb_force_sinks sinks;
  struct hb_force_results to;
  size_t room, again_room;
  uint32_t *scale;               /* [ni] */
  struct hb_fixed_total *totals; /* [ni] */
  uint32_t *place, *index;       /* [again_room] of those to be summed again; */
  struct hb_part_points at;      /* where they are points */
};

static void rescale_destroy(struct hb_rescale *r)
{
  if (!r) return;
  hb_part_points_free(&r->at);
  HB_FREE(r->known, r->scale, r->totals, r->place, r->index, r);
}

/* Memory for scales of so many sources. */
static enum hb_status rescale_expect(struct hb_rescale *r, size_t nj)
{
  HB_TRY(HB_RENEW(nj, &r->known_room, HB_ARRAY(1, &r->known)));
  if (nj != r->nj) memset(r->known, 0, nj * sizeof *r->known); /* other particles */
  r->nj = nj;
  return HB_OK;
}

/* ---- loops over sinks ---- */

enum { PIECE = 1024, ALONE = 2 * PIECE /* sinks that are done before a second thread has woken up */ };

struct loop {
  struct hb_rescale *rescale;
  size_t ni;
  const uint32_t *place; /* sink place[k] is summed as k; NULL: as itself */
  atomic_size_t wrong;   /* sinks of another scale */
  atomic_int is_bad;
};

static void run(struct loop *loop, void (*piece)(void *context, size_t from, size_t to))
{
  hb_parallel_pieces(loop->ni, PIECE, ALONE, piece, loop);
}

/* Where the scale of sink i of the call is known; NULL: a point that is no source. Several points may be the same one. */
static uint32_t *known_of(const struct hb_rescale *r, size_t i)
{
  uint32_t own = r->sinks.index[i];
  return own < r->nj ? r->known + own : NULL;
}

static void guess_piece(void *context, size_t k, size_t end)
{
  const struct loop *l = context;
  const struct hb_rescale *r = l->rescale;
  uint32_t usual = hb_reproducible_scale(&r->units, 0);
  for (; k < end; k++) {
    const uint32_t *of = known_of(r, k);
    uint32_t known = of ? __atomic_load_n(of, __ATOMIC_RELAXED) : 0;
    r->scale[k] = known ? known : usual;
  }
}

static enum hb_status take_portion(struct loop *l, size_t from, size_t end)
{
  struct hb_rescale *r = l->rescale;
  for (size_t k = from; k < end; k++) {
    size_t i = l->place ? l->place[k] : k;
    const struct hb_fixed_total *t = &r->totals[k];
    uint32_t scale = hb_reproducible_scale(&r->units, t->most);
    uint32_t *known = known_of(r, i);
    if (known) __atomic_store_n(known, scale, __ATOMIC_RELAXED);
    if (scale != r->scale[k])
      atomic_fetch_add(&l->wrong, 1);
    else
      HB_TRY(hb_reproducible_result(&r->units, scale, t, r->to.a + 3 * i, r->to.j + 3 * i, r->to.phi + i));
  }
  return HB_OK;
}

static void take_piece(void *context, size_t from, size_t end)
{
  struct loop *l = context;
  if (take_portion(l, from, end) != HB_OK) l->is_bad = 1;
}

/* Results of those whose scale was right; how many had another. */
static enum hb_status take_all(struct hb_rescale *r, size_t ni, const uint32_t *place, size_t *wrong)
{
  struct loop loop = {r, ni, place, 0, 0};
  run(&loop, take_piece);
  *wrong = loop.wrong;
  return loop.is_bad ? take_portion(&loop, 0, ni) : HB_OK; /* again, for the sentence */
}

enum { POINTS = 4 /* 2^4 times the units of the sources */ };

/* Points may be 16 times farther and faster than the sources are. Errors: HB_ERR_INPUT. */
static enum hb_status reproducible_check_points(const struct hb_reproducible_units *u, size_t ni,
                                                const double *x, const double *v)
{
  const double far = ldexp(1, u->length + POINTS),
               fast = u->is_at_rest ? INFINITY : ldexp(1, u->velocity + POINTS);
  if (hb_largest(3 * ni, x) <= far && hb_largest(3 * ni, v) <= fast) return HB_OK;
  size_t k = 0;
  while (k + 1 < 3 * ni && fabs(x[k]) <= far && fabs(v[k]) <= fast) k++;
  return hb_fail(HB_ERR_INPUT,
                 "point %zu has %c = %g and v%c = %g, expected at most %g and %g: precision reproducible "
                 "takes points up to %d "
                 "times as far and as fast as the sources",
                 k / 3, "xyz"[k % 3], x[k], "xyz"[k % 3], v[k], far, fast, 1 << POINTS);
}

/* ---- calls ---- */

/* A job on a source of forces in these units: the job for its totals, and one more for those sinks. */
static enum hb_status rescale_begin(struct hb_rescale *r, const struct hb_force_ops *ops, void *state,
                                    const struct hb_force_job *job)
{
  struct hb_force_job own = *job;
  const struct hb_force_sinks *s = &job->sinks;
  if (job->sources.m) HB_TRY(rescale_expect(r, job->sources.n));
  if (s->x) HB_TRY(reproducible_check_points(&r->units, s->n, s->x, s->v));
  HB_TRY(HB_RENEW(s->n, &r->room, HB_ARRAY(1, &r->scale), HB_ARRAY(1, &r->totals)));
  r->sinks = *s;
  r->to = job->to;
  run(&(struct loop){r, s->n, NULL, 0, 0}, guess_piece);
  own.words = (struct hb_force_words){&r->units, r->scale, r->totals};
  return ops->begin(state, &own);
}

/* The job for sinks of another scale. The largest blocks are known now, and do not depend on the scale. */
static enum hb_status choose_again(struct hb_rescale *r, size_t wrong, struct hb_force_job *again)
{
  size_t k = 0;
  HB_TRY(HB_RENEW(wrong, &r->again_room, HB_ARRAY(1, &r->place), HB_ARRAY(1, &r->index)));
  if (r->sinks.x) HB_TRY(HB_RENEW(wrong, &r->at.room, HB_ARRAY(3, &r->at.x), HB_ARRAY(3, &r->at.v)));
  for (size_t i = 0; i < r->sinks.n; i++) {
    uint32_t scale = hb_reproducible_scale(&r->units, r->totals[i].most);
    if (scale == r->scale[i]) continue;
    r->place[k] = (uint32_t)i;
    r->index[k] = r->sinks.index[i];
    if (r->sinks.x) memcpy(r->at.x + 3 * k, r->sinks.x + 3 * i, 3 * sizeof *r->at.x);
    if (r->sinks.x) memcpy(r->at.v + 3 * k, r->sinks.v + 3 * i, 3 * sizeof *r->at.v);
    r->scale[k++] = scale;
  }
  again->sources = (struct hb_force_sources){0};
  again->sinks = (struct hb_force_sinks){.n = k, .index = r->index};
  if (r->sinks.x) again->sinks.x = r->at.x, again->sinks.v = r->at.v;
  return HB_OK;
}

static enum hb_status rescale_finish(struct hb_rescale *r, const struct hb_force_ops *ops, void *state,
                                     const struct hb_force_job *job)
{
  struct hb_force_job own = *job;
  size_t wrong, left;
  own.words = (struct hb_force_words){&r->units, r->scale, r->totals};
  if (ops->finish) HB_TRY(ops->finish(state, &own));
  HB_TRY(take_all(r, r->sinks.n, NULL, &wrong));
  if (wrong == 0) return HB_OK;
  HB_TRY(choose_again(r, wrong, &own));
  HB_TRY(ops->begin(state, &own));
  if (ops->finish) HB_TRY(ops->finish(state, &own));
  HB_TRY(take_all(r, wrong, r->place, &left));
  if (left == 0) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "the largest sum of a block changed from one walk to the next: the device's "
                                "arithmetic is not the same each time");
}

/* ---- ranks: a layer around any source; which device each of them computes on ---------------------------- */

/* And not as `but`. */
static int is_named(const char *word, const char *variable, const char *but)
{
  if (!word) word = getenv(variable);
  return word && *word && strcmp(word, "auto") != 0 && strcmp(word, but) != 0;
}

/* A machine's GPUs for its ranks in turns, as the name of params->device, unless a device or a context is named. */
static void ranks_place_choose(struct hb_force_params *params, char device[16])
{
  struct hb_gl_devices gpus;
  const struct hb_force_ops *ops = params->scheme ? hb_force_find(params->scheme) : NULL;
  if (hb_ranks_count() == 1 || (ops && ops->info.on_host) || is_named(params->device, "HB_DEVICE", "") ||
      is_named(params->context, "HB_CONTEXT", "egl")) /* whose devices have numbers */
    return;
  if (hb_gl_devices_named("all", &gpus) != HB_OK) return;
  snprintf(device, 16, "%s", gpus.name[hb_ranks_self()->local % gpus.count]);
  params->device = device;
}

/* Collective: the source that rank 0 has chosen (status: of choosing) to all. */
static enum hb_status ranks_place_agree(enum hb_status status, const struct hb_force_ops **ops)
{
  char name[32] = "";
  if (hb_ranks_count() == 1) return status;
  HB_TRY(hb_ranks_agree(status));
  snprintf(name, sizeof name, "%s", (*ops)->info.name);
  HB_TRY(hb_ranks_share(name, sizeof name));
  *ops = hb_force_find(name);
  return HB_OK; /* the programs are the same */
}

/* "machine: device, where it is there" */
struct place {
  char text[328];
};

/* Of those from the first one on that are the same. */
static enum hb_status log_place(int count, const struct place *places, int first)
{
  HB_OWN struct hb_text ranks = {0};
  for (int k = first; k < count; k++)
    if (strcmp(places[k].text, places[first].text) == 0)
      HB_TRY(hb_text_append(&ranks, k > first ? ", %d" : "%d", k));
  hb_log_warn("rank%s %s of %d on %s", strchr(ranks.text, ',') ? "s" : "", ranks.text, count,
              places[first].text);
  return HB_OK;
}

static enum hb_status log_places(int count, const struct place *places)
{
  for (int k = 0; k < count; k++) {
    int first = 0;
    while (strcmp(places[first].text, places[k].text) != 0) first++;
    if (first == k) HB_TRY(log_place(count, places, k));
  }
  return HB_OK;
}

/* Collective: rank 0 warns of every device with its machine and ranks, so that one shared by mistake shows. place: where
 * in the machine the device is, may be "". */
static enum hb_status report_place(const char *device, const char *place)
{
  struct place mine = {""};
  HB_OWN struct place *all = NULL;
  int count = hb_ranks_count();
  snprintf(mine.text, sizeof mine.text, "%.63s: %.191s%s%.63s", hb_ranks_self()->machine, device,
           *place ? ", " : "", place);
  HB_TRY(HB_ALLOC((size_t)count, &all));
  HB_TRY(hb_ranks_gather(sizeof mine / sizeof(uint64_t), &mine, all));
  return hb_ranks_number() == 0 ? log_places(count, all) : HB_OK;
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

  struct hb_force_sources j; /* the caller's */
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

/* A quarter of the sources: for fewer sinks, to send all sources everywhere takes longer than to add up results. */
static size_t ranks_split_usual(size_t nj, int ranks)
{
  static const size_t EACH = 1024; /* that keep a device busy */
  return hb_max(nj / 4, EACH * (size_t)ranks);
}

static size_t sinks_from(const struct ranks *r, size_t nj)
{
  if (!r->part.ops->has_points) return 1; /* its sinks are its sources */
  return r->split.sinks_from ? r->split.sinks_from : ranks_split_usual(nj, hb_ranks_count());
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static void ranks_close(void *state)
{
  struct ranks *r = state;
  if (!r) return;
  if (r->part.ops) r->part.ops->close(r->part.state);
  hb_part_points_free(&r->points);
  hb_part_free(&r->part);
  HB_FREE(r->message, r->room);
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

/* Collective; the ops' open, which does not know the inner source. */
static enum hb_status force_ranks_open(const struct hb_force_ops *inner, const struct hb_force_params *params,
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
  const struct hb_force_job sources = {
      .sources = r->j, .words.units = b->words.units, .spent = b->spent, .since = b->since};
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
static void take_share(const struct hb_force_job *b, size_t first, size_t ni, void *message)
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
  HB_TRY(hb_ranks_gather(words, NULL, r->shown ? NULL : room));
  for (int k = 0; k < count; k++) sum += room[(size_t)k * words];
  HB_TRY(hb_ranks_heard(sum, status));
  for (int k = 0; k < count; k++) {
    size_t first = cut(b->sinks.n, k, SINKS);
    take_share(b, first, cut(b->sinks.n, k + 1, SINKS) - first, room + (size_t)k * words);
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
  take_share(b, 0, b->sinks.n, r->message);
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

/* The operations of `inner`, shared out: *ops has its facts. Particles do not stay on the device. The arrays of sources are the
 * caller's until the next ones. How blocks are shared out is fixed with the first ones: by a word of the tuning (devices.c),
 * in precision reproducible, whose bits do not depend on it, by a measurement, and otherwise by the numbers of particles and
 * ranks, so that as many ranks give the same bytes again. What is not here, as particles that stay on a device, ranks cannot do. */
static void force_ranks_around(const struct hb_force_ops *inner, struct hb_force_ops *ops)
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

/* ---- opening, and jobs ---------------------------------------------------------------------------------- */

/* ---- the range of float ---- */

static const double SPEED = 0x1p62; /* r . v of two particles as fast as this is a float */

static size_t largest_of(size_t count, const double *q)
{
  size_t at = 0;
  for (size_t k = 1; k < count; k++)
    if (!(fabs(q[k]) <= fabs(q[at]))) at = k;
  return at;
}

/* The geometric mean: neither a distant particle makes it large nor a central one small. */
static double mean_distance(size_t n, const double *x)
{
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    double far = fmax(fmax(fabs(x[3 * i]), fabs(x[3 * i + 1])), fabs(x[3 * i + 2]));
    if (far > 0) sum += hb_elementary_log(far), count++;
  }
  return count ? hb_elementary_exp(sum / (double)count) : 0;
}

/* The lesser of force and jerk between particles of the mean mass at distance r, with the speed of a circular orbit. */
static double least_size(double M, size_t n, double r)
{
  double mr3 = M / (double)n / r / r / r;
  return fmin(mr3, mr3 * sqrt(M / r));
}

/* Where these are below the normal floats at the mean distance, the system would not move in such units. The mean, which
 * takes a logarithm a particle, is not larger than the largest coordinate, far. */
static enum hb_status check_units(size_t n, const double *m, const double *x, double far)
{
  double M = 0;
  for (size_t i = 0; i < n; i++) M += m[i];
  if (!(M > 0 && far > 0) || least_size(M, n, far) >= FLT_MIN) return HB_OK;
  double r = mean_distance(n, x);
  if (least_size(M, n, r) >= FLT_MIN) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "the mean mass is %g and the mean distance %g: in these units "
                 "forces or jerks are below %.3g and too small for float (scheme host computes in double)",
                 M / (double)n, r, (double)FLT_MIN);
}

/* Errors: HB_ERR_INPUT (the first particle that has a number that is not finite). */
static enum hb_status check_all_finite(size_t n, const double *m, const double *x, const double *v)
{
  if (hb_largest(n, m) < INFINITY && hb_largest(3 * n, x) < INFINITY && hb_largest(3 * n, v) < INFINITY)
    return HB_OK;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(m[i])) return hb_fail(HB_ERR_INPUT, "particle %zu has mass %g, expected finite", i, m[i]);
    for (size_t k = 3 * i; k < 3 * i + 3; k++)
      if (!isfinite(x[k]) || !isfinite(v[k]))
        return hb_fail(HB_ERR_INPUT, "particle %zu has %c = %g and v%c = %g, expected finite", i,
                       "xyz"[k % 3], x[k], "xyz"[k % 3], v[k]);
  }
  return HB_OK;
}

static enum hb_status check_range(const struct hb_force_ops *ops, size_t n, const double *m, const double *x,
                                  const double *v)
{
  const char *name = ops->info.name;
  double far = hb_largest(3 * n, x), fast = hb_largest(3 * n, v), reach = ops->reach;
  if (!(far <= reach)) {
    size_t k = largest_of(3 * n, x);
    return hb_fail(HB_ERR_INPUT,
                   "particle %zu is at %c = %g from the center, expected within %.3g: "
                   "the float arithmetic of scheme %s goes no further (scheme host computes in double)",
                   k / 3, "xyz"[k % 3], x[k], reach, name);
  }
  if (!(fast <= SPEED)) {
    size_t k = largest_of(3 * n, v);
    return hb_fail(HB_ERR_INPUT,
                   "particle %zu has v%c = %g, expected within %.3g: "
                   "the float arithmetic of scheme %s goes no further (scheme host computes in double)",
                   k / 3, "xyz"[k % 3], v[k], SPEED, name);
  }
  return check_units(n, m, x, far);
}

/* ---- points ---- */

enum {
  PIECE_OF_POINTS = 4096,
  ALONE_WITH_POINTS = 4 * PIECE_OF_POINTS /* points that are looked at before a second thread has woken up */
};

static enum hb_status reserve_points(struct hb_points *p, size_t ni)
{
  if (ni <= p->capacity) return HB_OK;
  HB_TRY(HB_RENEW(ni, &p->capacity, HB_ARRAY(3, &p->rest), HB_ARRAY(1, &p->nobody)));
  for (size_t i = 0; i < ni; i++) p->nobody[i] = HB_NO_SOURCE;
  return HB_OK;
}

/* The first coordinate that is beyond reach, or whose velocity is; 3 * ni: none. */
struct search {
  double reach;
  const double *x, *v;
  atomic_size_t first;
};

static int is_beyond(const struct search *s, size_t k)
{
  return !(fabs(s->x[k]) <= s->reach && fabs(s->v[k]) <= s->reach);
}

static void search_piece(void *context, size_t from, size_t end)
{
  struct search *s = context;
  size_t before;
  int any = 0;
  for (size_t k = from; k < end; k++)
    any |= is_beyond(s, k); /* mostly none: a loop without a way out is faster */
  if (!any) return;
  while (!is_beyond(s, from)) from++;
  for (before = atomic_load(&s->first); from < before;)
    if (atomic_compare_exchange_weak(&s->first, &before, from)) break;
}

static enum hb_status check_reach(double reach, size_t ni, const double *x, const double *v)
{
  struct search s = {.reach = reach, .x = x, .v = v};
  atomic_init(&s.first, 3 * ni);
  hb_parallel_pieces(3 * ni, 3 * PIECE_OF_POINTS, 3 * ALONE_WITH_POINTS, search_piece, &s);
  size_t k = s.first;
  if (k == 3 * ni) return HB_OK;
  if (reach == DBL_MAX)
    return hb_fail(HB_ERR_INPUT, "point %zu has %c = %g and v%c = %g, expected finite", k / 3, "xyz"[k % 3],
                   x[k], "xyz"[k % 3], v[k]);
  return hb_fail(HB_ERR_INPUT,
                 "point %zu has %c = %g from the center and v%c = %g, expected within %.3g: this float "
                 "arithmetic goes no further (scheme host computes in double)",
                 k / 3, "xyz"[k % 3], x[k], "xyz"[k % 3], v[k], reach);
}

static enum hb_status check_own(size_t nj, size_t ni, const uint32_t *own)
{
  for (size_t i = 0; i < ni; i++)
    if (own[i] >= nj && own[i] != HB_NO_SOURCE)
      return hb_fail(HB_ERR_USAGE, "point %zu leaves out source %u, expected below %zu or HB_NO_SOURCE", i,
                     own[i], nj);
  return HB_OK;
}

/* *x and *v of n particles with origin[0] and origin[1] subtracted: in the copy, or, where both are 0, unchanged.
 * Errors: HB_ERR_INTERNAL. */
static enum hb_status enter_frame(const double origin[2][3], size_t n, const double **x, const double **v,
                                  struct hb_part_points *copy)
{
  const double *place = origin[0], *velocity = origin[1];
  int is_same = !(place[0] || place[1] || place[2] || velocity[0] || velocity[1] || velocity[2]);
  if (is_same) return HB_OK;
  HB_TRY(HB_RENEW(n, &copy->room, HB_ARRAY(3, &copy->x), HB_ARRAY(3, &copy->v)));
  hb_frame_subtract(place, n, *x, copy->x);
  hb_frame_subtract(velocity, n, *v, copy->v);
  *x = copy->x;
  *v = copy->v;
  return HB_OK;
}

/* Replaces x, v and index of the sinks (the last two may be NULL) by what a source of forces is given: none of them NULL, in the
 * frame with that origin. There no coordinate and no velocity may be beyond reach (0: all that are finite). Errors: HB_ERR_INPUT,
 * HB_ERR_USAGE (index: not below nj), HB_ERR_INTERNAL. */
static enum hb_status prepare_points(struct hb_points *points, const double origin[2][3], double reach,
                                     size_t nj, struct hb_force_sinks *i)
{
  if (i->index) HB_TRY(check_own(nj, i->n, i->index));
  if (!i->v || !i->index) HB_TRY(reserve_points(points, i->n));
  if (!i->v) i->v = points->rest;
  if (!i->index) i->index = points->nobody;
  HB_TRY(enter_frame(origin, i->n, &i->x, &i->v, &points->in_frame));
  return check_reach(reach > 0 ? reach : DBL_MAX, i->n, i->x, i->v);
}

/* ---- particles with mass ---- */

static void free_massive(struct hb_massive *s)
{
  HB_FREE(s->slot, s->place, s->own, s->m);
  hb_part_points_free(&s->at);
  hb_part_points_free(&s->sinks);
  *s = (struct hb_massive){0};
}

static enum hb_status fill_massive(struct hb_massive *s, size_t n, size_t count, const double *m)
{
  HB_TRY(HB_ALLOC(count, &s->slot));
  HB_TRY(HB_ALLOC(n, &s->place));
  HB_TRY(HB_ALLOC(count, &s->m));
  for (size_t i = 0, k = 0; i < n; i++) {
    s->place[i] = m[i] != 0 ? (uint32_t)k : HB_NO_SOURCE;
    if (m[i] != 0) s->slot[k++] = (uint32_t)i;
  }
  s->n = n;
  s->count = count;
  return HB_OK;
}

static int are_massive(const struct hb_massive *s, size_t n, const double *m)
{
  size_t same = 0;
  for (size_t i = 0; i < n && n == s->n; i++) same += (m[i] != 0) == (s->place[i] != HB_NO_SOURCE);
  return s->count > 0 && same == n;
}

/* Errors: HB_ERR_INTERNAL; there are none then. */
static enum hb_status find_massive(struct hb_massive *s, size_t n, const double *m)
{
  size_t count = 0;
  if (are_massive(s, n, m)) return HB_OK;
  free_massive(s);
  for (size_t i = 0; i < n; i++) count += m[i] != 0;
  if (count == 0 || count == n) return HB_OK;
  enum hb_status status = fill_massive(s, n, count, m);
  if (status != HB_OK) free_massive(s);
  return status;
}

/* Those of all become the sources. Errors: HB_ERR_INTERNAL. */
static enum hb_status gather(struct hb_massive *s, struct hb_force_sources *j)
{
  struct hb_force_sinks massive = {.n = s->count, .index = s->slot};
  HB_TRY(hb_part_points_fill(&s->at, j, &massive));
  for (size_t k = 0; k < s->count; k++) s->m[k] = j->m[s->slot[k]];
  *j = (struct hb_force_sources){s->count, s->m, massive.x, massive.v};
  return HB_OK;
}

/* Of sources that are set many may have no mass: those with mass become the sources, and all are kept for sinks among them. */
static enum hb_status leave_out(struct hb_force *force, struct hb_force_sources *j)
{
  struct hb_massive *s = &force->set;
  size_t light = 0;
  for (size_t i = 0; i < j->n; i++) light += j->m[i] == 0;
  if (!force->ops->has_points || force->rescale || force->interaction != HB_INTERACTION_GRAVITY ||
      !hb_massless_are_many(j->n, light))
    return HB_OK;
  HB_TRY(find_massive(s, j->n, j->m));
  HB_TRY(HB_RENEW(j->n, &force->all.room, HB_ARRAY(3, &force->all.x), HB_ARRAY(3, &force->all.v)));
  memcpy(force->all.x, j->x, 3 * j->n * sizeof *j->x);
  memcpy(force->all.v, j->v, 3 * j->n * sizeof *j->v);
  HB_TRY(gather(s, j));
  force->place = s->place;
  force->placed = s->count;
  return HB_OK;
}

/* Sinks of a call on those: points among the sources with mass. Errors: HB_ERR_USAGE, HB_ERR_INTERNAL. */
static enum hb_status place_sinks(struct hb_force *force, struct hb_force_sinks *i)
{
  struct hb_massive *s = &force->set;
  const struct hb_force_sources all = {.x = force->all.x, .v = force->all.v};
  HB_TRY(HB_RENEW(i->n, &s->room, HB_ARRAY(1, &s->own)));
  if (!i->x)
    HB_TRY(hb_part_points_fill(&s->sinks, &all, i));
  else if (i->index)
    HB_TRY(check_own(force->nj, i->n, i->index));
  for (size_t k = 0; k < i->n; k++) {
    uint32_t at = i->index ? i->index[k] : HB_NO_SOURCE;
    s->own[k] = at == HB_NO_SOURCE ? at : force->place[at];
  }
  i->index = s->own;
  return HB_OK;
}

/* The same job among those: the sinks become points. Errors: HB_ERR_INTERNAL. */
static enum hb_status make_massive_job(struct hb_massive *s, struct hb_force_job *job)
{
  struct hb_force_sinks *sinks = &job->sinks;
  HB_TRY(HB_RENEW(sinks->n, &s->room, HB_ARRAY(1, &s->own)));
  HB_TRY(hb_part_points_fill(&s->sinks, &job->sources, sinks));
  for (size_t k = 0; k < sinks->n; k++) s->own[k] = s->place[sinks->index[k]];
  sinks->index = s->own;
  return gather(s, &job->sources);
}

/* ---- sources ---- */

static enum hb_status expect_sources(struct hb_force *force, size_t nj)
{
  if (nj == 0 || nj > UINT32_MAX)
    return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected 1 to 2^32 - 1", nj);
  force->nj = 0;
  force->place = NULL;
  if (nj <= force->stamp_room) return HB_OK;
  HB_TRY(HB_RENEW(nj, &force->stamp_room, HB_ARRAY(1, &force->stamp)));
  force->call = 0;
  return HB_OK;
}

static void free_jobs(struct hb_force *force)
{
  HB_FREE(force->stamp, force->points.rest, force->points.nobody);
  hb_part_points_free(&force->sources);
  hb_part_points_free(&force->all);
  hb_part_points_free(&force->points.in_frame);
  free_massive(&force->massive);
  free_massive(&force->set);
}

struct hb_gl_context *hb_force_on_device(const struct hb_force *force, struct hb_device_particles *particles)
{
  *particles = (struct hb_device_particles){0};
  return force->ops->on_device && force->state ? force->ops->on_device(force->state, particles) : NULL;
}

/* double needs no frame, and keeps its bits without one. */
int hb_force_rounds(const struct hb_force *force) { return !hb_force_facts(force)->is_double; }

enum hb_status hb_force_check_range(const struct hb_force *force, size_t n, const double *m, const double *x,
                                    const double *v)
{
  int bounded = hb_force_rounds(force) && force->scheme->reach > 0;
  return bounded ? check_range(force->scheme, n, m, x, v) : HB_OK;
}

static enum hb_status check_idle(const struct hb_force *force)
{
  return force->is_under_way ? hb_fail(HB_ERR_USAGE, "a call is under way: hb_force_finish it first") : HB_OK;
}

/* To the source, or in precision reproducible by way of totals. */
static enum hb_status begin_job(struct hb_force *force, const struct hb_force_job *job)
{
  return force->rescale ? rescale_begin(force->rescale, force->ops, force->state, job)
                        : force->ops->begin(force->state, job);
}

enum hb_status hb_force_set_j(struct hb_force *force, size_t nj, const double *m, const double *x,
                              const double *v)
{
  HB_GL_VISIT;
  double origin[2][3] = {{0}};
  struct hb_force_job job = {.sources = {nj, m, x, v}};
  struct hb_force_sources *s = &job.sources;
  HB_TRY(check_idle(force));
  if (nj > 0 && (!m || !x || !v))
    return hb_fail(HB_ERR_USAGE, "no %s of the sources", !m ? "masses" : !x ? "positions" : "velocities");
  HB_TRY(check_all_finite(nj, m, x, v)); /* before a frame is made of them */
  if (hb_force_rounds(force)) {
    hb_frame_origin(nj, m, x, HB_FRAME_COARSE, origin[0]);
    hb_frame_origin(nj, m, v, HB_FRAME_COARSE, origin[1]);
    HB_TRY(enter_frame(origin, nj, &x, &v, &force->sources));
  }
  HB_TRY(hb_force_check_range(force, nj, m, x, v));
  HB_TRY(expect_sources(force, nj));
  HB_TRY(leave_out(force, s));
  if (!force->place)
    *s = (struct hb_force_sources){nj, m, x, v};
  else if (hb_force_rounds(force))
    HB_TRY(enter_frame((const double(*)[3])origin, s->n, &s->x, &s->v, &force->sources));
  if (force->rescale)
    HB_TRY(hb_reproducible_find_units(nj, m, x, v, force->params.eps, &force->rescale->units));
  HB_TRY(begin_job(force, &job));
  memcpy(force->origin, origin, sizeof origin);
  force->nj = nj;
  return HB_OK;
}

/* Sources, and none twice: so it is where a scheduler gives them in ascending order. */
static enum hb_status check_sinks(struct hb_force *force, size_t ni, const uint32_t *index)
{
  int wrong = ni > 0 && index[ni - 1] >= force->nj;
  for (size_t k = 1; k < ni; k++) wrong |= index[k] <= index[k - 1];
  if (!wrong) return HB_OK;
  if (++force->call == 0) { /* the counter wrapped: clear all stamps */
    memset(force->stamp, 0, force->stamp_room * sizeof *force->stamp);
    force->call = 1;
  }
  for (size_t k = 0; k < ni; k++) {
    if (index[k] >= force->nj)
      return hb_fail(HB_ERR_USAGE, "sink %zu is particle %u, expected below %zu", k, index[k], force->nj);
    if (force->stamp[index[k]] == force->call)
      return hb_fail(HB_ERR_USAGE, "sink %zu names particle %u again", k, index[k]);
    force->stamp[index[k]] = force->call;
  }
  return HB_OK;
}

static int are_finite(const struct hb_force_results *f, size_t k)
{
  for (size_t d = 3 * k; d < 3 * k + 3; d++)
    if (!isfinite(f->a[d]) || !isfinite(f->j[d])) return 0;
  return isfinite(f->phi[k]);
}

/* For callers who would go on with forces that float does not hold, since a source was too near. Errors: HB_ERR_NUMERIC. */
static enum hb_status check_finite(const struct hb_force *force, const struct hb_force_job *job)
{
  const struct hb_force_sinks *i = &job->sinks;
  size_t k = 0;
  if (!hb_force_rounds(force)) return HB_OK;
  while (k < i->n && are_finite(&job->to, k)) k++;
  if (k == i->n) return HB_OK;
  return hb_fail(HB_ERR_NUMERIC,
                 "the force %s %zu is beyond the range of float: %s is too close for precision %s "
                 "(eps above 0, or scheme host, keeps it finite)",
                 i->x ? "at point" : "on particle", i->x ? k : (size_t)i->index[k],
                 i->x ? "a source" : "another", hb_force_precision(force));
}

/* Sinks of the sources that are set. */
static enum hb_status begin(struct hb_force *force, struct hb_force_job *job)
{
  struct hb_force_sinks *i = &job->sinks;
  if (force->nj == 0) return hb_fail(HB_ERR_USAGE, "forces requested before the sources were set");
  HB_TRY(check_idle(force));
  force->begun_s = -1;
  force->spent = (struct hb_phases){0};
  if (i->n == 0) return HB_OK;
  double reach = hb_force_rounds(force) ? force->scheme->reach : 0;
  if (!i->x) HB_TRY(check_sinks(force, i->n, i->index));
  if (force->place) HB_TRY(place_sinks(force, i));
  size_t nj = force->place ? force->placed : force->nj;
  if (i->x) HB_TRY(prepare_points(&force->points, (const double(*)[3])force->origin, reach, nj, i));
  HB_TRY(begin_job(force, job));
  force->under_way = *job;
  force->is_under_way = 1;
  return HB_OK;
}

static enum hb_status check_points(const struct hb_force *force)
{
  if (force->nj == 0 || force->ops->has_points) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "scheme %s computes forces on its sources only, not on other points",
                 force->scheme->info.name);
}

/* Before the caller turns to other work: a driver may wait for more commands before it starts any. */
static enum hb_status set_off(struct hb_force *force)
{
  struct hb_gl_context *gl = hb_force_gl(force);
  enum hb_status status = gl ? hb_gl_context_flush(gl) : HB_OK;
  if (status != HB_OK) force->is_under_way = 0; /* there is nothing to finish */
  return status;
}

static enum hb_status begin_and_set_off(struct hb_force *force, const struct hb_force_job *job)
{
  HB_GL_VISIT;
  struct hb_force_job own = *job;
  HB_TRY(begin(force, &own));
  return set_off(force);
}

/* Adds the time that a call has taken to begin, and now to finish, but not what its caller did in between; of that the source has
 * spent some in sending and receiving. */
static enum hb_status finish(struct hb_force *force)
{
  HB_GL_VISIT;
  struct hb_phases *phases = &force->phases, *spent = &force->spent;
  const struct hb_force_job *job = &force->under_way;
  if (!force->is_under_way) return HB_OK;
  double start = force->begun_s < 0 ? 0 : hb_clock_now();
  force->is_under_way = 0;
  if (force->rescale)
    HB_TRY(rescale_finish(force->rescale, force->ops, force->state, job));
  else if (force->ops->finish)
    HB_TRY(force->ops->finish(force->state, job));
  if (force->begun_s < 0) return HB_OK;
  if (job->check)
    HB_TRY(job->check(job->owner));
  else if (!job->sources.m && force->kept)
    HB_TRY(force->ops->resident->check(force->records, job->sinks.n, job->to.a));
  phases->send_s += spent->send_s;
  phases->receive_s += spent->receive_s;
  phases->force_s += force->begun_s + (hb_clock_now() - start) - spent->send_s - spent->receive_s;
  return HB_OK;
}

enum hb_status hb_force_finish(struct hb_force *force)
{
  int is_to_check = force->is_under_way && force->begun_s < 0;
  HB_TRY(finish(force));
  return is_to_check ? check_finite(force, &force->under_way) : HB_OK;
}

enum hb_status hb_force_begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                              double *phi)
{
  return begin_and_set_off(force,
                           &(struct hb_force_job){.sinks = {.n = ni, .index = index}, .to = {a, j, phi}});
}

enum hb_status hb_force_begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                                 const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(check_points(force));
  return begin_and_set_off(force, &(struct hb_force_job){.sinks = {ni, own, x, v}, .to = {a, j, phi}});
}

static enum hb_status begin_and_finish(struct hb_force *force, struct hb_force_job *job)
{
  HB_GL_VISIT;
  HB_TRY(begin(force, job));
  return hb_force_finish(force);
}

enum hb_status hb_force_eval(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi)
{
  return begin_and_finish(force,
                          &(struct hb_force_job){.sinks = {.n = ni, .index = index}, .to = {a, j, phi}});
}

enum hb_status hb_force_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                           const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(check_points(force));
  return begin_and_finish(force, &(struct hb_force_job){.sinks = {ni, own, x, v}, .to = {a, j, phi}});
}

/* ---- sources that others send ---- */

enum hb_status hb_force_engine(struct hb_force *force, size_t nj, struct hb_pairs **pairs)
{
  *pairs = NULL;
  HB_TRY(check_idle(force));
  HB_TRY(expect_sources(force, nj));
  return force->ops->engine && !force->rescale ? force->ops->engine(force->state, nj, pairs) : HB_OK;
}

/* ---- as integrators call them: sources and forces in one, timed, repeated where the device fails ---- */

enum hb_status hb_force_find_massive(struct hb_force *force, size_t n, const double *m)
{
  return force->ops->has_points ? find_massive(&force->massive, n, m) : HB_OK;
}

const uint32_t *hb_force_massive(const struct hb_force *force, size_t n, size_t *count)
{
  const struct hb_massive *s = &force->massive;
  int is_used = s->count && s->n == n;
  *count = is_used ? s->count : n;
  return is_used ? s->slot : NULL;
}

/* On sources that are set or kept. */
static enum hb_status begin_prepared(struct hb_force *force, struct hb_force_job *job)
{
  if (job->prepare) HB_TRY(job->prepare(job->owner));
  double start = hb_clock_now();
  job->spent = &force->spent;
  HB_TRY(begin(force, job));
  force->begun_s = hb_clock_now() - start;
  return HB_OK;
}

static enum hb_status begin_once(struct hb_force *force, struct hb_force_job job)
{
  HB_GL_VISIT;
  const struct hb_force_sources all = job.sources;
  if (!all.m) return begin_prepared(force, &job);
  double start = hb_clock_now();
  HB_TRY(check_idle(force));
  HB_TRY(expect_sources(force, all.n));
  force->nj = all.n; /* for the check of the sinks only */
  enum hb_status status = check_sinks(force, job.sinks.n, job.sinks.index);
  force->nj = 0;
  if (status != HB_OK || job.sinks.n == 0) return status;
  /* an escaping particle may get out of the range of r^-5, but not of r^2 */
  if (force->scheme->reach < HB_FORCE_FLOAT_REACH &&
      hb_force_check_range(force, all.n, all.m, all.x, all.v) != HB_OK)
    return HB_ERR_NUMERIC;
  if (force->rescale) /* sinks are in its units, too */
    HB_TRY(hb_reproducible_find_units(all.n, all.m, all.x, all.v, force->params.eps, &force->rescale->units));
  if (force->massive.count && force->massive.n == all.n) /* the caller has predicted no others */
    HB_TRY(make_massive_job(&force->massive, &job));
  force->spent = (struct hb_phases){0};
  job.spent = &force->spent;
  job.since = start;
  HB_TRY(begin_job(force, &job));
  force->under_way = job;
  force->is_under_way = 1;
  force->begun_s = hb_clock_now() - start;
  return HB_OK;
}

/* After HB_ERR_DEVICE of a call or a part of it. */
static enum hb_status once_more(struct hb_force *force, const struct hb_force_job *job)
{
  if (!job->sources.m && !job->prepare) return HB_ERR_DEVICE; /* what was kept is gone */
  hb_log("%s; trying once more with shorter draws", hb_error());
  HB_TRY(hb_force_open_again(force));
  HB_TRY(begin_once(force, *job));
  return finish(force);
}

enum hb_status hb_force_begin_of(struct hb_force *force, const struct hb_force_job *job)
{
  enum hb_status status = begin_once(force, *job);
  if (status == HB_OK) status = set_off(force);
  return status == HB_ERR_DEVICE ? once_more(force, job) : status;
}

enum hb_status hb_force_finish_of(struct hb_force *force, const struct hb_force_job *job)
{
  enum hb_status status = finish(force);
  return status == HB_ERR_DEVICE ? once_more(force, job) : status;
}

struct hb_force_needs hb_force_needs(const struct hb_force *force, size_t nj, size_t ni)
{
  const struct hb_massive *s = &force->massive;
  size_t from = 0, to = nj;
  if (force->rescale) return (struct hb_force_needs){.count = nj}; /* its units are found from all */
  if (s->count && s->n == nj) return (struct hb_force_needs){.list = s->slot, .count = s->count};
  if (force->ops->needs) force->ops->needs(force->state, nj, ni, &from, &to);
  return (struct hb_force_needs){.from = from, .count = to - from};
}

struct hb_phases *hb_force_phases(struct hb_force *force) { return &force->phases; }

enum hb_status hb_force_of(struct hb_force *force, const struct hb_force_job *job)
{
  enum hb_status status = begin_once(force, *job);
  if (status == HB_OK) status = finish(force);
  return status == HB_ERR_DEVICE ? once_more(force, job) : status;
}

void hb_force_set_field(struct hb_force *force, const struct hb_field *field) { force->field = field; }
const struct hb_field *hb_force_field(const struct hb_force *force) { return force->field; }

/* ---- particles that stay on the device ---- */

enum hb_status hb_force_keep(struct hb_force *force, const struct hb_force_particles *p, size_t ni,
                             const uint32_t *index)
{
  const struct hb_force_resident_ops *resident = force->ops->resident;
  if (!resident)
    return hb_fail(HB_ERR_USAGE, "%s %s keeps no particles on a device (expected %s)",
                   hb_ranks_count() > 1 ? "with several ranks, scheme" : "scheme", force->scheme->info.name,
                   hb_ranks_count() > 1 ? "predict host, or one process with device 0,1" : "bag or tile");
  if (force->rescale)
    return hb_fail(HB_ERR_USAGE,
                   "precision %s predicts and corrects on the host: a device would not keep its bits",
                   hb_force_precision(force));
  double lap = hb_clock_now();
  HB_TRY(expect_sources(force, p->n));
  force->nj = force->kept = p->n;
  if (index) HB_TRY(check_sinks(force, ni, index));
  HB_TRY(force->ops->records(force->state, p->n, &force->records));
  HB_TRY(resident->keep(force->records, p, ni, index));
  force->phases.send_s += hb_clock_lap(&lap);
  return HB_OK;
}

static enum hb_status check_kept(const struct hb_force *force)
{
  return force->kept ? HB_OK : hb_fail(HB_ERR_USAGE, "no particles are stored on the device yet");
}

enum hb_status hb_force_predict(struct hb_force *force, const double dt[HB_FORCE_LEVELS])
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(force->ops->resident->predict(force->records, dt));
  force->nj = force->kept;
  force->phases.predict_s += hb_clock_lap(&lap);
  return HB_OK;
}

enum hb_status hb_force_correct(struct hb_force *force, const struct hb_force_correction *correction)
{
  struct hb_force_correction own = *correction;
  struct hb_phases last = {0};
  HB_TRY(check_kept(force));
  HB_TRY(check_sinks(force, own.ni, own.index));
  double lap = hb_clock_now();
  own.last = &last;
  HB_TRY(force->ops->resident->correct(force->records, &own));
  force->phases.correct_s += last.correct_s;
  force->phases.receive_s += last.receive_s;
  force->phases.force_s += hb_clock_lap(&lap) - last.correct_s - last.receive_s;
  return HB_OK;
}

enum hb_status hb_force_settle(struct hb_force *force, size_t ni, const uint32_t *index, const uint8_t *level)
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(force->ops->resident->settle(force->records, ni, index, level));
  force->phases.send_s += hb_clock_lap(&lap);
  return HB_OK;
}

enum hb_status hb_force_fetch(struct hb_force *force, struct hb_force_particles *p)
{
  HB_TRY(check_kept(force));
  return force->ops->resident->fetch(force->records, p);
}

/* ---- opening, and what is known ---- */

/* Copies an optional string of the caller's. */
static const char *keep(const char *text, size_t room, char *copy)
{
  if (!text) return NULL;
  snprintf(copy, room, "%s", text);
  return copy;
}

/* Gravity, or another interaction that the source accepts: one of the program's, the caller's, or that of a file. */
static enum hb_status choose_interaction(struct hb_force *f, const struct hb_force_params *params)
{
  const char *name = params->interaction;
  double parameter[4];
  if (name && hb_interaction_is_path(name)) HB_TRY(hb_interaction_create(name, &f->own_interaction));
  f->interaction = f->own_interaction           ? f->own_interaction
                   : params->custom_interaction ? params->custom_interaction
                   : name                       ? hb_interaction_find(name)
                                                : HB_INTERACTION_GRAVITY;
  if (!f->interaction) return hb_interaction_unknown(name);
  if (!f->scheme->takes_interactions && f->interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes gravity_jerk only, not %s", f->scheme->info.name,
                   f->interaction->name);
  if (!hb_interaction_is_integrable(f->interaction))
    return hb_fail(
        HB_ERR_USAGE,
        "interaction %s cannot be integrated: its particle is not (x, y, z, m) (vx, vy, vz, -), or its "
        "force not (ax, ay, az, phi) (jx, jy, jz, -)",
        f->interaction->name);
  HB_TRY(hb_interaction_set(f->interaction, params->eps, params->parameters, parameter));
  if (params->parameters) HB_TRY(hb_mem_strdup(params->parameters, &f->parameters));
  f->params.parameters = f->parameters;
  f->params.custom_interaction = f->interaction;
  f->params.interaction = f->interaction->name;
  return HB_OK;
}

/* One device, or several around the scheme. */
static enum hb_status choose_devices(struct hb_force *f)
{
  struct hb_gl_devices devices;
  if (f->scheme->info.on_host) return HB_OK; /* hb_source_choose has checked the names */
  HB_TRY(hb_gl_devices_named(f->params.device, &devices));
  if (devices.count == 0) return HB_OK;
  if (!f->scheme->pairs)
    return hb_fail(HB_ERR_USAGE,
                   "scheme %s works on one device, not on several (bag, tile and matrix2004 do)",
                   f->scheme->info.name);
  f->inner = f->ops = &hb_force_devices;
  return HB_OK;
}

/* What was written by several devices or ranks may be resumed by one: it does not know the words of their plans. */
static enum hb_status choose_tuning(struct hb_force *f, const char *words)
{
  struct hb_devices_plan plan;
  struct hb_ranks_split split;
  if (words && f->inner != &hb_force_devices) {
    HB_TRY(hb_devices_plan_parse(words, &plan));
    words = *plan.others ? plan.others : NULL;
  }
  HB_TRY(hb_ranks_split_parse(words, hb_ranks_count(), &split));
  if (words && hb_ranks_count() == 1) words = *split.others ? split.others : NULL;
  f->params.tuning = keep(words, sizeof f->tuning, f->tuning);
  return HB_OK;
}

/* The scheme whose first precision is the default: what auto chooses on several devices stands for hybrid on one. */
static const struct hb_force_scheme *like(const struct hb_force *f, const struct hb_force_params *params)
{
  int automatic = !params->scheme || strcmp(params->scheme, "auto") == 0;
  int stands_for_hybrid = f->inner == &hb_force_devices && automatic && !params->precision;
  return stands_for_hybrid ? &hb_force_hybrid.info : &f->scheme->info;
}

/* By the scheme, by several devices or by several ranks. */
static enum hb_status open_ops(struct hb_force *f, struct hb_gl_context *gl)
{
  if (hb_ranks_count() == 1) return f->ops->open(&f->params, gl, &f->state);
  force_ranks_around(f->inner, &f->shared);
  f->ops = &f->shared;
  return force_ranks_open(f->inner, &f->params, gl, &f->state);
}

static enum hb_status source_choose_precision(const struct hb_force_scheme *scheme, const char *wanted,
                                              enum hb_precision *precision)
{
  char first[16];
  const char *known = scheme->precisions;
  if (wanted && !hb_text_is_listed(wanted, known))
    return hb_fail(HB_ERR_USAGE, "scheme %s has no precision '%s' (expected one of: %s)", scheme->name,
                   wanted, known);
  snprintf(first, sizeof first, "%.*s", (int)strcspn(known, " "), known);
  *precision = hb_precision_find(wanted ? wanted : first);
  return HB_OK;
}

static enum hb_status open_source(struct hb_force *f, const struct hb_force_params *params,
                                  struct hb_gl_context *gl)
{
  f->params = *params;
  f->params.scheme = f->scheme->info.name;
  f->params.context = keep(params->context, sizeof f->context, f->context);
  f->params.device = keep(params->device, sizeof f->device, f->device);
  HB_TRY(choose_devices(f));
  HB_TRY(choose_tuning(f, params->tuning));
  HB_TRY(source_choose_precision(like(f, params), params->precision, &f->precision));
  f->params.precision = hb_precision_names[f->precision];
  HB_TRY(choose_interaction(f, params));
  if (hb_precisions[f->precision].is_fixed) HB_TRY(HB_ALLOC(1, &f->rescale));
  f->openings = 1;
  HB_TRY(open_ops(f, gl));
  return hb_precisions[f->precision].is_fixed ? hb_ieee_check() : HB_OK; /* now that the driver is loaded */
}

static enum hb_status check_eps(double eps)
{
  if (isfinite(eps) && eps >= 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the softening is %g, expected finite and >= 0", eps);
}

enum hb_status hb_force_open(const struct hb_force_params *given, struct hb_force **force)
{
  HB_GL_VISIT;
  char device[16];
  *force = NULL;
  if (!given) return hb_fail(HB_ERR_USAGE, "no parameters (NULL); all 0 are the defaults");
  struct hb_force_params params = *given;
  HB_TRY(check_eps(params.eps));
  if (!isfinite(params.max_draw_s) || params.max_draw_s < 0)
    return hb_fail(HB_ERR_USAGE, "the longest draw is %g s, expected finite and >= 0", params.max_draw_s);
  const struct hb_force_ops *scheme = NULL;
  struct hb_gl_context *gl;
  struct hb_force *f = NULL;
  ranks_place_choose(&params, device);
  enum hb_status status = ranks_place_agree(hb_source_choose(&params, &gl, &scheme), &scheme);
  if (status == HB_OK) status = HB_ALLOC(1, &f);
  if (status == HB_OK) {
    f->ops = f->inner = f->scheme = scheme;
    status = open_source(f, &params, gl);
  }
  hb_gl_context_close(gl);
  return HB_MADE(status, f, hb_force_close, force);
}

void hb_force_close(struct hb_force *force)
{
  HB_GL_VISIT;
  if (!force) return;
  force->ops->close(force->state);
  free_jobs(force);
  rescale_destroy(force->rescale);
  hb_interaction_destroy(force->own_interaction);
  HB_FREE(force->parameters, force);
}

double hb_force_eps(const struct hb_force *force) { return force->params.eps; }

enum hb_status hb_force_set_eps(struct hb_force *force, double eps)
{
  HB_TRY(check_eps(eps));
  HB_TRY(check_idle(force));
  if (eps == force->params.eps) return HB_OK;
  if (!force->ops->set_eps)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps the softening it was opened with",
                   force->scheme->info.name);
  if (force->rescale)
    return hb_fail(HB_ERR_USAGE, "precision %s keeps the softening it was opened with",
                   hb_force_precision(force));
  if (force->state) force->ops->set_eps(force->state, eps); /* else the device failed: it is opened again */
  force->params.eps = eps;
  return HB_OK;
}

const struct hb_force_scheme *hb_force_scheme(const struct hb_force *force)
{
  return hb_force_scheme_find(force->scheme->info.name);
}
const struct hb_precision_facts *hb_force_facts(const struct hb_force *force)
{
  return &hb_precisions[force->precision];
}
const struct hb_interaction *hb_force_interaction(const struct hb_force *force) { return force->interaction; }
const char *hb_force_parameters(const struct hb_force *force) { return force->parameters; }
int hb_force_position_bits(const char *precision)
{
  enum hb_precision found = hb_precision_find(precision);
  return found < HB_PRECISION_NAMES ? hb_precisions[found].position_bits : 0;
}
int hb_force_is_reproducible(const char *precision)
{
  enum hb_precision found = hb_precision_find(precision);
  return found < HB_PRECISION_NAMES && hb_precisions[found].is_fixed;
}
const char *hb_force_precision(const struct hb_force *force) { return hb_precision_names[force->precision]; }
const char *hb_force_tuning(const struct hb_force *force)
{
  return force->ops->tuning ? force->ops->tuning(force->state) : "";
}
struct hb_gl_context *hb_force_gl(const struct hb_force *force)
{
  const struct hb_force_ops *ops = force->ops;
  return ops->gl && force->state ? (struct hb_gl_context *)ops->gl(force->state) : NULL;
}
unsigned hb_force_openings(const struct hb_force *force) { return force->openings; }
uint64_t hb_force_sent_bytes(const struct hb_force *force)
{
  const struct hb_gl_context *gl = hb_force_gl(force);
  return gl ? gl->sent : 0;
}
const char *hb_force_context(const struct hb_force *force)
{
  const struct hb_gl_context *gl = hb_force_gl(force);
  return gl ? gl->backend->name : "none";
}
const char *hb_force_device(const struct hb_force *force)
{
  const struct hb_force_ops *ops = force->ops;
  return ops->device ? ops->device(force->state) : ops->gl(force->state)->caps.renderer;
}

/* A new context and smaller draws: what a driver dropped for taking too long may succeed in pieces. The tuning stays. */
enum hb_status hb_force_open_again(struct hb_force *force)
{
  static const double usual = 0.05;
  const char *words = hb_force_tuning(force);
  if (*words) force->params.tuning = keep(words, sizeof force->tuning, force->tuning);
  force->ops->close(force->state);
  force->state = NULL;
  force->nj = force->kept = 0;
  force->is_under_way = 0;
  force->openings++;
  double longest = force->params.max_draw_s > 0 ? force->params.max_draw_s : usual;
  force->params.max_draw_s = longest / 4;
  return open_ops(force, NULL);
}
