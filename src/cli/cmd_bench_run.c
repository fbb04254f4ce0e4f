/* holmberg bench run: whole runs as in [PZ07] Table 2, for a list of N, schemes and modes. */
#include "measure/bench_table.h"
#include "cli/cmd.h"
#include "plot/gnuplot.h"
#include "measure/jobs.h"
#include "run/run.h"
#include "console/terminal.h"

#include <string.h>

enum {
  JOB_N,
  JOB_SCHEME,
  JOB_PRECISION,
  JOB_MODE,
  JOB_ETA,
  JOB_EPS,
  JOB_DT_MAX,
  JOB_DT_MIN,
  JOB_ROUNDING,
  JOB_T_BEGIN,
  JOB_T_END,
  JOB_SEED,
  JOB_REPEAT,
  JOB_PHASES,
  JOB_TUNING,
  JOB_NO_TUNE,
  JOB_CONTEXT,
  JOB_DEVICE,
  JOB_PLOT,
  JOB_JSON,
  JOB_COUNT
};

static const struct hb_opts_option options[JOB_COUNT] = {
    [JOB_N] = {"n", 'n', HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", "256,1024,4096", NULL,
               "numbers of particles, separated by commas"},
    [JOB_SCHEME] = {"scheme", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                    "schemes of forces (default: the one that 'holmberg run' takes here)"},
    [JOB_PRECISION] = {"precision", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                       "precisions (default: the first that a scheme offers)"},
    [JOB_MODE] = {"mode", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                  "modes, see below (default: those of the paper's Fig. 5 that a scheme offers)"},
    [JOB_ETA] = {"eta", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "NU", "0.01", NULL,
                 "accuracy of the time step, nu of the paper"},
    [JOB_EPS] = {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "1/256", NULL, "softening"},
    [JOB_DT_MAX] = {"dt-max", 0, HB_OPTS_POWER, HB_OPTS_SHAPES_RESULT, "DT", "1/8", NULL,
                    "largest time step, a power of two"},
    [JOB_DT_MIN] = {"dt-min", 0, HB_OPTS_POWER, HB_OPTS_SHAPES_RESULT, "DT", NULL, NULL,
                    "smallest time step, a power of two (default: 2^-26, with eps 0 2^-40)"},
    [JOB_ROUNDING] = {"step-rounding", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WAY", "down",
                      hb_run_rounding,
                      "how a step becomes a power of two: down, nearest (in its logarithm), up"},
    [JOB_T_BEGIN] = {"t-begin", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "T", "0.25", NULL,
                     "time at which the clock starts; the run starts at 0"},
    [JOB_T_END] = {"t-end", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "T", "0.5", NULL,
                   "time at which it stops"},
    [JOB_SEED] = {"seed", 0, HB_OPTS_WHOLE, HB_OPTS_SHAPES_RESULT, "S", "1", NULL,
                  "seed of the Plummer sphere, as of 'holmberg ic plummer'"},
    [JOB_REPEAT] = {"repeat", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "R", "1", NULL,
                    "whole runs for each row, which shows the one of median time"},
    [JOB_PHASES] = {"phases", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                    "wait for the device between phases, to tell them apart; the whole takes longer"},
    [JOB_TUNING] = {"tuning", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WORDS", NULL, NULL,
                    "like \"i_each=4 unroll=8\" (default: as measured on this device)"},
    [JOB_NO_TUNE] = {"no-tune", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                     "safe defaults in place of what was or would be measured on this device"},
    [JOB_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "C", NULL, NULL,
                     "egl, osmesa, glfw or auto"},
    [JOB_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
                    "INDEX, /dev/dri/... or software"},
    [JOB_PLOT] = {"plot", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                  "draw seconds against n, beside the paper's, with gnuplot, as .png, .svg or .pdf"},
    [JOB_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                  "one line of JSON for each row"},
};

/* ---- what was asked for ---- */

struct bench {
  const struct hb_opts_value *values;
  struct hb_jobs jobs;
  struct hb_plot plot;
  char title[256];
  struct hb_table table;
};

static enum hb_status read_jobs(struct bench *b)
{
  const struct hb_opts_value *v = b->values;
  const struct hb_jobs_words words = {.n = v[JOB_N].text,
                                      .schemes = v[JOB_SCHEME].text,
                                      .precisions = v[JOB_PRECISION].text,
                                      .modes = v[JOB_MODE].text,
                                      .context = v[JOB_CONTEXT].text,
                                      .device = v[JOB_DEVICE].text};
  return hb_jobs_read(&words, &b->jobs);
}

/* ---- one row ---- */

static struct hb_bench_run_params job_params(const struct bench *b, const struct hb_force_scheme *scheme,
                                             const char *precision, const struct hb_jobs_mode *mode, size_t n)
{
  const struct hb_opts_value *values = b->values;
  struct hb_bench_run_params params = {
      .sim = {.force = {.scheme = scheme->name,
                        .precision = precision,
                        .context = values[JOB_CONTEXT].text,
                        .device = values[JOB_DEVICE].text,
                        .tuning = scheme->needs_gl ? values[JOB_TUNING].text : NULL,
                        .eps = values[JOB_EPS].number},
              .eta = values[JOB_ETA].number,
              .dt_max = values[JOB_DT_MAX].number,
              .dt_min = values[JOB_DT_MIN].given ? values[JOB_DT_MIN].number
                                                 : hb_sim_default_dt_min(values[JOB_EPS].number),
              .transfer = mode->transfer,
              .predict = mode->predict,
              .correct = mode->correct},
      .n = n,
      .seed = values[JOB_SEED].count,
      .t_begin = values[JOB_T_BEGIN].number,
      .t_end = values[JOB_T_END].number,
      .repeat = (int)values[JOB_REPEAT].count,
  };
  while (strcmp(hb_run_rounding(params.sim.rounding), values[JOB_ROUNDING].text) != 0) params.sim.rounding++;
  if (values[JOB_PHASES].given) params.sim.force.flags |= HB_FORCE_PHASES;
  if (values[JOB_NO_TUNE].given) params.sim.force.flags |= HB_FORCE_NO_TUNE;
  return params;
}

static enum hb_status bench_one(struct bench *b, const struct hb_force_scheme *scheme, const char *precision,
                                const struct hb_jobs_mode *mode, size_t n)
{
  const struct hb_bench_run_params params = job_params(b, scheme, precision, mode, n);
  struct hb_bench_run_result result;
  hb_jobs_announce(&params, 1);
  HB_TRY(hb_bench_run(&params, &result));
  const struct hb_bench_run_row row =
      hb_bench_run_row(&params, &result, mode->name, b->values[JOB_ROUNDING].text);
  hb_table_put(&b->table, &row);
  if (b->table.rows == 1 || scheme->needs_gl)
    snprintf(b->title, sizeof b->title, "A Plummer sphere from t = %g to %g on %s", params.t_begin,
             params.t_end, result.device);
  HB_TRY(hb_bench_run_plot(&b->plot, &row));
  return hb_terminal_flush();
}

/* ---- all of them ---- */

static enum hb_status bench_sizes(void *context, const struct hb_force_scheme *scheme, const char *precision,
                                  const struct hb_jobs_mode *mode)
{
  struct bench *b = context;
  for (size_t k = 0; k < b->jobs.n_count; k++) HB_TRY(bench_one(b, scheme, precision, mode, b->jobs.n[k]));
  return HB_OK;
}

/* Whether the paper's seconds are of the same job. */
static int is_paper_job(const struct hb_opts_value *values)
{
  return values[JOB_T_BEGIN].number == 0.25 && values[JOB_T_END].number == 0.5 &&
         values[JOB_ETA].number == 0.01 && values[JOB_EPS].number == 1. / 256;
}

static enum hb_status work(const struct hb_opts *opts)
{
  const char *figure = opts->values[JOB_PLOT].text;
  struct bench b = {.values = opts->values};
  b.table = hb_bench_run_table(b.values[JOB_JSON].given ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout);
  b.plot = (struct hb_plot){.title = b.title, .x_label = "number of particles", .y_label = "wall seconds"};
  HB_TRY(hb_opts_check_most(opts, JOB_REPEAT, HB_JOBS_REPEATS));
  HB_TRY(read_jobs(&b));
  if (figure) HB_TRY(hb_gnuplot_check(figure));
  enum hb_status status = hb_jobs_each(&b.jobs, bench_sizes, &b);
  if (status == HB_OK && figure && is_paper_job(b.values)) status = hb_bench_run_plot_paper(&b.plot);
  if (status == HB_OK && figure) status = hb_plot_write(&b.plot, figure);
  hb_plot_clear(&b.plot);
  return status;
}

const struct hb_opts_command hb_cmd_bench_run = {
    .name = "bench run",
    .summary = "Time whole runs as in the paper's Table 2: a Plummer sphere, clock from t = 0.25 to 0.5.",
    .options = options,
    .option_count = JOB_COUNT,
    .more_help = hb_jobs_list_modes,
    .example = "  holmberg bench run --n 256,1024,4096 --scheme host,bag --plot runs.png\n"
               "  holmberg bench run --n 4096 --scheme bag --mode block/gpu/gpu --phases --json\n",
    .work = work,
    .branch = &hb_cmd_bench_frames,
};
