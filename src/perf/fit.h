/* Least squares, with standard errors: the scatter of the points about the fit, as it shows in each number. */
#ifndef HB_FIT_H
#define HB_FIT_H

#include <holmberg/measure.h>

/* y = c x^p through count points, by a straight line in log-log: each point counts by its relative distance. The error of
 * c is absolute, like all here; errors are NaN when two points leave no scatter. Errors: HB_ERR_USAGE (fewer than two
 * different x, or a number that is not > 0). */
enum hb_status hb_fit_power_law(size_t count, const double *x, const double *y, struct hb_power_law *law,
                                struct hb_power_law *error);

/* Sorts them. */
double hb_fit_median(size_t count, double *values);

enum { HB_FIT_TERMS = 3 };

/* y = sum over terms of t[k] x[k], each t[k] >= 0, for x[count * terms] and y[count]: least squares of the relative
 * distances (y - fit) / y, so that a disturbed point, which took several times as long, counts for little. Points with y <= 0
 * are left out; where none is left t = error = 0. A term that does better at its bound is 0, with the error
 * that it would have if it were free. Errors are NaN where there are no more points than terms, or terms too
 * alike to be told apart; then the fewer terms do it. Errors: HB_ERR_USAGE (not even one term fits). */
enum hb_status hb_fit_terms(size_t count, size_t terms, const double *x, const double *y, double *t,
                            double *error);

#endif
