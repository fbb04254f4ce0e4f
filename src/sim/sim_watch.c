/* hb_sim_watch, hb_sim_events: what happens in a simulation. */
#include "sim/sim.h"
#include "force/force.h"
#include "gl/gl_context.h"
#include "step/integrator.h"

#include <math.h>

static const unsigned of_binaries = 1U << HB_EVENT_INITIAL | 1U << HB_EVENT_FORMED | 1U << HB_EVENT_HARDENED |
                                    1U << HB_EVENT_EXCHANGED | 1U << HB_EVENT_BROKEN;

static double time_of(const struct hb_sim *sim) { return sim->integrator->time(sim->state); }

static enum hb_status look(struct hb_sim *sim, enum hb_event_kind kind)
{
  struct hb_state_view view;
  enum hb_status status = hb_state_view_open(sim->integrator, sim->state, time_of(sim), &view);
  if (status == HB_OK) status = hb_binary_watch_look(&sim->binaries, &view.at, sim->eps2, kind, &sim->events);
  hb_state_view_close(&view);
  return status;
}

static void follow(struct hb_sim *sim)
{
  if (sim->integrator->report) sim->integrator->report(sim->state, &sim->events);
}

enum hb_status hb_sim_watch(struct hb_sim *sim, unsigned kinds)
{
  HB_GL_VISIT;
  int is_anew = kinds >> HB_EVENT_INITIAL & 1;
  int begins = is_anew || ((kinds & of_binaries) && !(sim->events.kinds & of_binaries));
  if (begins && hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "binaries are found by gravity, and this interaction is not gravity");
  if (is_anew) hb_binary_watch_clear(&sim->binaries);
  sim->events.kinds |= kinds;
  follow(sim);
  return begins ? look(sim, HB_EVENT_INITIAL) : HB_OK;
}

const struct hb_event *hb_sim_events(const struct hb_sim *sim, size_t *count)
{
  *count = sim->events.count;
  return sim->events.at;
}

enum hb_status hb_sim_look(struct hb_sim *sim, double t)
{
  double every = 2 * sim->params.dt_max; /* from 1024 stars on less than 2 % of the time of the steps */
  if (!(sim->events.kinds & of_binaries) || floor(time_of(sim) / every) == floor(t / every)) return HB_OK;
  return look(sim, HB_EVENT_FORMED);
}

enum hb_status hb_sim_put_watch(const struct hb_sim *sim, struct hb_sections *sections)
{
  const uint64_t kinds = sim->events.kinds;
  if (!kinds) return HB_OK;
  HB_TRY(hb_sections_put_copy(sections, "watch.kinds", HB_SECTION_WORDS, 1, &kinds));
  return hb_binary_watch_put(&sim->binaries, sections);
}

enum hb_status hb_sim_get_watch(const struct hb_sections *sections, struct hb_sim *sim)
{
  uint64_t kinds;
  if (!hb_sections_find(sections, "watch.kinds")) return HB_OK;
  HB_TRY(hb_sections_copy(sections, "watch.kinds", HB_SECTION_WORDS, 1, &kinds));
  if (kinds >> HB_EVENT_KINDS)
    return hb_fail(HB_ERR_INPUT, "section 'watch.kinds' has %llu, expected less than 2^%d",
                   (unsigned long long)kinds, HB_EVENT_KINDS);
  sim->events.kinds = (unsigned)kinds;
  follow(sim);
  return hb_binary_watch_get(sections, &sim->binaries);
}
