/* A page of pixels on the host: boxes and text. Positions are in pixels from the upper
 * left corner, colors 0xRRGGBB; whatever falls outside is clipped. */
#ifndef HB_CANVAS_H
#define HB_CANVAS_H

#include "base/status.h"

struct hb_canvas {
  int width, height;
  unsigned char *rgb; /* [3 * width * height], top row first */
};

enum hb_status hb_canvas_create(int width, int height, unsigned color, struct hb_canvas *canvas);
void hb_canvas_destroy(struct hb_canvas *canvas);

void hb_canvas_box(struct hb_canvas *canvas, int x, int y, int width, int height, unsigned color);

/* 1 where the font's character has ink at column x from the left and row y from the top of its cell. */
int hb_canvas_ink(char c, int x, int y);

/* Each pixel of the font is scale x scale pixels; '\n' starts a new line. */
void hb_canvas_text(struct hb_canvas *canvas, int x, int y, int scale, unsigned color, const char *format,
                    ...) __attribute__((format(printf, 6, 7)));

/* As PNG, with a text "Comment" (nullable). Errors: HB_ERR_IO. */
enum hb_status hb_canvas_write(const struct hb_canvas *canvas, const char *path, const char *comment);

#endif
