/* The paper's model of the run time, and its constants from runs on this machine. */
#include <holmberg/measure.h>

#include "base/mem.h"
#include "base/status.h"
#include "base/text.h"
#include "perf/fit.h"
#include "perf/machine_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS = 3, SEEDS_MOST = 1000, SIZES_LEAST = 3 };

/* y = c x^p through count points, a straight line in log-log, so that relative distances count. The error of c is absolute,
 * like all here; errors are NaN for two points, which leave no scatter. Errors: HB_ERR_USAGE (fewer than two different x, or
 * a number that is not > 0). */
static enum hb_status fit_power_law(size_t count, const double *x, const double *y, struct hb_power_law *law,
                                    struct hb_power_law *error)
{
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0, n = (double)count;
  for (size_t k = 0; k < count; k++) {
    if (!(x[k] > 0 && y[k] > 0 && isfinite(x[k]) && isfinite(y[k])))
      return hb_fail(HB_ERR_USAGE, "a power law cannot have the point (%g, %g)", x[k], y[k]);
    mean_x += log(x[k]) / n;
    mean_y += log(y[k]) / n;
  }
  for (size_t k = 0; k < count; k++) {
    double dx = log(x[k]) - mean_x;
    xx += dx * dx;
    xy += dx * (log(y[k]) - mean_y);
  }
  if (!(xx > 1e-12))
    return hb_fail(HB_ERR_USAGE, "a power law needs points at two different x, got %zu point%s", count,
                   hb_text_s(count));
  double p = xy / xx, log_c = mean_y - p * mean_x;
  for (size_t k = 0; k < count; k++) rest += pow(log(y[k]) - log_c - p * log(x[k]), 2);
  double variance = count > 2 ? rest / (n - 2) : NAN;
  *law = (struct hb_power_law){exp(log_c), p};
  *error =
      (struct hb_power_law){law->c * sqrt(variance * (1 / n + mean_x * mean_x / xx)), sqrt(variance / xx)};
  return HB_OK;
}

/* ---- the constants of the model from runs with timed phases ---- */

/* The counts and phases of one run between two times that are `span` apart. */
struct machine_run {
  double n, span;
  double block_steps, particle_steps;
  struct hb_phases phases;
};

/* Of a time unit. */
static double machine_run_n_steps(const struct machine_run *run) { return run->block_steps / run->span; }

static double machine_run_n_block(const struct machine_run *run)
{
  return run->particle_steps / run->block_steps;
}

/* The points of one fit: x[HB_FIT_TERMS * count], y[count]. */
struct points {
  size_t count;
  const struct machine_run *runs;
  double *x, *y;
};

/* ---- the two laws ------------------------------------------------------------------------------------ */

static enum hb_status fit_law(const struct points *p, double (*of)(const struct machine_run *run),
                              struct hb_power_law *law, struct hb_power_law *error)
{
  for (size_t k = 0; k < p->count; k++) {
    p->x[k] = p->runs[k].n;
    p->y[k] = of(&p->runs[k]);
  }
  return fit_power_law(p->count, p->x, p->y, law, error);
}

/* ---- the phases of a block step ---------------------------------------------------------------------- */

/* What the constant of a term multiplies. */
enum term { ONE, N, BLOCK, N_BLOCK };

static double term_at(const struct machine_run *run, enum term term)
{
  double n_block = machine_run_n_block(run);
  return term == ONE ? 1 : term == N ? run->n : term == BLOCK ? n_block : run->n * n_block;
}

enum phase { PREDICT, CORRECT, SEND, RECEIVE, FORCE };

/* A phase as a sum of terms, the first of which is ONE, and where the constants of the others go. */
struct sum {
  enum phase phase;
  size_t terms;
  enum term term[HB_FIT_TERMS];
  double *t[HB_FIT_TERMS], *error[HB_FIT_TERMS];
};

static double seconds(const struct machine_run *run, enum phase phase)
{
  const struct hb_phases *p = &run->phases;
  return phase == PREDICT   ? p->predict_s
         : phase == CORRECT ? p->correct_s
         : phase == SEND    ? p->send_s
         : phase == RECEIVE ? p->receive_s
                            : p->force_s;
}

/* The constants of ONE add up to t_start. */
static enum hb_status fit_sum(const struct points *p, const struct sum *sum, struct hb_machine *machine,
                              struct hb_machine *error)
{
  double t[HB_FIT_TERMS], e[HB_FIT_TERMS];
  for (size_t k = 0; k < p->count; k++) {
    p->y[k] = seconds(&p->runs[k], sum->phase) / p->runs[k].block_steps;
    for (size_t i = 0; i < sum->terms; i++) p->x[k * sum->terms + i] = term_at(&p->runs[k], sum->term[i]);
  }
  HB_TRY(hb_fit_terms(p->count, sum->terms, p->x, p->y, t, e));
  for (size_t i = 1; i < sum->terms; i++) {
    *sum->t[i] = t[i];
    *sum->error[i] = e[i];
  }
  machine->t_start += t[0];
  error->t_start = hypot(error->t_start, e[0]);
  return HB_OK;
}

static enum hb_status fit_phases(const struct points *p, struct hb_machine *m, struct hb_machine *e)
{
  const enum term sent = m->sends_all ? N : BLOCK;
  const struct sum sums[] = {
      {PREDICT, 2, {ONE, N}, {NULL, &m->t_predict}, {NULL, &e->t_predict}},     /* eq. 11 */
      {CORRECT, 2, {ONE, BLOCK}, {NULL, &m->t_correct}, {NULL, &e->t_correct}}, /* eq. 12 */
      {SEND, 2, {ONE, sent}, {NULL, &m->t_send}, {NULL, &e->t_send}},           /* eq. 13 */
      {RECEIVE, 2, {ONE, BLOCK}, {NULL, &m->t_receive}, {NULL, &e->t_receive}}, /* eq. 13 */
      {FORCE,
       3,
       {ONE, N, N_BLOCK},
       {NULL, &m->t_source, &m->t_pair},
       {NULL, &e->t_source, &e->t_pair}}, /* eq. 15 */
  };
  m->t_start = e->t_start = 0;
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) HB_TRY(fit_sum(p, &sums[k], m, e));
  return HB_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum hb_status check_runs(size_t count, const struct machine_run *runs)
{
  for (size_t k = 0; k < count; k++)
    if (!(runs[k].n >= 2 && runs[k].span > 0 && runs[k].block_steps > 0 && runs[k].particle_steps > 0))
      return hb_fail(HB_ERR_NUMERIC,
                     "a run of %g particles did %g block steps with %g particle steps in %g time units",
                     runs[k].n, runs[k].block_steps, runs[k].particle_steps, runs[k].span);
  return HB_OK;
}

/* Fills the constants and the two laws of *machine, and their standard errors in *error; sends_all is taken from *machine,
 * receives_all is 0. Each phase of a block step is a sum of two or three terms of eqs 11, 12, 13, 15; the remaining
 * constant parts add up to t_start. Errors: HB_ERR_USAGE (runs of fewer than two sizes), HB_ERR_NUMERIC (a run without
 * block steps), HB_ERR_INTERNAL. */
static enum hb_status machine_fit(size_t count, const struct machine_run *runs, struct hb_machine *machine,
                                  struct hb_machine *error)
{
  struct points p = {.count = count, .runs = runs};
  HB_TRY(check_runs(count, runs));
  machine->receives_all = 0;
  enum hb_status status = HB_ALLOC(HB_FIT_TERMS * count, &p.x);
  if (status == HB_OK) status = HB_ALLOC(count, &p.y);
  if (status == HB_OK) status = fit_law(&p, machine_run_n_steps, &machine->n_steps, &error->n_steps);
  if (status == HB_OK) status = fit_law(&p, machine_run_n_block, &machine->n_block, &error->n_block);
  if (status == HB_OK) status = fit_phases(&p, machine, error);
  HB_FREE(p.x, p.y);
  return status;
}

/* ---- measuring --------------------------------------------------------------------------------------- */

/* The results of every run: [size * seeds + seed]. */
struct samples {
  size_t sizes, seeds;
  struct machine_run *runs;
  double *unit_s; /* wall seconds of a time unit */
  double *de_rel; /* |dE/E|                      */
};

static enum hb_status check(const struct hb_model_fit_params *p)
{
  if (p->n_count < SIZES_LEAST)
    return hb_fail(HB_ERR_USAGE, "a fit needs at least %d numbers of particles, got %zu", SIZES_LEAST,
                   p->n_count);
  for (size_t k = 1; k < p->n_count; k++)
    if (p->n[k] <= p->n[k - 1])
      return hb_fail(HB_ERR_USAGE, "the numbers of particles %zu, %zu do not ascend", p->n[k - 1], p->n[k]);
  if (p->seeds < 0 || p->seeds > SEEDS_MOST)
    return hb_fail(HB_ERR_USAGE, "the number of seeds is %d, expected 1 to %d", p->seeds, SEEDS_MOST);
  return HB_OK;
}

/* Scheme, precision and device, truncated. */
static void name(const struct hb_bench_run_result *r, struct hb_machine *machine)
{
  int room = (int)sizeof machine->name - 1;
  snprintf(machine->name, sizeof machine->name, "%s %s, %.*s", r->scheme, r->precision, room / 2, r->device);
}

static enum hb_status measure_one(const struct hb_model_fit_params *p, struct hb_bench_run_params *job,
                                  struct samples *s, size_t k, struct hb_machine *machine)
{
  struct hb_bench_run_result r;
  HB_TRY(hb_bench_run(job, &r));
  double span = job->t_end > 0 ? job->t_end - job->t_begin : 0.25; /* the default of hb_bench_run */
  s->runs[k] = (struct machine_run){.n = (double)job->n,
                                    .span = span,
                                    .block_steps = (double)r.counts.block_steps,
                                    .particle_steps = (double)r.counts.particle_steps,
                                    .phases = r.phases};
  s->unit_s[k] = r.wall_s / span;
  s->de_rel[k] = r.e_begin == 0 ? NAN : fabs((r.e_end - r.e_begin) / r.e_begin);
  name(&r, machine);
  return p->measured ? p->measured(job, &r, p->context) : HB_OK;
}

static enum hb_status measure(const struct hb_model_fit_params *p, struct samples *s,
                              struct hb_machine *machine)
{
  struct hb_bench_run_params job = p->run;
  job.sim.force.flags |= HB_FORCE_PHASES;
  for (size_t k = 0; k < s->sizes; k++)
    for (size_t seed = 0; seed < s->seeds; seed++) {
      job.n = p->n[k];
      job.seed = seed + 1;
      HB_TRY(measure_one(p, &job, s, k * s->seeds + seed, machine));
    }
  return HB_OK;
}

/* ---- summing up -------------------------------------------------------------------------------------- */

static struct hb_model_size sum_up(const struct samples *s, size_t k)
{
  const struct machine_run *runs = &s->runs[k * s->seeds];
  struct hb_model_size size = {.n = (size_t)runs[0].n, .unseen_s = NAN};
  for (size_t seed = 0; seed < s->seeds; seed++) {
    double share = 1 / (double)s->seeds, de_rel = s->de_rel[k * s->seeds + seed];
    size.n_steps += share * machine_run_n_steps(&runs[seed]);
    size.n_block += share * machine_run_n_block(&runs[seed]);
    size.de_rel += share * de_rel;
    size.de_rel_most = fmax(size.de_rel_most, de_rel);
  }
  size.measured_s = hb_fit_median(s->seeds, &s->unit_s[k * s->seeds]);
  return size;
}

/* The runs of every other size, from the smallest on. */
static enum hb_status fit_half(const struct samples *s, struct hb_machine *machine)
{
  struct machine_run *half;
  struct hb_machine error;
  HB_TRY(HB_ALLOC(s->sizes * s->seeds, &half));
  size_t count = 0;
  for (size_t k = 0; k < s->sizes; k += 2)
    for (size_t seed = 0; seed < s->seeds; seed++) half[count++] = s->runs[k * s->seeds + seed];
  enum hb_status status = machine_fit(count, half, machine, &error);
  hb_mem_free(half);
  return status;
}

/* Standard errors add up as those of independent terms. */
static void find_t_host(struct hb_model_fit *f)
{
  double n = HB_MODEL_T_HOST_N, n_block = hb_power_law_at(&f->machine.n_block, n);
  f->t_host = hb_model_t_host(&f->machine);
  f->t_host_error = hypot(f->error.t_predict, f->error.t_correct * n_block / n);
}

static enum hb_status fit(const struct samples *s, struct hb_model_size *sizes, struct hb_model_fit *f)
{
  struct hb_machine half = f->machine;
  const struct hb_machine *paper = hb_machines; /* its laws are the same for all four */
  HB_TRY(machine_fit(s->sizes * s->seeds, s->runs, &f->machine, &f->error));
  HB_TRY(fit_half(s, &half));
  find_t_host(f);
  for (size_t k = 0; k < s->sizes; k++) {
    sizes[k] = sum_up(s, k);
    double n = (double)sizes[k].n, eq14 = hb_power_law_at(&paper->n_block, n);
    sizes[k].predicted_s = hb_machine_time(&f->machine, n);
    f->de_rel += sizes[k].de_rel / (double)s->sizes;
    f->n_block_deviation = fmax(f->n_block_deviation, fabs(sizes[k].n_block / eq14 - 1));
    if (k % 2 == 0) continue;
    sizes[k].unseen_s = hb_machine_time(&half, n);
    f->unseen_deviation = fmax(f->unseen_deviation, fabs(sizes[k].unseen_s / sizes[k].measured_s - 1));
  }
  return HB_OK;
}

enum hb_status hb_model_fit(const struct hb_model_fit_params *params, struct hb_model_size *sizes,
                            struct hb_model_fit *result)
{
  HB_TRY(check(params));
  struct samples s = {.sizes = params->n_count, .seeds = params->seeds ? (size_t)params->seeds : SEEDS};
  struct hb_model_fit f = {.machine.sends_all = params->run.sim.transfer == HB_TRANSFER_ALL};
  enum hb_status status = HB_ALLOC(s.sizes * s.seeds, &s.runs);
  if (status == HB_OK) status = HB_ALLOC(s.sizes * s.seeds, &s.unit_s);
  if (status == HB_OK) status = HB_ALLOC(s.sizes * s.seeds, &s.de_rel);
  if (status == HB_OK) status = measure(params, &s, &f.machine);
  if (status == HB_OK) status = fit(&s, sizes, &f);
  HB_FREE(s.runs, s.unit_s, s.de_rel);
  if (status == HB_OK) *result = f;
  return status;
}
