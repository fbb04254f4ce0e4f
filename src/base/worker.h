/* A thread that does what it is given, one thing after another: for what belongs to a thread, like a context of OpenGL. */
#ifndef HB_WORKER_H
#define HB_WORKER_H

#include "base/status.h"

struct hb_worker;

/* Its loops (base/parallel.h) are shared by `threads` threads of their own. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_worker_create(int threads, struct hb_worker **worker);
void hb_worker_destroy(struct hb_worker *worker); /* after what it is doing; NULL is ignored */

/* Begins work(context), after what it may still be doing. What it did last has ended when wait returns its status, and its
 * sentence is that of the caller; it is told once. Without work: HB_OK. */
void hb_worker_start(struct hb_worker *worker, enum hb_status (*work)(void *context), void *context);
enum hb_status hb_worker_wait(struct hb_worker *worker);

#endif
