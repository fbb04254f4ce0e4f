/* The same system in another number of particles. */
#include "core/particles.h"
#include "core/resample.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdlib.h>

static struct hb_particles *make(const char *model, size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make(model, &(struct hb_ic_params){.n = n, .seed = 3}, &p));
  return p;
}

struct system {
  double mass, kinetic, x[3], v[3], radius; /* the mean distance from the center */
};

static struct system look(const struct hb_particles *p)
{
  struct system s = {0};
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i, *v = p->v + 3 * i;
    s.mass += p->m[i];
    s.kinetic += p->m[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
    for (int c = 0; c < 3; c++) s.x[c] += p->m[i] * x[c], s.v[c] += p->m[i] * v[c];
  }
  for (size_t i = 0; i < p->n; i++)
    s.radius += p->m[i] / s.mass * hypot(hypot(p->x[3 * i], p->x[3 * i + 1]), p->x[3 * i + 2]);
  return s;
}

static double off(double value, double right) { return fabs(value / right - 1); }

/* 3 / sqrt(n) is what three standard deviations of a sample do to a mean whose terms scatter by as much as itself. */
static void check(const char *model, size_t n, size_t more)
{
  struct hb_particles *p = make(model, n), *q;
  double tolerance = 3 / sqrt((double)(n < more ? n : more));
  ASSERT_OK(hb_resample(p, more, 1, &q));
  struct system a = look(p), b = look(q);
  assert_int_equal(q->n, more);
  expect_equal(q->t, p->t);
  expect_below(off(b.mass, a.mass), 1e-12);
  for (int c = 0; c < 3; c++) {
    expect_below(fabs(a.x[c] - b.x[c]), 1e-12);
    expect_below(fabs(a.v[c] - b.v[c]), 1e-12);
  }
  expect_below(off(b.radius, a.radius), tolerance);
  expect_below(off(b.kinetic, a.kinetic), tolerance);
  hb_particles_destroy(q);
  /* had velocities been those between two neighbors, a third of the energy of the new ones would be missing */
  if (more > n) expect_above(1.0 / 3 * (double)(more - n) / (double)more, tolerance);
  hb_particles_destroy(p);
}

static void test_spheres(void **state)
{
  (void)state;
  check("plummer", 4000, 1000);
  check("plummer", 4000, 2500);
  check("plummer", 4000, 4000);
  check("plummer", 4000, 8000);
  check("plummer", 4000, 11111);
}

/* Circular orbits: a disc that was heated or whose stars had halo velocities would be thick. */
static void test_disc(void **state)
{
  (void)state;
  struct hb_particles *p = make("disc", 4096), *q;
  ASSERT_OK(hb_resample(p, 8192, 1, &q));
  size_t dark = strtoull(hb_particles_note(p, "dark"), NULL, 10);
  assert_int_equal(strtoull(hb_particles_note(q, "dark"), NULL, 10), 2 * dark);
  double thick[2] = {0}, turn[2] = {0};
  const struct hb_particles *const both[2] = {p, q};
  for (int k = 0; k < 2; k++) {
    size_t stars = both[k]->n - (size_t)(k + 1) * dark;
    for (size_t i = 0; i < stars; i++) {
      const double *x = both[k]->x + 3 * i, *v = both[k]->v + 3 * i;
      thick[k] += fabs(x[2]) / (double)stars;
      turn[k] += (x[0] * v[1] - x[1] * v[0]) / (double)stars;
    }
  }
  expect_below(off(thick[1], thick[0]), 0.2);
  expect_below(off(turn[1], turn[0]), 0.1);
  hb_particles_destroy(p);
  hb_particles_destroy(q);
}

static void test_same_seed(void **state)
{
  (void)state;
  struct hb_particles *p = make("plummer", 100), *q[3];
  for (int k = 0; k < 3; k++) ASSERT_OK(hb_resample(p, 250, k < 2 ? 7 : 8, &q[k]));
  assert_memory_equal(q[0]->x, q[1]->x, 750 * sizeof(double));
  assert_memory_not_equal(q[0]->x, q[2]->x, 750 * sizeof(double));
  for (int k = 0; k < 3; k++) hb_particles_destroy(q[k]);
  ASSERT_FAILS(hb_resample(p, 2, 1, &q[0]), HB_ERR_USAGE, "100 particles cannot become 2");
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_spheres), cmocka_unit_test(test_disc),
                                     cmocka_unit_test(test_same_seed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
