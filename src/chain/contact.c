/* Contacts of bodies with radii; see contact.h. */
#include "chain/contact.h"

static const double two_pi = 6.28318530717958647693;

/* True if two bodies have passed the pericenter between two states that are less than an orbit apart. Bodies that approached have
 * passed it if they recede now, or approach again. They cannot approach again within half an orbit (is_short); in a step so short
 * that rounding swallows it they seem to approach without coming nearer. */
static int has_passed(int is_short, const double x0[3], const double v0[3], const double x1[3],
                      const double v1[3])
{
  int is_nearer = hb_dot(x1, x1) < hb_dot(x0, x0), approaches = hb_dot(x1, v1) < 0;
  if (hb_dot(x0, v0) < 0) return !(approaches && (is_nearer || is_short));
  return !approaches && is_nearer;
}

int hb_contact_touches(double M, double reach, double dt, const double x0[3], const double v0[3],
                       const double x1[3], const double v1[3])
{
  if (dt < 0) return hb_contact_touches(M, reach, -dt, x1, v1, x0, v0);
  double r2 = hb_dot(x1, x1), v2 = hb_dot(v1, v1), rv = hb_dot(x1, v1);
  if (r2 < reach * reach) return 1;
  double a_inverse = 2 / sqrt(r2) - v2 / M, h2 = r2 * v2 - rv * rv, e2 = 1 - h2 * a_inverse / M;
  double q = h2 / M / (1 + sqrt(e2 > 0 ? e2 : 0));
  if (!(q < reach)) return 0;
  /* A body on a close orbit around a third one changes its direction, but does not come that far: from both places to `reach`. */
  double fastest2 = v2 + 2 * M * (1 / reach - 1 / sqrt(r2)),
         way = sqrt(r2) + sqrt(hb_dot(x0, x0)) - 2 * reach;
  if (way > 2 * dt * sqrt(fastest2)) return 0;
  double rate2 = a_inverse > 0 ? M * a_inverse * a_inverse * a_inverse : 0; /* (2 pi / period)^2 */
  double turn2 = dt * dt * rate2;
  return turn2 > two_pi * two_pi || has_passed(turn2 < two_pi * two_pi / 4, x0, v0, x1, v1);
}

/* Returns the rank of member k among the numbers of all members, which does not depend on the order of the chain. c->met[rank] has a
 * bit for the rank of each member that this one has touched. */
static size_t rank_of(const struct hb_chain *c, size_t k)
{
  size_t rank = 0;
  for (size_t l = 0; l < c->n; l++) rank += c->member[l] < c->member[k];
  return rank;
}

void hb_contact_record(struct hb_chain *c, size_t k, size_t l)
{
  size_t p = rank_of(c, k), q = rank_of(c, l);
  c->met[p] |= UINT64_C(1) << q;
  c->met[q] |= UINT64_C(1) << p;
}

int hb_contact_have_met(const struct hb_chain *c, size_t k, size_t l)
{
  return c->met[rank_of(c, k)] >> rank_of(c, l) & 1;
}
