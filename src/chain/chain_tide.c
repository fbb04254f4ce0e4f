/* Accelerations of a chain's members by points, a tidal tensor and a field; see chain_tide.h. */
#include "chain/chain_tide.h"

#include "base/machine.h"
#include "chain/turning.h"

#include <string.h>

void hb_chain_tide_set_point(struct hb_chain_points *points, size_t k, const struct hb_chain_point *p)
{
  struct hb_chain_points *to = points + k / HB_LANES;
  size_t l = k % HB_LANES;
  to->m[l] = p->m;
  for (size_t i = 0; i < 3; i++) {
    to->x[i][l] = p->x[i], to->v[i][l] = p->v[i];
    to->a[i][l] = p->a[i], to->j[i][l] = p->j[i];
  }
}

void hb_chain_tide_get_point(const struct hb_chain_points *points, size_t k, struct hb_chain_point *p)
{
  const struct hb_chain_points *from = points + k / HB_LANES;
  size_t l = k % HB_LANES;
  p->m = from->m[l];
  for (size_t i = 0; i < 3; i++) {
    p->x[i] = from->x[i][l], p->v[i] = from->v[i][l];
    p->a[i] = from->a[i][l], p->j[i] = from->j[i][l];
  }
}

void hb_chain_tide_pad_points(struct hb_chain_points *points, size_t count)
{
  struct hb_chain_point last;
  if (count == 0) return;
  hb_chain_tide_get_point(points, count - 1, &last);
  for (last.m = 0; count % HB_LANES > 0; count++) hb_chain_tide_set_point(points, count, &last);
}

/* Adds to f[n] the accelerations by points, of members at x[n] from their center of mass. */
HB_CLONES static void add_points(size_t n, const struct hb_chain_tide *tide, double x[][3], double t,
                                 double f[][3])
{
  double sum[HB_CHAIN_MOST][3][HB_LANES], place[3][HB_LANES];
  memset(sum, 0, n * sizeof *sum);
  for (size_t from = 0; from < tide->count; from += HB_LANES) {
    const struct hb_chain_points *p = tide->points + from / HB_LANES;
    for (size_t i = 0; i < 3; i++)
#pragma omp simd
      for (size_t l = 0; l < HB_LANES; l++)
        place[i][l] = p->x[i][l] + t * (p->v[i][l] + t / 2 * (p->a[i][l] + t / 3 * p->j[i][l]));
    for (size_t k = 0; k < n; k++)
#pragma omp simd
      for (size_t l = 0; l < HB_LANES; l++) {
        double dx = place[0][l] - x[k][0], dy = place[1][l] - x[k][1], dz = place[2][l] - x[k][2];
        double r2 = dx * dx + dy * dy + dz * dz, pull = p->m[l] / (r2 * sqrt(r2));
        sum[k][0][l] += pull * dx, sum[k][1][l] += pull * dy, sum[k][2][l] += pull * dz;
      }
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] += hb_lanes_sum(sum[k][i]);
}

/* Returns the sum of m / d^3 of the points at the start of the advance. */
HB_CLONES static double tide_of_points(const struct hb_chain_tide *tide)
{
  double sum[HB_LANES] = {0};
  for (size_t from = 0; from < tide->count; from += HB_LANES) {
    const struct hb_chain_points *p = tide->points + from / HB_LANES;
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
      double x = p->x[0][l], y = p->x[1][l], z = p->x[2][l], d2 = x * x + y * y + z * z;
      sum[l] += p->m[l] / (d2 * sqrt(d2));
    }
  }
  return hb_lanes_sum(sum);
}

/* Adds to f[n] the accelerations by the tidal tensor at the time t. */
static void add_tensor(const struct hb_chain *c, const struct hb_chain_tide *tide, double x[][3], double t,
                       double f[][3])
{
  double T[6];
  for (size_t k = 0; k < 6; k++) T[k] = tide->tensor[k] + (tide->since + t) * tide->tensor[6 + k];
  for (size_t k = 0; k < c->n; k++) {
    f[k][0] += T[0] * x[k][0] + T[3] * x[k][1] + T[4] * x[k][2];
    f[k][1] += T[3] * x[k][0] + T[1] * x[k][1] + T[5] * x[k][2];
    f[k][2] += T[4] * x[k][0] + T[5] * x[k][1] + T[2] * x[k][2];
  }
}

/* Adds to f[n] the field at the members less the field at their center, at the time t. */
static void add_field(const struct hb_chain *c, const struct hb_chain_tide *tide, double x[][3], double t,
                      double f[][3])
{
  const struct hb_chain_point *p = &tide->center;
  double center[3];
  for (size_t i = 0; i < 3; i++) center[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
  for (size_t k = 0; k < c->n; k++) hb_field_difference(tide->field, center, x[k], f[k]);
}

void hb_chain_tide_on_pair(const struct hb_chain *c, const struct hb_chain_tide *tide, double t,
                           double f[2][3])
{
  double x[2][3], share = c->m[1] / (c->m[0] + c->m[1]);
  for (size_t i = 0; i < 3; i++) {
    x[0][i] = -share * c->X[0][i], x[1][i] = c->X[0][i] - share * c->X[0][i];
    f[0][i] = f[1][i] = 0;
  }
  if (tide->count > 0) add_points(2, tide, x, t, f);
  if (tide->tensor) add_tensor(c, tide, x, t, f);
}

void hb_chain_tide_on_members(const struct hb_chain *c, const struct hb_chain_tide *tide, const double X[][3],
                              double t, double f[HB_CHAIN_MOST][3])
{
  double x[HB_CHAIN_MOST][3], mean[3] = {0}, M = hb_chain_mass(c);
  hb_chain_from_center(c, X, *x);
  if (tide->turn != 0) hb_turning_rotate(c->n, -tide->turn * t, x);
  memset(f, 0, c->n * sizeof *f);
  add_points(c->n, tide, x, t, f);
  if (tide->tensor) add_tensor(c, tide, x, t, f);
  if (tide->field) add_field(c, tide, x, t, f);
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) mean[i] += c->m[k] / M * f[k][i];
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] -= mean[i];
  if (tide->turn != 0) hb_turning_rotate(c->n, tide->turn * t, f);
}

/* Adds to f the accelerations by point p at the time t: those of the second member less those of the first, which are at the shares[] of
 * the separation from their center. */
HB_CLONES static void add_point_on_orbit(const struct hb_chain_point *p, double t, const double shares[2],
                                         double x[3][HB_CHAIN_TIDE_PLACES], double f[3][HB_CHAIN_TIDE_PLACES])
{
  double at[3];
  for (size_t i = 0; i < 3; i++) at[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
#pragma omp simd
  for (size_t k = 0; k < HB_CHAIN_TIDE_PLACES; k++) {
    double ax = at[0] - shares[0] * x[0][k], ay = at[1] - shares[0] * x[1][k],
           az = at[2] - shares[0] * x[2][k];
    double bx = at[0] - shares[1] * x[0][k], by = at[1] - shares[1] * x[1][k],
           bz = at[2] - shares[1] * x[2][k];
    double a2 = ax * ax + ay * ay + az * az, b2 = bx * bx + by * by + bz * bz;
    double of_a = p->m / (a2 * sqrt(a2)), of_b = p->m / (b2 * sqrt(b2));
    f[0][k] += of_b * bx - of_a * ax, f[1][k] += of_b * by - of_a * ay, f[2][k] += of_b * bz - of_a * az;
  }
}

/* Adds to f the field at the second member less that at the first, at the time t. */
static void add_field_on_orbit(const struct hb_chain_tide *tide, double t, const double shares[2],
                               double x[3][HB_CHAIN_TIDE_PLACES], double f[3][HB_CHAIN_TIDE_PLACES])
{
  const struct hb_chain_point *p = &tide->center;
  double center[3];
  for (size_t i = 0; i < 3; i++) center[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
  for (size_t k = 0; k < HB_CHAIN_TIDE_PLACES; k++)
    for (int s = 0; s < 2; s++) {
      double at[3], pull[3] = {0};
      for (size_t i = 0; i < 3; i++) at[i] = shares[s] * x[i][k];
      hb_field_difference(tide->field, center, at, pull);
      for (size_t i = 0; i < 3; i++) f[i][k] += s ? pull[i] : -pull[i];
    }
}

/* Rotates the vectors q about z. */
static void rotate_orbit(double angle, double q[3][HB_CHAIN_TIDE_PLACES])
{
  double turned[HB_CHAIN_TIDE_PLACES][3];
  for (size_t k = 0; k < HB_CHAIN_TIDE_PLACES; k++)
    for (size_t i = 0; i < 3; i++) turned[k][i] = q[i][k];
  hb_turning_rotate(HB_CHAIN_TIDE_PLACES, angle, turned);
  for (size_t k = 0; k < HB_CHAIN_TIDE_PLACES; k++)
    for (size_t i = 0; i < 3; i++) q[i][k] = turned[k][i];
}

void hb_chain_tide_on_orbit(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                            double x[3][HB_CHAIN_TIDE_PLACES], double f[3][HB_CHAIN_TIDE_PLACES])
{
  const double M = pair->m[0] + pair->m[1], shares[2] = {-pair->m[1] / M, pair->m[0] / M};
  memset(f, 0, 3 * sizeof *f);
  if (tide->turn != 0) rotate_orbit(-tide->turn * t, x);
  for (size_t k = 0; k < tide->count; k++) {
    struct hb_chain_point p;
    hb_chain_tide_get_point(tide->points, k, &p);
    add_point_on_orbit(&p, t, shares, x, f);
  }
  if (tide->tensor) {
    double T[6];
    for (size_t k = 0; k < 6; k++) T[k] = tide->tensor[k] + (tide->since + t) * tide->tensor[6 + k];
    for (size_t k = 0; k < HB_CHAIN_TIDE_PLACES; k++) {
      f[0][k] += T[0] * x[0][k] + T[3] * x[1][k] + T[4] * x[2][k];
      f[1][k] += T[3] * x[0][k] + T[1] * x[1][k] + T[5] * x[2][k];
      f[2][k] += T[4] * x[0][k] + T[5] * x[1][k] + T[2] * x[2][k];
    }
  }
  if (tide->field) add_field_on_orbit(tide, t, shares, x, f);
  if (tide->turn != 0) rotate_orbit(tide->turn * t, x), rotate_orbit(tide->turn * t, f);
}

double hb_chain_tide_strength(const struct hb_chain *c, const struct hb_chain_tide *tide)
{
  double span = hb_chain_span(c), sum = tide_of_points(tide);
  if (tide->tensor) {
    const double *T = tide->tensor; /* for a single distant mass its norm is 6^1/2 m / d^3 */
    sum +=
        sqrt((T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5])) / 6);
  }
  if (tide->field) sum += hb_field_tide(tide->field, tide->center.x) / 2;
  return 2 * sum * span * span * span / (c->m[0] + c->m[1]);
}

/* ---- a chain as points ---- */

/* Adds to p the acceleration and jerk of member k by the other members. */
static void pull_on(const struct hb_chain *c, size_t k, struct hb_chain_point *p)
{
  for (size_t l = 0; l < c->n; l++) {
    double r[3], v[3];
    if (l == k) continue;
    hb_chain_between(c->X, k, l, r);
    hb_chain_between(c->V, k, l, v);
    hb_chain_add_pull(c->m[l], hb_dot(r, r), r, v, p->a, p->j);
  }
}

/* Makes p the center of mass of p and another point. */
static void add_point(const struct hb_chain_point *more, struct hb_chain_point *p)
{
  double M = p->m + more->m, share = more->m / M;
  for (size_t i = 0; i < 3; i++) {
    p->x[i] += share * (more->x[i] - p->x[i]), p->v[i] += share * (more->v[i] - p->v[i]);
    p->a[i] += share * (more->a[i] - p->a[i]), p->j[i] += share * (more->j[i] - p->j[i]);
  }
  p->m = M;
}

size_t hb_chain_tide_points_of(const struct hb_chain *c, double least, struct hb_chain_point *point)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  size_t points = 0, last = 0;
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < c->n; k++) {
    struct hb_chain_point p = {.m = c->m[k]};
    double r[3];
    if (c->m[k] == 0) continue; /* it pulls at nothing */
    memcpy(p.x, x + 3 * k, sizeof p.x);
    memcpy(p.v, v + 3 * k, sizeof p.v);
    pull_on(c, k, &p);
    hb_chain_between(c->X, last, k, r);
    if (points > 0 && hb_dot(r, r) < least * least)
      add_point(&p, point + points - 1);
    else
      point[points++] = p;
    last = k;
  }
  return points;
}
