#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "force/force.h"
#include "gl/gl_context.h"
#include "gl/gl_pass.h"
#include "measure/bench.h"
#include "pairs/pairs.h"
#include "pairs/tuning.h"
#include "perf/fit.h"

#include <holmberg/device.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a block step ---- */

/* All at one level, which is predicted a little further each time. */
struct block {
  struct hb_force *force;
  struct hb_force_particles all;
  size_t ni;
  const uint32_t *index;
  double *a, *j,
      *phi; /* [3 * n], [3 * n], [n]: of the sinks; a and j are also the derivatives that particles are predicted with */
  uint8_t *level; /* [n] */
  double dt[HB_FORCE_LEVELS];
};

static enum hb_status block_step(struct block *b)
{
  b->dt[0] += 0x1p-30;
  HB_TRY(hb_force_keep(b->force, &b->all, b->ni, b->index));
  HB_TRY(hb_force_predict(b->force, b->dt));
  return hb_force_of(
      b->force, &(struct hb_force_job){.sinks = {.n = b->ni, .index = b->index}, .to = {b->a, b->j, b->phi}});
}

static enum hb_status time_block_steps(struct block *b, size_t count, double *ms)
{
  enum { WARM_UP = 5 };
  HB_TRY(hb_force_keep(b->force, &b->all, b->all.n, NULL));
  for (int k = 0; k < WARM_UP; k++) HB_TRY(block_step(b));
  for (size_t k = 0; k < count; k++) {
    double start = hb_clock_now();
    HB_TRY(block_step(b));
    ms[k] = 1e3 * (hb_clock_now() - start);
  }
  return HB_OK;
}

static enum hb_status reserve(struct block *b, const struct hb_particles *p)
{
  HB_TRY(HB_ALLOC(3 * p->n, &b->a));
  HB_TRY(HB_ALLOC(3 * p->n, &b->j));
  HB_TRY(HB_ALLOC(p->n, &b->phi));
  HB_TRY(HB_ALLOC(p->n, &b->level));
  b->all = (struct hb_force_particles){
      .n = p->n, .m = p->m, .x = p->x, .v = p->v, .a = b->a, .j = b->j, .level = b->level};
  return HB_OK;
}

enum { SAMPLES = 7, SAMPLES_MOST = 1000, CHECKED = 256 };

static const double WARM_UP_SECONDS = 0.2; /* an idle GPU takes a while to raise its clock */
static const double SAMPLE_MS = 20;        /* short evaluations are repeated until a sample takes this long */

/* One configuration: particles, sinks, results. */
struct bench {
  const struct hb_bench_params *params;
  struct hb_bench_result *result;
  struct hb_particles *particles;
  size_t n, ni;
  uint32_t *index;        /* [ni] */
  double *a, *j, *phi;    /* [3 * ni], [3 * ni], [ni] */
  struct hb_force *force; /* one of the two */
  struct hb_pairs *pairs;
  struct hb_gl_context *context;
  const struct hb_interaction *interaction;
  struct hb_reproducible_units units; /* of pairs in precision reproducible: */
  uint32_t *scale;                    /* [ni] */
  struct hb_fixed_total *totals;      /* [ni] else NULL */
};

/* ---- opening ---- */

static enum hb_status find_precision(const char *name, enum hb_precision *precision)
{
  *precision = name ? hb_precision_find(name) : HB_PRECISION_SINGLE;
  if (*precision < HB_PRECISION_GRAPE6) return HB_OK;
  return hb_fail(HB_ERR_USAGE,
                 "unknown precision '%s' (expected single, compensated, ds, double or reproducible)", name);
}

static enum hb_status open_fixed(struct bench *b)
{
  const struct hb_particles *p = b->particles;
  struct hb_fixed_column rounding[HB_REPRODUCIBLE_COLUMNS];
  HB_TRY(HB_ALLOC(b->ni, &b->scale));
  HB_TRY(HB_ALLOC(b->ni, &b->totals));
  HB_TRY(hb_reproducible_find_units(p->n, p->m, p->x, p->v, b->params->force.eps, &b->units));
  for (size_t i = 0; i < b->ni; i++) b->scale[i] = hb_reproducible_scale(&b->units, 0);
  hb_reproducible_rounding(&b->units, rounding);
  hb_pairs_set_rounding(b->pairs, rounding);
  b->pairs->params.parameter[0] = (double)hb_reproducible_eps2(&b->units);
  return HB_OK;
}

static enum hb_status open_pairs(struct bench *b)
{
  const struct hb_force_params *force = &b->params->force;
  const struct hb_gl_context_params gl = hb_force_place(force);
  struct hb_pairs_params pairs = {
      .interaction = b->interaction, .scheme = force->scheme, .max_draw_s = force->max_draw_s};
  hb_interaction_parameter(b->interaction, force->eps, pairs.parameter);
  HB_TRY(find_precision(force->precision, &pairs.precision));
  HB_TRY(hb_tuning_parse(force->tuning, &pairs.tuning));
  HB_TRY(hb_gl_context_open(&gl, &b->context));
  pairs.context = b->context;
  double start = hb_clock_now();
  HB_TRY(hb_pairs_create(&pairs, &b->pairs));
  b->result->compile_ms = 1e3 * (hb_clock_now() - start);
  if (hb_precisions[pairs.precision].is_fixed) HB_TRY(open_fixed(b));
  struct hb_bench_result *r = b->result;
  snprintf(r->precision, sizeof r->precision, "%s", hb_precision_names[pairs.precision]);
  snprintf(r->context, sizeof r->context, "%s", b->context->backend->name);
  snprintf(r->device, sizeof r->device, "%s", b->context->caps.renderer);
  hb_tuning_print(&b->pairs->params.tuning, sizeof r->tuning, r->tuning);
  r->flops_per_pair = b->interaction->flops;
  return HB_OK;
}

static enum hb_status open_force(struct bench *b)
{
  struct hb_force_params params = b->params->force;
  params.interaction = b->interaction->name;
  return hb_force_open(&params, &b->force);
}

/* After the first forces, with which some sources choose their tuning. */
static void describe_force(const struct bench *b)
{
  struct hb_bench_result *r = b->result;
  snprintf(r->precision, sizeof r->precision, "%s", hb_force_precision(b->force));
  snprintf(r->context, sizeof r->context, "%s", hb_force_context(b->force));
  snprintf(r->device, sizeof r->device, "%s", hb_force_device(b->force));
  snprintf(r->tuning, sizeof r->tuning, "%s", hb_force_tuning(b->force));
  r->flops_per_pair = hb_force_scheme(b->force)->flops_per_pair;
}

static enum hb_status choose_sinks(struct bench *b)
{
  b->n = b->particles->n;
  b->ni = b->params->ni ? b->params->ni : b->n;
  if (b->ni > b->n) return hb_fail(HB_ERR_USAGE, "%zu sinks among %zu particles", b->ni, b->n);
  b->result->ni = b->ni;
  HB_TRY(HB_ALLOC(b->ni, &b->index));
  HB_TRY(HB_ALLOC(3 * b->ni, &b->a));
  HB_TRY(HB_ALLOC(3 * b->ni, &b->j));
  HB_TRY(HB_ALLOC(b->ni, &b->phi));
  for (size_t k = 0; k < b->ni; k++) b->index[k] = (uint32_t)(k * b->n / b->ni); /* spread evenly */
  const char *name = b->params->interaction ? b->params->interaction : "gravity_jerk";
  b->interaction = hb_interaction_find(name);
  return b->interaction ? HB_OK : hb_fail(HB_ERR_USAGE, "unknown interaction '%s'", name);
}

static enum hb_status prepare(struct bench *b)
{
  const struct hb_bench_params *p = b->params;
  const struct hb_ic_params ic = {.n = p->n, .seed = p->seed, .scaling = HB_IC_SCALING_MODEL};
  HB_TRY(hb_ic_make("plummer", &ic, &b->particles));
  for (size_t k = 0; p->float_positions && k < 3 * p->n; k++) {
    b->particles->x[k] = (float)b->particles->x[k];
    b->particles->v[k] = (float)b->particles->v[k];
  }
  HB_TRY(choose_sinks(b));
  if (!p->force.scheme) return hb_fail(HB_ERR_USAGE, "no scheme was given");
  struct hb_gl_devices devices;
  HB_TRY(hb_gl_devices_named(p->force.device, &devices));
  int is_shared = devices.count > 0 || hb_ranks_count() > 1;
  return !is_shared && hb_pairs_scheme_find(p->force.scheme) ? open_pairs(b) : open_force(b);
}

static void clean_up(struct bench *b)
{
  hb_force_close(b->force);
  hb_pairs_destroy(b->pairs);
  hb_gl_context_close(b->context);
  hb_particles_destroy(b->particles);
  HB_FREE(b->index, b->a, b->j, b->phi, b->scale, b->totals);
}

/* ---- timing ---- */

static enum hb_status send(struct bench *b)
{
  const double *m = b->particles->m, *x = b->particles->x, *v = b->particles->v;
  if (b->force) return hb_force_set_j(b->force, b->n, m, x, v);
  const struct hb_column columns[4 * HB_RECORDS_MAX] = {{x, 3}, {x + 1, 3}, {x + 2, 3}, {m, 1},
                                                        {v, 3}, {v + 1, 3}, {v + 2, 3}};
  return hb_pairs_set_j(b->pairs, b->n, columns);
}

static enum hb_status work(struct bench *b)
{
  if (b->force) return hb_force_eval(b->force, b->ni, b->index, b->a, b->j, b->phi);
  double *a = b->a, *j = b->j; /* interactions without jerk leave zeros */
  const struct hb_result results[4 * HB_RECORDS_MAX] = {{a, 3}, {a + 1, 3}, {a + 2, 3}, {b->phi, 1},
                                                        {j, 3}, {j + 1, 3}, {j + 2, 3}};
  const struct hb_pairs_job job = {.ni = b->ni,
                                   .index = b->index,
                                   .results = b->totals ? NULL : results,
                                   .scale = b->scale,
                                   .totals = b->totals};
  return hb_pairs_walk(b->pairs, &job);
}

/* The scales of the next walk are right: the time of those that are walked again at first does not count. */
static enum hb_status receive(struct bench *b)
{
  if (b->force) return HB_OK;
  HB_TRY(hb_pairs_read(b->pairs));
  for (size_t i = 0; b->totals && i < b->ni; i++) {
    HB_TRY(hb_reproducible_result(&b->units, b->scale[i], &b->totals[i], b->a + 3 * i, b->j + 3 * i,
                                  b->phi + i));
    b->scale[i] = hb_reproducible_scale(&b->units, b->totals[i].most);
  }
  return HB_OK;
}

static double start_clock(const struct bench *b) { return b->pairs ? hb_gl_timer_start() : hb_clock_now(); }
static double stop_clock(const struct bench *b, double start)
{
  return b->pairs ? hb_gl_timer_stop(start) : hb_clock_now() - start;
}

static int samples(const struct bench *b)
{
  int wanted = b->params->repeat ? b->params->repeat : SAMPLES;
  return wanted < SAMPLES_MOST ? wanted : SAMPLES_MOST;
}

/* One step of the cycle alone, from an idle device to an idle device. */
static enum hb_status time_step(struct bench *b, enum hb_status (*step)(struct bench *), double *ms)
{
  double start = start_clock(b);
  HB_TRY(step(b));
  *ms = 1e3 * stop_clock(b, start);
  return HB_OK;
}

/* How long it took rank 0, by which all ranks repeat things as often. */
static enum hb_status agree_on(double *time) { return hb_ranks_share(time, sizeof *time); }

static enum hb_status warm_up(struct bench *b, double *once)
{
  double start = hb_clock_now(), seconds = 0;
  while (seconds < WARM_UP_SECONDS) {
    HB_TRY(time_step(b, work, once));
    seconds = hb_clock_now() - start;
    HB_TRY(agree_on(&seconds));
  }
  return agree_on(once);
}

static enum hb_status time_walks(struct bench *b)
{
  /* The first evaluations compile programs and learn the device's speed. */
  double once = 0;
  HB_TRY(send(b));
  for (int k = 0; k < 3; k++) {
    HB_TRY(time_step(b, work, &once));
    if (k == 0) b->result->compile_ms += once;
    HB_TRY(receive(b));
  }
  HB_TRY(warm_up(b, &once));
  int each = once < SAMPLE_MS ? (int)ceil(SAMPLE_MS / once) : 1;
  if (each > 1000) each = 1000;
  double ms[SAMPLES_MOST] = {0};
  int count = samples(b);
  for (int k = 0; k < count; k++) {
    double start = start_clock(b);
    for (int e = 0; e < each; e++) HB_TRY(work(b));
    ms[k] = 1e3 * stop_clock(b, start) / each;
  }
  struct hb_bench_result *r = b->result;
  r->ms_median = hb_fit_median((size_t)count, ms);
  r->ms_min = ms[0];
  r->ms_max = ms[count - 1];
  r->compile_ms = fmax(0, r->compile_ms - r->ms_median);
  r->draws = b->pairs ? b->pairs->draws : 0;
  r->pairs_per_s = (double)b->ni * (double)(b->n - 1) / (1e-3 * r->ms_median);
  return HB_OK;
}

/* As in a block step: nothing waits before the readback. */
static enum hb_status cycle(struct bench *b)
{
  const struct hb_particles *p = b->particles;
  if (b->force)
    return hb_force_of(b->force, &(struct hb_force_job){.sources = {b->n, p->m, p->x, p->v},
                                                        .sinks = {.n = b->ni, .index = b->index},
                                                        .to = {b->a, b->j, b->phi}});
  HB_TRY(send(b));
  HB_TRY(work(b));
  return receive(b);
}

static enum hb_status time_steps(struct bench *b)
{
  double up[SAMPLES_MOST] = {0}, draw[SAMPLES_MOST] = {0}, down[SAMPLES_MOST] = {0},
         whole[SAMPLES_MOST] = {0};
  int count = samples(b);
  for (int k = 0; k < count; k++) {
    HB_TRY(time_step(b, send, &up[k]));
    HB_TRY(time_step(b, work, &draw[k]));
    HB_TRY(time_step(b, receive, &down[k]));
  }
  for (int k = 0; k < count; k++) HB_TRY(time_step(b, cycle, &whole[k]));
  struct hb_bench_result *r = b->result;
  r->send_ms = hb_fit_median((size_t)count, up);
  r->draw_ms = hb_fit_median((size_t)count, draw);
  r->receive_ms = b->pairs ? hb_fit_median((size_t)count, down) : 0; /* others have received already */
  r->cycle_ms = hb_fit_median((size_t)count, whole);
  r->cycle_min_ms = whole[0];
  return HB_OK;
}

/* Median milliseconds of a block step in mode block/gpu/host: the sinks are sent, all are predicted, and their forces are read. With the
 * tuning of the walk. */
static enum hb_status time_block(struct bench *b)
{
  struct hb_force_params params = b->params->force;
  struct block block = {.ni = b->ni, .index = b->index};
  double ms[SAMPLES_MOST] = {0};
  size_t count = (size_t)samples(b);
  if (!b->pairs || strcmp(b->interaction->name, "gravity_jerk") != 0) return HB_OK;
  params.tuning = b->result->tuning;
  enum hb_status status = hb_force_open(&params, &block.force);
  if (status == HB_OK) status = reserve(&block, b->particles);
  if (status == HB_OK) status = time_block_steps(&block, count, ms);
  if (status == HB_OK) b->result->block_ms = hb_fit_median(count, ms);
  hb_force_close(block.force);
  HB_FREE(block.a, block.j, block.phi, block.level);
  return status;
}

/* ---- checking ---- */

/* Relative errors of `width` numbers a sink: root of the mean square and the largest. */
static void compare(size_t count, size_t width, const double *got, size_t stride, const double *right,
                    double *rms, double *most)
{
  double sum = 0, largest = 0;
  for (size_t k = 0; k < count; k++) {
    double d2 = 0, r2 = 0;
    for (size_t c = 0; c < width; c++) {
      double d = got[width * stride * k + c] - right[width * k + c];
      d2 += d * d;
      r2 += right[width * k + c] * right[width * k + c];
    }
    double e2 = d2 / r2;
    sum += e2;
    if (!(e2 <= largest)) largest = e2; /* keeps a NaN */
  }
  *rms = sqrt(sum / (double)count);
  *most = sqrt(largest);
}

static enum hb_status check_against(struct bench *b, struct hb_gravity *g, size_t stride, size_t count,
                                    double *right)
{
  uint32_t index[CHECKED];
  double *a = right, *j = a + 3 * CHECKED, *phi = j + 3 * CHECKED, *moved = phi + CHECKED;
  for (size_t k = 0; k < count; k++) index[k] = b->index[stride * k];
  struct hb_particles *p = b->particles;
  double eps2 = b->params->force.eps * b->params->force.eps;
  hb_gravity_set_j(g, b->n, p->m, p->x, p->v);
  hb_gravity_eval(g, eps2, count, index, a, j, phi);
  struct hb_bench_result *r = b->result;
  compare(count, 3, b->a, stride, a, &r->acc_rms, &r->acc_max);
  if (b->force || b->interaction->f_records > 1) {
    compare(count, 3, b->j, stride, j, &r->jerk_rms, &r->jerk_max);
    compare(count, 1, b->phi, stride, phi, &r->pot_rms, &r->pot_max);
  }
  for (size_t k = 0; k < 3 * b->n; k++) p->x[k] = (float)p->x[k];
  hb_gravity_set_j(g, b->n, p->m, p->x, p->v);
  hb_gravity_eval(g, eps2, count, index, moved, j, phi);
  double most;
  compare(count, 3, moved, 1, a, &r->acc_floor, &most);
  return HB_OK;
}

static enum hb_status check(struct bench *b)
{
  if (strncmp(b->interaction->name, "gravity", 7) != 0) return HB_OK;
  size_t count = b->ni < CHECKED ? b->ni : CHECKED;
  HB_OWN double *right = NULL;
  struct hb_gravity *g = NULL;
  HB_TRY(HB_ALLOC(10 * CHECKED, &right));
  enum hb_status status = hb_gravity_create(b->n, &g);
  if (status == HB_OK) status = check_against(b, g, b->ni / count, count, right);
  hb_gravity_destroy(g);
  return status;
}

enum hb_status hb_bench_error(const struct hb_force_params *force, struct hb_particles *p, double *acc_rms)
{
  const struct hb_bench_params params = {.force = *force, .ni = hb_min(p->n, CHECKED)};
  struct hb_bench_result r = {.acc_rms = NAN};
  struct bench b = {.params = &params, .result = &r, .particles = p};
  enum hb_status status = choose_sinks(&b);
  if (status == HB_OK) status = open_force(&b);
  if (status == HB_OK) status = cycle(&b);
  if (status == HB_OK) status = check(&b);
  if (status == HB_OK) *acc_rms = r.acc_rms;
  b.particles = NULL;
  clean_up(&b);
  return status;
}

enum hb_status hb_bench_force(const struct hb_bench_params *params, struct hb_bench_result *result)
{
  struct hb_bench_result r = {.acc_rms = NAN,
                              .acc_max = NAN,
                              .jerk_rms = NAN,
                              .jerk_max = NAN,
                              .pot_rms = NAN,
                              .pot_max = NAN,
                              .acc_floor = NAN,
                              .block_ms = NAN};
  struct bench b = {.params = params, .result = &r};
  enum hb_status status = prepare(&b);
  if (status == HB_OK) status = time_walks(&b);
  if (status == HB_OK) status = time_steps(&b);
  if (status == HB_OK && params->block) status = time_block(&b);
  if (status == HB_OK && b.force) describe_force(&b);
  if (status == HB_OK && params->check) status = check(&b);
  clean_up(&b);
  if (status == HB_OK) *result = r;
  return status;
}

/* ---- the ceiling: the multiply-add rate that a device reaches when it does nothing else ---- */

/* A processor spends longer on starting a million threads than on the first multiply-adds of each: few threads, many turns. */
enum { SIDE = 1024, SIDE_SOFTWARE = 128, GROUP = 256, CHAINS = 12, ROUNDS = 16, BEST_OF = 12 };

struct ceiling {
  struct hb_gl_context *context;
  struct hb_gl_pass pass;
  struct hb_gl_texture texture;
  struct hb_gl_buffer storage;
  int compute;
  int side; /* threads: its square */
};

static enum hb_status open_ceiling(struct ceiling *c, const struct hb_force_params *params)
{
  const struct hb_gl_context_params gl = {params->context, params->device, 0};
  HB_TRY(hb_gl_context_open(&gl, &c->context));
  if (c->compute && !c->context->caps.has_compute)
    return hb_fail(HB_ERR_GL, "%s has no compute shaders", c->context->caps.renderer);
  c->side = c->context->caps.software ? SIDE_SOFTWARE : SIDE;
  const struct hb_gl_program_source fragment = {.fragment = "bench/ceiling.frag",
                                                .unrolled = {{"ROUNDS", ROUNDS}}};
  const struct hb_gl_program_source compute = {.compute = "bench/ceiling.comp",
                                               .unrolled = {{"ROUNDS", ROUNDS}}};
  HB_TRY(hb_gl_pass_create(c->context, c->compute ? &compute : &fragment, &c->pass));
  hb_gl_pass_float(&c->pass, "seed", 0.25);
  if (!c->compute) {
    const struct hb_gl_texture_params texture = {
        .what = "a pass", .format = HB_GL_RGBA32F, .width = c->side, .height = c->side, .drawn = 1};
    return hb_gl_texture_create(c->context, &texture, &c->texture);
  }
  hb_gl_buffer_fill(&c->storage, HB_GL_BY_DEVICE, (size_t)(16 * c->side * c->side), NULL);
  hb_gl_pass_storage(&c->pass, 1, &c->storage);
  return hb_gl_context_check(c->context, "preparing the ceiling");
}

static double run_turns(struct ceiling *c, int turns)
{
  hb_gl_pass_int(&c->pass, "turns", turns);
  double start = hb_gl_timer_start();
  if (c->compute)
    hb_gl_pass_dispatch(&c->pass, (size_t)(c->side * c->side / GROUP), 1);
  else
    hb_gl_pass_draw(&c->pass, &c->texture.target, 0, 0, c->side, c->side);
  return hb_gl_timer_stop(start);
}

enum hb_status hb_bench_ceiling(const struct hb_force_params *params, int compute, double *flops)
{
  struct ceiling c = {.compute = compute};
  enum hb_status status = open_ceiling(&c, params);
  if (status == HB_OK) {
    run_turns(&c, 1); /* the first draw compiles */
    int turns = 1;    /* as many as take 4 ms, so that latency does not count */
    while (run_turns(&c, turns) < 0.004 && turns < 1 << 16) turns *= 2;
    double best = run_turns(&c, turns);
    for (int k = 1; k < BEST_OF; k++) {
      double seconds = run_turns(&c, turns);
      if (seconds < best) best = seconds;
    }
    *flops = 2.0 * CHAINS * ROUNDS * turns * c.side * c.side / best;
    status = hb_gl_context_check(c.context, "measuring the ceiling");
  }
  if (c.context) {
    hb_gl_pass_destroy(&c.pass);
    hb_gl_buffer_destroy(&c.storage);
    hb_gl_texture_destroy(&c.texture);
  }
  hb_gl_context_close(c.context);
  return status;
}
