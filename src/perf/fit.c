#include "perf/fit.h"

#include "base/arith.h"
#include "base/status.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double hb_fit_median(size_t count, double *values)
{
  qsort(values, count, sizeof *values, hb_ascending_doubles);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* ---- terms ------------------------------------------------------------------------------------------- */

/* Normal equations of x / y against 1, every term in units of its own size: A t = b. */
struct normal {
  size_t terms, points;
  double A[HB_FIT_TERMS][HB_FIT_TERMS], b[HB_FIT_TERMS], unit[HB_FIT_TERMS];
};

static struct normal normal_equations(size_t count, size_t terms, const double *x, const double *y)
{
  struct normal e = {.terms = terms};
  for (size_t k = 0; k < count; k++) {
    if (!(y[k] > 0)) continue;
    e.points++;
    for (size_t i = 0; i < terms; i++) {
      e.b[i] += x[k * terms + i] / y[k];
      for (size_t j = 0; j < terms; j++) e.A[i][j] += x[k * terms + i] * x[k * terms + j] / (y[k] * y[k]);
    }
  }
  for (size_t i = 0; i < terms; i++) e.unit[i] = sqrt(e.A[i][i]);
  for (size_t i = 0; i < terms; i++) {
    e.b[i] /= e.unit[i];
    for (size_t j = 0; j < terms; j++) e.A[i][j] /= e.unit[i] * e.unit[j];
  }
  return e;
}

/* The inverse of A for the terms of the set, zero elsewhere, by Gauss-Jordan elimination; A is positive with ones on its
 * diagonal. 0 if the terms are too similar. */
static int invert(const struct normal *e, unsigned set, double inverse[HB_FIT_TERMS][HB_FIT_TERMS])
{
  double A[HB_FIT_TERMS][HB_FIT_TERMS];
  memcpy(A, e->A, sizeof A);
  memset(inverse, 0, sizeof A);
  for (size_t i = 0; i < e->terms; i++) inverse[i][i] = set >> i & 1;
  for (size_t p = 0; p < e->terms; p++) {
    if (!(set >> p & 1)) continue;
    double pivot = A[p][p];
    if (!(pivot > 1e-12)) return 0;
    for (size_t j = 0; j < e->terms; j++) A[p][j] /= pivot, inverse[p][j] /= pivot;
    for (size_t i = 0; i < e->terms; i++) {
      double factor = A[i][p];
      if (i == p || !(set >> i & 1)) continue;
      for (size_t j = 0; j < e->terms; j++) {
        A[i][j] -= factor * A[p][j];
        inverse[i][j] -= factor * inverse[p][j];
      }
    }
  }
  return 1;
}

/* The fit by the terms of the set: the remaining sum of squares, of `points` without a fit, or infinite if a term is
 * negative or there is no solution. */
static double solve(const struct normal *e, unsigned set, double t[HB_FIT_TERMS])
{
  double inverse[HB_FIT_TERMS][HB_FIT_TERMS], rest = (double)e->points;
  if (!invert(e, set, inverse)) return INFINITY;
  for (size_t i = 0; i < e->terms; i++) {
    t[i] = 0;
    for (size_t j = 0; j < e->terms; j++) t[i] += inverse[i][j] * (set >> j & 1 ? e->b[j] : 0);
    if (t[i] < 0) return INFINITY;
    rest -= t[i] * e->b[i];
  }
  return fmax(rest, 0);
}

enum hb_status hb_fit_terms(size_t count, size_t terms, const double *x, const double *y, double *t,
                            double *error)
{
  const struct normal e = normal_equations(count, terms, x, y);
  for (size_t i = 0; i < terms; i++) t[i] = error[i] = 0;
  if (e.points == 0) return HB_OK;
  unsigned all = (1u << terms) - 1, best = 0;
  double inverse[2][HB_FIT_TERMS][HB_FIT_TERMS], least = INFINITY;
  /* the best bounded fit is among the free fits of all subsets */
  for (unsigned set = 1; set <= all; set++) {
    double trial[HB_FIT_TERMS], rest = solve(&e, set, trial);
    if ((size_t)__builtin_popcount(set) > e.points || !(rest < least)) continue;
    least = rest;
    best = set;
    for (size_t i = 0; i < terms; i++) t[i] = trial[i] / e.unit[i];
  }
  if (!best)
    return hb_fail(HB_ERR_USAGE, "%zu point%s cannot separate %zu terms", e.points, hb_text_s(e.points),
                   terms);
  int all_free = invert(&e, all, inverse[1]);
  invert(&e, best, inverse[0]);
  double variance = e.points > terms && all_free ? least / (double)(e.points - terms) : NAN;
  for (size_t i = 0; i < terms; i++)
    error[i] = sqrt(variance * inverse[best >> i & 1 ? 0 : 1][i][i]) / e.unit[i];
  return HB_OK;
}
