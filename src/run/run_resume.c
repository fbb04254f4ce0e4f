/* --resume: a run from its checkpoint, as if it had never stopped. */
#include "run/run.h"

#include "base/mem.h"
#include "console/terminal.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the file, or its other generation --------------------------------------------------------------- */

/* The name that a run writes to, of either generation. */
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

/* Adds to the sentence of a failure that the other generation is whole, if it is. */
static enum hb_status offer(enum hb_status status, const char *other)
{
  char sentence[1024];
  struct hb_checkpoint *checkpoint;
  snprintf(sentence, sizeof sentence, "%s", hb_error());
  int whole = hb_checkpoint_open(other, &checkpoint) == HB_OK;
  hb_checkpoint_close(checkpoint);
  return hb_fail(status, "%s%s%s", sentence, whole ? "; whole is the other generation: --resume " : "",
                 whole ? other : "");
}

/* Whether --checkpoint names another file than the run has written so far. */
static int goes_elsewhere(const struct hb_opts *given, const struct hb_run *run)
{
  const struct hb_opts_value *elsewhere = &given->values[RUN_CHECKPOINT];
  return elsewhere->given && strcmp(elsewhere->text, run->checkpoint.path.text) != 0;
}

/* Opens path and sets where the run goes on writing. Who was killed between the two renames of a new checkpoint has left
 * the older one only; that is no damage, and it is taken. */
static enum hb_status open_checkpoint(const struct hb_opts *given, struct hb_run *run,
                                      struct hb_checkpoint **checkpoint)
{
  const char *path = given->values[RUN_RESUME].text;
  struct hb_text *newest = &run->checkpoint.path, other = {0};
  HB_TRY(name_of_newest(path, newest));
  if (!goes_elsewhere(given, run)) HB_TRY(hb_run_lock(run, RUN_LOCK_CHECKPOINT, newest->text));
  HB_TRY(name_of_other(path, newest->text, &other));
  int is_newest = strcmp(path, newest->text) == 0;
  int is_gone = is_newest && access(path, F_OK) != 0 && access(other.text, F_OK) == 0;
  enum hb_status status = hb_checkpoint_open(is_gone ? other.text : path, checkpoint);
  if (status == HB_ERR_INPUT && !is_gone) status = offer(status, other.text);
  if (status == HB_OK && is_gone) {
    char note[512];
    snprintf(note, sizeof note, "%s is not there; going on from %s", path, other.text);
    hb_terminal_note(note);
  }
  /* the other one may be damaged: then the next checkpoint takes its place, and this one stays */
  run->checkpoint.flags = is_newest && !is_gone ? HB_SAVE_KEEP : 0;
  hb_mem_free(other.text);
  return status;
}

/* ---- options ----------------------------------------------------------------------------------------- */

/* What may be given anew beside --resume. */
static int may_change(size_t k)
{
  static const size_t those[] = {
      RUN_T_END,      RUN_CONTEXT,          RUN_DEVICE, RUN_MAX_DRAW_MS, RUN_GL_DEBUG,
      RUN_CHECKPOINT, RUN_CHECKPOINT_EVERY, RUN_RESUME, RUN_MAX_HOURS,   RUN_MAX_ENERGY_ERROR,
      RUN_QUIET,      RUN_OUTPUT,           RUN_FORMAT, RUN_DIAG};
  for (size_t l = 0; l < sizeof those / sizeof *those; l++)
    if (those[l] == k) return 1;
  return 0;
}

static int is_same(enum hb_opts_kind kind, const struct hb_opts_value *a, const struct hb_opts_value *b)
{
  if (kind >= HB_OPTS_WHOLE) return a->count == b->count;
  if (kind >= HB_OPTS_DURATION) return a->number == b->number;
  return strcmp(a->text, b->text) == 0;
}

/* The options of the checkpoint's run with those given now, which then are the run's. */
static enum hb_status merge(const struct hb_opts *given, struct hb_run *run)
{
  HB_TRY(hb_run_record_options(run));
  struct hb_opts *opts = &run->opts;
  run->resumed.then = *opts;
  run->resumed.names_output = given->values[RUN_OUTPUT].given;
  run->resumed.names_diag = given->values[RUN_DIAG].given;
  for (size_t k = 0; k < RUN_COUNT; k++) {
    const struct hb_opts_value *now = &given->values[k];
    struct hb_opts_value *then = &opts->values[k];
    if (!now->given) continue;
    int differs = !then->text || !is_same(hb_run_options[k].kind, now, then);
    if (differs && hb_run_options[k].use == HB_OPTS_SHAPES_RESULT) run->resumed.differs = 1;
    if (differs && !may_change(k))
      return hb_fail(HB_ERR_USAGE,
                     "option --%s: '%s' is not what the checkpoint's run has (%s); leave it out",
                     hb_run_options[k].name, now->text, then->text ? then->text : "none");
    *then = *now;
  }
  run->values = opts->values;
  return HB_OK;
}

static enum hb_status take_progress(struct hb_run *run)
{
  hb_run_set_up(run, 0);
  HB_TRY(hb_run_record_progress(run));
  return hb_run_check_times(run);
}

/* ---- the simulation ---------------------------------------------------------------------------------- */

/* The same bits come from the same arithmetic only: says so when it is another's. */
static enum hb_status compare(const struct hb_checkpoint_info *info, struct hb_run *run)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  const char *const pairs[][2] = {{info->device, hb_force_device(force)},
                                  {info->context, hb_force_context(force)},
                                  {info->version, hb_version()}};
  char note[640], t[32];
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    if (strcmp(pairs[k][0], pairs[k][1]) == 0) continue;
    snprintf(note, sizeof note, "the checkpoint was made with %s, now it is %s: bits may differ", pairs[k][0],
             pairs[k][1]);
    hb_terminal_note(note);
  }
  if (strcmp(info->device, hb_force_device(force)) == 0) return HB_OK;
  struct hb_text *device = &run->resumed.device;
  hb_opts_shortest(run->t, t);
  if (!device->text) HB_TRY(hb_text_append(device, "%s", info->device));
  return hb_text_append(device, "; from t = %s on %s", t, hb_force_device(force));
}

/* Older checkpoints have E0 in the inertial frame, without its kinetic part. */
static enum hb_status take_energies(struct hb_run *run)
{
  struct hb_run_output *output = &run->output;
  struct hb_diagnostics now;
  if (!isnan(output->e_kin_begin)) return HB_OK;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  output->e_begin -= now.e_bulk;
  output->e_kin_begin = 0;
  return HB_OK;
}

static enum hb_status resume_sim(const struct hb_opts *given, const struct hb_checkpoint *checkpoint,
                                 struct hb_run *run)
{
  const struct hb_opts_value *values = run->values;
  const struct hb_force_params place = {
      .context = given->values[RUN_CONTEXT].given ? given->values[RUN_CONTEXT].text : NULL,
      .device = given->values[RUN_DEVICE].given ? given->values[RUN_DEVICE].text : NULL,
      .max_draw_s = 1e-3 * values[RUN_MAX_DRAW_MS].number,
      .flags = (values[RUN_GL_DEBUG].given ? HB_FORCE_GL_DEBUG : 0U) |
               (values[RUN_DIAG].given ? HB_FORCE_PHASES : 0U)};
  struct hb_checkpoint_info info;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_sim_resume(checkpoint, &place, &run->sim));
  HB_TRY(take_energies(run));
  return compare(&info, run);
}

/* An option that was not given now comes from the file: the file is to blame. */
static enum hb_status blame(enum hb_status status, const char *path, int is_given)
{
  if (status == HB_ERR_USAGE && !is_given) status = HB_ERR_INPUT;
  return status == HB_ERR_INPUT ? hb_fail_in(status, path) : status;
}

/* The run and its simulation must be at the same time; leapfrog's step may be only in the snapshot's notes. */
static enum hb_status check_state(struct hb_run *run)
{
  struct hb_particles *state;
  HB_TRY(hb_sim_state(run->sim, run->t, &state));
  enum hb_status status = hb_run_take_notes(run, state);
  hb_particles_destroy(state);
  run->time_tolerance = 1e-9 * run->values[RUN_DT].number;
  if (status != HB_OK || run->t_end + run->time_tolerance >= run->t) return status;
  char t[32];
  hb_opts_shortest(run->t, t);
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the checkpoint's time %s",
                 run->values[RUN_T_END].text, t);
}

static enum hb_status take_up(const struct hb_opts *given, const struct hb_checkpoint *checkpoint,
                              struct hb_run *run)
{
  size_t bytes;
  struct hb_checkpoint_info info;
  const void *own = hb_checkpoint_own(checkpoint, &bytes);
  const struct hb_opts_value *values = given->values;
  hb_checkpoint_info(checkpoint, &info);
  HB_TRY(hb_text_append_bytes(&run->resumed.record, own, bytes));
  HB_TRY(blame(merge(given, run), info.path, 1));
  HB_TRY(blame(hb_run_check_integrator(run->values), info.path, 0));
  HB_TRY(blame(take_progress(run), info.path, values[RUN_T_END].given));
  HB_TRY(blame(hb_run_check_output(run->values), info.path,
               values[RUN_OUTPUT].given || values[RUN_FORMAT].given));
  const char *diag = run->values[RUN_DIAG].text;
  if (diag) HB_TRY(blame(hb_run_diag_check(diag), info.path, values[RUN_DIAG].given));
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (goes_elsewhere(given, run)) {
    hb_mem_free(c->path.text);
    c->path = (struct hb_text){0};
    c->flags = 0;
  }
  HB_TRY(hb_run_checkpoint_open(run));
  HB_TRY(hb_run_lock(run, RUN_LOCK_OUTPUT, run->values[RUN_OUTPUT].text));
  HB_TRY(hb_run_lock(run, RUN_LOCK_DIAG, diag));
  HB_TRY(resume_sim(given, checkpoint, run));
  HB_TRY(blame(check_state(run), info.path, values[RUN_T_END].given));
  HB_TRY(hb_run_check_targets(run));
  return hb_run_take_up_rows(run);
}

enum hb_status hb_run_resume(const struct hb_opts *opts, struct hb_run *run)
{
  if (opts->operand_count > 0)
    return hb_fail(HB_ERR_USAGE, "'holmberg run --resume' takes no FILE, but got '%s'", opts->operands[0]);
  struct hb_checkpoint *checkpoint = NULL;
  enum hb_status status = open_checkpoint(opts, run, &checkpoint);
  if (status == HB_OK) status = take_up(opts, checkpoint, run);
  hb_checkpoint_close(checkpoint); /* the simulation has its own copy of all */
  return status;
}

/* ---- headers ----------------------------------------------------------------------------------------- */

/* The last line of the history is the run's: it is made anew from its options. */
static enum hb_status make_history(const struct hb_run *run, struct hb_particles *state, struct hb_text *line)
{
  const char *old = hb_particles_note(state, "history");
  const char *last = old ? strrchr(old, '\n') : NULL;
  if (last) HB_TRY(hb_text_append_bytes(line, old, (size_t)(last - old) + 1));
  HB_TRY(hb_opts_line(&run->opts, line));
  return hb_particles_set_note(state, "history", line->text);
}

enum hb_status hb_run_resume_notes(struct hb_run *run, struct hb_particles *state)
{
  struct hb_text line = {0}, record = {0};
  HB_TRY(hb_run_take_notes(run, state));
  enum hb_status status = make_history(run, state, &line);
  if (status == HB_OK) status = hb_opts_record(&run->opts, &record);
  if (status == HB_OK) status = hb_particles_set_note(state, "options", record.text);
  hb_mem_free(line.text);
  hb_mem_free(record.text);
  return status;
}
