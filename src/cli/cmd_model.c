/* holmberg model: fit, the constants of the paper's model for this machine; and predict. */
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "measure/bench_run.h"
#include "measure/jobs.h"
#include "measure/model.h"
#include "sim/sim_settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#undef AT

/* ---- by several ranks ---- */

struct prediction_by_ranks {
  const char *record;
  struct hb_machine machine;
  size_t n;
  int ranks;
  struct hb_model_time time;
  double speedup, efficiency;
  const char *most; /* the largest term of t_step */
};

#define AT(place) .offset = offsetof(struct prediction_by_ranks, place)
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

static void predict_by_ranks(const struct predict_settings *p, const struct hb_machine *machine, size_t n,
                             struct hb_table *table)
{
  struct hb_model_time alone;
  if (table->rows == 0) {
    *table = (struct hb_table){HB_TABLE_COLUMNS(columns_by_ranks), table->form, stdout, 0};
    if (table->form == HB_TABLE_TEXT_FORM)
      puts("# seconds by the model of [PZ07] eqs 10 to 17, with sources shared out among ranks");
  }
  hb_model_predict_ranks(machine, &p->network, 1, (double)n, &alone);
  for (size_t k = 0; k < p->ranks.count; k++) {
    struct prediction_by_ranks row = {
        .record = "prediction", .machine = *machine, .n = n, .ranks = (int)p->ranks.n[k]};
    hb_model_predict_ranks(machine, &p->network, row.ranks, (double)n, &row.time);
    row.speedup = alone.t_step / row.time.t_step;
    row.efficiency = row.speedup / row.ranks;
    row.most = largest_term(machine, &row.time);
    hb_table_put(table, &row);
  }
}

/* ---- of each machine and n ---- */

static void predict_machines(const struct predict_settings *p, const struct hb_machine *machines,
                             size_t count, struct hb_table *table)
{
  for (size_t m = 0; m < count; m++)
    for (size_t k = 0; k < p->n.count; k++) {
      if (p->ranks.count) {
        predict_by_ranks(p, &machines[m], p->n.n[k], table);
        continue;
      }
      struct prediction row = {.record = "prediction", .machine = machines[m], .n = p->n.n[k]};
      hb_model_predict(&machines[m], (double)row.n, &row.time);
      if (table->rows == 0 && table->form == HB_TABLE_TEXT_FORM)
        puts(
            "# seconds by the model of [PZ07] eqs 10 to 17: per block step, and t_unit per N-body time unit");
      hb_table_put(table, &row);
    }
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
  HB_TRY(hb_model_record_read(word, &fits, &count));
  predict_machines(p, fits, count, table);
  hb_mem_free(fits);
  return HB_OK;
}

static enum hb_status predict(const struct hb_opts *opts)
{
  struct predict_settings *p = opts->settings;
  if (p->ranks.count && !p->network_file) return hb_fail(HB_ERR_USAGE, "option --ranks needs --network FILE");
  if (p->network_file && !p->ranks.count) return hb_fail(HB_ERR_USAGE, "option --network needs --ranks LIST");
  if (p->network_file) HB_TRY(hb_model_record_network(p->network_file, &p->network));
  struct hb_table table = {HB_TABLE_COLUMNS(predict_columns),
                           p->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout, 0};
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
  hb_model_record_help(help);
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
