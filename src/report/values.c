#include "report/values.h"

#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "perf/paper.h"

#include <holmberg/measure.h>

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = HB_VALUES_TEXT, NAME = 48, DEPTH_MOST = 8, WORDS_MOST = 8, ARGUMENTS = 3 };

static const cJSON *member(const cJSON *object, const char *name)
{
  return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void fail(struct hb_values *v, const char *reason, const char *word)
{
  if (v->status == HB_OK) v->status = hb_fail(HB_ERR_INPUT, "%s '%s'", reason, word);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void set(cJSON *object, const char *name, cJSON *value)
{
  cJSON_DeleteItemFromObjectCaseSensitive(object, name);
  cJSON_AddItemToObject(object, name, value);
}

void hb_values_number(cJSON *object, const char *name, double number)
{
  set(object, name, cJSON_CreateNumber(number));
}

void hb_values_word(cJSON *object, const char *name, const char *word)
{
  set(object, name, cJSON_CreateString(word));
}

void hb_values_markup(cJSON *object, const char *name, const char *markup)
{
  set(object, name, cJSON_CreateRaw(markup));
}

const char *hb_values_word_in(const cJSON *row, const char *name)
{
  const char *word = cJSON_GetStringValue(member(row, name));
  return word ? word : "";
}

const char *hb_values_text(const cJSON *record, const char *name, char room[64])
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

double hb_values_field(const cJSON *record, const char *name) { return number_of(member(record, name)); }

/* ---- records ----------------------------------------------------------------------------------------- */

cJSON *hb_values_record(struct hb_values *v, const char *labels, cJSON *object)
{
  char text[TEXT], kind[NAME] = "", *rest = NULL;
  snprintf(text, sizeof text, "%s", labels);
  if (!object) object = cJSON_CreateObject();
  snprintf(kind, sizeof kind, "%s", hb_values_word_in(object, "kind"));
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    if (equals) *equals = 0;
    if (equals)
      hb_values_word(object, word, equals + 1);
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

static void read_filter(const struct hb_values *v, const char *text, struct filter *filter)
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
    while (k < filter->count &&
           fnmatch(filter->value[k], hb_values_text(record, filter->key[k], room), 0) == 0)
      k++;
    if (k == filter->count) break;
  }
  return record;
}

const cJSON *hb_values_next(const struct hb_values *v, const cJSON *after, const char *text)
{
  struct filter filter;
  read_filter(v, text, &filter);
  return next_of(&filter, after);
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* ".name" may be missing. */
static const cJSON *find(struct hb_values *v, const struct hb_scope *scope, const char *name)
{
  const cJSON *value = NULL;
  int may_be_missing = *name == '.';
  for (; scope && !value; scope = scope->outside) value = member(scope->names, name + may_be_missing);
  if (!value) value = member(v->given, name + may_be_missing);
  if (!value && !may_be_missing) fail(v, "unknown name", name);
  return value;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static int is_true(double number) { return isfinite(number) && number != 0; }

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A machine of the model by its place in the tables; then the 8800GTX of Fig. 5: only blocks are sent; particles are also predicted
 * and corrected on the card. */
static struct hb_model_time model(double machine, double n)
{
  size_t count;
  struct hb_model_time time;
  const struct hb_machine *machines = hb_model_machines(&count);
  int on_card = (int)machine - (int)count;
  struct hb_machine as = machines[on_card >= 0 ? 1 : machine > 0 ? (int)machine : 0];
  if (on_card >= 0) as.sends_all = as.receives_all = 0;
  if (on_card > 0) as.t_predict = as.t_correct = 0;
  hb_model_predict(&as, n, &time);
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
static double call_given(struct hb_values *v, const struct hb_scope *scope, const char *name,
                         const double *arguments)
{
  const cJSON *row = member(member(v->design, "functions"), name);
  const char *names = cJSON_GetStringValue(cJSON_GetArrayItem(row, 0)),
             *body = cJSON_GetStringValue(cJSON_GetArrayItem(row, 1));
  char each[ARGUMENTS][NAME] = {"", "", ""};
  if (!body) {
    fail(v, "unknown function", name);
    return NAN;
  }
  cJSON *given = cJSON_CreateObject();
  sscanf(names, "%47s %47s %47s", each[0], each[1], each[2]);
  for (int k = 0; k < ARGUMENTS && *each[k]; k++) hb_values_number(given, each[k], arguments[k]);
  double value = hb_values_of(v, &(struct hb_scope){given, scope}, body);
  cJSON_Delete(given);
  return value;
}

/* ---- expressions ------------------------------------------------------------------------------------- */

struct expression {
  struct hb_values *v;
  const struct hb_scope *scope;
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
  if (!next_is(e, end)) fail(e->v, "this is not an expression:", e->text);
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
    double value = *field == '*' ? 1 : hb_values_field(record, field), size = fabs(value);
    s.last = value;
    if (isnan(value)) continue;
    s.sum += size, s.sum_logs += log(size), s.count++;
    s.least = fmin(s.least, size);
    if (size > s.most) s.most = size, s.where = hb_values_field(record, "n");
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
  fail(e->v, "unknown function", how);
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
  hb_values_fill(e->v, e->scope, pattern, text);
  if (strchr(text, ':')) {
    const char *table = strtok_r(text, ":", &rest), *key = strtok_r(NULL, ":", &rest);
    if (!key) fail(e->v, "this is not an expression:", e->text);
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
    if (end == e->at) fail(e->v, "this is not an expression:", e->text);
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

double hb_values_of(struct hb_values *v, const struct hb_scope *scope, const char *text)
{
  struct expression e = {v, scope, text, text};
  if (v->status != HB_OK) return NAN;
  double value = value_of(&e, 0);
  if (e.at[strspn(e.at, " ")]) fail(v, "this is not an expression:", text);
  return value;
}

double hb_values_in(struct hb_values *v, const struct hb_scope *scope, const cJSON *row, const char *name,
                    double fallback)
{
  const cJSON *item = member(row, name);
  const char *text = cJSON_GetStringValue(item);
  return text ? hb_values_of(v, scope, text) : cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

/* ---- text with values -------------------------------------------------------------------------------- */

/* Words as they are, numbers with ten digits. */
const char *hb_values_fill(struct hb_values *v, const struct hb_scope *scope, const char *pattern,
                           char text[HB_VALUES_TEXT])
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
                            : snprintf(text + length, TEXT - length, "%.10g", hb_values_of(v, scope, name)));
  }
  if (length >= TEXT) fail(v, "this is too long:", text);
  return text;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

struct walk {
  struct hb_values *v;
  hb_values_leaf *leaf;
  void *context;
};

static int walk_rows(const struct walk *w, const cJSON *rows, const struct hb_scope *scope);

/* A row with the names of its loop. */
static int walk_row(const struct walk *w, const cJSON *row, const struct hb_scope *scope)
{
  const cJSON *rows = member(row, "do"), *stop = member(row, "stop");
  if (w->v->status != HB_OK || !is_true(hb_values_in(w->v, scope, row, "if", 1))) return 0;
  return rows ? walk_rows(w, rows, scope) : stop ? stop->valueint : w->leaf(w->v, row, scope, w->context);
}

/* With the fields of the source that a word or record names. */
static int walk_with(const struct walk *w, const cJSON *row, const cJSON *names, const struct hb_scope *scope)
{
  const cJSON *source = member(names, "source");
  const char *name = source ? cJSON_GetStringValue(source) : NULL;
  const struct hb_scope outer = {
      name ? hb_values_next(w->v, NULL, hb_phrase("source source=%s", name)) : NULL, scope};
  return walk_row(w, row, &(struct hb_scope){names, &outer});
}

/* A word: an object; or [name, label, style], the last also for those that are missing; its place, and that as a style. */
static cJSON *names_of(const cJSON *word, const char *name, int k)
{
  static const char *const ordinals[] = {"first", "second", "third", "fourth"};
  cJSON *names = cJSON_IsObject(word) ? cJSON_Duplicate(word, 1) : cJSON_CreateObject();
  const char *parts[] = {name, "label", "style"};
  hb_values_number(names, "index", k);
  hb_values_word(names, "ordinal", ordinals[k % 4]);
  for (int part = 0; part < 3 && !cJSON_IsObject(word); part++) {
    const char *text = cJSON_GetStringValue(cJSON_IsArray(word) ? cJSON_GetArrayItem(word, part) : word);
    if (text) hb_values_word(names, parts[part], text);
  }
  return names;
}

static int walk_words(const struct walk *w, const cJSON *row, const struct hb_scope *scope)
{
  const cJSON *words = member(member(w->v->design, "words"), hb_values_word_in(row, "in")), *word;
  int k = 0, levels = 0;
  if (!words)
    w->v->status =
        hb_fail(HB_ERR_INPUT, "report.json: there are no words '%s'", hb_values_word_in(row, "in"));
  cJSON_ArrayForEach (word, words) {
    cJSON *names = names_of(word, hb_values_word_in(row, "for"), k++);
    if (!levels) levels = walk_with(w, row, names, scope);
    cJSON_Delete(names);
  }
  return levels;
}

static int walk_records(const struct walk *w, const cJSON *row, const struct hb_scope *scope)
{
  char text[TEXT];
  int levels = 0;
  hb_values_fill(w->v, scope, hb_values_word_in(row, "of"), text);
  for (const cJSON *record = NULL; !levels && (record = hb_values_next(w->v, record, text));)
    levels = walk_with(w, row, record, scope);
  return levels;
}

static int walk_numbers(const struct walk *w, const cJSON *row, const struct hb_scope *scope)
{
  cJSON *names = cJSON_CreateObject();
  const struct hb_scope inner = {names, scope};
  const char *name = hb_values_word_in(row, "for");
  int levels = 0;
  hb_values_number(names, name, hb_values_in(w->v, scope, row, "from", NAN));
  while (!levels && is_true(hb_values_in(w->v, &inner, row, "while", 0))) {
    levels = walk_row(w, row, &inner);
    hb_values_number(names, name, hb_values_in(w->v, &inner, row, "next", NAN));
  }
  cJSON_Delete(names);
  return levels;
}

static int walk_rows(const struct walk *w, const cJSON *rows, const struct hb_scope *scope)
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

int hb_values_walk(struct hb_values *v, const cJSON *rows, const struct hb_scope *scope, hb_values_leaf *leaf,
                   void *context)
{
  return walk_rows(&(struct walk){v, leaf, context}, rows, scope);
}

/* ---- derived records ---------------------------------------------------------------------------------- */

int hb_values_derive(struct hb_values *v, const cJSON *row, const struct hb_scope *scope, void *context)
{
  char text[TEXT];
  const cJSON *field;
  (void)context;
  const char *changed = hb_values_word_in(row, "change");
  cJSON *record = *changed ? (cJSON *)hb_values_next(v, NULL, hb_values_fill(v, scope, changed, text))
                           : cJSON_CreateObject();
  cJSON_ArrayForEach (field, member(row, "fields")) {
    const char *how = cJSON_GetStringValue(field);
    int is_word = how && *how == '\'';
    double number = is_word ? NAN : hb_values_of(v, &(struct hb_scope){record, scope}, how ? how : "");
    if (is_word) hb_values_word(record, field->string, hb_values_fill(v, scope, how + 1, text));
    if (isfinite(number)) hb_values_number(record, field->string, number);
  }
  if (!*changed)
    hb_values_record(v, hb_values_fill(v, scope, hb_values_word_in(row, "record"), text), record);
  return 0;
}

/* ---- templates --------------------------------------------------------------------------------------- */

void hb_values_digits(double value, int digits, struct hb_draft *html)
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

struct reading {
  struct hb_page *page;
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
  struct hb_values *v = t->page->values;
  int line = 1;
  if (reason) fail(v, reason, word);
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

static void put_value(struct reading *t, const struct hb_scope *scope, char *text)
{
  struct hb_values *v = t->page->values;
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
    hb_values_digits(hb_values_of(v, scope, text), digits, &t->page->html);
  check(t, NULL, NULL);
}

static void put(struct hb_page *page, const char *name, const char *text, const struct hb_scope *scope,
                int depth);
static struct tag put_block(struct reading *t, const struct hb_scope *scope);

static void expect_end(struct reading *t, struct tag stop, const char *end)
{
  if (strcmp(stop.text, end) != 0) check(t, "a block does not end here with", end);
}

/* What a branch that is not taken writes is cut off again: its names are checked nevertheless. */
static struct tag put_branch(struct reading *t, const struct hb_scope *scope, int is_taken)
{
  struct hb_text *text = &t->page->html.text;
  size_t before = text->length;
  t->is_idle += !is_taken;
  struct tag stop = put_block(t, scope);
  t->is_idle -= !is_taken;
  if (!is_taken && text->length > before) text->text[text->length = before] = 0;
  return stop;
}

static void put_if(struct reading *t, const struct hb_scope *scope, const char *condition)
{
  int is = is_true(hb_values_of(t->page->values, scope, condition));
  check(t, NULL, NULL);
  struct tag stop = put_branch(t, scope, is);
  if (strcmp(stop.text, "else") == 0) stop = put_branch(t, scope, !is);
  expect_end(t, stop, "/if");
}

static void put_each(struct reading *t, const struct hb_scope *scope, const char *pattern)
{
  struct hb_values *v = t->page->values;
  const char *body = t->at;
  char filter[TEXT];
  int k = 0;
  hb_values_fill(v, scope, pattern, filter);
  const cJSON *record = hb_values_next(v, NULL, filter);
  do {
    cJSON *names = cJSON_CreateObject();
    const struct hb_scope outer = {names, scope};
    hb_values_number(names, "index", k++);
    t->at = body;
    expect_end(t, put_branch(t, &(struct hb_scope){record, &outer}, record != NULL), "/each");
    cJSON_Delete(names);
  } while (record && (record = hb_values_next(v, record, filter)));
}

/* {{#figure fig1}} caption {{/figure}} */
static void put_around(struct reading *t, const struct hb_scope *scope, const char *kind, const char *name)
{
  struct hb_draft outside = t->page->html;
  cJSON *shown = cJSON_CreateObject();
  t->page->html = (struct hb_draft){.status = outside.status};
  expect_end(t, put_block(t, scope), hb_phrase("/%s", kind));
  hb_values_markup(shown, "caption", t->page->html.text.text ? t->page->html.text.text : "");
  hb_draft_note(&outside, t->page->html.status);
  hb_mem_free(t->page->html.text.text);
  t->page->html = outside;
  if (t->page->draw) t->page->draw(t->page->context, kind, name, scope, shown);
  check(t, NULL, NULL);
  put(t->page, hb_phrase("%s.html", kind), NULL, &(struct hb_scope){shown, scope}, t->depth + 1);
  cJSON_Delete(shown);
}

/* Up to a tag that ends a block, which comes back; "" at the end of the file. */
static struct tag put_block(struct reading *t, const struct hb_scope *scope)
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
      put(t->page, tag.text + 1 + strspn(tag.text + 1, " "), NULL, scope, t->depth + 1);
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

static void put(struct hb_page *page, const char *name, const char *text, const struct hb_scope *scope,
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

void hb_page_put(struct hb_page *page, const char *file, const char *text) { put(page, file, text, NULL, 0); }

/* ---- all of it --------------------------------------------------------------------------------------- */

enum hb_status hb_values_open(struct hb_values *v)
{
  char *text;
  *v = (struct hb_values){0};
  HB_TRY(read_template("report.json", &text));
  enum hb_status status = hb_json_read(text, &v->design);
  hb_mem_free(text);
  if (status != HB_OK) return hb_fail_in(status, "report template report.json");
  v->given = cJSON_CreateObject();
  v->records = cJSON_Duplicate(member(v->design, "records"), 1);
  if (!v->records) v->records = cJSON_CreateObject();
  return HB_OK;
}

void hb_values_close(struct hb_values *v)
{
  cJSON_Delete(v->design);
  cJSON_Delete(v->given);
  cJSON_Delete(v->records);
  *v = (struct hb_values){0};
}
