/* The main loop of a run: integrates and writes. */
#include "run/run.h"

#include "base/clock.h"
#include "base/mem.h"
#include "console/signals.h"
#include "console/target.h"
#include "run/run_checkpoint.h"
#include "run/run_notes.h"
#include "run/run_stop.h"
#include "run/run_targets.h"
#include "run/run_watch.h"

#include <math.h>

/* ---- output ------------------------------------------------------------------------------------------ */

static enum hb_status write_state(struct hb_run *run, double t, const char *path)
{
  struct hb_particles *state = NULL;
  HB_TRY(hb_run_may_replace(run, path));
  enum hb_status status = hb_sim_state(run->sim, t, &state);
  if (status == HB_OK) status = hb_run_note_all(run, state);
  if (status == HB_OK) status = hb_target_write(path, run->settings->format, state);
  hb_particles_destroy(state);
  return status;
}

static enum hb_status write_series(struct hb_run *run)
{
  struct hb_text name = {0};
  enum hb_status status = hb_target_series(run->settings->output, ++run->written, &name);
  if (status == HB_OK) status = write_state(run, run->t, name.text);
  hb_mem_free(name.text);
  return status;
}

/* Losing the reader of the table ends a run without another result; a run with -o continues for its file. But a resumable
 * run ends when its file of rows cannot grow: otherwise the row would be missing for good. */
static int needs_rows(const struct hb_run *run)
{
  const struct hb_appended *rows = &run->appended[RUN_STDOUT];
  if (!run->settings->output) return 1;
  return run->checkpoint.path.text && rows->path && hb_appended_is_file(rows);
}

static enum hb_status diagnose(struct hb_run *run)
{
  struct hb_diagnostics now;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  if (run->output.rows == 0) hb_run_output_begin(&run->output, &now, run->settings->sim.field != NULL);
  if (run->diag.rows.file) {
    double wall_s = hb_clock_now() - run->output.wall_begin;
    HB_TRY(hb_run_diag_row(&run->diag, run->sim, &run->output, &now, wall_s));
  }
  run->energy_error = fabs(hb_run_output_cluster_error(&run->output, &now));
  int is_last = run->t == run->t_end && !hb_run_energy_is_lost(run);
  enum hb_status status = hb_run_output_row(&run->output, run->sim, &now, is_last);
  HB_TRY(hb_run_judge_energy(run));
  return needs_rows(run) ? status : HB_OK;
}

/* ---- the run ----------------------------------------------------------------------------------------- */

/* The time number * every, or t_end if that is within rounding errors or earlier. */
static double due(const struct hb_run *run, double number, double every)
{
  double t = number * every;
  return t > run->t_end - 1e-9 * every ? run->t_end : t;
}

static enum hb_status advance(struct hb_run *run, double t)
{
  while (hb_sim_next_time(run->sim) <= t + run->time_tolerance) {
    run->t = hb_sim_next_time(run->sim);
    HB_TRY(hb_sim_step(run->sim));
    HB_TRY(hb_run_events_put(&run->events, run->sim, &run->output.units));
    hb_run_stop_check(run);
    if (run->is_stopped) return HB_OK;
    hb_run_watch_steps(run);
    hb_run_watch_pace(run);
    hb_run_output_progress(&run->output, run->t);
    HB_TRY(hb_run_checkpoint_poll(run));
  }
  run->t = t;
  return HB_OK;
}

/* The first row, and a first checkpoint: a file that cannot be written fails now, not after hours. */
static enum hb_status begin(struct hb_run *run)
{
  run->output.wall_begin = hb_clock_now();
  hb_run_watch_steps(run);
  HB_TRY(diagnose(run));
  return hb_run_checkpoint_write(run);
}

enum hb_status hb_run_integrate(struct hb_run *run)
{
  int resumed = run->resumed.record.text != NULL;
  hb_signals_watch();
  if (!resumed) HB_TRY(begin(run));
  if (run->resumed.differs)
    HB_TRY(hb_run_checkpoint_write(run)); /* so that later its snapshots are recognized */
  /* checkpoints are written between block steps, before the output due at t; also at t_end */
  for (int more = resumed || run->t < run->t_end; more; more = run->t < run->t_end) {
    double t_diag = due(run, run->diag_number, run->diag_every);
    double t_snap = run->snap_every > 0 ? due(run, run->snap_number, run->snap_every) : INFINITY;
    HB_TRY(advance(run, t_snap < t_diag ? t_snap : t_diag));
    if (run->t == run->t_end) HB_TRY(hb_run_checkpoint_write(run));
    if (run->t == t_diag || run->is_stopped) {
      run->diag_number += run->t == t_diag;
      HB_TRY(diagnose(run));
    }
    if (run->t == t_snap) {
      int on_time = run->snap_number * run->snap_every < run->t_end + 1e-9 * run->snap_every;
      run->snap_number++;
      if (on_time) HB_TRY(write_series(run));
    }
    if (run->t < run->t_end) HB_TRY(hb_run_checkpoint_poll(run)); /* a step may have many rows */
  }
  const char *path = run->settings->output;
  if (path) HB_TRY(write_state(run, run->t_end, path));
  return hb_run_judge_end(run);
}
