/* hb_bench_run: the job of [PZ07] Table 2, with the time of its second half. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/status.h"
#include "force/force.h"

#include <holmberg/measure.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MOST = 1000 };

/* What one run measured. */
struct sample {
  double wall_s, e_begin, e_end, e_gpu_begin, e_gpu_end;
  struct hb_sim_counts counts;
  struct hb_phases phases;
  int exact_energy;
};

static struct hb_bench_run_params complete(const struct hb_bench_run_params *given)
{
  struct hb_bench_run_params params = *given;
  if (given->t_begin == 0 && given->t_end == 0) {
    params.t_begin = 0.25;
    params.t_end = 0.5;
  }
  if (given->repeat == 0) params.repeat = 1;
  return params;
}

static enum hb_status check(const struct hb_bench_run_params *p)
{
  if (!p->sim.force.scheme) return hb_fail(HB_ERR_USAGE, "no scheme of forces was named");
  if (p->n < 2) return hb_fail(HB_ERR_USAGE, "the number of particles is %zu, expected at least 2", p->n);
  if (!(p->t_begin >= 0 && p->t_end > p->t_begin && isfinite(p->t_end)))
    return hb_fail(HB_ERR_USAGE, "the times are %g to %g, expected 0 <= begin < end", p->t_begin, p->t_end);
  if (p->repeat < 1 || p->repeat > REPEATS_MOST)
    return hb_fail(HB_ERR_USAGE, "the number of runs is %d, expected 1 to %d", p->repeat, REPEATS_MOST);
  return HB_OK;
}

static enum hb_status steps_to(struct hb_sim *sim, double t)
{
  while (hb_sim_next_time(sim) <= t) HB_TRY(hb_sim_step(sim));
  return HB_OK;
}

/* What was counted at the beginning is taken off. */
static void difference(const struct sample *begin, struct sample *end)
{
  end->counts.block_steps -= begin->counts.block_steps;
  end->counts.particle_steps -= begin->counts.particle_steps;
  end->counts.pairs -= begin->counts.pairs;
  end->phases.predict_s -= begin->phases.predict_s;
  end->phases.send_s -= begin->phases.send_s;
  end->phases.force_s -= begin->phases.force_s;
  end->phases.receive_s -= begin->phases.receive_s;
  end->phases.correct_s -= begin->phases.correct_s;
}

static void look(const struct hb_sim *sim, struct sample *sample)
{
  hb_sim_counts(sim, &sample->counts);
  hb_sim_phases(sim, &sample->phases);
}

/* The timed part, energies before and behind it. Every block step waits for its results, so that the clock stops with
 * nothing under way but the last block's way home. */
static enum hb_status measure(const struct hb_bench_run_params *p, struct hb_sim *sim, struct sample *sample)
{
  struct sample begin = {0}, end = {0};
  struct hb_diagnostics now;
  HB_TRY(steps_to(sim, p->t_begin));
  HB_TRY(hb_sim_diagnose(sim, p->t_begin, &now));
  end.e_begin = now.e_total;
  end.e_gpu_begin = now.e_gpu;
  look(sim, &begin);
  double start = hb_clock_now();
  HB_TRY(steps_to(sim, p->t_end));
  end.wall_s = hb_clock_now() - start;
  look(sim, &end);
  HB_TRY(hb_sim_diagnose(sim, p->t_end, &now));
  end.e_end = now.e_total;
  end.e_gpu_end = now.e_gpu;
  end.exact_energy = now.exact_energy;
  difference(&begin, &end);
  *sample = end;
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

static enum hb_status run_once(const struct hb_bench_run_params *p, struct hb_bench_run_result *r,
                               struct sample *sample)
{
  const struct hb_ic_params ic = {.n = p->n, .seed = p->seed, .scaling = r->scaling};
  struct hb_particles *sphere = NULL;
  struct hb_sim *sim = NULL;
  enum hb_status status = hb_ic_make("plummer", &ic, &sphere);
  if (status == HB_OK) status = hb_sim_take(sphere, &p->sim, &sim);
  if (status == HB_OK) status = measure(p, sim, sample);
  if (status == HB_OK) name(hb_sim_force(sim), r);
  hb_sim_destroy(sim);
  return status;
}

static int by_wall(const void *a, const void *b)
{
  double x = ((const struct sample *)a)->wall_s, y = ((const struct sample *)b)->wall_s;
  return (x > y) - (x < y);
}

static enum hb_status run_all(const struct hb_bench_run_params *p, struct sample *samples,
                              struct hb_bench_run_result *r)
{
  size_t count = (size_t)p->repeat;
  for (size_t k = 0; k < count; k++) HB_TRY(run_once(p, r, &samples[k]));
  qsort(samples, count, sizeof *samples, by_wall);
  const struct sample *median = &samples[(count - 1) / 2];
  r->wall_s = median->wall_s;
  r->wall_min_s = samples[0].wall_s;
  r->wall_max_s = samples[count - 1].wall_s;
  r->counts = median->counts;
  r->phases = median->phases;
  r->e_begin = median->e_begin;
  r->e_end = median->e_end;
  r->e_gpu_begin = median->e_gpu_begin;
  r->e_gpu_end = median->e_gpu_end;
  r->exact_energy = median->exact_energy;
  return HB_OK;
}

enum hb_status hb_bench_run(const struct hb_bench_run_params *given, struct hb_bench_run_result *result)
{
  const struct hb_bench_run_params params = complete(given);
  HB_TRY(check(&params));
  struct sample *samples;
  HB_TRY(HB_ALLOC((size_t)params.repeat, &samples));
  struct hb_bench_run_result r = {.scaling = hb_ic_scaling_for(params.n)};
  enum hb_status status = run_all(&params, samples, &r);
  hb_mem_free(samples);
  if (status == HB_OK) *result = r;
  return status;
}
