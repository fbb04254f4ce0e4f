/* Spherical models; cluster.c makes their stars. */
#include "ic/models.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "core/vector.h"

#include <math.h>

/* ---- Plummer ----------------------------------------------------------------------------------------- */

/* Plummer's sphere as Aarseth, Henon & Wielen (1974, A&A 37, 183) draw it, in the units of Heggie & Mathieu
 * (1986): G = M = 1, E = -1/4, in virial equilibrium, the center of mass at rest at the origin; the initial
 * conditions of [PZ07] section 4. Only + - * / and sqrt are used, which IEEE rounds the same everywhere, so a
 * seed gives the same bytes on every machine. */

/* The Plummer radius, total mass and G are 1 here. The mass within r is s^3 with s = r / sqrt(1 + r^2), so s is the
 * cube root of a uniform number. s_max is s at the cut-off. */
static double draw_radius(struct hb_rng *rng, double s_max)
{
  double s = s_max * hb_rng_cube_root(rng);
  return s / sqrt(1 - s * s);
}

/* Speed in units of the speed of escape: density q^2 (1 - q^2)^(7/2), by von Neumann's rejection. The density
 * is at most 0.0923, at q^2 = 2/9. */
static double draw_speed(struct hb_rng *rng)
{
  for (;;) {
    double q = hb_rng_uniform(rng);
    double w = 1 - q * q;
    if (0.1 * hb_rng_uniform(rng) < q * q * w * w * w * sqrt(w)) return q;
  }
}

static void plummer_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double direction[3], r = draw_radius(rng, sphere->number);
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  double speed = draw_speed(rng) * sqrt(2 / sqrt(1 + r * r)); /* times the speed of escape */
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) v[k] = speed * direction[k];
}

enum hb_status hb_spheres_plummer(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  double s_max = params->r_cut > 0 ? 1 / sqrt(1 + 1 / params->r_cut / params->r_cut) : 1;
  *sphere = (struct hb_ic_sphere){
      .draw = plummer_draw, .number = s_max, .length = 0.58904862254808623221 /* 3 pi / 16 */};
  return HB_OK;
}

/* ---- cold sphere -------------------------------------------------------------------------------------- */

/* A sphere of uniform density at rest, G = M = R = 1, centered: U = -3/5 up to the sampling noise, and all shells
 * would meet in the center at t = pi / sqrt(8) = 1.11. With a virial ratio its velocities are normal. */
static void coldsphere_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double r = hb_rng_cube_root(rng), direction[3];
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  if (sphere->number != 0) hb_elementary_three_normals(rng, v);
}

enum hb_status hb_spheres_cold(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  *sphere = (struct hb_ic_sphere){.draw = coldsphere_draw, .number = params->cluster.virial};
  return HB_OK;
}

/* ---- King --------------------------------------------------------------------------------------------- */

/* King's model of a cluster that its galaxy's tide has cut off: f ~ e^(W - v^2 / 2) - 1 where that is positive [King 1966,
 * AJ 71, 64]. Speeds are in units of the dispersion parameter sigma, lengths in those of King's core radius
 * r0 = 3 sigma / sqrt(4 pi G rho0), and W = -(Phi - Phi(r_t)) / sigma^2:
 *
 *   W'' + 2 W' / r = -9 rho(W) / rho(W0),  W(0) = W0,  W'(0) = 0,  W(r_t) = 0 */

/* What is integrated along r. mu is 9 times the integral of rho / rho0 r^2, so G M within r, and W' = -mu / r^2; depth is
 * the integral of W over mu. */
struct state {
  double W, mu, depth;
};

/* Steps are this part of r + 1, so that the error of the fourth order is 1e-10, and that of straight lines in a step 1e-6. */
static const double part = 1.0 / 512;

/* Up to W0 = 20, where r_t is 30000: 512 ln 30000 steps. */
enum { ROWS = 8192 };

struct table {
  int last;
  double r3[ROWS], W[ROWS], mu[ROWS];
};

/* rho ~ e^W erf(sqrt W) - sqrt(4 W / pi) (1 + 2 W / 3): what is left of the series of the first term, W^(k + 1/2) /
 * Gamma(k + 3/2), when the second takes k = 0 and 1 away. */
static double density(double W)
{
  if (W <= 0) return 0;
  double term = W * W * sqrt(W) * 0.30090111122547003; /* 1 / Gamma(7 / 2) */
  double sum = term;
  for (int k = 3; term > 1e-17 * sum; k++) sum += term *= W / (k + 0.5);
  return sum;
}

static struct state slope(double r, const struct state *s, double rho0)
{
  double dmu = 9 * density(s->W) / rho0 * r * r;
  return (struct state){.W = -s->mu / (r * r), .mu = dmu, .depth = s->W * dmu};
}

static struct state along(const struct state *s, double h, const struct state *k)
{
  return (struct state){s->W + h * k->W, s->mu + h * k->mu, s->depth + h * k->depth};
}

/* One step of Runge and Kutta's fourth order. */
static struct state advance(double r, double h, const struct state *s, double rho0)
{
  struct state k1 = slope(r, s, rho0), at = along(s, h / 2, &k1);
  struct state k2 = slope(r + h / 2, &at, rho0);
  at = along(s, h / 2, &k2);
  struct state k3 = slope(r + h / 2, &at, rho0);
  at = along(s, h, &k3);
  struct state k4 = slope(r + h, &at, rho0);
  at = along(s, h / 6, &k1);
  at = along(&at, h / 3, &k2);
  at = along(&at, h / 3, &k3);
  return along(&at, h / 6, &k4);
}

static void put_row(struct table *t, double r, double W, double mu)
{
  t->r3[t->last] = r * r * r;
  t->W[t->last] = W;
  t->mu[t->last] = mu;
}

/* From the series about the center to the last step before W = 0; there is hardly any mass beyond it, so W is linear in
 * 1 / r. Returns the length for U = -1/2: with G = M = 1 it is mean W / mu + 1 / r_t. */
static double integrate(double W0, struct table *t)
{
  double rho0 = density(W0), r = part;
  struct state s = {.W = W0 - 1.5 * r * r, .mu = 3 * r * r * r};
  s.depth = W0 * s.mu;
  t->last = 0;
  put_row(t, 0, W0, 0);
  for (;;) {
    t->last++;
    put_row(t, r, s.W, s.mu);
    double h = part * (r + 1);
    struct state next = advance(r, h, &s, rho0);
    if (next.W <= 0 || t->last == ROWS - 2) break;
    s = next;
    r += h;
  }
  double r_t = 1 / (1 / r - s.W / s.mu);
  t->last++;
  put_row(t, r_t, 0, s.mu);
  return s.depth / (s.mu * s.mu) + 1 / r_t;
}

/* The row below the one where mu is reached. */
static int row_of(const struct table *t, double mu)
{
  int low = 0, high = t->last;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (t->mu[middle] <= mu)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Speeds are distributed as v^2 (e^(W - v^2 / 2) - 1). Where W is large a normal velocity is kept with the probability
 * 1 - e^(v^2 / 2 - W), where it is small one that is uniform in a ball. */
static void draw_velocity(struct hb_rng *rng, double W, double v[3])
{
  double v2, keep;
  do {
    if (W > 2) {
      hb_elementary_three_normals(rng, v);
      v2 = hb_dot(v, v);
      keep = v2 < 2 * W ? 1 - hb_elementary_exp(v2 / 2 - W) : 0;
    } else {
      double v_escape = sqrt(2 * W);
      v2 = hb_rng_ball(rng, v) * 2 * W;
      for (int k = 0; k < 3; k++) v[k] *= v_escape;
      keep = W > 0 ? (hb_elementary_exp(W - v2 / 2) - 1) / (hb_elementary_exp(W) - 1) : 1;
    }
  } while (hb_rng_uniform(rng) >= keep);
}

static void king_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  const struct table *t = sphere->table;
  double mu_t = t->mu[t->last], mu = hb_rng_uniform(rng) * mu_t, direction[3];
  int k = row_of(t, mu);
  double at = t->mu[k + 1] > t->mu[k] ? (mu - t->mu[k]) / (t->mu[k + 1] - t->mu[k]) : 0;
  double r = hb_elementary_power(t->r3[k] + at * (t->r3[k + 1] - t->r3[k]), 1.0 / 3);
  double W = t->W[k] + at * (t->W[k + 1] - t->W[k]);
  hb_rng_direction(rng, direction);
  for (int c = 0; c < 3; c++) x[c] = r * direction[c];
  draw_velocity(rng, W, v);
  for (int c = 0; c < 3; c++) v[c] /= sqrt(mu_t); /* G M is mu_t where sigma is 1 */
}

enum hb_status hb_spheres_king(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  struct table *table;
  double w0 = params->w0;
  if (!(w0 >= 0.1 && w0 <= 16))
    return hb_fail(HB_ERR_USAGE, "the depth w0 of a King model is %g, expected 0.1 to 16", w0);
  HB_TRY(HB_ALLOC(1, &table));
  *sphere = (struct hb_ic_sphere){.draw = king_draw, .table = table, .length = integrate(w0, table)};
  sphere->reach = hb_elementary_power(table->r3[table->last], 1.0 / 3);
  return HB_OK;
}
