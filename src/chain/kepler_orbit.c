/* Motion along Kepler's orbit; see kepler_orbit.h. The first half of the file takes the eccentric anomaly as its variable and solves
 * Kepler's equation, the second half takes s. */
#include "chain/kepler_orbit.h"

#include "chain/stumpff.h"

static const double two_pi = 6.28318530717958647693;

/* ---- by the eccentric anomaly ---- */

/* Returns the orbit with this semi-major axis. */
static struct hb_kepler_orbit orbit_with(const struct hb_chain *c, double a)
{
  const double *X = c->X[0], *V = c->V[0];
  struct hb_kepler_orbit o = {.M = c->m[0] + c->m[1], .r = sqrt(hb_dot(X, X)), .a = a};
  o.n = sqrt(o.M / o.a) / o.a;
  o.e_cos = 1 - o.r / o.a;
  o.e_sin = hb_dot(X, V) / (o.n * o.a * o.a);
  return o;
}

/* Returns the difference of the mean anomaly for a difference x of the eccentric anomaly, by Kepler's equation, c[] being the Stumpff
 * functions of x. *slope and *bend become its first two derivatives. */
static double mean_anomaly(const struct hb_kepler_orbit *o, double x, const double c[4], double *slope,
                           double *bend)
{
  double sin_x = x * c[1], versed = x * x * c[2];
  *slope = o->r / o->a + o->e_cos * versed + o->e_sin * sin_x;
  *bend = o->e_cos * sin_x + o->e_sin * c[0];
  return x * (o->r / o->a) + o->e_cos * x * x * x * c[3] + o->e_sin * versed;
}

struct hb_kepler_orbit hb_kepler_orbit_of(const struct hb_chain *c)
{
  const double *X = c->X[0], *V = c->V[0];
  return orbit_with(c, 1 / (2 / sqrt(hb_dot(X, X)) - hb_dot(V, V) / (c->m[0] + c->m[1])));
}

double hb_kepler_orbit_time(const struct hb_kepler_orbit *o, double x)
{
  double c[4], slope, bend;
  hb_stumpff(x, c);
  return mean_anomaly(o, x, c, &slope, &bend) / o->n;
}

/* The iteration of Conway 1986, CeMDA 39, 199, within the bounds |x - l| <= 2 e. */
double hb_kepler_orbit_solve(const struct hb_kepler_orbit *o, double l, double c[4])
{
  enum { MOST = 64 };
  double low = l - 2, high = l + 2, x = l;
  if (fabs(l) * o->a < o->r / 8) x = l * o->a / o->r; /* a small part of the orbit */
  for (int k = 0; k < MOST; k++) {
    double slope, bend;
    hb_stumpff(x, c);
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

/* Gauss's functions for a difference of the eccentric anomaly, f - 1, g, f' and g' - 1, and the separation after it. */
struct shift {
  double f_less_1, g, f_dot, g_dot_less_1, r;
};

/* Returns Gauss's functions for a difference x of the eccentric anomaly, c[] being the Stumpff functions of x. */
static struct shift shift_by(const struct hb_kepler_orbit *o, double x, const double c[4])
{
  double sin_x = x * c[1], versed = x * x * c[2], r = o->r + o->a * (o->e_cos * versed + o->e_sin * sin_x);
  return (struct shift){.f_less_1 = -o->a / o->r * versed,
                        .g = (o->r / o->a * sin_x + o->e_sin * versed) / o->n,
                        .f_dot = -o->n * o->a * o->a / (r * o->r) * sin_x,
                        .g_dot_less_1 = -o->a / r * versed,
                        .r = r};
}

/* Moves the pair along the orbit by a difference x of the eccentric anomaly. */
static void shift_along(struct hb_chain *chain, const struct hb_kepler_orbit *o, double x, const double c[4])
{
  const struct shift s = shift_by(o, x, c);
  for (size_t i = 0; i < 3; i++) {
    double X = chain->X[0][i], V = chain->V[0][i];
    chain->X[0][i] += s.f_less_1 * X + s.g * V;
    chain->V[0][i] += s.f_dot * X + s.g_dot_less_1 * V;
  }
}

/* Moves the pair along the orbit by the time dt. */
static void drift_along(struct hb_chain *chain, const struct hb_kepler_orbit *orbit, double dt)
{
  const struct hb_kepler_orbit o = *orbit;
  double c[4], l = o.n * remainder(dt, two_pi / o.n), x = hb_kepler_orbit_solve(&o, l, c);
  shift_along(chain, &o, x, c);
}

void hb_kepler_orbit_drift(struct hb_chain *chain, double dt)
{
  const struct hb_kepler_orbit o = hb_kepler_orbit_of(chain);
  drift_along(chain, &o, dt);
}

/* Rounding changes the energy of the links in millions of revolutions. The velocity is corrected where it is not small. */
void hb_kepler_orbit_drift_alone(struct hb_chain *chain, double dt)
{
  const struct hb_kepler_orbit o = orbit_with(chain, hb_chain_span(chain) / 2);
  drift_along(chain, &o, dt);
  const double *X = chain->X[0];
  double *V = chain->V[0], r = sqrt(hb_dot(X, X));
  if (r > o.a) return;
  double right = sqrt(o.M * (2 / r - 1 / o.a) / hb_dot(V, V));
  for (size_t i = 0; i < 3; i++) V[i] *= right;
}

void hb_kepler_orbit_places(const struct hb_chain *chain, size_t count, double X[][3], double *part)
{
  const struct hb_kepler_orbit o = hb_kepler_orbit_of(chain);
  for (size_t k = 0; k < count; k++) {
    double c[4], x = two_pi * (double)k / (double)count;
    hb_stumpff(x, c);
    const struct shift s = shift_by(&o, x, c);
    for (size_t i = 0; i < 3; i++)
      X[k][i] = chain->X[0][i] + (s.f_less_1 * chain->X[0][i] + s.g * chain->V[0][i]);
    part[k] = s.r / (o.a * (double)count);
  }
}

/* ---- by s, ds = dt / r, which is the eccentric anomaly over (M / a)^1/2 ---- */

/* A drift by ds: total mass, separation r, r r', beta = M / a, and the Stumpff functions of z = beta ds^2. */
struct kepler_step {
  double M, r, rv, beta, ds, c[4];
};

/* Prepares a drift from the present separation r. */
static void begin_step(const struct hb_chain *chain, double r, struct kepler_step *w)
{
  const double *X = chain->X[0], *V = chain->V[0];
  w->M = chain->m[0] + chain->m[1];
  w->r = r;
  w->rv = hb_dot(X, V);
  w->beta = 2 * w->M / r - hb_dot(V, V);
}

/* Returns the separation and the time after a drift by ds, whose Stumpff functions stay in w. */
static struct hb_kepler_place place_after(struct kepler_step *w, double ds)
{
  double z = w->beta * ds * ds, *c = w->c;
  w->ds = ds;
  if (fabs(z) > 4)
    hb_stumpff(sqrt(z), c);
  else
    hb_stumpff_series(z, c);
  double bend = w->M - w->beta * w->r;
  return (struct hb_kepler_place){.r = w->r + ds * (w->rv * c[1] + bend * ds * c[2]),
                                  .t = ds * (w->r + ds * (w->rv * c[2] + bend * ds * c[3]))};
}

/* Moves the pair by the drift that w was last evaluated for; *to is what place_after returned. */
static void apply_step(struct hb_chain *chain, const struct kepler_step *w, const struct hb_kepler_place *to)
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

void hb_kepler_orbit_drift_by(struct hb_chain *chain, double ds, struct hb_kepler_place *at)
{
  struct kepler_step w;
  begin_step(chain, at->r, &w);
  const struct hb_kepler_place to = place_after(&w, ds);
  apply_step(chain, &w, &to);
  *at = (struct hb_kepler_place){to.r, at->t + to.t};
}

/* Returns the ds of a time dt that is a part of an orbit, by Halley's iteration for t(ds) = dt; the derivatives of t are r and r'. 0 if
 * it finds none. */
static double solve_step(struct kepler_step *w, double dt)
{
  enum { MOST = 8 };
  double s = dt / w->r * (1 - dt * w->rv / (2 * w->r * w->r));
  if (!(fabs(dt * w->rv) < w->r * w->r / 2)) s = dt / w->r;
  for (int k = 0; k < MOST; k++) {
    if (!(fabs(w->beta * s * s) <= 4)) return 0;
    const struct hb_kepler_place at = place_after(w, s);
    double error = at.t - dt, cosine = 1 - w->beta * s * s * w->c[2];
    double slope = w->rv * cosine + (w->M - w->beta * w->r) * s * w->c[1];
    double by = error / (at.r - error * slope / (2 * at.r));
    s -= by;
    if (fabs(by) <= 0x1p-19 * fabs(s)) return s; /* errors fall with their third power */
  }
  return 0;
}

void hb_kepler_orbit_drift_for(struct hb_chain *chain, double dt)
{
  struct kepler_step w;
  begin_step(chain, hb_norm(chain->X[0]), &w);
  double s = dt * dt * w.beta < w.r * w.r ? solve_step(&w, dt) : 0;
  if (s == 0) {
    hb_kepler_orbit_drift(chain, dt);
    return;
  }
  struct hb_kepler_place to = place_after(&w, s);
  to.t = dt;
  apply_step(chain, &w, &to);
}

double hb_kepler_orbit_step_for(const struct hb_chain *chain, double r, double dt)
{
  struct kepler_step w;
  begin_step(chain, r, &w);
  return solve_step(&w, dt);
}
