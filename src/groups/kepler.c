#include "groups/kepler.h"

#include <float.h>
#include <math.h>

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
  hb_chain_stumpff(x, c);
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
    hb_chain_stumpff(x, c);
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

static void drift(struct hb_chain *chain, double dt)
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
    hb_chain_stumpff(x, c);
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
  double span = hb_chain_span(c), sum = hb_chain_tide_of_points(tide);
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

static void kick(struct hb_chain *c, double dt, double t, const struct hb_chain_tide *tide)
{
  double f[HB_CHAIN_MOST][3];
  if (tide->rules == HB_CHAIN_BY_SIZE || tide->turn != 0 || tide->field)
    hb_chain_others(c, tide, c->X, t, f);
  else
    hb_chain_others_of_pair(c, tide, t, f);
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
    drift(c, h * (rule->node[k] - at));
    at = rule->node[k];
    kick(c, h * rule->weight[k], t + h * at, tide);
  }
  drift(c, h * (1 - at));
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

/* s, ds = dt / r: the orbit's E = s (M / a)^1/2. A drift by ds needs no root of Kepler's equation, and a kick at a place lasts
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

/* Where a drift is: the pair's distance, time since the start. */
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
    hb_chain_stumpff(sqrt(z), c);
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
static double step_for(struct way *w, double dt)
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
  double s = dt * dt * w.beta < w.r * w.r ? step_for(&w, dt) : 0;
  if (s == 0) {
    drift(chain, dt);
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

/* Whether it stayed an orbit all the time; else chain has what it was by then. */
static int advance_along(struct hb_chain *chain, double dt, double tides, const struct hb_chain_tide *tide,
                         uint64_t *forces)
{
  double most = most_angle(tides);
  struct place at = {hb_norm(chain->X[0]), 0};
  for (size_t steps = 1;; steps++) {
    const struct orbit o = orbit_of(chain);
    double x = most, c[4], node = 0;
    if (!(o.a > 0) || hb_chain_is_endless(steps, at.t, dt)) return 0;
    int is_last = time_for(&o, x) >= dt - at.t;
    if (is_last) {
      struct way w;
      find_way(chain, at.r, &w);
      double s = step_for(&w, dt - at.t);
      x = s != 0 ? s * (o.n * o.a) : solve(&o, o.n * (dt - at.t), c);
    }
    const struct rule *rule = rule_for(x, tides);
    double ds = x / (o.n * o.a);
    for (size_t k = 0; k < rule->nodes; k++) {
      drift_by(chain, ds * (rule->node[k] - node), &at);
      node = rule->node[k];
      kick(chain, ds * rule->weight[k] * at.r, at.t, tide);
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
      (!tide || tide->is_all ? drift_alone : drift)(chain, dt);
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
