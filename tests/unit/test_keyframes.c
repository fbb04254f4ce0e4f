/* The way of a camera through the rows of a file. */
#include "support/support.h"
#include "movie/render.c"

#include <math.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static struct keyframes read_way(const char *text)
{
  struct keyframes k;
  const char *path = support_path("way.txt");
  support_write(path, text, strlen(text));
  ASSERT_OK(keyframes_read(path, &k));
  return k;
}

static void fails(const char *text, const char *sentence)
{
  struct keyframes k;
  const char *path = support_path("way.txt");
  support_write(path, text, strlen(text));
  ASSERT_FAILS(keyframes_read(path, &k), HB_ERR_INPUT, sentence);
  assert_int_equal(k.count, 0);
}

static struct hb_camera at(const struct keyframes *k, double share)
{
  struct hb_camera c;
  hb_camera_reset(&c);
  keyframes_camera(k, share, &c);
  return c;
}

static const char *const WAY = "# when  x y z  azimuth elevation  distance\n"
                               "10  0 0 0     0  90   8\n\n"
                               "20, 1,2,3,  180, 45,  2  # commas do, too\r\n"
                               "40  1 0 3   540  45   2";

static void test_rows(void **state)
{
  (void)state;
  struct keyframes k = read_way(WAY);
  assert_int_equal(k.count, 3);
  struct hb_camera c = at(&k, 1 / 3.); /* the second row */
  expect_below(fabs(c.center[0] - 1), 1e-9);
  expect_below(fabs(c.center[1] - 2), 1e-9);
  expect_below(fabs(c.distance - 2), 1e-9);
  expect_below(fabs(c.axis[2][2] - sin(45 * DEGREE)), 1e-9);
  c = at(&k, 0);
  expect_above(c.distance, 7.999999);
  expect_above(c.axis[2][2], 0.999999);
  expect_equal(c.field_of_view, 0.5);
  c = at(&k, -3);
  expect_above(c.distance, 7.999999);
  c = at(&k, 7);
  expect_below(fabs(c.center[1]), 1e-12);
  expect_below(fabs(c.distance - 2), 1e-12);
  keyframes_clear(&k);
}

/* Neighbors are near, also across a row; nothing overshoots; both ends are at rest. */
static void test_smooth(void **state)
{
  (void)state;
  enum { STEPS = 3000 };
  struct keyframes k = read_way(WAY);
  double speed = 0, before = 0;
  for (int s = 0; s <= STEPS; s++) {
    struct hb_camera c = at(&k, (double)s / STEPS);
    expect_at_most(c.distance, 8 + 1e-12);
    expect_at_least(c.distance, 2 - 1e-12);
    expect_at_least(c.center[1], -1e-12);
    expect_at_most(c.center[1], 2 + 1e-12);
    expect_at_most(c.center[0], 1 + 1e-12);
    if (s > 1) expect_below(fabs(c.center[1] - before - speed), 2e-5); /* a jump of the slope would be 1e-3 */
    if (s > 0) speed = c.center[1] - before;
    if (s == 1 || s == STEPS) expect_below(fabs(speed), 2e-5);
    before = c.center[1];
  }
  keyframes_clear(&k);
  k = read_way("0 0 0 0 0 0 1\n1 0 0 0 0 0 100");
  expect_below(fabs(at(&k, 0.5).distance - 10), 1e-9); /* half way between 1 and 100 */
  keyframes_clear(&k);
  k = read_way("5 1 2 3 0 0 4");
  expect_equal(at(&k, 0.7).center[2], 3);
  keyframes_clear(&k);
}

static void test_bad_files(void **state)
{
  (void)state;
  fails("# nothing\n\n", "no row");
  fails("0 0 0 0 0 0 1\n1 0 0 0 0 1\n", "way.txt:2: 6 columns, expected 7");
  fails("0 0 0 0 0 0 1 2\n", "way.txt:1: more than 7 columns");
  fails("0 0 0 zero 0 0 1\n", "way.txt:1: 'zero' is not a number");
  fails("0 0 0 0 0 0 0\n", "way.txt:1: the distance is 0, expected > 0");
  fails("0 0 0 0 0 0 1\n0 0 0 0 0 0 1\n", "way.txt:2: the row is at 0, expected later");
  struct keyframes k;
  ASSERT_FAILS(keyframes_read(support_path("none.txt"), &k), HB_ERR_IO, "none.txt");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_bad_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
