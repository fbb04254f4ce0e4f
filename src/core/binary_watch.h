/* The binaries of a system from one look to the next: which have formed, hardened, exchanged a star or broken. */
#ifndef HB_BINARY_WATCH_H
#define HB_BINARY_WATCH_H

#include "core/events.h"
#include "core/particles.h"
#include "core/sections.h"

/* A binary that was hard once, and whose stars have been bound at every look since. */
struct hb_watched_binary {
  uint64_t id[2];
  double E;       /* when it was last told */
  uint32_t at[2]; /* where the particles were among those with mass: looked at first */
};

struct hb_binary_watch {
  struct hb_watched_binary *known; /* [count] of [capacity], by age */
  size_t count, capacity;
};

/* Looks at the particles and adds to events what has become of the binaries; a new one is told as `kind`. Particles are known
 * by their identities: between two looks they may move in their arrays, be added or removed. O(N log N). Errors:
 * HB_ERR_INTERNAL. */
enum hb_status hb_binary_watch_look(struct hb_binary_watch *watch, const struct hb_particles *particles,
                                    double eps2, enum hb_event_kind kind, struct hb_events *events);
void hb_binary_watch_clear(struct hb_binary_watch *watch);

/* Sections "watch.*" of a checkpoint, and back: all that the next look depends on. Errors: HB_ERR_INPUT,
 * HB_ERR_INTERNAL. */
enum hb_status hb_binary_watch_put(const struct hb_binary_watch *watch, struct hb_sections *sections);
enum hb_status hb_binary_watch_get(const struct hb_sections *sections, struct hb_binary_watch *watch);

#endif
