/* Loops that threads share, as far as they come. At the end of a loop OpenMP waits for every thread of its team, and one
 * that another program has pushed off its core lets a loop of microseconds take a time slice: 16 ms were measured.
 * Here the caller works on until nothing is left and waits for those only who have begun a piece. */
#ifndef HB_PARALLEL_H
#define HB_PARALLEL_H

#include <stddef.h>

/* How many threads loops are worth: OMP_NUM_THREADS, else as many as processors are allowed. set, for tests: 0 undoes it. */
int hb_parallel_threads(void);
void hb_parallel_set_threads(int threads);

/* Calls work(context, k) once for each k < count, in any order, on up to `threads` threads; the caller's is one of them.
 * Two callers at a time, or one from within work, are served: the second works alone. */
void hb_parallel_for(int threads, size_t count, void (*work)(void *context, size_t k), void *context);

/* The end of the piece of `size` out of n that begins at `from`; there are hb_div_ceil(n, size) of them. */
static inline size_t hb_parallel_end(size_t n, size_t size, size_t from)
{
  return n - from < size ? n : from + size;
}

#endif
