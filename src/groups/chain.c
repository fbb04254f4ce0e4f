#include "groups/chain.h"

#include "base/clones.h"
#include "core/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- post-Newtonian terms of two bodies, of order 1, 2 and 2.5 in (v / c)^2, in harmonic coordinates: Kidder 1995, PRD 52,
 * 821, eqs 2.2; no spins ---- */

/* Nearer to each other than this times G M / c^2, they mean nothing. */
static const double pn_least = 6;

/* A term is a factor on n = x / r, or on v. */
struct terms {
  double n, v;
};

static struct terms first(double eta, double u, double v2, double s)
{
  return (struct terms){.n = (1 + 3 * eta) * v2 - 2 * (2 + eta) * u - 1.5 * eta * s * s,
                        .v = -2 * (2 - eta) * s};
}

static struct terms second(double eta, double u, double v2, double s)
{
  double s2 = s * s, eta2 = eta * eta;
  return (struct terms){
      .n = 0.75 * (12 + 29 * eta) * u * u + eta * (3 - 4 * eta) * v2 * v2 +
           1.875 * eta * (1 - 3 * eta) * s2 * s2 - 1.5 * eta * (3 - 4 * eta) * v2 * s2 -
           0.5 * eta * (13 - 4 * eta) * u * v2 - (2 + 25 * eta + 2 * eta2) * u * s2,
      .v = -0.5 * s *
           (eta * (15 + 4 * eta) * v2 - (4 + 41 * eta + 8 * eta2) * u - 3 * eta * (3 + 2 * eta) * s2)};
}

static struct terms radiation(double eta, double u, double v2, double s)
{
  return (struct terms){.n = -1.6 * eta * u * s * (3 * v2 + 17. / 3 * u), .v = 1.6 * eta * u * (v2 + 3 * u)};
}

/* In u = M / r, v^2 and s = r', over powers of c. */
/* g: what they add to the relative acceleration of masses m[2], G = 1, apart by x with the velocity v; c is the speed of light. */
static void pn_pull(const double m[2], double c, const double x[3], const double v[3], double g[3])
{
  double M = m[0] + m[1], eta = m[0] * m[1] / (M * M), r = hb_norm(x), u = M / r;
  double v2 = hb_dot(v, v), s = hb_dot(x, v) / r, c2 = c * c;
  const struct terms a = first(eta, u, v2, s), b = second(eta, u, v2, s), d = radiation(eta, u, v2, s);
  double of_n = (a.n + (b.n + d.n / c) / c2) / c2, of_v = (a.v + (b.v + d.v / c) / c2) / c2;
  for (int i = 0; i < 3; i++) g[i] = -u / r * (of_n * x[i] / r + of_v * v[i]);
}

/* ---- what members do to each other, and others to them ---- */

double hb_chain_mass(const struct hb_chain *chain)
{
  double M = 0;
  for (size_t k = 0; k < chain->n; k++) M += chain->m[k];
  return M;
}

/* q[3 * n] of the members relative to their center of mass, where link[] are the differences along the chain. */
static void from_center(const struct hb_chain *c, const double link[][3], double *q)
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

static void pull_members(const struct hb_chain *c, const double X[][3], struct hb_chain_pulls *pulls)
{
  const size_t n = c->n;
  const double *m = c->m;
  double U = 0;
  for (size_t i = 0; i < n; i++) pulls->a[i][0] = pulls->a[i][1] = pulls->a[i][2] = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double r[3] = {0};
    for (size_t k = i + 1; k < n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d];
      double r2 = hb_dot(r, r), rinv2 = 1 / r2, rinv = sqrt(rinv2), rinv3 = rinv * rinv2;
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
  from_center(c, V, v);
  for (size_t k = 0; k < c->n; k++)
    if (c->m[k] == 0) sum += c->w * hb_dot(v + 3 * k, v + 3 * k);
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
      sum += c->m[i] * c->m[k] * hb_dot(v, v);
    }
  }
  return c->w > 0 ? sum / (2 * M) + kinetic_of_massless(c, V) : sum / (2 * M);
}

/* Of a member k without mass: w times f and the pulls on it, each along the velocity of whom it belongs to. */
static double work_on_massless(const struct hb_chain *c, const double X[][3], const double *v, size_t k,
                               const double f[3])
{
  double sum = hb_dot(v + 3 * k, f);
  for (size_t l = 0; l < c->n; l++) {
    double r[3];
    if (!(c->m[l] > 0)) continue;
    hb_chain_between(X, k, l, r);
    double r2 = hb_dot(r, r);
    sum += c->m[l] / (r2 * sqrt(r2)) * hb_dot(v + 3 * l, r);
  }
  return c->w * sum;
}

/* -dB/dt by the pulls f[n] of others, whose sum over masses is 0, and by what moves under members without mass. */
static double work_of(const struct hb_chain *c, const double X[][3], const double V[][3], double f[][3])
{
  double v[3 * HB_CHAIN_MOST] = {0}, sum = 0; /* relative to the first one's, since sum m f = 0 */
  for (size_t k = 1; k < c->n; k++) {
    for (size_t i = 0; i < 3; i++) v[3 * k + i] = v[3 * k - 3 + i] + V[k - 1][i];
    sum += c->m[k] * hb_dot(v + 3 * k, f[k]);
  }
  if (c->w > 0) from_center(c, V, v);
  for (size_t k = 0; k < c->n && c->w > 0; k++)
    if (c->m[k] == 0) sum += work_on_massless(c, X, v, k, f[k]);
  return sum;
}

double hb_chain_rate(size_t n, const double *m, const double X[][3], const double V[][3])
{
  double largest = 0;
  for (size_t k = 0; k + 1 < n; k++) {
    double r2 = hb_dot(X[k], X[k]), v2 = hb_dot(V[k], V[k]);
    double fall = (m[k] + m[k + 1]) / (r2 * sqrt(r2)), pass = v2 / r2;
    double rate = fall > pass ? fall : pass;
    if (rate > largest) largest = rate;
  }
  return sqrt(largest);
}

/* dU / dt of the links' motion. */
static double slope_of_U(const struct hb_chain *c, const double X[][3], const double V[][3])
{
  double slope = 0;
  for (size_t i = 0; i + 1 < c->n; i++) {
    double r[3] = {0}, v[3] = {0};
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d], v[d] += V[k - 1][d];
      double r2 = hb_dot(r, r);
      slope -= hb_chain_product(c, i, k) * hb_dot(r, v) / (r2 * sqrt(r2));
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

/* Sum of m / d^3 of the points at the start of the advance. */
HB_CLONES static double tide_of_points(const struct hb_chain_tide *tide)
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

static void add_field(const struct hb_chain *c, const struct hb_chain_tide *tide, double x[][3], double t,
                      double f[][3])
{
  double center[3];
  place_of_point(&tide->center, t, center);
  for (size_t k = 0; k < c->n; k++) hb_field_difference(tide->field, center, x[k], f[k]);
}

/* f[2] with their mean, of a pair without a field. */
static void chain_others_of_pair(const struct hb_chain *c, const struct hb_chain_tide *tide, double t,
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

/* Functions of an angle, by operations that are the same everywhere (Stumpff): cos x, sin x / x, (1 - cos x) / x^2, (x - sin x) / x^3; NaN
 * where x^2 overflows. */
static void chain_stumpff(double x, double c[4])
{
  enum { TERMS = 7 };
  double z = x * x;
  int halvings = 0;
  for (; z > 0.1 && z <= DBL_MAX; halvings++) z /= 4;
  c[2] = c[3] = 1;
  for (int k = TERMS; k > 0; k--) {
    c[2] = 1 - z * c[2] / ((2 * k + 1) * (2 * k + 2));
    c[3] = 1 - z * c[3] / ((2 * k + 2) * (2 * k + 3));
  }
  c[2] /= 2, c[3] /= 6;
  c[0] = 1 - z * c[2], c[1] = 1 - z * c[3];
  for (; halvings > 0; halvings--) {
    c[3] = (c[2] + c[0] * c[3]) / 4;
    c[2] = c[1] * c[1] / 2;
    c[1] *= c[0];
    c[0] = 2 * c[0] * c[0] - 1;
  }
}

void hb_chain_rotate(size_t n, double angle, double q[][3])
{
  double c[4];
  chain_stumpff(angle, c);
  double sine = angle * c[1], versed = angle * angle * c[2];
  for (size_t k = 0; k < n; k++) { /* a small angle's rounding errors are small, and lengths stay */
    double x = q[k][0], y = q[k][1];
    q[k][0] -= sine * y + versed * x;
    q[k][1] += sine * x - versed * y;
  }
}

/* f[n]: the pulls of others on the members, linked by X, at a time t after the start of the advance, less their mean. */
static void chain_others(const struct hb_chain *c, const struct hb_chain_tide *tide, const double X[][3],
                         double t, double f[HB_CHAIN_MOST][3])
{
  double x[HB_CHAIN_MOST][3], mean[3] = {0}, M = hb_chain_mass(c);
  from_center(c, X, *x);
  if (tide->turn != 0) hb_chain_rotate(c->n, -tide->turn * t, x);
  memset(f, 0, c->n * sizeof *f);
  add_points(c->n, tide, x, t, f);
  if (tide->tensor) add_tensor(c, tide, x, t, f);
  if (tide->field) add_field(c, tide, x, t, f);
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) mean[i] += c->m[k] / M * f[k][i];
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] -= mean[i];
  if (tide->turn != 0) hb_chain_rotate(c->n, tide->turn * t, f);
}

/* ---- order, making, facts ---- */

/* |r|^2 between any two members. */
static void separations(const struct hb_chain *c, double r2[HB_CHAIN_MOST][HB_CHAIN_MOST])
{
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = i + 1; k < c->n; k++) {
      double r[3];
      hb_chain_between(c->X, i, k, r);
      r2[i][k] = r2[k][i] = hb_dot(r, r);
    }
}

/* The closest two, then always the one closest to either end, at that end. */
static void find_order(size_t n, double r2[HB_CHAIN_MOST][HB_CHAIN_MOST], size_t order[HB_CHAIN_MOST])
{
  size_t two_ends[2 * HB_CHAIN_MOST], first = HB_CHAIN_MOST, last = HB_CHAIN_MOST + 1;
  int is_in[HB_CHAIN_MOST] = {0};
  size_t *at = two_ends, a = 0, b = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t k = i + 1; k < n; k++)
      if (r2[i][k] < r2[a][b]) a = i, b = k;
  at[first] = a, at[last] = b;
  is_in[a] = is_in[b] = 1;
  while (last - first + 1 < n) {
    size_t next = n, front = 0;
    double least = INFINITY;
    for (size_t k = 0; k < n; k++) {
      if (is_in[k]) continue;
      double to_first = r2[at[first]][k], to_last = r2[at[last]][k];
      double r = to_first < to_last ? to_first : to_last;
      if (next == n || r < least) least = r, next = k, front = to_first < to_last;
    }
    at[front ? --first : ++last] = next;
    is_in[next] = 1;
  }
  for (size_t k = 0; k < n; k++) order[k] = at[first + k];
}

static int is_same_order(size_t n, const size_t order[HB_CHAIN_MOST])
{
  int same = 1, reversed = 1;
  for (size_t k = 0; k < n; k++) {
    if (order[k] != k) same = 0;
    if (order[k] != n - 1 - k) reversed = 0;
  }
  return same || reversed;
}

/* New links are sums of old ones. */
static void put_in_order(struct hb_chain *c, const size_t order[HB_CHAIN_MOST])
{
  const struct hb_chain old = *c;
  for (size_t k = 0; k < c->n; k++) {
    c->m[k] = old.m[order[k]];
    c->member[k] = old.member[order[k]];
  }
  for (size_t k = 0; k + 1 < c->n; k++) {
    hb_chain_between(old.X, order[k], order[k + 1], c->X[k]);
    hb_chain_between(old.V, order[k], order[k + 1], c->V[k]);
  }
}

/* Makes close neighbors neighbors in the chain. */
static void sort_chain(struct hb_chain *c)
{
  double r2[HB_CHAIN_MOST][HB_CHAIN_MOST];
  size_t order[HB_CHAIN_MOST];
  if (c->n < 3) return;
  separations(c, r2);
  find_order(c->n, r2, order);
  if (!is_same_order(c->n, order)) put_in_order(c, order);
}

/* B, and a first step: a small part of the shortest time in which a link changes. */
static void begin_chain(struct hb_chain *c)
{
  static const double part = 1. / 16;
  struct hb_chain_pulls pulls;
  c->B = c->ds = c->w = 0;
  c->rows = HB_CHAIN_ROWS_FIRST;
  if (c->n < 2) return;
  hb_chain_weigh(c);
  pull_members(c, c->X, &pulls);
  c->B = pulls.U - hb_chain_kinetic(c, c->V);
  c->ds = part * pulls.U / hb_chain_rate(c->n, c->m, c->X, c->V);
}

void hb_chain_make(size_t n, const uint32_t *member, const double *m, const double *x, const double *v,
                   struct hb_chain *chain)
{
  struct hb_chain c = {.n = n};
  for (size_t k = 0; k < n; k++) {
    c.member[k] = member[k];
    c.m[k] = m[k];
    for (size_t i = 0; i < 3 && k > 0; i++) {
      c.X[k - 1][i] = x[3 * k + i] - x[3 * k - 3 + i];
      c.V[k - 1][i] = v[3 * k + i] - v[3 * k - 3 + i];
    }
  }
  sort_chain(&c);
  begin_chain(&c);
  *chain = c;
}

void hb_chain_part(const struct hb_chain *chain, size_t first, size_t n, struct hb_chain *part)
{
  struct hb_chain c = {.n = n};
  memcpy(c.member, chain->member + first, n * sizeof *c.member);
  memcpy(c.m, chain->m + first, n * sizeof *c.m);
  memcpy(c.X, chain->X + first, (n - 1) * sizeof *c.X);
  memcpy(c.V, chain->V + first, (n - 1) * sizeof *c.V);
  begin_chain(&c);
  *part = c;
}

void hb_chain_places(const struct hb_chain *chain, double *x, double *v)
{
  from_center(chain, chain->X, x);
  from_center(chain, chain->V, v);
}

/* What member k feels from the others. */
static void pull_on(const struct hb_chain *c, size_t k, struct hb_chain_point *p)
{
  for (size_t l = 0; l < c->n; l++) {
    double r[3], v[3];
    if (l == k) continue;
    hb_chain_between(c->X, k, l, r);
    hb_chain_between(c->V, k, l, v);
    double r2 = hb_dot(r, r), mr3 = c->m[l] / (r2 * sqrt(r2)), s = 3 * hb_dot(r, v) / r2;
    for (size_t i = 0; i < 3; i++) p->a[i] += mr3 * r[i], p->j[i] += mr3 * (v[i] - s * r[i]);
  }
}

static void add_point(const struct hb_chain_point *more, struct hb_chain_point *p)
{
  double M = p->m + more->m, share = more->m / M;
  for (size_t i = 0; i < 3; i++) {
    p->x[i] += share * (more->x[i] - p->x[i]), p->v[i] += share * (more->v[i] - p->v[i]);
    p->a[i] += share * (more->a[i] - p->a[i]), p->j[i] += share * (more->j[i] - p->j[i]);
  }
  p->m = M;
}

size_t hb_chain_parts(const struct hb_chain *c, double least, struct hb_chain_point *point)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  size_t points = 0, last = 0;
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < c->n; k++) {
    struct hb_chain_point p = {.m = c->m[k]};
    double r[3];
    if (c->m[k] == 0) continue; /* nobody feels it */
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

double hb_chain_span(const struct hb_chain *chain)
{
  return chain->B > 0 ? hb_chain_product(chain, 0, 1) / chain->B : INFINITY;
}

double hb_chain_binding(const struct hb_chain *chain)
{
  struct hb_chain_pulls pulls;
  if (chain->n < 2) return 0;
  pull_members(chain, chain->X, &pulls);
  return pulls.U - hb_chain_kinetic(chain, chain->V);
}

double hb_chain_energy(const struct hb_chain *chain)
{
  struct hb_chain massive = *chain;
  massive.w = 0;
  return -hb_chain_binding(&massive);
}

/* ---- bodies whose surfaces meet ---- */

static const double two_pi = 6.28318530717958647693;

/* Less than an orbit apart, they have passed the pericenter if they approach no more, or are at a later approach: for that half an
 * orbit is too short, while in a step that rounding swallows they approach and come no nearer. */
static int has_passed(int is_short, const double x0[3], const double v0[3], const double x1[3],
                      const double v1[3])
{
  int is_nearer = hb_dot(x1, x1) < hb_dot(x0, x0), approaches = hb_dot(x1, v1) < 0;
  if (hb_dot(x0, v0) < 0) return !(approaches && (is_nearer || is_short));
  return !approaches && is_nearer;
}

int hb_chain_touches(double M, double reach, double dt, const double x0[3], const double v0[3],
                     const double x1[3], const double v1[3])
{
  if (dt < 0) return hb_chain_touches(M, reach, -dt, x1, v1, x0, v0);
  double r2 = hb_dot(x1, x1), v2 = hb_dot(v1, v1), rv = hb_dot(x1, v1);
  if (r2 < reach * reach) return 1;
  double a_inverse = 2 / sqrt(r2) - v2 / M, h2 = r2 * v2 - rv * rv, e2 = 1 - h2 * a_inverse / M;
  double q = h2 / M / (1 + sqrt(e2 > 0 ? e2 : 0));
  if (!(q < reach)) return 0;
  double rate2 = a_inverse > 0 ? M * a_inverse * a_inverse * a_inverse : 0; /* (2 pi / period)^2 */
  double turn2 = dt * dt * rate2;
  return turn2 > two_pi * two_pi || has_passed(turn2 < two_pi * two_pi / 4, x0, v0, x1, v1);
}

static size_t rank_of(const struct hb_chain *c, size_t k)
{
  size_t rank = 0;
  for (size_t l = 0; l < c->n; l++) rank += c->member[l] < c->member[k];
  return rank;
}

void hb_chain_meet(struct hb_chain *c, size_t k, size_t l)
{
  size_t p = rank_of(c, k), q = rank_of(c, l);
  c->met[p] |= (uint8_t)(1U << q);
  c->met[q] |= (uint8_t)(1U << p);
}

int hb_chain_have_met(const struct hb_chain *c, size_t k, size_t l)
{
  return c->met[rank_of(c, k)] >> rank_of(c, l) & 1;
}

/* Chains in coordinates that turn about z. Their members feel Coriolis' force, which no leapfrog of kicks and drifts has: it is
 * in axes at rest, as the coordinates are at its start, that a chain is advanced. */

/* Of members without mass, which are relative to the center of mass. */
static double of_massless(const struct hb_chain *c, double W)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], sum = 0;
  if (!(c->w > 0)) return 0;
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < 3 * c->n; k += 3)
    if (c->m[k / 3] == 0)
      sum += W * (x[k] * v[k + 1] - x[k + 1] * v[k]) - W * W / 2 * (x[k] * x[k] + x[k + 1] * x[k + 1]);
  return c->w * sum;
}

/* What T becomes less by: W L_z - W^2 I_z / 2 with angular momentum and moment of inertia about the center of mass. */
static double kinetic_of_turn(const struct hb_chain *c, double W)
{
  double sum = 0;
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = i + 1; k < c->n; k++) {
      double r[3], v[3];
      hb_chain_between(c->X, i, k, r);
      hb_chain_between(c->V, i, k, v);
      double L = r[0] * v[1] - r[1] * v[0], I = r[0] * r[0] + r[1] * r[1];
      sum += c->m[i] * c->m[k] * (W * L - W * W / 2 * I);
    }
  return sum / hb_chain_mass(c) + of_massless(c, W);
}

void hb_chain_turn(struct hb_chain *c, double W)
{
  c->B += kinetic_of_turn(c, W);
  for (size_t k = 0; k + 1 < c->n; k++) {
    c->V[k][0] += W * c->X[k][1];
    c->V[k][1] -= W * c->X[k][0];
  }
}

/* Advancing a chain: the leapfrog of chain.h, the Gragg-Bulirsch-Stoer extrapolation of its results (Hairer, Norsett &
 * Wanner 1993, II.9), and landing at a given time. */

/* Relative, in a step: some times the rounding of the extrapolation. */
static const double tolerance = 1.5e-14;

/* ---- the leapfrog ---- */

/* What a step adds to links, their velocities, time and B. */
enum { LINKS = HB_CHAIN_MOST - 1 };
struct change {
  double X[LINKS][3], V[LINKS][3];
  double t, B;
  double lost;
};

/* One call of hb_chain_advance. */
struct advance {
  struct hb_chain *c;
  const struct hb_chain_tide *tide;
  double t;    /* since its beginning */
  double W[3]; /* of a leapfrog with post-Newtonian terms */
  uint64_t forces;
};

static void add_links(size_t links, const double link[][3], const double more[][3], double sum[][3])
{
  for (size_t k = 0; k < links; k++)
    for (size_t i = 0; i < 3; i++) sum[k][i] = link[k][i] + more[k][i];
}

static int is_relativistic(const struct advance *s)
{
  return s->tide->light > 0 && s->c->n == 2 && s->c->m[0] > 0 && s->c->m[1] > 0;
}

/* A pair, with A the rest of the relative acceleration; middle is W between the halves. */
static void kick_relativistic(struct advance *s, const double X[3], const double A[3], double dt,
                              struct change *d, double middle[3])
{
  const struct hb_chain *c = s->c;
  double V[3], g[3];
  for (size_t i = 0; i < 3; i++) V[i] = c->V[0][i] + d->V[0][i];
  pn_pull(c->m, s->tide->light, X, V, g);
  for (size_t i = 0; i < 3; i++) middle[i] = s->W[i] + dt / 2 * (A[i] + g[i]);
  pn_pull(c->m, s->tide->light, X, middle, g);
  double lost = -dt * c->m[0] * c->m[1] / (c->m[0] + c->m[1]) * hb_dot(middle, g);
  d->B += lost, d->lost += lost;
  for (size_t i = 0; i < 3; i++) d->V[0][i] += dt * (A[i] + g[i]), V[i] = c->V[0][i] + d->V[0][i];
  pn_pull(c->m, s->tide->light, X, V, g);
  for (size_t i = 0; i < 3; i++) s->W[i] = middle[i] + dt / 2 * (A[i] + g[i]);
}

/* Kicks by ds, or, where that is 0, by the time dt; d is what was added since the start of the step. */
static void kick(struct advance *s, double ds, double dt, struct change *d)
{
  const struct hb_chain *c = s->c;
  size_t links = c->n - 1;
  double X[LINKS][3], middle[LINKS][3], f[HB_CHAIN_MOST][3] = {{0}};
  struct hb_chain_pulls pulls;
  add_links(links, s->c->X, d->X, X);
  pull_members(c, X, &pulls);
  s->forces++;
  if (ds != 0) dt = ds / pulls.U;
  int is_pulled = hb_chain_is_pulled(s->tide);
  if (is_pulled) {
    chain_others(c, s->tide, X, s->t + d->t, f);
    for (size_t k = 0; k < c->n; k++)
      for (size_t i = 0; i < 3; i++) pulls.a[k][i] += f[k][i];
  }
  if (is_relativistic(s)) {
    double A[3];
    for (size_t i = 0; i < 3; i++) A[i] = pulls.a[1][i] - pulls.a[0][i];
    kick_relativistic(s, X[0], A, dt, d, middle[0]);
    links = 0;
  }
  for (size_t k = 0; k < links; k++)
    for (size_t i = 0; i < 3; i++) {
      double dV = dt * (pulls.a[k + 1][i] - pulls.a[k][i]);
      middle[k][i] = s->c->V[k][i] + (d->V[k][i] + dV / 2);
      d->V[k][i] += dV;
    }
  if (is_pulled || c->w > 0) d->B -= dt * work_of(c, X, middle, f);
}

static void drift(const struct advance *s, double ds, double dt, struct change *d)
{
  const struct hb_chain *c = s->c;
  double V[LINKS][3];
  add_links(c->n - 1, s->c->V, d->V, V);
  if (ds != 0) dt = ds / (hb_chain_kinetic(c, V) + (s->c->B + d->B));
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) d->X[k][i] += dt * V[k][i];
  d->t += dt;
}

/* ds in `count` steps: what they add. */
static void leapfrog(struct advance *s, double ds, size_t count, struct change *d)
{
  double h = ds / (double)count;
  memset(d, 0, sizeof *d);
  memcpy(s->W, s->c->V[0], sizeof s->W);
  drift(s, h / 2, 0, d);
  for (size_t k = 0; k < count; k++) {
    kick(s, h, 0, d);
    drift(s, k + 1 < count ? h : h / 2, 0, d);
  }
}

/* ---- extrapolation ---- */

/* Steps of the leapfrog in each row. With 1, 2, 3, ... throughout, ten rows would multiply rounding errors by 550; here it
 * is 75. */
static const unsigned char count_of[HB_CHAIN_ROWS_MOST] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14};

/* Forces of the rows up to this one. */
static double cost(size_t row)
{
  unsigned sum = 0;
  for (size_t k = 0; k <= row; k++) sum += count_of[k];
  return sum;
}

static double larger(double p, double q) { return p > q ? p : q; }

/* Where members are as fast as that, T + B has lost the digits of U, and with them times and B. */
static const double fast = 64; /* T / U */

/* The largest difference between two results of a step, relative to what is there at its end. */
static double difference(const struct advance *s, const struct change *p, const struct change *q)
{
  const struct hb_chain *c = s->c;
  double most = 0, U = 0, lost;
  for (size_t k = 0; k + 1 < c->n; k++) {
    double X[3], V[3], dX[3], dV[3];
    for (size_t i = 0; i < 3; i++) {
      X[i] = c->X[k][i] + q->X[k][i], dX[i] = p->X[k][i] - q->X[k][i];
      V[i] = c->V[k][i] + q->V[k][i], dV[i] = p->V[k][i] - q->V[k][i];
    }
    double m = c->m[k] + c->m[k + 1], r = hb_norm(X), fall = sqrt((m > 0 ? m : c->w) / r);
    most = larger(most, larger(hb_norm(dX) / r, hb_norm(dV) / larger(hb_norm(V), fall)));
    U += hb_chain_product(c, k, k + 1) / r;
  }
  lost = larger(1, hb_chain_kinetic(c, s->c->V) / (fast * U));
  return larger(most, larger(fabs(p->t - q->t) / fabs(q->t), fabs(p->B - q->B) / U) / lost);
}

/* x^(1/p), to a few digits: near 2^(e/p), then Newton's iteration. All of it from operations that are the same everywhere. */
static double root(double x, int p)
{
  int e;
  frexp(x, &e);
  int whole = e >= 0 ? e / p : -((p - 1 - e) / p);
  double y = ldexp(1 + (double)(e - whole * p) / p, whole);
  for (int k = 0; k < 6; k++) {
    double power = 1;
    for (int i = 1; i < p; i++) power *= y;
    y = ((p - 1) * y + x / power) / p;
  }
  return y;
}

/* out = p + weight (p - q) */
static void combine(size_t links, double weight, const struct change *p, const struct change *q,
                    struct change *out)
{
  for (size_t k = 0; k < links; k++)
    for (size_t i = 0; i < 3; i++) {
      out->X[k][i] = p->X[k][i] + weight * (p->X[k][i] - q->X[k][i]);
      out->V[k][i] = p->V[k][i] + weight * (p->V[k][i] - q->V[k][i]);
    }
  out->t = p->t + weight * (p->t - q->t);
  out->B = p->B + weight * (p->B - q->B);
  out->lost = p->lost + weight * (p->lost - q->lost);
}

/* Aitken and Neville: table[0 .. row - 1] is the row before, T_(row - 1, k), and table[row] the new result of the leapfrog;
 * afterwards it is this row. Powers of the step are even. */
static void extrapolate(size_t links, size_t row, struct change *table)
{
  struct change now = table[row], better;
  for (size_t k = 1; k <= row; k++) {
    double ratio = (double)count_of[row] / count_of[row - k];
    combine(links, 1 / (ratio * ratio - 1), &now, table + k - 1, &better);
    table[k - 1] = now;
    now = better;
  }
  table[row] = now;
}

/* How a step by ds went: its result, the rows that it took, and the step and number of rows that cost least from here. */
struct step {
  struct change d;
  int is_accepted;
  double ds;
  size_t rows;
};

/* The factor on a step after an error in this row, whose order in the step is 2 row + 1. */
static double factor(size_t row, double error)
{
  static const double safety = 0.9, most = 4;
  double by = error > 0 ? safety * root(tolerance / error, 2 * (int)row + 1) : most;
  return by > most ? most : by;
}

/* Rounding errors are not extrapolated away: two rows that differ by this much and no less than before are accepted. */
static const double rounding = 2 * tolerance;

/* Whether the errors, which so far decrease by this ratio, will still be too large some rows later. */
static int is_hopeless(double before, double error, size_t rows)
{
  static const double faster = 0.01; /* the ratio becomes smaller in later rows */
  double ratio = error / before;
  for (; rows > 0; rows--) error *= ratio;
  return before < INFINITY && error * faster > tolerance;
}

/* One row more than expected is tried; the next step may have one more than were needed, if that promises to be cheaper. */
static void try_step(struct advance *s, double ds, size_t rows, struct step *step)
{
  struct change table[HB_CHAIN_ROWS_MOST];
  size_t links = s->c->n - 1, last = rows < HB_CHAIN_ROWS_MOST ? rows + 1 : HB_CHAIN_ROWS_MOST;
  double least_cost = INFINITY, before = INFINITY;
  *step = (struct step){.ds = ds / 2, .rows = rows};
  for (size_t row = 0; row < last && !step->is_accepted; row++) {
    leapfrog(s, ds, count_of[row], table + row);
    if (row == 0) continue;
    extrapolate(links, row, table);
    double error = difference(s, table + row - 1, table + row), by = factor(row, error);
    if (!isfinite(error)) return;
    step->is_accepted = error <= tolerance || (error <= rounding && error > before / 2);
    step->d = table[row];
    if (!step->is_accepted && is_hopeless(before, error, last - 1 - row)) last = row + 1;
    before = error;
    if (step->is_accepted && row + 1 < HB_CHAIN_ROWS_LEAST) step->ds = 4 * ds;
    if (row + 1 < HB_CHAIN_ROWS_LEAST || cost(row) / by > least_cost) continue;
    least_cost = cost(row) / by;
    step->ds = ds * by;
    step->rows = row + 1;
  }
  if (!step->is_accepted || step->rows == HB_CHAIN_ROWS_MOST || step->rows > rows) return;
  step->ds *= cost(step->rows) / cost(step->rows - 1);
  step->rows++;
}

/* Members that are no neighbors, k and those after k + 1: others bend their way, so that only where they are after d tells. */
static void notice_overlap(struct advance *s, const struct change *d, size_t k)
{
  struct hb_chain *c = s->c;
  double r[3] = {0};
  for (size_t l = k + 1; l < c->n; l++) {
    double reach = s->tide->radius[c->member[k]] + s->tide->radius[c->member[l]];
    for (size_t i = 0; i < 3; i++) r[i] += c->X[l - 1][i] + d->X[l - 1][i];
    int is_pair = l > k + 1 && hb_chain_product(c, k, l) > 0;
    if (is_pair && hb_dot(r, r) < reach * reach) hb_chain_meet(c, k, l);
  }
}

/* Members that touch while d is added; of two alone hb_groups_* knows (groups.c). */
static void notice_touch(struct advance *s, const struct change *d)
{
  struct hb_chain *c = s->c;
  for (size_t k = 0; k + 1 < c->n && s->tide->radius && c->n > 2; k++) {
    double X[3], V[3], reach = s->tide->radius[c->member[k]] + s->tide->radius[c->member[k + 1]];
    for (size_t i = 0; i < 3; i++) X[i] = c->X[k][i] + d->X[k][i], V[i] = c->V[k][i] + d->V[k][i];
    notice_overlap(s, d, k);
    if (hb_chain_product(c, k, k + 1) == 0 ||
        !hb_chain_touches(c->m[k] + c->m[k + 1], reach, d->t, c->X[k], c->V[k], X, V))
      continue;
    hb_chain_meet(c, k, k + 1);
    if (c->touched[0] == c->touched[1]) c->touched[0] = c->member[k], c->touched[1] = c->member[k + 1];
  }
}

static void take(struct advance *s, const struct change *d)
{
  notice_touch(s, d);
  add_links(s->c->n - 1, s->c->X, d->X, s->c->X);
  add_links(s->c->n - 1, s->c->V, d->V, s->c->V);
  s->c->B += d->B;
  s->c->lost += d->lost;
  s->t += d->t;
  sort_chain(s->c);
}

/* ---- landing ---- */

/* The step in s for the time `rest`: the integral of U, to the second order where that converges. */
static double step_for(const struct hb_chain *c, double rest)
{
  double U = hb_chain_kinetic(c, c->V) + c->B, slope = slope_of_U(c, c->X, c->V);
  return rest * (fabs(slope * rest) < U ? U + rest / 2 * slope : U);
}

/* A leapfrog in physical time errs by (dt rate)^3, relative: this near to the end it is exact. */
static const double near = 1e-5;

static void land(struct advance *s, double rest)
{
  struct change d = {0};
  memcpy(s->W, s->c->V[0], sizeof s->W);
  drift(s, 0, rest / 2, &d);
  kick(s, 0, rest, &d);
  drift(s, 0, rest / 2, &d);
  take(s, &d);
}

/* Whether the series in v / c still means something. */
static enum hb_status check_distance(const struct advance *s)
{
  const struct hb_chain *c = s->c;
  double least = pn_least * (c->m[0] + c->m[1]) / (s->tide->light * s->tide->light);
  if (!is_relativistic(s) || !(hb_norm(c->X[0]) < least)) return HB_OK;
  return hb_fail(
      HB_ERR_NUMERIC,
      "particles %u and %u are nearer than 6 G M / c^2 = %.3g, where post-Newtonian terms mean nothing: "
      "give them radii of half of that at least, and let those that touch merge or stop the run",
      c->member[0], c->member[1], least);
}

/* Steps end before or after the time dt, ever nearer to it; the chain keeps the length of those that did not aim at it. */
static enum hb_status go_to(struct advance *s, double dt)
{
  enum { ATTEMPTS = 64 };
  struct hb_chain *c = s->c;
  struct step step;
  size_t rejected = 0, steps = 0;
  for (;;) {
    double rest = dt - s->t;
    if (rest == 0) return HB_OK;
    if (fabs(rest) * hb_chain_rate(c->n, c->m, c->X, c->V) < near) break;
    double aimed = step_for(c, rest);
    int is_aimed = fabs(aimed) < c->ds;
    try_step(s, is_aimed ? aimed : rest < 0 ? -c->ds : c->ds, c->rows, &step);
    rejected = step.is_accepted ? 0 : rejected + 1;
    steps++;
    if (!step.is_accepted || !is_aimed) c->ds = fabs(step.ds), c->rows = step.rows;
    if (step.is_accepted) take(s, &step.d);
    HB_TRY(check_distance(s));
    if (rejected == ATTEMPTS || hb_chain_is_endless(steps, s->t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the encounter of particles %u and %u cannot be integrated: its steps vanish",
                     c->member[0], c->member[1]);
  }
  land(s, dt - s->t);
  return HB_OK;
}

enum hb_status hb_chain_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                uint64_t *forces)
{
  static const struct hb_chain_tide none = {0};
  struct advance s = {.c = chain, .tide = tide ? tide : &none};
  chain->lost = 0;
  enum hb_status status = chain->n > 1 && dt > 0 ? go_to(&s, dt) : HB_OK;
  if (forces) *forces += s.forces;
  return status;
}

/* ---- A bound pair that others hardly disturb: Kepler's orbit, at any time in one step, and the pulls of others as kicks in
 * between.
 *
 * The kicks are at the nodes of Gauss and Legendre's quadrature, so that the error of a step h is of order
 * e h^2k + e^2 h^2, with k kicks of relative strength e (McLachlan 1995, BIT 35 258; Laskar & Robutel 2001, CeMDA 80 39:
 * SABA_k). Steps are parts of an orbit in the eccentric anomaly. Between them the orbit is Gauss's f and g in differences
 * of the eccentric anomaly (Danby 1988, 6.8), which lose no digits at a pericenter. ---- */

static const double turn = 6.283185307179586476925;

/* ---- Kepler's orbit ---- */

/* The elements of a bound orbit at its present place: e cos E and e sin E, and mean motion n. */
struct orbit {
  double M, r, a, n, e_cos, e_sin;
};

static struct orbit orbit_with(const struct hb_chain *c, double a)
{
  const double *X = c->X[0], *V = c->V[0];
  struct orbit o = {.M = c->m[0] + c->m[1], .r = sqrt(hb_dot(X, X)), .a = a};
  o.n = sqrt(o.M / o.a) / o.a;
  o.e_cos = 1 - o.r / o.a;
  o.e_sin = hb_dot(X, V) / (o.n * o.a * o.a);
  return o;
}

/* n t for a difference x of the eccentric anomaly: Kepler's equation; *slope and *bend are its derivatives. */
static double mean_anomaly(const struct orbit *o, double x, const double c[4], double *slope, double *bend)
{
  double sin_x = x * c[1], versed = x * x * c[2];
  *slope = o->r / o->a + o->e_cos * versed + o->e_sin * sin_x;
  *bend = o->e_cos * sin_x + o->e_sin * c[0];
  return x * (o->r / o->a) + o->e_cos * x * x * x * c[3] + o->e_sin * versed;
}

static struct orbit orbit_of(const struct hb_chain *c)
{
  const double *X = c->X[0], *V = c->V[0];
  return orbit_with(c, 1 / (2 / sqrt(hb_dot(X, X)) - hb_dot(V, V) / (c->m[0] + c->m[1])));
}

static double time_for(const struct orbit *o, double x)
{
  double c[4], slope, bend;
  chain_stumpff(x, c);
  return mean_anomaly(o, x, c, &slope, &bend) / o->n;
}

/* The root of Kepler's equation, by the iteration of Conway 1986, CeMDA 39 199, within bounds: |x - l| <= 2 e. */
static double solve(const struct orbit *o, double l, double c[4])
{
  enum { MOST = 64 };
  double low = l - 2, high = l + 2, x = l;
  if (fabs(l) * o->a < o->r / 8) x = l * o->a / o->r; /* a small part of the orbit */
  for (int k = 0; k < MOST; k++) {
    double slope, bend;
    chain_stumpff(x, c);
    double error = mean_anomaly(o, x, c, &slope, &bend) - l;
    if (error > 0) high = x;
    if (error < 0) low = x;
    double dx = -5 * error / (slope + sqrt(fabs(16 * slope * slope - 20 * error * bend))), next = x + dx;
    if (fabs(dx) <= 0x1p-52 * fabs(x)) break;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (next == x) break;
    x = next;
  }
  return x;
}

/* Where the orbit is after a difference x of the eccentric anomaly, c[] being its functions: X and V by f - 1, g, f' and g' - 1. */
struct shift {
  double f_less_1, g, f_dot, g_dot_less_1, r;
};

static struct shift shift_by(const struct orbit *o, double x, const double c[4])
{
  double sin_x = x * c[1], versed = x * x * c[2], r = o->r + o->a * (o->e_cos * versed + o->e_sin * sin_x);
  return (struct shift){.f_less_1 = -o->a / o->r * versed,
                        .g = (o->r / o->a * sin_x + o->e_sin * versed) / o->n,
                        .f_dot = -o->n * o->a * o->a / (r * o->r) * sin_x,
                        .g_dot_less_1 = -o->a / r * versed,
                        .r = r};
}

static void shift_along(struct hb_chain *chain, const struct orbit *o, double x, const double c[4])
{
  const struct shift s = shift_by(o, x, c);
  for (size_t i = 0; i < 3; i++) {
    double X = chain->X[0][i], V = chain->V[0][i];
    chain->X[0][i] += s.f_less_1 * X + s.g * V;
    chain->V[0][i] += s.f_dot * X + s.g_dot_less_1 * V;
  }
}

static void drift_along(struct hb_chain *chain, const struct orbit *orbit, double dt)
{
  const struct orbit o = *orbit;
  double c[4], l = o.n * remainder(dt, turn / o.n), x = solve(&o, l, c);
  shift_along(chain, &o, x, c);
}

static void drift_orbit(struct hb_chain *chain, double dt)
{
  const struct orbit o = orbit_of(chain);
  drift_along(chain, &o, dt);
}

/* B knows the energy of a pair that is alone: what rounding takes from it and adds in millions of revolutions, V gets
 * back, at places where it is not small itself. */
static void drift_alone(struct hb_chain *chain, double dt)
{
  const struct orbit o = orbit_with(chain, hb_chain_span(chain) / 2);
  drift_along(chain, &o, dt);
  const double *X = chain->X[0];
  double *V = chain->V[0], r = sqrt(hb_dot(X, X));
  if (r > o.a) return;
  double right = sqrt(o.M * (2 / r - 1 / o.a) / hb_dot(V, V));
  for (size_t i = 0; i < 3; i++) V[i] *= right;
}

void hb_kepler_places(const struct hb_chain *chain, size_t count, double X[][3], double *part)
{
  const struct orbit o = orbit_of(chain);
  for (size_t k = 0; k < count; k++) {
    double c[4], x = turn * (double)k / (double)count;
    chain_stumpff(x, c);
    const struct shift s = shift_by(&o, x, c);
    for (size_t i = 0; i < 3; i++)
      X[k][i] = chain->X[0][i] + (s.f_less_1 * chain->X[0][i] + s.g * chain->V[0][i]);
    part[k] = s.r / (o.a * (double)count);
  }
}

/* ---- pulls of others ---- */

/* In the square of a tide's strength e the error of a step is (e x)^2 / 24, x its angle: at most 1e-10. */
static const double most_tide = 1e-2, square = 4e-4;

/* By perturbation tides may be as strong as that, since kicks cost less than a chain; and its square errs by 1e-8. */
static const double most_tide_of_orbits = 1, square_of_orbits = 4e-3;

/* Points that disturb less are another group, which feels this pair though the pair does not feel it. */
static const double least_tide = 3e-9;

/* Of all, relative to what holds the pair together at an apocenter of 2 a. */
static double strength(const struct hb_chain *c, const struct hb_chain_tide *tide)
{
  double span = hb_chain_span(c), sum = tide_of_points(tide);
  if (tide->tensor) {
    const double *T = tide->tensor; /* of one mass far away its norm is 6^1/2 m / d^3 */
    sum +=
        sqrt((T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5])) / 6);
  }
  if (tide->field) sum += hb_field_tide(tide->field, tide->center.x) / 2;
  return 2 * sum * span * span * span / (c->m[0] + c->m[1]);
}

int hb_kepler_suits(const struct hb_chain *chain, const struct hb_chain_tide *tide)
{
  double most = tide && tide->rules == HB_CHAIN_BY_PERTURBATION ? most_tide_of_orbits : most_tide;
  if (tide && tide->light > 0) return 0;
  return chain->n == 2 && chain->B > 0 && (!tide || strength(chain, tide) < most);
}

static void kick_pair(struct hb_chain *c, double dt, double t, const struct hb_chain_tide *tide)
{
  double f[HB_CHAIN_MOST][3];
  if (tide->rules == HB_CHAIN_BY_SIZE || tide->turn != 0 || tide->field)
    chain_others(c, tide, c->X, t, f);
  else
    chain_others_of_pair(c, tide, t, f);
  for (size_t i = 0; i < 3; i++) c->V[0][i] += dt * (f[1][i] - f[0][i]);
}

/* Quadratures, each good to 1e-7 for the second harmonic of an orbit up to this difference of the eccentric anomaly. */
struct rule {
  double angle;
  size_t nodes;
  double node[4], weight[4];
};
static const struct rule rules[] = {
    {7e-4, 1, {0.5}, {1}},
    {0.07, 2, {0.21132486540518712, 0.78867513459481288}, {0.5, 0.5}},
    {0.35, 3, {0.11270166537925831, 0.5, 0.88729833462074169}, {5. / 18, 8. / 18, 5. / 18}},
    {0.8,
     4,
     {0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629},
     {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693}}};
enum { RULES = sizeof rules / sizeof *rules };

static void step(struct hb_chain *c, const struct rule *rule, double h, double t,
                 const struct hb_chain_tide *tide)
{
  double at = 0;
  for (size_t k = 0; k < rule->nodes; k++) {
    drift_orbit(c, h * (rule->node[k] - at));
    at = rule->node[k];
    kick_pair(c, h * rule->weight[k], t + h * at, tide);
  }
  drift_orbit(c, h * (1 - at));
}

static enum hb_status advance_in_time(struct hb_chain *chain, double dt, double tides,
                                      const struct hb_chain_tide *tide, uint64_t *forces)
{
  double most = fmin(rules[RULES - 1].angle, square / tides), t = 0;
  size_t steps = 0;
  while (t < dt) {
    const struct orbit o = orbit_of(chain);
    const struct rule *rule = rules;
    double h = fmin(time_for(&o, most), dt - t);
    if (hb_chain_is_endless(++steps, t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the orbit of particles %u and %u cannot be integrated: its steps vanish",
                     chain->member[0], chain->member[1]);
    while (rule < rules + RULES - 1 && time_for(&o, rule->angle) < h) rule++;
    step(chain, rule, h, t, tide);
    t = h < dt - t ? t + h : dt;
    if (forces) *forces += rule->nodes;
  }
  return HB_OK;
}

/* ---- the same, with the eccentric anomaly as the independent variable ---- */

/* s, ds = dt / r: the orbit's E = s (M / a)^1/2. A drift_orbit by ds needs no root of Kepler's equation, and a kick_pair at a place lasts
 * r ds: both are solutions of a part of dX/ds = r V, dV/ds = r (A + f), so that the square of a tide has the errors of a leapfrog.
 * A tide that is linear in X has, as a function of E, few harmonics; nodes for a step of x err by (3 x)^(2 nodes) over this. */
static const double reciprocal_error[RULES] = {24, 4320, 2016000, 1.78e9};

/* The least nodes that err by no more than this part of what holds the pair together. */
static const double most_error = 1e-9;

static const struct rule *rule_for(double x, double tides)
{
  size_t k = 0;
  double power = 9 * x * x;
  for (double error = power; k + 1 < RULES && tides * error > most_error * reciprocal_error[k]; k++)
    error *= power;
  return rules + k;
}

/* Stumpff's functions c1 c2 c3 of z = x^2 <= 4: 1 / (k + 1)!, and each coefficient of the series is the one before it by this. */
static inline __attribute__((always_inline)) void series_of(int terms, double z, double c[4])
{
  enum { TERMS = 11 };
  static const double of_2[TERMS] = {1. / 12,  1. / 30,  1. / 56,  1. / 90,  1. / 132, 1. / 182,
                                     1. / 240, 1. / 306, 1. / 380, 1. / 462, 1. / 552},
                      of_3[TERMS] = {1. / 20,  1. / 42,  1. / 72,  1. / 110, 1. / 156, 1. / 210,
                                     1. / 272, 1. / 342, 1. / 420, 1. / 506, 1. / 600};
  double two = 1, three = 1;
  for (int k = terms; k-- > 0;) two = 1 - z * of_2[k] * two, three = 1 - z * of_3[k] * three;
  c[2] = two / 2, c[3] = three / 6;
  c[1] = 1 - z * c[3];
}

/* Mostly z is small: what is left out is below 2^-53. */
static inline void series(double z, double c[4])
{
  if (fabs(z) < 0.35)
    series_of(6, z, c);
  else
    series_of(11, z, c);
}

/* Where a drift_orbit is: the pair's distance, time since the start. */
struct place {
  double r, t;
};

/* X and V after ds, by Stumpff's functions of z = beta ds^2, beta = M / a; and r and the time then. */
struct way {
  double M, r, rv, beta, ds, c[4];
};

static void find_way(const struct hb_chain *chain, double r, struct way *w)
{
  const double *X = chain->X[0], *V = chain->V[0];
  w->M = chain->m[0] + chain->m[1];
  w->r = r;
  w->rv = hb_dot(X, V);
  w->beta = 2 * w->M / r - hb_dot(V, V);
}

static struct place place_after(struct way *w, double ds)
{
  double z = w->beta * ds * ds, *c = w->c;
  w->ds = ds;
  if (fabs(z) > 4)
    chain_stumpff(sqrt(z), c);
  else
    series(z, c);
  double bend = w->M - w->beta * w->r;
  return (struct place){.r = w->r + ds * (w->rv * c[1] + bend * ds * c[2]),
                        .t = ds * (w->r + ds * (w->rv * c[2] + bend * ds * c[3]))};
}

static void go(struct hb_chain *chain, const struct way *w, const struct place *to)
{
  double *X = chain->X[0], *V = chain->V[0], s = w->ds, G2 = s * s * w->c[2];
  double f_less_1 = -w->M * G2 / w->r, g = to->t - w->M * s * s * s * w->c[3];
  double f_dot = -w->M * s * w->c[1] / (to->r * w->r), g_dot_less_1 = -w->M * G2 / to->r;
  for (size_t i = 0; i < 3; i++) {
    double before = X[i];
    X[i] += f_less_1 * before + g * V[i];
    V[i] += f_dot * before + g_dot_less_1 * V[i];
  }
}

/* Drifts by ds. */
static void drift_by(struct hb_chain *chain, double ds, struct place *at)
{
  struct way w;
  find_way(chain, at->r, &w);
  const struct place to = place_after(&w, ds);
  go(chain, &w, &to);
  *at = (struct place){to.r, at->t + to.t};
}

/* The ds of a time dt that is a part of an orbit: a root of t(ds), whose derivatives are r and r'. 0: not found. */
static double orbit_step_for(struct way *w, double dt)
{
  enum { MOST = 8 };
  double s = dt / w->r * (1 - dt * w->rv / (2 * w->r * w->r));
  if (!(fabs(dt * w->rv) < w->r * w->r / 2)) s = dt / w->r;
  for (int k = 0; k < MOST; k++) {
    if (!(fabs(w->beta * s * s) <= 4)) return 0;
    const struct place at = place_after(w, s);
    double error = at.t - dt, cosine = 1 - w->beta * s * s * w->c[2];
    double slope = w->rv * cosine + (w->M - w->beta * w->r) * s * w->c[1];
    double by = error / (at.r - error * slope / (2 * at.r)); /* Halley's */
    s -= by;
    if (fabs(by) <= 0x1p-19 * fabs(s)) return s; /* errors fall with their third power */
  }
  return 0;
}

/* Drifts by a time dt, where that is short without a root of Kepler's equation. */
static void drift_for(struct hb_chain *chain, double dt)
{
  struct way w;
  find_way(chain, hb_norm(chain->X[0]), &w);
  double s = dt * dt * w.beta < w.r * w.r ? orbit_step_for(&w, dt) : 0;
  if (s == 0) {
    drift_orbit(chain, dt);
    return;
  }
  struct place to = place_after(&w, s);
  to.t = dt;
  go(chain, &w, &to);
}

/* The step for all nodes. */
static double most_angle(double tides)
{
  static const double least = 0.25, most = 2;
  double x = sqrt(sqrt(sqrt(most_error * reciprocal_error[RULES - 1] / tides))) / 3;
  return fmin(fmax(fmin(x, most), least), square_of_orbits / tides);
}

/* ---- many revolutions by one ---- */

/* In a weak tide what a revolution does hardly depends on those before it: the middle one is followed, in a tide that is so many times as
 * strong (slow-down: Mikkola & Aarseth 1996, CeMDA 64, 197), and which in its time changes as much as the true one in all of theirs. Its
 * square, which the others do not have, stays below 1e-10. */
static const double most_slowed = 1e-5;

/* One revolution, for `times` of them, from the time t on: *lasted is its own time. */
static int revolve(struct hb_chain *chain, double times, double t, double tides,
                   const struct hb_chain_tide *tide, double *lasted, uint64_t *forces)
{
  size_t steps = (size_t)ceil(turn / most_angle(times * tides));
  double x = turn / (double)steps;
  const struct rule *rule = rule_for(x, times * tides);
  struct place at = {hb_norm(chain->X[0]), 0};
  for (size_t s = 0; s < steps; s++) {
    const struct orbit o = orbit_of(chain);
    double ds = x / (o.n * o.a), node = 0;
    if (!(o.a > 0)) return 0;
    for (size_t k = 0; k < rule->nodes; k++) {
      drift_by(chain, ds * (rule->node[k] - node), &at);
      node = rule->node[k];
      kick_pair(chain, times * ds * rule->weight[k] * at.r, t + at.t, tide);
    }
    drift_by(chain, ds * (1 - node), &at);
    if (forces) *forces += rule->nodes;
  }
  *lasted = at.t;
  return 1;
}

/* Of dt as many revolutions as may be one, *gone being the time that they take; each is as long as the orbit is in the mean, but for
 * what the tide does to the one. */
static int slow_down(struct hb_chain *chain, double dt, double tides, const struct hb_chain_tide *tide,
                     double *gone, uint64_t *forces)
{
  static const double left = 0.25;
  double most = floor(most_slowed / tides), lasted;
  *gone = 0;
  for (int is_slowed = most >= 2 && !tide->field && tide->turn == 0; is_slowed;) {
    const struct orbit o = orbit_of(chain);
    if (!(o.a > 0)) return 0;
    double period = turn / o.n, times = fmin(floor((dt - *gone) / period - left), most);
    if (!(times >= 2)) break;
    double middle = *gone + (times - 1) / 2 * period;
    if (!revolve(chain, times, middle, tides, tide, &lasted, forces)) return 0;
    const struct orbit end = orbit_of(chain);
    if (!(end.a > 0)) return 0;
    *gone += (times - 1) * (period + turn / end.n) / 2 + lasted;
  }
  return 1;
}

/* Whether it stayed an orbit all the time; else chain has what it was by then. */
static int advance_along(struct hb_chain *chain, double dt, double tides, const struct hb_chain_tide *tide,
                         uint64_t *forces)
{
  double most = most_angle(tides), gone;
  if (!slow_down(chain, dt, tides, tide, &gone, forces)) return 0;
  struct place at = {hb_norm(chain->X[0]), gone};
  for (size_t steps = 1;; steps++) {
    const struct orbit o = orbit_of(chain);
    double x = most, c[4], node = 0;
    if (!(o.a > 0) || hb_chain_is_endless(steps, at.t, dt)) return 0;
    int is_last = time_for(&o, x) >= dt - at.t;
    if (is_last) {
      struct way w;
      find_way(chain, at.r, &w);
      double s = orbit_step_for(&w, dt - at.t);
      x = s != 0 ? s * (o.n * o.a) : solve(&o, o.n * (dt - at.t), c);
    }
    const struct rule *rule = rule_for(x, tides);
    double ds = x / (o.n * o.a);
    for (size_t k = 0; k < rule->nodes; k++) {
      drift_by(chain, ds * (rule->node[k] - node), &at);
      node = rule->node[k];
      kick_pair(chain, ds * rule->weight[k] * at.r, at.t, tide);
    }
    if (forces) *forces += rule->nodes;
    if (is_last || !(at.t < dt)) break;
    drift_by(chain, ds * (1 - node), &at);
  }
  if (!(orbit_of(chain).a > 0)) return 0;
  drift_for(chain, dt - at.t);
  return 1;
}

enum hb_status hb_kepler_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                 uint64_t *forces)
{
  double tides = tide ? strength(chain, tide) : 0;
  if (tides < least_tide && !(tide && tide->field)) {
    if (dt > 0 && tide && tide->rules == HB_CHAIN_BY_PERTURBATION && !tide->is_all)
      drift_for(chain, dt);
    else if (dt > 0)
      (!tide || tide->is_all ? drift_alone : drift_orbit)(chain, dt);
    return HB_OK;
  }
  const struct hb_chain before = *chain;
  if (tide->rules == HB_CHAIN_BY_SIZE) {
    HB_TRY(advance_in_time(chain, dt, tides, tide, forces));
  } else if (dt > 0 && !advance_along(chain, dt, tides, tide, forces)) {
    *chain = before;
    return hb_chain_advance(chain, dt, tide, forces);
  }
  chain->B = hb_chain_binding(chain);
  return HB_OK;
}
