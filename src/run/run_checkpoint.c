#include "run/run_checkpoint.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "console/signals.h"
#include "console/target.h"
#include "console/terminal.h"
#include "run/run_ranks.h"
#include "run/run_record.h"
#include "run/run_targets.h"

#include <holmberg/checkpoint.h>

#include <string.h>
#include <unistd.h>

/* ---- options ---- */

static enum hb_status check_options(const struct hb_run *run, const char *path)
{
  const struct hb_run_settings *s = run->settings;
  if (!path && hb_opts_typed(&run->asked.opts, &s->checkpoint_every_s))
    return hb_fail(HB_ERR_USAGE, "option --checkpoint-every needs --checkpoint FILE");
  if (!path && s->max_s > 0) return hb_fail(HB_ERR_USAGE, "option --max-hours needs --checkpoint FILE");
  if (!path) return HB_OK;
  if (strcmp(path, "-") == 0)
    return hb_fail(HB_ERR_USAGE, "option --checkpoint: '-' is not a file that can be replaced");
  const char *const others[][2] = {{"-o", s->output}, {"--diag", s->diag}, {"--events", s->events}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (others[k][1] && strcmp(path, others[k][1]) == 0)
      return hb_fail(HB_ERR_USAGE, "options --checkpoint and %s both name %s", others[k][0], path);
  return hb_target_check(path, "text"); /* any format: the extension does not matter */
}

/* Otherwise a new run would overwrite at its start the hours of another one. */
static enum hb_status check_absent(const char *path)
{
  struct hb_text previous = {0};
  HB_TRY(hb_text_append(&previous, "%s~", path));
  const char *existing = access(path, F_OK) == 0            ? path
                         : access(previous.text, F_OK) == 0 ? previous.text
                                                            : NULL;
  enum hb_status status = HB_OK;
  if (existing)
    status = hb_fail(HB_ERR_USAGE,
                     "option --checkpoint: %s already exists; continue it with --resume %s, or remove it",
                     existing, path);
  hb_mem_free(previous.text);
  return status;
}

/* A resumed run that continues its own checkpoint has set the path. */
enum hb_status hb_run_checkpoint_open(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  const char *path = c->path.text ? c->path.text : run->settings->checkpoint;
  c->began = c->written = hb_clock_now();
  if (hb_ranks_number() > 0) return HB_OK;
  HB_TRY(check_options(run, path));
  if (!path || c->path.text) return HB_OK;
  HB_TRY(hb_run_lock(run, RUN_LOCK_CHECKPOINT, path));
  HB_TRY(check_absent(path));
  return hb_text_append(&c->path, "%s", path);
}

/* ---- writing ---- */

enum hb_status hb_run_checkpoint_write(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (!c->path.text) return HB_OK;
  hb_terminal_flush(); /* a failure was reported with the row */
  for (size_t k = 0; k < RUN_APPENDED_COUNT; k++)
    if (run->appended[k].path) HB_TRY(hb_appended_mark(&run->appended[k]));
  struct hb_text record = {0};
  enum hb_status status = hb_run_record_write(run, &record);
  if (status == HB_OK) status = hb_sim_save(run->sim, c->path.text, record.text, record.length, c->flags);
  hb_mem_free(record.text);
  if (status == HB_OK) c->flags = HB_SAVE_KEEP;
  c->written = hb_clock_now();
  return status;
}

static enum hb_status stopped(const struct hb_run *run, const char *by)
{
  char t[32];
  const char *path = run->checkpoint.path.text;
  hb_text_shortest(run->t, t);
  if (!path)
    return hb_fail(HB_ERR_STOPPED, "stopped by %s at t = %s; without --checkpoint nothing was saved", by, t);
  return hb_fail(HB_ERR_STOPPED, "stopped by %s at t = %s; to continue: holmberg run --resume %s", by, t,
                 path);
}

enum hb_status hb_run_checkpoint_poll(struct hb_run *run)
{
  const struct hb_run_checkpoint *c = &run->checkpoint;
  double now = hb_clock_now();
  const struct hb_run_settings *s = run->settings;
  const char *by = hb_signals_stop();
  if (!by && s->max_s > 0 && now - c->began > s->max_s) by = "--max-hours";
  HB_TRY(hb_run_ranks_stop(&by));
  int asked = hb_signals_asked();
  if (asked && !c->path.text) hb_terminal_note("SIGUSR1: without --checkpoint there is nothing to write");
  if (by || asked || now - c->written >= s->checkpoint_every_s) HB_TRY(hb_run_checkpoint_write(run));
  return by ? stopped(run, by) : HB_OK;
}
