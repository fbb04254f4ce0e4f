#include "report/reproduce_2007.h"

#include <holmberg/measure.h>

#include <math.h>
#include <string.h>

static const struct hb_machine *find(const char *name)
{
  size_t count, k = 0;
  const struct hb_machine *machines = hb_model_machines(&count);
  while (k + 1 < count && strcmp(machines[k].name, name) != 0) k++;
  return &machines[k];
}

static double power(const struct hb_power_law *law, double n) { return law->c * pow(n, law->p); }

double hb_2007_n_block(double n) { return power(&find("GRAPE-6Af")->n_block, n); }

double hb_2007_n_steps(double n) { return power(&find("GRAPE-6Af")->n_steps, n); }

struct hb_2007_step hb_2007_step(const char *machine, double n)
{
  struct hb_model_time time;
  hb_model_predict(find(machine), n, &time);
  return (struct hb_2007_step){
      .host_s = time.t_host, .comm_s = time.t_comm, .force_s = time.t_force, .all_s = time.t_step};
}

double hb_2007_time(const char *machine, double n)
{
  struct hb_model_time time;
  hb_model_predict(find(machine), n, &time);
  return time.t_unit;
}

double hb_2007_time_blocks(double n)
{
  struct hb_machine machine = *find("8800GTX");
  struct hb_model_time time;
  machine.sends_all = machine.receives_all = 0;
  hb_model_predict(&machine, n, &time);
  return time.t_unit;
}

double hb_2007_time_on_card(double n)
{
  struct hb_machine machine = *find("8800GTX");
  struct hb_model_time time;
  machine.sends_all = machine.receives_all = 0;
  machine.t_predict = machine.t_correct = 0;
  hb_model_predict(&machine, n, &time);
  return time.t_unit;
}
