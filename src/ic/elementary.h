/* exp and log from + - * / alone, and normal random numbers: the same bits on every machine, unlike those of libraries. */
#ifndef HB_ELEMENTARY_H
#define HB_ELEMENTARY_H

#include "base/rng.h"

double hb_elementary_exp(double x);
double hb_elementary_log(double x); /* x > 0 */

/* Exponential with mean 1. */
double hb_elementary_waiting(struct hb_rng *rng);

/* Two normal numbers with variance 1. */
void hb_elementary_normals(struct hb_rng *rng, double pair[2]);

#endif
