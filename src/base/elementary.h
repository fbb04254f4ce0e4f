/* exp, log and powers from + - * / alone, and normal random numbers: the same bits on every machine, unlike those of
 * libraries. */
#ifndef HB_ELEMENTARY_H
#define HB_ELEMENTARY_H

#include "base/rng.h"

double hb_elementary_exp(double x);
double hb_elementary_log(double x); /* x > 0 */

/* x^y; for a whole y by multiplications. NAN where it is not real, and mostly where it is not a normal double. */
double hb_elementary_power(double x, double y);

/* Two normal numbers with variance 1; and three, of two pairs the second of which loses its last number. */
void hb_elementary_normals(struct hb_rng *rng, double pair[2]);
void hb_elementary_three_normals(struct hb_rng *rng, double v[3]);

#endif
