/* Loops shared by threads. OpenMP waits at the end of a loop for every thread of its team; one that another program has
 * pushed off its core makes a loop of microseconds take a time slice: 16 ms were measured. Here the caller works until
 * nothing is left, and waits only for threads that have started a piece. */
#ifndef HB_PARALLEL_H
#define HB_PARALLEL_H

#include <stddef.h>

/* How many threads loops use: OMP_NUM_THREADS, else the number of allowed processors. set is for tests; 0 undoes it. */
int hb_parallel_threads(void);
void hb_parallel_set_threads(int threads);

/* This process is one of so many that share all processors of the machine, unless it was told which of them are its own. */
void hb_parallel_share(int processes);

/* For a thread that works beside others for long: its loops have `threads` threads of their own, the caller included, until
 * disown. When many have some already, it shares those of everybody else. */
void hb_parallel_own(int threads);
void hb_parallel_disown(void);

/* Calls work(context, k) once for each k < count, in any order, on up to `threads` threads, the caller's included.
 * A second caller at the same time, or from within work, does its loop alone. */
void hb_parallel_for(int threads, size_t count, void (*work)(void *context, size_t k), void *context);

/* memcpy; by all threads where that is faster. */
void hb_parallel_copy(void *to, const void *from, size_t bytes);

/* The end of the piece of up to `size` out of n that starts at `from`; there are hb_div_ceil(n, size) of them. */
static inline size_t hb_parallel_end(size_t n, size_t size, size_t from)
{
  return n - from < size ? n : from + size;
}

#endif
