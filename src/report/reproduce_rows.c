#include "report/reproduce_rows.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------- */

void hb_record_label(char *labels, struct hb_record *record)
{
  char *rest = NULL;
  for (char *word = strtok_r(labels, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    *equals = 0;
    record->fields[record->count++] = (struct hb_field){word, equals + 1};
  }
}

static enum hb_status take_members(const cJSON *object, char *text, struct hb_record *record)
{
  char *to = text;
  char number[64];
  const cJSON *item;
  cJSON_ArrayForEach (item, object) {
    if (record->count == HB_FIELDS_MOST) return hb_fail(HB_ERR_INPUT, "more than %d fields", HB_FIELDS_MOST);
    struct hb_field *field = &record->fields[record->count++];
    field->key = to;
    to = stpcpy(to, item->string) + 1;
    field->value = to;
    to = stpcpy(to, hb_json_text_of(item, number)) + 1;
  }
  return HB_OK;
}

enum hb_status hb_record_take(const char *labels, const char *line, struct hb_record *record)
{
  char number[64];
  cJSON *object, *item;
  *record = (struct hb_record){0};
  HB_TRY(hb_json_read(line, &object));
  size_t bytes = strlen(labels) + 1;
  cJSON_ArrayForEach (item, object) bytes += strlen(item->string) + strlen(hb_json_text_of(item, number)) + 2;
  enum hb_status status = HB_ALLOC(bytes, &record->text);
  if (status == HB_OK) {
    char *to = stpcpy(record->text, labels) + 1;
    hb_record_label(record->text, record);
    status = take_members(object, to, record);
  }
  cJSON_Delete(object);
  return status;
}

static enum hb_status add_line(struct hb_reproduction *r, const char *labels, const char *line)
{
  HB_TRY(HB_GROW(r->record_count, &r->record_capacity, &r->records));
  return hb_record_take(labels, line, &r->records[r->record_count++]);
}

enum hb_status hb_reproduce_read_lines(struct hb_reproduction *r, const char *path, const char *labels,
                                       int has_header)
{
  char *text, *rest = NULL;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  enum hb_status status = HB_OK;
  char *line = strtok_r(text, "\n", &rest);
  if (has_header) line = strtok_r(NULL, "\n", &rest);
  for (; line && status == HB_OK; line = strtok_r(NULL, "\n", &rest)) status = add_line(r, labels, line);
  hb_mem_free(text);
  return status == HB_OK ? HB_OK : hb_fail_in(status, path);
}

/* ---- finding ----------------------------------------------------------------------------------------- */

const char *hb_record_text(const struct hb_record *record, const char *key)
{
  for (size_t k = 0; record && k < record->count; k++)
    if (strcmp(record->fields[k].key, key) == 0) return record->fields[k].value;
  return "";
}

static double number_of(const struct hb_record *record, const char *key)
{
  const char *text = hb_record_text(record, key);
  char *end;
  double value = strtod(text, &end);
  return end == text || *end || !isfinite(value) ? NAN : value;
}

double hb_record_number(const struct hb_record *record, const char *key)
{
  const char *slash = strchr(key, '/');
  if (!slash) return number_of(record, key);
  char over[64];
  snprintf(over, sizeof over, "%.*s", (int)(slash - key), key);
  return number_of(record, over) / number_of(record, slash + 1);
}

static int matches(const struct hb_record *record, const char *filter)
{
  while (*filter) {
    char key[64];
    size_t name = strcspn(filter, "="), length = strcspn(filter + name + 1, " ");
    snprintf(key, sizeof key, "%.*s", (int)name, filter);
    const char *value = hb_record_text(record, key);
    if (strlen(value) != length || strncmp(value, filter + name + 1, length) != 0) return 0;
    filter += name + 1 + length;
    filter += strspn(filter, " ");
  }
  return 1;
}

const struct hb_record *hb_reproduce_next(const struct hb_reproduction *r, const struct hb_record *after,
                                          const char *filter)
{
  for (size_t k = after ? (size_t)(after - r->records) + 1 : 0; k < r->record_count; k++)
    if (matches(&r->records[k], filter)) return &r->records[k];
  return NULL;
}

double hb_reproduce_number(const struct hb_reproduction *r, const char *key, const char *filter, ...)
{
  char text[256];
  va_list list;
  va_start(list, filter);
  vsnprintf(text, sizeof text, filter, list);
  va_end(list);
  double value = NAN;
  for (const struct hb_record *record = NULL; (record = hb_reproduce_next(r, record, text));)
    value = hb_record_number(record, key);
  return value;
}

void hb_reproduce_clear(struct hb_reproduction *r)
{
  for (size_t k = 0; k < r->record_count; k++) hb_mem_free(r->records[k].text);
  hb_mem_free(r->records);
  hb_mem_free(r->jobs);
  *r = (struct hb_reproduction){0};
}
