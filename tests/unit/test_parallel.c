/* Loops shared by threads: each piece once, also from several callers and from within. */
#include "base/parallel.h"
#include "support/support.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

struct tally {
  atomic_int seen[MOST];
  atomic_int inside, most; /* at work at the same time */
  int waits;               /* a piece, for a second one to be at work, at most so many milliseconds */
};

static void count_piece(void *context, size_t k)
{
  struct tally *t = context;
  int inside = atomic_fetch_add(&t->inside, 1) + 1;
  for (int most = atomic_load(&t->most); inside > most;)
    if (atomic_compare_exchange_weak(&t->most, &most, inside)) break;
  for (int ms = 0; ms < t->waits && atomic_load(&t->most) < 2; ms++) usleep(1000);
  atomic_fetch_add(&t->seen[k], 1);
  atomic_fetch_sub(&t->inside, 1);
}

static void assert_each_once(const struct tally *t, size_t count)
{
  for (size_t k = 0; k < MOST; k++) assert_int_equal(t->seen[k], k < count ? 1 : 0);
}

static void test_each_piece_once(void **state)
{
  (void)state;
  static const size_t counts[] = {0, 1, 2, 3, 17, 100, MOST};
  static struct tally t;
  for (int round = 0; round < 200; round++)
    for (int threads = 1; threads <= 5; threads++) {
      size_t count = counts[(size_t)(round + threads) % COUNT_OF(counts)];
      memset(&t, 0, sizeof t);
      hb_parallel_for(threads, count, count_piece, &t);
      assert_each_once(&t, count);
      expect_at_most(t.most, threads);
    }
}

struct straggler {
  size_t count;
  atomic_size_t done;
  atomic_size_t helped; /* done before the first one, which waits for the others for 20 s at most */
};

static void wait_for_the_rest(void *context, size_t k)
{
  struct straggler *s = context;
  for (int ms = 0; k == 0 && ms < 20000 && atomic_load(&s->done) < s->count - 1; ms++) usleep(1000);
  if (k == 0) atomic_store(&s->helped, atomic_load(&s->done));
  atomic_fetch_add(&s->done, 1);
}

/* Who is done with its part of a long loop does what is left of that of a slow one. */
static void test_parts_are_helped(void **state)
{
  (void)state;
  for (int threads = 2; threads <= 5; threads++) {
    struct straggler s = {.count = 1000};
    hb_parallel_for(threads, s.count, wait_for_the_rest, &s);
    expect_at_least(s.helped, s.count - 1);
  }
}

/* A piece that waits for another thread sees one, which comes from spinning or from sleep. */
static void test_others_take_part(void **state)
{
  (void)state;
  for (int rest = 0; rest < 2; rest++) {
    static struct tally t;
    memset(&t, 0, sizeof t);
    t.waits = 20000;
    if (rest) usleep(20000);
    hb_parallel_for(4, 4, count_piece, &t);
    assert_each_once(&t, 4);
    expect_above(t.most, 1);
    expect_at_most(t.most, 4);
  }
}

static void test_copy(void **state)
{
  (void)state;
  enum { BYTES = (1 << 21) + 77 };
  char *from = malloc(BYTES), *to = malloc(BYTES + 1);
  assert_true(from && to);
  for (int k = 0; k < BYTES; k++) from[k] = (char)(k * 31 + k / 4096);
  hb_parallel_set_threads(4);
  for (size_t bytes = BYTES; bytes > 0; bytes /= 3) {
    memset(to, 5, BYTES + 1);
    hb_parallel_copy(to, from, bytes);
    assert_memory_equal(to, from, bytes);
    assert_int_equal(to[bytes], 5);
  }
  hb_parallel_set_threads(0);
  hb_parallel_copy(to, NULL, 0);
  free(from), free(to);
}

/* ---- more than one loop ---- */

static void inner_loop(void *context, size_t k)
{
  struct tally *all = context;
  hb_parallel_for(4, 20, count_piece, &all[k]);
}

static void test_loop_in_a_loop(void **state)
{
  (void)state;
  static struct tally all[4];
  hb_parallel_for(4, 4, inner_loop, all);
  for (int k = 0; k < 4; k++) assert_each_once(&all[k], 20);
}

static void *call_often(void *context)
{
  struct tally *t = context;
  for (int k = 0; k < 500; k++) hb_parallel_for(3, MOST / 500, count_piece, t);
  return NULL;
}

static void test_two_callers(void **state)
{
  (void)state;
  static struct tally tallies[2];
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, call_often, &tallies[1]), 0);
  call_often(&tallies[0]);
  pthread_join(other, NULL);
  for (int c = 0; c < 2; c++)
    for (size_t k = 0; k < MOST; k++) assert_int_equal(tallies[c].seen[k], k < MOST / 500 ? 500 : 0);
}

/* The child has no helpers; it must not wait for one that the parent had inside. */
static void test_after_a_fork(void **state)
{
  (void)state;
  static struct tally t;
  hb_parallel_for(4, MOST, count_piece, &t);
  memset(&t, 0, sizeof t);
  pid_t child = fork();
  expect_at_least(child, 0);
  if (child == 0) {
    alarm(20);
    hb_parallel_for(4, MOST, count_piece, &t);
    int wrong = 0;
    for (size_t k = 0; k < MOST; k++) wrong += t.seen[k] != 1;
    _exit(wrong != 0);
  }
  int end;
  assert_int_equal(waitpid(child, &end, 0), child);
  assert_int_equal(end, 0);
}

static atomic_int open_to_signals;

static void look_at_signals(void *context, size_t k)
{
  (void)k;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  usleep(1000);
  if (!pthread_equal(pthread_self(), *(pthread_t *)context) && !sigismember(&blocked, SIGUSR1))
    atomic_fetch_add(&open_to_signals, 1);
}

static void test_signals_are_the_callers(void **state)
{
  (void)state;
  pthread_t caller = pthread_self();
  sigset_t blocked;
  hb_parallel_for(4, 100, look_at_signals, &caller);
  assert_int_equal(open_to_signals, 0);
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  assert_false(sigismember(&blocked, SIGUSR1));
}

static void test_pieces(void **state)
{
  (void)state;
  assert_int_equal(hb_parallel_end(9, 8, 0), 8);
  assert_int_equal(hb_parallel_end(9, 8, 8), 9);
  expect_at_least(hb_parallel_threads(), 1);
  hb_parallel_set_threads(3);
  assert_int_equal(hb_parallel_threads(), 3);
  hb_parallel_set_threads(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_piece_once),  cmocka_unit_test(test_copy),
      cmocka_unit_test(test_parts_are_helped), cmocka_unit_test(test_others_take_part),
      cmocka_unit_test(test_loop_in_a_loop),   cmocka_unit_test(test_two_callers),
      cmocka_unit_test(test_after_a_fork),     cmocka_unit_test(test_signals_are_the_callers),
      cmocka_unit_test(test_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
