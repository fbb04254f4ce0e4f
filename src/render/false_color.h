/* One scale of colours for all numbers: zero is dark, what is above glows warm, what is below cold. Brightness goes with the
 * root of the number, so that a single term shows beside a sum of many. */
#ifndef HB_FALSE_COLOR_H
#define HB_FALSE_COLOR_H

#include <stdint.h>

/* rgb of value where the largest number of the picture is `most` (0: everything is zero). NaN is green. */
void hb_false_color(double value, double most, uint8_t rgb[3]);

/* The same for shaders: colours at -1, -3/4 ... 1 of the root's sign and size, to be joined by straight lines. */
enum { HB_FALSE_COLOR_ANCHORS = 9 };
extern const uint8_t hb_false_color_anchors[HB_FALSE_COLOR_ANCHORS][3];

#endif
