/* The paper's model of the run time, and its constants from runs on this machine. */
#include <holmberg/measure.h>

#include "base/mem.h"
#include "base/status.h"
#include "perf/fit.h"
#include "perf/machine_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS = 3, SEEDS_MOST = 1000, SIZES_LEAST = 3 };

const struct hb_machine *hb_model_machines(size_t *count)
{
  *count = HB_MACHINES;
  return hb_machines;
}

void hb_model_predict(const struct hb_machine *machine, double n, struct hb_model_time *time)
{
  double n_block = hb_power_law_at(&machine->n_block, n);
  *time = (struct hb_model_time){
      .n_block = n_block,
      .n_steps = hb_power_law_at(&machine->n_steps, n),
      .t_host = hb_machine_t_host(machine, n, n_block),
      .t_comm = hb_machine_t_comm(machine, n, n_block),
      .t_force = hb_machine_t_force(machine, n, n_block),
      .t_step = hb_machine_t_step(machine, n, n_block),
      .t_unit = hb_machine_time(machine, n),
  };
}

void hb_model_predict_ranks(const struct hb_machine *machine, const struct hb_network *network, int ranks,
                            double n, struct hb_model_time *time)
{
  hb_machine_ranks_time(machine, network, ranks, n, time);
}

double hb_model_t_host(const struct hb_machine *machine)
{
  double n = HB_MODEL_T_HOST_N;
  return hb_machine_t_host(machine, n, hb_power_law_at(&machine->n_block, n)) / n;
}

/* ---- measuring --------------------------------------------------------------------------------------- */

/* The results of every run: [size * seeds + seed]. */
struct samples {
  size_t sizes, seeds;
  struct hb_machine_run *runs;
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
  s->runs[k] = (struct hb_machine_run){.n = (double)job->n,
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
  const struct hb_machine_run *runs = &s->runs[k * s->seeds];
  struct hb_model_size size = {.n = (size_t)runs[0].n, .unseen_s = NAN};
  for (size_t seed = 0; seed < s->seeds; seed++) {
    double share = 1 / (double)s->seeds, de_rel = s->de_rel[k * s->seeds + seed];
    size.n_steps += share * hb_machine_run_n_steps(&runs[seed]);
    size.n_block += share * hb_machine_run_n_block(&runs[seed]);
    size.de_rel += share * de_rel;
    size.de_rel_most = fmax(size.de_rel_most, de_rel);
  }
  size.measured_s = hb_fit_median(s->seeds, &s->unit_s[k * s->seeds]);
  return size;
}

/* The runs of every other size, from the smallest on. */
static enum hb_status fit_half(const struct samples *s, struct hb_machine *machine)
{
  struct hb_machine_run *half;
  struct hb_machine error;
  HB_TRY(HB_ALLOC(s->sizes * s->seeds, &half));
  size_t count = 0;
  for (size_t k = 0; k < s->sizes; k += 2)
    for (size_t seed = 0; seed < s->seeds; seed++) half[count++] = s->runs[k * s->seeds + seed];
  enum hb_status status = hb_machine_fit(count, half, machine, &error);
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
  HB_TRY(hb_machine_fit(s->sizes * s->seeds, s->runs, &f->machine, &f->error));
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
