/* What ends a simulation before its time. */
#include "sim/sim.h"

const char *const hb_stop_at_names[] = {"none", "collision", "pair", "escape", NULL};

enum hb_status hb_sim_complete_stop(struct hb_sim_params *p)
{
  if ((unsigned)p->stop_at > HB_STOP_AT_ESCAPE)
    return hb_fail(HB_ERR_USAGE, "what to stop at is %d, expected 0 to %d", (int)p->stop_at,
                   HB_STOP_AT_ESCAPE);
  if (p->stop_at == HB_STOP_AT_COLLISION && p->collisions == HB_COLLISIONS_NONE)
    p->collisions = HB_COLLISIONS_STOP;
  if (p->stop_at == HB_STOP_AT_ESCAPE && p->escapers == HB_ESCAPERS_NONE) p->escapers = HB_ESCAPERS_LIST;
  return HB_OK;
}

static unsigned awaited(const struct hb_sim_params *p)
{
  static const unsigned kinds[] = {[HB_STOP_AT_NONE] = 0,
                                   [HB_STOP_AT_COLLISION] = 1U << HB_EVENT_COLLISION,
                                   [HB_STOP_AT_PAIR] = 1U << HB_EVENT_FORMED | 1U << HB_EVENT_ENCOUNTER,
                                   [HB_STOP_AT_ESCAPE] = 1U << HB_EVENT_ESCAPE};
  return kinds[p->stop_at] | (p->collisions == HB_COLLISIONS_STOP ? 1U << HB_EVENT_COLLISION : 0);
}

enum hb_status hb_sim_watch_stop(struct hb_sim *sim)
{
  unsigned kinds = awaited(&sim->params);
  return kinds ? hb_sim_watch(sim, kinds) : HB_OK;
}

const struct hb_event *hb_sim_stopped(const struct hb_sim *sim)
{
  unsigned kinds = awaited(&sim->params);
  size_t count, k = 0;
  const struct hb_event *events = hb_sim_events(sim, &count);
  if (!kinds) return NULL;
  while (k < count && !(kinds & 1U << events[k].kind)) k++;
  return k < count ? events + k : NULL;
}
