/* The run time of a machine by [PZ07] section 5, term by term; struct hb_machine is in holmberg/measure.h. The paper's four
 * machines have the constants that its own curves use: eta_pred and eta_corr of the text, and the times of a pair and of a
 * transfer of Table 3. */
#ifndef HB_MACHINE_MODEL_H
#define HB_MACHINE_MODEL_H

#include <holmberg/measure.h>

/* GRAPE-6Af, 8800GTX, FX1400, Xeon: in the order of the tables. */
enum { HB_MACHINES = 4 };
extern const struct hb_machine hb_machines[HB_MACHINES];

/* Seconds of one block step with n_block of n particles. */
double hb_machine_t_host(const struct hb_machine *machine, double n, double n_block);  /* eqs 11, 12 */
double hb_machine_t_comm(const struct hb_machine *machine, double n, double n_block);  /* eq. 13 */
double hb_machine_t_force(const struct hb_machine *machine, double n, double n_block); /* eq. 15 */
double hb_machine_t_step(const struct hb_machine *machine, double n, double n_block);  /* eq. 10 */

double hb_power_law_at(const struct hb_power_law *law, double n);

/* Seconds of one N-body time unit of a Plummer sphere: eq. 16 with the machine's laws for blocks, eqs 14 and 17. */
double hb_machine_time(const struct hb_machine *machine, double n);

/* Block steps per unit of time of an equal-mass Plummer sphere in N-body units with a softening of 1/256: eq. 17, measured
 * at nu = 0.01; a step is proportional to nu^(1/2), eq. 9. */
double hb_model_n_steps(double n, double nu);

/* The ratio of our number of steps to that, by the rounding to powers of two: 1.6 down, 1.15 nearest, 0.8 up, each within a
 * quarter for N = 256 ... 16384 (data/measured/rounding.jsonl). The paper does not say how it rounded. */
double hb_model_rounded(enum hb_rounding rounding);

/* ---- several ranks ---- */

/* The model of perf/machine_model.h for several ranks, each on such a machine with all particles and a part of the sources:
 * eqs 11, 13 and 15 divided, and a term for the sums of the block's forces over all ranks. */

/* The terms of a block step; t_unit with the machine's laws for blocks. */
void hb_machine_ranks_time(const struct hb_machine *machine, const struct hb_network *network, int ranks,
                           double n, struct hb_model_time *time);

/* ---- fitting it to runs ---- */

/* The constants of the time model from runs with timed phases: the measured rows of [PZ07] Table 3, and eqs 14 and 17, for
 * this machine. */

/* The counts and phases of one run between two times that are `span` apart. */
struct hb_machine_run {
  double n, span;
  double block_steps, particle_steps;
  struct hb_phases phases;
};

double hb_machine_run_n_steps(const struct hb_machine_run *run); /* of a time unit */
double hb_machine_run_n_block(const struct hb_machine_run *run);

/* Fills the constants and the two laws of *machine, and their standard errors in *error; sends_all is taken from *machine,
 * receives_all is 0. Each phase of a block step is a sum of two or three terms of eqs 11, 12, 13, 15; the remaining
 * constant parts add up to t_start. Errors: HB_ERR_USAGE (runs of fewer than two sizes), HB_ERR_NUMERIC (a run without
 * block steps), HB_ERR_INTERNAL. */
enum hb_status hb_machine_fit(size_t count, const struct hb_machine_run *runs, struct hb_machine *machine,
                              struct hb_machine *error);

#endif
