/* A few bodies, integrated together however close they come: a leapfrog that is regular at collisions, in chain coordinates,
 * extrapolated to high order.
 *
 * The logarithmic Hamiltonian (Mikkola & Tanikawa 1999, Preto & Tremaine 1999) takes s as the independent variable,
 * ds = U dt. With the kinetic energy T, the potential energy -U and the binding energy B = U - T, its leapfrog is
 *
 *   drift by ds: dt = ds / (T + B)    X += dt V    t += dt
 *   kick by ds:  dt = ds / U          V += dt (A + f)    B -= dt sum m v . f
 *
 * with A the pulls of the members on each other and f those of others, less their mean, v being the mean of the velocities
 * before and after the kick. On two bodies alone it errs in time only, not in the orbit.
 *
 * The post-Newtonian terms g of a pair depend on V. A second velocity W, V at the start of each leapfrog, keeps a kick even in dt (Hellstrom &
 * Mikkola 2010): W by half of it with g(V), V by all of it with g(W), W by the other half. What they take from the energy is in B and in lost.
 *
 * Of a field f is the difference between a member's place and the center. In coordinates that turn the chain is advanced in axes
 * at rest: Coriolis' force, which depends on V, is none of these kicks.
 *
 * X and V are the vectors from each member to the next one along a chain of close neighbors (Mikkola & Aarseth 1993), and
 * nothing else is stored: separations do not lose digits, whatever the distance from the center.
 *
 * Members without mass pull at nobody, and would have no part in U. But U and T only set the steps: there such a member has the
 * mean mass w of the others, as if it were far lighter than them: U = sum w m / r, T = w v^2 / 2 relative to their center
 * of mass. Its energy is not conserved where they move, so that a kick adds to B what that does to U: -sum w v . A dt, v
 * being the velocity of the one that pulls. */
#ifndef HB_CHAIN_H
#define HB_CHAIN_H

#include "base/status.h"
#include "core/field.h"
#include "core/vector.h"

enum { HB_CHAIN_MOST = 8 };

/* Members in the order of the chain; link k leads from member k to member k + 1. All of it is state. */
struct hb_chain {
  size_t n;                       /* 1 .. HB_CHAIN_MOST; a chain of one has no links and is not advanced */
  uint32_t member[HB_CHAIN_MOST]; /* whom the caller calls so */
  double m[HB_CHAIN_MOST];        /* >= 0, not all of them 0 */
  double w;                       /* of those that have none in U and T; 0: all have. It follows from m */
  double X[HB_CHAIN_MOST - 1][3], V[HB_CHAIN_MOST - 1][3];
  double B;    /* U - T */
  double lost; /* to post-Newtonian terms, in the last hb_chain_advance: no state */
  double ds;   /* the next step */
  size_t rows; /* of the extrapolation, in the next step */
  /* Of the last hb_chain_advance, no state: two neighbors whose surfaces met, equal: none did; and all who met. */
  uint32_t touched[2];
  uint8_t met[HB_CHAIN_MOST]; /* by hb_chain_rank: a bit for each that this one has met */
};

/* Others that pull at the members: m at r = x + tau (v + tau / 2 (a + tau / 3 j)) from the center of mass, tau the time
 * since the start of hb_chain_advance. */
struct hb_chain_point {
  double m, x[3], v[3], a[3], j[3];
};

/* Of LANES points what one has, side by side; lanes that are nobody's have mass 0 and the place of another. */
enum { HB_CHAIN_LANES = 8 };
struct hb_chain_points {
  double m[HB_CHAIN_LANES];
  double x[3][HB_CHAIN_LANES], v[3][HB_CHAIN_LANES], a[3][HB_CHAIN_LANES], j[3][HB_CHAIN_LANES];
};

/* How pairs are advanced in a tide: by orbits that it changes little, or by those that it may change more, in fewer steps. */
enum hb_chain_rules { HB_CHAIN_BY_SIZE, HB_CHAIN_BY_PERTURBATION };

struct hb_chain_tide {
  enum hb_chain_rules rules;
  size_t count;                         /* of points */
  const struct hb_chain_points *points; /* [ceil(count / LANES)], see hb_chain_end_points */
  const double *
      tensor; /* [12] the tide of others, as xx yy zz xy xz yz, `since` before the start; and its rate. NULL: none */
  double since;
  const struct hb_field *field; /* NULL: none, or one whose tide is too weak to matter */
  struct hb_chain_point center; /* where the center of mass is in it */
  double turn;          /* angular speed about z of the coordinates of both; at first they are the chain's */
  const double *radius; /* of members, by their numbers; NULL: nobody asks for touches */
  double light;         /* speed of light, for the post-Newtonian terms of a pair; 0: none */
  int is_all;           /* there is nothing but these members */
};

void hb_chain_set_point(struct hb_chain_points *points, size_t k, const struct hb_chain_point *p);
void hb_chain_get_point(const struct hb_chain_points *points, size_t k, struct hb_chain_point *p);

/* When all are set: the lanes that are nobody's. */
void hb_chain_end_points(struct hb_chain_points *points, size_t count);

/* Members of mass m[n] at x[3 * n], v[3 * n], which may be relative to any point. */
void hb_chain_make(size_t n, const uint32_t *member, const double *m, const double *x, const double *v,
                   struct hb_chain *chain);

/* Advances by exactly dt >= 0. forces, nullable, is increased by the number of times that the pulls were evaluated. Errors:
 * HB_ERR_NUMERIC (two members at the same place, or steps that no longer advance the time). */
enum hb_status hb_chain_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                uint64_t *forces);

/* Whether so many steps, of which the last ended at t, will not end at dt: each takes a microsecond or more. */
static inline int hb_chain_is_endless(size_t steps, double t, double dt)
{
  enum { SOME = 4096 };
  return steps > SOME && t < (double)steps * 0x1p-28 * dt;
}

/* V and B in axes that turn about z with the angular speed W relative to those that they were in. */
void hb_chain_turn(struct hb_chain *chain, double W);

/* Whether two bodies of mass M together came nearer than `reach` in a time dt, from x0 v0 apart to x1 v1: at the end, or by
 * the pericenter of their orbit if they have passed it. */
int hb_chain_touches(double M, double reach, double dt, const double x0[3], const double v0[3],
                     const double x1[3], const double v1[3]);

/* Which member member[k] is by number, whatever the order of the chain. Members k and l have met; whether they have. */
void hb_chain_meet(struct hb_chain *chain, size_t k, size_t l);
int hb_chain_have_met(const struct hb_chain *chain, size_t k, size_t l);

/* x[3 * n], v[3 * n] of the members relative to their center of mass. */
void hb_chain_places(const struct hb_chain *chain, double *x, double *v);

/* The chain as at most n points, relative to its center: those of its parts that are linked by less than `least` are one, and move
 * as the members' pulls make them. */
size_t hb_chain_parts(const struct hb_chain *chain, double least, struct hb_chain_point *point);

/* The chain's total mass. */
double hb_chain_mass(const struct hb_chain *chain);

/* 2 a of a pair; INFINITY if it is unbound. */
double hb_chain_span(const struct hb_chain *chain);

/* Sets w. */
void hb_chain_weigh(struct hb_chain *chain);

/* The members first .. first + n - 1 as a chain of their own. */
void hb_chain_part(const struct hb_chain *chain, size_t first, size_t n, struct hb_chain *part);

/* U - T from the links alone, B but for errors of the integration; and the energy, of those with mass. */
double hb_chain_binding(const struct hb_chain *chain);
double hb_chain_energy(const struct hb_chain *chain);

/* ---- what its members do to each other ---- */

/* Rows of the extrapolation. */
enum { HB_CHAIN_ROWS_LEAST = 5, HB_CHAIN_ROWS_FIRST = 7, HB_CHAIN_ROWS_MOST = 10 };

struct hb_chain_pulls {
  double U; /* sum m m / r, see hb_chain_product */
  double a[HB_CHAIN_MOST][3];
};

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

/* T in the frame of the center of mass. */
double hb_chain_kinetic(const struct hb_chain *chain, const double V[][3]);

/* The largest of |V| / |X| and (m / |X|^3)^(1/2) of all links: 1 / the time in which the chain changes. */
double hb_chain_rate(size_t n, const double *m, const double X[][3], const double V[][3]);

/* Whether anything outside pulls at the members. */
static inline int hb_chain_is_pulled(const struct hb_chain_tide *tide)
{
  return tide->count > 0 || tide->field || tide->tensor;
}

/* q[n] about z by this angle, with the same bits everywhere. */
void hb_chain_rotate(size_t n, double angle, double q[][3]);

/* ---- a bound pair that others hardly disturb: Kepler's orbit ---- */

/* Whether this is such a pair: n = 2, bound, and tides below 1 / 100 of what holds it together. tide is nullable. */
int hb_kepler_suits(const struct hb_chain *chain, const struct hb_chain_tide *tide);

/* As hb_chain_advance, of a chain that suits. ds and rows stay. */
enum hb_status hb_kepler_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                 uint64_t *forces);

/* X of a bound pair at `count` places of its orbit, equally far apart in the eccentric anomaly, and the parts of the time that
 * belong to them: sums over these are means over the orbit, of products of up to count - 2 components of X. */
void hb_kepler_places(const struct hb_chain *chain, size_t count, double X[][3], double *part);

#endif
