#include "measure/model_record.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/json.h"
#include "base/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name, place)                                                                                   \
  {                                                                                                          \
    name, offsetof(struct hb_machine, place)                                                                 \
  }

static const struct hb_model_field fields[] = {
    FIELD("t_start", t_start),
    FIELD("t_predict", t_predict),
    FIELD("t_correct", t_correct),
    FIELD("t_send", t_send),
    FIELD("t_receive", t_receive),
    FIELD("t_source", t_source),
    FIELD("t_pair", t_pair),
    FIELD("n_block_coefficient", n_block.c),
    FIELD("n_block_exponent", n_block.p),
    FIELD("n_steps_coefficient", n_steps.c),
    FIELD("n_steps_exponent", n_steps.p),
};
enum { FIELDS = sizeof fields / sizeof *fields };

const struct hb_model_field *hb_model_fields(size_t *count)
{
  *count = FIELDS;
  return fields;
}

double hb_model_field_of(const struct hb_machine *machine, const struct hb_model_field *field)
{
  double value;
  memcpy(&value, (const char *)machine + field->offset, sizeof value);
  return value;
}

/* ---- writing ---- */

static struct hb_json begin(const struct hb_model_record *r, const char *record, FILE *out)
{
  struct hb_json json = {.out = out};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "record", record);
  hb_json_text(&json, "scheme", r->scheme);
  hb_json_text(&json, "precision", r->precision);
  hb_json_text(&json, "mode", r->mode);
  hb_json_text(&json, "step_rounding", r->rounding);
  return json;
}

static void end(struct hb_json *json)
{
  hb_json_close_object(json);
  fputc('\n', json->out);
}

void hb_model_record_sizes(const struct hb_model_record *r, FILE *out)
{
  const struct hb_machine *paper = hb_model_machines(&(size_t){0});
  for (size_t k = 0; k < r->params->n_count; k++) {
    const struct hb_model_size *size = &r->sizes[k];
    struct hb_model_time eqs;
    hb_model_predict(paper, (double)size->n, &eqs);
    struct hb_json json = begin(r, "size", out);
    hb_json_count(&json, "n", size->n);
    hb_json_count(&json, "seeds", (uint64_t)r->params->seeds);
    hb_json_number(&json, "n_steps", size->n_steps);
    hb_json_number(&json, "n_steps_over_eq17", size->n_steps / eqs.n_steps);
    hb_json_number(&json, "n_block", size->n_block);
    hb_json_number(&json, "n_block_over_eq14", size->n_block / eqs.n_block);
    hb_json_number(&json, "de_rel", size->de_rel);
    hb_json_number(&json, "de_rel_most", size->de_rel_most);
    hb_json_number(&json, "measured_s", size->measured_s);
    hb_json_number(&json, "predicted_s", size->predicted_s);
    hb_json_number(&json, "unseen_s", size->unseen_s);
    end(&json);
  }
}

/* What is needed to repeat it. */
static void put_job(struct hb_json *json, const struct hb_model_record *r)
{
  const struct hb_bench_run_params *run = &r->params->run;
  hb_json_text(json, "context", r->last.context);
  hb_json_text(json, "device", r->last.device);
  hb_json_text(json, "tuning", r->last.tuning);
  hb_json_number(json, "eta", run->sim.eta);
  hb_json_number(json, "eps", run->sim.force.eps);
  hb_json_number(json, "t_begin", run->t_begin);
  hb_json_number(json, "t_end", run->t_end);
  hb_json_count(json, "seeds", (uint64_t)r->params->seeds);
  hb_json_count(json, "sizes", r->params->n_count);
  hb_json_count(json, "n_least", r->params->n[0]);
  hb_json_count(json, "n_most", r->params->n[r->params->n_count - 1]);
}

void hb_model_record_fit(const struct hb_model_record *r, FILE *out)
{
  const struct hb_model_fit *fit = r->fit;
  struct hb_json json = begin(r, "fit", out);
  put_job(&json, r);
  hb_json_truth(&json, "sends_all", fit->machine.sends_all);
  hb_json_number(&json, "t_host", fit->t_host);
  hb_json_number(&json, "t_host_error", fit->t_host_error);
  for (size_t k = 0; k < FIELDS; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s_error", fields[k].name);
    hb_json_number(&json, fields[k].name, hb_model_field_of(&fit->machine, &fields[k]));
    hb_json_number(&json, name, hb_model_field_of(&fit->error, &fields[k]));
  }
  hb_json_number(&json, "n_block_deviation", fit->n_block_deviation);
  hb_json_number(&json, "unseen_deviation", fit->unseen_deviation);
  hb_json_number(&json, "de_rel", fit->de_rel);
  end(&json);
}

void hb_model_record_help(FILE *out)
{
  fputs("\nlines of --json, told apart by \"record\"; all have scheme, precision, mode, step_rounding:\n"
        "  run   what 'bench run --json' writes of each run\n"
        "  size  of each n, means over the seeds: n_steps (block steps of a time unit), n_block\n"
        "        (particles of a block), both also as n_steps_over_eq17, n_block_over_eq14; de_rel,\n"
        "        de_rel_most (mean and largest |dE/E|); measured_s (median wall seconds of a time unit),\n"
        "        predicted_s (by the fit), unseen_s (by a fit of every other n, null for those)\n"
        "  fit   seconds, each with its standard error as NAME_error: t_host (Table 3: a particle\n"
        "        predicted and corrected, at N = 65536), t_predict (a particle of N), t_correct, t_send,\n"
        "        t_receive (a particle), t_pair, and what the paper has not: t_source (one of N in the\n"
        "        forces of a block step), t_start (a block step); n_block_coefficient, n_block_exponent,\n"
        "        n_steps_coefficient, n_steps_exponent (eqs 14, 17); n_block_deviation (largest, from\n"
        "        eq. 14), unseen_deviation (largest, of unseen_s from measured_s), de_rel (mean)\n",
        out);
}

/* ---- reading ---- */

enum { RECORD, SCHEME, PRECISION, MODE, ROUNDING, WORDS };

struct line {
  char words[WORDS][24];
  struct hb_machine machine;
  unsigned found; /* bit k: fields[k]; bit FIELDS: sends_all */
};

/* Times and coefficients are >= 0, an exponent may be any number. */
static enum hb_status take_number(const struct hb_json_pair *pair, int is_exponent, double *value)
{
  char word[40], *end;
  snprintf(word, sizeof word, "%.*s", (int)pair->length, pair->value);
  *value = strtod(word, &end);
  if (pair->length && pair->length < sizeof word && *end == 0 && isfinite(*value) && *value >= 0)
    return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%.*s is '%s', expected a number%s", (int)pair->name_length, pair->name, word,
                 is_exponent ? "" : " >= 0");
}

static enum hb_status take(void *context, const struct hb_json_pair *pair)
{
  static const char *const names[WORDS] = {"record", "scheme", "precision", "mode", "step_rounding"};
  struct line *line = context;
  for (size_t k = 0; k < WORDS; k++)
    if (hb_json_pair_is(pair, names[k]))
      snprintf(line->words[k], sizeof line->words[k], "%.*s", (int)pair->length, pair->value);
  if (strcmp(line->words[RECORD], "fit") != 0) return HB_OK;
  if (hb_json_pair_is(pair, "sends_all")) {
    line->machine.sends_all = *pair->value == 't';
    line->found |= 1u << FIELDS;
  }
  for (size_t k = 0; k < FIELDS; k++)
    if (hb_json_pair_is(pair, fields[k].name)) {
      double value;
      HB_TRY(take_number(pair, strstr(fields[k].name, "exponent") != NULL, &value));
      memcpy((char *)&line->machine + fields[k].offset, &value, sizeof value);
      line->found |= 1u << k;
    }
  return HB_OK;
}

static enum hb_status read_line(const char *text, struct hb_machine *machines, size_t *count)
{
  struct line line = {0};
  HB_TRY(hb_json_read(text, take, &line));
  if (strcmp(line.words[RECORD], "fit") != 0) return HB_OK;
  for (size_t k = 0; k <= FIELDS; k++)
    if (!(line.found >> k & 1))
      return hb_fail(HB_ERR_INPUT, "the fit has no %s", k < FIELDS ? fields[k].name : "sends_all");
  snprintf(line.machine.name, sizeof line.machine.name, "%s %s %s %s", line.words[SCHEME],
           line.words[PRECISION], line.words[MODE], line.words[ROUNDING]);
  machines[(*count)++] = line.machine;
  return HB_OK;
}

static enum hb_status read_lines(const char *path, char *text, struct hb_machine *machines, size_t *count)
{
  char *rest = text, *one;
  for (size_t number = 1; (one = strsep(&rest, "\n")); number++) {
    if (!*one) continue;
    enum hb_status status = read_line(one, machines, count);
    if (status == HB_OK) continue;
    char context[512];
    snprintf(context, sizeof context, "%s, line %zu", path, number);
    return hb_fail_in(status, context);
  }
  return *count ? HB_OK : hb_fail(HB_ERR_INPUT, "%s holds no fit of 'holmberg model fit'", path);
}

enum hb_status hb_model_record_read(const char *path, struct hb_machine **machines, size_t *count)
{
  char *text;
  size_t length, lines = 1;
  *machines = NULL;
  *count = 0;
  HB_TRY(hb_file_read(path, &text, &length));
  for (const char *s = text; (s = strchr(s, '\n')); s++) lines++;
  enum hb_status status = HB_ALLOC(lines, machines);
  if (status == HB_OK) status = read_lines(path, text, *machines, count);
  hb_mem_free(text);
  if (status == HB_OK) return HB_OK;
  hb_mem_free(*machines);
  *machines = NULL;
  return status;
}
