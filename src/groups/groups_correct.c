/* What members do that points do not. */
#include "groups/chain_pulls.h"
#include "groups/groups.h"
#include "groups/kepler.h"

#include <math.h>

/* A node as the points it is made of: itself, or its members. */
struct points {
  size_t n;
  double m[HB_CHAIN_MOST], x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST]; /* relative to the node */
};

static void resolve(const struct hb_groups *groups, uint32_t node, struct points *p)
{
  const struct hb_group *g = hb_groups_of(groups, node);
  *p = (struct points){.n = 1, .m = {groups->m[node]}};
  if (!g) return;
  p->n = g->chain.n;
  for (size_t k = 0; k < p->n; k++) p->m[k] = g->chain.m[k];
  hb_chain_places(&g->chain, p->x, p->v);
}

/* Adds sign times the pull and jerk of a mass m, r and v away. */
static inline void pull(double m, const double r[3], const double v[3], double a[3], double j[3])
{
  double r2 = hb_chain_dot(r, r), mr3 = m / (r2 * sqrt(r2)), s = 3 * hb_chain_dot(r, v) / r2;
  for (size_t c = 0; c < 3; c++) {
    a[c] += mr3 * r[c];
    j[c] += mr3 * (v[c] - s * r[c]);
  }
}

/* Up to this strength of the field's tide s a pair is in it as its orbit is in the mean, so that the center's steps need not
 * resolve its revolutions: what they do to its energy is a part s^3/2 / 64 of the pair's, and does not add up. */
static const double most_mean = 1e-4;

static int is_mean(const struct hb_groups *groups, const struct hb_chain *c, const double x[3])
{
  if (c->n != 2 || !(c->B > 0)) return 0;
  double span = hb_chain_span(c);
  return 2 * hb_groups_field_tide(groups, x) * span * span * span < most_mean * hb_chain_mass(c);
}

/* V in axes at rest, in which an orbit is one. */
static struct hb_chain at_rest(const struct hb_groups *groups, const struct hb_chain *c)
{
  struct hb_chain turned = *c;
  if (groups->field) hb_chain_turn(&turned, -hb_field_turn(groups->field) / 2);
  return turned;
}

/* Both members of a pair, at places of their orbit. */
static void resolve_orbit(const struct hb_chain *c, struct points *p)
{
  enum { PLACES = HB_CHAIN_MOST / 2 }; /* good to the second order of places */
  double X[PLACES][3], part[PLACES], M = hb_chain_mass(c);
  hb_kepler_places(c, PLACES, X, part);
  *p = (struct points){.n = HB_CHAIN_MOST};
  for (size_t k = 0; k < PLACES; k++)
    for (size_t s = 0; s < 2; s++) {
      p->m[2 * k + s] = part[k] * c->m[s];
      for (size_t i = 0; i < 3; i++) p->x[6 * k + 3 * s + i] = (s ? c->m[0] : -c->m[1]) / M * X[k][i];
    }
}

/* Adds what a node feels more; Coriolis' force changes with all of it. */
static void add(const struct hb_groups *groups, double more_a[3], double more_j[3], double *a, double *j)
{
  static const double still[3];
  if (groups->field) hb_field_deflect(groups->field, still, more_a, more_j);
  for (size_t c = 0; c < 3; c++) a[c] += more_a[c], j[c] += more_j[c];
}

/* The pull of node k on node i: of all members on all members, less that of points. */
static void correct_pair(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t i, uint32_t k,
                         double *a, double *j)
{
  struct points sink, source;
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[i];
  resolve(groups, i, &sink);
  resolve(groups, k, &source);
  for (size_t c = 0; c < 3; c++) {
    r[c] = nodes->xp[3 * (size_t)k + c] - nodes->xp[3 * (size_t)i + c];
    v[c] = nodes->vp[3 * (size_t)k + c] - nodes->vp[3 * (size_t)i + c];
  }
  for (size_t p = 0; p < sink.n; p++)
    for (size_t q = 0; q < source.n; q++) {
      double rpq[3], vpq[3], share = sink.n > 1 ? sink.m[p] / M : 1;
      for (size_t c = 0; c < 3; c++) {
        rpq[c] = r[c] + (source.x[3 * q + c] - sink.x[3 * p + c]);
        vpq[c] = v[c] + (source.v[3 * q + c] - sink.v[3 * p + c]);
      }
      pull(share * source.m[q], rpq, vpq, sum_a, sum_j);
    }
  pull(-groups->m[k], r, v, sum_a, sum_j);
  add(groups, sum_a, sum_j, a, j);
}

/* A group, as its members, and a star: what either does to the other more than points would. The star's place in the block is one
 * less than b, the group's than own; 0: it is not in it. */
static void correct_star(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t center,
                         const struct points *group, uint32_t own, uint32_t star, uint32_t b, double *a,
                         double *j)
{
  double r[3], v[3], sum_a[3] = {0}, sum_j[3] = {0}, M = groups->m[center], share = groups->m[star] / M;
  for (size_t c = 0; c < 3; c++) { /* from the star to the group */
    r[c] = nodes->xp[3 * (size_t)center + c] - nodes->xp[3 * (size_t)star + c];
    v[c] = nodes->vp[3 * (size_t)center + c] - nodes->vp[3 * (size_t)star + c];
  }
  for (size_t p = 0; p < group->n; p++) {
    double rp[3], vp[3];
    for (size_t c = 0; c < 3; c++) rp[c] = r[c] + group->x[3 * p + c], vp[c] = v[c] + group->v[3 * p + c];
    pull(group->m[p], rp, vp, sum_a, sum_j);
  }
  pull(-M, r, v, sum_a, sum_j);
  double back_a[3], back_j[3];
  for (size_t c = 0; c < 3; c++) back_a[c] = -share * sum_a[c], back_j[c] = -share * sum_j[c];
  if (b) add(groups, sum_a, sum_j, a + 3 * (size_t)(b - 1), j + 3 * (size_t)(b - 1));
  if (own) add(groups, back_a, back_j, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
  if (b) groups->near[star] = 1;
}

/* All in the list of a group. */
static void correct_list(const struct hb_groups *groups, const struct hb_nodes *nodes,
                         const struct hb_group *g, double *a, double *j)
{
  struct points members = {.n = 0}, orbit = {.n = 0};
  uint32_t own = groups->active[g->node];
  for (size_t k = 0; k < g->count; k++) {
    uint32_t node = g->list[k], b = groups->active[node];
    int is_star = !hb_groups_of(groups, node); /* another group is a center itself: lists are symmetrical */
    if (!own && !(b && is_star)) continue;
    int feels_mean = hb_groups_is_mean(groups, g, node, hb_groups_distance2(nodes->xp, g->node, node));
    if (feels_mean && orbit.n == 0) {
      const struct hb_chain turned = at_rest(groups, &g->chain);
      resolve_orbit(&turned, &orbit);
    }
    if (!feels_mean && members.n == 0) resolve(groups, g->node, &members);
    if (is_star)
      correct_star(groups, nodes, g->node, feels_mean ? &orbit : &members, own, node, b, a, j);
    else
      correct_pair(groups, nodes, g->node, node, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    if (own) groups->near[g->node] = 1;
  }
}

/* Of a group: the mean of the field at its members, less the field at its center. */
static void correct_field(const struct hb_groups *groups, const struct hb_nodes *nodes,
                          const struct hb_group *g, double *a, double *j)
{
  struct points sink;
  const struct hb_chain turned = at_rest(groups, &g->chain);
  uint32_t center = g->node;
  const double *x = nodes->xp + 3 * (size_t)center, *v = nodes->vp + 3 * (size_t)center;
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
  add(groups, sum_a, sum_j, a, j);
  groups->near[center] = 1;
}

void hb_groups_correct(const struct hb_groups *groups, const struct hb_nodes *nodes, size_t ni,
                       const uint32_t *block, double *a, double *j)
{
  for (size_t b = 0; b < ni; b++) groups->near[block[b]] = 0;
  for (size_t g = 0; g < groups->count; g++) {
    uint32_t center = groups->at[g].node, own = groups->active[center];
    if (own && hb_groups_feels_field(groups, groups->at + g, nodes->xp + 3 * (size_t)center))
      correct_field(groups, nodes, groups->at + g, a + 3 * (size_t)(own - 1), j + 3 * (size_t)(own - 1));
    correct_list(groups, nodes, groups->at + g, a, j);
  }
}
