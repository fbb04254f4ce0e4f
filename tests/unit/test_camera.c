/* The camera: pure mathematics. */
#include "support/support.h"
#include "render/camera.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double EXACT = 1e-12; /* a few roundings of numbers near 1 */

static void assert_near(double got, double expected, double tolerance)
{
  if (!(fabs(got - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g within %g", got, expected, tolerance);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* A right-handed orthonormal set, to 1e-12. */
static void assert_orthonormal(const struct hb_camera *c)
{
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) assert_near(dot(c->axis[k], c->axis[l]), k == l, EXACT);
  assert_near(c->axis[0][1] * c->axis[1][2] - c->axis[0][2] * c->axis[1][1], c->axis[2][0], EXACT);
}

static struct hb_camera start(void)
{
  struct hb_camera c;
  hb_camera_reset(&c);
  c.distance = 4;
  return c;
}

static void project(const struct hb_camera *c, double x, double y, double z, double picture[2])
{
  double depth;
  assert_true(hb_camera_project(c, (double[3]){x, y, z}, picture, &depth));
}

static void test_project(void **state)
{
  (void)state;
  struct hb_camera c = start();
  double picture[2], depth, slope = tan(0.25);
  assert_true(hb_camera_project(&c, (double[3]){0.3, -0.2, 1}, picture, &depth));
  assert_near(depth, 3, EXACT);
  assert_near(picture[0], 0.3 / (3 * slope), EXACT);
  assert_near(picture[1], -0.2 / (3 * slope), EXACT);
  assert_false(hb_camera_project(&c, (double[3]){0, 0, 4}, picture, &depth));
  assert_false(hb_camera_project(&c, (double[3]){0, 0, 5}, picture, &depth));
  assert_false(hb_camera_project(&c, (double[3]){0, 0, NAN}, picture, &depth));
}

/* What is before the center follows the finger, and a quarter turn takes half a picture. */
static void test_drag(void **state)
{
  (void)state;
  static const double ways[][2] = {{0.5, 0}, {-0.5, 0}, {0, 0.5}, {0, -0.5}};
  for (size_t k = 0; k < COUNT_OF(ways); k++) {
    struct hb_camera c = start();
    double picture[2], slope = hb_camera_slope(&c);
    hb_camera_drag(&c, ways[k][0], ways[k][1]);
    assert_orthonormal(&c);
    project(&c, 0, 0, 1, picture); /* was nearest to the eye, is at the rim now */
    assert_near(picture[0], 2 * ways[k][0] / (4 * slope), EXACT);
    assert_near(picture[1], 2 * ways[k][1] / (4 * slope), EXACT);
  }
}

/* Over the poles and wherever else: nothing locks, and the axes stay what they are. */
static void test_drag_for_ever(void **state)
{
  (void)state;
  struct hb_camera c = start();
  uint32_t random = 1;
  for (int k = 0; k < 200000; k++) {
    random = random * 1664525u + 1013904223u;
    struct hb_camera before = c;
    double dx = (double)(random >> 20) / 4096 - 0.5, dy = (double)(random >> 8 & 4095) / 4096 - 0.5;
    hb_camera_drag(&c, 0.02 * dx, 0.02 * dy);
    /* the way of the line of sight is as long as that of the finger, in every direction */
    double turned = acos(fmin(dot(c.axis[2], before.axis[2]), 1));
    assert_near(turned, PI * 0.02 * hypot(dx, dy), 1e-7);
  }
  assert_orthonormal(&c);
  hb_camera_drag(&c, 0, 0);
  assert_orthonormal(&c);
}

static void test_drag_and_back(void **state)
{
  (void)state;
  struct hb_camera c = start(), before;
  hb_camera_look(&c, 1, 0.5, 0.2);
  before = c;
  hb_camera_drag(&c, 0.3, -0.7);
  expect_below(dot(c.axis[2], before.axis[2]), 0.9);
  hb_camera_drag(&c, -0.3, 0.7);
  for (int k = 0; k < 9; k++) assert_near(c.axis[k / 3][k % 3], before.axis[k / 3][k % 3], EXACT);
}

static void test_state_view(void **state)
{
  (void)state;
  struct hb_camera c = start();
  double picture[2];
  hb_camera_look(&c, 0, 0, 0); /* along +y: x to the right, z up */
  assert_orthonormal(&c);
  project(&c, 1, 0, 0, picture);
  expect_above(picture[0], 0.5);
  expect_below(fabs(picture[1]), EXACT);
  project(&c, 0, 0, 1, picture);
  expect_below(fabs(picture[0]), EXACT);
  expect_above(picture[1], 0.5);
  hb_camera_look(&c, 0, PI / 2, 0); /* from above: x to the right, y up, as on paper */
  project(&c, 1, 0, 0, picture);
  expect_above(picture[0], 0.5);
  expect_below(fabs(picture[1]), EXACT);
  project(&c, 0, 1, 0, picture);
  expect_below(fabs(picture[0]), EXACT);
  expect_above(picture[1], 0.5);
  hb_camera_look(&c, PI / 2, 0, 0); /* a quarter about z: along -x */
  assert_near(c.axis[2][0], 1, EXACT);
  hb_camera_look(&c, 0, PI / 2, PI / 2); /* a head turned to its left sees the scene turned to the right */
  project(&c, 1, 0, 0, picture);
  expect_below(fabs(picture[0]), EXACT);
  expect_below(picture[1], -0.5);
  assert_orthonormal(&c);
}

static void test_zoom_and_pan(void **state)
{
  (void)state;
  struct hb_camera c = start();
  double picture[2];
  hb_camera_zoom(&c, 2);
  assert_near(c.distance, 2, EXACT);
  project(&c, 0, 0, 0, picture);
  expect_equal(picture[0], 0);
  expect_equal(picture[1], 0);
  hb_camera_pan(&c, 0.25, -0.5); /* in heights, of which the picture has two units */
  project(&c, 0, 0, 0, picture);
  assert_near(picture[0], 0.5, EXACT);
  assert_near(picture[1], -1, EXACT);
  for (int k = 0; k < 200; k++) hb_camera_zoom(&c, 1e3);
  expect_above(c.distance, 0);
  for (int k = 0; k < 200; k++) hb_camera_zoom(&c, 1e-3);
  assert_true(isfinite(c.distance));
}

/* The sphere touches the nearer edge of the picture and stays inside the other one. */
static void test_fit(void **state)
{
  (void)state;
  static const double aspects[] = {0.5, 1, 16.0 / 9};
  for (size_t k = 0; k < COUNT_OF(aspects); k++) {
    struct hb_camera c = start();
    hb_camera_fit(&c, 3, aspects[k]);
    double most = 0, edge = fmin(aspects[k], 1);
    for (int step = 0; step < 10000; step++) { /* around a great circle through the eye */
      double angle = 2 * PI * step / 10000, picture[2];
      project(&c, 3 * sin(angle), 0, 3 * cos(angle), picture);
      most = fmax(most, picture[0]);
    }
    assert_near(most, edge, 1e-6);
  }
}

static void test_extent(void **state)
{
  (void)state;
  enum { N = 1001 };
  double x[3 * N], center[3], radius;
  for (int k = 0; k < N; k++) { /* evenly on a line of length 2 about 5 -3 1 */
    x[3 * k] = 5 + (k - 500) / 500.;
    x[3 * k + 1] = -3;
    x[3 * k + 2] = 1;
  }
  x[0] = 1e9; /* one has escaped: it moves the median by one place and the extent by as much */
  ASSERT_OK(hb_camera_extent(N, x, 0.9, center, &radius));
  assert_near(center[0], 5, 0.0021);
  assert_near(center[1], -3, EXACT);
  assert_near(radius, 0.9, 0.0041);
  ASSERT_OK(hb_camera_extent(N, x, 1, center, &radius));
  expect_above(radius, 9e8);
  ASSERT_OK(hb_camera_extent(1, (double[3]){0}, 0.9, center, &radius));
  expect_above(radius, 0);
  expect_equal(center[0], 0);
  ASSERT_OK(hb_camera_extent(2, (double[6]){1, 0, 0, 3, 0, 0}, 1, center, &radius));
  assert_near(center[0], 2, EXACT);
  assert_near(radius, 1, EXACT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_project),       cmocka_unit_test(test_drag),
      cmocka_unit_test(test_drag_for_ever), cmocka_unit_test(test_drag_and_back),
      cmocka_unit_test(test_state_view),    cmocka_unit_test(test_zoom_and_pan),
      cmocka_unit_test(test_fit),           cmocka_unit_test(test_extent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
