/* hb_bench_run: the job of [PZ07] Table 2, with the time of its second half. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/status.h"
#include "console/signals.h"
#include "force/force.h"
#include "measure/bench_saved.h"

#include <holmberg/measure.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MOST = 1000, CHECKPOINT_EVERY_S = 60 };

static struct hb_bench_run_params complete(const struct hb_bench_run_params *given)
{
  struct hb_bench_run_params params = *given;
  if (given->t_begin == 0 && given->t_end == 0) {
    params.t_begin = 0.25;
    params.t_end = 0.5;
  }
  if (given->repeat == 0) params.repeat = 1;
  if (given->checkpoint_every_s == 0) params.checkpoint_every_s = CHECKPOINT_EVERY_S;
  return params;
}

static enum hb_status check(const struct hb_bench_run_params *p)
{
  if (!p->sim.force.scheme) return hb_fail(HB_ERR_USAGE, "no scheme was given");
  if (p->n < 2) return hb_fail(HB_ERR_USAGE, "the number of particles is %zu, expected at least 2", p->n);
  if (!(p->t_begin >= 0 && p->t_end > p->t_begin && isfinite(p->t_end)))
    return hb_fail(HB_ERR_USAGE, "the times are %g to %g, expected 0 <= begin < end", p->t_begin, p->t_end);
  if (p->repeat < 1 || p->repeat > REPEATS_MOST)
    return hb_fail(HB_ERR_USAGE, "the number of runs is %d, expected 1 to %d", p->repeat, REPEATS_MOST);
  if (p->checkpoint && p->repeat > 1)
    return hb_fail(HB_ERR_USAGE, "a checkpoint is of one run, but %d were asked for", p->repeat);
  if (p->checkpoint && hb_ranks_count() > 1)
    return hb_fail(HB_ERR_USAGE, "a measured run by several ranks has no checkpoint; leave it out");
  return HB_OK;
}

/* Counts and phases since the last call. */
static void count_since(const struct hb_sim *sim, struct hb_bench_run_result *r)
{
  const struct hb_sim_counts counts = r->counts;
  const struct hb_phases phases = r->phases;
  hb_sim_counts(sim, &r->counts);
  hb_sim_phases(sim, &r->phases);
  r->counts.block_steps -= counts.block_steps;
  r->counts.particle_steps -= counts.particle_steps;
  r->counts.pairs -= counts.pairs;
  r->phases.predict_s -= phases.predict_s;
  r->phases.send_s -= phases.send_s;
  r->phases.force_s -= phases.force_s;
  r->phases.receive_s -= phases.receive_s;
  r->phases.correct_s -= phases.correct_s;
}

/* A measurement on its way. Only block steps count, not saving and diagnosing. */
struct measurement {
  const struct hb_bench_run_params *p;
  struct hb_sim *sim;
  struct hb_bench_place place;
  double saved; /* when a checkpoint was last written; the first one at once, as it may fail */
};

/* Saves it if that is due, and ends it at a signal. */
static enum hb_status poll_saving(struct measurement *m)
{
  const char *by = hb_signals_stop(), *path = m->p->checkpoint;
  if (path && (by || hb_clock_now() - m->saved >= m->p->checkpoint_every_s)) {
    HB_TRY(hb_bench_saved_write(m->p, &m->place, m->sim));
    m->saved = hb_clock_now();
  }
  if (!by) return HB_OK;
  if (!path) return hb_fail(HB_ERR_STOPPED, "stopped by %s; without --checkpoint nothing was saved", by);
  return hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command continues from %s", by, path);
}

static enum hb_status steps_to(struct measurement *m, double t)
{
  while (hb_sim_next_time(m->sim) <= t) {
    double start = hb_clock_now();
    HB_TRY(hb_sim_step(m->sim));
    m->place.r.wall_s += hb_clock_now() - start;
    HB_TRY(poll_saving(m));
  }
  return HB_OK;
}

/* Every block step waits for its results, so that at most the last block's correction is still pending when the clock stops. */
static enum hb_status measure(struct measurement *m)
{
  struct hb_diagnostics now;
  struct hb_bench_run_result *r = &m->place.r;
  if (!m->place.is_timed) {
    HB_TRY(steps_to(m, m->p->t_begin));
    HB_TRY(hb_sim_diagnose(m->sim, m->p->t_begin, &now));
    r->e_begin = now.e_total;
    r->e_gpu_begin = now.e_gpu;
    r->wall_s = 0;
    count_since(m->sim, r);
    m->place.is_timed = 1;
  }
  HB_TRY(steps_to(m, m->p->t_end));
  count_since(m->sim, r);
  HB_TRY(hb_sim_diagnose(m->sim, m->p->t_end, &now));
  r->e_end = now.e_total;
  r->e_gpu_end = now.e_gpu;
  r->exact_energy = now.exact_energy;
  return HB_OK;
}

static void name(const struct hb_force *force, struct hb_bench_run_result *r)
{
  snprintf(r->scheme, sizeof r->scheme, "%s", hb_force_scheme(force)->name);
  snprintf(r->precision, sizeof r->precision, "%s", hb_force_precision(force));
  snprintf(r->context, sizeof r->context, "%s", hb_force_context(force));
  snprintf(r->device, sizeof r->device, "%s", hb_force_device(force));
  snprintf(r->tuning, sizeof r->tuning, "%s", hb_force_tuning(force));
}

static enum hb_status start(const struct hb_bench_run_params *p, struct hb_sim **sim)
{
  struct hb_particles *sphere = NULL;
  const struct hb_ic_params ic = {.n = p->n, .seed = p->seed, .scaling = hb_ic_scaling_for(p->n)};
  struct hb_sim_params params = p->sim;
  params.first_step = HB_FIRST_STEP_EQ2; /* jobs are the paper's */
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  HB_TRY(hb_ic_make("plummer", &ic, &sphere));
  return hb_sim_take(sphere, &params, sim);
}

static enum hb_status run_once(const struct hb_bench_run_params *p, struct hb_bench_run_result *r)
{
  struct measurement m = {.p = p, .saved = -INFINITY};
  enum hb_status status = hb_bench_saved_resume(p, &m.place, &m.sim);
  if (status == HB_OK && !m.sim) status = start(p, &m.sim);
  if (status == HB_OK) status = measure(&m);
  if (status == HB_OK) {
    *r = m.place.r;
    r->scaling = hb_ic_scaling_for(p->n);
    name(hb_sim_force(m.sim), r);
    hb_bench_saved_remove(p);
  }
  hb_sim_destroy(m.sim);
  return status;
}

static int by_wall(const void *a, const void *b)
{
  double x = ((const struct hb_bench_run_result *)a)->wall_s,
         y = ((const struct hb_bench_run_result *)b)->wall_s;
  return (x > y) - (x < y);
}

enum hb_status hb_bench_run(const struct hb_bench_run_params *given, struct hb_bench_run_result *result)
{
  const struct hb_bench_run_params params = complete(given);
  HB_TRY(check(&params));
  size_t count = (size_t)params.repeat;
  struct hb_bench_run_result *runs;
  HB_TRY(HB_ALLOC(count, &runs));
  enum hb_status status = HB_OK;
  for (size_t k = 0; status == HB_OK && k < count; k++) status = run_once(&params, &runs[k]);
  if (status == HB_OK) {
    qsort(runs, count, sizeof *runs, by_wall);
    *result = runs[(count - 1) / 2];
    result->wall_min_s = runs[0].wall_s;
    result->wall_max_s = runs[count - 1].wall_s;
  }
  hb_mem_free(runs);
  return status;
}
