/* What ends hb_sim_integrate before its time. */
#include "support/resume_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double dt = 0x1p-6, tick = 0x1p-26;

/* Two light bodies with radii of 0.01 that move toward each other along x, 0.05 each, from 0.06 apart: they touch at t = 0.4. */
static struct hb_sim *begin(struct hb_sim_params params)
{
  static const double x[] = {-0.03, 0, 0, 0.03, 0, 0}, v[] = {0.05, 0, 0, -0.05, 0, 0};
  struct hb_particles *p;
  struct hb_sim *sim;
  params.force = (struct hb_force_params){.scheme = "host", .eps = 0.1};
  params.dt_max = dt;
  ASSERT_OK(hb_particles_create(2, &p));
  memcpy(hb_particles_x(p), x, sizeof x);
  memcpy(hb_particles_v(p), v, sizeof v);
  for (size_t i = 0; i < 2; i++) hb_particles_m(p)[i] = 1e-9, hb_particles_radius(p)[i] = 0.01;
  ASSERT_OK(hb_sim_take(p, &params, &sim));
  return sim;
}

/* How far apart they are at the end of the last step. */
static double distance(const struct hb_sim *sim)
{
  struct hb_particles *p;
  ASSERT_OK(hb_sim_state(sim, hb_sim_time(sim), &p));
  double r = fabs(hb_particles_x(p)[3] - hb_particles_x(p)[0]);
  hb_particles_destroy(p);
  return r;
}

static void test_collision(void **s)
{
  (void)s;
  const struct hb_sim_params asked[] = {{.collisions = HB_COLLISIONS_STOP},
                                        {.stop_at = HB_STOP_AT_COLLISION}};
  for (size_t k = 0; k < 2 * COUNT_OF(asked); k++) {
    struct hb_sim *sim = begin(asked[k / 2]);
    if (k % 2) resume_case_now(&sim);
    ASSERT_OK(hb_sim_integrate(sim, 1));
    const struct hb_event *event = hb_sim_stopped(sim);
    assert_non_null(event);
    double t = hb_sim_time(sim), r = distance(sim);
    printf("touch at t = 0.4, stopped at %g (a step is %g), %g apart (radii: 0.02)\n", t, dt, r);
    expect_at_least(t, event->t);
    expect_at_most(t, event->t + tick);
    expect_below(fabs(t - 0.4), 1e-6); /* they attract each other a little */
    expect_below(fabs(r - 0.02), 1e-8);
    expect_below(fabs(event->r - 0.02), 1e-10);
    expect_equal(event->kind, HB_EVENT_COLLISION);
    expect_equal(event->n, 2);
    expect_equal(event->id[0] + event->id[1], 1);
    if (k % 2) resume_case_now(&sim);
    ASSERT_OK(hb_sim_integrate(sim, 0.5)); /* on; they still overlap */
    assert_null(hb_sim_stopped(sim));
    expect_equal(hb_sim_time(sim), 0.5);
    hb_sim_destroy(sim);
  }
  struct hb_sim *sim = begin((struct hb_sim_params){.collisions = HB_COLLISIONS_MERGE});
  ASSERT_OK(hb_sim_integrate(sim, 0.5)); /* a merger stops nothing */
  expect_equal(hb_sim_time(sim), 0.5);
  assert_true(!hb_sim_stopped(sim));
  hb_sim_destroy(sim);
}

/* The first event of a cluster that flies apart, in the words of the program. */
static void test_others(void **s)
{
  (void)s;
  const struct hb_ic_params ic = {.n = 64, .seed = 1, .cluster = {.virial = 2}};
  for (enum hb_stop_at what = HB_STOP_AT_PAIR; what <= HB_STOP_AT_ESCAPE; what++) {
    const struct hb_sim_params params = {.force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED},
                                         .stop_at = what,
                                         .escape_radius = what == HB_STOP_AT_ESCAPE ? 3 : 0};
    struct hb_particles *p;
    struct hb_sim *sim;
    ASSERT_OK(hb_ic_make("plummer", &ic, &p));
    ASSERT_OK(hb_sim_take(p, &params, &sim));
    resume_case_now(&sim);
    ASSERT_OK(hb_sim_integrate(sim, 8));
    const struct hb_event *event = hb_sim_stopped(sim);
    assert_non_null(event);
    printf("%s: %s at t = %g\n", hb_stop_at_names[what], hb_event_names[event->kind], hb_sim_time(sim));
    expect_below(hb_sim_time(sim), 8);
    expect_equal(event->n, (what == HB_STOP_AT_PAIR ? 2 : 1));
    expect_equal(event->kind, (what == HB_STOP_AT_PAIR ? HB_EVENT_ENCOUNTER : HB_EVENT_ESCAPE));
    hb_sim_destroy(sim);
  }
}

static void test_refusals(void **s)
{
  (void)s;
  static const struct {
    struct hb_sim_params params;
    const char *words;
  } wrong[] = {
      {{.stop_at = (enum hb_stop_at)4}, "stop_at is 4, expected 0 to 3 (none, collision, pair, escape)"},
      {{.stop_at = HB_STOP_AT_COLLISION, .steps = HB_STEPS_SHARED}, "collisions need block steps"},
      {{.stop_at = HB_STOP_AT_ESCAPE, .steps = HB_STEPS_SHARED}, "escapers need block steps"}};
  for (size_t k = 0; k < COUNT_OF(wrong); k++) {
    struct hb_particles *p;
    struct hb_sim *sim;
    ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 8}, &p));
    ASSERT_FAILS(hb_sim_take(p, &wrong[k].params, &sim), HB_ERR_USAGE, wrong[k].words);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_collision),
      cmocka_unit_test(test_others),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
