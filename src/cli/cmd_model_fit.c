/* holmberg model fit: the constants of the paper's model for this machine. */
#include "base/clock.h"
#include "base/file.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "measure/bench_run.h"
#include "measure/jobs.h"
#include "measure/model.h"
#include "run/run_settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct settings {
  struct hb_bench_run_params run; /* of each job, except scheme, precision, mode, n and seed */
  struct hb_jobs jobs;
  struct hb_list roundings;
  int seeds, json;
  const char *output;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"n", 'n', HB_OPTS_COUNTS, FIELD(jobs.n), "LIST", "256,512,1024,2048,4096", .least = 2,
     .help = "numbers of particles, at least three, ascending, separated by commas"},
    {"seeds", 0, HB_OPTS_COUNT, FIELD(seeds), "K", "3", .most = HB_JOBS_REPEATS,
     .help = "Plummer spheres for each n, with seeds 1 to K"},
    {"step-rounding", 0, HB_OPTS_WORDS, FIELD(roundings), "LIST", "down",
     .words = {.array = hb_rounding_names, .what = "rounding"},
     .help = "how steps are rounded to powers of two, with a fit for each: down, nearest, up"},
    {"output", 'o', HB_OPTS_TEXT, FIELD(output), "FILE",
     .help = "write the lines of --json to FILE, for 'model predict' (default: none)"},
    {"json", 0, HB_OPTS_FLAG, FIELD(json), .help = "print lines of JSON instead of tables, see below"},
    {0}};

/* The state of the loops below. */
struct fitting {
  const struct settings *settings;
  FILE *lines;                   /* of -o; NULL: not wanted */
  struct hb_model_record record; /* of the current fit      */
  double began, done, all;       /* of its runs, in N^2.16  */
};

/* ---- one fit ---- */

/* The work of a run: N^0.35 block steps of N^0.81 by N pairs. */
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
  if (f->settings->json) {
    hb_table_put(&shown, &row);
    return hb_terminal_flush();
  }
  if (hb_terminal_is_live()) hb_terminal_progress(f->done / f->all, hb_clock_now() - f->began);
  return HB_OK;
}

static enum hb_status show(struct fitting *f)
{
  const struct hb_model_record *r = &f->record;
  FILE *const outs[] = {f->lines, f->settings->json ? stdout : NULL};
  for (size_t k = 0; k < 2; k++)
    if (outs[k]) hb_model_record_write(r, outs[k]);
  hb_terminal_clear_progress();
  if (!f->settings->json) hb_model_record_show(r);
  return hb_terminal_flush();
}

static enum hb_status fit_one(struct fitting *f, const struct hb_bench_run_params *run)
{
  struct hb_model_size sizes[HB_LIST_WORDS];
  struct hb_model_fit fit;
  const struct hb_model_fit_params params = {.run = *run,
                                             .n = f->settings->jobs.n.n,
                                             .n_count = f->settings->jobs.n.count,
                                             .seeds = f->settings->seeds,
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
  struct hb_bench_run_params run = hb_jobs_params(&f->settings->run, scheme, precision, mode);
  const struct hb_list *roundings = &f->settings->roundings;
  for (size_t k = 0; k < roundings->count; k++) {
    f->record = (struct hb_model_record){
        .scheme = scheme->name, .precision = precision, .mode = mode->name, .rounding = roundings->words[k]};
    const struct hb_words names = {.array = hb_rounding_names};
    run.sim.rounding = (enum hb_rounding)hb_words_find(names, f->record.rounding);
    HB_TRY(fit_one(f, &run));
  }
  return HB_OK;
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  struct fitting f = {.settings = s};
  const char *path = s->output;
  char *bytes = NULL;
  size_t count = 0;
  s->run.sim.dt_max = 0.125;
  s->run.sim.dt_min = 0x1p-26;
  s->run.sim.force.flags |= HB_FORCE_PHASES;
  if (path) HB_TRY(hb_target_check(path, "text"));
  HB_TRY(hb_jobs_take_default(&s->run.sim.force, &s->jobs));
  if (path && !(f.lines = open_memstream(&bytes, &count)))
    return hb_fail(HB_ERR_INTERNAL, "no memory for the lines of %s: %s", path, strerror(errno));
  enum hb_status status = hb_jobs_each(&s->jobs, fit_roundings, &f);
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
    .groups = {{.options = options},
               {.options = hb_jobs_options, .at = offsetof(struct settings, jobs)},
               {.options = hb_run_accuracy_options, .at = offsetof(struct settings, run.sim)},
               {.options = hb_cmd_job_options, .at = offsetof(struct settings, run)},
               {.options = hb_opts_place, .at = offsetof(struct settings, run.sim.force)}},
    .settings_size = sizeof(struct settings),
    .more_help = more_help,
    .has_no_units = 1,
    .example =
        "  holmberg model fit --scheme host,bag -o fit.jsonl\n"
        "  holmberg model fit --scheme host-simd --precision ds --step-rounding down,nearest,up --json\n",
    .work = work,
};
