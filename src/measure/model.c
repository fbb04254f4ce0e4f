#include "measure/model.h"

#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/status.h"
#include "base/text.h"
#include "perf/fit.h"
#include "perf/machine_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS = 3, SEEDS_MOST = 1000, SIZES_LEAST = 3 };

const struct hb_machine *hb_model_machines(size_t *count)
{
  *count = HB_MACHINES;
  return hb_machines;
}

void hb_model_predict(const struct hb_machine *machine, double n, struct hb_model_time *time)
{
  double n_block = hb_power_law_at(&machine->n_block, n);
  *time = (struct hb_model_time){
      .n_block = n_block,
      .n_steps = hb_power_law_at(&machine->n_steps, n),
      .t_host = hb_machine_t_host(machine, n, n_block),
      .t_comm = hb_machine_t_comm(machine, n, n_block),
      .t_force = hb_machine_t_force(machine, n, n_block),
      .t_step = hb_machine_t_step(machine, n, n_block),
      .t_unit = hb_machine_time(machine, n),
  };
}

void hb_model_predict_ranks(const struct hb_machine *machine, const struct hb_network *network, int ranks,
                            double n, struct hb_model_time *time)
{
  hb_machine_ranks_time(machine, network, ranks, n, time);
}

double hb_model_t_host(const struct hb_machine *machine)
{
  double n = HB_MODEL_T_HOST_N;
  return hb_machine_t_host(machine, n, hb_power_law_at(&machine->n_block, n)) / n;
}

/* ---- measuring --------------------------------------------------------------------------------------- */

/* The results of every run: [size * seeds + seed]. */
struct samples {
  size_t sizes, seeds;
  struct hb_machine_run *runs;
  double *unit_s; /* wall seconds of a time unit */
  double *de_rel; /* |dE/E|                      */
};

static enum hb_status check(const struct hb_model_fit_params *p)
{
  if (p->n_count < SIZES_LEAST)
    return hb_fail(HB_ERR_USAGE, "a fit needs at least %d numbers of particles, got %zu", SIZES_LEAST,
                   p->n_count);
  for (size_t k = 1; k < p->n_count; k++)
    if (p->n[k] <= p->n[k - 1])
      return hb_fail(HB_ERR_USAGE, "the numbers of particles %zu, %zu do not ascend", p->n[k - 1], p->n[k]);
  if (p->seeds < 0 || p->seeds > SEEDS_MOST)
    return hb_fail(HB_ERR_USAGE, "the number of seeds is %d, expected 1 to %d", p->seeds, SEEDS_MOST);
  return HB_OK;
}

/* Scheme, precision and device, truncated. */
static void name(const struct hb_bench_run_result *r, struct hb_machine *machine)
{
  int room = (int)sizeof machine->name - 1;
  snprintf(machine->name, sizeof machine->name, "%s %s, %.*s", r->scheme, r->precision, room / 2, r->device);
}

static enum hb_status measure_one(const struct hb_model_fit_params *p, struct hb_bench_run_params *job,
                                  struct samples *s, size_t k, struct hb_machine *machine)
{
  struct hb_bench_run_result r;
  HB_TRY(hb_bench_run(job, &r));
  double span = job->t_end > 0 ? job->t_end - job->t_begin : 0.25; /* the default of hb_bench_run */
  s->runs[k] = (struct hb_machine_run){.n = (double)job->n,
                                       .span = span,
                                       .block_steps = (double)r.counts.block_steps,
                                       .particle_steps = (double)r.counts.particle_steps,
                                       .phases = r.phases};
  s->unit_s[k] = r.wall_s / span;
  s->de_rel[k] = r.e_begin == 0 ? NAN : fabs((r.e_end - r.e_begin) / r.e_begin);
  name(&r, machine);
  return p->measured ? p->measured(job, &r, p->context) : HB_OK;
}

static enum hb_status measure(const struct hb_model_fit_params *p, struct samples *s,
                              struct hb_machine *machine)
{
  struct hb_bench_run_params job = p->run;
  job.sim.force.flags |= HB_FORCE_PHASES;
  for (size_t k = 0; k < s->sizes; k++)
    for (size_t seed = 0; seed < s->seeds; seed++) {
      job.n = p->n[k];
      job.seed = seed + 1;
      HB_TRY(measure_one(p, &job, s, k * s->seeds + seed, machine));
    }
  return HB_OK;
}

/* ---- summing up -------------------------------------------------------------------------------------- */

static struct hb_model_size sum_up(const struct samples *s, size_t k)
{
  const struct hb_machine_run *runs = &s->runs[k * s->seeds];
  struct hb_model_size size = {.n = (size_t)runs[0].n, .unseen_s = NAN};
  for (size_t seed = 0; seed < s->seeds; seed++) {
    double share = 1 / (double)s->seeds, de_rel = s->de_rel[k * s->seeds + seed];
    size.n_steps += share * hb_machine_run_n_steps(&runs[seed]);
    size.n_block += share * hb_machine_run_n_block(&runs[seed]);
    size.de_rel += share * de_rel;
    size.de_rel_most = fmax(size.de_rel_most, de_rel);
  }
  size.measured_s = hb_fit_median(s->seeds, &s->unit_s[k * s->seeds]);
  return size;
}

/* The runs of every other size, from the smallest on. */
static enum hb_status fit_half(const struct samples *s, struct hb_machine *machine)
{
  struct hb_machine_run *half;
  struct hb_machine error;
  HB_TRY(HB_ALLOC(s->sizes * s->seeds, &half));
  size_t count = 0;
  for (size_t k = 0; k < s->sizes; k += 2)
    for (size_t seed = 0; seed < s->seeds; seed++) half[count++] = s->runs[k * s->seeds + seed];
  enum hb_status status = hb_machine_fit(count, half, machine, &error);
  hb_mem_free(half);
  return status;
}

/* Standard errors add up as those of independent terms. */
static void find_t_host(struct hb_model_fit *f)
{
  double n = HB_MODEL_T_HOST_N, n_block = hb_power_law_at(&f->machine.n_block, n);
  f->t_host = hb_model_t_host(&f->machine);
  f->t_host_error = hypot(f->error.t_predict, f->error.t_correct * n_block / n);
}

static enum hb_status fit(const struct samples *s, struct hb_model_size *sizes, struct hb_model_fit *f)
{
  struct hb_machine half = f->machine;
  const struct hb_machine *paper = hb_machines; /* its laws are the same for all four */
  HB_TRY(hb_machine_fit(s->sizes * s->seeds, s->runs, &f->machine, &f->error));
  HB_TRY(fit_half(s, &half));
  find_t_host(f);
  for (size_t k = 0; k < s->sizes; k++) {
    sizes[k] = sum_up(s, k);
    double n = (double)sizes[k].n, eq14 = hb_power_law_at(&paper->n_block, n);
    sizes[k].predicted_s = hb_machine_time(&f->machine, n);
    f->de_rel += sizes[k].de_rel / (double)s->sizes;
    f->n_block_deviation = fmax(f->n_block_deviation, fabs(sizes[k].n_block / eq14 - 1));
    if (k % 2 == 0) continue;
    sizes[k].unseen_s = hb_machine_time(&half, n);
    f->unseen_deviation = fmax(f->unseen_deviation, fabs(sizes[k].unseen_s / sizes[k].measured_s - 1));
  }
  return HB_OK;
}

enum hb_status hb_model_fit(const struct hb_model_fit_params *params, struct hb_model_size *sizes,
                            struct hb_model_fit *result)
{
  HB_TRY(check(params));
  struct samples s = {.sizes = params->n_count, .seeds = params->seeds ? (size_t)params->seeds : SEEDS};
  struct hb_model_fit f = {.machine.sends_all = params->run.sim.transfer == HB_TRANSFER_ALL};
  enum hb_status status = HB_ALLOC(s.sizes * s.seeds, &s.runs);
  if (status == HB_OK) status = HB_ALLOC(s.sizes * s.seeds, &s.unit_s);
  if (status == HB_OK) status = HB_ALLOC(s.sizes * s.seeds, &s.de_rel);
  if (status == HB_OK) status = measure(params, &s, &f.machine);
  if (status == HB_OK) status = fit(&s, sizes, &f);
  hb_mem_free(s.runs);
  hb_mem_free(s.unit_s);
  hb_mem_free(s.de_rel);
  if (status == HB_OK) *result = f;
  return status;
}

/* ---- columns ---- */

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
  struct hb_model_record of;
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

static struct row row_of(const struct hb_model_record *r, const char *record)
{
  return (struct row){.record = record,
                      .of = *r,
                      .params = *r->params,
                      .fit = *r->fit,
                      .n_least = r->params->n[0],
                      .n_most = r->params->n[r->params->n_count - 1]};
}

static void put_sizes(const struct hb_model_record *r, enum hb_table_form form, FILE *out)
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

void hb_model_record_write(const struct hb_model_record *r, FILE *out)
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

void hb_model_record_show(const struct hb_model_record *r)
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

void hb_model_record_help(const struct hb_help *help)
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

enum hb_status hb_model_record_read(const char *path, struct hb_machine **machines, size_t *count)
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

enum hb_status hb_model_record_network(const char *path, struct hb_network *network)
{
  *network = (struct hb_network){0};
  HB_TRY(each_line(path, take_network, network));
  return network->ranks ? HB_OK
                        : hb_fail(HB_ERR_INPUT, "%s: no network of 'holmberg bench messages --json'", path);
}
