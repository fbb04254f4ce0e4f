#include "perf/machine_fit.h"

#include "base/mem.h"
#include "base/status.h"
#include "perf/fit.h"

#include <math.h>

double hb_machine_run_n_steps(const struct hb_machine_run *run) { return run->block_steps / run->span; }

double hb_machine_run_n_block(const struct hb_machine_run *run)
{
  return run->particle_steps / run->block_steps;
}

/* Room for the points of one fit: x[HB_FIT_TERMS * count], y[count]. */
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

/* What a term of a phase multiplies. */
enum term { ONE, N, BLOCK, N_BLOCK };

static double term_at(const struct hb_machine_run *run, enum term term)
{
  double n_block = hb_machine_run_n_block(run);
  return term == ONE ? 1 : term == N ? run->n : term == BLOCK ? n_block : run->n * n_block;
}

struct phase {
  size_t offset; /* of its seconds in struct hb_phases           */
  size_t terms;  /* the first is ONE                             */
  enum term term[HB_FIT_TERMS];
  size_t constant[HB_FIT_TERMS]; /* offset in struct hb_machine of what is fitted */
};

static double *at(struct hb_machine *machine, size_t offset) { return (double *)((char *)machine + offset); }

/* The fit of one phase; its share of t_start is added to the others'. */
static enum hb_status fit_phase(const struct points *p, const struct phase *phase, struct hb_machine *machine,
                                struct hb_machine *error)
{
  double t[HB_FIT_TERMS], e[HB_FIT_TERMS];
  for (size_t k = 0; k < p->count; k++) {
    const struct hb_machine_run *run = &p->runs[k];
    p->y[k] = *(const double *)((const char *)&run->phases + phase->offset) / run->block_steps;
    for (size_t i = 0; i < phase->terms; i++) p->x[k * phase->terms + i] = term_at(run, phase->term[i]);
  }
  HB_TRY(hb_fit_terms(p->count, phase->terms, p->x, p->y, t, e));
  for (size_t i = 1; i < phase->terms; i++) {
    *at(machine, phase->constant[i]) = t[i];
    *at(error, phase->constant[i]) = e[i];
  }
  machine->t_start += t[0];
  error->t_start = hypot(error->t_start, e[0]);
  return HB_OK;
}

#define PHASE(name)    offsetof(struct hb_phases, name)
#define CONSTANT(name) offsetof(struct hb_machine, name)

static enum hb_status fit_phases(const struct points *p, struct hb_machine *machine, struct hb_machine *error)
{
  const struct phase phases[] = {
      {PHASE(predict_s), 2, {ONE, N}, {0, CONSTANT(t_predict)}},                         /* eq. 11 */
      {PHASE(correct_s), 2, {ONE, BLOCK}, {0, CONSTANT(t_correct)}},                     /* eq. 12 */
      {PHASE(send_s), 2, {ONE, machine->sends_all ? N : BLOCK}, {0, CONSTANT(t_send)}},  /* eq. 13 */
      {PHASE(receive_s), 2, {ONE, BLOCK}, {0, CONSTANT(t_receive)}},                     /* eq. 13 */
      {PHASE(force_s), 3, {ONE, N, N_BLOCK}, {0, CONSTANT(t_source), CONSTANT(t_pair)}}, /* eq. 15 */
  };
  machine->t_start = error->t_start = 0;
  for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
    HB_TRY(fit_phase(p, &phases[k], machine, error));
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
