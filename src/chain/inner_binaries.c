/* Pairs as nodes of a chain; see inner_binaries.h.
 *
 * The mean multipoles change while the pair's orbit does. A step of the chain of nodes feels the multipoles at its start; at its end
 * the nodes get a kick by half of the change. Velocities of nodes are without what the pairs' present places have added to them
 * (hb_mean_orbit_swing): it is subtracted at the start and added at the end.
 *
 * What a mean orbit leaves out is of second order in the tide. For the energy that is put right at the end: the binding energy of the
 * members is that at the start less the work of forces from outside, and the closest pair gets the difference. */
#include "chain/inner_binaries.h"

#include "chain/outer_orbit.h"
#include "chain/quadrupole.h"
#include "chain/turning.h"

#include <string.h>

static const double two_pi = 6.28318530717958647693;

/* ---- which pairs ---- */

/* The tide of the other members below which a pair becomes a node, relative to what holds it together at 2 a, and above which it is none
 * any longer. */
static const double forms_below = 1e-3, breaks_above = 2e-3;

/* The period below which a pair becomes a node, relative to the time in which another node comes or goes, and above which it is none any
 * longer. */
static const double forms_period = 0.15, breaks_period = 0.3;

/* The disturbance of a pair by the other nodes. */
struct disturbance {
  double tide;   /* relative to what holds the pair together at 2 a */
  double period; /* its period over the shortest time in which another node comes or goes */
  int may_touch; /* another node is so near that it may touch a member */
  double
      left_out; /* what a mean orbit leaves out of the energies that points outside exchange with the pair, relative to its own */
};

/* A part of the energy of the system: a pair is no node where more than the first number is left out, and becomes one below the second. */
static const double most_left_out = 1e-7, forms_left_out = 3e-8;

/* Points that go less than this part of their way in a revolution are too slow to matter, and a pair that they disturb is followed by its
 * mean orbit in any case: otherwise thousands of revolutions would be followed. */
static const double too_slow = 0.02;

/* Returns what a mean orbit leaves out, as a part of the energy of the system. The pair has the total mass M, the reduced mass mu and this
 * span. */
static double part_left_out(const struct hb_chain_tide *tide, const struct disturbance *d, double mu,
                            double M, double span)
{
  return tide->energy > 0 ? d->left_out * mu * M / (span * tide->energy) : 0;
}

/* Adds the disturbance of a pair with this span 2 a and total mass M by a mass m at r, moving with v, both relative to the pair. They may
 * touch at a distance `reach`. */
static void disturb(double span, double M, double m, const double r[3], const double v[3], double reach,
                    struct disturbance *d)
{
  double r2 = hb_dot(r, r), v2 = hb_dot(v, v), span3 = span * span * span;
  double rate2 = fmax(v2, (m + M) / sqrt(r2)) / r2, period2 = two_pi * two_pi * span3 / (8 * M);
  d->tide += 2 * m * span3 / (M * r2 * sqrt(r2));
  d->period = fmax(d->period, sqrt(rate2 * period2));
  d->may_touch |= r2 < reach * reach;
}

/* Adds to a disturbance what is left out of the tides of points outside the chain on a pair whose center is at x, moving with v, relative to the
 * chain's, at the time t: their tide times the square of the part of the way that they go in a revolution. */
static void disturb_from_outside(const struct hb_chain_tide *tide, double t, double span, double M,
                                 const double x[3], const double v[3], struct disturbance *d)
{
  double span3 = span * span * span, period2 = two_pi * two_pi * span3 / (8 * M);
  if (tide->turn != 0) return;
  for (size_t k = 0; k < tide->count; k++) {
    struct hb_chain_point p;
    double r[3], w[3];
    hb_chain_tide_get_point(tide->points, k, &p);
    for (size_t i = 0; i < 3; i++) r[i] = p.x[i] + t * p.v[i] - x[i], w[i] = p.v[i] - v[i];
    double r2 = hb_dot(r, r), r1 = sqrt(r2), rate2 = fmax(hb_dot(w, w), (p.m + M) / r1) / r2;
    double phase2 = rate2 * period2;
    if (phase2 > too_slow * too_slow)
      d->left_out = fmax(d->left_out, 2 * p.m * span3 / (M * r2 * r1) * phase2);
  }
}

/* Returns the sum of the largest radii of a pair and of another node with n members, as far as contacts are looked for, or the distance of
 * the approaches that are looked for, and the pair's size. */
static double reach_of(const struct hb_chain_tide *tide, double span, const uint32_t *pair, size_t n,
                       const uint32_t *other)
{
  double of_pair = 0, of_other = 0, within = 0;
  if (!tide->radius) return 0;
  for (size_t k = 0; k < 2; k++) of_pair = fmax(of_pair, tide->radius[pair[k]]);
  for (size_t k = 0; k < n; k++) of_other = fmax(of_other, tide->radius[other[k]]);
  if (tide->watch) within = fmax(tide->watch->within, tide->watch->in_radii * (of_pair + of_other));
  return 2 * (fmax(of_pair + of_other, within) + span);
}

/* True if the two members of a pair may touch in the next revolutions: with this pericenter and this margin. A node is no two bodies
 * that touch; therefore such a pair is none. */
static int may_collide(const struct hb_chain_tide *tide, const uint32_t member[2], double pericenter,
                       double margin)
{
  return tide->radius && pericenter < margin * (tide->radius[member[0]] + tide->radius[member[1]]);
}

/* Margins from which on a pair becomes a node, and below which it is none any longer. */
static const double forms_margin = 1.2, breaks_margin = 1.1;

/* Returns 2 a of members k and k + 1, or INFINITY if they are no bound pair with mass, or so near each other that rounding would show in
 * 2 a. */
static double span_of(const struct hb_chain *c, size_t k)
{
  static const double nearest = 1e-4; /* distance over 2 a */
  double r = hb_norm(c->X[k]), M = c->m[k] + c->m[k + 1], span = 2 / (2 / r - hb_dot(c->V[k], c->V[k]) / M);
  return span > 0 && r > nearest * span && c->m[k] > 0 && c->m[k + 1] > 0 ? span : INFINITY;
}

/* True if members k and k + 1, with this span, may be a node. is_first has the closer pairs that are nodes already: they disturb as their
 * centers do, since the velocities of their members say nothing about how soon they come or go. */
static int may_be_node(const struct hb_chain *c, const struct hb_chain_tide *tide, double t,
                       const uint8_t *is_first, size_t k, double span)
{
  double M = c->m[k] + c->m[k + 1], share = c->m[k + 1] / M;
  struct disturbance d = {0};
  if (may_collide(tide, c->member + k, hb_outer_orbit_pericenter(M, c->X[k], c->V[k]), forms_margin))
    return 0;
  for (size_t l = 0; l < c->n; l++) {
    if (l == k || l == k + 1) continue;
    const uint32_t *other = c->member + l;
    const size_t n = is_first[l] ? 2 : 1;
    double x[3], v[3], m = c->m[l];
    hb_chain_between(c->X, k, l, x);
    hb_chain_between(c->V, k, l, v);
    for (size_t i = 0; i < 3; i++) x[i] -= share * c->X[k][i], v[i] -= share * c->V[k][i];
    if (is_first[l]) {
      m += c->m[l + 1];
      for (size_t i = 0; i < 3; i++)
        x[i] += c->m[l + 1] / m * c->X[l][i], v[i] += c->m[l + 1] / m * c->V[l][i];
      l++;
    }
    disturb(span, M, m, x, v, reach_of(tide, span, c->member + k, n, other), &d);
  }
  if (!(d.tide < forms_below && d.period < forms_period) || d.may_touch) return 0;
  double at[3 * HB_CHAIN_MOST], by[3 * HB_CHAIN_MOST];
  hb_chain_places(c, at, by);
  for (size_t i = 0; i < 3; i++) at[3 * k + i] += share * c->X[k][i], by[3 * k + i] += share * c->V[k][i];
  disturb_from_outside(tide, t, span, M, at + 3 * k, by + 3 * k, &d);
  return part_left_out(tide, &d, share * c->m[k], M, span) < forms_left_out;
}

size_t hb_inner_binaries_find(const struct hb_chain *c, const struct hb_chain_tide *tide, double t,
                              uint8_t is_first[HB_CHAIN_MOST])
{
  double span[HB_CHAIN_MOST + 1];
  size_t pairs = 0;
  memset(is_first, 0, c->n);
  if (c->n < 3) return 0;
  for (size_t k = 0; k + 1 < c->n; k++) span[k] = span_of(c, k);
  for (;;) { /* the closest pair that was not looked at yet */
    size_t best = c->n;
    for (size_t k = 0; k + 1 < c->n; k++)
      if (span[k] < INFINITY && (best == c->n || span[k] < span[best])) best = k;
    if (best == c->n) return pairs;
    int is_node = may_be_node(c, tide, t, is_first, best, span[best]);
    span[best] = INFINITY;
    if (!is_node) continue;
    is_first[best] = 1;
    pairs++;
    span[best + 1] = INFINITY;
    if (best > 0) span[best - 1] = INFINITY;
  }
}

/* Computes the disturbance of the binary at place k of the chain of nodes. */
static struct disturbance disturbance_of(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide,
                                         size_t k)
{
  const struct hb_chain *c = &b->chain, *pair = &b->node[c->member[k]].members;
  double span = 2 * b->node[c->member[k]].mean.a;
  struct disturbance d = {0};
  for (size_t l = 0; l < c->n; l++) {
    double x[3], v[3];
    if (l == k) continue;
    hb_chain_between(c->X, k, l, x);
    hb_chain_between(c->V, k, l, v);
    const struct hb_chain *other = &b->node[c->member[l]].members;
    disturb(span, c->m[k], c->m[l], x, v, reach_of(tide, span, pair->member, other->n, other->member) / 2,
            &d);
  }
  double at[3 * HB_CHAIN_MOST], by[3 * HB_CHAIN_MOST];
  hb_chain_places(c, at, by);
  disturb_from_outside(tide, b->t, span, c->m[k], at + 3 * k, by + 3 * k, &d);
  return d;
}

int hb_inner_binaries_have_broken(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide)
{
  if (b->has_failed) return 1;
  for (size_t k = 0; k < b->chain.n; k++) {
    const struct hb_inner_node *node = b->node + b->chain.member[k];
    if (node->n == 1) continue;
    double q = node->mean.a * (1 - hb_norm(node->mean.y + HB_MEAN_ORBIT_ECC));
    if (may_collide(tide, node->members.member, q, breaks_margin)) return 1;
    const struct disturbance d = disturbance_of(b, tide, k);
    if (!(d.tide <= breaks_above && d.period <= breaks_period) || d.may_touch) return 1;
    const double *m = node->members.m, M = m[0] + m[1];
    if (part_left_out(tide, &d, m[0] * m[1] / M, M, 2 * node->mean.a) > most_left_out) return 1;
  }
  return 0;
}

double hb_inner_binaries_longest_step(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide)
{
  static const double part = 0.25; /* of the time of approach */
  static const double of_orbit =
      0.4; /* of distance over speed: a pair sees the paths of others as polynomials between steps */
  const struct hb_chain *c = &b->chain;
  double longest = INFINITY;
  for (size_t k = 0; k < c->n; k++) {
    const struct hb_inner_node *node = b->node + c->member[k];
    if (node->n == 1) continue;
    for (size_t l = 0; l < c->n; l++) {
      double x[3], v[3];
      struct disturbance d = {0};
      if (l == k) continue;
      hb_chain_between(c->X, k, l, x);
      hb_chain_between(c->V, k, l, v);
      double M = c->m[k] + c->m[l], r2 = hb_dot(x, x), v2 = hb_dot(v, v);
      longest = fmin(longest, of_orbit * sqrt(r2 / fmax(v2, M / sqrt(r2))));
      if (!(hb_dot(x, v) < 0)) continue;
      double span = 2 * node->mean.a, q = hb_outer_orbit_pericenter(M, x, v);
      const struct hb_chain *other = &b->node[c->member[l]].members;
      double closest[3] = {q}, fastest[3] = {sqrt(fmax(2 * M / q, v2))};
      disturb(span, c->m[k], c->m[l], closest, fastest,
              reach_of(tide, span, node->members.member, other->n, other->member), &d);
      if (d.tide > breaks_above / 4 || d.period > forms_period || d.may_touch)
        longest = fmin(longest, part * sqrt(r2 / v2));
    }
  }
  return longest;
}

/* ---- nodes and members ---- */

/* Returns where the k-th member of a node is from its center, as a part of the separation. */
static double offset(const struct hb_inner_node *node, size_t k)
{
  const double *m = node->members.m;
  return node->n == 1 ? 0 : k == 0 ? -m[1] / (m[0] + m[1]) : m[0] / (m[0] + m[1]);
}

void hb_inner_binaries_make(const struct hb_chain *c, const uint8_t is_first[HB_CHAIN_MOST],
                            struct hb_inner_binaries *b)
{
  struct hb_chain *to = &b->chain;
  memset(to, 0, offsetof(struct hb_chain, member));
  for (size_t k = 0; k < c->n; to->n++) {
    struct hb_inner_node *node = b->node + to->n;
    node->n = is_first[k] ? 2 : 1;
    hb_chain_extract(c, k, node->n, &node->members);
    memset(b->multipoles + to->n, 0, sizeof *b->multipoles);
    to->member[to->n] = (uint32_t)to->n;
    to->m[to->n] = hb_chain_mass(&node->members);
    for (size_t i = 0; i < 3 && k > 0; i++) {
      const struct hb_inner_node *last = node - 1;
      double x = offset(last, last->n - 1), y = offset(node, 0);
      to->X[to->n - 1][i] = c->X[k - 1][i] + x * last->members.X[0][i] - y * node->members.X[0][i];
      to->V[to->n - 1][i] = c->V[k - 1][i] + x * last->members.V[0][i] - y * node->members.V[0][i];
    }
    k += node->n;
  }
}

/* Sets the members of a chain from the nodes. Steps and contacts of the chain stay. */
static void resolve(const struct hb_inner_binaries *b, struct hb_chain *c)
{
  const struct hb_chain *from = &b->chain;
  size_t n = 0;
  for (size_t k = 0; k < from->n; k++) {
    const struct hb_inner_node *node = b->node + from->member[k];
    for (size_t l = 0; l < node->n; l++, n++) {
      c->member[n] = node->members.member[l];
      c->m[n] = node->members.m[l];
      for (size_t i = 0; i < 3 && l > 0; i++)
        c->X[n - 1][i] = node->members.X[0][i], c->V[n - 1][i] = node->members.V[0][i];
      for (size_t i = 0; i < 3 && l == 0 && k > 0; i++) {
        const struct hb_inner_node *last = b->node + from->member[k - 1];
        double x = offset(last, last->n - 1), y = offset(node, 0);
        c->X[n - 1][i] = from->X[k - 1][i] - x * last->members.X[0][i] + y * node->members.X[0][i];
        c->V[n - 1][i] = from->V[k - 1][i] - x * last->members.V[0][i] + y * node->members.V[0][i];
      }
    }
  }
  hb_chain_sort(c);
  c->B = hb_chain_binding(c);
}

/* ---- multipoles ---- */

static int is_zero(const struct hb_inner_multipoles *q)
{
  return q->Q[0] == 0 && q->Q[1] == 0 && q->Q[2] == 0;
}

/* Sets a to the acceleration of a body at r from a quadrupole, and returns its potential there, with the sign of U. */
static double pull_of(const double Q[6], const double r[3], double a[3])
{
  double Qr[3] = {Q[0] * r[0] + Q[3] * r[1] + Q[4] * r[2], Q[3] * r[0] + Q[1] * r[1] + Q[5] * r[2],
                  Q[4] * r[0] + Q[5] * r[1] + Q[2] * r[2]};
  double i2 = 1 / hb_dot(r, r), i3 = i2 * sqrt(i2), i5 = i3 * i2, rQr = hb_dot(r, Qr),
         trace = Q[0] + Q[1] + Q[2];
  double f = 1.5 * trace * i5 - 7.5 * rQr * i5 * i2;
  for (size_t i = 0; i < 3; i++) a[i] = 3 * i5 * Qr[i] + f * r[i];
  return 1.5 * rQr * i5 - 0.5 * trace * i3;
}

/* Adds the pulls between two nodes by the multipoles of the first one. r leads from it to the other. */
static void pull_two(const struct hb_chain *c, const struct hb_inner_multipoles *q, size_t of, size_t on,
                     const double r[3], struct hb_chain_pulls *pulls)
{
  double a[3];
  if (is_zero(q)) return;
  double U = pull_of(q->Q, r, a);
  U += hb_octupole_pull(q->T, r, a);
  pulls->U += hb_chain_product(c, of, on) / c->m[of] * U;
  for (size_t i = 0; i < 3; i++) pulls->a[on][i] += a[i], pulls->a[of][i] -= c->m[on] / c->m[of] * a[i];
}

/* Adds the pulls of multipoles q[], by the numbers of nodes, which are at X. */
static void add_multipoles(const struct hb_chain *c, const struct hb_inner_multipoles *q, const double X[][3],
                           struct hb_chain_pulls *pulls)
{
  for (size_t i = 0; i + 1 < c->n; i++) {
    double r[3] = {0};
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d];
      const double back[3] = {-r[0], -r[1], -r[2]};
      pull_two(c, q + c->member[i], i, k, r, pulls);
      pull_two(c, q + c->member[k], k, i, back, pulls);
    }
  }
}

void hb_inner_binaries_add_pulls(const struct hb_inner_binaries *b, const double X[][3],
                                 struct hb_chain_pulls *pulls)
{
  add_multipoles(&b->chain, b->multipoles, X, pulls);
}

/* Kicks the nodes by the time dt with the pulls of multipoles q[]. */
static void kick(struct hb_chain *c, const struct hb_inner_multipoles *q, double dt)
{
  struct hb_chain_pulls pulls;
  pulls.U = 0;
  memset(pulls.a, 0, c->n * sizeof *pulls.a);
  add_multipoles(c, q, c->X, &pulls);
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) c->V[k][i] += dt * (pulls.a[k + 1][i] - pulls.a[k][i]);
}

/* Sets the multipoles of a binary from its mean orbit. */
static void set_multipoles(struct hb_inner_binaries *b, uint32_t of)
{
  const struct hb_inner_node *node = b->node + of;
  hb_mean_orbit_quadrupole(&node->members, &node->mean, b->multipoles[of].Q);
  hb_octupole_of_vectors(node->members.m, node->mean.a, node->mean.y + HB_MEAN_ORBIT_ECC,
                         node->mean.y + HB_MEAN_ORBIT_ANG, b->multipoles[of].T);
}

static void set_half_of_change(const struct hb_inner_multipoles *from, const struct hb_inner_multipoles *to,
                               struct hb_inner_multipoles *half)
{
  for (size_t k = 0; k < 6; k++) half->Q[k] = (to->Q[k] - from->Q[k]) / 2;
  for (size_t k = 0; k < HB_OCTUPOLE_PARTS; k++) half->T[k] = (to->T[k] - from->T[k]) / 2;
}

/* Returns U - T of the nodes, those without mass having the mass w in it. */
static double binding_of_nodes(const struct hb_inner_binaries *b, double w)
{
  struct hb_chain c;
  struct hb_chain_pulls pulls;
  hb_chain_copy(&b->chain, &c);
  c.w = w;
  hb_chain_pull_members(&c, c.X, &pulls);
  add_multipoles(&c, b->multipoles, c.X, &pulls);
  return pulls.U - hb_chain_kinetic(&c, c.V);
}

/* Adds to the velocities of the nodes `times` what the places of the binaries in their orbits do to them. */
static void add_swings(struct hb_inner_binaries *b, double times)
{
  struct hb_inner_multipoles swing[HB_CHAIN_MOST];
  memset(swing, 0, b->chain.n * sizeof *swing);
  for (size_t k = 0; k < b->chain.n; k++)
    if (b->node[k].n > 1) hb_mean_orbit_swing(&b->node[k].members, swing[k].Q);
  kick(&b->chain, swing, times);
}

/* ---- what disturbs a binary ---- */

/* A binary feels the other nodes, and of the points that disturb the chain so many that both are SEEN_MOST together, or half of that where
 * there are many nodes. Only points whose tide on it is above `least_seen` are counted. */
enum { SEEN_MOST = 4 * HB_LANES, POINTS_MOST = HB_CHAIN_MOST + SEEN_MOST / 2 };
static const double least_seen = 1e-10;

/* The points and the tidal tensor that disturb a binary. */
struct surroundings {
  struct hb_chain_points points[POINTS_MOST / HB_LANES];
  double tensor[12];
};

/* Sets p to a path between two positions x[] and velocities v[] that are h apart in time; h = 0: to one at rest. */
static void fit_path(double h, double x[2][3], double v[2][3], struct hb_chain_point *p)
{
  for (size_t i = 0; i < 3; i++) {
    double dx = x[1][i] - x[0][i];
    p->x[i] = x[0][i], p->v[i] = v[0][i], p->a[i] = p->j[i] = 0;
    if (h == 0) continue;
    p->a[i] = (6 * dx - 2 * h * (2 * v[0][i] + v[1][i])) / (h * h);
    p->j[i] = (6 * h * (v[0][i] + v[1][i]) - 12 * dx) / (h * h * h);
  }
}

/* Sets x[3] and v[3] to the position and velocity of a point at the time t. */
static void place_at(const struct hb_chain_point *p, double t, double x[3], double v[3])
{
  for (size_t i = 0; i < 3; i++) {
    x[i] = p->x[i] + t * (p->v[i] + t / 2 * (p->a[i] + t / 3 * p->j[i]));
    v[i] = p->v[i] + t * (p->a[i] + t / 2 * p->j[i]);
  }
}

/* Sets x[3] and v[3] to the position and velocity of a point of the tide at the time t, in axes at rest. */
static void place_at_rest(const struct hb_chain_tide *tide, const struct hb_chain_point *p, double t,
                          double x[3], double v[3])
{
  double q[2][3];
  place_at(p, t, x, v);
  if (tide->turn == 0) return;
  memcpy(q[0], x, sizeof q[0]);
  for (size_t i = 0; i < 3; i++)
    q[1][i] = v[i] + (i == 0 ? -tide->turn * x[1] : i == 1 ? tide->turn * x[0] : 0);
  hb_turning_rotate(2, tide->turn * t, q);
  memcpy(x, q[0], sizeof q[0]);
  memcpy(v, q[1], sizeof q[1]);
}

/* Adds to points[] those of the tide that disturb a binary of this span and mass M, whose center is at x[0], v[0] at the time t[0], and at
 * x[1], v[1] at t[1]. Returns the number of points. */
static size_t add_outside(const struct hb_chain_tide *tide, double span, double M, const double t[2],
                          double x[2][3], double v[2][3], size_t count, struct hb_chain_points *points)
{
  const size_t half = count + SEEN_MOST / 2, most = half > SEEN_MOST ? half : SEEN_MOST;
  for (size_t k = 0; k < tide->count && count < most; k++) {
    struct hb_chain_point p;
    double to[2][3], by[2][3];
    hb_chain_tide_get_point(tide->points, k, &p);
    for (size_t e = 0; e < 2; e++) {
      place_at_rest(tide, &p, t[e], to[e], by[e]);
      for (size_t i = 0; i < 3; i++) to[e][i] -= x[e][i], by[e][i] -= v[e][i];
    }
    double r2 = hb_dot(to[0], to[0]);
    if (2 * p.m * span * span * span < least_seen * M * r2 * sqrt(r2)) continue;
    fit_path(t[1] - t[0], to, by, &p);
    hb_chain_tide_set_point(points, count++, &p);
  }
  return count;
}

static size_t place_of(const struct hb_chain *c, uint32_t member)
{
  size_t k = 0;
  while (c->member[k] != member) k++;
  return k;
}

/* Adds the other nodes to what disturbs the binary at place k of the chain of nodes, on their paths from the time b->t to t. Returns the
 * number of points. */
static size_t add_nodes(const struct hb_inner_binaries *b, size_t k, double t, struct hb_chain_points *points)
{
  const struct hb_chain *c = &b->chain, *before = &b->before;
  size_t from = place_of(before, c->member[k]), count = 0;
  for (size_t l = 0; l < c->n; l++) {
    struct hb_chain_point p = {.m = c->m[l]};
    double x[2][3], v[2][3];
    if (l == k) continue;
    size_t old = place_of(before, c->member[l]);
    hb_chain_between(before->X, from, old, x[0]);
    hb_chain_between(before->V, from, old, v[0]);
    hb_chain_between(c->X, k, l, x[1]);
    hb_chain_between(c->V, k, l, v[1]);
    fit_path(t - b->t, x, v, &p);
    hb_chain_tide_set_point(points, count++, &p);
  }
  return count;
}

/* Sets the path of the place k of the chain of nodes from the time b->t to t: positions x[2] and velocities v[2] relative to the center of
 * mass. */
static void find_ends(const struct hb_inner_binaries *b, size_t k, double x[2][3], double v[2][3])
{
  const struct hb_chain *ends[] = {&b->before, &b->chain};
  for (size_t e = 0; e < 2; e++) {
    double at[3 * HB_CHAIN_MOST], by[3 * HB_CHAIN_MOST];
    size_t place = place_of(ends[e], b->chain.member[k]);
    hb_chain_places(ends[e], at, by);
    memcpy(x[e], at + 3 * place, sizeof x[e]);
    memcpy(v[e], by + 3 * place, sizeof v[e]);
  }
}

/* Sets T to the tidal tensor of tensor and field, but not of points, at a place x from the center of mass, a time t after the start of the
 * advance, in axes at rest. The field is taken over a length `span`. */
static void tensor_at_rest(const struct hb_chain_tide *tide, double t, const double x[3], double span,
                           double T[6])
{
  static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2},
                             of[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double at[1][3], center[3], speed[3], columns[3][3], angle = tide->turn * t, half = span / 2;
  memcpy(at, x, sizeof at);
  hb_turning_rotate(1, -angle, at);
  place_at(&tide->center, t, center, speed);
  for (size_t i = 0; i < 3; i++) at[0][i] += center[i];
  for (size_t k = 0; k < 3; k++) {
    double there[1][3] = {{0}}, back[3], pull[2][3] = {{0}};
    there[0][k] = half;
    hb_turning_rotate(1, -angle, there);
    for (size_t i = 0; i < 3; i++) back[i] = -there[0][i];
    if (tide->field) hb_field_difference(tide->field, at[0], there[0], pull[0]);
    if (tide->field) hb_field_difference(tide->field, at[0], back, pull[1]);
    for (size_t i = 0; i < 3; i++) {
      columns[k][i] = (pull[0][i] - pull[1][i]) / span;
      for (size_t l = 0; tide->tensor && l < 3; l++)
        columns[k][i] +=
            (tide->tensor[of[i][l]] + (tide->since + t) * tide->tensor[6 + of[i][l]]) * there[0][l] / half;
    }
  }
  hb_turning_rotate(3, angle, columns);
  for (size_t q = 0; q < 6; q++) T[q] = (columns[row[q]][column[q]] + columns[column[q]][row[q]]) / 2;
}

/* Sets the tensor and its rate to those of everything but points in axes that turn, for a binary of this span which goes from x[0] to x[1]
 * between two times, in axes at rest. */
static void stop_turning(const struct hb_chain_tide *tide, double span, const double t[2], double x[2][3],
                         struct hb_chain_tide *on, double tensor[12])
{
  double T[2][6];
  for (size_t e = 0; e < 2; e++) tensor_at_rest(tide, t[e], x[e], span, T[e]);
  for (size_t q = 0; q < 6; q++)
    tensor[q] = T[0][q], tensor[6 + q] = t[1] > t[0] ? (T[1][q] - T[0][q]) / (t[1] - t[0]) : 0;
  on->tensor = tensor, on->since = 0;
  on->field = NULL, on->turn = 0;
}

/* Returns what disturbs the binary at place k of the chain of nodes from the time b->t until t: everything outside the chain, after the
 * `count` points that there are already. */
static struct hb_chain_tide add_everything(const struct hb_inner_binaries *b,
                                           const struct hb_chain_tide *tide, size_t k, double t, size_t count,
                                           struct surroundings *all)
{
  const double times[] = {b->t, t};
  double span = 2 * b->node[b->chain.member[k]].mean.a;
  struct hb_chain_tide on = *tide;
  on.since += b->t;
  if (tide->count > 0 || tide->field || tide->turn != 0) {
    double x[2][3], v[2][3];
    find_ends(b, k, x, v);
    count = add_outside(tide, span, b->chain.m[k], times, x, v, count, all->points);
    if (tide->turn != 0 && (tide->field || tide->tensor))
      stop_turning(tide, span, times, x, &on, all->tensor);
    for (size_t e = 0; e < 2; e++) {
      double center[3], speed[3];
      place_at(&tide->center, times[e], center, speed);
      for (size_t i = 0; i < 3; i++) x[e][i] += center[i], v[e][i] += speed[i];
    }
    fit_path(t - b->t, x, v, &on.center);
  }
  hb_chain_tide_pad_points(all->points, count);
  on.points = all->points, on.count = count;
  on.turn = 0;
  return on;
}

/* Returns what disturbs the binary at place k of the chain of nodes from the time b->t until t: the other nodes, points, tensor and
 * field. */
static struct hb_chain_tide tide_on(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide,
                                    size_t k, double t, struct surroundings *all)
{
  return add_everything(b, tide, k, t, add_nodes(b, k, t, all->points), all);
}

/* Returns by how much the binding energies of the binaries at their places are above their means, by the tides of everything outside the
 * chain. */
static double wave_from_outside(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide)
{
  double sum = 0;
  if (tide->count == 0 && !tide->tensor && !tide->field) return 0;
  for (size_t k = 0; k < b->chain.n; k++) {
    struct surroundings all;
    const struct hb_inner_node *node = b->node + b->chain.member[k];
    if (node->n == 1) continue;
    const struct hb_chain_tide on = add_everything(b, tide, k, b->t, 0, &all);
    sum += hb_mean_orbit_energy_wave(&node->members, &on, 0, &node->mean);
  }
  return sum;
}

/* Lists the points whose energy in the quadrupole of a binary is above this part of the binding energy of the nodes. */
static void find_pullers(struct hb_inner_binaries *b, const struct hb_chain_tide *tide)
{
  static const double least = 1e-9;
  const struct hb_chain *c = &b->chain;
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  b->pullers = 0;
  if (tide->count == 0 || tide->turn != 0) return;
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < tide->count && b->pullers < HB_INNER_PULLERS_MOST; k++) {
    struct hb_chain_point p;
    double at[3], by[3], energy = 0;
    hb_chain_tide_get_point(tide->points, k, &p);
    place_at(&p, b->t, at, by);
    for (size_t l = 0; l < c->n; l++) {
      const double *Q = b->multipoles[c->member[l]].Q;
      double r[3] = {at[0] - x[3 * l], at[1] - x[3 * l + 1], at[2] - x[3 * l + 2]}, r2 = hb_dot(r, r);
      energy += p.m * (Q[0] + Q[1] + Q[2]) / (r2 * sqrt(r2));
    }
    if (energy > least * fabs(c->B)) b->puller[b->pullers++] = (uint32_t)k;
  }
}

void hb_inner_binaries_add_tide(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide,
                                const double X[][3], double t, double f[][3])
{
  const struct hb_chain *c = &b->chain;
  double x[3 * HB_CHAIN_MOST], mean[3] = {0}, M = hb_chain_mass(c);
  if (b->pullers == 0) return;
  hb_chain_from_center(c, X, x);
  for (size_t k = 0; k < b->pullers; k++) {
    struct hb_chain_point p;
    double at[3], by[3];
    hb_chain_tide_get_point(tide->points, b->puller[k], &p);
    place_at(&p, t, at, by);
    for (size_t l = 0; l < c->n; l++) {
      const struct hb_inner_multipoles *q = b->multipoles + c->member[l];
      double r[3] = {at[0] - x[3 * l], at[1] - x[3 * l + 1], at[2] - x[3 * l + 2]}, a[3];
      if (is_zero(q)) continue;
      pull_of(q->Q, r, a);
      hb_octupole_pull(q->T, r, a);
      for (size_t i = 0; i < 3; i++) f[l][i] -= p.m / c->m[l] * a[i], mean[i] -= p.m / M * a[i];
    }
  }
  for (size_t l = 0; l < c->n; l++)
    for (size_t i = 0; i < 3; i++) f[l][i] -= mean[i];
}

/* ---- in time ---- */

int hb_inner_binaries_begin(const struct hb_chain *c, const struct hb_chain_tide *tide,
                            const uint8_t is_first[HB_CHAIN_MOST], double t, struct hb_inner_binaries *b)
{
  static const double of_the_first = 4; /* a first step may be longer: its time is not that of a close pair */
  struct surroundings all;
  hb_inner_binaries_make(c, is_first, b);
  struct hb_chain *nodes = &b->chain;
  b->t = t, b->B = c->w > 0 ? -hb_chain_energy(c) : c->B, b->adjusted = b->radiated = 0, b->has_failed = 0;
  hb_chain_copy(nodes, &b->before);
  add_swings(b, -1);
  for (size_t k = 0; k < nodes->n; k++) {
    struct hb_inner_node *node = b->node + k;
    if (node->n == 1) continue;
    node->mean.a = hb_chain_span(&node->members) / 2;
    const struct hb_chain_tide on = tide_on(b, tide, k, t, &all);
    if (!hb_mean_orbit_of_pair(&node->members, &on, 0, &node->mean)) return 0;
    set_multipoles(b, (uint32_t)k);
  }
  hb_chain_start(nodes);
  nodes->ds *= of_the_first;
  nodes->B = binding_of_nodes(b, nodes->w);
  b->B_nodes = binding_of_nodes(b, 0);
  hb_chain_copy(nodes, &b->before);
  b->wave = wave_from_outside(b, tide);
  find_pullers(b, tide);
  return 1;
}

void hb_inner_binaries_place(struct hb_inner_binaries *b, double t)
{
  for (size_t k = 0; k < b->chain.n; k++) {
    uint32_t of = b->chain.member[k];
    if (b->node[of].n > 1) set_multipoles(b, of);
  }
  b->chain.B = binding_of_nodes(b, b->chain.w);
  hb_chain_copy(&b->chain, &b->before);
  b->t = t;
}

void hb_inner_binaries_follow(struct hb_inner_binaries *b, const struct hb_chain_tide *tide, double t,
                              uint64_t *forces)
{
  static const double strongest = 0.02; /* several times what a tide of breaks_above does */
  struct hb_chain *nodes = &b->chain;
  struct surroundings all;
  struct hb_inner_multipoles more[HB_CHAIN_MOST];
  double dt = t - b->t, before = binding_of_nodes(b, nodes->w), before_of_mass = binding_of_nodes(b, 0);
  memset(more, 0, nodes->n * sizeof *more);
  for (size_t k = 0; k < nodes->n; k++) {
    uint32_t of = nodes->member[k];
    struct hb_inner_node *node = b->node + of;
    if (node->n == 1) continue;
    const struct hb_chain_tide on = tide_on(b, tide, k, t, &all);
    double energy = node->mean.y[HB_MEAN_ORBIT_ENERGY];
    b->has_failed |= !hb_mean_orbit_advance(&node->members, &on, 0, dt, strongest, &node->mean, forces);
    b->radiated +=
        node->members.m[0] * node->members.m[1] / nodes->m[k] * (node->mean.y[HB_MEAN_ORBIT_ENERGY] - energy);
    const struct hb_inner_multipoles old = b->multipoles[of];
    set_multipoles(b, of);
    set_half_of_change(&old, b->multipoles + of, more + of);
  }
  kick(nodes, more, dt);
  nodes->B += binding_of_nodes(b, nodes->w) - before;
  b->adjusted += binding_of_nodes(b, 0) - before_of_mass;
  hb_chain_copy(nodes, &b->before);
  b->t = t;
}

/* Gives the closest binary what is missing of the binding energy B of the members with mass. Its orbit keeps its shape and becomes larger or
 * smaller; what that changes in the tide of the others on it is mended in further rounds. Returns 0 if more is missing than an error of
 * second order: then a mean orbit was used where there was none. */
static int match_energy(struct hb_inner_binaries *b, double B, struct hb_chain *c)
{
  enum { ROUNDS = 3 };
  static const double most = 2e-3; /* of the binary's energy */
  struct hb_chain *pair = NULL;
  for (size_t k = 0; k < b->chain.n; k++)
    if (b->node[k].n == 2 && (!pair || b->node[k].members.B > pair->B)) pair = &b->node[k].members;
  for (int round = 0; pair && round < ROUNDS; round++) {
    double missing = B - (c->w > 0 ? -hb_chain_energy(c) : c->B), by = 1 + missing / pair->B;
    if (missing == 0) break;
    if (!(fabs(missing) < most * pair->B)) return 0;
    for (int i = 0; i < 3; i++) pair->X[0][i] /= by, pair->V[0][i] *= sqrt(by);
    pair->B *= by;
    resolve(b, c);
  }
  if (c->w == 0) c->B = B;
  return 1;
}

int hb_inner_binaries_end(struct hb_inner_binaries *b, const struct hb_chain_tide *tide, struct hb_chain *c)
{
  struct surroundings all;
  if (b->has_failed) return 0;
  double now = b->chain.w > 0 ? binding_of_nodes(b, 0) : b->chain.B; /* those without mass have no energy */
  double B = b->B + (now - b->B_nodes - b->adjusted) + b->radiated + (wave_from_outside(b, tide) - b->wave);
  for (size_t k = 0; k < b->chain.n; k++) {
    struct hb_inner_node *node = b->node + b->chain.member[k];
    if (node->n == 1) continue;
    const struct hb_chain_tide on = tide_on(b, tide, k, b->t, &all);
    if (!hb_mean_orbit_to_pair(&on, 0, &node->mean, &node->members)) return 0;
    node->members.B = hb_chain_binding(&node->members);
  }
  add_swings(b, 1);
  resolve(b, c);
  if (!match_energy(b, B, c)) return 0;
  c->lost += b->radiated + b->chain.lost;
  return 1;
}
