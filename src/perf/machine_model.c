#include "perf/machine_model.h"

#include "base/mem.h"
#include "base/status.h"
#include "perf/fit.h"

#include <holmberg/measure.h>

#include <math.h>

/* Cycles of the host, which predicts and corrects on all four machines: section 5.1, and Table 1's 3.4 GHz. */
#define ETA_PRED    900
#define ETA_CORR    16000
#define T_CPU       (1 / 3400e6)
#define ON_THE_HOST .t_predict = ETA_PRED * T_CPU, .t_correct = ETA_CORR * T_CPU

#define EQ14   .n_block.c = 0.20, .n_block.p = 0.81 /* eq. 14 */
#define EQ17   .n_steps.c = 247, .n_steps.p = 0.35  /* eq. 17 */
#define BLOCKS EQ14, EQ17

const struct hb_machine hb_machines[HB_MACHINES] = {
    {.name = "GRAPE-6Af",
     .n_pipe = 24,
     .f_cycle = 90e6,
     .memory = 128 * 1024.,
     .eta_fe = 1,
     ON_THE_HOST,
     .t_send = 8.00e-7,
     .t_receive = 8.00e-7,
     .t_pair = 4.63e-10,
     BLOCKS},
    {.name = "8800GTX",
     .n_pipe = 128,
     .f_cycle = 575e6,
     .memory = 9362 * 1024.,
     .eta_fe = 60,
     ON_THE_HOST,
     .t_send = 1.76e-5,
     .t_receive = 5.97e-6,
     .t_pair = 8.15e-10,
     .sends_all = 1,
     .receives_all = 1,
     BLOCKS},
    {.name = "FX1400",
     .n_pipe = 12,
     .f_cycle = 350e6,
     .memory = 1562 * 1024.,
     .eta_fe = 60,
     ON_THE_HOST,
     .t_send = 1.89e-5,
     .t_receive = 5.98e-6,
     .t_pair = 1.43e-8,
     .sends_all = 1,
     .receives_all = 1,
     BLOCKS},
    {.name = "Xeon", .n_pipe = 1, .f_cycle = 3400e6, .eta_fe = 180, ON_THE_HOST, .t_pair = 5.29e-8, BLOCKS},
};

double hb_machine_t_host(const struct hb_machine *machine, double n, double n_block)
{
  double t_pred = machine->t_predict * n;       /* eq. 11 */
  double t_corr = machine->t_correct * n_block; /* eq. 12 */
  return t_pred + t_corr;
}

double hb_machine_t_comm(const struct hb_machine *machine, double n, double n_block)
{
  double n_send = machine->sends_all ? n : n_block, n_receive = machine->receives_all ? n : n_block;
  return machine->t_send * n_send + machine->t_receive * n_receive; /* eq. 13 */
}

double hb_machine_t_force(const struct hb_machine *machine, double n, double n_block)
{
  return machine->t_source * n + machine->t_pair * n * n_block; /* eq. 15 */
}

double hb_machine_t_step(const struct hb_machine *machine, double n, double n_block)
{
  return machine->t_start + hb_machine_t_host(machine, n, n_block) + hb_machine_t_force(machine, n, n_block) +
         hb_machine_t_comm(machine, n, n_block); /* eq. 10 */
}

double hb_power_law_at(const struct hb_power_law *law, double n) { return law->c * pow(n, law->p); }

double hb_machine_time(const struct hb_machine *machine, double n)
{
  double n_block = hb_power_law_at(&machine->n_block, n);
  return hb_power_law_at(&machine->n_steps, n) * hb_machine_t_step(machine, n, n_block); /* eq. 16 */
}

double hb_model_n_steps(double n, double nu)
{
  return hb_power_law_at(&hb_machines[0].n_steps, n) * sqrt(0.01 / nu);
}

double hb_model_rounded(enum hb_rounding rounding)
{
  return rounding == HB_ROUND_UP ? 0.8 : rounding == HB_ROUND_NEAREST ? 1.15 : 1.6;
}

/* ---- several ranks ---- */

/* An acceleration, a jerk and a potential. */
static const double FORCE_BYTES = 7 * sizeof(double);

/* Seconds to add up the forces of n_block sinks over all ranks: log2 of their number, rounded up, times a message. */
static double ranks_t_sum(const struct hb_network *network, int ranks, double n_block)
{
  double t_message = network->t_message + network->t_byte * FORCE_BYTES * n_block;
  return ceil(log2(ranks)) * t_message;
}

/* A rank predicts and sends its part of the sources and all sinks, sums over its part, and corrects the whole block. */
void hb_machine_ranks_time(const struct hb_machine *m, const struct hb_network *network, int ranks, double n,
                           struct hb_model_time *time)
{
  double n_block = hb_power_law_at(&m->n_block, n), part = n / ranks;
  double sinks = ranks > 1 ? n_block : 0; /* alone they are among the sources */
  double n_send = m->sends_all ? part + sinks : n_block, n_receive = m->receives_all ? n : n_block;
  *time = (struct hb_model_time){
      .n_block = n_block,
      .n_steps = hb_power_law_at(&m->n_steps, n),
      .t_host = hb_machine_t_host(m, part + sinks, n_block),
      .t_comm = m->t_send * n_send + m->t_receive * n_receive, /* eq. 13 */
      .t_force = hb_machine_t_force(m, part, n_block),
      .t_sum = ranks_t_sum(network, ranks, n_block),
  };
  time->t_step = m->t_start + time->t_host + time->t_comm + time->t_force + time->t_sum; /* eq. 10 */
  time->t_unit = time->n_steps * time->t_step;                                           /* eq. 16 */
}

/* ---- fitting it to runs ---- */

double hb_machine_run_n_steps(const struct hb_machine_run *run) { return run->block_steps / run->span; }

double hb_machine_run_n_block(const struct hb_machine_run *run)
{
  return run->particle_steps / run->block_steps;
}

/* The points of one fit: x[HB_FIT_TERMS * count], y[count]. */
struct points {
  size_t count;
  const struct hb_machine_run *runs;
  double *x, *y;
};

/* ---- the two laws ------------------------------------------------------------------------------------ */

static enum hb_status fit_law(const struct points *p, double (*of)(const struct hb_machine_run *run),
                              struct hb_power_law *law, struct hb_power_law *error)
{
  for (size_t k = 0; k < p->count; k++) {
    p->x[k] = p->runs[k].n;
    p->y[k] = of(&p->runs[k]);
  }
  return hb_fit_power_law(p->count, p->x, p->y, law, error);
}

/* ---- the phases of a block step ---------------------------------------------------------------------- */

/* What the constant of a term multiplies. */
enum term { ONE, N, BLOCK, N_BLOCK };

static double term_at(const struct hb_machine_run *run, enum term term)
{
  double n_block = hb_machine_run_n_block(run);
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

static double seconds(const struct hb_machine_run *run, enum phase phase)
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

static enum hb_status check(size_t count, const struct hb_machine_run *runs)
{
  for (size_t k = 0; k < count; k++)
    if (!(runs[k].n >= 2 && runs[k].span > 0 && runs[k].block_steps > 0 && runs[k].particle_steps > 0))
      return hb_fail(HB_ERR_NUMERIC,
                     "a run of %g particles did %g block steps with %g particle steps in %g time units",
                     runs[k].n, runs[k].block_steps, runs[k].particle_steps, runs[k].span);
  return HB_OK;
}

enum hb_status hb_machine_fit(size_t count, const struct hb_machine_run *runs, struct hb_machine *machine,
                              struct hb_machine *error)
{
  struct points p = {.count = count, .runs = runs};
  HB_TRY(check(count, runs));
  machine->receives_all = 0;
  enum hb_status status = HB_ALLOC(HB_FIT_TERMS * count, &p.x);
  if (status == HB_OK) status = HB_ALLOC(count, &p.y);
  if (status == HB_OK) status = fit_law(&p, hb_machine_run_n_steps, &machine->n_steps, &error->n_steps);
  if (status == HB_OK) status = fit_law(&p, hb_machine_run_n_block, &machine->n_block, &error->n_block);
  if (status == HB_OK) status = fit_phases(&p, machine, error);
  HB_FREE(p.x, p.y);
  return status;
}
