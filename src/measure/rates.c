/* holmberg bench: how fast and how accurate the schemes of forces are on this machine. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/table.h"
#include "console/commands.h"
#include "console/target.h"
#include "console/terminal.h"
#include "measure/bench.h"
#include "pairs/interaction.h"
#include "perf/fit.h"
#include "perf/machine_model.h"
#include "plot/plot.h"

#include <math.h>
#include <string.h>

struct bench_settings {
  struct hb_bench_params params; /* of each row, except scheme, precision, interaction, n and ni */
  struct hb_counts n, ni;
  struct hb_list schemes, precisions, interactions; /* precisions empty: all */
  const char *plot;
  int json;
};

static const char *interaction_name(size_t k)
{
  return hb_interaction_at(k) ? hb_interaction_at(k)->name : NULL;
}

#define FIELD(member) HB_SETTING_FIELD(struct bench_settings, member)
static const struct hb_setting bench_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(n), "LIST", "1024,4096,16384", .least = 1,
     .help = "numbers of sources, separated by commas"},
    {"ni", 0, HB_SETTING_COUNTS, FIELD(ni), "LIST",
     .help = "numbers of sinks among them (default: all; 1,16,256,4096 for draws)"},
    {"scheme", 0, HB_SETTING_WORDS, FIELD(schemes), "LIST",
     .words = {.at = hb_target_scheme, .what = "scheme"},
     .help = "schemes of forces (default: all except the slow cg2007 and matrix2004, and emulations)"},
    {"precision", 0, HB_SETTING_WORDS, FIELD(precisions), "LIST",
     .words = {.array = hb_precision_names, .what = "precision"},
     .help = "precisions (default: all that a scheme offers)"},
    {"interaction", 0, HB_SETTING_WORDS, FIELD(interactions), "LIST", "gravity_jerk",
     .words = {.at = interaction_name, .what = "interaction"},
     .help = "interactions; only the all-pairs schemes have others than gravity_jerk"},
    {"eps", 0, HB_SETTING_NOT_NEGATIVE, FIELD(params.force.eps), "EPS", "2^-8", .help = "softening"},
    {"seed", 0, HB_SETTING_WHOLE, FIELD(params.seed), "S", "1", .help = "seed of the Plummer sphere"},
    {"check", 0, HB_SETTING_FLAG, FIELD(params.check),
     .help = "force: compare up to 256 sinks with double precision"},
    {"float-positions", 0, HB_SETTING_FLAG, FIELD(params.float_positions),
     .help = "force: round the positions to float first, as for [HI07] Table 2"},
    {"repeat", 0, HB_SETTING_COUNT, FIELD(params.repeat), "R", "7", .most = 1000,
     .help = "number of timings, of which the median counts"},
    {"tuning", 0, HB_SETTING_TEXT, FIELD(params.force.tuning), "WORDS",
     .help = "like \"i_each=4 unroll=8\", for the all-pairs schemes"},
    {"plot", 0, HB_SETTING_TEXT, FIELD(plot), "FILE",
     .help = "force: plot the rates against n with gnuplot, as .png, .svg or .pdf"},
    {0}};
#undef FIELD

/* ---- schemes ---- */

static enum hb_status default_schemes(struct hb_text *text)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++)
    if (!schemes[k].is_historic) HB_TRY(hb_text_append(text, "%s,", schemes[k].name));
  return HB_OK;
}

/* ---- rows of force and draws ---- */

/* One configuration and what was measured of it. */
struct bench_row {
  struct hb_bench_params params; /* interaction named */
  struct hb_bench_result result;
  double ceiling;               /* multiply-adds of the device, operations a second; NaN: does not apply */
  double gpairs, gflops, share; /* 1e9 a second; gflops of the ceiling */
};

#define AT(place) .offset = offsetof(struct bench_row, place)

#define CONFIGURATION                                                                                        \
  {"scheme", HB_TABLE_TEXT, AT(params.force.scheme), "%-10s", "#scheme"},                                    \
      {"precision", HB_TABLE_CHARS, AT(result.precision), "%-11s"},                                          \
      {"interaction", HB_TABLE_TEXT, AT(params.interaction), "%-13s"},                                       \
      {"context", HB_TABLE_CHARS, AT(result.context)}, {"device", HB_TABLE_CHARS, AT(result.device)},        \
      {"n", HB_TABLE_SIZE, AT(params.n), "%8llu"},                                                           \
  {                                                                                                          \
    "ni", HB_TABLE_SIZE, AT(result.ni), "%8llu"                                                              \
  }

static const struct hb_table_column force_columns[] = {
    CONFIGURATION,
    {"ms_median", HB_TABLE_REAL, AT(result.ms_median), "%10.4f", "ms"},
    {"ms_min", HB_TABLE_REAL, AT(result.ms_min), "%10.4f", "min"},
    {"ms_max", HB_TABLE_REAL, AT(result.ms_max), "%10.4f", "max"},
    {"pairs_per_s", HB_TABLE_REAL, AT(result.pairs_per_s)},
    {NULL, HB_TABLE_REAL, AT(gpairs), "%9.4g", "Gpairs/s"},
    {"flops_per_pair", HB_TABLE_INT, AT(result.flops_per_pair), "%5d", "flops"},
    {"gflops", HB_TABLE_REAL, AT(gflops), "%9.4g", "GFLOP/s"},
    {"gflops_20", HB_TABLE_REAL, AT(gpairs), .scale = 20},
    {"gflops_38", HB_TABLE_REAL, AT(gpairs), .scale = 38},
    {"gflops_60", HB_TABLE_REAL, AT(gpairs), .scale = 60},
    {"ceiling_gflops", HB_TABLE_REAL, AT(ceiling), .scale = 1e-9},
    {"ceiling_fraction", HB_TABLE_REAL, AT(share)},
    {NULL, HB_TABLE_REAL, AT(share), "%7.1f%%", "ceiling", 100, "-"},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
    {"send_ms", HB_TABLE_REAL, AT(result.send_ms)},
    {"receive_ms", HB_TABLE_REAL, AT(result.receive_ms)},
    /* with --check */
    {"acc_rms", HB_TABLE_REAL, AT(result.acc_rms), "%8.1e", "acc rms"},
    {"acc_max", HB_TABLE_REAL, AT(result.acc_max), "%8.1e", "acc max"},
    {"jerk_rms", HB_TABLE_REAL, AT(result.jerk_rms), "%8.1e", "jerk rms"},
    {"jerk_max", HB_TABLE_REAL, AT(result.jerk_max)},
    {"pot_rms", HB_TABLE_REAL, AT(result.pot_rms), "%8.1e", "pot rms"},
    {"pot_max", HB_TABLE_REAL, AT(result.pot_max)},
    {"acc_floor", HB_TABLE_REAL, AT(result.acc_floor), "%8.1e", "floor"},
};
enum { CHECKED_COLUMNS = 7 };

static const struct hb_table_column draws_columns[] = {
    CONFIGURATION,
    {"send_us", HB_TABLE_REAL, AT(result.send_ms), "%11.1f", "send us", 1e3},
    {"draw_us", HB_TABLE_REAL, AT(result.draw_ms), "%11.1f", "draw us", 1e3},
    {"receive_us", HB_TABLE_REAL, AT(result.receive_ms), "%11.1f", "receive us", 1e3},
    {"cycle_us", HB_TABLE_REAL, AT(result.cycle_ms), "%11.1f", "cycle us", 1e3},
    {"cycle_min_us", HB_TABLE_REAL, AT(result.cycle_min_ms), .scale = 1e3},
    {"block_us", HB_TABLE_REAL, AT(result.block_ms), "%11.1f", "block us", 1e3, "-"},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
};

#undef AT
#undef CONFIGURATION

static void explain_rates(void)
{
  puts("# GFLOP/s = flops x Gpairs/s, with the operations a pair counted in each kernel, a root or quotient "
       "as one;\n"
       "# as others count, multiply Gpairs/s by 20, 38 or 60. ceiling: share of the float multiply-adds a "
       "second\n"
       "# that `holmberg bench ceiling` measures, by fragment programs, for tile by compute programs.");
}

/* ---- one configuration ---- */

/* The state of the loops below, which set scheme, precision and interaction; the options set the rest. */
struct bench {
  struct bench_settings *settings;
  int draws; /* bench draws, else bench force */
  struct hb_table table;
  double ceiling[2]; /* of fragment and compute programs; 0: not measured yet */
  struct hb_plot plot;
  char title[256]; /* of the figure: names the device, or the host if no scheme ran on one */
};

/* The device's multiply-adds per second in programs of the scheme's kind; NaN on the host, and if the measurement fails. */
static double ceiling_for(struct bench *b, const char *scheme)
{
  if (!hb_force_scheme_find(scheme)->needs_gl) return NAN;
  int compute = hb_force_scheme_find(scheme)->is_compute;
  if (b->ceiling[compute] == 0) {
    const struct hb_force_params *params = &b->settings->params.force;
    if (hb_bench_ceiling(params, compute, &b->ceiling[compute]) != HB_OK) b->ceiling[compute] = NAN;
  }
  return b->ceiling[compute];
}

/* A curve has the scheme's color; its name has what else varies. */
static enum hb_status add_to_plot(struct bench *b, const struct bench_row *row)
{
  char member[HB_PLOT_NAME], ni[32] = "";
  int first = b->plot.count == 0, on_host = strcmp(row->result.context, "none") == 0;
  if (first || !on_host) snprintf(b->title, sizeof b->title, "Forces on %s", row->result.device);
  b->plot.title = b->title;
  int several = b->settings->interactions.count > 1;
  if (b->settings->ni.count > 1) snprintf(ni, sizeof ni, ", ni = %zu", row->result.ni);
  snprintf(member, sizeof member, "%s%s%s%s", row->result.precision, several ? ", " : "",
           several ? row->params.interaction : "", ni);
  return hb_plot_add(&b->plot, row->params.force.scheme, member, (double)row->params.n,
                     1e-9 * row->result.pairs_per_s);
}

/* One row of the table. */
static enum hb_status bench_one(struct bench *b, const char *scheme, const char *precision,
                                const char *interaction, uint64_t n, uint64_t ni)
{
  struct hb_bench_params params = b->settings->params;
  params.interaction = interaction;
  params.n = n;
  params.ni = ni;
  params.force.scheme = scheme;
  params.force.precision = precision;
  params.block = b->draws;
  struct bench_row row = {.params = params, .ceiling = NAN};
  HB_TRY(hb_bench_force(&params, &row.result));
  if (!b->draws) row.ceiling = ceiling_for(b, scheme);
  row.gpairs = 1e-9 * row.result.pairs_per_s;
  row.gflops = row.gpairs * row.result.flops_per_pair;
  row.share = row.result.pairs_per_s * row.result.flops_per_pair / row.ceiling;
  hb_table_put(&b->table, &row);
  HB_TRY(add_to_plot(b, &row));
  return hb_terminal_flush();
}

/* ---- all of them ---- */

/* All n and ni of one scheme, precision and interaction. */
static enum hb_status bench_sizes(struct bench *b, const char *scheme, const char *precision,
                                  const char *interaction)
{
  const struct hb_counts *all_n = &b->settings->n, *all_ni = &b->settings->ni;
  for (size_t k = 0; k < all_n->count; k++)
    for (size_t i = 0; i < all_ni->count; i++)
      if (all_ni->n[i] <= all_n->n[k])
        HB_TRY(bench_one(b, scheme, precision, interaction, all_n->n[k], all_ni->n[i]));
  return HB_OK;
}

static enum hb_status bench_scheme(struct bench *b, const char *scheme, const char *interaction)
{
  struct hb_list offered;
  HB_TRY(hb_list_split(hb_force_scheme_find(scheme)->precisions, " ", &offered));
  for (size_t k = 0; k < offered.count; k++) {
    const struct hb_list *precisions = &b->settings->precisions;
    int chosen = !precisions->count || hb_list_has(precisions, offered.words[k]);
    if (chosen) HB_TRY(bench_sizes(b, scheme, offered.words[k], interaction));
  }
  return HB_OK;
}

static enum hb_status bench_schemes(struct bench *b)
{
  const struct hb_list *schemes = &b->settings->schemes, *interactions = &b->settings->interactions;
  for (size_t k = 0; k < interactions->count; k++)
    for (size_t s = 0; s < schemes->count; s++)
      HB_TRY(bench_scheme(b, schemes->words[s], interactions->words[k]));
  return b->table.rows
             ? HB_OK
             : hb_fail(HB_ERR_USAGE, "there is nothing to measure: no scheme has such a precision, or "
                                     "every ni exceeds n");
}

static enum hb_status take_defaults(struct bench_settings *s, int draws)
{
  static const struct hb_counts all_ni[2] = {{{0}, 1}, {{1, 16, 256, 4096}, 4}};
  if (s->ni.count == 0) s->ni = all_ni[draws];
  if (s->schemes.count) return HB_OK;
  struct hb_text all = {0};
  enum hb_status status = default_schemes(&all);
  if (status == HB_OK) status = hb_list_split(all.text, ",", &s->schemes);
  hb_mem_free(all.text);
  return status;
}

/* ---- what can be measured ---- */

static enum hb_table_form form_of(const struct bench_settings *s)
{
  return s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM;
}

static enum hb_status bench_force(struct bench_settings *s)
{
  struct bench b = {.settings = s, .table = {HB_TABLE_COLUMNS(force_columns), form_of(s), stdout, 0}};
  if (!s->params.check) b.table.count -= CHECKED_COLUMNS;
  b.plot = (struct hb_plot){.x_label = "number of particles", .y_label = "Gpairs/s"};
  HB_TRY(take_defaults(s, 0));
  if (s->plot) HB_TRY(hb_plot_check(s->plot));
  enum hb_status status = bench_schemes(&b);
  if (status == HB_OK && !s->json) explain_rates();
  if (status == HB_OK && s->plot) status = hb_plot_write(&b.plot, s->plot);
  hb_plot_clear(&b.plot);
  return status;
}

static enum hb_status bench_draws(struct bench_settings *s)
{
  const char *of_force = s->params.check             ? "check"
                         : s->params.float_positions ? "float-positions"
                         : s->plot                   ? "plot"
                                                     : NULL;
  if (of_force) return hb_fail(HB_ERR_USAGE, "option --%s belongs to 'bench force'", of_force);
  struct bench b = {
      .settings = s, .draws = 1, .table = {HB_TABLE_COLUMNS(draws_columns), form_of(s), stdout, 0}};
  HB_TRY(take_defaults(s, 1));
  enum hb_status status = bench_schemes(&b);
  hb_plot_clear(&b.plot);
  return status;
}

static enum hb_status bench_ceiling(struct bench_settings *s)
{
  if (hb_ranks_number() > 0) return HB_OK; /* several at once would share a device */
  struct ceiling {
    const char *program;
    double flops;
  };
  static const struct hb_table_column bench_columns[] = {
      {"program", HB_TABLE_TEXT, .offset = offsetof(struct ceiling, program)},
      {"gflops", HB_TABLE_REAL, .offset = offsetof(struct ceiling, flops), .scale = 1e-9}};
  struct hb_table json = {HB_TABLE_COLUMNS(bench_columns), HB_TABLE_JSON_FORM, stdout, 0};
  for (int compute = 0; compute < 2; compute++) {
    struct ceiling row = {compute ? "compute" : "fragment", 0};
    HB_TRY(hb_bench_ceiling(&s->params.force, compute, &row.flops));
    if (s->json)
      hb_table_put(&json, &row);
    else
      printf("%-8s programs: %.4g GFLOP/s of multiply-adds\n", row.program, 1e-9 * row.flops);
  }
  return hb_terminal_flush();
}

/* ---- messages: what it takes ranks to add up the forces of a block ---- */

enum { MESSAGES = 9 }; /* of 1, 4, 16 ... 65536 sinks */
enum { NUMBERS = 7, SUMS = 9 /* samples */ };
static const double SUMS_S = 5e-3;

/* The sum of the forces on so many sinks over all ranks of this run. */
struct message {
  size_t sinks, bytes;
  double seconds;
};

static void add_words(size_t words, void *into, const void *other)
{
  double *sums = into;
  const double *more = other;
  for (size_t k = 0; k < words; k++) sums[k] += more[k];
}

static enum hb_status time_sums(size_t words, int count, double *data, double *room, double *seconds)
{
  double start = hb_clock_now();
  for (int k = 0; k < count; k++) HB_TRY(hb_ranks_sum(words, data, room, add_words));
  *seconds = (hb_clock_now() - start) / count;
  return HB_OK;
}

/* The median of samples, each of as many sums as rank 0 did in some milliseconds. */
static enum hb_status time_message(size_t words, double *data, double *room, double *seconds)
{
  double samples[SUMS], once;
  HB_TRY(time_sums(words, 3, data, room, &once));
  HB_TRY(hb_ranks_share(&once, sizeof once));
  int count = 1 + (int)fmin(1000, SUMS_S / once);
  for (int k = 0; k < SUMS; k++) HB_TRY(time_sums(words, count, data, room, &samples[k]));
  *seconds = hb_fit_median(SUMS, samples);
  return HB_OK;
}

/* Of the two terms of a message. */
static enum hb_status fit_network(const struct message messages[MESSAGES], struct hb_network *network)
{
  double x[2 * MESSAGES], y[MESSAGES], t[2], error[2];
  double stages = ceil(log2(hb_ranks_count()));
  for (size_t k = 0; k < MESSAGES; k++) {
    x[2 * k] = stages;
    x[2 * k + 1] = stages * (double)messages[k].bytes;
    y[k] = messages[k].seconds;
  }
  HB_TRY(hb_fit_terms(MESSAGES, 2, x, y, t, error));
  *network = (struct hb_network){.ranks = hb_ranks_count(), .t_message = t[0], .t_byte = t[1]};
  return HB_OK;
}

/* Collective (base/ranks.h). Errors: HB_ERR_USAGE (one rank alone), HB_ERR_IO. */
static enum hb_status time_messages(struct message messages[MESSAGES], struct hb_network *network)
{
  if (hb_ranks_count() == 1)
    return hb_fail(HB_ERR_USAGE, "messages need two ranks: mpirun -n 2 holmberg bench messages");
  size_t most = NUMBERS * ((size_t)1 << 2 * (MESSAGES - 1));
  double *data = NULL, *room = NULL;
  enum hb_status status = HB_ALLOC(most, &data);
  if (status == HB_OK) status = HB_ALLOC(most, &room);
  status = hb_ranks_agree(status);
  for (int k = 0; k < MESSAGES && status == HB_OK; k++) {
    struct message *m = &messages[k];
    m->sinks = (size_t)1 << 2 * k;
    m->bytes = NUMBERS * sizeof *data * m->sinks;
    status = time_message(NUMBERS * m->sinks, data, room, &m->seconds);
  }
  if (status == HB_OK) status = fit_network(messages, network);
  HB_FREE(data, room);
  return status;
}

/* A row for each size, and the two constants that fit them. */
static enum hb_status bench_messages(struct bench_settings *s)
{
  struct bench_row {
    const char *record;
    struct message message;
    struct hb_network network;
  };
#define AT(place) .offset = offsetof(struct bench_row, place)
  static const struct hb_table_column bench_columns[] = {
      {"record", HB_TABLE_TEXT, AT(record)},
      {"ranks", HB_TABLE_INT, AT(network.ranks), "%6d", "#ranks"},
      {"sinks", HB_TABLE_SIZE, AT(message.sinks), "%8llu"},
      {"bytes", HB_TABLE_SIZE, AT(message.bytes), "%9llu"},
      {"us", HB_TABLE_REAL, AT(message.seconds), "%12.2f", "microseconds", .scale = 1e6}};
  static const struct hb_table_column fit[] = {{"record", HB_TABLE_TEXT, AT(record)},
                                               {"ranks", HB_TABLE_INT, AT(network.ranks)},
                                               {"t_message", HB_TABLE_REAL, AT(network.t_message)},
                                               {"t_byte", HB_TABLE_REAL, AT(network.t_byte)}};
#undef AT
  struct message messages[MESSAGES];
  struct bench_row row = {.record = "message"};
  struct hb_table table = {HB_TABLE_COLUMNS(bench_columns), form_of(s), stdout, 0};
  HB_TRY(time_messages(messages, &row.network));
  for (size_t k = 0; k < MESSAGES; k++) {
    row.message = messages[k];
    hb_table_put(&table, &row);
  }
  row.record = "network";
  struct hb_table line = {HB_TABLE_COLUMNS(fit), HB_TABLE_JSON_FORM, stdout, 0};
  if (s->json)
    hb_table_put(&line, &row);
  else
    printf("# a message between two ranks takes %.3g microseconds, and %.3g for each megabyte\n",
           1e6 * row.network.t_message, 1e12 * row.network.t_byte);
  return hb_terminal_flush();
}

static const struct measurement {
  const char *name, *help;
  enum hb_status (*work)(struct bench_settings *settings); /* NULL: a command of its own */
} measurements[] = {
    {"force", "pairs per second, and with --check errors relative to double precision", bench_force},
    {"draws", "microseconds of upload, draw, readback, of all three together, and of a block's part",
     bench_draws},
    {"ceiling", "multiply-adds per second in programs that do nothing else", bench_ceiling},
    {"messages", "with mpirun: what it takes ranks to add up the forces of a block, for 'model predict'",
     bench_messages},
    {"run", "whole runs, the paper's Table 2; see 'holmberg bench run --help'", NULL},
    {"frames", "what drawing a run costs; see 'holmberg bench frames --help'", NULL},
};
enum { MEASUREMENTS = sizeof measurements / sizeof *measurements };

static const char *measurement_name(size_t k) { return k < MEASUREMENTS ? measurements[k].name : NULL; }

static enum hb_status bench_what(const struct hb_opts *opts)
{
  const struct hb_words names = {.at = measurement_name, .what = "measurement"};
  const char *name = opts->operands[0];
  int k = hb_words_find(names, name);
  if (k < 0) return hb_words_unknown(names, name);
  if (measurements[k].work) return measurements[k].work(opts->settings);
  return hb_fail(HB_ERR_USAGE, "'%s' has options of its own and must directly follow 'bench'", name);
}

static void list_measurements(const struct hb_help *help)
{
  help->heading("measurements", help->out);
  for (int k = 0; k < MEASUREMENTS; k++) help->entry(measurements[k].name, measurements[k].help, help->out);
}

const struct hb_opts_command hb_cmd_bench = {
    .name = "bench",
    .summary = "Measure the schemes of forces: speed, and errors relative to double precision.",
    .operand = "WHAT",
    .operand_words.at = measurement_name,
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = bench_options},
               {.options = hb_opts_place, .at = offsetof(struct bench_settings, params.force)},
               {.options = hb_opts_json, .at = offsetof(struct bench_settings, json)}},
    .settings_size = sizeof(struct bench_settings),
    .more_help = list_measurements,
    .by_ranks = 1,
    .example = "  holmberg bench force --scheme bag,tile --n 4096,65536 --check --plot rates.png\n"
               "  holmberg bench draws --scheme bag --precision single --n 16384\n",
    .work = bench_what,
};
