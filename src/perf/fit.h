/* Least squares, with standard errors from the scatter of the points about the fit. */
#ifndef HB_FIT_H
#define HB_FIT_H

#include "base/status.h"

/* Sorts the values. */
double hb_fit_median(size_t count, double *values);

enum { HB_FIT_TERMS = 3 };

/* y = sum over terms of t[k] x[k], each t[k] >= 0, for x[count * terms] and y[count]: least squares of the relative
 * distances (y - fit) / y, so that a disturbed point, which took several times as long, has little weight. Points with
 * y <= 0 are ignored; if none is left, t = error = 0. A term that is best at its bound is 0, with the error of a free one.
 * Errors are NaN if there are no more points than terms, or if terms are too similar to be separated; fewer terms are
 * fitted then. Errors: HB_ERR_USAGE (no term fits at all). */
enum hb_status hb_fit_terms(size_t count, size_t terms, const double *x, const double *y, double *t,
                            double *error);

#endif
