/* holmberg pairs: an interaction, the program's or the user's, summed over all pairs of two tables. */
#include "base/file.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "pairs/interaction.h"

#include <holmberg/interaction.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct settings {
  struct hb_force_params force; /* scheme, precision, place, tuning */
  const char *interaction, *parameters, *sources, *sinks, *output;
  int json, quiet;
};

static const char *const schemes[] = {"bag", "tile", "matrix2004", NULL};
static const char *const precisions[] = {"single", "compensated", "ds", "double", NULL};

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"interaction", 0, HB_SETTING_TEXT, FIELD(interaction), "NAME",
     .help = "what a source does to a sink: a file like my.glsl, or one of those below"},
    {"parameter", 0, HB_SETTING_TEXT, FIELD(parameters), "K=V,...",
     .help = "parameters of the interaction (default: the values in its file)"},
    {"j", 'j', HB_SETTING_TEXT, FIELD(sources), "TABLE",
     .help = "the sources: a text with named columns, '# x y z m' above the numbers, or a snapshot, by its "
             "extension; - is standard input"},
    {"i", 'i', HB_SETTING_TEXT, FIELD(sinks), "TABLE",
     .help = "the sinks, each feels every source (default: the sources themselves, each without itself)"},
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FILE", "-", .use = HB_SETTING_SHOWS,
     .help =
         "table of what the sinks feel, in their order; .csv and .jsonl by extension; - is standard output"},
    {"scheme", 0, HB_SETTING_WORD, FIELD(force.scheme), "NAME", .words = {.array = schemes, .what = "scheme"},
     .help = "bag, tile or matrix2004 (default: tile on a GPU with compute shaders, else bag)"},
    {"precision", 0, HB_SETTING_WORD, FIELD(force.precision), "NAME", "single",
     .words = {.array = precisions, .what = "precision"},
     .help = "single, compensated (sums), ds (positions, too) or double"},
    {"tuning", 0, HB_SETTING_TEXT, FIELD(force.tuning), "WORDS",
     .help = "how the scheme sums, like \"i_each=4 unroll=8\""},
    {"max-draw-ms", 0, HB_SETTING_POSITIVE, FIELD(force.max_draw_s), "MS", "50", .unit = 1e-3,
     .help = "longest draw; changes no result"},
    {"gl-debug", 0, HB_SETTING_FLAG, FIELD(force.flags), .bit = HB_FORCE_GL_DEBUG,
     .help = "treat the driver's debug messages as faults"},
    {0}};

/* ---- tables of numbers ---- */

/* Tables of numbers with named columns, as people and programs write them: words between blanks, tabs or commas, a row a
 * line, '#' before a comment. The names are the words of the last comment before the first row that has as many words as
 * the row, or of the first line that is not a comment, as in CSV. */

enum { NUMBERS_COLUMNS = 64, NUMBERS_NAME = 32 };

struct numbers {
  size_t rows, columns;
  char names[NUMBERS_COLUMNS][NUMBERS_NAME];
  double *data; /* [rows * columns], row after row */
};

static const char separators[] = " \t,\r";

struct reader {
  const char *path; /* for messages */
  int line;
  struct numbers *numbers;
  size_t capacity;
  const char *heads; /* the last lines that may hold names: a comment, */
  const char *plain; /* or what is not one */
};

/* The next word of a line, and its length; 0: there are no more. */
static size_t next_word(const char **at)
{
  *at += strspn(*at, separators);
  return strcspn(*at, " \t,\r\n#");
}

static size_t count_words(const char *line)
{
  size_t count = 0, length;
  if (!line) return 0;
  for (line += strspn(line, "# \t"); (length = next_word(&line)); line += length) count++;
  return count;
}

/* The names in a line of as many words as there are columns. */
static enum hb_status take_names(struct reader *r, const char *line)
{
  struct numbers *n = r->numbers;
  size_t length;
  line += strspn(line, "# \t");
  for (size_t c = 0; (length = next_word(&line)); line += length, c++) {
    if (length >= NUMBERS_NAME)
      return hb_fail(HB_ERR_INPUT, "%s: the name '%.*s...' of a column is too long", r->path, 20, line);
    memcpy(n->names[c], line, length);
    n->names[c][length] = 0;
    for (size_t k = 0; k < c; k++)
      if (strcmp(n->names[k], n->names[c]) == 0)
        return hb_fail(HB_ERR_INPUT, "%s: two columns are named '%s'", r->path, n->names[c]);
  }
  return HB_OK;
}

/* Before the first row. */
static enum hb_status find_names(struct reader *r, size_t columns)
{
  if (columns > NUMBERS_COLUMNS)
    return hb_fail(HB_ERR_INPUT, "%s:%d: %zu columns, expected at most %d", r->path, r->line, columns,
                   NUMBERS_COLUMNS);
  r->numbers->columns = columns;
  if (count_words(r->plain) == columns) return take_names(r, r->plain);
  if (count_words(r->heads) == columns) return take_names(r, r->heads);
  return hb_fail(
      HB_ERR_INPUT,
      "%s:%d: no line before the first row names its %zu column%s (expected a comment like '# x y z m')",
      r->path, r->line, columns, hb_text_s(columns));
}

static enum hb_status add_row(struct reader *r, const char *line)
{
  struct numbers *n = r->numbers;
  size_t words = count_words(line), length;
  if (n->rows == 0) HB_TRY(find_names(r, words));
  if (words != n->columns)
    return hb_fail(HB_ERR_INPUT, "%s:%d: a row of %zu number%s, expected %zu", r->path, r->line, words,
                   hb_text_s(words), n->columns);
  if ((n->rows + 1) * words > r->capacity) {
    size_t wanted = 2 * (n->rows + 512) * words;
    HB_TRY(HB_RESIZE(wanted, &n->data));
    r->capacity = wanted;
  }
  double *out = n->data + n->rows * words;
  for (size_t c = 0; (length = next_word(&line)); line += length, c++) {
    char *end;
    out[c] = strtod(line, &end);
    if (end != line + length || !isfinite(out[c]))
      return hb_fail(HB_ERR_INPUT, "%s:%d: '%.*s' for %s, expected a finite number", r->path, r->line,
                     length < 40 ? (int)length : 40, line, n->names[c]);
  }
  n->rows++;
  return HB_OK;
}

/* Whether the first word could be a number; names are not, nor is an empty line. */
static int is_row(const char *line)
{
  size_t length = next_word(&line);
  char *end;
  return length && (strtod(line, &end), end != line) && end <= line + length;
}

static enum hb_status read_lines(struct reader *r, const char *text)
{
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    r->line++;
    const char *begin = line + strspn(line, " \t");
    if (*begin == '#' && r->numbers->rows == 0) r->heads = begin;
    if (*begin == '#' || count_words(begin) == 0) continue;
    if (r->numbers->rows == 0 && !r->plain && !is_row(begin))
      r->plain = begin;
    else
      HB_TRY(add_row(r, begin));
  }
  if (r->numbers->rows > 0) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: no row of numbers", r->path);
}

static void numbers_free(struct numbers *numbers)
{
  hb_mem_free(numbers->data);
  numbers->data = NULL;
}

/* path "-": standard input. Errors: HB_ERR_INPUT (no names, a row of another length, what is not a finite number; with file
 * and line), HB_ERR_IO. */
static enum hb_status numbers_read(const char *path, struct numbers *numbers)
{
  char *text;
  size_t count;
  HB_TEXT_IN_C;
  *numbers = (struct numbers){0};
  HB_TRY(hb_file_read(path, &text, &count));
  struct reader r = {.path = strcmp(path, "-") == 0 ? "standard input" : path, .numbers = numbers};
  enum hb_status status = strlen(text) == count
                              ? read_lines(&r, text)
                              : hb_fail(HB_ERR_INPUT, "%s is not a text: it has a NUL byte", r.path);
  hb_mem_free(text);
  if (status != HB_OK) numbers_free(numbers);
  return status;
}

/* The column of that name; NULL: none. Its elements are numbers->columns apart. */
static const double *numbers_find(const struct numbers *numbers, const char *name)
{
  for (size_t c = 0; c < numbers->columns; c++)
    if (strcmp(numbers->names[c], name) == 0) return numbers->data + c;
  return NULL;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

/* Whether the extension is that of a snapshot, and not of a table. */
static int is_snapshot(const char *path)
{
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  if (hb_text_has_extension(path, "txt dat tab csv")) return 0;
  for (size_t k = 0; k < count; k++)
    if (hb_text_has_extension(path, formats[k].extensions)) return 1;
  return 0;
}

/* The particles of a snapshot as a table. */
static enum hb_status take_particles(struct hb_particles *p, struct numbers *table)
{
  static const char *const names[] = {"m", "x", "y", "z", "vx", "vy", "vz"};
  enum { COLUMNS = sizeof names / sizeof *names };
  *table = (struct numbers){.rows = hb_particles_n(p), .columns = COLUMNS};
  HB_TRY(HB_ALLOC(table->rows * COLUMNS, &table->data));
  for (size_t c = 0; c < COLUMNS; c++) strcpy(table->names[c], names[c]);
  double *row = table->data;
  for (size_t i = 0; i < table->rows; i++, row += COLUMNS) {
    row[0] = hb_particles_m(p)[i];
    memcpy(row + 1, hb_particles_x(p) + 3 * i, 3 * sizeof *row);
    memcpy(row + 4, hb_particles_v(p) + 3 * i, 3 * sizeof *row);
  }
  return HB_OK;
}

static enum hb_status read_table(const char *path, struct numbers *table)
{
  struct hb_particles *particles;
  if (!is_snapshot(path)) return numbers_read(path, table);
  HB_TRY(hb_snapshot_read(path, NULL, &particles));
  enum hb_status status = take_particles(particles, table);
  hb_particles_destroy(particles);
  return status;
}

typedef const char *(*names_of)(const struct hb_interaction *interaction, size_t k);

/* The columns that the interaction wants; the others are ignored. */
static enum hb_status find_columns(const char *path, const struct numbers *table,
                                   const struct hb_interaction *interaction, names_of names,
                                   struct hb_input inputs[16], size_t *count)
{
  const char *name;
  for (*count = 0; (name = names(interaction, *count)); ++*count) {
    const double *data = numbers_find(table, name);
    if (!data)
      return hb_fail(HB_ERR_INPUT, "%s has no column '%s', which interaction %s needs",
                     strcmp(path, "-") == 0 ? "standard input" : path, name,
                     hb_interaction_name(interaction));
    inputs[*count] = (struct hb_input){name, data, table->columns};
  }
  return HB_OK;
}

/* ---- results ----------------------------------------------------------------------------------------- */

struct results {
  size_t n, width;
  double *data; /* [n * width] */
  struct hb_output outputs[16];
  struct hb_table_column columns[16];
  char first[40]; /* heading of the first column: a comment */
};

static enum hb_status make_room(const struct hb_interaction *interaction, size_t n, struct results *r)
{
  while (hb_interaction_of_force(interaction, r->width)) r->width++;
  r->n = n;
  HB_TRY(HB_ALLOC(n * r->width, &r->data));
  for (size_t c = 0; c < r->width; c++) {
    const char *name = hb_interaction_of_force(interaction, c);
    r->outputs[c] = (struct hb_output){name, r->data + c, r->width};
    r->columns[c] = (struct hb_table_column){
        .name = name, .kind = HB_TABLE_REAL, .offset = c * sizeof(double), .format = "%24.17g"};
  }
  snprintf(r->first, sizeof r->first, "#%s", r->columns[0].name);
  r->columns[0].heading = r->first;
  return HB_OK;
}

static enum hb_table_form form_of(const struct settings *s)
{
  if (s->json || strcasecmp(hb_text_extension(s->output), ".jsonl") == 0) return HB_TABLE_JSON_FORM;
  return strcasecmp(hb_text_extension(s->output), ".csv") == 0 ? HB_TABLE_CSV_FORM : HB_TABLE_TEXT_FORM;
}

static void put_rows(const struct settings *s, const struct results *r, FILE *out)
{
  struct hb_table table = {r->columns, r->width, form_of(s), out, 0};
  for (size_t i = 0; i < r->n; i++, table.rows++) hb_table_put(&table, r->data + r->width * i);
}

static enum hb_status write_file(const struct settings *s, const struct results *r)
{
  char *bytes = NULL;
  size_t count = 0;
  FILE *out = open_memstream(&bytes, &count);
  if (!out) return hb_fail(HB_ERR_INTERNAL, "out of memory");
  put_rows(s, r, out);
  int failed = ferror(out) != 0;
  failed |= fclose(out) != 0;
  enum hb_status status =
      failed ? hb_fail(HB_ERR_INTERNAL, "out of memory") : hb_file_replace(s->output, bytes, count);
  free(bytes);
  return status;
}

static enum hb_status write_results(const struct settings *s, const struct hb_all_pairs *pairs, size_t nj,
                                    const struct results *r)
{
  for (size_t k = 0; k < r->n * r->width; k++)
    if (!isfinite(r->data[k]))
      return hb_fail(HB_ERR_NUMERIC, "%s of sink %zu is %g", r->columns[k % r->width].name, k / r->width,
                     r->data[k]);
  if (strcmp(s->output, "-") == 0) return put_rows(s, r, stdout), HB_OK;
  HB_TRY(write_file(s, r));
  if (!s->quiet)
    hb_terminal_say("wrote %s: %zu sink%s, %zu source%s, %s in %s on %s", s->output, r->n, hb_text_s(r->n),
                    nj, hb_text_s(nj), hb_all_pairs_scheme(pairs), hb_all_pairs_precision(pairs),
                    hb_all_pairs_device(pairs));
  return HB_OK;
}

/* ---- the command ------------------------------------------------------------------------------------- */

struct work {
  struct hb_interaction *interaction;
  struct hb_all_pairs *pairs;
  struct numbers sources, sinks;
  struct results results;
};

static enum hb_status compute(const struct settings *s, struct work *w)
{
  struct hb_input sources[16], sinks[16];
  size_t source_columns, sink_columns = 0;
  HB_TRY(read_table(s->sources, &w->sources));
  HB_TRY(find_columns(s->sources, &w->sources, w->interaction, hb_interaction_of_source, sources,
                      &source_columns));
  if (s->sinks) HB_TRY(read_table(s->sinks, &w->sinks));
  if (s->sinks)
    HB_TRY(find_columns(s->sinks, &w->sinks, w->interaction, hb_interaction_of_sink, sinks, &sink_columns));
  const struct hb_all_pairs_params params = {.scheme = s->force.scheme,
                                             .precision = s->force.precision,
                                             .parameters = s->parameters,
                                             .context = s->force.context,
                                             .device = s->force.device,
                                             .tuning = s->force.tuning,
                                             .max_draw_s = s->force.max_draw_s,
                                             .flags = s->force.flags};
  size_t nj = w->sources.rows, ni = s->sinks ? w->sinks.rows : nj;
  HB_TRY(make_room(w->interaction, ni, &w->results));
  HB_TRY(hb_all_pairs_open(w->interaction, &params, &w->pairs));
  HB_TRY(hb_all_pairs_set_sources(w->pairs, nj, source_columns, sources));
  if (s->sinks)
    return hb_all_pairs_eval_at(w->pairs, ni, sink_columns, sinks, NULL, w->results.width,
                                w->results.outputs);
  return hb_all_pairs_eval(w->pairs, ni, NULL, w->results.width, w->results.outputs);
}

static enum hb_status check(const struct settings *s)
{
  if (!s->interaction) return hb_fail(HB_ERR_USAGE, "'holmberg pairs' needs --interaction NAME");
  if (!s->sources) return hb_fail(HB_ERR_USAGE, "'holmberg pairs' needs --j TABLE");
  if (s->sinks && strcmp(s->sinks, "-") == 0 && strcmp(s->sources, "-") == 0)
    return hb_fail(HB_ERR_USAGE, "options --i and --j cannot both read standard input");
  return strcmp(s->output, "-") == 0 ? HB_OK : hb_target_check(s->output, "");
}

static enum hb_status pairs(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  struct work w = {0};
  enum hb_status status = check(s);
  if (status == HB_OK) status = hb_interaction_create(s->interaction, &w.interaction);
  if (status == HB_OK) status = compute(s, &w);
  if (status == HB_OK) status = write_results(s, w.pairs, w.sources.rows, &w.results);
  hb_all_pairs_close(w.pairs);
  hb_interaction_destroy(w.interaction);
  numbers_free(&w.sources);
  numbers_free(&w.sinks);
  hb_mem_free(w.results.data);
  return status;
}

/* ---- help -------------------------------------------------------------------------------------------- */

static void list_names(const char *before, const struct hb_interaction *interaction, names_of names,
                       struct hb_text *text)
{
  const char *name;
  for (size_t k = 0; (name = names(interaction, k)); k++)
    hb_text_append(text, "%s%s", k ? " " : before, name);
}

static const char *parameter_name(const struct hb_interaction *interaction, size_t k)
{
  double value;
  return hb_interaction_of_parameter(interaction, k, &value);
}

static void list_interactions(const struct hb_help *help)
{
  const struct hb_interaction *info;
  help->heading("interactions, with the columns of sources, what comes out, and parameters", help->out);
  for (size_t k = 0; (info = hb_interaction_at(k)); k++) {
    struct hb_interaction *interaction;
    struct hb_text rest = {0};
    if (hb_interaction_create(info->name, &interaction) != HB_OK) continue;
    list_names("; ", interaction, hb_interaction_of_source, &rest);
    list_names(" -> ", interaction, hb_interaction_of_force, &rest);
    list_names("; ", interaction, parameter_name, &rest);
    hb_help_entry(help, info->name, "%s (%s)%s", info->summary, info->source, rest.text ? rest.text : "");
    hb_mem_free(rest.text);
    hb_interaction_destroy(interaction);
  }
}

const struct hb_opts_command hb_cmd_pairs = {
    .name = "pairs",
    .summary = "Sum an interaction of your own over all pairs of two tables.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, force)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)},
               {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .more_help = list_interactions,
    .example = "  holmberg pairs --interaction coulomb --j charges.txt --i grid.txt -o field.txt\n"
               "  holmberg pairs --interaction my.glsl --parameter k=2 --j stars.txt --precision double\n",
    .work = pairs,
};
