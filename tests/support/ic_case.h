/* Initial conditions under test: making them, and comparing samples with distributions. */
#ifndef IC_CASE_H
#define IC_CASE_H

#include "support/support.h"

/* Sums of up to 4096 terms of order 1, each rounded to 2^-53, and all errors alike at worst. */
#define IC_SUM (4096 * 0x1p-53)
/* A handful of operations, each rounded to 2^-53. */
#define IC_ROUNDING (16 * 0x1p-53)
/* Kolmogorov's D sqrt(n) is beyond this in one of 100 samples of the right distribution, and less often still
 * where the scale was taken from the sample; the seeds are fixed. */
#define IC_KOLMOGOROV 1.628

enum { IC_SAMPLE = 4096 };

struct hb_particles *ic_make(const char *model, struct hb_ic_params params);
void ic_assert_near(double got, double expected, double tolerance);
double ic_length(const double x[3]);

/* A hash of the bytes of masses, positions and velocities. */
uint64_t ic_fingerprint(const struct hb_particles *particles);

/* The radius about the centre of mass that holds a fraction of the mass. */
double ic_radius(const struct hb_particles *particles, double fraction);

/* D sqrt(n) of IC_SAMPLE values against a cumulative distribution; sorts the values. */
double ic_kolmogorov(double *values, double (*distribution)(double value));

/* The share of a ball of radius 1 that lies within r. */
double ic_inside_unit_sphere(double r);

#endif
