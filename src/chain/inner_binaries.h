/* Inner binaries: close pairs within a chain of three or more that the other members hardly disturb. Followed member by member, a chain
 * would take hundreds of force evaluations for each revolution of its closest pair, for as long as the others need to do anything; a
 * pair with a period of 1e-8 would stop a whole cluster.
 *
 * While a chain is advanced, such a pair is therefore one point of it, a node, with the mean quadrupole and octupole of its orbit. The chain of nodes
 * is advanced like any other (bulirsch_stoer.c); after each of its steps the pairs follow by their mean orbits (mean_orbit.h), in the
 * tide of the other nodes and of everything outside. The state of a chain does not change: it is its members. Which pairs are nodes
 * follows from where the members are, in each advance anew. */
#ifndef HB_INNER_BINARIES_H
#define HB_INNER_BINARIES_H

#include "chain/mean_orbit.h"
#include "chain/octupole.h"

/* A node: a binary, or a single member. */
struct hb_inner_node {
  size_t n;                /* members, 1 or 2 */
  struct hb_chain members; /* a chain of these */
  struct hb_mean_orbit mean;
};

/* Mean quadrupole (quadrupole.h) and octupole (octupole.h) of a node. */
struct hb_inner_multipoles {
  double Q[6], T[HB_OCTUPOLE_PARTS];
};

/* Points outside a chain that pull at the multipoles of its nodes: at most this many, the first ones. */
enum { HB_INNER_PULLERS_MOST = 8 };

/* A chain as nodes, of which one or more are binaries. */
struct hb_inner_binaries {
  struct hb_chain chain; /* of nodes: a member is the number of a node */
  struct hb_inner_node node[HB_CHAIN_MOST];
  struct hb_inner_multipoles multipoles[HB_CHAIN_MOST]; /* of the nodes; 0 for single members */
  size_t pullers; /* points of the tide that pull noticeably at these, by number: */
  uint32_t puller[HB_INNER_PULLERS_MOST];
  double t;               /* time to which the binaries have been advanced, since the start of the advance, */
  struct hb_chain before; /* and the chain of nodes at that time */
  double B, B_nodes; /* binding energies at the start, of the members and of the nodes, those with mass; */
  double adjusted;   /* what was added to the latter that no force from outside did; */
  double
      wave; /* what the tides of everything outside have added to the binding energy of the binaries at their places, at the start; */
  double radiated; /* and the energy that post-Newtonian terms took from the binaries */
  int has_failed;  /* a binary has no mean orbit any longer */
};

/* Finds the binaries of a chain, at the time t of an advance: is_first[k] becomes 1 where members k and k + 1 are one. Returns their
 * number. */
size_t hb_inner_binaries_find(const struct hb_chain *c, const struct hb_chain_tide *tide, double t,
                              uint8_t is_first[HB_CHAIN_MOST]);

/* Makes the chain of nodes of a chain, for an advance that has come to the time t. Returns 0 if a pair has no mean orbit. */
int hb_inner_binaries_begin(const struct hb_chain *c, const struct hb_chain_tide *tide,
                            const uint8_t is_first[HB_CHAIN_MOST], double t, struct hb_inner_binaries *b);

/* Makes a chain of nodes without their mean orbits: positions and velocities of the members are kept in `b`. */
void hb_inner_binaries_make(const struct hb_chain *c, const uint8_t is_first[HB_CHAIN_MOST],
                            struct hb_inner_binaries *b);

/* Adds the pulls of the multipoles of all nodes, the chain of nodes being at X. */
void hb_inner_binaries_add_pulls(const struct hb_inner_binaries *b, const double X[][3],
                                 struct hb_chain_pulls *pulls);

/* Adds to the accelerations f[n] of the nodes, at X, what the points of the tide do to their multipoles at the time t, less the mean over
 * the masses. */
void hb_inner_binaries_add_tide(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide,
                                const double X[][3], double t, double f[][3]);

/* Advances the binaries to the time t, at which the chain of nodes is. */
void hb_inner_binaries_follow(struct hb_inner_binaries *b, const struct hb_chain_tide *tide, double t,
                              uint64_t *forces);

/* Sets everything that follows from where the nodes are and from the mean orbits of the binaries, both at the time t. */
void hb_inner_binaries_place(struct hb_inner_binaries *b, double t);

/* True if a binary is disturbed too much to be a node any longer. */
int hb_inner_binaries_have_broken(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide);

/* Returns the longest step of the chain of nodes: a part of the time in which another node moves by its distance from a binary, and of
 * that after which it may have come so near that the binary is no node any longer. */
double hb_inner_binaries_longest_step(const struct hb_inner_binaries *b, const struct hb_chain_tide *tide);

/* Sets the members of the chain from the nodes, with the binding energy that follows from that at the start and from the work of forces
 * from outside. Returns 0 if a binary has no mean orbit any longer, or would be unbound. */
int hb_inner_binaries_end(struct hb_inner_binaries *b, const struct hb_chain_tide *tide, struct hb_chain *c);

#endif
