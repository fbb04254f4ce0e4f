#include "base/table.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* One value of a row; kind says which member holds it. */
struct value {
  enum hb_table_kind kind;
  double real;
  uint64_t count;
  int number;
  const char *text;
};

static struct value value_of(const struct hb_table_column *column, const void *row)
{
  const char *at = (const char *)row + column->offset;
  struct value value = {.kind = column->kind};
  size_t size;
  switch (column->kind) {
  case HB_TABLE_REAL:
    memcpy(&value.real, at, sizeof value.real);
    if (column->scale != 0) value.real *= column->scale;
    break;
  case HB_TABLE_COUNT:
    memcpy(&value.count, at, sizeof value.count);
    break;
  case HB_TABLE_SIZE:
    memcpy(&size, at, sizeof size);
    value.count = size;
    value.kind = HB_TABLE_COUNT;
    break;
  case HB_TABLE_INT:
  case HB_TABLE_TRUTH:
    memcpy(&value.number, at, sizeof value.number);
    break;
  case HB_TABLE_TEXT:
    memcpy(&value.text, at, sizeof value.text);
    break;
  case HB_TABLE_CHARS:
    value.text = at;
    value.kind = HB_TABLE_TEXT;
    break;
  }
  return value;
}

/* ---- text ---- */

/* A word as wide as the column, whose format may have blanks, a bar or a percent sign around its number. */
static void put_word(const struct hb_table_column *column, const char *word, FILE *out)
{
  const char *format = column->format, *number = strchr(format, '%') + 1;
  const char *digits = number + strspn(number, "-#"), *after = digits + strcspn(digits, "dfegsu") + 1;
  int width = atoi(digits) + (*after == '%'), is_comment = *word == '#';
  fprintf(out, "%.*s%s", (int)(number - 1 - format), format, is_comment ? "#" : "");
  fprintf(out, "%*s", (*number == '-' ? -1 : 1) * (width - is_comment), word + is_comment);
}

/* It may come from a file: what a terminal would obey is a question mark. */
static void put_shown(const char *format, const char *text, FILE *out)
{
  char shown[1024];
  size_t k = 0;
  while (*text && k + 4 < sizeof shown) {
    size_t length = hb_text_utf8_length(text);
    int is_shown = hb_text_command(text) == 0;
    if (length == 0) length = 1;
    memcpy(shown + k, is_shown ? text : "?", is_shown ? length : 1);
    k += is_shown ? length : 1;
    text += length;
  }
  shown[k] = 0;
  fprintf(out, format, shown);
}

static void put_text(const struct hb_table_column *column, const void *row, FILE *out)
{
  const struct value value = value_of(column, row);
  if (value.kind == HB_TABLE_REAL && isnan(value.real) && column->missing)
    put_word(column, column->missing, out);
  else if (value.kind == HB_TABLE_REAL)
    fprintf(out, column->format, value.real);
  else if (value.kind == HB_TABLE_COUNT)
    fprintf(out, column->format, (unsigned long long)value.count);
  else if (value.kind == HB_TABLE_TEXT)
    put_shown(column->format, value.text, out);
  else
    fprintf(out, column->format, value.number);
}

/* row NULL: the header. */
static void put_text_line(const struct hb_table *table, const void *row)
{
  const char *blank = "";
  for (const struct hb_table_column *c = table->columns; c < table->columns + table->count; c++) {
    if (!c->format) continue;
    fputs(blank, table->out);
    blank = " ";
    row ? put_text(c, row, table->out) : put_word(c, c->heading ? c->heading : c->name, table->out);
  }
  fputc('\n', table->out);
}

/* ---- comma-separated values ---- */

static void put_csv(const struct value value, FILE *out)
{
  if (value.kind == HB_TABLE_REAL && isnan(value.real)) /* whatever its sign */
    fputs("nan", out);
  else if (value.kind == HB_TABLE_REAL)
    fprintf(out, "%.17g", value.real);
  else if (value.kind == HB_TABLE_COUNT)
    fprintf(out, "%" PRIu64, value.count);
  else if (value.kind == HB_TABLE_TEXT)
    fputs(value.text, out); /* a word without commas or quotes */
  else
    fprintf(out, "%d", value.number);
}

static void put_csv_line(const struct hb_table *table, const void *row)
{
  const char *comma = "";
  for (const struct hb_table_column *c = table->columns; c < table->columns + table->count; c++) {
    if (!c->name) continue;
    fputs(comma, table->out);
    comma = ",";
    row ? put_csv(value_of(c, row), table->out) : (void)fputs(c->name, table->out);
  }
  fputc('\n', table->out);
}

/* ---- JSON ---- */

void hb_table_members(const struct hb_table_column *columns, size_t count, const void *row,
                      struct hb_json *json)
{
  for (const struct hb_table_column *c = columns; c < columns + count; c++) {
    const struct value value = value_of(c, row);
    if (!c->name) continue;
    if (value.kind == HB_TABLE_REAL)
      hb_json_number(json, c->name, value.real);
    else if (value.kind == HB_TABLE_COUNT)
      hb_json_count(json, c->name, value.count);
    else if (value.kind == HB_TABLE_TRUTH)
      hb_json_truth(json, c->name, value.number);
    else if (value.kind == HB_TABLE_INT)
      hb_json_number(json, c->name, value.number);
    else if (value.text)
      hb_json_text(json, c->name, value.text);
  }
}

void hb_table_object(struct hb_json *json, const char *key, const struct hb_table_column *columns,
                     size_t count, const void *row)
{
  hb_json_open_object(json, key);
  hb_table_members(columns, count, row, json);
  hb_json_close_object(json);
}

void hb_table_array(struct hb_json *json, const char *key, const struct hb_table_column *columns,
                    size_t count, size_t rows, size_t size, const void *first)
{
  hb_json_open_array(json, key);
  for (size_t k = 0; k < rows; k++)
    hb_table_object(json, NULL, columns, count, (const char *)first + k * size);
  hb_json_close_array(json);
}

/* ---- all three ---- */

void hb_table_put(struct hb_table *table, const void *row)
{
  int is_first = table->rows++ == 0;
  if (table->form == HB_TABLE_JSON_FORM) {
    hb_table_object(&(struct hb_json){.out = table->out}, NULL, table->columns, table->count, row);
    fputc('\n', table->out);
    return;
  }
  void (*put)(const struct hb_table *, const void *) =
      table->form == HB_TABLE_CSV_FORM ? put_csv_line : put_text_line;
  if (is_first) put(table, NULL);
  put(table, row);
}
