#include "perf/model.h"

#include "perf/machine_model.h"

#include <holmberg/measure.h>

#include <math.h>

double hb_model_n_block(double n) { return hb_power_law_at(&(struct hb_power_law)HB_MODEL_EQ14, n); }

double hb_model_n_steps(double n, double nu)
{
  return hb_power_law_at(&(struct hb_power_law)HB_MODEL_EQ17, n) * sqrt(0.01 / nu);
}

double hb_model_rounded(enum hb_rounding rounding)
{
  return rounding == HB_ROUND_UP ? 0.8 : rounding == HB_ROUND_NEAREST ? 1.15 : 1.6;
}
