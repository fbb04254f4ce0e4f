/* Threads that share a loop, as far as they come. OpenMP waits at the end of a loop for every thread of its team, and
 * one that another program has pushed off its core lets a loop of microseconds take a time slice: 16 ms were
 * measured. Here the caller works on until nothing is left and waits for those only who have begun a piece. */
#ifndef HB_TEAM_H
#define HB_TEAM_H

#include <stddef.h>

/* As many as OpenMP would take: OMP_NUM_THREADS, omp_set_num_threads, the processors allowed. */
int hb_team_threads(void);

/* Calls work(context, k) once for each k < count, in any order, on up to `threads` threads; the caller's is one of them.
 * Two callers at a time, or one from within work, are served: the second works alone. */
void hb_team_each(int threads, size_t count, void (*work)(void *context, size_t k), void *context);

/* Pieces of `size` in n, and the end of the one that begins at `from`. */
static inline size_t hb_team_pieces(size_t n, size_t size) { return (n + size - 1) / size; }
static inline size_t hb_team_end(size_t n, size_t size, size_t from)
{
  return n - from < size ? n : from + size;
}

#endif
