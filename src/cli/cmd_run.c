/* holmberg run: integrates a snapshot. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/run_output.h"
#include "cli/target.h"
#include "cli/terminal.h"

#include <math.h>
#include <string.h>

enum {
  RUN_OUTPUT,
  RUN_T_END,
  RUN_ETA,
  RUN_EPS,
  RUN_DT_MAX,
  RUN_DT_MIN,
  RUN_ROUNDING,
  RUN_SCHEME,
  RUN_PRECISION,
  RUN_CONTEXT,
  RUN_DEVICE,
  RUN_TUNING,
  RUN_MATRIX_LIMIT,
  RUN_NO_TUNE,
  RUN_MAX_DRAW_MS,
  RUN_CG2007_RECT,
  RUN_GL_DEBUG,
  RUN_DIAG_EVERY,
  RUN_SNAP_EVERY,
  RUN_MAX_ENERGY_ERROR,
  RUN_FORMAT,
  RUN_INPUT_FORMAT,
  RUN_JSON,
  RUN_QUIET,
  RUN_COUNT
};

static const char *rounding_choice(size_t k)
{
  static const char *const words[] = {[HB_ROUND_DOWN] = "down",
                                      [HB_ROUND_NEAREST] = "nearest",
                                      [HB_ROUND_UP] = "up",
                                      [HB_ROUND_UP + 1] = NULL};
  return words[k];
}

static const char *scheme_choice(size_t k)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  return k == 0 ? "auto" : k <= count ? schemes[k - 1].name : NULL;
}

static const char *context_choice(size_t k)
{
  static const char *const words[] = {"auto", "egl", "osmesa", "glfw", NULL};
  return words[k];
}

static const struct hb_opts_option options[RUN_COUNT] = {
    [RUN_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                    "write the final state; - is standard output, without the table (default: not written)"},
    [RUN_T_END] =
        {"t-end", 0, HB_OPTS_NUMBER, HB_OPTS_SHAPES_RESULT, "T", "1", NULL,
         "time to end at; at multiples of dt-max every particle is corrected, in between predicted"},
    [RUN_ETA] = {"eta", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "NU", "0.01", NULL,
                 "accuracy of the time step, nu of the paper"},
    [RUN_EPS] = {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "1/256", NULL,
                 "Plummer softening; 0 is allowed"},
    [RUN_DT_MAX] = {"dt-max", 0, HB_OPTS_POWER, HB_OPTS_SHAPES_RESULT, "DT", "1/8", NULL,
                    "largest time step, a power of two"},
    [RUN_DT_MIN] = {"dt-min", 0, HB_OPTS_POWER, HB_OPTS_SHAPES_RESULT, "DT", "2^-26", NULL,
                    "smallest time step, a power of two"},
    [RUN_ROUNDING] = {"step-rounding", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WAY", "down",
                      rounding_choice, "how a step becomes a power of two: down, nearest, up"},
    [RUN_SCHEME] = {"scheme", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "NAME", "auto", scheme_choice,
                    "source of the forces, see below"},
    [RUN_PRECISION] = {"precision", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "NAME", NULL, NULL,
                       "arithmetic of the forces, see below (default: the scheme's first)"},
    [RUN_CONTEXT] = {"context", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "NAME", NULL, context_choice,
                     "way to OpenGL: auto, egl, osmesa, glfw (default: HB_CONTEXT, else auto)"},
    [RUN_DEVICE] =
        {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "DEVICE", NULL, NULL,
         "INDEX, /dev/dri/... or software, see 'holmberg info' (default: HB_DEVICE, else the first)"},
    [RUN_TUNING] = {"tuning", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WORDS", NULL, NULL,
                    "how an all-pairs scheme walks, like \"i_each=4 unroll=8\" (default: as measured)"},
    [RUN_MATRIX_LIMIT] = {"matrix-limit", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "L", NULL, NULL,
                          "matrix2004: at most L x L pairs at a time, 2048 in 2004 (default: as it fits)"},
    [RUN_NO_TUNE] = {"no-tune", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                     "safe defaults in place of what was or would be measured on this device"},
    [RUN_MAX_DRAW_MS] = {"max-draw-ms", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "MS", "50", NULL,
                         "no draw of an all-pairs scheme shall take longer; changes no result"},
    [RUN_CG2007_RECT] = {"cg2007-rect", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                         "cg2007 with rectangle textures and RGB32F targets, as in 2007"},
    [RUN_GL_DEBUG] = {"gl-debug", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                      "take the driver's debug messages as faults"},
    [RUN_DIAG_EVERY] = {"diag-every", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "DT", NULL, NULL,
                        "a row of diagnostics at every multiple of DT (default: dt-max)"},
    [RUN_SNAP_EVERY] = {"snap-every", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "DT", NULL, NULL,
                        "a snapshot at every multiple of DT: end_0001.h5, ... for -o end.h5 (default: none)"},
    [RUN_MAX_ENERGY_ERROR] = {"max-energy-error", 0, HB_OPTS_POSITIVE, HB_OPTS_SHOWS_RESULT, "X", NULL, NULL,
                              "stop with exit code 7 when |dE/E| exceeds X (default: no bound)"},
    [RUN_FORMAT] = {"format", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "F", NULL, hb_target_format,
                    "format of what is written (default: by the extension)"},
    [RUN_INPUT_FORMAT] = {"input-format", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "F", NULL,
                          hb_target_format, "format of FILE (default: by the extension)"},
    [RUN_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                  "one line of JSON for each row"},
    [RUN_QUIET] = {"quiet", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                   "no table and no progress bar"},
};

/* A run: what was asked for and how far it is. */
struct run {
  const struct hb_opts_value *values;
  struct hb_particles *initial; /* until the simulation has its copy */
  struct hb_sim *sim;
  struct hb_run_output output;
  double t, t_end;
  double diag_number, snap_number; /* whole: the next row and snapshot are due at number * every */
  double diag_every, snap_every;   /* snap_every 0: no series */
  unsigned long written;           /* snapshots of the series so far */
};

/* ---- checks before the work -------------------------------------------------------------------------- */

static enum hb_status check_output(const struct hb_opts_value *values)
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

static enum hb_status check_times(const struct run *run)
{
  static const int intervals[] = {RUN_DIAG_EVERY, RUN_SNAP_EVERY};
  for (size_t k = 0; k < 2; k++) {
    const struct hb_opts_value *every = &run->values[intervals[k]], *dt_min = &run->values[RUN_DT_MIN];
    if (every->given && every->number < dt_min->number)
      return hb_fail(HB_ERR_USAGE, "option --%s: %s is below the smallest step %s",
                     options[intervals[k]].name, every->text, dt_min->text);
  }
  if (run->t_end >= run->t) return HB_OK;
  char begin[32];
  hb_opts_shortest(run->t, begin);
  return hb_fail(HB_ERR_USAGE, "option --t-end: %s is before the snapshot's time %s",
                 run->values[RUN_T_END].text, begin);
}

/* ---- notes ------------------------------------------------------------------------------------------- */

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

/* What took part in the run; nothing that differs between two runs of the same input. The snapshot's own notes
 * are there already. */
static enum hb_status set_notes(const struct run *run, struct hb_particles *state)
{
  const struct hb_force *force = hb_sim_force(run->sim);
  HB_TRY(hb_particles_set_note(state, "scheme", hb_force_scheme(force)->name));
  HB_TRY(hb_particles_set_note(state, "precision", hb_force_precision(force)));
  const char *tuning = hb_force_tuning(force);
  if (*tuning || hb_particles_note(state, "tuning")) HB_TRY(hb_particles_set_note(state, "tuning", tuning));
  HB_TRY(hb_particles_set_note(state, "context", hb_force_context(force)));
  return hb_particles_set_note(state, "device", hb_force_device(force));
}

/* ---- output ------------------------------------------------------------------------------------------ */

static enum hb_status write_state(const struct run *run, double t, const char *path)
{
  struct hb_particles *state = NULL;
  enum hb_status status = hb_sim_state(run->sim, t, &state);
  if (status == HB_OK) status = set_notes(run, state);
  if (status == HB_OK) status = hb_target_write(path, run->values[RUN_FORMAT].text, state);
  hb_particles_destroy(state);
  return status;
}

static enum hb_status write_series(struct run *run)
{
  struct hb_text name = {0};
  enum hb_status status = hb_target_series(run->values[RUN_OUTPUT].text, ++run->written, &name);
  if (status == HB_OK) status = write_state(run, run->t, name.text);
  hb_mem_free(name.text);
  return status;
}

/* A table that nobody takes ends a run that has no other result; one with -o goes on for its file. */
static enum hb_status diagnose(struct run *run)
{
  struct hb_diagnostics now;
  HB_TRY(hb_sim_diagnose(run->sim, run->t, &now));
  double error = fabs(hb_run_output_energy_error(&run->output, &now));
  const struct hb_opts_value *bound = &run->values[RUN_MAX_ENERGY_ERROR];
  int exceeded = bound->given && error > bound->number;
  enum hb_run_output_place place =
      run->t == run->t_end && !exceeded ? HB_RUN_OUTPUT_LAST : HB_RUN_OUTPUT_ON_THE_WAY;
  enum hb_status status = hb_run_output_row(&run->output, run->sim, &now, place);
  if (exceeded) {
    char t[32];
    hb_opts_shortest(run->t, t);
    return hb_fail(HB_ERR_NUMERIC, "energy error %.3g at t = %s exceeds --max-energy-error %s", error, t,
                   bound->text);
  }
  return run->values[RUN_OUTPUT].text ? HB_OK : status;
}

/* ---- the run ----------------------------------------------------------------------------------------- */

/* The time number * every, or t_end when rounding leaves it a hair before or puts it behind. */
static double due(const struct run *run, double number, double every)
{
  double t = number * every;
  return t > run->t_end - 1e-9 * every ? run->t_end : t;
}

/* The number of the first multiple of every behind t. */
static double first_number(double t, double every) { return floor(t / every + 1e-9) + 1; }

static enum hb_status advance(struct run *run, double t)
{
  while (hb_sim_next_time(run->sim) <= t) {
    run->t = hb_sim_next_time(run->sim);
    HB_TRY(hb_sim_step(run->sim));
    hb_run_output_progress(&run->output, run->t);
  }
  run->t = t;
  return HB_OK;
}

static enum hb_status integrate(struct run *run)
{
  hb_run_output_begin(&run->output);
  HB_TRY(diagnose(run));
  while (run->t < run->t_end) {
    double t_diag = due(run, run->diag_number, run->diag_every);
    double t_snap = run->snap_every > 0 ? due(run, run->snap_number, run->snap_every) : INFINITY;
    HB_TRY(advance(run, t_snap < t_diag ? t_snap : t_diag));
    if (run->t == t_diag) {
      run->diag_number++;
      HB_TRY(diagnose(run));
    }
    if (run->t == t_snap) {
      int on_time = run->snap_number * run->snap_every < run->t_end + 1e-9 * run->snap_every;
      run->snap_number++;
      if (on_time) HB_TRY(write_series(run));
    }
  }
  return HB_OK;
}

static void set_up(const struct hb_opts_value *values, struct run *run)
{
  run->t = hb_particles_time(run->initial);
  run->t_end = values[RUN_T_END].number;
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

static enum hb_status open_sim(struct run *run)
{
  const struct hb_opts_value *values = run->values;
  struct hb_text tuning = {0};
  HB_TRY(tuning_words(values, &tuning));
  struct hb_sim_params params = {
      .force.scheme = values[RUN_SCHEME].text,
      .force.precision = values[RUN_PRECISION].text,
      .force.context = values[RUN_CONTEXT].text,
      .force.device = values[RUN_DEVICE].text,
      .force.tuning = tuning.text,
      .force.max_draw_s = 1e-3 * values[RUN_MAX_DRAW_MS].number,
      .force.eps = values[RUN_EPS].number,
      .eta = values[RUN_ETA].number,
      .dt_max = values[RUN_DT_MAX].number,
      .dt_min = values[RUN_DT_MIN].number,
  };
  if (values[RUN_CG2007_RECT].given) params.force.flags |= HB_FORCE_CG2007_RECT;
  if (values[RUN_GL_DEBUG].given) params.force.flags |= HB_FORCE_GL_DEBUG;
  if (values[RUN_NO_TUNE].given) params.force.flags |= HB_FORCE_NO_TUNE;
  while (strcmp(rounding_choice(params.rounding), values[RUN_ROUNDING].text) != 0) params.rounding++;
  enum hb_status status = hb_sim_create(run->initial, &params, &run->sim);
  hb_mem_free(tuning.text);
  hb_particles_destroy(run->initial);
  run->initial = NULL;
  return status;
}

static enum hb_status run_file(const struct hb_opts *opts)
{
  struct run run = {.values = opts->values};
  const char *path = opts->values[RUN_OUTPUT].text;
  HB_TRY(check_output(opts->values));
  HB_TRY(hb_snapshot_read(opts->operands[0], opts->values[RUN_INPUT_FORMAT].text, &run.initial));
  set_up(opts->values, &run);
  enum hb_status status = check_times(&run);
  if (status == HB_OK) status = add_history(opts, run.initial);
  if (status == HB_OK) status = open_sim(&run);
  if (status == HB_OK) status = integrate(&run);
  if (status == HB_OK && path) status = write_state(&run, run.t_end, path);
  hb_sim_destroy(run.sim);
  hb_particles_destroy(run.initial);
  return status;
}

static void list_schemes(FILE *out)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  fputs("\nschemes:\n", out);
  for (size_t k = 0; k < count; k++) {
    char behind[128];
    snprintf(behind, sizeof behind, "; precision: %s", schemes[k].precisions);
    hb_opts_help_entry(schemes[k].name, schemes[k].summary, schemes[k].source, behind, out);
  }
}

const struct hb_opts_command hb_cmd_run = {
    .name = "run",
    .summary = "Integrate a snapshot with Hermite block time steps and print its diagnostics.",
    .operand = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .option_count = RUN_COUNT,
    .more_help = list_schemes,
    .example = "  holmberg run cluster.h5 --t-end 0.5 --eps 1/256 --snap-every 0.25 -o end.h5\n"
               "  holmberg run cluster.h5 --scheme cg2007 --context osmesa --json\n",
    .work = run_file,
};
