/* A bound pair in a weak tide: Kepler's orbit (kepler_orbit.h) with kicks at the nodes of Gauss and Legendre's quadrature.
 *
 * With k kicks of relative strength e the error of a step h is of order e h^2k + e^2 h^2 (McLachlan 1995, BIT 35, 258; Laskar &
 * Robutel 2001, CeMDA 80, 39: SABA_k). Steps are parts of an orbit in the eccentric anomaly.
 *
 * Where rules are HB_CHAIN_BY_SIZE steps are counted in time; where they are HB_CHAIN_BY_PERTURBATION in s, and many revolutions in a
 * weak tide are advanced at once, by the mean of the orbit (mean_orbit.h). A tide that becomes too strong on the way hands the pair back
 * to bulirsch_stoer.c. */
#include "chain/kepler.h"

#include "base/interrupt.h"
#include "chain/bulirsch_stoer.h"
#include "chain/kepler_orbit.h"
#include "chain/mean_orbit.h"
#include "chain/outer_orbit.h"
#include "chain/stumpff.h"

static const double two_pi = 6.28318530717958647693;

/* ---- kicks ---- */

/* BY_SIZE: the strongest tide, and the largest product of the strength of a tide and the angle x of a step. The error of second order is
 * (e x)^2 / 24, at most 1e-10, with the tide e at the distance a, an eighth of the strength, which is that at 2 a. */
static const double most_tide = 1e-2, square = 4e-4;

/* BY_PERTURBATION: tides may be as strong as the pair's own force, since kicks cost less than hb_chain_advance, and the error of second
 * order is at most 1e-8. */
static const double most_tide_of_orbits = 1, square_of_orbits = 4e-3;

/* Weaker tides are left out. Points that weak are another group, which feels this pair though the pair does not feel it. */
static const double least_felt = 3e-9;

int hb_kepler_suits(const struct hb_chain *chain, const struct hb_chain_tide *tide)
{
  double most = tide && tide->rules == HB_CHAIN_BY_PERTURBATION ? most_tide_of_orbits : most_tide;
  if (tide && tide->light > 0) return 0;
  return chain->n == 2 && chain->B > 0 && (!tide || hb_chain_tide_strength(chain, tide) < most);
}

/* Adds to the velocity of the pair the accelerations by others at the time t, for a time dt. */
static void kick_pair(struct hb_chain *c, double dt, double t, const struct hb_chain_tide *tide)
{
  double f[HB_CHAIN_MOST][3];
  if (tide->rules == HB_CHAIN_BY_SIZE || tide->turn != 0 || tide->field)
    hb_chain_tide_on_members(c, tide, c->X, t, f);
  else
    hb_chain_tide_on_pair(c, tide, t, f);
  for (size_t i = 0; i < 3; i++) c->V[0][i] += dt * (f[1][i] - f[0][i]);
}

/* Gauss and Legendre's quadratures. Each is good to 1e-7 for the second harmonic of an orbit, up to a step of this angle in the
 * eccentric anomaly. */
struct quadrature {
  double angle;
  size_t nodes;
  double node[4], weight[4];
};
static const struct quadrature quadratures[] = {
    {7e-4, 1, {0.5}, {1}},
    {0.07, 2, {0.21132486540518712, 0.78867513459481288}, {0.5, 0.5}},
    {0.35, 3, {0.11270166537925831, 0.5, 0.88729833462074169}, {5. / 18, 8. / 18, 5. / 18}},
    {0.8,
     4,
     {0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629},
     {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693}}};
enum { QUADRATURES = sizeof quadratures / sizeof *quadratures };

/* A step by the time h, from t on. */
static void step_in_time(struct hb_chain *c, const struct quadrature *quadrature, double h, double t,
                         const struct hb_chain_tide *tide)
{
  double at = 0;
  for (size_t k = 0; k < quadrature->nodes; k++) {
    hb_kepler_orbit_drift(c, h * (quadrature->node[k] - at));
    at = quadrature->node[k];
    kick_pair(c, h * quadrature->weight[k], t + h * at, tide);
  }
  hb_kepler_orbit_drift(c, h * (1 - at));
}

/* Advances by dt in steps of time; `tides` is hb_chain_tide_strength. */
static enum hb_status advance_in_time(struct hb_chain *chain, double dt, double tides,
                                      const struct hb_chain_tide *tide, uint64_t *forces)
{
  double most = fmin(quadratures[QUADRATURES - 1].angle, square / tides), t = 0;
  size_t steps = 0;
  while (t < dt) {
    const struct hb_kepler_orbit o = hb_kepler_orbit_of(chain);
    const struct quadrature *quadrature = quadratures;
    double h = fmin(hb_kepler_orbit_time(&o, most), dt - t);
    HB_TRY(hb_interrupt_look(steps));
    if (hb_chain_is_endless(++steps, t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the orbit of particles %u and %u cannot be integrated: its steps vanish",
                     chain->member[0], chain->member[1]);
    while (quadrature < quadratures + QUADRATURES - 1 && hb_kepler_orbit_time(&o, quadrature->angle) < h)
      quadrature++;
    step_in_time(chain, quadrature, h, t, tide);
    t = h < dt - t ? t + h : dt;
    if (forces) *forces += quadrature->nodes;
  }
  return HB_OK;
}

/* ---- steps with s as the independent variable ---- */

/* ds = dt / r; the eccentric anomaly is E = s (M / a)^1/2. A drift by ds needs no root of Kepler's equation, and a kick lasts r ds: both
 * solve a part of dX/ds = r V, dV/ds = r (A + f), so that the square of a tide has the errors of a leapfrog. A tide that is linear in X
 * has few harmonics as a function of E: a quadrature of k nodes has an error of (3 x)^2k over this number, for a step of angle x. */
static const double reciprocal_error[QUADRATURES] = {24, 4320, 2016000, 1.78e9};

/* Largest error of a quadrature, relative to what holds the pair together. */
static const double most_error = 1e-9;

/* Returns the quadrature with the least nodes that is exact enough for a step of angle x. */
static const struct quadrature *quadrature_for(double x, double tides)
{
  size_t k = 0;
  double power = 9 * x * x;
  for (double error = power; k + 1 < QUADRATURES && tides * error > most_error * reciprocal_error[k]; k++)
    error *= power;
  return quadratures + k;
}

/* Returns the angle of a step with the largest number of nodes. */
static double most_angle(double tides)
{
  static const double least = 0.25, most = 2;
  double x = sqrt(sqrt(sqrt(most_error * reciprocal_error[QUADRATURES - 1] / tides))) / 3;
  return fmin(fmax(fmin(x, most), least), square_of_orbits / tides);
}

/* A third return value of advance_along: the work is to be given up, see base/interrupt.h. */
enum { GIVEN_UP = -1 };

/* ---- many revolutions at once ---- */

/* The pair is advanced by its mean orbit if the tide is weaker than this, so that what it leaves out, a part (tide)^3/2 of the pair's
 * energy, is small; and if the time is that of more revolutions than this, so that it is also cheaper. */
static const double averaged_below = 1e-5, averaged_revolutions = 2;

/* True if the pair should be advanced by its mean orbit. */
static int is_averaged(const struct hb_chain *chain, double dt, double tides)
{
  const struct hb_kepler_orbit o = hb_kepler_orbit_of(chain);
  return o.a > 0 && tides < averaged_below && dt * o.n > averaged_revolutions * two_pi;
}

/* Advances by dt by the mean orbit. Returns 0 where that is not possible, since another body has come near on the way; the pair is then
 * unchanged. */
static int advance_averaged(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                            uint64_t *forces)
{
  static const double strongest = 3e-5; /* ten times what tides below averaged_below do */
  struct hb_mean_orbit o;
  uint64_t count = 0;
  if (!hb_mean_orbit_of_pair(chain, tide, 0, &o) ||
      !hb_mean_orbit_advance(chain, tide, 0, dt, strongest, &o, &count) ||
      !hb_mean_orbit_to_pair(tide, dt, &o, chain))
    return 0;
  if (forces) *forces += count;
  return 1;
}

/* Drifts from node to node of a quadrature over ds, with a kick at each. Returns the part of ds that is left after the last node. */
static double pass_nodes(struct hb_chain *chain, const struct quadrature *quadrature, double ds,
                         const struct hb_chain_tide *tide, struct hb_kepler_place *at, uint64_t *forces)
{
  double node = 0;
  for (size_t k = 0; k < quadrature->nodes; k++) {
    hb_kepler_orbit_drift_by(chain, ds * (quadrature->node[k] - node), at);
    node = quadrature->node[k];
    kick_pair(chain, ds * quadrature->weight[k] * at->r, at->t, tide);
  }
  if (forces) *forces += quadrature->nodes;
  return ds * (1 - node);
}

/* Advances by dt in steps of s. Returns 0 if the pair became unbound, or its steps vanish, and GIVEN_UP if that was asked for; the chain is
 * then not usable. */
static int advance_along(struct hb_chain *chain, double dt, double tides, const struct hb_chain_tide *tide,
                         uint64_t *forces)
{
  double most = most_angle(tides);
  struct hb_kepler_place at = {hb_norm(chain->X[0]), 0};
  for (size_t steps = 1;; steps++) {
    const struct hb_kepler_orbit o = hb_kepler_orbit_of(chain);
    double x = most, c[4];
    if (hb_interrupt_look(steps) != HB_OK) return GIVEN_UP;
    if (!(o.a > 0) || hb_chain_is_endless(steps, at.t, dt)) return 0;
    int is_last = hb_kepler_orbit_time(&o, x) >= dt - at.t;
    if (is_last) {
      double s = hb_kepler_orbit_step_for(chain, at.r, dt - at.t);
      x = s != 0 ? s * (o.n * o.a) : hb_kepler_orbit_solve(&o, o.n * (dt - at.t), c);
    }
    const struct quadrature *quadrature = quadrature_for(x, tides);
    double left = pass_nodes(chain, quadrature, x / (o.n * o.a), tide, &at, forces);
    if (is_last || !(at.t < dt)) break;
    hb_kepler_orbit_drift_by(chain, left, &at);
  }
  if (!(hb_kepler_orbit_of(chain).a > 0)) return 0;
  hb_kepler_orbit_drift_for(chain, dt - at.t);
  return 1;
}

enum hb_status hb_kepler_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                 uint64_t *forces)
{
  double tides = tide ? hb_chain_tide_strength(chain, tide) : 0;
  if (tides < least_felt && !(tide && tide->field)) {
    if (dt > 0 && tide && tide->rules == HB_CHAIN_BY_PERTURBATION && !tide->is_all)
      hb_kepler_orbit_drift_for(chain, dt);
    else if (dt > 0)
      (!tide || tide->is_all ? hb_kepler_orbit_drift_alone : hb_kepler_orbit_drift)(chain, dt);
    return HB_OK;
  }
  struct hb_chain before;
  hb_chain_copy(chain, &before);
  if (tide->rules == HB_CHAIN_BY_SIZE) {
    HB_TRY(advance_in_time(chain, dt, tides, tide, forces));
  } else if (dt > 0) {
    int is_done = is_averaged(chain, dt, tides) && advance_averaged(chain, dt, tide, forces);
    if (!is_done) is_done = advance_along(chain, dt, tides, tide, forces);
    if (is_done == GIVEN_UP) return HB_ERR_STOPPED;
    if (!is_done) {
      hb_chain_copy(&before, chain);
      return hb_chain_advance(chain, dt, tide, forces);
    }
  }
  chain->B = hb_chain_binding(chain);
  return HB_OK;
}

/* ---- contacts ---- */

/* The advance of a pair, to look at it at any time in between. */
struct passage {
  const struct hb_chain *before;
  struct hb_chain_tide tide; /* without contacts */
  double dt;
};

/* Sets *c to the pair at a time t after the start. Returns 0 if it cannot be advanced. */
static int pair_at(const struct passage *p, double t, struct hb_chain *c)
{
  *c = *p->before;
  return t == 0 || hb_kepler_advance(c, t, &p->tide, NULL) == HB_OK;
}

static double pericenter_of(const struct hb_chain *c)
{
  return hb_outer_orbit_pericenter(c->m[0] + c->m[1], c->X[0], c->V[0]);
}

/* Returns e sin E after the eccentric anomaly has grown by x, and the separation there in *r. */
static double place_on(const struct hb_kepler_orbit *o, double x, double *r)
{
  double c[4];
  hb_stumpff(x, c);
  *r = o->a * (1 - (o->e_cos * c[0] - o->e_sin * x * c[1]));
  return o->e_sin * c[0] + o->e_cos * x * c[1];
}

/* Returns by how much the eccentric anomaly grows to the next pericenter. */
static double to_pericenter(const struct hb_kepler_orbit *o)
{
  enum { PARTS = 16, ITERATIONS = 60 };
  double low = 0, high = two_pi, r;
  for (int k = 1; k <= PARTS + 1; k++) {
    high = k * two_pi / PARTS;
    if (place_on(o, low, &r) < 0 && place_on(o, high, &r) >= 0) break;
    low = high;
  }
  for (int k = 0; k < ITERATIONS; k++) {
    double x = low + (high - low) / 2;
    if (place_on(o, x, &r) < 0)
      low = x;
    else
      high = x;
  }
  return high;
}

/* Returns by how much the eccentric anomaly grows until the separation, which is larger, becomes `reach`. */
static double to_reach(const struct hb_kepler_orbit *o, double reach)
{
  enum { ITERATIONS = 60 };
  double high = to_pericenter(o), low = fmax(0, high - two_pi / 2), r;
  for (int k = 0; k < ITERATIONS; k++) {
    double x = low + (high - low) / 2;
    (void)place_on(o, x, &r);
    if (r > reach)
      low = x;
    else
      high = x;
  }
  return high;
}

/* Corrects the time *t at which the separation becomes `reach`, or, where that is 0, has a minimum. Returns 0 if that does not
 * happen near there, or after the end. */
static int refine(const struct passage *p, double reach, double *t, struct hb_chain *c)
{
  enum { ITERATIONS = 40 };
  static const double exact = 1e-10;
  double t_first = *t;
  for (int k = 0; k < ITERATIONS; k++) {
    if (!(*t >= 0 && *t <= p->dt) || !pair_at(p, *t, c)) return 0;
    double r = hb_norm(c->X[0]), rv = hb_dot(c->X[0], c->V[0]), v2 = hb_dot(c->V[0], c->V[0]);
    double by = reach > 0 ? (r - reach * (1 - exact / 2)) * r / rv : rv / (v2 - (c->m[0] + c->m[1]) / r);
    if (reach > 0 ? fabs(r - reach * (1 - exact / 2)) <= exact / 2 * reach : fabs(rv) <= exact * r * sqrt(v2))
      return reach == 0 || rv < 0;
    if (!(*t - by < *t || *t - by > *t)) return reach == 0 || rv < 0; /* rounding of the time */
    *t = fmax(*t - by, 0);
    if (fabs(*t - t_first) > r / sqrt(v2) + fabs(t_first) / 2) return 0;
  }
  return 0;
}

/* Finds the first time at which the separation becomes `reach`, from more. */
static int find_contact(const struct passage *p, double reach, double *t, struct hb_chain *c)
{
  enum { HALVINGS = 50 };
  struct hb_chain end;
  double low = 0, high = p->dt;
  *t = 0, *c = *p->before;
  if (!(hb_norm(c->X[0]) > reach) || !pair_at(p, p->dt, &end)) return 0;
  if (!(fmin(pericenter_of(c), pericenter_of(&end)) < reach)) return 0;
  for (int k = 0; k < HALVINGS && !(pericenter_of(p->before) < reach);
       k++) { /* a tide has brought it there */
    double middle = low + (high - low) / 2;
    if (!pair_at(p, middle, c)) return 0;
    *(pericenter_of(c) < reach ? &high : &low) = middle;
  }
  if (!(pericenter_of(p->before) < reach)) *t = high;
  if (!pair_at(p, *t, c)) return 0;
  if (!(hb_norm(c->X[0]) > reach)) return 1;
  const struct hb_kepler_orbit o = hb_kepler_orbit_of(c);
  if (!(o.a > 0)) return 0;
  *t += hb_kepler_orbit_time(&o, to_reach(&o, reach));
  return refine(p, reach, t, c);
}

static int find_approach(const struct passage *p, double within, double *t, struct hb_chain *c)
{
  const struct hb_kepler_orbit o = hb_kepler_orbit_of(p->before);
  if (!(o.a > 0) || !(pericenter_of(p->before) < 2 * within)) return 0;
  *t = hb_kepler_orbit_time(&o, to_pericenter(&o));
  return refine(p, 0, t, c) && hb_norm(c->X[0]) < within;
}

static enum hb_status add_contact(const struct hb_chain *c, int is_approach, double t,
                                  struct hb_contacts *contacts)
{
  struct hb_contact contact = {.member = {c->member[0], c->member[1]}, .is_approach = is_approach, .t = t};
  contact.r = hb_norm(c->X[0]);
  for (size_t i = 0; i < 3; i++) contact.x[i] = c->X[0][i], contact.v[i] = c->V[0][i];
  return hb_contacts_add(contacts, &contact);
}

enum hb_status hb_kepler_find_contacts(const struct hb_chain *before, double dt,
                                       const struct hb_chain_tide *tide)
{
  struct passage p = {.before = before, .tide = *tide, .dt = dt};
  struct hb_contacts *contacts = tide->contacts;
  struct hb_chain c;
  double reach = hb_contact_reach(&contacts->criteria, before->member[0], before->member[1]), t;
  double within = hb_contact_within(&contacts->criteria, before->member[0], before->member[1]);
  p.tide.contacts = NULL;
  if (reach > 0 && find_contact(&p, reach, &t, &c)) HB_TRY(add_contact(&c, 0, t, contacts));
  if (within > 0 && find_approach(&p, within, &t, &c)) HB_TRY(add_contact(&c, 1, t, contacts));
  return HB_OK;
}
