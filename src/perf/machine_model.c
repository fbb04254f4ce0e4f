#include "perf/machine_model.h"

#include "base/mem.h"
#include "base/status.h"
#include "perf/fit.h"

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

static double machine_t_host(const struct hb_machine *machine, double n, double n_block)
{
  double t_pred = machine->t_predict * n;       /* eq. 11 */
  double t_corr = machine->t_correct * n_block; /* eq. 12 */
  return t_pred + t_corr;
}

double hb_model_n_steps(double n, double nu)
{
  return hb_power_law_at(&hb_machines[0].n_steps, n) * sqrt(0.01 / nu);
}

double hb_model_rounded(enum hb_rounding rounding)
{
  return rounding == HB_ROUND_UP ? 0.8 : rounding == HB_ROUND_NEAREST ? 1.15 : 1.6;
}

/* ---- several ranks, each on such a machine with all particles and a part of the sources: eqs 11, 13 and 15 divided, and a term
 * for the sums of the block's forces over all ranks ---- */

/* An acceleration, a jerk and a potential. */
static const double FORCE_BYTES = 7 * sizeof(double);

/* A rank predicts and sends its part of the sources and all sinks, sums over its part, and corrects the whole block; then forces are
 * added up in log2 of their number, rounded up, messages. */
void hb_model_predict(const struct hb_machine *m, const struct hb_network *network, int ranks, double n,
                      struct hb_model_time *time)
{
  double n_block = hb_power_law_at(&m->n_block, n), part = n / ranks;
  double sinks = ranks > 1 ? n_block : 0; /* alone they are among the sources */
  double n_send = m->sends_all ? part + sinks : n_block, n_receive = m->receives_all ? n : n_block;
  struct hb_model_time t = {
      .n_block = n_block,
      .n_steps = hb_power_law_at(&m->n_steps, n),
      .t_host = machine_t_host(m, part + sinks, n_block),
      .t_comm = m->t_send * n_send + m->t_receive * n_receive,    /* eq. 13 */
      .t_force = m->t_source * part + m->t_pair * part * n_block, /* eq. 15 */
  };
  if (network) t.t_sum = ceil(log2(ranks)) * (network->t_message + network->t_byte * FORCE_BYTES * n_block);
  /* eq. 10, in the order of its first users: the last bit depends on it */
  t.t_step = network ? m->t_start + t.t_host + t.t_comm + t.t_force + t.t_sum
                     : m->t_start + t.t_host + t.t_force + t.t_comm;
  t.t_unit = t.n_steps * t.t_step; /* eq. 16 */
  *time = t;
}

double hb_machine_time(const struct hb_machine *machine, double n)
{
  struct hb_model_time time;
  hb_model_predict(machine, NULL, 1, n, &time);
  return time.t_unit;
}
