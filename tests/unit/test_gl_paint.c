/* What is painted over a picture: letters and boxes pixel by pixel, as the font draws them into an image on the host. */
#include "gl/gl.h"
#include "support/support.h"
#include "render/canvas.h"
#include "render/font.h"
#include "render/paint.h"

#include <string.h>

enum { WIDTH = 200, HEIGHT = 90 };

static struct hb_gl_context *context;
static struct hb_paint *paint;
static unsigned framebuffer, texture;

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {.debug = 1};
  ASSERT_OK(hb_gl_context_open(&params, &context));
  ASSERT_OK(hb_paint_open(context, &paint));
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  assert_int_equal(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
  hb_paint_close(paint);
  hb_gl_context_close(context);
  return 0;
}

static void begin(int scale)
{
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  hb_paint_begin(paint, WIDTH, HEIGHT, scale);
}

/* Top row first. */
static void end(unsigned char rgb[3 * WIDTH * HEIGHT])
{
  static unsigned char rows[HEIGHT][4 * WIDTH];
  ASSERT_OK(hb_paint_end(paint, framebuffer));
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glReadBuffer(GL_COLOR_ATTACHMENT0);
  glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, rows);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) memcpy(rgb + 3 * (y * WIDTH + x), &rows[HEIGHT - 1 - y][4 * x], 3);
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
  assert_true(hb_paint_line_height(paint) > 2 * HB_FONT_HEIGHT);
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
