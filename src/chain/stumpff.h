/* Stumpff functions c0 to c3 of z = x^2: cos x, sin x / x, (1 - cos x) / x^2 and (x - sin x) / x^3 (Danby 1988, 6.9). They are
 * computed with + - * / only, so that all machines give the same bits. */
#ifndef HB_STUMPFF_H
#define HB_STUMPFF_H

#include <math.h>

/* Sets c[0] to c[3] for an angle x of any size; NaN where x^2 overflows. */
void hb_stumpff(double x, double c[4]);

/* The power series behind hb_stumpff_series, of a constant number of terms. */
static inline __attribute__((always_inline)) void hb_stumpff_series_of(int terms, double z, double c[4])
{
  enum { TERMS = 11 };
  /* The coefficients are 1 / (k + 1)!; these are the ratios of each to the one before. */
  static const double of_2[TERMS] = {1. / 12,  1. / 30,  1. / 56,  1. / 90,  1. / 132, 1. / 182,
                                     1. / 240, 1. / 306, 1. / 380, 1. / 462, 1. / 552},
                      of_3[TERMS] = {1. / 20,  1. / 42,  1. / 72,  1. / 110, 1. / 156, 1. / 210,
                                     1. / 272, 1. / 342, 1. / 420, 1. / 506, 1. / 600};
  double two = 1, three = 1;
  for (int k = terms; k-- > 0;) two = 1 - z * of_2[k] * two, three = 1 - z * of_3[k] * three;
  c[2] = two / 2, c[3] = three / 6;
  c[1] = 1 - z * c[3];
}

/* Sets c[1] to c[3], faster than hb_stumpff, for -4 <= z <= 4; z < 0 is an unbound orbit. The terms left out are below 2^-53. c[0] is
 * not set. */
static inline void hb_stumpff_series(double z, double c[4])
{
  if (fabs(z) < 0.35)
    hb_stumpff_series_of(6, z, c);
  else
    hb_stumpff_series_of(11, z, c);
}

#endif
