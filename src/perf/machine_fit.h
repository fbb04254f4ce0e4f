/* The constants of the time model from runs with timed phases: the measured rows of [PZ07] Table 3, and eqs 14 and 17, for
 * this machine. */
#ifndef HB_MACHINE_FIT_H
#define HB_MACHINE_FIT_H

#include <holmberg/measure.h>

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
