/* A few bodies to time T in 113 bits, for the figures in tests/unit/test_chain.c and tools/measure_few_bodies.sh: plain Newtonian
 * equations in plain time, extrapolated from the modified midpoint rule (Hairer, Norsett & Wanner 1993, II.9), with nothing of
 * src/groups. In: a line `m x y z vx vy vz` for each, # a comment. Out: their x y z.
 * gcc -O2 -o quad bodies_quad.c && holmberg ic pythagorean -o - | ./quad 60 [TOLERANCE] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 quad;
enum { MOST = 8, ROWS = 16 };
static int N, D; /* D = 6 N: places, then velocities */
static quad m[MOST];

static quad root(quad x)
{
  quad y = sqrt((double)x);
  for (int k = 0; k < 3; k++) y = (y + x / y) / 2;
  return y;
}

static void slope(const quad *y, quad *f)
{
  quad *a = f + 3 * N;
  memcpy(f, y + 3 * N, 3 * (size_t)N * sizeof *f);
  memset(a, 0, 3 * (size_t)N * sizeof *f);
  for (int i = 0; i < N; i++)
    for (int k = i + 1; k < N; k++) {
      quad r[3], r2 = 0;
      for (int c = 0; c < 3; c++) r[c] = y[3 * k + c] - y[3 * i + c], r2 += r[c] * r[c];
      quad s = 1 / (r2 * root(r2));
      for (int c = 0; c < 3; c++) a[3 * i + c] += m[k] * s * r[c], a[3 * k + c] -= m[i] * s * r[c];
    }
}

/* Gragg: n steps of the midpoint rule from an Euler step, n even. */
static void midpoint(const quad *y, const quad *f0, quad H, int n, quad *end)
{
  quad before[6 * MOST], now[6 * MOST], f[6 * MOST], h = H / n;
  for (int c = 0; c < D; c++) before[c] = y[c], now[c] = y[c] + h * f0[c];
  for (int k = 1; k < n; k++) {
    slope(now, f);
    for (int c = 0; c < D; c++) {
      quad next = before[c] + 2 * h * f[c];
      before[c] = now[c], now[c] = next;
    }
  }
  slope(now, f);
  for (int c = 0; c < D; c++) end[c] = (now[c] + before[c] + h * f[c]) / 2;
}

/* Returns the error of the step by its last two rows. */
static double step(const quad *y, quad H, quad *end)
{
  static quad table[ROWS][6 * MOST];
  quad f0[6 * MOST], most = 0;
  slope(y, f0);
  for (int row = 0; row < ROWS; row++) {
    quad now[6 * MOST];
    midpoint(y, f0, H, 2 * (row + 1), now);
    for (int k = 1; k <= row; k++) {
      quad ratio = (quad)(row + 1) / (row + 1 - k), weight = 1 / (ratio * ratio - 1);
      for (int c = 0; c < D; c++) {
        quad better = now[c] + weight * (now[c] - table[k - 1][c]);
        table[k - 1][c] = now[c], now[c] = better;
      }
    }
    memcpy(table[row], now, sizeof now);
  }
  for (int c = 0; c < D; c++) {
    quad error = table[ROWS - 1][c] - table[ROWS - 2][c];
    if (error < 0) error = -error;
    if (error > most) most = error;
  }
  memcpy(end, table[ROWS - 1], (size_t)D * sizeof *end);
  return (double)most;
}

static int get_bodies(quad y[6 * MOST])
{
  char line[512];
  double b[MOST][7];
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] == '#') continue;
    if (N == MOST) return 0;
    double *p = b[N++];
    if (sscanf(line, "%lf %lf %lf %lf %lf %lf %lf", p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6) != 7)
      return 0;
  }
  D = 6 * N;
  for (int i = 0; i < N; i++) {
    m[i] = b[i][0];
    for (int c = 0; c < 3; c++) y[3 * i + c] = b[i][1 + c], y[3 * N + 3 * i + c] = b[i][4 + c];
  }
  return N > 1;
}

int main(int count, char **words)
{
  double tolerance = count > 2 ? atof(words[2]) : 1e-26;
  quad y[6 * MOST], end[6 * MOST], t = 0, T = count > 1 ? atof(words[1]) : 0, H = T / 4096;
  if (!get_bodies(y))
    return fprintf(stderr, "bodies_quad: expected 2 to %d lines m x y z vx vy vz\n", MOST), 2;
  while (t < T) {
    if (H < 1e-30 * T)
      return fprintf(stderr, "bodies_quad: no step is short enough; a larger TOLERANCE may do\n"), 7;
    if (t + H > T) H = T - t;
    double error = step(y, H, end), by = 0.8 * pow(tolerance / (error + 1e-40), 1. / (2 * ROWS));
    if (error <= tolerance) {
      t += H;
      memcpy(y, end, sizeof y);
    }
    H *= by > 4 ? 4 : by < 0.1 ? 0.1 : by;
  }
  for (int i = 0; i < N; i++)
    printf("%.17g %.17g %.17g\n", (double)y[3 * i], (double)y[3 * i + 1], (double)y[3 * i + 2]);
  return 0;
}
