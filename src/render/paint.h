/* Flat things over a picture: boxes, lines and text, collected and then drawn at once. Places are in pixels of the
 * framebuffer from its upper left corner, colors 0xRRGGBBAA as the screen shows them. */
#ifndef HB_PAINT_H
#define HB_PAINT_H

#include "gl/gl_texture.h"

struct hb_paint;

/* Errors: HB_ERR_GL, HB_ERR_INTERNAL. */
enum hb_status hb_paint_open(struct hb_gl_context *context, struct hb_paint **paint);
void hb_paint_close(struct hb_paint *paint);

/* A new page for a framebuffer of this size; a pixel of the font is `scale` pixels. What cannot be collected for lack of
 * memory is told at the end. */
void hb_paint_begin(struct hb_paint *paint, int width, int height, int scale);

/* From here on. */
void hb_paint_set_scale(struct hb_paint *paint, int scale);

void hb_paint_box(struct hb_paint *paint, double x, double y, double width, double height, uint32_t color);
void hb_paint_line(struct hb_paint *paint, double x0, double y0, double x1, double y1, double thickness,
                   uint32_t color);
void hb_paint_text(struct hb_paint *paint, double x, double y, uint32_t color, const char *text);

/* A box that text of such columns and lines stands on, its upper left letter at x y. */
void hb_paint_panel(struct hb_paint *paint, double x, double y, int columns, int lines);

/* Pixels a column and a line of text take. */
double hb_paint_column(const struct hb_paint *paint);
double hb_paint_line_height(const struct hb_paint *paint);

int hb_paint_width(const struct hb_paint *paint);
int hb_paint_height(const struct hb_paint *paint);
int hb_paint_scale(const struct hb_paint *paint);

/* Draws the page over what is in the target. Errors: HB_ERR_DEVICE, HB_ERR_INTERNAL. */
enum hb_status hb_paint_end(struct hb_paint *paint, const struct hb_gl_target *target);

#endif
