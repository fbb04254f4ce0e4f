#include "run/run.h"

#include "base/mem.h"
#include "console/terminal.h"
#include "run/run_ranks.h"

#include <math.h>
#include <string.h>

void hb_run_begin(const struct hb_opts *opts, struct hb_run *run)
{
  const struct hb_run_settings *settings = opts->settings;
  *run = (struct hb_run){.asked = {*opts, *settings}};
  run->settings = run->asked.opts.settings = &run->asked.settings;
  hb_run_ranks_follow(&run->asked.settings);
}

void hb_run_close(struct hb_run *run)
{
  hb_run_rows_close(&run->diag.rows);
  hb_run_rows_close(&run->events);
  hb_sim_destroy(run->sim);
  hb_particles_destroy(run->initial);
  for (size_t k = 0; k < RUN_LOCK_COUNT; k++) hb_lock_release(&run->locks[k]);
  hb_mem_free(run->checkpoint.path.text);
  hb_mem_free(run->resumed.record.text);
  hb_mem_free(run->resumed.device.text);
}

/* The number of the first multiple of `every` after t. */
static double first_number(double t, double every) { return floor(t / every + 1e-9) + 1; }

void hb_run_set_up(struct hb_run *run, double t_begin)
{
  const struct hb_run_settings *s = run->settings;
  run->t = t_begin;
  run->t_end = s->t_end;
  run->time_tolerance = 1e-9 * s->sim.dt;
  run->diag_every = s->diag_every > 0 ? s->diag_every : s->sim.dt_max;
  run->snap_every = s->snap_every;
  run->diag_number = first_number(run->t, run->diag_every);
  run->snap_number = run->snap_every > 0 ? first_number(run->t, run->snap_every) : 0;

  struct hb_run_output *output = &run->output;
  int is_silent = s->quiet || (s->output && strcmp(s->output, "-") == 0);
  output->form = s->json ? HB_RUN_OUTPUT_JSON : is_silent ? HB_RUN_OUTPUT_NONE : HB_RUN_OUTPUT_TABLE;
  output->has_bar = !s->quiet && !s->json && hb_terminal_is_live();
  run->appended[RUN_DIAG_ROWS].path = s->diag;
  run->appended[RUN_EVENTS_ROWS].path = s->events;
  run->appended[RUN_STDOUT].path = output->form == HB_RUN_OUTPUT_NONE ? NULL : "-";
  output->t_begin = run->t;
  output->t_end = run->t_end;
}

/* ---- times ------------------------------------------------------------------------------------------- */

const char *hb_run_t_end(const struct hb_run *run)
{
  return hb_opts_text(&run->asked.opts, &run->settings->t_end);
}

/* Steps, rows and snapshots are counted from t = 0 in doubles, which skip numbers above 2^53. */
static enum hb_status check_count(const struct hb_run *run, const char *what, double every)
{
  static const double most = 0x1p53;
  char interval[32], t[32];
  hb_text_shortest(every, interval);
  hb_text_shortest(run->t, t);
  if (every > 0 && fabs(run->t) / every >= most)
    return hb_fail(HB_ERR_INPUT, "t = %s is too late for %s %s (expected fewer than 2^53 from t = 0 on)", t,
                   what, interval);
  if (every > 0 && fabs(run->t_end) / every >= most)
    return hb_fail(HB_ERR_USAGE,
                   "option --t-end: %s is too late for %s %s (expected fewer than 2^53 from t = 0 on)",
                   hb_run_t_end(run), what, interval);
  return HB_OK;
}

/* every 0: not given. */
static enum hb_status check_interval(const struct hb_run *run, const char *name, const double *every)
{
  double dt_min = run->settings->sim.dt_min;
  if (*every == 0 || *every >= dt_min) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --%s: %s is below the smallest step 2^%d", name,
                 hb_opts_typed(&run->asked.opts, every), ilogb(dt_min));
}

enum hb_status hb_run_check_times(const struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  HB_TRY(check_interval(run, "diag-every", &s->diag_every));
  HB_TRY(check_interval(run, "snap-every", &s->snap_every));
  HB_TRY(check_count(run, "steps of", s->sim.dt > 0 ? s->sim.dt : s->sim.dt_max));
  HB_TRY(check_count(run, "rows every", run->diag_every));
  return check_count(run, "snapshots every", run->snap_every);
}
