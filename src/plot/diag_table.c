#include "plot/diag_table.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MOST = 4096 };

/* ---- the table --------------------------------------------------------------------------------------- */

int hb_diag_table_find(const struct hb_diag_table *table, const char *name)
{
  for (size_t k = 0; k < table->columns; k++)
    if (strcmp(table->names[k], name) == 0) return (int)k;
  return -1;
}

double hb_diag_table_at(const struct hb_diag_table *table, size_t row, int column)
{
  return column < 0 ? NAN : table->values[row * table->columns + (size_t)column];
}

void hb_diag_table_clear(struct hb_diag_table *table)
{
  hb_mem_free(table->names);
  hb_mem_free(table->values);
  *table = (struct hb_diag_table){0};
}

static enum hb_status add_name(struct hb_diag_table *t, const char *name, size_t length)
{
  if (length == 0 || length >= HB_DIAG_TABLE_NAME)
    return hb_fail(HB_ERR_INPUT, "'%.*s' is not a valid column name", (int)(length < 60 ? length : 60), name);
  if (t->columns == COLUMNS_MOST)
    return hb_fail(HB_ERR_INPUT, "there are more than %d columns", COLUMNS_MOST);
  snprintf(t->names[t->columns++], HB_DIAG_TABLE_NAME, "%.*s", (int)length, name);
  return HB_OK;
}

static enum hb_status add_row(struct hb_diag_table *t)
{
  size_t count = t->rows * t->columns;
  for (size_t k = count; k < count + t->columns; k++) {
    HB_TRY(HB_GROW(k, &t->capacity, &t->values));
    t->values[k] = NAN;
  }
  t->rows++;
  return HB_OK;
}

/* Sets a value of the last row: a number, true, false, or one of the words for the figure's text. */
static enum hb_status set_value(struct hb_diag_table *t, size_t column, const char *text, size_t length)
{
  char word[64], *end;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  double *value = &t->values[(t->rows - 1) * t->columns + column];
  const char *name = t->names[column];
  *value = strtod(word, &end);
  if (end != word && *end == 0 && length < sizeof word) return HB_OK;
  *value = strcmp(word, "true") == 0 ? 1 : strcmp(word, "false") == 0 ? 0 : NAN;
  if (!isnan(*value) || strcmp(word, "null") == 0) return HB_OK;
  char *copy = strcmp(name, "scheme") == 0      ? t->scheme
               : strcmp(name, "precision") == 0 ? t->precision
               : strcmp(name, "units") == 0     ? t->units
                                                : NULL;
  if (!copy) return hb_fail(HB_ERR_INPUT, "%s is '%s', expected a number", name, word);
  for (const char *c = word; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return hb_fail(HB_ERR_INPUT, "%s is '%s', which contains a control character", name, word);
  snprintf(copy, HB_DIAG_TABLE_NAME, "%.*s", HB_DIAG_TABLE_NAME - 1, word);
  return HB_OK;
}

/* ---- lines ------------------------------------------------------------------------------------------- */

static enum hb_status csv_line(struct hb_diag_table *t, const char *line)
{
  int is_header = t->columns == 0;
  size_t column = 0;
  if (!is_header) HB_TRY(add_row(t));
  for (;; line++, column++) {
    size_t length = strcspn(line, ",\r");
    if (is_header)
      HB_TRY(add_name(t, line, length));
    else if (column < t->columns)
      HB_TRY(set_value(t, column, line, length));
    line += length;
    if (*line != ',') break;
  }
  if (!is_header && column + 1 != t->columns)
    return hb_fail(HB_ERR_INPUT, "%zu value%s, expected %zu", column + 1, hb_text_s(column + 1), t->columns);
  return HB_OK;
}

/* Skips names that the first object lacks: the last row of `run --json` has some. */
static enum hb_status set_member(struct hb_diag_table *t, const cJSON *item)
{
  char text[64];
  int column = hb_diag_table_find(t, item->string);
  if (column < 0) return HB_OK;
  if (!cJSON_IsNumber(item)) {
    const char *word = hb_json_text_of(item, text);
    return set_value(t, (size_t)column, word, strlen(word));
  }
  t->values[(t->rows - 1) * t->columns + (size_t)column] = item->valuedouble;
  return HB_OK;
}

/* The first object has the names. */
static enum hb_status json_line(struct hb_diag_table *t, const char *line)
{
  cJSON *object, *item;
  HB_TRY(hb_json_read(line, &object));
  enum hb_status status = HB_OK;
  int is_first = t->columns == 0;
  cJSON_ArrayForEach (item, object)
    if (is_first && status == HB_OK) status = add_name(t, item->string, strlen(item->string));
  if (status == HB_OK) status = add_row(t);
  cJSON_ArrayForEach (item, object)
    if (status == HB_OK) status = set_member(t, item);
  cJSON_Delete(object);
  return status;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static enum hb_status read_lines(const char *path, char *text, int csv, struct hb_diag_table *t)
{
  size_t number = 1;
  for (char *end; (end = strchr(text, '\n')); text = end + 1, number++) {
    *end = 0;
    enum hb_status status = csv ? csv_line(t, text) : json_line(t, text);
    if (status == HB_OK) continue;
    char context[512];
    snprintf(context, sizeof context, "%s, line %zu", path, number);
    return hb_fail_in(status, context);
  }
  return t->rows ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: there are no rows", path);
}

enum hb_status hb_diag_table_read(const char *path, struct hb_diag_table *table)
{
  *table = (struct hb_diag_table){0};
  const char *extension = hb_text_extension(path);
  int csv = strcasecmp(extension, ".csv") == 0;
  if (!csv && strcasecmp(extension, ".jsonl") != 0)
    return hb_fail(HB_ERR_USAGE, "cannot read diagnostics from '%s': its extension is not csv or jsonl",
                   path);
  char *text;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  enum hb_status status = HB_ALLOC(COLUMNS_MOST, &table->names);
  if (status == HB_OK && memchr(text, 0, length)) status = hb_fail(HB_ERR_INPUT, "%s is not a text", path);
  if (status == HB_OK) status = read_lines(path, text, csv, table);
  hb_mem_free(text);
  return status;
}
