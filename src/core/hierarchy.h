/* Binaries, triples and what else is bound within a system: pairs, and pairs of what these are. */
#ifndef HB_HIERARCHY_H
#define HB_HIERARCHY_H

#include "base/text.h"
#include "core/binaries.h"

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

/* stars[n]: of the largest system that each particle is part of; 1: of none. */
void hb_hierarchy_stars(const struct hb_hierarchy *hierarchy, double *stars);

/* Appends the identities of a part, like "7" or "((3 4) 9)". */
enum hb_status hb_hierarchy_name(const struct hb_hierarchy *hierarchy, const struct hb_particles *particles,
                                 uint32_t part, struct hb_text *name);

#endif
