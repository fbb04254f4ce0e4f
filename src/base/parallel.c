#include "base/parallel.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELPERS_MOST = 255 };

/* How long a helper looks for the next loop before it sleeps: block steps follow each other faster than a thread wakes
 * up, but a core must not be kept from others for longer. */
static const double SPIN_SECONDS = 100e-6;

/* A helper that stays inside for longer than this may need the caller's core. */
static const double WAIT_SECONDS = 5e-6;

/* The gate to the loop: how many helpers are inside, how many it wants, whether more may enter, and which loop it is. */
#define ONE_INSIDE UINT64_C(1)
#define ONE_WANTED UINT64_C(0x10000)
#define ALL        UINT64_C(0xffff) /* of either */
#define OPEN       UINT64_C(0x100000000)
#define ONE_LOOP   UINT64_C(0x200000000)

struct team {
  atomic_flag taken; /* by a caller */
  int helpers;       /* threads created so far; used by the caller only */

  /* the loop: written while the gate is closed and no helper is inside */
  void (*work)(void *context, size_t k);
  void *context;
  size_t count;
  _Alignas(64) atomic_size_t next;
  _Alignas(64) _Atomic uint64_t gate;

  _Alignas(64) pthread_mutex_t lock; /* of the helpers that sleep */
  pthread_cond_t opened;
  atomic_int sleeping;
};
#define IDLE                                                                                                 \
  {                                                                                                          \
    .taken = ATOMIC_FLAG_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER         \
  }

/* One for every thread that has none of its own. Helpers never end, so that teams are not freed, but used again. */
enum { OWN_TEAMS = 15 };
static struct team common = IDLE;
static struct team others[OWN_TEAMS] = {IDLE, IDLE, IDLE, IDLE, IDLE, IDLE, IDLE, IDLE,
                                        IDLE, IDLE, IDLE, IDLE, IDLE, IDLE, IDLE};
static atomic_flag is_owned[OWN_TEAMS]; /* static: all are clear */
static _Thread_local struct {
  struct team *team; /* NULL: the common one */
  int threads;
} own;

/* ---- how many ---- */

static atomic_int threads_known, threads_set;

static int find_threads(void)
{
  const char *named = getenv("OMP_NUM_THREADS");
  cpu_set_t allowed;
  long count = named ? strtol(named, NULL, 10) : 0;
  if (count < 1 && sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
  if (count < 1) count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > HELPERS_MOST ? HELPERS_MOST + 1 : (int)count;
}

int hb_parallel_threads(void)
{
  if (atomic_load(&threads_set)) return atomic_load(&threads_set);
  if (own.team) return own.threads;
  if (!atomic_load(&threads_known)) atomic_store(&threads_known, find_threads());
  return atomic_load(&threads_known);
}

void hb_parallel_set_threads(int threads) { atomic_store(&threads_set, threads); }

void hb_parallel_share(int processes)
{
  cpu_set_t allowed;
  if (getenv("OMP_NUM_THREADS") || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (CPU_COUNT(&allowed) < sysconf(_SC_NPROCESSORS_ONLN)) return; /* they have been shared out */
  int share = find_threads() / processes;
  atomic_store(&threads_known, share > 1 ? share : 1);
}

/* For a thread that works beside others for long: its loops have `threads` threads of their own, the caller included, until
 * disown. When many have some already, it shares those of everybody else. */
static void own_team(int threads)
{
  for (int k = 0; k < OWN_TEAMS && !own.team; k++)
    if (!atomic_flag_test_and_set(&is_owned[k])) own.team = &others[k];
  own.threads = threads < 1 ? 1 : threads > HELPERS_MOST ? HELPERS_MOST + 1 : threads;
}

static void disown_team(void)
{
  if (own.team) atomic_flag_clear(&is_owned[own.team - others]);
  own.team = NULL;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  sched_yield();
#endif
}

static void work_on(struct team *team)
{
  for (size_t k; (k = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed)) < team->count;)
    team->work(team->context, k);
}

/* ---- helpers ---- */

/* Whether a helper who has seen an earlier loop may enter. One too many would only make all others wait for the gate's cache
 * line. */
static int is_new(uint64_t gate, uint64_t seen)
{
  return (gate & OPEN) && gate / ONE_LOOP != seen && (gate & ALL) < (gate / ONE_WANTED & ALL);
}

/* Wakes two; each of them wakes two more. */
static void wake_some(struct team *team)
{
  if (atomic_load(&team->sleeping) == 0) return;
  pthread_mutex_lock(&team->lock);
  pthread_cond_signal(&team->opened);
  pthread_cond_signal(&team->opened);
  pthread_mutex_unlock(&team->lock);
}

static void wait_for_loop(struct team *team, uint64_t seen)
{
  double begin = hb_clock_now();
  do {
    for (int k = 0; k < 16; k++) {
      if (is_new(atomic_load(&team->gate), seen)) return;
      relax();
    }
    sched_yield(); /* the caller may be waiting for this core */
  } while (hb_clock_now() - begin < SPIN_SECONDS);
  pthread_mutex_lock(&team->lock);
  atomic_fetch_add(&team->sleeping,
                   1); /* before checking the gate: whoever opens it checks this afterwards */
  while (!is_new(atomic_load(&team->gate), seen)) pthread_cond_wait(&team->opened, &team->lock);
  atomic_fetch_sub(&team->sleeping, 1);
  pthread_mutex_unlock(&team->lock);
  wake_some(team);
}

static void *help(void *context)
{
  struct team *team = context;
  for (uint64_t seen = 0;;) {
    wait_for_loop(team, seen);
    uint64_t gate = atomic_load(&team->gate);
    if (!is_new(gate, seen) || !atomic_compare_exchange_strong(&team->gate, &gate, gate + ONE_INSIDE))
      continue;
    seen = gate / ONE_LOOP;
    work_on(team);
    atomic_fetch_sub(&team->gate, ONE_INSIDE);
  }
  return NULL;
}

/* Helpers do not live on in the child of a fork; it begins without any. */
static void begin_again(struct team *team)
{
  atomic_flag_clear(&team->taken);
  team->helpers = 0;
  atomic_store(&team->gate, 0);
  atomic_store(&team->sleeping, 0);
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->opened, NULL);
}

static void after_fork(void)
{
  begin_again(&common);
  for (int k = 0; k < OWN_TEAMS; k++) {
    begin_again(&others[k]);
    if (own.team != &others[k]) atomic_flag_clear(&is_owned[k]);
  }
}

static void know_of_forks(void) { pthread_atfork(NULL, NULL, after_fork); }
static pthread_once_t fork_known = PTHREAD_ONCE_INIT;

/* Fewer than wanted is not an error. Signals are for the caller's own threads. */
static void make_helpers(struct team *team, int wanted)
{
  pthread_attr_t detached;
  sigset_t all, old;
  if (team->helpers >= wanted || pthread_attr_init(&detached) != 0) return;
  pthread_once(&fork_known, know_of_forks);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  while (team->helpers < wanted && team->helpers < HELPERS_MOST &&
         pthread_create(&thread, &detached, help, team) == 0)
    team->helpers++;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&detached);
}

/* ---- the caller ---- */

static void share(struct team *team, int wanted, size_t count, void (*work)(void *context, size_t k),
                  void *context)
{
  make_helpers(team, wanted);
  team->work = work;
  team->context = context;
  team->count = count;
  atomic_store(&team->next, 0);
  uint64_t loop = atomic_load(&team->gate) / ONE_LOOP + 1;
  atomic_store(&team->gate, loop * ONE_LOOP + OPEN + (uint64_t)wanted * ONE_WANTED);
  wake_some(team);
  work_on(team);
  atomic_fetch_and(&team->gate, ~OPEN);
  double begin = hb_clock_now();
  while (atomic_load(&team->gate) & ALL) {
    relax();
    if (hb_clock_now() - begin > WAIT_SECONDS) sched_yield();
  }
}

void hb_parallel_for(int threads, size_t count, void (*work)(void *context, size_t k), void *context)
{
  struct team *team = own.team ? own.team : &common;
  if (threads > 1 && count > 1 && !atomic_flag_test_and_set(&team->taken)) {
    share(team, (size_t)threads < count ? threads - 1 : (int)count - 1, count, work, context);
    atomic_flag_clear(&team->taken);
    return;
  }
  for (size_t k = 0; k < count; k++) work(context, k);
}

/* ---- copies ---- */

enum {
  COPIED = 256 << 10 /* bytes at a time; twice as many are copied before a second thread has woken up */
};

struct copy {
  char *to;
  const char *from;
  size_t bytes;
};

static void copy_piece(void *context, size_t piece)
{
  const struct copy *c = context;
  size_t at = piece * COPIED;
  memcpy(c->to + at, c->from + at, hb_parallel_end(c->bytes, COPIED, at) - at);
}

void hb_parallel_copy(void *to, const void *from, size_t bytes)
{
  struct copy copy = {to, from, bytes};
  hb_parallel_for(bytes > 2 * COPIED ? hb_parallel_threads() : 1, hb_div_ceil(bytes, COPIED), copy_piece,
                  &copy);
}

/* ---- a thread of its own ---- */

/* How long either side looks for the other before it sleeps: a block step follows the last one sooner than a thread wakes up. */
static const double WORKER_SPIN_SECONDS = 1e-3;

enum { FREE, GIVEN, DONE, END };

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
  for (double begin = hb_clock_now(); now == state && hb_clock_now() - begin < WORKER_SPIN_SECONDS;) {
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
  int state = wait_while(w, FREE);
  return state == DONE ? wait_while(w, DONE) : state;
}

static void *live(void *context)
{
  struct hb_worker *w = context;
  own_team(w->threads);
  for (int state; (state = next_of(w)) != END;) {
    if (state != GIVEN) continue;
    w->status = w->work(w->context);
    if (w->status != HB_OK) snprintf(w->sentence, sizeof w->sentence, "%s", hb_error());
    change(w, DONE);
  }
  disown_team();
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
