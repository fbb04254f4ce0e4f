#include "report/report.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "perf/paper.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------ */

enum { NAME = 48, DEPTH_MOST = 8 };

static void set(cJSON *values, const char *name, cJSON *value)
{
  cJSON_DeleteItemFromObjectCaseSensitive(values, name);
  cJSON_AddItemToObject(values, name, value);
}

void hb_values_number(cJSON *values, const char *name, double number)
{
  set(values, name, cJSON_CreateNumber(number));
}

void hb_values_word(cJSON *values, const char *name, const char *word)
{
  set(values, name, cJSON_CreateString(word));
}

void hb_values_markup(cJSON *values, const char *name, const char *markup)
{
  set(values, name, cJSON_CreateRaw(markup));
}

/* {"rows": [...], "sample": a row without values} */
void hb_values_list(cJSON *values, const char *name, const char *names)
{
  cJSON *list = cJSON_CreateObject();
  cJSON_AddArrayToObject(list, "rows");
  cJSON *sample = cJSON_AddObjectToObject(list, "sample");
  hb_values_number(sample, "index", 0);
  for (size_t length; *names; names += length + strspn(names + length, " ")) {
    char column[NAME];
    length = strcspn(names, " ");
    snprintf(column, NAME, "%.*s", (int)length, names);
    hb_values_number(sample, column, NAN);
  }
  set(values, name, list);
}

static cJSON *rows_of(const cJSON *list) { return cJSON_GetObjectItemCaseSensitive(list, "rows"); }

cJSON *hb_values_row(cJSON *values, const char *list)
{
  cJSON *rows = rows_of(cJSON_GetObjectItemCaseSensitive(values, list)), *row = cJSON_CreateObject();
  hb_values_number(row, "index", cJSON_GetArraySize(rows));
  cJSON_AddItemToArray(rows, row);
  return row;
}

/* Rows in lists in rows: a name is looked up from the inside out. */
struct scope {
  const cJSON *values;
  const struct scope *outside;
};

static const cJSON *find(const struct scope *scope, const char *name)
{
  const cJSON *value = NULL;
  for (; scope && !value; scope = scope->outside)
    value = cJSON_GetObjectItemCaseSensitive(scope->values, name);
  return value;
}

/* The first row, or the sample. */
static const cJSON *row_of(const cJSON *list)
{
  const cJSON *first = cJSON_GetArrayItem(rows_of(list), 0);
  return first ? first : cJSON_GetObjectItemCaseSensitive(list, "sample");
}

/* ---- values as markup -------------------------------------------------------------------------------- */

/* "1.7 x 10^-6" as markup, with that many digits; a dash for NaN. */
static void put_digits(double value, int digits, struct hb_draft *html)
{
  char plain[64];
  int exponent = 0;
  snprintf(plain, sizeof plain, "%.*g", digits, value);
  char *e = strchr(plain, 'e');
  if (!isfinite(value)) {
    hb_draft_put(html, "&ndash;");
  } else if (e && sscanf(e + 1, "%d", &exponent) == 1 && exponent >= digits && exponent < 7) {
    hb_draft_put(html, "%.0f", strtod(plain, NULL));
  } else if (e) {
    *e = 0;
    int is_one = strcmp(plain, "1") == 0;
    hb_draft_put(html, "<span class=\"n\">%s%s10<sup>%s%d</sup></span>", is_one ? "" : plain,
                 is_one ? "" : "&thinsp;&times;&thinsp;", exponent < 0 ? "&minus;" : "", abs(exponent));
  } else {
    hb_draft_put(html, "%s%s", *plain == '-' ? "&minus;" : "", plain + (*plain == '-'));
  }
}

static int is_true(const cJSON *value)
{
  if (cJSON_IsNumber(value)) return isfinite(value->valuedouble) && value->valuedouble != 0;
  return cJSON_IsObject(value) ? cJSON_GetArraySize(rows_of(value)) > 0 : *value->valuestring != 0;
}

/* ---- a template -------------------------------------------------------------------------------------- */

struct reading {
  const char *file, *text, *at;
  int depth;
  struct hb_draft *html; /* the output, and the first error */
};

struct tag {
  char text[160];
};

static void fail(struct reading *t, const char *reason, const char *word)
{
  int line = 1;
  for (const char *c = t->text; c < t->at; c++) line += *c == '\n';
  if (t->html->status == HB_OK)
    t->html->status = hb_fail(HB_ERR_INPUT, "report template %s:%d: %s '%s'", t->file, line, reason, word);
}

/* Copies text up to the next tag, which it reads; 0 at the end. A tag other than a value also consumes its line if nothing
 * else is on it. */
static int next_tag(struct reading *t, struct tag *tag)
{
  const char *open = strstr(t->at, "{{"), *close = open ? strstr(open, "}}") : NULL, *stop = open;
  if (!close || (size_t)(close - open - 2) >= sizeof tag->text) {
    if (open) fail(t, "this tag has no end:", "{{");
    hb_draft_put_bytes(t->html, t->at, strlen(t->at));
    t->at += strlen(t->at);
    return 0;
  }
  snprintf(tag->text, sizeof tag->text, "%.*s", (int)(close - open - 2), open + 2);
  close += 2;
  while (stop > t->at && stop[-1] == ' ') stop--;
  int is_block = strchr("#/>", *tag->text) || strcmp(tag->text, "else") == 0;
  int is_alone = is_block && *close == '\n' && (stop == t->text || stop[-1] == '\n');
  if (!is_alone) stop = open;
  hb_draft_put_bytes(t->html, t->at, (size_t)(stop - t->at));
  t->at = close + is_alone;
  return 1;
}

static double operand(struct reading *t, const struct scope *scope, const char *word)
{
  char *end;
  double number = strtod(word, &end);
  if (end != word && !*end) return number;
  const cJSON *value = find(scope, word);
  if (!value) fail(t, "unknown name", word);
  return value ? value->valuedouble : NAN;
}

/* "name", "not name", "a > b" */
static int condition(struct reading *t, const struct scope *scope, const char *text)
{
  char a[NAME] = "", how[NAME] = "", b[NAME] = "";
  int words = sscanf(text, "%47s %47s %47s", a, how, b), is_not = words == 2 && strcmp(a, "not") == 0;
  if (words == 3 && how[1] == 0 && strchr("<>=", *how)) {
    double left = operand(t, scope, a), right = operand(t, scope, b);
    return *how == '<' ? left < right : *how == '>' ? left > right : left == right;
  }
  const cJSON *value = find(scope, is_not ? how : a);
  if (words != 1 && !is_not) fail(t, "this is not a condition:", text);
  if (!value) fail(t, "unknown name", is_not ? how : a);
  return value && is_true(value) != is_not;
}

static void put_value(struct reading *t, const struct scope *scope, char *name)
{
  char *colon = strchr(name, ':');
  int digits = colon ? atoi(colon + 1) : 7;
  if (colon) *colon = 0;
  const cJSON *value = find(scope, name);
  if (!value || cJSON_IsObject(value) || digits < 1 || digits > 17)
    fail(t, value ? "this is not a value:" : "unknown name", name);
  else if (cJSON_IsNumber(value))
    put_digits(value->valuedouble, digits, t->html);
  else if (cJSON_IsString(value))
    hb_draft_put_escaped(t->html, value->valuestring);
  else
    hb_draft_put_bytes(t->html, value->valuestring, strlen(value->valuestring));
}

static void put_file(const char *file, const struct scope *scope, int depth, struct hb_draft *html);
static struct tag put_block(struct reading *t, const struct scope *scope);

static void expect(struct reading *t, struct tag stop, const char *end)
{
  if (strcmp(stop.text, end) != 0) fail(t, "a block does not end here with", end);
}

/* What a branch that is not taken writes is cut off again: its names are checked nevertheless. */
static struct tag put_branch(struct reading *t, const struct scope *scope, int is_taken)
{
  size_t before = t->html->text.length;
  struct tag stop = put_block(t, scope);
  if (!is_taken && t->html->text.length > before) t->html->text.text[t->html->text.length = before] = 0;
  return stop;
}

static void put_if(struct reading *t, const struct scope *scope, const char *text)
{
  int is = condition(t, scope, text);
  struct tag stop = put_branch(t, scope, is);
  if (strcmp(stop.text, "else") == 0) stop = put_branch(t, scope, !is);
  expect(t, stop, "/if");
}

static void put_each(struct reading *t, const struct scope *scope, const cJSON *list)
{
  const char *body = t->at;
  int has_rows = is_true(list);
  for (const cJSON *row = row_of(list); row; row = has_rows ? row->next : NULL) {
    t->at = body;
    expect(t, put_branch(t, &(struct scope){row, scope}, has_rows), "/each");
  }
}

/* {{#figure fig1}} caption {{/figure}} */
static void put_around(struct reading *t, const char *kind, const struct scope *scope, const cJSON *list)
{
  struct hb_draft caption = {0}, *html = t->html;
  struct scope row = {row_of(list), scope};
  cJSON *inner = cJSON_CreateObject();
  t->html = &caption;
  expect(t, put_block(t, scope), hb_phrase("/%s", kind));
  t->html = html;
  hb_draft_note(html, caption.status);
  hb_values_markup(inner, "caption", caption.text.text ? caption.text.text : "");
  if (is_true(list)) put_file(hb_phrase("%s.html", kind), &(struct scope){inner, &row}, t->depth + 1, html);
  cJSON_Delete(inner);
  hb_draft_clear(&caption);
}

/* Up to a tag that ends a block, which comes back; "" at the end of the file. */
static struct tag put_block(struct reading *t, const struct scope *scope)
{
  struct tag tag;
  while (t->html->status == HB_OK && next_tag(t, &tag)) {
    char kind[NAME] = "", name[NAME] = "";
    if (*tag.text == '/' || strcmp(tag.text, "else") == 0) return tag;
    sscanf(tag.text, "#%47s %47s", kind, name);
    const cJSON *list = find(scope, name);
    if (*tag.text == '>')
      put_file(tag.text + 1 + strspn(tag.text + 1, " "), scope, t->depth + 1, t->html);
    else if (*tag.text != '#')
      put_value(t, scope, tag.text);
    else if (strcmp(kind, "if") == 0)
      put_if(t, scope, tag.text + 3);
    else if (!rows_of(list))
      fail(t, "unknown list", name);
    else if (strcmp(kind, "each") == 0)
      put_each(t, scope, list);
    else
      put_around(t, kind, scope, list);
  }
  return (struct tag){""};
}

static enum hb_status read_template(const char *name, char **text)
{
  const char *folder = getenv("HB_REPORT_DIR");
  size_t count;
  if (folder && *folder) return hb_file_read(hb_phrase("%s/%s", folder, name), text, &count);
  for (const struct hb_template_file *file = hb_template_files; file->name; file++)
    if (strcmp(file->name, name) == 0) return hb_mem_strdup(file->text, text);
  return hb_fail(HB_ERR_INPUT, "there is no report template '%s'", name);
}

static void put_text(const char *name, const char *text, const struct scope *scope, int depth,
                     struct hb_draft *html)
{
  struct reading t = {name, text, text, depth, html};
  if (depth > DEPTH_MOST) fail(&t, "templates include each other:", name);
  struct tag stop = put_block(&t, scope);
  if (*stop.text) fail(&t, "there is nothing to end here:", stop.text);
}

static void put_file(const char *file, const struct scope *scope, int depth, struct hb_draft *html)
{
  char *text = NULL, name[160];
  snprintf(name, sizeof name, "%s", file); /* a phrase, which the file may outlive */
  if (html->status == HB_OK) html->status = read_template(name, &text);
  if (text) put_text(name, text, scope, depth, html);
  hb_mem_free(text);
}

void hb_template_put(const char *file, const cJSON *values, struct hb_draft *html)
{
  put_file(file, &(struct scope){values, NULL}, 0, html);
}

void hb_template_put_text(const char *name, const char *text, const cJSON *values, struct hb_draft *html)
{
  put_text(name, text, &(struct scope){values, NULL}, 0, html);
}

/* ---- the design: report.json -------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *word_of(const cJSON *object, const char *name)
{
  const char *word = cJSON_GetStringValue(member(object, name));
  return word ? word : "";
}

const cJSON *hb_report_of(const struct hb_report *report, const char *name)
{
  return member(report->design, name);
}

const cJSON *hb_report_words(const struct hb_report *report, const char *name)
{
  return member(hb_report_of(report, "words"), name);
}

const char *hb_report_part(const cJSON *word, enum hb_report_part part)
{
  const char *text = cJSON_GetStringValue(cJSON_IsArray(word) ? cJSON_GetArrayItem(word, (int)part) : word);
  return text ? text : "";
}

/* The words of "each", or a single one that says nothing. */
static const cJSON *each_of(struct hb_report *report, const cJSON *row)
{
  const char *name = word_of(row, "each");
  const cJSON *each = hb_report_words(report, *name ? name : "nothing");
  if (!each)
    hb_draft_note(&report->html, hb_fail(HB_ERR_INPUT, "report.json: there are no words '%s'", name));
  return each;
}

static double number_of(const cJSON *row, const char *name, double fallback)
{
  const cJSON *item = member(row, name);
  return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

/* ---- the page ---------------------------------------------------------------------------------------- */

enum hb_status hb_report_begin(struct hb_report *report)
{
  char *text;
  *report = (struct hb_report){0};
  HB_TRY(read_template("report.json", &text));
  enum hb_status status = hb_json_read(text, &report->design);
  hb_mem_free(text);
  if (status != HB_OK) return hb_fail_in(status, "report template report.json");
  report->values = cJSON_CreateObject();
  return HB_OK;
}

void hb_report_put(struct hb_report *report, const char *file)
{
  hb_template_put(file, report->values, &report->html);
}

enum hb_status hb_report_save(struct hb_report *report, const char *path, unsigned *lacks)
{
  static const char lack[] = "<p class=\"lack\">";
  unsigned count = 0;
  for (const char *s = report->html.text.text; s && (s = strstr(s, lack)); s += sizeof lack) count++;
  if (lacks) *lacks = count;
  return hb_draft_save(&report->html, path);
}

void hb_report_clear(struct hb_report *report)
{
  cJSON_Delete(report->values);
  cJSON_Delete(report->design);
  hb_draft_clear(&report->html);
  report->values = report->design = NULL;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

struct table {
  struct hb_report *report;
  const char *name;
  struct hb_draft csv, rows;
  size_t columns, column; /* of the head; the next one */
};

static void next_cell(struct table *table)
{
  if (table->column == 0) hb_draft_put(&table->rows, "<tr>");
  if (table->column++ > 0) hb_draft_put(&table->csv, ",");
}

static void end_row(struct table *table)
{
  hb_draft_put(&table->csv, "\n");
  hb_draft_put(&table->rows, "</tr>\n");
  table->column = 0;
}

/* A comma would end the cell of the CSV. */
static void put_word(struct table *table, const char *word)
{
  next_cell(table);
  for (const char *c = word; *c; c++) hb_draft_put(&table->csv, "%c", *c == ',' ? ';' : *c);
  hb_draft_put(&table->rows, "<td class=\"word\">");
  hb_draft_put_escaped(&table->rows, word);
  hb_draft_put(&table->rows, "</td>");
}

/* NaN leaves the cell empty. error: nullable, NaN: unknown; it has a cell of its own in the CSV. */
static void put_number(struct table *table, double value, int digits, const double *error)
{
  next_cell(table);
  if (isfinite(value)) hb_draft_put(&table->csv, "%.6g", value);
  if (error) next_cell(table);
  if (error && isfinite(*error)) hb_draft_put(&table->csv, "%.6g", *error);
  hb_draft_put(&table->rows, "<td>");
  put_digits(value, digits, &table->rows);
  if (error && isfinite(value) && isfinite(*error)) {
    hb_draft_put(&table->rows, " &plusmn; ");
    put_digits(*error, 1, &table->rows);
  }
  hb_draft_put(&table->rows, "</td>");
}

static void end_table(struct table *table)
{
  struct hb_report *report = table->report;
  hb_values_list(report->values, table->name, "");
  cJSON *values = hb_values_row(report->values, table->name);
  hb_values_word(values, "name", table->name);
  hb_values_number(values, "columns", (double)table->columns);
  hb_values_markup(values, "rows", table->rows.text.text ? table->rows.text.text : "");
  hb_draft_note(&report->html, table->rows.status);
  hb_draft_clear(&table->rows);
  hb_draft_note(&report->html, hb_draft_save(&table->csv, hb_phrase("data/%s.csv", table->name)));
  report->tables++;
}

/* ---- figures: drawn by gnuplot, embedded in the page -------------------------------------------------- */

struct figure {
  struct hb_report *report;
  cJSON *values; /* for its template */
  const char *name, *x_column, *y_column;
  struct hb_plot plot;
};

/* A source has its color in every figure; the machines of 2007 are gray with the marks of the paper's Fig. 1. "host/small": the
 * look of host, thin and dashed; "host/line" without marks, "host/marks" without lines. An unknown style is a black line. */
static struct hb_plot_look look_of(const struct hb_report *report, const char *style)
{
  char name[48];
  const char *variant = style + strcspn(style, "/");
  snprintf(name, sizeof name, "%.*s", (int)(variant - style), style);
  const cJSON *row = member(member(report->design, "styles"), name), *color = cJSON_GetArrayItem(row, 0);
  if (cJSON_GetArraySize(row) != 4) return (struct hb_plot_look){"#000000", 0, 0.75, 1.8, "1"};
  struct hb_plot_look look = {color->valuestring, cJSON_GetArrayItem(row, 1)->valueint, 0.75,
                              cJSON_GetArrayItem(row, 2)->valuedouble,
                              cJSON_GetArrayItem(row, 3)->valuestring};
  if (strcmp(variant, "/small") == 0) look.width *= 0.6, look.dash = "2";
  if (strcmp(variant, "/marks") == 0) look.width = 0;
  if (strcmp(variant, "/line") == 0) look.mark = 0, look.width = 1.2;
  return look;
}

static struct figure begin_figure(struct hb_report *report, cJSON *values, const char *name,
                                  const char *x_column, const char *y_column, const char *y_label)
{
  struct figure figure = {.report = report, .name = name, .x_column = x_column, .y_column = y_column};
  int over_n = strcmp(x_column, "n") == 0;
  const char *slot = values ? "figure" : name;
  values = values ? values : report->values;
  hb_values_list(values, slot, "");
  figure.values = hb_values_row(values, slot);
  hb_values_word(figure.values, "name", name);
  hb_values_list(figure.values, "missing", "curve");
  figure.plot = (struct hb_plot){.x_kind = over_n ? HB_PLOT_X_TWOS_NAMED : HB_PLOT_X_TENS,
                                 .y_kind = HB_PLOT_Y_NAMED,
                                 .y_margin = 1.5,
                                 .x_label = over_n ? "number of particles N" : "accuracy parameter ν",
                                 .y_label = y_label};
  return figure;
}

static void add_point(struct figure *figure, const char *curve, const char *style, double x, double y)
{
  struct hb_draft *html = &figure->report->html;
  size_t before = figure->plot.count;
  if (html->status == HB_OK) hb_draft_note(html, hb_plot_add(&figure->plot, curve, "", x, y));
  if (figure->plot.count > before) figure->plot.curves[before].look = look_of(figure->report, style);
}

static void expect_curve(struct figure *figure, const char *curve)
{
  for (size_t k = 0; k < figure->plot.count; k++)
    if (strcmp(figure->plot.curves[k].family, curve) == 0) return;
  hb_values_word(hb_values_row(figure->values, "missing"), "curve", curve);
}

/* ---- their files -------------------------------------------------------------------------------------- */

static enum hb_status write_csv(const struct figure *figure)
{
  struct hb_draft csv = {0};
  hb_draft_put(&csv, "curve,%s,%s\n", figure->x_column, figure->y_column);
  for (size_t k = 0; k < figure->plot.count; k++) {
    const struct hb_plot_curve *c = &figure->plot.curves[k];
    char name[HB_PLOT_NAME];
    strcpy(name, c->family);
    for (char *comma; (comma = strchr(name, ','));) *comma = ';';
    for (size_t p = 0; p < c->count; p++)
      hb_draft_put(&csv, "%s,%.9g,%.6g\n", name, c->points[p].x, c->points[p].y);
  }
  return hb_draft_save(&csv, hb_phrase("data/%s.csv", figure->name));
}

static enum hb_status draw(const struct figure *figure, const char *path)
{
  struct hb_draft script = {0};
  hb_plot_begin(path, 1000, 520, &script);
  hb_draft_put(&script, "set encoding utf8\n"
                        "set border 3 lw 1 lc rgb '#606060'\n"
                        "set tics nomirror font ',12'\n"
                        "set grid xtics ytics lt 1 lw 0.6 lc rgb '#e4e4e4'\n"
                        "set key outside right center samplen 3 spacing 1.25 Left reverse font ',12'\n");
  hb_plot_put(&figure->plot, &script);
  return hb_plot_end(path, &script);
}

/* The <svg> element alone; its ids are prefixed with the figure's name, because the page has many. */
static enum hb_status read_svg(const struct figure *figure, const char *path, struct hb_draft *svg)
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
    if (k < 4) hb_draft_put(svg, "%s_", figure->name);
    size_t count = k < 4 ? strlen(names[k]) : 1;
    hb_draft_put_bytes(svg, s, count);
    s += count;
  }
  hb_mem_free(text);
  return svg->status;
}

static void end_figure(struct figure *figure)
{
  struct hb_draft *html = &figure->report->html, svg = {0};
  char path[128];
  strcpy(path, hb_phrase("figures/%.100s.svg", figure->name));
  if (figure->plot.count > 0) {
    if (html->status == HB_OK) html->status = write_csv(figure);
    if (html->status == HB_OK) html->status = draw(figure, path);
    if (html->status == HB_OK) html->status = read_svg(figure, path, &svg);
    figure->report->figures++;
  }
  hb_values_markup(figure->values, "svg", svg.text.text ? svg.text.text : "");
  hb_draft_clear(&svg);
  hb_plot_clear(&figure->plot);
}

/* ---- figures of records --------------------------------------------------------------------------------------------- */

/* The pattern with the word in place of $ and the number's style in place of #. */
static const char *fill(const char *pattern, const char *word, size_t k)
{
  static const char *const ordinals[] = {"first", "second", "third", "fourth"};
  const char *at = strpbrk(pattern, "$#");
  if (!at) return pattern;
  return hb_phrase("%.*s%s%s", (int)(at - pattern), pattern, *at == '$' ? word : ordinals[k % 4], at + 1);
}

/* The points (x of the figure, scale * |y|) of all records that match: the word's label, style and key stand for $; # is its
 * number as a style. n: of which N; 0: any. variant: of the style where curves of several N are in one figure; else NULL. */
static void put_curve(const struct hb_reproduction *r, struct figure *f, const cJSON *curve,
                      const cJSON *word, size_t k, size_t n, const char *variant)
{
  const char *size = n && variant ? hb_phrase(", N = %zu", n) : "",
             *key = hb_report_part(word, HB_REPORT_KEY);
  const char *filter = fill(word_of(curve, "filter"), key, k), *y = fill(word_of(curve, "y"), key, k);
  const char *name =
      hb_phrase("%s%s", fill(word_of(curve, "name"), hb_report_part(word, HB_REPORT_LABEL), k), size);
  const char *style =
      hb_phrase("%s%s", fill(word_of(curve, "style"), hb_report_part(word, HB_REPORT_STYLE), k),
                variant ? variant : "");
  if (n) filter = hb_phrase("%s n=%zu", filter, n);
  size_t before = f->plot.count;
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, filter));)
    add_point(f, name, style, hb_record_number(record, f->x_column),
              number_of(curve, "scale", 1) * fabs(hb_record_number(record, y)));
  int is_band = number_of(curve, "band", 0) != 0;
  if (f->plot.count > before) f->plot.curves[before].is_band = is_band;
  if (!is_band && number_of(curve, "optional", 0) == 0) expect_curve(f, name);
}

/* Of each word the curves that follow each other with the same words. */
static void put_curves(const struct hb_reproduction *r, struct figure *f, const cJSON *curves, size_t n,
                       const char *variant)
{
  for (const cJSON *curve = cJSON_GetArrayItem(curves, 0), *next; curve; curve = next) {
    const cJSON *each = each_of(f->report, curve), *word;
    size_t k = 0;
    for (next = curve; next && each_of(f->report, next) == each;) next = next->next;
    cJSON_ArrayForEach (word, each) {
      for (const cJSON *c = curve; c != next && hb_reproduce_has(r, hb_report_part(word, HB_REPORT_KEY));
           c = c->next)
        put_curve(r, f, c, word, k, n, variant);
      k++;
    }
  }
}

/* The ranges that the paper quotes. */
static void put_bands(const cJSON *bands, struct hb_plot *plot)
{
  for (int k = 0; k < cJSON_GetArraySize(bands) && k < HB_PLOT_BANDS; k++) {
    const cJSON *band = cJSON_GetArrayItem(bands, k);
    const char *key = hb_report_part(band, HB_REPORT_KEY);
    double mean = hb_paper_value("pz07_accuracy", key, "value");
    double scatter = hb_paper_value("pz07_accuracy", key, "scatter");
    if (isnan(scatter)) scatter = 0.08 * mean; /* a line */
    plot->bands[k] =
        (struct hb_plot_band){fmax(mean - scatter, 0.3 * mean), mean + scatter,
                              hb_report_part(band, HB_REPORT_LABEL), hb_report_part(band, HB_REPORT_STYLE)};
  }
}

/* sizes "small thin": curves of two N, and say so; "each": a figure of each N is in its row of the list "sizes". */
static void put_figure(const struct hb_reproduction *r, const cJSON *figure, struct hb_report *report)
{
  static const char *const variants[HB_NU_SIZES] = {"/small", ""};
  size_t n[HB_NU_SIZES];
  char name[64];
  const char *sizes = word_of(figure, "sizes"), *y = word_of(figure, "y");
  int is_each = strcmp(sizes, "each") == 0;
  struct figure f = {0};
  hb_reproduce_nu_sizes(r, n);
  for (int k = 0; k < (*sizes ? HB_NU_SIZES : 1); k++) {
    cJSON *row = is_each ? cJSON_GetArrayItem(rows_of(member(report->values, "sizes")), k) : NULL;
    snprintf(name, sizeof name, is_each ? "%s-%zu" : "%s", word_of(figure, "name"), n[k]);
    if (is_each || k == 0)
      f = begin_figure(report, row, name, word_of(figure, "x"), y, word_of(figure, "label"));
    put_bands(member(figure, "bands"), &f.plot);
    put_curves(r, &f, member(figure, "curves"), *sizes ? n[k] : 0, !*sizes || is_each ? NULL : variants[k]);
    if (is_each) end_figure(&f);
  }
  if (!is_each) end_figure(&f);
}

/* ---- tables of records ---------------------------------------------------------------------------------------------- */

static const char *what_is(const struct hb_reproduction *r, const char *source)
{
  int k = 0;
  while (k + 1 < HB_SOURCES && strcmp(r->sources[k].name, source) != 0) k++;
  return r->sources[k].what;
}

/* A word of the row, or scale times a field of the record that matches, where % stands for the row's key and $ for each word in
 * turn. digits "measure": with its error, field_error; 0: none. */
static void put_cell(const struct hb_reproduction *r, const cJSON *column, const char *word, size_t k,
                     const cJSON *row, struct table *t)
{
  const char *kind = word_of(column, "word"), *key = hb_report_part(row, HB_REPORT_KEY),
             *label = hb_report_part(row, HB_REPORT_LABEL);
  const char *filter = fill(word_of(column, "filter"), word, k), *at = strchr(filter, '%');
  const char *field = fill(word_of(column, "field"), word, k);
  if (at) filter = hb_phrase("%.*s%s%s", (int)(at - filter), filter, key, at + 1);
  double scale = number_of(column, "scale", 1), value = scale * hb_reproduce_number(r, field, "%s", filter);
  double error = scale * hb_reproduce_number(r, hb_phrase("%s_error", field), "%s", filter);
  int is_measure = *word_of(column, "digits") != 0;
  if (strcmp(kind, "n") == 0)
    put_number(t, strtod(key, NULL), 7, NULL);
  else if (*kind)
    put_word(t, strcmp(kind, "what") == 0 ? what_is(r, key) : label);
  else
    put_number(t, is_measure && value == 0 ? NAN : value, (int)number_of(column, "digits", 3),
               is_measure ? &error : NULL);
}

static void put_row(const struct hb_reproduction *r, const cJSON *columns, const cJSON *row, struct table *t)
{
  const cJSON *column, *word;
  cJSON_ArrayForEach (column, columns) {
    size_t k = 0;
    cJSON_ArrayForEach (word, each_of(t->report, column)) {
      put_cell(r, column, hb_report_part(word, HB_REPORT_KEY), k++, row, t);
    }
  }
  end_row(t);
}

/* "8800GTX [s]" in the CSV, and "error of t_host [ns]" beside "t_host [ns]"; here the unit is below. */
static void put_head(struct table *t, const char *head, const char *unit, int has_error, int any_unit)
{
  for (int k = 0; k <= has_error; k++) {
    next_cell(t);
    hb_draft_put(&t->csv, "%s%s%s%s%s", k ? "error of " : "", head, *unit ? " [" : "", unit,
                 *unit ? "]" : "");
  }
  hb_draft_put(&t->rows, "<th>");
  hb_draft_put_escaped(&t->rows, head);
  hb_draft_put(&t->rows, "<small>%s</small></th>", *unit ? unit : any_unit ? "&nbsp;" : "");
}

static void put_heads(struct table *t, const cJSON *columns)
{
  const cJSON *column, *word;
  int any = 0;
  cJSON_ArrayForEach (column, columns) any |= *word_of(column, "unit") != 0;
  hb_draft_put(&t->rows, "<thead>");
  cJSON_ArrayForEach (column, columns) {
    cJSON_ArrayForEach (word, each_of(t->report, column)) {
      put_head(t, fill(word_of(column, "head"), hb_report_part(word, HB_REPORT_LABEL), 0),
               word_of(column, "unit"), *word_of(column, "digits") != 0, any);
    }
  }
  t->columns = t->column;
  end_row(t);
  hb_draft_put(&t->rows, "</thead>\n<tbody>\n");
}

/* Rows: words, those that are filters if a record matches; or the powers of two from N = first to last, from the smallest N of
 * this reproduction if that goes to less than `here`. */
static void put_table(const struct hb_reproduction *r, const cJSON *table, struct hb_report *report)
{
  const cJSON *columns = member(table, "columns"), *row;
  struct table t = {.report = report, .name = word_of(table, "name")};
  put_heads(&t, columns);
  cJSON_ArrayForEach (row, hb_report_words(report, word_of(table, "rows"))) {
    const char *key = hb_report_part(row, HB_REPORT_KEY);
    if (!strchr(key, '=') || hb_reproduce_next(r, NULL, key)) put_row(r, columns, row, &t);
  }
  size_t first = (size_t)number_of(table, (double)r->n_most < number_of(table, "here", 0) ? "" : "first",
                                   (double)r->n_least);
  for (size_t n = first; n > 0 && (double)n <= number_of(table, "last", 0); n *= 2) {
    char key[32];
    snprintf(key, sizeof key, "%zu", n);
    put_row(r, columns, &(cJSON){.type = cJSON_String, .valuestring = key}, &t);
  }
  end_table(&t);
}

void hb_report_draw(struct hb_report *report, const struct hb_reproduction *r, const char *section)
{
  const cJSON *row;
  cJSON_ArrayForEach (row, hb_report_of(report, "figures")) {
    if (strcmp(word_of(row, "section"), section) == 0) put_figure(r, row, report);
  }
  cJSON_ArrayForEach (row, hb_report_of(report, "tables")) {
    if (strcmp(word_of(row, "section"), section) == 0) put_table(r, row, report);
  }
}
