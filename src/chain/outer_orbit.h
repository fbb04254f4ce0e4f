/* Hierarchical systems: chains of three or more whose members form an orbit of two parts, each of which is a star, a bound pair or
 * such a hierarchy itself, and is small beside the distance of closest approach. Triples and quadruples of a cluster are mostly of this
 * kind. Their outer orbit can be treated as that of a pair: it has a size, a binding energy and a mean quadrupole. */
#ifndef HB_OUTER_ORBIT_H
#define HB_OUTER_ORBIT_H

#include "chain/chain.h"

/* The tide of one part on the other at the pericenter of the outer orbit, relative to what holds that part together at 2 a: a chain is
 * a hierarchy below the first number. Two nodes become one below the second. */
#define HB_OUTER_ORBIT_BELOW       0.1
#define HB_OUTER_ORBIT_FORMS_BELOW 0.03

/* A chain as an outer orbit of two parts. */
struct hb_outer_orbit {
  size_t link;             /* the link of the chain between the parts */
  struct hb_chain part[2]; /* the members before and after it */
  struct hb_chain outer;   /* a chain of two: the centers of mass of the parts */
  double span, pericenter; /* 2 a and the distance of closest approach of the outer orbit */
};

/* Finds the hierarchy of a chain. Returns 0 if there is none: fewer than three members, an unbound orbit, a tide above
 * HB_OUTER_ORBIT_BELOW, or a member without mass. */
int hb_outer_orbit_find(const struct hb_chain *c, struct hb_outer_orbit *h);

/* Returns the distance of closest approach of two bodies of total mass M, with the relative position x and velocity v. */
double hb_outer_orbit_pericenter(double M, const double x[3], const double v[3]);

/* Sets orbits[], at most HB_CHAIN_MOST - 1, to all orbits of a pair or a hierarchy, chains of two, the outermost first. Returns their number, 0 for any other chain. */
size_t hb_outer_orbit_list(const struct hb_chain *c, struct hb_chain *orbits);

/* Moves all orbits of a pair or a hierarchy by the time dt, as if they did not disturb each other. */
void hb_outer_orbit_drift(struct hb_chain *c, double dt);

#endif
