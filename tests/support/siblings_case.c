#include "support/siblings_case.h"
#include "support/support.h"

#include <holmberg/cunbody.h>
#include <holmberg/g6.h>

#include <math.h>
#include <string.h>

enum { N = 200 };

static double m[N], x[N][3], v[N][3], a[N][3], j[N][3], p[N];

static uint64_t seed;

static double uniform(void)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static void make(void)
{
  seed = 11;
  for (int k = 0; k < N; k++) {
    m[k] = (1.5 + uniform()) / N;
    for (int d = 0; d < 3; d++) x[k][d] = uniform(), v[k][d] = uniform();
  }
}

struct sums {
  double force[7], size[3];
};

/* What source k does at a point, added: acc, jerk, sum m / r, and the sizes of all terms. */
static void add(const double xi[3], const double vi[3], int k, double eps2, struct sums *s)
{
  double dx[3], dv[3], r2 = eps2, rv = 0, v2 = 0;
  for (int d = 0; d < 3; d++) {
    dx[d] = x[k][d] - xi[d];
    dv[d] = v[k][d] - (vi ? vi[d] : v[k][d]);
    r2 += dx[d] * dx[d];
    rv += dx[d] * dv[d];
    v2 += dv[d] * dv[d];
  }
  double r = sqrt(r2), r3 = r * r2;
  for (int d = 0; d < 3; d++) {
    s->force[d] += m[k] * dx[d] / r3;
    s->force[3 + d] += m[k] * (dv[d] / r3 - 3 * rv * dx[d] / (r3 * r2));
  }
  s->force[6] += m[k] / r;
  s->size[0] += m[k] / r2;
  s->size[1] += 4 * m[k] * sqrt(v2) / r3;
  s->size[2] += m[k] / r;
}

static void require(const double *force, int count, const double *expected, double size, double tolerance)
{
  for (int d = 0; d < count; d++)
    if (!(fabs(force[d] - expected[d]) <= tolerance * size))
      fail_msg("%.15g, expected %.15g within %g", force[d], expected[d], tolerance * size);
}

/* ---- GRAPE-5 ---- */

static void check_g5(int n, double eps2, double tolerance)
{
  for (int i = 0; i < N; i++) {
    struct sums s = {0};
    for (int k = 0; k < n; k++) add(x[i], NULL, k, eps2, &s);
    require(a[i], 3, s.force, s.size[0], tolerance);
    require(&p[i], 1, &s.force[6], s.size[2], tolerance);
  }
}

static void run_g5(double tolerance)
{
  g5_open();
  g5_set_range(-2, 2, 1e-6);
  g5_set_n(N);
  g5_set_xmj(0, 50, x, m);
  g5_set_jp(50, N - 50, m + 50, x + 50);
  g5_set_eps_to_all(0.1);
  g5_calculate_force_on_x(x, a, p, N);
  check_g5(N, 0.1 * 0.1, tolerance);
  g5_set_n(70);
  g5_set_eps2_to_all(0.5);
  g5_set_xi(N, x);
  g5_run();
  x[3][0] += 0.5;
  g5_set_xmj(3, 1, x + 3, m + 3); /* after the run has begun */
  x[3][0] -= 0.5;
  memset(a, 0, sizeof a);
  g5_get_force(N, a, p);
  check_g5(70, 0.5, tolerance);
  g5_set_xmjMC(0, 3, 1, x + 3, m + 3);
  g5_openMC(5);
  g5_set_nMC(5, 1);
  g5_calculate_force_on_xMC(5, x, a, p, 2);
  assert_true(isnan(a[1][2]) && isnan(p[0])); /* nothing was sent there */
  assert_non_null(strstr(g6_error(), "forces of 1 particle were asked for, 0 were sent"));
  g5_closeMC(5);
  g5_calculate_force_on_x(x, a, p, N);
  check_g5(70, 0.5, tolerance);
  g5_close();
}

/* ---- NBODY6 ---- */

enum { ROW = 64 };
static double h2[N], dtr[N];
static int list[N][ROW];

static int is_neighbor(int i, int k)
{
  double r2 = 0, later2 = 0;
  for (int d = 0; d < 3; d++) {
    double dx = x[k][d] - x[i][d], later = dx + dtr[i] * (v[k][d] - v[i][d]);
    r2 += dx * dx;
    later2 += later * later;
  }
  return fmin(r2, later2) < m[k] * h2[i];
}

static void check_gpunb(int nbmax, double tolerance)
{
  for (int i = 0; i < N; i++) {
    struct sums s = {0};
    int found = 0;
    for (int k = 0; k < N; k++) {
      if (is_neighbor(i, k)) {
        if (found < nbmax && list[i][0] >= 0) assert_int_equal(list[i][1 + found], k);
        found++;
      } else if (k != i) {
        add(x[i], v[i], k, 0, &s);
      }
    }
    assert_int_equal(list[i][0], found > nbmax ? -found : found);
    require(a[i], 3, s.force, s.size[0], tolerance);
    require(j[i], 3, s.force + 3, s.size[1], tolerance);
    require(&p[i], 1, &s.force[6], s.size[2], tolerance);
  }
}

static void run_gpunb(double tolerance)
{
  const int n = N, row = ROW, most = 50, few = 10, most_n = 10000, one = 1;
  double pull = 0;
  /* neighbors that pull a million times as hard as the rest */
  for (int d = 0; d < 3; d++) x[8][d] = x[7][d] + 1e-5;
  for (int i = 0; i < N; i++) {
    h2[i] = i % 5 == 0 ? 0 : N * 0.02 * (i % 5);
    dtr[i] = i % 3 * 0.05;
  }
  gpunb_devinit_();
  gpunb_open_(&most_n);
  gpunb_send_(&n, m, x, v);
  gpunb_regf_(&n, h2, dtr, x, v, a, j, p, &row, &most, *list);
  /* what is left after a part has been taken off loses a few digits: at most by `overwhelming` */
  check_gpunb(most, 16 * tolerance);
  gpupot_(&one, m, x, &pull);
  expect_equal(pull, 0);
  gpunb_regf_(&n, h2, dtr, x, v, a, j, p, &row, &few, *list);
  check_gpunb(few, 16 * tolerance);
  gpupot_(&n, m, x, p);
  for (int i = 0; i < N; i++) {
    struct sums s = {0};
    for (int k = 0; k < N; k++)
      if (k != i) add(x[i], v[i], k, 0, &s);
    require(&p[i], 1, &s.force[6], s.size[2], tolerance);
  }
  gpunb_close_();
  gpunb_regf_(&n, h2, dtr, x, v, a, j, p, &row, &few, *list);
  assert_true(isnan(a[0][0]));
  assert_true(isnan(p[N - 1]));
  expect_equal(list[5][0], 0);
  assert_string_equal(g6_error(), "gpunb_regf before gpunb_open");
}

/* ---- CUNBODY-1 ---- */

static void run_cunbody(double tolerance)
{
  static double xi[N][3];
  const double eps2 = 1.0 / 65536;
  for (int i = 0; i < N; i++)
    for (int d = 0; d < 3; d++) xi[i][d] = x[i][d] + 0.01;
  force(x, m, xi, 0.01, a, N, 120);
  for (int i = 0; i < N; i++) {
    struct sums s = {0};
    for (int k = 0; k < 120; k++) add(xi[i], NULL, k, 0.01, &s);
    require(a[i], 3, s.force, s.size[0], tolerance);
  }
  force(x, m, x, 0, a, N, 120); /* each but itself */
  for (int i = 0; i < N; i++) {
    struct sums s = {0};
    for (int k = 0; k < 120; k++)
      if (k != i) add(x[i], NULL, k, 0, &s);
    require(a[i], 3, s.force, s.size[0], tolerance);
  }
  force_jerk_pot(x, v, m, p, a, j, N);
  for (int i = 0; i < N; i++) {
    struct sums s = {0};
    for (int k = 0; k < N; k++) add(x[i], v[i], k, eps2, &s);
    double pot = -s.force[6];
    require(a[i], 3, s.force, s.size[0], tolerance);
    require(j[i], 3, s.force + 3, s.size[1], tolerance);
    require(&p[i], 1, &pot, s.size[2], tolerance);
  }
  force(x, m, x, -1, a, N, N);
  assert_true(isnan(a[0][0]) && isnan(a[N - 1][2]));
  assert_string_equal(cunbody_error(), "the softening squared is -1, expected finite and >= 0");
  cunbody_close();
}

void siblings_case_run(const char *scheme, double tolerance)
{
  setenv("HB_G6_SCHEME", scheme, 1);
  make();
  run_g5(tolerance);
  run_gpunb(tolerance);
  make();
  run_cunbody(tolerance);
}
