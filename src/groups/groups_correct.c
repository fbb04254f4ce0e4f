/* What members do that points do not. */
#include "groups/chain_pulls.h"
#include "groups/groups.h"

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
static void pull(double m, const double r[3], const double v[3], double a[3], double j[3])
{
  double r2 = hb_chain_dot(r, r), mr3 = m / (r2 * sqrt(r2)), s = 3 * hb_chain_dot(r, v) / r2;
  for (size_t c = 0; c < 3; c++) {
    a[c] += mr3 * r[c];
    j[c] += mr3 * (v[c] - s * r[c]);
  }
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
  for (size_t c = 0; c < 3; c++) a[c] += sum_a[c], j[c] += sum_j[c];
}

/* The b-th node of the block by a node that is, or has, members. */
static void correct(const struct hb_groups *groups, const struct hb_nodes *nodes, uint32_t b, uint32_t i,
                    uint32_t k, double *a, double *j)
{
  correct_pair(groups, nodes, i, k, a + 3 * (size_t)b, j + 3 * (size_t)b);
  groups->near[i] = 1;
}

void hb_groups_correct(const struct hb_groups *groups, const struct hb_nodes *nodes, size_t ni,
                       const uint32_t *block, double *a, double *j)
{
  for (size_t b = 0; b < ni; b++) groups->near[block[b]] = 0;
  for (size_t g = 0; g < groups->count; g++) {
    uint32_t center = groups->at[g].node, own = groups->active[center];
    for (size_t k = 0; k < groups->at[g].count; k++) {
      uint32_t node = groups->at[g].list[k], b = groups->active[node];
      if (own) correct(groups, nodes, own - 1, center, node, a, j);
      if (b && !hb_groups_of(groups, node)) /* another group is a center itself: lists are symmetrical */
        correct(groups, nodes, b - 1, node, center, a, j);
    }
  }
}
