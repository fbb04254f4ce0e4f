/* forces SCHEME: accelerations that a cluster causes at points of our own; while the device works, we add them up in double. */
#include <holmberg/holmberg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 500, POINTS = 200 };
static const double eps = 1.0 / 64;
static double m[N], x[3 * N], v[3 * N];
static double at[3 * POINTS], a[3 * POINTS], j[3 * POINTS], phi[POINTS], own[3 * POINTS];

static int fail(void)
{
  fprintf(stderr, "%s\n", hb_error());
  return 1;
}

static void make_cluster(void)
{
  srand(1);
  for (int i = 0; i < N; i++) m[i] = 1.0 / N;
  for (int k = 0; k < 3 * N; k++) x[k] = rand() / (double)RAND_MAX;
  for (int k = 0; k < 3 * POINTS; k++) at[k] = 2 * (rand() / (double)RAND_MAX);
}

static void add_up(void)
{
  for (int i = 0; i < POINTS; i++)
    for (int s = 0; s < N; s++) {
      double r[3], r2 = eps * eps;
      for (int k = 0; k < 3; k++) r[k] = x[3 * s + k] - at[3 * i + k], r2 += r[k] * r[k];
      for (int k = 0; k < 3; k++) own[3 * i + k] += m[s] * r[k] / (r2 * sqrt(r2));
    }
}

int main(int count, char **words)
{
  struct hb_force_params params = {.scheme = count > 1 ? words[1] : NULL, .eps = eps};
  struct hb_force *force;

  make_cluster();
  if (hb_force_open(&params, &force) != HB_OK) return fail();
  if (hb_force_set_j(force, N, m, x, v) != HB_OK) return fail();
  if (hb_force_begin_at(force, POINTS, at, NULL, NULL, a, j, phi) != HB_OK) return fail();
  add_up();
  if (hb_force_finish(force) != HB_OK) return fail();

  double off = 0, size = 0;
  for (int k = 0; k < 3 * POINTS; k++) off += pow(a[k] - own[k], 2), size += own[k] * own[k];
  printf("%s, %s, on %s: off by %.0e\n", hb_force_scheme(force)->name, hb_force_precision(force),
         hb_force_device(force), sqrt(off / size));
  hb_force_close(force);
  return sqrt(off / size) > 1e-5;
}
