/* holmberg reproduce: the tables and figures of 2007, repeated on this machine, as a report: one HTML file without scripts or external
 * files, from the templates in data/report and the records of jobs; data/report/report.json says of which records and by which
 * expressions. The numbers of each table and figure are also written as CSV. */
#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "console/commands.h"
#include "console/signals.h"
#include "perf/paper.h"
#include "plot/plot.h"
#include "report/reproduce_jobs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = HB_VALUES_TEXT };

struct hb_report {
  struct hb_page page;
  unsigned tables, figures;
  unsigned lacks; /* paragraphs of class "lack", where something is missing */
};

static const cJSON *member(const cJSON *object, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* ---- derived records --------------------------------------------------------------------------------- */

/* table2 n=256 8800GTX=2.708 ...: the numbers of each row of a paper's table, beside its name if that is one word. */
static void note_paper(struct hb_values *v, const char *table)
{
  char head[HB_PAPER_CELL], cell[HB_PAPER_CELL];
  for (size_t row = 1; hb_paper_cell(table, row, 0, cell); row++) {
    if (strchr(cell, ' ')) continue;
    cJSON *record = hb_values_record(v, table, NULL);
    for (size_t column = 0; hb_paper_cell(table, 0, column, head); column++)
      if (hb_paper_cell(table, row, column, cell) &&
          (column == 0 || isfinite(hb_paper_number(table, row, column))))
        hb_values_word(record, head, cell);
  }
}

static void note_all(struct hb_values *v)
{
  const cJSON *numbers = member(v->design, "numbers"), *item;
  cJSON_ArrayForEach (item, member(v->design, "papers")) {
    if (cJSON_IsString(item)) note_paper(v, item->valuestring);
  }
  hb_values_walk(v, member(v->design, "derived"), NULL, hb_values_derive, NULL);
  cJSON_ArrayForEach (item, numbers) {
    hb_values_number(v->given, item->string, hb_values_in(v, NULL, numbers, item->string, NAN));
  }
}

/* ---- tables ------------------------------------------------------------------------------------------ */

struct table {
  const cJSON *design;
  struct hb_draft csv, rows;
  size_t columns, column; /* of the head; the next one */
};

static void next_cell(struct table *t)
{
  if (t->column == 0) hb_draft_put(&t->rows, "<tr>");
  if (t->column++ > 0) hb_draft_put(&t->csv, ",");
}

static void end_row(struct table *t)
{
  hb_draft_put(&t->csv, "\n");
  hb_draft_put(&t->rows, "</tr>\n");
  t->column = 0;
}

/* A comma would end the cell of the CSV. */
static void put_csv(const char *word, struct hb_draft *csv)
{
  for (const char *c = word; *c; c++) hb_draft_put(csv, "%c", *c == ',' ? ';' : *c);
}

/* A column: {"head", "unit", "text": a pattern, or "value": expression, "error": expression, "digits", "scale"}. The error has a cell
 * of its own in the CSV; with it 0 is a constant that was left out. */
static int put_cell(struct hb_values *v, const cJSON *column, const struct hb_scope *scope, void *context)
{
  struct table *t = context;
  char text[TEXT];
  const char *word = cJSON_GetStringValue(member(column, "text"));
  next_cell(t);
  if (word) {
    hb_values_fill(v, scope, word, text);
    put_csv(text, &t->csv);
    hb_draft_put(&t->rows, "<td class=\"word\">");
    hb_draft_put_escaped(&t->rows, text);
    hb_draft_put(&t->rows, "</td>");
    return 0;
  }
  double scale = hb_values_in(v, scope, column, "scale", 1),
         value = scale * hb_values_in(v, scope, column, "value", NAN),
         error = scale * hb_values_in(v, scope, column, "error", NAN);
  int has_error = member(column, "error") != NULL;
  if (has_error && value == 0) value = NAN;
  if (isfinite(value)) hb_draft_put(&t->csv, "%.6g", value);
  if (has_error) next_cell(t);
  if (isfinite(error)) hb_draft_put(&t->csv, "%.6g", error);
  hb_draft_put(&t->rows, "<td>");
  hb_values_digits(value, (int)hb_values_in(v, scope, column, "digits", 3), &t->rows);
  if (isfinite(value) && isfinite(error)) {
    hb_draft_put(&t->rows, " &plusmn; ");
    hb_values_digits(error, 1, &t->rows);
  }
  hb_draft_put(&t->rows, "</td>");
  return 0;
}

/* "8800GTX [s]" in the CSV, and "error of t_host [ns]" beside "t_host [ns]"; here the unit is below. */
static int put_head(struct hb_values *v, const cJSON *column, const struct hb_scope *scope, void *context)
{
  struct table *t = context;
  char head[TEXT];
  const char *unit = hb_values_word_in(column, "unit");
  hb_values_fill(v, scope, hb_values_word_in(column, "head"), head);
  int columns = member(column, "error") ? 2 : 1;
  for (int k = 0; k < columns; k++) {
    next_cell(t);
    hb_draft_put(&t->csv, "%s%s%s%s%s", k ? "error of " : "", head, *unit ? " [" : "", unit,
                 *unit ? "]" : "");
  }
  hb_draft_put(&t->rows, "<th>");
  hb_draft_put_escaped(&t->rows, head);
  hb_draft_put(&t->rows, "<small>%s</small></th>",
               *unit                                     ? unit
               : cJSON_HasObjectItem(t->design, "units") ? "&nbsp;"
                                                         : "");
  return 0;
}

static int put_row(struct hb_values *v, const cJSON *row, const struct hb_scope *scope, void *context)
{
  struct table *t = context;
  (void)row;
  hb_values_walk(v, member(t->design, "columns"), scope, put_cell, t);
  end_row(t);
  return 0;
}

static enum hb_status put_table(struct hb_values *v, const cJSON *design, const char *name,
                                const struct hb_scope *scope, cJSON *shown)
{
  struct table t = {.design = design};
  const cJSON *columns = member(design, "columns");
  hb_draft_put(&t.rows, "<thead>");
  hb_values_walk(v, columns, scope, put_head, &t);
  t.columns = t.column;
  end_row(&t);
  hb_draft_put(&t.rows, "</thead>\n<tbody>\n");
  hb_values_walk(v, member(design, "rows"), scope, put_row, &t);
  hb_values_word(shown, "name", name);
  hb_values_number(shown, "columns", (double)t.columns);
  hb_values_markup(shown, "rows", t.rows.text.text ? t.rows.text.text : "");
  hb_draft_note(&t.csv, t.rows.status);
  hb_draft_clear(&t.rows);
  return hb_draft_save(&t.csv, hb_phrase("data/%s.csv", name));
}

/* ---- figures: drawn by gnuplot, embedded in the page ------------------------------------------------- */

struct figure {
  const cJSON *design;
  const char *name;
  struct hb_plot plot;
};

/* A source has its color in every figure; the machines of 2007 are gray with the marks of the paper's Fig. 1. "host/small": the
 * look of host, thin and dashed; "host/line" without marks, "host/marks" without lines. An unknown style is a black line. */
static struct hb_plot_look look_of(const cJSON *styles, const char *style)
{
  char name[48];
  const char *variant = style + strcspn(style, "/");
  snprintf(name, sizeof name, "%.*s", (int)(variant - style), style);
  const cJSON *row = member(styles, name), *color = cJSON_GetArrayItem(row, 0);
  if (cJSON_GetArraySize(row) != 4) return (struct hb_plot_look){"#000000", 0, 0.75, 1.8, "1"};
  struct hb_plot_look look = {color->valuestring, cJSON_GetArrayItem(row, 1)->valueint, 0.75,
                              cJSON_GetArrayItem(row, 2)->valuedouble,
                              cJSON_GetArrayItem(row, 3)->valuestring};
  if (strcmp(variant, "/small") == 0) look.width *= 0.6, look.dash = "2";
  if (strcmp(variant, "/marks") == 0) look.width = 0;
  if (strcmp(variant, "/line") == 0) look.mark = 0, look.width = 1.2;
  return look;
}

/* {"curve": name, "style", "of": records, "y": field, "scale"}: a point (x of the figure, scale * |y|) for each record; "band": an
 * outline; "optional": it may have no points. */
static int put_curve(struct hb_values *v, const cJSON *row, const struct hb_scope *scope, void *context)
{
  struct figure *f = context;
  char name[TEXT], style[TEXT], filter[TEXT], y[TEXT];
  size_t before = f->plot.count;
  const char *x = hb_values_word_in(f->design, "x");
  double scale = hb_values_in(v, scope, row, "scale", 1);
  hb_values_fill(v, scope, hb_values_word_in(row, "curve"), name);
  hb_values_fill(v, scope, hb_values_word_in(row, "style"), style);
  hb_values_fill(v, scope, hb_values_word_in(row, "records"), filter);
  hb_values_fill(v, scope, hb_values_word_in(row, "y"), y);
  for (const cJSON *record = NULL; v->status == HB_OK && (record = hb_values_next(v, record, filter));)
    v->status =
        hb_plot_add(&f->plot, name, "", hb_values_field(record, x), scale * fabs(hb_values_field(record, y)));
  if (f->plot.count > before) {
    f->plot.curves[before].look = look_of(member(v->design, "styles"), style);
    f->plot.curves[before].is_band = member(row, "band") != NULL;
  } else if (!member(row, "band") && !member(row, "optional")) {
    hb_values_word(hb_values_record(v, hb_phrase("missing figure=%s", f->name), NULL), "curve", name);
  }
  return 0;
}

static const char *part(const cJSON *word, int k)
{
  const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(word, k));
  return text ? text : "";
}

/* The ranges that the paper quotes: words [key, label, color]. */
static void put_bands(const cJSON *bands, struct hb_plot *plot)
{
  for (int k = 0; k < cJSON_GetArraySize(bands) && k < HB_PLOT_BANDS; k++) {
    const cJSON *band = cJSON_GetArrayItem(bands, k);
    double mean = hb_paper_value("pz07_accuracy", part(band, 0), "value");
    double scatter = hb_paper_value("pz07_accuracy", part(band, 0), "scatter");
    if (isnan(scatter)) scatter = 0.08 * mean; /* a line */
    plot->bands[k] =
        (struct hb_plot_band){fmax(mean - scatter, 0.3 * mean), mean + scatter, part(band, 1), part(band, 2)};
  }
}

static enum hb_status write_csv(const struct figure *f)
{
  struct hb_draft csv = {0};
  hb_draft_put(&csv, "curve,%s,%s\n", hb_values_word_in(f->design, "x"), hb_values_word_in(f->design, "y"));
  for (size_t k = 0; k < f->plot.count; k++) {
    const struct hb_plot_curve *c = &f->plot.curves[k];
    for (size_t p = 0; p < c->count; p++) {
      put_csv(c->family, &csv);
      hb_draft_put(&csv, ",%.9g,%.6g\n", c->points[p].x, c->points[p].y);
    }
  }
  return hb_draft_save(&csv, hb_phrase("data/%s.csv", f->name));
}

static enum hb_status draw_figure(const struct figure *f, const char *path)
{
  struct hb_draft script = {0};
  hb_plot_begin(path, 1000, 520, &script);
  hb_draft_put(&script, "set encoding utf8\n"
                        "set border 3 lw 1 lc rgb '#606060'\n"
                        "set tics nomirror font ',12'\n"
                        "set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'\n"
                        "set key outside right center samplen 3 spacing 1.25 Left reverse font ',12'\n");
  hb_plot_put(&f->plot, &script);
  return hb_plot_end(path, &script);
}

/* The <svg> element alone; its ids are prefixed with the figure's name, because the page has many. */
static enum hb_status read_svg(const struct figure *f, const char *path, struct hb_draft *svg)
{
  static const char *const names[] = {"gnuplot_plot_", "gpDot", "gpPt", "textbox_"};
  char *text;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  const char *s = strstr(text, "<svg");
  if (!s) hb_draft_note(svg, hb_fail(HB_ERR_IO, "%s: gnuplot wrote no drawing", path));
  while (s && *s) {
    size_t k = 0;
    while (k < 4 && strncmp(s, names[k], strlen(names[k])) != 0) k++;
    if (k < 4) hb_draft_put(svg, "%s_", f->name);
    size_t count = k < 4 ? strlen(names[k]) : 1;
    hb_draft_put_bytes(svg, s, count);
    s += count;
  }
  hb_mem_free(text);
  return svg->status;
}

/* {"name": its file's, a pattern, if not the own one; "x", "y": fields; "label", "bands", "curves"} */
static enum hb_status put_figure(struct hb_values *v, const cJSON *design, const char *name,
                                 const struct hb_scope *scope, cJSON *shown)
{
  int over_n = strcmp(hb_values_word_in(design, "x"), "n") == 0;
  struct figure f = {design,
                     name,
                     {.x_kind = over_n ? HB_PLOT_X_TWOS_NAMED : HB_PLOT_X_TENS,
                      .y_kind = HB_PLOT_Y_NAMED,
                      .y_margin = 1.5,
                      .x_label = over_n ? "number of particles N" : "accuracy parameter ν",
                      .y_label = hb_values_word_in(design, "label")}};
  struct hb_draft svg = {0};
  char path[TEXT];
  snprintf(path, sizeof path, "figures/%.100s.svg", name);
  put_bands(member(member(v->design, "words"), hb_values_word_in(design, "bands")), &f.plot);
  hb_values_walk(v, member(design, "curves"), scope, put_curve, &f);
  enum hb_status status = v->status;
  if (status == HB_OK && f.plot.count > 0) status = write_csv(&f);
  if (status == HB_OK && f.plot.count > 0) status = draw_figure(&f, path);
  if (status == HB_OK && f.plot.count > 0) status = read_svg(&f, path, &svg);
  hb_values_word(shown, "name", name);
  hb_values_markup(shown, "svg", svg.text.text ? svg.text.text : "");
  hb_draft_clear(&svg);
  hb_plot_clear(&f.plot);
  return status;
}

static void draw(void *context, const char *kind, const char *name, const struct hb_scope *scope,
                 cJSON *shown)
{
  struct hb_report *report = context;
  struct hb_values *v = report->page.values;
  int is_table = strcmp(kind, "table") == 0;
  const cJSON *design = member(member(v->design, is_table ? "tables" : "figures"), name);
  const char *pattern = cJSON_GetStringValue(member(design, "name"));
  char text[TEXT];
  if (!design && v->status == HB_OK)
    v->status = hb_fail(HB_ERR_INPUT, "report.json has no %s '%s'", kind, name);
  if (v->status != HB_OK) return;
  if (pattern) name = hb_values_fill(v, scope, pattern, text);
  v->status = (is_table ? put_table : put_figure)(v, design, name, scope, shown);
  if (is_table)
    report->tables++;
  else
    report->figures += *member(shown, "svg")->valuestring != 0;
}

/* ---- what pages tell --------------------------------------------------------------------------------- */

/* data/paper/claims.json. What a row finds is a template, so that no number is typed again. */
static void note_claims(struct hb_page *page)
{
  const struct hb_template_file *file = hb_template_files;
  cJSON *claims = NULL;
  while (file->name && strcmp(file->name, "data/paper/claims.json") != 0) file++;
  hb_draft_note(&page->html, hb_json_read(file->text, &claims));
  while (claims && claims->child) {
    cJSON *claim = hb_values_record(page->values, "claim", cJSON_DetachItemViaPointer(claims, claims->child));
    struct hb_page found = {.values = page->values, .html.status = page->html.status};
    hb_page_put(&found, "claims.json", hb_values_word_in(claim, "find"));
    hb_draft_note(&page->html, found.html.status);
    hb_values_markup(claim, "found", found.html.text.text ? found.html.text.text : "");
    hb_draft_clear(&found.html);
    for (cJSON *part = claim->child; part; part = part->next)
      if (cJSON_IsString(part)) part->type = cJSON_Raw; /* it is markup */
  }
  cJSON_Delete(claims);
}

static void set_given(const struct hb_values *v)
{
  char date[64], room[64];
  time_t now = time(NULL);
  const cJSON *probe = hb_values_next(v, NULL, "probe source=cg2007");
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  hb_values_word(v->given, "date", date);
  hb_values_word(v->given, "version", hb_library_version());
  hb_values_word(v->given, "device", hb_values_text(probe, "device", room));
  hb_values_word(v->given, "context", hb_values_text(probe, "context", room));
}

/* ---- the pages --------------------------------------------------------------------------------------- */

static enum hb_status save(struct hb_page *page, const char *path, unsigned *lacks)
{
  static const char lack[] = "<p class=\"lack\">";
  for (const char *s = page->html.text.text; s && (s = strstr(s, lack)); s += sizeof lack) ++*lacks;
  hb_draft_note(&page->html, page->values->status);
  return hb_draft_save(&page->html, path);
}

/* Writes both pages in the current folder. Errors: HB_ERR_INPUT (a template, report.json), HB_ERR_IO. */
static enum hb_status write_pages(struct hb_reproduction *r, struct hb_report *report)
{
  unsigned others;
  struct hb_page *page = &report->page;
  *report = (struct hb_report){.page = {.values = &r->values, .draw = draw, .context = report}};
  set_given(&r->values);
  note_all(&r->values);
  hb_draft_note(&page->html, r->values.status);
  note_claims(page);
  hb_page_put(page, "head.html", NULL);
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (!(r->chosen >> k & 1)) continue;
    hb_values_word(r->values.given, "section", hb_sections[k].name);
    hb_values_word(r->values.given, "title", hb_sections[k].title);
    hb_page_put(page, "section.html", NULL);
    hb_page_put(page, hb_phrase("%s.html", hb_sections[k].name), NULL);
  }
  hb_page_put(page, "foot.html", NULL);
  HB_TRY(save(page, "report.html", &report->lacks));
  hb_page_put(page, "repeat.html", NULL);
  return save(page, "repeat.html", &others);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/* From here on paths are relative to the folder; those of shaders and templates must not be. */
static void keep_folder(const char *variable)
{
  const char *folder = getenv(variable);
  char *absolute = folder ? realpath(folder, NULL) : NULL;
  if (absolute) setenv(variable, absolute, 1);
  free(absolute);
}

static enum hb_status enter(const char *out)
{
  static const char *const folders[] = {"jobs", "data", "figures"};
  keep_folder("HB_SHADER_DIR");
  keep_folder("HB_REPORT_DIR");
  if (mkdir(out, 0777) != 0 && errno != EEXIST)
    return hb_fail(HB_ERR_IO, "cannot make folder %s: %s", out, strerror(errno));
  if (chdir(out) != 0) return hb_fail(HB_ERR_IO, "cannot enter folder %s: %s", out, strerror(errno));
  for (size_t k = 0; k < 3; k++)
    if (mkdir(folders[k], 0777) != 0 && errno != EEXIST)
      return hb_fail(HB_ERR_IO, "cannot make folder %s/%s: %s", out, folders[k], strerror(errno));
  return HB_OK;
}

/* Runs the jobs of the chosen sections in folder r->out, then, unless jobs_only, writes the report; clears r. Errors: HB_ERR_USAGE,
 * HB_ERR_INTERNAL (something is missing, marked red in the report), those of hb_reproduce_run and write_pages. */
static enum hb_status reproduce(struct hb_reproduction *r)
{
  struct hb_report report;
  r->jobs_only |= r->plans_only;
  if (r->longest_s == 0) r->longest_s = r->is_full ? 3600 : 4;
  HB_TRY(enter(r->out));
  if (!r->jobs_only) HB_TRY(hb_plot_check("report.svg"));
  HB_TRY(hb_reproduce_open(r));
  hb_signals_watch();
  enum hb_status status = hb_reproduce_run(r);
  if (status == HB_OK && !r->jobs_only) status = write_pages(r, &report);
  if (status == HB_OK && !r->jobs_only)
    printf(
        "wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data; the commands are in "
        "%s/repeat.html\n",
        r->out, report.tables, report.figures, r->out, r->out);
  if (status == HB_OK && !r->jobs_only && report.lacks)
    status = hb_fail(HB_ERR_INTERNAL, "%s/report.html is incomplete: see its %u sentence%s in red", r->out,
                     report.lacks, report.lacks == 1 ? "" : "s");
  hb_reproduce_clear(r);
  return status;
}

/* ---- the command -------------------------------------------------------------------------------------- */

struct settings {
  struct hb_reproduction reproduction;
  struct hb_list only;
  int quick;
};

static const char *section_name(size_t k) { return hb_sections[k].name; }

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"out", 'o', HB_SETTING_TEXT, FIELD(reproduction.out), "DIR", "reproduction",
     .help = "folder of the report; jobs that an earlier, interrupted reproduction finished there are not "
             "repeated"},
    {"quick", 0, HB_SETTING_FLAG, FIELD(quick),
     .help = "smaller N and fewer points: minutes on two cores without a GPU (the default)"},
    {"full", 0, HB_SETTING_FLAG, FIELD(reproduction.is_full),
     .help = "the N of the papers, as far as jobs stay within --longest: hours"},
    {"only", 0, HB_SETTING_WORDS, FIELD(only), "LIST", .words = {.at = section_name, .what = "section"},
     .help = "only these sections, see below"},
    {"longest", 0, HB_SETTING_DURATION, FIELD(reproduction.longest_s), "TIME",
     .help = "estimated time that a single job may take, which limits N and nu (default 4s, "
             "with --full 1h)"},
    {"n-most", 0, HB_SETTING_COUNT, FIELD(reproduction.n_most), "N", "1048576", .least = 64,
     .help = "largest number of particles; below 1024, the smallest is a quarter of it"},
    {"jobs-only", 0, HB_SETTING_FLAG, FIELD(reproduction.jobs_only),
     .help =
         "only run the jobs, for a machine without gnuplot: the same command without this option, even on "
         "another machine, writes the report from the folder"},
    {"plan", 0, HB_SETTING_FLAG, FIELD(reproduction.plans_only),
     .help = "only print the commands of the jobs that are missing, and how long each will take here"},
    {0}};

/* Bits 1 << k for hb_sections[k]; all if none is named. */
static unsigned choose(const struct hb_list *only)
{
  const struct hb_words sections = {.at = section_name};
  unsigned chosen = only->count ? 0 : ~0u;
  for (size_t k = 0; k < only->count; k++) chosen |= 1u << hb_words_find(sections, only->words[k]);
  return chosen;
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  const char *device = s->reproduction.place.device;
  if (s->quick && s->reproduction.is_full)
    return hb_fail(HB_ERR_USAGE, "options --quick and --full exclude each other");
  if (device && strpbrk(device, " \t\n\"\\")) /* it becomes a word of command lines */
    return hb_fail(HB_ERR_USAGE, "option --device: '%s' has blanks or quotes", device);
  s->reproduction.chosen = choose(&s->only);
  return reproduce(&s->reproduction);
}

static void list_sections(const struct hb_help *help)
{
  help->heading("sections", help->out);
  for (size_t k = 0; hb_sections[k].name; k++)
    help->entry(hb_sections[k].name, hb_sections[k].title, help->out);
}

const struct hb_opts_command hb_cmd_reproduce = {
    .name = "reproduce",
    .summary = "Repeat the tables and figures of 2007 on this machine: a report with the printed numbers.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, reproduction.place)}},
    .settings_size = sizeof(struct settings),
    .more_help = list_sections,
    .example = "  holmberg reproduce --out report\n"
               "  holmberg reproduce --only table2,fig2 --longest 30s\n",
    .work = work,
};
