#include "groups/groups.h"

#include "base/arith.h"
#include "base/ascending.h"
#include "base/machine.h"
#include "base/elementary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/diagnostics.h"
#include "core/vector.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ==== a group's members: a chain ==== */

/* A few bodies, integrated together however close they come: a leapfrog that is regular at collisions, in chain coordinates,
 * extrapolated to high order.
 *
 * The logarithmic Hamiltonian (Mikkola & Tanikawa 1999, Preto & Tremaine 1999) takes s as the independent variable,
 * ds = U dt. With the kinetic energy T, the potential energy -U and the binding energy B = U - T, its leapfrog is
 *
 *   drift by ds: dt = ds / (T + B)    X += dt V    t += dt
 *   kick by ds:  dt = ds / U          V += dt (A + f)    B -= dt sum m v . f
 *
 * with A the pulls of the members on each other and f those of others, less their mean, v being the mean of the velocities
 * before and after the kick. On two bodies alone it errs in time only, not in the orbit.
 *
 * The post-Newtonian terms g of a pair depend on V. A second velocity W, V at the start of each leapfrog, keeps a kick even in dt (Hellstrom &
 * Mikkola 2010): W by half of it with g(V), V by all of it with g(W), W by the other half. What they take from the energy is in B and in lost.
 *
 * Of a field f is the difference between a member's place and the center. In coordinates that turn the chain is advanced in axes
 * at rest: Coriolis' force, which depends on V, is none of these kicks.
 *
 * X and V are the vectors from each member to the next one along a chain of close neighbors (Mikkola & Aarseth 1993), and
 * nothing else is stored: separations do not lose digits, whatever the distance from the center.
 *
 * Members without mass pull at nobody, and would have no part in U. But U and T only set the steps: there such a member has the
 * mean mass w of the others, as if it were far lighter than them: U = sum w m / r, T = w v^2 / 2 relative to their center
 * of mass. Its energy is not conserved where they move, so that a kick adds to B what that does to U: -sum w v . A dt, v
 * being the velocity of the one that pulls. */

/* Others that pull at the members: m at r = x + tau (v + tau / 2 (a + tau / 3 j)) from the center of mass, tau the time
 * since the start of chain_advance. */
struct chain_point {
  double m, x[3], v[3], a[3], j[3];
};

/* Of LANES points what one has, side by side; lanes that are nobody's have mass 0 and the place of another. */
enum { LANES = 8 };
struct chain_points {
  double m[LANES];
  double x[3][LANES], v[3][LANES], a[3][LANES], j[3][LANES];
};

struct chain_tide {
  enum hb_chain_rules rules;
  size_t count;                      /* of points */
  const struct chain_points *points; /* [ceil(count / LANES)], see chain_end_points */
  const double *
      tensor; /* [12] the tide of others, as xx yy zz xy xz yz, `since` before the start; and its rate. NULL: none */
  double since;
  const struct hb_field *field; /* NULL: none, or one whose tide is too weak to matter */
  struct chain_point center;    /* where the center of mass is in it */
  double turn;          /* angular speed about z of the coordinates of both; at first they are the chain's */
  const double *radius; /* of members, by their numbers; NULL: nobody asks for touches */
  double light;         /* speed of light, for the post-Newtonian terms of a pair; 0: none */
  int is_all;           /* there is nothing but these members */
};

/* Whether so many steps, of which the last ended at t, will not end at dt: each takes a microsecond or more. */
static int chain_is_endless(size_t steps, double t, double dt)
{
  enum { SOME = 4096 };
  return steps > SOME && t < (double)steps * 0x1p-28 * dt;
}

/* Rows of the extrapolation. */
enum { ROWS_LEAST = 5, ROWS_FIRST = 7, ROWS_MOST = 10 };

struct chain_pulls {
  double U; /* sum m m / r, see chain_product */
  double a[HB_CHAIN_MOST][3];
};

/* What stands for m_i m_k in U and T: of two without mass nothing. */
static double chain_product(const struct hb_chain *chain, size_t i, size_t k)
{
  double product = chain->m[i] * chain->m[k];
  return product > 0 ? product : chain->w * (chain->m[i] + chain->m[k]);
}

/* Lanes are summed each for itself, and then so: the bits are the same whatever a machine does at once. */
static double chain_sum_lanes(const double s[LANES])
{
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* From member i to member k, where link[] are the differences along the chain. */
static void chain_between(const double link[][3], size_t i, size_t k, double q[3])
{
  size_t from = i < k ? i : k, to = i < k ? k : i;
  double sign = i < k ? 1 : -1;
  q[0] = q[1] = q[2] = 0;
  for (; from < to; from++)
    for (size_t d = 0; d < 3; d++) q[d] += sign * link[from][d];
}

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

/* The chain's total mass. */
static double chain_mass(const struct hb_chain *chain)
{
  double M = 0;
  for (size_t k = 0; k < chain->n; k++) M += chain->m[k];
  return M;
}

/* q[3 * n] of the members relative to their center of mass, where link[] are the differences along the chain. */
static void from_center(const struct hb_chain *c, const double link[][3], double *q)
{
  double center[3] = {0}, M = chain_mass(c);
  for (size_t i = 0; i < 3; i++) q[i] = 0;
  for (size_t k = 1; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) {
      q[3 * k + i] = q[3 * k - 3 + i] + link[k - 1][i];
      center[i] += c->m[k] / M * q[3 * k + i];
    }
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) q[3 * k + i] -= center[i];
}

/* Sets w. */
static void chain_weigh(struct hb_chain *c)
{
  size_t massive = 0;
  for (size_t k = 0; k < c->n; k++) massive += c->m[k] > 0;
  c->w = massive > 0 && massive < c->n ? chain_mass(c) / (double)massive : 0;
}

static void pull_members(const struct hb_chain *c, const double X[][3], struct chain_pulls *pulls)
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
      U += chain_product(c, i, k) * rinv;
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

/* T in the frame of the center of mass. */
static double chain_kinetic(const struct hb_chain *c, const double V[][3])
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
    chain_between(X, k, l, r);
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

/* The largest of |V| / |X| and (m / |X|^3)^(1/2) of all links: 1 / the time in which the chain changes. */
static double chain_rate(size_t n, const double *m, const double X[][3], const double V[][3])
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
      slope -= chain_product(c, i, k) * hb_dot(r, v) / (r2 * sqrt(r2));
    }
  }
  return slope;
}

static void chain_set_point(struct chain_points *points, size_t k, const struct chain_point *p)
{
  struct chain_points *to = points + k / LANES;
  size_t l = k % LANES;
  to->m[l] = p->m;
  for (size_t i = 0; i < 3; i++) {
    to->x[i][l] = p->x[i], to->v[i][l] = p->v[i];
    to->a[i][l] = p->a[i], to->j[i][l] = p->j[i];
  }
}

static void chain_get_point(const struct chain_points *points, size_t k, struct chain_point *p)
{
  const struct chain_points *from = points + k / LANES;
  size_t l = k % LANES;
  p->m = from->m[l];
  for (size_t i = 0; i < 3; i++) {
    p->x[i] = from->x[i][l], p->v[i] = from->v[i][l];
    p->a[i] = from->a[i][l], p->j[i] = from->j[i][l];
  }
}

/* When all are set: the lanes that are nobody's. */
static void chain_end_points(struct chain_points *points, size_t count)
{
  struct chain_point last;
  if (count == 0) return;
  chain_get_point(points, count - 1, &last);
  for (last.m = 0; count % LANES > 0; count++) chain_set_point(points, count, &last);
}

/* Adds to f[n] what points do to members at x[n] from their center. */
HB_CLONES static void add_points(size_t n, const struct chain_tide *tide, double x[][3], double t,
                                 double f[][3])
{
  double sum[HB_CHAIN_MOST][3][LANES], place[3][LANES];
  memset(sum, 0, n * sizeof *sum);
  for (size_t from = 0; from < tide->count; from += LANES) {
    const struct chain_points *p = tide->points + from / LANES;
    for (size_t i = 0; i < 3; i++)
#pragma omp simd
      for (size_t l = 0; l < LANES; l++)
        place[i][l] = p->x[i][l] + t * (p->v[i][l] + t / 2 * (p->a[i][l] + t / 3 * p->j[i][l]));
    for (size_t k = 0; k < n; k++)
#pragma omp simd
      for (size_t l = 0; l < LANES; l++) {
        double dx = place[0][l] - x[k][0], dy = place[1][l] - x[k][1], dz = place[2][l] - x[k][2];
        double r2 = dx * dx + dy * dy + dz * dz, pull = p->m[l] / (r2 * sqrt(r2));
        sum[k][0][l] += pull * dx, sum[k][1][l] += pull * dy, sum[k][2][l] += pull * dz;
      }
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] += chain_sum_lanes(sum[k][i]);
}

/* Sum of m / d^3 of the points at the start of the advance. */
HB_CLONES static double tide_of_points(const struct chain_tide *tide)
{
  double sum[LANES] = {0};
  for (size_t from = 0; from < tide->count; from += LANES) {
    const struct chain_points *p = tide->points + from / LANES;
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double x = p->x[0][l], y = p->x[1][l], z = p->x[2][l], d2 = x * x + y * y + z * z;
      sum[l] += p->m[l] / (d2 * sqrt(d2));
    }
  }
  return chain_sum_lanes(sum);
}

static void add_tensor(const struct hb_chain *c, const struct chain_tide *tide, double x[][3], double t,
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

static void add_field(const struct hb_chain *c, const struct chain_tide *tide, double x[][3], double t,
                      double f[][3])
{
  const struct chain_point *p = &tide->center;
  double center[3];
  for (size_t i = 0; i < 3; i++) center[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
  for (size_t k = 0; k < c->n; k++) hb_field_difference(tide->field, center, x[k], f[k]);
}

/* f[2] with their mean, of a pair without a field. */
static void chain_others_of_pair(const struct hb_chain *c, const struct chain_tide *tide, double t,
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

/* q[n] about z by this angle, with the same bits everywhere. */
static void chain_rotate(size_t n, double angle, double q[][3])
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
static void chain_others(const struct hb_chain *c, const struct chain_tide *tide, const double X[][3],
                         double t, double f[HB_CHAIN_MOST][3])
{
  double x[HB_CHAIN_MOST][3], mean[3] = {0}, M = chain_mass(c);
  from_center(c, X, *x);
  if (tide->turn != 0) chain_rotate(c->n, -tide->turn * t, x);
  memset(f, 0, c->n * sizeof *f);
  add_points(c->n, tide, x, t, f);
  if (tide->tensor) add_tensor(c, tide, x, t, f);
  if (tide->field) add_field(c, tide, x, t, f);
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) mean[i] += c->m[k] / M * f[k][i];
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) f[k][i] -= mean[i];
  if (tide->turn != 0) chain_rotate(c->n, tide->turn * t, f);
}

/* ---- order, making, facts ---- */

/* |r|^2 between any two members. */
static void separations(const struct hb_chain *c, double r2[HB_CHAIN_MOST][HB_CHAIN_MOST])
{
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = i + 1; k < c->n; k++) {
      double r[3];
      chain_between(c->X, i, k, r);
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
    chain_between(old.X, order[k], order[k + 1], c->X[k]);
    chain_between(old.V, order[k], order[k + 1], c->V[k]);
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
  struct chain_pulls pulls;
  c->B = c->ds = c->w = 0;
  c->rows = ROWS_FIRST;
  if (c->n < 2) return;
  chain_weigh(c);
  pull_members(c, c->X, &pulls);
  c->B = pulls.U - chain_kinetic(c, c->V);
  c->ds = part * pulls.U / chain_rate(c->n, c->m, c->X, c->V);
}

/* Members of mass m[n] at x[3 * n], v[3 * n], which may be relative to any point. */
static void chain_make(size_t n, const uint32_t *member, const double *m, const double *x, const double *v,
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

/* The members first .. first + n - 1 as a chain of their own. */
static void chain_part(const struct hb_chain *chain, size_t first, size_t n, struct hb_chain *part)
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
static void pull_on(const struct hb_chain *c, size_t k, struct chain_point *p)
{
  for (size_t l = 0; l < c->n; l++) {
    double r[3], v[3];
    if (l == k) continue;
    chain_between(c->X, k, l, r);
    chain_between(c->V, k, l, v);
    hb_add_pull(c->m[l], hb_dot(r, r), r, v, p->a, p->j);
  }
}

static void add_point(const struct chain_point *more, struct chain_point *p)
{
  double M = p->m + more->m, share = more->m / M;
  for (size_t i = 0; i < 3; i++) {
    p->x[i] += share * (more->x[i] - p->x[i]), p->v[i] += share * (more->v[i] - p->v[i]);
    p->a[i] += share * (more->a[i] - p->a[i]), p->j[i] += share * (more->j[i] - p->j[i]);
  }
  p->m = M;
}

/* The chain as at most n points, relative to its center: those of its parts that are linked by less than `least` are one, and move
 * as the members' pulls make them. */
static size_t chain_parts(const struct hb_chain *c, double least, struct chain_point *point)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  size_t points = 0, last = 0;
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < c->n; k++) {
    struct chain_point p = {.m = c->m[k]};
    double r[3];
    if (c->m[k] == 0) continue; /* nobody feels it */
    memcpy(p.x, x + 3 * k, sizeof p.x);
    memcpy(p.v, v + 3 * k, sizeof p.v);
    pull_on(c, k, &p);
    chain_between(c->X, last, k, r);
    if (points > 0 && hb_dot(r, r) < least * least)
      add_point(&p, point + points - 1);
    else
      point[points++] = p;
    last = k;
  }
  return points;
}

/* 2 a of a pair; INFINITY if it is unbound. */
static double chain_span(const struct hb_chain *chain)
{
  return chain->B > 0 ? chain_product(chain, 0, 1) / chain->B : INFINITY;
}

/* U - T from the links alone, B but for errors of the integration; and the energy, of those with mass. */
static double chain_binding(const struct hb_chain *chain)
{
  struct chain_pulls pulls;
  if (chain->n < 2) return 0;
  pull_members(chain, chain->X, &pulls);
  return pulls.U - chain_kinetic(chain, chain->V);
}

double hb_chain_energy(const struct hb_chain *chain)
{
  struct hb_chain massive = *chain;
  massive.w = 0;
  return -chain_binding(&massive);
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

/* Whether two bodies of mass M together came nearer than `reach` in a time dt, from x0 v0 apart to x1 v1: at the end, or by
 * the pericenter of their orbit if they have passed it. */
static int chain_touches(double M, double reach, double dt, const double x0[3], const double v0[3],
                         const double x1[3], const double v1[3])
{
  if (dt < 0) return chain_touches(M, reach, -dt, x1, v1, x0, v0);
  double r2 = hb_dot(x1, x1), v2 = hb_dot(v1, v1), rv = hb_dot(x1, v1);
  if (r2 < reach * reach) return 1;
  double a_inverse = 2 / sqrt(r2) - v2 / M, h2 = r2 * v2 - rv * rv, e2 = 1 - h2 * a_inverse / M;
  double q = h2 / M / (1 + sqrt(e2 > 0 ? e2 : 0));
  if (!(q < reach)) return 0;
  double rate2 = a_inverse > 0 ? M * a_inverse * a_inverse * a_inverse : 0; /* (2 pi / period)^2 */
  double turn2 = dt * dt * rate2;
  return turn2 > two_pi * two_pi || has_passed(turn2 < two_pi * two_pi / 4, x0, v0, x1, v1);
}

/* Which member member[k] is by number, whatever the order of the chain. */
static size_t rank_of(const struct hb_chain *c, size_t k)
{
  size_t rank = 0;
  for (size_t l = 0; l < c->n; l++) rank += c->member[l] < c->member[k];
  return rank;
}

static void chain_meet(struct hb_chain *c, size_t k, size_t l)
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
      chain_between(c->X, i, k, r);
      chain_between(c->V, i, k, v);
      double L = r[0] * v[1] - r[1] * v[0], I = r[0] * r[0] + r[1] * r[1];
      sum += c->m[i] * c->m[k] * (W * L - W * W / 2 * I);
    }
  return sum / chain_mass(c) + of_massless(c, W);
}

/* V and B in axes that turn about z with the angular speed W relative to those that they were in. */
static void chain_turn(struct hb_chain *c, double W)
{
  c->B += kinetic_of_turn(c, W);
  for (size_t k = 0; k + 1 < c->n; k++) {
    c->V[k][0] += W * c->X[k][1];
    c->V[k][1] -= W * c->X[k][0];
  }
}

/* Advancing a chain: the leapfrog above, the Gragg-Bulirsch-Stoer extrapolation of its results (Hairer, Norsett &
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

/* One call of chain_advance. */
struct advance {
  struct hb_chain *c;
  const struct chain_tide *tide;
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
  struct chain_pulls pulls;
  add_links(links, s->c->X, d->X, X);
  pull_members(c, X, &pulls);
  s->forces++;
  if (ds != 0) dt = ds / pulls.U;
  int is_pulled = s->tide->count > 0 || s->tide->field || s->tide->tensor;
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
  if (ds != 0) dt = ds / (chain_kinetic(c, V) + (s->c->B + d->B));
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
static const unsigned char count_of[ROWS_MOST] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14};

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
    U += chain_product(c, k, k + 1) / r;
  }
  lost = larger(1, chain_kinetic(c, s->c->V) / (fast * U));
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
  struct change table[ROWS_MOST];
  size_t links = s->c->n - 1, last = rows < ROWS_MOST ? rows + 1 : ROWS_MOST;
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
    if (step->is_accepted && row + 1 < ROWS_LEAST) step->ds = 4 * ds;
    if (row + 1 < ROWS_LEAST || cost(row) / by > least_cost) continue;
    least_cost = cost(row) / by;
    step->ds = ds * by;
    step->rows = row + 1;
  }
  if (!step->is_accepted || step->rows == ROWS_MOST || step->rows > rows) return;
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
    int is_pair = l > k + 1 && chain_product(c, k, l) > 0;
    if (is_pair && hb_dot(r, r) < reach * reach) chain_meet(c, k, l);
  }
}

/* Members that touch while d is added; of two alone, see notice_touch. */
static void notice_touches(struct advance *s, const struct change *d)
{
  struct hb_chain *c = s->c;
  for (size_t k = 0; k + 1 < c->n && s->tide->radius && c->n > 2; k++) {
    double X[3], V[3], reach = s->tide->radius[c->member[k]] + s->tide->radius[c->member[k + 1]];
    for (size_t i = 0; i < 3; i++) X[i] = c->X[k][i] + d->X[k][i], V[i] = c->V[k][i] + d->V[k][i];
    notice_overlap(s, d, k);
    if (chain_product(c, k, k + 1) == 0 ||
        !chain_touches(c->m[k] + c->m[k + 1], reach, d->t, c->X[k], c->V[k], X, V))
      continue;
    chain_meet(c, k, k + 1);
    if (c->touched[0] == c->touched[1]) c->touched[0] = c->member[k], c->touched[1] = c->member[k + 1];
  }
}

static void take(struct advance *s, const struct change *d)
{
  notice_touches(s, d);
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
  double U = chain_kinetic(c, c->V) + c->B, slope = slope_of_U(c, c->X, c->V);
  return rest * (fabs(slope * rest) < U ? U + rest / 2 * slope : U);
}

/* A leapfrog in physical time errs by (dt rate)^3, relative: this near to the end it is exact. */
static const double land_within = 1e-5;

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
    if (fabs(rest) * chain_rate(c->n, c->m, c->X, c->V) < land_within) break;
    double aimed = step_for(c, rest);
    int is_aimed = fabs(aimed) < c->ds;
    try_step(s, is_aimed ? aimed : rest < 0 ? -c->ds : c->ds, c->rows, &step);
    rejected = step.is_accepted ? 0 : rejected + 1;
    steps++;
    if (!step.is_accepted || !is_aimed) c->ds = fabs(step.ds), c->rows = step.rows;
    if (step.is_accepted) take(s, &step.d);
    HB_TRY(check_distance(s));
    if (rejected == ATTEMPTS || chain_is_endless(steps, s->t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the encounter of particles %u and %u cannot be integrated: its steps vanish",
                     c->member[0], c->member[1]);
  }
  land(s, dt - s->t);
  return HB_OK;
}

/* Advances by exactly dt >= 0. forces, nullable, is increased by the number of times that the pulls were evaluated. Errors:
 * HB_ERR_NUMERIC (two members at the same place, or steps that no longer advance the time). */
static enum hb_status chain_advance(struct hb_chain *chain, double dt, const struct chain_tide *tide,
                                    uint64_t *forces)
{
  static const struct chain_tide none = {0};
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
  double c[4], l = o.n * remainder(dt, two_pi / o.n), x = solve(&o, l, c);
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
  const struct orbit o = orbit_with(chain, chain_span(chain) / 2);
  drift_along(chain, &o, dt);
  const double *X = chain->X[0];
  double *V = chain->V[0], r = sqrt(hb_dot(X, X));
  if (r > o.a) return;
  double right = sqrt(o.M * (2 / r - 1 / o.a) / hb_dot(V, V));
  for (size_t i = 0; i < 3; i++) V[i] *= right;
}

/* X of a bound pair at `count` places of its orbit, equally far apart in the eccentric anomaly, and the parts of the time that
 * belong to them: sums over these are means over the orbit, of products of up to count - 2 components of X. */
static void kepler_places(const struct hb_chain *chain, size_t count, double X[][3], double *part)
{
  const struct orbit o = orbit_of(chain);
  for (size_t k = 0; k < count; k++) {
    double c[4], x = two_pi * (double)k / (double)count;
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
static const double least_felt = 3e-9;

/* Of all, relative to what holds the pair together at an apocenter of 2 a. */
static double strength(const struct hb_chain *c, const struct chain_tide *tide)
{
  double span = chain_span(c), sum = tide_of_points(tide);
  if (tide->tensor) {
    const double *T = tide->tensor; /* of one mass far away its norm is 6^1/2 m / d^3 */
    sum +=
        sqrt((T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5])) / 6);
  }
  if (tide->field) sum += hb_field_tide(tide->field, tide->center.x) / 2;
  return 2 * sum * span * span * span / (c->m[0] + c->m[1]);
}

/* Whether this is such a pair: n = 2, bound, and tides below 1 / 100 of what holds it together. tide is nullable. */
static int kepler_suits(const struct hb_chain *chain, const struct chain_tide *tide)
{
  double most = tide && tide->rules == HB_CHAIN_BY_PERTURBATION ? most_tide_of_orbits : most_tide;
  if (tide && tide->light > 0) return 0;
  return chain->n == 2 && chain->B > 0 && (!tide || strength(chain, tide) < most);
}

static void kick_pair(struct hb_chain *c, double dt, double t, const struct chain_tide *tide)
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
static const struct rule quadratures[] = {
    {7e-4, 1, {0.5}, {1}},
    {0.07, 2, {0.21132486540518712, 0.78867513459481288}, {0.5, 0.5}},
    {0.35, 3, {0.11270166537925831, 0.5, 0.88729833462074169}, {5. / 18, 8. / 18, 5. / 18}},
    {0.8,
     4,
     {0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629},
     {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693}}};
enum { RULES = sizeof quadratures / sizeof *quadratures };

static void step(struct hb_chain *c, const struct rule *rule, double h, double t,
                 const struct chain_tide *tide)
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
                                      const struct chain_tide *tide, uint64_t *forces)
{
  double most = fmin(quadratures[RULES - 1].angle, square / tides), t = 0;
  size_t steps = 0;
  while (t < dt) {
    const struct orbit o = orbit_of(chain);
    const struct rule *rule = quadratures;
    double h = fmin(time_for(&o, most), dt - t);
    if (chain_is_endless(++steps, t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the orbit of particles %u and %u cannot be integrated: its steps vanish",
                     chain->member[0], chain->member[1]);
    while (rule < quadratures + RULES - 1 && time_for(&o, rule->angle) < h) rule++;
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
  return quadratures + k;
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

/* Over ds up to the last node, kicked `times` as hard at each; at->t is from t on. How far it is from there to the end, of ds. */
static double pass_nodes(struct hb_chain *chain, const struct rule *rule, double ds, double times, double t,
                         const struct chain_tide *tide, struct place *at, uint64_t *forces)
{
  double node = 0;
  for (size_t k = 0; k < rule->nodes; k++) {
    drift_by(chain, ds * (rule->node[k] - node), at);
    node = rule->node[k];
    kick_pair(chain, times * ds * rule->weight[k] * at->r, t + at->t, tide);
  }
  if (forces) *forces += rule->nodes;
  return ds * (1 - node);
}

/* One revolution, for `times` of them, from the time t on: *lasted is its own time. */
static int revolve(struct hb_chain *chain, double times, double t, double tides,
                   const struct chain_tide *tide, double *lasted, uint64_t *forces)
{
  size_t steps = (size_t)ceil(two_pi / most_angle(times * tides));
  double x = two_pi / (double)steps;
  const struct rule *rule = rule_for(x, times * tides);
  struct place at = {hb_norm(chain->X[0]), 0};
  for (size_t s = 0; s < steps; s++) {
    const struct orbit o = orbit_of(chain);
    if (!(o.a > 0)) return 0;
    drift_by(chain, pass_nodes(chain, rule, x / (o.n * o.a), times, t, tide, &at, forces), &at);
  }
  *lasted = at.t;
  return 1;
}

/* Of dt as many revolutions as may be one, *gone being the time that they take; each is as long as the orbit is in the mean, but for
 * what the tide does to the one. */
static int slow_down(struct hb_chain *chain, double dt, double tides, const struct chain_tide *tide,
                     double *gone, uint64_t *forces)
{
  static const double left = 0.25;
  double most = floor(most_slowed / tides), lasted;
  *gone = 0;
  for (int is_slowed = most >= 2 && !tide->field && tide->turn == 0; is_slowed;) {
    const struct orbit o = orbit_of(chain);
    if (!(o.a > 0)) return 0;
    double period = two_pi / o.n, times = fmin(floor((dt - *gone) / period - left), most);
    if (!(times >= 2)) break;
    double middle = *gone + (times - 1) / 2 * period;
    if (!revolve(chain, times, middle, tides, tide, &lasted, forces)) return 0;
    const struct orbit end = orbit_of(chain);
    if (!(end.a > 0)) return 0;
    *gone += (times - 1) * (period + two_pi / end.n) / 2 + lasted;
  }
  return 1;
}

/* Whether it stayed an orbit all the time; else chain has what it was by then. */
static int advance_along(struct hb_chain *chain, double dt, double tides, const struct chain_tide *tide,
                         uint64_t *forces)
{
  double most = most_angle(tides), gone;
  if (!slow_down(chain, dt, tides, tide, &gone, forces)) return 0;
  struct place at = {hb_norm(chain->X[0]), gone};
  for (size_t steps = 1;; steps++) {
    const struct orbit o = orbit_of(chain);
    double x = most, c[4];
    if (!(o.a > 0) || chain_is_endless(steps, at.t, dt)) return 0;
    int is_last = time_for(&o, x) >= dt - at.t;
    if (is_last) {
      struct way w;
      find_way(chain, at.r, &w);
      double s = orbit_step_for(&w, dt - at.t);
      x = s != 0 ? s * (o.n * o.a) : solve(&o, o.n * (dt - at.t), c);
    }
    const struct rule *rule = rule_for(x, tides);
    double left = pass_nodes(chain, rule, x / (o.n * o.a), 1, 0, tide, &at, forces);
    if (is_last || !(at.t < dt)) break;
    drift_by(chain, left, &at);
  }
  if (!(orbit_of(chain).a > 0)) return 0;
  drift_for(chain, dt - at.t);
  return 1;
}

/* As chain_advance, of a chain that suits. ds and rows stay. */
static enum hb_status kepler_advance(struct hb_chain *chain, double dt, const struct chain_tide *tide,
                                     uint64_t *forces)
{
  double tides = tide ? strength(chain, tide) : 0;
  if (tides < least_felt && !(tide && tide->field)) {
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
    return chain_advance(chain, dt, tide, forces);
  }
  chain->B = chain_binding(chain);
  return HB_OK;
}

/* ==== groups ==== */

/* Bodies so light that they are test particles in all but name are no stars: else a mass of 1e-12 and one of 0 would mean
 * other encounters. */
static size_t count_stars(const struct hb_particles *p)
{
  static const double least = 1e-8; /* of the mean mass */
  double M = 0;
  size_t massive = hb_particles_massive(p), stars = 0;
  for (size_t i = 0; i < p->n; i++) M += p->m[i];
  for (size_t i = 0; i < p->n; i++) stars += p->m[i] * (double)massive > least * M;
  return stars;
}

/* The center of mass of those within r of a center. */
static void recenter(const struct hb_particles *p, double r, double center[3])
{
  double sum[3] = {0}, M = 0;
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i, d[] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
    if (hb_dot(d, d) > r * r) continue;
    M += p->m[i];
    for (size_t c = 0; c < 3; c++) sum[c] += p->m[i] * d[c];
  }
  for (size_t c = 0; c < 3 && M > 0; c++) center[c] += sum[c] / M;
}

/* About the center of mass; where a star that is very far away has moved that out of the system, about that of the inner half. */
static enum hb_status find_half(const struct hb_particles *p, double *r_half)
{
  enum { TIMES = 16 };
  static const double very_far = 8;
  double center[3], velocity[3], half = 0.5, r;
  HB_OWN double *work = NULL;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  hb_center_of_mass(p, center, velocity);
  hb_lagrangian_radii(p, center, 1, &half, work, r_half);
  for (int k = 0; k < TIMES && p->n > HB_CHAIN_MOST; k++) {
    recenter(p, *r_half, center);
    hb_lagrangian_radii(p, center, 1, &half, work, &r);
    if (!(r > 0 && r < *r_half / very_far)) break;
    *r_half = r;
  }
  return HB_OK;
}

enum hb_status hb_groups_find_close(const struct hb_particles *p, struct hb_groups *groups)
{
  double r_half;
  HB_TRY(find_half(p, &r_half));
  size_t stars = count_stars(p);
  if (stars == 0) stars = p->n;
  groups->stars = (double)stars;
  groups->r_close = 2 * r_half / (double)stars;
  groups->m_mean = 0;
  for (size_t i = 0; i < p->n; i++) groups->m_mean += p->m[i] / (double)stars;
  hb_groups_use(groups, groups->rules ? groups->rules : &hb_groups_by_size);
  return HB_OK;
}

void hb_groups_use(struct hb_groups *groups, const struct hb_groups_rules *rules)
{
  static const double close = 2; /* at least, in r_close */
  groups->rules = rules;
  groups->bound = close;
  if (rules->widest > 0) /* r_half = N / 2 r_close */
    groups->bound = fmax(close, rules->widest / 2 * hb_elementary_power(groups->stars, 2. / 3));
}

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("groups.m", HB_SECTION_DOUBLES, struct hb_groups, m, 1, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_groups, of, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, near, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, reach, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, orbit, 1, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_groups, active, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, fresh, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, is_live, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, hint, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, hit_end, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, in_space, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, listed, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, first, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, touched, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_groups, block, 1, HB_COLUMN_SCRATCH),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

static void destroy_own(struct hb_groups *const *own) { hb_groups_destroy(*own); }

enum hb_status hb_groups_create(const struct hb_particles *particles, int rounds, struct hb_groups **groups)
{
  __attribute__((cleanup(destroy_own))) struct hb_groups *g = NULL;
  size_t n = particles->n;
  *groups = NULL;
  HB_TRY(HB_ALLOC(1, &g));
  g->n = n;
  HB_TRY(hb_columns_reserve(&columns, n, g));
  if (rounds) HB_TRY(HB_ALLOC(n, &g->sources));
  HB_TRY(hb_groups_find_close(particles, g));
  memcpy(g->m, particles->m, n * sizeof *g->m);
  for (size_t i = 0; i < n; i++) g->of[i] = HB_GROUPS_STAR;
  HB_TRY(hb_groups_weigh(g));
  return HB_GIVE(g, groups);
}

void hb_groups_destroy(struct hb_groups *groups)
{
  if (!groups) return;
  for (size_t k = 0; k < groups->count; k++) hb_mem_free(groups->at[k].list);
  hb_columns_free(&columns, groups);
  HB_FREE(groups->at, groups->link, groups->hit, groups->box, groups->sources, groups->heavy, groups);
}

struct hb_groups_around hb_groups_near(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_nodes *nodes = &groups->nodes;
  struct hb_groups_around around = {.count = groups->n};
  if (nodes->list) around = (struct hb_groups_around){nodes->list + node * nodes->room, nodes->count[node]};
  return around;
}

/* ---- sizes ---- */

/* Of two stars' masses the arithmetic mean says how far they deflect each other, and the geometric one at what distance their
 * energy is that of two mean stars that are close. Beyond a limit a passage is no longer compact. */
static const double most_passing = 4;

static double arithmetic(const struct hb_groups *groups, double m1, double m2)
{
  return (m1 + m2) / (2 * groups->m_mean);
}

static double geometric(const struct hb_groups *groups, double m1, double m2)
{
  return sqrt(m1 * m2) / groups->m_mean;
}

/* The distance at which two nodes of these masses are close: 2 r_half / N from the mean mass on. */
static double close_of(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmin(arithmetic(groups, m1, m2), 1);
}

double hb_groups_passing(const struct hb_groups *groups, double m1, double m2)
{
  double energy = groups->r_close * fmin(geometric(groups, m1, m2), most_passing);
  return fmax(energy, close_of(groups, m1, m2));
}

/* A pair of stars with 2 a below that is a group as long as it is alone, however close it comes. */
static double groups_bound(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmax(geometric(groups, m1, m2), groups->bound);
}

/* Either of a heavy bound pair feels at least m_mean^2 / (m r_close^2), and where pairs may be wider, less; the others may weaken
 * that, and light ones feel less until they are nearer. */
double hb_groups_least_pull(const struct hb_groups *groups, double m)
{
  double wide = groups->r_close * (groups->bound / 2);
  return groups->m_mean / (8 * fmax(1, m / groups->m_mean) * wide * wide);
}

static double length(const struct hb_chain *c)
{
  double sum = 0;
  for (size_t k = 0; k + 1 < c->n; k++) sum += sqrt(hb_dot(c->X[k], c->X[k]));
  return sum;
}

/* Tides below this part of what holds the group together are left out: 2 m R^3 / (M d^3). Over the orbits of a hard pair
 * they nearly cancel; in a single passage they do not. */
static const double least_tide = 1e-6, least_in_a_passage = 2e-8;

/* They cancel as far as the others stay where they are. What all of a system together do to a pair is the more the wider it is, in
 * half-mass radii, and matters as much as its share of the system's energy, about n m_mean^2 / r_close: of the pairs with most of
 * both fewer are left out, until all that are around are in. */
static double groups_system_tide(const struct hb_groups *groups, const struct hb_group *g)
{
  double r = g->R / (groups->stars / 2 * groups->r_close);
  return r * r * r * groups->stars * groups->m_mean / chain_mass(&g->chain);
}

static double share_of(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->chain.B * groups->r_close / (groups->stars * groups->m_mean * groups->m_mean);
}

static double least_by_size(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double share = 2e-8, of_the_hardest = 0.01;
  if (g->chain.w > 0) return least_tide; /* no energy of the system's */
  double tide = groups_system_tide(groups, g), part = share_of(groups, g);
  return least_tide * fmax(fmin(share / (tide * part), 1), of_the_hardest);
}

static double squared(double p) { return p * p; }

/* Where those that are left out are not forgotten, but tides and quadrupoles, what is wrong with a pair's energy is a part of the
 * system's. */
static double least_by_share(const struct hb_groups *groups, const struct hb_group *g)
{
  static const double most = 1e-3, of_the_system = 1e-7,
                      stars = 2048; /* more perturbers cost less beside more stars */
  return g->chain.w > 0
             ? most
             : fmin(most, of_the_system * squared(fmin(1, stars / groups->stars)) / share_of(groups, g));
}

const struct hb_groups_rules hb_groups_by_size = {.forms_below = 3e-3,
                                                  .breaks_above = 1e-2,
                                                  .mean = 1e-6,
                                                  .resolved = HB_GROUPS_RESOLVED,
                                                  .far = INFINITY,
                                                  .least = least_by_size,
                                                  .chain = HB_CHAIN_BY_SIZE};
const struct hb_groups_rules hb_groups_by_perturbation = {.widest = 0.32,
                                                          .forms_below = 3e-2,
                                                          .breaks_above = 0.1,
                                                          .wakes = 1e-2,
                                                          .mean = 1e-4,
                                                          .resolved = 0.2,
                                                          .weak = 0.1,
                                                          .far = 1e-6,
                                                          .least = least_by_share,
                                                          .chain = HB_CHAIN_BY_PERTURBATION};

/* Whether a chain is a pair bound by about groups_bound. */
static int groups_is_hard(const struct hb_groups *groups, const struct hb_chain *c)
{
  static const double still = 1.5;
  return c->n == 2 && chain_span(c) < still * groups_bound(groups, c->m[0], c->m[1]);
}

/* The mean over the orbit of mu x x: mu a^2 (5/2 e e + (1 - e^2) (1 - h h) / 2), e and h being vectors. */
static void find_quadrupole(const struct hb_chain *c, double Q[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *X = c->X[0], *V = c->V[0];
  double M = c->m[0] + c->m[1], mu = c->m[0] * c->m[1] / M, a = chain_span(c) / 2;
  double to_X = hb_dot(V, V) / M - 1 / hb_norm(X), to_V = -hb_dot(X, V) / M, e[3];
  double h[3] = {X[1] * V[2] - X[2] * V[1], X[2] * V[0] - X[0] * V[2], X[0] * V[1] - X[1] * V[0]};
  double h2 = hb_dot(h, h);
  for (size_t k = 0; k < 3; k++) e[k] = to_X * X[k] + to_V * V[k];
  for (size_t k = 0; k < 6; k++)
    Q[k] = mu * a *
           (2.5 * a * e[row[k]] * e[column[k]] + ((k < 3 ? h2 : 0) - h[row[k]] * h[column[k]]) / (2 * M));
}

/* Sets R, tide, strong, weak and Q. R is, of a pair its apocenter at most, or where it is wide or unbound its separation; else the length of the
 * chain. */
static void groups_measure(const struct hb_groups *groups, struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  int is_hard = groups_is_hard(groups, c);
  g->R = is_hard ? fmax(length(c), chain_span(c)) : length(c);
  double tide = 2 * g->R * g->R * g->R / chain_mass(c);
  double least = is_hard ? groups->rules->least(groups, g) : least_in_a_passage;
  g->tide = squared(tide / least);
  g->strong = is_hard ? squared(tide / groups->rules->mean) : INFINITY;
  g->weak = is_hard && groups->rules->weak > 0 ? squared(tide / (groups->rules->weak * least)) : 0;
  g->waking = g->weak > 0 && groups->rules->wakes > 0 ? squared(tide / groups->rules->wakes) : INFINITY;
  struct hb_chain at_rest = *c;
  if (groups->field) chain_turn(&at_rest, -hb_field_turn(groups->field) / 2);
  if (g->weak > 0) find_quadrupole(&at_rest, g->Q);
}

/* The same, where it is that of a node; and its reach. */
static void groups_measure_node(struct hb_groups *groups, struct hb_group *g)
{
  static const double margin = 2; /* places are corrected after hits are found: here by a tenth */
  groups_measure(groups, g);
  groups->reach[g->node] = fmax(margin * g->tide, g->weak);
  groups->orbit[g->node] = (struct hb_groups_orbit){.tide = g->tide, .weak = g->weak};
  memcpy(groups->orbit[g->node].Q, g->Q, sizeof g->Q);
}

/* Whether it keeps the tides of nodes that are not in its list. */
static int groups_keeps_tides(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->weak > 0 && groups_system_tide(groups, g) > groups->rules->far;
}

/* A field disturbs a hard pair all the time in the same way, and what it does adds up: in about 3 / tide revolutions, which are
 * 0.7 tide^-1/2 around a galaxy, here 2000, it changes an orbit altogether. */
static const double least_of_field = 1e-7;

/* Whether the field disturbs a group whose center is at x. */
static int groups_feels_field(const struct hb_groups *groups, const struct hb_group *g, const double x[3])
{
  const struct hb_chain *c = &g->chain;
  double hold = (groups_is_hard(groups, c) ? least_of_field : least_in_a_passage) * chain_mass(c);
  return 2 * hb_groups_field_tide(groups, x) * g->R * g->R * g->R > hold;
}

/* Whether all of them are so few bodies, with nothing around, that they should be one group. */
static int are_few(const struct hb_groups *groups)
{
  return groups->gathers_few && !groups->field && groups->n <= HB_CHAIN_MOST;
}

/* Whether there is nothing but this group. */
static int groups_is_all(const struct hb_groups *groups, const struct hb_group *g)
{
  if (!are_few(groups)) return 0;
  for (uint32_t i = 0; i < groups->n; i++)
    if (i != g->node && groups->of[i] != HB_GROUPS_PARKED) return 0;
  return 1;
}

static const double of_a_passage = 0.25, of_a_fall = 0.1;

static double step_alone(const struct hb_groups *groups, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  if (groups_is_all(groups, g)) return INFINITY;
  if (c->n > 2) return of_a_fall * sqrt(g->R * g->R * g->R / chain_mass(c));
  double close = hb_groups_passing(groups, c->m[0], c->m[1]);
  if (groups_is_hard(groups, c)) return INFINITY;
  return of_a_passage * close / sqrt(hb_dot(c->V[0], c->V[0]));
}

/* The shortest time in which a link changes that is longer than `least`. */
static double groups_time_of_links(const struct hb_chain *c, double least)
{
  double rate = 0;
  for (size_t k = 0; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > least * least)
      rate = fmax(rate, chain_rate(2, c->m + k, c->X + k, c->V + k));
  return 1 / rate;
}

double hb_groups_step(const struct hb_groups *groups, const struct hb_group *g)
{
  double step = step_alone(groups, g);
  for (size_t k = 0; k < g->count; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    hb_groups_need(groups, other->node);
    double least = groups->rules->resolved * sqrt(hb_distance2(groups->nodes.xp, g->node, other->node));
    step = fmin(step, of_a_fall * fmin(groups_time_of_links(&g->chain, least),
                                       groups_time_of_links(&other->chain, least)));
  }
  return step;
}

/* ---- lists ---- */

static size_t place_in(const struct hb_group *g, uint32_t node)
{
  size_t k = 0;
  while (k < g->count && g->list[k] != node) k++;
  return k;
}

static int groups_lists(const struct hb_groups *groups, uint32_t group, uint32_t node)
{
  uint32_t at = groups->first[node];
  while (at && groups->link[at - 1].group != group) at = groups->link[at - 1].next;
  return at != 0;
}

static int groups_has(const struct hb_groups *groups, const struct hb_group *g, uint32_t node)
{
  return groups_lists(groups, g->node, node);
}

/* Of each node is known in whose lists it is. */
static enum hb_status add_link(struct hb_groups *groups, uint32_t node, uint32_t group)
{
  if (groups->free_link == 0) {
    HB_TRY(HB_GROW(groups->links, &groups->link_capacity, &groups->link));
    groups->link[groups->links++].next = 0;
    groups->free_link = (uint32_t)groups->links;
  }
  uint32_t at = groups->free_link;
  struct hb_groups_link *link = groups->link + at - 1;
  groups->free_link = link->next;
  *link = (struct hb_groups_link){group, groups->first[node]};
  groups->first[node] = at;
  return HB_OK;
}

static void drop_link(struct hb_groups *groups, uint32_t node, uint32_t group)
{
  uint32_t *from = groups->first + node;
  while (*from && groups->link[*from - 1].group != group) from = &groups->link[*from - 1].next;
  uint32_t at = *from;
  if (!at) return;
  *from = groups->link[at - 1].next;
  groups->link[at - 1].next = groups->free_link;
  groups->free_link = at;
}

static enum hb_status link_all(struct hb_groups *groups)
{
  memset(groups->first, 0, groups->n * sizeof *groups->first);
  groups->links = groups->free_link = 0;
  for (size_t k = 0; k < groups->count; k++)
    for (size_t l = 0; l < groups->at[k].count; l++)
      HB_TRY(add_link(groups, groups->at[k].list[l], groups->at[k].node));
  return HB_OK;
}

static enum hb_status append(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  HB_TRY(HB_GROW(g->count, &g->capacity, &g->list));
  g->list[g->count++] = node;
  return add_link(groups, node, g->node);
}

/* Puts a node that is not in g's list there, and g's node into the list of the node's group, unless it is there. */
static enum hb_status groups_list(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  HB_TRY(append(groups, g, node));
  return other && !groups_has(groups, other, g->node) ? append(groups, other, g->node) : HB_OK;
}

/* The order of the others stays. */
static void take_out(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  size_t k = place_in(g, node);
  if (k == g->count) return;
  if (k < g->settled) g->settled--;
  for (g->count--; k < g->count; k++) g->list[k] = g->list[k + 1];
  g->tides.is_old = 1;
  drop_link(groups, node, g->node);
}

static void groups_unlist(struct hb_groups *groups, struct hb_group *g, uint32_t node)
{
  struct hb_group *other = hb_groups_of(groups, node);
  take_out(groups, g, node);
  if (other) take_out(groups, other, g->node);
}

static void clear_list(struct hb_groups *groups, struct hb_group *g)
{
  for (size_t k = 0; k < g->count; k++) drop_link(groups, g->list[k], g->node);
  g->count = g->settled = 0;
}

static void touch(struct hb_groups *groups, struct hb_group *g)
{
  if (!g->is_touched) groups->touched[groups->touches++] = (uint32_t)(g - groups->at);
  g->is_touched = 1;
}

void hb_groups_touch_listers(struct hb_groups *groups, uint32_t node)
{
  for (uint32_t at = groups->first[node]; at; at = groups->link[at - 1].next)
    touch(groups, hb_groups_of(groups, groups->link[at - 1].group));
}

/* Ascending: a number's place is how many are smaller. */
enum { RANKED = 256, RANKED_AT_ONCE = 64 };

HB_CLONES static void rank(uint32_t *list, size_t count)
{
  uint32_t number[RANKED], sorted[RANKED];
  size_t padded = hb_div_ceil(count, RANKED_AT_ONCE) * RANKED_AT_ONCE;
  for (size_t k = 0; k < padded; k++) number[k] = k < count ? list[k] : UINT32_MAX;
  for (size_t from = 0; from < count; from += RANKED_AT_ONCE) {
    uint32_t at[RANKED_AT_ONCE] = {0};
    for (size_t j = 0; j < count; j++)
      for (size_t k = 0; k < RANKED_AT_ONCE; k++)
        at[k] += number[j] < number[from + k]; /* cppcheck-suppress uninitvar ; up to padded */
    for (size_t k = 0; k < RANKED_AT_ONCE && from + k < count; k++) sorted[at[k]] = number[from + k];
  }
  memcpy(list, sorted, count * sizeof *list); /* cppcheck-suppress uninitvar ; a permutation */
}

/* Hoare's quicksort of different numbers, until they are few enough. */
void hb_groups_sort(size_t count, uint32_t *list)
{
  while (count > RANKED) {
    uint32_t pivot = list[count / 2];
    size_t i = 0, k = count - 1;
    for (;; i++, k--) {
      while (list[i] < pivot) i++;
      while (list[k] > pivot) k--;
      if (i >= k) break;
      uint32_t swap = list[i];
      list[i] = list[k], list[k] = swap;
    }
    size_t below = i == k ? i + 1 : i;
    hb_groups_sort(count - below, list + below);
    count = below;
  }
  rank(list, count);
}

void hb_groups_end_touching(struct hb_groups *groups)
{
  hb_groups_sort(groups->touches, groups->touched);
  for (size_t k = 0; k < groups->touches; k++) groups->at[groups->touched[k]].is_touched = 0;
}

enum { ACTIVE_PIECE = 128, ACTIVE_ALONE = 512 };

struct activation {
  struct hb_groups *groups;
  const uint32_t *block;
};

static void activate_piece(void *context, size_t b, size_t end)
{
  const struct activation *a = context;
  for (; b < end; b++) hb_groups_see(a->groups, b, a->block[b]);
}

void hb_groups_activate(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct activation a = {groups, block};
  if (groups->seen != ni) hb_parallel_pieces(ni, ACTIVE_PIECE, ACTIVE_ALONE, activate_piece, &a);
  groups->seen = 0;
  groups->actives = ni;
  groups->tick = tick;
  groups->touches = 0;
  for (size_t b = 0; b < ni; b++) {
    if (!groups->hint[b]) continue;
    struct hb_group *g = hb_groups_of(groups, block[b]);
    if (g) touch(groups, g);
    hb_groups_touch_listers(groups, block[b]);
  }
  hb_groups_end_touching(groups);
}

/* Few bodies with nothing around them: one chain, however wide it is, since nothing else is as exact. */

/* Unless one of their distances is this many times another: then what is small is a group of its own, whose revolutions need
 * not be followed. */
static const double gather_within = 100, part_beyond = 150;

/* How far a group reaches during an orbit; NULL or a chain of one: a star. */
static double span_of(const struct hb_group *g)
{
  if (!g || g->chain.n == 1) return 0;
  const struct hb_chain *c = &g->chain;
  return c->n == 2 && c->B > 0 ? fmax(g->R, chain_span(c)) : g->R;
}

static int few_join(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!are_few(groups) || !(groups->m[i] + groups->m[k] > 0)) return 0;
  double least = sqrt(hb_distance2(groups->nodes.xp, i, k)) / gather_within;
  double sizes = span_of(hb_groups_of(groups, i)) + span_of(hb_groups_of(groups, k));
  if (sizes > 0 && sizes < least) return 0;
  for (uint32_t l = 0; l < groups->n; l++) {
    if (l == i || l == k || groups->of[l] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, l);
    double near2 = fmin(hb_distance2(groups->nodes.xp, l, i), hb_distance2(groups->nodes.xp, l, k));
    if (near2 < least * least) return 0;
  }
  return 1;
}

/* ---- nodes that become one, and groups that become two ---- */

/* Nodes join when they are approaching and close, or nearer than some of their sizes, and break when they are receding and
 * farther than that. Sizes count up to some times what is close: else groups of wide orbits would gather ever more members. */
static double near_enough(double close, double sizes) { return fmin(fmax(close, 3 * sizes), 2 * close); }
static double far_enough(double close, double sizes) { return fmin(fmax(2 * close, 4.5 * sizes), 3 * close); }

/* The relative orbit of two nodes. */
struct meeting {
  double r[3], v[3];
};

static struct meeting meeting_at(const double *x, const double *v, uint32_t i, uint32_t k)
{
  struct meeting m = {0};
  hb_between(x, i, k, m.r);
  hb_between(v, i, k, m.v);
  return m;
}

static struct meeting meeting_of(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  hb_groups_need(groups, i);
  hb_groups_need(groups, k);
  return meeting_at(groups->nodes.xp, groups->nodes.vp, i, k);
}

static double size_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->R : 0;
}

static size_t members_of(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  return g ? g->chain.n : 1;
}

/* Whether one of the nodes near `node` disturbs a pair at its center with more than `most`. */
static int is_crowded_by(const struct hb_groups *groups, uint32_t node, const uint32_t pair[2],
                         const double center[3], double most)
{
  const struct hb_groups_around around = hb_groups_near(groups, node);
  for (size_t p = 0; p < around.count; p++) {
    uint32_t l = hb_groups_around_at(&around, p);
    double d[3], d2;
    hb_groups_need(groups, l);
    for (size_t c = 0; c < 3; c++) d[c] = groups->nodes.xp[3 * (size_t)l + c] - center[c];
    d2 = hb_dot(d, d);
    if (groups->m[l] * groups->m[l] > most * most * d2 * d2 * d2 && l != pair[0] && l != pair[1]) return 1;
  }
  return 0;
}

/* Whether a third node or the field disturbs the pair i k too much for it to become a group that is wide. Of two nodes that have just
 * split, one has no list yet. */
static int is_crowded(const struct hb_groups *groups, uint32_t i, uint32_t k, double span)
{
  double M = groups->m[i] + groups->m[k], share = groups->m[k] / M, center[3];
  double most = groups->rules->forms_below * M / (2 * span * span * span);
  const uint32_t pair[] = {i, k};
  const struct meeting at = meeting_of(groups, i, k);
  for (size_t c = 0; c < 3; c++) center[c] = groups->nodes.xp[3 * (size_t)i + c] + share * at.r[c];
  if (hb_groups_field_tide(groups, center) > most) return 1;
  if (is_crowded_by(groups, i, pair, center, most)) return 1;
  return groups->nodes.list && is_crowded_by(groups, k, pair, center, most);
}

static int passes(const struct hb_groups *groups, double m1, double m2, double r2)
{
  double passing = hb_groups_passing(groups, m1, m2);
  return r2 < passing * passing;
}

static double widest(const struct hb_groups *groups, uint32_t node)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double radius = groups->radius[node];
  for (size_t k = 0; g && k < g->chain.n; k++) radius = fmax(radius, groups->radius[g->chain.member[k]]);
  return radius;
}

/* From how far on a node may touch a member of a group, if one of the two is so large that this is farther than close: collisions
 * with members are found within the group. Two stars find each other. */
static double touching(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  if (!groups->radius || members_of(groups, i) + members_of(groups, k) == 2) return 0;
  double radii = widest(groups, i) + widest(groups, k);
  double close = close_of(groups, groups->m[i], groups->m[k]);
  return radii > close ? radii + size_of(groups, i) + size_of(groups, k) : 0;
}

/* Whether the field pulls two nodes, r2 = r^2 apart, with this part of what they do to each other: a pair breaks at 2 / 3. Where
 * it does, nothing that is close is a system of its own. */
static const double torn_below = 0.1, torn_above = 0.5;

static int is_torn(const struct hb_groups *groups, const double x[3], double M, double r2, double part)
{
  return 2 * hb_groups_field_tide(groups, x) * r2 * sqrt(r2) > part * M;
}

/* Whether around a node there are more test particles than a chain has room for, as far away as one of them may belong to its group: a
 * disk, whose particles are no group. They take steps of their own. */
static int has_disk(const struct hb_groups *groups, uint32_t node)
{
  double reach = groups_bound(groups, groups->m[node], 0);
  size_t most = HB_CHAIN_MOST - members_of(groups, node), around = 0;
  for (uint32_t l = 0; l < groups->n && around <= most; l++) { /* massless: in nobody's list */
    if (!(groups->m[l] == 0 && groups->of[l] == HB_GROUPS_STAR)) continue;
    hb_groups_need(groups, l);
    around += hb_distance2(groups->nodes.xp, l, node) < reach * reach;
  }
  return around > most;
}

/* Whether two nodes of these sizes are so close that they should be one group if they are alone within spans[2]; of which 0 is none. */
static int meet_alone(const struct hb_groups *groups, const double *x, uint32_t i, uint32_t k,
                      const struct meeting *at, double sizes, double spans[2])
{
  double mi = groups->m[i], mk = groups->m[k], r2 = hb_dot(at->r, at->r), touch = touching(groups, i, k);
  spans[0] = spans[1] = 0;
  if (!(mi > 0 || mk > 0) || (hb_groups_are_far(groups, mi, mk, r2) && !(r2 < touch * touch))) return 0;
  double close = close_of(groups, mi, mk), reach = fmax(near_enough(close, sizes), touch);
  size_t members = members_of(groups, i) + members_of(groups, k);
  double bound = members == 2 ? groups_bound(groups, mi, mk) : close;
  if (members > HB_CHAIN_MOST || !(r2 < fmax(reach * reach, bound * bound))) return 0;
  if (is_torn(groups, x + 3 * (size_t)i, mi + mk, r2, torn_below)) return 0;
  double span = 2 / (2 / sqrt(r2) - hb_dot(at->v, at->v) / (mi + mk));
  int is_approaching = hb_dot(at->r, at->v)<0, is_bound = span> 0 && span < bound;
  if (r2 < reach * reach && (is_approaching || (is_bound && span < close))) return 1;
  if (members > 2) return 0;
  if (is_bound) spans[0] = span;
  if (is_approaching && passes(groups, mi, mk, r2)) spans[1] = sqrt(r2);
  return spans[0] > 0 || spans[1] > 0;
}

int hb_groups_meet_closely(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  const struct meeting at = meeting_of(groups, i, k);
  double mi = groups->m[i], mk = groups->m[k], spans[2];
  if (!meet_alone(groups, groups->nodes.xp, i, k, &at, size_of(groups, i) + size_of(groups, k), spans))
    return 0;
  if ((mi == 0 || mk == 0) && has_disk(groups, mi == 0 ? k : i)) return 0;
  if (spans[0] == 0 && spans[1] == 0) return 1;
  for (int s = 0; s < 2; s++)
    if (spans[s] > 0 && !is_crowded(groups, i, k, spans[s])) return 1;
  return 0;
}

int hb_groups_may_meet(const struct hb_groups *groups, const double *x, const double *v, uint32_t i,
                       uint32_t k)
{
  const struct meeting at = meeting_at(x, v, i, k);
  double spans[2];
  return meet_alone(groups, x, i, k, &at, INFINITY, spans);
}

int hb_groups_should_join(const struct hb_groups *groups, uint32_t i, uint32_t k)
{
  return few_join(groups, i, k) || hb_groups_meet_closely(groups, i, k);
}

/* ---- bookkeeping ---- */

static enum hb_status add_group(struct hb_groups *groups, const struct hb_chain *chain, uint32_t node,
                                uint64_t tick)
{
  HB_TRY(HB_GROW(groups->count, &groups->capacity, &groups->at));
  struct hb_group *g = groups->at + groups->count;
  *g = (struct hb_group){.chain = *chain, .node = node, .tick = tick, .tides.is_old = 1};
  groups->of[node] = (uint32_t)groups->count++;
  groups->formed++;
  groups_measure_node(groups, g);
  return HB_OK;
}

/* The last one takes its place. */
void hb_groups_remove(struct hb_groups *groups, uint32_t node)
{
  struct hb_group *g = hb_groups_of(groups, node), *last;
  if (!g) return;
  clear_list(groups, g);
  last = groups->at + groups->count - 1;
  groups->of[last->node] = groups->of[node];
  groups->of[node] = HB_GROUPS_STAR;
  groups->reach[node] = 0;
  groups->orbit[node] = (struct hb_groups_orbit){.tide = 0};
  hb_mem_free(g->list);
  *g = *last;
  *last = (struct hb_group){0};
  groups->count--;
  groups->dissolved++;
}

/* Groups that had one of the old nodes in their lists have the new ones; all of them are at the time of the block. */
static enum hb_status replace(struct hb_groups *groups, const uint32_t old[2], size_t count,
                              const struct hb_groups_node *made)
{
  groups->touches = 0;
  for (size_t o = 0; o < 2; o++) hb_groups_touch_listers(groups, old[o]);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++) {
    struct hb_group *g = groups->at + groups->touched[k];
    for (size_t o = 0; o < 2; o++) groups_unlist(groups, g, old[o]);
    for (size_t c = 0; c < count; c++)
      if (made[c].node != g->node && !groups_has(groups, g, made[c].node))
        HB_TRY(groups_list(groups, g, made[c].node));
    g->settled = g->count;
  }
  return HB_OK;
}

/* ---- joining ---- */

/* Members of a node, relative to its own place plus an offset. */
static void gather_members(const struct hb_groups *groups, uint32_t node, const struct meeting *offset,
                           struct hb_chain *all, double *x, double *v)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  double *to_x = x + 3 * all->n, *to_v = v + 3 * all->n;
  struct hb_chain alone = {.n = 1, .member = {node}, .m = {groups->m[node]}};
  const struct hb_chain *c = g ? &g->chain : &alone;
  hb_chain_places(c, to_x, to_v);
  for (size_t k = 0; k < c->n; k++) {
    all->member[all->n] = c->member[k];
    all->m[all->n++] = c->m[k];
    for (size_t d = 0; d < 3 && offset; d++) to_x[3 * k + d] += offset->r[d], to_v[3 * k + d] += offset->v[d];
  }
}

enum hb_status hb_groups_join(struct hb_groups *groups, uint64_t tick, uint32_t i, uint32_t k,
                              struct hb_groups_node *made)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], mi = groups->m[i], mk = groups->m[k];
  const struct meeting at = meeting_of(groups, i, k);
  struct hb_chain all = {0}, chain;
  gather_members(groups, i, NULL, &all, x, v);
  gather_members(groups, k, &at, &all, x, v);
  chain_make(all.n, all.member, all.m, x, v, &chain);
  made->node = mk == 0 || (mi > 0 && i < k) ? i : k;
  for (size_t c = 0; c < 3; c++) {
    made->x[c] = groups->nodes.xp[3 * (size_t)i + c] + mk / (mi + mk) * at.r[c];
    made->v[c] = groups->nodes.vp[3 * (size_t)i + c] + mk / (mi + mk) * at.v[c];
  }
  uint32_t parked = made->node == i ? k : i;
  const uint32_t old[2] = {i, k};
  for (size_t o = 0; o < 2; o++) { /* the others' lists first forget that these were groups */
    struct hb_group *g = hb_groups_of(groups, old[o]);
    if (g) clear_list(groups, g);
  }
  hb_groups_remove(groups, i);
  hb_groups_remove(groups, k);
  HB_TRY(add_group(groups, &chain, made->node, tick));
  groups->of[parked] = HB_GROUPS_PARKED;
  groups->m[parked] = 0;
  groups->m[made->node] = mi + mk;
  return replace(groups, old, 1, made);
}

/* ---- breaking ---- */

/* The parts on both sides of a link, and how far apart and fast their centers are. */
static void part(const struct hb_chain *c, size_t link, struct hb_chain side[2],
                 struct hb_groups_node center[2])
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  hb_chain_places(c, x, v);
  chain_part(c, 0, link + 1, side);
  chain_part(c, link + 1, c->n - link - 1, side + 1);
  for (size_t s = 0, k = 0; s < 2; s++) {
    double M = chain_mass(side + s);
    center[s] = (struct hb_groups_node){.node = UINT32_MAX};
    for (size_t member = 0; member < side[s].n; member++, k++) {
      double share = M > 0 ? c->m[k] / M : 1;
      if (share > 0 && c->member[k] < center[s].node) center[s].node = c->member[k];
      for (size_t d = 0; d < 3; d++) {
        center[s].x[d] += share * x[3 * k + d];
        center[s].v[d] += share * v[3 * k + d];
      }
    }
  }
}

/* Of test particles that would break away together, only the last one does: they are no group. */
static size_t longest_link(const struct hb_chain *c)
{
  size_t longest = 0, first = 0, last = c->n - 1;
  for (size_t k = 1; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > hb_dot(c->X[longest], c->X[longest])) longest = k;
  while (c->m[first] == 0) first++;
  while (c->m[last] == 0) last--;
  return longest < first ? 0 : longest >= last ? c->n - 2 : longest;
}

/* Whether others disturb a pair too much for one that is as wide as R. */
static int is_disturbed(const struct hb_groups *groups, const struct hb_group *g, double R)
{
  double most = groups->rules->breaks_above * chain_mass(&g->chain) / (2 * R * R * R);
  if (hb_groups_field_tide(groups, groups->nodes.xp + 3 * (size_t)g->node) > most) return 1;
  for (size_t k = 0; k < g->count; k++) {
    hb_groups_need(groups, g->list[k]);
    double d2 = hb_distance2(groups->nodes.xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m > most * most * d2 * d2 * d2) return 1;
  }
  return 0;
}

/* Pairs of stars: those that are close, and wide ones that are alone, for as long as they are bound or pass each other; for the time
 * of its pericenter also a bound pair whose orbit is too wide for that. */
static int pair_splits(const struct hb_groups *groups, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  double r2 = hb_dot(c->X[0], c->X[0]), close = close_of(groups, c->m[0], c->m[1]);
  double passing = hb_groups_passing(groups, c->m[0], c->m[1]), span = chain_span(c);
  if (r2 < 4 * close * close || span < close) return 0;
  if (r2 < 4 * passing * passing) return is_disturbed(groups, g, sqrt(r2));
  if (!groups_is_hard(groups, c) && hb_dot(c->X[0], c->V[0]) > 0) return 1;
  return is_disturbed(groups, g, g->R);
}

int hb_groups_should_split(const struct hb_groups *groups, const struct hb_group *g, size_t *link)
{
  struct hb_group side[2] = {{.node = 0}};
  struct hb_chain chain[2];
  struct hb_groups_node center[2];
  double r[3], v[3], sizes = 0;
  *link = longest_link(&g->chain);
  if (is_torn(groups, groups->nodes.xp + 3 * (size_t)g->node, chain_mass(&g->chain),
              hb_dot(g->chain.X[*link], g->chain.X[*link]), torn_above))
    return 1;
  if (g->chain.n == 2) return !are_few(groups) && pair_splits(groups, g);
  part(&g->chain, *link, chain, center);
  for (size_t s = 0; s < 2; s++) {
    side[s].chain = chain[s];
    if (chain[s].n > 1) groups_measure(groups, side + s);
    sizes += side[s].R;
  }
  for (size_t c = 0; c < 3; c++)
    r[c] = center[1].x[c] - center[0].x[c], v[c] = center[1].v[c] - center[0].v[c];
  if (are_few(groups) && sqrt(hb_dot(r, r)) < part_beyond * (span_of(side) + span_of(side + 1))) return 0;
  double close = close_of(groups, chain_mass(chain), chain_mass(chain + 1));
  double far = far_enough(close, sizes);
  return hb_dot(r, v) > 0 && hb_dot(r, r) > far * far;
}

enum hb_status hb_groups_split(struct hb_groups *groups, uint64_t tick, uint32_t node, size_t link,
                               struct hb_groups_node made[2])
{
  struct hb_group *g = hb_groups_of(groups, node);
  const uint32_t old[2] = {node, node};
  struct hb_chain side[2];
  part(&g->chain, link, side, made);
  clear_list(groups, g);
  hb_groups_remove(groups, node);
  for (size_t s = 0; s < 2; s++) {
    uint32_t slot = made[s].node;
    for (size_t c = 0; c < 3; c++) {
      made[s].x[c] += groups->nodes.xp[3 * (size_t)node + c];
      made[s].v[c] += groups->nodes.vp[3 * (size_t)node + c];
    }
    groups->m[slot] = chain_mass(side + s);
    groups->of[slot] = HB_GROUPS_STAR;
    if (side[s].n > 1) HB_TRY(add_group(groups, side + s, slot, tick));
  }
  return replace(groups, old, 2, made);
}

/* ---- members that become one, and particles that vanish ---- */

static size_t place_of(const struct hb_chain *c, uint32_t member)
{
  size_t k = 0;
  while (c->member[k] != member) k++;
  return k;
}

void hb_groups_merge(struct hb_groups *groups, struct hb_group *g, uint32_t *kept, uint32_t *swallowed,
                     double *energy)
{
  const struct hb_chain old = g->chain;
  const double first = old.m[place_of(&old, old.touched[0])], second = old.m[place_of(&old, old.touched[1])];
  int is_ordered = second == 0 || (first > 0 && old.touched[0] < old.touched[1]);
  *kept = old.touched[!is_ordered], *swallowed = old.touched[is_ordered];
  size_t k = place_of(&old, *kept), s = place_of(&old, *swallowed), last = old.n - 1;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST], m[HB_CHAIN_MOST], M = old.m[k] + old.m[s];
  uint32_t member[HB_CHAIN_MOST];
  hb_chain_places(&old, x, v);
  memcpy(m, old.m, sizeof m);
  memcpy(member, old.member, sizeof member);
  for (size_t c = 0; c < 3; c++) {
    x[3 * k + c] = (old.m[k] * x[3 * k + c] + old.m[s] * x[3 * s + c]) / M;
    v[3 * k + c] = (old.m[k] * v[3 * k + c] + old.m[s] * v[3 * s + c]) / M;
  }
  m[k] = M;
  for (; s < last; s++) { /* the order of the others stays */
    m[s] = m[s + 1], member[s] = member[s + 1];
    memcpy(x + 3 * s, x + 3 * s + 3, 3 * sizeof *x);
    memcpy(v + 3 * s, v + 3 * s + 3, 3 * sizeof *v);
  }
  chain_make(last, member, m, x, v, &g->chain);
  *energy = first > 0 && second > 0 ? hb_chain_energy(&old) - hb_chain_energy(&g->chain) : 0;
  if (last > 1)
    groups_measure_node(groups, g);
  else
    hb_groups_remove(groups, g->node);
}

void hb_groups_renumber(struct hb_groups *groups, const uint32_t *number, size_t left)
{
  hb_columns_renumber(&columns, groups->n, number, groups);
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t count = 0, settled = 0;
    g->node = number[g->node];
    for (size_t c = 0; c < g->chain.n; c++) g->chain.member[c] = number[g->chain.member[c]];
    for (size_t l = 0; l < g->count; l++) {
      if (number[g->list[l]] == HB_COLUMNS_GONE) continue;
      settled += l < g->settled;
      g->list[count++] = number[g->list[l]];
    }
    g->count = count, g->settled = settled;
  }
  groups->n = left;
  groups->has_order = 0; /* until the caller sets it */
  memset(groups->fresh, 0, left);
  memset(groups->is_live, 0, left);
  groups->actives = 0;
  link_all(groups);
}

enum hb_status hb_groups_grow(struct hb_groups *groups, size_t n)
{
  HB_TRY(hb_columns_grow(&columns, n, groups));
  if (groups->sources) HB_TRY(HB_RESIZE(n, &groups->sources));
  for (size_t i = groups->n; i < n; i++) groups->of[i] = HB_GROUPS_STAR;
  groups->n = n;
  groups->has_order = 0;
  return HB_OK;
}

/* ---- checkpoints: every field, since each one shapes the steps that follow ---- */

static const struct hb_numbers_row head_rows[] = {
    HB_NUMBER("groups.formed", HB_NUMBER_WORD, struct hb_groups, formed, 0),
    HB_NUMBER("groups.dissolved", HB_NUMBER_WORD, struct hb_groups, dissolved, 0),
    HB_NUMBER("groups.forces", HB_NUMBER_WORD, struct hb_groups, forces, 0),
    HB_NUMBER("groups.r_close", HB_NUMBER_DOUBLE, struct hb_groups, r_close, 1),
    HB_NUMBER("groups.m_mean", HB_NUMBER_DOUBLE, struct hb_groups, m_mean, 1),
    HB_NUMBER("groups.stars", HB_NUMBER_DOUBLE, struct hb_groups, stars, 1),
};
static const struct hb_numbers_row group_rows[] = {
    HB_NUMBER("groups.node", HB_NUMBER_INDEX, struct hb_group, node, 1),
    HB_NUMBER("groups.tick", HB_NUMBER_WORD, struct hb_group, tick, 1),
    HB_NUMBER("groups.listed", HB_NUMBER_SIZE, struct hb_group, count, 1),
    HB_NUMBER("groups.settled", HB_NUMBER_SIZE, struct hb_group, settled, 1),
    HB_NUMBER("groups.rows", HB_NUMBER_SIZE, struct hb_group, chain.rows, 1),
    HB_NUMBER("groups.n", HB_NUMBER_SIZE, struct hb_group, chain.n, 1),
    HB_NUMBER("groups.member", HB_NUMBER_INDEX, struct hb_group, chain.member, 1),
    HB_NUMBER("groups.B", HB_NUMBER_DOUBLE, struct hb_group, chain.B, 1),
    HB_NUMBER("groups.ds", HB_NUMBER_DOUBLE, struct hb_group, chain.ds, 1),
    HB_NUMBER("groups.masses", HB_NUMBER_DOUBLE, struct hb_group, chain.m, 1),
    HB_NUMBER("groups.X", HB_NUMBER_DOUBLE, struct hb_group, chain.X, 1),
    HB_NUMBER("groups.V", HB_NUMBER_DOUBLE, struct hb_group, chain.V, 1),
};
static const struct hb_numbers_row tides_rows[] = {
    HB_NUMBER("groups.tides", HB_NUMBER_DOUBLE, struct hb_group, tides.of_all, 1),
    HB_NUMBER("groups.far", HB_NUMBER_DOUBLE, struct hb_group, tides.of_far, 1),
    HB_NUMBER("groups.cut2", HB_NUMBER_DOUBLE, struct hb_group, tides.cut2, 1),
    HB_NUMBER("groups.tides_tick", HB_NUMBER_WORD, struct hb_group, tides.tick, 1),
    HB_NUMBER("groups.far_tick", HB_NUMBER_WORD, struct hb_group, tides.far_tick, 1),
    HB_NUMBER("groups.tides_old", HB_NUMBER_INDEX, struct hb_group, tides.is_old, 1),
};
static const struct hb_numbers_row lost_rows[] = {
    HB_NUMBER("groups.lost", HB_NUMBER_DOUBLE, struct hb_groups, lost, 0),
};
static const struct hb_numbers of_lost = HB_NUMBERS(lost_rows, struct hb_groups);
static const struct hb_numbers of_all = HB_NUMBERS(head_rows, struct hb_groups),
                               of_each = HB_NUMBERS(group_rows, struct hb_group),
                               of_tides = HB_NUMBERS(tides_rows, struct hb_group);

static int keeps_tides(const struct hb_groups *groups) { return groups->rules->far < INFINITY; }

static enum hb_status put_order(const struct hb_groups *groups, struct hb_sections *sections)
{
  HB_OWN uint64_t *words = NULL;
  HB_TRY(HB_ALLOC(groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) words[k] = groups->in_space[k];
  return hb_sections_put_copy(sections, "groups.order", HB_SECTION_WORDS, groups->n, words);
}

static enum hb_status get_order(const struct hb_sections *sections, struct hb_groups *groups)
{
  const void *words;
  if (!hb_sections_find(sections, "groups.order")) return HB_OK;
  HB_TRY(hb_sections_get(sections, "groups.order", HB_SECTION_WORDS, groups->n, &words));
  for (size_t k = 0; k < groups->n; k++) {
    uint64_t node = ((const uint64_t *)words)[k];
    if (node >= groups->n || groups->listed[node])
      return hb_fail(HB_ERR_INPUT, "section 'groups.order' has node %llu, expected each of %zu once",
                     (unsigned long long)node, groups->n);
    groups->in_space[k] = (uint32_t)node;
    groups->listed[node] = 1;
  }
  memset(groups->listed, 0, groups->n);
  groups->has_order = 1;
  return HB_OK;
}

enum hb_status hb_groups_put(const struct hb_groups *groups, struct hb_sections *sections)
{
  size_t listed = 0, l = 0;
  HB_OWN uint64_t *list = NULL;
  HB_TRY(hb_columns_put(&columns, groups->n, groups, sections));
  HB_TRY(hb_numbers_put(&of_all, 1, groups, sections));
  if (groups->light > 0) HB_TRY(hb_numbers_put(&of_lost, 1, groups, sections));
  HB_TRY(hb_numbers_put(&of_each, groups->count, groups->at, sections));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_put(&of_tides, groups->count, groups->at, sections));
  for (size_t k = 0; k < groups->count; k++) listed += groups->at[k].count;
  HB_TRY(HB_ALLOC(listed, &list));
  for (size_t k = 0; k < groups->count; k++)
    for (size_t p = 0; p < groups->at[k].count; p++) list[l++] = groups->at[k].list[p];
  HB_TRY(hb_sections_put_copy(sections, "groups.lists", HB_SECTION_WORDS, listed, list));
  return groups->has_order ? put_order(groups, sections) : HB_OK;
}

static enum hb_status refuse(size_t k, const char *what, double value, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "group %zu of section 'groups' has %s %.15g, expected %s", k, what, value,
                 expected);
}

/* Members are stars so far; then parked, but for the node, which is one of them. */
static enum hb_status check_members(struct hb_groups *groups, size_t k)
{
  const struct hb_group *g = groups->at + k;
  int has_node = 0;
  for (size_t m = 0; m < g->chain.n; m++) {
    uint32_t member = g->chain.member[m];
    if (member >= groups->n || groups->of[member] != HB_GROUPS_STAR)
      return refuse(k, "the member", member, "a star that is in no other group");
    groups->of[member] = HB_GROUPS_PARKED;
    has_node = has_node || member == g->node;
  }
  return has_node ? HB_OK : refuse(k, "the node", g->node, "one of its members");
}

/* Numbers that follow from others, or grow from them in a few steps. */
static enum hb_status check_chain(size_t k, const struct hb_chain *c)
{
  static const double energies = 1e-2, times = 0x1p40;
  double bound = chain_binding(c), U = chain_kinetic(c, c->V) + bound;
  double rate = chain_rate(c->n, c->m, c->X, c->V);
  if (!(U > 0 && isfinite(U) && isfinite(rate)))
    return refuse(k, "the potential energy", -U, "finite and below 0");
  if (!(fabs(c->B - bound) <= energies * U))
    return refuse(k, "the binding energy", c->B, "that of its members' orbits");
  return c->ds * rate > U / times && c->ds * rate < U * times
             ? HB_OK
             : refuse(k, "the step", c->ds, "one that suits its orbits");
}

static enum hb_status read_list(struct hb_groups *groups, struct hb_group *g, const uint64_t *list)
{
  HB_TRY(HB_ALLOC(g->count, &g->list));
  g->capacity = g->count;
  for (size_t p = 0; p < g->count; p++) {
    if (list[p] >= groups->n || groups->of[list[p]] == HB_GROUPS_PARKED || list[p] == g->node ||
        groups->listed[list[p]])
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' has node %llu, expected another one of %zu once",
                     (unsigned long long)list[p], groups->n);
    g->list[p] = (uint32_t)list[p];
    groups->listed[list[p]] = 1;
  }
  for (size_t p = 0; p < g->count; p++) groups->listed[g->list[p]] = 0;
  return HB_OK;
}

static enum hb_status complete_group(struct hb_groups *groups, size_t k)
{
  struct hb_group *g = groups->at + k;
  struct hb_chain *c = &g->chain;
  if (c->n < 2 || c->n > HB_CHAIN_MOST) return refuse(k, "a number of members,", (double)c->n, "2 to 8");
  if (c->rows < 1 || c->rows > ROWS_MOST)
    return refuse(k, "an order of extrapolation of", (double)c->rows, "1 to 10");
  HB_TRY(check_members(groups, k));
  if (!(g->tides.cut2 >= 0)) return refuse(k, "a distance squared of", g->tides.cut2, ">= 0");
  if (g->settled > g->count || g->count > groups->n)
    return refuse(k, "a list of", (double)g->count, "no more than there are particles");
  groups->of[g->node] = (uint32_t)k;
  for (size_t m = 0; m < c->n; m++)
    if (!(c->m[m] >= 0)) return refuse(k, "a member of mass", c->m[m], ">= 0");
  if (!(chain_mass(c) > 0)) return refuse(k, "members of mass", 0, "> 0 together");
  chain_weigh(c);
  groups_measure_node(groups, g);
  return check_chain(k, c);
}

static enum hb_status get_lists(const struct hb_sections *sections, struct hb_groups *groups)
{
  const struct hb_section *section = hb_sections_find(sections, "groups.lists");
  size_t listed = section ? section->count : 0, used = 0;
  const void *lists;
  HB_TRY(hb_sections_get(sections, "groups.lists", HB_SECTION_WORDS, listed, &lists));
  for (size_t k = 0; k < groups->count; k++) {
    if (groups->at[k].count > listed - used)
      return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too short");
    HB_TRY(read_list(groups, groups->at + k, (const uint64_t *)lists + used));
    used += groups->at[k].count;
  }
  if (used != listed) return hb_fail(HB_ERR_INPUT, "section 'groups.lists' is too long");
  return link_all(groups);
}

enum hb_status hb_groups_get(const struct hb_sections *sections, struct hb_groups *groups)
{
  size_t count = hb_numbers_records(&of_each, sections);
  if (count > groups->n / 2)
    return hb_fail(HB_ERR_INPUT, "section 'groups.node' has %zu groups of %zu particles", count, groups->n);
  HB_TRY(hb_columns_get(&columns, sections, groups->n, groups));
  HB_TRY(hb_numbers_get(&of_all, sections, 1, groups));
  if (groups->light > 0) HB_TRY(hb_numbers_get(&of_lost, sections, 1, groups));
  if (!(groups->stars >= 1) || groups->r_close < 0 || groups->m_mean < 0)
    return hb_fail(HB_ERR_INPUT,
                   "section 'groups.stars' has %g, groups.r_close %g, groups.m_mean %g, expected 1 or more, "
                   ">= 0, >= 0",
                   groups->stars, groups->r_close, groups->m_mean);
  hb_groups_use(groups, groups->rules);
  HB_TRY(hb_groups_weigh(groups));
  HB_TRY(HB_ALLOC(count, &groups->at));
  groups->count = groups->capacity = count;
  HB_TRY(hb_numbers_get(&of_each, sections, count, groups->at));
  if (keeps_tides(groups)) HB_TRY(hb_numbers_get(&of_tides, sections, count, groups->at));
  for (size_t k = 0; k < count; k++) HB_TRY(complete_group(groups, k));
  HB_TRY(get_order(sections, groups));
  return get_lists(sections, groups);
}

/* ---- against the particles ---- */

/* Sums of masses, which another order may have rounded. */
static int is_mass(double m, double expected) { return fabs(m - expected) <= 1e-9 * expected; }

static enum hb_status compare_masses(const struct hb_groups *groups, const struct hb_particles *p)
{
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    for (size_t m = 0; m < c->n; m++)
      if (!is_mass(c->m[m], p->m[c->member[m]]))
        return refuse(k, "a member of mass", c->m[m], "that of its particle");
  }
  for (uint32_t i = 0; i < groups->n; i++) {
    const struct hb_group *g = hb_groups_of(groups, i);
    double m = groups->of[i] == HB_GROUPS_PARKED ? 0 : g ? chain_mass(&g->chain) : p->m[i];
    if (!is_mass(groups->m[i], m))
      return hb_fail(HB_ERR_INPUT, "section 'groups.m' has %.15g for particle %u, expected %.15g",
                     groups->m[i], (unsigned)i, m);
  }
  return HB_OK;
}

static double heaviest(const struct hb_particles *p)
{
  double m = 0;
  for (size_t i = 0; i < p->n; i++) m = fmax(m, p->m[i]);
  return m;
}

/* What was found at the start: since then bodies have merged, which leaves their mass, or were removed; and the system has
 * shrunk or grown. Where one body has half of the mass, its half-mass radius is what the others make it shake. */
static enum hb_status compare_close(const struct hb_groups *groups, const struct hb_particles *p, double gone,
                                    int is_lighter)
{
  static const double most_lost = 0x1p20, most_grown = 0x1p16;
  struct hb_groups now = {0};
  HB_TRY(hb_groups_find_close(p, &now));
  double M = now.m_mean * now.stars, M0 = groups->m_mean * groups->stars;
  if (!(is_lighter ? M0 >= M * (1 - 1e-9) && M0 <= M * most_lost : is_mass(M0, M)) ||
      groups->stars > (double)groups->n + gone)
    return hb_fail(
        HB_ERR_INPUT,
        "section 'groups.stars' has %g stars with a mean mass of %g, expected those of a system of mass %g",
        groups->stars, groups->m_mean, M);
  double ratio = groups->r_close * groups->stars / (now.r_close * now.stars);
  if (2 * heaviest(p) >= M * (1 - 1e-9) || (ratio * most_grown > 1 && ratio < most_grown)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section 'groups.r_close' has a distance of %g, expected about %g",
                 groups->r_close, now.r_close * now.stars / groups->stars);
}

enum hb_status hb_groups_compare(const struct hb_groups *groups, const struct hb_particles *nodes,
                                 double gone, int is_lighter)
{
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(compare_masses(groups, nodes));
  HB_TRY(hb_particles_copy(nodes, &p));
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_chain *c = &groups->at[k].chain;
    double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
    hb_chain_places(c, x, v);
    for (size_t m = 0; m < c->n; m++)
      for (size_t d = 0; d < 3; d++)
        p->x[3 * (size_t)c->member[m] + d] = nodes->x[3 * (size_t)groups->at[k].node + d] + x[3 * m + d];
  }
  return compare_close(groups, p, gone, is_lighter);
}

/* ---- heavy nodes ---- */

/* The heaviest nodes as sources. Where sources of forces round pulls to float, the close passages of a few stars of tens of mean
 * masses, and the light ones that fall past them, make most of a run's energy error; and there are so few of them that their pulls
 * cost little in double. */

/* Of n stars at most n / 16 and at most HEAVY_MOST are so heavy at the start, since all of them together have n mean masses. */
static const double heavy = 16;
enum { HEAVY_MOST = 128 };

/* Sinks that are served before a second thread has woken up; the size of a thread's pieces. */
enum { SINKS_ALONE = 1024, PIECE = 256 };

/* Of LANES sources what one has, side by side; those that are nobody's have mass 0. */
struct hb_groups_heavy {
  uint32_t node[LANES];
  double m[LANES], x[3][LANES], v[3][LANES];
};

enum hb_status hb_groups_weigh(struct hb_groups *groups)
{
  double least = groups->m_mean * fmax(heavy, groups->stars / HEAVY_MOST);
  groups->m_most = 0;
  for (uint32_t i = 0; i < groups->n; i++)
    groups->m_most = groups->m[i] > groups->m_most ? groups->m[i] : groups->m_most;
  if (!groups->sources) return HB_OK;
  groups->heavies = 0;
  for (uint32_t i = 0; i < groups->n; i++) {
    int is_heavy = groups->m[i] > least;
    groups->sources[i] = is_heavy ? 0 : groups->m[i];
    if (!is_heavy) continue;
    size_t lane = groups->heavies % LANES, at = groups->heavies / LANES;
    if (lane == 0) {
      HB_TRY(HB_GROW(at, &groups->heavy_capacity, &groups->heavy));
      groups->heavy[at] = (struct hb_groups_heavy){.node = {0}};
    }
    groups->heavy[at].node[lane] = i;
    groups->heavy[at].m[lane] = groups->m[i];
    groups->heavies++;
  }
  return HB_OK;
}

static void place_heavy(struct hb_groups *groups, const double *x, const double *v)
{
  for (size_t k = 0; k < groups->heavies; k++) {
    struct hb_groups_heavy *to = groups->heavy + k / LANES;
    size_t lane = k % LANES, from = 3 * (size_t)to->node[lane];
    for (size_t c = 0; c < 3; c++) to->x[c][lane] = x[from + c], to->v[c][lane] = v[from + c];
  }
}

/* [PZ07] eq. 1, its derivative and the potential, of p[count] on the node i, which is at x with velocity v. A sum for each lane: the bits are the same whatever a
 * machine does at once. */
HB_CLONES static void add_lanes(size_t count, const struct hb_groups_heavy *p, uint32_t i, const double *x,
                                const double *v, double *a, double *j, double *phi)
{
  double sum[7][LANES] = {{0}};
  for (; count > 0; p++, count--)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double m = p->node[l] == i ? 0 : p->m[l];
      double rx = p->x[0][l] - x[0], ry = p->x[1][l] - x[1], rz = p->x[2][l] - x[2];
      double vx = p->v[0][l] - v[0], vy = p->v[1][l] - v[1], vz = p->v[2][l] - v[2];
      double r2 = rx * rx + ry * ry + rz * rz;
      if (m == 0) r2 = 1;
      double mr = m / sqrt(r2), mr3 = mr / r2, s = 3 * (rx * vx + ry * vy + rz * vz) / r2;
      sum[0][l] += mr3 * rx, sum[1][l] += mr3 * ry, sum[2][l] += mr3 * rz;
      sum[3][l] += mr3 * (vx - s * rx), sum[4][l] += mr3 * (vy - s * ry), sum[5][l] += mr3 * (vz - s * rz);
      sum[6][l] += mr;
    }
  for (size_t c = 0; c < 3; c++) a[c] += chain_sum_lanes(sum[c]), j[c] += chain_sum_lanes(sum[3 + c]);
  *phi -= chain_sum_lanes(sum[6]);
}

struct sinks {
  const struct hb_groups *groups;
  const double *x, *v;
  const uint32_t *block;
  double *a, *j, *phi;
};

static void add_piece(void *context, size_t b, size_t end)
{
  const struct sinks *s = context;
  const struct hb_groups *groups = s->groups;
  for (; b < end; b++) {
    size_t i = 3 * (size_t)s->block[b];
    add_lanes(hb_div_ceil(groups->heavies, LANES), groups->heavy, s->block[b], s->x + i, s->v + i,
              s->a + 3 * b, s->j + 3 * b, s->phi + b);
  }
}

void hb_groups_add_heavy(struct hb_groups *groups, const double *x, const double *v, size_t ni,
                         const uint32_t *block, double *a, double *j, double *phi)
{
  struct sinks sinks = {groups, x, v, block, a, j, phi};
  if (groups->heavies == 0) return;
  place_heavy(groups, x, v);
  hb_parallel_pieces(ni, PIECE, SINKS_ALONE, add_piece, &sinks);
}

/* ---- What is beyond the lists of groups: the tides of nodes that are far from a pair, and what pairs that are far do to a node, whose  orbits are quadrupoles there ---- */

enum { NUMBERS = 12 };

/* ---- tides ---- */

/* Nodes side by side; those that are nobody's have mass 0. */
struct view {
  double m[LANES], x[3][LANES], v[3][LANES];
};

/* A center, from which they are seen. */
struct center {
  double x[3], v[3];
};

/* Which part of a node's tide counts: a constant and a part of 1 near the center, up to half of the square of the distance cut, 0 beyond
 * it, and smooth between; so that nothing jumps where nodes pass it. */
struct part {
  double constant, of_near;
};
static const struct part whole = {1, 0}, near_part = {0, 1}, far_part = {1, -1}, less = {-1, 0};

/* sum[12] += the tensors of a view's tide and their rates, but of the center itself; to_near: 2 / cut^2. Factors first: mass, T, and
 * how they change. */
HB_CLONES static void add_tides(const struct view *p, const struct center *at, double to_near,
                                const struct part *part, double sum[NUMBERS][LANES])
{
  const double constant = part->constant, of_near = part->of_near;
#pragma omp simd
  for (size_t l = 0; l < LANES; l++) {
    double x = p->x[0][l] - at->x[0], y = p->x[1][l] - at->x[1], z = p->x[2][l] - at->x[2];
    double u = p->v[0][l] - at->v[0], v = p->v[1][l] - at->v[1], w = p->v[2][l] - at->v[2];
    double r2 = x * x + y * y + z * z, rv = x * u + y * v + z * w, s = 2 - r2 * to_near;
    double m = r2 > 0 ? p->m[l] : 0;
    s = s > 0 ? s : 0;
    s = s < 1 ? s : 1;
    double mass = m * (constant + of_near * (s * s * (3 - 2 * s)));
    double rate = m * of_near * -12 * s * (1 - s) * to_near * rv;
    r2 = m > 0 ? r2 : 1;
    double i2 = 1 / r2, i3 = i2 * sqrt(i2), i5 = 3 * i3 * i2, m5 = mass * i5, d = m5 * rv;
    double f = rate * i5 - 5 * d * i2, g = d - rate * i3, m3 = mass * i3;
    sum[0][l] += m5 * x * x - m3;
    sum[1][l] += m5 * y * y - m3;
    sum[2][l] += m5 * z * z - m3;
    sum[3][l] += m5 * x * y;
    sum[4][l] += m5 * x * z;
    sum[5][l] += m5 * y * z;
    sum[6][l] += 2 * m5 * x * u + f * x * x + g;
    sum[7][l] += 2 * m5 * y * v + f * y * y + g;
    sum[8][l] += 2 * m5 * z * w + f * z * z + g;
    sum[9][l] += m5 * (x * v + y * u) + f * x * y;
    sum[10][l] += m5 * (x * w + z * u) + f * x * z;
    sum[11][l] += m5 * (y * w + z * v) + f * y * z;
  }
}

static struct center center_at(const struct hb_groups *groups, uint32_t node)
{
  struct center at;
  memcpy(at.x, groups->nodes.xp + 3 * (size_t)node, sizeof at.x);
  memcpy(at.v, groups->nodes.vp + 3 * (size_t)node, sizeof at.v);
  return at;
}

/* Nodes from .. to - 1 of those around, at most LANES, at xp vp. */
static void view_nodes(const struct hb_groups *groups, const struct hb_groups_around *around, size_t from,
                       size_t to, struct view *view)
{
  for (size_t l = to - from; l < LANES; l++) {
    view->m[l] = 0;
    for (size_t c = 0; c < 3; c++) view->x[c][l] = view->v[c][l] = 0;
  }
  for (size_t l = 0; l < to - from; l++) {
    uint32_t i = hb_groups_around_at(around, from + l);
    view->m[l] = groups->m[i];
    for (size_t c = 0, k = 3 * (size_t)i; c < 3; c++, k++)
      view->x[c][l] = groups->nodes.xp[k], view->v[c][l] = groups->nodes.vp[k];
  }
}

/* Those of the nodes around, but the center's own, at xp vp. */
static void add_nodes(const struct hb_groups *groups, uint32_t center, const struct hb_groups_around *around,
                      double cut2, const struct part *part, double sum[NUMBERS][LANES])
{
  const struct center at = center_at(groups, center);
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t from = 0; from < around->count; from += LANES) {
    struct view view;
    view_nodes(groups, around, from, hb_parallel_end(around->count, LANES, from), &view);
    add_tides(&view, &at, to_near, part, sum);
  }
}

static double norm2(const double T[6])
{
  return T[0] * T[0] + T[1] * T[1] + T[2] * T[2] + 2 * (T[3] * T[3] + T[4] * T[4] + T[5] * T[5]);
}

/* From a tick to another, and to one from a node's own time. */
static double since(const struct hb_groups *groups, uint64_t from, uint64_t to)
{
  return (double)(int64_t)(to - from) * groups->nodes.dt_min;
}
static double since_own(const struct hb_groups *groups, uint32_t node, uint64_t to)
{
  unsigned level = groups->nodes.level[node];
  return since(groups, groups->nodes.tick >> level << level, to);
}

static double reach2(const struct hb_groups *groups, uint32_t node)
{
  return groups->nodes.reach2 ? groups->nodes.reach2[node] / groups->nodes.grown : 0;
}

/* Neighbors may be farther from a center than from where it was when its list was made. */
static const double part_of_reach = 0.7;

/* The far part goes on linearly until what was near by then is no longer in the list; or, where all places are known anyway, until it
 * has changed by that part of itself, which matters the more the wider the pair is. */
static int is_far_old(const struct hb_groups *groups, const struct hb_group *g, uint64_t tick)
{
  static const double least = 0.07, most = 0.3, at_tide = 2e-3;
  const struct hb_groups_tides *t = &g->tides;
  double reach = reach2(groups, g->node), dt = since(groups, t->far_tick, tick);
  if (!(reach > 0) || !groups_keeps_tides(groups, g)) return 0;
  if (t->cut2 == 0 || t->cut2 > reach) return 1;
  if (!groups->nodes.is_full) return 0;
  double change = least * sqrt(sqrt(at_tide / groups_system_tide(groups, g)));
  change = fmin(fmax(change, least), most);
  return dt * dt * norm2(t->of_far + 6) > change * change * norm2(t->of_far);
}

/* Of_all goes on linearly until it has changed by that part of itself, or someone left the list. */
static int is_near_old(const struct hb_groups *groups, const struct hb_group *g, uint64_t tick)
{
  static const double change = 0.07;
  const struct hb_groups_tides *t = &g->tides;
  double dt = since(groups, t->tick, tick);
  return t->is_old || dt * dt * norm2(t->of_all + 6) > change * change * norm2(t->of_all);
}

static void end_sum(double sum[NUMBERS][LANES], double T[NUMBERS])
{
  for (size_t c = 0; c < NUMBERS; c++) T[c] = chain_sum_lanes(sum[c]);
}

/* ---- many nodes ---- */

/* Nodes that follow each other in the order of space: if they are small against their distance, a point. */
struct hb_groups_box {
  double m, x[3], v[3], size2;
};
enum { BOX = 32, PARTS = BOX / LANES, FROM = 2048 }; /* nodes of a box; its parts; as many nodes make boxes */

/* A box, its parts, and the nodes of these. */
struct hb_groups_boxes {
  struct hb_groups_box all, part[PARTS];
  struct view view[PARTS];
};

/* Of `count` views. */
HB_CLONES static void enclose(const struct view *view, size_t count, struct hb_groups_box *box)
{
  double sum[7][LANES] = {{0}}, most[LANES] = {0}, M;
  for (size_t p = 0; p < count; p++)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double m = view[p].m[l];
      sum[6][l] += m;
      for (size_t c = 0; c < 3; c++) sum[c][l] += m * view[p].x[c][l], sum[3 + c][l] += m * view[p].v[c][l];
    }
  *box = (struct hb_groups_box){.m = M = chain_sum_lanes(sum[6])};
  for (size_t c = 0; c < 3 && M > 0; c++)
    box->x[c] = chain_sum_lanes(sum[c]) / M, box->v[c] = chain_sum_lanes(sum[3 + c]) / M;
  for (size_t p = 0; p < count; p++)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double x = view[p].x[0][l] - box->x[0], y = view[p].x[1][l] - box->x[1],
             z = view[p].x[2][l] - box->x[2], r2 = x * x + y * y + z * z;
      r2 = view[p].m[l] > 0 ? r2 : 0;
      most[l] = r2 > most[l] ? r2 : most[l];
    }
  for (size_t l = 0; l < LANES; l++) box->size2 = most[l] > box->size2 ? most[l] : box->size2;
}

static void make_box(const struct hb_groups *groups, const struct hb_groups_around *in,
                     struct hb_groups_boxes *box)
{
  for (size_t p = 0, from = 0; p < PARTS; p++, from += LANES) {
    size_t begin = from < in->count ? from : in->count;
    view_nodes(groups, in, begin, hb_parallel_end(in->count, LANES, begin), box->view + p);
    enclose(box->view + p, 1, box->part + p);
  }
  enclose(box->view, PARTS, &box->all);
}

void hb_groups_set_order(struct hb_groups *groups, const uint32_t *place)
{
  for (uint32_t i = 0; i < groups->n; i++) groups->in_space[place[i]] = i;
  groups->has_order = groups->n >= FROM;
}

enum { BOXES_PIECE = 16, BOXES_ALONE = 64 };

static void box_piece(void *context, size_t k, size_t end)
{
  const struct hb_groups *groups = context;
  for (; k < end; k++) {
    const struct hb_groups_around in = {groups->in_space + k * BOX,
                                        hb_parallel_end(groups->n, BOX, k * BOX) - k * BOX};
    make_box(groups, &in, groups->box + k);
  }
}

static enum hb_status make_boxes(struct hb_groups *groups)
{
  size_t count = hb_div_ceil(groups->n, BOX);
  if (!groups->box) HB_TRY(HB_ALLOC(count, &groups->box));
  hb_parallel_pieces(count, BOXES_PIECE, BOXES_ALONE, box_piece, groups);
  return HB_OK;
}

/* The far part from a center, of points that are collected until there are LANES. */
struct far {
  struct center at;
  double cut2, (*sum)[LANES];
  struct view view;
  size_t lane;
};

static void add_point_of(struct far *far, const struct hb_groups_box *p)
{
  far->view.m[far->lane] = p->m;
  for (size_t c = 0; c < 3; c++) far->view.x[c][far->lane] = p->x[c], far->view.v[c][far->lane] = p->v[c];
  if (++far->lane < LANES) return;
  add_tides(&far->view, &far->at, 0, &whole, far->sum);
  far->lane = 0;
}

/* Whether a box is a point: of square distances. Sizes are below 0.4 of them, and all of a box is far. */
static int is_point(const struct far *far, const struct hb_groups_box *p)
{
  static const double open = 0.16, beyond = 3;
  const double r[] = {p->x[0] - far->at.x[0], p->x[1] - far->at.x[1], p->x[2] - far->at.x[2]};
  double d2 = hb_dot(r, r);
  return p->size2 < open * d2 && d2 > beyond * far->cut2;
}

/* Of boxes, of parts of those that are too near, and of the nodes of parts that are. */
static void add_boxes(const struct hb_groups *groups, uint32_t center, double cut2,
                      double sum[NUMBERS][LANES])
{
  struct far far = {.at = center_at(groups, center), .cut2 = cut2, .sum = sum};
  const double to_near = cut2 > 0 ? 2 / cut2 : 0;
  for (size_t k = 0; k < hb_div_ceil(groups->n, BOX); k++) {
    const struct hb_groups_boxes *box = groups->box + k;
    if (!(box->all.m > 0)) continue;
    if (is_point(&far, &box->all)) {
      add_point_of(&far, &box->all);
      continue;
    }
    for (size_t p = 0; p < PARTS; p++)
      if (is_point(&far, box->part + p))
        add_point_of(&far, box->part + p);
      else
        add_tides(box->view + p, &far.at, to_near, &far_part, sum);
  }
  for (size_t l = far.lane; l < LANES; l++) far.view.m[l] = 0;
  if (far.lane > 0) add_tides(&far.view, &far.at, 0, &whole, sum);
}

static void find_far(const struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  const struct hb_groups_around all = {.count = groups->n};
  double sum[NUMBERS][LANES] = {{0}};
  g->tides.cut2 = part_of_reach * reach2(groups, g->node);
  g->tides.far_tick = tick;
  if (groups->has_order)
    add_boxes(groups, g->node, g->tides.cut2, sum);
  else
    add_nodes(groups, g->node, &all, g->tides.cut2, &far_part, sum);
  end_sum(sum, g->tides.of_far);
}

/* ---- of all ---- */

/* All of the far part, and the neighbors, but nobody who is in the list, wherever it is. */
static void find_tides(const struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  const struct hb_groups_around near = hb_groups_near(groups, g->node), list = {g->list, g->count};
  struct hb_groups_tides *t = &g->tides;
  double sum[NUMBERS][LANES] = {{0}};
  if (!groups_keeps_tides(groups, g)) {
    *t = (struct hb_groups_tides){.tick = tick, .far_tick = tick, .is_old = 1};
    return;
  }
  int is_old = is_far_old(groups, g, tick);
  if (is_old) find_far(groups, g, tick);
  if (!is_old && !is_near_old(groups, g, tick)) return;
  double dt = since(groups, t->far_tick, tick);
  t->tick = tick;
  t->is_old = 0;
  add_nodes(groups, g->node, &near, t->cut2, t->cut2 > 0 ? &near_part : &whole, sum);
  if (list.count > 0) add_nodes(groups, g->node, &list, 0, &less, sum);
  end_sum(sum, t->of_all);
  for (size_t c = 0; c < 6 && t->cut2 > 0; c++) {
    t->of_all[c] += t->of_far[c] + dt * t->of_far[6 + c];
    t->of_all[6 + c] += t->of_far[6 + c];
  }
}

/* A node that enters the list of a group leaves its tides. */
static void groups_leave_tides(const struct hb_groups *groups, struct hb_group *g, uint32_t node,
                               uint64_t tick)
{
  const struct hb_groups_around one = {&node, 1};
  double sum[NUMBERS][LANES] = {{0}}, T[NUMBERS];
  if (!hb_groups_has_tides(g)) return;
  double dt = since(groups, tick, g->tides.tick);
  add_nodes(groups, g->node, &one, 0, &less, sum);
  end_sum(sum, T);
  for (size_t c = 0; c < 6; c++) {
    g->tides.of_all[c] += T[c] + dt * T[6 + c];
    g->tides.of_all[6 + c] += T[6 + c];
  }
}

struct centers {
  struct hb_groups *groups;
  uint64_t tick;
  const uint32_t *group;
};

enum { FAR_ALONE = 4 }; /* groups */

static void find_one(void *context, size_t k)
{
  const struct centers *c = context;
  find_tides(c->groups, c->groups->at + c->group[k], c->tick);
}

static void need_all(const struct hb_groups *groups, const struct hb_groups_around *around)
{
  for (size_t k = 0; k < around->count && groups->nodes.need; k++)
    hb_groups_need(groups, hb_groups_around_at(around, k));
}

enum hb_status hb_groups_look_far(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  struct centers centers = {groups, tick, groups->touched};
  const struct hb_groups_around all = {.count = groups->n};
  int needs_all = 0;
  size_t count = 0;
  groups->touches = 0;
  if (!(groups->rules->far < INFINITY)) return HB_OK;
  for (size_t b = 0; b < ni; b++) {
    if (groups->of[block[b]] >= HB_GROUPS_PARKED) continue;
    groups->touched[count++] = groups->of[block[b]];
    const struct hb_group *g = groups->at + groups->of[block[b]];
    if (!groups_keeps_tides(groups, g)) continue;
    const struct hb_groups_around near = hb_groups_near(groups, g->node), list = {g->list, g->count};
    int is_old = is_far_old(groups, g, tick);
    needs_all |= is_old;
    if (!is_old && !is_near_old(groups, g, tick)) continue;
    need_all(groups, &near);
    need_all(groups, &list);
  }
  if (needs_all) need_all(groups, &all);
  if (needs_all && groups->has_order) HB_TRY(make_boxes(groups));
  hb_parallel_for(count > FAR_ALONE ? hb_parallel_threads() : 1, count, find_one, &centers);
  return HB_OK;
}

/* ---- quadrupoles ---- */

/* Of phi = tr Q / (2 r^3) - 3 r Q r / (2 r^5). */
static void groups_pull_of_orbit(const double Q[6], double times, const double r[3], const double v[3],
                                 double a[3], double j[3])
{
  double Qr[3] = {Q[0] * r[0] + Q[3] * r[1] + Q[4] * r[2], Q[3] * r[0] + Q[1] * r[1] + Q[5] * r[2],
                  Q[4] * r[0] + Q[5] * r[1] + Q[2] * r[2]};
  double Qv[3] = {Q[0] * v[0] + Q[3] * v[1] + Q[4] * v[2], Q[3] * v[0] + Q[1] * v[1] + Q[5] * v[2],
                  Q[4] * v[0] + Q[5] * v[1] + Q[2] * v[2]};
  double trace = Q[0] + Q[1] + Q[2], i2 = 1 / hb_dot(r, r), i5 = times * i2 * i2 * sqrt(i2), i7 = i5 * i2;
  double rv = hb_dot(r, v), rQr = hb_dot(r, Qr), rQv = hb_dot(r, Qv);
  double f = 1.5 * trace * i5 - 7.5 * rQr * i7;
  double f_dot = (52.5 * rQr * rv * i2 - 15 * rQv - 7.5 * trace * rv) * i7;
  for (size_t c = 0; c < 3; c++) {
    a[c] += 3 * i5 * Qr[c] + f * r[c];
    j[c] += 3 * i5 * Qv[c] - 15 * rv * i7 * Qr[c] + f * v[c] + f_dot * r[c];
  }
}

static int is_neighbor(const struct hb_groups *groups, uint32_t of, uint32_t node)
{
  const struct hb_groups_around around = hb_groups_near(groups, of);
  size_t guess = (size_t)node * around.count / groups->n;
  return !around.list || hb_ascending_has(around.list, around.count, guess, node);
}

/* Whether the orbit of a pair is felt by a node that is not in its list. */
static int feels_weakly(const struct hb_groups *groups, const struct hb_groups_orbit *orbit, uint32_t node,
                        double d2)
{
  double m = hb_groups_felt_mass(groups, node);
  return m * m * orbit->weak > d2 * d2 * d2;
}

static enum hb_status find_around(struct hb_groups *groups, uint32_t i)
{
  const struct hb_groups_around around = hb_groups_near(groups, i);
  const double *x = groups->nodes.xp + 3 * (size_t)i, m = hb_groups_felt_mass(groups, i),
               own = groups->reach[i];
  for (size_t p = 0; p < around.count; p++) {
    uint32_t k = hb_groups_around_at(&around, p);
    double its = groups->reach[k];
    if (!(its > 0 || own > 0) || k == i || groups->of[k] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, k);
    const double *y = groups->nodes.xp + 3 * (size_t)k, r[] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double d2 = hb_dot(r, r), d6 = d2 * d2 * d2, mk = hb_groups_felt_mass(groups, k);
    if (!(m * m * its > d6 || mk * mk * own > d6)) continue;
    HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
    groups->hit[groups->hits++] = k;
  }
  return HB_OK;
}

/* Those of a node of the block. */
static struct hb_groups_around groups_hits_of(const struct hb_groups *groups, uint32_t b)
{
  if (groups->hits == 0) return (struct hb_groups_around){groups->hit, 0};
  uint32_t from = b > 0 ? groups->hit_end[b - 1] : 0;
  return (struct hb_groups_around){groups->hit + from, groups->hit_end[b] - from};
}

enum hb_status hb_groups_find_hits(struct hb_groups *groups, size_t ni, const uint32_t *block)
{
  groups->hits = 0;
  for (size_t b = 0; b < ni; b++) {
    if (groups->rules->weak > 0 && groups->count > 0) HB_TRY(find_around(groups, block[b]));
    groups->hit_end[b] = (uint32_t)groups->hits;
  }
  return HB_OK;
}

enum hb_status hb_groups_take_hits(struct hb_groups *groups, uint32_t b, size_t words, const uint64_t *mask,
                                   const uint32_t *list)
{
  if (b == 0) groups->hits = 0;
  for (size_t w = 0; w < words; w++)
    for (uint64_t left = mask[w]; left; left &= left - 1) {
      HB_TRY(HB_GROW(groups->hits, &groups->hit_capacity, &groups->hit));
      groups->hit[groups->hits++] = list[64 * w + (size_t)__builtin_ctzll(left)];
    }
  groups->hit_end[b] = (uint32_t)groups->hits;
  groups->has_hits = 1;
  return HB_OK;
}

/* What node k and node i do to each other more than points, on i. */
static void add_to(const struct hb_groups *groups, uint32_t i, uint32_t k, double a[3], double j[3])
{
  const struct hb_groups_orbit *own = groups->orbit + i, *its = groups->orbit + k;
  double r[3], v[3];
  hb_groups_need(groups, k);
  hb_between(groups->nodes.xp, k, i, r);
  double d2 = hb_dot(r, r);
  int by_other = feels_weakly(groups, its, i, d2), by_own = feels_weakly(groups, own, k, d2);
  if (!by_other && !by_own) return;
  if (groups_lists(groups, its->tide > 0 ? k : i, its->tide > 0 ? i : k))
    return;                               /* of two groups, each has the other, or none */
  if (!is_neighbor(groups, k, i)) return; /* what one feels, the other does */
  hb_between(groups->nodes.vp, k, i, v);
  if (by_other) groups_pull_of_orbit(its->Q, 1, r, v, a, j);
  if (by_own) /* seen from k, turned around */
    groups_pull_of_orbit(own->Q, groups->m[k] / groups->m[i], r, v, a, j);
}

/* What add_to will read: lists are long, and their neighbors' far apart. */
static void fetch_hits(const struct hb_groups *groups, const uint32_t *block, uint32_t b)
{
  const struct hb_groups_around hits = groups_hits_of(groups, b);
  for (size_t h = 0; h < hits.count; h++) {
    uint32_t k = hits.list[h];
    const struct hb_groups_around around = hb_groups_near(groups, k);
    __builtin_prefetch(groups->orbit + k);
    __builtin_prefetch(groups->nodes.xp + 3 * (size_t)k);
    if (around.list) __builtin_prefetch(around.list + (size_t)block[b] * around.count / groups->n);
  }
}

/* Adds to a[3 * ni], j[3 * ni] of the nodes block[ni] what hard pairs do more than points, and what that does back to them, where they
 * are in no list; hits were found. */
static void groups_add_quadrupoles(const struct hb_groups *groups, size_t ni, const uint32_t *block,
                                   double *a, double *j)
{
  for (uint32_t b = 0; b < ni && groups->hits > 0; b++) {
    const struct hb_groups_around hits = groups_hits_of(groups, b);
    if (b + 1 < ni) fetch_hits(groups, block, b + 1);
    for (size_t k = 0; k < hits.count; k++)
      add_to(groups, block[b], hits.list[k], a + 3 * (size_t)b, j + 3 * (size_t)b);
  }
}

/* ---- Groups in time: who disturbs them, where their members are, and what nodes feel of these that points do not ---- */

/* ---- what disturbs a group ---- */

/* x v a j of a point after a time dt. */
static void shift(double dt, struct chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    double v = p->v[c], a = p->a[c], j = p->j[c];
    p->x[c] += dt * (v + dt / 2 * (a + dt / 3 * j));
    p->v[c] += dt * (a + dt / 2 * j);
    p->a[c] += dt * j;
  }
}

/* p += sign q, but for masses. */
static void add(double sign, const struct chain_point *q, struct chain_point *p)
{
  for (size_t c = 0; c < 3; c++) {
    p->x[c] += sign * q->x[c], p->v[c] += sign * q->v[c];
    p->a[c] += sign * q->a[c], p->j[c] += sign * q->j[c];
  }
}

static struct chain_point node_at(const struct hb_groups *groups, uint32_t node, uint64_t tick)
{
  size_t k = hb_groups_row(groups, node);
  struct chain_point p = {.m = groups->m[node]};
  memcpy(p.x, groups->nodes.x + k, sizeof p.x);
  memcpy(p.v, groups->nodes.v + k, sizeof p.v);
  memcpy(p.a, groups->nodes.a + k, sizeof p.a);
  memcpy(p.j, groups->nodes.j + k, sizeof p.j);
  shift(since_own(groups, node, tick), &p);
  return p;
}

/* The list at its own times, and how long after them the group's is. */
static void gather(const struct hb_groups *groups, const struct hb_group *g, struct chain_points *points,
                   double *dt)
{
  for (size_t k = 0; k < g->settled; k++) {
    struct chain_points *to = points + k / LANES;
    size_t l = k % LANES, from = hb_groups_row(groups, g->list[k]);
    to->m[l] = groups->m[g->list[k]];
    for (size_t c = 0; c < 3; c++) {
      to->x[c][l] = groups->nodes.x[from + c], to->v[c][l] = groups->nodes.v[from + c];
      to->a[c][l] = groups->nodes.a[from + c], to->j[c][l] = groups->nodes.j[from + c];
    }
    dt[k] = since_own(groups, g->list[k], g->tick);
  }
  chain_end_points(points, g->settled);
  for (size_t k = g->settled; k % LANES > 0; k++) dt[k] = 0;
}

/* Points after their times dt[LANES], seen from the center. */
HB_CLONES static void shift_points(struct chain_points *p, const double *dt, const struct chain_point *center)
{
  for (size_t c = 0; c < 3; c++)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double v = p->v[c][l], a = p->a[c][l], j = p->j[c][l], t = dt[l];
      p->x[c][l] = p->x[c][l] + t * (v + t / 2 * (a + t / 3 * j)) - center->x[c];
      p->v[c][l] = v + t * (a + t / 2 * j) - center->v[c];
      p->a[c][l] = a + t * j - center->a[c];
      p->j[c][l] = j - center->j[c];
    }
}

/* The list as points seen from the group's `center`, from its own time on for dt: a node is one, but a group as large as a part of
 * its distance is as many as can be told apart. hb_groups_step lets none of them move far meanwhile; where it knew of none yet, the
 * group is one. times[] is scratch, of as many lanes. How many they are. */
static size_t look_from(const struct chain_point *center, const struct hb_groups *groups,
                        const struct hb_group *g, double dt, struct chain_points *points, double *times)
{
  static const double not_far = 0.4;
  size_t count = g->settled;
  gather(groups, g, points, times);
  for (size_t k = 0; k < count; k += LANES) shift_points(points + k / LANES, times + k, center);
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    struct chain_point node, parts[HB_CHAIN_MOST];
    chain_get_point(points, k, &node);
    double least = HB_GROUPS_RESOLVED * sqrt(hb_dot(node.x, node.x)),
           from = since(groups, other->tick, g->tick);
    double until = fmax(fabs(from), fabs(from + dt));
    if (other->R < least || until > not_far * groups_time_of_links(&other->chain, least)) continue;
    size_t n = chain_parts(&other->chain, least, parts);
    for (size_t p = 0; p < n; p++) {
      shift(from, parts + p);
      add(1, &node, parts + p);
      chain_set_point(points, p == 0 ? k : count++, parts + p);
    }
  }
  chain_end_points(points, count);
  return count;
}

/* As many points at most. */
static size_t most_points(const struct hb_groups *groups, const struct hb_group *g)
{
  size_t sum = 0;
  for (size_t k = 0; k < g->settled; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    sum += other ? other->chain.n : 1;
  }
  return sum;
}

/* Of a pair, from `before` to chain; of more members the chain itself has looked at each step. */
static void notice_touch(const struct hb_groups *groups, const struct hb_chain *before, double dt,
                         struct hb_chain *chain)
{
  const uint32_t *member = chain->member;
  if (!groups->radius || chain->n != 2) return;
  if (chain_touches(chain->m[0] + chain->m[1], groups->radius[member[0]] + groups->radius[member[1]], dt,
                    before->X[0], before->V[0], chain->X[0], chain->V[0]))
    chain_meet(chain, 0, 1), chain->touched[0] = member[0], chain->touched[1] = member[1];
}

/* Of (dt / time in which it changes an orbit)^2: mostly well below 1, since the center feels that field, too. */
static const double most_of_field = 1e12;

/* By dt, in axes at rest. */
static enum hb_status advance_at_rest(const struct hb_groups *groups, double dt,
                                      const struct chain_tide *tide, struct hb_chain *chain, uint64_t *forces)
{
  enum hb_status status = HB_OK;
  if (tide->turn != 0) chain_turn(chain, -tide->turn);
  const struct hb_chain before = *chain;
  chain->touched[0] = chain->touched[1] = 0;
  memset(chain->met, 0, sizeof chain->met);
  if (tide->field && !(hb_field_tide(tide->field, tide->center.x) * dt * dt <= most_of_field))
    return hb_fail(HB_ERR_NUMERIC, "the field's tide on particles %u and %u is too strong for a step of %g",
                   chain->member[0], chain->member[1], dt);
  status = (kepler_suits(chain, tide) ? kepler_advance : chain_advance)(chain, dt, tide, forces);
  if (status == HB_OK) notice_touch(groups, &before, dt, chain);
  if (tide->turn == 0) return status;
  chain_rotate(chain->n - 1, -tide->turn * dt, chain->X);
  chain_rotate(chain->n - 1, -tide->turn * dt, chain->V);
  chain_turn(chain, tide->turn);
  return status;
}

/* chain, a copy of g's, by dt. */
static enum hb_status advance_chain(const struct hb_groups *groups, const struct hb_group *g, double dt,
                                    struct hb_chain *chain, uint64_t *forces)
{
  enum { FEW = 8 };
  HB_OWN struct chain_points *many = NULL;
  struct chain_points few[FEW], *points = few;
  double few_times[FEW * LANES], *times = few_times;
  if (dt == 0) return HB_OK;
  size_t most = hb_div_ceil(most_points(groups, g), LANES);
  if (most > FEW) {
    size_t for_times = hb_div_ceil(most * LANES * sizeof *times, sizeof *many);
    HB_TRY(HB_ALLOC(most + for_times, &many));
    points = many, times = (double *)(many + most);
  }
  struct chain_tide tide = {
      .points = points, .radius = groups->radius, .center = node_at(groups, g->node, g->tick)};
  tide.count = look_from(&tide.center, groups, g, dt, points, times);
  tide.rules = groups->rules->chain;
  if (hb_groups_has_tides(g)) tide.tensor = g->tides.of_all;
  tide.since = since(groups, g->tides.tick, g->tick);
  if (groups_feels_field(groups, g, tide.center.x)) tide.field = groups->field;
  tide.is_all = groups_is_all(groups, g);
  tide.light = groups->light;
  tide.turn = groups->field ? hb_field_turn(groups->field) / 2 : 0;
  return advance_at_rest(groups, dt, &tide, chain, forces);
}

static void arrive(struct hb_groups *groups, struct hb_group *g, const struct hb_chain *chain, uint64_t tick)
{
  groups->lost += chain->lost;
  g->chain = *chain;
  g->chain.lost = 0;
  g->tick = tick;
  groups_measure_node(groups, g);
}

/* Advances one group. */
static enum hb_status bring(struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  struct hb_chain chain = g->chain;
  HB_TRY(advance_chain(groups, g, since(groups, g->tick, tick), &chain, &groups->forces));
  arrive(groups, g, &chain, tick);
  return HB_OK;
}

/* ---- the block ---- */

/* Groups that are needed, and what becomes of their chains: no group changes while others look at it. */
struct work {
  const struct hb_groups *groups;
  uint64_t tick;
  const uint32_t *needed;
  struct hb_chain *chain;
  _Atomic uint64_t forces;
  _Atomic size_t failed; /* 1 + a place in needed */
};

static enum hb_status advance_one(struct work *w, size_t k)
{
  uint64_t forces = 0;
  const struct hb_group *g = w->groups->at + w->needed[k];
  w->chain[k] = g->chain;
  HB_TRY(advance_chain(w->groups, g, since(w->groups, g->tick, w->tick), w->chain + k, &forces));
  w->forces += forces;
  return HB_OK;
}

static void advance_piece(void *context, size_t k)
{
  struct work *w = context;
  if (advance_one(w, k) != HB_OK) w->failed = k + 1;
}

static int feels(const struct hb_groups *groups, const struct hb_group *g, uint32_t i)
{
  hb_groups_need(groups, g->node);
  hb_groups_need(groups, i);
  return hb_groups_feel(groups, g, i, hb_distance2(groups->nodes.xp, g->node, i));
}

/* Who is in the group's list, or is its node. */
static void mark(struct hb_groups *groups, const struct hb_group *g, uint8_t as)
{
  groups->listed[g->node] = as;
  for (size_t k = 0; k < g->count; k++) groups->listed[g->list[k]] = as;
}

static enum hb_status enter_all(struct hb_groups *groups, size_t ni, const uint32_t *block)
{
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < groups->count; k++) {
    struct hb_group *g = groups->at + k;
    size_t b = 0;
    while (b < ni && (block[b] == g->node || !feels(groups, g, block[b]))) b++;
    if (b == ni) continue;
    mark(groups, g, 1);
    for (; b < ni && status == HB_OK; b++)
      if (!groups->listed[block[b]] && feels(groups, g, block[b])) status = groups_list(groups, g, block[b]);
    mark(groups, g, 0);
    HB_TRY(status);
  }
  return HB_OK;
}

/* Into the lists of neighbors; of those whose neighbor it is they will know at their own steps. */
static enum hb_status enter_near(struct hb_groups *groups, uint64_t tick, uint32_t node, struct hb_group *g)
{
  struct hb_group *own = hb_groups_of(groups, node);
  if (!feels(groups, g, node) || groups_has(groups, g, node)) return HB_OK;
  HB_TRY(groups_list(groups, g, node));
  groups_leave_tides(groups, g, node, tick);
  if (own) groups_leave_tides(groups, own, g->node, tick);
  return HB_OK;
}

static enum hb_status enter(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  if (groups->rules == &hb_groups_by_size) return enter_all(groups, ni, block);
  if (!groups->has_hits) HB_TRY(hb_groups_find_hits(groups, ni, block));
  for (uint32_t b = 0; b < ni && groups->hits > 0; b++) {
    const struct hb_groups_around hits = groups_hits_of(groups, b);
    for (size_t k = 0; k < hits.count; k++)
      if (groups->orbit[hits.list[k]].tide > 0)
        HB_TRY(enter_near(groups, tick, block[b], hb_groups_of(groups, hits.list[k])));
    if (groups->seen && hits.count > 0) groups->hint[b] |= groups->first[block[b]] != 0;
  }
  return HB_OK;
}

/* A group that is active is advanced, and one in whose list an active node is that disturbs it so much that it has to be. */
static int is_needed(const struct hb_groups *groups, const struct hb_group *g)
{
  if (hb_groups_active(groups, g->node) || g->settled < g->count || !(g->waking < INFINITY)) return 1;
  if (groups->field && hb_field_turn(groups->field) != 0) return 1; /* no orbit in coordinates that turn */
  for (size_t k = 0; k < g->count; k++) {
    if (!hb_groups_active(groups, g->list[k])) continue;
    hb_groups_need(groups, g->node);
    double d2 = hb_distance2(groups->nodes.xp, g->node, g->list[k]), m = groups->m[g->list[k]];
    if (m * m * g->waking > d2 * d2 * d2) return 1;
  }
  return 0;
}

enum { ALONE = 8 }; /* groups that are advanced before a second thread has woken up */

static enum hb_status advance(struct hb_groups *groups, uint64_t tick, size_t count, const uint32_t *needed)
{
  HB_OWN struct hb_chain *chain = NULL;
  if (count == 0) return HB_OK;
  HB_TRY(HB_ALLOC(count, &chain));
  struct work w = {.groups = groups, .tick = tick, .needed = needed, .chain = chain};
  hb_parallel_for(count > ALONE ? hb_parallel_threads() : 1, count, advance_piece, &w);
  groups->forces += w.forces;
  if (w.failed) return advance_one(&w, w.failed - 1); /* its sentence in this thread */
  for (size_t k = 0; k < count; k++) {
    struct hb_group *g = groups->at + needed[k];
    arrive(groups, g, chain + k, tick);
    g->settled = g->count;
  }
  return HB_OK;
}

enum hb_status hb_groups_meet(struct hb_groups *groups, uint64_t tick, size_t ni, const uint32_t *block)
{
  HB_OWN uint32_t *needed = NULL;
  size_t count = 0;
  if (!groups->has_hits) groups->hits = 0;
  if (groups->count > 0) HB_TRY(enter(groups, tick, ni, block));
  groups->has_hits = 0;
  hb_groups_activate(groups, tick, ni, block);
  if (groups->touches == 0) return HB_OK;
  HB_TRY(HB_ALLOC(groups->touches, &needed));
  for (size_t k = 0; k < groups->touches; k++)
    if (is_needed(groups, groups->at + groups->touched[k])) needed[count++] = groups->touched[k];
  return advance(groups, tick, count, needed);
}

/* ---- lists ---- */

enum hb_status hb_groups_wake_listers(struct hb_groups *groups, uint64_t tick, uint32_t node)
{
  size_t count = 0;
  groups->touches = 0;
  hb_groups_touch_listers(groups, node);
  hb_groups_end_touching(groups);
  for (size_t k = 0; k < groups->touches; k++)
    if (groups->at[groups->touched[k]].tick < tick) groups->touched[count++] = groups->touched[k];
  return advance(groups, tick, count, groups->touched);
}

enum hb_status hb_groups_look_around(struct hb_groups *groups, struct hb_group *g, uint64_t tick)
{
  enum hb_status status = HB_OK;
  for (size_t k = g->count; k-- > 0;)
    if (!feels(groups, g, g->list[k])) groups_unlist(groups, g, g->list[k]);
  mark(groups, g, 1);
  uint32_t own = hb_groups_active(groups, g->node);
  int is_near = groups->rules == &hb_groups_by_size || !own; /* lists may have whoever is near; or all */
  struct hb_groups_around around =
      is_near ? hb_groups_near(groups, g->node) : groups_hits_of(groups, own - 1);
  /* passages and chains keep no tides of others: they list whoever they feel, neighbor or not, wherever all are at hand */
  if (g->weak == 0 && groups->nodes.is_full) around = (struct hb_groups_around){.count = groups->n};
  for (size_t k = 0; k < around.count && status == HB_OK; k++) {
    uint32_t i = hb_groups_around_at(&around, k);
    if (i == g->node || groups->of[i] == HB_GROUPS_PARKED) continue;
    hb_groups_need(groups, i);
    if (!feels(groups, g, i)) continue;
    struct hb_group *other = hb_groups_of(groups, i);
    if (groups->listed[i] && groups->rules != &hb_groups_by_size) continue;
    if (other) status = bring(groups, other, tick);
    if (status == HB_OK && !groups->listed[i]) status = groups_list(groups, g, i);
    if (other) other->settled = other->count;
  }
  mark(groups, g, 0);
  g->settled = g->count;
  return status;
}

/* ---- members ---- */

/* By their places r from the center, and by x. */
static double energy_rounded(const struct hb_chain *chain, const double *r, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < chain->n; k++)
    for (size_t l = 0; l < k; l++) {
      double r2 = hb_distance2(r, (uint32_t)k, (uint32_t)l);
      double x2 = hb_distance2(x, chain->member[k], chain->member[l]);
      if (x2 > 0) sum += chain->m[k] * chain->m[l] * (1 / sqrt(x2) - 1 / sqrt(r2));
    }
  return sum;
}

static enum hb_status resolve_one(const struct hb_groups *groups, const struct hb_group *g, double dt,
                                  double *x, double *v, double *e_rounded)
{
  struct hb_chain chain = g->chain;
  double r[3 * HB_CHAIN_MOST], w[3 * HB_CHAIN_MOST], center[2][3];
  HB_TRY(advance_chain(groups, g, dt, &chain, NULL));
  hb_chain_places(&chain, r, w);
  memcpy(center[0], x + 3 * (size_t)g->node, sizeof *center);
  memcpy(center[1], v + 3 * (size_t)g->node, sizeof *center);
  for (size_t k = 0; k < chain.n; k++)
    for (size_t c = 0; c < 3; c++) {
      x[3 * (size_t)chain.member[k] + c] = center[0][c] + r[3 * k + c];
      v[3 * (size_t)chain.member[k] + c] = center[1][c] + w[3 * k + c];
    }
  *e_rounded += energy_rounded(&chain, r, x);
  return HB_OK;
}

enum hb_status hb_groups_resolve(const struct hb_groups *groups, uint64_t tick, double dt, double *x,
                                 double *v, double *e_rounded)
{
  *e_rounded = 0;
  for (size_t k = 0; k < groups->count; k++) {
    const struct hb_group *g = groups->at + k;
    HB_TRY(resolve_one(groups, g, since(groups, g->tick, tick) + dt, x, v, e_rounded));
  }
  return HB_OK;
}

/* ---- what members do that points do not ---- */

/* A node as the points it is made of: itself, or its members. */
struct points {
  size_t n;
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST]; /* relative to the node */
};

static void take_members(const struct hb_chain *c, struct points *p)
{
  p->n = c->n;
  memcpy(p->m, c->m, c->n * sizeof *c->m);
  hb_chain_places(c, p->x, p->v);
}

static void take_node(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  p->n = 1;
  p->m[0] = groups->m[node];
  for (size_t c = 0; c < 3; c++) p->x[c] = p->v[c] = 0;
}

/* A pair that was not woken is where its orbit has it. */
static void resolve(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  const struct chain_tide none = {.rules = groups->rules->chain};
  if (!g) {
    take_node(groups, node, p);
    return;
  }
  double dt = since(groups, g->tick, groups->tick);
  if (!(dt > 0) || !kepler_suits(&g->chain, NULL)) {
    take_members(&g->chain, p);
    return;
  }
  struct hb_chain chain = g->chain;
  kepler_advance(&chain, dt, &none, NULL);
  take_members(&chain, p);
}

/* Up to this strength of the field's tide s a pair is in it as its orbit is in the mean, so that the center's steps need not
 * resolve its revolutions: what they do to its energy is a part s^3/2 / 64 of the pair's, and does not add up. */
static const double most_mean = 1e-4;

static int is_mean(const struct hb_groups *groups, const struct hb_chain *c, const double x[3])
{
  if (c->n != 2 || !(c->B > 0)) return 0;
  double span = chain_span(c);
  return 2 * hb_groups_field_tide(groups, x) * span * span * span < most_mean * chain_mass(c);
}

/* V in axes at rest, in which an orbit is one. */
static struct hb_chain at_rest(const struct hb_groups *groups, const struct hb_chain *c)
{
  struct hb_chain turned = *c;
  if (groups->field) chain_turn(&turned, -hb_field_turn(groups->field) / 2);
  return turned;
}

/* Both members of a pair, at places of their orbit. */
static void resolve_orbit(const struct hb_chain *c, struct points *p)
{
  enum { PLACES = HB_CHAIN_MOST / 2 }; /* good to the second order of places */
  double X[PLACES][3], part[PLACES], M = chain_mass(c);
  kepler_places(c, PLACES, X, part);
  *p = (struct points){.n = HB_CHAIN_MOST}; /* at rest */
  for (size_t k = 0; k < PLACES; k++)
    for (size_t s = 0; s < 2; s++) {
      p->m[2 * k + s] = part[k] * c->m[s];
      for (size_t i = 0; i < 3; i++) p->x[6 * k + 3 * s + i] = (s ? c->m[0] : -c->m[1]) / M * X[k][i];
    }
}

/* Adds what a node feels more; Coriolis' force changes with all of it. */
static void add_more(const struct hb_groups *groups, double more_a[3], double more_j[3], double *a, double *j)
{
  static const double still[3];
  if (groups->field) hb_field_deflect(groups->field, still, more_a, more_j);
  for (size_t c = 0; c < 3; c++) a[c] += more_a[c], j[c] += more_j[c];
}

/* Of a group that another node disturbs no more than that, it feels the mean of the orbit. */
static int is_orbit(const struct hb_groups *groups, const struct hb_group *g, uint32_t node, double d2)
{
  double m = groups->m[node];
  return g->weak > 0 && m * m * g->strong <= d2 * d2 * d2;
}

/* The pull of node k on node i: of all members on all members, less that of points; orbits are quadrupoles. */
static void correct_pair(const struct hb_groups *groups, uint32_t i, uint32_t k, struct points *members,
                         double *a, double *j)
{
  struct points one, source;
  const struct hb_group *own = hb_groups_of(groups, i), *other = hb_groups_of(groups, k);
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[i];
  hb_between(groups->nodes.xp, i, k, r);
  hb_between(groups->nodes.vp, i, k, v);
  double d2 = hb_dot(r, r), to_i[3] = {-r[0], -r[1], -r[2]}, by[3] = {-v[0], -v[1], -v[2]};
  int is_own_mean = is_orbit(groups, own, k, d2), is_other_mean = is_orbit(groups, other, i, d2);
  if (is_own_mean)
    take_node(groups, i, &one);
  else if (members->n == 0)
    resolve(groups, i, members);
  const struct points *sink = is_own_mean ? &one : members;
  if (is_other_mean)
    take_node(groups, k, &source);
  else
    resolve(groups, k, &source);
  for (size_t p = 0; p < sink->n && sink->n + source.n > 2; p++)
    for (size_t q = 0; q < source.n; q++) {
      double rpq[3], vpq[3], share = sink->n > 1 ? sink->m[p] / M : 1;
      for (size_t c = 0; c < 3; c++) {
        rpq[c] = r[c] + (source.x[3 * q + c] - sink->x[3 * p + c]);
        vpq[c] = v[c] + (source.v[3 * q + c] - sink->v[3 * p + c]);
      }
      hb_add_pull(share * source.m[q], hb_dot(rpq, rpq), rpq, vpq, sum_a, sum_j);
    }
  if (sink->n + source.n > 2) hb_add_pull(-groups->m[k], d2, r, v, sum_a, sum_j);
  if (is_other_mean) groups_pull_of_orbit(other->Q, 1, to_i, by, sum_a, sum_j);
  if (is_own_mean) groups_pull_of_orbit(own->Q, groups->m[k] / M, to_i, by, sum_a, sum_j);
  add_more(groups, sum_a, sum_j, a, j);
}

/* A group, as its members or, without any, its orbit, and a star: what either does to the other more than points would. The star's place in the block is one
 * less than b, the group's than own; 0: it is not in it. */
static void correct_star(const struct hb_groups *groups, uint32_t center, const struct points *group,
                         uint32_t own, uint32_t star, uint32_t b, double *a, double *j)
{
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center], share = groups->m[star] / M;
  hb_between(groups->nodes.xp, star, center, r);
  hb_between(groups->nodes.vp, star, center, v);
  for (size_t p = 0; p < group->n; p++) {
    double rp[3], vp[3];
    for (size_t c = 0; c < 3; c++) rp[c] = r[c] + group->x[3 * p + c], vp[c] = v[c] + group->v[3 * p + c];
    hb_add_pull(group->m[p], hb_dot(rp, rp), rp, vp, sum_a, sum_j);
  }
  if (group->n > 0)
    hb_add_pull(-M, hb_dot(r, r), r, v, sum_a, sum_j);
  else
    for (size_t c = 0; c < 3; c++) r[c] = -r[c], v[c] = -v[c];
  if (group->n == 0) groups_pull_of_orbit(hb_groups_of(groups, center)->Q, 1, r, v, sum_a, sum_j);
  double back_a[3], back_j[3];
  for (size_t c = 0; c < 3; c++) back_a[c] = -share * sum_a[c], back_j[c] = -share * sum_j[c];
  if (b) add_more(groups, sum_a, sum_j, a + 3 * (size_t)(b - 1), j + 3 * (size_t)(b - 1));
  if (own) add_more(groups, back_a, back_j, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
  if (b) groups->near[star] = 1;
}

/* All in the list of a group. */
static void correct_list(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct points members, orbit;
  uint32_t own = hb_groups_active(groups, g->node);
  members.n = orbit.n = 0;
  for (size_t k = 0; k < g->count; k++) {
    uint32_t node = g->list[k], b = hb_groups_active(groups, node);
    int is_star = !hb_groups_of(groups, node); /* another group is a center itself: lists are symmetrical */
    if (!own && !(b && is_star)) continue;
    hb_groups_need(groups, g->node);
    hb_groups_need(groups, node);
    int feels_mean = hb_groups_is_mean(groups, g, node, hb_distance2(groups->nodes.xp, g->node, node));
    if (feels_mean && orbit.n == 0 && !(g->weak > 0)) {
      const struct hb_chain turned = at_rest(groups, &g->chain);
      resolve_orbit(&turned, &orbit);
    }
    if (!feels_mean && members.n == 0) resolve(groups, g->node, &members);
    if (is_star)
      correct_star(groups, g->node, feels_mean ? &orbit : &members, own, node, b, a, j);
    else
      correct_pair(groups, g->node, node, &members, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    if (own) groups->near[g->node] = 1;
  }
}

/* Of a group: the mean of the field at its members, less the field at its center. */
static void correct_field(const struct hb_groups *groups, const struct hb_group *g, double *a, double *j)
{
  struct points sink;
  const struct hb_chain turned = at_rest(groups, &g->chain);
  uint32_t center = g->node;
  const double *x = groups->nodes.xp + 3 * (size_t)center, *v = groups->nodes.vp + 3 * (size_t)center;
  double from_a[3] = {0}, from_j[3] = {0}, sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center];
  if (is_mean(groups, &turned, x))
    resolve_orbit(&turned, &sink);
  else
    resolve(groups, center, &sink);
  hb_field_pull(groups->field, x, v, from_a, from_j);
  for (size_t p = 0; p < sink.n; p++) {
    double at[3], by[3], of_a[3] = {0}, of_j[3] = {0};
    for (size_t c = 0; c < 3; c++) at[c] = x[c] + sink.x[3 * p + c], by[c] = v[c] + sink.v[3 * p + c];
    hb_field_pull(groups->field, at, by, of_a, of_j);
    for (size_t c = 0; c < 3; c++) {
      sum_a[c] += sink.m[p] / M * (of_a[c] - from_a[c]);
      sum_j[c] += sink.m[p] / M * (of_j[c] - from_j[c]);
    }
  }
  add_more(groups, sum_a, sum_j, a, j);
  groups->near[center] = 1;
}

void hb_groups_correct(const struct hb_groups *groups, size_t ni, const uint32_t *block, double *a, double *j)
{
  for (size_t k = 0; k < groups->touches; k++) {
    size_t g = groups->touched[k];
    uint32_t center = groups->at[g].node, own = hb_groups_active(groups, center);
    if (own && groups_feels_field(groups, groups->at + g, groups->nodes.xp + 3 * (size_t)center))
      correct_field(groups, groups->at + g, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    correct_list(groups, groups->at + g, a, j);
  }
  groups_add_quadrupoles(groups, ni, block, a, j);
}
