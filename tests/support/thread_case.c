#include "support/thread_case.h"

#include "support/support.h"

#include <pthread.h>
#include <stdio.h>

enum { MOST = 8 };

/* What a thread does; cmocka's assertions are for the main thread. */
struct run {
  const struct thread_case *what;
  enum hb_status status;
  char sentence[512];
  uint64_t hash;
  pthread_t thread;
};

static enum hb_status integrate(const struct thread_case *what, uint64_t *hash)
{
  const struct hb_ic_params ic = {.n = what->n, .seed = 3};
  struct hb_particles *particles = NULL;
  struct hb_sim *sim = NULL;
  enum hb_status status = hb_ic_make("plummer", &ic, &particles);
  if (status == HB_OK) status = hb_sim_take(particles, &what->params, &sim);
  if (status == HB_OK) status = hb_sim_integrate(sim, what->t_end);
  particles = NULL;
  if (status == HB_OK) status = hb_sim_state(sim, what->t_end, &particles);
  if (status == HB_OK) {
    *hash = support_fnv(SUPPORT_FNV, hb_particles_x(particles), 3 * what->n * sizeof(double));
    *hash = support_fnv(*hash, hb_particles_v(particles), 3 * what->n * sizeof(double));
  }
  hb_particles_destroy(particles);
  hb_sim_destroy(sim);
  return status;
}

static void *work(void *context)
{
  struct run *run = context;
  run->status = integrate(run->what, &run->hash);
  snprintf(run->sentence, sizeof run->sentence, "%s", hb_error());
  return NULL;
}

static void assert_done(const struct run *run)
{
  if (run->status != HB_OK)
    fail_msg("%s on %s: %s", run->what->params.force.scheme, run->what->params.force.context, run->sentence);
}

void thread_case_run(const struct thread_case *cases, size_t count, int rounds)
{
  uint64_t alone[MOST];
  struct run runs[MOST];
  expect_at_most(count, MOST);
  for (size_t k = 0; k < count; k++) {
    runs[k] = (struct run){.what = &cases[k]};
    work(&runs[k]);
    assert_done(&runs[k]);
    alone[k] = runs[k].hash;
  }
  for (int round = 0; round < rounds; round++) {
    for (size_t k = 0; k < count; k++) {
      runs[k] = (struct run){.what = &cases[k]};
      assert_int_equal(pthread_create(&runs[k].thread, NULL, work, &runs[k]), 0);
    }
    for (size_t k = 0; k < count; k++) pthread_join(runs[k].thread, NULL);
    for (size_t k = 0; k < count; k++) {
      assert_done(&runs[k]);
      assert_int_equal(runs[k].hash, alone[k]);
    }
  }
}
