/* A request to stop that reaches into long work: a block step in which a few bodies need millions of small steps, for example. Loops
 * that may take long look at it, and give up with HB_ERR_STOPPED. The request is made by a signal handler, or at a time that was set
 * before. It concerns all simulations of the process.
 *
 * Work that would leave a state in between if it were given up is done between hb_interrupt_hold and hb_interrupt_release: there a
 * request is overlooked for as long as the grace, and only then the work is given up. */
#ifndef HB_INTERRUPT_H
#define HB_INTERRUPT_H

#include "base/status.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* hb_interrupt_request, hb_interrupt_withdraw and hb_interrupt_with_signals are in <holmberg/holmberg.h>. */

/* 1 if there is a request, or a time at which there will be one. */
extern _Atomic int hb_interrupt_is_armed;

/* Sets the time, as of hb_clock_now(), from which on there is a request. INFINITY: no such time. */
void hb_interrupt_set_deadline(double when);

/* Begins and ends work that is not to be given up. Pairs may be nested. */
void hb_interrupt_hold(void);
void hb_interrupt_release(void);

/* Sets how many seconds a request is held back; INFINITY, as at first: until hb_interrupt_release. */
void hb_interrupt_set_grace(double seconds);
double hb_interrupt_grace(void);

/* For tests: the request is made at this look from now on; 0: at none. only_held 1: only looks between hold and release count. */
void hb_interrupt_set_look(uint64_t look, int only_held);

/* Does what hb_interrupt_look does when something is armed. */
enum hb_status hb_interrupt_look_closely(void);

/* Fails with HB_ERR_STOPPED if the work is to be given up. A loop calls it with the number of each of its steps, from 0 on; only one step
 * in HB_INTERRUPT_STEPS looks. */
enum { HB_INTERRUPT_STEPS = 16 };
static inline enum hb_status hb_interrupt_look(size_t step)
{
  if (step % HB_INTERRUPT_STEPS || !atomic_load_explicit(&hb_interrupt_is_armed, memory_order_relaxed))
    return HB_OK;
  return hb_interrupt_look_closely();
}

#endif
