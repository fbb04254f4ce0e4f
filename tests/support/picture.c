#include "support/picture.h"

#include "support/support.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4 };

double picture_decode(double coded)
{
  return coded <= 0.04045 ? coded / 12.92 : pow((coded + 0.055) / 1.055, 2.4);
}

/* To the responses of the three kinds of cones, and from their cube roots. Matrices of B. Ottosson, "A perceptual color space for
 * image processing" (2020). */
static const double TO_CONES[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                      {0.2119034982, 0.6806995451, 0.1073969566},
                                      {0.0883024619, 0.2817188376, 0.6299787005}};
static const double TO_LAB[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                    {1.9779984951, -2.4285922050, 0.4505937099},
                                    {0.0259040371, 0.7827717662, -0.8086757660}};
static void multiply(const double m[3][3], const double in[3], double out[3])
{
  for (int k = 0; k < 3; k++) out[k] = m[k][0] * in[0] + m[k][1] * in[1] + m[k][2] * in[2];
}

void picture_oklab(const float rgb[3], double lab[3])
{
  double linear[3] = {rgb[0], rgb[1], rgb[2]}, cones[3];
  multiply(TO_CONES, linear, cones);
  for (int k = 0; k < 3; k++) cones[k] = cbrt(cones[k]);
  multiply(TO_LAB, cones, lab);
}

static void block_lab(const uint8_t *rgb, size_t x, size_t y, double lab[3])
{
  float light[3] = {0};
  for (size_t k = 0; k < 3 * BLOCK * BLOCK; k++) {
    size_t row = y * BLOCK + k / (3 * BLOCK), column = x * BLOCK + k / 3 % BLOCK;
    light[k % 3] +=
        (float)picture_decode(rgb[3 * (row * PICTURE_WIDTH + column) + k % 3] / 255.) / (BLOCK * BLOCK);
  }
  picture_oklab(light, lab);
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
  expect_equal(png.width, PICTURE_WIDTH);
  expect_equal(png.height, PICTURE_HEIGHT);
  expect_equal(png.channels, 3);
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
