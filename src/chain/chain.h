/* A few bodies as a chain: their state, energies and accelerations. This header says what a chain is, makes one from bodies, and
 * sorts it. It advances nothing in time: bulirsch_stoer.h does that for any chain, kepler.h for bound pairs that others hardly
 * disturb. Nothing in this folder knows of groups, time steps or the N-body system around a chain.
 *
 * The state is the vectors X and V from each member to the next one along a chain of close neighbors (Mikkola & Aarseth 1993,
 * CeMDA 57, 439), and nothing else. Separations therefore do not lose digits, however far the center of mass is from the origin.
 *
 * Members without mass pull at no other member, and would have no part in U = sum m m / r and T. But U and T only set the steps
 * of the integration. There such a member has the mean mass w of those with mass, as if it were far lighter than they are:
 * U = sum w m / r, T = w v^2 / 2 relative to their center of mass. */
#ifndef HB_CHAIN_H
#define HB_CHAIN_H

#include "core/vector.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The largest number of members. */
enum { HB_CHAIN_MOST = 64 };

/* Chains of more members than this sum pulls, energies and changes of velocities in a way that is faster and more exact for many. */
enum { HB_CHAIN_FEW = 8 };

/* Rows of the extrapolation in bulirsch_stoer.c: in the first step of a new chain, and the largest number. */
enum { HB_CHAIN_ROWS_FIRST = 7, HB_CHAIN_ROWS_MOST = 10 };

/* Members in the order of the chain; link k leads from member k to member k + 1. A checkpoint has all of it but for `lost`,
 * which describes the last advance. */
struct hb_chain {
  size_t n;    /* 1 to HB_CHAIN_MOST; a chain of one has no links and is not advanced */
  double w;    /* mass of massless members in U and T; 0: all have mass. See hb_chain_weigh */
  double B;    /* binding energy U - T */
  double lost; /* energy that post-Newtonian terms took in the last advance */
  double ds;   /* length of the next step, in the integration's independent variable */
  size_t rows; /* rows of the extrapolation in the next step */
  uint32_t member[HB_CHAIN_MOST]; /* the caller's number of each member */
  double m[HB_CHAIN_MOST];        /* masses >= 0, at least one of them > 0 */
  double X[HB_CHAIN_MOST - 1][3]; /* positions, link by link */
  double V[HB_CHAIN_MOST - 1][3]; /* velocities, link by link */
};

/* Potential energy and accelerations of the members. */
struct hb_chain_pulls {
  double U;                   /* sum m m / r > 0, see hb_chain_product */
  double a[HB_CHAIN_MOST][3]; /* accelerations */
};

/* Adds to a[3] and k[3] the acceleration and jerk by a mass m at r, moving with v, both relative to the sink. r2 is r^2 plus the
 * square of the softening length, if there is one. */
static inline void hb_chain_add_pull(double m, double r2, const double r[3], const double v[3], double a[3],
                                     double k[3])
{
  double mr3 = m / (r2 * sqrt(r2)), s = 3 * hb_dot(r, v) / r2;
  for (size_t c = 0; c < 3; c++) a[c] += mr3 * r[c], k[c] += mr3 * (v[c] - s * r[c]);
}

/* True if an integration over the time dt, whose last of `steps` steps ended at t, will hardly end: a step takes a microsecond or
 * more, and these are so short that 2^28 of them would not reach dt. */
static inline int hb_chain_is_endless(size_t steps, double t, double dt)
{
  enum { STEPS_LEAST = 4096 };
  return steps > STEPS_LEAST && t < (double)steps * 0x1p-28 * dt;
}

/* Returns the product of masses that a pair of members has in U and T: m_i m_k, or w m where one of them has no mass; 0 for two
 * without mass. */
static inline double hb_chain_product(const struct hb_chain *chain, size_t i, size_t k)
{
  double product = chain->m[i] * chain->m[k];
  return product > 0 ? product : chain->w * (chain->m[i] + chain->m[k]);
}

/* Copies a chain. Elements of members that it does not have are not copied: most chains are pairs, and the arrays have room for
 * HB_CHAIN_MOST. */
static inline void hb_chain_copy(const struct hb_chain *from, struct hb_chain *to)
{
  const size_t n = from->n, links = n > 0 ? n - 1 : 0;
  memcpy(to, from, offsetof(struct hb_chain, member));
  memcpy(to->member, from->member, n * sizeof *to->member);
  memcpy(to->m, from->m, n * sizeof *to->m);
  memcpy(to->X, from->X, links * sizeof *to->X);
  memcpy(to->V, from->V, links * sizeof *to->V);
}

/* Sets q[3] to the vector from member i to member k, link[] being the differences along the chain. */
static inline void hb_chain_between(const double link[][3], size_t i, size_t k, double q[3])
{
  size_t from = i < k ? i : k, to = i < k ? k : i;
  double sign = i < k ? 1 : -1;
  q[0] = q[1] = q[2] = 0;
  for (; from < to; from++)
    for (size_t d = 0; d < 3; d++) q[d] += sign * link[from][d];
}

/* Returns the total mass. */
static inline double hb_chain_mass(const struct hb_chain *chain)
{
  double M = 0;
  for (size_t k = 0; k < chain->n; k++) M += chain->m[k];
  return M;
}

/* Returns 2 a of a pair; INFINITY if it is unbound. */
static inline double hb_chain_span(const struct hb_chain *chain)
{
  return chain->B > 0 ? hb_chain_product(chain, 0, 1) / chain->B : INFINITY;
}

/* Makes a chain of n members, with masses m[n] at x[3 * n], v[3 * n], which may be relative to any point. */
void hb_chain_make(size_t n, const uint32_t *member, const double *m, const double *x, const double *v,
                   struct hb_chain *chain);

/* Makes a chain of the n members from number `first` on, in their order. */
void hb_chain_extract(const struct hb_chain *chain, size_t first, size_t n, struct hb_chain *part);

/* Marks further bound pairs of neighbors, k and k + 1 by is_first[k], the closest first. No two marked pairs share a member. */
void hb_chain_mark_pairs(const struct hb_chain *c, uint8_t is_first[HB_CHAIN_MOST]);

/* Sets w, B and a first step, a small part of the shortest time in which a link changes. Links and masses are set. */
void hb_chain_start(struct hb_chain *c);

/* Sorts the members so that close neighbors are neighbors in the chain. */
void hb_chain_sort(struct hb_chain *c);

/* Sets w from the masses: 0 if all members have mass, else the mean of those that have. */
void hb_chain_weigh(struct hb_chain *c);

/* Sets q[3 * n] to vectors relative to the center of mass, link[] being the differences along the chain. */
void hb_chain_from_center(const struct hb_chain *c, const double link[][3], double *q);

/* Sets positions x[3 * n] and velocities v[3 * n] of the members relative to their center of mass. */
void hb_chain_places(const struct hb_chain *chain, double *x, double *v);

/* Computes U and the accelerations of the members by each other, at the positions X in place of the chain's. */
void hb_chain_pull_members(const struct hb_chain *c, const double X[][3], struct hb_chain_pulls *pulls);

/* Returns T relative to the center of mass, for the velocities V in place of the chain's. */
double hb_chain_kinetic(const struct hb_chain *c, const double V[][3]);

/* Returns -dB/dt at positions X and velocities V, by accelerations f[n] from outside, whose sum over masses is 0, and by the
 * motion of members with mass relative to those without. */
double hb_chain_work(const struct hb_chain *c, const double X[][3], const double V[][3], double f[][3]);

/* Returns 1 over the shortest time in which one of n - 1 links changes: the largest of |V| / |X| and (m / |X|^3)^(1/2). */
double hb_chain_rate(size_t n, const double *m, const double X[][3], const double V[][3]);

/* Returns dU/dt by the motion of the links. */
double hb_chain_slope(const struct hb_chain *c, const double X[][3], const double V[][3]);

/* Returns U - T from the links alone. It differs from B by errors of the integration. 0 for a single member. */
double hb_chain_binding(const struct hb_chain *chain);

/* Returns the energy T - U of the members with mass. */
double hb_chain_energy(const struct hb_chain *chain);

#endif
