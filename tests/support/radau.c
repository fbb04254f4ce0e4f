/* The method: within a step of the length T accelerations are a polynomial of degree 7 in s = t / T,
 *
 *   a(s) = a0 + b0 s + b1 s^2 + ... + b6 s^7
 *
 * which is exact at 8 places (Gauss-Radau). Newton's form of it, with the factors s, s - h1, ..., is found place by place. The positions
 * at a place depend on the polynomial, so that it is repeated until it no longer changes. */
#include "support/radau.h"

#include <math.h>
#include <string.h>

enum { PLACES = 7, LENGTH = 3 * RADAU_MOST };

/* Radau's places after 0 [Rein & Spiegel 2015]. */
static const double place[PLACES] = {0.0562625605369221464656521910318, 0.180240691736892364987579942780,
                                     0.352624717113169637373907769648,  0.547153626330555383001448554766,
                                     0.734210177215410531523210605558,  0.885320946839095768090359771030,
                                     0.977520613561287501891174488626};

/* Sets power[j][k] to the factor of s^(k + 1) in s (s - h_1) ... (s - h_j). */
static void expand(double power[PLACES][PLACES])
{
  memset(power, 0, PLACES * sizeof *power);
  power[0][0] = 1;
  for (int j = 1; j < PLACES; j++)
    for (int k = 0; k <= j; k++)
      power[j][k] = (k > 0 ? power[j - 1][k - 1] : 0) - place[j - 1] * power[j - 1][k];
}

/* Computes the accelerations a of the links at x. */
static void accelerate(const struct radau *r, const double *x, double *a)
{
  double of[LENGTH] = {0}; /* accelerations of the bodies */
  for (size_t i = 0; i < r->n; i++) {
    double d[3] = {0};
    for (size_t k = i + 1; k < r->n; k++) {
      for (size_t c = 0; c < 3; c++) d[c] += x[3 * (k - 1) + c];
      double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], d3 = 1 / (d2 * sqrt(d2));
      for (size_t c = 0; c < 3; c++)
        of[3 * i + c] += r->m[k] * d3 * d[c], of[3 * k + c] -= r->m[i] * d3 * d[c];
    }
  }
  for (size_t c = 0; c + 3 < 3 * r->n; c++) a[c] = of[c + 3] - of[c];
}

void radau_start(size_t n, const double *m, const double *x, const double *v, struct radau *r)
{
  memset(r, 0, sizeof *r);
  r->n = n;
  memcpy(r->m, m, n * sizeof *m);
  for (size_t c = 0; c + 3 < 3 * n; c++) r->x[c] = x[c + 3] - x[c], r->v[c] = v[c + 3] - v[c];
}

void radau_bodies(const struct radau *r, double *x, double *v)
{
  memset(x, 0, 3 * sizeof *x), memset(v, 0, 3 * sizeof *v);
  for (size_t c = 3; c < 3 * r->n; c++) x[c] = x[c - 3] + r->x[c - 3], v[c] = v[c - 3] + r->v[c - 3];
}

/* Continues the polynomial of the last step into one that is q times as long. */
static void predict(struct radau *r, double q)
{
  for (size_t c = 0; c + 3 < 3 * r->n; c++) {
    double at[PLACES], power = 1;
    for (int k = 0; k < PLACES; k++) {
      at[k] = 0;
      double binomial = 1; /* of k + 1 and j + 1 */
      for (int j = k; j < PLACES; j++)
        at[k] += binomial * r->b[j][c], binomial *= (double)(j + 2) / (j - k + 1);
    }
    for (int k = 0; k < PLACES; k++) power *= q, r->b[k][c] = power * at[k];
  }
}

/* Adds `more` to a sum with a rounding residual. */
static void add(double more, double *sum, double *residual)
{
  double y = more + *residual, now = *sum + y;
  *residual = y - (now - *sum);
  *sum = now;
}

/* Finds the polynomial of a step of the length T. Returns the size of its last term relative to the accelerations. */
static double find_polynomial(struct radau *r, const double *a0, double T)
{
  enum { ITERATIONS = 12 };
  static const double small = 1e-16;
  double power[PLACES][PLACES], g[PLACES][LENGTH], before = INFINITY, last = 0, most = 0;
  expand(power);
  for (size_t c = 0; c + 3 < 3 * r->n; c++) { /* Newton's form of the prediction */
    double b[PLACES];
    for (int k = 0; k < PLACES; k++) b[k] = r->b[k][c];
    for (int j = PLACES; j-- > 0;) {
      g[j][c] = b[j];
      for (int k = 0; k <= j; k++) b[k] -= g[j][c] * power[j][k];
    }
  }
  for (int n = 0; n < ITERATIONS; n++) {
    double change = 0;
    last = most = 0;
    for (int i = 0; i < PLACES; i++) {
      double x[LENGTH], a[LENGTH], h = place[i];
      for (size_t c = 0; c + 3 < 3 * r->n; c++) {
        double sum = 0;
        for (int k = PLACES; k-- > 0;) sum = h * (sum + r->b[k][c] / ((k + 2) * (k + 3)));
        x[c] = r->x[c] + (r->x_residual[c] + h * T * (r->v[c] + h * T * (a0[c] / 2 + sum)));
      }
      accelerate(r, x, a);
      for (size_t c = 0; c + 3 < 3 * r->n; c++) {
        double now = (a[c] - a0[c]) / h;
        for (int j = 0; j < i; j++) now = (now - g[j][c]) / (h - place[j]);
        double by = now - g[i][c];
        g[i][c] = now;
        for (int k = 0; k <= i; k++) r->b[k][c] += by * power[i][k];
        most = fmax(most, fabs(a[c]));
        if (i == PLACES - 1) change = fmax(change, fabs(by)), last = fmax(last, fabs(r->b[PLACES - 1][c]));
      }
    }
    change /= most;
    if (change < small || (n > 1 && change >= before)) break;
    before = change;
  }
  return last / most;
}

/* Advances by the polynomial. */
static void apply(struct radau *r, const double *a0, double T)
{
  for (size_t c = 0; c + 3 < 3 * r->n; c++) {
    double x = 0, v = 0;
    for (int k = PLACES; k-- > 0;) x += r->b[k][c] / ((k + 2) * (k + 3)), v += r->b[k][c] / (k + 2);
    add(T * T * x, r->x + c, r->x_residual + c);
    add(T * T / 2 * a0[c], r->x + c, r->x_residual + c);
    add(T * r->v_residual[c], r->x + c, r->x_residual + c);
    add(T * r->v[c], r->x + c, r->x_residual + c);
    add(T * v, r->v + c, r->v_residual + c);
    add(T * a0[c], r->v + c, r->v_residual + c);
  }
}

void radau_advance(struct radau *r, double dt)
{
  static const double tolerance = 1e-9, first = 1e-6, longest = 4, shortest = 0.25;
  double a0[LENGTH];
  if (r->next_step == 0) r->next_step = first * dt;
  for (double t = 0; t < dt;) {
    int is_end = r->next_step >= dt - t;
    double T = is_end ? dt - t : r->next_step;
    struct radau trial = *r;
    if (r->last_step > 0) predict(&trial, T / r->last_step);
    accelerate(r, r->x, a0);
    double size = find_polynomial(&trial, a0, T), by = pow(tolerance / fmax(size, 1e-30), 1. / 7);
    double next = T * fmin(longest, by);
    if (by < shortest || !(size < INFINITY)) {
      r->next_step = T * fmax(by, 0.1);
      continue;
    }
    apply(&trial, a0, T);
    trial.last_step = T;
    trial.next_step = is_end ? fmax(r->next_step, next) : next;
    if (is_end && next < r->next_step) trial.next_step = next;
    *r = trial;
    t = is_end ? dt : t + T;
  }
}
