/* Contacts and approaches: the first time at which two bodies with radii touch on a path, and the nearest points of a path. A path is
 * known exactly, but each of its points costs an integration; between two of them it is a cubic (Hermite's), whose error is measured
 * where it matters. What becomes of bodies that touch, such as a merger, is the caller's decision. */
#ifndef HB_CONTACT_H
#define HB_CONTACT_H

#include "base/status.h"
#include "chain/chain.h"

/* A point of a path: the time and the separation at the parameter u, and the derivative of the separation with respect to u. */
struct hb_contact_point {
  double u, t, x[3], d[3];
};

/* A path from one point to another one. */
struct hb_contact_path {
  struct hb_contact_point from, to;
  void (*find)(void *context, double u, struct hb_contact_point *point); /* sets the point at u */
  void *context;
};

/* Finds the first point of a path at which a separation that was larger becomes `reach`. Its separation is at most that, and less by
 * no more than 1e-10 of it. Returns 0 if there is none. */
int hb_contact_find(const struct hb_contact_path *path, double reach, struct hb_contact_point *at);

/* Finds the first point of a path at which the separation has a minimum below `within`. Returns 0 if there is none. */
int hb_contact_find_nearest(const struct hb_contact_path *path, double within, struct hb_contact_point *at);

/* A contact or a nearest approach of two members of a chain in an advance. */
struct hb_contact {
  uint32_t member[2]; /* the caller's numbers */
  int is_approach;
  double t, r;       /* time since the start of the advance, separation then */
  double x[3], v[3]; /* position and velocity of the second member relative to the first one */
};

/* The contacts and approaches that an advance of a chain looks for. All zeros: none. */
struct hb_contact_criteria {
  const double *radius;    /* of members, by their numbers */
  int finds_touches;       /* whether pairs come nearer than the sum of their radii */
  double within, in_radii; /* approaches nearer than that, or than that many sums of radii; 0: none */
};

/* The contacts and approaches of an advance: the first of each pair, in the order in which they were found. The caller
 * frees `at`. */
struct hb_contacts {
  struct hb_contact_criteria criteria;
  struct hb_contact *at; /* [count] of [capacity] */
  size_t count, capacity;
};

/* True if any contacts or approaches are looked for. */
int hb_contact_is_watched(const struct hb_contact_criteria *criteria);

/* Returns the separation at which two members touch; 0 if that is not looked for. */
double hb_contact_reach(const struct hb_contact_criteria *criteria, uint32_t i, uint32_t k);

/* Returns the separation below which an approach of two members is looked for; 0 if it is not. */
double hb_contact_within(const struct hb_contact_criteria *criteria, uint32_t i, uint32_t k);

/* Adds what happened to a pair, unless the same is there already. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_contacts_add(struct hb_contacts *contacts, const struct hb_contact *contact);

#endif
