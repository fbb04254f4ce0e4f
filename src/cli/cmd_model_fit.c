/* holmberg model fit: the constants of the paper's model for this machine. */
#include "base/clock.h"
#include "base/file.h"
#include "measure/bench_table.h"
#include "cli/cmd.h"
#include "measure/jobs.h"
#include "measure/model_record.h"
#include "run/run.h"
#include "console/target.h"
#include "console/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIT_N,
  FIT_SEEDS,
  FIT_REPEAT,
  FIT_SCHEME,
  FIT_PRECISION,
  FIT_MODE,
  FIT_ROUNDING,
  FIT_ETA,
  FIT_EPS,
  FIT_T_BEGIN,
  FIT_T_END,
  FIT_TUNING,
  FIT_NO_TUNE,
  FIT_CONTEXT,
  FIT_DEVICE,
  FIT_OUTPUT,
  FIT_JSON,
  FIT_COUNT
};

static const struct hb_opts_option options[FIT_COUNT] = {
    [FIT_N] = {"n", 'n', HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", "256,512,1024,2048,4096", NULL,
               "numbers of particles, at least three, ascending, separated by commas"},
    [FIT_SEEDS] = {"seeds", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "K", "3", NULL,
                   "Plummer spheres of each n, with seeds 1 to K"},
    [FIT_REPEAT] = {"repeat", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "R", "1", NULL,
                    "whole runs of each sphere, of which the one of median time counts"},
    [FIT_SCHEME] = {"scheme", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                    "schemes of forces (default: the one that 'holmberg run' takes here)"},
    [FIT_PRECISION] = {"precision", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                       "precisions (default: the first that a scheme offers)"},
    [FIT_MODE] = {"mode", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                  "modes, see below (default: those of the paper's Fig. 5 that a scheme offers)"},
    [FIT_ROUNDING] = {"step-rounding", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", "down", NULL,
                      "how steps become powers of two, each a fit of its own: down, nearest, up"},
    [FIT_ETA] = {"eta", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "NU", "0.01", NULL,
                 "accuracy of the time step, nu of the paper"},
    [FIT_EPS] = {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "1/256", NULL, "softening"},
    [FIT_T_BEGIN] = {"t-begin", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "T", "0.25", NULL,
                     "time at which counts and clocks start; the run starts at 0"},
    [FIT_T_END] = {"t-end", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "T", "0.5", NULL,
                   "time at which they stop"},
    [FIT_TUNING] = {"tuning", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WORDS", NULL, NULL,
                    "like \"i_each=4 unroll=8\" (default: as measured on this device)"},
    [FIT_NO_TUNE] = {"no-tune", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                     "safe defaults in place of what was or would be measured on this device"},
    [FIT_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "C", NULL, NULL,
                     "egl, osmesa, glfw or auto"},
    [FIT_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
                    "INDEX, /dev/dri/... or software"},
    [FIT_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                    "write the lines of --json, for 'model predict' (default: not written)"},
    [FIT_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                  "lines of JSON in place of the tables, see below"},
};

/* What is under way. */
struct fitting {
  const struct hb_opts_value *values;
  struct hb_jobs jobs;
  struct hb_list roundings;
  FILE *lines;                   /* of -o; NULL: not wanted */
  struct hb_model_record record; /* of the fit under way    */
  double began, done, all;       /* of its runs, in N^2.16  */
};

/* ---- one fit ---- */

static struct hb_bench_run_params run_params(const struct fitting *f, const struct hb_force_scheme *scheme,
                                             const char *precision, const struct hb_jobs_mode *mode)
{
  const struct hb_opts_value *values = f->values;
  struct hb_bench_run_params params = {
      .sim = {.force = {.scheme = scheme->name,
                        .precision = precision,
                        .context = values[FIT_CONTEXT].text,
                        .device = values[FIT_DEVICE].text,
                        .tuning = scheme->needs_gl ? values[FIT_TUNING].text : NULL,
                        .eps = values[FIT_EPS].number,
                        .flags = HB_FORCE_PHASES | (values[FIT_NO_TUNE].given ? HB_FORCE_NO_TUNE : 0)},
              .eta = values[FIT_ETA].number,
              .dt_max = 0.125,
              .dt_min = 0x1p-26,
              .transfer = mode->transfer,
              .predict = mode->predict,
              .correct = mode->correct},
      .t_begin = values[FIT_T_BEGIN].number,
      .t_end = values[FIT_T_END].number,
      .repeat = (int)values[FIT_REPEAT].count,
  };
  return params;
}

/* A run grows as N^0.35 block steps of N^0.81 by N pairs. */
static double work_of(size_t n) { return pow((double)n, 2.16); }

static enum hb_status measured(const struct hb_bench_run_params *job,
                               const struct hb_bench_run_result *result, void *context)
{
  struct fitting *f = context;
  struct hb_model_record *r = &f->record;
  struct hb_bench_run_row row = hb_bench_run_row(job, result, r->mode, r->rounding);
  struct hb_table kept = hb_bench_run_table(HB_TABLE_JSON_FORM, f->lines);
  struct hb_table shown = hb_bench_run_table(HB_TABLE_JSON_FORM, stdout);
  row.record = "run";
  r->last = *result;
  f->done += work_of(job->n);
  if (f->lines) hb_table_put(&kept, &row);
  if (f->values[FIT_JSON].given) {
    hb_table_put(&shown, &row);
    return hb_terminal_flush();
  }
  if (hb_terminal_is_live()) hb_terminal_progress(f->done / f->all, hb_clock_now() - f->began);
  return HB_OK;
}

static enum hb_status show(struct fitting *f)
{
  const struct hb_model_record *r = &f->record;
  FILE *const outs[] = {f->lines, f->values[FIT_JSON].given ? stdout : NULL};
  for (size_t k = 0; k < 2; k++)
    if (outs[k]) hb_model_record_write(r, outs[k]);
  hb_terminal_clear_progress();
  if (!f->values[FIT_JSON].given) hb_model_record_show(r);
  return hb_terminal_flush();
}

static enum hb_status fit_one(struct fitting *f, const struct hb_bench_run_params *run)
{
  struct hb_model_size sizes[HB_LIST_WORDS];
  struct hb_model_fit fit;
  const struct hb_model_fit_params params = {.run = *run,
                                             .n = f->jobs.n,
                                             .n_count = f->jobs.n_count,
                                             .seeds = (int)f->values[FIT_SEEDS].count,
                                             .measured = measured,
                                             .context = f};
  f->began = hb_clock_now();
  f->done = f->all = 0;
  for (size_t k = 0; k < params.n_count; k++) f->all += params.seeds * work_of(params.n[k]);
  struct hb_bench_run_params largest = *run;
  largest.n = params.n[params.n_count - 1];
  hb_jobs_announce(&largest, params.seeds);
  HB_TRY(hb_model_fit(&params, sizes, &fit));
  f->record.params = &params;
  f->record.sizes = sizes;
  f->record.fit = &fit;
  return show(f);
}

/* ---- all of them ---- */

static enum hb_status fit_roundings(void *context, const struct hb_force_scheme *scheme,
                                    const char *precision, const struct hb_jobs_mode *mode)
{
  struct fitting *f = context;
  struct hb_bench_run_params run = run_params(f, scheme, precision, mode);
  for (size_t k = 0; k < f->roundings.count; k++) {
    f->record = (struct hb_model_record){.scheme = scheme->name,
                                         .precision = precision,
                                         .mode = mode->name,
                                         .rounding = f->roundings.words[k]};
    run.sim.rounding = HB_ROUND_DOWN;
    while (strcmp(hb_run_rounding(run.sim.rounding), f->record.rounding) != 0) run.sim.rounding++;
    HB_TRY(fit_one(f, &run));
  }
  return HB_OK;
}

static enum hb_status read_options(const struct hb_opts *opts, struct fitting *f)
{
  const struct hb_opts_value *v = f->values;
  const struct hb_jobs_words words = {.n = v[FIT_N].text,
                                      .schemes = v[FIT_SCHEME].text,
                                      .precisions = v[FIT_PRECISION].text,
                                      .modes = v[FIT_MODE].text,
                                      .context = v[FIT_CONTEXT].text,
                                      .device = v[FIT_DEVICE].text};
  HB_TRY(hb_list_choose(v[FIT_ROUNDING].text, "rounding", hb_run_rounding, &f->roundings));
  HB_TRY(hb_opts_check_most(opts, FIT_SEEDS, HB_JOBS_REPEATS));
  HB_TRY(hb_opts_check_most(opts, FIT_REPEAT, HB_JOBS_REPEATS));
  if (v[FIT_OUTPUT].given) HB_TRY(hb_target_check(v[FIT_OUTPUT].text, "text"));
  return hb_jobs_read(&words, &f->jobs);
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct fitting f = {.values = opts->values};
  const char *path = opts->values[FIT_OUTPUT].text;
  char *bytes = NULL;
  size_t count = 0;
  HB_TRY(read_options(opts, &f));
  if (path && !(f.lines = open_memstream(&bytes, &count)))
    return hb_fail(HB_ERR_INTERNAL, "no memory for the lines of %s: %s", path, strerror(errno));
  enum hb_status status = hb_jobs_each(&f.jobs, fit_roundings, &f);
  if (f.lines && fclose(f.lines) != 0 && status == HB_OK)
    status = hb_fail(HB_ERR_INTERNAL, "no memory for the lines of %s", path);
  if (f.lines && status == HB_OK) status = hb_file_replace(path, bytes, count);
  free(bytes);
  return status;
}

static void more_help(FILE *out)
{
  hb_jobs_list_modes(out);
  hb_model_record_help(out);
}

const struct hb_opts_command hb_cmd_model_fit = {
    .name = "model fit",
    .summary = "Measure the constants of the paper's Table 3 and eqs 14 and 17 on this machine.",
    .options = options,
    .option_count = FIT_COUNT,
    .more_help = more_help,
    .example =
        "  holmberg model fit --scheme host,bag -o fit.jsonl\n"
        "  holmberg model fit --scheme host-simd --precision ds --step-rounding down,nearest,up --json\n",
    .branch = &hb_cmd_model_predict,
    .work = work,
};
