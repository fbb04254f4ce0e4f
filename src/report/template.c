#include "report/template.h"

#include "base/file.h"
#include "base/mem.h"

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

void hb_template_escape(const char *text, struct hb_draft *html)
{
  for (const char *c = text; *c; c++) {
    const char *entity = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
    hb_draft_put_bytes(html, entity ? entity : c, entity ? strlen(entity) : 1);
  }
}

void hb_template_number(double value, int digits, struct hb_draft *html)
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
static int next_tag(struct reading *t, int is_live, struct tag *tag)
{
  const char *open = strstr(t->at, "{{"), *close = open ? strstr(open, "}}") : NULL, *stop = open;
  if (!close || (size_t)(close - open - 2) >= sizeof tag->text) {
    if (open) fail(t, "this tag has no end:", "{{");
    if (is_live) hb_draft_put_bytes(t->html, t->at, strlen(t->at));
    t->at += strlen(t->at);
    return 0;
  }
  snprintf(tag->text, sizeof tag->text, "%.*s", (int)(close - open - 2), open + 2);
  close += 2;
  while (stop > t->at && stop[-1] == ' ') stop--;
  int is_block = strchr("#/>", *tag->text) || strcmp(tag->text, "else") == 0;
  int is_alone = is_block && *close == '\n' && (stop == t->text || stop[-1] == '\n');
  if (!is_alone) stop = open;
  if (is_live) hb_draft_put_bytes(t->html, t->at, (size_t)(stop - t->at));
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

static void put_value(struct reading *t, const struct scope *scope, char *name, int is_live)
{
  char *colon = strchr(name, ':');
  int digits = colon ? atoi(colon + 1) : 7;
  if (colon) *colon = 0;
  const cJSON *value = find(scope, name);
  if (!value || cJSON_IsObject(value) || digits < 1 || digits > 17)
    fail(t, value ? "this is not a value:" : "unknown name", name);
  else if (is_live && cJSON_IsNumber(value))
    hb_template_number(value->valuedouble, digits, t->html);
  else if (is_live && cJSON_IsString(value))
    hb_template_escape(value->valuestring, t->html);
  else if (is_live)
    hb_draft_put_bytes(t->html, value->valuestring, strlen(value->valuestring));
}

static void put_file(const char *file, const struct scope *scope, int depth, int is_live,
                     struct hb_draft *html);
static struct tag put_block(struct reading *t, const struct scope *scope, int is_live);

static void expect(struct reading *t, struct tag stop, const char *end)
{
  if (strcmp(stop.text, end) != 0) fail(t, "a block does not end here with", end);
}

static void put_if(struct reading *t, const struct scope *scope, const char *text, int is_live)
{
  int is = condition(t, scope, text);
  struct tag stop = put_block(t, scope, is_live && is);
  if (strcmp(stop.text, "else") == 0) stop = put_block(t, scope, is_live && !is);
  expect(t, stop, "/if");
}

static void put_each(struct reading *t, const struct scope *scope, const cJSON *list, int is_live)
{
  const char *body = t->at;
  int has_rows = is_true(list);
  for (const cJSON *row = row_of(list); row; row = has_rows ? row->next : NULL) {
    t->at = body;
    expect(t, put_block(t, &(struct scope){row, scope}, is_live && has_rows), "/each");
  }
}

/* {{#figure fig1}} caption {{/figure}} */
static void put_around(struct reading *t, const char *kind, const struct scope *scope, const cJSON *list,
                       int is_live)
{
  struct hb_draft caption = {0}, *html = t->html;
  struct scope row = {row_of(list), scope};
  cJSON *inner = cJSON_CreateObject();
  t->html = &caption;
  expect(t, put_block(t, scope, is_live), hb_phrase("/%s", kind));
  t->html = html;
  hb_draft_note(html, caption.status);
  hb_values_markup(inner, "caption", caption.text.text ? caption.text.text : "");
  put_file(hb_phrase("%s.html", kind), &(struct scope){inner, &row}, t->depth + 1, is_live && is_true(list),
           html);
  cJSON_Delete(inner);
  hb_draft_clear(&caption);
}

/* Up to a tag that ends a block, which comes back; "" at the end of the file. */
static struct tag put_block(struct reading *t, const struct scope *scope, int is_live)
{
  struct tag tag;
  while (t->html->status == HB_OK && next_tag(t, is_live, &tag)) {
    char kind[NAME] = "", name[NAME] = "";
    if (*tag.text == '/' || strcmp(tag.text, "else") == 0) return tag;
    sscanf(tag.text, "#%47s %47s", kind, name);
    const cJSON *list = find(scope, name);
    if (*tag.text == '>')
      put_file(tag.text + 1 + strspn(tag.text + 1, " "), scope, t->depth + 1, is_live, t->html);
    else if (*tag.text != '#')
      put_value(t, scope, tag.text, is_live);
    else if (strcmp(kind, "if") == 0)
      put_if(t, scope, tag.text + 3, is_live);
    else if (!rows_of(list))
      fail(t, "unknown list", name);
    else if (strcmp(kind, "each") == 0)
      put_each(t, scope, list, is_live);
    else
      put_around(t, kind, scope, list, is_live);
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

static void put_file(const char *file, const struct scope *scope, int depth, int is_live,
                     struct hb_draft *html)
{
  char *text = NULL, name[160];
  snprintf(name, sizeof name, "%s", file); /* a phrase, which the file may outlive */
  if (html->status == HB_OK) html->status = read_template(name, &text);
  struct reading t = {name, text, text, depth, html};
  if (text && depth > DEPTH_MOST) fail(&t, "templates include each other:", name);
  struct tag stop = text ? put_block(&t, scope, is_live) : (struct tag){""};
  if (*stop.text) fail(&t, "there is nothing to end here:", stop.text);
  hb_mem_free(text);
}

void hb_template_put(const char *file, const cJSON *values, struct hb_draft *html)
{
  put_file(file, &(struct scope){values, NULL}, 0, 1, html);
}
