#include "support/canvas.h"

#include "base/mem.h"
#include "io/png.h"
#include "render/paint.c"

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

int hb_canvas_ink(char c, int x, int y) { return font_ink(hb_font_cell(c), x, y); }

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
