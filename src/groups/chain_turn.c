/* Chains in coordinates that turn about z. Their members feel Coriolis' force, which no leapfrog of kicks and drifts has: it is
 * in axes at rest, as the coordinates are at its start, that a chain is advanced. */
#include "groups/chain_pulls.h"

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
      hb_chain_between(c->X, i, k, r);
      hb_chain_between(c->V, i, k, v);
      double L = r[0] * v[1] - r[1] * v[0], I = r[0] * r[0] + r[1] * r[1];
      sum += c->m[i] * c->m[k] * (W * L - W * W / 2 * I);
    }
  return sum / hb_chain_mass(c) + of_massless(c, W);
}

void hb_chain_turn(struct hb_chain *c, double W)
{
  c->B += kinetic_of_turn(c, W);
  for (size_t k = 0; k + 1 < c->n; k++) {
    c->V[k][0] += W * c->X[k][1];
    c->V[k][1] -= W * c->X[k][0];
  }
}
