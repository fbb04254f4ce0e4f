/* Chains in coordinates that turn about z. Their members feel Coriolis' force, which no leapfrog of kicks and drifts has: it is
 * in axes at rest, as the coordinates are at its start, that a chain is advanced. */
#include "groups/chain_pulls.h"

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
  return sum / hb_chain_mass(c);
}

void hb_chain_turn(struct hb_chain *c, double W)
{
  c->B += kinetic_of_turn(c, W);
  for (size_t k = 0; k + 1 < c->n; k++) {
    c->V[k][0] += W * c->X[k][1];
    c->V[k][1] -= W * c->X[k][0];
  }
}
