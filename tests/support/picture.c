#include "support/picture.h"

#include "support/support.h"
#include "render/colormap.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4 };

static void block_lab(const uint8_t *rgb, size_t x, size_t y, double lab[3])
{
  float light[3] = {0};
  for (size_t k = 0; k < 3 * BLOCK * BLOCK; k++) {
    size_t row = y * BLOCK + k / (3 * BLOCK), column = x * BLOCK + k / 3 % BLOCK;
    light[k % 3] +=
        (float)hb_colormap_decode(rgb[3 * (row * PICTURE_WIDTH + column) + k % 3] / 255.) / (BLOCK * BLOCK);
  }
  hb_colormap_oklab(light, lab);
}

double picture_difference(const uint8_t *rgb, const uint8_t *other)
{
  size_t columns = PICTURE_WIDTH / BLOCK, rows = PICTURE_HEIGHT / BLOCK;
  double sum = 0;
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0; x < columns; x++) {
      double a[3], b[3];
      block_lab(rgb, x, y, a);
      block_lab(other, x, y, b);
      for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
    }
  return sqrt(sum / (double)(rows * columns));
}

void picture_golden(const char *name, const uint8_t *rgb, uint8_t *golden)
{
  char path[256];
  const char *write = getenv("HB_WRITE_GOLDEN");
  struct hb_png png;
  snprintf(path, sizeof path, "tests/data/%s.png", name);
  if (write && *write == '1') {
    const struct hb_png out = {
        .width = PICTURE_WIDTH, .height = PICTURE_HEIGHT, .channels = 3, .pixels = (uint8_t *)rgb};
    ASSERT_OK(hb_png_write(path, &out));
  }
  picture_read(path, &png);
  assert_true(png.width == PICTURE_WIDTH && png.height == PICTURE_HEIGHT && png.channels == 3);
  memcpy(golden, png.pixels, 3 * PICTURE_WIDTH * PICTURE_HEIGHT);
  picture_free(&png);
}

void picture_read(const char *path, struct hb_png *picture)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
  assert_int_equal(png_get_bit_depth(png, info), 8);
  *picture = (struct hb_png){.width = (int)png_get_image_width(png, info),
                             .height = (int)png_get_image_height(png, info),
                             .channels = png_get_channels(png, info)};
  size_t row = png_get_rowbytes(png, info);
  picture->pixels = malloc(row * (size_t)picture->height);
  for (int y = 0; y < picture->height; y++)
    memcpy(picture->pixels + row * (size_t)y, png_get_rows(png, info)[y], row);
  png_textp text;
  picture->text_count = (size_t)png_get_text(png, info, &text, NULL);
  picture->text = calloc(picture->text_count + 1, sizeof *picture->text);
  for (size_t k = 0; k < picture->text_count; k++)
    picture->text[k] = (struct hb_png_text){strdup(text[k].key), strdup(text[k].text ? text[k].text : "")};
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
}

void picture_free(struct hb_png *picture)
{
  for (size_t k = 0; k < picture->text_count; k++) {
    free((char *)picture->text[k].keyword);
    free((char *)picture->text[k].value);
  }
  free(picture->text);
  free(picture->pixels);
}
