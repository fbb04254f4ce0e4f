/* hb_bench_run: the job of [PZ07] Table 2, with the time of its second half. */
#include "measure/bench_run.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/status.h"
#include "base/text.h"
#include "console/signals.h"
#include "force/force.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>
#include <holmberg/measure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a run that goes on in another process: a checkpoint, and what the clock had shown ---- */

/* Where a measured run is. Before t_begin, r is all zeros. */
struct bench_place {
  int is_timed;                 /* whether t_begin was reached */
  struct hb_bench_run_result r; /* wall_s so far, the energies at t_begin, counts and phases up to t_begin */
};

/* The same for printf and scanf; doubles as hexadecimal: all bits. */
#define PLACE "%d %la %la %la %lu %lu %lu %la %la %la %la %la"

static enum hb_status write_job(const struct hb_bench_run_params *p, struct hb_text *job)
{
  const struct hb_sim_params *sim = &p->sim;
  const struct hb_force_params *force = &sim->force;
  return hb_text_append(
      job, "bench run 1: n %zu seed %llu t %a %a %s %s eps %a modes %d %d %d eta %a dt %a %a %d%c", p->n,
      (unsigned long long)p->seed, p->t_begin, p->t_end, force->scheme,
      force->precision ? force->precision : "-", force->eps, (int)sim->transfer, (int)sim->predict,
      (int)sim->correct, sim->eta, sim->dt_min, sim->dt_max, (int)sim->rounding, 0);
}

static enum hb_status write_record(const struct hb_bench_run_params *p, const struct bench_place *place,
                                   struct hb_text *record)
{
  const struct hb_bench_run_result *r = &place->r;
  const struct hb_phases *s = &r->phases;
  HB_TRY(write_job(p, record));
  return hb_text_append(record, PLACE "%c", place->is_timed, r->wall_s, r->e_begin, r->e_gpu_begin,
                        (unsigned long)r->counts.block_steps, (unsigned long)r->counts.particle_steps,
                        (unsigned long)r->counts.pairs, s->predict_s, s->send_s, s->force_s, s->receive_s,
                        s->correct_s, 0);
}

/* Errors: as hb_sim_save. */
static enum hb_status write_saved(const struct hb_bench_run_params *p, const struct bench_place *place,
                                  const struct hb_sim *sim)
{
  struct hb_text record = {0};
  enum hb_status status = write_record(p, place, &record);
  if (status == HB_OK) status = hb_sim_save(sim, p->checkpoint, record.text, record.length, 0);
  hb_mem_free(record.text);
  return status;
}

static enum hb_status read_place(const char *text, struct bench_place *place)
{
  struct hb_bench_run_result *r = &place->r;
  struct hb_phases *s = &r->phases;
  unsigned long counts[3];
  if (sscanf(text, PLACE, &place->is_timed, &r->wall_s, &r->e_begin, &r->e_gpu_begin, &counts[0], &counts[1],
             &counts[2], &s->predict_s, &s->send_s, &s->force_s, &s->receive_s, &s->correct_s) != 12)
    return hb_fail(HB_ERR_INPUT, "it does not say how far the job was");
  r->counts.block_steps = counts[0];
  r->counts.particle_steps = counts[1];
  r->counts.pairs = counts[2];
  return HB_OK;
}

static enum hb_status read_record(const struct hb_checkpoint *checkpoint, const struct hb_bench_run_params *p,
                                  struct bench_place *place)
{
  size_t bytes;
  struct hb_text job = {0};
  const char *own = hb_checkpoint_own(checkpoint, &bytes);
  enum hb_status status = write_job(p, &job);
  if (status == HB_OK && (bytes <= job.length || own[bytes - 1] || memcmp(own, job.text, job.length) != 0))
    status = hb_fail(HB_ERR_USAGE, "it was written by another job; remove it, or name another file");
  if (status == HB_OK) status = read_place(own + job.length, place);
  hb_mem_free(job.text);
  return status;
}

/* Goes on with the job that p->checkpoint holds: its simulation and place. *sim = NULL if there is no such file.
 * Errors: as hb_checkpoint_open and hb_sim_resume; HB_ERR_USAGE (it is another job's). */
static enum hb_status resume_saved(const struct hb_bench_run_params *p, struct bench_place *place,
                                   struct hb_sim **sim)
{
  struct hb_checkpoint *checkpoint;
  *sim = NULL;
  if (!p->checkpoint || access(p->checkpoint, F_OK) != 0) return HB_OK;
  HB_TRY(hb_checkpoint_open(p->checkpoint, &checkpoint));
  enum hb_status status = read_record(checkpoint, p, place);
  if (status != HB_OK) status = hb_fail_in(status, p->checkpoint);
  if (status == HB_OK) status = hb_sim_resume(checkpoint, &p->sim.force, sim);
  hb_checkpoint_close(checkpoint);
  return status;
}

/* Removes the file, if there is one: the job is done. */
static void remove_saved(const struct hb_bench_run_params *p)
{
  if (p->checkpoint) unlink(p->checkpoint);
}

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
  struct bench_place place;
  double saved; /* when a checkpoint was last written; the first one at once, as it may fail */
};

/* Saves it if that is due, and ends it at a signal. */
static enum hb_status poll_saving(struct measurement *m)
{
  const char *by = hb_signals_stop(), *path = m->p->checkpoint;
  if (path && (by || hb_clock_now() - m->saved >= m->p->checkpoint_every_s)) {
    HB_TRY(write_saved(m->p, &m->place, m->sim));
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
  params.neighbors = HB_NEIGHBORS_NONE;
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  HB_TRY(hb_ic_make("plummer", &ic, &sphere));
  return hb_sim_take(sphere, &params, sim);
}

static enum hb_status run_once(const struct hb_bench_run_params *p, struct hb_bench_run_result *r)
{
  struct measurement m = {.p = p, .saved = -INFINITY};
  enum hb_status status = resume_saved(p, &m.place, &m.sim);
  if (status == HB_OK && !m.sim) status = start(p, &m.sim);
  if (status == HB_OK) status = measure(&m);
  if (status == HB_OK) {
    *r = m.place.r;
    r->scaling = hb_ic_scaling_for(p->n);
    name(hb_sim_force(m.sim), r);
    remove_saved(p);
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

/* ---- as a row of a table ---- */

#define AT(place) .offset = offsetof(struct hb_bench_run_row, place)

static const struct hb_table_column run_columns[] = {
    {"record", HB_TABLE_TEXT, AT(record)},
    {"scheme", HB_TABLE_CHARS, AT(result.scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_CHARS, AT(result.precision), "%-11s"},
    {"mode", HB_TABLE_TEXT, AT(mode), "%-14s"},
    {"n", HB_TABLE_SIZE, AT(params.n), "%8llu"},
    {"t_begin", HB_TABLE_REAL, AT(params.t_begin)},
    {"t_end", HB_TABLE_REAL, AT(params.t_end)},
    {"wall_s", HB_TABLE_REAL, AT(result.wall_s), "%9.4g", "wall s"},
    {"wall_min_s", HB_TABLE_REAL, AT(result.wall_min_s)},
    {"wall_max_s", HB_TABLE_REAL, AT(result.wall_max_s)},
    {"repeat", HB_TABLE_INT, AT(params.repeat)},
    {"block_steps", HB_TABLE_COUNT, AT(result.counts.block_steps), "%8llu", "blocks"},
    {"particle_steps", HB_TABLE_COUNT, AT(result.counts.particle_steps), "%12llu", "steps"},
    {"pairs", HB_TABLE_COUNT, AT(result.counts.pairs)},
    {NULL, HB_TABLE_REAL, AT(gpairs), "%9.4g", "Gpairs/s"},
    {"de_rel", HB_TABLE_REAL, AT(de_rel)},
    {"de_rel_gpu", HB_TABLE_REAL, AT(de_rel_gpu)},
    {"exact_energy", HB_TABLE_TRUTH, AT(result.exact_energy)},
    {"phases", HB_TABLE_TRUTH, AT(phases)},
    {"predict_s", HB_TABLE_REAL, AT(result.phases.predict_s), "| %8.3g", "predict"},
    {"send_s", HB_TABLE_REAL, AT(result.phases.send_s), "%8.3g", "send"},
    {"force_s", HB_TABLE_REAL, AT(result.phases.force_s), "%8.3g", "force"},
    {"receive_s", HB_TABLE_REAL, AT(result.phases.receive_s), "%8.3g", "receive"},
    {"correct_s", HB_TABLE_REAL, AT(result.phases.correct_s), "%8.3g", "correct"},
    {NULL, HB_TABLE_REAL, AT(de_rel), "| %8.1e", "dE/E"},
    /* what is needed to repeat it */
    {"context", HB_TABLE_CHARS, AT(result.context)},
    {"device", HB_TABLE_CHARS, AT(result.device)},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
    {"eta", HB_TABLE_REAL, AT(params.sim.eta)},
    {"eps", HB_TABLE_REAL, AT(params.sim.force.eps)},
    {"dt_max", HB_TABLE_REAL, AT(params.sim.dt_max)},
    {"dt_min", HB_TABLE_REAL, AT(params.sim.dt_min)},
    {"step_rounding", HB_TABLE_TEXT, AT(rounding)},
    {"seed", HB_TABLE_COUNT, AT(params.seed)},
    {"scaling", HB_TABLE_TEXT, AT(scaling)},
};

#undef AT

static double change(double begin, double end) { return begin == 0 ? NAN : (end - begin) / fabs(begin); }

struct hb_bench_run_row hb_bench_run_row(const struct hb_bench_run_params *params,
                                         const struct hb_bench_run_result *result, const char *mode,
                                         const char *rounding)
{
  return (struct hb_bench_run_row){
      .mode = mode,
      .rounding = rounding,
      .params = *params,
      .result = *result,
      .gpairs = 1e-9 * (double)result->counts.pairs / result->wall_s,
      .de_rel = change(result->e_begin, result->e_end),
      .de_rel_gpu = change(result->e_gpu_begin, result->e_gpu_end),
      .phases = (params->sim.force.flags & HB_FORCE_PHASES) != 0,
      .scaling = result->scaling == HB_IC_SCALING_MODEL ? "model" : "measured",
  };
}

struct hb_table hb_bench_run_table(enum hb_table_form form, FILE *out)
{
  return (struct hb_table){HB_TABLE_COLUMNS(run_columns), form, out, 0};
}
