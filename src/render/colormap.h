/* Colors for numbers from 0 to 1. The sequential maps are lines in Oklab (B. Ottosson 2020), a space in which equal
 * steps look equal: lightness rises evenly from end to end while the hue changes, so the maps also work in grayscale. */
#ifndef HB_COLORMAP_H
#define HB_COLORMAP_H

#include <holmberg/picture.h>

/* Linear light, 0 to 1 each; t is clamped to 0 .. 1. */
void hb_colormap_rgb(enum hb_colormap map, double t, float rgb[3]);

/* The color of group k: equal lightness, hues far apart. */
void hb_colormap_group(size_t k, float rgb[3]);

/* sRGB encoding of linear light. */
double hb_colormap_encode(double linear);

/* False colors for numbers of either sign, 0xRRGGBB: zero is dark, positive numbers are warm, negative ones cold.
 * Brightness grows with the root of |value| / most, so that a single term shows beside a sum of many; most is the
 * largest absolute value in the picture (0: everything is zero). NaN is green. */
unsigned hb_false_color(double value, double most);

/* The same for shaders: colors at -1, -3/4 ... 1 of the signed root, to be interpolated linearly. */
enum { HB_FALSE_COLOR_ANCHORS = 9 };
extern const unsigned char hb_false_color_anchors[HB_FALSE_COLOR_ANCHORS][3];

#endif
