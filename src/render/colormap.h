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

#endif
