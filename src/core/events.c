#include "core/events.h"

#include "base/mem.h"

const char *const hb_event_names[] = {"initial",   "formed",    "hardened", "exchanged", "broken",
                                      "encounter", "collision", "escape",   NULL};

enum hb_status hb_events_add(struct hb_events *events, const struct hb_event *event)
{
  if (!events || !(events->kinds >> event->kind & 1)) return HB_OK;
  HB_TRY(HB_GROW(events->count, &events->capacity, &events->at));
  events->at[events->count++] = *event;
  return HB_OK;
}

struct hb_event hb_event_of(enum hb_event_kind kind, double t, uint64_t id1, uint64_t id2,
                            const struct hb_orbit *orbit)
{
  return (struct hb_event){
      .kind = kind, .t = t, .n = 2, .id = {id1, id2}, .a = orbit->a, .e = orbit->e, .E = orbit->E};
}
