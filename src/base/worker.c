#include "base/worker.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* How long either side looks for the other before it sleeps: a block step follows the last one sooner than a thread wakes up. */
static const double SPIN_SECONDS = 1e-3;

enum { IDLE, GIVEN, DONE, END };

struct hb_worker {
  pthread_t thread;
  pthread_mutex_t lock; /* of those that sleep */
  pthread_cond_t changed;
  atomic_int state, sleeping;
  int threads;
  enum hb_status (*work)(void *context);
  void *context;
  enum hb_status status;
  char sentence[1024];
};

static void change(struct hb_worker *w, int state)
{
  atomic_store(&w->state, state);
  if (atomic_load(&w->sleeping) == 0) return;
  pthread_mutex_lock(&w->lock);
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

/* Until the state is no longer that one. */
static int wait_while(struct hb_worker *w, int state)
{
  int now = atomic_load(&w->state);
  for (double begin = hb_clock_now(); now == state && hb_clock_now() - begin < SPIN_SECONDS;) {
    sched_yield();
    now = atomic_load(&w->state);
  }
  if (now != state) return now;
  pthread_mutex_lock(&w->lock);
  atomic_fetch_add(&w->sleeping,
                   1); /* before looking again: whoever changes the state looks at this afterwards */
  while ((now = atomic_load(&w->state)) == state) pthread_cond_wait(&w->changed, &w->lock);
  atomic_fetch_sub(&w->sleeping, 1);
  pthread_mutex_unlock(&w->lock);
  return now;
}

static int next_of(struct hb_worker *w)
{
  int state = wait_while(w, IDLE);
  return state == DONE ? wait_while(w, DONE) : state;
}

static void *live(void *context)
{
  struct hb_worker *w = context;
  hb_parallel_own(w->threads);
  for (int state; (state = next_of(w)) != END;) {
    if (state != GIVEN) continue;
    w->status = w->work(w->context);
    if (w->status != HB_OK) snprintf(w->sentence, sizeof w->sentence, "%s", hb_error());
    change(w, DONE);
  }
  hb_parallel_disown();
  return NULL;
}

/* Signals are for the caller's own threads. */
static int start_thread(struct hb_worker *w)
{
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(&w->thread, NULL, live, w);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return error;
}

enum hb_status hb_worker_create(int threads, struct hb_worker **worker)
{
  struct hb_worker *w;
  *worker = NULL;
  HB_TRY(HB_ALLOC(1, &w));
  w->threads = threads;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  int error = start_thread(w);
  if (error) {
    hb_mem_free(w);
    return hb_fail(HB_ERR_INTERNAL, "cannot start a thread: %s", strerror(error));
  }
  *worker = w;
  return HB_OK;
}

void hb_worker_destroy(struct hb_worker *w)
{
  if (!w) return;
  (void)hb_worker_wait(w);
  change(w, END);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  hb_mem_free(w);
}

void hb_worker_start(struct hb_worker *w, enum hb_status (*work)(void *context), void *context)
{
  (void)wait_while(w, GIVEN);
  w->work = work;
  w->context = context;
  change(w, GIVEN);
}

enum hb_status hb_worker_wait(struct hb_worker *w)
{
  (void)wait_while(w, GIVEN);
  enum hb_status status = w->status;
  w->status = HB_OK; /* it is told once */
  return status == HB_OK ? HB_OK : hb_fail(status, "%s", w->sentence);
}
