/* A bitmap font of printable ASCII: each character a cell of 8 x 14 pixels, drawn as text in font.c. */
#ifndef HB_FONT_H
#define HB_FONT_H

enum { HB_FONT_WIDTH = 8, HB_FONT_HEIGHT = 14 };

/* 1 where the character has ink at column x from the left and row y from the top of its cell. Other characters
 * look like '?'. */
int hb_font_ink(char c, int x, int y);

/* All characters as one image of coverage (0 or 255) for a texture, rows from the top: the character c in the cell of
 * column (c - 32) % COLUMNS, row (c - 32) / COLUMNS. The last cell is full, for drawing rectangles. */
enum {
  HB_FONT_ATLAS_COLUMNS = 12,
  HB_FONT_ATLAS_ROWS = 8,
  HB_FONT_ATLAS_WIDTH = HB_FONT_ATLAS_COLUMNS * HB_FONT_WIDTH,
  HB_FONT_ATLAS_HEIGHT = HB_FONT_ATLAS_ROWS * HB_FONT_HEIGHT,
  HB_FONT_FULL = HB_FONT_ATLAS_COLUMNS * HB_FONT_ATLAS_ROWS - 1 /* cell number */
};
void hb_font_atlas(unsigned char *coverage);

/* The cell number of a character. */
int hb_font_cell(char c);

/* The cells as in the atlas, one string per row of pixels: '#' is ink. */
extern const char *const hb_font_art[HB_FONT_ATLAS_ROWS][HB_FONT_HEIGHT];

#endif
