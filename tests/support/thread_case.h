/* Simulations in several threads at once, which should end with the bits of one after the other. */
#ifndef TESTS_THREAD_CASE_H
#define TESTS_THREAD_CASE_H

#include <holmberg/holmberg.h>

struct thread_case {
  struct hb_sim_params params;
  size_t n;
  double t_end;
};

/* Runs the cases one after the other, then `rounds` times all of them at once; fails the test where particles at t_end
 * differ. */
void thread_case_run(const struct thread_case *cases, size_t count, int rounds);

#endif
