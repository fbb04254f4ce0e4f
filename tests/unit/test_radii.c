/* Radii of particles: by formulas, and what keeps them. */
#include "support/support.h"

#include "core/particles.h"

#include <math.h>
#include <string.h>

static struct hb_particles *some(const char *formula)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(3, &p));
  for (size_t i = 0; i < 3; i++) p->m[i] = (double)i, p->x[3 * i] = (double)i;
  if (formula) ASSERT_OK(hb_particles_set_radii(p, formula));
  return p;
}

static void test_formulas(void **state)
{
  (void)state;
  static const double pc_in_sun = 3.0856775814913673e16 / 6.957e8;
  struct hb_particles *p = some("0.5*m^2");
  expect_equal(p->radius[0], 0);
  expect_equal(p->radius[1], 0.5);
  expect_equal(p->radius[2], 2);
  ASSERT_OK(hb_particles_set_radii(p, "1e-3"));
  expect_equal(p->radius[0], 1e-3);
  expect_equal(p->radius[2], 1e-3);
  ASSERT_FAILS(hb_particles_set_radii(p, "sun*m^0.8"), HB_ERR_USAGE, "need units");
  ASSERT_OK(hb_units_set(p, &(struct hb_units){.mass = 100, .length = 2}));
  ASSERT_OK(hb_particles_set_radii(p, "sun*m^0.8"));
  expect_below(fabs(p->radius[2] * 2 * pc_in_sun / pow(200, 0.8) - 1), 1e-12);
  const char *const wrong[] = {"", "-1", "x", "1*m", "1*m^", "1*n^2", "sun*", "1e-3*m^2*m", "suns"};
  for (size_t k = 0; k < COUNT_OF(wrong); k++)
    ASSERT_FAILS(hb_particles_set_radii(p, wrong[k]), HB_ERR_USAGE, "expected a number like 1e-5");
  ASSERT_FAILS(hb_particles_set_radii(p, "1e300*m^1000"), HB_ERR_USAGE, "is not finite");
  hb_particles_destroy(p);
}

/* Files that keep them; without any, files have the bytes that they always had. */
static void test_files(void **state)
{
  (void)state;
  const char *const names[] = {"radii.h5", "radii.txt", "radii.xmf"};
  for (size_t k = 0; k < COUNT_OF(names); k++)
    for (int has = 0; has < 2; has++) {
      struct hb_particles *p = some(has ? "0.1*m^0.5" : NULL), *q;
      const char *path = support_path(names[k]);
      ASSERT_OK(hb_snapshot_write(path, NULL, p));
      ASSERT_OK(hb_snapshot_read(path, NULL, &q));
      expect_equal((q->radius != NULL), has);
      if (has) assert_memory_equal(p->radius, q->radius, 3 * sizeof *p->radius);
      expect_equal(hb_particles_hash(p), hb_particles_hash(q));
      hb_particles_destroy(p);
      hb_particles_destroy(q);
    }
}

static void test_text(void **state)
{
  (void)state;
  static const char named[] = "# m x y z vx vy vz radius\n1 0 0 0 0 0 0 0.5\n",
                    unnamed[] = "1 0 0 0 0 0 0 0.5\n",
                    short_row[] = "# m x y z vx vy vz radius\n1 0 0 0 0 0 0\n",
                    below_0[] = "# m x y z vx vy vz radius\n1 0 0 0 0 0 0 -0.5\n";
  const char *path = support_path("columns.txt");
  struct hb_particles *p;
  support_write(path, named, strlen(named));
  ASSERT_OK(hb_snapshot_read(path, NULL, &p));
  expect_equal(p->radius[0], 0.5);
  hb_particles_destroy(p);
  support_write(path, unnamed, strlen(unnamed));
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &p), HB_ERR_INPUT, "'0.5' after 7 numbers");
  support_write(path, short_row, strlen(short_row));
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &p), HB_ERR_INPUT, "a row of 7 numbers, expected 8");
  support_write(path, below_0, strlen(below_0));
  ASSERT_FAILS(hb_snapshot_read(path, NULL, &p), HB_ERR_INPUT, "particle 0 has radius -0.5");
}

static void test_combined_and_scaled(void **state)
{
  (void)state;
  const double zero[3] = {0};
  struct hb_particles *a = some(NULL), *b = some("0.25"), *both, *copy;
  ASSERT_OK(hb_combine_particles(a, b, zero, zero, &both));
  expect_equal(both->radius[2], 0);
  expect_equal(both->radius[3], 0.25);
  ASSERT_OK(hb_particles_copy(both, &copy));
  expect_equal(hb_particles_hash(copy), hb_particles_hash(both));
  ASSERT_OK(hb_scale_particles(b, &(struct hb_scale){.mass = 1, .radius = 3}));
  double by = (b->x[6] - b->x[3]) / 1;
  expect_below(fabs(b->radius[1] / (0.25 * by) - 1), 1e-12);
  struct hb_particles *points;
  ASSERT_OK(hb_particles_create(2, &points));
  uint64_t without = hb_particles_hash(points);
  assert_non_null(hb_particles_radius(points)); /* asking changes no state */
  expect_equal(hb_particles_hash(points), without);
  hb_particles_destroy(points);
  copy->radius[1] = 1;
  expect_other(hb_particles_hash(copy), hb_particles_hash(both));
  hb_particles_destroy(a);
  hb_particles_destroy(b);
  hb_particles_destroy(both);
  hb_particles_destroy(copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulas),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_combined_and_scaled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
