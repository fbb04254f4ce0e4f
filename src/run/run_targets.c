/* What a run may write to: only one run writes to a file at a time, and a resumed run touches no file but its own. A
 * checkpoint may come from anywhere, so the names in it prove nothing. An existing file is accepted if
 *   the user names it now, with --resume;
 *   -o: it is the one that the user's -o found, unchanged (the checkpoint records device, inode and checksum);
 *   -o, series: it is a snapshot of the same masses (unless bodies merge or escape) by a run with these very options, left by a run that was killed after
 *   its last checkpoint, or by a finished one;
 *   --diag, --events: it is the file of the checkpoint's rows, by device and inode, and begins with them. */
#include "run/run_targets.h"

#include "base/file.h"
#include "base/mem.h"
#include "console/target.h"
#include "run/run_notes.h"

#include <string.h>
#include <sys/stat.h>

enum hb_status hb_run_lock(struct hb_run *run, enum hb_run_lock which, const char *path)
{
  if (!path || strcmp(path, "-") == 0) return HB_OK;
  HB_TRY(hb_lock_take(path, &run->locks[which]));
  if (run->settings->resume) hb_file_sweep(path);
  return HB_OK;
}

static int is_there(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

void hb_run_remember_output(struct hb_run *run)
{
  const char *path = run->settings->output;
  run->found = (struct hb_appended){.path = path};
  if (path && strcmp(path, "-") != 0 && is_there(path))
    hb_appended_mark(&run->found); /* if this fails, the file will not be recognized */
}

/* ---- snapshots of a resumed run's own ---------------------------------------------------------------- */

static int same_note(const struct hb_particles *a, const struct hb_particles *b, const char *key)
{
  const char *of_a = hb_particles_note(a, key), *of_b = hb_particles_note(b, key);
  return of_a && of_b && strcmp(of_a, of_b) == 0;
}

/* Masses are the same throughout a run, unless bodies merge or escape. */
static int is_of_run(const struct hb_run *run, struct hb_particles *there, struct hb_particles *own)
{
  size_t n = hb_particles_n(own);
  int same_masses =
      run->diag.has_bodies || (hb_particles_n(there) == n &&
                               memcmp(hb_particles_m(there), hb_particles_m(own), n * sizeof(double)) == 0);
  return same_masses && same_note(there, own, "history") && same_note(there, own, "options");
}

/* The notes of the checkpoint's run: its --t-end may differ. */
static enum hb_status note_as_then(struct hb_run *run, struct hb_particles *state)
{
  struct hb_run_asked now = run->asked;
  run->asked = run->resumed.then;
  enum hb_status status = hb_run_note_resumed(run, state);
  run->asked = now;
  return status;
}

static enum hb_status look_for_own(struct hb_run *run, const char *path, int *is_own)
{
  struct hb_particles *own = NULL, *there = NULL;
  enum hb_status status = hb_sim_state(run->sim, run->t, &own);
  for (int then = 0; then < 2 && status == HB_OK && !*is_own; then++) {
    status = then ? note_as_then(run, own) : hb_run_note_resumed(run, own);
    if (status != HB_OK || (!there && hb_snapshot_read(path, run->settings->format, &there) != HB_OK)) break;
    *is_own = is_of_run(run, there, own);
  }
  hb_particles_destroy(own);
  hb_particles_destroy(there);
  return status;
}

enum hb_status hb_run_may_replace(struct hb_run *run, const char *path)
{
  const struct hb_run_resumed *resumed = &run->resumed;
  if (!resumed->record.text || resumed->names_output || strcmp(path, "-") == 0 || !is_there(path))
    return HB_OK;
  HB_TRY(hb_file_check(path));
  const struct hb_appended *found = &run->found;
  if (found->path && strcmp(found->path, path) == 0 && hb_appended_is_unchanged(found)) return HB_OK;
  int is_own = 0;
  HB_TRY(look_for_own(run, path, &is_own));
  if (is_own) return HB_OK;
  return hb_fail(HB_ERR_IO,
                 "cannot write %s: it exists and this run did not write it; give -o again to replace it",
                 path);
}

/* The snapshots that the run wrote after its checkpoint are numbered without a gap. */
static enum hb_status check_series(struct hb_run *run)
{
  enum hb_status status = HB_OK;
  for (unsigned long k = run->written + 1; status == HB_OK; k++) {
    struct hb_text name = {0};
    status = hb_target_series(run->settings->output, k, &name);
    int more = status == HB_OK && is_there(name.text);
    if (more) status = hb_run_may_replace(run, name.text);
    hb_mem_free(name.text);
    if (!more) break;
  }
  return status;
}

enum hb_status hb_run_check_targets(struct hb_run *run)
{
  const char *path = run->settings->output;
  if (!path || run->resumed.names_output) return hb_run_remember_output(run), HB_OK;
  HB_TRY(hb_run_may_replace(run, path));
  hb_run_remember_output(run); /* recognized by its notes, which --t-end changes */
  return run->snap_every > 0 ? check_series(run) : HB_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static enum hb_status append_to(const struct hb_appended *marked, struct hb_run_rows *rows)
{
  HB_TRY(hb_appended_cut(marked));
  return hb_run_rows_open(marked->path, 1, rows);
}

static enum hb_status resume_file(struct hb_run *run, enum hb_run_appended which, const char *option,
                                  struct hb_run_rows *rows)
{
  const struct hb_appended *marked = &run->appended[which];
  int is_named = run->resumed.names[which];
  if (!marked->path) return HB_OK;
  int is_marked = hb_appended_is_marked(marked), there = is_there(marked->path);
  if (is_marked) return append_to(marked, rows);
  if (!is_named && there)
    return hb_fail(HB_ERR_IO,
                   "cannot write %s: it is not the file that the run wrote; give %s again to continue it",
                   marked->path, option);
  if (!is_named)
    return hb_fail(HB_ERR_IO, "%s no longer exists; give %s again to start a new one", marked->path, option);
  int is_copy = there && marked->length > 0 && run->resumed.same[which];
  return is_copy ? append_to(marked, rows) : hb_run_rows_open(marked->path, 0, rows);
}

enum hb_status hb_run_resume_rows(struct hb_run *run)
{
  struct hb_sim_counts counts;
  hb_sim_counts(run->sim, &counts);
  run->diag.n = counts.n + counts.merged; /* as at the beginning, for the same columns */
  if (run->settings->sim.escapers == HB_ESCAPERS_REMOVE) run->diag.n += counts.escaped;
  HB_TRY(resume_file(run, RUN_DIAG_ROWS, "--diag", &run->diag.rows)); /* first, since it may fail */
  HB_TRY(resume_file(run, RUN_EVENTS_ROWS, "--events", &run->events));
  if (run->events.file && run->events.rows == 0) hb_run_events_note(run->settings, "--events");
  if (run->events.file) HB_TRY(hb_run_events_begin(&run->events, run->sim, &run->output.units));
  return hb_appended_cut(&run->appended[RUN_STDOUT]);
}
