/* Two bodies that orbit each other: their orbit, hard binaries, and systems of more than two. And events, which say so. */
#ifndef HB_BINARIES_H
#define HB_BINARIES_H

#include "base/status.h"
#include "base/text.h"
#include "core/particles.h"

#include <holmberg/diagnostics.h>

/* G = 1. Unbound: a < 0, e > 1. */
struct hb_orbit {
  double a, e;     /* -m1 m2 / (2 E), and by the eccentricity vector (v x (r x v)) / (m1 + m2) - r / |r| */
  double E, e_kin; /* the energy mu v^2 / 2 - m1 m2 / sqrt(r^2 + eps2), and its kinetic part */
};

/* r[3] and v[3] are those of 2 relative to 1. If one has no mass E is 0; without any a and e are NaN, too. */
struct hb_orbit hb_orbit_of(double m1, double m2, const double r[3], const double v[3], double eps2);

/* The same of i and j of particles m[], x[3 *] and v[3 *]. */
struct hb_orbit hb_orbit_of_pair(const double *m, const double *x, const double *v, double eps2, size_t i,
                                 size_t j);

/* ---- events ---- */

/* What has happened in the last step of a simulation: a list that the parts of the engine add to, and that whoever watches
 * reads after each step. It is empty between a step's reading and the next one, so no checkpoint holds it. */

struct hb_events {
  unsigned kinds; /* 1u << kind of those that are watched */
  struct hb_event *at;
  size_t count, capacity;
};

/* Adds one, unless events is NULL or nobody watches its kind. Call it from one thread, in an order that follows from the
 * state. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_events_add(struct hb_events *events, const struct hb_event *event);

/* An event of two particles. */
struct hb_event hb_event_of(enum hb_event_kind kind, double t, uint64_t id1, uint64_t id2,
                            const struct hb_orbit *orbit);

/* ---- hard binaries ---- */

/* Hard binaries: pairs with a binding energy above the kinetic energies around them, which encounters harden further
 * [Heggie 1975, MNRAS 173, 729]. In a system that is colder than in equilibrium half of the potential energies takes their
 * place, where those are known: neighbors at rest are not binaries. */

struct hb_binary {
  struct hb_orbit orbit; /* -E is the binding energy */
  uint32_t i, j;
};

/* Of particles that all have mass. Candidates are they and their nearest neighbors, nearest[n] (UINT32_MAX: none). The binding energy of a
 * pair is E_b = m1 m2 / sqrt(r^2 + eps2) - mu v^2 / 2 with mu = m1 m2 / (m1 + m2); a particle belongs to the tightest
 * pair it is in. A bound pair is hard if E_b exceeds the mean kinetic energy of the stars about the center of mass of all, or
 * half of minus their mean potential energy (e_pot is that of all; NaN: not known) if that is larger; bound pairs count as
 * one star each: *hard_above. Leaves the pairs, the tightest first, the first *hard of which are hard; free *pairs in any case.
 * Errors: HB_ERR_INTERNAL. */
enum hb_status hb_binaries_list(const struct hb_particles *particles, double eps2, const uint32_t *nearest,
                                double e_pot, struct hb_binary **pairs, size_t *hard, double *hard_above);

/* ---- pairs of pairs ---- */

/* Binaries, triples and what else is bound within a system: pairs, and pairs of what these are. */

/* Two parts that orbit each other. A part is a particle, if its number is below n, or the orbit with number - n. */
struct hb_hierarchy_orbit {
  uint32_t part[2];
  double m[2];
  size_t stars; /* of both together */
  int is_inner; /* 1: it is part of another one */
  struct hb_orbit orbit;
  double period;
};

struct hb_hierarchy {
  size_t n;                      /* particles */
  struct hb_hierarchy_orbit *at; /* [count] inner ones before those that they are part of */
  size_t count, capacity;
  struct hb_particles *systems; /* particles with mass and centers of mass that are part of nothing */
  uint32_t *part;               /* [systems->n] which part each of these is */
};

/* Hard binaries (binaries.h), then those among the remaining particles and the binaries' centers of mass, and so on. Test
 * particles are part of nothing.
 * hb_hierarchy_clear is needed after a failure, too. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hierarchy_find(const struct hb_particles *particles, double eps2,
                                 struct hb_hierarchy *hierarchy);
void hb_hierarchy_clear(struct hb_hierarchy *hierarchy);

/* Appends the identities of a part, like "7" or "((3 4) 9)". */
enum hb_status hb_hierarchy_name(const struct hb_hierarchy *hierarchy, const struct hb_particles *particles,
                                 uint32_t part, struct hb_text *name);

#endif
