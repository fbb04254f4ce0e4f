/* What the members of a chain do to each other, for the files that integrate one (chain.h). */
#ifndef HB_CHAIN_PULLS_H
#define HB_CHAIN_PULLS_H

#include "groups/chain.h"

/* Rows of the extrapolation. */
enum { HB_CHAIN_ROWS_LEAST = 5, HB_CHAIN_ROWS_FIRST = 7, HB_CHAIN_ROWS_MOST = 10 };

struct hb_chain_pulls {
  double U; /* sum m m / r, see hb_chain_product */
  double a[HB_CHAIN_MOST][3];
};

static inline double hb_chain_dot(const double p[3], const double q[3])
{
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/* What stands for m_i m_k in U and T: of two without mass nothing. */
static inline double hb_chain_product(const struct hb_chain *chain, size_t i, size_t k)
{
  double product = chain->m[i] * chain->m[k];
  return product > 0 ? product : chain->w * (chain->m[i] + chain->m[k]);
}

/* Lanes are summed each for itself, and then so: the bits are the same whatever a machine does at once. */
static inline double hb_chain_sum_lanes(const double s[HB_CHAIN_LANES])
{
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* From member i to member k, where link[] are the differences along the chain. */
static inline void hb_chain_between(const double link[][3], size_t i, size_t k, double q[3])
{
  size_t from = i < k ? i : k, to = i < k ? k : i;
  double sign = i < k ? 1 : -1;
  q[0] = q[1] = q[2] = 0;
  for (; from < to; from++)
    for (size_t d = 0; d < 3; d++) q[d] += sign * link[from][d];
}

/* q[3 * n] of the members relative to their center of mass, where link[] are the differences along the chain. */
void hb_chain_from_center(const struct hb_chain *chain, const double link[][3], double *q);

void hb_chain_pull(const struct hb_chain *chain, const double X[][3], struct hb_chain_pulls *pulls);

/* T in the frame of the center of mass. */
double hb_chain_kinetic(const struct hb_chain *chain, const double V[][3]);

/* -dB/dt by the pulls f[n] of others, whose sum over masses is 0, and by what moves under members without mass. */
double hb_chain_work(const struct hb_chain *chain, const double X[][3], const double V[][3], double f[][3]);

/* The largest of |V| / |X| and (m / |X|^3)^(1/2) of all links: 1 / the time in which the chain changes. */
double hb_chain_rate(size_t n, const double *m, const double X[][3], const double V[][3]);

/* dU / dt of the links' motion. */
double hb_chain_U_slope(const struct hb_chain *chain, const double X[][3], const double V[][3]);

/* Whether anything outside pulls at the members. */
static inline int hb_chain_is_pulled(const struct hb_chain_tide *tide)
{
  return tide->count > 0 || tide->field;
}

/* Sum of m / d^3 of the points at the start of the advance. */
double hb_chain_tide_of_points(const struct hb_chain_tide *tide);

/* f[n]: the pulls of others on the members, linked by X, at a time t after the start of the advance, less their mean. */
void hb_chain_others(const struct hb_chain *chain, const struct hb_chain_tide *tide, const double X[][3],
                     double t, double f[HB_CHAIN_MOST][3]);

/* q[n] about z by this angle, with the same bits everywhere. */
void hb_chain_rotate(size_t n, double angle, double q[][3]);

/* Makes close neighbors neighbors in the chain. */
void hb_chain_sort(struct hb_chain *chain);

#endif
