/* holmberg reproduce: the tables and figures of 2007, repeated on this machine, as a report: one HTML file without scripts or external
 * files, from the templates in data/report and the records of jobs; data/report/report.json says of which records and by which
 * expressions. The numbers of each table and figure are also written as CSV. */
#include "base/arith.h"
#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/text.h"
#include "console/commands.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "measure/facts.h"
#include "perf/machine_model.h"
#include "perf/paper.h"
#include "plot/plot.h"
#include "report/built_in.h"

#include <cJSON.h>

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* What a report is made from: records, the lines that jobs wrote and papers printed; and report.json, whose rows say what is run,
 * derived and drawn. Sentences are in templates. report.json has
 *   styles, words, functions      looks of curves; lists that rows go through; functions of expressions
 *   records                       that are there from the start: sources of forces
 *   begin, probes, probed, jobs   rows that plan, see plan below
 *   papers, derived, numbers      tables of papers that become records, rows that derive others, what sentences name
 *   figures, tables               see put_figure, put_table
 *
 * Expressions have ( ) ^ * / + - < > = & | ! and numbers, and
 *   name         what was set, or what a loop or a record around has; an error if there is none
 *   .name        the same; NaN or "" if there is none
 *   [run source=tile n={n} wall_s]   a field of the last record of kind "run" with these values; {...} stands for the value of an
 *                expression; * and ? in a value are wild, and * for a field counts each record as 1
 *   most[...]    of |field| of all such records; likewise least, mean, gmean (geometric), sum, count; where: the n of the most
 *   [table: key: column]             of a table of data/paper or data/measured
 *   if(a, b, c), those of `functions` below, and "functions": "name": ["names of arguments", expression] */
struct values {
  cJSON *design;         /* report.json                                      */
  cJSON *records;        /* of each kind an array of objects, in their order */
  cJSON *given;          /* what was set, by name                            */
  enum hb_status status; /* the first failure */
};

/* Names, from the inside out; then those that were set. */
struct scope {
  const cJSON *names;
  const struct scope *outside;
};

enum { TEXT = 512, NAME = 48, DEPTH_MOST = 8, WORDS_MOST = 8, ARGUMENTS = 3 };

static double evaluate(struct values *v, const struct scope *scope, const char *text);
static const char *fill_in(struct values *v, const struct scope *scope, const char *pattern, char text[TEXT]);

static const cJSON *member(const cJSON *object, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void refuse(struct values *v, const char *reason, const char *word)
{
  if (v->status == HB_OK) v->status = hb_fail(HB_ERR_INPUT, "%s '%s'", reason, word);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void set(cJSON *object, const char *name, cJSON *value)
{
  cJSON_DeleteItemFromObjectCaseSensitive(object, name);
  cJSON_AddItemToObject(object, name, value);
}

/* Sets a member of an object, nullable; markup is not escaped. */
static void set_number(cJSON *object, const char *name, double number)
{
  set(object, name, cJSON_CreateNumber(number));
}

static void set_word(cJSON *object, const char *name, const char *word)
{
  set(object, name, cJSON_CreateString(word));
}

static void set_markup(cJSON *object, const char *name, const char *markup)
{
  set(object, name, cJSON_CreateRaw(markup));
}

/* As it stands; "": there is none. */
static const char *word_in(const cJSON *row, const char *name)
{
  const char *word = cJSON_GetStringValue(member(row, name));
  return word ? word : "";
}

/* "": missing. The text of a number is valid until `room` is used again. */
static const char *text_in(const cJSON *record, const char *name, char room[64])
{
  const cJSON *item = member(record, name);
  return !item ? "" : cJSON_IsRaw(item) ? item->valuestring : hb_json_text_of(item, room);
}

/* A word that is a number is one; NaN: another, or null. */
static double number_of(const cJSON *item)
{
  const char *word = cJSON_GetStringValue(item);
  char *end;
  double number = word ? strtod(word, &end) : item && cJSON_IsNumber(item) ? item->valuedouble : NAN;
  return (word && (end == word || *end)) || !isfinite(number) ? NAN : number;
}

static double number_in(const cJSON *record, const char *name) { return number_of(member(record, name)); }

/* ---- records ----------------------------------------------------------------------------------------- */

/* Adds a record, "run source=tile n=1024"; object: its other fields, which it becomes, nullable, then without a first word the kind
 * is its own field. */
static cJSON *add_record(struct values *v, const char *labels, cJSON *object)
{
  char text[TEXT], kind[NAME] = "", *rest = NULL;
  snprintf(text, sizeof text, "%s", labels);
  if (!object) object = cJSON_CreateObject();
  snprintf(kind, sizeof kind, "%s", word_in(object, "kind"));
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    if (equals) *equals = 0;
    if (equals)
      set_word(object, word, equals + 1);
    else
      snprintf(kind, sizeof kind, "%s", word);
  }
  cJSON *all = cJSON_GetObjectItemCaseSensitive(v->records, kind);
  cJSON_AddItemToArray(all ? all : cJSON_AddArrayToObject(v->records, kind), object);
  return object;
}

/* "run source=tile n=1024", cut into words. */
struct filter {
  char text[TEXT];
  const cJSON *records; /* of that kind */
  int count;
  const char *key[WORDS_MOST], *value[WORDS_MOST];
  const char *field; /* a second word without a value; NULL: there is none */
};

static void read_filter(const struct values *v, const char *text, struct filter *filter)
{
  char *rest = NULL;
  *filter = (struct filter){0};
  snprintf(filter->text, sizeof filter->text, "%s", text);
  char *word = strtok_r(filter->text, " ", &rest);
  filter->records = word ? member(v->records, word) : NULL;
  while ((word = strtok_r(NULL, " ", &rest))) {
    char *equals = strchr(word, '=');
    if (!equals)
      filter->field = word;
    else if (filter->count < WORDS_MOST) {
      *equals = 0;
      filter->key[filter->count] = word;
      filter->value[filter->count++] = equals + 1;
    }
  }
}

static const cJSON *next_of(const struct filter *filter, const cJSON *after)
{
  const cJSON *record = after ? after->next : filter->records ? filter->records->child : NULL;
  for (; record; record = record->next) {
    char room[64];
    int k = 0;
    while (k < filter->count && fnmatch(filter->value[k], text_in(record, filter->key[k], room), 0) == 0) k++;
    if (k == filter->count) break;
  }
  return record;
}

/* The next one after that (NULL: the first); NULL: there is none. */
static const cJSON *next_record(const struct values *v, const cJSON *after, const char *text)
{
  struct filter filter;
  read_filter(v, text, &filter);
  return next_of(&filter, after);
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* ".name" may be missing. */
static const cJSON *find(struct values *v, const struct scope *scope, const char *name)
{
  const cJSON *value = NULL;
  int may_be_missing = *name == '.';
  for (; scope && !value; scope = scope->outside) value = member(scope->names, name + may_be_missing);
  if (!value) value = member(v->given, name + may_be_missing);
  if (!value && !may_be_missing) refuse(v, "unknown name", name);
  return value;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static int is_true(double number) { return isfinite(number) && number != 0; }

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A machine of the model by its place in the tables; then the 8800GTX of Fig. 5: only blocks are sent; particles are also predicted
 * and corrected on the card. */
static struct hb_model_time model(double machine, double n)
{
  struct hb_model_time time;
  int row = machine > 0 ? (int)machine : 0;
  struct hb_machine as = hb_machines[row < HB_MACHINES ? row : 1];
  if (row >= HB_MACHINES) as.sends_all = as.receives_all = 0;
  if (row > HB_MACHINES) as.t_predict = as.t_correct = 0;
  hb_model_predict(&as, NULL, 1, n, &time);
  return time;
}

static double t_unit(double machine, double n) { return model(machine, n).t_unit; }
static double t_step(double machine, double n) { return model(machine, n).t_step; }
static double t_comm(double machine, double n) { return model(machine, n).t_comm; }
static double t_force(double machine, double n) { return model(machine, n).t_force; }
static double n_steps(double machine, double n) { return model(machine, n).n_steps; }
static double n_block(double machine, double n) { return model(machine, n).n_block; }

static const struct function {
  const char *name;
  double (*of)(double, double), (*of_one)(double);
} functions[] = {{"t_unit", t_unit, NULL},   {"t_step", t_step, NULL},   {"t_comm", t_comm, NULL},
                 {"t_force", t_force, NULL}, {"n_steps", n_steps, NULL}, {"n_block", n_block, NULL},
                 {"min", fmin, NULL},        {"max", fmax, NULL},        {"ln", NULL, log},
                 {"abs", NULL, fabs},        {"floor", NULL, floor}};

/* One of report.json: ["n steps", expression]. */
static double call_given(struct values *v, const struct scope *scope, const char *name,
                         const double *arguments)
{
  const cJSON *row = member(member(v->design, "functions"), name);
  const char *names = cJSON_GetStringValue(cJSON_GetArrayItem(row, 0)),
             *body = cJSON_GetStringValue(cJSON_GetArrayItem(row, 1));
  char each[ARGUMENTS][NAME] = {"", "", ""};
  if (!body) {
    refuse(v, "unknown function", name);
    return NAN;
  }
  cJSON *given = cJSON_CreateObject();
  sscanf(names, "%47s %47s %47s", each[0], each[1], each[2]);
  for (int k = 0; k < ARGUMENTS && *each[k]; k++) set_number(given, each[k], arguments[k]);
  double value = evaluate(v, &(struct scope){given, scope}, body);
  cJSON_Delete(given);
  return value;
}

/* ---- expressions ------------------------------------------------------------------------------------- */

struct expression {
  struct values *v;
  const struct scope *scope;
  const char *at, *text;
};

static double value_of(struct expression *e, int level);

static int next_is(struct expression *e, const char *one_of)
{
  e->at += strspn(e->at, " ");
  return *e->at && strchr(one_of, *e->at) ? *e->at++ : 0;
}

static void expect(struct expression *e, const char *end)
{
  if (!next_is(e, end)) refuse(e->v, "this is not an expression:", e->text);
}

struct spread {
  double last, sum, sum_logs, least, most, where, count;
};

/* Of |field| over the records that match; field "*": of their number. */
static struct spread spread_of(const struct filter *filter)
{
  struct spread s = {.last = NAN, .least = INFINITY, .where = NAN};
  const char *field = filter->field ? filter->field : "*";
  for (const cJSON *record = NULL; (record = next_of(filter, record));) {
    double value = *field == '*' ? 1 : number_in(record, field), size = fabs(value);
    s.last = value;
    if (isnan(value)) continue;
    s.sum += size, s.sum_logs += log(size), s.count++;
    s.least = fmin(s.least, size);
    if (size > s.most) s.most = size, s.where = number_in(record, "n");
  }
  return s;
}

static double spread(struct expression *e, const char *how, const struct filter *filter)
{
  static const char *const hows[] = {"", "least", "mean", "gmean", "most", "where", "sum", "count"};
  struct spread s = spread_of(filter);
  double all[] = {s.last, s.least, s.sum / s.count, exp(s.sum_logs / s.count),
                  s.most, s.where, s.sum,           s.count};
  for (size_t k = 0; k < COUNT(hows); k++)
    if (strcmp(how, hows[k]) == 0) return k == 0 || k >= 6 || s.count > 0 ? all[k] : NAN;
  refuse(e->v, "unknown function", how);
  return NAN;
}

/* After "[". */
static double look_up(struct expression *e, const char *how)
{
  char pattern[TEXT], text[TEXT], *rest = NULL;
  size_t length = strcspn(e->at, "]");
  snprintf(pattern, sizeof pattern, "%.*s", (int)length, e->at);
  e->at += length;
  expect(e, "]");
  fill_in(e->v, e->scope, pattern, text);
  if (strchr(text, ':')) {
    const char *table = strtok_r(text, ":", &rest), *key = strtok_r(NULL, ":", &rest);
    if (!key) refuse(e->v, "this is not an expression:", e->text);
    return key ? hb_paper_value(table, key + strspn(key, " "), rest + strspn(rest, " ")) : NAN;
  }
  struct filter filter;
  read_filter(e->v, text, &filter);
  return spread(e, how, &filter);
}

static double call(struct expression *e, const char *name)
{
  double arguments[ARGUMENTS] = {0};
  int count = 0;
  if (!next_is(e, ")")) {
    do arguments[count++] = value_of(e, 0);
    while (count < ARGUMENTS && next_is(e, ","));
    expect(e, ")");
  }
  const double a = arguments[0], b = arguments[1];
  if (strcmp(name, "if") == 0) return is_true(a) ? b : arguments[2];
  for (const struct function *f = functions; f < functions + COUNT(functions); f++)
    if (strcmp(f->name, name) == 0) return f->of ? f->of(a, b) : f->of_one(a);
  return call_given(e->v, e->scope, name, arguments);
}

/* A number, or of any other word 1; 0 of an empty one. */
static double value_of_name(struct expression *e, const char *name)
{
  const cJSON *value = find(e->v, e->scope, name);
  const char *word = cJSON_IsRaw(value) ? value->valuestring : cJSON_GetStringValue(value);
  double number = number_of(value);
  return isnan(number) && word ? *word != 0 : number;
}

static size_t name_length(const char *text)
{
  size_t k = *text == '.';
  if (!isalpha((unsigned char)text[k])) return 0;
  while (isalnum((unsigned char)text[k]) || text[k] == '_') k++;
  return k;
}

static double value_of_one(struct expression *e)
{
  char name[NAME], *end;
  if (next_is(e, "-")) return -value_of_one(e);
  if (next_is(e, "!")) return !is_true(value_of_one(e));
  if (next_is(e, "[")) return look_up(e, "");
  if (next_is(e, "(")) {
    double value = value_of(e, 0);
    expect(e, ")");
    return value;
  }
  size_t length = name_length(e->at);
  if (length == 0) {
    double number = strtod(e->at, &end);
    if (end == e->at) refuse(e->v, "this is not an expression:", e->text);
    e->at = end;
    return number;
  }
  snprintf(name, sizeof name, "%.*s", (int)length, e->at);
  e->at += length;
  return *e->at == '('   ? (e->at++, call(e, name))
         : *e->at == '[' ? (e->at++, look_up(e, name))
                         : value_of_name(e, name);
}

static double operate(int sign, double a, double b)
{
  return sign == '|'   ? is_true(a) || is_true(b)
         : sign == '&' ? is_true(a) && is_true(b)
         : sign == '<' ? a < b
         : sign == '>' ? a > b
         : sign == '=' ? a == b
         : sign == '+' ? a + b
         : sign == '-' ? a - b
         : sign == '*' ? a * b
         : sign == '/' ? a / b
                       : pow(a, b);
}

static double value_of(struct expression *e, int level)
{
  static const char *const signs[] = {"|", "&", "<>=", "+-", "*/", "^"};
  if (level == (int)COUNT(signs)) return value_of_one(e);
  double value = value_of(e, level + 1);
  for (int sign; (sign = next_is(e, signs[level]));) value = operate(sign, value, value_of(e, level + 1));
  return value;
}

static double evaluate(struct values *v, const struct scope *scope, const char *text)
{
  struct expression e = {v, scope, text, text};
  if (v->status != HB_OK) return NAN;
  double value = value_of(&e, 0);
  if (e.at[strspn(e.at, " ")]) refuse(v, "this is not an expression:", text);
  return value;
}

/* A member of a row as an expression; fallback: there is none. */
static double evaluate_in(struct values *v, const struct scope *scope, const cJSON *row, const char *name,
                          double fallback)
{
  const cJSON *item = member(row, name);
  const char *text = cJSON_GetStringValue(item);
  return text ? evaluate(v, scope, text) : cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

/* ---- text with values -------------------------------------------------------------------------------- */

/* The pattern with values for {...}; NULL: "". Words as they are, numbers with ten digits. Returns text. */
static const char *fill_in(struct values *v, const struct scope *scope, const char *pattern, char text[TEXT])
{
  size_t length = 0;
  for (*text = 0; pattern && *pattern && length < TEXT;) {
    size_t plain = strcspn(pattern, "{"), inside = strcspn(pattern + plain, "}");
    char name[TEXT];
    length += (size_t)snprintf(text + length, TEXT - length, "%.*s", (int)plain, pattern);
    pattern += plain;
    if (!*pattern || length >= TEXT) break;
    snprintf(name, sizeof name, "%.*s", (int)inside - 1, pattern + 1);
    pattern += inside + (pattern[inside] == '}');
    const cJSON *value = name_length(name) == strlen(name) ? find(v, scope, name) : NULL;
    const char *word = cJSON_IsRaw(value) ? value->valuestring : cJSON_GetStringValue(value);
    length += (size_t)(word ? snprintf(text + length, TEXT - length, "%s", word)
                            : snprintf(text + length, TEXT - length, "%.10g", evaluate(v, scope, name)));
  }
  if (length >= TEXT) refuse(v, "this is too long:", text);
  return text;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* What a row without "do" is for; levels of loops to leave. */
typedef int leaf_of_rows(struct values *v, const cJSON *row, const struct scope *scope, void *context);

struct walk {
  struct values *v;
  leaf_of_rows *leaf;
  void *context;
};

static int walk_rows(const struct walk *w, const cJSON *rows, const struct scope *scope);

/* A row with the names of its loop. */
static int walk_row(const struct walk *w, const cJSON *row, const struct scope *scope)
{
  const cJSON *rows = member(row, "do"), *stop = member(row, "stop");
  if (w->v->status != HB_OK || !is_true(evaluate_in(w->v, scope, row, "if", 1))) return 0;
  return rows ? walk_rows(w, rows, scope) : stop ? stop->valueint : w->leaf(w->v, row, scope, w->context);
}

/* With the fields of the source that a word or record names. */
static int walk_with(const struct walk *w, const cJSON *row, const cJSON *names, const struct scope *scope)
{
  const cJSON *source = member(names, "source");
  const char *name = source ? cJSON_GetStringValue(source) : NULL;
  const struct scope outer = {name ? next_record(w->v, NULL, hb_phrase("source source=%s", name)) : NULL,
                              scope};
  return walk_row(w, row, &(struct scope){names, &outer});
}

/* A word: an object; or [name, label, style], the last also for those that are missing; its place, and that as a style. */
static cJSON *names_of(const cJSON *word, const char *name, int k)
{
  static const char *const ordinals[] = {"first", "second", "third", "fourth"};
  cJSON *names = cJSON_IsObject(word) ? cJSON_Duplicate(word, 1) : cJSON_CreateObject();
  const char *parts[] = {name, "label", "style"};
  set_number(names, "index", k);
  set_word(names, "ordinal", ordinals[k % 4]);
  for (int part = 0; part < 3 && !cJSON_IsObject(word); part++) {
    const char *text = cJSON_GetStringValue(cJSON_IsArray(word) ? cJSON_GetArrayItem(word, part) : word);
    if (text) set_word(names, parts[part], text);
  }
  return names;
}

static int walk_words(const struct walk *w, const cJSON *row, const struct scope *scope)
{
  const cJSON *words = member(member(w->v->design, "words"), word_in(row, "in")), *word;
  int k = 0, levels = 0;
  if (!words)
    w->v->status = hb_fail(HB_ERR_INPUT, "report.json: there are no words '%s'", word_in(row, "in"));
  cJSON_ArrayForEach (word, words) {
    cJSON *names = names_of(word, word_in(row, "for"), k++);
    if (!levels) levels = walk_with(w, row, names, scope);
    cJSON_Delete(names);
  }
  return levels;
}

static int walk_records(const struct walk *w, const cJSON *row, const struct scope *scope)
{
  char text[TEXT];
  int levels = 0;
  fill_in(w->v, scope, word_in(row, "of"), text);
  for (const cJSON *record = NULL; !levels && (record = next_record(w->v, record, text));)
    levels = walk_with(w, row, record, scope);
  return levels;
}

static int walk_numbers(const struct walk *w, const cJSON *row, const struct scope *scope)
{
  cJSON *names = cJSON_CreateObject();
  const struct scope inner = {names, scope};
  const char *name = word_in(row, "for");
  int levels = 0;
  set_number(names, name, evaluate_in(w->v, scope, row, "from", NAN));
  while (!levels && is_true(evaluate_in(w->v, &inner, row, "while", 0))) {
    levels = walk_row(w, row, &inner);
    set_number(names, name, evaluate_in(w->v, &inner, row, "next", NAN));
  }
  cJSON_Delete(names);
  return levels;
}

static int walk_rows(const struct walk *w, const cJSON *rows, const struct scope *scope)
{
  const cJSON *row;
  int levels = 0;
  cJSON_ArrayForEach (row, rows) {
    int is_loop = member(row, "for") != NULL;
    levels = !is_loop            ? walk_row(w, row, scope)
             : member(row, "in") ? walk_words(w, row, scope)
             : member(row, "of") ? walk_records(w, row, scope)
                                 : walk_numbers(w, row, scope);
    if (is_loop && levels) levels--;
    if (levels) break;
  }
  return levels;
}

/* Goes through rows, objects of
 *   "if": expression                                 else the row is passed over
 *   "for": name, "in": words                         for each word of the list: an object with its fields, or [name, label, style], or
 *                                                    a word that is all three; "index" is its place, "ordinal" that as a style
 *   "for": name, "of": filter                        for each record
 *   "for": name, "from", "while", "next": expressions
 *   "do": rows; "stop": levels of loops to leave
 * A word or record with a field "source" has those of that source, too. Returns what is left of the levels. */
static int walk(struct values *v, const cJSON *rows, const struct scope *scope, leaf_of_rows *leaf,
                void *context)
{
  return walk_rows(&(struct walk){v, leaf, context}, rows, scope);
}

/* ---- derived records ---------------------------------------------------------------------------------- */

/* A leaf: {"record": labels of a new one, or "change": filter of the one that gets the fields, "fields": {name: expression, or a word
 * after '}}. Those that are no number are left out; later ones name earlier ones. */
static int derive(struct values *v, const cJSON *row, const struct scope *scope, void *context)
{
  char text[TEXT];
  const cJSON *field;
  (void)context;
  const char *changed = word_in(row, "change");
  cJSON *record =
      *changed ? (cJSON *)next_record(v, NULL, fill_in(v, scope, changed, text)) : cJSON_CreateObject();
  cJSON_ArrayForEach (field, member(row, "fields")) {
    const char *how = cJSON_GetStringValue(field);
    int is_word = how && *how == '\'';
    double number = is_word ? NAN : evaluate(v, &(struct scope){record, scope}, how ? how : "");
    if (is_word) set_word(record, field->string, fill_in(v, scope, how + 1, text));
    if (isfinite(number)) set_number(record, field->string, number);
  }
  if (!*changed) add_record(v, fill_in(v, scope, word_in(row, "record"), text), record);
  return 0;
}

/* ---- templates --------------------------------------------------------------------------------------- */

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

/* A page being made. */
struct page {
  struct values *values;
  struct hb_draft html;
  unsigned tables, figures;
  unsigned lacks; /* paragraphs of class "lack", where something is missing */
};

struct reading {
  struct page *page;
  const char *file, *text, *at;
  int depth, is_idle; /* idle: on a branch that is not taken */
};

struct tag {
  char text[TEXT];
};

/* The first error of the template or of an expression, with the place. */
static void check(struct reading *t, const char *reason, const char *word)
{
  struct hb_draft *html = &t->page->html;
  struct values *v = t->page->values;
  int line = 1;
  if (reason) refuse(v, reason, word);
  for (const char *c = t->text; c < t->at; c++) line += *c == '\n';
  if (html->status == HB_OK && v->status != HB_OK)
    html->status = v->status = v->status == HB_ERR_INPUT
                                   ? hb_fail_in(v->status, hb_phrase("report template %s:%d", t->file, line))
                                   : v->status;
}

/* Copies text up to the next tag, which it reads; 0 at the end. A tag other than a value also consumes its line if nothing
 * else is on it. */
static int next_tag(struct reading *t, struct tag *tag)
{
  struct hb_draft *html = &t->page->html;
  const char *open = strstr(t->at, "{{"), *close = open ? strstr(open, "}}") : NULL, *stop = open;
  if (close && close[2] == '}') close++; /* {{#each run n={n}}} */
  if (!close || (size_t)(close - open - 2) >= sizeof tag->text) {
    if (open) check(t, "this tag has no end:", "{{");
    hb_draft_put_bytes(html, t->at, strlen(t->at));
    t->at += strlen(t->at);
    return 0;
  }
  snprintf(tag->text, sizeof tag->text, "%.*s", (int)(close - open - 2), open + 2);
  close += 2;
  while (stop > t->at && stop[-1] == ' ') stop--;
  int is_block = strchr("#/>", *tag->text) || strcmp(tag->text, "else") == 0;
  int is_alone = is_block && *close == '\n' && (stop == t->text || stop[-1] == '\n');
  if (!is_alone) stop = open;
  hb_draft_put_bytes(html, t->at, (size_t)(stop - t->at));
  t->at = close + is_alone;
  return 1;
}

static void put_value(struct reading *t, const struct scope *scope, char *text)
{
  struct values *v = t->page->values;
  char *colon = strrchr(text, ':');
  int has_digits = colon && !strchr(colon, ']'), digits = has_digits ? atoi(colon + 1) : 7;
  if (has_digits) *colon = 0;
  int is_name = name_length(text) == strlen(text);
  const cJSON *value = is_name ? find(v, scope, text) : NULL;
  if (digits < 1 || digits > 17 || cJSON_IsObject(value))
    check(t, "this is not a value:", text);
  else if (cJSON_IsString(value))
    hb_draft_put_escaped(&t->page->html, value->valuestring);
  else if (cJSON_IsRaw(value))
    hb_draft_put_bytes(&t->page->html, value->valuestring, strlen(value->valuestring));
  else if (is_name && !value && !t->is_idle)
    check(t, "unknown name", text);
  else
    put_digits(evaluate(v, scope, text), digits, &t->page->html);
  check(t, NULL, NULL);
}

static void put_page(struct page *page, const char *name, const char *text, const struct scope *scope,
                     int depth);
static void draw(struct page *page, const char *kind, const char *name, const struct scope *scope,
                 cJSON *shown);
static struct tag put_block(struct reading *t, const struct scope *scope);

static void expect_end(struct reading *t, struct tag stop, const char *end)
{
  if (strcmp(stop.text, end) != 0) check(t, "a block does not end here with", end);
}

/* What a branch that is not taken writes is cut off again: its names are checked nevertheless. */
static struct tag put_branch(struct reading *t, const struct scope *scope, int is_taken)
{
  struct hb_text *text = &t->page->html.text;
  size_t before = text->length;
  t->is_idle += !is_taken;
  struct tag stop = put_block(t, scope);
  t->is_idle -= !is_taken;
  if (!is_taken && text->length > before) text->text[text->length = before] = 0;
  return stop;
}

static void put_if(struct reading *t, const struct scope *scope, const char *condition)
{
  int is = is_true(evaluate(t->page->values, scope, condition));
  check(t, NULL, NULL);
  struct tag stop = put_branch(t, scope, is);
  if (strcmp(stop.text, "else") == 0) stop = put_branch(t, scope, !is);
  expect_end(t, stop, "/if");
}

static void put_each(struct reading *t, const struct scope *scope, const char *pattern)
{
  struct values *v = t->page->values;
  const char *body = t->at;
  char filter[TEXT];
  int k = 0;
  fill_in(v, scope, pattern, filter);
  const cJSON *record = next_record(v, NULL, filter);
  do {
    cJSON *names = cJSON_CreateObject();
    const struct scope outer = {names, scope};
    set_number(names, "index", k++);
    t->at = body;
    expect_end(t, put_branch(t, &(struct scope){record, &outer}, record != NULL), "/each");
    cJSON_Delete(names);
  } while (record && (record = next_record(v, record, filter)));
}

/* {{#figure fig1}} caption {{/figure}} and {{#table ...}}: draw sets what figure.html and table.html name beside the caption. */
static void put_around(struct reading *t, const struct scope *scope, const char *kind, const char *name)
{
  struct hb_draft outside = t->page->html;
  cJSON *shown = cJSON_CreateObject();
  t->page->html = (struct hb_draft){.status = outside.status};
  expect_end(t, put_block(t, scope), hb_phrase("/%s", kind));
  set_markup(shown, "caption", t->page->html.text.text ? t->page->html.text.text : "");
  hb_draft_note(&outside, t->page->html.status);
  hb_mem_free(t->page->html.text.text);
  t->page->html = outside;
  draw(t->page, kind, name, scope, shown);
  check(t, NULL, NULL);
  put_page(t->page, hb_phrase("%s.html", kind), NULL, &(struct scope){shown, scope}, t->depth + 1);
  cJSON_Delete(shown);
}

/* Up to a tag that ends a block, which comes back; "" at the end of the file. */
static struct tag put_block(struct reading *t, const struct scope *scope)
{
  struct tag tag;
  while (t->page->html.status == HB_OK && next_tag(t, &tag)) {
    char kind[NAME] = "", *rest = tag.text;
    if (*tag.text == '/' || strcmp(tag.text, "else") == 0) return tag;
    if (*tag.text == '#') {
      sscanf(tag.text, "#%47s", kind);
      rest += strlen(kind) + 1 + strspn(rest + strlen(kind) + 1, " ");
    }
    if (*tag.text == '>')
      put_page(t->page, tag.text + 1 + strspn(tag.text + 1, " "), NULL, scope, t->depth + 1);
    else if (!*kind)
      put_value(t, scope, tag.text);
    else if (strcmp(kind, "if") == 0)
      put_if(t, scope, rest);
    else if (strcmp(kind, "each") == 0)
      put_each(t, scope, rest);
    else
      put_around(t, scope, kind, rest);
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

/* Appends a template, by its file, or the text, whose name is for errors:
 *   {{expression}} {{expression:3}}       a word, or a number with that many digits (default 7)
 *   {{#if expression}} ... {{else}} ... {{/if}}     true: a number but not 0, a word that is not empty
 *   {{#each filter}} ... {{/each}}        the fields of each record, and "index", from 0
 *   {{> file}}                            another template
 * A line with nothing but one of {{#...}} {{else}} {{/...}} {{>...}} leaves no line. An unknown name is an error, even on a branch
 * that is not taken; a field .name only on one that is. Templates are embedded at build time; those in the folder HB_REPORT_DIR
 * override them. Errors are kept in html: HB_ERR_INPUT with file, line and reason. */
static void put_page(struct page *page, const char *name, const char *text, const struct scope *scope,
                     int depth)
{
  char *read = NULL, file[160];
  snprintf(file, sizeof file, "%s", name); /* a phrase, which the file may outlive */
  if (!text && page->html.status == HB_OK) page->html.status = read_template(file, &read);
  struct reading t = {page, file, text ? text : read, text ? text : read, depth, 0};
  if (t.text && depth > DEPTH_MOST) check(&t, "templates include each other:", file);
  struct tag stop = t.text ? put_block(&t, scope) : (struct tag){""};
  if (*stop.text) check(&t, "there is nothing to end here:", stop.text);
  hb_mem_free(read);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum hb_status open_values(struct values *v)
{
  char *text;
  *v = (struct values){0};
  HB_TRY(read_template("report.json", &text));
  enum hb_status status = hb_json_read(text, &v->design);
  hb_mem_free(text);
  if (status != HB_OK) return hb_fail_in(status, "report template report.json");
  v->given = cJSON_CreateObject();
  v->records = cJSON_Duplicate(member(v->design, "records"), 1);
  if (!v->records) v->records = cJSON_CreateObject();
  return HB_OK;
}

static void close_values(struct values *v)
{
  cJSON_Delete(v->design);
  cJSON_Delete(v->given);
  cJSON_Delete(v->records);
  *v = (struct values){0};
}

/* ==== jobs: command lines of this program, run one after another as children, each with its output in OUT/jobs; records are the lines of
 * those outputs ==== */

/* In the order of the report; ends with name NULL. */
static const struct section {
  const char *name;  /* for --only; the place in the page; its template is data/report/NAME.html */
  const char *title; /* in the list of contents */
} all_sections[] = {
    {"table2", "Table 2: seconds of the runs"},
    {"fig1", "Fig. 1: time against N"},
    {"fig4", "Fig. 4: speed-up over the host"},
    {"table1", "Table 1: the machines"},
    {"table3", "Table 3: the constants of the model"},
    {"fig3", "Fig. 3: model against measurement"},
    {"fig5", "Fig. 5: what the paper predicted"},
    {"fig2", "Fig. 2: energy error against the accuracy parameter"},
    {"energy", "Section 6: energy errors, measured twice"},
    {"steps", "Section 5: block steps with rounded forces"},
    {"rounding", "Eqs 14 and 17: three roundings of the time step"},
    {"hi07", "[HI07] Tables 2 and 3: sums in bags"},
    {"nhp07", "[NHP07] Figs 31-5 to 31-8: rates"},
    {"differs", "What differs"},
    {NULL, NULL},
};

struct reproduction {
  const char *out;              /* the folder, as the user named it; the program works inside it */
  struct hb_force_params place; /* context and device of the jobs; NULL: not asked for           */
  int is_full, plans_only, jobs_only;
  unsigned chosen;  /* bit k: section k */
  double longest_s; /* estimated limit of one job */
  size_t n_most;
  struct values values; /* report.json, the jobs, and what they wrote */
  char sections[160];   /* that need the jobs being planned */
};

/* ---- records ---------------------------------------------------------------------------------------- */

/* The lines of a job, after one that describes it; of the machine, without labels. */
static enum hb_status read_records(struct reproduction *r, const char *path, const char *labels)
{
  char *text, *rest = NULL;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  enum hb_status status = HB_OK;
  char *line = strtok_r(text, "\n", &rest);
  if (*labels) line = strtok_r(NULL, "\n", &rest);
  for (; line && status == HB_OK; line = strtok_r(NULL, "\n", &rest)) {
    cJSON *object = NULL;
    status = hb_json_read(line, &object);
    if (object) add_record(&r->values, labels, object);
  }
  hb_mem_free(text);
  return status == HB_OK ? HB_OK : hb_fail_in(status, path);
}

static const char machine_file[] = "machine.jsonl";

/* Clang's __VERSION__ has its name, gcc's is "12.2.0". */
#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

/* ---- the machine that the jobs run on, kept beside them -------------------------------------------------------------------------------------- */

/* The text after "name : " of the first processor, "" if the system does not report it. */
static void processor_line(const char *name, char text[256])
{
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  *text = 0;
  while (file && !*text && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, name, strlen(name)) != 0 || !colon) continue;
    snprintf(text, 256, "%.250s", colon + 1 + strspn(colon + 1, " "));
    text[strcspn(text, "\n")] = 0;
  }
  if (file) fclose(file);
}

static double memory_bytes(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

static void describe_host(char text[512])
{
  char model[256];
  processor_line("model name", model);
  snprintf(text, 512, "%s, %ld processors, %.1f GB of memory",
           *model ? model : "processor not told by the system", sysconf(_SC_NPROCESSORS_ONLN),
           1e-9 * memory_bytes());
}

static void row(FILE *out, const char *name, const char *value)
{
  struct hb_json json = {.out = out};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "kind", "machine");
  hb_json_text(&json, "name", name);
  hb_json_text(&json, "value", value);
  hb_json_close_object(&json);
  fputc('\n', out);
}

static void put_contexts(FILE *out)
{
  struct hb_context_info all[HB_CONTEXTS_MOST];
  size_t count;
  if (hb_info_contexts(all, &count) != HB_OK) return;
  for (size_t k = 0; k < count; k++)
    row(out, hb_phrase("OpenGL, %s", all[k].name),
        all[k].usable ? hb_phrase("%s; %s; %s%s", all[k].caps.renderer, all[k].caps.vendor,
                                  all[k].caps.version, all[k].caps.software ? " (software renderer)" : "")
                      : hb_phrase("not usable: %s", all[k].reason));
}

static void put_machine(FILE *out, const void *what)
{
  (void)what;
  struct hb_json json = {.out = out};
  struct utsname system;
  char text[512], clock[256];
  put_contexts(out);
  describe_host(text);
  row(out, "host", text);
  if (uname(&system) == 0)
    row(out, "system", hb_phrase("%s %s, %s", system.sysname, system.release, system.machine));
  row(out, "Holmberg",
      hb_phrase("%s, commit %s, compiled by %s%s", hb_library_version(), hb_commit, COMPILER, __VERSION__));
  processor_line("cpu MHz", clock);
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "kind", "host");
  hb_json_number(&json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
  hb_json_number(&json, "clock_mhz", *clock ? strtod(clock, NULL) : NAN);
  hb_json_number(&json, "memory_bytes", memory_bytes());
  hb_json_close_object(&json);
  fputc('\n', out);
}

/* Writes a file of lines. */
static enum hb_status write_lines(const char *path, void (*put)(FILE *out, const void *what),
                                  const void *what)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (out) put(out, what);
  enum hb_status status = out && fclose(out) == 0 ? hb_file_replace(path, text, length)
                                                  : hb_fail(HB_ERR_INTERNAL, "no memory for %s", path);
  free(text);
  return status;
}

static enum hb_status open_machine(struct reproduction *r)
{
  if (access(machine_file, F_OK) != 0) HB_TRY(write_lines(machine_file, put_machine, NULL));
  return read_records(r, machine_file, "");
}

/* What the folder was started by: "0.1.0, commit ...". */
static int is_of_version(const struct reproduction *r, const char *version)
{
  const char *there = word_in(next_record(&r->values, NULL, "machine name=Holmberg"), "value");
  size_t length = strcspn(there, ",");
  return strlen(version) == length && strncmp(there, version, length) == 0;
}

static enum hb_status check_machine(const struct reproduction *r)
{
  char here[512];
  describe_host(here);
  const char *there = word_in(next_record(&r->values, NULL, "machine name=host"), "value");
  if (strcmp(here, there) == 0 && is_of_version(r, hb_library_version())) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s was started %s (%s); its jobs cannot continue here", r->out,
                 strcmp(here, there) == 0 ? "by another version" : "on another machine", there);
}

/* ---- a job's output ---------------------------------------------------------------------------------- */

/* A job is a record "job" with its labels and
 *   name       "nu-cg2007-1024", the labels' values; its output is in jobs/NAME.jsonl
 *   records    its labels, those of the lines of its output
 *   command    as typed in the folder OUT, after any variables
 *   estimate, seconds    what it would take, or took; took: the latter as a word
 *   done, left_out       left out: would take longer than allowed
 *   failure    a message; "": none
 *   may_fail   1: a failure is an answer, too */
static int is(const cJSON *job, const char *name) { return number_in(job, name) > 0; }

static const char *file_of(const cJSON *job) { return hb_phrase("jobs/%s.jsonl", word_in(job, "name")); }

static void set_seconds(cJSON *job, double seconds)
{
  set_number(job, "seconds", seconds);
  set_word(job, "took", hb_phrase("%.1f", seconds));
}

static void write_header(FILE *file, const cJSON *job)
{
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  struct hb_json json = {.out = file};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "command", word_in(job, "command"));
  hb_json_text(&json, "version", hb_library_version());
  hb_json_text(&json, "commit", hb_commit);
  hb_json_text(&json, "date", date);
  hb_json_number(&json, "estimate_s", number_in(job, "estimate"));
  hb_json_number(&json, "job_wall_s", number_in(job, "seconds"));
  if (*word_in(job, "failure")) hb_json_text(&json, "failure", word_in(job, "failure"));
  hb_json_close_object(&json);
  fputc('\n', file);
}

struct output {
  const cJSON *job;
  const struct hb_text *rows;
};

/* The output of a finished job, or its failure, after a line that describes the job. */
static void put_output(FILE *file, const void *what)
{
  const struct output *o = what;
  write_header(file, o->job);
  if (!*word_in(o->job, "failure") && o->rows->length) fwrite(o->rows->text, 1, o->rows->length, file);
}

static cJSON *jobs_of(const struct reproduction *r) { return (cJSON *)member(r->values.records, "job"); }

/* Whether the job's output exists, from the same command and the folder's version, and how long it took. If a failure was kept
 * instead: 0, and it is the job's. */
static int is_kept(const struct reproduction *r, cJSON *job)
{
  char *text;
  cJSON *header = NULL;
  size_t length;
  if (access(file_of(job), R_OK) != 0 || hb_file_read(file_of(job), &text, &length) != HB_OK) return 0;
  text[strcspn(text, "\n")] = 0;
  int same = hb_json_read(text, &header) == HB_OK &&
             strcmp(word_in(header, "command"), word_in(job, "command")) == 0 &&
             is_of_version(r, word_in(header, "version"));
  if (same) {
    set_word(job, "failure", word_in(header, "failure"));
    set_seconds(job, number_in(header, "job_wall_s"));
  }
  cJSON_Delete(header);
  hb_mem_free(text);
  return same && !*word_in(job, "failure");
}

/* ---- planning ---------------------------------------------------------------------------------------- */

/* "model source=ds mode=block/gpu/gpu": "model-ds-block-gpu-gpu" */
static void write_name(const char *labels, char name[TEXT])
{
  while (*labels) {
    size_t key = strcspn(labels, "= ");
    if (labels[key] == '=') labels += key + 1;
    for (; *labels && *labels != ' '; labels++) *name++ = *labels == '/' ? '-' : *labels;
    if (*labels) *name++ = '-', labels++;
  }
  *name = 0;
}

/* {"job": its labels, "command", "seconds": expression}; it is left out if it would take longer than "limit", unless its output
 * exists already: then "over" is 1. With "either" it is not added at all then, and else ends two loops. */
static int add_job(struct reproduction *r, const cJSON *row, const struct scope *scope)
{
  struct values *v = &r->values;
  char labels[TEXT], text[TEXT];
  fill_in(v, scope, word_in(row, "job"), labels);
  cJSON *job = add_record(v, hb_phrase("job %s", labels + strcspn(labels, " ")), NULL);
  set_word(job, "records", labels);
  write_name(labels, text);
  set_word(job, "name", text);
  set_word(v->given, "name", text);
  set_word(job, "command", fill_in(v, scope, word_in(row, "command"), text));
  set_word(job, "sections", r->sections);
  set_word(job, "failure", "");
  double estimate = evaluate_in(v, scope, row, "seconds", 1);
  set_seconds(job, estimate);
  set_number(job, "estimate", estimate);
  set_number(job, "may_fail", cJSON_HasObjectItem(row, "may_fail"));
  int is_over = estimate > evaluate_in(v, scope, row, "limit", INFINITY) && !is_kept(r, job),
      is_either = cJSON_HasObjectItem(row, "either");
  set_number(job, "done", 0);
  set_number(job, "left_out", is_over);
  if (is_over) set_number(v->given, "over", 1);
  if (is_over && is_either) cJSON_Delete(cJSON_DetachItemViaPointer(jobs_of(r), job));
  return is_either && !is_over ? 2 : 0;
}

/* Also {"let": name, "be": expression}; {"list": name, "item": pattern}: appends to the list, without an item it is empty; and what
 * derive takes. */
static int plan(struct values *v, const cJSON *row, const struct scope *scope, void *context)
{
  char text[TEXT];
  const char *let = word_in(row, "let"), *list = word_in(row, "list"), *item = word_in(row, "item");
  const char *before = word_in(v->given, list);
  if (*let)
    set_number(v->given, let, evaluate_in(v, scope, row, "be", NAN));
  else if (*list && *item)
    set_word(v->given, list, hb_phrase("%s%s%s", before, *before ? "," : "", fill_in(v, scope, item, text)));
  else if (*list)
    set_word(v->given, list, "");
  else if (*word_in(row, "job"))
    return add_job(context, row, scope);
  else
    return derive(v, row, scope, NULL);
  return 0;
}

static enum hb_status plan_rows(struct reproduction *r, const char *name)
{
  walk(&r->values, member(r->values.design, name), NULL, plan, r);
  return r->values.status;
}

/* "jobs": a list of {"sections": those that need them, "do": rows}. */
static enum hb_status plan_all(struct reproduction *r)
{
  const cJSON *group;
  cJSON_ArrayForEach (group, member(r->values.design, "jobs")) {
    int is_chosen = 0;
    snprintf(r->sections, sizeof r->sections, " %s ", word_in(group, "sections"));
    for (size_t k = 0; all_sections[k].name; k++)
      is_chosen |= r->chosen >> k & 1 && strstr(r->sections, hb_phrase(" %s ", all_sections[k].name));
    if (is_chosen) walk(&r->values, member(group, "do"), NULL, plan, r);
  }
  return r->values.status;
}

/* Reads report.json, and sets what its rows go by. */
static enum hb_status open_design(struct reproduction *r)
{
  HB_TRY(open_values(&r->values));
  cJSON *given = r->values.given;
  const char *context = r->place.context, *device = r->place.device;
  set_word(given, "place",
           hb_phrase("%s%s%s%s", context ? " --context " : "", context ? context : "",
                     device ? " --device " : "", device ? device : ""));
  set_number(given, "is_full", r->is_full);
  set_number(given, "n_most", (double)r->n_most);
  set_number(given, "longest", r->longest_s);
  return plan_rows(r, "begin");
}

/* ---- one child --------------------------------------------------------------------------------------- */

enum { COMMAND_WORDS = 64, POLL_MS = 10 };

/* "NAME=value holmberg run ..." by env, with this program in place of holmberg. */
static enum hb_status start(const cJSON *job, struct hb_process *process)
{
  char command[TEXT], self[64];
  const char *words[COMMAND_WORDS] = {"env"};
  size_t count = 1;
  strcpy(command, word_in(job, "command"));
  snprintf(self, sizeof self, "/proc/%ld/exe", (long)getpid());
  for (char *rest, *w = strtok_r(command, " ", &rest); w && count + 1 < COMMAND_WORDS;
       w = strtok_r(NULL, " ", &rest))
    words[count++] = strcmp(w, "holmberg") == 0 ? self : w;
  enum hb_status status = hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_SAID, process);
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_IO, word_in(job, "name"));
}

#define DUE "job done=0 left_out=0 failure="

/* Estimated seconds of all jobs that were due, and when the first one began. */
struct progress {
  double all_s, began;
};

static void show(struct values *v, const struct progress *p, double job_s, double estimate_s)
{
  if (!hb_terminal_is_live() || !(p->all_s > 0)) return;
  double done_s = p->all_s - evaluate(v, NULL, "sum[" DUE " estimate]") + fmin(job_s, estimate_s);
  hb_terminal_progress(done_s / p->all_s, hb_clock_now() - p->began);
}

/* Appends what can be read; closes the pipe at its end. */
static enum hb_status take(int *pipe, struct hb_text *text)
{
  char part[16384];
  ssize_t got = read(*pipe, part, sizeof part);
  if (got > 0) return hb_text_append_bytes(text, part, (size_t)got);
  if (got == 0 || errno != EINTR) hb_process_close(pipe);
  return HB_OK;
}

/* Collects what the child writes until it ends, and forwards a signal to stop. */
static enum hb_status listen(struct values *v, struct hb_process *child, double estimate_s,
                             const struct progress *progress, struct hb_text *rows, struct hb_text *said)
{
  double began = hb_clock_now();
  int forwarded = 0;
  while (child->from >= 0 || child->said >= 0) {
    struct pollfd pipes[] = {{child->from, POLLIN, 0}, {child->said, POLLIN, 0}}; /* -1 is ignored */
    if (hb_signals_stop() && !forwarded++) kill(child->pid, SIGTERM);
    show(v, progress, hb_clock_now() - began, estimate_s);
    if (poll(pipes, 2, POLL_MS) <= 0) continue;
    if (pipes[0].revents) HB_TRY(take(&child->from, rows));
    if (pipes[1].revents) HB_TRY(take(&child->said, said));
  }
  return HB_OK;
}

/* ---- one job ----------------------------------------------------------------------------------------- */

/* The child's first line of standard error, without the program's name. */
static void note_failure(cJSON *job, const struct hb_text *said, struct hb_process_end end)
{
  const char *line = said->length ? said->text : "";
  line += strncmp(line, "holmberg: ", 10) == 0 ? 10 : 0;
  set_word(job, "failure",
           end.signal
               ? hb_phrase("signal %d", end.signal)
               : hb_phrase("exit code %d: %.*s", end.code, (int)hb_min(strcspn(line, "\n"), 200), line));
}

static enum hb_status run_job(struct values *v, cJSON *job, const struct progress *progress)
{
  struct hb_process child;
  struct hb_text rows = {0}, said = {0};
  double began = hb_clock_now();
  HB_TRY(start(job, &child));
  enum hb_status status = listen(v, &child, number_in(job, "estimate"), progress, &rows, &said);
  if (status != HB_OK) hb_process_kill(&child);
  struct hb_process_end end = hb_process_end(&child);
  if (status == HB_OK && hb_signals_stop())
    status =
        hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command continues from here", hb_signals_stop());
  else if (end.code != 0)
    note_failure(job, &said, end);
  set_seconds(job, hb_clock_now() - began);
  int has_failed = *word_in(job, "failure") != 0;
  if (status == HB_OK && (!has_failed || is(job, "may_fail")))
    status = write_lines(file_of(job), put_output, &(struct output){job, &rows});
  set_number(job, "done", status == HB_OK && !has_failed);
  HB_FREE(rows.text, said.text);
  return status;
}

/* ---- all jobs ---------------------------------------------------------------------------------------- */

static enum hb_status resume(struct reproduction *r)
{
  cJSON *job;
  cJSON_ArrayForEach (job, jobs_of(r)) {
    if (is(job, "done") || is(job, "left_out") || !is_kept(r, job)) continue;
    set_number(job, "done", 1);
    HB_TRY(read_records(r, file_of(job), word_in(job, "records")));
  }
  return HB_OK;
}

/* In their order, on the machine that the folder belongs to; without a progress bar, a line for each. */
static enum hb_status run_due(struct reproduction *r)
{
  struct values *v = &r->values;
  cJSON *job;
  HB_TRY(resume(r));
  const struct progress progress = {evaluate(v, NULL, "sum[" DUE " estimate]"), hb_clock_now()};
  const double all = evaluate(v, NULL, "count[" DUE " *]");
  if (all > 0) HB_TRY(check_machine(r));
  for (int k = 1; (job = (cJSON *)next_record(v, NULL, DUE)); k++) {
    HB_TRY(run_job(v, job, &progress));
    if (!hb_terminal_is_live())
      printf("job %d of %.0f, %.1f s: %s\n", k, all, number_in(job, "seconds"), word_in(job, "command"));
    fflush(stdout);
    if (is(job, "done"))
      HB_TRY(read_records(r, file_of(job), word_in(job, "records")));
    else if (!is(job, "may_fail"))
      hb_terminal_note(hb_phrase("job %s failed: %s", word_in(job, "name"), word_in(job, "failure")));
  }
  hb_terminal_clear_progress();
  return HB_OK;
}

static void say_estimate(struct values *v)
{
  const double done = evaluate(v, NULL, "count[job done=1 *]"), due = evaluate(v, NULL, "count[" DUE " *]");
  char text[32];
  hb_terminal_duration(evaluate(v, NULL, "sum[" DUE " estimate]"), text);
  printf("%.0f job%s done, ", done, done == 1 ? " is" : "s are");
  if (due > 0)
    printf("%.0f %s to do: about %s on this machine, by its measured rates\n", due, due == 1 ? "is" : "are",
           text);
  else
    printf("0 are to do\n");
  fflush(stdout);
}

/* Where each would be kept, how long it will take here, and what a user types. */
static enum hb_status say_plan(const struct values *v)
{
  for (const cJSON *job = NULL; (job = next_record(v, job, DUE));)
    printf("%s %.3g s: %s\n", file_of(job), number_in(job, "estimate"), word_in(job, "command"));
  return hb_terminal_flush();
}

/* What each source costs; those that follow are by the faster of bag and tile. Errors: HB_ERR_GL. */
static enum hb_status probe(struct reproduction *r, int stage)
{
  struct values *v = &r->values;
  set_number(v->given, "stage", stage);
  HB_TRY(plan_rows(r, "probes"));
  HB_TRY(run_due(r));
  HB_TRY(plan_rows(r, "probed"));
  if (evaluate(v, NULL, "[source source=cg2007 there] & [source source=host there]") > 0) return HB_OK;
  return hb_fail(HB_ERR_GL, "the kernel of 2007 cannot run on this machine: %s",
                 word_in(next_record(v, NULL, "job name=probe-cg2007"), "failure"));
}

/* Plans all jobs, reuses the output of an earlier session, of the same command and of the version that began the folder,
 * announces how long the others will take, and runs those in their order. A failed job is noted, the others continue. The machine
 * that they ran on is kept beside them. Errors: HB_ERR_STOPPED, HB_ERR_IO, HB_ERR_GL (the kernel of 2007 cannot run on this
 * machine), HB_ERR_USAGE (started on another machine, or by another version). */
static enum hb_status run_jobs(struct reproduction *r)
{
  HB_TRY(open_machine(r));
  HB_TRY(probe(r, 0));
  HB_TRY(probe(r, 1));
  HB_TRY(plan_all(r));
  HB_TRY(resume(r));
  say_estimate(&r->values);
  return r->plans_only ? say_plan(&r->values) : run_due(r);
}

/* ---- derived records --------------------------------------------------------------------------------- */

/* table2 n=256 8800GTX=2.708 ...: the numbers of each row of a paper's table, beside its name if that is one word. */
static void note_paper(struct values *v, const char *table)
{
  char head[HB_PAPER_CELL], cell[HB_PAPER_CELL];
  for (size_t row = 1; hb_paper_cell(table, row, 0, cell); row++) {
    if (strchr(cell, ' ')) continue;
    cJSON *record = add_record(v, table, NULL);
    for (size_t column = 0; hb_paper_cell(table, 0, column, head); column++)
      if (hb_paper_cell(table, row, column, cell) &&
          (column == 0 || isfinite(hb_paper_number(table, row, column))))
        set_word(record, head, cell);
  }
}

static void note_all(struct values *v)
{
  const cJSON *numbers = member(v->design, "numbers"), *item;
  cJSON_ArrayForEach (item, member(v->design, "papers")) {
    if (cJSON_IsString(item)) note_paper(v, item->valuestring);
  }
  walk(v, member(v->design, "derived"), NULL, derive, NULL);
  cJSON_ArrayForEach (item, numbers) {
    set_number(v->given, item->string, evaluate_in(v, NULL, numbers, item->string, NAN));
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
static int put_cell(struct values *v, const cJSON *column, const struct scope *scope, void *context)
{
  struct table *t = context;
  char text[TEXT];
  const char *word = cJSON_GetStringValue(member(column, "text"));
  next_cell(t);
  if (word) {
    fill_in(v, scope, word, text);
    put_csv(text, &t->csv);
    hb_draft_put(&t->rows, "<td class=\"word\">");
    hb_draft_put_escaped(&t->rows, text);
    hb_draft_put(&t->rows, "</td>");
    return 0;
  }
  double scale = evaluate_in(v, scope, column, "scale", 1),
         value = scale * evaluate_in(v, scope, column, "value", NAN),
         error = scale * evaluate_in(v, scope, column, "error", NAN);
  int has_error = member(column, "error") != NULL;
  if (has_error && value == 0) value = NAN;
  if (isfinite(value)) hb_draft_put(&t->csv, "%.6g", value);
  if (has_error) next_cell(t);
  if (isfinite(error)) hb_draft_put(&t->csv, "%.6g", error);
  hb_draft_put(&t->rows, "<td>");
  put_digits(value, (int)evaluate_in(v, scope, column, "digits", 3), &t->rows);
  if (isfinite(value) && isfinite(error)) {
    hb_draft_put(&t->rows, " &plusmn; ");
    put_digits(error, 1, &t->rows);
  }
  hb_draft_put(&t->rows, "</td>");
  return 0;
}

/* "8800GTX [s]" in the CSV, and "error of t_host [ns]" beside "t_host [ns]"; here the unit is below. */
static int put_head(struct values *v, const cJSON *column, const struct scope *scope, void *context)
{
  struct table *t = context;
  char head[TEXT];
  const char *unit = word_in(column, "unit");
  fill_in(v, scope, word_in(column, "head"), head);
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

static int put_row(struct values *v, const cJSON *row, const struct scope *scope, void *context)
{
  struct table *t = context;
  (void)row;
  walk(v, member(t->design, "columns"), scope, put_cell, t);
  end_row(t);
  return 0;
}

static enum hb_status put_table(struct values *v, const cJSON *design, const char *name,
                                const struct scope *scope, cJSON *shown)
{
  struct table t = {.design = design};
  const cJSON *columns = member(design, "columns");
  hb_draft_put(&t.rows, "<thead>");
  walk(v, columns, scope, put_head, &t);
  t.columns = t.column;
  end_row(&t);
  hb_draft_put(&t.rows, "</thead>\n<tbody>\n");
  walk(v, member(design, "rows"), scope, put_row, &t);
  set_word(shown, "name", name);
  set_number(shown, "columns", (double)t.columns);
  set_markup(shown, "rows", t.rows.text.text ? t.rows.text.text : "");
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
static int put_curve(struct values *v, const cJSON *row, const struct scope *scope, void *context)
{
  struct figure *f = context;
  char name[TEXT], style[TEXT], filter[TEXT], y[TEXT];
  size_t before = f->plot.count;
  const char *x = word_in(f->design, "x");
  double scale = evaluate_in(v, scope, row, "scale", 1);
  fill_in(v, scope, word_in(row, "curve"), name);
  fill_in(v, scope, word_in(row, "style"), style);
  fill_in(v, scope, word_in(row, "records"), filter);
  fill_in(v, scope, word_in(row, "y"), y);
  for (const cJSON *record = NULL; v->status == HB_OK && (record = next_record(v, record, filter));)
    v->status = hb_plot_add(&f->plot, name, "", number_in(record, x), scale * fabs(number_in(record, y)));
  if (f->plot.count > before) {
    f->plot.curves[before].look = look_of(member(v->design, "styles"), style);
    f->plot.curves[before].is_band = member(row, "band") != NULL;
  } else if (!member(row, "band") && !member(row, "optional")) {
    set_word(add_record(v, hb_phrase("missing figure=%s", f->name), NULL), "curve", name);
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
  hb_draft_put(&csv, "curve,%s,%s\n", word_in(f->design, "x"), word_in(f->design, "y"));
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
static enum hb_status put_figure(struct values *v, const cJSON *design, const char *name,
                                 const struct scope *scope, cJSON *shown)
{
  int over_n = strcmp(word_in(design, "x"), "n") == 0;
  struct figure f = {design,
                     name,
                     {.x_kind = over_n ? HB_PLOT_X_TWOS_NAMED : HB_PLOT_X_TENS,
                      .y_kind = HB_PLOT_Y_NAMED,
                      .y_margin = 1.5,
                      .x_label = over_n ? "number of particles N" : "accuracy parameter ν",
                      .y_label = word_in(design, "label")}};
  struct hb_draft svg = {0};
  char path[TEXT];
  snprintf(path, sizeof path, "figures/%.100s.svg", name);
  put_bands(member(member(v->design, "words"), word_in(design, "bands")), &f.plot);
  walk(v, member(design, "curves"), scope, put_curve, &f);
  enum hb_status status = v->status;
  if (status == HB_OK && f.plot.count > 0) status = write_csv(&f);
  if (status == HB_OK && f.plot.count > 0) status = draw_figure(&f, path);
  if (status == HB_OK && f.plot.count > 0) status = read_svg(&f, path, &svg);
  set_word(shown, "name", name);
  set_markup(shown, "svg", svg.text.text ? svg.text.text : "");
  hb_draft_clear(&svg);
  hb_plot_clear(&f.plot);
  return status;
}

static void draw(struct page *page, const char *kind, const char *name, const struct scope *scope,
                 cJSON *shown)
{
  struct values *v = page->values;
  int is_table = strcmp(kind, "table") == 0;
  const cJSON *design = member(member(v->design, is_table ? "tables" : "figures"), name);
  const char *pattern = cJSON_GetStringValue(member(design, "name"));
  char text[TEXT];
  if (!design && v->status == HB_OK)
    v->status = hb_fail(HB_ERR_INPUT, "report.json has no %s '%s'", kind, name);
  if (v->status != HB_OK) return;
  if (pattern) name = fill_in(v, scope, pattern, text);
  v->status = (is_table ? put_table : put_figure)(v, design, name, scope, shown);
  if (is_table)
    page->tables++;
  else
    page->figures += *member(shown, "svg")->valuestring != 0;
}

/* ---- what pages tell --------------------------------------------------------------------------------- */

/* data/paper/claims.json. What a row finds is a template, so that no number is typed again. */
static void note_claims(struct page *page)
{
  const struct hb_template_file *file = hb_template_files;
  cJSON *claims = NULL;
  while (file->name && strcmp(file->name, "data/paper/claims.json") != 0) file++;
  hb_draft_note(&page->html, hb_json_read(file->text, &claims));
  while (claims && claims->child) {
    cJSON *claim = add_record(page->values, "claim", cJSON_DetachItemViaPointer(claims, claims->child));
    struct page found = {.values = page->values, .html.status = page->html.status};
    put_page(&found, "claims.json", word_in(claim, "find"), NULL, 0);
    hb_draft_note(&page->html, found.html.status);
    set_markup(claim, "found", found.html.text.text ? found.html.text.text : "");
    hb_draft_clear(&found.html);
    for (cJSON *part = claim->child; part; part = part->next)
      if (cJSON_IsString(part)) part->type = cJSON_Raw; /* it is markup */
  }
  cJSON_Delete(claims);
}

static void set_given(const struct values *v)
{
  char date[64], room[64];
  time_t now = time(NULL);
  const cJSON *probe = next_record(v, NULL, "probe source=cg2007");
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  set_word(v->given, "date", date);
  set_word(v->given, "version", hb_library_version());
  set_word(v->given, "device", text_in(probe, "device", room));
  set_word(v->given, "context", text_in(probe, "context", room));
}

/* ---- the pages --------------------------------------------------------------------------------------- */

static enum hb_status save(struct page *page, const char *path)
{
  static const char lack[] = "<p class=\"lack\">";
  for (const char *s = page->html.text.text; s && (s = strstr(s, lack)); s += sizeof lack) page->lacks++;
  hb_draft_note(&page->html, page->values->status);
  return hb_draft_save(&page->html, path);
}

/* Writes both pages in the current folder. Errors: HB_ERR_INPUT (a template, report.json), HB_ERR_IO. */
static enum hb_status write_pages(struct reproduction *r, struct page *page)
{
  *page = (struct page){.values = &r->values};
  set_given(&r->values);
  note_all(&r->values);
  hb_draft_note(&page->html, r->values.status);
  note_claims(page);
  put_page(page, "head.html", NULL, NULL, 0);
  for (size_t k = 0; all_sections[k].name; k++) {
    if (!(r->chosen >> k & 1)) continue;
    set_word(r->values.given, "section", all_sections[k].name);
    set_word(r->values.given, "title", all_sections[k].title);
    put_page(page, "section.html", NULL, NULL, 0);
    put_page(page, hb_phrase("%s.html", all_sections[k].name), NULL, NULL, 0);
  }
  put_page(page, "foot.html", NULL, NULL, 0);
  HB_TRY(save(page, "report.html"));
  put_page(page, "repeat.html", NULL, NULL, 0);
  return save(page, "repeat.html");
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
 * HB_ERR_INTERNAL (something is missing, marked red in the report), those of run_jobs and write_pages. */
static enum hb_status reproduce(struct reproduction *r)
{
  struct page page;
  r->jobs_only |= r->plans_only;
  if (r->longest_s == 0) r->longest_s = r->is_full ? 3600 : 4;
  HB_TRY(enter(r->out));
  if (!r->jobs_only) HB_TRY(hb_plot_check("report.svg"));
  HB_TRY(open_design(r));
  hb_signals_watch(0);
  enum hb_status status = run_jobs(r);
  if (status == HB_OK && !r->jobs_only) status = write_pages(r, &page);
  if (status == HB_OK && !r->jobs_only)
    printf(
        "wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data; the commands are in "
        "%s/repeat.html\n",
        r->out, page.tables, page.figures, r->out, r->out);
  if (status == HB_OK && !r->jobs_only && page.lacks)
    status = hb_fail(HB_ERR_INTERNAL, "%s/report.html is incomplete: see its %u sentence%s in red", r->out,
                     page.lacks, page.lacks == 1 ? "" : "s");
  close_values(&r->values);
  return status;
}

/* ---- the command -------------------------------------------------------------------------------------- */

struct settings {
  struct reproduction reproduction;
  struct hb_list only;
  int quick;
};

static const char *section_name(size_t k) { return all_sections[k].name; }

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

/* Bits 1 << k for all_sections[k]; all if none is named. */
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
  for (size_t k = 0; all_sections[k].name; k++)
    help->entry(all_sections[k].name, all_sections[k].title, help->out);
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
