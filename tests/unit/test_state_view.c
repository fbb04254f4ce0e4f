/* sim/sim.c: the same particles, with room for forces, whether an integrator lends its arrays or not. */
#include "support/support.h"

#include "base/mem.h"
#include "force/force.h"
#include "sim/sim.c"

#include <string.h>

enum { N = 64 };

struct run {
  struct hb_force *force;
  void *state;
};

static struct run start(const struct hb_integrator_ops *ops)
{
  struct run run;
  struct hb_particles *p;
  const struct hb_sim_params params = {.eta = 0.01, .dt_max = 0.125, .dt_min = 0x1p-26, .damping = 1};
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 2}, &p));
  ASSERT_OK(hb_force_open(&(struct hb_force_params){.scheme = "host", .eps = 0x1p-8}, &run.force));
  ASSERT_OK(ops->create(p, &params, run.force, &run.state));
  for (int step = 0; step < 50; step++) ASSERT_OK(ops->step(run.state, &(struct hb_step_size){0}));
  return run;
}

static void end(const struct hb_integrator_ops *ops, struct run *run)
{
  ops->destroy(run->state);
  hb_force_close(run->force);
}

static enum hb_status open_at(const struct hb_integrator_ops *ops, void *state, double t,
                              struct hb_state_view *view)
{
  const struct hb_sim sim = {.integrator = ops, .state = state};
  *view = (struct hb_state_view){.own = NULL};
  return open_view(&sim, t, view);
}

/* The view at a time between two blocks against the copied state; then its arrays are filled with what is not there. */
static void expect_view(const struct hb_integrator_ops *ops, struct run *run)
{
  struct hb_state_view view;
  struct hb_particles *p;
  double t = (ops->time(run->state) + ops->next_time(run->state)) / 2;
  ASSERT_OK(ops->particles(run->state, t, &p));
  ASSERT_OK(open_at(ops, run->state, t, &view));
  expect_equal(view.at.n, N);
  expect_equal(view.at.t, t);
  assert_memory_equal(view.at.m, p->m, N * sizeof *p->m);
  assert_memory_equal(view.at.x, p->x, 3 * N * sizeof *p->x);
  assert_memory_equal(view.at.v, p->v, 3 * N * sizeof *p->v);
  assert_memory_equal(view.at.id, p->id, N * sizeof *p->id);
  for (uint32_t i = 0; i < N; i++) assert_int_equal(view.index[i], i);
  memset(view.a, 0xff, 3 * N * sizeof *view.a);
  memset(view.j, 0xff, 3 * N * sizeof *view.j);
  memset(view.phi, 0xff, N * sizeof *view.phi);
  close_view(&view);
  hb_particles_destroy(p);
  ASSERT_FAILS(open_at(ops, run->state, -1, &view), HB_ERR_USAGE, "the state was asked for");
  close_view(&view);
}

static void a_view_is_the_same_with_lent_arrays_and_without(void **state)
{
  (void)state;
  struct hb_integrator_ops lends, copies;
  const struct hb_integrator_ops *ops;
  ASSERT_OK(hb_integrator_find("hermite4", &ops));
  lends = copies = *ops;
  copies.view = NULL;
  struct run lent = start(&lends), copied = start(&copies), alone = start(&lends);
  struct hb_particles *p, *q;
  for (int step = 0; step < 50; step++) {
    expect_view(&lends, &lent);
    expect_view(&copies, &copied);
    ASSERT_OK(lends.step(lent.state, &(struct hb_step_size){0}));
    ASSERT_OK(lends.step(copied.state, &(struct hb_step_size){0}));
    ASSERT_OK(lends.step(alone.state, &(struct hb_step_size){0}));
  }
  ASSERT_OK(lends.particles(alone.state, lends.time(alone.state), &p));
  ASSERT_OK(lends.particles(lent.state, lends.time(lent.state), &q));
  assert_memory_equal(p->x, q->x, 3 * N * sizeof *p->x); /* what was left in the arrays is not used again */
  assert_memory_equal(p->v, q->v, 3 * N * sizeof *p->v);
  hb_particles_destroy(p);
  hb_particles_destroy(q);
  end(&lends, &lent);
  end(&lends, &copied);
  end(&lends, &alone);
}

static void no_memory(void **state)
{
  (void)state;
  struct hb_integrator_ops copies;
  const struct hb_integrator_ops *ops;
  ASSERT_OK(hb_integrator_find("hermite4", &ops));
  copies = *ops;
  copies.view = NULL;
  struct run run = start(&copies);
  for (unsigned long nth = 1; nth <= 9; nth++) { /* particles and their four arrays, then ours */
    struct hb_state_view view;
    hb_mem_watch.fail_at = nth;
    ASSERT_FAILS(open_at(&copies, run.state, copies.time(run.state), &view), HB_ERR_INTERNAL,
                 "cannot allocate");
    hb_mem_watch.fail_at = 0;
    close_view(&view);
  }
  end(&copies, &run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_view_is_the_same_with_lent_arrays_and_without),
      cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
