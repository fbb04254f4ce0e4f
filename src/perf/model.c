#include "perf/model.h"

#include "perf/machine_model.h"

#include <math.h>

double hb_model_n_block(double n) { return hb_power_law_at(&(struct hb_power_law)HB_MODEL_EQ14, n); }

double hb_model_n_steps(double n, double nu)
{
  return hb_power_law_at(&(struct hb_power_law)HB_MODEL_EQ17, n) * sqrt(0.01 / nu);
}
