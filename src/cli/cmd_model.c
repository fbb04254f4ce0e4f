/* holmberg model, and holmberg model predict. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/terminal.h"
#include "measure/model_record.h"

#include <string.h>
#include <unistd.h>

/* ---- predict ---- */

struct settings {
  struct hb_counts n;
  struct hb_list machines;
  int json;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option predict_options[] = {
    {"n", 'n', HB_OPTS_COUNTS, FIELD(n), "LIST", "256,1024,4096,16384,65536,262144,1048576", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"machine", 0, HB_OPTS_WORDS, FIELD(machines), "LIST", "GRAPE-6Af,8800GTX,FX1400,Xeon",
     .words = {.what = "machine"}, .help = "machines of the paper, and files written by 'model fit -o'"},
    {0}};

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
static const struct hb_table_column columns[] = {
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

static void predict_machines(const struct settings *p, const struct hb_machine *machines, size_t count,
                             struct hb_table *table)
{
  for (size_t m = 0; m < count; m++)
    for (size_t k = 0; k < p->n.count; k++) {
      struct prediction row = {.record = "prediction", .machine = machines[m], .n = p->n.n[k]};
      hb_model_predict(&machines[m], (double)row.n, &row.time);
      if (table->rows == 0 && table->form == HB_TABLE_TEXT_FORM)
        puts(
            "# seconds by the model of [PZ07] eqs 10 to 17: per block step, and t_unit per N-body time unit");
      hb_table_put(table, &row);
    }
}

/* A machine of the paper, or a file of fits. */
static enum hb_status predict_word(const struct settings *p, const char *word, struct hb_table *table)
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
  struct settings *p = opts->settings;
  struct hb_table table = {HB_TABLE_COLUMNS(columns), p->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM,
                           stdout, 0};
  for (size_t k = 0; k < p->machines.count; k++) HB_TRY(predict_word(p, p->machines.words[k], &table));
  return hb_terminal_flush();
}

static void predict_help(FILE *out)
{
  fputs(
      "\nThe paper's four machines use its constants. With --json, \"record\": \"prediction\" has machine, "
      "n,\n"
      "n_block (eq. 14), n_steps (block steps per time unit, eq. 17), and seconds: t_start, t_host, t_comm,\n"
      "t_force and their sum t_step (eq. 10) per block step, t_unit (eq. 16) per time unit.\n",
      out);
}

const struct hb_opts_command hb_cmd_model_predict = {
    .name = "model predict",
    .summary = "Predict run times by the paper's model, for its machines and for fitted ones.",
    .groups = {{.options = predict_options},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .more_help = predict_help,
    .example =
        "  holmberg model predict --n 1e6 --machine 8800GTX,Xeon\n"
        "  holmberg model predict --machine fit.jsonl --json    # after holmberg model fit -o fit.jsonl\n",
    .work = predict,
};

/* ---- model ---- */

static const char *const parts[] = {"fit", "predict", NULL};
static const struct hb_words part_words = {.array = parts, .what = "part of 'model'"};

static enum hb_status work(const struct hb_opts *opts)
{
  const char *part = opts->operands[0];
  if (hb_words_find(part_words, part) < 0) return hb_words_unknown(part_words, part);
  return hb_fail(HB_ERR_USAGE, "'%s' has options of its own and must directly follow 'model'", part);
}

static void list_parts(FILE *out)
{
  fputs("\nparts, each with a --help of its own:\n", out);
  hb_opts_help_entry("fit", hb_cmd_model_fit.summary, "", "", out);
  hb_opts_help_entry("predict", hb_cmd_model_predict.summary, "", "", out);
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
    .work = work,
};
