#include "perf/machine_ranks.h"

#include "perf/machine_model.h"

#include <math.h>

/* An acceleration, a jerk and a potential. */
static const double FORCE_BYTES = 7 * sizeof(double);

double hb_machine_ranks_t_sum(const struct hb_network *network, int ranks, double n_block)
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
      .t_sum = hb_machine_ranks_t_sum(network, ranks, n_block),
  };
  time->t_step = m->t_start + time->t_host + time->t_comm + time->t_force + time->t_sum; /* eq. 10 */
  time->t_unit = time->n_steps * time->t_step;                                           /* eq. 16 */
}
