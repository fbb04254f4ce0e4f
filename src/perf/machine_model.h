/* The run time of a machine by [PZ07] section 5, term by term; struct hb_machine is in holmberg/measure.h. The paper's four
 * machines have the constants that its own curves use: eta_pred and eta_corr of the text, and the times of a pair and of a
 * transfer of Table 3. */
#ifndef HB_MACHINE_MODEL_H
#define HB_MACHINE_MODEL_H

#include <holmberg/measure.h>

#include <math.h>

/* GRAPE-6Af, 8800GTX, FX1400, Xeon, in the order of the tables: modeled, not measured here. */
enum { HB_MACHINES = 4 };
extern const struct hb_machine hb_machines[HB_MACHINES];

static inline double hb_power_law_at(const struct hb_power_law *law, double n)
{
  return law->c * pow(n, law->p);
}

/* Seconds of one N-body time unit of a Plummer sphere: eq. 16 with the machine's laws for blocks, eqs 14 and 17. */
double hb_machine_time(const struct hb_machine *machine, double n);

/* Block steps per unit of time of an equal-mass Plummer sphere in N-body units with a softening of 1/256: eq. 17, measured
 * at nu = 0.01; a step is proportional to nu^(1/2), eq. 9. */
double hb_model_n_steps(double n, double nu);

/* The ratio of our number of steps to that, by the rounding to powers of two: 1.6 down, 1.15 nearest, 0.8 up, each within a
 * quarter for N = 256 ... 16384 (data/measured/rounding.jsonl). The paper does not say how it rounded. */
double hb_model_rounded(enum hb_rounding rounding);

#endif
