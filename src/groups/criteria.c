/* Criteria: how large groups are, when a pair is hard, which tides disturb a group, and the two sets of rules. It decides nothing about
 * single nodes; lists.c, far.c and membership.c do that with these numbers. */
#include "groups/groups_internal.h"

#include "base/elementary.h"
#include "chain/inner_binaries.h"
#include "chain/outer_orbit.h"
#include "chain/quadrupole.h"
#include "chain/turning.h"

#include <string.h>

/* The arithmetic mean of two stars' masses says at which distance they deflect each other, the geometric mean at which distance their
 * energy is that of two close stars of mean mass. Beyond this multiple of r_close a passage is no longer compact. */
static const double most_passing = 4;

static double arithmetic(const struct hb_groups *groups, double m1, double m2)
{
  return (m1 + m2) / (2 * groups->m_mean);
}

static double geometric(const struct hb_groups *groups, double m1, double m2)
{
  return sqrt(m1 * m2) / groups->m_mean;
}

double hb_groups_close(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmin(arithmetic(groups, m1, m2), 1);
}

double hb_groups_passing(const struct hb_groups *groups, double m1, double m2)
{
  double energy = groups->r_close * fmin(geometric(groups, m1, m2), most_passing);
  return fmax(energy, hb_groups_close(groups, m1, m2));
}

double hb_groups_bound(const struct hb_groups *groups, double m1, double m2)
{
  return groups->r_close * fmax(geometric(groups, m1, m2), groups->bound);
}

/* Each star of a heavy bound pair has at least the acceleration m_mean^2 / (m r_close^2), and less where pairs may be wider. Other stars
 * may weaken it, and light stars have less until they are nearer, hence the factor 8. */
double hb_groups_least_pull(const struct hb_groups *groups, double m)
{
  double wide = groups->r_close * (groups->bound / 2);
  return groups->m_mean / (8 * fmax(1, m / groups->m_mean) * wide * wide);
}

/* Returns the sum of the lengths of all links. */
static double length(const struct hb_chain *c)
{
  double sum = 0;
  for (size_t k = 0; k + 1 < c->n; k++) sum += sqrt(hb_dot(c->X[k], c->X[k]));
  return sum;
}

/* Tides below this part of what holds the group together are left out: 2 m R^3 / (M d^3). Over the orbits of a hard pair
 * they nearly cancel; in a single passage they do not. */
static const double least_tide = 1e-6;

/* Tides on a hard pair cancel as far as the other nodes stay where they are. The tide of the whole system grows with the width of the
 * pair, in half-mass radii, and matters in proportion to the share of the pair in the energy of the system, about
 * n m_mean^2 / r_close. The lists of pairs with a large product of both have more nodes. */
double hb_groups_system_tide(const struct hb_groups *groups, const struct hb_group *g)
{
  double r = g->R / (groups->stars / 2 * groups->r_close);
  return r * r * r * groups->stars * groups->m_mean / hb_chain_mass(&g->chain);
}

/* Returns a binding energy as a share of the energy of the system. */
static double share_of(const struct hb_groups *groups, double B) { return B / hb_groups_energy(groups); }

/* Returns the least tide in the list of a hard pair, by size. */
static double least_by_size(const struct hb_groups *groups, const struct hb_group *g, double B)
{
  static const double share = 2e-8, of_the_hardest = 0.01;
  if (g->chain.w > 0) return least_tide; /* it has no part of the energy of the system */
  double tide = hb_groups_system_tide(groups, g), part = share_of(groups, B);
  return least_tide * fmax(fmin(share / (tide * part), 1), of_the_hardest);
}

static double squared(double p) { return p * p; }

/* Returns the least tide in the list of a hard pair, by perturbation. Nodes that are not in the list still act by tides and quadrupoles.
 * What remains as an error of the energy of the pair is limited to a part of that of the system. */
static double least_by_share(const struct hb_groups *groups, const struct hb_group *g, double B)
{
  static const double most = 1e-3, of_the_system = 1e-7,
                      stars =
                          2048; /* from here on lists may be longer, since they cost less beside more stars */
  return g->chain.w > 0
             ? most
             : fmin(most, of_the_system * squared(fmin(1, stars / groups->stars)) / share_of(groups, B));
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

/* True if orbits of more than two members are treated as those of pairs are. */
static int has_hierarchies(const struct hb_groups *groups)
{
  return groups->rules->weak > 0 && !groups->field && !(groups->light > 0);
}

/* Sets is_hard and span, and orbits[] of a pair or a hierarchy; returns the number of orbits, 0 if the group is not hard. */
static size_t find_orbits(const struct hb_groups *groups, struct hb_group *g,
                          struct hb_chain orbits[HB_CHAIN_MOST - 1])
{
  static const double still = 1.5; /* times the span below which a pair becomes a group */
  size_t count = g->chain.n == 2 || has_hierarchies(groups) ? hb_outer_orbit_list(&g->chain, orbits) : 0;
  double span = count > 0 ? hb_chain_span(orbits) : INFINITY;
  g->is_hard = count > 0 && span < still * hb_groups_bound(groups, orbits->m[0], orbits->m[1]);
  g->span = g->is_hard ? span : INFINITY;
  return g->is_hard ? count : 0;
}

/* Returns the tide of a node on a hard pair above which the node feels where the members are, and not only the mean of their orbit. What
 * the mean leaves out is a part (tide)^3/2 of the energy of the pair, since a tide is as strong as its square makes the node slow: of a
 * pair with little of the system's energy tides may be stronger. */
static double mean_below(const struct hb_groups *groups, const struct hb_group *g, double B)
{
  static const double most = 3e-3, of_the_system = 1e-9;
  double least = groups->rules->mean;
  if (groups->rules->weak == 0 || g->chain.w > 0) return least;
  double ratio = of_the_system / share_of(groups, B);
  if (ratio * ratio <= least * least * least || ratio >= most) return ratio >= most ? most : least;
  return fmin(most, hb_elementary_power(ratio, 2. / 3));
}

/* Makes tide, strong and weak large enough for one orbit of a hard group, on which a mass m at d has the tide `of_mass` m / d^3. */
static void measure_orbit(const struct hb_groups *groups, double of_mass, double B, struct hb_group *g)
{
  double least = groups->rules->least(groups, g, B);
  g->tide = fmax(g->tide, squared(of_mass / least));
  g->strong = fmax(g->strong, squared(of_mass / mean_below(groups, g, B)));
  if (groups->rules->weak > 0) g->weak = fmax(g->weak, squared(of_mass / (groups->rules->weak * least)));
}

void hb_groups_measure(const struct hb_groups *groups, struct hb_group *g)
{
  struct hb_chain orbits[HB_CHAIN_MOST - 1], at_rest;
  size_t count = find_orbits(groups, g, orbits);
  double L = length(&g->chain), M = hb_chain_mass(&g->chain), Q[6], T[HB_OCTUPOLE_PARTS];
  g->R = count > 0 ? fmax(L, g->span) : L;
  g->floor = count > 1 ? M : 0;
  g->tide = g->strong = g->weak = 0;
  double of_mass = 2 * g->R * g->R * g->R / M;
  for (size_t k = 0; k < count; k++) {
    double span = hb_chain_span(orbits + k);
    measure_orbit(groups, k == 0 ? of_mass : 2 * span * span * span / hb_chain_mass(orbits + k), orbits[k].B,
                  g);
  }
  if (count == 0) g->tide = squared(of_mass / HB_GROUPS_LEAST_IN_A_PASSAGE), g->strong = INFINITY;
  g->waking = g->weak > 0 && groups->rules->wakes > 0 ? squared(of_mass / groups->rules->wakes) : INFINITY;
  memset(g->Q, 0, sizeof g->Q);
  memset(g->T, 0, sizeof g->T);
  if (!(g->weak > 0)) return;
  if (groups->field) {
    hb_chain_copy(&g->chain, &at_rest);
    hb_turning_transform(&at_rest, -hb_field_turn(groups->field) / 2);
    count = hb_outer_orbit_list(&at_rest, orbits);
  }
  for (size_t k = 0; k < count; k++) {
    hb_quadrupole_of_orbit(orbits + k, Q);
    for (size_t q = 0; q < 6; q++) g->Q[q] += Q[q];
    hb_octupole_of_orbit(orbits + k, T);
    for (size_t q = 0; q < HB_OCTUPOLE_PARTS; q++) g->T[q] += T[q];
  }
}

void hb_groups_measure_node(struct hb_groups *groups, struct hb_group *g)
{
  static const double margin =
      2; /* positions are corrected after hits are found; this allows for a tenth of a distance */
  hb_groups_measure(groups, g);
  double lightest = HB_GROUPS_LIGHT * groups->m_mean;
  groups->reach[g->node] = fmax(margin * g->tide, g->weak) * fmax(1, g->floor / lightest);
  groups->orbit[g->node] = (struct hb_groups_orbit){.tide = g->tide, .weak = g->weak, .floor = g->floor};
  memcpy(groups->orbit[g->node].Q, g->Q, sizeof g->Q);
}

int hb_groups_keeps_tides(const struct hb_groups *groups, const struct hb_group *g)
{
  return g->weak > 0 && hb_groups_system_tide(groups, g) > groups->rules->far;
}

/* The least tide of a field on a hard pair. A field disturbs a pair in the same way all the time, and its effect adds up: it changes an
 * orbit altogether in about 3 / tide revolutions, or 0.7 tide^-1/2 orbits around a galaxy, here 2000. */
static const double least_of_field = 1e-7;

/* The least tide of a field on few bodies that are one chain, which is exact to rounding otherwise. */
static const double least_of_few = 1e-16;

int hb_groups_feels_field(const struct hb_groups *groups, const struct hb_group *g, const double x[3])
{
  double least = hb_groups_are_few(groups) ? least_of_few
                 : g->is_hard              ? least_of_field
                                           : HB_GROUPS_LEAST_IN_A_PASSAGE;
  double hold = least * hb_chain_mass(&g->chain);
  return 2 * hb_groups_field_tide(groups, x) * g->R * g->R * g->R > hold;
}

int hb_groups_is_all(const struct hb_groups *groups, const struct hb_group *g)
{
  if (!hb_groups_are_few(groups)) return 0;
  for (uint32_t i = 0; i < groups->n; i++)
    if (i != g->node && groups->of[i] != HB_GROUPS_PARKED && !hb_groups_is_left_out(groups, i)) return 0;
  return 1;
}

double hb_groups_gap2(const struct hb_group *g, const double r[3])
{
  static const double large = 0.25; /* of the distance: else all members are about as far as the center */
  double least = hb_dot(r, r), x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  if (g->is_hard || g->R * g->R < large * large * least) return least;
  hb_chain_places(&g->chain, x, v);
  for (size_t k = 0; k < g->chain.n; k++) {
    double d[3] = {r[0] - x[3 * k], r[1] - x[3 * k + 1], r[2] - x[3 * k + 2]};
    least = fmin(least, hb_dot(d, d));
  }
  return least;
}

double hb_groups_gap2_to(const struct hb_groups *groups, const struct hb_group *g, uint32_t node)
{
  double r[3];
  hb_between(groups->nodes.xp, g->node, node, r);
  return hb_groups_gap2(g, r);
}

static const double of_a_passage = 0.25, of_a_fall = 0.1;

/* Returns the longest step of the center of a group, without regard to other groups. */
static double step_alone(const struct hb_groups *groups, const struct hb_group *g)
{
  const struct hb_chain *c = &g->chain;
  if (hb_groups_is_all(groups, g) || g->is_hard) return INFINITY;
  if (c->n > 2) return of_a_fall * sqrt(g->R * g->R * g->R / hb_chain_mass(c));
  double close = hb_groups_passing(groups, c->m[0], c->m[1]);
  return of_a_passage * close / sqrt(hb_dot(c->V[0], c->V[0]));
}

/* Returns the chain of nodes (inner_binaries.h) of a chain in *b, or the chain itself if it has no binaries. */
static const struct hb_chain *nodes_of(const struct hb_chain *c, struct hb_inner_binaries *b)
{
  static const struct hb_chain_tide none = {0};
  uint8_t is_first[HB_CHAIN_MOST];
  if (hb_inner_binaries_find(c, &none, 0, is_first) == 0) return c;
  hb_inner_binaries_make(c, is_first, b);
  return &b->chain;
}

/* Returns the shortest time in which a link changes that is longer than `least`. */
static double time_of_links(const struct hb_chain *chain, double least)
{
  struct hb_inner_binaries b;
  const struct hb_chain *c =
      nodes_of(chain, &b); /* a close pair's speed says nothing about the links between nodes */
  double rate = 0;
  for (size_t k = 0; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > least * least)
      rate = fmax(rate, hb_chain_rate(2, c->m + k, c->X + k, c->V + k));
  return 1 / rate;
}

double hb_groups_step(const struct hb_groups *groups, const struct hb_group *g)
{
  double step = step_alone(groups, g);
  for (size_t k = 0; k < g->count; k++) {
    const struct hb_group *other = hb_groups_of(groups, g->list[k]);
    if (!other) continue;
    hb_groups_need(groups, other->node);
    double gap2 = fmin(hb_groups_gap2_to(groups, g, other->node), hb_groups_gap2_to(groups, other, g->node));
    double least = groups->rules->resolved * sqrt(gap2);
    step = fmin(step, of_a_fall * fmin(time_of_links(&g->chain, least), time_of_links(&other->chain, least)));
  }
  return step;
}

void hb_groups_use(struct hb_groups *groups, const struct hb_groups_rules *rules)
{
  static const double close = 2; /* at least, in r_close */
  groups->rules = rules;
  groups->bound = close;
  if (rules->widest > 0) /* r_half = N / 2 r_close */
    groups->bound = fmax(close, rules->widest / 2 * hb_elementary_power(groups->stars, 2. / 3));
}
