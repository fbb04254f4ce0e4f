/* holmberg pairs: an interaction, the program's or the user's, summed over all pairs of two tables. */
#include "base/file.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"

#include <holmberg/interaction.h>
#include <holmberg/measure.h>

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
static enum hb_status take_particles(struct hb_particles *p, struct hb_table_numbers *table)
{
  static const char *const names[] = {"m", "x", "y", "z", "vx", "vy", "vz"};
  enum { COLUMNS = sizeof names / sizeof *names };
  *table = (struct hb_table_numbers){.rows = hb_particles_n(p), .columns = COLUMNS};
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

static enum hb_status read_table(const char *path, struct hb_table_numbers *table)
{
  struct hb_particles *particles;
  if (!is_snapshot(path)) return hb_table_numbers_read(path, table);
  HB_TRY(hb_snapshot_read(path, NULL, &particles));
  enum hb_status status = take_particles(particles, table);
  hb_particles_destroy(particles);
  return status;
}

typedef const char *(*names_of)(const struct hb_interaction *interaction, size_t k);

/* The columns that the interaction wants; the others are ignored. */
static enum hb_status find_columns(const char *path, const struct hb_table_numbers *table,
                                   const struct hb_interaction *interaction, names_of names,
                                   struct hb_input inputs[16], size_t *count)
{
  const char *name;
  for (*count = 0; (name = names(interaction, *count)); ++*count) {
    const double *data = hb_table_numbers_find(table, name);
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
  struct hb_table_numbers sources, sinks;
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
  hb_table_numbers_free(&w.sources);
  hb_table_numbers_free(&w.sinks);
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
  size_t count;
  const struct hb_interaction_info *infos = hb_bench_interactions(&count);
  help->heading("interactions, with the columns of sources, what comes out, and parameters", help->out);
  for (size_t k = 0; k < count; k++) {
    struct hb_interaction *interaction;
    struct hb_text rest = {0};
    if (hb_interaction_create(infos[k].name, &interaction) != HB_OK) continue;
    list_names("; ", interaction, hb_interaction_of_source, &rest);
    list_names(" -> ", interaction, hb_interaction_of_force, &rest);
    list_names("; ", interaction, parameter_name, &rest);
    hb_help_entry(help, infos[k].name, "%s (%s)%s", infos[k].summary, infos[k].source,
                  rest.text ? rest.text : "");
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
