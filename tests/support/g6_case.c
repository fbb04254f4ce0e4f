#include "support/g6_case.h"

#include <holmberg/g6.h>

#include <math.h>
#include <string.h>

/* ---- particles ---- */

static double uniform(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

void g6_particles_make(int n, struct g6_particles *p)
{
  uint64_t seed = 5;
  p->n = n;
  for (int k = 0; k < n; k++) {
    p->index[k] = 7 * k + 3;
    p->t[k] = uniform(&seed) / 8;
    p->m[k] = (1.5 + uniform(&seed)) / n;
    for (int d = 0; d < 3; d++) {
      p->x[k][d] = uniform(&seed);
      p->v[k][d] = uniform(&seed);
      p->a[k][d] = uniform(&seed);
      p->j[k][d] = 4 * uniform(&seed);
      p->s[k][d] = 16 * uniform(&seed);
    }
  }
}

void g6_place(const struct g6_particles *p, int k, double t, double x[3], double v[3])
{
  double h = t - p->t[k];
  for (int d = 0; d < 3; d++) {
    double h2 = h * h / 2, h3 = h * h * h / 6, h4 = h * h * h * h / 24;
    x[d] = p->x[k][d] + h * p->v[k][d] + h2 * p->a[k][d] + h3 * p->j[k][d] + h4 * p->s[k][d];
    v[d] = p->v[k][d] + h * p->a[k][d] + h2 * p->j[k][d] + h3 * p->s[k][d];
  }
}

void g6_send_one(int board, int address, const struct g6_particles *p, int k)
{
  double a2by18[3], a1by6[3], aby2[3];
  for (int d = 0; d < 3; d++) {
    a2by18[d] = p->s[k][d] / 18;
    a1by6[d] = p->j[k][d] / 6;
    aby2[d] = p->a[k][d] / 2;
  }
  assert_int_equal(g6_set_j_particle(board, address, p->index[k], p->t[k], 0, p->m[k], a2by18, a1by6, aby2,
                                     p->v[k], p->x[k]),
                   0);
}

void g6_send(int board, const struct g6_particles *p)
{
  for (int k = 0; k < p->n; k++) g6_send_one(board, k, p, k);
}

void g6_sinks_make(const struct g6_particles *p, int n, double t, struct g6_sinks *s)
{
  memset(s, 0, sizeof *s);
  s->n = n;
  for (int i = 0; i < n; i++) {
    s->index[i] = p->index[i];
    g6_place(p, i, t, s->x[i], s->v[i]);
  }
}

/* ---- the sums ---- */

struct sums {
  double force[7], size[3]; /* acc, jerk, pot; the sums of the sizes of their terms */
};

static double size_of(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

static void sum_over(const struct g6_particles *p, int nj, double t, double eps2, const struct g6_sinks *s,
                     int i, struct sums *sums)
{
  memset(sums, 0, sizeof *sums);
  for (int k = 0; k < nj; k++) {
    double x[3], v[3], acc[3], jerk[3], r2 = eps2, rv = 0;
    if (p->index[k] == s->index[i]) continue;
    g6_place(p, k, t, x, v);
    for (int d = 0; d < 3; d++) {
      x[d] -= s->x[i][d];
      v[d] -= s->v[i][d];
      r2 += x[d] * x[d];
      rv += x[d] * v[d];
    }
    double r = sqrt(r2), r3 = r * r2;
    for (int d = 0; d < 3; d++) {
      acc[d] = p->m[k] * x[d] / r3;
      jerk[d] = p->m[k] * (v[d] / r3 - 3 * rv * x[d] / (r3 * r2));
      sums->force[d] += acc[d];
      sums->force[3 + d] += jerk[d];
    }
    sums->force[6] -= p->m[k] / r;
    sums->size[0] += size_of(acc);
    sums->size[1] += p->m[k] * (size_of(v) / r3 + 3 * fabs(rv) * size_of(x) / (r3 * r2));
    sums->size[2] += p->m[k] / r;
  }
}

double g6_error_of(const struct g6_particles *p, int nj, double t, double eps2, const struct g6_sinks *s)
{
  double worst = 0;
  for (int i = 0; i < s->n; i++) {
    struct sums sums;
    sum_over(p, nj, t, eps2, s, i, &sums);
    double acc[3], jerk[3], pot = fabs(s->pot[i] - sums.force[6]);
    for (int d = 0; d < 3; d++) {
      acc[d] = s->acc[i][d] - sums.force[d];
      jerk[d] = s->jerk[i][d] - sums.force[3 + d];
    }
    const double errors[3] = {size_of(acc), size_of(jerk), pot};
    for (int q = 0; q < 3; q++) {
      double error = sums.size[q] > 0 ? errors[q] / sums.size[q] : errors[q];
      if (!(error <= worst)) worst = error; /* NaN, too */
    }
  }
  return worst;
}
