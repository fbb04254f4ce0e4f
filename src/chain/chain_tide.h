/* Disturbances of a chain from outside: moving points, a tidal tensor and a field, and their accelerations of the members less that
 * of the center of mass. The caller collects them; for a star cluster that is groups/advance.c. Accelerations of the members by
 * each other are in chain.h. */
#ifndef HB_CHAIN_TIDE_H
#define HB_CHAIN_TIDE_H

#include "chain/chain.h"
#include "chain/contact.h"
#include "chain/lanes.h"
#include "core/field.h"

/* How bound pairs are advanced in a tide, see kepler.h. */
enum hb_chain_rules {
  HB_CHAIN_BY_SIZE,        /* on orbits that tides below 1 / 100 of the pair's own force change a little */
  HB_CHAIN_BY_PERTURBATION /* on orbits in tides of any strength, with fewer kicks */
};

/* A point that pulls at the members: mass, position, velocity, acceleration and jerk relative to the chain's center of mass, at the
 * start of the advance. At a time t after that it is at x + t (v + t / 2 (a + t / 3 j)). */
struct hb_chain_point {
  double m, x[3], v[3], a[3], j[3];
};

/* HB_LANES points side by side, component by component. Unused lanes have mass 0 and a valid position. */
struct hb_chain_points {
  double m[HB_LANES];
  double x[3][HB_LANES], v[3][HB_LANES], a[3][HB_LANES], j[3][HB_LANES];
};

/* Everything outside that one advance of a chain depends on. All zeros: nothing disturbs it. */
struct hb_chain_tide {
  enum hb_chain_rules rules;
  size_t count;                         /* of points */
  const struct hb_chain_points *points; /* [ceil(count / HB_LANES)], padded by hb_chain_tide_pad_points */
  const double
      *tensor;  /* [12] tidal tensor of more distant bodies as xx yy zz xy xz yz, and its rate; or NULL */
  double since; /* time from that of the tensor to the start of the advance */
  const struct hb_field *field; /* NULL: there is none, or its tide is too weak to matter */
  struct hb_chain_point
      center;  /* the center of mass in the field's coordinates, at the start of the advance */
  double turn; /* angular speed about z of the coordinates of chain and field; at the start they coincide
                                           with the axes at rest in which the chain is advanced */
  const double *radius; /* of members, by their numbers; NULL: none touches another one */
  const struct hb_contact_criteria
      *watch; /* which contacts and approaches are looked for in some advances; NULL: none */
  struct hb_contacts
      *contacts;   /* what is looked for in the advance, and what is found is added; NULL: nothing */
  double light;    /* speed of light, for the post-Newtonian terms of a pair; 0: none */
  double energy;   /* scale of the energy of the system around the chain; 0: unknown */
  int is_all;      /* nothing but the members exists */
  int follows_all; /* no pair is a node (inner_binaries.h): each revolution is followed, for comparisons */
};

/* Sets point k. */
void hb_chain_tide_set_point(struct hb_chain_points *points, size_t k, const struct hb_chain_point *p);

/* Reads point k. */
void hb_chain_tide_get_point(const struct hb_chain_points *points, size_t k, struct hb_chain_point *p);

/* Fills the unused lanes after `count` points were set. */
void hb_chain_tide_pad_points(struct hb_chain_points *points, size_t count);

/* Computes the accelerations f[n] of the members by everything outside, at positions X in place of the chain's, at a time t after the
 * start of the advance, less their mean over the masses. */
void hb_chain_tide_on_members(const struct hb_chain *c, const struct hb_chain_tide *tide, const double X[][3],
                              double t, double f[HB_CHAIN_MOST][3]);

/* Computes the accelerations f[2] of a pair by points and tensor, with their mean. The field is left out. */
void hb_chain_tide_on_pair(const struct hb_chain *c, const struct hb_chain_tide *tide, double t,
                           double f[2][3]);

/* The number of separations that hb_chain_tide_on_orbit takes at once. */
enum { HB_CHAIN_TIDE_PLACES = 2 * HB_LANES };

/* Computes the accelerations f of the second member of a pair relative to the first, by everything outside, at separations x in place
 * of the pair's, at a time t after the start of the advance. Arrays are by component. */
void hb_chain_tide_on_orbit(const struct hb_chain *pair, const struct hb_chain_tide *tide, double t,
                            double x[3][HB_CHAIN_TIDE_PLACES], double f[3][HB_CHAIN_TIDE_PLACES]);

/* Returns the tide on a bound pair, relative to what holds it together at a separation of 2 a. */
double hb_chain_tide_strength(const struct hb_chain *c, const struct hb_chain_tide *tide);

/* The largest number of points that hb_chain_tide_points_of sets: each bound pair of neighbors may be both members at four places of their
 * orbit. */
enum {
  HB_CHAIN_TIDE_ORBIT_PLACES = 4,
  HB_CHAIN_TIDE_POINTS_MOST = HB_CHAIN_TIDE_ORBIT_PLACES * HB_CHAIN_MOST
};

/* Describes the chain as points that disturb another chain, in point[HB_CHAIN_TIDE_POINTS_MOST], relative to its center of mass, for at
 * most the given time. Neighbors whose link is shorter than `least` become one point, and bound pairs whose mean anomaly grows by more than 1 in that time become
 * points at several places of their orbit, at rest relative to their center; accelerations and jerks are those by the members. Returns
 * the number of points. */
size_t hb_chain_tide_points_of(const struct hb_chain *c, double least, double time,
                               struct hb_chain_point *point);

#endif
