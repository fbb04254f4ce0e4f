#include "render/false_color.h"

#include <math.h>

const uint8_t hb_false_color_anchors[HB_FALSE_COLOR_ANCHORS][3] = {
    {216, 247, 250}, {80, 180, 220}, {34, 108, 184}, {24, 50, 106},  {18, 18, 26},
    {92, 24, 62},    {184, 52, 58},  {242, 134, 46}, {255, 240, 176}};

void hb_false_color(double value, double most, uint8_t rgb[3])
{
  static const uint8_t not_a_number[3] = {0, 160, 80};
  if (isnan(value)) {
    for (int c = 0; c < 3; c++) rgb[c] = not_a_number[c];
    return;
  }
  double t = most > 0 ? copysign(sqrt(fmin(fabs(value) / most, 1)), value) : 0;
  double at = (t + 1) / 2 * (HB_FALSE_COLOR_ANCHORS - 1);
  int k = (int)fmin(at, HB_FALSE_COLOR_ANCHORS - 2);
  for (int c = 0; c < 3; c++) {
    double low = hb_false_color_anchors[k][c], high = hb_false_color_anchors[k + 1][c];
    rgb[c] = (uint8_t)lround(low + (high - low) * (at - k));
  }
}
