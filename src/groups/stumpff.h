/* Functions of an angle, by operations that are the same everywhere (Stumpff). */
#ifndef HB_STUMPFF_H
#define HB_STUMPFF_H

/* cos x, sin x / x, (1 - cos x) / x^2, (x - sin x) / x^3; NaN where x^2 overflows. */
void hb_stumpff(double x, double c[4]);

#endif
