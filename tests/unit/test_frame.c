/* Frames that go along with a system: where they are, and what runs gain by them. */
#include "base/parallel.h"
#include "support/frame_case.h"
#include "support/support.h"

#include "sim/sim.c"

#include <math.h>
#include <string.h>

static int is_zero(const struct hb_frame *f)
{
  return !(f->x[0] || f->x[1] || f->x[2] || f->v[0] || f->v[1] || f->v[2]);
}

static struct hb_frame frame_of(const char *model, size_t n, double shift, double boost)
{
  struct hb_particles *p;
  struct hb_frame frame;
  ASSERT_OK(hb_ic_make(model, &(struct hb_ic_params){.n = n, .seed = 1}, &p));
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] += shift, p->v[k] += boost;
  frame_find(p->n, p->m, p->x, p->v, 2, &frame);
  hb_particles_destroy(p);
  return frame;
}

/* Centred but for rounding: their bits are those without a frame. */
static void models_are_at_home(void **state)
{
  (void)state;
  static const char *const models[] = {"plummer", "coldsphere",  "twobody",
                                       "figure8", "pythagorean", "holmberg1941"};
  for (size_t k = 0; k < COUNT_OF(models); k++) {
    struct hb_frame frame = frame_of(models[k], 0, 0, 0);
    if (!is_zero(&frame)) fail_msg("%s has a frame", models[k]);
  }
}

static void it_is_where_they_are(void **state)
{
  (void)state;
  static const double far[] = {1, -1000, 1e6, 0x1p40};
  for (size_t k = 0; k < COUNT_OF(far); k++) {
    struct hb_frame frame = frame_of("plummer", 100, far[k], -far[k] / 2);
    for (int c = 0; c < 3; c++) {
      expect_equal(frame.x[c], far[k]);
      expect_below(fabs(frame.v[c] + far[k] / 2), 1e-3);
    }
  }
}

/* One that is far away would drag the centre out of a cluster by far / 100. */
static void one_far_away_counts_for_little(void **state)
{
  (void)state;
  struct hb_particles *p;
  struct hb_frame frame;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 100}, &p));
  p->x[0] = p->v[1] = 1e15;
  frame_find(p->n, p->m, p->x, p->v, 0, &frame);
  assert_true(is_zero(&frame));
  hb_particles_destroy(p);
}

/* So many that threads share them. */
static void many_are_all_moved(void **state)
{
  (void)state;
  enum { MANY = 50001 };
  static double q[MANY][3], moved[MANY][3];
  static const double origin[3] = {1, -20, 300};
  for (int i = 0; i < MANY; i++)
    for (int c = 0; c < 3; c++) q[i][c] = 3 * i + c;
  hb_parallel_set_threads(4);
  hb_frame_subtract(origin, MANY, q[0], moved[0]);
  hb_frame_subtract(origin, MANY, q[0], q[0]);
  hb_parallel_set_threads(0);
  for (int i = 0; i < MANY; i++)
    for (int c = 0; c < 3; c++) expect_equal(moved[i][c], 3 * i + c - origin[c]);
  assert_memory_equal(q, moved, sizeof q);
}

/* No mass, numbers beyond double, a lone particle. */
static void odd_particles(void **state)
{
  (void)state;
  const double none[2] = {0}, m[2] = {1, 1}, x[6] = {3, 4, 5, 3, 4, 6}, far[6] = {1.5e308, 0, 0, 1.5e308},
               still[6] = {0};
  struct hb_frame frame;
  frame_find(2, none, x, x, 0, &frame);
  assert_true(is_zero(&frame));
  frame_find(2, m, far, far, 0, &frame);
  assert_true(is_zero(&frame));
  frame_find(1, m, x, still, 0, &frame);
  expect_equal(frame.x[0], 3);
  expect_equal(frame.x[1], 4);
  expect_equal(frame.x[2], 5);
  expect_equal(frame.v[0], 0);
}

/* In and out again, at another time. */
static void there_and_back(void **state)
{
  (void)state;
  const struct hb_frame frame = {{1000, 0, -8}, {2, 0, 0}, 3};
  double x[3] = {1001, 1, -7}, v[3] = {3, 0, 0};
  struct hb_particles p = {.n = 1, .t = 5, .x = x, .v = v};
  hb_frame_subtract(frame.x, 1, x, x);
  hb_frame_subtract(frame.v, 1, v, v);
  expect_equal(x[0], 1);
  expect_equal(x[1], 1);
  expect_equal(x[2], 1);
  expect_equal(v[0], 1);
  hb_frame_leave(&frame, &p);
  expect_equal(x[0], 1005);
  expect_equal(x[1], 1);
  expect_equal(x[2], -7);
  expect_equal(v[0], 3);
}

static void kept_in_sections(void **state)
{
  (void)state;
  const struct hb_frame frame = {{1, 2, 3}, {4, 5, 6}, 7};
  const double wrong[3] = {NAN, 5, 6};
  struct hb_frame again = {{0}, {0}, 0};
  struct hb_sections sections = {0};
  ASSERT_OK(hb_numbers_get(&of_frame, &sections, 1, &again));
  assert_true(is_zero(&again)); /* of a run without one */
  ASSERT_OK(hb_numbers_put(&of_frame, 1, &frame, &sections));
  ASSERT_OK(hb_numbers_get(&of_frame, &sections, 1, &again));
  assert_memory_equal(&frame, &again, sizeof frame);
  ((struct hb_section *)hb_sections_find(&sections, "frame.v"))->data = wrong;
  ASSERT_FAILS(hb_numbers_get(&of_frame, &sections, 1, &again), HB_ERR_INPUT,
               "section 'frame.v' has nan at 0, expected finite");
  hb_sections_clear(&sections);
}

static void runs_on_the_host(void **state)
{
  (void)state;
  static const char *const forces[][2] = {{"host-simd", "single"}, {"host-simd", "ds"}, {"grape6", "grape6"}};
  for (size_t k = 0; k < COUNT_OF(forces); k++) {
    const struct hb_sim_params params = {
        .force = {.scheme = forces[k][0], .precision = forces[k][1], .eps = 1.0 / 256}};
    frame_case_run(&params);
  }
}

static void runs_by_leapfrog(void **state)
{
  (void)state;
  const struct hb_sim_params params = {.force = {.scheme = "host-simd", .precision = "ds", .eps = 1.0 / 256},
                                       .integrator = "leapfrog",
                                       .dt = 0x1p-8};
  frame_case_run(&params);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_are_at_home),
      cmocka_unit_test(it_is_where_they_are),
      cmocka_unit_test(one_far_away_counts_for_little),
      cmocka_unit_test(many_are_all_moved),
      cmocka_unit_test(odd_particles),
      cmocka_unit_test(there_and_back),
      cmocka_unit_test(kept_in_sections),
      cmocka_unit_test(runs_on_the_host),
      cmocka_unit_test(runs_by_leapfrog),
  };
  return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
