/* A star cluster by the Hermite scheme with block steps, as programs for GRAPE-6 do it:
 *   g6_cluster N [host|g6 [ETA]]     forces by g6_..., or by a double sum of its own; ETA is that of the time steps (0.01)
 * prints N, the energy at t = 1, its error, block steps, and particle steps */
#include <holmberg/g6.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };
static const double eps2 = 1.0 / (64 * 64), dt_most = 1.0 / 8, t_end = 1;
static double eta = 0.01;

static int n, on_host;
static double m[MOST], t[MOST], dt[MOST], x[MOST][3], v[MOST][3], a[MOST][3], jerk[MOST][3];

static int block[MOST], ni;
static double xi[MOST][3], vi[MOST][3], acc[MOST][3], jrk[MOST][3], pot[MOST];

/* ---- a Plummer sphere, G = M = 1, E = -1/4 ---- */

static double uniform(void)
{
  static unsigned long long state = 12345;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static void on_sphere(double r, double p[3])
{
  double z = 2 * uniform() - 1, phi = 6.283185307179586 * uniform(), s = sqrt(1 - z * z);
  p[0] = r * s * cos(phi);
  p[1] = r * s * sin(phi);
  p[2] = r * z;
}

static void plummer(void)
{
  const double length = 3 * 3.141592653589793 / 16;
  for (int k = 0; k < n; k++) {
    double r, q, g;
    do r = 1 / sqrt(pow(uniform(), -2.0 / 3) - 1);
    while (r > 10);
    do q = uniform(), g = 0.1 * uniform();
    while (g > q * q * pow(1 - q * q, 3.5));
    m[k] = 1.0 / n;
    on_sphere(length * r, x[k]);
    on_sphere(q * sqrt(2) * pow(1 + r * r, -0.25) / sqrt(length), v[k]);
  }
  for (int d = 0; d < 3; d++) {
    double xc = 0, vc = 0;
    for (int k = 0; k < n; k++) xc += m[k] * x[k][d], vc += m[k] * v[k][d];
    for (int k = 0; k < n; k++) x[k][d] -= xc, v[k][d] -= vc;
  }
}

/* ---- forces ---- */

static void predict(int k, double now, double *xp, double *vp)
{
  double h = now - t[k];
  for (int d = 0; d < 3; d++) {
    xp[d] = x[k][d] + h * (v[k][d] + h / 2 * (a[k][d] + h / 3 * jerk[k][d]));
    vp[d] = v[k][d] + h * (a[k][d] + h / 2 * jerk[k][d]);
  }
}

static void forces_of_host(double now)
{
  static double xj[MOST][3], vj[MOST][3];
  for (int k = 0; k < n; k++) predict(k, now, xj[k], vj[k]);
  for (int i = 0; i < ni; i++) {
    memset(acc[i], 0, sizeof acc[i]);
    memset(jrk[i], 0, sizeof jrk[i]);
    pot[i] = 0;
    for (int k = 0; k < n; k++) {
      double dx[3], dv[3], r2 = eps2, rv = 0;
      if (k == block[i]) continue;
      for (int d = 0; d < 3; d++) {
        dx[d] = xj[k][d] - xi[i][d];
        dv[d] = vj[k][d] - vi[i][d];
        r2 += dx[d] * dx[d];
        rv += dx[d] * dv[d];
      }
      double m_r = m[k] / sqrt(r2), m_r3 = m_r / r2;
      pot[i] -= m_r;
      for (int d = 0; d < 3; d++) acc[i][d] += m_r3 * dx[d];
      for (int d = 0; d < 3; d++) jrk[i][d] += m_r3 * (dv[d] - 3 * rv / r2 * dx[d]);
    }
  }
}

static void send(int k)
{
  double a2[3], j6[3], none[3] = {0};
  for (int d = 0; d < 3; d++) a2[d] = a[k][d] / 2, j6[d] = jerk[k][d] / 6;
  g6_set_j_particle(0, k, k, t[k], dt[k], m[k], none, j6, a2, v[k], x[k]);
}

static void forces_of_g6(double now)
{
  static double h2[MOST];
  int pipes = g6_npipes();
  g6_set_ti(0, now);
  for (int k = 0; k < ni; k += pipes) {
    int count = ni - k < pipes ? ni - k : pipes;
    g6calc_firsthalf(0, n, count, block + k, xi + k, vi + k, acc + k, jrk + k, pot + k, eps2, h2);
    if (g6calc_lasthalf(0, n, count, block + k, xi + k, vi + k, eps2, h2, acc + k, jrk + k, pot + k)) {
      printf("g6calc_lasthalf: %s\n", g6_error());
      exit(1);
    }
  }
}

static void forces(double now)
{
  for (int i = 0; i < ni; i++) predict(block[i], now, xi[i], vi[i]);
  if (on_host)
    forces_of_host(now);
  else
    forces_of_g6(now);
}

/* ---- the scheme ---- */

static double size(const double *p) { return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]); }

static double power_of_two(double step)
{
  double p = dt_most;
  while (p > step) p /= 2;
  return p;
}

/* Corrects the block's i-th particle, and chooses its next step. */
static void correct(int i, double now)
{
  int k = block[i];
  double h = dt[k], a2[3], a3[3];
  for (int d = 0; d < 3; d++) {
    double da = a[k][d] - acc[i][d];
    a2[d] = (-6 * da - h * (4 * jerk[k][d] + 2 * jrk[i][d])) / (h * h);
    a3[d] = (12 * da + 6 * h * (jerk[k][d] + jrk[i][d])) / (h * h * h);
    x[k][d] = xi[i][d] + h * h * h * h * (a2[d] / 24 + h * a3[d] / 120);
    v[k][d] = vi[i][d] + h * h * h * (a2[d] / 6 + h * a3[d] / 24);
    a2[d] += h * a3[d];
    a[k][d] = acc[i][d];
    jerk[k][d] = jrk[i][d];
  }
  double wanted = sqrt(eta * (size(a[k]) * size(a2) + size(jerk[k]) * size(jerk[k])) /
                       (size(jerk[k]) * size(a3) + size(a2) * size(a2)));
  t[k] = now;
  if (wanted < h)
    dt[k] = power_of_two(wanted);
  else if (wanted >= 2 * h && 2 * h <= dt_most && fmod(now, 2 * h) == 0)
    dt[k] = 2 * h;
}

static double energy(double now)
{
  double e = 0;
  ni = n;
  for (int k = 0; k < n; k++) block[k] = k;
  for (int k = 0; k < n; k++) predict(k, now, xi[k], vi[k]);
  forces_of_host(now);
  for (int k = 0; k < n; k++) e += m[k] * (pot[k] + size(vi[k]) * size(vi[k])) / 2;
  return e;
}

int main(int argc, char **argv)
{
  long blocks = 0, steps = 0;
  n = argc > 1 ? atoi(argv[1]) : 0;
  on_host = argc > 2 && strcmp(argv[2], "host") == 0;
  if (argc > 3) eta = atof(argv[3]);
  if (n < 2 || n > MOST) return printf("expected a number of particles, 2 to %d\n", MOST), 2;
  if (!on_host && g6_open(0)) return printf("g6_open: %s\n", g6_error()), 1;
  plummer();
  double e0 = energy(0), now = 0;
  for (int k = 0; k < n && !on_host; k++) send(k);
  forces(0);
  for (int k = 0; k < n; k++) {
    memcpy(a[k], acc[k], sizeof a[k]);
    memcpy(jerk[k], jrk[k], sizeof jerk[k]);
    dt[k] = power_of_two(eta / 2 * size(a[k]) / size(jerk[k]));
    if (!on_host) send(k);
  }
  while (now < t_end) {
    now = t_end;
    for (int k = 0; k < n; k++) now = fmin(now, t[k] + dt[k]);
    ni = 0;
    for (int k = 0; k < n; k++)
      if (t[k] + dt[k] == now) block[ni++] = k;
    forces(now);
    for (int i = 0; i < ni; i++) correct(i, now);
    for (int i = 0; i < ni && !on_host; i++) send(block[i]);
    blocks++;
    steps += ni;
  }
  double e = energy(now);
  if (!on_host) g6_close(0);
  printf("%d %.17g %.3e %ld %ld\n", n, e, (e - e0) / fabs(e0), blocks, steps);
  return 0;
}
