#include "support/canvas.h"

#include "base/mem.h"
#include "io/png.h"
#include "render/colormap.h"
#include "render/paint.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum hb_status hb_canvas_create(int width, int height, unsigned color, struct hb_canvas *canvas)
{
  *canvas = (struct hb_canvas){.width = width, .height = height};
  HB_TRY(HB_ALLOC(3 * (size_t)width * (size_t)height, &canvas->rgb));
  hb_canvas_box(canvas, 0, 0, width, height, color);
  return HB_OK;
}

void hb_canvas_destroy(struct hb_canvas *canvas)
{
  hb_mem_free(canvas->rgb);
  *canvas = (struct hb_canvas){0};
}

void hb_canvas_box(struct hb_canvas *canvas, int x, int y, int width, int height, unsigned color)
{
  for (int row = y < 0 ? 0 : y; row < y + height && row < canvas->height; row++)
    for (int column = x < 0 ? 0 : x; column < x + width && column < canvas->width; column++)
      for (int c = 0; c < 3; c++)
        canvas->rgb[3 * (row * canvas->width + column) + c] = (unsigned char)(color >> (16 - 8 * c));
}

void hb_canvas_frame(struct hb_canvas *canvas, int x, int y, int width, int height, int t, unsigned color)
{
  hb_canvas_box(canvas, x - t, y - t, width + 2 * t, t, color);
  hb_canvas_box(canvas, x - t, y + height, width + 2 * t, t, color);
  hb_canvas_box(canvas, x - t, y, t, height, color);
  hb_canvas_box(canvas, x + width, y, t, height, color);
}

void hb_canvas_arrow(struct hb_canvas *canvas, int x0, int y0, int x1, int y1, unsigned color)
{
  enum { HEAD = 5 };
  int right = x1 > x0;
  if (right)
    hb_canvas_box(canvas, x0, y0 - 1, x1 - x0 - HEAD, 2, color);
  else
    hb_canvas_box(canvas, x0 - 1, y0, 2, y1 - y0 - HEAD, color);
  for (int k = 0; k < HEAD; k++) {
    if (right)
      hb_canvas_box(canvas, x1 - HEAD + k, y1 - HEAD + k, 1, 2 * (HEAD - k), color);
    else
      hb_canvas_box(canvas, x1 - HEAD + k, y1 - HEAD + k, 2 * (HEAD - k), 1, color);
  }
}

int hb_canvas_ink(char c, int x, int y)
{
  int cell = hb_font_cell(c);
  return hb_font_art[cell / HB_FONT_ATLAS_COLUMNS][y][cell % HB_FONT_ATLAS_COLUMNS * HB_FONT_WIDTH + x] ==
         '#';
}

static void write_char(struct hb_canvas *canvas, int x, int y, int scale, unsigned color, char c)
{
  for (int row = 0; row < HB_FONT_HEIGHT; row++)
    for (int column = 0; column < HB_FONT_WIDTH; column++)
      if (hb_canvas_ink(c, column, row))
        hb_canvas_box(canvas, x + column * scale, y + row * scale, scale, scale, color);
}

static void write_text(struct hb_canvas *canvas, int x, int y, int scale, unsigned color, const char *text)
{
  for (int at = x; *text; text++) {
    if (*text == '\n') {
      at = x;
      y += HB_FONT_HEIGHT * scale;
    } else {
      write_char(canvas, at, y, scale, color, *text);
      at += HB_FONT_WIDTH * scale;
    }
  }
}

void hb_canvas_text(struct hb_canvas *canvas, int x, int y, int scale, unsigned color, const char *format,
                    ...)
{
  char text[512];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  write_text(canvas, x, y, scale, color, text);
}

void hb_canvas_text_at(struct hb_canvas *canvas, int x, int y, unsigned color, const char *format, ...)
{
  char text[128];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  write_text(canvas, x - (int)strlen(text) * HB_FONT_WIDTH / 2, y, 1, color, text);
}

void hb_canvas_scale(struct hb_canvas *canvas, int x, int y, int width, double most, int signs)
{
  enum { THICKNESS = 10, LABEL_WIDTH = 50 };
  static const unsigned ink = 0xb8b8c4;
  double left = signs > 0 ? 0 : -1, right = signs < 0 ? 0 : 1;
  for (int k = 0; k < width; k++) {
    double t = left + (right - left) * (k + 0.5) / width;
    hb_canvas_box(canvas, x + k, y, 1, THICKNESS, hb_false_color(t * fabs(t), 1));
  }
  hb_canvas_frame(canvas, x, y, width, THICKNESS, 1, 0x40404c);
  for (int k = -2; k <= 2; k++) {
    double t = k / 2.0;
    int crowded = k % 2 && width < LABEL_WIDTH * 4 * (right - left) / 2;
    if (t < left || t > right || crowded) continue;
    int at = x + (int)((t - left) / (right - left) * (width - 1));
    hb_canvas_box(canvas, at, y + THICKNESS, 1, 4, ink);
    hb_canvas_text_at(canvas, at, y + THICKNESS + 5, ink, "%.3g", t * fabs(t) * most);
  }
}

enum hb_status hb_canvas_write(const struct hb_canvas *canvas, const char *path, const char *comment)
{
  struct hb_png_text text[] = {{"Software", "Holmberg"}, {"Comment", comment}};
  const struct hb_png png = {.width = canvas->width,
                             .height = canvas->height,
                             .channels = 3,
                             .pixels = canvas->rgb,
                             .text = text,
                             .text_count = comment ? 2 : 1};
  return hb_png_write(path, &png);
}
