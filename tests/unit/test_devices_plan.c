/* How several devices share out a block: shares, words of a tuning, ways. And threads that work beside others. */
#include "base/mem.h"
#include "base/parallel.h"
#include "force/devices.c"
#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* ---- shares ---- */

/* One after the other, none twice, none left out, on multiples of the step. */
static void test_cuts(void **state)
{
  (void)state;
  const struct hb_shares cases[] = {
      shares_equal(1), shares_equal(3), {3, {16, 1, 7}}, shares_equal(HB_SHARES_MOST)};
  static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 262144}, steps[] = {1, SHARES_OF_SOURCES};
  for (size_t c = 0; c < COUNT_OF(cases); c++)
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
      for (size_t t = 0; t < COUNT_OF(steps); t++) {
        size_t n = sizes[s], before = 0;
        assert_int_equal(shares_cut(&cases[c], 0, n, steps[t]), 0);
        assert_int_equal(shares_cut(&cases[c], cases[c].count, n, steps[t]), n);
        for (int k = 1; k <= cases[c].count; k++) {
          size_t cut = shares_cut(&cases[c], k, n, steps[t]);
          expect_at_least(cut, before);
          expect_at_most(cut, n);
          if (cut != n) expect_equal(cut % steps[t], 0);
          before = cut;
        }
      }
  assert_int_equal(shares_cut(&(struct hb_shares){2, {16, 8}}, 1, 3000, 1), 2000);
}

/* Noise of some per cent does not make two equal devices unequal. */
static void test_rates(void **state)
{
  (void)state;
  struct hb_shares shares = shares_of_rates(3, (const double[]){6.5e11, 6.4e11, 1e9});
  assert_int_equal(shares.part[0], 16);
  assert_int_equal(shares.part[1], 16);
  assert_int_equal(shares.part[2], 0); /* too slow */
  assert_int_equal(shares_takers(&shares), 2);
  shares = shares_of_rates(2, (const double[]){1, 2});
  assert_int_equal(shares.part[0], 8);
  double rates[3] = {2, 3, 4};
  shares_of_alike(3, (const char *const[]){"a", "b", "a"}, rates);
  expect_equal(rates[0], 3);
  expect_equal(rates[1], 3);
  expect_equal(rates[2], 3);
  rates[1] = 1;
  shares_of_alike(3, (const char *const[]){"a", "b", "a"}, rates);
  expect_equal(rates[0], 3);
  expect_equal(rates[1], 1);
}

/* ---- the plan ---- */

static void assert_words(const char *words, const char *again)
{
  struct hb_devices_plan plan;
  char text[256];
  ASSERT_OK(hb_devices_plan_parse(words, &plan));
  devices_plan_print(&plan, sizeof text, text);
  assert_string_equal(text, again);
}

static void test_words(void **state)
{
  (void)state;
  struct hb_devices_plan plan;
  assert_words("", "");
  assert_words(NULL, "");
  assert_words("unroll=8,shares=16:15 i_each=4", "shares=16:15 unroll=8 i_each=4");
  assert_words("shares=16:0", "shares=16:0");
  assert_words("kept_alone_below=all shares=1 alone_below=512",
               "shares=1 alone_below=512 kept_alone_below=all");
  static const char *const wrong[] = {"shares=",       "shares=0:0",    "shares=1:",          "shares=1:17",
                                      "alone_below=0", "alone_below=x", "kept_alone_below=-1"};
  for (size_t k = 0; k < COUNT_OF(wrong); k++)
    ASSERT_FAILS(hb_devices_plan_parse(wrong[k], &plan), HB_ERR_USAGE, "expected");
}

static void test_ways(void **state)
{
  (void)state;
  struct hb_devices_plan plan = {.shares = shares_equal(2), .alone_below = 100};
  assert_int_equal(devices_plan_way(&plan, 99, 65536), DEVICES_ALONE);
  assert_int_equal(devices_plan_way(&plan, 100, 65536), DEVICES_BY_SOURCES);
  assert_int_equal(devices_plan_way(&plan, 40000, 65536), DEVICES_BY_SINKS);
  assert_int_equal(devices_plan_way(&plan, 65536, 65536), DEVICES_BY_SINKS);
  assert_int_equal(devices_plan_way(&plan, 1024, 1024), DEVICES_ALONE); /* by the rule */
  plan.alone_below = SIZE_MAX;
  assert_int_equal(devices_plan_way(&plan, 65536, 65536), DEVICES_ALONE);
  plan = (struct hb_devices_plan){.shares = {2, {16, 0}}, .alone_below = 1};
  assert_int_equal(devices_plan_way(&plan, 65536, 65536), DEVICES_ALONE);
  plan.shares = shares_equal(1);
  assert_int_equal(devices_plan_way(&plan, 65536, 65536), DEVICES_ALONE);
}

/* However fast two devices are, one never takes less time for a block that both share, though costs are measured with 2 % of noise;
 * by the bound that loses least, as hybrid has it, it does. */
static double rate_of(double from, double to, uint64_t *state) /* evenly in the logarithm */
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return from * pow(to / from, (double)(*state >> 40) / 0x1p24);
}

static void test_bound(void **state)
{
  (void)state;
  uint64_t random = 1;
  int some = 0, none = 0, all = 0, lost = 0;
  for (int round = 0; round < 2000; round++) {
    const double n = 65536, launch = rate_of(2e-6, 2e-4, &random), source = rate_of(1e-11, 3e-9, &random),
                 sink = rate_of(1e-10, 1e-8, &random), pair = rate_of(1e-13, 1e-10, &random),
                 handoff = rate_of(1e-7, 1e-3, &random), again = rate_of(1e-10, 1e-7, &random);
#define COST(ni)                                                                                             \
  {                                                                                                          \
    (size_t)(ni), launch + source *n + (sink + pair * n) * (double)(ni),                                     \
        handoff + launch + source *n / 2 + (again + sink + pair * n / 2) * (double)(ni)                      \
  }
    struct hybrid_cost costs[HYBRID_COSTS];
    size_t count = 0, ni;
    while ((ni = devices_plan_ask((size_t)n, count, costs)) > 0) {
      size_t place = count++;
      for (; place > 0 && costs[place - 1].ni > ni; place--) costs[place] = costs[place - 1];
      costs[place] = (struct hybrid_cost)COST(ni);
      costs[place].host *= rate_of(0.98, 1.02, &random);
      costs[place].gl *= rate_of(0.98, 1.02, &random);
    }
    size_t bound = devices_plan_bound((size_t)n, count, costs);
    none += bound == SIZE_MAX, all += bound == 1, some += bound > 1 && bound < SIZE_MAX;
    const struct hybrid_split least = hybrid_split_from((size_t)n, count, costs);
    for (ni = 1; ni <= (size_t)n; ni += 1 + ni / 8) {
      const struct hybrid_cost cost = COST(ni);
      if (cost.gl <= cost.host) continue;
      if (ni >= bound) fail_msg("round %d: %zu sinks from %zu on", round, ni, bound);
      lost += !hybrid_split_host(&least, ni);
    }
  }
  expect_above(some, 100);
  expect_above(none, 100);
  expect_above(all, 100);
  expect_above(lost, 100);
}

/* ---- what is measured, by a clock that two devices wind on ---- */

enum { SOURCES = 4096 };
static struct device {
  double spent; /* since the clock was read last */
  size_t nj;
} devices[2];
static double now, handoff, delay; /* every third call together is delayed by so much */
static int together;

static double read_clock(void)
{
  double first = devices[0].spent, second = devices[1].spent;
  if (second > 0) now += handoff + (++together % 3 ? 0 : delay);
  now += fmax(first, second);
  devices[0].spent = devices[1].spent = 0;
  return now;
}

static enum hb_status pull(void *state, const struct hb_force_job *job)
{
  struct device *d = state;
  if (job->sources.m) {
    d->nj = job->sources.n;
    d->spent += 1e-8 * (double)d->nj;
  }
  if (job->sinks.n) d->spent += 1e-5 + 1e-11 * (double)job->sinks.n * (double)d->nj;
  return HB_OK;
}

static size_t measured(double seconds, double late)
{
  static double m[SOURCES], xv[3 * SOURCES];
  const struct hb_force_ops ops = {.begin = pull, .has_points = 1};
  struct devices *d;
  handoff = seconds, delay = late;
  ASSERT_OK(HB_ALLOC(1, &d));
  *d = (struct devices){.ops = &ops, .plan.shares = shares_equal(2), .measures = 1, .clock = read_clock};
  d->count = 2, d->j = (struct hb_force_sources){SOURCES, m, xv, xv};
  for (int k = 0; k < 2; k++) {
    d->member[k] = (struct devices_member){.devices = d, .k = k};
    d->member[k].part.ops = &ops;
    d->member[k].part.state = &devices[k];
  }
  ASSERT_OK(hb_worker_create(1, &d->member[1].worker));
  ASSERT_OK(devices_fix_alone(d));
  size_t bound = d->plan.alone_below;
  hb_worker_destroy(d->member[1].worker);
  for (int k = 0; k < 2; k++) hb_part_free(&d->member[k].part);
  part_sums_free(&d->member[1].sums);
  hb_part_points_free(&d->points);
  hb_mem_free(d);
  return bound;
}

/* One takes 51 microseconds and 41 nanoseconds a sink; both, each with half of so many sinks and all sources, 51 and 20, and what
 * it takes to wait for each other: 60 microseconds are made good by 3368 sinks, with the margin. A delay in one call of three
 * counts as a third of it in each, but for the longest. */
static void test_measured_bound(void **state)
{
  (void)state;
  assert_int_equal(measured(0, 0), 1);
  assert_in_range(measured(60e-6, 0), 3350, 3390);
  assert_in_range(measured(0, 180e-6), 2900, 3390);
  expect_equal(measured(1e-3, 0), SIZE_MAX);
}

/* ---- threads ---- */

enum { PIECES = 64, ROUNDS = 200 };

struct job {
  int rounds;
  enum hb_status status;
  atomic_int pieces;
  pthread_t thread;
};

static void count_piece(void *context, size_t k)
{
  (void)k;
  atomic_fetch_add(&((struct job *)context)->pieces, 1);
}

static enum hb_status work(void *context)
{
  struct job *job = context;
  job->thread = pthread_self();
  for (int k = 0; k < job->rounds; k++) hb_parallel_for(3, PIECES, count_piece, job);
  return job->status == HB_OK ? HB_OK : hb_fail(job->status, "job %d failed", job->rounds);
}

/* Loops in several threads at once, each with helpers of its own; sentences reach the caller, once. */
static void test_workers(void **state)
{
  (void)state;
  enum { WORKERS = 20 }; /* more than there are teams */
  struct hb_worker *worker[WORKERS];
  static struct job job[WORKERS];
  for (int k = 0; k < WORKERS; k++) ASSERT_OK(hb_worker_create(2, &worker[k]));
  for (int round = 0; round < 3; round++) {
    memset(job, 0, sizeof job);
    for (int k = 0; k < WORKERS; k++) {
      job[k].rounds = ROUNDS + k;
      job[k].status = k == 7 ? HB_ERR_DEVICE : HB_OK;
      hb_worker_start(worker[k], work, &job[k]);
    }
    for (int k = 0; k < WORKERS; k++) {
      if (k == 7) ASSERT_FAILS(hb_worker_wait(worker[k]), HB_ERR_DEVICE, "job 207 failed");
      ASSERT_OK(hb_worker_wait(worker[k]));
      assert_int_equal(job[k].pieces, PIECES * (ROUNDS + k));
      assert_false(pthread_equal(job[k].thread, pthread_self()));
    }
  }
  for (int k = 0; k < WORKERS; k++) hb_worker_start(worker[k], work, &job[k]); /* and destroyed at work */
  for (int k = 0; k < WORKERS; k++) hb_worker_destroy(worker[k]);
  for (int k = 0; k < WORKERS; k++) assert_int_equal(job[k].pieces, 2 * PIECES * (ROUNDS + k));
  hb_worker_destroy(NULL);
}

static enum hb_status ask_threads(void *context)
{
  *(int *)context = hb_parallel_threads();
  return HB_OK;
}

static void test_threads_of_its_own(void **state)
{
  (void)state;
  struct hb_worker *worker;
  int threads = 0;
  ASSERT_OK(hb_worker_create(5, &worker));
  hb_worker_start(worker, ask_threads, &threads);
  ASSERT_OK(hb_worker_wait(worker));
  assert_int_equal(threads, 5);
  hb_worker_destroy(worker);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bound),   cmocka_unit_test(test_measured_bound),
      cmocka_unit_test(test_cuts),    cmocka_unit_test(test_rates),
      cmocka_unit_test(test_words),   cmocka_unit_test(test_ways),
      cmocka_unit_test(test_workers), cmocka_unit_test(test_threads_of_its_own),
  };
  return cmocka_run_group_tests_name("devices plan", tests, NULL, NULL);
}
