/* Color maps: lightness rises evenly, groups can be told apart. */
#include "support/picture.h"
#include "support/support.h"
#include "render/colormap.h"

#include <math.h>

static double lightness(enum hb_colormap map, double t)
{
  float rgb[3];
  double lab[3];
  hb_colormap_rgb(map, t, rgb);
  for (int k = 0; k < 3; k++) {
    expect_at_least(rgb[k], 0);
    expect_at_most(rgb[k], 1);
  }
  picture_oklab(rgb, lab);
  return lab[0];
}

static void test_monotone(void **state)
{
  (void)state;
  enum { STEPS = 256 };
  for (int map = 0; map < HB_COLORMAP_COUNT; map++) {
    double first = lightness((enum hb_colormap)map, 0), last = lightness((enum hb_colormap)map, 1);
    expect_above(last - first, 0.3);
    for (int k = 1; k <= STEPS; k++) {
      double step = lightness((enum hb_colormap)map, (double)k / STEPS) -
                    lightness((enum hb_colormap)map, (k - 1.) / STEPS);
      /* even to a tenth: what a display cannot show loses color, not lightness */
      expect_below(fabs(step * STEPS / (last - first) - 1), 0.1);
    }
  }
}

static void test_bounds(void **state)
{
  (void)state;
  for (int map = 0; map < HB_COLORMAP_COUNT; map++) {
    float low[3], high[3], at[3];
    hb_colormap_rgb((enum hb_colormap)map, 0, low);
    hb_colormap_rgb((enum hb_colormap)map, 1, high);
    hb_colormap_rgb((enum hb_colormap)map, -7, at);
    assert_memory_equal(at, low, sizeof at);
    hb_colormap_rgb((enum hb_colormap)map, 7, at);
    assert_memory_equal(at, high, sizeof at);
    hb_colormap_rgb((enum hb_colormap)map, NAN, at);
    assert_memory_equal(at, low, sizeof at);
  }
}

static double distance(const float a[3], const float b[3])
{
  double p[3], q[3];
  picture_oklab(a, p);
  picture_oklab(b, q);
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static void test_groups(void **state)
{
  (void)state;
  enum { GROUPS = 8 };
  float rgb[GROUPS][3];
  for (size_t k = 0; k < GROUPS; k++) hb_colormap_group(k, rgb[k]);
  for (int k = 0; k < GROUPS; k++)
    for (int l = 0; l < k; l++) expect_above(distance(rgb[k], rgb[l]), 0.04);
  expect_above(distance(rgb[0], rgb[1]), 0.2); /* two galaxies */
}

/* Known points of Oklab: white, and the red of displays (Ottosson's own values). */
static void test_oklab(void **state)
{
  (void)state;
  double lab[3];
  picture_oklab((float[3]){1, 1, 1}, lab);
  expect_below(fabs(lab[0] - 1), 1e-6);
  expect_below(fabs(lab[1]), 1e-6);
  expect_below(fabs(lab[2]), 1e-6);
  picture_oklab((float[3]){1, 0, 0}, lab);
  expect_below(fabs(lab[0] - 0.62796), 1e-4);
  expect_below(fabs(lab[1] - 0.22486), 1e-4);
  expect_below(fabs(lab[2] - 0.12585), 1e-4);
}

static void test_coding(void **state)
{
  (void)state;
  for (int k = 0; k <= 255; k++)
    expect_below(fabs(hb_colormap_encode(picture_decode(k / 255.)) - k / 255.), 1e-6);
  expect_below(fabs(picture_decode(0.5) - 0.21404), 1e-5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_monotone), cmocka_unit_test(test_bounds), cmocka_unit_test(test_groups),
      cmocka_unit_test(test_oklab),    cmocka_unit_test(test_coding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
