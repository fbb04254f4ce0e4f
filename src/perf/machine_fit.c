#include "perf/machine_fit.h"

#include "base/mem.h"
#include "base/status.h"
#include "perf/fit.h"

#include <holmberg/measure.h>

#include <math.h>

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
  hb_mem_free(p.x);
  hb_mem_free(p.y);
  return status;
}
