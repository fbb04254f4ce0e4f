/* holmberg bench: how fast and how exact the sources of forces are on this machine. */
#include "base/mem.h"
#include "measure/bench_output.h"
#include "cli/cmd.h"
#include "plot/gnuplot.h"
#include "measure/jobs.h"
#include "plot/plot.h"
#include "console/terminal.h"

#include <math.h>
#include <string.h>

enum {
  BENCH_N,
  BENCH_NI,
  BENCH_SCHEME,
  BENCH_PRECISION,
  BENCH_INTERACTION,
  BENCH_EPS,
  BENCH_SEED,
  BENCH_CHECK,
  BENCH_FLOAT,
  BENCH_REPEAT,
  BENCH_TUNING,
  BENCH_CONTEXT,
  BENCH_DEVICE,
  BENCH_PLOT,
  BENCH_JSON,
  BENCH_COUNT
};

static const struct hb_opts_option options[BENCH_COUNT] = {
    [BENCH_N] = {"n", 'n', HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", "1024,4096,16384", NULL,
                 "numbers of sources, separated by commas"},
    [BENCH_NI] = {"ni", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                  "numbers of sinks among them (default: all; for draws 1,16,256,4096)"},
    [BENCH_SCHEME] =
        {"scheme", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
         "schemes of forces (default: all but cg2007 and matrix2004, which are slow, and grape6)"},
    [BENCH_PRECISION] = {"precision", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                         "precisions (default: all that a scheme offers)"},
    [BENCH_INTERACTION] = {"interaction", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", "gravity_jerk",
                           NULL, "interactions; others than gravity_jerk by the all-pairs schemes only"},
    [BENCH_EPS] = {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "2^-8", NULL, "softening"},
    [BENCH_SEED] = {"seed", 0, HB_OPTS_WHOLE, HB_OPTS_SHAPES_RESULT, "S", "1", NULL,
                    "seed of the Plummer sphere"},
    [BENCH_CHECK] = {"check", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                     "force: compare up to 256 sinks with double precision"},
    [BENCH_FLOAT] = {"float-positions", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                     "round the positions to float first, as [HI07] Table 2 had them"},
    [BENCH_REPEAT] = {"repeat", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "R", "7", NULL,
                      "samples of each time"},
    [BENCH_TUNING] = {"tuning", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WORDS", NULL, NULL,
                      "like \"i_each=4 unroll=8\", for the all-pairs schemes"},
    [BENCH_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "C", NULL, NULL,
                       "egl, osmesa, glfw or auto"},
    [BENCH_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
                      "INDEX, /dev/dri/... or software"},
    [BENCH_PLOT] = {"plot", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                    "force: draw the rates against n with gnuplot, as .png, .svg or .pdf"},
    [BENCH_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                    "one line of JSON for each row"},
};

/* ---- schemes ---- */

static enum hb_status default_schemes(struct hb_text *text)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++)
    if (!schemes[k].is_historic) HB_TRY(hb_text_append(text, "%s,", schemes[k].name));
  return HB_OK;
}

/* ---- one configuration ---- */

/* What is under way: the loops below name schemes, precisions and interactions, the options the rest. */
struct bench {
  const struct hb_opts *opts;
  int draws; /* bench draws: else bench force */
  size_t n[HB_LIST_WORDS], ni[HB_LIST_WORDS], n_count, ni_count;
  struct hb_list schemes, precisions, interactions; /* precisions empty: all that there are */
  size_t rows;                                      /* shown */
  double ceiling[2]; /* of fragment and compute programs; 0: not measured yet */
  struct hb_plot plot;
  char title[256]; /* of the figure: the device, or the host where no scheme ran on one */
};

static struct hb_force_params force_params(const struct hb_opts *opts)
{
  return (struct hb_force_params){.context = opts->values[BENCH_CONTEXT].text,
                                  .device = opts->values[BENCH_DEVICE].text,
                                  .tuning = opts->values[BENCH_TUNING].text,
                                  .eps = opts->values[BENCH_EPS].number};
}

/* The device's multiply-adds a second by the kind of program that the scheme is; NaN on the host, and where the
 * measurement fails. */
static double ceiling_for(struct bench *b, const char *scheme)
{
  if (!hb_force_scheme_find(scheme)->needs_gl) return NAN;
  int compute = hb_force_scheme_find(scheme)->is_compute;
  if (b->ceiling[compute] == 0) {
    const struct hb_force_params params = force_params(b->opts);
    if (hb_bench_ceiling(&params, compute, &b->ceiling[compute]) != HB_OK) b->ceiling[compute] = NAN;
  }
  return b->ceiling[compute];
}

/* The header is printed with the first row: what fails before that prints none. */
static void show(struct bench *b, const struct hb_bench_output_row *row)
{
  int json = b->opts->values[BENCH_JSON].given;
  if (b->rows++ == 0 && !json)
    b->draws ? hb_bench_output_draws_header() : hb_bench_output_force_header(row->params);
  if (b->draws && json)
    hb_bench_output_draws_json(row);
  else if (b->draws)
    hb_bench_output_draws_row(row);
  else if (json)
    hb_bench_output_force_json(row);
  else
    hb_bench_output_force_row(row);
}

/* A curve has the scheme's colour; its name tells what else there is more than one of. */
static enum hb_status add_to_plot(struct bench *b, const struct hb_bench_output_row *row)
{
  char member[HB_PLOT_NAME], ni[32] = "";
  int first = b->plot.count == 0, on_host = strcmp(row->result->context, "none") == 0;
  if (first || !on_host) snprintf(b->title, sizeof b->title, "Forces on %s", row->result->device);
  b->plot.title = b->title;
  int several = b->interactions.count > 1;
  if (b->ni_count > 1) snprintf(ni, sizeof ni, ", ni = %zu", row->result->ni);
  snprintf(member, sizeof member, "%s%s%s%s", row->result->precision, several ? ", " : "",
           several ? row->params->interaction : "", ni);
  return hb_plot_add(&b->plot, row->params->force.scheme, member, (double)row->params->n,
                     1e-9 * row->result->pairs_per_s);
}

/* One row of the table. */
static enum hb_status bench_one(struct bench *b, const char *scheme, const char *precision,
                                const char *interaction, uint64_t n, uint64_t ni)
{
  const struct hb_opts_value *values = b->opts->values;
  struct hb_bench_params params = {.force = force_params(b->opts),
                                   .interaction = interaction,
                                   .n = n,
                                   .ni = ni,
                                   .repeat = (int)values[BENCH_REPEAT].count,
                                   .check = values[BENCH_CHECK].given,
                                   .float_positions = values[BENCH_FLOAT].given,
                                   .seed = (uint64_t)b->opts->values[BENCH_SEED].count};
  params.force.scheme = scheme;
  params.force.precision = precision;
  struct hb_bench_result result;
  HB_TRY(hb_bench_force(&params, &result));
  const struct hb_bench_output_row row = {&params, &result, b->draws ? NAN : ceiling_for(b, scheme)};
  show(b, &row);
  HB_TRY(add_to_plot(b, &row));
  return hb_terminal_flush();
}

/* ---- all of them ---- */

/* All n and ni of one scheme, precision and interaction. */
static enum hb_status bench_sizes(struct bench *b, const char *scheme, const char *precision,
                                  const char *interaction)
{
  for (size_t k = 0; k < b->n_count; k++)
    for (size_t i = 0; i < b->ni_count; i++)
      if (b->ni[i] <= b->n[k]) HB_TRY(bench_one(b, scheme, precision, interaction, b->n[k], b->ni[i]));
  return HB_OK;
}

static enum hb_status bench_scheme(struct bench *b, const char *scheme, const char *interaction)
{
  struct hb_list offered;
  HB_TRY(hb_list_split(hb_force_scheme_find(scheme)->precisions, " ", &offered));
  for (size_t k = 0; k < offered.count; k++) {
    int chosen = !b->precisions.count || hb_list_has(&b->precisions, offered.words[k]);
    if (chosen) HB_TRY(bench_sizes(b, scheme, offered.words[k], interaction));
  }
  return HB_OK;
}

static enum hb_status bench_schemes(struct bench *b)
{
  for (size_t k = 0; k < b->interactions.count; k++)
    for (size_t s = 0; s < b->schemes.count; s++)
      HB_TRY(bench_scheme(b, b->schemes.words[s], b->interactions.words[k]));
  return b->rows ? HB_OK
                 : hb_fail(HB_ERR_USAGE, "there is nothing to measure: no scheme has such a precision, or "
                                         "every ni is above n");
}

static const char *interaction_choice(size_t k)
{
  size_t count;
  const struct hb_interaction_info *interactions = hb_bench_interactions(&count);
  return k < count ? interactions[k].name : NULL;
}

static enum hb_status read_lists(struct bench *b)
{
  const struct hb_opts_value *values = b->opts->values, *ni = &values[BENCH_NI];
  HB_TRY(hb_opts_check_most(b->opts, BENCH_REPEAT, HB_JOBS_REPEATS));
  const char *precisions = values[BENCH_PRECISION].text, *schemes = values[BENCH_SCHEME].text;
  struct hb_text all = {0};
  HB_TRY(hb_list_counts("option --n", values[BENCH_N].text, 1, b->n, &b->n_count));
  const char *all_ni = b->draws ? "1,16,256,4096" : "0";
  HB_TRY(hb_list_counts("option --ni", ni->given ? ni->text : all_ni, 0, b->ni, &b->ni_count));
  HB_TRY(hb_list_choose(values[BENCH_INTERACTION].text, "interaction", interaction_choice, &b->interactions));
  if (precisions) HB_TRY(hb_list_choose(precisions, "precision", hb_jobs_precision, &b->precisions));
  enum hb_status status = schemes ? HB_OK : default_schemes(&all);
  if (status == HB_OK)
    status = hb_list_choose(schemes ? schemes : all.text, "scheme", hb_jobs_scheme, &b->schemes);
  hb_mem_free(all.text);
  return status;
}

/* ---- what can be measured ---- */

static enum hb_status bench_force(const struct hb_opts *opts)
{
  const char *figure = opts->values[BENCH_PLOT].text;
  int json = opts->values[BENCH_JSON].given;
  struct bench b = {.opts = opts};
  b.plot = (struct hb_plot){.x_label = "number of particles", .y_label = "Gpairs/s"};
  HB_TRY(read_lists(&b));
  if (figure) HB_TRY(hb_gnuplot_check(figure));
  enum hb_status status = bench_schemes(&b);
  if (status == HB_OK && !json) hb_bench_output_force_footer();
  if (status == HB_OK && figure) status = hb_plot_write(&b.plot, figure);
  hb_plot_clear(&b.plot);
  return status;
}

static enum hb_status bench_draws(const struct hb_opts *opts)
{
  static const int of_force[] = {BENCH_CHECK, BENCH_FLOAT, BENCH_PLOT};
  for (size_t k = 0; k < sizeof of_force / sizeof *of_force; k++)
    if (opts->values[of_force[k]].given)
      return hb_fail(HB_ERR_USAGE, "option --%s belongs to 'bench force'", options[of_force[k]].name);
  struct bench b = {.opts = opts, .draws = 1};
  HB_TRY(read_lists(&b));
  enum hb_status status = bench_schemes(&b);
  hb_plot_clear(&b.plot);
  return status;
}

static enum hb_status bench_ceiling(const struct hb_opts *opts)
{
  const struct hb_force_params params = force_params(opts);
  for (int compute = 0; compute < 2; compute++) {
    double flops;
    HB_TRY(hb_bench_ceiling(&params, compute, &flops));
    const char *program = compute ? "compute" : "fragment";
    if (opts->values[BENCH_JSON].given)
      hb_bench_output_ceiling_json(program, flops);
    else
      hb_bench_output_ceiling(program, flops);
  }
  return hb_terminal_flush();
}

static enum hb_status bench_branch(const struct hb_opts *opts)
{
  return hb_fail(HB_ERR_USAGE, "'%s' has options of its own and stands right behind 'bench'",
                 opts->operands[0]);
}

static const struct measurement {
  const char *name, *help;
  enum hb_status (*work)(const struct hb_opts *opts);
} measurements[] = {
    {"force", "pairs a second, and with --check errors against double precision", bench_force},
    {"draws", "microseconds of upload, draw, readback, and of the three in one go", bench_draws},
    {"ceiling", "multiply-adds a second in programs that do nothing else", bench_ceiling},
    {"run", "the paper's Table 2: whole runs; has options of its own, see 'holmberg bench run --help'",
     bench_branch},
    {"frames", "pictures of a running simulation; see 'holmberg bench frames --help'", bench_branch},
};
enum { MEASUREMENTS = sizeof measurements / sizeof *measurements };

static const char *measurement_choice(size_t k) { return k < MEASUREMENTS ? measurements[k].name : NULL; }

static enum hb_status work(const struct hb_opts *opts)
{
  for (int k = 0; k < MEASUREMENTS; k++)
    if (strcmp(opts->operands[0], measurements[k].name) == 0) return measurements[k].work(opts);
  return hb_opts_unknown("measurement", opts->operands[0], measurement_choice);
}

static void list_measurements(FILE *out)
{
  fputs("\nmeasurements:\n", out);
  for (int k = 0; k < MEASUREMENTS; k++)
    hb_opts_help_entry(measurements[k].name, measurements[k].help, "", "", out);
}

const struct hb_opts_command hb_cmd_bench = {
    .name = "bench",
    .summary = "Measure sources of forces: speed, and errors against double precision.",
    .operand = "WHAT",
    .operand_choice = measurement_choice,
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .option_count = BENCH_COUNT,
    .more_help = list_measurements,
    .example = "  holmberg bench force --scheme bag,tile --n 4096,65536 --check --plot rates.png\n"
               "  holmberg bench draws --scheme bag --precision single --n 16384\n",
    .work = work,
    .branch = &hb_cmd_bench_run,
};
