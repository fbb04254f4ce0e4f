/* The speed of a client's force call: g6_rate SINKS N...: all N particles are sent, then SINKS (0: all) of them ask for forces
 * again and again, each time at a new time, so that all N are predicted. CSV: medians in microseconds, and 10^9 pairs a second.
 * tools/measure_g6.sh builds and runs it. */
#include <holmberg/g6.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES_MOST = 201 };
static const double eps2 = 1.0 / (256 * 256), seconds_most = 1;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void *array(size_t count, size_t bytes)
{
  void *p = calloc(count, bytes);
  if (!p) exit(1);
  return p;
}

static double uniform(void) { return rand() / (RAND_MAX + 1.0) - 0.5; }

static int measure(int n, int ni)
{
  int *index = array((size_t)n, sizeof *index);
  double(*x)[3] = array((size_t)n, sizeof *x), (*v)[3] = array((size_t)n, sizeof *v);
  double(*acc)[3] = array((size_t)n, sizeof *acc), (*jerk)[3] = array((size_t)n, sizeof *jerk);
  double *pot = array((size_t)n, sizeof *pot), *h2 = array((size_t)n, sizeof *h2);
  const double none[3] = {0, 0, 0};
  double took[TIMES_MOST], start, sent, t = 0;
  int times = 0, failed = 0;

  for (int k = 0; k < n; k++) {
    index[k] = k;
    for (int d = 0; d < 3; d++) x[k][d] = 2 * uniform(), v[k][d] = uniform();
  }
  start = now();
  for (int k = 0; k < n; k++) g6_set_j_particle(0, k, k, 0, 0.125, 1.0 / n, none, none, none, v[k], x[k]);
  sent = now() - start;
  for (double begin = now(); times < TIMES_MOST && (times < 5 || now() - begin < seconds_most); times++) {
    t += 1.0 / 1048576;
    start = now();
    g6_set_ti(0, t);
    g6calc_firsthalf(0, n, ni, index, x, v, acc, jerk, pot, eps2, h2);
    if (g6calc_lasthalf(0, n, ni, index, x, v, eps2, h2, acc, jerk, pot) != 0) failed = 1;
    took[times] = now() - start;
  }
  if (failed)
    fprintf(stderr, "g6_rate: %s\n", g6_error());
  else {
    qsort(took, (size_t)times, sizeof *took, ascending);
    double median = took[times / 2];
    printf("%d,%d,%.1f,%.1f,%.1f,%.4g\n", n, ni, 1e6 * sent, 1e6 * median, 1e6 * took[0],
           1e-9 * n * ni / median);
    fflush(stdout);
  }
  free(index), free(x), free(v), free(acc), free(jerk), free(pot), free(h2);
  return failed;
}

int main(int argc, char **argv)
{
  if (argc < 3) return fprintf(stderr, "usage: g6_rate SINKS N...; SINKS 0: all\n"), 2;
  int ni = atoi(argv[1]), failed = 0;
  if (g6_open(0) != 0) return fprintf(stderr, "g6_rate: %s\n", g6_error()), 5;
  for (int k = 2; k < argc && !failed; k++) {
    int n = atoi(argv[k]);
    failed = measure(n, ni > 0 && ni < n ? ni : n);
  }
  g6_close(0);
  return failed;
}
