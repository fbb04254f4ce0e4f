/* --resume: a run from its checkpoint, as if it had never stopped. */
#include "run/run.h"

#include "base/mem.h"
#include "base/ranks.h"
#include "console/terminal.h"
#include "run/run_checkpoint.h"
#include "run/run_notes.h"
#include "run/run_ranks.h"
#include "run/run_record.h"
#include "run/run_targets.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the file, or its other generation --------------------------------------------------------------- */

/* The name that a run writes to, from that of either generation. */
static enum hb_status name_of_newest(const char *path, struct hb_text *name)
{
  size_t length = strlen(path);
  if (length > 1 && path[length - 1] == '~') length--;
  return hb_text_append_bytes(name, path, length);
}

static enum hb_status name_of_other(const char *path, const char *newest, struct hb_text *name)
{
  return hb_text_append(name, "%s%s", newest, strcmp(path, newest) == 0 ? "~" : "");
}

/* Adds to the message of a failure that the other generation is intact, if it is. */
static enum hb_status offer(enum hb_status status, const char *which, const char *other)
{
  char sentence[1024];
  struct hb_checkpoint *checkpoint;
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  int is_intact = hb_checkpoint_open(other, &checkpoint) == HB_OK;
  hb_checkpoint_close(checkpoint);
  if (!is_intact) return hb_fail(status, "%s", sentence);
  return hb_fail(status, "%s; the %s checkpoint is intact: --resume %s", sentence, which, other);
}

/* Whether --checkpoint names another file than the run has written so far. */
static int goes_elsewhere(const struct hb_run_settings *given, const struct hb_run *run)
{
  const char *path = run->checkpoint.path.text;
  return path && given->checkpoint && strcmp(given->checkpoint, path) != 0;
}

/* Opens path and sets where the run writes checkpoints. A run that was killed between the two renames of a new checkpoint
 * has left only the older one; that is no damage, and it is used. */
static enum hb_status open_checkpoint(const struct hb_run_settings *given, struct hb_run *run,
                                      struct hb_checkpoint **checkpoint)
{
  const char *path = given->resume;
  struct hb_text *newest = &run->checkpoint.path, other = {0};
  HB_TRY(name_of_newest(path, newest));
  if (!goes_elsewhere(given, run)) HB_TRY(hb_run_lock(run, RUN_LOCK_CHECKPOINT, newest->text));
  HB_TRY(name_of_other(path, newest->text, &other));
  int is_newest = strcmp(path, newest->text) == 0;
  int is_gone = is_newest && access(path, F_OK) != 0 && access(other.text, F_OK) == 0;
  enum hb_status status = hb_checkpoint_open(is_gone ? other.text : path, checkpoint);
  if (status == HB_ERR_INPUT && !is_gone)
    status = offer(status, is_newest ? "previous" : "newer", other.text);
  if (status == HB_OK && is_gone) {
    char note[512];
    snprintf(note, sizeof note, "%s does not exist; resuming from %s", path, other.text);
    hb_terminal_note(note);
  }
  /* the other one may be damaged: then the next checkpoint replaces it, and this one stays */
  run->checkpoint.flags = is_newest && !is_gone ? HB_SAVE_KEEP : 0;
  hb_mem_free(other.text);
  return status;
}

/* ---- options ----------------------------------------------------------------------------------------- */

/* Times given now, by the units of the run; those in the checkpoint are N-body. */
static enum hb_status convert(struct hb_opts *given, const struct hb_checkpoint *checkpoint, int is_astro)
{
  struct hb_units units = {0};
  int are_known;
  if (!hb_opts_has_units(given, is_astro)) return HB_OK;
  HB_TRY(hb_checkpoint_units(checkpoint, &units, &are_known));
  return hb_opts_convert(given, NULL, &units, is_astro);
}

/* Makes the run's options from those of the checkpoint and those given now. */
static enum hb_status merge(const struct hb_opts *now, const struct hb_checkpoint *checkpoint,
                            struct hb_run *run)
{
  HB_TRY(hb_run_record_options(now->command, run));
  struct hb_opts *opts = &run->asked.opts, converted = *now, *given = &converted;
  HB_TRY(convert(given, checkpoint, run->settings->units == HB_ASTRO_ASTRO));
  run->resumed.then = run->asked;
  const struct hb_opts_option *option;
  for (size_t k = 0; (option = hb_opts_option_at(given->command, k)); k++) {
    if (!given->typed[k]) continue;
    const char *then = opts->typed[k] ? opts->typed[k] : option->fallback;
    int differs = !hb_opts_same(given, opts, k);
    if (differs && !(option->use & HB_OPTS_SHOWS)) run->resumed.differs = 1;
    if (differs && !(option->use & HB_OPTS_ON_RESUME))
      return hb_fail(HB_ERR_USAGE, "option --%s: '%s' differs from the checkpoint's run (%s); leave it out",
                     option->name, given->typed[k], then ? then : "none");
    hb_opts_copy(opts, given, k);
  }
  return HB_OK;
}

static enum hb_status take_progress(struct hb_run *run)
{
  hb_run_set_up(run, 0);
  HB_TRY(hb_run_record_progress(run));
  return hb_run_check_times(run);
}

/* ---- the simulation ---------------------------------------------------------------------------------- */

/* Only the same arithmetic gives the same bits: notes whatever has changed. */
static enum hb_status compare(const struct hb_checkpoint_info *info, struct hb_run *run)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  const char *const pairs[][2] = {{info->device, hb_force_device(force)},
                                  {info->context, hb_force_context(force)},
                                  {info->version, hb_library_version()}};
  int same_bits = hb_force_is_reproducible(hb_force_precision(force));
  char note[640], t[32];
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    if (strcmp(pairs[k][0], pairs[k][1]) == 0) continue;
    snprintf(note, sizeof note, "the checkpoint was written with %s, this is %s%s", pairs[k][0], pairs[k][1],
             same_bits ? "" : ": results may differ in the last bits");
    hb_terminal_note(note);
  }
  if (strcmp(info->device, hb_force_device(force)) == 0) return HB_OK;
  struct hb_text *device = &run->resumed.device;
  hb_text_shortest(run->t, t);
  if (!device->text) HB_TRY(hb_text_append(device, "%s", info->device));
  return hb_text_append(device, "; from t = %s on %s", t, hb_force_device(force));
}

/* Older checkpoints do not know what errors are compared with: from here on that is what it is now. The oldest have E0 in the
 * inertial frame. */
static enum hb_status take_energies(struct hb_run *run)
{
  struct hb_run_output *output = &run->output;
  struct hb_diagnostics now;
  if (!isnan(output->e_scale)) return HB_OK;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  double e_begin = output->e_begin - (run->resumed.is_oldest ? now.e_bulk : 0);
  hb_run_output_begin(output, &now, run->settings->sim.field != NULL);
  output->e_begin = e_begin;
  return HB_OK;
}

static enum hb_status resume_sim(const struct hb_run_settings *given, const struct hb_checkpoint *checkpoint,
                                 struct hb_run *run)
{
  const struct hb_run_settings *s = run->settings;
  const struct hb_force_params place = {.context = given->sim.force.context,
                                        .device = given->sim.force.device,
                                        .max_draw_s = s->sim.force.max_draw_s,
                                        .flags = (s->sim.force.flags & HB_FORCE_GL_DEBUG) |
                                                 (s->diag ? HB_FORCE_PHASES : 0U)};
  struct hb_checkpoint_info info;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_sim_resume(checkpoint, &place, &run->sim));
  HB_TRY(take_energies(run));
  return compare(&info, run);
}

/* An option that was not given now comes from the file, which then is to blame. */
static enum hb_status blame(enum hb_status status, const char *path, int is_given)
{
  if (status == HB_ERR_USAGE && !is_given) status = HB_ERR_INPUT;
  return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
}

/* The run and its simulation must be at the same time; leapfrog's step may be only in the snapshot's notes. */
static enum hb_status check_state(struct hb_run *run)
{
  struct hb_particles *state;
  enum hb_status status = hb_sim_state(run->sim, run->t, &state);
  if (status == HB_ERR_USAGE)
    return hb_fail(HB_ERR_INPUT, "its run is at t = %.17g, expected its state's time, %.17g to %.17g", run->t,
                   hb_sim_time(run->sim), hb_sim_next_time(run->sim));
  HB_TRY(status);
  status = hb_run_apply_notes(run, state);
  hb_particles_destroy(state);
  run->time_tolerance = 1e-9 * run->settings->sim.dt;
  if (status != HB_OK || run->t_end + run->time_tolerance >= run->t) return status;
  char t[32];
  hb_text_shortest(run->t, t);
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the checkpoint's time %s", hb_run_t_end(run), t);
}

/* Options and progress of the checkpoint, and what the run writes to. */
static enum hb_status prepare(const struct hb_opts *opts, const struct hb_checkpoint *checkpoint,
                              struct hb_run *run)
{
  size_t bytes;
  struct hb_checkpoint_info info;
  const void *own = hb_checkpoint_own(checkpoint, &bytes);
  const struct hb_run_settings *given = opts->settings, *s = run->settings;
  int names_t_end = hb_opts_typed(opts, &given->t_end) != NULL;
  run->resumed.names_output = given->output != NULL;
  run->resumed.names[RUN_DIAG_ROWS] = given->diag != NULL;
  run->resumed.names[RUN_EVENTS_ROWS] = given->events != NULL;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_text_append_bytes(&run->resumed.record, own, bytes));
  HB_TRY(blame(merge(opts, checkpoint, run), info.path, 1));
  hb_run_ranks_follow(&run->asked.settings);
  HB_TRY(blame(hb_run_check_integrator(&run->asked.opts, s), info.path, 0));
  HB_TRY(blame(take_progress(run), info.path, names_t_end));
  HB_TRY(blame(hb_run_check_output(s), info.path, given->output || given->format));
  if (s->diag) HB_TRY(blame(hb_run_rows_check(s->diag, "diagnostics"), info.path, given->diag != NULL));
  if (s->events) HB_TRY(blame(hb_run_rows_check(s->events, "events"), info.path, given->events != NULL));
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (goes_elsewhere(given, run)) {
    hb_mem_free(c->path.text);
    c->path = (struct hb_text){0};
    c->flags = 0;
  }
  HB_TRY(hb_run_checkpoint_open(run));
  HB_TRY(hb_run_lock(run, RUN_LOCK_OUTPUT, s->output));
  HB_TRY(hb_run_lock(run, RUN_LOCK_DIAG, s->diag));
  return hb_run_lock(run, RUN_LOCK_EVENTS, s->events);
}

static enum hb_status take_up(const struct hb_opts *opts, const struct hb_checkpoint *checkpoint,
                              struct hb_run *run)
{
  struct hb_checkpoint_info info;
  const struct hb_run_settings *given = opts->settings;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_ranks_agree(prepare(opts, checkpoint, run)));
  HB_TRY(resume_sim(given, checkpoint, run));
  HB_TRY(blame(check_state(run), info.path, hb_opts_typed(opts, &given->t_end) != NULL));
  HB_TRY(hb_run_check_targets(run));
  return blame(hb_run_resume_rows(run), info.path, 1);
}

enum hb_status hb_run_resume(const struct hb_opts *opts, struct hb_run *run)
{
  hb_run_begin(opts, run);
  if (opts->operand_count > 0)
    return hb_fail(HB_ERR_USAGE, "'holmberg run --resume' takes no FILE, but got '%s'", opts->operands[0]);
  struct hb_checkpoint *checkpoint = NULL;
  enum hb_status status = HB_OK;
  if (hb_ranks_number() == 0) status = open_checkpoint(opts->settings, run, &checkpoint);
  status = hb_run_ranks_share_checkpoint(status, &checkpoint);
  if (status == HB_OK) status = take_up(opts, checkpoint, run);
  hb_checkpoint_close(checkpoint); /* the simulation has its own copy of all */
  return status;
}
