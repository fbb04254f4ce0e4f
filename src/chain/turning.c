/* Rotation about z, and the transformation of a chain's velocities and energy to turning axes; see turning.h. */
#include "chain/turning.h"

#include "chain/stumpff.h"

void hb_turning_rotate(size_t n, double angle, double q[][3])
{
  double c[4];
  hb_stumpff(angle, c);
  double sine = angle * c[1], versed = angle * angle * c[2];
  for (size_t k = 0; k < n;
       k++) { /* written so that a small angle has small rounding errors, and lengths stay */
    double x = q[k][0], y = q[k][1];
    q[k][0] -= sine * y + versed * x;
    q[k][1] += sine * x - versed * y;
  }
}

/* Returns the part of kinetic_of_turn that members without mass have. */
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

/* Returns by how much T is less in the turning axes: W L_z - W^2 I_z / 2, with angular momentum and moment of inertia about the
 * center of mass. */
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

void hb_turning_transform(struct hb_chain *c, double W)
{
  c->B += kinetic_of_turn(c, W);
  for (size_t k = 0; k + 1 < c->n; k++) {
    c->V[k][0] += W * c->X[k][1];
    c->V[k][1] -= W * c->X[k][0];
  }
}
