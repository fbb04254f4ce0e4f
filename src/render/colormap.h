/* Colors for numbers from 0 to 1. The sequential maps are lines in Oklab (B. Ottosson 2020, a space in which equal steps look
 * equal): lightness rises evenly from end to end while the hue turns, so that they also read without color. */
#ifndef HB_COLORMAP_H
#define HB_COLORMAP_H

#include <stddef.h>

enum hb_colormap {
  HB_COLORMAP_STARS, /* blue, white, gold         */
  HB_COLORMAP_EMBER, /* blue, violet, red, gold   */
  HB_COLORMAP_ICE,   /* indigo, blue, pale green  */
  HB_COLORMAP_GRAY,
  HB_COLORMAP_COUNT
};
extern const char *const hb_colormap_names[HB_COLORMAP_COUNT];

/* Linear light, 0 to 1 each; t outside 0 .. 1 is taken for the nearer end. */
void hb_colormap_rgb(enum hb_colormap map, double t, float rgb[3]);

/* The k-th of colors for groups: equally light, hues far from each other. */
void hb_colormap_group(size_t k, float rgb[3]);

/* Oklab lightness of linear light, 0 to 1, and all three of its coordinates: to compare colors by. */
void hb_colormap_oklab(const float rgb[3], double lab[3]);

/* The display's coding of linear light (sRGB) and back. */
double hb_colormap_encode(double linear);
double hb_colormap_decode(double coded);

/* One scale of false colors for all numbers, 0xRRGGBB: zero is dark, what is above glows warm, what is below cold. Brightness
 * goes with the root of value / most, so that a single term shows beside a sum of many; most is the largest number of
 * the picture (0: everything is zero). NaN is green. */
unsigned hb_false_color(double value, double most);

/* The same for shaders: colors at -1, -3/4 ... 1 of the root's sign and size, to be joined by straight lines. */
enum { HB_FALSE_COLOR_ANCHORS = 9 };
extern const unsigned char hb_false_color_anchors[HB_FALSE_COLOR_ANCHORS][3];

#endif
