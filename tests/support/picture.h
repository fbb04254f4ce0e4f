/* Pictures compared as eyes do, and kept as golden images in tests/data. */
#ifndef PICTURE_H
#define PICTURE_H

#include "io/png.h"

enum { PICTURE_WIDTH = 160, PICTURE_HEIGHT = 120 };

/* Linear light of an sRGB value; the Oklab coordinates of linear light, the first its lightness from 0 to 1: to compare colors. */
double picture_decode(double coded);
void picture_oklab(const float rgb[3], double lab[3]);

/* Root of the mean square of the distances in Oklab between blocks of 4 x 4 pixels, whose light is averaged first: grain
 * and single levels of brightness do not count, a star that is missing or elsewhere does. rgb[3 * PICTURE_WIDTH *
 * PICTURE_HEIGHT] each. */
double picture_difference(const uint8_t *rgb, const uint8_t *other);

/* The golden picture of that name. With HB_WRITE_GOLDEN=1 in the environment it is written from rgb first. */
void picture_golden(const char *name, const uint8_t *rgb, uint8_t *golden);

/* Reads a file of 8-bit gray, RGB or RGBA and its text; a damaged one ends the test. Freed with picture_free. */
void picture_read(const char *path, struct hb_png *png);
void picture_free(struct hb_png *png);

#endif
