/* Each block to the faster of two sources: the host, which starts at once, and OpenGL, which is worth the transfer for large
 * blocks. A bound on the number of sinks decides, fixed with the first sources: by the tuning, a measurement, or
 * (HB_FORCE_NO_TUNE) a rule. The sources are sent only to the one that takes the block. */
#include "force/force.h"
#include "force/hybrid_split.h"

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
static const double COST_SECONDS = 0.02;   /* for the samples of one cost, if enough of them fit */
enum { SAMPLES_LEAST = 3, SAMPLES_MOST = 31 };

struct child {
  const struct hb_force_ops *ops; /* NULL: there is none */
  void *state;
  int has_j; /* it has the sources of set_j */
};

struct hybrid {
  struct child host, gl, *working; /* working: on the call that was begun */
  struct hb_hybrid_words words;
  int measures; /* 0: HB_FORCE_NO_TUNE */
  int software; /* OpenGL is the processor, too */
  size_t nj, room;
  double *j;                          /* [7 * room] m x v of set_j, until a call decides where to send them */
  int is_fixed;                       /* precision reproducible */
  struct hb_reproducible_units units; /* of set_j */
  struct hb_phases last;
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
  hb_mem_free(h->j);
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
  int tile = h->words.gl ? h->words.gl == hb_force_tile.pairs : gpu == HB_GL_GPU_COMPUTE;
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
  h->is_fixed = hb_precisions[hb_precision_find(params->precision)].is_fixed;
  HB_TRY(open_child(host_for(params), *params, NULL, &h->host));
  return open_gl_if_any(h, params, gl);
}

/* ---- measuring ---- */

/* A block to be timed: the sources, and ni <= nj sinks spread evenly over them; arrays for nj. */
struct trial {
  size_t nj, ni;
  const double *m, *x, *v;
  uint32_t *index;
  double *a, *j, *phi;
  uint32_t *scale; /* in their place in precision reproducible: any scales, */
  struct hb_fixed_total *totals;
};

static enum hb_status send(const struct hybrid *h, struct child *child, size_t nj, const double *m,
                           const double *x, const double *v)
{
  if (h->is_fixed) return child->ops->reproducible->set_j(child->state, &h->units, nj, m, x, v);
  return child->ops->set_j(child->state, nj, m, x, v);
}

static enum hb_status finish(struct child *child)
{
  return child->ops->finish ? child->ops->finish(child->state) : HB_OK;
}

static enum hb_status eval(struct child *child, size_t ni, const uint32_t *index, double *a, double *j,
                           double *phi)
{
  HB_TRY(child->ops->begin(child->state, ni, index, a, j, phi));
  return finish(child);
}

/* From the sources to the forces, as in a block step. */
static enum hb_status cycle(const struct hybrid *h, struct child *child, const struct trial *t,
                            double *seconds)
{
  double start = hb_clock_now();
  HB_TRY(send(h, child, t->nj, t->m, t->x, t->v));
  if (h->is_fixed) {
    HB_TRY(child->ops->reproducible->begin(child->state, t->ni, t->index, t->scale, t->totals));
    HB_TRY(finish(child));
  } else {
    HB_TRY(eval(child, t->ni, t->index, t->a, t->j, t->phi));
  }
  *seconds = hb_clock_now() - start;
  return HB_OK;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The two take turns, so that a disturbance affects both. The first turn does not count; of the others the lower quartile
 * does, since other processes can only add time. */
static enum hb_status measure_cost(struct hybrid *h, struct trial *t, struct hb_hybrid_cost *cost)
{
  double host[SAMPLES_MOST], gl[SAMPLES_MOST], first;
  for (size_t k = 0; k < t->ni; k++) t->index[k] = (uint32_t)(k * t->nj / t->ni);
  HB_TRY(cycle(h, &h->host, t, &first));
  HB_TRY(cycle(h, &h->gl, t, &first));
  int count = 0;
  double begin = hb_clock_now();
  do {
    HB_TRY(cycle(h, &h->host, t, &host[count]));
    HB_TRY(cycle(h, &h->gl, t, &gl[count]));
    count++;
  } while (count < SAMPLES_LEAST || (count < SAMPLES_MOST && hb_clock_now() - begin < COST_SECONDS));
  qsort(host, (size_t)count, sizeof *host, ascending);
  qsort(gl, (size_t)count, sizeof *gl, ascending);
  *cost = (struct hb_hybrid_cost){t->ni, host[count / 4], gl[count / 4]};
  return HB_OK;
}

static enum hb_status warm_up(struct hybrid *h, struct trial *t)
{
  double seconds;
  t->ni = 1;
  for (double begin = hb_clock_now(); hb_clock_now() - begin < WARM_UP_SECONDS;)
    HB_TRY(cycle(h, &h->gl, t, &seconds));
  return HB_OK;
}

static enum hb_status measure_costs(struct hybrid *h, struct trial *t)
{
  struct hb_hybrid_cost costs[HB_HYBRID_COSTS], cost;
  size_t count = 0;
  HB_TRY(warm_up(h, t));
  while ((t->ni = hb_hybrid_split_ask(t->nj, count, costs)) > 0) {
    HB_TRY(measure_cost(h, t, &cost));
    size_t place = count++;
    for (; place > 0 && costs[place - 1].ni > cost.ni; place--) costs[place] = costs[place - 1];
    costs[place] = cost;
    hb_log("%zu of %zu: host %.3g ms, OpenGL %.3g ms", cost.ni, t->nj, 1e3 * cost.host, 1e3 * cost.gl);
  }
  h->words.split = hb_hybrid_split_from(t->nj, count, costs);
  return HB_OK;
}

/* The results go into the caller's arrays, or temporary ones. */
static enum hb_status measure(struct hybrid *h, struct trial *t)
{
  double *f = NULL;
  enum hb_status status = HB_ALLOC(t->nj, &t->index);
  if (status == HB_OK && h->is_fixed) status = HB_ALLOC(t->nj, &t->scale);
  if (status == HB_OK && h->is_fixed) status = HB_ALLOC(t->nj, &t->totals);
  for (size_t k = 0; t->totals && k < t->nj; k++) t->scale[k] = hb_reproducible_scale(&h->units, 0);
  if (status == HB_OK && !t->a && !h->is_fixed) status = HB_ALLOC(7 * t->nj, &f);
  if (f) t->a = f, t->j = f + 3 * t->nj, t->phi = f + 6 * t->nj;
  if (status == HB_OK) status = measure_costs(h, t);
  hb_mem_free(t->index);
  hb_mem_free(t->scale);
  hb_mem_free(t->totals);
  hb_mem_free(f);
  return status;
}

/* Once, with the first sources; the first forces of a run are those on all particles, whose arrays will do. */
static enum hb_status fix_split(struct hybrid *h, struct trial *t)
{
  struct hb_hybrid_split *split = &h->words.split;
  if (split->host_below) return HB_OK;
  double worth = PAIRS_WORTH_A_GPU / (double)t->nj;
  if (!h->gl.ops || (!h->measures && h->software))
    *split = HB_HYBRID_HOST;
  else if (!h->measures)
    *split = (struct hb_hybrid_split){worth > 1 ? (size_t)worth : 1, HB_HYBRID_ALL};
  else
    HB_TRY(measure(h, t));
  if (split->host_below == HB_HYBRID_ALL) close_child(&h->gl);
  return HB_OK;
}

/* ---- forces ---- */

static struct child *taker(struct hybrid *h, size_t ni)
{
  return hb_hybrid_split_host(&h->words.split, ni) ? &h->host : &h->gl;
}

static enum hb_status hybrid_of(void *state, size_t nj, const double *m, const double *x, const double *v,
                                size_t ni, const uint32_t *index, double *a, double *j, double *phi)
{
  struct hybrid *h = state;
  struct trial trial = {.nj = nj, .m = m, .x = x, .v = v};
  if (ni == nj) trial.a = a, trial.j = j, trial.phi = phi;
  HB_TRY(fix_split(h, &trial));
  struct child *child = taker(h, ni);
  double start = hb_clock_now();
  HB_TRY(send(h, child, nj, m, x, v));
  double sent = hb_clock_now();
  HB_TRY(eval(child, ni, index, a, j, phi));
  h->last = (struct hb_phases){0};
  if (child->ops->phases) child->ops->phases(child->state, &h->last);
  h->last.force_s = hb_clock_now() - sent - h->last.send_s - h->last.receive_s;
  h->last.send_s += sent - start;
  return HB_OK;
}

/* Which source takes a block is known when its forces are wanted: until then the sources are stored here. */
static void hybrid_set_eps(void *state, double eps)
{
  struct hybrid *h = state;
  h->host.ops->set_eps(h->host.state, eps);
  if (h->gl.ops) h->gl.ops->set_eps(h->gl.state, eps);
}

static enum hb_status hybrid_set_j(void *state, size_t nj, const double *m, const double *x, const double *v)
{
  struct hybrid *h = state;
  struct trial trial = {.nj = nj, .m = m, .x = x, .v = v};
  HB_TRY(fix_split(h, &trial));
  h->host.has_j = h->gl.has_j = 0;
  if (nj > h->room) {
    hb_mem_free(h->j);
    h->j = NULL;
    h->room = 0;
    HB_TRY(HB_ALLOC(7 * nj, &h->j));
    h->room = nj;
  }
  h->nj = nj;
  memcpy(h->j, m, nj * sizeof *m);
  memcpy(h->j + nj, x, 3 * nj * sizeof *x);
  memcpy(h->j + 4 * nj, v, 3 * nj * sizeof *v);
  return HB_OK;
}

/* The source that takes this call, with its sources. */
static enum hb_status choose(struct hybrid *h, size_t ni, struct child **child)
{
  *child = h->working = taker(h, ni);
  if (!(*child)->has_j) HB_TRY(send(h, *child, h->nj, h->j, h->j + h->nj, h->j + 4 * h->nj));
  (*child)->has_j = 1;
  return HB_OK;
}

static enum hb_status hybrid_begin(void *state, size_t ni, const uint32_t *index, double *a, double *j,
                                   double *phi)
{
  struct child *child;
  HB_TRY(choose(state, ni, &child));
  return child->ops->begin(child->state, ni, index, a, j, phi);
}

static enum hb_status hybrid_begin_at(void *state, size_t ni, const double *x, const double *v,
                                      const uint32_t *own, double *a, double *j, double *phi)
{
  struct child *child;
  HB_TRY(choose(state, ni, &child));
  return child->ops->begin_at(child->state, ni, x, v, own, a, j, phi);
}

static enum hb_status hybrid_finish(void *state) { return finish(((struct hybrid *)state)->working); }

/* ---- precision reproducible: the child that takes a call changes no bit ---- */

static enum hb_status fixed_set_j(void *state, const struct hb_reproducible_units *units, size_t nj,
                                  const double *m, const double *x, const double *v)
{
  ((struct hybrid *)state)->units = *units;
  return hybrid_set_j(state, nj, m, x, v);
}

static enum hb_status fixed_begin(void *state, size_t ni, const uint32_t *index, const uint32_t *scale,
                                  struct hb_fixed_total *totals)
{
  struct child *child;
  HB_TRY(choose(state, ni, &child));
  return child->ops->reproducible->begin(child->state, ni, index, scale, totals);
}

static enum hb_status fixed_begin_at(void *state, size_t ni, const double *x, const double *v,
                                     const uint32_t *own, const uint32_t *scale,
                                     struct hb_fixed_total *totals)
{
  struct child *child;
  HB_TRY(choose(state, ni, &child));
  return child->ops->reproducible->begin_at(child->state, ni, x, v, own, scale, totals);
}

static const struct hb_reproducible_ops fixed_ops = {fixed_set_j, fixed_begin, fixed_begin_at, hybrid_finish};

/* ---- for records ---- */

static void hybrid_phases(const void *state, struct hb_phases *last)
{
  *last = ((const struct hybrid *)state)->last;
}

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
    .set_j = hybrid_set_j,
    .begin = hybrid_begin,
    .begin_at = hybrid_begin_at,
    .finish = hybrid_finish,
    .of = hybrid_of,
    .reproducible = &fixed_ops,
    .phases = hybrid_phases,
    .gl = hybrid_gl,
    .device = hybrid_device,
    .tuning = hybrid_tuning,
};
