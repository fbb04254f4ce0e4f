/* What is painted over a picture: letters and boxes pixel by pixel, as the font draws them into an image on the host. */
#include "gl/gl.h"
#include "support/support.h"
#include "support/canvas.h"
#include "render/paint.h"

#include <string.h>

enum { WIDTH = 200, HEIGHT = 90 };

static struct hb_gl_context *context;
static struct hb_paint *paint;
static struct hb_gl_texture texture;

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {.debug = 1};
  ASSERT_OK(hb_gl_context_open(&params, &context));
  ASSERT_OK(hb_paint_open(context, &paint));
  const struct hb_gl_texture_params page = {
      .format = HB_GL_RGBA8, .width = WIDTH, .height = HEIGHT, .drawn = 1};
  ASSERT_OK(hb_gl_texture_create(context, &page, &texture));
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hb_gl_texture_destroy(&texture);
  hb_paint_close(paint);
  hb_gl_context_close(context);
  return 0;
}

static void begin(int scale)
{
  hb_gl_target_clear(&texture.target);
  hb_paint_begin(paint, WIDTH, HEIGHT, scale);
}

/* Top row first. */
static void end(unsigned char rgb[3 * WIDTH * HEIGHT])
{
  static unsigned char rows[HEIGHT][WIDTH][4];
  ASSERT_OK(hb_paint_end(paint, &texture.target));
  hb_gl_target_read(&texture.target, 0, 0, 0, WIDTH, HEIGHT, HB_GL_BYTES, rows);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) memcpy(rgb + 3 * (y * WIDTH + x), rows[HEIGHT - 1 - y][x], 3);
  ASSERT_OK(hb_gl_context_check(context, "reading what was painted"));
}

static void letters_are_those_of_the_font(void **state)
{
  (void)state;
  static unsigned char painted[3 * WIDTH * HEIGHT], written[3 * WIDTH * HEIGHT];
  struct hb_canvas image = {WIDTH, HEIGHT, written};
  for (int scale = 1; scale <= 3; scale++) {
    memset(written, 0, sizeof written);
    hb_canvas_text(&image, 5, 7, scale, 0x10a0ff, "%s", "Gyq@#%");
    begin(scale);
    hb_paint_text(paint, 5, 7, 0x10a0ffff, "Gyq@#%");
    end(painted);
    assert_memory_equal(painted, written, sizeof painted);
  }
}

/* And lines of text do not touch. */
static void a_line_break_begins_at_the_left(void **state)
{
  (void)state;
  static unsigned char painted[3 * WIDTH * HEIGHT], written[3 * WIDTH * HEIGHT];
  struct hb_canvas image = {WIDTH, HEIGHT, written};
  memset(written, 0, sizeof written);
  begin(2);
  expect_above(hb_paint_line_height(paint), 2 * HB_FONT_HEIGHT);
  hb_canvas_text(&image, 5, 7, 2, 0xffffff, "ab");
  hb_canvas_text(&image, 5, 7 + (int)hb_paint_line_height(paint), 2, 0xffffff, "c");
  hb_paint_text(paint, 5, 7, 0xffffffff, "ab\nc");
  end(painted);
  assert_memory_equal(painted, written, sizeof painted);
}

static void boxes_have_their_pixels_and_mix(void **state)
{
  (void)state;
  static unsigned char painted[3 * WIDTH * HEIGHT];
  begin(1);
  hb_paint_box(paint, 10, 20, 30, 5, 0xffffffff);
  hb_paint_box(paint, 10, 22, 15, 10, 0x00000080);
  end(painted);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int in = x >= 10 && x < 40 && y >= 20 && y < 25, shaded = x < 25 && y >= 22;
      int seen = painted[3 * (y * WIDTH + x)];
      if (!in || !shaded) assert_int_equal(seen, in ? 255 : 0);
      if (in && shaded) assert_in_range(seen, 126, 128);
    }
}

/* Passes of a simulation expect no blending, and the context's own vertex array. */
static void state_is_put_back(void **state)
{
  (void)state;
  static unsigned char painted[3 * WIDTH * HEIGHT];
  GLint blend = 1, array = 0;
  begin(1);
  hb_paint_text(paint, 0, 0, 0xffffffff, "x");
  end(painted);
  glGetIntegerv(GL_BLEND, &blend);
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &array);
  assert_int_equal(blend, 0);
  assert_int_equal(array, context->vertex_array);
}

static void a_page_may_be_long(void **state)
{
  (void)state;
  static unsigned char painted[3 * WIDTH * HEIGHT];
  begin(1);
  for (int k = 0; k < 20000; k++) hb_paint_box(paint, k % WIDTH, k / WIDTH % HEIGHT, 1, 1, 0x00ff00ff);
  end(painted);
  for (int k = 0; k < WIDTH * HEIGHT; k++) assert_int_equal(painted[3 * k + 1], 255);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_are_those_of_the_font),
      cmocka_unit_test(a_line_break_begins_at_the_left),
      cmocka_unit_test(boxes_have_their_pixels_and_mix),
      cmocka_unit_test(state_is_put_back),
      cmocka_unit_test(a_page_may_be_long),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
