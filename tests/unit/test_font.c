/* The bitmap font: every character is there, none looks like another, and text stays inside its image. */
#include "support/support.h"
#include "support/canvas.h"

#include "render/paint.c"

static void art_fills_its_cells(void **state)
{
  (void)state;
  const char *row = hb_font_files[0].text;
  for (int y = 0; y < ATLAS_HEIGHT; y++, row += ATLAS_WIDTH + 1) {
    assert_int_equal(strspn(row, ".#"), ATLAS_WIDTH);
    assert_int_equal(row[ATLAS_WIDTH], '\n');
  }
  assert_int_equal(*row, 0);
}

static int differs(char a, char b)
{
  int count = 0;
  for (int y = 0; y < HB_FONT_HEIGHT; y++)
    for (int x = 0; x < HB_FONT_WIDTH; x++) count += hb_canvas_ink(a, x, y) != hb_canvas_ink(b, x, y);
  return count;
}

static void characters_differ(void **state)
{
  (void)state;
  for (char a = ' '; a < '~'; a++)
    for (char b = (char)(a + 1); b <= '~'; b++)
      if (differs(a, b) < 2) fail_msg("'%c' and '%c' differ in %d pixels", a, b, differs(a, b));
}

static void neighbours_do_not_touch(void **state)
{
  (void)state;
  for (char c = ' '; c <= '~'; c++)
    for (int y = 0; y < HB_FONT_HEIGHT; y++) assert_int_equal(hb_canvas_ink(c, HB_FONT_WIDTH - 1, y), 0);
}

static void others_look_like_a_question(void **state)
{
  (void)state;
  assert_int_equal(differs('\x01', '?'), 0);
  assert_int_equal(differs('\xe9', '?'), 0);
  assert_int_not_equal(differs('!', '?'), 0);
}

enum { WIDTH = 40, HEIGHT = 30 };
static const unsigned color = 0x010203;

static void writes_text_at_scale(void **state)
{
  (void)state;
  unsigned char rgb[3 * WIDTH * HEIGHT] = {0};
  struct hb_canvas image = {WIDTH, HEIGHT, rgb};
  hb_canvas_text(&image, 3, 1, 2, color, "xL");
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int column = (x - 3) / 2, row = (y - 1) / 2, in = x >= 3 && y >= 1 && column < 16 && row < 14;
      int ink = in && hb_canvas_ink("xL"[column / HB_FONT_WIDTH], column % HB_FONT_WIDTH, row);
      assert_int_equal(rgb[3 * (y * WIDTH + x)], ink ? 1 : 0);
      assert_int_equal(rgb[3 * (y * WIDTH + x) + 2], ink ? 3 : 0);
    }
}

static void cuts_off_what_lies_outside(void **state)
{
  (void)state;
  unsigned char rgb[3 * (WIDTH * HEIGHT + 2)];
  memset(rgb, 9, sizeof rgb);
  struct hb_canvas image = {WIDTH, HEIGHT, rgb + 3};
  hb_canvas_text(&image, -5, -6, 3, color, "########\n########\n########");
  for (int k = 0; k < 3; k++) {
    assert_int_equal(rgb[k], 9);
    assert_int_equal(rgb[sizeof rgb - 1 - (size_t)k], 9);
  }
}

static void atlas_shows_the_same(void **state)
{
  (void)state;
  static unsigned char atlas[ATLAS_WIDTH * ATLAS_HEIGHT];
  draw_atlas(atlas);
  for (int y = 0; y < HB_FONT_HEIGHT; y++)
    for (int x = 0; x < HB_FONT_WIDTH; x++) {
      int cell = hb_font_cell('g'), column = cell % COLUMNS, row = cell / COLUMNS;
      int at = (row * HB_FONT_HEIGHT + y) * ATLAS_WIDTH + column * HB_FONT_WIDTH + x;
      assert_int_equal(atlas[at], hb_canvas_ink('g', x, y) ? 255 : 0);
      assert_int_equal(atlas[(ATLAS_HEIGHT - 1 - y) * ATLAS_WIDTH + ATLAS_WIDTH - 1 - x], 255);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(art_fills_its_cells),     cmocka_unit_test(characters_differ),
      cmocka_unit_test(neighbours_do_not_touch), cmocka_unit_test(others_look_like_a_question),
      cmocka_unit_test(writes_text_at_scale),    cmocka_unit_test(cuts_off_what_lies_outside),
      cmocka_unit_test(atlas_shows_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
