/* Finding the hierarchy of a chain, and moving along its orbits; see outer_orbit.h. */
#include "chain/outer_orbit.h"

#include "chain/kepler_orbit.h"

#include <string.h>

/* Sets the parts of a chain on both sides of a link, and the orbit of their centers. */
static void find_parts(const struct hb_chain *c, size_t link, struct hb_outer_orbit *h)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  h->link = link;
  hb_chain_extract(c, 0, link + 1, h->part);
  hb_chain_extract(c, link + 1, c->n - link - 1, h->part + 1);
  memset(&h->outer, 0, offsetof(struct hb_chain, member));
  h->outer.n = 2, h->outer.member[0] = 0, h->outer.member[1] = 1;
  for (size_t s = 0; s < 2; s++) h->outer.m[s] = hb_chain_mass(h->part + s);
  hb_chain_places(h->part, x, v);
  for (size_t i = 0; i < 3; i++)
    h->outer.X[0][i] = c->X[link][i] + x[3 * link + i], h->outer.V[0][i] = c->V[link][i] + v[3 * link + i];
  hb_chain_places(h->part + 1, x, v);
  for (size_t i = 0; i < 3; i++) h->outer.X[0][i] -= x[i], h->outer.V[0][i] -= v[i];
  h->outer.B = hb_chain_binding(&h->outer);
}

/* Sets the links of a chain from the parts and the outer orbit. */
static void join_parts(const struct hb_outer_orbit *h, struct hb_chain *c)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  for (size_t s = 0, first = 0; s < 2; first += h->part[s].n, s++) {
    memcpy(c->X + first, h->part[s].X, (h->part[s].n - 1) * sizeof *c->X);
    memcpy(c->V + first, h->part[s].V, (h->part[s].n - 1) * sizeof *c->V);
  }
  double *X = c->X[h->link], *V = c->V[h->link];
  hb_chain_places(h->part, x, v);
  for (size_t i = 0; i < 3; i++)
    X[i] = h->outer.X[0][i] - x[3 * h->link + i], V[i] = h->outer.V[0][i] - v[3 * h->link + i];
  hb_chain_places(h->part + 1, x, v);
  for (size_t i = 0; i < 3; i++) X[i] += x[i], V[i] += v[i];
}

double hb_outer_orbit_pericenter(double M, const double x[3], const double v[3])
{
  double r2 = hb_dot(x, x), v2 = hb_dot(v, v), rv = hb_dot(x, v), h2 = r2 * v2 - rv * rv;
  double e2 = 1 - h2 * (2 / sqrt(r2) - v2 / M) / M;
  return h2 / M / (1 + sqrt(fmax(e2, 0)));
}

/* Returns 2 a of a bound pair, or of the outer orbit of a hierarchy; INFINITY for any other chain. */
static double span_of(const struct hb_chain *c)
{
  struct hb_outer_orbit inner;
  if (c->n == 2) return hb_chain_span(c);
  return hb_outer_orbit_find(c, &inner) ? inner.span : INFINITY;
}

int hb_outer_orbit_find(const struct hb_chain *c, struct hb_outer_orbit *h)
{
  size_t longest = 0;
  if (c->n < 3 || c->w > 0) return 0;
  for (size_t k = 1; k + 1 < c->n; k++)
    if (hb_dot(c->X[k], c->X[k]) > hb_dot(c->X[longest], c->X[longest])) longest = k;
  find_parts(c, longest, h);
  const struct hb_chain *outer = &h->outer;
  if (!(outer->B > 0)) return 0;
  h->span = hb_chain_span(outer);
  h->pericenter = hb_outer_orbit_pericenter(outer->m[0] + outer->m[1], outer->X[0], outer->V[0]);
  for (size_t s = 0; s < 2; s++) {
    if (h->part[s].n == 1) continue;
    double ratio = span_of(h->part + s) / h->pericenter;
    if (!(2 * outer->m[!s] * ratio * ratio * ratio < HB_OUTER_ORBIT_BELOW * outer->m[s])) return 0;
  }
  return 1;
}

void hb_outer_orbit_drift(struct hb_chain *c, double dt)
{
  struct hb_outer_orbit h;
  if (c->n == 2 && c->B > 0) hb_kepler_orbit_drift_for(c, dt);
  if (!hb_outer_orbit_find(c, &h)) return;
  hb_kepler_orbit_drift_for(&h.outer, dt);
  for (int s = 0; s < 2; s++) hb_outer_orbit_drift(h.part + s, dt);
  join_parts(&h, c);
}

size_t hb_outer_orbit_list(const struct hb_chain *c, struct hb_chain *orbits)
{
  struct hb_outer_orbit o;
  if (c->n == 2 && c->B > 0) {
    hb_chain_copy(c, orbits);
    return 1;
  }
  if (!hb_outer_orbit_find(c, &o)) return 0;
  hb_chain_copy(&o.outer, orbits);
  size_t count = 1;
  for (int s = 0; s < 2; s++) count += hb_outer_orbit_list(o.part + s, orbits + count);
  return count;
}
