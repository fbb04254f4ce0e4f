/* Burrau's three bodies to t = 60 in 113 bits, for the figures in tests/unit/test_chain.c: plain Newtonian equations in plain
 * time, extrapolated from the modified midpoint rule (Hairer, Norsett & Wanner 1993, II.9), with nothing of src/groups.
 * gcc -O2 -o quad pythagorean_quad.c && ./quad [TOLERANCE] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 quad;
enum { N = 3, D = 12, ROWS = 16 }; /* in a plane: x y of each, then their velocities */
static const quad m[N] = {3, 4, 5};

static quad root(quad x)
{
  quad y = sqrt((double)x);
  for (int k = 0; k < 3; k++) y = (y + x / y) / 2;
  return y;
}

static void slope(const quad y[D], quad f[D])
{
  memcpy(f, y + 6, 6 * sizeof *f);
  memset(f + 6, 0, 6 * sizeof *f);
  for (int i = 0; i < N; i++)
    for (int k = i + 1; k < N; k++) {
      quad dx = y[2 * k] - y[2 * i], dy = y[2 * k + 1] - y[2 * i + 1], r2 = dx * dx + dy * dy;
      quad s = 1 / (r2 * root(r2));
      f[6 + 2 * i] += m[k] * s * dx, f[7 + 2 * i] += m[k] * s * dy;
      f[6 + 2 * k] -= m[i] * s * dx, f[7 + 2 * k] -= m[i] * s * dy;
    }
}

/* Gragg: n steps of the midpoint rule from an Euler step, n even. */
static void midpoint(const quad y[D], const quad f0[D], quad H, int n, quad end[D])
{
  quad before[D], now[D], f[D], h = H / n;
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
static double step(const quad y[D], quad H, quad end[D])
{
  static quad table[ROWS][D];
  quad f0[D], most = 0;
  slope(y, f0);
  for (int row = 0; row < ROWS; row++) {
    quad now[D];
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
  memcpy(end, table[ROWS - 1], D * sizeof *end);
  return (double)most;
}

int main(int count, char **words)
{
  double tolerance = count > 1 ? atof(words[1]) : 1e-26;
  quad y[D] = {1, 3, -2, -1, 1, -1}, end[D], t = 0, H = (quad)1 / 64;
  while (t < 60) {
    if (t + H > 60) H = 60 - t;
    double error = step(y, H, end), by = 0.8 * pow(tolerance / (error + 1e-40), 1. / (2 * ROWS));
    if (error <= tolerance) {
      t += H;
      memcpy(y, end, sizeof y);
    }
    H *= by > 4 ? 4 : by < 0.1 ? 0.1 : by;
  }
  for (int c = 0; c < D; c++) printf("%.17g%s", (double)y[c], c % 2 ? ",\n" : ", ");
  return 0;
}
