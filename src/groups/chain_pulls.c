#include "groups/chain_pulls.h"

#include <math.h>
#include <string.h>

void hb_chain_pull(size_t n, const double *m, const double X[][3], struct hb_chain_pulls *pulls)
{
  double U = 0;
  for (size_t i = 0; i < n; i++) pulls->a[i][0] = pulls->a[i][1] = pulls->a[i][2] = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double r[3] = {0};
    for (size_t k = i + 1; k < n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d];
      double r2 = hb_chain_dot(r, r), rinv2 = 1 / r2, rinv = sqrt(rinv2), rinv3 = rinv * rinv2;
      U += m[i] * m[k] * rinv;
      for (size_t d = 0; d < 3; d++) {
        pulls->a[i][d] += m[k] * rinv3 * r[d];
        pulls->a[k][d] -= m[i] * rinv3 * r[d];
      }
    }
  }
  pulls->U = U;
}

double hb_chain_kinetic(size_t n, const double *m, const double V[][3])
{
  double M = 0, sum = 0;
  for (size_t i = 0; i < n; i++) {
    double v[3] = {0};
    M += m[i];
    for (size_t k = i + 1; k < n; k++) {
      for (size_t d = 0; d < 3; d++) v[d] += V[k - 1][d];
      sum += m[i] * m[k] * hb_chain_dot(v, v);
    }
  }
  return sum / (2 * M);
}

double hb_chain_rate(size_t n, const double *m, const double X[][3], const double V[][3])
{
  double largest = 0;
  for (size_t k = 0; k + 1 < n; k++) {
    double r2 = hb_chain_dot(X[k], X[k]), v2 = hb_chain_dot(V[k], V[k]);
    double fall = (m[k] + m[k + 1]) / (r2 * sqrt(r2)), pass = v2 / r2;
    double rate = fall > pass ? fall : pass;
    if (rate > largest) largest = rate;
  }
  return sqrt(largest);
}

double hb_chain_U_slope(size_t n, const double *m, const double X[][3], const double V[][3])
{
  double slope = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double r[3] = {0}, v[3] = {0};
    for (size_t k = i + 1; k < n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d], v[d] += V[k - 1][d];
      double r2 = hb_chain_dot(r, r);
      slope -= m[i] * m[k] * hb_chain_dot(r, v) / (r2 * sqrt(r2));
    }
  }
  return slope;
}

static void place_of_point(const struct hb_chain_point *p, double t, double r[3])
{
  for (size_t i = 0; i < 3; i++) r[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
}

void hb_chain_others(const struct hb_chain *c, const struct hb_chain_tide *tide, const double X[][3],
                     double t, double f[HB_CHAIN_MOST][3])
{
  double x[HB_CHAIN_MOST][3] = {{0}}, center[3] = {0}, mean[3] = {0}, M = 0;
  for (size_t k = 0; k < c->n; k++) M += c->m[k];
  for (size_t k = 1; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) {
      x[k][i] = x[k - 1][i] + X[k - 1][i];
      center[i] += c->m[k] / M * x[k][i];
    }
  memset(f, 0, c->n * sizeof *f);
  for (size_t p = 0; p < tide->count; p++) {
    double place[3], r[3];
    place_of_point(tide->point + p, t, place);
    for (size_t k = 0; k < c->n; k++) {
      for (size_t i = 0; i < 3; i++) r[i] = place[i] - (x[k][i] - center[i]);
      double r2 = hb_chain_dot(r, r), pull = tide->point[p].m / (r2 * sqrt(r2));
      for (size_t i = 0; i < 3; i++) f[k][i] += pull * r[i];
    }
  }
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) mean[i] += c->m[k] / M * f[k][i];
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] -= mean[i];
}
