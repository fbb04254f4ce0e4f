/* How long a run will take, announced before it begins and once its pace is known. */
#include "base/clock.h"
#include "run/run.h"
#include "console/terminal.h"

#include <math.h>

/* No step is longer than dt_max, leapfrog's are all dt; the first step may show that it takes longer than that. */
void hb_run_announce(const struct hb_run *run)
{
  const struct hb_opts_value *dt = &run->values[RUN_DT];
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  double n = (double)counts.n, left = run->t_end - run->t, first = hb_sim_next_time(run->sim) - run->t;
  double least =
      hb_terminal_least_seconds(left / (dt->text ? dt->number : run->values[RUN_DT_MAX].number), n * n);
  double as_now = hb_terminal_least_seconds(left / first, n);
  hb_terminal_announce(as_now > 10 * least ? "about" : "at least", fmax(least, as_now), "");
}

void hb_run_watch_pace(struct hb_run *run)
{
  static const double ENOUGH_S = 10; /* for a pace */
  struct hb_run_pace *pace = &run->pace;
  if (pace->is_told || run->output.bar == HB_RUN_OUTPUT_BAR_ON || run->values[RUN_QUIET].given) return;
  double now = hb_clock_now();
  if (pace->began == 0) *pace = (struct hb_run_pace){.began = now, .t_begin = run->t};
  if (now - pace->began < ENOUGH_S) return;
  pace->is_told = 1;
  double done = (run->t - pace->t_begin) / (run->t_end - pace->t_begin);
  hb_terminal_announce("about", (now - pace->began) / done, "");
}
