/* holmberg model: fit, the constants of the paper's model for this machine; and predict. */
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "measure/bench_run.h"
#include "measure/jobs.h"
#include "perf/machine_model.h"
#include "sim/sim_settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the output of `model fit` and `model predict`: tables, and lines of JSON, of which the fits are read back ---- */

/* One fit: measurements and results. */
struct model_record {
  const char *scheme, *precision, *mode, *rounding; /* "bag" "ds" "block/gpu/host" "down" */
  const struct hb_model_fit_params *params;         /* every default filled in            */
  struct hb_bench_run_result last;                  /* of its last run: where it ran      */
  const struct hb_model_size *sizes;                /* [params->n_count]                  */
  const struct hb_model_fit *fit;
};

#define AT(place) .offset = offsetof(struct hb_machine, place)

/* What is fitted; the standard error of each is NAME_error. */
static const struct hb_table_column constants[] = {
    {"t_start", HB_TABLE_REAL, AT(t_start)},
    {"t_predict", HB_TABLE_REAL, AT(t_predict)},
    {"t_correct", HB_TABLE_REAL, AT(t_correct)},
    {"t_send", HB_TABLE_REAL, AT(t_send)},
    {"t_receive", HB_TABLE_REAL, AT(t_receive)},
    {"t_source", HB_TABLE_REAL, AT(t_source)},
    {"t_pair", HB_TABLE_REAL, AT(t_pair)},
    {"n_block_coefficient", HB_TABLE_REAL, AT(n_block.c)},
    {"n_block_exponent", HB_TABLE_REAL, AT(n_block.p)},
    {"n_steps_coefficient", HB_TABLE_REAL, AT(n_steps.c)},
    {"n_steps_exponent", HB_TABLE_REAL, AT(n_steps.p)},
};
enum { CONSTANTS = sizeof constants / sizeof *constants };

static double constant_of(const struct hb_machine *machine, size_t k)
{
  double value;
  memcpy(&value, (const char *)machine + constants[k].offset, sizeof value);
  return value;
}

#undef AT

/* A line of either kind. */
struct row {
  const char *record;
  struct model_record of;
  struct hb_model_fit_params params;
  struct hb_model_fit fit;
  struct hb_model_size size;
  double over_eq17, over_eq14;
  size_t n_least, n_most;
};

#define AT(place) .offset = offsetof(struct row, place)
#define JOB                                                                                                  \
  {"record", HB_TABLE_TEXT, AT(record)}, {"scheme", HB_TABLE_TEXT, AT(of.scheme)},                           \
      {"precision", HB_TABLE_TEXT, AT(of.precision)}, {"mode", HB_TABLE_TEXT, AT(of.mode)},                  \
  {                                                                                                          \
    "step_rounding", HB_TABLE_TEXT, AT(of.rounding)                                                          \
  }

static const struct hb_table_column size_columns[] = {
    JOB,
    {"n", HB_TABLE_SIZE, AT(size.n), "%8llu", "#n"},
    {"seeds", HB_TABLE_INT, AT(params.seeds)},
    {"n_steps", HB_TABLE_REAL, AT(size.n_steps), "%8.0f"},
    {"n_steps_over_eq17", HB_TABLE_REAL, AT(over_eq17), "%6.2f", "/eq.17"},
    {"n_block", HB_TABLE_REAL, AT(size.n_block), "%8.1f"},
    {"n_block_over_eq14", HB_TABLE_REAL, AT(over_eq14), "%6.2f", "/eq.14"},
    {"de_rel", HB_TABLE_REAL, AT(size.de_rel), "%9.1e", "|dE/E|"},
    {"de_rel_most", HB_TABLE_REAL, AT(size.de_rel_most)},
    {"measured_s", HB_TABLE_REAL, AT(size.measured_s), "%11.4g", "measured s"},
    {"predicted_s", HB_TABLE_REAL, AT(size.predicted_s), "%11.4g", "fitted s"},
    {"unseen_s", HB_TABLE_REAL, AT(size.unseen_s), "%11.4g", "unseen s", .missing = "-"},
};

/* Before the constants, and after them. */
static const struct hb_table_column fit_columns[] = {
    JOB,
    {"context", HB_TABLE_CHARS, AT(of.last.context)},
    {"device", HB_TABLE_CHARS, AT(of.last.device)},
    {"tuning", HB_TABLE_CHARS, AT(of.last.tuning)},
    {"eta", HB_TABLE_REAL, AT(params.run.sim.eta)},
    {"eps", HB_TABLE_REAL, AT(params.run.sim.force.eps)},
    {"t_begin", HB_TABLE_REAL, AT(params.run.t_begin)},
    {"t_end", HB_TABLE_REAL, AT(params.run.t_end)},
    {"seeds", HB_TABLE_INT, AT(params.seeds)},
    {"sizes", HB_TABLE_SIZE, AT(params.n_count)},
    {"n_least", HB_TABLE_SIZE, AT(n_least)},
    {"n_most", HB_TABLE_SIZE, AT(n_most)},
    {"sends_all", HB_TABLE_TRUTH, AT(fit.machine.sends_all)},
    {"t_host", HB_TABLE_REAL, AT(fit.t_host)},
    {"t_host_error", HB_TABLE_REAL, AT(fit.t_host_error)},
};
static const struct hb_table_column quality_columns[] = {
    {"n_block_deviation", HB_TABLE_REAL, AT(fit.n_block_deviation)},
    {"unseen_deviation", HB_TABLE_REAL, AT(fit.unseen_deviation)},
    {"de_rel", HB_TABLE_REAL, AT(fit.de_rel)},
};

#undef AT
#undef JOB

/* ---- writing ---- */

static struct row row_of(const struct model_record *r, const char *record)
{
  return (struct row){.record = record,
                      .of = *r,
                      .params = *r->params,
                      .fit = *r->fit,
                      .n_least = r->params->n[0],
                      .n_most = r->params->n[r->params->n_count - 1]};
}

static void put_sizes(const struct model_record *r, enum hb_table_form form, FILE *out)
{
  struct hb_table table = {HB_TABLE_COLUMNS(size_columns), form, out, 0};
  struct row row = row_of(r, "size");
  for (size_t k = 0; k < r->params->n_count; k++) {
    struct hb_model_time eqs;
    row.size = r->sizes[k];
    hb_model_predict(hb_machines, (double)row.size.n, &eqs);
    row.over_eq17 = row.size.n_steps / eqs.n_steps;
    row.over_eq14 = row.size.n_block / eqs.n_block;
    hb_table_put(&table, &row);
  }
}

/* A line for each size, and one for the fit. */
static void model_record_write(const struct model_record *r, FILE *out)
{
  put_sizes(r, HB_TABLE_JSON_FORM, out);
  const struct row row = row_of(r, "fit");
  struct hb_json json = {.out = out};
  hb_json_open_object(&json, NULL);
  hb_table_members(HB_TABLE_COLUMNS(fit_columns), &row, &json);
  for (size_t k = 0; k < CONSTANTS; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s_error", constants[k].name);
    hb_json_number(&json, constants[k].name, constant_of(&row.fit.machine, k));
    hb_json_number(&json, name, constant_of(&row.fit.error, k));
  }
  hb_table_members(HB_TABLE_COLUMNS(quality_columns), &row, &json);
  hb_json_close_object(&json);
  fputc('\n', out);
}

/* ---- as text ---- */

struct constant {
  const char *name;
  double here, error, paper[HB_MACHINES];
};

#define AT(place) .offset = offsetof(struct constant, place)
static const struct hb_table_column constant_columns[] = {
    {NULL, HB_TABLE_TEXT, AT(name), "#%-20s", "constant"},
    {NULL, HB_TABLE_REAL, AT(here), "%10.3g", "here"},
    {NULL, HB_TABLE_REAL, AT(error), "%8.1e", "+-", .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[0]), "| %9.3g", hb_machines[0].name, .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[1]), "%9.3g", hb_machines[1].name, .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[2]), "%9.3g", hb_machines[2].name, .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[3]), "%9.3g", hb_machines[3].name, .missing = "-"},
};
#undef AT

/* Missing where the machine has no such cost, or its error is not known. */
static double known(double x) { return x > 0 ? x : NAN; }

static void put_constants(const struct hb_model_fit *fit)
{
  struct hb_table table = {HB_TABLE_COLUMNS(constant_columns), HB_TABLE_TEXT_FORM, stdout, 0};
  struct constant row = {"t_host", fit->t_host, known(fit->t_host_error), {0}};
  for (size_t k = 0; k < HB_MACHINES; k++) row.paper[k] = known(hb_model_t_host(&hb_machines[k]));
  hb_table_put(&table, &row);
  for (size_t c = 0; c < CONSTANTS; c++) {
    row.name = constants[c].name;
    row.here = constant_of(&fit->machine, c);
    row.error = known(constant_of(&fit->error, c));
    for (size_t k = 0; k < HB_MACHINES; k++) row.paper[k] = known(constant_of(&hb_machines[k], c));
    hb_table_put(&table, &row);
  }
}

/* As text: the sizes, the constants beside those of the paper, and how well a half of the sizes predicts the other. */
static void model_record_show(const struct model_record *r)
{
  const struct hb_bench_run_params *run = &r->params->run;
  printf("# %s %s, mode %s, steps rounded %s, on %s\n", r->scheme, r->precision, r->mode,
         strcmp(r->rounding, "nearest") == 0 ? "to nearest" : r->rounding, r->last.device);
  printf("# Plummer spheres of %d seed%s, t = %g to %g, eta %g, eps %g; seconds are of a time unit\n",
         r->params->seeds, hb_text_s((uint64_t)r->params->seeds), run->t_begin, run->t_end, run->sim.eta,
         run->sim.force.eps);
  put_sizes(r, HB_TABLE_TEXT_FORM, stdout);
  put_constants(r->fit);
  printf("# unseen by their own fit, sizes differ by up to %.0f %%; n_block from eq. 14 by up to %.0f %%\n\n",
         100 * r->fit->unseen_deviation, 100 * r->fit->n_block_deviation);
}

/* What the lines hold, for --help. */
static void model_record_help(const struct hb_help *help)
{
  help->heading(
      "lines of --json, distinguished by \"record\"; all have scheme, precision, mode, step_rounding",
      help->out);
  help->entry("run", "of each run, as 'bench run --json' writes it", help->out);
  help->entry(
      "size",
      "of each n, means over the seeds: n_steps (block steps of a time unit), n_block (particles of a "
      "block), both also as n_steps_over_eq17, n_block_over_eq14; de_rel, de_rel_most (mean and largest "
      "|dE/E|); measured_s (median wall seconds of a time unit), predicted_s (by the fit), unseen_s (by a "
      "fit of every other n, null for those)",
      help->out);
  help->entry(
      "fit",
      "seconds, each with its standard error as NAME_error: t_host (Table 3: a particle predicted and "
      "corrected, at N = 65536), t_predict (a particle of N), t_correct, t_send, t_receive (a particle), "
      "t_pair, and, not in the paper: t_source (one of N in the forces of a block step), t_start (a block "
      "step); n_block_coefficient, n_block_exponent, n_steps_coefficient, n_steps_exponent (eqs 14, 17); "
      "n_block_deviation (largest, from eq. 14), unseen_deviation (largest, of unseen_s from measured_s), "
      "de_rel (mean)",
      help->out);
}

/* ---- reading ---- */

/* Calls take for each line of JSON. Errors: its own, HB_ERR_IO, HB_ERR_INPUT. */
static enum hb_status each_line(const char *path, enum hb_status (*take)(const cJSON *line, void *into),
                                void *into)
{
  char *text, *rest, *one;
  size_t length, number = 0;
  enum hb_status status = HB_OK;
  HB_TRY(hb_file_read(path, &text, &length));
  for (rest = text; status == HB_OK && (one = strsep(&rest, "\n"));) {
    cJSON *line = NULL;
    number++;
    if (*one) status = hb_json_read(one, &line);
    if (line) status = take(line, into);
    cJSON_Delete(line);
  }
  hb_mem_free(text);
  if (status == HB_OK) return HB_OK;
  char context[512];
  snprintf(context, sizeof context, "%s, line %zu", path, number);
  return hb_fail_in(status, context);
}

static const char *word_of(const cJSON *line, const char *name)
{
  const char *word = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, name));
  return word ? word : "";
}

/* Times and coefficients are >= 0, an exponent may be any number. */
static enum hb_status read_constant(const cJSON *line, size_t k, struct hb_machine *machine)
{
  const char *name = constants[k].name;
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
  char text[64];
  if (!item) return hb_fail(HB_ERR_INPUT, "the fit has no %s", name);
  if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
    return hb_fail(HB_ERR_INPUT, "%s is '%s', expected a number%s", name, hb_json_text_of(item, text),
                   strstr(name, "exponent") ? "" : " >= 0");
  memcpy((char *)machine + constants[k].offset, &item->valuedouble, sizeof item->valuedouble);
  return HB_OK;
}

struct fits {
  struct hb_machine *machines;
  size_t count, capacity;
};

static enum hb_status take_fit(const cJSON *line, void *into)
{
  struct fits *fits = into;
  if (strcmp(word_of(line, "record"), "fit") != 0) return HB_OK;
  HB_TRY(HB_GROW(fits->count, &fits->capacity, &fits->machines));
  struct hb_machine *machine = &fits->machines[fits->count];
  for (size_t k = 0; k < CONSTANTS; k++) HB_TRY(read_constant(line, k, machine));
  const cJSON *sends_all = cJSON_GetObjectItemCaseSensitive(line, "sends_all");
  if (!sends_all) return hb_fail(HB_ERR_INPUT, "the fit has no sends_all");
  machine->sends_all = cJSON_IsTrue(sends_all);
  snprintf(machine->name, sizeof machine->name, "%s %s %s %s", word_of(line, "scheme"),
           word_of(line, "precision"), word_of(line, "mode"), word_of(line, "step_rounding"));
  fits->count++;
  return HB_OK;
}

/* A machine for each line of a fit that `model fit` has written, called "SCHEME PRECISION MODE ROUNDING"; other lines are skipped.
 * *machines is freed with hb_mem_free. Errors: HB_ERR_IO, HB_ERR_INPUT with file, line and reason. */
static enum hb_status model_read(const char *path, struct hb_machine **machines, size_t *count)
{
  struct fits fits = {0};
  enum hb_status status = each_line(path, take_fit, &fits);
  if (status == HB_OK && fits.count == 0)
    status = hb_fail(HB_ERR_INPUT, "%s has no fit of 'holmberg model fit'", path);
  if (status != HB_OK) {
    hb_mem_free(fits.machines);
    fits = (struct fits){0};
  }
  *machines = fits.machines;
  *count = fits.count;
  return status;
}

static double seconds_of(const cJSON *line, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static enum hb_status take_network(const cJSON *line, void *into)
{
  if (strcmp(word_of(line, "record"), "network") != 0) return HB_OK;
  struct hb_network found = {(int)seconds_of(line, "ranks"), seconds_of(line, "t_message"),
                             seconds_of(line, "t_byte")};
  if (!(found.t_message >= 0 && found.t_byte >= 0 && found.ranks > 1))
    return hb_fail(HB_ERR_INPUT, "a network needs ranks > 1, t_message and t_byte, of at least 0 seconds");
  *(struct hb_network *)into = found;
  return HB_OK;
}

/* The last line of 'bench messages --json'. Errors: HB_ERR_IO, HB_ERR_INPUT (there is none). */
static enum hb_status model_record_network(const char *path, struct hb_network *network)
{
  *network = (struct hb_network){0};
  HB_TRY(each_line(path, take_network, network));
  return network->ranks ? HB_OK
                        : hb_fail(HB_ERR_INPUT, "%s: no network of 'holmberg bench messages --json'", path);
}

/* ---- predict ---- */

struct predict_settings {
  struct hb_counts n;
  struct hb_list machines;
  struct hb_counts ranks;
  const char *network_file;
  int json;
  struct hb_network network; /* of the file */
};

#define FIELD(member) HB_SETTING_FIELD(struct predict_settings, member)
static const struct hb_setting predict_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(n), "LIST", "256,1024,4096,16384,65536,262144,1048576", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"machine", 0, HB_SETTING_WORDS, FIELD(machines), "LIST", "GRAPE-6Af,8800GTX,FX1400,Xeon",
     .words = {.what = "machine"}, .help = "machines of the paper, and files written by 'model fit -o'"},
    {"ranks", 0, HB_SETTING_COUNTS, FIELD(ranks), "LIST", .least = 1,
     .help = "so many ranks of such machines, which needs --network; the speed-up is over one"},
    {"network", 0, HB_SETTING_TEXT, FIELD(network_file), "FILE",
     .help = "what messages cost: written by 'mpirun -n 2 holmberg bench messages --json'"},
    {0}};
#undef FIELD

static const char *machine_name(size_t k)
{
  size_t count;
  const struct hb_machine *machines = hb_model_machines(&count);
  return k < count ? machines[k].name : NULL;
}

struct prediction {
  const char *record;
  struct hb_machine machine;
  size_t n;
  struct hb_model_time time;
  /* by several ranks */
  int ranks;
  double speedup, efficiency;
  const char *most; /* the largest term of t_step */
};

#define AT(place) .offset = offsetof(struct prediction, place)
static const struct hb_table_column predict_columns[] = {
    {"record", HB_TABLE_TEXT, AT(record)},
    {"machine", HB_TABLE_CHARS, AT(machine.name)},
    {"n", HB_TABLE_SIZE, AT(n), "%9llu", "#n"},
    {"n_block", HB_TABLE_REAL, AT(time.n_block), "%9.4g"},
    {"n_steps", HB_TABLE_REAL, AT(time.n_steps), "%9.4g"},
    {"t_start", HB_TABLE_REAL, AT(machine.t_start)},
    {"t_host", HB_TABLE_REAL, AT(time.t_host), "%9.3g"},
    {"t_comm", HB_TABLE_REAL, AT(time.t_comm), "%9.3g"},
    {"t_force", HB_TABLE_REAL, AT(time.t_force), "%9.3g"},
    {"t_step", HB_TABLE_REAL, AT(time.t_step), "%9.3g"},
    {"t_unit", HB_TABLE_REAL, AT(time.t_unit), "%9.4g"},
    {NULL, HB_TABLE_CHARS, AT(machine.name), " %s", "machine"},
};
static const struct hb_table_column columns_by_ranks[] = {
    {"record", HB_TABLE_TEXT, AT(record)},
    {"machine", HB_TABLE_CHARS, AT(machine.name)},
    {"n", HB_TABLE_SIZE, AT(n), "%9llu", "#n"},
    {"ranks", HB_TABLE_INT, AT(ranks), "%5d"},
    {"n_block", HB_TABLE_REAL, AT(time.n_block), "%9.4g"},
    {"n_steps", HB_TABLE_REAL, AT(time.n_steps)},
    {"t_start", HB_TABLE_REAL, AT(machine.t_start), "%9.3g"},
    {"t_host", HB_TABLE_REAL, AT(time.t_host), "%9.3g"},
    {"t_comm", HB_TABLE_REAL, AT(time.t_comm), "%9.3g"},
    {"t_force", HB_TABLE_REAL, AT(time.t_force), "%9.3g"},
    {"t_sum", HB_TABLE_REAL, AT(time.t_sum), "%9.3g"},
    {"t_step", HB_TABLE_REAL, AT(time.t_step), "%9.3g"},
    {"t_unit", HB_TABLE_REAL, AT(time.t_unit), "%9.4g"},
    {"speedup", HB_TABLE_REAL, AT(speedup), "%7.3g"},
    {"efficiency", HB_TABLE_REAL, AT(efficiency), "%10.2f"},
    {"most", HB_TABLE_TEXT, AT(most), " %-7s", " most   "},
    {NULL, HB_TABLE_CHARS, AT(machine.name), " %s", "machine"},
};
#undef AT

static const char *largest_term(const struct hb_machine *machine, const struct hb_model_time *time)
{
  const struct {
    const char *name;
    double seconds;
  } terms[] = {{"t_force", time->t_force},
               {"t_host", time->t_host},
               {"t_comm", time->t_comm},
               {"t_sum", time->t_sum},
               {"t_start", machine->t_start}};
  size_t most = 0;
  for (size_t k = 1; k < sizeof terms / sizeof *terms; k++)
    if (terms[k].seconds > terms[most].seconds) most = k;
  return terms[most].name;
}

/* One n, by each number of ranks. */
static void predict_n(const struct predict_settings *p, const struct hb_machine *machine, size_t n,
                      struct hb_table *table)
{
  struct prediction row = {.record = "prediction", .machine = *machine, .n = n};
  struct hb_model_time alone;
  if (table->rows == 0 && table->form == HB_TABLE_TEXT_FORM)
    printf("# seconds by the model of [PZ07] eqs 10 to 17%s\n",
           p->ranks.count ? ", with sources shared out among ranks"
                          : ": per block step, and t_unit per N-body time unit");
  if (!p->ranks.count) {
    hb_model_predict(machine, (double)n, &row.time);
    hb_table_put(table, &row);
  }
  hb_model_predict_ranks(machine, &p->network, 1, (double)n, &alone);
  for (size_t k = 0; k < p->ranks.count; k++) {
    row.ranks = (int)p->ranks.n[k];
    hb_model_predict_ranks(machine, &p->network, row.ranks, (double)n, &row.time);
    row.speedup = alone.t_step / row.time.t_step;
    row.efficiency = row.speedup / row.ranks;
    row.most = largest_term(machine, &row.time);
    hb_table_put(table, &row);
  }
}

static void predict_machines(const struct predict_settings *p, const struct hb_machine *machines,
                             size_t count, struct hb_table *table)
{
  for (size_t m = 0; m < count; m++)
    for (size_t k = 0; k < p->n.count; k++) predict_n(p, &machines[m], p->n.n[k], table);
}

/* A machine of the paper, or a file of fits. */
static enum hb_status predict_word(const struct predict_settings *p, const char *word, struct hb_table *table)
{
  size_t count;
  const struct hb_machine *paper = hb_model_machines(&count);
  for (size_t k = 0; k < count; k++)
    if (strcmp(paper[k].name, word) == 0) return predict_machines(p, &paper[k], 1, table), HB_OK;
  if (!strpbrk(word, "./") && access(word, F_OK) != 0)
    return hb_words_unknown((struct hb_words){.at = machine_name, .what = "machine"}, word);
  struct hb_machine *fits;
  HB_TRY(model_read(word, &fits, &count));
  predict_machines(p, fits, count, table);
  hb_mem_free(fits);
  return HB_OK;
}

static enum hb_status predict(const struct hb_opts *opts)
{
  struct predict_settings *p = opts->settings;
  if (p->ranks.count && !p->network_file) return hb_fail(HB_ERR_USAGE, "option --ranks needs --network FILE");
  if (p->network_file && !p->ranks.count) return hb_fail(HB_ERR_USAGE, "option --network needs --ranks LIST");
  if (p->network_file) HB_TRY(model_record_network(p->network_file, &p->network));
  struct hb_table table = {HB_TABLE_COLUMNS(predict_columns),
                           p->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout, 0};
  const struct hb_table by_ranks = {HB_TABLE_COLUMNS(columns_by_ranks), table.form, stdout, 0};
  if (p->ranks.count) table = by_ranks;
  for (size_t k = 0; k < p->machines.count; k++) HB_TRY(predict_word(p, p->machines.words[k], &table));
  return hb_terminal_flush();
}

static void predict_help(const struct hb_help *help)
{
  help->text(
      "\nThe paper's four machines use its constants. With --json, \"record\": \"prediction\" has machine, "
      "n,\n"
      "n_block (eq. 14), n_steps (block steps per time unit, eq. 17), and seconds: t_start, t_host, t_comm,\n"
      "t_force and their sum t_step (eq. 10) per block step, t_unit (eq. 16) per time unit. With --ranks\n"
      "also ranks, t_sum (adding up the block's forces over all ranks, part of t_step), speedup and\n"
      "efficiency over one rank, and most: the largest of these terms, which would have to be faster.\n",
      help->out);
}

const struct hb_opts_command hb_cmd_model_predict = {
    .name = "model predict",
    .summary = "Predict run times by the paper's model, for its machines and for fitted ones.",
    .groups = {{.options = predict_options},
               {.options = hb_opts_json, .at = offsetof(struct predict_settings, json)}},
    .settings_size = sizeof(struct predict_settings),
    .more_help = predict_help,
    .example =
        "  holmberg model predict --n 1e6 --machine 8800GTX,Xeon\n"
        "  holmberg model predict --machine fit.jsonl --json    # after holmberg model fit -o fit.jsonl\n"
        "  mpirun -n 2 holmberg bench messages --json >net.jsonl\n"
        "  holmberg model predict --n 65536 --machine fit.jsonl --ranks 1,4,16,64 --network net.jsonl\n",
    .work = predict,
};

/* ---- fit ---- */

struct fit_settings {
  struct hb_bench_run_params run; /* of each job, except scheme, precision, mode, n and seed */
  struct hb_jobs jobs;
  struct hb_list roundings;
  int seeds, json;
  const char *output;
};

#define FIELD(member) HB_SETTING_FIELD(struct fit_settings, member)
static const struct hb_setting fit_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(jobs.n), "LIST", "256,512,1024,2048,4096", .least = 2,
     .help = "numbers of particles, at least three, ascending, separated by commas"},
    {"seeds", 0, HB_SETTING_COUNT, FIELD(seeds), "K", "3", .most = HB_JOBS_REPEATS,
     .help = "Plummer spheres for each n, with seeds 1 to K"},
    {"step-rounding", 0, HB_SETTING_WORDS, FIELD(roundings), "LIST", "down",
     .words = {.array = hb_rounding_names, .what = "rounding"},
     .help = "how steps are rounded to powers of two, with a fit for each: down, nearest, up"},
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FILE",
     .help = "write the lines of --json to FILE, for 'model predict' (default: none)"},
    {"json", 0, HB_SETTING_FLAG, FIELD(json), .help = "print lines of JSON instead of tables, see below"},
    {0}};
#undef FIELD

/* The state of the loops below. */
struct fitting {
  const struct fit_settings *settings;
  FILE *lines;                /* of -o; NULL: not wanted */
  struct model_record record; /* of the current fit      */
  double began, done, all;    /* of its runs, in N^2.16  */
};

/* ---- one fit ---- */

/* The work of a run: N^0.35 block steps of N^0.81 by N pairs. */
static double work_of(size_t n) { return pow((double)n, 2.16); }

static enum hb_status measured(const struct hb_bench_run_params *job,
                               const struct hb_bench_run_result *result, void *context)
{
  struct fitting *f = context;
  struct model_record *r = &f->record;
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
  const struct model_record *r = &f->record;
  FILE *const outs[] = {f->lines, f->settings->json ? stdout : NULL};
  for (size_t k = 0; k < 2; k++)
    if (outs[k]) model_record_write(r, outs[k]);
  hb_terminal_clear_progress();
  if (!f->settings->json) model_record_show(r);
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
    f->record = (struct model_record){
        .scheme = scheme->name, .precision = precision, .mode = mode->name, .rounding = roundings->words[k]};
    const struct hb_words names = {.array = hb_rounding_names};
    run.sim.rounding = (enum hb_rounding)hb_words_find(names, f->record.rounding);
    HB_TRY(fit_one(f, &run));
  }
  return HB_OK;
}

static enum hb_status fit(const struct hb_opts *opts)
{
  struct fit_settings *s = opts->settings;
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

static void fit_help(const struct hb_help *help)
{
  hb_jobs_list_modes(help);
  model_record_help(help);
}

const struct hb_opts_command hb_cmd_model_fit = {
    .name = "model fit",
    .summary = "Measure the constants of the paper's Table 3 and eqs 14 and 17 on this machine.",
    .groups = {{.options = fit_options},
               {.options = hb_jobs_options, .at = offsetof(struct fit_settings, jobs)},
               {.options = hb_sim_settings_accuracy, .at = offsetof(struct fit_settings, run.sim)},
               {.options = hb_cmd_job_options, .at = offsetof(struct fit_settings, run)},
               {.options = hb_opts_place, .at = offsetof(struct fit_settings, run.sim.force)}},
    .settings_size = sizeof(struct fit_settings),
    .more_help = fit_help,
    .has_no_units = 1,
    .example =
        "  holmberg model fit --scheme host,bag -o fit.jsonl\n"
        "  holmberg model fit --scheme host-simd --precision ds --step-rounding down,nearest,up --json\n",
    .work = fit,
};

/* ---- model ---- */

static const char *const parts[] = {"fit", "predict", NULL};
static const struct hb_words part_words = {.array = parts, .what = "part of 'model'"};

static enum hb_status choose_part(const struct hb_opts *opts)
{
  const char *part = opts->operands[0];
  if (hb_words_find(part_words, part) < 0) return hb_words_unknown(part_words, part);
  return hb_fail(HB_ERR_USAGE, "'%s' has options of its own and must directly follow 'model'", part);
}

static void list_parts(const struct hb_help *help)
{
  help->heading("parts, each with a --help of its own", help->out);
  help->entry("fit", hb_cmd_model_fit.summary, help->out);
  help->entry("predict", hb_cmd_model_predict.summary, help->out);
}

const struct hb_opts_command hb_cmd_model = {
    .name = "model",
    .summary = "Fit the paper's model of the run time to this machine, or predict run times by it.",
    .operand = "PART",
    .operand_words.array = parts,
    .operand_min = 1,
    .operand_max = 1,
    .more_help = list_parts,
    .example = "  holmberg model fit -o fit.jsonl && holmberg model predict --machine fit.jsonl,8800GTX\n",
    .work = choose_part,
};
