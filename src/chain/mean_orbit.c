/* The equations of mean_orbit.h. With f the acceleration of the second body relative to the first by everything outside, h = X x V and
 * the eccentricity vector e = V x h / M - X / r, Gauss's equations are
 *
 *   de/dt = (f x h + V x (X x f)) / M    dh/dt = X x f    d(M / 2a)/dt = -V . f
 *
 * and the mean longitude, counted from a direction that turns with the plane as little as it can, grows by
 *
 *   n - 2 X . f / (n a^2) + (h / h) . (e x de/dt) / (1 + (1 - e^2)^1/2)
 *
 * Means over a revolution are sums over 16 places that are equally far apart in the eccentric anomaly E, weighted by r. These are exact
 * for all terms of a tide up to the fifth power of the separation. Of the mean rates of change, that of the energy vanishes.
 *
 * The wave of an element y at the anomaly E0, of mean 0 over a revolution, is (1 / 2 pi) times the integral over x = 0 ... 2 pi of
 * (l(E0 + x) - l(E0) - pi) (dy/dE - mean), l being the mean anomaly, E - e sin E. The part of x - pi is exact as a sum over the same
 * places with the weights saw[] below.
 *
 * Post-Newtonian terms of a pair enter by their means: the advance of the pericenter of first order, and the radiation of energy and
 * angular momentum (Peters 1964, Phys. Rev. 136, B1224, eqs 5.6 and 5.7). */
#include "chain/mean_orbit.h"

#include "base/machine.h"
#include "chain/kepler_orbit.h"

#include <string.h>

enum {
  ECC = HB_MEAN_ORBIT_ECC,
  ANG = HB_MEAN_ORBIT_ANG,
  ENERGY = HB_MEAN_ORBIT_ENERGY,
  LONGITUDE = HB_MEAN_ORBIT_LONGITUDE,
  ELEMENTS = HB_MEAN_ORBIT_ELEMENTS,
  PLACES = HB_CHAIN_TIDE_PLACES
};

static const double two_pi = 6.28318530717958647693;

/* cos(2 pi k / 16); the sine is that of k - 4. */
static const double cosine_of[PLACES] = {1,  0.92387953251128676,  0.70710678118654752,  0.38268343236508977,
                                         0,  -0.38268343236508977, -0.70710678118654752, -0.92387953251128676,
                                         -1, -0.92387953251128676, -0.70710678118654752, -0.38268343236508977,
                                         0,  0.38268343236508977,  0.70710678118654752,  0.92387953251128676};

/* -(2 / 16) times the sum over m = 1 ... 7 of sin(2 pi m k / 16) / m: the weights of the integral of x - pi. */
static const double saw[PLACES] = {0,
                                   -0.20643659569940614,
                                   -0.12921322052785825,
                                   -0.13414612663329487,
                                   -0.090476190476190474,
                                   -0.07879499643553692,
                                   -0.04587988719452492,
                                   -0.02608546550164818,
                                   0,
                                   0.02608546550164818,
                                   0.04587988719452492,
                                   0.07879499643553692,
                                   0.090476190476190474,
                                   0.13414612663329487,
                                   0.12921322052785825,
                                   0.20643659569940614};

/* ---- geometry ---- */

static void cross(const double x[3], const double y[3], double z[3])
{
  z[0] = x[1] * y[2] - x[2] * y[1], z[1] = x[2] * y[0] - x[0] * y[2], z[2] = x[0] * y[1] - x[1] * y[0];
}

static void scale(double by, double x[3])
{
  for (int i = 0; i < 3; i++) x[i] *= by;
}

/* Unit vectors of an orbit: P to the pericenter, Q at right angles to it in the plane, W normal to the plane. e is the eccentricity, b is
 * (1 - e^2)^1/2. */
struct axes {
  double P[3], Q[3], W[3], e, b;
};

/* Finds the axes. An orbit that is a circle has its P in the direction u. */
static void find_axes(const double y[ELEMENTS], const double u[3], struct axes *axes)
{
  static const double circle = 1e-10;
  axes->e = hb_norm(y + ECC), axes->b = hb_norm(y + ANG);
  const double *p = axes->e > circle ? y + ECC : u;
  memcpy(axes->W, y + ANG, sizeof axes->W);
  scale(1 / axes->b, axes->W);
  double along = hb_dot(p, axes->W);
  for (int i = 0; i < 3; i++) axes->P[i] = p[i] - along * axes->W[i];
  scale(1 / hb_norm(axes->P), axes->P);
  cross(axes->W, axes->P, axes->Q);
}

/* Orbits with less (1 - e^2)^1/2 are radial. The direction of h says little there: the eccentric anomaly is counted from the pericenter, and
 * h need not stay where it was for the means to be good. */
static const double radial = 1e-3;

/* Gives the elements of a radial orbit an h at right angles to e, of at least 1e-12: what that changes in places is less than rounding. */
static void set_radial_plane(double y[ELEMENTS])
{
  static const double least = 1e-12;
  double *e = y + ECC, *h = y + ANG, part = hb_dot(e, h) / hb_dot(e, e);
  for (int i = 0; i < 3; i++) h[i] -= part * e[i];
  if (hb_norm(h) >= least) return;
  int x = fabs(e[0]) > fabs(e[1]); /* the longer component in the plane of x and y, or 0 if that is y */
  double axis[3] = {x ? 0 : 1, x ? 1 : 0, 0};
  cross(e, axis, h);
  scale(least / hb_norm(h), h);
}

/* Restores e . h = 0 and e^2 + h^2 / (M a) = 1. */
static void restore_constraints(double y[ELEMENTS])
{
  if (hb_dot(y + ANG, y + ANG) < radial * radial) set_radial_plane(y);
  double part = hb_dot(y + ECC, y + ANG) / hb_dot(y + ANG, y + ANG);
  for (int i = 0; i < 3; i++) y[ECC + i] -= part * y[ANG + i];
  double by = 1 / sqrt(hb_dot(y + ECC, y + ECC) + hb_dot(y + ANG, y + ANG));
  scale(by, y + ECC), scale(by, y + ANG);
}

/* Sets a and n from the energy. */
static void set_size(struct hb_mean_orbit *o)
{
  o->a = o->M / (2 * o->y[ENERGY]);
  o->n = sqrt(o->M / o->a) / o->a;
}

/* Finds the axes, and cosine and sine of the eccentric anomaly that belongs to the eccentric longitude. */
static void find_anomaly(const struct hb_mean_orbit *o, struct axes *axes, double E[2])
{
  find_axes(o->y, o->u, axes);
  double P = hb_dot(axes->P, o->u), Q = hb_dot(axes->Q, o->u), norm = sqrt(P * P + Q * Q);
  P /= norm, Q /= norm;
  E[0] = o->cosine * P - o->sine * Q, E[1] = o->sine * P + o->cosine * Q;
}

/* Makes a radial orbit count its eccentric longitude from its pericenter. E is its eccentric anomaly. */
static void anchor_radial(struct hb_mean_orbit *o, const struct axes *axes, const double E[2])
{
  if (!(axes->b < radial)) return;
  memcpy(o->u, axes->P, sizeof o->u);
  o->cosine = E[0], o->sine = E[1];
}

/* Moves the mean longitude of y[] into the eccentric longitude, by Kepler's equation. */
static void place_longitude(struct hb_mean_orbit *o)
{
  struct axes axes;
  double E[2], c[4], cosine = o->cosine;
  find_anomaly(o, &axes, E);
  const struct hb_kepler_orbit orbit = {.M = o->M,
                                        .r = o->a * (1 - axes.e * E[0]),
                                        .a = o->a,
                                        .n = o->n,
                                        .e_cos = axes.e * E[0],
                                        .e_sin = axes.e * E[1]};
  double x = hb_kepler_orbit_solve(&orbit, remainder(o->y[LONGITUDE], two_pi), c);
  o->cosine = cosine * c[0] - o->sine * x * c[1], o->sine = o->sine * c[0] + cosine * x * c[1];
  o->y[LONGITUDE] = 0;
}

/* Adds `times` the increments `more` to the elements. The eccentric longitude stays; what its mean longitude becomes more by the change of
 * the eccentricity goes to y[]. */
static void change_elements(struct hb_mean_orbit *o, double times, const double more[ELEMENTS])
{
  struct axes before, after;
  double E0[2], E1[2];
  find_anomaly(o, &before, E0);
  for (int q = 0; q < ELEMENTS; q++) o->y[q] += times * more[q];
  restore_constraints(o->y);
  set_size(o);
  find_axes(o->y, o->u, &after);
  anchor_radial(o, &after, E0);
  find_anomaly(o, &after, E1);
  o->y[LONGITUDE] += after.e * E1[1] - before.e * E0[1];
}

/* Turns u into the plane of the elements, from the plane with the normal W. */
static void turn_with_plane(const double W[3], struct hb_mean_orbit *o)
{
  double now[3], axis[3], across[3], cosine, along;
  memcpy(now, o->y + ANG, sizeof now);
  scale(1 / hb_norm(now), now);
  cross(W, now, axis);
  cross(axis, o->u, across);
  cosine = hb_dot(W, now), along = hb_dot(axis, o->u);
  for (int i = 0; i < 3; i++) o->u[i] = cosine * o->u[i] + across[i] + along / (1 + cosine) * axis[i];
  along = hb_dot(o->u, now);
  for (int i = 0; i < 3; i++) o->u[i] -= along * now[i];
  scale(1 / hb_norm(o->u), o->u);
}

/* ---- an orbit and its places ---- */

int hb_mean_orbit_osculating(const struct hb_chain *pair, struct hb_mean_orbit *o)
{
  const double *X = pair->X[0], *V = pair->V[0];
  double r = hb_norm(X), center[3];
  struct axes axes;
  o->M = pair->m[0] + pair->m[1];
  o->y[ENERGY] = o->M / r - hb_dot(V, V) / 2;
  o->y[LONGITUDE] = 0;
  if (!(o->y[ENERGY] > 0)) return 0;
  set_size(o);
  cross(X, V, o->y + ANG);
  cross(V, o->y + ANG, o->y + ECC);
  for (int i = 0; i < 3; i++) o->y[ECC + i] = o->y[ECC + i] / o->M - X[i] / r;
  scale(1 / sqrt(o->M * o->a), o->y + ANG);
  restore_constraints(o->y);
  find_axes(o->y, X, &axes);
  memcpy(o->u, axes.P, sizeof o->u);
  for (int i = 0; i < 3; i++)
    center[i] = X[i] / o->a + o->y[ECC + i]; /* position from the center of the ellipse */
  double P = hb_dot(center, axes.P), Q = hb_dot(center, axes.Q) / axes.b;
  if (axes.b < radial) Q = hb_dot(X, V) / (sqrt(o->M * o->a) * axes.e);
  double norm = sqrt(P * P + Q * Q);
  o->cosine = P / norm, o->sine = Q / norm;
  return norm > 0 && norm < INFINITY;
}

/* Sets X and V of a pair from its osculating orbit. */
static void place_pair(const struct hb_mean_orbit *o, struct hb_chain *pair)
{
  struct axes axes;
  double E[2];
  find_anomaly(o, &axes, E);
  double speed = o->n * o->a / (1 - axes.e * E[0]);
  for (int i = 0; i < 3; i++) {
    pair->X[0][i] = o->a * ((E[0] - axes.e) * axes.P[i] + axes.b * E[1] * axes.Q[i]);
    pair->V[0][i] = speed * (-E[1] * axes.P[i] + axes.b * E[0] * axes.Q[i]);
  }
}

void hb_mean_orbit_place(const struct hb_mean_orbit *o, struct hb_chain *pair)
{
  struct hb_mean_orbit at = *o;
  place_longitude(&at);
  place_pair(&at, pair);
}

/* ---- increments ---- */

/* Sets d to the direction of the eccentric longitude of an orbit whose plane has the normal W. */
static void longitude_direction(const struct hb_mean_orbit *o, const double W[3], double d[3])
{
  double across[3];
  cross(W, o->u, across);
  for (int i = 0; i < 3; i++) d[i] = o->cosine * o->u[i] + o->sine * across[i];
}

/* Returns the small angle with this sine and cosine, by the series of the arc tangent for a quarter of it. */
static double small_angle(double sine, double cosine)
{
  double half = sqrt((1 + cosine) / 2), t = sine / (2 * half) / (1 + half), t2 = t * t;
  return 4 * t * (1 - t2 * (1. / 3 - t2 * (1. / 5 - t2 * (1. / 7 - t2 / 9))));
}

int hb_mean_orbit_difference(const struct hb_mean_orbit *from, const struct hb_mean_orbit *to, double n,
                             double dt, double more[ELEMENTS])
{
  static const double largest_sine = 0.2, /* the series of small_angle is exact to 1e-14 below that */
      largest = 1;
  struct hb_mean_orbit turned = *from;
  struct axes before, after;
  double E0[2], E1[2], d0[3], d1[3], across[3];
  find_anomaly(from, &before, E0);
  find_anomaly(to, &after, E1);
  memcpy(turned.y, to->y, sizeof turned.y);
  turn_with_plane(before.W, &turned);
  longitude_direction(&turned, after.W, d0);
  longitude_direction(to, after.W, d1);
  cross(d0, d1, across);
  double sine = hb_dot(across, after.W), cosine = hb_dot(d0, d1);
  for (int q = 0; q < ELEMENTS; q++) more[q] = to->y[q] - from->y[q];
  more[LONGITUDE] += small_angle(sine, cosine) - (after.e * E1[1] - before.e * E0[1]);
  more[LONGITUDE] = remainder(more[LONGITUDE] - remainder(n * dt, two_pi), two_pi);
  return cosine > 0 && fabs(sine) < largest_sine && fabs(more[LONGITUDE]) < largest;
}

void hb_mean_orbit_add(struct hb_mean_orbit *o, double n, double dt, const double more[ELEMENTS])
{
  struct axes before, after;
  double E0[2], E1[2];
  find_anomaly(o, &before, E0);
  for (int q = 0; q < ELEMENTS; q++) o->y[q] += more[q];
  restore_constraints(o->y);
  set_size(o);
  turn_with_plane(before.W, o);
  find_anomaly(o, &after, E1);
  o->y[LONGITUDE] =
      remainder(o->y[LONGITUDE] + remainder(n * dt, two_pi) + (after.e * E1[1] - before.e * E0[1]), two_pi);
}

/* The places of an orbit, and what its elements do there. */
struct revolution {
  double cosine[PLACES], sine[PLACES]; /* of the eccentric anomaly */
  double slope[ELEMENTS][PLACES];      /* derivatives of the elements by the eccentric anomaly */
  double mean[ELEMENTS];               /* their means over the time of a revolution, times 1 / n */
};

/* Sets the places, beginning at the eccentric anomaly with this cosine and sine. */
static void find_places(double cosine, double sine, struct revolution *r)
{
  for (size_t k = 0; k < PLACES; k++) {
    double c = cosine_of[k], s = cosine_of[(k + PLACES - PLACES / 4) % PLACES];
    r->cosine[k] = cosine * c - sine * s, r->sine[k] = sine * c + cosine * s;
  }
}

/* Computes the slopes of the elements from the accelerations f at the separations x. */
HB_CLONES static void find_slopes(const struct hb_mean_orbit *o, const struct axes *axes, double x[3][PLACES],
                                  double f[3][PLACES], struct revolution *r)
{
  const double *P = axes->P, *Q = axes->Q, *W = axes->W, e = axes->e, b = axes->b, n = o->n;
  double root = sqrt(o->M * o->a), speed = n * o->a, of_e = 1 / (o->M * n), of_h = 1 / (root * n),
         of_l = -2 / (n * n * o->a * o->a),
         of_turn = b < radial ? 0 : e / (1 + b), /* a radial orbit's longitude turns with its pericenter */
      h[3] = {root * b * W[0], root * b * W[1], root * b * W[2]};
#pragma omp simd
  for (size_t k = 0; k < PLACES; k++) {
    double c = r->cosine[k], s = r->sine[k], share = 1 - e * c; /* r / a */
    double vx = speed * (b * c * Q[0] - s * P[0]), vy = speed * (b * c * Q[1] - s * P[1]),
           vz = speed * (b * c * Q[2] - s * P[2]); /* velocity times r / a */
    double fx = f[0][k], fy = f[1][k], fz = f[2][k];
    double tx = x[1][k] * fz - x[2][k] * fy, ty = x[2][k] * fx - x[0][k] * fz,
           tz = x[0][k] * fy - x[1][k] * fx;
    double ex = of_e * (share * (fy * h[2] - fz * h[1]) + (vy * tz - vz * ty)),
           ey = of_e * (share * (fz * h[0] - fx * h[2]) + (vz * tx - vx * tz)),
           ez = of_e * (share * (fx * h[1] - fy * h[0]) + (vx * ty - vy * tx));
    r->slope[ECC][k] = ex, r->slope[ECC + 1][k] = ey, r->slope[ECC + 2][k] = ez;
    double energy = -(vx * fx + vy * fy + vz * fz) / n, of_a = b * o->a / o->M * energy; /* a in (M a)^1/2 */
    r->slope[ANG][k] = of_h * share * tx + of_a * W[0],
    r->slope[ANG + 1][k] = of_h * share * ty + of_a * W[1],
    r->slope[ANG + 2][k] = of_h * share * tz + of_a * W[2];
    r->slope[ENERGY][k] = energy;
    r->slope[LONGITUDE][k] = of_l * share * (x[0][k] * fx + x[1][k] * fy + x[2][k] * fz) +
                             of_turn * (ex * Q[0] + ey * Q[1] + ez * Q[2]);
  }
}

/* Follows a revolution of an orbit with these elements in the tide at the time t. The places are set. */
static void revolve(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                    const struct hb_mean_orbit *o, const struct axes *axes, struct revolution *r)
{
  double x[3][PLACES], f[3][PLACES];
  for (int i = 0; i < 3; i++)
    for (size_t k = 0; k < PLACES; k++)
      x[i][k] = o->a * ((r->cosine[k] - axes->e) * axes->P[i] + axes->b * r->sine[k] * axes->Q[i]);
  hb_chain_tide_on_orbit(pair, tide, t, x, f);
  find_slopes(o, axes, x, f, r);
  for (int q = 0; q < ELEMENTS; q++) {
    double sum = 0;
    for (size_t k = 0; k < PLACES; k++) sum += r->slope[q][k];
    r->mean[q] = sum / PLACES;
  }
  r->mean[ENERGY] = 0;
}

/* Computes what the elements have at the first place more than their means over a revolution. */
static void find_wave(const struct revolution *r, double e, double wave[ELEMENTS])
{
  for (int q = 0; q < ELEMENTS; q++) wave[q] = 0;
  for (size_t k = 0; k < PLACES; k++) {
    double weight = saw[k] + e / PLACES * (r->sine[0] - r->sine[k]), share = 1 - e * r->cosine[k];
    for (int q = 0; q < ELEMENTS; q++) wave[q] += weight * (r->slope[q][k] - r->mean[q] * share);
  }
}

/* Computes the wave of an orbit at its place, in the tide at the time t. */
static void wave_of(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                    const struct hb_mean_orbit *o, double wave[ELEMENTS])
{
  struct revolution r;
  struct axes axes;
  double E[2];
  find_anomaly(o, &axes, E);
  find_places(E[0], E[1], &r);
  revolve(pair, tide, t, o, &axes, &r);
  find_wave(&r, axes.e, wave);
}

/* ---- in time ---- */

/* Returns the angular speed of the pericenter by post-Newtonian terms, of an orbit with (1 - e^2)^1/2 = b; 0 if there are none. */
static double post_newton_turn(const struct hb_chain_tide *tide, const struct hb_mean_orbit *o, double b)
{
  return tide->light > 0 ? 3 * o->n * o->M / (o->a * tide->light * tide->light * b * b) : 0;
}

/* Adds the means of the post-Newtonian terms to the rates of change. */
static void add_post_newton(const struct hb_chain *pair, const struct hb_chain_tide *tide,
                            const struct hb_mean_orbit *o, const struct axes *axes, double rate[ELEMENTS])
{
  double e2 = axes->e * axes->e, b2 = axes->b * axes->b, c2 = tide->light * tide->light, M = o->M, a = o->a;
  double turn = post_newton_turn(tide, o, axes->b);
  double mm = pair->m[0] * pair->m[1] * M / (c2 * c2 * tide->light), b7 = b2 * b2 * b2 * axes->b;
  double a_rate = -12.8 * mm / (a * a * a * b7) * (1 + 73. / 24 * e2 + 37. / 96 * e2 * e2);
  double e_rate = -304. / 15 * axes->e * mm / (a * a * a * a * b7 / b2) * (1 + 121. / 304 * e2);
  for (int i = 0; i < 3; i++) {
    rate[ECC + i] += turn * axes->e * axes->Q[i] + e_rate * axes->P[i];
    rate[ANG + i] -= axes->e * e_rate / axes->b * axes->W[i]; /* of (1 - e^2)^1/2 */
  }
  rate[ENERGY] -= M / (2 * a * a) * a_rate;
  rate[LONGITUDE] += turn;
}

/* Computes the mean rates of change of the elements y, at the time t. */
static void find_rates(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                       const struct hb_mean_orbit *o, const double y[ELEMENTS], double rate[ELEMENTS])
{
  struct revolution r;
  struct axes axes;
  find_axes(y, o->u, &axes);
  find_places(1, 0, &r);
  revolve(pair, tide, t, o, &axes, &r);
  for (int q = 0; q < ELEMENTS; q++) rate[q] = o->n * r.mean[q];
  if (tide->light > 0) add_post_newton(pair, tide, o, &axes, rate);
}

static void add_rates(const double y[ELEMENTS], double dt, const double rate[ELEMENTS], double sum[ELEMENTS])
{
  for (int q = 0; q < ELEMENTS; q++) sum[q] = y[q] + dt * rate[q];
}

/* Returns the shortest time in which a point comes or goes: its distance over its speed, at the time t. */
static double time_of_points(const struct hb_chain_tide *tide, double t)
{
  double rate2 = 0;
  for (size_t k = 0; k < tide->count; k++) {
    struct hb_chain_point p;
    double x[3], v[3];
    hb_chain_tide_get_point(tide->points, k, &p);
    for (int i = 0; i < 3; i++) {
      x[i] = p.x[i] + t * (p.v[i] + t / 2 * (p.a[i] + t / 3 * p.j[i]));
      v[i] = p.v[i] + t * (p.a[i] + t / 2 * p.j[i]);
    }
    rate2 = fmax(rate2, hb_dot(v, v) / hb_dot(x, x));
  }
  return 1 / sqrt(rate2);
}

/* Advances by at most dt from the time t, less where the elements would change by more than a few per cent, or a point comes or goes.
 * Returns the time advanced, 0 if a tide is too strong. */
static double step(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t, double dt,
                   double strongest, struct hb_mean_orbit *o, uint64_t *forces)
{
  static const double most_change = 0.05, little_change = 1e-5, of_points = 0.5, little_error = 1e-8;
  double k1[ELEMENTS], k2[ELEMENTS], k3[ELEMENTS], k4[ELEMENTS], y[ELEMENTS], E[2];
  struct axes before, after;
  find_anomaly(o, &before, E);
  double e_sine = before.e * E[1];
  find_rates(pair, tide, t, o, o->y, k1);
  double rate = fmax(hb_norm(k1 + ECC), hb_norm(k1 + ANG)) / fmax(before.b, radial),
         time = time_of_points(tide, t);
  if (!(rate <= strongest * o->n)) return 0;
  rate =
      fmax(rate, post_newton_turn(tide, o, before.b)); /* the direction of a small e changes faster than e */
  double h = fmin(most_change / rate, of_points * time);
  h = h < dt ? dt / ceil(dt / h) : dt;
  if (h * rate < little_change && h * rate * (h / time) * (h / time) < little_error) {
    /* Heun's method: the error is about the third power of h * rate, or the last product */
    add_rates(o->y, h, k1, y);
    find_rates(pair, tide, t + h, o, y, k4);
    for (int q = 0; q < ELEMENTS; q++) o->y[q] += h / 2 * (k1[q] + k4[q]);
    *forces += 2;
  } else { /* Runge and Kutta's */
    add_rates(o->y, h / 2, k1, y);
    find_rates(pair, tide, t + h / 2, o, y, k2);
    add_rates(o->y, h / 2, k2, y);
    find_rates(pair, tide, t + h / 2, o, y, k3);
    add_rates(o->y, h, k3, y);
    find_rates(pair, tide, t + h, o, y, k4);
    for (int q = 0; q < ELEMENTS; q++) o->y[q] += h / 6 * (k1[q] + 2 * (k2[q] + k3[q]) + k4[q]);
    *forces += 4;
  }
  o->y[LONGITUDE] += remainder(o->n * h, two_pi);
  restore_constraints(o->y);
  if (tide->light > 0) set_size(o);
  find_axes(o->y, o->u, &after);
  if (before.b < radial || after.b < radial) {
    memcpy(o->u, after.P, sizeof o->u);
    o->cosine = E[0], o->sine = E[1];
  } else
    turn_with_plane(before.W, o);
  find_anomaly(o, &after, E);
  o->y[LONGITUDE] += after.e * E[1] - e_sine;
  return h;
}

int hb_mean_orbit_advance(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t, double dt,
                          double strongest, struct hb_mean_orbit *o, uint64_t *forces)
{
  for (double gone = 0; gone < dt;) {
    double h = step(pair, tide, t + gone, dt - gone, strongest, o, forces);
    if (!(h > 0)) return 0;
    gone = h < dt - gone ? gone + h : dt;
  }
  return 1;
}

/* ---- from and to a pair ---- */

int hb_mean_orbit_of_pair(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                          struct hb_mean_orbit *o)
{
  enum {
    ITERATIONS = 2
  }; /* the wave is that of the mean orbit: then going back is the inverse but for the tide's third power */
  static const double tiny = 1e-7; /* waves whose square is below rounding need no second iteration */
  struct hb_mean_orbit osculating;
  double wave[ELEMENTS];
  if (!hb_mean_orbit_osculating(pair, &osculating)) return 0;
  *o = osculating;
  for (int k = 0; k < ITERATIONS; k++) {
    wave_of(pair, tide, t, o, wave);
    *o = osculating;
    change_elements(o, -1, wave);
    if (!(o->y[ENERGY] > 0)) return 0;
    place_longitude(o);
    if (hb_norm(wave + ECC) + hb_norm(wave + ANG) < tiny) break;
  }
  return 1;
}

int hb_mean_orbit_to_pair(const struct hb_chain_tide *tide, double t, const struct hb_mean_orbit *o,
                          struct hb_chain *pair)
{
  struct hb_mean_orbit osculating = *o;
  double wave[ELEMENTS];
  place_longitude(&osculating);
  wave_of(pair, tide, t, &osculating, wave);
  change_elements(&osculating, 1, wave);
  if (!(osculating.y[ENERGY] > 0)) return 0;
  place_longitude(&osculating);
  place_pair(&osculating, pair);
  return 1;
}

double hb_mean_orbit_energy_wave(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                                 const struct hb_mean_orbit *o)
{
  struct hb_mean_orbit at = *o;
  double wave[ELEMENTS];
  place_longitude(&at);
  wave_of(pair, tide, t, &at, wave);
  return pair->m[0] * pair->m[1] / o->M * wave[ENERGY];
}

void hb_mean_orbit_quadrupole(const struct hb_chain *pair, const struct hb_mean_orbit *o, double Q[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *m = pair->m, *e = o->y + ECC, *h = o->y + ANG, h2 = hb_dot(h, h);
  double mu = m[0] * m[1] / (m[0] + m[1]);
  for (int k = 0; k < 6; k++)
    Q[k] = mu * o->a * o->a *
           (2.5 * e[row[k]] * e[column[k]] + ((k < 3 ? h2 : 0) - h[row[k]] * h[column[k]]) / 2);
}

void hb_mean_orbit_swing(const struct hb_chain *pair, double S[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  struct hb_mean_orbit o;
  struct revolution r;
  struct axes axes;
  double E[2], Q[6], mu = pair->m[0] * pair->m[1] / (pair->m[0] + pair->m[1]);
  memset(S, 0, 6 * sizeof *S);
  if (!hb_mean_orbit_osculating(pair, &o)) return;
  find_anomaly(&o, &axes, E);
  find_places(E[0], E[1], &r);
  hb_mean_orbit_quadrupole(pair, &o, Q);
  for (size_t k = 0; k < PLACES; k++) {
    double x[3], share = 1 - axes.e * r.cosine[k];
    double weight = (saw[k] + axes.e / PLACES * (r.sine[0] - r.sine[k])) * share / o.n;
    for (int i = 0; i < 3; i++)
      x[i] = o.a * ((r.cosine[k] - axes.e) * axes.P[i] + axes.b * r.sine[k] * axes.Q[i]);
    for (int q = 0; q < 6; q++) S[q] += weight * (mu * x[row[q]] * x[column[q]] - Q[q]);
  }
}
