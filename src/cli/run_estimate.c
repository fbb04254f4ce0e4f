/* How long a run will take, said before it begins and once its pace is known. */
#include "base/clock.h"
#include "cli/run.h"
#include "cli/terminal.h"

#include <math.h>

/* Above this a double does not count any more. */
static const double COUNT_MOST = 0x1p53;

static enum hb_status check_count(const struct hb_run *run, int option, double every, const char *what)
{
  double count = (run->t_end - run->t) / every;
  if (count <= COUNT_MOST) return HB_OK;
  char step[32];
  hb_opts_shortest(every, step);
  return hb_fail(HB_ERR_USAGE,
                 "option --%s: from t = %g to %g there are %.2g %s of %s (expected at most 2^53)",
                 hb_run_options[option].name, run->t, run->t_end, count, what, step);
}

enum hb_status hb_run_check_counts(const struct hb_run *run)
{
  const struct hb_opts_value *values = run->values;
  int is_leapfrog = values[RUN_DT].text != NULL;
  HB_TRY(is_leapfrog ? check_count(run, RUN_DT, values[RUN_DT].number, "steps")
                     : check_count(run, RUN_T_END, values[RUN_DT_MAX].number, "steps"));
  HB_TRY(
      check_count(run, values[RUN_DIAG_EVERY].given ? RUN_DIAG_EVERY : RUN_T_END, run->diag_every, "rows"));
  return run->snap_every > 0 ? check_count(run, RUN_SNAP_EVERY, run->snap_every, "snapshots") : HB_OK;
}

void hb_run_announce(const struct hb_run *run)
{
  const struct hb_opts_value *dt = &run->values[RUN_DT];
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  double steps = (run->t_end - run->t) / (dt->text ? dt->number : run->values[RUN_DT_MAX].number);
  hb_terminal_announce("at least", hb_terminal_least_seconds(steps, (double)counts.n * (double)counts.n), "");
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
