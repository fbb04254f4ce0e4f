#include "report/model_2007.h"

#include "perf/paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const hb_2007_machines[HB_2007_MACHINES] = {"GRAPE-6Af", "8800GTX", "FX1400", "Xeon"};

double hb_2007_wall(size_t n, const char *machine)
{
  char row[32];
  snprintf(row, sizeof row, "%zu", n);
  return hb_paper_value("table2", row, machine);
}

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

struct hb_model_time hb_2007_model(const char *machine, double n)
{
  struct hb_model_time time;
  hb_model_predict(find(machine), n, &time);
  return time;
}

double hb_2007_time(const char *machine, double n, enum hb_2007_way way)
{
  struct hb_machine as = *find(machine);
  struct hb_model_time time;
  if (way != HB_2007_AS_IS) as.sends_all = as.receives_all = 0;
  if (way == HB_2007_ON_CARD) as.t_predict = as.t_correct = 0;
  hb_model_predict(&as, n, &time);
  return time.t_unit;
}
