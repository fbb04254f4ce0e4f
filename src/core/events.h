/* What has happened in the last step of a simulation: a list that the parts of the engine add to, and that whoever watches
 * reads after each step. It is empty between a step's reading and the next one, so no checkpoint holds it. */
#ifndef HB_EVENTS_H
#define HB_EVENTS_H

#include "base/status.h"
#include "core/orbit.h"

#include <holmberg/diagnostics.h>

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

#endif
