/* Loops shared by threads. OpenMP waits at the end of a loop for every thread of its team; one that another program has
 * pushed off its core makes a loop of microseconds take a time slice: 16 ms were measured. Here the caller works until
 * nothing is left, and waits only for threads that have started a piece. */
#ifndef HB_PARALLEL_H
#define HB_PARALLEL_H

#include "base/status.h"
#include <stddef.h>

/* How many threads loops use: OMP_NUM_THREADS, else the number of allowed processors. set is for tests; 0 undoes it. */
int hb_parallel_threads(void);
void hb_parallel_set_threads(int threads);

/* This process is one of so many that share all processors of the machine, unless it was told which of them are its own. */
void hb_parallel_share(int processes);

/* Calls work(context, k) once for each k < count, in any order, on up to `threads` threads, the caller's included.
 * A second caller at the same time, or from within work, does its loop alone. */
void hb_parallel_for(int threads, size_t count, void (*work)(void *context, size_t k), void *context);

/* Calls work(context, from, to) for each piece of up to `size` out of n, on all threads where n > alone. */
void hb_parallel_pieces(size_t n, size_t size, size_t alone,
                        void (*work)(void *context, size_t from, size_t to), void *context);

/* The same by pieces of at most `most`, so small that all threads get a few. */
void hb_parallel_shares(size_t n, size_t most, size_t alone,
                        void (*work)(void *context, size_t from, size_t to), void *context);

/* memcpy; by all threads where that is faster. */
void hb_parallel_copy(void *to, const void *from, size_t bytes);

/* The end of the piece of up to `size` out of n that starts at `from`; there are hb_div_ceil(n, size) of them. */
static inline size_t hb_parallel_end(size_t n, size_t size, size_t from)
{
  return n - from < size ? n : from + size;
}

/* ---- a thread of its own ---- */

/* It does what it is given, one thing after another: for what belongs to a thread, like a context of OpenGL. */
struct hb_worker;

/* Its loops are shared by `threads` threads of their own. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_worker_create(int threads, struct hb_worker **worker);
void hb_worker_destroy(struct hb_worker *worker); /* after what it is doing; NULL is ignored */

/* Begins work(context), after what it may still be doing. What it did last has ended when wait returns its status, and its
 * sentence is that of the caller; it is told once. Without work: HB_OK. */
void hb_worker_start(struct hb_worker *worker, enum hb_status (*work)(void *context), void *context);
enum hb_status hb_worker_wait(struct hb_worker *worker);

#endif
