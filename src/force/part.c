#include "force/part.h"

#include "base/arith.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <string.h>

enum { PIECE = 1024, ALONE = 4 * PIECE /* sinks that are moved before a second thread has woken up */ };

static void by_pieces(size_t count, void (*work)(void *context, size_t piece), void *context)
{
  hb_parallel_for(count > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(count, PIECE), work, context);
}

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

enum hb_status hb_part_sums_reserve(const struct hb_force_job *like, size_t n, struct hb_part_sums *sums)
{
  if (like->words.units) return HB_ALLOC(n, &sums->totals);
  HB_TRY(HB_ALLOC(7 * n, &sums->to.a));
  sums->to.j = sums->to.a + 3 * n;
  sums->to.phi = sums->to.a + 6 * n;
  return HB_OK;
}

void hb_part_sums_free(struct hb_part_sums *sums)
{
  hb_mem_free(sums->to.a);
  hb_mem_free(sums->totals);
  *sums = (struct hb_part_sums){0};
}

struct adding {
  size_t n;
  const struct hb_part_sums *more, *into;
};

static void add_piece(void *context, size_t piece)
{
  const struct adding *s = context;
  const struct hb_part_sums *more = s->more, *into = s->into;
  size_t from = piece * PIECE, end = hb_parallel_end(s->n, PIECE, from);
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
  by_pieces(n, add_piece, &(struct adding){n, more, into});
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
  if (sinks->n > part->room) {
    hb_mem_free(part->own);
    part->own = NULL;
    part->room = 0;
    HB_TRY(HB_ALLOC(sinks->n, &part->own));
    part->room = sinks->n;
  }
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

static void fill_piece(void *context, size_t piece)
{
  const struct filling *f = context;
  for (size_t i = piece * PIECE, end = hb_parallel_end(f->sinks->n, PIECE, i); i < end; i++) {
    size_t of = f->sinks->index[i];
    memcpy(f->points->x + 3 * i, f->sources->x + 3 * of, 3 * sizeof(double));
    memcpy(f->points->v + 3 * i, f->sources->v + 3 * of, 3 * sizeof(double));
  }
}

enum hb_status hb_part_points_fill(struct hb_part_points *points, const struct hb_force_sources *sources,
                                   struct hb_force_sinks *sinks)
{
  size_t n = sinks->n;
  if (n > points->room) {
    hb_part_points_free(points);
    HB_TRY(HB_ALLOC(3 * n, &points->x));
    HB_TRY(HB_ALLOC(3 * n, &points->v));
    points->room = n;
  }
  by_pieces(n, fill_piece, &(struct filling){points, sources, sinks});
  sinks->x = points->x;
  sinks->v = points->v;
  return HB_OK;
}

void hb_part_points_free(struct hb_part_points *points)
{
  hb_mem_free(points->x);
  hb_mem_free(points->v);
  *points = (struct hb_part_points){0};
}

/* ---- to be timed ---- */

enum hb_status hb_trial_reserve(const struct hb_force_job *like, size_t n, struct hb_trial *trial)
{
  const struct hb_reproducible_units *units = like->words.units;
  *trial = (struct hb_trial){.n = n, .job = {.sources = like->sources}};
  HB_TRY(HB_ALLOC(n, &trial->index));
  if (units) HB_TRY(HB_ALLOC(n, &trial->scale));
  for (size_t k = 0; units && k < n; k++) trial->scale[k] = hb_reproducible_scale(units, 0); /* any will do */
  int has_room = !units && like->to.a && like->sinks.n == n; /* which the forces will fill anyway */
  if (!has_room) HB_TRY(hb_part_sums_reserve(like, n, &trial->sums));
  trial->job.sinks.index = trial->index;
  trial->job.to = has_room ? like->to : trial->sums.to;
  trial->job.words = (struct hb_force_words){units, trial->scale, trial->sums.totals};
  return HB_OK;
}

void hb_trial_free(struct hb_trial *trial)
{
  hb_mem_free(trial->index);
  hb_mem_free(trial->scale);
  hb_part_sums_free(&trial->sums);
}

void hb_trial_choose(struct hb_trial *trial, size_t ni)
{
  size_t n = trial->n, turn = trial->turn++;
  trial->job.sinks.n = ni;
  for (size_t k = 0; k < ni; k++) trial->index[k] = (uint32_t)((k * n / ni + turn) % n);
}

static const double COST_SECONDS = 0.02; /* for the samples of one cost, if enough of them fit */
enum { SAMPLES_LEAST = 3, SAMPLES_MOST = 31 };

/* The two take turns, so that a disturbance affects both. The first turn does not count. */
static enum hb_status measure_cost(const struct hb_trial_ways *w, struct hb_trial *trial,
                                   struct hb_hybrid_cost *cost)
{
  double seconds[2][SAMPLES_MOST], first;
  size_t count = 0;
  for (int way = 0; way < 2; way++) {
    hb_trial_choose(trial, cost->ni);
    HB_TRY(w->cycle(w->owner, trial, way, &first));
  }
  double begin = w->clock();
  do {
    for (int way = 0; way < 2; way++) {
      hb_trial_choose(trial, cost->ni);
      HB_TRY(w->cycle(w->owner, trial, way, &seconds[way][count]));
    }
    count++;
  } while (count < SAMPLES_LEAST || (count < SAMPLES_MOST && w->clock() - begin < COST_SECONDS));
  cost->host = w->usual(count, seconds[0]);
  cost->gl = w->usual(count, seconds[1]);
  return HB_OK;
}

enum hb_status hb_trial_measure(const struct hb_trial_ways *w, struct hb_trial *trial, size_t *count,
                                struct hb_hybrid_cost costs[HB_HYBRID_COSTS])
{
  struct hb_hybrid_cost cost;
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
