/* Boxes, lines and text over a picture, collected and then drawn at once. Positions are in pixels of the framebuffer
 * from its upper left corner, colors 0xRRGGBBAA as the screen shows them. */
#ifndef HB_PAINT_H
#define HB_PAINT_H

#include "gl/gl_pass.h"

enum { HB_FONT_WIDTH = 8, HB_FONT_HEIGHT = 14 }; /* of a character, in pixels of the font */

struct hb_paint {
  int width, height;
  int scale; /* a pixel of the font is so many; may be changed for what follows */
  /* own */
  struct hb_gl_context *context;
  struct hb_gl_pass pass;
  struct hb_gl_texture atlas;
  struct hb_gl_buffer buffer;
  struct hb_paint_quad *quads;
  size_t count, capacity;
  enum hb_status status; /* of collecting */
};

/* Errors: HB_ERR_GL, HB_ERR_INTERNAL. */
enum hb_status hb_paint_open(struct hb_gl_context *context, struct hb_paint **paint);
void hb_paint_close(struct hb_paint *paint);

/* Starts a page for a framebuffer of this size. A lack of memory while collecting is reported by hb_paint_end. */
void hb_paint_begin(struct hb_paint *paint, int width, int height, int scale);

void hb_paint_box(struct hb_paint *paint, double x, double y, double width, double height, uint32_t color);
void hb_paint_line(struct hb_paint *paint, double x0, double y0, double x1, double y1, double thickness,
                   uint32_t color);
void hb_paint_text(struct hb_paint *paint, double x, double y, uint32_t color, const char *text);

/* The number of lines of a text wrapped to this many columns, between words unless a word is longer than the line, and columns of
 * the widest (nullable); and the text itself, from its upper left letter on. */
int hb_paint_lines(const char *text, int columns, int *widest);
void hb_paint_wrapped(struct hb_paint *paint, double x, double y, uint32_t color, const char *text,
                      int columns);

/* A background for text of the given columns and lines, its upper left letter at x y. */
void hb_paint_panel(struct hb_paint *paint, double x, double y, int columns, int lines);

/* The width of a column and the height of a line of text in pixels. */
static inline double hb_paint_column(const struct hb_paint *p) { return HB_FONT_WIDTH * p->scale; }
static inline double hb_paint_line_height(const struct hb_paint *p)
{
  return (HB_FONT_HEIGHT + 2) * p->scale;
}

/* Draws the page over the contents of the target. Errors: HB_ERR_DEVICE, HB_ERR_INTERNAL. */
enum hb_status hb_paint_end(struct hb_paint *paint, const struct hb_gl_target *target);

/* ---- the font ---- */

/* A bitmap font of printable ASCII, drawn as text in font.txt, in bands of twelve characters from the space to the tilde: '#' is
 * ink. The baseline is row 9; capitals are nine rows high, small letters six. Column 7 stays empty, so that neighbors do not touch.
 */
struct hb_font_file {
  const char *name, *text;
};
extern const struct hb_font_file hb_font_files[]; /* one */

/* Its number in these bands; any other character looks like '?'. */
static inline int hb_font_cell(char c) { return c >= ' ' && c <= '~' ? c - ' ' : '?' - ' '; }

#endif
