/* A bitmap font of printable ASCII: a cell of 8 x 14 pixels a character, drawn as text in font_art.c. */
#ifndef HB_FONT_H
#define HB_FONT_H

#include <stddef.h>

enum { HB_FONT_WIDTH = 8, HB_FONT_HEIGHT = 14 };

/* 1 where the character has ink at column x from the left and row y from the top of its cell. What is not printable
 * ASCII looks like '?'. */
int hb_font_ink(char c, int x, int y);

/* Pixels of the widest of the lines of text, and lines: '\n' begins another one. */
int hb_font_columns(const char *text);
int hb_font_lines(const char *text);

/* Writes text into an image rgb[3 * width * height], rows from the top, with its upper left corner at pixel (x, y), each
 * pixel of the font as scale x scale; what lies outside is cut off. */
struct hb_font_image {
  unsigned char *rgb;
  int width, height;
};
void hb_font_write(const struct hb_font_image *image, int x, int y, int scale, const unsigned char color[3],
                   const char *text);

/* All characters as one image of coverage (0 or 255) for a texture, rows from the top: the character c in the cell of
 * column (c - 32) % COLUMNS, row (c - 32) / COLUMNS. The last cell is full: a rectangle is drawn with it. */
enum {
  HB_FONT_ATLAS_COLUMNS = 12,
  HB_FONT_ATLAS_ROWS = 8,
  HB_FONT_ATLAS_WIDTH = HB_FONT_ATLAS_COLUMNS * HB_FONT_WIDTH,
  HB_FONT_ATLAS_HEIGHT = HB_FONT_ATLAS_ROWS * HB_FONT_HEIGHT,
  HB_FONT_FULL = HB_FONT_ATLAS_COLUMNS * HB_FONT_ATLAS_ROWS - 1 /* cell number */
};
void hb_font_atlas(unsigned char *coverage);

/* Cell number of a character. */
int hb_font_cell(char c);

/* ---- font_art.c ---- */

/* The cells as they lie in the atlas, a line of text a row of pixels: '#' is ink. */
extern const char *const hb_font_art[HB_FONT_ATLAS_ROWS][HB_FONT_HEIGHT];

#endif
