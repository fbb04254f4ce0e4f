#include "support/picture.h"

#include "io/png.h"
#include "support/support.h"
#include "render/colormap.h"

#include <math.h>
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
  ASSERT_OK(hb_png_read(path, &png));
  assert_true(png.width == PICTURE_WIDTH && png.height == PICTURE_HEIGHT && png.channels == 3);
  memcpy(golden, png.pixels, 3 * PICTURE_WIDTH * PICTURE_HEIGHT);
  hb_png_free(&png);
}
