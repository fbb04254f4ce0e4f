#include "run/run_stop.h"

#include "console/opts.h"
#include "console/terminal.h"

#include <inttypes.h>
#include <stdio.h>

int hb_run_stop_has_bodies(const struct hb_run_settings *s)
{
  const struct hb_sim_params *p = &s->sim;
  return p->collisions != HB_COLLISIONS_NONE || p->escapers != HB_ESCAPERS_NONE ||
         p->stop_at == HB_STOP_AT_COLLISION || p->stop_at == HB_STOP_AT_ESCAPE;
}

static void say(const struct hb_run *run, const struct hb_event *event)
{
  char line[256], t[32];
  hb_text_shortest(run->t, t);
  int length = snprintf(line, sizeof line, "stopped at t = %s by an event, %s, of particle%s", t,
                        hb_event_names[event->kind], event->n > 1 ? "s" : "");
  for (size_t k = 0; k < event->n && length < (int)sizeof line - 24; k++)
    length += snprintf(line + length, sizeof line - (size_t)length, " %" PRIu64, event->id[k]);
  hb_terminal_note(line);
}

void hb_run_stop_check(struct hb_run *run)
{
  const struct hb_event *event = hb_sim_stopped(run->sim);
  if (!event) return;
  say(run, event);
  run->t_end = run->t;
  run->is_stopped = 1;
}
