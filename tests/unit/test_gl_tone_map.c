/* How light is tone mapped, pass by pass, against the same in C: a level of scattered light spread over the next larger. */
#include "support/support.h"

#include <math.h>
#include <string.h>

#include "render/scene.c"

enum { W = 7, H = 6, MOST = 4 * W * H }; /* of the smaller picture; texels of the larger */

static struct hb_gl_context *context;
static float small[H][W][4], large[MOST][4];

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {.debug = 1};
  ASSERT_OK(hb_gl_context_open(&params, &context));
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hb_gl_context_close(context);
  return 0;
}

static int clamped(int k, int count) { return k < 0 ? 0 : k < count ? k : count - 1; }

/* A component at a place in texels: between the middles of four texels along straight lines, outside as at the edge. */
static double fetch(double x, double y, int c)
{
  int column = (int)floor(x - 0.5), row = (int)floor(y - 0.5);
  double f[2] = {x - 0.5 - column, y - 0.5 - row}, sum = 0;
  for (int k = 0; k < 4; k++) {
    double weight = (k % 2 ? f[0] : 1 - f[0]) * (k / 2 ? f[1] : 1 - f[1]);
    sum += weight * (double)small[clamped(row + k / 2, H)][clamped(column + k % 2, W)][c];
  }
  return sum;
}

/* The mean of nine such places a texel apart, weighted 1 2 1 in each direction. */
static double spread_at(double x, double y, int c)
{
  static const double weights[3] = {0.25, 0.5, 0.25};
  double sum = 0;
  for (int k = 0; k < 9; k++) sum += weights[k % 3] * weights[k / 3] * fetch(x + k % 3 - 1, y + k / 3 - 1, c);
  return sum;
}

/* small through the shader into large[height][width], times `share`. */
static void spread(struct hb_gl_pass *pass, int width, int height, double share)
{
  struct hb_gl_texture from, to;
  ASSERT_OK(tone_map_texture(context, HB_GL_RGBA32F, W, H, &from));
  ASSERT_OK(tone_map_texture(context, HB_GL_RGBA32F, width, height, &to));
  hb_gl_texture_write(&from, 0, W, H, small);
  hb_gl_pass_texture(pass, "source", &from);
  hb_gl_pass_float4(pass, "target_size", width, height, share, 0);
  hb_gl_pass_draw(pass, &to.target, 0, 0, width, height);
  hb_gl_target_read(&to.target, 0, 0, 0, width, height, HB_GL_FLOATS, large);
  ASSERT_OK(hb_gl_context_check(context, "spreading light"));
  hb_gl_texture_destroy(&from);
  hb_gl_texture_destroy(&to);
}

/* One bright texel inside, at the edges and in the corners; the larger picture is twice as large, or a texel less where its
 * size is odd. A GPU may place a fetch to 1 / 256 of a texel only. */
static void test_spread(void **state)
{
  (void)state;
  static const int bright[][2] = {{3, 2}, {0, 3}, {W - 1, 1}, {2, 0}, {4, H - 1}, {0, 0}, {W - 1, H - 1}};
  static const double SHARE = 1.5;
  double tolerance = context->caps.software ? 1e-5 : 4e-3, most = 0;
  const struct hb_gl_program_source source = {.fragment = "view/spread.frag"};
  struct hb_gl_pass pass;
  ASSERT_OK(hb_gl_pass_create(context, &source, &pass));
  for (size_t k = 0; k < COUNT_OF(bright); k++)
    for (int odd = 0; odd < 2; odd++) {
      int width = 2 * W - odd, height = 2 * H - odd;
      memset(small, 0, sizeof small);
      for (int c = 0; c < 4; c++) small[bright[k][1]][bright[k][0]][c] = 1 - 0.25f * (float)c;
      spread(&pass, width, height, SHARE);
      for (int at = 0; at < width * height; at++)
        for (int c = 0; c < 4; c++) {
          int column = at % width, row = at / width;
          double expected = SHARE * spread_at((column + 0.5) * W / width, (row + 0.5) * H / height, c);
          most = fmax(most, expected);
          if (!(fabs((double)large[at][c] - expected) <= tolerance))
            fail_msg("texel %d %d of %d x %d is %g, expected %g", column, row, width, height,
                     (double)large[at][c], expected);
        }
    }
  expect_above(most, 0.5); /* there was light */
  hb_gl_pass_destroy(&pass);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_spread)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
