/* Each block to the faster of two sources: the host, which starts at once, and OpenGL, which is worth the transfer for large
 * blocks. A bound on the number of sinks decides, fixed with the first sources: by the tuning, a measurement, or
 * (HB_FORCE_NO_TUNE) a rule. The sources are sent only to the one that takes the block. */
#include "force/split.h"
#include "force/devices.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "gl/gl_context.h"
#include "pairs/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without measuring: pairs that a few processor cores do while a GPU gets its particles and answers. */
static const double PAIRS_WORTH_A_GPU = 1 << 20;

static const double WARM_UP_SECONDS = 0.1; /* a GPU that was idle takes its time to raise its clock */

struct child {
  const struct hb_force_ops *ops; /* NULL: there is none */
  void *state;
  int has_j; /* it has the last sources */
};

struct hybrid {
  struct child host, gl;
  struct hb_hybrid_words words;
  int measures; /* 0: HB_FORCE_NO_TUNE */
  int software; /* OpenGL is the processor, too */
  struct hb_force_sources
      j;       /* the last ones: of the job, or in `own` until a job decides where to send them */
  double *own; /* [7 * room] */
  size_t room;
  struct hb_reproducible_units units; /* in precision reproducible */
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
  hb_mem_free(h->own);
  hb_mem_free(h);
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
  const struct hb_hybrid_split *split = &h->words.split;
  if (split->host_below == HB_HYBRID_ALL) return HB_OK;
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
  HB_TRY(hb_hybrid_words_parse(params->tuning, &h->words));
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

static enum hb_status cycle(void *owner, struct hb_trial *t, int way, double *seconds)
{
  struct hybrid *h = owner;
  struct child *child = way ? &h->gl : &h->host;
  double start = hb_clock_now();
  HB_TRY(child->ops->begin(child->state, &t->job));
  HB_TRY(finish(child, &t->job));
  *seconds = hb_clock_now() - start;
  return HB_OK;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The lower quartile, since other processes can only add time. */
static double quartile(size_t count, double *seconds)
{
  qsort(seconds, count, sizeof *seconds, ascending);
  return seconds[count / 4];
}

static enum hb_status measure(struct hybrid *h, struct hb_trial *t)
{
  const struct hb_trial_ways ways = {h,        cycle,        hb_hybrid_split_ask,
                                     quartile, hb_clock_now, {"host", "OpenGL"}};
  struct hb_hybrid_cost costs[HB_HYBRID_COSTS];
  size_t count;
  double seconds;
  hb_trial_choose(t, 1);
  for (double begin = hb_clock_now(); hb_clock_now() - begin < WARM_UP_SECONDS;)
    HB_TRY(cycle(h, t, 1, &seconds));
  HB_TRY(hb_trial_measure(&ways, t, &count, costs));
  h->words.split = hb_hybrid_split_from(t->n, count, costs);
  return HB_OK;
}

/* Once, with the first sources; the first forces of a run are those on all particles, whose arrays will do. */
static enum hb_status fix_split(struct hybrid *h, const struct hb_force_job *first)
{
  struct hb_hybrid_split *split = &h->words.split;
  struct hb_trial trial;
  if (split->host_below) return HB_OK;
  double worth = PAIRS_WORTH_A_GPU / (double)first->sources.n;
  if (!h->gl.ops || (!h->measures && h->software)) {
    *split = HB_HYBRID_HOST;
  } else if (!h->measures) {
    *split = (struct hb_hybrid_split){worth > 1 ? (size_t)worth : 1, HB_HYBRID_ALL};
  } else {
    enum hb_status status = hb_trial_reserve(first, first->sources.n, &trial);
    if (status == HB_OK) status = measure(h, &trial);
    hb_trial_free(&trial);
    HB_TRY(status);
    if (split->host_below == HB_HYBRID_ALL && !h->software)
      hb_log_warn("the processor is faster than %s for blocks of up to %zu: it takes all of them",
                  h->gl.ops->gl(h->gl.state)->caps.renderer, first->sources.n);
  }
  if (split->host_below == HB_HYBRID_ALL) close_child(&h->gl);
  return HB_OK;
}

/* ---- forces ---- */

static struct child *taker(struct hybrid *h, size_t ni)
{
  return hb_hybrid_split_host(&h->words.split, ni) ? &h->host : &h->gl;
}

static void hybrid_set_eps(void *state, double eps)
{
  struct hybrid *h = state;
  h->host.ops->set_eps(h->host.state, eps);
  if (h->gl.ops) h->gl.ops->set_eps(h->gl.state, eps);
}

/* Which source takes a block is known when its forces are wanted: sources that come without sinks are stored until then. */
static enum hb_status expect_sources(struct hybrid *h, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  size_t nj = s->n;
  HB_TRY(fix_split(h, job));
  h->host.has_j = h->gl.has_j = 0;
  if (job->words.units) h->units = *job->words.units;
  h->j = *s;
  if (job->sinks.n) return HB_OK;
  if (nj > h->room) {
    hb_mem_free(h->own);
    h->own = NULL;
    h->room = 0;
    HB_TRY(HB_ALLOC(7 * nj, &h->own));
    h->room = nj;
  }
  memcpy(h->own, s->m, nj * sizeof *s->m);
  memcpy(h->own + nj, s->x, 3 * nj * sizeof *s->x);
  memcpy(h->own + 4 * nj, s->v, 3 * nj * sizeof *s->v);
  h->j = (struct hb_force_sources){nj, h->own, h->own + nj, h->own + 4 * nj};
  return HB_OK;
}

/* The same job to one of the two, with the sources unless it has them. */
static enum hb_status hybrid_begin(void *state, const struct hb_force_job *job)
{
  struct hybrid *h = state;
  struct hb_force_job own = *job;
  if (job->sources.m) HB_TRY(expect_sources(h, job));
  if (job->sinks.n == 0) return HB_OK;
  struct child *child = taker(h, job->sinks.n);
  own.since = hb_clock_now(); /* what was measured has taken its time */
  own.sources = h->j;
  if (child->has_j) own.sources = (struct hb_force_sources){.n = 0};
  if (job->words.totals) own.words.units = &h->units;
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
  struct hb_hybrid_words words = {.split = h->words.split};
  if (h->gl.ops) {
    words.gl = h->gl.ops->pairs;
    snprintf(words.others, sizeof words.others, "%s", h->gl.ops->tuning(h->gl.state));
  }
  hb_hybrid_words_print(&words, sizeof h->tuning, h->tuning);
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
