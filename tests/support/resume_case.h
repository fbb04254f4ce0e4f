/* A run that is saved and resumed in its middle against one that is not. */
#ifndef RESUME_CASE_H
#define RESUME_CASE_H

#include <holmberg/holmberg.h>

/* A Plummer sphere of n, saved and resumed `times` times on the way to t_end; the states at t_end and the counters must be
 * the same to the last bit. Fails the current cmocka test. */
void resume_case_run(const struct hb_sim_params *params, size_t n, int times, double t_end);

/* In place of a simulation the one that resumes it, through a file. */
void resume_case_now(struct hb_sim **sim);

#endif
