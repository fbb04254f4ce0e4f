#include "render/colormap.h"

#include "base/arith.h"

#include <math.h>

const char *const hb_colormap_names[] = {"stars", "ember", "ice", "gray", NULL};

/* ---- Oklab ------------------------------------------------------------------------------------------- */

/* From lightness and two opponent colors to the cube roots of the responses of the three kinds of cones, from these to linear
 * light. Matrices of B. Ottosson, "A perceptual color space for image processing" (2020). */
static const double FROM_LAB[3][3] = {
    {1, 0.3963377774, 0.2158037573}, {1, -0.1055613458, -0.0638541728}, {1, -0.0894841775, -1.2914855480}};
static const double FROM_CONES[3][3] = {{4.0767416621, -3.3077115913, 0.2309699292},
                                        {-1.2684380046, 2.6097574011, -0.3413193965},
                                        {-0.0041960863, -0.7034186147, 1.7076147010}};

static void multiply(const double m[3][3], const double in[3], double out[3])
{
  for (int k = 0; k < 3; k++) out[k] = m[k][0] * in[0] + m[k][1] * in[1] + m[k][2] * in[2];
}

static int to_rgb(const double lab[3], double rgb[3])
{
  double cones[3];
  multiply(FROM_LAB, lab, cones);
  for (int k = 0; k < 3; k++) cones[k] = cones[k] * cones[k] * cones[k];
  multiply(FROM_CONES, cones, rgb);
  int inside = 1;
  for (int k = 0; k < 3; k++) inside = inside && rgb[k] >= 0 && rgb[k] <= 1;
  return inside;
}

/* The most saturated color, up to the chroma of a b, that a display can show at this lightness and hue. */
static void color(double lightness, double a, double b, float rgb[3])
{
  double least = 0, most = 1, linear[3];
  for (int k = 0; k < 24; k++) {
    double share = k ? (least + most) / 2 : 1;
    const double lab[3] = {lightness, share * a, share * b};
    if (to_rgb(lab, linear)) {
      least = share;
      if (k == 0) break;
    } else {
      most = share;
    }
  }
  const double lab[3] = {lightness, least * a, least * b};
  to_rgb(lab, linear);
  for (int k = 0; k < 3; k++) rgb[k] = (float)fmin(fmax(linear[k], 0), 1);
}

/* ---- maps -------------------------------------------------------------------------------------------- */

/* Lightness from end to end; well above black, because stars are drawn on black. */
static const double DARKEST = 0.58, LIGHTEST = 0.90;

static void by_hue(double lightness, double chroma, double hue, float rgb[3])
{
  color(lightness, chroma * cos(hue * HB_DEGREE), chroma * sin(hue * HB_DEGREE), rgb);
}

void hb_colormap_rgb(enum hb_colormap map, double t, float rgb[3])
{
  t = t > 0 ? fmin(t, 1) : 0;
  double lightness = DARKEST + (LIGHTEST - DARKEST) * t;
  switch (map) {
  case HB_COLORMAP_STARS: /* a straight line from blue to gold that passes near white */
    color(lightness, -0.03 + 0.09 * t, -0.23 + 0.39 * t, rgb);
    break;
  case HB_COLORMAP_EMBER:
    by_hue(lightness, 0.21 - 0.07 * t, 262 + 183 * t, rgb);
    break;
  case HB_COLORMAP_ICE:
    by_hue(lightness, 0.20 - 0.12 * t, 282 - 130 * t, rgb);
    break;
  default:
    color(lightness, 0, 0, rgb);
    break;
  }
}

/* Multiples of the golden angle: however many there are, no two are close. */
void hb_colormap_group(size_t k, float rgb[3])
{
  by_hue(0.78, 0.15, 250 + 137.50776 * (double)(k % 1024), rgb);
}

double hb_colormap_encode(double linear)
{
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}
