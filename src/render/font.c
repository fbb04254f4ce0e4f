#include "render/font.h"

#include <string.h>

int hb_font_cell(char c) { return c >= ' ' && c <= '~' ? c - ' ' : '?' - ' '; }

int hb_font_ink(char c, int x, int y)
{
  int cell = hb_font_cell(c);
  return hb_font_art[cell / HB_FONT_ATLAS_COLUMNS][y][cell % HB_FONT_ATLAS_COLUMNS * HB_FONT_WIDTH + x] ==
         '#';
}

int hb_font_columns(const char *text)
{
  size_t widest = 0;
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (length > widest) widest = length;
    text += length + (text[length] == '\n');
  }
  return (int)widest * HB_FONT_WIDTH;
}

int hb_font_lines(const char *text)
{
  int lines = 1;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

/* A pixel of the font: scale x scale pixels of the image, as far as they lie in it. */
static void write_pixel(const struct hb_font_image *image, int x, int y, int scale,
                        const unsigned char color[3])
{
  for (int dy = 0; dy < scale; dy++)
    for (int dx = 0; dx < scale; dx++) {
      int column = x + dx, row = y + dy;
      if (column < 0 || row < 0 || column >= image->width || row >= image->height) continue;
      memcpy(image->rgb + 3 * ((size_t)row * (size_t)image->width + (size_t)column), color, 3);
    }
}

static void write_char(const struct hb_font_image *image, int x, int y, int scale,
                       const unsigned char color[3], char c)
{
  for (int row = 0; row < HB_FONT_HEIGHT; row++)
    for (int column = 0; column < HB_FONT_WIDTH; column++)
      if (hb_font_ink(c, column, row)) write_pixel(image, x + column * scale, y + row * scale, scale, color);
}

void hb_font_write(const struct hb_font_image *image, int x, int y, int scale, const unsigned char color[3],
                   const char *text)
{
  int left = x;
  for (; *text; text++) {
    if (*text == '\n') {
      x = left;
      y += HB_FONT_HEIGHT * scale;
      continue;
    }
    write_char(image, x, y, scale, color, *text);
    x += HB_FONT_WIDTH * scale;
  }
}

void hb_font_atlas(unsigned char *coverage)
{
  for (int y = 0; y < HB_FONT_ATLAS_HEIGHT; y++)
    for (int x = 0; x < HB_FONT_ATLAS_WIDTH; x++) {
      int cell = y / HB_FONT_HEIGHT * HB_FONT_ATLAS_COLUMNS + x / HB_FONT_WIDTH;
      int ink = cell == HB_FONT_FULL || hb_font_art[y / HB_FONT_HEIGHT][y % HB_FONT_HEIGHT][x] == '#';
      coverage[y * HB_FONT_ATLAS_WIDTH + x] = ink ? 255 : 0;
    }
}
