#include "report/template.h"

#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------ */

enum { NAME = 48, DEPTH_MOST = 8 };

enum kind { NUMBER, WORD, MARKUP, LIST };

struct hb_value {
  char name[NAME];
  enum kind kind;
  double number;
  char *text;
  struct hb_values *rows, *sample; /* of a list; the sample has the names, without values */
  struct hb_value *next;
};

static void clear_value(struct hb_value *value)
{
  hb_mem_free(value->text);
  for (struct hb_values *row = value->rows, *next; row; row = next) {
    next = row->next;
    hb_values_clear(row);
    hb_mem_free(row);
  }
  if (value->sample) hb_values_clear(value->sample);
  hb_mem_free(value->sample);
}

void hb_values_clear(struct hb_values *values)
{
  for (struct hb_value *value = values->first, *next; value; value = next) {
    next = value->next;
    clear_value(value);
    hb_mem_free(value);
  }
  values->first = NULL;
}

static struct hb_value *find_here(const struct hb_values *values, const char *name)
{
  struct hb_value *value = values->first;
  while (value && strcmp(value->name, name) != 0) value = value->next;
  return value;
}

static const struct hb_value *find(const struct hb_values *values, const char *name)
{
  for (; values; values = values->parent)
    if (find_here(values, name)) return find_here(values, name);
  return NULL;
}

/* A value without memory for it is missing: the template will say so. */
static struct hb_value *set(struct hb_values *values, const char *name, enum kind kind)
{
  struct hb_value *value = find_here(values, name), *next;
  if (!value) {
    if (HB_ALLOC(1, &value) != HB_OK) return NULL;
    value->next = values->first;
    values->first = value;
  }
  next = value->next;
  clear_value(value);
  *value = (struct hb_value){.kind = kind, .number = NAN, .next = next};
  snprintf(value->name, NAME, "%s", name);
  return value;
}

void hb_values_number(struct hb_values *values, const char *name, double number)
{
  struct hb_value *value = set(values, name, NUMBER);
  if (value) value->number = number;
}

static void set_text(struct hb_values *values, const char *name, enum kind kind, const char *text)
{
  struct hb_value *value = set(values, name, kind);
  if (value && hb_mem_strdup(text, &value->text) != HB_OK) *value->name = 0;
}

void hb_values_word(struct hb_values *values, const char *name, const char *word)
{
  set_text(values, name, WORD, word);
}

void hb_values_markup(struct hb_values *values, const char *name, const char *markup)
{
  set_text(values, name, MARKUP, markup);
}

void hb_values_list(struct hb_values *values, const char *name, const char *names)
{
  struct hb_value *list = set(values, name, LIST);
  if (!list || HB_ALLOC(1, &list->sample) != HB_OK) return;
  list->sample->parent = values;
  hb_values_number(list->sample, "index", 0);
  for (size_t length; *names; names += length + strspn(names + length, " ")) {
    char column[NAME];
    length = strcspn(names, " ");
    snprintf(column, NAME, "%.*s", (int)length, names);
    hb_values_number(list->sample, column, NAN);
  }
}

struct hb_values *hb_values_row(struct hb_values *values, const char *name)
{
  static struct hb_values lost;
  struct hb_value *list = find_here(values, name);
  struct hb_values *row = NULL;
  if (!list || HB_ALLOC(1, &row) != HB_OK) {
    hb_values_clear(&lost);
    return &lost;
  }
  double index = 0;
  struct hb_values **last = &list->rows;
  for (; *last; last = &(*last)->next) index++;
  *last = row;
  row->parent = values;
  hb_values_number(row, "index", index);
  return row;
}

/* ---- how they look ----------------------------------------------------------------------------------- */

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

static int is_true(const struct hb_value *value)
{
  if (value->kind == NUMBER) return isfinite(value->number) && value->number != 0;
  return value->kind == LIST ? value->rows != NULL : *value->text != 0;
}

/* ---- a template -------------------------------------------------------------------------------------- */

struct reading {
  const char *file, *text, *at;
  int depth;
  struct hb_draft *html; /* what is read, and what went wrong */
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

/* Copies text up to the next tag and takes that; 0 at the end. A tag of more than a value takes its line with it when it
 * stands there alone. */
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

static double operand(struct reading *t, const struct hb_values *values, const char *word)
{
  char *end;
  double number = strtod(word, &end);
  if (end != word && !*end) return number;
  const struct hb_value *value = find(values, word);
  if (!value) fail(t, "unknown name", word);
  return value ? value->number : NAN;
}

/* "name", "not name", "a > b" */
static int condition(struct reading *t, const struct hb_values *values, const char *text)
{
  char a[NAME] = "", how[NAME] = "", b[NAME] = "";
  int words = sscanf(text, "%47s %47s %47s", a, how, b), is_not = words == 2 && strcmp(a, "not") == 0;
  if (words == 3 && how[1] == 0 && strchr("<>=", *how)) {
    double left = operand(t, values, a), right = operand(t, values, b);
    return *how == '<' ? left < right : *how == '>' ? left > right : left == right;
  }
  const struct hb_value *value = find(values, is_not ? how : a);
  if (words != 1 && !is_not) fail(t, "this is not a condition:", text);
  if (!value) fail(t, "unknown name", is_not ? how : a);
  return value && is_true(value) != is_not;
}

static void put_value(struct reading *t, const struct hb_values *values, char *name, int is_live)
{
  char *colon = strchr(name, ':');
  int digits = colon ? atoi(colon + 1) : 7;
  if (colon) *colon = 0;
  const struct hb_value *value = find(values, name);
  if (!value || value->kind == LIST || digits < 1 || digits > 17)
    fail(t, value ? "this is not a value:" : "unknown name", name);
  else if (is_live && value->kind == NUMBER)
    hb_template_number(value->number, digits, t->html);
  else if (is_live && value->kind == WORD)
    hb_template_escape(value->text, t->html);
  else if (is_live)
    hb_draft_put_bytes(t->html, value->text, strlen(value->text));
}

static void put_file(const char *file, const struct hb_values *values, int depth, int is_live,
                     struct hb_draft *html);
static struct tag put_block(struct reading *t, const struct hb_values *values, int is_live);

static void expect(struct reading *t, struct tag stop, const char *end)
{
  if (strcmp(stop.text, end) != 0) fail(t, "a block does not end here with", end);
}

static void put_if(struct reading *t, const struct hb_values *values, const char *text, int is_live)
{
  int is = condition(t, values, text);
  struct tag stop = put_block(t, values, is_live && is);
  if (strcmp(stop.text, "else") == 0) stop = put_block(t, values, is_live && !is);
  expect(t, stop, "/if");
}

static void put_each(struct reading *t, const struct hb_value *list, int is_live)
{
  const char *body = t->at;
  for (const struct hb_values *row = list->rows ? list->rows : list->sample; row; row = row->next) {
    t->at = body;
    expect(t, put_block(t, row, is_live && list->rows), "/each");
  }
}

/* {{#figure fig1}} caption {{/figure}} */
static void put_around(struct reading *t, const char *kind, const struct hb_values *values,
                       const struct hb_value *list, int is_live)
{
  struct hb_draft caption = {0}, *html = t->html;
  struct hb_values inner = {.parent = list->rows ? list->rows : list->sample};
  t->html = &caption;
  expect(t, put_block(t, values, is_live), hb_phrase("/%s", kind));
  t->html = html;
  hb_draft_note(html, caption.status);
  hb_values_markup(&inner, "caption", caption.text.text ? caption.text.text : "");
  put_file(hb_phrase("%s.html", kind), &inner, t->depth + 1, is_live && list->rows, html);
  hb_values_clear(&inner);
  hb_draft_clear(&caption);
}

/* Up to a tag that ends a block, which comes back; "" at the end of the file. */
static struct tag put_block(struct reading *t, const struct hb_values *values, int is_live)
{
  struct tag tag;
  while (t->html->status == HB_OK && next_tag(t, is_live, &tag)) {
    char kind[NAME] = "", name[NAME] = "";
    if (*tag.text == '/' || strcmp(tag.text, "else") == 0) return tag;
    sscanf(tag.text, "#%47s %47s", kind, name);
    const struct hb_value *list = find(values, name);
    if (*tag.text == '>')
      put_file(tag.text + 1 + strspn(tag.text + 1, " "), values, t->depth + 1, is_live, t->html);
    else if (*tag.text != '#')
      put_value(t, values, tag.text, is_live);
    else if (strcmp(kind, "if") == 0)
      put_if(t, values, tag.text + 3, is_live);
    else if (!list || list->kind != LIST || !list->sample)
      fail(t, "unknown list", name);
    else if (strcmp(kind, "each") == 0)
      put_each(t, list, is_live);
    else
      put_around(t, kind, values, list, is_live);
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

static void put_file(const char *file, const struct hb_values *values, int depth, int is_live,
                     struct hb_draft *html)
{
  char *text = NULL, name[160];
  snprintf(name, sizeof name, "%s", file); /* a phrase, which the file may outlive */
  if (html->status == HB_OK) html->status = read_template(name, &text);
  struct reading t = {name, text, text, depth, html};
  if (text && depth > DEPTH_MOST) fail(&t, "templates include each other:", name);
  struct tag stop = text ? put_block(&t, values, is_live) : (struct tag){""};
  if (*stop.text) fail(&t, "there is nothing to end here:", stop.text);
  hb_mem_free(text);
}

void hb_template_put(const char *file, const struct hb_values *values, struct hb_draft *html)
{
  put_file(file, values, 0, 1, html);
}
