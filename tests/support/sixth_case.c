#include "support/sixth_case.h"
#include "support/support.h"

#include <holmberg/sixth.h>

#include <math.h>
#include <string.h>

enum { N = 120, NI = 50, ORDERS = 6 };

static const double NOW = 0.125, EPS2 = 0.04;

/* Derivatives of positions, the position first; names 5 k + 1. */
static double m[N], t[N], x[N][ORDERS][3], eps2[N];
static int ids[N];

static uint64_t seed;

static double uniform(void)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static void make(void)
{
  seed = 3;
  for (int k = 0; k < N; k++) {
    m[k] = (1.5 + uniform()) / N;
    t[k] = uniform() / 8;
    ids[k] = 5 * k + 1;
    eps2[k] = EPS2;
    for (int o = 0; o < ORDERS; o++)
      for (int d = 0; d < 3; d++) x[k][o][d] = uniform();
  }
}

/* The derivative of this order of particle k's position at NOW, from the series about its time. */
static double series(int k, int order, int d)
{
  double h = NOW - t[k], power = 1, sum = 0;
  for (int o = order; o < ORDERS; o++) {
    sum += power * x[k][o][d];
    power *= h / (o - order + 1);
  }
  return sum;
}

/* What source k does to sink i, h after now, where both move by position, velocity and acceleration. */
static void pull(int k, double sink[3][3], double softening, long double h, long double acc[3])
{
  long double dx[3], r2 = softening;
  for (int d = 0; d < 3; d++) {
    long double v = series(k, 1, d) - sink[1][d], a = series(k, 2, d) - sink[2][d];
    dx[d] = series(k, 0, d) - sink[0][d] + h * v + h * h / 2 * a;
    r2 += dx[d] * dx[d];
  }
  for (int d = 0; d < 3; d++) acc[d] = m[k] * dx[d] / (r2 * sqrtl(r2));
}

/* Acceleration, jerk and snap of a pair by differences of its acceleration in time, five points. */
static void derivatives(int k, double sink[3][3], double softening, double out[3][3])
{
  const long double h = 1e-3L;
  long double f[5][3];
  for (int p = 0; p < 5; p++) pull(k, sink, softening, (p - 2) * h, f[p]);
  for (int d = 0; d < 3; d++) {
    out[0][d] = (double)f[2][d];
    out[1][d] = (double)((f[0][d] - f[4][d] + 8 * (f[3][d] - f[1][d])) / (12 * h));
    out[2][d] = (double)((16 * (f[1][d] + f[3][d]) - f[0][d] - f[4][d] - 30 * f[2][d]) / (12 * h * h));
  }
}

static double at[NI][3], vel[NI][3], acc[NI][3], mass[NI];
static double force[3][NI][3], crackle[NI][3], phi[NI], r2[NI];
static int nearest[NI];

static void check(int nj, double tolerance)
{
  for (int i = 0; i < NI; i++) {
    double sink[3][3], expected[3][3] = {{0}}, size[3] = {0}, potential = 0, best = INFINITY;
    int nearest_of_all = -1;
    memcpy(sink[0], at[i], sizeof at[i]);
    memcpy(sink[1], vel[i], sizeof vel[i]);
    memcpy(sink[2], acc[i], sizeof acc[i]);
    for (int k = 0; k < nj; k++) {
      double pair[3][3], d2 = 0;
      if (ids[k] == ids[i]) continue;
      derivatives(k, sink, eps2[i], pair);
      for (int o = 0; o < 3; o++) {
        for (int d = 0; d < 3; d++) expected[o][d] += pair[o][d];
        for (int d = 0; d < 3; d++) size[o] += fabs(pair[o][d]);
      }
      for (int d = 0; d < 3; d++) d2 += (series(k, 0, d) - at[i][d]) * (series(k, 0, d) - at[i][d]);
      potential += m[k] / sqrt(d2 + eps2[i]);
      if (d2 < best) best = d2, nearest_of_all = ids[k];
    }
    for (int o = 0; o < 3; o++)
      for (int d = 0; d < 3; d++)
        if (!(fabs(force[o][i][d] - expected[o][d]) <= tolerance * size[o]))
          fail_msg("derivative %d of %d: %.15g, expected %.15g", o, i, force[o][i][d], expected[o][d]);
    expect_at_most(fabs(phi[i] - potential), tolerance * potential);
    assert_int_equal(nearest[i], nearest_of_all);
    expect_below(fabs(r2[i] - best - eps2[i]), 1e-12);
  }
}

static void compute(int nj)
{
  calc_force_on_predictors(NI, nj, ids, at, vel, acc, mass, eps2, force[0], force[1], force[2], crackle, phi,
                           nearest, r2);
}

void sixth_case_run(const char *scheme, double tolerance)
{
  setenv("HB_G6_SCHEME", scheme, 1);
  make();
  initialize();
  for (int k = 0; k < N; k++)
    set_j_particle(k, x[k][0], x[k][1], x[k][2], x[k][3], x[k][4], x[k][5], m[k], t[k], ids[k], eps2[k]);
  predict_all(NOW, N);
  for (int i = 0; i < NI; i++) {
    int id;
    double softening;
    pick_up_predictor_2(i, &id, &mass[i], &softening, at[i], vel[i], acc[i]);
    expect_equal(id, ids[i]);
    expect_equal(softening, eps2[i]);
    expect_equal(mass[i], m[i]);
    for (int d = 0; d < 3; d++)
      expect_below(fabs(at[i][d] - series(i, 0, d)) + fabs(vel[i][d] - series(i, 1, d)) +
                       fabs(acc[i][d] - series(i, 2, d)),
                   1e-13);
  }
  compute(N);
  check(N, tolerance);
  for (int i = 20; i < NI; i++) eps2[i] = 0.09; /* a softening of their own */
  compute(70);
  check(70, tolerance);
  ids[33] = ids[34] = ids[35] = 4; /* three of one name */
  for (int k = 33; k < 36; k++)
    set_j_particle(k, x[k][0], x[k][1], x[k][2], x[k][3], x[k][4], x[k][5], m[k], t[k], ids[k], eps2[k]);
  predict_all(NOW, N);
  compute(N);
  check(N, tolerance);
  compute(0);
  expect_equal(force[2][7][1], 0);
  expect_equal(phi[NI - 1], 0);
  expect_equal(nearest[3], -1);
  no_predict_all(NOW, 1);
  int id;
  double softening;
  pick_up_predictor_2(0, &id, &mass[0], &softening, at[0], vel[0], acc[0]);
  assert_memory_equal(at[0], x[0][0], sizeof at[0]);
  compute(2); /* more than were predicted */
  assert_true(isnan(force[0][0][0]) && isnan(force[2][NI - 1][2]) && isnan(phi[0]));
  assert_non_null(strstr(sixth_error(), "expected >= 0 and 1 that were predicted"));
  sixth_close();
  predict_all(NOW, 1);
  assert_non_null(strstr(sixth_error(), "no device is open"));
}
