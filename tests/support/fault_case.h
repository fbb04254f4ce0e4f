/* A whole life of a simulation (set up, stepped, diagnosed, saved, resumed, stepped on) in which something fails: it ends
 * as if nothing had, or with an error that says what. */
#ifndef FAULT_CASE_H
#define FAULT_CASE_H

#include <holmberg/holmberg.h>

struct fault_case {
  const char *name;
  struct hb_sim_params params;
};

/* Allocations `first`, first + stride, ... fail, one in each life: HB_ERR_INTERNAL, and nothing is left behind. */
void fault_case_memory(const struct fault_case *c, unsigned long first, unsigned long stride);

/* What strikes OpenGL: begin(nth), called when the simulation stands, makes the nth call fail from there on; end() is called
 * before it is destroyed and says how many there were. */
struct fault_case_calls {
  void (*begin)(int nth);
  int (*end)(void);
};

/* Calls first, first + stride, ... of the steps fail: HB_ERR_DEVICE, or the same bits. */
void fault_case_calls(const struct fault_case *c, const struct fault_case_calls *calls, int first,
                      int stride);

#endif
