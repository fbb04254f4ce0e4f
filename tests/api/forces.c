/* forces SCHEME: accelerations of a cluster from one scheme, beside sums in double of our own. */
#include <holmberg/holmberg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 500 };
static const double eps = 1.0 / 64;

static int fail(void)
{
  fprintf(stderr, "%s\n", hb_error());
  return 1;
}

static double error_of(size_t i, const double *m, const double *x, const double *a)
{
  double sum[3] = {0}, off = 0, size = 0;
  for (size_t j = 0; j < N; j++) {
    double r[3], r2 = eps * eps;
    for (int k = 0; k < 3; k++) r[k] = x[3 * j + k] - x[3 * i + k], r2 += r[k] * r[k];
    for (int k = 0; k < 3; k++) sum[k] += m[j] * r[k] / (r2 * sqrt(r2));
  }
  for (int k = 0; k < 3; k++) off += pow(a[k] - sum[k], 2), size += sum[k] * sum[k];
  return sqrt(off / size);
}

int main(int count, char **words)
{
  static double m[N], x[3 * N], v[3 * N], a[3 * N], j[3 * N], phi[N];
  static uint32_t index[N];
  struct hb_force_params params = {.scheme = count > 1 ? words[1] : NULL, .eps = eps};
  struct hb_force *force;

  srand(1);
  for (int i = 0; i < N; i++) {
    m[i] = 1.0 / N;
    index[i] = (uint32_t)i;
    for (int k = 0; k < 3; k++) x[3 * i + k] = rand() / (double)RAND_MAX;
  }
  if (hb_force_open(&params, &force) != HB_OK) return fail();
  if (hb_force_set_j(force, N, m, x, v) != HB_OK) return fail();
  if (hb_force_eval(force, N, index, a, j, phi) != HB_OK) return fail();

  double worst = 0;
  for (size_t i = 0; i < N; i++) worst = fmax(worst, error_of(i, m, x, a + 3 * i));
  printf("%s, %s, on %s: errors below %.0e\n", hb_force_scheme(force)->name, hb_force_precision(force),
         hb_force_device(force), pow(10, ceil(log10(worst))));
  hb_force_close(force);
  return worst > 1e-4;
}
