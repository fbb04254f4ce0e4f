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
 * up, but a core must not be kept from others for longer. Where there are many cores and loops keep coming, small steps between large
 * ones do not send it to sleep. */
static const double SPIN_SECONDS = 100e-6, SPIN_SECONDS_OF_MANY = 1e-3;
enum {
  MANY = 4, /* threads */
  /* Looks between two calls of the system, which take longer than a loop takes to begin: where a core may be the caller's, few. */
  LOOKS = 16,
  LOOKS_OF_MANY = 128
};

/* A helper that stays inside for longer than this may need the caller's core. */
static const double WAIT_SECONDS = 5e-6;

/* The gate to the loop: how many helpers it wants, the first ones, whether they may enter, and which loop it is; 0: there was none. */
#define WANTED   UINT64_C(0xffff)
#define OPEN     UINT64_C(0x10000)
#define ONE_LOOP UINT64_C(0x20000)

/* Each in lines of memory of its own: where many write into one, they wait for each other. */
struct helper {
  _Alignas(64) _Atomic uint64_t inside; /* the gate by which it has entered; 0: it is outside */
  atomic_int sleeps;
  struct team *team;
  int k; /* of the team's */
  long cores;
  pthread_mutex_t lock;
  pthread_cond_t opened;
  _Alignas(64) atomic_size_t next; /* piece of its part of the loop */
};

struct team {
  atomic_flag taken;  /* by a caller */
  atomic_int helpers; /* threads created so far */

  /* the loop: written while the gate is closed and no helper is inside */
  void (*work)(void *context, size_t k);
  void *context;
  size_t count, parts;
  _Alignas(64) atomic_size_t next; /* of the caller's part */
  _Alignas(64) _Atomic uint64_t gate;
  _Alignas(64) struct helper helper[HELPERS_MOST];
};
#define IDLE                                                                                                 \
  {                                                                                                          \
    .taken = ATOMIC_FLAG_INIT                                                                                \
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

static long find_cores(void)
{
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                             : sysconf(_SC_NPROCESSORS_ONLN);
}

static int find_threads(void)
{
  const char *named = getenv("OMP_NUM_THREADS");
  long count = named ? strtol(named, NULL, 10) : 0;
  if (count < 1) count = find_cores();
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

/* A long loop has a part for each thread, the same one of every loop, so that what belongs to a particle stays in one core's cache;
 * who is done helps the others. A short loop has one part for all. */
static size_t part_begin(const struct team *team, size_t part) { return team->count * part / team->parts; }

static atomic_size_t *next_piece_of(struct team *team, size_t part)
{
  return part ? &team->helper[part - 1].next : &team->next;
}

static void share_out(struct team *team, size_t threads, size_t count)
{
  enum { LONG = 4 }; /* pieces of a thread */
  team->count = count;
  team->parts = count < LONG * threads ? 1 : threads;
  for (size_t part = 0; part < team->parts; part++)
    atomic_store_explicit(next_piece_of(team, part), part_begin(team, part), memory_order_relaxed);
}

static void work_on_part(struct team *team, size_t part)
{
  atomic_size_t *next = next_piece_of(team, part);
  size_t end = part_begin(team, part + 1);
  if (atomic_load_explicit(next, memory_order_relaxed) >= end) return;
  for (size_t k; (k = atomic_fetch_add_explicit(next, 1, memory_order_relaxed)) < end;)
    team->work(team->context, k);
}

static void work_on(struct team *team, size_t thread)
{
  for (size_t k = 0; k < team->parts; k++) work_on_part(team, (thread + k) % team->parts);
}

/* ---- helpers ---- */

/* Whether the k-th helper, who has seen an earlier loop, may enter. */
static int is_new(uint64_t gate, uint64_t seen, int k)
{
  return (gate & OPEN) && gate != seen && (uint64_t)k < (gate & WANTED);
}

/* Wakes two that the loop wants; each of them wakes two more. */
static void wake_some(struct team *team, uint64_t gate)
{
  int woken = 0;
  for (int k = 0; gate & OPEN && (uint64_t)k < (gate & WANTED) && woken < 2; k++) {
    struct helper *h = team->helper + k;
    if (!atomic_load(&h->sleeps) || !atomic_exchange(&h->sleeps, 0)) continue;
    pthread_mutex_lock(&h->lock);
    pthread_cond_signal(&h->opened);
    pthread_mutex_unlock(&h->lock);
    woken++;
  }
}

static void sleep_until_loop(struct helper *h, uint64_t seen)
{
  pthread_mutex_lock(&h->lock);
  atomic_store(&h->sleeps, 1); /* before checking the gate: whoever opens it checks this afterwards */
  while (!is_new(atomic_load(&h->team->gate), seen, h->k) && atomic_load(&h->sleeps))
    pthread_cond_wait(&h->opened, &h->lock);
  atomic_store(&h->sleeps, 0);
  pthread_mutex_unlock(&h->lock);
  wake_some(h->team, atomic_load(&h->team->gate));
}

/* Patience is what has paid before. */
static void wait_for_loop(struct helper *h, uint64_t seen, double *patience)
{
  int threads = atomic_load(&h->team->helpers) + 1;
  int has_core = threads >= MANY && threads <= h->cores, looks = has_core ? LOOKS_OF_MANY : LOOKS;
  double most = has_core ? SPIN_SECONDS_OF_MANY : SPIN_SECONDS;
  double begin = hb_clock_now();
  do {
    for (int look = 0; look < looks; look++) {
      if (is_new(atomic_load_explicit(&h->team->gate, memory_order_relaxed), seen, h->k)) {
        *patience = *patience * 2 < most ? *patience * 2 : most;
        return;
      }
      relax();
    }
    sched_yield(); /* the caller may be waiting for this core */
  } while (hb_clock_now() - begin < *patience);
  *patience = *patience / 2 > SPIN_SECONDS ? *patience / 2 : SPIN_SECONDS;
  sleep_until_loop(h, seen);
}

/* To say that it is inside and then to look at the gate, and for the caller to close it and then to look who is inside: one of the two
 * sees the other. */
static void *help(void *context)
{
  struct helper *h = context;
  struct team *team = h->team;
  double patience = SPIN_SECONDS;
  for (uint64_t seen = 0;;) {
    wait_for_loop(h, seen, &patience);
    uint64_t gate = atomic_load(&team->gate);
    if (!is_new(gate, seen, h->k)) continue;
    seen = gate;
    atomic_store(&h->inside, gate);
    if (atomic_load(&team->gate) == gate) work_on(team, (size_t)h->k + 1);
    atomic_store(&h->inside, 0);
  }
  return NULL;
}

/* Helpers do not live on in the child of a fork; it begins without any. */
static void begin_again(struct team *team)
{
  atomic_flag_clear(&team->taken);
  for (int k = 0; k < atomic_load(&team->helpers); k++) atomic_store(&team->helper[k].inside, 0);
  atomic_store(&team->helpers, 0);
  atomic_store(&team->gate, 0);
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

static int make_helper(struct team *team, int k, const pthread_attr_t *detached)
{
  struct helper *h = team->helper + k;
  pthread_t thread;
  h->team = team;
  h->k = k;
  h->cores = find_cores();
  atomic_store(&h->inside, 0);
  atomic_store(&h->sleeps, 0);
  pthread_mutex_init(&h->lock, NULL);
  pthread_cond_init(&h->opened, NULL);
  return pthread_create(&thread, detached, help, h) == 0;
}

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
  while (team->helpers < wanted && team->helpers < HELPERS_MOST &&
         make_helper(team, team->helpers, &detached))
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
  share_out(team, (size_t)wanted + 1, count);
  uint64_t loop = atomic_load_explicit(&team->gate, memory_order_relaxed) / ONE_LOOP + 1;
  uint64_t gate = loop * ONE_LOOP + OPEN + (uint64_t)wanted;
  atomic_store(&team->gate, gate);
  wake_some(team, gate);
  work_on(team, 0);
  atomic_store(&team->gate, gate & ~OPEN);
  double begin = hb_clock_now();
  for (int k = 0; k < wanted; k++)
    while (atomic_load(&team->helper[k].inside) == gate) {
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

struct pieces {
  size_t n, size;
  void (*work)(void *context, size_t from, size_t to);
  void *context;
};

static void do_piece(void *context, size_t piece)
{
  const struct pieces *p = context;
  size_t from = piece * p->size;
  p->work(p->context, from, hb_parallel_end(p->n, p->size, from));
}

void hb_parallel_pieces(size_t n, size_t size, size_t alone,
                        void (*work)(void *context, size_t from, size_t to), void *context)
{
  struct pieces pieces = {n, size, work, context};
  if (n > alone)
    hb_parallel_for(hb_parallel_threads(), hb_div_ceil(n, size), do_piece, &pieces);
  else
    for (size_t from = 0; from < n; from += size) work(context, from, hb_parallel_end(n, size, from));
}

void hb_parallel_shares(size_t n, size_t most, size_t alone,
                        void (*work)(void *context, size_t from, size_t to), void *context)
{
  enum { LEAST = 4, EACH = 4 };
  size_t piece = n > alone ? n / (EACH * (size_t)hb_parallel_threads()) : most;
  hb_parallel_pieces(n, piece < LEAST ? LEAST : piece < most ? piece : most, alone, work, context);
}

/* ---- copies ---- */

enum {
  COPIED = 256 << 10 /* bytes at a time; twice as many are copied before a second thread has woken up */
};

struct copy {
  char *to;
  const char *from;
};

static void copy_piece(void *context, size_t begin, size_t end)
{
  const struct copy *c = context;
  memcpy(c->to + begin, c->from + begin, end - begin);
}

void hb_parallel_copy(void *to, const void *from, size_t bytes)
{
  hb_parallel_pieces(bytes, COPIED, 2 * COPIED, copy_piece, &(struct copy){to, from});
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
