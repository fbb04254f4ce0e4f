#include "run/run.h"

#include "base/mem.h"
#include "console/target.h"
#include "console/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks before the work -------------------------------------------------------------------------- */

enum hb_status hb_run_check_output(const struct hb_opts_value *values)
{
  const char *path = values[RUN_OUTPUT].text;
  if (!path && values[RUN_SNAP_EVERY].given)
    return hb_fail(HB_ERR_USAGE, "option --snap-every needs -o FILE to name its snapshots");
  if (!path) return HB_OK;
  int to_stdout = strcmp(path, "-") == 0;
  if (to_stdout && values[RUN_SNAP_EVERY].given)
    return hb_fail(HB_ERR_USAGE, "option --snap-every cannot write a series to standard output");
  if (to_stdout && values[RUN_JSON].given)
    return hb_fail(HB_ERR_USAGE, "options --json and -o - cannot share standard output");
  return hb_target_check(path, values[RUN_FORMAT].text);
}

/* Steps, rows and snapshots are counted from t = 0 by doubles, which above 2^53 skip numbers. */
static enum hb_status check_count(const struct hb_run *run, const char *what, double every)
{
  static const double most = 0x1p53;
  char interval[32], t[32];
  hb_opts_shortest(every, interval);
  hb_opts_shortest(run->t, t);
  if (every > 0 && fabs(run->t) / every >= most)
    return hb_fail(HB_ERR_INPUT, "t = %s is too late for %s %s (expected fewer than 2^53 from t = 0 on)", t,
                   what, interval);
  if (every > 0 && fabs(run->t_end) / every >= most)
    return hb_fail(HB_ERR_USAGE,
                   "option --t-end: %s is too late for %s %s (expected fewer than 2^53 from t = 0 on)",
                   run->values[RUN_T_END].text, what, interval);
  return HB_OK;
}

enum hb_status hb_run_check_times(const struct hb_run *run)
{
  static const int intervals[] = {RUN_DIAG_EVERY, RUN_SNAP_EVERY};
  for (size_t k = 0; k < 2; k++) {
    const struct hb_opts_value *every = &run->values[intervals[k]], *dt_min = &run->values[RUN_DT_MIN];
    if (every->given && every->number < dt_min->number)
      return hb_fail(HB_ERR_USAGE, "option --%s: %s is below the smallest step 2^%d",
                     hb_run_options[intervals[k]].name, every->text, ilogb(dt_min->number));
  }
  const struct hb_opts_value *dt = &run->values[RUN_DT], *dt_max = &run->values[RUN_DT_MAX];
  HB_TRY(check_count(run, "steps of", dt->number > 0 ? dt->number : dt_max->number));
  HB_TRY(check_count(run, "rows every", run->diag_every));
  return check_count(run, "snapshots every", run->snap_every);
}

static enum hb_status check_times(const struct hb_run *run)
{
  HB_TRY(hb_run_check_times(run));
  char begin[32];
  hb_opts_shortest(run->t, begin);
  const struct hb_opts_value *dt = &run->values[RUN_DT];
  if (run->t_end > run->t && dt->number > run->t_end - run->t)
    return hb_fail(HB_ERR_USAGE, "option --dt: a step of %s is longer than the run, from t = %s to %s",
                   dt->text, begin, run->values[RUN_T_END].text);
  if (run->t_end >= run->t) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the snapshot's time %s",
                 run->values[RUN_T_END].text, begin);
}

/* ---- what was asked for ------------------------------------------------------------------------------ */

static enum hb_status add_history(const struct hb_opts *opts, struct hb_particles *particles)
{
  struct hb_text line = {0};
  enum hb_status status = hb_opts_line(opts, &line);
  if (status == HB_OK) status = hb_particles_add_history(particles, line.text);
  hb_mem_free(line.text);
  if (status != HB_OK) return status;
  struct hb_text record = {0};
  status = hb_opts_record(opts, &record);
  if (status == HB_OK) status = hb_particles_set_note(particles, "options", record.text);
  hb_mem_free(record.text);
  return status;
}

/* The number of the first multiple of every behind t. */
static double first_number(double t, double every) { return floor(t / every + 1e-9) + 1; }

void hb_run_set_up(struct hb_run *run, double t_begin)
{
  const struct hb_opts_value *values = run->values;
  run->t = t_begin;
  run->t_end = values[RUN_T_END].number;
  run->time_tolerance = 1e-9 * values[RUN_DT].number;
  run->diag_every = values[values[RUN_DIAG_EVERY].given ? RUN_DIAG_EVERY : RUN_DT_MAX].number;
  run->snap_every = values[RUN_SNAP_EVERY].number;
  run->diag_number = first_number(run->t, run->diag_every);
  run->snap_number = run->snap_every > 0 ? first_number(run->t, run->snap_every) : 0;

  const char *path = values[RUN_OUTPUT].text;
  struct hb_run_output *output = &run->output;
  int silent = values[RUN_QUIET].given || (path && strcmp(path, "-") == 0);
  output->form = values[RUN_JSON].given ? HB_RUN_OUTPUT_JSON
                 : silent               ? HB_RUN_OUTPUT_NONE
                                        : HB_RUN_OUTPUT_TABLE;
  output->bar = !values[RUN_QUIET].given && !values[RUN_JSON].given && hb_terminal_is_live()
                    ? HB_RUN_OUTPUT_BAR_ON
                    : HB_RUN_OUTPUT_BAR_OFF;
  run->appended[RUN_DIAG_ROWS].path = values[RUN_DIAG].text;
  run->appended[RUN_STDOUT].path = output->form == HB_RUN_OUTPUT_NONE ? NULL : "-";
  output->t_begin = run->t;
  output->t_end = run->t_end;
}

/* --tuning and --matrix-limit as one list of words; none where neither was given. */
static enum hb_status tuning_words(const struct hb_opts_value *values, struct hb_text *words)
{
  if (values[RUN_TUNING].given) HB_TRY(hb_text_append(words, "%s ", values[RUN_TUNING].text));
  if (!values[RUN_MATRIX_LIMIT].given) return HB_OK;
  return hb_text_append(words, "limit=%llu", (unsigned long long)values[RUN_MATRIX_LIMIT].count);
}

enum hb_status hb_run_params(const struct hb_opts_value *values, struct hb_text *tuning,
                             struct hb_sim_params *sim)
{
  HB_TRY(tuning_words(values, tuning));
  struct hb_sim_params params = {
      .force.scheme = values[RUN_SCHEME].text,
      .force.precision = values[RUN_PRECISION].text,
      .force.context = values[RUN_CONTEXT].text,
      .force.device = values[RUN_DEVICE].given ? values[RUN_DEVICE].text : getenv("HB_DEVICE"),
      .force.tuning = tuning->text,
      .force.max_draw_s = 1e-3 * values[RUN_MAX_DRAW_MS].number,
      .force.eps = values[RUN_EPS].number,
      .eta = values[RUN_ETA].number,
      .dt_max = values[RUN_DT_MAX].number,
      .dt_min = values[RUN_DT_MIN].given ? values[RUN_DT_MIN].number : 0,
      .integrator = values[RUN_INTEGRATOR].text,
      .steps = values[RUN_STEPS].given && strcmp(values[RUN_STEPS].text, hb_run_steps(HB_STEPS_SHARED)) == 0
                   ? HB_STEPS_SHARED
                   : HB_STEPS_BLOCK,
      .dt = values[RUN_DT].number,
      .damping = values[RUN_DAMPING].number,
  };
  if (strcmp(values[RUN_TRANSFER].text, "block") == 0) params.transfer = HB_TRANSFER_BLOCK;
  if (strcmp(values[RUN_PREDICT].text, "gpu") == 0) params.predict = HB_PLACE_GPU;
  if (strcmp(values[RUN_CORRECT].text, "gpu") == 0) params.correct = HB_PLACE_GPU;
  while (strcmp(hb_run_exact_energy(params.exact_energy), values[RUN_EXACT_ENERGY].text) != 0)
    params.exact_energy++;
  if (values[RUN_DIAG].given) params.force.flags |= HB_FORCE_PHASES;
  if (values[RUN_CG2007_RECT].given) params.force.flags |= HB_FORCE_CG2007_RECT;
  if (values[RUN_GL_DEBUG].given) params.force.flags |= HB_FORCE_GL_DEBUG;
  if (values[RUN_NO_TUNE].given) params.force.flags |= HB_FORCE_NO_TUNE;
  while (strcmp(hb_run_rounding(params.rounding), values[RUN_ROUNDING].text) != 0) params.rounding++;
  *sim = params;
  return HB_OK;
}

/* Options without effect are pointed out; auto and hybrid use them to find that the processor is faster. */
static void note_context(const struct hb_run *run)
{
  char note[128];
  if (!run->values[RUN_CONTEXT].given && !run->values[RUN_DEVICE].given) return;
  const char *scheme = run->values[RUN_SCHEME].text;
  const struct hb_force_scheme *named = scheme ? hb_force_scheme_find(scheme) : NULL;
  if (!named || !named->on_host) return;
  snprintf(note, sizeof note, "--context and --device have no effect: scheme %s runs on the processor",
           scheme);
  hb_terminal_note(note);
}

static enum hb_status open_sim(struct hb_run *run)
{
  struct hb_sim_params params;
  struct hb_text tuning = {0};
  HB_TRY(hb_run_params(run->values, &tuning, &params));
  enum hb_status status = hb_sim_take(run->initial, &params, &run->sim);
  run->initial = NULL;
  hb_mem_free(tuning.text);
  if (status == HB_OK) note_context(run);
  return status;
}

/* Names the snapshot where it is to blame. */
static enum hb_status name_file(enum hb_status status, const struct hb_run *run)
{
  return status == HB_ERR_INPUT ? hb_fail_in(status, run->opts.operands[0]) : status;
}

enum hb_status hb_run_open(const struct hb_opts *opts, struct hb_run *run)
{
  *run = (struct hb_run){.opts = *opts};
  run->values = run->opts.values;
  if (opts->values[RUN_RESUME].given) return hb_run_resume(opts, run);
  if (opts->operand_count == 0) return hb_fail(HB_ERR_USAGE, "'holmberg run' needs a FILE");
  HB_TRY(hb_run_check_output(opts->values));
  HB_TRY(hb_run_check_integrator(run->values));
  HB_TRY(hb_run_checkpoint_open(run));
  const char *diag = opts->values[RUN_DIAG].text;
  if (diag) HB_TRY(hb_run_diag_check(diag));
  HB_TRY(hb_run_lock(run, RUN_LOCK_OUTPUT, opts->values[RUN_OUTPUT].text));
  HB_TRY(hb_run_lock(run, RUN_LOCK_DIAG, diag));
  HB_TRY(hb_snapshot_read(opts->operands[0], opts->values[RUN_INPUT_FORMAT].text, &run->initial));
  HB_TRY(name_file(hb_run_take_notes(run, run->initial), run));
  hb_run_set_up(run, hb_particles_time(run->initial));
  HB_TRY(name_file(check_times(run), run));
  HB_TRY(add_history(&run->opts, run->initial));
  size_t n = hb_particles_n(run->initial);
  HB_TRY(open_sim(run));
  if (run->checkpoint.path.text) hb_run_remember_output(run);
  hb_run_announce(run);
  return diag ? hb_run_diag_open(diag, n, &run->diag) : HB_OK;
}

void hb_run_close(struct hb_run *run)
{
  hb_run_diag_close(&run->diag);
  hb_sim_destroy(run->sim);
  hb_particles_destroy(run->initial);
  for (size_t k = 0; k < RUN_LOCK_COUNT; k++) hb_lock_give(&run->locks[k]);
  hb_mem_free(run->checkpoint.path.text);
  hb_mem_free(run->resumed.record.text);
  hb_mem_free(run->resumed.device.text);
}
