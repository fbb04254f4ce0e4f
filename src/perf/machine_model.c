#include "perf/machine_model.h"

#include "perf/model.h"

#include <string.h>

const struct hb_machine hb_machines[HB_MACHINES] = {
    {.name = "GRAPE-6Af",
     .n_pipe = 24,
     .f_cycle = 90e6,
     .memory = 128 * 1024.,
     .t_pair = 4.63e-10,
     .t_send = 8.00e-7,
     .t_receive = 8.00e-7,
     .eta_fe = 1},
    {.name = "8800GTX",
     .n_pipe = 128,
     .f_cycle = 575e6,
     .memory = 9362 * 1024.,
     .t_pair = 8.15e-10,
     .t_send = 1.76e-5,
     .t_receive = 5.97e-6,
     .eta_fe = 60,
     .sends_all = 1},
    {.name = "FX1400",
     .n_pipe = 12,
     .f_cycle = 350e6,
     .memory = 1562 * 1024.,
     .t_pair = 1.43e-8,
     .t_send = 1.89e-5,
     .t_receive = 5.98e-6,
     .eta_fe = 60,
     .sends_all = 1},
    {.name = "Xeon", .n_pipe = 1, .f_cycle = 3400e6, .t_pair = 5.29e-8, .eta_fe = 180},
};

/* The host's: cycles a particle, section 5.1. */
static const double eta_pred = 900, eta_corr = 16000, t_cpu = 1 / 3400e6;

const struct hb_machine *hb_machine_find(const char *name)
{
  for (size_t k = 0; k < HB_MACHINES; k++)
    if (strcmp(hb_machines[k].name, name) == 0) return &hb_machines[k];
  return NULL;
}

double hb_machine_t_pred(double n) { return eta_pred * t_cpu * n; } /* eq. 11 */

double hb_machine_t_corr(double n_block) { return eta_corr * t_cpu * n_block; } /* eq. 12 */

double hb_machine_t_host(double n, double n_block)
{
  return hb_machine_t_pred(n) + hb_machine_t_corr(n_block);
}

/* Eq. 13 as printed: n_send also counts what is received. */
double hb_machine_t_comm(const struct hb_machine *machine, double n, double n_block)
{
  double n_send = machine->sends_all ? n : n_block;
  return machine->t_send * n_send + machine->t_receive * n_send; /* eq. 13 */
}

double hb_machine_t_force(const struct hb_machine *machine, double n, double n_block)
{
  return machine->t_pair * n * n_block; /* eq. 15 */
}

double hb_machine_t_step(const struct hb_machine *machine, double n, double n_block)
{
  return hb_machine_t_host(n, n_block) + hb_machine_t_force(machine, n, n_block) +
         hb_machine_t_comm(machine, n, n_block); /* eq. 10 */
}

double hb_machine_time(const struct hb_machine *machine, double n)
{
  return hb_model_n_steps(n, 0.01) * hb_machine_t_step(machine, n, hb_model_n_block(n)); /* eq. 16 */
}
