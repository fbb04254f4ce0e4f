#include "run/run_stop.h"

#include "console/opts.h"
#include "console/terminal.h"

#include <inttypes.h>
#include <stdio.h>

const char *const hb_run_stop_names[] = {"none", "collision", "pair", "escape", NULL};

void hb_run_stop_params(const struct hb_run_settings *s, struct hb_sim_params *params)
{
  if (s->stop_at == HB_RUN_STOP_COLLISION && params->collisions == HB_COLLISIONS_NONE)
    params->collisions = HB_COLLISIONS_STOP;
  if (s->stop_at == HB_RUN_STOP_ESCAPE && params->escapers == HB_ESCAPERS_NONE)
    params->escapers = HB_ESCAPERS_LIST;
}

int hb_run_stop_has_bodies(const struct hb_run_settings *s)
{
  struct hb_sim_params params = s->sim;
  hb_run_stop_params(s, &params);
  return params.collisions != HB_COLLISIONS_NONE || params.escapers != HB_ESCAPERS_NONE;
}

static unsigned awaited(const struct hb_run_settings *s)
{
  static const unsigned kinds[] = {[HB_RUN_STOP_NONE] = 0,
                                   [HB_RUN_STOP_COLLISION] = 1U << HB_EVENT_COLLISION,
                                   [HB_RUN_STOP_PAIR] = 1U << HB_EVENT_FORMED | 1U << HB_EVENT_ENCOUNTER,
                                   [HB_RUN_STOP_ESCAPE] = 1U << HB_EVENT_ESCAPE};
  return kinds[s->stop_at] | (s->sim.collisions == HB_COLLISIONS_STOP ? 1U << HB_EVENT_COLLISION : 0);
}

enum hb_status hb_run_stop_watch(const struct hb_run *run)
{
  unsigned kinds = awaited(run->settings);
  return kinds ? hb_sim_watch(run->sim, kinds) : HB_OK;
}

static void say(const struct hb_run *run, const struct hb_event *event)
{
  char line[256], t[32];
  hb_opts_shortest(run->t, t);
  int length = snprintf(line, sizeof line, "stopped at t = %s by an event, %s, of particle%s", t,
                        hb_event_names[event->kind], event->n > 1 ? "s" : "");
  for (size_t k = 0; k < event->n && length < (int)sizeof line - 24; k++)
    length += snprintf(line + length, sizeof line - (size_t)length, " %" PRIu64, event->id[k]);
  hb_terminal_note(line);
}

void hb_run_stop_check(struct hb_run *run)
{
  unsigned kinds = awaited(run->settings);
  size_t count;
  const struct hb_event *events = kinds ? hb_sim_events(run->sim, &count) : NULL;
  for (size_t k = 0; kinds && k < count; k++) {
    if (!(kinds & 1U << events[k].kind)) continue;
    say(run, events + k);
    run->t_end = run->t;
    run->is_stopped = 1;
    return;
  }
}
