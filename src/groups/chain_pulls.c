#include "groups/chain_pulls.h"

#include "base/clones.h"
#include "groups/stumpff.h"

#include <math.h>
#include <string.h>

double hb_chain_mass(const struct hb_chain *chain)
{
  double M = 0;
  for (size_t k = 0; k < chain->n; k++) M += chain->m[k];
  return M;
}

void hb_chain_from_center(const struct hb_chain *c, const double link[][3], double *q)
{
  double center[3] = {0}, M = hb_chain_mass(c);
  for (size_t i = 0; i < 3; i++) q[i] = 0;
  for (size_t k = 1; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) {
      q[3 * k + i] = q[3 * k - 3 + i] + link[k - 1][i];
      center[i] += c->m[k] / M * q[3 * k + i];
    }
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) q[3 * k + i] -= center[i];
}

void hb_chain_weigh(struct hb_chain *c)
{
  size_t massive = 0;
  for (size_t k = 0; k < c->n; k++) massive += c->m[k] > 0;
  c->w = massive > 0 && massive < c->n ? hb_chain_mass(c) / (double)massive : 0;
}

void hb_chain_pull(const struct hb_chain *c, const double X[][3], struct hb_chain_pulls *pulls)
{
  const size_t n = c->n;
  const double *m = c->m;
  double U = 0;
  for (size_t i = 0; i < n; i++) pulls->a[i][0] = pulls->a[i][1] = pulls->a[i][2] = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double r[3] = {0};
    for (size_t k = i + 1; k < n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d];
      double r2 = hb_chain_dot(r, r), rinv2 = 1 / r2, rinv = sqrt(rinv2), rinv3 = rinv * rinv2;
      U += hb_chain_product(c, i, k) * rinv;
      for (size_t d = 0; d < 3; d++) {
        pulls->a[i][d] += m[k] * rinv3 * r[d];
        pulls->a[k][d] -= m[i] * rinv3 * r[d];
      }
    }
  }
  pulls->U = U;
}

/* Sum w v^2 / 2 of members without mass. */
static double kinetic_of_massless(const struct hb_chain *c, const double V[][3])
{
  double v[3 * HB_CHAIN_MOST], sum = 0;
  hb_chain_from_center(c, V, v);
  for (size_t k = 0; k < c->n; k++)
    if (c->m[k] == 0) sum += c->w * hb_chain_dot(v + 3 * k, v + 3 * k);
  return sum / 2;
}

double hb_chain_kinetic(const struct hb_chain *c, const double V[][3])
{
  double M = 0, sum = 0;
  for (size_t i = 0; i < c->n; i++) {
    double v[3] = {0};
    M += c->m[i];
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) v[d] += V[k - 1][d];
      sum += c->m[i] * c->m[k] * hb_chain_dot(v, v);
    }
  }
  return c->w > 0 ? sum / (2 * M) + kinetic_of_massless(c, V) : sum / (2 * M);
}

/* Of a member k without mass: w times f and the pulls on it, each along the velocity of whom it belongs to. */
static double work_on_massless(const struct hb_chain *c, const double X[][3], const double *v, size_t k,
                               const double f[3])
{
  double sum = hb_chain_dot(v + 3 * k, f);
  for (size_t l = 0; l < c->n; l++) {
    double r[3];
    if (!(c->m[l] > 0)) continue;
    hb_chain_between(X, k, l, r);
    double r2 = hb_chain_dot(r, r);
    sum += c->m[l] / (r2 * sqrt(r2)) * hb_chain_dot(v + 3 * l, r);
  }
  return c->w * sum;
}

double hb_chain_work(const struct hb_chain *c, const double X[][3], const double V[][3], double f[][3])
{
  double v[3 * HB_CHAIN_MOST] = {0}, sum = 0; /* relative to the first one's, since sum m f = 0 */
  for (size_t k = 1; k < c->n; k++) {
    for (size_t i = 0; i < 3; i++) v[3 * k + i] = v[3 * k - 3 + i] + V[k - 1][i];
    sum += c->m[k] * hb_chain_dot(v + 3 * k, f[k]);
  }
  if (c->w > 0) hb_chain_from_center(c, V, v);
  for (size_t k = 0; k < c->n && c->w > 0; k++)
    if (c->m[k] == 0) sum += work_on_massless(c, X, v, k, f[k]);
  return sum;
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

double hb_chain_U_slope(const struct hb_chain *c, const double X[][3], const double V[][3])
{
  double slope = 0;
  for (size_t i = 0; i + 1 < c->n; i++) {
    double r[3] = {0}, v[3] = {0};
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d], v[d] += V[k - 1][d];
      double r2 = hb_chain_dot(r, r);
      slope -= hb_chain_product(c, i, k) * hb_chain_dot(r, v) / (r2 * sqrt(r2));
    }
  }
  return slope;
}

static void place_of_point(const struct hb_chain_point *p, double t, double r[3])
{
  for (size_t i = 0; i < 3; i++) r[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
}

void hb_chain_set_point(struct hb_chain_points *points, size_t k, const struct hb_chain_point *p)
{
  struct hb_chain_points *to = points + k / HB_CHAIN_LANES;
  size_t l = k % HB_CHAIN_LANES;
  to->m[l] = p->m;
  for (size_t i = 0; i < 3; i++) {
    to->x[i][l] = p->x[i], to->v[i][l] = p->v[i];
    to->a[i][l] = p->a[i], to->j[i][l] = p->j[i];
  }
}

void hb_chain_get_point(const struct hb_chain_points *points, size_t k, struct hb_chain_point *p)
{
  const struct hb_chain_points *from = points + k / HB_CHAIN_LANES;
  size_t l = k % HB_CHAIN_LANES;
  p->m = from->m[l];
  for (size_t i = 0; i < 3; i++) {
    p->x[i] = from->x[i][l], p->v[i] = from->v[i][l];
    p->a[i] = from->a[i][l], p->j[i] = from->j[i][l];
  }
}

void hb_chain_end_points(struct hb_chain_points *points, size_t count)
{
  struct hb_chain_point last;
  if (count == 0) return;
  hb_chain_get_point(points, count - 1, &last);
  for (last.m = 0; count % HB_CHAIN_LANES > 0; count++) hb_chain_set_point(points, count, &last);
}

/* Adds to f[n] what points do to members at x[n] from their center. */
HB_CLONES static void add_points(size_t n, const struct hb_chain_tide *tide, double x[][3], double t,
                                 double f[][3])
{
  double sum[HB_CHAIN_MOST][3][HB_CHAIN_LANES], place[3][HB_CHAIN_LANES];
  memset(sum, 0, n * sizeof *sum);
  for (size_t from = 0; from < tide->count; from += HB_CHAIN_LANES) {
    const struct hb_chain_points *p = tide->points + from / HB_CHAIN_LANES;
    for (size_t i = 0; i < 3; i++)
#pragma omp simd
      for (size_t l = 0; l < HB_CHAIN_LANES; l++)
        place[i][l] = p->x[i][l] + t * (p->v[i][l] + t / 2 * (p->a[i][l] + t / 3 * p->j[i][l]));
    for (size_t k = 0; k < n; k++)
#pragma omp simd
      for (size_t l = 0; l < HB_CHAIN_LANES; l++) {
        double dx = place[0][l] - x[k][0], dy = place[1][l] - x[k][1], dz = place[2][l] - x[k][2];
        double r2 = dx * dx + dy * dy + dz * dz, pull = p->m[l] / (r2 * sqrt(r2));
        sum[k][0][l] += pull * dx, sum[k][1][l] += pull * dy, sum[k][2][l] += pull * dz;
      }
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] += hb_chain_sum_lanes(sum[k][i]);
}

HB_CLONES double hb_chain_tide_of_points(const struct hb_chain_tide *tide)
{
  double sum[HB_CHAIN_LANES] = {0};
  for (size_t from = 0; from < tide->count; from += HB_CHAIN_LANES) {
    const struct hb_chain_points *p = tide->points + from / HB_CHAIN_LANES;
#pragma omp simd
    for (size_t l = 0; l < HB_CHAIN_LANES; l++) {
      double x = p->x[0][l], y = p->x[1][l], z = p->x[2][l], d2 = x * x + y * y + z * z;
      sum[l] += p->m[l] / (d2 * sqrt(d2));
    }
  }
  return hb_chain_sum_lanes(sum);
}

static void add_field(const struct hb_chain *c, const struct hb_chain_tide *tide, double x[][3], double t,
                      double f[][3])
{
  double center[3];
  place_of_point(&tide->center, t, center);
  for (size_t k = 0; k < c->n; k++) hb_field_difference(tide->field, center, x[k], f[k]);
}

void hb_chain_rotate(size_t n, double angle, double q[][3])
{
  double c[4];
  hb_stumpff(angle, c);
  double sine = angle * c[1], versed = angle * angle * c[2];
  for (size_t k = 0; k < n; k++) { /* a small angle's rounding errors are small, and lengths stay */
    double x = q[k][0], y = q[k][1];
    q[k][0] -= sine * y + versed * x;
    q[k][1] += sine * x - versed * y;
  }
}

void hb_chain_others(const struct hb_chain *c, const struct hb_chain_tide *tide, const double X[][3],
                     double t, double f[HB_CHAIN_MOST][3])
{
  double x[HB_CHAIN_MOST][3], mean[3] = {0}, M = hb_chain_mass(c);
  hb_chain_from_center(c, X, *x);
  if (tide->turn != 0) hb_chain_rotate(c->n, -tide->turn * t, x);
  memset(f, 0, c->n * sizeof *f);
  add_points(c->n, tide, x, t, f);
  if (tide->field) add_field(c, tide, x, t, f);
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) mean[i] += c->m[k] / M * f[k][i];
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] -= mean[i];
  if (tide->turn != 0) hb_chain_rotate(c->n, tide->turn * t, f);
}
