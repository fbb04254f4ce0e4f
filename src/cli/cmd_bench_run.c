/* holmberg bench run: whole runs as in [PZ07] Table 2, for a list of N, schemes and modes. */
#include "cli/cmd.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "measure/bench_run.h"
#include "measure/jobs.h"
#include "perf/paper.h"
#include "plot/plot.h"
#include "run/run_settings.h"

#include <math.h>

struct settings {
  struct hb_bench_run_params run; /* of each job, except scheme, precision, mode and n */
  struct hb_jobs jobs;
  const char *plot;
  int json;
};

#define RUN(member) HB_OPTS_FIELD(struct hb_bench_run_params, member)
const struct hb_opts_option hb_cmd_job_options[] = {
    {"t-begin", 0, HB_OPTS_NOT_NEGATIVE, RUN(t_begin), "T", "0.25",
     .help = "time at which clock and counts start; the run starts at 0"},
    {"t-end", 0, HB_OPTS_POSITIVE, RUN(t_end), "T", "0.5", .help = "time at which they stop"},
    {"repeat", 0, HB_OPTS_COUNT, RUN(repeat), "R", "1", .most = HB_JOBS_REPEATS,
     .help = "runs of each job, of which the one of median time counts"},
    {"tuning", 0, HB_OPTS_TEXT, RUN(sim.force.tuning), "WORDS",
     .help = "like \"i_each=4 unroll=8\" (default: as measured on this device)"},
    {"no-tune", 0, HB_OPTS_FLAG, RUN(sim.force.flags), .bit = HB_FORCE_NO_TUNE,
     .help = "use safe defaults instead of measured tuning"},
    {0}};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"n", 'n', HB_OPTS_COUNTS, FIELD(jobs.n), "LIST", "256,1024,4096", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"seed", 0, HB_OPTS_WHOLE, FIELD(run.seed), "S", "1",
     .help = "seed of the Plummer sphere, as in 'holmberg ic plummer'"},
    {"phases", 0, HB_OPTS_FLAG, FIELD(run.sim.force.flags), .bit = HB_FORCE_PHASES,
     .help = "time the phases separately, waiting for the device between them; takes longer"},
    {"checkpoint", 0, HB_OPTS_TEXT, FIELD(run.checkpoint), "FILE",
     .help = "for one long job: keep it in FILE, every minute and when it is stopped; the same command "
             "continues from there, and removes FILE when the job is done"},
    {"plot", 0, HB_OPTS_TEXT, FIELD(plot), "FILE",
     .help = "plot seconds against n, with the paper's, with gnuplot, as .png, .svg or .pdf"},
    {0}};

/* ---- the figure ---- */

/* Wall seconds against n: a color for each scheme and precision, dashes and marks by mode. */
static enum hb_status add_to_plot(struct hb_plot *plot, const struct hb_bench_run_row *row)
{
  char family[HB_PLOT_NAME];
  snprintf(family, sizeof family, "%s %s", row->result.scheme, row->result.precision);
  return hb_plot_add(plot, family, row->mode, (double)row->params.n, row->result.wall_s);
}

/* The columns of Table 2 for about the numbers of particles in the figure. */
static enum hb_status add_paper(struct hb_plot *plot)
{
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < plot->count; k++)
    for (size_t p = 0; p < plot->curves[k].count; p++) {
      least = fmin(least, plot->curves[k].points[p].x);
      most = fmax(most, plot->curves[k].points[p].x);
    }
  char machine[HB_PAPER_CELL];
  for (size_t column = 1; hb_paper_cell("table2", 0, column, machine); column++)
    for (size_t row = 1; hb_paper_number("table2", row, 0) > 0; row++) {
      double n = hb_paper_number("table2", row, 0);
      if (2 * n >= least && n <= 2 * most)
        HB_TRY(hb_plot_add_reference(plot, machine, "2007", n, hb_paper_number("table2", row, column)));
    }
  return HB_OK;
}

/* ---- one row ---- */

struct bench {
  const struct settings *settings;
  struct hb_plot plot;
  char title[256];
  struct hb_table table;
};

static enum hb_status bench_one(struct bench *b, const struct hb_force_scheme *scheme, const char *precision,
                                const struct hb_jobs_mode *mode, size_t n)
{
  const struct settings *s = b->settings;
  struct hb_bench_run_params params = hb_jobs_params(&s->run, scheme, precision, mode);
  params.n = n;
  struct hb_bench_run_result result;
  hb_jobs_announce(&params, 1);
  HB_TRY(hb_bench_run(&params, &result));
  const struct hb_bench_run_row row =
      hb_bench_run_row(&params, &result, mode->name, hb_rounding_names[params.sim.rounding]);
  hb_table_put(&b->table, &row);
  if (b->table.rows == 1 || scheme->needs_gl)
    snprintf(b->title, sizeof b->title, "A Plummer sphere from t = %g to %g on %s", params.t_begin,
             params.t_end, result.device);
  HB_TRY(add_to_plot(&b->plot, &row));
  return hb_terminal_flush();
}

/* ---- all of them ---- */

static enum hb_status bench_sizes(void *context, const struct hb_force_scheme *scheme, const char *precision,
                                  const struct hb_jobs_mode *mode)
{
  struct bench *b = context;
  const struct hb_counts *n = &b->settings->jobs.n;
  for (size_t k = 0; k < n->count; k++) HB_TRY(bench_one(b, scheme, precision, mode, n->n[k]));
  return HB_OK;
}

/* Whether the paper timed the same job. */
static int is_paper_job(const struct hb_bench_run_params *run)
{
  return run->t_begin == 0.25 && run->t_end == 0.5 && run->sim.eta == 0.01 && run->sim.force.eps == 1. / 256;
}

static enum hb_status check_checkpoint(const struct settings *s)
{
  const struct hb_jobs *jobs = &s->jobs;
  if (!s->run.checkpoint) return HB_OK;
  if (jobs->n.count != 1 || jobs->schemes.count != 1 || jobs->precisions.count > 1 || jobs->modes.count != 1)
    return hb_fail(
        HB_ERR_USAGE,
        "option --checkpoint is for one job: name one --n, --scheme and --mode, and at most one --precision");
  hb_signals_watch();
  return HB_OK;
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  struct bench b = {.settings = s};
  b.table = hb_bench_run_table(s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout);
  b.plot = (struct hb_plot){.title = b.title, .x_label = "number of particles", .y_label = "wall seconds"};
  HB_TRY(check_checkpoint(s));
  HB_TRY(hb_jobs_take_default(&s->run.sim.force, &s->jobs));
  if (s->plot) HB_TRY(hb_plot_check(s->plot));
  enum hb_status status = hb_jobs_each(&s->jobs, bench_sizes, &b);
  if (status == HB_OK && s->plot && is_paper_job(&s->run)) status = add_paper(&b.plot);
  if (status == HB_OK && s->plot) status = hb_plot_write(&b.plot, s->plot);
  hb_plot_clear(&b.plot);
  return status;
}

enum { SIM = offsetof(struct settings, run.sim) };

const struct hb_opts_command hb_cmd_bench_run = {
    .name = "bench run",
    .summary = "Time whole runs as in the paper's Table 2: a Plummer sphere from t = 0.25 to 0.5.",
    .groups = {{.options = options},
               {.options = hb_jobs_options, .at = offsetof(struct settings, jobs)},
               {.options = hb_run_accuracy_options, .at = SIM},
               {.options = hb_run_block_options, .at = SIM},
               {.options = hb_cmd_job_options, .at = offsetof(struct settings, run)},
               {.options = hb_opts_place, .at = offsetof(struct settings, run.sim.force)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .more_help = hb_jobs_list_modes,
    .by_ranks = 1,
    .has_no_units = 1,
    .example = "  holmberg bench run --n 256,1024,4096 --scheme host,bag --plot runs.png\n"
               "  holmberg bench run --n 4096 --scheme bag --mode block/gpu/gpu --phases --json\n",
    .work = work,
};
